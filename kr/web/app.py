"""The ASGI app of `kr web`: the page, its files, the requests and streams of all features."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import importlib
import inspect
import json
import re
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from types import ModuleType
from typing import Any

import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from kr.errors import InvalidSettingError, KrError
from kr.language.sentences import Told, as_json, sentence
from kr.page.files import PageFiles, content_digest, index
from kr.web.entry import Entry
from kr.web.guard import Guard
from kr.web.house import House
from kr.web.live import BROKEN, Connection, Stream, error_told
from kr.web.request import PageRequest

FEATURES: Mapping[str, tuple[str, ...]] = {
    "services.port": ("port", "search"),
    "services.files": ("port", "file"),
    "services.building": ("build",),
    "matches.requests": ("match",),
    "runs.watching": ("runs", "run"),
    "services.proofs": ("checking", "proving"),
    "archives.explorer": ("explorer",),
    "archives.uploads": ("explorer",),
    "services.composing": ("problem", "varying"),
}
"""Modules with ROUTES and LIVE, and with what the names there begin. Each is imported when it is first asked for."""
MOST_BODY = 4 << 20
"""Bytes of a request."""
BODY_SECONDS = 20.0
"""Time in which a request must have arrived."""
CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml", ".json": "application/json", ".webmanifest": "application/manifest+json",
    ".png": "image/png",
}  # fmt: skip

_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|\s|$))")

Handler = Callable[[House, PageRequest], Any]


def make_app(house: House, page: PageFiles, host: str, port: int, entry: Entry | None = None) -> ASGIApp:
    """The app for an address to listen on. page: what it serves; entry: None if all who can connect may ask."""

    async def live(socket: WebSocket) -> None:
        await Connection(house, socket, stream_of).serve()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await anyio.to_thread.run_sync(house.close)

    site = _site(page)
    app = Starlette(
        routes=[
            Route("/", partial(_page, house, site), methods=["GET"]),
            Route("/static/{path:path}", partial(_static, site), methods=["GET"]),
            Route("/worker.js", partial(_worker, site), methods=["GET"]),
            Route("/data/{name}.json", partial(_data, house), methods=["GET"]),
            Route("/api/{name:path}", partial(_answer, house), methods=["POST"]),
            WebSocketRoute("/live", live),
        ],
        exception_handlers={HTTPException: _failed, Exception: _broken},
        lifespan=lifespan,
    )
    return Guard(app, host, port, entry)


def route_of(name: str) -> Handler | None:
    """What answers a request; None if nothing does."""
    return _found("ROUTES", name)


def stream_of(name: str) -> Stream | None:
    """What answers a stream; None if nothing does."""
    return _found("LIVE", name)


def _found(table: str, name: str) -> Any:
    kind = name.partition("/")[0]
    features = (_feature(module) for module, kinds in FEATURES.items() if kind in kinds)
    return next((names[name] for each in features if name in (names := getattr(each, table))), None)


@cache
def _feature(module: str) -> ModuleType:
    return importlib.import_module(f"kr.web.{module}")


@dataclass(frozen=True)
class _Site:
    """What a page gets of its own. All is in memory: no path opens a file.

    It asks for its files by paths that hold their version, /static/VERSION/main.js: so a page, its scripts and those
    that it fetches later are of one version, and browsers may keep them. /static/main.js is the module as it stands.
    """

    version: str
    html: bytes
    worker: bytes
    """The service worker."""
    kept: Collection[str]
    """The files of this version, which a browser keeps."""
    files: Mapping[str, bytes]


def _site(page: PageFiles) -> _Site:
    files = {name: content for name, content in page.files.items() if name not in ("index.html", "worker.js")}

    def html(version: str) -> bytes:
        return index(f"/static/{version}/", page.sheets, page.scripts, version).encode()

    version = content_digest({**page.files, "index.html": html("")})[:12]
    served = {f"{version}/{name}": content for name, content in files.items()}
    return _Site(version, html(version), page.files["worker.js"], served, {**page.sources, **served})


async def _page(house: House, site: _Site, request: Request) -> Response:
    house.visited.set()
    return await _file(site.html, ".html", request)


async def _static(site: _Site, request: Request) -> Response:
    path = request.path_params["path"]
    if path not in site.files:
        raise HTTPException(404)
    answer = await _file(site.files[path], path[path.rfind(".") :], request)
    if path in site.kept:
        # the address names the version
        answer.headers["cache-control"] = "max-age=31536000, immutable"
    return answer


async def _worker(site: _Site, request: Request) -> Response:
    """The service worker, and what it is to keep."""
    names = await anyio.to_thread.run_sync(_data_names)
    shell = {
        "build": site.version,
        "files": {"./": "", **{f"static/{name}": "" for name in sorted(site.kept)}},
        "large": [],
        "data": [f"data/{name}.json" for name in names],
    }
    return await _file(f"globalThis.SHELL = {json.dumps(shell)};\n".encode() + site.worker, ".js", request)


def _data_names() -> list[str]:
    from kr.page.data import DATA

    return [*DATA]


async def _data(house: House, request: Request) -> Response:
    """Data of the page, which may depend on the settings, so that the newest is asked for first."""
    from kr.web.services.port import data_file

    name = request.path_params["name"]
    if name not in await anyio.to_thread.run_sync(_data_names):
        raise HTTPException(404)
    try:
        content = await anyio.to_thread.run_sync(data_file, house, name)
    except (KrError, OSError) as error:
        return _error(400, error_told(error))
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return await _file(text.encode(), ".json", request)


async def _file(content: bytes, suffix: str, request: Request) -> Response:
    packs = suffix != ".png" and bool(_GZIP.search(request.headers.get("accept-encoding", "")))
    tag = f'"{hashlib.sha256(content).hexdigest()[:24]}{"-gzip" if packs else ""}"'
    headers = {"etag": tag, "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    if packs:
        content, headers["content-encoding"] = _packed(content), "gzip"
    return Response(content, media_type=CONTENT_TYPES[suffix], headers=headers)


@lru_cache(1000)
def _packed(content: bytes) -> bytes:
    return gzip.compress(content, 6, mtime=0)


async def _answer(house: House, request: Request) -> Response:
    """Answer a request: JSON in, JSON out; a short error for a bad one."""
    handler = await anyio.to_thread.run_sync(route_of, request.path_params["name"])
    if handler is None:
        raise HTTPException(404)
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return _error(415, sentence("refused.no_json_type"))
    try:
        async with asyncio.timeout(BODY_SECONDS):
            body = await _body(request)
        page_request = PageRequest(_read_json(body))
        if inspect.iscoroutinefunction(handler):
            answer = await handler(house, page_request)
        else:
            # a server that stops does not wait for a text that takes minutes to read
            answer = await anyio.to_thread.run_sync(_worked, handler, house, page_request, abandon_on_cancel=True)
        return JSONResponse(answer)
    except HTTPException as error:
        return _error(error.status_code, sentence("refused.too_large", most=MOST_BODY >> 20))
    except TimeoutError:
        return _error(408, sentence("refused.slow"))
    except ClientDisconnect:
        return _error(400, sentence("refused.lost"))
    except (KrError, OSError) as error:
        return _error(400, error_told(error))


def _read_json(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise InvalidSettingError(sentence("refused.not_json")) from None


def _worked(handler: Handler, house: House, request: PageRequest) -> Any:
    with house.at_work():
        return handler(house, request)


async def _body(request: Request) -> bytes:
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > MOST_BODY:
            raise HTTPException(413)
    return bytes(content)


def _error(status: int, why: Told) -> Response:
    return JSONResponse({"error": as_json(why)}, status)


_REFUSED = {404: sentence("refused.no_page"), 405: sentence("refused.wrong_method")}


async def _failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _error(error.status_code, _REFUSED.get(error.status_code, BROKEN))


async def _broken(request: Request, error: Exception) -> Response:
    return _error(500, BROKEN)
