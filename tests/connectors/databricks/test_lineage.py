"""What was read of programs becomes jobs with their own inputs, outputs, columns and evidence, the same each time."""

import pytest

from lineage_hub.connectors.databricks.cache import Cache
from lineage_hub.connectors.databricks.clusters import Clusters
from lineage_hub.connectors.databricks.config import KafkaCluster
from lineage_hub.connectors.databricks.flows import ReadProgram, flows_of, with_distinct_names
from lineage_hub.connectors.databricks.lineage import Teller
from lineage_hub.connectors.databricks.names import Namer
from lineage_hub.connectors.databricks.programs import Work
from lineage_hub.connectors.databricks.reading import (
    ColumnOrigin,
    DefinedTable,
    Expectation,
    Problem,
    Reading,
    StreamSource,
)
from lineage_hub.connectors.databricks.told import events_of

SPACE = "databricks://w.example.com"
WORK = Work("pipeline", "p1", "shop", catalog="main", schema="bronze", owner="o@example.com", tags={"team": "x"})


def kafka(topic, target, **more):
    return StreamSource("kafka", [topic], bootstrap="k1:9092", target_table=target, line=4, **more)


def told(reading, *, clusters=None, work=WORK, tables=None, repos=None, with_streams=True, modified_at=1000):
    clusters = clusters or Clusters(bootstraps=[one.bootstrap for one in reading.sources])
    namer = Namer(work, SPACE, clusters, reading.tables)
    flows, problems = flows_of(work, [ReadProgram("/n", reading)], namer, with_streams=with_streams)
    assert not problems
    teller = Teller(work, namer, SPACE, host="w.example.com", tables=tables or {}, repos=repos or {})
    return {one.name: one for one in teller.jobs(with_distinct_names(flows), {"/n": modified_at})}


def names(side):
    return [f"{one.namespace} {one.name}" for one in side]


def test_two_kafka_tables_of_one_notebook_keep_their_own_topics():
    reading = Reading([kafka("a", "ta"), kafka("b", "tb")], [DefinedTable("ta"), DefinedTable("tb")])
    jobs = told(reading)
    assert list(jobs) == ["shop", "shop.ta", "shop.tb"]
    assert names(jobs["shop.ta"].inputs) == ["kafka://k1:9092 a"]
    assert names(jobs["shop.ta"].outputs) == [f"{SPACE} main.bronze.ta"]
    assert names(jobs["shop.tb"].inputs) == ["kafka://k1:9092 b"]
    assert not jobs["shop"].inputs


def test_tables_lead_on_to_tables_with_their_columns():
    reading = Reading(
        [kafka("a", "bronze")],
        [
            DefinedTable("bronze", columns={"value": (ColumnOrigin("a", "value"),)}),
            DefinedTable(
                "main.silver.clean",
                reads=("bronze",),
                columns={"id": (ColumnOrigin("bronze", "value"), ColumnOrigin("bronze", "value", False)), "one": ()},
            ),
        ],
    )
    jobs = told(reading)
    assert names(jobs["shop.clean"].inputs) == [f"{SPACE} main.bronze.bronze"]
    (facets,) = jobs["shop.bronze"].outputs.values()
    (field,) = facets["columnLineage"]["fields"]["value"]["inputFields"]
    assert (field["namespace"], field["name"], field["field"]) == ("kafka://k1:9092", "a", "value")
    (facets,) = jobs["shop.clean"].outputs.values()
    (origin,) = facets["columnLineage"]["fields"]["id"]["inputFields"]
    assert [one["type"] for one in origin["transformations"]] == ["DIRECT", "INDIRECT"]
    assert "one" not in facets["columnLineage"]["fields"]
    assert [one["name"] for one in facets["schema"]["fields"]] == ["id", "one"]


def test_an_origin_that_the_table_does_not_read_is_not_told():
    reading = Reading(tables=[DefinedTable("t", reads=("a",), columns={"x": (ColumnOrigin("stranger", "y"),)})])
    (facets,) = told(reading)["shop.t"].outputs.values()
    assert "columnLineage" not in facets


def test_a_sink_is_a_job_from_its_table_to_its_topic():
    sink = StreamSource("kafka_sink", ["out"], bootstrap="k1:9092", source_table="gold", line=9)
    jobs = told(Reading([sink], [DefinedTable("out_sink", "sink")]))
    assert names(jobs["shop.sink out"].inputs) == [f"{SPACE} main.bronze.gold"]
    assert names(jobs["shop.sink out"].outputs) == ["kafka://k1:9092 out"]


def test_a_read_that_goes_nowhere_is_an_input_of_the_whole():
    jobs = told(Reading([StreamSource("table", path="t", source_table="t", line=1)]))
    assert names(jobs["shop"].inputs) == [f"{SPACE} main.bronze.t"]


def test_what_could_not_be_resolved_is_evidence_and_no_dataset():
    source = StreamSource("kafka", bootstrap="k1:9092", target_table="t", unresolved=["subscribe"], line=3)
    job = told(Reading([source], [DefinedTable("t")]))["shop.t"]
    assert not job.inputs
    (evidence,) = job.facets["databricksSources"]["sources"]
    assert evidence["unresolved"] == ["subscribe"]
    assert (evidence["path"], evidence["line"]) == ("/n", 3)


def test_a_topic_that_only_code_tells_of_is_marked_and_a_configured_one_is_not():
    reading = Reading([kafka("a", "t")], [DefinedTable("t")])
    (facets,) = told(reading)["shop.t"].inputs.values()
    assert facets["tags"]["tags"][0]["key"] == "seen_in_code_only"
    (facets,) = told(reading, clusters=Clusters([KafkaCluster("p", ("k0", "k1"))]))["shop.t"].inputs.values()
    assert "tags" not in facets
    assert facets["symlinks"]["identifiers"] == [{"namespace": "kafka://k1:9092", "name": "a", "type": "LOCATION"}]


def test_without_lineage_of_messages_topics_are_left_out():
    jobs = told(Reading([kafka("a", "t")], [DefinedTable("t")]), with_streams=False)
    assert not jobs["shop.t"].inputs


def test_jobs_say_where_their_code_is_and_whose_they_are():
    reading = Reading([kafka("a", "t")], [DefinedTable("t", "streaming_table", comment="all orders")])
    facets = told(reading)["shop.t"].facets
    assert facets["sourceCodeLocation"]["url"] == "https://w.example.com/#workspace/n"
    assert facets["ownership"]["owners"][0]["name"] == "user:o@example.com"
    assert facets["tags"]["tags"][0]["key"] == "team"
    assert facets["jobType"]["processingType"] == "STREAMING"
    assert facets["documentation"]["description"] == "all orders"
    repo = {"url": "https://bot:s3cret@git.example.com/s.git", "branch": "main", "head_commit_id": "abc"}
    location = told(reading, repos={"/": repo})["shop.t"].facets["sourceCodeLocation"]
    assert (location["type"], location["path"], location["version"]) == ("git", "n", "abc")
    assert (location["url"], location["repoUrl"]) == ("https://git.example.com/s.git",) * 2


def test_what_unity_catalog_knows_of_a_table_is_told():
    known = {
        "columns": [
            {"name": "b", "type_text": "int", "position": 1},
            {"name": "a", "type_text": "string", "position": 0},
        ],
        "owner": "data@example.com",
        "comment": "from the catalog",
    }
    reading = Reading(tables=[DefinedTable("t", comment="from code")])
    (facets,) = told(reading, tables={"main.bronze.t": known})["shop.t"].outputs.values()
    assert [(one["name"], one["type"]) for one in facets["schema"]["fields"]] == [("a", "string"), ("b", "int")]
    assert facets["ownership"]["owners"][0]["name"] == "user:data@example.com"
    assert facets["documentation"]["description"] == "from the catalog"


def test_expectations_are_told_with_their_conditions():
    rules = (Expectation("valid", "id is not null", "drop", 5),)
    job = told(Reading(tables=[DefinedTable("t", expectations=rules)]))["shop.t"]
    (rule,) = job.facets["databricksExpectations"]["expectations"]
    assert rule == {"name": "valid", "condition": "id is not null", "action": "drop", "line": 5}


def test_tables_of_one_name_in_two_schemas_are_two_jobs():
    jobs = told(Reading(tables=[DefinedTable("s1.t", reads=("a",)), DefinedTable("s2.t", reads=("b",))]))
    assert list(jobs) == ["shop", "shop.s1.t", "shop.s2.t"]


def test_an_address_that_is_none_costs_that_read_only():
    source = StreamSource("jdbc", bootstrap="jdbc:postgresql://h:port/x", path="t", target_table="t")
    namer = Namer(WORK, SPACE, Clusters(), [])
    reading = Reading([source, kafka("a", "t")])
    flows, problems = flows_of(WORK, [ReadProgram("/n", reading)], namer)
    assert len(problems) == 1
    assert isinstance(problems[0], Problem)
    assert names(flows[0].inputs) == ["kafka://k1:9092 a"]


def test_events_stay_the_same_until_what_they_say_changes(tmp_path):
    cache = Cache(tmp_path)
    reading = Reading([kafka("a", "t")], [DefinedTable("t")])
    first = events_of(told(reading).values(), cache, now_ms=5000)
    assert first == events_of(told(reading).values(), cache, now_ms=9000)
    assert first == events_of(told(reading, modified_at=7000).values(), cache, now_ms=9000)
    changed = Reading([kafka("b", "t")], [DefinedTable("t")])
    later = events_of(told(changed).values(), cache, now_ms=9000)
    assert [one["eventTime"] for one in first] == ["1970-01-01T00:00:01.000Z"] * 2
    assert later[0] == first[0]
    assert later[1]["eventTime"] == "1970-01-01T00:00:09.000Z"
    back = events_of(told(reading).values(), cache, now_ms=9000)
    assert back[1]["eventTime"] > later[1]["eventTime"]


@pytest.mark.parametrize("folder", [None, "file"])
def test_without_a_cache_the_time_is_that_of_the_sources(tmp_path, folder):
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / folder if folder else None)
    jobs = told(Reading([kafka("a", "t")], [DefinedTable("t")])).values()
    assert {one["eventTime"] for one in events_of(jobs, cache)} == {"1970-01-01T00:00:01.000Z"}


def test_facets_are_as_openlineage_defines_them():
    from openlineage.client.generated import (
        column_lineage_dataset,
        dataset_type_dataset,
        job_type_job,
        ownership_job,
        schema_dataset,
        source_code_location_job,
        symlinks_dataset,
    )

    known = {
        "columnLineage": column_lineage_dataset.ColumnLineageDatasetFacet,
        "datasetType": dataset_type_dataset.DatasetTypeDatasetFacet,
        "schema": schema_dataset.SchemaDatasetFacet,
        "symlinks": symlinks_dataset.SymlinksDatasetFacet,
        "jobType": job_type_job.JobTypeJobFacet,
        "ownership": ownership_job.OwnershipJobFacet,
        "sourceCodeLocation": source_code_location_job.SourceCodeLocationJobFacet,
    }
    reading = Reading(
        [kafka("a", "t")],
        [DefinedTable("t", "streaming_table", columns={"value": (ColumnOrigin("a", "value"),)})],
    )
    job = told(reading, clusters=Clusters([KafkaCluster("p", ("k0", "k1"))]))["shop.t"]
    event = job.members()
    checked = 0
    for facets in (event["job"]["facets"], *(one["facets"] for one in (*event["inputs"], *event["outputs"]))):
        for name, content in facets.items():
            kind = known.get(name)
            if kind is not None:
                members = {key: value for key, value in content.items() if not key.startswith("_")}
                assert kind(**members)
                assert content["_schemaURL"] == kind._get_schema()
                checked += 1
    assert checked == 7
