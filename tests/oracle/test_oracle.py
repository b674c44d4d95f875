"""Each rule of docs/fold.md at least once, with the answer written by hand."""

import pytest

from tests.oracle.build import (
    BATCH,
    INFERRED,
    JOBS,
    NAMESPACE,
    STREAMING,
    TOMBSTONE,
    Body,
    abort,
    code,
    columns,
    complete,
    dataset,
    dataset_columns,
    dataset_event,
    facet,
    fail,
    job_event,
    lifecycle,
    ns,
    old_columns,
    parent,
    run_event,
    run_id,
    running,
    schema,
    spelled,
    start,
    symlinks,
    taken,
    version,
)
from tests.oracle.events import Name, Taken
from tests.oracle.histories import history
from tests.oracle.identity import event_id, parse
from tests.oracle.runs import Run
from tests.oracle.view import ColumnEdge, Dataset, Edge, Job, View, view


def run(v: View, number: int = 1, job: str = "j", tenant: str = "default") -> Run:
    return v.runs[(tenant, JOBS, job, run_id(number))]


def job(v: View, name: str = "j") -> Job:
    return v.jobs[(JOBS, name)]


def data(v: View, name: str) -> Dataset:
    return v.datasets[(NAMESPACE, name)]


def names(*listed: str) -> set[Name]:
    return {(NAMESPACE, name) for name in listed}


def edges(*arrows: str) -> set[Edge]:
    """edges("a > j", "j > b", "c > j columns"): the names of jobs begin with j."""
    found = set()
    for arrow in arrows:
        origin, _, destination, *mark = arrow.split()
        found.add((_node(origin), _node(destination), mark[0] if mark else None))
    return found


def _node(name: str) -> str:
    return f"job:{JOBS}:{name}" if name.startswith("j") else f"dataset:{NAMESPACE}:{name}"


def column_edges(*arrows: str) -> set[ColumnEdge]:
    """column_edges("a.x > b.y", "a.x > b")"""
    found: set[ColumnEdge] = set()
    for arrow in arrows:
        origin, _, destination = arrow.split()
        (source, source_field), (target, _, field) = origin.split("."), destination.partition(".")
        found.add(((NAMESPACE, source, source_field), (NAMESPACE, target, field or None)))
    return found


def fields(v: View, name: str) -> list[str]:
    return [field for field, _ in data(v, name).fields]


def at_same_time(first: Body, second: Body) -> tuple[Body, Body]:
    """Two events of one time, the one that comes later in the order last."""
    low, high = sorted((first, second), key=lambda body: event_id("default", parse(spelled(body))))
    return low, high


# Events, ids and order


@history(
    dataset_event(1, "a", documentation=facet(description="one")),
    dataset_event(2, "a", documentation=facet(description="two")),
    dataset_event(3, "a", documentation=facet(description="one")),
)
def test_the_value_of_a_facet_is_that_of_the_latest_event(v: View) -> None:
    assert data(v, "a").facets["documentation"]["description"] == "one"


def test_a_late_event_between_two_equal_observations_counts_at_its_own_time() -> None:
    late = [dataset_event(n, "a", documentation=facet(description=d)) for n, d in ((1, "one"), (3, "one"), (2, "two"))]
    told = {t: data(view(taken(*late), t=ns(t)), "a").facets["documentation"]["description"] for t in (1, 2, 3)}
    assert told == {1: "one", 2: "two", 3: "one"}


ONE = dataset_event(1, "a", documentation=facet(description="one"))
TWO = dataset_event(1, "a", documentation=facet(description="two"))


@history(ONE, TWO)
def test_of_two_events_at_one_time_the_greater_id_wins(v: View) -> None:
    _, later = at_same_time(ONE, TWO)
    assert data(v, "a").facets["documentation"] == parse(spelled(later))["dataset"]["facets"]["documentation"]


def test_a_view_holds_what_had_happened_by_t_was_known_by_k_and_belongs_to_the_tenants_asked_for() -> None:
    events = [
        *taken(dataset_event(1, "a"), known_at=30),
        *taken(dataset_event(2, "b"), known_at=10),
        *taken(dataset_event(2, "b"), known_at=20),
        *taken(dataset_event(3, "c"), known_at=10, tenant="other"),
    ]
    assert set(view(events).datasets) == names("a", "b", "c")
    assert set(view(events, t=ns(2)).datasets) == names("a", "b")
    assert set(view(events, k=10).datasets) == names("b", "c")
    assert set(view(events, t=ns(2), k=10).datasets) == names("b")
    assert set(view(events, tenants={"other"}).datasets) == names("c")
    assert view(events, k=9).datasets == {}


# What an event says


@history(run_event(None, 1, inputs=["a"]), run_event("OTHER", 2, outputs=["b"]))
def test_an_event_without_type_counts_as_other_and_neither_changes_the_state(v: View) -> None:
    assert run(v).state == "NEW"
    assert (run(v).inputs, run(v).outputs) == (names("a"), names("b"))


@history(complete(1, inputs=[dataset("a", schema=schema("x")), "b", dataset("a", schema=schema("y"))]))
def test_a_dataset_named_twice_in_one_list_counts_as_its_last_element(v: View) -> None:
    assert fields(v, "a") == ["y"]


@history(complete(1, inputs=[dataset("a", x=facet(side="in"))], outputs=[dataset("a", x=facet(side="out"))]))
def test_on_both_sides_of_one_event_the_output_counts(v: View) -> None:
    assert data(v, "a").facets["x"]["side"] == "out"


@history(job_event(1, inputs=[dataset("a", x=facet(side="in"))], outputs=[dataset("a", x=facet(side="out"))]))
def test_on_both_sides_of_one_job_event_the_output_counts(v: View) -> None:
    assert data(v, "a").facets["x"]["side"] == "out"


@history(
    complete(1, outputs=[dataset("b", columnLineage=columns(x="source.y"))]),
    dataset_event(2, "l", symlinks=symlinks(TABLE="t", ALIAS="nick")),
    dataset_event(3, "new", lifecycleStateChange=lifecycle("RENAME", "old")),
)
def test_a_dataset_that_is_only_named_exists_and_says_so(v: View) -> None:
    assert {name for name, d in v.datasets.items() if d.named_only} == names("source", "nick", "old")
    assert set(v.datasets) == names("b", "source", "t", "nick", "new", "old")
    assert not data(v, "old").deleted
    assert data(v, "nick").created_at == data(v, "nick").updated_at == ns(2)


@history(start(5, run_facets={"parent": parent("dag", root="root")}), start(7, job="dag", run=2))
def test_a_job_that_is_only_named_as_parent_or_root_exists_and_says_so(v: View) -> None:
    assert {name[1]: j.named_only for name, j in v.jobs.items()} == {"j": False, "dag": False, "root": True}
    assert (job(v, "dag").created_at, job(v, "dag").updated_at) == (ns(5), ns(7))
    assert (job(v, "root").created_at, job(v, "root").updated_at) == (ns(5), ns(5))
    assert v.named_runs == {((JOBS, "dag"), run_id(90))}


@history(
    start(1, job="j1", inputs=["a"]),
    fail(2, job="j2"),
    complete(3, job="j1", outputs=["b"]),
)
def test_one_run_id_under_two_jobs_is_two_runs(v: View) -> None:
    assert run(v, job="j1").state == "COMPLETED"
    assert run(v, job="j2").state == "FAILED"
    assert v.edges == edges("a > j1", "j1 > b")


def test_one_run_id_of_two_tenants_is_two_runs() -> None:
    v = view([*taken(start(1)), *taken(fail(2), tenant="other")])
    assert run(v).state == "RUNNING"
    assert run(v, tenant="other").state == "FAILED"


@history(dataset_event(1, "a", x=None, y="text", z=[facet()], schema=schema("x")))
def test_a_facet_that_is_no_object_observes_nothing(v: View) -> None:
    assert set(data(v, "a").facets) == {"schema"}


# Values


@history(
    dataset_event(1, "a", x=facet(n=1), y=facet(n=1)),
    dataset_event(2, "a", x=TOMBSTONE),
    dataset_event(3, "b", x=TOMBSTONE),
    dataset_event(4, "b", x=facet(n=4)),
)
def test_a_tombstone_takes_a_facet_away_until_it_is_observed_again(v: View) -> None:
    assert set(data(v, "a").facets) == {"y"}
    assert data(v, "b").facets["x"]["n"] == "4"


@history(
    complete(1, outputs=[dataset("a", schema=schema("x", "y"))]),
    complete(2, run=2, inputs=[dataset("a", schema=schema("x"))]),
    complete(3, run=3, inputs=[dataset("b", schema=schema("p"))]),
    complete(4, run=4, inputs=[dataset("b", schema=schema("q"))]),
)
def test_a_reader_may_tell_of_a_schema_only_as_long_as_no_writer_does(v: View) -> None:
    assert fields(v, "a") == ["x", "y"]
    assert fields(v, "b") == ["q"]


@history(
    complete(1, outputs=[dataset("a", schema=schema("x"))]),
    dataset_event(2, "a", schema=schema("y")),
    complete(3, run=2, inputs=[dataset("a", schema=schema("z"))]),
    job_event(1, outputs=[dataset("b", schema=schema("s"))]),
    complete(4, run=4, outputs=[dataset("b", schema=TOMBSTONE)]),
    complete(5, run=5, inputs=[dataset("b", schema=schema("z"))]),
)
def test_static_datasets_tell_of_the_schema_as_writers_do(v: View) -> None:
    assert fields(v, "a") == ["y"]
    assert fields(v, "b") == []


@history(
    start(1, run=1),
    fail(2, run=1),
    complete(3, run=1),
    complete(4, run=1),
    abort(1, run=2),
    complete(2, run=2),
    start(1, run=3),
    complete(2, run=3),
    running(1, run=4),
    run_event("OTHER", 1, run=5),
    complete(1, run=6),
    fail(2, run=6),
    abort(3, run=6),
)
def test_fail_wins_over_abort_over_complete_whatever_came_last_and_the_rest_is_a_conflict(v: View) -> None:
    assert [run(v, n).state for n in range(1, 7)] == [
        "FAILED",
        "ABORTED",
        "COMPLETED",
        "RUNNING",
        "NEW",
        "FAILED",
    ]
    assert run(v, 1).conflict == ["COMPLETE", "FAIL"]
    assert run(v, 2).conflict == ["ABORT", "COMPLETE"]
    assert run(v, 6).conflict == ["ABORT", "COMPLETE", "FAIL"]
    assert [run(v, n).conflict for n in (3, 4, 5)] == [[], [], []]
    assert [run(v, n).started_at for n in (1, 5, 6)] == [ns(1), None, ns(1)]
    assert [run(v, n).ended_at for n in range(1, 7)] == [ns(2), ns(1), ns(2), None, None, ns(2)]


@history(
    complete(2, run=1),
    complete(5, run=1),
    abort(9, run=1, run_facets=INFERRED),
    start(1, run=2),
    abort(9, run=2, run_facets=INFERRED),
)
def test_an_inferred_end_counts_only_while_no_producer_sent_one(v: View) -> None:
    assert (run(v, 1).state, run(v, 1).ended_at, run(v, 1).conflict) == ("COMPLETED", ns(5), [])
    assert (run(v, 2).state, run(v, 2).ended_at) == ("ABORTED", ns(9))


@history(
    start(1, inputs=["a"], run_facets={"x": facet(n=1), "y": facet(n=1), "z": facet()}),
    running(2, inputs=["b"], run_facets={"x": facet(n=2), "z": TOMBSTONE}),
    complete(3, outputs=["c"]),
)
def test_a_run_has_the_datasets_and_the_newest_facets_of_all_its_events(v: View) -> None:
    assert (run(v).inputs, run(v).outputs) == (names("a", "b"), names("c"))
    assert {name: f["n"] for name, f in run(v).facets.items()} == {"x": "2", "y": "1"}


@history(
    start(1, run=1, job_facets=STREAMING),
    start(1, run=2, job_facets=STREAMING),
    complete(2, run=2, job_facets=BATCH),
    start(9, run=3),
)
def test_a_run_is_streaming_by_the_newest_job_type_among_its_own_events(v: View) -> None:
    assert [run(v, n).streaming for n in (1, 2, 3)] == [True, False, False]


@history(
    start(1, job_facets={"x": facet(n=1), "y": facet(n=1)}),
    job_event(2, job_facets={"x": facet(n=2), "y": TOMBSTONE}),
)
def test_the_facets_of_a_job_are_the_newest_of_its_runs_and_job_events(v: View) -> None:
    assert {name: f["n"] for name, f in job(v).facets.items()} == {"x": "2"}


# The current version of a job


@history(
    start(1, run=1, inputs=["a"]),
    complete(2, run=1, outputs=["b"]),
    start(3, run=2),
    start(4, run=3, inputs=["c"], outputs=["d"]),
    fail(5, run=3),
)
def test_neither_a_start_without_datasets_nor_a_failure_blanks_the_graph(v: View) -> None:
    assert v.edges == edges("a > j", "j > b")
    assert v.edges_ever() == v.edges
    head = job(v).head
    assert head is not None
    assert (head.kind, head.id) == ("run", run_id(1))


@history(
    complete(5, run=1, inputs=["a"], outputs=["b"]),
    start(6, run=2, inputs=["c"], outputs=["b"]),
    complete(9, run=2),
    start(1, run=3, inputs=["d"], outputs=["b"]),
    complete(8, run=3),
)
def test_the_run_that_completed_last_is_the_head(v: View) -> None:
    assert v.edges == edges("c > j", "j > b")
    assert v.edges_ever() == edges("a > j", "c > j", "d > j", "j > b")
    assert len(job(v).versions) == 3


@history(
    start(1, run=1, inputs=["a"], outputs=["b"]),
    fail(9, run=1),
    start(2, run=2, inputs=["c"], outputs=["b"]),
    start(3, run=3),
)
def test_without_candidates_the_head_is_the_run_with_datasets_that_started_last(v: View) -> None:
    assert v.edges == edges("c > j", "j > b")
    assert v.edges_ever() == v.edges


@history(complete(1, inputs=["a"], outputs=["b"]), job_event(2, inputs=["c"], outputs=["d"]), job_event(3))
def test_a_job_event_with_datasets_is_a_candidate_and_one_without_is_not(v: View) -> None:
    assert v.edges == edges("c > j", "j > d")
    assert v.edges_ever() == edges("a > j", "j > b", "c > j", "j > d")
    assert len(job(v).versions) == 2


TIED = [complete(1, run=1, inputs=["a"], outputs=["b"]), complete(1, run=2, inputs=["c"], outputs=["b"])]


@history(*TIED)
def test_of_two_runs_that_completed_at_one_time_the_greater_id_is_the_head(v: View) -> None:
    _, later = at_same_time(TIED[0], TIED[1])
    assert v.edges == edges(f"{later['inputs'][0]['name']} > j", "j > b")


@history(
    start(1, run=1, job_facets=STREAMING, inputs=["a"], outputs=["b"]),
    running(2, run=1),
    running(8, run=1),
    complete(5, run=2, inputs=["c"], outputs=["b"]),
)
def test_a_streaming_run_is_a_candidate_at_its_last_running_event(v: View) -> None:
    assert v.edges == edges("a > j", "j > b")


@history(
    start(1, run=1, job_facets=STREAMING, inputs=["a"], outputs=["b"]),
    running(6, run=1),
    fail(7, run=1),
    complete(5, run=2, inputs=["c"], outputs=["b"]),
)
def test_a_streaming_run_stays_a_candidate_after_it_failed(v: View) -> None:
    assert run(v, 1).state == "FAILED"
    assert v.edges == edges("a > j", "j > b")


@history(
    start(1, run=1, job_facets=STREAMING, inputs=["a"], outputs=["b"]),
    running(8, run=1),
    complete(4, run=1),
    complete(5, run=2, inputs=["c"], outputs=["b"]),
)
def test_a_streaming_run_that_completed_is_a_candidate_at_its_complete_event(v: View) -> None:
    assert v.edges == edges("c > j", "j > b")


@history(
    start(1, run=1, job_facets=STREAMING, inputs=["a"], outputs=["b"]),
    running(7, run=1),
    running(8, run=1, job_facets=BATCH),
    complete(5, run=2, inputs=["c"], outputs=["b"]),
)
def test_a_run_that_turned_out_to_be_a_batch_is_no_candidate(v: View) -> None:
    assert v.edges == edges("c > j", "j > b")


@history(
    start(6, run=1, job_facets=STREAMING, inputs=["a"], outputs=["b"]),
    complete(5, run=2, inputs=["c"], outputs=["b"]),
    running(7, run=3, inputs=["d"], outputs=["b"]),
)
def test_neither_a_streaming_run_that_only_started_nor_a_running_batch_is_a_candidate(v: View) -> None:
    assert v.edges == edges("c > j", "j > b")


DAY = 86_400


@history(
    complete(0, run=1, inputs=["a"], outputs=["b"]),
    complete(10 * DAY, run=2, inputs=["c"], outputs=["b"]),
    complete(40 * DAY, run=3, inputs=["d"], outputs=["b"]),
    fail(0, job="j_old", run=4, inputs=["e"]),
)
def test_the_edges_of_the_last_days_are_those_of_candidates_no_older(v: View) -> None:
    assert v.edges_within(30) == edges("c > j", "d > j", "j > b")
    assert v.edges_within(40) == v.edges_ever() == edges("a > j", "c > j", "d > j", "j > b", "e > j_old")
    assert v.edges == edges("d > j", "j > b", "e > j_old")


def test_the_last_days_are_counted_from_t_if_there_is_one() -> None:
    events = taken(complete(0, run=1, inputs=["a"]), complete(1, run=2, inputs=["b"]))
    assert view(events, t=ns(30 * DAY)).edges_within(30) == edges("a > j", "b > j")
    assert view(events, t=ns(30 * DAY) + 1).edges_within(30) == edges("b > j")


@history(
    complete(1, run=1, inputs=["a"], outputs=["b"], job_facets=code("git", "1")),
    complete(2, run=2, inputs=["a"], outputs=["b"], job_facets=code("git", "1")),
    start(3, run=3, inputs=["a"], job_facets=code("git", "1")),
    complete(4, run=3, outputs=["b"], job_facets=code("git", "2")),
    complete(5, run=4, inputs=["a"], outputs=["b"]),
    job_event(6, inputs=["a"], outputs=["b"]),
    complete(7, run=5, inputs=["b"], outputs=["a"]),
    fail(8, run=6, inputs=["c"]),
    start(9, run=7),
)
def test_the_version_of_a_job_is_told_by_inputs_outputs_and_code(v: View) -> None:
    assert len(job(v).versions) == 5


# Columns


@history(
    start(1, inputs=["a"]),
    complete(2, outputs=[dataset("b", columnLineage=columns(x="a.p a.q c.r", y="c.r"))]),
)
def test_a_source_of_columns_that_is_no_input_gives_an_edge_that_says_so(v: View) -> None:
    assert v.edges == edges("a > j", "j > b", "c > j columns")
    assert job(v).inputs == names("a")
    assert v.columns == v.columns_ever() == column_edges("a.p > b.x", "a.q > b.x", "c.r > b.x", "c.r > b.y")


@history(
    complete(1, run=1, inputs=["a", "c"], outputs=["b"]),
    complete(2, run=2, inputs=["a"], outputs=[dataset("b", columnLineage=columns(x="c.r"))]),
)
def test_what_was_an_input_once_is_an_input_ever(v: View) -> None:
    assert v.edges == edges("a > j", "c > j columns", "j > b")
    assert v.edges_ever() == edges("a > j", "c > j", "j > b")


@history(complete(1, outputs=[dataset("b", columnLineage=old_columns(x="a.p a.q"))]))
def test_the_older_generation_of_column_lineage_gives_the_same_edges(v: View) -> None:
    assert v.columns == column_edges("a.p > b.x", "a.q > b.x")


@history(complete(1, outputs=[dataset("b", columnLineage=dataset_columns("a.p", "c.q"))]))
def test_a_dependency_of_the_whole_dataset_is_an_edge_to_the_dataset(v: View) -> None:
    assert v.columns == column_edges("a.p > b", "c.q > b")
    assert v.edges == edges("a > j columns", "c > j columns", "j > b")


@history(
    start(1, outputs=[dataset("b", columnLineage=columns(x="a.old"))]),
    complete(2, outputs=[dataset("b", columnLineage=columns(x="a.new"))]),
)
def test_within_the_head_the_newest_column_lineage_counts(v: View) -> None:
    assert v.columns == column_edges("a.new > b.x")
    assert v.columns_ever() == column_edges("a.new > b.x", "a.old > b.x")


@history(
    complete(1, run=1, inputs=["a"], outputs=[dataset("b", columnLineage=columns(x="a.p"))]),
    complete(2, run=2, inputs=["a"], outputs=["b"]),
)
def test_a_head_without_column_lineage_takes_that_of_the_same_version(v: View) -> None:
    assert v.columns == column_edges("a.p > b.x")


@history(
    complete(1, run=1, inputs=["a"], outputs=[dataset("b", columnLineage=columns(x="a.p"))]),
    complete(2, run=2, inputs=["a", "c"], outputs=["b"]),
)
def test_a_head_without_column_lineage_takes_none_of_another_version(v: View) -> None:
    assert v.columns == set()
    assert v.columns_ever() == column_edges("a.p > b.x")


@history(
    complete(1, run=1, inputs=["a"], outputs=[dataset("b", columnLineage=columns(x="a.p"))]),
    complete(2, run=2, inputs=["c"], outputs=[dataset("b", columnLineage=columns(x="c.p"))]),
    complete(3, run=3, inputs=["a"], outputs=["b"]),
)
def test_only_the_newest_column_lineage_of_a_job_may_stand_in(v: View) -> None:
    assert v.columns == set()


@history(
    complete(1, run=1, inputs=["a"], outputs=[dataset("b", columnLineage=columns(x="a.p"))]),
    start(2, run=2, inputs=["a"], outputs=[dataset("b", columnLineage=columns(x="a.q"))]),
    fail(3, run=2, outputs=[dataset("b", columnLineage=columns(x="a.r"))]),
    complete(4, run=3, inputs=["a"], outputs=["b"]),
)
def test_column_lineage_of_start_and_fail_events_does_not_stand_in(v: View) -> None:
    assert v.columns == column_edges("a.p > b.x")


@history(
    complete(1, run=1, inputs=["a"], outputs=[dataset("b", columnLineage=columns(x="a.p"))]),
    complete(2, run=2, inputs=["a"], outputs=[dataset("b", columnLineage=TOMBSTONE)]),
)
def test_a_tombstone_in_the_head_silences_older_column_lineage(v: View) -> None:
    assert v.columns == set()


@history(
    complete(1, job="j1", inputs=["a"], outputs=[dataset("b", columnLineage=columns(x="a.p"))]),
    job_event(2, job="j2", inputs=["c"], outputs=[dataset("b", columnLineage=columns(x="c.q"))]),
    dataset_event(3, "b", columnLineage=columns(x="d.r")),
    complete(4, job="j3", inputs=[dataset("b", columnLineage=columns(x="d.s"))]),
    complete(2, job="j4", run=2, inputs=[dataset("b", columnLineage=columns(x="d.t"))]),
)
def test_column_edges_are_those_of_every_writer_and_the_newest_of_those_who_are_none(v: View) -> None:
    assert v.columns == column_edges("a.p > b.x", "c.q > b.x", "d.s > b.x")
    assert v.edges == edges("a > j1", "j1 > b", "c > j2", "j2 > b", "b > j3", "b > j4")


@history(
    complete(1, job="j1", inputs=["a"], outputs=[dataset("b", columnLineage=columns(x="a.p"))]),
    complete(2, job="j1", run=2, inputs=["a"], outputs=["c"]),
)
def test_columns_of_a_job_that_no_longer_writes_the_dataset_are_no_longer_current(v: View) -> None:
    assert v.columns == set()


# Names over time: DROP


DROP = lifecycle("DROP")
CREATE = lifecycle("CREATE")


@history(
    complete(1, run=1, inputs=["a"], outputs=[dataset("b", schema=schema("x"))]),
    complete(2, job="j_drop", run=2, outputs=[dataset("b", lifecycleStateChange=DROP)]),
)
def test_a_dropped_dataset_has_no_edges_and_no_facets_but_is_still_told_of(v: View) -> None:
    assert v.edges == edges("a > j")
    assert data(v, "b").deleted
    assert data(v, "b").facets == {}
    assert data(v, "b").versions == []
    assert (data(v, "b").created_at, data(v, "b").updated_at) == (ns(1), ns(2))
    assert v.edges_ever() == edges("a > j", "j > b", "j_drop > b")
    assert not data(v, "a").deleted


@history(
    start(1, run=1, inputs=["a"], outputs=["b"]),
    dataset_event(2, "b", lifecycleStateChange=DROP),
    complete(3, run=1, inputs=["a"], outputs=["b"]),
)
def test_a_run_that_started_before_the_drop_does_not_revive_the_table(v: View) -> None:
    assert v.edges == edges("a > j")
    assert data(v, "b").deleted


@history(
    complete(1, run=1, inputs=["a"], outputs=[dataset("b", x=facet(n=1), y=facet(n=1))]),
    dataset_event(2, "b", lifecycleStateChange=DROP),
    start(3, run=2, inputs=["a"], outputs=[dataset("b", x=facet(n=3))]),
    complete(4, run=2),
)
def test_a_run_that_started_after_the_drop_opens_a_new_history(v: View) -> None:
    assert v.edges == edges("a > j", "j > b")
    assert not data(v, "b").deleted
    assert {name: f["n"] for name, f in data(v, "b").facets.items()} == {"x": "3"}
    assert len(data(v, "b").versions) == 1


@history(
    start(1, outputs=[dataset("b", x=facet(n=1), lifecycleStateChange=DROP)]),
    running(2, outputs=[dataset("b", x=facet(n=2), lifecycleStateChange=CREATE)]),
    complete(3, outputs=["b"]),
)
def test_a_run_may_drop_and_create_its_table(v: View) -> None:
    assert v.edges == edges("j > b")
    assert set(data(v, "b").facets) == {"x", "lifecycleStateChange"}
    assert data(v, "b").facets["x"]["n"] == "2"


@history(
    start(1, outputs=["b"], inputs=["a"]),
    dataset_event(2, "b", lifecycleStateChange=DROP),
    complete(3, outputs=[dataset("b", lifecycleStateChange=CREATE)]),
)
def test_a_created_table_is_there_from_that_event_on_though_its_run_started_before_a_drop(v: View) -> None:
    assert v.edges == edges("a > j", "j > b")


@history(
    start(1, job_facets=STREAMING, inputs=["a"], outputs=["b"]),
    dataset_event(2, "b", lifecycleStateChange=DROP),
    running(3, inputs=["a"], outputs=["b"]),
)
def test_a_running_event_of_a_streaming_run_mentions_at_its_own_time(v: View) -> None:
    assert v.edges == edges("a > j", "j > b")
    assert not data(v, "b").deleted


@history(
    dataset_event(1, "b", lifecycleStateChange=DROP),
    dataset_event(2, "c"),
    job_event(3, outputs=[dataset("c", lifecycleStateChange=DROP)]),
)
def test_a_static_mention_with_a_drop_is_gone_by_it(v: View) -> None:
    assert data(v, "b").deleted
    assert data(v, "c").deleted
    assert v.edges == set()


@history(
    complete(1, run=1, inputs=["a"], outputs=["b"]),
    fail(2, run=2, outputs=[dataset("b", lifecycleStateChange=DROP)]),
    abort(3, run=3, outputs=[dataset("b", lifecycleStateChange=DROP)]),
    complete(4, job="j_read", run=4, inputs=[dataset("b", lifecycleStateChange=DROP)]),
    dataset_event(5, "b", lifecycleStateChange=facet(lifecycleStateChange="DROP", _deleted=True)),
)
def test_failures_readers_and_tombstones_cut_nothing(v: View) -> None:
    assert v.edges == edges("a > j", "j > b", "b > j_read")
    assert not data(v, "b").deleted


@pytest.mark.parametrize("change", ["TRUNCATE", "OVERWRITE", "ALTER", "CREATE"])
def test_other_changes_cut_nothing(change: str) -> None:
    v = view(
        taken(
            complete(1, run=1, inputs=["a"], outputs=[dataset("b", x=facet())]),
            complete(2, job="j_ddl", run=2, outputs=[dataset("b", lifecycleStateChange=lifecycle(change, "old"))]),
        )
    )
    assert v.edges == edges("a > j", "j > b", "j_ddl > b")
    assert set(data(v, "b").facets) == {"x", "lifecycleStateChange"}
    assert (NAMESPACE, "old") not in v.datasets


@history(
    complete(1, run=1, inputs=["a"], outputs=["b"]),
    dataset_event(3, "b", lifecycleStateChange=DROP),
    complete(2, run=2, inputs=["c"], outputs=["b"]),
    complete(5, job="j_late", run=3, inputs=["b"]),
)
def test_what_happened_before_a_drop_but_arrived_after_it_is_gone_too(v: View) -> None:
    assert v.edges == edges("c > j", "b > j_late")
    assert not data(v, "b").deleted


DROPPED = dataset_event(2, "b", lifecycleStateChange=DROP)
WROTE = complete(2, inputs=["a"], outputs=["b"])


@history(DROPPED, WROTE)
def test_a_drop_and_a_mention_at_one_time_are_told_apart_by_their_ids(v: View) -> None:
    _, later = at_same_time(DROPPED, WROTE)
    assert data(v, "b").deleted == (later is DROPPED)
    assert v.edges == (edges("a > j") if later is DROPPED else edges("a > j", "j > b"))


# Names over time: RENAME


@history(
    complete(1, run=1, inputs=["a"], outputs=[dataset("b", x=facet(n=1))]),
    complete(2, job="j_read", run=2, inputs=["b"]),
    complete(3, job="j_ddl", run=3, outputs=[dataset("c", lifecycleStateChange=lifecycle("RENAME", "b"))]),
)
def test_what_is_renamed_goes_on_under_the_new_name(v: View) -> None:
    assert v.edges == edges("a > j", "j > c", "c > j_read", "j_ddl > c")
    assert data(v, "c").facets["x"]["n"] == "1"
    assert len(data(v, "c").versions) == 2
    assert data(v, "b").deleted
    assert data(v, "b").facets == {}
    assert v.edges_ever() == edges("a > j", "j > b", "b > j_read", "j_ddl > c")


@history(
    complete(
        1,
        outputs=[
            dataset("b", columnLineage=columns(x="a.p d.q")),
            dataset("c", columnLineage=columns(x="a.p"), lifecycleStateChange=lifecycle("RENAME", "b")),
        ],
    ),
)
def test_of_two_names_that_one_event_has_for_one_dataset_the_least_tells_its_columns(v: View) -> None:
    assert v.edges == edges("j > c", "a > j columns", "d > j columns")


@history(
    complete(
        1,
        outputs=[
            dataset("t", columnLineage=columns(x="a.p")),
            dataset("l", columnLineage=columns(x="a.p d.q"), symlinks=symlinks(TABLE="t")),
        ],
    ),
)
def test_of_two_names_that_a_symlink_joins_the_least_tells_the_columns_wherever_it_stands(v: View) -> None:
    assert v.edges == edges("j > t", "a > j columns", "d > j columns")
    assert v.columns == column_edges("a.p > t.x", "d.q > t.x")


@history(job_event(1, outputs=[dataset("b", lifecycleStateChange=lifecycle("DROP", "l"))]))
def test_the_name_before_counts_for_a_rename_alone(v: View) -> None:
    assert v.edges == edges()
    assert ("db", "l") not in v.datasets


@history(
    job_event(
        1,
        inputs=[dataset("b", version=facet(datasetVersion="v1"), lifecycleStateChange=lifecycle("RENAME", "a"))],
        outputs=[dataset("b", version=facet(datasetVersion="v2"))],
    )
)
def test_what_one_side_of_an_event_says_of_a_name_that_goes_on_counts_though_the_other_speaks_of_what_ends(
    v: View,
) -> None:
    assert data(v, "b").facets["version"]["datasetVersion"] == "v1"


@history(
    complete(1, run=1, outputs=[dataset("a", x=facet(n=1))]),
    dataset_event(2, "b", lifecycleStateChange=lifecycle("RENAME", "a")),
    dataset_event(3, "c", lifecycleStateChange=lifecycle("RENAME", "b")),
    dataset_event(4, "a", lifecycleStateChange=lifecycle("RENAME", "c")),
)
def test_a_chain_of_renames_may_lead_back_to_the_first_name(v: View) -> None:
    assert v.edges == edges("j > a")
    assert data(v, "a").facets["x"]["n"] == "1"
    assert [data(v, name).deleted for name in "abc"] == [False, True, True]


@history(
    complete(1, job="j1", run=1, outputs=[dataset("a", x=facet(n=1))]),
    complete(1, job="j2", run=2, outputs=[dataset("b", y=facet(n=1))]),
    dataset_event(2, "b", lifecycleStateChange=lifecycle("RENAME", "a")),
    complete(3, job="j3", run=3, outputs=["a"]),
)
def test_a_rename_over_an_existing_name_ends_the_content_that_was_there(v: View) -> None:
    assert v.edges == edges("j1 > b", "j3 > a")
    assert set(data(v, "b").facets) == {"x", "lifecycleStateChange"}
    assert not data(v, "a").deleted


@history(
    complete(1, run=1, outputs=["a"]),
    dataset_event(2, "b", lifecycleStateChange=lifecycle("RENAME", "a")),
    dataset_event(3, "b", lifecycleStateChange=DROP),
)
def test_what_is_renamed_and_then_dropped_is_gone(v: View) -> None:
    assert v.edges == set()
    assert data(v, "a").deleted
    assert data(v, "b").deleted


@history(
    start(1, inputs=["a"], outputs=["b"]),
    dataset_event(2, "c", lifecycleStateChange=lifecycle("RENAME", "b")),
    complete(3, inputs=["a"], outputs=["b"]),
)
def test_a_run_that_started_before_a_rename_writes_the_new_name(v: View) -> None:
    assert v.edges == edges("a > j", "j > c")


@history(
    complete(1, run=1, outputs=[dataset("a", x=facet(n=1))]),
    complete(1, job="j2", run=2, outputs=[dataset("b", x=facet(n=2))]),
    complete(
        3,
        job="j_swap",
        run=3,
        outputs=[
            dataset("a", lifecycleStateChange=lifecycle("RENAME", "b")),
            dataset("b", lifecycleStateChange=lifecycle("RENAME", "a")),
        ],
    ),
)
def test_one_event_may_swap_two_names(v: View) -> None:
    assert v.edges == edges("j > b", "j2 > a", "j_swap > a", "j_swap > b")
    assert data(v, "a").facets["x"]["n"] == "2"
    assert data(v, "b").facets["x"]["n"] == "1"


@history(
    complete(1, run=1, outputs=["a"]),
    dataset_event(2, "a", lifecycleStateChange=lifecycle("RENAME", "a")),
    dataset_event(3, "a", lifecycleStateChange=lifecycle("RENAME")),
)
def test_a_rename_to_itself_or_from_nowhere_cuts_nothing(v: View) -> None:
    assert v.edges == edges("j > a")
    assert len(data(v, "a").versions) == 1


@history(
    complete(1, run=1, inputs=["a"], outputs=[dataset("b", columnLineage=columns(x="a.p c.q d.r"))]),
    dataset_event(2, "a2", lifecycleStateChange=lifecycle("RENAME", "a")),
    dataset_event(3, "c", lifecycleStateChange=DROP),
)
def test_sources_of_columns_go_through_cuts_as_inputs_do(v: View) -> None:
    assert v.edges == edges("a2 > j", "d > j columns", "j > b")
    assert v.columns == column_edges("a2.p > b.x", "d.r > b.x")
    assert v.columns_ever() == column_edges("a.p > b.x", "c.q > b.x", "d.r > b.x")
    assert v.edges_ever() == edges("a > j", "c > j columns", "d > j columns", "j > b")


# Names over time: symlinks


@history(
    complete(1, run=1, outputs=[dataset("l", symlinks=symlinks(TABLE="t"), x=facet(n=1), y=facet(n=1))]),
    complete(2, job="j_read", run=2, inputs=[dataset("t", x=facet(n=2))]),
)
def test_a_location_and_its_table_are_one_dataset_under_the_name_of_the_table(v: View) -> None:
    assert v.edges == edges("j > t", "t > j_read")
    assert v.resolve(NAMESPACE, "l") == v.resolve(NAMESPACE, "t") == (NAMESPACE, "t")
    assert set(v.datasets) == names("t")
    assert data(v, "t").members == names("l", "t")
    assert {name: f.get("n") for name, f in data(v, "t").facets.items()} == {
        "x": "2",
        "y": "1",
        "symlinks": None,
    }


@history(dataset_event(1, "t", symlinks=symlinks(LOCATION="l k")), complete(2, outputs=["l"], inputs=["k"]))
def test_a_table_may_name_its_locations(v: View) -> None:
    assert v.edges == edges("t > j", "j > t")
    assert data(v, "t").members == names("t", "l", "k")


@history(dataset_event(1, "a", symlinks=symlinks(ALIAS="b", VIEW="c")), complete(2, inputs=["a"], outputs=["b"]))
def test_symlinks_of_other_types_join_nothing(v: View) -> None:
    assert v.edges == edges("a > j", "j > b")
    assert set(v.datasets) == names("a", "b", "c")


@history(
    dataset_event(1, "l", symlinks=symlinks(TABLE="t")),
    dataset_event(2, "u", symlinks=symlinks(LOCATION="l m")),
    dataset_event(3, "k", symlinks=symlinks(TABLE="t")),
)
def test_a_location_of_two_tables_is_joined_with_neither_and_both_report_it(v: View) -> None:
    assert {name: d.members for name, d in v.datasets.items()} == {
        (NAMESPACE, "l"): names("l"),
        (NAMESPACE, "t"): names("t", "k"),
        (NAMESPACE, "u"): names("u", "m"),
    }
    assert {name[1] for name, d in v.datasets.items() if d.symlink_conflict} == {"t", "u"}


@history(
    dataset_event(1, "l", symlinks=symlinks(TABLE="t")),
    dataset_event(2, "l", symlinks=symlinks(TABLE="u")),
    dataset_event(3, "m", symlinks=symlinks(TABLE="v")),
    dataset_event(4, "m", symlinks=TOMBSTONE),
)
def test_symlinks_can_be_changed_and_taken_back(v: View) -> None:
    assert {name: d.members for name, d in v.datasets.items()} == {
        (NAMESPACE, "t"): names("t"),
        (NAMESPACE, "u"): names("u", "l"),
        (NAMESPACE, "m"): names("m"),
        (NAMESPACE, "v"): names("v"),
    }
    assert data(v, "v").named_only


@history(
    dataset_event(1, "b", symlinks=symlinks(TABLE="c")),
    dataset_event(2, "a", symlinks=symlinks(TABLE="b")),
    dataset_event(3, "y", symlinks=symlinks(TABLE="x")),
    dataset_event(4, "x", symlinks=symlinks(TABLE="y")),
)
def test_joined_names_are_called_by_the_table_that_is_no_location_else_by_the_least(v: View) -> None:
    assert {name: d.members for name, d in v.datasets.items()} == {
        (NAMESPACE, "c"): names("a", "b", "c"),
        (NAMESPACE, "x"): names("x", "y"),
    }


@history(
    complete(1, inputs=["a"], outputs=[dataset("l", symlinks=symlinks(TABLE="t"), x=facet())]),
    dataset_event(2, "l", lifecycleStateChange=DROP),
)
def test_a_dropped_location_and_its_table_are_one_deleted_dataset(v: View) -> None:
    assert v.edges == edges("a > j")
    assert v.edges_ever() == edges("a > j", "j > t")
    assert set(v.datasets) == names("a", "t")
    assert data(v, "t").deleted
    assert data(v, "t").facets == {}


@history(
    complete(1, outputs=[dataset("l", symlinks=symlinks(TABLE="t"), x=facet(n=1))]),
    dataset_event(2, "m", lifecycleStateChange=lifecycle("RENAME", "l")),
)
def test_a_rename_carries_the_content_of_a_location_but_not_its_symlinks(v: View) -> None:
    assert v.edges == edges("j > m")
    assert data(v, "t").members == names("t", "l")
    assert data(v, "t").deleted
    assert data(v, "m").members == names("m")
    assert data(v, "m").facets["x"]["n"] == "1"


@history(
    complete(1, inputs=[dataset("l", symlinks=symlinks(TABLE="t"))], outputs=["b"]),
    complete(2, run=2, inputs=["l"], outputs=[dataset("b", columnLineage=columns(x="t.p l.q"))]),
)
def test_column_edges_and_their_marks_are_told_of_representatives(v: View) -> None:
    assert v.columns == column_edges("t.p > b.x", "t.q > b.x")
    assert v.edges == edges("t > j", "j > b")


SAME = complete(
    2,
    outputs=[dataset("l", symlinks=symlinks(TABLE="t"), x=facet(of="l")), dataset("t", x=facet(of="t"))],
)


@history(SAME)
def test_of_two_joined_names_in_one_list_the_least_name_counts(v: View) -> None:
    assert data(v, "t").facets["x"]["of"] == "l"
    assert len(data(v, "t").versions) == 1


# Dataset versions


@history(
    complete(1, run=1, outputs=["a"]),
    start(2, run=2, outputs=["a"]),
    complete(5, run=2),
    fail(3, run=3, outputs=["a"]),
    start(4, run=4, outputs=["a"]),
)
def test_each_complete_run_gives_one_version_of_what_it_wrote(v: View) -> None:
    assert [data(v, "a").version_created[key][0] for key in data(v, "a").versions] == [ns(1), ns(5)]


@history(
    start(1, run=1, outputs=[dataset("a", version=version("v0"))]),
    complete(2, run=1, outputs=[dataset("a", version=version("v1"))]),
    complete(3, run=2, inputs=[dataset("a", version=version("v1"))]),
    complete(4, run=3, inputs=[dataset("a", version=version("v2"))]),
    dataset_event(5, "a", version=version("v2")),
    dataset_event(6, "a", version=version("v3")),
    dataset_event(7, "a", version=TOMBSTONE),
    complete(8, run=4, outputs=["a"]),
    complete(9, run=5, outputs=[dataset("a", version=version("v1"))]),
)
def test_versions_are_named_by_version_facets_of_writers_readers_and_dataset_events(v: View) -> None:
    a = data(v, "a")
    assert [key[2:] for key in a.versions[:-1]] == [("version", "v1"), ("version", "v2"), ("version", "v3")]
    assert [a.version_created[key][0] for key in a.versions] == [ns(2), ns(4), ns(6), ns(8)]


@history(
    complete(1, run=1, outputs=["a"]),
    start(2, run=2, inputs=["a"]),
    complete(3, run=3, outputs=["a"]),
    complete(4, run=2, inputs=["a"]),
    complete(5, run=4, inputs=[dataset("a", version=version("v9"))]),
    complete(6, run=5, inputs=["b"]),
)
def test_a_run_reads_the_version_its_facet_names_else_the_current_one_at_its_start(v: View) -> None:
    name = (NAMESPACE, "a")
    first, second, named = data(v, "a").versions
    assert run(v, 2).input_versions == {name: first}
    assert run(v, 4).input_versions == {name: named}
    assert run(v, 5).input_versions == {(NAMESPACE, "b"): None}
    assert second[2:] == ("run", run(v, 3).key)


@history(
    complete(1, run=1, outputs=["b"]),
    complete(2, run=2, outputs=["a"]),
    complete(3, run=3, inputs=["a", "b"]),
    dataset_event(4, "a", lifecycleStateChange=lifecycle("RENAME", "b")),
)
def test_what_a_run_read_before_another_was_renamed_over_it_has_no_version(v: View) -> None:
    [version_of_b] = data(v, "a").versions
    assert version_of_b[2:] == ("run", run(v, 1).key)
    assert run(v, 3).input_versions == {(NAMESPACE, "a"): version_of_b}


@history(
    complete(1, run=1, outputs=["b"]),
    complete(2, run=2, outputs=["a"]),
    complete(3, run=3, inputs=["a"]),
    dataset_event(4, "a", lifecycleStateChange=lifecycle("RENAME", "b")),
)
def test_what_a_run_read_is_not_what_later_has_its_name(v: View) -> None:
    assert run(v, 3).input_versions == {}


@history(
    complete(1, run=1, outputs=["a"]),
    dataset_event(2, "a", lifecycleStateChange=DROP),
    complete(3, run=2, outputs=["a"]),
)
def test_a_version_belongs_to_the_history_that_the_last_cut_opened(v: View) -> None:
    [key] = data(v, "a").versions
    assert key[0] == (NAMESPACE, "a")
    assert key[1] == (ns(2), event_id("default", v.events[1].body))


# Many at once


def test_a_view_is_the_same_for_every_order_and_repetition() -> None:
    events = taken(
        start(1, inputs=["a"], outputs=["b"]),
        complete(2, outputs=[dataset("b", symlinks=symlinks(TABLE="t"))]),
        dataset_event(2, "b", lifecycleStateChange=DROP),
        dataset_event(2, "c", lifecycleStateChange=lifecycle("RENAME", "a")),
        job_event(2, inputs=["c"], outputs=["b"]),
    )
    one = view(events)
    other = view([*reversed(events), *(Taken(e.tenant, 7, e.raw) for e in events)])
    assert (one.edges, one.columns, one.datasets) == (other.edges, other.columns, other.datasets)
    assert [e.known_at for e in other.events] == [0] * 5
