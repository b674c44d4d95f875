"""Every route of the hub stands in docs/api.md, and every route there exists."""

from __future__ import annotations

import re
from pathlib import Path

from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings

DOCS = Path(__file__).parents[1] / "docs" / "api.md"
ROUTE = re.compile(r"`(GET|POST|PATCH|DELETE|PUT) (/[^`]*)`")


def test_the_documented_routes_are_those_that_exist(tmp_path: Path) -> None:
    schema = create_app(Settings(data_dir=tmp_path)).openapi()
    existing = {(method.upper(), path) for path, methods in schema["paths"].items() for method in methods}
    documented = set(ROUTE.findall(DOCS.read_text()))
    assert documented == existing
