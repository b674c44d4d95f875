"""The sample week is deterministic, valid by the specification, and tells the story it promises."""

import importlib
import inspect
import json
import pkgutil
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import attr
import openlineage.client.generated as generated
import pytest
from openlineage.client.event_v2 import DatasetEvent, JobEvent, RunEvent

from lineage_hub.sample import HEADLINE, Week, shop_week

END = datetime(2026, 11, 15, 20, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def week() -> Week:
    return shop_week(7, END)


def _lines(week: Week) -> list[str]:
    return [json.dumps(event) for event in week.events]


def _classes() -> dict[str, type]:
    """Facet classes by schema URL."""
    found: dict[str, type] = {}
    for module in pkgutil.iter_modules(generated.__path__):
        loaded = importlib.import_module(f"openlineage.client.generated.{module.name}")
        for _, one in inspect.getmembers(loaded, inspect.isclass):
            if one.__module__ == loaded.__name__ and hasattr(one, "_get_schema"):
                found[one._get_schema()] = one
    return found


def _facets(week: Week) -> list[tuple[str, str, dict[str, Any]]]:
    """(where it stands, name, body)"""
    found = []
    for event in week.events:
        parts: list[tuple[str, Any]] = [("run", event.get("run")), ("job", event.get("job"))]
        parts += [("dataset", event.get("dataset"))]
        parts += [("dataset", one) for side in ("inputs", "outputs") for one in event.get(side, [])]  # type: ignore[attr-defined]
        for where, part in parts:
            for group, base in (("facets", where), ("inputFacets", "input"), ("outputFacets", "output")):
                found += [(base, name, body) for name, body in ((part or {}).get(group) or {}).items()]
    return found


def test_a_seed_and_an_end_give_the_same_week_always(week: Week) -> None:
    assert _lines(week) == _lines(shop_week(7, END))
    assert _lines(week) != _lines(shop_week(8, END))


def test_the_time_of_day_of_the_end_makes_no_difference(week: Week) -> None:
    assert _lines(week) == _lines(shop_week(7, END.replace(hour=0, minute=0)))


def test_the_week_has_the_size_of_a_week_and_ends_before_its_end(week: Week) -> None:
    assert 600 <= len(week.events) <= 1000
    times = [datetime.fromisoformat(str(event["eventTime"])) for event in week.events]
    assert min(times) >= week.start_at
    assert max(times) < week.end_at <= END
    assert week.end_at - week.start_at == timedelta(days=7)
    assert week.start_at < week.midweek_at < week.end_at


def test_every_event_fits_the_classes_of_openlineage(week: Week) -> None:
    for event in week.events:
        kind = str(event["schemaURL"]).rpartition("/")[2]
        wanted: type = {"RunEvent": RunEvent, "JobEvent": JobEvent, "DatasetEvent": DatasetEvent}[kind]
        allowed = {one.name for one in attr.fields(wanted)}
        assert set(event) <= allowed
        required = {one.name for one in attr.fields(wanted) if one.default is attr.NOTHING}
        assert required <= set(event)


def test_every_facet_fits_the_class_that_its_schema_names(week: Week) -> None:
    classes = _classes()
    bases = {"run": "RunFacet", "job": "JobFacet", "dataset": "DatasetFacet"}
    bases |= {"input": "InputDatasetFacet", "output": "OutputDatasetFacet"}
    seen = set()
    for where, name, body in _facets(week):
        wanted = classes[body["_schemaURL"]]
        assert bases[where] in {one.__name__ for one in wanted.__mro__}, name
        content = {key: value for key, value in body.items() if key not in ("_producer", "_schemaURL")}
        wanted(**content)
        seen.add(name)
    assert {"nominalTime", "parent", "errorMessage", "processing_engine"} <= seen
    assert {"schema", "columnLineage", "symlinks", "storage", "version", "lifecycleStateChange"} <= seen
    assert {"ownership", "documentation", "tags", "sql", "sourceCodeLocation", "jobType"} <= seen
    assert {"dataQualityAssertions", "dataQualityMetrics", "inputStatistics", "outputStatistics"} <= seen


def test_every_column_that_is_read_stands_in_the_schema_it_is_read_from(week: Week) -> None:
    columns: dict[tuple[str, str], set[str]] = {}
    for event in week.events:
        for one in [*event.get("inputs", []), *event.get("outputs", []), event.get("dataset")]:  # type: ignore[misc]
            if one:
                names = {field["name"] for field in one["facets"]["schema"]["fields"]}
                columns.setdefault((one["namespace"], one["name"]), set()).update(names)
    for _, name, body in _facets(week):
        if name == "columnLineage":
            sources = [one for field in body["fields"].values() for one in field["inputFields"]]
            for source in sources + body.get("dataset", []):
                assert source["field"] in columns[source["namespace"], source["name"]], source


def test_every_parent_is_a_run_of_the_week(week: Week) -> None:
    runs = {event["run"]["runId"] for event in week.events if "run" in event}  # type: ignore[index]
    parents = [body for _, name, body in _facets(week) if name == "parent"]
    assert parents
    for one in parents:
        assert one["run"]["runId"] in runs
        assert one["root"]["run"]["runId"] in runs


def test_the_story_is_told(week: Week) -> None:
    kinds = Counter(event.get("eventType", "static") for event in week.events)
    assert kinds["RUNNING"] > 50
    assert kinds["FAIL"] >= 2
    assert kinds["ABORT"] >= 1
    assert week.repeats > 0
    changes = Counter(body["lifecycleStateChange"] for _, name, body in _facets(week) if name == "lifecycleStateChange")
    assert changes["DROP"] == 1
    assert changes["RENAME"] == 1
    late = [
        (earlier["eventTime"], later["eventTime"])
        for earlier, later in zip(week.events, week.events[1:], strict=False)
        if str(later["eventTime"]) < str(earlier["eventTime"])[:10]
    ]
    assert late, "an event arrives on a later day than it happened"


def test_a_failed_extract_is_tried_again_as_another_run(week: Week) -> None:
    runs = [event for event in week.events if event.get("job", {}).get("name") == "ingest_shop.extract_payments"]  # type: ignore[attr-defined]
    failed = next(event for event in runs if event["eventType"] == "FAIL")
    later = [event for event in runs if str(event["eventTime"]) > str(failed["eventTime"])]
    assert later[0]["eventType"] == "START"
    assert later[0]["run"]["runId"] != failed["run"]["runId"]  # type: ignore[index]
    assert later[1]["eventType"] == "COMPLETE"


def test_the_headline_is_written_by_the_week(week: Week) -> None:
    written = {
        f"dataset:{one['namespace']}:{one['name']}"
        for event in week.events
        for one in event.get("outputs", [])  # type: ignore[attr-defined]
    }
    assert HEADLINE in written
