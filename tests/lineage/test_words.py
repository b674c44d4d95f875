"""Names and questions become the same words, however they are spelled."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage_hub.lineage.words import fold, list_terms, terms, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("prod.fct_customer_orders", {"prod", "fct", "customer", "orders"}),
        ("CustomerOrders", {"customerorders", "customer", "orders"}),
        ("HTTPServerLog2024", {"httpserverlog2024", "http", "server", "log", "2024"}),
        ("s3://bucket/dt=2024-01-31", {"s3", "bucket", "dt", "2024", "01", "31"}),
        ("l0_table_000", {"l0", "table", "000"}),
        ("Größe café", {"grosse", "cafe"}),
        ("cafe\u0301", {"cafe"}),
        ("Ελλάδα_Кошка12", {"ελλαδα", "кошка12", "кошка", "12"}),
        ("顧客データ", {"顧", "客", "テ", "ー", "タ"}),
        ("sales_🚀", {"sales", "🚀"}),
        ("", set()),
        (" _.:/\"'%*()\x00\n", set()),
    ],
)
def test_a_text_has_the_words_that_people_see_in_it(text: str, expected: set[str]) -> None:
    assert terms(text) == expected


@given(st.text(max_size=60))
def test_every_word_stands_where_it_says(text: str) -> None:
    for word in words(text):
        for one in (word, *word.parts):
            assert 0 <= one.start < one.end <= len(text)
            assert one.text == fold(text[one.start : one.end])
            assert one.text


@given(st.text(max_size=60))
def test_terms_are_the_words_and_their_longer_parts(text: str) -> None:
    expected = [
        term for word in words(text) for term in (word.text, *[part.text for part in word.parts if len(part.text) > 1])
    ]
    assert list_terms(text) == expected


@given(st.text(max_size=60))
def test_case_does_not_matter_to_ascii_words_without_humps(text: str) -> None:
    lower = text.lower()
    if text.isascii():
        assert {word.text for word in words(lower)} == {word.text for word in words(lower.upper())}
