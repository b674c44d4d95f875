"""What a statement reads and writes is what it means: one fixture file, which anyone can add to."""

import logging
from pathlib import Path
from typing import Any

import pytest
import yaml

from lineage_hub.sdk.instrumentation.flows import Flow, Origin, Table
from lineage_hub.sdk.instrumentation.sql import flows_of

CASES: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parents[2] / "fixtures" / "sql" / "statements.yaml").read_text()
)
KEYS = {"kind", "inputs", "output", "columns", "rows", "temporary", "defines"}


def expected(case: dict[str, Any]) -> list[dict[str, Any]]:
    given = case.get("flows") or [{key: value for key, value in case.items() if key in KEYS}]
    return [{"kind": "write" if "output" in one else "read", **normal(one)} for one in given]


def normal(flow: dict[str, Any]) -> dict[str, Any]:
    """Only what is said; the order of inputs and of origins means nothing."""
    told = {"inputs": [], "columns": {}, "rows": [], **flow}
    told["inputs"] = sorted(told["inputs"])
    told["columns"] = {column: sorted(map(full, origins)) for column, origins in told["columns"].items()}
    told["rows"] = sorted(map(full, told["rows"]))
    return told


def full(origin: str) -> str:
    return origin if " " in origin else f"{origin} IDENTITY"


def found(flow: Flow, wanted: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {
        "kind": flow.kind.value,
        "inputs": sorted(map(str, flow.inputs)),
        "columns": {column: sorted(map(shown, origins)) for column, origins in flow.columns.items()},
        "rows": sorted(map(shown, flow.whole)),
    }
    if flow.output is not None:
        told["output"] = str(flow.output)
    if flow.temporary:
        told["temporary"] = True
    if "defines" in wanted:
        told["defines"] = dict(flow.defines)
    return told


def shown(origin: Origin[Table]) -> str:
    return f"{origin.table}.{origin.column} {origin.how.value}" + (" masked" if origin.masking else "")


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{case.get('dialect', 'postgres')}: {case['sql'][:60]}" for case in CASES]
)
def test_a_statement_reads_and_writes_what_it_means(case: dict[str, Any]) -> None:
    known = case.get("known", {})
    flows = flows_of(case["sql"], case.get("dialect", "postgres"), lambda table: known.get(str(table)))
    wanted = expected(case)
    assert [found(*pair) for pair in zip(flows, wanted, strict=True)] == wanted


def test_the_file_covers_many_dialects() -> None:
    assert len(CASES) >= 40
    assert len({case.get("dialect", "postgres") for case in CASES}) >= 8


@pytest.mark.parametrize("sql", ["", ";", "/* nothing */", "\x00", "(" * 5000, "SELECT '" + "x" * 1000])
def test_no_text_breaks_it(sql: str) -> None:
    assert all(flow.output is None and not flow.inputs for flow in flows_of(sql, "postgres"))


def test_sqlglots_log_keeps_quiet_of_ours_only(caplog: pytest.LogCaptureFixture) -> None:
    import sqlglot

    flows_of("CALL f(1)", "postgres")
    assert caplog.records == []
    with caplog.at_level(logging.WARNING, "sqlglot"):
        sqlglot.parse("CALL f(1)", read="postgres")
    assert len(caplog.records) == 1
