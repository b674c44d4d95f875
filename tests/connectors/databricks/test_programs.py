"""What a pipeline or a task runs, and with which values, is as the workspace would do it."""

from lineage_hub.connectors.databricks.programs import clusters_of_job, work_of_pipeline, works_of_job

HOST = "https://w.example.com"


def pipeline(**spec):
    return {"pipeline_id": "p1", "name": "shop", "last_modified": 5, "spec": {"name": "shop", **spec}}


def test_libraries_of_every_kind_are_found_and_built_ones_are_named():
    libraries = [
        {"notebook": {"path": "/a"}},
        {"file": {"path": "/b.py"}},
        {"glob": {"include": "/c/**"}},
        {"jar": "dbfs:/x.jar"},
        {"notebook": {}},
        "nonsense",
    ]
    work = work_of_pipeline(pipeline(libraries=libraries), HOST, {})
    assert work.paths == ("/a", "/b.py")
    assert work.globs == ("/c/**",)
    assert len(work.problems) == 3
    assert "jar" in work.problems[0].reason


def test_a_pipelines_configuration_goes_before_its_clusters_and_a_users_before_both():
    spec = {
        "configuration": {"a": "pipeline", "b": "pipeline"},
        "clusters": [
            {"label": "default", "spark_conf": {"a": "cluster", "c": "cluster", "s": "{{secrets/scope/key}}"}},
            {"label": "maintenance", "spark_conf": {"d": "maintenance"}},
        ],
    }
    work = work_of_pipeline(pipeline(**spec), HOST, {"b": "user"})
    assert work.configuration == {"a": "pipeline", "b": "user", "c": "cluster"}


def test_tables_of_a_pipeline_are_published_where_it_says():
    unity = work_of_pipeline(pipeline(catalog="main", schema="bronze"), HOST, {})
    assert (unity.catalog, unity.schema, unity.is_published) == ("main", "bronze", True)
    legacy = work_of_pipeline(pipeline(target="bronze"), HOST, {})
    assert (legacy.catalog, legacy.schema, legacy.is_published) == ("hive_metastore", "bronze", True)
    assert not work_of_pipeline(pipeline(storage="/x"), HOST, {}).is_published


def test_a_task_gets_job_parameters_before_its_own_and_those_before_spark_conf():
    job = {
        "job_id": 7,
        "settings": {
            "name": "nightly",
            "parameters": [
                {"name": "env", "default": "prod"},
                {"name": "when", "default": "{{job.start_time.iso_date}}"},
            ],
            "job_clusters": [{"job_cluster_key": "k", "new_cluster": {"spark_conf": {"env": "conf", "only": "conf"}}}],
            "tasks": [
                {
                    "task_key": "load",
                    "job_cluster_key": "k",
                    "notebook_task": {
                        "notebook_path": "/n",
                        "base_parameters": {
                            "env": "task",
                            "topic": "{{job.parameters.env}}_orders",
                            "run": "{{job.run_id}}",
                        },
                    },
                }
            ],
        },
    }
    (work,) = works_of_job(job, HOST, {})
    assert (work.name, work.parent, work.paths) == ("nightly.load", "nightly", ("/n",))
    assert work.configuration == {"env": "prod", "topic": "prod_orders", "only": "conf"}


def test_every_kind_of_task_is_read_or_explained():
    tasks = [
        {"task_key": "py", "spark_python_task": {"python_file": "/x.py"}},
        {"task_key": "s3", "spark_python_task": {"python_file": "s3://b/x.py"}},
        {"task_key": "git", "notebook_task": {"notebook_path": "n", "source": "GIT"}},
        {"task_key": "file", "sql_task": {"file": {"path": "/q.sql"}, "parameters": {"p": "v"}}},
        {"task_key": "query", "sql_task": {"query": {"query_id": "q1"}}},
        {"task_key": "wheel", "python_wheel_task": {"package_name": "x"}},
        {"task_key": "each", "for_each_task": {"inputs": "[1]", "task": {"notebook_task": {"notebook_path": "/e"}}}},
        {"task_key": "pipe", "pipeline_task": {"pipeline_id": "p1"}},
        {"task_key": "dash", "sql_task": {"dashboard": {}}},
    ]
    git = {"git_url": "https://bot:s3cret@git.example.com/shop.git"}
    works = {
        one.name: one
        for one in works_of_job({"job_id": 1, "settings": {"name": "j", "tasks": tasks, "git_source": git}}, HOST, {})
    }
    assert sorted(works) == ["j.each", "j.file", "j.git", "j.py", "j.query", "j.s3", "j.wheel"]
    assert works["j.py"].paths == ("/x.py",)
    assert works["j.query"].query_id == "q1"
    assert works["j.file"].configuration == {"p": "v"}
    assert works["j.each"].paths == ("/e",)
    assert "git.example.com" in works["j.git"].problems[0].reason
    assert "s3cret" not in works["j.git"].problems[0].reason
    assert "--path" in works["j.s3"].problems[0].reason
    assert "python_wheel_task" in works["j.wheel"].problems[0].reason


def test_nonsense_from_the_api_is_no_program_and_no_failure():
    assert list(works_of_job({}, HOST, {})) == []
    assert list(works_of_job({"settings": {"tasks": [None, 1, {}]}}, HOST, {})) == []
    assert work_of_pipeline({}, "", {}).paths == ()
    assert (
        work_of_pipeline({"spec": {"libraries": "x", "clusters": [1], "configuration": []}}, "", {}).configuration == {}
    )


def test_a_cluster_that_is_not_the_jobs_own_gives_its_spark_conf_where_it_is_known():
    task = {"task_key": "t", "existing_cluster_id": "0923-1", "notebook_task": {"notebook_path": "/n"}}
    job = {"job_id": 1, "settings": {"name": "j", "tasks": [task, {"task_key": "u", "run_job_task": {"job_id": 2}}]}}
    assert clusters_of_job(job) == ["0923-1"]
    (work,) = works_of_job(job, HOST, {})
    assert [one.reason for one in work.problems] == [
        "the spark_conf of the cluster 0923-1, on which it runs, is not known; give values with --configuration"
    ]
    (work,) = works_of_job(job, HOST, {"b": "given"}, {"0923-1": {"a": "1", "b": "2", "c": "{{secrets/s/k}}"}})
    assert (work.problems, work.configuration) == ((), {"a": "1", "b": "given"})
