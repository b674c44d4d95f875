"""Points of histograms enter, explicit or exponential ones; what came between two of them leaves, and quantiles.

Within a bucket values are taken to lie evenly; the edges that a histogram doesn't tell are those of its neighbours.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import NamedTuple


class Bucket(NamedTuple):
    low: float
    high: float
    held: float


@dataclass(frozen=True, slots=True)
class Explicit:
    """`counts` has one more than `bounds`; a bucket holds what is greater than its lower bound, up to its upper."""

    bounds: tuple[float, ...]
    counts: tuple[int, ...]

    def minus(self, before: Explicit) -> Explicit | None:
        """None if this can't be what came after that: a reset."""
        if self.bounds != before.bounds or len(self.counts) != len(before.counts):
            return None
        left = tuple(now - then for now, then in zip(self.counts, before.counts, strict=True))
        return Explicit(self.bounds, left) if min(left, default=0) >= 0 else None

    def buckets(self) -> list[Bucket]:
        if not self.bounds:
            return []
        # Most of what is measured is not negative.
        edges = (min(0.0, self.bounds[0]), *self.bounds, self.bounds[-1])
        return [Bucket(low, high, count) for low, high, count in zip(edges, edges[1:], self.counts, strict=False)]


@dataclass(frozen=True, slots=True)
class Exponential:
    """Bucket `i` holds what is greater than 2^(i/2^scale), up to the next; those of negative values are mirrored."""

    scale: int
    zero_threshold: float
    zero_count: int
    positive: Mapping[int, int] = field(default_factory=dict)
    negative: Mapping[int, int] = field(default_factory=dict)

    def at_scale(self, scale: int) -> Exponential:
        """Coarser: each step down joins two neighbours."""
        shift = self.scale - scale
        return Exponential(
            scale, self.zero_threshold, self.zero_count, _joined(self.positive, shift), _joined(self.negative, shift)
        )

    def plus(self, other: Exponential) -> Exponential:
        scale = min(self.scale, other.scale)
        one, two = self.at_scale(scale), other.at_scale(scale)
        return Exponential(
            scale,
            max(one.zero_threshold, two.zero_threshold),
            one.zero_count + two.zero_count,
            _added(one.positive, two.positive, 1),
            _added(one.negative, two.negative, 1),
        )

    def minus(self, before: Exponential) -> Exponential | None:
        scale = min(self.scale, before.scale)
        one, two = self.at_scale(scale), before.at_scale(scale)
        positive, negative = _added(one.positive, two.positive, -1), _added(one.negative, two.negative, -1)
        zero = one.zero_count - two.zero_count
        if zero < 0 or min(positive.values(), default=0) < 0 or min(negative.values(), default=0) < 0:
            return None
        return Exponential(scale, one.zero_threshold, zero, positive, negative)

    def buckets(self) -> list[Bucket]:
        found = [Bucket(self._edge(at), self._edge(at + 1), count) for at, count in self.positive.items()]
        found += [Bucket(-self._edge(at + 1), -self._edge(at), count) for at, count in self.negative.items()]
        low, high = -self.zero_threshold if self.negative else 0.0, self.zero_threshold if self.positive else 0.0
        return [*found, Bucket(low, high, self.zero_count)]

    def _edge(self, at: int) -> float:
        try:
            return float(2.0 ** (at * 2.0**-self.scale))
        except OverflowError:
            return sys.float_info.max


Histogram = Explicit | Exponential


def merged(histograms: Iterable[Histogram]) -> list[Histogram]:
    """As few as say the same."""
    explicit: dict[tuple[float, ...], tuple[int, ...]] = {}
    exponential: Exponential | None = None
    for one in histograms:
        if isinstance(one, Exponential):
            exponential = one if exponential is None else exponential.plus(one)
        elif one.bounds in explicit:
            # Without bounds a histogram has one bucket, or none.
            both = zip_longest(explicit[one.bounds], one.counts, fillvalue=0)
            explicit[one.bounds] = tuple(here + there for here, there in both)
        else:
            explicit[one.bounds] = one.counts
    found: list[Histogram] = [Explicit(bounds, counts) for bounds, counts in explicit.items()]
    return found if exponential is None else [*found, exponential]


def quantiles(
    buckets: Sequence[Bucket], levels: Sequence[float], least: float | None, most: float | None
) -> list[float]:
    """`least` and `most` are the extremes, where they are known; nothing if the buckets are empty."""
    low, high = -sys.float_info.max if least is None else least, sys.float_info.max if most is None else most
    known = [Bucket(min(max(b.low, low), high), min(max(b.high, low), high), b.held) for b in buckets if b.held]
    total = sum(bucket.held for bucket in known)
    return [_quantile(known, level * total) for level in levels] if total else []


def _quantile(buckets: Sequence[Bucket], target: float) -> float:
    edges = sorted({edge for bucket in buckets for edge in (bucket.low, bucket.high)})
    waiting = sorted(buckets, key=lambda bucket: bucket.low, reverse=True)
    active: list[Bucket] = []
    passed = 0.0
    for number, edge in enumerate(edges):
        while waiting and waiting[-1].low <= edge:
            active.append(waiting.pop())
        # Those without width stand on the edge itself.
        passed += sum(bucket.held for bucket in active if bucket.high == bucket.low)
        active = [bucket for bucket in active if bucket.high > edge]
        if passed >= target or number + 1 == len(edges):
            return edge
        after = edges[number + 1]
        inside = sum(bucket.held * ((after - edge) / (bucket.high - bucket.low)) for bucket in active)
        if passed + inside >= target:
            return edge + (after - edge) * ((target - passed) / inside)
        passed += inside
    raise AssertionError("there is a bucket")


def _joined(counts: Mapping[int, int], shift: int) -> dict[int, int]:
    found: dict[int, int] = {}
    for at, count in counts.items():
        found[at >> shift] = found.get(at >> shift, 0) + count
    return found


def _added(one: Mapping[int, int], other: Mapping[int, int], sign: int) -> dict[int, int]:
    return {at: one.get(at, 0) + sign * other.get(at, 0) for at in one.keys() | other.keys()}
