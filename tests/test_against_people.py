"""Play for people's mistakes: its chances against a slow reference, the draws that it keeps, its settings."""

import re

import pytest

from kr import InvalidSettingError, Limits, Position
from kr.egdb.database import Database, directory_for
from kr.egdb.exact import exact_moves
from kr.game.value import Value
from kr.players.registry import player_from_spec
from kr.policy.calibration import Calibration
from kr.policy.policy import load_policy
from kr.policy.practical import DISCOUNT, PracticalChances

DRAWN = {"W:W11,23,24:BK20,26": 9, "B:WK2,5,25:BK17,18": 7, "B:WK7,K24:BK1,5,10": 8}
"""Drawn endings, and positions for which their graph is the moves and answers from the root and those after them."""


@pytest.fixture(scope="module")
def database():
    return Database.open(directory_for(None))


def drawn_after(database, position):
    return [each.after for each in exact_moves(database, position) if each.value is Value.DRAW]


def answers_of(database, position):
    """Answers with their probabilities; None in place of a position where it loses."""
    values = {each.after: each.value for each in exact_moves(database, position)}
    likely = load_policy().choices(position)
    afters = [position.play(each.move) for each in likely]
    losses = [0.5 * (values[after] is Value.LOSS) for after in afters]
    chances = Calibration().chances([each.probability for each in likely], losses, position.pieces, exact=True)
    return [(None if loss else after, chance) for after, loss, chance in zip(afters, losses, chances, strict=True)]


def slow_chances(database, root):
    """Chance by the position after each move, from the graph of two moves and answers."""
    moves, answers = {root: drawn_after(database, root)}, {}
    for _ in range(2):
        for their in [their for all_ in moves.values() for their in all_ if their not in answers]:
            answers[their] = answers_of(database, their)
        if len(moves) == 1:
            ours = {our for each in answers.values() for our, _ in each if our}
            moves |= {our: drawn_after(database, our) for our in ours if our not in moves}
    worth = dict.fromkeys(moves, 0.0)
    for _ in range(100):
        chance = {
            their: sum(p * (1.0 if our is None else DISCOUNT * worth.get(our, 0.0)) for our, p in each)
            for their, each in answers.items()
        }
        worth = {our: max(chance[their] for their in theirs) for our, theirs in moves.items()}
    return {their: chance[their] for their in moves[root]}


@pytest.mark.parametrize(("fen", "positions"), DRAWN.items())
def test_chances(fen, positions, database):
    root = Position.from_fen(fen)
    moves = PracticalChances(load_policy(), database, positions=positions).moves(root)
    expected = slow_chances(database, root)
    assert {root.play(each.move) for each in moves} == set(expected)
    for each in moves:
        assert each.chance == pytest.approx(expected[root.play(each.move)], abs=1e-5), each


def test_third_time_is_worth_nothing(database):
    root = Position.from_fen("W:W11,23,24:BK20,26")
    practical = PracticalChances(load_policy(), database, positions=100)
    best = practical.best(root)
    after = root.play(best.move)
    again = {each.move: each.chance for each in practical.moves(root, [after, after])}
    assert best.chance > 0 == again[best.move]


@pytest.mark.parametrize("fen", ["W:WK32:B1", "W:W31,32:B1,2,3", "B:W21,22,23,24,25:B1,2,3,4,5"])
def test_no_chances_without_a_known_draw(fen, database):
    assert PracticalChances(load_policy(), database).moves(Position.from_fen(fen)) == []


def test_player(database):
    position = Position.from_fen("B:WK2,5,25:BK17,18")
    players = [player_from_spec("shipped,against=people", hash_mb=1, egdb="") for _ in range(2)]
    first, second = (player.search(position, Limits(nodes=100), []) for player in players)
    best = PracticalChances.usual(load_policy(), database).best(position)
    assert first.move == second.move == best.move
    assert position.play(first.move) in drawn_after(database, position)
    assert players[0].signature != player_from_spec("shipped", egdb="").signature


def test_calibrated_policy_draws_by_the_chances(database):
    position = Position.from_fen("W:WK6,K24:B7,17,26")
    players = [player_from_spec(f"policy:shipped,calibrated=1,seed={seed}", egdb="") for seed in range(200)]
    played = [position.play(player.search(position, Limits(nodes=1), []).move) for player in players]
    after, chance = max(answers_of(database, position), key=lambda each: each[1])
    assert played.count(after) / len(played) == pytest.approx(chance, abs=0.1)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("shipped,against=engines", "against: 'engines'; expected people"),
        ("shipped,level=5,against=people", "against: level 5 plays without an endgame database"),
        ("policy:shipped,egdb=none", "egdb: only a calibrated policy"),
        ("policy:shipped,calibrated=1,temperature=1", "temperature: a calibrated policy does not take it"),
        ("policy:shipped,calibrated=yes", "'yes'"),
    ],
)
def test_settings(spec, message):
    with pytest.raises(InvalidSettingError, match=re.escape(message)):
        player_from_spec(spec)
