"""A pipeline's log becomes runs of the update and of each flow, with rows, expectations and errors."""

import uuid

from lineage_hub.connectors.databricks.clusters import Clusters
from lineage_hub.connectors.databricks.events import RunTeller
from lineage_hub.connectors.databricks.flows import ReadProgram, flows_of
from lineage_hub.connectors.databricks.lineage import Teller
from lineage_hub.connectors.databricks.names import Namer
from lineage_hub.connectors.databricks.programs import Work
from lineage_hub.connectors.databricks.reading import DefinedTable, Expectation, Reading, StreamSource

SPACE = "databricks://w.example.com"
WORK = Work("pipeline", "p1", "shop", catalog="main", schema="bronze")
READING = Reading(
    [StreamSource("kafka", ["orders"], bootstrap="k1:9092", target_table="orders_raw", line=4)],
    [DefinedTable("orders_raw", "streaming_table", expectations=(Expectation("valid", "id > 0", "drop"),))],
)
U1, U2 = str(uuid.uuid4()), str(uuid.uuid4())


def teller(**options):
    namer = Namer(WORK, SPACE, Clusters(), READING.tables)
    flows, _ = flows_of(WORK, [ReadProgram("/n", READING)], namer)
    return RunTeller(Teller(WORK, namer, SPACE).jobs(flows, {}), namer, **options)


def logged(at, kind, details, update=U1, **more):
    origin = {"update_id": update, **more.pop("origin", {})}
    return {
        "timestamp": f"2026-11-01T00:00:{at:02}.000Z",
        "event_type": kind,
        "origin": origin,
        "details": {kind: details},
        **more,
    }


def progress(at, state, **more):
    return logged(at, "update_progress", {"state": state}, **more)


def flow(at, status, name="main.bronze.orders_raw", rows=None, rules=(), **more):
    details = {"status": status}
    if rows is not None:
        details["metrics"] = {"num_output_rows": rows}
    if rules:
        details["data_quality"] = {
            "expectations": [
                {"name": rule, "dataset": "orders_raw", "passed_records": good, "failed_records": bad}
                for rule, good, bad in rules
            ]
        }
    return logged(at, "flow_progress", details, origin={"flow_name": name}, **more)


LOG = [
    logged(1, "create_update", {"update_id": U1}),
    progress(2, "WAITING_FOR_RESOURCES"),
    progress(3, "RUNNING"),
    flow(4, "QUEUED"),
    flow(5, "STARTING"),
    flow(6, "RUNNING", rows=10, rules=[("valid", 9, 1)]),
    flow(7, "RUNNING", rows=5, rules=[("valid", 5, 0)]),
    flow(8, "COMPLETED"),
    progress(9, "COMPLETED"),
]


def shown(events):
    return [(one["job"]["name"], one["eventType"], one["eventTime"][17:19]) for one in events]


def test_an_update_and_its_flows_are_runs_from_start_to_end():
    events = list(teller().events(LOG))
    assert shown(events) == [
        ("shop", "START", "01"),
        ("shop.orders_raw", "START", "05"),
        ("shop.orders_raw", "RUNNING", "06"),
        ("shop.orders_raw", "RUNNING", "07"),
        ("shop.orders_raw", "COMPLETE", "08"),
        ("shop", "COMPLETE", "09"),
    ]
    assert events[0]["run"]["runId"] == U1
    flows = {one["run"]["runId"] for one in events if one["job"]["name"] == "shop.orders_raw"}
    assert len(flows) == 1
    parent = events[1]["run"]["facets"]["parent"]
    assert (parent["run"]["runId"], parent["job"]["name"]) == (U1, "shop")


def test_a_flow_reads_and_fills_what_its_code_says():
    end = list(teller().events(LOG))[-2]
    assert [(one["namespace"], one["name"]) for one in end["inputs"]] == [("kafka://k1:9092", "orders")]
    assert [one["name"] for one in end["outputs"]] == ["main.bronze.orders_raw"]


def test_rows_and_expectations_add_up_over_the_reports_of_a_flow():
    end = list(teller().events(LOG))[-2]
    (output,) = end["outputs"]
    assert output["outputFacets"]["outputStatistics"]["rowCount"] == 15
    (rule,) = output["facets"]["dataQualityAssertions"]["assertions"]
    assert (rule["assertion"], rule["success"], rule["actual"], rule["content"]) == ("valid", False, "1", "id > 0")
    assert rule["params"] == {"passed_records": 14, "failed_records": 1}


def test_the_same_log_says_the_same_again_in_any_order():
    assert list(teller().events(LOG)) == list(teller().events(LOG[::-1]))


def test_a_failed_flow_and_its_update_tell_why():
    error = {"exceptions": [{"class_name": "KafkaException", "message": "no broker", "stack": []}], "fatal": True}
    log = [*LOG[:5], flow(6, "FAILED", level="ERROR", error=error), progress(7, "FAILED", error=error)]
    events = list(teller().events(log))
    assert shown(events)[-2:] == [("shop.orders_raw", "FAIL", "06"), ("shop", "FAIL", "07")]
    assert events[-2]["run"]["facets"]["errorMessage"]["message"] == "KafkaException: no broker"
    assert events[-1]["run"]["facets"]["errorMessage"]["message"] == "KafkaException: no broker"


def test_a_stream_ends_with_its_update():
    events = list(teller().events([*LOG[:6], progress(7, "CANCELED")]))
    assert shown(events)[-2:] == [("shop.orders_raw", "ABORT", "07"), ("shop", "ABORT", "07")]


def test_a_table_that_no_code_was_read_of_is_told_as_the_log_defines_it():
    define = logged(
        2,
        "flow_definition",
        {"output_dataset": "gold", "input_datasets": [{"name": "silver"}]},
        origin={"flow_name": "gold"},
    )
    log = [LOG[0], define, flow(3, "RUNNING", "gold"), flow(4, "COMPLETED", "gold", rows=3)]
    end = list(teller().events(log))[-1]
    assert end["job"]["name"] == "shop.gold"
    assert [one["name"] for one in end["inputs"]] == ["main.bronze.silver"]
    assert [one["name"] for one in end["outputs"]] == ["main.bronze.gold"]
    assert end["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] == 3


def test_details_may_be_a_text_and_nonsense_is_passed_over():
    import json

    log = [
        {**one, "details": json.dumps(one["details"])} if one["event_type"] == "update_progress" else one for one in LOG
    ]
    nonsense = [{}, {"timestamp": 5}, {"timestamp": "then", "origin": {"update_id": U1}}, {"origin": None}]
    nonsense += [{**LOG[2], "details": "{"}, {**LOG[2], "details": None}, {**LOG[2], "origin": {"update_id": "no id"}}]
    assert list(teller().events([*log, *nonsense])) == list(teller().events(LOG))


def test_a_log_is_resumed_behind_its_end_or_before_an_update_that_goes_on():
    whole = teller()
    list(whole.events(LOG))
    assert whole.resume_at == LOG[-1]["timestamp"]
    half = teller()
    list(half.events(LOG[:6]))
    assert half.resume_at == "2026-11-01T00:00:00.999Z"
    assert teller().resume_at is None
    late = [flow(20, "RUNNING"), logged(21, "create_update", {}, update=U2), progress(22, "RUNNING", update=U2)]
    assert shown(teller(resumed=True).events(late)) == [("shop", "START", "21")]


def test_figures_in_every_form_of_the_log_are_counted_and_nonsense_is_not():
    figures = [
        {"num_output_rows": None, "num_upserted_rows": 4},
        {"num_output_rows": "6", "num_output_bytes": "10"},
        {"num_output_rows": "many", "num_upserted_rows": float("nan")},
    ]
    log = [*LOG[:5]]
    for at, metrics in enumerate(figures, 6):
        rules = [
            None,
            {"name": "", "passed_records": 1},
            {"name": "valid", "passed_records": "2", "failed_records": []},
        ]
        details = {"status": "RUNNING", "metrics": metrics, "data_quality": {"expectations": rules}}
        log.append(logged(at, "flow_progress", details, origin={"flow_name": "main.bronze.orders_raw"}))
    alone = {"metrics": {"num_output_rows": 5}, "data_quality": {"expectations": "x"}}
    log.append(logged(9, "flow_progress", alone, origin={"flow_name": "main.bronze.orders_raw"}))
    (output,) = list(teller().events([*log, flow(10, "COMPLETED")]))[-1]["outputs"]
    statistics = output["outputFacets"]["outputStatistics"]
    assert (statistics["rowCount"], statistics["size"]) == (15, 10)
    (rule,) = output["facets"]["dataQualityAssertions"]["assertions"]
    assert rule["params"] == {"passed_records": 6, "failed_records": 0}


def test_inputs_of_a_flow_may_be_names_alone():
    content = {"output_dataset": "`main`.`bronze`.`gold`", "input_datasets": ["main.bronze.silver"]}
    define = logged(2, "flow_definition", content, origin={"flow_name": "gold"})
    end = list(teller().events([LOG[0], define, flow(4, "COMPLETED", "gold")]))[-1]
    assert [one["name"] for one in end["inputs"]] == ["main.bronze.silver"]
    assert [one["name"] for one in end["outputs"]] == ["main.bronze.gold"]
