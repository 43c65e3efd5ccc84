"""Problems as puzzles: the solver's moves judged one by one, the best reply to each, hints, and the end of a puzzle.

A move is right if it keeps the value that the solver plays for. In this order it is judged by

 - the rules and the endgame database, where they reach: exact;
 - the solution: `keeping_moves` of the problem, and the published line as long as it is followed;
 - a search of the position after it, compared with one of the best move (the published one too, while its line is
   followed): a move that gives away GIVEN_AWAY of the expected result is wrong, one that gives away less is right if
   the value after it is likely to be the one played for. Else nothing is decided: the verdict's `keeps` is None.

The value of a problem without a published one is that of the database, the likely one by searches
(`kr.evaluation.verdicts`), or that of a composed problem, which it is then taken for; else the guess is unclear.

The opponent replies with the published move as long as the line is followed outside of the database, with the hardest
one by the database (`kr.egdb.exact`), or the best one by the search.

A puzzle is solved when the game is won, or the draw comes about by the rules, and before that

 - a win: when it is proved, and at most PLAIN_PLIES are left or the solver is PLAIN_LEAD pieces ahead, by more than at
   the start; at the end of the published line, and where the distance is not known after as many right moves as that
   line has (WIN_MOVES without one);
 - a draw: when it is exact and no next move can lose it, after SAFE_MOVES moves; or after as many right moves as the
   published line has (DRAW_MOVES without one), and at most MOST_MOVES;
 - either: after `enough` right moves, in a step of a course that leaves the rest to another step.
"""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar, cast

from kr import _core
from kr.analysis.analysis import Analysis
from kr.analysis.annotation.coach import continued, failures
from kr.analysis.annotation.judging import JudgeSettings
from kr.egdb.database import Database
from kr.egdb.exact import ExactMove, exact_moves, exact_value, hardest_move
from kr.errors import IllegalMoveError, InvalidSettingError
from kr.game.board import Board
from kr.game.position import Move, Position, Side
from kr.game.value import Value
from kr.language.sentences import Sentence
from kr.notation import SIDE_NAMES
from kr.pdn import Results
from kr.problems.problem import PROVED_EVIDENCE, Problem, load_problems, same_move

GIVEN_AWAY = JudgeSettings().mistake
"""Expected result that a wrong move gives away: that of a move marked ?."""
PLAIN_PLIES = 3
PLAIN_LEAD = _core.PLAIN_LEAD
WIN_MOVES, DRAW_MOVES, MOST_MOVES = 10, 8, 20
SAFE_MOVES = 3
LONGEST_SOLUTION = 40
"""Plies of a solution that is shown."""
MOST_PROBLEMS = 5000
"""Problems of a file."""
LONGEST_ID = 100
"""Most characters of an id; the rest is cut off."""

DATABASE, SOLUTION, SEARCH = "database", "solution", "search"
"""Evidence for a judgement; the rules count as the database."""

T = TypeVar("T")
Sight = Callable[[Position, tuple[Position, ...]], Analysis]
"""A search by the engine, within its own limits: of a position, after earlier ones that could be repeated. The same
arguments must give the same answer."""


@dataclass(frozen=True)
class Verdict:
    """Judgement of the solver's last move, and what follows."""

    keeps: bool | None
    """True if it keeps the value, False if it gives it away, None if that could not be decided."""
    by: str
    """DATABASE, SOLUTION or SEARCH."""
    reply: Move | None = None
    """The opponent's move, if the game goes on."""
    solved: bool = False
    """True if the puzzle ends here, solved."""
    ended: str = ""
    """Reason why the puzzle ends here, in words; "" if it goes on."""


class Puzzle:
    """A problem that one person solves move by move.

    database, search: evidence for the judgements. enough: right moves after which it is solved, whatever is left.
    Raises InvalidSettingError if the game is over at the start.
    """

    def __init__(self, problem: Problem, database: Database | None, search: Sight, enough: int | None = None) -> None:
        self.problem, self._enough = problem, enough
        self._database, self._search = database, search
        if problem.position.is_over:
            raise InvalidSettingError(f"{problem.id}: the game is over, {problem.position.fen}")

    @cached_property
    def certainty(self) -> tuple[Value, str] | None:
        """Value for the side to move and its evidence, DATABASE or SOLUTION; None if it takes a search."""
        exact = exact_value(self._database, self.problem.position)
        if exact is not None:
            return exact, DATABASE
        published = self.problem.published
        return None if published is None else (published, SOLUTION)

    @cached_property
    def _value(self) -> tuple[Value, str]:
        return self.certainty or (self._guessed(), SEARCH)

    def _guessed(self) -> Value:
        position = self.problem.position
        analysis = self._search(position, ())
        after = self._search(position.play(_best(analysis)), (position,))
        guess = analysis.likely(after) or analysis.likely_if_composed
        return guess.value if guess else Value.WIN if analysis.lines[0].score > 0 else Value.DRAW

    @property
    def goal(self) -> Value:
        """Value that the solver plays for: WIN or DRAW."""
        return Value.DRAW if self._value[0] is Value.DRAW else Value.WIN

    @property
    def goal_by(self) -> str:
        """Evidence for the goal: DATABASE, SOLUTION or SEARCH."""
        return self._value[1]

    @property
    def solver(self) -> Side:
        """The side of the person: the one to move, or in a lost position the other."""
        side = self.problem.position.side
        return side.other if self._value[0] is Value.LOSS else side

    @cached_property
    def published(self) -> tuple[Move, ...]:
        """The published line, as far as it is legal; its first move alone if no more is known, () if nothing is."""
        position, line = self.problem.position, []
        for text in self.problem.solution.split():
            try:
                move = position.parse_move(text)
            except IllegalMoveError:
                break
            line.append(move)
            position = position.play(move)
        if not line and self.problem.first_move is not None:
            line.append(self.problem.first_move)
        return tuple(line)

    @property
    def right_moves(self) -> int:
        """Right moves after which the puzzle counts as solved, unless it ends before."""
        first = int(self.problem.position.side != self.solver)
        published = len(self.published[first::2])
        return min(published or (WIN_MOVES if self.goal is Value.WIN else DRAW_MOVES), MOST_MOVES)

    def begin(self) -> Board:
        """The game at the start, with the first move if that is the opponent's."""
        board = Board(self.problem.position)
        if board.side != self.solver:
            board.play(self.reply(board))
        return board

    def judge(self, board: Board) -> Verdict:
        """Judge the last move of a game from the start, which is the solver's. Raises InvalidSettingError."""
        if not board.moves or board.side == self.solver:
            raise InvalidSettingError(f"the last move is not {SIDE_NAMES[self.solver]}'s")
        keeps, by = self._keeps(board)
        if not keeps:
            return Verdict(keeps, by)
        if (end := self._end(board)) is not None:
            return Verdict(True, by, None, *end)
        reply = self.reply(board)
        board = board.copy()
        board.play(reply)
        end = self._by_rule(board)
        return Verdict(True, by, reply, *(end or (False, "")))

    def why(self, board: Board, verdict: Verdict) -> Sentence | None:
        """Why the last move is wrong, by a fact of the line that begins with it; None where none tells, or only a
        search says that it is. The right move is not told."""
        proved = verdict.by == DATABASE or (verdict.by == SOLUTION and self.problem.evidence in ("", PROVED_EVIDENCE))
        if verdict.keeps is not False or not proved or board.position.is_over:
            return None
        before = board.copy()
        before.undo()
        right, solution = self.best(before)[0], self.solution(before)[0]

        def whole(line: tuple[Move, ...]) -> tuple[Move, ...]:
            return continued(
                before.position, line, self._database, lambda position: self._search(position, ()).lines[0].pv
            )

        better = whole(solution if solution[:1] == (right,) else (right,))
        score = -self._search(board.position, ()).lines[0].score
        told = failures(before.position, whole(board.moves[-1:]), better, self._database, score)
        return next(iter(told), None)

    def reply(self, board: Board) -> Move:
        """The opponent's answer."""
        if (hardest := hardest_move(self._database, board.position, board.history)) is not None:
            return hardest.move
        return self._next_published(board) or _best(self._search(board.position, board.history))

    def best(self, board: Board) -> tuple[Move, str]:
        """A right move for the solver, and the evidence for it."""
        if exact := exact_moves(self._database, board.position):
            keeping = [each for each in exact if each.value is exact[0].value]
            published = self._next_published(board)
            if published is not None and any(same_move(published, each.move) for each in keeping):
                return published, DATABASE
            return self._choice(board, keeping), DATABASE
        if (published := self._next_published(board)) is not None:
            return published, SOLUTION
        if not board.moves and self.problem.keeping_moves:
            return self.problem.keeping_moves[0], SOLUTION
        return _best(self._search(board.position, board.history)), SEARCH

    def _choice(self, board: Board, keeping: Sequence[ExactMove]) -> Move:
        """One of the moves that keep the best value."""
        if keeping[0].value is Value.DRAW:
            # a draw is safest where the opponent's answers are fewest
            return min(keeping, key=_answers).move
        if len(keeping) > 1 and keeping[0].value is Value.WIN and keeping[0].distance is None:
            # any of them wins, but only a search makes progress
            searched = _best(self._search(board.position, board.history))
            return next((each.move for each in keeping if same_move(each.move, searched)), keeping[0].move)
        return keeping[0].move

    def solution(self, board: Board) -> tuple[tuple[Move, ...], str]:
        """A line from this position on, both sides playing their best, and the evidence for its first move."""
        follows = self._followed(board)
        if follows is not None and len(rest := self.published[follows:]) > 1:
            return rest[:LONGEST_SOLUTION], SOLUTION
        moves: list[Move] = []
        board, by = board.copy(), ""
        while len(moves) < LONGEST_SOLUTION and board.outcome() is None:
            if not exact_moves(self._database, board.position):
                if not moves:
                    by = SEARCH
                if not (rest := self._search(board.position, board.history).lines[0].pv):
                    break
                moves += rest
                break
            if board.side == self.solver:
                move, move_by = self.best(board)
                by = by or move_by
            else:
                move = self.reply(board)
            moves.append(move)
            board.play(move)
        return tuple(moves), by

    # --- judging

    def _keeps(self, board: Board) -> tuple[bool | None, str]:
        move, after = board.moves[-1], board.position
        exact = exact_value(self._database, after)
        if exact is not None:
            return exact.opposite.sign >= self.goal.sign, DATABASE
        keeping = self.problem.keeping_moves
        if len(board.moves) == 1 and keeping:
            return any(same_move(move, each) for each in keeping), SOLUTION
        previous = board.copy()
        previous.undo()
        published = self._next_published(previous)
        if published is not None and same_move(move, published):
            return True, SOLUTION
        return self._by_search(previous, after, published), SEARCH

    def _by_search(self, previous: Board, after: Position, published: Move | None) -> bool | None:
        analysis = self._search(after, ())
        if analysis.value is not None:
            return analysis.value.opposite.sign >= self.goal.sign
        before = previous.position
        root = self._search(before, previous.history)
        best = root.chances.expected
        if published is not None:
            best = max(best, 1 - self._search(before.play(published), ()).chances.expected)
        elif before.play(_best(root)) == after:
            # beyond the published line the search is the best judge, and this move is its hint
            return True
        if round(best - (1 - analysis.chances.expected), 6) >= GIVEN_AWAY:
            return False
        likely_value = analysis.likely(self._search(after.play(_best(analysis)), (after,)))
        return True if likely_value is not None and likely_value.value.opposite.sign >= self.goal.sign else None

    def _followed(self, board: Board) -> int | None:
        """Plies of the published line that a game has followed; None if it left the line."""
        position = board.start
        if len(board.moves) > len(self.published):
            return None
        for move, reached in zip(self.published, board.positions[1:], strict=False):
            position = position.play(move)
            if position != reached:
                return None
        return len(board.moves)

    def _next_published(self, board: Board) -> Move | None:
        followed = self._followed(board)
        return None if followed is None or followed == len(self.published) else self.published[followed]

    # --- the end

    def _by_rule(self, board: Board) -> tuple[bool, str] | None:
        outcome = board.outcome()
        if outcome is None:
            return None
        if outcome.winner is not None:
            return outcome.winner == self.solver, _said(
                "won", side=SIDE_NAMES[outcome.winner].lower(), reason=outcome.reason
            )
        return self.goal is Value.DRAW, _said("drawn", reason=outcome.reason)

    def _end(self, board: Board) -> tuple[bool, str] | None:
        if (ended := self._by_rule(board)) is not None:
            return ended
        moves = len(board.moves[int(board.start.side != self.solver) :: 2])
        if self._enough is not None and moves >= self._enough:
            return True, _said("step")
        return self._won(board, moves) if self.goal is Value.WIN else self._drawn(board, moves)

    def _won(self, board: Board, moves: int) -> tuple[bool, str] | None:
        position = board.position
        lead = _lead(position, self.solver)
        exact = exact_value(self._database, position)
        distance = None
        if exact is not None and self._database is not None:
            distance = self._database.distance(position)
            if distance is not None and distance < PLAIN_PLIES:
                return True, _said("plain_win")
        if lead >= PLAIN_LEAD and lead > _lead(board.start, self.solver) and not position.legal_moves()[0].is_capture:
            proved = exact if exact is not None else self._search(position, ()).value
            if proved is Value.LOSS:
                return True, _said("ahead", lead=lead)
        complete = len(self.published) > 1 and self._followed(board) == len(self.published)
        if complete or (distance is None and moves >= self.right_moves):
            return True, _said("complete")
        return None

    def _drawn(self, board: Board, moves: int) -> tuple[bool, str] | None:
        if moves >= self.right_moves:
            return True, _said("held")
        if moves >= SAFE_MOVES and exact_value(self._database, board.position) is Value.DRAW:
            replies = exact_moves(self._database, board.position)
            answers = (answer for reply in replies for answer in exact_moves(self._database, reply.after))
            if all(answer.value is not Value.LOSS for answer in answers):
                return True, _said("safe")
        return None


def _said(name: str, **values: str | int) -> str:
    return str(Sentence(f"puzzle.{name}", values))


DRAWS_EVERY = 3
"""Two puzzles to win come before one to draw, of which there are more."""


def daily(wins: Sequence[T], draws: Sequence[T], day: datetime.date) -> T:
    """The puzzle of a day: two days one to win, the third one to draw.

    Each comes once before one of its kind comes again. A kind goes on by about the golden section of all, so that
    neighbours in the list come far from each other.
    """
    kind, number = wins or draws, day.toordinal()
    if wins and draws:
        turn, place = divmod(number, DRAWS_EVERY)
        is_draw = place == DRAWS_EVERY - 1
        kind, number = (draws, turn) if is_draw else (wins, (DRAWS_EVERY - 1) * turn + place)
    step = round(len(kind) * (math.sqrt(5) - 1) / 2)
    while math.gcd(step, len(kind)) > 1:
        step += 1
    return kind[number * step % len(kind)]


def load_puzzles(paths: Sequence[Path], results: str = "english") -> dict[str, Problem]:
    """The built-in problems and those of files, by names that differ: their ids, with a number where one comes again.

    Problems that are disproved, or over, are left out. results: as for `kr.pdn.read_games`.
    Raises InvalidProblemError, InvalidPdnError, OSError, and InvalidSettingError for a file of more than MOST_PROBLEMS.
    """
    puzzles: dict[str, Problem] = {}
    counts: Counter[str] = Counter()
    for path in (None, *paths):
        problems = load_problems(path, results=cast(Results, results))
        if len(problems) > MOST_PROBLEMS:
            raise InvalidSettingError(f"{path} has {len(problems):,} problems; as puzzles at most {MOST_PROBLEMS:,}")
        for problem in problems:
            if problem.disproved or problem.position.is_over:
                continue
            name = problem.id[:LONGEST_ID]
            counts[name] += 1
            while (apart := name if counts[name] == 1 else f"{name} ({counts[name]})") in puzzles:
                counts[name] += 1
            puzzles[apart] = problem
    return puzzles


def own_puzzles(paths: Sequence[Path], results: str = "english") -> dict[str, Problem]:
    """Those of files alone, as `load_puzzles` has them."""
    if not paths:
        return {}
    shipped = load_puzzles(())
    return {name: problem for name, problem in load_puzzles(paths, results).items() if name not in shipped}


def _best(analysis: Analysis) -> Move:
    return analysis.lines[0].pv[0]


def _answers(each: ExactMove) -> int:
    return len(each.after.legal_moves())


def _lead(position: Position, side: Side) -> int:
    own, other = (position.black, position.white) if side is Side.BLACK else (position.white, position.black)
    return own.bit_count() - other.bit_count()
