"""match statements, early ends of a program, functions that are handed to pools and threads, and namespaces."""

from __future__ import annotations

import pytest

from tests.connectors.databricks.program.reading_programs import sources, topics

READ = 'spark.readStream.format("kafka").option("subscribe", topic).load()'

MATCHED = [
    ('{"a": "first", "b": "second"}', 'case {"a": topic} | {"b": topic}: pass', "first"),
    ('{"b": "second"}', 'case {"a": topic} | {"b": topic}: pass', "second"),
    ('{"kind": "k", "t": "inner"}', 'case {"kind": "k", **rest}: topic = rest["t"]', "inner"),
    ('"text"', "case str() as topic: pass", "text"),
    ('"text"', "case int(topic): pass\n    case str(topic): pass", "text"),
    ("7", 'case bool(): topic = "bool"\n    case int(n) if n > 5: topic = f"big{n}"', "big7"),
    ('["l", 1]', "case [str(topic), *_]: pass", "l"),
    ('Feed("orders")', 'case Feed(topic=topic, kind="kafka"): pass', "orders"),
    ('Feed("f", "file")', 'case Feed(kind="kafka"): topic = "no"\n    case Feed(topic, "file"): pass', "f"),
]
FEED = """
from dataclasses import dataclass
@dataclass
class Feed:
    topic: str
    kind: str = "kafka"
"""


@pytest.mark.parametrize(("subject", "cases", "topic"), MATCHED)
def test_a_pattern_binds_what_it_matches(subject: str, cases: str, topic: str) -> None:
    program = f"{FEED}\nmatch {subject}:\n    {cases}\n    case _:\n        topic = 'none'\n{READ}"
    assert [(one.topics, one.confidence) for one in sources(program)] == [([topic], 1.0)]


def test_a_pattern_binds_each_of_two_subjects_on_its_own_way() -> None:
    program = f"""
    import os
    match "a" if os.environ["A"] == "1" else "b":
        case "z":
            topic = "no"
        case topic:
            pass
    {READ}
    """
    assert topics(program) == [["a"], ["b"]]


ENDS = ["sys.exit()", "sys.exit(0)", 'dbutils.notebook.exit("skipped")']


@pytest.mark.parametrize("end", ENDS)
def test_what_follows_a_good_end_on_another_way_may_not_run(end: str) -> None:
    program = f"""
    import os, sys
    topic = "a"
    if os.environ["A"] == "1":
        {end}
    {READ}
    """
    assert [one.confidence for one in sources(program)] == [0.5]


@pytest.mark.parametrize("end", ENDS)
def test_a_good_end_within_functions_and_loops_counts_after_them(end: str) -> None:
    program = f"""
    import os, sys
    def check(name):
        for one in ("x", "y"):
            if os.environ[name + one] == "1":
                {end}
    check("A")
    topic = "a"
    {READ}
    """
    assert [one.confidence for one in sources(program)] == [0.5]


def test_a_good_end_in_a_loop_of_unknown_turns_counts_after_it() -> None:
    program = f"""
    from elsewhere import names
    for one in names:
        if one == "x":
            dbutils.notebook.exit("stopped")
    topic = "a"
    {READ}
    """
    assert [one.confidence for one in sources(program)] == [0.5]


@pytest.mark.parametrize("failure", ["sys.exit(1)", 'sys.exit("usage: …")', 'raise ValueError("usage: …")'])
def test_a_failure_on_another_way_is_no_way_to_go(failure: str) -> None:
    program = f"""
    import sys
    topic = "a"
    if len(sys.argv) != 2:
        {failure}
    {READ}
    """
    assert [one.confidence for one in sources(program)] == [1.0]


@pytest.mark.parametrize(
    "pool",
    [
        "from multiprocessing.pool import ThreadPool as Pool",
        "from multiprocessing import Pool",
        "from multiprocessing.dummy import Pool",
        "import multiprocessing\nPool = multiprocessing.pool.ThreadPool",
    ],
)
@pytest.mark.parametrize(
    "use",
    [
        'pool.map(get, ["a", "b"])',
        'pool.map(get, ["a", "b"], 1)',
        'list(pool.imap_unordered(get, ["a", "b"]))',
        'pool.map_async(get, ["a", "b"]).get()',
        'pool.starmap(get, [("a",), ("b",)])',
        '[pool.apply_async(get, (one,)) for one in ("a", "b")]',
        '[pool.apply(get, kwds={"topic": one}) for one in ("a", "b")]',
    ],
)
def test_functions_that_are_handed_to_a_pool_run(pool: str, use: str) -> None:
    assert topics(f"{pool}\ndef get(topic):\n    {READ}\nwith Pool(4) as pool:\n    {use}") == [["a"], ["b"]]


@pytest.mark.parametrize("use", ["list(map(get, names))", "pool.map(get, names)", "pool.starmap(get, names)"])
def test_a_function_of_items_that_can_not_be_known_runs_perhaps(use: str) -> None:
    program = f"""
    from elsewhere import names
    from multiprocessing.pool import ThreadPool
    pool = ThreadPool(4)
    def get(topic):
        {READ}
    {use}
    """
    assert [(one.unresolved, one.confidence) for one in sources(program)] == [(["subscribe"], 0.5)]


def test_a_namespace_has_the_members_that_it_is_given() -> None:
    program = f"""
    from types import SimpleNamespace
    feed = SimpleNamespace(name="a", **dict(area="shop"))
    feed.area += ".eu"
    topic = feed.area + "." + feed.name
    {READ}
    """
    assert topics(program) == [["shop.eu.a"]]
