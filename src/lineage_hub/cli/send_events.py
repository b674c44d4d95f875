"""Files, folders or stdin enter; a hub has their events, and a summary of what became of them leaves."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from lineage_hub.cli.app import app
from lineage_hub.cli.delivery import Delivery, Totals, check_json, print_rejects, rejects_file
from lineage_hub.cli.event_files import STDIN, EventFile, find_files
from lineage_hub.cli.hub import Hub
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.cli.sending import GIVE_UP_AFTER_S, MAX_BATCH, Sender
from lineage_hub.cli.sent_before import SentBefore
from lineage_hub.errors import InvalidRequest, Transient
from lineage_hub.settings import Settings, mask_url
from lineage_hub.terminal import print_json

INTERRUPTED = 130
CONTINUE = "the same command goes on where this one ended"

EXAMPLES = """Examples:

lineage-hub send-events events.ndjson

lineage-hub send-events archive/ --rejects rejected.ndjson

zcat old.ndjson.gz | lineage-hub send-events

lineage-hub send-events events.json --dry-run"""


@app.command("send-events", epilog=EXAMPLES)
@takes_settings(*HUB)
def send_events(
    settings: Settings,
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATHS", help="Files or folders; - or nothing reads stdin.", show_default=False),
    ] = None,
    batch: Annotated[int, typer.Option(help="Most events in one request.", min=1, max=MAX_BATCH)] = 500,
    rejects: Annotated[
        Path | None, typer.Option(help="File for what was rejected: NDJSON with place, reason and event.")
    ] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Send files from their beginning.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count events and check that they are JSON.")] = False,
    give_up_after: Annotated[
        float, typer.Option(help="Seconds to wait for a hub that is away or busy.", min=0)
    ] = GIVE_UP_AFTER_S,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Send events from files, folders or stdin; a run that was interrupted is continued by the same command."""
    files = find_files(paths or _piped())
    before = {file: SentBefore(file, mask_url(settings.url)) for file in files if file.path and not dry_run}
    if restart:
        for one in before.values():
            one.forget()
    with ExitStack() as opened:
        reject = opened.enter_context(rejects_file(rejects, append=any(one.load() for one in before.values())))
        send = check_json if dry_run else Sender(opened.enter_context(Hub(settings)), give_up_after).send
        delivery = Delivery(send, batch, reject)
        try:
            for file in files:
                delivery.deliver(file, before.get(file))
        except KeyboardInterrupt:
            _tell(delivery.totals, as_json=as_json, dry_run=dry_run)
            print(f"interrupted; {CONTINUE}" if before else "interrupted", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None
        except Transient as error:
            print_rejects(delivery.totals)
            hint = f"; {CONTINUE}" if before else ""
            error.action = f"{delivery.totals.sent} events were sent before that{hint}. Else: {error.action}"
            raise
    _require_some(files, delivery.totals)
    _tell(delivery.totals, as_json=as_json, dry_run=dry_run)
    if delivery.totals.rejected:
        raise typer.Exit(1)


def _piped() -> list[str]:
    if sys.stdin is None or sys.stdin.isatty():
        raise InvalidRequest("there is nothing to send", subject="PATHS", action="name files, or pipe events in")
    return [STDIN]


def _require_some(files: list[EventFile], totals: Totals) -> None:
    if not totals.found and not totals.sent_before:
        names = ", ".join(file.shown for file in files)
        raise InvalidRequest(f"{names} holds no events", subject=names, action="give NDJSON, a JSON array or one event")


def _tell(totals: Totals, *, as_json: bool, dry_run: bool) -> None:
    found = totals.summary()
    if as_json:
        print_json({**found, "dry_run": dry_run})
        return
    what = "found, nothing was sent" if dry_run else "sent"
    before = f", {totals.sent_before} sent before (--restart sends them again)" if totals.sent_before else ""
    speed = f"in {found['seconds']:.1f} s ({found['events_per_second']:.0f} events/s)"
    print(f"{totals.sent} events {what}, {totals.rejected} rejected{before}, {speed}")
    print_rejects(totals)
    if totals.rejected and not dry_run:
        print("see and mend them with `lineage-hub dead-letters`", file=sys.stderr)
