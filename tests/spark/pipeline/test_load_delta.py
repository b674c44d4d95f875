"""Delta tables: one commit for each token, with the schema followed where types allow it."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lineage_hub.errors import TargetUnwritable
from tests.spark.pipeline.loading import beside, load_of, loaded, rows_in, staged

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

OLD = [(1, "a"), (2, "b")]


def versions(spark: SparkSession, path: Path) -> int:
    return spark.sql(f"DESCRIBE HISTORY delta.`{path}`").count()


def test_rows_are_overwritten_appended_and_merged_once_for_each_token(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "target"
    first = staged(spark, OLD, load_of("delta", path=path), "1")
    assert not path.exists()
    assert sorted(tuple(row) for row in first.rows(spark).collect()) == OLD
    published = first.publish()
    assert (published.version, bool(published.bytes), bool(published.files)) == (0, True, True)
    for _ in range(2):
        # Nothing can fail after the write: it is the commit.
        assert (
            staged(spark, [(3, "c")], load_of("delta", "append", path=path), "2", checked=False).publish().version == 1
        )
    for _ in range(2):
        merge = load_of("delta", "merge", path=path, keys=["id"])
        assert loaded(spark, [(2, "B"), (4, "d")], merge, "3").version == 2
    assert rows_in(spark, "delta", path) == [(1, "a"), (2, "B"), (3, "c"), (4, "d")]
    assert versions(spark, path) == 3
    assert beside(path) == []


def test_a_load_that_is_discarded_leaves_no_trace(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "target"
    staged(spark, OLD, load_of("delta", path=path), "1").discard()
    assert list(tmp_path.iterdir()) == []
    loaded(spark, OLD, load_of("delta", "merge", path=path, keys=["id"]), "2")
    staged(spark, [(1, "x")], load_of("delta", "merge", path=path, keys=["id"]), "3").discard()
    assert rows_in(spark, "delta", path) == OLD
    assert (versions(spark, path), beside(path)) == (1, [])


def test_new_columns_are_taken_over_and_other_types_are_an_error(spark: SparkSession, tmp_path: Path) -> None:
    path, wide = tmp_path / "target", "id INT, v STRING, w INT"
    loaded(spark, OLD, load_of("delta", path=path), "1")
    loaded(spark, [(2, "B", 5)], load_of("delta", "merge", path=path, keys=["id"]), "2", wide)
    loaded(spark, [(3, "c", 6)], load_of("delta", "append", path=path), "3", wide)
    expected = [(1, "a", None), (2, "B", 5), (3, "c", 6)]
    assert rows_in(spark, "delta", path, wide) == expected
    for mode in ("append", "merge"):
        keys = {"keys": ["v"]} if mode == "merge" else {}
        with pytest.raises(TargetUnwritable) as error:
            loaded(spark, [("x", "y")], load_of("delta", mode, path=path, **keys), "4", "id STRING, v STRING")
        assert "id" in error.value.message
    assert rows_in(spark, "delta", path, wide) == expected
    loaded(spark, [("x", "y")], load_of("delta", path=path), "5", "id STRING, v STRING")
    assert rows_in(spark, "delta", path) == [("x", "y")]
    assert beside(path) == []


def test_partitions_and_names_of_any_kind(spark: SparkSession, tmp_path: Path) -> None:
    path, schema = tmp_path / "tar get", "id INT, `c=d (e)` STRING"
    loaded(spark, [], load_of("delta", path=path, partition_by=["c=d (e)"]), "1", schema)
    loaded(spark, [(1, "x")], load_of("delta", "append", path=path, partition_by=["c=d (e)"]), "2", schema)
    loaded(spark, [(1, "y")], load_of("delta", "merge", path=path, keys=["id"]), "3", schema)
    assert [tuple(row) for row in spark.read.format("delta").load(str(path)).collect()] == [(1, "y")]
