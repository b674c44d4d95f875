"""Types as Spark writes them in JSON enter; the fields of a dataset leave, with types as SQL writes them."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql.types import ArrayType, DataType, MapType, StructField, StructType

from lineage_hub.spark.plan.model import Field
from lineage_hub.spark.plan.tree import Json, Node

_OF_A_CHANGE = {"_change_type", "_commit_version", "_commit_timestamp"}


def fields_of_attributes(attributes: Iterable[Node]) -> tuple[Field, ...]:
    """Without what is in no schema: `_metadata` tells of the file of a row, others of a change in a feed of changes."""
    attributes = list(attributes)
    fed = {one.name for one in attributes} >= _OF_A_CHANGE
    return fields_of_schema(
        {
            "type": "struct",
            "fields": [
                {"name": one.name, "type": one.type, "nullable": True, "metadata": {}}
                for one in attributes
                if not _tells_of_files(one) and not (fed and one.name in _OF_A_CHANGE)
            ],
        }
    )


def _tells_of_files(attribute: Node) -> bool:
    # Spark leaves the mark of such a column out of a plan's JSON.
    inner = attribute.type.get("fields", ()) if isinstance(attribute.type, dict) else ()
    return attribute.name == "_metadata" and any(one["name"] == "file_path" for one in inner)


def fields_of_schema(schema: Json) -> tuple[Field, ...]:
    return tuple(_field(one) for one in StructType.fromJson(schema).fields)


def _field(given: StructField) -> Field:
    return Field(given.name, given.dataType.simpleString(), tuple(_field(one) for one in _inner(given.dataType)))


def _inner(given: DataType) -> list[StructField]:
    while isinstance(given, ArrayType):
        given = given.elementType
    if isinstance(given, MapType):
        given = given.valueType
        return _inner(given)
    return given.fields if isinstance(given, StructType) else []
