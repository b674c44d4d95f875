"""Why a run failed: what is otherwise than at its last success, upstream and in itself."""

from __future__ import annotations

from dataclasses import replace

from lineage_hub.lineage.causes import Run
from tests.lineage.causes.days import HOUR, MINUTE, asked, daily, kinds, late, stages, use

SCHEMA = {"id": "bigint", "amount": "decimal(10,2)", "note": "string"}


def failed(run: Run, error: str | None = None, **more: object) -> Run:
    assert run.ended_at is not None
    return replace(run, state="FAILED", ended_at=run.started_at + 60, outputs=(), error=error, **more)  # type: ignore[arg-type]


def last_failed(runs: list[Run], error: str | None = None, **more: object) -> list[Run]:
    return [*runs[:-1], failed(runs[-1], error, **more)]


def report(**more: object) -> list[Run]:
    return last_failed(daily("report", 2 * HOUR, 20 * MINUTE, ("feed",)), **more)  # type: ignore[arg-type]


def feed_with(schema: dict[str, str], before: dict[str, str] = SCHEMA) -> list[Run]:
    runs = daily("feed", HOUR, 20 * MINUTE, outputs=(use("feed", **before),))
    return [*runs[:-1], replace(runs[-1], outputs=(use("feed", **schema),))]


def test_without_a_message_or_a_change_it_is_unknown() -> None:
    answer = asked(daily("feed", HOUR, 20 * MINUTE), report())
    assert kinds(answer) == ["unknown"]
    assert answer.causes[0].score == 1


def test_an_error_of_its_own_is_told() -> None:
    answer = asked(daily("feed", HOUR, 20 * MINUTE), report(error="ValueError: bad date"))
    assert kinds(answer)[0] == "own_error"
    assert answer.causes[0].evidence.messages == ("ValueError: bad date",)


def test_an_error_that_names_itself_leaves_little_unknown_where_nothing_else_changed() -> None:
    own, unknown = asked(daily("feed", HOUR, 20 * MINUTE), report(error="ValueError: bad date")).causes
    assert (own.kind, unknown.kind) == ("own_error", "unknown")
    assert own.score > 0.8
    assert unknown.score < 0.2


def test_an_error_that_says_only_that_there_was_one_is_less_certain() -> None:
    for empty in ("Task failed with exit code 1", "Error", "the job has failed; see the logs for details"):
        own, unknown = asked(daily("feed", HOUR, 20 * MINUTE), report(error=empty)).causes
        assert (own.kind, unknown.kind) == ("own_error", "unknown")
        assert unknown.score > 0.4


def test_the_first_that_failed_upstream_is_the_origin() -> None:
    first = last_failed(daily("first", 0.5 * HOUR, 20 * MINUTE), "disk gone")
    feed = last_failed(daily("feed", HOUR, 20 * MINUTE, ("first",)), "no input")
    cause = asked(first, feed, report(error="no input")).causes[0]
    assert (cause.kind, cause.subject) == ("failed_dependency", f"run:{first[-1].id}")
    assert cause.evidence.runs == ("report-20", "feed-20", "first-20")
    assert cause.because[0].kind == "own_error"


def test_a_run_that_did_not_take_place_is_a_failed_dependency() -> None:
    cause = asked(daily("feed", HOUR, 20 * MINUTE)[:-1], report(error="no input")).causes[0]
    assert (cause.kind, cause.subject) == ("failed_dependency", "job:shop:feed")
    assert "did not run" in cause.sentence


def test_what_failed_upstream_but_was_well_again_is_no_cause() -> None:
    feed = daily("feed", HOUR, 20 * MINUTE)
    attempt = replace(failed(feed[-1], "reset"), id="first try")
    answer = asked([*feed[:-1], attempt, late(feed[-1], begins=5 * MINUTE)], report())
    assert kinds(answer) == ["unknown"]


def test_a_feed_that_used_to_fail_without_harm_is_a_weaker_cause() -> None:
    feed = [failed(run) if day % 2 else run for day, run in enumerate(daily("feed", HOUR, 20 * MINUTE, days=22))]
    often = asked(feed, last_failed(daily("report", 2 * HOUR, 20 * MINUTE, ("feed",), days=22)))
    once = asked(last_failed(daily("feed", HOUR, 20 * MINUTE)), report())
    assert kinds(often)[0] == "unknown"
    assert kinds(once)[0] == "failed_dependency"


def test_a_feed_that_had_not_ended_yet_was_late() -> None:
    feed = daily("feed", HOUR, 20 * MINUTE)
    cause = asked([*feed[:-1], late(feed[-1], lasts=3 * HOUR)], report(error="no input")).causes[0]
    assert (cause.kind, cause.subject) == ("late_upstream", f"run:{feed[-1].id}")


def test_a_column_that_is_gone_or_of_another_type_breaks_its_reader() -> None:
    for changed in ({"id": "bigint", "note": "string"}, SCHEMA | {"amount": "string"}):
        cause = asked(feed_with(changed), report(error="cannot resolve amount")).causes[0]
        assert (cause.kind, cause.subject) == ("schema_change", "dataset:shop:feed")
        assert "the error names amount" in cause.sentence
        assert cause.score > 0.9


def test_a_column_that_nobody_reads_breaks_none() -> None:
    feed = feed_with({"id": "bigint", "amount": "decimal(10,2)"})
    runs = last_failed(daily("report", 2 * HOUR, 20 * MINUTE, inputs=(use("feed", columns="id amount"),)))
    assert kinds(asked(feed, runs)) == ["unknown"]


def test_a_column_that_is_new_or_wider_is_not_enough() -> None:
    for changed in (SCHEMA | {"more": "string"},):
        assert kinds(asked(feed_with(changed), report()))[0] == "unknown"
    wider = feed_with(SCHEMA | {"id": "bigint"}, SCHEMA | {"id": "int"})
    assert kinds(asked(wider, report()))[0] == "unknown"


def test_a_change_that_came_from_further_up_is_told_from_where_it_began() -> None:
    without = {"id": "bigint", "note": "string"}
    first = daily("first", 0.5 * HOUR, 20 * MINUTE, outputs=(use("first", **SCHEMA),))
    first[-1] = replace(first[-1], outputs=(use("first", **without),))
    feed = daily("feed", HOUR, 20 * MINUTE, ("first",), outputs=(use("feed", **SCHEMA),))
    feed[-1] = replace(feed[-1], outputs=(use("feed", **without),))
    cause = asked(first, feed, report()).causes[0]
    assert cause.subject == "dataset:shop:first"
    assert cause.evidence.datasets == (("shop", "feed"), ("shop", "first"))


def test_a_schema_that_changed_before_the_last_success_is_no_cause() -> None:
    feed = feed_with(SCHEMA)
    feed[:10] = [replace(run, outputs=(use("feed", **SCHEMA, old="string"),)) for run in feed[:10]]
    assert kinds(asked(feed, report())) == ["unknown"]


def test_new_code_comes_before_the_error_that_it_made() -> None:
    runs = last_failed(daily("report", 2 * HOUR, 20 * MINUTE, code="v1"), "KeyError: 'x'", code="v2")
    assert kinds(asked(runs))[:2] == ["code_change", "own_error"]


def test_out_of_memory_with_more_data_is_for_the_data() -> None:
    runs = daily("load", HOUR, 20 * MINUTE, inputs=(use("raw", 1_000),))
    out = "java.lang.OutOfMemoryError: Java heap space"
    assert kinds(asked(last_failed(runs, out)))[0] == "resources"
    assert kinds(asked(last_failed(runs, out, inputs=(use("raw", 9_000),))))[:2] == ["more_data", "resources"]


def test_a_time_out_is_for_the_stage_that_took_it() -> None:
    parts = {"scan": (0.0, 600.0), "join": (600.0, 600.0), "write": (1_200.0, 300.0)}
    runs = daily("load", HOUR, 1_500, stages=parts)
    slow = stages(runs[-1].started_at, {"scan": (0, 600), "join": (600, 7_000)})
    ended = runs[-1].started_at + 7_600
    runs[-1] = replace(runs[-1], state="FAILED", ended_at=ended, error="TimeoutError: timed out", stages=slow)
    assert kinds(asked(runs))[:2] == ["slow_stage", "own_error"]


def test_an_error_without_a_word_is_no_error() -> None:
    answer = asked(daily("feed", HOUR, 20 * MINUTE), report(error=" \n\t"))
    assert kinds(answer) == ["unknown"]
