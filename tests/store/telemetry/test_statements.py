"""A request of ClickHouse's HTTP interface is read as a server reads it."""

import pytest

from lineage_hub.store.telemetry.statements import read_statement


def test_the_body_is_the_statement_and_other_parameters_are_settings_or_bound():
    found = read_statement(
        {"param_x": "1", "max_threads": "2", "database": "otel", "query_id": "q"}, b"SELECT {x:Int8}"
    )
    assert (found.text, found.format, found.database) == ("SELECT {x:Int8}", "TabSeparated", "otel")
    assert (found.parameters, found.settings) == ({"x": "1"}, {"max_threads": "2"})
    assert not found.is_insert


def test_a_statement_goes_on_in_the_body():
    assert read_statement({"query": "SELECT 1,"}, b"2").text == "SELECT 1,\n2"


def test_the_format_is_the_one_that_the_statement_names():
    assert read_statement({}, b"SELECT 1\n FORMAT Native").format == "Native"
    assert read_statement({"default_format": "JSON"}, b"SELECT 1").format == "JSON"


@pytest.mark.parametrize(
    ("query", "body"),
    [
        ("", b"INSERT INTO t (`a`, `FORMAT x`, b) FORMAT Native\n\x00FORMAT Arrow\n"),
        ("INSERT INTO t (`a`, `FORMAT x`, b) FORMAT Native", b"\x00FORMAT Arrow\n"),
        ("insert into t (`a`, `FORMAT x`, b) format Native\n", b"\x00FORMAT Arrow\n"),
    ],
)
def test_data_follow_the_format_of_an_insert(query: str, body: bytes):
    found = read_statement({"query": query}, body)
    assert found.is_insert
    assert found.text.lower() == "insert into t (`a`, `format x`, b)"
    assert (found.format, found.data) == ("Native", b"\x00FORMAT Arrow\n")


@pytest.mark.parametrize(
    "text", ["INSERT INTO t SELECT 1 FORMAT Null", "INSERT INTO t VALUES (1)", "SELECT 'INSERT INTO t FORMAT Native\n'"]
)
def test_a_statement_without_data_of_its_own_is_run_as_it_stands(text: str):
    found = read_statement({}, text.encode())
    assert (found.text, found.data) == (text, None)
