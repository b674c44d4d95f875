"""Nothing enters; the commented example that `init` writes leaves."""

from importlib import resources


def example() -> str:
    return resources.files("lineage_hub.spark.pipeline").joinpath("example.yaml").read_text(encoding="utf-8")
