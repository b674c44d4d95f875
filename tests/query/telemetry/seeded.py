"""Spans and logs made from a seed, as plain values: what the tests work answers out from, and columns to insert."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

SECOND = 1_000_000_000
HOUR = 3_600 * SECOND
# 37 s and an odd number of nanoseconds past a full hour, so that no bound falls on a minute by luck.
ZERO = 1_794_000_000 * SECOND // HOUR * HOUR + 37 * SECOND + 123_456_789
SERVICES = ("shop", "billing", "warehouse")
OPERATIONS = {"shop": ("GET /", "checkout"), "billing": ("charge", "refund"), "warehouse": ("load", "INSERT")}
REMOTE, LOCAL = 0x300, 0x100
WORDS = ("connection", "Refused", "by", "peer", "order_id", "naïve", "Ärger", "42", "timeout", "ok")
SEVERITIES = ((9, "INFO"), (13, "WARN"), (17, "ERROR"), (5, ""))


@dataclass
class Seeded:
    trace_id: str
    span_id: str
    parent: str
    service: str
    name: str
    start: int
    duration: int
    status: str
    flags: int
    namespace: str
    attributes: dict[str, tuple[str, str]]
    """By name: text and type."""
    run_id: str = ""
    pipeline_run_id: str = ""
    events: list[tuple[int, str, dict[str, str]]] = field(default_factory=list)
    links: list[tuple[str, str, str, dict[str, str]]] = field(default_factory=list)

    @property
    def end(self) -> int:
        return self.start + self.duration


@dataclass
class SeededLog:
    at: int
    trace_id: str
    span_id: str
    service: str
    severity: tuple[int, str]
    body: str
    run_id: str
    namespace: str
    attributes: dict[str, tuple[str, str]]


def spans(seed: int, traces: int = 60) -> list[Seeded]:
    dice = random.Random(seed)
    found: list[Seeded] = []
    for _ in range(traces):
        trace_id = f"{dice.getrandbits(128) | 1 << 127:032x}"
        namespace = "team-b" if dice.random() < 0.2 else "default"
        start = ZERO + dice.randrange(3 * HOUR)
        of_trace = [span(dice, trace_id, None, namespace, start)]
        for _ in range(dice.randrange(14)):
            of_trace.append(span(dice, trace_id, dice.choice(of_trace), namespace, start))
        found += of_trace
    return found


def span(dice: random.Random, trace_id: str, parent: Seeded | None, namespace: str, start: int) -> Seeded:
    service = dice.choice(SERVICES) if parent is None or dice.random() < 0.4 else parent.service
    # Those of another service have a remote parent; of the rest it is known, or older SDKs don't say.
    remote = parent is None or parent.service != service
    begin = start if parent is None else parent.start + dice.randrange(parent.duration + 1)
    made = Seeded(
        trace_id,
        f"{dice.getrandbits(64) | 1:016x}",
        parent.span_id if parent is not None else "",
        service,
        dice.choice(OPERATIONS[service]),
        begin,
        int(10 ** dice.uniform(3, 10.3)),
        dice.choice(("OK", "UNSET", "UNSET", "ERROR")),
        dice.choice((REMOTE, 0, 1)) if remote else dice.choice((LOCAL, 0, LOCAL | 1)),
        namespace,
        {
            "http.method": (dice.choice(("GET", "POST")), "string"),
            "http.status_code": (str(dice.choice((200, 404, 500))), "int"),
            "ratio": (repr(dice.random()), "double"),
            "cached": (dice.choice(("true", "false")), "bool"),
        },
    )
    if dice.random() < 0.3:
        made.attributes["tags"] = ('{"arrayValue":{"values":[{"stringValue":"a"},{"intValue":"7"}]}}', "array")
    if dice.random() < 0.3:
        made.events = [(made.start + 1, "exception", {"exception.type": "ValueError"}), (made.start + 2, "end", {})]
    if dice.random() < 0.2:
        made.links = [("f" * 32, "e" * 16, "", {"why": "batch"})]
    return made


def logs(seed: int, of: list[Seeded], count: int = 300) -> list[SeededLog]:
    dice = random.Random(seed)
    found = []
    for _ in range(count):
        one = dice.choice(of)
        inside = dice.random() < 0.7
        found.append(
            SeededLog(
                one.start + dice.randrange(one.duration + 1),
                one.trace_id if inside else "",
                one.span_id if inside else "",
                one.service,
                dice.choice(SEVERITIES),
                " ".join(dice.choices(WORDS, k=dice.randrange(1, 6))) + dice.choice(("", ".", "!")),
                one.run_id if dice.random() < 0.5 else "",
                one.namespace,
                {"thread": (str(dice.randrange(4)), "int")},
            )
        )
    return found


def span_columns(of: list[Seeded]) -> dict[str, list[Any]]:
    return {
        "timestamp": [one.start for one in of],
        "trace_id": [one.trace_id for one in of],
        "span_id": [one.span_id for one in of],
        "parent_span_id": [one.parent for one in of],
        "trace_state": ["" for _ in of],
        "operation_name": [one.name for one in of],
        "duration_ns": [one.duration for one in of],
        "status_code": [one.status for one in of],
        "status_message": ["it failed" if one.status == "ERROR" else "" for one in of],
        "span_kind": ["INTERNAL" for _ in of],
        "flags": [one.flags for one in of],
        "events": [one.events for one in of],
        "links": [one.links for one in of],
        "run_id": [one.run_id for one in of],
        "pipeline_run_id": [one.pipeline_run_id for one in of],
        **common_columns([one.service for one in of], [one.namespace for one in of], [one.attributes for one in of]),
    }


def log_columns(of: list[SeededLog]) -> dict[str, list[Any]]:
    return {
        "timestamp": [one.at for one in of],
        "observed_timestamp": [one.at + 5 for one in of],
        "trace_id": [one.trace_id for one in of],
        "span_id": [one.span_id for one in of],
        "flags": [0 for _ in of],
        "severity_number": [one.severity[0] for one in of],
        "severity_text": [one.severity[1] for one in of],
        "body": [one.body for one in of],
        "body_type": ["string" for _ in of],
        "event_name": ["" for _ in of],
        "run_id": [one.run_id for one in of],
        **common_columns([one.service for one in of], [one.namespace for one in of], [one.attributes for one in of]),
    }


def common_columns(
    services: list[str], namespaces: list[str], attributes: list[dict[str, tuple[str, str]]]
) -> dict[str, list[Any]]:
    return {
        "service_name": services,
        "namespace": namespaces,
        "attributes": [{name: text for name, (text, _) in one.items()} for one in attributes],
        "attribute_types": [{name: kind for name, (_, kind) in one.items() if kind != "string"} for one in attributes],
        "resource_attributes": [{"host.name": f"host-{service}"} for service in services],
        "resource_attribute_types": [{} for _ in services],
        "scope_name": ["tests" for _ in services],
        "scope_version": ["1" for _ in services],
    }
