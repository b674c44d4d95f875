"""A hub enters; what it has stored leaves, and whether a fresh hub that is fed just that answers the same."""

import random
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import msgspec
from msgspec import Raw, Struct
from starlette.testclient import TestClient

from lineage_hub.server.app import create_app
from lineage_hub.settings import load_settings
from tests.hub_process import HubProcess

PAGE = 1_000
DEPTH = 20


class EventPage(Struct, rename="camel"):
    total_count: int
    events: list[Raw]
    ids: list[str]


_decode_page = msgspec.json.Decoder(EventPage).decode


def ids_of_stored(hub: HubProcess) -> dict[bytes, str]:
    """Every stored event as it was written, with its id."""
    found: dict[bytes, str] = {}
    with httpx.Client(base_url=hub.url, timeout=60) as client:
        while True:
            where = {"limit": PAGE, "offset": len(found), "sortDirection": "asc"}
            answer = client.get("/api/v1/events/lineage", params=where)
            assert answer.status_code == 200, answer.text
            page = _decode_page(answer.content)
            found.update(zip(map(bytes, page.events), page.ids, strict=True))
            if len(page.events) < PAGE:
                assert len(found) == page.total_count, "an event is stored twice"
                return found


def check_integrity(data: Path) -> None:
    with closing(sqlite3.connect(data / "lineage.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        lonely = "SELECT count(*) FROM event WHERE NOT EXISTS (SELECT 1 FROM raw WHERE raw.seq = event.seq)"
        assert connection.execute(lonely).fetchone() == (0,), "an event has lost its text"


def check_replay(hub: HubProcess, events: Iterable[bytes], folder: Path, rng: random.Random, most: int) -> int:
    """The events in any order into a fresh hub give the same bodies; the number of bodies compared leaves.

    `most` bounds how many jobs and how many datasets are asked about, each for its lineage and its versions.
    """
    events = list(events)
    rng.shuffle(events)
    settings = load_settings({"data_dir": folder, "log_level": "error"}, environ={})
    with TestClient(create_app(settings)) as fresh, httpx.Client(base_url=hub.url, timeout=120) as asked:
        for start in range(0, len(events), 500):
            body = b"[" + b",".join(events[start : start + 500]) + b"]"
            taken = fresh.post("/api/v1/lineage/batch", content=body)
            assert taken.status_code == 204, taken.text
        questions = _questions(asked, rng, most)
        for question in questions:
            here, there = _answer(asked, question), _answer(fresh, question)
            assert here.content == there.content, (
                f"{question}:\n{here.text[:2000]}\nfrom a replay:\n{there.text[:2000]}"
            )
    return len(questions)


def _answer(client: httpx.Client, question: str) -> httpx.Response:
    answer = client.get(question)
    assert answer.status_code == 200, f"{question}: {answer.status_code} {answer.text}"
    return answer


def _questions(client: httpx.Client, rng: random.Random, most: int) -> list[str]:
    def ask(question: str) -> dict[str, Any]:
        found: dict[str, Any] = _answer(client, question).json()
        return found

    questions = ["/api/v1/namespaces?limit=1000", "/api/v1/jobs?limit=10000"]
    jobs = [(job["namespace"], job["name"]) for job in ask(questions[1])["jobs"]]
    datasets: list[tuple[str, str]] = []
    for space in ask(questions[0])["namespaces"]:
        question = f"/api/v1/namespaces/{quote(space['name'], safe='')}/datasets?limit=10000"
        questions.append(question)
        datasets += [(dataset["namespace"], dataset["name"]) for dataset in ask(question)["datasets"]]
    for kind, names in (("job", jobs), ("dataset", datasets)):
        for namespace, name in rng.sample(names, min(most, len(names))):
            path = f"/api/v1/namespaces/{quote(namespace, safe='')}/{kind}s/{quote(name, safe='')}"
            node = quote(f"{kind}:{namespace}:{name}", safe="")
            questions += [path, f"{path}/versions?limit=100", f"/api/v1/lineage?nodeId={node}&depth={DEPTH}"]
            if kind == "dataset":
                questions.append(f"/api/v1/column-lineage?nodeId={node}&depth=5&withDownstream=true")
            else:
                questions.append(f"{path}/runs?limit=50")
    return questions
