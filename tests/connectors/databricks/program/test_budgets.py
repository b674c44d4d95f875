# ruff: noqa: E501 - one case is one line
"""What would take forever or fill the memory is bounded: it becomes unknown, and what stands after it is still read."""

from __future__ import annotations

import resource
import time

import pytest

from tests.connectors.databricks.program.reading_programs import read

AFTER = '\nspark.readStream.format("kafka").option("subscribe", "after").load()\n'

PROGRAMS = {
    "a list": "x = [0] * 10**9",
    "a text": "x = 'a' * 10**10",
    "a number": "x = 10**10**10",
    "a shift": "x = 1 << 10**10",
    "a range": "x = list(range(10**12))\nfor i in range(10**12):\n    y = i",
    "an endless loop": "while True:\n    x = 1",
    "a long loop": "i = 0\nwhile i < 10**9:\n    i += 1",
    "loops in loops": "for a in range(500):\n for b in range(500):\n  for c in range(500):\n   d = 1",
    "a comprehension": "x = [a * b for a in range(5000) for b in range(5000)]",
    "recursion": "def f(n):\n    return f(n + 1)\nf(0)",
    "doubling recursion": "def f(n):\n    return f(n - 1) + f(n - 2)\nf(1)",
    "recursion on unknown": "def f(n):\n    if u:\n        return f(n - 1)\n    return f(n - 2)\nf(1)",
    "an endless generator": "def g():\n    while True:\n        yield 1\nx = list(g())",
    "a property of itself": "class A:\n    @property\n    def x(self):\n        return self.x\nA().x",
    "a class of itself": "class A(A):\n    pass\nA().x",
    "doubling lists": "x = [1]\n" + "x = x + x\n" * 60,
    "nested lists": "x = []\n" + "x = [x, x]\n" * 60 + "y = str(x)",
    "a list in itself": "x = []\nx.append(x)\ny = str(x)\nimport copy\ncopy.deepcopy(x)\nelsewhere(x)",
    "wide formats": "x = '%1000000000d' % 5\ny = f'{5:>1000000000}'\nz = '{:>1000000000}'.format(3)\nw = 'a'.ljust(10**10)",
    "replacements": "v = 'a' * 9999\nw = v.replace('a', v)",
    "a product": "import itertools\nx = list(itertools.product(range(100), range(100), range(100)))",
    "a slow expression": "import re\nx = re.match(r'(a+)+$', 'a' * 100 + 'b')\ny = re.sub('(x|x)*y', '', 'x' * 100)",
    "many decisions": "".join(f"if u{i}:\n    a = {i}\n" for i in range(2000)),
    "nested decisions": "".join(" " * i + f"if u{i}:\n" for i in range(90)) + " " * 90 + "x = 1",
    "nested loops over unknown": "".join(" " * i + f"for i{i} in u{i}:\n" for i in range(30)) + " " * 30 + "x = 1",
    "calls that double": "".join(f"def f{i}():\n    f{i + 1}()\n    f{i + 1}()\n" for i in range(38)) + "f0()",
    "brackets": "x = " + "(" * 10_000 + "1" + ")" * 10_000,
    "lists": "x = " + "[" * 10_000 + "]" * 10_000,
    "signs": "x = " + "-" * 100_000 + "1",
    "attributes": "x = a" + ".b" * 50_000,
    "calls": "x = a" + "()" * 20_000,
    "a sum": "x = " + "+".join(["1"] * 30_000),
    "a chain of or": "x = " + " or ".join(f"u{i}" for i in range(3_000)),
    "a null byte": "x = 1\0",
    "strange constants": "x = 1e999 * 0\ny = 5 % 0\nz = int('9' * 100_000)",
}  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=list(PROGRAMS))
def test_an_answer_comes_soon_and_what_follows_is_read(program: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    began = time.thread_time()
    reading = read(program + AFTER)
    assert time.thread_time() - began < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024 - before < 500
    assert ["after"] in [one.topics for one in reading.sources]
    assert not any("could not be read" in one.reason for one in reading.problems)


def test_of_a_program_that_is_too_large_the_beginning_is_read() -> None:
    reading = read('spark.table("a")\n' + ("x = '" + "a" * 90 + "'\n") * 10_000)
    assert [one.path for one in reading.sources] == ["a"]
    assert "the rest was left out" in reading.problems[-1].reason


LARGE = {
    "statements": "x = 1\n" * 900_000,
    "one string": "x = '" + "a" * 5_000_000 + "'\n",
    "remarks": "# a\n" * 1_300_000,
    "brackets": "(" * 5_000_000,
    "cells": "# Databricks notebook source\n" + "# COMMAND ----------\nx = 1\n" * 200_000,
    "a docstring": '"""' + "a b c\n" * 800_000 + '"""\n',
}


@pytest.mark.slow
@pytest.mark.parametrize("program", LARGE.values(), ids=list(LARGE))
def test_a_file_of_megabytes_takes_neither_time_nor_memory(program: str) -> None:
    read("x = 1")  # what is imported once counts for none of them
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    began = time.thread_time()
    reading = read(program)
    assert time.thread_time() - began < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024 - before < 500
    assert reading.problems


def test_a_loop_that_is_not_followed_is_a_problem() -> None:
    reading = read("i = 0\nwhile i < 10**9:\n    i += 1\nspark.table(f't{i}')")
    assert [one.unresolved for one in reading.sources] == [["table"]]
    assert [one.line for one in reading.problems] == [2]


def test_a_program_that_uses_up_its_steps_still_tells_its_pipeline() -> None:
    program = """
    import dlt
    @dlt.table
    def t():
        return spark.table("a")
    for i in range(600):
        for j in range(600):
            for k in range(600):
                x = i + j + k
    """
    reading = read(program)
    assert [(one.path, one.target_table) for one in reading.sources] == [("a", "t")]
    assert reading.problems
