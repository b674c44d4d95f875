"""The workspace for tests answers as docs/testing.md says, switch by switch."""

import re
from dataclasses import fields
from pathlib import Path

import httpx
import pytest

from lineage_hub.testing import FakeWorkspace

PAGE = (Path(__file__).parents[2] / "docs" / "testing.md").read_text().partition("## A Databricks workspace")[2]


@pytest.fixture
def workspace():
    with FakeWorkspace() as made:
        made.add_notebook("/Shared/a", "x = 1")
        yield made


def get(workspace, route, token=None, **params):
    headers = {"Authorization": f"Bearer {token or workspace.token}"}
    return httpx.get(workspace.url + route, params=params, headers=headers)


def test_every_switch_and_method_that_is_documented_exists_and_every_switch_is_documented():
    switches = {
        name for row in re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    }
    members = {one.name for one in fields(FakeWorkspace)}
    assert switches == members - {"asked", "most_at_once"}
    for name in re.findall(r"`(add_\w+)`", PAGE):
        assert hasattr(FakeWorkspace, name)


def test_it_lists_and_exports_what_was_added(workspace):
    (found,) = get(workspace, "/api/2.0/workspace/list", path="/Shared").json()["objects"]
    assert (found["path"], found["object_type"], found["language"]) == ("/Shared/a", "NOTEBOOK", "PYTHON")
    assert get(workspace, "/api/2.0/workspace/export", path="/Shared/a", format="SOURCE").json() == {
        "content": "eCA9IDE="
    }
    assert get(workspace, "/api/2.0/workspace/list", path="/gone").status_code == 404
    assert get(workspace, "/api/2.0/nothing").status_code == 404
    assert workspace.count("/api/2.0/workspace/list") == 2


def test_the_switches_make_it_unkind(workspace):
    assert get(workspace, "/api/2.0/pipelines", token="other").status_code == 401
    workspace.forbidden.add("/Shared/a")
    assert get(workspace, "/api/2.0/workspace/export", path="/Shared/a").status_code == 403
    workspace.throttle_every, workspace.retry_after_s = 1, 7
    throttled = get(workspace, "/api/2.0/pipelines")
    assert (throttled.status_code, throttled.headers["Retry-After"]) == (429, "7")
    workspace.throttle_every, workspace.fail_every = 0, 1
    assert get(workspace, "/api/2.0/pipelines").status_code == 500


def test_pages_are_as_small_as_is_asked_for(workspace):
    for at in range(5):
        workspace.add_pipeline(f"p{at}")
    workspace.page_size = 2
    page = get(workspace, "/api/2.0/pipelines", max_results=100).json()
    assert len(page["statuses"]) == 2
    assert (
        get(workspace, "/api/2.0/pipelines", page_token=page["next_page_token"]).json()["statuses"][0]["name"] == "p2"
    )
