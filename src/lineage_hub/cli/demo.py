"""A seed enters; a hub starts, a pipeline tells it of its runs on Spark, and what it can answer leaves as tables.

With a terminal attached the hub goes on serving until Ctrl-C; without one it stops and the command ends.
"""

import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from lineage_hub.cli.app import app
from lineage_hub.cli.child_hub import ChildHub, child_hub, free_port
from lineage_hub.cli.demo_shop import show_shop
from lineage_hub.cli.demo_week import show_week
from lineage_hub.cli.hub import Hub
from lineage_hub.errors import InternalError
from lineage_hub.settings import load_settings

# Where exporters of OpenTelemetry send to unless they are told otherwise.
GRPC_PORT = 4317


@app.command(epilog="Examples: lineage-hub demo — lineage-hub demo --data ./demo --seed 3 — lineage-hub demo --events")
def demo(
    data: Annotated[
        Path | None,
        typer.Option(help="Folder for the hub's data; a temporary one unless given.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(help="Another seed makes other data.")] = 7,
    events: Annotated[
        bool, typer.Option("--events", help="A week of a bookshop's events instead; needs neither Spark nor Java.")
    ] = False,
) -> None:
    """Start a hub, run a shop's data pipeline on Spark twice, and show what the hub knows of it."""
    _make_sigterm_interrupt()
    try:
        with _folder(data) as folder, child_hub(folder, ("--otlp-grpc-port", str(free_port(GRPC_PORT)))) as child:
            settings = load_settings({"url": child.url}, folder / "demo.toml", {})
            with Hub(settings) as hub:
                node = show_week(hub, seed) if events else show_shop(hub, child.url, folder, seed)
            if sys.stdin.isatty() and sys.stdout.isatty():
                _keep_serving(child, node, "revenue_daily" if events else "daily_revenue")
    except KeyboardInterrupt:
        print("\nThe hub has stopped.")


@contextmanager
def _folder(data: Path | None) -> Iterator[Path]:
    if data is not None:
        yield data
        return
    with tempfile.TemporaryDirectory(prefix="lineage-hub-demo-") as made:
        yield Path(made)


def _make_sigterm_interrupt() -> None:
    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)


def _keep_serving(child: ChildHub, node: str, dataset: str) -> None:
    print(f"\nThe hub is serving at {child.url} (API at {child.url}/docs). Look at it in a browser:\n")
    print(f"  {child.url}/")
    print(f"  {child.url}/lineage?node={quote(node, safe=':/')}\n")
    print("Try in another terminal:\n")
    print(f"  lineage-hub lineage {dataset} --url {child.url}")
    print(f"  lineage-hub lineage {dataset} --columns --url {child.url}")
    print(f"  OPENLINEAGE_URL={child.url} dbt-ol run")
    print(f"  OTEL_EXPORTER_OTLP_ENDPOINT={child.url} opentelemetry-instrument python app.py\n")
    print("Ctrl-C stops it.", flush=True)
    while child.process.poll() is None:
        time.sleep(0.2)
    raise InternalError(
        f"the hub stopped by itself (exit code {child.process.returncode}); it said:\n{child.said()}",
        action="run `lineage-hub doctor`",
    )
