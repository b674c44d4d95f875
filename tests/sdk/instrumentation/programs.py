"""Scripts enter as text; each runs in a process of its own under `lineage-hub instrument`, and what was told leaves."""

import json
import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lineage_hub.wire import Decoder
from tests.hub_process import clean_environment
from tests.transports.recorder import Recorder

Event = dict[str, Any]


@dataclass
class Ended:
    code: int
    stdout: str
    stderr: str
    events: list[Event] = field(default_factory=list)

    @property
    def last(self) -> Event:
        return self.events[-1]

    def datasets(self, side: str, job: str | None = None) -> dict[str, Event]:
        """Of all events together, by name."""
        told = [one for one in self.events if job is None or one["job"]["name"] == job]
        return {dataset["name"]: dataset for event in told for dataset in event[side]}


@dataclass
class Programs:
    """A folder with scripts, and a server that takes what they tell."""

    folder: Path
    recorder: Recorder
    environment: dict[str, str] = field(default_factory=dict)
    patience_s: float = 90

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    def run(self, text: str, *arguments: str, flags: tuple[str, ...] = (), given: str = "") -> Ended:
        self.write("job.py", text)
        return self.command(*flags, "job.py", *arguments, given=given)

    def command(self, *words: str, given: str = "") -> Ended:
        return self.python("-m", "lineage_hub.cli", "instrument", *words, given=given)

    def python(self, *words: str, given: str = "") -> Ended:
        before = len(self.recorder.taken)
        paths = [str(Path(__file__).parents[3] / "src")]
        environment = {
            **clean_environment(),
            "PYTHONPATH": os.pathsep.join(paths),
            "LINEAGE_HUB_URL": self.recorder.url,
            "LINEAGE_HUB_SPOOL_FOLDER": str(self.folder / "spool"),
            "HOME": str(self.folder),
            **self.environment,
        }
        ended = subprocess.run(
            [sys.executable, *words],
            cwd=self.folder,
            env=environment,
            input=given,
            capture_output=True,
            text=True,
            timeout=self.patience_s,
            check=False,
        )
        events = self.recorder.taken[before:]
        for event in events:
            # Whatever a test looks at, an event is one that a hub takes.
            Decoder().decode(json.dumps(event).encode(), "default")
        return Ended(ended.returncode, ended.stdout, ended.stderr, events)
