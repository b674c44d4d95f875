"""The shop's pipeline as a user would write it: raw files become bronze, silver and gold."""

PIPELINE = """\
version: 1
name: retail
namespace: shop
description: Orders, customers and products of a shop, from raw files to daily revenue.
owners: [data-team]
parameters:
  raw: {description: the folder with the day's files}
  lake: {description: the folder that the tables are written to}
quarantine: ${lake}/quarantine

stages:
  # Bronze: the files as they came, in columns. What can't be read is set aside with its reason.
  raw_orders:
    extract: {format: csv, path: "${raw}/orders.csv", options: {header: true}}
    description: The day's orders, as the shop exports them.
  bronze_orders:
    load: {from: raw_orders, format: parquet, path: "${lake}/bronze/orders"}

  raw_customers:
    extract:
      format: ndjson
      path: ${raw}/customers.ndjson
      schema:
        customer_id: bigint
        name: string
        email: string
        address: struct<country:string,city:string>
        updated_at: timestamp
  bronze_customers:
    load: {from: raw_customers, format: parquet, path: "${lake}/bronze/customers"}

  raw_products:
    extract:
      format: csv
      path: ${raw}/products.csv
      schema: {product_id: bigint, title: string, category: string, list_price: "decimal(10,2)"}
  bronze_products:
    load: {from: raw_products, format: parquet, path: "${lake}/bronze/products"}

  # Silver: clean, without repeats, joined.
  orders_in:
    extract: {format: parquet, path: "${lake}/bronze/orders"}
  orders:
    transform:
      from: orders_in
      steps:
        - normalise: {status: lower}
        - trim: status
        - cast:
            order_id: bigint
            customer_id: bigint
            product_id: bigint
            quantity: int
            unit_price: decimal(10,2)
            ordered_at: timestamp
        - drop_duplicates: {keys: order_id, order_by: ordered_at desc}
        - derive: {amount: quantity * unit_price, ordered_on: to_date(ordered_at)}
    rules:
      - {not_null: order_id, severity: fail}
      - {not_null: customer_id, severity: fail, tolerance: 0.05, name: customers are known}
      - {not_null: quantity, severity: quarantine}
      - accepted_values: {column: status, values: [paid, shipped, cancelled]}
      - range: {column: quantity, min: 1, max: 100}
  silver_orders:
    load: {from: orders, format: parquet, path: "${lake}/silver/orders", partition_by: ordered_on}

  customers_in:
    extract: {format: parquet, path: "${lake}/bronze/customers"}
  customers:
    transform:
      from: customers_in
      steps:
        - normalise: {email: lower, name: spaces}
        - drop_duplicates: {keys: customer_id, order_by: updated_at desc}
        - derive: {country: address.country}
        - drop: address
    rules:
      - {unique: customer_id, severity: fail}
      - regex: {column: email, pattern: "[^@ ]+@[^@ ]+"}
  silver_customers:
    load: {from: customers, format: parquet, path: "${lake}/silver/customers"}

  # Gold: what people look at.
  orders_silver:
    extract: {format: parquet, path: "${lake}/silver/orders"}
  customers_silver:
    extract: {format: parquet, path: "${lake}/silver/customers"}
  products_bronze:
    extract: {format: parquet, path: "${lake}/bronze/products"}
  sales:
    transform:
      from: orders_silver
      steps:
        - filter: status <> 'cancelled'
        - join: {with: customers_silver, on: customer_id, columns: [country, name]}
        - join: {with: products_bronze, on: product_id, columns: [category, title]}
    rules:
      - referential: {column: product_id, to: products_bronze.product_id}
  daily_revenue:
    transform:
      from: sales
      steps:
        - sql: |
            SELECT ordered_on, country, category, sum(amount) AS revenue, count(*) AS orders
            FROM sales GROUP BY ordered_on, country, category
    rules:
      - row_count: {min: 1}
        severity: fail
      - range: {column: revenue, min: 0}
  gold_daily_revenue:
    load: {from: daily_revenue, format: parquet, path: "${lake}/gold/daily_revenue"}
  customer_value:
    transform:
      from: sales
      steps:
        - sql: |
            SELECT customer_id, max(name) AS name, sum(amount) AS value, count(*) AS orders,
                   max(ordered_on) AS last_order
            FROM sales WHERE customer_id IS NOT NULL GROUP BY customer_id
        - window: {columns: {position: rank()}, order_by: value desc}
  gold_customer_value:
    load: {from: customer_value, format: parquet, path: "${lake}/gold/customer_value"}
"""
