"""Names and mistakes in them enter as searches. How often the name that was meant is found leaves, and how soon."""

import json
import random
from collections.abc import Iterator

from benchmarks.bench import Bench, run_alone, settle
from benchmarks.claims import Bound, Figure, Row
from benchmarks.estate_names import (
    COLUMNS,
    SCHEMAS,
    SHAPES,
    SUBJECTS,
    Mistake,
    Named,
    estate,
    whole_names_mistyped,
    words_mistyped,
)
from benchmarks.generator import FACETS, PRODUCER
from benchmarks.hub import Hub
from benchmarks.sender import get, send

# The name that was meant is among so many, in so many of a hundred questions.
FIRST = 5
FOUND = Bound(must=95, aim=99, at_least=True)
AT_100K, AT_ESTATE = Bound(must=20, aim=15), Bound(must=10, aim=5)
WRITES, READS = 4, 2


def events(names: list[Named], seed: int = 724) -> Iterator[bytes]:
    """One run of jobs that write a few of the datasets each, and read some of the others."""
    rng = random.Random(f"jobs {seed}")
    for at in range(0, len(names), WRITES):
        number = at // WRITES
        outputs = [_described(rng, one) for one in names[at : at + WRITES]]
        inputs = [{"namespace": one.namespace, "name": one.name} for one in rng.sample(names, READS)]
        yield json.dumps(
            {
                "eventTime": f"2026-03-{1 + number % 28:02d}T{number % 24:02d}:00:00Z",
                "eventType": "COMPLETE",
                "producer": PRODUCER,
                "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
                "run": {"runId": f"00000000-0000-4000-8000-{number:012d}"},
                "job": {
                    "namespace": f"airflow-{number % 7}",
                    "name": f"{rng.choice(SCHEMAS)}_{rng.choice(SUBJECTS)}.load_{rng.choice(SHAPES)}_{number}",
                },
                "inputs": inputs,
                "outputs": outputs,
            }
        ).encode()


def _described(rng: random.Random, one: Named) -> dict[str, object]:
    subject = rng.choice(SUBJECTS)
    columns = [
        f"{subject}_id",
        *rng.sample(COLUMNS, 8),
        *(f"{rng.choice(SUBJECTS)}_{rng.choice(SHAPES)}" for _ in "ab"),
    ]
    facets: dict[str, object] = {
        "schema": {
            "_producer": PRODUCER,
            "_schemaURL": FACETS,
            "fields": [{"name": c, "type": "VARCHAR"} for c in columns],
        },
        "ownership": {"_producer": PRODUCER, "_schemaURL": FACETS, "owners": [{"name": f"team:{rng.choice(SCHEMAS)}"}]},
    }
    if rng.random() < 0.2:
        words = f"Every {subject} by {rng.choice(SHAPES)} {rng.choice(SUBJECTS)}, for {rng.choice(SCHEMAS)}."
        facets["documentation"] = {"_producer": PRODUCER, "_schemaURL": FACETS, "description": words}
    return {"namespace": one.namespace, "name": one.name, "facets": facets}


def _ask(text: str) -> bytes:
    return get("/api/v1/search", q=text)


def _place(body: bytes, meant: str) -> int:
    """From 1; 0 if it isn't there."""
    ids = [one["nodeId"] for one in json.loads(body)["results"]]
    return ids.index(meant) + 1 if meant in ids else 0


def _measure_mistakes(bench: Bench, hub: Hub, what: str, mistakes: list[Mistake], names: int) -> Row:
    meant = iter([one.meant.node_id for one in mistakes])
    before = settle(hub)
    done = send(
        hub.port, [_ask(one.typed) for one in mistakes], expect=(200,), examine=lambda b: _place(b, next(meant))
    )
    cpu_ms = 1000 * (hub.cpu_s() - before) / len(mistakes)
    among = sum(1 for place in done.findings if 0 < place <= FIRST)
    share = 100 * among / len(mistakes)
    return Row(
        f"search for {what} with one mistake among {names:,} names: in the first {FIRST}, p95",
        (Figure(share, "%", FOUND), Figure(done.percentile_ms(0.95), "ms", AT_100K)),
        f"{among:,} of {len(mistakes):,}; first {sum(1 for p in done.findings if p == 1):,}; "
        f"p50 {done.percentile_ms(0.5):.1f} ms, max {done.percentile_ms(1.0):.1f} ms, {cpu_ms:.1f} CPU-ms",
        raw={**done.summary(), "places": done.findings, "typed": [one.typed for one in mistakes]},
        judged=bench.sizes.judged,
    )


def _measure_words(bench: Bench, hub: Hub, what: str, asked: list[str], bound: Bound, share: float) -> Row:
    before = settle(hub)
    done = send(
        hub.port, [_ask(text) for text in asked], expect=(200,), examine=lambda b: len(json.loads(b)["results"])
    )
    cpu_ms = 1000 * (hub.cpu_s() - before) / len(asked)
    missing = sum(1 for found in done.findings if not found)
    if missing:
        raise AssertionError(f"{missing} of {len(asked)} searches for words that are there found nothing")
    return Row(
        f"search for {what}, p{100 * share:.0f}",
        (Figure(done.percentile_ms(share), "ms", bound),),
        f"{len(asked)} questions; p50 {done.percentile_ms(0.5):.1f} ms, p95 {done.percentile_ms(0.95):.1f} ms, "
        f"max {done.percentile_ms(1.0):.1f} ms, {cpu_ms:.1f} CPU-ms",
        "14 ms" if share == 0.5 else "–",
        done.summary(),
        bench.sizes.judged,
    )


def measure(bench: Bench) -> list[Row]:
    sizes = bench.sizes
    names = estate(sizes.names)
    if not bench.is_loaded("names"):
        with Hub(bench.fresh_folder("names")) as hub:
            bench.load(hub, events(names))
        bench.mark_loaded("names")
    rng = random.Random("asked")
    usual = [rng.choice((*SUBJECTS, *SHAPES)) for _ in range(sizes.mistakes // 5)]
    usual += [f"{rng.choice(SUBJECTS)} {rng.choice(SHAPES)}" for _ in range(sizes.mistakes // 5)]
    rows = []
    with Hub(bench.folder / "names", first_path="/api/v1/health") as hub:
        settle(hub)
        before_mb = hub.memory().rss_mb
        first = send(hub.port, [_ask("customer")], expect=(200,))
        settle(hub, 120)
        memory = hub.memory()
        rows.append(
            Row(
                f"the first search of a hub with {len(names):,} datasets, and its memory when all is prepared",
                (Figure(first.percentile_ms(1.0) / 1000, "s"), Figure(memory.rss_mb, "MB", Bound(must=500, aim=250))),
                f"{before_mb:.0f} MB before it; PSS {memory.pss_mb:.0f} MB",
                judged=sizes.judged,
            )
        )
        whole = list(whole_names_mistyped(names, sizes.mistakes, 1))
        alone = list(words_mistyped(names, sizes.mistakes, 2))
        rows += [
            _measure_mistakes(bench, hub, "a whole name", whole, len(names)),
            _measure_mistakes(bench, hub, "one rare word", alone, len(names)),
            _measure_words(bench, hub, f"one or two usual words among {len(names):,} names", usual, AT_100K, 0.95),
        ]
    _, stream = bench.estate()
    tables = stream.landscape.tables
    asked = [rng.choice(tables).name for _ in range(sizes.mistakes // 10)]
    asked += [rng.choice(tables).name.split(".")[-1] for _ in range(sizes.mistakes // 10)]
    with Hub(bench.copy_of("estate")) as hub:
        send(hub.port, [_ask("mart")], expect=(200,))
        rows.append(_measure_words(bench, hub, f"a name among {len(tables):,} datasets", asked, AT_ESTATE, 0.5))
    return rows


if __name__ == "__main__":
    run_alone("search", measure, __doc__)
