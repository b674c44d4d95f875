"""A call that stands where a table stands enters; the read that it is leaves, with the options that are known."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from lineage_hub.connectors.databricks.addresses import jdbc_address, plain_path
from lineage_hub.connectors.databricks.reading import StreamSource
from lineage_hub.connectors.databricks.sql.constants import Constants
from lineage_hub.connectors.databricks.sql.names import FILE_FORMATS

KAFKA_COLUMNS = ("key", "value", "topic", "partition", "offset", "timestamp", "timestampType")
Options = dict[str, tuple[str, Any]]  # lower-cased name → the name as spelled, the expression


@dataclass(frozen=True)
class Shape:
    """Which options say what; of several names the first that is given counts."""

    kind: str
    topics: tuple[str, ...] = ()
    pattern: tuple[str, ...] = ()
    assign: tuple[str, ...] = ()
    bootstrap: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    group: tuple[str, ...] = ()
    positional: tuple[str, ...] = ()


_SHAPES = {
    "read_kafka": Shape(
        "kafka",
        topics=("subscribe",),
        pattern=("subscribepattern",),
        assign=("assign",),
        bootstrap=("kafka.bootstrap.servers", "bootstrapservers"),
        group=("groupidprefix",),
    ),
    "read_kinesis": Shape("kinesis", topics=("streamname", "streamarn"), bootstrap=("region", "awsregion")),
    "read_pulsar": Shape(
        "pulsar", topics=("topic", "topics"), pattern=("topicspattern",), bootstrap=("serviceurl", "service.url")
    ),
    "read_pubsub": Shape("pubsub", topics=("topicid", "subscriptionid"), bootstrap=("projectid",)),
    "read_statestore": Shape("statestore", path=("path",), positional=("path",)),
    "read_statestream": Shape("statestore", path=("path",), positional=("path",)),
    "read_files": Shape("files", path=("path",), positional=("path",)),
    "cloud_files": Shape("files", path=("path",), positional=("path", "format")),
    "table_changes_by_path": Shape("delta", path=("path",), positional=("path",)),
    "remote_query": Shape("jdbc", path=("dbtable", "query"), positional=("connection",)),
}
_ARN = re.compile(r"arn:[^:]*:kinesis:([^:]*):[^:]*:stream/(.+)")


def name_of(call: Any) -> str:
    return str(call.this if isinstance(call, exp.Anonymous) else call.sql_name()).lower()


def read_call(call: Any, constants: Constants, line: int) -> StreamSource | None:
    """None for functions that make rows of nothing, or of what stands beside them."""
    shape = _SHAPES.get(name_of(call))
    if shape is None:
        return None
    return source_of(shape, _options(call, shape), constants, line)


def columns_of_call(call: Any, constants: Constants) -> tuple[str, ...] | None:
    """Kafka's records have the same columns always."""
    if name_of(call) != "read_kafka":
        return None
    headers = _options(call, _SHAPES["read_kafka"]).get("includeheaders")
    if headers is None:
        return KAFKA_COLUMNS
    said = (constants.text(headers[1]) or "").lower()
    return (*KAFKA_COLUMNS, "headers") if said == "true" else KAFKA_COLUMNS if said == "false" else None


def read_options(format: str, options: Mapping[str, tuple[str, Any]], constants: Constants, line: int) -> StreamSource:
    """Of `USING format OPTIONS (…)`, with Spark's names."""
    if format in ("jdbc", "org.apache.spark.sql.jdbc"):
        shape = Shape("jdbc", bootstrap=("url",), path=("dbtable", "query"))
        return source_of(shape, dict(options), constants, line)
    kind = "files" if format in FILE_FORMATS else format
    shape = Shape(kind, bootstrap=("url", "sfurl", "host"), path=("path", "dbtable", "query", "collection"))
    return source_of(shape, dict(options), constants, line)


def _options(call: Any, shape: Shape) -> Options:
    given: Sequence[Any] = call.expressions if isinstance(call, exp.Anonymous) else list(call.args.values())
    found: Options = {}
    for at, one in enumerate(given):
        if isinstance(one, exp.Kwarg | exp.PropertyEQ):
            spelled = one.this.name if isinstance(one.this, exp.Expr) else str(one.this)
            found.setdefault(spelled.lower(), (spelled, one.expression))
        elif at < len(shape.positional):
            found.setdefault(shape.positional[at], (shape.positional[at], one))
    return found


def source_of(shape: Shape, options: Options, constants: Constants, line: int) -> StreamSource:
    unresolved: list[str] = []

    def value(names: tuple[str, ...]) -> str | None:
        given = next((options[name] for name in names if name in options), None)
        if given is None:
            return None
        found = constants.text(given[1])
        if found is None:
            unresolved.append(given[0])
        return found

    bootstrap, topics = value(shape.bootstrap), _listed(value(shape.topics))
    assigned = value(shape.assign)
    if assigned is not None:
        of_json = _assigned(assigned)
        if of_json is None:
            unresolved.append(next(options[name][0] for name in shape.assign if name in options))
        topics = topics or of_json or []
    if shape.kind == "kinesis":
        topics, bootstrap = _streams(topics, bootstrap)
    return StreamSource(
        kind=shape.kind,
        topics=topics,
        pattern=value(shape.pattern),
        bootstrap=jdbc_address(bootstrap) if bootstrap and "url" in shape.bootstrap else bootstrap,
        path=plain_path(value(shape.path)),
        group_id_prefix=value(shape.group),
        unresolved=unresolved,
        line=line,
    )


def _listed(text: str | None) -> list[str]:
    return [one.strip() for one in text.split(",") if one.strip()] if text is not None else []


def _assigned(text: str) -> list[str] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return [str(topic) for topic in found] if isinstance(found, dict) else None


def _streams(topics: list[str], region: str | None) -> tuple[list[str], str | None]:
    """A stream's ARN says its region and its name."""
    names: list[str] = []
    for topic in topics:
        arn = _ARN.match(topic)
        names.append(arn[2] if arn else topic)
        region = region or (arn[1] if arn else None)
    return names, region
