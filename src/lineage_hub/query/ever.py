"""Jobs enter, their datasets leave: those of the current version, or of all versions in a window (`edges=ever|30d`).

What counts as a version in the window is the same as for the current one; cuts are ignored there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from lineage_hub.errors import InvalidRequest
from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import COMPLETE, JOB, RUNNING, WRITTEN, Mention, Shape
from lineage_hub.query.history import Edges
from lineage_hub.query.snapshot import Snapshot

EdgesOf = Callable[[Snapshot, Collection[int]], dict[int, Edges]]
DAY = 86_400 * 1_000_000_000
EVER = -(2**63)


def edges_mode(text: str) -> EdgesOf:
    if text == "current":
        return lambda snapshot, jobs: snapshot.edges(jobs)
    if text == "ever":
        return lambda snapshot, jobs: edges_since(snapshot, jobs, EVER)
    match = re.fullmatch(r"(\d{1,5})d", text, re.ASCII)
    if match is None:
        raise InvalidRequest(f"edges={text[:40]!r} is unknown", subject="edges", action="use current, ever or e.g. 30d")
    days = int(match[1])

    def within(snapshot: Snapshot, jobs: Collection[int]) -> dict[int, Edges]:
        end = min(snapshot.moment.as_of, 2**63 - 1)
        if snapshot.moment.as_of == 2**63 - 1:
            end = snapshot.reader.last_event_at() or 0
        return edges_since(snapshot, jobs, max(end - days * DAY, EVER))

    return within


def edges_since(snapshot: Snapshot, jobs: Collection[int], since: int) -> dict[int, Edges]:
    return snapshot.shown({job: _union(snapshot, candidates_since(snapshot, job, since)) for job in jobs})


def candidates_since(snapshot: Snapshot, job: int, since: int) -> list[RunFacts]:
    """Every run and JobEvent that was ever the current version; without any the head stands for them."""
    rows = snapshot.reader.typed(job, (RUNNING, COMPLETE, JOB))
    snapshot.runs_of(rows)
    found = [facts for row in rows if (facts := snapshot.facts_of(row)).candidate == row.ord]
    if found:
        return [facts for facts in found if facts.candidate is not None and facts.candidate[0] >= since]
    head = snapshot.heads([job])[job]
    return [head] if head is not None and head.start[0] >= since else []


def _union(snapshot: Snapshot, candidates: list[RunFacts]) -> Edges:
    shapes = snapshot.reader.shapes({row.shape for facts in candidates for row in facts.events})
    groups: list[list[Shape]] = [[shapes[row.shape] for row in facts.events] for facts in candidates]
    joined = snapshot.joined(
        {d for group in groups for shape in group for m in shape.mentions for d in (m.dataset, *m.sources)}
    )
    inputs: set[int] = set()
    outputs: set[int] = set()
    told: set[int] = set()
    for group in groups:
        telling: dict[int, Mention] = {}
        for shape in group:
            speaking: dict[int, Mention] = {}
            for mention in shape.mentions:
                dataset = joined.of(mention.dataset)
                if mention.side not in WRITTEN:
                    inputs.add(dataset)
                    continue
                outputs.add(dataset)
                if "columnLineage" in mention.facets:
                    other = speaking.get(dataset)
                    if other is None or snapshot.is_first(mention, other):
                        speaking[dataset] = mention
            telling |= speaking
        told.update(joined.of(source) for mention in telling.values() for source in mention.sources)
    return Edges.of(inputs, outputs, told)
