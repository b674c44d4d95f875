"""The options of one read or sink enter; the sources that it may be leave, each value whole or named as unresolved."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lineage_hub.connectors.databricks.addresses import (
    event_hubs_address,
    jdbc_address,
    kinesis_region,
    plain_path,
)
from lineage_hub.connectors.databricks.program.budget import ALTERNATIVES
from lineage_hub.connectors.databricks.program.guards import ALWAYS, Guard, both
from lineage_hub.connectors.databricks.program.kinds import kind_of
from lineage_hub.connectors.databricks.program.reads import Read, Sink
from lineage_hub.connectors.databricks.program.values import ABSENT, UNKNOWN, Alternatives, is_constant
from lineage_hub.connectors.databricks.reading import StreamSource
from lineage_hub.connectors.databricks.sql.names import format_and_path, is_live, parts_of, spelled


@dataclass
class Found:
    """One possibility."""

    source: StreamSource
    guard: Guard


def options_of(value: object) -> list[tuple[Guard, object]]:
    return list(value.options) if isinstance(value, Alternatives) else [(ALWAYS, value)]


def table_name(name: str) -> str:
    """A name as the code has it, or the path that it stands for; LIVE is the pipeline itself."""
    parts = parts_of(name)
    if "/" in name and "`" not in name:
        return name.strip()
    stored = format_and_path(parts, quoted="`" in name)
    if stored is not None:
        return stored[1]
    return spelled(parts[1:] if is_live(parts) else parts) or name.strip()


def resolve(one: Read | Sink) -> list[Found]:
    if isinstance(one, Read) and one.ready is not None:
        return [Found(one.ready, ALWAYS)]
    made: list[Found] = []
    for guard, name in options_of(one.format):
        whole = both(guard, one.guard)
        if whole is not None:
            made.extend(_of_format(one, guard, name))
    return made


def _of_format(one: Read | Sink, guard: Guard, name: object) -> list[Found]:
    kind = kind_of(name) if isinstance(name, str) else "unknown"
    sink = isinstance(one, Sink)
    wanted = _WANTED.get(kind, _OTHERS)
    given = {key: one.options[key] for key in wanted if key in one.options}
    ways = _combine(guard, [value for _, value in given.values()], one.guard)
    made = []
    for held, chosen in ways:
        values = _Values(
            {key: (spelled, value) for (key, (spelled, _)), value in zip(given.items(), chosen, strict=True)}, one.open
        )
        source = _MAKERS.get(kind, _other)(kind, values, sink)
        if kind == "unknown":
            values.unresolved.insert(0, "format")
        made.append(Found(source, held))
    return made


def _combine(guard: Guard, values: list[object], base: Guard) -> list[tuple[Guard, tuple[object, ...]]]:
    """All ways that go together; too many are none, and the values unknown."""
    ways: list[tuple[Guard, tuple[object, ...]]] = [(guard, ())]
    for value in values:
        ways = [
            (whole, (*chosen, option))
            for held, chosen in ways
            for inner, option in options_of(value)
            if both(inner, base) is not None and (whole := both(held, inner)) is not None
        ]
        if len(ways) > ALTERNATIVES:
            unknown = tuple(UNKNOWN if isinstance(one, Alternatives) else one for one in values)
            return [(guard, unknown)]
    return ways


class _Values:
    """Options of one possibility; what is asked for and can't be known is noted."""

    def __init__(self, options: Mapping[str, tuple[str, object]], more: bool) -> None:
        self.options = options
        self.more = more
        self.unresolved: list[str] = []

    def text(self, key: str) -> str | None:
        spelled, value = self.options.get(key, ("", ABSENT))
        if value is ABSENT or value is None:
            return None
        if isinstance(value, bool):
            return "true" if value else "false"
        if is_constant(value) and isinstance(value, str | int | float):
            return str(value)
        if spelled not in self.unresolved:
            self.unresolved.append(spelled)
        return None

    def has(self, *keys: str) -> bool:
        return any(self.options.get(key, ("", ABSENT))[1] is not ABSENT for key in keys)

    def expect(self, *keys: str) -> None:
        """One of these must be there; where options can't be known it may be among them."""
        if self.more and not self.has(*keys) and keys[0] not in self.unresolved:
            self.unresolved.append(_SPELLED.get(keys[0], keys[0]))


def _listed(text: str | None) -> list[str]:
    return [] if text is None else [one.strip() for one in text.split(",") if one.strip()]


def _kafka(kind: str, values: _Values, sink: bool) -> StreamSource:
    if sink:
        topic = values.text("topic")
        values.expect("topic")
        bootstrap = values.text("kafka.bootstrap.servers")
        values.expect("kafka.bootstrap.servers")
        return StreamSource("kafka_sink", [topic] if topic else [], bootstrap=bootstrap, unresolved=values.unresolved)
    topics = _listed(values.text("subscribe")) or _listed(values.text("topics"))
    assigned = values.text("assign")
    if assigned is not None:
        topics = topics or _assigned(assigned)
    pattern = values.text("subscribepattern")
    values.expect("subscribe", "subscribepattern", "assign", "topics")
    bootstrap = values.text("kafka.bootstrap.servers")
    values.expect("kafka.bootstrap.servers")
    prefix = values.text("groupidprefix")
    return StreamSource("kafka", topics, pattern, bootstrap, group_id_prefix=prefix, unresolved=values.unresolved)


def _assigned(text: str) -> list[str]:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return [one for one in parsed if isinstance(one, str)] if isinstance(parsed, dict) else []


def _event_hubs(kind: str, values: _Values, sink: bool) -> StreamSource:
    address, hub = event_hubs_address(values.text("eventhubs.connectionstring") or "")
    values.expect("eventhubs.connectionstring")
    name = values.text("eventhubs.name") or hub
    return StreamSource(_told(kind, sink), [name] if name else [], bootstrap=address, unresolved=values.unresolved)


def _kinesis(kind: str, values: _Values, sink: bool) -> StreamSource:
    streams = _listed(values.text("streamname"))
    region, from_arn = kinesis_region(values.text("streamarn") or "")
    region = values.text("region") or region
    values.expect("streamname", "streamarn")
    topics = streams or ([from_arn] if from_arn else [])
    return StreamSource(_told(kind, sink), topics, bootstrap=region, unresolved=values.unresolved)


def _pulsar(kind: str, values: _Values, sink: bool) -> StreamSource:
    topics = _listed(values.text("topics")) or _listed(values.text("topic"))
    pattern = values.text("topicspattern")
    address = values.text("service.url") or values.text("serviceurl")
    values.expect("topics", "topic", "topicspattern")
    return StreamSource(_told(kind, sink), topics, pattern, address, unresolved=values.unresolved)


def _pubsub(kind: str, values: _Values, sink: bool) -> StreamSource:
    name = values.text("topicid") or values.text("subscriptionid")
    values.expect("subscriptionid", "topicid")
    project = values.text("projectid")
    return StreamSource(_told(kind, sink), [name] if name else [], bootstrap=project, unresolved=values.unresolved)


def _jdbc(kind: str, values: _Values, sink: bool) -> StreamSource:
    url = values.text("url")
    values.expect("url")
    table = values.text("dbtable") or values.text("query")
    values.expect("dbtable", "query")
    address = None if url is None else jdbc_address(url)
    return StreamSource(_told(kind, sink), bootstrap=address, path=table, unresolved=values.unresolved)


def _table(kind: str, values: _Values, sink: bool) -> StreamSource:
    name = values.text("table")
    stored = format_and_path(parts_of(name), quoted="`" in name) if name else None
    if stored is not None:
        return StreamSource(_told(stored[0], sink), path=plain_path(stored[1]), unresolved=values.unresolved)
    plain = table_name(name) if name else None
    return StreamSource(_told(kind, sink), path=plain, source_table=plain, unresolved=values.unresolved)


def _files(kind: str, values: _Values, sink: bool) -> StreamSource:
    table = values.text("tablename") if sink else None
    path = table_name(table) if table else values.text("path")
    values.expect("path", "tablename")
    return StreamSource(_told(kind, sink), path=plain_path(path), unresolved=values.unresolved)


def _other(kind: str, values: _Values, sink: bool) -> StreamSource:
    """A format of its own: its table or path, under the names that connectors use."""
    path = next((text for key in _OTHERS if (text := values.text(key)) is not None and key != "url"), None)
    url = values.text("url")
    return StreamSource(
        _told(kind, sink),
        bootstrap=None if url is None else jdbc_address(url),
        path=plain_path(path),
        unresolved=values.unresolved,
    )


def _told(kind: str, sink: bool) -> str:
    return f"{kind}_sink" if sink else kind


_Maker = Callable[[str, _Values, bool], StreamSource]
_MAKERS: dict[str, _Maker] = {
    "kafka": _kafka,
    "eventhubs": _event_hubs,
    "kinesis": _kinesis,
    "pulsar": _pulsar,
    "pubsub": _pubsub,
    "jdbc": _jdbc,
    "table": _table,
    "files": _files,
    "delta": _files,
}
_OTHERS = ("dbtable", "table", "query", "collection", "path", "url")
_WANTED: dict[str, tuple[str, ...]] = {
    "kafka": ("subscribe", "topics", "assign", "subscribepattern", "topic", "kafka.bootstrap.servers", "groupidprefix"),
    "eventhubs": ("eventhubs.connectionstring", "eventhubs.name"),
    "kinesis": ("streamname", "streamarn", "region"),
    "pulsar": ("topics", "topic", "topicspattern", "service.url", "serviceurl"),
    "pubsub": ("subscriptionid", "topicid", "projectid"),
    "jdbc": ("url", "dbtable", "query"),
    "table": ("table",),
    "files": ("path",),
    "delta": ("path", "tablename"),
}
_SPELLED = {
    "eventhubs.connectionstring": "eventhubs.connectionString",
    "streamname": "streamName",
    "subscriptionid": "subscriptionId",
}
