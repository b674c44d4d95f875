"""Arguments of the command line enter; the answer leaves on stdout, an error as one message on stderr.

The exit code is 0, that of the error's class, or 2 when the command itself was written wrongly.
"""

import sys
from collections.abc import Callable

from lineage_hub.errors import LineageHubError


class Handover(BaseException):
    """Raised by a command for what is to run after the command line is out of the way, which would catch its errors."""

    def __init__(self, run: Callable[[], None]) -> None:
        self.run = run


def main() -> None:
    from lineage_hub.cli.app import load_app

    hook, run = sys.excepthook, None
    try:
        load_app(sys.argv[1] if sys.argv[1:] else None)()
    except LineageHubError as error:
        from lineage_hub.terminal import lines_of_text

        print(lines_of_text(explain(error)), file=sys.stderr)
        sys.exit(error.exit_code)
    except Handover as handover:
        run = handover.run
    if run is not None:
        sys.excepthook = hook
        run()


def explain(error: LineageHubError) -> str:
    """What happened, what it is about unless that is said already, and what to do next."""
    about = f" ({error.subject})" if error.subject and error.subject not in error.message else ""
    action = f"\n  {error.action}" if error.action else ""
    return f"Error: {error.message}{about}{action}"
