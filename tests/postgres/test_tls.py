"""A server that speaks TLS is used when its certificate is vouched for, and refused in clear words when it isn't."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from lineage_hub.errors import StoreUnavailable
from lineage_hub.settings import Settings
from lineage_hub.store.open import open_store
from tests.hub_process import free_port
from tests.postgres_server import USER, PostgresServer, running_server, unprivileged_user

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


def make_authority(folder: Path, name: str) -> Path:
    made = f"-keyout {folder / name}.key -out {folder / name}.pem -days 2 -subj /CN={name}"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *made.split()]
    subprocess.run(command, check=True, capture_output=True)
    return folder / f"{name}.pem"


def make_certificate(folder: Path, authority: Path, host: str) -> tuple[Path, Path]:
    key, request, certificate = folder / "server.key", folder / "server.csr", folder / "server.crt"
    asked = f"openssl req -new -newkey rsa:2048 -nodes -keyout {key} -out {request} -subj /CN={host}"
    subprocess.run([*asked.split(), "-addext", f"subjectAltName=DNS:{host}"], check=True, capture_output=True)
    signed = f"openssl x509 -req -in {request} -CA {authority} -CAkey {authority.with_suffix('.key')} -CAcreateserial"
    signed += f" -copy_extensions copy -out {certificate} -days 2"
    subprocess.run(signed.split(), check=True, capture_output=True)
    return certificate, key


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """One that the server's user may read."""
    made = Path(mkdtemp(prefix="hub-tls-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[tuple[PostgresServer, Path]]:
    authority = make_authority(folder, "authority")
    certificate, key = make_certificate(folder, authority, "localhost")
    key.chmod(0o600)
    if owner := unprivileged_user():
        shutil.chown(key, **owner)
    options = {"ssl": "on", "ssl_cert_file": str(certificate), "ssl_key_file": str(key)}
    with running_server(tcp_port=free_port(), options=options) as running:
        yield running, authority


def settings(server: PostgresServer, data: Path, host: str, **query: object) -> Settings:
    given = "&".join(f"{name}={value}" for name, value in query.items())
    return Settings(data_dir=data, database_url=f"postgresql://{USER}:s3cret@{host}:{server.port}/postgres?{given}")


def test_a_server_that_its_authority_vouches_for_is_used(server: tuple[PostgresServer, Path], tmp_path: Path) -> None:
    running, authority = server
    store = open_store(settings(running, tmp_path, "localhost", sslmode="verify-full", sslrootcert=authority))
    with store.reading() as connection:
        query = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
        assert connection.exec_driver_sql(query).scalar_one() is True
    store.close()


@pytest.mark.parametrize(("host", "authority"), [("localhost", "stranger"), ("127.0.0.1", "authority")])
def test_a_server_that_nobody_vouches_for_is_refused(
    server: tuple[PostgresServer, Path], folder: Path, tmp_path: Path, host: str, authority: str
) -> None:
    """By an authority that isn't the one given, or under another name."""
    make_authority(folder, "stranger")
    chosen = folder / f"{authority}.pem"
    with pytest.raises(StoreUnavailable, match="certificate") as refused:
        open_store(settings(server[0], tmp_path, host, sslmode="verify-full", sslrootcert=chosen))
    assert "doctor" in (refused.value.action or "")
    assert "s3cret" not in str(refused.value.body())


def test_a_certificate_that_is_missing_is_no_full_disk(server: tuple[PostgresServer, Path], tmp_path: Path) -> None:
    missing = tmp_path / "missing.pem"
    with pytest.raises(StoreUnavailable, match="does not exist"):
        open_store(settings(server[0], tmp_path, "localhost", sslmode="verify-full", sslrootcert=missing))
