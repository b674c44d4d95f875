"""LINEAGE_HUB_PROOF enters; how large a proof is leaves: quick is minutes in all, soak is an hour."""

import os
from typing import TypeVar

T = TypeVar("T")

SOAK = os.environ.get("LINEAGE_HUB_PROOF", "quick") == "soak"
TIMEOUT_S = 4 * 3600 if SOAK else 600
# Quick takes the same events and the same order every time; only the moments differ.
SEED = int.from_bytes(os.urandom(4), "big") if SOAK else 724


def pick(quick: T, soak: T) -> T:
    return soak if SOAK else quick
