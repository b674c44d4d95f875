"""Errors of clickhouse-connect enter; those of the hub leave, which say whether trying again helps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lineage_hub.errors import (
    ExtraMissing,
    InternalError,
    InvalidRequest,
    LineageHubError,
    StorageFull,
    StoreUnavailable,
)

# NOT_ENOUGH_SPACE; a full disk also shows as a failed write, told by its text alone.
_FULL = frozenset({243})
# Time-outs, limits on memory, queries and parts, servers that are read-only, starting, or out of reach of Keeper.
_PASSING = frozenset({3, 159, 160, 164, 202, 203, 209, 210, 225, 241, 242, 252, 279, 290, 319, 394, 425, 439, 999})
# Of what one question may take; that of all together passes.
_MEMORY, _OF_ONE = 241, ("Query memory limit", "limit (for query)")
_DENIED = frozenset({192, 193, 194, 497, 516})


def is_lost(error: BaseException) -> bool:
    """Nobody answered, or not to the end: an error of the engine's own has a number."""
    from clickhouse_connect.driver.exceptions import OperationalError, StreamFailureError

    unheard = isinstance(error, OperationalError | StreamFailureError) and getattr(error, "code", None) is None
    return unheard or isinstance(error, OSError)


@contextmanager
def translated() -> Iterator[None]:
    try:
        from clickhouse_connect.driver.exceptions import ClickHouseError, DataError, NotSupportedError, ProgrammingError
    except ImportError:
        raise ExtraMissing.of("telemetry", "telemetry") from None
    try:
        yield
    except (ProgrammingError, DataError, NotSupportedError, UnicodeError) as error:
        # It was refused here, before it was sent.
        raise InternalError(f"a statement can't be sent: {_short(str(error))}", subject="telemetry") from error
    except (ClickHouseError, OSError) as error:
        raise _translate(error, getattr(error, "code", None)) from error


def _translate(error: Exception, code: int | None) -> LineageHubError:
    text = str(error)
    if code in _FULL or "No space left" in text or "ENOSPC" in text:
        return StorageFull(
            f"the telemetry store can't write: {_short(text)}",
            subject="telemetry",
            action="free disk space; a running hub goes on by itself",
            retry_after_s=10,
        )
    if code == _MEMORY and any(words in text for words in _OF_ONE):
        return InvalidRequest(
            "the question needs more memory than one may take",
            subject="telemetry",
            action="ask for a shorter time, or with more conditions",
        )
    if code in _DENIED:
        return StoreUnavailable(
            f"the telemetry store denies access: {_short(text)}",
            subject="telemetry",
            action="correct user and password in clickhouse_url",
            retry_after_s=30,
        )
    if code is None or code in _PASSING:
        return StoreUnavailable(
            f"the telemetry store does not answer: {_short(text)}",
            subject="telemetry",
            action="see `lineage-hub doctor`; a running hub goes on by itself",
            midway=is_lost(error),
        )
    return InternalError(f"the telemetry store refused a statement: {_short(text)}", subject="telemetry")


def _short(text: str) -> str:
    return text if len(text) <= 500 else text[:500] + "…"
