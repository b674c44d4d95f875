"""Lists of brokers enter, as code and configuration write them; the cluster that each means leaves.

Lists that share a broker are one cluster. A cluster that the configuration names has its namespace from there; of
another the namespace is the broker that most reads name first, as OpenLineage's own integrations do it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from lineage_hub.connectors.databricks.config import KafkaCluster

_USUAL_PORT = 9092
_BROKER = re.compile(r"(?:[A-Za-z0-9_]+://)?(\[[^\]]+\]|[^:/\s]+)(?::(\d+))?/?")


@dataclass(frozen=True)
class Cluster:
    namespace: str
    aliases: tuple[str, ...] = ()  # namespaces by which others know it
    is_known: bool = False  # the configuration names it
    is_resolved: bool = True  # its brokers are known


def brokers_of(bootstrap: str) -> list[str]:
    """host:port each, in their order; what is no broker is left out."""
    return list(_brokers(bootstrap))


@lru_cache(maxsize=10_000)
def _brokers(bootstrap: str) -> tuple[str, ...]:
    found = []
    for one in bootstrap.split(","):
        match = _BROKER.fullmatch(one.strip())
        if match is not None:
            found.append(f"{match[1].lower()}:{match[2] or _USUAL_PORT}")
    return tuple(dict.fromkeys(found))


class Clusters:
    """Of one scan: `bootstraps` are all lists that were seen, each as often as it was."""

    def __init__(
        self, known: Iterable[KafkaCluster] = (), default: str = "", bootstraps: Iterable[str | None] = ()
    ) -> None:
        self._known = [(one, set(brokers_of(",".join(one.brokers)))) for one in known]
        self._default = next((one for one, _ in self._known if one.name == default), None)
        seen = [brokers for brokers in (brokers_of(one) for one in bootstraps if one) if brokers]
        self._firsts = Counter(brokers[0] for brokers in seen)
        self._groups = _joined(seen)
        self._found: dict[tuple[str | None, str], Cluster] = {}

    def of(self, bootstrap: str | None, owner: str) -> Cluster:
        """`owner` is who reads: a topic of brokers that nobody knows is that of its reader alone."""
        key = (bootstrap, owner) if not bootstrap or bootstrap.startswith("unresolved/") else (bootstrap, "")
        if key not in self._found:
            self._found[key] = self._of(bootstrap, owner)
        return self._found[key]

    def _of(self, bootstrap: str | None, owner: str) -> Cluster:
        brokers = brokers_of(bootstrap) if bootstrap else []
        if not brokers:
            if self._default is not None:
                return self._named(self._default, [])
            return Cluster(f"kafka://unresolved/{owner}", is_resolved=False)
        group = next((one for one in self._groups if brokers[0] in one), set(brokers))
        named = self._configured(brokers) or self._configured(sorted(group))
        if named is not None:
            return self._named(named, sorted(group))
        firsts = [one for one in group if one in self._firsts] or brokers
        namespace = min(firsts, key=lambda one: (-self._firsts[one], one))
        return Cluster(f"kafka://{namespace}", tuple(f"kafka://{one}" for one in sorted(group) if one != namespace))

    def _configured(self, brokers: list[str]) -> KafkaCluster | None:
        """Of several that share a broker with it the one that shares most."""
        shared = [(len(own.intersection(brokers)), one) for one, own in self._known]
        best = max(shared, key=lambda pair: pair[0], default=None)
        return best[1] if best is not None and best[0] else None

    def _named(self, cluster: KafkaCluster, also: list[str]) -> Cluster:
        own = brokers_of(",".join(cluster.brokers))
        namespace = cluster.namespace or f"kafka://{own[0] if own else cluster.brokers[0]}"
        elsewhere = {broker for other, brokers in self._known if other is not cluster for broker in brokers}
        aliases = dict.fromkeys(f"kafka://{one}" for one in [*own, *also] if one not in elsewhere)
        return Cluster(namespace, tuple(one for one in aliases if one != namespace), is_known=True)


def _joined(lists: list[list[str]]) -> list[set[str]]:
    groups: list[set[str]] = []
    for brokers in dict.fromkeys(map(tuple, lists)):
        touched = [one for one in groups if not one.isdisjoint(brokers)]
        groups = [one for one in groups if one.isdisjoint(brokers)]
        groups.append(set(brokers).union(*touched))
    return groups
