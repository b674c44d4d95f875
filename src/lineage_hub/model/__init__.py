"""Values of the domain enter and leave every other package; nothing here does I/O.

Frozen and typed: who asks (`Scope`), for which moment (`Moment`), and what a graph is made of (`NodeId`).
"""

from lineage_hub.model.moment import FOREVER, NOW, Moment
from lineage_hub.model.node import DATASET, FIELD, JOB, RUN, NodeId
from lineage_hub.model.scope import DEFAULT_TENANT, EVERYTHING, Scope

__all__ = [
    "DATASET",
    "DEFAULT_TENANT",
    "EVERYTHING",
    "FIELD",
    "FOREVER",
    "JOB",
    "NOW",
    "RUN",
    "Moment",
    "NodeId",
    "Scope",
]
