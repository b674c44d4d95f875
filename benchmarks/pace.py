"""Nothing enters; how much slower than usual the machine was between two instants leaves.

On a shared machine a second of CPU buys twice the work of another one, and changes from second to second. On each core
a probe does the same small piece of work again and again, and costs about 3 % of it: what the probe's pieces cost in
a while, over what they cost on the whole, is the pace that the work beside it had.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

_TURNS = 8_000  # about a millisecond
_PAUSE_S = 0.04


class Pace:
    """Probes on all cores, from enter to exit. They are no children of what is measured, so they don't count there."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._files = [folder / f"core-{core}" for core in sorted(os.sched_getaffinity(0))]
        self._probes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "Pace":
        for file in self._files:
            command = [sys.executable, "-m", "benchmarks.pace", file.name.removeprefix("core-"), str(file)]
            self._probes.append(subprocess.Popen(command))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for probe in self._probes:
            probe.terminate()
            probe.wait()

    def slowness(self, begun: float, ended: float) -> float:
        """1 is the middle of all that was measured so far. Instants are those of `time.monotonic`."""
        all_costs, own_costs = [], []
        for file in self._files:
            pieces = [(float(at), int(ns)) for at, ns in map(str.split, file.read_text().splitlines())]
            all_costs.append(statistics.median(ns for _, ns in pieces))
            own_costs.append(statistics.fmean(ns for at, ns in pieces if begun <= at <= ended))
        return statistics.fmean(own_costs) / statistics.fmean(all_costs)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pace", description=__doc__)
    parser.add_argument("core", type=int)
    parser.add_argument("file", type=Path)
    wanted = parser.parse_args()
    os.sched_setaffinity(0, {wanted.core})
    with wanted.file.open("w", buffering=1) as file:
        while True:
            begun = time.thread_time_ns()
            total = 0
            for turn in range(_TURNS):
                total += turn * 3
            file.write(f"{time.monotonic()} {time.thread_time_ns() - begun}\n")
            time.sleep(_PAUSE_S)


if __name__ == "__main__":
    main()
