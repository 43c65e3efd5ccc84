"""Certificates at hand: each checked once, then asked by position for what they prove, and by which move.

What a certificate proves holds at each of its positions, and at those that its moves lead to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr import _core
from kr.egdb.database import Database
from kr.errors import InvalidCertificateError, InvalidDatabaseError, InvalidSettingError
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.proofs.known import CERTIFICATE_WORD, NOTHING_KNOWN, KnownValue
from kr.proofs.rules import moves_in_order
from kr.settings import option
from kr.storage import checksum

# certificates are arrays: numpy is loaded with the first of them
if TYPE_CHECKING:
    from kr.proofs.certificate import Certificate

_ROOT_ROW = -1
"""Row of a position that a certificate has no move for."""
_Bits = tuple[int, int, int, int]


def proofs_option() -> Any:
    """Setting: certificates whose values count."""
    return option(
        (), "Certificate of kr prove, or directory of them, whose values count as known; may be given several times.",
        metavar="FILE|DIR",
    )  # fmt: skip


class ProofLibrary:
    """Certificates that prove what they claim, by position."""

    def __init__(self, certificates: Iterable[tuple[str, Certificate]], signature: str = "") -> None:
        """certificates: each with its name; they are not checked here. signature: identity by their files' content."""
        self.signature = signature
        self._certificates = list(certificates)
        self._strategies = [certificate.moves for _, certificate in self._certificates]
        # for each position the numbers of certificates, with the row of the move of those whose side is to move
        self._rows: dict[_Bits, tuple[tuple[int, int], ...]] = {}
        for number, (_, certificate) in enumerate(self._certificates):
            self._enter(number, certificate)

    def _enter(self, number: int, certificate: Certificate) -> None:
        from kr.proofs.certificate import strategy_of

        side = int(certificate.claim.side)
        root = certificate.claim.root.bits
        entered = set[_Bits]()
        for row, (board, move) in enumerate(strategy_of(certificate).items()):
            own, after = (*board, side), _core.play(*board, side, *move)
            for bits, at in ((own, row), (after, _ROOT_ROW)):
                if bits not in entered:
                    entered.add(bits)
                    self._rows[bits] = (*self._rows.get(bits, ()), (number, at))
        if root not in entered:
            self._rows[root] = (*self._rows.get(root, ()), (number, _ROOT_ROW))

    def __len__(self) -> int:
        return len(self._certificates)

    @property
    def names(self) -> list[str]:
        """Names of the certificates."""
        return [name for name, _ in self._certificates]

    def look_up(self, position: Position) -> KnownValue:
        """What the certificates prove of a position; NOTHING_KNOWN if it is in none of them."""
        least, most, at = Value.LOSS, Value.WIN, None
        by: dict[str, None] = {}
        for number, row in self._rows.get(position.bits, ()):
            name, certificate = self._certificates[number]
            claim = certificate.claim
            if claim.side == position.side:
                if claim.goal.sign > least.sign:
                    least, at = claim.goal, (number, row)
                    by[name] = None
            elif claim.goal.opposite.sign < most.sign:
                most = claim.goal.opposite
                by[name] = None
        if not by:
            return NOTHING_KNOWN
        move = None if at is None or at[1] == _ROOT_ROW else self._move(position, *at)
        # a win needs no other
        names = [self._certificates[at[0]][0]] if least is Value.WIN and at is not None else list(by)
        what = CERTIFICATE_WORD if len(names) == 1 else f"{CERTIFICATE_WORD}s"
        return KnownValue(least, most, None, f"{what} {' and '.join(names)}", move, tuple(names))

    def certificate_for(self, position: Position) -> Certificate:
        """The certificate whose strategy has the move of `look_up`. Raises KeyError if there is none."""
        own = [
            certificate for number, row in self._rows.get(position.bits, ())
            if row != _ROOT_ROW and (certificate := self._certificates[number][1]).claim.side == position.side
        ]  # fmt: skip
        if not own:
            raise KeyError(position.fen)
        return max(own, key=lambda certificate: certificate.claim.goal.sign)

    def _move(self, position: Position, number: int, row: int) -> Move:
        moves = moves_in_order(*position.bits)
        return position.find_move(*moves[int(self._strategies[number][row])])


def certificate_files(paths: Sequence[Path]) -> list[Path]:
    """The certificates that paths name, each once, those of a directory by name. Raises InvalidSettingError."""
    from kr.proofs.certificate import CERTIFICATE_SUFFIX

    files: dict[Path, Path] = {}
    for path in paths:
        if path.is_dir():
            files_there = sorted(path.glob(f"*{CERTIFICATE_SUFFIX}"))
            if not files_there:
                raise InvalidSettingError(f"--proofs: {path} has no certificates, files named *{CERTIFICATE_SUFFIX}")
        else:
            files_there = [path]
        for each in files_there:
            files.setdefault(each.resolve(), each)
    return list(files.values())


def load_proofs(
    paths: Sequence[Path], database: Database | None, on_progress: Callable[[int], None] | None = None
) -> ProofLibrary | None:
    """The certificates of files and directories, each checked; None if there are no paths.

    database: gives the values that end lines; on_progress: called with positions that have been checked since the last
    call. Raises InvalidSettingError, which names the file, for one that can't be read or does not prove its claim.
    """
    if not paths:
        return None
    from kr.proofs.certificate import read_with_checksum
    from kr.proofs.checking import check_certificate

    certificates, digests = [], []
    for path in certificate_files(paths):
        try:
            certificate, digest = read_with_checksum(path)
        except InvalidCertificateError as error:
            raise InvalidSettingError(f"--proofs: {error}") from None
        count = 0

        def tell(now: int, _: int) -> None:
            nonlocal count
            if on_progress is not None:
                on_progress(now - count)
            count = now

        try:
            check_certificate(certificate, database, tell)
        except (InvalidCertificateError, InvalidDatabaseError) as error:
            claim = certificate.claim
            raise InvalidSettingError(f"--proofs: {path} does not prove that {claim}: {error}") from None
        certificates.append((path.name, certificate))
        digests.append(digest)
    return ProofLibrary(certificates, checksum(" ".join(sorted(digests)).encode()))
