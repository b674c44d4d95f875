"""Statements through SQLAlchemy are told with their tables and columns, and writes only if they were committed."""

import textwrap
from typing import Any

import pytest
from openlineage.client.generated.column_lineage_dataset import ColumnLineageDatasetFacet
from openlineage.client.generated.sql_job import SQLJobFacet

from tests.postgres_server import PostgresServer
from tests.sdk.instrumentation.programs import Ended, Programs

pytestmark = pytest.mark.slow

TABLES = """
    import sqlalchemy as sa
    from sqlalchemy import text
    engine = sa.create_engine(URL)
    metadata = sa.MetaData()
    column = sa.Column
    orders = sa.Table("orders", metadata, column("id", sa.Integer, primary_key=True), column("amount", sa.Integer))
    report = sa.Table("report", metadata, column("id", sa.Integer), column("total", sa.Integer))
    metadata.create_all(engine)
    with engine.begin() as connection:
        connection.execute(orders.insert(), [{"id": 1, "amount": 10}, {"id": 2, "amount": 20}])
"""


def names(told: Ended, side: str) -> list[str]:
    return sorted(told.datasets(side))


def origins(dataset: dict[str, Any]) -> dict[str, list[str]]:
    told = dataset["facets"]["columnLineage"]["fields"]
    return {
        column: sorted(
            f"{one['name']}.{one['field']} {way['type']} {way['subtype']}"
            for one in content["inputFields"]
            for way in one["transformations"]
        )
        for column, content in told.items()
    }


def run(programs: Programs, text: str, before: str = TABLES, url: str = "sqlite:///shop.db") -> Ended:
    told = programs.run(f"URL = {url!r}\n" + textwrap.dedent(before) + textwrap.dedent(text))
    assert told.code == 0, told.stderr
    assert "lineage" not in told.stderr, told.stderr
    return told


def test_core_and_text_have_the_same_lineage_of_columns(programs: Programs) -> None:
    text = """
        with engine.begin() as connection:
            twice = sa.select(orders.c.id, orders.c.amount * 2)
            connection.execute(report.insert().from_select(["id", "total"], twice))
            connection.execute(text("CREATE TABLE Big AS SELECT * FROM ORDERS WHERE Amount > 15"))
            connection.execute(text("INSERT INTO report SELECT id, sum(amount) FROM orders GROUP BY id"))
    """
    told = run(programs, text)
    assert names(told, "inputs") == ["orders"]
    assert names(told, "outputs") == ["Big", "orders", "report"]
    made = told.datasets("outputs")
    assert made["orders"]["namespace"] == f"sqlite://{programs.folder}/shop.db"
    assert made["orders"]["outputFacets"]["outputStatistics"]["rowCount"] == 2
    assert made["orders"]["facets"]["schema"]["fields"] == [
        {"name": "id", "type": "INTEGER"},
        {"name": "amount", "type": "INTEGER"},
    ]
    assert origins(made["report"]) == {
        "id": ["orders.id DIRECT IDENTITY"],
        "total": ["orders.amount DIRECT AGGREGATION", "orders.amount DIRECT TRANSFORMATION"],
    }
    assert origins(made["Big"]) == {"id": ["orders.id DIRECT IDENTITY"], "amount": ["orders.amount DIRECT IDENTITY"]}
    (decides,) = made["Big"]["facets"]["columnLineage"]["dataset"]
    assert (decides["field"], decides["transformations"][0]["subtype"]) == ("amount", "FILTER")


def test_the_facet_is_openlineages_own(programs: Programs) -> None:
    told = run(programs, "with engine.begin() as c: c.execute(text('CREATE VIEW v AS SELECT id FROM orders'))")
    made = told.datasets("outputs")["v"]["facets"]
    assert made["columnLineage"]["_schemaURL"] == ColumnLineageDatasetFacet._get_schema()
    assert told.last["job"]["facets"]["sql"]["_schemaURL"] == SQLJobFacet._get_schema()
    assert told.last["job"]["facets"]["sql"]["dialect"] == "sqlite"


def test_the_orm_is_followed(programs: Programs) -> None:
    text = """
        from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
        class Base(DeclarativeBase): pass
        class Customer(Base):
            __tablename__ = "customers"
            id: Mapped[int] = mapped_column(primary_key=True)
            name: Mapped[str]
        engine = sa.create_engine(URL)
        Base.metadata.create_all(engine)
        with Session(engine) as session:
            session.add_all([Customer(name=name) for name in "abc"])
            session.commit()
            print(len(session.scalars(sa.select(Customer).where(Customer.name > "a")).all()))
            session.execute(sa.update(Customer).values(name="x"))
            session.rollback()
    """
    told = run(programs, text, before="import sqlalchemy as sa")
    assert told.stdout == "2\n"
    (read,), (made,) = told.last["inputs"], told.last["outputs"]
    assert read["name"] == made["name"] == "customers"
    assert made["facets"]["schema"]["fields"] == [
        {"name": "id", "type": "INTEGER"},
        {"name": "name", "type": "VARCHAR"},
    ]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("with engine.connect() as c: c.execute(INSERT)", []),
        ("with engine.connect() as c: c.execute(INSERT); c.rollback()", []),
        ("with engine.connect() as c: c.execute(INSERT); c.commit()", ["report"]),
        ("engine.connect().execution_options(isolation_level='AUTOCOMMIT').execute(INSERT)", ["report"]),
        ("with engine.begin() as c: c.begin_nested(); c.execute(INSERT)", ["report"]),
        (
            "with engine.begin() as c:\n    inner = c.begin_nested()\n    c.execute(INSERT)\n    inner.rollback()\n"
            "    c.execute(text('DELETE FROM orders'))",
            ["orders"],
        ),
        ("try:\n    with engine.begin() as c: c.execute(INSERT); 1/0\nexcept ZeroDivisionError: pass", []),
        (
            "try:\n    with engine.begin() as c: c.execute(text('INSERT INTO report (nope) VALUES (1)'))\n"
            "except sa.exc.DBAPIError: pass",
            [],
        ),
        (
            "with engine.begin() as c:\n    outer = c.begin_nested()\n    c.begin_nested()\n    c.execute(INSERT)\n"
            "    outer.rollback()\n    c.execute(text('DELETE FROM orders'))",
            ["orders"],
        ),
        ("c = engine.connect()\nc.execute(INSERT)\ndel c", []),
    ],
)  # fmt: skip
def test_a_write_counts_when_it_is_committed(programs: Programs, text: str, written: list[str]) -> None:
    # The rows of the beginning are another program's.
    run(programs, "")
    before = """
        import sqlalchemy as sa
        from sqlalchemy import text
        engine = sa.create_engine(URL)
        INSERT = text("INSERT INTO report (id, total) VALUES (1, 2)")
    """
    told = run(programs, "\n" + text, before=before)
    assert names(told, "outputs") == written


def test_a_commit_that_fails_writes_nothing(programs: Programs) -> None:
    text = """
        with engine.begin() as c:
            c.execute(text("CREATE TABLE child (id INTEGER REFERENCES orders (id) DEFERRABLE INITIALLY DEFERRED)"))
        sa.event.listen(engine, "connect", lambda c, _: c.execute("PRAGMA foreign_keys = ON"))
        engine.dispose()
        try:
            with engine.begin() as c:
                c.execute(text("INSERT INTO child VALUES (77)"))
        except sa.exc.IntegrityError:
            print("refused")
    """
    told = run(programs, text)
    assert told.stdout == "refused\n"
    assert names(told, "outputs") == ["orders"]


def test_a_write_belongs_to_the_run_that_wrote_it(programs: Programs) -> None:
    text = """
        from lineage_hub.sdk import lineage_track
        @lineage_track
        def within():
            with engine.begin() as c: c.execute(text("INSERT INTO report (id, total) SELECT id, amount FROM orders"))
        @lineage_track
        def left_open(c):
            c.execute(text("CREATE TABLE late AS SELECT id FROM report"))
        within()
        with engine.connect() as c:
            c.execute(text("INSERT INTO report (id) VALUES (9)"))
            left_open(c)
            c.commit()
    """
    told = run(programs, text)
    assert list(told.datasets("outputs", "within")) == ["report"]
    assert list(told.datasets("inputs", "within")) == ["orders"]
    # When it was committed, the call was over: it is of the run around it.
    assert sorted(told.datasets("outputs", "job")) == ["late", "orders", "report"]


def test_temporary_tables_are_followed_and_not_told(programs: Programs) -> None:
    text = """
        with engine.begin() as c:
            c.execute(text("CREATE TEMP TABLE scratch AS SELECT id, amount + 1 AS more FROM orders WHERE amount > 1"))
            c.execute(text("INSERT INTO report (id, total) SELECT id, sum(more) FROM scratch GROUP BY id"))
            c.execute(text("DROP TABLE scratch"))
            c.execute(text("CREATE TEMP TABLE report AS SELECT 1 AS id"))
            c.execute(text("INSERT INTO report (id) SELECT id + 1 FROM main.report"))
    """
    told = run(programs, text)
    assert names(told, "inputs") == ["orders", "report"]
    assert names(told, "outputs") == ["orders", "report"]
    assert origins(told.datasets("outputs")["report"]) == {
        "id": ["orders.id DIRECT IDENTITY"],
        "total": ["orders.amount DIRECT AGGREGATION"],
    }


def test_what_is_in_memory_is_no_dataset(programs: Programs) -> None:
    told = run(programs, "engine.connect().execute(sa.select(orders)).all()", url="sqlite://")
    assert (told.last["inputs"], told.last["outputs"]) == ([], [])


def test_what_is_not_understood_is_told_as_text_without_its_strings(programs: Programs) -> None:
    text = """
        with engine.begin() as c:
            c.exec_driver_sql("REINDEX orders")
            c.exec_driver_sql("INSERT INTO report (id) SELECT id FROM orders WHERE 'hush' = 'hush' -- x")
            try: c.exec_driver_sql("ATTACH DATABASE 'hush.db' AS other KEY 'hush'")
            except Exception: pass
    """
    told = run(programs, text)
    query = told.last["job"]["facets"]["sql"]["query"]
    assert "INSERT INTO report (id) SELECT id FROM orders" in query
    assert "hush" not in repr(told.events)


def test_without_sqlglot_the_text_is_told_and_how_to_get_more(programs: Programs) -> None:
    text = textwrap.dedent(TABLES) + textwrap.dedent("""
        import pandas as pd
        pd.DataFrame({"a": [1]}).to_csv("a.csv")
        with engine.begin() as c:
            c.execute(text("CREATE TABLE t AS SELECT id FROM orders WHERE 'hush' = 'hush'"))
            c.execute(text("INSERT INTO t (id) SELECT 3"))
        print("done")
    """)
    told = programs.run("import sys; sys.modules['sqlglot'] = None\nURL = 'sqlite:///shop.db'\n" + text)
    assert (told.code, told.stdout) == (0, "done\n")
    assert told.stderr.count("pip install 'lineage-hub[sql]'") == 1
    # What SQLAlchemy itself knows needs no parser.
    assert names(told, "outputs") == [str(programs.folder / "a.csv"), "orders"]
    query = told.last["job"]["facets"]["sql"]["query"]
    assert "CREATE TABLE t AS SELECT id FROM orders" in query
    assert "hush" not in query


def test_postgresql_has_schemas_and_rolls_back(programs: Programs, postgres_server: PostgresServer) -> None:
    text = """
        with engine.begin() as c:
            c.execute(text('CREATE SCHEMA sales'))
            c.execute(text('CREATE TABLE sales."Daily" (day DATE, total NUMERIC(10, 2))'))
        with engine.begin() as c:
            c.execute(text('INSERT INTO sales."Daily" SELECT current_date, sum(o.Amount) FROM Orders o'))
            c.execute(text("CREATE TEMP TABLE scratch ON COMMIT DROP AS SELECT id FROM orders"))
            c.execute(text(
                "MERGE INTO report r USING orders o ON r.id = o.id "
                "WHEN NOT MATCHED THEN INSERT (id, total) VALUES (o.id, o.amount)"
            ))
        with engine.connect() as c:
            c.execute(text("CREATE TABLE never AS SELECT * FROM orders"))
            c.rollback()
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as c:
            c.execute(text("CREATE TABLE at_once AS SELECT * FROM orders"))
        print(sa.inspect(engine).get_table_names(schema="sales"))
        from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
        class Base(DeclarativeBase): pass
        class Many(Base):
            __tablename__ = "many"
            id: Mapped[int] = mapped_column(primary_key=True)
            name: Mapped[str]
        Base.metadata.create_all(engine)
        with Session(engine) as session:
            session.add_all([Many(name=str(number)) for number in range(2500)])
            session.commit()
    """
    with postgres_server.database() as url:
        told = run(programs, text, url=url.replace("postgresql://", "postgresql+psycopg://"))
        database = url.partition("?")[0].rpartition("/")[2]
    assert told.stdout == "['Daily']\n"
    assert names(told, "inputs") == [f"{database}.public.orders"]
    assert names(told, "outputs") == sorted(
        f"{database}.{name}"
        for name in ("public.at_once", "public.many", "public.orders", "public.report", "sales.Daily")
    )
    made = told.datasets("outputs")
    assert {one["namespace"] for one in made.values()} == {"postgres://localhost:5432"}
    assert made[f"{database}.public.many"]["outputFacets"]["outputStatistics"]["rowCount"] == 2500
    daily = made[f"{database}.sales.Daily"]
    assert origins(daily) == {"total": [f"{database}.public.orders.amount DIRECT AGGREGATION"]}
    assert daily["facets"]["schema"]["fields"] == [
        {"name": "day", "type": "DATE"},
        {"name": "total", "type": "DECIMAL(10, 2)"},
    ]
    assert origins(made[f"{database}.public.report"])["total"] == [f"{database}.public.orders.amount DIRECT IDENTITY"]
    assert "pg_catalog" not in told.last["job"]["facets"]["sql"]["query"]
