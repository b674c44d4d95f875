"""A logical operator and the relations beneath it enter; the relation that it leaves comes out.

`RULES` has a line for each class of operator; one without a line is reported as unknown, and opaque. What reads from a
place is in `leaves.py`, what a Python function or a program does with rows in `functions.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from lineage_hub.spark.plan.expressions import evaluate, used
from lineage_hub.spark.plan.model import Kind
from lineage_hub.spark.plan.reading import Reading
from lineage_hub.spark.plan.rules import by_class
from lineage_hub.spark.plan.scope import Column, Relation, Scope, scope_over, sources_of, together
from lineage_hub.spark.plan.tree import Node
from lineage_hub.spark.plan.values import (
    EMPTY,
    NOTHING,
    Origins,
    Value,
    computed,
    element,
    field_of,
    flat,
    lifted,
    merged,
    names_of,
    steered,
    steering,
)

Relations = Sequence[Relation]
Rule = Callable[[Node, Relations, Reading], Relation]


def _same(node: Node, below: Relations, reading: Reading) -> Relation:
    return below[0]


def _last(node: Node, below: Relations, reading: Reading) -> Relation:
    """A query after the definitions that it uses."""
    return below[-1]


def over(below: Relations, reading: Reading) -> Scope:
    return scope_over(below, reading.outer)


def named(nodes: Sequence[Node], scope: Scope, reading: Reading) -> tuple[Column, ...]:
    """The columns of a list of named expressions."""
    return tuple(Column(one.id, one.name, evaluate(one, scope, reading)) for one in nodes)


def left_by(scope: Scope, columns: tuple[Column, ...], by: Origins = NOTHING) -> Relation:
    relation = scope.relation
    sources = together(relation.sources, scope.seen) if scope.seen else relation.sources
    return Relation(columns, relation.steering | by if by else relation.steering, sources, relation.grouping)


def _project(node: Node, below: Relations, reading: Reading) -> Relation:
    scope = over(below, reading)
    return left_by(scope, named(node.trees("projectList"), scope, reading))


def _steered_by(field: str, kind: Kind) -> Rule:
    def rule(node: Node, below: Relations, reading: Reading) -> Relation:
        scope = over(below, reading)
        by = steering(used(node.trees(field), scope, reading), kind)
        return left_by(scope, scope.relation.columns, by)

    return rule


def _distinct(node: Node, below: Relations, reading: Reading) -> Relation:
    scope = over(below, reading)
    columns = scope.relation.columns
    return left_by(scope, columns, steering(NOTHING.union(*(flat(one.value) for one in columns)), Kind.GROUP_BY))


def _join(node: Node, below: Relations, reading: Reading) -> Relation:
    scope = over(below, reading)
    join_type = _join_type(node)
    half = join_type in ("LeftSemi", "LeftAnti")
    conditions = [one for name in ("condition", "asOfCondition", "orderExpression") for one in node.trees(name)]
    by = steering(used(conditions, scope, reading), Kind.FILTER if half else Kind.JOIN)
    columns = below[0].columns if half else scope.relation.columns
    if join_type == "ExistenceJoin":
        exists = node.raw["joinType"].get("exists")
        columns = (*below[0].columns, *(Column(one["exprId"]["id"], one["name"], Value(by)) for one in exists or ()))
    relation = left_by(scope, columns, by)
    if half:
        # Whatever steers the rows of the other side decides here which rows stay.
        left, right = below
        others = steering(right.steering | right.grouping, Kind.FILTER)
        return replace(relation, steering=left.steering | others | by, grouping=left.grouping)
    return relation


def _join_type(node: Node) -> str:
    given = node.raw["joinType"]
    return str(given.get("object") or given.get("product-class")).rpartition(".")[2].removesuffix("$")


def _lateral_join(node: Node, below: Relations, reading: Reading) -> Relation:
    scope = over(below, reading)
    plan = node.trees("right")[0].tree("plan")
    right = reading.subquery(plan, scope) if plan else Relation()
    joined = over([scope.relation, right], reading)
    return left_by(joined, joined.relation.columns, steering(used(node.trees("condition"), joined, reading), Kind.JOIN))


def _union(node: Node, below: Relations, reading: Reading) -> Relation:
    """By position; the names and ids are those of the first."""
    columns = tuple(
        Column(same[0].id, same[0].name, merged(one.value for one in same))
        for same in zip(*(one.settled().columns for one in below), strict=True)
    )
    return Relation(columns, NOTHING.union(*(one.steering for one in below)), sources_of(below))


def _set_operation(node: Node, below: Relations, reading: Reading) -> Relation:
    """EXCEPT and INTERSECT compare whole rows: all columns of both sides decide which rows stay."""
    left, right = below
    own = NOTHING.union(*(flat(one.value) for one in left.columns))
    by = steering(own | right.origins(), Kind.FILTER)
    return replace(left, steering=left.steering | by, sources=sources_of(below))


def _aggregate(node: Node, below: Relations, reading: Reading) -> Relation:
    scope = over(below, reading)
    groups = node.trees("groupingExpressions")
    if not groups:
        return left_by(scope, named(node.trees("aggregateExpressions"), scope, reading))
    by = {_key(one): steering(flat(evaluate(one, scope, reading)), Kind.GROUP_BY) for one in groups}
    everything = NOTHING.union(*by.values())
    expressions = node.trees("aggregateExpressions")
    columns = []
    for column, expression in zip(named(expressions, scope, reading), expressions, strict=True):
        own = by.get(_key(expression))
        if own is None:
            value = steered(column.value, everything)
        else:
            others = NOTHING.union(*(one for one in by.values() if one is not own))
            value = replace(column.value, spared=column.value.spared | (own - others))
        columns.append(column._replace(value=value))
    relation = left_by(scope, tuple(columns))
    return replace(relation, grouping=relation.grouping | everything)


def _key(expression: Node) -> tuple[object, ...]:
    """Equal for expressions that mean the same: a column is known by its id, not by how it was called."""
    root = expression.children[0] if expression.kind == "Alias" else expression
    if root.kind == "AttributeReference":
        return (root.id,)
    return tuple(
        (one.kind, one.id) if one.kind == "AttributeReference" else (one.kind, len(one.children), str(_plain(one)))
        for one in root.walk()
    )


def _plain(node: Node) -> object:
    """Fields that make one expression differ from another, without the ids of results."""
    return {
        name: value
        for name, value in node.raw.items()
        if name not in ("resultId", "exprId", "qualifier", "metadata", "class", "num-children")
    }


def _window(node: Node, below: Relations, reading: Reading) -> Relation:
    scope = over(below, reading)
    return left_by(scope, (*scope.relation.columns, *named(node.trees("windowExpressions"), scope, reading)))


def _expand(node: Node, below: Relations, reading: Reading) -> Relation:
    """Each row several times, each time by another list of expressions."""
    scope = over(below, reading)
    rows = [[evaluate(one, scope, reading) for one in row] for row in node.nested("projections")]
    columns = tuple(
        Column(one.id, one.name, merged(row[index] for row in rows)) for index, one in enumerate(node.trees("output"))
    )
    return left_by(scope, columns)


def _generate(node: Node, below: Relations, reading: Reading) -> Relation:
    scope = over(below, reading)
    skipped = set(node.raw.get("unrequiredChildIndex") or ())
    passed = tuple(one for index, one in enumerate(scope.relation.columns) if index not in skipped)
    made = node.trees("generatorOutput")
    generator = node.trees("generator")[0]
    while generator.kind == "GeneratorOuter":
        generator = generator.children[0]
    arguments = [evaluate(one, scope, reading) for one in generator.children]
    if generator.kind in ("PythonUDTF", "UnresolvedPolymorphicPythonUDTF"):
        step = reading.opaque(generator.name, "a Python table function decides what its rows are")
        whole = computed(arguments)
        values = [Value(whole.origins, opaque=whole.opaque | {step})] * len(made)
    elif generator.class_name.startswith("org.apache.spark.sql."):
        values = _generated(generator, arguments, len(made))
    else:
        values = [reading.unknown(generator, scope.relation)] * len(made)
    return left_by(
        scope, (*passed, *(Column(one.id, one.name, value) for one, value in zip(made, values, strict=True)))
    )


def _generated(generator: Node, arguments: Sequence[Value], count: int) -> list[Value]:
    if generator.kind == "Stack" and generator.children[0].kind == "Literal":
        cells = arguments[1:]
        return [merged(cells[index::count]) for index in range(count)]
    if generator.kind == "Inline":
        names = names_of(arguments[0])
        if names and len(names) == count:
            return [lifted(field_of(arguments[0], name), Kind.TRANSFORMATION) for name in names]
    if generator.kind in ("Explode", "PosExplode"):
        position = [computed(arguments)] if generator.kind == "PosExplode" else []
        return [*position, *[element(arguments[0])] * (count - len(position))]
    return [computed(arguments)] * count


def _attach_sequence(node: Node, below: Relations, reading: Reading) -> Relation:
    made = node.trees("sequenceAttr")
    return left_by(over(below, reading), (*(Column(one.id, one.name, EMPTY) for one in made), *below[0].columns))


def _evaluated_python(node: Node, below: Relations, reading: Reading) -> Relation:
    """Functions that were taken out of their expressions, with a column for each result."""
    scope = over(below, reading)
    made = zip(node.trees("resultAttrs"), node.trees("udfs"), strict=True)
    return left_by(
        scope,
        (*scope.relation.columns, *(Column(one.id, one.name, evaluate(udf, scope, reading)) for one, udf in made)),
    )


def _merge_rows(node: Node, below: Relations, reading: Reading) -> Relation:
    """MERGE of a table that Spark rewrites: each output is what any of the instructions gives."""
    scope = over(below, reading)
    instructions = [
        one
        for name in ("matchedInstructions", "notMatchedInstructions", "notMatchedBySourceInstructions")
        for one in node.trees(name)
    ]
    conditions = [one for each in instructions for one in each.trees("condition")]
    rows = [each.trees("output") for each in instructions]
    output = node.trees("output")
    columns = tuple(
        Column(
            one.id,
            one.name,
            merged(evaluate(row[index], scope, reading) for row in rows if len(row) == len(output)),
        )
        for index, one in enumerate(output)
    )
    return left_by(scope, columns, steering(used(conditions, scope, reading), Kind.FILTER))


RULES: dict[str, Rule] = by_class(
    (
        _same,
        """SubqueryAlias View GlobalLimit LocalLimit Offset Tail Sample Repartition RepartitionByExpression
        RebalancePartitions ResolvedHint UnresolvedHint CollectMetrics EventTimeWatermark
        UpdateEventTimeWatermarkColumn ReturnAnswer Subquery WindowGroupLimit SQLFunctionNode WriteFiles
        WithWindowDefinition PipeOperator DeltaInvariantChecker""",
    ),
    (_last, "WithCTE"),
    (_project, "Project"),
    (_steered_by("condition", Kind.FILTER), "Filter"),
    (_steered_by("order", Kind.SORT), "Sort"),
    (_steered_by("keys", Kind.GROUP_BY), "Deduplicate DeduplicateWithinWatermark"),
    (_distinct, "Distinct"),
    (_join, "Join AsOfJoin"),
    (_lateral_join, "LateralJoin"),
    (_union, "Union"),
    (_set_operation, "Except Intersect"),
    (_aggregate, "Aggregate"),
    (_window, "Window"),
    (_expand, "Expand"),
    (_generate, "Generate"),
    (_attach_sequence, "AttachDistributedSequence"),
    (_evaluated_python, "ArrowEvalPython BatchEvalPython"),
    (_merge_rows, "MergeRows"),
)
