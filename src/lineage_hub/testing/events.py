"""Events enter as text, from any thread; they leave as dictionaries, and as the runs that they tell of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from lineage_hub.errors import InvalidEvent
from lineage_hub.sdk.datasets import DatasetSpec, Name, name_of

RUNNING = "RUNNING"
ENDS = ("COMPLETE", "FAIL", "ABORT")


@dataclass(eq=False)
class RecordedRun:
    """One run, as its events tell of it."""

    id: str
    namespace: str
    job: str
    events: list[dict[str, Any]] = field(default_factory=list, repr=False)

    @property
    def state(self) -> str:
        """RUNNING, COMPLETE, FAIL or ABORT."""
        return next((event["eventType"] for event in self.events if event.get("eventType") in ENDS), RUNNING)

    @property
    def inputs(self) -> list[Name]:
        """Namespace and name of each dataset, in the order in which they were told."""
        return list(self._datasets("inputs"))

    @property
    def outputs(self) -> list[Name]:
        """Namespace and name of each dataset, in the order in which they were told."""
        return list(self._datasets("outputs"))

    @property
    def error(self) -> str | None:
        """Its message."""
        told = self.facets.get("errorMessage")
        return None if told is None else str(told.get("message"))

    @property
    def parent(self) -> str | None:
        """The id of the run that started it."""
        told = self.facets.get("parent")
        return None if told is None else str(told["run"]["runId"])

    @property
    def facets(self) -> dict[str, Any]:
        """Of the run, the last that was told of each name."""
        return _merged(event["run"].get("facets") for event in self.events)

    @property
    def job_facets(self) -> dict[str, Any]:
        """Of the job, the last that was told of each name."""
        return _merged(event["job"].get("facets") for event in self.events)

    def dataset_facets(self, dataset: Any) -> dict[str, Any]:
        """Of an input or output, which is given as to the SDK."""
        name = self._name(dataset)
        for side in ("outputs", "inputs"):
            if name in (found := self._datasets(side)):
                return found[name]
        raise AssertionError(f"{self} neither reads nor writes {_shown(name)}\n{self._told()}")

    def assert_read(self, *datasets: Any) -> None:
        """Each of them, given as to the SDK: an address, a mapping or a spec."""
        self._assert("inputs", "read", datasets)

    def assert_wrote(self, *datasets: Any) -> None:
        """Each of them, given as to the SDK: an address, a mapping or a spec."""
        self._assert("outputs", "wrote", datasets)

    def __str__(self) -> str:
        return f"run {self.id} of {self.namespace}/{self.job} ({self.state})"

    def _assert(self, side: str, verb: str, datasets: tuple[Any, ...]) -> None:
        found = self._datasets(side)
        missing = [name for name in map(self._name, datasets) if name not in found]
        if missing:
            raise AssertionError(f"{self} never {verb} {', '.join(map(_shown, missing))}\n{self._told()}")

    def _name(self, dataset: Any) -> Name:
        if isinstance(dataset, tuple):
            return str(dataset[0]), str(dataset[1])
        return name_of(DatasetSpec.of(dataset), self.namespace)

    def _datasets(self, side: str) -> dict[Name, dict[str, Any]]:
        found: dict[Name, dict[str, Any]] = {}
        for event in self.events:
            for one in event.get(side) or ():
                found.setdefault((one["namespace"], one["name"]), {}).update(one.get("facets") or {})
        return found

    def _told(self) -> str:
        sides = (("read", self.inputs), ("wrote", self.outputs))
        lines = [f"  it {verb} {', '.join(map(_shown, names)) or 'nothing'}" for verb, names in sides]
        return "\n".join(lines + ([f"  it failed: {self.error}"] if self.error else []))


class LineageEvents:
    """What was told, in order. It may be read while threads still add to it."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def add(self, event: bytes) -> None:
        """Raises InvalidEvent for what is no JSON object."""
        try:
            self.events.append(msgspec.json.decode(event, type=dict[str, Any]))
        except msgspec.DecodeError as error:
            raise InvalidEvent(f"not an event: {error}", subject="event", action="send a JSON object") from None

    def clear(self) -> None:
        """As if nothing had been told yet."""
        self.events.clear()

    def __len__(self) -> int:
        return len(self.events)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(list(self.events))

    @property
    def runs(self) -> dict[str, RecordedRun]:
        """By their ids, in the order of their first events."""
        found: dict[str, RecordedRun] = {}
        for event in list(self.events):
            if "run" in event and "job" in event:
                run_id, job = event["run"]["runId"], event["job"]
                run = found.setdefault(run_id, RecordedRun(run_id, job["namespace"], job["name"]))
                run.events.append(event)
        return found

    def runs_of(self, job: str) -> list[RecordedRun]:
        """Those of the job of that name, in any namespace."""
        return [run for run in self.runs.values() if run.job == job]

    def children_of(self, parent: RecordedRun) -> list[RecordedRun]:
        """Those that name it as their parent."""
        return [run for run in self.runs.values() if run.parent == parent.id]

    def only_run(self, job: str | None = None) -> RecordedRun:
        """The one run that there is, or the one of that job; an AssertionError tells of what there is instead."""
        found = list(self.runs.values()) if job is None else self.runs_of(job)
        if len(found) != 1:
            wanted = "one run" if job is None else f"one run of the job {job!r}"
            raise AssertionError(f"expected {wanted}, found {len(found)}\n{self.describe()}")
        return found[0]

    def describe(self) -> str:
        """Every run on a line."""
        lines = [f"  {run}" for run in self.runs.values()]
        return "\n".join([f"{len(self.events)} events of {len(lines)} runs were recorded", *lines])

    def __repr__(self) -> str:
        return f"<LineageEvents: {self.describe()}>"


def _merged(facets: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for one in facets:
        found.update(one or {})
    return found


def _shown(name: Name) -> str:
    return f"{name[1]!r} in {name[0]!r}"
