"""A folder enters; files and a pipeline of three stages leave in it, as small as they can be."""

from pathlib import Path

CSV = "order_id,amount\n1,5.50\n2,7.00\n3,1.25\n"
PIPELINE = """\
name: small
namespace: tests
parameters: {at: {}}
stages:
  orders:
    extract: {format: csv, path: "${at}/orders.csv", schema: {order_id: bigint, amount: "decimal(10,2)"}}
  doubled:
    transform:
      from: orders
      steps:
        - derive: {twice: amount * 2}
    rules:
      - {not_null: order_id, severity: fail}
  doubled_orders:
    load: {from: doubled, format: parquet, path: "${at}/doubled"}
"""
# More rows than any machine counts in the time of a test.
ENDLESS = """\
name: endless
namespace: tests
parameters: {at: {}}
stages:
  orders:
    extract: {format: csv, path: "${at}/orders.csv", schema: {order_id: bigint, amount: "decimal(10,2)"}}
  counted:
    transform:
      from: orders
      steps:
        - sql: SELECT sum(hash(order_id, a.id, b.id)) AS h FROM orders, range(2000000) AS a, range(2000000) AS b
  never:
    load: {from: counted, format: parquet, path: "${at}/never"}
"""


def write_files(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "orders.csv").write_text(CSV)
    (folder / "small.yaml").write_text(PIPELINE)
    (folder / "endless.yaml").write_text(ENDLESS)
