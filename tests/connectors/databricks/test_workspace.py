"""Paths and globs lead to programs, and programs to what they take in, in a workspace as in a folder."""

import asyncio
import json

import pytest

from lineage_hub.connectors.databricks.cache import Cache
from lineage_hub.connectors.databricks.client import DatabricksClient
from lineage_hub.connectors.databricks.references import Reference, references_of
from lineage_hub.connectors.databricks.workspace import FolderTree, WorkspaceTree, expanded, plain_path, taken_in
from lineage_hub.errors import InvalidRequest, NotFound, Refusal
from lineage_hub.testing.databricks import FakeWorkspace


@pytest.fixture
def workspace():
    with FakeWorkspace() as made:
        yield made


def with_tree(workspace, ask, cache=None, roots=()):
    async def run():
        async with DatabricksClient(workspace.url, workspace.token, attempts=1) as client:
            return await ask(WorkspaceTree(client, cache or Cache(None), roots))

    return asyncio.run(run())


def paths(found):
    return [one.path for one in found]


@pytest.mark.parametrize(
    ("glob", "names"),
    [
        ("/Repos/me/shop/**", ["a", "deep/b.py", "deep/er/c.sql"]),
        ("/Repos/me/shop", ["a", "deep/b.py", "deep/er/c.sql"]),
        ("/Workspace/Repos/me/shop/**", ["a", "deep/b.py", "deep/er/c.sql"]),
        ("/Repos/me/shop/*", ["a"]),
        ("/Repos/me/shop/**/*.py", ["deep/b.py"]),
        ("/Repos/me/shop/*/*.py", ["deep/b.py"]),
        ("/Repos/me/shop/**/c.sql", ["deep/er/c.sql"]),
        ("/Repos/me/shop/d*/b.p[xy]", ["deep/b.py"]),
        ("/Repos/me/shop/deep/?.py", ["deep/b.py"]),
        ("/Repos/me/shop/**/a", ["a"]),
    ],
)
def test_a_glob_means_the_programs_that_it_means_on_databricks(workspace, glob, names):
    workspace.add_notebook("/Repos/me/shop/a", "")
    workspace.add_file("/Repos/me/shop/deep/b.py", "")
    workspace.add_file("/Repos/me/shop/deep/data.csv", "")
    workspace.add_file("/Repos/me/shop/deep/er/c.sql", "")
    workspace.add_notebook("/Repos/me/other", "")
    assert paths(with_tree(workspace, lambda tree: expanded(tree, glob))) == [f"/Repos/me/shop/{one}" for one in names]


def test_a_folder_that_may_not_be_listed_hides_no_other(workspace):
    workspace.add_notebook("/s/open/a", "")
    workspace.add_notebook("/s/closed/b", "")
    workspace.forbidden.add("/s/closed")
    failed = []
    found = with_tree(workspace, lambda tree: expanded(tree, "/s/**", lambda path, error: failed.append(path)))
    assert paths(found) == ["/s/open/a"]
    assert failed == ["/s/closed"]


def test_a_program_is_found_with_and_without_its_extension(workspace):
    workspace.add_notebook("/s/a", "")
    workspace.add_file("/s/b.py", "")
    for path, found in (("/s/a", "/s/a"), ("/s/a.py", "/s/a"), ("/s/b", "/s/b.py"), ("/Workspace/s/b.py", "/s/b.py")):
        assert with_tree(workspace, lambda tree, path=path: tree.found(path)).path == found
    with pytest.raises(NotFound):
        with_tree(workspace, lambda tree: tree.found("/s/gone"))


def test_who_may_not_list_a_folder_may_read_what_is_in_it(workspace):
    workspace.add_notebook("/s/a", "text")
    workspace.forbidden.add("/s")
    assert with_tree(workspace, lambda tree: tree.found("/s/a")).kind == "NOTEBOOK"
    workspace.forbidden.add("/s/a")
    with pytest.raises(Refusal):
        with_tree(workspace, lambda tree: tree.found("/s/a"))


def test_what_has_not_changed_is_not_exported_again(workspace, tmp_path):
    workspace.add_notebook("/s/a", "one", modified_at=1)

    async def text(tree):
        return await tree.text(await tree.found("/s/a"))

    assert with_tree(workspace, text, Cache(tmp_path)) == "one"
    assert with_tree(workspace, text, Cache(tmp_path)) == "one"
    assert workspace.count("/api/2.0/workspace/export") == 1
    workspace.add_notebook("/s/a", "two", modified_at=2)
    assert with_tree(workspace, text, Cache(tmp_path)) == "two"
    assert workspace.count("/api/2.0/workspace/export") == 2


def test_a_folder_is_listed_once_a_scan(workspace):
    for at in range(20):
        workspace.add_notebook(f"/s/{at}", "")

    async def all_of(tree):
        return await asyncio.gather(*(tree.found(f"/s/{at}") for at in range(20)))

    assert len(with_tree(workspace, all_of)) == 20
    assert len(workspace.asked) == 1


def test_references_are_read_from_every_form_of_notebook():
    source = """# Databricks notebook source
# MAGIC %run ./shared/topics
# COMMAND ----------
# MAGIC %run "/Repos/me/with space" $env="x"
import os, shop.conf as c
from utils.names import (TOPIC,
   BROKERS)
from . import sibling
from ..up import thing
from pyspark.sql import functions
"""
    found = references_of(source)
    assert Reference("run", "./shared/topics") in found
    assert Reference("run", "/Repos/me/with space") in found
    assert Reference("import", "shop/conf") in found
    assert Reference("import", "utils/names") in found
    assert Reference("import", "utils/names/BROKERS") in found
    assert Reference("import", "sibling", 1) in found
    assert Reference("import", "up", 2) in found
    assert not any("pyspark" in one.path or one.path == "os" for one in found)
    code = {"cell_type": "code", "source": ["%run ./a\n", "import b"]}
    cells = json.dumps({"cells": [code, {"cell_type": "markdown", "source": "import c"}]})
    assert references_of(cells, "x.ipynb") == [Reference("run", "./a"), Reference("import", "b")]


def test_what_a_program_takes_in_is_found_through_several_steps(workspace):
    workspace.add_repo("/Repos/me/shop", "https://git.example.com/shop.git")
    workspace.add_notebook(
        "/Repos/me/shop/pipelines/bronze", "# MAGIC %run ../shared/topics\nfrom shop.conf import X\n"
    )
    workspace.add_notebook("/Repos/me/shop/shared/topics", "# MAGIC %run ./base\n", modified_at=7_000_000_000_000)
    workspace.add_notebook("/Repos/me/shop/shared/base", "T = 'x'\n")
    workspace.add_file("/Repos/me/shop/shop/__init__.py", "")
    workspace.add_file("/Repos/me/shop/shop/conf.py", "from .inner import Y\n")
    workspace.add_file("/Repos/me/shop/shop/inner.py", "Y = 1\n")
    workspace.add_file("/Repos/me/elsewhere.py", "")

    async def taken(tree):
        one = await tree.found("/Repos/me/shop/pipelines/bronze")
        return await taken_in(tree, one.path, await tree.text(one))

    found = with_tree(workspace, taken, roots=("/Repos/me/shop",))
    assert sorted(found) == [
        "/Repos/me/shop/shared/base",
        "/Repos/me/shop/shared/topics",
        "/Repos/me/shop/shop/__init__.py",
        "/Repos/me/shop/shop/conf.py",
        "/Repos/me/shop/shop/inner.py",
    ]
    assert found.modified_at == 7_000_000_000_000
    assert not found.problems


def test_a_notebook_that_is_not_there_is_named_with_the_reason(workspace):
    workspace.add_notebook("/s/a", "%run ./gone\n%run ./closed")
    workspace.add_notebook("/s/closed", "")
    workspace.forbidden.add("/s/closed")
    found = with_tree(workspace, lambda tree: taken_in(tree, "/s/a", "%run ./gone\n%run ./closed"))
    assert set(found.problems) == {"/s/gone", "/s/closed"}
    assert "CAN READ" in found.problems["/s/closed"]


def test_a_folder_of_this_machine_answers_alike(tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "topics.py").write_text("T = 'x'")
    (tmp_path / "bronze.py").write_text("from shared.topics import T")
    (tmp_path / "latin.py").write_bytes(b"# \xff")
    tree = FolderTree(tmp_path)
    assert paths(asyncio.run(expanded(tree, "/"))) == ["/bronze.py", "/latin.py", "/shared/topics.py"]
    assert list(asyncio.run(taken_in(tree, "/bronze.py", "from shared.topics import T"))) == ["/shared/topics.py"]
    with pytest.raises(InvalidRequest):
        FolderTree(tmp_path / "gone")


def test_paths_are_spelled_as_the_api_spells_them():
    assert plain_path("/Workspace/Users/a/../b") == "/Users/b"
    assert plain_path("Shared/x/") == "/Shared/x"
    assert plain_path("/Workspace") == "/"
