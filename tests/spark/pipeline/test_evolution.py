"""What changed between two schemas is told as people would tell it, once each, with the worst first."""

from dataclasses import dataclass

import pytest

from lineage_hub.spark.pipeline.evolution import Change, compare, worst
from lineage_hub.spark.pipeline.type_text import read_type


@dataclass(frozen=True)
class Field:
    name: str
    type: str | None
    fields: tuple["Field", ...] = ()


def schema(text: str) -> list[Field]:
    """`a int, b string`"""
    found = []
    for part in text.split(", "):
        name, _, kind = part.strip().partition(" ")
        found.append(Field(name, kind))
    return found


def changes(before: str, after: str) -> list[tuple[str, str]]:
    return [(change.kind, change.path) for change in compare(schema(before), schema(after))]


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("int", "bigint", "widened"),
        ("bigint", "int", "narrowed"),
        ("INTEGER", "int", None),
        ("tinyint", "smallint", "widened"),
        ("int", "double", "widened"),
        ("bigint", "double", "changed"),
        ("int", "float", "changed"),
        ("smallint", "float", "widened"),
        ("float", "double", "widened"),
        ("double", "float", "narrowed"),
        ("int", "decimal(10,0)", "widened"),
        ("int", "decimal(9,0)", "changed"),
        ("bigint", "decimal(21,2)", "widened"),
        ("decimal(10,2)", "decimal(12,2)", "widened"),
        ("decimal(10,2)", "decimal(12,4)", "widened"),
        ("decimal(10,2)", "decimal(10,4)", "changed"),
        ("decimal(12,4)", "decimal(10,2)", "narrowed"),
        ("decimal(10, 0)", "DECIMAL", None),
        ("date", "timestamp", "widened"),
        ("timestamp", "date", "narrowed"),
        ("timestamp", "timestamp_ntz", "changed"),
        ("timestamp_ltz", "timestamp", None),
        ("varchar(10)", "varchar(20)", "widened"),
        ("varchar(20)", "varchar(10)", "narrowed"),
        ("char(5)", "varchar(5)", "widened"),
        ("char(5)", "string", "widened"),
        ("string", "varchar(10)", "narrowed"),
        ("int", "string", "changed"),
        ("string", "int", "changed"),
        ("boolean", "int", "changed"),
        ("void", "date", "widened"),
        ("array<int>", "array<bigint>", "widened"),
        ("map<string,int>", "map<string,int>", None),
        ("array<int>", "int", "changed"),
    ],
)
def test_a_type(before: str, after: str, kind: str | None) -> None:
    found = compare([Field("a", before)], [Field("a", after)])
    assert [(change.kind, change.path) for change in found] == ([(kind, "a")] if kind else [])


def test_columns_come_and_go() -> None:
    assert changes("id int, city string", "id int, total double") == [("removed", "city"), ("added", "total")]


def test_a_type_that_nobody_told_is_no_change() -> None:
    assert compare([Field("a", None)], [Field("a", "int")]) == []


@pytest.mark.parametrize(
    ("before", "after", "pairs"),
    [
        ("id int, customer_name string, n int", "n int, id int, customer_full_name string",
         [("customer_name", "customer_full_name")]),
        ("id int, city string, n int", "id int, town string, n int", [("city", "town")]),
        ("id int, city string", "id int, n int, town string", []),
        ("id int, amount int", "id int, amount_eur bigint", []),
        ("a_id int, a_name string, b_name string", "a_id int, a_names string, b_names string",
         [("a_name", "a_names"), ("b_name", "b_names")]),
        ("Total int", "total int", [("Total", "total")]),
        ("x_total int", "y_total int, z_total int", [("x_total", "y_total")]),
    ],
)  # fmt: skip
def test_what_is_likely_renamed(before: str, after: str, pairs: list[tuple[str, str]]) -> None:
    found = compare(schema(before), schema(after))
    assert [(change.before, change.after) for change in found if change.kind == "renamed"] == pairs
    names = {name for pair in pairs for name in pair}
    assert not [change for change in found if change.kind in ("added", "removed") and change.path in names]


def test_another_order_is_told_once() -> None:
    assert compare(schema("a int, b int, c int, d int"), schema("d int, c int, a int, b int")) == [
        Change("reordered", "", "a, b, c, d", "d, c, a, b")
    ]


def test_a_column_that_comes_or_goes_in_between_is_no_other_order() -> None:
    assert changes("a int, b string, c int", "a int, x double, c int") == [("removed", "b"), ("added", "x")]


def test_nested_fields_are_compared_as_columns_are() -> None:
    before = [
        Field("s", "struct<a:int,b:string,in:struct<x:decimal(10,2)>>"),
        Field("items", "array<struct<price:int,n:int>>"),
        Field("m", "map<string,int>"),
    ]
    after = [
        Field("s", "struct<a:bigint,in:struct<x:decimal(10,2),y:date>,c:int>"),
        Field("items", "array<struct<n:int,price:int>>"),
        Field("m", "map<string,bigint>"),
    ]
    assert [(change.kind, change.path) for change in compare(before, after)] == [
        ("widened", "s.a"),
        ("removed", "s.b"),
        ("added", "s.in.y"),
        ("added", "s.c"),
        ("reordered", "items"),
        ("widened", "m.value"),
    ]


def test_nested_fields_may_stand_in_the_text_or_beside_it() -> None:
    beside = [
        Field("s", "struct", (Field("a", "int"), Field("b", "string"))),
        Field("items", "array", (Field("_element", "struct", (Field("price", "int"),)),)),
        Field("m", "map", (Field("key", "string"), Field("value", "int"))),
    ]
    text = [
        Field("s", "struct<a:int,b:string>"),
        Field("items", "array<struct<price:int>>"),
        Field("m", "map<string,int>"),
    ]
    assert compare(beside, text) == []
    cut = [Field("s", "struct<a:int,... 1 more fields>", (Field("a", "int"), Field("b", "string"))), *text[1:]]
    assert compare(cut, text) == []


def test_names_with_odd_letters_in_the_text_of_a_struct() -> None:
    kind = read_type("struct<`a,b`:int,`c``d`:array<string>,größe 漢:decimal(5,2)>")
    assert [name for name, _ in kind.parts] == ["a,b", "c`d", "größe 漢"]
    assert read_type(str(kind).replace("a,b", "`a,b`").replace("c`d", "`c``d`")) == kind


def test_the_policy_is_for_any_change_and_the_worst_is_told_first() -> None:
    found = compare(schema("a int, b int, c string"), schema("a bigint, d date, b int"))
    verdict = worst(found, "warn")
    assert (verdict.policy, [change.kind for change in verdict.changes]) == ("warn", ["removed", "widened", "added"])
    assert verdict.says == "c (string) is gone; a is widened from int to bigint; d (date) is new"
    assert worst(found, "fail").policy == "fail"
    assert worst(found, "allow").policy == "allow"
    assert worst([], "fail").policy == "allow"
