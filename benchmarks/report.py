"""Rows and figures enter. The part of README.md between two markers leaves rewritten; the rest stays."""

import os
import platform
import sqlite3
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

README = Path(__file__).with_name("README.md")


def replace_part(text: str, part: str, content: str) -> str:
    begin, end = f"<!-- {part}:begin -->", f"<!-- {part}:end -->"
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"README.md has no part between {begin} and {end}")
    return f"{before}{begin}\n{content.strip()}\n{end}{after}"


def write_part(part: str, content: str, readme: Path = README) -> None:
    readme.write_text(replace_part(readme.read_text(), part, content))


def _read_field(path: str, name: str) -> str:
    for line in Path(path).read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return "unknown"


def hub_version() -> str:
    try:
        return version("lineage-hub")
    except PackageNotFoundError:
        return "not installed"


def describe_machine() -> str:
    """One paragraph: what measured, on what, when."""
    memory_gb = int(_read_field("/proc/meminfo", "MemTotal").split()[0]) / 2**20
    cores = os.cpu_count()
    return (
        f"{datetime.now(UTC):%Y-%m-%d}; lineage-hub {hub_version()}; {cores} cores of "
        f"{_read_field('/proc/cpuinfo', 'model name')}, {memory_gb:.0f} GB memory, "
        f"Linux {platform.release()}; "
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}; "
        f"load before the start {os.getloadavg()[0]:.1f}."
    )
