"""What rules cost, from Spark's own event log: jobs and bytes for each kind of rule."""

import json
import os
import random
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.spark.pipeline import cost_program

pytestmark = [pytest.mark.slow, pytest.mark.timeout(540)]
ORDERS, CUSTOMERS = 4000, 50


@dataclass
class Cost:
    jobs: int = 0
    records: int = 0
    bytes: int = 0


@pytest.fixture(scope="module")
def costs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Cost]:
    folder = tmp_path_factory.mktemp("cost")
    for name in ("orders", "customers", "log"):
        (folder / name).mkdir()
    numbers = list(range(ORDERS))
    orders = pa.table(
        {
            "id": numbers,
            "status": ["new" if n % 2 else "paid" for n in numbers],
            "amount": [n * 0.25 for n in numbers],
            "customer": [n % CUSTOMERS for n in numbers],
            "payer": [n % 7 for n in numbers],
            "at": pa.array([datetime(2026, 11, 1, tzinfo=UTC)] * ORDERS, pa.timestamp("us", "UTC")),
            # Text that no compression makes small: whoever reads it is seen.
            "note": [random.randbytes(100).hex() for _ in numbers],
        }
    )
    for part in range(2):
        half = orders.slice(part * ORDERS // 2, ORDERS // 2)
        pq.write_table(half, folder / "orders" / f"{part}.parquet")
    pq.write_table(pa.table({"c": list(range(CUSTOMERS))}), folder / "customers" / "0.parquet")
    places = [str(folder / name) for name in ("orders", "customers", "log")]
    command = [sys.executable, cost_program.__file__, *places]
    done = subprocess.run(command, env=os.environ.copy(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    (log,) = (folder / "log").iterdir()
    return _costs(log)


def _costs(log: Path) -> dict[str, Cost]:
    """By job group. A stage belongs to the job that ran it: the events of its tasks name the stage."""
    found: dict[str, Cost] = defaultdict(Cost)
    group_of: dict[int, str] = {}
    for line in log.read_text().splitlines():
        event = json.loads(line)
        if event["Event"] == "SparkListenerJobStart" and event["Properties"].get("spark.jobGroup.id"):
            group = event["Properties"]["spark.jobGroup.id"]
            found[group].jobs += 1
            group_of.update(dict.fromkeys(event["Stage IDs"], group))
        elif event["Event"] == "SparkListenerTaskEnd" and event["Stage ID"] in group_of:
            read = event["Task Metrics"]["Input Metrics"]
            cost = found[group_of[event["Stage ID"]]]
            cost.records += read["Records Read"]
            cost.bytes += read["Bytes Read"]
    return dict(found)


def test_the_log_is_understood(costs: dict[str, Cost]) -> None:
    assert costs["bare"].records == ORDERS
    assert costs["bare"].bytes > 0


OBSERVABLE = [
    "not_null",
    "accepted_values",
    "range",
    "regex",
    "row_count",
    "row_count_change",
    "freshness",
    "expression",
]


@pytest.mark.parametrize("kind", [*OBSERVABLE, "all", "quarantine", "sets"])
def test_what_can_be_observed_costs_no_job_and_no_byte(costs: dict[str, Cost], kind: str) -> None:
    assert costs[kind] == costs["bare"]


def test_unique_and_referential_together_read_frame_and_lookup_once(costs: dict[str, Cost]) -> None:
    assert set(costs) & {f"{kind} later" for kind in costs} == {"sets later"}
    assert costs["sets later"].records == ORDERS + CUSTOMERS


def test_they_read_their_columns_only(costs: dict[str, Cost]) -> None:
    assert 0 < costs["sets later"].bytes < costs["bare"].bytes


def test_numbers_that_differ_are_read_once_and_a_second_time_only_where_some_repeat(costs: dict[str, Cost]) -> None:
    assert costs["numbers"].records == ORDERS
    assert costs["repeated numbers"].records == 2 * ORDERS
