"""The package that is built tells its types, and a user's program passes `mypy --strict` against it."""

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from tests.hub_process import clean_environment

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def run(*command: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in clean_environment().items() if name not in ("PYTHONPATH", "MYPYPATH")}
    return subprocess.run(
        list(map(str, command)), cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built without a network: hatchling is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    built = run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder)
    assert built.returncode == 0, built.stdout + built.stderr
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def user_python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment in which the wheel is installed, and everything else is as here."""
    folder = tmp_path_factory.mktemp("user")
    venv.create(folder, with_pip=False)
    (packages,) = folder.glob("lib/python*/site-packages")
    zipfile.ZipFile(wheel).extractall(packages)
    (packages / "as_here.pth").write_text(sysconfig.get_path("purelib"))
    return folder / "bin" / "python"


def test_the_wheel_has_the_marker_of_a_typed_package_and_every_module(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert "lineage_hub/py.typed" in names
    source = ROOT / "src"
    modules = {str(one.relative_to(source)) for one in (source / "lineage_hub").rglob("*.py")}
    assert modules <= names
    assert not any(name.startswith(("tests", "examples")) for name in names)


def test_a_typed_program_passes_mypy_strict_against_the_installed_package(user_python: Path, tmp_path: Path) -> None:
    program = tmp_path / "typed_use.py"
    program.write_text((Path(__file__).parent / "typed_use.py").read_text())
    where = run(user_python, "-c", "import lineage_hub.sdk; print(lineage_hub.__file__)", cwd=tmp_path)
    assert str(user_python.parents[1]) in where.stdout, where.stderr
    check = [sys.executable, "-m", "mypy", "--strict", "--python-executable", user_python, "--config-file", ""]
    good = run(*check, program, cwd=tmp_path)
    assert good.returncode == 0, good.stdout
    program.write_text('from lineage_hub.sdk import flush\n\nflush("soon")\n')
    bad = run(*check, program, cwd=tmp_path)
    assert bad.returncode == 1
    assert 'Argument 1 to "flush" has incompatible type "str"' in bad.stdout
