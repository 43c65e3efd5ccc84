"""Results of self-play by the moves of its openings."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from kr.book.frame import numbered_moves
from kr.cli import main
from kr.game.position import Position
from kr.learn.games import decoded_moves, read_game_arrays, stored_games
from kr.openings.decks import deck
from kr.page.data import self_play

LARGEST = 1 << 20
"""Bytes of the file that comes with kr."""


@pytest.mark.slow
def test_games_are_counted_by_the_moves_of_their_ballots_and_those_after_them(tmp_path: Path) -> None:
    games, out = tmp_path / "games", tmp_path / "tally.json"
    play = "selfplay --games 60 --shard-games 30 --openings 3move --random-plies 0 --nodes 20 --egdb none --workers 1"
    assert main([*play.split(), "--out", str(games), "--weights", "material", "--quiet"]) == 0
    assert main(["games", "tally", str(games), "--out", str(out), "--least", "2", "--plies", "8", "--quiet"]) == 0
    told = json.loads(out.read_text())
    # each game by the rules alone
    expected: dict[Position, Counter[tuple[Position, int]]] = {}
    lines = {each.position: each.moves.split() for each in deck("3move", playable_only=False)}
    for game in stored_games(read_game_arrays(games)):
        position = Position()
        start = Position.from_bits(game.start)
        for ply, text in enumerate([*lines[start], *map(str, decoded_moves(game))]):
            after = position.play(text)
            if ply < 8:
                expected.setdefault(position, Counter())[after, game.result] += 1
            position = after
    assert (told["games"], told["nodes"]) == (60, 20)
    assert [*told["positions"]] == [
        ",".join(map(str, each.bits))
        for each in sorted(expected, key=lambda each: (-expected[each].total(), each.bits))
        if expected[each].total() >= 2
    ]
    for key, row in told["positions"].items():
        position = Position.from_bits(tuple(map(int, key.split(","))))  # type: ignore[arg-type]
        moves = numbered_moves(position)
        counts = {
            (position.play(moves[number]), result): count
            for number, *results in zip(*[iter(row)] * 4, strict=True)
            for result, count in zip((1, 0, -1), results, strict=True)
            if count
        }
        assert counts == dict(expected[position])


def test_the_shipped_games_reach_each_ballot() -> None:
    positions = self_play()["positions"]
    ballots = [",".join(map(str, each.position.bits)) for each in deck("3move", playable_only=False)]
    assert [each for each in [",".join(map(str, Position().bits)), *ballots] if each not in positions] == []
    assert len(json.dumps(self_play())) < LARGEST
