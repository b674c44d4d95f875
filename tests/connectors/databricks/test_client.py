"""The client gets everything that a workspace has, however the workspace answers, and says what to do when it can't."""

import asyncio

import pytest

from lineage_hub.connectors.databricks.client import DatabricksClient, SyncDatabricksClient
from lineage_hub.errors import (
    InvalidSetting,
    LineageHubError,
    NotFound,
    Overloaded,
    Refusal,
    SourceUnreadable,
    Unreachable,
)
from lineage_hub.testing.databricks import Answer, FakeWorkspace


@pytest.fixture
def workspace():
    with FakeWorkspace() as made:
        yield made


def asked(workspace: FakeWorkspace, ask, **options):
    async def run():
        async with DatabricksClient(
            workspace.url, options.pop("token", workspace.token), **{"first_wait_s": 0.01, **options}
        ) as client:
            found = ask(client)
            return [one async for one in found] if hasattr(found, "__aiter__") else await found

    return asyncio.run(run())


def test_all_pages_of_pipelines_jobs_and_events_are_read(workspace):
    workspace.page_size = 2
    ids = [workspace.add_pipeline(f"p{at}") for at in range(7)]
    for at in range(5):
        workspace.add_job(f"j{at}", [])
    events = [{"id": str(at), "timestamp": f"2026-11-01T00:00:0{at}.000Z"} for at in range(6)]
    workspace.add_events(ids[0], events)
    assert [one["pipeline_id"] for one in asked(workspace, lambda c: c.pipelines())] == ids
    assert [one["settings"]["name"] for one in asked(workspace, lambda c: c.jobs())] == [f"j{at}" for at in range(5)]
    assert asked(workspace, lambda c: c.events(ids[0])) == events
    assert asked(workspace, lambda c: c.events(ids[0], "2026-11-01T00:00:01.000Z")) == events[2:]


def test_a_notebook_and_a_file_are_exported_as_they_are(workspace):
    workspace.add_notebook("/Shared/a", "# Databricks notebook source\nprint('ü')\n")
    workspace.add_file("/Shared/b.py", "x = 1\n")
    assert asked(workspace, lambda c: c.export("/Shared/a")) == "# Databricks notebook source\nprint('ü')\n"
    assert asked(workspace, lambda c: c.export("/Shared/b.py", is_file=True)) == "x = 1\n"
    assert [one.path for one in asked(workspace, lambda c: c.list_folder("/Shared"))] == ["/Shared/a", "/Shared/b.py"]
    assert asked(workspace, lambda c: c.status("/Shared/a")).kind == "NOTEBOOK"


def test_throttling_and_failures_are_waited_out(workspace):
    workspace.throttle_every, workspace.fail_every, workspace.page_size = 2, 3, 1
    ids = [workspace.add_pipeline(f"p{at}") for at in range(6)]
    assert [one["pipeline_id"] for one in asked(workspace, lambda c: c.pipelines())] == ids
    assert {one.status for one in workspace.asked} == {200, 429, 500}


def test_a_workspace_that_always_throttles_is_given_up_with_what_it_says(workspace):
    workspace.throttle_every = 1
    with pytest.raises(Overloaded, match="Too many requests"):
        asked(workspace, lambda c: c.pipeline("p"), attempts=3)
    assert len(workspace.asked) == 3


def test_it_waits_as_long_as_retry_after_asks_for(workspace):
    workspace.throttle_every, workspace.retry_after_s = 2, 1
    id_ = workspace.add_pipeline("p")

    async def twice():
        async with DatabricksClient(workspace.url, workspace.token, first_wait_s=0.01) as client:
            begun = asyncio.get_running_loop().time()
            for _ in range(2):
                await client.pipeline(id_)
            return asyncio.get_running_loop().time() - begun

    assert asyncio.run(twice()) >= 1.0


def test_it_does_not_ask_again_sooner_than_it_may(workspace):
    workspace.throttle_every, workspace.retry_after_s = 1, 3600
    with pytest.raises(Overloaded) as raised:
        asked(workspace, lambda c: c.pipeline("p"))
    assert raised.value.retry_after_s == 3600
    assert len(workspace.asked) == 1


def test_no_more_requests_than_the_limit_are_under_way(workspace):
    workspace.latency_s = 0.02
    id_ = workspace.add_pipeline("p")

    async def many():
        async with DatabricksClient(workspace.url, workspace.token, concurrency=4) as client:
            await asyncio.gather(*(client.pipeline(id_) for _ in range(40)))

    asyncio.run(many())
    assert workspace.most_at_once <= 4
    assert len(workspace.asked) == 40


def test_a_slow_workspace_is_told_apart_from_one_that_is_away(workspace):
    workspace.latency_s = 0.5
    with pytest.raises(Unreachable, match=r"within 0\.05 s"):
        asked(workspace, lambda c: c.pipeline("p"), timeout_s=0.05, attempts=1)


@pytest.mark.parametrize(
    ("path", "permission"), [("pipeline", "CAN VIEW on the pipeline"), ("/Shared/a", "CAN READ"), ("m.s.t", "BROWSE")]
)
def test_403_names_the_permission_that_is_missing(workspace, path, permission):
    workspace.add_notebook("/Shared/a", "")
    workspace.forbidden.add(path)
    calls = {
        "pipeline": lambda c: c.pipeline(path),
        "/Shared/a": lambda c: c.export(path),
        "m.s.t": lambda c: c.table(path),
    }
    with pytest.raises(Refusal) as raised:
        asked(workspace, calls[path])
    assert raised.value.answered == 403
    assert permission in (raised.value.action or "")


def test_401_speaks_of_the_token_and_never_shows_it(workspace):
    with pytest.raises(Refusal) as raised:
        asked(workspace, lambda c: c.pipeline("p"), token="dapi-wrong")
    assert "DATABRICKS_TOKEN" in (raised.value.action or "")
    assert "dapi-wrong" not in f"{raised.value} {raised.value.action} {raised.value.subject}"


def test_what_is_not_there_is_not_found_and_a_table_is_none(workspace):
    with pytest.raises(NotFound):
        asked(workspace, lambda c: c.export("/Shared/gone"))
    assert asked(workspace, lambda c: c.table("main.s.gone")) is None


def test_broken_base64_is_an_error_with_the_path(workspace):
    workspace.add_notebook("/Shared/a", "text")
    workspace.bad_base64.add("/Shared/a")
    with pytest.raises(SourceUnreadable, match="/Shared/a"):
        asked(workspace, lambda c: c.export("/Shared/a"))


def test_the_two_calls_of_old_give_none_and_never_raise(workspace):
    id_ = workspace.add_pipeline("p")
    workspace.add_notebook("/Shared/a", "x = 1")
    workspace.add_notebook("/Shared/b", "x = 1")
    workspace.bad_base64.add("/Shared/b")
    client = SyncDatabricksClient(workspace.url, workspace.token, attempts=1)
    assert client.get_pipeline_details(id_)["name"] == "p"
    assert client.export_notebook_source("/Shared/a") == "x = 1"
    assert client.get_pipeline_details("gone") is None
    assert client.get_pipeline_details(None) is None
    assert client.export_notebook_source("/Shared/gone") is None
    assert client.export_notebook_source("/Shared/b") is None
    workspace.fail_every = 1
    assert client.export_notebook_source("/Shared/a") is None


def test_without_a_host_or_a_token_it_says_what_to_set():
    with pytest.raises(InvalidSetting, match="workspace"):
        DatabricksClient("", "t")
    with pytest.raises(InvalidSetting) as raised:
        DatabricksClient("https://w", "")
    assert "DATABRICKS_TOKEN" in (raised.value.action or "")


def test_a_job_with_more_tasks_than_a_page_is_read_whole(workspace):
    tasks = [{"task_key": f"t{at}"} for at in range(3)]
    id_ = workspace.add_job("j", tasks[:2])
    pages = [
        {**workspace.answer("/api/2.2/jobs/get", {"job_id": id_}), "next_page_token": "2"},
        {"settings": {"tasks": tasks[2:]}},
    ]
    workspace._of_jobs = lambda rest, params: pages[1 if "page_token" in params else 0]
    assert asked(workspace, lambda c: c.job(id_))["settings"]["tasks"] == tasks


def test_what_is_no_workspace_is_said_to_be_none(workspace):
    workspace.answer = lambda path, params: ["no", "object"]
    with pytest.raises(LineageHubError, match="no Databricks workspace"):
        asked(workspace, lambda c: c.pipeline("p"))


def test_pages_that_come_again_and_again_end(workspace):
    id_ = workspace.add_job("j", [{"task_key": "t"}])
    tokens = {"": "a", "a": "b", "b": "a"}
    workspace._of_jobs = lambda rest, params: {
        "settings": {"tasks": []}, "jobs": [], "next_page_token": tokens[params.get("page_token", "")],
    }  # fmt: skip
    assert asked(workspace, lambda c: c.job(id_))["settings"] == {"tasks": []}
    assert workspace.count("/api/2.2/jobs/get") == 3
    with pytest.raises(SourceUnreadable, match="again and again"):
        asked(workspace, lambda c: c.jobs())


def test_what_is_no_object_in_a_list_is_passed_over(workspace):
    workspace.answer = lambda path, params: {
        "statuses": [None, 1, {"pipeline_id": "p"}], "jobs": True,
        "objects": ["x", {"path": "/n", "modified_at": "then"}],
    }  # fmt: skip
    assert asked(workspace, lambda c: c.pipelines()) == [{"pipeline_id": "p"}]
    assert asked(workspace, lambda c: c.jobs()) == []
    (found,) = asked(workspace, lambda c: c.list_folder("/"))
    assert (found.path, found.modified_at) == ("/n", 0)


def test_an_answer_that_is_too_large_is_not_kept(workspace, monkeypatch):
    monkeypatch.setattr("lineage_hub.connectors.databricks.connection._MOST_BYTES", 1_000)
    workspace.add_notebook("/n", "x" * 2_000)
    with pytest.raises(SourceUnreadable, match="larger than"):
        asked(workspace, lambda c: c.export("/n"))


def test_neither_a_token_nor_a_password_of_an_address_is_in_an_error(workspace):
    with pytest.raises(InvalidSetting) as raised:
        asked(workspace, lambda c: c.pipeline("p"), token="dapi-secret\nx")
    assert "dapi-secret" not in str(raised.value)
    workspace.answer = lambda path, params: (_ for _ in ()).throw(Answer(400, "BAD", f"no {workspace.token} here"))
    with pytest.raises(Refusal) as refused:
        asked(workspace, lambda c: c.pipeline("p"))
    assert workspace.token not in str(refused.value)
    assert DatabricksClient("https://me:pass@w.example/login?o=1", "t").host == "https://w.example"
