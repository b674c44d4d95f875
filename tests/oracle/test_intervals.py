"""Section "Intervals" of docs/fold.md: which runs of a stream are shown as one."""

from __future__ import annotations

from tests.oracle.build import BATCH, JOBS, STREAMING, Body, complete, facet, fail, job_event, parent, run_id, start
from tests.oracle.histories import history
from tests.oracle.view import View

HOUR = 3_600
J = (JOBS, "j")


def batch(seconds: float, run: int, *, above: int | None = None, **parts: object) -> Body:
    """A micro-batch that completed at once."""
    run_facets = {} if above is None else {"parent": parent("app", run=above)}
    return complete(seconds, run=run, job_facets=STREAMING, run_facets=run_facets, **parts)


def runs(view: View) -> list[list[int]]:
    return [[int(run.key[3][-12:]) for run in one] for one in view.intervals(J)]


@history(batch(0, 1), batch(HOUR, 2), batch(2 * HOUR + 0.000001, 3), batch(2 * HOUR + 1, 4))
def test_a_pause_of_an_hour_is_bridged_and_a_longer_one_is_not(view: View) -> None:
    assert runs(view) == [[3, 4], [1, 2]]


@history(
    batch(0, 1, above=90), batch(1, 2, above=90), batch(2, 3, above=91), batch(3, 4, above=90), batch(4, 5, above=91)
)  # fmt: skip
def test_two_applications_at_the_same_time_are_two_intervals(view: View) -> None:
    assert runs(view) == [[3, 5], [1, 2, 4]]


@history(batch(0, 1), batch(1, 2, above=90), batch(2, 3))
def test_runs_that_name_no_parent_are_of_one_stream(view: View) -> None:
    assert runs(view) == [[1, 3], [2]]


@history(
    start(0, run=1, job_facets=STREAMING, run_facets={"parent": parent("app", run=90)}),
    complete(1, run=1, job_facets=STREAMING, run_facets={"parent": parent("app", run=91)}),
    complete(2, run=1, job_facets=STREAMING),
    batch(3, 2, above=91),
)
def test_the_last_event_that_names_a_parent_tells_the_stream(view: View) -> None:
    assert runs(view) == [[1, 2]]


@history(batch(0, 1), fail(1, run=2, job_facets=STREAMING), batch(2, 3), start(3, run=4, job_facets=STREAMING))
def test_a_failed_run_ends_no_interval_and_states_are_counted(view: View) -> None:
    assert runs(view) == [[1, 2, 3, 4]]
    assert [run.state for run in view.intervals(J)[0]] == ["COMPLETED", "FAILED", "COMPLETED", "RUNNING"]


@history(
    batch(0, 1), complete(1, run=2, job_facets=BATCH), complete(2, run=3), batch(3, 4), job_event(4, job_facets=BATCH)
)  # fmt: skip
def test_runs_that_are_not_streaming_stay_by_themselves(view: View) -> None:
    assert runs(view) == [[1, 4], [3], [2]]


@history(start(0, run=1, job_facets=STREAMING), start(3 * HOUR, run=2, job_facets=STREAMING), fail(HOUR, run=1))
def test_runs_that_last_are_no_micro_batches(view: View) -> None:
    assert runs(view) == [[2], [1]]


def offset(number: int) -> Body:
    return {"namespace": "kafka://k", "name": "t", "facets": {"version": facet(datasetVersion=str(number))}}


@history(
    batch(0, 1, inputs=[offset(10)]),
    batch(1, 2, inputs=[offset(20)]),
    batch(2, 3, inputs=[offset(30)], outputs=["b"]),
)
def test_an_interval_is_told_in_any_order_with_its_offsets(view: View) -> None:
    assert runs(view) == [[1, 2, 3]]
    assert [run.key[3] for run in view.intervals(J)[0]] == [run_id(1), run_id(2), run_id(3)]
