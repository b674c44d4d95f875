"""Where an extract reads enters; its files, its partition columns and its name for people leave."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from pyspark.sql import Column, DataFrame, DataFrameReader, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import StringType, StructField, StructType

from lineage_hub.errors import SourceUnreadable
from lineage_hub.spark.failures import masked
from lineage_hub.spark.pipeline.definition import Extract
from lineage_hub.spark.pipeline.options import Option
from lineage_hub.spark.pipeline.schemas import unused

# Types are inferred from as much; more would be a second pass over everything.
INFERRED_FROM_BYTES = 64 << 20
_PROBE = "__lineage_hub_probe"


def where(extract: Extract) -> str:
    """The path or the table, as an error names it."""
    if extract.format == "jdbc":
        return f"{extract.table or 'the query'} in {masked(extract.url or '')}"
    return ", ".join(paths_of(extract))


def paths_of(extract: Extract) -> list[str]:
    return [extract.path] if isinstance(extract.path, str) else list(extract.path or [])


@dataclass(frozen=True)
class Shape:
    """The columns of the rows, where each comes from, and the names of two that only tell bad rows from good."""

    data: Sequence[str]
    in_files: StructType
    in_paths: Sequence[StructField]
    """Those that are declared; Spark finds the others itself."""
    unparsed: str
    record: str


@dataclass(frozen=True)
class TextFiles:
    """Files of text, read by Spark's reader of `format` with `options`."""

    spark: SparkSession
    extract: Extract
    format: str
    options: dict[str, Option]

    @property
    def name(self) -> str:
        return where(self.extract)

    def reader(self) -> DataFrameReader:
        return self.spark.read.format(self.format).options(**self.options)

    def shape(self, schema: StructType) -> Shape:
        in_paths, known = _folded(field.name for field in self.partitions), _folded(schema.names)
        data = [*schema.names, *(one.name for one in self.partitions if one.name.casefold() not in known)]
        return Shape(
            data,
            StructType([field for field in schema if field.name.casefold() not in in_paths]),
            [field for field in schema if field.name.casefold() in in_paths],
            unused("__lineage_hub_unparsed", data),
            unused("__lineage_hub_record", data),
        )

    def scan(self, layout: Sequence[StructField], shape: Shape, only: Sequence[str] | None) -> DataFrame:
        """Files with columns in this order: all files, or those of `only`, and Spark leaves the others unopened."""
        reader = self.reader().options(mode="PERMISSIVE", columnNameOfCorruptRecord=shape.unparsed)
        schema = StructType([*layout, *shape.in_paths, StructField(shape.unparsed, StringType())])
        found = reader.schema(schema).load(paths_of(self.extract))
        return (
            found if only is None else found.filter(fn.col("_metadata.file_path").isin([_as_told(one) for one in only]))
        )

    @cached_property
    def _probe(self) -> DataFrame:
        return self.reader().schema(StructType([StructField(_PROBE, StringType())])).load(paths_of(self.extract))

    @cached_property
    def files(self) -> list[str]:
        return list(self._probe.inputFiles())

    @cached_property
    def partitions(self) -> list[StructField]:
        """Columns that stand in the paths: `day=2024-01-01/`."""
        return [field for field in self._probe.schema if field.name != _PROBE]

    def inferred(self, options: dict[str, Option], paths: Sequence[str] | None) -> StructType:
        """The columns in the files; Spark reads a sample of them at most."""
        if not self.files:
            raise self.nothing_to_infer_from()
        reader = self.reader().options(**options, **self._sampling())
        found = reader.load(list(paths or paths_of(self.extract))).schema
        in_paths = {field.name for field in self.partitions}
        return StructType([field for field in found if field.name not in in_paths])

    def _sampling(self) -> dict[str, Option]:
        """How much of the files types are inferred from, unless the options say it."""
        if "samplingRatio" in self.options:
            return {}
        size = int(str(self._probe._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()))
        return {"samplingRatio": INFERRED_FROM_BYTES / size} if size > INFERRED_FROM_BYTES else {}

    def nothing_to_infer_from(self) -> SourceUnreadable:
        return SourceUnreadable(
            f"{self.name} is empty: a schema can't be inferred",
            subject=self.name,
            action="declare a schema if an empty source is right",
        )


def _folded(names: Iterable[str]) -> set[str]:
    return {name.casefold() for name in names}


def file_column() -> Column:
    """The file of a row as a path; Spark tells it as a URI."""
    found = fn.url_decode(fn.replace(fn.col("_metadata.file_path"), fn.lit("+"), fn.lit("%2B")))
    return fn.regexp_replace(found, "^file:/+", "/")


def _as_told(file: str) -> str:
    """`inputFiles` writes file:///x what `_metadata` writes file:/x."""
    return file.replace(":///", ":/", 1)
