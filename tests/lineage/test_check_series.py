"""Which units say how a check stands: the last result, the last that passed, the first that failed after it."""

from __future__ import annotations

from lineage_hub.lineage.check_series import CheckSeries, CheckWords, Saying
from lineage_hub.lineage.rows import Ord
from lineage_hub.lineage.shapes import IN, OUT

T, U, V = 1, 2, 3


def ord_at(time: int) -> Ord:
    return (time, b"e")


def said(
    time: int, success: bool | None, *, on: int = T, side: int = IN, check: str = "c", taken_back: bool = False
) -> Saying:
    results = None if taken_back else ((check, success),)
    return Saying(ord_at(time), on, CheckWords(on, side, "dataQualityAssertions", 1, results))


def kept(results: str, *, elsewhere: tuple[int, ...] = ()) -> set[int]:
    """Units are numbered by their time; `+` passed, `-` failed, `?` nothing was said."""
    series = CheckSeries({}, ())
    for time, result in enumerate(results):
        series.observe(time, [said(time * 10, {"+": True, "-": False, "?": None}[result])])
    return series.kept({T: [ord_at(time) for time in elsewhere]})


def test_the_last_of_many_that_passed_is_enough() -> None:
    assert kept("--+-+++") == {6}


def test_of_failures_the_first_and_the_last_stay_with_the_success_before_them() -> None:
    assert kept("-+-+----") == {3, 4, 7}


def test_without_a_success_the_first_failure_of_all_stays() -> None:
    assert kept("----") == {0, 3}


def test_a_result_that_wasnt_told_is_none() -> None:
    assert kept("+-??") == {0, 1}
    assert kept("??") == set()


def test_after_what_others_told_a_failure_may_be_the_first() -> None:
    assert kept("+-----", elsewhere=(25,)) == {0, 1, 3, 5}
    assert kept("+-----", elsewhere=(-5, 5, 99)) == {0, 1, 5}


def test_of_one_run_the_newest_words_on_a_side_count_and_all_must_have_passed() -> None:
    series = CheckSeries({}, ())
    series.observe(0, [said(5, True), said(4, False)])
    series.observe(1, [said(9, True), said(8, False, side=OUT)])
    series.observe(2, [said(12, None, taken_back=True), said(11, True)])
    assert series.kept({}) == {0, 1}


def test_joined_names_are_one_dataset_or_two() -> None:
    """Apart, T fails since 0; together, the success of U lies between."""
    series = CheckSeries({T: T, U: T}, ())
    for time, on, success in ((0, T, False), (1, U, True), (2, T, False), (3, T, False), (4, T, False)):
        series.observe(time, [said(time, success, on=on)])
    assert series.kept({}) == {0, 1, 2, 4}


def test_where_many_names_are_one_dataset_all_stay() -> None:
    series = CheckSeries({T: T, U: T, V: T}, {T})
    for time in range(5):
        series.observe(time, [said(time, True)])
    assert series.kept({}) == {0, 1, 2, 3, 4}
