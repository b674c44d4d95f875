"""The bytes of a YAML file enter; plain values, with the place of each in the text, leave.

A scalar is text as it was written, whatever YAML would make of `on`, `no`, `007` or a date: the definition's fields
say what is wanted. Only what stands without quotes as nothing, `~` or `null` is no text.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lineage_hub.spark.pipeline.definition import Plain
from lineage_hub.spark.pipeline.problems import Finding, Mark, Path

MOST_BYTES = 1024 * 1024
# A thousand columns are some thousand values; what aliases multiply beyond this was not written by a person.
MOST_VALUES = 100_000
TAGS = "tag:yaml.org,2002:"


class Unreadable(Exception):
    """The text is no YAML at all, from `mark` on."""

    def __init__(self, says: str, action: str, mark: Mark | None = None) -> None:
        super().__init__(says)
        self.finding = Finding((), says, action)
        self.mark = mark


@dataclass
class Document:
    """Values, and where they stand; a path that isn't in the text stands where the nearest part above it does."""

    value: Any = None
    findings: list[tuple[Finding, Mark]] = field(default_factory=list)
    values: dict[Path, Mark] = field(default_factory=dict)
    keys: dict[Path, Mark] = field(default_factory=dict)

    def mark(self, finding: Finding) -> Mark | None:
        first, second = (self.keys, self.values) if finding.at == "key" else (self.values, self.keys)
        for end in range(len(finding.path), -1, -1):
            path = finding.path[:end]
            # A part that was left out is best looked for at the name of what lacks it.
            names, others = (first, second) if end == len(finding.path) else (self.keys, self.values)
            if mark := names.get(path) or others.get(path):
                return mark
        return None


def read_document(content: bytes) -> Document:
    import yaml  # type: ignore[import-untyped]

    text = _decoded(content)
    try:
        node = yaml.compose(text, Loader=yaml.BaseLoader)
        document = Document()
        document.value = _Walk(document).value(node, ()) if node is not None else None
    except yaml.reader.ReaderError as error:
        raise Unreadable(
            f"a character that can't be seen, U+{error.character:04X}", "take it out", _mark_at(text, error.position)
        ) from None
    except yaml.MarkedYAMLError as error:
        raise _unreadable(error, text) from None
    except RecursionError:
        raise Unreadable("lists or mappings stand too deep inside each other", "write it flat") from None
    if node is None:
        raise Unreadable("the file is empty", "`lineage-hub pipeline init` writes an example")
    return document


def _decoded(content: bytes) -> str:
    if len(content) > MOST_BYTES:
        raise Unreadable(f"it has more than {MOST_BYTES:,} bytes", "a pipeline is not data: keep that in files")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig")
        raise Unreadable("this is not UTF-8", "save the file as UTF-8", _mark_at(before, len(before))) from None


def _mark_at(text: str, position: int) -> Mark:
    before = text[:position]
    return Mark(before.count("\n") + 1, position - before.rfind("\n"))


def _unreadable(error: Any, text: str) -> Unreadable:
    """The commonest slips in plain words, the others in YAML's own."""
    place = error.problem_mark or error.context_mark
    mark = Mark(place.line + 1, place.column + 1) if place else None
    line = "".join(text.split("\n")[place.line : place.line + 1]) if place else ""
    problem = str(error.problem or error.context)
    indent = line[: len(line) - len(line.lstrip())]
    if "\t" in indent or "'\\t'" in problem:
        return Unreadable("a tab; YAML indents by spaces", "put spaces instead", mark)
    if "undefined alias" in problem:
        return Unreadable(f"{problem}: no `&` names it above", "write it out, or name it first", mark)
    if "expected a single document" in f"{error.context} {problem}":
        return Unreadable("a second document begins", "put each pipeline into a file of its own", mark)
    if "${" in line and "flow" in str(error.context):
        return Unreadable("inside `{…}` and `[…]` a text with `${…}` needs quotes", 'write "${name}"', mark)
    if "mapping values are not allowed" in problem:
        return Unreadable("a `:` where none can stand", "check the indentation, or quote the text", mark)
    if "expected <block end>" in problem:
        return Unreadable("the indentation doesn't fit what is above", "align it with its neighbours", mark)
    if "unexpected end of stream" in problem or "got '<stream end>'" in problem:
        return Unreadable("the text ends inside quotes or brackets", "close them", mark)
    return Unreadable(f"this is not YAML: {problem}", "correct it, or quote the text", mark)


class _Walk:
    """Copies nodes to values, so often as aliases name them, and notes the place of each."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.seen = 0
        self.open: set[int] = set()

    def value(self, node: Any, path: Path) -> Any:
        mark = Mark(node.start_mark.line + 1, node.start_mark.column + 1)
        self.seen += 1
        if self.seen > MOST_VALUES:
            raise Unreadable(f"aliases make more than {MOST_VALUES:,} values of it", "write less by `*`", mark)
        if id(node) in self.open:
            raise Unreadable("an alias stands inside what it names", "write it out", mark)
        self.document.values.setdefault(path, mark)
        if node.tag not in (f"{TAGS}str", f"{TAGS}seq", f"{TAGS}map"):
            shown = node.tag.replace(TAGS, "!!")
            self.document.findings.append(
                (Finding(path, f"the tag `{shown}` has no meaning here", "leave it out"), mark)
            )
            return None
        self.open.add(id(node))
        try:
            if isinstance(node.value, str):
                return self._scalar(node)
            if node.tag == f"{TAGS}map":
                return self._mapping(node, path)
            return [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
        finally:
            self.open.discard(id(node))

    @staticmethod
    def _scalar(node: Any) -> str | None:
        if node.style is not None:
            return str(node.value)
        return None if node.value.lower() in ("", "~", "null") else Plain(node.value)

    def _mapping(self, node: Any, path: Path) -> dict[str, Any]:
        own: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key_node, item in node.value:
            mark = Mark(key_node.start_mark.line + 1, key_node.start_mark.column + 1)
            if not isinstance(key_node.value, str):
                finding = Finding(path, "a key is text, not a list or a mapping", "check the indentation", at="key")
                self.document.findings.append((finding, mark))
                continue
            key = key_node.value
            if key == "<<" and key_node.style is None:
                for part in self._merged(item, path):
                    merged = {**part, **merged}
                continue
            if key in own:
                first = self.document.keys[(*path, key)].line
                says = f"`{key}` stands here already, in line {first}"
                self.document.findings.append((Finding((*path, key), says, "keep one of them", at="key"), mark))
                continue
            self.document.keys[(*path, key)] = mark
            own[key] = self.value(item, (*path, key))
        return {**merged, **own}

    def _merged(self, node: Any, path: Path) -> Iterator[dict[str, Any]]:
        """What `<<: *name` brings; the keys beside it win."""
        for part in node.value if node.tag == f"{TAGS}seq" else [node]:
            value = self.value(part, path)
            if isinstance(value, dict):
                yield value
            else:
                mark = Mark(part.start_mark.line + 1, part.start_mark.column + 1)
                self.document.findings.append((Finding(path, "`<<` takes a mapping", "name one by `*`"), mark))
