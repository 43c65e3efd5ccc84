"""One game by DXP: turns, messages at any time, the clock, and the end of the game.

The sides move in turn. Only the side to move may end the game, by a GAMEEND instead of its move, and the other side
answers in kind. Chat and requests to go back may come at any time, also while the engine thinks. Those of kr's own
operator are put into the link's inbox, and sent by the thread that plays.

After its own request to go back, kr does not move before the answer. Messages that cross the request were sent before
the peer went back: its move counts, and its own request to go back is refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from typing import NoReturn

from kr.book.book import book_note
from kr.egdb.database import decided
from kr.engine.limits import Clock, Limits, TimeControl
from kr.engine.result import SearchResult
from kr.errors import IllegalMoveError, ProtocolError
from kr.evaluation.chances import format_score
from kr.game.board import Board
from kr.game.outcome import Outcome
from kr.game.position import Move, Position, Side
from kr.game.value import Result, Value
from kr.protocols.dxp_link import Link, SilentError
from kr.protocols.dxp_text import (
    BACK_ACCEPTED,
    BACK_REFUSED,
    DRAW,
    I_LOSE,
    I_WIN,
    UNKNOWN,
    BackAccept,
    BackRequest,
    Chat,
    GameEnd,
    GameRequest,
    Message,
    MoveMade,
    find_move,
    format_dxp_move,
)
from kr.protocols.dxp_thinker import Inner, Remark, SearchDone, TakeBack, Thinker, Wish
from kr.protocols.text import Frame
from kr.units import counted

UNLIMITED_SECONDS = 1.0
"""Seconds for a move if neither the game's clock nor a limit of ours applies."""
ANSWER_SECONDS = 10.0
"""Time for a peer to answer the end of a game."""
BACK_SECONDS = 60.0
"""Time for a peer to answer a request to go back, which a person may have to decide."""


@dataclass(frozen=True)
class Terms:
    """Terms agreed for a game."""

    own: Side
    """Side that kr plays."""
    start: Position
    opponent: str
    minutes: int = 0
    """Time of each side for the whole game; 0 for no clock."""
    moves: int = 0
    """Moves of each side after which the game ends; 0 for no limit."""


@dataclass(frozen=True)
class Manners:
    """Conduct of kr in every game."""

    level: Limits | TimeControl | None = None
    """Limits of each move, or a clock of our own, in addition to the game's clock."""
    timeout: float = 600.0
    """Seconds of silence that are tolerated."""
    takeback: bool = True
    """True if requests to go back are granted."""
    claim_time: bool = False
    """True if kr ends a game as won when the other side's clock has run out."""
    greeting: str = ""
    """Chat at the beginning of each game."""
    frame: Frame = "pdn"
    """Squares and colours that the peer uses."""


class Next(Enum):
    """Messages due after a game."""

    SEND_END = "we send GAMEEND and await the answer"
    AWAIT_END = "the other side must send GAMEEND"
    ENDED = "both sides have sent GAMEEND"
    BROKEN = "the connection can't be used any more"


@dataclass(frozen=True)
class DxpEnding:
    """End of a game by DXP."""

    result: Result
    """As written in PDN; unfinished if the game was broken off."""
    reason: str
    next: Next
    code: int = UNKNOWN
    """Our reason, if we send GAMEEND."""
    stop: bool = False
    """True if the other side wants no further game."""
    request: GameRequest | None = None
    """Next game, if the other side has asked for one already."""
    faulty: bool = False
    """True if the other side broke the rules or the protocol."""


def _usual_seconds(limits: Limits) -> float:
    return limits.seconds()[0] or 0.0


class _Over(Exception):
    """Carries the end of a game to `play`."""

    def __init__(self, ending: DxpEnding) -> None:
        super().__init__(ending.reason)
        self.ending = ending


class DxpGame:
    """A game that both sides have agreed to. say: called with chat and other news, line by line."""

    def __init__(
        self,
        link: Link[Inner],
        thinker: Thinker,
        terms: Terms,
        manners: Manners,
        last: bool,
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.board = Board(terms.start)
        self._link = link
        self._thinker = thinker
        self._terms = terms
        self._manners = manners
        self._last = last
        """True if we want no further game."""
        self._say = say
        self._level = None if manners.level is None else Clock(manners.level)
        self._spent = dict.fromkeys(Side, 0.0)
        self._chatted_at = -1
        self._drawn: str | None = None
        self._back_ply: int | None = None
        """Ply of our request to go back; None if no answer is awaited."""
        self._back_until = 0.0
        self._turn_begins()

    def play(self) -> DxpEnding:
        """Play to the end. The messages due after it are left to `part`.

        Raises what Engine.search raises. KeyboardInterrupt passes through.
        """
        self._thinker.new_game()
        self._link.made_progress()
        self._turn_begins()
        try:
            if self._manners.greeting:
                self._link.send(Chat(self._manners.greeting))
            while True:
                if self._back_ply is not None:
                    self._await_answer()
                elif self.board.position.side == self._terms.own:
                    self._end_if_over()
                    self._move()
                elif (outcome := self.board.outcome()) and outcome.winner is not None:
                    self._over(outcome.result, outcome.reason, Next.AWAIT_END)
                else:
                    self._await_move()
        except _Over as over:
            return over.ending
        except ProtocolError as error:
            return DxpEnding(Result.UNFINISHED, f"{self._terms.opponent}: {error}", Next.BROKEN, faulty=True)
        finally:
            self._thinker.finish()

    def part(self, ending: DxpEnding) -> DxpEnding:
        """Exchange the GAMEENDs that are still due. Returns the ending with the other side's wishes."""
        if ending.next in (Next.ENDED, Next.BROKEN) or ending.request is not None:
            return ending
        try:
            if ending.next is Next.SEND_END:
                self._link.send(GameEnd(ending.code, self._last))
            self._link.made_progress()
            deadline = time.monotonic() + min(ANSWER_SECONDS, self._manners.timeout)
            while True:
                message = self._link.take(deadline - time.monotonic())
                if isinstance(message, GameEnd):
                    if ending.next is Next.AWAIT_END:
                        self._link.send(GameEnd(UNKNOWN, self._last))
                    return self._parted(ending, stop=message.stop)
                if isinstance(message, GameRequest):
                    return self._parted(ending, request=message)
                if isinstance(message, Chat):
                    self._show_chat(message)
                elif isinstance(message, BackRequest):
                    self._link.send(BackAccept(BACK_REFUSED))
                elif isinstance(message, Remark):
                    self._link.send(Chat(message.text))
        except ProtocolError as error:
            self._say(f"{self._terms.opponent}: after the game: {error}")
            return DxpEnding(ending.result, ending.reason, Next.BROKEN, faulty=ending.faulty)

    def abandon(self) -> None:
        """Tell the other side, if it still listens, that kr leaves."""
        with suppress(ProtocolError):
            self._link.send(GameEnd(UNKNOWN, stop=True))

    @staticmethod
    def _parted(ending: DxpEnding, stop: bool = False, request: GameRequest | None = None) -> DxpEnding:
        return DxpEnding(ending.result, ending.reason, Next.ENDED, stop=stop, request=request, faulty=ending.faulty)

    # our turn

    def _end_if_over(self) -> None:
        """End the game instead of moving, if the rules or the terms require it."""
        own, board = self._terms.own, self.board
        outcome = board.outcome()
        if outcome and outcome.winner is not None:
            self._over(outcome.result, outcome.reason, code=I_LOSE)
        if self._drawn:
            self._over(Result.DRAWN, self._drawn, code=DRAW)
        if self._manners.claim_time and self._time_over(own.other):
            self._over(Result.of(own), "time", code=I_WIN)
        if self._terms.moves and len(board.moves) >= 2 * self._terms.moves:
            value = decided(self._thinker.engine.database, board.position)
            reason = f"{counted(self._terms.moves, 'move')} played"
            if value is None:
                self._over(Result.UNFINISHED, reason)
            winner = value.winner(own)
            code = {Value.WIN: I_WIN, Value.LOSS: I_LOSE}.get(value, DRAW)
            self._over(Result.of(winner), f"{reason}, endgame database", code=code)

    def _move(self) -> None:
        """Search, answering messages meanwhile, and play the move, unless moves have been taken back."""
        board, ply = self.board, len(self.board.moves)
        number = self._thinker.start(board.position, self._limits(), board.history, self._link)
        while True:
            item = self._link.take()
            if not isinstance(item, SearchDone):
                self._handle(item)
                if board.position.side != self._terms.own or len(board.moves) != ply or self._back_ply is not None:
                    self._thinker.finish()
                    return
                continue
            if item.search != number:
                continue
            if isinstance(item.outcome, BaseException):
                raise item.outcome
            result = item.outcome
            self._thinker.last = item
            seconds = time.monotonic() - self._turn_began
            self._link.send(format_dxp_move(result.move, seconds))
            self._play(result.move)
            return

    def _limits(self) -> Limits:
        """Limits of the next search: our own, and the share of the game's clock that a move may take."""
        own, terms = self._level, self._terms
        limits = own.limits() if own else Limits(time=None if terms.minutes else UNLIMITED_SECONDS)
        if not terms.minutes:
            return limits
        seconds = terms.minutes * 60 - self._spent[terms.own]
        # half of the moves so far are ours, and one more if we began
        moves_made = (len(self.board.moves) + (self.board.start.side == terms.own)) // 2
        clock = replace(limits, left=seconds, inc=0.0, moves=max(terms.moves - moves_made, 1) if terms.moves else None)
        return min(limits, clock, key=_usual_seconds) if limits.left is not None else clock

    # the other side's turn

    def _await_move(self) -> None:
        self._take(self._link.take(self._deadline - time.monotonic()))

    def _await_answer(self) -> None:
        """Await the answer to our request to go back. A move that crosses the request counts."""
        try:
            item = self._link.take(min(self._deadline, self._back_until) - time.monotonic())
        except SilentError:
            if time.monotonic() >= self._deadline:
                raise
            self._back_ply = None
            self._say(f"{self._terms.opponent} has not answered the request to go back")
            return
        self._take(item)

    def _take(self, item: Message | Inner) -> None:
        """Handle a move of the other side in its turn, and messages that may come at any time."""
        if isinstance(item, MoveMade) and self.board.position.side != self._terms.own:
            try:
                move = find_move(item, self.board.position)
            except IllegalMoveError as error:
                hint = self._frame_hint()
                self._fault(f"illegal move: {error}{hint}")
            self._link.made_progress()
            self._play(move)
        elif not isinstance(item, SearchDone):
            self._handle(item)

    def _frame_hint(self) -> str:
        """Hint for an illegal first move of the other side, whose usual cause is the other frame."""
        if len(self.board.moves) > 1 or self.board.start == Position():
            return ""
        other = "mover" if self._manners.frame == "pdn" else "pdn"
        return f" (for a peer with the other frame: --frame {other})"

    # at any time

    def _handle(self, message: Message | Wish) -> None:
        """Answer messages other than a move in turn, and send the operator's wishes."""
        match message:
            case Remark():
                self._link.send(Chat(message.text))
            case TakeBack():
                self._ask_back(message.plies)
            case BackAccept() if self._back_ply is not None:
                self._answered(message, self._back_ply)
            case Chat():
                self._answer(message)
            case BackRequest():
                self._go_back(message)
            case GameEnd():
                # a peer that leaves at once has ended the game all the same
                with suppress(ProtocolError):
                    self._link.send(GameEnd(UNKNOWN, self._last))
                result, reason = self._verdict(message.reason)
                raise _Over(DxpEnding(result, reason, Next.ENDED, stop=message.stop))
            case GameRequest():
                reason = f"{self._terms.opponent} asked for another game in the middle of this one"
                raise _Over(DxpEnding(Result.UNFINISHED, reason, Next.ENDED, request=message, faulty=True))
            case MoveMade():
                self._fault("moves when it is not its turn")

    def _verdict(self, claim: int) -> tuple[Result, str]:
        """Result and reason of a game that the other side ends with a claim."""
        own, name, board = self._terms.own, self._terms.opponent, self.board
        outcome = board.outcome()
        if outcome and outcome.winner is not None:
            return outcome.result, outcome.reason
        if claim == I_LOSE:
            return Result.of(own), f"{name} gave up"
        if self._drawn:
            return Result.DRAWN, self._drawn
        if claim == DRAW:
            return Result.DRAWN, f"{name} called it a draw"
        if claim == I_WIN and self._time_over(own):
            return Result.of(own.other), "time"
        if unsent := self._unsent(claim):
            return unsent
        claim_text = ", claiming a win that the board does not show" if claim == I_WIN else ""
        return Result.UNFINISHED, f"{name} ended the game{claim_text}"

    def _unsent(self, claim: int) -> tuple[Result, str] | None:
        """Result and reason if one move of the other side would win the game or draw it by rule.

        Some programs do not send the move that ends the game (pydraughts).
        """
        other = self._terms.own.other
        outcomes: list[Outcome] = []
        if self.board.position.side != other:
            return None
        for move in self.board.position.legal_moves():
            self.board.play(move)
            if outcome := self.board.outcome():
                outcomes.append(outcome)
            self.board.undo()
        how = f"by a move that {self._terms.opponent} did not send"
        # a win before a draw
        outcomes.sort(key=lambda outcome: outcome.winner is None)
        if not outcomes or (outcomes[0].winner is None and claim != UNKNOWN):
            return None
        return outcomes[0].result, f"{outcomes[0].reason}, {how}"

    def _answer(self, message: Chat) -> None:
        """Answer chat with the engine's view, once between two moves, lest two programs answer each other for ever."""
        self._show_chat(message)
        ply = len(self.board.moves)
        if ply <= self._chatted_at:
            return
        self._chatted_at = ply
        last = self._thinker.last
        if last is None:
            self._link.send(Chat("kr plays by itself; it has not searched yet."))
            return
        result = last.outcome
        assert isinstance(result, SearchResult)
        how = f"score {format_score(result.score)} at depth {result.depth}"
        if last.weight is not None:
            how = book_note(result.score, last.weight)
        expected = f", expecting {result.pv[1]}" if len(result.pv) > 1 else ""
        self._link.send(Chat(f"kr plays by itself; its last move: {how}{expected}."))

    def _show_chat(self, message: Chat) -> None:
        self._say(f"{self._terms.opponent} says: {message.text}")

    def _go_back(self, message: BackRequest) -> None:
        """Go back to an earlier position, if that is allowed and the position exists."""
        ply = 2 * (message.number - 1) + (message.side != self._first)
        if not self._manners.takeback or self._back_ply is not None or not 0 <= ply <= len(self.board.moves):
            self._link.send(BackAccept(BACK_REFUSED))
            self._say(f"{self._terms.opponent} asks to go back to move {message.number}: refused")
            return
        self._link.send(BackAccept(BACK_ACCEPTED))
        self._say(f"{self._terms.opponent} goes back to move {message.number}, {counted(ply, 'ply')} into the game")
        self._set_back(ply)

    def _ask_back(self, plies: int | None) -> None:
        """Ask the other side to take plies back; None: those since we were last to move."""
        plies_made = len(self.board.moves)
        if plies is None:
            plies = 2 if self.board.position.side == self._terms.own else 1
        if self._back_ply is not None or not 0 < plies <= plies_made:
            length = f"the game has {counted(plies_made, 'ply')}"
            reason = "the last request is not answered yet" if self._back_ply is not None else length
            self._say(f"no request to take back {counted(plies, 'ply')}: {reason}")
            return
        self._back_ply, self._back_until = plies_made - plies, time.monotonic() + BACK_SECONDS
        number, second = divmod(self._back_ply, 2)
        self._link.send(BackRequest(number + 1, self._first.other if second else self._first))
        into = counted(self._back_ply, "ply")
        self._say(f"{self._terms.opponent} is asked to go back to move {number + 1}, {into} into the game")

    def _answered(self, answer: BackAccept, ply: int) -> None:
        self._back_ply = None
        if answer.code == BACK_ACCEPTED:
            self._say(f"{self._terms.opponent} agrees to go back")
            self._set_back(ply)
        else:
            why = "" if answer.code == BACK_REFUSED else ": it can't"
            self._say(f"{self._terms.opponent} refuses to go back{why}")

    @property
    def _first(self) -> Side:
        """Side that begins, as named in requests to go back."""
        return self.board.start.side if self._manners.frame == "pdn" else Side.WHITE

    def _set_back(self, ply: int) -> None:
        if plies := len(self.board.moves) - ply:
            self.board.undo(plies)
        self._chatted_at = min(self._chatted_at, ply - 1)
        self._drawn = self._draw()
        self._turn_begins()

    # the state of the game

    def _play(self, move: Move) -> None:
        side, seconds = self.board.position.side, time.monotonic() - self._turn_began
        self._spent[side] += seconds
        if self._level and side == self._terms.own:
            self._level.stop(seconds)
        self.board.play(move)
        # a draw stands even if the other side has moved on: only the side to move may end the game
        self._drawn = self._draw() or (self._drawn if self.board.history else None)
        self._turn_begins()

    def _draw(self) -> str | None:
        """Reason for a draw by rule on the board; None if it is not drawn."""
        outcome = self.board.outcome()
        return outcome.reason if outcome and outcome.winner is None else None

    def _turn_begins(self) -> None:
        self._turn_began = time.monotonic()
        self._deadline = self._turn_began + self._manners.timeout

    def _time_over(self, side: Side) -> bool:
        running = time.monotonic() - self._turn_began if side == self.board.position.side else 0.0
        return 0 < self._terms.minutes * 60 < self._spent[side] + running

    def _fault(self, what: str) -> NoReturn:
        """End the game because of a fault of the other side that leaves the connection usable."""
        # for the other side it is our turn now, so we may end the game
        self._over(Result.UNFINISHED, f"{self._terms.opponent}: {what}", faulty=True)

    @staticmethod
    def _over(
        result: Result, reason: str, next: Next = Next.SEND_END, code: int = UNKNOWN, faulty: bool = False
    ) -> NoReturn:
        raise _Over(DxpEnding(result, reason, next, code, faulty=faulty))
