"""A store opens for all who ask at once; one that can't be opened says which setting is wrong, never its password."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from lineage_hub.errors import InvalidSetting, StoreUnavailable
from lineage_hub.settings import Settings
from lineage_hub.store.open import open_store


@pytest.mark.parametrize(
    ("url", "says"),
    [("garbage:secret@x", "database_url is not a URL"), ("mysql://me:secret@host/name", "keeps no store in mysql")],
)
def test_a_database_that_is_none_of_ours_is_refused(tmp_path: Path, url: str, says: str) -> None:
    with pytest.raises(InvalidSetting, match=says) as refused:
        open_store(Settings(data_dir=tmp_path, database_url=url))
    assert "postgresql+psycopg://" in (refused.value.action or "")
    assert "secret" not in str(refused.value.body())


@pytest.mark.parametrize("folder", ["file", "file/beneath"])
def test_a_data_folder_that_can_not_be_made_is_refused(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InvalidSetting, match="can't be made") as refused:
        open_store(Settings(data_dir=tmp_path / folder))
    assert "--data" in (refused.value.action or "")


def test_a_damaged_file_is_called_so(tmp_path: Path) -> None:
    (tmp_path / "lineage.db").write_bytes(b"no database" * 1000)
    with pytest.raises(StoreUnavailable, match="the store is damaged") as refused:
        open_store(Settings(data_dir=tmp_path))
    assert "restore" in (refused.value.action or "")


def test_many_may_open_one_new_file_at_the_same_moment(tmp_path: Path) -> None:
    begin = Barrier(6)

    def open_it(folder: Path) -> None:
        begin.wait()
        open_store(Settings(data_dir=folder)).close()

    with ThreadPoolExecutor(6) as threads:
        for turn in range(10):
            for done in [threads.submit(open_it, tmp_path / str(turn)) for _ in range(6)]:
                done.result()
