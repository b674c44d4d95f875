"""What pip installs is whole: the built page is in the wheel and in the sdist, though no commit holds it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = "server/page"
BUILT = {"index.html": "<html>", "icon.svg": "<svg/>", "assets/main-1a.js": "1", "assets/main-1a.js.br": "2"}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """With a page that was built, and what building it leaves behind."""
    folder = tmp_path / "checkout"
    ignored = shutil.ignore_patterns("__pycache__", "page")
    for name in ("src", "docs", "examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, folder / name)
    built = {f"src/lineage_hub/{PAGE}/{name}": text for name, text in BUILT.items()}
    left = {"web/package.json": "{}", "web/src/main.tsx": "", "web/node_modules/a/b.js": "", "web/dist/index.html": ""}
    for name, text in {**built, **left}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.slow
def test_the_built_page_is_in_the_wheel_and_in_the_sdist(checkout: Path, tmp_path: Path) -> None:
    # As pip does it: in a process of its own, from the folder.
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path / "dist")]
    subprocess.run(command, cwd=checkout, check=True, capture_output=True, timeout=100)
    [wheel] = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
    assert {f"lineage_hub/{PAGE}/{name}" for name in BUILT} <= names
    assert "lineage_hub/server/page.py" in names
    assert not [name for name in names if name.startswith(("web", "src"))]
    [sdist] = (tmp_path / "dist").glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        packed = {name.split("/", 1)[1] for name in archive.getnames()}
    assert {f"src/lineage_hub/{PAGE}/{name}" for name in BUILT} <= packed
    assert {"web/package.json", "web/src/main.tsx"} <= packed
    assert not [name for name in packed if "node_modules" in name or name.startswith("web/dist")]
