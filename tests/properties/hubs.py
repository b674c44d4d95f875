"""A data folder and a clock enter; a real hub that takes events and answers questions over HTTP leaves."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

from lineage_hub.server.app import create_app
from lineage_hub.settings import load_settings
from tests.oracle.events import Taken
from tests.oracle.identity import EPOCH, NS, Json, parse
from tests.properties.in_process import Client
from tests.strategies import Arrival

LIMIT = 1000  # more than any history here has of anything
IN_MEMORY = Path("/dev/shm")  # where there is one: these tests are not about durability


class Clock:
    """What the hub takes for now, in nanoseconds; it stands still until it is set."""

    def __init__(self, now: int = 0) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


@dataclass(frozen=True)
class Question:
    path: str
    parameters: tuple[tuple[str, str], ...] = ()

    def at(self, **moment: str | None) -> Question:
        """The same question, as of a time or with the knowledge of a time."""
        given = tuple((key, value) for key, value in moment.items() if value is not None)
        return Question(self.path, self.parameters + given)

    def __str__(self) -> str:
        return f"/api/v1{self.path}" + (f"?{urlencode(self.parameters)}" if self.parameters else "")


def ask_for(*parts: str, **parameters: object) -> Question:
    path = "".join("/" + quote(part, safe="") for part in parts)
    return Question(path, tuple((key, str(value)) for key, value in parameters.items()))


def text_of(ns: int) -> str:
    seconds, fraction = divmod(ns, NS)
    days, second_of_day = divmod(seconds, 86_400)
    day = EPOCH.fromordinal(EPOCH.toordinal() + days).date().isoformat()
    hours, minutes = divmod(second_of_day // 60, 60)
    return f"{day}T{hours:02d}:{minutes:02d}:{second_of_day % 60:02d}.{fraction:09d}Z"


@dataclass
class Hub:
    client: Client
    clock: Clock

    def take(self, arrival: Arrival) -> list[Taken]:
        """Send one request; what the hub then has taken, at the time its clock shows."""
        array = b"[" + b",".join(arrival.raws) + b"]"
        if arrival.tenant != "default":
            body = b'{"namespace": "%s", "events": %s}' % (arrival.tenant.encode(), array)
            answer = self.post("/lineage/ingest", body)
            assert (answer[0], answer[1]["rejected"]) == (200, "0"), answer
        elif len(arrival.raws) == 1:
            answer = self.post("/lineage", arrival.raws[0])
            assert answer[0] == 201, answer
        else:
            answer = self.post("/lineage/batch", array)
            assert answer[0] == 204, answer
        return [Taken(arrival.tenant, self.clock.now, raw) for raw in arrival.raws]

    def take_all(self, taken: Iterable[Taken]) -> None:
        """One by one, each when it was known."""
        for one in taken:
            self.clock.now = one.known_at
            self.take(Arrival(one.tenant, (one.raw,)))

    def ask(self, question: Question) -> tuple[int, Json]:
        return self.ask_all([question])[0]

    def ask_all(self, questions: list[Question]) -> list[tuple[int, Json]]:
        """Each question has an answer, if only that there is no such thing."""
        answers = self.client.get(*map(str, questions))
        for question, (status, body) in zip(questions, answers, strict=True):
            assert status in (200, 404), f"{question}: {status} {body!r}"
        return [(status, parse(body)) for status, body in answers]

    def answers(self, questions: list[Question], **moment: str | None) -> dict[str, tuple[int, Json]]:
        asked = [question.at(**moment) for question in questions]
        return dict(zip(map(str, questions), self.ask_all(asked), strict=True))

    def post(self, path: str, body: bytes) -> tuple[int, Json]:
        status, answer = self.client.post("/api/v1" + path, body)
        return status, parse(answer or b"null")


@contextmanager
def opened(data_dir: Path, clock: Clock | None = None) -> Iterator[Hub]:
    """A hub on a data folder; another one may be on it at the same time."""
    clock = clock or Clock()
    settings = load_settings({"data_dir": data_dir}, environ={})
    with Client(create_app(settings, clock=clock)) as client:
        yield Hub(client, clock)


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as name:
        yield Path(name)


@contextmanager
def fresh_hub(taken: Iterable[Taken] = ()) -> Iterator[Hub]:
    with folder() as data_dir, opened(data_dir) as hub:
        hub.take_all(taken)
        yield hub
