"""Flows enter; what OpenLineage says of them leaves: static events of jobs, and the parts that events of runs share.

A job stands for the pipeline or task, and one below it for each table that it fills. All of it is a function of code
and configuration, so that a scan which finds nothing new says nothing new.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from urllib.parse import quote

import msgspec

from lineage_hub import __version__
from lineage_hub.connectors.databricks.addresses import plain_path
from lineage_hub.connectors.databricks.connection import Json, objects_of
from lineage_hub.connectors.databricks.flows import Evidence, Flow, Origin
from lineage_hub.connectors.databricks.names import DatasetName, Namer
from lineage_hub.connectors.databricks.programs import Work
from lineage_hub.sdk.said import facet, own_facet

PRODUCER = f"https://github.com/lineage-hub/lineage-hub/tree/{__version__}/connectors/databricks"
JOB_EVENT = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent"
Facets = dict[str, Any]
_LATEST_MS = 253_402_300_799_000  # the end of the year 9999: a workspace that says more has no clock
CODE_ONLY = "seen_in_code_only"
_TYPES = {"pipeline": "PIPELINE", "task": "TASK", "file": "FILE"}


@dataclass
class ToldJob:
    """A job as events say it, with what it reads and fills."""

    namespace: str
    name: str
    facets: Facets
    inputs: dict[DatasetName, Facets] = field(default_factory=dict)
    outputs: dict[DatasetName, Facets] = field(default_factory=dict)
    modified_at: int = 0  # in milliseconds
    flow: str = ""  # the table's name, by which the event log knows it
    work: Work | None = None
    known_digest: str = ""

    def digest(self) -> str:
        """Of what it says, when all of that is there; not of when, nor of where it stands."""
        if not self.known_digest:
            self.known_digest = hashlib.sha256(msgspec.json.encode(self.members())).hexdigest()
        return self.known_digest

    def members(self) -> Json:
        """Of an event of a job or of a run."""
        return {
            "job": {"namespace": self.namespace, "name": self.name, "facets": self.facets},
            "inputs": [_dataset(*one) for one in sorted(self.inputs.items())],
            "outputs": [_dataset(*one) for one in sorted(self.outputs.items())],
        }


def job_event(at: str, members: Json) -> Json:
    return {"eventTime": at, "producer": PRODUCER, "schemaURL": JOB_EVENT, **members}


def _dataset(name: DatasetName, facets: Facets) -> Json:
    return {"namespace": name.namespace, "name": name.name, "facets": facets}


def iso(milliseconds: int) -> str:
    at = datetime.fromtimestamp(min(max(milliseconds, 0), _LATEST_MS) / 1000, UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Teller:
    """Of one work. `tables` is what Unity Catalog knows, `repos` the Git folders by their paths."""

    def __init__(
        self,
        work: Work,
        namer: Namer,
        namespace: str,
        *,
        host: str = "",
        tables: Mapping[str, Json] = {},
        repos: Mapping[str, Json] = {},
    ) -> None:
        self._work, self._namer, self._namespace = work, namer, namespace
        self._host, self._tables, self._repos = host, tables, repos

    def jobs(self, flows: Iterable[Flow], modified_at: Mapping[str, int]) -> list[ToldJob]:
        work = self._work
        found = list(flows)
        newest = max([work.modified_at, *modified_at.values()])
        whole = ToldJob(self._namespace, work.name, self._facets(None, None), modified_at=newest, work=work)
        jobs = [whole]
        for flow in found:
            if flow.name:
                told = ToldJob(self._namespace, f"{work.name}.{flow.name}", {}, flow=flow.name, work=work)
                jobs.append(told)
            else:
                told = whole
            told.facets = self._facets(flow, _first(flow.paths))
            told.inputs = {one: self._input(one) for one in flow.inputs}
            told.outputs = {one: self._output(one, flow) for one in flow.outputs}
            told.modified_at = max([work.modified_at, *(modified_at.get(path, 0) for path in flow.paths)])
        # A file runs nothing by itself: what it fills is told of its tables.
        return [one for one in jobs if one is not whole or work.kind != "file" or one.inputs or one.outputs]

    def _facets(self, flow: Flow | None, path: str | None) -> Facets:
        work = self._work
        is_streaming = work.is_streaming or (flow is not None and flow.is_streaming)
        facets: Facets = {
            "jobType": facet(
                "2-0-4/JobTypeJobFacet",
                processingType="STREAMING" if is_streaming else "BATCH",
                integration="DATABRICKS",
                jobType="TABLE" if flow is not None and flow.name else _TYPES[work.kind],
            )
        }
        said = (flow.comment if flow is not None else None) or (work.description if flow is None else "")
        if said:
            facets["documentation"] = facet("1-1-0/DocumentationJobFacet", description=said)
        if work.owner:
            owners = [{"name": f"user:{work.owner}", "type": "OWNER"}]
            facets["ownership"] = facet("1-0-1/OwnershipJobFacet", owners=owners)
        if work.tags:
            tags = [{"key": key, "value": value, "source": "DATABRICKS"} for key, value in sorted(work.tags.items())]
            facets["tags"] = facet("1-0-0/TagsJobFacet", tags=tags)
        if path is not None and (location := self._location(path)):
            facets["sourceCodeLocation"] = location
        if work.id:
            content = {"workspace": self._host, "kind": work.kind, "id": work.id, "url": work.url}
            facets["databricks"] = own_facet("DatabricksJobFacet", content)
        if flow is not None and flow.evidence:
            read = [_told_evidence(one) for one in sorted(flow.evidence, key=lambda one: (one.path, one.line))]
            facets["databricksSources"] = own_facet("DatabricksSourcesJobFacet", {"sources": read})
        if flow is not None and flow.expectations:
            rules = [
                {"name": one.name, "condition": one.condition, "action": one.action, "line": one.line}
                for one in flow.expectations.values()
            ]
            facets["databricksExpectations"] = own_facet("DatabricksExpectationsJobFacet", {"expectations": rules})
        return facets

    def _location(self, path: str) -> Facets | None:
        """In Git where the folder is one, else in the workspace; a file of this machine has none."""
        for root, repo in self._repos.items():
            if path.startswith(root.rstrip("/") + "/") and repo.get("url"):
                url = plain_path(str(repo["url"])) or ""
                content = {"type": "git", "url": url, "repoUrl": url}
                content["path"] = posixpath.relpath(path, root)
                for name, member in (("branch", "branch"), ("version", "head_commit_id")):
                    if repo.get(member):
                        content[name] = str(repo[member])
                return {**facet("1-1-0/SourceCodeLocationJobFacet"), **content}
        if not self._host:
            return None
        url = f"https://{self._host}/#workspace{quote(path)}"
        return {**facet("1-1-0/SourceCodeLocationJobFacet", type="databricks", url=url), "path": path}

    def _input(self, name: DatasetName) -> Facets:
        return self._of_topic(name) if name.namespace.startswith("kafka://") else self._of_place(name)

    def _of_place(self, name: DatasetName) -> Facets:
        return {"dataSource": _data_source(name.namespace)}

    def _of_topic(self, name: DatasetName) -> Facets:
        """Other brokers of its cluster are other names of it; one that only code tells of is marked so."""
        facets = self._of_place(name)
        cluster = self._namer.clusters.of(name.namespace.removeprefix("kafka://"), self._work.name)
        if not cluster.is_known:
            tags = [{"key": CODE_ONLY, "value": "true", "source": "DATABRICKS"}]
            facets["tags"] = facet("1-0-0/TagsDatasetFacet", tags=tags)
        if cluster.is_resolved and cluster.aliases:
            others = [{"namespace": one, "name": name.name, "type": "LOCATION"} for one in cluster.aliases]
            facets["symlinks"] = facet("1-0-1/SymlinksDatasetFacet", identifiers=others)
        return facets

    def _output(self, name: DatasetName, flow: Flow) -> Facets:
        facets = self._input(name)
        if flow.kind in ("view", "temporary_view", "materialized_view", "streaming_table"):
            content = {"datasetType": "TABLE" if flow.kind == "streaming_table" else "VIEW"}
            subtypes = {"materialized_view": "MATERIALIZED", "streaming_table": "STREAMING"}
            subtype = "TEMPORARY" if self._namer.is_view(flow.target) else subtypes.get(flow.kind)
            content |= {"subType": subtype} if subtype else {}
            facets["datasetType"] = facet("1-0-1/DatasetTypeDatasetFacet", **content)
        known = self._tables.get(name.name) if name.namespace == self._namespace else None
        if known is not None:
            facets |= of_unity_catalog(known)
        elif flow.columns:
            facets["schema"] = facet("1-2-0/SchemaDatasetFacet", fields=[{"name": one} for one in flow.columns])
        if flow.comment and "documentation" not in facets:
            facets["documentation"] = facet("1-1-0/DocumentationDatasetFacet", description=flow.comment)
        fields = {
            column: {"inputFields": _inputs(origins)} for column, origins in (flow.columns or {}).items() if origins
        }
        if fields:
            facets["columnLineage"] = facet("1-2-0/ColumnLineageDatasetFacet", fields=fields)
        return facets


def _inputs(origins: Iterable[Origin]) -> list[Facets]:
    kinds: dict[tuple[DatasetName, str], set[str]] = {}
    for one in origins:
        kinds.setdefault((one.dataset, one.column), set()).add("DIRECT" if one.direct else "INDIRECT")
    return [
        {
            "namespace": dataset.namespace,
            "name": dataset.name,
            "field": column,
            "transformations": [{"type": kind} for kind in sorted(found)],
        }
        for (dataset, column), found in sorted(kinds.items())
    ]


def _told_evidence(one: Evidence) -> Facets:
    source = one.source
    told: Facets = {"path": one.path, "line": source.line, "kind": source.kind, "confidence": source.confidence}
    for name in ("topics", "pattern", "bootstrap", "unresolved"):
        if value := getattr(source, name):
            told[name] = value
    if source.path and source.kind != "table":
        told["place"] = source.path
    return told


def of_unity_catalog(table: Json) -> Facets:
    """What Unity Catalog says of a table: its columns, owner and comment."""
    facets: Facets = {}
    columns = [one for one in objects_of(table, "columns") if one.get("name")]
    if columns:
        fields = [
            {"name": str(one["name"]), "type": str(one.get("type_text") or one.get("type_name") or "")}
            | ({"description": str(one["comment"])} if one.get("comment") else {})
            for one in sorted(columns, key=_position)
        ]
        facets["schema"] = facet("1-2-0/SchemaDatasetFacet", fields=fields)
    if table.get("owner"):
        owners = [{"name": f"user:{table['owner']}", "type": "OWNER"}]
        facets["ownership"] = facet("1-0-1/OwnershipDatasetFacet", owners=owners)
    if table.get("comment"):
        facets["documentation"] = facet("1-1-0/DocumentationDatasetFacet", description=str(table["comment"]))
    return facets


def _position(column: Json) -> int:
    position = column.get("position")
    return position if isinstance(position, int) else 0


@lru_cache(maxsize=10_000)
def _data_source(namespace: str) -> Facets:
    return facet("1-0-1/DatasourceDatasetFacet", name=namespace, uri=namespace)


def _first(paths: Iterable[str]) -> str | None:
    return next(iter(paths), None)
