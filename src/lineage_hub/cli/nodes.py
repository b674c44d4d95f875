"""A node as a person names it enters, in full or by its last part; the node id that the API takes leaves.

A name that fits several nodes is refused with the list of them, so that no answer is about the wrong table.
"""

from collections.abc import Iterator, Mapping

from lineage_hub.cli.answers import Datasets, Jobs, Namespaces
from lineage_hub.cli.hub import Hub, Value
from lineage_hub.errors import Conflict, NotFound
from lineage_hub.model.node import DATASET, KINDS

PAGE = 1000
SHOWN = 12
ARGUMENT_HELP = "dataset:NAMESPACE:NAME, job:NAMESPACE:NAME, or a name or its last part if one node alone has it."


def find_node(hub: Hub, text: str, **moment: Value) -> str:
    """`moment` is as_of and known_at, when the question is about the past."""
    return find_of_kind(hub, text, "", moment)


def find_of_kind(hub: Hub, text: str, kind: str, moment: Mapping[str, Value]) -> str:
    """`kind` is job or dataset where it must be one."""
    if text.partition(":")[0] in KINDS and text.count(":") >= 1:
        return text
    known = [(node, name) for node, name in every_node(hub, **moment) if node.startswith(kind)]
    for fits in (_is_name, _is_last_part):
        found = [node for node, name in known if fits(name, text)]
        # A dbt model and its table end alike; who asks for one by name means the table.
        tables = [node for node in found if node.startswith(DATASET)]
        if len(found) == 1 or len(tables) == 1:
            return (tables or found)[0]
        if found:
            raise Conflict(f"{len(found)} nodes are called {text!r}", subject=text, action=_choose(found))
    raise NotFound(f"no job or dataset is called {text!r}", subject=text, action=_suggest(text, known))


def every_node(hub: Hub, **moment: Value) -> Iterator[tuple[str, str]]:
    """Node id and name of every job and dataset."""
    for offset in _pages():
        jobs = hub.read(Jobs, "/jobs", limit=PAGE, offset=offset, **moment)
        yield from ((f"job:{one.id.namespace}:{one.id.name}", one.id.name) for one in jobs.jobs)
        if len(jobs.jobs) < PAGE:
            break
    for namespace in _namespaces(hub, **moment):
        for offset in _pages():
            path = f"/namespaces/{quoted(namespace)}/datasets"
            page = hub.read(Datasets, path, limit=PAGE, offset=offset, **moment).datasets
            yield from ((f"dataset:{one.id.namespace}:{one.id.name}", one.id.name) for one in page)
            if len(page) < PAGE:
                break


def quoted(part: str) -> str:
    """For one part of a path; names hold slashes, and one of dots alone would be a step in the path."""
    from urllib.parse import quote

    return part.replace(".", "%2E") if part in {".", ".."} else quote(part, safe="")


def _namespaces(hub: Hub, **moment: Value) -> Iterator[str]:
    for offset in _pages():
        page = hub.read(Namespaces, "/namespaces", limit=PAGE, offset=offset, **moment).namespaces
        yield from (one.name for one in page)
        if len(page) < PAGE:
            return


def _pages() -> Iterator[int]:
    offset = 0
    while True:
        yield offset
        offset += PAGE


def _is_name(name: str, text: str) -> bool:
    return name == text


def _is_last_part(name: str, text: str) -> bool:
    return name.endswith((f".{text}", f"/{text}"))


def _choose(found: list[str]) -> str:
    more = f"\n    … and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return "give one of these instead:\n    " + "\n    ".join(sorted(found)[:SHOWN]) + more


def _suggest(text: str, known: list[tuple[str, str]]) -> str:
    import difflib
    import shlex

    if not known:
        return "the hub holds no jobs and datasets yet; send events to it first"
    near = [node for node, name in known if text.lower() in name.lower()]
    if not near:
        names = difflib.get_close_matches(text, [name for _, name in known], n=3)
        near = [node for node, name in known if name in names]
    if not near:
        return f"look for it with `lineage-hub search {shlex.quote(text)}`, or give the full node id"
    return _choose(near)
