"""Which transport a configuration gives, and what is said of one that gives none."""

import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from lineage_hub.errors import InvalidSetting
from lineage_hub.transports import Transport, TransportFactory, factory
from lineage_hub.transports.batch import BatchTransport
from lineage_hub.transports.console import ConsoleTransport
from lineage_hub.transports.hub import HubTransport
from lineage_hub.transports.openlineage import OpenLineageTransport
from lineage_hub.transports.spool import SpoolTransport

URL = "http://backend:5000"


def create(config: dict[str, Any] | None = None) -> Transport:
    return TransportFactory().create(config)


@pytest.fixture(autouse=True)
def no_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("OPENLINEAGE"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ({"type": "console"}, ConsoleTransport),
        ({"type": "Batch", "url": URL}, BatchTransport),
        ({"type": "HUB", "url": URL, "apiKey": "k", "namespace": "team-a"}, HubTransport),
        ({"type": "lineage_hub.transports.batch.BatchTransport", "url": URL}, BatchTransport),
        ({"type": "http", "url": URL}, OpenLineageTransport),
        ({"type": "openlineage.client.transport.http.HttpTransport", "url": URL}, OpenLineageTransport),
        ({"transport": {"type": "batch", "url": URL}}, BatchTransport),
    ],
)
def test_a_type_is_an_alias_in_any_case_or_the_name_of_a_class(config: dict[str, Any], kind: type) -> None:
    assert type(create(config)) is kind


def test_a_spool_wraps_any_transport(tmp_path: Path) -> None:
    spool = create({"type": "spool", "folder": str(tmp_path / "s"), "transport": {"type": "http", "url": URL}})
    assert isinstance(spool, SpoolTransport)
    assert isinstance(spool.inner, OpenLineageTransport)
    spool.close(0)


def test_the_documents_example_works_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "openlineage.yml").write_text(
        'transport:\n  type: "http"\n  url: "http://backend:5000"\n  api_key: "very-secure-api-key"\n'
    )
    made = create()
    assert isinstance(made, OpenLineageTransport)
    config: Any = made.theirs.config  # type: ignore[attr-defined]
    assert config.url == URL
    assert config.auth.get_bearer() == "Bearer very-secure-api-key"


def test_variables_configure_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__TYPE", "batch")
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__URL", URL)
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__TIMEOUT", "7.5")
    made = create()
    assert isinstance(made, BatchTransport)
    assert (made.config.url, made.config.timeout) == (URL, 7.5)


def test_an_address_alone_means_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_URL", URL)
    monkeypatch.setenv("OPENLINEAGE_API_KEY", "key")
    made = create()
    assert isinstance(made, OpenLineageTransport)
    config: Any = made.theirs.config  # type: ignore[attr-defined]
    assert (config.url, config.auth.get_bearer()) == (URL, "Bearer key")


def test_without_any_configuration_events_are_printed_and_it_is_said_once(tmp_path: Path) -> None:
    program = (
        "from lineage_hub.transports import TransportFactory\n"
        "for number in (1, 2): TransportFactory().create().send({'number': number})"
    )
    environment = {key: value for key, value in os.environ.items() if not key.startswith("OPENLINEAGE")}
    ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert ran.stderr.count("OPENLINEAGE_URL") == 1
    assert '{"number":1}' in ran.stderr
    assert '{"number":2}' in ran.stderr


@pytest.mark.parametrize("config", [{"url": URL}, {"type": ""}, {"type": None, "url": URL}])
def test_a_missing_type_names_the_known_ones(config: dict[str, Any]) -> None:
    with pytest.raises(InvalidSetting) as missing:
        create(config)
    assert "http" in str(missing.value.action)
    assert "spool" in str(missing.value.action)


def test_an_unknown_type_names_the_nearest_and_the_known_ones() -> None:
    with pytest.raises(InvalidSetting, match="kafak") as unknown:
        create({"type": "kafak"})
    assert "did you mean 'kafka'?" in str(unknown.value.action)
    assert "spool" in str(unknown.value.action)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"type": "batch"}, "url"),
        ({"type": "batch", "url": "backend:5000"}, "address"),
        ({"type": "batch", "url": URL, "timeuot": 3}, "timeuot"),
        ({"type": "batch", "url": URL, "timeout": "soon"}, "timeout"),
        ({"type": "no.such.module.Transport"}, "no.such.module"),
        ({"type": "os.path.join"}, "os.path.join"),
        ({"type": "kafka"}, "kafka"),
    ],
)
def test_a_configuration_that_cannot_be_read_says_what_is_wrong(config: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidSetting, match=said) as wrong:
        create(config)
    assert wrong.value.action


def test_packages_add_transports_by_an_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("Pigeon", "lineage_hub.transports.console:ConsoleTransport", factory.GROUP)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [point] if group == factory.GROUP else [])
    factory._plugins.cache_clear()
    try:
        assert isinstance(create({"type": "pigeon"}), ConsoleTransport)
    finally:
        factory._plugins.cache_clear()
