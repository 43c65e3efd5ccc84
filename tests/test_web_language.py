"""The page in another language: no English is left on any page, and everything fits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sites import FORMS, site
from tree_pages import CLIPBOARD, opens
from web_pages import SIZES, Opener, serving, wait_until

import kr
from kr.analysis.annotation.annotation import annotate
from kr.analysis.annotation.judging import JudgeSettings
from kr.language.sentences import languages
from kr.learn.selfplay import SelfplaySettings, selfplay
from kr.match.match import play_match
from kr.match.settings import MatchSettings
from kr.openings.lines import named_lines
from kr.pdn import read_game
from kr.policy.policy import load_policy
from kr.problems.shelf import Origin, PuzzleShelf
from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytestmark = pytest.mark.slow

ITALIAN = {"locale": "it-IT"}
LOST = "1. 11-15 24-20 2. 8-11 28-24 3. 9-13 22-18 4. 15x22 25x18 5. 3-8 20-16 6. 12x28 23-19 1-0"
ARCHIVE = '[Event "Glasgow"]\n[Date "1901"]\n[Black "Ann"]\n[White "Bob"]\n1. 9-13 22-18 2. 11-15 18x11 0-1\n'

VISIBLE = """() => {
  const texts = [document.title];
  for (const each of document.querySelectorAll("body *")) {
    if (/^(SCRIPT|NOSCRIPT)$/.test(each.tagName) || !each.checkVisibility() && each.tagName !== "OPTION") continue;
    for (const name of ["aria-label", "title", "placeholder"]) texts.push(each.getAttribute(name) ?? "");
    for (const node of each.childNodes) if (node.nodeType === Node.TEXT_NODE) texts.push(node.data);
  }
  return [...new Set(texts.map(text => text.trim()).filter(text => /[a-z]{2}/i.test(text)))];
}"""

MARK = "\u034f"
"""A character without a width round what stands in a language's file, but not round the values in its places."""
MARKED = """
export default Object.fromEntries(Object.entries(plain).map(([key, text]) => {
  const forms = text.split("|").map(form => `MARK${form.replace(/\\{\\w+\\}/g, "MARK$&MARK")}MARK`);
  return [key, forms.join("|")];
}));""".replace("MARK", MARK)
# what is wider than the window or than its own frame, apart from what only screen readers tell
TOO_WIDE = """() => {
  const wide = [], {clientWidth} = document.documentElement;
  if (document.documentElement.scrollWidth > clientWidth) wide.push("the document");
  for (const each of document.querySelectorAll("button, a, [role=tab], h2, legend, .name")) {
    if (!each.checkVisibility() || each.closest(".unseen, .skip") || !each.clientWidth) continue;
    const {left, right} = each.getBoundingClientRect();
    if (each.scrollWidth > each.clientWidth + 1 || right > clientWidth + 1 || left < -1) wide.push(each.textContent);
  }
  return wide;
}"""

PLAIN = re.compile(f"{MARK}[^{MARK}]*{MARK}")
NAMES = re.compile(
    "|".join(
        [
            # comments and settings as files and commands have them
            r"kr \S+ \([^)]*\)",
            r"kr -.*",
            re.escape(kr.__version__),
            r"runs/\S+",
            r"\d+ \w+ \d{4}",
            r"3move|11man|prime\.pdn|Annotator|manual|material",
            "Home|Ctrl|Tab|Esc|FEN|PDN|UTC|Elo|LLR|nodes=20|shipped|Ann|Bob|Glasgow",
            *map(re.escape, languages().values()),
            *map(
                re.escape,
                sorted({name for line in named_lines() for name in (line.name, *line.spellings)}, reverse=True),
            ),
            *(each.id for each in PuzzleShelf().of(Origin.COLLECTION)),
        ]
    )
)
"""What has the same name in each language."""


def told(text: str) -> str:
    """A text of the language's file, as it is marked."""
    return f"{MARK}{text}{MARK}"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    directory = tmp_path_factory.mktemp("language")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(directory))
        archive = directory / "prime.pdn"
        archive.write_text(ARCHIVE)
        runs = directory / "runs"
        selfplay(SelfplaySettings(games=8, nodes=20, weights="material", workers=1, hash=1 << 16, out=runs / "games"))
        match = MatchSettings(
            a="material", b="manual", games=4, tc=kr.Limits(nodes=20), workers=1, hash=1 << 20, egdb="none",
            sprt=(0.0, 10.0),
        )  # fmt: skip
        play_match(replace(match, pdn=runs / "match.pdn"))
        with serving(archive=(archive,), runs=(runs,), weights="manual") as server:
            yield server


@pytest.fixture(scope="module")
def reviewed() -> str:
    """A game with all kinds of words by kr."""
    game = read_game(f'[Black "Ann"]\n[White "Bob"]\n[Result "1-0"]\n\n{LOST}\n')
    assert game is not None
    settings = JudgeSettings(tc=kr.Limits(nodes=3000), from_ply=0)
    annotate(game, kr.Engine("manual", hash_mb=1), settings, policy=load_policy())
    return str(game)


def mark(page: Page) -> None:
    """Have each text that goes through the language's file marked."""

    def answer(route: Route) -> None:
        source = route.fetch().text().replace("export default", "const plain =")
        # as the page without a server has it
        source = re.sub(r"export\{(\w+) as default\};?", r"const plain=\1;", source)
        route.fulfill(body=source + MARKED, content_type="text/javascript")

    page.route(re.compile(r"/it(-\w+)?\.js$"), answer)


def untold(page: Page) -> list[str]:
    """What the page tells, and none of it from the language's file: not a name either."""
    return [text for text in page.evaluate(VISIBLE) if re.search("[A-Za-z]{3}", NAMES.sub("", PLAIN.sub("", text)))]


@pytest.fixture
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    """Address of the page in one form, of kr web with archives and runs."""
    if request.param == FORMS[0]:
        yield request.getfixturevalue("server").address
    else:
        with site(request.param) as address:
            yield address


@pytest.mark.parametrize(
    ("address", "size"),
    [
        (FORMS[0], SIZES[2]),
        pytest.param(FORMS[0], SIZES[0], marks=pytest.mark.soak),
        pytest.param(FORMS[1], SIZES[0], marks=pytest.mark.soak),
    ],
    indirect=["address"],
    ids=lambda each: each if isinstance(each, str) else str(each["width"]),
)
def test_no_page_has_english_texts(address: str, opened: Opener, reviewed: str, size: dict[str, int]) -> None:
    page = opened(address, size, before=mark, **ITALIAN, **CLIPBOARD)

    def check() -> None:
        assert untold(page) == []
        assert page.evaluate(TOO_WIDE) == []

    def check_menu(name: str) -> None:
        page.get_by_role("button", name=told(name), exact=True).last.click()
        # its script comes when it is asked for
        if name == "Impostazioni":
            page.locator("dialog[open]").wait_for()
        check()
        page.keyboard.press("Escape")

    def check_tabs(known: dict[str, str]) -> None:
        for name in page.evaluate("() => [...document.querySelectorAll('[role=tab]')].map(each => each.classList[1])"):
            if page.locator(f".{name}").is_visible():
                page.locator(f".{name}").click()
                page.locator(known.get(name, "main")).first.wait_for()
                page.evaluate("() => { for (const each of document.querySelectorAll('details')) each.open = true; }")
                check()

    assert page.locator("html").get_attribute("lang") == "it"
    opens(page, reviewed)
    page.locator(".analysis .go").click()
    wait_until(page, "() => document.querySelectorAll('.lines li:not([hidden]) .score').length > 0")
    page.locator(".analysis .go").click()
    page.keyboard.press("n")
    check()
    check_tabs({"tab-explorer": ".explorer tbody tr, .explorer .unplayed", "tab-people": ".people tbody tr"})
    for name in ("Altro", "Invia", "Imposta posizione", "Impostazioni"):
        check_menu(name)
    page.keyboard.press("?")
    page.locator("dialog[open]").wait_for()
    check()
    page.keyboard.press("Escape")
    for name in ("learn/first-position", "endings"):
        page.evaluate("name => { location.hash = name; }", name)
        page.locator(f".screen.{name.partition('/')[0]} .board .movable").first.wait_for()
        check_tabs({})
    page.evaluate("() => { location.hash = 'play'; }")
    for mode in page.locator(".modes label").all()[::-1]:
        mode.click()
        check()
    check_menu("Regole")
    page.locator("form summary").click()
    check()
    page.get_by_role("button", name=told("Gioca"), exact=True).click()
    page.locator(".screen.play .board .movable").first.wait_for()
    # a refusal, and a draw that is declined
    for square in (1, 5):
        page.locator(f"main .board .grid [data-square='{square}']").click()
    check()
    page.get_by_role("button", name=told("Proponi patta"), exact=True).click()
    wait_until(page, "() => document.querySelector('.saying .note').textContent")
    check()


def test_a_phone_has_all_of_what_people_play(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, {"width": 360, "height": 844}, **ITALIAN)
    page.get_by_role("tab", name="Umani", exact=True).click()
    sentence = page.locator(".people .head > p")
    sentence.get_by_text(re.compile(r"^Qui \d+ su 100 giocano 11-15\.$")).wait_for()
    shown, needed, height = sentence.evaluate("({clientWidth, scrollWidth, clientHeight: high}) => "
                                              "[clientWidth, scrollWidth, high]")  # fmt: skip
    assert needed <= shown
    # in one line, as the pages' names
    assert height < 35
    assert len({link.bounding_box()["y"] for link in page.locator("nav a").all()}) == 1  # type: ignore[index]


def test_runs_are_told_in_the_language(server: WebServer, opened: Opener) -> None:
    page = opened(server.address + "#runs", SIZES[2], before=mark, **ITALIAN)
    page.locator(".run-list a").first.wait_for()
    for number in range(page.locator(".run-list a").count()):
        page.evaluate("number => document.querySelectorAll('.run-list a')[number].click()", number)
        page.locator(".run-facts dt").first.wait_for()
        wait_until(page, "() => document.querySelectorAll('.runs figcaption').length > 1")
        assert untold(page) == []
        assert page.evaluate(TOO_WIDE) == []
        page.evaluate("() => history.back()")
        page.locator(".one").wait_for(state="hidden")


def test_the_language_is_that_of_the_browser_or_of_the_choice(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, **ITALIAN)
    assert page.title() == "Analisi · kr"
    # what the page's own answers refuse
    page.evaluate("location.hash = 'learn/none'")
    page.get_by_text("non esiste il problema 'none'").first.wait_for()
    page.get_by_role("button", name="Impostazioni").click()
    with page.expect_navigation():
        page.get_by_text("English", exact=True).click()
    page.get_by_role("link", name="Analyse").wait_for()
    assert page.locator("html").get_attribute("lang") == "en"
    # one that there isn't
    page = opened(server.address, locale="de-DE")
    page.get_by_role("link", name="Analyse").wait_for()


@pytest.mark.soak
def test_the_page_that_is_sent_is_in_the_language(
    server: WebServer, opened: Opener, reviewed: str, tmp_path: Path
) -> None:
    page = opened(server.address, before=mark, **ITALIAN, **CLIPBOARD)
    opens(page, reviewed)
    with page.expect_download() as download:
        page.get_by_role("button", name=told("Invia"), exact=True).click()
        page.get_by_role("menuitem", name="Invia come pagina").click()
    path = tmp_path / "sent.html"
    download.value.save_as(path)
    for size in (SIZES[0], SIZES[2]):
        page = opened(path.as_uri(), size)
        for tab in page.get_by_role("tab").all():
            if tab.is_visible():
                tab.click()
            assert untold(page) == []
            assert page.evaluate(TOO_WIDE) == []
        page.get_by_role("button", name="Segno successivo").click()
        assert f"si aspetta {MARK}0," in page.locator(".said").inner_text()
        assert untold(page) == []
