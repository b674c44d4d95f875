"""The tree of errors holds together: codes, statuses, one JSON shape, and the drawing at its top."""

import json

import pytest

from lineage_hub import errors
from lineage_hub.errors import (
    ExtraMissing,
    LineageHubError,
    NotFound,
    Overloaded,
    Terminal,
    Transient,
    every_error,
)

ERRORS = sorted(every_error(), key=lambda error: error.__name__)


def test_every_code_is_used_once_and_is_snake_case():
    codes = [error.code for error in ERRORS]
    assert len(codes) == len(set(codes))
    assert all(code.replace("_", "").isalpha() and code.islower() for code in codes)


@pytest.mark.parametrize("error", ERRORS)
def test_every_error_stands_in_the_drawing_with_its_code_and_status(error: type[LineageHubError]):
    drawn = [line.split() for line in (errors.__doc__ or "").splitlines()]
    assert any({error.__name__, error.code, str(error.status)} <= set(line) for line in drawn)


@pytest.mark.parametrize("error", ERRORS)
def test_an_error_is_either_terminal_or_transient(error: type[LineageHubError]):
    assert issubclass(error, Terminal) != issubclass(error, Transient)
    assert error.transient == issubclass(error, Transient)
    assert (error.status == 503) == error.transient


def test_the_body_has_the_same_keys_whatever_is_known():
    full = NotFound("no such job", subject="ns/job", action="check the name").body()
    bare = NotFound("no such job").body()
    assert full == {
        "code": 404,
        "message": "no such job",
        "error": "not_found",
        "subject": "ns/job",
        "action": "check the name",
    }
    assert list(full) == list(bare)
    assert json.loads(json.dumps(bare))["subject"] is None


def test_a_transient_error_says_when_to_try_again():
    assert Overloaded("the queue is full", retry_after_s=7).retry_after_s == 7
    assert Overloaded("the queue is full").retry_after_s >= 1


def test_a_missing_extra_names_the_command_that_brings_it():
    assert ExtraMissing.of("server", "lineage-hub serve").action == "pip install 'lineage-hub[server]'"
