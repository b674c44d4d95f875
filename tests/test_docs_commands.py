"""Every command, argument and flag is documented in docs/commands.md, and nothing is that doesn't exist."""

import re
from pathlib import Path
from typing import Any

import pytest
import typer.main

from lineage_hub.cli.app import load_app
from lineage_hub.settings import every_setting, flag_of

PAGE = (Path(__file__).parent.parent / "docs" / "commands.md").read_text(encoding="utf-8")
SETTING_FLAGS = {flag_of(setting) for setting in every_setting()} | {"--config"}


def commands(command: Any, path: str = "lineage-hub") -> dict[str, Any]:
    """Every command of the tree by its words, the root left out."""
    found = {}
    for name, child in getattr(command, "commands", {}).items():
        found[f"{path} {name}"] = child
        found |= commands(child, f"{path} {name}")
    return found


COMMANDS = commands(typer.main.get_command(load_app()))


def sections() -> dict[str, tuple[str, str]]:
    """(arguments, text) by the words of the command."""
    found = {}
    for part in PAGE.split("\n## ")[1:]:
        heading, _, text = part.partition("\n")
        words = re.match(r"[a-z -]+(?<! )", heading)
        assert words, heading
        found[words[0]] = (heading[len(words[0]) :].strip(), text)
    return found


def flags(command: Any) -> set[str]:
    options = (one for one in command.params if one.param_type_name == "option")
    return {flag for one in options for flag in one.opts if flag.startswith("--")}


@pytest.mark.parametrize("words", sorted(COMMANDS))
def test_a_command_is_documented_with_its_arguments_and_flags(words: str) -> None:
    command = COMMANDS[words]
    if not hasattr(command, "commands") or words in sections():
        arguments, text = sections()[words]
        named = [one for one in command.params if one.param_type_name == "argument"]
        assert len(named) == len(arguments.split())
        own = {flag for flag in flags(command) if flag not in SETTING_FLAGS}
        missing = {flag for flag in own if f"| `{flag}` |" not in text}
        assert not missing


@pytest.mark.parametrize("words", sorted(sections()))
def test_what_is_documented_exists(words: str) -> None:
    assert words in COMMANDS
    documented = set(re.findall(r"^\| `(--[a-z-]+)` \|", sections()[words][1], re.MULTILINE))
    assert documented <= flags(COMMANDS[words])


@pytest.mark.parametrize("words", sorted(COMMANDS))
def test_help_has_an_example_or_is_a_group(words: str) -> None:
    command = COMMANDS[words]
    if not hasattr(command, "commands") and words != "lineage-hub config show":
        assert "xample" in (command.epilog or "")
        assert "lineage-hub" in command.epilog
