"""What a dataset was like is known from the hub, and without it from the disk; a run never fails for want of it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lineage_hub.sdk.client import SyncLineageHubClient
from lineage_hub.sdk.config import LineageHubConfig
from lineage_hub.spark.pipeline.remembered import Known, KnownField, Memory
from tests.hub_process import HubProcess, free_port

FIELDS = (
    KnownField("id", "int"),
    KnownField("at.the", "struct", (KnownField("a", "decimal(10,2)"), KnownField("größe", "string"))),
)
NAMESPACE, NAME = "file", "/lake/gold/orders/" + "long" * 80


def test_what_was_remembered_is_known_to_the_next_run(tmp_path: Path) -> None:
    Memory(tmp_path / "new" / "folder").remember(NAMESPACE, NAME, FIELDS, 12)
    memory = Memory(tmp_path / "new" / "folder")
    assert memory.recall(NAMESPACE, NAME) == Known(FIELDS, 12, "disk")
    assert memory.recall("other", NAME) is None
    memory.remember(NAMESPACE, NAME, FIELDS[:1], None)
    assert memory.recall(NAMESPACE, NAME) == Known(FIELDS[:1], None, "disk")
    assert len(list((tmp_path / "new" / "folder").iterdir())) == 1


def test_names_that_look_alike_on_disk_are_kept_apart(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    for rows, name in enumerate(("a/b", "a-b", "a b", "A/B", "../a/b")):
        memory.remember("ns", name, FIELDS, rows)
    assert [memory.recall("ns", name).rows for name in ("a/b", "a-b", "a b", "A/B", "../a/b")] == [0, 1, 2, 3, 4]  # type: ignore[union-attr]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"rows": "many"}', b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_as_good_as_none(tmp_path: Path, content: bytes) -> None:
    memory = Memory(tmp_path)
    memory.remember("ns", "a", FIELDS, 1)
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    assert memory.recall("ns", "a") is None
    memory.remember("ns", "a", FIELDS, 2)
    assert memory.recall("ns", "a") == Known(FIELDS, 2, "disk")


def test_a_folder_that_cannot_be_written_is_no_end(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    memory = Memory(tmp_path / "file")
    memory.remember("ns", "a", FIELDS, 1)
    assert memory.recall("ns", "a") is None


def test_a_file_is_the_old_or_the_new_one_when_the_writer_is_killed(tmp_path: Path) -> None:
    """Killed by a signal in the midst of writing again and again."""
    Memory(tmp_path).remember("ns", "a", FIELDS, 0)
    code = (
        "import sys; from pathlib import Path; from lineage_hub.spark.pipeline.remembered import Memory, KnownField\n"
        "memory, n = Memory(Path(sys.argv[1])), 0\n"
        "fields = tuple(KnownField(f'c{at}', 'string') for at in range(2000))\n"
        "while True:\n"
        "    n += 1\n"
        "    memory.remember('ns', 'a', fields, n)\n"
        "    if n == 20: print('going', flush=True)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True, env=os.environ.copy()
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "going\n"
    finally:
        child.kill()
        child.wait()
        assert child.stdout is not None
        child.stdout.close()
    known = Memory(tmp_path).recall("ns", "a")
    assert known is not None
    assert known.rows is not None
    assert known.rows >= 20
    assert known.fields is not None
    assert len(known.fields) == 2000


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    with HubProcess(tmp_path_factory.mktemp("hub") / "data") as process:
        yield process


def event(number: int, kind: str, rows: int | None, fields: list[dict[str, Any]] | None, dataset: str = NAME) -> bytes:
    facets: dict[str, Any] = {}
    about = {"_producer": "https://example.org", "_schemaURL": "https://example.org"}
    if fields is not None:
        facets["schema"] = {**about, "fields": fields}
    output: dict[str, Any] = {"namespace": NAMESPACE, "name": dataset, "facets": facets}
    if rows is not None:
        output["outputFacets"] = {"outputStatistics": {**about, "rowCount": rows}}
    run = f"0190a000-0000-7000-8000-{number:012}"
    return json.dumps(
        {
            "eventTime": f"2026-11-01T10:00:{number:02}Z",
            "eventType": kind,
            "producer": "https://example.org",
            "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
            "run": {"runId": run},
            "job": {"namespace": "shop", "name": "gold"},
            "inputs": [],
            "outputs": [output],
        }
    ).encode()


@pytest.mark.slow
def test_the_hub_tells_schema_and_rows_of_the_last_run_that_completed(hub: HubProcess, tmp_path: Path) -> None:
    nested = [{"name": "a", "type": "decimal(10,2)"}, {"name": "größe", "type": "string"}]
    fields = [{"name": "id", "type": "int"}, {"name": "at.the", "type": "struct", "fields": nested}]
    events = [event(1, "COMPLETE", 5, None), event(2, "COMPLETE", 12, fields), event(3, "FAIL", 99, None)]
    with SyncLineageHubClient(hub.url) as client:
        assert client.send_lineage_events(events).accepted == 3
    memory = Memory(tmp_path, LineageHubConfig(hub_endpoint=hub.url))
    memory.remember(NAMESPACE, NAME, FIELDS[:1], 1)
    assert memory.recall(NAMESPACE, NAME) == Known(FIELDS, 12, "hub")
    memory.close()


@pytest.mark.slow
def test_what_the_hub_does_not_know_the_disk_does(hub: HubProcess, tmp_path: Path) -> None:
    with SyncLineageHubClient(hub.url) as client:
        client.send_lineage_events([event(9, "COMPLETE", None, None, "bare")])
    memory = Memory(tmp_path, LineageHubConfig(hub_endpoint=hub.url))
    memory.remember(NAMESPACE, "unknown", FIELDS, 3)
    memory.remember(NAMESPACE, "bare", FIELDS, 4)
    assert memory.recall(NAMESPACE, "unknown") == Known(FIELDS, 3, "disk")
    assert memory.recall(NAMESPACE, "bare") == Known(FIELDS, 4, "hub")
    assert memory.recall(NAMESPACE, "neither") is None
    memory.close()


@pytest.mark.parametrize("address", ["nobody", "nonsense"])
def test_without_a_hub_the_disk_answers(tmp_path: Path, address: str) -> None:
    url = f"http://127.0.0.1:{free_port()}" if address == "nobody" else "no address"
    memory = Memory(tmp_path, LineageHubConfig(hub_endpoint=url))
    memory.remember("ns", "a", FIELDS, 3)
    assert memory.recall("ns", "a") == Known(FIELDS, 3, "disk")
    memory.close()
