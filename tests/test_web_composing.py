"""Problems under construction: the streams, and the editor of positions by clicks."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sites import EVERYWHERE, FORMS, address
from web_pages import Opener, faults_in, finished, in_view, type_fen, wait_for, wait_for_board, wait_until

from kr.errors import KrError
from kr.game.position import Position
from kr.web.house import House
from kr.web.request import PageRequest
from kr.web.serve import WebServer
from kr.web.services import composing
from kr.web.settings import WebSettings

if TYPE_CHECKING:
    from playwright.sync_api import Page


__all__ = ["address"]
DUAL, SOUND, MANY = "W:W21,K30:B1,2", "B:WK8,30:BK21,22", Position().fen
OPEN = "B:W18,24,27,28,K10,K15:B12,16,20,K22,K25"
CASES = json.loads(Path(__file__).with_name("cases").joinpath("soundness.json").read_text())
VARIED = json.loads(Path(__file__).with_name("cases").joinpath("variations.json").read_text())


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    made = House(WebSettings(hash=1 << 20, browser=False))
    yield made
    made.close()


def events_of(stream: Callable[..., Any], house: House, asked: dict[str, Any], most: int = 10_000) -> list[Any]:
    """Events of a stream, which is closed after `most`."""

    async def run() -> list[Any]:
        found = []
        async with aclosing(stream(house, PageRequest(asked), asyncio.Queue())) as events:
            async for event in events:
                found.append(event)
                if len(found) == most:
                    break
        return found

    return finished(run())


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_a_check_finds_is_what_the_page_takes(house: House, case: dict[str, Any]) -> None:
    """Recorded with the verdict that the page makes of it (tests/scripts/composing.test.js, test_page_composing.py)."""
    asked = {name: case[name] for name in ("fen", "result", "strict")}
    found = events_of(composing.check_problem, house, asked | {"seconds": 30})[-1]["found"]
    assert json.loads(json.dumps(found)) == case["found"] | {name: found[name] for name in ("nodes", "seconds")}


@pytest.mark.slow
def test_a_proof_tells_its_progress_and_what_is_open(house: House) -> None:
    *told, last = events_of(composing.check_problem, house, {"fen": MANY, "result": "", "seconds": 0.8})
    assert last["found"]["verdict"] == "undecided"
    assert last["found"]["limit"] == {"say": "limit.time", "with": {"time": "0.8 s"}}
    assert [*told[0]] == ["progress"]
    nodes = [event["progress"]["nodes"] for event in told]
    assert nodes == sorted(nodes)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stream", "asked"),
    [
        (composing.check_problem, {"fen": MANY, "result": "", "seconds": 60}),
        (composing.vary, {"fen": MANY, "goal": "value", "changes": 1, "seconds": 10}),
    ],
)
def test_a_page_that_leaves_ends_the_work(house: House, stream: Any, asked: dict[str, Any]) -> None:
    events_of(stream, house, asked, most=1)
    assert house.engines.own.lent == 0


@pytest.mark.slow
def test_variations_are_checked_as_they_are_recorded(house: House) -> None:
    asked = {"fen": VARIED["fen"], "goal": "value", "changes": 1, "seconds": 10}
    first, *told = events_of(composing.vary, house, asked)
    checked = [each for event in told for each in event["checked"]]
    counts = Counter(each["found"]["verdict"] for each in checked)
    assert (first, counts) == ({"total": VARIED["total"]}, VARIED["counts"])
    names = ("fen", "changes", "rank")
    found = [each for each in checked if each["found"]["verdict"] == "sound"]
    assert [{**{name: each[name] for name in names}, "key": each["found"]["keys"][0]["move"]} for each in found] == [
        {name: each[name] for name in (*names, "key")} for each in VARIED["found"]
    ]


@pytest.mark.parametrize(
    ("stream", "asked", "message"),
    [
        (composing.check_problem, {"fen": "W:W33:B1"}, "33"),
        (composing.check_problem, {"fen": "W:W21:B"}, "a problem needs pieces of both sides"),
        (
            composing.check_problem,
            {"fen": DUAL, "result": "win", "seconds": 61},
            "seconds is not a number from 0.01 to 60",
        ),
        (composing.vary, {"fen": DUAL, "goal": "mate"}, "goal is not one of win, draw, value"),
        (composing.vary, {"fen": DUAL, "goal": "win", "changes": 3}, "changes is not a whole number from 1 to 2"),
        (
            composing.vary,
            {"fen": DUAL, "goal": "win", "changes": 1, "seconds": 11},
            "seconds is not a number from 0.01 to 10",
        ),
    ],
)
def test_bad_requests(house: House, stream: Any, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(KrError) as error:
        events_of(stream, house, asked)
    assert message in str(error.value)
    assert house.engines.own.lent == 0


# the page

TOO_WIDE = """() => [...document.querySelectorAll(".composing, .composing *")].filter(each => {
  const {left, right} = each.getBoundingClientRect();
  return each.checkVisibility() && (left < -1 || right > innerWidth + 1);
}).map(each => each.outerHTML.slice(0, 80))"""


# moves of which a line ends at the hyphen
BROKEN = """() => [...document.querySelectorAll(".soundness p, .soundness button")].flatMap(each => {
  const walk = document.createTreeWalker(each, NodeFilter.SHOW_TEXT), broken = [];
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    for (const {index, 0: move} of node.data.matchAll(/\\d+-\\d+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + move.length);
      if (range.getClientRects().length > 1) broken.push(move);
    }
  }
  return broken;
})"""


def edit(page: Page, fen: str) -> None:
    type_fen(page, fen)
    wait_for_board(page, fen)
    assert not page.locator(".composing").is_visible()
    page.get_by_role("button", name="Place pieces").click()


def verdict_of(page: Page) -> str:
    return page.locator(".composing .soundness").inner_text()


@pytest.mark.slow
@pytest.mark.parametrize(("address", "size"), EVERYWHERE, indirect=["address"])
def test_a_problem_is_checked_in_the_editor(address: str, size: dict[str, int], opened: Opener) -> None:
    page = opened(address, size)
    edit(page, DUAL)
    page.get_by_role("button", name="Is it sound?").click()
    page.locator(".soundness h3").wait_for()
    told = verdict_of(page)
    assert told.startswith("Dual at move 9\n")
    assert "White wins, by the database." in told
    assert "Key: 30-26 (by the database)." in told
    assert "Move 9: 9-6, also 9-5 (by the database)." in told
    # its line on the board, and back
    page.get_by_role("button", name="Step on").click()
    wait_for_board(page, "B:W21,K26:B1,2")
    assert page.get_by_role("button", name="30-26*").get_attribute("aria-current") == "true"
    page.get_by_role("button", name="21-17", exact=True).click()
    wait_for_board(page, "B:W17,K26:B2,5")
    assert page.evaluate(TOO_WIDE) == []
    assert page.evaluate(BROKEN) == []
    page.get_by_role("button", name="Step back").click()
    page.get_by_role("button", name="Step back").click()
    page.get_by_role("button", name="Step back").click()
    wait_for_board(page, DUAL)
    assert page.get_by_role("button", name="Step back").is_disabled()
    # the published result decides, too
    page.get_by_text("Options", exact=True).last.click()
    page.get_by_label("Stipulation").select_option("draw")
    page.get_by_role("button", name="Is it sound?").click()
    wait_until(page, "() => document.querySelector('.soundness h3')?.textContent === 'Unsound'")
    assert "Refuted: White wins." in verdict_of(page)
    page.get_by_label("Stipulation").select_option("")
    # another position has another verdict
    page.get_by_label("Side to move").select_option("B")
    wait_until(page, "() => !document.querySelector('.soundness').textContent")
    # leaving the editor ends it all
    page.get_by_role("button", name="Cancel", exact=True).click()
    assert not page.locator(".composing").is_visible()


@pytest.mark.slow
@pytest.mark.parametrize("address", [FORMS[0], pytest.param(FORMS[1], marks=pytest.mark.soak)], indirect=True)
def test_a_check_tells_its_progress_and_stops(address: str, opened: Opener) -> None:
    page = opened(address)
    edit(page, OPEN)
    page.get_by_text("Options", exact=True).last.click()
    page.get_by_label("Time of the proof").select_option("60")
    page.get_by_role("button", name="Is it sound?").click()
    wait_until(page, "() => /million nodes/.test(document.querySelector('.composing .status-line').textContent)")
    page.get_by_role("button", name="Stop", exact=True).click()
    page.locator(".composing .status-line", has_text="Stopped.").wait_for()
    # the engine is there for the next one long before the time is over
    page.get_by_label("FEN", exact=True).fill(SOUND)
    page.get_by_role("button", name="Set", exact=True).click()
    page.get_by_role("button", name="Place pieces").click()
    page.get_by_role("button", name="Is it sound?").click()
    wait_until(page, "() => document.querySelector('.soundness h3')?.textContent === 'Sound'")


@pytest.mark.slow
@pytest.mark.parametrize(("address", "size"), EVERYWHERE, indirect=["address"])
def test_a_problem_is_varied_in_the_editor(address: str, size: dict[str, int], opened: Opener) -> None:
    page = opened(address, size)
    edit(page, VARIED["fen"])
    page.get_by_role("button", name="Variations", exact=True).click()
    wait_until(page, "() => /^185 of 185/.test(document.querySelector('.composing .status-line').textContent)")
    assert "9 kept" in page.locator(".composing .status-line").inner_text()
    first = page.locator(".variants li").first
    assert first.locator("b").inner_text() == "plus white king 8"
    assert page.locator(".variants li").count() == 9
    assert page.evaluate(TOO_WIDE) == []
    assert faults_in(page, ".panel.setup") == []
    first.get_by_role("button").click()
    wait_for_board(page, SOUND)
    assert page.get_by_label("FEN", exact=True).input_value() == SOUND
    page.get_by_role("button", name="Is it sound?").click()
    wait_until(page, "() => document.querySelector('.soundness h3')?.textContent === 'Sound'")
    assert in_view(page, ".soundness h3")
    page.get_by_role("button", name="Back to the position that is varied").click()
    wait_for_board(page, VARIED["fen"])


@pytest.mark.slow
def test_leaving_the_editor_ends_its_streams(server: WebServer, opened: Opener) -> None:
    page = opened(server.address)
    lent = lambda: server.house.engines.own.lent  # noqa: E731
    for name in ("Is it sound?", "Variations"):
        edit(page, MANY)
        page.get_by_role("button", name=name, exact=True).click()
        page.get_by_role("button", name="Stop", exact=True).wait_for()
        wait_for(page, lent)
        page.get_by_role("button", name="Cancel", exact=True).click()
        wait_for(page, lambda: not lent())
