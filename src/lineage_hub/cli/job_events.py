"""What a run read, wrote and came to enters as flags; its events leave as NDJSON, ready for `send-events`."""

import re
import sys
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from lineage_hub.cli.app import app
from lineage_hub.cli.hub import Hub
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.cli.sending import Sender
from lineage_hub.cli.times import HELP as TIME_HELP
from lineage_hub.cli.times import read_time
from lineage_hub.errors import InvalidEvent, InvalidRequest
from lineage_hub.settings import Settings
from lineage_hub.terminal import one_line, print_json

if TYPE_CHECKING:
    from openlineage.client.event_v2 import RunEvent

    from lineage_hub.sdk.datasets import DatasetSpec, Name

# Two letters at least: one is the drive of a path.
_TYPE_AND_NAME = re.compile(r"([A-Za-z][A-Za-z0-9+_-]+):(?!//)(.+)", re.DOTALL)

EXAMPLES = """Examples:

lineage-hub create-job-events load_orders --input s3://lake/orders --output postgres:shop.orders > events.ndjson

lineage-hub create-job-events load_orders --input s3://lake/orders --start 2h --end 1h --error "disk full" --send"""


class Status(StrEnum):
    complete = "complete"
    fail = "fail"
    abort = "abort"
    running = "running"


@app.command("create-job-events", epilog=EXAMPLES)
@takes_settings(*HUB)
def create_job_events(
    settings: Settings,
    job: Annotated[str, typer.Argument(help="The job's name.", show_default=False)],
    inputs: Annotated[
        list[str] | None, typer.Option("--input", help="Dataset that it read: an address, or type:name. Repeatable.")
    ] = None,
    outputs: Annotated[list[str] | None, typer.Option("--output", help="Dataset that it wrote. Repeatable.")] = None,
    namespace: Annotated[
        str | None, typer.Option(help="Of the job, and of datasets without one; default that of the SDK.")
    ] = None,
    run_id: Annotated[str | None, typer.Option(help="UUID of the run; a new one unless given.")] = None,
    status: Annotated[
        Status | None, typer.Option(help="How it ended; running: it hasn't. Default complete, with --error fail.")
    ] = None,
    error: Annotated[str | None, typer.Option(help="Why it failed.")] = None,
    start: Annotated[str | None, typer.Option(help=f"When it began; default the end. {TIME_HELP}")] = None,
    end: Annotated[str | None, typer.Option(help="When it ended; default now. Same spellings.")] = None,
    send: Annotated[bool, typer.Option("--send", help="Send them to the hub instead of printing them.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: a list, or with --send a summary.")] = False,
) -> None:
    """Write the events of one run of a job: START, and COMPLETE, FAIL or ABORT."""
    if not job.strip():
        raise InvalidRequest("a job needs a name", subject="JOB", action="name the job")
    ended = status or (Status.fail if error is not None else Status.complete)
    if error is not None and ended not in (Status.fail, Status.abort):
        raise InvalidRequest(
            f"--error does not go with --status {ended}", subject="--error", action="use --status fail or abort"
        )
    began_at, ended_at = _times(start, end)
    space = namespace or _namespace_of_the_sdk()
    sides = {
        "inputs": [_name_of(text, space) for text in inputs or ()],
        "outputs": [_name_of(text, space) for text in outputs or ()],
    }
    run = _run_id(run_id)
    kinds = [("START", began_at)] if ended is Status.running else [("START", began_at), (ended.upper(), ended_at)]
    events = [_event(kind, at, run, (space, job), sides, error if kind != "START" else None) for kind, at in kinds]
    _give(settings, events, run, send=send, as_json=as_json)


def _times(start: str | None, end: str | None) -> tuple[str, str]:
    ended_at = read_time(end or "now", "--end") or ""
    began_at = read_time(start, "--start") or ended_at
    if _moment(began_at) > _moment(ended_at):
        raise InvalidRequest(
            f"the run would begin at {began_at}, after its end at {ended_at}", subject="--start", action="correct one"
        )
    return began_at, ended_at


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _namespace_of_the_sdk() -> str:
    from lineage_hub.sdk.config import LineageHubConfig

    return LineageHubConfig.load().namespace


def _run_id(given: str | None) -> str:
    from openlineage.client.uuid import generate_new_uuid

    if given is None:
        return str(generate_new_uuid())
    try:
        return str(UUID(given))
    except ValueError:
        raise InvalidRequest(
            f"{given!r} is no UUID", subject="--run-id", action="leave it out, and a new one is made"
        ) from None


def _name_of(text: str, namespace: str) -> "Name":
    from lineage_hub.sdk.datasets import resolved

    name, wrong = resolved(_spec_of(text), namespace)
    if wrong is not None:
        print(one_line(f"{text} has a plain name only, {name[0]} {name[1]}: {wrong}"), file=sys.stderr)
    return name


def _spec_of(text: str) -> "DatasetSpec":
    """An address, `type:name`, or a name alone."""
    from lineage_hub.sdk.datasets import DatasetSpec

    if not text.strip():
        raise InvalidRequest("a dataset needs a name", subject="dataset", action="write an address, or type:name")
    typed = _TYPE_AND_NAME.fullmatch(text)
    if typed is None:
        return DatasetSpec.of(text)
    spec = DatasetSpec(typed[1], typed[2])
    spec.validate()
    return spec


def _event(
    kind: str, at: str, run_id: str, job: "Name", sides: "dict[str, list[Name]]", error: str | None
) -> "RunEvent":
    from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
    from openlineage.client.facet_v2 import error_message_run

    from lineage_hub.sdk.said import PRODUCER

    facets = {}
    if error is not None:
        told = error_message_run.ErrorMessageRunFacet(message=error, programmingLanguage="unknown", producer=PRODUCER)
        facets["errorMessage"] = told
    return RunEvent(
        eventType=RunState(kind),
        eventTime=at,
        producer=PRODUCER,
        run=Run(run_id, facets),  # type: ignore[arg-type]
        job=Job(*job),
        inputs=[InputDataset(*name) for name in sides["inputs"]],
        outputs=[OutputDataset(*name) for name in sides["outputs"]],
    )


def _give(settings: Settings, events: "list[RunEvent]", run_id: str, *, send: bool, as_json: bool) -> None:
    from openlineage.client.serde import Serde

    if not send:
        if as_json:
            print_json([Serde.to_dict(event) for event in events])
        else:
            for event in events:
                print(Serde.to_json(event))
        return
    with Hub(settings) as hub:
        refused = Sender(hub).send([Serde.to_json(event).encode() for event in events])
        if refused:
            raise InvalidEvent(refused[0].reason, subject=run_id, action="see `lineage-hub dead-letters`")
        if as_json:
            print_json({"run_id": run_id, "sent": len(events)})
        else:
            print(f"{len(events)} events of run {run_id} sent to {hub.shown_url}")
