"""Soundness of problems: one key, one way at each move of the solver, and the published result, all by proof.

The solver is the side that wins, or, in a draw, the side to move, which is to hold it. A way is a move after which the
solver still has what it is to reach: it wins, or does not lose. A move is called the only way if every other one is
refuted, and a second way if it is one by proof: by the rules, the endgame database or a certificate (`kr.proofs`). What
the limits leave open makes the verdict undecided.

The line that is looked at is the published solution, and where that ends the main line: the solver's way, and the
opponent's hardest defence. It ends where the result is plain (`is_plain`); with `strict` it goes on as far as the
solution does, and to the end of a win. The core decides (`kr/_core/problems`); here its verdict gets words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from kr import _core
from kr.egdb.database import VALUES
from kr.engine.limits import Limits
from kr.errors import IllegalMoveError
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.language.sentences import Sentence
from kr.notation import SIDE_NAMES
from kr.problems.problem import Problem
from kr.problems.solutions import Branch, all_ways
from kr.problems.ways import Squares, Way, move_of_squares, ways_from
from kr.proofs.certificate import Certificate, Claim
from kr.proofs.decider import Decider, grounds_of

if TYPE_CHECKING:
    from kr.engine.engine import Engine
    from kr.jobs.kinds import Stop

CoreVerdict = Mapping[str, Any]
"""A verdict as the core has it: see `soundness_fields` in `kr/_core/problems/checks.pxi`."""
_ENDS = ("", "plain", "over", "repeated", "dual")
"""Why a line ends, by the numbers of the core."""


class ProblemVerdict(StrEnum):
    """What a check of a problem says."""

    SOUND = "sound"
    COOK = "cook"
    DUAL = "dual"
    UNSOUND = "unsound"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class LineStep:
    """A move of the solver in the line, with the others at its position."""

    ply: int
    """Moves of the line before it."""
    number: int
    """Number of the move as in a score sheet that begins with the problem: 1 is the key."""
    fen: str
    played: Way
    others: tuple[Way, ...]
    plain: bool = False
    """True if the result was plain before it."""

    def duals(self, strict: bool) -> tuple[Way, ...]:
        """The other ways that count."""
        if self.plain and not strict:
            return ()
        return tuple(way for way in self.others if way.keeps and (strict or way.transposes is False))


@dataclass
class Soundness:
    """ProblemVerdict on a problem, and what it rests on."""

    verdict: ProblemVerdict
    value: Value | None = None
    """Proved value for the side to move."""
    by: str = ""
    """What proves it."""
    reason: str = ""
    """The verdict in a line: the cooks, the dual, the refutation, or what is open."""
    move_number: int | None = None
    """Number of the move of the first dual, of the solution's move that fails, or of the first with open ways."""
    unsettled: list[str] = field(default_factory=list)
    """The moves there that are open, if that makes the verdict."""
    refutation: Claim | None = None
    """The claim that refutes the published result or solution, if that is what makes the problem unsound."""
    certificate: Certificate | None = None
    """Its certificate, if that was asked for."""
    answers: list[list[str]] = field(default_factory=list)
    """Moves that refute, as far as they are at hand: each a line from the problem on."""
    keys: list[Way] = field(default_factory=list)
    """Moves of the side to move that keep the value, the solution's first; empty where that side loses."""
    line: list[str] = field(default_factory=list)
    """The moves looked at: the solution and the main line after it."""
    of_solution: int = 0
    """How many of them are of the published solution."""
    solution: list[str] = field(default_factory=list)
    """The published solution, up to a move that is not legal."""
    steps: list[LineStep] = field(default_factory=list)
    ended: str = ""
    """Why the line ends: "plain", "over", "repeated", "dual" (left behind one), or "" where it was left."""
    tree: list[Branch] = field(default_factory=list)
    """All solutions, if they were asked for: see `kr.problems.solutions`."""
    limit: Sentence | None = None
    """The limit that left it undecided, if one did."""
    notes: list[str] = field(default_factory=list)
    nodes: int = 0
    seconds: float = 0.0


def check_problem(
    problem: Problem, engine: Engine, limits: Limits, strict: bool = False, all_solutions: bool = False,
    certify: bool = False, stop: Stop | None = None, memory: int = 0,
) -> Soundness:  # fmt: skip
    """Check a problem within limits of time or nodes, and of memory, for all that is proved of it.

    all_solutions: make the tree of all of them. certify: make the certificate of a refutation. stop: ends the work; the
    answer is then useless. memory: bytes, 0 for any number: see `Decider`. Raises InvalidDatabaseError.
    """
    with Decider(engine, limits, stop, memory) as decider:
        return check_by(decider, problem, strict, all_solutions, certify)


def check_by(
    decider: Decider, problem: Problem, strict: bool = False, all_solutions: bool = False, certify: bool = False
) -> Soundness:
    """Check a problem by a decider, which may know something of it already. Raises InvalidDatabaseError."""
    solution, notes = _solution_of(problem)
    published = None if problem.published is None else 1 + problem.published.sign
    squares = [move.squares for move in solution]
    facts = decider.ask(_core.check_problem, problem.position.bits, published, squares, strict)
    soundness = in_words(problem.position, solution, facts, strict)
    soundness.notes = notes
    value, side = soundness.value, problem.position.side
    if all_solutions and value is not None and not problem.position.is_over:
        solver = side.other if value is Value.LOSS else side
        soundness.tree = all_ways(decider, problem.position, solver, Value.DRAW if value is Value.DRAW else Value.WIN)
    if certify and soundness.refutation is not None:
        soundness.certificate = decider.certificate(soundness.refutation)
    add_work(soundness, decider)
    return soundness


def add_work(soundness: Soundness, decider: Decider) -> None:
    """Add to a verdict what the decider says of its work."""
    reached = decider.reached
    if soundness.verdict is ProblemVerdict.UNDECIDED and reached:
        soundness.limit = reached
        soundness.reason += f"; {reached}"
    elif decider.full:
        soundness.notes.append(f"{reached}, after the verdict")
    soundness.notes += [f"a proof was refused: {fault}" for fault in decider.refused]
    soundness.nodes, soundness.seconds = decider.nodes, decider.seconds


def _solution_of(problem: Problem) -> tuple[list[Move], list[str]]:
    """Moves of the published solution, up to one that is not legal, and a note on that."""
    moves: list[Move] = []
    notes = []
    position = problem.position
    for text in problem.solution.split():
        try:
            moves.append(position.parse_move(text))
        except IllegalMoveError as error:
            notes.append(f"the solution ends before ply {len(moves) + 1}: {error}")
            break
        position = position.play(moves[-1])
    if not moves and problem.first_move is not None:
        moves.append(problem.first_move)
    return moves, notes


def in_words(position: Position, solution: list[Move], facts: CoreVerdict, strict: bool = False) -> Soundness:
    """A verdict of the core on a position with a published solution, with its moves by name and its reason."""
    return _Verdict(position, solution, facts, strict).soundness


def verdict_named(facts: CoreVerdict) -> ProblemVerdict:
    """The verdict of the core by its name."""
    return list(ProblemVerdict)[facts["verdict"]]


class _Verdict:
    """A verdict of the core in words."""

    def __init__(self, position: Position, solution: list[Move], facts: CoreVerdict, strict: bool) -> None:
        self.position, self.solution, self.facts, self.strict = position, solution, facts, strict
        self.published = None if facts["published"] is None else VALUES[facts["published"]]
        claim = Claim.from_bits(*facts["claim"]) if facts["claim"] else None
        self.soundness = Soundness(
            verdict_named(facts),
            None if facts["value"] is None else VALUES[facts["value"]],
            grounds_of(*facts["by"]),
            move_number=facts["number"] or None,
            refutation=claim,
            of_solution=facts["of_solution"],
            solution=[str(move) for move in solution],
            ended=_ENDS[facts["ended"]],
        )
        self.passed = [position]
        """Positions of the line."""
        for ply, squares in enumerate(facts["line"]):
            move = self._move(ply, squares)
            self.soundness.line.append(str(move))
            self.passed.append(self.passed[ply].play(move))
        for ply, number, plain, rows in facts["steps"]:
            played, *others = ways_from(self.passed[ply], rows, self._published(ply))
            self.soundness.steps.append(LineStep(ply, number, self.passed[ply].fen, played, tuple(others), plain))
        self.ways = ways_from(position, facts["ways"], self._published(0))
        self.soundness.keys = [way for way in self.ways if way.keeps]
        self.at = next((step for step in self.soundness.steps if step.number == facts["number"]), None)
        """The step that the verdict is about."""
        ply = self.at.ply if self.at else 0
        self.soundness.unsettled = [str(self._move(ply, squares)) for squares in facts["unsettled"]]
        self.soundness.answers = [self._answer(ply, *squares) for squares in facts["answers"]]
        reasons = {
            _core.STAGE_RESULT: self._of_result,
            _core.STAGE_KEYS: self._of_keys,
            _core.STAGE_LINE: self._of_line,
        }
        self.soundness.reason = reasons[facts["stage"]]()

    def _published(self, ply: int) -> Move | None:
        return self.solution[ply] if ply < len(self.solution) else None

    def _move(self, ply: int, squares: Squares) -> Move:
        return move_of_squares(self.passed[ply], squares, self._published(ply))

    def _answer(self, ply: int, squares: Squares, reply: Squares | None) -> list[str]:
        move = self._move(ply, squares)
        replies = [] if reply is None else [str(self.passed[ply].play(move).find_move(*reply))]
        return [*self.soundness.line[:ply], str(move), *replies]

    def _of_result(self) -> str:
        position, published, soundness = self.position, self.published, self.soundness
        name = SIDE_NAMES[position.side]
        if position.is_over:
            return f"{name} has no move, and has lost"
        if soundness.refutation is not None:
            # every move may fail while the position itself is open
            by = soundness.by or "proofs against each move"
            own = soundness.refutation.side == position.side
            how = f", with {soundness.answers[0][0]}" if own and soundness.answers else self._answers
            return f"published {published}, but {soundness.refutation}, by {by}{how}"
        holds = [str(Claim(position, position.side, Value.DRAW))] if self.facts["holds"] == 1 else []
        if published is not None:
            proved = [f"{claim} is proved" for claim in holds if published is Value.DRAW]
            return "; ".join([f"the published {published} is open", *proved])
        words = [*holds, *([f"{name} does not win"] if self.facts["wins"] == 0 else [])]
        return "no result is published, and the value is open" + (f"; proved: {', '.join(words)}" if words else "")

    def _of_keys(self) -> str:
        soundness, first = self.soundness, self._published(0)
        kept = f"; {self._kept_by(soundness.keys)}" if soundness.keys else ""
        match soundness.verdict:
            case ProblemVerdict.UNSOUND:
                return f"{first} does not keep the {self._word}, by {self.ways[0].by}{self._answers}{kept}"
            case ProblemVerdict.COOK if soundness.line:
                return f"also {_listed(soundness.keys[1:])}"
            case ProblemVerdict.COOK:
                return f"{self._kept_by(soundness.keys)}; the solution's {first} is open"
        return f"open: {', '.join(soundness.unsettled)}{kept}"

    def _of_line(self) -> str:
        soundness, at = self.soundness, self.at
        if at is None and soundness.verdict is ProblemVerdict.UNDECIDED:
            return f"the win is not plain after {len(soundness.line)} plies of the main line"
        if at is None:
            return f"{soundness.value}, by {soundness.by}"
        if soundness.verdict is ProblemVerdict.DUAL:
            return f"{at.played.move}, also {_listed(at.duals(self.strict))}"
        if soundness.verdict is ProblemVerdict.UNDECIDED:
            return f"open at move {at.number}: {', '.join(soundness.unsettled)}"
        keeping = [way for way in at.others if way.keeps]
        words = f"move {at.number} of the solution, {at.played.move}, does not keep the {self._word}, by {at.played.by}"
        return words + (f"; {self._kept_by(keeping)}" if keeping else "")

    @property
    def _answers(self) -> str:
        answers = ", ".join(map(" ".join, self.soundness.answers))
        return f": {answers}" if answers else ""

    @property
    def _word(self) -> str:
        return "draw" if (self.published or self.soundness.value) is Value.DRAW else "win"

    def _kept_by(self, ways: Sequence[Way]) -> str:
        return f"the {self._word} is kept by {_listed(ways)}"


def _listed(ways: Sequence[Way]) -> str:
    return ", ".join(map(str, ways))
