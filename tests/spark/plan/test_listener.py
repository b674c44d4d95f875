"""The same queries go through OpenLineage's Spark listener and through the reader.
Both say the same of each column, or the difference stands here with its reason."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from lineage_hub.spark.plan import lineage
from tests.spark.plan.cases import Said, read_cases
from tests.spark.plan.listener_job import EVENTS
from tests.spark.plan.sources import Shop

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(900)]
ROOT = Path(__file__).parents[3]

AGREED = (
    "aliases rename, nothing more",
    "arithmetic and functions compute",
    "the conditions of CASE steer, its branches flow",
    "coalesce asks its values and gives one of them",
    "WHERE steers every column, also literals",
    "ORDER BY with LIMIT and OFFSET",
    "an aggregate over a window",
    "union by position",
    "a common table expression",
)

ITSELF = "it lists a grouping column as grouped by itself too"
IS_NOT_NULL = "it reads the optimised plan, where Spark has put IS NOT NULL on the keys beneath an inner join"
REWRITTEN = "it reads the optimised plan, where IN and EXISTS have become joins, and calls their condition a join's"
WHOLE = "it knows top-level fields only, and takes what it reads from within one as computed"
GENERATOR = "it reads the optimised plan, where Spark has put size(items) > 0 beneath the generator"
SWAPPED = "it takes the grouping expression of DISTINCT, an alias there, as a value of the whole dataset"
_INNER = {"too_much": "orders.customer_id FILTER, customers.customer_id FILTER", "why": IS_NOT_NULL}

DIFFERENCES: dict[str, dict[str, dict[str, str]]] = {
    "inner join": {"order_id": _INNER, "name": _INNER},
    "self-join": {
        column: {"too_much": "customers.referrer_id FILTER, customers.customer_id FILTER", "why": IS_NOT_NULL}
        for column in ("name", "referrer")
    },
    "semi join filters": {
        "name": {"too_much": "customers.customer_id JOIN, orders.customer_id JOIN", "why": REWRITTEN}
    },
    "IN filters": {
        "name": {
            "missing": "customers.customer_id FILTER, orders.customer_id FILTER",
            "too_much": "customers.customer_id JOIN, orders.customer_id JOIN",
            "why": REWRITTEN,
        }
    },
    "grouping columns pass, the others aggregate": {
        "status": {"too_much": "orders.status GROUP_BY", "why": ITSELF},
    },
    "two grouping columns steer each other": {
        "status": {"too_much": "orders.status GROUP_BY", "why": ITSELF},
        "customer_id": {"too_much": "orders.customer_id GROUP_BY", "why": ITSELF},
    },
    "a join, then groups, then an order": {
        "country": {
            "too_much": "orders.customer_id FILTER, customers.customer_id FILTER, customers.country GROUP_BY",
            "why": f"{IS_NOT_NULL}; {ITSELF}",
        },
        "total": _INNER,
    },
    "a field of a struct is copied": {
        "name": {"missing": "events.user.name IDENTITY", "too_much": "events.user TRANSFORMATION", "why": WHOLE},
        "city": {
            "missing": "events.user.address.city IDENTITY",
            "too_much": "events.user TRANSFORMATION",
            "why": WHOLE,
        },
        "address": {"missing": "events.user.address IDENTITY", "too_much": "events.user TRANSFORMATION", "why": WHOLE},
    },
    "fields of exploded elements": {
        "sku": {
            "missing": "events.items.sku TRANSFORMATION",
            "too_much": "events.items TRANSFORMATION, events.items FILTER",
            "why": f"{WHOLE}; {GENERATOR}",
        },
        "line": {
            "missing": "events.items.price TRANSFORMATION, events.items.qty TRANSFORMATION",
            "too_much": "events.items TRANSFORMATION, events.items FILTER",
            "why": f"{WHOLE}; {GENERATOR}",
        },
    },
    "DISTINCT compares all its columns": {
        "country": {"missing": "customers.name GROUP_BY", "too_much": "customers.name TRANSFORMATION", "why": SWAPPED},
        "name": {"missing": "customers.name GROUP_BY", "why": SWAPPED},
    },
}
"""For each query and column: what the listener doesn't say, what only the listener says, and why that is."""

NAMES = (*AGREED, *DIFFERENCES)


@pytest.fixture(scope="module")
def listened(shop: Shop) -> dict[str, dict[str, frozenset[Said]]]:
    """What the listener says in a session of its own."""
    command = [sys.executable, "-m", "tests.spark.plan.listener_job", str(shop.folder), *NAMES]
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True, timeout=840)
    said: dict[str, dict[str, frozenset[Said]]] = {}
    for line in (shop.folder / EVENTS).read_text().splitlines():
        event = json.loads(line)
        for output in event["outputs"] if event["eventType"] == "COMPLETE" else []:
            folder, _, number = output["name"].rpartition("/")
            if folder.endswith("/listened") and (facet := output["facets"].get("columnLineage")):
                said[NAMES[int(number)]] = _columns(
                    facet, [f["name"] for f in output["facets"]["schema"]["fields"]], shop
                )
    return said


def _columns(facet: dict[str, Any], columns: list[str], shop: Shop) -> dict[str, frozenset[Said]]:
    """What the facet says of the dataset holds for every column."""
    every = set(_origins(facet.get("dataset", []), shop))
    fields = facet["fields"]
    return {c: frozenset(every.union(_origins(fields[c]["inputFields"] if c in fields else [], shop))) for c in columns}


def _origins(inputs: list[dict[str, Any]], shop: Shop) -> Iterator[Said]:
    for field in inputs:
        source = shop.name_of((field["namespace"], field["name"]))
        yield from (Said(source, field["field"], how["subtype"]) for how in field["transformations"])


@pytest.mark.parametrize("name", NAMES)
def test_the_listener_agrees_or_the_difference_is_explained(
    name: str, spark: SparkSession, shop: Shop, listened: dict[str, dict[str, frozenset[Said]]]
) -> None:
    sql = next(case.sql for case in read_cases() if case.name == name)
    found = {
        column: frozenset(Said(shop.name_of(o.dataset), o.field, str(o.kind)) for o in origins)
        for column, origins in lineage(spark.sql(sql)).columns.items()
    }
    assert listened[name].keys() == found.keys()
    for column, origins in found.items():
        explained = DIFFERENCES.get(name, {}).get(column, {})
        assert _spelled(origins - listened[name][column]) == _listed(explained.get("missing", ""))
        assert _spelled(listened[name][column] - origins) == _listed(explained.get("too_much", ""))


def _spelled(origins: frozenset[Said]) -> set[str]:
    return {f"{origin.source}.{origin.field} {origin.kind}" for origin in origins}


def _listed(text: str) -> set[str]:
    return set(text.split(", ")) - {""}
