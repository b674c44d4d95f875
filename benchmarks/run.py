"""All programs enter, one after the other on the same data folders. The tables in README.md leave.

The exit code is 0 when every program ran; with --strict, only when nothing falls short of a must.
"""

import argparse
import sys

from benchmarks import (
    api_reads,
    column_lineage,
    databricks,
    disk,
    ingest_batches,
    ingest_growth,
    ingest_singles,
    lineage_as_of,
    lineage_reads,
    otlp_ingest,
    otlp_reading,
    page_speed,
    postgres_ingest,
    retention,
    sdk_calls,
    sdk_delivery,
    search,
    spark_pipelines,
    start_and_memory,
    telemetry_questions,
)
from benchmarks.bench import Program, add_arguments, run_programs
from benchmarks.claims import SHORT_OF, Row, as_markdown
from benchmarks.report import describe_machine, write_part

PROGRAMS: dict[str, Program] = {
    "ingest_singles": ingest_singles.measure,
    "ingest_batches": ingest_batches.measure,
    "ingest_growth": ingest_growth.measure,
    "postgres_ingest": postgres_ingest.measure,
    "lineage_reads": lineage_reads.measure,
    "lineage_as_of": lineage_as_of.measure,
    "column_lineage": column_lineage.measure,
    "search": search.measure,
    "api_reads": api_reads.measure,
    "start_and_memory": start_and_memory.measure,
    "disk": disk.measure,
    "retention": retention.measure,
    "sdk_calls": sdk_calls.measure,
    "sdk_delivery": sdk_delivery.measure,
    "otlp_reading": otlp_reading.measure,
    "otlp_ingest": otlp_ingest.measure,
    "telemetry_questions": telemetry_questions.measure,
    "spark_pipelines": spark_pipelines.measure,
    "databricks": databricks.measure,
    "page_speed": page_speed.measure,
}
# Parts of README.md, each written when all of its programs ran.
_TELEMETRY, _SPARK = ["otlp_reading", "otlp_ingest", "telemetry_questions"], ["spark_pipelines"]
_RETENTION, _POSTGRES, _SEARCH, _LISTS = ["retention"], ["postgres_ingest"], ["search"], ["api_reads"]
_PAGE, _CODE = ["page_speed"], ["databricks"]
_APART = {
    "spark": _SPARK,
    "telemetry": _TELEMETRY,
    "retention": _RETENTION,
    "postgres": _POSTGRES,
    "search": _SEARCH,
    "lists": _LISTS,
    "page": _PAGE,
    "code": _CODE,
}
PARTS = {**_APART, "speed": [name for name in PROGRAMS if not any(name in names for names in _APART.values())]}
REFERENCE = "Reference: Marquez 0.51.1, PostgreSQL 15, 2 cores, measured separately."


def render_table(machine: str, results: dict[str, list[Row]]) -> str:
    rows = [row for found in results.values() for row in found]
    names = [name for name, found in results.items() for _ in found]
    commands = {place: f"python -m benchmarks.{name}" for place, name in enumerate(names)}
    reference = f"{REFERENCE}\n\n" if any(row.reference != "–" for row in rows) else ""
    return f"{machine}\n\n{reference}{as_markdown(rows, commands)}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description="Measure every claim.")
    add_arguments(parser)
    parser.add_argument(
        "--only", nargs="+", choices=PROGRAMS, help="only these; README.md gets the tables that are whole"
    )
    parser.add_argument("--no-readme", action="store_true", help="leave README.md as it is")
    parser.add_argument("--strict", action="store_true", help="fail when a figure falls short of its must")
    wanted = parser.parse_args()
    machine = describe_machine()
    results = run_programs(wanted, {name: PROGRAMS[name] for name in wanted.only or PROGRAMS})
    for part, names in PARTS.items():
        if results.keys() >= set(names) and not (wanted.short or wanted.no_readme):
            write_part(part, render_table(machine, {name: results[name] for name in names}))
    short_of = [row for found in results.values() for row in found if row.verdict == SHORT_OF]
    return 1 if wanted.strict and short_of else 0


if __name__ == "__main__":
    sys.exit(main())
