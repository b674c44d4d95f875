"""A seed and an end time enter; a week of the bookshop's events leaves, the same for the same seed and end.

It tells a story: a failed extract that is tried again, a release that changes schemas and models, a test that
breaks once, a late event, a dropped and a renamed table, events that were sent twice.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random

from lineage_hub.sample import dbt, facets, streams
from lineage_hub.sample.airflow import Task, failing, run_dag
from lineage_hub.sample.diary import Diary, Job, mention
from lineage_hub.sample.facets import AIRFLOW, CATALOG, Json
from lineage_hub.sample.tables import COPIED, SHOP_DB, Table, table

DAYS = 7
RELEASE_DAY = 3
HEADLINE = table("revenue_daily").node_id
_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Week:
    """`midweek_at` lies before the release's first run, `end_at` after everything."""

    start_at: datetime
    midweek_at: datetime
    end_at: datetime
    events: list[Json] = field(repr=False)

    @property
    def repeats(self) -> int:
        return len(self.events) - len({id(event) for event in self.events})


def shop_week(seed: int = 7, end_at: datetime | None = None) -> Week:
    """The seven whole days (UTC) before the day of `end_at`, which is today unless given."""
    end = (end_at or datetime.now(UTC)).astimezone(UTC)
    midnight = end.replace(hour=0, minute=0, second=0, microsecond=0)
    start = midnight - DAYS * _DAY
    diary = Diary(Random(seed))
    _tell_of_sources(diary, start)
    _tell_of_dashboard(diary, start + 4 * _HOUR)
    for day in range(DAYS):
        _tell_day(diary, start + day * _DAY, day)
    streams.run_streams(diary, start, DAYS)
    diary.repeat_some(6)
    midweek = start + RELEASE_DAY * _DAY + 9 * _HOUR
    return Week(start, midweek, midnight, diary.in_order_sent())


def _tell_of_sources(diary: Diary, at: datetime) -> None:
    """The catalogue describes the tables that no run of ours writes."""
    for number, key in enumerate((*(f"shop.{key}" for key in COPIED), "kafka.clicks", "kafka.orders")):
        described = table(key)
        more: Json = {
            "documentation": facets.documentation(CATALOG, "Dataset", described.about),
            "ownership": facets.ownership(CATALOG, "Dataset", described.owner),
        }
        if key == "shop.customers":
            marks: list[Json] = [
                {"key": "pii", "value": "true", "source": "CATALOG", "field": name}
                for name in ("email", "name", "phone")
            ]
            more["tags"] = facets.tags(CATALOG, "Dataset", *marks)
        dataset = mention(described, CATALOG)
        dataset["facets"] = {**_facets_of(dataset), **more}
        diary.tell_of_dataset(at + timedelta(seconds=number), CATALOG, dataset)


def _facets_of(dataset: Json) -> Json:
    found = dataset["facets"]
    assert isinstance(found, dict)
    return found


def _tell_day(diary: Diary, day_at: datetime, day: int) -> None:
    # The shop's database changes at noon of the release's day; dbt follows in the night after it.
    for hour in (0, 6, 12, 18):
        source_release = int(day > RELEASE_DAY or (day == RELEASE_DAY and hour >= 12))
        broken = "payments" if (day, hour) == (1, 6) else ""
        _ingest_shop(diary, day_at + hour * _HOUR + 10 * timedelta(minutes=1), source_release, broken)
    release = int(day > RELEASE_DAY)
    _sessions(diary, day_at + 2 * _HOUR, late=day == 2)
    _build_warehouse(diary, day_at + 3 * _HOUR, release, day)
    profiles = "customers_360" if day > 5 else "customer_profiles"
    _sync_crm(diary, day_at + 5 * _HOUR, release, profiles)
    _export_finance(diary, day_at + 7 * _HOUR, release)
    if day == 4:
        _drop(diary, day_at + 16 * _HOUR, table("legacy_sales_report"))
    if day == 5:
        _rename(diary, day_at + 9 * _HOUR, table("customer_profiles"), table("customers_360"))


def _ingest_shop(diary: Diary, at: datetime, release: int, broken: str) -> None:
    tasks = []
    for key in COPIED:
        source, target = table(f"shop.{key}", release), table(f"raw.{key}", release)
        rows = diary.rows(9_000)
        counted: Json = {"outputStatistics": facets.output_statistics(AIRFLOW, rows, rows * 90)}
        columns = {name: [facets.input_field(source.namespace, source.name, name)] for name, _ in source.columns}
        lineage = facets.column_lineage(AIRFLOW, columns)
        task = Task(
            f"extract_{key}",
            25,
            (mention(source, AIRFLOW),),
            (mention(target, AIRFLOW, side="outputFacets", side_facets=counted, columnLineage=lineage),),
        )
        if key == broken:
            server = SHOP_DB.partition("//")[2]
            message = f"OperationalError: connection to server at {server} failed: timeout expired"
            task = failing(task, message, _trace("ingest_shop", 48, f"psycopg.{message}"))
        tasks.append(task)
    run_dag(diary, "ingest_shop", at, 6 * _HOUR, "platform", "Copies the shop's tables into the warehouse", tasks)


def _trace(dag: str, line: int, text: str) -> str:
    return f'Traceback (most recent call last):\n  File "/opt/airflow/dags/{dag}.py", line {line}\n{text}'


def _sessions(diary: Diary, at: datetime, *, late: bool) -> None:
    sent_at = at + 2 * _DAY if late else None
    work = lambda run, begun: streams.run_sessions(diary, run, begun, sent_at=sent_at)  # noqa: E731
    task = Task("submit_spark", 480, work=work)
    run_dag(diary, "clickstream", at, _DAY, "platform", "Cuts yesterday's page views into visits", [task])


def _build_warehouse(diary: Diary, at: datetime, release: int, day: int) -> None:
    with_legacy = day <= 4
    tested = Task("dbt_test", 40, work=lambda run, begun: dbt.run_tests(diary, run, begun, release))
    if day == RELEASE_DAY + 1:
        text = "Command 'dbt test' returned non-zero exit status 1"
        trace = _trace("build_warehouse", 31, text)
        once = Task("dbt_test", 40, work=lambda run, begun: dbt.run_tests(diary, run, begun, release, broken=True))
        tested = Task(once.name, once.takes_s, work=once.work, error=(text, trace), redo=tested)
    built = Task(
        "dbt_run",
        300,
        work=lambda run, begun: dbt.run_models(diary, run, begun, release, with_legacy=with_legacy),
    )
    run_dag(diary, "build_warehouse", at, _DAY, "analytics", "Builds and tests every dbt model", [built, tested])


def _sync_crm(diary: Diary, at: datetime, release: int, profiles: str) -> None:
    target, contact = table(profiles, release), table("crm.contact", release)
    reads = tuple(table(key, release) for key in ("dim_customers", "stg.sessions", "fct_orders"))
    customers, sessions, orders = reads
    columns = {
        "customer_id": [facets.input_field(customers.namespace, customers.name, "customer_id")],
        "country": [facets.input_field(customers.namespace, customers.name, "country")],
        "visits": [facets.input_field(sessions.namespace, sessions.name, "session_id", "AGGREGATION")],
        "orders": [facets.input_field(customers.namespace, customers.name, "orders")],
        "spent": [facets.input_field(orders.namespace, orders.name, "paid_amount", "AGGREGATION")],
    }
    query = f"create or replace table {target.name} as select customer_id, country, visits, orders, spent from …"
    build = Task(
        "build_profiles",
        70,
        tuple(mention(one, AIRFLOW) for one in reads),
        (mention(target, AIRFLOW, columnLineage=facets.column_lineage(AIRFLOW, columns)),),
        query,
    )
    push = Task("push_contacts", 160, (mention(target, AIRFLOW),), (mention(contact, AIRFLOW),))
    run_dag(diary, "sync_crm", at, _DAY, "marketing", "Brings customer profiles into the CRM", [build, push])


def _export_finance(diary: Diary, at: datetime, release: int) -> None:
    revenue, report = table("revenue_daily", release), table("lake.finance_export", release)
    columns = {name: [facets.input_field(revenue.namespace, revenue.name, name)] for name, _ in revenue.columns}
    exported = mention(report, AIRFLOW, columnLineage=facets.column_lineage(AIRFLOW, columns))
    task = Task("write_report", 12, (mention(revenue, AIRFLOW),), (exported,))
    run_dag(diary, "finance_export", at, _DAY, "finance", "Gives revenue to the accountants", [task])


def _tell_of_dashboard(diary: Diary, at: datetime) -> None:
    """Nothing runs when a dashboard is opened, so what it reads is declared."""
    about = facets.documentation(CATALOG, "Job", "What the board looks at on Monday mornings")
    kind = facets.job_type(CATALOG, "BATCH", "METABASE", "DASHBOARD")
    job = Job(CATALOG, "metabase", "board_revenue", {"documentation": about, "jobType": kind})
    read = [mention(table(key), CATALOG) for key in ("revenue_daily", "bestsellers")]
    diary.tell_of_job(at, job, read, [])


def _drop(diary: Diary, at: datetime, dropped: Table) -> None:
    change = facets.lifecycle(CATALOG, "DROP")
    diary.tell_of_dataset(at, CATALOG, mention(dropped, CATALOG, lifecycleStateChange=change))


def _rename(diary: Diary, at: datetime, before: Table, after: Table) -> None:
    change = facets.lifecycle(CATALOG, "RENAME", (before.namespace, before.name))
    diary.tell_of_dataset(at, CATALOG, mention(after, CATALOG, lifecycleStateChange=change))
