"""What Prometheus' own tool says of the text at /metrics: nothing."""

import shutil
import subprocess

import pytest
from starlette.testclient import TestClient

from tests.server.conftest import EventMaker

pytestmark = pytest.mark.slow
HOW_TO_GET_IT = (
    "This test needs promtool, which was not found on PATH. Install it with:  scripts/system-packages promtool"
)


def test_the_metrics_pass_the_check_of_prometheus(client: TestClient, event: EventMaker) -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.fail(HOW_TO_GET_IT, pytrace=False)
    assert client.post("/api/v1/lineage", json=event()).status_code == 201
    client.post("/api/v1/lineage", content=b"{}")
    client.get("/api/v1/namespaces/a%20b/datasets/nope")
    text = client.get("/metrics").content
    done = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
