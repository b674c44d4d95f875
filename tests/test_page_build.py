"""scripts/page makes a page of what stands in web/, with the machine's node, and leaves it where the hub looks."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BUILD = """
import { mkdirSync, writeFileSync } from "node:fs";
const [, , flag, folder] = process.argv;
if (flag !== "--outDir") throw new Error(process.argv.join(" "));
mkdirSync(`${folder}/assets`, { recursive: true });
writeFileSync(`${folder}/index.html`, "<head></head>");
writeFileSync(`${folder}/assets/main-1a.js`, "let page = 1;".repeat(500));
writeFileSync(`${folder}/assets/tiny-2b.js`, "1");
writeFileSync(`${folder}/assets/font-3c.woff2`, "f".repeat(5000));
"""
# What the real one does with the document is its own matter; this one tells which document it was given.
CLIENT_MAKER = """
const { readFileSync, writeFileSync } = require("node:fs");
const [, , document, , output] = process.argv;
writeFileSync(output, `// ${JSON.parse(readFileSync(document)).info.title}\\n`);
"""
PACKAGES = {
    "": {"name": "page", "devDependencies": {"openapi-typescript": "file:tool"}},
    "node_modules/openapi-typescript": {"resolved": "tool", "link": True},
    "tool": {"name": "openapi-typescript", "version": "1.0.0", "dev": True},
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    web = tmp_path / "web"
    (web / "tool" / "bin").mkdir(parents=True)
    (tmp_path / "src" / "lineage_hub" / "server" / "page" / "assets").mkdir(parents=True)
    (tmp_path / "src" / "lineage_hub" / "server" / "page" / "assets" / "old-0z.js").write_text("old")
    (tmp_path / "scripts").mkdir()
    for name in ("page", "compress-assets.mjs"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts" / name)
    (tmp_path / ".venv").symlink_to((ROOT / ".venv").resolve())
    scripts = {"build": "node build.mjs", "check": "echo looked at", "test": "echo tried"}
    package = {"name": "page", "private": True, "scripts": scripts, **PACKAGES[""]}
    (web / "package.json").write_text(json.dumps(package))
    lock = {"name": "page", "lockfileVersion": 3, "requires": True, "packages": PACKAGES}
    (web / "package-lock.json").write_text(json.dumps(lock))
    (web / ".npmrc").write_text("omit-lockfile-registry-resolved=true\noffline=true\n")
    (web / "build.mjs").write_text(BUILD)
    (web / "tool" / "package.json").write_text(json.dumps({"name": "openapi-typescript", "version": "1.0.0"}))
    (web / "tool" / "bin" / "cli.js").write_text(CLIENT_MAKER)
    return tmp_path


def page(checkout: Path, *words: str) -> str:
    # The package itself is not in this checkout: the one under test is found beside it.
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    ended = subprocess.run(
        [str(checkout / "scripts" / "page"), *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.mark.slow
def test_the_page_is_built_with_its_client_and_its_assets_small(checkout: Path) -> None:
    page(checkout)
    made = checkout / "src" / "lineage_hub" / "server" / "page"
    found = {one.relative_to(made).as_posix() for one in made.rglob("*") if one.is_file()}
    packed = {"assets/main-1a.js.gz", "assets/main-1a.js.br"}
    assert found == {"index.html", "assets/main-1a.js", "assets/tiny-2b.js", "assets/font-3c.woff2"} | packed
    script = (made / "assets" / "main-1a.js").read_bytes()
    assert gzip.decompress((made / "assets" / "main-1a.js.gz").read_bytes()) == script
    assert (made / "assets" / "main-1a.js.br").stat().st_size < len(script)
    assert (checkout / "web" / "src" / "api" / "schema.ts").read_text() == "// Lineage Hub\n"
    assert "looked at" in page(checkout, "check")
    assert "tried" in page(checkout, "test")
