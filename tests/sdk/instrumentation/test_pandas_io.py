"""What a script reads and writes by pandas is told, under the name that the dataset has everywhere."""

import io
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from lineage_hub.sdk.instrumentation.places import names_of
from tests.sdk.instrumentation.programs import Programs

# What pandas calls text differs by its version.
TEXT = str(pd.Series(["a"]).dtype)
FIELDS = [{"name": "id", "type": "int64"}, {"name": "name", "type": TEXT}]


def fields(dataset: dict[str, Any]) -> Any:
    return dataset["facets"].get("schema", {}).get("fields")


def rows(dataset: dict[str, Any]) -> Any:
    told = dataset.get("inputFacets", {}).get("inputStatistics") or dataset.get("outputFacets", {}).get(
        "outputStatistics"
    )
    return told and told["rowCount"]


@pytest.mark.slow
def test_files_are_inputs_and_outputs_with_their_columns_and_rows(programs: Programs) -> None:
    programs.write("in.csv", "id,name\n1,a\n2,b\n3,c\n")
    text = """
        import importlib.util, pathlib
        assert importlib.util.find_spec("pandas") is not None
        import pandas as pd
        from pandas import read_csv
        from pandas.io.parsers import read_csv as same
        assert read_csv is same is pd.read_csv
        frame = read_csv("file://localhost" + str(pathlib.Path("in.csv").absolute()))
        frame.head(2).to_json(pathlib.Path("out.json"))
        frame.to_csv("all.csv", index=False)
        frame.head(1).to_csv("all.csv", mode="a", header=False, columns=["id", "name"])
        with open("series.csv", "w") as file:
            frame["id"].to_csv(file)
        print(frame.to_csv(index=False), end="")
    """
    told = programs.run(text)
    assert told.stdout == "id,name\n1,a\n2,b\n3,c\n", told.stderr
    (read,) = told.last["inputs"]
    assert (read["namespace"], read["name"]) == ("file", str(programs.folder / "in.csv"))
    assert (fields(read), rows(read)) == (FIELDS, 3)
    made = {Path(name).name: one for name, one in told.datasets("outputs").items()}
    assert {name: (fields(one), rows(one)) for name, one in made.items()} == {
        "out.json": (FIELDS, 2),
        "all.csv": (FIELDS, 4),
        "series.csv": (FIELDS[:1], 3),
    }


@pytest.mark.slow
def test_buffers_and_failures_are_no_datasets(programs: Programs) -> None:
    text = """
        import io, pandas as pd
        frame = pd.read_csv(io.StringIO("a\\n1"))
        frame.to_csv(io.StringIO())
        frame.to_pickle(io.BytesIO())
        pd.read_json(io.StringIO(frame.to_json()))
        for broken in (lambda: pd.read_csv("missing.csv"), lambda: frame.to_csv("no/such/folder.csv")):
            try:
                broken()
            except OSError:
                print("failed")
    """
    told = programs.run(text)
    assert told.stdout == "failed\nfailed\n"
    assert (told.last["inputs"], told.last["outputs"]) == ([], [])


@pytest.mark.slow
def test_functions_are_what_they_were(programs: Programs) -> None:
    text = """
        import inspect, pickle, sys, pandas
        from pandas.core.generic import NDFrame
        function, method = pandas.read_csv, pandas.DataFrame.to_csv
        assert pickle.loads(pickle.dumps(function)) is function
        assert pickle.loads(pickle.dumps(method)) is method
        assert (function.__name__, method.__qualname__) == ("read_csv", "NDFrame.to_csv")
        assert "comma" in function.__doc__
        assert list(inspect.signature(function).parameters)[:2] == ["filepath_or_buffer", "sep"]
        assert list(inspect.signature(method).parameters)[:2] == ["self", "path_or_buf"]
        try:
            pandas.read_csv()
        except TypeError as error:
            print(error)
        print(type(pandas.__loader__).__name__, pandas.__spec__.loader is pandas.__loader__)
    """
    told = programs.run(text)
    plain = programs.python("job.py")
    assert (told.code, told.stdout) == (plain.code, plain.stdout) == (0, plain.stdout), told.stderr


@pytest.mark.slow
def test_parts_and_chunks_claim_nothing_of_the_whole(programs: Programs) -> None:
    programs.write("in.csv", "id,name\n1,a\n2,b\n")
    text = """
        import pandas as pd
        print(sum(len(chunk) for chunk in pd.read_csv("in.csv", chunksize=1)))
        pd.read_csv("in.csv", usecols=["id"])
    """
    told = programs.run(text)
    assert told.stdout == "2\n"
    (read,) = told.last["inputs"]
    assert (fields(read), rows(read)) == (None, 2)


@pytest.mark.slow
def test_a_read_belongs_to_the_innermost_run(programs: Programs) -> None:
    programs.write("in.csv", "id\n1\n")
    text = """
        import pandas as pd
        from lineage_hub.sdk import lineage_track, track
        @lineage_track
        def outer():
            pd.read_csv("in.csv")
            with track("inner"):
                pd.DataFrame({"a": [1]}).to_csv("inner.csv")
        outer()
        pd.DataFrame({"a": [1]}).to_csv("own.csv")
    """
    told = programs.run(text)
    assert [Path(one).name for one in told.datasets("inputs", "outer")] == ["in.csv"]
    assert [Path(one).name for one in told.datasets("outputs", "inner")] == ["inner.csv"]
    assert [Path(one).name for one in told.datasets("outputs", "job")] == ["own.csv"]
    assert told.datasets("inputs", "job") == told.datasets("outputs", "outer") == {}
    (outer,) = [one for one in told.events if (one["job"]["name"], one["eventType"]) == ("outer", "START")]
    assert outer["run"]["facets"]["parent"]["run"]["runId"] == told.last["run"]["runId"]


@pytest.mark.slow
def test_sql_of_a_drivers_own_connection(programs: Programs) -> None:
    text = """
        import sqlite3, pandas as pd
        connection = sqlite3.connect("shop.db")
        pd.DataFrame({"id": [1, 2], "amount": [3, 4]}).to_sql("orders", connection, index=False)
        print(len(pd.read_sql("SELECT id FROM orders WHERE amount > 3 AND 'hush' = 'hush'", connection)))
    """
    told = programs.run(text)
    assert told.stdout == "1\n", told.stderr
    (read,), (made,) = told.last["inputs"], told.last["outputs"]
    assert (read["namespace"], read["name"]) == (f"sqlite://{programs.folder}/shop.db", "orders")
    assert (made["namespace"], made["name"]) == (read["namespace"], "orders")
    assert rows(made) == 2
    assert [one["name"] for one in fields(made)] == ["id", "amount"]
    assert told.last["job"]["facets"]["sql"]["query"].startswith("SELECT id FROM orders WHERE amount > 3 AND '…'")


@pytest.mark.slow
def test_sql_over_sqlalchemy_is_told_once_and_without_what_pandas_asks_for_itself(programs: Programs) -> None:
    text = """
        import pandas as pd, sqlalchemy as sa
        url = "sqlite:///shop.db"
        pd.DataFrame({"id": [1, 2], "amount": [3.5, 4.5]}).to_sql("orders", url, index=False)
        engine = sa.create_engine(url)
        with engine.connect() as connection:
            connection.begin()
            pd.DataFrame({"id": [3]}).to_sql("orders", connection, index=False, if_exists="append", method="multi")
            pd.DataFrame({"id": [9]}).to_sql("never", connection, index=False)
            connection.rollback()
        with engine.begin() as connection:
            pd.DataFrame({"id": [3]}).to_sql("orders", connection, index=False, if_exists="append", method="multi")
        print(len(pd.read_sql_table("orders", engine)), len(pd.read_sql("SELECT o.id FROM orders o", engine)))
    """
    told = programs.run(text)
    assert told.stdout == "3 3\n", told.stderr
    (read,), (made,) = told.last["inputs"], told.last["outputs"]
    assert (read["namespace"], read["name"]) == (f"sqlite://{programs.folder}/shop.db", "orders")
    assert fields(made) == [{"name": "id", "type": "BIGINT"}, {"name": "amount", "type": "FLOAT"}]
    assert rows(made) == 3
    query = told.last["job"]["facets"]["sql"]["query"]
    assert "PRAGMA" not in query
    assert "sqlite_master" not in query


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("/data/a.csv", [("file", "/data/a.csv")]),
        ("a.csv", [("file", str(Path.cwd() / "a.csv"))]),
        (Path("/data/x/../a.csv"), [("file", "/data/a.csv")]),
        ("~/a.csv", [("file", str(Path("~/a.csv").expanduser()))]),
        ("file:///data/a.csv", [("file", "/data/a.csv")]),
        ("s3://bucket/a.parquet", [("s3://bucket", "a.parquet")]),
        ("simplecache::s3://bucket/a.parquet", [("s3://bucket", "a.parquet")]),
        ("gs://bucket/a", [("gs://bucket", "a")]),
        ("https://user:hush@host/a.csv?token=hush", [("https://host", "a.csv")]),
        (["/a", "/b", "/a"], [("file", "/a"), ("file", "/b")]),
        ('{"a": [1]}', []),
        ("<table></table>", []),
        ("a,b\n1,2", []),
        ("", []),
        (b"bytes", []),
        (io.StringIO("a"), []),
        (None, []),
        (7, []),
    ],
)
def test_places_have_names_or_none(place: Any, expected: Any) -> None:
    assert names_of(place) == expected


def test_open_files_have_the_names_of_their_paths(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a")
    with path.open() as text, path.open("rb") as binary:
        assert names_of(text) == names_of(binary) == [("file", str(path))]
    with tempfile.NamedTemporaryFile() as file:
        assert names_of(file) == [("file", file.name)]
    with tempfile.TemporaryFile() as nameless:
        assert names_of(nameless) == []
