"""Expected sources of Python programs equal what the programs do when they run."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest

from tests.connectors.databricks.executing import Ran, execute, normal
from tests.connectors.databricks.fixture_files import Fixture, fixtures
from tests.connectors.databricks.notebook_cells import cells_of
from tests.connectors.databricks.unknowable import is_tainted

PYTHON = [one for one in fixtures() if any(cell.language == "python" for cell in cells_of(one.source, one.name))]


@cache
def run_named(name: str) -> Ran:
    (fixture,) = (one for one in fixtures() if one.name == name)
    return execute(fixture.source, fixture.name, fixture.path, fixture.configuration, fixture.files)


def run(fixture: Fixture) -> Ran:
    return run_named(fixture.name)


@pytest.mark.parametrize("fixture", PYTHON, ids=lambda one: one.name)
def test_what_is_expected_is_what_ran(fixture: Fixture) -> None:
    ran = run(fixture)
    lineless = fixture.name.endswith(".ipynb")

    def comparable(one: dict[str, Any]) -> tuple[Any, ...]:
        return (*normal(one | {"line": None} if lineless else one), one.get("confidence", 1.0))

    expected = [one for one in fixture.sources if one.get("by") != "sql"]
    assert sorted(map(repr, map(comparable, expected))) == sorted(map(repr, {comparable(one) for one in ran.sources}))
    assert len(ran.broken) <= fixture.expected.get("problems", 0)


@pytest.mark.parametrize("fixture", PYTHON, ids=lambda one: one.name)
def test_what_is_expected_of_sql_inside_python_stands_in_text_that_was_handed_to_spark(fixture: Fixture) -> None:
    statements = run(fixture).statements
    cells = [one.text for one in cells_of(fixture.source, fixture.name) if one.language == "sql"]
    texts = [(one.text, one.targets) for one in statements if not is_tainted(one.text)] + [(one, []) for one in cells]
    for one in fixture.sources:
        if one.get("by") == "sql":
            names = [*one.get("topics", []), *filter(None, [one.get("path"), one.get("pattern")])]
            values = set(fixture.configuration.values())
            assert any(
                all(name in text or name in values or re.search(r"\$\{", text) for name in names)
                and (one.get("target_table") in {None, *targets} or one["target_table"] in text)
                for text, targets in texts
            ), one
