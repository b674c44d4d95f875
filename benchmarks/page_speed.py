"""A hub with a large graph enters, and Chromium, which draws in software; how quickly its page can be used leaves.

Times are the browser's own: from the start of the navigation, or from the pointer, to the frame that shows it.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from benchmarks.bench import FULL, Bench, run_alone, settle
from benchmarks.claims import Bound, Figure, Row
from benchmarks.generator import EventStream
from benchmarks.hub import Hub
from benchmarks.landscape import Landscape, river_landscape
from benchmarks.page_trace import CATEGORIES, Traced, read_trace
from tests.e2e.chromium import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LOOKS = Path(__file__).with_name("page_looks.js")
SIZE = {"width": 1280, "height": 800}
PATIENCE_MS = 90_000
PAN_STEPS = 60
WEIGHT, INTERACTIVE = Bound(must=250, aim=200), Bound(must=1.5, aim=1.0)
LARGE = 5_000
LAYOUT = {200: Bound(must=2, aim=1), 500: Bound(must=5, aim=3)}
PANNING, LONGEST, LIT = Bound(must=8, aim=4), Bound(must=200, aim=100), Bound(must=100, aim=50)
SCROLLED = Bound(must=1, aim=0.5)
GRAPH = '[data-layout="fine"]'
IN_SIGHT = """column => {
  const at = column.getBoundingClientRect();
  return column.contains(document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2));
}"""


@contextmanager
def _opened(browser: Browser, url: str) -> Iterator[Page]:
    """In a context of its own: nothing is in its cache."""
    context = browser.new_context(viewport=SIZE)  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE_MS)
    context.add_init_script(path=LOOKS)
    page = context.new_page()
    try:
        page.goto(url)
        yield page
    finally:
        context.close()


def _noted(page: Page, name: str) -> float:
    """Seconds from the start of the navigation; waits until it has happened."""
    page.wait_for_function("name => name in __looks.at", arg=name, polling=20, timeout=PATIENCE_MS)
    return float(page.evaluate("name => __looks.at[name]", name)) / 1000


def _longest_task(page: Page) -> float:
    return max((float(lasted) for _, lasted in page.evaluate("__looks.tasks")), default=0.0)


def _first_load(bench: Bench, browser: Browser, hub: Hub) -> Row:
    home = f"http://127.0.0.1:{hub.port}/"
    weights, times, asked = [], [], 0
    for _ in range(bench.sizes.page_loads):
        bodies: list[bytes] = []
        context = browser.new_context(viewport=SIZE)  # type: ignore[arg-type]
        context.add_init_script(path=LOOKS)
        page = context.new_page()
        answers: list[Any] = []
        page.on("response", lambda answer, told=answers: told.append(answer))
        page.goto(home)
        drawn_s = _noted(page, "drawn")
        page.wait_for_load_state("networkidle")
        for answer in answers:
            if "/api/" not in answer.url:
                bodies.append(answer.body())
        # A task that was under way when all was drawn keeps a click waiting until its end.
        tasks = page.evaluate("__looks.tasks")
        times.append(max([drawn_s, *((begin + lasted) / 1000 for begin, lasted in tasks if begin / 1000 < drawn_s)]))
        weights.append(sum(len(gzip.compress(body, 9)) for body in bodies) / 1000)
        asked = len(bodies)
        context.close()
    return Row(
        f"first load of home, {bench.sizes.jobs:,} jobs: gzipped; until it can be used, nothing in the cache",
        (Figure(median(weights), "kB", WEIGHT), Figure(median(times), "s", INTERACTIVE)),
        f"{asked} files; median of {len(times)}, slowest {max(times):.2f} s",
        raw={"weights_kb": weights, "interactive_s": times},
        judged=bench.sizes.judged,
    )


def _river(bench: Bench, nodes: int) -> Landscape:
    return river_landscape(max(20, nodes * bench.sizes.jobs // FULL.jobs))


def _around(bench: Bench, hub: Hub, nodes: int, **more: Any) -> tuple[str, int]:
    """The address of a graph with about so many nodes, and how many they are."""
    river = _river(bench, nodes)
    question = urlencode({"node": river.tables[0].node_id, "up": 20, "down": 20, **more})
    return f"http://127.0.0.1:{hub.port}/lineage?{question}", len(river.tables) + len(river.tasks)


def _layout(bench: Bench, browser: Browser, address: str, nodes: int, bound: Bound) -> Row:
    first, fine, longest = [], [], []
    for _ in range(bench.sizes.page_loads):
        with _opened(browser, address) as page:
            fine.append(_noted(page, "laid out"))
            first.append(_noted(page, "picture"))
            longest.append(_longest_task(page))
    return Row(
        f"graph of {nodes} nodes: from the address to ELK's layout",
        (Figure(median(fine), "s", bound),),
        f"first picture {median(first):.2f} s; longest task {max(longest):.0f} ms; median of {len(fine)}",
        raw={"fine_s": fine, "first_s": first, "longest_task_ms": longest, "nodes": nodes},
        judged=bench.sizes.judged,
    )


def _traced(browser: Browser, page: Page, use: Callable[[], None]) -> Traced:
    browser.start_tracing(page=page, categories=CATEGORIES)
    use()
    return read_trace(browser.stop_tracing())


def _pan(page: Page) -> None:
    """Drag the picture to and fro, a step for each frame or so."""
    page.mouse.move(700, 420)
    page.mouse.down()
    for step in range(PAN_STEPS):
        # Right and back again, so that boxes come into sight and leave it.
        way = step if step < PAN_STEPS // 2 else PAN_STEPS - step
        page.mouse.move(700 - 12 * way, 420 - 4 * way)
        page.wait_for_timeout(16)
    page.mouse.up()


def _panning(bench: Bench, browser: Browser, address: str, nodes: int) -> Row:
    with _opened(browser, address) as page:
        _noted(page, "laid out")
        page.wait_for_timeout(300)
        traced = _traced(browser, page, lambda: _pan(page))
    return Row(
        f"script a frame while {nodes} nodes are panned, 95 of 100 frames",
        (Figure(traced.script_at(0.95), "ms", PANNING),),
        f"median {traced.script_at(0.5):.1f} ms, most {traced.script_at(1):.1f} ms of {len(traced.script_ms)} frames; "
        f"longest task {traced.longest_task_ms:.0f} ms",
        raw={"script_ms": traced.script_ms},
        judged=bench.sizes.judged,
    )


def _large(bench: Bench, browser: Browser, address: str, nodes: int) -> Row:
    with _opened(browser, "about:blank") as page:

        def use() -> None:
            page.goto(address)
            _noted(page, "laid out")
            _pan(page)
            page.keyboard.press("0")
            groups = page.get_by_role("button", name="Open ")
            if groups.count():
                groups.first.click()
                page.locator(GRAPH).wait_for()
            page.wait_for_timeout(500)

        traced = _traced(browser, page, use)
        fine, longest = _noted(page, "laid out"), _longest_task(page)
        said = page.get_by_role("status").filter(has_text="node").first.inner_text()
    return Row(
        f"graph of {nodes:,} nodes: the longest task while it is laid out, panned and a group opened",
        (Figure(max(longest, 1), "ms", LONGEST),),
        f"{said}; laid out after {fine:.2f} s; a task took {traced.longest_cpu_ms:.0f} CPU-ms at most",
        raw={"said": said, "laid_out_s": fine, "longest_cpu_ms": traced.longest_cpu_ms},
        judged=bench.sizes.judged,
    )


def _column(bench: Bench, browser: Browser, address: str, nodes: int) -> Row:
    lit = []
    with _opened(browser, address) as page:
        _noted(page, "laid out")
        page.wait_for_timeout(300)
        columns = page.locator('[data-layout] [data-linked="true"]')
        for column in columns.all():
            if len(lit) == bench.sizes.page_columns:
                break
            page.mouse.move(5, 5)
            page.wait_for_timeout(50)
            # Others are drawn outside of the picture, or under the panel that tells of the first.
            if not column.evaluate(IN_SIGHT):
                continue
            handle = column.element_handle()
            took = page.evaluate_handle("column => ({ lit: __looks.lit(column) })", handle)
            column.hover(force=True)
            waited = (
                "async ([one, patience]) => Promise.race([one.lit, new Promise((_, no) => setTimeout(no, patience))])"
            )
            lit.append(float(page.evaluate(waited, [took, PATIENCE_MS])))
    return Row(
        f"a column's path lights up in a graph of {nodes} nodes",
        (Figure(max(lit), "ms", LIT),),
        f"the slowest of {len(lit)} columns; median {median(lit):.0f} ms",
        raw={"lit_ms": lit},
        judged=bench.sizes.judged,
    )


def _list(bench: Bench, browser: Browser) -> Row:
    folder, stream = bench.wide()
    total = len(stream.landscape.tables)
    with Hub(folder) as hub, _opened(browser, f"http://127.0.0.1:{hub.port}/datasets") as page:
        table = page.get_by_role("table", name="Datasets")
        table.get_by_role("link").first.wait_for()
        settle(hub)
        # To the end, and at once to the middle: what lies between is never fetched.
        took = []
        for share in (1.0, 0.5, 0.25):
            took.append(
                page.evaluate(
                    """async (share) => {
                      const table = document.querySelector('[role=table][aria-label=Datasets]');
                      const begun = performance.now();
                      table.scrollTop = share * table.scrollHeight;
                      await new Promise((done) => {
                        const look = () => {
                          const box = table.getBoundingClientRect();
                          const links = [...table.querySelectorAll('[role=row] a')];
                          const seen = links.filter((one) => {
                            const at = one.getBoundingClientRect();
                            return at.bottom > box.top + 60 && at.top < box.bottom;
                          });
                          if (seen.length > 3) done(); else requestAnimationFrame(look);
                        };
                        requestAnimationFrame(() => requestAnimationFrame(look));
                      });
                      return performance.now() - begun;
                    }""",
                    share,
                )
                / 1000
            )
        rows, longest = table.get_by_role("row").count(), _longest_task(page)
    if rows > 300:
        raise AssertionError(f"{rows} rows were drawn: the list isn't virtual")
    return Row(
        f"list of {total:,} datasets: from a jump of the scroll bar to the rows",
        (Figure(max(took), "s", SCROLLED),),
        f"the slowest of {len(took)} jumps; {rows} rows drawn; longest task {longest:.0f} ms",
        raw={"took_s": took},
        judged=bench.sizes.judged,
    )


def _load(bench: Bench) -> Path:
    """The estate, and rivers of the sizes that are drawn."""
    if not bench.is_loaded("page"):
        with Hub(bench.fresh_folder("page")) as hub:
            bench.load(hub, bench.stream(1).events())
            for nodes in (*LAYOUT, LARGE):
                bench.load(hub, EventStream(_river(bench, nodes), seed=nodes).events())
        bench.mark_loaded("page")
    return bench.folder / "page"


def measure(bench: Bench) -> list[Row]:
    folder = _load(bench)
    bench.wide()  # before the browser opens: while it is open, the sender could not send
    rows = []
    with Hub(folder) as hub, chromium() as browser:
        settle(hub)
        rows.append(_first_load(bench, browser, hub))
        for nodes, bound in LAYOUT.items():
            rows.append(_layout(bench, browser, *_around(bench, hub, nodes), bound))
        rows.append(_panning(bench, browser, *_around(bench, hub, 500)))
        rows.append(_column(bench, browser, *_around(bench, hub, 200, columns=1)))
        rows.append(_large(bench, browser, *_around(bench, hub, LARGE)))
        rows.append(_list(bench, browser))
    return rows


if __name__ == "__main__":
    run_alone("page_speed", measure, __doc__)
