"""Matches of engines in the browser: their streams, files and resuming."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from web_pages import finished

from kr.errors import KrError
from kr.game.board import Board
from kr.game.position import Position
from kr.match.log import log_of
from kr.pdn import read_games
from kr.system import join_command
from kr.viewer.document import game_document
from kr.web.house import House
from kr.web.matches import files as match_files
from kr.web.matches import live_match
from kr.web.matches import requests as matches
from kr.web.request import PageRequest
from kr.web.services import engines
from kr.web.settings import WebSettings

FAST = {"a": "level:2", "b": "level:1", "games": 4, "tc": "nodes=300", "ballot": "3move"}


@pytest.fixture(autouse=True)
def matches_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where matches are kept; nobody waits between moves."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(live_match, "USUAL_PACE", 0.0)
    monkeypatch.setattr(matches, "MATCH_UPDATES", 1000)
    return tmp_path / "kr" / "matches"


def story(told: Callable[[House], Any], **settings: Any) -> None:
    """Run a story on a server's House."""

    async def run() -> None:
        house = House(WebSettings(browser=False, weights="material", egdb="none", **settings))
        try:
            await told(house)
        finally:
            await asyncio.to_thread(house.close)

    finished(run())


class Watcher:
    """A page that watches a match, and keeps what a real one keeps."""

    def __init__(self, stream: Any, inbox: asyncio.Queue[PageRequest]) -> None:
        self.stream, self.inbox = stream, inbox
        self.facts: dict[str, Any] = {}
        self.rows: list[dict[str, Any]] = []
        self.score: dict[str, Any] = {}
        self.game: dict[str, Any] = {}

    def say(self, do: str, **others: Any) -> None:
        self.inbox.put_nowait(PageRequest({"do": do, **others}))

    async def hear(self) -> dict[str, Any]:
        event: dict[str, Any] = await asyncio.wait_for(anext(self.stream), 60)
        self.facts = event.get("match", self.facts)
        self.score = event.get("score", self.score)
        self.rows += event.get("games", [])
        if "game" in event:
            self.game = event["game"]
        for move in event.get("moves", []):
            assert len(self.game["nodes"]) >= event["ply"]
            self.game["nodes"].append(move)
        return event

    async def until(self, *states: str, rows: int = 0) -> None:
        while self.facts.get("state") not in states or len(self.rows) < rows:
            await self.hear()

    async def moves(self, count: int) -> None:
        while len(self.game.get("nodes", [])) < count:
            await self.hear()


@asynccontextmanager
async def watching(house: House, **asked: Any) -> AsyncIterator[Watcher]:
    inbox: asyncio.Queue[PageRequest] = asyncio.Queue(100)
    stream = matches.watch_match(house, PageRequest(asked), inbox)
    try:
        yield Watcher(stream, inbox)
    finally:
        await stream.aclose()


def test_a_whole_match(matches_directory):
    async def told(house):
        async with watching(house, **FAST) as page:
            await page.until("done")
            with pytest.raises(StopAsyncIteration):
                while True:
                    await page.hear()
        assert page.facts["names"] == ["kr level 2", "kr level 1"]
        assert [row["number"] for row in page.rows] == [0, 1, 2, 3]
        assert [row["black"] for row in page.rows] == ["a", "b", "a", "b"]
        assert page.rows[0]["opening"] == page.rows[1]["opening"] != page.rows[2]["opening"]
        points = [row["points"] for row in page.rows]
        score = page.score
        assert [score["wins"], score["draws"], score["losses"]] == [points.count(2), points.count(1), points.count(0)]
        assert sum(score["pairs"]) == 2
        assert score["elo"] is not None
        assert score["error"] > 0
        (file,) = matches_directory.glob("*.pdn")
        assert file.stem == page.facts["id"]
        games = list(read_games(file))
        assert [game.headers["Black"] for game in games] == ["kr level 2", "kr level 1"] * 2
        id = page.facts["id"]
        for number, game in enumerate(games):
            asked = PageRequest({"match": id, "number": number})
            document = (await matches.show_match_game(house, asked))["document"]
            assert document == game_document(game)
        with pytest.raises(KrError, match="no game 5"):
            await matches.show_match_game(house, PageRequest({"match": id, "number": 4}))
        assert matches.save_match(house, PageRequest({"match": id}))["pdn"] == file.read_text("utf-8")
        # a page that is behind hears of the end last
        late = matches.matches_of(house).find(id).news(live_match.Seen(facts={}, rows=3))
        assert [next(iter(event)) for event in late] == ["games", "match"]
        # it is found again when it is over
        async with watching(house, match=id, resume=True) as again:
            await again.until("done", rows=4)
            assert (again.rows, again.score) == (page.rows, page.score)
        assert matches.matches_of(house)._matches == {}

    story(told)


def test_each_move_is_seen_and_legal():
    """A page that comes later sees the same game."""

    async def told(house):
        async with watching(house, a="random", b="level:1", tc="1+1") as page:
            await page.until("running")
            page.say("pace", seconds=0.001)
            await page.moves(3)
            async with watching(house, match=page.facts["id"]) as other:
                await other.moves(3)
                if other.game["number"] == page.game["number"]:
                    assert other.game["nodes"][:3] == page.game["nodes"][:3]
            board = Board(page.game["start"])
            for node in page.game["nodes"]:
                assert board.play(node["text"])
                assert node["fen"] == board.fen
            page.say("stop")
            await page.until("stopped")

    story(told)


def test_the_clocks_of_both(monkeypatch):
    async def told(house):
        async with watching(house, a="level:1", b="level:1", tc="1+2") as page:
            event: dict[str, Any] = {}
            while "game" not in event:
                event = await page.hear()
            most = 62 + 2 * len(page.game["nodes"])
            assert all(55 < left <= most for left in event["clocks"])
            assert event["ticking"] in ("black", "white", None)
            assert page.facts["names"] == ["kr level 1 (A)", "kr level 1 (B)"]

    story(told)


def test_a_match_is_stopped_and_resumed(matches_directory):
    async def told(house):
        async with watching(house, **FAST) as page:
            await page.until("running", rows=1)
            page.say("stop")
            await page.until("stopped", "done")
            page.say("resume")
            await page.until("done", rows=4)
        assert len(list(read_games(next(matches_directory.glob("*.pdn"))))) == 4

    story(told)


def test_a_match_takes_its_turn_among_all_searches(monkeypatch):
    async def told(house):
        own = house.engines.own
        loans = [own.ask(object()) for _ in range(engines.MOST_ENGINES)]
        async with watching(house, **FAST) as page:
            await page.until("running")
            while not page.game:
                await page.hear()
            # the moves of the ballot are there, and forced ones, but no engine is free
            await asyncio.sleep(0.05)
            assert not [node for node in page.game["nodes"] if "score" in node]
            loans.pop().end()
            await page.until("done", rows=4)
            assert own.lent == len(loans)
        async with watching(house, **FAST) as page:
            loans.append(own.ask(object()))
            await page.until("running")
            page.say("stop")
            await page.until("stopped")
        for loan in loans:
            loan.end()

    story(told)


@pytest.mark.slow
def test_a_match_survives_pages_and_servers():
    ids: list[str] = []

    async def first(house):
        async with watching(house, **{**FAST, "games": 40}) as page:
            await page.until("running", rows=1)
            ids.append(page.facts["id"])
        # it goes on without a page, until the server stops
        while len(matches.matches_of(house)._matches[ids[0]]._result.games) < 3:
            await asyncio.sleep(0.01)
        await asyncio.to_thread(house.close)

    async def then(house):
        async with watching(house, match=ids[0]) as page:
            await page.until("stopped", rows=3)
            assert page.facts["settings"]["games"] == 40
            before = len(page.rows)
            page.say("resume")
            await page.until("running", rows=before + 1)
            assert [row["number"] for row in page.rows] == list(range(len(page.rows)))

    story(first)
    story(then)


PLAYERS = ["level:10", "people", "weights:manual", "mcts:100", "random"]


@pytest.mark.parametrize("key", PLAYERS)
def test_each_kind_of_player_plays(key):
    async def told(house):
        async with watching(house, a=key, b="random", tc="nodes=100") as page:
            await page.until("running", "failed")
            await page.moves(6)
            assert page.facts["state"] == "running"

    story(told)


@pytest.mark.slow
def test_another_program_plays(matches_directory, tmp_path):
    command = f"hub:{sys.executable} -m kr hub --weights material --egdb none"

    async def told(house):
        players = matches.list_contenders(house, PageRequest({}))["players"]
        program = players[-1]
        assert program["key"] == "engine:1"
        async with watching(house, a="engine:1", b="level:1", tc="nodes=200") as page:
            await page.until("done", rows=2)
            assert page.facts["names"][0] == program["name"]
            assert not [row for row in page.rows if row["reason"] == "engine failure"]
        assert house.engines.others[0].lent == 0

    story(told, engines=(command,), log=tmp_path / "logs")
    assert any("> go think" in path.read_text("utf-8") for path in (tmp_path / "logs").iterdir())


def test_a_program_that_can_not_be_started(tmp_path):
    program = Path(shutil.copy(sys.executable, tmp_path / f"engine{Path(sys.executable).suffix}"))

    async def told(house):
        program.unlink()
        async with watching(house, a="engine:1", b="level:1") as page:
            await page.until("failed")
            assert page.facts["why"]

    story(told, engines=(f"hub:{join_command([str(program)])}",))


# a request, and what is said of it
BAD = [
    ({"a": "level:11"}, "there is no player 'level:11'"),
    ({"a": "weights:/etc/passwd"}, "there is no player"),
    ({"a": "hub:rm -rf x"}, "there is no player"),
    ({"a": "engine:1"}, "there is no player"),
    ({"b": "evolved:123456"}, "there is no player"),
    ({"games": 3}, "3 games: expected an even number"),
    ({"games": 4, "ballot": ""}, "2 at most"),
    ({"games": 1002}, "games is not a whole number from 2 to 1,000"),
    ({"ballot": "games.pdn"}, "FEN"),
    ({"ballot": "B:WK1:B"}, "no move is legal"),
    ({"tc": "depth=5"}, "expected seconds a move, nodes or a clock"),
    ({"tc": "3600s"}, "longer than 60 seconds"),
    ({"tc": "120+0"}, "longer than an hour"),
    ({"tc": "soon"}, "soon"),
    ({"match": "../../etc/passwd"}, "not the id of a match"),
    ({"match": "20260101-000000-0123456789abcdef0123"}, "not kept here any more"),
]


def test_bad_requests_get_one_line_of_a_match(matches_directory):
    async def told(house):
        for change, said in BAD:
            with pytest.raises(KrError) as caught:
                async with watching(house, **{**FAST, **change}) as page:
                    await page.hear()
            assert said in str(caught.value), change
            assert "\n" not in str(caught.value)
        assert not matches_directory.exists()

    story(told)


def test_matches_are_bounded(monkeypatch):
    monkeypatch.setattr(matches, "MOST_RUNNING", 1)
    long = {**FAST, "games": 100}

    async def told(house):
        async with watching(house, **long) as one:
            await one.until("running", rows=1)
            async with watching(house, **long) as two:
                with pytest.raises(KrError, match="1 matches are being played"):
                    await two.hear()
        # the one that nobody watches makes room
        async with watching(house, **long) as two:
            await two.until("running", rows=1)

    story(told)


def test_matches_are_kept_within_a_budget(matches_directory, monkeypatch):
    monkeypatch.setattr(match_files, "MOST_STORED_MATCHES", 1)

    async def told(house):
        async with watching(house, **FAST) as page:
            await page.until("done", rows=4)
        with pytest.raises(KrError, match=r"^1 matches \(0 MB\) are kept in .*[/\\]matches"):
            async with watching(house, **FAST) as page:
                await page.hear()

    story(told)


@pytest.mark.slow
def test_two_servers_do_not_play_one_match():
    async def told(house):
        async with watching(house, **{**FAST, "games": 100}) as page:
            await page.until("running", rows=1)
            another = House(house.settings)
            async with watching(another, match=page.facts["id"], resume=True) as again:
                await again.until("failed")
                assert "another process" in again.facts["why"] or "in use" in again.facts["why"]
            await page.until("running", rows=len(page.rows) + 1)

    story(told)


def test_a_match_without_its_log_or_with_one_of_kr_match(matches_directory):
    async def told():
        house = House(WebSettings(browser=False, weights="material", egdb="none"))
        path = match_files.new_path()
        path.parent.mkdir(parents=True)
        log_of(path).write_text('{"settings": {"players": ["a", "b"]}, "provenance": {}}\n')
        async with watching(house, match=path.stem) as page:
            with pytest.raises(KrError, match="a player of this match is not there"):
                await page.hear()

    finished(told())


def test_games_of_a_position(matches_directory):
    fen = Position.from_fen("W:W27,K1:B6,K30").fen

    async def told(house):
        async with watching(house, a="random", b="random", tc="0.1s", ballot=fen) as page:
            await page.until("done", rows=2)
        assert [game.start.fen for game in read_games(next(matches_directory.glob("*.pdn")))] == [fen, fen]

    story(told)
