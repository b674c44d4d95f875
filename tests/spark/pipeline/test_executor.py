"""A pipeline runs as a whole: one story in the hub, one trace, and nothing left half done."""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from lineage_hub.spark.jobs import JobStore
from lineage_hub.spark.pipeline.parameters import resolve
from lineage_hub.spark.pipeline.planning import expected
from lineage_hub.spark.pipeline.reading import read_pipeline
from lineage_hub.spark.pipeline.status import RunStatus
from tests.hub_process import HubProcess
from tests.spark.pipeline.told import Told, stage, telling

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(600)]

ORDERS = """\
order_id,customer_id,amount,status,day
1,10,5.50,paid,2026-11-01
2,11,7.00, PAID ,2026-11-01
2,11,7.00, PAID ,2026-11-01
3,,1.00,paid,2026-11-02
4,12,abc,paid,2026-11-02
5,10
6,13,2.25,cancelled,2026-11-02
"""
CUSTOMERS = """\
{"customer_id": 10, "country": "DE"}
{"customer_id": 11, "country": "FR"}
{"customer_id": 13, "country": "AT"}
"""
PIPELINE = """
name: shop
namespace: tests
parameters: {at: {}}
quarantine: ${at}/quarantine
stages:
  orders_raw:
    extract:
      format: csv
      path: ${at}/orders.csv
      options: {header: true}
      schema: {order_id: bigint, customer_id: bigint, amount: "decimal(10,2)", status: string, day: date}
  customers_raw:
    extract: {format: ndjson, path: "${at}/customers.ndjson", schema: {customer_id: bigint, country: string}}
  orders:
    transform:
      from: orders_raw
      steps:
        - trim: status
        - normalise: {status: lower}
        - drop_duplicates: {keys: order_id, order_by: day}
    rules:
      - {not_null: customer_id, severity: quarantine}
      - accepted_values: {column: status, values: [paid]}
  silver_orders:
    load: {from: orders, format: parquet, path: "${at}/silver/orders"}
  silver_customers:
    load: {from: customers_raw, format: parquet, path: "${at}/silver/customers"}
  orders_in:
    extract: {format: parquet, path: "${at}/silver/orders"}
  customers_in:
    extract: {format: parquet, path: "${at}/silver/customers"}
  revenue:
    transform:
      from: [orders_in, customers_in]
      steps:
        - join: {with: customers_in, on: customer_id}
        - sql: SELECT country, sum(amount) AS revenue FROM this GROUP BY country
  gold_revenue:
    load: {from: revenue, format: parquet, path: "${at}/gold/revenue"}
"""


@pytest.fixture
def told(spark: SparkSession, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Told]:
    (tmp_path / "orders.csv").write_text(ORDERS)
    (tmp_path / "customers.ndjson").write_text(CUSTOMERS)
    with telling(spark, url, tmp_path, monkeypatch) as found:
        yield found


def rounded(frame: DataFrame) -> DataFrame:
    """As people write it: a function of Python for a value, and one of pandas for a column."""
    cents = fn.udf(lambda value: None if value is None else int(value * 100), "long")

    @fn.pandas_udf("double")  # type: ignore[call-overload]
    def euros(values: pd.Series) -> pd.Series:
        return values / 100

    return frame.withColumn("amount", euros(cents("amount")))


_AS_TRANSFORM = "  orders:\n    transform:"
_SECOND_READER = '  audit:\n    load: {from: orders, format: csv, path: "${at}/audit"}\n'
WAYS = {
    "parquet": PIPELINE,
    "delta": PIPELINE.replace("format: parquet", "format: delta"),
    "with a cache": PIPELINE.replace(_AS_TRANSFORM, "  orders:\n    cache: true\n    transform:") + _SECOND_READER,
    "with functions of Python": PIPELINE.replace(
        "- trim: status", "- python: tests.spark.pipeline.test_executor:rounded\n        - trim: status"
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_gold_column_leads_to_the_column_of_the_raw_file(told: Told, way: str) -> None:
    format = "delta" if way == "delta" else "parquet"
    status = told.run(WAYS[way])
    assert (status.state, status.error) == ("COMPLETE", "")
    gold = told.spark.read.format(format).load(f"{told.folder}/gold/revenue")
    rows = {(row.country, float(row.revenue)) for row in gold.collect()}
    assert rows == {("DE", 5.5), ("FR", 7.0), ("AT", 2.25)}
    found = told.origins("gold/revenue", "revenue")
    assert ("orders.csv", "amount") in found
    assert ("customers.ndjson", "country") in told.origins("gold/revenue", "country")
    for one in status.stages:
        run = told.run_of(one.run_id)
        assert run["state"] == "COMPLETED", one.name
        assert run["facets"]["parent"]["run"]["runId"] == status.run_id
    mine = {one.run_id for one in status.stages} | {status.run_id}
    assert {run["state"] for run in told.runs() if run["id"] in mine} == {"COMPLETED"}


def test_rows_that_can_not_be_read_and_rows_that_break_rules_are_set_aside_and_counted(told: Told) -> None:
    status = told.run(PIPELINE)
    assert stage(status, "orders_raw").rejected == 2
    assert stage(status, "orders").rejected == 1
    assert stage(status, "silver_orders").rows == 3
    malformed = told.spark.read.json(f"{told.folder}/quarantine/orders_raw/run={status.run_id}").collect()
    assert {row.record for row in malformed} == {"4,12,abc,paid,2026-11-02", "5,10"}
    assert all(row.file.endswith("orders.csv") and row.reason for row in malformed)
    broken = told.spark.read.json(f"{told.folder}/quarantine/orders/run={status.run_id}").collect()
    assert ['"order_id":3' in row.record for row in broken] == [True]
    rules = {one.name: one for one in stage(status, "orders").rules}
    assert [one.broken for one in rules.values()] == [1, 1]
    facets = told.run_of(stage(status, "orders").run_id)["outputDatasetVersions"][0]["facets"]
    assert facets["outputStatistics"]["rowCount"] == 3


def test_one_trace_holds_the_pipeline_its_stages_and_sparks_jobs(told: Told) -> None:
    status = told.run(PIPELINE)
    spans = told.spans()
    assert {span["traceId"] for span in spans} == {status.trace_id}
    by_id = {span["spanId"]: span for span in spans}
    assert len(by_id) == len(spans)
    (root,) = [span for span in spans if "parentSpanId" not in span]
    assert root["name"] == "shop"
    stages = {span["name"]: span for span in spans if span.get("parentSpanId") == root["spanId"]}
    assert stages.keys() == {f"shop.{one.name}" for one in status.stages}
    jobs = [span for span in spans if span.get("parentSpanId") == stages["shop.silver_orders"]["spanId"]]
    assert jobs
    inner = [span for span in spans if span.get("parentSpanId") in {job["spanId"] for job in jobs}]
    assert sum(span["attributes"]["spark.records.out"] for span in inner) >= 3
    assert all(span["attributes"]["pipeline.run_id"] == status.run_id for span in spans)
    assert told.run_of(status.run_id)["facets"]["lineageHub_trace"]["traceId"] == status.trace_id
    names = {metric["name"] for metric in told.metrics()}
    assert {
        "pipeline.records.processed",
        "pipeline.records.rejected",
        "pipeline.duration",
        "pipeline.bytes.written",
    } <= names


_together = threading.Barrier(2)


def meet(frame: DataFrame) -> DataFrame:
    """Goes on when another is here too: one after the other they would wait in vain."""
    _together.wait(60)
    return frame


TWO = """
name: two
namespace: tests
parameters: {at: {}}
stages:
  orders: {extract: {format: csv, path: "${at}/orders.csv", options: {header: true}}}
  customers: {extract: {format: ndjson, path: "${at}/customers.ndjson"}}
  left: {transform: {from: orders, steps: [python: "tests.spark.pipeline.test_executor:meet"]}}
  right: {transform: {from: customers, steps: [python: "tests.spark.pipeline.test_executor:meet"]}}
  left_rows: {load: {from: left, format: parquet, path: "${at}/left"}}
  right_rows: {load: {from: right, format: parquet, path: "${at}/right"}}
"""


def test_stages_that_need_nothing_of_each_other_run_at_the_same_time(told: Told) -> None:
    status = told.run(TWO)
    assert (status.state, status.error) == ("COMPLETE", "")
    for one in status.stages:
        run = told.run_of(one.run_id)
        assert (run["state"], run["facets"]["parent"]["run"]["runId"]) == ("COMPLETED", status.run_id)
    assert {name for name, _ in told.origins("left", "amount")} == {"left", "two.left", "two.orders", "orders.csv"}
    assert "orders.csv" not in {name for name, _ in told.origins("right", "country")}


PARTS, ROWS = 4, 10


def until_told(frame: DataFrame) -> DataFrame:
    """The last rows come when somebody has made the file `go`."""

    @fn.udf("bigint")
    def when_told(number: int, go: str) -> int:
        for _ in range(600):
            if number < (PARTS - 1) * ROWS or os.path.exists(go):
                return number
            time.sleep(0.1)
        raise TimeoutError("nobody was told how far the load is")

    (folder,) = {str(Path(path.removeprefix("file:")).parent) for path in frame.inputFiles()}
    return frame.withColumn("number", when_told("number", fn.lit(f"{Path(folder).parent}/go")))


SLOW = """
name: slow
namespace: tests
parameters: {at: {}}
stages:
  numbers: {extract: {format: csv, path: "${at}/numbers", schema: {number: bigint}}}
  waiting: {transform: {from: numbers, steps: [python: "tests.spark.pipeline.test_executor:until_told"]}}
  written: {load: {from: waiting, format: parquet, path: "${at}/written"}}
"""


def test_how_far_a_load_is_shows_while_it_runs(told: Told) -> None:
    folder = told.folder / "numbers"
    folder.mkdir()
    for part in range(PARTS):
        lines = ["number", *(str(part * ROWS + number) for number in range(ROWS))]
        (folder / f"{part}.csv").write_text("\n".join(lines))
    on_the_way: list[tuple[int, int | None, int]] = []

    def watch(status: RunStatus) -> None:
        written = stage(status, "written")
        if written.state == "RUNNING" and written.rows:
            on_the_way.append((written.percent, written.rows, stage(status, "waiting").percent))
            (told.folder / "go").touch()

    status = told.execute(told.executor(SLOW, on_change=watch))
    assert (status.state, status.error) == ("COMPLETE", "")
    percent, rows, before = on_the_way[0]
    assert 0 < percent < 100
    assert before == percent
    assert rows is not None
    assert 0 < rows < PARTS * ROWS
    assert (stage(status, "written").percent, stage(status, "written").rows) == (100, PARTS * ROWS)


BROKEN = PIPELINE.replace("{not_null: customer_id, severity: quarantine}", "{not_null: customer_id, severity: fail}")


def test_a_broken_rule_of_severity_fail_publishes_nothing_and_names_its_stage(told: Told) -> None:
    good = told.run(PIPELINE)
    before = sorted(path.name for path in (told.folder / "silver/orders").glob("*.parquet"))
    status = told.run(BROKEN)
    assert (status.state, status.failed_stage) == ("FAIL", "orders")
    assert sorted(path.name for path in (told.folder / "silver/orders").glob("*.parquet")) == before
    assert not list((told.folder / "silver").glob(".*"))
    states = {one.name: one.state for one in status.stages}
    assert states["orders"] == "FAIL"
    assert states["gold_revenue"] == "SKIPPED"
    assert good.run_id != status.run_id
    run = told.run_of(stage(status, "orders").run_id)
    assert run["state"] == "FAILED"
    assert "customer_id" in run["error"]["message"]
    assert told.run_of(status.run_id)["state"] == "FAILED"
    mine = {one.run_id for one in status.stages if one.run_id}
    assert not {run["job"] for run in told.runs() if run["id"] in mine and run["state"] == "RUNNING"}


def explode(frame: DataFrame) -> DataFrame:
    return frame.withColumn("x", fn.udf(lambda value: 1 // (value - value), "int")("order_id"))


def test_rows_that_fail_to_be_made_are_the_fault_of_the_stage_that_makes_them(told: Told) -> None:
    text = PIPELINE.replace(
        "- trim: status", "- python: tests.spark.pipeline.test_executor:explode\n        - trim: status"
    )
    status = told.run(text)
    assert (status.state, status.failed_stage) == ("FAIL", "orders")
    assert "ZeroDivisionError" in status.error
    assert told.run_of(stage(status, "orders").run_id)["state"] == "FAILED"
    failed = [span for span in told.spans() if span["name"] == "shop.orders"]
    assert [span["status"]["code"] for span in failed] == [2]
    assert failed[0]["events"][0]["name"] == "exception"


def test_a_missing_file_fails_its_stage_and_nothing_after_it_runs(told: Told) -> None:
    (told.folder / "orders.csv").unlink()
    status = told.run(PIPELINE)
    assert (status.state, status.failed_stage) == ("FAIL", "orders_raw")
    assert "orders.csv" in status.error
    assert not (told.folder / "silver" / "orders").exists()
    assert stage(status, "orders").state == "SKIPPED"


def test_finished_loads_are_kept_and_the_rest_runs(told: Told) -> None:
    first = told.run(PIPELINE)
    kept = (told.folder / "silver/orders").stat().st_ino
    again = told.execute(told.executor(PIPELINE, reused=("silver_orders", "silver_customers")))
    assert (again.state, first.state) == ("COMPLETE", "COMPLETE")
    assert (told.folder / "silver/orders").stat().st_ino == kept
    assert stage(again, "silver_orders").state == "REUSED"
    assert stage(again, "gold_revenue").rows == 3


def test_a_cancelled_run_ends_with_abort_everywhere(told: Told) -> None:
    executor = told.executor(PIPELINE)
    threading.Thread(target=executor.cancel).start()
    status = told.execute(executor)
    assert status.state == "ABORT"
    assert told.run_of(status.run_id)["state"] == "ABORTED"
    assert all(one.state in ("ABORT", "SKIPPED", "COMPLETE") for one in status.stages)
    assert not (told.folder / "gold").exists()


MANY = 500
SEVERAL = """
name: several
namespace: tests
parameters: {at: {}}
quarantine: ${at}/quarantine
stages:
  raw:
    extract: {format: csv, path: "${at}/many.csv", schema: {id: int, boss: int}}
  staff:
    cache: CACHE
    transform: {from: raw, steps: [filter: id >= 0]}
    rules:
      - {unique: id, severity: fail}
      - {range: {column: id, max: 499}, severity: fail}
  one: {load: {from: staff, format: parquet, path: "${at}/one"}}
  two: {load: {from: staff, format: csv, path: "${at}/two"}}
  three: {load: {from: staff, format: ndjson, path: "${at}/three"}}
"""


@pytest.mark.parametrize("cache", [True, False])
def test_a_cached_stage_is_read_once_whoever_reads_it(told: Told, cache: bool) -> None:
    lines = [f"{number},{number // 2}" for number in range(MANY)]
    (told.folder / "many.csv").write_text("\n".join(["id,boss", *lines]))
    status = told.run(SEVERAL.replace("CACHE", str(cache).lower()))
    assert (status.state, status.error) == ("COMPLETE", "")
    for format, name in (("parquet", "one"), ("csv", "two"), ("json", "three")):
        assert told.spark.read.format(format).option("header", True).load(f"{told.folder}/{name}").count() == MANY
        assert stage(status, name).rows == MANY
    assert {one.name: one.broken for one in stage(status, "staff").rules} == {"unique(id)": 0, "range(id)": 0}
    store = JobStore(told.spark.sparkContext)
    jobs = [job for one in status.stages for job in store.of_group(f"{status.run_id}:{one.name}")]
    records = sum(part.records_in for job in jobs for part in job.stages)
    # From the file once; a batch of cached rows counts as a record. `unique` reads what a load has staged.
    assert (records < 3 * MANY) is cache, records
    assert told.spark._jsparkSession.sharedState().cacheManager().isEmpty()


SELF = """
name: itself
namespace: tests
parameters: {at: {}}
quarantine: ${at}/quarantine
stages:
  staff:
    extract: {format: csv, path: "${at}/staff.csv", schema: {id: int, boss: int}}
    rules:
      - {referential: {column: boss, to: staff.id}, severity: SEVERITY}
  save: {load: {from: staff, format: parquet, path: "${at}/staff"}}
"""


@pytest.mark.parametrize("severity", ["warn", "quarantine", "fail"])
def test_a_rule_may_refer_to_its_own_stage(told: Told, severity: str) -> None:
    (told.folder / "staff.csv").write_text("id,boss\n1,\n2,1\n3,7\n")
    text = SELF.replace("SEVERITY", severity)
    status = told.run(text)
    [rule] = stage(status, "staff").rules
    assert (rule.passed, rule.broken) == (False, 1)
    if severity == "fail":
        assert (status.state, status.failed_stage) == ("FAIL", "staff")
        assert not (told.folder / "staff").exists()
        return
    assert (status.state, status.error) == ("COMPLETE", "")
    assert {one.state for one in status.stages} == {"COMPLETE"}
    kept = sorted(row.id for row in told.spark.read.parquet(f"{told.folder}/staff").collect())
    assert kept == ([1, 2] if severity == "quarantine" else [1, 2, 3])
    assert expected(told.spark, resolve(read_pipeline(text), {"at": str(told.folder)}, {}))["order"] == [
        ["staff"],
        ["save"],
    ]


def test_a_changed_schema_is_told_and_forbidden_where_the_stage_says_so(told: Told) -> None:
    inferred = PIPELINE.replace(
        '      schema: {order_id: bigint, customer_id: bigint, amount: "decimal(10,2)", status: string, day: date}\n',
        "",
    ).replace("name: shop", "name: evolving")
    told.run(inferred)
    text = (told.folder / "orders.csv").read_text().replace("day\n", "day,channel\n").replace("-01\n", "-01,web\n")
    (told.folder / "orders.csv").write_text(text)
    status = told.run(inferred)
    assert any("channel" in one for one in stage(status, "orders_raw").changes)
    strict = inferred.replace("  orders_raw:\n", "  orders_raw:\n    evolution: fail\n", 1)
    (told.folder / "orders.csv").write_text(ORDERS)
    status = told.run(strict)
    assert (status.state, status.failed_stage) == ("FAIL", "orders_raw")
    assert "channel" in status.error


def test_with_the_hub_down_the_pipeline_finishes_and_its_events_arrive_later(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "orders.csv").write_text(ORDERS)
    (tmp_path / "customers.ndjson").write_text(CUSTOMERS)
    hub = HubProcess(tmp_path / "hub" / "data")
    port = hub.port
    hub.kill()
    with telling(spark, f"http://127.0.0.1:{port}", tmp_path, monkeypatch) as told:
        status = told.executor(PIPELINE).execute()
        assert status.state == "COMPLETE"
        with HubProcess(tmp_path / "hub" / "data", port=port):
            from lineage_hub.sdk import flush

            assert flush(60)
            assert told.run_of(status.run_id)["state"] == "COMPLETED"
            assert ("orders.csv", "amount") in told.origins("gold/revenue", "revenue")
