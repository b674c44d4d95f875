"""A hub that holds the sample week, and the command line as a function."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from lineage_hub.cli import main
from lineage_hub.sample import Week, shop_week
from tests.hub_process import HubProcess

END = datetime(2026, 11, 15, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    def json(self):
        return json.loads(self.out)


Cli = Callable[..., Answer]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Cli:
    """Runs the command in this process, without the settings of whoever runs the tests."""
    for name in [name for name in os.environ if name.startswith("LINEAGE_HUB_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path) -> Answer:
        monkeypatch.setattr(sys, "argv", ["lineage-hub", *map(str, arguments)])
        capsys.readouterr()
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        said = capsys.readouterr()
        return Answer(code, said.out, said.err)

    return run


@pytest.fixture(scope="session")
def week() -> Week:
    return shop_week(7, END)


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory, week: Week) -> Iterator[HubProcess]:
    """Don't write to it: tests share it."""
    with HubProcess(tmp_path_factory.mktemp("shop") / "data") as hub:
        sent = httpx.post(f"{hub.url}/api/v1/lineage/batch", json=week.events, timeout=60)
        assert sent.status_code == 204, sent.text
        yield hub


@pytest.fixture(scope="module")
def spare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """A hub that the tests of one module may write to."""
    with HubProcess(tmp_path_factory.mktemp("spare") / "data") as hub:
        yield hub


@pytest.fixture
def ask(cli: Cli, shop: HubProcess) -> Cli:
    """The command line, turned to the hub with the sample week."""
    return lambda *arguments: cli(*arguments, "--url", shop.url)
