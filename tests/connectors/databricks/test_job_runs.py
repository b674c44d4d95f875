"""Runs of a job and of its tasks are told from their starts to their ends."""

import pytest

from lineage_hub.connectors.databricks.job_runs import JobRunTeller
from lineage_hub.connectors.databricks.lineage import ToldJob

SPACE = "databricks://w.example.com"


def teller():
    return JobRunTeller(ToldJob(SPACE, "nightly", {}), {"load": ToldJob(SPACE, "nightly.load", {})})


def state(life, result=None, **more):
    return {"life_cycle_state": life, **({"result_state": result} if result else {}), **more}


def status(code):
    return {"state": "TERMINATED", "termination_details": {"code": code, "message": "why"}}


@pytest.mark.parametrize(
    ("given", "ends"),
    [
        ({"state": state("RUNNING")}, []),
        ({"state": state("PENDING")}, []),
        ({"state": state("TERMINATED", "SUCCESS")}, ["COMPLETE"]),
        ({"state": state("TERMINATED", "SUCCESS_WITH_FAILURES")}, ["COMPLETE"]),
        ({"state": state("TERMINATED", "FAILED")}, ["FAIL"]),
        ({"state": state("TERMINATED", "TIMEDOUT")}, ["FAIL"]),
        ({"state": state("TERMINATED", "CANCELED")}, ["ABORT"]),
        ({"state": state("INTERNAL_ERROR")}, ["FAIL"]),
        ({"state": state("SKIPPED")}, ["ABORT"]),
        ({"status": status("SUCCESS")}, ["COMPLETE"]),
        ({"status": status("DRIVER_ERROR")}, ["FAIL"]),
        ({"status": {"state": "RUNNING"}}, []),
        ({}, []),
    ],
)
def test_a_run_ends_as_the_workspace_says(given, ends):
    events = list(teller().events([{"run_id": 1, "start_time": 1_000, "end_time": 2_000, **given}]))
    assert [one["eventType"] for one in events] == ["START", *ends]


def test_a_task_is_a_run_below_that_of_its_job_and_one_that_never_began_is_none():
    failed = state("TERMINATED", "FAILED", state_message="out of memory")
    tasks = [
        {"task_key": "load", "run_id": 2, "start_time": 1_100, "end_time": 1_900, "state": failed},
        {"task_key": "load", "run_id": 3, "start_time": 0, "state": state("TERMINATED", "UPSTREAM_FAILED")},
        {"task_key": "jar", "run_id": 4, "start_time": 1_100, "state": failed},
        None,
    ]
    run = {"run_id": 1, "start_time": 1_000, "end_time": 2_000, "state": failed, "tasks": tasks}
    whole, _, start, end = teller().events([run])
    assert (start["job"]["name"], end["eventType"], end["eventTime"]) == (
        "nightly.load", "FAIL", "1970-01-01T00:00:01.900Z",
    )  # fmt: skip
    assert end["run"]["facets"]["parent"]["run"]["runId"] == whole["run"]["runId"] != end["run"]["runId"]
    assert end["run"]["facets"]["errorMessage"]["message"] == "out of memory"


def test_runs_are_listed_again_from_the_oldest_that_goes_on():
    over, open_ = state("TERMINATED", "SUCCESS"), state("RUNNING")
    half = teller()
    list(
        half.events([{"run_id": at, "start_time": at * 1_000, "state": open_ if at == 2 else over} for at in (3, 2, 1)])
    )
    assert half.resume_at == 2_000
    assert teller().resume_at is None


def test_nonsense_is_no_run():
    assert list(teller().events([{}, {"run_id": 1}, {"start_time": 5}, {"run_id": 1, "start_time": "then"}])) == []
