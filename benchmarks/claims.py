"""What a program measured enters. Rows with bound, aim and verdict leave: text, JSON, Markdown."""

from dataclasses import asdict, dataclass, field
from typing import Any

AIM, MUST, SHORT_OF, NOT_JUDGED = "aim met", "must met", "falls short", "not judged"
_WORST_LAST = (NOT_JUDGED, AIM, MUST, SHORT_OF)


@dataclass(frozen=True)
class Bound:
    """What a figure must reach and what it aims at; a rate must be at least that, all else at most."""

    must: float
    aim: float
    at_least: bool = False

    def judge(self, value: float) -> str:
        if self.at_least:
            return AIM if value >= self.aim else MUST if value >= self.must else SHORT_OF
        return AIM if value <= self.aim else MUST if value <= self.must else SHORT_OF

    def show(self, value: float, unit: str) -> str:
        return f"{'≥' if self.at_least else '≤'} {show_number(value)} {unit}".rstrip()


@dataclass(frozen=True)
class Figure:
    """One number of a row; without a bound it only stands beside the others."""

    value: float
    unit: str
    bound: Bound | None = None

    def __str__(self) -> str:
        return f"{show_number(self.value)} {self.unit}".rstrip()


def show_number(value: float) -> str:
    if value >= 1000 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.3g}"


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    work: str
    figures: tuple[Figure, ...]
    beside: str = ""
    reference: str = "–"
    raw: dict[str, Any] = field(default_factory=dict)
    judged: bool = True

    @property
    def verdict(self) -> str:
        verdicts = [f.bound.judge(f.value) for f in self.figures if f.bound] if self.judged else []
        return max(verdicts, key=_WORST_LAST.index, default=NOT_JUDGED)

    @property
    def cells(self) -> tuple[str, ...]:
        bounded = [f for f in self.figures if f.bound]
        must = ", ".join(f.bound.show(f.bound.must, f.unit) for f in bounded if f.bound) or "–"
        aim = ", ".join(f.bound.show(f.bound.aim, f.unit) for f in bounded if f.bound) or "–"
        measured = ", ".join(str(figure) for figure in self.figures)
        return self.work, self.reference, must, aim, measured, self.verdict, self.beside

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "verdict": self.verdict}


HEADINGS = ("work", "reference", "must", "aim", "measured", "verdict", "beside")


def print_row(row: Row) -> None:
    work, _, must, aim, measured, verdict, beside = row.cells
    print(f"{verdict:12} {work}: {measured}  (must {must}; aim {aim})  {beside}", flush=True)


def as_markdown(rows: list[Row], commands: dict[int, str] | None = None) -> str:
    """A table; `commands` gives the program of each row by its place."""
    commands = commands or {}
    headings = (*HEADINGS, "program") if commands else HEADINGS
    lines = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    for place, row in enumerate(rows):
        cells = [cell.replace("|", "\\|") for cell in row.cells]
        cells += [f"`{commands[place]}`"] if commands else []
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)
