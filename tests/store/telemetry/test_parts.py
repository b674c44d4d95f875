"""Parts whose files lack what the engine wrote into them are found; statements that a full disk cut off are removed."""

import json
from pathlib import Path

from lineage_hub.store.telemetry.parts import Parts, remove_empty_deletes


class Told:
    """What an engine says of its parts, and which of them were found hollow."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.active: dict[str, int] = {}
        self.questions = 0
        self.hollow: list[str] = []
        self.parts = Parts(folder, self.answer, self.hollow.extend)

    def answer(self, _sql: str) -> bytes:
        self.questions += 1
        rows = [{"path": str(self.folder / name) + "/", "bytes": str(size)} for name, size in self.active.items()]
        return "\n".join(map(json.dumps, rows)).encode()

    def write(self, name: str, said: int, *files: int) -> None:
        (self.folder / name).mkdir()
        for number, size in enumerate(files):
            (self.folder / name / f"{number}.bin").write_bytes(bytes(size))
        self.active[name] = said


def test_a_part_is_hollow_whose_files_are_smaller_than_the_engine_says(tmp_path):
    told = Told(tmp_path)
    told.write("whole", 30, 10, 25)
    told.write("empty", 30, 0, 0)
    told.write("half", 30, 10, 0)
    told.parts.look()
    assert [Path(path).name for path in told.hollow] == ["empty", "half"]


def test_a_part_that_is_merged_away_while_it_is_looked_at_is_not_hollow(tmp_path):
    told = Told(tmp_path)
    told.active["gone"] = 30
    answer, told.parts._ask = told.answer, lambda sql: (told.answer(sql), told.active.clear())[0]
    told.parts.look()
    assert told.hollow == []
    assert told.questions == 2
    assert answer("") == b""


def test_a_part_that_was_whole_is_looked_at_again_only_where_something_could_not_be_read(tmp_path):
    told = Told(tmp_path)
    told.write("part", 30, 30)
    told.parts.look()
    (tmp_path / "part" / "0.bin").write_bytes(b"")
    told.parts.look()
    assert told.hollow == []
    told.parts.look(again=True)
    assert [Path(path).name for path in told.hollow] == ["part"]


def test_empty_statements_are_removed_and_no_others(tmp_path):
    table = tmp_path / "store" / "0ab" / "0ab1"
    table.mkdir(parents=True)
    for name, text in {"mutation_1.txt": "format version: 1\n", "mutation_2.txt": "", "format_version.txt": ""}.items():
        (table / name).write_text(text)
    assert [path.name for path in remove_empty_deletes(tmp_path)] == ["mutation_2.txt"]
    assert sorted(path.name for path in table.iterdir()) == ["format_version.txt", "mutation_1.txt"]
    assert remove_empty_deletes(tmp_path / "nowhere") == []
