"""A file, the environment and flags enter; one frozen `Settings` leaves, which knows each value's origin.

The table below is the only list of settings: names, defaults, bounds, help and flags are all derived from it.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from lineage_hub.errors import InvalidSetting

PREFIX = "LINEAGE_HUB_"
FILE_NAME = "lineage-hub.toml"
MASK = "********"
# What the SDK reads: it shares the prefix, and often the environment.
SDK_VARIABLES = frozenset(
    PREFIX + name
    for name in (
        "SDK_CONFIG", "HUB_ENDPOINT", "NAMESPACE", "TIMEOUT", "RETRY_ATTEMPTS", "RETRY_DELAY", "ENABLE_TELEMETRY",
        "ENABLE_LINEAGE", "AUTO_INSTRUMENT", "BATCH_SIZE", "FLUSH_INTERVAL", "DEBUG", "DRY_RUN", "DURABLE",
        "SPOOL_FOLDER",
    )
)  # fmt: skip
# CONFIG names the file itself; PROOF sizes the tests of a checkout and reaches the hubs that they start.
OTHER_VARIABLES = SDK_VARIABLES | {"LINEAGE_HUB_CONFIG", "LINEAGE_HUB_PROOF"}
# Kubernetes sets these in every pod beside a service that is called lineage-hub; they are no misspelt settings.
SERVICE_VARIABLE = re.compile(PREFIX + r"(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?)")

MIB = 1024 * 1024
T = TypeVar("T")


def default_data_dir() -> Path:
    return _user_folder("XDG_DATA_HOME", ".local/share")


def default_state_dir() -> Path:
    return _user_folder("XDG_STATE_HOME", ".local/state")


def default_cache_dir() -> Path:
    return _user_folder("XDG_CACHE_HOME", ".cache")


def _user_folder(variable: str, beneath_home: str) -> Path:
    base = os.environ.get(variable)
    return (Path(base) if base else Path.home() / beneath_home) / "lineage-hub"


def _setting(
    default: T,
    help_text: str,
    *,
    made_by: Callable[[], T] | None = None,
    least: float | None = None,
    most: float | None = None,
    choices: tuple[str, ...] = (),
    secret: Literal["", "whole", "url"] = "",
    flag: str = "",
) -> T:
    facts = {
        "help": help_text,
        "least": least,
        "most": most,
        "choices": choices,
        "secret": secret,
        "flag": flag,
    }
    if made_by is not None:
        return field(default_factory=made_by, metadata=facts)
    return field(default=default, metadata=facts)


@dataclass(frozen=True, slots=True, repr=False)
class Settings:
    """Every setting of the hub and its commands, named for its part."""

    data_dir: Path = _setting(Path(), "Folder that holds the embedded store.", made_by=default_data_dir, flag="--data")
    database_url: str = _setting(
        "", "Database of the lineage store; empty means SQLite in the data folder.", secret="url"
    )
    server_host: str = _setting("127.0.0.1", "Address that the hub listens on.", flag="--host")
    server_port: int = _setting(8000, "Port that the hub listens on; 0 takes a free one.",
                                least=0, most=65535, flag="--port")  # fmt: skip
    server_shutdown_s: float = _setting(
        30.0, "Seconds that requests in flight get to finish when the hub stops.", least=0, most=3600
    )
    root_path: str = _setting("", "Path that a proxy serves the hub under, such as /lineage; empty means the root.")
    forwarded_prefix: str = _setting(
        "ignore", "Whether X-Forwarded-Prefix of a request names that path.", choices=("ignore", "trust")
    )
    sample_data: str = _setting(
        "allow", "Whether an empty hub may be filled with a week of sample events from its page.",
        choices=("allow", "refuse"),
    )  # fmt: skip
    ingest_max_body_bytes: int = _setting(
        32 * MIB, "Largest request body, after decompression.", least=1024, most=1024 * MIB
    )
    ingest_max_events: int = _setting(10_000, "Most events in one request.", least=1, most=1_000_000)
    ingest_max_name_bytes: int = _setting(
        65_536, "Longest namespace, name or field name, in bytes of UTF-8.", least=64, most=MIB
    )
    ingest_group_events: int = _setting(500, "Most events in one transaction.", least=1, most=100_000)
    ingest_group_wait_ms: float = _setting(
        2.0, "Longest time an event waits for others to share its transaction.", least=0, most=20
    )
    ingest_queue_bytes: int = _setting(
        256 * MIB,
        "Bytes of accepted requests that may wait for the writer before new ones get 503.",
        least=MIB,
    )
    ingest_timeout_s: float = _setting(
        30.0, "Longest wait for an event to become durable before its request gets 503.", least=0.1, most=3600
    )
    store_read_connections: int = _setting(4, "Connections for reading.", least=1, most=256)
    store_busy_timeout_s: float = _setting(10.0, "Longest wait for a lock of the database.", least=0, most=600)
    store_cache_mb: int = _setting(
        32, "Page cache of SQLite: of all readers together, and of the writer.", least=1, most=65_536
    )
    read_max_nodes: int = _setting(
        20_000, "Most nodes in one lineage answer; the rest is counted, not shown.", least=1, most=10_000_000
    )
    read_memory_mb: int = _setting(
        256, "Memory for answers about the present that are kept ready.", least=0, most=1_048_576
    )
    dead_letter_max: int = _setting(
        10_000, "Most dead letters kept; at the bound the oldest go.", least=1, most=10_000_000
    )
    dead_letter_body_bytes: int = _setting(
        65_536, "Bytes kept of a rejected body that is over the limit.", least=0, most=64 * MIB
    )
    lineage_retention_days: int = _setting(
        0, "Days that events of lineage stay; 0 keeps them for ever.", least=0, most=36_500
    )
    lineage_retention: str = _setting("", "Days for single tenants, as tenant=days, separated by commas.")
    retention_sweep_s: float = _setting(
        3600.0, "Seconds between two looks for events that are too old.", least=1, most=604_800
    )
    clickhouse_url: str = _setting(
        "", "ClickHouse server for telemetry; empty means its engine in a process of the hub, in the data folder.",
        secret="url",
    )  # fmt: skip
    telemetry_retention_days: int = _setting(30, "Days that telemetry is kept after it arrived.", least=1, most=36_500)
    telemetry_retention: str = _setting("", "Days for single namespaces, as namespace=days, separated by commas.")
    telemetry_queue_bytes: int = _setting(
        128 * MIB, "Bytes of telemetry that may wait for the store before new requests get 503.", least=MIB
    )
    telemetry_batch_rows: int = _setting(20_000, "Most rows in one insert of telemetry.", least=1, most=1_000_000)
    telemetry_batch_wait_ms: float = _setting(
        100.0, "Longest time that telemetry waits for other requests to share its insert.", least=0, most=10_000
    )
    telemetry_max_metric_names: int = _setting(
        50_000, "Most names of metrics in a namespace; points of further ones are rejected.", least=1, most=10_000_000
    )
    otlp_grpc_port: int = _setting(
        0, "Port that takes OpenTelemetry's OTLP over gRPC, usually 4317; 0 means none.", least=0, most=65535
    )
    self_trace_endpoint: str = _setting(
        "", "OTLP receiver that the hub sends spans and metrics of itself to; empty means none.", secret="url"
    )
    pipeline_folder: str = _setting("", "Folder with the pipelines that may be started over the API; empty means none.")
    pipeline_roots: str = _setting(
        "", "Folders and URI prefixes that such pipelines may read and write, separated by commas."
    )
    pipeline_databases: str = _setting(
        "", "Beginnings of JDBC addresses that such pipelines may use, separated by commas."
    )
    pipeline_modules: str = _setting("", "Python modules whose functions such pipelines may call, separated by commas.")
    pipeline_environment: str = _setting(
        "", "Variables of the hub's environment that a pipeline's driver gets, separated by commas."
    )
    pipeline_inline: str = _setting(
        "refuse", "Whether a definition may come with the request that starts it.", choices=("refuse", "allow")
    )
    pipeline_master: str = _setting("local[*]", "Spark's master for pipelines that are started over the API.")
    pipeline_most_running: int = _setting(
        2, "Most pipelines that run at a time; one more gets 503.", least=1, most=1000
    )
    log_level: str = _setting("info", "Least level that is logged.",
                              choices=("debug", "info", "warning", "error"))  # fmt: skip
    log_format: str = _setting(
        "auto", "Shape of log lines; auto is console on a terminal, else json.",
        choices=("auto", "json", "console"),
    )  # fmt: skip
    url: str = _setting("http://127.0.0.1:8000", "Hub that commands talk to.", secret="url", flag="--url")
    api_key: str = _setting("", "Key that commands send to the hub.", secret="whole")

    origins: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    @property
    def resolved_database_url(self) -> str:
        return self.database_url or f"sqlite:///{self.data_dir / 'lineage.db'}"

    def shown(self, name: str) -> str:
        """The value as a person may see it: secrets masked."""
        value = getattr(self, name)
        secret = by_name(name).metadata["secret"]
        if secret == "whole" and value:
            return MASK
        if secret == "url":
            return mask_url(value)
        return f"{value:g}" if isinstance(value, float) else str(value)

    def origin(self, name: str) -> str:
        return self.origins.get(name, "default")

    def __repr__(self) -> str:
        return f"Settings({', '.join(f'{f.name}={self.shown(f.name)!r}' for f in every_setting())})"


def make_data_dir(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidSetting(
            f"the data folder {folder} can't be made: {error.strerror}",
            subject="data_dir",
            action="name another with --data or LINEAGE_HUB_DATA_DIR",
        ) from None
    return folder


def every_setting() -> Iterator["Field[Any]"]:
    return (f for f in fields(Settings) if f.name != "origins")


def by_name(name: str) -> "Field[Any]":
    return next(f for f in every_setting() if f.name == name)


def type_of(setting: "Field[Any]") -> str:
    return str(getattr(setting.type, "__name__", setting.type))


def flag_of(setting: "Field[Any]") -> str:
    return setting.metadata["flag"] or "--" + setting.name.replace("_", "-")


def variable_of(setting: "Field[Any]") -> str:
    return PREFIX + setting.name.upper()


def mask_url(url: str) -> str:
    """Without the password, wherever a URL can carry one: before the host, or among its parameters."""
    masked = re.sub(r"(?<=://)([^:@/?#]*):[^/?#]*@", rf"\1:{MASK}@", url)
    return re.sub(r"(?i)([?&](?:password|sslpassword|api_?key|token)=)[^&#]*", rf"\1{MASK}", masked)


def load_settings(
    flags: Mapping[str, object] | None = None,
    config: str | Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Defaults, then the file, then the environment, then flags; a flag that is None was not given."""
    environ = os.environ if environ is None else environ
    values: dict[str, object] = {}
    origins: dict[str, str] = {}
    for found in (_from_file(config, environ), _from_environment(environ), _from_flags(flags or {})):
        for setting, raw, origin in found:
            values[setting.name] = _checked(setting, raw, origin)
            origins[setting.name] = origin
    return Settings(**values, origins=MappingProxyType(origins))  # type: ignore[arg-type]


Found = Iterator[tuple["Field[Any]", object, str]]


def _from_file(config: str | Path | None, environ: Mapping[str, str]) -> Found:
    path = _file_to_read(config, environ)
    if path is None:
        return
    import tomllib

    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidSetting(
            f"the settings file {path} can't be read: {error.strerror}",
            subject=str(path),
            action="name a file that exists with --config or LINEAGE_HUB_CONFIG",
        ) from error
    except ValueError as error:
        raise InvalidSetting(
            f"the settings file {path} is not TOML: {error}", subject=str(path), action="correct the file"
        ) from error
    known = {setting.name: setting for setting in every_setting()}
    seen: set[str] = set()
    for key, raw in _flattened(table):
        if key not in known:
            raise _unknown(f"setting {key} in {path}", key, known)
        if key in seen:
            raise InvalidSetting(
                f"{key} stands twice in {path}, flat and in a table", subject=key, action="keep one of the two"
            )
        seen.add(key)
        yield known[key], raw, f"file {path}"


def _file_to_read(config: str | Path | None, environ: Mapping[str, str]) -> Path | None:
    named = config or environ.get("LINEAGE_HUB_CONFIG")
    if named:
        return Path(named)
    usual = (Path(FILE_NAME), _user_folder("XDG_CONFIG_HOME", ".config") / FILE_NAME)
    return next((path.absolute() for path in usual if path.is_file()), None)


def _flattened(table: Mapping[str, object], before: str = "") -> Iterator[tuple[str, object]]:
    """`[server] port = 1` and `server_port = 1` are the same."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flattened(value, f"{before}{key}_")
        else:
            yield before + key, value


def _from_environment(environ: Mapping[str, str]) -> Found:
    known = {variable_of(setting): setting for setting in every_setting()}
    for variable in sorted(environ):
        if not variable.startswith(PREFIX) or variable in OTHER_VARIABLES:
            continue
        if variable not in known and SERVICE_VARIABLE.fullmatch(variable):
            continue
        if variable not in known:
            raise _unknown(f"environment variable {variable}", variable, known)
        yield known[variable], environ[variable], f"environment {variable}"


def _from_flags(flags: Mapping[str, object]) -> Found:
    for name, raw in flags.items():
        if raw is not None:
            setting = by_name(name)
            yield setting, raw, f"flag {flag_of(setting)}"


def _unknown(what: str, name: str, known: Mapping[str, object]) -> InvalidSetting:
    import difflib

    near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)[0]
    return InvalidSetting(f"unknown {what}", subject=name, action=f"did you mean {near}? Otherwise remove it")


def _checked(setting: "Field[Any]", raw: object, origin: str) -> object:
    facts = setting.metadata
    value = _converted(setting, raw)
    if value is None:
        wanted = {"int": "a whole number", "float": "a number", "Path": "a path"}.get(type_of(setting), "text")
        raise _refused(setting, raw, origin, f"must be {wanted}")
    if facts["choices"] and value not in facts["choices"]:
        raise _refused(setting, raw, origin, f"must be one of {', '.join(facts['choices'])}")
    least, most = facts["least"], facts["most"]
    if least is not None and not least <= value:
        raise _refused(setting, raw, origin, f"must be at least {least}")
    if most is not None and not value <= most:
        raise _refused(setting, raw, origin, f"must be at most {most}")
    return value


def _converted(setting: "Field[Any]", raw: object) -> Any:
    """The raw value in the setting's type, or None when it can't be one."""
    if isinstance(raw, bool):
        return None
    if setting.type is Path:
        return Path(raw).expanduser() if isinstance(raw, str | Path) and str(raw) else None
    if setting.type is str:
        return raw if isinstance(raw, str) else None
    if not isinstance(raw, str | int | float) or (setting.type is int and isinstance(raw, float)):
        return None
    try:
        return int(raw) if setting.type is int else float(raw)
    except ValueError:
        return None


def _refused(setting: "Field[Any]", raw: object, origin: str, rule: str) -> InvalidSetting:
    shown = MASK if setting.metadata["secret"] else repr(raw)
    return InvalidSetting(
        f"{setting.name} {rule}, but is {shown} ({origin})", subject=setting.name, action=f"correct {origin}"
    )
