"""A statement may be told, but not what is secret in it, and not at any length."""

import pytest

from lineage_hub.sdk.instrumentation.analysis import SHOWN, analyse, told
from lineage_hub.sdk.instrumentation.flows import Kind, Table


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        ("CREATE USER bob PASSWORD 'hush'", "postgres"),
        ("CREATE USER bob IDENTIFIED BY \"hush\"", "mysql"),
        ("SELECT 'it''s hush', 'C:\\', 'hush'", "postgres"),
        ("SELECT 'it\\'s hush', 'hush'", "mysql"),
        ("SELECT $$hush$$, $tag$hush$tag$", "postgres"),
        ("SELECT \"\"\"hush\"\"\"", "bigquery"),
        ("CALL f('hush", "postgres"),
        ("SELEKT (( 'hush' \" 'hush'", "postgres"),
        ("SELECT E'hush', U&'hush', N'hush', b'hush'", "postgres"),
    ],
)  # fmt: skip
def test_strings_are_masked(sql: str, dialect: str) -> None:
    assert "hush" not in told(sql, dialect)


def test_names_and_the_rest_stay() -> None:
    assert told("INSERT INTO \"Orders\" (id) SELECT 1 WHERE x = 'a'", "postgres") == (
        "INSERT INTO \"Orders\" (id) SELECT 1 WHERE x = '…'"
    )


def test_long_texts_are_cut() -> None:
    assert len(told("SELECT " + ", ".join(f"c{at}" for at in range(5000)), "postgres")) == SHOWN + 1


def test_the_rows_of_a_long_insert_are_not_parsed() -> None:
    """Half a megabyte: parsing it would take seconds."""
    rows = ", ".join(["(%s, %s)"] * 60_000)
    ((flow,), text) = analyse(
        f'INSERT INTO "shop".orders (id, amount) VALUES {rows}', "postgres", lambda _: None, lambda: 1
    )
    assert flow.output == Table("orders", "shop")
    assert text == 'INSERT INTO "shop".orders (id, amount) VALUES (NULL)'


def test_what_is_longer_than_can_be_parsed_is_unknown() -> None:
    ((flow,), text) = analyse("SELECT " + "a + " * 40_000 + "1 FROM t", "postgres", lambda _: None, lambda: 1)
    assert flow.kind is Kind.UNKNOWN
    assert len(text) <= SHOWN + 1


def test_a_text_is_understood_once() -> None:
    asked = []

    def columns_of(table: Table) -> list[str]:
        asked.append(table)
        return ["id"]

    first = analyse("INSERT INTO once SELECT * FROM u", "postgres", columns_of, lambda: 1)
    count = len(asked)
    assert analyse("INSERT INTO once SELECT * FROM u", "postgres", columns_of, lambda: 1) is first
    assert len(asked) == count > 0
    assert analyse("INSERT INTO once SELECT * FROM u", "postgres", columns_of, lambda: 2) is not first
