"""Looking at one position: is it a puzzle, with one right move, and one again at each next move of the solver?

Moves are judged by the rules and the database where they have all of them. Elsewhere two searches compare the best move
and the second: a win has to score SEARCHED_WIN or more and the second best move SEARCHED_EVEN or less, a draw not less
than -SEARCHED_EVEN, and its second best move -SEARCHED_WIN or less. Looks with few nodes, and half of these margins,
throw out most positions, one with many decides. A win with the solver two pieces ahead is left out.

The line goes on with the opponent's hardest defence (`kr.egdb.exact.hardest_move`, or the move of a search) as long as
the solver has one right move, until the result is plain, and to the end of a capture that is under way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kr.egdb.exact import exact_moves, hardest_move
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.evaluation.verdicts import likely
from kr.game.position import Move, Position, Side
from kr.game.value import Value
from kr.jobs.kinds import Stop
from kr.policy.policy import Policy
from kr.problems.difficulty import SolverChoice, rating_of, solving_share
from kr.problems.plain import is_plain
from kr.problems.problem import LIKELY_EVIDENCE, PROVED_EVIDENCE, SEARCHED_EVIDENCE, Problem
from kr.problems.puzzles import PLAIN_LEAD
from kr.problems.ranking import Merit, merit_of, near_misses_of
from kr.problems.soundness import ProblemVerdict, Soundness, check_problem
from kr.problems.themes import themes_of
from kr.proofs.decider import after_moves

SEARCHED_WIN, SEARCHED_EVEN = 130, 20
"""Centi-men: least score of a won position, and most of one that is not won, where nothing is proved."""
MOST_SOLVER_MOVES = 12
"""Only moves after which a line is left."""
LOOK_FACTOR = 10
"""Each look at a position has so many times the nodes of the one before it."""
CAPTURE_PLIES = 8
"""Most plies by which a line goes on to the end of captures."""


@dataclass(frozen=True)
class PuzzleChoice:
    """What a position must be to count as a puzzle."""

    moves: int = 2
    """Least number of only moves of the solver in a row, forced ones apart."""
    captures: bool = False
    """True if the key may be a capture."""
    lowest: int = 1000
    """Rating."""
    highest: int = 4000
    themes: tuple[str, ...] = ()
    """At least one of these; all, with none, if empty."""
    first_nodes: int = 1_000
    nodes: int = 100_000
    """Nodes of the first look at a position, and of the last."""
    proof_nodes: int = 1_000_000
    """Nodes of all searches for a proof; 0: none is tried."""


@dataclass(frozen=True)
class Judged:
    """The moves of a position."""

    value: Value
    """For the side to move."""
    right: tuple[Move, ...]
    """Moves that keep it; those of a search are one, or more than one of which the best comes first."""
    count: int
    """Number of moves that lead to different positions."""
    exact: bool


class Finder:
    """Looks at positions with one engine, whose database it uses, and a model of people's moves."""

    def __init__(self, engine: Engine, policy: Policy, choice: PuzzleChoice, stop: Stop | None = None) -> None:
        self.engine, self.policy, self.choice = engine, policy, choice
        self.stop = stop

    def find(self, position: Position) -> tuple[Problem, Merit] | None:
        """The puzzle of a position, without id, title and source, and its merit; None if it is none."""
        choice = self.choice
        moves = position.legal_moves()
        if len(moves) < 2 or (moves[0].is_capture and not choice.captures):
            return None
        judgement = self._first_judged(position)
        if judgement is None or not _has_one(judgement) or self._is_plain(position, judgement.value):
            return None
        followed = self._line(position, judgement)
        if followed is None:
            return None
        line, choices, exact = followed
        rating = rating_of(solving_share(choices, self.policy))
        themes = themes_of(position, line, judgement.value, judgement.right)
        if not choice.lowest <= rating <= choice.highest:
            return None
        if choice.themes and not set(choice.themes) & set(themes):
            return None
        winner = judgement.value.winner(position.side)
        problem = Problem(
            id="", title="", position=position,
            result="draw" if winner is None else f"{winner.name[0]}-win",
            solution=" ".join(map(str, line)), first_move=line[0], keeping_moves=judgement.right,
            themes=tuple(map(str, themes)), rating=rating,
            evidence=PROVED_EVIDENCE if exact else SEARCHED_EVIDENCE,
        )  # fmt: skip
        if not exact and choice.proof_nodes:
            checked = self._checked(problem)
            if checked is None:
                return None
            problem = checked
        if problem.evidence == SEARCHED_EVIDENCE and self._is_likely(position, judgement):
            problem = replace(problem, evidence=LIKELY_EVIDENCE)
        database = self.engine.database
        near = near_misses_of(position, judgement.right, judgement.value, database) if judgement.exact else 0
        return problem, merit_of(position, line, position.side, len(choices), near)

    def _first_judged(self, position: Position) -> Judged | None:
        """The moves of a position, by as many looks as it takes to see that there is no one right move."""
        nodes = self.choice.first_nodes
        while nodes < self.choice.nodes:
            judgement = self.judge(position, nodes, 0.5)
            if judgement is None or judgement.exact or not _has_one(judgement):
                return judgement
            nodes *= LOOK_FACTOR
        return self.judge(position, self.choice.nodes)

    def judge(self, position: Position, nodes: int, strictness: float = 1.0) -> Judged | None:
        """The moves of a position by the database or a search with so many nodes; None if their value is unclear.

        strictness: share of the margins between won and not won that scores have to show.
        """
        exact = exact_moves(self.engine.database, position)
        if exact:
            reached = {each.after.bits: each for each in reversed(exact)}
            right = [each for each in reached.values() if each.value is exact[0].value]
            right.sort(key=exact.index)
            return Judged(exact[0].value, tuple(each.move for each in right), len(reached), True)
        count = len(after_moves(position))
        result = self.engine.search(position, Limits(nodes=nodes), multipv=min(2, count), stop=self.stop)
        best = result.lines[0]
        middle = (SEARCHED_WIN + SEARCHED_EVEN) / 2
        margin = strictness * (SEARCHED_WIN - SEARCHED_EVEN) / 2
        won, even = middle + margin, middle - margin

        def value_of(score: int) -> Value | None:
            return Value.from_sign(score) if abs(score) >= won else Value.DRAW if abs(score) <= even else None

        value = value_of(best.score)
        if value is None or len(result.lines) == 1:
            return None if value is None else Judged(value, (best.pv[0],), count, False)
        second = result.lines[1]
        other = value_of(second.score)
        if other is None or position.play(best.pv[0]) == position.play(second.pv[0]):
            return None
        return Judged(value, (best.pv[0], second.pv[0]) if other is value else (best.pv[0],), count, False)

    def _is_plain(self, position: Position, value: Value) -> bool:
        """True if there is nothing to find, since the solver is far ahead or the draw is plain."""
        own, other = (position.black, position.white)[:: 1 if position.side is Side.BLACK else -1]
        ahead = own.bit_count() - other.bit_count() >= PLAIN_LEAD
        return (value is Value.WIN and ahead) or is_plain(position, position.side, value)

    def _line(self, start: Position, judgement: Judged) -> tuple[list[Move], list[SolverChoice], bool] | None:
        """The solution, its choices with one right move, and True if the database has all of them; None if too short.

        judgement: the moves at the start.
        """
        solver, value = start.side, judgement.value
        position, line, history, choices, exact = start, list[Move](), list[Position](), list[SolverChoice](), True
        while True:
            if judgement.value is not value or len(judgement.right) != 1:
                break
            exact &= judgement.exact
            if judgement.count > 1:
                choices.append((position, judgement.right, tuple(history)))
            line.append(judgement.right[0])
            history.append(position)
            position = position.play(judgement.right[0])
            if position.is_over or len(choices) >= MOST_SOLVER_MOVES:
                break
            reply = self._reply(position, history)
            line.append(reply)
            history.append(position)
            position = position.play(reply)
            if position in history or is_plain(position, solver, value):
                line.pop()
                break
            following = self.judge(position, self.choice.nodes)
            if following is None:
                break
            judgement = following
        if len(choices) < self.choice.moves:
            return None
        self._finish(start, line)
        return line, choices, exact

    def _finish(self, start: Position, line: list[Move]) -> None:
        """Go on to the end of captures, and end with a move of the solver."""
        positions = [start]
        for move in line:
            positions.append(positions[-1].play(move))
        for _ in range(CAPTURE_PLIES):
            position = positions[-1]
            moves = position.legal_moves()
            if not moves or not moves[0].is_capture:
                break
            move = self._reply(position, positions[:-1])
            line.append(move)
            positions.append(position.play(move))
        if len(line) % 2 == 0:
            line.pop()

    def _reply(self, position: Position, history: Sequence[Position]) -> Move:
        """The best move, of a loser the one that is hardest to answer."""
        hardest = hardest_move(self.engine.database, position, history)
        if hardest is not None:
            return hardest.move
        moves = position.legal_moves()
        if len(moves) == 1:
            return moves[0]
        return self.engine.search(position, Limits(nodes=self.choice.nodes), stop=self.stop).move

    def _is_likely(self, position: Position, judgement: Judged) -> bool:
        """True if two searches say the same by the rule of verdicts (`kr.evaluation.verdicts`)."""
        limits = Limits(nodes=self.choice.nodes)
        score = self.engine.search(position, limits, stop=self.stop).score
        reply = -self.engine.search(position.play(judgement.right[0]), limits, stop=self.stop).score
        verdict = likely(score, reply, position.pieces, self.engine.score_scale)
        return verdict is not None and verdict.value is judgement.value

    def _checked(self, problem: Problem) -> Problem | None:
        """The problem with what a proof says of it, as far as the limits reach; None if it is refuted."""
        soundness = check_problem(problem, self.engine, Limits(nodes=self.choice.proof_nodes), stop=self.stop)
        if soundness.verdict in (ProblemVerdict.COOK, ProblemVerdict.UNSOUND):
            return None
        proved = _proved_moves(soundness)
        if soundness.verdict is ProblemVerdict.DUAL and (soundness.move_number or 0) <= self.choice.moves:
            return None
        return replace(problem, evidence=PROVED_EVIDENCE) if proved >= self.choice.moves else problem


def _proved_moves(soundness: Soundness) -> int:
    """Only moves of the solver in a row that are proved, forced ones apart, from the key on."""
    if soundness.value is None:
        return 0
    count = 0
    for step in soundness.steps:
        if not step.played.keeps or any(way.keeps is not False for way in step.others):
            break
        count += bool(step.others)
    return count


def _has_one(judgement: Judged) -> bool:
    return judgement.value is not Value.LOSS and len(judgement.right) == 1 < judgement.count
