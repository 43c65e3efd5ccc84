"""The checker of certificates: plain Python, with the rules of `kr.proofs.rules` and nothing of the engine.

A certificate proves its claim if the rules below hold at each of its positions. None of them looks further than the
replies to one move, and none depends on how a position was reached.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kr.egdb import slices
from kr.egdb.database import Database, load_database
from kr.errors import InvalidCertificateError, InvalidDatabaseError
from kr.game.value import Value
from kr.notation import format_fen
from kr.proofs.certificate import Certificate, PlainBits
from kr.proofs.rules import QuickMove, board_after, moves_in_order
from kr.settings import check_type

LEAVES_AT_ONCE = 1 << 15
"""Values that are asked of the database at a time."""
POSITIONS_A_REPORT = 1000
"""Positions between two calls of on_progress."""
_LOSS, _DRAW, _WIN = range(3)
"""Values of `Database.values`."""


@dataclass(frozen=True)
class CheckReport:
    """What a certificate that proves its claim consists of."""

    positions: int
    """Positions with a move of the strategy."""
    replies: int
    """Replies of the opponent to all of these, and at the root."""
    rule_leaves: int
    """Moves of the strategy, or roots, that leave the opponent without a move."""
    database_leaves: int
    """Moves of either side, or roots, that lead to a position with a value in the database."""
    longest_line: int | None
    """Plies of the longest line from the root to a leaf; None for a draw, whose lines may go on for ever."""
    longest_quiet: int | None
    """Most plies of a line in a row without a capture or a man's move, up to the leaf; None for a draw.

    Fewer than 80 say that no draw by rule comes before a leaf. A win's line repeats no position before its leaf.
    """
    classes: tuple[str, ...] = ()
    """Classes of the database that its leaves have, such as "3v2", the fewest pieces first."""


def check_certificate(
    certificate: Certificate,
    database: Database | str | Path | None = "",
    on_progress: Callable[[int, int], None] | None = None,
) -> CheckReport:
    """Check that a certificate proves its claim.

    database: gives the values that end lines, an open one or its directory, the default one by "", None for none; it
    may have more than the certificate needs. on_progress: called with the positions done and all of them. Raises
    InvalidCertificateError, which names the position as a FEN and its fault, and InvalidDatabaseError if the database
    lacks a class that leaves need, or is damaged.
    """
    check_type("the certificate", certificate, Certificate)
    opened = load_database(str(database)) if isinstance(database, str | Path) else database
    return _Check(certificate, opened).run(on_progress)


class _Check:
    """A check under way: positions reached so far, leaves whose values are still to be asked for, counts."""

    def __init__(self, certificate: Certificate, database: Database | None) -> None:
        self.claim = certificate.claim
        self.side, self.other = int(self.claim.side), int(self.claim.side.other)
        self.wins = self.claim.goal is Value.WIN
        # arrays, since objects for each position take ten times the memory
        black, white, kings = certificate.boards.astype(np.uint64).T
        self.pieces = array("Q", (black << np.uint64(32) | white).tobytes())
        """Black and White of each position."""
        self.kings = array("I", kings.astype(np.uint32).tobytes())
        self.moves = certificate.moves.tobytes()
        self.ranks = array("H", certificate.ranks.tobytes())
        self.values = _Values(certificate, database)
        self.reached = bytearray(len(self.moves))
        self.waiting: list[int] = []
        self.depth = array("I", bytes(4 * len(self.moves)))
        """Most plies from the root to each position, of a win."""
        self.quiet = array("I", bytes(4 * len(self.moves)))
        """Most plies without progress on the way to each position, of a win."""
        self.replies = self.rule_leaves = 0
        self.longest_line = self.longest_quiet = 0

    def run(self, on_progress: Callable[[int, int], None] | None) -> CheckReport:
        root = self.claim.root
        start = (root.black, root.white, root.kings)
        if root.side == self.side:
            self._arrive(start, 0, 0)
        else:
            self._check_replies(start, 0, 0)
        # of a win every position comes after those that lead to it, since ranks fall; of a draw in any order
        rows: Iterable[int] = self.waiting
        if self.wins:
            rows = array("q", np.argsort(-np.array(self.ranks, np.int32), kind="stable").astype(np.int64).tobytes())
        count = 0
        for row in rows:
            if not self.reached[row]:
                raise self._unused(row)
            self._check_position(row)
            count += 1
            if on_progress and (count % POSITIONS_A_REPORT == 0 or count == len(self.moves)):
                on_progress(count, len(self.moves))
        if count < len(self.moves):
            raise self._unused(self.reached.index(0))
        self.values.compare()
        return CheckReport(
            positions=len(self.moves),
            replies=self.replies,
            rule_leaves=self.rule_leaves,
            database_leaves=self.values.count,
            classes=tuple(
                slices.class_name(cls) for cls in sorted(self.values.classes, key=lambda cls: (sum(cls), cls))
            ),
            longest_line=self.longest_line if self.wins else None,
            longest_quiet=self.longest_quiet if self.wins else None,
        )

    def _check_position(self, row: int) -> None:
        """Check the strategy's move at a position, all replies to it, and the rank."""
        board, number = self._board(row), self.moves[row]
        moves = moves_in_order(*board, self.side)
        if not moves:
            raise _fault(board, self.side, f"{self.claim}, but has no move here")
        if number >= len(moves):
            raise _fault(board, self.side, f"move number {number}, counted from 0, of {len(moves)} legal moves")
        move = moves[number]
        after = board_after(*board, self.side, move)
        highest = self._check_replies(after, self.depth[row] + 1, _quiet(self.quiet[row], board, move))
        if self.ranks[row] != (1 + highest if self.wins else 0):
            expected = f"{1 + highest}, one more than the highest that it leads to" if self.wins else "0, for a draw"
            raise _fault(board, self.side, f"its rank is {self.ranks[row]}; expected {expected}")

    def _check_replies(self, board: PlainBits, depth: int, quiet: int) -> int:
        """Check a position with the opponent to move; returns the highest rank that its replies lead to, 0 for none."""
        self.longest_line = max(self.longest_line, depth)
        self.longest_quiet = max(self.longest_quiet, quiet)
        moves = moves_in_order(*board, self.other)
        if not moves:
            self.rule_leaves += 1
            return 0
        if self.values.take(board, self.other):
            return 0
        self.replies += len(moves)
        highest = 0
        for move in moves:
            rank = self._arrive(board_after(*board, self.other, move), depth + 1, _quiet(quiet, board, move))
            highest = max(highest, rank)
        return highest

    def _arrive(self, board: PlainBits, depth: int, quiet: int) -> int:
        """Note that a position with the side to move is reached; returns its rank, 0 for a leaf of the database."""
        row = self._row(board)
        if row is None:
            if not self.values.take(board, self.side):
                raise _fault(board, self.side, "the strategy leads here, but has no move, and the database no value")
            self.longest_line = max(self.longest_line, depth)
            self.longest_quiet = max(self.longest_quiet, quiet)
            return 0
        if not self.reached[row]:
            self.reached[row] = True
            self.waiting.append(row)
        self.depth[row] = max(self.depth[row], depth)
        self.quiet[row] = max(self.quiet[row], quiet)
        return self.ranks[row]

    def _board(self, row: int) -> PlainBits:
        return self.pieces[row] >> 32, self.pieces[row] & 0xFFFFFFFF, self.kings[row]

    def _row(self, board: PlainBits) -> int | None:
        """Row of a position; None if the certificate does not have it."""
        black, white, kings = board
        pieces = black << 32 | white
        row = bisect_left(self.pieces, pieces)
        if row == len(self.moves) or self.pieces[row] != pieces:
            return None
        if self.kings[row] != kings:
            end = bisect_right(self.pieces, pieces, row)
            row = bisect_left(self.kings, kings, row, end)
            if row == end or self.kings[row] != kings:
                return None
        return row

    def _unused(self, row: int) -> InvalidCertificateError:
        why = ", or its rank is too high" if self.wins else ""
        return _fault(self._board(row), self.side, f"the strategy does not lead here from the root{why}")


class _Values:
    """Leaves of the database, asked for in batches."""

    def __init__(self, certificate: Certificate, database: Database | None) -> None:
        self.claim = certificate.claim
        self.database = database
        self.named = certificate.database
        self.has = {pair for own, other in certificate.classes for pair in ((own, other), (other, own))}
        """Pieces of Black and White whose positions are leaves."""
        self.asked: set[tuple[int, int]] = set()
        """Those that the database at hand has been asked about."""
        self.rows: list[tuple[int, int, int, int]] = []
        self.count = 0

    @property
    def classes(self) -> set[slices.Class]:
        """The classes that were asked for."""
        return {(max(pieces), min(pieces)) for pieces in self.asked}

    def take(self, board: PlainBits, side: int) -> bool:
        """True if a position is a leaf; its value is compared later. Raises InvalidDatabaseError."""
        pieces = (board[0].bit_count(), board[1].bit_count())
        if pieces not in self.has:
            return False
        if pieces not in self.asked:
            if self.database is None or not self.database.has_class(pieces):
                own, other = max(pieces), min(pieces)
                # a room that checks with a whole database need not load
                from kr.egdb.forecast import build_of

                build = build_of((own, other))
                raise InvalidDatabaseError(
                    f"the certificate needs values of {sum(pieces)} pieces ({own}v{other}), made with the database "
                    f'"{self.named}"; name it: --egdb DIR, database=DIR; or build it: `{build.command}` ({build.cost})'
                )
            self.asked.add(pieces)
        self.count += 1
        self.rows.append((*board, side))
        if len(self.rows) >= LEAVES_AT_ONCE:
            self.compare()
        return True

    def compare(self) -> None:
        """Compare the values of the leaves taken since the last time. Raises InvalidCertificateError."""
        if not self.rows:
            return
        assert self.database is not None
        boards = np.array(self.rows, dtype=np.uint32)
        values = self.database.values(boards)
        own = boards[:, 3] == int(self.claim.side)
        if self.claim.goal is Value.WIN:
            good = np.where(own, values == _WIN, values == _LOSS)
        else:
            # a value that the database does not have is neither
            good = np.where(own, (values == _DRAW) | (values == _WIN), (values == _DRAW) | (values == _LOSS))
        if not good.all():
            black, white, kings, side = self.rows[int(np.argmin(good))]
            value = {_LOSS: "a loss", _DRAW: "a draw", _WIN: "a win"}.get(int(values[np.argmin(good)]), "unknown")
            raise _fault((black, white, kings), side, f"{value} by the database, against the claim: {self.claim}")
        self.rows = []


def _quiet(before: int, board: PlainBits, move: QuickMove) -> int:
    """Plies without a capture or a man's move, after a move."""
    return 0 if move[2] or not board[2] >> move[0] & 1 else before + 1


def _fault(board: PlainBits, side: int, what: str) -> InvalidCertificateError:
    return InvalidCertificateError(f"{format_fen(*board, side)}: {what}")
