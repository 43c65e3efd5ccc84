"""Soundness of problems: one key, one way at each move of the solver, and the published result, all by proof.

The solver is the side that wins, or, in a draw, the side to move, which is to hold it. A way is a move after which the
solver still has what it is to reach: it wins, or does not lose. A move is called the only way if every other one is
refuted, and a second way if it is one by proof: by the rules, the endgame database or a certificate (`kr.proofs`). What
the limits leave open makes the verdict undecided.

The line that is looked at is the published solution, and where that ends the main line: the solver's way, and the
opponent's hardest defence. In a win this is the reply that loses latest by the database's distances, the first of
equals; in a draw, and where the database lacks a distance, the move of a search of DEFENCE_NODES. The line ends where
the result is plain (`is_plain`); with `strict` it goes on as far as the solution does, and to the end of a win.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from kr.engine.limits import Limits
from kr.errors import IllegalMoveError
from kr.game.position import Move, Position, Side
from kr.game.value import Value
from kr.notation import SIDE_NAMES
from kr.problems.plain import is_plain
from kr.problems.problem import Problem
from kr.problems.reach import Transpositions
from kr.problems.solutions import Branch, all_ways
from kr.problems.ways import Way, ways_at
from kr.proofs.certificate import Certificate, Claim
from kr.proofs.decider import RULES_GROUNDS, Decider, after_moves
from kr.units import format_size

if TYPE_CHECKING:
    from kr.engine.engine import Engine
    from kr.jobs.kinds import Stop

LONGEST_MAIN_LINE = 400
"""Plies after which a line is left; a line of the published solution is not."""
DEFENCE_NODES = 20_000
"""Nodes of a search for the hardest defence."""
PROGRESS_NODES = 200_000
"""Nodes of a search for the way of a win that comes nearer to its end."""


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

    def unsettled(self, strict: bool) -> tuple[Way, ...]:
        """The moves, played or not, that are open, or of which it is open whether they count as other ways."""
        if self.plain and not strict:
            return ()
        ways = (self.played, *self.others)
        return tuple(way for way in ways if way.keeps is None or (not strict and way.transposes is None))


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
    check = _Check(problem, decider, strict)
    soundness = check.run()
    if all_solutions:
        soundness.tree = check.tree()
    if decider.full:
        reached = f"the limit of memory, {format_size(decider.memory)}, was reached"
        if soundness.verdict is ProblemVerdict.UNDECIDED:
            soundness.reason += f"; {reached}"
        else:
            soundness.notes.append(f"{reached}, after the verdict")
    if certify and soundness.refutation is not None:
        soundness.certificate = decider.certificate(soundness.refutation)
    soundness.notes += [f"a proof was refused: {fault}" for fault in decider.refused]
    soundness.nodes, soundness.seconds = decider.nodes, decider.seconds
    return soundness


class _Check:
    """A check under way."""

    def __init__(self, problem: Problem, decider: Decider, strict: bool) -> None:
        self.problem, self.decider, self.strict = problem, decider, strict
        self.position = problem.position
        self.side = self.position.side
        self.soundness = Soundness(ProblemVerdict.UNDECIDED)
        self.passed: list[Position] = []
        """Positions of the line so far."""
        self.solution = self._solution()
        self.soundness.solution = [str(move) for move in self.solution]

    def _solution(self) -> list[Move]:
        """Moves of the published solution, up to one that is not legal."""
        moves: list[Move] = []
        position = self.position
        for text in self.problem.solution.split():
            try:
                moves.append(position.parse_move(text))
            except IllegalMoveError as error:
                self.soundness.notes.append(f"the solution ends before ply {len(moves) + 1}: {error}")
                break
            position = position.play(moves[-1])
        if not moves and self.problem.first_move is not None:
            moves.append(self.problem.first_move)
        return moves

    def run(self) -> Soundness:
        """The verdict."""
        soundness = self.soundness
        if self.position.is_over:
            soundness.value, soundness.by = Value.LOSS, RULES_GROUNDS
            soundness.refutation = Claim(self.position, self.side.other, Value.WIN)
            self._conclude(ProblemVerdict.UNSOUND, f"{self._name(self.side)} has no move, and has lost")
            return soundness
        value = self._value()
        if value is None:
            return soundness
        self._aim(value)
        if value is not Value.LOSS and not self._judge_keys():
            return soundness
        self._follow()
        self._judge_line()
        return soundness

    def _aim(self, value: Value) -> None:
        """Set the solver, and what it is to reach, by the value for the side to move."""
        self.solver = self.side.other if value is Value.LOSS else self.side
        self.goal = Value.DRAW if value is Value.DRAW else Value.WIN
        self.transpositions = Transpositions(self.decider, self.solver, self.goal)

    # the result

    def _value(self) -> Value | None:
        """The published value, or without one the proved one; None if it is refuted or open, which is then told."""
        published, other = self.problem.published, self.side.other
        wins, holds = Claim(self.position, self.side, Value.WIN), Claim(self.position, self.side, Value.DRAW)
        loses = Claim(self.position, other, Value.WIN)
        if published is Value.WIN:
            # with its moves: see _judge_keys
            ways = ways_at(self.decider, self.position, Value.WIN, self._first, root=True)
            if any(way.keeps for *_, way in ways) or self.decider.decision_of(wins) is None:
                if any(way.keeps is not False for *_, way in ways):
                    return Value.WIN
                self._refute(wins)
                return None
        elif published is Value.LOSS:
            self.decider.decide([loses])
        elif published is Value.DRAW:
            self.decider.decide([wins, holds], lambda: bool(self._holds(wins)) or self._holds(holds) is False)
        else:
            self.decider.decide([wins, holds], lambda: self._settled(wins, holds) is not None)
            return self._proved_value(wins, holds)
        expected = {Value.WIN: [(wins, True)], Value.LOSS: [(loses, True)], Value.DRAW: [(wins, False), (holds, True)]}
        conditions = expected[published]
        for claim, truth in conditions:
            decision = self.decider.decision_of(claim)
            if decision is not None and decision.holds is not truth:
                self._refute(claim)
                return None
        decisions = [self.decider.decision_of(claim) for claim, _ in conditions]
        if None in decisions:
            proved = [f"{claim} is proved" for claim, truth in conditions if truth and self._holds(claim)]
            self._conclude(ProblemVerdict.UNDECIDED, "; ".join([f"the published {published} is open", *proved]))
            return None
        self.soundness.value, self.soundness.by = published, decisions[-1].by if decisions[-1] else ""
        return published

    def _holds(self, claim: Claim) -> bool | None:
        decision = self.decider.decision_of(claim)
        return None if decision is None else decision.holds

    def _settled(self, wins: Claim, holds: Claim) -> Value | None:
        """The value for the side to move by what is known of two claims."""
        if self._holds(wins):
            return Value.WIN
        if self._holds(holds) is False:
            return Value.LOSS
        return Value.DRAW if self._holds(holds) and self._holds(wins) is False else None

    def _proved_value(self, wins: Claim, holds: Claim) -> Value | None:
        value = self._settled(wins, holds)
        if value is None:
            words = [str(claim) for claim in (holds,) if self._holds(claim)]
            words += [f"{self._name(self.side)} does not win"] if self._holds(wins) is False else []
            proved = f"; proved: {', '.join(words)}" if words else ""
            self._conclude(ProblemVerdict.UNDECIDED, f"no result is published, and the value is open{proved}")
            return None
        decision = self.decider.decision_of(wins if value is Value.WIN else holds)
        self.soundness.value, self.soundness.by = value, decision.by if decision else ""
        return value

    def _refute(self, claim: Claim) -> None:
        """Tell that the published result is wrong, since a claim about the root is true or false."""
        decision = self.decider.decision_of(claim)
        published = self.problem.published
        # every move may fail while the position itself is open
        by = "proofs against each move" if decision is None else decision.by
        true = claim if decision is not None and decision.holds else _denied(claim)
        self.soundness.refutation = true
        wins, holds = Claim(self.position, self.side, Value.WIN), Claim(self.position, self.side, Value.DRAW)
        self.soundness.value, self.soundness.by = self._settled(wins, holds), decision.by if decision else ""
        if true.side == self.side:
            move = self.decider.proving_move(true)
            how = "" if move is None else f", with {move}"
            self.soundness.answers = [] if move is None else [[str(move)]]
        else:
            how = self._answers(self._first, true)
        self._conclude(ProblemVerdict.UNSOUND, f"published {published}, but {true}, by {by}{how}")

    def _answers(self, move: Move | None, true: Claim) -> str:
        """The opponent's replies, as far as they are at hand, to a published move that fails, or to every move."""
        moves = after_moves(self.position) if move is None else [(move, self.position.play(move))]
        replies = [(each, self.decider.proving_move(Claim(after, true.side, true.goal))) for each, after in moves]
        self.soundness.answers = [[str(each), str(reply)] for each, reply in replies if reply is not None]
        words = ", ".join(map(" ".join, self.soundness.answers))
        return f": {words}" if words else ""

    # the key

    @property
    def _first(self) -> Move | None:
        return self.solution[0] if self.solution else None

    def _judge_keys(self) -> bool:
        """Find the keys; returns False if that makes the verdict."""
        soundness, first, goal = self.soundness, self._first, self.goal
        moves = ways_at(self.decider, self.position, goal, first, root=True)
        # a key first, the solution's if it is one
        moves = sorted(moves, key=lambda each: not each[2].keeps) if first is None else moves
        ways = self.transpositions.marked([way for *_, way in moves], [after for _, after, _ in moves])
        soundness.keys = [way for way in ways if way.keeps]
        if goal is Value.WIN and soundness.keys and soundness.value is None:
            soundness.value, soundness.by = Value.WIN, soundness.keys[0].by
        unsettled = [way.move for way in ways if way.keeps is None]
        if first is not None and ways[0].keeps is False:
            true = self._refuted(self.position, first)
            others = f"; {self._listed_keepers(soundness.keys)}" if soundness.keys else ""
            soundness.move_number = 1
            how = self._answers(first, true) if true.root != self.position else ""
            self._conclude(
                ProblemVerdict.UNSOUND, f"{first} does not keep the {self._word}, by {ways[0].by}{how}{others}"
            )
            return False
        cooks = soundness.keys[1:]
        if cooks and (first is None or ways[0].keeps):
            self._conclude(ProblemVerdict.COOK, f"also {_listed(cooks)}")
            soundness.line = [soundness.keys[0].move]
            return False
        if cooks or (first is not None and soundness.keys and ways[0].keeps is None):
            self._conclude(
                ProblemVerdict.COOK, f"{self._listed_keepers(soundness.keys)}; the solution's {first} is open"
            )
            return False
        if unsettled:
            proved = f"; {self._listed_keepers(soundness.keys)}" if soundness.keys else ""
            soundness.move_number, soundness.unsettled = 1, unsettled
            self._conclude(ProblemVerdict.UNDECIDED, f"open: {', '.join(unsettled)}{proved}")
            return False
        return True

    def _refuted(self, position: Position, move: Move | str) -> Claim:
        """The claim that is proved against a move of the solver that fails: after it, or about the position itself."""
        after = _denied(Claim(position.play(move), self.solver, self.goal))
        self.soundness.refutation = after if self._holds(after) else _denied(Claim(position, self.solver, self.goal))
        return self.soundness.refutation

    @property
    def _word(self) -> str:
        return "win" if self.goal is Value.WIN else "draw"

    def _listed_keepers(self, ways: list[Way]) -> str:
        return f"the {self._word} is kept by {_listed(ways)}"

    # the line

    def _follow(self) -> None:
        """Follow the solution and the main line, and look at each move of the solver."""
        soundness = self.soundness
        position, seen = self.position, set()
        published = list(self.solution)
        while not self.decider.stopped:
            ply = len(soundness.line)
            following = published[ply] if ply < len(published) else None
            if position.side != self.solver:
                if position.is_over:
                    soundness.ended = "over"
                    return
                move = following if following is not None else self._defence(position)
            else:
                plain = ply > 0 and is_plain(position, self.solver, self.goal)
                if plain and not self.strict:
                    soundness.ended = "plain"
                    return
                if following is None and any(step.ply and step.duals(self.strict) for step in soundness.steps):
                    soundness.ended = "dual"
                    return
                if following is None and (position in seen or ply >= LONGEST_MAIN_LINE):
                    soundness.ended = "repeated" if position in seen else ""
                    return
                if plain and following is None and self.goal is Value.DRAW:
                    soundness.ended = "plain"
                    return
                # a win whose distance is unknown may come back, and goes on by another way
                if self.goal is Value.DRAW:
                    seen.add(position)
                chosen = self._step(position, following, ply, plain)
                if chosen is None:
                    if following is not None:
                        soundness.line.append(str(following))
                        soundness.of_solution += 1
                    return
                move = chosen
            soundness.line.append(str(move))
            soundness.of_solution += following is not None
            self.passed.append(position)
            position = position.play(move)

    def _step(self, position: Position, line_move: Move | None, ply: int, plain: bool) -> Move | None:
        """Look at the solver's moves at a position of the line; returns the one to go on with, if there is one."""
        ways = ways_at(self.decider, position, self.goal, line_move)
        good = [index for index, (*_, way) in enumerate(ways) if way.keeps]
        if line_move is None and good:
            best = min(good, key=lambda index: (self._distance(ways[index][1]), index))
            if self._distance(ways[best][1]) == float("inf"):
                best = self._progress([(index, ways[index][1]) for index in good], position)
            ways = [ways[best], *ways[:best], *ways[best + 1 :]]
        marked = self.transpositions.marked([way for *_, way in ways], [after for _, after, _ in ways])
        self.soundness.steps.append(LineStep(ply, self._number(ply), position.fen, marked[0], tuple(marked[1:]), plain))
        return ways[0][0] if marked[0].keeps and not self.soundness.ended else None

    def _progress(self, good: list[tuple[int, Position]], position: Position) -> int:
        """Of the ways of a win without distances, with the positions they lead to, the one that is gone on with."""
        new = [(index, after) for index, after in good if after not in self.passed]
        if not new:
            self.soundness.ended = "repeated"
            return good[0][0]
        if len(new) == 1 or self.decider.over:
            return new[0][0]
        # a search that knows the line takes coming back for a draw
        chosen = position.play(self._searched(position, PROGRESS_NODES, self.passed))
        return next((index for index, after in new if after == chosen), new[0][0])

    def _number(self, ply: int) -> int:
        return 1 + ply // 2

    def _distance(self, position: Position) -> float:
        """Plies to the end of a win; the largest number where it is unknown or not a win."""
        database = self.decider.database
        if self.goal is Value.DRAW:
            return 0
        if position.is_over:
            return 0
        distance = database.distance(position) if database is not None and database.has(position) else None
        return float("inf") if distance is None else distance

    def _defence(self, position: Position) -> Move:
        """The hardest defence of the opponent, who is to move."""
        moves = after_moves(position)
        distances = [self._distance(after) for _, after in moves]
        if self.goal is Value.WIN and max(distances) < float("inf"):
            return moves[distances.index(max(distances))][0]
        return moves[0][0] if len(moves) == 1 else self._searched(position, DEFENCE_NODES)

    def _searched(self, position: Position, nodes: int, history: Sequence[Position] = ()) -> Move:
        """The move of a search that does not depend on others."""
        self.decider.engine.new_game()
        return self.decider.engine.search(position, Limits(nodes=nodes), history).move

    def _judge_line(self) -> None:
        """The verdict by what the line showed."""
        soundness = self.soundness
        failing = next((step for step in soundness.steps if step.played.keeps is False), None)
        if failing is not None:
            soundness.move_number = failing.number
            true = self._refuted(Position.from_fen(failing.fen), failing.played.move)
            if (reply := self.decider.proving_move(true)) is not None and true.root.fen != failing.fen:
                soundness.answers = [[*soundness.line[: failing.ply], failing.played.move, str(reply)]]
            keeping = [way for way in failing.others if way.keeps]
            others = f"; {self._listed_keepers(keeping)}" if keeping else ""
            words = f"move {failing.number} of the solution, {failing.played.move}, does not keep the {self._word}"
            self._conclude(ProblemVerdict.UNSOUND, f"{words}, by {failing.played.by}{others}")
            return
        for step in soundness.steps:
            if step.ply == 0:
                continue
            if duals := step.duals(self.strict):
                soundness.move_number = step.number
                self._conclude(ProblemVerdict.DUAL, f"{step.played.move}, also {_listed(duals)}")
                return
        unsettled = [step for step in soundness.steps if step.ply and step.unsettled(self.strict)]
        if unsettled:
            soundness.move_number = unsettled[0].number
            soundness.unsettled = [way.move for way in unsettled[0].unsettled(self.strict)]
            moves = ", ".join(soundness.unsettled)
            self._conclude(ProblemVerdict.UNDECIDED, f"open at move {soundness.move_number}: {moves}")
        elif not soundness.ended or (soundness.ended == "repeated" and self.goal is Value.WIN):
            self._conclude(
                ProblemVerdict.UNDECIDED, f"the win is not plain after {len(soundness.line)} plies of the main line"
            )
        else:
            self._conclude(ProblemVerdict.SOUND, f"{soundness.value}, by {soundness.by}")

    def tree(self) -> list[Branch]:
        """All solutions; nothing where the value is open or the game is over."""
        if self.position.is_over or self.soundness.value is None:
            return []
        self._aim(self.soundness.value)
        return all_ways(self.decider, self.position, self.solver, self.goal)

    def _conclude(self, verdict: ProblemVerdict, reason: str) -> None:
        self.soundness.verdict, self.soundness.reason = verdict, reason

    def _name(self, side: Side) -> str:
        return SIDE_NAMES[side]


def _denied(claim: Claim) -> Claim:
    """The claim that is true if this one is false."""
    return Claim(claim.root, claim.side.other, Value.DRAW if claim.goal is Value.WIN else Value.WIN)


def _listed(ways: list[Way] | tuple[Way, ...]) -> str:
    return ", ".join(map(str, ways))
