"""Training by generations: repeatable runs, resuming after interruptions, the gate, the history, errors."""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from systems import make_fifo
from tables import TINY as TINY_LAYOUT
from tables import tiny_file

from kr import storage
from kr.cli import main
from kr.errors import InvalidGamesError, InvalidSettingError, InvalidWeightsError, KrError, OutputBusyError
from kr.evaluation import weights
from kr.evaluation.layouts import DEFAULT_LAYOUT
from kr.evaluation.own_regions import RegionSet
from kr.evaluation.parts import MEN_SHAPES
from kr.game.outcome import OVERTIME
from kr.learn.fitting.dataset import Label
from kr.learn.fitting.settings import FitSettings
from kr.learn.selfplay import SelfplayResult, SelfplaySettings
from kr.learn.training import history as train_history
from kr.learn.training import plot as train_plot
from kr.learn.training import train as train_module
from kr.learn.training.gate import Gate
from kr.learn.training.history import TrainHistory
from kr.learn.training.outlook import doubt
from kr.learn.training.settings import TrainSettings, step_record
from kr.learn.training.train import TrainWatcher, train
from kr.match.elo import Sprt
from kr.match.game import FAILURE
from kr.match.log import Effort, MatchGame

__all__ = ["tiny_file"]
ACCEPT, REFUSE = (-800.0, -790.0), (790.0, 800.0)
"""Bounds between which all tables pass the gate after all games, or none."""

TINY = TrainSettings(
    out=Path("nowhere"), weights="material", generations=2, workers=1,
    games=24, nodes=50, openings="3move", hash=1 << 16, shard_games=8, egdb="none",
    layout=TINY_LAYOUT, holdout=0.2, max_iter=4,
    gate_games=8, gate_nodes=50, gate_ballot="3move", gate_hash=1 << 20, sprt=ACCEPT,
)  # fmt: skip


class StopHereError(Exception):
    pass


class Stop(TrainWatcher):
    """Ends a run at the n-th call about a step of a generation, the first one being that it begins."""

    def __init__(self, number: int, step: str, calls: int = 1) -> None:
        self.at, self.calls, self.now, self.notices = (number, step), calls, (0, ""), []

    def count(self) -> None:
        if self.now == self.at:
            self.calls -= 1
            if not self.calls:
                raise StopHereError

    def begins(self, number: int, step: str, settings: TrainSettings) -> None:
        self.now = (number, step)
        self.count()

    def played(self, tally: SelfplayResult) -> None:
        self.count()

    def fitting(self, what: str, done: int, total: int) -> None:
        self.count()

    def matched(self, gate: Gate) -> None:
        self.count()

    def notice(self, text: str) -> None:
        self.notices.append(text)


def stopped(settings: TrainSettings, number: int, step: str, calls: int = 1) -> list[str]:
    """Train up to a call about a step; returns what was said."""
    stop = Stop(number, step, calls)
    with pytest.raises(StopHereError):
        train(settings, stop)
    return stop.notices


def essence(history: TrainHistory) -> list[Any]:
    """Settings and results of all steps, which must be the same again."""
    steps = [getattr(g, name) for g in history.generations for name in train_history.GENERATION_STEPS]
    results = [{**step.result, "bytes": 0} for step in steps]
    return [history.best, [g.player for g in history.generations], [step.settings for step in steps], results]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TrainHistory]:
    out = tmp_path_factory.mktemp("train") / "run"
    return out, train(replace(TINY, out=out))


@pytest.mark.slow
@pytest.mark.core
def test_what_a_run_leaves(finished: tuple[Path, TrainHistory]) -> None:
    out, history = finished
    assert train_history.load_history(out) == history
    assert [g.player for g in history.generations] == ["material", "g01.h5"]
    assert history.best == "g02.h5"
    names = {"history.json"} | {f"{n}{k}" for k in ("01", "02") for n in ("games-", "gate-", "g")}
    assert {path.name.partition(".")[0] if path.suffix != ".json" else path.name for path in out.iterdir()} == names
    for generation in history.generations:
        play, fit, gate = (getattr(generation, name).result for name in train_history.GENERATION_STEPS)
        assert (play["games"], play["shards"]) == (24, 3)
        assert play["black_wins"] + play["draws"] + play["white_wins"] == sum(play["reasons"].values()) == 24
        assert weights.load_tables(out / fit["weights"]).checksum == fit["checksum"]
        assert [run["directory"] for run in fit["runs"]] == ["games-01", "games-02"][: generation.number]
        assert gate["wins"] + gate["draws"] + gate["losses"] == 2 * sum(gate["pentanomial"]) == 8
        assert gate["accepted"]
        assert all(getattr(generation, name).seconds > 0 for name in train_history.GENERATION_STEPS)


@pytest.mark.slow
@pytest.mark.core
def test_same_seed_same_tables(finished: tuple[Path, TrainHistory], tmp_path: Path) -> None:
    stopped(replace(TINY, out=tmp_path, workers=2), 2, "play")
    both = finished[1], train_history.load_history(tmp_path)
    one, same = (essence(replace(history, generations=history.generations[:1])) for history in both)
    assert one == same


@pytest.mark.slow
def test_another_seed_other_games(finished: tuple[Path, TrainHistory], tmp_path: Path) -> None:
    stopped(replace(TINY, out=tmp_path, seed=2), 1, "fit")
    found = train_history.load_history(tmp_path).generations[0].play
    assert found.result["plies"] != finished[1].generations[0].play.result["plies"]


@pytest.mark.slow
def test_interrupted_at_each_step(
    finished: tuple[Path, TrainHistory],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(train_module, "SAVE_EVERY", 0.0)
    settings = replace(TINY, out=tmp_path, generations=1)
    for step, calls, done in (("play", 14, 8), ("fit", 9, None), ("gate", 4, 3)):
        assert not stopped(settings, 1, step, calls)
        (generation,) = train_history.load_history(tmp_path).generations
        assert generation.under_way == step
        assert getattr(generation, step).seconds > 0
        found = train_history.games_done(tmp_path, generation)
        assert found is None if done is None else found[0] >= done
        assert main(["train", "--out", str(tmp_path), "--status"]) == 0
        out = capsys.readouterr().out
        assert f"{step} ..." in out
        assert ("under way" in out) == (step != "fit")
    train(settings)
    (made,) = train_history.load_history(tmp_path).generations
    expected = finished[1].generations[0]
    assert [made.fit.result, made.gate.result] == [expected.fit.result, expected.gate.result]
    assert not list(tmp_path.glob("*.checkpoint"))


@pytest.mark.slow
def test_killed_command_goes_on(finished: tuple[Path, TrainHistory], tmp_path: Path, tiny_file: Path) -> None:
    arguments = ["train", "--out", str(tmp_path), "--weights", "material", "--generations", "1", "--egdb", "none"]
    arguments += ["--games", "24", "--nodes", "50", "--openings", "3move", "--hash", "64kB", "--shard-games", "8"]
    arguments += ["--layout", str(tiny_file), "--holdout", "0.2", "--max-iter", "4", "--sprt", "-800", "-790"]
    arguments += ["--gate-games", "8", "--gate-nodes", "50", "--gate-ballot", "3move", "--gate-hash", "1MB"]
    with subprocess.Popen([sys.executable, "-m", "kr", *arguments], stdout=subprocess.PIPE) as process:
        give_up = time.monotonic() + 60
        while not (tmp_path / "gate-01.pdn.log").exists() and time.monotonic() < give_up:
            assert process.poll() is None
            time.sleep(0.002)
        process.kill()
    assert main(arguments) == 0
    (made,) = train_history.load_history(tmp_path).generations
    expected = finished[1].generations[0]
    assert [made.fit.result, made.gate.result] == [expected.fit.result, expected.gate.result]


@pytest.mark.soak
def test_refused_tables_do_not_play(finished: tuple[Path, TrainHistory], tmp_path: Path) -> None:
    settings = replace(TINY, out=tmp_path, sprt=REFUSE, data=(finished[0] / "games-01",), window=2)
    stopped(settings, 2, "gate")
    first, second = train_history.load_history(tmp_path).generations
    assert not first.gate.result["accepted"]
    assert (tmp_path / "g01.h5").exists()
    assert second.player == "material"
    runs = [[run["directory"] for run in generation.fit.result["runs"]] for generation in (first, second)]
    assert runs == [[(finished[0] / "games-01").as_posix(), "games-01"], ["games-01", "games-02"]]


@pytest.mark.slow
def test_other_settings_hold_for_what_has_not_begun(tmp_path: Path) -> None:
    settings = replace(TINY, out=tmp_path)
    stopped(settings, 1, "play")
    # no game is lost by taking other settings now
    later = replace(settings, nodes=40)
    assert not stopped(later, 1, "play", calls=9)
    last = replace(settings, nodes=30, label=Label(0.5), gate_nodes=40)
    said = stopped(last, 1, "gate", calls=4)
    assert len(said) == 1
    assert "generation 1, play" in said[0]
    assert "nodes=40; nodes=30 from generation 2 on" in said[0]
    said = stopped(replace(last, gate_nodes=60, generations=2), 2, "fit")
    assert len(said) == 1
    assert "generation 1, gate" in said[0]
    first, second = train_history.load_history(tmp_path).generations
    assert [g.play.settings["nodes"] for g in (first, second)] == [40, 30]
    assert first.fit.settings["label"] == "mix=0.5"
    assert first.gate.settings["gate_nodes"] == 40


def test_more_generations_and_none(finished: tuple[Path, TrainHistory]) -> None:
    assert train(replace(TINY, out=finished[0], generations=1)) == finished[1]
    # the weights that it began with need not be named again
    assert train(replace(TINY, out=finished[0], weights="")) == finished[1]


@pytest.mark.slow
def test_the_run_keeps_the_tables_it_began_with(finished: tuple[Path, TrainHistory], tmp_path: Path) -> None:
    source = Path(shutil.copy(finished[0] / "g01.h5", tmp_path / "mine.h5"))
    settings = replace(TINY, out=tmp_path / "run", weights=str(source), generations=0)
    history = train(settings)
    assert (history.start, history.best) == ("start.h5", "start.h5")
    assert history.signature == weights.load_tables(tmp_path / "run" / "start.h5").checksum
    source.unlink()
    stopped(replace(settings, generations=1), 1, "play", calls=3)
    shutil.copy(finished[0] / "g02.h5", tmp_path / "run" / "start.h5")
    with pytest.raises(InvalidWeightsError, match=r"start\.h5: .* restore the file"):
        train(replace(settings, generations=1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 2}, "began with seed=1, not 2"),
        ({"weights": "manual"}, "began with the tables material"),
        ({"layout": "huge"}, "layout: 'huge' is not a Layout"),
        ({"regions": RegionSet([[0, 4]])}, "layout and regions exclude each other"),
        ({"gate_games": 7}, "7 games"),
        ({"sprt": (5.0, 0.0)}, "SPRT"),
        ({"gate_ballot": "none"}, "no openings 'none'"),
        ({"openings": "3move+"}, "no openings ''"),
        ({"out": Path("a,b")}, "without a comma"),
    ],
)
def test_settings_that_are_refused(finished: tuple[Path, TrainHistory], change: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidSettingError, match=message):
        train(replace(TINY, **{"out": finished[0], **change}))


def test_a_foreign_directory_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "games-01").mkdir()
    with pytest.raises(InvalidGamesError, match=r"games-01 but no history\.json"):
        train(replace(TINY, out=tmp_path))


def test_no_such_tables(tmp_path: Path) -> None:
    with pytest.raises(InvalidWeightsError):
        train(replace(TINY, out=tmp_path / "run", weights=str(tmp_path / "none.h5")))
    assert not (tmp_path / "run").exists()


def changed(how: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        content = json.loads(path.read_text())
        how(content)
        path.write_text(json.dumps(content))

    return change


def with_checksum(how: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
    """A change by someone who can count."""

    def change(content: dict[str, Any]) -> None:
        how(content)
        rest = {key: value for key, value in content.items() if key not in ("kind", "format_version", "checksum")}
        content["checksum"] = storage.checksum(json.dumps(rest, sort_keys=True).encode())

    return change


def in_place_of(make: Callable[[Path], None]) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        path.unlink()
        make(path)

    return change


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-40]), "not JSON"),
        (lambda path: path.write_text("[]"), "not the history"),
        (changed(lambda c: c.update(kind="other")), "not the history"),
        (changed(lambda c: c.update(format_version=2)), "format version 2, this kr reads 1"),
        (changed(lambda c: c.update(format_version="1")), "format version is '1', not a whole number"),
        (changed(lambda c: c.update(format_version=1.0)), "format version is 1.0, not a whole number"),
        (changed(lambda c: c.update(format_version=True)), "format version is True, not a whole number"),
        (changed(with_checksum(lambda c: c.update(seed="1"))), "not of format version 1"),
        (changed(with_checksum(lambda c: c["generations"][0].update(number="1"))), "not of format version 1"),
        (changed(with_checksum(lambda c: c["generations"][0]["play"].update(result=[1]))), "not of format version 1"),
        (in_place_of(make_fifo), "not a regular file"),
        (in_place_of(os.mkdir), "not a regular file"),
        (changed(lambda c: c.update(seed=3)), "does not match its checksum"),
        (changed(with_checksum(lambda c: c.update(bogus=1))), "not of format version 1"),
        (lambda path: path.unlink(), "is not a training run"),
    ],
)
def test_a_damaged_history_is_named(
    finished: tuple[Path, TrainHistory], tmp_path: Path, harm: Callable[[Path], None], message: str
) -> None:
    path = tmp_path / "history.json"
    path.write_bytes((finished[0] / "history.json").read_bytes())
    harm(path)
    with pytest.raises(InvalidGamesError, match=message) as caught:
        train_history.load_history(tmp_path)
    assert "history.json" in str(caught.value)


def remove_shard(run: Path) -> None:
    (run / "games-02" / "shard-000001.h5").unlink()


def replace_tables(run: Path) -> None:
    shutil.copy(run / "g01.h5", run / "g02.h5")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("harm", "error", "message"),
    [
        (remove_shard, InvalidGamesError, "games-02 holds 2 shards of games instead of 3"),
        (replace_tables, InvalidWeightsError, r"g02\.h5: these tables"),
    ],
)
def test_what_was_made_must_be_there(
    finished: tuple[Path, TrainHistory],
    tmp_path: Path,
    harm: Callable[[Path], None],
    error: type[KrError],
    message: str,
) -> None:
    run = shutil.copytree(finished[0], tmp_path / "run")
    harm(run)
    with pytest.raises(error, match=message):
        train(replace(TINY, out=run, generations=3))


def test_two_writers(finished: tuple[Path, TrainHistory]) -> None:
    with storage.lock(finished[0]):
        with pytest.raises(OutputBusyError):
            train(replace(TINY, out=finished[0], generations=3))
        assert main(["train", "--out", str(finished[0]), "--status"]) == 0


def test_regions_of_ones_own_are_fitted_and_recorded() -> None:
    regions = RegionSet([[0, 4]], name="mine")
    settings = replace(TINY, layout=DEFAULT_LAYOUT, regions=regions)
    assert settings.fit_settings(1, ()).windows(False) == regions.windows(False, MEN_SHAPES)
    record = step_record(settings, "fit")
    assert (record["regions"], record["layout"]) == (regions.as_dict(), regions.layout.as_dict())


def test_every_setting_of_self_play_and_fit_is_here() -> None:
    own = {field.name for field in fields(TrainSettings)}
    assert {field.name for field in fields(SelfplaySettings)} - own == {"tc"}
    assert {field.name for field in fields(FitSettings)} - own == {"directories"}


# --- the gate


def played(points: list[tuple[int, int]]) -> list[MatchGame]:
    """Games of pairs with these half points."""
    return [
        MatchGame(pair, game == 0, "x", both[game], "", "", 1, Effort(), Effort())
        for pair, both in enumerate(points)
        for game in (0, 1)
    ]


def verdict(games: list[MatchGame], stop: bool = True, bounds: tuple[float, float] = (0, 50)) -> dict[str, Any]:
    gate = Gate(Sprt(*bounds), stop)
    for game in games:
        gate.add(game)
    return gate.verdict()


def test_the_gate_warns_of_forfeits() -> None:
    games = played([(2, 0)] * 50)
    assert verdict(games, stop=False)["warning"] is None
    late = [replace(game, reason=OVERTIME) if game.pair in (3, 7) and game.points == 0 else game for game in games]
    assert verdict(late, stop=False)["warning"] is None
    late[0] = replace(late[0], reason=FAILURE)
    found = verdict(late, stop=False)
    assert found["warning"].startswith("3 of 100 games forfeited (2 on time, 1 by engine failure), which distorts")


WINNING = played([(2, 1), (1, 1), (2, 0), (2, 1), (1, 1)] * 60)


def test_the_gate_counts_pairs_in_order() -> None:
    expected = verdict(WINNING)
    assert (expected["decision"], expected["accepted"]) == ("H1", True)
    counted = expected["wins"] + expected["draws"] + expected["losses"]
    assert counted < len(WINNING)
    assert verdict(WINNING[:counted]) == expected
    assert verdict(WINNING[: counted - 2])["decision"] is None
    shuffled = random.Random(1).sample(WINNING, len(WINNING))
    assert verdict(shuffled) == expected


def test_the_gate_may_play_on() -> None:
    found = verdict(WINNING, stop=False)
    assert found["wins"] + found["draws"] + found["losses"] == len(WINNING)
    assert found["accepted"]


@pytest.mark.parametrize(("points", "accepted"), [([(2, 1), (1, 1)], True), ([(0, 1), (1, 1)], False)])
def test_an_undecided_gate_goes_by_what_is_likelier(points: list[tuple[int, int]], accepted: bool) -> None:
    found = verdict(played(points * 4))
    assert found["decision"] is None
    assert found["accepted"] == accepted == (found["llr"] > 0)


def test_a_gate_without_a_whole_pair() -> None:
    found = verdict(played([(2, 2)])[:1])
    assert found["wins"] == 0
    assert not found["accepted"]


# --- the history as rows, table and picture


def test_elo_adds_up(finished: tuple[Path, TrainHistory], tmp_path: Path) -> None:
    history = train_history.load_history(finished[0])
    gates = [(100.0, 3.0, True), (-20.0, 4.0, False), (50.0, 4.0, True)]
    history.generations = [
        replace(
            history.generations[0], number=number, player=player,
            gate=replace(history.generations[0].gate, result={
                **history.generations[0].gate.result, "elo": elo, "elo_error": error, "accepted": accepted,
            }),
        )
        for number, (player, (elo, error, accepted)) in enumerate(
            zip(["material", "g01.h5", "g01.h5"], gates, strict=True), 1
        )
    ]  # fmt: skip
    assert history.best == "g03.h5"
    rows = train_history.rows(history)
    assert [row["total"] for row in rows] == [100, 80, 150]
    assert [row["total_error"] for row in rows] == [3, 5, math.hypot(3, 4)]
    train_history.save_history(tmp_path, history)
    assert train_history.load_history(tmp_path) == history


def test_status(finished: tuple[Path, TrainHistory], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["train", "--out", str(finished[0]), "--status"]
    assert main([*words, "--plots", str(tmp_path / "pictures")]) == 0
    table = capsys.readouterr().out
    assert table.count("accepted") == 2
    # wherever the line is broken
    assert f"strongest {finished[0] / 'g02.h5'}" in " ".join(table.split())
    assert (tmp_path / "pictures" / "elo.png").read_bytes().startswith(b"\x89PNG")
    assert main([*words, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["generations"] == json.loads(json.dumps(train_history.rows(finished[1])))
    assert shown["strongest"]["signature"] == finished[1].generations[1].fit.result["checksum"]


def test_the_picture_names_run_games_and_date(
    finished: tuple[Path, TrainHistory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr(train_plot, "save", lambda figure, path: drawn.append(figure))
    run, history = finished
    train_plot.draw_generations(history, run, tmp_path)
    games = sum(row["games"] for row in train_history.rows(history))
    made = history.provenance["created"][:10]
    (figure,) = drawn
    title = f"Training run {run.name} · {len(history.generations)} generations · {games:,} games · {made}"
    assert figure.get_suptitle() == title
    assert figure.axes[0].get_ylabel() == f"Elo over the start, {history.weights}"


def test_a_command_tells_what_it_does(finished: tuple[Path, TrainHistory], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--out", str(finished[0]), "--generations", "2", "--nodes", "7", "--seed", "1"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "started from material" in out


@pytest.mark.parametrize(
    ("behind", "earlier", "generations", "games", "window", "said", "needed"),
    [
        # the shipped tables and the defaults
        (1_687_000, [], 4, 100_000, 3, "will see 300,000 at most", "--games 563k"),
        (1_687_000, [], 4, 300_000, 3, None, None),
        (1_687_000, [], 4, 300_000, 2, "will see 600,000 at most", "--games 844k"),
        (1_687_000, [], 8, 100_000, 0, "will see 800,000 at most", "--games 211k"),
        (1_687_000, [800_000], 1, 100_000, 3, None, None),
        (1_687_000, [800_000, 10_000, 10_000], 1, 10_000, 3, "will see 30,000 at most", "--games 1687k"),
        (0, [], 1, 10, 3, None, None),
        # resumed in the last fit or match, perhaps with fewer generations than there are
        (1_687_000, [100_000] * 4, 0, 100_000, 3, None, None),
        (1_687_000, [100_000] * 4, -1, 100_000, 3, None, None),
        (1_687_000, [], 0, 100_000, 0, None, None),
    ],
)
def test_a_run_that_cannot_win_is_told_so(
    behind: int, earlier: list[int], generations: int, games: int, window: int, said: str | None, needed: str | None
) -> None:
    line = doubt("shipped", behind, earlier, generations, games, window)
    if said is None or needed is None:
        assert line is None
    else:
        assert line is not None
        assert said in line
        assert needed in line


@pytest.mark.slow
@pytest.mark.parametrize(("weights", "doubted"), [("", True), ("material", False)])
def test_doubts_come_before_the_first_game(tmp_path: Path, weights: str, doubted: bool) -> None:
    notices = stopped(replace(TINY, out=tmp_path / "run", weights=weights), 1, "play")
    assert bool(notices) is doubted
    assert all("was fitted to 1,687,000 games" in line for line in notices)
