"""Branches on what can't be known: every possibility is told, what belongs together stays together."""

from __future__ import annotations

import pytest

from tests.connectors.databricks.program.reading_programs import read, sources, topics

READ = 'spark.readStream.format("kafka").option("subscribe", {t}).option("kafka.bootstrap.servers", {s}).load()'


def pairs(source: str, **given: object) -> list[tuple[str, str | None, float]]:
    return [(",".join(one.topics), one.bootstrap, one.confidence) for one in sources(source, **given)]


def test_values_of_one_branch_stay_together() -> None:
    program = f"""
    from elsewhere import flag
    if flag:
        t, s = "a", "x"
    else:
        t, s = "b", "y"
    {READ.format(t="t", s="s")}
    """
    assert sorted(pairs(program)) == [("a", "x", 0.5), ("b", "y", 0.5)]


def test_a_question_that_is_asked_twice_has_one_answer() -> None:
    program = f"""
    env = dbutils.widgets.get("env")
    t = "a" if env == "prod" else "b"
    s = "x" if dbutils.widgets.get("env") == "prod" else "y"
    {READ.format(t="t", s="s")}
    """
    assert sorted(pairs(program)) == [("a", "x", 0.5), ("b", "y", 0.5)]


@pytest.mark.parametrize(
    ("setup", "asked"),
    [
        ("from elsewhere import env", "env"),
        ("import elsewhere", "elsewhere.env"),
        ("import os", 'os.environ["ENV"]'),
        ("import os", 'os.getenv("ENV")'),
        ("import os", 'os.environ.get("ENV", "dev")'),
        ("import sys", "sys.argv[1]"),
        ("", 'dbutils.secrets.get("s", "env")'),
        ("", "undefined"),
    ],
)
def test_whatever_is_unknown_the_same_question_has_one_answer(setup: str, asked: str) -> None:
    program = f"""
{setup}
t = "a" if {asked} == "prod" else "b"
s = "x" if {asked} == "prod" else "y"
{READ.format(t="t", s="s")}
"""
    assert sorted(pairs(program)) == [("a", "x", 0.5), ("b", "y", 0.5)]


def test_a_question_and_its_opposite_go_together() -> None:
    program = f"""
    env = spark.conf.get("env")
    t = "a" if env != "prod" else "b"
    if not (env == "prod"):
        s = "x"
    else:
        s = "y"
    {READ.format(t="t", s="s")}
    """
    assert sorted(pairs(program)) == [("a", "x", 0.5), ("b", "y", 0.5)]


def test_what_both_branches_set_alike_is_sure() -> None:
    program = f"""
    from elsewhere import flag
    if flag:
        t, u = "a", 1
    else:
        t, u = "a", 2
    {READ.format(t="t", s='"x"')}
    """
    assert pairs(program) == [("a", "x", 1.0)]


def test_a_helper_that_is_called_alike_on_both_ways_is_sure() -> None:
    program = """
    from elsewhere import flag
    def load(t):
        return spark.read.table(t)
    if flag:
        load("a")
    else:
        load("a")
    """
    assert [one.confidence for one in sources(program)] == [1.0]


def test_a_value_that_is_known_on_one_way_only_is_told_for_that_way() -> None:
    program = """
    from elsewhere import flag, other
    t = "a" if flag else other
    spark.readStream.format("kafka").option("subscribe", t).load()
    """
    assert sorted((one.topics, one.unresolved, one.confidence) for one in sources(program)) == [
        ([], ["subscribe"], 0.5),
        (["a"], [], 0.5),
    ]


def test_more_than_eight_possibilities_are_none() -> None:
    lines = ["from elsewhere import x", "t = '0'"]
    for number in range(1, 9):
        lines += [f"if x == {number}:", f"    t = '{number}'"]
    nine = "\n".join([*lines, READ.format(t="t", s='"x"')])
    assert topics(nine) == [["unresolved"]]
    eight = "\n".join([*lines[:-2], READ.format(t="t", s='"x"')])
    assert len(topics(eight)) == 8


def test_an_option_that_may_be_missing_does_not_hide_the_others() -> None:
    program = """
    from elsewhere import secure
    o = {"subscribe": "a"}
    if secure:
        o["kafka.security.protocol"] = "SASL_SSL"
    spark.readStream.format("kafka").options(**o).load()
    """
    (found,) = sources(program)
    assert (found.topics, found.confidence) == (["a"], 1.0)


def test_a_topic_that_only_one_branch_adds_is_a_possibility() -> None:
    program = """
    from elsewhere import more
    names = ["a"]
    if more:
        names.append("b")
    spark.readStream.format("kafka").option("subscribe", ",".join(names)).load()
    """
    assert sorted(topics(program)) == [["a"], ["a", "b"]]


def test_members_that_a_filter_may_leave_out_make_as_many_possibilities() -> None:
    program = """
    from elsewhere import ok
    names = [n for n in ("a", "b") if n == "a" or ok(n)]
    spark.readStream.format("kafka").option("subscribe", ",".join(names)).load()
    """
    assert sorted(topics(program)) == [["a"], ["a", "b"]]


def test_a_key_that_nobody_knows_gives_one_of_the_members_the_same_each_time() -> None:
    program = f"""
    env = spark.conf.get("env")
    topics = {{"dev": "a", "prod": "b"}}
    servers = {{"dev": "x", "prod": "y"}}
    {READ.format(t="topics[env]", s="servers.get(env, 'z')")}
    """
    assert sorted(pairs(program)) == [("a", "x", 0.5), ("b", "y", 0.5)]


def test_a_key_that_nobody_knows_of_more_than_eight_members_is_unresolved() -> None:
    program = """
    from elsewhere import key
    names = {str(n): f"t{n}" for n in range(9)}
    spark.readStream.format("kafka").option("subscribe", names[key]).load()
    """
    assert topics(program) == [["unresolved"]]


def test_names_that_are_given_stay_known_beside_unknown_ones() -> None:
    program = """
    from elsewhere import more
    def load(**options):
        return spark.readStream.format("kafka").options(**options).load()
    load(subscribe="a", **more)
    """
    assert topics(program) == [["a"]]


def test_a_reader_changes_in_place_within_its_branch() -> None:
    program = """
    from elsewhere import flag
    r = spark.readStream.format("kafka")
    if flag:
        r.option("subscribe", "a")
    else:
        r.option("subscribe", "b")
    r.load()
    """
    assert sorted(topics(program)) == [["a"], ["b"]]


def test_a_return_on_one_way_leaves_the_rest_to_the_other() -> None:
    program = """
    from elsewhere import flag
    def topic():
        if flag:
            return "a"
        return "b"
    spark.readStream.format("kafka").option("subscribe", topic()).load()
    """
    assert sorted(topics(program)) == [["a"], ["b"]]


def test_a_raise_at_the_end_of_several_ways_is_none_of_them() -> None:
    program = """
    env = spark.conf.get("env")
    def topic(e):
        if e == "prod":
            return "a"
        elif e == "test":
            return "b"
        raise ValueError(e)
    spark.readStream.format("kafka").option("subscribe", topic(env)).load()
    """
    assert sorted(topics(program)) == [["a"], ["b"]]


def test_a_check_that_raises_takes_nothing_from_what_follows() -> None:
    program = """
    env = spark.conf.get("env")
    if env not in ("prod", "test"):
        raise ValueError(env)
    spark.read.table("a").write.saveAsTable("b")
    """
    assert [(one.path, one.confidence) for one in sources(program)] == [("a", 1.0)]


def test_what_follows_an_exit_is_not_run() -> None:
    program = """
    spark.read.table("a").write.saveAsTable("b")
    dbutils.notebook.exit("done")
    spark.read.table("c").write.saveAsTable("d")
    """
    assert [one.path for one in sources(program)] == ["a"]


def test_a_handler_is_a_possibility_where_the_body_may_fail() -> None:
    program = """
    try:
        t = dbutils.widgets.get("topic")
    except Exception:
        t = "fallback"
    spark.readStream.format("kafka").option("subscribe", t).load()
    """
    assert sorted(topics(program)) == [["fallback"], ["unresolved"]]
    assert topics(program, configuration={"topic": "given"}) == [["given"]]


def test_what_stands_before_the_failing_statement_holds_in_the_handler_too() -> None:
    program = """
    from elsewhere import risky
    try:
        t = "a"
        u = risky()
    except Exception:
        u = None
    spark.readStream.format("kafka").option("subscribe", t).load()
    """
    assert [(one.topics, one.confidence) for one in sources(program)] == [(["a"], 1.0)]


def test_a_loop_over_something_unknown_runs_perhaps_once() -> None:
    program = """
    from elsewhere import names
    for n in names:
        spark.read.table("fixed").write.saveAsTable("copy")
        spark.read.table(n).write.saveAsTable(f"copy_{n}")
    """
    found = [(one.path, one.target_table, one.unresolved, one.confidence) for one in sources(program)]
    assert found == [("fixed", "copy", [], 0.5), (None, None, ["table"], 0.5)]


def test_a_break_that_may_come_makes_the_turns_after_it_possible_only() -> None:
    program = """
    from elsewhere import stop
    for t in ["a", "b"]:
        spark.read.table(t).write.saveAsTable(t + "_copy")
        if stop(t):
            break
    """
    assert [(one.path, one.confidence) for one in sources(program)] == [("a", 1.0), ("b", 0.5)]


def test_a_continue_that_may_come_counts_for_its_turn_only() -> None:
    program = """
    from elsewhere import skip
    for t in ["a", "b"]:
        spark.read.table(t)
        if skip(t):
            continue
        spark.read.table(t + "2")
    spark.read.table("after")
    """
    assert {one.path: one.confidence for one in sources(program)} == {
        "a": 1.0, "a2": 0.5, "b": 1.0, "b2": 0.5, "after": 1.0,
    }  # fmt: skip


@pytest.mark.parametrize("arm", ["then", "other"])
def test_a_known_condition_takes_one_branch(arm: str) -> None:
    program = """
    if spark.conf.get("arm") == "then":
        spark.read.table("then")
    else:
        spark.read.table("other")
    """
    assert [(one.path, one.confidence) for one in sources(program, configuration={"arm": arm})] == [(arm, 1.0)]


def test_match_on_something_unknown_tells_every_case() -> None:
    program = """
    match spark.conf.get("env"):
        case "prod":
            t = "p"
        case "dev" | "test":
            t = "d"
        case other:
            t = f"x.{other}"
    spark.readStream.format("kafka").option("subscribe", t).load()
    """
    assert sorted(topics(program)) == [["d"], ["p"], ["unresolved"]]


def test_a_function_that_nobody_calls_is_told_once_with_unknown_parameters() -> None:
    program = """
    def load(spark, topic, servers="x"):
        return spark.readStream.format("kafka").option("subscribe", topic).option("kafka.bootstrap.servers", "b").load()
    """
    (found,) = sources(program)
    assert (found.unresolved, found.bootstrap, found.confidence) == (["subscribe"], "b", 0.5)


def test_a_function_that_is_called_is_not_told_again() -> None:
    program = """
    def load(t):
        return spark.read.table(t)
    load("a")
    load("b")
    load("a")
    """
    assert [one.path for one in sources(program)] == ["a", "b"]


def test_methods_of_a_class_that_nobody_uses_are_told_with_what_the_class_knows() -> None:
    program = """
    class Job:
        TOPIC = "a"
        def __init__(self, session, table):
            self.session, self.table = session, table
        def run(self):
            df = self.session.readStream.format("kafka").option("subscribe", self.TOPIC).load()
            df.writeStream.toTable(self.table)
    """
    (found,) = sources(program)
    assert (found.topics, found.target_table, found.confidence) == (["a"], None, 0.5)


def test_what_can_not_be_known_about_recursion_ends() -> None:
    program = """
    from elsewhere import more
    def walk(n):
        if more(n):
            return walk(n + 1) + walk(n + 2)
        return spark.read.table("leaf")
    walk(0)
    """
    assert {one.path for one in sources(program)} == {"leaf"}


def test_nothing_of_a_rehearsed_turn_is_told_twice() -> None:
    program = """
    import dlt
    from elsewhere import names
    for n in names:
        @dlt.table(name="fixed")
        def f():
            return spark.read.table("src")
    """
    reading = read(program)
    assert [(one.path, one.target_table, one.confidence) for one in reading.sources] == [("src", "fixed", 0.5)]
    assert [one.name for one in reading.tables] == ["fixed"]
