"""Searches that pages watch: what the stream tells, and who gets an engine when."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

import pytest
from systems import CRASHED
from web_pages import finished

from kr.egdb.probe import probe
from kr.engine.database import load_database
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.result import Info
from kr.errors import InvalidSettingError, KrError
from kr.game.position import Position
from kr.protocols.hub_client import HubClient
from kr.system import join_command
from kr.web import engines
from kr.web.engines import SEARCH_NICENESS, Lender
from kr.web.house import House
from kr.web.live import viewer
from kr.web.request import PageRequest
from kr.web.searches import LONGEST_PV, analysis, list_engines
from kr.web.searching import UPDATES, OwnSearch
from kr.web.settings import WebSettings

START = Position().fen
FAULTY = Path(__file__).parent / "hub_engines" / "faulty.py"
KR_HUB = f"hub:{sys.executable} -m kr hub --weights material --hash 1MB --egdb none"


def faulty(fault: str) -> str:
    """An engine with a fault of its own."""
    return f"hub:{join_command([sys.executable, '-IS', str(FAULTY), fault])}"


def at_home(told: Callable[[House], Awaitable[None]], **settings: Any) -> None:
    """Run a story with the House of a server."""

    async def run() -> None:
        given = {"browser": False, "weights": "material", "egdb": "none", "hash": 1 << 20, **settings}
        house = House(WebSettings(**given))
        try:
            await told(house)
        finally:
            house.close()

    finished(run())


async def events(house: House, **asked: Any) -> list[dict[str, Any]]:
    """All events of a search that ends by itself."""
    stream = analysis(house, PageRequest({"start": START, **asked}), asyncio.Queue())
    return [event async for event in stream]


def lines_of(events: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The lines of each event, with the moves that were told before."""
    told: list[list[dict[str, Any]]] = []
    for event in events:
        if "lines" in event:
            before = told[-1] if told else []
            told.append([{**(before[i] if i < len(before) else {}), **line} for i, line in enumerate(event["lines"])])
    return told


async def until(true: Callable[[], bool]) -> None:
    """Wait for something that another thread brings about."""
    async with asyncio.timeout(20):
        while not true():
            await asyncio.sleep(0.001)


# --- what is told


@pytest.mark.smoke
def test_lines_are_told_as_they_are_found() -> None:
    async def told(house: House) -> None:
        found = await events(house, moves=["11-15"], lines=3, limit="depth=9")
        assert found[0] == {"exact": None}
        last = found[-1]
        assert (last["final"], last["depth"], last["side"], last["hash"]) == (True, 9, "white", 1.0)
        assert all(not event["final"] for event in found[1:-1])
        assert last["nodes"] > 100
        alone = Engine("material", hash_mb=1, database=None)
        position = Position().play("11-15")
        expected = alone.search(position, "depth=9", multipv=3)
        lines = lines_of(found)[-1]
        assert [line["score"] for line in lines] == [info.score for info in expected.lines]
        for line, info in zip(lines, expected.lines, strict=True):
            at = position
            assert [step["text"] for step in line["pv"]] == [str(move) for move in info.pv][:LONGEST_PV]
            for step, move in zip(line["pv"], info.pv, strict=False):
                at = at.play(move)
                assert step["fen"] == at.fen
                assert step["path"] == [square + 1 for square in move.path]
            assert sum(line["chances"]) == pytest.approx(1, abs=0.001)
            assert (line["value"], line["plies"]) == (None, None)

    at_home(told)


def test_all_moves_near_the_best_are_told() -> None:
    async def ask(house: House) -> None:
        fen = "W:W18,22,27,31:B2,5,11,12"
        found = await events(house, start=fen, lines=3, within=60, limit="depth=8")
        alone = Engine("material", hash_mb=1, database=None)
        expected = alone.search(Position.from_fen(fen), Limits(depth=8, within=60)).lines
        lines = lines_of(found)[-1]
        told = [(line["pv"][0]["text"], line["score"]) for line in lines]
        # neither the number asked for nor all six moves
        assert (told, len(told)) == ([(str(info.pv[0]), info.score) for info in expected], 5)

    at_home(ask)


@pytest.mark.parametrize(
    ("plies", "draw", "line"), [(7, None, ("repetition", 0, "loss", 62)), (8, "repetition", ("", 29939, "win", 61))]
)
def test_draws_by_rule_are_told_beside_what_is_exact(plies: int, draw: str | None, line: tuple[Any, ...]) -> None:
    async def told(house: House) -> None:
        moves = "23-18 28-32 18-23 32-28 23-18 28-32 18-23 32-28".split()[:plies]
        found = await events(house, start="W:WK19,K23:B12,K28", moves=moves, limit="nodes=1000")
        assert found[0].get("draw") == draw
        assert (found[0]["exact"]["value"], found[0]["exact"]["plies"]) == line[2:]
        best = lines_of(found)[-1][0]
        assert (best["draw"], best["score"], best["value"], best["plies"]) == line
        assert best["chances"] == ([0, 1, 0] if line[0] else [1, 0, 0])

    at_home(told, egdb=None)


def test_a_line_that_stays_is_sent_once() -> None:
    async def told(house: House) -> None:
        # the only move, by the same line at every depth
        found = await events(house, start="B:W32:B1,27", lines=2, limit="depth=6")
        sent = [event["lines"] for event in found if "lines" in event]
        assert all("pv" in line for line in sent[0])
        assert lines_of(found)[-1][0]["pv"][0]["text"]
        for before, after in zip(lines_of(found), lines_of(found)[1:], strict=False):
            assert [line["pv"] != old["pv"] for line, old in zip(after, before, strict=True)].count(True) <= 2

    at_home(told)


def test_the_newest_lines_at_most_so_often(monkeypatch: pytest.MonkeyPatch) -> None:
    async def told(house: House) -> None:
        waited = []

        async def sleep(seconds: float) -> None:
            waited.append(seconds)

        monkeypatch.setattr("kr.web.searches.asyncio.sleep", sleep)
        found = await events(house, lines=2, limit="depth=9")
        # after each event but the last
        assert len(waited) == len([event for event in found if "lines" in event]) - 1
        assert all(0 <= seconds <= 1 / UPDATES for seconds in waited)

    at_home(told)


@pytest.mark.parametrize("turns", range(4))
def test_a_stream_that_ends_as_news_come_ends(monkeypatch: pytest.MonkeyPatch, turns: int) -> None:
    """turns: of the event loop between the two."""
    searches: list[OwnSearch] = []

    class Heard(OwnSearch):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            searches.append(self)

        def _heard(self, info: Info) -> None:
            """Bring no news but those of the test."""

    monkeypatch.setattr("kr.web.searches.OwnSearch", Heard)

    async def told(house: House) -> None:
        task = asyncio.create_task(events(house))
        await until(lambda: bool(searches))
        for _ in range(10):
            await asyncio.sleep(0)
        searches[0].news.set()
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task], timeout=5)
        assert task.cancelled()

    at_home(told)


def test_the_figures_move_between_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kr.web.searches.BEAT_SECONDS", 0.02)

    async def told(house: House) -> None:
        heard: list[dict[str, Any]] = []
        async with (
            aclosing(analysis(house, PageRequest({"start": START}), asyncio.Queue())) as stream,
            asyncio.timeout(60),
        ):
            async for event in stream:
                heard.append(event)
                beats = [each["progress"] for each in heard[-3:] if "progress" in each]
                # three in a row, within one iteration; a search that had no processor has no more nodes either
                one = len({beat["depth"] for beat in beats}) == 1
                if len(beats) == 3 and one and beats[0]["nodes"] < beats[1]["nodes"] < beats[2]["nodes"]:
                    break
        # the lines of the iteration before may be just about to be told
        depth = next(event["depth"] for event in reversed(heard) if "lines" in event)
        assert depth < beats[0]["depth"] <= depth + 2
        assert beats[0]["time"] < beats[1]["time"] < beats[2]["time"]
        assert all(beat["nps"] > 0 for beat in beats)

    at_home(told)


def test_exact_values_come_first(whole: Path) -> None:
    database = load_database(str(whole))
    assert database is not None
    position = Position.from_fen("W:WK6,K15:BK3")
    expected = probe(database, position)

    async def told(house: House) -> None:
        found = await events(house, start=position.fen, lines=4, limit="depth=4")
        exact = found[0]["exact"]
        assert (exact["value"], exact["plies"]) == (expected.value, expected.distance) == ("win", exact["plies"])
        assert [(move["text"], move["value"], move["plies"]) for move in exact["moves"]] == [
            (move.move, move.value, move.distance) for move in expected.moves
        ]
        for line in lines_of(found)[-1]:
            (known,) = (move for move in expected.moves if move.move == line["pv"][0]["text"])
            assert line["value"] == known.value
            assert line["chances"] == [float(known.value == value) for value in ("win", "draw", "loss")]

    at_home(told, egdb=str(whole))


def test_moves_that_lead_into_the_database_have_values(whole: Path) -> None:
    # four pieces: the capture leaves two, which the database of three knows
    async def told(house: House) -> None:
        found = await events(house, start="B:W18,23:BK15,K30", limit="depth=2")
        exact = found[0]["exact"]
        assert (exact["value"], exact["plies"]) == (None, None)
        assert exact["moves"]
        found = await events(house, start=START, limit="depth=2")
        assert found[0]["exact"] is None

    at_home(told, egdb=str(whole))


def test_the_threat_is_what_the_other_side_would_do() -> None:
    async def told(house: House) -> None:
        found = await events(house, moves=["11-15"], threat=True, limit="depth=5")
        assert found[-1]["side"] == "black"
        expected = Engine("material", hash_mb=1, database=None).search(
            Position.from_fen("B" + Position().play("11-15").fen[1:]), "depth=5"
        )
        assert lines_of(found)[-1][0]["pv"][0]["text"] == str(expected.move)
        with pytest.raises(InvalidSettingError, match="no threat: Black could not move"):
            await events(house, start="W:W32:B", threat=True)

    at_home(told)


def test_a_game_that_is_over_has_no_lines() -> None:
    async def told(house: House) -> None:
        assert await events(house, start="B:W32:B") == [{"over": "Black has no piece left: White wins"}]
        assert house.engines.own.lent == 0

    at_home(told)


def test_repetitions_of_the_game_count() -> None:
    async def told(house: House) -> None:
        dance = ["1-6", "32-28", "6-1", "28-32"]
        start = "B:WK32:BK1,K5"
        again = await events(house, start=start, moves=[*dance, "1-6", "32-28", "6-1"], lines=10, limit="depth=5")
        fresh = await events(house, start="W:WK28:BK1,K5", lines=10, limit="depth=5")
        scores = [{line["pv"][0]["text"]: line["score"] for line in lines_of(found)[-1]} for found in (again, fresh)]
        assert scores[0]["28-32"] == 0 > scores[1]["28-32"]

    at_home(told)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"engine": 1}, "engine is not a whole number from 0 to 0"),
        ({"lines": 11}, "lines is not a whole number from 1 to 10"),
        ({"lines": "many"}, "lines is not a whole number"),
        ({"limit": "soon"}, "soon"),
        ({"limit": "depth=0"}, "depth"),
        ({"moves": ["1-32"]}, "1-32"),
        ({"start": "nonsense"}, "nonsense"),
        ({"threat": 1}, "threat is neither true nor false"),
    ],
)
def test_bad_requests_are_refused(asked: dict[str, Any], reason: str) -> None:
    async def told(house: House) -> None:
        with pytest.raises(KrError, match=reason):
            await events(house, **asked)
        assert house.engines.own.lent == 0

    at_home(told)


def test_a_search_ends_with_its_stream() -> None:
    async def told(house: House) -> None:
        stream = analysis(house, PageRequest({"start": START}), asyncio.Queue())
        async for event in stream:
            if "lines" in event:
                break
        assert house.engines.own.lent == 1
        await stream.aclose()
        await until(lambda: house.engines.own.lent == 0)

    at_home(told)


@pytest.mark.skipif(sys.platform != "linux", reason="niceness is that of a whole process")
def test_searches_give_way_to_what_answers_pages() -> None:
    # also where the tests themselves give way to something; 19 is the most there is
    given = min(19, os.getpriority(os.PRIO_PROCESS, 0) + SEARCH_NICENESS)

    def niceness() -> list[int]:
        found = []
        for task in Path("/proc/self/task").iterdir():
            # a thread may end while they are listed
            with suppress(ProcessLookupError):
                found.append(os.getpriority(os.PRIO_PROCESS, int(task.name)))
        return found

    async def told(house: House) -> None:
        # a search of the test before may still be ending
        await until(lambda: given not in niceness())
        before = sorted(niceness())
        stream = analysis(house, PageRequest({"start": START}), asyncio.Queue())
        async for event in stream:
            if "lines" in event:
                break
        assert given in niceness()
        assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) < given
        await stream.aclose()
        await until(lambda: given not in niceness())
        assert set(niceness()) == set(before)

    at_home(told)


def test_a_viewer_who_changes_the_position_keeps_the_engine() -> None:
    async def told(house: House) -> None:
        viewer.set("a page")
        for _ in range(20):
            stream = analysis(house, PageRequest({"start": START}), asyncio.Queue())
            async for event in stream:
                if "lines" in event:
                    break
            # the next begins before this one has ended
            await stream.aclose()
        await until(lambda: house.engines.own.lent == 0)
        assert house.engines.own.idle == 1

    at_home(told)


# --- other engines


def test_engines_have_names_and_commands() -> None:
    async def told(house: House) -> None:
        assert list_engines(house, PageRequest({})) == {"engines": ["kr (material)", "scan"], "lines": 10}

    at_home(told, engines=("hub:/opt/scan/scan hub",))
    for text in ("scan hub", "hub:", 'hub:"x'):
        with pytest.raises(InvalidSettingError, match="--engines"):
            House(WebSettings(weights="material", egdb="none", engines=(text,)))


@pytest.mark.slow
def test_another_engine_beside_kr() -> None:
    async def told(house: House) -> None:
        other, own = await asyncio.gather(
            events(house, engine=1, lines=2, limit="depth=6"), events(house, engine=0, lines=2, limit="depth=6")
        )
        assert other[-1]["final"]
        assert other[-1]["depth"] == 6
        lines = lines_of(other)[-1]
        assert [line["score"] for line in lines] == [line["score"] for line in own[-1]["lines"]]
        assert lines[0]["chances"] is None
        assert [step["text"] for step in lines[0]["pv"]]
        # an endless one ends with its stream, and its process is used again
        stream = analysis(house, PageRequest({"start": START, "engine": 1}), asyncio.Queue())
        async for event in stream:
            if "lines" in event:
                break
        await stream.aclose()
        await until(lambda: house.engines.others[0].lent == 0)
        assert house.engines.others[0].idle == 1

    at_home(told, engines=(KR_HUB,))


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("crash", f"crashed: {CRASHED}"),
        ("exit at hub", "crashed: exit status 3"),
        ("illegal", "plays an illegal move"),
    ],
)
def test_a_crash_of_an_engine_is_one_line(fault: str, reason: str) -> None:
    async def told(house: House) -> None:
        lender = house.engines.others[0]
        for _ in range(2):
            with pytest.raises(KrError, match=reason) as raised:
                await events(house, engine=1, limit="depth=3")
            assert "\n" not in str(raised.value)
            await until(lambda: lender.lent == 0)
            assert lender.idle == 0

    at_home(told, engines=(faulty(fault),))


def test_an_engine_that_says_no_line_has_its_move() -> None:
    async def told(house: House) -> None:
        found = await events(house, engine=1, limit="depth=3", lines=1)
        assert lines_of(found)[-1][0]["pv"][0]["text"] == "9-13"

    at_home(told, engines=(faulty("twice"),))


# --- who gets an engine


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
