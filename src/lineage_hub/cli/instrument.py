"""A script or module enters with its arguments; it is run as Python would, and what it reads and writes is told."""

from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperCommand

from lineage_hub.cli import Handover
from lineage_hub.cli.app import app
from lineage_hub.errors import InvalidRequest

if TYPE_CHECKING:
    from typer._click.core import Context

EXAMPLES = """Examples:

lineage-hub instrument etl.py --day monday

lineage-hub instrument --url http://hub:8000 --job nightly -m shop.etl --day monday

lineage-hub instrument --dry-run etl.py"""


class _AsPython(TyperCommand):
    """What follows the script, or the module after -m, is its own, options too."""

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        return super().parse_args(ctx, self._ended(args))

    def _ended(self, args: list[str]) -> list[str]:
        with_value = {name for one in self.params for name in one.opts if not getattr(one, "is_flag", True)}
        at = 0
        while at < len(args) and args[at].startswith("-") and args[at] != "--":
            after = at + (2 if args[at] in with_value else 1)
            if args[at] == "-m" or (args[at].startswith("-m") and not args[at].startswith("--")):
                return [*args[:after], "--", *args[after:]]
            at = after
        return args if at >= len(args) or args[at] == "--" else [*args[:at], "--", *args[at:]]


@app.command(cls=_AsPython, epilog=EXAMPLES)
def instrument(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="SCRIPT", help="The script and its arguments.", show_default=False),
    ] = None,
    module: Annotated[
        str | None, typer.Option("--module", "-m", help="Run a module instead, as `python -m` does.")
    ] = None,
    job: Annotated[str | None, typer.Option(help="Name of the job; without it, that of the script.")] = None,
    namespace: Annotated[str | None, typer.Option(help="Namespace of the job; without it, the configured one.")] = None,
    url: Annotated[str | None, typer.Option(help="Address of the hub; without it, the configured one.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print events to stderr instead of sending them.")] = False,
) -> None:
    """Run a Python script and tell what it reads and writes by pandas, SQLAlchemy and Spark, without a change to it.

    Its output, its exit code and its errors are its own, whatever becomes of the hub.
    """
    from lineage_hub.sdk.config import override
    from lineage_hub.sdk.instrumentation.script import Program, run

    given = list(words or ())
    if module is None and not given:
        raise InvalidRequest("no script is named", subject="SCRIPT", action="give a script, or -m MODULE")
    program = Program(module, given, is_module=True) if module is not None else Program(given[0], given[1:])
    program.check()
    flags = {"hub_endpoint": url, "namespace": namespace, "dry_run": dry_run or None}
    override(**{name: value for name, value in flags.items() if value is not None})
    raise Handover(lambda: run(program, job=job, namespace=namespace))
