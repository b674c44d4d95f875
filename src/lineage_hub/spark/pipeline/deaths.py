"""The folder of a run whose driver is silent enters; its end leaves, as FAIL events that say they are inferred.

What the driver itself told or tells later outweighs them: the hub knows them by their facet.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from lineage_hub.sdk.said import PRODUCER, RUN_EVENT, encode, facet, own_facet
from lineage_hub.spark.pipeline.run_folder import RunFolder
from lineage_hub.spark.pipeline.status import ENDED, RunStatus

INFERRED = "lineageHub_inferred"
_SAYS = "the driver ended or fell silent without saying how the run ended"


def bury(folder: RunFolder) -> list[bytes]:
    """The status is FAIL from now on; the events are for the hub. Called twice, they are the same."""
    status = folder.status()
    if status.state in ENDED:
        return []
    events = list(_ends(status, folder.asked().asked_at))
    running = [one for one in status.stages if one.state == "RUNNING"]
    for one in status.stages:
        if one.state == "RUNNING":
            one.state, one.error = "FAIL", _SAYS
        elif one.state == "WAITING":
            one.state = "SKIPPED"
    status.state, status.error, status.ended_at = "FAIL", _SAYS, status.heartbeat_at
    status.failed_stage = running[0].name if running else ""
    folder.tell(status)
    return events


def _ends(status: RunStatus, asked_at: float) -> Iterator[bytes]:
    """Stages first, so that no child outlives its parent. The time is the last sign of life: always the same."""
    at = status.heartbeat_at or status.started_at or asked_at
    parent = facet(
        "1-1-0/ParentRunFacet",
        run={"runId": status.run_id},
        job={"namespace": status.namespace, "name": status.pipeline},
    )
    for stage in status.stages:
        if stage.state == "RUNNING" and stage.run_id:
            yield _fail(status.namespace, f"{status.pipeline}.{stage.name}", stage.run_id, at, {"parent": parent})
    yield _fail(status.namespace, status.pipeline, status.run_id, at, {})


def _fail(namespace: str, name: str, run_id: str, at: float, facets: dict[str, Any]) -> bytes:
    told = {
        **facets,
        INFERRED: own_facet(INFERRED, {"reason": _SAYS}),
        "errorMessage": facet("1-0-1/ErrorMessageRunFacet", message=_SAYS, programmingLanguage="python"),
    }
    return encode(
        {
            "eventTime": datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds"),
            "eventType": "FAIL",
            "producer": PRODUCER,
            "schemaURL": RUN_EVENT,
            "run": {"runId": run_id, "facets": told},
            "job": {"namespace": namespace, "name": name, "facets": {}},
            "inputs": [],
            "outputs": [],
        }
    )
