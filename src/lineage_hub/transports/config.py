"""A mapping enters, as YAML and environments give it; the typed configuration of one transport leaves.

Keys are taken in the spellings that OpenLineage's clients know: `api_key`, `apiKey`, or `auth: {apiKey: …}`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, ClassVar, Self, get_type_hints

from lineage_hub.errors import InvalidSetting

_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")
_TRUE, _FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


@dataclasses.dataclass(frozen=True, slots=True)
class Config:
    """Fields without a default are required."""

    kind: ClassVar[str] = ""

    @classmethod
    def from_dict(cls, params: Mapping[str, Any]) -> Self:
        given = {_snake(key): value for key, value in params.items() if key not in ("type", "name", "priority")}
        auth = given.pop("auth", None)
        if isinstance(auth, Mapping):
            key = {_snake(name): value for name, value in auth.items()}.get("api_key")
            given.setdefault("api_key", key or "")
        fields = {one.name: one for one in dataclasses.fields(cls)}
        unknown = sorted(given.keys() - fields.keys())
        if unknown:
            near = get_close_matches(unknown[0], fields, 1)
            raise InvalidSetting(
                f"the transport {cls.kind or cls.__name__} has no key {unknown[0]!r}",
                subject=unknown[0],
                action=f"did you mean {near[0]!r}?" if near else f"use {', '.join(fields)}",
            )
        for name, one in fields.items():
            required = one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING
            if required and given.get(name) in (None, ""):
                raise InvalidSetting(
                    f"the transport {cls.kind or cls.__name__} needs {name!r}", subject=name, action=f"add {name}"
                )
        hints = get_type_hints(cls)
        return cls(**{name: _as(hints[name], name, value) for name, value in given.items() if value is not None})


def _snake(key: str) -> str:
    return _HUMP.sub(r"_\1", key).lower()


def _as(wanted: Any, name: str, value: Any) -> Any:
    """Environments give texts only."""
    if not isinstance(value, str) or wanted not in (bool, int, float):
        return value
    try:
        if wanted is bool:
            if value.lower() not in (*_TRUE, *_FALSE):
                raise ValueError(value)
            return value.lower() in _TRUE
        return wanted(value)
    except ValueError:
        raise InvalidSetting(f"{name}={value!r} is no {wanted.__name__}", subject=name, action="correct it") from None
