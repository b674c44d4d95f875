"""What runs say of their job and its datasets enters; its part of their events leaves as text.

Runs of one function say the same each time, so they share it, and the text is made once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from lineage_hub import __version__
from lineage_hub.sdk.datasets import DatasetSpec, name_of, resolved
from lineage_hub.sdk.warnings import warn_once

PRODUCER = f"https://github.com/lineage-hub/lineage-hub/tree/{__version__}/sdk"
RUN_EVENT = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
FACETS = "https://openlineage.io/spec/facets"
Name = tuple[str, str]
# What is said of a dataset as something read or written, not of the dataset itself.
_OF_SIDE = {
    "inputs": ("inputFacets", ("inputStatistics", "dataQualityMetrics", "dataQualityAssertions")),
    "outputs": ("outputFacets", ("outputStatistics",)),
}
encode = msgspec.json.Encoder(enc_hook=str).encode


def facet(path: str, **content: Any) -> dict[str, Any]:
    """`path` as in the spec: 1-0-1/ParentRunFacet."""
    name = path.rpartition("/")[2]
    return {"_producer": PRODUCER, "_schemaURL": f"{FACETS}/{path}.json#/$defs/{name}", **content}


def own_facet(name: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """One that the spec doesn't know."""
    return {"_producer": PRODUCER, "_schemaURL": f"{PRODUCER}/facets/{name}.json", **content}


_PYTHON = facet("2-0-3/JobTypeJobFacet", processingType="BATCH", integration="PYTHON", jobType="FUNCTION")


class Said:
    """Not for several threads at a time, while something is added."""

    __slots__ = ("_datasets", "_job_facets", "made", "name", "namespace")

    def __init__(self, namespace: str, name: str) -> None:
        self.namespace, self.name = namespace, name
        self._datasets: dict[str, dict[Name, dict[str, Any]]] = {"inputs": {}, "outputs": {}}
        self._job_facets: dict[str, Any] = {"jobType": _PYTHON}
        self.made: bytes | None = None
        """The text, until something is added."""

    def copy(self) -> Said:
        other = Said(self.namespace, self.name)
        other._datasets = {
            side: {key: dict(facets) for key, facets in found.items()} for side, found in self._datasets.items()
        }
        other._job_facets = dict(self._job_facets)
        return other

    def text(self) -> bytes:
        """Members of an event, without the braces around them."""
        if self.made is None:
            sides = {
                side: [_dataset(side, key, facets) for key, facets in found.items()]
                for side, found in self._datasets.items()
            }
            job = {"namespace": self.namespace, "name": self.name, "facets": self._job_facets}
            self.made = encode({"producer": PRODUCER, "schemaURL": RUN_EVENT, "job": job, **sides})[1:-1]
        return self.made

    def describe(self, text: str) -> None:
        self.add_job_facet("documentation", facet("1-1-0/DocumentationJobFacet", description=text))

    def tag(self, tags: Mapping[str, Any] | Iterable[str]) -> None:
        pairs = tags.items() if isinstance(tags, Mapping) else ((tag, "true") for tag in tags)
        found = [{"key": str(key), "value": str(value), "source": "USER"} for key, value in pairs]
        self.add_job_facet("tags", facet("1-0-0/TagsJobFacet", tags=found))

    def add_job_facet(self, name: str, content: Mapping[str, Any]) -> None:
        self._job_facets[name] = content
        self.made = None

    def add_dataset(
        self,
        side: str,
        dataset: Any,
        facets: Mapping[str, Any] | None = None,
        columns: Mapping[str, Iterable[Any]] | None = None,
        frame: Any = None,
    ) -> None:
        """Of what describes no dataset nothing is told: that mustn't be the end of what is observed."""
        try:
            key, wrong = resolved(DatasetSpec.of(dataset), self.namespace)
            told = {name: content for name, content in facets.items() if content is not None} if facets else {}
            if frame is not None:
                from lineage_hub.sdk.frames import facets_of

                told = {**facets_of(frame, side), **told}
            if columns:
                told["columnLineage"] = self._columns(columns)
            self.put(side, key, told)
            if wrong is not None:
                warn_once(f"dataset {wrong}", "a dataset has a plain name only: %s", wrong)
        except Exception as error:
            warn_once(f"dataset {type(error).__name__}", "a dataset is not told of as it should be: %s", error)

    def put(self, side: str, key: Name, facets: Mapping[str, Any]) -> None:
        self._datasets[side].setdefault(key, {}).update(facets)
        self.made = None

    def _columns(self, columns: Mapping[str, Iterable[Any]]) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for target, sources in columns.items():
            inputs = []
            for dataset, field in sources:
                namespace, name = name_of(DatasetSpec.of(dataset), self.namespace)
                inputs.append({"namespace": namespace, "name": name, "field": field})
            fields[target] = {"inputFields": inputs}
        return facet("1-2-0/ColumnLineageDatasetFacet", fields=fields)


def _dataset(side: str, key: Name, facets: Mapping[str, Any]) -> dict[str, Any]:
    where, names = _OF_SIDE[side]
    own = dict(facets)
    apart = {name: own.pop(name) for name in names if name in own}
    told = {"namespace": key[0], "name": key[1], "facets": own}
    return {**told, where: apart} if apart else told
