"""Names of Spark's formats enter; the kinds under which they are told leave."""

from __future__ import annotations

FILES = {"cloudfiles", "csv", "json", "parquet", "text", "textfile", "avro", "orc", "xml", "binaryfile", "image"}
_ALIASES = {
    "org.apache.spark.sql.kafka010.kafkasourceprovider": "kafka",
    "org.apache.spark.sql.eventhubs.eventhubssourceprovider": "eventhubs",
    "com.databricks.spark.csv": "csv",
    "com.databricks.spark.avro": "avro",
    "org.apache.spark.sql.jdbc": "jdbc",
    "google-pubsub": "pubsub",
}


def plain_format(name: str) -> str:
    lowered = name.strip().lower()
    return _ALIASES.get(lowered, lowered)


def kind_of(name: str) -> str:
    """kafka, files, delta, table, jdbc, … ; any other format is its own kind."""
    plain = plain_format(name)
    return "files" if plain in FILES else plain


def is_stored(name: object) -> bool:
    """Does a write of this format make files or a Delta table at a path?"""
    return isinstance(name, str) and kind_of(name) in ("files", "delta", "iceberg", "hudi")
