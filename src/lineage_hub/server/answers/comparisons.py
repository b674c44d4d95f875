"""Nothing enters; what the route that compares two runs answers leaves, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.server.answers.names import NAME, STATE
from lineage_hub.server.schemas import (
    ANYTHING,
    FLAG,
    INTEGER,
    MOMENT,
    NUMBER,
    REAL,
    TEXT,
    Schema,
    listing,
    nullable,
    record,
    ref,
    told,
    words,
)

_FACETS_DIFFER = ref("FacetDifferences")
_PAIR_OF_TEXTS = record({"a": nullable(TEXT), "b": nullable(TEXT), "equal": FLAG})
_SIDES_DIFFER = ref("DatasetDifferences")
_COMPARED_RUN = record({"id": TEXT, "job": NAME, "startedAt": MOMENT, "endedAt": nullable(MOMENT)})
_SHOWN_FACET = record({"facet": TEXT, "value": ANYTHING})
COMPONENTS: dict[str, Schema] = {
    "NumberPair": record(
        {"a": nullable(INTEGER), "b": nullable(INTEGER), "equal": FLAG},
        {"difference": told(INTEGER, "b - a; there if both are."), "ratio": told(nullable(REAL), "b / a.")},
    ),
    "FacetDifferences": record(
        {
            "added": listing(_SHOWN_FACET),
            "removed": listing(_SHOWN_FACET),
            "changed": listing(
                record(
                    {
                        "facet": TEXT,
                        "differences": listing(
                            record(
                                {
                                    "kind": words("added", "removed", "changed"),
                                    "path": TEXT,
                                    "a": ANYTHING,
                                    "b": ANYTHING,
                                }
                            )
                        ),
                        "hidden": NUMBER,
                        "equal": told(NUMBER, "Leaves that are the same."),
                    }
                )
            ),
            "equal": told(NUMBER, "Facets that are the same."),
        }
    ),
    "DatasetDifferences": record(
        {
            "added": listing(NAME),
            "removed": listing(NAME),
            "changed": listing(
                record(
                    {"dataset": NAME},
                    {
                        "schema": ref("SchemaDifference"),
                        "version": _PAIR_OF_TEXTS,
                        "rowCount": ref("NumberPair"),
                        "size": ref("NumberPair"),
                        "fileCount": ref("NumberPair"),
                        "facets": _FACETS_DIFFER,
                    },
                )
            ),
            "equal": NUMBER,
        }
    ),
    "RunComparison": record(
        {
            "a": _COMPARED_RUN,
            "b": _COMPARED_RUN,
            "sameJob": FLAG,
            "state": record({"a": STATE, "b": STATE, "equal": FLAG}),
            "durationMs": ref("NumberPair"),
            "volume": record(
                {name: ref("NumberPair") for name in ("rowsRead", "rowsWritten", "bytesRead", "bytesWritten")}
            ),
            "inputs": _SIDES_DIFFER,
            "outputs": _SIDES_DIFFER,
            "code": told(_FACETS_DIFFER, "The facets sourceCodeLocation and sourceCode."),
            "sql": record(
                {"a": nullable(TEXT), "b": nullable(TEXT), "equal": FLAG},
                {"diff": told(listing(TEXT), "Lines of a unified diff; there if both have SQL and it differs.")},
            ),
            "runFacets": _FACETS_DIFFER,
            "jobFacets": _FACETS_DIFFER,
        }
    ),
}
READS: dict[str, Schema] = {"/api/v1/runs/{run_id}/compare/{other_id}": ref("RunComparison")}
