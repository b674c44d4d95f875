"""The generated events have the shape, the size and the graph that the figures are told for."""

import json
from collections import Counter
from itertools import islice
from statistics import mean

import pytest

from benchmarks.generator import EventStream, in_batches
from benchmarks.landscape import Landscape, layered_landscape, river_landscape, wide_landscape


@pytest.fixture(scope="module")
def landscape() -> Landscape:
    return layered_landscape()


def test_the_same_arguments_give_the_same_bytes_and_another_seed_others() -> None:
    once, again, other = (list(EventStream(layered_landscape(40, seed), seed)) for seed in (1, 1, 2))
    assert once == again
    assert not set(once) & set(other)


def test_an_event_is_about_as_large_as_real_ones(landscape: Landscape) -> None:
    events = list(EventStream(landscape))
    assert len(events) == 4000
    assert 6500 < mean(map(len, events)) < 6900


def test_a_run_is_a_start_and_a_complete_with_all_facets(landscape: Landscape) -> None:
    for start, complete in zip(*[map(json.loads, islice(EventStream(landscape), 80))] * 2, strict=True):
        assert (start["eventType"], complete["eventType"]) == ("START", "COMPLETE")
        assert start["run"] == complete["run"]
        assert start["eventTime"] < complete["eventTime"]
        assert set(start["run"]["facets"]) == {"nominalTime", "parent"}
        assert set(start["job"]["facets"]) == {"sql", "jobType"}
        assert 2 <= len(start["inputs"]) <= 3
        assert 1 <= len(start["outputs"]) <= 2
        for dataset in (*complete["inputs"], *complete["outputs"]):
            assert 13 <= len(dataset["facets"]["schema"]["fields"]) <= 17
        for output in complete["outputs"]:
            columns = {field["name"] for field in output["facets"]["schema"]["fields"]}
            assert set(output["facets"]["columnLineage"]["fields"]) == columns
            assert isinstance(output["outputFacets"]["outputStatistics"]["rowCount"], int)
        assert all("columnLineage" not in output["facets"] for output in start["outputs"])


def test_a_window_of_the_stream_is_the_same_as_in_the_whole(landscape: Landscape) -> None:
    stream = EventStream(layered_landscape(40), runs_per_job=5)
    whole = list(stream)
    assert len(whole) == len(set(whole)) == stream.total == 400
    assert list(stream.events(100, 60)) == whole[100:160]
    assert [len(json.loads(body)) for body in in_batches(iter(whole), 150)] == [150, 150, 100]


def test_reads_reach_as_many_nodes_as_the_figures_are_told_for(landscape: Landscape) -> None:
    users = landscape.users_of_tables()
    tables = landscape.tables_reaching(640, 5, 50)
    assert len(users) == 3354
    assert len(set(tables)) == 50
    assert 630 < mean(landscape.reach(t, 5, users).nodes for t in tables) < 650
    assert 4850 < mean(landscape.reach(t, 20, users).nodes for t in tables) < 4950


def test_a_tenth_of_the_jobs_drifts_to_other_inputs_and_one_column_more() -> None:
    stream = EventStream(layered_landscape(200), drift=0.1, runs_per_job=10)
    shapes: dict[str, list[tuple[object, ...]]] = {}
    for event in map(json.loads, stream):
        inputs = tuple(i["name"] for i in event["inputs"])
        columns = tuple(len(o["facets"]["schema"]["fields"]) for o in event["outputs"])
        shapes.setdefault(event["job"]["name"], []).append((inputs, columns))
    kinds = Counter(len(set(seen)) for seen in shapes.values())
    assert kinds == {1: 180, 2: 20}


def test_the_wide_graph_has_two_edges_and_ten_column_edges_a_dataset() -> None:
    landscape = wide_landscape(1000)
    assert landscape.edge_counts() == (2000, 10_000)
    assert len(landscape.users_of_tables()) == 1000
    column_edges = {
        (output["name"], column, source["name"], source["field"])
        for event in map(json.loads, EventStream(landscape))
        for output in event["outputs"]
        for column, lineage in output["facets"].get("columnLineage", {"fields": {}})["fields"].items()
        for source in lineage["inputFields"]
    }
    assert len(column_edges) == 10_000


def test_all_of_a_river_is_below_its_spring_and_it_has_the_size_that_was_asked_for() -> None:
    for wanted in (20, 200, 5_000):
        river = river_landscape(wanted)
        assert abs(len(river.tables) + len(river.tasks) - wanted) <= 20
        reached = {0}
        for task in river.tasks:  # in the order of their layers
            assert set(task.reads) <= reached
            reached |= set(task.writes)
        assert reached == set(range(len(river.tables)))
        assert len({(table.namespace, table.name) for table in river.tables}) == len(river.tables)
        assert len({(task.namespace, task.name) for task in river.tasks}) == len(river.tasks)
