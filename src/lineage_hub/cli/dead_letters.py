"""Ids of rejected events enter; they leave as a table or in full, mended, taken by the hub, or dropped."""

import base64
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from lineage_hub.cli.app import app
from lineage_hub.cli.groups import ListByDefault
from lineage_hub.cli.hub import Hub
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.errors import InvalidRequest
from lineage_hub.settings import Settings
from lineage_hub.terminal import lines_of_text, print_json, print_table

PATH = "/dead-letters"
PAGE = 1000
dead_letters = typer.Typer(
    help="Events that were rejected: see why, mend them, replay them; without a command they are listed.",
    cls=ListByDefault,
)
app.add_typer(dead_letters, name="dead-letters")

EXAMPLES = """Examples:

lineage-hub dead-letters

lineage-hub dead-letters show 12

lineage-hub dead-letters edit 12 --file mended.json

lineage-hub dead-letters replay 12

lineage-hub dead-letters delete --all --yes"""

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Id = Annotated[int, typer.Argument(metavar="ID", min=1, help="The dead letter's id.", show_default=False)]
Ids = Annotated[
    list[int] | None,
    typer.Argument(metavar="[ID]...", min=1, help="Ids of dead letters.", show_default=False),
]


class Letter(Struct, frozen=True, rename="camel"):
    id: int
    received_at: str
    error: str
    reason: str
    size: int
    source: str = ""
    excerpt: str = ""
    encoding: str = "utf-8"
    body: str = ""

    def text(self) -> str:
        if self.encoding == "base64":
            return base64.b64decode(self.body).decode(errors="replace")
        return self.body


class Letters(Struct, frozen=True, rename="camel"):
    dead_letters: list[Letter]
    total_count: int = 0


class Replayed(Struct, frozen=True):
    replayed: int
    failed: int


@dead_letters.command("list", epilog=EXAMPLES)
@takes_settings(*HUB)
def list_letters(
    settings: Settings,
    limit: Annotated[int, typer.Option(help="Most dead letters to list.", min=1, max=PAGE)] = 25,
    offset: Annotated[int, typer.Option(help="How many to pass over first.", min=0)] = 0,
    as_json: Json = False,
) -> None:
    """List rejected events with the reason, the newest first."""
    with Hub(settings) as hub:
        if as_json:
            print_json(hub.read_object(PATH, limit=limit, offset=offset))
            return
        answer = hub.read(Letters, PATH, limit=limit, offset=offset)
    if not answer.dead_letters:
        print("No dead letters.")
        return
    rows = [
        (str(one.id), one.received_at, one.error, one.reason, str(one.size), one.source) for one in answer.dead_letters
    ]
    print_table(("id", "received", "error", "reason", "bytes", "from"), rows)
    hidden = answer.total_count - offset - len(rows)
    if hidden > 0:
        print(f"… {hidden} more; use --limit and --offset to see them", file=sys.stderr)


@dead_letters.command("show", epilog=EXAMPLES)
@takes_settings(*HUB)
def show_letter(settings: Settings, letter: Id, as_json: Json = False) -> None:
    """Show why an event was rejected, and the event."""
    with Hub(settings) as hub:
        if as_json:
            print_json(hub.read_object(f"{PATH}/{letter}"))
            return
        found = hub.read(Letter, f"{PATH}/{letter}")
    came = f"received {found.received_at} by {found.source}, {found.size} bytes"
    print(lines_of_text(f"{found.error}: {found.reason}\n{came}\n\n{found.text()}"))


@dead_letters.command("edit", epilog=EXAMPLES)
@takes_settings(*HUB)
def edit_letter(
    settings: Settings,
    letter: Id,
    file: Annotated[
        str | None,
        typer.Option(help="File with the mended event, - reads stdin; without it $EDITOR opens.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Replace the body of a dead letter; replay it afterwards."""
    with Hub(settings) as hub:
        body = _edited_by_hand(hub, letter) if file is None else _read(file)
        change = json.dumps({"body": body}, ensure_ascii=False).encode()
        answer = hub.ask("PATCH", f"{PATH}/{letter}", body=change)
        if as_json:
            print_json(hub.decode(object, answer))
        else:
            print(f"dead letter {letter} changed; take it with: lineage-hub dead-letters replay {letter}")


@dead_letters.command("replay", epilog=EXAMPLES)
@takes_settings(*HUB)
def replay_letters(
    settings: Settings,
    letters: Ids = None,
    every: Annotated[bool, typer.Option("--all", help="Every dead letter, the oldest first.")] = False,
    as_json: Json = False,
) -> None:
    """Send dead letters through the hub again; those that are taken go, the others stay with their reason."""
    wanted = _wanted(letters, every, "replay")
    with Hub(settings) as hub:
        if every:
            answer = hub.ask("POST", f"{PATH}/replay")
            total = hub.decode(Replayed, answer)
            if as_json:
                print_json(hub.decode(object, answer))
            else:
                print(f"{total.replayed} replayed, {total.failed} failed again")
            if total.failed:
                raise typer.Exit(1)
            return
        answers = [hub.decode(object, hub.ask("POST", f"{PATH}/{letter}/replay")) for letter in wanted]
    if as_json:
        print_json(answers)
    else:
        print(f"{len(answers)} replayed")


@dead_letters.command("delete", epilog=EXAMPLES)
@takes_settings(*HUB)
def delete_letters(
    settings: Settings,
    letters: Ids = None,
    every: Annotated[bool, typer.Option("--all", help="Every dead letter.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask before deleting all.")] = False,
    as_json: Json = False,
) -> None:
    """Drop dead letters for good."""
    wanted = _wanted(letters, every, "delete")
    with Hub(settings) as hub:
        if every:
            if not yes:
                typer.confirm("Delete every dead letter for good?", abort=True)
            wanted = _every_id(hub)
        for letter in wanted:
            hub.ask("DELETE", f"{PATH}/{letter}")
    if as_json:
        print_json({"deleted": wanted})
    else:
        print(f"{len(wanted)} deleted")


def _wanted(letters: list[int] | None, every: bool, verb: str) -> list[int]:
    if bool(letters) == every:
        raise InvalidRequest(
            f"give ids of dead letters or --all, one of the two, to {verb}",
            action="list them with `lineage-hub dead-letters`",
        )
    return letters or []


def _every_id(hub: Hub) -> list[int]:
    found: list[int] = []
    while page := hub.read(Letters, PATH, limit=PAGE, offset=len(found)).dead_letters:
        found += [one.id for one in page]
    return found


def _edited_by_hand(hub: Hub, letter: int) -> str:
    before = hub.read(Letter, f"{PATH}/{letter}").text()
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"dead-letter-{letter}.json"
        file.write_text(before, encoding="utf-8")
        try:
            subprocess.run([*shlex.split(editor), str(file)], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise InvalidRequest(
                f"the editor failed: {error}", subject=editor, action="set EDITOR, or give --file"
            ) from None
        after = _read(str(file))
    if after == before:
        raise InvalidRequest(f"dead letter {letter} was not changed", action="save a change, or give --file")
    return after


def _read(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRequest(
            f"{file} can't be read: {error}", subject=file, action="name a UTF-8 file, or - for stdin"
        ) from None
