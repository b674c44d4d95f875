"""Plans written by hand, in the JSON that Spark gives, for tests that need no Spark."""

from lineage_hub.spark.plan.leaves import Place
from lineage_hub.spark.plan.model import PlanLineage, Source, Target
from lineage_hub.spark.plan.reader import read_plan
from lineage_hub.spark.plan.tree import parse

EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions."
LOGICAL = "org.apache.spark.sql.catalyst.plans.logical."


def node(cls: str, *children: list, **fields: object) -> list:
    """An operator or an expression, flat, with its children after it."""
    name = cls if "." in cls else EXPRESSIONS + cls
    return [{"class": name, "num-children": len(children), **fields}, *(one for child in children for one in child)]


def operator(cls: str, *children: list, **fields: object) -> list:
    return node(LOGICAL + cls, *children, **fields)


def attribute(id_: int, name: str = "", type_: object = "integer") -> list:
    return node("AttributeReference", name=name or f"c{id_}", dataType=type_, metadata={}, exprId={"id": id_})


def alias(id_: int, name: str, child: list) -> list:
    return node("Alias", child, name=name, exprId={"id": id_})


def literal(value: object = 1) -> list:
    return node("Literal", value=str(value), dataType="integer")


def table(name: str, *columns: list) -> list:
    return node("org.apache.spark.sql.execution.datasources.LogicalRelation", relation=name, output=list(columns))


class NamedPlaces:
    """Each leaf reads the dataset that its relation is called by."""

    def place_of(self, leaf):
        return Place((Source(("test", leaf.raw["relation"])),))

    def columns_of(self, node):
        return [parse(one) for one in node.raw["output"]]

    def fields_of(self, node):
        return ()

    def target_of(self, command) -> Target | None:
        return None


def lineage_of(flat: list, boundaries=None) -> PlanLineage:
    return read_plan(parse(flat), NamedPlaces(), boundaries or {})


def origins(answer: PlanLineage, column: str) -> set[str]:
    return {f"{one.dataset[1]}.{one.field} {one.kind}" for one in answer.columns[column]}
