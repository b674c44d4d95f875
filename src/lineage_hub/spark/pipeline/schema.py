"""The models enter; the JSON Schema that editors read, docs/pipeline.schema.json, leaves.

python -m lineage_hub.spark.pipeline.schema > docs/pipeline.schema.json
"""

import json
import sys
from typing import Any

from lineage_hub.spark.pipeline.definition import Pipeline


def pipeline_schema() -> dict[str, Any]:
    schema = Pipeline.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "A pipeline of Lineage Hub"}


def as_text() -> str:
    return json.dumps(pipeline_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(as_text())
