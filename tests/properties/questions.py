"""A history enters; every question that can be asked about what is in it leaves."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from tests.oracle.events import Event, named_datasets, named_jobs
from tests.oracle.view import dataset_node, job_node
from tests.properties.hubs import LIMIT, Question, ask_for

DEPTH = 20


def every_question(events: Iterable[Event]) -> list[Question]:
    """The same list for every part of the history, so that what isn't there yet is asked for too."""
    events = list(events)
    jobs = sorted({e.job for e in events if e.job is not None}.union(*map(named_jobs, events)))
    datasets = sorted({m.name for e in events for m in e.mentions}.union(*map(named_datasets, events)))
    runs = sorted({e.run[3] for e in events if e.run is not None})
    found = [
        ask_for("namespaces", limit=LIMIT),
        ask_for("jobs", limit=LIMIT),
        ask_for("events", "lineage", limit=LIMIT),
    ]
    for namespace in sorted({namespace for namespace, _ in jobs + datasets}):
        found.append(ask_for("namespaces", namespace, "jobs", limit=LIMIT))
        found.append(ask_for("namespaces", namespace, "datasets", limit=LIMIT))
    for namespace, name in jobs:
        found.append(ask_for("namespaces", namespace, "jobs", name))
        found.append(ask_for("namespaces", namespace, "jobs", name, "versions", limit=LIMIT))
        found.append(ask_for("namespaces", namespace, "jobs", name, "runs", limit=LIMIT))
        found.append(ask_for("namespaces", namespace, "jobs", name, "runs", limit=LIMIT, expand="true"))
        found.append(ask_for("namespaces", namespace, "jobs", name, "timeline", limit=LIMIT))
    found += [ask_for("runs", one, "compare", other) for one, other in pairwise(runs)]
    for run in runs:
        found.append(ask_for("jobs", "runs", run))
        found.append(ask_for("jobs", "runs", run, "facets", type="run"))
    for namespace, name in datasets:
        found.append(ask_for("namespaces", namespace, "datasets", name))
        found.append(ask_for("namespaces", namespace, "datasets", name, "versions", limit=LIMIT))
        for history in ("schema-history", "quality", "statistics"):
            found.append(ask_for("namespaces", namespace, "datasets", name, history))
    for node in map(job_node, jobs):
        found.append(ask_for("lineage", nodeId=node, depth=1))
        found.append(ask_for("lineage", nodeId=node, depth=2, direction="upstream"))
    for node in [*map(job_node, jobs), *map(dataset_node, datasets)]:
        found.append(ask_for("lineage", nodeId=node, depth=DEPTH))
        found.append(ask_for("lineage", nodeId=node, depth=DEPTH, edges="ever"))
        found.append(ask_for("impact", nodeId=node))
    for text in sorted({name for _, name in jobs[:4] + datasets[:8]}):
        found.append(ask_for("search", q=text, limit=LIMIT))
    for dataset in datasets:
        for edges in ("current", "ever"):
            node = dataset_node(dataset)
            found.append(ask_for("column-lineage", nodeId=node, depth=DEPTH, withDownstream="true", edges=edges))
    return found
