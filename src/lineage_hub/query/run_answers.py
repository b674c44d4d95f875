"""Runs enter, what is shown of each leaves: states, times, arguments, facets, and its datasets with their versions.

What belongs to one run alone is read from the raw text of its events; what runs have alike is worked out once for all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw

from lineage_hub.lineage.rows import EventRow
from lineage_hub.lineage.runs import RunFacts, made_whole
from lineage_hub.lineage.shapes import WRITTEN
from lineage_hub.query.identity import job_version
from lineage_hub.query.nodes import run_summary
from lineage_hub.query.raw import RunEvents, Worded, shown_facets
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.versions import Spoken, Versions
from lineage_hub.wire import facets as read
from lineage_hub.wire.described import (
    ARGUMENTS_FACET,
    Arguments,
    ErrorMessage,
    ExtractionError,
    NominalTime,
    QualityAssertions,
    QualityMetrics,
    Statistics,
    lenient,
)
from lineage_hub.wire.raw import Facets, OwnDataset, RawDataset

Answer = dict[str, Any]
Name = tuple[str, str]
# By name, the datasets of one side of an event; none if it says nothing of them that belongs to the run.
Side = dict[Name, OwnDataset | RawDataset]
_SILENT: Side = {}
Listed = Sequence[OwnDataset | RawDataset] | None
encode = msgspec.json.Encoder().encode
# How the answer about a dataset ends after its version, if the run says nothing else of it.
_NOTHING_OWN = b'},"facets":{}}'
_NO_DATASETS = Raw(b"[]")


class Shown(NamedTuple):
    """A dataset of a run, `text` being its answer up to the version; `names` are those that the run has for it."""

    dataset: int
    text: bytes
    names: Collection[Name]
    alive: list[Spoken] | None
    """What of that lies on it at present, if anything does."""


def run_answer(snapshot: Snapshot, found: RunFacts, versions: Versions) -> Answer:
    return run_answers(snapshot, [found], versions)[0]


def run_answers(snapshot: Snapshot, found: Collection[RunFacts], versions: Versions) -> list[Answer]:
    return RunAnswers(snapshot, found, versions).of(found)


def job_ref(snapshot: Snapshot, job: int) -> dict[str, str]:
    namespace, name = snapshot.name(job)
    return {"namespace": namespace, "name": name}


class RunAnswers:
    """Of many runs at once: their texts and what their datasets need are read together."""

    def __init__(self, snapshot: Snapshot, runs: Collection[RunFacts], versions: Versions) -> None:
        self._snapshot, self._versions = snapshot, versions
        self._events = RunEvents(snapshot, [row for run in runs for row in run.events])
        inputs = {dataset for run in runs for dataset in run.inputs}
        snapshot.load_shapes(inputs | {dataset for run in runs for dataset in run.outputs})
        if len(runs) > 1:
            versions.load_writers(inputs)
        # Most runs have the datasets of the one before.
        self._job_versions: dict[tuple[object, ...], Raw] = {}
        self._alike: dict[tuple[tuple[int, ...], bool], list[Shown]] = {}

    def of(self, runs: Iterable[RunFacts]) -> list[Answer]:
        return [self._answer(run, self._events.of(run)) for run in runs]

    def _answer(self, found: RunFacts, events: list[Worded]) -> Answer:
        texts = _newest_run_texts(events)
        nominal = lenient(texts.get("nominalTime"), NominalTime)
        half = self._snapshot.other_half(found)
        answer = run_summary(made_whole(found, half), (nominal.nominalStartTime, nominal.nominalEndTime))
        if half is not None:
            answer["endedAs" if found.is_open else "startedAs"] = job_ref(self._snapshot, half.key[1])
        answer["args"] = _arguments(texts, nominal.nominalStartTime)
        if found.has_datasets:
            answer["jobVersion"] = self._job_version(found)
        inputs: list[Listed] = [event.inputs for _, event in events]
        answer["inputDatasetVersions"] = self._datasets(found, inputs, written=False)
        if found.outputs:
            outputs: list[Listed] = [event.outputs for _, event in events]
            answer["outputDatasetVersions"] = self._datasets(found, outputs, written=True)
        if "errorMessage" in texts:
            answer["error"] = lenient(texts["errorMessage"], ErrorMessage)
        if "extractionError" in texts:
            answer["extractionError"] = lenient(texts["extractionError"], ExtractionError)
        facets = {name: Raw(text) for name, text in texts.items()}
        answer["facets"] = shown_run_facets(self._snapshot, found, events, facets)
        return answer

    def _job_version(self, found: RunFacts) -> Raw:
        key = (found.key[1], found.inputs, found.outputs, found.location)
        known = self._job_versions.get(key)
        if known is None:
            version = job_version(self._snapshot, found.key[1], found)
            known = Raw(encode({**job_ref(self._snapshot, found.key[1]), "version": version}))
            self._job_versions[key] = known
        return known

    def _datasets(self, found: RunFacts, listed: list[Listed], *, written: bool) -> Raw:
        """Under present names; a dataset that is gone since then shows the name it had, and no version."""
        of_run = self._versions.of_run
        sides = [side for one in listed if (side := _side(one))]
        parts: list[bytes] = []
        for dataset, text, names, alive in self._shown(found, written):
            version = None if alive is None else of_run(dataset, alive, found, written=written)
            own = _own_facets(sides, names, written) if sides else None
            parts += (
                b"," if parts else b"[",
                text,
                b"null" if version is None else b'"%b"' % version.encode(),
                self._own(found, own, written) if own else _NOTHING_OWN,
            )
        return Raw(b"".join((*parts, b"]"))) if parts else _NO_DATASETS

    def _own(self, found: RunFacts, own: dict[str, bytes], written: bool) -> bytes:
        place, counting = ("output", "outputStatistics") if written else ("input", "inputStatistics")
        facets = {name: Raw(text) for name, text in own.items()}
        answer: Answer = {"facets": shown_facets(self._snapshot, found.key[0], place, facets)}
        if counting in own:
            answer["statistics"] = lenient(own[counting], Statistics)
        if "dataQualityMetrics" in own:
            answer["quality"] = lenient(own["dataQualityMetrics"], QualityMetrics)
        if "dataQualityAssertions" in own:
            answer["assertions"] = lenient(own["dataQualityAssertions"], QualityAssertions).assertions
        return b"}," + encode(answer)[1:]

    def _shown(self, found: RunFacts, written: bool) -> list[Shown]:
        """Where every name stands for itself, and none has versions of its own, the shapes of the events decide."""
        key = (tuple([row.shape for row in found.events]), written)
        known = self._alike.get(key)
        if known is None:
            known = self._find_shown(found, written)
            if not self._snapshot.is_plain or any("version" in m.facets for one in known for _, m in one.alive or ()):
                return known
            self._alike[key] = known = [one._replace(alive=[]) for one in known]
        return known

    def _find_shown(self, found: RunFacts, written: bool) -> list[Shown]:
        groups, alive = datasets_of_run(self._snapshot, found, written=written)
        names = self._snapshot.names({*groups, *(name for group in groups.values() for name in group)})
        return [
            Shown(dataset, _begun(names[dataset]), {names[one] for one in groups[dataset]}, alive.get(dataset))
            for dataset in sorted(groups, key=names.__getitem__)
        ]


def _begun(name: Name) -> bytes:
    begun = encode({"datasetVersionId": {"namespace": name[0], "name": name[1], "version": None}})
    return begun.removesuffix(b"null}}")


def shown_run_facets(
    snapshot: Snapshot, found: RunFacts, events: Iterable[tuple[EventRow, Any]], facets: dict[str, Raw]
) -> dict[str, Raw]:
    if not snapshot.rules:
        return facets
    holders = [(row, _observed((event.run.facets if event.run else None) or {})) for row, event in events]
    return shown_facets(snapshot, found.key[0], "run", facets, holders)


def newest_run_facets(events: Iterable[tuple[Any, Any]]) -> dict[str, Raw]:
    return {name: Raw(text) for name, text in _newest_run_texts(events).items()}


def _newest_run_texts(events: Iterable[tuple[Any, Any]]) -> dict[str, bytes]:
    return _newest([event.run.facets for _, event in events if event.run and event.run.facets])


def _newest(told: Iterable[Facets]) -> dict[str, bytes]:
    """Of facets of one kind, in the order in which they were told; those taken back are left out."""
    newest: dict[str, bytes] = {}
    for facets in told:
        for name, facet in facets.items():
            text = bytes(facet)
            if text[:1] == b"{":
                newest[name] = text
    return {name: newest[name] for name in sorted(newest) if not read.is_tombstone(newest[name])}


def _observed(facets: dict[str, Raw]) -> dict[str, Raw]:
    return {name: facet for name, facet in facets.items() if bytes(facet)[:1] == b"{"}


def _arguments(facets: dict[str, bytes], nominal_start: str | None) -> dict[str, str]:
    """What Marquez makes of the nominal time and the parent, and those that were given when the run was declared."""
    arguments: dict[str, str] = {}
    if nominal_start:
        arguments["nominal_start_time"] = nominal_start
    above = read.parent_facet(facets)
    parent = read.parent(above) if above is not None else None
    if parent is not None:
        arguments.update(run_id=parent[1], name=parent[0][1], namespace=parent[0][0])
    if ARGUMENTS_FACET in facets:
        arguments.update(lenient(facets[ARGUMENTS_FACET], Arguments).arguments)
    return arguments


def datasets_of_run(
    snapshot: Snapshot, found: RunFacts, *, written: bool
) -> tuple[dict[int, set[int]], dict[int, list[Spoken]]]:
    """By dataset, the names that the run has for it; and what of that lies on it at present, if anything does."""
    shapes = snapshot.reader.shapes({row.shape for row in found.events})
    alive: dict[int, list[Spoken]] = {}
    groups: dict[int, set[int]] = {}
    for row in found.events:
        for mention in shapes[row.shape].mentions:
            if (mention.side in WRITTEN) == written:
                lies_on = snapshot.place_mention(row, shapes[row.shape], mention, found)
                named = mention.dataset if lies_on is None else lies_on
                dataset = snapshot.joined((named,)).of(named)
                groups.setdefault(dataset, set()).add(mention.dataset)
                if lies_on is not None:
                    alive.setdefault(dataset, []).append((row, mention))
    return groups, alive


def _side(listed: Listed) -> Side:
    """The last of those listed twice, as everywhere."""
    if not listed or not any(one.inputFacets or one.outputFacets for one in listed):
        return _SILENT
    return {(one.namespace, one.name): one for one in listed}


def _own_facets(sides: list[Side], names: Collection[Name], written: bool) -> dict[str, bytes]:
    told: list[Facets] = []
    for side in sides:
        # Several names of one dataset speak in the order of the event; to go through all for each costs a square.
        present = [name for name in names if name in side] if len(names) == 1 else [n for n in side if n in names]
        for name in present:
            dataset = side[name]
            own = dataset.outputFacets if written else dataset.inputFacets
            if own:
                told.append(own)
    return _newest(told) if told else {}
