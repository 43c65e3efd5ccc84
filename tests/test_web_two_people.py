"""Two people at one board in the browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from watched_games import at_table, story

from kr.engine.limits import Limits
from kr.errors import KrError
from kr.game.outcome import AGREEMENT, OVERTIME, RESIGNATION
from kr.pdn import read_game
from kr.web import playing

LAST_CAPTURE = "B:W18:B14"


@pytest.fixture(autouse=True)
def games_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where games are kept."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(playing, "HINT", Limits(nodes=2000))
    return tmp_path / "kr" / "games"


def test_two_people_play_by_turns(games_directory):
    async def told(house):
        async with at_table(house, people=2, names=["Ann", " Ben "], clock="5+3") as page:
            await page.turn()
            assert page.game["settings"] == {
                "people": 2, "side": "", "ballot": "", "clock": "5m+3s", "names": ["Ann", "Ben"]
            }  # fmt: skip
            for ply, (path, ticking) in enumerate([([11, 15], "black"), ([22, 18], "white"), ([15, 22], "black")]):
                assert (page.state["ply"], page.state["ticking"]) == (ply, ticking)
                assert not page.state["thinking"]
                page.move(path)
                await page.turn()
            page.say("undo")
            assert (await page.hear("undo"))["undo"] == 1
            await page.turn()
            assert page.state["ply"] == 2
            page.say("hint", ply=2)
            hint = (await page.hear("hint"))["hint"]
            assert (hint["text"], hint["forced"], hint["other"]) == ("15x22", True, None)
            await page.turn()
            page.say("resign")
            await page.turn()
            assert page.over == {"result": "0-1", "winner": "white", "reason": RESIGNATION}
        kept = read_game(games_directory / f"{page.game['id']}.pdn")
        assert (kept.headers["Black"], kept.headers["White"]) == ("Ann", "Ben")

    story(told)


@pytest.mark.parametrize(
    ("asked", "said", "result", "reason"),
    [
        ({}, "draw", "1/2-1/2", AGREEMENT),
        ({"ballot": LAST_CAPTURE}, "move", "1-0", "no pieces left"),
        ({"clock": "0:00.1+0"}, "", "0-1", OVERTIME),
    ],
)
def test_how_games_of_two_people_end(asked, said, result, reason):
    async def told(house):
        async with at_table(house, people=2, **asked) as page:
            await page.turn()
            if said == "move":
                page.move([14, 23])
            elif said:
                page.say(said)
            while page.over is None:
                await page.turn()
            assert (page.over["result"], page.over["reason"]) == (result, reason)
            assert page.game["settings"]["side"] == ""

    story(told)


def test_a_game_of_two_people_goes_on_after_a_restart():
    ids = []

    async def before(house):
        async with at_table(house, people=2, names=["Ann"]) as page:
            await page.turn()
            page.move([11, 15])
            await page.turn()
            ids.append(page.game["id"])

    async def after(house):
        async with at_table(house, game=ids[0]) as page:
            await page.turn()
            assert page.line == ["11-15"]
            assert page.state["moves"]
            assert page.game["settings"]["names"] == ["Ann", ""]

    story(before)
    story(after)


def test_only_two_people_can_agree():
    async def told(house):
        async with at_table(house, level=1) as page:
            await page.turn()
            page.say("agree")
            assert "do is not one of" in (await page.hear("say"))["say"]
        with pytest.raises(KrError, match="people is not"):
            async with at_table(house, people=1):
                pass

    story(told)
