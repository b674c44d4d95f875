"""The lineage of a plan enters; what a run says of its inputs and outputs leaves as OpenLineage's facets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame

from lineage_hub.sdk.said import facet
from lineage_hub.spark.plan import DatasetName, Field, Kind, Opaque, Origin, Source, Symlink
from lineage_hub.spark.plan.schemas import fields_of_schema

Facets = dict[str, Any]
# Columns that a reader of ours adds for its own book-keeping.
OWN = "__lineage_hub_"


def fields_of(frame: DataFrame) -> tuple[Field, ...]:
    return fields_of_schema(frame.schema.jsonValue())


def source_facets(source: Source) -> Facets:
    facets = {
        "schema": schema_facet([one for one in source.fields if not one.name.startswith(OWN)]),
        **_symlinks(source.symlinks),
        **_place(source.name),
    }
    if source.version is not None:
        facets["version"] = facet("1-0-1/DatasetVersionDatasetFacet", datasetVersion=source.version)
    return facets


def target_facets(name: DatasetName, fields: Sequence[Field], symlinks: Sequence[Symlink] = ()) -> Facets:
    return {"schema": schema_facet(fields), **_symlinks(symlinks), **_place(name)}


def view_facets(fields: Sequence[Field]) -> Facets:
    """Of rows that only pass from stage to stage."""
    kind = facet("1-0-0/DatasetTypeDatasetFacet", datasetType="VIEW", subType="TEMPORARY")
    return {"schema": schema_facet(fields), "datasetType": kind}


def schema_facet(fields: Sequence[Field]) -> dict[str, Any]:
    return facet("1-1-1/SchemaDatasetFacet", fields=[_field(one) for one in fields])


def _field(field: Field) -> dict[str, Any]:
    told: dict[str, Any] = {"name": field.name, "type": field.type}
    return {**told, "fields": [_field(one) for one in field.fields]} if field.fields else told


def _symlinks(symlinks: Sequence[Symlink]) -> Facets:
    if not symlinks:
        return {}
    told = [{"namespace": one.name.namespace, "name": one.name.name, "type": one.type} for one in symlinks]
    return {"symlinks": facet("1-0-1/SymlinksDatasetFacet", identifiers=told)}


def _place(name: DatasetName) -> Facets:
    return {"dataSource": facet("1-0-1/DatasourceDatasetFacet", name=name.namespace, uri=name.namespace)}


def of_columns_and_rows(
    columns: Mapping[str, Iterable[Origin]],
) -> tuple[dict[str, frozenset[Origin]], frozenset[Origin]]:
    """Each column's own origins, and what steers every column alike: a wide table would repeat it for each."""
    sets = {
        name: frozenset(one for one in origins if not one.field.startswith(OWN)) for name, origins in columns.items()
    }
    everywhere = frozenset.intersection(*sets.values()) if len(sets) > 1 else frozenset()
    shared = frozenset(one for one in everywhere if one.kind.type == "INDIRECT")
    return {name: origins - shared for name, origins in sets.items()}, shared


def column_facet(columns: Mapping[str, Iterable[Origin]], opaque: Sequence[Opaque] = ()) -> Facets:
    own, shared = of_columns_and_rows(columns)
    if not own:
        return {}
    blurred = {name for one in opaque for name in one.columns}
    fields = {name: {"inputFields": _inputs(origins, name in blurred)} for name, origins in own.items()}
    told: dict[str, Any] = {"fields": {name: each for name, each in fields.items() if each["inputFields"]}}
    if shared:
        told["dataset"] = _inputs(shared, False)
    return {"columnLineage": facet("1-2-0/ColumnLineageDatasetFacet", **told)}


def _inputs(origins: Iterable[Origin], is_blurred: bool) -> list[dict[str, Any]]:
    kinds: dict[tuple[DatasetName, str], list[Kind]] = {}
    for one in sorted(origins):
        kinds.setdefault((one.dataset, one.field), []).append(one.kind)
    return [
        {
            "namespace": dataset.namespace,
            "name": dataset.name,
            "field": field,
            "transformations": [_transformation(kind, is_blurred) for kind in found],
        }
        for (dataset, field), found in kinds.items()
    ]


def _transformation(kind: Kind, is_blurred: bool) -> dict[str, Any]:
    description = "all inputs, unknown how" if is_blurred and kind.type == "DIRECT" else ""
    return {"type": kind.type, "subtype": kind.value, "description": description, "masking": False}
