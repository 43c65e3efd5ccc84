"""Certificates for tests: strategies that follow the values of a database, and lean on one that has less."""

from __future__ import annotations

from functools import cache

from kr import _core, storage
from kr.egdb.database import Database
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.proofs.certificate import Certificate, Claim, PlainBits, Strategy, certificate_of
from kr.proofs.rules import QuickMove


@cache
def shipped(max_pieces: int = 5) -> Database:
    """The database that comes with kr, up to some pieces."""
    return Database.open(storage.data_path("egdb"), max_pieces=max_pieces)


def core_moves(board: PlainBits, side: int) -> list[QuickMove]:
    """Legal moves that differ in more than their path."""
    return sorted({(path[0], path[-1], captured) for path, captured in _core.legal_moves(*board, side)})


def core_after(board: PlainBits, side: int, move: QuickMove) -> PlainBits:
    return _core.play(*board, side, *move)[:3]


def best_move(board: PlainBits, claim: Claim) -> QuickMove:
    """The move to the shortest win, or the first one that does not lose."""
    side, full = claim.side, shipped()
    moves = []
    for number, move in enumerate(core_moves(board, side)):
        after = Position(*core_after(board, side, move), side.other)
        value = full.value(after) if full.has(after) else Value.LOSS
        if claim.goal is Value.DRAW and value is not Value.WIN:
            moves.append((0, number, move))
        elif value is Value.LOSS:
            moves.append((full.distance(after) or 0, number, move))
    return min(moves)[2]


def strategy_for(claim: Claim, leaves: Database) -> Strategy:
    """A strategy for a claim that is true by the values and distances of the shipped database."""
    side, other = claim.side, claim.side.other
    strategy: Strategy = {}
    start = claim.root.bits[:3]
    waiting = [start] if claim.root.side == side else _led_to(start, other, leaves)
    while waiting:
        board = waiting.pop()
        if board not in strategy:
            move = strategy[board] = best_move(board, claim)
            waiting += _led_to(core_after(board, side, move), other, leaves)
    return strategy


def _led_to(board: PlainBits, other: Side, leaves: Database) -> list[PlainBits]:
    """Positions after each reply that are not leaves."""
    if leaves.has(Position(*board, other)):
        return []
    after = [core_after(board, other, move) for move in core_moves(board, other)]
    return [child for child in after if not leaves.has(Position(*child, other.other))]


def proved(fen: str, side: Side, goal: Value, pieces: int) -> Certificate:
    """A certificate whose lines end in the shipped database cut to `pieces`."""
    claim, leaves = Claim(Position.from_fen(fen), side, goal), shipped(pieces)
    return certificate_of(claim, strategy_for(claim, leaves), leaves, {"command": "tests"})


def is_proof(certificate: Certificate, database: Database) -> bool:
    """True if a certificate proves its claim: the meaning once more, by the core and by sets."""
    claim = certificate.claim
    side, other, wins = claim.side, claim.side.other, claim.goal is Value.WIN
    numbers = dict(zip(map(tuple, certificate.boards.tolist()), certificate.moves.tolist(), strict=True))
    ranks = dict(zip(map(tuple, certificate.boards.tolist()), certificate.ranks.tolist(), strict=True))

    def value(board: PlainBits, to_move: Side) -> Value | None:
        """Value for the claim's side of a leaf of the database."""
        pieces = sorted((board[0].bit_count(), board[1].bit_count()), reverse=True)
        if tuple(pieces) not in certificate.classes:
            return None
        found = database.value(Position(*board, to_move))
        return found if found is None or to_move == side else found.opposite

    def children(board: PlainBits) -> set[PlainBits] | None:
        """Positions of the map after each reply; None for a reply, or a leaf, that proves nothing."""
        moves = core_moves(board, other)
        at_once = value(board, other) if moves else None
        if not moves or at_once is not None:
            return set() if at_once is None or at_once.sign >= claim.goal.sign else None
        after = [core_after(board, other, move) for move in moves]
        leaves = [value(child, side) for child in after if child not in numbers]
        if any(leaf is None or leaf.sign < claim.goal.sign for leaf in leaves):
            return None
        return {child for child in after if child in numbers}

    edges: dict[PlainBits, set[PlainBits]] = {}
    for board, number in numbers.items():
        moves = core_moves(board, side)
        found = children(core_after(board, side, moves[number])) if number < len(moves) else None
        if found is None or ranks[board] != (1 + max(map(ranks.__getitem__, found), default=0) if wins else 0):
            return False
        edges[board] = found
    start = claim.root.bits[:3]
    if claim.root.side == other:
        first = children(start)
    elif start in numbers:
        first = {start}
    else:
        leaf = value(start, side)
        first = None if leaf is None or leaf.sign < claim.goal.sign else set()
    if first is None:
        return False
    reached, waiting = set(first), list(first)
    while waiting:
        new = edges[waiting.pop()] - reached
        reached |= new
        waiting += new
    return reached == numbers.keys()


CASES = {
    # id: FEN, side, goal, pieces of the database
    "a win in four": ("B:W21,K26,27:B8", Side.WHITE, Value.WIN, 2),
    "the winner to move": ("B:W7,20:BK9,K11", Side.BLACK, Value.WIN, 2),
    "leaves of both kinds": ("W:W5:B14,K19,26", Side.BLACK, Value.WIN, 2),
    "three pieces known": ("W:WK21:BK1,K11,K16", Side.BLACK, Value.WIN, 3),
    "three men against one": ("B:W6,25,26:B20", Side.WHITE, Value.WIN, 2),
    "a draw of five": ("B:W18,19,29:B11,K25", Side.WHITE, Value.DRAW, 4),
    "a draw that goes round": ("B:WK4,32:B8,28", Side.WHITE, Value.DRAW, 3),
    "the drawer to move": ("W:W16,30:B21,27", Side.WHITE, Value.DRAW, 3),
    "a leaf at once": ("B:WK1:BK32", Side.WHITE, Value.DRAW, 2),
    "a won root": ("W:W5:B1,K24", Side.BLACK, Value.WIN, 3),
}


@cache
def case(name: str) -> Certificate:
    """The certificate of a case."""
    return proved(*CASES[name])
