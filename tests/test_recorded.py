"""Recorded games as a run directory: what counts, what is left out and why, resuming, and a fit to them."""

from __future__ import annotations

import json
import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playouts import random_game
from systems import make_fifo
from tables import tiny_file

import kr
from kr import _core
from kr.cli import main
from kr.errors import InvalidGamesError, InvalidPdnError, InvalidSettingError, KrError
from kr.learn import games, recorded
from kr.learn.fitting.check import check_tables
from kr.learn.recorded import ImportSettings, import_games, is_unfinished, recorded_game

__all__ = ["tiny_file"]
PLAYED = "1. 11-15 23-19 2. 8-11 22-17"


def pdn(moves: str, result: str, tags: str = "") -> str:
    return f'[Event "x"]\n[Result "{result}"]\n{tags}\n{moves} {result}\n\n'


LEFT_OUT = {
    recorded.NO_RESULT: pdn(PLAYED, "*"),
    recorded.ILLEGAL_MOVE: pdn("1. 11-15 23-19 2. 8-12", "1-0"),
    recorded.NOT_READABLE: '[GameType "20"]\n[Result "1-0"]\n\n1. 32-28 19-23 1-0\n\n',
    recorded.TWO_RESULTS: f'[Event "x"]\n[Result "1-0"]\n\n{PLAYED} 0-1\n\n',
    recorded.NO_MOVES: pdn("", "1/2-1/2"),
    recorded.SET_UP_AGAIN: pdn('1. 11-15 /FEN "W:W18,21:B10,11"/ 1... 21-17', "1/2-1/2"),
    recorded.TOO_LONG: pdn(" ".join(["1-6 32-27 6-1 27-32"] * 101), "1/2-1/2", '[FEN "B:WK32:BK1"]'),
    recorded.DENIED: pdn("1. 1x10", "0-1", '[FEN "B:W6:B1"]'),
}


def write(path: Path, *texts: str) -> Path:
    path.write_text("".join(texts))
    return path


def random_pdn(count: int) -> list[str]:
    return [games.game_pdn(random_game(number, 3), {}) for number in range(count)]


def test_each_reason_is_tried() -> None:
    assert set(LEFT_OUT) == set(recorded.LEFT_OUT)


@pytest.mark.parametrize("reason", recorded.LEFT_OUT)
def test_games_that_cannot_count_are_left_out_and_told(reason: str, tmp_path: Path) -> None:
    path = write(tmp_path / "games.pdn", LEFT_OUT[reason], pdn(PLAYED, "1/2-1/2"), LEFT_OUT[reason])
    result = import_games(ImportSettings((path,), tmp_path / "run"))
    assert result.left_out == {each: 2 if each == reason else 0 for each in recorded.LEFT_OUT}
    assert result.games == 1
    with pytest.raises((InvalidGamesError, InvalidPdnError)) as caught:
        import_games(ImportSettings((write(tmp_path / "none.pdn", LEFT_OUT[reason]),), tmp_path / "none"))
    assert str(caught.value) == f"none.pdn: no game in it can be used; 1 left out: {reason} (1)"
    assert not (tmp_path / "none").exists()


def test_games_come_back(tmp_path: Path) -> None:
    """Start, moves, result and end, packed and in several files; captures of other pieces between the same squares."""
    texts = random_pdn(12)
    (tmp_path / "a.pdn.xz").write_bytes(lzma.compress("".join(texts[:7]).encode()))
    write(tmp_path / "b.pdn", *texts[7:], pdn("1. 1x10", "1-0", '[FEN "B:W6:B1"]'))
    result = import_games(ImportSettings((tmp_path / "a.pdn.xz", tmp_path / "b.pdn"), tmp_path / "run", shard_games=5))
    assert (result.games, result.set_up, result.scored, result.earlier) == (13, 1, 0, 0)
    files = games.game_files(tmp_path / "run")
    assert [path.name for path in files] == [f"shard-00000{number}.h5" for number in range(3)]
    found = [record for path in files for record in games.stored_games(games.read_shard(path))]
    for number, (record, original) in enumerate(zip(found, (random_game(n, 3) for n in range(12)), strict=False)):
        assert (record.game, record.start, record.result) == (number, original.start, original.result)
        assert np.array_equal(record.moves, original.moves)
    assert [found[-1].start, found[-1].result, games.REASONS[found[-1].reason]] == [(1, 32, 0, 0), 1, "no move"]
    assert kr.read_game_arrays(tmp_path / "run").decks == (("start", 1), ("set up", 1))


def test_scores_stand_before_the_next_move() -> None:
    """Comments score the position after a move, for Black; a shard the one before it, for the side to move."""
    moves = "11-15 {[%eval 0.31] [%kr exp=0.6] fine} 23-19 {[%eval -0.2]} 8-11 {[%eval #-3]} 22-17 {[%eval 9999]} 9-14"
    record = recorded_game(kr.pdn.read_game(pdn(moves, "1-0")), 0)
    assert isinstance(record, games.StoredGame)
    assert record.scores.tolist() == [games.NO_SCORE, -31, -20, _core.SCORE_DECIDED, _core.SCORE_STATIC_MAX]
    turned = recorded_game(kr.pdn.read_game(pdn("1. 32-28 {[%eval 0.5]} 1-6", "1-0", '[FEN "W:WK32:BK1"]')), 0)
    assert isinstance(turned, games.StoredGame)
    assert turned.scores.tolist() == [games.NO_SCORE, 50]


def contents(run: Path) -> list[object]:
    return [games.read_shard(path).attrs["checksum"] for path in games.game_files(run)]


@pytest.mark.parametrize("last", [0, 1, 2])
def test_an_import_resumes_to_the_same_run(last: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = random_pdn(9)
    between = [
        *texts[:2],
        LEFT_OUT[recorded.ILLEGAL_MOVE],
        *texts[2:4],
        *LEFT_OUT.values(),
        *texts[4:],
        *LEFT_OUT.values(),
    ]
    path = write(tmp_path / "games.pdn", *between)
    whole = import_games(ImportSettings((path,), tmp_path / "whole", shard_games=4))
    settings = ImportSettings((path,), tmp_path / "run", shard_games=4)
    original = games.write_shard

    def dying(target: Path, *rest: object) -> None:
        if target.name == f"shard-00000{last}.h5":
            raise KeyboardInterrupt
        original(target, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(games, "write_shard", dying)
    with pytest.raises(KeyboardInterrupt):
        import_games(settings)
    monkeypatch.undo()
    assert is_unfinished(settings.out)
    resumed = import_games(settings)
    assert not is_unfinished(settings.out)
    assert resumed == replace(whole, earlier=4 * last)
    assert contents(settings.out) == contents(tmp_path / "whole")
    assert import_games(settings) == replace(whole, earlier=whole.games)


def test_other_runs_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "games.pdn", pdn(PLAYED, "1-0"))
    run = tmp_path / "run"
    import_games(ImportSettings((path,), run))
    for settings in (
        ImportSettings((write(tmp_path / "other.pdn", pdn(PLAYED, "0-1")),), run),
        ImportSettings((path,), run, results="white"),
    ):
        with pytest.raises(InvalidSettingError, match="holds games of other files, or imported with other settings"):
            import_games(settings)
    with pytest.raises(InvalidSettingError, match="holds recorded games; choose another --out"):
        kr.selfplay(kr.SelfplaySettings(games=1, out=run, nodes=10, egdb="none"))
    (run / "run.json").write_text('{"shaping": {"games": 1}}')
    with pytest.raises(InvalidGamesError, match="holds games that were not imported; choose another --out"):
        import_games(ImportSettings((path,), run))
    with pytest.raises(KrError, match="not from a pipe"):
        import_games(ImportSettings((Path("-"),), run))
    with pytest.raises(InvalidSettingError, match=f"{path.name} is named twice"):
        import_games(ImportSettings((path, tmp_path / "." / path.name), run))
    assert main(["games", "import", str(tmp_path / "missing.pdn"), "--out", str(run)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_fifo_is_not_waited_for(tmp_path: Path) -> None:
    make_fifo(tmp_path / "pipe.pdn")
    with pytest.raises(InvalidSettingError, match="not from a pipe"):
        import_games(ImportSettings((tmp_path / "pipe.pdn",), tmp_path / "run"))


def test_the_command_tells_what_it_took(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(
        tmp_path / "games.pdn", *random_pdn(3), *4 * [LEFT_OUT[recorded.DENIED]], LEFT_OUT[recorded.ILLEGAL_MOVE]
    )
    words = ["games", "import", str(path), "--out", str(tmp_path / "run")]
    assert main(words) == 0
    told = capsys.readouterr()
    assert "5 left out: an illegal move (1), a result that the final position denies (4)" in " ".join(told.out.split())
    assert "perhaps --results white" in told.err
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["games"], found["earlier"], found["left_out"]["an illegal move"], found["turned"]) == (3, 3, 1, True)
    assert main(["games", str(tmp_path / "run"), "--pdn", str(tmp_path / "back.pdn")]) == 0
    assert [game.headers["Event"] for game in kr.pdn.read_games(tmp_path / "back.pdn")] == ["recorded game"] * 3


@pytest.mark.soak
def test_tables_learn_from_recorded_games(tmp_path: Path, tiny_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By their results alone, whatever the label; a check is the same on the file and on the directory."""
    path = write(tmp_path / "games.pdn", *random_pdn(150))
    assert main(["fit", str(path), "--quiet"]) == 1
    assert f"`kr games import {path} --out DIR` makes such a directory of it" in capsys.readouterr().err
    run = tmp_path / "run"
    import_games(ImportSettings((path,), run))
    mixed = kr.read_samples(run, kr.Label(0.9, 0.6))
    assert mixed.runs[0].score_scale is None
    for kings in (False, True):
        assert np.array_equal(mixed.training[kings].target, mixed.training[kings].result)
    out = tmp_path / "tables.h5"
    words = ["fit", str(run), "--out", str(out), "--max-iter", "3", "--check", str(run), "--quiet"]
    words += ["--layout", str(tiny_file)]
    assert main(words) == 0
    assert "no scores in these games; the results alone are the target" in capsys.readouterr().err
    assert check_tables(out, run) == check_tables(out, path)
    assert check_tables(out, run, every=3) == check_tables(out, path, every=3)
