"""What really happened is made from a seed, measurement by measurement; points of metrics as senders tell it leave."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tests.query.telemetry.figures.seeded import MINUTE, SECOND, ZERO, Point

EVERY = 30 * SECOND
LENGTH = 90 * MINUTE
BOUNDS = [1.0, 5.0, 10.0, 50.0, 100.0]
SCALE = 3


@dataclass(frozen=True)
class Measurement:
    at: int
    value: float
    host: str
    route: str


@dataclass(frozen=True)
class Measured:
    """`restarts` are when each host began anew; before the first it had not been there."""

    measurements: list[Measurement]
    restarts: dict[str, list[int]]


def measured(seed: int) -> Measured:
    dice = random.Random(seed)
    restarts = {"a": [ZERO], "b": [ZERO + 20 * MINUTE, ZERO + 47 * MINUTE + 11 * SECOND]}
    found = []
    for host, started in restarts.items():
        at = started[0]
        while (at := at + dice.randrange(1, 20 * SECOND)) < ZERO + LENGTH:
            found.append(Measurement(at, dice.lognormvariate(2, 1), host, dice.choice(("/", "/cart"))))
    return Measured(sorted(found, key=lambda one: one.at), restarts)


def reports(known: Measured) -> Iterator[tuple[str, str, int, int, int]]:
    """Host, route, the beginning of its process, and the stretch since its last report."""
    for host, started in known.restarts.items():
        for began, end in zip(started, [*started[1:], ZERO + LENGTH], strict=True):
            for since in range(began, end - EVERY, EVERY):
                for route in ("/", "/cart"):
                    yield host, route, began, since, since + EVERY


def every_point(known: Measured) -> list[Point]:
    found = []
    for host, route, began, since, until in reports(known):
        of_stream = [one for one in known.measurements if (one.host, one.route) == (host, route)]
        whole = [one.value for one in of_stream if began <= one.at < until]
        part = [one.value for one in of_stream if since <= one.at < until]
        base = Point(
            until,
            "",
            "sum",
            # Whoever sends attributes may send them in any order.
            attributes={"route": route, "z": "1"} if until // EVERY % 2 else {"z": "1", "route": route},
            resource_attributes={"host.name": host},
            service_name="shop",
            unit="{request}",
        )
        cumulative = replace(base, start_timestamp=began, temporality="CUMULATIVE")
        delta = replace(base, start_timestamp=since, temporality="DELTA")
        if until % 7 == 0:
            # For a moment there was no value, which is no restart.
            silent = replace(cumulative, timestamp=until + 1, flags=1, is_monotonic=True)
            found += [replace(silent, metric_name=name) for name in ("requests", "process.cpu.time")]
        found += [
            replace(cumulative, metric_name="requests", value=float(len(whole)), is_monotonic=True),
            replace(delta, metric_name="requests.delta", value=float(len(part)), is_monotonic=True),
            replace(cumulative, metric_name="process.cpu.time", value=sum(whole), is_monotonic=True, unit="s"),
            replace(cumulative, metric_name="queue", value=float(len(whole) % 17), unit="{item}"),
            replace(base, metric_name="process.memory.usage", metric_type="gauge", value=sum(part), unit="By"),
            _explicit(replace(cumulative, metric_name="took"), whole),
            _explicit(replace(delta, metric_name="took.delta"), part),
            _exponential(replace(cumulative, metric_name="took.fine"), whole, began),
            _exponential(replace(delta, metric_name="took.fine.delta"), part, since),
            replace(
                base,
                metric_name="took.summary",
                metric_type="summary",
                count=len(whole),
                value=sum(whole),
                quantiles=[(0.5, 1.5), (0.99, float(len(part)))],
            ),
        ]
    return found


def _explicit(base: Point, values: list[float]) -> Point:
    counts = [0] * (len(BOUNDS) + 1)
    for value in values:
        counts[next((at for at, bound in enumerate(BOUNDS) if value <= bound), len(BOUNDS))] += 1
    return replace(_extremes(base, values), metric_type="histogram", bucket_counts=counts, explicit_bounds=BOUNDS)


def _exponential(base: Point, values: list[float], began: int) -> Point:
    """Senders lower the scale when values scatter: here the longer they are at work."""
    scale = SCALE - (base.timestamp - began) // (30 * MINUTE)
    found: dict[int, int] = {}
    for value in values:
        at = math.ceil(math.log2(value) * 2**scale) - 1
        found[at] = found.get(at, 0) + 1
    first, last = min(found, default=0), max(found, default=-1)
    return replace(
        _extremes(base, values),
        metric_type="exponential_histogram",
        scale=scale,
        positive_offset=first,
        positive_counts=[found.get(at, 0) for at in range(first, last + 1)],
    )


def _extremes(base: Point, values: list[float]) -> Point:
    return replace(
        base,
        count=len(values),
        value=sum(values),
        unit="s",
        min=min(values, default=0.0),
        max=max(values, default=0.0),
        has_min=bool(values),
        has_max=bool(values),
    )
