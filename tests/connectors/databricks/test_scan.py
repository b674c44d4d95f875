"""A scan goes from jobs and pipelines to tables; what fails on the way is in the report, and nothing else is lost."""

import asyncio
import json
from itertools import permutations

import pytest

from lineage_hub.connectors.databricks.cache import Cache
from lineage_hub.connectors.databricks.config import Chosen, KafkaCluster, ScanConfig
from lineage_hub.connectors.databricks.report import Report
from lineage_hub.connectors.databricks.scan import scan_folder, scan_workspace
from lineage_hub.connectors.databricks.told import events_of
from lineage_hub.errors import Refusal
from lineage_hub.testing.databricks import FakeWorkspace


def scanned(workspace, cache=None, **members):
    config = ScanConfig(
        workspace=workspace.url, token=workspace.token, attempts=3, namespace="databricks://w", **members
    )
    return asyncio.run(scan_workspace(config, cache or Cache(None)))


def edges(report):
    found = []
    for job in report.jobs:
        inputs = [f"{one.namespace.partition('://')[2]} {one.name}" for one in job.inputs] or ["-"]
        found += [f"{given} > {job.name} > {one.name}" for given in inputs for one in job.outputs]
    return sorted(found)


def test_topics_lead_to_bronze_silver_and_gold_across_pipelines_and_jobs(shop):
    report = scanned(shop)
    assert edges(report) == [
        "k1.example:9092 prod.orders > bronze.orders_raw > main.bronze.orders_raw",
        "k1.example:9092 prod.refunds > bronze.refunds_raw > main.bronze.refunds_raw",
        "w main.bronze.orders_raw > silver.orders > main.silver.orders",
        "w main.silver.orders > gold.daily.daily > main.gold.daily",
    ]
    assert not report.problems
    assert (report.works, report.programs) == (3, 3)
    assert {one.name for one in report.jobs if not one.flow} == {"bronze", "silver", "gold.daily"}


def test_columns_and_what_the_catalog_knows_are_told(shop):
    (job,) = (one for one in scanned(shop).jobs if one.name == "silver.orders")
    (facets,) = job.outputs.values()
    (origin,) = facets["columnLineage"]["fields"]["id"]["inputFields"]
    assert (origin["name"], origin["field"]) == ("main.bronze.orders_raw", "key")
    assert [one["type"] for one in facets["schema"]["fields"]] == ["string", "string"]
    assert facets["ownership"]["owners"][0]["name"] == "user:data@example.com"
    location = job.facets["sourceCodeLocation"]
    assert (location["repoUrl"], location["path"]) == ("https://git.example.com/shop.git", "silver/orders.sql")


def test_one_notebook_that_may_not_be_read_costs_that_notebook_only(shop):
    shop.forbidden.add("/Repos/me/shop/gold")
    shop.bad_base64.add("/Repos/me/shop/silver/orders.sql")
    report = scanned(shop)
    assert [one.split(" > ")[1] for one in edges(report)] == ["bronze.orders_raw", "bronze.refunds_raw"]
    reasons = {one.path: one.reason for one in report.problems}
    assert "CAN READ" in reasons["/Repos/me/shop/gold"]
    assert "base64" in reasons["/Repos/me/shop/silver/orders.sql"]


def test_a_broken_library_a_missing_notebook_and_a_closed_pipeline_stop_nothing(shop):
    shop.add_pipeline("broken", ["/Repos/me/gone"], globs=["/nowhere/**"], libraries_=[])
    shop.add_pipeline("closed", pipeline_id="p-closed")
    shop.forbidden.add("p-closed")
    shop.add_job("odd", [{"task_key": "w", "python_wheel_task": {}}])
    report = scanned(shop)
    assert len(edges(report)) == 4
    assert {one.path for one in report.problems} == {"/Repos/me/gone", "/nowhere/**", "pipeline closed", "odd.w"}


def test_a_syntax_error_is_in_the_report_with_its_line(shop):
    shop.add_notebook("/Repos/me/shop/pipelines/bad", "# Databricks notebook source\nx = (\n# COMMAND ----------\n")
    shop.add_pipeline("bad", ["/Repos/me/shop/pipelines/bad"])
    report = scanned(shop)
    assert len(edges(report)) == 4
    (problem,) = report.problems
    assert problem.path == "/Repos/me/shop/pipelines/bad"
    assert problem.line


def test_throttling_failures_and_small_pages_change_nothing(shop):
    calm = scanned(shop)
    shop.page_size, shop.throttle_every, shop.fail_every = 1, 5, 7
    assert edges(scanned(shop)) == edges(calm)
    assert {one.status for one in shop.asked} >= {200, 429, 500}


def test_without_a_valid_token_the_scan_ends_at_once(shop):
    config = ScanConfig(workspace=shop.url, token="wrong")
    with pytest.raises(Refusal, match="401"):
        asyncio.run(scan_workspace(config, Cache(None)))


def test_a_second_scan_exports_nothing_and_says_the_same(shop, tmp_path):
    first = scanned(shop, Cache(tmp_path))
    told = events_of(first.jobs, Cache(tmp_path))
    exports = shop.count("/api/2.0/workspace/export")
    again = scanned(shop, Cache(tmp_path))
    assert shop.count("/api/2.0/workspace/export") == exports == first.exported
    assert again.exported == 0
    assert events_of(again.jobs, Cache(tmp_path)) == told


def test_a_changed_configuration_is_seen_though_no_notebook_changed(shop, tmp_path):
    before = events_of(scanned(shop, Cache(tmp_path)).jobs, Cache(tmp_path))
    shop._pipelines["p-bronze"]["spec"]["configuration"]["shop.env"] = "test"
    report = scanned(shop, Cache(tmp_path))
    assert "k1.example:9092 test.orders > bronze.orders_raw > main.bronze.orders_raw" in edges(report)
    after = {one["job"]["name"]: one for one in events_of(report.jobs, Cache(tmp_path))}
    changed = [one["job"]["name"] for one in before if after[one["job"]["name"]] != one]
    assert changed == ["bronze.orders_raw", "bronze.refunds_raw"]
    assert all(after[one["job"]["name"]]["eventTime"] >= one["eventTime"] for one in before)


def test_a_module_that_changes_changes_what_imports_it(shop, tmp_path):
    scanned(shop, Cache(tmp_path))
    shop.add_notebook("/Repos/me/shop/shared/brokers", 'BROKERS = "other:9092"', modified_at=9_000_000_000_000)
    found = edges(scanned(shop, Cache(tmp_path)))
    assert "other:9092 prod.orders > bronze.orders_raw > main.bronze.orders_raw" in found


def test_clusters_are_found_by_their_brokers_and_only_chosen_works_are_scanned(shop):
    from lineage_hub.connectors.databricks.config import Chosen

    report = scanned(
        shop,
        clusters=(KafkaCluster("other", ("k9",)), KafkaCluster("prod", ("k0", "k2.example"), "kafka://prod")),
        pipelines=Chosen(names=("bronze",)),
        jobs=Chosen(excludes=("",)),
    )
    assert {one.split(" ")[0] for one in edges(report)} == {"prod"}
    assert report.works == 1


def test_pipelines_of_one_name_are_two_jobs(shop):
    shop.add_pipeline("silver", ["/Repos/me/shop/gold"], pipeline_id="p-2", catalog="main", schema="x")
    names = {one.name for one in scanned(shop).jobs}
    assert {"silver (p-silver)", "silver (p-2)"} <= names


def test_a_query_of_a_sql_task_is_read_with_its_parameters(shop):
    shop.add_query("q1", "CREATE TABLE main.x.copy AS SELECT * FROM main.silver.orders")
    shop.add_job("copy", [{"task_key": "sql", "sql_task": {"query": {"query_id": "q1"}}}])
    assert "w main.silver.orders > copy.sql.copy > main.x.copy" in edges(scanned(shop))


def test_a_view_of_sql_is_for_everybody_and_one_of_a_decorator_is_its_pipelines_own(shop):
    shop.add_notebook("/v/sql", "CREATE VIEW seen AS SELECT id FROM main.silver.orders", "SQL")
    shop.add_notebook(
        "/v/py", "import dlt\n@dlt.view\ndef passing():\n    return spark.read.table('main.silver.orders')\n"
    )
    shop.add_pipeline("views", ["/v/sql", "/v/py"], catalog="main", schema="v")
    found = edges(scanned(shop))
    assert "w main.silver.orders > views.seen > main.v.seen" in found
    assert "w main.silver.orders > views.passing > views.passing" in found


def test_a_folder_is_scanned_without_an_account_and_modules_are_no_programs(tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "brokers.py").write_text('BROKERS = "k1:9092"\n')
    (tmp_path / "bronze.py").write_text(
        "import dlt\nfrom shared.brokers import BROKERS\n@dlt.table\ndef t():\n"
        '    kafka = spark.readStream.format("kafka").option("kafka.bootstrap.servers", BROKERS)\n'
        '    return kafka.option("subscribe", "a").load()\n'
    )
    (tmp_path / "latin.py").write_bytes(b"\xff")
    report = asyncio.run(scan_folder(tmp_path, ScanConfig(), Cache(None)))
    assert report.programs == 1
    assert edges(report) == ["k1:9092 a > bronze.py.t > t"]
    (finding,) = report.findings
    assert (finding.path, finding.line, finding.source, finding.place) == ("bronze.py", 5, "a", "kafka://k1:9092")
    assert [one.path for one in report.problems] == ["latin.py"]


def test_files_that_take_in_each_other_are_read_once(tmp_path):
    (tmp_path / "a.py").write_text("import b\n")
    (tmp_path / "b.py").write_text("import a\n")
    assert asyncio.run(scan_folder(tmp_path, ScanConfig(), Cache(None))).programs == 1


def test_a_job_whose_further_tasks_may_not_be_read_costs_those_only(shop):
    for job in shop._jobs.values():
        job["has_more"] = True
        shop.forbidden.add(str(job["job_id"]))
    report = scanned(shop)
    assert "w main.silver.orders > gold.daily.daily > main.gold.daily" in edges(report)
    assert ["further tasks of job gold" in one.path for one in report.problems] == [True]


def test_a_notebook_that_another_starts_is_read_with_the_arguments_it_is_given(tmp_path):
    (tmp_path / "main.py").write_text(
        'dbutils.notebook.run("./child", 60, {"t": "orders"})\n'
        'dbutils.notebook.run(path="./none", timeout_seconds=60)\n'
        "dbutils.notebook.run(unknown, 60)\n"
    )
    (tmp_path / "child.py").write_text(
        't = dbutils.widgets.get("t")\n\nspark.read.parquet("/landing/" + t).write.saveAsTable("bronze." + t)\n'
    )
    report = asyncio.run(scan_folder(tmp_path, ScanConfig(), Cache(None)))
    assert [(one.path, one.line, one.source, one.target) for one in report.findings] == [
        ("child.py", 3, "/landing/orders", "bronze.orders"),
    ]  # fmt: skip
    assert [(one.line, one.reason.partition(",")[0]) for one in report.problems if one.line] == [
        (2, "the notebook ./none"), (3, "a notebook whose path can't be known"),
    ]  # fmt: skip


def test_a_cluster_that_several_jobs_share_is_asked_once_for_its_spark_conf(tmp_path):
    task = {"task_key": "t", "existing_cluster_id": "c-1", "notebook_task": {"notebook_path": "/n"}}
    with FakeWorkspace() as workspace:
        workspace.add_cluster("c-1", {"topic": "orders"})
        workspace.add_notebook("/n", 'spark.read.table(spark.conf.get("topic")).write.saveAsTable("t")\n')
        for name in ("a", "b"):
            workspace.add_job(name, [task])
        workspace.add_job("c", [{**task, "existing_cluster_id": "c-2"}])
        config = ScanConfig(workspace=workspace.url, token=workspace.token)
        report = asyncio.run(scan_workspace(config, Cache(None)))
        assert workspace.count("/api/2.1/clusters/get") == 2
    assert [one.source for one in report.findings] == ["orders", "orders", ""]
    assert any("c-2 does not exist" in one.reason for one in report.problems)


def test_half_of_a_pair_of_utf_16_in_a_program_stops_no_scan(tmp_path):
    kafka = "spark.readStream.format('kafka').option('kafka.bootstrap.servers', 'k:9092')"
    (tmp_path / "a.py").write_text(f"{kafka}.option('subscribe', 'a\\ud800b').load().writeStream.toTable('t\\udc00')\n")
    (tmp_path / "b.py").write_text(f"{kafka}.option('subscribe', '\\ud83d\\ude00').load().writeStream.toTable('u')\n")
    report = asyncio.run(scan_folder(tmp_path, ScanConfig(), Cache(tmp_path / "cache")))
    assert [(one.source, one.target) for one in report.findings] == [("a\ufffdb", "t\ufffd"), ("\U0001f600", "u")]
    json.dumps(report.to_dict(), ensure_ascii=False).encode()


def test_a_name_that_chooses_no_pipeline_or_job_is_said(shop):
    pipelines, jobs = Chosen(names=("nowhere*", "*")), Chosen(names=("nobody",))
    notes = scanned(shop, pipelines=pipelines, jobs=jobs).notes
    assert [one.partition(":")[0] for one in notes] == [
        "no job is chosen by nobody", "no pipeline is chosen by nowhere*",
    ]  # fmt: skip


def test_a_report_reads_the_same_in_whatever_order_the_workspace_answered():
    came = [("/b", 2, "closed"), ("/b", 1, "closed"), ("/a", 9, "not UTF-8")]
    told = []
    for order in permutations(came):
        report = Report(notes=[reason + path for path, _, reason in order])
        for one in order:
            report.add_problem(*one)
        report.take(Report())
        told.append(json.dumps(report.to_dict()))
    assert len(set(told)) == 1
    assert [(one.path, one.line) for one in report.problems] == [("/a", 9), ("/b", 1), ("/b", 2)]


def test_a_catalog_that_tells_positions_of_columns_in_no_order_stops_nothing():
    with FakeWorkspace() as workspace:
        workspace.add_notebook("/n", "spark.read.table('main.a.b').write.saveAsTable('main.a.c')\n")
        workspace.add_job("copy", [{"task_key": "t", "notebook_task": {"notebook_path": "/n"}}])
        workspace.add_table("main.a.c")
        told = [{"name": "x", "position": "2"}, {"name": "y", "position": 1}, None, {"name": "z"}]
        workspace._tables["main.a.c"]["columns"] = told
        report = scanned(workspace)
        [output] = [facets for job in report.jobs for facets in job.outputs.values()]
        assert {one["name"] for one in output["schema"]["fields"]} == {"x", "y", "z"}


def test_documents_that_a_program_opens_are_taken_in(tmp_path):
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf/app.yaml").write_text("topic: orders\n")
    (tmp_path / "conf/unused.json").write_text("{}")
    (tmp_path / "main.py").write_text(
        "import yaml, dlt\n"
        "with open('conf/app.yaml') as f:\n    cfg = yaml.safe_load(f)\n"
        "missing = 'gone.json'\n"
        "@dlt.table\ndef t():\n"
        "    return spark.readStream.format('kafka').option('kafka.bootstrap.servers', 'k:1')"
        ".option('subscribe', cfg['topic']).load()\n"
    )
    report = asyncio.run(scan_folder(tmp_path, ScanConfig(), Cache(None)))
    assert [(one.source, one.target, one.unresolved) for one in report.findings] == [("orders", "t", ())]
    assert report.problems == []


def test_documents_of_a_workspace_are_taken_in(shop):
    shop.add_file("/Repos/me/shop/pipelines/conf/app.json", '{"topic": "from.file"}')
    shop.add_notebook(
        "/Repos/me/shop/pipelines/configured",
        "import json\ncfg = json.load(open('conf/app.json'))\n"
        "spark.readStream.format('kafka').option('kafka.bootstrap.servers', 'k:1')"
        ".option('subscribe', cfg['topic']).load().writeStream.toTable('main.a.b')\n",
    )
    task = {"task_key": "t", "notebook_task": {"notebook_path": "/Repos/me/shop/pipelines/configured"}}
    shop.add_job("configured", [task])
    report = asyncio.run(scan_workspace(ScanConfig(workspace=shop.url, token=shop.token), Cache(None)))
    assert [one.source for one in report.findings if one.work == "configured.t"] == ["from.file"]
