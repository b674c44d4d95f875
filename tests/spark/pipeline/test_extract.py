"""Files and tables of every kind, good and bad, become rows and rejects with a reason in words."""

import gzip
import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as fn

from lineage_hub.errors import InvalidRequest, InvalidSetting, SourceUnreadable
from lineage_hub.spark.pipeline.definition import Extract
from lineage_hub.spark.pipeline.extract import Extracted, read
from tests.spark.database import Database

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

ORDERS = {"id": "INT", "amount": "DECIMAL(12,2)", "day": "DATE", "note": "STRING"}
HEADER = "id,amount,day,note\n"


def extract(spark: SparkSession, format: str, path: Path | str | list[str] | None = None, **more: Any) -> Extracted:
    given = [str(one) for one in path] if isinstance(path, list) else path and str(path)
    return read(spark, Extract.model_validate({"format": format, "path": given, **more}))


def good(found: Extracted) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in found.good(found.rows).collect()), key=repr)


def reasons(found: Extracted) -> dict[str, str]:
    return {row["record"]: row["reason"] for row in found.rejects().collect()}


def written(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.fixture(scope="module")
def messy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = (
        "1,2.50,2024-01-02,ok\n"
        "2,abc,2024-01-02,x\n"
        "3,1.0,2024-02-30,y\n"
        "4,1.0\n"
        "5,1,2024-01-01,a,b\n"
        '6,"1,2024-01-01,open\n'
        '7,1,2024-01-01,"say ""hi"", ok"\n'
        "8,1,2024-01-01,caf\xe9\n"
        "9,12345678901.00,2024-01-01,z\n"
        "99999999999,1,2024-01-01,z\n"
        ",,,\n"
    )
    return written(tmp_path_factory.mktemp("messy") / "a b+c.csv", (HEADER + rows).encode("latin-1"))


def test_rows_of_csv_that_cant_be_read_are_told_with_file_record_and_reason(spark: SparkSession, messy: Path) -> None:
    found = extract(spark, "csv", messy.parent, schema=ORDERS)
    assert good(found) == [
        (1, Decimal("2.50"), date(2024, 1, 2), "ok"),
        (7, Decimal("1.00"), date(2024, 1, 1), 'say "hi", ok'),
        (None, None, None, None),
    ]
    assert reasons(found) == {
        "2,abc,2024-01-02,x": "column amount: 'abc' is no DECIMAL(12,2)",
        "3,1.0,2024-02-30,y": "column day: '2024-02-30' is no DATE",
        "4,1.0": "2 values, 4 columns expected",
        "5,1,2024-01-01,a,b": "5 values, 4 columns expected",
        '6,"1,2024-01-01,open': "a quote isn't closed; `multiLine: true` reads line breaks inside quotes",
        "8,1.00,2024-01-01,caf\ufffd": "column note: 'caf\ufffd' isn't of the encoding",
        "9,12345678901.00,2024-01-01,z": "column amount: '12345678901.00' is no DECIMAL(12,2)",
        "99999999999,1,2024-01-01,z": "column id: '99999999999' is no INT",
    }
    assert {row["file"] for row in found.rejects().collect()} == {str(messy)}


def test_a_row_is_bad_whatever_columns_are_used_of_it(spark: SparkSession, messy: Path) -> None:
    found = extract(spark, "csv", messy.parent, schema=ORDERS)
    assert {row["id"] for row in found.good(found.rows).select("id").collect()} == {1, 7, None}
    assert found.good(found.rows).count() == 3
    assert found.good(found.rows).filter("id > 1").select("id").collect()[0]["id"] == 7


def test_bad_rows_are_counted_by_an_observation_in_the_same_pass(spark: SparkSession, messy: Path) -> None:
    found = extract(spark, "csv", messy.parent, schema=ORDERS)
    observation = Observation("counted")
    assert found.malformed is not None
    rows = found.rows.observe(
        observation, fn.count(fn.lit(1)).alias("rows"), fn.count_if(found.malformed).alias("malformed")
    )
    assert len(found.good(rows).select("note").collect()) == 3
    assert observation.get == {"rows": 11, "malformed": 8}


def test_an_encoding_that_is_declared_is_read(spark: SparkSession, tmp_path: Path) -> None:
    text = "id,näme\n1,Zürich\n"
    for encoding in ("latin-1", "UTF-16", "UTF-16LE", "utf8"):
        path = written(tmp_path / encoding / "a.csv", text.encode(encoding))
        found = extract(spark, "csv", path, schema={"id": "INT", "näme": "STRING"}, options={"encoding": encoding})
        assert (good(found), reasons(found)) == ([(1, "Zürich")], {}), encoding
    with_mark = written(tmp_path / "mark.csv", b"\xef\xbb\xbf" + text.encode())
    assert good(extract(spark, "csv", with_mark)) == [(1, "Zürich")]
    with pytest.raises(InvalidSetting, match="UTF-99"):
        extract(spark, "csv", with_mark, options={"encoding": "UTF-99"})


def test_quotes_may_go_on_over_lines_and_one_that_isnt_closed_takes_no_rows_in_silence(
    spark: SparkSession, tmp_path: Path
) -> None:
    schema, options = {"id": "INT", "note": "STRING", "n": "INT"}, {"multiLine": True}
    fine = written(tmp_path / "fine.csv", 'id,note,n\n1,"two\nlines, with ""quotes""",5\n2,"""said"" first\nnext",6\n')
    assert good(extract(spark, "csv", fine, schema=schema, options=options)) == [
        (1, 'two\nlines, with "quotes"', 5),
        (2, '"said" first\nnext', 6),
    ]
    middle = written(tmp_path / "middle.csv", 'id,note,n\n1,"open,5\n2,"closed",6\n3,x,7\n')
    found = extract(spark, "csv", middle, schema=schema, options=options)
    assert good(found) == [(3, "x", 7)]
    assert all(reason.startswith("a quote isn't closed") for reason in reasons(found).values())
    last = written(tmp_path / "last.csv", 'id,n,note\n1,5,fine\n2,6,"open\n3,7,lost\n4,8,lost\n')
    found = extract(spark, "csv", last, schema={"id": "INT", "n": "INT", "note": "STRING"}, options=options)
    assert good(found) == [(1, 5, "fine")]
    assert len(reasons(found)) == 1


def test_a_header_is_matched_by_name_in_each_file(spark: SparkSession, tmp_path: Path) -> None:
    written(tmp_path / "a.csv", HEADER + "1,2.5,2024-01-01,a\n")
    written(tmp_path / "b[1].csv", "Note,DAY,amount,id\nb,2024-01-02,3.5,2\nb,2024-01-02,x,3\n")
    written(tmp_path / "c.csv.gz", gzip.compress(b"day,id,note,amount\n2024-01-03,4,c,4.5\n"))
    written(tmp_path / "empty.csv", b"")
    expected = [
        (1, Decimal("2.50"), date(2024, 1, 1), "a"),
        (2, Decimal("3.50"), date(2024, 1, 2), "b"),
        (4, Decimal("4.50"), date(2024, 1, 3), "c"),
    ]
    found = extract(spark, "csv", tmp_path, schema=ORDERS)
    assert good(found) == expected
    [reject] = found.rejects().collect()
    assert reject["file"] == str(tmp_path / "b[1].csv")
    assert reject["reason"] == "column amount: 'x' is no DECIMAL(12,2)"
    inferred = extract(spark, "csv", tmp_path)
    assert sorted(inferred.good(inferred.rows).columns) == ["amount", "day", "id", "note"]
    assert inferred.good(inferred.rows).count() + inferred.rejects().count() == 4


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("id,amount,day\n", "lacks column note"),
        ("id,amount,day,note,extra\n", "has column extra, which isn't declared"),
        (",id,amount,day,note\n", "has column 1, which has no name"),
        ("id,amount,dey,note\n", "lacks column day and has column dey"),
        ("id,amount,day,note,ID\n", "names column ID twice"),
    ],
)
def test_a_header_that_differs_from_the_schema_is_an_error_that_names_file_and_column(
    spark: SparkSession, tmp_path: Path, header: str, said: str
) -> None:
    path = written(tmp_path / "orders.csv", header + "1,2.5,2024-01-01,a\n")
    with pytest.raises(SourceUnreadable) as error:
        extract(spark, "csv", path, schema=ORDERS)
    assert said in error.value.message
    assert str(path) in error.value.message
    assert error.value.action


def test_files_whose_headers_differ_cant_share_an_inferred_schema(spark: SparkSession, tmp_path: Path) -> None:
    written(tmp_path / "a.csv", "id,x\n1,2\n")
    written(tmp_path / "b.csv", "id,y\n1,2\n")
    with pytest.raises(SourceUnreadable, match="differ in column x, y"):
        extract(spark, "csv", tmp_path)


def test_without_a_header_columns_go_by_position(spark: SparkSession, tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "1;a\n2;b;c\n")
    options = {"header": False, "delimiter": ";"}
    found = extract(spark, "csv", path, schema={"id": "INT", "v": "STRING"}, options=options)
    assert good(found) == [(1, "a")]
    assert reasons(found) == {"2;b;c": "3 values, 2 columns expected"}
    assert extract(spark, "csv", path, options=options).rows.columns[:2] == ["_c0", "_c1"]


@pytest.mark.parametrize("format", ["csv", "json", "ndjson", "parquet", "delta"])
def test_a_path_that_isnt_there_is_named(spark: SparkSession, tmp_path: Path, format: str) -> None:
    with pytest.raises(SourceUnreadable) as error:
        extract(spark, format, tmp_path / "nothing")
    assert str(tmp_path / "nothing") in error.value.message


@pytest.mark.parametrize("format", ["csv", "json", "ndjson", "parquet"])
def test_nothing_to_read_is_an_error_without_a_declared_schema_and_no_rows_with_one(
    spark: SparkSession, tmp_path: Path, format: str
) -> None:
    with pytest.raises(SourceUnreadable, match="a schema can't be inferred"):
        extract(spark, format, tmp_path)
    found = extract(spark, format, tmp_path, schema=ORDERS)
    assert good(found) == []
    assert found.good(found.rows).columns == list(ORDERS)
    if format != "parquet":
        empty = written(tmp_path / "empty", b"")
        with pytest.raises(SourceUnreadable, match="a schema can't be inferred"):
            extract(spark, format, empty)
        assert good(extract(spark, format, empty, schema=ORDERS)) == []


def test_a_header_without_rows_gives_no_rows(spark: SparkSession, tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", HEADER)
    for schema in (ORDERS, None):
        found = extract(spark, "csv", path, schema=schema)
        assert (good(found), found.good(found.rows).columns) == ([], list(ORDERS))


def test_columns_in_paths_are_kept_and_take_their_declared_type(spark: SparkSession, tmp_path: Path) -> None:
    written(tmp_path / "day=2024-01-01" / "shop=07" / "a.csv", "id\n1\nx\n")
    written(tmp_path / "day=2024-01-02" / "shop=08" / "a.csv", "id\n2\n")
    found = extract(spark, "csv", tmp_path, schema={"id": "INT"})
    assert good(found) == [(1, date(2024, 1, 1), 7), (2, date(2024, 1, 2), 8)]
    assert reasons(found) == {"x": "column id: 'x' is no INT"}
    typed = extract(spark, "csv", tmp_path, schema={"shop": "STRING", "id": "INT"})
    assert good(typed) == [("07", 1, date(2024, 1, 1)), ("08", 2, date(2024, 1, 2))]
    assert extract(spark, "csv", [tmp_path / "day=*" / "shop=08"]).rows.count() == 1  # type: ignore[list-item]


def test_any_name_is_a_column(spark: SparkSession, tmp_path: Path) -> None:
    names = ["a.b", "with space", 'quo"te', "back`tick", "Größe", "日本", "select", "__lineage_hub_record", "x,y"]
    quoted_names = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    path = written(tmp_path / "a.csv", f"{quoted_names}\n{','.join('123456789')}\n1,2\n")
    for schema in (dict.fromkeys(names, "INT"), None):
        found = extract(spark, "csv", path, schema=schema)
        assert found.good(found.rows).columns == names
        assert good(found) == [tuple(range(1, 10))]
        assert reasons(found) == {"1,2": "2 values, 9 columns expected"}
    lines = written(tmp_path / "a.ndjson", json.dumps(dict.fromkeys(names, 1)) + "\n" + json.dumps({"a.b": "x"}) + "\n")
    found = extract(spark, "ndjson", lines, schema=dict.fromkeys(names, "INT"))
    assert good(found) == [(1,) * 9]
    assert list(reasons(found).values()) == ["column a.b: 'x' is no INT"]


def test_thousands_of_columns_are_read(spark: SparkSession, tmp_path: Path) -> None:
    names = [f"column {number}" for number in range(5000)]
    rows = [",".join(["1"] * 5000), ",".join(["1"] * 4999 + ["x"])]
    path = written(tmp_path / "wide.csv", "\n".join([",".join(names), *rows]) + "\n")
    found = extract(spark, "csv", path, schema={name: "STRING" if name.endswith("7") else "INT" for name in names})
    assert found.good(found.rows).selectExpr("`column 4999`", "`column 7`").collect() == [(1, "1")]
    assert list(reasons(found).values()) == ["column column 4999: 'x' is no INT"]


def test_lines_of_json_that_cant_be_read_are_told_with_the_reason(spark: SparkSession, tmp_path: Path) -> None:
    lines = [
        b'{"id": 1, "amount": 2.5, "day": "2024-01-02", "tags": {"x": 1}}',
        b'{"id": "2"}',
        b'{"id": 3, "amount": 12345678901}',
        b'{"id": 4, "day": "2024-02-30"}',
        b"not json",
        b'{"id": 5,',
        b"5",
        b'{"id": 6, "note": "caf\xe9"}',
        b'{"id": 7, "tags": {"x": "y"}}',
        b'{"id": 8, "unknown": true}',
    ]
    path = written(tmp_path / "a.ndjson", b"\n".join(lines) + b"\n\n")
    found = extract(spark, "ndjson", path, schema={**ORDERS, "tags": "STRUCT<x: INT>"})
    assert [row[0] for row in good(found)] == [1, 8]
    assert found.good(found.rows).select("id").count() == 2
    assert reasons(found) == {
        '{"id": "2"}': "column id: '2' is no INT",
        '{"id": 3, "amount": 12345678901}': "column amount: '12345678901' is no DECIMAL(12,2)",
        '{"id": 4, "day": "2024-02-30"}': "column day: '2024-02-30' is no DATE",
        "not json": "no JSON object",
        '{"id": 5,': "not JSON",
        "5": "no JSON object",
        '{"id": 6, "note": "caf\ufffd"}': "bytes that aren't utf-8",
        '{"id": 7, "tags": {"x": "y"}}': "column tags: a value inside isn't of struct<x:int>",
    }


def test_documents_of_json_are_read_row_by_row(spark: SparkSession, tmp_path: Path) -> None:
    written(
        tmp_path / "array.json",
        '[{"id": 1, "day": "2024-01-01", "list": [1, 2]},\n {"id": "x", "note": "b"},\n {"id": 2, "list": ["y"]}]',
    )
    written(tmp_path / "object.json", '{\n  "id": 3,\n  "amount": 1.25,\n  "note": "} \\n {"\n}\n')
    written(tmp_path / "none.json", " []\n")
    written(tmp_path / "broken.json", '[{"id": 6}, {"id": 7')
    written(tmp_path / "lines.json", '{"id": 4}\n{"id": 5}\n')
    found = extract(spark, "json", tmp_path, schema={**ORDERS, "list": "ARRAY<INT>"})
    assert good(found) == [
        (1, None, date(2024, 1, 1), None, [1, 2]),
        (3, Decimal("1.25"), None, "} \n {", None),
        (4, None, None, None, None),
        (5, None, None, None, None),
    ]
    assert sorted(reasons(found).values()) == [
        "column id: 'x' is no INT",
        "column list: '[\"y\"]' is no array<int>",
        "not JSON",
    ]
    assert {Path(row["file"]).name for row in found.rejects().collect()} == {"array.json", "broken.json"}
    inferred = extract(spark, "json", tmp_path / "array.json")
    assert inferred.good(inferred.rows).count() == 3
    with pytest.raises(SourceUnreadable, match="documents and files with an object a line"):
        extract(spark, "json", tmp_path)


def test_parquet_and_delta_are_read_by_their_own_schema_or_a_wider_declared_one(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows: DataFrame = spark.createDataFrame([(1, "a")], "id INT, `a.b` STRING")
    for format in ("parquet", "delta"):
        path = tmp_path / format
        rows.write.format(format).save(str(path))
        found = extract(spark, format, path)
        assert found.malformed is None
        assert good(found) == [(1, "a")]
        assert found.rejects().columns == ["file", "record", "reason"]
        assert found.rejects().count() == 0
        declared = extract(spark, format, path, schema="`a.b` STRING, id BIGINT")
        assert declared.rows.dtypes == [("a.b", "string"), ("id", "bigint")]
        with pytest.raises(SourceUnreadable, match="has no column idd"):
            extract(spark, format, path, schema={"idd": "INT"})
        with pytest.raises(SourceUnreadable, match=r"a\.b is STRING, declared INT"):
            extract(spark, format, path, schema={"a.b": "INT"})


def test_a_folder_that_isnt_of_its_format_is_an_error(spark: SparkSession, tmp_path: Path) -> None:
    written(tmp_path / "a.parquet", "no parquet")
    with pytest.raises(SourceUnreadable, match=r"a\.parquet"):
        extract(spark, "parquet", tmp_path)
    with pytest.raises(SourceUnreadable, match="can't be read"):
        extract(spark, "delta", tmp_path)


def test_a_type_that_spark_doesnt_know_is_named(spark: SparkSession, messy: Path) -> None:
    with pytest.raises(InvalidRequest) as error:
        extract(spark, "csv", messy, schema={"id": "INTT"})
    assert (error.value.subject, "'INTT' is no type" in error.value.message) == ("id", True)


def test_a_table_behind_jdbc_is_read_and_one_that_isnt_there_is_named(spark: SparkSession, database: Database) -> None:
    database.run('CREATE TABLE orders (id INT, "a.b" TEXT)')
    database.run("INSERT INTO orders VALUES (1, 'x')")
    assert good(extract(spark, "jdbc", url=database.jdbc_url, table="orders")) == [(1, "x")]
    assert good(extract(spark, "jdbc", url=database.jdbc_url, query="SELECT id + 1 AS n FROM orders")) == [(2,)]
    with pytest.raises(SourceUnreadable, match="no_such_table"):
        extract(spark, "jdbc", url=database.jdbc_url, table="no_such_table")
    with pytest.raises(SourceUnreadable) as error:
        extract(spark, "jdbc", url="jdbc:postgresql://127.0.0.1:1/x", table="t", user="u", password="s3cret")
    assert "s3cret" not in str(error.value.body())
    assert "127.0.0.1:1" in error.value.message
