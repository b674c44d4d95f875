"""Rejected rows enter; they leave as lines of JSON in a folder of their own for each run, all of them or none.

JSON and not Parquet: people read what is here with a pager or an editor, and send single rows back to who made them.
"""

from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from lineage_hub.spark.pipeline.columns import column
from lineage_hub.spark.pipeline.definition import Load
from lineage_hub.spark.pipeline.load import Published, prepare

COLUMNS = {"file": "STRING", "record": "STRING", "reason": "STRING", "rules": "ARRAY<STRING>"}


def quarantine_folder(folder: str, stage: str, run_id: str) -> str:
    return f"{folder.rstrip('/')}/{stage}/run={run_id}"


def write_rejects(rejects: DataFrame, folder: str, stage: str, run_id: str, rejected_at: datetime) -> Published:
    """`rejects` has those of the columns that are known: what couldn't be read has a file, what broke rules has those.

    A stage may write both in a run; writing the same again adds nothing.
    """
    known = set(rejects.columns)
    shaped = rejects.select(
        *((column(name) if name in known else fn.lit(None)).cast(type_).alias(name) for name, type_ in COLUMNS.items()),
        fn.lit(rejected_at.isoformat()).alias("rejected_at"),
    )
    load = Load.model_validate(
        {"from": stage, "format": "ndjson", "mode": "append", "path": quarantine_folder(folder, stage, run_id)}
    )
    token = f"{run_id}/{'rules' if 'rules' in known else 'malformed'}"
    return prepare(rejects.sparkSession, shaped, load, token, checked=False).publish()
