"""Bodies of OTLP enter, 500 spans each with 20 attributes; how many spans a CPU second turns into columns leaves.

Told are a steady stream of bodies as `benchmarks/spans.py` writes them, the first body of a stream, and a sender whose
every text is new, an id in each attribute; JSON stands beside them. Each is measured three times, and the best is told:
what else the machine does can only take from it.
"""

import base64
import gc
import json
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.bench import Bench, run_alone
from benchmarks.claims import Bound, Figure, Row
from benchmarks.spans import SPANS, SpanStream

RATE = Bound(must=40_000, aim=70_000, at_least=True)
START_NS, HOUR_NS = 1_793_520_000_000_000_000, 3600 * 10**9


def _request(body: bytes) -> Any:
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    return ExportTraceServiceRequest.FromString(body)


def _spans(request: Any) -> Iterator[Any]:
    return (span for group in request.resource_spans for scoped in group.scope_spans for span in scoped.spans)


def _with_new_texts(body: bytes, dice: random.Random) -> bytes:
    """The same, but each attribute of a span holds an id that nobody has seen."""
    request = _request(body)
    for span in _spans(request):
        for attribute in span.attributes:
            attribute.value.string_value = f"{dice.getrandbits(64):016x}"
    return bytes(request.SerializeToString())


def _json_of(body: bytes) -> bytes:
    from google.protobuf.json_format import MessageToDict

    content = MessageToDict(_request(body))
    spans = (one for group in content["resourceSpans"] for scoped in group["scopeSpans"] for one in scoped["spans"])
    for span in spans:
        for name in ("traceId", "spanId", "parentSpanId"):
            # The first span of a trace has no parent.
            if name in span:
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
    stream = SpanStream(templates=60 if bench.sizes.judged else 2)
    bodies = list(stream.bodies(bodies_each, START_NS, START_NS + HOUR_NS))
    strange = [_with_new_texts(body, dice) for body in bodies]

    def nothing() -> None:
        """What was met is known."""

    _rate(bodies, "protobuf", nothing)
    cases = [
        ("a steady stream", _rate(bodies, "protobuf", nothing), RATE),
        ("nothing met before", _rate(bodies, "protobuf", attributes.forget), RATE),
        ("every text new, 20 ids a span", _rate(strange, "protobuf", nothing), None),
        ("JSON", _rate([_json_of(one) for one in bodies[: bodies_each // 4 + 1]], "json", nothing), None),
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
