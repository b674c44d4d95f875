"""DataFrames that pass through a tracked call describe its datasets, and never get in its way."""

from dataclasses import dataclass
from typing import Any

import pandas as pd
import pytest
from openlineage.client.generated.input_statistics_input_dataset import InputStatisticsInputDatasetFacet
from openlineage.client.generated.output_statistics_output_dataset import OutputStatisticsOutputDatasetFacet
from openlineage.client.generated.schema_dataset import SchemaDatasetFacet

from lineage_hub.sdk import lineage_track, track
from lineage_hub.sdk.frames import kind_of

Sent = list[dict[str, Any]]
# A type of text that is called the same in every pandas.
ORDERS = pd.DataFrame({"id": [1, 2, 3], "name": ["a", "b", "c"], "amount": [1.0, 2.5, 3.0]}).astype(
    {"name": "category"}
)
FIELDS = [{"name": "id", "type": "int64"}, {"name": "name", "type": "category"}, {"name": "amount", "type": "float64"}]


def fields(dataset: dict[str, Any]) -> Any:
    return dataset["facets"].get("schema", {}).get("fields")


# pyspark is not among the tests' requirements: these stand in for its classes, with the modules and the methods that
# they have there (3.x, and the two kinds of 4.x).
@dataclass
class Simple:
    text: str

    def simpleString(self) -> str:
        return self.text


@dataclass
class StructField:
    name: str
    dataType: Any  # noqa: N815 - as Spark has it


@dataclass
class StructType:
    fields: list[StructField]

    def simpleString(self) -> str:
        return "struct<…>"


@dataclass
class ArrayType:
    elementType: Any  # noqa: N815

    def simpleString(self) -> str:
        return f"array<{self.elementType.simpleString()}>"


def spark_frame(module: str, schema: Any) -> Any:
    def run_a_job(self: Any) -> int:
        raise AssertionError("a job was run")

    body = {"__module__": module, "schema": property(lambda _: schema), "count": run_a_job, "__len__": run_a_job}
    return type("DataFrame", (), body)()


SPARK_MODULES = ["pyspark.sql.dataframe", "pyspark.sql.classic.dataframe", "pyspark.sql.connect.dataframe"]


def test_a_frame_and_a_dataset_on_a_side_belong_together(sent: Sent) -> None:
    @lineage_track(inputs="s3://lake/orders", outputs="s3://lake/report")
    def report(orders: pd.DataFrame, limit: int) -> pd.DataFrame:
        return orders[["id"]].head(limit)

    assert list(report(ORDERS, limit=2)["id"]) == [1, 2]
    start, complete = sent
    (orders,) = start["inputs"]
    assert fields(orders) == FIELDS
    assert orders["inputFacets"]["inputStatistics"]["rowCount"] == 3
    assert fields(start["outputs"][0]) is None
    (made,) = complete["outputs"]
    assert fields(made) == [{"name": "id", "type": "int64"}]
    assert made["outputFacets"]["outputStatistics"]["rowCount"] == 2


def test_the_facets_are_those_of_openlineage(sent: Sent) -> None:
    lineage_track("job", inputs="s3://a/b", outputs="s3://a/c")(lambda frame: frame)(ORDERS)
    (given,), (made,) = sent[1]["inputs"], sent[1]["outputs"]
    assert given["facets"]["schema"]["_schemaURL"] == SchemaDatasetFacet._get_schema()
    assert given["inputFacets"]["inputStatistics"]["_schemaURL"] == InputStatisticsInputDatasetFacet._get_schema()
    assert made["outputFacets"]["outputStatistics"]["_schemaURL"] == OutputStatisticsOutputDatasetFacet._get_schema()
    assert "inputStatistics" not in given["facets"]
    assert "outputStatistics" not in made["facets"]


@pytest.mark.parametrize("wrap", [tuple, list, lambda frames: dict(enumerate(frames))])
def test_as_many_frames_as_datasets_are_matched_in_order(sent: Sent, wrap: Any) -> None:
    tracked = lineage_track("job", outputs=["s3://a/ids", "s3://a/names"])(
        lambda: wrap([ORDERS[["id"]], ORDERS[["name"]]])
    )
    tracked()
    assert [[one["name"] for one in fields(dataset)] for dataset in sent[1]["outputs"]] == [["id"], ["name"]]


@pytest.mark.parametrize("outputs", [["s3://a/b"], ["s3://a/b", "s3://a/c", "s3://a/d"]])
def test_in_doubt_nothing_is_claimed(sent: Sent, outputs: list[str]) -> None:
    lineage_track("job", outputs=outputs)(lambda: (ORDERS, ORDERS))()
    assert [fields(dataset) for dataset in sent[1]["outputs"]] == [None] * len(outputs)


def test_a_frame_without_a_dataset_is_none(sent: Sent) -> None:
    lineage_track("job")(lambda frame: frame)(ORDERS)
    assert (sent[1]["inputs"], sent[1]["outputs"]) == ([], [])


def test_datasets_that_depend_on_the_call_are_matched_too(sent: Sent) -> None:
    tracked = lineage_track("job", inputs=lambda _: "s3://a/b", outputs=lambda result, _: f"s3://a/{len(result)}")
    tracked(lambda frame: frame.head(1))(ORDERS)
    assert fields(sent[0]["inputs"][0]) == FIELDS
    assert [(one["name"], fields(one)) for one in sent[1]["outputs"]] == [("1", FIELDS)]


def test_a_block_names_the_frame_of_a_dataset(sent: Sent) -> None:
    with track("block") as run:
        run.add_input("s3://a/b", frame=ORDERS)
        run.add_output("s3://a/c", frame=ORDERS.head(0))
        run.add_output("s3://a/d", frame="no frame")
    assert fields(sent[1]["inputs"][0]) == FIELDS
    assert sent[1]["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] == 0
    assert sent[1]["outputs"][1]["facets"] == {}


@pytest.mark.parametrize("module", SPARK_MODULES)
def test_of_spark_the_schema_is_told_and_no_job_is_run(sent: Sent, module: str) -> None:
    point = StructType([StructField("x", Simple("double")), StructField("y", Simple("double"))])
    schema = StructType(
        [
            StructField("id", Simple("bigint")),
            StructField("at", point),
            StructField("path", ArrayType(point)),
            StructField("tags", ArrayType(Simple("string"))),
        ]
    )
    lineage_track("job", outputs="s3://a/b")(lambda: spark_frame(module, schema))()
    (made,) = sent[1]["outputs"]
    nested = [{"name": "x", "type": "double"}, {"name": "y", "type": "double"}]
    assert fields(made) == [
        {"name": "id", "type": "bigint"},
        {"name": "at", "type": "struct<…>", "fields": nested},
        {"name": "path", "type": "array<struct<…>>", "fields": nested},
        {"name": "tags", "type": "array<string>"},
    ]
    assert "outputFacets" not in made


def test_polars_says_its_schema_and_its_height(sent: Sent) -> None:
    # polars is not installed here; this stands in for its DataFrame.
    body = {"__module__": "polars.dataframe.frame", "schema": {"a": "Int64"}, "__len__": lambda _: 7}
    frame = type("DataFrame", (), body)()
    lineage_track("job", outputs="s3://a/b")(lambda: frame)()
    (made,) = sent[1]["outputs"]
    assert fields(made) == [{"name": "a", "type": "Int64"}]
    assert made["outputFacets"]["outputStatistics"]["rowCount"] == 7


class Geometry(pd.DataFrame):
    """As GeoPandas has it."""


def test_a_subclass_is_a_frame_and_what_only_looks_like_one_is_not() -> None:
    class DataFrame:
        """Of nobody's package."""

    assert kind_of(Geometry({"a": [1]})) == "pandas"
    assert [kind_of(one) for one in (DataFrame(), ORDERS["id"], pd, None, 3, "x", [], type)] == [None] * 8


class Liar:
    __module__ = "pandas"

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


Liar.__name__ = "DataFrame"


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), ["a"]),
        (pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", 1)])), ["a.x", "a.1"]),
        (pd.DataFrame([[1, 2]], columns=[3, b"x"]), ["3", "b'x'"]),
        (pd.DataFrame(), None),
        (Liar(), None),
        (spark_frame("pyspark.sql.dataframe", None), None),
        (spark_frame("pyspark.sql.dataframe", StructType([StructField("a", None)])), None),
    ],
    ids=["same names", "levels", "odd names", "empty", "liar", "no schema", "no type"],
)
def test_a_frame_that_misbehaves_costs_the_call_nothing(sent: Sent, frame: Any, expected: Any) -> None:
    result = lineage_track("job", inputs="s3://a/b", outputs="s3://a/c")(lambda given: given)(frame)
    assert result is frame
    assert [one["eventType"] for one in sent] == ["START", "COMPLETE"]
    found = fields(sent[1]["outputs"][0])
    assert (found and [one["name"] for one in found]) == expected


def test_a_wide_frame_is_told_and_one_wider_still_is_not(sent: Sent) -> None:
    for width in (10_000, 10_001):
        frame = pd.DataFrame([range(width)])
        lineage_track("job", outputs="s3://a/c")(lambda given: given)(frame)
    assert [len(fields(one["outputs"][0]) or ()) for one in (sent[1], sent[3])] == [10_000, 0]
