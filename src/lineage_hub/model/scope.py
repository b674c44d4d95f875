"""Who asks: the tenant that writes go to and the tenants whose events may be seen.

A `Scope` enters every store and query function, so isolation is a fact of the signatures.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

DEFAULT_TENANT = "default"
_TENANT = re.compile(r"[a-z0-9][a-z0-9-]{1,48}[a-z0-9]")


@dataclass(frozen=True, slots=True)
class Scope:
    """`tenants` is None for one who may see all."""

    tenant: str = DEFAULT_TENANT
    tenants: frozenset[str] | None = None

    def writing_to(self, tenant: str) -> Scope:
        return Scope(tenant, self.tenants)


EVERYTHING = Scope()


def is_tenant_name(name: str) -> bool:
    return _TENANT.fullmatch(name) is not None
