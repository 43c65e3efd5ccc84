"""`kr policy fit`: what it learns, that interruptions change nothing, and what it refuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from policies import random_policy_model
from recorded import write_archive
from refusals import check_refused
from test_full_disk import room

from kr import cli
from kr.archives.archive import ReadSettings
from kr.errors import (
    DivergedError,
    InvalidPolicyError,
    InvalidSettingError,
    OutputBusyError,
    StoppedError,
)
from kr.game.position import Position
from kr.policy.model_file import PolicyModel, read_policy, save_policy
from kr.policy.policy import Policy, load_policy
from kr.policy.shape import PolicyShape
from kr.studies.people import descent, strengths, training
from kr.studies.people.decisions import Decisions, read_decisions
from kr.studies.people.examples import make_examples
from kr.studies.people.nets import start_arrays
from kr.studies.people.settings import PolicyFitSettings
from kr.studies.people.splits import split_decisions
from kr.studies.people.training import PolicyProgress, edges_of, fit_policy, judged_policy

GAMES = 40
TINY: dict[str, dict[str, Any]] = {
    "net": {"hidden": (16, 8), "epochs": 3, "batch": 64},
    "logit": {"layout": "small", "max_iter": 30},
    "post": {"maps": 8, "highway": 8, "epochs": 2, "batch": 64},
}
SHAPE = PolicyShape(hidden=(24, 8))


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games in which the first moves of the list are played more often."""
    path = tmp_path_factory.mktemp("archive") / "games.pdn"
    write_archive(path, GAMES)
    return path


@pytest.fixture(scope="module")
def decisions(archive: Path) -> Decisions:
    return read_decisions(ReadSettings((archive,)))


def tiny(archive: Path, out: Path, model: str = "net", **changed: Any) -> PolicyFitSettings:
    """A fit of a second."""
    return PolicyFitSettings((archive,), out, model=model, **{**TINY[model], **changed})


@pytest.fixture
def settings(archive: Path, tmp_path: Path) -> PolicyFitSettings:
    return tiny(archive, tmp_path / "policy.h5")


def told(model: PolicyModel) -> tuple[Any, ...]:
    """What must not depend on interruptions: all but the times."""
    fit = json.loads(json.dumps(model.card["fit"]))
    for point in fit.get("curve", ()):
        point.pop("seconds", None)
    return model.checksum, {**model.card, "fit": fit}


# --- what it learns


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "changed"),
    [("net", {"epochs": 12, "hidden": (64, 16), "before": False, "rate": 5e-3}), ("logit", {"l2": 5})],
)
def test_it_learns_what_is_played(tmp_path: Path, name: str, changed: dict[str, Any]) -> None:
    """Better than equal probabilities on games that it has not seen."""
    path = tmp_path / "many.pdn"
    write_archive(path, 300)
    model = fit_policy(tiny(path, tmp_path / "policy.h5", name, sight="none", **changed))
    decisions = read_decisions(ReadSettings((path,)))
    asked = decisions.of(split_decisions(decisions).test)
    chosen = asked.choices[(asked.choices > 1) & ~asked.prescribed].astype(float)
    assert model.card["test"]["cross_entropy"] < 0.97 * np.log(chosen).mean()


@pytest.mark.slow
@pytest.mark.parametrize("name", TINY)
@pytest.mark.smoke
def test_a_fit_is_told_on_the_card(archive: Path, tmp_path: Path, decisions: Decisions, name: str) -> None:
    fitted = tiny(archive, tmp_path / "policy.h5", name)
    seen: list[PolicyProgress] = []
    model = fit_policy(fitted, seen.append)
    assert told(read_policy(fitted.out)) == told(model)
    assert [path.name for path in tmp_path.iterdir()] == ["policy.h5"]
    card = model.card
    assert card["data"] == {"files": ["games.pdn"], **decisions.facts(), "signature": decisions.signature}
    parts = split_decisions(decisions)
    assert card["split"] | {"leak": 0} == {
        "by": "games", "seed": 1, "training_games": len(np.unique(decisions.game[parts.training])), "leak": 0,
        "training": len(parts.training), "validation": len(parts.validation), "test": len(parts.test),
    }  # fmt: skip
    assert json.loads(model.attrs["parents"]) == [decisions.signature]
    training_steps = [each for each in seen if each.what.startswith("training")]
    assert training_steps[-1].done == training_steps[-1].total
    assert [each.done for each in training_steps] == sorted(each.done for each in training_steps)


@pytest.mark.slow
def test_the_best_round_is_kept(settings: PolicyFitSettings, decisions: Decisions) -> None:
    model = fit_policy(settings)
    fit = model.card["fit"]
    losses = [point["validation_loss"] for point in fit["curve"]]
    assert len(losses) == 3
    assert fit["best_epoch"] == 1 + int(np.argmin(losses))
    # the file has half the digits
    found = judged_policy(Policy(model), decisions, split_decisions(decisions).validation)
    assert found["cross_entropy"] == pytest.approx(min(losses), abs=2e-3)


@pytest.mark.slow
def test_scores_are_counted_from_the_probabilities(settings: PolicyFitSettings, decisions: Decisions) -> None:
    """The card's scores of the test part, by one question at a time."""
    model = fit_policy(settings)
    policy, rows = Policy(model), split_decisions(decisions).test
    ranks, entropies = [], []
    for row in rows:
        one = decisions.of(np.array([row]))
        found = policy.predict(one.boards, one.before)
        moves = list(zip(found.origin, found.target, found.captured, strict=True))
        at = moves.index((one.moves[0, 0], one.moves[0, 1], one.captured[0]))
        rank = int((found.probability > found.probability[at]).sum())
        ranks.append(rank)
        if len(moves) > 1 and not one.prescribed[0]:
            entropies.append(-np.log(found.probability[at]))
    card = model.card["test"]
    assert (card["decisions"], card["chosen"]) == (len(rows), len(entropies))
    assert card["top_all"] == {str(top): np.mean(np.array(ranks) < top) for top in (1, 2, 3, 5, 10)}
    assert card["cross_entropy"] == pytest.approx(np.mean(entropies), rel=1e-5)


@pytest.mark.slow
def test_fewer_games_and_the_year(settings: PolicyFitSettings) -> None:
    model = fit_policy(replace(settings, games=10, years=3, epochs=1))
    assert model.card["split"]["training_games"] == 10
    assert len(model.shape.years) == 2
    without_test = fit_policy(replace(settings, split="none", epochs=1))
    assert without_test.card["test"] is None
    assert without_test.card["split"]["test"] == 0


@pytest.fixture(scope="module")
def players(decisions: Decisions, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Losses of players of whom each gives away more than the one before."""
    path = tmp_path_factory.mktemp("players") / "players.h5"
    chance = np.random.default_rng(1).random(len(decisions)) / 50
    loss = (decisions.player / 100 + chance).astype(np.float32)
    shaping = {"decisions": decisions.signature, "nodes": 100, "weights": "manual", "egdb": None, "hash": 1}
    strengths._write(path, loss, shaping)
    return path


@pytest.mark.slow
def test_a_net_is_told_the_player_s_strength(settings: PolicyFitSettings, decisions: Decisions, players: Path) -> None:
    fitted = replace(settings, players=players, strengths=3)
    model = fit_policy(fitted)
    assert len(model.shape.strengths) == 2
    assert model.checksum != fit_policy(replace(settings, out=settings.out.with_name("other.h5"))).checksum
    parts = split_decisions(decisions)
    told_strengths = strengths.strengths_of(decisions, strengths.read_losses(players, decisions).loss, parts.training)
    assert not np.isnan(told_strengths).all()
    assert model.card["test"] == judged_policy(Policy(model), decisions, parts.test, told_strengths)
    assert model.card["test"] != judged_policy(Policy(model), decisions, parts.test)


def test_edges_part_values_evenly() -> None:
    values = np.array([1, 2, 3, 4, 5, 6, np.nan], dtype=np.float32)
    assert edges_of(values, 3) == (3, 5)
    assert edges_of(values, 2) == (4,)
    assert edges_of(np.array([7, 7, 7], dtype=np.float32), 3) == ()
    assert edges_of(np.array([np.nan], dtype=np.float32), 3) == ()
    assert edges_of(np.array([1, 1, 1, 1, 2], dtype=np.float32), 5) == (2,)


def test_where_something_is_hidden_the_order_is_the_same(decisions: Decisions) -> None:
    """Batches follow from seed and number alone, wherever a round is entered."""
    from kr.studies.people.net_training import NetLearner, NetRecipe

    shape = PolicyShape(hidden=(8, 8), sight="none", years=(1900.0,))
    examples = make_examples(decisions, shape, None)
    recipe = NetRecipe(2, 100, 1e-3, 0, 0, hidden_before=0.5, hidden_player=0.25, seed=7)
    learner = NetLearner(shape, recipe, examples, examples)
    whole, late = list(learner.round(1, 0)), list(learner.round(1, 3))
    assert len(whole) == learner.batches == len(late) + 3
    for one, other in zip(whole[3:], late, strict=True):
        assert all((one[name] == other[name]).all() for name in one)
    before = np.concatenate([batch["before"] for batch in whole])
    assert 0.4 < (before == 32).all(axis=1).mean() < 0.6
    years = np.concatenate([batch["year"] for batch in whole])
    assert 0.15 < (years == 2).mean() < 0.35
    first = next(learner.round(0, 0))
    assert (first["boards"] != whole[0]["boards"]).any()


@pytest.mark.slow
def test_a_logit_keeps_its_best_leg(archive: Path, tmp_path: Path, decisions: Decisions) -> None:
    model = fit_policy(tiny(archive, tmp_path / "policy.h5", "logit", max_iter=60))
    curve = model.card["fit"]["curve"]
    losses = [point["validation_loss"] for point in curve]
    assert model.card["fit"]["best_leg"] == 1 + int(np.argmin(losses))
    rows = split_decisions(decisions).validation
    assert judged_policy(Policy(model), decisions, rows)["cross_entropy"] == pytest.approx(min(losses), abs=0.01)


def test_first_numbers_follow_from_the_seed() -> None:
    one, same, other = (start_arrays(SHAPE, seed) for seed in (1, 1, 2))
    assert all((one[name] == same[name]).all() for name in one)
    assert (one["w1"] != other["w1"]).any()
    assert {name: ("float32", array.shape) for name, array in one.items()} == SHAPE.array_sizes


# --- interruptions


@pytest.fixture(scope="module")
def undisturbed(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Any, ...]]:
    directory = tmp_path_factory.mktemp("undisturbed")
    return {name: told(fit_policy(tiny(archive, directory / f"{name}.h5", name))) for name in TINY}


@pytest.mark.slow
@pytest.mark.parametrize("name", TINY)
@pytest.mark.parametrize("at", [1, 3, 5])
def test_stopped_and_resumed_equals_undisturbed(
    archive: Path, tmp_path: Path, undisturbed: dict[str, tuple[Any, ...]], name: str, at: int
) -> None:
    fitted, stop, seen = tiny(archive, tmp_path / "policy.h5", name), threading.Event(), []

    def count(found: PolicyProgress) -> None:
        if found.what.startswith("training"):
            seen.append(found)
            if len(seen) == at:
                stop.set()

    with pytest.raises(StoppedError, match=r"policy\.h5: the fit was stopped .*; run the same command to resume"):
        fit_policy(fitted, count, stop)
    assert not fitted.out.exists()
    assert told(fit_policy(fitted)) == undisturbed[name]
    assert [path.name for path in tmp_path.iterdir()] == ["policy.h5"]


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_done(archive: Path, tmp_path: Path, undisturbed: dict[str, tuple[Any, ...]]) -> None:
    """No batch is trained on twice, though checkpoints are rare."""
    fitted, seen = tiny(archive, tmp_path / "policy.h5"), list[PolicyProgress]()

    def interrupt(found: PolicyProgress) -> None:
        if found.what == "training":
            seen.append(found)
            if len(seen) == 2:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_policy(fitted, interrupt)
    again: list[PolicyProgress] = []
    assert told(fit_policy(fitted, again.append)) == undisturbed["net"]
    first = next(each for each in again if each.what == "training")
    assert first.done == seen[-1].done > 0


KILLED = """
import os, signal, sys
from kr import cli
from kr.game.position import Position
from kr.studies.people import descent, logit

saves, save = [], descent.save_checkpoint

def save_and_die(*arguments):
    save(*arguments)
    saves.append(1)
    if len(saves) == int(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)

descent.save_checkpoint = logit.save_checkpoint = save_and_die
descent.SAVED_EVERY = 0
sys.exit(cli.main(sys.argv[2:]))
"""


def words(settings: PolicyFitSettings) -> list[str]:
    """The command line of a tiny fit."""
    fixed = ["--hidden", "16,8", "--epochs", "3", "--batch", "64"]
    if settings.model == "logit":
        fixed = ["--model", "logit", "--layout", "small", "--max-iter", "30"]
    return ["policy", "fit", str(settings.files[0]), "--out", str(settings.out), *fixed]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "saves"), [("net", 1), ("net", 4), ("logit", 1)])
def test_killed_and_resumed_equals_undisturbed(
    archive: Path, tmp_path: Path, undisturbed: dict[str, tuple[Any, ...]], name: str, saves: int
) -> None:
    settings = tiny(archive, tmp_path / "policy.h5", name)
    command = [sys.executable, "-c", KILLED, str(saves), *words(settings)]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert Path(f"{settings.out}.state").exists()
    assert not settings.out.exists()
    assert cli.main(words(settings)) == 0
    assert told(read_policy(settings.out)) == undisturbed[name]


@pytest.mark.slow
def test_a_finished_fit_is_only_read(settings: PolicyFitSettings, capsys: pytest.CaptureFixture[str]) -> None:
    first = fit_policy(settings)
    before = settings.out.read_bytes()
    seen: list[PolicyProgress] = []
    assert told(fit_policy(settings, seen.append)) == told(first)
    assert {each.what for each in seen} == {"reading games"}
    assert settings.out.read_bytes() == before
    assert cli.main(words(settings)) == 0
    assert "fitted already" in capsys.readouterr().out
    assert fit_policy(replace(settings, seed=2)).checksum != first.checksum


def interrupted(settings: PolicyFitSettings) -> Path:
    """Stop a training; returns its checkpoint."""
    stop = threading.Event()

    def in_training(found: PolicyProgress) -> None:
        if found.what.startswith("training") and found.done:
            stop.set()

    with pytest.raises(StoppedError):
        fit_policy(replace(settings, batch=32), in_training, stop)
    path = Path(f"{settings.out}.state")
    assert path.exists()
    return path


@pytest.mark.slow
def test_the_checkpoint_of_another_fit_is_not_used(
    settings: PolicyFitSettings, undisturbed: dict[str, tuple[Any, ...]]
) -> None:
    interrupted(settings)
    assert told(fit_policy(settings)) == undisturbed["net"]


def other_arrays(**changed: Any) -> Callable[[Path], None]:
    def edit(path: Path) -> None:
        with np.load(path) as file:
            arrays = dict(file) | changed
        with path.open("wb") as opened:
            np.savez(opened, **arrays)

    return edit


def remade(make: Callable[[Path], None]) -> Callable[[Path], None]:
    def edit(path: Path) -> None:
        path.unlink()
        make(path)

    return edit


@pytest.mark.slow
@pytest.mark.parametrize(
    "spoil",
    [
        remade(lambda path: path.write_bytes(b"PK nothing")),
        remade(os.mkfifo),
        remade(os.mkdir),
        lambda path: path.write_bytes(path.read_bytes()[:-200]),
        other_arrays(a_w1=np.zeros(3)),
        other_arrays(b_b1=np.full(16, np.nan, dtype=np.float32)),
        other_arrays(o_0000=np.array(["a"])),
        other_arrays(told="{}"),
        other_arrays(told='{"round": 1, "batches": 0, "loss_sum": 0, "seconds": 0, "curve": [{}]}'),
    ],
    ids=["text", "fifo", "directory", "truncated", "shape", "nan", "type", "told", "curve"],
)
def test_a_damaged_checkpoint_is_named(settings: PolicyFitSettings, spoil: Callable[[Path], None]) -> None:
    spoil(interrupted(settings))
    with pytest.raises(InvalidPolicyError, match=r"policy\.h5\.state: damaged checkpoint; remove it to start afresh"):
        fit_policy(replace(settings, batch=32))


@pytest.mark.slow
@pytest.mark.parametrize("writer", ["save_checkpoint", "save_policy"])
def test_a_full_disk_is_named_and_the_fit_goes_on_with_room(
    settings: PolicyFitSettings, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    undisturbed: dict[str, tuple[Any, ...]], writer: str,
) -> None:  # fmt: skip
    where: Any = descent if writer == "save_checkpoint" else training
    write = getattr(where, writer)

    def cramped(*arguments: Any) -> None:
        with room(5000):
            write(*arguments)

    monkeypatch.setattr(where, writer, cramped)
    assert cli.main(words(settings)) == 1
    name = "policy.h5.state" if writer == "save_checkpoint" else "policy.h5"
    assert capsys.readouterr() == ("", f"kr: {settings.out.with_name(name)}: File too large\n")
    monkeypatch.undo()
    assert {path.name for path in settings.out.parent.iterdir()} <= {"policy.h5.state"}
    assert cli.main(words(settings)) == 0
    assert told(read_policy(settings.out)) == undisturbed["net"]


# --- what is refused


def test_two_writers_are_refused(settings: PolicyFitSettings) -> None:
    held = "import sys, time, kr.storage as s\nwith s.lock(sys.argv[1]): print(flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", held, str(settings.out)], stdout=subprocess.PIPE) as other:
        assert other.stdout
        other.stdout.readline()
        with pytest.raises(OutputBusyError):
            fit_policy(settings)
        other.kill()


@pytest.mark.slow
def test_a_loss_without_end_is_named(settings: PolicyFitSettings, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DivergedError, match=r"policy\.h5: the loss is nan in round 1; try a smaller --rate"):
        fit_policy(replace(settings, rate=10, decay=100, epochs=400, batch=8))


def test_games_too_few(tmp_path: Path) -> None:
    write_archive(tmp_path / "one.pdn", 1)
    with pytest.raises(InvalidSettingError, match="too few games"):
        fit_policy(tiny(tmp_path / "one.pdn", tmp_path / "policy.h5"))


@pytest.mark.slow
def test_without_jax_a_logit_can_be_fitted(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    for name in ("jax", "optax"):
        monkeypatch.setitem(sys.modules, name, None)
    for model in ("net", "post"):
        line = f"policy fit {archive} --out {tmp_path / 'policy.h5'} --model {model}"
        check_refused(capsys, line, 2, "--model logit needs neither")
    assert fit_policy(tiny(archive, tmp_path / "policy.h5", "logit")).shape.model == "logit"


def test_the_archive_is_not_written_over(archive: Path) -> None:
    with pytest.raises(InvalidSettingError, match="is read by this fit"):
        fit_policy(tiny(archive, archive))


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("policy fit {out}.pdn --out {out}", 2, "does not exist"),
        ("policy fit {archive} --out {here}", 2, "is a directory"),
        ("policy fit {archive} --out {out} --hidden 16,9", 2, "expected a multiple of 8"),
        ("policy fit {archive} --out {out} --model tree", 2, "model"),
        ("policy fit {archive} --out {out} --sight far", 2, "sight"),
        ("policy fit {archive} --out {out} --years 1", 2, "years"),
        ("policy fit {archive} --out {out} --players {archive}", 1, "games.pdn"),
        ("policy fit {archive} --out {out} --players x.h5 --model logit", 2, "only a net is"),
        ("policy fit {archive} --out {out} --dropout 1", 2, "dropout"),
        ("policy show {archive}", 1, "games.pdn"),
        ("policy show {archive} B:W1", 1, "games.pdn"),
        ("policy show {out}", 1, "policy.h5"),
    ],
)
def test_bad_input_is_one_line(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture, line: str, code: int, said: str
) -> None:
    check_refused(capsys, line.format(archive=archive, out=tmp_path / "policy.h5", here=tmp_path), code, said)


@pytest.mark.parametrize("card", [{}, {"data": 3, "fit": {"curve": [1, {"round": "\x1b[2J"}]}, "good_for": "\x1b[2J"}])
def test_any_card_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str], card: dict[str, Any]) -> None:
    """A file may come from anywhere: what it says is text, and nothing more."""
    save_policy(tmp_path / "policy.h5", random_policy_model(SHAPE, card=card))
    assert cli.main(["policy", "show", str(tmp_path / "policy.h5")]) == 0
    out = capsys.readouterr().out
    assert "net 275-24-8 of squares" in out
    assert "\x1b" not in out


def test_moves_are_shown_with_their_probabilities(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "policy.h5"
    save_policy(path, random_policy_model(SHAPE))
    assert cli.main(["policy", "show", str(path), "--moves", "11-15 23-19", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    start, middle = Position(), Position().play("11-15")
    likely = load_policy(path).choices(middle.play("23-19"), [start, middle])
    assert [(each["move"], each["probability"]) for each in found["moves"]] == [
        (str(each.move), pytest.approx(each.probability)) for each in likely
    ]
    assert cli.main(["policy", "show", str(path), Position().fen]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 7
    assert cli.main(["policy", "show", str(path), "B:W18:B9,14"]) == 0
    assert "100.0" in capsys.readouterr().out
