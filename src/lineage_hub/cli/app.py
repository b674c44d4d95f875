"""The modules of `COMMANDS` enter, each of which adds its commands to `app`; the whole command leaves.

They import what is heavy inside their functions, so that `lineage-hub --help` is quick and needs no extra.
"""

from importlib import import_module
from importlib.metadata import entry_points
from typing import Annotated

import typer

from lineage_hub import __version__

# Other parts of the product, and plugins, add groups of commands by entry point.
GROUP = "lineage_hub.commands"
# In the order that --help shows them.
COMMANDS = (
    "serve",
    "health",
    "search",
    "lineage",
    "impact",
    "diff",
    "history",
    "timeline",
    "runs",
    "freshness",
    "traces",
    "metrics",
    "logs",
    "why",
    "namespaces",
    "events",
    "follow",
    "producers",
    "send_events",
    "import_events",
    "job_events",
    "rules",
    "dead_letters",
    "retention",
    "doctor",
    "backup",
    "demo",
    "instrument",
    "config",
)

app = typer.Typer(
    name="lineage-hub",
    help="Where data comes from, what it feeds, which run made it, and what changed.",
    no_args_is_help=True,
    add_completion=False,
    # A defect shows Python's plain traceback: the pretty one prints local variables, secrets too.
    pretty_exceptions_enable=False,
)


def load_app(word: str | None = None) -> typer.Typer:
    """With the first word of a command, only its group if it names one: the others take as long to load as Python."""
    groups = sorted(entry_points(group=GROUP), key=lambda one: one.name)
    named = [one for one in groups if one.name == word]
    for name in () if named else COMMANDS:
        import_module(f"lineage_hub.cli.{name}")
    for found in named or groups:
        app.add_typer(found.load())
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"lineage-hub {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    pass
