"""Events that fill the members of answers which few producers fill: one job for each, in the namespace `odd`."""

from __future__ import annotations

from typing import Any

from lineage_hub.wire import instant_text

Body = dict[str, Any]
MINUTE = 60 * 1_000_000_000
SPEC = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/"
PRODUCER = "https://example.com/tool/tree/1.0.0/odd"


def facet(**content: Any) -> Body:
    return {"_producer": PRODUCER, "_schemaURL": "https://example.com/facet.json", **content}


def dataset(name: str, facets: Body | None = None, own: Body | None = None, written: bool = False) -> Body:
    made = {"namespace": "odd", "name": name, "facets": facets or {}}
    return {**made, "outputFacets" if written else "inputFacets": own} if own else made


def run_id(number: int) -> str:
    return f"018f0000-0000-7000-9000-{number:012d}"


class Teller:
    """Minutes count from the beginning."""

    def __init__(self, beginning: int) -> None:
        self.beginning = beginning
        self.events: list[Body] = []

    def tell(self, kind: str, minute: float, job: str, run: int, **parts: Any) -> None:
        self.events.append(
            {
                "eventType": kind,
                "eventTime": self.at(minute),
                "producer": parts.get("producer", PRODUCER),
                "schemaURL": SPEC + "RunEvent",
                "run": {"runId": run_id(run), "facets": parts.get("run_facets", {})},
                "job": {"namespace": "odd", "name": job, "facets": parts.get("job_facets", {})},
                "inputs": parts.get("inputs", []),
                "outputs": parts.get("outputs", []),
            }
        )

    def tell_of(self, minute: float, name: str, **facets: Body) -> None:
        """Without a schemaURL, which gives a warning, and by another version of the producer."""
        self.events.append(
            {
                "eventTime": self.at(minute),
                "producer": PRODUCER.replace("1.0.0", "1.1.0"),
                "dataset": {"namespace": "odd", "name": name, "facets": facets},
            }
        )

    def at(self, minute: float) -> str:
        return instant_text(self.beginning + int(minute * MINUTE))


def odd_events(beginning: int) -> list[Body]:
    teller = Teller(beginning)
    _two_runs_that_differ(teller)
    _runs_with_trouble(teller)
    _names(teller)
    _many_datasets(teller)
    _streams_and_silences(teller)
    return teller.events


def _schema(*fields: tuple[str, str, str | None]) -> Body:
    return facet(fields=[{"name": name, "type": kind, "description": about} for name, kind, about in fields])


BEFORE = _schema(
    ("id", "INT", None), ("amount", "INT", None), ("gone", "DATE", None), ("cust_name", "TEXT", None),
    ("last", "TEXT", None), ("note", "TEXT", "old words"),
)  # fmt: skip
AFTER = _schema(
    ("last", "TEXT", None), ("id", "INT", None), ("amount", "BIGINT", None), ("customer_name", "TEXT", None),
    ("note", "TEXT", "new words"), ("brand_new", "BOOLEAN", None),
)  # fmt: skip
METRICS = facet(
    rowCount=10, bytes=2_000, fileCount=2, lastUpdated="2026-11-01T00:00:00Z",
    columnMetrics={"id": {"nullCount": 0, "distinctCount": 10, "sum": 45.0, "count": 10.0, "min": 0.0, "max": 9.0,
                          "quantiles": {"0.5": 4.5}}},
)  # fmt: skip
COLUMNS = facet(
    fields={
        "amount": {
            "inputFields": [
                {"namespace": "odd", "name": "orders", "field": "amount", "transformations": [
                    {"type": "DIRECT", "subtype": "AGGREGATION", "description": "sum", "masking": False}]},
                {"namespace": "odd", "name": "only_in_columns", "field": "rate"},
            ],
            "transformationDescription": "sum of amounts", "transformationType": "AGGREGATION",
        }
    },
    dataset=[{"namespace": "odd", "name": "orders", "field": "id",
              "transformations": [{"type": "INDIRECT", "subtype": "FILTER"}]}],
)  # fmt: skip


def _checked(success: bool) -> Body:
    return facet(
        assertions=[
            {"assertion": "not_null", "column": "id", "success": success, "severity": "error", "expected": "0",
             "actual": "3"},
            {"assertion": "row_count", "success": True},
        ]
    )  # fmt: skip


def _two_runs_that_differ(teller: Teller) -> None:
    for number, schema in enumerate((BEFORE, AFTER)):
        size = {"rowCount": 10 + number, "size": 1_000 + number, "fileCount": 1 + number}
        run_facets = {
            "nominalTime": facet(nominalStartTime="2026-11-01T00:00:00Z", nominalEndTime="2026-11-02T00:00:00Z"),
            "processing_engine": facet(version=f"3.{number}", name="engine"),
            f"only_in_{number}": facet(what="else"),
        }
        job_facets = {
            "sql": facet(query=f"select {number}\nfrom orders"),
            "sourceCodeLocation": facet(type="git", url="https://example.com/repo", version=str(number)),
            "jobType": facet(processingType="BATCH", integration="SPARK", jobType="JOB"),
            "ownership": facet(owners=[{"name": "team:data", "type": "MAINTAINER"}]),
            "documentation": facet(description="compares"),
            "tags": facet(tags=[{"key": "nightly", "value": "true", "source": "x"}]),
        }
        orders = dataset(
            "orders",
            {"schema": schema, "version": facet(datasetVersion=str(number)), "dataQualityMetrics": METRICS},
            {"inputStatistics": facet(**size), "dataQualityMetrics": METRICS,
             "dataQualityAssertions": _checked(number == 0)},
        )  # fmt: skip
        report = dataset(
            "report",
            {
                "schema": schema,
                "columnLineage": COLUMNS,
                "storage": facet(storageLayer="delta", fileFormat="parquet"),
                "ownership": facet(owners=[{"name": "team:reports", "type": "OWNER"}]),
                "documentation": facet(description="what is sold"),
                "datasetType": facet(datasetType="VIEW"),
                "dataSource": facet(name="lake", uri="s3://lake"),
                "lifecycleStateChange": facet(lifecycleStateChange="OVERWRITE"),
                "dataQualityAssertions": _checked(True),
                "tags": facet(
                    tags=[{"key": "gold", "value": "true", "source": "x"},
                          {"key": "pii", "value": "true", "source": "x", "field": "customer_name"}]
                ),
                "bulky": facet(text="x" * 5_000),
            },
            {"outputStatistics": facet(**size)},
            written=True,
        )  # fmt: skip
        inputs = [orders, dataset(f"input_{number}")]
        teller.tell("START", 60 * number, "compared", number, run_facets=run_facets, job_facets=job_facets)
        teller.tell(
            "COMPLETE", 60 * number + 5 + number, "compared", number,
            run_facets=run_facets, job_facets=job_facets, inputs=inputs, outputs=[report],
        )  # fmt: skip
    teller.tell("COMPLETE", 200, "reads_report", 5, inputs=[dataset("report")], outputs=[dataset("board")])
    teller.tell_of(210, "taken_back", schema=BEFORE)
    teller.tell_of(211, "taken_back", schema=facet(_deleted=True))


def _runs_with_trouble(teller: Teller) -> None:
    teller.tell("START", 300, "in_conflict", 10)
    teller.tell("COMPLETE", 301, "in_conflict", 10)
    teller.tell("FAIL", 302, "in_conflict", 10)
    teller.tell("START", 303, "renamed_before", 11)
    teller.tell("COMPLETE", 304, "renamed_after", 11)
    # By clocks that differ it ended before it began.
    teller.tell("COMPLETE", 303, "ended_before", 14)
    teller.tell("START", 304, "began_after", 14)
    for job in ("one_of_two", "two_of_two"):
        teller.tell("START", 305, job, 12)
        teller.tell("COMPLETE", 306, job, 12)
    parent = facet(run={"runId": run_id(99)}, job={"namespace": "odd", "name": "only_named"})
    troubles = {
        "parent": parent,
        "errorMessage": facet(message="no amount", programmingLanguage="PYTHON", stackTrace="Traceback"),
        "extractionError": facet(
            totalTasks=2, failedTasks=1,
            errors=[{"errorMessage": "can't parse", "stackTrace": "at", "task": "select", "taskNumber": 1}],
        ),
    }  # fmt: skip
    teller.tell("START", 310, "only_named.child", 13, run_facets={"parent": parent})
    teller.tell("FAIL", 311, "only_named.child", 13, run_facets=troubles, inputs=[dataset("orders")])


def _names(teller: Teller) -> None:
    def link(name: str, kind: str = "TABLE") -> Body:
        return {"namespace": "odd", "name": name, "type": kind}

    teller.tell_of(320, "s3/location", symlinks=facet(identifiers=[link("table")]))
    teller.tell_of(321, "s3/claimed", symlinks=facet(identifiers=[link("claims_1")]))
    teller.tell_of(322, "claims_2", symlinks=facet(identifiers=[link("s3/claimed", "LOCATION")]))
    teller.tell(
        "COMPLETE", 323, "writes_table", 20, outputs=[dataset("table"), dataset("claims_1"), dataset("dropped")]
    )
    teller.tell_of(324, "dropped", lifecycleStateChange=facet(lifecycleStateChange="DROP"))
    teller.events.append(
        {
            "eventTime": teller.at(325),
            "producer": PRODUCER,
            "schemaURL": SPEC + "JobEvent",
            "job": {"namespace": "odd", "name": "declared", "facets": {}},
            "inputs": [dataset("report")],
            "outputs": [dataset("old_name_of_it")],
        }
    )


def _many_datasets(teller: Teller) -> None:
    """More than a message of the stream names."""
    inputs, outputs = (
        [{"namespace": "wide", "name": f"{side} {number}"} for number in range(101)] for side in ("read", "written")
    )
    teller.tell("COMPLETE", 330, "wide", 30, inputs=inputs, outputs=outputs)


def _streams_and_silences(teller: Teller) -> None:
    streaming = {"jobType": facet(processingType="STREAMING", integration="SPARK", jobType="JOB")}
    for number in range(130):
        topic = dataset("topic", {"version": facet(datasetVersion=str(number))})
        teller.tell(
            "COMPLETE", 400 + number, "streams", 1_000 + number,
            job_facets=streaming, inputs=[topic], outputs=[dataset("sink")],
        )  # fmt: skip
    for number, hour in enumerate((0, 1, 2, 3, 4, 5, 6, 16, 17)):
        teller.tell("START", 600 + 60 * hour, "paced", 2_000 + number)
        teller.tell("COMPLETE", 603 + 60 * hour, "paced", 2_000 + number, outputs=[dataset("paced")])
