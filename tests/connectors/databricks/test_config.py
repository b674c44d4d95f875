"""A scan goes by a file in one of two forms, by the environment and by flags; secrets stay out of sight."""

from pathlib import Path

import pytest

from lineage_hub.connectors.databricks.config import Chosen, KafkaCluster, load_config
from lineage_hub.errors import InvalidSetting

SERVICE = """
source:
  type: databricksPipeline
  serviceName: databricks_pipeline_service
  serviceConnection:
    config:
      type: DatabricksPipeline
      hostPort: https://workspace.cloud.databricks.com
      token: dapi-secret
  sourceConfig:
    config:
      type: PipelineMetadata
      includeKafkaLineage: true
      messagingServiceNames:
        - kafka_production
        - kafka_staging
      dbServiceNames:
        - databricks_unity_catalog
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "databricks.yaml"
    file.write_text(text)
    return file


def test_the_form_with_a_service_connection_is_read(tmp_path):
    config = load_config(written(tmp_path, SERVICE), environ={})
    assert config.workspace == "https://workspace.cloud.databricks.com"
    assert config.token == "dapi-secret"
    assert config.include_kafka_lineage
    assert config.resolved_namespace == "databricks://workspace.cloud.databricks.com"


def test_services_of_messages_choose_among_clusters_and_those_without_brokers_are_named(tmp_path):
    text = SERVICE + "clusters:\n  kafka_production: [b1:9092, b2:9092]\n  other: b9:9092\n"
    config = load_config(written(tmp_path, text), environ={})
    assert config.clusters == (KafkaCluster("kafka_production", ("b1:9092", "b2:9092")),)
    assert any("kafka_staging" in one for one in config.notes)
    assert any("dbServiceNames" in one for one in config.notes)


def test_the_short_form_is_read(tmp_path):
    config = load_config(
        written(
            tmp_path,
            """
workspace: shop.cloud.databricks.com
pipelines: ["sales*"]
clusters:
  production: {brokers: "b1:9092,b2:9092", namespace: kafka://production}
default_cluster: production
configuration: {env: prod, retries: 3, dry: true}
concurrency: 4
""",
        ),
        environ={"DATABRICKS_TOKEN": "dapi-env"},
    )
    assert config.workspace == "https://shop.cloud.databricks.com"
    assert config.token == "dapi-env"
    assert config.pipelines == Chosen(names=("sales*",))
    assert config.clusters == (KafkaCluster("production", ("b1:9092", "b2:9092"), "kafka://production"),)
    assert config.configuration == {"env": "prod", "retries": "3", "dry": "true"}


def test_flags_go_before_the_file_and_the_file_before_the_environment(tmp_path):
    file = written(tmp_path, "workspace: https://file\nconfiguration: {a: file, b: file}\n")
    environ = {"DATABRICKS_HOST": "https://environment"}
    assert load_config(environ=environ).workspace == "https://environment"
    assert load_config(file, environ=environ).workspace == "https://file"
    config = load_config(file, environ=environ, workspace="https://flag", configuration={"a": "flag"})
    assert config.workspace == "https://flag"
    assert config.configuration == {"a": "flag", "b": "file"}


def test_a_file_may_name_variables_in_the_place_of_secrets(tmp_path):
    file = written(tmp_path, "workspace: https://w\ntoken: ${TEAM_TOKEN}\n")
    assert load_config(file, environ={"TEAM_TOKEN": "dapi-team"}).token == "dapi-team"
    with pytest.raises(InvalidSetting, match="TEAM_TOKEN"):
        load_config(file, environ={})


@pytest.mark.parametrize(
    ("text", "key", "near"),
    [
        ("workspce: https://w\n", "workspce", "workspace"),
        (SERVICE.replace("hostPort", "hostport"), "hostport", "hostPort"),
        (SERVICE.replace("includeKafkaLineage", "includeKafkalineage"), "includeKafkalineage", "includeKafkaLineage"),
        ("clusters: {a: {broker: b1}}\n", "broker", "brokers"),
    ],
)
def test_an_unknown_key_is_an_error_that_names_the_nearest(tmp_path, text, key, near):
    with pytest.raises(InvalidSetting) as raised:
        load_config(written(tmp_path, text), environ={})
    assert raised.value.subject == key
    assert f"did you mean {near}?" in (raised.value.action or "")


@pytest.mark.parametrize(
    "text",
    [
        "workspace: ftp://w",
        "workspace: [a]",
        "token: '<databricks-token>'",
        "concurrency: 0",
        "concurrency: many",
        "concurrency: 2.5",
        "attempts: 1.5",
        "workspace: not an address",
        "include_kafka_lineage: maybe",
        "default_cluster: nowhere",
        "clusters: [b1]",
        "clusters: {a: []}",
        "pipelines: {a: b}",
        "configuration: [a]",
        "configuration: {shop.env: }",
        "configuration: {shop.env: ~}",
        "- a list",
        "a: [",
    ],
)
def test_what_cannot_be_is_refused_with_the_next_action(tmp_path, text):
    with pytest.raises(InvalidSetting) as raised:
        load_config(written(tmp_path, text), environ={})
    assert raised.value.action


def test_values_of_programs_are_what_is_written(tmp_path):
    text = "configuration: {region: no, version: 1.10, code: 007, flag: True, day: 2024-01-01, none: '', 1: a, 1.0: b}"
    assert load_config(written(tmp_path, text), environ={}).configuration == {
        "region": "no", "version": "1.10", "code": "007", "flag": "True", "day": "2024-01-01", "none": "", "1": "a",
        "1.0": "b",
    }  # fmt: skip


def test_neither_the_repr_nor_an_error_shows_a_token(tmp_path):
    assert "dapi-secret" not in repr(load_config(written(tmp_path, SERVICE), environ={}))
    with pytest.raises(InvalidSetting) as raised:
        load_config(written(tmp_path, "token: 'dapi-secret\n\n  x: {"), environ={})
    assert "dapi-secret" not in str(raised.value)
    with pytest.raises(InvalidSetting) as raised:
        load_config(written(tmp_path, "token: 'dapi secret'"), environ={})
    assert "dapi" not in str(raised.value)


def test_pipelines_are_chosen_by_id_name_glob_and_expression():
    assert Chosen().takes("anything", "1")
    assert Chosen(names=("sales*",)).takes("sales_eu", "1")
    assert Chosen(names=("1",)).takes("sales", "1")
    assert not Chosen(names=("sales",)).takes("sales_eu", "1")
    assert Chosen(includes=("^s",)).takes("sales", "1")
    assert not Chosen(excludes=("test",)).takes("sales_test", "1")


def test_an_empty_list_chooses_none(tmp_path):
    config = load_config(written(tmp_path, "pipelines: []\n"), environ={})
    assert not config.pipelines.takes("sales", "1")
    assert config.jobs.takes("sales", "1")
