"""Settings come from four sources in order, remember their origin, and refuse what they don't know."""

from pathlib import Path

import pytest

from lineage_hub.errors import InvalidSetting
from lineage_hub.settings import MASK, Settings, every_setting, load_settings, mask_url


@pytest.fixture(autouse=True)
def nothing_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_without_any_source_every_value_is_its_default(tmp_path: Path):
    settings = load_settings(environ={})
    assert settings == Settings()
    assert {settings.origin(setting.name) for setting in every_setting()} == {"default"}
    assert settings.data_dir == tmp_path / "XDG_DATA_HOME" / "lineage-hub"
    assert settings.resolved_database_url == f"sqlite:///{settings.data_dir}/lineage.db"


def test_flags_beat_the_environment_which_beats_the_file(tmp_path: Path):
    path = write(tmp_path / "hub.toml", "server_port = 1\nserver_host = 'file'\nlog_level = 'debug'\n")
    environ = {"LINEAGE_HUB_SERVER_PORT": "2", "LINEAGE_HUB_SERVER_HOST": "environment"}
    settings = load_settings({"server_port": 3, "url": None}, path, environ)
    assert (settings.server_port, settings.server_host, settings.log_level) == (3, "environment", "debug")
    assert settings.origin("server_port") == "flag --port"
    assert settings.origin("server_host") == "environment LINEAGE_HUB_SERVER_HOST"
    assert settings.origin("log_level") == f"file {path}"
    assert settings.origin("url") == "default"


def test_a_table_in_the_file_is_the_same_as_the_flat_name(tmp_path: Path):
    path = write(tmp_path / "hub.toml", "[server]\nport = 1\n[ingest.group]\nwait_ms = 5\n")
    settings = load_settings(config=path, environ={})
    assert (settings.server_port, settings.ingest_group_wait_ms) == (1, 5.0)


def test_the_file_is_looked_for_here_and_then_in_the_users_folder(tmp_path: Path):
    write(tmp_path / "XDG_CONFIG_HOME" / "lineage-hub" / "lineage-hub.toml", "server_port = 1")
    assert load_settings(environ={}).server_port == 1
    write(tmp_path / "lineage-hub.toml", "server_port = 2")
    assert load_settings(environ={}).server_port == 2
    named = write(tmp_path / "named.toml", "server_port = 3")
    assert load_settings(environ={"LINEAGE_HUB_CONFIG": str(named)}).server_port == 3
    assert load_settings(config=write(tmp_path / "flag.toml", "server_port = 4"), environ={}).server_port == 4


def test_a_misspelt_variable_is_refused_with_the_nearest_name():
    with pytest.raises(InvalidSetting, match="LINEAGE_HUB_SERVER_PROT") as caught:
        load_settings(environ={"LINEAGE_HUB_SERVER_PROT": "1"})
    assert "LINEAGE_HUB_SERVER_PORT" in str(caught.value.action)


def test_what_kubernetes_sets_beside_a_service_of_the_name_is_no_misspelt_setting():
    beside = ("SERVICE_HOST", "SERVICE_PORT", "SERVICE_PORT_HTTP", "PORT", "PORT_8000_TCP", "PORT_8000_TCP_ADDR")
    assert load_settings(environ={f"LINEAGE_HUB_{name}": "tcp://10.0.0.1:8000" for name in beside}) == Settings()
    with pytest.raises(InvalidSetting, match="unknown environment variable LINEAGE_HUB_PORTS"):
        load_settings(environ={"LINEAGE_HUB_PORTS": "1"})


def test_a_setting_that_stands_twice_in_the_file_is_refused(tmp_path: Path):
    path = write(tmp_path / "hub.toml", "server_port = 1\n[server]\nport = 2\n")
    with pytest.raises(InvalidSetting, match="server_port stands twice"):
        load_settings(config=path, environ={})


def test_a_misspelt_key_in_the_file_is_refused_with_the_nearest_name(tmp_path: Path):
    path = write(tmp_path / "hub.toml", "[ingest]\nmax_event = 1")
    with pytest.raises(InvalidSetting, match="ingest_max_event in") as caught:
        load_settings(config=path, environ={})
    assert "ingest_max_events" in str(caught.value.action)


def test_a_file_that_is_missing_or_not_toml_is_refused(tmp_path: Path):
    with pytest.raises(InvalidSetting, match="can't be read"):
        load_settings(config=tmp_path / "absent.toml", environ={})
    with pytest.raises(InvalidSetting, match="is not TOML"):
        load_settings(config=write(tmp_path / "bad.toml", "server_port ="), environ={})
    (tmp_path / "latin.toml").write_bytes(b"url = '\xe9'")
    with pytest.raises(InvalidSetting, match="is not TOML"):
        load_settings(config=tmp_path / "latin.toml", environ={})


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("SERVER_PORT", "x", "a whole number"),
        ("SERVER_PORT", "1.5", "a whole number"),
        ("SERVER_PORT", "65536", "at most 65535"),
        ("INGEST_GROUP_WAIT_MS", "20.1", "at most 20"),
        ("INGEST_GROUP_WAIT_MS", "-1", "at least 0"),
        ("INGEST_TIMEOUT_S", "nan", "at least 0.1"),
        ("INGEST_TIMEOUT_S", "inf", "at most 3600"),
        ("INGEST_MAX_EVENTS", "", "a whole number"),
        ("LOG_LEVEL", "loud", "one of debug, info, warning, error"),
        ("DATA_DIR", "", "a path"),
    ],
)
def test_a_value_out_of_its_bounds_is_refused_and_says_where_it_came_from(variable: str, value: str, says: str):
    with pytest.raises(InvalidSetting, match=says) as caught:
        load_settings(environ={f"LINEAGE_HUB_{variable}": value})
    assert f"environment LINEAGE_HUB_{variable}" in caught.value.message


@pytest.mark.parametrize("text", ["server_port = true", "server_port = 1.0", "url = 1", "url = ['x']"])
def test_a_value_of_the_wrong_type_in_the_file_is_refused(tmp_path: Path, text: str):
    with pytest.raises(InvalidSetting, match="must be"):
        load_settings(config=write(tmp_path / "hub.toml", text), environ={})


def test_secrets_are_masked_wherever_settings_are_shown():
    settings = load_settings(
        {"api_key": "swordfish", "database_url": "postgresql+psycopg://ann:sword@fish@db/hub"}, environ={}
    )
    assert settings.shown("api_key") == MASK
    assert settings.shown("database_url") == f"postgresql+psycopg://ann:{MASK}@db/hub"
    assert "fish" not in repr(settings)


def test_a_refused_secret_is_not_shown(tmp_path: Path):
    with pytest.raises(InvalidSetting) as caught:
        load_settings(config=write(tmp_path / "hub.toml", "api_key = 12345"), environ={})
    assert "12345" not in caught.value.message


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        ("", ""),
        ("sqlite:////data/lineage.db", "sqlite:////data/lineage.db"),
        ("http://hub:8000/a:b@c", "http://hub:8000/a:b@c"),
        ("postgresql://ann@db/hub", "postgresql://ann@db/hub"),
        ("postgresql://:pw@db/hub", f"postgresql://:{MASK}@db/hub"),
        ("postgresql://db/hub?user=a&password=pw&x=1", f"postgresql://db/hub?user=a&password={MASK}&x=1"),
    ],
)
def test_only_the_password_of_a_url_is_masked(url: str, masked: str):
    assert mask_url(url) == masked


def test_settings_can_not_be_changed():
    with pytest.raises(AttributeError):
        Settings().server_port = 1  # type: ignore[misc]
