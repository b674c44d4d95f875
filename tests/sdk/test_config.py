"""Arguments weigh more than a file, a file more than the environment; what is wrong is said, and stops no one."""

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from lineage_hub import settings
from lineage_hub.errors import InvalidSetting
from lineage_hub.sdk import LineageHubConfig, configure, get_config, reset_config
from lineage_hub.sdk.config import FILE_VARIABLE, PREFIX
from lineage_hub.sdk.warnings import forget_warnings


@pytest.fixture(autouse=True)
def afresh() -> Iterator[None]:
    reset_config()
    forget_warnings()
    yield
    reset_config()


def test_arguments_weigh_more_than_a_file_and_a_file_more_than_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "sdk.yml"
    file.write_text("namespace: from-file\nbatch_size: 7\ndry_run: true\n")
    environ = {"LINEAGE_HUB_NAMESPACE": "env", "LINEAGE_HUB_BATCH_SIZE": "3", "LINEAGE_HUB_TIMEOUT": "2.5"}
    found = LineageHubConfig.load(file, environ, batch_size=9)
    assert (found.namespace, found.batch_size, found.timeout, found.dry_run) == ("from-file", 9, 2.5, True)
    assert LineageHubConfig.load(environ={**environ, FILE_VARIABLE: str(file)}).batch_size == 7


def test_an_address_and_a_key_are_found_where_openlineage_has_them() -> None:
    found = LineageHubConfig.load(environ={"OPENLINEAGE_URL": "http://hub:8000", "OPENLINEAGE_API_KEY": "key"})
    assert (found.hub_endpoint, found.api_key) == ("http://hub:8000", "key")
    assert "key" not in repr(found).replace("api_key", "")


@pytest.mark.parametrize("wrong", [{"batch_sise": 3}, {"batch_size": "many"}, {"dry_run": "perhaps"}])
def test_a_wrong_setting_is_an_error_of_loading(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidSetting) as told:
        LineageHubConfig.load(environ={}, **wrong)
    assert told.value.action


def test_what_is_wrong_in_the_environment_is_told_once_and_the_rest_counts(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("LINEAGE_HUB_BATCH_SIZE", "many")
    monkeypatch.setenv("LINEAGE_HUB_NAMESPACE", "team")
    for _ in range(3):
        assert (get_config().namespace, get_config().batch_size) == ("team", 100)
        reset_config()
    assert caplog.text.count("many") == 1


def test_what_is_configured_counts_until_it_is_reset() -> None:
    assert configure(namespace="team") is get_config()
    assert get_config().namespace == "team"
    reset_config()
    assert get_config().namespace == "default"


def test_a_hub_in_the_same_environment_does_not_mind_the_variables_of_the_sdk() -> None:
    of_the_sdk = {FILE_VARIABLE, *(PREFIX + one.name.upper() for one in fields(LineageHubConfig))}
    of_the_hub = {PREFIX + one.name.upper() for one in settings.every_setting()}
    assert of_the_sdk - of_the_hub == settings.SDK_VARIABLES
