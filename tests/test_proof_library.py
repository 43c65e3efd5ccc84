"""Certificates in use: what a library of them knows, and what analysis, solutions and annotations make of it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from proved import CASES, shipped, strategy_for

from kr import Limits, Move
from kr.analysis.analysis import analyze
from kr.cli import main
from kr.engine.engine import Engine
from kr.errors import InvalidSettingError
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.proofs.certificate import Certificate, Claim, certificate_of, write_certificate
from kr.proofs.known import NOTHING_KNOWN, KnownValue, known_value
from kr.proofs.library import ProofLibrary, certificate_files, load_proofs
from kr.proofs.lines import StrategyBook, hardest_line

WON = "B:WK1:B14,K19,26"
"""Black wins in many moves, by a certificate whose lines end in endings of up to three pieces."""
DRAWN = "W:WK1:BK32"
Run = Callable[..., tuple[int, str, str]]


def certificate(fen: str, side: Side, goal: Value, pieces: int | None) -> Certificate:
    claim = Claim(Position.from_fen(fen), side, goal)
    leaves = None if pieces is None else shipped(pieces)
    return certificate_of(claim, strategy_for(claim, leaves or shipped(2)), leaves)


def won() -> Certificate:
    return certificate(WON, Side.BLACK, Value.WIN, 3)


@pytest.mark.parametrize("name", CASES)
def test_what_it_says_is_true(name: str) -> None:
    """At each of its positions and after each of its moves, by the whole database."""
    fen, side, goal, pieces = CASES[name]
    made = certificate(fen, side, goal, pieces)
    library, book, full = ProofLibrary([("one", made)]), StrategyBook(made), shipped()
    for board in random.Random(1).sample(made.boards.tolist(), min(60, len(made.boards))):
        position = Position(*board, side)
        known = library.look_up(position)
        assert (known.least, known.by) == (goal, "certificate one")
        assert known.most is Value.WIN
        assert known.move == book.move(position)
        assert known.move is not None
        after = position.play(known.move)
        against = library.look_up(after)
        assert (against.least, against.most) == (Value.LOSS, goal.opposite)
        assert against.move is None
        for each, bounds in ((position, known), (after, against)):
            if full.has(each):
                value = full.value(each)
                assert value is not None
                assert bounds.least.sign <= value.sign <= bounds.most.sign
    assert library.look_up(Position()) is NOTHING_KNOWN


def test_two_halves_of_a_draw() -> None:
    halves = [(side.name, certificate(DRAWN, side, Value.DRAW, 2)) for side in Side]
    root = Position.from_fen(DRAWN)
    assert ProofLibrary(halves[:1]).look_up(root).bound == "does not win"
    assert ProofLibrary(halves[1:]).look_up(root).bound == "does not lose"
    both = ProofLibrary(halves).look_up(root)
    assert (both.value, both.bound, both.by) == (Value.DRAW, "", "certificates BLACK and WHITE")


def test_the_database_goes_first() -> None:
    root = Position.from_fen(WON)
    library = ProofLibrary([("won", won())])
    assert known_value(root, shipped(4), library).by == "the database"
    assert known_value(root, shipped(3), library).by == "certificate won"
    assert known_value(root, None, None) is NOTHING_KNOWN
    assert known_value(Position.from_fen("W:W:B1"), None, None).by == "the rules"


def test_excluded_values_have_no_chance() -> None:
    from kr.evaluation.chances import Chances

    score, chances = KnownValue(least=Value.DRAW).limited(-80, Chances(0.1, 0.5, 0.4))
    assert (score, chances) == (0, Chances(0.1, 0.9, 0.0))
    score, chances = KnownValue(most=Value.DRAW).limited(80, Chances(0.4, 0.5, 0.1))
    assert (score, chances) == (0, Chances(0.0, 0.9, 0.1))


# --- files


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the certificate won.krproof, which is the current one's child."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "proofs").mkdir()
    write_certificate("proofs/won.krproof", won())
    return Path("proofs")


def test_files_and_directories(directory: Path) -> None:
    path = directory / "won.krproof"
    assert certificate_files([directory, path, path.absolute()]) == [path]
    library = load_proofs([directory, path], shipped(3))
    assert library is not None
    assert (len(library), library.names) == (1, ["won.krproof"])
    assert load_proofs([], None) is None


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-3]), "proofs/won.krproof: damaged certificate"),
        (lambda path: path.write_text("letters"), "proofs/won.krproof: not a certificate of kr"),
        (Path.unlink, "proofs has no certificates, files named *.krproof"),
        (lambda path: write_certificate(path, wrong()), "proofs/won.krproof does not prove that White wins: "),
    ],
)
@pytest.mark.parametrize("words", [["analyze", WON, "--nodes", "1"], ["solve-problem", WON], ["annotate", "a.pdn"]])
def test_bad_certificates_are_one_line(
    directory: Path, spoil: Callable[[Path], None], message: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.pdn").write_text("1. 11-15 23-19 *\n")
    spoil(directory / "won.krproof")
    assert main([*words, "--proofs", "proofs", "--egdb", "none"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("kr: --proofs: ")
    assert message in error
    assert error.count("\n") == 1


def wrong() -> Certificate:
    """A certificate whose claim is another than it proves."""
    made = won()
    return Certificate(Claim(made.claim.root, Side.WHITE, Value.WIN), made.boards[:0], made.moves[:0], made.ranks[:0])


def test_a_certificate_may_need_a_database(directory: Path) -> None:
    with pytest.raises(InvalidSettingError, match="needs values of . pieces"):
        load_proofs([directory], None)


# --- commands


@pytest.fixture
def run(directory: Path, whole: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command with the certificate, and the database of endings of up to 3 pieces."""

    def go(*words: str) -> tuple[int, str, str]:
        code = main([*words, "--egdb", str(whole), "--hash", "1MB"])
        return code, *capsys.readouterr()

    return go


def quick(fen: str) -> list[str]:
    return [fen, "--weights", "material"]


def test_analysis_knows_what_is_proved(run: Run, directory: Path) -> None:
    limit = ("--depth", "1", "--multipv", "20", "--people", "none")
    code, out, _ = run("analyze", *quick(WON), *limit, "--proofs", "proofs")
    move = str(ProofLibrary([("", won())]).look_up(Position.from_fen(WON)).move)
    assert code == 0
    assert f"win, proved by certificate won.krproof: {move}" in out
    _, out, _ = run("analyze", *quick(WON), *limit, "--proofs", "proofs", "--json")
    found = json.loads(out.splitlines()[-1])
    assert (found["value"], found["by"], found["proved_move"]) == ("win", "certificate won.krproof", move)
    by = {line["move"]: line["by"] for line in found["lines"]}
    assert by[move] in ("certificate won.krproof", "the database")
    _, out, _ = run("analyze", *quick(WON), *limit, "--json")
    assert "certificate" not in out


def test_half_of_a_value_is_said() -> None:
    """A side that does not lose has no chance of a loss, whatever the search thinks."""
    made = certificate("W:W16,30:B21,27", Side.WHITE, Value.DRAW, 3)
    library = ProofLibrary([("half", made)])
    engine = Engine("material", 1, 1, None)
    analysis = analyze(engine, made.claim.root, Limits(depth=1), multipv=20, proofs=library)
    assert analysis.bounds.bound == "does not lose"
    assert analysis.value is None
    proved = [line for line in analysis.lines if line.bounds.bound]
    assert analysis.bounds.move in [line.move for line in proved]
    assert len(proved) < len(analysis.lines)
    for line in proved:
        assert (line.bounds.bound, line.chances.loss) == ("does not lose", 0)
        assert line.score >= 0


def test_a_solution_is_proved(run: Run, directory: Path) -> None:
    _, out, _ = run("solve-problem", *quick(WON), "--tc", "depth=1", "--proofs", "proofs", "--json")
    (found,) = json.loads(out)["problems"]
    assert (found["verdict"], found["proved"], found["by"]) == ("win", True, "certificate won.krproof")
    assert found["chance"] == 1.0
    _, out, _ = run("solve-problem", *quick(WON), "--tc", "depth=1", "--proofs", "proofs")
    assert "win, proved by certificate won.krproof" in out


def test_an_annotation_knows_what_is_proved(run: Run, directory: Path) -> None:
    """Every move of the hardest line keeps the win, and the comments name the certificate."""
    made = won()
    line: list[Move] = hardest_line(made)
    assert line
    text = f'[SetUp "1"]\n[FEN "{WON}"]\n\n' + " ".join(map(str, line)) + " *\n"
    Path("a.pdn").write_text(text)
    words = ("annotate", "a.pdn", "--tc", "depth=1", "--weights", "material", "--proofs", "proofs", "--people", "none")
    code, out, _ = run(*words)
    assert code == 0
    assert "by certificate won.krproof" in out
    code, out, _ = run(*words, "--json", "--out", "b.pdn")
    game = json.loads(out.splitlines()[0])
    assert game["moves"][0]["value"] == "win"
    assert {each["mark"] for each in game["moves"]} <= {"", "!"}
