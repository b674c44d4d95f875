"""The errors of the models enter; what is wrong in plain words, one finding for each slip, leaves."""

from collections.abc import Iterator, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from lineage_hub.spark.pipeline import definition
from lineage_hub.spark.pipeline.problems import Finding, Path, advise, nearest, one_of, shortened

# Pydantic's kinds of errors by what is wanted instead.
WANTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a smaller number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "callable_type": "",
}
PATTERNS = {
    definition.STAGE_NAME: "a stage's name is of small letters, digits and `_`, begins with a letter, at most 63 long",
    definition.PIPELINE_NAME: "a pipeline's name is of letters, digits, `_`, `.` and `-`, at most 128 long",
    definition.PARAMETER_NAME: "a parameter's name is of letters, digits and `_`, and doesn't begin with a digit",
    definition.STAGE_AND_COLUMN: "a stage and a column are wanted: `customers.id`",
    definition.DURATION: "a number and `s`, `m`, `h` or `d` are wanted: `36h`",
}
BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "more than"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "less than"),
}
SCALARS = ("str", "int", "float", "bool", "callable")


def findings(error: ValidationError, value: Any) -> Iterator[Finding]:
    """`value` is what was validated: it tells the steps of a path from the names of alternatives in a union."""
    placed = [(_path(one, value), one) for one in error.errors(include_url=False)]
    missing = {path for path, one in placed if one["type"] == "missing"}
    meant = {_meant(path) for path, one in placed if one["type"] == "extra_forbidden"}
    wanted: dict[Path, list[str]] = {}
    for path, one in placed:
        if one["type"] in WANTED:
            # Of the alternatives the one that fits so far is told, by what is wrong inside it.
            if not any(other[: len(path)] == path and len(other) > len(path) for other, _ in placed):
                wanted.setdefault(path, []).append(WANTED[one["type"]])
        elif one["type"] != "missing" or path not in missing & meant:
            yield _finding(path, one)
    for path, words in wanted.items():
        said = [
            word for word in dict.fromkeys(words) if word and not (word == "a whole number" and "a number" in words)
        ]
        joined = " or ".join([", ".join(said[:-1]), said[-1]]) if len(said) > 1 else "".join(said)
        yield Finding(path, f"{joined} is wanted, {_described(_at(value, path))}")


def _finding(path: Path, error: Mapping[str, Any]) -> Finding:
    kind, context = error["type"], error.get("ctx", {})
    given = shortened(str(error["input"]))
    match kind:
        case "extra_forbidden":
            return Finding(path, f"`{path[-1]}` is no key here", advise(str(path[-1]), _keys(path[:-1])), at="key")
        case "missing":
            return Finding(path, f"`{path[-1]}` is missing", f"add `{path[-1]}:`")
        case "literal_error":
            choices = _choices(context["expected"])
            near = nearest(given, choices)
            return Finding(
                path,
                f"`{given}` is none of {one_of(choices)}",
                f"did you mean `{near}`?" if near else "use one of them",
            )
        case "string_pattern_mismatch":
            says = PATTERNS.get(context["pattern"], f"it must match {context['pattern']}")
            return Finding(path, f"`{given}`: {says}", at="key" if error["loc"][-1] == "[key]" else "value")
        case "too_short":
            return Finding(path, "it is empty", "give at least one, or leave the key out")
        case "too_long":
            return Finding(path, f"at most {context['max_length']} items can stand here")
        case "value_error":
            return Finding(path, str(context["error"]), at="key")
        case _ if kind in BOUNDS:
            key, words = BOUNDS[kind]
            return Finding(path, f"`{given}` must be {words} {context[key]:g}")
    return Finding(path, str(error["msg"]))


def _path(error: Mapping[str, Any], value: Any) -> Path:
    path: list[str | int] = []
    loc: Sequence[str | int] = error["loc"]
    for index, item in enumerate(loc):
        last = index == len(loc) - 1
        if last and error["type"] in ("missing", "extra_forbidden"):
            path.append(item)
        elif not _has(value, item) or (last and item in SCALARS and _at(value, (item,)) is not error["input"]):
            continue
        else:
            path.append(item)
            value = _at(value, (item,))
    return tuple(path)


def _has(value: Any, item: str | int) -> bool:
    if isinstance(value, list):
        return isinstance(item, int) and item < len(value)
    return isinstance(value, dict) and item in value


def _at(value: Any, path: Path) -> Any:
    for item in path:
        value = value[item]
    return value


def _described(value: Any) -> str:
    match value:
        case None:
            return "nothing stands here"
        case list():
            return "this is a list"
        case dict():
            return "this is a mapping"
    return f"this is `{shortened(str(value))}`"


def _choices(expected: str) -> list[str]:
    return [part.strip().strip("'") for part in expected.replace(" or ", ", ").split(",")]


def _meant(path: Path) -> Path:
    """The key that was probably meant by one that isn't known."""
    near = nearest(str(path[-1]), _keys(path[:-1]))
    return (*path[:-1], near) if near else path


def _keys(path: Path) -> list[str]:
    """The keys that can stand at a path, by the models."""
    model = _model(path)
    return [field.alias or name for name, field in model.model_fields.items()] if model else []


def _model(path: Path) -> type[BaseModel] | None:
    kinds: list[Any] = [definition.Pipeline]
    for item in path:
        kinds = [inner for kind in kinds for inner in _inside(kind, item)]
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)


def _inside(kind: Any, item: str | int) -> list[Any]:
    origin, arguments = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        named = [field for name, field in kind.model_fields.items() if item in (field.alias, name)]
        return _alternatives(named[0].annotation) if named else []
    if origin in (list, tuple):
        return _alternatives(arguments[0])
    return _alternatives(arguments[1]) if origin is dict else []


def _alternatives(kind: Any) -> list[Any]:
    origin = get_origin(kind)
    if origin is Annotated:
        return _alternatives(get_args(kind)[0])
    if origin in (Union, UnionType):
        return [inner for part in get_args(kind) for inner in _alternatives(part)]
    return [kind]
