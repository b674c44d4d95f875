"""Stand-ins for Spark's session, readers, frames and writers, which a program can be run against.

What was read with which options, and where it went, leaves as `Read` and `Sink` records of a `Recorder`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.connectors.databricks.unknowable import Unknown, is_tainted

FILES = {"cloudfiles", "csv", "json", "parquet", "text", "avro", "orc", "xml", "binaryfile"}


@dataclass(eq=False)
class Read:
    kind: str
    members: dict[str, Any]
    unresolved: list[str]
    line: int | None
    targets: list[str] = field(default_factory=list)
    uncalled: bool = False


@dataclass(eq=False)
class Statement:
    """SQL text that the program handed to Spark."""

    text: str
    targets: list[str] = field(default_factory=list)


@dataclass(eq=False)
class Sink:
    kind: str
    members: dict[str, Any]
    unresolved: list[str]
    line: int | None
    frames: list[Frame] = field(default_factory=list)
    uncalled: bool = False


@dataclass
class Recorder:
    locate: Callable[..., int | None]
    reads: list[Read] = field(default_factory=list)
    sinks: list[Sink] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)


class Inert:
    """A column, a type, a query that runs: anything is done with it, and nothing depends on it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Inert:
        if name.startswith("__"):
            raise AttributeError(name)
        return Inert()

    def __call__(self, *args: Any, **kwargs: Any) -> Inert:
        return Inert()

    def __getitem__(self, key: object) -> Inert:
        return Inert()

    def __iter__(self) -> Iterator[Inert]:
        return iter(())

    def __enter__(self) -> Inert:
        return self

    def __exit__(self, *args: object) -> None:
        return None

    def __eq__(self, other: object) -> Inert:  # type: ignore[override]
        return Inert()

    __ne__ = __eq__  # type: ignore[assignment]
    __hash__ = object.__hash__


OPERATORS = [
    "add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "mod", "and", "rand", "or", "ror", "lt",
    "gt", "le", "ge", "neg", "invert", "xor",
]  # fmt: skip
for _name in OPERATORS:
    setattr(Inert, f"__{_name}__", lambda self, *other: Inert())


class Options(dict[str, tuple[str, Any]]):
    """Option names compare without case; the last one given counts, as it was spelled."""

    def put(self, name: str, value: Any) -> None:
        if value is not None:
            text = str(value).lower() if isinstance(value, bool) else value if isinstance(value, str) else str(value)
            self[name.lower()] = (name, text)


def understand(kind: str, options: Options, *, sink: bool = False) -> tuple[dict[str, Any], list[str]]:
    """Members of a source from the options that took effect, and the names of those that can't be known."""
    members: dict[str, Any] = {}
    unresolved: list[str] = []

    def take(name: str, member: str, change: Callable[[str], Any] = str) -> None:
        if name.lower() in options:
            spelled, value = options[name.lower()]
            if is_tainted(value):
                unresolved.append(spelled)
            else:
                members[member] = change(str(value))

    def commas(text: str) -> list[str]:
        return [one.strip() for one in text.split(",") if one.strip()]

    if kind == "kafka":
        take("topic" if sink else "subscribe", "topics", (lambda one: [one]) if sink else commas)
        take("subscribePattern", "pattern")
        take("assign", "topics", lambda text: list(json.loads(text)))
        take("kafka.bootstrap.servers", "bootstrap")
        take("groupIdPrefix", "group_id_prefix")
    elif kind == "eventhubs":
        take("eventhubs.connectionString", "connection")
        if "connection" in members:
            parts = dict(one.split("=", 1) for one in members.pop("connection").split(";") if one)
            members["bootstrap"] = re.sub(r"^sb://|/$", "", parts["Endpoint"])
            if "EntityPath" in parts:
                members["topics"] = [parts["EntityPath"]]
        take("eventhubs.name", "topics", lambda one: [one])
    elif kind == "kinesis":
        take("streamName", "topics", commas)
        take("streamARN", "topics", lambda arn: [arn.rsplit("/", 1)[1]])
        take("streamARN", "bootstrap", lambda arn: arn.split(":")[3])
        take("region", "bootstrap")
    elif kind == "pulsar":
        take("service.url", "bootstrap")
        take("topic", "topics", commas)
        take("topics", "topics", commas)
        take("topicsPattern", "pattern")
    elif kind == "pubsub":
        take("subscriptionId", "topics", lambda one: [one])
        take("topicId", "topics", lambda one: [one])
        take("projectId", "bootstrap")
    elif kind == "jdbc":
        take("url", "bootstrap", lambda url: url.split("?")[0])
        take("dbtable", "path")
    elif kind != "rate":
        take("path", "path")
    return members, list(dict.fromkeys(unresolved))


def kind_of(form: str) -> str:
    form = form.lower()
    return "files" if form in FILES else form


class Frame:
    """A DataFrame: it knows the reads that it is made of, and no rows."""

    def __init__(self, recorder: Recorder, origins: Iterable[Read | Statement] = ()) -> None:
        self._recorder = recorder
        self._origins = list(dict.fromkeys(origins))

    def _made_with(self, *others: Any) -> Frame:
        return Frame(self._recorder, [*self._origins, *origins_in(others)])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return Member(self, name)

    def __getitem__(self, key: object) -> Inert:
        return Inert()

    def transform(self, function: Callable[..., Frame], *args: Any, **kwargs: Any) -> Frame:
        return function(self, *args, **kwargs)

    @property
    def write(self) -> Writer:
        return Writer(self, self._recorder.locate("write"))

    @property
    def writeStream(self) -> Writer:
        return Writer(self, self._recorder.locate("writeStream"))

    def writeTo(self, name: str) -> Writer:
        writer = Writer(self, self._recorder.locate("writeTo"))
        writer.into = name
        return writer

    @property
    def sparkSession(self) -> Any:
        return self._recorder.session  # type: ignore[attr-defined]

    def createOrReplaceTempView(self, name: str) -> None:
        feed(self, name)

    createTempView = createOrReplaceTempView

    @property
    def columns(self) -> Unknown:
        return Unknown("columns")

    def count(self) -> Unknown:
        return Unknown("count")

    isEmpty = first = collect = head = toPandas = count


class Grouped(Frame):
    """Groups of a frame: `count` and its like are frames again."""

    def count(self, *args: Any) -> Frame:  # type: ignore[override]
        return self._made_with()

    first = count  # type: ignore[assignment]


def _group(self: Frame, *args: Any) -> Grouped:
    return Grouped(self._recorder, self._origins)


Frame.groupBy = Frame.groupby = Frame.rollup = Frame.cube = _group  # type: ignore[attr-defined]

METHODS = [
    "union", "unionByName", "unionAll", "join", "select", "filter", "where", "withColumn", "drop",
    "dropDuplicates", "distinct",
]  # fmt: skip
for _name in METHODS:
    setattr(Frame, _name, lambda self, *args, **kwargs: self._made_with(args, list(kwargs.values())))


class Member(Inert):
    """`df.name`: a column, or a method that gives another frame."""

    def __init__(self, frame: Frame, name: str) -> None:
        self._frame = frame

    def __call__(self, *args: Any, **kwargs: Any) -> Frame:  # type: ignore[override]
        return self._frame._made_with(args, list(kwargs.values()))


def origins_in(value: Any) -> list[Read | Statement]:
    if isinstance(value, Frame):
        return value._origins
    if isinstance(value, list | tuple):
        return [origin for one in value for origin in origins_in(one)]
    return []


def feed(frame: Frame, target: str) -> None:
    assert isinstance(frame, Frame), f"{target} is made of {frame!r}"
    assert not is_tainted(target), "a fixture names its targets"
    for origin in frame._origins:
        if target not in origin.targets:
            origin.targets.append(target)


class Reader:
    def __init__(self, recorder: Recorder, line: int | None) -> None:
        self._recorder, self._line, self._options, self._format = recorder, line, Options(), "delta"

    def format(self, name: str) -> Reader:
        self._format = name
        return self

    def option(self, key: str, value: Any) -> Reader:
        self._options.put(key, value)
        return self

    def options(self, **options: Any) -> Reader:
        for key, value in options.items():
            self._options.put(key, value)
        return self

    def schema(self, schema: Any) -> Reader:
        return self

    def load(self, path: Any = None, format: str | None = None, schema: Any = None, **options: Any) -> Frame:
        self.options(**options)
        self._options.put("path", path)
        kind = kind_of(format or self._format)
        members, unresolved = understand(kind, self._options)
        return self._record(kind, members, unresolved)

    def table(self, name: str) -> Frame:
        return read_table(self._recorder, name, self._line)

    def jdbc(self, url: str, table: str, *args: Any, **kwargs: Any) -> Frame:
        return self.options(url=url, dbtable=table).load(format="jdbc")

    def _record(self, kind: str, members: dict[str, Any], unresolved: list[str]) -> Frame:
        read = Read(kind, members, unresolved, self._line)
        self._recorder.reads.append(read)
        return Frame(self._recorder, [read])


def read_table(recorder: Recorder, name: str, line: int | None) -> Frame:
    if is_tainted(name):
        return Reader(recorder, line)._record("table", {}, ["table"])
    name = re.sub(r"(?i)^live\.", "", name)
    return Reader(recorder, line)._record("table", {"path": name, "source_table": name}, [])


class Writer:
    def __init__(self, frame: Frame, line: int | None) -> None:
        self._frame, self._line, self._options, self._format = frame, line, Options(), "delta"
        self._batch: Callable[[Frame, int], Any] | None = None
        self.into = ""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *args, **kwargs: self

    def format(self, name: str) -> Writer:
        self._format = name
        return self

    def option(self, key: str, value: Any) -> Writer:
        self._options.put(key, value)
        return self

    def options(self, **options: Any) -> Writer:
        for key, value in options.items():
            self._options.put(key, value)
        return self

    def foreachBatch(self, function: Callable[[Frame, int], Any]) -> Writer:
        self._batch = function
        return self

    def save(self, path: Any = None, format: str | None = None, mode: str | None = None, **options: Any) -> Inert:
        self.options(**options)
        self._options.put("path", path)
        kind = kind_of(format or self._format)
        if self._batch:
            self._batch(self._frame._made_with(), 0)
        elif kind in {"files", "delta"}:
            feed(self._frame, str(self._options["path"][1]))
        else:
            members, unresolved = understand(kind, self._options, sink=True)
            self._frame._recorder.sinks.append(Sink(f"{kind}_sink", members, unresolved, self._line, [self._frame]))
        return Inert()

    def start(self, path: Any = None, format: str | None = None, **options: Any) -> Inert:
        return self.save(path, format, **options)

    def saveAsTable(self, name: str, *args: Any, **kwargs: Any) -> Inert:
        feed(self._frame, name)
        return Inert()

    toTable = insertInto = saveAsTable

    def jdbc(self, url: str, table: str, *args: Any, **kwargs: Any) -> Inert:
        return self.options(url=url, dbtable=table).save(format="jdbc")

    def append(self, *args: Any) -> None:
        feed(self._frame, self.into)

    create = createOrReplace = replace = overwrite = overwritePartitions = append


def _file_method(form: str) -> tuple[Callable[..., Frame], Callable[..., Inert]]:
    def read(self: Reader, path: Any, *args: Any, **kwargs: Any) -> Frame:
        return self.load(path, form)

    def write(self: Writer, path: Any, *args: Any, **kwargs: Any) -> Inert:
        return self.save(path, form)

    return read, write


for _name in ["csv", "json", "parquet", "text", "orc", "xml"]:
    _read, _write = _file_method(_name)
    setattr(Reader, _name, _read)
    setattr(Writer, _name, _write)
