"""A player's mistakes in many games: by reasons, openings and endings, and what trains them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from test_annotate import PDN
from test_annotate_files import settings_of

from kr import cli
from kr.analysis.annotation.files import annotate_files
from kr.analysis.annotation.mistakes import LEAST_IN_OPENING, MOST_IN_ENDING, THEMES, PlayerMistakes, kind_name
from kr.errors import InvalidSettingError
from kr.problems.themes import Theme

CASES = json.loads((Path(__file__).with_name("cases") / "player.json").read_text("utf-8"))
START = "B:W21-32:B1-12"
DRAWN = "B:WK1,K6:BK8,K13"


def move(mark: str, why: str = "", side: str = "black", **more: Any) -> dict[str, Any]:
    reasons = (
        [{"say": f"why.{why}", "with": {"line": "12-16 19x12", "given": "1", "taken": "2", "count": 1}}] if why else []
    )
    return {
        "side": side, "mark": mark, "why": reasons, "loss": 0.2, "best": "11-15", "fen": START, "label": "1. 12-16",
        "value_before": None, **more,
    }  # fmt: skip


def record(number: int, *moves: dict[str, Any], **headers: str) -> dict[str, Any]:
    return {"number": number, "headers": {"Black": "Smith, J.", "White": "Lee", **headers}, "moves": moves}


def test_what_both_forms_have_in_common() -> None:
    assert CASES["themes"] == THEMES
    assert CASES["pieces"] == {"ending": MOST_IN_ENDING, "opening": LEAST_IN_OPENING}
    assert set(THEMES.values()) <= set(Theme)


def test_marks_are_counted_by_their_first_reason_opening_and_ending() -> None:
    player = PlayerMistakes(["J Smith", "Smith, John"])
    shot = move("??", "shot", loss=0.5)
    games = [
        record(1, shot, move("?", "shot", "white"), move("", "shot"), move("?"), Opening="Kelso"),
        record(2, move("?!", "two_for_one"), move("?"), move("?"), Opening="Kelso"),
        record(3, move("??", fen=DRAWN, value_before="draw"), Black="Lee", White="smith, john"),
        record(
            4, move("??", "loses", "white", fen="W:W22,K30:B9,K1"), Black="Lee", White="smith, john", Opening="Cross"
        ),
        # neither, or both
        record(5, shot, Black="Lee"),
        record(6, shot, White="Smith, J"),
    ]
    for game in reversed(games):
        player.add(game)
    kinds = [(each.name, len(each.mistakes), round(each.given, 2), each.worst.game) for each in player.kinds()]
    assert kinds == [("shot", 1, 0.5, 1), ("loses", 1, 0.2, 4), ("two_for_one", 1, 0.2, 2), ("", 3, 0.6, 1)]
    openings = [(each.name, each.side, each.games, len(each.mistakes), each.early) for each in player.openings()]
    assert openings == [("Kelso", "black", 2, 5, 5), ("Cross", "white", 1, 1, 0)]
    assert [each.name for each in player.endings()] == ["2v2"]
    told = player.as_object("")
    assert (told["games"], told["marks"], told["without_reason"]) == (4, 6, 3)
    assert told["kinds"][0]["worst"]["label"] == "1. 12-16??"
    assert told["kinds"][0]["worst"]["why"] == "This allows a shot, 1 for 2: 12-16 19x12."
    assert [each["command"] for each in told["drills"]] == ["kr learn --theme shot", "kr learn --theme two-for-one"]
    assert player.drills("out.pdn")[-1].page == "player/J%20Smith"


def test_the_ending_to_train_is_one_that_was_not_lost() -> None:
    player = PlayerMistakes(["Smith, J"])
    player.add(record(1, move("??", fen=DRAWN, value_before="draw", loss=0.5), move("??", fen=DRAWN, loss=0.9)))
    (drill,) = player.drills("")
    assert (drill.command, drill.page) == (f'kr play --side black --ballot "{DRAWN}"', f"endings/draw/{DRAWN}")


def test_a_kind_that_has_no_name_yet_is_told_by_its_words() -> None:
    assert [kind_name(each) for each in ("", "shot", "new_kind")] == ["no reason found", "shot allowed", "new kind"]


def test_only_games_of_the_player_are_annotated(tmp_path: Path) -> None:
    path = tmp_path / "games.pdn"
    path.write_text(PDN)
    report = annotate_files(settings_of(path, player=("a",)))
    assert (report.games, set(report.players)) == (2, {"A", "B", "C"})
    assert report.mistakes is not None
    assert len(report.mistakes.mistakes) == sum(
        getattr(report.players["A"], kind) for kind in ("inaccuracies", "mistakes", "blunders")
    )
    with pytest.raises(InvalidSettingError, match="no game of 'Nobody'"):
        annotate_files(settings_of(path, tmp_path / "out.pdn", player=("Nobody",)))
    assert not (tmp_path / "out.pdn").exists()


def test_the_command_says_what_goes_wrong_in_80_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.pdn"
    path.write_text(PDN)
    quick = "--tc", "nodes=300", "--hash", "1MB", "--weights", "manual", "--workers", "1", "--quiet"
    assert cli.main(["annotate", str(path), "--player", "B", *quick, "--allow-errors"]) == 0
    said = capsys.readouterr().out
    assert "B: 1 mark, 0 of them without a reason" in said
    assert "[Event" not in said
    assert max(map(len, said.splitlines())) <= 80
    assert cli.main(["annotate", str(path), "--player", "B", *quick, "--allow-errors", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert summary["player"]["marks"] == 1
