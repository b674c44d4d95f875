"""Bodies of OTLP enter, 500 spans each with 20 attributes; how many spans a CPU second turns into columns leaves.

Five attributes of a span have 10,000 values each, the others ten. Told are a steady stream of such bodies, the first
body of a stream, and a sender whose every text is new, an id in each attribute; JSON stands beside them. Each is
measured three times, and the best is told: what else the machine does can only take from it.
"""

import base64
import gc
import json
import random
import time
from collections.abc import Callable
from typing import Any

from benchmarks.bench import Bench, run_alone
from benchmarks.claims import Bound, Figure, Row

RATE = Bound(must=40_000, aim=70_000, at_least=True)
SPANS, FEW, MANY = 500, 10, 10_000
START_NS = 1_793_520_000_000_000_000


def make_request(dice: random.Random, spans: int, value: Callable[[int], str]) -> Any:
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    request = ExportTraceServiceRequest()
    group = request.resource_spans.add()
    for key in ("service.name", "service.version", "host.name", "telemetry.sdk.name", "telemetry.sdk.language"):
        group.resource.attributes.add(key=key).value.string_value = f"the {key}"
    scoped = group.scope_spans.add()
    scoped.scope.name = "benchmark"
    for number in range(spans):
        begun = START_NS + number * 1_000_003
        span = scoped.spans.add(
            trace_id=dice.randbytes(16),
            span_id=dice.randbytes(8),
            parent_span_id=dice.randbytes(8),
            name=f"operation {dice.randrange(50)}",
            kind=1 + dice.randrange(5),
            start_time_unix_nano=begun,
            end_time_unix_nano=begun + dice.randrange(10**9),
        )
        for at in range(20):
            span.attributes.add(key=f"attribute.number.{at}").value.string_value = value(at)
    return request


def _json_of(request: Any) -> bytes:
    from google.protobuf.json_format import MessageToDict

    content = MessageToDict(request)
    for span in content["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        for name in ("traceId", "spanId", "parentSpanId"):
            span[name] = base64.b64decode(span[name]).hex()
    return json.dumps(content).encode()


def _rate(bodies: list[bytes], encoding: Any, before_each: Callable[[], None]) -> float:
    from lineage_hub.wire.otlp import read_traces

    def once() -> float:
        spent, spans = 0, 0
        for body in bodies:
            before_each()
            begun = time.process_time_ns()
            found = read_traces(body, encoding)
            spent += time.process_time_ns() - begun
            assert found.rejected == 0
            spans += found.count
        return spans / spent * 1e9

    return max(once() for _ in range(3))


def measure(bench: Bench) -> list[Row]:
    from lineage_hub.wire.otlp import attributes

    # As a hub has it.
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    bodies_each = 100 if bench.sizes.judged else 2
    dice = random.Random(6)

    def drawn(at: int) -> str:
        return f"value {dice.randrange(MANY if at < 5 else FEW)}"

    def new(_: int) -> str:
        return f"{dice.getrandbits(64):016x}"

    usual = [make_request(dice, SPANS, drawn) for _ in range(bodies_each)]
    bodies = [one.SerializeToString() for one in usual]
    strange = [make_request(dice, SPANS, new).SerializeToString() for _ in range(bodies_each)]

    def nothing() -> None:
        """What was met is known."""

    _rate(bodies, "protobuf", nothing)
    cases = [
        ("a steady stream", _rate(bodies, "protobuf", nothing), RATE),
        ("nothing met before", _rate(bodies, "protobuf", attributes.forget), RATE),
        ("every text new, 20 ids a span", _rate(strange, "protobuf", nothing), None),
        ("JSON", _rate([_json_of(one) for one in usual[: bodies_each // 4 + 1]], "json", nothing), None),
    ]
    size = sum(map(len, bodies)) / len(bodies) / 1024
    return [
        Row(
            f"OTLP read into columns, {SPANS} spans a body, 20 attributes a span; {case}",
            (Figure(rate, "spans per CPU second", bound),),
            f"{bodies_each} bodies of {size:.0f} KiB in protobuf",
            raw={"spans_per_cpu_s": rate},
            judged=bench.sizes.judged,
        )
        for case, rate, bound in cases
    ]


if __name__ == "__main__":
    run_alone("otlp_reading", measure, __doc__)
