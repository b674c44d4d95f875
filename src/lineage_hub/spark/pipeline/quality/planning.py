"""A stage's rules enter with its frame; what to observe while the rows pass, and which rows go on, leave as a plan.

Nothing runs here but `later`. The executor observes `measures` on the stage's frame, hands on `keep`, asks for `later`
when the rows have passed, and for `results`; `rejects` is for the quarantine, when the results say that there are any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf
from pyspark.sql.types import DateType, TimestampNTZType, TimestampType

from lineage_hub.errors import InternalError, InvalidStage
from lineage_hub.spark.pipeline.columns import column, quoted, spelled, type_of
from lineage_hub.spark.pipeline.definition import Freshness, Rule
from lineage_hub.spark.pipeline.explained import SparkError, explained
from lineage_hub.spark.pipeline.quality.results import RuleResult, judged, name_of
from lineage_hub.spark.pipeline.quality.row_rules import Measure, RowRule, counted, row_rule
from lineage_hub.spark.pipeline.quality.set_rules import SetRule, counts, flagged, set_rule

_REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class _Planned:
    """A rule and how it is judged: by row, by set, or by the measures of all rows together."""

    number: int
    rule: Rule
    columns: tuple[str, ...]
    row: RowRule | None = None
    set: SetRule | None = None
    measures: Mapping[str, Measure] | None = None

    @property
    def quarantines(self) -> bool:
        return self.rule.severity == "quarantine"


class RulePlan:
    """What the rules of one stage want. Every frame that its functions take is the stage's, before `keep`."""

    def __init__(self, rules: Sequence[_Planned]) -> None:
        self._rules = rules
        self._rows = [one for one in rules if one.row is not None and one.quarantines]
        self._sets = [one.set for one in rules if one.set is not None]
        self._rejecting = [one.set for one in rules if one.set is not None and one.quarantines]
        self.measures: dict[str, Column] = dict(self._measures())

    @property
    def later_on_kept(self) -> bool:
        """Whether `later` says the same of the rows that were kept, as when they are read back from where they went."""
        return not self._rejecting

    @property
    def reorders(self) -> bool:
        """Whether `keep` joins, which leaves rows in no order."""
        return bool(self._rejecting)

    @property
    def _broken(self) -> Column:
        """True of a row that a rule about single rows takes out."""
        return reduce(or_, (one.row.broken for one in self._rows if one.row is not None), sf.lit(False))

    def _measures(self) -> Mapping[str, Column]:
        found = {"rows": sf.count(sf.lit(1))}
        if self._rows:
            found["kept"] = counted(~self._broken)
        for one in self._rules:
            wanted = one.row.measures if one.row is not None else one.measures or {}
            every_row = one.quarantines or not self._rows
            for name, (aggregate, value) in wanted.items():
                found[f"r{one.number}_{name}"] = aggregate(value if every_row else sf.when(~self._broken, value))
        return found

    def keep(self, frame: DataFrame) -> DataFrame:
        """Without the rows that rules of severity quarantine reject."""
        if self._rows:
            frame = frame.filter(~self._broken)
        if not self._rejecting:
            return frame
        flags = [rule.flag for rule in self._rejecting]
        return flagged(frame, self._rejecting).filter(~reduce(or_, map(column, flags))).drop(*flags)

    def rejects(self, frame: DataFrame) -> DataFrame:
        """The rows that `keep` leaves out: `record` as JSON, `rules` by name, and the `reason` of each."""
        record = sf.to_json(sf.struct(*map(column, frame.columns)), {"ignoreNullFields": "false"}).alias("record")
        parts = []
        if self._rows:
            by_row = [(one, one.row.broken, one.row.reason) for one in self._rows if one.row is not None]
            parts.append(frame.filter(self._broken).select(record, *_reasons(by_row)))
        if self._rejecting:
            rest = frame.filter(~self._broken) if self._rows else frame
            by_set = [
                (one, column(one.set.flag), one.set.reason)
                for one in self._rules
                if one.set is not None and one.quarantines
            ]
            any_flag = reduce(or_, (broken for _, broken, _ in by_set))
            parts.append(flagged(rest, self._rejecting).filter(any_flag).select(record, *_reasons(by_set)))
        if not parts:
            return frame.filter(sf.lit(False)).select(record, *_reasons([]))
        return reduce(DataFrame.union, parts)

    def later(self, frame: DataFrame, *, twice: bool = False) -> dict[str, int] | None:
        """What `unique` and `referential` need counted, from one pass over the frame. `twice` is whether a second one
        is cheap: then the first may be quicker, and a second only be needed where keys repeat.
        """
        if not self._sets:
            return None
        rest = frame.filter(~self._broken) if self._rows else frame
        found = counts(rest, self._sets, twice=twice)
        if len(self._rejecting) > 1:
            # A row may break several, and the counts of each don't say how many rows that makes.
            any_flag = reduce(or_, (column(rule.flag) for rule in self._rejecting))
            total = flagged(rest, self._rejecting).agg(counted(any_flag).alias(_REJECTED)).first()
            found[_REJECTED] = total[_REJECTED] if total is not None else 0
        return found

    def results(
        self,
        observed: Mapping[str, Any],
        later: Mapping[str, Any] | None,
        previous_rows: int | None,
        now: datetime,
    ) -> list[RuleResult]:
        """`later` is what `later` gave; `previous_rows` are those that the run before gave."""
        measured = {**observed, **(later or {})}
        self._check_complete(measured)
        rows = measured["rows"]
        judging = measured.get("kept", rows)
        kept = judging - self._rejected_by_sets(measured)
        found = []
        for one in self._rules:
            prefix = f"r{one.number}_"
            own = {name.removeprefix(prefix): value for name, value in measured.items() if name.startswith(prefix)}
            checked = rows if one.row is not None and one.quarantines else judging
            if one.row is None and one.set is None:
                checked = kept
            found.append(judged(one.rule, one.columns, checked, own, previous_rows, now))
        return found

    def rejected(self, observed: Mapping[str, Any], later: Mapping[str, Any] | None) -> int:
        """How many rows `keep` left out."""
        measured = {**observed, **(later or {})}
        self._check_complete(measured)
        rows = int(measured["rows"])
        return rows - int(measured.get("kept", rows)) + self._rejected_by_sets(measured)

    def _check_complete(self, measured: Mapping[str, Any]) -> None:
        """What wasn't measured must not count as right."""
        wanted = [*self.measures, *(name for rule in self._sets for name in rule.answers)]
        wanted += [_REJECTED] if len(self._rejecting) > 1 else []
        lost = [name for name in wanted if name not in measured]
        if lost:
            raise InternalError(
                f"{', '.join(lost)} was not measured, so the rules can't be judged",
                subject=lost[0],
                action="report it with the pipeline's definition",
            )

    def _rejected_by_sets(self, measured: Mapping[str, Any]) -> int:
        if not self._rejecting:
            return 0
        name = _REJECTED if len(self._rejecting) > 1 else f"r{self._rejecting[0].number}_broken"
        return int(measured[name])


def _reasons(broken: Sequence[tuple[_Planned, Column, Column]]) -> list[Column]:
    """Names of the rules that a row breaks, and why, as two columns."""
    names = [sf.when(is_broken, sf.lit(name_of(one.rule))) for one, is_broken, _ in broken]
    why = [sf.when(is_broken, reason) for _, is_broken, reason in broken]
    every = sf.array(*names).cast("array<string>")
    return [sf.filter(every, lambda name: name.isNotNull()).alias("rules"), sf.concat_ws("; ", *why).alias("reason")]


def plan_rules(stage: str, rules: Sequence[Rule], frame: DataFrame, others: Mapping[str, DataFrame]) -> RulePlan:
    """A rule that doesn't fit the frame is an error now, before any job. `others` are the stages that rules look up,
    besides the stage itself.
    """
    if not rules:
        return RulePlan(())
    planned, others = [], {**others, stage: frame}
    for number, rule in enumerate(rules):
        try:
            planned.append(_planned(number, rule, frame, others))
        except InvalidStage as error:
            raise _of_rule(rule, error) from error.__cause__
        except SparkError as error:
            raise _of_rule(rule, explained(error, frame.columns)) from error
    plan = RulePlan(planned)
    try:
        _try_measures(plan, stage, frame)
    except SparkError:
        for one in planned:
            try:
                _try_measures(RulePlan([one]), stage, frame)
            except SparkError as error:
                raise _of_rule(one.rule, explained(error, frame.columns)) from error
        raise
    return plan


def _try_measures(plan: RulePlan, stage: str, frame: DataFrame) -> None:
    """Spark refuses here what no row can answer: aggregates, windows, subqueries."""
    frame.observe(stage, *(measure.alias(name) for name, measure in plan.measures.items()))


def _of_rule(rule: Rule, error: InvalidStage) -> InvalidStage:
    return InvalidStage(f"rule {name_of(rule)}: {error.message}", subject=error.subject, action=error.action)


def _planned(number: int, rule: Rule, frame: DataFrame, others: Mapping[str, DataFrame]) -> _Planned:
    by_row = row_rule(rule, frame)
    if by_row is not None:
        return _Planned(number, rule, by_row.columns, row=by_row)
    by_set = set_rule(number, rule, frame, others)
    if by_set is not None:
        return _Planned(number, rule, by_set.columns, set=by_set)
    if rule.freshness is not None:
        return _freshness(number, rule, rule.freshness, frame)
    return _Planned(number, rule, ())


def _freshness(number: int, rule: Rule, given: Freshness, frame: DataFrame) -> _Planned:
    (name,) = spelled(frame, [given.column])
    kind = type_of(frame, name)
    if not isinstance(kind, DateType | TimestampType | TimestampNTZType):
        raise InvalidStage(
            f"{quoted(name)} is {kind.simpleString().upper()}, not a date or a time",
            subject=name,
            action="cast it to timestamp in an earlier step",
        )
    return _Planned(number, rule, (name,), measures={"latest": (_latest, column(name))})


def _latest(value: Column) -> Column:
    """In microseconds since 1970: a time that Python gets from Spark would be in the driver's own time zone."""
    return sf.unix_micros(sf.max(value).cast("timestamp"))
