"""What was told to the journal is what the next hub reads, whatever was killed, torn or full in between."""

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage_hub.errors import StorageFull, StoreUnavailable
from lineage_hub.ingest.telemetry.journal import FILE, REMEMBERED_NS, IntakeJournal, Intent

START = 1_800_000_000 * 10**9


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def journal(tmp_path: Path, clock: Clock) -> Iterator[IntakeJournal]:
    opened = IntakeJournal(tmp_path, clock)
    yield opened
    opened.close()


def intent(batch: int, *requests: bytes, hours: tuple[int, ...] = ()) -> Intent:
    return Intent(batch, "otel.traces", requests or (b"request %08d" % batch,), hours)


def reopened(journal: IntakeJournal, folder: Path, clock: Clock) -> IntakeJournal:
    journal.close()
    return IntakeJournal(folder, clock)


def test_the_next_hub_knows_what_was_done_and_what_was_not(
    journal: IntakeJournal, tmp_path: Path, clock: Clock
) -> None:
    journal.intend([intent(1, b"a", b"b"), intent(2, b"c", hours=(7, 8)), intent(3, b"d")])
    journal.finish([1])
    journal.take_back([3])
    for again in (journal, reopened(journal, tmp_path, clock)):
        assert [again.knows(request) for request in (b"a", b"b", b"c", b"d")] == [True, True, False, False]
        assert again.unfinished == [intent(2, b"c", hours=(7, 8))]
        assert again.last_batch >= 2
    again.close()


def test_a_request_is_forgotten_after_ten_minutes_and_leaves_the_file(
    journal: IntakeJournal, tmp_path: Path, clock: Clock
) -> None:
    journal.intend([intent(1, b"old"), intent(2, b"torn")])
    journal.finish([1])
    clock.now += REMEMBERED_NS - 1
    assert journal.knows(b"old")
    clock.now += 1
    assert not journal.knows(b"old")
    again = reopened(journal, tmp_path, clock)
    assert b'"batch":1,' not in (tmp_path / FILE).read_bytes()
    assert again.unfinished == [intent(2, b"torn")], "what has no end stays, however old it is"
    again.close()


def test_the_file_stays_small_while_batches_come_and_go(tmp_path: Path, clock: Clock) -> None:
    journal = IntakeJournal(tmp_path, clock, most_bytes=20_000)
    largest = 0
    for batch in range(1, 2001):
        journal.intend([intent(batch)])
        journal.finish([batch])
        clock.now += 10 * 10**9
        largest = max(largest, (tmp_path / FILE).stat().st_size)
    assert largest < 40_000
    again = reopened(journal, tmp_path, clock)
    assert again.knows(b"request %08d" % 2000)
    assert again.knows(b"request %08d" % 1942)
    assert not again.knows(b"request %08d" % 1940)
    again.close()


def test_a_request_that_is_done_again_is_remembered_from_then_on(journal: IntakeJournal, clock: Clock) -> None:
    journal.intend([intent(1, b"same")])
    journal.finish([1])
    clock.now += REMEMBERED_NS
    journal.intend([intent(2, b"same")])
    journal.finish([2])
    clock.now += REMEMBERED_NS - 1
    journal.intend([intent(3)])
    journal.finish([3])
    assert journal.knows(b"same")


@given(data=st.data())
def test_a_file_that_is_cut_anywhere_tells_of_a_beginning(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Each line is on disk before the next is begun, so a cut can only be one of the last write."""
    folder, clock = tmp_path_factory.mktemp("cut"), Clock()
    journal = IntakeJournal(folder, clock)
    states = [(set[int](), set[int]())]
    ends = [0]
    for batch in range(1, 6):
        journal.intend([intent(batch)])
        done, open_ones = states[-1]
        states.append((done, open_ones | {batch}))
        ends.append((folder / FILE).stat().st_size)
        if data.draw(st.booleans()):
            journal.finish([batch])
            states.append((done | {batch}, open_ones))
            ends.append((folder / FILE).stat().st_size)
    journal.close()
    cut = data.draw(st.integers(0, ends[-1]))
    os.truncate(folder / FILE, cut)
    again = IntakeJournal(folder, clock)
    done, open_ones = [state for state, end in zip(states, ends, strict=True) if end <= cut][-1]
    assert {one.batch for one in again.unfinished} == open_ones
    assert {batch for batch in range(1, 6) if again.knows(b"request %08d" % batch)} == done
    again.intend([intent(9)])
    again.close()
    assert {one.batch for one in IntakeJournal(folder, clock).unfinished} == open_ones | {9}


def test_a_killed_hub_leaves_what_it_had_told(tmp_path: Path, clock: Clock) -> None:
    program = (
        "import os, sys, time; from pathlib import Path\n"
        "from lineage_hub.ingest.telemetry.journal import IntakeJournal, Intent\n"
        "journal = IntakeJournal(Path(sys.argv[1]), lambda: int(sys.argv[2]))\n"
        "journal.intend([Intent(1, 'otel.logs', (b'one',)), Intent(2, 'otel.logs', (b'two',))])\n"
        "journal.finish([1])\n"
        "os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", program, tmp_path, str(START)], check=False).returncode == -9
    journal = IntakeJournal(tmp_path, clock)
    assert journal.knows(b"one")
    assert journal.unfinished == [Intent(2, "otel.logs", (b"two",))]
    journal.close()


def test_one_hub_at_a_time_writes_in_a_folder(journal: IntakeJournal, tmp_path: Path, clock: Clock) -> None:
    with pytest.raises(StoreUnavailable, match="another hub"):
        IntakeJournal(tmp_path, clock)
    reopened(journal, tmp_path, clock).close()


def test_a_write_that_failed_leaves_no_trace_in_the_file(
    journal: IntakeJournal, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal.intend([intent(1)])

    def full(fd: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StorageFull):
            journal.finish([1])
        assert journal.unfinished == [intent(1)]
        with pytest.raises(StorageFull):
            journal.refresh()
    # The line that says "done" may have reached the file; before the batch is removed, it must not stand there.
    journal.refresh()
    assert b'"done"' not in (tmp_path / FILE).read_bytes()
    again = reopened(journal, tmp_path, clock)
    assert again.unfinished == [intent(1)]
    again.close()
