"""Programs with what is expected of a reader, from the folder of fixtures.

Files come in; values of `Fixture` go out, with the kinds of program that each of them is.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "fixtures" / "databricks"


@dataclass(frozen=True)
class Fixture:
    name: str  # with its suffix
    source: str
    expected: dict[str, Any]

    @property
    def sources(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.expected["sources"]
        return found

    @property
    def path(self) -> str:
        return str(self.expected.get("path", ""))

    @property
    def configuration(self) -> dict[str, str]:
        found: dict[str, str] = self.expected.get("configuration", {})
        return found

    @property
    def files(self) -> dict[str, str]:
        return {path: (FOLDER / where).read_text() for path, where in self.expected.get("files", {}).items()}

    @property
    def tags(self) -> set[str]:
        """What this fixture stands for: said in its file where it can't be told from it."""
        tags = {*self.expected.get("tags", []), self.name.rsplit(".", 1)[1]}
        if self.configuration or "widgets" in self.source:
            tags.add("configured")
        if self.expected.get("files"):
            tags.add("several files")
        if any(one.get("unresolved") for one in self.sources):
            tags.add("unresolved")
        if self.expected.get("problems"):
            tags.add("broken")
        return tags


@cache
def fixtures() -> tuple[Fixture, ...]:
    found = []
    for expected in sorted(FOLDER.glob("*.expected.json")):
        stem = expected.name.removesuffix(".expected.json")
        (program,) = [one for one in FOLDER.glob(f"{stem}.*") if one.suffix in {".py", ".sql", ".ipynb"}]
        found.append(Fixture(program.name, program.read_bytes().decode(), json.loads(expected.read_text())))
    return tuple(found)
