# ruff: noqa: E501 - one case is one line
"""Text that is built in any way Python has is known, and text that depends on the outside is not."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.connectors.databricks.program.reading_programs import sources, topics

READ = '\nspark.readStream.format("kafka").option("subscribe", {}).load()\n'

KNOWN = [
    ("", '"a" + "b"', "ab"),
    ("", '"a" "b"', "ab"),
    ("", '"-".join(["a", "b"])', "a-b"),
    ("", '"-".join(x for x in ("a", "b"))', "a-b"),
    ("", '"%s.%s" % ("a", "b")', "a.b"),
    ("", '"%(x)s" % {"x": "a"}', "a"),
    ("", '"%03d" % 7', "007"),
    ("", '"select * from %s" % "a"', "select * from a"),
    ("", '"t_20240101_%s" % "a"', "t_20240101_a"),
    ("", '"100%% 20240101 %s" % "a"', "100% 20240101 a"),
    ("", '"{}-{}".format("a", 1)', "a-1"),
    ("", '"{1}-{0}".format("a", "b")', "b-a"),
    ("", '"{x[k]}".format(x={"k": "a"})', "a"),
    ("", '"{x:>4}".format(x="a").strip()', "a"),
    ("e = 'prod'", 'f"{e}.t"', "prod.t"),
    ("e = 3", 'f"t{e:02d}"', "t03"),
    ("e = 'x'", 'f"{e!r}"[1:-1]', "x"),
    ("e = 'orders'", 'f"{e!r:.4}"[1:]', "ord"),
    ("e = 'é'", 'f"{e!a}"', "'\\xe9'"),
    ("e = 'é'", '"{!a}".format(e)', "'\\xe9'"),
    ("w = 5\ne = 'x'", 'f"{e:->{w}}"', "----x"),
    ("from string import Template", 'Template("$e.t").substitute(e="p")', "p.t"),
    ("from string import Template", 'Template("${e}_$$").safe_substitute({"e": "p"})', "p_$"),
    ("", '"A.B".lower()', "a.b"),
    ("", '" a ".strip()', "a"),
    ("", '"a_b".replace("_", ".")', "a.b"),
    ("", '"a.b.c".split(".")[-1]', "c"),
    ("", '"a.b.c".rsplit(".", 1)[0]', "a.b"),
    ("", '"a.b".partition(".")[2]', "b"),
    ("", '"topic"[1:4]', "opi"),
    ("", '"abc"[::-1]', "cba"),
    ("", '"ab" * 2', "abab"),
    ("", 'str(12) + "x"', "12x"),
    ("", '"x".title() if True else "y"', "X"),
    ("", '"prefix_a".removeprefix("prefix_")', "a"),
    ("", '"{}".format(True)', "True"),
    ("import os", 'os.path.join("a", "b")', "a/b"),
    ("import os.path as p", 'p.basename("/x/y.z")', "y.z"),
    ("from pathlib import Path", 'str(Path("/a") / "b" / "c")', "/a/b/c"),
    ("from pathlib import Path", 'Path("/a/b.json").stem', "b"),
    ("import json", 'json.loads(\'{"t": ["a", "b"]}\')["t"][1]', "b"),
    ("import json", 'json.dumps({"a": [1, None, True]})', '{"a": [1, null, true]}'),
    ("d = {'a': {'b': 'c'}}", 'd["a"]["b"]', "c"),
    ("d = dict(a='x', **{'b': 'y'})", 'd["a"] + d["b"]', "xy"),
    ("d = {'a': 1}\nd.update(a='z')", 'd["a"]', "z"),
    ("d = {}\nd.setdefault('a', 'x')\nd.setdefault('a', 'y')", 'd["a"]', "x"),
    ("d = {'a': 'x'}", 'd.get("b", "none")', "none"),
    ("d = {'a': 'x'} | {'a': 'y'}", 'd["a"]', "y"),
    ("d = {k: v for k, v in zip('ab', ('x', 'y'))}", 'd["b"]', "y"),
    ("d = dict.fromkeys(['a', 'b'], 'x')", '"".join(d.values())', "xx"),
    ("d = {'a': 'x', 'b': 'y'}\ndel d['a']", '",".join(d)', "b"),
    ("l = ['b', 'a']\nl.sort()", '",".join(l)', "a,b"),
    ("l = ['b', 'a']\nl += ['c']", '",".join(sorted(l, reverse=True))', "c,b,a"),
    ("l = ['a', 'b', 'c']\nl.pop()\nl.insert(0, 'z')", '",".join(l)', "z,a,b"),
    ("l = [1, 2, 3]", '",".join(map(str, filter(lambda n: n != 2, l)))', "1,3"),
    ("a, *b = 'x', 'y', 'z'", 'a + "".join(b)', "xyz"),
    ("(a, b), c = ('x', 'y'), 'z'", "a + b + c", "xyz"),
    ("a = b = 'x'", "a + b", "xx"),
    ("if (n := 'w') == 'w':\n    t = n", "t", "w"),
    ("x = None", 'x or "default"', "default"),
    ("x = ''", '"full" if x else "empty"', "empty"),
    ("t = 'a'\nt += 'b'", "t", "ab"),
    ("for i in range(3):\n    t = f't{i}'", "t", "t2"),
    ("t = ''\nfor i, c in enumerate('ab', 1):\n    t += f'{c}{i}'", "t", "a1b2"),
    ("i = 0\nwhile i < 4:\n    i += 1\n    if i == 3:\n        break", 'f"t{i}"', "t3"),
    ("for i in []:\n    pass\nelse:\n    t = 'else'", "t", "else"),
    ("def f(a, b='y', *c, d='z', **e):\n    return a + b + d + ''.join(c) + ''.join(e)", "f('x', 'q', 'r', d='s', k=1)", "xqsrk"),
    ("def f(**k):\n    return k['a']\no = {'a': 'x'}", "f(**o)", "x"),
    ("def f(*a):\n    return a[-1]\no = ['p', 'q']", "f(*o)", "q"),
    ("f = lambda a, b='2': a + b", 'f("1")', "12"),
    ("def outer(x):\n    def inner(y):\n        return x + y\n    return inner", 'outer("a")("b")', "ab"),
    ("def f(n):\n    return '' if n == 0 else 'x' + f(n - 1)", "f(3)", "xxx"),
    ("def c():\n    n = 'a'\n    def g():\n        nonlocal n\n        n += 'b'\n        return n\n    g()\n    return g()", "c()", "abb"),
    ("x = 'a'\ndef f():\n    global x\n    x = 'b'\nf()", "x", "b"),
    ("def f(a, b=[]):\n    b.append(a)\n    return b\nf('x')", '"".join(f("y"))', "xy"),
    ("from functools import partial\ndef f(a, b):\n    return a + b", 'partial(f, "x")(b="y")', "xy"),
    ("from functools import reduce", 'reduce(lambda a, b: a + b, ["x", "y", "z"])', "xyz"),
    ("import itertools", '"".join(itertools.chain(["a"], ("b",)))', "ab"),
    ("from itertools import product", '",".join(a + b for a, b in product("ab", "1"))', "a1,b1"),
    ("from operator import itemgetter", '",".join(map(itemgetter("t"), [{"t": "x"}, {"t": "y"}]))', "x,y"),
    ("class C:\n    T = 'a'", "C.T", "a"),
    ("class C:\n    def __init__(self, t):\n        self.t = t\n    def get(self):\n        return self.t", 'C("x").get()', "x"),
    ("class C:\n    @property\n    def t(self):\n        return 'p'", "C().t", "p"),
    ("class C:\n    @staticmethod\n    def t():\n        return 's'", "C.t()", "s"),
    ("class C:\n    N = 'n'\n    @classmethod\n    def t(cls):\n        return cls.N\nclass D(C):\n    N = 'd'", "D.t()", "d"),
    ("class A:\n    def t(self):\n        return 'a'\nclass B(A):\n    def t(self):\n        return super().t() + 'b'", "B().t()", "ab"),
    ("class A:\n    def __init__(self, x):\n        self.x = x\nclass B(A):\n    def __init__(self):\n        super().__init__('y')", "B().x", "y"),
    ("class A:\n    def __call__(self, x):\n        return x + '!'", 'A()("z")', "z!"),
    ("class A:\n    def __str__(self):\n        return 'me'", 'f"{A()}"', "me"),
    ("class A:\n    def __getitem__(self, k):\n        return k.upper()", 'A()["q"]', "Q"),
    ("from dataclasses import dataclass\n@dataclass\nclass C:\n    t: str\n    s: str = 'd'", 'C("a").t + C("a").s', "ad"),
    ("from dataclasses import dataclass, asdict\n@dataclass\nclass C:\n    t: str", 'asdict(C("a"))["t"]', "a"),
    ("from enum import Enum\nclass E(Enum):\n    A = 'a.t'\n    B = 'b.t'", '",".join(e.value for e in E)', "a.t,b.t"),
    ("from enum import Enum\nclass E(Enum):\n    A = 'a.t'", 'E["A"].value + E("a.t").name', "a.tA"),
    ("from typing import NamedTuple\nclass N(NamedTuple):\n    t: str\n    u: str = 'z'", 'N("a").t + N("a")[1]', "az"),
    ("from collections import namedtuple\nN = namedtuple('N', 't u')", 'N(t="a", u="b").u', "b"),
    ("def g():\n    yield 'a'\n    yield from ['b', 'c']", '",".join(g())', "a,b,c"),
    ("def deco(f):\n    def w(*a):\n        return f(*a) + '!'\n    return w\n@deco\ndef t(x):\n    return x", 't("a")', "a!"),
    ("try:\n    t = {'a': 1}['b']\nexcept KeyError:\n    t = 'missing'", "t", "missing"),
    ("try:\n    t = 'fine'\nexcept Exception:\n    t = 'never'\nfinally:\n    u = '!'", "t + u", "fine!"),
    ("try:\n    raise ValueError('x')\nexcept (KeyError, ValueError):\n    t = 'caught'", "t", "caught"),
    ("match ('k', 2):\n    case ('k', n):\n        t = f'k{n}'\n    case _:\n        t = 'other'", "t", "k2"),
    ("match {'kind': 'a', 'x': 1}:\n    case {'kind': 'b'}:\n        t = 'b'\n    case {'kind': k}:\n        t = k", "t", "a"),
    ("x = [c for c in 'abc' if c != 'b']", '"".join(x)', "ac"),
    ("x = {c.upper() for c in 'aab'}", '"".join(sorted(x))', "AB"),
    ("import copy\na = {'l': ['x']}\nb = copy.deepcopy(a)\na['l'].append('y')", '"".join(b["l"])', "x"),
    ("a = ['x']\nb = a\nb.append('y')", '"".join(a)', "xy"),
    ("a = ['x']\nb = a[:]\nb.append('y')", '"".join(a)', "x"),
    ("t = 'a' if isinstance('x', str) and not isinstance(1, str) else 'b'", "t", "a"),
    ("import contextlib\n@contextlib.contextmanager\ndef c():\n    yield 'in'\nwith c() as v:\n    t = v", "t", "in"),
    ("", '"a" if 1 < 2 < 3 else "b"', "a"),
    ("", '"yes" if "b" in ("a", "b") else "no"', "yes"),
    ("", 'str(max(3, 7)) + str(len("abc")) + str(sum([1, 2]))', "733"),
    ("", '"x" if all([1, "a"]) and any([0, 1]) else "y"', "x"),
    ("", 'str(2 ** 10) + str(7 // 2) + str(7 % 4)', "102433"),
    ("", 'bytes and b"ab".decode()', "ab"),
    ("async def f():\n    return 'a'\nasync def g():\n    return await f()", "next(iter([g()])) if False else 'z'", "z"),
]  # fmt: skip


@pytest.mark.parametrize(("setup", "expression", "value"), KNOWN, ids=[one[1] + "|" + one[0][:20] for one in KNOWN])
def test_a_value_that_python_would_make_is_known(setup: str, expression: str, value: str) -> None:
    names: dict[str, object] = {}
    exec(dedent(setup), names)  # Python itself is the judge of what is expected
    assert eval(expression, names) == value
    assert topics(setup + READ.format(expression)) == [[one.strip() for one in value.split(",")]]


UNKNOWN = [
    ("import os", 'os.environ["T"]'),
    ("import os", 'os.getenv("T", "default")'),
    ("import os", 'os.environ.get("T") or "default"'),
    ("import sys", "sys.argv[1]"),
    ("import argparse\na = argparse.ArgumentParser().parse_args()", "a.topic"),
    ("", 'dbutils.secrets.get("scope", "key")'),
    ("", 'dbutils.widgets.get("nowhere")'),
    ("", 'spark.conf.get("nowhere")'),
    ("", "undefined_name"),
    ("from elsewhere import TOPIC", "TOPIC"),
    ("from elsewhere import *", "TOPIC"),
    ("import elsewhere", 'f"prefix.{elsewhere.x}"'),
    ("import elsewhere", '"prefix." + elsewhere.x'),
    ("import elsewhere", '"%s.x" % elsewhere.x'),
    ("import elsewhere", '"{}".format(elsewhere.x)'),
    ("import elsewhere", '",".join(["a", elsewhere.x])'),
    ("import elsewhere", "[elsewhere.x][0]"),
    ("import elsewhere", '{"a": elsewhere.x}["a"]'),
    ("import datetime", 'f"t_{datetime.date.today()}"'),
    ("import uuid", "str(uuid.uuid4())"),
    ("import random", 'random.choice(["a", "b"])'),
    ("", 'input("topic? ")'),
    ("", 'open("/dbfs/topic.txt").read()'),
    ("import json", 'json.load(open("c.json"))["topic"]'),
    ("import requests", 'requests.get("u").json()["t"]'),
    ("", 'spark.table("config").first()["topic"]'),
    ("", '",".join(r.t for r in spark.table("config").collect())'),
    ("s = {'a', 'b'}", '",".join(s)'),
    ("l = ['a']\nimport elsewhere\nelsewhere.change(l)", '",".join(l)'),
    ("d = {'a': 'x'}\nimport elsewhere\nd[elsewhere.k] = 'y'", 'd["a"]'),
    ("d = {'a': 'x'}\nimport elsewhere\nd.update(elsewhere.d)", 'd["a"]'),
    ("class C:\n    def __init__(self):\n        self.t = 'x'\nc = C()\nimport elsewhere\nelsewhere.change(c)", "c.t"),
    ("import elsewhere\nt = 'a'\nfor x in elsewhere.xs:\n    t += 'b'", "t"),
    ("import elsewhere\nt = 0\nwhile elsewhere.more():\n    t += 1", 'f"t{t}"'),
    ("import elsewhere\nl = ['a']\nfor x in elsewhere.xs:\n    l.append(x)", '",".join(l)'),
    ("def f():\n    return f()", "f()"),
    ("x = 'a' * 10 ** 10", "x"),
    ("import elsewhere\nd = {'a': ['x']}\nelsewhere.change(d)", 'd["a"][0]'),
    ("import elsewhere\nl = ['a', 'b']\nl[elsewhere.i] = 'c'", "l[0]"),
    ("import elsewhere\nl = ['a', 'b']", "l[elsewhere.i]"),
]  # fmt: skip


@pytest.mark.parametrize(("setup", "expression"), UNKNOWN, ids=[one[1] + "|" + one[0][-25:] for one in UNKNOWN])
def test_a_value_that_depends_on_the_outside_is_unresolved(setup: str, expression: str) -> None:
    assert topics(setup + READ.format(expression))[-1:] == [["unresolved"]]


def test_a_value_that_is_given_to_a_logger_or_printed_stays_known() -> None:
    setup = """
    import logging
    from elsewhere import log
    o = {"subscribe": "a"}
    print(o)
    logging.getLogger(__name__).info("options %s", o)
    log.info(o)
    spark.readStream.format("kafka").options(**o).load()
    """
    assert topics(setup) == [["a"]]


def test_settings_of_sql_are_settings_of_the_program_and_the_last_one_counts() -> None:
    program = """
    spark.sql("SET t = a")
    first = spark.conf.get("t")
    spark.conf.set("t", "b")
    spark.sql("INSERT INTO one SELECT * FROM ${t}")
    spark.sql("SET t = c")
    second = spark.conf.get("t")
    spark.readStream.format("kafka").option("subscribe", f"{first},{second}").load()
    """
    told = sources(program)
    assert [(one.kind, one.topics, one.path) for one in told] == [("table", [], "b"), ("kafka", ["a", "c"], None)]


def test_a_setting_that_one_way_sets_is_not_known_after_it() -> None:
    program = """
    from elsewhere import flag
    if flag:
        spark.sql("SET t = a")
    else:
        spark.sql("SET t = b")
    spark.sql("INSERT INTO one SELECT * FROM ${t}")
    """
    assert [(one.path, one.unresolved) for one in sources(program)] == [(None, ["table"])]


def test_sql_without_the_blanks_around_it_is_read_as_far_as_it_is_known() -> None:
    program = '''
    import textwrap
    from elsewhere import name
    spark.sql(textwrap.dedent(f"""
        INSERT INTO one SELECT * FROM s.{name} JOIN s.b USING (a)
    """))
    spark.sql(f"""
        INSERT INTO two SELECT * FROM s.{name} JOIN s.b USING (a)
    """.strip())
    spark.sql(textwrap.dedent("""
        INSERT INTO three SELECT * FROM s.c
    """))
    '''
    told = [(one.path, one.target_table) for one in sources(program)]
    assert sorted(told, key=str) == [
        ("s.b", "one"), ("s.b", "two"), ("s.c", "three"), (None, "one"), (None, "two"),
    ]  # fmt: skip
