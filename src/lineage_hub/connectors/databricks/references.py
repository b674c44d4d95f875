"""The text of a program enters; which other notebooks and modules it takes in leaves, as it names them.

Only names are looked for, by their form: a line that is no import costs a look into a folder, and no more.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

_RUN = re.compile(
    r"""^[ \t]*(?:(?:\#|--|//)[ \t]*MAGIC[ \t]+)?%run[ \t]+(?:"([^"\n]+)"|'([^'\n]+)'|(\S+))""", re.MULTILINE
)
_START = re.compile(r"""notebook[ \t]*\.[ \t]*run\(\s*(?:path\s*=\s*)?(?:"([^"\n]+)"|'([^'\n]+)')""")
_FILE = re.compile(r"""["']([^"'\s{}*?]+\.(?:json|ya?ml|sql))["']""")
_IMPORT = re.compile(r"[ \t]*import[ \t]+([A-Za-z_][\w., \t]*)")
_FROM = re.compile(r"[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]+)")
# What comes with Python or with Databricks' runtime is in no folder of a user.
_ELSEWHERE = frozenset(sys.stdlib_module_names) | {
    "dlt", "pyspark", "delta", "databricks", "dbruntime", "pandas", "numpy", "requests", "yaml", "IPython", "mlflow",
    "pyarrow", "boto3", "botocore", "google", "azure", "confluent_kafka", "sklearn", "scipy", "matplotlib", "pytz",
    "dateutil", "great_expectations", "sqlalchemy", "pydantic", "jinja2",
}  # fmt: skip


class Reference(NamedTuple):
    """`run`: a notebook by its path. `import`: a module by its parts, from the folder `level` - 1 up, 0 is any.

    `file`: a file that may be opened, by its path.
    """

    kind: str
    path: str
    level: int = 0


def references_of(source: str, path: str = "") -> list[Reference]:
    text = _code_of_ipynb(source) if path.endswith(".ipynb") or source.lstrip()[:1] == "{" else source
    return list(dict.fromkeys([*_runs(text), *_imports(text), *_files(text)]))


def _files(text: str) -> Iterator[Reference]:
    """Where something is opened, a text with the ending of a document may be its path."""
    if "open(" in text or ".read_text(" in text:
        for path in _FILE.findall(text):
            if not re.match(r"[a-z0-9]+://|/(?:dbfs|mnt|Volumes|tmp)/", path):
                yield Reference("file", path.removeprefix("file:"))


def _runs(text: str) -> Iterator[Reference]:
    for word, form in (("%run", _RUN), (".run(", _START)):
        for found in form.findall(text) if word in text else ():
            yield Reference("run", next(one for one in found if one))


def _imports(text: str) -> Iterator[Reference]:
    # Looking for the word first is ten times as quick as trying every line.
    at = text.find("import")
    while at >= 0:
        start = text.rfind("\n", 0, at) + 1
        if found := _IMPORT.match(text, start):
            yield from _modules(found[1])
        elif found := _FROM.match(text, start):
            yield from _members(found[1], found[2])
        at = text.find("import", found.end() if found is not None else at + 1)


def _modules(names: str) -> Iterator[Reference]:
    for one in names.split(","):
        module = one.strip().split(" ")[0]
        if module and module.split(".")[0] not in _ELSEWHERE:
            yield Reference("import", module.replace(".", "/"))


def _members(module: str, names: str) -> Iterator[Reference]:
    level = len(module) - len(module.lstrip("."))
    base = module[level:].replace(".", "/")
    if not level and base.split("/")[0] in _ELSEWHERE:
        return
    if base:
        yield Reference("import", base, level)
    for one in names.strip("()").split(","):
        name = one.strip().split(" ")[0]
        if name.isidentifier():
            yield Reference("import", posixpath.join(base, name), level)


def _code_of_ipynb(source: str) -> str:
    try:
        cells = msgspec.json.decode(source.encode(), type=_Notebook).cells
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return source
    texts = (one.source for one in cells if one.cell_type == "code")
    return "\n".join("".join(one) if isinstance(one, list) else one for one in texts)


class _Cell(msgspec.Struct):
    cell_type: str = ""
    source: str | list[str] = ""


class _Notebook(msgspec.Struct):
    cells: list[_Cell] = []


def folders_above(path: str, stop: str) -> list[str]:
    """The folder of a program and those above it, up to `stop` where it is one of them."""
    found = []
    folder = posixpath.dirname(path)
    while folder not in ("", "/"):
        found.append(folder)
        if folder == stop or posixpath.dirname(folder) == folder:
            break
        folder = posixpath.dirname(folder)
    return found or ["/"]
