"""Two functions tell of their lineage: one by a decorator, one from inside a block.

    python examples/simple_lineage.py
    LINEAGE_HUB_URL=http://127.0.0.1:8000 python examples/simple_lineage.py

Without a hub the events are printed. With one, ask it afterwards: lineage-hub lineage customer_totals
"""

from collections import defaultdict

from lineage_hub.sdk import configure, flush, lineage_track, track

ORDERS = [("ada", 30.0), ("bob", 12.5), ("ada", 7.5)]


@lineage_track("read_orders", inputs="mysql://db.example/shop/orders", outputs="s3://lake/orders")
def read_orders() -> list[tuple[str, float]]:
    """Each call is a run of its own; nothing about the function changes."""
    return ORDERS


def total_by_customer(orders: list[tuple[str, float]]) -> dict[str, float]:
    """What is known only at run time is added to the run."""
    with track("total_by_customer", inputs="s3://lake/orders", description="Sums what each customer spent.") as run:
        totals: dict[str, float] = defaultdict(float)
        for customer, amount in orders:
            totals[customer] += amount
        run.add_output("s3://lake/customer_totals")
        run.add_facet("shop_rows", {"read": len(orders), "written": len(totals)})
    return dict(totals)


if __name__ == "__main__":
    configure(namespace="simple-example")
    for customer, total in total_by_customer(read_orders()).items():
        print(f"{customer}: {total:.2f}")
    flush(10)
