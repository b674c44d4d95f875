"""A seed and a few sizes enter. Tables and tasks of an invented company leave, and what a read reaches."""

import random
from collections import defaultdict
from dataclasses import dataclass

# A seed whose 2,000 jobs hang together: on 3,354 datasets; a read of depth 20 reaches about 4,900 nodes.
DEFAULT_SEED = 724
CROSS_DOMAIN = 0.02

NAMESPACES = (
    "s3://northwind-landing",
    "snowflake://nw-prod.eu",
    "postgres://dwh.northwind.example:5432",
    "bigquery",
)
COLUMN_NAMES = (
    "id",
    "customer_id",
    "order_id",
    "created_at",
    "updated_at",
    "status",
    "amount",
    "currency",
    "country",
    "channel",
    "segment",
    "quantity",
    "unit_price",
    "discount",
    "is_active",
    "source_system",
    "batch_id",
    "region",
    "score",
    "email",
)
COLUMN_TYPES = ("BIGINT", "VARCHAR", "TIMESTAMP", "NUMERIC(18,2)", "BOOLEAN", "DATE", "DOUBLE")


@dataclass(frozen=True, slots=True)
class Table:
    """A dataset with its columns, as (name, type)."""

    namespace: str
    name: str
    columns: tuple[tuple[str, str], ...]

    @property
    def node_id(self) -> str:
        return f"dataset:{self.namespace}:{self.name}"


@dataclass(frozen=True, slots=True)
class Task:
    """A job of one domain's DAG, with the numbers of the tables that it reads and writes."""

    namespace: str
    name: str
    dag: str
    reads: tuple[int, ...]
    writes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reach:
    """What one lineage read gives."""

    jobs: int
    datasets: int

    @property
    def nodes(self) -> int:
        return self.jobs + self.datasets


@dataclass(frozen=True)
class Landscape:
    """Tables and tasks; task i is run i, i + tasks, i + 2·tasks and so on."""

    tables: tuple[Table, ...]
    tasks: tuple[Task, ...]
    swaps: dict[int, tuple[int, ...]]  # for each task the inputs it would have after a change of its code

    def users_of_tables(self) -> dict[int, list[int]]:
        users: dict[int, list[int]] = defaultdict(list)
        for number, task in enumerate(self.tasks):
            for table in {*task.reads, *task.writes}:
                users[table].append(number)
        return users

    def reach(self, table: int, depth: int, users: dict[int, list[int]] | None = None) -> Reach:
        """Nodes within `depth` steps; a step is every job that shares a dataset with a job reached."""
        users = users or self.users_of_tables()
        edge = set(users.get(table, ()))
        jobs = set(edge)
        for _ in range(depth):
            touched = {t for job in edge for t in (*self.tasks[job].reads, *self.tasks[job].writes)}
            edge = {job for t in touched for job in users[t]} - jobs
            if not edge:
                break
            jobs |= edge
        datasets = {t for job in jobs for t in (*self.tasks[job].reads, *self.tasks[job].writes)} | {table}
        return Reach(len(jobs), len(datasets))

    def tables_reaching(self, nodes: int, depth: int, count: int) -> list[int]:
        """The written tables whose read of this depth gives most nearly this many nodes, nearest first."""
        users = self.users_of_tables()
        written = sorted({t for task in self.tasks for t in task.writes})
        sizes = {t: self.reach(t, depth, users).nodes for t in written}
        return sorted(written, key=lambda t: (abs(sizes[t] - nodes), t))[:count]

    def edge_counts(self) -> tuple[int, int]:
        """Edges between jobs and datasets, and between columns (every written column has one source)."""
        edges = sum(len(task.reads) + len(task.writes) for task in self.tasks)
        columns = sum(len(self.tables[t].columns) for task in self.tasks for t in task.writes)
        return edges, columns


def _invent_columns(rng: random.Random, count: int) -> tuple[tuple[str, str], ...]:
    return tuple((name, rng.choice(COLUMN_TYPES)) for name in rng.sample(COLUMN_NAMES, count))


def _swap_one(rng: random.Random, reads: set[int], shelf: list[int]) -> tuple[int, ...]:
    others = [table for table in shelf if table not in reads]
    if not others:
        return tuple(sorted(reads))
    return tuple(sorted({*sorted(reads)[1:], rng.choice(others)}))


def layered_landscape(
    jobs: int = 2000,
    seed: int = DEFAULT_SEED,
    *,
    layers: int = 8,
    width: int = 5,
    cross: float = CROSS_DOMAIN,
) -> Landscape:
    """Domains of `layers` × `width` tasks: 2–3 inputs from the layer below, some from other domains."""
    rng = random.Random(f"layered {seed} {jobs} {layers} {width} {cross}")
    domains = max(1, -(-jobs // (layers * width)))
    tables: list[Table] = []
    shelves: dict[tuple[int, int], list[int]] = {}
    made_by: dict[tuple[int, int, int], tuple[int, ...]] = {}

    def invent(domain: int, layer: int) -> int:
        shelf = shelves.setdefault((domain, layer), [])
        namespace = NAMESPACES[0] if layer == 0 else NAMESPACES[1 + (domain + 2 * layer // (layers + 1)) % 3]
        name = f"mart_{domain:03d}.stage{layer}_tab_{len(shelf):02d}"
        tables.append(Table(namespace, name, _invent_columns(rng, rng.randint(13, 17))))
        shelf.append(len(tables) - 1)
        return shelf[-1]

    for domain in range(domains):
        for _ in range(2 * width):
            invent(domain, 0)
        for layer in range(1, layers + 1):
            for place in range(width):
                made_by[domain, layer, place] = tuple(invent(domain, layer) for _ in range(rng.randint(1, 2)))

    tasks: list[Task] = []
    swaps: dict[int, tuple[int, ...]] = {}
    for (domain, layer, place), writes in list(made_by.items())[:jobs]:
        reads: set[int] = set()
        wanted = rng.randint(2, 3)
        while len(reads) < wanted:
            source = rng.randrange(domains) if rng.random() < cross else domain
            reads.add(rng.choice(shelves[source, layer - 1]))
        swaps[len(tasks)] = _swap_one(rng, reads, shelves[domain, layer - 1])
        dag = f"flow_{domain:03d}"
        name = f"{dag}.step_{layer}_{place}"
        tasks.append(Task(f"airflow-main-{domain % 5}", name, dag, tuple(sorted(reads)), writes))
    return Landscape(tuple(tables), tuple(tasks), swaps)


def wide_landscape(datasets: int = 100_000, seed: int = DEFAULT_SEED, *, columns: int = 10) -> Landscape:
    """A job for two datasets, 2 inputs and 2 outputs each: 2 edges and `columns` column edges a dataset."""
    rng = random.Random(f"wide {seed} {datasets} {columns}")
    tables = tuple(
        Table(NAMESPACES[1 + i % 3], f"area_{i // 1000:03d}.wide_tab_{i:06d}", _invent_columns(rng, columns))
        for i in range(datasets)
    )
    tasks: list[Task] = []
    for number in range(datasets // 2):
        first = 2 * number
        # Sources lie shortly before the outputs: the graph is a long band, closed to a ring, and not a ball.
        near = rng.sample(range(2, 400), 2)
        reads = tuple(sorted((first - back) % datasets for back in near))
        dag = f"area_{first // 1000:03d}"
        tasks.append(Task(f"airflow-wide-{number % 5}", f"{dag}.load_{number:06d}", dag, reads, (first, first + 1)))
    return Landscape(tables, tuple(tasks), {})


def river_landscape(nodes: int, seed: int = DEFAULT_SEED, *, layers: int = 10) -> Landscape:
    """About so many nodes, all downstream of the first table: each job reads two tables of the layer before."""
    rng = random.Random(f"river {seed} {nodes} {layers}")
    width = max(1, round((nodes - 1) / (2 * layers)))
    tables = [Table(NAMESPACES[0], f"river_{nodes}.spring", _invent_columns(rng, 15))]
    tasks: list[Task] = []
    before = [0]
    for layer in range(1, layers + 1):
        shelf = []
        for place in range(width):
            area = f"river_{nodes}_{place // 20:02d}"
            columns = _invent_columns(rng, rng.randint(13, 17))
            tables.append(Table(NAMESPACES[1 + place % 3], f"{area}.layer{layer}_tab_{place:03d}", columns))
            shelf.append(len(tables) - 1)
            # Mostly from close by, as teams build on their own tables.
            near = [before[(place * len(before) // width + off) % len(before)] for off in (0, rng.randint(0, 2))]
            reads = tuple(sorted(set(near)))
            tasks.append(Task(f"airflow-{area}", f"{area}.fill_{layer}_{place:03d}", area, reads, (shelf[-1],)))
        before = shelf
    return Landscape(tuple(tables), tuple(tasks), {})
