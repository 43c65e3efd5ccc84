"""One game by DXP: whose turn it is, what may be said when, the clock, and how games end.

The two sides move in turn; only the side to move may end the game, by a GAMEEND instead of its move, and the other one
answers it in kind. Chat and requests to go back come at any time, also while the engine thinks. Whoever operates kr may
want some of its own to be sent: they are put into the link's inbox, and are sent by the thread that plays.

After a request of its own to go back kr makes no move before the answer. What crosses it on its way the other side said
before it went back: a move of its counts, and another request to go back is refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple, NoReturn

from kr.engine.database import decided
from kr.engine.engine import Engine
from kr.engine.limits import Clock, Limits, TimeControl
from kr.engine.result import Info, SearchOutcome
from kr.engine.search import Search
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
    Frame,
    GameEnd,
    GameRequest,
    Message,
    MoveMade,
    find_move,
    format_dxp_move,
)
from kr.units import counted

UNLIMITED_SECONDS = 1.0
"""For a move, where neither the game's clock nor a limit of ours says anything."""
ANSWER_SECONDS = 10.0
"""How long a peer may take to answer the end of a game."""
BACK_SECONDS = 60.0
"""How long it may take to answer a request to go back, which a person may have to decide."""


class SearchDone(NamedTuple):
    """What a search in another thread came to."""

    search: int
    """Its number: what an earlier one still says is passed over."""
    outcome: SearchOutcome


class Remark(NamedTuple):
    """Chat that the operator wants to be sent."""

    text: str


class TakeBack(NamedTuple):
    """Moves that the operator wants to be taken back."""

    plies: int | None
    """None for those since kr was last to move."""


Wish = Remark | TakeBack
Inner = SearchDone | Wish
"""What comes into the link's inbox from our own side."""


class Thinker:
    """The engine, searching in the background; `link` hears of the result."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._number = 0
        self._search: Search | None = None
        self.last: Info | None = None
        """What the engine thought when it last moved."""

    @property
    def engine(self) -> Engine:
        """For what needs no search."""
        return self._engine

    def new_game(self) -> None:
        """Forget the game before."""
        self._engine.new_game()
        self.last = None

    def start(self, position: Position, limits: Limits, history: Sequence[Position], link: Link[Inner]) -> int:
        """Begin a search; its number is in the SearchDone that `link` will give. Raises what Engine.start raises."""
        self._number += 1
        number = self._number
        self._search = self._engine.start(
            position, limits, history, forced_at_once=True, on_end=lambda outcome: link.put(SearchDone(number, outcome))
        )
        return number

    def finish(self) -> None:
        """Stop the search under way, if any, and wait until it has ended."""
        search, self._search = self._search, None
        if search is not None:
            search.close()


@dataclass(frozen=True)
class Terms:
    """What was agreed for a game."""

    own: Side
    """The side that kr plays."""
    start: Position
    opponent: str
    minutes: int = 0
    """For each side and the whole game; 0 for no clock."""
    moves: int = 0
    """Of each side, after which the game is ended; 0 for no limit."""


@dataclass(frozen=True)
class Manners:
    """How kr plays, whatever is agreed."""

    level: Limits | TimeControl | None = None
    """The limits of each move, or a clock of our own; the game's clock holds besides."""
    timeout: float = 600.0
    """Seconds of silence that are borne."""
    takeback: bool = True
    """Whether requests to go back are granted."""
    claim_time: bool = False
    """Whether a game is ended as won when the other side's clock has run out."""
    greeting: str = ""
    """Chat at the beginning of the game."""
    frame: Frame = "pdn"
    """Whose squares and colours the peer uses: see kr.protocols.dxp_text.parse_dxp_position."""


class Next(Enum):
    """What there is to say after a game."""

    SEND_END = "we send GAMEEND and wait for the answer"
    AWAIT_END = "the other side has to send GAMEEND"
    ENDED = "both sides have sent GAMEEND"
    BROKEN = "the connection is of no use any more"


@dataclass(frozen=True)
class DxpEnding:
    """How a game came to an end."""

    result: Result
    """As written in PDN; unfinished where the game was broken off."""
    reason: str
    next: Next
    code: int = UNKNOWN
    """Our reason, where we send GAMEEND."""
    stop: bool = False
    """Whether the other side wants no further game."""
    request: GameRequest | None = None
    """The next game, where the other side asked for it already."""
    faulty: bool = False
    """Whether the other side broke the rules or the protocol."""


def _usual_seconds(limits: Limits) -> float:
    return limits.seconds()[0] or 0.0


class _Over(Exception):
    """Carries an DxpEnding out of wherever it was found."""

    def __init__(self, ending: DxpEnding) -> None:
        super().__init__(ending.reason)
        self.ending = ending


class DxpGame:
    """A game that both sides have agreed to. say: is told chat and whatever else happens, in lines."""

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
        """Whether we want no further game."""
        self._say = say
        self._level = None if manners.level is None else Clock(manners.level)
        self._spent = dict.fromkeys(Side, 0.0)
        self._chatted_at = -1
        self._drawn: str | None = None
        self._asked: int | None = None
        """The ply that we have asked to go back to, as long as the answer is awaited."""
        self._asked_until = 0.0
        self._turn_begins()

    def play(self) -> DxpEnding:
        """Play to the end; what there is to say after it is left to `part`.

        Raises what Engine.search raises, and lets KeyboardInterrupt through.
        """
        self._thinker.new_game()
        self._link.made_progress()
        self._turn_begins()
        try:
            if self._manners.greeting:
                self._link.send(Chat(self._manners.greeting))
            while True:
                if self._asked is not None:
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
        """Exchange the GAMEENDs that are still due; returns what the other side wants next."""
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
                    self._heard(message)
                elif isinstance(message, BackRequest):
                    self._link.send(BackAccept(BACK_REFUSED))
                elif isinstance(message, Remark):
                    self._link.send(Chat(message.text))
        except ProtocolError as error:
            self._say(f"{self._terms.opponent}: after the game: {error}")
            return DxpEnding(ending.result, ending.reason, Next.BROKEN, faulty=ending.faulty)

    def abandon(self) -> None:
        """Tell the other side, as far as it still listens, that nothing more comes."""
        with suppress(ProtocolError):
            self._link.send(GameEnd(UNKNOWN, stop=True))

    @staticmethod
    def _parted(ending: DxpEnding, stop: bool = False, request: GameRequest | None = None) -> DxpEnding:
        return DxpEnding(ending.result, ending.reason, Next.ENDED, stop=stop, request=request, faulty=ending.faulty)

    # our turn

    def _end_if_over(self) -> None:
        """End the game instead of moving, where the rules or the terms say so."""
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
        """Think, answering what comes meanwhile, and play the move; nothing is played where moves are taken back."""
        board, ply = self.board, len(self.board.moves)
        number = self._thinker.start(board.position, self._limits(), board.history, self._link)
        while True:
            item = self._link.take()
            if not isinstance(item, SearchDone):
                self._handle(item)
                if board.position.side != self._terms.own or len(board.moves) != ply or self._asked is not None:
                    self._thinker.finish()
                    return
                continue
            if item.search != number:
                continue
            if isinstance(item.outcome, BaseException):
                raise item.outcome
            found = item.outcome
            self._thinker.last = Info(found.depth, found.score, found.nodes, found.time, found.pv)
            seconds = time.monotonic() - self._turn_began
            self._link.send(format_dxp_move(found.move, seconds))
            self._play(found.move)
            return

    def _limits(self) -> Limits:
        """Of the next search: those of our level, and the share of the game's clock that a move may take."""
        own, terms = self._level, self._terms
        limits = own.limits() if own else Limits(time=None if terms.minutes else UNLIMITED_SECONDS)
        if not terms.minutes:
            return limits
        left = terms.minutes * 60 - self._spent[terms.own]
        # of the moves so far, half are ours, and one more if we began
        made = (len(self.board.moves) + (self.board.start.side == terms.own)) // 2
        clock = replace(limits, left=left, inc=0.0, moves=max(terms.moves - made, 1) if terms.moves else None)
        return min(limits, clock, key=_usual_seconds) if limits.left is not None else clock

    # the other side's turn

    def _await_move(self) -> None:
        self._take(self._link.take(self._deadline - time.monotonic()))

    def _await_answer(self) -> None:
        """Of our request to go back. It may cross a move of the other side, which counts as long as it stands."""
        try:
            item = self._link.take(min(self._deadline, self._asked_until) - time.monotonic())
        except SilentError:
            if time.monotonic() >= self._deadline:
                raise
            self._asked = None
            self._say(f"{self._terms.opponent} does not answer the request to go back")
            return
        self._take(item)

    def _take(self, item: Message | Inner) -> None:
        """A move of the other side where it is its turn, or what may come at any time."""
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
        """What to say when the other side's very first move is wrong: the commonest cause is the other frame."""
        if len(self.board.moves) > 1 or self.board.start == Position():
            return ""
        other = "mover" if self._manners.frame == "pdn" else "pdn"
        return f" (a peer that turns the board needs --frame {other})"

    # at any time

    def _handle(self, message: Message | Wish) -> None:
        """Answer what is not a move in turn, and send what the operator wishes."""
        match message:
            case Remark():
                self._link.send(Chat(message.text))
            case TakeBack():
                self._ask_back(message.plies)
            case BackAccept() if self._asked is not None:
                self._answered(message, self._asked)
            case Chat():
                self._answer(message)
            case BackRequest():
                self._go_back(message)
            case GameEnd():
                # whoever leaves at once has ended the game all the same
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
        """Result and reason of a game that the other side ends, with what it says about it."""
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
        said = ", claiming a win that the board does not show" if claim == I_WIN else ""
        return Result.UNFINISHED, f"{name} ended the game{said}"

    def _unsent(self, claim: int) -> tuple[Result, str] | None:
        """Result and reason where one move of the other side would end the game by rule, in its favour or as a draw.

        Programs that stop at the end of a game leave out the move that ended it (pydraughts).
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
        said = f"by a move that {self._terms.opponent} did not send"
        # a win before a draw
        outcomes.sort(key=lambda outcome: outcome.winner is None)
        if not outcomes or (outcomes[0].winner is None and claim != UNKNOWN):
            return None
        return outcomes[0].result, f"{outcomes[0].reason}, {said}"

    def _answer(self, message: Chat) -> None:
        """Say what the engine thinks: once between two moves, so that two programs that answer chat come to an end."""
        self._heard(message)
        ply = len(self.board.moves)
        if ply <= self._chatted_at:
            return
        self._chatted_at = ply
        thought = self._thinker.last
        if thought is None:
            self._link.send(Chat("kr plays by itself; it has not thought yet."))
            return
        expected = f", expecting {thought.pv[1]}" if len(thought.pv) > 1 else ""
        self._link.send(
            Chat(
                f"kr plays by itself; its last move: score {format_score(thought.score)} "
                f"at depth {thought.depth}{expected}."
            )
        )

    def _heard(self, message: Chat) -> None:
        self._say(f"{self._terms.opponent} says: {message.text}")

    def _go_back(self, message: BackRequest) -> None:
        """Take moves back, where that is allowed and there was such a position."""
        ply = 2 * (message.number - 1) + (message.side != self._first)
        if not self._manners.takeback or self._asked is not None or not 0 <= ply <= len(self.board.moves):
            self._link.send(BackAccept(BACK_REFUSED))
            self._say(f"{self._terms.opponent} asks to go back to move {message.number}: refused")
            return
        self._link.send(BackAccept(BACK_ACCEPTED))
        self._say(f"{self._terms.opponent} goes back to move {message.number}, {counted(ply, 'ply')} into the game")
        self._set_back(ply)

    def _ask_back(self, plies: int | None) -> None:
        """Ask the other side to take so many plies back, or all since we were last to move."""
        made = len(self.board.moves)
        if plies is None:
            plies = 2 if self.board.position.side == self._terms.own else 1
        if self._asked is not None or not 0 < plies <= made:
            length = f"the game has {counted(made, 'ply')}"
            reason = "the last request is not answered yet" if self._asked is not None else length
            self._say(f"no request to take {plies} back: {reason}")
            return
        self._asked, self._asked_until = made - plies, time.monotonic() + BACK_SECONDS
        number, second = divmod(self._asked, 2)
        self._link.send(BackRequest(number + 1, self._first.other if second else self._first))
        into = counted(self._asked, "ply")
        self._say(f"{self._terms.opponent} is asked to go back to move {number + 1}, {into} into the game")

    def _answered(self, answer: BackAccept, ply: int) -> None:
        self._asked = None
        if answer.code == BACK_ACCEPTED:
            self._say(f"{self._terms.opponent} agrees to go back")
            self._set_back(ply)
        else:
            why = "" if answer.code == BACK_REFUSED else ": it cannot"
            self._say(f"{self._terms.opponent} refuses to go back{why}")

    @property
    def _first(self) -> Side:
        """The side that begins, as requests to go back call it."""
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
        # the side that may say so may be the one whose move went on with the game
        self._drawn = self._draw() or (self._drawn if self.board.history else None)
        self._turn_begins()

    def _draw(self) -> str | None:
        """Reason for a draw by rule on the board; None where it is not drawn."""
        outcome = self.board.outcome()
        return outcome.reason if outcome and outcome.winner is None else None

    def _turn_begins(self) -> None:
        self._turn_began = time.monotonic()
        self._deadline = self._turn_began + self._manners.timeout

    def _time_over(self, side: Side) -> bool:
        running = time.monotonic() - self._turn_began if side == self.board.position.side else 0.0
        return 0 < self._terms.minutes * 60 < self._spent[side] + running

    def _fault(self, what: str) -> NoReturn:
        """End the game because the other side did something wrong that leaves the connection usable."""
        # it is our turn now, in the other side's eyes; so this is the moment to end the game
        self._over(Result.UNFINISHED, f"{self._terms.opponent}: {what}", faulty=True)

    @staticmethod
    def _over(
        result: Result, reason: str, next: Next = Next.SEND_END, code: int = UNKNOWN, faulty: bool = False
    ) -> NoReturn:
        raise _Over(DxpEnding(result, reason, next, code, faulty=faulty))
