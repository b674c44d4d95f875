"""Quality, volumes, timelines and comparisons say what was sent, in any order, on every database."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from lineage_hub.errors import NotFound
from lineage_hub.model import EVERYTHING, NOW, Moment, Scope
from lineage_hub.query.quality import quality
from lineage_hub.query.queries import Queries
from lineage_hub.query.run_comparison import compare_runs
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.statistics import statistics
from lineage_hub.query.timeline import timeline
from lineage_hub.store.open import LineageStore
from tests.conformance.databases import Databases, Sender, limited_to
from tests.oracle.build import (
    TOMBSTONE,
    Body,
    abort,
    at,
    code,
    complete,
    dataset,
    dataset_event,
    facet,
    fail,
    lifecycle,
    ns,
    parent,
    run_id,
    running,
    schema,
    start,
    version,
)

BEGINNING, END = -(2**63), 2**63 - 1
JOB = {"namespace": "jobs", "name": "j"}


def asked(
    store: LineageStore,
    question: Callable[..., Any],
    *arguments: Any,
    moment: Moment = NOW,
    scope: Scope = EVERYTHING,
) -> Any:
    def ask(snapshot: Snapshot) -> Any:
        return question(snapshot, *arguments)

    with Queries(store).at(scope, moment) as snapshot:
        return ask(snapshot)


def send_shuffled(sender: Sender, events: list[Body], seed: int = 1) -> None:
    """In another order, one transaction for some, and some of them twice."""
    dice = random.Random(seed)
    bodies = [*events, *dice.sample(events, len(events) // 3)]
    dice.shuffle(bodies)
    while bodies:
        sender.send([bodies.pop() for _ in range(min(dice.randrange(1, 4), len(bodies)))])


# Quality


def checked(**results: bool | None) -> Body:
    """`checked(not_null__id=True)` is the assertion not_null on the column id."""
    found: list[Body] = []
    for name, success in results.items():
        assertion, _, column = name.partition("__")
        found.append({"assertion": assertion, "success": success, **({"column": column} if column else {})})
    return facet(assertions=found)


def expected_by(**results: bool) -> Body:
    """As Great Expectations' action has it."""
    parts = {name: name.partition("__")[::2] for name in results}
    return facet(
        assertions=[
            {"expectationType": parts[name][0], "success": success, "columnId": parts[name][1]}
            for name, success in results.items()
        ]
    )


def read_with(name: str, **input_facets: Body) -> Body:
    return {**dataset(name), "inputFacets": input_facets}


def wrote_with(name: str, **output_facets: Body) -> Body:
    return {**dataset(name), "outputFacets": output_facets}


QUALITY: list[Body] = [
    complete(10, run=1, inputs=[read_with("t", dataQualityAssertions=checked(not_null__id=True, rows=True))]),
    # The same facet on two events of a run counts once, as the last has it.
    running(20, run=2, inputs=[read_with("t", dataQualityAssertions=checked(not_null__id=True))]),
    complete(21, run=2, inputs=[read_with("t", dataQualityAssertions=checked(not_null__id=False))]),
    # On the dataset itself, on the written side, in the older spelling, and in an event without a run.
    complete(30, run=3, outputs=[dataset("t", dataQualityAssertions=checked(not_null__id=False, rows=True))]),
    complete(40, run=4, inputs=[read_with("t", greatExpectations_assertions=expected_by(not_null__id=False))]),
    dataset_event(50, "t", dataQualityAssertions=checked(rows=False, unsaid=None)),
    complete(60, run=6, inputs=[read_with("t", dataQualityAssertions=TOMBSTONE)]),
    complete(61, run=7, inputs=[read_with("t", dataQualityAssertions=facet(assertions="none"))]),
    complete(62, run=8, inputs=[read_with("other", dataQualityAssertions=checked(rows=False))]),
]


def test_each_assertion_has_a_series(store: LineageStore, sender: Sender) -> None:
    send_shuffled(sender, QUALITY)
    answer = asked(store, quality, "db", "t", BEGINNING, END, 1_000)
    told = {(one["assertion"], one["column"]): one for one in answer["assertions"]}
    assert list(told) == [("not_null", "id"), ("rows", None), ("unsaid", None)]
    series = told["not_null", "id"]
    assert [(one["at"], one["run"], one["success"]) for one in series["points"]] == [
        (at(10), run_id(1), True),
        (at(21), run_id(2), False),
        (at(30), run_id(3), False),
        (at(40), run_id(4), False),
    ]
    assert series["points"][0]["job"] == JOB
    assert (series["checks"], series["failures"], series["successRate"]) == (4, 3, 0.25)
    assert (series["success"], series["failingSince"]) == (False, at(21))
    rows = told["rows", None]
    assert [(one["at"], one["success"]) for one in rows["points"]] == [(at(10), True), (at(30), True), (at(50), False)]
    assert (rows["points"][2]["run"], rows["points"][2]["job"]) == (None, None)
    assert (rows["successRate"], rows["failingSince"]) == (2 / 3, at(50))
    unsaid = told["unsaid", None]
    assert (unsaid["checks"], unsaid["successRate"], unsaid["success"]) == (0, None, None)
    assert (answer["eventsLookedAt"], answer["truncated"]) == (8, False)


def test_quality_is_asked_of_a_stretch_and_of_a_moment(store: LineageStore, sender: Sender) -> None:
    send_shuffled(sender, QUALITY)

    def failing(since: int, until: int, limit: int = 1_000, moment: Moment = NOW) -> tuple[int, str | None, bool]:
        answer = asked(store, quality, "db", "t", since, until, limit, moment=moment)
        series = next(one for one in answer["assertions"] if one["assertion"] == "not_null")
        return series["checks"], series["failingSince"], answer["truncated"]

    assert failing(ns(21), ns(40)) == (2, at(21), False)
    assert failing(BEGINNING, END, moment=Moment(as_of=ns(20))) == (2, None, False), "the second run was still fine"
    assert failing(BEGINNING, END, limit=5) == (2, at(30), True), "of the last five events two have it"


def test_an_assertion_of_several_arguments_holds_if_all_do(store: LineageStore, sender: Sender) -> None:
    twice = facet(
        assertions=[
            {"assertion": "between", "column": "x", "success": True, "expected": "0..9", "actual": "3"},
            {"assertion": "between", "column": "x", "success": False, "expected": "0..2", "actual": 3},
            {"assertion": "between", "column": "x", "success": "perhaps"},
            "nonsense",
        ]
    )
    sender.send([complete(1, inputs=[read_with("t", dataQualityAssertions=twice)])])
    (series,) = asked(store, quality, "db", "t", BEGINNING, END, 10)["assertions"]
    (point,) = series["points"]
    assert (point["success"], point["expected"], point["actual"]) == (False, "0..2", "3")


def test_what_was_measured_of_columns_is_told_run_by_run(store: LineageStore, sender: Sender) -> None:
    measured = facet(rowCount=5, bytes=100, columnMetrics={"id": {"nullCount": 1, "min": 1.5}, "bad": "nonsense"})
    older = facet(rowCount=6, columnMetrics={"id": {"distinctCount": 4}})
    send_shuffled(sender, [
        complete(1, run=1, outputs=[dataset("t", dataQualityMetrics=measured)]),
        complete(2, run=2, inputs=[read_with("t", dataQuality=older)]),
        complete(3, run=3, inputs=[read_with("t", dataQuality=older, dataQualityMetrics=facet(rowCount=7))]),
    ])  # fmt: skip
    metrics = asked(store, quality, "db", "t", BEGINNING, END, 10)["metrics"]
    assert [(one["at"], one["rowCount"], one["bytes"], one["columns"]) for one in metrics] == [
        (at(1), 5, 100, {"bad": {}, "id": {"nullCount": 1, "min": 1.5}}),
        (at(2), 6, None, {"id": {"distinctCount": 4}}),
        (at(3), 7, None, {"id": {"distinctCount": 4}}),
    ]


# Statistics


def counted(rows: int | None = None, size: int | None = None) -> Body:
    given = {"rowCount": rows, "size": size}
    return facet(**{name: value for name, value in given.items() if value is not None})


VOLUMES: list[Body] = [
    running(1, run=1, outputs=[wrote_with("t", outputStatistics=counted(1, 10))]),
    complete(2, run=1, outputs=[wrote_with("t", outputStatistics=counted(5, 50))]),
    complete(3, run=2, job="k", inputs=[read_with("t", inputStatistics=counted(4))]),
    complete(4, run=3, outputs=[wrote_with("t", outputStatistics=counted(9))]),
    complete(5, run=4, outputs=["t"]),
    complete(6, run=5, outputs=[wrote_with("t", outputStatistics=facet(rowCount="many"))]),
]


def test_how_much_was_read_and_written_is_told_run_by_run(store: LineageStore, sender: Sender) -> None:
    send_shuffled(sender, VOLUMES)
    answer = asked(store, statistics, "db", "t", BEGINNING, END, 100)
    assert [(one["at"], one["run"], one["rowCount"], one["size"]) for one in answer["written"]["points"]] == [
        (at(2), run_id(1), 5, 50),
        (at(4), run_id(3), 9, None),
    ]
    assert answer["written"]["median"] == {"rowCount": 7, "size": 50, "fileCount": None}
    (read,) = answer["read"]["points"]
    assert (read["run"], read["job"]["name"], read["rowCount"]) == (run_id(2), "k", 4)
    past = asked(store, statistics, "db", "t", BEGINNING, END, 100, moment=Moment(as_of=ns(1)))
    assert [one["rowCount"] for one in past["written"]["points"]] == [1]


def test_a_history_follows_a_rename_and_ends_with_a_drop(store: LineageStore, sender: Sender) -> None:
    send_shuffled(sender, VOLUMES)
    sender.send([dataset_event(7, "u", lifecycleStateChange=lifecycle("RENAME", "t"))])
    answer = asked(store, statistics, "db", "u", BEGINNING, END, 100)
    assert [one["rowCount"] for one in answer["written"]["points"]] == [5, 9]
    assert asked(store, statistics, "db", "t", BEGINNING, END, 100)["written"]["points"] == []
    sender.send([dataset_event(8, "u", lifecycleStateChange=lifecycle("DROP"))])
    assert asked(store, statistics, "db", "u", BEGINNING, END, 100)["written"]["points"] == []


# Timeline

RUNS: list[Body] = [
    *(start(100 * number, run=number) for number in range(1, 7)),
    *(
        complete(100 * number + took, run=number, outputs=[wrote_with("t", outputStatistics=counted(number, 7))])
        for number, took in ((1, 10), (2, 20), (3, 30), (4, 40))
    ),
    fail(570, run=5, inputs=[read_with("t", inputStatistics=counted(3)), read_with("u", inputStatistics=counted(4))]),
    # Long after the others, and still at work.
    start(2000, run=9),
]


def test_a_timeline_shows_runs_with_what_is_usual(store: LineageStore, sender: Sender) -> None:
    send_shuffled(sender, RUNS)
    answer = asked(store, timeline, "jobs", "j", BEGINNING, END, 100, 0)
    assert (answer["job"], answer["totalCount"]) == (JOB, 7)
    assert [one["id"] for one in answer["runs"]] == [run_id(number) for number in (9, 6, 5, 4, 3, 2, 1)]
    # Of 10, 20, 30 and 40 seconds: the middle is 25, and 0.95 of the way from the first to the last lies at 38.5.
    assert answer["durations"] == {"runs": 4, "p50Ms": 25_000.0, "p95Ms": 38_500.0}
    last, sixth, fifth, fourth, *_, first = answer["runs"]
    assert (last["state"], last["durationMs"], last["gapBeforeS"]) == ("RUNNING", None, None)
    assert (sixth["gapBeforeS"], sixth["longerThanUsual"]) == (30.0, None)
    assert (fifth["state"], fifth["durationMs"], fifth["longerThanUsual"]) == ("FAILED", 70_000, True)
    assert (fifth["rowsRead"], fifth["rowsWritten"]) == (7, None)
    assert (fourth["longerThanUsual"], fourth["rowsWritten"], fourth["bytesWritten"]) == (True, 4, 7)
    assert (first["startedAt"], first["endedAt"], first["gapBeforeS"]) == (at(100), at(110), None)
    assert answer["gaps"]["p50S"] == 100.0
    assert answer["gaps"]["long"] == [{"from": at(600), "to": at(2000), "seconds": 1400.0}]


def test_a_timeline_is_paged_and_bounded(store: LineageStore, sender: Sender) -> None:
    send_shuffled(sender, RUNS)

    def ids(since: int, until: int, limit: int = 100, offset: int = 0, moment: Moment = NOW) -> list[str]:
        answer = asked(store, timeline, "jobs", "j", since, until, limit, offset, moment=moment)
        return [one["id"] for one in answer["runs"]]

    assert ids(BEGINNING, END, 2, 1) == [run_id(6), run_id(5)]
    assert ids(BEGINNING, END, 2, 7) == ids(ns(5000), END) == []
    assert ids(ns(200), ns(400)) == [run_id(3), run_id(2)]
    assert ids(BEGINNING, END, moment=Moment(as_of=ns(250))) == [run_id(2), run_id(1)]
    page = asked(store, timeline, "jobs", "j", BEGINNING, END, 1, 4)
    assert page["runs"][0]["gapBeforeS"] == 80.0, "the run before it is on the next page"
    assert page["totalCount"] == 7


# Comparison

A = [
    start(0, run=1, job_facets={"sql": facet(query="select a\nfrom t"), **code("git://x", "1")}),
    complete(
        10,
        run=1,
        inputs=[{**dataset("same"), "inputFacets": {"inputStatistics": counted(100, 1000)}}, "gone"],
        outputs=[
            {
                **dataset("out", schema=schema("x", "y"), version=version("v1")),
                "outputFacets": {"outputStatistics": counted(50, 500)},
            }
        ],
        run_facets={
            "spark": facet(conf={"cores": 2, "name": "a"}, list=[1, 2]),
            "old": facet(value=1),
            "kept": facet(v=1),
        },
    ),
]
B = [
    start(100, run=2, job_facets={"sql": facet(query="select a, b\nfrom t  "), **code("git://x", "2")}),
    complete(
        130,
        run=2,
        inputs=[{**dataset("same"), "inputFacets": {"inputStatistics": counted(100, 1000)}}, "come"],
        outputs=[
            {
                **dataset("out", schema=schema("x", "y", "z"), version=version("v2")),
                "outputFacets": {"outputStatistics": counted(75, 500)},
            }
        ],
        run_facets={
            "spark": facet(conf={"cores": 4, "name": "a"}, list=[1]),
            "new": facet(value=2),
            "kept": {**facet(v=1), "_producer": "https://example.org/another"},
        },
    ),
]


def test_two_runs_are_compared_part_by_part(store: LineageStore, sender: Sender) -> None:
    send_shuffled(sender, [*A, *B])
    answer = asked(store, compare_runs, run_id(1), run_id(2))
    assert (answer["a"]["id"], answer["b"]["job"], answer["sameJob"]) == (run_id(1), JOB, True)
    assert answer["state"] == {"a": "COMPLETED", "b": "COMPLETED", "equal": True}
    assert answer["durationMs"] == {"a": 10_000, "b": 30_000, "equal": False, "difference": 20_000, "ratio": 3.0}
    assert answer["volume"]["rowsWritten"] == {"a": 50, "b": 75, "equal": False, "difference": 25, "ratio": 1.5}
    assert answer["volume"]["bytesRead"]["equal"] is True
    assert answer["inputs"] == {
        "added": [{"namespace": "db", "name": "come"}],
        "removed": [{"namespace": "db", "name": "gone"}],
        "changed": [],
        "equal": 1,
    }
    (out,) = answer["outputs"]["changed"]
    assert out["dataset"]["name"] == "out"
    assert out["schema"]["added"] == [{"name": "z", "type": "VARCHAR"}]
    assert (out["version"]["a"], out["version"]["b"]) == ("v1", "v2")
    assert (out["rowCount"]["difference"], "size" in out, "facets" in out) == (25, False, False)
    (location,) = answer["code"]["changed"]
    assert location["differences"] == [{"kind": "changed", "path": "version", "a": "1", "b": "2"}]
    assert (answer["sql"]["equal"], answer["sql"]["diff"][-3:]) == (False, ["-select a", "+select a, b", " from t"])
    assert [one["facet"] for one in answer["runFacets"]["added"]] == ["new"]
    assert [one["facet"] for one in answer["runFacets"]["removed"]] == ["old"]
    assert answer["runFacets"]["equal"] == 1, "who says it is no part of what it says"
    (spark,) = answer["runFacets"]["changed"]
    assert spark["differences"] == [
        {"kind": "changed", "path": "conf.cores", "a": 2, "b": 4},
        {"kind": "removed", "path": "list[1]", "a": 2, "b": None},
    ]
    assert (spark["equal"], spark["hidden"]) == (2, 0)


def test_a_run_compared_with_itself_has_no_difference(store: LineageStore, sender: Sender) -> None:
    sender.send(A)
    answer = asked(store, compare_runs, run_id(1), run_id(1))
    assert answer["durationMs"]["difference"] == 0
    for part in ("inputs", "outputs", "code", "runFacets", "jobFacets"):
        assert (answer[part]["added"], answer[part]["removed"], answer[part]["changed"]) == ([], [], [])
    assert (answer["sql"]["equal"], answer["outputs"]["equal"], answer["inputs"]["equal"]) == (True, 1, 2)


def test_runs_of_different_jobs_may_be_compared_too(store: LineageStore, sender: Sender) -> None:
    sender.send([*A, abort(5, run=7, job="k", run_facets={"parent": parent("dag")})])
    answer = asked(store, compare_runs, run_id(7), run_id(1))
    assert (answer["sameJob"], answer["state"]["a"], answer["durationMs"]["ratio"]) == (False, "ABORTED", None)
    with pytest.raises(NotFound):
        asked(store, compare_runs, run_id(1), "nobody")
    with pytest.raises(NotFound):
        asked(store, compare_runs, run_id(1), run_id(7), moment=Moment(as_of=ns(4)))


def test_values_that_no_machine_has_are_compared_as_written(store: LineageStore, sender: Sender) -> None:
    raw = b'{"eventType":"COMPLETE","eventTime":"%s","producer":"p","run":{"runId":"%s","facets":{"f":{"v":%s}}},'
    raw += b'"job":{"namespace":"jobs","name":"j"}}'
    deep = b"[" * 200 + b"1" + b"]" * 200
    outcomes = sender.send([
        raw % (at(1).encode(), b"r1", b"1e400"), raw % (at(2).encode(), b"r2", b"2e400"),
        raw % (at(3).encode(), b"r3", deep), raw % (at(4).encode(), b"r4", deep.replace(b"1", b"1" * 30)),
    ])  # fmt: skip
    assert all(outcome.error is None for outcome in outcomes)
    for one, other in (("r1", "r2"), ("r3", "r4"), ("r1", "r4")):
        (changed,) = asked(store, compare_runs, one, other)["runFacets"]["changed"]
        assert len(changed["differences"]) == 1
    assert asked(store, compare_runs, "r3", "r3")["runFacets"]["equal"] == 1


def test_a_repeated_member_counts_as_its_last_value(store: LineageStore, sender: Sender) -> None:
    """Spark's listener sends such; whatever type an earlier value has."""
    told = b'{"eventType":"COMPLETE","eventTime":"%s","producer":"p","run":{"runId":"%s"},'
    told += b'"job":{"namespace":"jobs","name":"j"},"outputs":[{"namespace":"db","name":"t","facets":'
    told += b'{"dataQualityAssertions":{"assertions":1,"assertions":[{"assertion":2,"assertion":"ok","success":true}]},'
    told += b'"schema":{"fields":"none","fields":[{"name":1,"name":"%s","type":"int"}]}},'
    told += b'"outputFacets":{"outputStatistics":{"rowCount":"x","rowCount":7}}}]}'
    sender.send([told % (at(1).encode(), b"r1", b"a"), told % (at(2).encode(), b"r2", b"b")])
    (series,) = asked(store, quality, "db", "t", BEGINNING, END, 10)["assertions"]
    assert (series["assertion"], series["checks"]) == ("ok", 2)
    volumes = asked(store, statistics, "db", "t", BEGINNING, END, 10)["written"]["points"]
    assert [one["rowCount"] for one in volumes] == [7, 7]
    compared = asked(store, compare_runs, "r1", "r2")
    assert compared["volume"]["rowsWritten"]["a"] == 7
    assert compared["outputs"]["changed"][0]["schema"]["likelyRenamed"][0]["to"] == "b"


QUESTIONS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "quality": (quality, ("db", "t", BEGINNING, END, 100)),
    "statistics": (statistics, ("db", "t", BEGINNING, END, 100)),
    "timeline": (timeline, ("jobs", "j", BEGINNING, END, 100, 0)),
    "comparison": (compare_runs, (run_id(1), run_id(2))),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_any_order_gives_the_same_answer_and_a_scope_sees_its_own(databases: Databases, name: str) -> None:
    question, arguments = QUESTIONS[name]
    events = [*QUALITY, *VOLUMES, *RUNS]
    stores = [databases.new().sender() for _ in range(2)]
    for seed, sender in enumerate(stores):
        send_shuffled(sender, events, seed)
    one, two = (asked(sender.store, question, *arguments) for sender in stores)
    assert one == two
    stores[0].send([complete(99_999, run=77, outputs=["t"])], "team-b")
    with pytest.raises(NotFound):
        asked(stores[0].store, question, *arguments, scope=limited_to("team-c"))
