"""Proofs without a server: positions that the WebAssembly proves, and certificates that it checks as Python does."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from page import Page
from proved import CASES, case, shipped

from kr.errors import InvalidCertificateError
from kr.proofs.certificate import Certificate, packed_certificate, unpacked_certificate
from kr.proofs.checking import check_certificate
from kr.viewer.positions import side_name

pytestmark = pytest.mark.slow


def opened(page: Page, content: bytes) -> dict[str, Any]:
    """The last event of a certificate that is opened."""
    upload = page.ask("proofs/send", {"data": base64.b64encode(content).decode(), "upload": None})["upload"]
    return page.stream("certificate", {"upload": upload, "name": "a.krproof"})[-1]


@pytest.mark.parametrize(
    ("fen", "value", "claims"),
    [
        ("W:WK18,K19,K23,10:BK1,K2", "win", ["white win"]),
        ("W:WK15,K18,K19,20:B12,21,K29,K30", "win", ["white win"]),
        ("W:WK1:BK32", "draw", ["black draw", "white draw"]),
        ("W:W5:B1,K24", "loss", ["black win"]),
    ],
)
def test_a_position_is_proved(page: Page, fen: str, value: str, claims: list[str]) -> None:
    last = page.stream("prove", {"fen": fen, "seconds": 60})[-1]
    assert last["proof"]["value"] == value
    assert sorted(f"{each['side']} {each['goal']}" for each in last["certificates"]) == claims
    for each in last["certificates"]:
        content = page.ask("proofs/file", {"proof": each["proof"]})["content"]
        certificate = unpacked_certificate(bytes(content.values()))
        report = check_certificate(certificate, shipped())
        assert f"{side_name(certificate.claim.side)} {certificate.claim.goal}" in claims
        told = [each[name] for name in ("positions", "in_database", "longest", "quiet")]
        assert told == [report.positions, report.database_leaves, report.longest_line, report.longest_quiet]


def test_what_is_open_after_the_time_has_its_numbers(page: Page) -> None:
    *_, last = page.stream("prove", {"fen": "B:W18,24,27,28,K10,K15:B12,16,20,K22,K25", "seconds": 1})
    assert last["certificates"] == []
    assert last["proof"]["value"] is None
    assert last["proof"]["limit"] == {"say": "limit.time", "with": {"time": "1 s"}}
    claims = last["proof"]["claims"]
    assert all(each["holds"] is None and each["proof"] > 0 and each["searches"] for each in claims)
    assert any(each["resists"] for each in claims)


def changed(certificate: Certificate) -> list[Certificate]:
    """A certificate with one thing changed each: a rank, a move, a position that is missing."""
    middle = len(certificate.boards) // 2
    ranks, moves = certificate.ranks.copy(), certificate.moves.copy()
    ranks[middle] += np.uint16(1)
    moves[middle] += np.uint8(1)
    rest = np.arange(len(moves)) != middle
    columns = {name: getattr(certificate, name)[rest] for name in ("boards", "moves", "ranks")}
    return [replace(certificate, ranks=ranks), replace(certificate, moves=moves), replace(certificate, **columns)]


def checked(certificate: Certificate) -> tuple[list[int | None], bool]:
    """Facts of a certificate by plain Python, or that it proves nothing."""
    try:
        report = check_certificate(certificate, shipped())
    except InvalidCertificateError:
        return [], True
    return [report.positions, report.database_leaves, report.longest_line, report.longest_quiet], False


@pytest.mark.parametrize("name", CASES)
def test_certificates_are_checked_as_in_python(page: Page, name: str) -> None:
    certificate = case(name)
    for each in (certificate, *(changed(certificate) if len(certificate.boards) else ())):
        event = opened(page, packed_certificate(each))
        told = event.get("certificate", {})
        facts = [told[name] for name in ("positions", "in_database", "longest", "quiet") if told]
        # of several faults each of the two names the one that it meets first
        refused = str(event.get("error", "")).startswith(f"this does not prove that {each.claim}: ")
        assert (facts, refused) == checked(each)
