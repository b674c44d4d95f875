"""Quantiles of histograms, and what came between two of their points, equal a count by hand."""

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage_hub.lineage.buckets import Bucket, Explicit, Exponential, merged, quantiles

COUNTS = st.integers(0, 50)


@given(st.lists(st.tuples(st.integers(-100, 100), st.integers(0, 40), st.integers(0, 9)), max_size=8), st.data())
def test_a_quantile_is_where_so_much_of_the_buckets_has_passed(
    given_buckets: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    """Also where buckets lie over each other, or have no width."""
    buckets = [Bucket(low, low + width, count) for low, width, count in given_buckets]
    level = data.draw(st.integers(1, 100))
    found = quantiles(buckets, [level / 100], None, None)
    total = sum(bucket.held for bucket in buckets)
    if not total:
        assert found == []
        return
    target = Fraction(level, 100) * int(total)

    def passed(at: Fraction) -> Fraction:
        share = Fraction(0)
        for low, width, count in given_buckets:
            inside = Fraction(int(at >= low)) if width == 0 else min(max((at - low) / width, Fraction(0)), Fraction(1))
            share += count * inside
        return share

    slack = Fraction(1, 10**6)
    assert passed(Fraction(found[0]) + slack) >= target - slack * 100
    assert passed(Fraction(found[0]) - slack) <= target + slack * 100


def test_extremes_that_are_known_narrow_the_buckets() -> None:
    buckets = Explicit((10.0, 100.0), (0, 4, 4)).buckets()
    assert quantiles(buckets, [0.25, 1.0], None, None) == [55.0, 100.0]
    assert quantiles(buckets, [0.25, 1.0], 40.0, 300.0) == [70.0, 100.0], "the last bucket has no upper bound"
    assert quantiles(buckets, [], None, None) == []
    assert Explicit((), (9,)).buckets() == []


def test_the_first_bucket_begins_at_zero_unless_values_are_negative() -> None:
    assert Explicit((10.0,), (1, 0)).buckets()[0] == Bucket(0.0, 10.0, 1)
    assert Explicit((-5.0, 5.0), (1, 1, 0)).buckets()[:2] == [Bucket(-5.0, -5.0, 1), Bucket(-5.0, 5.0, 1)]


@given(st.lists(COUNTS, min_size=4, max_size=4), st.lists(COUNTS, min_size=4, max_size=4))
def test_between_two_points_of_explicit_bounds_is_their_difference(before: list[int], more: list[int]) -> None:
    bounds = (1.0, 2.0, 3.0)
    then = Explicit(bounds, tuple(before))
    now = Explicit(bounds, tuple(one + two for one, two in zip(before, more, strict=True)))
    assert now.minus(then) == Explicit(bounds, tuple(more))
    assert (then.minus(now) is None) == any(more)
    assert now.minus(Explicit((1.0, 2.0, 4.0), tuple(before))) is None


def exponential(values: list[float], scale: int) -> Exponential:
    sides: tuple[dict[int, int], dict[int, int]] = {}, {}
    for value in values:
        if value:
            side, at = sides[value < 0], math.ceil(math.log2(abs(value)) * 2.0**scale) - 1
            side[at] = side.get(at, 0) + 1
    return Exponential(scale, 0.0, sum(value == 0 for value in values), *sides)


# Powers of two and their neighbours are where rounding decides, so values keep a distance from edges.
VALUES = st.lists(st.floats(0.001, 1e6).map(lambda x: x * 1.0001) | st.floats(-1e6, -0.001) | st.just(0.0), max_size=30)


def without_empty(one: Exponential) -> tuple[object, ...]:
    sides = ({at: count for at, count in side.items() if count} for side in (one.positive, one.negative))
    return one.scale, one.zero_count, *sides


@given(VALUES, VALUES, st.integers(-2, 6), st.integers(-2, 6))
def test_exponential_points_of_two_scales_are_taken_apart_at_the_coarser(
    before: list[float], more: list[float], scale_then: int, scale_now: int
) -> None:
    then, now = exponential(before, scale_then), exponential(before + more, scale_now)
    left, coarse = now.minus(then), min(scale_then, scale_now)
    assert left is not None
    assert without_empty(left) == without_empty(exponential(more, scale_now).at_scale(coarse))
    both = then.plus(exponential(more, scale_now))
    assert without_empty(both) == without_empty(exponential(before + more, coarse))
    if more:
        assert then.minus(now) is None


@pytest.mark.parametrize("seed", range(3))
def test_a_quantile_of_an_exponential_histogram_is_near_that_of_its_values(seed: int) -> None:
    dice = random.Random(seed)
    values = sorted(dice.lognormvariate(0, 3) * dice.choice((1, 1, -1)) for _ in range(2_000))
    found = quantiles(exponential(values, 4).buckets(), [0.05, 0.5, 0.95, 0.99], None, None)
    for level, quantile in zip((0.05, 0.5, 0.95, 0.99), found, strict=True):
        assert quantile == pytest.approx(values[math.ceil(level * len(values)) - 1], rel=2 ** (1 / 16) - 1 + 1e-3)


def test_values_at_the_end_of_the_scale_are_told_as_numbers() -> None:
    buckets = Exponential(-10, 1e-9, 3, {0: 1}, {0: 1}).buckets()
    assert all(math.isfinite(edge) for bucket in buckets for edge in bucket[:2])
    assert quantiles(buckets, [0.5], None, None)[0] == pytest.approx(0.0, abs=1e-9)


def test_histograms_of_other_bounds_stand_beside_each_other() -> None:
    one, other = Explicit((1.0,), (1, 2)), Explicit((2.0,), (3, 4))
    fine, coarse = exponential([3.0], 3), exponential([5.0], 1)
    found = merged([one, fine, other, one, coarse])
    assert found == [Explicit((1.0,), (2, 4)), other, fine.plus(coarse)]


def test_histograms_without_bounds_are_merged_whether_or_not_they_have_a_bucket() -> None:
    assert merged([Explicit((), ()), Explicit((), (3,)), Explicit((), ()), Explicit((), (4,))]) == [Explicit((), (7,))]
    assert merged([Explicit((), ())])[0].buckets() == []
