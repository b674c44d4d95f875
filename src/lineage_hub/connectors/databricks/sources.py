"""Source code of pipelines, jobs and notebooks enters; the streams, tables and files that it reads and fills leave.

The code is understood and never run. Nothing is raised on any input: what can't be read is among the problems.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from lineage_hub.connectors.databricks.reading import KafkaSourceConfig, Problem, Reading, StreamSource

__all__ = [
    "KafkaSourceConfig",
    "StreamSource",
    "extract_kafka_sources",
    "extract_sources",
    "get_pipeline_libraries",
    "read_program",
]

Language = Literal["python", "sql", "auto"]
_NOTHING: Mapping[str, str] = {}


def read_program(
    source: str,
    *,
    language: Language = "auto",
    path: str = "",
    configuration: Mapping[str, str] = _NOTHING,
    files: Mapping[str, str] = _NOTHING,
    columns: bool = True,
) -> Reading:
    """All that one program does, with its values from `configuration` and its imports from `files`.

    Without `columns` those of SQL are left out, which takes half the time.
    """
    if not _is_text(source):
        return Reading()
    from lineage_hub.connectors.databricks.program.run import run_program
    from lineage_hub.connectors.databricks.texts import presentable

    try:
        reading = run_program(
            source,
            language=_language(language),
            path=path if _is_text(path) else "",
            configuration=_texts(configuration),
            files=_texts(files),
            traces_columns=columns,
        )
        return presentable(reading)
    except Exception as error:
        return Reading(problems=[Problem(0, f"the program could not be read: {type(error).__name__}")])


def _language(given: object) -> Language:
    """A language that is none leaves it to the text."""
    said = given.lower() if isinstance(given, str) else ""
    return "python" if said == "python" else "sql" if said == "sql" else "auto"


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _texts(mapping: object) -> dict[str, str]:
    if not isinstance(mapping, Mapping):
        return {}
    return {
        key: value if isinstance(value, str) else str(value)
        for key, value in mapping.items()
        if isinstance(key, str) and value is not None
    }


def extract_sources(
    source: str,
    *,
    language: Language = "auto",
    path: str = "",
    configuration: Mapping[str, str] = _NOTHING,
    files: Mapping[str, str] = _NOTHING,
) -> list[StreamSource]:
    """The reads and sinks of a program, by line."""
    return read_program(
        source, language=language, path=path, configuration=configuration, files=files, columns=False
    ).sources


def extract_kafka_sources(source_code: str) -> list[KafkaSourceConfig]:
    """What a program says of the Kafka topics that it reads. A read whose topics can't be known is left out."""
    found: list[KafkaSourceConfig] = []
    for one in extract_sources(source_code):
        if one.kind == "kafka" and one.topics:
            config = KafkaSourceConfig(one.bootstrap, one.topics, one.group_id_prefix)
            if config not in found:
                found.append(config)
    return found


def get_pipeline_libraries(pipeline_config: Mapping[str, object]) -> list[str]:
    """Paths of a pipeline's notebooks, files and folders, in order, each once. What is malformed is left out."""
    found: list[str] = []
    for libraries in (_member(pipeline_config, "libraries"), _member(_member(pipeline_config, "spec"), "libraries")):
        for library in libraries if isinstance(libraries, list | tuple) else ():
            for path in _paths(library):
                if path not in found:
                    found.append(path)
    return found


def _member(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, Mapping) else None


def _paths(library: object) -> list[str]:
    places = (("notebook", "path"), ("file", "path"), ("glob", "include"))
    values = [_member(_member(library, kind), name) for kind, name in places]
    return [value for value in values if isinstance(value, str) and value.strip()]
