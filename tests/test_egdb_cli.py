"""`kr egdb`: output of its commands as text and JSON, and their exit codes."""

import json
import shutil
from pathlib import Path
from typing import Any

import h5py
import pytest

from kr import cli
from kr.egdb import slices, stats


def printed(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> str:
    """Output of `kr egdb` on stdout."""
    capsys.readouterr()
    assert cli.main(["egdb", *map(str, arguments)]) == code, capsys.readouterr().err
    out, err = capsys.readouterr()
    assert not err or err.startswith("wrote ")
    return out


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    """JSON output of `kr egdb`."""
    out = printed(capsys, *arguments, "--json")
    assert out.count("\n") == 1
    found: dict[str, Any] = json.loads(out)
    return found


def failure(capsys: pytest.CaptureFixture[str], code: int, *arguments: object) -> str:
    """The last line on stderr of a command that fails."""
    capsys.readouterr()
    assert cli.main(["egdb", *map(str, arguments)]) == code
    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith("kr: ") for line in lines)
    return lines[-1]


@pytest.mark.smoke
def test_build_then_verify(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    built = told(capsys, "build", "--pieces", 2, "--dir", tmp_path, "--workers", 1)
    assert built["positions"] == 3_488
    assert {path.name[:3] for path in tmp_path.glob("*.egdb")} == {"wld", "dtw"}
    assert "0 of them now" in printed(capsys, "build", "--pieces", 2, "--dir", tmp_path)
    found = told(capsys, "verify", "--dir", tmp_path)
    assert (found["right"], found["verified"]["2"]["counts"]) == (True, {"wins": 716, "losses": 402, "draws": 2_370})
    assert "3,488 positions proven" in printed(capsys, "verify", "--dir", tmp_path)
    assert "compared with their successors" in printed(capsys, "verify", "--dir", tmp_path, "--sample", 0.5)


def test_stats(capsys: pytest.CaptureFixture[str], whole: Path) -> None:
    found = told(capsys, "stats", "--dir", whole)
    three = found["totals"][1]
    assert three["both_sides"] == {"positions": 196_032, "wins": 100_250, "losses": 87_305, "draws": 8_477}
    assert three["all_placements"]["positions"] == stats.TABLE_I[3]
    assert three["all_placements"]["wins"] == 100_250 + 32_596
    assert three["longest_win"] == {"plies": 61, "fen": "B:WK10:B2,3"}
    shapes = [each["slice"] for pair in found["pairs"] for each in pair["slices"]]
    assert len(shapes) == len(set(shapes)) == 4 + 12
    text = printed(capsys, "stats", "--dir", whole, "--slices")
    assert "61 plies" in text
    assert "2001" in text
    assert "261224" in text


def test_info(capsys: pytest.CaptureFixture[str], whole: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(whole, tmp_path / "a copy")
    (copy / "wld-1101.egdb").unlink()
    found = told(capsys, "info", "--dir", copy)
    assert (found["reach"], found["distance_pieces"]) == ("up to 2 pieces", 2)
    assert [(each["name"], each["files"], each["pairs"], each["usable"]) for each in found["classes"]] == [
        ("1v1", 3, 3, True), ("2v1", 5, 6, False)
    ]  # fmt: skip
    first = found["missing"][0]
    assert first["command"] == f"kr egdb build --pieces 3 --dir '{copy}'"
    # what the missing pair looks up is solved again, and other files are there
    assert first["positions"] == sum(map(slices.pair_size, [(1, 1, 0, 1), (0, 2, 0, 1), (1, 0, 0, 1), (0, 1, 0, 1)]))
    assert first["bytes"] < sum(path.stat().st_size for path in whole.iterdir())
    assert "2v1    5 of 6" in printed(capsys, "info", "--dir", copy)


@pytest.mark.parametrize(
    ("fen", "command"),
    [
        ("W:W21,30:B1,2", "`kr egdb build --pieces 4` ("),
        ("W:W21,22,23,24:B1,2,3", "`kr egdb build --pieces 7 --classes 4v3` ("),
        ("W:W21,30:B1", ""),
        ("W:W21-25:B1-4", ""),
    ],
)
def test_an_analysis_names_the_build_that_decides(
    capsys: pytest.CaptureFixture[str], whole: Path, fen: str, command: str
) -> None:
    assert cli.main(["analyze", fen, "--nodes", "50", "--weights", "material", "--egdb", str(whole)]) == 0
    out = capsys.readouterr().out
    assert command in out if command else "egdb build" not in out


def test_probe(capsys: pytest.CaptureFixture[str], whole: Path) -> None:
    found = told(capsys, "probe", "W:WK18:B1,K29", "--dir", whole)
    assert found["fen"] == "W:WK18:B1,K29"
    assert found["value"] in ("win", "draw", "loss")
    assert {move["move"] for move in found["moves"]} == {"18-14", "18-15", "18-22", "18-23"}
    won = told(capsys, "probe", "B:WK10:B2,3", "--dir", whole)
    assert (won["value"], won["distance"]) == ("win", 61)
    best = won["moves"][0]
    assert (best["value"], best["distance"]) == ("win", 61)
    order = [("win", "draw", "loss").index(move["value"]) for move in won["moves"]]
    assert order == sorted(order)
    text = printed(capsys, "probe", "B:WK10:B2,3", "--dir", whole)
    assert "B:WK10:B2,3, Black to move: win in 61 plies" in text
    lost = told(capsys, "probe", "W:W:B1", "--dir", whole)
    assert (lost["value"], lost["distance"], lost["moves"]) == ("loss", 0, [])


def test_sample(capsys: pytest.CaptureFixture[str], whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "positions.h5"
    arguments = ("sample", "--pieces", "2-3", "--fraction", 0.05, "--seed", 3, "--dir", whole, "--out", out)
    found = told(capsys, *arguments)
    with h5py.File(out) as file:
        assert found["positions"] == sum(file[share].attrs["positions"] for share in file)
        assert file.attrs["checksum"] == found["checksum"]
    assert found["checksum"] in printed(capsys, *arguments, "--shares", "0.7,0.1,0.2")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["probe", "W:W40:B1"], "40"),
        (["probe", "B:W21-32:B1-12"], "24 pieces"),
        (["probe", "B:W21,K22,23,24:B1,2,3"], "`kr egdb build --pieces 7 --classes 4v3` (about"),
        (["sample", "--out", "x.h5", "--pieces", "9"], "--pieces: '9' is not"),
        (["sample", "--out", "x.h5", "--shares", "1"], "--shares: '1' is not"),
        (["sample", "--out", ".", "--pieces", "2"], "is a directory"),
        (["sample"], "Missing option"),
        (["verify", "--pieces", "7"], "is missing"),
        (["verify", "--sample", "1.5"], "sample: 1.5 is neither a fraction nor a whole number"),
        (["verify", "--classes", "3v"], "--classes: '3v' is not a class"),
        (["verify", "--classes", "3v3"], "wld-0202.egdb is missing; 3v3 needs it"),
        (["build", "--memory", "x"], "--memory: 'x' is not a size"),
        (["stats", "--bogus"], "No such option"),
    ],
    ids=lambda case: " ".join(case) if isinstance(case, list) else "",
)
def test_bad_usage_is_one_line_and_2(
    capsys: pytest.CaptureFixture[str], whole: Path, arguments: list[str], message: str
) -> None:
    assert message in failure(capsys, 2, *arguments, "--dir", whole)


def test_a_damaged_database_is_1(capsys: pytest.CaptureFixture[str], whole: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(whole, tmp_path / "egdb")
    path = copy / "wld-1101.egdb"
    path.write_bytes(path.read_bytes()[:-1])
    assert cli.main(["egdb", "verify", "--dir", str(copy), "--json"]) == 1
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert (found["right"], found["wrong"]) == (False, 1)
    assert str(path) in found["problems"][0]
    assert err.splitlines() == [f"kr: {found['problems'][0]}", f"kr: {copy}: 1 problem"]
    assert "wld-1101" in failure(capsys, 1, "stats", "--dir", copy)
    assert "wld-1101" in failure(capsys, 1, "probe", "B:WK10:B2,3", "--dir", copy)
    assert "no endgame database" in failure(capsys, 1, "stats", "--dir", tmp_path)
    assert "no endgame database" in failure(capsys, 1, "verify", "--dir", tmp_path)
