"""`lineage-hub rules` adds, previews, loads, switches and takes back rules."""

from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import Cli
from tests.hub_process import HubProcess

pytestmark = pytest.mark.slow

# `on` is a text here, and a date is one too.
FILE = """
names:
  - {id: host, on: dataset.namespace, match: glob, pattern: "pg://10.*", replacement: "pg://shop", enabled: true}
  - {id: day, on: job.name, match: exact, pattern: 2026-11-17, replacement: yes}
facets:
  - {id: plans, facet: spark.logicalPlan, place: run, action: drop}
"""


@pytest.fixture
def ask(cli: Cli, spare: HubProcess) -> Cli:
    """A hub with a table that two replicas tell of, and a plan."""
    for number in (7, 8):
        event = {
            "eventType": "COMPLETE",
            "eventTime": f"2026-11-0{number}T00:00:00Z",
            "producer": "https://example.com/tests",
            "run": {"runId": f"run-{number}", "facets": {"spark.logicalPlan": {"plan": "x" * 500}}},
            "job": {"namespace": "shop", "name": "load"},
            "outputs": [{"namespace": f"pg://10.0.0.{number}", "name": "orders"}],
        }
        assert httpx.post(f"{spare.url}/api/v1/lineage", json=event).status_code == 201
    return lambda *arguments: cli(*arguments, "--url", spare.url)


def test_rules_of_a_file_are_previewed_loaded_and_undone(ask: Cli, tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(FILE)
    assert ask("rules").out == "No rules.\n"
    seen = ask("rules", "preview", file)
    assert seen.code == 0, seen.err
    assert "dataset pg://shop:orders would be made of pg://10.0.0.7:orders, pg://10.0.0.8:orders" in seen.out
    assert "2 names, 2 events, 2 edges\n" in seen.out
    assert "1022 bytes less in 2 events\n" in seen.out
    assert "raise --events" in ask("rules", "preview", file, "--events", "1").out
    assert ask("rules", "load", file, "--dry-run").out.splitlines()[:2] == ["+ names day", "+ names host"]
    assert ask("rules").out == "No rules.\n"
    assert ask("rules", "load", file, "--wait").code == 0
    assert ask("rules", "load", file).out == "Nothing changes.\n"
    listed = ask("rules").out.splitlines()
    assert listed[2].split() == [
        "names",
        "100",
        "host",
        "on",
        "dataset.namespace:",
        "glob",
        "pg://10.*",
        "→",
        "pg://shop",
    ]
    kept = tmp_path / "kept.json"
    kept.write_text(ask("rules", "list", "--json").out)
    assert ask("rules", "load", kept).out == "Nothing changes.\n"
    assert ask("lineage", "dataset:pg://shop:orders").code == 0
    assert ask("rules", "status", "--json").json()["eventsChanged"] == 2
    assert ask("rules", "undo", "--wait").out == "0 rules for names and 0 for facets count again\n"
    assert ask("lineage", "dataset:pg://shop:orders").code != 0


def test_rules_are_added_switched_on_and_removed(ask: Cli) -> None:
    add = ("rules", "add", "host", "--on", "dataset.namespace", "--to", "pg://$1")
    assert ask(*add, "--glob", "pg://10.0.0.*", "--off").out == "rule host added\n"
    facet = ("rules", "add-facet", "plans", "--facet", "spark.*", "--action", "aside", "--place", "run")
    assert ask(*facet, "--over-bytes", "100", "--raw-drop", "--json").json()["raw"] == "drop"
    assert [line.split()[3] for line in ask("rules").out.splitlines()[1:]] == ["off", "on"]
    assert ask("rules", "apply", "host", "--wait").out == "2 rules are on\n"
    assert ask("lineage", "dataset:pg://7:orders").code == 0
    assert ask("rules", "remove", "host", "--wait").out == "rule host removed\n"
    assert ask("lineage", "dataset:pg://7:orders").code != 0
    assert ask("rules", "status").out.splitlines()[1].startswith("done")


def test_what_cannot_be_is_said(ask: Cli, tmp_path: Path) -> None:
    before = ask("rules", "--json").out
    for arguments, said in (
        (("add", "r", "--on", "job.name", "--to", "x"), "--exact, --prefix, --glob and --regex"),
        (("add", "r", "--on", "job.name", "--regex", "(", "--to", "x"), "missing )"),
        (("add", "r", "--on", "job", "--exact", "a", "--to", "x"), "is unknown"),
        (("remove", "nobody"), "no such rule"),
        (("apply", "nobody"), "no such rule"),
        (("load", str(tmp_path / "none.yaml")), "can't be read"),
    ):
        answer = ask("rules", *arguments)
        assert answer.code != 0, arguments
        assert said in " ".join(answer.err.split()), answer.err
    for text in ("- a list", "names: {}x", "rules: []", "names: [1]", "{"):
        file = tmp_path / "wrong.yaml"
        file.write_text(text)
        assert ask("rules", "load", file).code == 2, text
    assert ask("rules", "--json").out == before
