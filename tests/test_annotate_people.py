"""Traps and oversights: losing moves that people are likely to play, and those that few do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from policies import random_policy
from test_annotate import BLUNDER, BLUNDER_PLY, PDN, QUICK

from kr import cli
from kr.analysis.annotation.annotation import annotate
from kr.analysis.annotation.judgement import MARKS, OVERSIGHT, TRAP, JudgedMove
from kr.analysis.annotation.judging import JudgeSettings
from kr.analysis.annotation.people import with_people
from kr.egdb.database import load_database
from kr.engine.engine import Engine
from kr.errors import InvalidSettingError
from kr.game.position import Move, Position, Side
from kr.game.value import Value
from kr.pdn import Game, write_game
from kr.players.people import People
from kr.policy.policy import load_policy
from kr.policy.shape import PolicyShape
from kr.system import split_command

SHAPE = PolicyShape(hidden=(16, 8), sight="none")
PLAYED, OTHER = Move((8, 12)), Move((8, 13))


def judged(mark: str, likely: float | None, likeliest: float | None, same: bool = False) -> JudgedMove:
    return JudgedMove(
        0, Side.BLACK, PLAYED, True, mark=mark, likely=likely, likeliest=PLAYED if same else OTHER,
        likeliest_probability=likeliest,
    )  # fmt: skip


def test_thresholds_must_be_apart() -> None:
    with pytest.raises(InvalidSettingError, match="an oversight is less likely than a trap"):
        JudgeSettings(trap=0.1, oversight=0.2)
    assert JudgeSettings(trap=0.6).slip(judged("??", 0.5, 0.5)) == ""
    assert JudgeSettings(oversight=0.2).slip(judged("??", 0.1, 0.5)) == OVERSIGHT


def test_judgements_are_told_what_the_policy_says() -> None:
    game = Game({}, Position(), BLUNDER.split())
    engine = Engine("manual", hash_mb=1)
    always = JudgeSettings(tc=QUICK.tc, trap=0, oversight=0)
    annotation = annotate(game, engine, always, policy=random_policy(SHAPE))
    positions = list(game.positions())
    for each in annotation.moves:
        choices = random_policy(SHAPE).choices(positions[each.ply], positions[: each.ply])
        if len(choices) == 1:
            assert each.likely is None
            continue
        shares = {choice.move: choice.probability for choice in choices}
        assert each.likely == shares[each.move]
        assert (each.likeliest, each.likeliest_probability) == choices[0]
        assert (each.slip == TRAP) == (each.mark in MARKS[1:])
    assert annotation.moves[BLUNDER_PLY].slip == TRAP
    sides = (annotation.black, annotation.white)
    assert sum(tally.traps for tally in sides) == sum(each.slip == TRAP for each in annotation.moves) > 0
    assert "1 trap" in annotation.report
    text = write_game(game)
    assert "A trap:" in text
    # the same game again, and without a policy
    annotate(game, engine, always, policy=random_policy(SHAPE))
    assert write_game(game) == text
    annotate(game, engine, always)
    assert "A trap" not in write_game(game)
    assert with_people(game, (), People(random_policy(SHAPE)), always) == ()


@pytest.mark.parametrize(
    ("fen", "played", "harder"),
    [
        ("W:W10,K11:B9,12", "11-15", "10-7"),
        # the chance was taken
        ("W:W10,K11:B9,12", "10-7", None),
        # it is won, or lost, before the move
        ("W:W18,K22:B5", "22-26", None),
        ("B:W18,K22:BK5", "5-1", None),
        # people have no chance to lose by their next move
        ("W:WK1,K2:BK31,K32", "1-6", None),
    ],
)
def test_a_draw_that_is_harder_for_people(fen: str, played: str, harder: str | None) -> None:
    people, position = People(load_policy(), load_database()), Position.from_fen(fen)
    found = people.harder_draw(position, position.parse_move(played))
    assert (str(found) if found else None) == harder


@pytest.mark.parametrize(
    ("result", "answer", "harder"),
    [("1/2-1/2", Value.DRAW, "10-7"), ("0-1", Value.DRAW, None), ("*", Value.LOSS, None), ("1-0", Value.WIN, "10-7")],
)
def test_no_chance_is_missed_by_who_wins_after_it(result: str, answer: Value, harder: str | None) -> None:
    start = Position.from_fen("W:W10,K11:B9,12")
    game = Game(start=start, moves=[start.parse_move("11-15"), (after := start.play("11-15")).legal_moves()[0]])
    game.result = result
    moves = [
        JudgedMove(0, start.side, game.moves[0], judged=True, value=Value.DRAW),
        JudgedMove(1, after.side, game.moves[1], judged=True, value=answer),
    ]
    told = with_people(game, moves, People(load_policy(), load_database()), JudgeSettings())[0].harder
    assert (None if told is None else str(told)) == harder


def test_the_moves_that_draw_the_hardest_for_people_first() -> None:
    people = People(load_policy(), load_database())
    for case in json.loads((Path(__file__).with_name("cases") / "harder.json").read_text("utf-8")):
        assert [str(move) for move in people.harder_first(Position.from_fen(case["fen"]))] == case["first"]


def test_a_draw_by_rule_is_not_harder_for_people() -> None:
    people, position = People(load_policy(), load_database()), Position.from_fen("W:WK15,K32:BK17,20")
    hardest, chance = people.draws(position)[0]
    after = position.play(hardest)
    assert chance > 0 == dict(people.draws(position, [after, position, after]))[hardest]
    assert People(random_policy(SHAPE), load_database()).draws(position) == []


@pytest.mark.slow
def test_the_command_with_and_without(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.pdn"
    path.write_text(PDN)
    line = f"annotate {path} --tc nodes=3000 --hash 1MB --workers 1 --egdb none --allow-errors --json"
    found = {}
    for people in ("shipped", "none"):
        out = tmp_path / f"{people}.pdn"
        assert cli.main(split_command(f"{line} --people {people} --out {out} --trap 0 --oversight 0")) == 0
        games = [json.loads(text) for text in capsys.readouterr().out.splitlines()][:-1]
        found[people] = [move for game in games for move in game["moves"]]
        assert ("A trap:" in out.read_text()) == (people == "shipped")
    assert [move["mark"] for move in found["shipped"]] == [move["mark"] for move in found["none"]]
    assert all(move["slip"] == "trap" for move in found["shipped"] if move["mark"] in ("?", "??"))
    assert {move["people"] for move in found["none"]} == {None}
    assert all(0 <= move["people"] <= move["likeliest_people"] <= 1 for move in found["shipped"] if move["likeliest"])


def test_analysis_tells_what_people_play(capsys: pytest.CaptureFixture[str]) -> None:
    line = "analyze --depth 4 --multipv 2 --weights manual --egdb none --hash 1MB"
    assert cli.main(split_command(line)) == 0
    out = capsys.readouterr().out
    assert "people" in out
    assert "people also play" in out
    assert max(map(len, out.splitlines())) <= 80
    assert cli.main(split_command(f"{line} --people none")) == 0
    assert "people" not in capsys.readouterr().out
    assert cli.main(split_command(f"{line} --json")) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])["people"]
    assert len(told) == 7
    assert sum(each["probability"] for each in told) == pytest.approx(1, abs=1e-3)


def test_analysis_puts_draws_in_the_order_in_which_they_are_hard_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["analyze", "W:W10,K11:B9,12", *split_command("--depth 2 --weights manual --hash 1MB")]
    assert cli.main(line) == 0
    assert "draws, the hardest for people first: 10-7, " in capsys.readouterr().out
    for more, first in (([], ["10-7"]), (["--people", "none"], [])):
        assert cli.main([*line, "--json", *more]) == 0
        assert json.loads(capsys.readouterr().out.splitlines()[-1])["harder"][:1] == first
