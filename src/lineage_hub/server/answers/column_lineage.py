"""Nothing enters; what the route about the graph of columns answers leaves, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.server.answers.facets import INPUT_FIELD
from lineage_hub.server.answers.lineage import CUT
from lineage_hub.server.schemas import TEXT, Schema, listing, nullable, record, ref, told, words

_EDGES = listing(
    record(
        {
            "origin": told(TEXT, "Always the node itself, as Marquez draws them."),
            "destination": told(TEXT, "The node at the other end."),
        }
    )
)
COMPONENTS: dict[str, Schema] = {
    "ColumnNode": record(
        {
            "id": TEXT,
            "type": told(words("DATASET_FIELD", "DATASET"), "A whole dataset stands for what decides about its rows."),
            "data": record(
                {
                    "namespace": TEXT,
                    "dataset": TEXT,
                    "datasetVersion": nullable(TEXT),
                    "field": told(nullable(TEXT), "Null for a whole dataset."),
                    "fieldType": told(TEXT, "Empty where no schema tells it."),
                    "transformationDescription": nullable(TEXT),
                    "transformationType": nullable(TEXT),
                    "inputFields": listing(record({**INPUT_FIELD, "datasetVersion": nullable(TEXT)})),
                }
            ),
            "inEdges": told(_EDGES, "To what it is made from."),
            "outEdges": told(_EDGES, "To what is made from it."),
        }
    ),
    "ColumnGraph": record({"graph": listing(ref("ColumnNode")), **CUT}),
}
READS: dict[str, Schema] = {"/api/v1/column-lineage": ref("ColumnGraph")}
