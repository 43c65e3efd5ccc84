"""Deciders: minimax against a plain one, and the games between them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import kr
from kr import _core
from kr.evaluation.evolved import EvolvedNetwork
from kr.evaluation.kinds import load_evaluation
from kr.game.position import Position

pytestmark = pytest.mark.core

START = (0xFFF, 0xFFF00000, 0, 0)
FENS = (
    "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
    "B:W18,22,25,27,30,K3:B5,6,9,12,K28",
    "W:W26,27,K10:B18,19,K1,K2",
    "W:W31,K22:B5,13,21",
    "B:W13,14,21:B6,K30",
)
WIN = 1e6


def an_evaluator(seed: int = 1, inputs: str = "squares") -> _core.EvolvedEvaluator:
    network = EvolvedNetwork(inputs, 1.0)
    return network.evaluator(np.random.default_rng(seed).uniform(-0.3, 0.3, network.size).astype(np.float32))


def plain_minimax(
    position: Position, depth: int, output: Callable[[Position], float], extend: bool, ply: int = 0
) -> tuple[float, int]:
    """Value of a position and the first of its best moves."""
    moves = position.legal_moves()
    if not moves:
        return ply - WIN, -1
    if depth == 0:
        if not (extend and moves[0].captured):
            return output(position), -1
        depth = 2
    values = [-plain_minimax(position.play(move), depth - 1, output, extend, ply + 1)[0] for move in moves]
    return max(values), values.index(max(values))


@pytest.mark.parametrize("extend", [False, True])
@pytest.mark.parametrize("plies", [1, 2, 3])
@pytest.mark.parametrize("fen", FENS)
def test_minimax_chooses_what_a_plain_one_does(fen: str, plies: int, extend: bool) -> None:
    evaluator, position = an_evaluator(), Position.from_fen(fen)

    def output(leaf: Position) -> float:
        return float(evaluator.outputs(np.array([leaf.bits], dtype=np.uint32))[0])

    value, index = plain_minimax(position, plies, output, extend)
    found, score, nodes = _core.MinimaxDecider(evaluator, plies, extend).choose(*position.bits)
    assert found == index
    assert score == pytest.approx(np.tanh(value), abs=1e-5)
    assert nodes >= len(position.legal_moves())


def test_another_evaluation() -> None:
    """Any evaluation decides: material alone takes what is offered."""
    position = Position.from_fen("B:W18,27,28:B9,10,14,15")
    decider = _core.MinimaxDecider(load_evaluation("material").core, 3)
    index, score, _ = decider.choose(*position.bits)
    assert position.legal_moves()[index].captured
    assert score > 0


def test_a_win_that_comes_sooner() -> None:
    # White's last piece is caught at once, or later
    position = Position.from_fen("B:W13:B6,K30,K22,K17")
    index, score, _ = _core.MinimaxDecider(an_evaluator(), 6).choose(*position.bits)
    after = position.play(position.legal_moves()[index])
    assert score == 1
    assert not after.legal_moves() or all(
        not after.play(reply).legal_moves()
        or any(not after.play(reply).play(again).legal_moves() for again in after.play(reply).legal_moves())
        for reply in after.legal_moves()
    )


@pytest.mark.parametrize("plies", [-1, 0, 33])
def test_plies_out_of_range(plies: int) -> None:
    with pytest.raises(ValueError, match="1 to 32"):
        _core.MinimaxDecider(an_evaluator(), plies)


def a_duel(seeds: tuple[int, int] = (1, 2), most_plies: int = 200) -> tuple[int, int, list[int]]:
    deciders = [_core.MinimaxDecider(an_evaluator(seed), 2) for seed in seeds]
    played = _core.play_duel(deciders[0], deciders[1], START, most_plies)
    assert played is not None
    return played[0], played[1], played[2].tolist()


def test_a_duel_is_a_legal_game_and_repeatable() -> None:
    result, reason, moves = a_duel()
    assert (result, reason, moves) == a_duel()
    board = kr.Board()
    for code in moves:
        origin, target = code & 31, code >> 5 & 31
        legal = board.position.legal_moves()
        alike = [move for move in legal if (move.origin, move.target) == (origin, target)]
        board.play(alike[code >> 10])
    if reason == _core.REASON_NO_MOVE:
        assert not board.position.legal_moves()
        assert result == (-1 if board.position.side == 0 else 1)


def test_a_duel_ends_at_its_last_ply() -> None:
    result, reason, moves = a_duel(most_plies=12)
    assert (result, reason, len(moves)) == (0, _core.REASON_LENGTH, 12)


def test_third_occurrence() -> None:
    """Two kings that go to and fro."""
    start = Position.from_fen("B:WK32:BK1").bits
    evaluator = load_evaluation("material").core
    played = _core.play_duel(_core.MinimaxDecider(evaluator, 1), _core.MinimaxDecider(evaluator, 1), start, 200)
    assert played is not None
    result, reason, moves = played
    assert (result, reason) == (0, _core.REASON_REPETITION)
    position, seen = Position.from_fen("B:WK32:BK1"), []
    for code in moves.tolist():
        seen.append(position.key)
        position = next(
            position.play(move)
            for move in position.legal_moves()
            if (move.origin, move.target) == (code & 31, code >> 5 & 31)
        )
    assert seen.count(position.key) == 2
    assert max(map(seen.count, seen)) == 2


def test_a_duel_that_is_stopped() -> None:
    deciders, stop = [_core.MinimaxDecider(an_evaluator(seed), 4) for seed in (1, 2)], _core.Stop()
    stop.set()
    assert _core.play_duel(deciders[0], deciders[1], START, 200, stop=stop) is None


def test_a_decider_that_plays_both_sides() -> None:
    decider = _core.MinimaxDecider(an_evaluator(), 2)
    with pytest.raises(ValueError, match="one side"):
        _core.play_duel(decider, decider, START, 200)


def test_no_move_to_choose() -> None:
    with pytest.raises(ValueError, match="no legal move"):
        _core.MinimaxDecider(an_evaluator(), 2).choose(*Position.from_fen("W:W:B1").bits)
