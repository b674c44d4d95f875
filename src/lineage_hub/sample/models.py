"""The bookshop's dbt models: what each reads, which column comes from where, and its SQL; nothing enters.

Release 1 is that of the middle of the week; the tests of `CHECKS` guard what the models build.
"""

from dataclasses import dataclass

from lineage_hub.sample.tables import COPIED, table

# Column ← source columns, with how it is made.
Columns = dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Model:
    """`columns` maps a column to ("HOW", "table.column", …); `filters` decide which rows count."""

    key: str
    reads: tuple[str, ...]
    columns: Columns
    query: str
    filters: tuple[str, ...] = ()


def _staged(key: str, release: int) -> Model:
    source = "glue.sessions" if key == "sessions" else f"raw.{key}"
    names = [name for name, _ in table(f"stg.{key}", release).columns]
    columns: Columns = {name: ("IDENTITY", f"{source}.{name}") for name in names}
    return Model(f"stg.{key}", (source,), columns, f"select {', '.join(names)} from {table(source, release).name}")


def models(release: int) -> tuple[Model, ...]:
    """In the order dbt runs them."""
    staged = tuple(_staged(key, release) for key in (*COPIED, "sessions"))
    return (*staged, *_marts(release))


def _marts(release: int) -> tuple[Model, ...]:
    fact: Columns = {
        "order_id": ("IDENTITY", "stg.orders.order_id"),
        "customer_id": ("IDENTITY", "stg.orders.customer_id"),
        "ordered_on": ("TRANSFORMATION", "stg.orders.placed_at"),
        "isbn": ("IDENTITY", "stg.order_items.isbn"),
        "quantity": ("IDENTITY", "stg.order_items.quantity"),
        "net_amount": ("TRANSFORMATION", "stg.order_items.quantity", "stg.order_items.unit_price"),
        "paid_amount": ("AGGREGATION", "stg.payments.amount"),
        "currency": ("IDENTITY", "stg.orders.currency"),
    }
    if release:
        fact["discount_code"] = ("IDENTITY", "stg.orders.discount_code")
    revenue: Columns = {
        "day": ("IDENTITY", "fct_orders.ordered_on"),
        "currency": ("IDENTITY", "fct_orders.currency"),
        "orders": ("AGGREGATION", "fct_orders.order_id"),
        "revenue": ("AGGREGATION", "fct_orders.net_amount"),
    }
    if release:
        revenue["genre"] = ("IDENTITY", "dim_books.genre")
    books: Columns = {name: ("IDENTITY", f"stg.books.{name}") for name, _ in table("dim_books").columns}
    marts = [
        Model(
            "fct_orders",
            ("stg.orders", "stg.order_items", "stg.payments"),
            fact,
            "select o.order_id, o.customer_id, o.placed_at::date as ordered_on, i.isbn, i.quantity, "
            "i.quantity * i.unit_price as net_amount, sum(p.amount) as paid_amount, o.currency "
            "from stg_orders o join stg_order_items i using (order_id) "
            "left join stg_payments p using (order_id) where o.status <> 'cancelled' group by all",
            ("stg.orders.status",),
        ),
        Model(
            "dim_customers",
            ("stg.customers", "stg.orders"),
            {
                "customer_id": ("IDENTITY", "stg.customers.customer_id"),
                "email_hash": ("MASKING", "stg.customers.email"),
                "country": ("IDENTITY", "stg.customers.country"),
                "first_order_at": ("AGGREGATION", "stg.orders.placed_at"),
                "orders": ("AGGREGATION", "stg.orders.order_id"),
            },
            "select c.customer_id, sha2(c.email) as email_hash, c.country, "
            "min(o.placed_at) as first_order_at, count(o.order_id) as orders "
            "from stg_customers c left join stg_orders o using (customer_id) group by all",
        ),
        Model("dim_books", ("stg.books",), books, "select * from stg_books"),
        Model(
            "revenue_daily",
            ("fct_orders", "dim_books") if release else ("fct_orders",),
            revenue,
            "select f.ordered_on as day, b.genre, f.currency, count(distinct f.order_id) as orders, "
            "sum(f.net_amount) as revenue from fct_orders f join dim_books b using (isbn) group by all"
            if release
            else "select ordered_on as day, currency, count(distinct order_id) as orders, "
            "sum(net_amount) as revenue from fct_orders group by all",
        ),
        Model(
            "bestsellers",
            ("fct_orders", "dim_books"),
            {
                "isbn": ("IDENTITY", "dim_books.isbn"),
                "title": ("IDENTITY", "dim_books.title"),
                "copies": ("AGGREGATION", "fct_orders.quantity"),
                "rank": ("AGGREGATION", "fct_orders.quantity"),
            },
            "select b.isbn, b.title, sum(f.quantity) as copies, rank() over (order by copies desc) as rank "
            "from fct_orders f join dim_books b using (isbn) "
            "where f.ordered_on > current_date - 28 group by all",
            ("fct_orders.ordered_on",),
        ),
    ]
    if release:
        marts.append(
            Model(
                "discount_usage",
                ("fct_orders",),
                {
                    "discount_code": ("IDENTITY", "fct_orders.discount_code"),
                    "orders": ("AGGREGATION", "fct_orders.order_id"),
                    "revenue": ("AGGREGATION", "fct_orders.net_amount"),
                },
                "select discount_code, count(distinct order_id) as orders, sum(net_amount) as revenue "
                "from fct_orders where discount_code is not null group by all",
            )
        )
    return tuple(marts)


LEGACY = Model(
    "legacy_sales_report",
    ("stg.orders",),
    {"week": ("TRANSFORMATION", "stg.orders.placed_at"), "orders": ("AGGREGATION", "stg.orders.order_id")},
    "select date_trunc('week', placed_at) as week, count(*) as orders from stg_orders group by all",
)

# Table → (assertion, column); the release breaks the last one of fct_orders, once.
CHECKS: dict[str, tuple[tuple[str, str], ...]] = {
    "stg.orders": (("not_null", "order_id"), ("unique", "order_id"), ("accepted_values", "status")),
    "dim_customers": (("unique", "customer_id"),),
    "fct_orders": (("not_null", "customer_id"), ("relationships", "isbn"), ("positive_value", "net_amount")),
    "revenue_daily": (("not_null", "day"), ("not_null", "revenue")),
}
