"""`unique` and `referential` enter: rules that no row can answer alone; what one query counts for all of them leaves.

The keys of each lookup are joined to the rows, by broadcast where they are few, and mark what leads nowhere; the rows
are then counted by the keys that must be unique. So the frame is read once, in its key columns only, and shuffled
once. Rows with a null in their key pass.

Whole numbers are counted 64 to a group, each a bit of it: numbers that lie close together, as those of a sequence do,
then need a fraction of the groups, and others as many as before. Bits tell how many keys there are, not how often each
is there: only where there are more rows than keys a second query counts those by their keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf
from pyspark.sql.types import DataType, DateType, IntegralType, NumericType, TimestampNTZType, TimestampType

from lineage_hub.errors import InvalidStage
from lineage_hub.spark.pipeline.columns import TEXT, column, nearest, quoted, spelled, type_of
from lineage_hub.spark.pipeline.definition import Referential, Rule

_RULE, _ROWS, _BIT = "rule", "rows", "bit"
# A group of whole numbers that differ in their last six bits only is one number of 64 bits.
_LAST_BITS = 6
# Types of one family can be compared without a guess.
_FAMILIES: tuple[tuple[type[DataType], ...], ...] = (TEXT, (NumericType,), (DateType, TimestampType, TimestampNTZType))


@dataclass(frozen=True, slots=True)
class Lookup:
    """A column of another stage, or of the rows themselves, which have no frame of their own here."""

    stage: str
    column: str
    frame: DataFrame | None


@dataclass(frozen=True, slots=True)
class SetRule:
    """`number` is its place among the stage's rules; with a lookup it is referential, else unique. `packed` is the
    column of the key whose values are bits of a group, if there is one.
    """

    number: int
    columns: tuple[str, ...]
    lookup: Lookup | None = None
    packed: str | None = None

    @property
    def slots(self) -> list[str]:
        """Where its key stands among the keys of all."""
        return [f"key_{self.number}_{at}" for at in range(len(self.columns))]

    @property
    def flag(self) -> str:
        return f"lineage-hub rule {self.number}"

    @property
    def answers(self) -> list[str]:
        """What `counts` calls that which it says of the rule."""
        return [f"r{self.number}_broken", *([] if self.lookup else [f"r{self.number}_distinct"])]

    @property
    def has_key(self) -> Column:
        return reduce(and_, (column(name).isNotNull() for name in self.columns))

    @property
    def reason(self) -> Column:
        """Of a row that breaks it."""
        said = [sf.concat(sf.lit(f"{name} is "), column(name).cast("string")) for name in self.columns]
        if self.lookup is None:
            return sf.concat(sf.concat_ws(", ", *said), sf.lit(", as in another row"))
        return sf.concat(said[0], sf.lit(f", which is not in {self.lookup.stage}.{self.lookup.column}"))


def set_rule(number: int, rule: Rule, frame: DataFrame, others: Mapping[str, DataFrame]) -> SetRule | None:
    """None for a rule of another kind."""
    if rule.unique is not None:
        columns = tuple(dict.fromkeys(spelled(frame, rule.unique)))
        # Spark says here that a column can't be a key.
        frame.select(*map(column, columns)).distinct()
        whole = [name for name in columns if isinstance(type_of(frame, name), IntegralType)]
        return SetRule(number, columns, packed=whole[-1] if whole else None)
    if rule.referential is not None:
        return _referential(number, rule.referential, frame, others)
    return None


def _referential(number: int, given: Referential, frame: DataFrame, others: Mapping[str, DataFrame]) -> SetRule:
    (ours,) = spelled(frame, [given.column])
    stage, _, name = given.to.partition(".")
    if stage not in others:
        raise InvalidStage(
            f"there is no stage {quoted(stage)}", subject=stage, action=nearest(stage, list(others), "stages")
        )
    (theirs,) = spelled(others[stage], [name])
    one, other = type_of(frame, ours), type_of(others[stage], theirs)
    if one != other and not any(isinstance(one, family) and isinstance(other, family) for family in _FAMILIES):
        raise InvalidStage(
            f"{quoted(ours)} is {one.simpleString().upper()}, {given.to} is {other.simpleString().upper()}",
            subject=given.column,
            action="cast one of them in an earlier step",
        )
    other_rows = others[stage] if others[stage] is not frame else None
    return SetRule(number, (ours,), Lookup(stage, theirs, other_rows))


def counts(frame: DataFrame, rules: Sequence[SetRule], *, twice: bool) -> dict[str, int]:
    """For each rule `r<number>_broken`, for a unique one the number of its keys as `r<number>_distinct`.

    `twice` is whether the rows may be read a second time if need be; else numbers aren't counted by their bits.
    """
    asked = rules if twice else [replace(rule, packed=None) for rule in rules]
    found = {f"r{rule.number}_broken": 0 for rule in asked if rule.packed} | _first(_counting(frame, asked))
    repeated = [rule for rule in asked if rule.packed and found[_keyed(rule)] > found[f"r{rule.number}_distinct"]]
    if repeated:
        found |= _first(_counting(frame, [replace(rule, packed=None) for rule in repeated]))
    return {name: found[name] for rule in rules for name in rule.answers}


def _first(one_row: DataFrame) -> dict[str, int]:
    row = one_row.first()
    return row.asDict() if row is not None else {}


def _counting(frame: DataFrame, rules: Sequence[SetRule]) -> DataFrame:
    unique = [rule for rule in rules if rule.lookup is None]
    referential = [rule for rule in rules if rule.lookup is not None]
    rows = flagged(frame, referential)
    if not unique:
        return rows.agg(*(_marked(rule).alias(f"r{rule.number}_broken") for rule in referential))
    slots = [slot for rule in unique for slot in rule.slots]
    counted = [sf.count(sf.lit(1)).alias(_ROWS), *(_marked(rule).alias(rule.flag) for rule in referential)]
    if any(rule.packed for rule in unique):
        counted.append(sf.bit_or(column(_BIT)).alias(_BIT))
    return (
        _keys(rows, unique, referential)
        .groupBy(_RULE, *slots)
        .agg(*counted)
        .agg(
            *(one for rule in unique for one in _unique_answers(rule)),
            *(_total(column(rule.flag)).alias(f"r{rule.number}_broken") for rule in referential),
        )
    )


def _marked(rule: SetRule) -> Column:
    return sf.count(sf.when(column(rule.flag), sf.lit(1)))


def _keys(rows: DataFrame, unique: Sequence[SetRule], referential: Sequence[SetRule]) -> DataFrame:
    """For each row and each unique rule one row with its key; the marks go with the first, to be counted once."""
    slots = [slot for rule in unique for slot in rule.slots]
    bits = any(rule.packed for rule in unique)
    entries = []
    for rule in unique:
        own = dict(zip(rule.slots, (_group(rule, name) for name in rule.columns), strict=True))
        marks = [column(other.flag) if rule is unique[0] else sf.lit(False) for other in referential]
        bit = [_bit(rule)] if bits else []
        entries.append([sf.lit(rule.number), *(own.get(slot, sf.lit(None)) for slot in slots), *marks, *bit])
    names = [_RULE, *slots, *(rule.flag for rule in referential), *([_BIT] if bits else [])]
    if len(entries) == 1:
        return rows.select(*(one.alias(name) for one, name in zip(entries[0], names, strict=True)))
    return rows.select(sf.stack(sf.lit(len(entries)), *(one for entry in entries for one in entry)).alias(*names))


def _group(rule: SetRule, name: str) -> Column:
    return sf.shiftright(column(name).cast("bigint"), _LAST_BITS) if name == rule.packed else column(name)


def _bit(rule: SetRule) -> Column:
    """Which of its group a number is."""
    if rule.packed is None:
        return sf.lit(None).cast("bigint")
    last = column(rule.packed).cast("bigint").bitwiseAND(sf.lit((1 << _LAST_BITS) - 1)).cast("int")
    return sf.call_function("shiftleft", sf.lit(1).cast("bigint"), last)


def _unique_answers(rule: SetRule) -> list[Column]:
    whole = reduce(and_, (column(slot).isNotNull() for slot in rule.slots), column(_RULE) == rule.number)
    if rule.packed is not None:
        return [
            _total(sf.when(whole, column(_ROWS))).alias(_keyed(rule)),
            _total(sf.when(whole, sf.bit_count(column(_BIT)))).alias(f"r{rule.number}_distinct"),
        ]
    return [
        _total(sf.when(whole & (column(_ROWS) > 1), column(_ROWS))).alias(f"r{rule.number}_broken"),
        sf.count(sf.when(whole, sf.lit(1))).alias(f"r{rule.number}_distinct"),
    ]


def _keyed(rule: SetRule) -> str:
    """What the rows that have its key are counted as."""
    return f"r{rule.number}_keyed"


def _total(value: Column) -> Column:
    return sf.coalesce(sf.sum(value), sf.lit(0))


def flagged(frame: DataFrame, rules: Sequence[SetRule]) -> DataFrame:
    """The same rows; for each rule a column, by the name of its flag, that is true of the rows that break it."""
    rows = frame
    for rule in rules:
        if rule.lookup is None:
            among = sf.count(sf.lit(1)).over(Window.partitionBy(*map(column, rule.columns)))
            frame = frame.withColumn(rule.flag, rule.has_key & (among > 1))
        else:
            known = f"{rule.flag} known"
            looked_up = rule.lookup.frame if rule.lookup.frame is not None else rows
            keys = looked_up.select(column(rule.lookup.column).alias(known)).distinct()
            frame = frame.join(keys, column(rule.columns[0]) == column(known), "left")
            frame = frame.withColumn(rule.flag, rule.has_key & column(known).isNull()).drop(known)
    return frame
