"""One game of a match: moves of two players, draws by rule, adjudication, and the loss of a player that fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kr.egdb.database import Database, decided
from kr.engine.limits import Clock, Limits, TimeControl
from kr.engine.search import Stop
from kr.errors import IllegalMoveError, InvalidSettingError, ProtocolError
from kr.game.board import Board
from kr.game.outcome import OVERTIME
from kr.game.position import Move, Position, Side
from kr.openings.decks import Opening
from kr.players.player import Player, Reply

AGREED_WIN = "adjudicated win"
AGREED_DRAW = "adjudicated draw"
BY_DATABASE = "endgame database"
BY_PROOF = "proven by search"
UNFINISHED = "win not finished"
"""A draw by rule after a player had proved a win of either side."""
FAILURE = "engine failure"


Clocks = tuple[float | None, float | None]
"""Seconds on the clocks of Black and White, with the increment for the next move; None without a clock."""


@dataclass(frozen=True, slots=True)
class Adjudication:
    """Terms on which a game ends because both players agree about it. Raises InvalidSettingError."""

    win_score: int
    """Least lead of one side, in centi-men, by the scores of both players."""
    win_moves: int
    """Consecutive moves of each player for which it must hold that view."""
    draw_score: int
    """Centi-men that neither player's score exceeds in either direction."""
    draw_moves: int
    """Consecutive moves of each player for which it must hold that view."""
    draw_after: int
    """Plies before the first adjudicated draw."""

    def __post_init__(self) -> None:
        if not 0 <= self.draw_score < self.win_score:
            raise InvalidSettingError(
                f"adjudication of draws up to {self.draw_score} and of wins from {self.win_score} centi-men: "
                "expected 0 or more, and less for draws than for wins"
            )
        if min(self.win_moves, self.draw_moves) < 1:
            raise InvalidSettingError("adjudication: expected 1 or more moves of each player")


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A finished game."""

    start: Position
    moves: tuple[Move, ...]
    replies: tuple[Reply | None, ...]
    """One for each move; None for the only legal move, which is played without a search."""
    winner: Side | None
    reason: str
    detail: str = ""
    """Cause of a failure or time forfeit."""


class _Views:
    """Each player's view of the game, and the number of consecutive moves for which it has held it."""

    def __init__(self, terms: Adjudication) -> None:
        self._terms = terms
        self._views: list[Side | str | None] = [None, None]
        self._lengths = [0, 0]

    def add(self, side: Side, score: int | None) -> None:
        """Enter a score of the player of `side`, from its own view; None if it isn't known."""
        view: Side | str | None = None
        if score is None:
            pass
        elif abs(score) >= self._terms.win_score:
            view = side if score > 0 else side.other
        elif abs(score) <= self._terms.draw_score:
            view = AGREED_DRAW
        self._lengths[side] = self._lengths[side] + 1 if view == self._views[side] else 1
        self._views[side] = view

    def agreed(self, ply: int) -> Side | str | None:
        """Side that both have seen winning for long enough, AGREED_DRAW, or None."""
        view, length = self._views[0], min(self._lengths)
        if view is None or view != self._views[1]:
            return None
        if view == AGREED_DRAW:
            return view if length >= self._terms.draw_moves and ply >= self._terms.draw_after else None
        return view if length >= self._terms.win_moves else None


class _Board(Board):
    """The game so far, with the players' replies."""

    def __init__(self, start: Position) -> None:
        super().__init__(start)
        self._replies: list[Reply | None] = []

    def add(self, move: Move, reply: Reply | None) -> None:
        """Raises IllegalMoveError."""
        self.play(move)
        self._replies.append(reply)

    def finish(self, winner: Side | None, reason: str, detail: str = "") -> FinishedGame:
        return FinishedGame(self.start, self.moves, tuple(self._replies), winner, reason, detail)


def play_game(
    opening: Opening,
    players: tuple[Player, Player],
    controls: tuple[Limits | TimeControl, Limits | TimeControl],
    margin: float,
    terms: Adjudication | None,
    referee: Database | None = None,
    stop: Stop | None = None,
    on_move: Callable[[Move, Reply | None, Clocks], None] = lambda move, reply, clocks: None,
    proofs: bool = False,
) -> FinishedGame | None:
    """Play a game from an opening; None if it was stopped.

    players, controls: Black's and White's. margin: seconds by which a move may exceed its time limit or the clock.
    terms: None to play every game out. referee: endgame database that ends the game once it knows the result. stop:
    ends the game, and the search under way, once set. on_move: called after each move with its reply, None for the only
    legal one, and the seconds on both clocks. proofs: end the game once a player has proved a win of either side. A
    player that fails, plays an illegal move or oversteps its time loses. Raises InvalidDatabaseError.
    """
    stop = stop or Stop()
    board = _Board(opening.position)
    views = None if terms is None else _Views(terms)
    clocks = Clock(controls[0]), Clock(controls[1])
    won: Side | None = None
    for side in Side:
        try:
            players[side].new_game()
        except ProtocolError as error:
            return None if stop.is_set() else board.finish(side.other, FAILURE, str(error))

    while not stop.is_set():
        if outcome := board.outcome():
            if outcome.winner is None and won is not None:
                return board.finish(None, UNFINISHED, f"{won.name.title()} had a proved win; {outcome.reason}")
            return board.finish(outcome.winner, outcome.reason)
        side, legal = board.side, board.legal_moves()
        if (value := decided(referee, board.position)) is not None:
            return board.finish(value.winner(side), BY_DATABASE)
        if views and (view := views.agreed(len(board.moves))) is not None:
            return board.finish(view, AGREED_WIN) if isinstance(view, Side) else board.finish(None, AGREED_DRAW)
        if len(legal) == 1:
            board.add(legal[0], None)
            clocks[side].stop(0.0)
            on_move(legal[0], None, (clocks[0].allowed, clocks[1].allowed))
            continue

        try:
            allowed = clocks[side].limits()
            reply = players[side].search(board.position, allowed, board.recent, stop)
            if stop.is_set():
                break
            if clocks[side].stop(reply.time) > margin:
                return board.finish(side.other, OVERTIME, f"{reply.time:.3f} s for a move of {allowed}")
            board.add(reply.move, reply)
            on_move(reply.move, reply, (clocks[0].allowed, clocks[1].allowed))
        except (ProtocolError, IllegalMoveError) as error:
            return None if stop.is_set() else board.finish(side.other, FAILURE, str(error))
        if reply.proved:
            won = side if reply.score > 0 else side.other
            if proofs:
                return board.finish(won, BY_PROOF)
        # a program that tells neither depth nor score has no view
        if views:
            views.add(side, reply.score if reply.depth or reply.score else None)
    return None
