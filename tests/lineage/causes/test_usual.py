"""What is usual: medians of earlier figures, with growth and weekdays taken into account."""

from __future__ import annotations

import random

from lineage_hub.lineage.causes.usual import DAY_S, usual, usual_amount

DAYS = [day * DAY_S for day in range(28)]


def noise(size: float) -> list[float]:
    dice = random.Random(3)
    return [dice.gauss(0, size) for _ in DAYS]


def test_a_past_incident_is_not_the_measure() -> None:
    figures = [100 + one for one in noise(2)]
    figures[5] = figures[20] = 5_000
    found = usual_amount(list(zip(DAYS, figures, strict=True)), 28 * DAY_S, floor=1)
    assert found is not None
    assert 95 < found.value < 105
    assert found.certainty(150) > 0.9
    assert found.certainty(104) == 0


def test_what_grows_every_day_is_expected_to_go_on() -> None:
    figures = [100 * 1.02**day + one for day, one in enumerate(noise(1))]
    found = usual_amount(list(zip(DAYS, figures, strict=True)), 28 * DAY_S, floor=1)
    assert found is not None
    assert abs(found.value - 100 * 1.02**28) < 5


def test_a_weekday_that_is_always_otherwise_is_its_own_measure() -> None:
    figures = [(300 if day % 7 == 6 else 100) + one for day, one in enumerate(noise(4))]
    samples = list(zip(DAYS, figures, strict=True))
    on_the_seventh, on_the_first = (usual_amount(samples, day * DAY_S, floor=1) for day in (34, 28))
    assert on_the_seventh is not None
    assert on_the_first is not None
    assert on_the_seventh.certainty(310) == 0
    assert on_the_first.certainty(310) > 0.9


def test_two_figures_say_nothing_and_few_say_less() -> None:
    assert usual([(0, 1.0), (1, 1.0)], 2, floor=1) is None
    few, many = (usual([(float(n), 100.0) for n in range(count)], count, floor=1) for count in (3, 30))
    assert few is not None
    assert many is not None
    assert few.certainty(120) < many.certainty(120)
