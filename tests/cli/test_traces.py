"""`lineage-hub traces` and `lineage-hub logs` show what the hub holds, for a person, a pipe and a program."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.cli.conftest import Cli
from tests.hub_process import HubProcess
from tests.query.telemetry.scenario import EVENTS, RUNS, TRACES, otlp_logs, otlp_spans

pytestmark = pytest.mark.slow
WINDOW = ("--from", "2026-11-06T00:00:00Z", "--to", "2026-11-08T00:00:00Z")


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with HubProcess(tmp_path_factory.mktemp("hub") / "data") as process:
        httpx.post(f"{process.url}/v1/traces", json=otlp_spans(), timeout=60).raise_for_status()
        httpx.post(f"{process.url}/v1/logs", json=otlp_logs(), timeout=60).raise_for_status()
        httpx.post(f"{process.url}/api/v1/lineage/batch", json=EVENTS, timeout=60).raise_for_status()
        yield process.url


@pytest.fixture
def ask(cli: Cli, hub: str) -> Cli:
    return lambda *arguments: cli(*arguments, "--url", hub)


def test_traces_are_listed_latest_first(ask: Cli) -> None:
    shown = ask("traces", *WINDOW)
    assert shown.code == 0, shown.err
    lines = shown.out.splitlines()
    assert lines[0].split() == ["STARTED", "TOOK", "SPANS", "ERRORS", "SERVICE", "NAME", "TRACE"]
    assert [line.split()[-1] for line in lines[1:]] == [
        TRACES[name] for name in ("again", "astray", "guessed", "pipeline", "naming", "named")
    ]
    assert "20.0 s" in lines[1]


def test_conditions_narrow_the_list_and_the_rest_is_counted(ask: Cli) -> None:
    assert TRACES["naming"] in ask("traces", "--errors", *WINDOW).out
    assert len(ask("traces", "--service", "web", *WINDOW).out.splitlines()) == 2
    assert len(ask("traces", "--operation", "read", "--min-duration", "12s", *WINDOW).out.splitlines()) == 2
    assert len(ask("traces", *WINDOW).out.splitlines()) == 7
    first = ask("traces", "--limit", "2", *WINDOW)
    assert "… 4 more" in first.err
    assert ask("traces", "--json", *WINDOW).json()["totalCount"] == 6


def test_a_trace_is_drawn_with_what_decided_its_end_and_what_it_touched(ask: Cli) -> None:
    shown = ask("traces", TRACES["named"])
    assert shown.code == 0, shown.err
    assert "\x1b" not in shown.out
    lines = shown.out.splitlines()
    assert lines[0].startswith(f"trace {TRACES['named']}")
    assert lines[1] == "10.0 s, 3 spans"
    assert any(line.startswith("├─ read") and "3.00 s" in line for line in lines)
    assert any(line.startswith("└─ write  db") and "█" in line for line in lines)
    assert "   50.0 %     5.00 s  write" in lines
    assert f"run load  COMPLETED  {RUNS['named']}" in lines
    assert "dataset clean  db  written" in lines


def test_a_run_is_drawn_as_its_trace(ask: Cli) -> None:
    shown = ask("traces", RUNS["stage"])
    assert shown.code == 0, shown.err
    assert f"run {RUNS['stage']}  daily.read" in shown.out
    assert "├─ daily.read ◀ the run " in shown.out
    assert "spark job 0" in shown.out
    assert "it may be another's" not in shown.out
    assert "it may be another's" in ask("traces", RUNS["guessed"]).out


def test_failed_spans_are_marked_with_their_message(ask: Cli) -> None:
    shown = ask("traces", TRACES["naming"]).out
    assert "7.00 s, 2 spans, 1 failed" in shown
    assert "└─ build  etl ✗" in shown
    assert "✗ build: it failed" in shown


def test_spans_beyond_the_limit_are_counted(ask: Cli) -> None:
    assert "… 2 more spans are not drawn" in ask("traces", TRACES["named"], "--limit", "1").out


def test_two_runs_are_compared(ask: Cli) -> None:
    shown = ask("traces", RUNS["again"], "--against", RUNS["named"])
    assert shown.code == 0, shown.err
    lines = shown.out.splitlines()
    assert lines[0] == "10.0 s → 20.0 s (+10.0 s); 1 added, 1 removed, 2 slower"
    assert lines[2].split() == ["slower", "+10.0", "s", "+10.0", "s", "3.00", "s", "13.0", "s", "load", "›", "read"]
    assert ask("traces", RUNS["again"], "--against", RUNS["named"], "--json").json()["counts"]["added"] == 1


def test_json_is_the_answer_of_the_hub(ask: Cli) -> None:
    assert ask("traces", TRACES["named"], "--json").json()["traceId"] == TRACES["named"]
    assert ask("logs", "--json", *WINDOW).json()["totalCount"] == 4


def test_what_is_not_there_is_said(ask: Cli) -> None:
    missing = ask("traces", "f" * 32)
    assert missing.code == 1
    assert "No span of trace" in missing.err
    assert ask("traces", "nobody").code == 1
    assert ask("traces", "--min-duration", "fast").code == 2


def test_logs_are_told_as_in_a_file(ask: Cli) -> None:
    shown = ask("logs", "--run", RUNS["stage"])
    assert shown.code == 0, shown.err
    assert [line.split("  ")[-1] for line in shown.out.splitlines()] == ["spark begins", "told by the run"]
    assert ask("logs", "writing", "--severity", "info", "--service", "etl", *WINDOW).out.count("\n") == 1
    assert ask("logs", "nothing").err == "No logs.\n"
    assert "… 3 earlier ones" in ask("logs", "--limit", "1", *WINDOW).err
    assert ask("logs", "--severity", "loud").code == 2


def test_a_comparison_needs_two(ask: Cli) -> None:
    refused = ask("traces", "--against", RUNS["named"])
    assert (refused.code, refused.out) == (2, "")
    assert "traces ID --against EARLIER" in refused.err


def test_what_a_log_says_of_its_severity_cannot_steer_a_terminal(ask: Cli, hub: str) -> None:
    record = {"timeUnixNano": "1794000500000000000", "severityText": "\x1b[31mloud\n", "body": {"stringValue": "hello"}}
    body = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}
    httpx.post(f"{hub}/v1/logs", json=body, timeout=60).raise_for_status()
    shown = ask("logs", "hello", *WINDOW)
    assert len(shown.out.splitlines()) == 1
    assert "\x1b" not in shown.out
