"""Self-play, fit, match and problems typed one after the other, without names; a fit of what there is of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from playouts import random_game, write_run
from tables import tiny_file

from kr import storage
from kr.cli import main
from kr.errors import InvalidGamesError
from kr.evaluation.files import FITTED
from kr.evaluation.kinds import load_file
from kr.learn import games

__all__ = ["tiny_file"]


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs a command in an empty directory; returns what it says, line breaks as spaces."""
    monkeypatch.chdir(tmp_path)

    def run(words: str, code: int = 0) -> str:
        assert main(words.split()) == code, capsys.readouterr().err
        out, err = capsys.readouterr()
        return " ".join(f"{out} {err}".split())

    return run


@pytest.mark.slow
@pytest.mark.smoke
def test_each_command_takes_what_the_one_before_it_made(typed: Callable[..., str], tiny_file: Path) -> None:
    fit = f"fit --layout {tiny_file} --max-iter 4"
    play = "selfplay --nodes 30 --weights material --shard-games 20"
    assert f"{games.RUN}: no such directory; `kr selfplay` makes it" in typed(fit, 1)
    assert "players" not in typed("match --games 2 --tc nodes=20")
    said = typed(f"{play} --games 30")
    assert "learn from the games: kr fit" in said
    assert f"wrote {games.RUN}: 30 games" in said
    said = typed(fit)
    assert f"games: {games.RUN}, where kr selfplay writes by default" in said
    assert said.startswith("30 games, ")
    assert "a match against the shipped tables: kr match" in said
    assert said.endswith("wrote fitted.h5: tables")
    said = typed("match --ballot 11man --tc nodes=20 --games 2")
    assert "players: fitted.h5, as kr fit wrote it, and shipped A: fitted" in said
    assert "A fitted B shipped" in said
    assert "A shipped B manual" in typed("match shipped --games 2 --tc nodes=20")
    assert "solved" in typed("solve-problem --tc nodes=20")

    assert "already fitted to these games" in typed(fit)
    assert typed(f"{play} --games 30").endswith(f"games: {games.RUN}")
    typed(f"{play} --games 40")
    said = typed(fit)
    assert said.startswith("40 games, ")
    assert said.endswith("wrote fitted.h5: tables, in place of an earlier fit")


@pytest.mark.soak
def test_tables_of_others_are_not_written_over_unasked(typed: Callable[..., str], tiny_file: Path) -> None:
    write_run(games.RUN, 40)
    write_run(Path("other"), 40, seed=2)
    fit = f"fit --layout {tiny_file} --max-iter 2"
    typed(fit)
    before = FITTED.read_bytes()
    for other in ("fit --layout small --max-iter 2", f"{fit} --l2 20", f"{fit} selfplay/games other", f"{fit} other"):
        said = typed(other, 2)
        assert "fitted.h5 was fitted to other runs or with other settings; choose another file (--out)" in said
        assert FITTED.read_bytes() == before
    typed(f"{fit} other --out ./named.h5")
    typed(f"{fit} --out ./named.h5")
    assert load_file("named.h5").signature == load_file(FITTED).signature
    FITTED.write_text("not weights")
    assert "fitted.h5" in typed(fit, 1)
    assert FITTED.read_text() == "not weights"


@pytest.mark.slow
def test_a_fit_tells_how_much_of_a_run_it_had(typed: Callable[..., str], tiny_file: Path) -> None:
    made = [random_game(i, 1) for i in range(50)]
    attrs = {"seed": 1, "settings": '{"games": 1000000}'}
    games.write_shard(games.RUN / "shard-000000.h5", made[:40], attrs)
    games.write_shard(games.RUN / "shard-000001.part", made[40:], attrs)
    said = typed(f"fit --layout {tiny_file} --max-iter 2")
    assert "selfplay/games: 50 of 1,000,000 games so far; resume kr selfplay, then run kr fit again to use all" in said


@pytest.mark.parametrize(
    ("files", "taken"),
    [
        ({"0.h5": 4, "1.h5": 4}, ["0.h5", "1.h5"]),
        ({"0.h5": 4, "1.part": 3, "2.part": 1}, ["0.h5", "1.part", "2.part"]),
        ({"1.part": 3}, ["1.part"]),
        # a longer run adds to the last shard of a shorter one
        ({"0.h5": 4, "1.h5": 2, "1.part": 3}, ["0.h5", "1.part"]),
        # killed after the shard was written
        ({"0.h5": 4, "0.part": 3}, ["0.h5"]),
    ],
)
def test_each_game_of_a_run_is_found_once(tmp_path: Path, files: dict[str, int], taken: Sequence[str]) -> None:
    for name, count in files.items():
        games.write_shard(tmp_path / f"shard-{name}", [random_game(i, 1) for i in range(count)], {"seed": 1})
    assert [path.name for path in games.game_files(tmp_path)] == [f"shard-{name}" for name in taken]
    with storage.lock(tmp_path):
        # self-play removes parts when their shards are complete
        shards = games.shard_paths(tmp_path)
        if shards:
            assert games.game_files(tmp_path) == shards
        else:
            with pytest.raises(InvalidGamesError, match="no shards of games in it"):
                games.game_files(tmp_path)
