"""Certificates on a page: sent and checked, or made by proving a position; then stepped through.

proofs/send {"data", "upload": null} -> {"upload"}: a piece of a file in base64; the next ones name the upload
proofs/file {"proof"} -> {"name", "data"}: a certificate as a file, in base64
proofs/step {"proof", "fen"} -> what the strategy does there (`step_json`)

    {"do": "certificate", "upload": ID, "name": "a.krproof"}

checks a file: {"checked", "of"} while it lasts, then {"certificate": {...}} (`certificate_json`). Nothing is stepped
through before it is checked.

    {"do": "prove", "fen": FEN, "seconds": 60}

proves the value of a position: {"proof": {...}} after searches, at most UPDATES_A_SECOND; at last with "done", the
certificates and whether it was proved. A stream that is closed ends its searches.
"""

from __future__ import annotations

import base64
import math
import secrets
import threading
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from anyio.to_thread import run_sync

from kr.engine.limits import Limits
from kr.errors import InvalidCertificateError, InvalidDatabaseError, InvalidSettingError
from kr.game.position import Position
from kr.game.value import Value
from kr.jobs.kinds import Stop
from kr.language.sentences import Size, sentence
from kr.proofs.certificate import (
    CERTIFICATE_SUFFIX,
    Certificate,
    packed_certificate,
    unpacked_certificate,
)
from kr.proofs.checking import CheckReport, check_certificate
from kr.proofs.known import NOTHING_KNOWN
from kr.proofs.library import ProofLibrary
from kr.proofs.lines import StrategyBook, StrategyReply
from kr.proofs.proof import Proof
from kr.proofs.prover import ProveSettings, prove
from kr.text import visible
from kr.viewer.positions import move_json, side_name
from kr.web.house import House
from kr.web.live import Inbox, viewer
from kr.web.request import PageRequest
from kr.web.services.working import Working

T = TypeVar("T")

LARGEST_CERTIFICATE = 50_000_000
"""Bytes of a file that a page may send."""
MOST_CHECKED_POSITIONS = 200_000
"""Positions of a certificate that is checked for a page: some minutes."""
MOST_KEPT_POSITIONS = 1_000_000
"""Positions of all certificates that are kept, of all pages; the ones used least go first."""
MOST_SENT = 4
"""Files on their way; the oldest is forgotten."""
PROVE_SECONDS = 1, 600
"""Least and most seconds of a proof."""
UPDATES_A_SECOND = 4
LONGEST_RESISTANCE = 24
"""Moves of the line that resists."""


@dataclass(frozen=True)
class OpenProof:
    """A certificate that has been checked, ready to be stepped through."""

    certificate: Certificate
    report: CheckReport
    name: str
    book: StrategyBook
    known: ProofLibrary


class ProofStore:
    """Files on their way, and certificates that have been checked. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sent: OrderedDict[str, bytearray] = OrderedDict()
        self._proofs: OrderedDict[str, OpenProof] = OrderedDict()

    def extend(self, upload: str | None, data: bytes) -> str:
        """Add a piece to a file, None for a new one; returns its id. Raises InvalidSettingError."""
        with self._lock:
            if upload is None:
                upload = secrets.token_urlsafe(12)
                self._sent[upload] = bytearray()
                while len(self._sent) > MOST_SENT:
                    self._sent.popitem(last=False)
            content = self._file(upload)
            if len(content) + len(data) > LARGEST_CERTIFICATE:
                del self._sent[upload]
                raise InvalidSettingError(sentence("refused.large_certificate", size=Size(LARGEST_CERTIFICATE)))
            content += data
            return upload

    def take(self, upload: str) -> bytes:
        """The content of a file that has been sent, which is forgotten. Raises InvalidSettingError."""
        with self._lock:
            content = bytes(self._file(upload))
            del self._sent[upload]
            return content

    def _file(self, upload: str) -> bytearray:
        if upload not in self._sent:
            raise InvalidSettingError(sentence("refused.file_gone"))
        return self._sent[upload]

    def keep(self, proof: OpenProof) -> str:
        """Keep a certificate that has been checked; returns its id."""
        id = secrets.token_urlsafe(12)
        with self._lock:
            self._proofs[id] = proof
            while len(self._proofs) > 1 and sum(map(_size, self._proofs.values())) > MOST_KEPT_POSITIONS:
                self._proofs.popitem(last=False)
        return id

    def proof(self, id: str) -> OpenProof:
        """A certificate by its id. Raises InvalidSettingError."""
        with self._lock:
            if id not in self._proofs:
                raise InvalidSettingError(sentence("refused.certificate_gone"))
            self._proofs.move_to_end(id)
            return self._proofs[id]


def _size(proof: OpenProof) -> int:
    return 1000 + len(proof.certificate.boards)


_STORES: WeakKeyDictionary[House, ProofStore] = WeakKeyDictionary()
_MAKING = threading.Lock()


def store_of(house: House) -> ProofStore:
    """The certificates of a server."""
    with _MAKING:
        return _STORES.setdefault(house, ProofStore())


# --- certificates that pages send


def send_certificate(house: House, request: PageRequest) -> dict[str, Any]:
    """Add a piece to a file."""
    upload = request.text("upload") if request.has("upload") else None
    return {"upload": store_of(house).extend(upload, request.data())}


async def open_certificate(house: House, request: PageRequest, inbox: Inbox) -> AsyncGenerator[dict[str, Any], None]:
    """Check a certificate that has been sent, and keep it."""
    content = store_of(house).take(request.text("upload"))
    name = visible(request.text("name", 300, ""))
    certificate = await run_sync(unpacked_certificate, content, MOST_CHECKED_POSITIONS)
    work = Working[int, OpenProof]("proofs", partial(_checked, house, certificate, name))
    async with aclosing(_latest(work)) as news:
        async for done in news:
            yield {"checked": done, "of": len(certificate.boards)}
    proof = work.result()
    yield {"certificate": certificate_json(store_of(house).keep(proof), proof)}


def checked_proof(
    house: House, certificate: Certificate, name: str, on_progress: Callable[[int], None] = lambda done: None
) -> OpenProof:
    """A certificate, once it is checked. Raises InvalidSettingError if it proves nothing, or is too large."""
    if len(certificate.boards) > MOST_CHECKED_POSITIONS:
        positions = len(certificate.boards)
        raise InvalidSettingError(sentence("refused.long_certificate", count=positions, most=MOST_CHECKED_POSITIONS))
    try:
        report = check_certificate(certificate, house.database, lambda done, _: on_progress(done))
    except (InvalidCertificateError, InvalidDatabaseError) as error:
        claim = sentence(f"claim.{side_name(certificate.claim.side)}_{certificate.claim.goal}")
        raise InvalidSettingError(sentence("refused.unproved", claim=claim, why=str(error))) from None
    return OpenProof(certificate, report, name, StrategyBook(certificate), ProofLibrary([(name, certificate)]))


def _checked(house: House, certificate: Certificate, name: str, tell: Callable[[int], None], stop: Stop) -> OpenProof:
    def on_progress(done: int) -> None:
        if stop.is_set():
            raise InvalidSettingError(sentence("refused.stopped"))
        tell(done)

    return checked_proof(house, certificate, name, on_progress)


def certificate_json(id: str, proof: OpenProof) -> dict[str, Any]:
    """What a certificate proves, and how large it is."""
    certificate, report = proof.certificate, proof.report
    claim = certificate.claim
    return {
        "proof": id,
        "name": proof.name,
        "fen": claim.root.fen,
        "side": side_name(claim.side),
        "goal": claim.goal,
        "positions": report.positions,
        "in_database": report.database_leaves,
        "longest": report.longest_line,
        "quiet": report.longest_quiet,
    }


def certificate_file(house: House, request: PageRequest) -> dict[str, Any]:
    """A certificate as a file."""
    proof = store_of(house).proof(request.text("proof"))
    return {"name": proof.name, "data": base64.b64encode(packed_certificate(proof.certificate)).decode()}


# --- stepping


def show_step(house: House, request: PageRequest) -> dict[str, Any]:
    """What the strategy of a certificate does in a position."""
    return step_json(house, store_of(house).proof(request.text("proof")), request.position())


def step_json(house: House, proof: OpenProof, position: Position) -> dict[str, Any]:
    """A position of a certificate: "own" at the strategy's side, with its "move"; "replies" of the other side, the
    hardest defence first, each with its "answer"; "left", the most plies to the end of a line; "end", why a line ends
    here; "outside" if the certificate says nothing of it.

    Raises InvalidDatabaseError.
    """
    book, claim = proof.book, proof.certificate.claim
    own = position.side == claim.side
    told: dict[str, Any] = {"fen": position.fen, "own": own, "move": None, "replies": [], "left": None, "end": None}
    end = _end(house, proof, position)
    reached = proof.known.look_up(position) is not NOTHING_KNOWN
    if not reached and (end is None or end["value"] is None or not _good(claim.goal, Value(end["value"]), own)):
        return {**told, "outside": True}
    move = book.move(position)
    if move is not None:
        rank = book.rank(position)
        left = 2 * rank - 1 if claim.goal is Value.WIN and rank is not None else None
        return {**told, "move": _played(position, move), "left": left}
    if end is not None:
        return {**told, "end": end}
    replies = book.replies(position, house.database)
    highest = max((each.rank or 0 for each in replies), default=0)
    left = 2 * highest if claim.goal is Value.WIN else None
    return {**told, "left": left, "replies": [_reply_json(house, proof, position, each) for each in replies]}


def _played(position: Position, move: Any) -> dict[str, Any]:
    return {**move_json(move), "fen": position.play(move).fen}


def _reply_json(house: House, proof: OpenProof, position: Position, reply: StrategyReply) -> dict[str, Any]:
    answer = proof.book.move(reply.after)
    wins = proof.certificate.claim.goal is Value.WIN
    return {
        **_played(position, reply.move),
        "answer": None if answer is None else _played(reply.after, answer),
        "left": 2 * reply.rank if wins and reply.rank is not None else None,
        "end": _end(house, proof, reply.after) if answer is None else None,
    }


def _end(house: House, proof: OpenProof, position: Position) -> dict[str, Any] | None:
    """Reason why a line ends in a position, with the value for its side to move; None if it goes on."""
    if position.is_over:
        return {"by": "rule", "value": Value.LOSS, "plies": 0}
    database, pieces = house.database, (position.black.bit_count(), position.white.bit_count())
    if database is None or (max(pieces), min(pieces)) not in proof.certificate.classes or not database.has(position):
        return None
    return {"by": "database", "value": database.value(position), "plies": database.distance(position)}


def _good(goal: Value, value: Value, own: bool) -> bool:
    """True if a value of the database, for the side to move, is what a claim says at least."""
    return (value if own else value.opposite).sign >= goal.sign


# --- proving


async def prove_position(house: House, request: PageRequest, inbox: Inbox) -> AsyncGenerator[dict[str, Any], None]:
    """Prove the value of a position, as far as the time allows."""
    position = request.position()
    seconds = request.number("seconds", *PROVE_SECONDS)
    if not position.black | position.white:
        raise InvalidSettingError(sentence("refused.empty_board"))
    settings = ProveSettings(fen=position.fen, tc=Limits(time=float(seconds)), workers=1)
    with house.engines.own.ask(viewer.get()) as loan:
        if loan.waits:
            yield {"waits": True}
        engine = await loan.arrival()
        engine.new_game()
        work = Working[dict[str, Any], Proof](
            "proofs", lambda tell, stop: prove(settings, lambda proof: tell(proof_json(proof)), engine, stop)
        )
        async with aclosing(_latest(work)) as news:
            async for told in news:
                yield {"proof": told, "seconds": seconds}
        proof = work.result()
    kept = []
    for each in proof.telling:
        if each.certificate is None:
            continue
        name = f"{'' if each.claim.goal is Value.WIN else 'not-lost-'}{side_name(each.claim.side)}{CERTIFICATE_SUFFIX}"
        checking = Working[int, OpenProof]("proofs", partial(_checked, house, each.certificate, name))
        async with aclosing(_latest(checking)) as checks:
            async for _ in checks:
                pass
        checked = checking.result()
        kept.append(certificate_json(store_of(house).keep(checked), checked))
    yield {"proof": proof_json(proof), "certificates": kept, "done": True}


def proof_json(proof: Proof) -> dict[str, Any]:
    """How far a proof has come."""
    telling = proof.telling if proof.answered else [each for each in proof.claims if each.leaves or each.holds]
    return {
        "fen": proof.position.fen,
        "side": side_name(proof.position.side),
        "value": proof.value,
        "least": proof.least,
        "most": proof.most,
        "taken": round(proof.seconds, 1),
        "claims": [
            {
                "side": side_name(each.claim.side),
                "goal": each.claim.goal,
                "holds": each.holds,
                "proof": _finite(each.proof),
                "disproof": _finite(each.disproof),
                "nodes": each.nodes,
                "searches": each.leaves,
                "resists": " ".join(map(str, each.resists[:LONGEST_RESISTANCE])),
            }
            for each in telling
        ],
    }


def _finite(number: float) -> float | None:
    return None if math.isinf(number) else float(f"{number:.3g}")


async def _latest(work: Working[T, Any]) -> AsyncGenerator[T, None]:
    """What some work tells, the latest at most UPDATES_A_SECOND times a second, until it ends; it is then stopped."""
    try:
        async for batch in work.batches():
            if batch:
                yield batch[-1]
                await work.wait(1 / UPDATES_A_SECOND)
    finally:
        await work.end()


ROUTES: dict[str, Any] = {
    "proofs/send": send_certificate,
    "proofs/file": certificate_file,
    "proofs/step": show_step,
}
LIVE: dict[str, Any] = {"certificate": open_certificate, "prove": prove_position}
