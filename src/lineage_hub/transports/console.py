"""Events enter, lines on standard error leave: for a first look, and for when nothing else is configured."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from lineage_hub.errors import Unreachable
from lineage_hub.transports.base import Refused, Transport
from lineage_hub.transports.config import Config


@dataclass(frozen=True, slots=True)
class ConsoleConfig(Config):
    kind: ClassVar[str] = "console"


class ConsoleTransport(Transport):
    kind: ClassVar[str] = "console"
    config_class: ClassVar[type[Config]] = ConsoleConfig

    def __init__(self, config: ConsoleConfig | None = None) -> None:
        self.config = config or ConsoleConfig()

    def send_batch(self, events: Sequence[bytes]) -> list[Refused]:
        try:
            for event in events:
                sys.stderr.write(event.decode(errors="replace") + "\n")
            sys.stderr.flush()
        except (OSError, ValueError) as error:
            raise Unreachable(f"standard error can't be written: {error}", subject="console") from error
        return []
