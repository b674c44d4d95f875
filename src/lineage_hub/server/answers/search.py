"""Nothing enters; what the route that searches answers leaves, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.server.answers.runs import YES
from lineage_hub.server.schemas import MOMENT, NUMBER, REAL, TEXT, Schema, listing, nullable, record, ref, told, words

_PLACES = words("name", "alias", "namespace", "column", "columnDescription", "description", "tag", "owner")
COMPONENTS: dict[str, Schema] = {
    "SearchMatch": record(
        {
            "field": _PLACES,
            "value": told(TEXT, "Long texts are cut around the first match."),
            "highlight": told(
                listing({"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}),
                "From which character of `value` to before which.",
            ),
        },
        {"column": told(TEXT, "The column that it is about.")},
    ),
    "SearchResult": record(
        {
            "type": words("JOB", "DATASET"),
            "name": TEXT,
            "updatedAt": MOMENT,
            "namespace": TEXT,
            "nodeId": TEXT,
            "score": REAL,
            "matches": listing(ref("SearchMatch")),
            "tags": listing(TEXT),
            "owners": listing(TEXT),
            "use": record(
                {
                    "linked": told(NUMBER, "Jobs that name the dataset, or datasets that the job names."),
                    "lastAt": MOMENT,
                }
            ),
        },
        {"deleted": YES, "namedOnly": YES},
    ),
    "SearchAnswer": record(
        {
            "results": listing(ref("SearchResult")),
            "totalCount": told(NUMBER, "Of those that were looked at and match."),
            "notLookedAt": told(nullable(NUMBER), "Candidates that were not looked at: they matched less."),
        },
        {"preparing": told(record({"done": NUMBER, "of": NUMBER}), "There while the index is still being made.")},
    ),
}
READS: dict[str, Schema] = {"/api/v1/search": ref("SearchAnswer")}
