"""Arguments, a YAML file and the environment enter, in this order of weight; one frozen configuration leaves.

A file or a variable that can't be read is an error of `LineageHubConfig.load`; code that is only observed never sees
it: `get_config` warns once and goes on with what could be read.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self

from lineage_hub.errors import InvalidSetting, LineageHubError
from lineage_hub.sdk.warnings import warn_once

PREFIX = "LINEAGE_HUB_"
FILE_VARIABLE = "LINEAGE_HUB_SDK_CONFIG"
# Where an address or a key also may stand, the first that is set.
ELSEWHERE = {
    "hub_endpoint": ("LINEAGE_HUB_URL", "OPENLINEAGE_URL"),
    "api_key": ("OPENLINEAGE_API_KEY",),
    "namespace": ("OPENLINEAGE_NAMESPACE",),
}
_TRUE, _FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


@dataclass(frozen=True, slots=True)
class LineageHubConfig:
    """What the SDK goes by: where the hub is, who speaks, and how patiently."""

    hub_endpoint: str = ""
    """Without it events are printed."""
    api_key: str = field(default="", repr=False)
    namespace: str = "default"
    """Of jobs, and of datasets that have no place of their own."""
    timeout: float = 30.0
    retry_attempts: int = 3
    retry_delay: float = 1.0
    enable_telemetry: bool = True
    enable_lineage: bool = True
    auto_instrument: bool = False
    batch_size: int = 100
    flush_interval: float = 5.0
    debug: bool = False
    dry_run: bool = False
    durable: bool = False
    spool_folder: str = ""

    @classmethod
    def load(cls, file: str | Path | None = None, environ: Mapping[str, str] | None = None, **arguments: Any) -> Self:
        """Raises InvalidSetting for what is unknown or can't be read."""
        found = {name: value for name, (value, _) in _found(file, environ).items()}
        found.update({name: value for name, value in arguments.items() if value is not None})
        known = {one.name: one for one in fields(cls)}
        for name in found:
            if name not in known:
                near = get_close_matches(name, known, 1)
                raise InvalidSetting(
                    f"the SDK has no setting {name!r}",
                    subject=name,
                    action=f"did you mean {near[0]!r}?" if near else f"use {', '.join(known)}",
                )
        return cls(**{name: _as(known[name].type, name, value) for name, value in found.items()})


def origins(file: str | Path | None = None, environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Where each value of `LineageHubConfig.load` comes from: default, a file or a variable."""
    found = _found(file, environ)
    return {one.name: found[one.name][1] if one.name in found else "default" for one in fields(LineageHubConfig)}


def _found(file: str | Path | None, environ: Mapping[str, str] | None) -> dict[str, tuple[Any, str]]:
    """Values by name, each with its origin."""
    environ = os.environ if environ is None else environ
    found = _from_environment(environ)
    path = file or environ.get(FILE_VARIABLE)
    if path:
        found.update({name: (value, f"file {path}") for name, value in _from_file(Path(path)).items()})
    return found


def _from_environment(environ: Mapping[str, str]) -> dict[str, tuple[Any, str]]:
    found: dict[str, tuple[Any, str]] = {}
    for one in fields(LineageHubConfig):
        for variable in (PREFIX + one.name.upper(), *ELSEWHERE.get(one.name, ())):
            if environ.get(variable):
                found[one.name] = environ[variable], f"environment {variable}"
                break
    return found


def _from_file(path: Path) -> dict[str, Any]:
    import yaml  # type: ignore[import-untyped]

    try:
        content = yaml.safe_load(path.read_text())
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise InvalidSetting(
            f"the SDK's file {path} can't be read: {error}", subject=str(path), action="correct the file"
        ) from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise InvalidSetting(f"{path} holds no settings", subject=str(path), action="write `name: value` lines")
    return {str(name): value for name, value in content.items()}


def _as(wanted: Any, name: str, value: Any) -> Any:
    try:
        if wanted == "bool":
            if isinstance(value, bool):
                return value
            if str(value).lower() not in (*_TRUE, *_FALSE):
                raise ValueError(value)
            return str(value).lower() in _TRUE
        return {"str": str, "int": int, "float": float}[wanted](value)
    except (TypeError, ValueError):
        raise InvalidSetting(f"{name}={value!r} is no {wanted}", subject=name, action="correct it") from None


_lock = threading.Lock()
_config: LineageHubConfig | None = None


def configure(file: str | Path | None = None, **arguments: Any) -> LineageHubConfig:
    """What is said here counts for the whole process."""
    global _config  # noqa: PLW0603
    with _lock:
        _config = config = LineageHubConfig.load(file, **arguments)
    _instrument(config)
    return config


def override(**arguments: Any) -> LineageHubConfig:
    """As configured but for these values; what is wrong elsewhere is told once and left aside."""
    global _config  # noqa: PLW0603
    config = replace(get_config(), **arguments)
    with _lock:
        _config = config
    return config


def get_config() -> LineageHubConfig:
    """What was configured, else what the file and the environment say; read once."""
    global _config  # noqa: PLW0603
    config = _config
    if config is None:
        with _lock:
            if _config is None:
                _config = _without_fail()
            config = _config
        _instrument(config)
    return config


def _instrument(config: LineageHubConfig) -> None:
    if config.auto_instrument and config.enable_lineage:
        from lineage_hub.sdk.instrumentation import instrument

        instrument()


def reset_config() -> None:
    """As if nothing had been said or read yet."""
    global _config  # noqa: PLW0603
    with _lock:
        _config = None


def replace_config(other: LineageHubConfig | None) -> LineageHubConfig | None:
    """For tests: what was there before is returned, None if nothing had been said or read."""
    global _config
    with _lock:
        before, _config = _config, other
        return before


def _without_fail() -> LineageHubConfig:
    try:
        return LineageHubConfig.load()
    except LineageHubError as error:
        warn_once("config", "the configuration is wrong, so only its readable part counts: %s", error)
    config = LineageHubConfig()
    for name, (value, _) in _from_environment(os.environ).items():
        try:
            wanted = next(one.type for one in fields(LineageHubConfig) if one.name == name)
            config = replace(config, **{name: _as(wanted, name, value)})
        except LineageHubError:
            continue
    return config
