"""What a program reads from files beside it is known where these files are given, and nowhere else."""

from __future__ import annotations

import pytest

from tests.connectors.databricks.program.reading_programs import feeds, topics

MAIN = "/Repos/shop/jobs/main"
FILES = {
    "/Repos/shop/jobs/conf/app.json": '{"kafka": {"topics": ["a", "b"]}, "env": "dev"}',
    "/Repos/shop/jobs/app.yaml": "kafka:\n  topics: [a, b]\nenv: dev\nday: 2024-01-01\n",
    "/Repos/shop/jobs/query.sql": "INSERT INTO one SELECT * FROM other",
    "/Repos/shop/jobs/query.py": "x = 1",
}
READ = 'spark.readStream.format("kafka").option("subscribe", ",".join(cfg["kafka"]["topics"])).load()'


@pytest.mark.parametrize(
    "program",
    [
        'import json\nwith open("conf/app.json") as f:\n    cfg = json.load(f)\n',
        'import json\ncfg = json.loads(open("./conf/app.json", encoding="utf-8").read())\n',
        'import json\ncfg = json.load(open("/Workspace/Repos/shop/jobs/conf/app.json", "r"))\n',
        'import json\nfrom pathlib import Path\ncfg = json.loads((Path("conf") / "app.json").read_text())\n',
        'import yaml\nwith open(file="app.yaml") as f:\n    cfg = yaml.safe_load(f)\n',
        'import pathlib, yaml\nwith pathlib.Path("app.yaml").open() as f:\n    cfg = yaml.load(f, Loader=None)\n',
        'import os, yaml\ncfg = yaml.full_load(open(os.path.join("/Repos/shop", "jobs", "app.yaml")))\n',
    ],
)
def test_documents_beside_a_program_are_read(program: str) -> None:
    assert topics(program + READ, path=MAIN, files=FILES) == [["a", "b"]]


@pytest.mark.parametrize(
    "program",
    [
        'import json\ncfg = json.load(open("other.json"))\n',
        'import json\ncfg = json.load(open("conf/app.json", "rb"))\n',
        'import json\nopen("conf/app.json", "w").write("{}")\ncfg = json.load(open("conf/app.json"))\n',
        'import json, pathlib\npathlib.Path("app.yaml").write_text("{}")\ncfg = json.load(open("app.yaml"))\n',
        'import json\nfrom x import path\ncfg = json.load(open(path))\n',
        'import yaml\ncfg = yaml.safe_load("a: [")\n',
        "import yaml\ncfg = yaml.safe_load('a: &a [x]\\n' + ''.join(f'b{i}: &b{i} [*a, *a]\\n' for i in range(30)))\n",
        'import json\ncfg = json.load(open("query"))\n',
    ],
)  # fmt: skip
def test_what_is_not_there_or_was_written_by_the_program_is_not_known(program: str) -> None:
    assert topics(program + READ, path=MAIN, files=FILES) == [["unresolved"]]


def test_sql_of_a_file_is_run_where_the_program_runs_it() -> None:
    program = 'from pathlib import Path\nspark.sql(Path("query.sql").read_text())\nspark.sql(open("query.py").read())'
    assert feeds(program, path=MAIN, files=FILES) == {("other", "one")}
