"""What one statement sets counts for those after it."""

import pytest

from lineage_hub.connectors.databricks.sql import Session, read_statements
from lineage_hub.connectors.databricks.sql.splitting import split_statements


def pairs(sql: str, **more: object) -> list[tuple[str | None, str | None]]:
    return [(one.path, one.target_table) for one in read_statements(sql, **more).sources]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("use", "wanted"),
    [
        ("USE CATALOG main; USE SCHEMA s", ("main.s.a", "main.s.t")),
        ("USE CATALOG 'main'; USE DATABASE s", ("main.s.a", "main.s.t")),
        ("USE main.s", ("main.s.a", "main.s.t")),
        ("USE SCHEMA main.s", ("main.s.a", "main.s.t")),
        ("USE s", ("s.a", "s.t")),
        ("USE NAMESPACE s", ("s.a", "s.t")),
        ("USE CATALOG main", ("a", "t")),
        ("USE SCHEMA s; USE CATALOG main", ("a", "t")),
        ("SET CATALOG main; USE s", ("main.s.a", "main.s.t")),
        ("USE CATALOG ${cat}; USE SCHEMA s", ("c1.s.a", "c1.s.t")),
        ("USE CATALOG IDENTIFIER(:cat); USE SCHEMA s", ("c1.s.a", "c1.s.t")),
        ("USE SCHEMA ${nobody}", ("a", "t")),
        ("USE `my-cat`.s", ("my-cat.s.a", "my-cat.s.t")),
        ("", ("a", "t")),
    ],
)
def test_the_catalog_and_schema_in_use_stand_before_names(use: str, wanted: tuple[str, str]) -> None:
    assert pairs(f"{use}; CREATE TABLE t AS SELECT * FROM a", substitute={"cat": "c1"}.get) == [wanted]


def test_names_with_their_own_schema_or_catalog_keep_it() -> None:
    sql = "USE CATALOG main; USE SCHEMA s; INSERT INTO x.t SELECT * FROM c2.y.a"
    assert pairs(sql) == [("c2.y.a", "main.x.t")]


def test_the_catalog_and_schema_of_the_pipeline_stand_before_names() -> None:
    assert pairs("CREATE TABLE t AS SELECT * FROM LIVE.a JOIN b", catalog="c", schema="s") == [
        ("a", "c.s.t"),
        ("c.s.b", "c.s.t"),
    ]


def test_temporary_views_and_names_of_with_are_in_no_schema() -> None:
    sql = "USE s; CREATE TEMP VIEW v AS SELECT * FROM a;\n WITH c AS (SELECT * FROM V) INSERT INTO t SELECT * FROM c"
    assert pairs(sql) == [("s.a", "v"), ("V", "s.t")]


def test_a_value_that_is_set_is_used_from_then_on() -> None:
    sql = """
    SELECT * FROM read_files('${place}/x');
    SET place = /mnt/in ;
    SELECT * FROM read_files('${place}/y');
    SET place = ${place}/deeper;
    SELECT * FROM read_files('${place}/z');
    SET place = ${nobody};
    SELECT * FROM read_files('${place}/w');
    """
    assert pairs(sql, substitute={"place": "/outer"}.get) == [
        ("/outer/x", None),
        ("/mnt/in/y", None),
        ("/mnt/in/deeper/z", None),
        (None, None),
    ]


def test_a_widget_has_its_default_where_nothing_else_is_said() -> None:
    sql = (
        "CREATE WIDGET TEXT db DEFAULT 'd1'; CREATE WIDGET DROPDOWN t DEFAULT 'x' CHOICES SELECT * FROM (VALUES ('x'));"
    )
    assert pairs(sql + "SELECT * FROM ${db}.$t") == [("d1.x", None)]
    assert pairs(sql + "SELECT * FROM ${db}.$t", substitute={"db": "d2"}.get) == [("d2.x", None)]


@pytest.mark.parametrize("name", ["spark:k", "sparkconf:k", "hivevar:k", "hiveconf:k", "k"])
def test_a_value_may_say_where_it_is_from(name: str) -> None:
    assert pairs(f"SELECT * FROM ${{{name}}}", substitute={"k": "a"}.get) == [("a", None)]


def test_a_value_of_the_machine_is_unknown() -> None:
    assert pairs("SELECT * FROM ${env:HOME}", substitute={"HOME": "a"}.get) == [(None, None)]


def test_a_value_that_refers_to_itself_is_unknown() -> None:
    assert pairs("SELECT * FROM ${a}", substitute={"a": "${b}", "b": "${a}"}.get) == [(None, None)]


def test_values_of_values_are_followed() -> None:
    assert pairs("SELECT * FROM ${a}", substitute={"a": "x_${b}", "b": "y"}.get) == [("x_y", None)]


def test_a_substitution_that_fails_is_an_unknown_value() -> None:
    def fail(name: str) -> str:
        raise KeyError(name)

    assert pairs("SELECT * FROM ${a}", substitute=fail) == [(None, None)]


def test_cells_of_a_notebook_share_a_session() -> None:
    session = Session()
    session.read("USE CATALOG main; USE SCHEMA s; DECLARE topic = 'x'")
    session.read("CREATE TEMPORARY VIEW v AS SELECT key FROM read_kafka(subscribe => topic)", line=10)
    found = session.read("CREATE TABLE t AS SELECT * FROM v", line=20)
    assert [(one.path, one.target_table, one.line) for one in found.sources] == [("v", "main.s.t", 20)]
    assert found.tables[0].columns is not None
    assert set(found.tables[0].columns) == {"key"}


def test_statements_inside_of_a_script_are_read_and_those_that_may_not_run_say_so() -> None:
    sql = """
    BEGIN
      DECLARE n INT DEFAULT 0;
      DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN INSERT INTO log SELECT * FROM errors; END;
      INSERT INTO t SELECT * FROM a;
      IF n > CASE WHEN n = 1 THEN 2 ELSE 3 END THEN
        INSERT INTO t SELECT * FROM b;
      ELSEIF n = 2 THEN
        INSERT INTO t SELECT * FROM c;
      ELSE
        INSERT INTO t SELECT * FROM d;
      END IF;
      lbl: FOR r AS SELECT * FROM e DO
        INSERT INTO t SELECT * FROM f;
      END FOR lbl;
      WHILE n < 3 DO SET n = n + 1; END WHILE;
      INSERT INTO t SELECT * FROM g;
    END;
    SELECT * FROM h
    """
    reading = read_statements(sql)
    assert [(one.path, one.confidence) for one in reading.sources] == [
        ("errors", 0.5), ("a", 1.0), ("b", 0.5), ("c", 0.5), ("d", 0.5), ("e", 1.0), ("f", 0.5), ("g", 1.0), ("h", 1.0),
    ]  # fmt: skip
    assert reading.problems == []


def test_the_body_of_a_procedure_may_not_run() -> None:
    sql = "CREATE OR REPLACE PROCEDURE p() LANGUAGE SQL AS BEGIN INSERT INTO t SELECT * FROM a; END;\nSELECT * FROM b"
    found = read_statements(sql).sources
    assert [(one.path, one.confidence) for one in found] == [("a", 0.5), ("b", 1.0)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a;b", ["a", "b"]),
        (";; a ;;", ["a"]),
        ("a ';' b; c", ["a ';' b", "c"]),
        ("a '\\';' b; c", ["a '\\';' b", "c"]),
        ("a r'\\'; c", ["a r'\\'", "c"]),
        ('a ";" b; c', ['a ";" b', "c"]),
        ("a `;` b; c", ["a `;` b", "c"]),
        ("a -- ; x\n b; c", ["a \n b", "c"]),
        ("a /* ; /* ; */ ; */ b; c", ["a   b", "c"]),
        ("a 'it''s;' b", ["a 'it''s;' b"]),
        ("-- only words; and more", []),
        ("", []),
    ],
)
def test_only_a_semicolon_of_code_ends_a_statement(text: str, wanted: list[str]) -> None:
    assert [one.text(lambda _: None).strip() for one in split_statements(text)] == wanted


@pytest.mark.parametrize("text", [None, 3, [], b"SELECT 1", object()])
def test_what_is_no_text_reads_nothing(text: object) -> None:
    reading = read_statements(text)  # type: ignore[arg-type]
    assert (reading.sources, reading.tables, reading.problems) == ([], [], [])


@pytest.mark.parametrize(
    ("block", "wanted"),
    [
        ("IF x() THEN SET t = 'b'; END IF;", None),
        ("IF x() THEN SET t = 'b'; ELSE SET t = 'b'; END IF;", "b"),
        ("IF x() THEN SET t = 'b'; ELSEIF y() THEN SET t = 'b'; END IF;", None),
        ("IF x() THEN IF y() THEN SET t = 'b'; END IF; END IF;", None),
        ("IF x() THEN SET u = 'b'; END IF;", "a"),
        ("CASE x() WHEN 1 THEN SET t = 'b'; ELSE SET t = 'c'; END CASE;", None),
        ("WHILE x() DO SET t = t || 'b'; END WHILE;", None),
        ("REPEAT SET t = t || 'b'; UNTIL x() END REPEAT;", None),
        ("DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN SET t = 'b'; END;", None),
        ("DECLARE CONTINUE HANDLER FOR NOT FOUND SET t = 'b';", None),
        ("BEGIN SET t = 'b'; END;", "b"),
    ],
)
def test_after_a_block_of_a_script_only_that_is_known_which_every_way_through_it_leaves(
    block: str, wanted: str | None
) -> None:
    sql = f"BEGIN DECLARE t STRING = 'a'; DECLARE u STRING; {block} INSERT INTO o SELECT * FROM IDENTIFIER(t); END"
    [found] = read_statements(sql).sources
    assert (found.path, found.unresolved, found.confidence) == (wanted, [] if wanted else ["table"], 1.0)


def test_a_branch_of_a_script_sees_nothing_of_the_others() -> None:
    insert = "INSERT INTO o SELECT * FROM s.i;"
    sql = f"BEGIN IF x() THEN USE CATALOG dev; {insert} ELSE {insert} USE CATALOG prod; END IF; {insert} END"
    found = {(one.path, one.target_table, one.confidence) for one in read_statements(sql).sources}
    assert found == {("dev.s.i", "o", 0.5), ("s.i", "o", 0.5), ("s.i", "o", 1.0)}


def test_conditions_of_a_script_read_too() -> None:
    sql = """BEGIN
    IF (SELECT count(*) FROM a) > 0 THEN SET x = 1; ELSEIF EXISTS (SELECT 1 FROM b) THEN SET x = 2; END IF;
    WHILE (SELECT max(n) FROM c) < 3 DO SET x = 3; END WHILE;
    REPEAT SET x = 4; UNTIL x > (SELECT n FROM d) END REPEAT;
    END"""
    found = [(one.path, one.line, one.confidence) for one in read_statements(sql).sources]
    assert found == [("a", 2, 1.0), ("b", 2, 0.5), ("c", 3, 1.0), ("d", 4, 1.0)]
