"""A reader's answer for every fixture equals what is expected of it, member by member."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from lineage_hub.connectors.databricks.reading import StreamSource
from tests.connectors.databricks.fixture_files import FOLDER, Fixture, fixtures

MEMBERS = {
    "kind": None, "topics": [], "pattern": None, "bootstrap": None, "path": None, "group_id_prefix": None,
    "target_table": None, "source_table": None, "unresolved": [], "confidence": 1.0,
}  # fmt: skip

every_fixture = pytest.mark.parametrize("fixture", fixtures(), ids=lambda one: one.name)


@cache
def read_named(name: str) -> list[StreamSource]:
    from lineage_hub.connectors.databricks.sources import extract_sources

    (one,) = (one for one in fixtures() if one.name == name)
    return extract_sources(one.source, path=one.path, configuration=one.configuration, files=one.files)


def read(fixture: Fixture) -> list[dict[str, Any]]:
    return [one.to_dict() for one in read_named(fixture.name)]


def comparable(source: dict[str, Any], line: int | None) -> dict[str, Any]:
    members = {name: source.get(name, default) for name, default in MEMBERS.items()}
    return members | {"unresolved": sorted(members["unresolved"]), "line": line}


@every_fixture
def test_the_reader_finds_what_is_expected(fixture: Fixture) -> None:
    lines = {one["line"] for one in fixture.sources}
    found = [comparable(one, one["line"] if one["line"] in lines else None) for one in read(fixture)]
    expected = [comparable(one, one["line"]) for one in fixture.sources]
    if None in lines:
        # A line that is not laid down may be any number, one of those of other sources too.
        found = [one | {"line": None} if one not in expected else one for one in found]
    assert sorted(found, key=repr) == sorted(expected, key=repr)


@every_fixture
def test_sources_are_in_order_of_line_then_target(fixture: Fixture) -> None:
    keys = [(one["line"], one["target_table"] or "") for one in read(fixture)]
    assert keys == sorted(keys)


@every_fixture
def test_no_topic_table_or_path_is_invented(fixture: Fixture) -> None:
    def names(sources: list[dict[str, Any]]) -> set[str]:
        single = ("path", "pattern", "bootstrap", "group_id_prefix", "target_table", "source_table")
        return {str(one[key]) for one in sources for key in single if one.get(key)} | {
            topic for one in sources for topic in one.get("topics") or []
        }

    assert names(read(fixture)) <= names(fixture.sources)


@pytest.mark.parametrize("fixture", [one for one in fixtures() if "broken" in one.tags], ids=lambda one: one.name)
def test_what_can_not_be_read_is_in_the_report(fixture: Fixture) -> None:
    from lineage_hub.connectors.databricks.sources import read_program

    reading = read_program(fixture.source, path=fixture.path, configuration=fixture.configuration, files=fixture.files)
    assert len(reading.problems) >= fixture.expected["problems"]


def test_programs_and_expected_files_go_together() -> None:
    programs = {one.stem for one in FOLDER.iterdir() if one.suffix in {".py", ".sql", ".ipynb"}}
    expected = {one.name.removesuffix(".expected.json") for one in FOLDER.glob("*.expected.json")}
    assert programs == expected
    named = {FOLDER / where for one in fixtures() for where in one.expected.get("files", {}).values()}
    assert named == {one for one in (FOLDER / "modules").rglob("*") if one.is_file()}
