"""Certificates: a claim about a position, and the strategy that proves it; their files, and how they are made.

A strategy has one move for each position that can arise with its side to move. From the root it leads, whatever the
opponent replies, to positions that it has a move for, or to leaves: the opponent has no move, or the endgame database
has the value. docs/reference/certificates.md has the meaning in full, and the format; `kr.proofs.checking` checks it.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import _core, storage
from kr.egdb import slices
from kr.egdb.boards import impossible
from kr.egdb.database import Database
from kr.errors import InvalidCertificateError, InvalidFenError, StrategyCycleError, StrategyGapError
from kr.file_kinds import CERTIFICATE_MAGIC
from kr.game.board import position_of
from kr.game.position import Bits, Position, Side
from kr.game.value import Value
from kr.notation import SIDE_NAMES, format_fen
from kr.proofs.rules import QuickMove
from kr.settings import check_type

PlainBits = tuple[int, int, int]
"""Black, white and kings of a position whose side to move is known."""
Strategy = dict[PlainBits, QuickMove]
"""The move for each position with the strategy's side to move."""

CERTIFICATE_SUFFIX = ".krproof"
CERTIFICATE_VERSION = 1
MAX_CERTIFICATE_BYTES = 1 << 30
MAX_CERTIFICATE_HEADER = 1 << 20
MAX_POSITIONS: int = _core.MOST_CERTIFIED
"""Positions of a certificate, which plain Python checks in some hours."""
_ROWS_AT_ONCE = 1 << 16
MAX_RANK: int = _core.MOST_RANK
NOT_COVERED = (
    "The draws by rule, 80 plies without a capture or a man's move and repetition, are not covered: the value is that "
    "of play without them."
)
"""What a certificate does not prove, for those who read one."""

_FIXED = struct.Struct("<8s2I")
_DIGEST_BYTES = hashlib.sha256().digest_size
_MOST_UNPACKED = 1032
"""Bytes that deflate makes of one at most."""
_HEADER_TYPES: dict[str, type] = {
    "root": str, "side": str, "goal": str, "positions": int, "boards": int, "moves": int, "ranks": int,
    "database": str, "reach": str, "provenance": dict,
}  # fmt: skip
_SIDES = {side.name.lower(): side for side in Side}
_GOALS = {"win": Value.WIN, "draw": Value.DRAW}


@dataclass(frozen=True)
class Claim:
    """A result that is to be proved. Raises InvalidCertificateError for a goal that is not a win or a draw."""

    root: Position
    side: Side
    """The side whose result is proved; either may be to move at the root."""
    goal: Value
    """WIN, or DRAW for "does not lose"."""

    def __post_init__(self) -> None:
        if self.side not in tuple(Side) or self.goal not in (Value.WIN, Value.DRAW):
            raise InvalidCertificateError(
                f"a claim of {self.goal!s} for {self.side!r} can't be proved; expected a win, or a draw, of a side"
            )
        object.__setattr__(self, "root", position_of(self.root))
        object.__setattr__(self, "side", Side(self.side))
        object.__setattr__(self, "goal", Value(self.goal))

    @staticmethod
    def from_bits(root: Bits, side: int, goal: int) -> Claim:
        """A claim of the compiled core."""
        return Claim(Position.from_bits(root), Side(side), Value.from_sign(goal - 1))

    @property
    def bits(self) -> tuple[Bits, int, int]:
        """Root, side and goal in the form of the compiled core."""
        return self.root.bits, int(self.side), 1 + self.goal.sign

    def __str__(self) -> str:
        """Such as "White wins" or "Black does not lose"."""
        return f"{SIDE_NAMES[self.side]} {'wins' if self.goal is Value.WIN else 'does not lose'}"


@dataclass(frozen=True, eq=False)
class Certificate:
    """A claim with a strategy that proves it. Raises InvalidCertificateError for arrays of another form.

    A certificate may be wrong in all else: `kr.proofs.checking.check_certificate` says whether it proves its claim.
    """

    claim: Claim
    boards: NDArray[np.uint32]
    """(n, 3): black, white, kings of the positions with the claim's side to move, in rising order, each once."""
    moves: NDArray[np.uint8]
    """(n,): number of the move among the legal ones, from 0, in the order of `kr.proofs.rules.moves_in_order`."""
    ranks: NDArray[np.uint16]
    """(n,): for a win 1 + the largest rank of the positions here that the replies lead to, 1 if none; 0 for a draw."""
    database: str = ""
    """Signature of the endgame database whose values end lines; "" if there was none."""
    reach: str = ""
    """What of the database ends lines, in the words of `kr.egdb.database.Database.reach`; "" if there was none."""
    provenance: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, dtype, shape in _COLUMNS:
            array = getattr(self, name)
            if array.dtype != dtype or array.shape != (len(self.boards), *shape):
                raise InvalidCertificateError(
                    f"{name} of a certificate: {array.dtype} {array.shape}; expected {dtype} "
                    f"{(len(self.boards), *shape)}"
                )
        _check_rising(self.boards)
        wrong = impossible(self.boards)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InvalidCertificateError(
                f"position {row} of the certificate, {self.boards[row].tolist()}, is impossible"
            )
        # of any words but those of a database this makes an error
        self.classes  # noqa: B018

    @property
    def classes(self) -> frozenset[slices.Class]:
        """Pieces of the two sides, the larger number first, of the positions whose values end lines."""
        return _classes(self.reach)


def _classes(reach: str) -> frozenset[slices.Class]:
    try:
        return slices.parse_reach(reach) if reach else frozenset()
    except ValueError as error:
        raise InvalidCertificateError(f"the certificate's database: {error}") from None


_COLUMNS: tuple[tuple[str, np.dtype[Any], tuple[int, ...]], ...] = (
    ("boards", np.dtype("<u4"), (3,)),
    ("moves", np.dtype("u1"), ()),
    ("ranks", np.dtype("<u2"), ()),
)
"""Name, type and shape of a row of each column, in the order of the file."""


def _check_rising(boards: NDArray[np.uint32]) -> None:
    before, after = boards[:-1], boards[1:]
    higher = after[:, 2] > before[:, 2]
    for column in (1, 0):
        higher = (after[:, column] > before[:, column]) | (after[:, column] == before[:, column]) & higher
    if not higher.all():
        raise InvalidCertificateError("the positions of the certificate are not in rising order, each once")


# files


def write_certificate(path: str | Path, certificate: Certificate) -> None:
    """Write a certificate, whole or not at all. Raises OSError."""
    check_type("the certificate", certificate, Certificate)
    storage.write_atomic(path, packed_certificate(certificate))


def read_certificate(path: str | Path) -> Certificate:
    """Read a certificate. Raises InvalidCertificateError for a file that is damaged, too large, or of another kind."""
    return read_with_checksum(path)[0]


def read_with_checksum(path: str | Path) -> tuple[Certificate, str]:
    """A certificate and the checksum of its file. Raises what `read_certificate` raises."""
    path = storage.as_path(path)
    if not path.is_file():
        raise InvalidCertificateError(storage.no_file(path, "a certificate of kr prove"))
    try:
        content = storage.read_regular(path, MAX_CERTIFICATE_BYTES)
    except OSError as error:
        raise InvalidCertificateError(f"{path}: can't read this certificate: {error.strerror}") from error
    checksum = storage.checksum(content)
    try:
        return unpacked_certificate(content), checksum
    except InvalidCertificateError as error:
        raise InvalidCertificateError(f"{path}: {error}") from None


def packed_certificate(certificate: Certificate) -> bytes:
    """The content of a certificate's file."""
    claim = certificate.claim
    columns = {name: _packed(getattr(certificate, name)) for name, _, _ in _COLUMNS}
    header = {
        "root": claim.root.fen,
        "side": claim.side.name.lower(),
        "goal": str(claim.goal),
        "positions": len(certificate.boards),
        **{name: len(column) for name, column in columns.items()},
        "database": certificate.database,
        "reach": certificate.reach,
        "provenance": dict(certificate.provenance),
    }
    text = json.dumps(header).encode()
    fixed = _FIXED.pack(CERTIFICATE_MAGIC, CERTIFICATE_VERSION, len(text))
    body = b"".join((text, *columns.values()))
    return fixed + _digest(fixed, body) + body


def unpacked_certificate(content: bytes, most: int = MAX_POSITIONS) -> Certificate:
    """The certificate of a file's content. Raises InvalidCertificateError, also for more than `most` positions."""
    start = _FIXED.size + _DIGEST_BYTES
    if len(content) < start or not content.startswith(CERTIFICATE_MAGIC):
        raise InvalidCertificateError("not a certificate of kr, or only the beginning of one")
    fixed, body = content[: _FIXED.size], memoryview(content)[start:]
    _, version, header_bytes = _FIXED.unpack(fixed)
    if complaint := storage.check_version(version, (CERTIFICATE_VERSION,)):
        raise InvalidCertificateError(complaint)
    if content[_FIXED.size : start] != _digest(fixed, body):
        raise InvalidCertificateError("damaged certificate: its content does not match its checksum")
    if header_bytes > min(len(body), MAX_CERTIFICATE_HEADER):
        raise InvalidCertificateError(f"damaged certificate: a header of {header_bytes} bytes")
    header = _parsed_header(bytes(body[:header_bytes]))
    count, at = header["positions"], header_bytes
    if count > most:
        more = ", and kr prove --check FILE reads more" if most < MAX_POSITIONS else ""
        raise InvalidCertificateError(f"a certificate of {count:,} positions; at most {most:,} are read here{more}")
    columns: dict[str, NDArray[Any]] = {}
    for name, dtype, shape in _COLUMNS:
        end = at + header[name]
        if end > len(body):
            raise InvalidCertificateError(f"damaged certificate: the column {name} ends beyond the file")
        columns[name] = _unpacked(name, body[at:end], count, dtype, shape)
        at = end
    if at != len(body):
        raise InvalidCertificateError(f"damaged certificate: {len(body) - at} bytes after its last column")
    try:
        claim = Claim(Position.from_fen(header["root"]), _SIDES[header["side"]], _GOALS[header["goal"]])
    except (InvalidFenError, KeyError) as error:
        raise InvalidCertificateError(f"damaged certificate: invalid claim: {error}") from None
    return Certificate(
        claim, **columns, database=header["database"], reach=header["reach"], provenance=header["provenance"]
    )


def _digest(fixed: bytes, body: bytes | memoryview) -> bytes:
    """SHA-256 of all of a file but the digest."""
    digest = hashlib.sha256(fixed)
    digest.update(body)
    return digest.digest()


def _parsed_header(text: bytes) -> dict[str, Any]:
    try:
        header = storage.parse_json(text)
    except ValueError as error:
        raise InvalidCertificateError(f"damaged certificate: its header is not JSON: {error}") from None
    if not isinstance(header, dict) or header.keys() != _HEADER_TYPES.keys():
        raise InvalidCertificateError(f"damaged certificate: its header must have exactly {', '.join(_HEADER_TYPES)}")
    for name, kind in _HEADER_TYPES.items():
        value = header[name]
        impossible = (isinstance(value, int) and value < 0) or (isinstance(value, str) and not value.isprintable())
        if type(value) is not kind or impossible:
            raise InvalidCertificateError(f"damaged certificate: {name} is {repr(value)[:40]}")
    if not all(isinstance(value, str) for value in header["provenance"].values()):
        raise InvalidCertificateError("damaged certificate: its provenance is not text")
    return header


def _packed(array: NDArray[Any]) -> bytes:
    """A column: each row but the first as its bits that differ from the row before; byte by byte; deflated."""
    different = array.copy()
    if array.ndim == 2:
        different[1:] ^= array[:-1]
    rows = np.ascontiguousarray(different, dtype=array.dtype.newbyteorder("<"))
    width = rows.itemsize * (rows.shape[1] if rows.ndim == 2 else 1)
    return zlib.compress(rows.reshape(-1).view(np.uint8).reshape(-1, width).T.tobytes(), 9)


def _unpacked(name: str, column: memoryview, count: int, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    width = dtype.itemsize * (shape[0] if shape else 1)
    # before anything of this size is made
    if count * width > _MOST_UNPACKED * len(column):
        raise InvalidCertificateError(f"damaged certificate: {count} positions in {len(column)} bytes of {name}")
    try:
        content = storage.inflated(column, count * width)
        if len(content) != count * width:
            raise ValueError(f"{len(content)} bytes")
    except ValueError as error:
        what = f"the column {name} is not of {count} positions: {error}"
        raise InvalidCertificateError(f"damaged certificate: {what}") from None
    planes = np.frombuffer(content, dtype=np.uint8).reshape(width, count)
    rows = np.empty((count, *shape), dtype.newbyteorder("="))
    for first in range(0, count, _ROWS_AT_ONCE):
        block = np.frombuffer(planes[:, first : first + _ROWS_AT_ONCE].T.tobytes(), dtype=dtype).reshape(-1, *shape)
        here = rows[first : first + len(block)]
        here[:] = block
        if shape:
            if first:
                here[0] ^= rows[first - 1]
            np.bitwise_xor.accumulate(here, axis=0, out=here)
            _check_rising(rows[max(0, first - 1) : first + len(block)])
    return rows


# making


def certificate_of(
    claim: Claim,
    strategy: Strategy | _core.ProvedMoves,
    database: Database | None,
    provenance: Mapping[str, str] | None = None,
) -> Certificate:
    """The certificate of a strategy: of what the root leads to, with numbers of moves and ranks.

    provenance: by default that of this process. Raises StrategyGapError for a position that is neither in the strategy
    nor in the database, StrategyCycleError if the goal is a win and the strategy leads back to a position,
    InvalidCertificateError for a leaf whose value is not good enough or an illegal move, and InvalidDatabaseError.
    """
    moves = strategy if isinstance(strategy, _core.ProvedMoves) else _core.ProvedMoves(strategy.items())
    columns = _core.certify_moves(*claim.bits, moves, None if database is None else database.core)
    return certificate_from(claim, columns, database, provenance)


def certificate_from(
    claim: Claim,
    columns: _core._CertifiedColumns,
    database: Database | None,
    provenance: Mapping[str, str] | None = None,
) -> Certificate:
    """The certificate of the core's columns. Raises what `certificate_of` does for a fault."""
    if len(columns) == 5:
        raise fault_of(claim, columns, database)
    boards, moves, ranks = columns
    return Certificate(
        claim,
        np.frombuffer(boards, np.uint32).reshape(-1, 3),
        np.frombuffer(moves, np.uint8),
        np.frombuffer(ranks, np.uint16),
        database.signature if database else "",
        database.reach if database else "",
        storage.provenance() if provenance is None else dict(provenance),
    )


def fault_of(claim: Claim, fault: _core._StrategyFault, database: Database | None) -> InvalidCertificateError:
    """What is wrong with a strategy. Raises InvalidDatabaseError if that is damage of the database."""
    kind, bits, move, value, circle = fault
    fen = format_fen(*bits)
    if kind == _core.FAULT_GAP:
        return StrategyGapError(f"{fen}: the strategy has no move here, and the database no value", bits[:3])
    if kind == _core.FAULT_CYCLE:
        fen = format_fen(*circle[0], claim.side)
        return StrategyCycleError(f"{fen}: the strategy leads back here in {len(circle)} moves of its side", circle)
    if kind == _core.FAULT_UNKNOWN and database is not None:
        database.raise_damage()
    return InvalidCertificateError({
        _core.FAULT_ILLEGAL: f"{fen}: the strategy's move {move} is not legal",
        _core.FAULT_AGAINST: f"{fen}: {Value.from_sign(value - 1)} by the database, against the claim: {claim}",
        _core.FAULT_LONG: f"a line of more than {MAX_RANK} moves; a certificate has no room for it",
        _core.FAULT_LARGE: f"a strategy of more than {MAX_POSITIONS:,} positions, the most that a certificate has",
    }.get(kind, f"{fen}: the database has no value here"))  # fmt: skip


def strategy_of(certificate: Certificate) -> Strategy:
    """The strategy of a certificate. Raises InvalidCertificateError for a number that no move has."""
    strategy: Strategy = {}
    side = certificate.claim.side
    for row, number in zip(certificate.boards.tolist(), certificate.moves.tolist(), strict=True):
        board = (row[0], row[1], row[2])
        # in the order of `kr.proofs.rules.moves_in_order`, by the core
        moves = sorted({(path[0], path[-1], captured) for path, captured in _core.legal_moves(*board, side)})
        if number >= len(moves):
            fen = format_fen(*board, side)
            raise InvalidCertificateError(f"{fen}: move number {number} of {len(moves)} legal moves")
        strategy[board] = moves[number]
    return strategy
