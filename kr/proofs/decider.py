"""Claims decided one after another, by the rules, the database or a certificate, with one engine in one thread.

`kr prove` asks one question with all workers; here many small ones share an engine and what has been proved. A claim
and its opposite (the other side does not lose, or wins) are proved side by side. Neither counts as proved before its
strategy has passed as a certificate: closed, every line to its end, and no value of the database against it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from types import TracebackType
from typing import TypeVar

from kr import _core
from kr.egdb.database import Database
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.game.position import Bits, Move, Position
from kr.game.value import Value
from kr.jobs.kinds import Stop
from kr.language.sentences import Sentence, sentence
from kr.proofs.certificate import Certificate, Claim, certificate_from, fault_of
from kr.units import format_size

T = TypeVar("T")
SHORTEST_SEARCH = 1e-6
"""Of a search whose time is over: 0 would be no limit."""


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


@lru_cache
def _certificate_grounds(positions: int) -> Grounds:
    return Grounds.of(sentence("grounds.certificate", count=positions))


RULES_GROUNDS, DATABASE_GROUNDS = Grounds.of(sentence("grounds.rules")), Grounds.of(sentence("grounds.database"))


def grounds_of(by: int, positions: int) -> Grounds | str:
    """Grounds by their number in the core, and the positions of a certificate; "" for none."""
    if by == _core.BY_CERTIFICATE:
        return _certificate_grounds(positions)
    return {_core.BY_RULES: RULES_GROUNDS, _core.BY_DATABASE: DATABASE_GROUNDS}.get(by, "")


@dataclass(frozen=True)
class Decision:
    """Answer to a claim, and what proves it."""

    holds: bool
    by: str


def opposite(claim: Claim) -> Claim:
    """The claim that is true if this one is false."""
    goal = Value.DRAW if claim.goal is Value.WIN else Value.WIN
    return Claim(claim.root, claim.side.other, goal)


class Decider:
    """Decides claims within limits that all of them share; a context, which begins with an empty table.

    limits: seconds or nodes. stop: that of the work it is part of. memory: bytes that trees and strategies may hold, 0
    for any number; beside it stand the hash table and the database, whose sizes are the engine's. Nothing is decided
    after any of these; `over` is then true. With a limit of nodes the answers repeat.
    """

    def __init__(self, engine: Engine, limits: Limits, stop: Stop | None = None, memory: int = 0) -> None:
        self.engine = engine
        self.memory = memory
        self.refused: list[str] = []
        """Faults of strategies that the prover took for proofs; their claims stay open."""
        self._limits, self._stop = limits, stop
        asker = _core.DeciderAsker(self._seek, engine.new_game, self._refuse)
        database = None if engine.database is None else engine.database.core
        self._core = _core.DeciderOfClaims(asker, database, limits.time, limits.nodes, stop, memory)

    def __enter__(self) -> Decider:
        self.engine.new_game()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    @property
    def database(self) -> Database | None:
        """The endgame database of the engine."""
        return self.engine.database

    @property
    def nodes(self) -> int:
        """Nodes of all searches so far."""
        return self._core.nodes

    @property
    def seconds(self) -> float:
        """Seconds since it was made."""
        return self._core.seconds

    @property
    def held(self) -> int:
        """Bytes that are held, about: counted, not measured, so that the same work has the same number anywhere."""
        return self._core.held

    def hold(self, size: int) -> None:
        """Count bytes that are held elsewhere for the same work."""
        self._core.hold(size)

    @property
    def full(self) -> bool:
        """True once the limit of memory is reached."""
        return self._core.full

    @property
    def stopped(self) -> bool:
        """True once the work that it is part of was stopped."""
        return self._stop is not None and self._stop.is_set()

    @property
    def over(self) -> bool:
        """True once a limit is reached or the work was stopped."""
        return self._core.over

    @property
    def reached(self) -> Sentence | None:
        """The limit that was reached, None without one; the clock goes on after the work."""
        limits = self._limits
        if self.full:
            return sentence("limit.memory", size=format_size(self.memory))
        if limits.nodes is not None and self.nodes >= limits.nodes:
            return sentence("limit.nodes", count=limits.nodes)
        if limits.time is not None and self.seconds >= limits.time:
            return sentence("limit.time", time=f"{limits.time:g} s")
        return None

    def decision_of(self, claim: Claim) -> Decision | None:
        """The decision of a claim without any search; None if it is open."""
        decision = self._core.decision(*claim.bits)
        if decision is None:
            return None
        holds, by, positions = decision
        return Decision(holds, grounds_of(by, positions))

    def decide(self, claims: Iterable[Claim], enough: Callable[[], bool] | None = None) -> None:
        """Work on claims in turn, with more and more nodes, until all are decided or the limits are reached.

        enough: ends the work before that. `decision_of` has the answers. Raises InvalidDatabaseError.
        """
        self.ask(_core.DeciderOfClaims.decide, [claim.bits for claim in claims], enough)

    def ask(self, question: Callable[..., T], *about: object) -> T:
        """The answer to a question that the core decides by claims. Raises InvalidDatabaseError."""
        answer = question(self._core, *about)
        if self.database is not None:
            self.database.raise_damage()
        return answer

    def proving_move(self, claim: Claim) -> Move | None:
        """A move of the claim's side at the root that proves the claim, if it is true and one is at hand."""
        move = self._core.proving_move(*claim.bits)
        return None if move is None else claim.root.find_move(*move)

    def certificate(self, claim: Claim) -> Certificate | None:
        """The certificate of a claim that is known to be true; None for any other."""
        decision = self.decision_of(claim)
        if decision is None or not decision.holds:
            return None
        return certificate_from(claim, self._core.certificate(*claim.bits), self.database)

    def _seek(
        self, position: Bits, history: list[Bits], nodes: int, draws_for: int | None
    ) -> tuple[int, list[tuple[int, int, int]], int]:
        left = self._core.left
        return self.engine.seek(
            position, history, nodes, draws_for, self._stop, None if left is None else max(left, SHORTEST_SEARCH)
        )

    def _refuse(self, root: Bits, side: int, goal: int, fault: _core._StrategyFault) -> None:
        self.refused.append(str(fault_of(Claim.from_bits(root, side, goal), fault, self.database)))


def after_moves(position: Position) -> list[tuple[Move, Position]]:
    """The legal moves of a position that lead to different positions, each with the position after it."""
    moves: dict[tuple[int, int, int, int], tuple[Move, Position]] = {}
    for move in position.legal_moves():
        after = position.play(move)
        moves.setdefault(after.bits, (move, after))
    return list(moves.values())
