"""A moment enters, and the arguments of `lineage-hub`; the command runs with a clock that began at that moment.

What is said of the last day must not depend on the day on which it is measured.
"""

import sys
import time
from datetime import datetime


def set_clock(moment: str) -> None:
    """For all that is imported from now on."""
    ahead = int(datetime.fromisoformat(moment).timestamp() * 1e9) - time.time_ns()
    real = time.time_ns
    time.time_ns = lambda: real() + ahead


def main() -> None:
    _, moment, *arguments = sys.argv
    set_clock(moment)
    from lineage_hub.cli import main as run_command

    sys.argv = ["lineage-hub", *arguments]
    run_command()


if __name__ == "__main__":
    main()
