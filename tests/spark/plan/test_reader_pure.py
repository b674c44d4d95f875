"""What the plan reader does with plans that need no Spark: unknown classes, depth, width and structures."""

import pytest

from lineage_hub.spark.plan.model import Columns, Kind, Origin
from lineage_hub.spark.plan.tree import parse
from lineage_hub.spark.plan.values import Value, cast, field_of, flat, merged
from tests.spark.plan.written_plans import alias, attribute, lineage_of, literal, node, operator, origins, table

ORDERS = table("orders", attribute(1, "id"), attribute(2, "amount"))


def project(child, *columns):
    return operator("Project", child, projectList=list(columns))


def test_a_tree_has_its_children_in_order():
    tree = parse(node("Add", node("Subtract", attribute(1), attribute(2)), attribute(3)))
    assert [one.kind for one in tree.walk()] == ["Add", "Subtract", *["AttributeReference"] * 3]
    assert [one.id for one in tree.children[0].children] == [1, 2]
    assert tree.children[1].parent is tree


def test_a_field_gives_what_stands_in_it_or_the_child_that_it_names():
    tree = parse(node("If", literal(), attribute(2), attribute(3), trueValue=1, elsewhere=attribute(9)))
    assert tree.tree("trueValue").id == 2
    assert tree.tree("elsewhere").id == 9
    assert tree.tree("nothing") is None


def test_an_operator_without_a_rule_is_reported_and_its_columns_depend_on_everything():
    unheard = node("com.example.Unheard", ORDERS, output=[attribute(7, "x")])
    answer = lineage_of(project(unheard, alias(8, "y", attribute(7, "x"))))
    assert answer.unknown == ("com.example.Unheard",)
    assert origins(answer, "y") == {"orders.id TRANSFORMATION", "orders.amount TRANSFORMATION"}
    assert [(one.operator, one.columns) for one in answer.opaque] == [("Unheard", ("y",))]


def test_an_expression_of_elsewhere_is_reported_and_only_its_columns_are_opaque():
    answer = lineage_of(
        project(ORDERS, attribute(1, "id"), alias(8, "y", node("com.example.Secret", attribute(2, "amount"))))
    )
    assert answer.unknown == ("com.example.Secret",)
    assert origins(answer, "id") == {"orders.id IDENTITY"}
    assert origins(answer, "y") == {"orders.id TRANSFORMATION", "orders.amount TRANSFORMATION"}
    assert [one.columns for one in answer.opaque] == [("y",)]


def test_a_function_of_sparks_own_that_has_no_rule_depends_on_its_arguments():
    answer = lineage_of(project(ORDERS, alias(8, "y", node("NewInSpark", attribute(2), literal()))))
    assert origins(answer, "y") == {"orders.amount TRANSFORMATION"}
    assert answer.unknown == ()


def test_what_a_filter_on_an_opaque_column_decides_is_not_called_opaque():
    unheard = node("com.example.Unheard", ORDERS, output=[attribute(7, "x"), attribute(6, "z")])
    answer = lineage_of(project(operator("Filter", unheard, condition=attribute(7, "x")), alias(8, "one", literal())))
    assert origins(answer, "one") == {"orders.id FILTER", "orders.amount FILTER"}
    assert [one.columns for one in answer.opaque] == [()]


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        (node("If", attribute(7, "x"), attribute(2), literal()), "CONDITIONAL"),
        (node("GetArrayItem", attribute(2), attribute(7, "x")), "TRANSFORMATION"),
        (node("WindowExpression", attribute(2), attribute(7, "x")), "WINDOW"),
    ],
    ids=["a condition", "an index", "a window"],
)
def test_a_value_that_an_opaque_column_decides_is_opaque(expression, kind):
    unheard = node("com.example.Unheard", table("hidden", attribute(5, "h")), output=[attribute(7, "x")])
    both = operator("Join", ORDERS, unheard, joinType={"object": "org.apache.spark.sql.catalyst.plans.Inner$"})
    answer = lineage_of(project(both, attribute(1, "id"), alias(8, "y", expression)))
    assert origins(answer, "y") == {"orders.amount TRANSFORMATION", f"hidden.h {kind}"}
    assert [one.columns for one in answer.opaque] == [("y",)]


def test_a_plan_may_be_deeper_than_pythons_stack():
    plan, last = ORDERS, attribute(2, "amount")
    chain = []
    for number in range(5000):
        chain.append([{**operator("Project", projectList=[alias(10 + number, "x", last)])[0], "num-children": 1}])
        last = attribute(10 + number, "x")
    plan = [one for level in reversed(chain) for one in level] + ORDERS
    assert origins(lineage_of(plan), "x") == {"orders.amount IDENTITY"}


def test_an_expression_may_be_deeper_than_pythons_stack():
    deep = [{"class": node("Add")[0]["class"], "num-children": 2}] * 5000 + attribute(1)
    for _ in range(5000):
        deep = [*deep, *attribute(2)]
    answer = lineage_of(project(ORDERS, alias(8, "y", deep)))
    assert origins(answer, "y") == {"orders.id TRANSFORMATION", "orders.amount TRANSFORMATION"}


def test_columns_of_one_name_are_one():
    answer = lineage_of(project(ORDERS, alias(8, "x", attribute(1)), alias(9, "x", attribute(2))))
    assert origins(answer, "x") == {"orders.id IDENTITY", "orders.amount IDENTITY"}


def test_what_steers_all_columns_is_kept_once():
    answer = lineage_of(operator("Distinct", ORDERS))
    assert {one.kind for one in answer.columns.shared} == {Kind.GROUP_BY}
    assert origins(answer, "id") == {"orders.id IDENTITY", "orders.id GROUP_BY", "orders.amount GROUP_BY"}


def test_columns_compare_as_a_dictionary_and_origins_as_tuples():
    origin = Origin(("ns", "orders"), "id", Kind.IDENTITY)
    assert Columns({"a": frozenset({origin})}) == {"a": {(("ns", "orders"), "id", "IDENTITY")}}


def test_a_boundary_is_a_leaf():
    below = operator("SubqueryAlias", ORDERS, identifier={"name": "stage"}, output=[attribute(2, "amount")])
    answer = lineage_of(project(below, alias(8, "y", attribute(2))), {"stage": ("pipeline", "stage")})
    assert [(one.name, one.format) for one in answer.inputs] == [(("pipeline", "stage"), "view")]
    assert origins(answer, "y") == {"stage.amount IDENTITY"}


@pytest.mark.parametrize(("kind", "direct"), [("IDENTITY", "DIRECT"), ("AGGREGATION", "DIRECT"),
                                              ("TRANSFORMATION", "DIRECT"), ("JOIN", "INDIRECT"),
                                              ("CONDITIONAL", "INDIRECT")])  # fmt: skip
def test_kinds_have_openlineages_types(kind, direct):
    assert Kind(kind).type == direct


STRUCT = {"type": "struct", "fields": [{"name": "a", "type": "integer"}, {"name": "b", "type": "string"}]}


def copy(name, type_=STRUCT, kind=Kind.IDENTITY):
    return Value(frozenset({Origin(("ns", "t"), name, kind)}), type=type_)


def test_a_field_of_a_copy_lies_beneath_it():
    assert flat(field_of(copy("s"), "a")) == {(("ns", "t"), "s.a", "IDENTITY")}


def test_arrays_are_seen_through():
    assert flat(field_of(copy("s", {"type": "array", "elementType": STRUCT}), "b")) == {
        (("ns", "t"), "s.b", "IDENTITY")
    }


def test_a_field_of_something_computed_is_all_of_it():
    assert flat(field_of(copy("s", None, Kind.AGGREGATION), "a")) == {(("ns", "t"), "s", "AGGREGATION")}


def test_a_copy_or_a_literal_is_the_copy():
    literal_struct = Value(fields={"a": Value(), "b": Value()})
    assert flat(merged([copy("s"), literal_struct])) == {(("ns", "t"), "s", "IDENTITY")}


def test_types_that_differ_in_nulls_only_are_one_type():
    nullable = {"type": "struct", "fields": [{**one, "nullable": True} for one in STRUCT["fields"]]}
    assert flat(merged([copy("s"), copy("t", nullable)])) == {
        (("ns", "t"), "s", "IDENTITY"),
        (("ns", "t"), "t", "IDENTITY"),
    }


def test_a_cast_between_structures_goes_by_position():
    target = {"type": "struct", "fields": [{"name": "x", "type": "integer"}, {"name": "y", "type": "integer"}]}
    renamed = cast(copy("s"), target)
    assert flat(field_of(renamed, "x")) == {(("ns", "t"), "s.a", "IDENTITY")}
    assert flat(field_of(renamed, "y")) == {(("ns", "t"), "s.b", "TRANSFORMATION")}


def test_a_copy_and_a_built_structure_meet_field_by_field():
    built = Value(fields={"a": copy("x", "integer"), "b": copy("y", "string")})
    assert flat(field_of(merged([copy("s"), built]), "a")) == {
        (("ns", "t"), "s.a", "IDENTITY"),
        (("ns", "t"), "x", "IDENTITY"),
    }
