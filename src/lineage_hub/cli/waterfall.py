"""A trace and a width enter; the lines of a waterfall leave: the tree, bars on one axis of time, durations.

Where a span itself decided when the trace ended its bar is full, elsewhere it is light; so the eye follows the path.
"""

from collections.abc import Iterator, Sequence
from unicodedata import combining, east_asian_width

from lineage_hub.cli.durations import shown
from lineage_hub.cli.trace_answers import Span, Stretch, Trace
from lineage_hub.terminal import one_line

# A text and its style; a pipe gets the texts alone.
Part = tuple[str, str]
Line = list[Part]
FULL, LIGHT = "█", "░"
FAILED = "✗"
# What the names may take of the width, the least that bars need, and what stands around the bars.
_MOST_OF_WIDTH, _LEAST_BARS, _FIGURES = 0.42, 20, 23
PIPE_BARS = 60


def waterfall(trace: Trace, width: int | None, limit: int) -> Iterator[Line]:
    """For a terminal of that width; without one nothing is cut."""
    spans = trace.spans[:limit]
    # However deep it lies, its name must still be seen.
    deepest = max(width // 4, 6) if width is not None else None
    labels = [_label(span, _shortened(branch, deepest), around) for span, branch, around in _branches(spans)]
    for span, label in zip(spans, labels, strict=True):
        if span.span_id == trace.span_id:
            label.append((" ◀ the run", "bold magenta"))
    longest = max((_length(label) for label in labels), default=0)
    left, bars = longest, PIPE_BARS
    if width is not None:
        left = max(min(longest, int(width * _MOST_OF_WIDTH), width - _FIGURES - _LEAST_BARS), 10)
        bars = max(width - left - _FIGURES, _LEAST_BARS)
    stretches: dict[str, list[Stretch]] = {}
    for one in trace.critical_path:
        stretches.setdefault(one.span_id, []).append(one)
    yield [(" " * left, ""), ("  ", ""), (_axis(trace.duration_ns, bars), "dim"), ("       took      self", "dim")]
    for span, label in zip(spans, labels, strict=True):
        yield [
            *_fitted(label, left, cut=width is not None),
            ("  ", ""),
            *_bar(span, stretches.get(span.span_id, ()), trace.duration_ns, bars),
            (f"  {shown(span.duration_ns):>9}", _figure_style(span)),
            (f" {shown(span.self_ns):>9}", "dim"),
        ]


def _branches(spans: Sequence[Span]) -> Iterator[tuple[Span, str, Span | None]]:
    """Each with the drawing before its name, and the span that it is inside of."""
    last = _last_of_siblings(spans)
    above: list[tuple[Span, str]] = []
    for at, span in enumerate(spans):
        del above[span.depth :]
        if not above:
            yield span, "", None
            above.append((span, ""))
            continue
        parent, indent = above[-1]
        yield span, indent + ("└─ " if last[at] else "├─ "), parent
        above.append((span, indent + ("   " if last[at] else "│  ")))


def _shortened(branch: str, most: int | None) -> str:
    return branch if most is None or len(branch) <= most else "…" + branch[1 - most :]


def _last_of_siblings(spans: Sequence[Span]) -> list[bool]:
    """Whether no sibling follows; they come in the order of the drawing."""
    found = [False] * len(spans)
    following: list[bool] = []
    for at in range(len(spans) - 1, -1, -1):
        depth = spans[at].depth
        following += [False] * (depth + 1 - len(following))
        found[at] = not following[depth]
        following[depth] = True
        del following[depth + 1 :]
    return found


def _label(span: Span, branch: str, around: Span | None) -> Line:
    line: Line = [(branch, "dim"), (one_line(span.name), _name_style(span))]
    if around is None or around.service != span.service:
        line.append((f"  {one_line(span.service)}", "cyan"))
    if span.failed:
        line.append((f" {FAILED}", "bold red"))
    marks = ((span.orphan, "parent missing"), (span.cycle, "cycle"), (span.outside_parent, "outside its parent"))
    line += [(f" ({text})", "yellow") for holds, text in marks if holds]
    return line


def _name_style(span: Span) -> str:
    style = "bold" if span.critical_ns else ""
    return f"{style} red".strip() if span.failed else style


def _figure_style(span: Span) -> str:
    return "red" if span.failed else "bold" if span.critical_ns else ""


def _length(line: Line) -> int:
    return sum(columns_of(text) for text, _ in line)


def columns_of(text: str) -> int:
    """On a terminal: letters of East Asia take two, marks upon a letter none."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def _cut(text: str, room: int) -> str:
    """With a mark where it was cut."""
    while columns_of(text) >= room and text:
        text = text[:-1]
    return text + "…" if room else ""


def _fitted(line: Line, width: int, *, cut: bool) -> Line:
    """As long as the width, filled up or cut where it is too long."""
    room = width
    found: Line = []
    for text, style in line:
        fits = not cut or columns_of(text) <= room
        text = text if fits else _cut(text, room)
        found.append((text, style))
        room -= columns_of(text)
        if not fits:
            break
    return [*found, (" " * max(room, 0), "")]


def _axis(duration_ns: int, bars: int) -> str:
    """Marks of the time at the begin of each part, and the end."""
    parts = max(bars // 16, 1)
    text = "0"
    for number in range(1, parts):
        text = text.ljust(number * bars // parts) + shown(duration_ns * number // parts)
    end = shown(duration_ns)
    return text[: bars - len(end) - 1].ljust(bars - len(end)) + end


def _bar(span: Span, path: Sequence[Stretch], whole_ns: int, bars: int) -> Line:
    """At least one cell, however short; full are those that the path has at least half of, or else most of."""
    cells = [" "] * bars
    first, last = _cells(span.offset_ns, span.duration_ns, whole_ns, bars)
    cells[first : last + 1] = LIGHT * (last + 1 - first)
    shares = _shares(path, whole_ns, bars)
    enough = min(0.5, max(shares.values(), default=0.0))
    for cell, share in shares.items():
        if share >= enough:
            cells[cell] = FULL
    style = "red" if span.failed else "green" if path else "blue"
    # Together in one style: a bar is one thing to the eye.
    return [("".join(cells), style)]


def _shares(path: Sequence[Stretch], whole_ns: int, bars: int) -> dict[int, float]:
    """How much of each cell that it touches the path has."""
    found: dict[int, float] = {}
    for one in path:
        start, end = one.offset_ns * bars, (one.offset_ns + one.duration_ns) * bars
        first, last = _cells(one.offset_ns, one.duration_ns, whole_ns, bars)
        for cell in range(first, last + 1):
            part = min(end, (cell + 1) * whole_ns) - max(start, cell * whole_ns)
            found[cell] = found.get(cell, 0.0) + part / max(whole_ns, 1)
    return found


def _cells(offset_ns: int, duration_ns: int, whole_ns: int, bars: int) -> tuple[int, int]:
    """The first and last cell that it touches."""
    if whole_ns <= 0:
        return 0, bars - 1
    first = min(max(offset_ns * bars // whole_ns, 0), bars - 1)
    last = -(-(offset_ns + duration_ns) * bars // whole_ns) - 1
    return first, min(max(last, first), bars - 1)
