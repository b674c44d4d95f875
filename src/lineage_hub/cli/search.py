"""Words enter; the jobs and datasets that match leave, the best match first, with what matched."""

import sys
from enum import StrEnum
from typing import Annotated

import typer
from msgspec import Struct

from lineage_hub.cli.app import app
from lineage_hub.cli.hub import Hub, Value
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.cli.times import HELP as TIME_HELP
from lineage_hub.cli.times import read_time
from lineage_hub.errors import InvalidRequest
from lineage_hub.settings import Settings
from lineage_hub.terminal import print_json, print_table


class Kind(StrEnum):
    dataset = "dataset"
    job = "job"


class Sort(StrEnum):
    name = "name"
    updated_at = "updated_at"


class Place(Struct, frozen=True):
    field: str
    value: str = ""


class Result(Struct, frozen=True, rename="camel"):
    node_id: str
    updated_at: str = ""
    matches: list[Place] = []


class Preparing(Struct, frozen=True):
    done: int
    of: int


class Results(Struct, frozen=True, rename="camel"):
    results: list[Result]
    total_count: int = 0
    not_looked_at: int = 0
    preparing: Preparing | None = None


EXAMPLES = """Examples:

lineage-hub search revenue daily

lineage-hub search custmer_emial --kind dataset

lineage-hub search orders --namespace snowflake://bookshop-eu --json

lineage-hub search --owner team:finance --tag pii

lineage-hub search load --kind job --state FAILED"""


@app.command(epilog=EXAMPLES)
@takes_settings(*HUB)
def search(
    settings: Settings,
    words: Annotated[
        list[str] | None,
        typer.Argument(help="Words, parts of words, or a name; may have mistakes.", show_default=False),
    ] = None,
    kind: Annotated[Kind | None, typer.Option(help="Only datasets, or only jobs.")] = None,
    namespace: Annotated[str | None, typer.Option(help="Only in this namespace.")] = None,
    tag: Annotated[str | None, typer.Option(help="Only with this tag.")] = None,
    owner: Annotated[str | None, typer.Option(help="Only of this owner.")] = None,
    state: Annotated[
        str | None, typer.Option(help="Jobs whose last run is so, such as FAILED; datasets ACTIVE or DELETED.")
    ] = None,
    after: Annotated[str | None, typer.Option(help=f"Last heard of then or later. {TIME_HELP}")] = None,
    before: Annotated[str | None, typer.Option(help="Last heard of before then.")] = None,
    sort: Annotated[Sort | None, typer.Option(help="By name or time; without it the best match first.")] = None,
    limit: Annotated[int, typer.Option(help="Most results.", min=1, max=1000)] = 10,
    as_of: Annotated[str | None, typer.Option(help="What was there then; same spellings.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find jobs and datasets by names, columns, descriptions, tags and owners."""
    if not words and tag is None and owner is None:
        raise InvalidRequest(
            "there is nothing to search for", subject="WORDS", action="give words, or --tag or --owner"
        )
    question: dict[str, Value] = {
        "q": " ".join(words or ()) or None,
        "filter": kind.value if kind else None,
        "namespace": namespace,
        "tag": tag,
        "owner": owner,
        "state": state,
        "after": read_time(after, "--after"),
        "before": read_time(before, "--before"),
        "sort": sort.value if sort else None,
        "limit": limit,
        "as_of": read_time(as_of, "--as-of"),
    }
    with Hub(settings) as hub:
        if as_json:
            print_json(hub.read_object("/search", **question))
            return
        answer = hub.read(Results, "/search", **question)
    _show(answer)


def _show(answer: Results) -> None:
    if answer.preparing is not None:
        print(
            f"Columns, descriptions, tags and owners are still being read ({answer.preparing.done} of "
            f"{answer.preparing.of}); names are all there.",
            file=sys.stderr,
        )
    if not answer.results:
        print("Nothing found.")
        return
    print_table(("node", "matches", "last heard of"), [_row(one) for one in answer.results])
    hidden = answer.total_count - len(answer.results)
    if hidden > 0 or answer.not_looked_at:
        print("… more match; raise --limit, or add words or filters", file=sys.stderr)


def _row(one: Result) -> tuple[str, str, str]:
    return one.node_id, "; ".join([_place(place) for place in one.matches]), one.updated_at


def _place(place: Place) -> str:
    if place.field == "name":
        return "name"
    shown = place.value if len(place.value) <= 60 else place.value[:59] + "…"
    return f"{place.field} {shown}"
