"""The events of a game, each as text for people and facts for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kr.book.krb import least_games
from kr.game.board import Board
from kr.game.outcome import Outcome
from kr.game.position import Move, Side
from kr.game.value import Result
from kr.notation import SIDE_NAMES, square_name
from kr.pdn.game import setups_object
from kr.play.input import next_squares
from kr.play.record import PlayRecord
from kr.play.setup import GameSetup
from kr.play.table import Event, Seat, Table, View
from kr.players.levels import LEVELS
from kr.players.player import Reply


class Events:
    """Tells the table what happens on a board. `flipped`: Black sits at the bottom of it."""

    def __init__(self, table: Table, setup: GameSetup, record: PlayRecord, board: Board, seats: Sequence[Seat]) -> None:
        self._table, self._setup, self._record, self._board, self._seats = table, setup, record, board, seats
        self.people = [side for side in Side if seats[side].player is None]
        self.flipped = self.people == [Side.BLACK]

    def tell(self, kind: str, text: str = "", view: View | None = None, **facts: Any) -> None:
        """Tell of an event; the arguments are those of Event."""
        self._table.tell(Event(kind, text, facts, view))

    def view(self) -> View:
        """The board as it is now."""
        moves = self._board.moves
        return View(self._board.position, self.flipped, moves[-1] if moves else None)

    def start(self) -> None:
        """The game begins, or is resumed."""
        setup, board, path = self._setup, self._board, self._record.path
        lines = [", ".join(f"{SIDE_NAMES[side]}: {seat.name}" for side, seat in enumerate(self._seats))]
        if setup.opening:
            lines.append(f"opening {setup.opening}")
        if self.people:
            levels = f"; --level 1 to {len(LEVELS)} sets the strength of kr" if "level=" in "".join(setup.specs) else ""
            lines.append(f"help lists the commands{levels}")
        self.tell(
            "start", "\n".join(lines), None if self.people else self.view(), black=self._seats[0].name,
            white=self._seats[1].name, seed=setup.seed,
            controls=[None if control is None else str(control) for control in setup.controls],
            fen=board.position.fen, start=board.start.fen, ply=len(board.moves), moves=move_texts(board.moves),
            **setups_object(self._record.game), opening=setup.opening, file=None if path is None else str(path),
        )  # fmt: skip

    def turn(self, side: Side) -> None:
        """A person is to move."""
        position = self._board.position
        self.tell(
            "turn", view=self.view(), side=side, fen=position.fen, ply=len(self._board.moves),
            moves=move_texts(position.legal_moves()), clocks=[seat.seconds for seat in self._seats],
        )  # fmt: skip

    def squares(self, prefix: tuple[int, ...]) -> None:
        """The first squares of a move that a person types square by square."""
        squares = [square_name(square) for square in next_squares(self._board.position, prefix)]
        self.tell("more", f"from {square_name(prefix[-1])} to {' or '.join(squares)}", squares=list(map(int, squares)))

    def move(self, side: Side, move: Move, seconds: float, reply: Reply | None) -> None:
        """A move has been played. reply: that of the engine which chose it."""
        seat, board = self._seats[side], self._board
        text = f"{SIDE_NAMES[side]} ({seat.name}) plays {move}" if seat.player else ""
        thought = {} if reply is None else {"score": reply.score, "depth": reply.depth, "nodes": reply.nodes}
        if reply is not None and reply.weight is not None:
            text += f" ({reply.note()})"
            thought["book_games"] = least_games(reply.weight)
        self.tell(
            "move", text, None if self.people else self.view(), side=side, move=str(move), fen=board.position.fen,
            ply=len(board.moves), time=round(seconds, 3), clock=seat.seconds, **thought,
        )  # fmt: skip

    def end(self, outcome: Outcome) -> None:
        """The game is over."""
        path = self._record.path if self._record.saved else None
        text = f"{outcome}" + (f"\nkept in {path}" if path else "")
        self.tell(
            "end", text, self.view(), result=outcome.result, winner=outcome.winner, reason=outcome.reason,
            plies=len(self._board.moves), fen=self._board.position.fen, file=None if path is None else str(path),
        )  # fmt: skip

    def left(self) -> None:
        """Someone has left; the text has the command that resumes the game."""
        path = self._record.path
        if path is None or not self._record.saved:
            nothing = "nothing was played" if not self._record.is_begun else "the game is not kept"
            self.tell("left", nothing, file=None, resume=None, result=Result.UNFINISHED)
            return
        again = self._setup.resume_command(path)
        text = f"the game is kept; resume it with: {again}"
        self.tell("left", text, file=str(path), resume=again, result=Result.UNFINISHED)


def move_texts(moves: Sequence[Move]) -> list[str]:
    """Moves in notation."""
    return [str(move) for move in moves]
