"""Stages stand in levels by what they wait for; an extract waits for the load of what it reads."""

import pytest

from lineage_hub.errors import InvalidPipeline, NotFound
from lineage_hub.spark.pipeline import graph
from lineage_hub.spark.pipeline.definition import Pipeline


def made(**stages: dict) -> Pipeline:
    return Pipeline.model_validate({"name": "p", "stages": stages})


def extract(path: object) -> dict:
    return {"extract": {"format": "parquet", "path": path}}


def load(source: str, path: str) -> dict:
    return {"load": {"from": source, "format": "parquet", "path": path}}


def sql(*sources: str) -> dict:
    return {"transform": {"from": list(sources), "steps": [{"sql": "select 1"}]}}


DIAMOND = made(
    save=load("both", "/out"),
    both=sql("left", "right"),
    left=sql("a"),
    right=sql("a", "b"),
    a=extract("/a"),
    b=extract("/b"),
)


def test_levels_hold_what_can_run_at_the_same_time():
    assert graph.order(DIAMOND) == [["a", "b"], ["left", "right"], ["both"], ["save"]]


def test_what_is_up_and_downstream_of_a_stage():
    assert graph.upstream(DIAMOND, "both") == {"left", "right", "a", "b"}
    assert graph.downstream(DIAMOND, "b") == {"right", "both", "save"}
    assert graph.upstream(DIAMOND, "a") == set()
    assert graph.downstream(DIAMOND, "save") == set()


def test_an_unknown_stage_is_told_with_the_nearest():
    with pytest.raises(NotFound) as caught:
        graph.downstream(DIAMOND, "boht")
    assert caught.value.action == "did you mean `both`?"


def test_rules_that_refer_to_a_stage_and_joins_make_it_wait():
    joined = {"transform": {"from": ["a"], "steps": [{"join": {"with": "b", "on": "id"}}]}}
    checked = {**extract("/c"), "rules": [{"referential": {"column": "x", "to": "joined.id"}}]}
    assert graph.order(made(c=checked, joined=joined, a=extract("/a"), b=extract("/b"))) == [
        ["a", "b"],
        ["joined"],
        ["c"],
    ]


@pytest.mark.parametrize(
    "path",
    [
        "/lake/x",
        "file:/lake/x/",
        "/lake/x/day=1",
        "/lake/*",
        "/lake/{x,y}",
        "/lake",
        "/l?ke/x/*.parquet",
        ["/b", "/lake/x"],
    ],
)
def test_an_extract_of_a_loads_place_waits_for_the_load(path: object):
    pipeline = made(again=extract(path), save=load("raw", "/lake/x"), raw=extract("/in"))
    assert graph.order(pipeline) == [["raw"], ["save"], ["again"]]


@pytest.mark.parametrize("path", ["/lake/xy", "lake/x", "/other/*", "s3a://lake/x", "/lake/{y}z"])
def test_an_extract_of_another_place_does_not(path: str):
    pipeline = made(again=extract(path), save=load("raw", "/lake/x"), raw=extract("/in"))
    assert graph.order(pipeline) == [["again", "raw"], ["save"]]


@pytest.mark.parametrize(
    ("reads", "waits"),
    [
        ({"table": "public.Orders"}, True),
        ({"query": 'select * from "public"."orders" where day = 1'}, True),
        ({"query": "select * from public.reorders"}, False),
        ({"table": "public.customers"}, False),
    ],
)
def test_a_table_is_known_by_its_name_and_its_database(reads: dict, waits: bool):
    place = {"format": "jdbc", "url": "jdbc:postgresql://db/shop"}
    stages = {
        "again": {"extract": {**place, **reads}},
        "save": {"load": {"from": "raw", "table": "public.orders", **place}},
        "raw": extract("/in"),
    }
    assert ("save" in graph.upstream(made(**stages), "again")) is waits
    stages["again"]["extract"]["url"] = "jdbc:postgresql://db/elsewhere"
    assert graph.upstream(made(**stages), "again") == set()


def test_a_pipeline_may_read_what_it_replaces():
    pipeline = made(old=extract("/lake/x"), new=sql("old"), save=load("new", "/lake/x"))
    assert graph.order(pipeline) == [["old"], ["new"], ["save"]]


def test_two_that_wait_for_each_others_load_are_a_circle():
    pipeline = made(a=extract("/y"), save_a=load("a", "/x"), b=extract("/x"), save_b=load("b", "/y"))
    with pytest.raises(InvalidPipeline, match="waits for itself"):
        graph.order(pipeline)
