"""A pipeline of three stages: each is a child of the pipeline's run, columns are declared, and one stage is retried.

    python examples/pipeline_stages.py
    LINEAGE_HUB_URL=http://127.0.0.1:8000 python examples/pipeline_stages.py

Without a hub the events are printed. With one, ask it afterwards:
lineage-hub lineage shop.public.revenue --columns
"""

from collections.abc import Callable

from lineage_hub.sdk import configure, flush, lineage_track, track

Rows = list[dict[str, float | str]]

ORDERS = "s3://lake/raw/orders"
CLEAN = "s3://lake/clean/orders"
REVENUE = "postgres://db.example/shop/public/revenue"


@lineage_track("extract", inputs="kafka://broker.example/orders", outputs=ORDERS)
def extract() -> Rows:
    return [
        {"day": "monday", "price": 10.0, "quantity": 2},
        {"day": "monday", "price": 4.0, "quantity": 1},
        {"day": "tuesday", "price": 10.0, "quantity": 1},
    ]


def transform(rows: Rows) -> Rows:
    with track("transform", inputs=ORDERS) as run:
        # Which column is made from which: of every field of the output, the fields that it comes from.
        run.add_output(CLEAN, columns={"day": [(ORDERS, "day")], "amount": [(ORDERS, "price"), (ORDERS, "quantity")]})
        return [{"day": row["day"], "amount": float(row["price"]) * float(row["quantity"])} for row in rows]


class Warehouse:
    """Answers the second time."""

    def __init__(self) -> None:
        self.tries = 0
        self.revenue: dict[str, float] = {}

    def load(self, rows: Rows) -> None:
        with track("load", inputs=CLEAN) as run:
            self.tries += 1
            if self.tries == 1:
                raise ConnectionError("the warehouse does not answer")
            for row in rows:
                day = str(row["day"])
                self.revenue[day] = self.revenue.get(day, 0.0) + float(row["amount"])
            run.add_output(REVENUE, columns={"day": [(CLEAN, "day")], "revenue": [(CLEAN, "amount")]})


def retried(stage: Callable[[], None], attempts: int) -> None:
    """Each attempt is a run: the hub shows the one that failed, with its error, and the one that didn't."""
    for attempt in range(1, attempts + 1):
        try:
            return stage()
        except ConnectionError as error:
            if attempt == attempts:
                raise
            print(f"attempt {attempt} failed: {error}")


def main() -> None:
    configure(namespace="pipeline-example")
    warehouse = Warehouse()
    with track("daily_revenue", description="From orders to revenue by day.", tags={"team": "sales"}):
        rows = transform(extract())
        retried(lambda: warehouse.load(rows), attempts=3)
    print(warehouse.revenue)
    flush(10)


if __name__ == "__main__":
    main()
