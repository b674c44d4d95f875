"""Plans of Spark enter, as DataFrames before they run; datasets read and written and the origin of each column leave.

The plan is read in Python from its JSON, in one call to the JVM and a few for each source: no jar, and no job runs.
"""

from lineage_hub.spark.names import DatasetName
from lineage_hub.spark.plan.api import lineage, lineage_of_plan
from lineage_hub.spark.plan.model import Columns, Field, Kind, Opaque, Origin, PlanLineage, Source, Symlink, Target

__all__ = [
    "Columns",
    "DatasetName",
    "Field",
    "Kind",
    "Opaque",
    "Origin",
    "PlanLineage",
    "Source",
    "Symlink",
    "Target",
    "lineage",
    "lineage_of_plan",
]
