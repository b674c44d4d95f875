"""Conditions enter; log records that meet all of them leave, the latest last as in a file."""

import json
import sys
from typing import Annotated

import typer

from lineage_hub.cli.app import app
from lineage_hub.cli.hub import Hub, Value
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.cli.times import HELP as TIME_HELP
from lineage_hub.cli.times import read_time
from lineage_hub.cli.trace_answers import Log, Logs
from lineage_hub.settings import Settings
from lineage_hub.terminal import one_line, print_json

EXAMPLES = """Examples:

lineage-hub logs --run RUN

lineage-hub logs "connection refused" --severity error --from 12h

lineage-hub logs --trace 0af7651916cd43dd8448eb211c80319c"""
_STYLES = {"ERROR": "red", "FATAL": "bold red", "WARN": "yellow", "DEBUG": "dim", "TRACE": "dim"}


@app.command(epilog=EXAMPLES)
@takes_settings(*HUB)
def logs(
    settings: Settings,
    words: Annotated[
        str | None, typer.Argument(metavar="[WORDS]", help="Words in the text, in any order.", show_default=False)
    ] = None,
    trace: Annotated[str | None, typer.Option(help="Of this trace.")] = None,
    run: Annotated[str | None, typer.Option(help="Of this run.")] = None,
    service: Annotated[str | None, typer.Option(help="Of this service.")] = None,
    severity: Annotated[str | None, typer.Option(help="At least trace, debug, info, warn, error or fatal.")] = None,
    attribute: Annotated[str | None, typer.Option(help="That have it: name=value.")] = None,
    start: Annotated[str | None, typer.Option("--from", help=f"From then on. {TIME_HELP}")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Before then; same spellings.")] = None,
    limit: Annotated[int, typer.Option(help="Most records to list.", min=1, max=10_000)] = 100,
    offset: Annotated[int, typer.Option(help="How many of the latest to pass over.", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, the latest first.")] = False,
) -> None:
    """List log records by trace, run, service, words, severity and time."""
    question: dict[str, Value] = {
        "words": words,
        "trace": trace,
        "run": run,
        "service": service,
        "severity": severity,
        "attribute": attribute,
        "from": read_time(start, "--from"),
        "to": read_time(end, "--to"),
        "limit": limit,
        "offset": offset,
    }
    with Hub(settings) as hub:
        if as_json:
            print_json(hub.read_object("/logs", **question))
            return
        answer = hub.read(Logs, "/logs", **question)
    hidden = answer.total_count - offset - len(answer.logs)
    if hidden > 0:
        print(f"… {hidden} earlier ones; use --limit and --offset to see them", file=sys.stderr)
    for one in reversed(answer.logs):
        _print(one)
    if not answer.logs:
        print("No logs.", file=sys.stderr)


def _print(log: Log) -> None:
    body = log.body if isinstance(log.body, str) else json.dumps(log.body, ensure_ascii=False)
    parts = (log.at, f"{one_line(log.severity):<5}", one_line(log.service), one_line(body))
    if not sys.stdout.isatty():
        print("  ".join(parts))
        return
    from rich.console import Console
    from rich.text import Text

    style = _STYLES.get(log.severity.upper(), "")
    styles = ("dim", style or "green", "cyan", style)
    text = Text("  ").join(Text(part, style=one) for part, one in zip(parts, styles, strict=True))
    Console(highlight=False).print(text, soft_wrap=True)
