"""A host of the built page, for tests: plain files below a folder, which can be cut off, damaged or sent in part."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from library import ROOT
from page import is_older, made
from web_pages import ENDED

from kr.errors import OutputBusyError
from kr.storage import lock

BUILD = ROOT / "packaging" / "page" / "build_page.py"
BUNDLE = ROOT / "packaging" / "page" / "bundle.py"
LIBRARY = ("build/library-wasm/kr.wasm", "build/library-wasm/kr.krt")
"""What the page has of it: the rest is written anew each time."""
MADE_OF = ("kr/page", "kr/viewer", "packaging/page", *LIBRARY, "build/page-data", "egdb", "books")
FOLDER = "/games/kr/"
"""Where the page lies: a host has other things too."""


def needs_esbuild() -> None:
    """Leave a test out where scripts can't be bundled."""
    if not (ROOT / "node_modules" / ".bin" / "esbuild").exists() or not shutil.which("node"):
        assert not os.environ.get("CI"), "esbuild is missing: npm ci"
        pytest.skip("esbuild is missing: npm ci")


def bundled(out: Path) -> Path:
    """A folder with the scripts of kr web, bundled."""
    needs_esbuild()
    subprocess.run([sys.executable, BUNDLE, "--out", out], check=True)
    return out


@cache
def built() -> Path:
    """The folder of the page, which is built."""
    needs_esbuild()
    made()
    out = ROOT / "build" / "page-tests"
    out.mkdir(parents=True, exist_ok=True)
    while True:
        with suppress(OutputBusyError), lock(out):
            if is_older(out / "done", *MADE_OF):
                subprocess.run([sys.executable, BUILD, "--out", out / "page"], check=True)
                (out / "done").touch()
            return out / "page"
        time.sleep(0.2)


class Host:
    """A server of the page. faults: by the beginning of a file's name what is wrong with it: "damaged", "half" or
    "missing"; before: what each script begins with; asked: names of the files that were asked for."""

    def __init__(self, port: int = 0) -> None:
        self.faults: dict[str, str] = {}
        self.before = b""
        self.asked: list[str] = []
        host, page = self, built()

        class Handler(SimpleHTTPRequestHandler):
            def do_GET(self) -> None:
                name = self.path.removeprefix(FOLDER).partition("?")[0]
                host.asked.append(name)
                path = page / (name or "index.html")
                fault = next((fault for start, fault in host.faults.items() if name.startswith(start)), "")
                if not self.path.startswith(FOLDER) or not path.is_file() or fault == "missing":
                    self.send_error(404)
                    return
                content = bytearray(path.read_bytes())
                if fault == "damaged":
                    content[len(content) // 2] ^= 1
                if path.suffix == ".js":
                    content = bytearray(host.before) + content
                self.send_response(200)
                self.send_header("content-type", self.guess_type(str(path)))
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                if fault == "half":
                    # the connection ends in the middle
                    del content[len(content) // 2 :]
                    self.close_connection = True
                with suppress(OSError):
                    self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self.address = f"http://127.0.0.1:{self.port}{FOLDER}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Answer no more."""
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def hosting(port: int = 0) -> Iterator[Host]:
    """A host for a test."""
    host = Host(port)
    try:
        yield host
    finally:
        ENDED.add(f"127.0.0.1:{host.port}/")
        host.close()
