"""Archives that pages send to the explorer, piece by piece.

explorer/upload {"name", "size"} -> {"upload"}; then {"upload", "start", "data"} for each piece in base64;
explorer/add {"upload"} -> {"archive", "archives"}: the number of the archive, and all as `explorer/archives` has them;
explorer/cancel {"upload"}; explorer/keep {"archive"}: it stays when the server ends; explorer/remove {"archive"}.
"""

from __future__ import annotations

from typing import Any

from kr.web.archives.explorer import MOST_NUMBER, Explorer
from kr.web.archives.store import LARGEST_ARCHIVE
from kr.web.house import House
from kr.web.request import PageRequest

MOST_UPLOAD_SIZE = 1 << 50


def upload_archive(house: House, request: PageRequest) -> dict[str, Any]:
    """Begin an upload, or add a piece to one."""
    store = Explorer.of(house).store
    if not request.has("upload"):
        return {"upload": store.begin(request.text("name", 1000), request.number("size", 0, MOST_UPLOAD_SIZE))}
    id = request.text("upload")
    store.extend(id, request.number("start", 0, LARGEST_ARCHIVE), request.data())
    return {"upload": id}


def add(house: House, request: PageRequest) -> dict[str, Any]:
    """Make an archive of an upload."""
    explorer = Explorer.of(house)
    number = explorer.add(explorer.store.finish(request.text("upload")))
    return {"archive": number, **explorer.json()}


def cancel(house: House, request: PageRequest) -> dict[str, Any]:
    """Forget an upload."""
    Explorer.of(house).store.cancel(request.text("upload"))
    return {}


def keep(house: House, request: PageRequest) -> dict[str, Any]:
    """Have an archive stay when the server ends."""
    explorer = Explorer.of(house)
    explorer.keep(request.number("archive", 0, MOST_NUMBER))
    return explorer.json()


def remove(house: House, request: PageRequest) -> dict[str, Any]:
    """Remove an archive that a page has sent."""
    explorer = Explorer.of(house)
    explorer.remove(request.number("archive", 0, MOST_NUMBER))
    return explorer.json()


ROUTES = {
    "explorer/upload": upload_archive,
    "explorer/add": add,
    "explorer/cancel": cancel,
    "explorer/keep": keep,
    "explorer/remove": remove,
}
LIVE: dict[str, Any] = {}
