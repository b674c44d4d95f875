"""What the second migration adds: rows from before it answer alike, and an older server does without what it lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from lineage_hub.model import EVERYTHING
from lineage_hub.query.telemetry.analytics import RunsQuestion
from lineage_hub.query.telemetry.resources import _OF_SPANS, resources
from lineage_hub.query.telemetry.trace_list import _OF_RESOURCE, TraceQuestion, traces
from lineage_hub.settings import Settings
from lineage_hub.store.telemetry import migrate as migrating
from lineage_hub.store.telemetry.migrate import Migration, Statement, every_migration
from lineage_hub.store.telemetry.open import TelemetryStore, open_telemetry
from tests.query.telemetry.seeded import HOUR, ZERO, Seeded, span_columns

SETTING = "map_buckets_min_avg_size"
DAY = (ZERO - HOUR, ZERO + 23 * HOUR)


def made(number: int, **attributes: str) -> Seeded:
    told = {name.replace("__", "."): (value, "int") for name, value in attributes.items()}
    told |= {f"key.{at}": (f"value {number}", "string") for at in range(12)}
    return Seeded(
        f"{number:032x}", f"{number:016x}", "", "pipeline", f"spark stage {number}", ZERO + number, 1, "OK", 0,
        "default", told,
    )  # fmt: skip


def test_what_needs_a_setting_says_so() -> None:
    statements = [one for migration in every_migration() for one in migration.statements]
    assert [one.needs for one in statements if one.needs is not None] == [SETTING, "merge_selector_base"]
    for setting in (SETTING, "merge_selector_base"):
        assert [one.needs for one in statements if setting in one.text] == [setting]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[TelemetryStore]:
    found = open_telemetry(Settings(data_dir=tmp_path))
    try:
        yield found
    finally:
        found.close()


@pytest.mark.slow
def test_the_column_has_what_the_question_asks_for_in_its_order(store: TelemetryStore) -> None:
    (told,) = store.ask(
        "SELECT default_expression AS text FROM system.columns"
        " WHERE database = currentDatabase() AND table = 'traces' AND name = 'spark_use'"
    )
    assert re.findall(r"'(spark\.[\w.]+)'", told["text"]) == [attribute for _, attribute, _ in _OF_SPANS]


@pytest.mark.slow
def test_rows_from_before_it_answer_like_those_after_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(migrating, "every_migration", lambda: every_migration()[:1])
        store = open_telemetry(Settings(data_dir=tmp_path))
        store.insert("traces", span_columns([made(1, spark__tasks="3", spark__executor__cpu_ns="100")]), 1)
        store.close()
    store = open_telemetry(Settings(data_dir=tmp_path))
    try:
        store.insert("traces", span_columns([made(2, spark__tasks="4", spark__executor__cpu_ns="10")]), 2)
        assert _use(store) == (7, 110)
        assert [_found(store, number) for number in (1, 2, 3)] == [[f"{1:032x}"], [f"{2:032x}"], []]
        # Merged they lie as new ones do.
        store.run("OPTIMIZE TABLE traces FINAL")
        assert _use(store) == (7, 110)
        assert [_found(store, number) for number in (1, 2, 3)] == [[f"{1:032x}"], [f"{2:032x}"], []]
    finally:
        store.close()


@pytest.mark.slow
def test_a_server_that_lacks_a_setting_does_without_what_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = every_migration()
    later = Statement("ALTER TABLE traces MODIFY SETTING of_a_later_server = 1", needs="of_a_later_server")
    told = Statement("ALTER TABLE traces MODIFY COMMENT 'reached'")
    last = Migration(len(known) + 1, "later", (later, told))
    monkeypatch.setattr(migrating, "every_migration", lambda: [*known, last])
    store = open_telemetry(Settings(data_dir=tmp_path))
    try:
        (table,) = store.ask("SELECT comment, engine_full FROM system.tables WHERE name = 'traces'")
        assert table["comment"] == "reached"
        assert "of_a_later_server" not in table["engine_full"]
        assert SETTING in table["engine_full"], "the engine that comes with the hub knows it"
    finally:
        store.close()


@pytest.mark.slow
def test_attributes_of_resources_are_found_and_an_index_tells_where_there_are_none(store: TelemetryStore) -> None:
    columns = span_columns([made(number) for number in range(1, 9)])
    columns["resource_attributes"] = [{"host.name": f"host {number % 2}"} for number in range(1, 9)]
    store.insert("traces", columns, 1)
    assert traces(store, EVERYTHING, TraceQuestion(*DAY, attributes=(("host.name", "host 1"),)))["totalCount"] == 4
    both = (("host.name", "host 1"), ("key.3", "value 3"))
    assert traces(store, EVERYTHING, TraceQuestion(*DAY, attributes=both))["totalCount"] == 1
    hint = f"indexHint(has({_OF_RESOURCE}, cityHash64('host.name', 'host 3')))"
    plan = "\n".join(row["explain"] for row in store.ask(f"EXPLAIN indexes = 1 SELECT 1 FROM traces WHERE {hint}"))
    assert re.search(r"Name: of_resource.*?Granules: 0/1", plan, re.DOTALL), plan


def _use(store: TelemetryStore) -> tuple[int, int]:
    (one,) = resources(store, EVERYTHING, RunsQuestion(*DAY))["pipelines"]
    return one["tasks"], one["cpuNs"]


def _found(store: TelemetryStore, number: int) -> list[str]:
    answer = traces(store, EVERYTHING, TraceQuestion(*DAY, attributes=(("key.5", f"value {number}"),)))
    return [one["traceId"] for one in answer["traces"]]
