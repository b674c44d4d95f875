"""`lineage-hub send-events` sends files of every shape, says what was rejected, and goes on where it was stopped."""

import gzip
import io
import json
import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import zstandard

from tests.cli.conftest import Cli
from tests.hub_process import HubProcess, clean_environment
from tests.transports.recorder import TAKEN, Recorder, Reply, Request


def event(number: int, job: str = "load") -> dict[str, Any]:
    return {
        "eventTime": f"2026-11-01T00:{number // 60 % 60:02}:{number % 60:02}Z",
        "eventType": "COMPLETE",
        "producer": "https://example.com/tests",
        "run": {"runId": f"00000000-0000-0000-0000-{number:012}"},
        "job": {"namespace": "shop", "name": job},
        "number": number,
    }


def ndjson(numbers: range) -> str:
    return "".join(json.dumps(event(number)) + "\n" for number in numbers)


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    with Recorder() as made:
        yield made


def test_a_real_hub_has_the_events_of_files_and_folders(cli: Cli, spare: HubProcess, tmp_path: Path) -> None:
    inner = tmp_path / "archive" / "2026"
    inner.mkdir(parents=True)
    (tmp_path / "one.txt").write_text(json.dumps(event(0, "a"), indent=2))
    (tmp_path / "archive" / "b.ndjson").write_text(json.dumps(event(1, "b")) + "\n")
    (inner / "c.json").write_text(json.dumps([event(2, "c"), event(3, "c")]))
    (inner / "d.jsonl.gz").write_bytes(gzip.compress(json.dumps(event(4, "d")).encode()))
    (inner / "e.json.zst").write_bytes(zstandard.compress(json.dumps({"events": [event(5, "e")]}).encode()))
    (inner / "notes.md").write_text("no events")
    sent = cli("send-events", tmp_path / "one.txt", tmp_path / "archive", "--url", spare.url, "--json")
    assert sent.code == 0, sent.err
    assert {name: sent.json()[name] for name in ("files", "sent", "rejected", "sent_before", "rejects")} == {
        "files": 5, "sent": 6, "rejected": 0, "sent_before": 0, "rejects": [],
    }  # fmt: skip
    jobs = httpx.get(f"{spare.url}/api/v1/namespaces/shop/jobs").json()["jobs"]
    assert {job["name"] for job in jobs} == set("abcde")


def test_rejected_events_are_listed_by_file_and_line_and_written_down(
    cli: Cli, spare: HubProcess, tmp_path: Path
) -> None:
    file, rejects = tmp_path / "some.ndjson", tmp_path / "rejected.ndjson"
    bad = {"eventTime": "2026-11-11T00:00:00Z"}
    file.write_text(f"{json.dumps(event(1))}\n\nnot json\n{json.dumps(event(2))}\n{json.dumps(bad)}\n")
    sent = cli("send-events", file, "--batch", "2", "--rejects", rejects, "--url", spare.url)
    assert sent.code == 1
    assert sent.out.startswith("2 events sent, 2 rejected, in ")
    lines = [line for line in sent.err.splitlines() if str(file) in line]
    assert [line.split(":")[:3] for line in lines] == [[f"  {file}", "3", " event 2"], [f"  {file}", "5", " event 4"]]
    written = [json.loads(line) for line in rejects.read_text().splitlines()]
    assert [(one["line"], one["number"], one["event"]) for one in written] == [(3, 2, "not json"), (5, 4, bad)]
    assert all(one["reason"] and one["file"] == str(file) for one in written)


@pytest.mark.parametrize("arguments", [[], ["-"]])
@pytest.mark.parametrize("wrap", [bytes, gzip.compress, zstandard.compress])
def test_stdin_is_read_compressed_or_not(
    cli: Cli,
    recorder: Recorder,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    wrap: Callable[[bytes], bytes],
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(wrap(ndjson(range(3)).encode()))))
    sent = cli("send-events", *arguments, "--url", recorder.url)
    assert (sent.code, recorder.numbers) == (0, [0, 1, 2])


def test_a_terminal_with_nothing_named_is_told_what_to_do(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal())
    said = cli("send-events")
    assert said.code == 2
    assert "name files, or pipe events in" in said.err


def test_a_file_is_sent_once_and_again_on_demand(cli: Cli, recorder: Recorder, tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    file.write_text(ndjson(range(5)))
    assert cli("send-events", file, "--url", recorder.url).code == 0
    again = cli("send-events", file, "--url", recorder.url)
    assert again.code == 0
    assert again.out.startswith("0 events sent, 0 rejected, 5 sent before (--restart sends them again)")
    assert recorder.numbers == [0, 1, 2, 3, 4]
    assert cli("send-events", file, "--url", recorder.url, "--restart", "--json").json()["sent"] == 5
    assert len(recorder.numbers) == 10


def test_another_hub_gets_the_whole_file(cli: Cli, recorder: Recorder, tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    file.write_text(ndjson(range(5)))
    cli("send-events", file, "--url", recorder.url)
    with Recorder() as other:
        cli("send-events", file, "--url", other.url)
        assert other.numbers == [0, 1, 2, 3, 4]


def test_a_file_that_has_grown_is_continued(cli: Cli, recorder: Recorder, tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    whole = ndjson(range(6))
    cut = whole.index('"number": 3')
    file.write_text(whole[:cut])
    first = cli("send-events", file, "--url", recorder.url)
    assert first.code == 1
    assert "ends in the middle of the line" in first.err
    assert recorder.numbers == [0, 1, 2]
    assert cli("send-events", file, "--url", recorder.url).code == 1
    file.write_text(whole)
    grown = cli("send-events", file, "--url", recorder.url, "--json")
    assert (grown.code, grown.json()["sent"], grown.json()["sent_before"]) == (0, 3, 3)
    assert recorder.numbers == [0, 1, 2, 3, 4, 5]


def test_a_file_that_was_changed_is_begun_anew(cli: Cli, recorder: Recorder, tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    file.write_text(ndjson(range(5)))
    cli("send-events", file, "--url", recorder.url)
    before = file.stat()
    file.write_text(ndjson(range(5)).replace('"number": 1', '"number": 9'))
    assert file.stat().st_size == before.st_size
    changed = cli("send-events", file, "--url", recorder.url, "--json")
    assert (changed.json()["sent"], changed.json()["sent_before"]) == (5, 0)
    assert "has changed" in changed.err
    assert recorder.numbers[5:] == [0, 9, 2, 3, 4]


SHAPES: dict[str, Callable[[list[dict[str, Any]]], bytes]] = {
    "lines": lambda events: "\n".join(json.dumps(one) for one in events).encode(),
    "array": lambda events: json.dumps(events, indent=1).encode(),
    "object": lambda events: json.dumps({"namespace": "team-a", "events": events, "totalCount": len(events)}).encode(),
    "gz": lambda events: gzip.compress("\n".join(json.dumps(one) for one in events).encode()),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_hub_that_goes_away_costs_nothing_and_the_same_command_goes_on(
    cli: Cli, recorder: Recorder, tmp_path: Path, shape: str
) -> None:
    file, rejects = tmp_path / "events", tmp_path / "rejected.ndjson"
    file.write_bytes(SHAPES[shape]([event(number) for number in range(20)]))

    def first_rejected_then_away(request: Request) -> Reply:
        if recorder.requests:
            return (503, {"Retry-After": "0"}, b"")
        return (200, {}, json.dumps({"failed_events": [{"index": 0, "reason": "no zero"}]}).encode())

    recorder.reply = first_rejected_then_away
    arguments = ["send-events", file, "--batch", "3", "--rejects", rejects, "--url", recorder.url]
    stopped = cli(*arguments, "--give-up-after", "0")
    assert stopped.code == 3
    assert "2 events were sent before that; the same command goes on where this one ended" in stopped.err
    assert "event 1: no zero" in stopped.err
    recorder.taken.clear()
    recorder.reply = lambda _: TAKEN
    rest = cli(*arguments, "--json")
    assert (rest.code, rest.json()["sent"], rest.json()["sent_before"]) == (0, 17, 3)
    assert recorder.numbers == list(range(3, 20))
    assert [json.loads(line)["event"]["number"] for line in rejects.read_text().splitlines()] == [0]


def test_a_busy_hub_is_waited_for(cli: Cli, recorder: Recorder, tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    file.write_text(ndjson(range(4)))
    again = {"failed_events": [{"index": 1, "reason": "busy", "retriable": True}]}
    replies = iter([(429, {"Retry-After": "0"}, b"<html>"), (200, {}, json.dumps(again).encode())])
    recorder.reply = lambda _: next(replies, TAKEN)
    sent = cli("send-events", file, "--url", recorder.url)
    assert (sent.code, sent.out.startswith("4 events sent, 0 rejected")) == (0, True)
    assert [len(request.events) for request in recorder.requests] == [4, 4, 1]
    assert recorder.requests[2].events[0]["number"] == 1
    assert sent.err.count("waiting for the hub") == 2


def test_a_hub_with_smaller_limits_gets_smaller_batches(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    huge = {**event(7), "pad": "x" * 20_000}
    file.write_text(ndjson(range(7)) + json.dumps(huge) + "\n" + ndjson(range(8, 12)))
    with HubProcess(tmp_path / "small", "--ingest-max-events", "3", "--ingest-max-body-bytes", "4096") as hub:
        sent = cli("send-events", file, "--url", hub.url, "--json")
        assert (sent.code, sent.json()["sent"], sent.json()["rejected"]) == (1, 11, 1)
        assert sent.json()["rejects"][0]["number"] == 8
        assert "larger than 4096 bytes" in sent.json()["rejects"][0]["reason"]


def test_a_proxy_with_smaller_limits_gets_smaller_batches(cli: Cli, recorder: Recorder, tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    file.write_text(ndjson(range(30)))
    recorder.reply = lambda request: (413, {}, b"<html>") if len(request.body) > 2_000 else TAKEN
    assert cli("send-events", file, "--url", recorder.url).code == 0
    assert recorder.numbers == list(range(30))


def test_a_dry_run_asks_no_hub_and_remembers_nothing(cli: Cli, state: Path, tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    file.write_text(ndjson(range(3)) + '{"a": nope}\n[1]\n')
    checked = cli("send-events", file, "--dry-run", "--url", "http://127.0.0.1:9")
    assert checked.code == 1
    assert checked.out.startswith("3 events found, nothing was sent, 2 rejected")
    assert [line.split(":")[1] for line in checked.err.splitlines()] == ["4", "5"]
    assert not state.exists()


@pytest.mark.parametrize("wrap", [gzip.compress, zstandard.compress])
def test_an_archive_that_is_cut_off_gives_what_can_be_read(
    cli: Cli, recorder: Recorder, tmp_path: Path, wrap: Callable[[bytes], bytes]
) -> None:
    file = tmp_path / "events.gz"
    # Random, so that much of it is left after half of the compressed bytes.
    lines = [json.dumps({**event(number), "pad": os.urandom(2000).hex()}) for number in range(1000)]
    packed = wrap("\n".join(lines).encode())
    file.write_bytes(packed[: len(packed) // 2])
    sent = cli("send-events", file, "--url", recorder.url)
    assert sent.code == 1
    assert f"{file} can't be read" in sent.err
    assert 100 < len(recorder.numbers) < 900
    assert recorder.numbers == list(range(len(recorder.numbers)))


def test_a_name_that_is_not_utf_8_is_no_trouble(cli: Cli, recorder: Recorder, tmp_path: Path) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    Path(os.fsdecode(bytes(folder) + b"/\xff.ndjson")).write_text(ndjson(range(2)) + "cut")
    rejects = tmp_path / "rejected.ndjson"
    sent = cli("send-events", folder, "--rejects", rejects, "--url", recorder.url, "--json")
    assert (sent.code, recorder.numbers) == (1, [0, 1])
    assert json.loads(rejects.read_text())["file"] == f"{folder}/?.ndjson"
    assert cli("send-events", folder, "--url", recorder.url, "--json").json()["sent_before"] == 2


@pytest.mark.slow
@pytest.mark.parametrize("watched", [True, False])
def test_a_bar_is_drawn_when_a_person_watches_and_never_in_a_pipe(tmp_path: Path, watched: bool) -> None:
    (tmp_path / "events.ndjson").write_text(ndjson(range(50)))
    ours, theirs = pty.openpty()
    said = b""
    with Recorder() as recorder:
        command = [sys.executable, "-m", "lineage_hub.cli", "send-events", "events.ndjson", "--url", recorder.url]
        environment = clean_environment() | {"XDG_STATE_HOME": str(tmp_path / "state"), "TERM": "xterm"}
        ran = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=theirs if watched else subprocess.PIPE,
            check=True,
        )
        os.close(theirs)
        with suppress(OSError):
            while piece := os.read(ours, 4096):
                said += piece
        os.close(ours)
    assert ran.stdout.startswith(b"50 events sent")
    assert b"\x1b" not in ran.stdout
    assert (b"Sending events.ndjson" in said) == watched
    assert watched or ran.stderr == b""


@pytest.mark.parametrize("content", ["", "[]", " \n"])
def test_a_file_without_events_is_refused(cli: Cli, tmp_path: Path, content: str) -> None:
    (tmp_path / "empty.json").write_text(content)
    said = cli("send-events", tmp_path / "empty.json")
    assert said.code == 2
    assert "holds no events" in said.err


@pytest.mark.parametrize("path", ["nowhere.ndjson", "."])
def test_what_is_not_there_is_refused(cli: Cli, path: str) -> None:
    said = cli("send-events", path)
    assert said.code == 2
    assert "name files" in said.err


def test_a_state_folder_that_cannot_be_written_stops_no_one(
    cli: Cli, recorder: Recorder, tmp_path: Path, state: Path
) -> None:
    state.write_text("a file in its place")
    (tmp_path / "events.ndjson").write_text(ndjson(range(3)))
    sent = cli("send-events", tmp_path / "events.ndjson", "--batch", "1", "--url", recorder.url)
    assert (sent.code, recorder.numbers) == (0, [0, 1, 2])
    assert sent.err.count("can't be continued later") == 1


def test_a_state_that_is_damaged_is_as_good_as_none(cli: Cli, recorder: Recorder, tmp_path: Path, state: Path) -> None:
    (tmp_path / "events.ndjson").write_text(ndjson(range(3)))
    cli("send-events", tmp_path / "events.ndjson", "--url", recorder.url)
    (kept,) = state.rglob("*.json")
    kept.write_bytes(b'{"path": ')
    assert cli("send-events", tmp_path / "events.ndjson", "--url", recorder.url, "--json").json()["sent"] == 3


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_interrupted_or_killed_goes_on(tmp_path: Path, how: signal.Signals) -> None:
    file = tmp_path / "events.ndjson"
    file.write_text(ndjson(range(200)))
    some, go_on = threading.Event(), threading.Event()

    def reply(_: Request) -> Reply:
        if len(recorder.numbers) >= 50 and not go_on.is_set():
            some.set()
            go_on.wait(30)
        return TAKEN

    environment = clean_environment() | {"XDG_STATE_HOME": str(tmp_path / "state")}
    with Recorder(reply) as recorder:
        command = [
            sys.executable,
            "-m",
            "lineage_hub.cli",
            "send-events",
            str(file),
            "--batch",
            "10",
            "--url",
            recorder.url,
        ]
        first = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert some.wait(30)
        first.send_signal(how)
        out, err = first.communicate(timeout=30)
        go_on.set()
        if how == signal.SIGINT:
            assert first.returncode == 130
            assert out.startswith("50 events sent")
            assert "the same command goes on where this one ended" in err
            assert "Traceback" not in err
        ran = subprocess.run([*command, "--json"], env=environment, capture_output=True, text=True, check=True)
    told = json.loads(ran.stdout)
    assert (told["sent"], told["sent_before"]) == (150, 50)
    assert set(recorder.numbers) == set(range(200))
    # The batch in flight may have been taken without its answer being heard: it is sent twice, which does no harm.
    assert len(recorder.numbers) <= 210


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["lines", "array"])
def test_memory_stays_bounded_with_a_large_file(tmp_path: Path, shape: str) -> None:
    file = tmp_path / "large"
    pad = "x" * 10_000
    with file.open("w") as out:
        out.write("[" if shape == "array" else "")
        for number in range(30_000):
            between = "" if number == 0 else "," if shape == "array" else "\n"
            out.write(between + json.dumps({**event(number), "pad": pad}))
        out.write("]" if shape == "array" else "")
    assert file.stat().st_size > 300_000_000
    program = (
        "import re, sys; from pathlib import Path; from lineage_hub.cli import main\n"
        "try: main()\n"
        # getrusage would count what the process was before it became this program.
        r"finally: print(re.search(r'VmHWM:\s+(\d+)', Path('/proc/self/status').read_text())[1], file=sys.stderr)"
    )
    command = [sys.executable, "-c", program, "send-events", str(file), "--dry-run"]
    ran = subprocess.run(command, env=clean_environment(), capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("30000 events found")
    assert int(ran.stderr) < 150_000
