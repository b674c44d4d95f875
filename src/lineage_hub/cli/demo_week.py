"""A hub enters; it takes a week of the sample's events, and what it can answer leaves as tables."""

import json
from collections.abc import Iterator
from datetime import datetime

from msgspec import structs

from lineage_hub.cli.answers import Difference, EdgeChanges, Job, Jobs, Run, Runs
from lineage_hub.cli.diff import print_changes
from lineage_hub.cli.hub import Hub
from lineage_hub.cli.lineage import show_lineage
from lineage_hub.cli.nodes import quoted
from lineage_hub.cli.sending import Sender, progress
from lineage_hub.errors import InternalError
from lineage_hub.sample import HEADLINE, Week, shop_week
from lineage_hub.terminal import print_heading, print_table
from lineage_hub.transports.base import Refused

RUNS_SHOWN = 8
BATCH = 100


def show_week(hub: Hub, seed: int) -> str:
    """The node to look at first leaves."""
    week = shop_week(seed)
    _send(hub, week)
    _show(hub, week)
    return HEADLINE


def _send(hub: Hub, week: Week) -> None:
    lines = [json.dumps(event, ensure_ascii=False).encode() for event in week.events]
    sender = Sender(hub)
    refused: list[Refused] = []
    with progress(len(lines)) as bar:
        for at in range(0, len(lines), BATCH):
            group = lines[at : at + BATCH]
            refused += sender.send(group)
            bar.advance(len(group))
    if refused:
        raise InternalError(
            f"the hub refused {len(refused)} of {len(lines)} events: {refused[0].reason}",
            action="see `lineage-hub dead-letters list`",
        )
    print(
        f"Sent a week of a bookshop's data platform, {week.start_at:%a %d %b} to {week.end_at:%a %d %b %Y}: "
        f"{len(lines)} events, {week.repeats} of them twice."
    )


def _show(hub: Hub, week: Week) -> None:
    end, midweek, start = _iso(week.end_at), _iso(week.midweek_at), _iso(week.start_at.replace(hour=12))
    print_heading("What feeds the headline figure, and what does it feed?", "lineage-hub lineage revenue_daily")
    show_lineage(hub, HEADLINE, direction="both", depth=20)
    jobs = hub.read(Jobs, "/jobs", limit=1000).jobs
    runs = sorted(_runs(hub, jobs), key=lambda one: one[1].started_at or "", reverse=True)
    running = [one for one in runs if one[1].state == "RUNNING"]
    ended = [one for one in runs if one[1].state != "RUNNING"]
    print_heading("What is running, and which runs ended last?", f"curl {hub.shown_url}/api/v1/jobs")
    _print_runs(running + ended[:RUNS_SHOWN])
    failed = [one for one in runs if one[1].state == "FAILED"]
    print_heading(f"Which of the week's {len(runs)} runs failed?")
    _print_runs(failed)
    print_heading("What changed around it this week?", f"lineage-hub diff revenue_daily --from {start} --to {end}")
    question = {"nodeId": HEADLINE, "from": start, "to": end}
    found = hub.read(Difference, "/lineage/diff", **question)
    print_changes(structs.replace(found, columns=EdgeChanges()))
    print(f"… and {len(found.columns.added)} column edges added, {len(found.columns.removed)} removed")
    print_heading(
        f"What fed it in the middle of the week, on {week.midweek_at:%A} at {week.midweek_at:%H:%M} UTC?",
        f"lineage-hub lineage revenue_daily --direction upstream --depth 2 --as-of {midweek}",
    )
    show_lineage(hub, HEADLINE, direction="upstream", depth=2, as_of=midweek)


def _runs(hub: Hub, jobs: list[Job]) -> Iterator[tuple[Job, Run]]:
    for job in jobs:
        path = f"/namespaces/{quoted(job.id.namespace)}/jobs/{quoted(job.id.name)}/runs"
        for run in hub.read(Runs, path, limit=1000).runs:
            yield job, run


def _print_runs(runs: list[tuple[Job, Run]]) -> None:
    rows = [(job.id.name, run.state, (run.started_at or "")[:19], _duration(run)) for job, run in runs]
    print_table(("job", "state", "started (UTC)", "took"), rows)


def _duration(run: Run) -> str:
    if run.duration_ms is None:
        return "–"
    minutes, seconds = divmod(run.duration_ms / 1000, 60)
    return f"{minutes:.0f} min {seconds:.0f} s" if minutes else f"{seconds:.1f} s"


def _iso(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")
