"""What a user can meet is documented: every setting with its default, every code of an error."""

from dataclasses import MISSING
from pathlib import Path

import pytest

from lineage_hub.errors import LineageHubError, every_error
from lineage_hub.settings import every_setting, flag_of, variable_of

DOCS = Path(__file__).parent.parent / "docs"


def rows(page: str) -> dict[str, str]:
    """The rows of a page's tables by the name in their first cell."""
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    return {line.split("`")[1]: line for line in lines if line.startswith("| `")}


@pytest.mark.parametrize("setting", list(every_setting()), ids=lambda setting: setting.name)
def test_every_setting_is_documented_with_its_default_variable_and_flag(setting):
    row = rows("settings.md")[setting.name]
    assert f"`{variable_of(setting)}`" in row
    assert f"`{flag_of(setting)}`" in row
    if setting.default is not MISSING:
        default = f"{setting.default:g}" if isinstance(setting.default, float) else str(setting.default)
        assert (f"| `{default}`" if default else "| empty |") in row
    assert all(f"`{choice}`" in row for choice in setting.metadata["choices"])


def test_no_setting_is_documented_that_does_not_exist():
    assert set(rows("settings.md")) == {setting.name for setting in every_setting()}


@pytest.mark.parametrize("error", list(every_error()), ids=lambda error: error.code)
def test_every_error_is_documented_with_its_status_and_exit_code(error: type[LineageHubError]):
    assert f"| `{error.code}` | {error.status} | {error.exit_code} |" in rows("errors.md")[error.code]


def test_no_error_is_documented_that_does_not_exist():
    assert set(rows("errors.md")) == {error.code for error in every_error()}
