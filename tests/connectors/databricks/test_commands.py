"""`lineage-hub databricks` shows what it found, says what it could not, and gives events to a file or a hub."""

import json
import uuid
from datetime import UTC, datetime

import pytest

PROGRAM = """import dlt


@dlt.table
def orders():
    kafka = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "k1:9092")
    return kafka.option("subscribe", spark.conf.get("topic")).load()
"""
UPDATE = str(uuid.UUID(int=7))


@pytest.fixture
def run(cli, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("DATABRICKS_HOST", "DATABRICKS_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return lambda *arguments: cli("databricks", *arguments)


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "programs"
    made.mkdir()
    (made / "bronze.py").write_text(PROGRAM)
    return made


def events(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_folder_is_shown_as_a_table(run, folder):
    found = run("scan", "--path", folder, "--configuration", "topic=shop.orders")
    assert found.code == 0
    head, row, summary = found.out.splitlines()
    assert head.split() == ["KIND", "SOURCE", "WHERE", "TARGET", "AT", "CONFIDENCE", "UNRESOLVED"]
    assert row.split() == ["kafka", "shop.orders", "kafka://k1:9092", "orders", "bronze.py:6", "1", "–"]
    assert summary == "1 program, 1 source, 1 table, 0 unresolved, 0 problems"


def test_what_is_unresolved_fails_where_it_must_not_be(run, folder):
    assert run("scan", "--path", folder).code == 0
    failed = run("scan", "--path", folder, "--fail-on-unresolved")
    assert failed.code == 1
    assert "bronze.py:6: kafka: subscribe can't be known" in failed.err
    assert run("scan", "--path", folder, "--fail-on-unresolved", "--configuration", "topic=a").code == 0


def test_json_has_everything(run, folder):
    found = run("scan", "--path", folder, "--json").json()
    assert found["unresolved"] == 1
    (source,) = found["sources"]
    assert (source["path"], source["line"], source["target"], source["unresolved"]) == (
        "bronze.py", 6, "orders", ["subscribe"],
    )  # fmt: skip
    assert found["problems"] == []


def test_events_are_written_once_and_the_same_again(run, folder, tmp_path):
    file = tmp_path / "events.ndjson"
    assert run("scan", "--path", folder, "--configuration", "topic=a", "--output", file).code == 0
    first = events(file)
    assert [one["job"]["name"] for one in first] == ["bronze.py.orders"]
    run("scan", "--path", folder, "--configuration", "topic=a", "--output", file)
    assert events(file) == first


def test_a_dry_run_only_says_what_it_would_do(run, folder, tmp_path):
    file = tmp_path / "events.ndjson"
    found = run("scan", "--path", folder, "--output", file, "--send", "--dry-run")
    assert found.code == 0
    assert "1 event would go to http://127.0.0.1:8000 and" in found.err
    assert not file.exists()


def test_a_workspace_is_scanned_with_its_token_from_the_environment(run, shop, monkeypatch):
    monkeypatch.setenv("DATABRICKS_TOKEN", shop.token)
    found = run("scan", "--workspace", shop.url, "--json")
    assert found.code == 0
    assert {one["source"] for one in found.json()["sources"]} >= {"prod.orders", "prod.refunds"}
    assert shop.token not in found.out + found.err


def test_a_file_says_what_to_scan(run, shop, tmp_path):
    file = tmp_path / "databricks.yaml"
    file.write_text(f"workspace: {shop.url}\ntoken: {shop.token}\npipelines: [bronze]\njobs: [none]\n")
    found = run("scan", "--config", file, "--json").json()
    assert found["works"] == 1
    only = run("scan", "--config", file, "--pipeline", "p-silver", "--json").json()
    assert [one["target"] for one in only["sources"]] == ["main.silver.orders"]


def test_what_may_not_be_read_is_told_on_stderr_and_the_rest_is_shown(run, shop, monkeypatch):
    monkeypatch.setenv("DATABRICKS_TOKEN", shop.token)
    shop.forbidden.add("/Repos/me/shop/gold")
    found = run("scan", "--workspace", shop.url)
    assert found.code == 0
    assert "prod.orders" in found.out
    assert "/Repos/me/shop/gold" in found.err
    assert "CAN READ" in found.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("scan",), "DATABRICKS_HOST"),
        (("scan", "--workspace", "https://w.example"), "DATABRICKS_TOKEN"),
        (("scan", "--path", "gone"), "there is no folder"),
        (("scan", "--path", ".", "--workspace", "https://w.example"), "--path"),
        (("scan", "--path", ".", "--configuration", "novalue"), "name=value"),
        (("scan", "--path", ".", "--pipeline", "sales"), "--path"),
        (("scan", "--path", ".", "--job", "nightly"), "--path"),
        (("scan", "--path", "/dev/null"), "neither a folder nor a file"),
        (("scan", "--workspace", "not a url"), "is not the address of a workspace"),
        (("scan", "--config", "gone.yaml"), "can't be read"),
        (("sync",), "DATABRICKS_HOST"),
    ],
)
def test_what_is_written_wrongly_is_told_with_the_next_action(run, arguments, said):
    found = run(*arguments)
    assert found.code == 2
    assert said in found.err
    assert "Traceback" not in found.err


def test_a_wrong_token_is_told_and_not_shown(run, shop, monkeypatch):
    monkeypatch.setenv("DATABRICKS_TOKEN", "dapi-wrong")
    found = run("scan", "--workspace", shop.url)
    assert found.code == 1
    assert "the token is wrong" in found.err
    assert "dapi-wrong" not in found.err


def test_without_its_extra_it_says_how_to_get_it(run, folder, monkeypatch):
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "sqlglot" else found(name))
    missing = run("scan", "--path", folder)
    assert missing.code == 5
    assert "pip install 'lineage-hub[connectors]'" in missing.err


def logged(at, kind, details, **origin):
    return {
        "timestamp": f"2026-11-01T00:00:{at:02}.000Z", "event_type": kind, "details": {kind: details},
        "origin": {"update_id": UPDATE, **origin},
    }  # fmt: skip


def test_sync_tells_of_updates_once(run, shop, monkeypatch, tmp_path):
    monkeypatch.setenv("DATABRICKS_TOKEN", shop.token)
    monkeypatch.setenv("DATABRICKS_HOST", shop.url)
    shop.page_size = 2
    flow = {"flow_name": "main.bronze.orders_raw"}
    shop.add_events(
        "p-bronze",
        [
            logged(1, "create_update", {}),
            logged(2, "flow_progress", {"status": "RUNNING", "metrics": {"num_output_rows": 3}}, **flow),
            logged(3, "flow_progress", {"status": "COMPLETED"}, **flow),
            logged(4, "update_progress", {"state": "COMPLETED"}),
        ],
    )
    file = tmp_path / "events.ndjson"
    found = run("sync", "--output", file)
    assert found.code == 0, found.err
    assert found.out == "2 pipelines, 1 job, 2 runs, 12 events\n"
    runs = [one for one in events(file) if "run" in one]
    assert [one["eventType"] for one in runs] == ["START", "START", "RUNNING", "COMPLETE", "COMPLETE"]
    assert runs[-2]["inputs"][0]["name"] == "prod.orders"
    again = run("sync", "--output", file)
    assert again.out == "2 pipelines, 1 job, 0 runs, 7 events\n"
    assert run("sync", "--whole", "--dry-run").out == found.out
    assert run("scan", "--events", "--json", "--no-cache").json()["events"] == 12


def test_a_log_that_may_not_be_read_costs_that_log_only(run, shop, monkeypatch):
    monkeypatch.setenv("DATABRICKS_TOKEN", shop.token)
    shop.add_events("p-bronze", [logged(1, "create_update", {})])
    answer = shop._of_pipelines

    def refuse(rest, params):
        from lineage_hub.testing.databricks import Answer

        if rest == ["p-silver", "events"]:
            raise Answer(403, "PERMISSION_DENIED", "no")
        return answer(rest, params)

    shop._of_pipelines = refuse
    found = run("sync", "--workspace", shop.url, "--dry-run")
    assert found.code == 0
    assert found.out.startswith("2 pipelines, 1 job, 1 run,")
    assert "silver: its event log" in found.err


def test_sync_tells_of_runs_of_jobs_once_and_again_while_they_go_on(run, shop, monkeypatch, tmp_path):
    monkeypatch.setenv("DATABRICKS_TOKEN", shop.token)
    monkeypatch.setenv("DATABRICKS_HOST", shop.url)
    shop.page_size = 1
    running = {"life_cycle_state": "RUNNING"}
    task = {"task_key": "gold", "run_id": 72, "start_time": 2_000, "state": running}
    over = {"life_cycle_state": "TERMINATED", "result_state": "SUCCESS"}
    job_id = next(iter(shop._jobs))
    key = shop._jobs[job_id]["settings"]["tasks"][0].get("task_key", "")
    task["task_key"] = key
    shop.add_runs(
        job_id,
        [
            {"run_id": 61, "start_time": 500, "end_time": 900, "state": over, "tasks": []},
            {"run_id": 71, "start_time": 2_000, "state": running, "tasks": [task]},
        ],
    )
    file = tmp_path / "events.ndjson"

    def told():
        found = run("sync", "--output", file)
        assert found.code == 0, found.err
        return [(one["job"]["name"], one["eventType"]) for one in events(file) if "run" in one]

    name = shop._jobs[job_id]["settings"]["name"]
    assert told() == [(name, "START"), (name, "COMPLETE"), (name, "START"), (f"{name}.{key}", "START")]
    ended = {"end_time": 3_000, "state": over}
    shop._runs[job_id][1] |= {**ended, "tasks": [{**task, **ended}]}
    again = [(name, "START"), (name, "COMPLETE"), (f"{name}.{key}", "START"), (f"{name}.{key}", "COMPLETE")]
    assert told() == again
    # What began last is listed again, and says the same.
    assert told() == again
    shop.forbidden.add(job_id)
    assert "its runs" in run("sync", "--output", file).err


def milliseconds(second):
    return int(datetime(2026, 11, 1, 0, 0, second, tzinfo=UTC).timestamp() * 1000)


def add_job_that_starts_bronze(shop):
    """Its run lasts from the first second to the tenth, the task from the second to the ninth."""
    over = {"life_cycle_state": "TERMINATED", "result_state": "SUCCESS"}
    started = {"pipeline_task": {"pipeline_id": "p-bronze", "full_refresh": False}}
    job_id = shop.add_job("nightly", [{"task_key": "ingest", **started}])
    task = {"task_key": "ingest", "run_id": 72, "start_time": milliseconds(2), "end_time": milliseconds(9), **started}
    run = {"run_id": 71, "start_time": milliseconds(1), "end_time": milliseconds(10), "state": over}
    shop.add_runs(job_id, [{**run, "tasks": [{**task, "state": over}]}])
    return job_id


def test_an_update_that_a_job_started_is_a_part_of_the_jobs_run(run, shop, monkeypatch, tmp_path):
    monkeypatch.setenv("DATABRICKS_TOKEN", shop.token)
    monkeypatch.setenv("DATABRICKS_HOST", shop.url)
    add_job_that_starts_bronze(shop)
    flow = {"flow_name": "main.bronze.orders_raw"}
    log = [
        logged(3, "create_update", {"cause": "JOB_TASK"}),
        logged(4, "flow_progress", {"status": "RUNNING"}, **flow),
        logged(5, "flow_progress", {"status": "COMPLETED"}, **flow),
        logged(6, "update_progress", {"state": "COMPLETED"}),
    ]
    by_hand = [{**one, "origin": {**one["origin"], "update_id": str(uuid.UUID(int=77))}} for one in log]
    by_hand[0] = {**by_hand[0], "details": {"create_update": {"cause": "USER_ACTION"}}}
    shop.add_events("p-bronze", [*log, *by_hand])
    file = tmp_path / "events.ndjson"
    found = run("sync", "--output", file)
    assert found.code == 0, found.err
    assert found.out.startswith("2 pipelines, 2 jobs, 5 runs,")
    runs = [one for one in events(file) if "run" in one]
    (job_run,) = {one["run"]["runId"] for one in runs if one["job"]["name"] == "nightly"}
    updates = {}
    for one in runs:
        if one["job"]["name"] == "bronze":
            updates.setdefault(one["run"]["runId"], []).append(one["run"]["facets"].get("parent"))
    parents = updates.pop(UPDATE)
    assert [(one["run"]["runId"], one["job"]["name"]) for one in parents] == [(job_run, "nightly")] * 2
    assert list(updates.values()) == [[None, None]]
    of_flows = [one["run"]["facets"]["parent"] for one in runs if one["job"]["name"] == "bronze.orders_raw"]
    roots = {one["run"]["runId"]: one.get("root", {}).get("run") for one in of_flows}
    assert roots == {UPDATE: {"runId": job_run}, str(uuid.UUID(int=77)): None}


def test_runs_of_a_job_are_listed_again_until_the_log_of_what_it_started_was_read(run, shop, monkeypatch, tmp_path):
    monkeypatch.setenv("DATABRICKS_TOKEN", shop.token)
    monkeypatch.setenv("DATABRICKS_HOST", shop.url)
    job_id = add_job_that_starts_bronze(shop)
    later = {"run_id": 81, "start_time": milliseconds(30), "end_time": milliseconds(31), "tasks": []}
    shop.add_runs(job_id, [{**later, "state": {"life_cycle_state": "TERMINATED", "result_state": "SUCCESS"}}])
    shop.add_events("p-bronze", [logged(3, "create_update", {"cause": "JOB_TASK"})])
    answer, refused = shop._of_pipelines, [True]

    def refuse_once(rest, params):
        from lineage_hub.testing.databricks import Answer

        if rest == ["p-bronze", "events"] and refused:
            refused.pop()
            raise Answer(403, "PERMISSION_DENIED", "no")
        return answer(rest, params)

    shop._of_pipelines = refuse_once
    file = tmp_path / "events.ndjson"
    assert "bronze: its event log" in run("sync", "--output", file).err
    assert run("sync", "--output", file).code == 0
    (begun,) = [one for one in events(file) if "run" in one and one["run"]["runId"] == UPDATE]
    assert begun["run"]["facets"]["parent"]["job"]["name"] == "nightly"


def test_json_of_a_scan_has_the_members_that_the_docs_list(run, folder):
    found = run("scan", "--path", folder, "--json").json()
    assert list(found) == [
        "works", "programs", "exported", "tables", "jobs", "sources", "unresolved", "problems", "notes", "events",
    ]  # fmt: skip
    assert list(found["sources"][0]) == [
        "work", "path", "line", "kind", "source", "place", "target", "confidence", "unresolved",
    ]  # fmt: skip


def test_no_file_of_the_cache_holds_the_token(run, shop, monkeypatch, tmp_path):
    monkeypatch.setenv("DATABRICKS_TOKEN", shop.token)
    assert run("scan", "--workspace", shop.url).code == 0
    kept = [one for one in (tmp_path / "cache").rglob("*") if one.is_file()]
    assert kept
    assert not any(shop.token.encode() in one.read_bytes() for one in kept)


def test_a_hub_that_is_away_is_said_after_the_report(run, folder):
    found = run("scan", "--path", folder, "--send", "--url", "http://127.0.0.1:9")
    assert found.code == 3
    assert "1 program, 1 source" in found.out
    assert "does not answer" in found.err
    assert "\x1b" not in found.out + found.err
