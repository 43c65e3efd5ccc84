"""Checks the kr that this Python has installed: python packaging/check.py

Wheels are tested by it, on each system. The search, the shipped database, the command and, with the extra `web`, the
page must give what they give elsewhere; the first that doesn't ends the check with exit code 1.
"""

import json
import platform
import subprocess
import sys
import sysconfig
import urllib.request
from importlib.util import find_spec
from pathlib import Path

SIGNATURE = 15075549
"""Nodes of `kr bench`, on every machine."""

PROBES = {
    # the longest win of 4 pieces, and one of 5, whose length is not stored
    "B:W29,30:B2,15": ("win", 109),
    "W:WK18,K22:B1,2,K29": ("loss", None),
}
"""Value and distance of positions in the shipped database."""

KR = Path(sysconfig.get_path("scripts"), "kr")


def answer(*words: str) -> dict[str, object]:
    """What a command answers with --json."""
    process = subprocess.run([KR, *words, "--json"], stdout=subprocess.PIPE, check=True)
    reply: dict[str, object] = json.loads(process.stdout)
    return reply


def same(what: str, result: object, expected: object) -> None:
    """Show what was found; end if it is not what is wanted."""
    print(f"{what}: {result}", flush=True)
    if result != expected:
        sys.exit(f"kr: {what}: expected {expected}, found {result}")


def page() -> str:
    """The page's title, from a server of its own."""
    # the address gives a cookie; no proxy reaches this machine's own servers
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(), urllib.request.ProxyHandler({}))
    server = subprocess.Popen([KR, "web", "--no-browser"], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        address = server.stdout.readline().split()[-1]
        with browser.open(address, timeout=30) as reply:
            text: str = reply.read().decode()
    finally:
        server.terminate()
        server.wait(30)
    return text.partition("<title>")[2].partition("</title>")[0]


def main() -> None:
    import kr

    print(f"kr {kr.__version__} in {Path(kr.__file__).parent}")
    print(f"Python {platform.python_version()} on {sysconfig.get_platform()}", flush=True)
    version = subprocess.run([KR, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    same("kr --version", version.strip(), f"kr {kr.__version__}")
    same("signature", answer("bench", "--quiet")["signature"], SIGNATURE)
    for fen, expected in PROBES.items():
        reply = answer("egdb", "probe", fen)
        same(fen, (reply["value"], reply["distance"]), expected)
    if find_spec("starlette"):
        same("title of the page", page(), "kr: English draughts")


if __name__ == "__main__":
    main()
