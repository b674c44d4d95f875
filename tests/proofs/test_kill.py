"""kill -9 at any moment: what was acked is stored, and the store says what its events say."""

import mmap
import random
import struct
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path

import pytest

from tests.hub_process import HubProcess
from tests.proofs.figures import write_figures
from tests.proofs.load import Load, Post, in_batches, mixed_events, one_by_one
from tests.proofs.replay import check_integrity, check_replay, ids_of_stored
from tests.proofs.sizes import SEED, TIMEOUT_S, pick

pytestmark = [pytest.mark.slow, pytest.mark.serial, pytest.mark.timeout(TIMEOUT_S)]

IN_FLIGHT = 10
# A store lives through this many kills; then the next one begins.
KILLS_OF_A_LIFE = 5
ASKED_ABOUT = pick(5, 20)
Posts = Callable[[Iterable[bytes]], Iterator[Post]]


class Life:
    """One data folder with all that was sent to it, through any number of kills."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.folder, self.rng = folder, rng
        self.data = folder / "data"
        self.acked: set[bytes] = set()
        self.sent: set[bytes] = set()
        self.lost: list[Post] = []
        self.compared = 0
        self._replays = 0
        self._hub: HubProcess | None = None

    def start(self) -> HubProcess:
        self._hub = HubProcess(self.data)
        return self._hub

    def __enter__(self) -> "Life":
        return self

    def __exit__(self, *_: object) -> None:
        if self._hub is not None:
            self._hub.kill()

    def note(self, load: Load) -> None:
        assert not load.refused, load.refused[0][1:]
        self.acked |= load.acked_events()
        self.sent |= load.sent_events()
        self.lost = load.lost

    def check(self, hub: HubProcess) -> int:
        stored = ids_of_stored(hub)
        missing = self.acked - stored.keys()
        assert not missing, f"{len(missing)} of {len(self.acked)} acked events are gone, as {min(missing)[:300]!r}"
        assert stored.keys() <= self.sent
        check_integrity(self.data)
        self._replays += 1
        self.compared += check_replay(hub, stored, self.folder / f"replay{self._replays}", self.rng, ASKED_ABOUT)
        return len(stored)


def at_a_random_moment(load: Load, rng: random.Random, acks: tuple[int, int]) -> None:
    """Not just after an answer: anywhere between two."""
    target = len(load.acked) + rng.randint(*acks)
    load.wait_for(lambda now: len(now.acked) >= target and now.in_flight >= IN_FLIGHT)
    time.sleep(rng.uniform(0, 0.03))


@pytest.mark.parametrize(
    ("name", "posts", "connections", "acks"),
    [
        pytest.param("one event a request", one_by_one, 32, (1, 300), id="singles"),
        # A group of them is answered at once, and still many are in flight.
        pytest.param("20 to 80 events a request", None, 40, (1, 12), id="batches"),
    ],
)
def test_what_was_acked_before_kill_9_is_stored_and_the_state_equals_a_replay(
    tmp_path: Path, name: str, posts: Posts | None, connections: int, acks: tuple[int, int]
) -> None:
    rng = random.Random(f"kill {SEED} {name}")
    kills, missed = pick(10, 50), 0
    least, acked, unacked, compared = connections, 0, 0, 0
    for life_number in range(0, kills, KILLS_OF_A_LIFE):
        with Life(tmp_path / str(life_number), rng) as life:
            events = mixed_events(SEED + life_number)
            hub = life.start()
            struck = 0
            while struck < KILLS_OF_A_LIFE:
                # A producer sends again what wasn't answered; what had been stored all the same is a repeat then.
                fresh = posts(events) if posts else in_batches(events, rng.randint(20, 80))
                with Load(hub.port, chain(life.lost, fresh), connections) as load:
                    at_a_random_moment(load, rng, acks)
                    hub.kill()
                life.note(load)
                # Answers come in groups: a kill between two of them cuts off few. It must lose nothing either.
                if len(load.lost) >= IN_FLIGHT:
                    struck += 1
                    least, unacked = min(least, len(load.lost)), unacked + len(load.lost)
                else:
                    missed += 1
                    assert missed < kills
                hub = life.start()
                life.check(hub)
        acked, compared = acked + len(life.acked), compared + life.compared
    write_figures(
        f"kill_{connections}_connections",
        f"kill -9 under load, {name}: acked events are stored, the state equals a replay",
        kills=kills,
        least_requests_in_flight=least,
        requests_cut_off=unacked,
        events_acked=acked,
        events_lost=0,
        bodies_compared=compared,
    )


def test_a_hub_that_is_killed_while_it_starts_can_be_started(tmp_path: Path) -> None:
    rng = random.Random(f"start {SEED}")
    kills = pick(3, 20)
    began_at = time.monotonic()
    with Life(tmp_path / "filled", rng) as life:
        hub = life.start()
        start_s = time.monotonic() - began_at
        with Load(hub.port, one_by_one(mixed_events(SEED)), 32) as load:
            load.wait_for(lambda now: len(now.acked) >= 200)
            hub.kill()
        life.note(load)
        for number in range(kills):
            # A folder where nothing is yet, and one with a log to recover; from the first import to the first answer.
            for data in (tmp_path / f"empty{number}" / "data", life.data):
                starting = HubProcess(data, wait=False)
                time.sleep(rng.uniform(0.3, 1.1) * start_s)
                starting.kill()
            with HubProcess(tmp_path / f"empty{number}" / "data") as restarted:
                assert ids_of_stored(restarted) == {}
        life.check(life.start())
    write_figures(
        "kill_at_start",
        "kill -9 while the hub starts, on an empty folder and on one with a log to recover: it starts again",
        kills=2 * kills,
        events_acked=len(life.acked),
        events_lost=0,
    )


def test_a_kill_in_the_middle_of_a_checkpoint_loses_nothing(tmp_path: Path) -> None:
    rng = random.Random(f"checkpoint {SEED}")
    kills = pick(1, 10)
    hits = acked = compared = 0
    for attempt in range(5 * kills):
        with Life(tmp_path / str(attempt), rng) as life:
            hub = life.start()
            with Load(hub.port, in_batches(mixed_events(SEED + attempt), 100), 12) as load:
                load.wait_for(lambda now: len(now.acked) >= 1)
                wait_for_checkpoint(life.data / "lineage.db-shm", load)
                hub.kill()
            life.note(load)
            hits += is_checkpointing(life.data / "lineage.db-shm")
            life.check(life.start())
        acked, compared = acked + len(life.acked), compared + life.compared
        if hits == kills:
            break
    assert hits == kills, f"{hits} of {attempt + 1} kills fell into a checkpoint"
    write_figures(
        "kill_in_checkpoint",
        "kill -9 in the middle of a checkpoint: acked events are stored, the state equals a replay",
        kills=hits,
        events_acked=acked,
        events_lost=0,
        bodies_compared=compared,
    )


def is_checkpointing(shm: Path) -> bool:
    """SQLite's index of the log says how far a checkpoint means to go, and, when it has copied, how far it came."""
    return _is_open(shm.read_bytes()[:136])


def _is_open(index: bytes) -> bool:
    (done,), (wanted,) = struct.unpack_from("=I", index, 96), struct.unpack_from("=I", index, 128)
    return bool(done < wanted)


def wait_for_checkpoint(shm: Path, load: Load) -> None:
    with shm.open("rb") as file, mmap.mmap(file.fileno(), 136, prot=mmap.PROT_READ) as index:
        # Copying takes milliseconds: nothing but looking all the time can catch it.
        while not _is_open(index[:136]):
            assert not load.lost, "the hub is gone before its first checkpoint"
            time.sleep(0.0002)
