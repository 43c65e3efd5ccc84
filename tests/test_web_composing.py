"""Problems under construction: the streams, and the editor of positions by clicks."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import pytest
from english import english
from web_pages import SIZES, Opener, faults_in, finished, in_view, type_fen, wait_for, wait_for_board, wait_until

from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.errors import KrError
from kr.game.position import Position
from kr.problems.problem import Problem
from kr.problems.soundness import check_problem
from kr.problems.variations import candidates, check_variation, goals_of
from kr.proofs.decider import Decider
from kr.web.house import House
from kr.web.request import PageRequest
from kr.web.serve import WebServer
from kr.web.services import composing
from kr.web.settings import WebSettings

if TYPE_CHECKING:
    from playwright.sync_api import Page


DUAL, SOUND, MANY = "W:W21,K30:B1,2", "B:WK8,30:BK21,22", Position().fen
VARIED = "B:W30:BK21,22"


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
@pytest.mark.parametrize(
    ("fen", "result", "strict"),
    [
        (DUAL, "", False),
        (DUAL, "win", True),
        (DUAL, "draw", False),
        (SOUND, "", False),
        (SOUND, "win", False),
        ("W:WK19,K23:B12,K28", "win", False),
        ("W:W21:B17,14", "", False),
    ],
)
def test_the_verdict_is_that_of_kr_problem_check(house: House, fen: str, result: str, strict: bool) -> None:
    position = Position.from_fen(fen)
    published = {"win": f"{fen[0]}-win"}.get(result, result)
    found = check_problem(
        Problem("", "", position, published), Engine(hash_mb=1, database=house.database), Limits(time=30), strict
    )
    told = events_of(composing.soundness, house, {"fen": fen, "result": result, "strict": strict, "seconds": 30})
    verdict = told[-1]["verdict"]
    assert [verdict[name] for name in ("verdict", "value", "number", "ended")] == [
        found.verdict, found.value, found.move_number, found.ended,
    ]  # fmt: skip
    assert english(verdict["by"]) == found.by
    assert [move["text"] for move in verdict["line"]] == found.line[: composing.LONGEST_SHOWN]
    assert [key["move"] for key in verdict["keys"]] == [key.move for key in found.keys]
    for move in verdict["line"]:
        position = position.play(move["text"])
        assert move["fen"] == position.fen
    assert {step["ply"] for step in verdict["steps"]} == {
        step.ply for step in found.steps if strict or not step.plain
    } & set(range(composing.LONGEST_SHOWN))
    claim = found.refutation
    assert verdict["refutation"] == (
        None if claim is None else {"side": claim.side.name.lower(), "goal": claim.goal.value}
    )


@pytest.mark.slow
def test_a_proof_tells_its_progress_and_what_is_open(house: House) -> None:
    *told, last = events_of(composing.soundness, house, {"fen": MANY, "seconds": 0.8})
    assert last["verdict"]["verdict"] == "undecided"
    assert [*told[0]] == ["progress"]
    nodes = [event["progress"]["nodes"] for event in told]
    assert nodes == sorted(nodes)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stream", "asked"),
    [
        (composing.soundness, {"fen": MANY, "seconds": 60}),
        (composing.variations, {"fen": MANY, "goal": "value", "seconds": 10}),
    ],
)
def test_a_page_that_leaves_ends_the_work(house: House, stream: Any, asked: dict[str, Any]) -> None:
    events_of(stream, house, asked, most=1)
    assert house.engines.own.lent == 0


@pytest.mark.slow
def test_variations_are_those_of_kr_problem_vary(house: House) -> None:
    asked = {"fen": VARIED, "goal": "value", "seconds": 10}
    first, *told, last = events_of(composing.variations, house, asked)
    engine = Engine(hash_mb=1, database=house.database)
    counts: Counter[str] = Counter()
    sound = set()
    wanted = list(candidates([Problem("", "", Position.from_fen(VARIED))]))
    for candidate in wanted:
        position = candidate.changed.position
        with Decider(engine, Limits(time=10)) as decider:
            found, _ = check_variation(position, goals_of("value"), decider)
        counts[found.verdict] += 1
        if found.verdict == "sound":
            sound.add((position.fen, found.keys[0].move))
    assert (first, last) == ({"total": len(wanted)}, {"ended": "all"})
    assert {(each["fen"], each["key"]) for event in told for each in event["found"]} == sound
    assert sound
    assert (told[-1]["done"], told[-1]["counts"]) == (len(wanted), counts)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "limit", "ended"), [("MOST_FOUND", 2, "most"), ("LONGEST_SECONDS", 0.0, "time")])
def test_variations_end(house: House, name: str, limit: float, ended: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(composing, name, limit)
    *told, last = events_of(composing.variations, house, {"fen": VARIED, "goal": "draw"})
    assert last == {"ended": ended}
    assert sum(len(event["found"]) for event in told[1:]) == (2 if ended == "most" else 0)


@pytest.mark.parametrize(
    ("stream", "asked", "message"),
    [
        (composing.soundness, {"fen": "W:W33:B1"}, "33"),
        (composing.soundness, {"fen": "W:W21:B"}, "a problem needs pieces of both sides"),
        (composing.soundness, {"fen": DUAL, "seconds": 61}, "seconds is not a number from 0.01 to 60"),
        (composing.variations, {"fen": DUAL, "goal": "mate"}, "goal: 'mate' is unknown; expected win, draw, value"),
        (composing.variations, {"fen": DUAL, "goal": "win", "changes": 3}, "changes is not a whole number from 1 to 2"),
        (composing.variations, {"fen": DUAL, "goal": "win", "seconds": 11}, "seconds is not a number from 0.01 to 10"),
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


def edit(page: Page, fen: str) -> None:
    type_fen(page, fen)
    wait_for_board(page, fen)
    assert not page.locator(".composing").is_visible()
    page.get_by_role("button", name="Place pieces").click()


def verdict_of(page: Page) -> str:
    return page.locator(".soundness").inner_text()


@pytest.mark.slow
@pytest.mark.parametrize("size", [pytest.param(SIZES[0], marks=pytest.mark.soak), SIZES[2]])
def test_a_problem_is_checked_and_varied_in_the_editor(server: WebServer, opened: Opener, size: dict[str, int]) -> None:
    page = opened(server.address, size, reduced_motion="reduce")
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
    page.get_by_label("FEN", exact=True).fill(VARIED)
    page.get_by_role("button", name="Set", exact=True).click()
    page.get_by_role("button", name="Place pieces").click()
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
    wait_for_board(page, VARIED)
    # leaving the editor ends it all
    page.get_by_role("button", name="Cancel", exact=True).click()
    assert not page.locator(".composing").is_visible()


@pytest.mark.slow
def test_leaving_the_editor_ends_its_streams(server: WebServer, opened: Opener) -> None:
    page = opened(server.address, reduced_motion="reduce")
    lent = lambda: server.house.engines.own.lent  # noqa: E731
    for name in ("Is it sound?", "Variations"):
        edit(page, MANY)
        page.get_by_role("button", name=name, exact=True).click()
        page.get_by_role("button", name="Stop", exact=True).wait_for()
        wait_for(page, lent)
        page.get_by_role("button", name="Cancel", exact=True).click()
        wait_for(page, lambda: not lent())
