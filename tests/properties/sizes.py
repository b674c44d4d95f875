"""LINEAGE_HUB_PROOF enters; how many examples a proof takes leaves: quick is a minute, soak a quarter of one."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

SOAK = os.environ.get("LINEAGE_HUB_PROOF", "quick") == "soak"
TIMEOUT_S = 4 * 3600 if SOAK else 900  # a failure takes its time to be made small


def examples(quick: int, soak: int) -> settings:
    """Quick takes the same examples every time, a check fails for a change and never by luck; it spends nothing
    on making a failure smaller (soak does)."""
    return settings(
        max_examples=soak if SOAK else quick,
        derandomize=not SOAK,
        phases=[Phase.explicit, Phase.generate, *([Phase.shrink] if SOAK else [])],
        database=None,
        deadline=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )


def moments(quick: int, soak: int) -> int:
    """How many moments one history is asked about."""
    return soak if SOAK else quick
