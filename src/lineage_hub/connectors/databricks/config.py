"""A YAML file, the environment and flags enter, in rising order of weight; one frozen `ScanConfig` leaves.

Two forms of file are read: the short one that docs/databricks.md lists, and the one with `source:` and
`serviceConnection:` that ingestion frameworks use. A key that is unknown is an error that names the nearest valid one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from lineage_hub.errors import ExtraMissing, InvalidSetting

HOST_VARIABLE, TOKEN_VARIABLE = "DATABRICKS_HOST", "DATABRICKS_TOKEN"
_HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_])?\.?|[0-9A-Fa-f:.]+")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True)
class KafkaCluster:
    """Brokers that are one cluster, under the name that a team gave it."""

    name: str
    brokers: tuple[str, ...]
    namespace: str = ""  # empty: kafka:// and the first broker


@dataclass(frozen=True)
class Chosen:
    """Which pipelines or jobs are looked at: ids and names, names also as globs or regular expressions."""

    names: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()

    def takes(self, name: str, id_: str) -> bool:
        if any(re.search(one, name) for one in self.excludes):
            return False
        if not self.names and not self.includes:
            return True
        return any(one == id_ or fnmatchcase(name, one) for one in self.names) or any(
            re.search(one, name) for one in self.includes
        )


NONE = Chosen(excludes=("",))  # every name holds the empty text


@dataclass(frozen=True)
class ScanConfig:
    """What a scan goes by."""

    workspace: str = ""
    token: str = field(default="", repr=False)
    pipelines: Chosen = Chosen()
    jobs: Chosen = Chosen()
    clusters: tuple[KafkaCluster, ...] = ()
    default_cluster: str = ""
    """Of reads whose brokers can't be known from the code."""
    configuration: Mapping[str, str] = field(default_factory=dict)
    """Goes before every value that the workspace has."""
    catalog: str = ""
    schema: str = ""
    """Of tables that neither the code nor their pipeline qualifies."""
    namespace: str = ""
    """Of jobs and tables; empty: databricks:// and the workspace's host."""
    include_kafka_lineage: bool = True
    unity_catalog: bool = True
    concurrency: int = 16
    timeout_s: float = 30.0
    attempts: int = 6
    cache: str = ""
    notes: tuple[str, ...] = ()
    """What the file has and a scan does not go by."""

    @property
    def host(self) -> str:
        return urlsplit(self.workspace).netloc.rpartition("@")[2]

    @property
    def resolved_namespace(self) -> str:
        return self.namespace or f"databricks://{self.host or 'local'}"


def load_config(
    file: str | Path | None = None, environ: Mapping[str, str] | None = None, **flags: object
) -> ScanConfig:
    """A flag that is None was not given."""
    environ = os.environ if environ is None else environ
    values = _from_file(Path(file), environ) if file is not None else {}
    for name, variable in (("workspace", HOST_VARIABLE), ("token", TOKEN_VARIABLE)):
        if not values.get(name) and environ.get(variable):
            values[name] = environ[variable]
    given = {name: value for name, value in flags.items() if value is not None}
    if isinstance(given.get("configuration"), Mapping):
        given["configuration"] = {**values.get("configuration", {}), **given["configuration"]}  # type: ignore[dict-item]
    return _checked(ScanConfig(**{**values, **given}))


def _from_file(path: Path, environ: Mapping[str, str]) -> dict[str, Any]:
    try:
        import yaml  # type: ignore[import-untyped]
    except ImportError:
        raise ExtraMissing.of("connectors", "a configuration file of a scan") from None
    try:
        text = path.read_text(encoding="utf-8")
        document = yaml.safe_load(text)
        if isinstance(document, dict) and "configuration" in document:
            document["configuration"] = yaml.load(text, Loader=_as_written(yaml))["configuration"]
    except OSError as error:
        raise InvalidSetting(
            f"the file {path} can't be read: {error.strerror}", subject=str(path), action="name a file that exists"
        ) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        # The library's message may show the line, and a token on it.
        mark = getattr(error, "problem_mark", None)
        place = f" at line {mark.line + 1}" if mark is not None else ""
        raise InvalidSetting(f"{path} is not YAML{place}", subject=str(path), action="correct the file") from None
    if not isinstance(document, Mapping):
        raise InvalidSetting(f"{path} holds no keys", subject=str(path), action="see docs/databricks.md for an example")
    found = _of_service(document, str(path)) if "source" in document else _of_short(document, str(path))
    return {name: _with_variables(value, environ) if name in ("workspace", "token") else value
            for name, value in found.items()}  # fmt: skip


def _as_written(yaml: Any) -> Any:
    """Values of programs are texts: `no`, `1.10` and `007` mean what is written. Only nothing at all is nothing."""

    class AsWritten(yaml.SafeLoader):  # type: ignore[misc]
        yaml_implicit_resolvers: ClassVar = {
            first: [one for one in known if one[0].endswith((":null", ":merge"))]
            for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

    return AsWritten


def _with_variables(value: Any, environ: Mapping[str, str]) -> Any:
    """`${NAME}` is taken from the environment, so that a file needs no secret."""
    if not isinstance(value, str):
        return value
    missing = [name for name in _VARIABLE.findall(value) if name not in environ]
    if missing:
        raise InvalidSetting(
            f"the environment has no {missing[0]}, which the file names", subject=missing[0], action="set it"
        )
    return _VARIABLE.sub(lambda match: environ[match[1]], value)


# The short form: a key, the member of ScanConfig that it fills, and what reads it.
_SHORT = (
    "workspace", "token", "pipelines", "jobs", "clusters", "default_cluster", "configuration", "catalog", "schema",
    "namespace", "include_kafka_lineage", "unity_catalog", "concurrency", "timeout_s", "attempts", "cache",
)  # fmt: skip


def _of_short(document: Mapping[str, Any], where: str) -> dict[str, Any]:
    _check_keys(document, _SHORT, where)
    found: dict[str, Any] = dict(document)
    for name in ("pipelines", "jobs"):
        if name in found:
            names = tuple(_texts(found[name], f"{name} in {where}"))
            found[name] = Chosen(names=names) if names else NONE
    if "clusters" in found:
        found["clusters"] = _clusters(found["clusters"], where)
    if "configuration" in found:
        found["configuration"] = _pairs(found["configuration"], f"configuration in {where}")
    return found


_SOURCE = ("type", "serviceName", "serviceConnection", "sourceConfig")
_CONNECTION = (
    "type", "hostPort", "token", "httpPath", "connectionTimeout", "connectionArguments", "connectionOptions",
    "supportsMetadataExtraction",
)  # fmt: skip
_SOURCE_CONFIG = (
    "type", "includeKafkaLineage", "messagingServiceNames", "dbServiceNames", "lineageInformation",
    "pipelineFilterPattern", "includeLineage", "includeTags", "includeOwners", "includeUnDeployedPipelines",
    "markDeletedPipelines", "overrideMetadata",
)  # fmt: skip
# Of the other program's own business.
_NOT_OURS = ("sink", "workflowConfig", "ingestionPipelineFQN")


def _of_service(document: Mapping[str, Any], where: str) -> dict[str, Any]:
    """What belongs to both forms may stand beside `source:`."""
    _check_keys(document, ("source", *_NOT_OURS, *_SHORT), where)
    source = _section(document, "source", where)
    _check_keys(source, _SOURCE, f"source of {where}")
    connection = _section(_section(source, "serviceConnection", where), "config", where)
    _check_keys(connection, _CONNECTION, f"serviceConnection of {where}")
    options = _section(_section(source, "sourceConfig", where), "config", where)
    _check_keys(options, _SOURCE_CONFIG, f"sourceConfig of {where}")
    found = _of_short({key: value for key, value in document.items() if key in _SHORT}, where)
    if "hostPort" in connection:
        found["workspace"] = connection["hostPort"]
    if "token" in connection:
        found["token"] = connection["token"]
    if "connectionTimeout" in connection:
        found["timeout_s"] = connection["connectionTimeout"]
    if "includeKafkaLineage" in options:
        found["include_kafka_lineage"] = options["includeKafkaLineage"]
    if pattern := options.get("pipelineFilterPattern"):
        _check_keys(pattern, ("includes", "excludes"), f"pipelineFilterPattern of {where}")
        chosen = Chosen(
            includes=tuple(_texts(pattern.get("includes", ()), "includes")),
            excludes=tuple(_texts(pattern.get("excludes", ()), "excludes")),
        )
        found |= {"pipelines": chosen, "jobs": chosen}
    found["clusters"], found["notes"] = _services(found.get("clusters", ()), options, document, where)
    return found


def _services(
    clusters: Iterable[KafkaCluster], options: Mapping[str, Any], document: Mapping[str, Any], where: str
) -> tuple[tuple[KafkaCluster, ...], tuple[str, ...]]:
    """The services of messages that are named choose among `clusters`, and what a scan does not need is said."""
    known = {one.name: one for one in clusters}
    named = _texts(options.get("messagingServiceNames", ()), f"messagingServiceNames in {where}")
    notes = [
        f"messagingServiceNames names {name}, whose brokers are not known: write clusters: {name}: [host:port]"
        for name in named
        if name not in known
    ]
    if _texts(options.get("dbServiceNames", ()), f"dbServiceNames in {where}"):
        notes.append("dbServiceNames is not needed: tables have the names that Unity Catalog gives them")
    notes += [f"{name} belongs to another program and is left out" for name in _NOT_OURS if name in document]
    chosen = [known[name] for name in named if name in known] if named else list(known.values())
    return tuple(chosen), tuple(notes)


def _section(document: Mapping[str, Any], name: str, where: str) -> Mapping[str, Any]:
    found = document.get(name) or {}
    if not isinstance(found, Mapping):
        raise InvalidSetting(f"{name} in {where} must hold keys", subject=name, action="see docs/databricks.md")
    return found


def _check_keys(given: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in given:
        if key not in known:
            near = get_close_matches(str(key), known, 1, 0.0)[0]
            raise InvalidSetting(
                f"unknown key {key} in {where}", subject=str(key), action=f"did you mean {near}? Otherwise remove it"
            )


def _texts(value: Any, where: str) -> list[str]:
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list | tuple) or not all(isinstance(one, str | int) for one in found):
        raise InvalidSetting(f"{where} must be a list of names", subject=where, action="write one name a line")
    return [str(one) for one in found]


def _pairs(value: Any, where: str) -> dict[str, str]:
    if not isinstance(value, Mapping) or any(isinstance(one, Mapping | list) for one in value.values()):
        raise InvalidSetting(f"{where} must be names with their values", subject=where, action="write name: value")
    for key, one in value.items():
        if one is None:
            raise InvalidSetting(f"{key} in {where} has no value", subject=str(key), action='write one, or "" for none')
    return {str(key): str(one) for key, one in value.items()}


def _clusters(value: Any, where: str) -> tuple[KafkaCluster, ...]:
    if not isinstance(value, Mapping):
        raise InvalidSetting(
            f"clusters in {where} must be names with their brokers",
            subject="clusters",
            action="write name: [host:port, …]",
        )
    found = []
    for name, one in value.items():
        if isinstance(one, Mapping):
            _check_keys(one, ("brokers", "namespace"), f"clusters.{name} of {where}")
        parts = one if isinstance(one, Mapping) else {"brokers": one}
        brokers = [
            broker.strip()
            for text in _texts(parts.get("brokers", ()), f"clusters.{name} in {where}")
            for broker in text.split(",")
            if broker.strip()
        ]
        if not brokers:
            raise InvalidSetting(f"the cluster {name} has no brokers", subject=str(name), action="write host:port")
        found.append(KafkaCluster(str(name), tuple(brokers), str(parts.get("namespace") or "")))
    return tuple(found)


def _checked(config: ScanConfig) -> ScanConfig:
    config = replace(config, workspace=checked_address(config.workspace), token=checked_token(config.token))
    for one, least, most in (("concurrency", 1, 256), ("timeout_s", 0.1, 3600), ("attempts", 1, 100)):
        value = getattr(config, one)
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise InvalidSetting(f"{one} must be from {least} to {most}", subject=one, action="correct it")
        if one != "timeout_s" and not isinstance(value, int):
            raise InvalidSetting(f"{one} must be a whole number", subject=one, action="correct it")
    for member in fields(config):
        if member.type == "bool" and not isinstance(getattr(config, member.name), bool):
            raise InvalidSetting(f"{member.name} must be true or false", subject=member.name, action="correct it")
        if member.type == "str" and not isinstance(getattr(config, member.name), str):
            raise InvalidSetting(f"{member.name} must be text", subject=member.name, action="put it in quotes")
    names = [one.name for one in config.clusters]
    if config.default_cluster and config.default_cluster not in names:
        raise InvalidSetting(
            f"default_cluster names {config.default_cluster}, which is not among clusters",
            subject="default_cluster",
            action=f"name one of {', '.join(names) or 'the clusters that you add'}",
        )
    for chosen in (config.pipelines, config.jobs):
        for pattern in (*chosen.includes, *chosen.excludes):
            try:
                re.compile(pattern)
            except re.error as error:
                raise InvalidSetting(
                    f"{pattern!r} is no regular expression: {error}", subject=pattern, action="correct it"
                ) from None
    return config


def checked_address(given: object) -> str:
    if not given:
        return ""
    text = str(given).strip()
    if "://" not in text:
        text = f"https://{text}"
    try:
        parts = urlsplit(text)
        is_host = _HOST.fullmatch(parts.hostname or "") is not None
        if parts.scheme in ("http", "https") and is_host and (parts.port is None or parts.port):
            return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    except ValueError:
        pass
    raise InvalidSetting(
        f"{str(given).rpartition('@')[2]!r} is not the address of a workspace",
        subject="workspace",
        action="write https://adb-….azuredatabricks.net, https://….cloud.databricks.com or https://….gcp.databricks.com",
    )


def checked_token(token: object) -> str:
    text = str(token or "").strip()
    if not text:
        return ""
    if text.startswith("<") or not (text.isascii() and text.isprintable()) or " " in text:
        raise InvalidSetting(
            "the token can't be one: it holds spaces, line breaks or a placeholder",
            subject="token",
            action=f"set {TOKEN_VARIABLE} to a personal access token or that of a service principal",
        )
    return text
