"""A command that has a parameter `settings` enters; the same with a flag for each setting it names leaves.

So every setting can be given by flag, and none of them is written down a second time.
"""

import inspect
from collections.abc import Callable
from dataclasses import Field
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from lineage_hub.settings import by_name, every_setting, flag_of, load_settings

Command = Callable[..., None]
ALL = tuple(setting.name for setting in every_setting())
# What a command needs that asks a hub.
HUB = ("url", "api_key")


def takes_settings(*names: str) -> Callable[[Command], Command]:
    """Beneath `@app.command()`: adds `--config` and a flag for each named setting, hands over `settings`."""

    def decorate(command: Command) -> Command:
        own = [p for p in inspect.signature(command, eval_str=True).parameters.values() if p.name != "settings"]
        parameters = [*own, _config_option(), *(_option(by_name(name)) for name in names)]

        @wraps(command)
        def run(**given: Any) -> None:
            flags = {name: given.pop(name) for name in names}
            settings = load_settings(flags, given.pop("config"))
            command(**given, settings=settings)

        # Typer reads both, so both must speak of the flags rather than of `settings`.
        run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
        )
        run.__annotations__ = {p.name: p.annotation for p in parameters}
        return run

    return decorate


def _config_option() -> inspect.Parameter:
    text = "TOML file with settings; also LINEAGE_HUB_CONFIG."
    annotation = Annotated[Path | None, typer.Option("--config", help=text, rich_help_panel="Settings")]
    return inspect.Parameter("config", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _option(setting: "Field[Any]") -> inspect.Parameter:
    text = setting.metadata["help"]
    option = typer.Option(flag_of(setting), help=text, show_default=False, rich_help_panel="Settings")
    return inspect.Parameter(
        setting.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[setting.type | None, option],  # type: ignore[operator]
    )
