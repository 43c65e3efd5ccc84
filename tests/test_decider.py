"""Claims decided by searches: both ways round, within limits, and never by a strategy that does not pass."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from endings import positions
from proved import shipped

from kr import _core
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.errors import InvalidDatabaseError
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.jobs.kinds import Stop
from kr.proofs import decider
from kr.proofs.certificate import Claim
from kr.proofs.decider import Decider, after_moves, opposite

pytestmark = pytest.mark.core

DRAWN = Position.from_fen("B:WK1:BK32")
WON = Position.from_fen("W:W21,K30:B1,2")


@pytest.fixture(scope="module")
def engine() -> Engine:
    """An engine with the values of three pieces."""
    return Engine(hash_mb=4, database=shipped(3))


def truth(claim: Claim) -> bool:
    """Whether a claim holds, by the shipped database."""
    value = shipped().value(claim.root)
    assert value is not None
    return (value if claim.root.side == claim.side else value.opposite).sign >= claim.goal.sign


@pytest.mark.slow
def test_decisions_are_true_and_come_in_pairs(engine: Engine) -> None:
    counts: Counter[str] = Counter()
    for position in itertools.islice(positions(11, 5, least=4), 60):
        claims = [Claim(position, side, goal) for side in Side for goal in (Value.WIN, Value.DRAW)]
        with Decider(engine, Limits(nodes=40_000)) as asked:
            asked.decide(claims)
            for claim in claims:
                decision, other = asked.decision_of(claim), asked.decision_of(opposite(claim))
                assert (decision is None) == (other is None)
                if decision is not None and other is not None:
                    assert decision.holds is truth(claim), claim
                    assert decision.holds is not other.holds
                    assert decision.by == other.by
                counts[decision.by.split()[1] if decision is not None else "open"] += 1
        assert not asked.refused
    assert counts["certificate"] > 100, counts


def test_what_is_known_needs_no_search(engine: Engine) -> None:
    with Decider(engine, Limits(nodes=1)) as asked:
        asked.decide([Claim(DRAWN, Side.WHITE, Value.DRAW), Claim(Position.from_fen("W:W:B1"), Side.BLACK, Value.WIN)])
        assert asked.decision_of(Claim(DRAWN, Side.WHITE, Value.DRAW)) == decider.Decision(True, "the database")
        assert asked.decision_of(Claim(DRAWN, Side.WHITE, Value.WIN)) == decider.Decision(False, "the database")
        assert asked.decision_of(Claim(Position.from_fen("W:W:B1"), Side.BLACK, Value.WIN)) == decider.Decision(
            True, "the rules"
        )
        assert asked.nodes == 0


def test_limits_end_the_work(engine: Engine) -> None:
    claim = Claim(Position(), Side.BLACK, Value.WIN)
    with Decider(engine, Limits(nodes=3000)) as asked:
        asked.decide([claim])
        assert asked.over
        assert asked.decision_of(claim) is None
        assert 3000 <= asked.nodes < 6000
    with Decider(engine, Limits(time=0.05)) as asked:
        asked.decide([claim])
        assert asked.over
        assert asked.seconds < 2
    stop = Stop()
    stop.set()
    with Decider(engine, Limits(time=1000), stop) as asked:
        asked.decide([claim])
        assert asked.decision_of(claim) is None


def test_a_strategy_that_does_not_pass_proves_nothing(engine: Engine) -> None:
    """A move that others take for proved, with nothing behind it."""
    claim = Claim(WON, Side.WHITE, Value.WIN)
    root, side, goal = claim.bits
    move = WON.legal_moves()[0]
    with Decider(engine, Limits(nodes=1_000_000)) as asked:
        asked._core.learn(side, goal, _core.ProvedMoves([(root[:3], (move.origin, move.target, move.captured))]))
        asked.decide([claim])
        assert asked.decision_of(claim) is None
        assert asked.decision_of(opposite(claim)) is None
        (fault,) = asked.refused
        assert fault.endswith("the strategy has no move here, and the database no value")


def test_what_a_search_raises_ends_the_work(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def seek(*_: object) -> None:
        raise InvalidDatabaseError("damaged")

    claim = Claim(Position(), Side.BLACK, Value.WIN)
    with Decider(engine, Limits(nodes=100_000)) as asked:
        with monkeypatch.context() as patched:
            patched.setattr(engine, "seek", seek)
            with pytest.raises(InvalidDatabaseError, match="damaged"):
                asked.decide([claim])
            with pytest.raises(ZeroDivisionError):
                asked.decide([claim], lambda: bool(1 // 0))
        asked.decide([claim])
        assert asked.nodes >= 100_000


def test_moves_to_the_same_position_are_one() -> None:
    position = Position.from_fen("B:WK10,K11,K18,K19:BK15,1")
    moves = position.legal_moves()
    after = {position.play(move) for move in moves}
    assert [position.play(move) for move, _ in after_moves(position)] == [each for _, each in after_moves(position)]
    assert {each for _, each in after_moves(position)} == after
    assert len(after_moves(position)) == len(after)
