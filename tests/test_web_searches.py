"""Searches that pages watch: what the stream tells."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

import pytest
from systems import CRASHED
from web_pages import finished

from kr.engine.engine import MAX_LINES, Engine
from kr.engine.limits import Limits
from kr.engine.result import Info
from kr.errors import InvalidSettingError, KrError
from kr.game.board import Board
from kr.game.position import Position
from kr.system import join_command
from kr.web.house import House
from kr.web.live import viewer
from kr.web.request import PageRequest
from kr.web.services import port, searching
from kr.web.services.engines import SEARCH_NICENESS
from kr.web.services.port import MOST_TOGETHER, UPDATES, search
from kr.web.services.searching import OwnSearch
from kr.web.settings import WebSettings

START = Position()
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


def one(*positions: Position, **asked: Any) -> dict[str, Any]:
    """A search of the last of some positions, as a page asks for it."""
    return {"positions": [[*each.bits] for each in positions or (START,)], "limits": {}, **asked}


Events = AsyncGenerator[Mapping[str, Any], None]


def opened(
    house: House, *searches: dict[str, Any], inbox: asyncio.Queue[PageRequest] | None = None, **choice: Any
) -> Events:
    """The stream of some searches."""
    return search(house, PageRequest({"searches": searches, **choice}), inbox or asyncio.Queue())


async def events(house: House, *searches: dict[str, Any], **choice: Any) -> list[Mapping[str, Any]]:
    """All events of searches that end by themselves, but that they begin."""
    return [event async for event in opened(house, *searches, **choice) if "turn" not in event]


async def first_lines(stream: Events) -> None:
    """Wait for the first lines of a search."""
    async for event in stream:
        if "lines" in event:
            break


def texts(position: Position, line: Mapping[str, Any]) -> list[str]:
    """The moves of a line, as they are written."""
    found = []
    for move in line["moves"]:
        (played,) = [
            each
            for each in position.legal_moves()
            if (each.path, each.captured) == (tuple(move["path"]), move["captured"])
        ]
        found.append(str(played))
        position = position.play(played)
    return found


async def until(true: Callable[[], bool]) -> None:
    """Wait for something that another thread brings about."""
    async with asyncio.timeout(20):
        while not true():
            await asyncio.sleep(0.001)


# --- what is told


@pytest.mark.smoke
def test_lines_are_told_as_they_are_found() -> None:
    async def told(house: House) -> None:
        position = START.play("11-15")
        found = await events(house, one(START, position, lines=3, limits={"depth": 9}))
        last = found[-1]
        assert (last["final"], last["depth"], last["hash"], last["name"]) == (True, 9, 1.0, "kr (material)")
        assert all(not event["final"] for event in found[:-1])
        assert last["nodes"] > 100
        expected = Engine("material", hash_mb=1, database=None).search(position, "depth=9", multipv=3)
        assert [line["score"] for line in last["lines"]] == [info.score for info in expected.lines]
        assert [texts(position, line) for line in last["lines"]] == [[*map(str, info.pv)] for info in expected.lines]

    at_home(told)


def test_all_moves_near_the_best_are_told() -> None:
    async def ask(house: House) -> None:
        position = Position.from_fen("W:W18,22,27,31:B2,5,11,12")
        found = await events(house, one(position, lines=3, limits={"within": 60, "depth": 8}))
        alone = Engine("material", hash_mb=1, database=None)
        expected = alone.search(position, Limits(depth=8, within=60)).lines
        # neither the number asked for nor all six moves
        assert [line["score"] for line in found[-1]["lines"]] == [info.score for info in expected]
        assert len(expected) == 5

    at_home(ask)


def test_one_engine_searches_all_of_a_message_and_those_that_follow() -> None:
    async def told(house: House) -> None:
        inbox: asyncio.Queue[PageRequest] = asyncio.Queue()
        glance = one(limits={"depth": 3}, watched=False)
        async with aclosing(opened(house, glance, glance, inbox=inbox, more=True)) as stream:
            assert await anext(stream) == {"turn": True}
            # nothing but the ends of those that nobody watches
            ends = [await anext(stream), await anext(stream)]
            assert [(event["final"], event["depth"]) for event in ends] == [(True, 3)] * 2
            assert house.engines.own.lent == 1
            inbox.put_nowait(PageRequest({"searches": [{**glance, "fresh": True}]}))
            again = await anext(stream)
            # with an empty table as the first one, which the second had from its table
            assert ends[0]["nodes"] == again["nodes"] > ends[1]["nodes"]
            inbox.put_nowait(PageRequest({"searches": [{"positions": []}]}))
            with pytest.raises(InvalidSettingError, match="positions"):
                await anext(stream)
        assert house.engines.own.lent == 0

    at_home(told)


def test_the_newest_lines_at_most_so_often(monkeypatch: pytest.MonkeyPatch) -> None:
    async def told(house: House) -> None:
        waited = []

        async def sleep(seconds: float) -> None:
            waited.append(seconds)

        monkeypatch.setattr("kr.web.services.port.asyncio.sleep", sleep)
        found = await events(house, one(lines=2, limits={"depth": 9}))
        # after each event but the last
        assert len(waited) == len(found) - 1
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

    monkeypatch.setattr("kr.web.services.searching.OwnSearch", Heard)

    async def told(house: House) -> None:
        task = asyncio.create_task(events(house, one()))
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


def test_a_search_that_nobody_watches_disturbs_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    bell_of, rings = searching.bell_of, 0

    def counting(news: asyncio.Event) -> Callable[[], None]:
        ring = bell_of(news)

        def counted() -> None:
            nonlocal rings
            rings += 1
            ring()

        return counted

    monkeypatch.setattr(searching, "bell_of", counting)

    async def told(house: House) -> None:
        assert (await events(house, one(watched=False, limits={"depth": 9})))[-1]["final"]
        assert rings == 1
        await events(house, one(limits={"depth": 9}))
        assert rings > 5

    at_home(told)


def test_the_figures_move_between_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kr.web.services.port.BEAT_SECONDS", 0.02)

    async def told(house: House) -> None:
        heard: list[Mapping[str, Any]] = []
        async with aclosing(opened(house, one())) as stream, asyncio.timeout(60):
            async for event in stream:
                heard.append(event)
                beats = [each["progress"] for each in heard[-3:] if "progress" in each]
                # three in a row, within one iteration; a search that had no processor has no more nodes either
                same = len({beat["depth"] for beat in beats}) == 1
                if len(beats) == 3 and same and beats[0]["nodes"] < beats[1]["nodes"] < beats[2]["nodes"]:
                    break
        # the lines of the iteration before may be just about to be told
        depth = next(event["depth"] for event in reversed(heard) if "lines" in event)
        assert depth < beats[0]["depth"] <= depth + 2
        assert beats[0]["seconds"] < beats[1]["seconds"] < beats[2]["seconds"]

    at_home(told)


def test_repetitions_of_the_game_count() -> None:
    async def told(house: House) -> None:
        board = Board("B:WK32:BK1,K5")
        for move in "1-6 32-28 6-1 28-32 1-6 32-28 6-1".split():
            board.play(move)
        scores = []
        for history in (board.history, ()):
            found = await events(house, one(*history, board.position, lines=10, limits={"depth": 5}, fresh=True))
            lines = found[-1]["lines"]
            scores.append({texts(board.position, line)[0]: line["score"] for line in lines})
        assert scores[0]["28-32"] == 0 > scores[1]["28-32"]

    at_home(told)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"engine": 1}, "engine is not a whole number from 0 to 0"),
        ({"searches": [one()] * (MOST_TOGETHER + 1)}, "searches is not a list"),
        ({"searches": [{"limits": {}}]}, "positions is missing"),
        *(({"searches": [one(**each)]}, reason) for each, reason in [
            ({"positions": []}, "positions is not a list of at most 2,001 positions"),
            ({"positions": [[1, 2, 3, 0]] * 2002}, "positions is not a list of at most 2,001 positions"),
            ({"positions": [[1, 2, 3]]}, "positions is not a list of positions, each of four numbers"),
            ({"positions": [[1, 2, 1.5, 0]]}, "each of four numbers"),
            ({"positions": [[1, 1 << 32, 0, 0]]}, "a bitboard has a bit outside squares 1 to 32"),
            ({"positions": [[3, 1, 0, 0]]}, "square 1 holds both a Black and a White piece"),
            ({"positions": [[1, 2, 0, 2]]}, "the side to move is 2"),
            ({"positions": [[0xFFFFFFFF, 0, 0xFFFFFFFF, 0]]}, "Black has 32 pieces: a side has at most 12"),
            ({"positions": [[1, 0, 0, 1]]}, "the game is over"),
            ({"lines": MAX_LINES + 1}, "lines is not a whole number from 1 to 64"),
            ({"limits": {"seconds": -1}}, "seconds is not a number"),
            ({"limits": {"left": float("inf")}}, "left is not a number"),
            ({"limits": {"nodes": 0}}, "nodes is not a whole number"),
            ({"limits": {"depth": 1 << 40}}, "depth is not a whole number"),
            ({"limits": {"within": -1}}, "within is not a whole number from 0 to 10,000"),
        ]),
    ],
)  # fmt: skip
def test_bad_requests_are_refused(asked: dict[str, Any], reason: str) -> None:
    async def told(house: House) -> None:
        with pytest.raises(KrError, match=reason) as raised:
            [event async for event in search(house, PageRequest({"searches": [], **asked}), asyncio.Queue())]
        assert "\n" not in str(raised.value)
        await until(lambda: house.engines.own.lent == 0)

    at_home(told)


def test_a_search_ends_with_its_stream() -> None:
    async def told(house: House) -> None:
        stream = opened(house, one())
        await first_lines(stream)
        assert house.engines.own.lent == 1
        await stream.aclose()
        await until(lambda: house.engines.own.lent == 0)

    at_home(told)


def test_who_says_stop_gets_the_end_at_once() -> None:
    async def told(house: House) -> None:
        inbox: asyncio.Queue[PageRequest] = asyncio.Queue()
        stream = opened(house, one(), inbox=inbox)
        await first_lines(stream)
        inbox.put_nowait(PageRequest({"stop": True}))
        async with asyncio.timeout(20):
            rest = [event async for event in stream]
        assert rest[-1]["final"]

    at_home(told)


@pytest.mark.parametrize("asked", [[one()] * 2, [one(fresh=True)]], ids=["later searches", "the first"])
def test_no_search_begins_after_a_stop(asked: list[dict[str, Any]]) -> None:
    async def told(house: House) -> None:
        inbox: asyncio.Queue[PageRequest] = asyncio.Queue()
        async with aclosing(opened(house, *asked, inbox=inbox)) as stream, asyncio.timeout(20):
            assert await anext(stream) == {"turn": True}
            inbox.put_nowait(PageRequest({"stop": True}))
            # the first of two has begun by then, and may have lines
            rest = [event async for event in stream]
            assert [event["final"] for event in rest[-1:]] == [True] * (len(asked) - 1)
        assert house.engines.own.lent == 0

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
        stream = opened(house, one())
        await first_lines(stream)
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
            stream = opened(house, one())
            await first_lines(stream)
            # the next begins before this one has ended
            await stream.aclose()
        await until(lambda: house.engines.own.lent == 0)
        assert house.engines.own.idle == 1

    at_home(told)


# --- other engines


def test_engines_have_names_and_commands() -> None:
    async def told(house: House) -> None:
        facts = port.data_file(house, "engine")
        assert (facts["name"], facts["engines"], facts["faults"]) == ("material", [Path(sys.executable).name], {})

    at_home(told, engines=(f"hub:{sys.executable} hub",))
    for text in ("scan hub", "hub:", 'hub:"x', "hub:/nowhere/engine hub", "hub:no-such-engine"):
        with pytest.raises(InvalidSettingError, match="--engines"):
            House(WebSettings(weights="material", egdb="none", engines=(text,)))


def test_an_engine_that_does_not_start_is_told_of_at_once() -> None:
    told: list[str] = []

    async def story(house: House) -> None:
        await asyncio.to_thread(house.engines.greet, told.append)
        good, bad = house.engines.others
        assert (good.lent, good.idle, bad.lent, bad.idle) == (0, 1, 0, 0)
        assert port.data_file(house, "engine")["faults"] == {"2": told[0][told[0].index("hub engine") :]}

    at_home(story, engines=(faulty("none"), faulty("exit at hub")))
    assert len(told) == 1
    assert re.fullmatch(r"--engines .*: hub engine .* crashed at 'hub': exit status 3", told[0])


@pytest.mark.slow
def test_another_engine_beside_kr() -> None:
    async def told(house: House) -> None:
        other, own = await asyncio.gather(
            *(events(house, one(lines=2, limits={"depth": 6}), engine=engine) for engine in (1, 0))
        )
        assert (other[-1]["final"], other[-1]["depth"], other[-1]["hash"]) == (True, 6, None)
        assert [line["score"] for line in other[-1]["lines"]] == [line["score"] for line in own[-1]["lines"]]
        assert texts(START, other[-1]["lines"][0])
        # an endless one ends with its stream, and its process is used again
        stream = opened(house, one(), engine=1)
        await first_lines(stream)
        await stream.aclose()
        await until(lambda: house.engines.others[0].lent == 0)
        assert house.engines.others[0].idle == 1

    at_home(told, engines=(KR_HUB,))


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("crash", f"crashed at 'go think': {CRASHED}"),
        ("exit at hub", "crashed at 'hub': exit status 3"),
        ("illegal", "plays an illegal move"),
    ],
)
def test_a_crash_of_an_engine_is_one_line(fault: str, reason: str) -> None:
    async def told(house: House) -> None:
        lender = house.engines.others[0]
        for _ in range(2):
            with pytest.raises(KrError, match=reason) as raised:
                await events(house, one(limits={"depth": 3}), engine=1)
            assert "\n" not in str(raised.value)
            await until(lambda: lender.lent == 0)
            assert lender.idle == 0

    at_home(told, engines=(faulty(fault),))


def test_each_line_of_an_engine_has_its_depth() -> None:
    async def told(house: House) -> None:
        last = (await events(house, one(lines=2, limits={"depth": 4}), engine=1))[-1]
        assert [(line["depth"], line["score"]) for line in last["lines"]] == [(4, 12), (3, -900)]
        assert (last["depth"], last["final"]) == (4, True)

    at_home(told, engines=(faulty("none"),))


def test_an_engine_that_says_no_line_has_its_move() -> None:
    async def told(house: House) -> None:
        found = await events(house, one(limits={"depth": 3}), engine=1)
        assert texts(START, found[-1]["lines"][0]) == ["9-13"]

    at_home(told, engines=(faulty("twice"),))
