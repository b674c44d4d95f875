"""The text of one cell enters, with the language of its notebook; cells of one language each leave.

A magic that names a language rules its cell; a magic that is a command is blanked, so that lines stay where they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

LANGUAGES = {
    "python": "python", "py": "python", "python3": "python", "ipython": "python", "pyspark": "python",
    "spark": "python", "sql": "sql", "sparksql": "sql", "spark-sql": "sql", "scala": "scala", "r": "r", "sparkr": "r",
    "md": "markdown", "md-sandbox": "markdown", "markdown": "markdown", "sh": "shell", "bash": "shell", "fs": "shell",
    "shell": "shell", "run": "run",
}  # fmt: skip
# Of a cell that begins with them the rest is Python all the same.
_AROUND_PYTHON = frozenset({"time", "timeit", "capture", "prun", "memit", "mprun", "lprun", "py", "ipytest"})
_NOT_RUN = frozenset({"skip", "html", "javascript", "js", "latex", "svg", "writefile", "file", "script", "configure"})
_FIRST = re.compile(r"\s*(%%?)([A-Za-z][\w-]*)(?:[ \t]+(.*))?\s*\Z")
_COMMAND = re.compile(
    r"\s*(?:[A-Za-z_][\w, ]*=\s*)?(?:%%?[A-Za-z_][\w.]*|!!?\S|![ \t]*\S)|\s*\?{1,2}\w|\s*[\w.]+\?{1,2}\s*\Z"
)
_TIMED = re.compile(r"(\s*)%(?:time|timeit)[ \t]+(?!-)(.+)\Z")
_STORED = re.compile(r"\A\s*\w+\s*<<\s*")  # %%sql result << SELECT …
_ARGUMENT = re.compile(r"""\$(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s$]*))""")
# Without a way back: a long string would fill the memory with ways that were not taken.
_LEXEME = re.compile(r"""'''|\"\"\"|'(?:[^'\\\n]++|\\.)*+'?|"(?:[^"\\\n]++|\\.)*+"?|#.*|[()\[\]{}]""")
_ENDS = {
    quote: re.compile(rf"(?:[^\\{quote[0]}]++|\\.|{quote[0]}(?!{quote[1:]}))*+{quote}", re.DOTALL)
    for quote in ("'''", '"""')
}
_LOOKED_THROUGH = 1_000_000  # characters of a cell; a longer one is not read to its end


@dataclass(frozen=True)
class Cell:
    """Code or text of one language. Of `run` the text is the path of the other notebook.

    `line` is that of the first line of the text, in the file as it was given. A file of JSON has no lines of its own:
    there the lines of its cells are counted, one cell after the other.
    """

    language: str  # python, sql, scala, r, markdown, shell, run, other
    text: str
    line: int = 1
    arguments: Mapping[str, str] = field(default_factory=dict)


def read_cell(text: str, language: str, line: int = 1) -> Iterator[Cell]:
    """A cell in its notebook's language, unless its first line that is no comment says another one."""
    lines = text.split("\n")
    at = next((at for at, one in enumerate(lines) if one.strip() and not _is_remark(one, language)), len(lines))
    magic = _FIRST.match(lines[at]) if at < len(lines) else None
    name = magic[2].lower() if magic else ""
    if magic is None or (name not in LANGUAGES and name not in _NOT_RUN and magic[1] == "%"):
        # A command of the notebook, like %pip, is of a cell of Python in notebooks of any language.
        yield from _cell("python" if magic and language in ("sql", "scala", "r") else language, lines, line)
        return
    rest = magic[3] or ""
    if name in _AROUND_PYTHON and magic[1] == "%%":
        yield from _cell("python", ["", *lines[at + 1 :]], line + at)
    elif LANGUAGES.get(name) == "run":
        yield _run(rest, line + at)
        yield from read_cell("\n".join(lines[at + 1 :]), language, line + at + 1)
    else:
        said = LANGUAGES.get(name, "other")
        first = _without_options(rest) if said == "sql" else rest if said != "python" or magic[1] == "%" else ""
        yield from _cell(said, [first, *lines[at + 1 :]], line + at)


def _is_remark(line: str, language: str) -> bool:
    mark = {"sql": "--", "scala": "//"}.get(language, "#")
    return line.lstrip().startswith(mark)


def _cell(language: str, lines: list[str], line: int) -> Iterator[Cell]:
    if language == "python":
        lines = _without_commands(lines)
    begin = next((at for at, one in enumerate(lines) if one.strip()), None)
    if begin is not None:
        yield Cell(language, "\n".join(lines[begin:]).rstrip(), line + begin)


def _without_options(rest: str) -> str:
    """Of `%%sql -o name -n 10` nothing is SQL, of `%%sql name << SELECT …` what follows."""
    if re.match(r"\s*-(?!-)", rest):
        return ""
    return _STORED.sub("", rest)


def _run(rest: str, line: int) -> Cell:
    first = _ARGUMENT.search(rest)
    path = rest[: first.start()] if first else rest
    arguments = {name: double or single or bare for name, double, single, bare in _ARGUMENT.findall(rest[len(path) :])}
    path = path.strip()
    quoted = path[:1] in ("'", '"')
    path = path[1:].split(path[0])[0] if quoted else re.split(r"\s#", path)[0].strip()
    return Cell("run", path, line, arguments)


def _without_commands(lines: list[str]) -> list[str]:
    """Lines of a Python cell that are commands of the notebook, where a statement could begin, are made blank."""
    if not any(map(_COMMAND.match, lines)):
        return lines
    made: list[str] = []
    state = _Position()
    commanded = False
    left = _LOOKED_THROUGH
    for at, line in enumerate(lines):
        left -= len(line) + 1
        if left < 0:
            return made + lines[at:]
        if commanded or (state.at_statement and _COMMAND.match(line)):
            timed = None if commanded else _TIMED.match(line)
            indent = line[: len(line) - len(line.lstrip())]
            # Where a block holds nothing else, it still holds a statement.
            made.append(timed[1] + timed[2] if timed else indent + "pass" if indent and not commanded else "")
            commanded = line.endswith("\\")
        else:
            made.append(line)
            state.pass_over(line)
    return made


class _Position:
    """Whether the next line of Python begins a statement: outside of brackets and strings, and no continuation."""

    def __init__(self) -> None:
        self._depth, self._quote, self._continued = 0, "", False

    @property
    def at_statement(self) -> bool:
        return self._depth == 0 and not self._quote and not self._continued

    def pass_over(self, line: str) -> None:
        at, remark = 0, False
        while at < len(line):
            if self._quote:
                end = _ENDS[self._quote].match(line, at)
                if end is None:
                    return
                at, self._quote = end.end(), ""
                continue
            found = _LEXEME.search(line, at)
            if found is None:
                break
            at, lexeme = found.end(), found[0]
            if lexeme in ("'''", '"""'):
                self._quote = lexeme
            elif lexeme in ("(", "[", "{"):
                self._depth += 1
            elif lexeme in (")", "]", "}"):
                self._depth = max(0, self._depth - 1)
            remark = remark or lexeme.startswith("#")
        self._continued = not remark and line.endswith("\\")
