"""Values and results: each idea in one place, equal to the texts that files hold."""

import json

import pytest

from kr.game.position import Side
from kr.game.value import Result, Value


@pytest.mark.parametrize(
    ("value", "text", "opposite", "sign", "points", "winner"),
    [
        (Value.WIN, "win", Value.LOSS, 1, 1.0, Side.WHITE),
        (Value.DRAW, "draw", Value.DRAW, 0, 0.5, None),
        (Value.LOSS, "loss", Value.WIN, -1, 0.0, Side.BLACK),
    ],
)
def test_value(value: Value, text: str, opposite: Value, sign: int, points: float, winner: Side | None) -> None:
    """All views of a value for White."""
    assert (value, f"{value}", repr(value), json.dumps(value)) == (text, text, repr(text), json.dumps(text))
    assert (value.opposite, value.sign, value.points, value.winner(Side.WHITE)) == (opposite, sign, points, winner)
    assert Value.of(winner, Side.WHITE) is Value.from_sign(100 * sign) is Value(text) is value


@pytest.mark.parametrize(
    ("result", "text", "winner", "black", "white", "description"),
    [
        (Result.BLACK_WON, "1-0", Side.BLACK, Value.WIN, Value.LOSS, "Black won"),
        (Result.WHITE_WON, "0-1", Side.WHITE, Value.LOSS, Value.WIN, "White won"),
        (Result.DRAWN, "1/2-1/2", None, Value.DRAW, Value.DRAW, "a draw"),
        (Result.BOTH_LOST, "0-0", None, Value.LOSS, Value.LOSS, "both lost"),
        (Result.UNFINISHED, "*", None, None, None, "unfinished"),
    ],
)
def test_result(
    result: Result, text: str, winner: Side | None, black: Value | None, white: Value | None, description: str
) -> None:
    """Winner and values of each result."""
    assert (result, f"{result}", repr(result), json.dumps({result: 1})) == (text, text, repr(text), f'{{"{text}": 1}}')
    assert (result.winner, result.value_for(Side.BLACK), result.value_for(Side.WHITE)) == (winner, black, white)
    assert (result.description, Result(text)) == (description, result)
    if result.is_scored:
        assert Result.of(winner) is result


def test_only_wins_and_draws_are_scored() -> None:
    assert [result for result in Result if result.is_scored] == ["1-0", "0-1", "1/2-1/2"]
