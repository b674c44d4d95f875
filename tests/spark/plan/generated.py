"""A seed becomes a valid query over three tables of one shape, in the SQL that Spark and DuckDB share.
They are made so that what flows into a column can be seen: branches can be taken, nulls occur, ties don't matter."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

TABLES = ("red", "green", "blue")
INT, TEXT, DATE = "int", "text", "date"


@dataclass(frozen=True)
class Column:
    sql: str
    type: str
    steers: bool = False
    """Conditions and keys use only these; so no condition makes a branch of another column's CASE unreachable."""
    nullable: bool = True
    """False when its nulls are rare or gone, or it is an aggregate: count(x) would hide what it reads."""


@dataclass(frozen=True)
class Relation:
    sql: str
    columns: tuple[Column, ...]

    def of(self, type_: str) -> list[Column]:
        return [column for column in self.columns if column.type == type_]

    @property
    def keys(self) -> list[Column]:
        return [column for column in self.columns if column.steers]


SOURCE = (
    Column("id", INT, nullable=False),
    Column("k", INT, steers=True),
    Column("g", TEXT, steers=True),
    Column("c", INT),
    Column("m", INT),
    Column("n", INT),
    Column("s", TEXT),
    Column("t", TEXT),
    Column("d", DATE),
    Column("st.x", INT),
    Column("st.y", TEXT),
)
"""`id` is unique, `c` is only asked in CASE; the others are keys and values."""


class Query:
    """One random query; names are counted, so that no two columns or relations share one."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.names = 0
        self.matched = self.absent = False
        """Rows are looked up by a key, or only stay without a match; both at once would leave nothing to look up."""

    def make(self) -> str:
        relation = self.relation(self.random.choice([1, 2, 2, 3, 3]))
        return self.random.choice([self.project, self.limit, lambda r: r, lambda r: r])(relation).sql

    def name(self, prefix: str = "x") -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def relation(self, depth: int) -> Relation:
        if depth == 0:
            return self.leaf()
        one = (self.project, self.filter, self.aggregate, self.aggregate, self.window, self.distinct, self.limit)
        two = (self.join, self.join, self.join, self.set_operation, self.filter_by_subquery, self.value_by_subquery)
        if self.random.random() < 0.5:
            return self.random.choice(one)(self.relation(depth - 1))
        if self.random.random() < 0.15:
            return self.reused(self.relation(depth - 1))
        return self.random.choice(two)(self.relation(depth - 1), self.relation(self.random.randrange(depth)))

    def leaf(self) -> Relation:
        """A source with its keys and some values, computed or not: here is where branches and nulls are."""
        table = Relation(self.random.choice(TABLES), SOURCE)
        values = [column for column in SOURCE if not column.steers and column.sql != "c"]
        chosen = [self.random.choice([self.plain, self.branch])(table) for _ in range(self.random.randint(1, 3))]
        chosen += self.random.sample(values, 2) + self.random.sample(table.keys, self.random.randint(1, 2))
        where = f" WHERE {self.condition(table)}" if self.random.random() < 0.3 else ""
        return self.select(chosen, f"FROM {table.sql}{where}")

    def select(self, columns: list[Column], rest: str) -> Relation:
        """Each column under a new name."""
        named = [(column, self.name()) for column in columns]
        text = ", ".join(f"{column.sql} AS {name}" for column, name in named)
        return Relation(f"SELECT {text} {rest}", tuple(replace(column, sql=name) for column, name in named))

    def few(self, relation: Relation) -> list[Column]:
        """Not all columns, or joins of joins grow without showing more."""
        return self.random.sample(relation.columns, min(len(relation.columns), 4))

    def nest(self, relation: Relation) -> str:
        return f"FROM ({relation.sql}) AS {self.name('q')}"

    # Expressions: never one that can be constant for all data, as x - x is.

    def plain(self, relation: Relation) -> Column:
        if not (numbers := relation.of(INT)) or self.random.random() < 0.4:
            return self.plain_text(relation)
        a, b = self.random.choice(numbers), self.random.choice(numbers)
        sql = self.random.choice([f"{a.sql} + 1", f"{a.sql} * 2 + {b.sql}", f"abs({a.sql})", f"{a.sql} + {b.sql}"])
        return Column(sql, INT, nullable=a.nullable)

    def plain_text(self, relation: Relation) -> Column:
        if dates := relation.of(DATE):
            return Column(
                f"{self.random.choice(['year', 'month', 'day'])}({dates[0].sql})", INT, nullable=dates[0].nullable
            )
        if not (texts := relation.of(TEXT)):
            return relation.columns[0]
        a, b = self.random.choice(texts), self.random.choice(texts)
        sql = self.random.choice(
            [f"upper({a.sql})", f"{a.sql} || {b.sql}", f"{a.sql} || '!'", f"substr({a.sql}, 1, 2)"]
        )
        return Column(sql, TEXT, nullable=a.nullable)

    def branch(self, source: Relation) -> Column:
        type_ = self.random.choice([INT, TEXT])
        a, b = self.random.sample(
            [column for column in source.of(type_) if not column.steers and column.nullable and column.sql != "c"], 2
        )
        sql = self.random.choice(
            [
                f"CASE WHEN c > 1 THEN {a.sql} ELSE {b.sql} END",
                f"CASE c WHEN 1 THEN {a.sql} WHEN 2 THEN {b.sql} END",
                f"coalesce({a.sql}, {b.sql})",
                f"nullif({a.sql}, {b.sql})",
                f"CASE WHEN c IS NULL THEN {a.sql} WHEN c < 2 THEN {b.sql} END",
            ]
        )
        return Column(sql, type_, nullable=False)

    def condition(self, relation: Relation) -> str:
        """Loose, so that rows remain."""
        key = self.random.choice(relation.keys)
        if key.type == INT:
            return self.random.choice(
                [f"{key.sql} <> 3", f"{key.sql} IN (0, 1, 2)", f"{key.sql} < 3", f"{key.sql} IS NOT NULL"]
            )
        return self.random.choice(
            [f"{key.sql} <> 'b'", f"{key.sql} LIKE '%a%'", f"upper({key.sql}) IN ('A', 'B', 'AB')"]
        )

    def measure(self, relation: Relation) -> Column:
        """An aggregate; what it counts has nulls that come and go."""
        column = self.random.choice(relation.columns)
        functions = ["min({})", "max({})"]
        if column.type == INT:
            functions += ["sum({})", "sum({})", "avg({})"]
        if column.nullable and not column.steers:
            functions += ["count({})", "count(DISTINCT {})"]
        function = self.random.choice(functions)
        text = function.format(column.sql)
        if self.random.random() < 0.15:
            return Column("count(*)", INT, nullable=False)
        if relation.keys and self.random.random() < 0.15:
            text += f" FILTER (WHERE {self.condition(relation)})"
        type_ = column.type if function.startswith("m") else "double" if function.startswith("avg") else INT
        return Column(text, type_, nullable=False)

    # Relations of one relation.

    def project(self, relation: Relation) -> Relation:
        keep = self.random.sample(relation.columns, self.random.randint(1, len(relation.columns)))
        computed = [self.plain(relation) for _ in range(self.random.randint(1, 2))]
        constant = [Column("'fixed'", TEXT, nullable=False)] if self.random.random() < 0.1 else []
        return self.select(
            [*keep, *(key for key in relation.keys if key not in keep), *computed, *constant], self.nest(relation)
        )

    def filter(self, relation: Relation) -> Relation:
        if not relation.keys:
            return self.project(relation)
        return self.select(list(relation.columns), f"{self.nest(relation)} WHERE {self.condition(relation)}")

    def aggregate(self, relation: Relation) -> Relation:
        measures = [self.measure(relation) for _ in range(self.random.randint(1, 3))]
        if not relation.keys or self.random.random() < 0.15:
            return self.select(measures, self.nest(relation))
        keys = self.random.sample(relation.keys, min(len(relation.keys), self.random.randint(1, 2)))
        by = ", ".join(key.sql for key in keys)
        rest = f"{self.nest(relation)} GROUP BY " + (f"ROLLUP ({by})" if self.random.random() < 0.2 else by)
        if self.random.random() < 0.3:
            rest += " HAVING " + self.random.choice(["count(*) > 1", f"count(DISTINCT {relation.columns[0].sql}) < 9"])
        return self.select([*keys, *measures], rest)

    def window(self, relation: Relation) -> Relation:
        if not relation.keys:
            return self.aggregate(relation)
        partition, order = self.random.choice(relation.keys).sql, self.random.choice(relation.keys).sql
        computed = []
        for _ in range(self.random.randint(1, 2)):
            over = self.random.choice(
                [
                    f"(PARTITION BY {partition})",
                    f"(PARTITION BY {partition} ORDER BY {order} NULLS FIRST)",
                    f"(ORDER BY {order} NULLS FIRST)",
                ]
            )
            column = self.random.choice(relation.columns)
            functions = [f"max({column.sql})", f"min({column.sql})"] + (
                [f"sum({column.sql})"] * 2 if column.type == INT else []
            )
            computed.append(Column(f"{self.random.choice(functions)} OVER {over}", column.type, nullable=False))
            if "ORDER" in over:
                rank = self.random.choice(["rank()", "dense_rank()", "count(*)"])
                computed.append(Column(f"{rank} OVER {over}", INT, nullable=False, steers=self.random.random() < 0.5))
        return self.select([*relation.columns, *computed], self.nest(relation))

    def distinct(self, relation: Relation) -> Relation:
        few = self.random.sample(relation.columns, min(len(relation.columns), self.random.randint(1, 3)))
        made = self.select(few, self.nest(relation))
        return replace(made, sql=made.sql.replace("SELECT", "SELECT DISTINCT", 1))

    def limit(self, relation: Relation) -> Relation:
        """Ordered by all its columns, so that ties are alike; nulls last, so that they aren't all that is left."""
        made = self.select(list(relation.columns), self.nest(relation))
        order = ", ".join(f"{column.sql} {self.random.choice(['ASC', 'DESC'])} NULLS LAST" for column in made.columns)
        return replace(made, sql=f"{made.sql} ORDER BY {order} LIMIT {self.random.randint(4, 9)}")

    def reused(self, relation: Relation) -> Relation:
        """A common table expression that is used twice."""
        keys = relation.keys or list(relation.columns)
        key, cte = self.random.choice(keys).sql, self.name("w")
        left, right = self.random.choice(relation.columns), self.random.choice(relation.columns)
        columns = [replace(left, sql=f"a.{left.sql}"), replace(right, sql=f"b.{right.sql}", nullable=False)]
        made = self.select(columns, f"FROM {cte} AS a JOIN {cte} AS b ON a.{key} = b.{key}")
        return replace(made, sql=f"WITH {cte} AS ({relation.sql}) {made.sql}")

    # Relations of two relations.

    def pairs(self, left: Relation, right: Relation) -> list[tuple[Column, Column]]:
        return [] if self.absent else [(a, b) for a in left.keys for b in right.keys if a.type == b.type]

    def join(self, left: Relation, right: Relation) -> Relation:
        pairs = self.pairs(left, right)
        a, b = self.name("a"), self.name("b")
        columns = [replace(column, sql=f"{a}.{column.sql}") for column in self.few(left)]
        others = [replace(column, sql=f"{b}.{column.sql}") for column in self.few(right)]
        if not pairs:
            return self.select(columns + others, f"FROM ({left.sql}) AS {a} CROSS JOIN ({right.sql}) AS {b}")
        one, other = self.random.choice(pairs)
        kinds = ["JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "SEMI JOIN"]
        kind = self.random.choice(kinds if self.matched else [*kinds, "ANTI JOIN"])
        self.absent = kind == "ANTI JOIN"
        self.matched = not self.absent
        on = f"{a}.{one.sql} = {b}.{other.sql}"
        kept = columns if kind in ("SEMI JOIN", "ANTI JOIN") else columns + others
        return self.select(kept, f"FROM ({left.sql}) AS {a} {kind} ({right.sql}) AS {b} ON {on}")

    def set_operation(self, left: Relation, right: Relation) -> Relation:
        pairs = [(a, b) for a in left.columns for b in right.columns if a.type == b.type]
        if not pairs:
            return self.join(left, right)
        chosen = self.random.sample(pairs, min(len(pairs), self.random.randint(1, 3)))
        one = self.select([replace(a, nullable=a.nullable and b.nullable) for a, b in chosen], self.nest(left))
        other = self.select([b for _, b in chosen], self.nest(right))
        operation = self.random.choice(["UNION ALL", "UNION ALL", "UNION", "EXCEPT", "INTERSECT"])
        return replace(one, sql=f"{one.sql} {operation} {other.sql}")

    def filter_by_subquery(self, outer: Relation, inner: Relation) -> Relation:
        if not (pairs := self.pairs(outer, inner)):
            return self.set_operation(outer, inner)
        a, b = self.random.choice(pairs)
        table = self.name("o")
        key = f"{table}.{a.sql}"
        conditions = [
            f"{key} IN (SELECT {b.sql} {self.nest(inner)})",
            f"EXISTS (SELECT 1 {self.nest(inner)} WHERE {b.sql} = {key})",
            f"{key} <= (SELECT max({b.sql}) {self.nest(inner)})",
            f"{key} IN (SELECT min({b.sql}) {self.nest(inner)}) OR {key} IS NULL",
        ]
        absence = f"NOT EXISTS (SELECT 1 {self.nest(inner)} WHERE {b.sql} = {key})"
        condition = self.random.choice(conditions if self.matched else [*conditions, absence])
        self.absent = condition == absence
        self.matched = not self.absent
        columns = [replace(column, sql=f"{table}.{column.sql}") for column in outer.columns]
        return self.select(columns, f"FROM ({outer.sql}) AS {table} WHERE {condition}")

    def value_by_subquery(self, outer: Relation, inner: Relation) -> Relation:
        pairs = self.pairs(outer, inner)
        value, table = self.random.choice(inner.columns), self.name("o")
        columns = [replace(column, sql=f"{table}.{column.sql}") for column in outer.columns]
        text = f"SELECT max({value.sql}) {self.nest(inner)}"
        if pairs and self.random.random() < 0.6:
            a, b = self.random.choice(pairs)
            self.matched = True
            text += f" WHERE {b.sql} = {table}.{a.sql}"
        columns.append(Column(f"({text})", value.type, nullable=False))
        return self.select(columns, f"FROM ({outer.sql}) AS {table}")


def queries(count: int, first_seed: int, is_rich: Callable[[str], bool]) -> list[str]:
    """The first queries from a seed on whose results have enough rows to show anything."""
    made: list[str] = []
    seed = first_seed
    while len(made) < count:
        sql = Query(seed).make()
        seed += 1
        if is_rich(sql):
            made.append(sql)
    return made
