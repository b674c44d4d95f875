"""Stand-ins for what a notebook finds around it: `spark`, `dbutils`, `dlt`.

A configuration comes in; the objects that a program sees go out, all writing into one `Recorder`.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any

from tests.connectors.databricks.fake_spark import (
    Frame,
    Inert,
    Options,
    Reader,
    Recorder,
    Sink,
    Statement,
    feed,
    kind_of,
    read_table,
    understand,
)
from tests.connectors.databricks.unknowable import Unknown

MISSING = object()


class Configuration:
    """`spark.conf`, widgets and job parameters are one mapping; a default counts where it has nothing."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = dict(values)
        self.defaults: dict[str, str] = {}

    def get(self, key: str, default: Any = MISSING, *rest: Any) -> Any:
        if key in self.values:
            return self.values[key]
        if key in self.defaults:
            return self.defaults[key]
        return Unknown(f"configuration {key}") if default is MISSING else default

    def set(self, key: str, value: Any) -> None:
        self.values[key] = str(value).lower() if isinstance(value, bool) else value

    def text(self, name: str, value: str, *rest: Any, **more: Any) -> None:
        self.defaults[name] = value

    dropdown = combobox = multiselect = text

    def getAll(self) -> dict[str, str]:
        return dict(self.values)

    def remove(self, name: str) -> None:
        pass

    def removeAll(self) -> None:
        pass


class AnyValues(Configuration):
    """Widgets of a notebook that is started with arguments that no one can know."""

    def __init__(self) -> None:
        super().__init__({})

    def get(self, key: str, default: Any = MISSING, *rest: Any) -> Any:
        return Unknown(f"argument {key}")


class Machine:
    """`sc._jvm.….encrypt(text)`: what it gives back stands for the text."""

    def __getattr__(self, name: str) -> Any:
        return (lambda text: text) if name == "encrypt" else self


class Session:
    def __init__(self, recorder: Recorder, configuration: Configuration) -> None:
        self._recorder, self.conf = recorder, configuration
        self.sparkContext = types.SimpleNamespace(_jvm=Machine(), setLogLevel=lambda level: None)
        self._jvm = Machine()
        self.catalog = Unknown("catalog")
        self.streams = self.udf = Inert()
        recorder.session = self  # type: ignore[attr-defined]

    @property
    def read(self) -> Reader:
        return Reader(self._recorder, self._recorder.locate("read"))

    @property
    def readStream(self) -> Reader:
        return Reader(self._recorder, self._recorder.locate("readStream"))

    def table(self, name: str) -> Frame:
        return read_table(self._recorder, name, self._recorder.locate("table"))

    def sql(self, text: str, *args: Any, **kwargs: Any) -> Frame:
        statement = Statement(text)
        self._recorder.statements.append(statement)
        return Frame(self._recorder, [statement])

    def createDataFrame(self, *args: Any, **kwargs: Any) -> Frame:
        return Frame(self._recorder)

    range = createDataFrame

    def stop(self) -> None:
        pass


class Builder:
    def __init__(self, session: Session) -> None:
        self.session = session

    def config(self, key: str | None = None, value: Any = None, **more: Any) -> Builder:
        if key:
            self.session.conf.set(key, value)
        return self

    def appName(self, *name: str) -> Builder:
        return self

    master = enableHiveSupport = appName

    def getOrCreate(self) -> Session:
        return self.session


class MergeTarget:
    def __init__(self, name: str) -> None:
        self.name = name

    def alias(self, name: str) -> MergeTarget:
        return self

    def merge(self, source: Frame, condition: Any) -> Inert:
        feed(source, self.name)
        return Inert()

    def delete(self, *args: Any, **kwargs: Any) -> None:
        pass

    update = vacuum = optimize = delete


class DeltaTable:
    @staticmethod
    def forName(session: Any, name: str) -> MergeTarget:
        return MergeTarget(name)

    forPath = forName

    @staticmethod
    def isDeltaTable(session: Any, path: str) -> Unknown:
        return Unknown(f"{path} is a Delta table")

    @staticmethod
    def createIfNotExists(session: Any = None) -> Inert:
        return Inert()

    create = createOrReplace = createIfNotExists


class Pipeline:
    """`dlt` and `pyspark.pipelines`: functions are kept, and called when the program has been read to its end."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.flows: list[tuple[str, Callable[[], Frame]]] = []
        self.sinks: dict[str, Sink] = {}

    def table(self, query_function: Any = None, *, name: str | None = None, **more: Any) -> Any:
        def register(function: Callable[[], Frame]) -> Callable[[], Frame]:
            self.flows.append((name or function.__name__, function))
            return function

        return register(query_function) if callable(query_function) else register

    view = create_table = materialized_view = temporary_view = create_view = table

    def append_flow(self, query_function: Any = None, *, target: str, name: str | None = None, **more: Any) -> Any:
        return self.table(query_function, name=target)

    def expect(self, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
        return lambda function: function

    expect_or_drop = expect_or_fail = expect_all = expect_all_or_drop = expect_all_or_fail = expect

    def read(self, name: str) -> Frame:
        return read_table(self.recorder, name, self.recorder.locate("read"))

    def read_stream(self, name: str) -> Frame:
        return read_table(self.recorder, name, self.recorder.locate("read_stream"))

    def create_streaming_table(self, name: str, **more: Any) -> None:
        pass

    create_streaming_live_table = create_target_table = create_streaming_table

    def apply_changes(self, target: str, source: str, *args: Any, **more: Any) -> None:
        flow = self.recorder.locate("apply_changes", "create_auto_cdc_flow", "apply_changes_from_snapshot")
        feed(read_table(self.recorder, source, flow), target)

    create_auto_cdc_flow = apply_changes

    def apply_changes_from_snapshot(self, target: str, source: Any = None, **more: Any) -> None:
        self.apply_changes(target, more.get("snapshot_and_version", source))

    create_auto_cdc_from_snapshot_flow = apply_changes_from_snapshot

    def create_sink(self, name: str, format: str, options: Mapping[str, Any]) -> None:
        held = Options()
        for key, value in options.items():
            held.put(key, value)
        kind = kind_of(format)
        members, unresolved = understand(kind, held, sink=True)
        self.sinks[name] = Sink(f"{kind}_sink", members, unresolved, self.recorder.locate("create_sink"))
        self.recorder.sinks.append(self.sinks[name])

    def run(self) -> None:
        for target, function in self.flows:
            frame = function()
            if target in self.sinks:
                self.sinks[target].frames.append(frame)
            else:
                feed(frame, target)

    def module(self, name: str) -> types.ModuleType:
        module = types.ModuleType(name)
        for one in dir(self):
            if not one.startswith("_") and one not in {"run", "module", "recorder", "flows", "sinks"}:
                setattr(module, one, getattr(self, one))
        return module


class NotebookExit(SystemExit):
    """dbutils.notebook.exit(value): the notebook ends here."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


def leave(value: Any = "") -> None:
    raise NotebookExit(value)


def make_dbutils(configuration: Configuration, start: Callable[..., Any]) -> Any:
    return types.SimpleNamespace(
        widgets=configuration,
        secrets=types.SimpleNamespace(
            get=lambda scope, key: Unknown(f"secret {scope}/{key}"), getBytes=lambda scope, key: Unknown("secret bytes")
        ),
        fs=Unknown("fs"),
        jobs=Unknown("jobs"),
        notebook=types.SimpleNamespace(run=start, exit=leave, entry_point=Unknown("entry point")),
        library=Inert(),
        data=Inert(),
    )
