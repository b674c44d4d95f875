"""An Airflow task run and a release enter; the events of dbt, its models and tests leave into the diary.

Job names, parents and facets have the shapes that OpenLineage's dbt wrapper gives them.
"""

from datetime import datetime

from lineage_hub.sample import facets
from lineage_hub.sample.diary import Diary, Job, Run, mention
from lineage_hub.sample.facets import DBT, Json
from lineage_hub.sample.models import CHECKS, LEGACY, Model, models
from lineage_hub.sample.tables import Table, table

NAMESPACE = "dbt-prod"
REPOSITORY = "https://github.com/bookshop-example/warehouse"
COMMITS = ("0b7d1c90e6f24a538d9c61f07be2a4418c53d9aa", "93e4f7a2c15b4d0e8a76b2f91c3d5e60784fab12")
ROWS = {"stg": 40_000, "fct": 92_000, "dim": 18_000}


def _job(name: str, kind: str, release: int, path: str = "", query: str = "", about: str = "", owner: str = "") -> Job:
    job_facets: Json = {"jobType": facets.job_type(DBT, "BATCH", "DBT", kind)}
    if path:
        job_facets["sourceCodeLocation"] = facets.source_code_location(DBT, REPOSITORY, path, COMMITS[release])
    if query:
        job_facets["sql"] = facets.sql(DBT, query, "snowflake")
    if about:
        job_facets["documentation"] = facets.documentation(DBT, "Job", about)
        job_facets["ownership"] = facets.ownership(DBT, "Job", owner)
    return Job(DBT, NAMESPACE, name, job_facets)


def _source(path: str, subtype: str, release: int, kind: str = "DIRECT") -> Json:
    key, _, column = path.rpartition(".")
    found = table(key, release)
    return facets.input_field(found.namespace, found.name, column, subtype, kind)


def _columns(model: Model, release: int) -> Json:
    fields = {
        column: [_source(path, how, release) for path in sources] for column, (how, *sources) in model.columns.items()
    }
    return facets.column_lineage(DBT, fields, [_source(path, "FILTER", release, "INDIRECT") for path in model.filters])


def _output(diary: Diary, model: Model, release: int) -> Json:
    built = table(model.key, release)
    rows = diary.rows(ROWS.get(model.key[:3], 1_200))
    more: Json = {"outputStatistics": facets.output_statistics(DBT, rows, rows * 12 * len(built.columns))}
    return mention(
        built,
        DBT,
        side="outputFacets",
        side_facets=more,
        columnLineage=_columns(model, release),
        documentation=facets.documentation(DBT, "Dataset", built.about),
        ownership=facets.ownership(DBT, "Dataset", built.owner),
        **_tags(model.key),
    )


def _tags(key: str) -> dict[str, Json]:
    if key == "stg.customers":
        return {"tags": facets.tags(DBT, "Dataset", {"key": "pii", "value": "true", "source": "DBT", "field": "email"})}
    if key == "revenue_daily":
        return {"tags": facets.tags(DBT, "Dataset", {"key": "tier", "value": "gold", "source": "DBT"})}
    return {}


def run_models(diary: Diary, task: Run, at: datetime, release: int, *, with_legacy: bool) -> datetime:
    """Tell a `dbt run`; give its end."""
    engine = facets.processing_engine(DBT, "dbt", "1.11.2", "1.54.0")
    invocation = diary.run(_job("dbt-run-bookshop", "JOB", release), parent=task)
    now = at + diary.seconds(3)
    diary.tell("START", now, invocation, processing_engine=engine)
    for model in (*models(release), *((LEGACY,) if with_legacy else ())):
        built = table(model.key, release)
        short = built.name.rpartition(".")[2]
        folder = built.name.split(".")[1]
        path = f"models/{folder}/{short}.sql"
        job = _job(f"{built.name}.bookshop.{short}", "MODEL", release, path, model.query, built.about, built.owner)
        run = diary.run(job, parent=invocation)
        inputs = [mention(table(key, release), DBT) for key in model.reads]
        outputs = [_output(diary, model, release)]
        diary.tell("START", now, run, inputs, outputs, processing_engine=engine)
        now += diary.seconds(35 if folder == "marts" else 9)
        diary.tell("COMPLETE", now, run, inputs, outputs, processing_engine=engine)
    end = now + diary.seconds(1)
    diary.tell("COMPLETE", end, invocation, processing_engine=engine)
    return end


def run_tests(diary: Diary, task: Run, at: datetime, release: int, *, broken: bool = False) -> datetime:
    """Tell a `dbt test`; when `broken`, the last check of fct_orders finds negative amounts. Give its end."""
    engine = facets.processing_engine(DBT, "dbt", "1.11.2", "1.54.0")
    invocation = diary.run(_job("dbt-test-bookshop", "JOB", release), parent=task)
    now = at + diary.seconds(3)
    diary.tell("START", now, invocation, processing_engine=engine)
    for key in CHECKS:
        tested = table(key, release)
        run = diary.run(_job(f"{tested.name}.bookshop.test", "TEST", release), parent=invocation)
        fails = broken and key == "fct_orders"
        diary.tell("START", now, run, [mention(tested, DBT)], processing_engine=engine)
        now += diary.seconds(6)
        checked = [mention(tested, DBT, side="inputFacets", side_facets=_checked(diary, key, tested, fails))]
        if fails:
            text = "Got 37 results, configured to fail if != 0: positive_value_fct_orders_net_amount"
            error = facets.error_message(DBT, text, "sql", "")
            diary.tell("FAIL", now, run, checked, processing_engine=engine, errorMessage=error)
        else:
            diary.tell("COMPLETE", now, run, checked, processing_engine=engine)
    end = now + diary.seconds(1)
    diary.tell("FAIL" if broken else "COMPLETE", end, invocation, processing_engine=engine)
    return end


def _checked(diary: Diary, key: str, tested: Table, fails: bool) -> Json:
    checks: list[Json] = []
    for assertion, column in CHECKS[key]:
        success = not (fails and assertion == "positive_value")
        check: Json = {"assertion": assertion, "success": success, "column": column, "severity": "error"}
        if not success:
            check |= {"expected": "0 rows", "actual": "37 rows"}
        checks.append(check)
    rows = diary.rows(ROWS.get(key[:3], 1_200))
    measured: Json = {column: {"nullCount": 0, "distinctCount": rows} for _, column in CHECKS[key]}
    return {
        "dataQualityAssertions": facets.assertions(DBT, *checks),
        "dataQualityMetrics": facets.quality_metrics(DBT, rows, rows * 12 * len(tested.columns), measured),
    }
