"""An update is told as part of the run of the job that started it, where the workspace leaves no doubt."""

import uuid

import pytest

from lineage_hub.connectors.databricks.starts import PipelineStart, parents_of, updates_listed, updates_logged


def start(name, started_at, ended_at=None, run_ids=(), update_id=""):
    return PipelineStart("p1", frozenset(run_ids), {"job": name}, started_at, ended_at, update_id)


def update(id_, at, cause="JOB_TASK", **details):
    told = {"update_id": id_, "creation_time": at, "cause": cause}
    return updates_listed([told | ({"update_cause_details": {"job_details": details}} if details else {})])[0]


def test_an_update_belongs_to_the_task_that_ran_when_it_was_created():
    updates = [update("u1", 1_500), update("u2", 3_500)]
    starts = [start("nightly", 1_000, 2_000), start("hourly", 3_000)]
    assert parents_of(updates, starts) == {"u1": {"job": "nightly"}, "u2": {"job": "hourly"}}


@pytest.mark.parametrize(
    ("updates", "starts"),
    [
        ([update("u1", 1_500, "USER_ACTION")], [start("nightly", 1_000, 2_000)]),
        ([update("u1", 2_001)], [start("nightly", 1_000, 2_000)]),
        ([update("u1", 999)], [start("nightly", 1_000)]),
        ([update("u1", 1_500)], [start("nightly", 1_000, 2_000), start("hourly", 1_400, 1_600)]),
        ([update("u1", 1_500), update("u2", 1_600)], [start("nightly", 1_000, 2_000)]),
        ([update("u1", 1_500, run_id=7)], [start("nightly", 1_000, 2_000, run_ids=["8"])]),
        ([update("u1", 1_500)], [start("nightly", 1_000, 2_000, update_id="u2")]),
        ([update("u1", None)], [start("nightly", 0)]),
        ([update("u1", 1_500)], []),
    ],
    ids=[
        "caused by a person", "after the task", "before it", "two tasks ran", "one task, two updates", "another run",
        "another update", "no time", "no task",
    ],
)  # fmt: skip
def test_where_there_is_doubt_nothing_is_told(updates, starts):
    assert parents_of(updates, starts) == {}


def test_ids_decide_where_the_workspace_tells_them():
    two = [start("nightly", 1_000, 2_000, ["7", "71"]), start("hourly", 1_000, 2_000, ["8", "81"])]
    assert parents_of([update("u1", 1_500, job_task_run_id=81)], two) == {"u1": {"job": "hourly"}}
    told = [start("nightly", 1_000, 2_000), start("hourly", 1_000, 2_000, update_id="u1")]
    assert parents_of([update("u1", 1_500)], told) == {"u1": {"job": "hourly"}}
    twice = [start("nightly", 1_000, 2_000, ["7", "71"]), start("nightly", 1_000, 2_000, ["7", "72"])]
    both = [update("u1", 1_500, run_id="7"), update("u2", 1_600, run_id="7")]
    assert parents_of(both, twice) == {"u1": {"job": "nightly"}, "u2": {"job": "nightly"}}


def test_a_list_and_a_log_tell_of_the_same_updates():
    id_ = str(uuid.UUID(int=1))
    log = [
        {
            "timestamp": "1970-01-01T00:00:01.500Z",
            "event_type": "create_update",
            "origin": {"update_id": id_},
            "details": {"create_update": {"cause": "JOB_TASK"}},
        },
        {"event_type": "create_update", "timestamp": "then", "origin": None, "details": "x"},
        {"event_type": "update_progress", "timestamp": "1970-01-01T00:00:01.600Z"},
    ]
    starts = [start("nightly", 1_000, 2_000)]
    assert parents_of(updates_logged(log), starts) == {id_: {"job": "nightly"}}
    assert parents_of([*updates_listed([{"update_id": id_}]), *updates_logged(log)], starts) == {
        id_: {"job": "nightly"}
    }
