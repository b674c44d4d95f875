"""The bookshop's datasets, as they stood before and after the release of the week; nothing enters.

A short key such as "raw.orders" names a table in this package; `table` gives it as of a release.
"""

from dataclasses import dataclass

SHOP_DB = "postgres://db.bookshop.example:5432"
KAFKA = "kafka://kafka.bookshop.example:9092"
LAKE = "s3://bookshop-lake"
GLUE = "arn:aws:glue:eu-central-1:210987654321"
WAREHOUSE = "snowflake://bookshop-eu"
CRM = "salesforce://bookshop"


@dataclass(frozen=True, slots=True)
class Table:
    namespace: str
    name: str
    columns: tuple[tuple[str, str], ...]
    owner: str
    about: str

    @property
    def node_id(self) -> str:
        return f"dataset:{self.namespace}:{self.name}"


def _table(namespace: str, name: str, owner: str, about: str, columns: str) -> Table:
    """Columns are written as in SQL: "order_id bigint, placed_at timestamp"."""
    pairs = (column.strip().partition(" ") for column in columns.split(", "))
    return Table(namespace, name, tuple((one, kind.upper()) for one, _, kind in pairs), owner, about)


_ORDERS = "order_id bigint, customer_id bigint, placed_at timestamp, status varchar, currency char(3)"
_ITEMS = "order_id bigint, line integer, isbn varchar, quantity integer, unit_price integer"
_CUSTOMERS = "customer_id bigint, email varchar, name varchar, country char(2), phone varchar, joined_at timestamp"
_BOOKS = "isbn varchar, title varchar, author varchar, genre varchar, list_price numeric(10,2)"
_PAYMENTS = "payment_id bigint, order_id bigint, paid_at timestamp, amount numeric(12,2), method varchar"
_CLICKS = "visitor_id varchar, at timestamp, page varchar, isbn varchar, referrer varchar"
_SESSIONS = "session_id varchar, visitor_id varchar, started_at timestamp, pages integer, seconds integer"
_FCT_ORDERS = (
    "order_id bigint, customer_id bigint, ordered_on date, isbn varchar, quantity integer, "
    "net_amount numeric(12,2), paid_amount numeric(12,2), currency char(3)"
)

# What the shop's database holds, and raw and staging repeat: columns, columns after the release, description.
_COPIED = {
    "orders": (_ORDERS, f"{_ORDERS}, discount_code varchar", "One row an order, as the shop wrote it"),
    "order_items": (
        _ITEMS,
        _ITEMS.replace("unit_price integer", "unit_price numeric(10,2)"),
        "The lines of each order; prices were whole cents before they became decimals",
    ),
    "customers": (
        _CUSTOMERS,
        _CUSTOMERS.replace("phone varchar, ", ""),
        "Everyone who ever opened an account",
    ),
    "books": (_BOOKS, _BOOKS, "The catalogue: one row a book"),
    "payments": (_PAYMENTS, _PAYMENTS, "What the payment provider settled"),
}

# The rest: namespace, name, owner, description, columns and, where the release changed them, the new columns.
_OTHERS: dict[str, tuple[str, ...]] = {
    "kafka.clicks": (KAFKA, "shop.clicks", "web", "Page views from the shop's front end", _CLICKS),
    "kafka.orders": (KAFKA, "shop.orders", "web", "Orders as they are placed", _ORDERS),
    "kafka.stock_alerts": (
        KAFKA, "shop.stock_alerts", "logistics", "Books that are about to sell out",
        "isbn varchar, at timestamp, copies_left integer",
    ),
    "lake.clicks": (LAKE, "raw/clicks", "platform", "The archive of page views, one folder an hour", _CLICKS),
    "lake.sessions": (LAKE, "curated/sessions", "platform", "Visits, cut after 30 quiet minutes", _SESSIONS),
    "glue.sessions": (GLUE, "table/lake/sessions", "platform", "Visits, by their catalogue name", _SESSIONS),
    "stg.sessions": (
        WAREHOUSE, "analytics.staging.stg_sessions", "analytics", "Visits, typed and named", _SESSIONS,
    ),
    "fct_orders": (
        WAREHOUSE, "analytics.marts.fct_orders", "analytics", "One row an order line, with what was paid",
        _FCT_ORDERS, f"{_FCT_ORDERS}, discount_code varchar",
    ),
    "dim_customers": (
        WAREHOUSE, "analytics.marts.dim_customers", "analytics", "One row a customer, e-mail address hashed",
        "customer_id bigint, email_hash varchar, country char(2), first_order_at timestamp, orders integer",
    ),
    "dim_books": (WAREHOUSE, "analytics.marts.dim_books", "analytics", "The catalogue for reports", _BOOKS),
    "revenue_daily": (
        WAREHOUSE, "analytics.marts.revenue_daily", "finance", "Revenue a day, the figure the board looks at",
        "day date, currency char(3), orders integer, revenue numeric(14,2)",
        "day date, genre varchar, currency char(3), orders integer, revenue numeric(14,2)",
    ),
    "bestsellers": (
        WAREHOUSE, "analytics.marts.bestsellers", "marketing", "The hundred titles that sold best in 28 days",
        "isbn varchar, title varchar, copies integer, rank integer",
    ),
    "discount_usage": (
        WAREHOUSE, "analytics.marts.discount_usage", "marketing", "Orders and revenue for each discount code",
        "discount_code varchar, orders integer, revenue numeric(14,2)",
    ),
    "legacy_sales_report": (
        WAREHOUSE, "analytics.marts.legacy_sales_report", "finance", "The old weekly report; nobody reads it",
        "week date, orders integer",
    ),
    "customer_profiles": (
        WAREHOUSE, "analytics.marts.customer_profiles", "marketing", "What marketing knows about a customer",
        "customer_id bigint, country char(2), visits integer, orders integer, spent numeric(14,2)",
    ),
    "customers_360": (
        WAREHOUSE, "analytics.marts.customers_360", "marketing", "What marketing knows about a customer",
        "customer_id bigint, country char(2), visits integer, orders integer, spent numeric(14,2)",
    ),
    "lake.finance_export": (
        LAKE, "exports/finance/revenue.csv", "finance", "Revenue for the accountants",
        "day date, currency char(3), orders integer, revenue numeric(14,2)",
        "day date, genre varchar, currency char(3), orders integer, revenue numeric(14,2)",
    ),
    "crm.contact": (
        CRM, "contact", "marketing", "Contacts in the CRM",
        "external_id varchar, segment varchar, spent numeric(14,2)",
    ),
}  # fmt: skip


def _all(release: int) -> dict[str, Table]:
    tables: dict[str, Table] = {}
    for key, (before, after, about) in _COPIED.items():
        columns = after if release else before
        tables[f"shop.{key}"] = _table(SHOP_DB, f"shop.public.{key}", "web", about, columns)
        tables[f"raw.{key}"] = _table(WAREHOUSE, f"analytics.raw.{key}", "platform", f"{about} (raw copy)", columns)
        staged = f"analytics.staging.stg_{key}"
        tables[f"stg.{key}"] = _table(WAREHOUSE, staged, "analytics", f"{about}, typed and named", columns)
    for key, (namespace, name, owner, about, *columns_by_release) in _OTHERS.items():
        tables[key] = _table(namespace, name, owner, about, columns_by_release[release and -1])
    return tables


_RELEASES = (_all(0), _all(1))
COPIED = tuple(_COPIED)


def table(key: str, release: int = 0) -> Table:
    return _RELEASES[release][key]
