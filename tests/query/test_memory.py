"""What is remembered of the present is true, and takes no more memory than it was given."""

from lineage_hub.query.memory import Memory
from lineage_hub.store.changes import Changes


def test_an_answer_is_kept_until_something_it_depends_on_changes() -> None:
    changes = Changes()
    memory = Memory(changes, 1)
    memory.put("node", changes.epoch, {7: b"seven"}, lambda _: (7, 8))
    changes.apply([9], topology=False)
    assert memory.get("node", [7]) == {7: b"seven"}
    changes.apply([8], topology=False)
    assert memory.get("node", [7]) == {}


def test_an_answer_read_before_a_change_is_not_taken_for_one_read_after_it() -> None:
    changes = Changes()
    memory = Memory(changes, 1)
    before = changes.epoch
    changes.apply([7], topology=False)
    memory.put("node", before, {7: b"old"})
    assert memory.get("node", [7]) == {}


def test_looking_at_an_answer_does_not_make_it_newer_than_what_it_says() -> None:
    changes = Changes()
    memory = Memory(changes, 1)
    memory.put("node", changes.epoch, {7: b"old"})
    changes.apply([1], topology=False)
    assert memory.get("node", [7]) == {7: b"old"}
    changes.apply([7], topology=False)
    assert memory.get("node", [7]) == {}
    assert memory.get("node", [7]) == {}


def test_a_change_of_names_makes_all_of_it_forgotten() -> None:
    changes = Changes()
    memory = Memory(changes, 1)
    memory.put("node", changes.epoch, {7: b"seven"})
    changes.apply([1], topology=True)
    assert memory.get("node", [7]) == {}


def test_it_stays_within_its_bound_whatever_the_size_of_answers() -> None:
    memory = Memory(Changes(), 1)
    for about in range(100):
        memory.put("node", 0, {about: bytes(100_000)})
        assert sum(len(value) for value in memory.get("node", range(100)).values()) <= 1024 * 1024 + 100_000


def test_the_same_answer_put_again_takes_its_room_once() -> None:
    memory = Memory(Changes(), 1)
    memory.put("other", 0, {1: b"kept"})
    for _ in range(1000):
        memory.put("node", 0, {7: bytes(10_000)})
    assert memory.get("other", [1]) == {1: b"kept"}


def test_what_is_asked_for_again_outlives_what_nobody_asks_for() -> None:
    memory = Memory(Changes(), 1)
    memory.put("page", 0, {0: b"asked for often"})
    for about in range(1, 200):
        memory.put("page", 0, {about: bytes(50_000)})
        assert memory.get("page", [0]) == {0: b"asked for often"}
    assert memory.get("page", [1, 2, 3]) == {}


def test_at_its_bound_it_keeps_at_least_half_of_what_was_put_last() -> None:
    memory = Memory(Changes(), 1)
    for about in range(100):
        memory.put("page", 0, {about: bytes(50_000)})
    assert set(memory.get("page", range(100))) >= set(range(91, 100))


def test_an_answer_of_the_older_generation_is_forgotten_when_it_is_no_longer_true() -> None:
    changes = Changes()
    memory = Memory(changes, 1)
    memory.put("page", changes.epoch, {0: b"old"})
    for about in range(1, 12):
        memory.put("page", changes.epoch, {about: bytes(50_000)})
    changes.apply([0], topology=False)
    assert memory.get("page", [0]) == {}
    memory.put("page", changes.epoch, {0: b"new"})
    assert memory.get("page", [0]) == {0: b"new"}


def test_it_says_when_half_of_its_bound_is_in_use() -> None:
    memory = Memory(Changes(), 1)
    assert not memory.is_filling
    memory.put("page", 0, {about: bytes(100_000) for about in range(6)})
    assert memory.is_filling
