"""Proofs: leaves and their strategies, the tree above them, claims, and what a proof says of a value."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from proved import CASES, best_move, core_after, core_moves, shipped, strategy_for

from kr import _core
from kr.egdb.database import Database
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.result import SCORE_PROVED, SCORE_WIN
from kr.errors import InvalidSettingError
from kr.game.position import Bits, Position, Side
from kr.game.value import Value
from kr.jobs.kinds import Stop
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.players.engine_work import EngineWork
from kr.proofs import leaves, prover
from kr.proofs.certificate import Claim, certificate_of
from kr.proofs.checking import check_certificate
from kr.proofs.closure import closed_part
from kr.proofs.leaves import LeafAnswer, LeafSearches, answer_from_json, answer_leaf, answer_to_json, settled
from kr.proofs.proof import GOALS, ClaimProgress, Proof, claims_for
from kr.proofs.prover import ProveSettings
from kr.proofs.rules import QuickMove

pytestmark = pytest.mark.core

WON, LOST = SCORE_WIN - 9, 9 - SCORE_WIN
BLACK, WHITE = Side.BLACK, Side.WHITE
WIN, DRAW, LOSS = Value.WIN, Value.DRAW, Value.LOSS


def claim_of(fen: str, side: Side, goal: Value) -> Claim:
    return Claim(Position.from_fen(fen), side, goal)


def is_true(claim: Claim, position: Position | None = None) -> bool:
    """The claim at its root, or at another position, by the shipped database and the rules."""
    found = settled(claim, position or claim.root, shipped())
    assert found is not None
    return found


def random_positions(count: int, pieces: Sequence[int], seed: int) -> Iterable[Position]:
    """Positions in the shipped database, some of their pieces kings."""
    rng, full = random.Random(seed), shipped()
    while count:
        squares = rng.sample(range(32), rng.choice(pieces))
        own = rng.randrange(1, len(squares))
        black = sum(1 << square for square in squares[:own])
        white = sum(1 << square for square in squares[own:])
        kings = (black | white) & (rng.getrandbits(32) | rng.getrandbits(32)) | black & 0xF << 28 | white & 0xF
        position = Position(black, white, kings, Side(rng.randrange(2)))
        if not position.is_over and full.has(position):
            count -= 1
            yield position


# --- claims


@pytest.mark.parametrize(
    ("goal", "claims"),
    [
        ("win", {(WHITE, WIN), (BLACK, DRAW)}),
        ("loss", {(BLACK, WIN), (WHITE, DRAW)}),
        ("draw", {(WHITE, WIN), (BLACK, DRAW), (BLACK, WIN), (WHITE, DRAW)}),
        ("value", {(WHITE, WIN), (BLACK, DRAW), (BLACK, WIN), (WHITE, DRAW)}),
    ],
)
def test_claims_of_a_goal(goal: str, claims: set[tuple[Side, Value]]) -> None:
    root = Position.from_fen("W:W5:B1,K24")
    assert {(each.side, each.goal) for each in claims_for(root, goal)} == claims
    assert all(each.root == root for each in claims_for(root, goal))


def proof_of(goal: str, *proved: tuple[Side, Value], fen: str = "W:W5:B1,K24") -> Proof:
    claims = [ClaimProgress(each) for each in claims_for(Position.from_fen(fen), goal)]
    for each in claims:
        each.holds = (each.claim.side, each.claim.goal) in proved or None
    return Proof(Position.from_fen(fen), goal, claims)


@pytest.mark.parametrize(
    ("goal", "proved", "least", "most", "answered", "reached"),
    [
        ("value", [], LOSS, WIN, False, False),
        ("value", [(WHITE, WIN)], WIN, WIN, True, True),
        ("value", [(BLACK, WIN)], LOSS, LOSS, True, True),
        ("value", [(WHITE, DRAW)], DRAW, WIN, False, False),
        ("value", [(BLACK, DRAW)], LOSS, DRAW, False, False),
        ("value", [(WHITE, DRAW), (BLACK, DRAW)], DRAW, DRAW, True, True),
        ("win", [(WHITE, WIN)], WIN, WIN, True, True),
        ("win", [(BLACK, DRAW)], LOSS, DRAW, True, False),
        ("loss", [(BLACK, WIN)], LOSS, LOSS, True, True),
        ("loss", [(WHITE, DRAW)], DRAW, WIN, True, False),
        ("draw", [(WHITE, DRAW), (BLACK, DRAW)], DRAW, DRAW, True, True),
        ("draw", [(WHITE, DRAW)], DRAW, WIN, False, False),
        ("draw", [(WHITE, WIN)], WIN, WIN, True, False),
        ("draw", [(BLACK, WIN)], LOSS, LOSS, True, False),
    ],
)
def test_what_claims_say_of_the_value(
    goal: str, proved: list[tuple[Side, Value]], least: Value, most: Value, answered: bool, reached: bool
) -> None:
    proof = proof_of(goal, *proved)
    assert (proof.least, proof.most, proof.answered, proof.reached) == (least, most, answered, reached)
    assert proof.value is (least if least is most else None)
    wins = [each for each in proved if each[1] is WIN]
    assert {(each.claim.side, each.claim.goal) for each in proof.telling} == set(wins or proved)


@pytest.mark.parametrize(
    ("fen", "side", "goal", "pieces", "holds"),
    [
        ("W:W5:B1,K24", BLACK, WIN, 3, True),
        ("W:W5:B1,K24", BLACK, DRAW, 3, True),
        ("W:W5:B1,K24", WHITE, DRAW, 3, False),
        ("B:W7,20:BK9,K11", BLACK, WIN, 2, None),
        ("W:WK1:BK32", WHITE, DRAW, 2, True),
        ("W:WK1:BK32", WHITE, WIN, 2, False),
        ("W:W:B1", BLACK, WIN, 2, True),
        ("W:W:B1", WHITE, DRAW, 2, False),
        ("W:W13:B9,6", WHITE, DRAW, 2, False),  # no move
    ],
)
def test_settled(fen: str, side: Side, goal: Value, pieces: int, holds: bool | None) -> None:
    claim = claim_of(fen, side, goal)
    assert settled(claim, claim.root, shipped(pieces)) is holds
    if claim.root.is_over:
        assert settled(claim, claim.root, None) is holds


# --- leaves


class Guide:
    """An engine that knows the shipped database: it says what is true, until it has been asked often enough."""

    def __init__(self, claim: Claim, leaves: Database, answers: int) -> None:
        self.claim, self.database, self.answers = claim, leaves, answers
        self.asked: list[Position] = []

    def new_game(self) -> None:
        pass

    def seek(self, bits: Bits, history: list[Bits], nodes: int, draws_for: int | None, **_: Any) -> Any:
        position = Position.from_bits(bits)
        assert position.side == self.claim.side
        assert draws_for == (self.claim.side if self.claim.goal is DRAW else self.claim.side.other)
        self.asked.append(position)
        knows = len(self.asked) <= self.answers and is_true(self.claim, position)
        move = best_move(bits[:3], self.claim) if knows else core_moves(bits[:3], position.side)[0]
        return (WON if knows else 0), [move], 1


LEAVES = [name for name, (fen, side, *_) in CASES.items() if Position.from_fen(fen).side == side]
"""Cases whose claim's side is to move."""
DRAWS = ["W:W16,30:B21,27", "W:WK1,K19:BK2,K5", "W:WK11,K21:B26,28", "B:W10,21:B17,K32"]
"""Draws for the side to move, whose lines come back to where they were."""


def guided() -> Iterable[Any]:
    for name in LEAVES:
        fen, side, goal, pieces = CASES[name]
        yield pytest.param(claim_of(fen, side, goal), pieces, id=name)
    for fen in DRAWS:
        root = Position.from_fen(fen)
        yield pytest.param(Claim(root, root.side, DRAW), 3, id=fen)


@pytest.mark.parametrize(("claim", "pieces"), list(guided()))
def test_a_strategy_is_closed_wherever_it_ends(claim: Claim, pieces: int) -> None:
    """However many answers there are, each move leads to positions with a move, or to the end."""
    leaves, count = shipped(pieces), 0
    while True:
        guide = Guide(claim, leaves, count)
        known = _core.ProvedMoves()
        answer = answer_leaf(claim, claim.root, guide, 4, known)  # type: ignore[arg-type]
        assert closed_part(claim, answer.strategy, (), leaves) == answer.strategy == dict(known)
        if len(guide.asked) <= count:
            break
        assert answer.nodes == len(guide.asked)
        count = count + 1 + count // 4
    if claim.root.bits[:3] in answer.strategy:
        check_certificate(certificate_of(claim, answer.strategy, leaves), leaves)


@pytest.mark.parametrize("name", LEAVES)
def test_a_leaf_is_answered_by_the_engine(name: str) -> None:
    fen, side, goal, pieces = CASES[name]
    claim, leaves, known = claim_of(fen, side, goal), shipped(pieces), _core.ProvedMoves()
    engine = Engine("material", 1, 1, leaves)
    answer = answer_leaf(claim, claim.root, engine, 100_000, known)
    assert answer.score > SCORE_PROVED
    assert answer.move == answer.strategy[claim.root.bits[:3]]
    check_certificate(certificate_of(claim, answer.strategy, leaves), leaves)
    # what is known is not searched again
    again = answer_leaf(claim, claim.root, engine, 100_000, known)
    assert again.strategy.keys() <= {claim.root.bits[:3]}


def test_a_stopped_leaf_has_no_strategy() -> None:
    claim = claim_of("W:W5:B14,K19,26", BLACK, WIN)
    stop = Stop()
    stop.set()
    root = claim.root.play(claim.root.legal_moves()[0])
    answer = answer_leaf(claim, root, Engine("material", 1, 1, shipped(2)), 100_000, _core.ProvedMoves(), stop)
    assert answer.strategy == {}


@pytest.mark.slow
def test_a_search_that_is_cut_short_keeps_what_it_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stop between two searches for a strategy: the moves are an answer, the score is none."""
    claim, leaves_known = claim_of("W:WK1,K19:BK2,K5", WHITE, DRAW), shipped(3)
    stop = Stop()

    class Stopped(Guide):
        def seek(self, *words: Any, **rest: Any) -> Any:
            found = super().seek(*words, **rest)
            if len(self.asked) == 12:
                stop.set()
            return found

    unit = Unit(leaves.LeafSearches.name(), "1", values={
        "position": claim.root.bits, "side": int(WHITE), "goal": "draw", "nodes": 1000,
    })  # fmt: skip
    ((portion,),) = leaves.LeafSearches().steps(unit, Needs({}))
    answer = answer_from_json(portion.do(Stopped(claim, leaves_known, 10_000), stop) or {})  # type: ignore[arg-type]
    assert answer.cut
    assert closed_part(claim, answer.strategy, (), leaves_known) == answer.strategy != {}
    # what goes with a search is not searched again
    known = {**unit.values, "known": leaves.strategy_rows(answer.strategy)}
    guide = Guide(claim, leaves_known, 10_000)
    ((portion,),) = leaves.LeafSearches().steps(replace(unit, values=known), Needs({}))
    again = answer_from_json(portion.do(guide, Stop()) or {})  # type: ignore[arg-type]
    assert not again.cut
    assert not {each.bits[:3] for each in guide.asked} & answer.strategy.keys()
    question = question_of(claim, leaves_known)
    task = question.next_leaf()
    assert task is not None
    enter(question, task, answer)
    assert dict(question.strategy) == answer.strategy
    assert question.positions()[0][3] == 0, "its score is not believed"


def test_the_nodes_of_a_strategy_are_limited() -> None:
    claim = claim_of("W:WK1,K19:BK2,K5", WHITE, DRAW)
    guide = Guide(claim, shipped(3), 10_000)
    answer = answer_leaf(claim, claim.root, guide, 1, _core.ProvedMoves())  # type: ignore[arg-type]
    assert answer.nodes <= 1 + 40


def test_answers_as_json() -> None:
    answer = LeafAnswer(WON, (1, 5, 0), 77, {(2, 32, 0): (1, 5, 0), (4, 32, 4): (2, 7, 0)})
    assert answer_from_json(answer_to_json(answer)) == answer
    assert answer_from_json(answer_to_json(LeafAnswer(-3, None, 1))) == LeafAnswer(-3, None, 1)


@pytest.mark.parametrize(
    "change",
    [
        {"strategy": [[1, 2, 3]]}, {"strategy": 3}, {"strategy": [[1, 2, 0, 1, 2, "x"]]}, {"strategy": None},
        {"move": [1, 2]}, {"move": [1, 2, 3, 4]}, {"move": "x"}, {"score": None}, {"nodes": "many"},
        {"nodes": float("inf")}, {"strategy": [[float("inf"), 2, 0, 1, 2, 0]]}, {"nodes": 1.5}, {"score": True},
    ],
)  # fmt: skip
def test_answers_of_another_form_are_refused(change: dict[str, Any]) -> None:
    values = answer_to_json(LeafAnswer(WON, (1, 5, 0), 77)) | change
    with pytest.raises((ValueError, LookupError, TypeError)):
        answer_from_json(values)


# --- the closed part


@pytest.mark.parametrize("name", [name for name in CASES if name != "a leaf at once"])
def test_the_closed_part(name: str) -> None:
    """Without one of its moves, a strategy keeps those that do not lead there, and they are enough for themselves."""
    fen, side, goal, pieces = CASES[name]
    claim, leaves = claim_of(fen, side, goal), shipped(pieces)
    # the order in which proofs find them: what a position leads to comes first
    found = strategy_for(claim, leaves)
    certificate = certificate_of(claim, found, leaves)
    rows = zip(certificate.ranks.tolist(), map(tuple, certificate.boards.tolist()), strict=True)
    strategy = {board: found[board] for _, board in sorted(rows)}
    assert closed_part(claim, strategy, (), leaves) == strategy
    for left_out in random.Random(1).sample(sorted(strategy), min(5, len(strategy))):
        rest = {board: move for board, move in strategy.items() if board != left_out}
        part = closed_part(claim, rest, (), leaves)
        assert part.items() <= rest.items()
        assert closed_part(claim, part, (), leaves) == part
        assert closed_part(claim, rest, {left_out}, leaves) == rest
        others = [move for move in core_moves(left_out, side) if move != strategy[left_out]]
        for wrong in (*others, (0, 31, 0)):
            changed = closed_part(claim, {**strategy, left_out: wrong}, (), leaves)
            assert closed_part(claim, changed, (), leaves) == changed
            if left_out in changed:
                after = Position(*core_after(left_out, side, wrong), side.other)
                assert is_true(claim, after)


def test_impossible_positions_are_not_in_the_closed_part() -> None:
    claim = claim_of("W:W5:B1,K24", BLACK, WIN)
    assert closed_part(claim, {(1, 1, 0): (0, 4, 0), (1 << 40, 1, 0): (0, 4, 0), (-1, 1, 0): (0, 4, 0)}, (), None) == {}


# --- the tree


def question_of(claim: Claim, database: Database | None) -> _core.ClaimQuestion:
    """A claim with its tree."""
    root, side, goal = claim.bits
    core = None if database is None else database.core
    return _core.ClaimProver(root, 0, core).questions[_core.claims_of(0, root).index((side, goal))]


def enter(question: _core.ClaimQuestion, task: _core.ProofTaskOf, answer: LeafAnswer) -> None:
    strategy = _core.ProvedMoves(answer.strategy.items())
    question.enter(task, answer.score, answer.move, answer.nodes, strategy, answer.cut)


def test_numbers() -> None:
    scores = [LOST, -2000, -300, 0, 40, 300, 2000, WON]
    for goal in (WIN, DRAW):
        proofs, disproofs = zip(*(_core.proof_numbers(1 + goal.sign, score) for score in scores), strict=True)
        assert list(proofs) == sorted(proofs, reverse=True)
        assert list(disproofs) == sorted(disproofs)
        assert all(0 < number < float("inf") for number in (*proofs, *disproofs))
    assert _core.proof_numbers(2, 0) == (1, 1)
    proof, disproof = _core.proof_numbers(1, 0)
    assert proof < 1 < disproof


TREES = {
    # id: FEN, side, goal, pieces of the database, and whether it comes to an end by itself
    "won, to move": ("B:W7,20:BK9,K11", BLACK, WIN, 3, True),
    "won, the loser to move": ("W:W5:B14,K19,26", BLACK, WIN, 2, False),
    "not won": ("B:W7,20:BK9,K11", WHITE, WIN, 3, False),
    "drawn": ("W:W16,30:B21,27", WHITE, DRAW, 3, False),
    "drawn, the other to move": ("B:WK4,32:B8,28", WHITE, DRAW, 3, False),
    "goes round": ("W:WK11,K21:B26,28", WHITE, DRAW, 3, False),
    "lost": ("W:W5:B14,K19,26", WHITE, DRAW, 2, False),
    "known": ("W:W6:B1,K24", BLACK, WIN, 3, True),
    "over": ("W:W:B1", BLACK, WIN, 2, True),
    "lost by rule": ("W:W:B1", WHITE, DRAW, 2, True),
}


@pytest.mark.parametrize("beside", [1, 3])
@pytest.mark.parametrize("name", TREES)
def test_a_tree_without_help(name: str, beside: int) -> None:
    """Searches that find nothing: what the tree settles by its own is true, with several searches under way too."""
    fen, side, goal, pieces, ends = TREES[name]
    claim, leaves = claim_of(fen, side, goal), shipped(pieces)
    question, under_way = question_of(claim, leaves), []
    for _ in range(300):
        while len(under_way) < beside and (task := question.next_leaf()) is not None:
            assert task.position[3] == side
            assert all(task.position != other.position for other in under_way)
            under_way.append(task)
        if not under_way:
            break
        enter(question, under_way.pop(0), LeafAnswer(0, None, 1))
    check_tree(claim, question, leaves)
    assert question.holds is is_true(claim) if ends else question.holds in (None, is_true(claim))
    if question.holds and claim.root.bits[:3] in question.strategy:
        check_certificate(certificate_of(claim, question.strategy, leaves), leaves)


def check_tree(claim: Claim, question: _core.ClaimQuestion, leaves: Database) -> None:
    """What is settled is true, and the strategy closed."""
    for bits, proof, disproof, _ in question.positions():
        assert proof > 0 or is_true(claim, Position.from_bits(bits))
        assert disproof > 0 or not is_true(claim, Position.from_bits(bits))
    if claim.goal is DRAW:
        assert closed_part(claim, dict(question.strategy), (), leaves) == dict(question.strategy)


def test_a_tree_learns() -> None:
    fen, side, goal, pieces = CASES["leaves of both kinds"]
    claim, leaves = claim_of(fen, side, goal), shipped(pieces)
    question = question_of(claim, leaves)
    assert question.holds is None
    task = question.next_leaf()
    assert task is not None
    enter(question, task, LeafAnswer(WON, None, 1))
    assert question.holds is None, "a score proves nothing"
    question.learn(_core.ProvedMoves(strategy_for(claim, leaves).items()))
    assert question.holds is True
    assert question.next_leaf() is None
    check_certificate(certificate_of(claim, question.strategy, leaves), leaves)
    assert question.resisting_line() == []


def test_the_resisting_line_is_a_line() -> None:
    claim = claim_of("W:W5:B14,K19,26", BLACK, WIN)
    question = question_of(claim, shipped(2))
    for _ in range(20):
        task = question.next_leaf()
        assert task is not None
        enter(question, task, LeafAnswer(0, None, 1))
    position = claim.root
    assert question.resisting_line()
    for squares in question.resisting_line():
        position = position.play(position.find_move(*squares))
    assert position.bits in [bits for bits, *_ in question.positions()]


def test_proved_moves_keep_their_order() -> None:
    rows = [((board, 0, 0), (1, 5, board)) for board in range(200, 0, -1)]
    moves = _core.ProvedMoves(rows)
    moves.update([(rows[7][0], (2, 6, 0))])
    assert moves.items() == rows, "those that are there stay"
    assert moves.items(3) == rows[-3:]
    assert (201, 0, 0) not in moves
    for wrong in ((32, 1, 0), (-1, 1, 0), (1, 5, 1 << 32), (1, 5)):
        with pytest.raises((ValueError, OverflowError)):
            moves.update([((9999, 0, 0), wrong)])  # type: ignore[list-item]


# --- the whole


def proof_work(settings: ProveSettings, leaves: Database | None) -> EngineWork[dict[str, Any]]:
    return EngineWork(LeafSearches(), settings, engine=Engine("material", 1, 1, leaves))


def prove_with(position: Position, goal: str, leaves: Database | None, **settings: Any) -> Proof:
    """A proof by a small engine with this database."""
    made = ProveSettings(fen=position.fen, goal=goal, **{"tc": Limits(nodes=100_000), "workers": 1} | settings)
    run = prover._Run(claims_for(position, made.goal), made, proof_work(made, leaves), None, None)
    run.go()
    run.certify()
    return run.proof


@pytest.mark.parametrize("wrong", [None, (0, 31, 0)])
@pytest.mark.parametrize(
    "name", ["a win in four", "three pieces known", "leaves of both kinds", "a draw that goes round"]
)
def test_a_journal_is_not_believed(name: str, wrong: QuickMove | None) -> None:
    """A strategy in it that lacks a move, or has a wrong one, proves what it does without it, and no more."""
    fen, side, goal, pieces = CASES[name]
    claim, leaves = claim_of(fen, side, goal), shipped(pieces)
    strategy = strategy_for(claim, leaves)
    made = ProveSettings(fen=fen, tc=Limits(nodes=2000), workers=1)
    number = claims_for(claim.root, "value").index(claim)
    for left_out in random.Random(1).sample(sorted(strategy), min(4, len(strategy))):
        changed = {board: move for board, move in strategy.items() if board != left_out}
        if wrong:
            changed[left_out] = wrong
        entry = (number, claim.root.bits, 4000), LeafAnswer(WON, None, 1, changed)
        journal = SimpleNamespace(entries=[entry], append=lambda values: None)
        run = prover._Run(claims_for(claim.root, made.goal), made, proof_work(made, leaves), journal, None)  # type: ignore[arg-type]
        run.go()
        run.certify()
        check_proof(run.proof, leaves)


def check_proof(proof: Proof, leaves: Database | None) -> None:
    value = shipped().value(proof.position)
    assert value is not None
    assert proof.least.sign <= value.sign <= proof.most.sign
    for each in proof.claims:
        assert each.holds in (None, is_true(each.claim))
    assert all(each.certificate is not None for each in proof.telling)
    for each in proof.telling:
        check_certificate(each.certificate, leaves)


@pytest.mark.slow
@pytest.mark.parametrize("pieces", [0, 2, 3, 4])
def test_proofs_agree_with_the_database(pieces: int) -> None:
    """With a part of the database, of positions beyond it: each answer is that of the whole."""
    leaves = shipped(pieces) if pieces else None
    answered = 0
    for number, position in enumerate(random_positions(16, [max(3, pieces + 1), 5], seed=pieces)):
        proof = prove_with(position, GOALS[number % 4], leaves)
        check_proof(proof, leaves)
        answered += proof.answered
        if not proof.answered:
            assert sum(each.nodes for each in proof.claims) >= 100_000, "ended before its limit"
    assert answered >= 4


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize(
    "fen",
    ["W:W22:B16,17,K32", "B:W10,26,28:B7", "W:W:B1", "B:W5:B", "W:W13:B9,6", "W:WK1:BK32", "W:W18:B2,K7,14"],
)
def test_what_the_rules_or_one_move_decide(fen: str, goal: str) -> None:
    """Forced captures into the database, positions in it, ended ones: no search has to go on."""
    position, leaves = Position.from_fen(fen), shipped(3)
    proof = prove_with(position, goal, leaves)
    truth = LOSS if position.is_over else shipped().value(position)
    assert proof.answered
    assert proof.reached is (goal in ("value", str(truth)))
    for each in proof.telling:
        check_certificate(each.certificate, leaves)


@pytest.mark.parametrize("nodes", [1, 500])
def test_the_limit_of_nodes(nodes: int) -> None:
    proof = prove_with(Position(), "value", None, tc=Limits(nodes=nodes))
    assert proof.value is None
    # a search ends at the next look at its limit
    assert nodes <= sum(each.nodes for each in proof.claims) <= nodes + 1000


def test_one_worker_does_the_same_twice() -> None:
    def told() -> list[Any]:
        proof = prove_with(Position.from_fen("W:WK1,K19,20:BK2,K5"), "value", shipped(2))
        return [(str(each.claim), each.nodes, each.leaves, each.tree, each.resists) for each in proof.claims]

    assert told() == told()


# --- draws that count as wins of one side


@pytest.mark.parametrize("draws_for", [None, BLACK, WHITE])
@pytest.mark.parametrize(
    ("fen", "pieces", "nodes"),
    [
        ("B:W7,20:BK9,K11", 3, 100_000), ("W:W6:B1,K24", 2, 100_000), ("W:W6:B1,K24", 3, 100_000),
        ("B:WK1:BK32", 2, 100), ("W:W18:B2,K7,14", 3, 100_000),
        # not decided both ways
        ("W:W16,30:B21,27", 3, 0), ("B:WK4,32:B8,28", 3, 0), ("W:WK1:BK32", 0, 0), ("W:WK1,K19:BK2,K5", 3, 0),
    ],
)  # fmt: skip
def test_draws_for(fen: str, pieces: int, nodes: int, draws_for: Side | None) -> None:
    """The sign of a decided score is the answer: whether the side to move wins, or does not lose."""
    position = Position.from_fen(fen)
    engine = Engine("material", 1, 1, shipped(pieces) if pieces else None)
    result = engine.search(position, Limits(nodes=nodes or 20_000), draws_for=draws_for)
    value = shipped().value(position)
    assert value is not None
    if draws_for is None:
        assert result.value in (None, value)
        return
    assert result.value is None
    good = value is WIN or (value is DRAW and draws_for == position.side)
    assert abs(result.score) > SCORE_PROVED or not nodes
    assert not (result.score > SCORE_PROVED and not good)
    assert not (result.score < -SCORE_PROVED and good)


def test_draws_for_one_side_leave_other_searches_alone() -> None:
    """A search after it gives what a new engine gives, but for what the table already knows."""
    position, leaves = Position.from_fen("W:W16,30:B21,27"), shipped(3)
    engine = Engine("material", 1, 1, leaves)
    for side in Side:
        engine.search(position, Limits(nodes=20_000), draws_for=side)
    engine.new_game()
    one, other = (each.search(position, Limits(depth=9)) for each in (engine, Engine("material", 1, 1, leaves)))
    assert (one.score, one.nodes, one.pv) == (other.score, other.nodes, other.pv)


def test_repetition_counts_as_a_draw_for_one_side() -> None:
    """Two kings that can only go to and fro, without a database: the side that is content with it has it at once."""
    position = Position.from_fen("W:WK1:BK32")
    history = [position]
    for move in ("1-5", "32-28", "5-1", "28-32"):
        history.append(history[-1].play(move))
    engine = Engine("material", 1, 1, None)
    assert engine.search(history[-1], Limits(nodes=50_000), history[:-1], draws_for=WHITE).score > SCORE_PROVED
    assert engine.search(history[-1], Limits(nodes=50_000), history[:-1], draws_for=BLACK).score < -SCORE_PROVED


@pytest.mark.parametrize("wrong", [2, -1, "white", 0.5])
def test_draws_for_another_side_are_refused(wrong: Any) -> None:
    with pytest.raises(InvalidSettingError, match="draws_for"):
        Engine("material", 1, 1, None).search(Position(), Limits(depth=1), draws_for=wrong)
