"""What statements read, and which tables those reads feed."""

import pytest

from lineage_hub.connectors.databricks.sql import read_query, read_statements

VALUES = {"env": "dev", "topic": "orders", "servers": "b1:9092,b2:9092", "db": "shop", "whole": "main.bronze.orders"}


def told(sql: str) -> list[tuple[object, ...]]:
    """(kind, what is read, target), the rest only where it says something."""
    found: list[tuple[object, ...]] = []
    for one in read_statements(sql, substitute=VALUES.get).sources:
        what = one.path or one.pattern or ",".join(one.topics) or None
        more = [one.bootstrap] if one.bootstrap else []
        more += [f"?{name}" for name in one.unresolved]
        found.append((one.kind, what, one.target_table, *more))
    return found


KAFKA = [
    (
        "CREATE STREAMING TABLE t AS SELECT * FROM STREAM read_kafka(bootstrapServers => 'k:9092', subscribe => 'a')",
        [("kafka", "a", "t", "k:9092")],
    ),
    ("SELECT * FROM STREAM(read_kafka(subscribe => 'a'))", [("kafka", "a", None)]),
    ("SELECT * FROM read_kafka(SUBSCRIBE => 'a , b,,')", [("kafka", "a,b", None)]),
    ("SELECT * FROM READ_KAFKA(`subscribe` => 'a', `kafka.bootstrap.servers` => 'k:1')", [("kafka", "a", None, "k:1")]),
    ("SELECT * FROM read_kafka(subscribePattern => 'shop\\\\..*')", [("kafka", "shop\\..*", None)]),
    ('SELECT * FROM read_kafka(assign => \'{"a":[0,1],"b":[0]}\')', [("kafka", "a,b", None)]),
    ("SELECT * FROM read_kafka(assign => 'no json')", [("kafka", None, None, "?assign")]),
    ('SELECT * FROM read_kafka(subscribe => "double")', [("kafka", "double", None)]),
    ("SELECT * FROM read_kafka(subscribe => 'a' || '-' || 'b')", [("kafka", "a-b", None)]),
    ("SELECT * FROM read_kafka(subscribe => concat('a', '.', lower('B')))", [("kafka", "a.b", None)]),
    ("SELECT * FROM read_kafka(subscribe => concat_ws('.', 'a', 'b'))", [("kafka", "a.b", None)]),
    ("SELECT * FROM read_kafka(subscribe => cast('a' AS STRING))", [("kafka", "a", None)]),
    ("SELECT * FROM read_kafka(subscribe => ('a'))", [("kafka", "a", None)]),
    ("SELECT * FROM read_kafka(subscribe => r'a\\b')", [("kafka", "a\\b", None)]),
    ("SELECT * FROM read_kafka(subscribe => 'a' || current_user())", [("kafka", None, None, "?subscribe")]),
    (
        "SELECT * FROM read_kafka(subscribe => 'a', bootstrapServers => secret('s', 'k'))",
        [("kafka", "a", None, "?bootstrapServers")],
    ),
    ("SELECT * FROM read_kafka(subscribe => '${topic}')", [("kafka", "orders", None)]),
    ("SELECT * FROM read_kafka(subscribe => '${env}.${topic}.v1')", [("kafka", "dev.orders.v1", None)]),
    ("SELECT * FROM read_kafka(subscribe => '${nobody}.x')", [("kafka", None, None, "?subscribe")]),
    ("SELECT * FROM read_kafka(subscribe => 'x.$nobody')", [("kafka", None, None, "?subscribe")]),
    ("SELECT * FROM read_kafka(subscribe => '$topic')", [("kafka", "orders", None)]),
    ("SELECT * FROM read_kafka(subscribe => '{{ topic }}')", [("kafka", "orders", None)]),
    ("SELECT * FROM read_kafka(subscribe => '{{nobody}}')", [("kafka", None, None, "?subscribe")]),
    ("SELECT * FROM read_kafka(subscribe => :topic)", [("kafka", "orders", None)]),
    ("SELECT * FROM read_kafka(subscribe => :env || '-' || :topic)", [("kafka", "dev-orders", None)]),
    ("SELECT * FROM read_kafka(subscribe => :nobody)", [("kafka", None, None, "?subscribe")]),
    ("SELECT * FROM read_kafka(subscribe => getArgument('topic'))", [("kafka", "orders", None)]),
    ("SELECT * FROM read_kafka(subscribe => ?)", [("kafka", None, None, "?subscribe")]),
    ("DECLARE v = 'a'; SELECT * FROM read_kafka(subscribe => v)", [("kafka", "a", None)]),
    ("DECLARE VARIABLE v STRING DEFAULT 'a'; SET VAR v = v || 'b'; SELECT * FROM read_kafka(subscribe => session.v)",
     [("kafka", "ab", None)]),
    ("SELECT * FROM read_kafka(subscribe => some_column)", [("kafka", None, None, "?subscribe")]),
]  # fmt: skip

OTHER_SYSTEMS = [
    ("SELECT * FROM STREAM read_kinesis(streamName => 's', region => 'us-west-2')",
     [("kinesis", "s", None, "us-west-2")]),
    (
        "SELECT * FROM STREAM read_kinesis(streamARN => 'arn:aws:kinesis:eu-west-1:12:stream/s')",
        [("kinesis", "s", None, "eu-west-1")],
    ),
    (
        "SELECT * FROM STREAM read_pulsar(serviceUrl => 'pulsar://b:6650', topic => 'p/n/t')",
        [("pulsar", "p/n/t", None, "pulsar://b:6650")],
    ),
    (
        "SELECT * FROM STREAM read_pubsub(subscriptionId => 's', topicId => 't', projectId => 'p', key => secret('a'))",
        [("pubsub", "t", None, "p")],
    ),
    ("SELECT * FROM read_statestore('/chk')", [("statestore", "/chk", None)]),
    ("SELECT * FROM STREAM read_files('/Volumes/a/b', format => 'json')", [("files", "/Volumes/a/b", None)]),
    ("SELECT * FROM read_files(path => 's3://b/${env}/', format => 'csv')", [("files", "s3://b/dev/", None)]),
    ("SELECT * FROM read_files('${nobody}/x')", [("files", None, None, "?path")]),
    ("SELECT * FROM cloud_files('/in', 'json', map('a', 'b;c'))", [("files", "/in", None)]),
    ("SELECT * FROM STREAM(cloud_files('/in', 'csv'))", [("files", "/in", None)]),
    ("SELECT * FROM csv.`/in/*.csv`", [("files", "/in/*.csv", None)]),
    ("SELECT * FROM PARQUET.`s3a://b/x`", [("files", "s3a://b/x", None)]),
    ("SELECT * FROM delta.`/lake/t`", [("delta", "/lake/t", None)]),
    ("SELECT * FROM STREAM(delta.`abfss://c@a.dfs.core.windows.net/t`)",
     [("delta", "abfss://c@a.dfs.core.windows.net/t", None)]),
    ("SELECT * FROM delta.`${nobody}`", [("delta", None, None, "?path")]),
    ("SELECT * FROM delta.`/a/${env}/b`", [("delta", "/a/dev/b", None)]),
    ("SELECT * FROM json.events", [("table", "json.events", None)]),
    ("SELECT * FROM remote_query('conn', database => 'd', query => 'select 1')", [("jdbc", "select 1", None)]),
]  # fmt: skip

TABLES = [
    ("SELECT * FROM a", [("table", "a", None)]),
    ("SELECT * FROM main.s.a AS x", [("table", "main.s.a", None)]),
    ("SELECT * FROM `my-cat`.`s`.`a`", [("table", "my-cat.s.a", None)]),
    ("SELECT * FROM s.`a.b`", [("table", "s.`a.b`", None)]),
    ("SELECT * FROM LIVE.a", [("table", "a", None)]),
    ("SELECT * FROM live.a l JOIN STREAM(LIVE.b) USING (x)", [("table", "a", None), ("table", "b", None)]),
    ("SELECT * FROM STREAM a", [("table", "a", None)]),
    ("SELECT * FROM STREAM(main.s.a) x", [("table", "main.s.a", None)]),
    ("SELECT * FROM stream", [("table", "stream", None)]),
    ("SELECT * FROM stream WHERE x = 1", [("table", "stream", None)]),
    ("SELECT * FROM stream s", [("table", "s", None)]),
    ("SELECT * FROM a TIMESTAMP AS OF '2024-01-01'", [("table", "a", None)]),
    ("SELECT * FROM db.2023_sales JOIN 1st", [("table", "db.2023_sales", None), ("table", "1st", None)]),
    ("SELECT * FROM a WITH ('split-size' = 5)", [("table", "a", None)]),
    ("SELECT * FROM STREAM(a) WITH (SKIPCHANGECOMMITS) x", [("table", "a", None)]),
    ("SELECT * FROM a VERSION AS OF 3", [("table", "a", None)]),
    ("SELECT * FROM a@v12", [("table", "a", None)]),
    ("SELECT * FROM a TABLESAMPLE (5 PERCENT)", [("table", "a", None)]),
    ("SELECT * FROM ${db}.a", [("table", "shop.a", None)]),
    ("SELECT * FROM ${whole}", [("table", "main.bronze.orders", None)]),
    ("SELECT * FROM `${db}`.a_${env}", [("table", "shop.a_dev", None)]),
    ("SELECT * FROM ${nobody}.a", [("table", None, None, "?table")]),
    ("SELECT * FROM s.${nobody}_a", [("table", None, None, "?table")]),
    ("SELECT * FROM {{db}}.a", [("table", "shop.a", None)]),
    ("SELECT * FROM $db.a", [("table", "shop.a", None)]),
    ("SELECT * FROM identifier(:whole)", [("table", "main.bronze.orders", None)]),
    ("SELECT * FROM IDENTIFIER(:db || '.a')", [("table", "shop.a", None)]),
    ("SELECT * FROM identifier('s.' || 'a') x", [("table", "s.a", None)]),
    ("SELECT * FROM identifier(:nobody)", [("table", None, None, "?table")]),
    ("SELECT * FROM identifier(:db).a", [("table", "shop.a", None)]),
    ("SELECT * FROM table_changes('s.a', 2)", [("table", "s.a", None)]),
    ("SELECT * FROM table_changes(`s`.`a`, 2, 4) c", [("table", "s.a", None)]),
    ("SELECT * FROM f(TABLE(s.a), 3)", [("table", "s.a", None)]),
    ("SELECT * FROM event_log(TABLE(a))", []),
    ("SELECT * FROM event_log('some-id')", []),
    ("SELECT * FROM VALUES (1), (2) AS t(x)", []),
    ("SELECT * FROM range(10)", []),
    ("SELECT * FROM generate_series(1, 10)", []),
    ("SELECT * FROM explode(array(1, 2))", []),
    ("SELECT 1", []),
    ("TABLE a", [("table", "a", None)]),
    ("FROM a SELECT x", [("table", "a", None)]),
    ("FROM a |> WHERE x > 1 |> SELECT x", [("table", "a", None)]),
    ("SELECT * FROM a |> JOIN b ON a.x = b.x", [("table", "a", None), ("table", "b", None)]),
    ("WITH a AS (SELECT * FROM b) SELECT * FROM a", [("table", "b", None)]),
    ("WITH A AS (SELECT * FROM b) SELECT * FROM a", [("table", "b", None)]),
    ("WITH a AS (SELECT * FROM a) SELECT * FROM a", [("table", "a", None)]),
    ("WITH a AS (SELECT 1), b AS (SELECT * FROM a JOIN s.a) SELECT * FROM b", [("table", "s.a", None)]),
    ("SELECT * FROM (SELECT * FROM a) x LEFT ANTI JOIN b ON x.i = b.i", [("table", "a", None), ("table", "b", None)]),
    ("SELECT * FROM a WHERE x IN (SELECT y FROM b) AND EXISTS (SELECT 1 FROM c)",
     [("table", "a", None), ("table", "b", None), ("table", "c", None)]),
    ("SELECT (SELECT max(x) FROM b) FROM a", [("table", "a", None), ("table", "b", None)]),
    ("SELECT * FROM a UNION ALL SELECT * FROM b EXCEPT SELECT * FROM c",
     [("table", "a", None), ("table", "b", None), ("table", "c", None)]),
    ("SELECT * FROM a LATERAL VIEW OUTER explode(xs) t AS x", [("table", "a", None)]),
    ("SELECT * FROM a, LATERAL explode(a.xs) AS t(x)", [("table", "a", None)]),
    ("SELECT * FROM a PIVOT (sum(x) FOR y IN ('p', 'q'))", [("table", "a", None)]),
    ("SELECT window(ts, '1 hour'), count(*) FROM STREAM a WATERMARK ts DELAY OF INTERVAL 10 MINUTES "
     "GROUP BY window(ts, '1 hour')",
     [("table", "a", None)]),
    ("SELECT /*+ BROADCAST(b) */ * FROM a JOIN b USING (i)", [("table", "a", None), ("table", "b", None)]),
    ("SELECT extract(year FROM ts), trim(BOTH 'x' FROM y) FROM a WHERE x IS DISTINCT FROM z", [("table", "a", None)]),
    ("EXPLAIN SELECT * FROM a", []),
    ("DESCRIBE HISTORY a", []),
    ("SHOW TABLES IN s", []),
    ("OPTIMIZE a ZORDER BY (x)", []),
    ("-- SELECT * FROM a\n/* FROM b /* FROM c */ FROM d */ SELECT 'FROM e; FROM f' AS x", []),
]  # fmt: skip

FILLED = [
    ("CREATE OR REFRESH STREAMING TABLE t AS SELECT * FROM STREAM(a)", [("table", "a", "t")]),
    ("CREATE OR REFRESH STREAMING LIVE TABLE t AS SELECT * FROM STREAM(LIVE.a)", [("table", "a", "t")]),
    ("CREATE INCREMENTAL LIVE TABLE t AS SELECT * FROM STREAM(LIVE.a)", [("table", "a", "t")]),
    ("CREATE LIVE TABLE t AS SELECT * FROM LIVE.a", [("table", "a", "t")]),
    ("CREATE TEMPORARY STREAMING LIVE VIEW t AS SELECT * FROM STREAM(LIVE.a)", [("table", "a", "t")]),
    ("CREATE OR REPLACE MATERIALIZED VIEW s.t SCHEDULE EVERY 1 DAY AS SELECT * FROM a", [("table", "a", "s.t")]),
    ("CREATE MATERIALIZED VIEW t SCHEDULE CRON '0 0 * * *' AT TIME ZONE 'UTC' AS SELECT * FROM a",
     [("table", "a", "t")]),
    ("CREATE MATERIALIZED VIEW t TRIGGER ON UPDATE AT MOST EVERY INTERVAL 1 HOUR AS SELECT * FROM a",
     [("table", "a", "t")]),
    ("CREATE PRIVATE STREAMING TABLE t WITH ROW FILTER f ON (x) AS SELECT * FROM STREAM a", [("table", "a", "t")]),
    ("CREATE STREAMING TABLE t CLUSTER BY AUTO PARTITIONED BY (d) DEFAULT COLLATION UTF8_BINARY "
     "AS SELECT * FROM STREAM a",
     [("table", "a", "t")]),
    ("CREATE STREAMING TABLE t FLOW INSERT BY NAME SELECT * FROM STREAM a", [("table", "a", "t")]),
    ("CREATE STREAMING TABLE t FLOW AUTO CDC FROM STREAM a KEYS (i) SEQUENCE BY ts", [("table", "a", "t")]),
    ("CREATE STREAMING TABLE t FLOW REPLACE WHERE d >= '2024' BY NAME SELECT * FROM a", [("table", "a", "t")]),
    ("CREATE FLOW f AS INSERT INTO t BY NAME SELECT * FROM STREAM(a)", [("table", "a", "t")]),
    ("CREATE FLOW f COMMENT 'AS x' AS INSERT INTO ONCE t BY NAME SELECT * FROM a", [("table", "a", "t")]),
    ("CREATE FLOW f AS AUTO CDC INTO t FROM stream(a) KEYS (i) SEQUENCE BY ts STORED AS SCD TYPE 2",
     [("table", "a", "t")]),
    ("CREATE FLOW f AS AUTO CDC ONCE INTO t FROM a KEYS (i) SEQUENCE BY ts", [("table", "a", "t")]),
    ("APPLY CHANGES INTO LIVE.t FROM STREAM(LIVE.a) KEYS (i, j) IGNORE NULL UPDATES APPLY AS DELETE WHEN op = 'D' "
     "APPLY AS TRUNCATE WHEN op = 'T' SEQUENCE BY ts COLUMNS * EXCEPT (op) STORED AS SCD TYPE 1",
     [("table", "a", "t")]),
    ("APPLY CHANGES INTO t FROM STREAM read_kafka(subscribe => 'x') KEYS (key) SEQUENCE BY offset",
     [("kafka", "x", "t")]),
    ("CREATE TABLE t AS SELECT * FROM a", [("table", "a", "t")]),
    ("CREATE TABLE t SELECT * FROM a", [("table", "a", "t")]),
    ("CREATE TABLE IF NOT EXISTS t USING DELTA LOCATION '/x' COMMENT 'c' AS (SELECT * FROM a)", [("table", "a", "t")]),
    ("CREATE OR REPLACE TABLE t TBLPROPERTIES ('a' = 'SELECT * FROM b') AS WITH c AS (SELECT * FROM a) SELECT * FROM c",
     [("table", "a", "t")]),
    ("CREATE TABLE t (x INT) USING CSV LOCATION '/x'", []),
    ("CREATE TABLE t DEEP CLONE s.a VERSION AS OF 2", [("table", "s.a", "t")]),
    ("CREATE OR REPLACE TABLE t SHALLOW CLONE delta.`/a`", [("delta", "/a", "t")]),
    ("CREATE TABLE t LIKE a", []),
    ("CREATE EXTERNAL TABLE t (x INT) STORED AS PARQUET LOCATION '/y'", []),
    ("CREATE TABLE db.2023_out AS TABLE a", [("table", "a", "db.2023_out")]),
    ("REPLACE TABLE t AS SELECT * FROM a", [("table", "a", "t")]),
    ("LOAD DATA LOCAL INPATH '/in' OVERWRITE INTO TABLE t PARTITION (d = 1)", [("files", "/in", "t")]),
    ("CREATE TABLE IDENTIFIER(:db || '.t') AS SELECT * FROM a", [("table", "a", "shop.t")]),
    ("CREATE VIEW v (x COMMENT 'c', y) COMMENT 'v' AS SELECT a, b FROM a", [("table", "a", "v")]),
    ("CREATE OR REPLACE GLOBAL TEMPORARY VIEW v AS SELECT * FROM a", [("table", "a", "global_temp.v")]),
    ("USE CATALOG c; CREATE VIEW s.v AS SELECT * FROM global_temp.a", [("table", "global_temp.a", "c.s.v")]),
    ("CREATE TABLE t (SELECT * FROM a)", [("table", "a", "t")]),
    ("CREATE TABLE t USING delta (WITH b AS (SELECT * FROM a) SELECT * FROM b)", [("table", "a", "t")]),
    ("CREATE VIEW v AS SELECT * FROM read_files('s3://me:hunter2@b/p?sig=x')", [("files", "s3://b/p", "v")]),
    ("CREATE VIEW v WITH SCHEMA EVOLUTION AS SELECT * FROM a", [("table", "a", "v")]),
    ("CREATE TEMPORARY VIEW v USING csv OPTIONS (path '/in/x.csv', header 'true')", [("files", "/in/x.csv", "v")]),
    ("CREATE TEMPORARY VIEW v USING org.apache.spark.sql.jdbc OPTIONS ("
     "url 'jdbc:postgresql://u:p@h/d?user=me&password=pw', dbtable = 's.t')",
     [("jdbc", "s.t", "v", "jdbc:postgresql://h/d")]),
    ("CREATE TABLE t USING postgresql OPTIONS (dbtable 'public.o', host 'h', user secret('s', 'u'))",
     [("postgresql", "public.o", "t", "h")]),
    ("CREATE VIEW v AS SELECT * FROM table_changes_by_path('/lake/t', 1)", [("delta", "/lake/t", "v")]),
    ("CACHE LAZY TABLE c OPTIONS ('storageLevel' 'DISK_ONLY') AS SELECT * FROM a", [("table", "a", "c")]),
    ("CACHE TABLE a", []),
    ("INSERT INTO t SELECT * FROM a", [("table", "a", "t")]),
    ("INSERT INTO TABLE t (x, y) SELECT x, y FROM a", [("table", "a", "t")]),
    ("INSERT OVERWRITE t PARTITION (d = '2024') IF NOT EXISTS SELECT * FROM a", [("table", "a", "t")]),
    ("INSERT INTO t REPLACE WHERE d = 1 SELECT * FROM a", [("table", "a", "t")]),
    ("INSERT INTO t REPLACE USING (i) SELECT * FROM a", [("table", "a", "t")]),
    ("INSERT INTO t TABLE a", [("table", "a", "t")]),
    ("INSERT INTO t (SELECT * FROM a)", [("table", "a", "t")]),
    ("INSERT INTO t VALUES (1, 'SELECT * FROM a')", []),
    ("INSERT INTO delta.`/out` SELECT * FROM a", [("table", "a", "/out")]),
    ("INSERT OVERWRITE DIRECTORY '/out' USING parquet SELECT * FROM a", [("table", "a", "/out")]),
    ("WITH c AS (SELECT * FROM a) INSERT INTO t SELECT * FROM c", [("table", "a", "t")]),
    ("FROM a INSERT INTO t SELECT x WHERE y > 1 INSERT OVERWRITE TABLE u SELECT z",
     [("table", "a", "t"), ("table", "a", "u")]),
    ("MERGE INTO t USING a ON t.i = a.i WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
     [("table", "a", "t")]),
    ("MERGE WITH SCHEMA EVOLUTION INTO s.t AS x USING (SELECT * FROM a JOIN b USING (i)) y ON x.i = y.i "
     "WHEN MATCHED AND y.d THEN DELETE WHEN NOT MATCHED BY SOURCE THEN DELETE",
     [("table", "a", "s.t"), ("table", "b", "s.t")]),
    ("COPY INTO t FROM 's3://b/x' FILEFORMAT = PARQUET", [("files", "s3://b/x", "t")]),
    ("COPY INTO t FROM '/x/${env}' WITH (CREDENTIAL (AWS_SECRET_KEY = 'k')) FILEFORMAT = CSV FILES = ('a', 'b')",
     [("files", "/x/dev", "t")]),
    ("COPY INTO t FROM (SELECT _c0::int AS i, _metadata.file_name FROM '/x') FILEFORMAT = CSV", [("files", "/x", "t")]),
    ("COPY INTO t FROM '${nobody}' FILEFORMAT = CSV", [("files", None, "t", "?path")]),
    ("DELETE FROM t WHERE i IN (SELECT i FROM a)", [("table", "a", "t")]),
    ("UPDATE t SET x = (SELECT max(y) FROM a) WHERE z = 1", [("table", "a", "t")]),
    ("DELETE FROM t WHERE i = 1", []),
    ("EXECUTE IMMEDIATE 'INSERT INTO t SELECT * FROM a'", [("table", "a", "t")]),
    ("EXECUTE IMMEDIATE 'INSERT INTO ' || :db || '.t SELECT * FROM a WHERE i = ?' USING 5", [("table", "a", "shop.t")]),
    ("SET VAR x = (SELECT max(i) FROM a)", [("table", "a", None)]),
    ("CREATE FUNCTION f(x INT) RETURNS INT LANGUAGE PYTHON AS $$ return ';' + \"'\" $$; SELECT * FROM a",
     [("table", "a", None)]),
    ("CREATE SCHEMA IF NOT EXISTS s; CREATE VOLUME v; DROP TABLE t; GRANT SELECT ON t TO u", []),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "wanted"), KAFKA + OTHER_SYSTEMS + TABLES + FILLED)
def test_a_statement_reads_what_it_says(sql: str, wanted: list[tuple[object, ...]]) -> None:
    assert sorted(told(sql), key=repr) == sorted(wanted, key=repr)
    assert read_statements(sql, substitute=VALUES.get).problems == []


@pytest.mark.parametrize(("sql", "wanted"), KAFKA + OTHER_SYSTEMS + TABLES + FILLED)
def test_comments_and_line_breaks_between_words_change_nothing(sql: str, wanted: list[tuple[object, ...]]) -> None:
    if "'" not in sql and "`" not in sql and "--" not in sql and '"' not in sql and "{{" not in sql:
        sql = sql.replace(" ", "\r\n /* FROM zz */ -- FROM yy '\n ")
    assert sorted(told(sql + " ; "), key=repr) == sorted(wanted, key=repr)


def test_a_source_keeps_what_its_options_say() -> None:
    (one,) = read_statements(
        "CREATE STREAMING TABLE t AS\nSELECT *\nFROM STREAM\n  read_kafka(\n    bootstrapServers => 'k:1',\n"
        "    subscribe => 'a', groupIdPrefix => 'p', startingOffsets => 'earliest')"
    ).sources
    assert one.to_dict() == {
        "kind": "kafka", "topics": ["a"], "pattern": None, "bootstrap": "k:1", "path": None, "group_id_prefix": "p",
        "target_table": "t", "source_table": None, "unresolved": [], "line": 4, "confidence": 1.0, "file": "",
    }  # fmt: skip


def test_each_reference_has_its_own_line_in_the_file() -> None:
    sql = (
        "-- first\n\nCREATE VIEW v AS\nSELECT *\nFROM a\nJOIN /* a\nlong one */ b ON a.x = b.x;\n\nSELECT 'x\ny' FROM c"
    )
    found = read_statements(sql, line=10).sources
    assert [(one.path, one.line) for one in found] == [("a", 14), ("b", 16), ("c", 19)]


def test_two_kafka_tables_of_one_text_keep_their_own_topics() -> None:
    sql = """
    CREATE STREAMING TABLE a AS SELECT * FROM STREAM read_kafka(bootstrapServers => 'k', subscribe => 'x');
    CREATE STREAMING TABLE b AS SELECT * FROM STREAM read_kafka(bootstrapServers => 'k', subscribe => 'y');
    """
    assert [(one.topics, one.target_table) for one in read_statements(sql).sources] == [(["x"], "a"), (["y"], "b")]


def test_secrets_appear_nowhere() -> None:
    sql = """
    CREATE TEMPORARY VIEW v USING JDBC OPTIONS (
      url "jdbc:sqlserver://h:1433;databaseName=d;user=me;password=hunter2", dbtable "t",
      user "me", password "hunter2");
    CREATE TEMPORARY VIEW w USING jdbc OPTIONS (
      url "jdbc:sqlserver://h;trustStorePassword=hunter2;Auth_AccessToken=hunter2;PWD=hunter2", dbtable "t");
    CREATE TEMPORARY VIEW x USING jdbc OPTIONS (url "jdbc:mysql://me:a@b/hunter2@h/d?sslKeyPass=hunter2", dbtable "t");
    SELECT * FROM read_kafka(subscribe => 'a', `kafka.sasl.jaas.config` => 'password="hunter2"');
    SELECT hunter2 FRM; SELECT 'hunter2
    """
    assert "hunter2" not in repr(read_statements(sql))


def test_a_query_of_another_program_has_sources_without_a_target() -> None:
    found = read_query("SELECT id FROM a JOIN ${somebody} b USING (id)", line=7)
    assert [(one.path, one.target_table, one.unresolved, one.line) for one in found.sources] == [
        ("a", None, [], 7),
        (None, None, ["table"], 7),
    ]
    assert found.tables == []
    assert found.problems == []


def test_a_command_of_another_program_fills_its_table() -> None:
    found = read_query("INSERT INTO t (x) SELECT y FROM a")
    assert [one.name for one in found.tables] == ["t"]
    assert [one.target_table for one in found.sources] == ["t"]


@pytest.mark.parametrize(
    ("sql", "wanted"),
    [
        ("SELECT * FROM stream.orders", ["stream.orders"]),
        ("SELECT * FROM a JOIN stream.orders o ON true", ["a", "stream.orders"]),
        ("SELECT * FROM STREAM(stream.orders)", ["stream.orders"]),
        ("SELECT * FROM STREAM stream.orders", ["stream.orders"]),
        ("SELECT a, stream FROM t", ["t"]),
        ("SELECT * FROM t WHERE f(stream IS NULL) AND (stream LIKE 'a%')", ["t"]),
        ("WITH stream AS (SELECT * FROM raw.t) SELECT * FROM stream", ["raw.t"]),
        ("SELECT window, count(*) FROM t GROUP BY window", ["t"]),
        ("SELECT window AS w, x.window FROM t x ORDER BY window DESC", ["t"]),
        ("SELECT sum(b) OVER w FROM t WINDOW w AS (ORDER BY a), v AS (w)", ["t"]),
    ],
)
def test_names_that_are_words_of_the_language_elsewhere_stay_names(sql: str, wanted: list[str]) -> None:
    reading = read_statements(sql)
    assert [one.path for one in reading.sources] == wanted
    assert reading.problems == []


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("f(TABLE(s.t) PARTITION BY x ORDER BY y)", ["s.t"]),
        ("f(TABLE(s.t) PARTITION BY (x, z) ORDER BY y, 3)", ["s.t"]),
        ("f(TABLE(SELECT a FROM s.q) WITH SINGLE PARTITION, 3)", ["s.q"]),
        ("f(1, rows => TABLE(s.t) PARTITION BY a), g(TABLE(s.u) DISTRIBUTE BY b) x", ["s.t", "s.u"]),
    ],
)
def test_rows_that_a_function_gets_in_parts_are_read(call: str, wanted: list[str]) -> None:
    reading = read_statements(f"CREATE TABLE o AS SELECT * FROM {call}")
    assert [(one.path, one.target_table) for one in reading.sources] == [(one, "o") for one in wanted]
    assert reading.problems == []
