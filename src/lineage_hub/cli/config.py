"""Files, environment and flags enter; each setting with its value and its origin leaves, secrets masked."""

from dataclasses import asdict
from typing import Annotated

import typer

from lineage_hub.cli.app import app
from lineage_hub.cli.options import ALL, takes_settings
from lineage_hub.settings import MASK, Settings, every_setting, mask_url
from lineage_hub.terminal import print_json, print_table

config = typer.Typer(help="The settings that are in force.", no_args_is_help=True)
app.add_typer(config, name="config")
# A value as JSON has it, a value as a person may see it, an origin.
Row = tuple[str | int | float, str, str]


@config.command(epilog="Examples: lineage-hub config show — lineage-hub config show --sdk --json")
@takes_settings(*ALL)
def show(
    settings: Settings,
    sdk: Annotated[
        bool, typer.Option("--sdk", help="Those of the SDK, as a program started here would see them.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show every setting, its value and where that came from."""
    rows = _of_the_sdk() if sdk else _of_the_hub(settings)
    if as_json:
        print_json({name: {"value": value, "origin": origin} for name, (value, _, origin) in rows.items()})
    else:
        print_table(
            ("setting", "value", "origin"), [(name, shown, origin) for name, (_, shown, origin) in rows.items()]
        )


def _of_the_hub(settings: Settings) -> dict[str, Row]:
    rows: dict[str, Row] = {}
    for setting in every_setting():
        name, shown = setting.name, settings.shown(setting.name)
        value = getattr(settings, name)
        rows[name] = (value if isinstance(value, int | float) else shown, shown, settings.origin(name))
    return rows


def _of_the_sdk() -> dict[str, Row]:
    from lineage_hub.sdk.config import LineageHubConfig, origins

    found = asdict(LineageHubConfig.load())
    found["api_key"] = MASK if found["api_key"] else ""
    found["hub_endpoint"] = mask_url(found["hub_endpoint"])
    return {name: (found[name], _text(found[name]), origin) for name, origin in origins().items()}


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
