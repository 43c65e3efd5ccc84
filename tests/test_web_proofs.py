"""Certificates that pages send are checked, positions proved; and what the page does with both."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from proved import case, shipped
from sites import EVERYWHERE, address
from web_pages import PHONE, SMALL, Opener, click_square, finished, wait_until

from kr.errors import InvalidCertificateError, InvalidSettingError, KrError
from kr.game.position import Position
from kr.proofs.certificate import Certificate, packed_certificate, unpacked_certificate, write_certificate
from kr.proofs.checking import check_certificate
from kr.proofs.library import ProofLibrary
from kr.viewer.positions import side_name
from kr.web.house import House
from kr.web.live import Inbox
from kr.web.request import PageRequest
from kr.web.services import port, proofs
from kr.web.settings import WebSettings

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["address"]
STEPPED = "leaves of both kinds"
"""A win whose lines end by the rules and in the database."""
ROOM = {"width": 390, "height": 844}
CRUMBS_BEYOND = "count => document.querySelectorAll('.crumbs button').length > count"


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    house = House(WebSettings(weights="material", hash=SMALL))
    yield house
    house.close()


def events(house: House, stream: Any, **fields: Any) -> list[dict[str, Any]]:
    """All events of a stream, as a page gets them."""

    async def told() -> list[dict[str, Any]]:
        return [json.loads(json.dumps(each)) async for each in stream(house, PageRequest(fields), Inbox())]

    return finished(told())


def sent(house: House, content: bytes, piece: int = 1000) -> str:
    upload = None
    for start in range(0, max(len(content), 1), piece):
        data = base64.b64encode(content[start : start + piece]).decode()
        upload = proofs.send_certificate(house, PageRequest({"data": data, "upload": upload}))["upload"]
    assert upload is not None
    return upload


def checked(house: House, content: bytes) -> dict[str, Any]:
    told = events(house, proofs.check_sent, upload=sent(house, content))
    report: dict[str, Any] = told[-1]["report"]
    return report


# --- requests


def test_a_report_on_a_certificate(house: House) -> None:
    made = case(STEPPED)
    report = check_certificate(made, house.database)
    assert checked(house, packed_certificate(made)) == {
        "positions": len(made.boards),
        "in_database": report.database_leaves,
        "longest": report.longest_line,
        "quiet": report.longest_quiet,
    }


def mutated() -> bytes:
    made = case(STEPPED)
    ranks = made.ranks.copy()
    ranks[len(ranks) // 2] += np.uint16(1)
    return packed_certificate(Certificate(made.claim, made.boards, made.moves, ranks, made.database, made.reach))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a certificate of kr"),
        (b"letters", "not a certificate of kr"),
        (packed_certificate(case(STEPPED))[:-1], "damaged certificate"),
        (mutated(), "this does not prove that Black wins: .* rank"),
    ],
)
def test_what_proves_nothing_is_refused(house: House, content: bytes, message: str) -> None:
    with pytest.raises(KrError, match=message):
        checked(house, content)


def test_bounds(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    content = packed_certificate(case(STEPPED))
    monkeypatch.setattr(proofs, "LARGEST_CERTIFICATE", len(content) - 1)
    with pytest.raises(InvalidSettingError, match=r"a certificate of more than .* kr prove --check FILE"):
        sent(house, content, piece=100)
    monkeypatch.undo()
    monkeypatch.setattr(proofs, "MOST_CHECKED_POSITIONS", 3)
    with pytest.raises(InvalidCertificateError, match="at most 3 are read here, and kr prove --check FILE reads more"):
        checked(house, content)
    monkeypatch.undo()
    first = sent(house, content)
    for _ in range(proofs.MOST_SENT):
        sent(house, b"")
    with pytest.raises(InvalidSettingError, match="open it again"):
        events(house, proofs.check_sent, upload=first)
    for seconds in (0, 601, "x"):
        with pytest.raises(InvalidSettingError, match="seconds"):
            events(house, proofs.prove_position, fen=Position().fen, seconds=seconds)
    with pytest.raises(InvalidSettingError, match="the board is empty"):
        events(house, proofs.prove_position, fen="W:W:B", seconds=1)


@pytest.mark.parametrize(
    ("fen", "value", "claims"),
    [
        ("W:WK18,K19,K23,10:BK1,K2", "win", ["white win"]),
        ("W:WK1:BK32", "draw", ["black draw", "white draw"]),
        ("W:W5:B1,K24", "loss", ["black win"]),
    ],
)
def test_a_position_is_proved(house: House, fen: str, value: str, claims: list[str]) -> None:
    last = events(house, proofs.prove_position, fen=fen, seconds=20)[-1]
    assert last["proof"]["value"] == value
    certificates = [unpacked_certificate(base64.b64decode(each["data"])) for each in last["certificates"]]
    assert sorted(f"{side_name(each.claim.side)} {each.claim.goal}" for each in certificates) == claims
    for certificate, each in zip(certificates, last["certificates"], strict=True):
        check_certificate(certificate, house.database)
        assert each["report"]["positions"] == len(certificate.boards)


def test_a_proof_that_is_left_ends_its_searches(house: House) -> None:
    async def left() -> int:
        stream = proofs.prove_position(house, PageRequest({"fen": Position().fen, "seconds": 600}), Inbox())
        told = await anext(stream)
        assert "certificates" not in told
        await stream.aclose()
        return house.engines.own.lent

    assert finished(left()) == 0


def test_positions_are_looked_up_in_certificates(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    made = case(STEPPED)
    root = made.claim.root
    assert port.proofs(house, PageRequest({})) == {"proofs": False, "known": []}
    monkeypatch.setattr(house, "proofs", ProofLibrary([("a.krproof", made)]))
    asked = PageRequest({"positions": [[*root.bits], [*Position().bits]]})
    assert port.proofs(house, asked)["known"] == [
        {"value": "loss", "excludes": None, "certificates": ("a.krproof",)},
        {"value": None, "excludes": None, "certificates": ()},
    ]


# --- the page


def proof_panel(page: Page) -> Any:
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="Prove…").click()
    return page.locator(".panel.proof")


FITS = """() => document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll(".proofs *")]
  .filter(each => each.checkVisibility()).every(each => each.getBoundingClientRect().right <= innerWidth + 1)"""


def fits(page: Page) -> bool:
    """True in the windows of a desktop and of two phones; the smaller one stays."""
    fitting = True
    for size in ({"width": 1280, "height": 800}, ROOM, PHONE):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        fitting &= page.evaluate(FITS)
    return fitting


@pytest.mark.soak
@pytest.mark.parametrize(("address", "size"), EVERYWHERE, indirect=["address"])
def test_a_certificate_is_stepped_through(address: str, size: dict[str, int], opened: Opener, tmp_path: Path) -> None:
    path = tmp_path / "a.krproof"
    write_certificate(path, case(STEPPED))
    page = opened(address, size)
    panel = proof_panel(page)
    panel.locator("input[type=file]").set_input_files(path)
    hardest, back = panel.get_by_role("button", name="Hardest defence"), panel.get_by_role("button", name="Back")
    hardest.wait_for()
    assert panel.locator(".verdict").text_content() == "Proved: Black wins"
    assert fits(page)
    plies = 0
    while hardest.is_visible() and plies < 60:
        before = panel.locator(".crumbs button").count()
        hardest.click()
        wait_until(page, CRUMBS_BEYOND, before)
        plies = panel.locator(".crumbs button").count() - 1
    assert "Proved: Black wins. The line ends" in panel.locator(".step [role=status]").text_content()
    assert fits(page)
    back.click()
    wait_until(page, "count => document.querySelectorAll('.crumbs button').length === count", plies)
    # back to the beginning, and a move on the board steps along
    panel.locator(".crumbs button").first.click()
    wait_until(page, "() => document.querySelectorAll('.crumbs button').length === 1")
    click_square(page, 5)
    click_square(page, 1)
    panel.get_by_text("The strategy plays").wait_for()
    assert panel.locator(".crumbs button").count() == 2


@pytest.mark.slow
@pytest.mark.parametrize(("address", "size"), EVERYWHERE, indirect=["address"])
def test_a_position_is_proved_on_the_page(address: str, size: dict[str, int], opened: Opener, tmp_path: Path) -> None:
    page = opened(address, size)
    # the position of a certificate, which is then proved anew
    path, bad = tmp_path / "a.krproof", tmp_path / "b.krproof"
    write_certificate(path, case("a win in four"))
    bad.write_bytes(mutated())
    panel = proof_panel(page)
    panel.get_by_role("button", name="Prove", exact=True).click()
    panel.get_by_role("button", name="Stop").click()
    panel.get_by_text("Stopped").wait_for()
    panel.locator("input[type=file]").set_input_files(path)
    panel.locator("section.step").wait_for()
    # by one click from the analysis
    page.evaluate("() => document.querySelector('.tab-notation').click()")
    page.locator(".analysis .head").get_by_role("button", name="Prove").click()
    panel.get_by_text("Proved: White wins", exact=True).wait_for()
    wait_until(page, "() => document.querySelectorAll('.certificates li').length === 1")
    assert panel.locator(".verdict").text_content() == "Proved: White wins"
    with page.expect_download() as saved:
        panel.get_by_role("button", name="Save certificate").click()
    certificate = unpacked_certificate(Path(saved.value.path()).read_bytes())
    assert (saved.value.suggested_filename, str(certificate.claim)) == ("white.krproof", "White wins")
    check_certificate(certificate, shipped())
    # the same position as a problem, whose line steps on the board
    panel.get_by_role("button", name="Is it sound?").click()
    panel.locator(".soundness h3").wait_for()
    assert "White wins" in (panel.locator(".soundness p").first.text_content() or "")
    panel.locator(".soundness .step").first.click()
    panel.locator(".soundness .step[aria-current]").wait_for()
    page.keyboard.press("ArrowLeft")
    panel.locator(".soundness .step[aria-current]").wait_for(state="detached")
    # one that was changed is refused, in a sentence
    panel.locator("input[type=file]").set_input_files(bad)
    panel.get_by_text("this does not prove that Black wins").wait_for()
    assert not panel.locator("section.step").is_visible()
