"""What differs between two schemas: added, removed, retyped, moved, likely renamed."""

import random

import pytest

from lineage_hub.lineage.schema_changes import Move, Rename, TypeChange, schema_change
from lineage_hub.wire.columns import Column, schema_columns


def columns(text: str) -> list[Column]:
    """`columns("id:int total:double")`"""
    return [Column(*one.partition(":")[::2]) for one in text.split()]


def test_nothing_changes_between_equal_schemas() -> None:
    change = schema_change(columns("a:int b:text"), columns("a:int b:text"))
    assert not change
    assert change.equal == 2


def test_columns_come_go_and_get_another_type() -> None:
    change = schema_change(columns("id:int name:text old:date"), columns("id:bigint name:text price:double"))
    assert [one.path for one in change.added] == ["price"]
    assert [one.path for one in change.removed] == ["old"]
    assert change.changed == [TypeChange("id", "int", "bigint")]
    assert (change.moved, change.renamed, change.equal) == ([], [], 1)


def test_as_few_columns_as_possible_have_moved() -> None:
    change = schema_change(columns("a:t b:t c:t d:t e:t"), columns("a:t e:t b:t c:t d:t"))
    assert change.moved == [Move("e", 5, 2)]
    pushed = schema_change(columns("a:t b:t c:t"), columns("new:int a:t b:t c:t"))
    assert (pushed.moved, [one.path for one in pushed.added]) == ([], ["new"]), "to be pushed aside is no move"


RENAMES = {
    "a name that is nearly the same, elsewhere": ("id:int orderid:int x:t", "order_id:int id:int x:t", ["name"]),
    "another name at the same place": ("id:int total:double x:t", "id:int amount:double x:t", ["place"]),
    "both": ("id:int order_no:int", "id:int orderno:int", ["place", "name"]),
}


@pytest.mark.parametrize("name", RENAMES)
def test_a_rename_is_likely_when_type_and_place_or_name_fit(name: str) -> None:
    before, after, because = RENAMES[name]
    (found,) = schema_change(columns(before), columns(after)).renamed
    assert found.because == ("type", *because)
    assert not schema_change(columns(before), columns(after)).added
    assert not schema_change(columns(before), columns(after)).removed


def test_another_type_or_another_place_and_name_is_no_rename() -> None:
    assert schema_change(columns("a:int total:double"), columns("a:int totals:text")).renamed == []
    assert schema_change(columns("x:int a:t b:t"), columns("a:t b:t qqq:int")).renamed == []


def test_of_several_the_best_pair_is_taken() -> None:
    change = schema_change(columns("a:t user_name:t user_mail:t"), columns("a:t user_email:t username:t"))
    assert change.renamed == [
        Rename("user_mail", "user_email", ("type", "name")),
        Rename("user_name", "username", ("type", "name")),
    ]


def test_nested_columns_are_compared_by_their_path() -> None:
    body = b'{"fields":[{"name":"who","type":"struct","fields":[{"name":"id","type":"int"},{"name":7}]},{"type":"x"}]}'
    before = schema_columns(body)
    assert before == [Column("who", "struct"), Column("who.id", "int")]
    after = schema_columns(body.replace(b'"int"', b'"bigint"'))
    assert schema_change(before, after).changed == [TypeChange("who.id", "int", "bigint")]


def test_what_is_told_leads_from_the_one_to_the_other() -> None:
    """Undo what is told, and the columns are those before."""
    dice = random.Random(3)
    names = [f"{letter}{number}" for letter in "abcdef" for number in range(4)]
    for _ in range(300):
        before = [Column(one, dice.choice("xyz")) for one in dice.sample(names, dice.randrange(10))]
        after = [Column(one, dice.choice("xyz")) for one in dice.sample(names, dice.randrange(10))]
        change = schema_change(before, after)
        types = {one.path: one.type for one in after}
        for one in change.added:
            del types[one.path]
        for renamed in change.renamed:
            types[renamed.before] = types.pop(renamed.after)
        for retyped in change.changed:
            assert types[retyped.path] == retyped.after != retyped.before
            types[retyped.path] = retyped.before
        types |= {one.path: one.type for one in change.removed}
        assert types == {one.path: one.type for one in before}
        stayed = [one.path for one in before if one.path in {each.path for each in after}]
        moved = {one.path for one in change.moved}
        assert [p for p in stayed if p not in moved] == [
            one.path for one in after if one.path in stayed and one.path not in moved
        ]


def test_ten_thousand_other_columns_are_told_quickly() -> None:
    before = [Column(f"old_{number}", "t") for number in range(10_000)]
    after = [Column(f"new_{number}", "t") for number in range(10_000)]
    change = schema_change(before, after)
    assert len(change.renamed) + len(change.added) == 10_000
