"""The closed part of a strategy that comes from a journal or another machine: moves that prove what they claim."""

from __future__ import annotations

from collections.abc import Container

from kr.egdb.database import Database
from kr.errors import IllegalMoveError, InvalidFenError
from kr.game.position import Position
from kr.game.value import Value
from kr.proofs.certificate import Claim, PlainBits, Strategy
from kr.proofs.leaves import settled
from kr.proofs.rules import QuickMove


def closed_part(claim: Claim, strategy: Strategy, proofs: Container[PlainBits], database: Database | None) -> Strategy:
    """The legal moves all of whose lines lead to positions of this part, to those of `proofs`, or to the end.

    proofs: positions proved before. In a strategy for a win, a position has to come after those that it leads to.
    """
    part: Strategy = {}
    # of a draw's lines, which may go round: positions that lead to each one that isn't proved
    led_from: dict[PlainBits, list[PlainBits]] = {}
    for board, move in strategy.items():
        led_to = _led_to(claim, board, move, database)
        if led_to is None:
            continue
        missing = [each for each in led_to if each not in proofs]
        if claim.goal is Value.WIN:
            if all(each in part for each in missing):
                part[board] = move
            continue
        part[board] = move
        for each in missing:
            led_from.setdefault(each, []).append(board)
    open_boards = [board for board in led_from if board not in part]
    while open_boards:
        for each in led_from.get(open_boards.pop(), ()):
            if part.pop(each, None) is not None and each not in proofs:
                open_boards.append(each)
    return part


def _led_to(claim: Claim, board: PlainBits, move: QuickMove, database: Database | None) -> set[PlainBits] | None:
    """Positions after each reply to a move that are not settled; None if the move is illegal or fails."""
    try:
        position = Position(*board, claim.side)
        after = position.play(position.find_move(*move))
    except (InvalidFenError, IllegalMoveError):
        return None
    verdict = settled(claim, after, database)
    if verdict is not None:
        return set() if verdict else None
    led_to = set()
    for reply in after.legal_moves():
        following = after.play(reply)
        verdict = settled(claim, following, database)
        if verdict is False:
            return None
        if verdict is None:
            led_to.add(following.bits[:3])
    return led_to
