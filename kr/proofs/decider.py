"""Claims decided one after another, by the rules, the database or a certificate, with one engine in one thread.

`kr prove` asks one question with all workers; here many small ones share an engine and what has been proved. A claim
and its opposite (the other side does not lose, or wins) are proved side by side. Neither counts as proved before its
strategy has passed as a certificate: closed, every line to its end, and no value of the database against it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING

from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.errors import InvalidCertificateError
from kr.game.position import Move, Position, Side
from kr.game.value import Value
from kr.jobs.kinds import Stop
from kr.language.sentences import Sentence, sentence
from kr.proofs.certificate import Certificate, Claim, Strategy, certificate_of
from kr.proofs.leaves import answer_leaf, settled
from kr.proofs.proof import ClaimProgress
from kr.proofs.prover import FIRST_ROOT_NODES, NEARNESS_EXPONENT, ProofQuestion
from kr.proofs.tree import ProofTree

if TYPE_CHECKING:
    from kr.egdb.database import Database

FIRST_NODES = 20_000
"""Nodes that each claim gets in the first round; in each further one twice as many."""
STOP_WAIT = 0.02
"""Seconds between two looks at the clock and at the stop of the work."""
CASE_BYTES = 4_000
TREE_NODE_BYTES = 700
LEARNT_BYTES = 60
PROVED_BYTES = 150
"""Memory of a case, a position of its trees, a proved move that a tree knows, and of one that all share: measured."""
ClaimKey = tuple[tuple[int, int, int, int], Side, Value]


class Grounds(str):
    """What proves an answer, as files have it, with its sentence for pages: "the rules", "the database", or "a
    certificate of 12 positions"."""

    sentence: Sentence

    @staticmethod
    def of(sentence: Sentence) -> Grounds:
        """The grounds that a sentence names."""
        grounds = Grounds(sentence)
        grounds.sentence = sentence
        return grounds


RULES_GROUNDS, DATABASE_GROUNDS = Grounds.of(sentence("grounds.rules")), Grounds.of(sentence("grounds.database"))


@dataclass(frozen=True)
class Decision:
    """Answer to a claim, and what proves it."""

    holds: bool
    by: Grounds


def opposite(claim: Claim) -> Claim:
    """The claim that is true if this one is false."""
    goal = Value.DRAW if claim.goal is Value.WIN else Value.WIN
    return Claim(claim.root, claim.side.other, goal)


class Decider:
    """Decides claims within limits that all of them share; a context, which ends its watch of the clock.

    limits: seconds or nodes. stop: that of the work it is part of. memory: bytes that trees and strategies may hold, 0
    for any number; beside it stand the hash table and the database, whose sizes are the engine's. Nothing is decided
    after any of these; `over` is then true. With a limit of nodes the answers repeat.
    """

    def __init__(self, engine: Engine, limits: Limits, stop: Stop | None = None, memory: int = 0) -> None:
        self.engine = engine
        self.limits = limits
        self.memory = memory
        self.nodes = 0
        """Nodes of all searches so far."""
        self.refused: list[str] = []
        """Faults of strategies that the prover took for proofs; their claims stay open."""
        self._work_stop = stop
        self._stop = Stop()
        self._ended = threading.Event()
        self._began = time.monotonic()
        self._cases: dict[ClaimKey, _Case] = {}
        self._decisions: dict[ClaimKey, Decision] = {}
        self._proved: dict[tuple[Side, Value], Strategy] = {}
        self._held = 0

    def __enter__(self) -> Decider:
        self.engine.new_game()
        threading.Thread(target=self._watch, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()

    def _watch(self) -> None:
        while not self._ended.wait(STOP_WAIT):
            if self.over:
                self._stop.set()
                return

    @property
    def database(self) -> Database | None:
        """The endgame database of the engine."""
        return self.engine.database

    @property
    def seconds(self) -> float:
        """Seconds since it was made."""
        return time.monotonic() - self._began

    @property
    def held(self) -> int:
        """Bytes that are held, about: counted, not measured, so that the same work has the same number anywhere."""
        return self._held + PROVED_BYTES * sum(map(len, self._proved.values()))

    def hold(self, size: int) -> None:
        """Count bytes that are held elsewhere for the same work."""
        self._held += size

    @property
    def full(self) -> bool:
        """True once the limit of memory is reached."""
        return bool(self.memory) and self.held >= self.memory

    @property
    def stopped(self) -> bool:
        """True once the work that it is part of was stopped."""
        return self._work_stop is not None and self._work_stop.is_set()

    @property
    def over(self) -> bool:
        """True once a limit is reached or the work was stopped."""
        limits = self.limits
        return (
            self._stop.is_set()
            or self.full
            or self.stopped
            or (limits.time is not None and self.seconds >= limits.time)
            or (limits.nodes is not None and self.nodes >= limits.nodes)
        )

    def decision_of(self, claim: Claim) -> Decision | None:
        """The decision of a claim without any search; None if it is open."""
        key = _key(claim)
        decision = self._decisions.get(key)
        if decision is None and (verdict := settled(claim, claim.root, self.database)) is not None:
            decision = self._decisions[key] = Decision(
                verdict, RULES_GROUNDS if claim.root.is_over else DATABASE_GROUNDS
            )
        return decision

    def decide(self, claims: Iterable[Claim], enough: Callable[[], bool] = lambda: False) -> None:
        """Work on claims in turn, with more and more nodes, until all are decided or the limits are reached.

        enough: ends the work before that. `decision_of` has the answers.
        """
        claims, nodes = list(claims), FIRST_NODES
        while True:
            waiting = [claim for claim in claims if self.decision_of(claim) is None]
            if not waiting:
                return
            moved = False
            for claim in waiting:
                if self.over or enough():
                    return
                moved |= self._advance(claim, nodes)
            if not moved:
                return
            nodes *= 2

    def proving_move(self, claim: Claim) -> Move | None:
        """A move of the claim's side at the root that proves the claim, if it is true and one is at hand."""
        root = claim.root
        if root.side != claim.side:
            return None
        own = self._proved.get((claim.side, claim.goal), {}).get(root.bits[:3])
        for move in root.legal_moves():
            decision = self.decision_of(Claim(root.play(move), claim.side, claim.goal))
            if (decision is not None and decision.holds) or (move.origin, move.target, move.captured) == own:
                return move
        return None

    def certificate(self, claim: Claim) -> Certificate | None:
        """The certificate of a claim that is known to be true; None for any other."""
        decision = self.decision_of(claim)
        if decision is None or not decision.holds:
            return None
        case = self._cases.get(_key(claim))
        if case is not None:
            strategy = next(each.tree.strategy for each in case.questions if each.tree.claim == claim)
        else:
            move, root = self.proving_move(claim), claim.root
            strategy = {} if move is None else {root.bits[:3]: (move.origin, move.target, move.captured)}
        return certificate_of(claim, strategy, self.database)

    def _advance(self, claim: Claim, nodes: int) -> bool:
        """Bring a claim forward by about so many nodes; returns False if nothing more can be done for it."""
        case = self._cases.get(_key(claim))
        if case is not None and case.refused:
            return False
        if case is None:
            # the other way round it is the same question
            case = self._cases[_key(claim)] = self._cases[_key(opposite(claim))] = _Case(claim, self.database)
        for question in case.questions:
            question.tree.learn(self._proved.setdefault(_goal(question.tree.claim), {}))
        self._count(case)
        end, moved = self.nodes + nodes, False
        while case.proved is None and self.nodes < end and not self.over:
            if not self._search(case):
                break
            self._count(case)
            moved = True
        for question in case.questions:
            proved = self._proved[_goal(question.tree.claim)]
            for board, move in question.tree.strategy.items():
                proved.setdefault(board, move)
        if case.proved is not None:
            self._certify(case, case.proved)
            moved = True
        return moved

    def _count(self, case: _Case) -> None:
        """Bring the memory that is held up to date with a case that may have grown."""
        size = case.size
        self.hold(size - case.counted)
        case.counted = size

    def _search(self, case: _Case) -> bool:
        """Search one leaf of a case; returns False if there is none, or it was stopped."""
        for number in case.order():
            question = case.questions[number]
            task = question.next_task(number)
            if case.proved is not None:
                return True
            if task is None:
                continue
            claim = question.tree.claim
            nodes = task.nodes if self.limits.nodes is None else max(1, min(task.nodes, self.limits.nodes - self.nodes))
            position, proofs = task.line[-1].position, self._proved[_goal(claim)]
            answer = answer_leaf(claim, position, self.engine, nodes, proofs, self._stop)
            self.nodes += answer.nodes
            # moves proved before the stop stay proved, but the score of a search cut short is none
            if self._stop.is_set():
                return False
            question.enter(task, answer)
            question.note()
            return True
        return False

    def _certify(self, case: _Case, question: ProofQuestion) -> None:
        """Enter what a question that holds decides, if its strategy passes as a certificate."""
        claim, tree = question.tree.claim, question.tree
        try:
            certificate = certificate_of(claim, tree.strategy, self.database, {})
        except InvalidCertificateError as error:
            case.refused = True
            self.refused.append(str(error))
            return
        by = Grounds.of(sentence("grounds.certificate", count=len(certificate.boards)))
        self._decisions[_key(claim)] = Decision(True, by)
        self._decisions[_key(opposite(claim))] = Decision(False, by)


class _Case:
    """A claim and its opposite, with their trees."""

    def __init__(self, claim: Claim, database: Database | None) -> None:
        self.refused = False
        """True once a strategy of it did not pass."""
        self.counted = 0
        """Bytes of it that the decider has counted."""
        self.questions = [
            ProofQuestion(ProofTree(each, database), ClaimProgress(each)) for each in (claim, opposite(claim))
        ]

    @property
    def proved(self) -> ProofQuestion | None:
        """The question that is answered by yes."""
        return next((each for each in self.questions if each.tree.holds), None)

    @property
    def size(self) -> int:
        """Bytes that it holds, about."""
        trees = [each.tree for each in self.questions]
        return CASE_BYTES + sum(TREE_NODE_BYTES * len(tree.nodes) + LEARNT_BYTES * len(tree.strategy) for tree in trees)

    def order(self) -> list[int]:
        """Numbers of the open questions: first the one nearer to its proof, for what it has cost."""
        numbers = [number for number, each in enumerate(self.questions) if each.tree.holds is None]
        return sorted(numbers, key=self._cost)

    def _cost(self, number: int) -> float:
        progress = self.questions[number].progress
        return float((progress.nodes + FIRST_ROOT_NODES) * max(progress.proof, 0.1) ** NEARNESS_EXPONENT)


def _key(claim: Claim) -> ClaimKey:
    return claim.root.bits, claim.side, claim.goal


def _goal(claim: Claim) -> tuple[Side, Value]:
    return claim.side, claim.goal


def after_moves(position: Position) -> list[tuple[Move, Position]]:
    """The legal moves of a position that lead to different positions, each with the position after it."""
    moves: dict[tuple[int, int, int, int], tuple[Move, Position]] = {}
    for move in position.legal_moves():
        after = position.play(move)
        moves.setdefault(after.bits, (move, after))
    return list(moves.values())
