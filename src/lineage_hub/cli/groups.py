"""The arguments of a group of commands enter; with none of its commands among them, those of `list` leave."""

from typing import TYPE_CHECKING

from typer.core import TyperGroup

if TYPE_CHECKING:
    from typer._click.core import Context


class ListByDefault(TyperGroup):
    """`lineage-hub events --limit 5` is `lineage-hub events list --limit 5`."""

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        if not args or (args[0].startswith("-") and args[0] != "--help"):
            args = ["list", *args]
        return super().parse_args(ctx, args)
