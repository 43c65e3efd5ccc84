"""The line of a certificate that is worth showing: the strategy against the hardest defence."""

from __future__ import annotations

from kr.game.position import Move
from kr.game.value import Value
from kr.proofs.certificate import Certificate, strategy_of

MOST_LINE_PLIES = 200


def hardest_line(certificate: Certificate) -> list[Move]:
    """Moves from the root to the first position that ends a line, by the rules or in the database.

    Against a win the opponent plays a reply of the highest rank, which holds out longest; against a draw one that leads
    to a position not met before, and the line ends if there is none. Raises InvalidCertificateError for a move that no
    position has.
    """
    strategy = strategy_of(certificate)
    ranks = dict(zip(map(tuple, certificate.boards.tolist()), certificate.ranks.tolist(), strict=True))
    claim = certificate.claim
    position, moves = claim.root, list[Move]()
    met = set[tuple[int, int, int]]()
    while len(moves) < MOST_LINE_PLIES:
        if position.side == claim.side:
            board = position.bits[:3]
            if board not in strategy:
                break
            met.add(board)
            move = position.find_move(*strategy[board])
        else:
            replies = [(move, position.play(move).bits[:3]) for move in position.legal_moves()]
            kept = [(move, board) for move, board in replies if board in ranks and board not in met]
            if not kept:
                break
            move = max(kept, key=lambda each: ranks[each[1]])[0] if claim.goal is Value.WIN else kept[0][0]
        moves.append(move)
        position = position.play(move)
    return moves
