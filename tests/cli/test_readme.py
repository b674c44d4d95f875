"""What README.md shows as the output of a command is what the command prints for the sample week."""

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

ROOT = Path(__file__).parent.parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^```\n\$ lineage-hub ([^\n]+)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def test_there_are_examples() -> None:
    assert len(SHOWN) >= 4


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command for command, _ in SHOWN])
def test_an_example_prints_what_is_shown(ask: Cli, command: str, output: str) -> None:
    assert ask(*shlex.split(command)).out == output


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#:]+)\)", TEXT))))
def test_a_link_leads_somewhere(link: str) -> None:
    assert (ROOT / link).exists()
