"""Strengths of players: their losses, what is told of them, and the file that keeps them."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
from recorded import write_archive
from refusals import check_refused

from kr import cli
from kr.analysis.annotation.judging import JudgeSettings, judge_moves
from kr.archives.archive import ReadSettings
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.errors import InvalidPolicyError, InvalidSettingError
from kr.studies.people import strengths
from kr.studies.people.decisions import Decisions, read_decisions
from kr.studies.people.strengths import (
    LEAST_MOVES,
    PlayersSettings,
    agreement,
    measure_losses,
    player_strengths,
    read_losses,
    strengths_of,
)
from kr.system import split_command

GAMES = 25


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "games.pdn"
    write_archive(path, GAMES, seed=4)
    return path


@pytest.fixture(scope="module")
def decisions(archive: Path) -> Decisions:
    return read_decisions(ReadSettings(files=(archive,)))


def settings(archive: Path, out: Path, **changed: object) -> PlayersSettings:
    return PlayersSettings(files=(archive,), out=out, weights="manual", egdb="none", **{"nodes": 100, **changed})


@pytest.mark.slow
def test_losses_are_those_of_annotations_and_resume(archive: Path, decisions: Decisions, tmp_path: Path) -> None:
    out = tmp_path / "players.h5"
    found = measure_losses(decisions, settings(archive, out))
    games = write_archive(tmp_path / "again.pdn", GAMES, seed=4)
    engine = Engine("manual", hash_mb=settings(archive, out).hash / (1 << 20), database=None)
    row = 0
    for number, game in enumerate(games):
        if number in (0, 7, GAMES - 1):
            for each in judge_moves(game, engine, JudgeSettings(tc=Limits(nodes=100))):
                loss = found.loss[row + each.ply]
                assert math.isnan(loss) == (not each.judged)
                assert math.isnan(loss) or loss == pytest.approx(max(0, each.loss), abs=1e-5)
        row += len(game.moves)
    assert np.array_equal(read_losses(out, decisions).loss, found.loss, equal_nan=True)
    assert measure_losses(decisions, settings(archive, out)).earlier
    # what a kill leaves: a journal without its last lines
    journal = out.with_name("players.h5.journal")
    lines = journal.read_bytes().splitlines(keepends=True)
    out.unlink()
    journal.write_bytes(b"".join(lines[:2]) + lines[2][:20])
    counts = []
    again = measure_losses(
        decisions, settings(archive, out, workers=1), lambda done, total: counts.append((done, total))
    )
    assert counts == [(10, 25), (20, 25), (25, 25)]
    assert np.array_equal(again.loss, found.loss, equal_nan=True)
    with pytest.raises(InvalidSettingError, match="other games or settings"):
        measure_losses(decisions, settings(archive, out, nodes=200))


def made_up(decisions: Decisions) -> np.ndarray:
    """Losses that tell the players apart: player k gives away k hundredths, give or take."""
    source = np.random.default_rng(1)
    loss = decisions.player / 100 + source.uniform(0, 0.02, len(decisions))
    return np.where(decisions.choices == 1, np.nan, loss).astype(np.float32)


def test_what_players_gave_away(decisions: Decisions) -> None:
    loss = made_up(decisions)
    found = player_strengths(decisions, loss)
    assert sum(each.moves for each in found) == (~np.isnan(loss)).sum()
    assert [each.moves for each in found] == sorted((each.moves for each in found), reverse=True)
    assert sum(each.games for each in found) == 2 * GAMES
    for each in found:
        own = loss[decisions.player == decisions.players.index(each.name)]
        assert each.loss == pytest.approx(np.nanmean(own), abs=1e-6)
        assert 0 < each.error < 0.01
        assert 1850 <= each.first_year <= each.last_year <= 1850 + 3 * GAMES
    correlation, players = agreement(decisions, loss, least=20)
    assert correlation > 0.9
    assert players == 5
    assert agreement(decisions, loss, least=10**6) == (pytest.approx(math.nan, nan_ok=True), 0)


def test_strengths_come_from_other_games_of_the_training_part(decisions: Decisions) -> None:
    loss = made_up(decisions)
    rows = np.flatnonzero(decisions.game % 5 != 0)
    found = strengths_of(decisions, loss, rows)
    known = ~np.isnan(found)
    assert known.any()
    for row in np.flatnonzero(known)[::37]:
        others = np.isin(np.arange(len(decisions)), rows) & (decisions.player == decisions.player[row])
        others &= (decisions.game != decisions.game[row]) & ~np.isnan(loss)
        assert others.sum() >= LEAST_MOVES
        # shrunk to the mean of all
        mean, all_mean = loss[others].mean(), np.nanmean(loss[rows])
        assert min(mean, all_mean) - 1e-4 <= found[row] <= max(mean, all_mean) + 1e-4
        assert abs(found[row] - mean) < abs(found[row] - all_mean) or abs(mean - all_mean) < 0.005
    # the decision's own game says nothing
    changed = np.where(decisions.game == decisions.game[np.flatnonzero(known)[0]], 0.9, loss).astype(np.float32)
    own = decisions.game == decisions.game[np.flatnonzero(known)[0]]
    assert strengths_of(decisions, changed, rows[~own[rows]])[own] == pytest.approx(
        strengths_of(decisions, loss, rows[~own[rows]])[own], nan_ok=True
    )


def test_nothing_is_told_where_nothing_is_known(decisions: Decisions) -> None:
    loss = made_up(decisions)
    assert np.isnan(strengths_of(decisions, loss, np.arange(50))).all(), "too few moves"
    same = np.where(np.isnan(loss), np.nan, np.float32(0.5)).astype(np.float32)
    assert np.isnan(strengths_of(decisions, same, np.arange(len(decisions)))).all(), "players alike"
    nameless = replace(decisions, players=("", *decisions.players[1:]))
    found = strengths_of(nameless, loss, np.arange(len(decisions)))
    assert np.isnan(found[nameless.player == 0]).all()


@pytest.fixture
def file(archive: Path, decisions: Decisions, tmp_path: Path) -> Path:
    out = tmp_path / "players.h5"
    shaping = {"decisions": decisions.signature, "nodes": 5, "weights": "w", "egdb": None, "hash": 1}
    strengths._write(out, made_up(decisions), shaping)
    return out


EDITS = {
    "kind": (lambda file: file.attrs.__setitem__("kind", "kr weights"), "not one of `kr policy players`"),
    "newer": (lambda file: file.attrs.__setitem__("format_version", 9), "a newer kr wrote it"),
    "number": (lambda file: file["loss"].__setitem__(0, 0.25), "do not match their checksum"),
    "nodes": (lambda file: file.attrs.__setitem__("nodes", "many"), "do not match their checksum"),
    "other games": (lambda file: file.attrs.__setitem__("decisions", "0"), "do not match their checksum"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_damaged_files_are_refused(file: Path, decisions: Decisions, edit: str) -> None:
    assert len(read_losses(file, decisions).loss) == len(decisions)
    change, message = EDITS[edit]
    with h5py.File(file, "r+", libver=("v110", "v110")) as opened:
        change(opened)
    with pytest.raises(InvalidPolicyError, match=message):
        read_losses(file, decisions)


def test_losses_of_other_games_are_refused(file: Path, decisions: Decisions) -> None:
    with pytest.raises(InvalidPolicyError, match="losses of other games"):
        read_losses(file, decisions.of(np.arange(40)))


@pytest.mark.slow
def test_the_command(archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "players.h5"
    line = f"policy players {archive} --out {out} --nodes 100 --weights material --egdb none"
    assert cli.main(split_command(f"{line} --top 2")) == 0
    text, said = capsys.readouterr()
    assert text.splitlines()[0].split() == ["player", "games", "moves", "loss", "years"]
    assert len(text.split("\n\n")[0].splitlines()) == 3
    assert f"wrote {out}" in said
    assert cli.main(split_command(f"{line} --json")) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["decisions"] > 500
    assert {each["name"] for each in found["players"]} == set(strengths_names(archive))


def strengths_names(archive: Path) -> tuple[str, ...]:
    return read_decisions(ReadSettings(files=(archive,))).players


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("policy players {archive} --out x.h5 --nodes 5", 2, "100"),
        ("policy players {archive} --out {archive}", 1, "not a file of players' losses"),
    ],
)
def test_bad_input(
    archive: Path, line: str, code: int, said: str, capsys: pytest.CaptureFixture, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    check_refused(capsys, line.format(archive=archive), code, said)
    assert not list(tmp_path.iterdir())
