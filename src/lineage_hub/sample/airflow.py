"""A DAG's start and what its tasks do enter; the events of its run and of each task's leave into the diary.

Tasks run one after the other; a task that fails is tried again, as a run of its own, after the retry delay.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from lineage_hub.sample import facets
from lineage_hub.sample.diary import Diary, Job, Run
from lineage_hub.sample.facets import AIRFLOW, Json

NAMESPACE = "airflow-prod"
REPOSITORY = "https://github.com/bookshop-example/pipelines"
COMMIT = "5f0c2ab19d6e4c7788b1f3a0e2d94c61b7a8d350"
RETRY_DELAY = timedelta(minutes=5)

# What a task does between START and end: it gets its run and start, tells its own events, gives its end.
Work = Callable[[Run, datetime], datetime]


@dataclass(frozen=True, slots=True)
class Task:
    name: str
    takes_s: float
    inputs: tuple[Json, ...] = ()
    outputs: tuple[Json, ...] = ()
    query: str = ""
    work: Work | None = None
    error: tuple[str, str] | None = None
    redo: "Task | None" = None


def failing(task: Task, message: str, trace: str) -> Task:
    """The task as it fails once and then succeeds."""
    return replace(task, error=(message, trace), redo=task)


def _job(name: str, kind: str, path: str, owner: str, about: str, query: str = "") -> Job:
    job_facets: Json = {
        "jobType": facets.job_type(AIRFLOW, "BATCH", "AIRFLOW", kind),
        "sourceCodeLocation": facets.source_code_location(AIRFLOW, REPOSITORY, path, COMMIT),
        "ownership": facets.ownership(AIRFLOW, "Job", owner),
    }
    if about:
        job_facets["documentation"] = facets.documentation(AIRFLOW, "Job", about)
    if query:
        job_facets["sql"] = facets.sql(AIRFLOW, query, "snowflake")
    return Job(AIRFLOW, NAMESPACE, name, job_facets)


def run_dag(
    diary: Diary, name: str, at: datetime, period: timedelta, owner: str, about: str, tasks: list[Task]
) -> datetime:
    """Give the time at which the DAG run ended."""
    path = f"dags/{name}.py"
    engine = facets.processing_engine(AIRFLOW, "Airflow", "3.1.2", "2.7.1")
    dag = diary.run(_job(name, "DAG", path, owner, about), nominal=(at - period, at))
    diary.tell("START", at, dag, processing_engine=engine)
    now = at
    for planned in tasks:
        task: Task | None = planned
        while task is not None:
            job = _job(f"{name}.{task.name}", "TASK", path, owner, "", task.query)
            run = diary.run(job, nominal=(at - period, at), parent=dag)
            now = _run_task(diary, task, run, now + diary.seconds(4), engine)
            if task.error is not None and task.redo is not None:
                now += RETRY_DELAY
            task = task.redo if task.error is not None else None
    end = now + diary.seconds(2)
    diary.tell("COMPLETE", end, dag, processing_engine=engine)
    return end


def _run_task(diary: Diary, task: Task, run: Run, at: datetime, engine: Json) -> datetime:
    inputs, outputs = list(task.inputs), list(task.outputs)
    diary.tell("START", at, run, inputs, outputs, processing_engine=engine)
    end = task.work(run, at) if task.work is not None else at + diary.seconds(task.takes_s)
    if task.error is None:
        diary.tell("COMPLETE", end, run, inputs, outputs, processing_engine=engine)
    else:
        message, trace = task.error
        diary.tell(
            "FAIL",
            end,
            run,
            inputs,
            outputs,
            processing_engine=engine,
            errorMessage=facets.error_message(AIRFLOW, message, "python", trace),
        )
    return end
