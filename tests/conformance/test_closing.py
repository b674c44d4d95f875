"""A store that is closed leaves no connection behind, whoever still had one."""

from sqlalchemy import text

from lineage_hub.store.open import LineageStore


def test_what_is_given_back_after_the_store_was_closed_is_closed(store: LineageStore) -> None:
    with store.reading() as reading, store.writing() as writing:
        given = [one.connection.dbapi_connection for one in (reading, writing)]
        store.close()
        # Who is in the middle of something may end it.
        assert [one.execute(text("SELECT 1")).scalar() for one in (reading, writing)] == [1, 1]
    assert [is_closed(one) for one in given] == [True, True]


def test_who_asks_a_closed_store_keeps_no_connection(store: LineageStore) -> None:
    store.close()
    with store.reading() as connection:
        given = connection.connection.dbapi_connection
        assert connection.execute(text("SELECT 1")).scalar() == 1
    assert is_closed(given)


def is_closed(connection: object) -> bool:
    try:
        connection.execute("SELECT 1")  # type: ignore[attr-defined]
    except Exception as error:
        return "closed" in str(error)
    return False
