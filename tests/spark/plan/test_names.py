"""Names of datasets as Spark knows them follow OpenLineage's rules."""

import pytest

from lineage_hub.spark import names


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("file:/data/orders", ("file", "/data/orders")),
        ("file:///data/orders/", ("file", "/data/orders")),
        ("/data/orders", ("file", "/data/orders")),
        ("file:/data/a b%20c?d#e", ("file", "/data/a b%20c?d#e")),
        ("file:/", ("file", "/")),
        ("s3a://bucket/key/path", ("s3://bucket", "key/path")),
        ("s3://bucket/key 1", ("s3://bucket", "key 1")),
        ("s3a://bucket", ("s3://bucket", "/")),
        ("gs://bucket/key", ("gs://bucket", "key")),
        ("hdfs://nn:8020/warehouse/t", ("hdfs://nn:8020", "/warehouse/t")),
        ("abfss://c@acct.dfs.core.windows.net/p/q", ("abfss://c@acct.dfs.core.windows.net", "p/q")),
        ("dbfs:/mnt/lake", ("dbfs", "/mnt/lake")),
    ],
)
def test_a_path_is_named_by_its_file_system_and_what_follows(path, name):
    assert names.of_path(path) == name


def test_files_of_one_folder_are_that_folder():
    assert names.of_paths(["file:/d/a.csv", "file:/d/b.csv"]) == [("file", "/d")]


def test_partitions_of_one_table_are_that_table():
    assert names.of_paths(["s3a://b/t/day=1", "s3a://b/t/day=2"]) == [("s3://b", "t")]


def test_folders_beside_each_other_stay_apart():
    assert names.of_paths(["file:/d/a", "file:/d/b"]) == [("file", "/d/a"), ("file", "/d/b")]


def test_one_file_is_itself():
    assert names.of_paths(["file:/d/a.csv"]) == [("file", "/d/a.csv")]


@pytest.mark.parametrize(
    ("url", "table", "name"),
    [
        ("jdbc:postgresql://h:5433/db", "public.t", ("postgres://h:5433", "db.public.t")),
        ("jdbc:postgresql://h/db?user=u&password=secret", "t", ("postgres://h:5432", "db.public.t")),
        ("jdbc:postgresql://h/db?currentSchema=s", "t", ("postgres://h:5432", "db.s.t")),
        ("jdbc:postgresql://u:secret@h/db", '"My Schema"."T.x"', ("postgres://h:5432", "db.My Schema.T.x")),
        ("jdbc:postgresql://a,b:5433/db", "s.t", ("postgres://a:5432,b:5433", "db.s.t")),
        ("jdbc:mysql://h/db", "t", ("mysql://h:3306", "db.t")),
        ("jdbc:mysql://h:3307/db?x=1", "other.t", ("mysql://h:3307", "other.t")),
        ("jdbc:mariadb://h/db", "`t`", ("mysql://h:3306", "db.t")),
        ("jdbc:sqlserver://h:1433;databaseName=db;password=x", "t", ("sqlserver://h:1433", "db.dbo.t")),
        ("jdbc:sqlserver://h;databaseName=db", "[s].[t]", ("sqlserver://h:1433", "db.s.t")),
        ("jdbc:oracle:thin:@//h:1521/svc", "S.T", ("oracle://h:1521", "svc.S.T")),
        ("jdbc:oracle:thin:u/secret@h:1521:sid", "S.T", ("oracle://h:1521", "sid.S.T")),
        ("jdbc:clickhouse://h:8123/db", "t", ("clickhouse://h:8123", "db.t")),
        ("jdbc:snowflake://acct.snowflakecomputing.com/?db=D&schema=S", "T",
         ("snowflake://acct", "D.S.T")),
        ("jdbc:derby:memory:shop;create=true", "APP.T", ("derby:memory:shop", "APP.T")),
        ("jdbc:sqlite:/data/shop.db", "t", ("sqlite:/data/shop.db", "t")),
        ("jdbc:unheard://h:1/db", "t", ("unheard://h:1", "db.t")),
    ],
)  # fmt: skip
def test_a_table_behind_jdbc_is_named_by_its_server_and_in_full(url, table, name):
    assert names.of_jdbc(url, table) == name


@pytest.mark.parametrize(
    "url",
    [
        "jdbc:postgresql://u:secret@h/db",
        "jdbc:mysql://h/db?password=secret",
        "jdbc:oracle:thin:u/secret@h:1521:sid",
        "jdbc:derby:x;password=secret",
        "jdbc:sqlserver://h;password=secret",
        "jdbc:unheard://u:secret@h/db?p=secret",
    ],
)
def test_a_password_is_in_no_name(url):
    assert "secret" not in "".join(names.of_jdbc(url, "t"))


def test_topics_are_named_by_the_first_broker():
    options = {"kafka.bootstrap.servers": "a:9092,b:9092", "subscribe": "t1, t2"}
    assert names.of_kafka(options) == [("kafka://a:9092", "t1"), ("kafka://a:9092", "t2")]


def test_a_broker_without_a_port_has_the_usual_one():
    assert names.of_kafka({"Kafka.Bootstrap.Servers": "a", "topic": "t"}) == [("kafka://a:9092", "t")]


def test_assigned_partitions_name_their_topics():
    options = {"kafka.bootstrap.servers": "a:1", "assign": '{"t1":[0,1],"t2":[0]}'}
    assert names.of_kafka(options) == [("kafka://a:1", "t1"), ("kafka://a:1", "t2")]


def test_a_pattern_of_topics_is_a_name_of_its_own():
    assert names.of_kafka({"kafka.bootstrap.servers": "a:1", "subscribePattern": "t.*"}) == [("kafka://a:1", "t.*")]
