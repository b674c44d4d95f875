"""Dead letters are kept under their tenant until they are mended, replayed, dropped or too many."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, create_engine

from lineage_hub.errors import InvalidEvent, NotFound
from lineage_hub.model import EVERYTHING, Scope
from lineage_hub.store import dead_letters, tables
from lineage_hub.store.dead_letters import Rejected

A = Scope("team-a", frozenset({"team-a"}))
B = Scope("team-b", frozenset({"team-b"}))


@pytest.fixture
def connection() -> Iterator[Connection]:
    engine = create_engine("sqlite://")
    with engine.begin() as opened:
        tables.metadata.create_all(opened)
        yield opened
    engine.dispose()


def rejected(body: bytes = b"{}", *, at: int = 1, reason: str = "no", size: int | None = None) -> Rejected:
    return Rejected.because(InvalidEvent(reason, subject="eventTime"), body, "lineage", at, size=size)


def test_a_letter_comes_back_as_it_was_kept(connection: Connection) -> None:
    assert dead_letters.add(connection, A, [rejected(b"\xff\0", at=7, size=100)], 10) == 0
    (letter,) = dead_letters.page(connection, A, 10, 0)
    assert letter == dead_letters.get(connection, A, letter.id)
    assert (
        letter.received_at,
        letter.tenant,
        letter.source,
        letter.error,
        letter.reason,
        letter.subject,
    ) == (
        7,
        "team-a",
        "lineage",
        "invalid_event",
        "no",
        "eventTime",
    )
    assert (letter.size, letter.kept, letter.truncated, letter.edited_at, letter.body) == (
        100,
        2,
        True,
        None,
        b"\xff\0",
    )


def test_an_empty_body_is_a_body(connection: Connection) -> None:
    dead_letters.add(connection, A, [rejected(b"")], 10)
    assert [letter.body for letter in dead_letters.page(connection, A, 10, 0)] == [b""]


def test_a_reason_may_quote_what_no_database_holds(connection: Connection) -> None:
    dead_letters.add(connection, A, [rejected(reason="bad \0 and \ud800")], 10)
    assert dead_letters.page(connection, A, 1, 0)[0].reason == "bad \\0 and \\ud800"


def test_pages_are_newest_first_with_the_beginning_of_each_body(connection: Connection) -> None:
    bodies = [b"%d" % number + b"x" * 1000 for number in range(5)]
    dead_letters.add(connection, A, [rejected(body) for body in bodies], 10)
    page = dead_letters.page(connection, A, 2, 1)
    assert [letter.body for letter in page] == [bodies[3][:400], bodies[2][:400]]
    assert [letter.kept for letter in page] == [1001, 1001]
    assert dead_letters.count(connection, A) == 5


def test_at_the_bound_the_oldest_go_and_are_counted(connection: Connection) -> None:
    bodies = [b"%d" % number for number in range(7)]
    evicted = sum(dead_letters.add(connection, A, [rejected(body)], 3) for body in bodies)
    assert evicted == 4
    assert [letter.body for letter in dead_letters.page(connection, A, 10, 0)] == bodies[:3:-1]
    assert dead_letters.add(connection, A, [rejected(body) for body in bodies], 3) == 7
    assert [letter.body for letter in dead_letters.page(connection, A, 10, 0)] == bodies[:3:-1]


def test_the_bound_counts_letters_not_ids(connection: Connection) -> None:
    dead_letters.add(connection, A, [rejected() for _ in range(6)], 6)
    for letter_id in (2, 3, 4, 5):
        dead_letters.remove(connection, A, letter_id)
    assert dead_letters.add(connection, A, [rejected() for _ in range(4)], 6) == 0
    assert dead_letters.count(connection, A) == 6
    assert dead_letters.add(connection, A, [rejected()], 6) == 1
    assert dead_letters.ids(connection, A)[0] == 6


def test_large_letters_are_bounded_by_their_bytes_too(connection: Connection) -> None:
    large = b"x" * (2 << 20)
    evicted = sum(dead_letters.add(connection, A, [rejected(large)], 100, max_bytes=7 << 20) for _ in range(5))
    assert evicted == 2
    assert dead_letters.count(connection, A) == 3


def test_many_small_letters_are_bounded_by_their_bytes_too(connection: Connection) -> None:
    for _ in range(400):
        dead_letters.add(connection, A, [rejected(b"x" * 1000)], 10_000, max_bytes=150_000)
    assert dead_letters.count(connection, A) <= 150 + 100


def test_ids_are_never_used_again(connection: Connection) -> None:
    dead_letters.add(connection, A, [rejected()], 10)
    dead_letters.remove(connection, A, 1)
    dead_letters.add(connection, A, [rejected()], 10)
    assert dead_letters.ids(connection, A) == [2]


def test_a_mended_letter_is_whole_and_a_failed_replay_tells_the_new_reason(connection: Connection) -> None:
    dead_letters.add(connection, A, [rejected(b"{", size=9)], 10)
    mended = dead_letters.replace_body(connection, A, 1, b'{"a": 1}', 5)
    assert (mended.body, mended.size, mended.truncated, mended.edited_at) == (b'{"a": 1}', 8, False, 5)
    dead_letters.replace_reason(connection, A, 1, InvalidEvent("worse", subject="job"))
    letter = dead_letters.get(connection, A, 1)
    assert (letter.reason, letter.subject, letter.body) == ("worse", "job", b'{"a": 1}')


def test_a_scope_sees_and_changes_its_own_tenants_only(connection: Connection) -> None:
    dead_letters.add(connection, A, [rejected(b"a")], 10)
    dead_letters.add(connection, B, [rejected(b"b")], 10)
    assert [letter.body for letter in dead_letters.page(connection, A, 10, 0)] == [b"a"]
    assert dead_letters.count(connection, B) == 1
    assert dead_letters.ids(connection, EVERYTHING) == [1, 2]
    for change in (
        lambda: dead_letters.get(connection, B, 1),
        lambda: dead_letters.replace_body(connection, B, 1, b"c", 5),
        lambda: dead_letters.replace_reason(connection, B, 1, InvalidEvent("x")),
        lambda: dead_letters.remove(connection, B, 1),
    ):
        with pytest.raises(NotFound):
            change()
    assert dead_letters.get(connection, EVERYTHING, 1).body == b"a"
    nobody = Scope("team-a", frozenset())
    assert dead_letters.count(connection, nobody) == 0
