"""JSON of the hub's answers about traces and logs enters; typed values leave, with the fields that commands show."""

from typing import Any

from msgspec import Struct, field

from lineage_hub.cli.answers import Identity


class Span(Struct, frozen=True, rename="camel"):
    span_id: str
    name: str
    service: str
    depth: int
    offset_ns: int
    duration_ns: int
    self_ns: int = 0
    critical_ns: int = 0
    status: str = "UNSET"
    status_message: str = ""
    orphan: bool = False
    cycle: bool = False
    outside_parent: bool = False

    @property
    def failed(self) -> bool:
        return self.status == "ERROR"


class Stretch(Struct, frozen=True, rename="camel"):
    span_id: str
    offset_ns: int
    duration_ns: int


class TouchedRun(Struct, frozen=True, rename="camel"):
    id: str
    job: Identity
    state: str
    joined_by: str = ""
    inferred: bool = False


class TouchedDataset(Struct, frozen=True):
    namespace: str
    name: str
    sides: list[str] = field(name="as", default=[])


class Trace(Struct, frozen=True, rename="camel"):
    trace_id: str
    started_at: str
    duration_ns: int
    spans: list[Span]
    critical_path: list[Stretch]
    span_count: int = 0
    error_count: int = 0
    hidden_spans: int = 0
    services: list[str] = []
    runs: list[TouchedRun] = []
    datasets: list[TouchedDataset] = []
    # Of the trace of a run.
    run: TouchedRun | None = None
    span_id: str | None = None


class TraceSummary(Struct, frozen=True, rename="camel"):
    trace_id: str
    name: str
    service: str
    started_at: str
    duration_ns: int
    span_count: int
    error_count: int


class Traces(Struct, frozen=True, rename="camel"):
    traces: list[TraceSummary]
    total_count: int = 0


class Measured(Struct, frozen=True, rename="camel"):
    duration_ns: int
    self_ns: int
    status: str = "UNSET"
    trace_id: str = ""


class Change(Struct, frozen=True, rename="camel"):
    kind: str
    path: list[str]
    service: str
    occurrence: int
    difference_ns: int
    self_difference_ns: int
    before: Measured | None = field(name="from", default=None)
    after: Measured | None = field(name="to", default=None)


class Whole(Struct, frozen=True, rename="camel"):
    trace_id: str
    duration_ns: int


class TraceDifference(Struct, frozen=True, rename="camel"):
    difference_ns: int
    counts: dict[str, int]
    changes: list[Change]
    before: Whole = field(name="from")
    after: Whole = field(name="to")


class Log(Struct, frozen=True, rename="camel"):
    at: str
    severity: str
    service: str
    body: Any
    trace_id: str | None = None
    span_id: str | None = None
    run_id: str | None = None


class Logs(Struct, frozen=True, rename="camel"):
    logs: list[Log]
    total_count: int = 0
