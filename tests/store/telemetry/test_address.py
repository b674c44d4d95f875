"""The address of a ClickHouse server is read whole, and one that can't be read is refused without its password."""

import pytest

from lineage_hub.errors import InvalidSetting
from lineage_hub.settings import Settings
from lineage_hub.store.telemetry.address import Address, read_address
from lineage_hub.store.telemetry.open import open_telemetry


def test_hosts_credentials_database_and_tls():
    url = "clickhouse://me:p%40ss@one:8123,two,[::1]:9/traces?secure=true&verify=false&ca_cert=/ca.pem"
    assert read_address(url) == Address(
        (("one", 8123), ("two", 8443), ("::1", 9)), "me", "p@ss", "traces", True, False, (("ca_cert", "/ca.pem"),)
    )


def test_what_is_left_out_has_a_default():
    assert read_address("clickhouse://host") == Address((("host", 8123),), "default", "", "otel", False)
    assert read_address("https://host") == Address((("host", 8443),), "default", "", "otel", True)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:secret@host",
        "me:secret@host",
        "clickhouse://me:secret@",
        "clickhouse://me:secret@host:port",
        "clickhouse://me:secret@host?secure=perhaps",
        "clickhouse://me:secret@host?colour=red",
    ],
)
def test_an_address_that_can_not_be_read_is_refused_when_the_store_is_opened(url: str):
    with pytest.raises(InvalidSetting, match="clickhouse_url") as refused:
        open_telemetry(Settings(clickhouse_url=url))
    assert "secret" not in str(refused.value.body())
    assert "clickhouse://user:password@" in str(refused.value.action)
