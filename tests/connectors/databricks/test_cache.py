"""What has not changed is not fetched or read again; a cache that is broken, shared or full does no harm."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lineage_hub.connectors.databricks.cache import Cache, reader_version, reading_key
from lineage_hub.connectors.databricks.reading import (
    ColumnOrigin,
    DefinedTable,
    Expectation,
    Problem,
    Reading,
    StreamSource,
)

READING = Reading(
    [
        StreamSource("kafka", ["a", "b"], None, "h:9092", None, "g", "t", None, ["x"], 3, 0.5),
        StreamSource("files", path="/x"),
    ],
    [
        DefinedTable(
            "t", "streaming_table", ("a", "b"), (Expectation("e", None, "drop", 2),),
            {"c": (ColumnOrigin("a", "v", False),), "d": ()}, "said", 4,
        ),
        DefinedTable("u"),
    ],
    [Problem(1, "why", "p")],
)  # fmt: skip


def test_a_source_comes_back_while_its_time_of_modification_is_the_same(tmp_path):
    cache = Cache(tmp_path)
    cache.keep_source("https://w", "/a", 5, "text ü")
    assert cache.source("https://w", "/a", 5) == "text ü"
    assert cache.source("https://w", "/a", 6) is None
    assert cache.source("https://other", "/a", 5) is None


def test_a_source_whose_time_is_not_known_is_never_kept(tmp_path):
    cache = Cache(tmp_path)
    cache.keep_source("https://w", "/a", 0, "text")
    assert cache.source("https://w", "/a", 0) is None


def test_a_reading_comes_back_as_it_was(tmp_path):
    cache = Cache(tmp_path)
    cache.keep_reading("00ff", READING)
    assert cache.reading("00ff") == READING


def test_the_key_of_a_reading_changes_with_everything_that_decides_it():
    key = reading_key("1", "text", pairs=[("a", "b")])
    assert key == reading_key("1", "text", pairs=[("a", "b")])
    others = [
        reading_key("2", "text", pairs=[("a", "b")]),
        reading_key("1", "texts", pairs=[("a", "b")]),
        reading_key("1", "text", pairs=[("a", "c")]),
        reading_key("1", "text", pairs=[("ab", "")]),
        reading_key("1", "text"),
    ]
    assert len({key, *others}) == 6


def test_what_traces_columns_has_a_say_in_the_version_of_the_reader(monkeypatch):
    read = []
    monkeypatch.setattr(Path, "read_bytes", lambda path: read.append(path.as_posix()) or b"")
    reader_version.__wrapped__()
    assert any(one.endswith("sdk/instrumentation/columns.py") for one in read)
    assert any(one.endswith("databricks/sql/tokens.py") for one in read)
    assert not any(one.endswith("databricks/commands.py") for one in read)


def test_a_broken_entry_counts_as_none_and_is_written_anew(tmp_path):
    cache = Cache(tmp_path)
    cache.keep_reading("00ff", READING)
    (entry,) = (one for one in tmp_path.rglob("*") if one.is_file())
    whole = entry.read_bytes()
    for broken in (b"", whole[:-1], whole[:40], whole.replace(b"kafka", b"kafkA"), b"\0" * len(whole)):
        entry.write_bytes(broken)
        assert cache.reading("00ff") is None
    cache.keep_reading("00ff", READING)
    assert cache.reading("00ff") == READING


def test_scans_at_the_same_time_never_see_half_an_entry(tmp_path):
    texts = [str(at) * 100_000 for at in range(4)]
    Cache(tmp_path).keep_source("w", "/a", 1, texts[0])

    def work(at: int) -> bool:
        cache = Cache(tmp_path)
        cache.keep_source("w", "/a", 1, texts[at % 4])
        return cache.source("w", "/a", 1) in texts

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(200)))


def test_the_folder_stays_within_its_bound_and_the_least_used_goes_first(tmp_path):
    import os

    cache = Cache(tmp_path, most_bytes=3000)
    for at in range(5):
        cache.keep_source("w", f"/{at}", 1, "x" * 1000)
        newest = max((one for one in tmp_path.rglob("*") if one.is_file()), key=lambda one: one.stat().st_mtime_ns)
        os.utime(newest, (1000 + at, 1000 + at))
    assert cache.shrink() == 3
    assert [cache.source("w", f"/{at}", 1) is not None for at in range(5)] == [False, False, False, True, True]


def test_a_folder_that_cannot_be_written_costs_nothing_but_speed(tmp_path):
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file")
    cache.keep_source("w", "/a", 1, "x")
    assert cache.source("w", "/a", 1) is None
    assert cache.shrink() == 0
    assert Cache(None).source("w", "/a", 1) is None
