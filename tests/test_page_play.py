"""Games in the page without a server: its events, clocks and opponents, against those of kr web and kr play."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from library import ROOT
from page import Page, PageStream, web_house

from kr.errors import KrError
from kr.game.board import Board
from kr.game.outcome import AGREEMENT, OVERTIME
from kr.game.position import Position
from kr.play.play import Play
from kr.web import playing
from kr.web.house import House
from kr.web.request import PageRequest

LOCAL = ROOT / "kr" / "page" / "answers"
TWO = {"do": "play", "people": 2}
CAPTURES = "B:W6,14,15,23,24:B1,10"
UNDER_WAY = {"BlackPlayer": "human", "WhitePlayer": "shipped,level=3,seed=7"}
ID = "20260101-000000-0123456789abcdef0123"


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    house = web_house(egdb="none")
    yield house
    house.close()


@pytest.fixture(autouse=True)
def games_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the server keeps its games."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


@pytest.fixture
def set_clock(page: Page, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[float], None]]:
    """Lets the clocks of both stand at a time."""
    at, prepare = [0.0], Play.prepare
    now = SimpleNamespace(monotonic=lambda: at[0])
    monkeypatch.setattr(playing, "time", now)
    monkeypatch.setattr(Play, "prepare", lambda *args, **others: prepare(*args, **{**others, "now": now.monotonic}))

    def set_both(seconds: float) -> None:
        at[0] = seconds
        page.set_clock(seconds)

    set_both(0.0)
    yield set_both
    page.set_clock(None)


# --- games of two people: every event as the server's


class ServerStream:
    """The stream of a game of kr web, as `PageStream` is one of the page."""

    def __init__(self, house: House, asked: dict[str, Any]) -> None:
        playing._GAMES.pop(house, None)
        # in a thread of its own: that of the tests has a loop once a browser is open
        self._house, self._thread, self._runner = house, ThreadPoolExecutor(1), asyncio.Runner()
        self._inbox: asyncio.Queue[PageRequest] = asyncio.Queue(100)
        self._events = playing.play(house, PageRequest(asked), self._inbox)

    def _run(self, story: Coroutine[Any, Any, Any]) -> Any:
        return self._thread.submit(self._runner.run, story).result()

    def say(self, said: dict[str, Any]) -> None:
        self._inbox.put_nowait(PageRequest(said))

    def next(self) -> dict[str, Any]:
        try:
            event = self._run(asyncio.wait_for(anext(self._events), 60))
        except StopAsyncIteration:
            return {"end": True}
        except KrError as error:
            return {"error": str(error)}
        told: dict[str, Any] = json.loads(json.dumps(event))
        return told

    def stop(self) -> None:
        async def stopped() -> None:
            await self._events.aclose()
            games = playing.games_of(self._house)
            for game in list(games._running.values()):
                games.put_away(game)
            await asyncio.sleep(0)

        self._run(stopped())
        self._thread.submit(self._runner.close).result()
        self._thread.shutdown()


Same = Callable[..., list[dict[str, Any]]]
Talk = Sequence[dict[str, Any] | float]
"""What is said to a game, each after the answer to the one before; a number sets the clocks. What is not taken at all,
and answered at once, has `bad`; what gets no answer, being of another position, `early`."""


def talked(stream: PageStream | ServerStream, talk: Talk, set_clock: Callable[[float], None]) -> list[dict[str, Any]]:
    """The events of a game."""
    events = [stream.next()]

    def hear(*last: str) -> None:
        while not {*last, "error", "end"} & events[-1].keys() and not events[-1].get("game", {}).get("over"):
            events.append(stream.next())

    hear("state")
    for said in talk:
        if isinstance(said, dict):
            stream.say({name: value for name, value in said.items() if name not in ("bad", "early")})
            if "early" in said:
                continue
            events.append(stream.next())
            hear("say" if "bad" in said else "state")
        else:
            set_clock(said)
    if events[-1].get("game", {}).get("over"):
        events.append(stream.next())
    stream.stop()
    return events


def plain(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events without what differs from game to game."""
    for event in events:
        if game := event.get("game"):
            assert re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{20}", game.pop("id"))
            headers = game["document"]["headers"]
            assert 1 <= int(headers.pop("Seed")) <= 1_000_000
            for tag in ("FEN", "SetUp", "Date"):
                # a server reads its file, which has them
                headers.pop(tag, None)
    return events


@pytest.fixture
def same(page: Page, house: House, set_clock: Callable[[float], None]) -> Same:
    """Compares the events of the page with those of the server."""

    def compared(asked: dict[str, Any], talk: Talk = ()) -> list[dict[str, Any]]:
        set_clock(0.0)
        expected = plain(talked(ServerStream(house, asked), talk, set_clock))
        set_clock(0.0)
        events = plain(talked(page.open("play", asked), talk, set_clock))
        assert events == expected
        return events

    return compared


def move(ply: int, *path: int) -> dict[str, Any]:
    return {"do": "move", "ply": ply, "path": list(path)}


def some_game(start: Position, seed: int, plies: int, first: int = 0, seconds: float = 0.0) -> list[Any]:
    """A random game, now and then with moves taken back, each move some time after the one before."""
    source, board, talk, now = random.Random(seed), Board(start), list[Any](), 0.0
    while board.outcome() is None and len(talk) < 3 * plies:
        if seconds:
            now += source.random() * seconds
            talk.append(now)
        if board.moves and source.random() < 0.1:
            board.undo(1)
            talk.append({"do": "undo"})
            continue
        chosen = source.choice(board.legal_moves())
        talk.append(move(first + len(board.moves), *(square + 1 for square in chosen.path)))
        board.play(chosen)
    return talk


@pytest.mark.parametrize(
    ("seed", "ballot", "clock", "names"),
    [
        (1, "", "", ["Ann", "Ben"]), (2, CAPTURES, "", []),
        (3, "W:W5,6,K17:B1,2,K30", "5+3", ["\x1c", "\ufeffBen\x85"]),
        (4, "", "2/1m:5m", []), (5, "", "3m d2s", ["human", "Ben"]), (6, "", "G/5", ["Ann"]),
    ],
)  # fmt: skip
def test_games_of_two_people(same: Same, seed: int, ballot: str, clock: str, names: list[str]) -> None:
    start = Position.from_fen(ballot) if ballot else Position()
    talk = some_game(start, seed, 60, seconds=9.0 if clock else 0.0)
    events = same({**TWO, "names": names, "ballot": ballot, "clock": clock}, [*talk, {"do": "resign"}])
    assert sum("move" in event for event in events) > 5
    assert any(event.get("game", {}).get("over") for event in events)


@pytest.mark.parametrize(
    "ballot", ["3move 68", "3move 3", "11man 1", "11man 2500", "Old Fourteenth", "the DYKE", "Alma"]
)
def test_openings(same: Same, ballot: str) -> None:
    asked = {**TWO, "ballot": ballot}
    _, state = same(asked)
    ply = state["state"]["ply"]
    path = state["state"]["moves"][0]["path"]
    # the moves of an opening can't be taken back
    events = same(asked, [{"do": "undo"}, move(ply, *path), {"do": "undo"}, {"do": "undo"}, {"do": "draw"}])
    assert [event["say"] for event in events if "say" in event] == ["you have no move to take back"] * 2
    states = [event["state"] for event in events if "state" in event]
    assert {state["undoable"] for state in states if state["ply"] == ply} == {False}
    assert {state["undoable"] for state in states if state["ply"] == ply + 1} == {True}
    assert events[-2]["game"]["over"]["reason"] == AGREEMENT


def test_moves_that_can_not_be_made(same: Same) -> None:
    talk: list[Any] = [
        move(0, 11, 16), {**move(0, 1, 32), "early": 1}, {**move(7, 11, 15), "early": 1}, move(1, 24, 24),
        move(1, 40, 1), move(1, -5, 3), move(1, 0, 99), move(1, *range(1, 20)),
        {"do": "move", "ply": 1, "path": [1], "bad": 1},
        {"do": "move", "ply": 1, "bad": 1}, {"do": "move", "ply": -1, "path": [1, 5], "bad": 1},
        {"do": "move", "path": [1, 5], "bad": 1}, {"do": "move", "ply": 1, "path": [1, True], "bad": 1},
        {"do": "move", "ply": 1, "path": "1-5", "bad": 1}, {"do": "save x", "bad": 1}, {"bad": 1}, move(1, 24, 19),
        {"do": "resign"},
    ]  # fmt: skip
    events = same(TWO, talk)
    assert sum("say" in event for event in events) == 13


def test_captures_square_by_square(same: Same) -> None:
    fen = "B:W6,7,14,15,22,23:B1,2,K10"
    for capture in Position.from_fen(fen).legal_moves():
        path = [square + 1 for square in capture.path]
        for parts in ([path], [path[:2], path[1:]], [path[:2], path], [path[:2], [path[0], 32], path]):
            if len(path) > 2 or len(parts) == 1:
                same({**TWO, "ballot": fen}, [*(move(0, *part) for part in parts), {"do": "resign"}])


def test_a_clock_that_runs_out(same: Same) -> None:
    late = [1.0, move(0, 11, 15), 200.0, move(1, 22, 18)]
    events = same({**TWO, "clock": "3+2"}, late)
    assert events[-1] == {"end": True}
    assert events[-2]["game"]["over"] == {"result": "1-0", "winner": "black", "reason": OVERTIME}
    # within the margin
    events = same({**TWO, "clock": "0:10+0"}, [10.1, move(0, 11, 15), {"do": "undo"}, 20.31, move(0, 11, 15)])
    assert [kind for event in events for kind in event] == [
        "game", "state", "move", "state", "undo", "game", "state", "game", "end",
    ]  # fmt: skip


def test_time_passes_by_itself(page: Page) -> None:
    stream = page.open("play", {**TWO, "clock": "0:00.2+0"})
    assert stream.until("state")["state"]["clocks"][0] <= 0.2
    over = stream.until("game")["game"]["over"]
    assert (over, stream.next()) == ({"result": "0-1", "winner": "white", "reason": OVERTIME}, {"end": True})


# --- games that go on, and what is refused


@pytest.mark.parametrize(
    ("comment", "others"),
    [("[%clk 0:01:00]", []), ("[%clk b0:00:30]", []), ("text", [{"parent": 1, "text": "23-18"}])],
)
def test_games_that_go_on_are_those_of_the_server(
    same: Same, monkeypatch: pytest.MonkeyPatch, comment: str, others: list[Any]
) -> None:
    nodes = [
        {"parent": None, "comments": ["before"]},
        {"parent": 0, "path": [11, 15], "comments": [comment, "[%emt 2]"]},
        {"parent": 1, "text": "22-18", "nags": ["!"], "comments": ["[%clk 0:02:00]"]},
        {"parent": 2, "text": "15x22"},
        *others,
    ]
    headers = {
        "Event": "A", "Black": "Ann", "BlackPlayer": "human", "WhitePlayer": "human", "TimeControl": "3+2",
        "Seed": "07",
    }  # fmt: skip
    document = {"start": Position().fen, "headers": headers, "nodes": nodes}
    monkeypatch.setattr("kr.web.game_files._signature", lambda begun: ID[-16:])
    same({"do": "play", "game": ID, "document": document}, [1.0, move(3, 25, 18), {"do": "undo"}, {"do": "resign"}])


BAD: list[dict[str, Any]] = [
    {}, {"level": 11}, {"level": -1}, {"level": "x"}, {"level": 1.5}, {"level": True}, {"level": 1, "side": "green"},
    {"level": 1, "side": 1}, {"level": 1, "names": "Ann"}, {"level": 1, "ballot": "3move 175"}, {"people": 1},
    {"level": 1, "ballot": "/etc/passwd"}, {"level": 1, "ballot": "11man 0"}, {"level": 1, "ballot": "3move 068"},
    {"level": 1, "ballot": "Alma/../games.pdn"}, {"level": 1, "ballot": "Alma.pdn"}, {"level": 1, "ballot": "Alma 2"},
    {"level": 1, "ballot": "W:W:B1"}, {"level": 1, "ballot": "start"}, {"level": 1, "ballot": "3move 12345"},
    {"level": 1, "ballot": 3}, {"level": 1, "ballot": "x" * 401}, {"level": 1, "ballot": "B:W1:B40"},
    {"people": 3}, {"people": "2"}, {"people": 2, "names": ["x" * 41]}, {"people": 2, "names": ["a", "b", "c"]},
    {"level": 1, "clock": "soon"}, {"level": 1, "clock": "2000:00+0"}, {"level": 1, "clock": 5},
    {"level": 1, "clock": "1" * 41}, {"game": "../../etc/passwd"}, {"game": ID}, {"game": 3}, {"game": ID[:-8]},
    {"game": ID[:-8], "document": {}}, {"game": ID[:-1], "document": {}}, {"game": ID, "document": [1]},
    {"game": ID, "document": {}}, {"game": "x" * 41},
    *(
        {"game": ID, "document": {"start": "W:W27:B6", "headers": headers}}
        for headers in (
            {}, {"BlackPlayer": "human", "WhitePlayer": "hub:rm x"}, {**UNDER_WAY, "EngineTimeControl": "1s"},
            {**UNDER_WAY, "TimeControl": "1000000s"}, {**UNDER_WAY, "TimeControl": "2000m+0s"},
            {"BlackPlayer": "human", "WhitePlayer": "shipped,level=11,seed=7"},
            {"BlackPlayer": "human", "WhitePlayer": "shipped,level=00,seed=7"}, {"BlackPlayer": "human"},
        )
    ),
]  # fmt: skip


def test_bad_requests_get_the_same_line(
    page: Page, house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("kr.web.game_files._signature", lambda begun: ID[-16:])
    for asked in BAD:
        for kept in tmp_path.rglob("*.pdn"):
            kept.unlink()
        streams = ServerStream(house, asked), page.open("play", asked)
        expected, told = (stream.next() for stream in streams)
        assert "error" in expected, asked
        assert told == expected, asked
    assert "evolved" in page.open("play", {"generation": 20}).next()["error"]
