"""A scope and a moment enter; what was true then about runs, jobs and names leaves, read in bulk and only once.

Every answer of one request comes from one snapshot of the store, so no two parts of it can disagree.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from lineage_hub.lineage.names import Cuts, Joined, cuts_by_dataset, join, moment_of, place
from lineage_hub.lineage.rows import EventRow, RunKey
from lineage_hub.lineage.runs import RunFacts, made_whole, other_half, run_facts, static_facts
from lineage_hub.lineage.shapes import DATASET_EVENT, JOB, Mention, Shape
from lineage_hub.model import Moment, Scope
from lineage_hub.query.heads import find_heads
from lineage_hub.query.hiding import hidden_entities
from lineage_hub.query.history import NO_EDGES, Edges
from lineage_hub.query.latest import Latest
from lineage_hub.query.memory import DependsOn, Notes, itself
from lineage_hub.query.packing import packed
from lineage_hub.query.said import NOTHING, SaidTags, Sayings
from lineage_hub.query.told_edges import told_edges
from lineage_hub.store.reader import Reader
from lineage_hub.wire import facets as read

if TYPE_CHECKING:
    from lineage_hub.query.queries import Queries

# Namespaces whose jobs or datasets are held in order.
MOST_ORDERED = 200


class Snapshot:
    def __init__(
        self,
        queries: Queries,
        connection: Connection,
        scope: Scope,
        moment: Moment,
        epoch: int,
        rules: int = 0,
        horizon_at: int | None = None,
    ) -> None:
        """`rules` is the number of the set that counts at present."""
        self.reader = Reader(connection, queries.store.library, scope, moment)
        self.rules = rules
        self.scope, self.moment, self.horizon_at = scope, moment, horizon_at
        self.sees_all = moment.is_now and scope.tenants is None
        self._memory = queries.memory if self.sees_all else Notes()
        self._epoch = self.epoch = epoch
        self.changes = queries.store.changes
        self.history = queries.history
        self.slices, self.first_mentions, self.lately = queries.slices, queries.first_mentions, queries.lately
        self._runs: dict[RunKey, RunFacts] = {}
        self._sharing: dict[bytes, set[RunKey]] = {}
        self.latest: dict[int, Latest] = {}
        self._bounds: dict[int, tuple[int, int] | None] = {}
        self._shapes_of: dict[int, list[int]] = {}
        self._cuts: Cuts | None = None
        self._links: dict[int, set[int]] | None = None
        self._joined = Joined()
        self._joined_for: set[int] = set()
        self._is_plain: bool | None = None
        self._names: dict[int, tuple[str, str]] = {}
        self.said: Sayings
        self._hidden: Set[int] | None = None

    # What is kept between snapshots

    def recall(self, what: str, about: Iterable[int]) -> dict[int, Any]:
        return self._memory.get(what, about)

    def text_to_keep(self, text: bytes) -> bytes:
        """An answer's text as it is kept; `packing.unpacked` gives it back."""
        return packed(text) if self._memory.is_filling else text

    def keep(self, what: str, values: Mapping[int, object], depends_on: DependsOn = itself) -> None:
        self._memory.put(what, self._epoch, values, depends_on)

    # What users say

    @property
    def hidden(self) -> Set[int]:
        """Jobs, and representatives of datasets, that users have hidden and no event has mentioned since."""
        if self._hidden is None:
            self._hidden = hidden_entities(self) if self.said.hides else frozenset()
        return self._hidden

    def tags_said_of(self, dataset: int) -> SaidTags:
        """Under each of its names."""
        said = self.said.dataset_tags
        if not said:
            return NOTHING
        members = self.joined((dataset,)).all_of(dataset)
        names = self.names(members)
        return tuple([tag for name in sorted([names[one] for one in members]) for tag in said.get(name, NOTHING)])

    # Names

    def names(self, entities: Iterable[int]) -> dict[int, tuple[str, str]]:
        missing = [entity for entity in entities if entity not in self._names]
        if missing:
            self._names.update(self.reader.names(missing))
        return self._names

    def name(self, entity: int) -> tuple[str, str]:
        return self.names((entity,))[entity]

    def ordered(self, kind: int, namespace: str | None) -> list[int]:
        """All entities that were ever heard of by their names; those that are new are put among the others."""
        held = self.history.ordered
        last, known = held.get((kind, namespace), (0, []))
        new = self.reader.entities(kind, namespace, last)
        if new:
            names = self.names([*known, *new])
            known = sorted([*known, *new], key=names.__getitem__)
            if len(held) > MOST_ORDERED:
                held.clear()
            last = max(new)
            held[kind, namespace] = (last, known)
        newest = self.reader.last_entity()
        # Another request may have seen more since this one's snapshot.
        return known if last <= newest else [one for one in known if one <= newest]

    @property
    def cuts(self) -> Cuts:
        if self._cuts is None:
            self._cuts = self.recall("cuts", (0,)).get(0)
        if self._cuts is None:
            self._cuts = cuts_by_dataset(self.reader.cuts())
            self.keep("cuts", {0: self._cuts})
        return self._cuts

    @property
    def links(self) -> dict[int, set[int]]:
        """Names that ever stood in one symlinks facet, both ways."""
        if self._links is None:
            self._links = self.recall("links", (0,)).get(0)
        if self._links is None:
            self._links = {}
            for dataset, other, kind in self.reader.links():
                if kind in ("TABLE", "LOCATION"):
                    self._links.setdefault(dataset, set()).add(other)
                    self._links.setdefault(other, set()).add(dataset)
            self.keep("links", {0: self._links})
        return self._links

    @property
    def is_plain(self) -> bool:
        """Whether every name stands for itself: none was ever cut or joined."""
        if self._is_plain is None:
            self._is_plain = not self.links and not self.cuts
        return self._is_plain

    def joined(self, datasets: Iterable[int]) -> Joined:
        """Representatives and members, known for at least these datasets."""
        links = self.links
        if not links:
            return self._joined
        fresh = {dataset for dataset in datasets if dataset in links and dataset not in self._joined_for}
        if fresh:
            # A whole neighbourhood at a time, so that one read serves it.
            self._join(self.neighbourhood(fresh))
        return self._joined

    def neighbourhood(self, datasets: Iterable[int]) -> set[int]:
        """All names whose symlinks facets may bear on these datasets, themselves included."""
        found = set(datasets)
        if self.is_plain or not self.links:
            return found
        frontier = found
        while frontier := {other for dataset in frontier for other in self.links.get(dataset, ())} - found:
            found |= frontier
        return found

    def bearing_on(self, dataset: int) -> Set[int]:
        """All names whose events may change what is said of this dataset, itself included."""
        return {dataset} if self.is_plain else self.neighbourhood(self.names_under(dataset))

    def _join(self, datasets: set[int]) -> None:
        values = self.symlinks(datasets)
        self.names({other for identifiers in values.values() for other, _ in identifiers} | datasets)
        found = join(values, lambda entity: self._names[entity])
        self._joined.representative.update(found.representative)
        self._joined.members.update(found.members)
        self._joined.conflicts |= found.conflicts
        self._joined_for |= datasets

    def symlinks(self, datasets: Collection[int]) -> dict[int, list[tuple[int, str]]]:
        """The identifiers in the present symlinks facet of each name; cuts don't matter to them."""
        from lineage_hub.query.facts import newest_facets

        found = newest_facets(self, datasets, "symlinks")
        bodies = self.reader.blobs(found.values())
        named: dict[int, list[tuple[int, str]]] = {}
        by_name: dict[tuple[str, str], int] = {}
        for other in {other for dataset in datasets for other in self.links[dataset]} | set(datasets):
            by_name[self.name(other)] = other
        for dataset, blob in found.items():
            if not read.is_tombstone(bodies[blob]):
                named[dataset] = [
                    (by_name[(i.namespace, i.name)], i.type)
                    for i in read.symlinks(bodies[blob])
                    if (i.namespace, i.name) in by_name
                ]
        return named

    def names_under(self, dataset: int) -> Set[int]:
        """All names whose mentions may lie on this dataset at present."""
        if self.is_plain:
            return {dataset}
        members: Set[int] = self.joined((dataset,)).all_of(dataset)
        if not self.cuts:
            return members
        came_from: dict[int, set[int]] = {}
        for cuts in self.cuts.values():
            for cut in cuts:
                if cut.continues_as is not None:
                    came_from.setdefault(cut.continues_as, set()).add(cut.dataset)
        frontier = members
        while frontier := {old for name in frontier for old in came_from.get(name, ())} - members:
            members = members | frontier
        return members

    def spoken_of(self, entities: list[int]) -> list[int]:
        """Those of which an event speaks as the rules that count have it."""
        if not self.rules:
            return entities  # nothing was ever folded otherwise, so that each of them has an event
        spoken: dict[int, bool] = self.recall("spoken of", entities)
        unknown = [entity for entity in entities if entity not in spoken]
        if unknown:
            by_entity = self.shapes_of(unknown)
            bounds = self.bounds({number for entity in unknown for number in by_entity[entity]})
            fresh = {one: any(bounds[number] is not None for number in by_entity[one]) for one in unknown}
            self.keep("spoken of", fresh)
            spoken.update(fresh)
        return [entity for entity in entities if spoken[entity]]

    # Shapes

    def shapes_of(self, entities: Iterable[int]) -> dict[int, list[int]]:
        missing = [entity for entity in entities if entity not in self._shapes_of]
        if missing:
            self._shapes_of.update(self.reader.shapes_of(missing))
        return self._shapes_of

    def load_shapes(self, datasets: Collection[int]) -> None:
        """Read in bulk what questions about each of these datasets will ask for."""
        self.joined(datasets)
        names = {name for dataset in datasets for name in self.names_under(dataset)}
        by_name = self.shapes_of(names)
        self.reader.shapes({number for name in names for number in by_name[name]})
        self.names(names)

    def bounds(self, shapes: Iterable[int]) -> dict[int, tuple[int, int] | None]:
        missing = {shape for shape in shapes if shape not in self._bounds}
        if missing:
            found = self.reader.bounds(missing)
            for shape in missing:
                self._bounds[shape] = found.get(shape)
        return self._bounds

    # Runs

    def runs_by_id(self, keys: Iterable[bytes]) -> dict[RunKey, RunFacts]:
        rows = self.reader.runs(keys)
        shapes = self.reader.shapes({row.shape for events in rows.values() for row in events})
        found = {key: run_facts(key, events, shapes) for key, events in rows.items()}
        self.know_runs(found.values())
        return found

    def know_runs(self, runs: Iterable[RunFacts]) -> None:
        """These were read, and all others that share their ids."""
        for run in runs:
            self._runs[run.key] = run
            self._sharing.setdefault(run.key[2], set()).add(run.key)

    def known_runs(self, keys: Iterable[RunKey]) -> list[RunFacts]:
        return [self._runs[key] for key in keys]

    def other_half(self, run: RunFacts) -> RunFacts | None:
        """What the same run was told under another name of its job; the run must have been read."""
        keys = self._sharing[run.key[2]]
        return other_half(run, [self._runs[key] for key in keys]) if len(keys) > 1 else None

    def whole_run(self, run: RunFacts) -> RunFacts:
        return made_whole(run, self.other_half(run))

    def halves(self, jobs: Collection[int]) -> dict[int, frozenset[bytes]]:
        """Of the runs of each job that were read, those that another job may tell the beginning or the end of."""
        found: dict[int, set[bytes]] = {job: set() for job in jobs}
        for (_, job, run), facts in self._runs.items():
            if job in found and (facts.is_open or facts.is_headless):
                found[job].add(run)
        return {job: frozenset(runs) for job, runs in found.items()}

    def runs_of(self, rows: Iterable[EventRow]) -> dict[RunKey, RunFacts]:
        """The runs that these events belong to, with all their other events."""
        wanted = {row.run_key for row in rows if row.run is not None}
        missing = {key[2] for key in wanted if key not in self._runs}
        if missing:
            self.runs_by_id(missing)
        return {key: self._runs[key] for key in wanted}

    def latest_runs(self, jobs: Collection[int]) -> dict[int, RunFacts]:
        """The run of each job that started last."""
        if all(job in self.latest for job in jobs):
            return {job: self.latest[job].runs[0] for job in jobs if self.latest[job].runs}
        starts = self.reader.last_started(jobs)
        firsts = {job: max(rows, key=lambda row: row.ord) for job, rows in starts.items()}
        runs = self.runs_of(firsts.values())
        return {job: runs[row.run_key] for job, row in firsts.items()}

    # The current version of jobs

    def heads(self, jobs: Collection[int]) -> dict[int, RunFacts | None]:
        heads: dict[int, RunFacts | None] = self.recall("head", jobs)
        unknown = [job for job in jobs if job not in heads]
        if unknown:
            found = find_heads(self, unknown)
            fresh = {job: found.get(job) for job in unknown}
            self.keep("head", fresh)
            heads.update(fresh)
        return heads

    def facts_of(self, row: EventRow) -> RunFacts:
        """The run of an event, or the JobEvent itself; the run must have been read."""
        if row.type == JOB:
            return static_facts(row, self.reader.shapes((row.shape,))[row.shape])
        return self._runs[row.run_key]

    # Edges

    def edges(self, jobs: Collection[int]) -> dict[int, Edges]:
        return self.shown(told_edges(self, jobs))

    def shown(self, edges: dict[int, Edges]) -> dict[int, Edges]:
        """Without those of hidden jobs and those to hidden datasets."""
        hidden = self.hidden
        if not hidden:
            return edges
        parts = {job: (one, one.datasets & hidden) for job, one in edges.items()}
        fewer = self.history.fewer.fetch([part for part in parts.values() if part[1]], _fewer_edges)
        return {job: NO_EDGES if job in hidden else fewer[part] if part[1] else part[0] for job, part in parts.items()}

    def is_first(self, mention: Mention, other: Mention) -> bool:
        """Of two names that one event has for one dataset the least counts."""
        names = self.names((mention.dataset, other.dataset))
        return names[mention.dataset] < names[other.dataset]

    def place_mention(self, row: EventRow, shape: Shape, mention: Mention, run: RunFacts) -> int | None:
        if mention.dataset not in self.cuts:
            return mention.dataset
        at, after = moment_of(row, shape, mention, run.start, run.streaming)
        return place(mention.dataset, at, after, self.cuts)

    def place_source(self, row: EventRow, shape: Shape, source: int, run: RunFacts) -> int | None:
        if source not in self.cuts:
            return source
        at, after = moment_of(row, shape, None, run.start, run.streaming)
        return place(source, at, after, self.cuts)

    def jobs_speaking_of(self, datasets: Collection[int]) -> set[int]:
        """Jobs that ever named one of these datasets as input, output or column source."""
        known: dict[int, set[int]] = self.recall("jobs", datasets)
        if len(known) < len(datasets):
            unknown = {dataset: self.names_under(dataset) for dataset in datasets if dataset not in known}
            by_name = self.shapes_of({name for names in unknown.values() for name in names})
            shapes = self.reader.shapes({s for names in unknown.values() for name in names for s in by_name[name]})
            fresh = {
                dataset: {
                    shape.subject
                    for name in names
                    for shape in map(shapes.__getitem__, by_name[name])
                    if shape.kind != DATASET_EVENT and (name not in shape.named or name in shape.speaks_of)
                }
                for dataset, names in unknown.items()
            }
            self.keep("jobs", fresh, self.bearing_on)
            known.update(fresh)
        return set().union(*known.values())


def _fewer_edges(parts: list[tuple[Edges, frozenset[int]]]) -> Iterator[tuple[tuple[Edges, frozenset[int]], Edges]]:
    for edges, gone in parts:
        yield (edges, gone), Edges.of(edges.inputs - gone, edges.outputs - gone, edges.columns - gone)
