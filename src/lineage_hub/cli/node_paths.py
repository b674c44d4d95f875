"""A job or dataset as a person names it enters; the path at which the API has it leaves."""

from contextlib import suppress

from lineage_hub.cli.hub import Hub, Value
from lineage_hub.cli.nodes import find_of_kind, quoted
from lineage_hub.errors import InvalidRequest, NotFound
from lineage_hub.model.node import readings


def node_path(hub: Hub, text: str, kind: str, **moment: Value) -> str:
    """`kind` is job or dataset."""
    found, _, rest = find_of_kind(hub, text, kind, moment).partition(":")
    paths = [f"/namespaces/{quoted(one.namespace)}/{kind}s/{quoted(one.name)}" for one in readings(found, rest)]
    if found != kind or not paths:
        raise InvalidRequest(f"{text} is not a {kind}", subject=text, action=f"give {kind}:NAMESPACE:NAME")
    # Namespaces hold colons; the hub knows which of the readings is meant.
    for path in paths[:-1]:
        with suppress(NotFound):
            hub.ask("GET", path, moment)
            return path
    return paths[-1]
