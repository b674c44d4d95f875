"""What the page of an empty hub offers for copying works as it stands, with the hub's own address in it."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import Job, Run, RunEvent, RunState
from openlineage.client.uuid import generate_new_uuid

from tests.hub_process import HubProcess, clean_environment

ROOT = Path(__file__).parents[1]
SNIPPETS = ROOT / "web" / "src" / "screens" / "home" / "snippets"
HUB = "http://hub.example:8000"
# Nothing is installed, and dbt's own run is a test of its producer: here it tells what it would be run with.
SHELL = 'pip() { :; }; dbt-ol() { echo "ran dbt-ol $*"; }; . /dev/stdin; env'
PROGRAM = """
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
with provider.get_tracer("t").start_as_current_span("load") as span:
    print(f"{span.get_span_context().trace_id:032x}")
provider.shutdown()
"""


def snippet(name: str, url: str) -> str:
    return (SNIPPETS / f"{name}.txt").read_text().replace("{url}", url)


def environment_after(name: str, url: str) -> tuple[dict[str, str], str]:
    """The variables that a shell has after the snippet, and what the snippet printed."""
    done = subprocess.run(
        ["bash", "-euc", SHELL],
        input=snippet(name, url),
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    pairs = (line.partition("=") for line in done.stdout.splitlines() if re.match(r"\w+=", line))
    return {key: value for key, _, value in pairs}, done.stdout


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    with HubProcess(tmp_path_factory.mktemp("snippets") / "data") as one:
        yield one


def test_every_snippet_has_a_test_here() -> None:
    assert {file.stem for file in SNIPPETS.iterdir()} == {"python", "spark", "airflow", "dbt", "otlp"}


@pytest.mark.slow
def test_python(hub: HubProcess, tmp_path: Path) -> None:
    program = tmp_path / "report.py"
    program.write_text(snippet("python", hub.url))
    environment = {**clean_environment(), "LINEAGE_HUB_SPOOL_FOLDER": str(tmp_path / "spool")}
    subprocess.run([sys.executable, str(program)], env=environment, check=True, timeout=60)
    found = httpx.get(f"{hub.url}/api/v1/search", params={"q": "report"}).json()["results"]
    assert ("DATASET", "shop.public.report") in {(one["type"], one["name"]) for one in found}
    assert "JOB" in {one["type"] for one in found}


def test_spark_is_the_recipe_that_is_tested_with_the_real_listener() -> None:
    recipe = re.search(r"```\w*\n(spark-submit .*?)```", (ROOT / "docs" / "spark.md").read_text(), re.DOTALL)
    assert recipe is not None
    words = shlex.split(recipe[1].replace("\\\n", " ").replace("http://hub:8000", HUB))
    assert shlex.split(snippet("spark", HUB).replace("\\\n", " ")) == words


@pytest.mark.slow
def test_airflow_is_given_a_transport_that_reaches_the_hub(hub: HubProcess) -> None:
    """The provider hands the setting to OpenLineage's client as it is."""
    environment, _ = environment_after("airflow", hub.url)
    client = OpenLineageClient(config={"transport": json.loads(environment["AIRFLOW__OPENLINEAGE__TRANSPORT"])})
    job = Job(namespace=environment["AIRFLOW__OPENLINEAGE__NAMESPACE"], name="dag.task")
    run = Run(runId=str(generate_new_uuid()))
    client.emit(
        RunEvent(eventType=RunState.START, eventTime=datetime.now(UTC).isoformat(), run=run, job=job, producer="a")
    )
    client.close()
    assert httpx.get(f"{hub.url}/api/v1/namespaces/airflow/jobs/dag.task").status_code == 200


def test_dbt_is_told_where_the_hub_is_and_run() -> None:
    environment, printed = environment_after("dbt", HUB)
    assert (environment["OPENLINEAGE_URL"], environment["OPENLINEAGE_NAMESPACE"]) == (HUB, "dbt")
    assert "ran dbt-ol run" in printed


@pytest.mark.slow
def test_otlp(hub: HubProcess) -> None:
    environment, _ = environment_after("otlp", hub.url)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    trace = done.stdout.strip()
    until = time.monotonic() + 60
    while (answer := httpx.get(f"{hub.url}/api/v1/traces/{trace}", timeout=60)).status_code != 200:
        assert time.monotonic() < until, answer.text
        time.sleep(0.2)
    assert {span["service"] for span in answer.json()["spans"]} == {"my-pipeline"}
