"""Files of every format in every mode: the whole new content or the old, whatever goes wrong."""

import subprocess
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from lineage_hub.errors import TargetUnwritable
from lineage_hub.spark.pipeline.definition import Extract
from lineage_hub.spark.pipeline.extract import read
from lineage_hub.spark.pipeline.load import promise
from tests.spark.pipeline.loading import beside, load_of, loaded, mounted, rows_in, staged

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

FORMATS = ["parquet", "csv", "json"]
OLD = [(1, "a"), (2, 'b, "c"\\')]


@pytest.mark.parametrize("format", FORMATS)
def test_rows_are_overwritten_appended_and_merged_once_for_each_token(
    spark: SparkSession, tmp_path: Path, format: str
) -> None:
    path = tmp_path / "folder" / "target"
    assert loaded(spark, OLD, load_of(format, path=path), "1").files
    append = load_of(format, "append", path=path)
    first = staged(spark, [(3, None)], append, "2")
    assert [tuple(row) for row in first.rows(spark).collect()] == [(3, None)]
    assert rows_in(spark, format, path) == OLD
    published = first.publish()
    assert published.bytes
    assert first.publish() == published
    expected = [*OLD, (3, None)]
    assert rows_in(spark, format, path) == expected
    assert loaded(spark, [(3, None)], append, "2").files is None
    assert rows_in(spark, format, path) == expected
    merge = load_of(format, "merge", path=path, keys=["id"])
    for _ in range(2):
        loaded(spark, [(2, "B"), (4, "d")], merge, "3")
        assert rows_in(spark, format, path) == [(1, "a"), (2, "B"), (3, None), (4, "d")]
    loaded(spark, [(3, None)], append, "2")
    assert len(rows_in(spark, format, path)) == 4
    assert beside(path) == []


@pytest.mark.parametrize("format", FORMATS)
def test_a_load_that_is_discarded_leaves_no_trace(spark: SparkSession, tmp_path: Path, format: str) -> None:
    path = tmp_path / "target"
    staged(spark, OLD, load_of(format, path=path), "1").discard()
    assert list(tmp_path.iterdir()) == []
    loaded(spark, OLD, load_of(format, path=path), "1")
    for mode in ("overwrite", "append", "merge"):
        keys = {"keys": ["id"]} if mode == "merge" else {}
        staged(spark, [(9, "z")], load_of(format, mode, path=path, **keys), "2").discard()
    assert rows_in(spark, format, path) == OLD
    assert beside(path) == []


@pytest.mark.parametrize("format", FORMATS)
def test_partitions_are_written_added_to_and_merged(spark: SparkSession, tmp_path: Path, format: str) -> None:
    path, schema = tmp_path / "target", "id INT, v STRING, day STRING"
    parts: dict[str, Any] = {"path": path, "partition_by": ["day"]}
    loaded(spark, [], load_of(format, **parts), "0", schema)
    loaded(spark, [(1, "a", "x y")], load_of(format, "append", **parts), "1", schema)
    assert (path / "day=x y").is_dir()
    loaded(spark, [(2, "b", "02")], load_of(format, "append", **parts), "2", schema)
    loaded(spark, [(1, "A", "3")], load_of(format, "merge", keys=["id"], **parts), "3", schema)
    # Nothing but numbers is left in the paths: they stay the texts that they are.
    loaded(spark, [(3, "c", "3")], load_of(format, "merge", keys=["id"], **parts), "3b", schema)
    assert rows_in(spark, format, path, schema) == [(1, "A", "3"), (2, "b", "02"), (3, "c", "3")]
    with pytest.raises(TargetUnwritable, match="is partitioned by day, not by nothing"):
        loaded(spark, [(1, "a", "1")], load_of(format, "append", path=path), "4", schema)
    loaded(spark, [(5, "e", "5")], load_of(format, **parts), "5", schema)
    assert rows_in(spark, format, path, schema) == [(5, "e", "5")]


@pytest.mark.parametrize("format", ["parquet", "csv"])
@pytest.mark.parametrize("partition_by", [None, ["v"]])
def test_no_rows_leave_an_empty_target_that_can_be_read(
    spark: SparkSession, tmp_path: Path, format: str, partition_by: list[str] | None
) -> None:
    path = tmp_path / "target"
    loaded(spark, [], load_of(format, path=path, partition_by=partition_by), "1")
    found = read(spark, Extract.model_validate({"format": format, "path": str(path)}))
    assert found.good(found.rows).columns == ["id", "v"]
    assert found.good(found.rows).count() == 0


def test_what_is_written_is_read_again(spark: SparkSession, tmp_path: Path) -> None:
    rows = [(1, 'q"uo,te'), (2, "back\\slash"), (3, "Zürich 日本"), (5, None), (6, " space ")]
    for format in ("csv", "json", "ndjson", "parquet"):
        loaded(spark, rows, load_of(format, path=tmp_path / format), "1")
        source = {"format": format, "path": str(tmp_path / format), "schema": "id INT, v STRING"}
        found = read(spark, Extract.model_validate(source))
        assert sorted(tuple(row) for row in found.good(found.rows).collect()) == rows, format
        assert found.rejects().count() == 0


@pytest.mark.parametrize("format", FORMATS)
def test_rows_that_a_merge_doesnt_touch_stay_as_they_are(spark: SparkSession, tmp_path: Path, format: str) -> None:
    path = tmp_path / "target"
    rows = [(1, ""), (2, None), (3, " space "), (4, "two\nlines"), (5, '"'), (6, "\\"), (7, "007"), (8, "null")]
    first = staged(spark, rows, load_of(format, path=path), "1")
    assert sorted(tuple(row) for row in first.rows(spark).collect()) == rows
    first.publish()
    for number in range(2):
        loaded(spark, [(9, f"{number}")], load_of(format, "merge", path=path, keys=["id"]), f"merge {number}")
    # Nothing is null, what is in quotes is a text.
    reader = spark.read.schema("id INT, v STRING").options(header=True, escape='"', multiLine=True, nullValue="-")
    found = (reader.option("multiLine", format == "csv")).format(format).load(str(path)).collect()
    assert sorted(tuple(row) for row in found) == [*rows, (9, "1")]


def test_names_with_dots_spaces_and_quotes_are_keys_and_partitions(spark: SparkSession, tmp_path: Path) -> None:
    schema = "`a.b` INT, `c ``d` STRING"
    for format in FORMATS:
        given = {"path": tmp_path / format, "partition_by": ["c `d"]}
        loaded(spark, [(1, "x"), (2, "x")], load_of(format, **given), "1", schema)
        loaded(spark, [(1, "y")], load_of(format, "merge", keys=["a.b"], **given), "2", schema)
        source = {"format": format, "path": str(tmp_path / format), "schema": schema}
        found = read(spark, Extract.model_validate(source))
        assert sorted(tuple(row) for row in found.good(found.rows).collect()) == [(1, "y"), (2, "x")], format


@pytest.mark.parametrize("format", [*FORMATS, "delta"])
def test_keys_that_are_null_or_come_twice_are_an_error_and_nothing_is_written(
    spark: SparkSession, tmp_path: Path, format: str
) -> None:
    path = tmp_path / "target"
    loaded(spark, OLD, load_of(format, path=path), "1")
    merge = load_of(format, "merge", path=path, keys=["id"])
    with pytest.raises(TargetUnwritable, match=r"1 rows have null in the key and 1 keys occur twice or more, as 7"):
        staged(spark, [(7, "x"), (7, "y"), (None, "z")], merge, "2")
    with pytest.raises(TargetUnwritable, match="no column nope to merge by"):
        staged(spark, [(7, "x")], load_of(format, "merge", path=path, keys=["nope"]), "3")
    assert rows_in(spark, format, path) == OLD
    assert beside(path) == []


def test_columns_that_dont_fit_those_that_are_there_are_an_error(spark: SparkSession, tmp_path: Path) -> None:
    loaded(spark, OLD, load_of("parquet", path=tmp_path / "parquet"), "1")
    for mode, keys in (("append", {}), ("merge", {"keys": ["v"]})):
        with pytest.raises(TargetUnwritable, match="id is INT there and STRING here"):
            staged(
                spark,
                [("x", "y")],
                load_of("parquet", mode, path=tmp_path / "parquet", **keys),
                "2",
                "id STRING, v STRING",
            )
    loaded(spark, OLD, load_of("csv", path=tmp_path / "csv"), "1")
    with pytest.raises(TargetUnwritable, match="column w isn't in both"):
        staged(spark, [(1, "x", 2)], load_of("csv", "append", path=tmp_path / "csv"), "2", "id INT, v STRING, w INT")
    loaded(spark, [("x", 9)], load_of("csv", "append", path=tmp_path / "csv"), "3", "v STRING, id INT")
    assert rows_in(spark, "csv", tmp_path / "csv") == [*OLD, (9, "x")]
    with pytest.raises(TargetUnwritable, match="can't be written"):
        staged(spark, [(1, [2])], load_of("csv", path=tmp_path / "nested"), "1", "id INT, list ARRAY<INT>")
    assert not (tmp_path / "nested").exists()


def test_a_merge_takes_over_new_columns_and_keeps_old_ones(spark: SparkSession, tmp_path: Path) -> None:
    for format in FORMATS:
        path = tmp_path / format
        loaded(spark, [(1, "a"), (2, "b")], load_of(format, path=path), "1")
        merge = load_of(format, "merge", path=path, keys=["id"])
        loaded(spark, [(2, 2.5)], merge, "2", "id INT, w DOUBLE")
        wide = "id INT, w DOUBLE, v STRING"
        assert rows_in(spark, format, path, wide) == [(1, None, "a"), (2, 2.5, None)], format


@pytest.mark.parametrize("format", ["csv", "json"])
def test_a_row_that_cant_be_read_stops_a_merge_that_would_lose_it(
    spark: SparkSession, tmp_path: Path, format: str
) -> None:
    path = tmp_path / "target"
    loaded(spark, OLD, load_of(format, path=path), "1")
    text = {"csv": "id,v\nnot a number,x\n", "json": '{"id": "not a number", "v": "x"}\n'}[format]
    (path / f"part-9.{format}").write_text(text)
    with pytest.raises(TargetUnwritable, match="can't be read, and would be lost"):
        staged(spark, [(1, "x")], load_of(format, "merge", path=path, keys=["id"]), "2")
    assert (path / f"part-9.{format}").exists()
    assert beside(path) == []


def test_a_failing_row_leaves_the_old_content(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "target"
    loaded(spark, OLD, load_of("parquet", path=path), "1")
    failing = spark.range(10).select(sf.expr("CAST(id AS INT) AS id"), sf.expr("CAST(1 / (id - 9) AS STRING) AS v"))
    with pytest.raises(TargetUnwritable, match="Division by zero"):
        staged(spark, failing, load_of("parquet", path=path), "2")
    assert rows_in(spark, "parquet", path) == OLD
    assert beside(path) == []


def test_a_folder_that_isnt_ours_is_left_alone(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("mine")
    for format in (*FORMATS, "delta"):
        with pytest.raises(TargetUnwritable, match=r"holds notes\.md"):
            staged(spark, OLD, load_of(format, path=tmp_path), "1")
        (tmp_path.parent / "file").write_text("mine")
        with pytest.raises(TargetUnwritable, match="is a file"):
            staged(spark, OLD, load_of(format, path=tmp_path.parent / "file"), "1")
    assert [one.name for one in tmp_path.iterdir()] == ["notes.md"]


@pytest.mark.parametrize("format", [*FORMATS, "delta"])
def test_a_full_filesystem_is_told_and_what_was_there_stays(spark: SparkSession, tmp_path: Path, format: str) -> None:
    with mounted(tmp_path / "small", "size=1m") as small:
        path = small / "target"
        loaded(spark, OLD, load_of(format, path=path), "1")
        big = spark.range(60_000).select(
            sf.expr("CAST(id AS INT) AS id"), sf.expr("sha2(CAST(id AS STRING), 512) AS v")
        )
        with pytest.raises(TargetUnwritable, match="No space left on device") as error:
            staged(spark, big, load_of(format, path=path), "2", checked=False)
        assert error.value.action == "free space at the target"
        assert rows_in(spark, format, path) == OLD
        if format == "delta":  # files of a write that failed stay, unseen, until Delta's VACUUM
            return
        loaded(spark, [(5, "e")], load_of(format, path=path), "3")
        assert rows_in(spark, format, path) == [(5, "e")]
        assert beside(path) == []


@pytest.mark.parametrize("format", [*FORMATS, "delta"])
def test_a_target_without_the_right_to_write_is_told(spark: SparkSession, tmp_path: Path, format: str) -> None:
    with mounted(tmp_path / "fixed", "size=4m") as fixed:
        loaded(spark, OLD, load_of(format, path=fixed / "target"), "1")
        subprocess.run(["mount", "-o", "remount,ro", str(fixed)], check=True)
        with pytest.raises(TargetUnwritable, match=r"(?i)read-only file system|mkdirs failed|can't be written"):
            staged(spark, [(5, "e")], load_of(format, path=fixed / "target"), "2", checked=False)
        assert rows_in(spark, format, fixed / "target") == OLD


def test_other_programs_see_the_rows_alone(spark: SparkSession, tmp_path: Path) -> None:
    loaded(spark, OLD, load_of("parquet", path=tmp_path / "t"), "1")
    loaded(spark, [(3, "c")], load_of("parquet", "append", path=tmp_path / "t"), "2")
    found = pyarrow.parquet.read_table(tmp_path / "t").to_pylist()
    assert sorted(row["id"] for row in found) == [1, 2, 3]


def test_a_stage_may_overwrite_what_it_reads(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    loaded(spark, OLD, load_of("parquet", path=path), "1")
    found = read(spark, Extract.model_validate({"format": "parquet", "path": str(path)}))
    loaded(spark, found.rows.filter("id = 1"), load_of("parquet", path=path), "2")
    assert rows_in(spark, "parquet", path) == [(1, "a")]


def test_a_local_filesystem_keeps_the_promise(spark: SparkSession, tmp_path: Path) -> None:
    for format in (*FORMATS, "delta"):
        assert promise(load_of(format, path=tmp_path / "t")) is None
    for mode, said in (("append", "some of the new files"), ("overwrite", "a reader finds nothing")):
        told = promise(load_of("parquet", mode, path="s3a://bucket/t"))
        assert told is not None
        assert said in told
        assert "format: delta" in told
    assert "partitions" in (promise(load_of("csv", path=tmp_path / "t", partition_by=["day"])) or "")
    assert promise(load_of("delta", path="s3a://bucket/t", partition_by=["day"])) is None
    assert promise(load_of("jdbc", url="jdbc:postgresql://h/d", table="t")) is None
    assert "empty" in (promise(load_of("jdbc", url="jdbc:mysql://h/d", table="t")) or "")
