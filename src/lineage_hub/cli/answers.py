"""JSON of the hub's API enters; typed values leave, with the fields that commands show and nothing else.

A field that an older hub doesn't send has a default, and one that a newer hub adds is passed over.
"""

from msgspec import Raw, Struct, field


class Edge(Struct, frozen=True):
    origin: str
    destination: str


class Identity(Struct, frozen=True):
    namespace: str
    name: str


class Run(Struct, frozen=True, rename="camel"):
    id: str
    state: str
    started_at: str | None = None
    ended_at: str | None = None
    duration_ms: int | None = None


class NodeData(Struct, frozen=True, rename="camel"):
    namespace: str = ""
    name: str = ""
    latest_run: Run | None = None
    # Those of columns.
    dataset: str = ""
    field: str | None = None
    field_type: str | None = None
    transformation_type: str | None = None


class Node(Struct, frozen=True, rename="camel"):
    id: str
    type: str
    data: NodeData = field(default_factory=NodeData)
    in_edges: list[Edge] = []
    out_edges: list[Edge] = []


class Lineage(Struct, frozen=True):
    graph: list[Node]
    truncated: bool = False
    hidden_nodes: int = 0


class Changed(Struct, frozen=True):
    name: str
    before: str | None = field(name="from", default=None)
    after: str | None = field(name="to", default=None)


class Column(Struct, frozen=True):
    name: str
    type: str | None = None


class SchemaChange(Struct, frozen=True):
    dataset: str
    added: list[Column | str] = []
    removed: list[Column | str] = []
    changed: list[Changed] = []


class NodeChanges(Struct, frozen=True):
    added: list[str] = []
    removed: list[str] = []


class EdgeChanges(Struct, frozen=True):
    added: list[Edge] = []
    removed: list[Edge] = []


class Difference(Struct, frozen=True):
    start: str = field(name="from", default="")
    end: str = field(name="to", default="")
    nodes: NodeChanges = field(default_factory=NodeChanges)
    edges: EdgeChanges = field(default_factory=EdgeChanges)
    columns: EdgeChanges = field(default_factory=EdgeChanges)
    schemas: list[SchemaChange] = []


class Job(Struct, frozen=True, rename="camel"):
    id: Identity
    latest_runs: list[Run] | None = None


class Jobs(Struct, frozen=True, rename="camel"):
    jobs: list[Job]
    total_count: int = 0


class Runs(Struct, frozen=True, rename="camel"):
    runs: list[Run]
    total_count: int = 0


class Dataset(Struct, frozen=True):
    id: Identity


class Datasets(Struct, frozen=True, rename="camel"):
    datasets: list[Dataset]
    total_count: int = 0


class Namespace(Struct, frozen=True, rename="camel"):
    name: str
    created_at: str = ""
    owner_name: str | None = None
    description: str | None = None


class Namespaces(Struct, frozen=True, rename="camel"):
    namespaces: list[Namespace]
    total_count: int = 0


class Dependency(Struct, frozen=True):
    status: str
    latency_ms: float = 0.0
    detail: str = ""


class Health(Struct, frozen=True):
    status: str
    version: str = ""
    dependencies: dict[str, Dependency] = {}


class EventRun(Struct, frozen=True, rename="camel"):
    run_id: str


class Event(Struct, frozen=True, rename="camel"):
    event_time: str
    event_type: str | None = None
    run: EventRun | None = None
    job: Identity | None = None
    dataset: Identity | None = None
    inputs: list[Identity] | None = None
    outputs: list[Identity] | None = None


class Events(Struct, frozen=True, rename="camel"):
    events: list[Event]
    ids: list[str] = []
    total_count: int = 0


class StoredEvent(Struct, frozen=True, rename="camel"):
    id: str
    tenant: str
    known_at: str
    event: Raw
    warnings: list[object] = []


class JobMetrics(Struct, frozen=True, rename="camel"):
    runs: int
    name: str = ""
    success_rate: float | None = None
    duration_ms: dict[str, float | None] = {}
    records_per_hour: float = 0.0


class RunMetrics(Struct, frozen=True, rename="camel"):
    pipelines: JobMetrics
    by_pipeline: list[JobMetrics]
    by_stage: list[JobMetrics]
