"""Programs that run in processes of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sdk.instrumentation.programs import Programs
from tests.transports.recorder import Recorder


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[Programs]:
    with Recorder() as recorder:
        yield Programs(tmp_path, recorder)
