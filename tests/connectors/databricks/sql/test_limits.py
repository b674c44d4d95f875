"""No text of SQL takes long, and none raises."""

import random
import time

import pytest

from lineage_hub.connectors.databricks.reading import Reading
from lineage_hub.connectors.databricks.sql import read_query, read_statements
from lineage_hub.connectors.databricks.sql.splitting import UNKNOWN

LARGE = {
    "brackets": "SELECT " + "(" * 5_000 + "1" + ")" * 5_000,
    "brackets within what is allowed": "SELECT " + "(" * 140 + "1" + ")" * 140,
    "calls in calls": "SELECT " + "f(" * 140 + "x" + ")" * 140 + " FROM t",
    "conditions in conditions": "SELECT " + "CASE WHEN a THEN " * 3_000 + "1" + " END" * 3_000 + " FROM t",
    "nots": "SELECT " + "NOT " * 12_000 + "a FROM t",
    "a long concatenation": "SELECT * FROM read_kafka(subscribe => " + "||".join(["'a'"] * 12_000) + ")",
    "conditions in a row": "SELECT * FROM t WHERE " + " AND ".join(["a=1"] * 7_000),
    "queries in a row": " UNION ALL ".join(["SELECT a FROM t"] * 5_000),
    "names of with in a row": "WITH t AS (SELECT 1 AS a FROM z) " + " UNION ALL ".join(["SELECT a FROM t"] * 900),
    "queries that double": "WITH c0 AS (SELECT x FROM t),"
    + ",".join(f"c{i} AS (SELECT a.x + b.x AS x FROM c{i - 1} a JOIN c{i - 1} b ON a.x = b.x)" for i in range(1, 60))
    + " SELECT x FROM c59",
    "statements": "SELECT a FROM t;\n" * 100_000,
    "ten million letters": "SELECT a FROM t;\n" * 600_000,
    "a long string": "SELECT '" + "x" * 1_900_000 + "'",
    "semicolons": ";" * 1_900_000,
    "quotes": "'" * 1_900_000,
    "comments in comments": "/*" * 900_000,
    "values": "SELECT '" + "${a}" * 60_000 + "'",
    "rows": "INSERT INTO t VALUES " + ",".join(["(1,'a')"] * 25_000),
    "blocks": "BEGIN " + "IF a THEN " * 20_000,
    "types in types": "SELECT CAST(a AS " + "ARRAY<" * 500 + "INT" + ">" * 500 + ") FROM t",
    "parts of a name": "SELECT * FROM " + "a." * 12_000 + "b",
    "casts": "SELECT a" + "::int" * 14_000 + " FROM t",
    "branches": "FROM t " + "INSERT INTO a SELECT x " * 5_000,
    "text that runs itself": "SET a = EXECUTE IMMEDIATE '${a}';\n${a}",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_a_large_or_hostile_text_is_read_in_bounded_time(name: str) -> None:
    begin = time.process_time()
    reading = read_statements(LARGE[name])
    assert time.process_time() - begin < 4  # two seconds of a machine that does nothing else
    assert isinstance(reading, Reading)


PIECES = [
    "SELECT", "FROM", "(", ")", "'", '"', "`", ";", "--", "/*", "*/", "${", "}", "${x}", "{{x}}", ":p", "AS", "WITH",
    ",",
    "STREAM", "LIVE.", "read_kafka(", "subscribe => 'a'", "CREATE STREAMING TABLE", "CREATE FLOW f AS", "INSERT INTO",
    "AUTO CDC INTO", "APPLY CHANGES INTO", "MERGE INTO", "COPY INTO", "USING", "ON", "KEYS (a)", "SEQUENCE BY",
    "COLUMNS",
    "BEGIN", "END", "IF", "THEN", "CASE", "WHEN", "CONSTRAINT c EXPECT (", "ON VIOLATION", "UNION ALL", "LATERAL VIEW",
    "PIVOT", "EXECUTE IMMEDIATE", "SET", "DECLARE", "USE", "IDENTIFIER(", "TABLE", "VALUES", "*", ".", "::", "=>", "|>",
    "$$", "\x00", "\udc80", "é", "\ue0f0", "WATERMARK", "WINDOW(", "@", "CLONE", "OPTIONS (", "\\", "\n", "1", "r'",
    "FLOW",
]  # fmt: skip

WHOLE = [
    "CREATE OR REFRESH STREAMING TABLE t (id INT, CONSTRAINT c EXPECT (id > 0) ON VIOLATION DROP ROW) COMMENT 'x' "
    "AS SELECT value:id AS id FROM STREAM read_kafka(bootstrapServers => 'k:1', subscribe => '${x}')",
    "CREATE FLOW f AS AUTO CDC INTO t FROM stream(s) KEYS (id) APPLY AS DELETE WHEN op = 'D' SEQUENCE BY ts "
    "COLUMNS * EXCEPT (op) STORED AS SCD TYPE 2",
    "MERGE INTO t USING (SELECT a, b FROM s) x ON t.a = x.a WHEN MATCHED THEN UPDATE SET t.b = x.b "
    "WHEN NOT MATCHED THEN INSERT (a, b) VALUES (x.a, x.b)",
    "WITH c AS (SELECT a.x, b.y FROM a JOIN b ON a.i = b.i WHERE a.z IN (SELECT z FROM d)) "
    "INSERT INTO t (x, y) SELECT x, sum(y) OVER (PARTITION BY x) FROM c",
    "BEGIN DECLARE v STRING DEFAULT 'a'; "
    "IF v = 'a' THEN INSERT INTO t SELECT * FROM identifier(v || '.b'); END IF; END",
    "COPY INTO t FROM (SELECT a::int FROM '/in') FILEFORMAT = CSV; "
    "USE CATALOG c; SET k = v; FROM a INSERT INTO t SELECT x",
    "CREATE TEMPORARY VIEW v USING jdbc OPTIONS (url 'jdbc:x', dbtable 't'); EXECUTE IMMEDIATE 'SELECT * FROM ' || 'z'",
]


def changed(chance: random.Random) -> str:
    text = "; ".join(chance.sample(WHOLE, chance.randint(1, 3)))
    for _ in range(chance.randint(1, 10)):
        at = chance.randrange(len(text) + 1)
        cut = chance.choice([0, 0, 0, 1, 5, 30])
        text = text[:at] + chance.choice(["", " "]) + chance.choice(PIECES) + " " + text[at + cut :]
    return text


def look_at_changed(seed: int, times: int) -> None:
    chance = random.Random(seed)
    slowest = 0.0
    for _ in range(times):
        text = changed(chance)
        begin = time.process_time()
        reading = read_statements(text, substitute={"p": "value"}.get)
        read_query(text)
        slowest = max(slowest, time.process_time() - begin)
        lines = text.count("\n") + 2
        assert all(1 <= one.line <= lines for one in (*reading.sources, *reading.problems))
        assert all(topic in text for one in reading.sources for topic in one.topics if topic.isalnum())
        assert UNKNOWN not in repr(reading)
        assert UNKNOWN.encode("unicode_escape").decode() not in repr(reading)
    assert slowest < 4


def test_a_few_changed_statements_never_raise_nor_tell_what_is_not_there() -> None:
    look_at_changed(seed=19, times=100)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_changed_statements_never_raise_nor_tell_what_is_not_there() -> None:
    look_at_changed(seed=20, times=2_000)


def test_values_that_stand_for_ever_more_values_are_unknown() -> None:
    begin = time.thread_time()
    values = {f"a{at}": f"${{a{at + 1}}}" * 50 for at in range(8)}
    (found,) = read_statements("SELECT * FROM ${a0}", substitute=values.get).sources
    assert found.unresolved == ["table"]
    grown = "SET a = xxxxxxxx;" + "SET a = ${a}${a};" * 60 + "SELECT * FROM ${a}"
    assert [one.unresolved for one in read_statements(grown).sources] == [["table"]]
    assert time.thread_time() - begin < 2
