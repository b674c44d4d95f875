"""A database that is gone, moved, locked or read-only: the hub says so, promises nothing meanwhile, and goes on."""

import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import psycopg
import pytest

from tests.hub_process import HubProcess, free_port
from tests.oracle.build import complete
from tests.postgres.forwarder import Forwarder
from tests.postgres.hubs import await_status, get, hubs_on, post
from tests.postgres_server import USER, PostgresServer, running_server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
SECRET = "sw0rdfish"


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """One that may be stopped: nobody else uses it."""
    with running_server(tcp_port=free_port()) as running:
        yield running


@pytest.fixture
def database(server: PostgresServer) -> Iterator[str]:
    """Its name."""
    with server.database() as url:
        yield url.partition("?")[0].rpartition("/")[2]


def address(server: PostgresServer, database: str, port: int | None = None) -> str:
    return f"postgresql://{USER}:{SECRET}@127.0.0.1:{port or server.port}/{database}"


def assert_unavailable(answer: httpx.Response) -> None:
    assert answer.status_code == 503, answer.text
    assert int(answer.headers["retry-after"]) >= 1
    assert answer.json()["error"] == "store_unavailable"
    assert answer.json()["action"]
    assert SECRET not in answer.text


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT], ids=["stopped", "crashed"])
def test_a_hub_outlives_its_database(
    server: PostgresServer, database: str, tmp_path: Path, how: signal.Signals
) -> None:
    with hubs_on(address(server, database), tmp_path, 1) as (hub,):
        assert post(hub, complete(1, inputs=["a"], outputs=["b"])).status_code == 204
        server.stop(how)
        try:
            assert_unavailable(post(hub, complete(2, run=2, outputs=["b"])))
            assert_unavailable(get(hub, "/lineage?nodeId=dataset:db:a"))
            assert_unavailable(get(hub, "/jobs"))
            health = httpx.get(f"{hub.url}/api/v1/health", timeout=30)
            assert health.status_code == 503
            assert health.json()["dependencies"]["store"]["status"] == "unhealthy"
            assert httpx.get(f"{hub.url}/readyz", timeout=30).status_code == 503
            assert httpx.get(f"{hub.url}/livez").status_code == 200
        finally:
            server.start()
        await_status(hub, "/readyz", 200)
        assert post(hub, complete(2, run=2, outputs=["b"])).status_code == 204
        assert get(hub, "/events/lineage?limit=0").json()["totalCount"] == 2
        assert httpx.get(f"{hub.url}/api/v1/health", timeout=30).status_code == 200
        assert SECRET not in hub.said()


def test_nothing_that_was_promised_is_lost_when_the_database_comes_and_goes(
    server: PostgresServer, database: str, tmp_path: Path
) -> None:
    """Its connections are cut again and again, at any point of a transaction."""
    forwarder = Forwarder(server.port)
    forwarder.open()
    promised: list[int] = []
    refused = 0
    done = threading.Event()

    def cut() -> None:
        while not done.wait(0.15):
            forwarder.close()
            forwarder.open()

    cutting = threading.Thread(target=cut)
    try:
        with hubs_on(address(server, database, forwarder.port), tmp_path, 1) as (hub,):
            cutting.start()
            for number in range(10_000):
                answer = post(hub, complete(number, run=number, inputs=["a"], outputs=["b"]))
                if answer.status_code == 204:
                    promised.append(number)
                else:
                    assert_unavailable(answer)
                    refused += 1
                if len(promised) >= 100 and refused >= 5:
                    break
            done.set()
            cutting.join()
            await_status(hub, "/readyz", 200)
            kept = get(hub, "/events/lineage?limit=10000").json()["events"]
            runs = {int(event["run"]["runId"].rpartition("-")[2]) for event in kept}
            assert runs >= set(promised)
            assert refused >= 5
    finally:
        done.set()
        forwarder.end()


def test_a_hub_that_starts_without_its_database_says_so_and_ends(tmp_path: Path) -> None:
    url = f"postgresql://{USER}:{SECRET}@127.0.0.1:{free_port()}/hub"
    hub = HubProcess(tmp_path / "hub", environment={"LINEAGE_HUB_DATABASE_URL": url}, wait=False)
    try:
        assert hub.wait_for_exit() == 3
    finally:
        hub.kill()
    assert "the store does not answer" in hub.said()
    assert "lineage-hub doctor" in hub.said()
    assert SECRET not in hub.said()


def test_a_hub_finds_the_host_that_took_over(server: PostgresServer, database: str, tmp_path: Path) -> None:
    first, second = Forwarder(server.port), Forwarder(server.port)
    first.open()
    hosts = f"127.0.0.1:{first.port},127.0.0.1:{second.port}"
    url = f"postgresql://{USER}:{SECRET}@{hosts}/{database}?target_session_attrs=read-write"
    try:
        with hubs_on(url, tmp_path, 1) as (hub,):
            assert post(hub, complete(1, outputs=["a"])).status_code == 204
            first.close()
            second.open()
            await_status(hub, "/readyz", 200)
            assert post(hub, complete(2, run=2, outputs=["a"])).status_code == 204
            assert get(hub, "/events/lineage?limit=0").json()["totalCount"] == 2
            second.close()
            assert_unavailable(post(hub, complete(3, run=3, outputs=["a"])))
            first.open()
            await_status(hub, "/readyz", 200)
            assert post(hub, complete(3, run=3, outputs=["a"])).status_code == 204
            assert SECRET not in hub.said()
    finally:
        first.end()
        second.end()


def test_of_two_servers_the_one_that_writes_is_taken(
    server: PostgresServer, database: str, postgres_server: PostgresServer, postgres_url: str, tmp_path: Path
) -> None:
    """The other one, named first, reads only, as a standby does."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        name = connection.info.dbname
        connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    with server._administrator() as connection:
        connection.execute(f"ALTER DATABASE {database} RENAME TO {name}_taken")
        connection.execute(f"CREATE DATABASE {name}")
    folders = f"host={postgres_server.socket_folder}:{postgres_server.port}&host=127.0.0.1:{server.port}"
    url = f"postgresql+psycopg://{USER}@/{name}?{folders}&target_session_attrs=read-write"
    try:
        with hubs_on(url, tmp_path, 1) as (hub,):
            assert post(hub, complete(1, outputs=["a"])).status_code == 204
        with psycopg.connect(address(server, name)) as connection:
            assert connection.execute("SELECT count(*) FROM event").fetchone() == (1,)
        with psycopg.connect(postgres_url) as connection:
            assert connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)
    finally:
        with server._administrator() as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
            connection.execute(f"ALTER DATABASE {name}_taken RENAME TO {database}")


def test_a_database_that_only_reads_takes_nothing_and_is_not_taken_for_defect(
    server: PostgresServer, database: str, tmp_path: Path
) -> None:
    def read_only(switch: str) -> None:
        with server._administrator() as connection:
            connection.execute(f"ALTER SYSTEM SET default_transaction_read_only = {switch}")
            connection.execute("SELECT pg_reload_conf()")

    with hubs_on(address(server, database), tmp_path, 1) as (hub,):
        assert post(hub, complete(1, outputs=["a"])).status_code == 204
        read_only("on")
        try:
            number = 2
            while (answer := post(hub, complete(number, run=number, outputs=["a"]))).status_code == 204:
                number += 1  # until the server has read its settings again
            assert_unavailable(answer)
            assert "target_session_attrs" in answer.json()["action"]
            assert get(hub, "/jobs").status_code == 200
        finally:
            read_only("off")
        while post(hub, complete(number, run=number, outputs=["a"])).status_code != 204:
            assert hub.exit_code is None
        assert get(hub, "/events/lineage?limit=0").json()["totalCount"] == number


def test_a_lock_that_somebody_holds_costs_503_and_not_the_hub(
    server: PostgresServer, database: str, tmp_path: Path
) -> None:
    settings = {"LINEAGE_HUB_STORE_BUSY_TIMEOUT_S": "0.5"}
    with hubs_on(address(server, database), tmp_path, 1, **settings) as (hub,):
        with psycopg.connect(address(server, database)) as holder:
            holder.execute("UPDATE counter SET value = value")
            assert_unavailable(post(hub, complete(1, outputs=["a"])))
            assert get(hub, "/jobs").status_code == 200
        assert post(hub, complete(1, outputs=["a"])).status_code == 204


def test_a_hub_takes_no_more_connections_than_it_says(server: PostgresServer, database: str, tmp_path: Path) -> None:
    settings = {"LINEAGE_HUB_STORE_READ_CONNECTIONS": "3"}
    with hubs_on(address(server, database), tmp_path, 1, **settings) as (hub,), httpx.Client() as client:
        threads = [
            threading.Thread(
                target=lambda: [post(hub, complete(1, outputs=["a"])) and get(hub, "/jobs") for _ in "abc"]
            )
            for _ in range(12)
        ]
        most = 0
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            with server._administrator() as connection:
                query = f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{database}'"
                most = max(most, connection.execute(query).fetchone()[0])
        for thread in threads:
            thread.join()
        assert client.get(f"{hub.url}/readyz").status_code == 200
        assert 2 <= most <= 3 + 1
