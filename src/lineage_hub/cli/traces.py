"""Conditions, or a trace or a run, enter; a list of traces, a waterfall, or what differs between two leaves."""

import re
import sys
from collections.abc import Iterable
from typing import Annotated

import typer

from lineage_hub.cli.app import app
from lineage_hub.cli.durations import HELP as DURATION_HELP
from lineage_hub.cli.durations import difference, read_duration, shown
from lineage_hub.cli.hub import Hub, Value
from lineage_hub.cli.nodes import quoted
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.cli.times import HELP as TIME_HELP
from lineage_hub.cli.times import read_time
from lineage_hub.cli.trace_answers import Span, Trace, TraceDifference, Traces
from lineage_hub.cli.waterfall import FAILED, Line, waterfall
from lineage_hub.errors import InvalidRequest
from lineage_hub.settings import Settings
from lineage_hub.terminal import one_line, print_json, print_table

EXAMPLES = """Examples:

lineage-hub traces

lineage-hub traces --service checkout --min-duration 2s --from 12h

lineage-hub traces 0af7651916cd43dd8448eb211c80319c

lineage-hub traces RUN --against EARLIER_RUN"""
_TRACE_ID = re.compile(r"[0-9a-fA-F]{32}")
_MOST_CHANGES = 30


@app.command(epilog=EXAMPLES)
@takes_settings(*HUB)
def traces(
    settings: Settings,
    trace: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="A trace or a run, to be drawn.", show_default=False)
    ] = None,
    service: Annotated[str | None, typer.Option(help="Only with a span of this service.")] = None,
    operation: Annotated[str | None, typer.Option(help="Only with a span of this name.")] = None,
    min_duration: Annotated[
        str | None, typer.Option(help=f"Only with a span that took so long. {DURATION_HELP}")
    ] = None,
    errors: Annotated[bool, typer.Option("--errors", help="Only with a span that failed.")] = False,
    attribute: Annotated[str | None, typer.Option(help="Only with a span that has it: name=value.")] = None,
    start: Annotated[str | None, typer.Option("--from", help=f"From then on; default a day back. {TIME_HELP}")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Before then; default now.")] = None,
    limit: Annotated[int | None, typer.Option(help="Most traces to list, or spans to draw.", min=1, max=10_000)] = None,
    offset: Annotated[int, typer.Option(help="How many traces to pass over first.", min=0)] = 0,
    against: Annotated[str | None, typer.Option(help="An earlier trace or run to compare with.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List traces; draw one as a waterfall, with its critical path; or compare two span by span."""
    if against is not None and trace is None:
        raise InvalidRequest(
            "--against compares with a trace or a run, and none is named",
            subject="--against",
            action="write lineage-hub traces ID --against EARLIER",
        )
    with Hub(settings) as hub:
        if trace is not None and against is not None:
            _compare(hub, against, trace, as_json)
        elif trace is not None:
            _show(hub, trace, limit or 500, as_json)
        else:
            question: dict[str, Value] = {
                "service": service,
                "operation": operation,
                "minDurationMs": _plain(read_duration(min_duration, "--min-duration")),
                "error": "true" if errors else None,
                "attribute": attribute,
                "from": read_time(start, "--from"),
                "to": read_time(end, "--to"),
                "limit": limit or 25,
                "offset": offset,
            }
            _list(hub, question, offset, as_json)


def _plain(number: float | None) -> str | None:
    return None if number is None else f"{number:.9g}"


def _list(hub: Hub, question: dict[str, Value], offset: int, as_json: bool) -> None:
    if as_json:
        print_json(hub.read_object("/traces", **question))
        return
    answer = hub.read(Traces, "/traces", **question)
    print_table(
        ("started", "took", "spans", "errors", "service", "name", "trace"),
        [
            (
                one.started_at,
                shown(one.duration_ns),
                str(one.span_count),
                str(one.error_count or ""),
                one.service,
                one.name,
                one.trace_id,
            )
            for one in answer.traces
        ],
    )
    hidden = answer.total_count - offset - len(answer.traces)
    if hidden > 0:
        print(f"… {hidden} more; use --limit and --offset to see them", file=sys.stderr)


def _show(hub: Hub, text: str, limit: int, as_json: bool) -> None:
    path = f"/traces/{text}" if _TRACE_ID.fullmatch(text) else f"/runs/{quoted(text)}/trace"
    if as_json:
        print_json(hub.read_object(path))
    else:
        print_trace(hub.read(Trace, path), limit)


def print_trace(trace: Trace, limit: int) -> None:
    width = None
    if sys.stdout.isatty():
        from rich.console import Console

        width = Console().width
    _print([*_heading(trace), *waterfall(trace, width, limit), *_below(trace, limit)])


def _heading(trace: Trace) -> Iterable[Line]:
    errors = f", {trace.error_count} failed" if trace.error_count else ""
    yield [("trace ", "dim"), (trace.trace_id, "bold"), (f"  {trace.started_at}", "dim")]
    if trace.run is not None:
        guess = "  (found by name and time: it may be another's)" if trace.run.inferred else ""
        yield [("run ", "dim"), (one_line(trace.run.id), "bold"), (f"  {one_line(trace.run.job.name)}{guess}", "dim")]
    yield [(f"{shown(trace.duration_ns)}, {trace.span_count} spans{errors}", "red" if trace.error_count else "")]
    yield [("", "")]


def _below(trace: Trace, limit: int) -> Iterable[Line]:
    hidden = trace.span_count - len(trace.spans[:limit])
    if hidden > 0:
        yield [(f"… {hidden} more spans are not drawn; raise --limit to see them", "dim")]
    failed = [span for span in trace.spans if span.failed and span.status_message]
    if failed:
        yield [("", "")]
    for span in failed[:10]:
        yield [(f"{FAILED} {one_line(span.name)}: ", "red"), (one_line(span.status_message), "")]
    path = _longest(trace)
    if path:
        yield [("", "")]
        yield [("Decided when it ended ", "bold"), ("(█), by what each did itself:", "dim")]
    for span in path:
        share = 100 * span.critical_ns / max(trace.duration_ns, 1)
        yield [(f"  {share:5.1f} %  {shown(span.critical_ns):>9}  ", ""), (one_line(span.name), "bold")]
    if trace.runs or trace.datasets:
        yield [("", "")]
    for run in trace.runs:
        state = "red" if run.state == "FAILED" else "dim"
        guess = "  (by name and time)" if run.inferred else ""
        yield [
            ("run ", "dim"),
            (one_line(run.job.name), "bold cyan"),
            (f"  {run.state}", state),
            (f"  {run.id}{guess}", "dim"),
        ]
    for dataset in trace.datasets:
        sides = " and ".join({"input": "read", "output": "written"}.get(side, side) for side in dataset.sides)
        yield [
            ("dataset ", "dim"),
            (one_line(dataset.name), "bold green"),
            (f"  {one_line(dataset.namespace)}  {sides}", "dim"),
        ]


def _longest(trace: Trace) -> list[Span]:
    found = [span for span in trace.spans if span.critical_ns]
    return sorted(found, key=lambda span: -span.critical_ns)[:5]


def _compare(hub: Hub, before: str, after: str, as_json: bool) -> None:
    path = f"/traces/{quoted(before)}/diff"
    if as_json:
        print_json(hub.read_object(path, to=after))
        return
    answer = hub.read(TraceDifference, path, to=after)
    print(
        f"{shown(answer.before.duration_ns)} → {shown(answer.after.duration_ns)} ({difference(answer.difference_ns)}); "
        + ", ".join(f"{count} {kind}" for kind, count in sorted(answer.counts.items()))
    )
    rows = [
        (
            one.kind,
            difference(one.self_difference_ns),
            difference(one.difference_ns),
            shown(one.before.duration_ns) if one.before else "",
            shown(one.after.duration_ns) if one.after else "",
            " › ".join(one.path) + (f" [{one.occurrence + 1}]" if one.occurrence else ""),
        )
        for one in answer.changes[:_MOST_CHANGES]
    ]
    if rows:
        print_table(("change", "by itself", "in all", "before", "after", "span"), rows)
    if len(answer.changes) > _MOST_CHANGES:
        print(f"… {len(answer.changes) - _MOST_CHANGES} more; --json has them all", file=sys.stderr)


def _print(lines: Iterable[Line]) -> None:
    if not sys.stdout.isatty():
        for line in lines:
            print("".join(text for text, _ in line).rstrip())
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for line in lines:
        console.print(Text.assemble(*line), soft_wrap=True)
