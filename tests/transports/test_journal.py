"""What was appended is read back whole and in order, whatever happened to the process or the disk in between."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage_hub.errors import StorageFull
from lineage_hub.transports.journal import SUFFIX, Journal, Segment, line_of

PLENTY = 1 << 30


def read_all(segment: Segment, most_events: int = 3, most_bytes: int = 64) -> list[bytes]:
    found: list[bytes] = []
    position = segment.confirmed
    while records := segment.read(position, most_events, most_bytes):
        found += [record.event for record in records]
        position = records[-1].end
    return found


def left_in(folder: Path) -> list[bytes]:
    found: list[bytes] = []
    for segment in Journal(folder, PLENTY).left_behind():
        found += read_all(segment)
        os.close(segment.fd)
    return found


@given(events=st.lists(st.text(max_size=200).map(lambda text: text.replace("\n", "").replace("\r", "").encode())))
def test_events_come_back_in_order(tmp_path_factory: pytest.TempPathFactory, events: list[bytes]) -> None:
    journal = Journal(tmp_path_factory.mktemp("journal"), PLENTY, segment_bytes=500)
    for event in events:
        journal.append(event)
    assert [event for segment in journal.segments for event in read_all(segment)] == events
    journal.close()


def test_the_next_process_finds_what_a_killed_one_left(tmp_path: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path; from lineage_hub.transports.journal import Journal\n"
        "journal = Journal(Path(sys.argv[1]), 1 << 30)\n"
        "for number in range(100): journal.append(b'%d' % number)\n"
        "os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False).returncode == -9
    assert left_in(tmp_path) == [b"%d" % number for number in range(100)]


def test_files_of_a_living_process_are_left_alone(tmp_path: Path) -> None:
    journal = Journal(tmp_path, PLENTY)
    journal.append(b"mine")
    assert left_in(tmp_path) == []
    journal.close()
    assert left_in(tmp_path) == [b"mine"]


def test_a_record_that_was_torn_is_not_taken_for_an_event(tmp_path: Path) -> None:
    whole = line_of(b'{"number":1}') + line_of(b'{"number":2}')
    for cut in range(1, len(line_of(b'{"number":2}'))):
        for old in tmp_path.glob("*"):
            old.unlink()
        (tmp_path / f"1-1-a{SUFFIX}").write_bytes(whole[:-cut])
        assert left_in(tmp_path) == [b'{"number":1}'], cut


def test_a_line_that_a_disk_damaged_costs_that_line_only(tmp_path: Path) -> None:
    lines = [line_of(b"event %d" % number) for number in range(5)]
    for at in range(5):
        for old in tmp_path.glob("*"):
            old.unlink()
        damaged = [*lines]
        damaged[at] = damaged[at].replace(b"event", b"evert")
        (tmp_path / f"1-1-a{SUFFIX}").write_bytes(b"".join(damaged))
        assert left_in(tmp_path) == [b"event %d" % number for number in range(5) if number != at]


def test_what_was_confirmed_is_not_read_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path, PLENTY)
    for number in range(4):
        journal.append(b"%d" % number)
    segment = journal.segments[0]
    segment.confirm(segment.read(0, 2, 1000)[-1].end)
    journal.close()
    assert left_in(tmp_path) == [b"2", b"3"]


def test_at_its_bound_nothing_is_taken_until_there_is_room(tmp_path: Path) -> None:
    journal = Journal(tmp_path, 200)
    for _ in range(200 // len(line_of(b"x" * 20))):
        journal.append(b"x" * 20)
    with pytest.raises(StorageFull, match=str(tmp_path)):
        journal.append(b"x" * 20)
    journal.segments[0].confirm(journal.segments[0].size)
    journal.append(b"y" * 20)


def test_what_others_left_counts_against_the_bound(tmp_path: Path) -> None:
    (tmp_path / f"1-1-a{SUFFIX}").write_bytes(line_of(b"x" * 180))
    journal = Journal(tmp_path, 200)
    for segment in journal.left_behind():
        os.close(segment.fd)
    with pytest.raises(StorageFull):
        journal.append(b"y" * 20)


def test_a_child_process_has_files_of_its_own(tmp_path: Path) -> None:
    journal = Journal(tmp_path, PLENTY)
    journal.append(b"before")
    child = os.fork()
    if child == 0:
        try:
            journal.append(b"of the child")
            os._exit(0)
        except BaseException:
            os._exit(1)
    journal.append(b"of the parent")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert left_in(tmp_path) == [b"of the child"]
    assert read_all(journal.segments[0]) == [b"before", b"of the parent"]
    journal.close()


def test_events_are_for_their_owner_only(tmp_path: Path) -> None:
    folder = tmp_path / "spool"
    journal = Journal(folder, PLENTY)
    journal.append(b"secret")
    assert folder.stat().st_mode & 0o077 == 0
    assert journal.segments[0].path.stat().st_mode & 0o077 == 0
