"""A trace of Chromium is read rightly: script is counted once, by frame, and only that of the thread that draws."""

import json
from typing import Any

import pytest

from benchmarks.page_trace import read_trace

PAGE, OTHER = (10, 1), (20, 1)


def _event(name: str, at_ms: float, lasts_ms: float = 0, thread: tuple[int, int] = PAGE, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "ph": "X",
        "ts": at_ms * 1000,
        "dur": lasts_ms * 1000,
        "pid": thread[0],
        "tid": thread[1],
        **more,
    }


def _named(thread: tuple[int, int]) -> dict[str, Any]:
    return _event("thread_name", 0, thread=thread, args={"name": "CrRendererMain"})


def _trace(*events: dict[str, Any]) -> bytes:
    return json.dumps({"traceEvents": [_named(PAGE), _named(OTHER), *events]}).encode()


FRAMES = [_event("BeginMainThreadFrame", at) for at in (0, 16, 32, 48)]


def test_what_calls_something_else_is_counted_once_and_in_the_frame_in_which_it_ran() -> None:
    traced = read_trace(
        _trace(
            *FRAMES,
            _event("EventDispatch", 2, 5),
            _event("FunctionCall", 3, 3),  # within the one above
            _event("TimerFire", 30, 4),  # two in one frame, two in the next
            _event("Paint", 40, 7),
            _event("FunctionCall", 5, 40, thread=OTHER),
        )
    )
    assert traced.script_ms == pytest.approx((5, 2, 2))
    assert traced.script_at(0.5) == pytest.approx(2)
    assert traced.script_at(1) == pytest.approx(5)


def test_the_longest_task_is_that_of_the_page() -> None:
    waited = _event("RunTask", 1, 90, tdur=20_000)
    worked = _event("RunTask", 100, 40, tdur=39_000)
    traced = read_trace(_trace(*FRAMES, waited, worked, _event("RunTask", 3, 500, thread=OTHER, tdur=400_000)))
    assert traced.longest_task_ms == pytest.approx(90)
    assert traced.longest_cpu_ms == pytest.approx(39)


def test_a_trace_without_a_picture_gives_no_figure() -> None:
    with pytest.raises(ValueError, match="drew"):
        read_trace(_trace(_event("RunTask", 1, 90)))
