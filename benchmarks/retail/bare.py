"""A shop's files enter; its daily work in PySpark alone is done, as a program without lineage has it.

Run by `spark-submit`, it is the whole program: `bare.py SHOP LAKE`.
"""

import sys

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

WHITE = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"  # noqa: E501


def _newest(rows: DataFrame, key: str, order: str) -> DataFrame:
    others = ", ".join(f"`{name}`" for name in rows.columns if name != key)
    place = fn.expr(f"row_number() OVER (PARTITION BY `{key}` ORDER BY {order}, {others})")
    return rows.withColumn("place", place).filter(fn.col("place") == 1).drop("place")


def run(spark: SparkSession, shop: str, lake: str) -> None:
    orders = spark.read.parquet(f"{shop}/orders")
    orders = orders.withColumns({"status": fn.lower("status")})
    orders = orders.withColumns({"status": fn.btrim("status", fn.lit(WHITE))})
    orders = orders.withColumns(
        {
            "order_id": fn.col("order_id").try_cast("bigint"),
            "quantity": fn.col("quantity").try_cast("int"),
            "unit_price": fn.col("unit_price").try_cast("decimal(10,2)"),
            "ordered_at": fn.col("ordered_at").try_cast("timestamp"),
        }
    )
    orders = _newest(orders, "order_id", "ordered_at DESC")
    orders = orders.withColumn("amount", fn.expr("quantity * unit_price"))
    orders = orders.withColumn("ordered_on", fn.expr("to_date(ordered_at)"))
    orders.write.mode("overwrite").partitionBy("ordered_on").parquet(f"{lake}/silver/orders")

    customers = spark.read.parquet(f"{shop}/customers")
    customers = customers.withColumns(
        {
            "email": fn.lower("email"),
            "name": fn.btrim(fn.regexp_replace("name", f"[{WHITE}]+", " "), fn.lit(WHITE)),
        }
    )
    customers = _newest(customers, "customer_id", "updated_at DESC")
    customers = customers.withColumn("country", fn.expr("address.country")).drop("address")
    customers.write.mode("overwrite").parquet(f"{lake}/silver/customers")

    sold = spark.read.parquet(f"{lake}/silver/orders").filter("status <> 'cancelled'")
    people = spark.read.parquet(f"{lake}/silver/customers").select("customer_id", "country", "name")
    goods = spark.read.parquet(f"{shop}/products").select("product_id", "category", "title")
    sales = sold.join(people, ["customer_id"], "left").join(goods, ["product_id"], "left")
    sales.createOrReplaceTempView("sales")
    spark.sql(
        "SELECT ordered_on, country, category, sum(amount) AS revenue, count(*) AS orders"
        " FROM sales GROUP BY ordered_on, country, category"
    ).write.mode("overwrite").parquet(f"{lake}/gold/daily_revenue")
    value = spark.sql(
        "SELECT customer_id, max(name) AS name, sum(amount) AS value, count(*) AS orders, max(ordered_on) AS last_order"
        " FROM sales WHERE customer_id IS NOT NULL GROUP BY customer_id"
    )
    value.withColumn("position", fn.expr("rank() OVER (ORDER BY value DESC)")).write.mode("overwrite").parquet(
        f"{lake}/gold/customer_value"
    )


if __name__ == "__main__":
    session = SparkSession.builder.appName("bare").getOrCreate()
    run(session, sys.argv[1], sys.argv[2])
    session.stop()
