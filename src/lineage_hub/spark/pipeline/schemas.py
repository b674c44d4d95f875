"""Names and types as a definition writes them enter; columns that Spark can't misread leave."""

from collections.abc import Iterable, Mapping

from pyspark.errors import ParseException
from pyspark.sql.types import DataType, StructField, StructType

from lineage_hub.errors import InvalidRequest


def shown(type_: DataType) -> str:
    text = type_.simpleString()
    # Names of fields stay as they are.
    return text if "<" in text else text.upper()


def unused(name: str, taken: Iterable[str]) -> str:
    """The name, or the name with as many underscores as it takes to clash with none."""
    folded = {one.casefold() for one in taken}
    while name.casefold() in folded:
        name = f"_{name}"
    return name


def declared(schema: Mapping[str, str] | str) -> StructType:
    if isinstance(schema, str):
        found = _parsed(schema, "schema")
        if not isinstance(found, StructType):
            raise InvalidRequest(f"{schema!r} is a type, columns are needed", subject="schema", action="id INT, …")
        return _distinct(found)
    return _distinct(StructType([StructField(name, _parsed(type_, name)) for name, type_ in schema.items()]))


def _parsed(text: str, subject: str) -> DataType:
    try:
        return DataType.fromDDL(text)
    except ParseException as error:
        raise InvalidRequest(
            f"{text!r} is no type of Spark's", subject=subject, action="e.g. INT, DECIMAL(12,2), ARRAY<STRING>"
        ) from error


def _distinct(schema: StructType) -> StructType:
    name = repeated(schema.names)
    if name is not None:
        raise InvalidRequest(f"column {name} is declared twice", subject=name, action="name each column once")
    return schema


def repeated(names: Iterable[str]) -> str | None:
    """The first name that an earlier one equals; Spark doesn't tell upper from lower case."""
    seen: set[str] = set()
    for name in names:
        if name.casefold() in seen:
            return name
        seen.add(name.casefold())
    return None
