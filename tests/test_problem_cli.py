"""`kr problem check` and `kr problem stars`: what they read and write, resuming, and what can't be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from proved import shipped

from kr import pdn
from kr.cli import main
from kr.game.position import Position
from kr.game.value import Value
from kr.problems import soundness
from kr.problems.puzzles import load_puzzles
from kr.proofs.certificate import read_certificate
from kr.proofs.checking import check_certificate
from kr.storage import data_path

SOUND = "W:W11,K30:B3,K32"
PROBLEMS = {
    # id: JSON line, verdict, part of the reason
    "a cook": ({"fen": "W:WK19,K23:B12,K28", "result": "W-win", "solution": "23-27 28-32 27-31"}, "cook", "also 23-26"),
    "a dual": ({"fen": "W:W21,K30:B1,2", "result": "W-win"}, "dual", "9-6, also 9-5 (the database)"),
    "a wrong draw": ({"fen": "W:W21,K30:B1,2", "result": "draw"}, "unsound", "but White wins, by the database, with "),
    "a wrong win": ({"fen": "W:W21:BK1,K2", "result": "W-win"}, "unsound", "but Black does not lose, by the database"),
    "a wrong key": (
        {"fen": "W:W21,K30:B1,2", "result": "W-win", "first_move": "30-25"},
        "unsound", "30-25 does not keep the win, by the database: 30-25 ",
    ),
    "a wrong move later": (
        {"fen": "W:W21,K30:B1,2", "result": "W-win", "solution": "30-26 1-5 26-22"}, "unsound",
        "move 2 of the solution, 26-22",
    ),
    "no move at all": ({"fen": "W:W21:B17,14", "result": "W-win"}, "unsound", "White has no move, and has lost"),
    "too much to prove": (
        {"fen": Position().fen, "result": "draw"}, "undecided", "the published draw is open; the limit of ",
    ),
}  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The problems as a file of JSON lines."""
    path = tmp_path / "problems.jsonl"
    path.write_text("".join(f"{json.dumps({'id': name, **line})}\n" for name, (line, *_) in PROBLEMS.items()))
    return path


def check(*words: object) -> int:
    return main(["problem", "check", *map(str, words), "--quiet"])


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def untimed(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Records without what differs from run to run."""
    return [{name: value for name, value in record.items() if name != "seconds"} for record in records]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_verdicts_in_the_order_of_the_file(file: Path, workers: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(file, "--tc", "nodes=20k", "--json", "--workers", workers) == 0
    *records, summary = lines(capsys.readouterr().out)
    assert [record["id"] for record in records] == list(PROBLEMS)
    for record, (_, verdict, reason) in zip(records, PROBLEMS.values(), strict=True):
        assert record["verdict"] == verdict, record
        assert reason in record["reason"], record
    answers = {record["id"]: record["answers"] for record in records}
    assert answers["a wrong draw"] == [["30-26"]]
    assert answers["a wrong win"] == [["21-17", "1-5"]]
    assert [line[:1] for line in answers["a wrong key"]] == [["30-25"]]
    assert [line[:3] for line in answers["a wrong move later"]] == [["30-26", "1-5", "26-22"]]
    for record in records:
        for line in record["answers"]:
            position = Position.from_fen(record["fen"])
            for move in line:
                position = position.play(move)
    assert (summary["problems"], summary["left_out"]) == (len(PROBLEMS), 0)
    assert {verdict: summary[verdict] for verdict in soundness.ProblemVerdict} == {
        "sound": 0, "cook": 1, "dual": 1, "unsound": 5, "undecided": 1
    }  # fmt: skip


@pytest.mark.slow
def test_a_problem_that_reaches_the_limit_of_memory_is_undecided(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(file, "--tc", "nodes=1e9", "--memory", "20kB", "--json") == 0
    *records, _ = lines(capsys.readouterr().out)
    assert [record["verdict"] for record in records] == [verdict for _, verdict, _ in PROBLEMS.values()]
    assert records[-1]["reason"] == "the published draw is open; the limit of memory, 20kB, was reached"
    assert records[-1]["limit"] == "memory"
    assert 0 < records[-1]["nodes"] < 10**7
    assert check("W:W11,K30:B3,K32", "--memory", "1kB", "--all", "--json") == 0
    record, _ = lines(capsys.readouterr().out)
    assert record["notes"] == ["the limit of memory, 1kB, was reached, after the verdict"]
    assert '"end": "limit"' in json.dumps(record["tree"])


BAD_POSITIONS = {
    # id: FEN, part of the message
    "both sides to move": ("WB:W21,K30:B1,2", "the side to move is 'WB', not B or W"),
    "neither side to move": (":W21,K30:B1,2", "the side to move is '', not B or W"),
    "13 white men": ("W:W20-32:B1", "White has 13 pieces: a side has at most 12"),
    "32 pieces": ("B:W17-32:B1-16", "Black has 16 pieces: a side has at most 12"),
}  # fmt: skip


@pytest.mark.parametrize(("fen", "part"), BAD_POSITIONS.values(), ids=BAD_POSITIONS)
@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.pdn"])
def test_impossible_positions_are_told_in_a_line(
    name: str, fen: str, part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    forms = {"a.txt": "{fen}\n", "a.jsonl": '{{"fen": "{fen}"}}\n', "a.pdn": '[Event "x"]\n[FEN "{fen}"]\n*\n\n'}
    path = tmp_path / name
    path.write_text("".join(forms[name].format(fen=each) for each in (fen, "W:W21:B17,14")))
    assert check(path, "--json") == 1
    out, errors = capsys.readouterr()
    record, summary = lines(out)
    assert (record["verdict"], record["reason"]) == ("unsound", "White has no move, and has lost")
    assert summary["left_out"] == 1
    told, last = errors.splitlines()
    assert name in told
    assert part in told
    assert last == "kr: 1 problem left out"


@pytest.mark.slow
def test_the_table_and_one_problem(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(file, "--tc", "nodes=1k") == 0
    told = capsys.readouterr().out
    assert "dual at move 9" in told
    assert "8 problems: 1 cook, 1 dual, 5 unsound, 1 undecided" in told
    assert check("W:W21,K30:B1,2", "--all") == 0
    told = capsys.readouterr().out
    assert "keys:        30-26 (the database)" in told
    assert "move 2:      21-17 (also 26-23, which transposes)" in told
    assert "\n30-26\n  1-5: 21-17, 26-23\n  2-6 26-23\n" in told


def test_strict_counts_what_transposes(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("W:W21,K30:B1,2", "--strict", "--json") == 0
    record, _ = lines(capsys.readouterr().out)
    assert (record["verdict"], record["move_number"], record["reason"]) == (
        "dual", 2, "21-17, also 26-23 (the database, transposes)"
    )  # fmt: skip


@pytest.mark.slow
def test_broken_problems_are_told_and_the_rest_is_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = '{"fen": "W:WK1:BK32"}'
    broken = {
        3: ("no json", "FEN"),
        20: ('{"fen": "W:WK1:BK32"', "not JSON"),
        40: ("[1, 2]", "FEN"),
        60: ('{"fen": "W:W1-13:BK32"}', "13"),
        80: ("W:W1:B1", "FEN"),
        100: ("W:WK1:B2:B3:W4", "three fields"),
        120: ('{"fen": "W:WK1:BK32", "result": "W wins"}', '"result"'),
        140: ('{"fen": "W:WK1:BK32", "first_move": "1-2"}', "1-2 is not legal"),
        160: ('{"title": "no position"}', '"fen" is missing'),
        180: ("W:W33:B1", "33"),
    }
    path = tmp_path / "archive.txt"
    text = [broken[number][0] if number in broken else good for number in range(1, 201)]
    path.write_text("# a list\n".join(["", "\n".join(text[:100]) + "\n"]) + "\n".join(text[100:]))
    assert check(path, "--json") == 1
    out, errors = capsys.readouterr()
    *records, summary = lines(out)
    assert (len(records), summary["problems"], summary["left_out"]) == (190, 190, 10)
    told = [line for line in errors.splitlines() if "archive.txt" in line]
    assert len(told) == 10
    # a comment stands before the first line
    for line, (number, (_, part)) in zip(told, broken.items(), strict=True):
        assert f"archive.txt:{number + 1}: " in line
        assert part in line


def test_pdn_with_solutions_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "problems.pdn"
    path.write_text(
        '[Event "one"]\n[FEN "W:WK19,K23:B12,K28"]\n1. 23-27 0-1\n\n'
        '[Event "a game"]\n1. 11-15 *\n\n'
        '[Event "broken"]\n[FEN "W:W33:B1"]\n*\n\n'
        '[Event "two"]\n[FEN "W:W21,K30:B1,2"]\n1. 30-26 0-1\n'
    )
    assert check(path, "--json") == 1
    out, errors = capsys.readouterr()
    one, two, summary = lines(out)
    assert (one["title"], one["published"], one["verdict"], one["solution"]) == ("one", "win", "cook", ["23-27"])
    assert (two["title"], two["verdict"], two["of_solution"]) == ("two", "dual", 1)
    assert summary["left_out"] == 1
    assert "33" in errors


WHITE_WINS = '[Event "one"]\n[Author "Ann"]\n[FEN "W:W21,K30:B1,2"]\n{result}\n'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("result", "convention", "doubt"),
    [
        ("1-0", "english", "or 1-0 means that White won: --results white"),
        ("0-1", "white", "or 1-0 means that Black won: --results english"),
        ("1-0", "white", ""),
        ("0-1", "english", ""),
        ("1/2-1/2", "english", ""),
    ],
)
def test_where_a_result_is_refuted_its_other_meaning_is_named(
    result: str, convention: str, doubt: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, sheet = tmp_path / "problems.pdn", tmp_path / "sheet.html"
    path.write_text(WHITE_WINS.format(result=result))
    options = ["--results", convention]
    for command in (["problem", "check"], ["solve-problem", "--tc", "nodes=1000"]):
        assert main([*command, str(path), *options]) == 0
        told = " ".join(capsys.readouterr().out.split())
        assert doubt in told if doubt else "--results" not in told
        assert bool(doubt) == ("published loss, but" in told or "no: published loss" in told)
    assert main(["problem", "print", str(path), "--out", str(sheet), *options]) == 0
    assert ("1 problem lost for the side to move; " + doubt in capsys.readouterr().err) == bool(doubt)
    assert "Ann" in sheet.read_text()
    (puzzle,) = (each for each in load_puzzles((path,), convention).values() if each.author == "Ann")
    assert (puzzle.published == Value.LOSS) == bool(doubt)


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--all",)])
def test_verdicts_as_games(
    file: Path, options: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "checked.pdn"
    assert check(file, "--tc", "nodes=1k", "--pdn", out, *options) == 0
    games = list(pdn.read_games(out))
    assert [game.headers["Event"] for game in games] == list(PROBLEMS)
    for game, (line, verdict, reason) in zip(games, PROBLEMS.values(), strict=True):
        assert game.headers["Verdict"] == verdict
        assert game.comment.startswith(f"{verdict}: ")
        assert reason in game.comment
        assert game.start == Position.from_fen(line["fen"])
    cook, dual = games[:2]
    assert len(cook.variations) == 4
    assert " ".join(str(move) for move in cook.mainline_moves()) == "23-27 28-32 27-31"
    first, *_, last = [node for node in dual.mainline() if node.nags == ["*"]]
    assert (str(first.move), str(last.move)) == ("30-26", "23-26")
    ninth = list(dual.mainline())[16]
    assert {str(node.move) for node in ninth.parent.variations} == {"9-6", "9-5"}  # type: ignore[union-attr]


@pytest.mark.slow
def test_refutations_have_certificates(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of every unsound problem, by the database and by searches."""
    directory = tmp_path / "proofs"
    for pieces in (5, 3):
        with_few = [] if pieces == 5 else ["--egdb", few_pieces(tmp_path / "egdb", pieces)]
        assert check(file, "--tc", "nodes=200k", "--json", "--proofs", directory, *with_few) == 0
        *records, _ = lines(capsys.readouterr().out)
        refuted = [record for record in records if record["verdict"] == "unsound"]
        assert len(refuted) == 5 if pieces == 5 else len(refuted) >= 3
        for record in refuted:
            certificate = read_certificate(record["certificate"])
            assert check_certificate(certificate, shipped()).positions == len(certificate.boards)
            claim = certificate.claim
            assert record["refutation"] == {"fen": claim.root.fen, "claim": str(claim)}
        assert len(list(directory.iterdir())) == 5


def few_pieces(directory: Path, pieces: int) -> Path:
    """A directory with the values of up to some pieces."""
    directory.mkdir()
    for path in data_path("egdb").glob("*.egdb"):
        if sum(map(int, path.stem[4:])) <= pieces:
            (directory / path.name).symlink_to(path)
    return directory


@pytest.mark.parametrize(
    "words",
    [
        "problem check {} --pdn {}", "problem check {} --html {}", "problem check {} --out {}",
        "problem stars {} --out {}", "problem find {} --out {}", "problem vary {} --pdn {}", "problem vary {} --out {}",
    ],
)  # fmt: skip
def test_what_is_read_is_not_replaced(words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "problems.pdn"
    path.write_text(STARS)
    (tmp_path / "link.pdn").symlink_to(path)
    assert main(words.format(path, tmp_path / "link.pdn").split()) == 2
    assert capsys.readouterr().err.endswith("link.pdn is read too; give the name of another file to write\n")
    assert path.read_text() == STARS


@pytest.mark.parametrize(
    "words",
    [
        "problem check missing --out out", "problem check W:W99:B --out out", "problem stars missing --out out",
        "problem find missing --out out", "problem find egdb --egdb none --out out", "problem vary missing --out out",
    ],
)  # fmt: skip
def test_a_wrong_source_leaves_nothing_behind(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) in (1, 2)
    assert not list(tmp_path.iterdir())


def test_two_outputs_have_two_files(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["problem", "check", str(file), "--out", str(tmp_path / "a"), "--pdn", str(tmp_path / "." / "a")]) == 2
    assert "named for two outputs" in capsys.readouterr().err


STARS = """[Event "right and wrong"]
[FEN "W:W21,K30:B1,2"]
1. 30-26* 2-6 (1... 1-5 2. 21-17*) 2. 26-23 {*} *

[Event "a cook"]
[FEN "W:WK19,K23:B12,K28"]
1. 23-27* *

[Event "not a problem"]
1. 11-15* *

[Event "thrown away"]
[FEN "W:W21,K30:B1,2"]
1. 30-25* *

[Event "the only legal move"]
[FEN "B:W18,K1:B14,K32"]
1. 14x23* *
"""


def test_stars(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "book.pdn"
    path.write_text(STARS)
    assert main(["problem", "stars", str(path), "--tc", "nodes=2k", "--json", "--quiet"]) == 0
    *records, summary = lines(capsys.readouterr().out)
    assert [(each["game"], each["number"], each["move"], each["variation"], each["verdict"]) for each in records] == [
        (1, "1...", "30-26", False, "right"),
        (1, "2...", "26-23", False, "right"),
        (1, "2...", "21-17", True, "wrong"),
        (2, "1...", "23-27", False, "wrong"),
        (3, "1.", "11-15", False, "undecided"),
        (4, "1...", "30-25", False, "wrong"),
        (5, "1.", "14x23", False, "right"),
    ]
    assert records[0]["reason"] == "the only move that wins, by the database"
    assert records[2]["reason"] == "26-23 (the database) wins too"
    assert records[5]["reason"].endswith("30-26 (the database) wins; 30-25 does not, by the database")
    assert (summary["stars"], summary["right"], summary["wrong"], summary["undecided"]) == (7, 3, 3, 1)


def test_the_table_of_stars(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "book.pdn"
    path.write_text(STARS + '\n[Event "broken"]\n1. 1-32* *\n')
    assert main(["problem", "stars", str(path), "--tc", "nodes=2k", "--quiet"]) == 1
    told, errors = capsys.readouterr()
    assert "2... 21-17 (variation)" in told
    assert told.endswith("7 stars: 3 right, 3 wrong, 1 undecided\n")
    assert "1 game left out" in errors


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (["check", "nothere"], 2, "nothere: no such file"),
        (["check", "W:W33:B1"], 2, "33"),
        (["check", "W:W1-13:BK32"], 2, "13"),
        (["check", "W:WK1:BK32", "--tc", "depth=5"], 2, "expected a time or nodes"),
        (["check", "EMPTY"], 1, "holds no problems"),
        (["check", "empty.pdn"], 1, "no game has a FEN tag"),
        (["stars", "EMPTY"], 1, "no move has a star"),
        (["stars", "nothere.pdn"], 1, "nothere.pdn"),
    ],
)
def test_wrong_words(
    words: list[str], code: int, part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("# nothing\n")
    (tmp_path / "empty.pdn").write_text('[Event "no position"]\n1. 11-15 *\n')
    places = {"EMPTY": str(empty), "empty.pdn": str(tmp_path / "empty.pdn")}
    words = [places.get(word, word) for word in words]
    assert main(["problem", *words, "--quiet"]) == code
    assert part in capsys.readouterr().err
