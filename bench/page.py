"""The page in Chromium: start, speed beside kr itself, memory, and its growth. Linux; two minutes.

    python bench/page.py [--folder build/page] [--seconds 10] [--runs 3] [--minutes 0] [--json]
    python bench/page.py --web [--checkout .] [--json]
    python bench/page.py [--web] --pause 4

Serves the folder of `make page` and opens it with an empty profile. Start: the time until the board is there, until its
men can be moved, and from the press of Analyse to the first lines, what was fetched by then, and the processor time of
the browser before men can be moved. Speed: nodes a second of an analysis of the start of the game, and of kr with the
same hash table and database, in turns; the median of the ratios; `--runs 0` leaves out speed and memory. Memory: what
all processes of the browser have for themselves, less that with an empty page, once garbage has been collected. With
`--minutes` an analysis that goes through a game, a position each five seconds, for so long, with the memory at each
minute; garbage of the page's own thread is collected before.

With `--web` the page of `kr web`, of another compiled checkout too: its start, with what was sent, packed, and the
review of a game, each with the processor seconds of the server and of the browser. The browser begins before. With
`--pause` Analyse is pressed so many seconds after men can be moved.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import kr

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from chromium import chromium, launched
from web import Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HASH_MB = 16
"""Hash table of the page's engine."""
PACE = re.compile(r"depth (\d+)\s·\s([\d.,]+)\s?(M|k)?\snodes")
UNITS = {"M": 1e6, "k": 1e3, None: 1.0}
SETTLED_SECONDS = 30.0
"""Time after which a browser has collected its garbage."""
STEP_SECONDS = 5.0
"""Time that a long analysis looks at each position."""
GAME = """
9-14 22-18 5-9 25-22 11-16 22-17 9-13 18x9 13x22 26x17 6x22 30-25 8-11 25x18 10-15 18-14 16-19 23x16 11x20 24-19
15x24 28x19 4-8 29-25 8-11 27-23 20-24 23-18 11-16 19-15 16-20 14-9 1-5 18-14 12-16 15-10 7-11 21-17 16-19 32-28
11-15 25-21 24-27 31x24 20x27 10-6 27-31 6-1 31-27 1-6 19-23 17-13 23-26 6-1 26-30 1-6 27-23 28-24 30-26 24-20 *
"""
"""The game that is reviewed: kr against itself, with 60 and 3,000 nodes a move."""
PASTE = """text => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  document.body.dispatchEvent(new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true}));
}"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and counts their bytes by name."""

    sent: dict[str, int]

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if path.is_file():
            self.sent[path.name] = path.stat().st_size
        with suppress(ConnectionError):  # the browser is closed
            super().do_GET()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


def serve(folder: Path) -> tuple[str, dict[str, int]]:
    """Address of a server of a folder, and the bytes that it has sent."""
    sent: dict[str, int] = {}
    handler = type("Counting", (Quiet,), {"sent": sent})
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/", sent


def until(true: Callable[[], Any], seconds: float = 60.0) -> Any:
    """The first value that is true."""
    end = time.monotonic() + seconds
    while not (value := true()):
        if time.monotonic() > end:
            sys.exit(f"kr: nothing came within {seconds:.0f} s")
        time.sleep(0.01)
    return value


def nodes_of(page: Page) -> tuple[int, float] | None:
    """Depth and nodes that the analysis shows; None before."""
    pace = PACE.search(page.inner_text(".analysis"))
    return None if pace is None else (int(pace[1]), float(pace[2].replace(",", "")) * UNITS[pace[3]])


def press(page: Page, name: str) -> None:
    """Begin or stop an analysis; one that was stopped goes on."""
    names = re.compile("^(Analyse|Go on)$" if name == "Analyse" else f"^{name}$")
    button = page.locator(".analysis").get_by_role("button", name=names)
    # before there is a game only the key begins one
    if button.is_visible():
        button.click()
    else:
        page.keyboard.press("Space")


SHOWN = """([selector, pattern]) => new Promise(done => {
  const look = () => {
    const element = document.querySelector(selector);
    if (element && new RegExp(pattern).test(element.textContent)) done(true);
  };
  new MutationObserver(look).observe(document, {subtree: true, childList: true, characterData: true, attributes: true});
  look();
})"""
"""Waits for words in a place, at little cost to the page."""


def browser_processes() -> list[Path]:
    """All processes of Chromium below this one, in /proc."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):  # it has ended
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    family = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    paths = []
    for path in (Path(f"/proc/{pid}") for pid in family):
        with suppress(OSError):
            if b"chrom" in (path / "cmdline").read_bytes().partition(b"\0")[0]:
                paths.append(path)
    return paths


def memory() -> float:
    """Megabytes of the browser."""
    total = 0
    for path in browser_processes():
        with suppress(OSError):
            match = re.search(r"^Private_Dirty:\s+(\d+)", (path / "smaps_rollup").read_text(), re.MULTILINE)
            total += int(match[1]) if match else 0
    return total / 1024


def processor() -> float:
    """Processor seconds of the browser so far."""
    ticks = 0
    for path in browser_processes():
        with suppress(OSError):
            ticks += sum(map(int, (path / "stat").read_text().rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def native_speed(seconds: float) -> float:
    """Nodes a second of kr with the page's hash table and database."""
    engine = kr.Engine(hash_mb=HASH_MB)
    result = engine.search(kr.Position(), kr.Limits(time=seconds))
    return result.nodes / result.time


def page_speed(page: Page, seconds: float) -> float:
    """Nodes a second of an analysis in the page, from its first lines to the end."""
    press(page, "Analyse")
    time.sleep(0.5)
    _, first = until(lambda: nodes_of(page))
    begin = time.monotonic()
    time.sleep(seconds)
    nodes = nodes_of(page)
    assert nodes is not None
    speed = (nodes[1] - first) / (time.monotonic() - begin)
    press(page, "Stop")
    return speed


def opened(browser: Browser) -> Page:
    """An empty window with an empty profile."""
    return browser.new_context(viewport={"width": 1280, "height": 800}).new_page()


def start(browser: Browser, address: str, sent: dict[str, int], pause: float) -> tuple[Page, dict[str, Any]]:
    """A page with an empty profile, and how long it took. pause: seconds before the press of Analyse."""
    page, spent = opened(browser), processor()
    begin = time.monotonic()
    page.goto(address, wait_until="commit")
    first, board, movable = (
        page.evaluate(SHOWN, [f"main .board {part}", ""]) and time.monotonic() - begin
        for part in (".piece", ".pieces use", ".movable")
    )
    scripts, spent = sum(sent.values()), processor() - spent
    time.sleep(pause)
    press(page, "Analyse")
    pressed = time.monotonic()
    page.evaluate(SHOWN, [".analysis", PACE.pattern])
    ready = time.monotonic() - pressed
    press(page, "Stop")
    large = {name: size for name, size in sent.items() if name.endswith(".gz")}
    return page, {
        "first": first, "board": board, "moves": movable, "engine": ready, "all": time.monotonic() - begin,
        "processor": spent,
        "bytes_before_moves": scripts, "bytes": sum(sent.values()), "large": large,
    }  # fmt: skip


def long_analysis(page: Page, minutes: float) -> list[float]:
    """Memory at each minute of an analysis that goes through a game."""
    press(page, "Analyse")
    session = page.context.new_cdp_session(page)
    sizes, end, minute = [memory()], time.monotonic() + 60 * minutes, time.monotonic() + 60
    moves: list[str] = []
    while time.monotonic() < end:
        time.sleep(STEP_SECONDS)
        if time.monotonic() > minute:
            minute += 60
            # what the page itself holds: with memory to spare the browser lets garbage lie
            session.send("HeapProfiler.collectGarbage")
            time.sleep(1)
            sizes.append(memory())
            print(f"{len(sizes) - 1} minutes: {sizes[-1]:.0f} MB", file=sys.stderr)
        moves.append("")
        # to and fro: the best move is played, after twenty all are taken back
        if len(moves) % 20:
            page.locator(".analysis .pv button").first.click()
        else:
            page.keyboard.press("Home")
    press(page, "Stop")
    return sizes


def web(browser: Browser, checkout: Path, pause: float) -> dict[str, Any]:
    """Start of the page of `kr web` with an empty profile, and a review: seconds of processors, and elapsed. pause:
    seconds before the press of Analyse."""
    page = opened(browser)
    sent: list[int] = []
    page.context.on("response", lambda each: sent.append(int(each.headers.get("content-length", 0))))
    command = [sys.executable, "-m", "kr", "web", "--no-browser", "--no-token", "--json"]
    with subprocess.Popen(command, cwd=checkout, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        server = Server(process, json.loads(process.stdout.readline())["address"])
        found: dict[str, dict[str, float]] = {"start": {"server": server.processor}}

        def timed(name: str, act: Callable[[], Any], place: str, pattern: str) -> None:
            before = server.processor, processor(), time.monotonic()
            act()
            page.evaluate(SHOWN, [place, pattern])
            after = server.processor, processor(), time.monotonic()
            spent = (now - since for now, since in zip(after, before, strict=True))
            found[name] = dict(zip(("server", "browser", "elapsed"), spent, strict=True))

        try:
            timed("moves", lambda: page.goto(server.origin, wait_until="commit"), "main .board .movable", "")
            found["sent"] = {"files": len(sent), "bytes": sum(sent)}
            time.sleep(pause)
            timed("lines", lambda: press(page, "Analyse"), ".analysis", PACE.pattern)
            press(page, "Stop")
            # the browser has all files for when there is no server
            page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
            page.evaluate(PASTE, GAME)
            page.evaluate(SHOWN, [".moves", f"{GAME.split()[-2]}$"])
            page.get_by_role("tab", name="Review", exact=True).click()
            begin = page.get_by_role("button", name="Review this game").click
            timed("review", begin, ".review .story", ".")
        finally:
            process.send_signal(signal.SIGINT)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path("build/page"))
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--web", action="store_true", help="the page of kr web")
    parser.add_argument("--checkout", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--pause", type=float, default=0)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    from playwright.sync_api import sync_playwright

    if chosen.web:
        with sync_playwright() as play, launched(play) as browser:
            web_figures = web(browser, chosen.checkout, chosen.pause)
        for name, numbers in web_figures.items() if not chosen.json else ():
            print(f"{name:8} " + ", ".join(f"{what} {number:.5g}" for what, number in numbers.items()))
        if chosen.json:
            print(json.dumps(web_figures))
        return
    if not (chosen.folder / "index.html").exists():
        sys.exit(f"kr: {chosen.folder} has no page: make page")
    if chromium() is None:
        sys.exit("kr: no browser: apt install chromium")
    address, sent = serve(chosen.folder)
    with sync_playwright() as play:
        browser = launched(play)
        empty = browser.new_page()
        time.sleep(1)
        before = memory()
        page, found = start(browser, address, sent, chosen.pause)
        empty.close()
        ratios: list[float] = []
        for _ in range(chosen.runs):
            own, native = page_speed(page, chosen.seconds), native_speed(chosen.seconds)
            ratios.append(own / native)
            print(f"{own / 1e6:.2f} M nodes/s in the page, {native / 1e6:.2f} here", file=sys.stderr)
        if ratios:
            found["ratio"] = statistics.median(ratios)
            time.sleep(SETTLED_SECONDS)
            found["memory"] = memory() - before
        if chosen.minutes:
            found["minutes"] = [each - before for each in long_analysis(page, chosen.minutes)]
        browser.close()
    if chosen.json:
        print(json.dumps(found))
        return
    board, moves, engine = (found[name] for name in ("board", "moves", "engine"))
    print(f"board {board:.2f} s, its moves {moves:.2f} s; lines {engine:.2f} s after Analyse")
    print(f"{found['processor']:.2f} s of the browser's processor time before the moves")
    whole, first = found["bytes"], found["bytes_before_moves"]
    print(f"{whole / 1e6:.1f} MB in all, {first / 1e3:.0f} kB before the moves, scripts not packed")
    if ratios:
        print(f"speed {found['ratio']:.2f} of kr's own; memory {found['memory']:.0f} MB more than an empty page")
    if chosen.minutes:
        print("memory by minutes: " + " ".join(f"{each:.0f}" for each in found["minutes"]))


if __name__ == "__main__":
    main()
