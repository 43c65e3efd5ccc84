"""A game at the board between people and engines, with clocks, draw offers, and a file to which it is saved.

    play = Play.prepare(PlaySettings(level=3), table)
    outcome = play.run()

The table shows events and asks people for lines: a terminal, a program, a test. `run` waits for people and engines. A
caller that must not wait, such as a web page, takes the same game step by step and answers each step in its own time:

    steps = play.steps()
    question = next(steps)          # a Prompt, or a Thought
    question = steps.send("11-15")
"""

from __future__ import annotations

import datetime
import math
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from kr.engine.engine import engine_from
from kr.engine.limits import TimeControl
from kr.engine.result import SearchResult
from kr.engine.search import Stop
from kr.errors import KrError
from kr.game.outcome import AGREEMENT, OVERTIME, RESIGNATION, Outcome
from kr.game.position import Move, Side
from kr.notation import SIDE_NAMES, square_name
from kr.pdn import Game
from kr.play.advice import Advice
from kr.play.events import Events, move_texts
from kr.play.input import TABLE_COMMANDS, TypedCommand, next_squares, parse_command, read_move
from kr.play.manners import OFFER_AGAIN, gives_up, offers_draw, refusal
from kr.play.record import NO_FILE, PlayRecord, default_path
from kr.play.setup import HUMAN, SETUP_TAGS, GameSetup, PlaySettings, seat_names, set_up
from kr.play.table import Adviser, Prompt, Seat, Table, Thought, TimeUp
from kr.players.player import Player, Reply
from kr.storage import lock
from kr.text import printable
from kr.units import counted

Steps = Generator[Prompt | Thought, Any, Outcome | None]
"""A game, step by step: yields the next prompt or thought, is sent the answer, and returns the end of the game."""
_Turn = Generator[Prompt | Thought, Any, None]


class _Over(Exception):
    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


class _Leave(Exception):
    """A person leaves the table."""


class Play:
    """A game between two players. make_adviser: makes the giver of hints. now: seconds of a running clock."""

    def __init__(
        self,
        settings: PlaySettings,
        setup: GameSetup,
        record: PlayRecord,
        players: tuple[Player | None, Player | None],
        table: Table,
        now: Callable[[], float] = time.monotonic,
        make_adviser: Callable[[], Adviser] | None = None,
    ) -> None:
        self._settings, self._setup, self._record, self._table, self._now = settings, setup, record, table, now
        self._advice = Advice(make_adviser or partial(engine_from, settings))
        self.board = record.board()
        self._seats = [
            Seat(name, player) for name, player in zip(seat_names(setup.specs, players), players, strict=True)
        ]
        for side in Side:
            self._set_clock(side)
        self._events = Events(table, setup, record, self.board, self._seats)
        self.humans = len(self._events.people)
        """Number of people that play."""
        self._offer: Side | None = None
        """Side whose draw offer is open."""
        self._offered_at: dict[Side, int] = {}
        self._began = 0.0

    @classmethod
    def prepare(
        cls,
        settings: PlaySettings,
        table: Table,
        now: Callable[[], float] = time.monotonic,
        make_adviser: Callable[[], Adviser] | None = None,
    ) -> Play:
        """Set up the game of the settings: start its players and choose its file.

        Raises InvalidSettingError, InvalidFenError, InvalidPdnError, InvalidWeightsError, InvalidDatabaseError,
        ProtocolError and OSError.
        """
        if settings.resume:
            record = PlayRecord.resume(settings.resume)
            setup = set_up(settings, record.game.headers, record.game.end().turn)
            # present settings replace those of the file
            for tag in SETUP_TAGS:
                record.game.headers.pop(tag, None)
            record.game.headers.update(setup.headers)
        else:
            setup = set_up(settings)
            today = datetime.datetime.now()
            # the names follow once the players have started
            headers = {"Date": f"{today:%Y.%m.%d}", "Round": "?", "Black": "", "White": "", **setup.headers}
            path = None if str(settings.out) == NO_FILE else settings.out or default_path(today)
            record = PlayRecord.begin(setup.start, headers, path, setup.line)
        players: list[Player | None] = []
        try:
            for spec in setup.specs:
                players.append(None if spec == HUMAN else settings.make_player(spec))
        except BaseException:
            _close(players)
            raise
        seated = players[0], players[1]
        for tag, name, player in zip(("Black", "White"), seat_names(setup.specs, seated), seated, strict=True):
            # a person's name in a resumed file stays
            if player or not record.game.headers.get(tag):
                record.game.headers[tag] = name
        return cls(settings, setup, record, seated, table, now, make_adviser)

    @property
    def game(self) -> Game:
        """The game as in its file, with times and the engines' scores as comments."""
        return self._record.game

    @property
    def undo_ply(self) -> int | None:
        """Plies before the last move of a person; None if there is none to take back."""
        ply = len(self.board.moves) - 1
        while ply >= self._record.opening and self._seats[(self.board.start.side + ply) % 2].player is not None:
            ply -= 1
        return None if ply < self._record.opening else ply

    def run(self) -> Outcome | None:
        """Play to the end; None if someone leaves before, with the game saved to its file.

        Raises ProtocolError and InvalidDatabaseError if an engine fails, OutputBusyError if another process holds the
        file, OSError.
        """
        steps = self.steps()
        try:
            question = next(steps)
            while True:
                try:
                    answer = self._answer(question)
                except BaseException as error:
                    question = steps.throw(error)
                else:
                    question = steps.send(answer)
        except StopIteration as end:
            outcome: Outcome | None = end.value
            return outcome

    def _answer(self, question: Prompt | Thought) -> str | Reply | SearchResult:
        if isinstance(question, Thought):
            return question.find()
        try:
            return self._table.ask(question.text, question.words, question.seconds)
        except TimeUp:
            return ""

    def steps(self) -> Steps:
        """The game as a generator: each step waits for its answer to be sent, or for an error to be thrown. It returns
        the result of `run`. Closing it before the end leaves the game, and closes the players in any case.
        """
        steps = self._steps()
        # once begun, it closes the players whenever it is closed, even before the first step
        next(steps)
        return steps

    def _steps(self) -> Generator[Any, Any, Outcome | None]:
        path = self._record.path
        try:
            yield None
            with lock(path) if path else nullcontext():
                return (yield from self._run())
        finally:
            _close([seat.player for seat in self._seats])

    def _run(self) -> Steps:
        try:
            for seat in self._seats:
                if seat.player:
                    seat.player.new_game()
            self._events.start()
            while True:
                self._end_by_rules()
                side = self.board.position.side
                if self._seats[side].player is None:
                    yield from self._human_turn(side)
                else:
                    yield from self._engine_turn(side)
        except _Over as over:
            self._record.finish(over.outcome.result, over.outcome.reason)
            self._save()
            self._events.end(over.outcome)
            return over.outcome
        except (_Leave, KeyboardInterrupt, EOFError):
            self._leave()
            return None
        except BaseException:
            self._leave()
            raise

    # --- turns

    def _end_by_rules(self) -> None:
        if outcome := self.board.outcome():
            raise _Over(outcome)

    def _engine_turn(self, side: Side) -> _Turn:
        seat = self._seats[side]
        player, clock = seat.player, seat.clock
        assert player is not None
        assert clock is not None
        legal = self.board.position.legal_moves()
        if len(legal) == 1:
            clock.stop(0.0)
            self._play(side, legal[0], 0.0, None)
            return
        self._events.tell("thinking", f"{SIDE_NAMES[side]} is thinking ...", side=side)
        arguments, stop = (self.board.position, clock.limits(), self.board.recent), Stop()
        reply: Reply = yield Thought(lambda: player.search(*arguments, stop), stop.set)
        if clock.stop(reply.time) > self._settings.margin:
            raise _Over(Outcome(side.other, OVERTIME))
        scores = [*self._record.scores(side), reply.score]
        if self._settings.resign and gives_up(scores):
            raise _Over(Outcome(side.other, RESIGNATION))
        self._play(side, reply.move, reply.time, reply)
        if offers_draw(scores, len(self.board.moves)) and self._may_offer(side):
            self._offer_draw(side)

    def _human_turn(self, side: Side) -> _Turn:
        """Obey lines until the side has moved, or moves have been taken back."""
        seat, moves = self._seats[side], self.board.moves
        self._began = self._now()
        prefix: tuple[int, ...] = ()
        self._events.turn(side)
        while self.board.moves == moves:
            position = self.board.position
            words = [str(move) for move in position.legal_moves()] + list(TABLE_COMMANDS)
            if prefix:
                words = [square_name(square) for square in next_squares(position, prefix)]
            text: str = yield Prompt(self._prompt(side, prefix), words, self._time_left(seat))
            seconds = self._time_left(seat)
            if seconds is not None and seconds <= 0:
                raise _Over(Outcome(side.other, OVERTIME))
            try:
                command = parse_command(text)
                if command:
                    prefix = ()
                    yield from self._obey(command, side)
                elif not text.strip():
                    prefix = ()
                else:
                    typed = read_move(text, position, prefix)
                    prefix = typed if isinstance(typed, tuple) else ()
                    if isinstance(typed, Move):
                        self._move_by_hand(side, typed)
                    else:
                        self._events.squares(prefix)
            except (KrError, OSError) as error:
                prefix = ()
                self._events.tell("error", _line(error))

    def _move_by_hand(self, side: Side, move: Move) -> None:
        seconds, clock = self._now() - self._began, self._seats[side].clock
        if clock:
            clock.stop(seconds)
        self._play(side, move, seconds, None)

    def _play(self, side: Side, move: Move, seconds: float, reply: Reply | None) -> None:
        self.board.play(move)
        seat = self._seats[side]
        clocked = seat.clock is not None and isinstance(seat.clock.control, TimeControl)
        self._record.add(move, seconds, seat.clock.left if clocked and seat.clock else None, reply)
        # a move declines an open offer
        if self._offer == side.other:
            self._offer = None
        self._save()
        self._events.move(side, move, seconds, reply)

    def _time_left(self, seat: Seat) -> float | None:
        """Seconds until the side to move loses on time."""
        return None if seat.seconds is None else seat.seconds + self._settings.margin - (self._now() - self._began)

    # --- commands

    def _obey(self, command: TypedCommand, side: Side) -> _Turn:
        position = self.board.position
        match command.name:
            case "moves":
                legal = position.legal_moves()
                self._events.tell("moves", f"legal: {' '.join(map(str, legal))}", moves=move_texts(legal))
            case "hint" | "eval":
                yield from self._advise(side, command.name)
            case "undo":
                self._undo(side)
            case "board":
                self._events.tell("board", view=self._events.view())
            case "flip":
                self._events.flipped = not self._events.flipped
                self._events.tell("board", view=self._events.view())
            case "draw":
                self._draw(side)
            case "agree":
                if self.humans < 2:
                    self._events.tell("error", "agree is for two people; draw offers kr a draw")
                    return
                raise _Over(Outcome(None, AGREEMENT))
            case "resign":
                raise _Over(Outcome(side.other, RESIGNATION))
            case "save":
                self._save_to(command.argument)
            case "help":
                lines = [f"  {name:<6}  {what}" for name, what in TABLE_COMMANDS.items()]
                moves = "  11-15   a move; 22x15 or 22-15 is a capture; or its squares one by one"
                self._events.tell("help", "\n".join([moves, *lines]), commands=TABLE_COMMANDS)
            case "quit":
                raise _Leave

    def _advise(self, side: Side, kind: str) -> _Turn:
        """Give a hint, or what it promises alone. The person's clock stands still meanwhile."""
        begin = self._now()
        result = yield from self._advice.search(self.board, self._settings.hint_tc)
        self._began += self._now() - begin
        promise = self._advice.promise(result)
        line = " ".join(map(str, result.pv[:8]))
        text = f"{result.move}: {promise}; {line}" if kind == "hint" else f"for {SIDE_NAMES[side]}: {promise}"
        self._events.tell(kind, text, **self._advice.facts(result))

    def _undo(self, side: Side) -> None:
        """Go back to the last position with a person to move."""
        moves, ply = len(self.board.moves), self.undo_ply
        if ply is None:
            self._events.tell("error", "you have no move to take back")
            return
        self._record.undo(moves - ply)
        self.board.undo(moves - ply)
        for each in Side:
            self._set_clock(each)
        self._offer = None
        self._offered_at = {each: at for each, at in self._offered_at.items() if at <= ply}
        self._save()
        self._events.tell("undo", f"{counted(moves - ply, 'move')} taken back",
                   plies=moves - ply, fen=self.board.position.fen)  # fmt: skip

    def _draw(self, side: Side) -> None:
        """Accept the open offer, or make one. An engine answers at once, a person by their next line."""
        if self._offer == side.other:
            raise _Over(Outcome(None, AGREEMENT))
        if not self._may_offer(side):
            again = self._offered_at[side] + OFFER_AGAIN - len(self.board.moves)
            self._events.tell("error", f"you have already offered a draw; you can again in {counted(again, 'ply')}")
            return
        self._offer_draw(side)

    def _may_offer(self, side: Side) -> bool:
        at = self._offered_at.get(side)
        return at is None or len(self.board.moves) >= at + OFFER_AGAIN

    def _offer_draw(self, side: Side) -> None:
        self._offered_at[side] = len(self.board.moves)
        other = self._seats[side.other]
        how = "" if other.player else "; draw accepts, a move declines"
        self._events.tell("offer", f"{SIDE_NAMES[side]} offers a draw{how}", side=side)
        if other.player is None:
            self._offer = side
            return
        why = refusal(self._record.scores(side.other), len(self.board.moves))
        if why is None:
            raise _Over(Outcome(None, AGREEMENT))
        self._events.tell("answer", f"{SIDE_NAMES[side.other]} declines: {why}", side=side.other, accepted=False)

    def _save_to(self, name: str) -> None:
        if not name:
            self._events.tell("error", "save: expected a file name, save FILE")
            return
        try:
            path = Path(name).expanduser()
            self._record.copy_to(path)
        except (ValueError, RuntimeError) as error:
            # a name with a null byte, or in the home of an unknown user
            if isinstance(error, KrError):
                raise
            self._events.tell("error", f"{printable(name)!r} is not a file name: {_line(error)}")
            return
        self._events.tell("saved", f"written to {path}", file=str(path))

    def _leave(self) -> None:
        """Save the game and show the command that resumes it."""
        self._save()
        self._events.left()

    def _prompt(self, side: Side, prefix: tuple[int, ...]) -> str:
        seconds = self._time_left(self._seats[side])
        clock = "" if seconds is None else f" ({clock_text(seconds - self._settings.margin)})"
        return f"{SIDE_NAMES[side]}{clock}: " + "".join(f"{square_name(square)}-" for square in prefix)

    def _set_clock(self, side: Side) -> None:
        control = self._setup.controls[side]
        self._seats[side].clock = None if control is None else self._record.clock(side, control)

    def _save(self) -> None:
        """Save the game. If that fails, the game continues all the same."""
        try:
            self._record.save()
        except (KrError, OSError) as error:
            self._events.tell("error", f"the game is not kept: {_line(error)}")


def clock_text(seconds: float) -> str:
    """Minutes and seconds, rounded up; tenths in the last ten seconds."""
    if seconds < 10:
        return f"{max(seconds, 0.0):.1f}"
    whole = math.ceil(seconds)
    return f"{whole // 60}:{whole % 60:02d}"


def _line(error: Exception) -> str:
    """Message of an error, in one line."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split())


def _close(players: Sequence[Player | None]) -> None:
    for player in players:
        if player is not None:
            player.close()
