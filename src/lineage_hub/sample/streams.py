"""Times enter; the events of the bookshop's Spark application and its two Flink jobs leave into the diary.

Spark writes a location whose table name is a symlink; Flink jobs never end, they report while they run.
"""

from datetime import datetime, timedelta

from lineage_hub.sample import facets
from lineage_hub.sample.diary import Diary, Job, Run, mention
from lineage_hub.sample.facets import FLINK, SPARK, Json
from lineage_hub.sample.tables import table

SPARK_NAMESPACE = "spark-prod"
FLINK_NAMESPACE = "flink-prod"


def _job(producer: str, namespace: str, name: str, processing: str, kind: str, about: str) -> Job:
    integration = "SPARK" if producer == SPARK else "FLINK"
    job_facets: Json = {
        "jobType": facets.job_type(producer, processing, integration, kind),
        "documentation": facets.documentation(producer, "Job", about),
        "ownership": facets.ownership(producer, "Job", "platform"),
    }
    return Job(producer, namespace, name, job_facets)


def run_sessions(diary: Diary, task: Run, at: datetime, *, sent_at: datetime | None = None) -> datetime:
    """Tell one run of the Spark application; its COMPLETE is sent at `sent_at` when the network was down."""
    engine = facets.processing_engine(SPARK, "spark", "4.0.1", "1.54.0")
    about = "Cuts page views into visits"
    application = diary.run(
        _job(SPARK, SPARK_NAMESPACE, "clickstream_sessions", "BATCH", "APPLICATION", about), parent=task
    )
    name = "clickstream_sessions.execute_insert_into_hadoop_fs_relation_command.curated_sessions"
    query = diary.run(_job(SPARK, SPARK_NAMESPACE, name, "BATCH", "SQL_JOB", about), parent=application)
    rows = diary.rows(1_400_000)
    reads: Json = {"inputStatistics": facets.input_statistics(SPARK, rows, rows * 180, 24)}
    writes: Json = {"outputStatistics": facets.output_statistics(SPARK, rows // 9, rows * 11, 8)}
    clicks, sessions = table("lake.clicks"), table("lake.sessions")
    glue = table("glue.sessions")
    inputs = [mention(clicks, SPARK, side="inputFacets", side_facets=reads)]
    columns = {
        "visitor_id": [facets.input_field(clicks.namespace, clicks.name, "visitor_id")],
        "started_at": [facets.input_field(clicks.namespace, clicks.name, "at", "AGGREGATION")],
        "pages": [facets.input_field(clicks.namespace, clicks.name, "page", "AGGREGATION")],
        "seconds": [facets.input_field(clicks.namespace, clicks.name, "at", "AGGREGATION")],
        "session_id": [
            facets.input_field(clicks.namespace, clicks.name, field, "TRANSFORMATION") for field in ("visitor_id", "at")
        ],
    }
    outputs = [
        mention(
            sessions,
            SPARK,
            side="outputFacets",
            side_facets=writes,
            symlinks=facets.symlinks(SPARK, (glue.namespace, glue.name)),
            storage=facets.storage(SPARK, "iceberg", "parquet"),
            version=facets.version(SPARK, str(diary.rng.getrandbits(62))),
            lifecycleStateChange=facets.lifecycle(SPARK, "OVERWRITE"),
            columnLineage=facets.column_lineage(SPARK, columns),
        )
    ]
    begun = at + diary.seconds(8)
    working = begun + diary.seconds(60)
    done = working + diary.seconds(400)
    end = done + diary.seconds(3)
    diary.tell("START", begun, application, processing_engine=engine)
    diary.tell("START", begun + timedelta(seconds=2), query, inputs, outputs, processing_engine=engine)
    diary.tell("RUNNING", working, query, inputs, outputs, processing_engine=engine)
    diary.tell("COMPLETE", done, query, inputs, outputs, sent_at=sent_at, processing_engine=engine)
    diary.tell("COMPLETE", end, application, sent_at=sent_at, processing_engine=engine)
    return end


def run_streams(diary: Diary, start_at: datetime, days: int) -> None:
    """One Flink job runs all week; the other is stopped for an upgrade in the middle of it."""
    end_at = start_at + timedelta(days=days)
    _stream(
        diary,
        "archive_clicks",
        "kafka.clicks",
        "lake.clicks",
        start_at,
        end_at,
        timedelta(hours=3),
        stop=False,
    )
    upgrade_at = start_at + timedelta(days=3, hours=9)
    every = timedelta(hours=6)
    _stream(diary, "stock_alerts", "kafka.orders", "kafka.stock_alerts", start_at, upgrade_at, every, stop=True)
    resumed_at = upgrade_at + timedelta(minutes=11)
    _stream(diary, "stock_alerts", "kafka.orders", "kafka.stock_alerts", resumed_at, end_at, every, stop=False)


def _stream(
    diary: Diary,
    name: str,
    source: str,
    target: str,
    start_at: datetime,
    end_at: datetime,
    every: timedelta,
    *,
    stop: bool,
) -> None:
    engine = facets.processing_engine(FLINK, "flink", "2.1.0", "1.54.0")
    about = {
        "archive_clicks": "Writes every page view to the lake",
        "stock_alerts": "Warns before a book sells out",
    }[name]
    run = diary.run(_job(FLINK, FLINK_NAMESPACE, name, "STREAMING", "JOB", about))
    begun = start_at + diary.seconds(20)
    rows_a_report = 60_000 if name == "archive_clicks" else 900

    def datasets() -> tuple[list[Json], list[Json]]:
        rows = diary.rows(rows_a_report)
        reads: Json = {"inputStatistics": facets.input_statistics(FLINK, rows, rows * 210, 0)}
        writes: Json = {"outputStatistics": facets.output_statistics(FLINK, rows, rows * 190, 3)}
        return (
            [mention(table(source), FLINK, side="inputFacets", side_facets=reads)],
            [mention(table(target), FLINK, side="outputFacets", side_facets=writes)],
        )

    diary.tell("START", begun, run, *datasets(), processing_engine=engine)
    at = begun + every
    while at < end_at:
        diary.tell("RUNNING", at, run, *datasets(), processing_engine=engine)
        at += every
    if stop:
        diary.tell("ABORT", end_at, run, processing_engine=engine)
