"""Engines of kr web: who gets one when, and when they are made and closed."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from web_pages import finished

from kr.engine.engine import Engine
from kr.errors import InvalidSettingError
from kr.protocols.hub_client import HubClient
from kr.web.house import House
from kr.web.request import PageRequest
from kr.web.services import engines
from kr.web.services.engines import MOST_OF_A_VIEWER, Lender
from kr.web.services.port import _lender
from kr.web.settings import WebSettings


class Tool:
    """Something to lend that knows whether it was closed."""

    def __init__(self) -> None:
        self.closed = threading.Event()


def lender(most: int = 2, **others: Any) -> Lender[Tool]:
    return Lender(Tool, lambda tool: tool.closed.set(), most, **others)


def test_tools_are_lent_again_and_bounded() -> None:
    tools = lender()
    with tools.ask() as first, tools.ask() as second:
        one, two = first.wait(1), second.wait(1)
        assert one is not two
        third = tools.ask()
        assert third.waits
        with pytest.raises(InvalidSettingError, match="all engines are busy"):
            third.wait(0.001)
    assert third.wait(1) in (one, two)
    third.end()
    assert (tools.lent, tools.idle) == (0, 2)


def test_who_has_least_goes_first() -> None:
    tools = lender(2)
    first, second = tools.ask("a"), tools.ask("a")
    waiting = [tools.ask(name) for name in ("a", "b", "c")]
    first.end()
    assert [loan.waits for loan in waiting] == [True, False, True]
    second.end()
    assert [loan.waits for loan in waiting] == [False, False, True]


def test_a_viewer_has_a_few() -> None:
    tools = lender(9)
    held = [tools.ask("a") for _ in range(3)]
    with pytest.raises(InvalidSettingError, match="3 searches under way"):
        tools.ask("a")
    tools.ask("b").end()
    # one that is about to end counts no more, and its successor waits for its tool
    held[1].wait(1)
    held[1].ending = True
    after = tools.ask("a")
    assert not after.turn.done()
    assert not after.waits
    held[1].end()
    assert after.wait(1) is held[1].tool


def test_a_viewer_gets_the_same_tool_back() -> None:
    tools = lender(2)
    with tools.ask("a") as a, tools.ask("b") as b:
        had = {"a": a.wait(1), "b": b.wait(1)}
    for name in "abba":
        with tools.ask(name) as loan:
            assert loan.wait(1) is had[name]


def test_who_leaves_the_queue_is_forgotten() -> None:
    tools = lender(1)
    first, second, third = tools.ask(), tools.ask(), tools.ask()
    first.wait(1)
    second.end()
    first.end()
    assert third.wait(1) is first.tool


def test_what_is_broken_is_not_lent_again() -> None:
    tools = lender(1)
    with tools.ask() as loan:
        tool = loan.wait(1)
        loan.broken = True
    assert tool.closed.is_set()
    with tools.ask() as loan:
        assert loan.wait(1) is not tool


def test_idle_tools_are_closed_but_the_kept_one() -> None:
    kept = Tool()
    tools = lender(3, permanent=kept, idle_seconds=0.01)
    with tools.ask() as first, tools.ask() as second:
        assert first.wait(1) is kept
        other = second.wait(1)
    assert other.closed.wait(60)
    assert not kept.closed.is_set()
    assert tools.idle == 1


def test_a_tool_that_is_made_later_can_be_kept() -> None:
    tools = lender(3, idle_seconds=0.01)
    with tools.ask() as first, tools.ask() as second:
        kept, other = first.wait(1), second.wait(1)
        tools.keep(kept)
    assert other.closed.wait(60)
    assert not kept.closed.is_set()
    with tools.ask() as again:
        assert again.wait(1) is kept


def test_the_first_engine_is_made_when_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[str | None, float]] = []

    class Counted(Engine):
        def __init__(self, weights: str | None, hash_mb: float, *others: Any) -> None:
            made.append((weights, hash_mb))
            super().__init__("manual", 1)

    monkeypatch.setattr(engines, "Engine", Counted)
    unchosen = engines.Engines(WebSettings(browser=False), None)
    assert (made, unchosen.names) == ([], ["kr (shipped)"])
    unchosen.prepare()
    with unchosen.own.ask() as first, unchosen.own.ask() as second:
        assert first.wait(5) is not second.wait(5)
    assert made == [(None, 64), (None, 16)]
    # what a person has chosen is checked at once
    made.clear()
    assert engines.Engines(WebSettings(browser=False, weights="manual"), None).names == ["kr (manual)"]
    assert made == [("manual", 64)]


def test_the_background_takes_nothing_from_a_page() -> None:
    house = House(WebSettings(browser=False, weights="manual"))
    try:
        lenders = [
            finished(_lender(house, PageRequest({"background": True, "small": small}))) for small in (False, True)
        ]
        assert lenders == [house.engines.background, house.engines.small(True)]
        with house.engines.background.ask("page") as loan:
            engine = loan.wait(5)
            own = [house.engines.own.ask("page") for _ in range(MOST_OF_A_VIEWER)]
            # neither a place nor the memory of what the page has analysed
            assert all(each.wait(5) is not engine for each in own)
            for each in own:
                each.end()
    finally:
        house.close()


def test_a_tool_that_is_made_too_late_is_closed() -> None:
    made = Tool()
    tools = Lender(lambda: made, lambda tool: tool.closed.set(), 1)
    loan = tools.ask()
    loan.end()
    with pytest.raises(InvalidSettingError, match="stopped"):
        tools.fill(loan)
    assert made.closed.is_set()
    assert tools.lent == 0


def test_closing_ends_what_is_idle_and_what_comes_back() -> None:
    tools = lender(2)
    first, second = tools.ask(), tools.ask()
    one, two = first.wait(1), second.wait(1)
    first.end()
    tools.close()
    assert one.closed.is_set()
    assert not two.closed.is_set()
    second.end()
    assert two.closed.is_set()
    with pytest.raises(InvalidSettingError, match="stopping"):
        tools.ask()


def test_one_that_can_not_be_made_leaves_room() -> None:
    def fail() -> HubClient:
        raise InvalidSettingError("no such engine")

    tools = Lender(fail, HubClient.close, 1)
    for _ in range(3):
        with tools.ask() as loan, pytest.raises(InvalidSettingError, match="no such engine"):
            loan.wait(1)
    assert tools.lent == 0
