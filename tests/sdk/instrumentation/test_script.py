"""A script under `lineage-hub instrument` runs as under `python`, and its run tells how it went."""

import json
import socket
import sys
from typing import Any

import pytest

from tests.sdk.instrumentation.programs import Ended, Programs

pytestmark = pytest.mark.slow

LOOKS = """
    import os, sys
    shown = [sys.argv, sys.path[0], __name__, __file__, __spec__ and __spec__.name, __package__, sys.stdin.read()]
    import __main__
    shown += [__main__.__name__, hasattr(__main__, "shown"), sorted(set(vars()) - {"shown"}), sys.excepthook.__module__]
    print(shown)
"""


def kinds(ended: Ended) -> list[tuple[str, str]]:
    return [(one["job"]["name"], one["eventType"]) for one in ended.events]


def test_a_script_sees_what_python_lets_it_see(programs: Programs) -> None:
    programs.write("jobs/look.py", LOOKS)
    words = ("jobs/look.py", "--job", "x", "-m", "--", "--help")
    plain = programs.python(*words, given="from stdin")
    told = programs.command("--job", "looking", *words, given="from stdin")
    assert (told.code, told.stdout) == (plain.code, plain.stdout) == (0, plain.stdout)
    assert "from stdin" in told.stdout
    assert kinds(told) == [("looking", "START"), ("looking", "COMPLETE")]


@pytest.mark.parametrize("name", ["package", "package.look", "package.inner"])
def test_a_module_sees_what_python_lets_it_see(programs: Programs, name: str) -> None:
    for path in ("package/__main__.py", "package/look.py", "package/inner/__main__.py"):
        programs.write(path, LOOKS)
    programs.write("package/__init__.py", "")
    programs.write("package/inner/__init__.py", "")
    plain = programs.python("-m", name, "--job", "x", "y")
    told = programs.command("--namespace", "team", "-m", name, "--job", "x", "y")
    assert (told.code, told.stdout) == (plain.code, plain.stdout) == (0, plain.stdout)
    assert kinds(told) == [(name, "START"), (name, "COMPLETE")]
    assert told.last["job"]["namespace"] == "team"


def test_a_folder_with_a_main_is_a_script(programs: Programs) -> None:
    programs.write("app/__main__.py", "import near; print(near.VALUE)")
    programs.write("app/near.py", "VALUE = 7")
    told = programs.command("app")
    assert (told.code, told.stdout) == (0, "7\n")
    assert kinds(told)[-1] == ("app", "COMPLETE")


def test_an_error_is_printed_as_python_prints_it_and_fails_the_run(programs: Programs) -> None:
    text = """
        import pandas
        def fails():
            try:
                pandas.read_csv("missing.csv")
            except OSError as error:
                raise ValueError("no orders") from error
        fails()
    """
    told = programs.run(text)
    plain = programs.python("job.py")
    assert (told.code, told.stdout, told.stderr) == (plain.code, plain.stdout, plain.stderr)
    assert told.code == 1
    assert kinds(told) == [("job", "START"), ("job", "FAIL")]
    failure = told.last["run"]["facets"]["errorMessage"]
    assert failure["message"] == "no orders"
    assert "in fails" in failure["stackTrace"]
    assert "lineage_hub" not in failure["stackTrace"]
    assert told.last["inputs"] == []


@pytest.mark.parametrize(
    "text",
    ["def broken(:\n", "import no_such_module", "raise KeyboardInterrupt", "import os; os.kill(os.getpid(), 2)", "1/0"],
)
def test_whatever_ends_it_ends_it_in_the_same_way(programs: Programs, text: str) -> None:
    told = programs.run(text)
    plain = programs.python("job.py")
    assert (told.code, told.stdout, told.stderr) == (plain.code, plain.stdout, plain.stderr)
    assert told.code != 0
    assert kinds(told)[-1] == ("job", "ABORT" if told.code == -2 else "FAIL")


@pytest.mark.parametrize(
    ("end", "code", "kind"),
    [
        ("sys.exit(3)", 3, "FAIL"),
        ("sys.exit('no orders')", 1, "FAIL"),
        ("sys.exit(0)", 0, "COMPLETE"),
        ("sys.exit()", 0, "COMPLETE"),
    ],
)
def test_an_exit_code_is_the_scripts_own(programs: Programs, end: str, code: int, kind: str) -> None:
    told = programs.run(f"import sys\nprint('said')\n{end}")
    assert (told.code, told.stdout) == (code, "said\n")
    assert told.stderr == ("no orders\n" if "orders" in end else "")
    assert kinds(told) == [("job", "START"), ("job", kind)]


def test_hooks_of_the_script_get_its_errors(programs: Programs) -> None:
    text = """
        import sys, atexit, traceback
        sys.excepthook = lambda kind, error, trace: print("hook", [f.name for f in traceback.extract_tb(trace)])
        atexit.register(lambda: print("bye", [f.name for f in traceback.extract_tb(sys.last_value.__traceback__)]))
        1/0
    """
    told = programs.run(text)
    assert (told.code, told.stdout) == (1, "hook ['<module>']\nbye ['<module>']\n")


def test_what_is_read_after_the_end_of_the_script_belongs_to_it(programs: Programs) -> None:
    text = """
        import atexit, threading, time, pandas
        def write(name):
            time.sleep(0.2)
            pandas.DataFrame({"a": [1]}).to_csv(name)
        threading.Thread(target=write, args=("thread.csv",)).start()
        atexit.register(write, "exit.csv")
    """
    told = programs.run(text)
    assert set(told.datasets("outputs")) == {str(programs.folder / name) for name in ("thread.csv", "exit.csv")}
    assert kinds(told) == [("job", "START"), ("job", "COMPLETE")]


def test_a_hub_that_is_down_changes_nothing(programs: Programs) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        programs.environment["LINEAGE_HUB_URL"] = f"http://127.0.0.1:{listener.getsockname()[1]}"
        text = """
            import pandas, sys
            pandas.DataFrame({"a": [1]}).to_csv("a.csv", index=False)
            print(len(pandas.read_csv("a.csv")))
            sys.exit(5)
        """
        told = programs.run(text)
    assert (told.code, told.stdout) == (5, "1\n")
    assert "Traceback" not in told.stderr
    assert list((programs.folder / "spool").rglob("*.events"))


@pytest.mark.parametrize("wrong", [{"LINEAGE_HUB_TIMEOUT": "soon"}, {"LINEAGE_HUB_SDK_CONFIG": "nowhere.yml"}])
def test_a_wrong_configuration_changes_nothing(programs: Programs, wrong: dict[str, str]) -> None:
    programs.environment |= wrong
    told = programs.run("print('ran')")
    assert (told.code, told.stdout) == (0, "ran\n")
    assert "configuration is wrong" in told.stderr
    assert kinds(told) == [("job", "START"), ("job", "COMPLETE")]


def test_a_dry_run_prints_events_apart_from_what_the_script_prints(programs: Programs) -> None:
    told = programs.run("print('ran')", flags=("--dry-run",))
    assert (told.stdout, told.events) == ("ran\n", [])
    assert [json.loads(line)["eventType"] for line in told.stderr.splitlines()] == ["START", "COMPLETE"]


def test_a_wrong_path_is_a_clear_error(programs: Programs) -> None:
    told = programs.command("missing.py")
    assert told.code == 2
    assert "missing.py" in told.stderr
    assert "-m MODULE" in told.stderr
    assert programs.command().code == 2
    assert told.events == []


def test_a_module_that_is_missing_is_told_as_python_tells_it(programs: Programs) -> None:
    told = programs.command("-m", "no.such.module")
    assert told.code == 1
    assert f"{sys.executable}: No module named no.such.module" in told.stderr


def test_forked_processes_add_to_the_same_run(programs: Programs) -> None:
    text = """
        import multiprocessing, pandas
        def write(number):
            pandas.DataFrame({"a": [number]}).to_csv(f"{number}.csv")
        if __name__ == "__main__":
            context = multiprocessing.get_context("fork")
            children = [context.Process(target=write, args=(number,)) for number in range(3)]
            for child in children: child.start()
            for child in children: child.join()
            print([child.exitcode for child in children])
            pandas.DataFrame({"a": [1]}).to_csv("own.csv")
    """
    told = programs.run(text)
    assert told.stdout == "[0, 0, 0]\n"
    # A child may end before what it tells is sent, or is known to be sent: the next program sends it, maybe again.
    wanted = {str(programs.folder / f"{name}.csv") for name in ("0", "1", "2", "own")}
    for _ in range(10):
        if set(told.datasets("outputs")) != wanted:
            told.events += programs.run("pass").events
    first = [one for one in told.events if one["run"]["runId"] == told.events[0]["run"]["runId"]]
    first = list({(one["eventTime"], one["eventType"]): one for one in first}.values())
    assert {dataset["name"] for event in first for dataset in event["outputs"]} == wanted
    assert sorted(one["eventType"] for one in first) == ["COMPLETE", "RUNNING", "RUNNING", "RUNNING", "START"]


def test_spawned_processes_run_as_before(programs: Programs) -> None:
    text = """
        import multiprocessing
        def double(number): return 2 * number
        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(pool.map(double, [1, 2]))
    """
    told = programs.run(text)
    assert (told.code, told.stdout) == (0, "[2, 4]\n")


def test_a_program_switches_it_on_by_itself(programs: Programs) -> None:
    text = """
        import pandas
        from lineage_hub.sdk import instrument
        instrument()
        instrument()
        pandas.DataFrame({"a": [1]}).to_csv("a.csv")
        raise ValueError("late")
    """
    programs.write("own.py", text)
    told = programs.python("own.py")
    assert told.code == 1
    assert kinds(told) == [("own", "START"), ("own", "FAIL")]
    assert list(told.datasets("outputs")) == [str(programs.folder / "a.csv")]


def test_a_child_that_is_first_to_read_has_a_run_of_its_own(programs: Programs) -> None:
    text = """
        import multiprocessing, pandas
        from lineage_hub.sdk import instrument
        instrument()
        def write(): pandas.DataFrame({"a": [1]}).to_csv("a.csv")
        child = multiprocessing.get_context("fork").Process(target=write)
        child.start()
        child.join()
        print(child.exitcode)
    """
    programs.write("own.py", text)
    told = programs.python("own.py")
    assert told.stdout == "0\n"
    for _ in range(10):
        if "COMPLETE" not in {one["eventType"] for one in told.events}:
            told.events += [one for one in programs.run("pass").events if one["job"]["name"] == "own"]
    own = [one for one in told.events if one["job"]["name"] == "own"]
    assert {one["eventType"] for one in own} == {"START", "RUNNING", "COMPLETE"}
    assert len({one["run"]["runId"] for one in own}) == 1
    assert list(told.datasets("outputs", "own")) == [str(programs.folder / "a.csv")]


@pytest.mark.parametrize("on", [True, False])
def test_a_setting_switches_it_on_with_the_first_use(programs: Programs, on: bool) -> None:
    programs.environment["LINEAGE_HUB_AUTO_INSTRUMENT"] = str(on).lower()
    text = """
        import pandas
        from lineage_hub.sdk import lineage_track
        @lineage_track
        def load(): pandas.DataFrame({"a": [1]}).to_csv("a.csv")
        load()
    """
    programs.write("own.py", text)
    told = programs.python("own.py")
    found: dict[str, Any] = told.datasets("outputs", "load")
    assert list(found) == ([str(programs.folder / "a.csv")] if on else [])
    assert {one["job"]["name"] for one in told.events} == {"load"}
