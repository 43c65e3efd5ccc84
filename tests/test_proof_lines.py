"""Lines of certificates: the strategy against the hardest defence."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from proved import shipped

from kr.engine.limits import Limits
from kr.game.position import Position
from kr.game.value import Value
from kr.proofs.certificate import Certificate, strategy_of, unpacked_certificate
from kr.proofs.checking import check_certificate
from kr.proofs.lines import StrategyBook, hardest_line
from kr.proofs.prover import ProveSettings, prove
from kr.viewer.positions import side_name

RECORDED: list[dict[str, Any]] = json.loads(Path(__file__).with_name("cases").joinpath("certificates.json").read_text())
BLOCK = "B:WK1,29,30,32:B4,11,12,16,19,23,26,27,28,K31"
DRAWN = "B:W17,K21,32:BK10,24,K28"


def certificates(fen: str) -> list[Certificate]:
    proof = prove(ProveSettings(fen=fen, tc=Limits(nodes=500_000), workers=1))
    return [each.certificate for each in proof.claims if each.certificate is not None]


def positions_of(certificate: Certificate) -> list[Position]:
    """Positions of its line, after the strategy's moves were compared with those that were played."""
    strategy, positions = strategy_of(certificate), [certificate.claim.root]
    for move in hardest_line(certificate):
        if positions[-1].side == certificate.claim.side:
            assert (move.origin, move.target, move.captured) == strategy[positions[-1].bits[:3]]
        positions.append(positions[-1].play(move))
    return positions


def test_the_line_of_a_win_is_the_longest() -> None:
    (certificate,) = certificates(BLOCK)
    report = check_certificate(certificate)
    positions = positions_of(certificate)
    assert len(positions) - 1 == report.longest_line
    # Black is to move at first, and has no move at the end
    assert positions[-1].is_over
    assert len(positions) // 2 == certificate.ranks.max()


def test_the_line_of_a_draw_goes_on_as_long_as_it_meets_new_positions() -> None:
    for certificate in certificates(DRAWN):
        assert certificate.claim.goal is Value.DRAW
        positions = positions_of(certificate)
        assert len(positions) > 1
        assert len(set(positions)) == len(positions)


@pytest.mark.parametrize("fen", ["W:W5:B1", "W:W21,K30:B1,2"])
def test_a_root_that_the_database_has(fen: str) -> None:
    (certificate,) = certificates(fen)
    assert len(hardest_line(certificate)) == len(certificate.boards)


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda recorded: str(recorded["name"]))
def test_recorded_steps(recorded: dict[str, Any]) -> None:
    """certificates.test.js reads them too: files, and the strategy's moves and replies, the hardest defence first."""
    certificate = unpacked_certificate(base64.b64decode(recorded["file"]))
    claim, book = certificate.claim, StrategyBook(certificate)
    names = [claim.root.fen, side_name(claim.side), claim.goal, len(certificate.boards), certificate.reach]
    assert names == [recorded[name] for name in ("root", "side", "goal", "positions", "reach")]
    check_certificate(certificate, shipped())
    for step in recorded["steps"]:
        position = Position.from_fen(step["fen"])
        move = book.move(position)
        assert (move and str(move)) == step.get("move"), position.fen
        for text, answer, left, end in step.get("replies", ()):
            after = position.play(text)
            own, rank = book.move(after), book.rank(after)
            assert (own and str(own), 2 * rank if rank else None) == (answer, left)
            if end and end["by"] == "database":
                assert (shipped().value(after), shipped().distance(after)) == (end["value"], end["plies"])
        if replies := step.get("replies"):
            assert [str(each.move) for each in book.replies(position, shipped())] == [reply[0] for reply in replies]
