"""What a team imports to tell of its lineage. Importing it loads nothing heavy."""

from lineage_hub.sdk.datasets import AdapterType, DataFormat, DatasetSpec

__all__ = ["AdapterType", "DataFormat", "DatasetSpec"]
