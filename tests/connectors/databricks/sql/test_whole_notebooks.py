"""Notebooks of SQL as engineers write them, from the text of the file to what they read and fill."""

import pytest

from lineage_hub.connectors.databricks.notebooks import split_cells
from lineage_hub.connectors.databricks.reading import DefinedTable, StreamSource
from lineage_hub.connectors.databricks.sql import Session


def read(source: str, **values: str) -> tuple[list[StreamSource], list[DefinedTable]]:
    session = Session(values.get)
    sources: list[StreamSource] = []
    tables: list[DefinedTable] = []
    for cell in split_cells(source):
        if cell.language == "sql":
            found = session.read(cell.text, cell.line)
            assert found.problems == []
            sources += found.sources
            tables += found.tables
    return sources, tables


def edges(source: str, **values: str) -> list[tuple[str, str, str | None, int]]:
    return [
        (one.kind, one.path or ",".join(one.topics), one.target_table, one.line) for one in read(source, **values)[0]
    ]


CHANGES = """\
-- Databricks notebook source
-- MAGIC %md ## Changes of restaurants, as Debezium tells them

-- COMMAND ----------

CREATE TEMPORARY STREAMING LIVE VIEW restaurants_raw AS
SELECT CAST(value AS STRING) AS body
FROM STREAM read_kafka(
  bootstrapServers => '${kafka.servers}',
  subscribe => 'oracle.${env}.RESTAURANTS', -- one topic a table
  startingOffsets => 'earliest'
);

-- COMMAND ----------

CREATE TEMPORARY STREAMING LIVE VIEW restaurants_events AS
SELECT body:after.ID::INT AS id, body:after.NAME AS name, body:op AS op, to_timestamp(body:ts_ms / 1000) AS ts
FROM STREAM(LIVE.restaurants_raw);

-- COMMAND ----------

CREATE OR REFRESH STREAMING TABLE restaurants (CONSTRAINT has_id EXPECT (id IS NOT NULL) ON VIOLATION FAIL UPDATE);
APPLY CHANGES INTO LIVE.restaurants
FROM STREAM(LIVE.restaurants_events)
KEYS (id)
APPLY AS DELETE WHEN op = "d"
SEQUENCE BY ts
COLUMNS * EXCEPT (op)
STORED AS SCD TYPE 2
TRACK HISTORY ON * EXCEPT (ts);
"""


def test_changes_go_from_their_topic_to_a_table_with_history() -> None:
    sources, tables = read(CHANGES, env="UAT", **{"kafka.servers": "k1:9092"})
    assert [(one.kind, one.path or ",".join(one.topics), one.target_table, one.line) for one in sources] == [
        ("kafka", "oracle.UAT.RESTAURANTS", "restaurants_raw", 8),
        ("table", "restaurants_raw", "restaurants_events", 18),
        ("table", "restaurants_events", "restaurants", 24),
    ]
    last = tables[-1]
    assert (last.name, last.kind, [rule.action for rule in last.expectations]) == (
        "restaurants",
        "streaming_table",
        ["fail"],
    )
    assert last.columns is not None
    assert list(last.columns) == ["id", "name", "ts", "__START_AT", "__END_AT"]


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        (
            """
            USE CATALOG lakehouse; USE SCHEMA silver;
            CREATE OR REFRESH STREAMING TABLE matched AS
            SELECT i.ad_id, i.ts AS shown_at, c.ts AS clicked_at
            FROM STREAM(impressions) WATERMARK ts DELAY OF INTERVAL 10 SECONDS AS i
            JOIN STREAM(bronze.clicks) WATERMARK ts DELAY OF INTERVAL 20 SECONDS AS c
              ON i.ad_id = c.ad_id AND c.ts BETWEEN i.ts AND i.ts + INTERVAL 1 MINUTE;
            """,
            [
                ("table", "lakehouse.silver.impressions", "lakehouse.silver.matched", 5),
                ("table", "lakehouse.bronze.clicks", "lakehouse.silver.matched", 6),
            ],
        ),
        (
            """
            CREATE OR REFRESH STREAMING TABLE all_regions COMMENT 'FROM every region; one flow each';
            CREATE FLOW eu AS INSERT INTO all_regions BY NAME
              SELECT *, 'eu' AS region FROM STREAM read_kafka(bootstrapServers => 'eu:9092', subscribe => 'orders');
            CREATE FLOW us AS INSERT INTO all_regions BY NAME
              SELECT *, 'us' AS region FROM STREAM read_kafka(bootstrapServers => 'us:9092', subscribe => 'orders');
            CREATE FLOW old AS INSERT INTO ONCE all_regions BY NAME
              SELECT * FROM read_files('/Volumes/a/archive', format => 'parquet');
            """,
            [
                ("kafka", "orders", "all_regions", 4),
                ("kafka", "orders", "all_regions", 6),
                ("files", "/Volumes/a/archive", "all_regions", 8),
            ],
        ),
        (
            """
            CREATE FLOW profiles_flow AS AUTO CDC INTO profiles FROM (
              FROM STREAM(profiles_feed)
              |> SELECT *, parse_json(body) AS v
              |> SELECT topic, v:email::string AS email, v:gone::boolean AS is_gone
            )
            KEYS (email) APPLY AS DELETE WHEN is_gone SEQUENCE BY topic COLUMNS * EXCEPT (is_gone) STORED AS SCD TYPE 1;
            """,
            [("table", "profiles_feed", "profiles", 3)],
        ),
        (
            """
            MERGE INTO silver.customers AS t
            USING (
              SELECT * EXCEPT (rn) FROM (
                SELECT *, row_number() OVER (PARTITION BY id ORDER BY updated_at DESC) AS rn
                FROM bronze.customers WHERE _ingest_date = current_date()
              ) WHERE rn = 1
            ) AS s
            ON t.id = s.id AND t.region <=> s.region
            WHEN MATCHED AND s.op = 'D' THEN DELETE
            WHEN MATCHED AND t.hash != s.hash THEN UPDATE SET t.name = s.name, t.updated_at = current_timestamp()
            WHEN NOT MATCHED AND s.op != 'D' THEN INSERT (id, name) VALUES (s.id, s.name);
            OPTIMIZE silver.customers ZORDER BY (id); VACUUM silver.customers RETAIN 168 HOURS;
            """,
            [("table", "bronze.customers", "silver.customers", 6)],
        ),
        (
            """
            WITH a AS (WITH b AS (SELECT * FROM real_b) SELECT * FROM b)
            SELECT * FROM a JOIN b ON a.id = b.id  -- this b is a table
            """,
            [("table", "real_b", None, 2), ("table", "b", None, 3)],
        ),
        (
            r"""
            CREATE TABLE `my db`.`t-1` AS SELECT `weird col` FROM `src db`.s1
            WHERE x = "it's; FROM z" AND y = 'a\'; FROM q --' -- FROM k
            """,
            [("table", "src db.s1", "my db.t-1", 2)],
        ),
        (
            """
            CREATE OR REFRESH STREAMING TABLE hub_events AS
            SELECT parse_json(value::STRING) AS v
            FROM STREAM read_kafka(
              bootstrapServers => concat('dev', '-ns.servicebus.windows.net:9093'), subscribe => 'hub',
              `kafka.sasl.jaas.config` => concat('username="$ConnectionString" password="', secret('s', 'k'), '";'));
            """,
            [("kafka", "hub", "hub_events", 4)],
        ),
    ],
)
def test_a_notebook_is_read_as_its_engineer_means_it(
    source: str, wanted: list[tuple[str, str, str | None, int]]
) -> None:
    assert edges(source) == wanted
