"""Producers as events name them enter, with their hours; which integration each is, its pace and its silence leave."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

# A version as it stands in an address: 1.53.0, v2.1, 1.0.0-SNAPSHOT, 2.3.0rc1.
_VERSION = re.compile(r"v?[0-9]+(?:\.[0-9]+)+(?:[-.+]?[0-9A-Za-z]+)*")
# Words of an address that say where something lies, not what it is.
_PLACES = frozenset({"tree", "blob", "releases", "tag", "tags", "integration", "src", "main", "master", "-"})
LEAST_GAPS = 3
SECOND = 1_000_000_000


class Integration(NamedTuple):
    name: str | None
    version: str | None


def integration_of(producer: str) -> Integration:
    """By the custom that a producer is the address of its code at its version; other texts say nothing."""
    address = urlsplit(producer) if "://" in producer else None
    if address is None or not address.netloc:
        return Integration(None, None)
    parts = [unquote(part) for part in address.path.split("/") if part]
    version = next((part for part in parts if _VERSION.fullmatch(part)), None)
    # What follows the version says what it is; without that an owner's repository does, or the last word.
    after = [part for part in parts[parts.index(version) + 1 :] if part not in _PLACES] if version else []
    named = [part for part in parts if part not in _PLACES and part != version]
    if after:
        return Integration("/".join(after[-2:]) if "client" in after else after[-1], version)
    return Integration(named[1] if version and len(named) > 1 else named[-1] if named else None, version)


def without_version(producer: str) -> str:
    return "/".join("*" if _VERSION.fullmatch(part) else part for part in producer.split("/"))


def usual_gap_s(spans: Sequence[tuple[int, int]]) -> float | None:
    """Of the first and last event of each hour that has any: nine of ten silences between them were no longer."""
    gaps = sorted(later[0] - earlier[1] for earlier, later in pairwise(sorted(spans)))
    if len(gaps) < LEAST_GAPS:
        return None
    return gaps[-(-9 * len(gaps) // 10) - 1] / SECOND


class Heard(NamedTuple):
    last_at: int
    spaces: Set[str]


def successors(heard: Mapping[str, Heard]) -> dict[str, str]:
    """Producers whose place another version has taken: it is heard later, wherever the old one was heard."""
    by_name: dict[str, list[str]] = {}
    for producer in sorted(heard):
        by_name.setdefault(without_version(producer), []).append(producer)
    found: dict[str, str] = {}
    for group in by_name.values():
        for old in group:
            later = [
                new
                for new in group
                if heard[new].last_at > heard[old].last_at and heard[new].spaces >= heard[old].spaces
            ]
            if later:
                found[old] = max(later, key=lambda new: (heard[new].last_at, new))
    return found
