"""A filesystem without room for telemetry: 503 that says why; when room returns, every span counts once."""

import asyncio
import contextlib
import random
from pathlib import Path

import pytest

from lineage_hub.errors import StorageFull, Transient
from lineage_hub.ingest.telemetry.intake import TelemetryIntake
from lineage_hub.settings import Settings
from lineage_hub.store.telemetry.open import TelemetryStore, open_telemetry
from tests.ingest.telemetry.engine import all_equal, identity, rollups_agree, span_columns, spans_everywhere
from tests.proofs.figures import write_figures
from tests.proofs.sizes import SEED, TIMEOUT_S, pick
from tests.proofs.test_full_disk import free_bytes, small_filesystem

pytestmark = [pytest.mark.slow, pytest.mark.serial, pytest.mark.timeout(TIMEOUT_S)]

SIZE_MB = 160
CLIENTS = 6
# For the tables nothing, and for the journal, which shares the disk, a few lines or none.
LEFT_BYTES = (0, 20_000, 200_000, 1_000_000)


def test_a_full_disk_is_told_and_every_span_counts_once_when_room_returns(tmp_path: Path) -> None:
    with small_filesystem(tmp_path / "small", SIZE_MB) as data:
        settings = Settings(data_dir=data)
        store = open_telemetry(settings)
        try:
            sent, refused = asyncio.run(_fill_and_free(store, settings, data))
            assert spans_everywhere(store) == all_equal(sent)
            assert rollups_agree(store)
        finally:
            store.close()
    write_figures(
        "telemetry_full_disk",
        "a disk without room refuses telemetry, and every span counts once when room returns",
        rounds=ROUNDS,
        spans=sent,
        requests_refused=refused,
    )


ROUNDS = pick(4, 24)


async def _fill_and_free(store: TelemetryStore, settings: Settings, data: Path) -> tuple[int, int]:
    rng = random.Random(f"full telemetry {SEED}")
    intake = TelemetryIntake(store, settings)
    intake.start()
    numbers, sent, refused = iter(range(10**9)), 0, 0
    ballast = data / "ballast"

    async def client(full: asyncio.Event) -> int:
        nonlocal refused
        rows_sent = 0
        while not full.is_set():
            number, rows = next(numbers), rng.randint(1, 300)
            while True:
                try:
                    await intake.submit("traces", "default", identity("traces", number), span_columns(number, rows))
                    break
                except Transient as error:
                    refused += 1
                    if isinstance(error, StorageFull):
                        full.set()
                    await asyncio.sleep(0.05)
            rows_sent += rows
        return rows_sent

    async def one_round(left: int) -> int:
        full = asyncio.Event()
        clients = [asyncio.create_task(client(full)) for _ in range(CLIENTS)]
        await asyncio.sleep(0.3)
        # What is inserted meanwhile may take the last of it first.
        with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
            file.write(bytes(max(0, free_bytes(data) - left)))
        async with asyncio.timeout(120):
            await full.wait()
        await asyncio.sleep(0.3)
        ballast.unlink()
        async with asyncio.timeout(120):
            return sum(await asyncio.gather(*clients))

    await intake.submit("traces", "default", b"first", span_columns(10**6, 5))
    try:
        for number in range(ROUNDS):
            sent += await one_round(LEFT_BYTES[number % len(LEFT_BYTES)])
    finally:
        await intake.stop()
    return sent + 5, refused
