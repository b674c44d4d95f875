"""A running hub is sent the events and spans of weeks with one incident; asked why, it names the cause."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.hub_process import HubProcess, clean_environment
from tests.why import sending
from tests.why.incidents import KINDS, Incident, incident

pytestmark = pytest.mark.slow
# Incidents of which lineage alone tells the cause, and those that need spans.
FROM_LINEAGE = (
    "late_upstream",
    "failed_dependency",
    "schema_change",
    "more_data",
    "code_change",
    "own_error",
    "unknown",
)


class Told:
    """A hub, and the incidents that it was told of, each in a namespace of its own."""

    def __init__(self, hub: HubProcess, with_spans: bool) -> None:
        self.hub, self.with_spans = hub, with_spans
        self.incidents: dict[str, Incident] = {}

    def tell(self, kind: str) -> Incident:
        if kind not in self.incidents:
            drawn = self.incidents[kind] = incident(7_000 + KINDS.index(kind), kind)
            shift = sending.shift_s(drawn, time.time())
            events = sending.events(drawn, kind, shift)
            for at in range(0, len(events), 400):
                sent = httpx.post(f"{self.hub.url}/api/v1/lineage/batch", json=events[at : at + 400], timeout=60)
                assert sent.status_code == 204, sent.text
            if self.with_spans:
                sent = httpx.post(f"{self.hub.url}/v1/traces", json=sending.spans(drawn, shift), timeout=120)
                assert sent.status_code == 200, sent.text
                assert not sent.json().get("partialSuccess"), sent.text
        return self.incidents[kind]

    def why(self, kind: str) -> dict[str, Any]:
        drawn = self.tell(kind)
        answer = httpx.get(f"{self.hub.url}/api/v1/runs/{sending.run_id(drawn, drawn.asked)}/why", timeout=120)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())


@pytest.fixture(scope="module")
def with_spans(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    with HubProcess(tmp_path_factory.mktemp("hub") / "data", "--telemetry-retention-days", "90") as hub:
        told = Told(hub, True)
        # Not every incident has spans: whichever test comes first, telemetry is in use.
        told.tell("slow_stage")
        yield told


@pytest.fixture(scope="module")
def lineage_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    with HubProcess(tmp_path_factory.mktemp("alone") / "data") as hub:
        yield Told(hub, False)


def check(told: Told, kind: str) -> dict[str, Any]:
    answer = told.why(kind)
    drawn = told.incidents[kind]
    first = answer["causes"][0]
    assert first["kind"] == kind, answer["sentence"]
    jobs = {sending.run_id(drawn, run["id"]): run["job"] for run in drawn.runs}
    stages = {stage["span"]: stage["name"] for run in drawn.runs for stage in run["stages"]}
    subject, _, rest = first["subject"].partition(":")
    found = {"run": jobs, "span": stages}.get(subject, {}).get(rest, rest.removeprefix(f"{kind}:"))
    assert found == drawn.subject
    return answer


@pytest.mark.parametrize("kind", KINDS)
def test_the_hub_names_the_cause(with_spans: Told, kind: str) -> None:
    answer = check(with_spans, kind)
    assert answer["telemetry"]["state"] == "used"
    assert 3 <= answer["earlierRuns"] <= 40
    for cause in answer["causes"]:
        assert cause["evidence"]["runs"]


@pytest.mark.parametrize("kind", FROM_LINEAGE)
def test_lineage_alone_is_enough_for_what_needs_no_spans(lineage_alone: Told, kind: str) -> None:
    answer = check(lineage_alone, kind)
    assert answer["telemetry"] == {"state": "none", "runs": 0, "inferred": 0}
    assert not (lineage_alone.hub.data / "telemetry").exists()


def test_a_run_that_nobody_told_of_is_not_found(lineage_alone: Told) -> None:
    answer = httpx.get(f"{lineage_alone.hub.url}/api/v1/runs/no%2Fsuch/why")
    assert answer.status_code == 404
    assert answer.json()["subject"] == "no/such"


def ask(told: Told, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lineage_hub.cli", "why", *words, "--url", told.hub.url]
    environment = clean_environment() | {"XDG_CONFIG_HOME": os.devnull}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_the_command_says_it_in_a_sentence_then_ranks_then_shows_evidence(lineage_alone: Told) -> None:
    drawn = lineage_alone.tell("schema_change")
    shown = ask(lineage_alone, sending.run_id(drawn, drawn.asked))
    assert shown.returncode == 0, shown.stderr
    lines = shown.stdout.splitlines()
    assert "failed, most likely because the schema of" in lines[0]
    assert any(line.split()[:2] == ["1", "schema_change"] for line in lines)
    assert any(line.strip().startswith("dataset tables.") for line in lines)
    assert "\x1b" not in shown.stdout


def test_a_job_and_a_dataset_stand_for_their_last_run(lineage_alone: Told) -> None:
    drawn = lineage_alone.tell("own_error")
    asked = sending.run_id(drawn, drawn.asked)
    job = next(run["job"] for run in drawn.runs if run["id"] == drawn.asked)
    for node in (f"job:own_error:{job}", f"dataset:own_error:tables.{job}"):
        shown = ask(lineage_alone, node)
        assert shown.returncode == 0, shown.stderr
        assert asked in shown.stdout.splitlines()[1]
    assert '"verdict": "failed"' in ask(lineage_alone, f"run:{asked}", "--json").stdout
