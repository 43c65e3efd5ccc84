"""Games against kr in the browser: the stream of a game, and whole games by clicks and keys."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest
from small_book import book_file
from systems import POSIX
from watched_games import Page, at_table, story

from kr.engine.limits import Limits
from kr.errors import KrError
from kr.game.board import Board
from kr.game.outcome import AGREEMENT, OVERTIME, RESIGNATION
from kr.pdn import read_game
from kr.viewer.document import read_document
from kr.web import game_files, opponents, playing
from kr.web.house import House
from kr.web.request import PageRequest

ONE_MAN_EACH = "W:W27:B6"
CAPTURES = "B:W6,14,15,23,24:B1,10"


@pytest.fixture(autouse=True)
def games_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where games are kept; the same choices by chance in each."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr("kr.play.setup.secrets.randbelow", lambda most: 6)
    monkeypatch.setattr(playing, "HINT", Limits(nodes=2000))
    return tmp_path / "kr" / "games"


@pytest.mark.parametrize(
    ("side", "level", "ballot"), [("black", 1, ""), ("white", 2, "3move 68"), ("black", 3, CAPTURES), ("white", 0, "")]
)
def test_a_whole_game(games_directory, side, level, ballot):
    async def told(house):
        source = random.Random(1)
        async with at_table(house, level=level, side=side, ballot=ballot) as page:
            board = read_board(page)
            assert page.game["settings"] == {"level": level, "side": side, "ballot": ballot, "clock": ""}
            while not page.game["over"]:
                event = await page.hear()
                if move := event.get("move"):
                    board.play(move["text"])
                    assert (move["fen"], move["ply"]) == (board.fen, len(board.moves))
                if state := event.get("state"):
                    assert (state["fen"], state["ply"]) == (board.fen, len(board.moves))
                    assert state["clocks"] is None
                    if not state["thinking"]:
                        assert [each["text"] for each in state["moves"]] == [str(each) for each in board.legal_moves()]
                        page.move(source.choice(state["moves"])["path"])
            assert page.line == [str(move) for move in board.moves]
            with pytest.raises(StopAsyncIteration):
                await anext(page.stream)
        outcome = board.outcome()
        if page.over["reason"] != RESIGNATION:
            assert page.over == {
                "result": outcome.result, "reason": outcome.reason,
                "winner": None if outcome.winner is None else ["black", "white"][outcome.winner],
            }  # fmt: skip
        (file,) = games_directory.glob("*.pdn")
        assert file.stem == page.game["id"]
        kept = read_game(file)
        assert (kept.result, [str(move) for move in kept.moves]) == (page.over["result"], page.line)
        assert kept == read_document(page.game["document"])

    story(told)


def read_board(page: Page) -> Board:
    """The game of a page so far, by the rules."""
    board = Board(page.game["document"]["start"])
    for text in page.line:
        board.play(text)
    return board


def test_moves_that_come_too_early_or_are_not_legal_do_nothing():
    async def told(house):
        async with at_table(house, level=1) as page:
            await page.turn()
            page.say("move", ply=0, path=[11, 15])
            page.say("move", ply=0, path=[8, 11])
            page.say("move", ply=7, path=[8, 11])
            await page.turn()
            page.say("move", ply=2, path=[1, 32])
            assert "Black's legal moves are" in (await page.hear("say"))["say"]
            await page.turn()
            assert page.state["ply"] == 2
            for bad in ({"path": "save x"}, {"path": [1]}, {"path": [11, True]}, {}, {"path": [11, 15], "ply": -1}):
                page.say("move", **{"ply": 2, **bad})
                assert await page.hear("say")
            page.say("save game.pdn")
            assert "not one of move, undo" in (await page.hear("say"))["say"]

    story(told)


def test_taking_back_hints_and_resigning(games_directory):
    async def told(house):
        async with at_table(house, level=1, side="white") as page:
            await page.turn()
            assert not page.state["undoable"]
            page.say("undo")
            assert "no move to take back" in (await page.hear("say"))["say"]
            await page.turn()
            page.move(page.state["moves"][0]["path"])
            await page.turn()
            assert page.state["ply"] == 3
            assert page.state["undoable"]
            page.say("hint", ply=3)
            hint = (await page.hear("hint"))["hint"]
            assert hint["path"] in [move["path"] for move in page.state["moves"]] or page.state["advising"]
            assert hint["win"] + hint["draw"] + hint["loss"] == pytest.approx(1, abs=1e-3)
            page.say("undo")
            assert (await page.hear("undo"))["undo"] == 2
            await page.hear("game")
            assert len(page.line) == 1
            await page.turn()
            page.say("resign")
            await page.turn()
            assert page.over == {"result": "1-0", "winner": "black", "reason": RESIGNATION}

    story(told)


@pytest.mark.parametrize(("moves", "agreed"), [(1, False), (9, True)])
def test_a_draw_offer(monkeypatch, moves, agreed):
    """The engine answers by its scores, as at the board."""
    monkeypatch.setattr("kr.play.play.refusal", lambda scores, plies: None if plies >= 9 else "it is too early")

    async def told(house):
        async with at_table(house, level=2) as page:
            await page.turn()
            while page.state["ply"] < moves:
                page.move(page.state["moves"][0]["path"])
                await page.turn()
            page.say("draw")
            assert (await page.hear("offer"))["offer"] == "black"
            if agreed:
                await page.hear("game")
                assert page.over == {"result": "1/2-1/2", "winner": None, "reason": AGREEMENT}
            else:
                assert (await page.hear("answer"))["answer"] == "White declines: it is too early"
                page.say("draw")
                assert "already offered" in (await page.hear("say"))["say"]

    story(told)


def test_an_offer_of_kr_is_accepted(monkeypatch):
    monkeypatch.setattr("kr.play.play.offers_draw", lambda scores, plies: plies == 2)

    async def told(house):
        async with at_table(house, level=2) as page:
            await page.turn()
            page.move([11, 15])
            assert (await page.hear("offer"))["offer"] == "white"
            await page.turn()
            assert page.state["offer"]
            page.say("draw")
            await page.turn()
            assert page.over["reason"] == AGREEMENT

    story(told)


@pytest.mark.slow
def test_a_person_whose_time_is_up_has_lost():
    async def told(house):
        async with at_table(house, level=1, clock="0:00.3+0") as page:
            await page.turn()
            assert page.state["ticking"] == "black"
            assert page.state["clocks"][0] <= 0.3
            page.move([11, 15])
            await page.turn()
            first, second = page.state["clocks"]
            assert 0 < first < 0.3
            assert 0 < second <= 0.3
            await page.turn()
            assert page.over == {"result": "0-1", "winner": "white", "reason": OVERTIME}
            assert page.game["settings"]["clock"] == "0.3s+0s"

    story(told)


def test_two_windows_and_a_page_that_loads_again():
    async def told(house):
        async with at_table(house, level=1, clock="5+3") as one:
            await one.turn()
            one.move([11, 15])
            await one.turn()
            async with at_table(house, game=one.game["id"]) as other:
                assert other.line == [event["move"]["text"] for event in one.events if "move" in event]
                await other.turn()
                assert (other.state["fen"], other.state["moves"]) == (one.state["fen"], one.state["moves"])
                assert 290 < other.state["clocks"][0] <= one.state["clocks"][0]
                other.move(other.state["moves"][0]["path"])
                await other.turn()
                await one.turn()
                assert one.state["fen"] == other.state["fen"]
        async with at_table(house, game=one.game["id"]) as again:
            await again.turn()
            assert again.state["fen"] == one.state["fen"]
            again.say("resign")
            await again.turn()
        async with at_table(house, game=one.game["id"]) as late:
            assert late.over["reason"] == RESIGNATION
            with pytest.raises(StopAsyncIteration):
                await anext(late.stream)

    story(told)


@pytest.mark.parametrize("lost", [False, True])
def test_a_server_that_starts_again_goes_on(games_directory, lost):
    seen: dict[str, Any] = {}

    async def before(house):
        async with at_table(house, level=1, ballot="3move 68", clock="5+3", side="white") as page:
            await page.turn()
            page.move(page.state["moves"][0]["path"])
            await page.turn()
            seen.update(id=page.game["id"], line=page.line, state=page.state)
            seen["document"] = page.game["document"]
            for event in page.events:
                if move := event.get("move"):
                    seen["document"]["nodes"].append({"parent": move["ply"] - 1, **move})

    async def after(house):
        document = {"document": seen["document"]} if lost else {}
        async with at_table(house, game=seen["id"], **document) as page:
            await page.turn()
            assert page.state["fen"] == seen["state"]["fen"]
            assert page.state["clocks"] == pytest.approx(seen["state"]["clocks"], abs=0.5)
            page.say("undo")
            await page.hear("undo")
            await page.turn()
            page.say("undo")
            assert "no move to take back" in (await page.hear("say"))["say"]

    story(before)
    if lost:
        for file in games_directory.iterdir():
            file.unlink()
    story(after)
    assert [file.stem for file in games_directory.glob("*.pdn")] == [seen["id"]]


def document(**headers: str) -> dict[str, Any]:
    """A request to go on with a game that was begun here and whose file is lost."""
    return {"game": BEGUN_HERE, "document": {"start": ONE_MAN_EACH, "headers": headers}}


BEGUN_HERE = "an id of this server"


LEVEL = {"BlackPlayer": "human", "WhitePlayer": "shipped,level=3,seed=7"}


# a request, and what is said of it
BAD = [
    ({"level": 11}, "level is not a whole number from 0 to 10"),
    ({"level": 1, "side": "green"}, "side is not one of"),
    ({"level": 1, "ballot": "3move 175"}, "3move has no opening 175"),
    ({"level": 1, "ballot": "/etc/passwd"}, "FEN"),
    ({"level": 1, "ballot": "games.pdn"}, "FEN"),
    ({"level": 1, "ballot": "Alma/../games.pdn"}, "FEN"),
    ({"level": 1, "ballot": "Alma.pdn"}, "FEN"),
    ({"level": 1, "ballot": "Alma 2"}, "Alma has no opening 2"),
    ({"level": 1, "ballot": "W:W:B1"}, "no legal move"),
    ({"people": 3}, "people is not a whole number from 2 to 2"),
    ({"people": 2, "names": ["x" * 41]}, "names is not a list of texts of at most 40"),
    ({"people": 2, "names": ["a", "b", "c"]}, "names is not a list of at most 2"),
    ({"level": 1, "clock": "soon"}, "'soon' is not a time control"),
    ({"level": 1, "clock": "2000:00+0"}, "longer than a day"),
    ({"game": "../../etc/passwd"}, "not the id of a game"),
    ({"game": "20260101-000000-0123456789ab"}, "not kept here any more"),
    ({"game": "20260101-000000-0123456789ab", "document": {}}, "not kept here any more"),
    ({"game": "20260101-000000-0123456789abcdef0123", "document": {}}, "not kept here any more"),
    ({"game": "20260101-000000-0123456789abcdef012", "document": {}}, "not the id of a game"),
    (document(), "a person against a level of kr"),
    (document(BlackPlayer="human", WhitePlayer="hub:rm x"), "against a level"),
    (document(**LEVEL, EngineTimeControl="1000000s"), "no EngineTimeControl"),
    (document(**LEVEL, TimeControl="1000000s"), "not a time control"),
    (document(**LEVEL, TimeControl="2000m+0s"), "longer than a day"),
    (document(**LEVEL, Site="x" * 100_000), "more than 100,000 characters"),
    ({"generation": 123456}, "generation 123456 of the run"),
    ({"generation": -1}, "generation is not a whole number from 0 to"),
    ({"generation": "x"}, "generation is not a whole number"),
    ({"game": BEGUN_HERE, "document": [1]}, "a game is a JSON object"),
]


def test_bad_requests_get_one_line(games_directory):
    async def told(house):
        for asked, said in BAD:
            given = {**asked, "game": game_files.new_path().stem} if asked.get("game") == BEGUN_HERE else asked
            with pytest.raises(KrError) as caught:
                async with at_table(house, **given):
                    pass
            assert said in str(caught.value), asked
            assert "\n" not in str(caught.value), asked
            assert not games_directory.exists(), asked

    story(told)


def test_what_a_page_makes_up_gets_no_file(games_directory):
    """Finished games too, which are not played on: 50 MB of them came in fifteen seconds."""
    whole = {"start": ONE_MAN_EACH, "headers": {**LEVEL, "Result": "1-0", "Site": "x" * 50_000}}
    own = game_files.new_path().stem

    async def told(house):
        for number in range(300):
            made_up = f"{own[:-20]}{number:04x}{own[-16:]}" if number % 2 else f"{own[:-20]}{number:012x}"
            if made_up == own:
                continue
            with pytest.raises(KrError, match="not kept here any more"):
                async with at_table(house, game=made_up, document=whole):
                    pass
        assert not games_directory.exists()
        for _ in range(3):
            async with at_table(house, game=own, document=whole) as page:
                assert page.over["result"] == "1-0"

    story(told)
    assert [file.name for file in games_directory.iterdir()] == [f"{own}.pdn"]
    key = games_directory.with_name("web-games.key")
    # elsewhere it lies where only this user may read
    assert not POSIX or key.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("most", "value"), [("MOST_STORED_GAMES", 2), ("MOST_STORED_BYTES", 600)])
def test_games_are_kept_within_a_budget(games_directory, monkeypatch, most, value):
    games_directory.mkdir(parents=True)
    begun = [game_files.new_path() for _ in range(3)]
    # those of kr play, and what is left of a writer, don't count
    others = [games_directory / "20260101-000000.pdn", games_directory / f".{begun[2].name}.1.abcd.tmp"]
    for path in (begun[0], games_directory / "20260101-000000-0123456789ab.pdn", *others):
        path.write_text('[Result "*"] *'.ljust(300))
    monkeypatch.setattr(game_files, most, value)

    async def told(house):
        for asked in ({"level": 0}, {**document(**LEVEL), "game": begun[1].stem}):
            with pytest.raises(KrError, match=r"^2 games \(0 MB\) are kept in .*games; kr web keeps up to .* delete"):
                async with at_table(house, **asked):
                    pass
        (games_directory / "20260101-000000-0123456789ab.pdn").unlink()
        async with at_table(house, level=0) as page:
            assert page.game["id"]

    story(told)


def test_two_servers_do_not_play_one_game():
    async def told(house):
        async with at_table(house, level=1) as page:
            await page.turn()
            page.move([11, 15])
            await page.turn()
            another = House(house.settings)
            async with at_table(another, game=page.game["id"]) as again:
                with pytest.raises(KrError, match="another kr web has this game open"):
                    await again.turn()
            page.move(page.state["moves"][0]["path"])
            await page.turn()
            assert page.state["ply"] == 4

    story(told)


def test_games_are_bounded(monkeypatch):
    monkeypatch.setattr(playing, "MOST_PLAYED", 2)

    async def told(house):
        async with at_table(house, level=1) as one, at_table(house, level=1) as two:
            with pytest.raises(KrError, match="2 games are being played"):
                async with at_table(house, level=1):
                    pass
            await two.turn()
            two.move([11, 15])
            await two.turn()
            await two.stream.aclose()
            # the one that nobody watches makes room, and comes back from its file
            async with at_table(house, level=1):
                pass
            async with at_table(house, game=two.game["id"]) as again:
                await again.turn()
                assert again.state["fen"] == two.state["fen"]
            assert one.over is None

    story(told)


def test_games_that_are_begun_are_counted(monkeypatch):
    monkeypatch.setattr(playing, "BURST", 3.0)

    async def told(house):
        for _ in range(3):
            async with at_table(house, level=1):
                pass
        with pytest.raises(KrError, match="too many games have been begun"):
            async with at_table(house, level=1):
                pass

    story(told)


def test_a_game_that_nobody_watches_is_put_away(monkeypatch):
    monkeypatch.setattr(playing, "UNWATCHED_SECONDS", 0.0)

    async def told(house):
        for clock, stays in (("", False), ("5+3", True)):
            async with at_table(house, level=1, clock=clock) as page:
                await page.turn()
                page.move([11, 15])
                await page.turn()
            for _ in range(20):
                await asyncio.sleep(0)
            games = playing.games_of(house)
            assert (page.game["id"] in games._running) is stays
            async with at_table(house, game=page.game["id"]) as again:
                await again.turn()
                assert again.state["fen"] == page.state["fen"]

    story(told)


@pytest.mark.slow
def test_full_strength_plays_by_an_engine_that_is_lent():
    async def told(house):
        async with at_table(house, level=10, side="white", clock="0:03+0") as page:
            await page.turn()
            page.move(page.state["moves"][0]["path"])
            await page.hear("move")
            assert (await page.hear("state"))["state"]["thinking"]
            assert house.engines.own.lent == 1
            assert page.state["ticking"] == "black"
            # who takes a move back waits for no search
            page.say("undo")
            await page.hear("undo")
            assert house.engines.own.lent == 0
            await page.turn()
            page.move(page.state["moves"][0]["path"])
            await page.hear("move")
        playing.games_of(house).put_away(playing.games_of(house)._running[page.game["id"]])
        while house.engines.own.lent:
            await asyncio.sleep(0.01)
        async with at_table(house, game=page.game["id"]) as again:
            await again.turn()
            assert again.state["ply"] == 3

    story(told, book="none")


@pytest.mark.parametrize(("level", "told"), [(10, True), (8, True), (7, False)])
def test_high_levels_play_from_the_book(games_directory, tmp_path, level, told):
    async def asked(house):
        async with at_table(house, level=level, side="white") as page:
            await page.turn()
            (move,) = [event["move"] for event in page.events if "move" in event]
            assert (move["text"] in ("11-15", "9-14") and "book, +0.0" in " ".join(move["comments"])) == told
            assert house.engines.own.lent == 0
        assert ("book, +0.0" in next(games_directory.glob("*.pdn")).read_text()) == told

    story(asked, book=book_file(tmp_path))


def test_the_levels_are_told():
    async def told(house):
        levels = opponents.levels(house, PageRequest({}))["levels"]
        assert [level["number"] for level in levels] == list(range(11))
        assert levels[0]["words"] == "plays what people are likely to play, without a search"
        assert levels[9]["words"] == "looks at 25k positions a move, and chooses among what people play"
        assert all("overlooks" in level["words"] for level in levels[1:3])
        assert levels[-1]["words"] == "full strength"
        elo = [level["elo"] for level in levels[1:]]
        assert elo == sorted(set(elo))
        assert [level["fifth"] for level in levels[1:]] == [1, 1, 1, 1, 1, 1, 3, 5, 5, 5]

    story(told)
