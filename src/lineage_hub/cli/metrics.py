"""A metric's name enters, or none; its series over time leave, or the list of all metrics."""

import sys
from typing import Annotated

import typer
from msgspec import Struct

from lineage_hub.cli.app import app
from lineage_hub.cli.hub import Hub, Value
from lineage_hub.cli.nodes import quoted
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.cli.times import HELP as TIME_HELP
from lineage_hub.cli.times import read_time
from lineage_hub.settings import Settings
from lineage_hub.terminal import one_line, print_json, print_table

EXAMPLES = """Examples:

lineage-hub metrics

lineage-hub metrics --prefix http. --service checkout

lineage-hub metrics pipeline.records.processed --by pipeline.stage --from 7d

lineage-hub metrics http.server.request.duration --step 300 --points"""
BARS = "▁▂▃▄▅▆▇█"
# What of a point is drawn: the first of these that it has.
DRAWN = ("rate", "value", "p95", "count")


class Metric(Struct, frozen=True, rename="camel"):
    name: str
    type: str
    unit: str = ""
    temporality: str | None = None
    description: str | None = None
    services: list[str] = []
    points: int = 0


class Metrics(Struct, frozen=True, rename="camel"):
    metrics: list[Metric]
    total_count: int = 0


# A quantile of which a summary says that it is no number is null.
Point = dict[str, str | float | dict[str, float | None] | None]


class Series(Struct, frozen=True):
    service: str
    type: str
    unit: str = ""
    attributes: dict[str, str] = {}
    points: list[Point] = []


class AllSeries(Struct, frozen=True, rename="camel"):
    series: list[Series]
    total_count: int = 0


@app.command(epilog=EXAMPLES)
@takes_settings(*HUB)
def metrics(
    settings: Settings,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A metric's name.", show_default=False)] = None,
    prefix: Annotated[str | None, typer.Option(help="List those whose names begin so.")] = None,
    service: Annotated[str | None, typer.Option(help="Only of this service.")] = None,
    attribute: Annotated[str | None, typer.Option(help="Only points that have it: name=value.")] = None,
    by: Annotated[str | None, typer.Option(help="A series for each value of this attribute.")] = None,
    step: Annotated[int | None, typer.Option(help="Seconds of a step.", min=1)] = None,
    start: Annotated[str | None, typer.Option("--from", help=f"From then on; default a day back. {TIME_HELP}")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Before then; default now.")] = None,
    points: Annotated[bool, typer.Option("--points", help="Every point in figures, not drawn.")] = False,
    limit: Annotated[int, typer.Option(help="Most metrics or series to show.", min=1, max=10_000)] = 100,
    offset: Annotated[int, typer.Option(help="How many to pass over first.", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List metrics, or show one over time: gauges, growth of counters, quantiles of histograms."""
    path = "/telemetry/metrics" if name is None else f"/telemetry/metrics/{quoted(name)}"
    question: dict[str, Value] = {
        "service": service,
        "attribute": attribute,
        "from": read_time(start, "--from"),
        "to": read_time(end, "--to"),
        "limit": limit,
        "offset": offset,
        **({"prefix": prefix} if name is None else {"by": by, "step": step}),
    }
    with Hub(settings) as hub:
        if as_json:
            print_json(hub.read_object(path, **question))
        elif name is None:
            _list(hub.read(Metrics, path, **question), offset)
        else:
            _show(hub.read(AllSeries, path, **question), offset, points)


def _list(answer: Metrics, offset: int) -> None:
    if not answer.metrics:
        print("No metrics.")
        return
    rows = [
        (one.name, one.type, one.unit, one.temporality or "", str(one.points), ", ".join(one.services))
        for one in answer.metrics
    ]
    print_table(("metric", "type", "unit", "temporality", "points", "services"), rows)
    _say_what_is_hidden(answer.total_count - offset - len(rows))


def _show(answer: AllSeries, offset: int, points: bool) -> None:
    for one in answer.series:
        told = "".join(f" {name}={value}" for name, value in one.attributes.items())
        if points:
            print(one_line(f"{one.service}{told}"))
            flat = [_flat(point) for point in one.points]
            names = list(dict.fromkeys(name for point in flat for name in point))
            print_table(names, [[_figure(point.get(name)) for name in names] for point in flat])
            print()
    if not points:
        rows = [_drawn(one) for one in answer.series]
        print_table(("service", "attributes", "figure", "last", "least", "most", "over time"), rows)
    _say_what_is_hidden(answer.total_count - offset - len(answer.series))


def _flat(point: Point) -> dict[str, str | float | None]:
    """The quantiles of a summary each by itself."""
    found: dict[str, str | float | None] = {}
    for name, value in point.items():
        if isinstance(value, dict):
            found.update({f"q{level}": figure for level, figure in value.items()})
        else:
            found[name] = value
    return found


def _drawn(one: Series) -> tuple[str, ...]:
    told = " ".join(f"{name}={value}" for name, value in one.attributes.items())
    figure = next(name for name in DRAWN if name in one.points[0])
    values = [value for point in one.points if isinstance(value := point[figure], int | float)]
    if not values:
        return one.service, told, figure, "", "", "", ""
    unit = f"{one.unit}/s" if figure == "rate" and one.type == "sum" else one.unit if figure != "rate" else "/s"
    shown = tuple(_figure(value) for value in (values[-1], min(values), max(values)))
    return one.service, told, f"{figure} {unit}".strip(), *shown, bars(values)


def bars(values: list[float], width: int = 60) -> str:
    """A bar for each value, from the least to the greatest; of many, the greatest of each few."""
    few = -(-len(values) // width)
    values = [max(values[at : at + few]) for at in range(0, len(values), few)]
    low, high = min(values), max(values)
    if high == low:
        return BARS[0] * len(values)
    return "".join(BARS[min(len(BARS) - 1, int((value - low) / (high - low) * len(BARS)))] for value in values)


def _figure(value: object) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def _say_what_is_hidden(count: int) -> None:
    if count > 0:
        print(f"… {count} more; use --limit and --offset to see them", file=sys.stderr)
