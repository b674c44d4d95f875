"""An expression and what it can see enter; where its value comes from leaves.

`RULES` has a line for each class with a meaning of its own. Any other class of Spark's is a function of its children,
as Catalyst defines expressions; a class from elsewhere has no rule and is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lineage_hub.spark.plan import lambdas
from lineage_hub.spark.plan.model import Kind
from lineage_hub.spark.plan.reading import Reading
from lineage_hub.spark.plan.rules import by_class
from lineage_hub.spark.plan.scope import Relation, Scope
from lineage_hub.spark.plan.tree import Node
from lineage_hub.spark.plan.values import (
    EMPTY,
    NOTHING,
    Origins,
    Value,
    built,
    cast,
    computed,
    decided,
    element,
    field_of,
    flat,
    lifted,
    merged,
    names_of,
    opened,
    steered,
)

Values = Sequence[Value]
Rule = Callable[[Node, Values], Value]
ScopedRule = Callable[[Node, Values, Scope, Reading], Value]


def evaluate(root: Node, scope: Scope, reading: Reading) -> Value:
    """Children before their parent, on a stack of our own; a lambda is bound when its collections are known."""
    if root.kind == "AttributeReference":
        return _attribute(root, (), scope, reading)
    frames = [(root, iter(_order(root)), _Results(root))]
    while True:
        node, rest, results = frames[-1]
        index = next(rest, None)
        if index is not None:
            child = node.children[index]
            if child.kind == "LambdaFunction" and node.kind in lambdas.PARAMETERS:
                scope.variables.update(lambdas.bind(node, child, results.so_far(index)))
            if child.children or child.kind in SCOPED:
                results.next = index
                frames.append((child, iter(_order(child)), _Results(child)))
            else:
                results.put(index, _value(child, (), scope, reading))
            continue
        frames.pop()
        value = _value(node, results.values, scope, reading)
        if not frames:
            return value
        parent = frames[-1][2]
        parent.put(parent.next, value)


class _Results:
    """The values of a node's children, in their order, whatever order they are evaluated in."""

    __slots__ = ("next", "values")

    def __init__(self, node: Node) -> None:
        self.values: list[Value] = [EMPTY] * len(node.children)
        self.next = 0

    def put(self, index: int, value: Value) -> None:
        self.values[index] = value

    def so_far(self, index: int) -> Values:
        return self.values[: index + 1]


def _order(node: Node) -> Sequence[int]:
    if node.kind in lambdas.ORDERS:
        return lambdas.ORDERS[node.kind]
    if node.kind == "With":
        return (*range(1, len(node.children)), 0)  # what is written once comes before its uses
    return range(len(node.children))


def _value(node: Node, values: Values, scope: Scope, reading: Reading) -> Value:
    kind = node.kind
    scoped = SCOPED.get(kind)
    if scoped is not None:
        return scoped(node, values, scope, reading)
    rule = RULES.get(kind)
    if rule is not None:
        return rule(node, values)
    if node.class_name.startswith(KNOWN_PACKAGES):
        return computed(values)
    return reading.unknown(node, scope.relation)


def _attribute(node: Node, values: Values, scope: Scope, reading: Reading) -> Value:
    found = scope.find(node.id)
    return reading.unknown(node, scope.relation) if found is None else found


def _outer(node: Node, values: Values, scope: Scope, reading: Reading) -> Value:
    inner = node.tree("e")
    return evaluate(inner, scope.outer or scope, reading) if inner else EMPTY


def _variable(node: Node, values: Values, scope: Scope, reading: Reading) -> Value:
    return scope.variables.get(node.id, EMPTY)


def _define(node: Node, values: Values, scope: Scope, reading: Reading) -> Value:
    if node.parent is not None:
        scope.variables[node.parent] = merged([scope.variables.get(node.parent, EMPTY), values[0]])
    return EMPTY


def _use(node: Node, values: Values, scope: Scope, reading: Reading) -> Value:
    """The plan's JSON doesn't tell which one is meant; it is defined by the next expression around."""
    inner = node
    while inner.parent is not None and not (inner.parent.kind == "With" and inner.index == 0):
        inner = inner.parent
    return scope.variables.get(inner.parent, EMPTY)


def _query(node: Node, scope: Scope, reading: Reading) -> Relation:
    plan = node.tree("plan")
    relation = reading.subquery(plan, scope) if plan else Relation()
    scope.seen.update(relation.sources)
    return relation


def _scalar(node: Node, values: Values, scope: Scope, reading: Reading) -> Value:
    relation = _query(node, scope, reading).settled()
    return steered(merged(one.value for one in relation.columns[:1]), relation.steering)


def _list(node: Node, values: Values, scope: Scope, reading: Reading) -> Value:
    relation = _query(node, scope, reading).settled()
    return steered(computed(one.value for one in relation.columns), relation.steering)


def _exists(node: Node, values: Values, scope: Scope, reading: Reading) -> Value:
    """What it selects doesn't matter, only what decides whether there are rows."""
    return Value(_query(node, scope, reading).steering)


def _first(node: Node, values: Values) -> Value:
    return values[0] if values else EMPTY


def _nothing(node: Node, values: Values) -> Value:
    return EMPTY


def _cast(node: Node, values: Values) -> Value:
    return cast(values[0], node.type)


def _struct_field(node: Node, values: Values) -> Value:
    name = node.raw.get("name")
    if name is None:
        names = names_of(values[0])
        name = names[node.raw["ordinal"]] if names else None
    return computed(values) if name is None else field_of(values[0], name)


def _array_struct_fields(node: Node, values: Values) -> Value:
    return field_of(values[0], node.raw["field"]["name"])


def _item(node: Node, values: Values) -> Value:
    """An element, chosen by the others."""
    return decided(element(values[0]), values[1:], Kind.TRANSFORMATION)


def _named_struct(node: Node, values: Values) -> Value:
    fields: dict[str, Value] = {}
    for name, value in zip(node.children[::2], values[1::2], strict=True):
        if name.kind != "Literal":
            return computed(values)
        fields[str(name.raw["value"])] = value
    return built(fields)


def _update_fields(node: Node, values: Values) -> Value:
    whole = opened(values[0])
    if whole.fields is None:
        return computed(values)
    fields = dict(whole.fields)
    for operation, value in zip(node.children[1:], values[1:], strict=True):
        name = operation.name
        key = next((one for one in fields if one.casefold() == name.casefold()), name)
        if operation.kind == "DropField":
            fields.pop(key, None)
        else:
            fields[key] = value
    return Value(whole.origins, fields, opaque=whole.opaque)


def _array(node: Node, values: Values) -> Value:
    return lifted(merged(values), Kind.TRANSFORMATION)


def _conditional(branches: Values, conditions: Values) -> Value:
    return decided(lifted(merged(branches), Kind.TRANSFORMATION), conditions, Kind.CONDITIONAL)


def _if(node: Node, values: Values) -> Value:
    return _conditional(values[1:], values[:1])


def _case_when(node: Node, values: Values) -> Value:
    pairs = len(values) // 2 * 2
    return _conditional([*values[1:pairs:2], *values[pairs:]], values[:pairs:2])


def _coalesce(node: Node, values: Values) -> Value:
    return _conditional(values, values)


def _aggregate(node: Node, values: Values) -> Value:
    """A function and the FILTER clause."""
    return decided(lifted(values[0], Kind.AGGREGATION), values[1:], Kind.FILTER)


def _same_structure(node: Node, values: Values) -> Value:
    """Some of its values as they are: the first, the last, a list of them; other arguments say which."""
    return decided(lifted(values[0], Kind.TRANSFORMATION), values[1:], Kind.TRANSFORMATION)


def _merge(node: Node, values: Values) -> Value:
    return lifted(merged(values), Kind.TRANSFORMATION)


def _ordered(node: Node, values: Values) -> Value:
    """LISTAGG: its arguments, and what they are ordered by."""
    order = {id(one) for one in node.trees("orderExpressions")}
    ways = list(zip(node.children, values, strict=True))
    arguments = [value for child, value in ways if id(child) not in order]
    by = [value for child, value in ways if id(child) in order]
    return decided(computed(arguments), by, Kind.WINDOW)


def _pivot_first(node: Node, values: Values) -> Value:
    """The pivot column was grouped by beneath; here it only says which place of the array a value takes."""
    return lifted(values[1], Kind.TRANSFORMATION)


def _over(node: Node, values: Values) -> Value:
    return decided(lifted(values[0], Kind.TRANSFORMATION), values[1:], Kind.WINDOW)


def _offset(node: Node, values: Values) -> Value:
    """LAG and LEAD: the value of another row, or the default; the offset steers nothing that has a name."""
    return lifted(merged([values[0], *values[2:]]), Kind.TRANSFORMATION)


def _nth(node: Node, values: Values) -> Value:
    return lifted(values[0], Kind.AGGREGATION)


def _reduced(node: Node, values: Values) -> Value:
    """What the last lambda of a reduction makes of the accumulator."""
    return computed(values[3:])


KNOWN_PACKAGES = (
    "org.apache.spark.sql.catalyst.expressions.",
    "org.apache.spark.sql.catalyst.analysis.",
    "org.apache.spark.sql.execution.",
    "org.apache.spark.sql.hive.",
    "org.apache.spark.sql.delta.",
    "org.apache.spark.sql.avro.",
    "org.apache.spark.sql.protobuf.",
    "org.apache.spark.ml.",
)
RULES: dict[str, Rule] = by_class(
    (
        _first,
        """Alias OuterReference LambdaFunction With SortOrder KnownNotNull KnownNullable KnownNotContainsNull
        KnownFloatingPointNormalized NamedArgumentExpression PipeExpression TempResolvedColumn AssertNotNull
        PrettyAttribute WithField""",
    ),
    (_nothing, "Literal TypedNullLiteral TypeOf Collation Rank DenseRank PercentRank CumeDist RowNumber DropField"),
    (_cast, "Cast UpCast"),
    (_struct_field, "GetStructField"),
    (_array_struct_fields, "GetArrayStructFields"),
    (_item, "GetArrayItem GetMapValue ElementAt TryElementAt"),
    (_named_struct, "CreateNamedStruct"),
    (_update_fields, "UpdateFields"),
    (_array, "CreateArray"),
    (_if, "If"),
    (_case_when, "CaseWhen"),
    (_coalesce, "Coalesce"),
    (_aggregate, "AggregateExpression"),
    (
        _same_structure,
        """First Last AnyValue CollectList CollectSet Slice Reverse Shuffle ArrayDistinct SortArray
        ArrayCompact ArrayRemove Flatten ArrayRepeat ArrayMax ArrayMin""",
    ),
    (_merge, "Concat ArrayUnion ArrayAppend ArrayPrepend"),
    (_ordered, "ListAgg"),
    (_pivot_first, "PivotFirst"),
    (_over, "WindowExpression"),
    (_offset, "Lag Lead"),
    (_nth, "NthValue"),
    (lambdas.mapped, "ArrayTransform ArrayExists ArrayForAll ZipWith TransformKeys TransformValues MapZipWith"),
    (lambdas.kept, "ArrayFilter MapFilter ArraySort"),
    (_reduced, "ArrayAggregate"),
)
SCOPED: dict[str, ScopedRule] = {
    "AttributeReference": _attribute,
    "OuterReference": _outer,
    "NamedLambdaVariable": _variable,
    "CommonExpressionDef": _define,
    "CommonExpressionRef": _use,
    "ScalarSubquery": _scalar,
    "ListQuery": _list,
    "Exists": _exists,
}


def used(nodes: Sequence[Node], scope: Scope, reading: Reading) -> Origins:
    """Everything that some expressions look at, for an operator that is steered by them."""
    return NOTHING.union(*(flat(evaluate(one, scope, reading)) for one in nodes))
