"""A value of a definition and the type of a column enter; a literal of that type leaves, or an error at build time.

YAML knows fewer types than Spark: a date, a decimal or a time is written as text or number, and typed by its column.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal, InvalidOperation

from pyspark.sql import Column
from pyspark.sql import functions as sf
from pyspark.sql.types import (
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    IntegralType,
    LongType,
    NumericType,
    ShortType,
    TimestampNTZType,
    TimestampType,
)

from lineage_hub.errors import InvalidStage
from lineage_hub.spark.pipeline.columns import TEXT

Value = str | int | float | bool
_BITS = {ByteType: 8, ShortType: 16, IntegerType: 32, LongType: 64}
_MOST_DIGITS = 38


def literal(value: Value, kind: DataType) -> Column:
    """Of the column's type. What would be cut, rounded or lost is an error."""
    if isinstance(kind, TEXT):
        return sf.lit(str(value).lower() if isinstance(value, bool) else str(value))
    if isinstance(kind, BooleanType):
        return sf.lit(_truth(value, kind))
    if isinstance(kind, NumericType):
        return _number(value, kind)
    return _moment(value, kind)


def bound(value: Value, kind: DataType) -> Column:
    """For comparisons with a column of that type: 0.5 is a bound for whole numbers too."""
    if isinstance(kind, TEXT):
        if not isinstance(value, str):
            raise _unfit(value, kind, "text is compared letter by letter: cast the column to a number before")
        return sf.lit(value)
    if isinstance(kind, FloatType | DoubleType):
        return _number(value, kind)
    if isinstance(kind, NumericType):
        return sf.lit(_fitting(_decimal(value, kind), value, kind))
    return _moment(value, kind)


def _truth(value: Value, kind: DataType) -> bool:
    known = {"true": True, "false": False}
    try:
        return known[str(value).lower()]
    except KeyError:
        raise _unfit(value, kind, "write true or false") from None


def _number(value: Value, kind: NumericType) -> Column:
    found = _decimal(value, kind)
    if isinstance(kind, FloatType | DoubleType):
        return sf.lit(float(found)).cast(kind)
    if isinstance(kind, IntegralType):
        most = 2 ** (_BITS[type(kind)] - 1)
        fits = found == found.to_integral_value() and -most <= found < most
    elif isinstance(kind, DecimalType):
        fits = _has_digits(found, kind.precision, kind.scale)
    else:
        fits = False
    if not fits:
        raise _unfit(value, kind, "write a value that the column can hold, or cast the column before")
    return sf.lit(_fitting(found, value, kind)).cast(kind)


def _decimal(value: Value, kind: DataType) -> Decimal:
    try:
        if isinstance(value, bool):
            raise InvalidOperation
        found = Decimal(str(value))
        if not found.is_finite():
            raise InvalidOperation
    except InvalidOperation:
        raise _unfit(value, kind, "write a number") from None
    return found


def _has_digits(number: Decimal, precision: int, scale: int) -> bool:
    _, digits, exponent = number.normalize().as_tuple()
    decimals = max(0, -int(exponent))
    return decimals <= scale and len(digits) + int(exponent) <= precision - scale


def _fitting(number: Decimal, value: Value, kind: DataType) -> Decimal | int | float:
    """Exact where Spark can hold it; a bound beyond every decimal is compared as a double."""
    if number == number.to_integral_value() and -(2**63) <= number < 2**63:
        return int(number)
    _, digits, exponent = number.as_tuple()
    if max(len(digits), len(digits) + int(exponent), -int(exponent)) <= _MOST_DIGITS:
        return Decimal(format(number, "f"))
    if isinstance(value, str):
        raise _unfit(value, kind, f"write a number of at most {_MOST_DIGITS} digits")
    return float(value)


def _moment(value: Value, kind: DataType) -> Column:
    """Text without a zone is in the session's time zone, as everywhere in Spark."""
    if not isinstance(kind, DateType | TimestampType | TimestampNTZType):
        raise InvalidStage(
            f"a column of type {kind.simpleString().upper()} can't be compared with {value!r}",
            subject=str(value),
            action="derive a column of a simple type, and name that",
        )
    read = date.fromisoformat if isinstance(kind, DateType) else datetime.fromisoformat
    try:
        return sf.lit(read(str(value)).isoformat()).cast(kind)
    except ValueError:
        raise _unfit(value, kind, "write it as 2026-11-30, a time as 2026-11-30T18:00:00") from None


def _unfit(value: Value, kind: DataType, action: str) -> InvalidStage:
    return InvalidStage(f"{value!r} is no {kind.simpleString().upper()}", subject=str(value), action=action)
