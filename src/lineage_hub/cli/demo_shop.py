"""A hub enters; a shop's pipeline runs twice on Spark and tells it, and what the hub can answer leaves as tables.

The second day's files have changed over night, and a rule stops them.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from lineage_hub.cli.answers import Lineage, RunMetrics
from lineage_hub.cli.hub import Hub
from lineage_hub.cli.lineage import show_lineage
from lineage_hub.cli.trace_answers import Trace
from lineage_hub.cli.traces import print_trace
from lineage_hub.cli.why import print_why
from lineage_hub.cli.why_answers import Why
from lineage_hub.errors import InternalError
from lineage_hub.sample.retail import PIPELINE, Day, write_day
from lineage_hub.terminal import print_heading, print_table

COLUMN = "revenue"
_MOST_SPANS = 40


def show_shop(hub: Hub, url: str, folder: Path, seed: int) -> str:
    """The node to look at first leaves."""
    lake, raw = folder / "lake", folder / "raw"
    file = folder / "retail.yaml"
    file.write_text(PIPELINE)
    began = time.monotonic()
    write_day(raw / "monday", Day(seed=seed))
    write_day(raw / "tuesday", Day(seed=seed, is_second=True))
    print(f"A shop's files for two days are in {raw}, its pipeline is {file}.")
    command = f"lineage-hub pipeline run {file.name} -p raw=raw/monday -p lake=lake"
    print_heading("Monday: raw files become bronze, silver and gold.", command)
    monday = _run(file, raw / "monday", lake, url, expected=0)
    _print_run(monday)
    gold = f"dataset:file:{lake}/gold/daily_revenue"
    print_heading("What does the gold table come from?", "lineage-hub lineage daily_revenue --direction upstream")
    show_lineage(hub, gold, direction="upstream", depth=20)
    field = f"datasetField:file:{lake}/gold/daily_revenue:{COLUMN}"
    print_heading(f"And its column {COLUMN!r}, down to the file?", f"lineage-hub lineage {field} --columns")
    _print_path(hub, field, f"{raw}/monday")
    print_heading("Did the rules hold?")
    _print_rules(monday)
    print_heading("Where did the time go?", f"lineage-hub traces {monday['run_id']}")
    print_trace(hub.read(Trace, f"/runs/{monday['run_id']}/trace"), _MOST_SPANS)
    print_heading("Tuesday: the shop has changed its files.", command.replace("monday", "tuesday"))
    tuesday = _run(file, raw / "tuesday", lake, url, expected=1)
    _print_run(tuesday)
    print_heading("What has changed, and what stopped it?")
    for stage in tuesday["stages"]:
        for change in stage["changes"]:
            print(f"  the schema of {stage['name']}: {change}")
    print(f"  {tuesday['failed_stage']} failed: {tuesday['error']}")
    _print_rules(tuesday, only_broken=True)
    print_heading("Why, as the hub sees it?", f"lineage-hub why {tuesday['run_id']}")
    print_why(hub.read(Why, f"/runs/{tuesday['run_id']}/why"))
    print_heading("How did the runs go?", f"curl {url}/api/v1/metrics")
    _print_metrics(hub)
    print(f"\nAll of it took {time.monotonic() - began:.0f} s. The hub is at {url}.")
    return gold


def _run(file: Path, raw: Path, lake: Path, url: str, *, expected: int) -> dict[str, Any]:
    """By the command that a user would give, as a process of its own."""
    command = [sys.executable, "-m", "lineage_hub.cli", "pipeline", "run", str(file), "--json", "--url", url]
    command += ["--param", f"raw={raw}", "--param", f"lake={lake}", "--data", str(file.parent)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, env=dict(os.environ), check=False)
    if ended.returncode != expected:
        raise InternalError(
            f"the pipeline ended with exit code {ended.returncode}: {ended.stdout.decode(errors='replace')[-2000:]}",
            action=f"see driver.log under {file.parent / 'pipelines' / 'runs'}",
        )
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def _print_run(run: dict[str, Any]) -> None:
    rows = [
        (one["name"], one["kind"], one["state"], _number(one["rows"]), _number(one["rejected"] or None), _took(one))
        for one in run["stages"]
    ]
    print_table(("stage", "kind", "state", "rows", "rejected", "took"), rows)


def _print_rules(run: dict[str, Any], *, only_broken: bool = False) -> None:
    rows = [
        (stage["name"], rule["name"], rule["severity"], "holds" if rule["passed"] else "broken", rule["says"])
        for stage in run["stages"]
        for rule in stage["rules"]
        if not (only_broken and rule["passed"])
    ]
    print_table(("stage", "rule", "severity", "", ""), rows)


def _print_path(hub: Hub, field: str, source: str) -> None:
    """One way from the column to a field of the raw files, step by step, each with the kind of the step."""
    answer = hub.read(Lineage, "/column-lineage", nodeId=field, depth=40)
    # An edge of this answer points from a column to what it is made from.
    before = {one.id: [edge.destination for edge in one.in_edges] for one in answer.graph}
    ways: list[list[str]] = [[field]]
    seen = {field}
    while ways:
        way = ways.pop(0)
        if source in way[-1]:
            break
        for one in sorted(before.get(way[-1], ())):
            if one not in seen:
                seen.add(one)
                ways.append([*way, one])
    else:
        raise InternalError(f"no column of {source} leads to {field}", action="see `lineage-hub lineage --columns`")
    for step, one in enumerate(way):
        print("  " * step + ("← " if step else "  ") + one.removeprefix("datasetField:"))


def _print_metrics(hub: Hub) -> None:
    found = hub.read(RunMetrics, "/metrics", namespace="shop")
    rows = [
        (one.name, str(one.runs), f"{100 * (one.success_rate or 0):.0f} %", f"{one.duration_ms['p50'] / 1000:.1f} s")
        for one in [*found.by_pipeline, *found.by_stage]
        if one.duration_ms["p50"] is not None
    ]
    print_table(("job", "runs", "succeeded", "p50"), rows)
    print(f"{found.pipelines.records_per_hour:,.0f} records an hour")


def _number(value: int | None) -> str:
    return f"{value:,}" if value is not None else "–"


def _took(stage: dict[str, Any]) -> str:
    if not stage["started_at"] or not stage["ended_at"]:
        return "–"
    return f"{stage['ended_at'] - stage['started_at']:.1f} s"
