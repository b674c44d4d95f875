"""The work of bare.py as a pipeline, with rules: those that ride along, or also those that need a pass of their own."""

_HEAD = """\
version: 1
name: retail
namespace: shop
parameters:
  shop: {}
  lake: {}
quarantine: ${lake}/quarantine
stages:
  orders_in:
    extract: {format: parquet, path: "${shop}/orders"}
  orders:
    transform:
      from: orders_in
      steps:
        - normalise: {status: lower}
        - trim: status
        - cast: {order_id: bigint, quantity: int, unit_price: "decimal(10,2)", ordered_at: timestamp}
        - drop_duplicates: {keys: order_id, order_by: ordered_at desc}
        - derive: {amount: quantity * unit_price, ordered_on: to_date(ordered_at)}
    rules:
      - {not_null: order_id, severity: fail}
      - {not_null: customer_id, severity: fail, tolerance: 0.05}
      - not_null: quantity
      - accepted_values: {column: status, values: [paid, shipped, cancelled]}
      - range: {column: quantity, min: 1, max: 100}
"""
_MIDDLE = """\
  silver_orders:
    load: {from: orders, format: parquet, path: "${lake}/silver/orders", partition_by: ordered_on}
  customers_in:
    extract: {format: parquet, path: "${shop}/customers"}
  customers:
    transform:
      from: customers_in
      steps:
        - normalise: {email: lower, name: spaces}
        - drop_duplicates: {keys: customer_id, order_by: updated_at desc}
        - derive: {country: address.country}
        - drop: address
    rules:
      - regex: {column: email, pattern: "[^@ ]+@[^@ ]+"}
"""
_END = """\
  silver_customers:
    load: {from: customers, format: parquet, path: "${lake}/silver/customers"}
  orders_silver:
    extract: {format: parquet, path: "${lake}/silver/orders"}
  customers_silver:
    extract: {format: parquet, path: "${lake}/silver/customers"}
  products:
    extract: {format: parquet, path: "${shop}/products"}
  sales:
    transform:
      from: orders_silver
      steps:
        - filter: status <> 'cancelled'
        - join: {with: customers_silver, on: customer_id, columns: [country, name]}
        - join: {with: products, on: product_id, columns: [category, title]}
"""
_GOLD = """\
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
_UNIQUE_ORDERS = "      - unique: order_id\n"
_UNIQUE_CUSTOMERS = "      - {unique: customer_id, severity: fail}\n"
_REFERENTIAL = "    rules:\n      - referential: {column: product_id, to: products.product_id}\n"

OBSERVED = _HEAD + _MIDDLE + _END + _GOLD
WITH_SETS = _HEAD + _UNIQUE_ORDERS + _MIDDLE + _UNIQUE_CUSTOMERS + _END + _REFERENTIAL + _GOLD
