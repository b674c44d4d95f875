"""A plain PySpark script with one line more: what it writes is told, down to the columns.

    python examples/pyspark_script.py
    LINEAGE_HUB_URL=http://127.0.0.1:8000 python examples/pyspark_script.py /tmp/lake

Without that line the same is: lineage-hub instrument examples/pyspark_script.py
"""

import sys
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from lineage_hub.sdk import configure, flush
from lineage_hub.spark import instrument

ORDERS = "customer,day,price,quantity\nada,monday,2.5,4\nbob,monday,3.0,1\nada,tuesday,10.0,1\n"


def main(lake: Path) -> None:
    (lake / "orders").mkdir(parents=True, exist_ok=True)
    (lake / "orders" / "orders.csv").write_text(ORDERS)
    spark = SparkSession.builder.master("local[1]").appName("shop").config("spark.ui.enabled", "false").getOrCreate()
    instrument(spark)
    orders = spark.read.csv(f"{lake}/orders", header=True, inferSchema=True)
    orders.withColumn("amount", F.col("price") * F.col("quantity")).write.parquet(f"{lake}/amounts", mode="overwrite")
    spark.read.parquet(f"{lake}/amounts").createOrReplaceTempView("amounts")
    revenue = f"INSERT OVERWRITE DIRECTORY '{lake}/revenue' USING parquet"
    spark.sql(f"{revenue} SELECT day, sum(amount) AS revenue FROM amounts GROUP BY day")
    for row in spark.read.parquet(f"{lake}/revenue").orderBy("day").collect():
        print(f"{row.day}: {row.revenue:.2f}")
    spark.stop()


if __name__ == "__main__":
    configure(namespace="spark-example")
    main(Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()).resolve())
    flush(10)
