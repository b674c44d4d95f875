"""A small pipeline that tells a hub of its lineage, and then asks the hub what it knows.

lineage-hub serve &
LINEAGE_HUB_URL=http://127.0.0.1:8000 python examples/basic_usage.py
"""

import asyncio
import uuid
from datetime import UTC, datetime

from lineage_hub.sdk import LineageHubClient, flush, lineage_track, track


# Each call is a run: its START and its COMPLETE, or its FAIL with the error, are sent in the background.
@lineage_track(inputs="postgres://db.example/shop/public/orders", outputs="s3://lake/orders")
def extract() -> list[int]:
    return [12, 30, 7]


# What was read or written may depend on the arguments.
@lineage_track(inputs="s3://lake/orders", outputs=lambda total, orders: f"s3://lake/totals/{len(orders)}")
def total(orders: list[int]) -> int:
    return sum(orders)


def pipeline() -> int:
    # Runs inside a run are its children.
    with track("daily_report") as run:
        result = total(extract())
        run.add_output("s3://lake/report", columns={"total": [("s3://lake/orders", "amount")]})
        return result


async def ask_the_hub() -> None:
    # Address, key and namespace come from the environment, from a file or from arguments.
    async with LineageHubClient() as hub:
        health = await hub.health_check()
        print(f"{health.service} {health.version} is {health.status}")

        # Events that were made elsewhere: mappings, JSON, or objects of openlineage-python.
        event = {
            "eventTime": datetime.now(UTC).isoformat(),
            "eventType": "COMPLETE",
            "producer": "https://example.com/basic-usage",
            "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
            "run": {"runId": str(uuid.uuid4())},
            "job": {"namespace": "examples", "name": "import_prices"},
            "outputs": [{"namespace": "s3://lake", "name": "prices"}],
        }
        result = await hub.send_lineage_events([event, {"not": "an event"}], source="basic_usage")
        print(f"accepted {result.accepted}, rejected {result.rejected}")
        for error in result.errors:
            print(f"  {error}")

        print("namespaces:", *[one.name for one in await hub.list_namespaces()])


if __name__ == "__main__":
    print("total:", pipeline())
    # A program that ends waits a few seconds for its events; one that wants to read them back waits for all.
    print("sent:", flush(timeout=10))
    asyncio.run(ask_the_hub())
