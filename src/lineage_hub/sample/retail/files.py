"""A seed and a size enter; a day's orders, customers and products leave as files. Only the standard library is used."""

from __future__ import annotations

import csv
import json
import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

_COUNTRIES = ("DE", "FR", "AT", "CH", "NL", "IT")
_FIRST = ("Ada", "Ben", "Chloé", "Dmitri", "Eve", "Farid", "Grace", "Håkon", "Ines", "Jürgen", "Kaoru", "Łucja")
_LAST = ("Ahmed", "Bauer", "Costa", "Dubois", "Eriksen", "Fischer", "García", "Haddad", "Ito", "Jansen")
_THINGS = ("lamp", "chair", "kettle", "atlas", "clock", "rug", "mirror", "teapot")
_KINDS = ("lighting", "furniture", "kitchen", "books", "decoration")
# As shops spell them, until somebody tidies up.
_STATES = ("paid", "PAID", " paid ", "shipped", "Shipped", "cancelled", "paid", "shipped", "paid")


@dataclass(frozen=True, slots=True)
class Day:
    """What is in the files, and how much of it is wrong."""

    seed: int = 7
    orders: int = 20_000
    customers: int = 2_000
    products: int = 200
    begins_at: datetime = datetime(2026, 11, 2)  # noqa: DTZ001
    is_second: bool = False
    """The shop was changed over night: orders have a new column, and a fifth of them no customer."""


def write_day(folder: Path, day: Day) -> None:
    dice = random.Random(f"{day.seed}/{day.is_second}")
    folder.mkdir(parents=True, exist_ok=True)
    _write_products(folder / "products.csv", day, dice)
    _write_customers(folder / "customers.ndjson", day, dice)
    _write_orders(folder / "orders.csv", day, dice)


def _write_products(path: Path, day: Day, dice: random.Random) -> None:
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("product_id", "title", "category", "list_price"))
        for number in range(1, day.products + 1):
            title = f"{dice.choice(_KINDS).title()} {dice.choice(_THINGS)}, no. {number}"
            rows.writerow((number, title, dice.choice(_KINDS), f"{dice.uniform(3, 250):.2f}"))


def _write_customers(path: Path, day: Day, dice: random.Random) -> None:
    with path.open("w") as file:
        for number in range(1, day.customers + 1):
            name = f"{dice.choice(_FIRST)} {dice.choice(_LAST)}"
            mail = f"{name.split(maxsplit=1)[0].lower()}.{number}@example.org"
            if dice.random() < 0.02:
                mail = mail.replace("@", " at ")
            row = {
                "customer_id": number,
                "name": name,
                "email": mail.upper() if dice.random() < 0.1 else mail,
                "address": {"country": dice.choice(_COUNTRIES), "city": f"Town {dice.randrange(60)}"},
                "updated_at": (day.begins_at - timedelta(days=dice.randrange(1, 400))).isoformat(sep=" "),
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            if dice.random() < 0.03:
                # The same customer again, with a later address.
                later = {**row, "updated_at": day.begins_at.isoformat(sep=" ")}
                file.write(json.dumps(later, ensure_ascii=False) + "\n")
            if dice.random() < 0.002:
                file.write('{"customer_id": ' + str(number) + ', "name": "cut off\n')


def _write_orders(path: Path, day: Day, dice: random.Random) -> None:
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        names = ["order_id", "customer_id", "product_id", "quantity", "unit_price", "status", "ordered_at"]
        rows.writerow([*names, "channel"] if day.is_second else names)
        for number in range(1, day.orders + 1):
            row = _order(number, day, dice)
            rows.writerow(row)
            if dice.random() < 0.01:
                rows.writerow(row)  # sent twice
            if dice.random() < 0.002:
                file.write(f"{number},cut off\r\n")


def _order(number: int, day: Day, dice: random.Random) -> list[object]:
    unknown = dice.random() < (0.2 if day.is_second else 0.002)
    customer: object = "" if unknown else dice.randrange(1, day.customers + 1)
    quantity: object = "many" if dice.random() < 0.001 else dice.randrange(1, 6)
    at = day.begins_at + timedelta(seconds=dice.randrange(86_400))
    row: list[object] = [
        number, customer, dice.randrange(1, day.products + 1), quantity, f"{dice.uniform(3, 250):.2f}",
        dice.choice(_STATES), at.isoformat(sep=" "),
    ]  # fmt: skip
    return [*row, dice.choice(("web", "shop", "app"))] if day.is_second else row
