"""Addresses of databases, as programs write them."""

import pytest

from lineage_hub.connectors.databricks.addresses import jdbc_address

ADDRESSES = {
    "jdbc:postgresql://h:5432/db": "jdbc:postgresql://h:5432/db",
    "jdbc:postgresql://u:SECRET@h:5432/db?ssl=true&password=SECRET?SECRET;SECRET&x=1": (
        "jdbc:postgresql://h:5432/db?ssl=true&x=1"
    ),
    "jdbc:postgresql://u:SECRET?SECRET;SECRET@h:5432/db": "jdbc:postgresql://h:5432/db",
    "jdbc:postgresql://u:SECRET@SECRET/SECRET@h:5432/db": "jdbc:postgresql://h:5432/db",
    "jdbc:postgresql://h/db?user=SECRET@corp.com&password=SECRET": "jdbc:postgresql://h/db",
    "jdbc:postgresql://h/db?password=SECRET&SECRET&ssl=true": "jdbc:postgresql://h/db?ssl=true",
    "jdbc:mysql://u:SECRET@h1:3306,h2:3306/db?x=y": "jdbc:mysql://h1:3306,h2:3306/db?x=y",
    "jdbc:sqlserver://h:1433;database=d;user=u;password={SECRET;SECRET?SECRET=1};encrypt=true": (
        "jdbc:sqlserver://h:1433;database=d;encrypt=true"
    ),
    "jdbc:sqlserver://h:1433;password=SECRET;SECRET;database=d": "jdbc:sqlserver://h:1433;database=d",
    "jdbc:oracle:thin:u/SECRET@//h:1521/svc": "jdbc:oracle:thin:@//h:1521/svc",
    "jdbc:oracle:thin:@h:1521:sid": "jdbc:oracle:thin:@h:1521:sid",
    "jdbc:databricks://h:443/default;httpPath=/sql/1;AuthMech=3;UID=token;PWD=SECRET": (
        "jdbc:databricks://h:443/default;httpPath=/sql/1"
    ),
}


@pytest.mark.parametrize(("written", "kept"), ADDRESSES.items())
def test_of_an_address_all_is_kept_but_what_may_be_secret(written: str, kept: str) -> None:
    assert jdbc_address(written) == kept
