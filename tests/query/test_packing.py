"""Texts that are packed come back byte for byte."""

from concurrent.futures import ThreadPoolExecutor

from lineage_hub.query.packing import packed, unpacked


def test_a_text_comes_back_as_it_was_and_a_long_one_takes_less_room() -> None:
    long = b'{"runs":[' + b",".join(b'{"id":"%d","facets":{}}' % number for number in range(500)) + b"]}"
    for text in (b"", b"{}", long):
        assert unpacked(packed(text)) == text
    assert len(packed(long)) < len(long) / 4


def test_what_was_never_packed_leaves_as_it_is() -> None:
    assert unpacked(b'{"id":1}') == b'{"id":1}'


def test_many_threads_pack_at_once() -> None:
    texts = [b'{"of":"%d"}' % number * 1000 for number in range(200)]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda text: unpacked(packed(text)), texts)) == texts
