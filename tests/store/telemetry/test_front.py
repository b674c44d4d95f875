"""clickhouse-connect talks to the embedded engine as to a server."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from time import monotonic

import clickhouse_connect
import httpx
import pyarrow as pa
import pytest
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import DatabaseError

from lineage_hub.store.telemetry.child import Engine, EngineChild

pytestmark = pytest.mark.slow
Connect = Callable[..., Client]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    child = EngineChild(Path(tmp_path_factory.mktemp("engine")))
    try:
        yield child.running()
    finally:
        child.close()


@pytest.fixture(scope="module")
def connect(engine: Engine) -> Connect:
    def connected(**options: object) -> Client:
        options = {"password": engine.secret, "autogenerate_session_id": False, "compress": False, **options}
        return clickhouse_connect.get_client(host="127.0.0.1", port=engine.port, **options)

    return connected


@pytest.fixture(scope="module")
def client(connect: Connect) -> Client:
    return connect()


def make(client: Client, table: str) -> None:
    client.command(
        f"CREATE TABLE {table} (a UInt64, s LowCardinality(String), m Map(LowCardinality(String), String),"
        " t DateTime64(9, 'UTC')) ENGINE = MergeTree ORDER BY a"
    )


@pytest.mark.parametrize("compress", [False, "lz4", "zstd", "gzip", True])
def test_native_and_arrow_inserts_come_back_whatever_the_compression(connect: Connect, compress: object):
    client, table = connect(compress=compress), f"inserts_{compress}"
    make(client, table)
    client.insert(table, [[1, "x", {"k": "v"}, datetime(2026, 1, 1)]])
    arrow = pa.table(
        {
            "a": pa.array([2], pa.uint64()),
            "s": ["y"],
            "m": pa.array([[("é", "")]], pa.map_(pa.string(), pa.string())),
            "t": pa.array([2**63 - 1], pa.timestamp("ns")),
        }
    )
    assert client.insert_arrow(table, arrow).written_rows == 1
    answer = client.query(f"SELECT a, s, m, toUnixTimestamp64Nano(t) FROM {table} ORDER BY a")
    assert answer.result_rows == [(1, "x", {"k": "v"}, 1767225600 * 10**9), (2, "y", {"é": ""}, 2**63 - 1)]
    assert client.query_arrow(f"SELECT a FROM {table} ORDER BY a").to_pydict() == {"a": [1, 2]}


@pytest.mark.parametrize("text", ["it's", "tab\tline\nback\\slash", "{x:String}", "💥é", "", "é\r\n\r\n--x\n" * 9000])
def test_a_bound_parameter_arrives_as_it_is(client: Client, text: str):
    answer = client.query(
        "SELECT {text:String}, {texts:Array(String)}, {n:UInt64}",
        parameters={"text": text, "texts": [text, "y"], "n": 2**64 - 1},
    )
    assert answer.first_row == (text, [text, "y"], 2**64 - 1)


@pytest.mark.parametrize(
    ("sql", "code"),
    [("SELEC 1", 62), ("SELECT * FROM nowhere", 60), ("SELECT throwIf(1)", 395), ("SELECT * FROM no.where", 81)],
)
def test_an_error_has_the_number_of_clickhouse(client: Client, sql: str, code: int):
    with pytest.raises(DatabaseError) as refused:
        client.query(sql)
    assert refused.value.code == code


def test_an_insert_that_is_refused_leaves_nothing_and_the_next_one_works(client: Client):
    make(client, "refused")
    for columns, data in ((["a"], b"garbage"), (["nowhere"], b"")):
        with pytest.raises(DatabaseError) as refused:
            client.raw_insert("refused", columns, data, fmt="Native")
        assert refused.value.code
    client.insert("refused", [[1, "x", {}, datetime(2026, 1, 1)]])
    assert client.query("SELECT count() FROM refused").first_row == (1,)


def test_an_insert_that_fails_in_a_view_is_told(client: Client):
    make(client, "viewed")
    make(client, "seen")
    client.command("CREATE MATERIALIZED VIEW view TO seen AS SELECT a + throwIf(a = 13) AS a FROM viewed")
    with pytest.raises(DatabaseError) as refused:
        client.insert("viewed", [[13, "x", {}, datetime(2026, 1, 1)]])
    assert refused.value.code == 395


def test_settings_hold_for_their_statement_alone(client: Client):
    asked = "SELECT getSetting('max_block_size')"
    usual = client.query(asked).first_row
    assert client.query(asked, settings={"max_block_size": 77}).first_row == (77,)
    client.command("SET max_block_size = 78")
    assert {client.query(asked).first_row for _ in range(10)} == {usual}
    with pytest.raises(DatabaseError) as refused:
        client.query("SELECT 1", settings={"no_such_setting": 1})
    assert refused.value.code == 115


def test_a_statement_runs_in_the_database_that_it_names(client: Client, connect: Connect):
    client.command("CREATE DATABASE other")
    make(connect(database="other"), "within")
    assert client.query("SELECT count() FROM other.within").first_row == (0,)
    assert client.query("SELECT currentDatabase()").first_row == ("default",)
    with pytest.raises(DatabaseError) as refused:
        client.query("SELECT * FROM within")
    assert refused.value.code == 60


def test_an_answer_without_rows_has_its_columns(client: Client):
    assert client.query("SELECT 1 AS x LIMIT 0").column_names == ("x",)
    assert client.query("SELECT number FROM numbers(5) WHERE number > 9").result_rows == []


def test_who_does_not_know_the_secret_gets_nothing(engine: Engine, connect: Connect):
    with pytest.raises(DatabaseError) as refused:
        connect(password="guess")
    assert refused.value.code == 516
    url = f"http://127.0.0.1:{engine.port}/"
    assert httpx.post(url, content="SELECT 1").status_code == 403
    assert httpx.post(url, content="SELECT 1", headers={"Authorization": "Basic ???"}).status_code == 403
    assert httpx.post(url, content="SELECT 1", headers={"X-ClickHouse-Key": engine.secret}).text == "1\n"


def test_questions_run_beside_each_other(client: Client):
    """One after the other they would take eight seconds; a machine with other work may take its time for them."""
    started = monotonic()
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: client.query("SELECT sleep(1)"), range(8)))
    assert monotonic() - started < 7


def test_an_insert_does_not_wait_for_questions(client: Client):
    make(client, "beside")
    with ThreadPoolExecutor(8) as threads:
        sleeping = [threads.submit(client.query, "SELECT sleep(3)") for _ in range(8)]
        client.insert(
            "beside",
            [[1, "x", {}, datetime(2026, 1, 1)]],
            column_type_names=[
                "UInt64",
                "LowCardinality(String)",
                "Map(LowCardinality(String), String)",
                "DateTime64(9)",
            ],
            column_names=["a", "s", "m", "t"],
        )
        assert not all(one.done() for one in sleeping)
        for one in sleeping:
            one.result()
