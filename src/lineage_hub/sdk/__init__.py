"""What a team imports to tell of its lineage. Importing it loads nothing heavy.

@lineage_track(inputs="s3://lake/orders", outputs="postgres://db/shop/public/report")
def report(): ...
"""

from lineage_hub.sdk.config import LineageHubConfig, configure, get_config, reset_config
from lineage_hub.sdk.datasets import AdapterType, DataFormat, DatasetSpec
from lineage_hub.sdk.outbox import flush
from lineage_hub.sdk.runs import Run, current_run
from lineage_hub.sdk.tracking import lineage_track, track

__all__ = [
    "AdapterType",
    "DataFormat",
    "DatasetSpec",
    "LineageHubConfig",
    "Run",
    "configure",
    "current_run",
    "flush",
    "get_config",
    "lineage_track",
    "reset_config",
    "track",
]
