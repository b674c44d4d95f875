"""What the SDK tells in a test is kept instead of sent."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from lineage_hub.sdk import config, outbox, warnings


@pytest.fixture
def sent() -> Iterator[list[dict[str, Any]]]:
    found: list[dict[str, Any]] = []
    before = outbox.replace_by(lambda event: found.append(json.loads(event)))
    config.configure(namespace="team")
    warnings.forget_warnings()
    yield found
    outbox.replace_by(before)
    config.reset_config()
