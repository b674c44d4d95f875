"""Kafka configurations of a source text, and the libraries that a pipeline's settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from lineage_hub.connectors.databricks.sources import KafkaSourceConfig


def kafka(source: Any) -> list[KafkaSourceConfig]:
    from lineage_hub.connectors.databricks.sources import extract_kafka_sources

    return extract_kafka_sources(source)


def libraries(settings: Any) -> list[str]:
    from lineage_hub.connectors.databricks.sources import get_pipeline_libraries

    return get_pipeline_libraries(settings)


def test_servers_topics_and_group_of_one_stream() -> None:
    (found,) = kafka(
        """
        lake = spark.readStream \\
            .format("kafka") \\
            .option("kafka.bootstrap.servers", "lake-1:9092") \\
            .option("subscribe", "lake.levels") \\
            .option("groupIdPrefix", "lake-dlt") \\
            .load()
        """
    )
    assert (found.bootstrap_servers, found.topics, found.group_id_prefix) == (
        "lake-1:9092",
        ["lake.levels"],
        "lake-dlt",
    )
    assert (found["bootstrap_servers"], found["topics"]) == ("lake-1:9092", ["lake.levels"])


@pytest.mark.parametrize("option", ["subscribe", "topics"])
def test_topics_are_split_at_commas_and_trimmed(option: str) -> None:
    (found,) = kafka(f'spark.readStream.format("kafka").option("{option}", " rain , snow ,, hail ").load()')
    assert found.topics == ["rain", "snow", "hail"]


@pytest.mark.parametrize(
    "source",
    [
        "w = spark.readStream.format('kafka').option('subscribe', 'wind').load()",
        'w = spark.readStream.format("kafka").option(\'subscribe\', "wind").load()',
        'w=spark . readStream.format(  "kafka" ).option( "subscribe"  ,"wind" ).load( )',
        'w = spark.readStream.format("KAFKA").option("Subscribe", "wind").load()',
        "w = (\n  spark.readStream\n  .format('kafka') # source\n .option('subscribe', 'wind') # topic\n  .load()\n)",
        "NAME = 'wind'\nw = spark.readStream.format('kafka').option('subscribe', NAME).load()",
    ],
    ids=["single quotes", "both quotes", "spaces", "case", "comments between lines", "a variable"],
)
def test_the_way_of_writing_makes_no_difference(source: str) -> None:
    assert [one.topics for one in kafka(source)] == [["wind"]]


def test_topics_keep_their_dots_dashes_and_underscores() -> None:
    (found,) = kafka('spark.read.format("kafka").option("subscribe", "pre-prod.team_x.orders-v2").load()')
    assert found.topics == ["pre-prod.team_x.orders-v2"]


def test_two_streams_keep_their_own_topics() -> None:
    found = kafka(
        'FIRST, SECOND = "sun", "moon"\n'
        'a = spark.readStream.format("kafka").option("subscribe", FIRST).load()\n'
        'b = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "m:1")'
        '.option("subscribe", SECOND).load()\n'
    )
    assert [(one.topics, one.bootstrap_servers) for one in found] == [(["sun"], None), (["moon"], "m:1")]


def test_a_table_function_is_read() -> None:
    (found,) = kafka(
        """
        import dlt

        @dlt.table
        def tides():
            return spark.readStream.format("kafka") \\
                .option("kafka.bootstrap.servers", "sea:9092").option("subscribe", "tides").load()
        """
    )
    assert (found.bootstrap_servers, found.topics) == ("sea:9092", ["tides"])


def test_a_stream_at_module_level_is_read_once_though_a_table_returns_it() -> None:
    found = kafka(
        'import dlt\nSERVERS = spark.conf.get("SERVERS")\n'
        'raw = spark.readStream.format("kafka").option("subscribe", "trk")'
        '.option("kafka.bootstrap.servers", SERVERS).load()\n'
        '@dlt.table(table_properties={"a": "b"})\ndef bronze():\n    return raw\n'
    )
    assert [(one.topics, one.bootstrap_servers) for one in found] == [(["trk"], None)]


@pytest.mark.parametrize(
    "source",
    [
        "",
        None,
        17,
        "   \n\t",
        'df = spark.read.parquet("/data")\ndf.write.format("delta").save("/out")',
        'half = spark.readStream.format("kafka")\n# no load',
        'half = spark.readStream.format("kafka").option(',
        "\x00\x01 not a program {{{",
    ],
    ids=["empty", "none", "a number", "blank", "other formats", "no load", "cut off", "garbage"],
)
def test_a_text_without_a_stream_gives_nothing(source: Any) -> None:
    assert kafka(source) == []


def test_a_name_that_is_defined_nowhere_gives_no_topic() -> None:
    found = kafka('spark.readStream.format("kafka").option("subscribe", NOWHERE).load()')
    assert [topic for one in found for topic in one.topics] == []


@pytest.mark.parametrize("name", ["topic_name", "TOPIC", "stream_topic", "subject_name"])
def test_a_variable_is_no_topic_because_of_its_name(name: str) -> None:
    assert kafka(f'{name} = "only.a.variable"\n') == []
    (found,) = kafka(f'{name} = "only.a.variable"\nspark.readStream.format("kafka").option("subscribe", "real").load()')
    assert found.topics == ["real"]


def test_table_reads_beside_a_stream_are_no_kafka_sources() -> None:
    found = kafka(
        "import dlt\n@dlt.view()\ndef source():\n"
        '    return spark.readStream.format("kafka").option("subscribe", "x").load()\n'
        '@dlt.table(name="bronze")\ndef b():\n    return dlt.read_stream("source")\n'
    )
    assert [one.topics for one in found] == [["x"]]


def edges(source: str) -> set[tuple[str, str | None, str | None]]:
    from lineage_hub.connectors.databricks.sources import extract_sources

    return {(one.kind, one.topics[0] if one.topics else one.path, one.target_table) for one in extract_sources(source)}


def test_tables_of_one_pipeline_know_what_they_are_made_of() -> None:
    assert edges(
        """
        import dlt
        TOPIC = "quakes"

        @dlt.view(comment="raw")
        def quakes_source():
            return spark.readStream.format("kafka").option("subscribe", TOPIC).load()

        @dlt.table(name="quakes_bronze")
        def first():
            return dlt.read_stream("quakes_source").select("*")

        @dlt.table()
        def quakes_gold():
            plates = dlt.read("plates")
            return dlt.read("quakes_bronze").join(plates, "plate").union(dlt.read("quakes_manual"))

        @dlt.table(comment="no name is given")
        def plates():
            return spark.read.parquet("/ref/plates")
        """
    ) == {
        ("kafka", "quakes", "quakes_source"),
        ("table", "quakes_source", "quakes_bronze"),
        ("table", "quakes_bronze", "quakes_gold"),
        ("table", "quakes_manual", "quakes_gold"),
        ("table", "plates", "quakes_gold"),
        ("files", "/ref/plates", "plates"),
    }


def test_notebooks_and_files_are_libraries_in_their_order() -> None:
    settings = {"libraries": [{"notebook": {"path": "/a"}}, {"file": {"path": "/b.py"}}, {"notebook": {"path": "/c"}}]}
    assert libraries(settings) == ["/a", "/b.py", "/c"]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"libraries": []},
        {"libraries": None},
        {"libraries": [{"notebook": {}}, {"file": {}}, {"file": None}]},
        {"libraries": [{"jar": "dbfs:/x.jar"}, {"whl": {"path": "/x.whl"}}, {"maven": {"coordinates": "a:b:1"}}]},
        None,
    ],
    ids=["no member", "empty", "null", "no paths", "other libraries", "no settings"],
)
def test_settings_without_programs_give_no_libraries(settings: Any) -> None:
    assert libraries(settings) == []
