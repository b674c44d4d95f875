"""Statements of users enter; who owns a namespace, which sources and tags there are and what is hidden leave.

What was said until now is held between questions; what had been said at another moment is read when asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import Connection

from lineage_hub.model import EVERYTHING, Moment, Scope
from lineage_hub.store import statements as kept
from lineage_hub.store.changes import Changes

Name = tuple[str, str]
# The field or None, the tag, and whether it is on or taken off; in the order in which they were first said.
SaidTags = tuple[tuple[str | None, str, bool], ...]
NOTHING: SaidTags = ()


class Said(NamedTuple):
    """The newest statement about one subject, and when the first one was made."""

    body: bytes | None
    first_at: int
    stated_at: int


@dataclass(frozen=True, slots=True)
class Sayings:
    """Never changed: what is said later makes another one."""

    namespaces: Mapping[str, Said] = field(default_factory=dict)
    sources: Mapping[str, Said] = field(default_factory=dict)
    tags: Mapping[str, Said] = field(default_factory=dict)
    dataset_tags: Mapping[Name, SaidTags] = field(default_factory=dict)
    job_tags: Mapping[Name, SaidTags] = field(default_factory=dict)
    hidden_namespaces: Mapping[str, int] = field(default_factory=dict)
    hidden_jobs: Mapping[Name, int] = field(default_factory=dict)
    hidden_datasets: Mapping[Name, int] = field(default_factory=dict)

    @property
    def hides(self) -> bool:
        return bool(self.hidden_namespaces or self.hidden_jobs or self.hidden_datasets)

    def and_then(self, rows: Iterable[kept.Stated]) -> Sayings:
        namespaces, sources, tags = dict(self.namespaces), dict(self.sources), dict(self.tags)
        dataset_tags, job_tags = dict(self.dataset_tags), dict(self.job_tags)
        spaces, jobs, datasets = dict(self.hidden_namespaces), dict(self.hidden_jobs), dict(self.hidden_datasets)
        described = {kept.NAMESPACE: namespaces, kept.SOURCE: sources, kept.TAG: tags}
        for row in rows:
            first, *rest = row.subject
            if row.kind in described:
                before = described[row.kind].get(first)
                described[row.kind][first] = Said(row.body, before.first_at if before else row.stated_at, row.stated_at)
            elif row.kind == kept.HIDDEN_NAMESPACE:
                spaces[first] = row.stated_at
            elif row.kind in (kept.HIDDEN_JOB, kept.HIDDEN_DATASET):
                (jobs if row.kind == kept.HIDDEN_JOB else datasets)[first, rest[0]] = row.stated_at
            else:
                name = (first, rest[0])
                tagged = job_tags if row.kind == kept.JOB_TAG else dataset_tags
                where = rest[1] if row.kind == kept.FIELD_TAG else None
                tagged[name] = _with(tagged.get(name, NOTHING), where, rest[-1], row.body is not None)
        return Sayings(namespaces, sources, tags, dataset_tags, job_tags, spaces, jobs, datasets)


def _with(tags: SaidTags, where: str | None, tag: str, on: bool) -> SaidTags:
    said = {(field, name): state for field, name, state in tags}
    said[where, tag] = on
    return tuple([(field, name, state) for (field, name), state in said.items()])


def merged(told: list[str], said: SaidTags, where: str | None = None) -> list[str]:
    """Tags that events tell of, then those that users put on; what a user took off stays off until put on again."""
    states = {tag: on for field, tag, on in said if field == where}
    return [tag for tag in told if states.get(tag, True)] + [tag for tag in states if states[tag] and tag not in told]


SILENCE = Sayings()


class Listening:
    """What has been said until now, kept current: a question that finds nothing new reads nothing."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        # The epoch that it was read at, the number of the last statement, and what was said.
        self._held: tuple[int, int, Sayings] = (-1, 0, SILENCE)

    def until_now(self, connection: Connection, epoch: int) -> Sayings:
        """`epoch` was read before the snapshot began: what is said in between makes what is held stale, never wrong."""
        held_at, last, said = self._held
        if held_at == self._changes.epoch:
            return said
        newest = kept.last_id(connection)
        if newest != last:
            # A snapshot from before what is held has nothing to add.
            before = said
            said = said.and_then(kept.stated_after(connection, EVERYTHING, last))
            last = max(last, newest)
            if _hidden(said) != _hidden(before):
                # What is remembered may speak of what is hidden from now on.
                self._changes.apply((), topology=True)
        self._held = (epoch, last, said)
        return said

    def at(self, connection: Connection, scope: Scope, moment: Moment) -> Sayings:
        return SILENCE.and_then(kept.stated_by(connection, scope, moment)) if self._held[1] else SILENCE


def _hidden(said: Sayings) -> tuple[object, ...]:
    return said.hidden_namespaces, said.hidden_jobs, said.hidden_datasets
