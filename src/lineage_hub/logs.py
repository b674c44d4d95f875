"""Log calls of every part enter; one line for each leaves on stderr, JSON for machines, colours for people.

What `bind_request` puts into the context, the correlation id first, is on every line until the request ends.
"""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import structlog
from structlog.typing import FilteringBoundLogger, Processor


def set_up_logs(level: str = "info", log_format: str = "auto", stream: TextIO | None = None) -> None:
    """Configure this process; the standard library's loggers (uvicorn, alembic) take the same shape."""
    out = stream or sys.stderr
    terminal = out.isatty()
    as_json = log_format == "json" or (log_format == "auto" and not terminal)
    number = logging.getLevelNamesMapping()[level.upper()]
    shared = _shared_steps()
    structlog.configure(
        processors=[*shared, *_last_steps(as_json, terminal)],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(file=out),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *_last_steps(as_json, terminal),
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=max(number, logging.INFO), force=True)


def get_logger(part: str) -> FilteringBoundLogger:
    """A logger whose lines carry the part of the hub that wrote them: "ingest", "server", …"""
    logger: FilteringBoundLogger = structlog.get_logger(part=part)
    return logger


@contextmanager
def bind_request(correlation_id: str, **values: str | int | None) -> Iterator[None]:
    """Every line logged inside carries the id, also from tasks that are started inside."""
    with structlog.contextvars.bound_contextvars(correlation_id=correlation_id, **values):
        yield


def current_correlation_id() -> str | None:
    found = structlog.contextvars.get_contextvars().get("correlation_id")
    return found if isinstance(found, str) else None


def _shared_steps() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        structlog.processors.StackInfoRenderer(),
    ]


def _last_steps(as_json: bool, terminal: bool) -> list[Processor]:
    # Tracebacks are plain text in both: local variables would carry keys and passwords into the log.
    if as_json:
        return [
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(default=str, ensure_ascii=False),
        ]
    return [
        structlog.dev.ConsoleRenderer(
            colors=terminal, timestamp_key="at", exception_formatter=structlog.dev.plain_traceback
        )
    ]
