"""Folders change places in one step, and what the step leaves behind is known at every moment."""

import os
from pathlib import Path

import pytest

from lineage_hub.errors import Conflict, TargetUnwritable
from lineage_hub.spark.pipeline.load.exchange import can_exchange, exchange
from lineage_hub.spark.pipeline.load.folder import MARKER, check_ours, marker_of, tokens_in
from lineage_hub.spark.pipeline.load.local_folder import LocalFolder


def filled(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)
    return folder


def contents(folder: Path) -> dict[str, str]:
    return {path.stem: path.read_text() for path in folder.iterdir() if path.name != MARKER}


def test_two_folders_change_names(tmp_path: Path) -> None:
    one, other = filled(tmp_path / "one", a="1"), filled(tmp_path / "other", b="2")
    assert exchange(one, other)
    assert (contents(one), contents(other)) == ({"b": "2"}, {"a": "1"})
    with pytest.raises(FileNotFoundError):
        exchange(one, tmp_path / "nothing")


def test_whether_a_filesystem_can_is_tried_where_the_folder_will_be(tmp_path: Path) -> None:
    assert can_exchange(tmp_path / "not" / "there" / "yet")
    assert list(tmp_path.iterdir()) == []


def test_a_target_is_replaced_and_the_staging_folder_is_gone(tmp_path: Path) -> None:
    target = filled(tmp_path / "t", old="1")
    target.chmod(0o750)
    folder = LocalFolder(str(target), "token")
    folder.begin()
    filled(tmp_path / ".t.lineage-hub-3c469e9d6c58" / "content", new="2")
    folder.replace("content", ["token"], None)
    folder.end()
    assert contents(target) == {"new": "2"}
    assert folder.tokens() == ["token"]
    assert target.stat().st_mode & 0o777 == 0o750
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


def test_files_are_added_beside_those_that_are_there(tmp_path: Path) -> None:
    target = filled(tmp_path / "t", old="1")
    first, second = LocalFolder(str(target), "first"), LocalFolder(str(target), "second")
    # Two loads of one target at the same time: neither loses what the other adds.
    first.begin()
    second.begin()
    for folder, name in ((first, "a"), (second, "b")):
        filled(Path(folder.place("added").removeprefix("file://")), **{name: name})
    first.add("added", "first")
    second.add("added", "second")
    for folder in (first, second):
        folder.end()
    assert contents(target) == {"old": "1", "a": "a", "b": "b"}
    assert first.tokens() == ["first", "second"]
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


def test_what_a_killed_run_left_is_removed_and_what_a_living_one_has_is_not(tmp_path: Path) -> None:
    left, living = LocalFolder(str(tmp_path / "t"), "left"), LocalFolder(str(tmp_path / "t"), "living")
    left.begin()
    os.close(left._lock)  # type: ignore[arg-type]  # as the kernel does when it is killed
    living.begin()
    filled(Path(living.place("content").removeprefix("file://")), a="1")
    with pytest.raises(Conflict, match="another run is loading"):
        LocalFolder(str(tmp_path / "t"), "living").begin()
    assert [path.name for path in tmp_path.iterdir()] == [Path(living.place("")).name]
    living.replace("content", ["living"], None)
    living.end()
    assert contents(tmp_path / "t") == {"a": "1"}


def test_a_run_that_was_killed_between_two_renames_is_undone(tmp_path: Path) -> None:
    filled(tmp_path / ".t.lineage-hub-0123456789ab" / "old", a="1")
    folder = LocalFolder(str(tmp_path / "t"), "next")
    folder.begin()
    assert contents(tmp_path / "t") == {"a": "1"}
    folder.end()


def test_a_target_that_was_changed_meanwhile_is_not_merged_over(tmp_path: Path) -> None:
    target = filled(tmp_path / "t", old="1")
    folder = LocalFolder(str(target), "token")
    folder.begin()
    seen = folder.files()
    filled(Path(folder.place("content").removeprefix("file://")), new="2")
    filled(target, other="3")
    with pytest.raises(Conflict, match="was changed"):
        folder.replace("content", ["token"], seen)
    assert contents(target) == {"old": "1", "other": "3"}
    folder.end()


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path) -> None:
    target = filled(tmp_path / "real", old="1")
    (tmp_path / "link").symlink_to(target)
    folder = LocalFolder(str(tmp_path / "link"), "token")
    folder.begin()
    filled(Path(folder.place("content").removeprefix("file://")), new="2")
    folder.replace("content", ["token"], None)
    folder.end()
    assert (tmp_path / "link").is_symlink()
    assert contents(tmp_path / "link") == {"new": "2"}


@pytest.mark.parametrize(
    "name", ["README.md", ".git/config", "_delta_log/0.json", "sub/part-0.csv", "part-0.parquet", ".env", "a.py"]
)
def test_a_folder_with_other_files_is_not_ours(name: str) -> None:
    with pytest.raises(TargetUnwritable) as error:
        check_ours("/t", {"part-0.csv": 1, name: 1}, "csv")
    assert name in error.value.message


def test_a_folder_as_spark_writes_it_is_ours() -> None:
    files = ["part-0.csv", "_SUCCESS", "._SUCCESS.crc", ".part-0.csv.crc", "day=1/shop=x y/part-1.csv.gz", MARKER]
    check_ours("/t", dict.fromkeys(files, 1), "csv")


def test_a_file_in_the_targets_place_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("mine")
    with pytest.raises(TargetUnwritable, match="is a file"):
        LocalFolder(str(tmp_path / "t"), "token").begin()
    assert (tmp_path / "t").read_text() == "mine"


def test_the_marker_remembers_loads_and_survives_rubbish() -> None:
    assert tokens_in(marker_of([str(number) for number in range(2000)]))[-1] == "1999"
    assert len(tokens_in(marker_of([str(number) for number in range(2000)]))) == 1000
    assert tokens_in(b"rubbish") == tokens_in(b"[]") == tokens_in(b"") == []
