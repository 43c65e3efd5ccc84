"""Pages of the browser that one test uses after the other: an empty browser costs as much as most tests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

SPOILING = (
    "add_init_script", "add_locator_handler", "clock", "close", "context", "expose_binding", "expose_function", "on",
    "once", "set_extra_http_headers",
)  # fmt: skip
"""What changes a page, or its browser, beyond the next address, and can't be taken back."""
MEDIA = {"color_scheme": "light", "reduced_motion": "no-preference"}
"""What pages are told of their reader, unless the options of the browser context say something else."""

EMPTY = '<link rel="icon" href="data:,">'

Hear = Callable[[str, Any], None]
"""Called with "console", "pageerror" or "request", and what Playwright tells of that."""


@cache
def kept_type() -> type[Page]:
    """A page that knows whether a test has asked for something of SPOILING."""
    from playwright.sync_api import Page

    def spoils(name: str) -> property:
        def get(page: Any) -> Any:
            page.is_spoilt = True
            return getattr(super(kept, page), name)

        return property(get)

    kept = type("KeptPage", (Page,), {"is_spoilt": False, **{name: spoils(name) for name in SPOILING}})
    return kept


class KeptPages:
    """Hands out pages, each with a browser context of its own, and takes those back that are as good as new."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: defaultdict[str, list[tuple[BrowserContext, Page]]] = defaultdict(list)
        self._taken: dict[Page, tuple[dict[str, Any], BrowserContext]] = {}
        self._hear: dict[Page, Hear] = {}

    def take(self, hear: Hear, options: dict[str, Any], app: bool = False, empty: bool = False) -> Page:
        """A page. options: those of a browser context; app: the browser keeps the files of kr, as it does for people;
        empty: nothing is in its memory yet, as with app."""
        kind = repr(sorted(options.items()))
        if not (app or empty) and self._free[kind]:
            context, page = self._free[kind].pop()
        else:
            context, page = self._new(options, app)
        page.is_spoilt = app or empty  # type: ignore[attr-defined]
        self._taken[page] = options, context
        self._hear[page] = hear
        return page

    def _new(self, options: dict[str, Any], app: bool) -> tuple[BrowserContext, Page]:
        context = self._browser.new_context(**options)
        if not app:
            # to keep the files for one test alone would take as long as the test
            context.add_init_script("delete Navigator.prototype.serviceWorker")
        page = context.new_page()
        for name in ("console", "pageerror", "request"):
            page.on(name, lambda told, name=name: self._hear[page](name, told))  # type: ignore[call-overload]
        page.__class__ = kept_type()
        return context, page

    def give_back(self, page: Page, origins: Iterable[str], is_spoilt: bool = False) -> None:
        """Keep a page for another test without what it has stored away; one that is spoilt is closed."""
        options, context = self._taken.pop(page)
        if is_spoilt or page.is_spoilt:  # type: ignore[attr-defined]
            context.close()
            del self._hear[page]
            return
        # what has been told until now is heard; what follows is of no test
        page.evaluate("0")
        self._hear[page] = lambda name, told: None
        page.unroute_all()
        if page.url.startswith("file:"):
            page.evaluate("localStorage.clear(); sessionStorage.clear()")
            page.goto("about:blank")
        session = context.new_cdp_session(page)
        for origin in origins:
            # a page of this origin, though its server may have ended; its icon is asked of nobody, in the next test
            context.route(f"{origin}/**", lambda route: route.fulfill(body=EMPTY, content_type="text/html"))
            page.goto(f"{origin}/empty")
            context.unroute_all()
            page.evaluate("sessionStorage.clear()")
            session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        session.detach()
        # a page that is empty by now has nothing to draw anew
        page.mouse.move(0, 0)
        page.emulate_media(**{name: options.get(name, usual) for name, usual in MEDIA.items()})
        self._free[repr(sorted(options.items()))].append((context, page))
