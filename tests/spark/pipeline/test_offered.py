"""A file tells what a person needs to start its pipeline, or what is wrong with it."""

import os
from pathlib import Path

from lineage_hub.spark.pipeline.offered import offered

TEXT = """
version: 1
name: shop
description: Orders to revenue.
owners: [team:sales]
parameters:
  lake: ${env:LAKE}/out
  since: {type: date, description: Older orders are left out.}
  mode: {default: full, choices: [full, delta]}
stages:
  save: {load: {from: clean, format: parquet, path: "${lake}/${mode}"}}
  clean: {transform: {from: raw, steps: [{filter: "day >= ${since}"}]}}
  raw: {extract: {format: parquet, path: /in}}
"""


def test_parameters_are_told_as_they_are_written(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("LAKE", "/secret/place")
    file = tmp_path / "shop-v2.yaml"
    file.write_text(TEXT)
    told = offered("shop-v2", file)
    assert (told["name"], told["pipeline"], told["owners"]) == ("shop-v2", "shop", ["team:sales"])
    assert {one["name"]: (one["type"], one["default"], one["choices"]) for one in told["parameters"]} == {
        "lake": ("text", "${env:LAKE}/out", None),
        "since": ("date", None, None),
        "mode": ("text", "full", ["full", "delta"]),
    }


def test_stages_stand_in_the_order_of_their_work(tmp_path: Path) -> None:
    file = tmp_path / "shop.yaml"
    file.write_text(TEXT)
    assert offered("shop", file)["stages"] == [
        {"name": "raw", "kind": "extract", "after": []},
        {"name": "clean", "kind": "transform", "after": ["raw"]},
        {"name": "save", "kind": "load", "after": ["clean"]},
    ]


def test_a_file_that_is_no_pipeline_says_why_and_is_read_again_when_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "shop.yaml"
    file.write_text("name: shop\nstages: {}\n")
    assert "stages" in offered("shop", file)["problem"]
    file.write_text(TEXT)
    os.utime(file, (1, 1))
    assert "problem" not in offered("shop", file)
    file.unlink()
    assert offered("shop", file)["problem"].startswith("the file can't be read")
