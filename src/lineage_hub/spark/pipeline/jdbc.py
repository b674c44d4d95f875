"""A database's address enters; the options that Spark's reader and writer of tables take leave."""

from dataclasses import dataclass

from lineage_hub.spark.pipeline.definition import Extract, Load
from lineage_hub.spark.pipeline.options import as_texts

# A driver that came as a package isn't found by the JVM itself: Spark must be told its name.
_DRIVERS = {"jdbc:postgresql:": "org.postgresql.Driver"}


@dataclass(frozen=True)
class JdbcPlace:
    """A database, and who enters it."""

    url: str
    given: dict[str, str]
    user: str | None
    password: str | None

    @classmethod
    def of(cls, part: Extract | Load) -> "JdbcPlace":
        return cls(part.url or "", as_texts(part.options), part.user, part.password)

    def options(self) -> dict[str, str]:
        driver = next((name for prefix, name in _DRIVERS.items() if self.url.startswith(prefix)), None)
        known = {"url": self.url, "driver": driver, "user": self.user, "password": self.password}
        return {**{name: value for name, value in known.items() if value is not None}, **self.given}
