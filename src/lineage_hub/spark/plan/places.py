"""A leaf of a plan enters, as its place in the tree; what Spark knows of the data behind it leaves.

This is where the reader speaks to the JVM to find what is read; each call costs, so it asks for little and once.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lineage_hub.spark import names
from lineage_hub.spark.jvm import java_class
from lineage_hub.spark.names import DatasetName
from lineage_hub.spark.plan import checkpoints, jdbc_queries
from lineage_hub.spark.plan.catalog import Catalog, each, options_of, present, private
from lineage_hub.spark.plan.leaves import Place
from lineage_hub.spark.plan.model import Field, Source, Target
from lineage_hub.spark.plan.schemas import fields_of_schema
from lineage_hub.spark.plan.targets import target_of
from lineage_hub.spark.plan.tree import Node, decode

_log = logging.getLogger(__name__)
_DELTA_VERSION = re.compile(r"\[version=(\d+)")


class SparkPlaces:
    def __init__(self, root: Node, jplan: Any, spark: SparkSession) -> None:
        self._jplan = jplan
        self._leaves: dict[int, Any] = {}
        self._catalog = Catalog(spark)
        self._spark = spark
        root.ask = self._expressions

    def place_of(self, leaf: Node) -> Place:
        try:
            return _RULES[leaf.kind](self, leaf, self._leaf(leaf))
        except (Py4JError, PySparkException) as error:
            # A source of a kind or a version that answers otherwise: the rest of the plan is still told.
            return Place(unknown=leaf.class_name, opaque=f"Spark doesn't say what it reads: {error}".splitlines()[0])

    def columns_of(self, node: Node) -> list[Node]:
        own = node.trees("output") or node.trees("outputAttributes")
        if own:
            return own
        output = self.find(node).output()
        # A plan of nothing but these columns tells of all of them in one call.
        relation = java_class(self._spark, "org.apache.spark.sql.catalyst.plans.logical.LocalRelation")
        nothing = java_class(self._spark, "scala.Option").empty()
        return decode(relation(output, output.take(0), False, nothing).toJSON()).trees("output")

    def _expressions(self, node: Node, field: str) -> list[list[Node]]:
        given = each(getattr(self.find(node), field)())
        many = [list(each(one)) if self._catalog.is_a(one, "scala.collection.Seq") else [one] for one in given]
        return [[decode(one.toJSON()) for one in row] for row in many]

    def fields_of(self, node: Node) -> tuple[Field, ...]:
        return fields_of_schema(msgspec.json.decode(self.find(node).schema().json()))

    def view_names(self, command: Node) -> list[str]:
        return [str(one._1()) for one in each(self.find(command).userSpecifiedColumns())]

    def target_of(self, command: Node) -> Target | None:
        try:
            return target_of(command, self.find(command), self._catalog)
        except (Py4JError, PySparkException):
            _log.warning("nobody can say what the command %s writes", command.class_name, exc_info=True)
            return None

    def find(self, node: Node) -> Any:
        """The operator itself in the JVM, by the way to it from the root."""
        way: list[int | str] = []
        while node.parent is not None:
            way.append(node.index)
            node = node.parent
        found = self._jplan
        for step in reversed(way):
            found = found.children().apply(step) if isinstance(step, int) else present(getattr(found, step)())
        return found

    def _leaf(self, leaf: Node) -> Any:
        """By the id of its first column: one relation has one set of ids, wherever it stands."""
        output = leaf.trees("output")
        if not output:
            return self.find(leaf)
        first = output[0].id
        for scan in (self._own_leaves, self._subquery_leaves, self._inner_leaves):
            if first in self._leaves:
                break
            for jleaf in scan(leaf):
                columns = jleaf.output()
                if not columns.isEmpty():
                    self._leaves.setdefault(columns.head().exprId().id(), jleaf)
        return self._leaves[first]

    def _own_leaves(self, leaf: Node) -> Iterator[Any]:
        return each(self._jplan.collectLeaves())

    def _subquery_leaves(self, leaf: Node) -> Iterator[Any]:
        for query in each(self._jplan.subqueriesAll()):
            yield from each(query.collectLeaves())

    def _inner_leaves(self, leaf: Node) -> Iterator[Any]:
        """Of plans that fields of commands hold, which Spark doesn't count among their children."""
        node = leaf
        while node.parent is not None:
            if isinstance(node.index, str) and _is_plan(node) and _is_plan(node.parent):
                found = self.find(node)
                yield from each(found.collectLeaves())
                for query in each(found.subqueriesAll()):
                    yield from each(query.collectLeaves())
            node = node.parent

    def _relation(self, leaf: Node, jleaf: Any) -> Place:
        relation = jleaf.relation()
        name = relation.getClass().getName()
        if self._catalog.is_a(relation, _FILES):
            return self._files(leaf, relation)
        if name.endswith(".JDBCRelation"):
            options = relation.jdbcOptions()
            columns = [one.name for one in leaf.trees("output")]
            return jdbc_queries.place_of(options.url(), options.tableOrQuery(), columns)
        if name.endswith(".KafkaRelation"):
            return _topics(options_of(private(relation, "sourceOptions")))
        return self._by_table(leaf) or Place(unknown=name)

    def _files(self, leaf: Node, relation: Any) -> Place:
        location = relation.location()
        paths = location.rootPaths().mkString("\n").split("\n")
        table = leaf.raw.get("catalogTable")
        if ".delta." in location.getClass().getName():
            version = _DELTA_VERSION.search(location.toString())
            return self._named(names.of_paths(paths), table, "delta", version and version.group(1))
        return self._named(names.of_paths(paths), table, relation.toString())

    def _named(self, found: list[DatasetName], table: Any, format_: str, version: str | None = None) -> Place:
        links = (self._catalog.symlink(table["identifier"]),) if table else ()
        return Place(tuple(Source(one, (), links, format_, version) for one in found))

    def _by_table(self, leaf: Node) -> Place | None:
        table = leaf.raw.get("catalogTable") or leaf.raw.get("tableMeta")
        if not table:
            return None
        found = self._catalog.table(table["identifier"])
        return Place((Source(found.name, (), found.symlinks, found.format),))

    def _described(self, leaf: Node, jleaf: Any) -> Place:
        return self._by_table(leaf) or Place(unknown=leaf.class_name)

    def _v2(self, leaf: Node, jleaf: Any) -> Place:
        relation = jleaf.relation() if leaf.kind == "DataSourceV2ScanRelation" else jleaf
        options = options_of(relation.options()) if leaf.kind.startswith("DataSource") else {}
        found = self._catalog.table_v2(relation.table(), relation.catalog(), relation.identifier(), options)
        return Place(found) if found else Place(unknown=relation.table().getClass().getName())

    def _stream(self, leaf: Node, jleaf: Any) -> Place:
        source = jleaf.dataSource()
        table = present(source.catalogTable())
        if table is not None:
            found = self._catalog.table_of(table)
            return Place((Source(found.name, (), found.symlinks, found.format),))
        return self._streamed(source.className(), options_of(source.options()), each(source.paths()))

    def _stream_v2(self, leaf: Node, jleaf: Any) -> Place:
        options = options_of(jleaf.extraOptions())
        catalog = present(jleaf.catalog())
        if catalog is not None:
            found = self._catalog.table_v2(jleaf.table(), jleaf.catalog(), jleaf.identifier(), options)
            if found:
                return Place(found)
        return self._streamed(jleaf.sourceName(), options, iter(()))

    def _streamed(self, kind: str, options: dict[str, str], paths: Iterator[Any]) -> Place:
        if kind == "kafka":
            return _topics(options)
        found = [options["path"]] if "path" in options else [str(one) for one in paths]
        if found:
            qualified = [self._catalog.qualified(one) for one in found]
            return Place(tuple(Source(one, format=kind) for one in names.of_paths(qualified)))
        host = options.get("host")
        namespace = f"{kind}://{host}:{options.get('port', '')}" if host else kind
        return Place((Source(DatasetName(namespace, kind), format=kind),))

    def _rdd(self, leaf: Node, jleaf: Any) -> Place:
        rdd = jleaf.rdd()
        remembered = checkpoints.recall(self._spark, rdd.id())
        if remembered is not None:
            return Place(remembered=remembered)
        roots = {one.getClass().getSimpleName() for one in _roots(rdd)}
        if roots <= {"ParallelCollectionRDD", "EmptyRDD"}:
            return Place(literal=True)  # rows that the program itself holds
        if any("Checkpoint" in one for one in roots):
            return Place(opaque="a checkpoint that was made before anyone watched")
        return Place(opaque="an RDD")

    def _cached(self, leaf: Node, jleaf: Any) -> Place:
        inner = jleaf.cacheBuilder().logicalPlan()
        root = decode(inner.toJSON())
        return Place(inner=root, elsewhere=SparkPlaces(root, inner, self._spark))

    def _cloned(self, leaf: Node, jleaf: Any) -> Place:
        source = jleaf.sourceTable()
        table = present(source.catalogTable())
        links = self._catalog.table_of(table).symlinks if table is not None else ()
        fields = fields_of_schema(msgspec.json.decode(source.schema().json()))
        name = names.of_path(source.dataPath().toString())
        return Place((Source(name, fields, links, str(source.format()).lower()),))


def _roots(rdd: Any) -> Iterator[Any]:
    stack, seen = [rdd], set()
    while stack:
        one = stack.pop()
        if one.id() in seen:
            continue
        seen.add(one.id())
        parents = [dependency.rdd() for dependency in each(one.dependencies())]
        if not parents:
            yield one
        stack.extend(parents)


def _topics(options: dict[str, str]) -> Place:
    found = names.of_kafka(options)
    return Place(tuple(Source(one, format="kafka") for one in found)) if found else Place(opaque="no topic is named")


def _is_plan(node: Node) -> bool:
    return ".expressions." not in node.class_name


_FILES = "org.apache.spark.sql.execution.datasources.HadoopFsRelation"
_RULES: dict[str, Callable[[SparkPlaces, Node, Any], Place]] = {
    "LogicalRelation": SparkPlaces._relation,
    "HiveTableRelation": SparkPlaces._described,
    "DataSourceV2Relation": SparkPlaces._v2,
    "DataSourceV2ScanRelation": SparkPlaces._v2,
    "StreamingRelation": SparkPlaces._stream,
    "StreamingExecutionRelation": SparkPlaces._described,
    "StreamingRelationV2": SparkPlaces._stream_v2,
    "StreamingDataSourceV2Relation": SparkPlaces._v2,
    "StreamingDataSourceV2ScanRelation": SparkPlaces._v2,
    "LogicalRDD": SparkPlaces._rdd,
    "ExternalRDD": SparkPlaces._rdd,
    "InMemoryRelation": SparkPlaces._cached,
    "CloneTableCommand": SparkPlaces._cloned,
}
