"""docs/reference-api.md has a row for every route of Marquez's API; each is served, and each row's test exists."""

import ast
import re
from pathlib import Path

import pytest

from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "reference-api.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([A-Z]+) (/[^`]*)` \| ([^|]+) \| `([^`]+)` \|$", PAGE, re.MULTILINE)
_NS, _RUN = "/namespaces/{namespace}", "/jobs/runs/{run_id}"
_DATASET, _JOB = f"{_NS}/datasets/{{dataset}}", f"{_NS}/jobs/{{job}}"
# The paths and methods of Marquez's API.
MARQUEZ = {
    "/lineage": "GET POST",
    "/column-lineage": "GET",
    "/runlineage/upstream": "GET",
    "/events/lineage": "GET",
    "/namespaces": "GET",
    _NS: "GET PUT DELETE",
    "/sources": "GET",
    "/sources/{source}": "GET PUT",
    f"{_NS}/datasets": "GET",
    _DATASET: "GET PUT DELETE",
    f"{_DATASET}/versions": "GET",
    f"{_DATASET}/versions/{{version}}": "GET",
    f"{_DATASET}/tags/{{tag}}": "POST DELETE",
    f"{_DATASET}/fields/{{field}}/tags/{{tag}}": "POST DELETE",
    "/jobs": "GET",
    f"{_NS}/jobs": "GET",
    _JOB: "GET PUT DELETE",
    f"{_JOB}/versions": "GET",
    f"{_JOB}/versions/{{version}}": "GET",
    f"{_JOB}/runs": "GET POST",
    f"{_JOB}/tags/{{tag}}": "POST DELETE",
    _RUN: "GET",
    f"{_RUN}/facets": "GET",
    **{f"{_RUN}/{state}": "POST" for state in ("start", "complete", "fail", "abort")},
    "/tags": "GET",
    "/tags/{tag}": "PUT",
    "/search": "GET",
    **{f"/stats/{what}": "GET" for what in ("lineage-events", "jobs", "datasets", "sources")},
}


def test_every_route_of_marquez_has_one_row() -> None:
    expected = sorted((method, path) for path, methods in MARQUEZ.items() for method in methods.split())
    assert sorted((method, path) for method, path, _, _ in ROWS) == expected


def test_every_route_of_the_table_is_served(tmp_path: Path) -> None:
    paths = create_app(Settings(data_dir=tmp_path)).openapi()["paths"]
    served = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    assert {(method, f"/api/v1{path}") for method, path, _, _ in ROWS} <= served


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {row[1]}")
def test_a_row_says_how_it_compares(row: tuple[str, str, str, str]) -> None:
    assert re.match(r"(same|better: .|same: .|differs, because .|differs as )", row[2] + " ")


@pytest.mark.parametrize("test", sorted({*(row[3] for row in ROWS), *re.findall(r"`(tests/[^`]+\.py::[^`]+)`", PAGE)}))
def test_the_test_that_a_row_names_exists(test: str) -> None:
    path, _, name = test.partition("::")
    module = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    assert name in {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
