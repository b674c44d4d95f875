"""What Chromium traced while a page was used enters; the script of each frame and the longest tasks leave.

Times are those of the thread that draws the page, in milliseconds; what calls something else is counted once.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

# What Chromium writes of a page's work; the frames stand in a category of their own.
CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline", "devtools.timeline.frame", "toplevel"]
_SCRIPT = frozenset(
    {
        "EvaluateScript",
        "EventDispatch",
        "FireAnimationFrame",
        "FireIdleCallback",
        "FunctionCall",
        "RunMicrotasks",
        "TimerFire",
        "v8.compile",
        "v8.evaluateModule",
        "XHRReadyStateChange",
    }
)
_TASKS = frozenset({"RunTask", "ThreadControllerImpl::RunTask"})
# The first of them that a trace has: not every trace has both.
_FRAMES = ("BeginMainThreadFrame", "Commit")
Stretch = tuple[float, float]


@dataclass(frozen=True)
class Traced:
    """`script_ms` has one number for each frame, `tasks_ms` one for each task, `cpu_ms` what it took of a processor."""

    script_ms: tuple[float, ...]
    tasks_ms: tuple[float, ...]
    cpu_ms: tuple[float, ...]

    @property
    def longest_task_ms(self) -> float:
        return max(self.tasks_ms, default=0.0)

    @property
    def longest_cpu_ms(self) -> float:
        return max(self.cpu_ms, default=0.0)

    def script_at(self, share: float) -> float:
        """The script that this share of the frames has at most."""
        if not self.script_ms:
            raise ValueError("nothing was drawn while the trace ran")
        ordered = sorted(self.script_ms)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def read_trace(text: bytes) -> Traced:
    events = json.loads(text)["traceEvents"]
    there = {event.get("name") for event in events}
    mark = next((name for name in _FRAMES if name in there), _FRAMES[0])
    thread = _drawing_thread(events, mark)
    own = [event for event in events if (event.get("pid"), event.get("tid")) == thread]
    frames = sorted(event["ts"] / 1000 for event in own if event["name"] == mark)
    script = _union([_stretch(event) for event in own if event["name"] in _SCRIPT and event.get("ph") == "X"])
    tasks = [event for event in own if event["name"] in _TASKS and event.get("ph") == "X"]
    return Traced(
        tuple(_within(script, frame) for frame in pairwise(frames)),
        tuple(event.get("dur", 0) / 1000 for event in tasks),
        tuple(event.get("tdur", 0) / 1000 for event in tasks),
    )


def _drawing_thread(events: list[dict[str, Any]], mark: str) -> tuple[int, int]:
    """A browser has several that could; the page's is the one that drew."""
    named = {
        (event["pid"], event["tid"])
        for event in events
        if event.get("name") == "thread_name" and event["args"].get("name") == "CrRendererMain"
    }
    drew = Counter(
        (event["pid"], event["tid"])
        for event in events
        if event.get("name") == mark and (event["pid"], event["tid"]) in named
    )
    if not drew:
        raise ValueError("the trace has no thread that drew a page")
    return drew.most_common(1)[0][0]


def _stretch(event: dict[str, Any]) -> Stretch:
    return event["ts"] / 1000, (event["ts"] + event.get("dur", 0)) / 1000


def _union(stretches: list[Stretch]) -> list[Stretch]:
    joined: list[Stretch] = []
    for begin, end in sorted(stretches):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((begin, end))
    return joined


def _within(stretches: list[Stretch], frame: Stretch) -> float:
    return sum(max(0.0, min(end, frame[1]) - max(begin, frame[0])) for begin, end in stretches)
