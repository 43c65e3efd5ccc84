"""The verdicts of `kr problem check` once more, straight from their definitions: slow, plain, and with every value.

Positions have at most five pieces, so that the shipped database has the value of each move. Nothing is shared
with `kr.problems.soundness` but positions and moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from proved import shipped

from kr.game.position import Move, Position, Side
from kr.game.value import Value

LOSES, DRAWS, WINS = range(3)
LONGEST = 400


@dataclass
class Expected:
    """A verdict of the reference."""

    verdict: str
    keys: list[str]
    line: list[str]
    move_number: int | None = None


@lru_cache(1 << 16)
def worth(position: Position, side: Side) -> int:
    """What a side has of a position: LOSES, DRAWS or WINS."""
    if position.is_over:
        own = LOSES
    else:
        value = shipped().value(position)
        assert value is not None
        own = {Value.LOSS: LOSES, Value.DRAW: DRAWS, Value.WIN: WINS}[value]
    return own if position.side == side else 2 - own


@lru_cache(1 << 16)
def moves_of(position: Position) -> list[tuple[Move, Position]]:
    """Moves that lead to different positions."""
    found: list[tuple[Move, Position]] = []
    for move in position.legal_moves():
        after = position.play(move)
        if after not in [other for _, other in found]:
            found.append((move, after))
    return found


def ways(position: Position, goal: int) -> list[tuple[Move, Position]]:
    """Moves after which the side to move still has the goal."""
    return [(move, after) for move, after in moves_of(position) if worth(after, position.side) >= goal]


def reaches(position: Position, target: Position, plies: int) -> bool:
    """True if exactly so many plies can lead from one position to another."""
    if plies == 0:
        return position == target
    return any(reaches(after, target, plies - 1) for _, after in moves_of(position))


def transposes(first: Position, second: Position, goal: int, plies: int = 4) -> bool:
    """True if the solver comes from the second position to one that the first leads to in two or four plies.

    The opponent is to move in both; each move of the solver has to be a way.
    """

    def comes(position: Position, left: int, most: int) -> bool:
        if any(reaches(first, position, count) for count in range(2, most + 1, 2)):
            return True
        if left == 0 or position.is_over:
            return False
        return all(
            any(comes(after, left - 2, most) for _, after in ways(reply, goal)) for _, reply in moves_of(position)
        )

    return any(comes(second, most, most) for most in range(2, plies + 1, 2))


def captures(position: Position, side: Side) -> bool:
    return any(move.is_capture for move in Position(*position.bits[:3], side).legal_moves())


def plain(position: Position, solver: Side, goal: int) -> bool:
    if captures(position, Side.BLACK) or captures(position, Side.WHITE):
        return False
    own, other = (position.white, position.black) if solver == Side.WHITE else (position.black, position.white)
    lead = own.bit_count() - other.bit_count()
    if goal == WINS:
        return lead >= 2
    return lead >= 0 and own & ~position.kings == 0 and other & ~position.kings == 0


def expected(
    position: Position, published: Value | None, solution: Sequence[Move], replies: Sequence[str], strict: bool
) -> Expected:
    """The verdict on a problem. replies: the line that was looked at, for the opponent's moves in a draw."""
    side = position.side
    value = worth(position, side)
    if position.is_over or (published is not None and value != {"loss": LOSES, "draw": DRAWS, "win": WINS}[published]):
        return Expected("unsound", [], [])
    solver, goal = (side, value) if value != LOSES else (side.other, WINS)
    keys: list[Position] = []
    names: list[str] = []
    if solver == side:
        for move, after in ways(position, goal):
            first = bool(solution) and position.play(solution[0]) == after
            keys.insert(0 if first else len(keys), after)
            names.insert(0 if first else len(names), str(solution[0] if first else move))
        if solution and position.play(solution[0]) not in keys:
            return Expected("unsound", names, [], 1)
        if len(keys) > 1:
            return Expected("cook", names, [names[0]])
    line: list[str] = []
    at, seen, dual, repeated = position, [], None, False
    passed: list[Position] = []
    while True:
        ply = len(line)
        given = solution[ply] if ply < len(solution) else None
        if at.side != solver:
            if at.is_over:
                break
            move = given or hardest(at, goal, replies[ply] if ply < len(replies) else None)
        else:
            is_plain = ply > 0 and plain(at, solver, goal)
            if is_plain and (not strict or (goal == DRAWS and given is None)):
                break
            if given is None and (dual is not None or at in seen or ply >= LONGEST):
                repeated = dual is None
                break
            if goal == DRAWS:
                seen.append(at)
            good = ways(at, goal)
            if given is not None:
                after = at.play(given)
                if after not in [other for _, other in good]:
                    line.append(str(given))
                    return Expected("unsound", names, line, 1 + ply // 2)
                move = given
            else:
                told = replies[ply] if ply < len(replies) else None
                repeated = goal == WINS and no_distances(good) and all(after in passed for _, after in good)
                move, after = good[0] if repeated else best(at, good, goal, told)
                assert repeated or not no_distances(good) or goal == DRAWS or after not in passed
            others = [other for _, other in good if other != after]
            if not strict and ply:
                others = [other for other in others if not transposes(after, other, goal)]
            if ply and others and dual is None:
                dual = 1 + ply // 2
            if repeated:
                break
        passed.append(at)
        line.append(str(move))
        at = at.play(move)
    if repeated and goal == WINS:
        return Expected("undecided", names, line)
    return Expected("sound" if dual is None else "dual", names, line, dual)


def plies(position: Position) -> int | None:
    """Plies to the end of a win or loss; None if the database has none."""
    return 0 if position.is_over else shipped().distance(position)


def no_distances(good: list[tuple[Move, Position]]) -> bool:
    return all(plies(after) is None for _, after in good)


def best(position: Position, good: list[tuple[Move, Position]], goal: int, told: str | None) -> tuple[Move, Position]:
    """The way that is gone on with: the shortest win, the first of equals, or the first of all in a draw.

    Without distances, that of the line, if it is a way.
    """
    distances = [0 if goal == DRAWS else plies(after) for _, after in good]
    known = [distance for distance in distances if distance is not None]
    if known:
        return good[distances.index(min(known))]
    if len(good) == 1:
        return good[0]
    assert told is not None, f"{position.fen}: the line ends, but the win is not plain"
    return next((move, after) for move, after in good if after == position.play(told))


def hardest(position: Position, goal: int, told: str | None) -> Move:
    """The opponent's move: the latest loss, the first of equals. In a draw, and without distances, that of the line."""
    moves = moves_of(position)
    distances = [plies(after) for _, after in moves] if goal == WINS else []
    known = [distance for distance in distances if distance is not None]
    if len(known) == len(moves):
        return moves[known.index(max(known))][0]
    if len(moves) == 1:
        return moves[0][0]
    assert told is not None, f"{position.fen}: the line ends, but the result is not plain"
    return position.parse_move(told)
