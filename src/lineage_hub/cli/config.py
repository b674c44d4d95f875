"""Files, environment and flags enter; each setting with its value and its origin leaves, secrets masked."""

from typing import Annotated

import typer

from lineage_hub.cli.app import app
from lineage_hub.cli.options import ALL, takes_settings
from lineage_hub.cli.terminal import print_json, print_table
from lineage_hub.settings import Settings, every_setting

config = typer.Typer(help="The settings that are in force.", no_args_is_help=True)
app.add_typer(config, name="config")


@config.command()
@takes_settings(*ALL)
def show(settings: Settings, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Show every setting, its value and where that came from."""
    names = [setting.name for setting in every_setting()]
    if as_json:
        print_json({n: {"value": _json_value(settings, n), "origin": settings.origin(n)} for n in names})
    else:
        print_table(("setting", "value", "origin"), [(n, settings.shown(n), settings.origin(n)) for n in names])


def _json_value(settings: Settings, name: str) -> str | int | float:
    value = getattr(settings, name)
    return value if isinstance(value, int | float) else settings.shown(name)
