"""The built page is served at / and wherever its own ways lead, under any prefix; the API's answers stay the API's."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from lineage_hub.errors import InvalidSetting
from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings

BROWSER = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}
INDEX = '<!doctype html>\n<html><head lang="en"><script type="module" src="./assets/main-1a.js"></script></head></html>'
SCRIPT = b"console.log('the page');" * 50
Hub = Callable[..., TestClient]


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "page"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(INDEX)
    (folder / "icon.svg").write_text("<svg/>")
    (folder / "assets" / "main-1a.js").write_bytes(SCRIPT)
    (folder / "assets" / "main-1a.js.gz").write_bytes(gzip.compress(SCRIPT))
    (folder / "assets" / "main-1a.js.br").write_bytes(b"as brotli")
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "assets" / "way-out.txt").symlink_to(tmp_path / "secret.txt")
    return folder


@pytest.fixture
def hub(tmp_path: Path, built: Path) -> Iterator[Hub]:
    with ExitStack() as stack:

        def start(folder: Path = built, root_path: str = "", forwarded_prefix: str = "ignore") -> TestClient:
            settings = Settings(
                data_dir=tmp_path / "data", root_path=root_path, forwarded_prefix=forwarded_prefix, log_level="error"
            )
            settings.data_dir.mkdir(exist_ok=True)
            client = stack.enter_context(TestClient(create_app(settings, page_folder=folder)))
            client.headers["accept-encoding"] = "identity"
            return client

        yield start


def test_the_page_is_shown_at_the_root_and_at_every_way_of_its_own(hub: Hub) -> None:
    client = hub()
    first = client.get("/")
    assert first.status_code == 200
    assert first.headers["content-type"].startswith("text/html")
    assert first.headers["cache-control"] == "no-cache"
    assert '<head lang="en"><base href="/"><script type="module" src="./assets/main-1a.js">' in first.text
    for path in ("/lineage?node=dataset:a:b", "/datasets/s3%3A%2F%2Flake/raw%2Fclicks", "/index.html", "/apiary"):
        assert client.get(path, headers=BROWSER).text == first.text
    assert client.head("/").status_code == 200


def test_a_page_that_has_not_changed_is_not_sent_again(hub: Hub, built: Path) -> None:
    client = hub()
    tag = client.get("/").headers["etag"]
    again = client.get("/lineage", headers={**BROWSER, "If-None-Match": f'"other", W/{tag}'})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == tag
    (built / "index.html").write_text(INDEX.replace("1a", "2b"))
    assert client.get("/", headers={"If-None-Match": tag}).status_code == 200
    assert "main-2b.js" in client.get("/").text


def test_the_page_may_load_nothing_from_elsewhere(hub: Hub) -> None:
    client = hub()
    for path in ("/", "/assets/main-1a.js", "/icon.svg"):
        headers = client.get(path).headers
        policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
        assert policy["frame-ancestors"] == "'none'"
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


def test_assets_are_kept_for_ever_and_sent_as_small_as_the_browser_reads(hub: Hub) -> None:
    client = hub()

    def ask(encodings: str, **headers: str) -> tuple[int, str | None, bytes]:
        with client.stream("GET", "/assets/main-1a.js", headers={"Accept-Encoding": encodings, **headers}) as got:
            assert got.headers["cache-control"] == "public, max-age=31536000, immutable"
            assert got.headers["vary"] == "Accept-Encoding"
            return got.status_code, got.headers.get("content-encoding"), b"".join(got.iter_raw())

    assert ask("gzip, br") == (200, "br", b"as brotli")
    status, encoding, body = ask("gzip;q=0.5, br;q=0")
    assert (status, encoding, gzip.decompress(body)) == (200, "gzip", SCRIPT)
    assert ask("identity") == (200, None, SCRIPT)
    tag = client.get("/assets/main-1a.js", headers={"Accept-Encoding": "identity"}).headers["etag"]
    assert ask("identity", **{"If-None-Match": tag}) == (304, None, b"")
    assert client.get("/assets/main-1a.js").headers["content-type"].startswith("text/javascript")
    svg = client.get("/icon.svg")
    assert (svg.headers["content-type"], svg.headers["cache-control"]) == ("image/svg+xml", "no-cache")


@pytest.mark.parametrize(
    "path",
    [
        "/assets/none.js",
        "/assets/main-1a.js.gz",
        "/assets/",
        "/assets/..%2F..%2Fsecret.txt",
        "/assets/%2e%2e/%2e%2e/secret.txt",
        "/..%2Fsecret.txt",
        "/assets/way-out.txt",
        "/assets//etc/passwd",
        "/assets/%00",
    ],
)
def test_nothing_but_the_files_of_the_page_can_be_asked_for(hub: Hub, path: str) -> None:
    got = hub().get(path)
    assert got.status_code == 404
    assert got.json()["error"] == "not_found"


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api", "/v1/nothing", "/docs/a/b", "/metrics/x", "/livez/x"])
def test_an_unknown_path_of_the_api_is_told_as_json_to_browsers_too(hub: Hub, path: str) -> None:
    got = hub().get(path, headers=BROWSER)
    assert (got.status_code, got.json()["error"]) == (404, "not_found")


def test_what_is_no_question_of_a_browser_is_told_as_json(hub: Hub) -> None:
    client = hub()
    assert client.get("/lineage").json()["error"] == "not_found"
    assert client.post("/lineage", headers=BROWSER).json()["error"] == "not_found"
    assert client.get("/api/v1/lineage/batch", headers=BROWSER).json()["error"] == "method_not_allowed"
    assert client.post("/").status_code == 405


def test_a_hub_without_the_page_says_so_and_leads_to_its_routes(hub: Hub, tmp_path: Path) -> None:
    client = hub(tmp_path / "none", root_path="/lineage")
    got = client.get("/")
    assert got.status_code == 200
    assert "without its page" in got.text
    assert '<base href="/lineage/">' in got.text
    assert 'href="docs"' in got.text
    assert client.get("/other", headers=BROWSER).json()["error"] == "not_found"
    assert client.get("/assets/main-1a.js").json()["error"] == "not_found"


@pytest.mark.parametrize("passed_on", ["", "/team/lineage"], ids=["cut off", "passed on"])
def test_under_a_prefix_everything_is_found_whether_the_proxy_cuts_it_off_or_not(hub: Hub, passed_on: str) -> None:
    client = hub(root_path="/team/lineage/")
    for path in ("/", "/lineage", "/team"):
        assert '<base href="/team/lineage/">' in client.get(passed_on + path, headers=BROWSER).text
    if passed_on:
        assert '<base href="/team/lineage/">' in client.get(passed_on).text
    assert client.get(passed_on + "/assets/main-1a.js").content
    event = {
        "eventType": "COMPLETE",
        "eventTime": "2026-11-01T09:30:00Z",
        "producer": "tests",
        "run": {"runId": "r"},
        "job": {"namespace": "a/b", "name": "c/d"},
    }
    assert client.post(passed_on + "/api/v1/lineage", json=event).status_code == 201
    assert client.get(passed_on + "/api/v1/namespaces/a%2Fb/jobs/c%2Fd").json()["name"] == "c/d"
    assert client.get(passed_on + "/openapi.json").json()["servers"] == [{"url": "/team/lineage"}]
    assert client.get(passed_on + "/api/v1/nothing", headers=BROWSER).status_code == 404
    assert 'route="/api/v1/namespaces/{namespace}/jobs/{job}"' in client.get(passed_on + "/metrics").text


def test_the_prefix_of_the_server_counts_too(tmp_path: Path, built: Path) -> None:
    settings = Settings(data_dir=tmp_path, log_level="error")
    with TestClient(create_app(settings, page_folder=built), root_path="/mounted") as client:
        assert '<base href="/mounted/">' in client.get("/mounted/lineage", headers=BROWSER).text
        assert client.get("/mounted/api/v1/jobs").json()["totalCount"] == 0


def test_a_proxys_header_counts_only_where_it_is_trusted(hub: Hub) -> None:
    header = {"X-Forwarded-Prefix": "/outer, /inner/"}
    assert '<base href="/">' in hub().get("/", headers=header).text
    trusting = hub(root_path="/own", forwarded_prefix="trust")
    assert '<base href="/outer/inner/">' in trusting.get("/", headers=header).text
    assert '<base href="/own/">' in trusting.get("/").text
    for wrong in ('/"><script>', "//elsewhere.example", "/a/../b", "/api", "x", "/%2e"):
        assert '<base href="/own/">' in trusting.get("/", headers={"X-Forwarded-Prefix": wrong}).text


@pytest.mark.parametrize("wrong", ["lineage", "/api/v1", "//host", "/a b", "/a/..", "/docs"])
def test_a_prefix_that_can_not_be_served_is_refused_at_the_start(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(InvalidSetting) as refused:
        create_app(Settings(data_dir=tmp_path, root_path=wrong))
    assert refused.value.subject == "root_path"


def test_ways_of_the_page_are_one_route_in_the_metrics(hub: Hub) -> None:
    client = hub()
    for number in range(3):
        client.get(f"/datasets/a/{number}", headers=BROWSER)
    assert 'route="/{page}",status="200"' in client.get("/metrics").text
    assert "/datasets/a/" not in client.get("/metrics").text


def test_a_file_that_a_new_build_takes_away_is_gone(hub: Hub, built: Path) -> None:
    client = hub()
    assert client.get("/assets/main-1a.js").status_code == 200
    (built / "assets" / "main-1a.js").unlink()
    stat = (built / "index.html").stat()
    os.utime(built / "index.html", ns=(stat.st_atime_ns, stat.st_mtime_ns + 1_000_000_000))
    assert client.get("/assets/main-1a.js").status_code == 404
