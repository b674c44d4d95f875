"""Bad input through the whole executor: an error names its stage and its cause and leaves everything as it was.

What only looks bad (odd names, thousands of columns, no rows) gives the right result.
"""

import csv
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyspark.sql import SparkSession

from lineage_hub.spark.pipeline.status import RunStatus
from tests.spark.database import Database
from tests.spark.pipeline.loading import mounted
from tests.spark.pipeline.told import Told, stage, telling

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(600)]

SCHEMA = "{id: int, v: string}"
# `again` reads what `target` writes, so that it and `last` come after everything.
PIPELINE = """
name: bad
namespace: tests
parameters: {{at: {{}}}}
quarantine: ${{at}}/quarantine
stages:
  source:
    extract: {source}
  shaped:
    transform: {{from: source, steps: {steps}}}
    rules: {rules}
  target:
    load: {{from: shaped, {target}}}
  again:
    extract: {again}
  last:
    load: {{from: again, format: parquet, path: "${{at}}/last"}}
"""
CSV = 'format: csv, path: "${at}/in.csv"'
TARGET = 'format: parquet, path: "${at}/out/target"'
OLD = [(1, "old")]
Make = Callable[[Path], None]


def definition(
    source: str = f"{{{CSV}, schema: {SCHEMA}}}",
    steps: str = "[select: [id, v]]",
    rules: str = "[]",
    target: str = TARGET,
) -> str:
    again = f"{{{target.split(', mode')[0]}}}"
    return PIPELINE.format(source=source, steps=steps, rules=rules, target=target, again=again)


@pytest.fixture
def told(spark: SparkSession, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Told]:
    with telling(spark, url, tmp_path, monkeypatch) as found:
        yield found


def check_failed(told: Told, status: RunStatus, blamed: str, *said: str) -> None:
    """Told alike by the status and the hub, and nothing came after."""
    assert (status.state, status.failed_stage) == ("FAIL", blamed), status.error
    run, whole = told.run_of(stage(status, blamed).run_id), told.run_of(status.run_id)
    assert (stage(status, blamed).state, run["state"], whole["state"]) == ("FAIL", "FAILED", "FAILED")
    for words in said:
        for text in (status.error, run["error"]["message"], whole["error"]["message"]):
            assert words in text
    assert blamed in whole["error"]["message"]
    assert "\n" not in status.error
    states = {one.name: one.state for one in status.stages}
    assert (states["again"], states["last"]) == ("SKIPPED", "SKIPPED")
    assert set(states.values()) <= {"FAIL", "SKIPPED", "ABORT"}
    assert not (told.folder / "last").exists()


def left_over(folder: Path) -> list[str]:
    return sorted(str(one.relative_to(folder)) for one in folder.rglob("*lineage-hub-*"))


def rows_of(told: Told, place: str = "out/target", format: str = "parquet") -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in told.spark.read.format(format).load(str(told.folder / place)).collect())


def text(content: str | bytes, name: str = "in.csv") -> Make:
    def make(folder: Path) -> None:
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)

    return make


def nothing(folder: Path) -> None:
    pass


@dataclass(frozen=True)
class Wrong:
    """Input that a run can't do anything with: the stage that says so, and what it says."""

    name: str
    make: Make
    stage: str
    said: tuple[str, ...]
    given: dict[str, str] = field(default_factory=dict)


GOOD = text("id,v\n1,a\n2,b\n")
WRONG = [
    Wrong("missing csv", nothing, "source", ("in.csv", "not exist")),
    Wrong("missing csv, no schema", nothing, "source", ("in.csv",), {"source": f"{{{CSV}}}"}),
    *(
        Wrong(f"missing {format}", nothing, "source", ("/in",), {"source": f'{{format: {format}, path: "${{at}}/in"}}'})
        for format in ("json", "ndjson", "parquet", "delta")
    ),
    Wrong("empty csv", text(""), "source", ("in.csv is empty",), {"source": f"{{{CSV}}}"}),
    Wrong(
        "empty json",
        text("", "in.json"),
        "source",
        ("in.json is empty",),
        {"source": '{format: json, path: "${at}/in.json"}'},
    ),
    Wrong(
        "empty parquet",
        text("", "in.parquet"),
        "source",
        ("in.parquet", "is not a Parquet file"),
        {"source": '{format: parquet, path: "${at}/in.parquet"}'},
    ),
    Wrong(
        "text for parquet",
        text("id,v\n1,a\n", "in.parquet"),
        "source",
        ("in.parquet", "is not a Parquet file"),
        {"source": '{format: parquet, path: "${at}/in.parquet"}'},
    ),
    Wrong("other header", text("id,w\n1,a\n"), "source", ("lacks column v", "has column w")),
    Wrong("column twice", text("id,ID\n1,2\n"), "source", ("names column", "twice"), {"source": f"{{{CSV}}}"}),
    Wrong(
        "no such encoding",
        GOOD,
        "source",
        ("'utf-9' is no encoding",),
        {"source": f"{{{CSV}, schema: {SCHEMA}, options: {{encoding: utf-9}}}}"},
    ),
    Wrong("no such column", GOOD, "shaped", ("step 1 (filter)", "nope"), {"steps": "[filter: nope > 0]"}),
    Wrong(
        "division by zero",
        GOOD,
        "shaped",
        ("Division by zero",),
        {"steps": "[derive: {v: cast(1 / (id - 2) as string)}]"},
    ),
    Wrong(
        "decimal overflow",
        GOOD,
        "shaped",
        ("cannot be represented as Decimal(3, 2)",),
        {"steps": "[derive: {v: 'cast(cast(id * 100 as decimal(3,2)) as string)'}]"},
    ),
    Wrong(
        "date out of range",
        GOOD,
        "shaped",
        ("MonthOfYear",),
        {"steps": "[derive: {v: 'cast(make_date(2026, 12 * id, 1) as string)'}]"},
    ),
    Wrong(
        "broken rule",
        GOOD,
        "shaped",
        ("1 of 2 rows", "id"),
        {"rules": "[{range: {column: id, max: 1}, severity: fail}]"},
    ),
    Wrong(
        "server not there",
        nothing,
        "source",
        ("orders", "127.0.0.1:1", "refused"),
        {"source": "{format: jdbc, url: 'jdbc:postgresql://127.0.0.1:1/x', table: orders, user: u, password: s3cret}"},
    ),
]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda one: one.name)
def test_what_is_wrong_is_named_and_what_was_there_stays(told: Told, wrong: Wrong) -> None:
    told.spark.createDataFrame(OLD, "id INT, v STRING").write.parquet(str(told.folder / "out/target"))
    wrong.make(told.folder)
    status = told.run(definition(**wrong.given))
    check_failed(told, status, wrong.stage, *wrong.said)
    assert "s3cret" not in status.error
    assert rows_of(told) == OLD
    assert left_over(told.folder) == []


@pytest.mark.parametrize("format", ["parquet", "csv", "ndjson", "delta"])
def test_keys_that_are_null_or_come_twice_stop_a_merge(told: Told, format: str) -> None:
    merge = f'format: {format}, path: "${{at}}/out/target", mode: merge, keys: id'
    text("id,v\n1,old\n")(told.folder)
    assert told.run(definition(target=merge)).state == "COMPLETE"
    (told.folder / "last").rename(told.folder / "last before")
    before = {one: one.read_bytes() for one in (told.folder / "out").rglob("*") if one.is_file()}
    text("id,v\n1,new\n7,x\n7,y\n,z\n")(told.folder)
    status = told.run(definition(target=merge))
    check_failed(told, status, "target", "1 rows have null in the key", "1 keys occur twice or more, as 7")
    assert {one: one.read_bytes() for one in (told.folder / "out").rglob("*") if one.is_file()} == before
    assert left_over(told.folder) == []


FOLDER = 'format: {format}, path: "${{at}}/small/target"'


@pytest.mark.parametrize("format", ["parquet", "csv", "ndjson", "delta"])
@pytest.mark.parametrize("trouble", ["full", "read-only"])
def test_a_place_that_takes_no_more_keeps_what_it_has(told: Told, format: str, trouble: str) -> None:
    target = FOLDER.format(format=format)
    with mounted(told.folder / "small", "size=1m") as small:
        GOOD(told.folder)
        assert told.run(definition(target=target)).state == "COMPLETE"
        (told.folder / "last").rename(told.folder / "last before")
        before = {one: one.read_bytes() for one in small.rglob("*") if one.is_file()}
        steps = "[select: [id, v]]"
        if trouble == "full":
            # More than there is room for, and nothing that a compression makes small.
            many = "select explode(sequence(1, 40000)) as id from this"
            steps = f"[{{sql: '{many}'}}, {{derive: {{v: 'sha2(cast(id as string), 512)'}}}}]"
        else:
            subprocess.run(["mount", "-o", "remount,ro", str(small)], check=True)
        status = told.run(definition(steps=steps, target=target))
        said = "No space left on device" if trouble == "full" else "target"
        check_failed(told, status, "target", "small/target", said)
        kept = {one: one.read_bytes() for one in small.rglob("*") if one.is_file()}
        if format == "delta":  # files of an unfinished commit are Delta's to remove
            assert before.items() <= kept.items()
            assert rows_of(told, "small/target", "delta") == [(1, "a"), (2, "b")]
        else:
            assert kept == before
        assert left_over(small) == []


def test_a_file_in_the_targets_place_is_left_alone(told: Told) -> None:
    GOOD(told.folder)
    (told.folder / "out").mkdir()
    text("mine", "out/target")(told.folder)
    check_failed(told, told.run(definition()), "target", "out/target is a file")
    assert (told.folder / "out/target").read_text() == "mine"
    assert left_over(told.folder) == []


def jdbc(database: Database, table: str = "orders") -> str:
    return f"format: jdbc, url: '{database.jdbc_url}', table: {table}"


def test_a_table_that_isnt_there_is_named(told: Told, database: Database) -> None:
    status = told.run(definition(source=f"{{{jdbc(database, 'nowhere')}}}"))
    check_failed(told, status, "source", "nowhere", "does not exist")
    assert not (told.folder / "out").exists()


def test_what_a_table_refuses_leaves_it_as_it_was(told: Told, database: Database) -> None:
    database.run("CREATE TABLE orders (id INT PRIMARY KEY, v VARCHAR(3))")
    database.run("INSERT INTO orders VALUES (1, 'old')")
    GOOD(told.folder)
    append = f"{jdbc(database)}, mode: append"
    check_failed(told, told.run(definition(target=append)), "target", "orders", "duplicate key")
    steps = "[derive: {v: \"concat(v, 'long')\"}]"
    check_failed(told, told.run(definition(target=jdbc(database), steps=steps)), "target", "orders", "too long")
    text("id,v\n1,new\n7,x\n7,y\n,z\n")(told.folder)
    merge = f"{jdbc(database)}, mode: merge, keys: id"
    check_failed(told, told.run(definition(target=merge)), "target", "null in the key", "as 7")
    assert database.run("SELECT * FROM orders") == [(1, "old")]
    left = database.run("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    assert {name for (name,) in left} <= {"orders", "lineage_hub_load"}


def test_a_server_that_isnt_there_is_named_without_the_password(told: Told) -> None:
    GOOD(told.folder)
    target = "format: jdbc, url: 'jdbc:postgresql://127.0.0.1:1/x', table: orders, user: u, password: s3cret"
    status = told.run(definition(target=target))
    check_failed(told, status, "target", "orders", "refused")
    assert "s3cret" not in str(status)


@dataclass(frozen=True)
class Odd:
    """Input that is right: the rows that come of it, and how many are set aside."""

    name: str
    content: bytes
    rows: list[tuple[Any, ...]]
    rejected: int = 0
    reasons: tuple[str, ...] = ()
    schema: str | None = SCHEMA
    more: str = ""


ODD = [
    Odd("no byte", b"", []),
    Odd("header alone", b"id,v\n", []),
    Odd("header alone, no schema", b"id,v\n", [], schema=None),
    Odd(
        "ragged rows",
        b"id,v\n1,a\n2\n3,c,d\n\n4,e\n",
        [(1, "a"), (4, "e")],
        2,
        ("1 values, 2 columns expected", "3 values, 2 columns expected"),
    ),
    Odd("bytes of another encoding", b"id,v\n1,a\n2,Z\xfcrich\n", [(1, "a")], 1, ("encoding",)),
    Odd("another encoding", b"id,v\n2,Z\xfcrich\n", [(2, "Zürich")], more=", options: {encoding: latin-1}"),
    Odd("two bytes a letter", "id,v\n2,日本\n".encode("utf-16"), [(2, "日本")], more=", options: {encoding: utf-16}"),
    Odd("a mark of the order of bytes", "\ufeffid,v\n2,b\n".encode(), [(2, "b")]),
    Odd("carriage returns", b"id,v\r\n1,a\r\n2,b\r\n", [(1, "a"), (2, "b")]),
    Odd(
        "decimals that don't fit",
        b"id,v\n1,9.99\n2,123.45\n",
        [(1, Decimal("9.99"))],
        1,
        ("column v: '123.45' is no DECIMAL(3,2)",),
        schema='{id: int, v: "decimal(3,2)"}',
    ),
    Odd(
        "days that don't exist",
        b"id,v\n1,0001-01-01\n2,2026-02-30\n3,9999-12-31\n4,2026-13-01\n",
        [(1, date(1, 1, 1)), (3, date(9999, 12, 31))],
        2,
        ("column v: '2026-02-30' is no DATE", "column v: '2026-13-01' is no DATE"),
        schema="{id: int, v: date}",
    ),
    Odd(
        "numbers that don't fit",
        b'id,v\n1,a\n3000000000,b\n"x",c\n',
        [(1, "a")],
        2,
        ("column id: '3000000000' is no INT", "column id: 'x' is no INT"),
    ),
]


@pytest.mark.parametrize("odd", ODD, ids=lambda one: one.name)
def test_what_can_be_read_is_read_and_the_rest_is_set_aside(told: Told, odd: Odd) -> None:
    text(odd.content)(told.folder)
    schema = f", schema: {odd.schema}" if odd.schema else ""
    rules = "[{not_null: v, severity: fail}, {unique: id, severity: fail}, row_count: {max: 9}]"
    status = told.run(definition(source=f"{{{CSV}{schema}{odd.more}}}", rules=rules))
    assert (status.state, status.error) == ("COMPLETE", "")
    assert rows_of(told) == rows_of(told, "last") == odd.rows
    # Of no rows Spark may know beforehand, and observe nothing: that is none, and not unknown.
    assert [(one.passed, one.broken or 0) for one in stage(status, "shaped").rules] == [(True, 0)] * 3
    assert (stage(status, "source").rejected, stage(status, "shaped").rows) == (odd.rejected, len(odd.rows))
    found = told.folder / "quarantine/source"
    reasons = (
        [row.reason for row in told.spark.read.json(f"{found}/run={status.run_id}").collect()] if odd.reasons else []
    )
    assert len(reasons) == odd.rejected
    assert all(any(one in reason for reason in reasons) for one in odd.reasons), reasons
    assert found.exists() is bool(odd.rejected)


NAMES = ["a.b", "c d", "it's", 'say "x"', "back`tick", "Größe", "数量", "a.b.c", "select", "x,y", "100%", "a=b;(c)"]


@pytest.mark.parametrize("format", ["parquet", "csv", "ndjson", "delta"])
def test_names_are_names_whatever_they_hold(told: Told, format: str) -> None:
    with (told.folder / "in.csv").open("w", newline="") as file:
        csv.writer(file).writerows([NAMES, [f" {number} " for number in range(len(NAMES))]])
    place = {"format": format, "path": "${at}/out/target"}
    stages = {
        "source": {"extract": {"format": "csv", "path": "${at}/in.csv", "schema": dict.fromkeys(NAMES, "string")}},
        "shaped": {
            "transform": {
                "from": "source",
                "steps": [{"trim": NAMES}, {"cast": {"a.b": "int"}}, {"rename": {"数量": "数"}}, {"drop": ["100%"]}],
            },
            "rules": [
                {"not_null": ["a.b", "c d", "it's", 'say "x"', "back`tick"], "severity": "fail"},
                {"unique": ["a.b", "x,y"], "severity": "fail"},
                {"range": {"column": "a.b", "max": 0}, "severity": "fail"},
            ],
        },
        "target": {"load": {"from": "shaped", **place, "mode": "merge", "keys": ["a.b", "back`tick"]}},
        "again": {"extract": place},
        "last": {"load": {"from": "again", "format": "parquet", "path": "${at}/last"}},
    }
    text = yaml.safe_dump({"name": "names", "namespace": "tests", "parameters": {"at": {}}, "stages": stages})
    for _ in range(2):  # the second run merges into what the first has made
        status = told.run(text)
        assert (status.state, status.error) == ("COMPLETE", "")
        [row] = told.spark.read.parquet(str(told.folder / "last")).collect()
        # JSON has no order of columns.
        expected = {
            "数" if name == "数量" else name: str(number) for number, name in enumerate(NAMES) if name != "100%"
        }
        assert {name: str(value) for name, value in row.asDict().items()} == expected
    assert ("in.csv", "数量") in told.origins("out/target", "数")


def test_five_thousand_columns_are_as_good_as_five(told: Told) -> None:
    names = [f"c{number}" for number in range(5000)]
    rows = [",".join(map(str, range(5000))), ",".join(["x", *map(str, range(1, 5000))]), "1,2"]
    text("\n".join([",".join(names), *rows]))(told.folder)
    source = f"{{{CSV}, schema: {{{', '.join(f'{name}: int' for name in names)}}}}}"
    status = told.run(definition(source=source, steps="[filter: c4999 = 4999]", rules="[not_null: c17]"))
    assert (status.state, status.error) == ("COMPLETE", "")
    assert rows_of(told) == rows_of(told, "last") == [tuple(range(5000))]
    assert stage(status, "source").rejected == 2
    reasons = told.spark.read.json(f"{told.folder}/quarantine/source/run={status.run_id}").select("reason").collect()
    assert {row.reason for row in reasons} == {"column c0: 'x' is no INT", "2 values, 5000 columns expected"}
    assert ("in.csv", "c4999") in told.origins("out/target", "c4999")
