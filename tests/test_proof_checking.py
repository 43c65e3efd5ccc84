"""The checker of certificates: those that prove their claims, and a thousand that do not."""

from __future__ import annotations

import ast
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from proved import CASES, case, core_moves, is_proof, shipped

import kr
from kr.egdb.database import UNKNOWN_VALUE, Database
from kr.errors import InvalidCertificateError, InvalidDatabaseError
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.proofs import checking
from kr.proofs.certificate import Certificate, Claim, packed_certificate, unpacked_certificate, write_certificate
from kr.proofs.checking import CheckReport, check_certificate

pytestmark = pytest.mark.core

WINS = [name for name in CASES if CASES[name][2] is Value.WIN]
DRAWS = [name for name in CASES if CASES[name][2] is Value.DRAW]


def proves(certificate: Certificate, database: Database | None) -> bool:
    try:
        check_certificate(certificate, database)
    except (InvalidCertificateError, InvalidDatabaseError):
        return False
    return True


@pytest.mark.parametrize("name", CASES)
def test_proofs_are_accepted(name: str) -> None:
    certificate, leaves = case(name), shipped(CASES[name][3])
    assert is_proof(certificate, leaves)
    report = check_certificate(certificate, leaves)
    assert report.positions == len(certificate.boards)
    # a database with more values does not end lines earlier
    assert check_certificate(certificate, shipped()) == report


@pytest.mark.parametrize(
    ("name", "report"),
    [
        # as long as the distance, since no line ends in the database
        ("a win in four", CheckReport(8, 9, 4, 0, 6, 1)),
        ("three pieces known", CheckReport(28, 46, 12, 0, 10, 8)),
        ("a draw of five", CheckReport(123, 209, 2, 81, None, None, ("2v2", "3v1"))),
        ("a leaf at once", CheckReport(0, 0, 0, 1, None, None, ("1v1",))),
        ("a won root", CheckReport(0, 0, 1, 0, 0, 0)),
    ],
)
def test_reports(name: str, report: CheckReport) -> None:
    assert check_certificate(case(name), shipped()) == report
    if report.longest_line is not None and not report.database_leaves:
        assert shipped().distance(case(name).claim.root) == report.longest_line


def test_progress() -> None:
    certificate, reports = case("a draw of five"), []
    check_certificate(certificate, shipped(), lambda done, total: reports.append((done, total)))
    assert reports == [(123, 123)]


def test_the_checker_knows_no_move_by_the_core() -> None:
    """Of compiled code it calls the database alone."""
    for name in ("checking", "rules"):
        tree = ast.parse((Path(kr.__file__).parent / "proofs" / f"{name}.py").read_text("utf-8"))
        names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert not names & {"kr", "kr._core", "kr.game.board", "kr.game.position"}
        calls = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        assert not calls & {"legal_moves", "play", "is_over", "find_move"}


def with_rows(certificate: Certificate, **columns: Any) -> Certificate:
    """The certificate with other columns, its rows sorted again. Raises InvalidCertificateError."""
    sort = np.lexsort(columns.get("boards", certificate.boards).T[::-1])
    rows = {
        name: np.array(columns.get(name, getattr(certificate, name)))[sort] for name in ("boards", "moves", "ranks")
    }
    return replace(certificate, **rows)


def changed(array: NDArray[Any], row: int, value: object) -> NDArray[Any]:
    after = array.copy()
    after[row] = value
    return after


def stirred(board: list[int], chance: random.Random) -> list[int]:
    """A board with one of its pieces on another square."""
    black, white, kings = board
    origin = chance.choice([s for s in range(32) if (black | white) >> s & 1])
    target = chance.choice([s for s in range(4, 28) if not (black | white) >> s & 1])
    return [bits & ~(1 << origin) | (bits >> origin & 1) << target for bits in (black, white, kings)]


def mutants(certificate: Certificate, chance: random.Random) -> Iterator[tuple[str, Certificate | None]]:
    """Certificates with one change each, by the kind of the change; None for one that has no form."""
    claim, boards, moves, ranks = certificate.claim, certificate.boards, certificate.moves, certificate.ranks
    side, other_goal = claim.side, Value.DRAW if claim.goal is Value.WIN else Value.WIN
    yield "goal", replace(certificate, claim=Claim(claim.root, side, other_goal))
    yield (
        "goal and ranks",
        replace(
            certificate,
            claim=Claim(claim.root, side, other_goal),
            ranks=np.zeros_like(ranks) + (other_goal is Value.WIN),
        ),
    )
    yield "side", replace(certificate, claim=Claim(claim.root, side.other, claim.goal))
    yield "turned root", replace(certificate, claim=Claim(claim.root.flipped(), side, claim.goal))
    yield "reach", replace(certificate, reach="")
    if certificate.reach != "up to 2 pieces":
        yield "reach", replace(certificate, reach="up to 2 pieces")
    for row in range(len(boards)):
        board, legal = boards[row].tolist(), len(core_moves(boards[row].tolist(), side))
        kept = np.arange(len(boards)) != row
        yield "position removed", replace(certificate, boards=boards[kept], moves=moves[kept], ranks=ranks[kept])
        for number in range(legal + 1):
            if number != moves[row]:
                yield "move", replace(certificate, moves=changed(moves, row, number))
        for step in (-1, 1, chance.randrange(2, 1000)):
            yield "rank", replace(certificate, ranks=changed(ranks, row, (int(ranks[row]) + step) % 65536))
        if (root := Position(*board, side)) != claim.root:
            yield "root", replace(certificate, claim=Claim(root, side, claim.goal))
        for kind, columns in (
            ("position moved", {"boards": changed(boards, row, stirred(board, chance))}),
            (
                "position added",
                {
                    "boards": np.vstack([boards, [stirred(board, chance)]]).astype(np.uint32),
                    "moves": np.append(moves, moves[row]),
                    "ranks": np.append(ranks, ranks[row]),
                },
            ),
            (
                "position twice",
                {
                    "boards": np.vstack([boards, [board]]).astype(np.uint32),
                    "moves": np.append(moves, moves[row]),
                    "ranks": np.append(ranks, ranks[row]),
                },
            ),
        ):
            try:
                yield kind, with_rows(certificate, **columns)
            except InvalidCertificateError:
                yield kind, None


def judge(names: list[str]) -> tuple[Counter[str], Counter[str]]:
    """Kinds of changes, refused and accepted, after the way through a file with a right checksum.

    One is accepted only if it proves its claim, by the meaning in tests/proved.py.
    """
    refused, accepted = Counter[str](), Counter[str]()
    for name in names:
        chance = random.Random(f"mutants of {name}")
        for kind, mutant in mutants(case(name), chance):
            if mutant is None:
                refused[kind] += 1
                continue
            mutant = unpacked_certificate(packed_certificate(mutant))
            good = proves(mutant, shipped())
            assert good == is_proof(mutant, shipped()), (name, kind)
            (accepted if good else refused)[kind] += 1
    return refused, accepted


def test_changed_certificates_are_refused() -> None:
    refused, accepted = judge(["a win in four", "the winner to move"])
    assert refused.total() > 100
    assert accepted == {"goal and ranks": 2, "reach": 2, "move": 1}


STILL_PROOFS = {
    "move": 35,  # another move that is as good: for a draw most are
    "goal and ranks": 6,  # who wins does not lose
    "goal": 1,  # so without a rank
    "reach": 6,  # no line ends in the database
    "root": 2,  # the position that the only reply to the root's leads to
    "side": 1,  # a draw by the database for both
    "turned root": 1,
}
"""Changes after which a certificate is another one that proves its claim, as `is_proof` confirms: not to be refused."""


LARGE = ("three men against one", "a draw of five", "the drawer to move")
"""Most of the changes are those of their certificates, and of the same kinds."""
OF_THE_OTHERS = {**STILL_PROOFS, "move": 2, "goal and ranks": 5, "root": 1}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "count", "still"),
    [
        ([name for name in CASES if name not in LARGE], 1300, OF_THE_OTHERS),
        pytest.param(list(CASES), 4000, STILL_PROOFS, marks=pytest.mark.soak),
    ],
    ids=["smaller", "all"],
)
def test_a_thousand_changed_certificates_are_refused(names: list[str], count: int, still: dict[str, int]) -> None:
    refused, accepted = judge(names)
    assert refused.total() > count
    assert accepted == still
    assert set(refused) == {
        *("goal", "goal and ranks", "side", "turned root", "reach", "position removed", "move", "rank", "root"),
        *("position moved", "position added", "position twice"),
    }


class Listening:
    """A database that notes what it is asked, and may give a wrong value of one position."""

    def __init__(self, database: Database, wrong: tuple[int, ...] = (), value: int = 0) -> None:
        self.database = database
        self.wrong, self.value = wrong, value
        self.rows: list[tuple[int, ...]] = []

    def has_class(self, cls: tuple[int, int]) -> bool:
        return self.database.has_class(cls)

    def values(self, boards: NDArray[np.uint32]) -> NDArray[np.uint8]:
        rows = list(map(tuple, boards.tolist()))
        self.rows += rows
        values = self.database.values(boards)
        return np.where([row == self.wrong for row in rows], np.uint8(self.value), values)


@pytest.mark.parametrize("name", [name for name in CASES if name not in ("a win in four", "three pieces known")])
def test_a_wrong_value_of_any_leaf_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each leaf with each other value; in several batches."""
    monkeypatch.setattr(checking, "LEAVES_AT_ONCE", 7)
    certificate, leaves = case(name), shipped()
    listening = Listening(leaves)
    report = check_certificate(certificate, listening)  # type: ignore[arg-type]
    assert len(listening.rows) == report.database_leaves
    side, wins = certificate.claim.side, certificate.claim.goal is Value.WIN
    for row in sorted(set(listening.rows))[:40]:
        for value in (0, 1, 2, UNKNOWN_VALUE):
            own = value if row[3] == side else 2 - value
            good = value != UNKNOWN_VALUE and own >= (2 if wins else 1)
            assert proves(certificate, Listening(leaves, row, value)) == good  # type: ignore[arg-type]


@pytest.mark.parametrize("database", [None, 2, 3])
def test_a_database_with_too_few_pieces_is_refused(database: int | None) -> None:
    with pytest.raises(InvalidDatabaseError, match=re.escape("needs values of 4 pieces (3v1), made with")) as caught:
        check_certificate(case("a draw of five"), database and shipped(database))
    assert "--egdb DIR" in str(caught.value)


FAULTS = [
    # name, changes of columns by the row, and the words
    ("a win in four", {"moves": 99}, "move number 99, counted from 0, of 7 legal moves"),
    ("a win in four", {"ranks": 9}, "its rank is 9; expected 3, one more than the highest that it leads to"),
    ("a draw of five", {"ranks": 1}, "its rank is 1; expected 0, for a draw"),
]


@pytest.mark.parametrize(("name", "change", "words"), FAULTS)
def test_faults_are_named(name: str, change: dict[str, int], words: str) -> None:
    certificate = case(name)
    row = 0 if name in DRAWS else int(certificate.ranks.argmax())
    fen = Position(*certificate.boards[row].tolist(), certificate.claim.side).fen
    columns = {name: changed(getattr(certificate, name), row, value) for name, value in change.items()}
    with pytest.raises(InvalidCertificateError) as caught:
        check_certificate(replace(certificate, **columns), shipped())
    assert str(caught.value) == f"{fen}: {words}"


def made(fen: str, side: Side, goal: Value, rows: dict[str, tuple[int, int]], reach: str = "") -> Certificate:
    """A certificate written by hand: number of the move and rank, by FEN."""
    claim = Claim(Position.from_fen(fen), side, goal)
    found = sorted((*Position.from_fen(text).bits[:3], *row) for text, row in rows.items())
    table = np.array(found, dtype=np.int64).reshape(-1, 5)
    return Certificate(
        claim,
        table[:, :3].astype(np.uint32),
        table[:, 3].astype(np.uint8),
        table[:, 4].astype(np.uint16),
        reach=reach,
    )


BY_HAND = [
    # without a database: the last piece is taken
    (made("W:W19:B15", Side.WHITE, Value.WIN, {"W:W19:B15": (0, 1)}), ""),
    (made("W:W19:B15", Side.WHITE, Value.DRAW, {"W:W19:B15": (0, 0)}), ""),
    (made("B:W19:B15", Side.BLACK, Value.WIN, {"B:W19:B15": (0, 1)}), ""),
    # it is the opponent who takes
    (made("B:W19:B15", Side.WHITE, Value.DRAW, {}), "W:W:B24: the strategy leads here, but has no move"),
    # a position of the strategy where it has lost
    (made("B:W19:B15", Side.WHITE, Value.DRAW, {"W:W:B24": (0, 0)}), "W:W:B24: White does not lose, but has no move"),
    (made("W:W5:B1", Side.WHITE, Value.DRAW, {"W:W5:B1": (0, 0)}), "W:W5:B1: White does not lose, but has no move"),
    (made("W:W5:B1", Side.BLACK, Value.WIN, {}), ""),
    # nothing leads there
    (made("W:W5:B1", Side.BLACK, Value.WIN, {"B:W6:B1": (0, 1)}), "B:W6:B1: the strategy does not lead here"),
    # a value against the claim, at the root and after a move
    (made("W:WK32:BK1", Side.WHITE, Value.WIN, {}, "up to 2 pieces"), "a draw by the database, against the claim"),
    (made("B:WK32:BK1", Side.WHITE, Value.WIN, {}, "up to 2 pieces"), "a draw by the database, against the claim"),
    (made("W:WK32:BK1", Side.WHITE, Value.DRAW, {}, "up to 2 pieces"), ""),
    (made("W:W30:BK22", Side.WHITE, Value.DRAW, {}, "up to 2 pieces"), "a loss by the database, against the claim"),
]


@pytest.mark.parametrize(("certificate", "words"), BY_HAND)
def test_certificates_by_hand(certificate: Certificate, words: str) -> None:
    assert is_proof(certificate, shipped()) == (not words)
    if words:
        with pytest.raises(InvalidCertificateError, match=re.escape(words)):
            check_certificate(certificate, shipped())
    else:
        check_certificate(certificate, shipped())


class Friendly(Listening):
    """A database in which one side wins everything."""

    def __init__(self, database: Database, side: Side) -> None:
        super().__init__(database)
        self.side = side

    def values(self, boards: NDArray[np.uint32]) -> NDArray[np.uint8]:
        return np.where(boards[:, 3] == self.side, np.uint8(2), np.uint8(0))


@pytest.mark.parametrize("name", ["a draw of five", "a draw that goes round", "the drawer to move"])
def test_no_ranks_make_a_win_of_a_circle(name: str) -> None:
    """Leaves that are all won do not make a win of a strategy that leads back to a position."""
    draw, chance = case(name), np.random.default_rng(7)
    friendly = Friendly(shipped(), draw.claim.side)
    assert proves(draw, friendly)  # type: ignore[arg-type]
    claim = Claim(draw.claim.root, draw.claim.side, Value.WIN)
    count = len(draw.boards)
    for ranks in (np.ones(count), np.arange(count), np.arange(count)[::-1], *chance.integers(1, 65536, (40, count))):
        with pytest.raises(InvalidCertificateError, match=r"its rank is"):
            check_certificate(replace(draw, claim=claim, ranks=ranks.astype(np.uint16)), friendly)  # type: ignore[arg-type]


PAGE = Path(__file__).parents[1] / "docs" / "reference" / "certificates.md"


@pytest.fixture(scope="module")
def checker_of_the_page() -> Callable[[Path, Callable[[tuple[int, int, int], int], int]], None]:
    """The checker that the page shows, which knows nothing of kr."""
    block = next(block for block in PAGE.read_text("utf-8").split("```python\n") if "def check(" in block)
    names: dict[str, Any] = {}
    exec(compile(block.partition("```")[0], str(PAGE), "exec"), names)
    return names["check"]


@pytest.mark.skipif(not PAGE.exists(), reason="the checkout is not here")
@pytest.mark.parametrize("name", CASES)
def test_the_checker_of_the_page(name: str, checker_of_the_page: Callable[..., None], tmp_path: Path) -> None:
    """It accepts what proves its claim, and refuses what does not."""
    path = tmp_path / "one.krproof"

    def value(board: tuple[int, int, int], side: int) -> int:
        found = shipped().value(Position(*board, Side(side)))
        assert found is not None
        return found.sign + 1

    write_certificate(path, case(name))
    checker_of_the_page(path, value)
    chance = random.Random(name)
    kinds = list(mutants(case(name), chance))
    for kind, mutant in chance.sample(kinds, min(len(kinds), 12)):
        if mutant is None:
            continue
        write_certificate(path, mutant)
        if is_proof(mutant, shipped()):
            checker_of_the_page(path, value)
        else:
            with pytest.raises((AssertionError, LookupError)):
                checker_of_the_page(path, value)
                pytest.fail(kind, pytrace=False)
