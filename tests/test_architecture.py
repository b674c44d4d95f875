"""Every path that ARCHITECTURE.md names exists, so the picture can't drift from the code."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
PICTURE = TEXT.split("```")[1]
SOURCE = ROOT / "src" / "lineage_hub"


def named() -> list[str]:
    """Files as part/file.py or file.py, folders as part/; routes begin with a slash and are left out."""
    files = re.findall(r"(?<![\w/.-])(?:[a-z_]+/)*[a-z_]+\.py\b", TEXT)
    folders = re.findall(r"`([a-z_]+/)`", TEXT)
    return sorted({*files, *folders})


@pytest.mark.parametrize("path", named())
def test_a_path_that_is_named_exists(path: str) -> None:
    assert (SOURCE / path).exists()


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#:]+)\)", TEXT))))
def test_a_link_leads_somewhere(link: str) -> None:
    assert (ROOT / link).exists()


def test_every_arrow_of_the_picture_is_labelled_by_a_path() -> None:
    steps = PICTURE.split("▼")[:-1]
    assert len(steps) >= 5
    for step in steps:
        assert re.search(r"[a-z_]+/[a-z_]+\.py", step), step


def test_every_package_is_explained() -> None:
    packages = {one.name for one in SOURCE.iterdir() if (one / "__init__.py").exists()}
    explained = {path.rstrip("/") for path in named() if path.endswith("/")}
    # A package without code of its own yet has nothing to be explained.
    assert {one for one in packages if any((SOURCE / one).glob("[a-z]*.py"))} <= explained
