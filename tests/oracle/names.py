"""Mentions and cuts enter; under which name each mention lives on, if it does, leaves.

Section "Names over time" of docs/fold.md. Readings that the page leaves open are marked READING.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tests.oracle.events import Event, Mention, Name, Ord, lifecycle, renamed_from, symlink_identifiers
from tests.oracle.identity import Json


@dataclass(frozen=True)
class Cut:
    ord: Ord
    to: Name | None  # the name under which the content goes on; None: it is gone


Cuts = Mapping[Name, list[Cut]]


def all_cuts(events: Iterable[Event]) -> Cuts:
    cuts: dict[Name, list[Cut]] = defaultdict(list)
    for event in events:
        for mention in event.mentions:
            change = lifecycle(mention)
            previous = renamed_from(mention)
            if change is not None and change[0] == "DROP":
                cuts[mention.name].append(Cut(event.ord, None))
            if previous is not None:
                cuts[previous].append(Cut(event.ord, mention.name))
                cuts[mention.name].append(Cut(event.ord, None))
    for of_name in cuts.values():
        of_name.sort(key=_sooner)
    return cuts


def _sooner(cut: Cut) -> tuple[Ord, bool, Name]:
    """READING: if one event cuts a name in two ways, a RENAME away from it comes first, of two the one to
    the least name (so that one event may swap two names)."""
    return (cut.ord, cut.to is None, cut.to or ("", ""))


def moment(mention: Mention, run_start: Ord | None, streaming: bool) -> tuple[Ord, bool]:
    """When a mention happens, and whether that is after a cut at the same ord."""
    change = lifecycle(mention)
    own = mention.event.ord
    if (change is not None and change[0] == "CREATE") or renamed_from(mention) is not None:
        return (own, True)
    return moment_of_event(mention.event, run_start, streaming)


def moment_of_event(event: Event, run_start: Ord | None, streaming: bool) -> tuple[Ord, bool]:
    """When an event mentions what carries no lifecycle change of its own."""
    if event.kind == "run":
        assert run_start is not None
        return (event.ord, True) if streaming and event.type == "RUNNING" else (run_start, False)
    return (event.ord, False)


def present_name(name: Name, at: tuple[Ord, bool], cuts: Cuts) -> Name | None:
    """Follow a mention of a name from its moment through the cuts; None if it is gone."""
    ord_, after = at
    for cut in cuts.get(name, []):
        if cut.ord > ord_ or (cut.ord == ord_ and not after):
            return None if cut.to is None else present_name(cut.to, (cut.ord, True), cuts)
    return name


def opening_cut(names: Iterable[Name], cuts: Cuts) -> Ord | None:
    """The cut that opened the present history. READING: of joined names the last cut of any."""
    return max((cut.ord for name in names for cut in cuts.get(name, [])), default=None)


# Symlinks


@dataclass(frozen=True)
class Joined:
    """Which names are one dataset: each name's representative and fellow members."""

    representative: Mapping[Name, Name]
    members: Mapping[Name, frozenset[Name]]  # by representative
    conflicts: frozenset[Name]  # READING: the table names, not the location that they claim

    def resolve(self, name: Name) -> Name:
        return self.representative.get(name, name)


def join(symlinks: Mapping[Name, Json]) -> Joined:
    """From the value of each name's symlinks facet."""
    tables: dict[Name, set[Name]] = defaultdict(set)  # by location
    for name, facet in symlinks.items():
        for other, kind in symlink_identifiers(facet):
            if kind == "TABLE" and other != name:
                tables[name].add(other)
            if kind == "LOCATION" and other != name:
                tables[other].add(name)
    conflicts = frozenset(table for claimed in tables.values() if len(claimed) > 1 for table in claimed)
    pairs = [(location, table) for location, claimed in tables.items() if len(claimed) == 1 for table in claimed]
    groups: list[set[Name]] = []
    for pair in pairs:
        touched = [g for g in groups if g & set(pair)]
        groups = [g for g in groups if g not in touched] + [set(pair).union(*touched)]
    locations = {location for location, _ in pairs}
    representative: dict[Name, Name] = {}
    members: dict[Name, frozenset[Name]] = {}
    for group in groups:
        # A location has one table, so at most one name of a group is a table and no location itself.
        chief = min(group - locations or group)
        members[chief] = frozenset(group)
        representative |= dict.fromkeys(group, chief)
    return Joined(representative, members, conflicts)
