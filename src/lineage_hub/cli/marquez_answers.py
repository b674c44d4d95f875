"""Answers of a server with Marquez's API enter as JSON; what it tells beside events leaves as values.

Members that a server leaves out, or has as null, are as if nobody had said them.
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Raw, Struct

# How Marquez calls the owner of a namespace that nobody has named one for.
NOBODY = "anonymous"


class DatasetName(Struct, frozen=True):
    namespace: str
    name: str


class DescribedField(Struct):
    name: str
    type: str | None = None
    description: str | None = None
    tags: list[str] | None = None


class _Run(Struct):
    id: str


@dataclass(frozen=True, slots=True)
class Known:
    """What a hub has of a job or dataset, under its name there."""

    namespace: str
    name: str
    description: str | None = None
    tags: frozenset[tuple[str, str]] = frozenset()
    has_datasets: bool = False
    latest_run: str | None = None
    is_told: bool = False
    """By events of its own; else it is only named by others, or not there at all."""
    is_dropped: bool = False


class Described(Struct, rename="camel"):
    """A job or dataset, with what an event may not have said of it."""

    namespace: str
    name: str
    updated_at: str
    type: str | None = None
    description: str | None = None
    tags: list[str] | None = None
    facets: dict[str, Raw] | None = None
    fields: list[DescribedField] | None = None
    physical_name: str | None = None
    source_name: str | None = None
    schema_location: str | None = None
    inputs: list[DatasetName] | None = None
    outputs: list[DatasetName] | None = None
    location: str | None = None
    latest_run: _Run | None = None
    named_only: bool = False
    deleted: bool = False

    def all_tags(self) -> set[tuple[str, str]]:
        """With the field that each is on, or nothing for the job or dataset itself."""
        of_fields = {(field.name, tag) for field in self.fields or () for tag in field.tags or ()}
        return of_fields | {("", tag) for tag in self.tags or ()}

    def known(self) -> Known:
        """For a hub's answer."""
        return Known(
            self.namespace,
            self.name,
            self.description,
            frozenset(self.all_tags()),
            has_datasets=bool(self.inputs or self.outputs),
            latest_run=self.latest_run.id if self.latest_run else None,
            is_told=not self.named_only,
            is_dropped=self.deleted,
        )


class Namespace(Struct, rename="camel"):
    name: str
    owner_name: str | None = None
    description: str | None = None
    is_hidden: bool = False


class Source(Struct, rename="camel"):
    name: str
    type: str | None = None
    connection_url: str | None = None
    description: str | None = None
    updated_at: str = ""


class Tag(Struct):
    name: str
    description: str | None = None


class _Version(Struct, rename="camel"):
    dataset_version_id: DatasetName
    facets: dict[str, Raw] | None = None


class JobRun(Struct, rename="camel"):
    id: str
    created_at: str
    state: str = "NEW"
    started_at: str | None = None
    ended_at: str | None = None
    nominal_start_time: str | None = None
    nominal_end_time: str | None = None
    args: dict[str, str | int | float | bool | None] | None = None
    facets: dict[str, Raw] | None = None
    input_dataset_versions: list[_Version] | None = None
    output_dataset_versions: list[_Version] | None = None

    @property
    def began_at(self) -> str:
        return self.started_at or self.created_at


class Lists(Struct):
    """Whichever of them was asked for."""

    namespaces: list[Namespace] = []
    datasets: list[Described] = []
    jobs: list[Described] = []
    runs: list[JobRun] = []
    sources: list[Source] = []
    tags: list[Tag] = []

    def names(self) -> list[str]:
        """Of a page, to tell it from another."""
        described = [one.name for one in (*self.datasets, *self.jobs)]
        said = [one.name for one in self.namespaces] + [one.name for one in self.sources]
        return [*described, *said, *(one.name for one in self.tags), *(one.id for one in self.runs)]
