"""Hubs that are asked thousands of questions log errors only, each as one plain traceback."""

import logging
from collections.abc import Iterator

import pytest
import structlog


@pytest.fixture(autouse=True, scope="package")
def _quiet() -> Iterator[None]:
    before = structlog.get_config()
    structlog.configure(
        processors=[structlog.processors.format_exc_info, structlog.processors.KeyValueRenderer()],
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
    )
    yield
    structlog.configure(**before)
