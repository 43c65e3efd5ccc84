"""Lines of a certificate: the strategy against the hardest defence, and the replies at each of its positions."""

from __future__ import annotations

from dataclasses import dataclass

from kr.egdb.database import Database
from kr.errors import InvalidCertificateError
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.proofs.certificate import Certificate, PlainBits
from kr.proofs.rules import moves_in_order

MOST_LINE_PLIES = 200


class StrategyBook:
    """A certificate by position: its moves and ranks, found one at a time. Its moves are those of the checker."""

    def __init__(self, certificate: Certificate) -> None:
        self.certificate = certificate
        self.claim = certificate.claim
        self._rows = {board: row for row, board in enumerate(map(tuple, certificate.boards.tolist()))}

    def rank(self, position: Position) -> int | None:
        """Rank of a position with the claim's side to move; None if the strategy has no move for it."""
        row = self._row(position)
        return None if row is None else int(self.certificate.ranks[row])

    def move(self, position: Position) -> Move | None:
        """The strategy's move; None if it has none. Raises InvalidCertificateError for a number that no move has."""
        row = self._row(position)
        if row is None:
            return None
        moves, number = moves_in_order(*position.bits), int(self.certificate.moves[row])
        if number >= len(moves):
            raise InvalidCertificateError(f"{position.fen}: move number {number} of {len(moves)} legal moves")
        return position.find_move(*moves[number])

    def _row(self, position: Position) -> int | None:
        return self._rows.get(position.bits[:3]) if position.side == self.claim.side else None

    def replies(self, position: Position, database: Database | None) -> list[StrategyReply]:
        """The opponent's moves, the hardest defence first.

        For a win that is the highest rank, then positions of the database by their distance; for a draw those that the
        strategy answers come first. Moves that lead to the same position are one. Raises InvalidDatabaseError.
        """
        replies: dict[PlainBits, StrategyReply] = {}
        for move in position.legal_moves():
            after = position.play(move)
            board = after.bits[:3]
            if board in replies:
                continue
            rank = self.rank(after)
            value, distance = None, None
            if rank is None and database is not None and database.has(after):
                value, distance = database.value(after), database.distance(after)
            replies[board] = StrategyReply(move, after, rank, value, distance)
        longest = self.claim.goal is Value.WIN
        return sorted(replies.values(), key=lambda each: -each.held(longest))


@dataclass(frozen=True)
class StrategyReply:
    """A move of the opponent, and where it leads."""

    move: Move
    after: Position
    """Position with the claim's side to move."""
    rank: int | None
    """Rank of that position; None if the strategy ends there, in the database."""
    value: Value | None
    """Value by the database for the claim's side, where the strategy ends."""
    distance: int | None
    """Plies to the end of the game by the database; None if it is not known."""

    def held(self, longest: bool) -> float:
        """How hard the defence is, for comparison: by the rank if `longest`; any rank is more than any distance."""
        if self.rank is not None:
            return 1e6 + (self.rank if longest else 0)
        return float(self.distance or 0)


def hardest_line(certificate: Certificate) -> list[Move]:
    """Moves from the root to the first position that ends a line, by the rules or in the database.

    Against a win the opponent plays a reply of the highest rank, which holds out longest; against a draw one that leads
    to a position not met before, and the line ends if there is none. Raises InvalidCertificateError for a move that no
    position has.
    """
    return strategy_line(certificate, certificate.claim.root)


def strategy_line(certificate: Certificate, position: Position) -> list[Move]:
    """The same from a position of the strategy, or after one of its moves; none if it has no move."""
    book = StrategyBook(certificate)
    moves = list[Move]()
    met = set[PlainBits]()
    while len(moves) < MOST_LINE_PLIES:
        if position.side == book.claim.side:
            move = book.move(position)
            if move is None:
                break
            met.add(position.bits[:3])
        else:
            kept = [each for each in book.replies(position, None) if each.rank is not None]
            kept = [each for each in kept if each.after.bits[:3] not in met]
            if not kept:
                break
            move = kept[0].move
        moves.append(move)
        position = position.play(move)
    return moves
