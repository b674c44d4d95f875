"""A dataset or one of its fields enters; the fields it is made from, and with them those it feeds, leave.

The rules are those of docs/fold.md, "Column edges"; each edge knows its transformations.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from msgspec import Struct

from lineage_hub.lineage.rows import EventRow
from lineage_hub.lineage.runs import RunFacts, static_facts
from lineage_hub.lineage.shapes import COMPLETE, DATASET_EVENT, JOB, RUNNING, WRITTEN, Mention, Shape
from lineage_hub.query.facts import Placed, mentions_of, newest_placed, placed_mentions
from lineage_hub.query.identity import job_version
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.wire import facets as read
from lineage_hub.wire.facets import ColumnLineage, Transformation

WHOLE = None
Column = tuple[int, str | None]


class ColumnEdge(Struct, frozen=True, gc=False):
    """From a field to a field, or to a whole dataset (`target[1]` is None)."""

    source: Column
    target: Column
    transformations: tuple[Transformation, ...]
    description: str | None = None
    type: str | None = None


class Columns:
    """Column edges of datasets as far as one request asks for them."""

    def __init__(self, snapshot: Snapshot, mode: str = "current") -> None:
        self._snapshot, self._ever = snapshot, mode != "current"
        self._into: dict[int, list[ColumnEdge]] = {}

    def into(self, datasets: Collection[int]) -> dict[int, list[ColumnEdge]]:
        """The edges that end in each of these datasets, read in bulk."""
        unknown = [dataset for dataset in datasets if dataset not in self._into]
        if unknown and not self._ever:
            self._into.update(self._snapshot.recall("columns", unknown))
            unknown = [dataset for dataset in unknown if dataset not in self._into]
        if unknown:
            self._snapshot.load_shapes(unknown)
            if not self._ever:
                self._snapshot.edges(self._snapshot.jobs_speaking_of(unknown))
            holders = {dataset: self._holders(dataset) for dataset in unknown}
            mentions = [holder.mention for held in holders.values() for holder in held]
            bodies = self._snapshot.reader.blobs({mention.facets["columnLineage"] for mention in mentions})
            self._snapshot.names({*unknown, *(source for mention in mentions for source in mention.sources)})
            for dataset, held in holders.items():
                self._into[dataset] = self._edges(dataset, held, bodies)
                self._keep(dataset, held)
        return {dataset: self._into[dataset] for dataset in datasets}

    def _keep(self, dataset: int, holders: list[Placed]) -> None:
        if not self._ever:
            snapshot = self._snapshot
            sources = {source for holder in holders for source in holder.mention.sources}
            names = snapshot.neighbourhood(snapshot.names_under(dataset) | sources)
            depends_on = names | snapshot.jobs_speaking_of([dataset])
            snapshot.keep("columns", {dataset: self._into[dataset]}, lambda _: depends_on)

    def out_of(self, datasets: Collection[int]) -> dict[int, list[ColumnEdge]]:
        """The edges that begin in each of these datasets."""
        self._snapshot.load_shapes(datasets)
        fed = {dataset: self._fed_by(dataset) for dataset in datasets}
        into = self.into({target for targets in fed.values() for target in targets})
        return {
            dataset: [edge for target in targets for edge in into[target] if edge.source[0] == dataset]
            for dataset, targets in fed.items()
        }

    def _fed_by(self, dataset: int) -> set[int]:
        """Datasets whose column facets ever named this one."""
        snapshot = self._snapshot
        names = snapshot.names_under(dataset)
        by_name = snapshot.shapes_of(names)
        shapes = snapshot.reader.shapes({n for name in names for n in by_name[name]})
        targets = {
            m.dataset
            for shape in shapes.values()
            if not names.isdisjoint(shape.speaks_of)
            for m in shape.mentions
            if m.sources and not names.isdisjoint(m.sources)
        }
        found = {snapshot.joined((target,)).of(target) for target in targets}
        for target in targets & snapshot.cuts.keys():
            found |= {snapshot.joined((to,)).of(to) for to in later_names(snapshot, target)}
        return found

    def _holders(self, dataset: int) -> list[Placed]:
        if self._ever:
            return self._every_holder(dataset)
        snapshot = self._snapshot
        names = snapshot.names_under(dataset)
        found = []
        jobs = snapshot.jobs_speaking_of([dataset])
        edges = snapshot.edges(jobs)
        heads = snapshot.heads(jobs)
        for job in jobs:
            head = heads[job]
            if head is None or dataset not in edges[job].outputs:
                continue
            holder = newest_placed(snapshot, self._written(head, names, dataset))
            holder = holder or self._older(job, head, names, dataset)
            if holder is not None:
                found.append(holder)
        silent = self._without_writer(dataset, names)
        return found if silent is None else [*found, silent]

    def _written(self, run: RunFacts, names: Collection[int], dataset: int) -> list[Placed]:
        shapes = self._snapshot.reader.shapes({row.shape for row in run.events})
        return [
            Placed(row, mention, run)
            for row in run.events
            for mention in mentions_of(shapes[row.shape], names)
            if mention.side in WRITTEN and "columnLineage" in mention.facets
            and self._lies_on(row, shapes[row.shape], mention, run) == dataset
        ]  # fmt: skip

    def _lies_on(self, row: EventRow, shape: Shape, mention: Mention, run: RunFacts) -> int | None:
        lies_on = self._snapshot.place_mention(row, shape, mention, run)
        return None if lies_on is None else self._snapshot.joined((lies_on,)).of(lies_on)

    def _older(self, job: int, head: RunFacts, names: Collection[int], dataset: int) -> Placed | None:
        """The head is silent: an earlier run or JobEvent of the same version may speak for it."""
        snapshot = self._snapshot
        by_name = snapshot.shapes_of(names)
        shapes = snapshot.reader.shapes({n for name in names for n in by_name[name]})
        speaking = {
            n: s
            for n, s in shapes.items()
            if s.subject == job
            and s.kind != DATASET_EVENT
            and any(m.side in WRITTEN and "columnLineage" in m.facets for m in mentions_of(s, names))
        }
        rows = [row for row in snapshot.reader.of_shapes(speaking) if row.type in (COMPLETE, RUNNING, JOB)]
        runs = snapshot.runs_of(rows)
        placed = [
            Placed(row, mention, run)
            for row in rows
            for run in (runs[row.run_key] if row.run is not None else static_facts(row, speaking[row.shape]),)
            for mention in mentions_of(speaking[row.shape], names)
            if mention.side in WRITTEN and "columnLineage" in mention.facets
            and self._lies_on(row, speaking[row.shape], mention, run) == dataset
        ]  # fmt: skip
        newest = newest_placed(snapshot, placed)
        if newest is None or job_version(snapshot, job, newest.run) != job_version(snapshot, job, head):
            return None
        return newest

    def _without_writer(self, dataset: int, names: Collection[int]) -> Placed | None:
        snapshot = self._snapshot
        by_name = snapshot.shapes_of(names)
        shapes = snapshot.reader.shapes({n for name in names for n in by_name[name]})
        silent = {
            n
            for n, s in shapes.items()
            if any(m.side not in WRITTEN and "columnLineage" in m.facets for m in mentions_of(s, names))
        }
        if not silent:
            return None
        placed = [
            one
            for one in placed_mentions(snapshot, dataset, names)
            if one.mention.side not in WRITTEN and "columnLineage" in one.mention.facets
        ]
        return newest_placed(snapshot, placed)

    def _every_holder(self, dataset: int) -> list[Placed]:
        """Each distinct facet that was ever seen on this dataset, under any name it has now."""
        snapshot = self._snapshot
        names = snapshot.joined((dataset,)).all_of(dataset)
        by_name = snapshot.shapes_of(names)
        shapes = snapshot.reader.shapes({n for name in names for n in by_name[name]})
        bounds = snapshot.bounds(shapes)
        found: dict[int, Placed] = {}
        for number in sorted(shapes):
            for mention in shapes[number].mentions:
                if mention.dataset in names and "columnLineage" in mention.facets and bounds[number] is not None:
                    row = EventRow(shapes[number].subject, 0, b"", 0, 0, 0, 0, 0, number, None, None, None)
                    found.setdefault(
                        mention.facets["columnLineage"], Placed(row, mention, static_facts(row, shapes[number]))
                    )
        return list(found.values())

    def _edges(self, dataset: int, holders: list[Placed], bodies: dict[int, bytes]) -> list[ColumnEdge]:
        snapshot = self._snapshot
        found: dict[tuple[Column, Column], ColumnEdge] = {}
        # Of facets that tell of the same edge the newest describes it, of equally old ones the one of least text.
        holders = sorted(holders, key=lambda holder: bodies[holder.mention.facets["columnLineage"]])
        for holder in sorted(holders, key=lambda holder: holder.row.ord, reverse=True):
            facet = read.column_lineage(bodies[holder.mention.facets["columnLineage"]])
            for edge in self._of_facet(dataset, facet, self._placed_sources(holder)):
                found.setdefault((edge.source, edge.target), edge)
        names = snapshot.names({edge.source[0] for edge in found.values()} | {dataset})
        return sorted(
            found.values(),
            key=lambda e: (e.target[1] or "", e.target[1] is None, names[e.source[0]], e.source[1] or ""),
        )

    def _placed_sources(self, holder: Placed) -> dict[tuple[str, str], int]:
        """Where each source named by the facet lies at present; with `ever`, the name it had."""
        snapshot = self._snapshot
        names = snapshot.names(holder.mention.sources)
        shape = snapshot.reader.shapes((holder.row.shape,))[holder.row.shape]
        found = {}
        for source in holder.mention.sources:
            lies_on: int | None = source
            if not self._ever:
                lies_on = snapshot.place_source(holder.row, shape, source, holder.run)
            if lies_on is not None:
                dataset = snapshot.joined((lies_on,)).of(lies_on)
                if dataset not in snapshot.hidden:
                    found[names[source]] = dataset
        return found

    def _of_facet(self, dataset: int, facet: ColumnLineage, sources: dict[tuple[str, str], int]) -> list[ColumnEdge]:
        edges = []
        for name, output in facet.fields.items():
            for one in output.inputFields:
                source = sources.get((one.namespace, one.name))
                if source is not None:
                    edges.append(
                        ColumnEdge(
                            (source, one.field),
                            (dataset, name),
                            one.transformations,
                            output.transformationDescription,
                            output.transformationType,
                        )
                    )
        for one in facet.dataset:
            source = sources.get((one.namespace, one.name))
            if source is not None:
                edges.append(ColumnEdge((source, one.field), (dataset, WHOLE), one.transformations))
        return edges


def later_names(snapshot: Snapshot, name: int) -> set[int]:
    found: set[int] = set()
    frontier = {name}
    while (
        frontier := {
            cut.continues_as for one in frontier for cut in snapshot.cuts.get(one, ()) if cut.continues_as is not None
        }
        - found
    ):
        found |= frontier
    return found


def column_inputs(snapshot: Snapshot, into: Collection[ColumnEdge]) -> list[dict[str, Any]]:
    """The `columnLineage` of a dataset's answer: each field with what it is made from."""
    by_field: dict[str, list[ColumnEdge]] = {}
    for edge in into:
        if edge.target[1] is not None:
            by_field.setdefault(edge.target[1], []).append(edge)
    names = snapshot.names({edge.source[0] for edges in by_field.values() for edge in edges})
    return [
        {
            "name": name,
            "inputFields": [input_field(names[edge.source[0]], edge) for edge in edges],
            "transformationDescription": edges[0].description,
            "transformationType": edges[0].type,
        }
        for name, edges in sorted(by_field.items())
    ]


def input_field(name: tuple[str, str], edge: ColumnEdge) -> dict[str, Any]:
    first = edge.transformations[0] if edge.transformations else None
    return {
        "namespace": name[0],
        "dataset": name[1],
        "field": edge.source[1],
        "transformationDescription": edge.description or (first.description if first else None),
        "transformationType": edge.type or (first.subtype or first.type if first else None),
        "transformations": edge.transformations,
    }
