"""A node id that may end in a version (`dataset:{namespace}:{name}#{version}`) enters; node and moment leave."""

from __future__ import annotations

from lineage_hub.errors import NotFound
from lineage_hub.query.identity import job_version
from lineage_hub.query.jobs import versions_of_job
from lineage_hub.query.lineage import Found, find_node
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.versions import Versions


def node_and_moment(snapshot: Snapshot, node: str) -> tuple[str, int | None]:
    """When the version came to be; None for a node without one, whose name may end in anything."""
    plain, mark, version = node.rpartition("#")
    if not mark:
        return node, None
    try:
        return plain, _created_at(snapshot, find_node(snapshot, plain), version)
    except NotFound as no_version:
        try:
            find_node(snapshot, node)
        except NotFound:
            raise no_version from None
    return node, None


def _created_at(snapshot: Snapshot, found: Found, version: str) -> int:
    if found.is_job:
        named = versions_of_job(snapshot, found.entity)
        alike = [one.newest for one in named if job_version(snapshot, found.entity, one.newest) == version]
        times = [(one.end or one.start)[0] for one in alike]
    else:
        times = [one.created[0] for one in Versions(snapshot).all_of(found.entity) if one.id == version]
    if not times:
        raise NotFound(f"Version '{version[:80]}' not found.", subject=version[:80], action="list the versions")
    return max(times)
