"""A run's events are valid OpenLineage, and tell of its parent, its datasets and how it ended."""

import json
from typing import Any

import pytest

from lineage_hub.sdk.runs import Run
from lineage_hub.wire import Decoder


class Sent(list[dict[str, Any]]):
    def __call__(self, event: bytes) -> None:
        Decoder().decode(event, "default")
        self.append(json.loads(event))


def test_a_run_tells_what_it_read_and_wrote() -> None:
    sent = Sent()
    run = Run("shop", "load", sent)
    run.describe("loads orders")
    run.tag({"team": "sales"})
    run.add_input("s3://lake/orders")
    run.start()
    run.add_output("report", columns={"total": [("s3://lake/orders", "amount")]})
    run.add_facet("rows", {"count": 3})
    run.end()
    start, complete = sent
    assert [one["eventType"] for one in sent] == ["START", "COMPLETE"]
    assert start["run"]["runId"] == complete["run"]["runId"]
    assert [(one["namespace"], one["name"]) for one in start["inputs"]] == [("s3://lake", "orders")]
    assert start["outputs"] == []
    (output,) = complete["outputs"]
    assert (output["namespace"], output["name"]) == ("shop", "report")
    (source,) = output["facets"]["columnLineage"]["fields"]["total"]["inputFields"]
    assert source == {"namespace": "s3://lake", "name": "orders", "field": "amount"}
    assert complete["run"]["facets"]["rows"]["count"] == 3
    assert complete["job"]["facets"]["documentation"]["description"] == "loads orders"
    assert complete["job"]["facets"]["tags"]["tags"][0]["key"] == "team"


@pytest.mark.parametrize(
    ("error", "kind"), [(ValueError("no"), "FAIL"), (KeyboardInterrupt(), "ABORT"), (SystemExit(1), "ABORT")]
)
def test_an_error_ends_it_with_its_trace(error: BaseException, kind: str) -> None:
    sent = Sent()
    run = Run("shop", "load", sent)
    try:
        raise error
    except BaseException as caught:
        run.end(caught)
    run.end()
    (event,) = sent
    assert event["eventType"] == kind
    told = event["run"]["facets"]["errorMessage"]
    assert told["message"]
    assert "test_runs.py" in told["stackTrace"]


def test_a_child_names_its_parent_and_the_root() -> None:
    sent = Sent()
    root = Run("shop", "all", sent)
    middle = Run("shop", "some", sent, parent=root)
    Run("shop", "one", sent, parent=middle).start()
    named = sent[0]["run"]["facets"]["parent"]
    assert (named["run"]["runId"], named["job"]["name"]) == (middle.id, "some")
    assert (named["root"]["run"]["runId"], named["root"]["job"]["name"]) == (root.id, "all")


def test_an_error_whose_text_cannot_be_made_is_told_by_its_name() -> None:
    class Rude(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    sent = Sent()
    Run("shop", "load", sent).end(Rude())
    assert sent[0]["run"]["facets"]["errorMessage"]["message"] == "Rude"
