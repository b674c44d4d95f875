"""Topics and names enter; what the hub is told leaves line by line while it happens, until Ctrl-C.

A connection that breaks is made again from the last message, so that none is missed.
"""

import sys
import time
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import msgspec
import typer

from lineage_hub.cli.app import app
from lineage_hub.cli.durations import shown
from lineage_hub.cli.hub import Hub
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.errors import Transient, Unreachable
from lineage_hub.settings import Settings
from lineage_hub.terminal import one_line

EXAMPLES = """Examples:

lineage-hub follow

lineage-hub follow --topics runs --job load_orders

lineage-hub follow --topics events --dataset orders --json"""
Answer = dict[str, Any]
# The hub says something every 15 seconds.
SILENCE_S = 60.0
PAUSE_S = 2.0


class Message(NamedTuple):
    topic: str
    id: str
    data: Answer


@app.command(epilog=EXAMPLES)
@takes_settings(*HUB)
def follow(
    settings: Settings,
    topics: Annotated[str, typer.Option(help="runs, events, changes; several by commas.")] = "runs",
    namespace: Annotated[str | None, typer.Option(help="Of the job, or of a dataset.")] = None,
    job: Annotated[str | None, typer.Option(help="Only what speaks of a job of this name.")] = None,
    dataset: Annotated[str | None, typer.Option(help="Only what speaks of a dataset of this name.")] = None,
    after: Annotated[str | None, typer.Option(help="The id of the last message seen; 0 for all that there is.")] = None,
    count: Annotated[int | None, typer.Option(help="End after so many messages.", min=1)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
) -> None:
    """Follow runs, events and changes while they happen."""
    question = {"topics": topics, "namespace": namespace, "job": job, "dataset": dataset}
    told = 0
    with Hub(settings) as hub:
        try:
            for message in messages(hub, question, after):
                line = msgspec.json.encode(message._asdict()).decode() if as_json else _line(message)
                print(line, flush=True)
                told += 1
                if told == count:
                    break
        except KeyboardInterrupt:
            return


def messages(hub: Hub, question: dict[str, str | None], after: str | None) -> Iterator[Message]:
    met = False
    while True:
        try:
            headers = {"Last-Event-ID": after} if after is not None else {}
            fields: dict[str, str] = {}
            for line in hub.lines("/stream", SILENCE_S, headers, **question):
                met = True
                if line:
                    name, _, value = line.partition(": ")
                    fields[name] = value
                    continue
                after = fields.get("id", after)
                if "data" in fields:
                    yield Message(fields.get("event", ""), after or "", msgspec.json.decode(fields["data"]))
                fields = {}
        except (Unreachable, Transient) as error:
            if not met:
                raise
            print(f"{error.message}; trying again", file=sys.stderr)
        time.sleep(PAUSE_S)


def _line(message: Message) -> str:
    data = message.data
    if message.topic == "runs":
        took = data["durationMs"]
        after = f"after {shown(took * 1_000_000)}" if took is not None else ""
        words = (data["endedAt"] or data["startedAt"], "run", data["state"], _name(data["job"]), data["run"], after)
    elif message.topic == "events":
        about = data.get("job") or data.get("dataset") or {}
        words = (data["eventTime"], "event", data["eventType"] or data["kind"], _name(about), data["run"] or "", "")
    elif message.topic == "changes":
        names = [_name(one) for one in (*data["jobs"], *data["datasets"])]
        words = (data["eventTime"], "change", "", ", ".join(names), "", "")
    else:
        words = ("", message.topic, data.get("reason", ""), "", "", "")
    return one_line("  ".join(str(word) for word in words if word))


def _name(one: Answer) -> str:
    return f"{one['namespace']}:{one['name']}" if one else ""
