"""A 2xx is sent after its events are on disk: seen in the system calls of a hub under load."""

import bisect
import math
import re
import shutil
from itertools import islice
from pathlib import Path

import pytest

from tests.hub_process import HubProcess
from tests.proofs.figures import write_figures
from tests.proofs.load import Load, Post, in_batches, mixed_events, one_by_one
from tests.proofs.replay import ids_of_stored
from tests.proofs.sizes import SEED, TIMEOUT_S, pick
from tests.proofs.trace import Call, read_trace, strace

pytestmark = [pytest.mark.slow, pytest.mark.serial, pytest.mark.timeout(TIMEOUT_S)]

_ANSWER = re.compile(rb"^HTTP/1\.1 2\d\d .*?x-request-id: ([\w-]+)\r\n", re.S)


def test_every_2xx_comes_after_an_fdatasync_that_began_after_its_events_were_written(tmp_path: Path) -> None:
    assert shutil.which("strace"), "strace is missing: run `make system`, or `apt-get install strace`"
    events = mixed_events(SEED)
    singles = list(one_by_one(islice(events, pick(300, 5_000))))
    batches = list(in_batches(islice(events, pick(200, 5_000)), 20))
    output = tmp_path / "trace.txt"
    with HubProcess(tmp_path / "data", before=strace(output)) as hub:
        for posts, connections in ((singles, 16), (batches, 4)):
            with Load(hub.port, posts, connections) as load:
                load.wait_for(lambda now: now.answered == now.sent == len(posts))  # noqa: B023
            assert not load.refused
            assert not load.lost
        ids = ids_of_stored(hub)
    calls = list(read_trace(output))
    answers = answers_by_request(calls, {post.name for post in singles + batches})
    syncs = [call for call in calls if call.syncs and call.file.endswith("-wal")]
    written = first_writes(
        calls, {bytes.fromhex(ids[event])[8:] for post in singles + batches for event in post.events}
    )
    used: dict[int, int] = {}
    for post in singles + batches:
        for at in sync_of_each(post, ids, written, syncs, answers[post.name]):
            used[at] = used.get(at, 0) + 1
    assert max(used.values()) > 1, "no two events shared an fdatasync"
    write_figures(
        "fsync_before_answer",
        "every 2xx is written to its socket after an fdatasync that began after the log held its events",
        answers=len(answers),
        events=len(ids),
        fdatasyncs=len(syncs),
        most_events_of_one_fdatasync=max(used.values()),
        answers_before_their_fdatasync=0,
    )


def answers_by_request(calls: list[Call], names: set[str]) -> dict[str, Call]:
    """The call that sent each 2xx; the hub repeats the id that the request carried."""
    found: dict[str, Call] = {}
    for call in calls:
        answer = _ANSWER.match(call.data)
        if answer is not None and (name := answer[1].decode()) in names:
            assert name not in found
            found[name] = call
    assert found.keys() == names, "an answer was not seen in the trace"
    return found


def first_writes(calls: list[Call], event_ids: set[bytes]) -> dict[bytes, Call]:
    """The first page in the log that holds an event's row; rows hold the 16 bytes of its id as they are."""
    found: dict[bytes, Call] = {}
    wanted = set(event_ids)
    for call in calls:
        if call.name == "pwrite64" and call.file.endswith("-wal"):
            # Far cheaper than a search for each id: all that may begin in this page, looked up.
            here = {key for at in range(len(call.data) - 15) if (key := call.data[at : at + 16]) in wanted}
            found.update((key, call) for key in here)
            wanted -= here
    assert not wanted, f"{len(wanted)} acked events were never seen in the log"
    return found


def sync_of_each(
    post: Post, ids: dict[bytes, str], written: dict[bytes, Call], syncs: list[Call], answer: Call
) -> list[int]:
    """For each event the fdatasync that made it durable, which must have ended before the answer began."""
    begins = [sync.began for sync in syncs]
    found = []
    for event in post.events:
        page = written[bytes.fromhex(ids[event])[8:]]
        at = bisect.bisect_right(begins, page.ended)
        durable_at = min((sync.ended for sync in syncs[at:]), default=math.inf)
        assert durable_at < answer.began, (
            f"{post.name} was answered at line {answer.began} of the trace; its event was written at {page.ended} "
            f"and durable at {durable_at}"
        )
        found.append(at)
    return found
