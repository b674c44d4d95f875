"""`lineage-hub retention` shows and sets how long events stay, and sweeps."""

import json

import httpx
import pytest

from tests.cli.conftest import Cli
from tests.cli.test_send_events import event
from tests.hub_process import HubProcess

pytestmark = pytest.mark.slow


def test_days_are_set_shown_and_left_to_the_settings_again(cli: Cli, spare: HubProcess) -> None:
    httpx.post(f"{spare.url}/api/v1/lineage", content=json.dumps(event(1)))
    shown = cli("retention", "show", "--url", spare.url)
    assert shown.code == 0, shown.err
    assert shown.out.startswith("By default events stay for ever.")
    chosen = cli("retention", "set", "team-a", "90", "--url", spare.url)
    assert "team-a" in chosen.out
    assert "90 days" in chosen.out
    kept = cli("retention", "set", "default", "forever", "--url", spare.url, "--json").json()
    days = {one["tenant"]: (one["days"], one["setBy"]) for one in kept["tenants"]}
    assert days == {"default": (0, "tenant"), "team-a": (90, "tenant")}
    assert cli("retention", "unset", "team-a", "--url", spare.url).code == 0
    left = cli("retention", "show", "--url", spare.url, "--json").json()["tenants"]
    assert {one["tenant"]: one["setBy"] for one in left} == {"default": "tenant", "team-a": "default"}


def test_a_sweep_is_waited_for_and_told(cli: Cli, spare: HubProcess) -> None:
    cli("retention", "set", "default", "3", "--url", spare.url)
    done = cli("retention", "run", "--tenant", "default", "--url", spare.url)
    # The hub has known its events for no time yet, however old they are.
    assert (done.code, done.out) == (0, "0 events and 0 dead letters removed.\n")
    told = cli("retention", "run", "--url", spare.url, "--json").json()
    assert told["sweep"]["running"] is False
    assert next(one for one in told["tenants"] if one["tenant"] == "default")["horizon"]


@pytest.mark.parametrize("days", ["0", "-3", "many", "99999"])
def test_what_is_no_number_of_days_is_refused(cli: Cli, spare: HubProcess, days: str) -> None:
    refused = cli("retention", "set", "--url", spare.url, "--", "team-a", days)
    assert refused.code == 2
    assert "days" in refused.err
