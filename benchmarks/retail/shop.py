"""A number of orders enters; Parquet files of a shop leave, made by Spark itself: the same for the same number."""

from pathlib import Path

from pyspark.sql import SparkSession

DAYS = 30
BITS = (1 << 30) - 1  # of a hash: without its sign


def write_shop(spark: SparkSession, folder: Path, orders: int) -> None:
    """One order in fifty stands there twice, one in a hundred has no number in `quantity`, as files of shops do."""
    customers, products = max(100, orders // 50), 1_000
    spark.sql(
        f"""
        SELECT CAST(id % {orders} AS STRING) AS order_id,
               CAST(xxhash64(id % {orders}, 1) & {BITS} AS BIGINT) % {customers} AS customer_id,
               CAST(xxhash64(id % {orders}, 2) & {BITS} AS BIGINT) % {products} AS product_id,
               IF(id % 100 = 7, 'few', CAST(1 + (xxhash64(id, 3) & {BITS}) % 9 AS STRING)) AS quantity,
               CAST(CAST((xxhash64(id % {orders}, 4) & {BITS}) % 20000 / 100 AS DECIMAL(10, 2)) AS STRING)
                 AS unit_price,
               element_at(array(' Paid', 'shipped', 'CANCELLED ', 'paid'), CAST(1 + id % 4 AS INT)) AS status,
               CAST(timestamp_seconds(1767225600 + (xxhash64(id % {orders}, 5) & {BITS}) % {DAYS * 86_400})
                 AS STRING) AS ordered_at
        FROM (SELECT id FROM range(0, {orders + orders // 50}, 1, 8))
        """
    ).write.mode("overwrite").parquet(str(folder / "orders"))
    spark.sql(
        f"""
        SELECT id AS customer_id, concat('Customer  ', id) AS name, concat('Someone.', id, '@Example.com') AS email,
               named_struct('country', element_at(array('DE', 'FR', 'NL', 'PL', 'SE'), CAST(1 + id % 5 AS INT)),
                            'city', concat('City ', id % 100)) AS address,
               timestamp_seconds(1767225600 + id) AS updated_at
        FROM range({customers})
        """
    ).write.mode("overwrite").parquet(str(folder / "customers"))
    spark.sql(
        f"""
        SELECT id AS product_id, concat('Product ', id) AS title, concat('Category ', id % 12) AS category
        FROM range({products})
        """
    ).write.mode("overwrite").parquet(str(folder / "products"))
