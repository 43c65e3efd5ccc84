"""Ladders: who meets whom, for how long, and the same after any interruption."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from kr.cli import main
from kr.engine.limits import Limits
from kr.errors import InvalidGamesError, InvalidSettingError
from kr.match import ladder as module
from kr.match.ladder import LADDER_FILE, PICTURE_FILE, Ladder, LadderSettings, climb
from kr.match.match import play_match
from kr.match.result import MatchResult

PLAYERS = ("manual", "material", "random:1")


@pytest.fixture
def settings(tmp_path: Path) -> LadderSettings:
    return LadderSettings(
        dir=tmp_path / "ladder", players=PLAYERS, error=150, most=12, block=4, ballot="3move", tc=Limits(nodes=40),
        hash=1 << 20, egdb="none", workers=1,
    )  # fmt: skip


def essence(ladder: Ladder) -> object:
    return ladder.summary(), ladder.matches


def test_each_player_plays_until_its_place_is_known(settings: LadderSettings) -> None:
    ladder = climb(settings)
    rows = {row["name"]: row for row in ladder.summary()}
    assert (rows["manual"]["elo"], rows["manual"]["error"]) == (0, 0)
    assert rows["material"]["games"] >= 4
    for name in PLAYERS[1:]:
        own = [sides for sides in ladder.matches if sides[0] == PLAYERS.index(name)]
        # later matches of others move it a little
        assert len(own) == 3 or rows[name]["error"] <= 170
    # the last one meets the player that is closest to its strength, once both have been met
    assert rows["random:1"]["elo"] < rows["material"]["elo"]
    assert {sides for sides in ladder.matches if sides[0] == 2} == {(2, 0), (2, 1)}
    # those that have their place play no more
    assert essence(climb(settings)) == essence(ladder)
    assert (settings.dir / PICTURE_FILE).read_text().count("<circle") == 3


@pytest.mark.slow
def test_a_ladder_with_interruptions_is_that_without(
    settings: LadderSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = climb(settings)
    again = replace(settings, dir=tmp_path / "again")
    left = iter([1, 3, 6])

    def play(match: object) -> MatchResult:
        stop_at = next(left, 1000)

        def on_game(result: MatchResult) -> None:
            if len(result.games) >= stop_at:
                raise KeyboardInterrupt

        return play_match(match, on_game)

    monkeypatch.setattr(module, "play_match", play)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            climb(again)
        for path in again.dir.glob("*.pdn"):
            os.truncate(path, path.stat().st_size - 20)
    assert essence(climb(again)) == essence(whole)


def test_a_ladder_keeps_its_scale(settings: LadderSettings) -> None:
    one = replace(settings, players=PLAYERS[:1])
    climb(one)
    with pytest.raises(InvalidSettingError, match="a ladder with tc nodes=40, not nodes=41; choose another directory"):
        climb(replace(one, tc=Limits(nodes=41)))
    (settings.dir / LADDER_FILE).write_text('{"players": [], "matches": [[0, 1]], "scale": {}}')
    with pytest.raises(InvalidGamesError, match="not a ladder"):
        climb(one)
    with pytest.raises(InvalidSettingError, match="even number"):
        replace(one, block=3)


def test_the_command_shows_a_ladder(settings: LadderSettings, capsys: pytest.CaptureFixture[str]) -> None:
    words = f"ladder {settings.dir} --tc nodes=40 --hash 1MB --egdb none --ballot 3move --block 2 --most 2".split()
    assert main(words) == 1
    assert "is not a ladder yet" in capsys.readouterr().err
    assert main([*words, "manual", "material"]) == 0
    assert capsys.readouterr().out.startswith("player ")
    assert main(["ladder", str(settings.dir), "--json"]) == 0  # whatever its scale
    told = json.loads(capsys.readouterr().out)
    assert {each["name"]: each["games"] for each in told["players"]} == {"manual": 2, "material": 2}
