"""Types of columns are read as ClickHouse tells them; values that don't fit them are refused, never changed."""

from dataclasses import dataclass
from typing import Any

import pytest

from lineage_hub.errors import InternalError
from lineage_hub.store.telemetry.arrow import Type, array_of, read_type, table_of

STRING = Type("String")


@dataclass
class Flat:
    offsets: list[int]
    keys: list[str]
    values: list[str]
    rows: list[int] | None = None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("LowCardinality(String)", STRING),
        ("DateTime64(9, 'UTC')", Type("DateTime64", (Type("9"), Type("'UTC'")), ("", ""))),
        ("Map(LowCardinality(String), String)", Type("Map", (STRING, STRING), ("", ""))),
        (
            "Array(Tuple(name String, attributes Map(String, String)))",
            Type(
                "Array",
                (Type("Tuple", (STRING, Type("Map", (STRING, STRING), ("", ""))), ("name", "attributes")),),
                ("",),
            ),
        ),
    ],
)
def test_a_type_is_read_without_what_only_concerns_storage(text: str, kind: Type):
    assert read_type(text) == kind


def test_flat_maps_shared_maps_and_dictionaries_give_the_same_rows():
    kind = read_type("Map(String, String)")
    rows = [[("a", "1"), ("b", "2")], [], [("a", "3")]]
    assert array_of(kind, Flat([0, 2, 2, 3], ["a", "b", "a"], ["1", "2", "3"])).to_pylist() == rows
    assert array_of(kind, [dict(row) for row in rows]).to_pylist() == rows
    shared = Flat([0, 1, 1, 3], ["a", "a", "b"], ["3", "1", "2"], [2, 1, 0])
    assert array_of(kind, shared).to_pylist() == rows


@pytest.mark.parametrize(
    ("text", "value"),
    [("UInt8", 256), ("UInt64", -1), ("String", "\ud800"), ("DateTime64(9)", 2**63), ("Bool", "yes"), ("UInt64", None)],
)
def test_a_value_that_does_not_fit_is_refused(text: str, value: Any):
    with pytest.raises(InternalError, match="don't fit"):
        table_of({"x": read_type(text)}, {"x": [value]})


def test_columns_must_be_known_and_of_one_length():
    with pytest.raises(InternalError, match="there is no column y"):
        table_of({"x": STRING}, {"y": ["a"]})
    with pytest.raises(InternalError, match="differ in length"):
        table_of({"x": STRING, "y": STRING}, {"x": ["a"], "y": []})
