"""Endings to practise against exact play. The page keeps the game: each request has its start and moves.

endings/known {} -> the pieces up to which the database is complete, and classes of more such as "4v4"
endings/new {"own": 2, "own_kings": null, "other": 1, "other_kings": 1, "goal": "win", "difficulty": "any",
    "side": "black", "seed": 7} -> a position, null if none was found
endings/move {"start", "moves", "goal", "on": false} -> true if the last move kept the value, what it cost, the reply
    with its reasons, the counts. After a move that gave the value away there is a reply only with "on".
endings/values {"fen"} -> value and distance of every move
"""

from __future__ import annotations

from typing import Any

from kr.egdb.database import Database
from kr.egdb.exact import ExactMove, exact_moves, exact_value, hardest_move
from kr.egdb.exercise import Difficulty, find_exercise, material
from kr.egdb.slices import parse_class
from kr.engine.limits import Limits
from kr.errors import InvalidSettingError
from kr.game.board import NO_PROGRESS_PLIES, Board
from kr.game.position import Move, Position, Side
from kr.game.value import Value
from kr.viewer.positions import move_json, position_json
from kr.web.house import House
from kr.web.puzzles import WAIT_SECONDS
from kr.web.request import PageRequest

HOLD_MOVES = 20
"""Moves after which a drawn ending counts as held."""
CONVERSION = Limits(time=0.3, nodes=100_000)
"""Limits of the search by which kr wins where the distance is not known."""


def known_endings(house: House, request: PageRequest) -> dict[str, Any]:
    """Reach of the database; 0 pieces without one."""
    database = house.database
    return {
        "pieces": 0 if database is None else database.pieces,
        "classes": [] if database is None else list(database.classes),
        "distance_pieces": 0 if database is None else database.distance_pieces,
        "hold_moves": HOLD_MOVES,
        "no_progress": NO_PROGRESS_PLIES,
    }


def new_ending(house: House, request: PageRequest) -> dict[str, Any]:
    """A random position with the person to move."""
    database = _database(house)
    most = max(database.pieces - 1, *(parse_class(name)[0] for name in database.classes), 0)
    own, other = request.number("own", 1, most), request.number("other", 1, most)
    if not database.has_class((own, other)):
        raise InvalidSettingError(f"{own} v {other}: the database has positions with {database.reach}")
    shapes = material(
        (own, request.number("own_kings", 0, own) if request.has("own_kings") else None),
        (other, request.number("other_kings", 0, other) if request.has("other_kings") else None),
    )
    goal = Value(request.choice("goal", (Value.WIN, Value.DRAW)))
    difficulty = Difficulty(request.choice("difficulty", tuple(Difficulty), Difficulty.ANY))
    side = Side.BLACK if request.choice("side", ("black", "white")) == "black" else Side.WHITE
    position = find_exercise(database, shapes, goal, difficulty, side, request.number("seed", 0, 2**53))
    if position is None:
        return {"position": None}
    return {"position": position_json(position), "goal": str(goal), "distance": database.distance(position)}


def play_ending(house: House, request: PageRequest) -> dict[str, Any]:
    """The verdict on the person's last move, and kr's reply."""
    database = _database(house)
    board = request.board()
    person = board.start.side
    goal = Value(request.choice("goal", (Value.WIN, Value.DRAW)))
    if not board.moves or board.side == person:
        raise InvalidSettingError("the last move is not the person's")
    before, after = board.positions[-2], board.position
    moves = exact_moves(database, before)
    value = exact_value(database, after)
    if not moves or value is None:
        raise InvalidSettingError(f"{before.fen} is not in the database")
    value = value.opposite
    keeps = value is moves[0].value
    made = next(each for each in moves if each.after == after)
    distance = database.distance(after) if not after.is_over else 0
    over = _over(board, person, goal, value)
    reply = reasons = None
    if over is None and (keeps or request.flag("on")):
        move = _reply(house, database, board)
        reply = {**move_json(move), "fen": board.position.play(move).fen}
        reasons = _reasons(database, board.position, move)
        board.play(move)
        over = _over(board, person, goal, value)
    return {
        "kept": keeps,
        "value": str(value),
        "was": str(moves[0].value),
        "distance": distance,
        "better": [] if keeps else [move_json(each.move) for each in moves if each.value is moves[0].value],
        "best": {**move_json(moves[0].move), "distance": moves[0].distance},
        "cost": _cost(moves[0], made) if keeps else None,
        "reply": reply,
        "reasons": reasons,
        "position": position_json(board.position),
        "quiet": len(board.history),
        "seen": (*board.history, board.position).count(board.position),
        "over": over,
    }


def show_values(house: House, request: PageRequest) -> dict[str, Any]:
    """Every move of a position with its value and distance, best first."""
    position = request.position()
    moves = exact_moves(_database(house), position)
    return {
        "fen": position.fen,
        "moves": [{**move_json(each.move), "value": str(each.value), "distance": each.distance} for each in moves],
    }


def _database(house: House) -> Database:
    if house.database is None:
        raise InvalidSettingError("there is no endgame database; build one with `kr egdb build`")
    return house.database


def _cost(best: ExactMove, made: ExactMove) -> int | None:
    """Plies by which a move makes a win longer or a loss shorter than the best one; None where no distance is known."""
    if best.distance is None or made.distance is None:
        return None
    return abs(made.distance - best.distance)


def _reasons(database: Database, position: Position, reply: Move) -> dict[str, Any]:
    """What speaks for kr's reply: its choice, its value and distance for kr, and the answers that keep the person's."""
    moves = exact_moves(database, position)
    chosen = next(each for each in moves if each.move == reply)
    answers = exact_moves(database, chosen.after)
    return {
        "choice": len(moves),
        "capture": bool(reply.captured),
        "value": str(chosen.value),
        "distance": chosen.distance,
        "answers": len(answers),
        "right": sum(each.value is chosen.value.opposite for each in answers),
    }


def _reply(house: House, database: Database, board: Board) -> Move:
    hardest = hardest_move(database, board.position, board.history)
    assert hardest is not None, "a move adds no piece"
    if hardest.value is Value.WIN and hardest.distance is None:
        return _converting(house, database, board.position, board.history) or hardest.move
    return hardest.move


def _converting(house: House, database: Database, position: Position, history: tuple[Position, ...]) -> Move | None:
    """A winning move by a search, which makes progress where the database knows no distance."""
    winning: list[ExactMove] = [each for each in exact_moves(database, position) if each.value is Value.WIN]
    with house.engines.own.ask() as loan:
        engine = loan.wait(WAIT_SECONDS)
        engine.new_game()
        move = engine.search(position, CONVERSION, history).move
    return next((each.move for each in winning if each.after == position.play(move)), None)


def _over(board: Board, person: Side, goal: Value, value: Value) -> dict[str, str] | None:
    """Result of the exercise here, "won", "lost", "drawn" by rule or "held", and the reason; None if it goes on."""
    outcome = board.outcome()
    if outcome is not None:
        result = "drawn" if outcome.winner is None else "won" if outcome.winner == person else "lost"
        return {"result": result, "why": outcome.reason}
    held = len(board.moves[::2]) >= HOLD_MOVES and board.side != person
    if goal is Value.DRAW and value is Value.DRAW and held:
        return {"result": "held", "why": f"{HOLD_MOVES} moves"}
    return None


ROUTES = {
    "endings/known": known_endings,
    "endings/new": new_ending,
    "endings/move": play_ending,
    "endings/values": show_values,
}
LIVE: dict[str, Any] = {}
