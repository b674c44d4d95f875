"""What Spark, Java or the system raised enters; the sentence that names the cause leaves, without the stack."""

import re
from typing import Any

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

# Spark hands on the text of an executor's exception, not the exception.
_CAUSED = re.compile(r"^\s*Caused by: (?:[\w$]+\.)+[\w$]+: (.+)$", re.MULTILINE)
_LOST_TASK = re.compile(r"\(TID \d+\)[^\n]*?: (?:[\w$]+\.)+[\w$]+: ([^\n]+)")
_CLASS = re.compile(r"^\[[A-Z_.\d]+\] | SQLSTATE: \w+$")
_PASSWORD = re.compile(r"(?i)(password=|//[^/@\s:]+:(?=[^/\s]+@))[^&;\s@]+")
SPARK_ERRORS = (PySparkException, Py4JJavaError)
_MISSING_SOURCES = {
    "delta": "add the package io.delta:delta-spark_2.13:4.0.1 and Delta's extension to the session",
    "driver": "add the package of the database's JDBC driver under `spark.packages`",
}


def cause_of(error: BaseException) -> str:
    """One line: the deepest cause that has words of its own."""
    text = _of_java(error.java_exception) if isinstance(error, Py4JJavaError) else _of_python(error)
    return masked(_CLASS.sub("", text.strip()) or type(error).__name__)


def masked(text: str) -> str:
    """Passwords in URLs don't leave."""
    return _PASSWORD.sub(lambda found: f"{found[1]}***", text)


def advice_for(error: BaseException, otherwise: str) -> str:
    """What helps against a cause that is known."""
    cause = str(error)
    if "DATA_SOURCE_NOT_FOUND" in cause and "delta" in cause:
        return _MISSING_SOURCES["delta"]
    if "No suitable driver" in cause or ("ClassNotFound" in cause and "Driver" in cause):
        return _MISSING_SOURCES["driver"]
    if is_full(error):
        return "free space at the target"
    return otherwise


def is_full(error: BaseException) -> bool:
    return "No space left" in str(error) or "Disk quota" in str(error)


def _of_python(error: BaseException) -> str:
    if isinstance(error, PySparkException):
        origin = getattr(error, "_origin", None)
        if origin is not None:
            return _of_java(origin)
    return _in_text(str(error))


def _of_java(thrown: Any) -> str:
    """py4j's edge: `thrown` is a java.lang.Throwable."""
    said, seen = "", thrown
    for _ in range(30):
        message = seen.getMessage() or seen.toString()
        if message.strip():
            said = _in_text(message)
        cause = seen.getCause()
        if cause is None or cause.equals(seen):
            break
        seen = cause
    return said


def _in_text(text: str) -> str:
    caused = _CAUSED.findall(text) or _LOST_TASK.findall(text)
    line: str = caused[-1] if caused else next(iter(text.strip().splitlines()), "")
    return line.strip()
