"""`kr prove`: what it says, exit codes, certificates that its own check accepts, and resuming after any end."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kr
from kr.cli import main
from kr.jobs.journal import Journal
from kr.problems.problem import classics
from kr.proofs.certificate import read_certificate, write_certificate

WON = "B:W7,20:BK9,K11"
DRAWN = "W:WK1,K19:BK2,K5"
LONG = "W:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"
"""Not decided by anything."""
QUICK = ["--weights", "material", "--hash", "1MB", "--workers", "1", "--tc", "nodes=300k"]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command with endings of up to 3 pieces, in a directory of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def go(*words: str) -> tuple[int, str, str]:
        settings = [] if "--check" in words else QUICK
        code = main(["prove", *settings, "--egdb", str(whole), *words])
        return code, *capsys.readouterr()

    return go


# --- answers


@pytest.mark.parametrize(
    ("fen", "goal", "code", "shown"),
    [
        (WON, "value", 0, r"win for Black, proved\nBlack wins: +proved by a strategy of 1 position; lines end by the"),
        (WON, "win", 0, "win for Black, proved"),
        (WON, "draw", 1, "win for Black, proved"),
        (WON, "loss", 1, "Black does not lose, proved; a win is open"),
        ("W:WK1:BK32", "value", 0, r"draw for White, proved\nBlack does not lose: +proved by the root alone; "),
        ("W:W:B1", "loss", 0, "loss for White, proved"),
        ("W:W:B1", "win", 1, "White does not win, proved; a draw is open"),
        (LONG, "value", 1, r"value: +open\nWhite wins: +open, proof number .*\n.*; resists: 2"),
    ],
)  # fmt: skip
def test_verdicts(run: Run, fen: str, goal: str, code: int, shown: str) -> None:
    found, out, error = run(fen, "--goal", goal)
    assert found == code
    assert re.search(shown, out), out
    assert ("not covered: The draws by rule" in re.sub(" +", " ", out)) is (fen != LONG)
    asked = "the value" if goal == "value" else f"the goal, {goal},"
    told = f"kr: {asked} is " + ("still open; more time (--tc)" if fen == LONG else "false")
    assert (told in error) is bool(code)


def test_json(run: Run) -> None:
    code, out, _ = run(WON, "--json", "--out", "won.krproof")
    (line,) = out.splitlines()
    found = json.loads(line)
    assert code == 0
    assert (found["fen"], found["goal"], found["value"], found["reached"]) == (WON, "value", "win", True)
    claims = {each["claim"]: each for each in found["claims"]}
    assert len(claims) == 4
    won = claims["Black wins"]
    assert (won["holds"], won["side"], won["goal"], won["file"]) == (True, "black", "win", "won.krproof")
    assert won["positions"] == len(read_certificate("won.krproof").boards)
    assert won["proof"] == 0
    assert won["disproof"] is None, "JSON has no infinity"
    assert won["reach"] == "up to 3 pieces"
    assert claims["White does not lose"]["holds"] is not True


@pytest.mark.parametrize(
    ("fen", "words", "names"),
    [
        (WON, [], {"a.krproof"}),
        ("W:WK1:BK32", [], {"a-black.krproof", "a-white.krproof"}),
        ("W:WK1:BK32", ["--goal", "win"], {"a.krproof"}),
        (LONG, ["--tc", "nodes=1000"], {"a.krproof.part"}),
    ],
)
def test_files(run: Run, fen: str, words: list[str], names: set[str]) -> None:
    run(fen, *words, "--out", "a.krproof")
    assert {path.name for path in Path().iterdir()} == names
    for name in names - {"a.krproof.part"}:
        code, out, _ = run("--check", name)
        assert code == 0
        assert "lines end:" in out
        code, out, _ = run("--check", name, "--json")
        assert json.loads(out)["report"]["positions"] == len(read_certificate(name).boards)


@pytest.mark.parametrize(("goal", "name"), [("value", "a.krproof"), ("win", "a.krproof"), ("value", "a-white.krproof")])
def test_a_foreign_file_is_not_replaced(run: Run, goal: str, name: str) -> None:
    """Neither one that is no certificate, nor the certificate of something else."""
    Path(name).write_bytes(b"a letter")
    code, out, error = run(WON, "--goal", goal, "--out", "a.krproof")
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert f"--out: {name} is there and is not a certificate that " in error
    assert Path(name).read_bytes() == b"a letter"
    Path(name).unlink()
    assert run(WON, "--goal", "win", "--out", name)[0] == 0
    content = Path(name).read_bytes()
    assert run("W:WK1:BK32", "--goal", goal, "--out", "a.krproof")[0] == 2
    assert Path(name).read_bytes() == content
    # that of the same claim is made anew
    assert run(WON, "--goal", "win", "--out", name)[0] == 0


def test_a_built_in_problem(run: Run) -> None:
    code, out, _ = run("second-position", "--tc", "nodes=1k", "--json")
    assert json.loads(out)["fen"] == next(each for each in classics() if each.id == "second-position").position.fen
    assert code in (0, 1)


def test_check_tells_what_is_wrong(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run(WON, "--out", "a.krproof")
    # without the database, and with a byte changed
    assert main(["prove", "--check", "a.krproof", "--egdb", "none"]) == 1
    needs = read_certificate("a.krproof").provenance["needs"].split(", ")
    assert needs[0] == "2v1"
    assert "the certificate needs values of 3 pieces" in (told := capsys.readouterr().err)
    assert "`kr egdb build --pieces 3` (" in told
    content = bytearray(Path("a.krproof").read_bytes())
    content[-9] ^= 1
    Path("b.krproof").write_bytes(content)
    code, out, error = run("--check", "b.krproof")
    assert (code, out) == (1, "")
    assert error.startswith("kr: b.krproof: damaged certificate")
    assert error.count("\n") == 1
    whole = read_certificate("a.krproof")
    write_certificate("c.krproof", replace(whole, ranks=whole.ranks + np.uint16(1)))
    code, out, error = run("--check", "c.krproof")
    assert (code, out) == (1, "")
    assert re.match("kr: c.krproof does not prove that Black wins: .*: its rank is 2; expected 1", error)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([], 2, "FEN: expected the position to prove, or --check FILE"),
        (["rubbish"], 2, "no such file; expected a file, a FEN such as W:W21,K30:B1,2, or a built-in problem"),
        (["first"], 2, "names 3 problems"),
        (["B::"], 2, "the board is empty"),
        ([WON, "--hash", "1TB"], 2, "--hash 1TB: no memory for a hash table"),
        (["W:W5,W5:B1"], 2, "FEN"),
        ([WON, "--tc", "depth=9"], 2, "expected a time or nodes of all searches"),
        ([WON, "--tc", "0s"], 2, "--tc"),
        ([WON, "--weights", "nothere"], 1, "nothere"),
        ([WON, "--out", "."], 2, "is a directory"),
        ([WON, "--out", os.devnull], 2, "not a regular file"),
        ([WON, "--check", "x"], 2, "leave the position out"),
        (["--check", "x", "--out", "y"], 2, "leave --out out"),
        (["--check", "x", "--goal", "win"], 2, "leave --goal out"),
        (["--check", "x", "--tc", "5s"], 2, "leave --tc out"),
        (["--check", __file__], 1, "not a certificate of kr"),
    ],
)
def test_bad_input_is_one_line(run: Run, words: list[str], code: int, message: str) -> None:
    found, out, error = run(*words)
    assert (found, out) == (code, "")
    assert message in error
    assert error.count("\n") == 1
    assert not list(Path().iterdir())


# --- resuming


def journal_lines(path: str | Path = "a.krproof.part") -> list[str]:
    return Path(path).read_text().splitlines(keepends=True)


@pytest.fixture(scope="module")
def unfinished(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The lines of a journal whose searches have proved something, but not all."""
    out = tmp_path_factory.mktemp("begun") / "a.krproof"
    assert main(["prove", *QUICK, DRAWN, "--tc", "nodes=1M", "--egdb", str(whole), "--out", str(out)]) == 1
    lines = journal_lines(out.with_name("a.krproof.part"))
    assert len(lines) > 5
    assert any(json.loads(line)["strategy"] for line in lines[1:])
    return lines


@pytest.fixture
def begun(run: Run, unfinished: list[str]) -> list[str]:
    """The same, in the directory where the command runs."""
    Path("a.krproof.part").write_text("".join(unfinished))
    return unfinished


def test_the_same_command_resumes(run: Run, begun: list[str]) -> None:
    _, out, _ = run(DRAWN, "--tc", "nodes=1M", "--out", "a.krproof", "--json")
    first = json.loads(out)
    assert first["resumed"] > 0
    assert journal_lines()[: len(begun)] == begun, "nothing is lost"
    _, out, _ = run(DRAWN, "--tc", "nodes=1.2M", "--out", "a.krproof", "--json")
    assert json.loads(out)["resumed"] > 0


def test_a_proof_killed_before_its_journal_was_removed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the journal has is enough, and then it goes."""
    with monkeypatch.context() as changed:
        changed.setattr(Journal, "remove", lambda journal: None)
        assert run(WON, "--out", "a.krproof")[0] == 0
    first = read_certificate("a.krproof")
    Path("a.krproof").unlink()
    code, out, _ = run(WON, "--out", "a.krproof", "--json", "--tc", "nodes=1")
    assert code == 0
    assert [each["searches"] for each in json.loads(out)["claims"]] == [0, 0, 0, 0]
    assert {path.name for path in Path().iterdir()} == {"a.krproof"}
    assert (read_certificate("a.krproof").boards == first.boards).all()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([WON], 'was begun with position "W:WK1,K19:BK2,K5"'),
        ([DRAWN, "--goal", "win"], 'was begun with goal "value", not "win"; give the same, or choose another file'),
        ([DRAWN, "--weights", "manual"], 'was begun with weights "material"'),
        ([DRAWN, "--egdb", "none"], 'was begun with egdb "3 pieces'),
        ([DRAWN, "--egdb", "none", "--goal", "win"], ", not none; give the same"),
        ([DRAWN, "--egdb", "none", "--goal", "win"], 'begun with goal "value", not "win" and egdb "3 pieces'),
    ],
)
def test_other_settings_are_refused(run: Run, begun: list[str], words: list[str], message: str) -> None:
    code, out, error = run(*words, "--out", "a.krproof")
    assert (code, out) == (2, "")
    assert message in error
    assert journal_lines() == begun


def without_some(lines: list[str], rng: random.Random) -> list[str]:
    return lines[:1] + [line for line in lines[1:] if rng.random() < 0.6]


def shuffled(lines: list[str], rng: random.Random) -> list[str]:
    return lines[:1] + rng.sample(lines[1:], len(lines) - 1)


def with_other_numbers(lines: list[str], rng: random.Random) -> list[str]:
    def other(found: re.Match[str]) -> str:
        return found[0] if rng.random() < 0.95 else str(int(found[0]) ^ 1 << rng.randrange(4))

    return lines[:1] + [
        re.sub(r"(?<=strategy)(.*)", lambda rest: re.sub(r"\d+", other, rest[0]), line) for line in lines[1:]
    ]


@pytest.mark.slow
@pytest.mark.parametrize("damage", [without_some, shuffled, with_other_numbers], ids=lambda damage: damage.__name__)
def test_a_journal_is_not_believed(run: Run, begun: list[str], damage: Any) -> None:
    """Of strategies that lack something, or say something false, the closed part alone is kept."""
    for seed in range(2):
        Path("a.krproof.part").write_text("".join(damage(begun, random.Random(seed))))
        code, out, _ = run(DRAWN, "--tc", "nodes=1M", "--out", "a.krproof", "--json")
        found = json.loads(out)
        assert code == (0 if found["value"] == "draw" else 1)
        assert found["value"] in ("draw", None)
        assert not {each["claim"] for each in found["claims"] if each["holds"]} & {"White wins", "Black wins"}
        for path in Path().glob("a-*.krproof"):
            assert run("--check", str(path))[0] == 0
            path.unlink()


@pytest.mark.parametrize(
    "change",
    [
        {"claim": 4}, {"claim": -1}, {"claim": "0"}, {"position": [[1], 2]}, {"position": 5}, {"nodes": -1},
        {"score": 1e999}, {"limit": None}, {"strategy": [[1]]}, {"move": [0]},
    ],
)  # fmt: skip
def test_damaged_lines_are_named(run: Run, begun: list[str], change: dict[str, Any]) -> None:
    line = json.dumps(json.loads(begun[1]) | change)
    Path("a.krproof.part").write_text("".join([begun[0], line + "\n", *begun[2:]]))
    code, out, error = run(DRAWN, "--out", "a.krproof")
    assert (code, out) == (1, "")
    assert "a.krproof.part, line 2 is damaged; remove the line (its search is made again), or the file" in error


@contextmanager
def started(whole: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    environment = os.environ | {"PYTHONPATH": str(Path(kr.__file__).parents[1])}
    line = [sys.executable, "-m", "kr", "prove", *QUICK, "--egdb", str(whole), "--tc", "60s", *words]
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for_lines(path: Path, count: int, process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 60
    while not path.exists() or path.read_bytes().count(b"\n") < count:
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.posix("signals")
@pytest.mark.parametrize(
    ("name", "workers"),
    [("SIGINT", "2"), ("SIGTERM", "1"), ("SIGKILL", "2"), pytest.param("SIGINT", "1", marks=pytest.mark.soak)],
)
def test_any_end_loses_what_was_under_way_alone(run: Run, whole: Path, tmp_path: Path, name: str, workers: str) -> None:
    path = tmp_path / "a.krproof.part"
    with started(whole, LONG, "--workers", workers, "--out", str(tmp_path / "a.krproof")) as process:
        # Ctrl-C while a line is flushed takes that line back
        wait_for_lines(path, 5, process)
        process.send_signal(getattr(signal, name))
        _, error = process.communicate(timeout=60)
        if name != "SIGKILL":
            assert process.returncode == 1
            assert error.splitlines()[-1] == "kr: interrupted; run the same command to resume"
    whole_lines = [line for line in journal_lines() if line.endswith("\n")]
    assert len(whole_lines) >= 4
    _, out, _ = run(LONG, "--tc", "nodes=900k", "--out", "a.krproof", "--json")
    assert journal_lines()[: len(whole_lines)] == whole_lines
    assert json.loads(out)["resumed"] > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fen", "goal"),
    [
        (WON, "value"),
        pytest.param(DRAWN, "win", marks=pytest.mark.soak),
        pytest.param("W:WK21:BK1,K11,K16", "draw", marks=pytest.mark.soak),
        pytest.param("B:W21,K26,27:B8", "value", marks=pytest.mark.soak),
    ],
)
def test_several_workers_come_to_the_same_verdict(run: Run, fen: str, goal: str) -> None:
    verdicts = set()
    for workers in ("1", "2", "3"):
        _, out, _ = run(fen, "--goal", goal, "--workers", workers, "--tc", "60s", "--json", "--out", "a.krproof")
        found = json.loads(out)
        verdicts.add((found["value"], found["least"], found["most"], found["reached"]))
        for path in Path().glob("*.krproof"):
            assert run("--check", str(path))[0] == 0
            path.unlink()
    assert len(verdicts) == 1, verdicts


@pytest.mark.soak
def test_a_local_cluster_comes_to_the_same_verdict(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("distributed", "cryptography"):
        pytest.importorskip(name, reason="the extra [cluster] is not installed")
    monkeypatch.setenv("KR_STORE", str(tmp_path / "store"))
    code, out, _ = run(WON, "--cluster", "local:1", "--tc", "60s", "--json", "--out", "a.krproof")
    assert code == 0
    assert json.loads(out)["value"] == "win"
    assert run("--check", "a.krproof")[0] == 0
