"""What is inserted comes back exactly; what can't be done is told as an error of the hub."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lineage_hub.errors import InternalError, InvalidRequest, StoreUnavailable
from lineage_hub.settings import Settings
from lineage_hub.store.telemetry.child import EngineChild
from lineage_hub.store.telemetry.clients import EmbeddedClients
from lineage_hub.store.telemetry.open import TelemetryStore, open_telemetry
from tests.telemetry_rows import AT, EVERY, as_they_come_back, spans
from tests.tls import tls_before

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("table", EVERY)
def test_every_column_comes_back_exactly(store: TelemetryStore, table: str):
    store.insert(table, EVERY[table], 2**64 - 1)
    found = store.ask(f"SELECT {', '.join(EVERY[table])} FROM {table} ORDER BY namespace")
    assert found == as_they_come_back(EVERY[table])


@pytest.mark.parametrize("table", EVERY)
def test_no_column_of_a_table_is_left_out_of_that_test(store: TelemetryStore, table: str):
    columns = store.ask(
        "SELECT name FROM system.columns WHERE database = 'otel' AND table = {table:String}"
        " AND default_kind != 'MATERIALIZED'",
        {"table": table},
    )
    assert {row["name"] for row in columns} - {"batch", "expires_at"} == EVERY[table].keys()


def test_rows_are_kept_for_the_days_of_their_namespace(store: TelemetryStore):
    store.insert("traces", spans(2, trace_id="7" * 32, namespace=["team-b", "team-c"]), 9)
    today = datetime.now(UTC).date()
    found = store.ask("SELECT expires_at, batch FROM traces WHERE trace_id = repeat('7', 32) ORDER BY namespace")
    assert [row["expires_at"] - today for row in found] == [timedelta(7), timedelta(30)]
    assert {row["batch"] for row in found} == {9}


def test_what_has_expired_goes_from_tables_and_rollups(store: TelemetryStore):
    store.run(
        "INSERT INTO traces (namespace, timestamp, trace_id, expires_at)"
        " SELECT 'expired', toDateTime64('2026-01-01', 9, 'UTC'), repeat('e', 32), yesterday()"
    )
    for table in ("traces", "trace_ranges", "operation_minutes", "operation_hours"):
        store.run(f"OPTIMIZE TABLE {table} FINAL")
        assert store.ask(f"SELECT count() AS n FROM {table} WHERE namespace = 'expired'") == [{"n": 0}]


def test_one_namespace_may_stand_for_all_rows(store: TelemetryStore):
    store.insert("otel.traces", spans(3, trace_id="6" * 32, namespace="team-b"), 9)
    asked = "SELECT namespace, count() AS rows FROM traces WHERE trace_id = {id:String} GROUP BY namespace"
    assert store.ask(asked, {"id": "6" * 32}) == [{"namespace": "team-b", "rows": 3}]


def test_nothing_to_insert_is_no_error(store: TelemetryStore):
    store.insert("traces", spans(0), 9)


def test_one_insert_may_hold_more_days_than_clickhouse_takes_at_once(store: TelemetryStore):
    store.insert("traces", spans(150, trace_id="5" * 32, at=0, step=86_400 * 10**9), 9)
    found = store.ask("SELECT count() AS n, uniqExact(timestamp) AS days FROM traces WHERE trace_id = repeat('5', 32)")
    assert found == [{"n": 150, "days": 150}]


def test_parameters_are_bound_not_written_into_the_statement(store: TelemetryStore):
    text = "' OR 1 = 1 -- {x:String} \\"
    assert store.ask("SELECT {text:String} AS text", {"text": text}) == [{"text": text}]
    assert store.ask("SELECT '%s %(x)s' AS text") == [{"text": "%s %(x)s"}]


def test_a_statement_that_is_refused_is_a_defect_of_the_hub(store: TelemetryStore):
    with pytest.raises(InternalError, match="Syntax error"):
        store.ask("SELEC 1")
    with pytest.raises(InternalError, match="UNKNOWN_TABLE"):
        store.run("TRUNCATE TABLE nowhere")
    with pytest.raises(InternalError, match="there is no table nowhere"):
        store.insert("nowhere", spans(1), 1)


def test_a_question_that_needs_too_much_memory_is_refused_and_the_engine_lives_on(store: TelemetryStore):
    with pytest.raises(InvalidRequest, match="more memory") as refused:
        store.ask("SELECT length(groupArray(number)) AS n FROM numbers(2000000000)")
    assert refused.value.action is not None
    assert store.ask("SELECT 1 AS n") == [{"n": 1}]


def test_a_statement_that_can_not_be_sent_is_refused_and_the_engine_lives_on(store: TelemetryStore):
    assert isinstance(store._clients, EmbeddedClients)
    engine = store._clients.child.pid
    with pytest.raises(InternalError):
        store.ask("SELECT {text:String}", {"text": "\ud800"})
    with pytest.raises(InternalError):
        store.ask("SELECT {text:String}", {"other": 1})
    with pytest.raises(InternalError):
        store.run("SELECT '\ud800'")
    assert store.ask("SELECT 1 AS n") == [{"n": 1}]
    assert store._clients.child.pid == engine


@pytest.mark.parametrize(
    "wrong", [{"colour": ["red"]}, {"duration_ns": [-1]}, {"span_id": [None]}, {"operation_name": ["\ud800"]}]
)
def test_rows_that_do_not_fit_are_refused_and_none_is_inserted(store: TelemetryStore, wrong: dict[str, Any]):
    with pytest.raises(InternalError):
        store.insert("traces", spans(1, trace_id="4" * 32, **wrong), 1)
    assert store.ask("SELECT count() AS n FROM traces WHERE trace_id = repeat('4', 32)") == [{"n": 0}]


def test_threads_insert_and_ask_beside_each_other(store: TelemetryStore):
    def insert_and_count(n: int) -> int:
        trace_id = f"{n:032x}"
        store.insert("traces", spans(100, trace_id=trace_id), 100 + n)
        asked = "SELECT count() AS n FROM traces WHERE trace_id = {id:String}"
        return int(store.ask(asked, {"id": trace_id})[0]["n"])

    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(insert_and_count, range(12))) == [100] * 12


def test_a_log_is_found_by_a_word_of_it_in_any_case(store: TelemetryStore):
    logs = {"timestamp": [AT, AT], "body": ["Connection TIMEOUT after 3s", "all well"], "namespace": ["words"] * 2}
    store.insert("logs", logs, 1)
    asked = "SELECT body FROM logs WHERE hasToken(lower(body), {word:String}) AND namespace = 'words'"
    assert store.ask(asked, {"word": "timeout"}) == [{"body": "Connection TIMEOUT after 3s"}]


def test_of_a_pipelines_run_the_last_version_stays(store: TelemetryStore):
    for version, status in ((2, "COMPLETE"), (1, "RUNNING")):
        run = {"timestamp": [AT], "run_id": ["twice"], "status": [status], "version": [version], "namespace": ["x"]}
        store.insert("pipeline_runs", run, 1)
    found = store.ask("SELECT status FROM pipeline_runs FINAL WHERE run_id = 'twice'")
    assert found == [{"status": "COMPLETE"}]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The front speaks as a server does, so it can stand for one."""
    child = EngineChild(tmp_path_factory.mktemp("server"))
    try:
        engine = child.running()
        yield f"default:{engine.secret}@127.0.0.1:1,127.0.0.1:{engine.port}"
    finally:
        child.close()


def test_a_server_is_used_by_its_address_and_hosts_are_tried_in_turn(server: str, tmp_path: Path):
    store = open_telemetry(Settings(data_dir=tmp_path / "unused", clickhouse_url=f"clickhouse://{server}/elsewhere"))
    store.insert("traces", spans(3), 1)
    assert store.ask("SELECT count() AS n FROM traces") == [{"n": 3}]
    assert store.ask("SELECT count() AS n FROM elsewhere.traces") == [{"n": 3}]
    store.close()
    assert not (tmp_path / "unused").exists()


@pytest.mark.parametrize("where", ["me:guessed@{place}", "default:guessed@127.0.0.1:1"])
def test_a_server_that_denies_or_does_not_answer_is_unavailable(server: str, where: str):
    place = server.rpartition(",")[2]
    store = open_telemetry(Settings(clickhouse_url="clickhouse://" + where.format(place=place)))
    with pytest.raises(StoreUnavailable) as refused:
        store.ask("SELECT 1")
    assert "guessed" not in str(refused.value.body())
    store.close()


def test_what_is_left_of_an_insert_is_removed_from_a_server(server: str):
    store = open_telemetry(Settings(clickhouse_url=f"clickhouse://{server}/removed"))
    store.insert("traces", spans(3), 41)
    store.insert("traces", spans(2), 42)
    store.remove(41, ["otel.traces"])
    assert store.ask("SELECT DISTINCT batch FROM traces") == [{"batch": 42}]
    store.close()


@pytest.fixture(scope="module")
def secured(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The same behind TLS, and the certificate that speaks for it."""
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "server.pem", folder / "server.key"
    made = f"-keyout {key} -out {certificate} -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *made.split()]
    subprocess.run(command, check=True, capture_output=True)
    credentials, _, hosts = server.rpartition("@")
    with tls_before(int(hosts.rpartition(":")[2]), certificate, key) as port:
        yield f"{credentials}@localhost:{port}", certificate


def test_a_server_is_used_by_tls(secured: tuple[str, Path]):
    place, certificate = secured
    store = open_telemetry(Settings(clickhouse_url=f"https://{place}/secured?ca_cert={certificate}"))
    store.insert("traces", spans(3), 1)
    assert store.ask("SELECT count() AS n FROM secured.traces") == [{"n": 3}]
    store.close()


def test_a_server_whose_certificate_nobody_vouches_for_is_not_used(secured: tuple[str, Path]):
    place, _ = secured
    store = open_telemetry(Settings(clickhouse_url=f"https://{place}/otel"))
    with pytest.raises(StoreUnavailable, match="does not answer"):
        store.ask("SELECT 1")
    store.close()


def test_a_server_that_speaks_no_tls_is_unavailable_by_tls(server: str):
    store = open_telemetry(Settings(clickhouse_url=f"clickhouse://{server}/otel?secure=true&verify=false"))
    with pytest.raises(StoreUnavailable, match="does not answer"):
        store.ask("SELECT 1")
    store.close()


UNUSED = """
import sys
from pathlib import Path
from lineage_hub.settings import Settings
from lineage_hub.store.telemetry.clients import EmbeddedClients
from lineage_hub.store.telemetry.open import open_telemetry
store = open_telemetry(Settings(data_dir=Path(sys.argv[1])))
store.close()
print(sorted({"chdb", "pyarrow", "clickhouse_connect", "starlette", "uvicorn", "numpy"} & sys.modules.keys()))
"""


def test_a_store_that_is_not_used_starts_imports_and_writes_nothing(tmp_path: Path):
    ran = subprocess.run(
        [sys.executable, "-c", UNUSED, str(tmp_path / "data")], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "[]"
    assert not (tmp_path / "data").exists()
