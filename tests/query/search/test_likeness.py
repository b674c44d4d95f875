"""A word with one mistake is recognised, one with two is not; judged by a table of distances."""

from hypothesis import given
from hypothesis import strategies as st

from lineage_hub.query.search.likeness import likeness, one_mistake, with_one_mistake
from lineage_hub.query.search.vocabulary import Vocabulary

LETTERS = "abc"
WORDS = st.text(LETTERS, min_size=4, max_size=8)


def distance(one: str, other: str) -> int:
    """Optimal string alignment, as the textbook has it."""
    table = [[max(i, j) if not i or not j else 0 for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            cost = one[i - 1] != other[j - 1]
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + cost)
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    return table[-1][-1]


@given(WORDS, st.text(LETTERS, max_size=9))
def test_one_mistake_is_a_distance_of_one(asked: str, there: str) -> None:
    assert one_mistake(asked, there) == (distance(asked, there) <= 1)


@given(WORDS)
def test_all_words_with_one_mistake_are_tried(word: str) -> None:
    tried = with_one_mistake(word, LETTERS)
    assert all(distance(word, one) <= 1 for one in tried)
    by_rule = len({one for one in tried if one != word})
    every = {word[:at] + letter + word[at:] for at in range(len(word) + 1) for letter in LETTERS}
    every |= {word[:at] + word[at + 1 :] for at in range(len(word))}
    every |= {word[:at] + letter + word[at + 1 :] for at in range(len(word)) for letter in LETTERS}
    every |= {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)}
    assert by_rule == len(every - {word})


@given(st.lists(st.text(LETTERS, min_size=1, max_size=8), max_size=30), st.text(LETTERS, min_size=1, max_size=8))
def test_the_vocabulary_finds_exactly_the_words_that_are_alike(there: list[str], asked: str) -> None:
    vocabulary = Vocabulary()
    for word in there[: len(there) // 2]:
        vocabulary.number(word)
    vocabulary.fitting(asked)
    for word in there:
        vocabulary.number(word)
    expected = {word: likeness(asked, word) for word in there if likeness(asked, word)}
    assert vocabulary.fitting(asked) == expected


def test_the_same_word_goes_before_a_beginning_and_that_before_a_part() -> None:
    order = ["orders", "orders2", "ordres", "xorders2"]
    fits = [likeness("orders", word) for word in order]
    assert fits == sorted(fits, reverse=True)
    assert likeness("or", "for") == 0.0, "two letters are no part of a word"
    assert likeness("abc", "abd") == 0.0, "short words have too many others near them"
