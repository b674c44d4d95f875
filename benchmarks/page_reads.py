"""What the page asks for first enters as questions: whether all is right, and the badges of a graph. Times leave.

Asked of a hub that has just started, which goes on looking after its answers, and again when it knows everything.
"""

import json
import random
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from benchmarks.bench import Bench, measure_reads
from benchmarks.claims import Bound, Figure, Row
from benchmarks.generator import RUN_EVERY_S, EventStream
from benchmarks.hub import Hub, hub_command
from benchmarks.sender import Sending, get, post, send

ANSWER = Bound(must=300, aim=150)
NODES = 500
ASK_EVERY_S = 2.0
MOST_PATIENCE_S = 1_200.0


def then(stream: EventStream, command: Sequence[str] | None = None) -> list[str]:
    """The command of a hub for which the last event of the stream has just happened."""
    ended_at = stream.starts_at + timedelta(seconds=stream.total / 2 * RUN_EVERY_S)
    return [sys.executable, "-m", "benchmarks.then", ended_at.isoformat(), *(command or hub_command())[1:]]


def page_rows(
    bench: Bench, folder: Path, stream: EventStream, of: str, command: Sequence[str] | None = None
) -> list[Row]:
    with Hub(folder, command=then(stream, command)) as hub:
        return [_badges(bench, hub, stream, of), _overview(bench, hub, of)]


def _overview(bench: Bench, hub: Hub, of: str) -> Row:
    ask = [get("/api/v1/overview")]
    first = measure_reads(hub, ask, _truncated)
    began = time.monotonic()
    while send(hub.port, ask, expect=(200,), examine=_truncated).findings[0]:
        if time.monotonic() - began > MOST_PATIENCE_S:
            raise AssertionError(f"the overview is not whole after {MOST_PATIENCE_S:.0f} s")
        time.sleep(ASK_EVERY_S)
    whole_s = time.monotonic() - began
    again = measure_reads(hub, ask * bench.sizes.reads, _truncated)
    return Row(
        f"whether all is right; {of}",
        _figures(first.sending, again.sending),
        f"p50 of {again.sending.requests}; {first.cpu_ms_per_request:.0f} CPU-ms, then {again.cpu_ms_per_request:.1f}; "
        f"it knows everything after {whole_s:.0f} s",
        raw={"first": first.sending.summary(), "again": again.sending.summary(), "wholeS": whole_s},
        judged=bench.sizes.judged,
    )


def _badges(bench: Bench, hub: Hub, stream: EventStream, of: str) -> Row:
    dice = random.Random("badges")
    landscape = stream.landscape
    written = sorted({table for task in landscape.tasks for table in task.writes})
    tables = dice.sample(written, min(len(written), NODES // 2))
    tasks = dice.sample(landscape.tasks, min(len(landscape.tasks), NODES - len(tables)))
    nodes = [landscape.tables[one].node_id for one in tables]
    nodes += [f"job:{one.namespace}:{one.name}" for one in tasks]
    ask = [post("/api/v1/badges", json.dumps({"nodeIds": nodes}).encode())]
    first = measure_reads(hub, ask, _badges_shown)
    again = measure_reads(hub, ask * bench.sizes.reads, _badges_shown)
    if set(again.sending.findings) != {len(nodes)}:
        raise AssertionError(f"badges of {len(nodes)} nodes gave {again.sending.findings[0]}")
    return Row(
        f"badges of {len(nodes)} nodes; {of}",
        _figures(first.sending, again.sending),
        f"p50 of {again.sending.requests}; {first.cpu_ms_per_request:.0f} CPU-ms, then {again.cpu_ms_per_request:.1f}",
        raw={"first": first.sending.summary(), "again": again.sending.summary()},
        judged=bench.sizes.judged,
    )


def _figures(first: Sending, again: Sending) -> tuple[Figure, ...]:
    return (
        Figure(first.percentile_ms(0.5), "ms at first", ANSWER),
        Figure(again.percentile_ms(0.5), "ms again", ANSWER),
    )


def _truncated(body: bytes) -> int:
    return int(json.loads(body)["truncated"])


def _badges_shown(body: bytes) -> int:
    return len(json.loads(body)["badges"])
