"""Proofs for the page, which opens certificates and steps through them itself (kr/page/static/answers/proofs.js).

checking/send {"data", "upload": null} -> {"upload"}: a piece of a certificate in base64; the next ones name the upload

    {"do": "checking", "upload": ID}

checks it: {"checked"}, the positions so far, while it lasts, then {"report": {...}} (`report_json`).

    {"do": "proving", "fen": FEN, "seconds": 60}

proves the value of a position: {"proof": {...}} after searches, at most UPDATES_A_SECOND; at last with "certificates",
each a file in "data", in base64, and its "report". A stream that is closed ends its searches.
"""

from __future__ import annotations

import base64
import math
import secrets
import threading
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from anyio.to_thread import run_sync

from kr.engine.limits import Limits
from kr.errors import InvalidCertificateError, InvalidDatabaseError, InvalidSettingError
from kr.jobs.kinds import Stop
from kr.language.sentences import Size, sentence
from kr.proofs.certificate import Certificate, packed_certificate, unpacked_certificate
from kr.proofs.checking import CheckReport, check_certificate
from kr.proofs.proof import Proof
from kr.proofs.prover import ProveSettings, prove
from kr.viewer.positions import side_name
from kr.web.house import House
from kr.web.live import Inbox, viewer
from kr.web.request import PageRequest
from kr.web.services.working import Working

T = TypeVar("T")

LARGEST_CERTIFICATE = 50_000_000
"""Bytes of a file that a page may send."""
MOST_CHECKED_POSITIONS = 200_000
"""Positions of a certificate that is checked for a page: some minutes."""
MOST_SENT = 4
"""Files on their way; the oldest is forgotten."""
PROVE_SECONDS = 1, 600
"""Least and most seconds of a proof."""
UPDATES_A_SECOND = 4
LONGEST_RESISTANCE = 24
"""Moves of the line that resists."""


class Uploads:
    """Certificates on their way. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sent: OrderedDict[str, bytearray] = OrderedDict()

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


_UPLOADS: WeakKeyDictionary[House, Uploads] = WeakKeyDictionary()
_MAKING = threading.Lock()


def uploads_of(house: House) -> Uploads:
    """The certificates that pages send to a server."""
    with _MAKING:
        return _UPLOADS.setdefault(house, Uploads())


def send_certificate(house: House, request: PageRequest) -> dict[str, Any]:
    """Add a piece to a file."""
    upload = request.text("upload") if request.has("upload") else None
    return {"upload": uploads_of(house).extend(upload, request.data())}


async def check_sent(house: House, request: PageRequest, inbox: Inbox) -> AsyncGenerator[dict[str, Any], None]:
    """Check a certificate that has been sent."""
    content = uploads_of(house).take(request.text("upload"))
    certificate = await run_sync(unpacked_certificate, content, MOST_CHECKED_POSITIONS)
    work = Working[int, CheckReport]("proofs", partial(_checked, house, certificate))
    async with aclosing(_latest(work)) as news:
        async for positions in news:
            yield {"checked": positions}
    yield {"report": report_json(work.result())}


def _checked(house: House, certificate: Certificate, tell: Callable[[int], None], stop: Stop) -> CheckReport:
    """The report on a certificate. Raises InvalidSettingError if it proves nothing, or is too large."""

    def on_progress(positions: int, _: int) -> None:
        if stop.is_set():
            raise InvalidSettingError(sentence("refused.stopped"))
        tell(positions)

    if len(certificate.boards) > MOST_CHECKED_POSITIONS:
        positions = len(certificate.boards)
        raise InvalidSettingError(sentence("refused.long_certificate", count=positions, most=MOST_CHECKED_POSITIONS))
    try:
        return check_certificate(certificate, house.database, on_progress)
    except (InvalidCertificateError, InvalidDatabaseError) as error:
        claim = sentence(f"claim.{side_name(certificate.claim.side)}_{certificate.claim.goal}")
        raise InvalidSettingError(sentence("refused.unproved", claim=claim, why=str(error))) from None


def report_json(report: CheckReport) -> dict[str, Any]:
    """Positions of a certificate, lines that end in the database, the longest line, and the longest quiet part."""
    return {
        "positions": report.positions, "in_database": report.database_leaves, "longest": report.longest_line,
        "quiet": report.longest_quiet,
    }  # fmt: skip


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
            async for facts in news:
                yield {"proof": facts}
        proof = work.result()
    certificates = []
    for each in proof.telling:
        if each.certificate is None:
            continue
        checking = Working[int, CheckReport]("proofs", partial(_checked, house, each.certificate))
        async with aclosing(_latest(checking)) as checks:
            async for _ in checks:
                pass
        data = base64.b64encode(packed_certificate(each.certificate)).decode()
        certificates.append({"data": data, "report": report_json(checking.result())})
    limit = "" if proof.answered else sentence("limit.time", time=f"{seconds} s").as_object()
    yield {"proof": {**proof_json(proof), "limit": limit}, "certificates": certificates}


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


ROUTES: dict[str, Any] = {"checking/send": send_certificate}
LIVE: dict[str, Any] = {"checking": check_sent, "proving": prove_position}
