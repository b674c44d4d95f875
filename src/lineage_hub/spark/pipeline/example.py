"""A file's name enters; the commented example that `init` writes under it leaves, and rows to try it with."""

from importlib import resources

_NAME = "retail.yaml"

# Most of it is right. One order has no time, one a negative amount, one a currency that nobody expects; a customer
# comes twice, one has no country and one no address.
_ORDERS = """\
order_id,customer_id,ordered_at,amount,currency
1001,c1,2026-11-14T08:15:00Z,120.50,EUR
1002,c2,2026-11-14T09:02:00Z,1999.00,usd
1003,c3,2026-11-14T10:40:00Z,15.00,GBP
1004,c1,2026-11-15T07:30:00Z,80.00,EUR
1005,c3,2026-11-15T08:05:00Z,42.00,CHF
1006,c2,2026-11-15T11:20:00Z,-5.00,USD
1007,c3,yesterday,30.00,GBP
"""
_CUSTOMERS = """\
{"customer_id": "c1", "name": " Ada ", "email": "Ada@Example.com", "country": "de", "updated_at": "2026-11-01"}
{"customer_id": "c1", "name": "Ada Lovelace", "email": "ada@example.com", "country": "gb", "updated_at": "2026-11-10"}
{"customer_id": "c2", "name": "Grace Hopper", "email": "grace@example.com", "country": "us", "updated_at": "2026-11-02"}
{"customer_id": "c3", "name": "Edsger Dijkstra", "email": "edsger@example.com", "updated_at": "2026-11-03"}
{"customer_id": "c4", "name": "Nobody", "country": "nl", "updated_at": "2026-11-04"}
"""
EXAMPLE_FILES = {"data/orders/2026-11-15.csv": _ORDERS, "data/customers.ndjson": _CUSTOMERS}


def example(name: str = _NAME) -> str:
    text = resources.files("lineage_hub.spark.pipeline").joinpath("example.yaml").read_text(encoding="utf-8")
    return text.replace(_NAME, name)
