"""On a filesystem that only Hadoop knows, renames replace a folder; a kill between two of them is undone."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lineage_hub.errors import TargetUnwritable
from lineage_hub.spark.pipeline.load.staged import short
from tests.spark.pipeline.loading import load_of, loaded, rows_in, staged

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

OLD = [(1, "a"), (2, "b")]


@pytest.fixture
def elsewhere(spark: SparkSession, tmp_path: Path) -> Iterator[str]:
    """Hadoop's viewfs: to the loader a filesystem of another scheme, to the test a folder."""
    settings = {"fs.viewfs.mounttable.lh.link./there": tmp_path.as_uri(), "fs.viewfs.impl.disable.cache": "true"}
    for name, value in settings.items():
        spark.conf.set(name, value)
    yield "viewfs://lh/there"
    for name in settings:
        spark.conf.unset(name)


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_rows_are_overwritten_appended_and_merged_once_for_each_token(
    spark: SparkSession, tmp_path: Path, elsewhere: str, format: str
) -> None:
    place, path = f"{elsewhere}/t", tmp_path / "t"
    loaded(spark, OLD, load_of(format, path=place), "1")
    append = load_of(format, "append", path=place)
    staged(spark, [(3, "c")], append, "2").discard()
    for _ in range(2):
        loaded(spark, [(3, "c")], append, "2")
    assert rows_in(spark, format, path) == [*OLD, (3, "c")]
    for _ in range(2):
        loaded(spark, [(1, "A")], load_of(format, "merge", path=place, keys=["id"]), "3")
    assert rows_in(spark, format, path) == [(1, "A"), (2, "b"), (3, "c")]
    assert [one.name for one in tmp_path.iterdir()] == ["t"]


def test_delta_is_staged_there(spark: SparkSession, tmp_path: Path, elsewhere: str) -> None:
    loaded(spark, OLD, load_of("delta", path=f"{elsewhere}/t"), "1")
    loaded(spark, [(1, "A")], load_of("delta", "merge", path=f"{elsewhere}/t", keys=["id"]), "2")
    assert rows_in(spark, "delta", tmp_path / "t") == [(1, "A"), (2, "b")]
    assert [one.name for one in tmp_path.iterdir()] == ["t"]


def test_a_run_that_was_killed_between_two_renames_is_undone(
    spark: SparkSession, tmp_path: Path, elsewhere: str
) -> None:
    loaded(spark, OLD, load_of("parquet", path=f"{elsewhere}/t"), "1")
    (tmp_path / ".t.lineage-hub-0123456789ab").mkdir()
    (tmp_path / "t").rename(tmp_path / ".t.lineage-hub-0123456789ab" / "old")
    loaded(spark, [(3, "c")], load_of("parquet", "append", path=f"{elsewhere}/t"), "2")
    assert rows_in(spark, "parquet", tmp_path / "t") == [*OLD, (3, "c")]


def test_files_that_a_killed_append_had_moved_are_not_doubled(
    spark: SparkSession, tmp_path: Path, elsewhere: str
) -> None:
    loaded(spark, OLD, load_of("parquet", path=f"{elsewhere}/t"), "1")
    loaded(spark, [(3, "c")], load_of("parquet", "append", path=f"{elsewhere}/t"), "other")
    for moved in list((tmp_path / "t").glob(f"{short('other')}-*")):
        moved.rename(moved.with_name(moved.name.replace(short("other"), short("2"))))
    loaded(spark, [(3, "c")], load_of("parquet", "append", path=f"{elsewhere}/t"), "2")
    assert rows_in(spark, "parquet", tmp_path / "t") == [*OLD, (3, "c")]


def test_a_file_in_the_targets_place_is_left_alone(spark: SparkSession, tmp_path: Path, elsewhere: str) -> None:
    (tmp_path / "t").write_text("mine")
    with pytest.raises(TargetUnwritable, match="is a file"):
        staged(spark, OLD, load_of("parquet", path=f"{elsewhere}/t"), "1")
    assert (tmp_path / "t").read_text() == "mine"
