"""kill -9 of the hub and of its telemetry engine at any moment: clients send again, and every span counts once."""

import json
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from lineage_hub.settings import Settings
from lineage_hub.store.telemetry.open import open_telemetry
from tests.hub_process import HubProcess, free_port
from tests.ingest.telemetry.engine import NOW_NS, all_equal, kill_engine, rollups_agree, spans_everywhere
from tests.proofs.figures import write_figures
from tests.proofs.sizes import SEED, TIMEOUT_S, pick

pytestmark = [pytest.mark.slow, pytest.mark.serial, pytest.mark.timeout(TIMEOUT_S)]

CLIENTS = 8
KILLS = pick(6, 40)
# Between two kills so many requests are answered at least.
ANSWERS = (5, 40)


def body(number: int, spans: int) -> bytes:
    """OTLP/JSON; a span's id follows from its request, so that one that is there twice shows."""
    each = [
        {
            "traceId": f"{number:032x}",
            "spanId": f"{number:08x}{row:08x}",
            "name": f"operation {row % 5}",
            "kind": 2,
            "startTimeUnixNano": str(NOW_NS + (number % 2 - row) * 1_000_003 + number % 1000),
            "endTimeUnixNano": str(NOW_NS + (number % 2 - row) * 1_000_003 + number % 1000 + 1000 + row),
            "attributes": [{"key": "number", "value": {"intValue": str(number)}}],
            "status": {"code": 2 if row % 10 == 0 else 1},
        }
        for row in range(1, spans + 1)
    ]
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": f"service {number % 3}"}}]}
    return json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": each}]}]}).encode()


class Exporters:
    """Each sends a request until it is answered with 200, as OpenTelemetry's do, and sometimes once more."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._numbers: Iterator[int] = iter(range(1, 10**9))
        self._stopping = False
        self.spans = self.answered = self.tried_again = self.sent_twice = 0
        self._threads = [threading.Thread(target=self._export, args=(seed,)) for seed in range(CLIENTS)]

    def _export(self, seed: int) -> None:
        rng = random.Random(f"{SEED} {seed}")
        with httpx.Client(timeout=60) as client:
            while not self._stopping:
                with self._lock:
                    number = next(self._numbers)
                spans = rng.randint(1, 200)
                text = body(number, spans)
                again = rng.random() < 0.2
                for _ in range(1 + again):
                    self._until_taken(client, text)
                with self._lock:
                    self.spans += spans
                    self.answered += 1
                    self.sent_twice += again

    def _until_taken(self, client: httpx.Client, text: bytes) -> None:
        while True:
            try:
                answer = client.post(
                    f"{self._url}/v1/traces", content=text, headers={"content-type": "application/json"}
                )
            except httpx.TransportError:
                pass
            else:
                if answer.status_code == 200:
                    return
                assert answer.status_code in (502, 503, 504), answer.text
            with self._lock:
                self.tried_again += 1
            time.sleep(0.05)

    def wait_for_more(self, answers: int) -> None:
        target, deadline = self.answered + answers, time.monotonic() + 180
        while self.answered < target:
            assert time.monotonic() < deadline, "nothing is answered any more"
            assert all(thread.is_alive() for thread in self._threads)
            time.sleep(0.005)

    def __enter__(self) -> "Exporters":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping = True
        for thread in self._threads:
            thread.join()


def test_spans_count_once_though_hub_and_engine_are_killed_at_random_moments(tmp_path: Path) -> None:
    rng = random.Random(f"telemetry {SEED}")
    data, port = tmp_path / "data", free_port()
    hub = HubProcess(data, port=port)
    killed = {"hub": 0, "engine": 0}
    try:
        with Exporters(hub.url) as exporters:
            for number in range(KILLS):
                exporters.wait_for_more(rng.randint(*ANSWERS))
                time.sleep(rng.uniform(0, 0.2))
                # An engine that dies often is started ever more slowly; a new hub begins anew.
                if number % 2:
                    killed["engine"] += kill_engine(data / "telemetry")
                else:
                    hub.kill()
                    killed["hub"] += 1
                    hub = HubProcess(data, port=port)
            exporters.wait_for_more(10)
        assert hub.stop() == 0
    finally:
        hub.kill()
    store = open_telemetry(Settings(data_dir=data))
    try:
        assert spans_everywhere(store) == all_equal(exporters.spans)
        assert rollups_agree(store)
    finally:
        store.close()
    assert all(killed.values())
    write_figures(
        "telemetry_kill",
        "kill -9 of hub and engine under load, clients retry: spans in tables and rollups are those that were sent",
        hub_kills=killed["hub"],
        engine_kills=killed["engine"],
        requests=exporters.answered,
        requests_sent_again=exporters.tried_again,
        requests_sent_twice=exporters.sent_twice,
        spans=exporters.spans,
    )
