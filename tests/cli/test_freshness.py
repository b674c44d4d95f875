"""`lineage-hub freshness` sets, shows, lists and takes back what is expected of datasets."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest

from tests.cli.conftest import Cli
from tests.hub_process import HubProcess


@pytest.fixture
def ask(cli: Cli, spare: HubProcess) -> Cli:
    """A hub with a table that was written three hours ago."""
    then = (datetime.now(UTC) - timedelta(hours=3)).isoformat()
    event = {
        "eventType": "COMPLETE",
        "eventTime": then,
        "producer": "https://example.com/tests",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": "the-run"},
        "job": {"namespace": "shop", "name": "load"},
        "outputs": [{"namespace": "s3://lake", "name": "sales/orders"}],
    }
    assert httpx.post(f"{spare.url}/api/v1/lineage", json=event).status_code == 201
    return lambda *arguments: cli(*arguments, "--url", spare.url)


def test_an_expectation_is_set_shown_listed_and_taken_back(ask: Cli) -> None:
    assert ask("freshness").out == "No datasets.\n"
    made = ask("freshness", "set", "orders", "--every", "1h", "--tolerance", "30m")
    assert made.code == 0, made.err
    fields = dict(line.split(maxsplit=1) for line in made.out.replace("late by", "late-by").splitlines())
    assert (fields["state"], fields["late-by"][:3]) == ("late", "1h3")
    assert "the-run" in ask("freshness", "show", "dataset:s3://lake:sales/orders").out
    listed = ask("freshness", "--state", "late")
    assert listed.out.splitlines()[1].endswith("every 1h  s3://lake:sales/orders")
    assert ask("freshness", "--state", "fresh").out == "No datasets.\n"
    assert ask("freshness", "--json").json()["freshness"][0]["state"] == "late"
    assert ask("freshness", "show", "orders", "--as-of", "2h", "--json").json()["expectation"] is None
    assert ask("freshness", "unset", "orders").code == 0
    assert ask("freshness").out == "No datasets.\n"


def test_what_the_hub_refuses_is_said(ask: Cli) -> None:
    wrong = ask("freshness", "set", "orders", "--every", "soon")
    assert (wrong.code, "soon" in wrong.err) == (2, True)
    assert ask("freshness", "set", "job:shop:load", "--every", "1h").code == 2
    learned = ask("freshness", "show", "orders", "--learned")
    assert "a habit takes 6" in learned.out
