"""Log lines carry the correlation id, have one shape for every library, and give nothing secret away."""

import io
import json
import logging

import pytest
import structlog

from lineage_hub.logs import bind_request, current_correlation_id, get_logger, set_up_logs


@pytest.fixture
def out():
    stream = io.StringIO()
    before = logging.root.handlers[:], logging.root.level
    yield stream
    structlog.reset_defaults()
    logging.root.handlers[:], level = before
    logging.root.setLevel(level)


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_every_line_of_a_request_carries_its_correlation_id(out: io.StringIO):
    set_up_logs(stream=out)
    with bind_request("abc", tenant="books"):
        assert current_correlation_id() == "abc"
        get_logger("server").info("answered", status=201)
        logging.getLogger("uvicorn.error").warning("from %s", "elsewhere")
    get_logger("server").info("idle")
    inside, foreign, outside = lines(out)
    assert (inside["correlation_id"], inside["tenant"], inside["status"]) == ("abc", "books", 201)
    assert (foreign["correlation_id"], foreign["event"], foreign["level"]) == (
        "abc",
        "from elsewhere",
        "warning",
    )
    assert "correlation_id" not in outside
    assert current_correlation_id() is None


def test_lines_below_the_level_are_left_out(out: io.StringIO):
    set_up_logs("warning", stream=out)
    get_logger("server").info("quiet")
    logging.getLogger("alembic").info("quiet")
    get_logger("server").warning("loud")
    assert [line["event"] for line in lines(out)] == ["loud"]


def test_a_traceback_shows_no_local_variables(out: io.StringIO):
    for shape in ("json", "console"):
        set_up_logs(log_format=shape, stream=out)
        secret = "sword" + "fish"
        try:
            raise ValueError(len(secret))
        except ValueError:
            get_logger("server").exception("failed")
    assert out.getvalue().count("ValueError") >= 2
    assert "swordfish" not in out.getvalue()


def test_console_lines_have_no_colours_unless_on_a_terminal(out: io.StringIO):
    set_up_logs(log_format="console", stream=out)
    get_logger("server").info("hello")
    assert "hello" in out.getvalue()
    assert "\x1b[" not in out.getvalue()
