"""The address of a PostgreSQL database is taken as its users write it, and shown without its password."""

import pytest

from lineage_hub.errors import InvalidSetting, StorageFull, StoreUnavailable
from lineage_hub.settings import Settings, mask_url
from lineage_hub.store.open import store_url
from lineage_hub.store.postgres import NOTICING, connect_args, for_tools, refusal, url_of

ADDRESSES = {
    "postgresql://me:s3cret@db.example/hub": {
        "user": "me", "password": "s3cret", "host": "db.example", "dbname": "hub",
    },
    "postgres://me:s3cret@db.example:6432/hub": {
        "user": "me", "password": "s3cret", "host": "db.example", "port": 6432, "dbname": "hub",
    },
    "postgresql+psycopg://me:s3cret@a:1,b:2/hub?target_session_attrs=read-write": {
        "user": "me", "password": "s3cret", "host": "a,b", "port": "1,2", "dbname": "hub",
        "target_session_attrs": "read-write",
    },
    # Ports that are not named are the usual one.
    "postgresql://me:s3cret@a,b/hub": {"user": "me", "password": "s3cret", "host": "a,b", "port": ",", "dbname": "hub"},
    "postgresql://me:s3cret@/hub?host=a:1&host=b:2&sslmode=verify-full": {
        "user": "me", "password": "s3cret", "host": "a,b", "port": "1,2", "dbname": "hub", "sslmode": "verify-full",
    },
    "postgresql://me@/hub?host=/run/pg&password=s3cret": {
        "user": "me", "host": "/run/pg", "dbname": "hub", "password": "s3cret",
    },
    "postgresql://me:p%40ss%2Fw0rd@db.example/hub": {
        "user": "me", "password": "p@ss/w0rd", "host": "db.example", "dbname": "hub",
    },
}  # fmt: skip


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_says_what_the_driver_is_told(address: str) -> None:
    url = store_url(Settings(database_url=address))
    assert url.get_dialect()().create_connect_args(url)[1] == ADDRESSES[address]
    for secret in ("s3cret", "w0rd"):
        assert secret not in mask_url(address)
        assert secret not in repr(url)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql+psycopg://me:s3cret@db.example:6432/hub", "postgresql://me@db.example:6432/hub"),
        ("postgres://me:s3cret@[::1]:6432/hub", "postgresql://me@[::1]:6432/hub"),
        (
            "postgresql://me:s3cret@a:1,b:2/hub?target_session_attrs=read-write",
            "postgresql://me@a:1,b:2/hub?target_session_attrs=read-write",
        ),
        ("postgresql://me@/hub?host=/run/pg&password=s3cret", "postgresql://me@/hub?host=%2Frun%2Fpg"),
        ("postgresql://db.example/hub", "postgresql://db.example/hub"),
    ],
)
def test_the_tools_of_postgresql_get_an_address_without_password(address: str, shown: str) -> None:
    assert for_tools(address) == shown


@pytest.mark.parametrize("address", ["postgresql://me:s3cret@host:port/hub", "postgresql://me:s3cret@[::1/hub"])
def test_an_address_that_can_not_be_read_is_refused_without_its_password(address: str) -> None:
    with pytest.raises(InvalidSetting, match="not a URL") as refused:
        store_url(Settings(database_url=address))
    assert "s3cret" not in str(refused.value.body())


def test_what_the_address_says_of_patience_counts() -> None:
    given = connect_args(url_of("postgresql://db/hub?connect_timeout=60"))
    assert given == {name: value for name, value in NOTICING.items() if name != "connect_timeout"}


def test_what_a_server_refuses_is_told_by_its_code() -> None:
    """Not by words in its message, which may name anything."""
    assert isinstance(refusal("53100", "could not extend file"), StorageFull)
    assert isinstance(refusal("08006", "verify-full: the name is full of stars"), StoreUnavailable)
    assert "target_session_attrs" in (refusal("25006", "cannot execute INSERT").action or "")
    assert "owner" in (refusal("42501", "permission denied for schema public").action or "")
