"""A few files and views that the tests of whole plans read, and a short way to write what is expected of them."""

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from lineage_hub.spark.plan import PlanLineage, lineage

FILES = {
    "orders.csv": "order_id,customer_id,product_id,amount,status,ts\n1,1,1,10.5,new,2024-01-01\n",
    "customers.csv": "customer_id,name,country\n1,Ann,DE\n2,Bob,FR\n",
    "events.json": '{"id":1,"user":{"id":7,"geo":{"city":"B"}},"items":[{"sku":"a","price":1.5}],"attrs":{"k":"v"}}\n',
}
SCHEMAS = {
    "orders": "order_id int, customer_id int, product_id int, amount double, status string, ts date",
    "customers": "customer_id int, name string, country string",
    "events": "id int, user struct<id:int,geo:struct<city:string,zip:string>>, "
    "items array<struct<sku:string,price:double>>, attrs map<string,string>",
}


def open_shop(spark: SparkSession, folder: Path) -> None:
    for file, text in FILES.items():
        (folder / file).write_text(text)
        name, format_ = file.split(".")
        reader = spark.read.schema(SCHEMAS[name]).option("header", True)
        reader.format(format_).load(str(folder / file)).createOrReplaceTempView(name)


def told(answer: PlanLineage) -> dict[str, set[str]]:
    """Each column with origins such as `orders.amount AGGREGATION`, datasets by the stem of their file."""
    return {
        column: {f"{_stem(one.dataset.name)}.{one.field} {one.kind}" for one in found}
        for column, found in answer.columns.items()
    }


def _stem(name: str) -> str:
    return name.rpartition("/")[2].partition(".")[0]


def written(expected: dict[str, str], everywhere: str = "") -> dict[str, set[str]]:
    """As it is written in a test: origins between commas, and those that hold for every column."""
    return {column: _split(text) | _split(everywhere) for column, text in expected.items()}


def _split(text: str) -> set[str]:
    return {one.strip() for one in text.split(",") if one.strip()}


def inputs(answer: PlanLineage) -> list[str]:
    return sorted(_stem(one.name.name) for one in answer.inputs)


def read(frame: DataFrame, **options: object) -> PlanLineage:
    answer = lineage(frame, **options)
    assert answer.unknown == ()
    return answer
