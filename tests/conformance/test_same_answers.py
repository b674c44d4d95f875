"""One list of requests, one history: the bodies are the same to the byte, whatever database keeps it."""

import json
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lineage_hub.sample.shop_week import shop_week
from lineage_hub.settings import load_settings
from tests.conformance.databases import Database
from tests.conformance.histories import taken_over_time
from tests.oracle.events import Taken, distinct
from tests.properties.arriving import FIRST_KNOWN
from tests.properties.hubs import Question, ask_for, text_of
from tests.properties.questions import every_question

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


MOST = 250  # of the questions that a history gives, evenly chosen


def week() -> list[Taken]:
    events = shop_week(end_at=datetime(2026, 1, 8, tzinfo=UTC)).events
    return [Taken("default", FIRST_KNOWN + at, json.dumps(event).encode()) for at, event in enumerate(events)]


def questions(taken: list[Taken]) -> list[Question]:
    told = distinct(taken)
    asked = every_question(told)
    asked = asked[:: len(asked) // MOST + 1]
    middle = text_of(told[len(told) // 2].at)
    known = text_of(FIRST_KNOWN + len(told) // 2)
    bounded = [question.at(as_of=middle) for question in asked[::3]]
    bounded += [question.at(known_at=known) for question in asked[1::7]]
    return [
        *asked,
        *bounded,
        ask_for("jobs", limit=3, offset=2),
        ask_for("jobs", lastRunStates="FAILED"),
        ask_for("namespaces", limit=1, offset=2**31),
        ask_for("events", "lineage", limit=7, offset=3, sortDirection="asc"),
        ask_for("events", "lineage", after="0001-01-01T00:00:00Z", before="9999-12-31T23:59:59Z"),
        ask_for("events", "lineage", offset=2**31),
        ask_for("lineage", nodeId="dataset:db:a", format="mermaid"),
        ask_for("lineage", nodeId="dataset:db:a", edges="30d", limit=3),
        ask_for("lineage", nodeId="job:nowhere:to be found"),
        ask_for("lineage", nodeId="nonsense"),
        ask_for("lineage", "diff", nodeId="dataset:db:a", **{"from": middle}),
        *(ask_for("search", q=text) for text in ("a", "orders", "ordres daily", "revenue_dialy", "stg", "amount")),
        ask_for("search", q="a", sort="updated_at", filter="JOB"),
        ask_for("search", q="a", state="DELETED", as_of=middle),
        ask_for("impact", nodeId="dataset:db:a"),
        ask_for("impact", nodeId="dataset:postgres://db.bookshop.example:5432:shop.public.orders"),
        ask_for("dead-letters"),
        ask_for("events", "ff" * 24),
        ask_for("events", "00" * 24),
        *(ask_for("events", f"{event.at + 2**63:016x}{event.id}") for event in told[:20]),
    ]


HISTORIES = {"every hand-made history": lambda: taken_over_time(seed=3), "a week of the bookshop": week}


@pytest.mark.parametrize("history", HISTORIES)
def test_both_databases_give_the_same_bodies(tmp_path: Path, postgres_url: str, history: str) -> None:
    taken = HISTORIES[history]()
    asked = questions(taken)
    bodies = []
    for database_url in ("", postgres_url):
        flags = {"data_dir": tmp_path, "database_url": database_url, "log_level": "error"}
        with ExitStack() as opened:
            hub = Database(load_settings(flags, environ={}), opened).hub()
            for one in (*taken, *taken[:50]):
                hub.take(one)
            assert hub.post(b'{"eventTime": "not a time"}') == 400
            bodies.append([hub.get(question) for question in asked])
            assert hub.get("/api/v1/health")[0] == 200
    for question, sqlite, postgres in zip(asked, *bodies, strict=True):
        assert sqlite == postgres, str(question)
        assert sqlite[0] in (200, 400, 404), f"{question} {sqlite}"
    assert sum(status == 200 for status, _ in bodies[0]) > len(asked) / 2
