"""`kr policy fit`: what it learns, the command in all its ends, and what it refuses.

What all trainings have in common, checkpoints and ways to end, is tested in `test_descent.py`.
"""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from policies import random_policy_model
from recorded import write_archive
from refusals import check_refused
from studies import Fits, check_that_it_resumes, fits_in, options
from systems import RUNS_JAX

from kr import cli
from kr.archives.archive import ReadSettings
from kr.errors import InvalidSettingError, StoppedError
from kr.game.position import Position
from kr.policy.model_file import PolicyModel, read_policy, save_policy
from kr.policy.policy import Policy, load_policy
from kr.policy.shape import PolicyShape
from kr.studies.people import logit, strengths, training
from kr.studies.people.decisions import Decisions, read_decisions
from kr.studies.people.examples import make_examples
from kr.studies.people.fit_task import PolicyProgress
from kr.studies.people.nets import start_arrays
from kr.studies.people.settings import PolicyFitSettings
from kr.studies.people.splits import split_decisions
from kr.studies.people.training import edges_of, fit_policy, judged_policy

GAMES = 40
TINY: dict[str, dict[str, Any]] = {
    "net": {"hidden": (16, 8), "epochs": 3, "batch": 64},
    "logit": {"layout": "small", "max_iter": 30},
}
INTERRUPTED_AT = {"net": 4, "logit": 24}
"""Calls about training: in the second epoch, or leg."""
SHAPE = PolicyShape(hidden=(24, 8))

pytestmark = RUNS_JAX


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


def words(archive: Path, out: Path, model: str) -> list[str]:
    """The command line of that fit."""
    return ["policy", "fit", str(archive), "--out", str(out), "--model", model, *options(TINY[model])]


@pytest.fixture(scope="module")
def fits(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Fits:
    return fits_in(tmp_path_factory, lambda name, out, hear: fit_policy(tiny(archive, out, name), hear))


@pytest.fixture
def settings(archive: Path, tmp_path: Path) -> PolicyFitSettings:
    return tiny(archive, tmp_path / "policy.h5")


def essence(model: PolicyModel) -> tuple[Any, ...]:
    """Everything that must not depend on interruptions: all but the times."""
    fit = json.loads(json.dumps(model.card["fit"]))
    for point in fit.get("curve", ()):
        point.pop("seconds", None)
    return model.checksum, {**model.card, "fit": fit}


# --- what it learns


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "changed"),
    [
        pytest.param("net", {"epochs": 6, "hidden": (32, 16), "before": False, "rate": 5e-3}, marks=pytest.mark.soak),
        ("logit", {"l2": 5}),
    ],
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
@pytest.mark.parametrize("name", [pytest.param("net", marks=pytest.mark.soak), "logit"], scope="module")
def test_a_fit_is_told_on_the_card(fits: Fits, decisions: Decisions, name: str) -> None:
    fit = fits(name)
    model, card = fit.model, fit.model.card
    assert essence(read_policy(fit.out)) == essence(model)
    assert [path.name for path in fit.out.parent.iterdir()] == ["made.h5"]
    assert card["data"] == {"files": ["games.pdn"], **decisions.facts(), "signature": decisions.signature}
    parts = split_decisions(decisions)
    assert card["split"] | {"leak": 0} == {
        "by": "games", "seed": 1, "training_games": len(np.unique(decisions.game[parts.training])), "leak": 0,
        "training": len(parts.training), "validation": len(parts.validation), "test": len(parts.test),
    }  # fmt: skip
    assert json.loads(model.attrs["parents"]) == [decisions.signature]
    training_steps = [each for each in fit.progress if each.what == "training"]
    assert training_steps[-1].count == training_steps[-1].total
    assert [each.count for each in training_steps] == sorted(each.count for each in training_steps)


@pytest.mark.slow
def test_the_best_epoch_is_kept(fits: Fits, decisions: Decisions) -> None:
    model = fits("net").model
    fit = model.card["fit"]
    losses = [point["validation_loss"] for point in fit["curve"]]
    assert len(losses) == 3
    # it learns
    assert losses[-1] < losses[0]
    assert fit["best_epoch"] == 1 + int(np.argmin(losses))
    # the file has half the digits
    found = judged_policy(Policy(model), decisions, split_decisions(decisions).validation)
    assert found["cross_entropy"] == pytest.approx(min(losses), abs=2e-3)


@pytest.mark.slow
def test_scores_are_counted_from_the_probabilities(fits: Fits, decisions: Decisions) -> None:
    """The card's scores of the test part, by one question at a time."""
    model = fits("net").model
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
def test_a_fit_without_a_test_part(settings: PolicyFitSettings) -> None:
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
def test_a_net_is_told_the_player_s_strength_and_the_year(
    settings: PolicyFitSettings, decisions: Decisions, players: Path
) -> None:
    """Fitted to fewer games, too."""
    model = fit_policy(replace(settings, players=players, strengths=3, years=3, games=10, epochs=1))
    assert model.card["split"]["training_games"] == 10
    assert (len(model.shape.strengths), len(model.shape.years)) == (2, 2)
    parts = split_decisions(decisions).first_games(decisions, 10, 1)
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
    """Batches follow from seed and number alone, wherever an epoch is entered."""
    from kr.studies.people.net_training import NetLearner, NetRecipe

    shape = PolicyShape(hidden=(8, 8), sight="none", years=(1900.0,))
    examples = make_examples(decisions, shape, None)
    recipe = NetRecipe(2, 100, 1e-3, 0, 0, hidden_before=0.5, hidden_player=0.25, seed=7)
    learner = NetLearner(shape, recipe, examples, examples)
    whole, late = list(learner.epoch(1, 0)), list(learner.epoch(1, 3))
    assert len(whole) == learner.batches == len(late) + 3
    for one, other in zip(whole[3:], late, strict=True):
        assert all((one[name] == other[name]).all() for name in one)
    before = np.concatenate([batch["before"] for batch in whole])
    assert 0.4 < (before == 32).all(axis=1).mean() < 0.6
    years = np.concatenate([batch["year"] for batch in whole])
    assert 0.15 < (years == 2).mean() < 0.35
    first = next(learner.epoch(0, 0))
    assert (first["boards"] != whole[0]["boards"]).any()


@pytest.mark.slow
def test_a_logit_keeps_its_best_leg(fits: Fits, decisions: Decisions) -> None:
    model = fits("logit").model
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


# --- the command


@pytest.mark.slow
@pytest.mark.smoke
@pytest.mark.costly
@pytest.mark.posix("no setrlimit")
@pytest.mark.parametrize("name", [pytest.param("net", marks=pytest.mark.soak), "logit"], scope="module")
def test_the_command_resumes_wherever_it_ended(
    archive: Path, tmp_path: Path, fits: Fits, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    name: str,
) -> None:  # fmt: skip
    # what was done is not done again, but for the leg of a logit that was under way
    out, begins = tmp_path / "policy.h5", logit.LOGIT_LEG if name == "logit" else None
    check_that_it_resumes(
        words(archive, out, name), out, INTERRUPTED_AT[name], (training, "save_policy"), monkeypatch, capsys, begins
    )
    assert essence(read_policy(out)) == essence(fits(name).model)


@pytest.mark.slow
def test_a_stopped_logit_says_how_far_it_is(archive: Path, tmp_path: Path) -> None:
    stop = threading.Event()

    def on_progress(progress: PolicyProgress) -> None:
        if progress.what == "training" and progress.count == logit.LOGIT_LEG + 2:
            stop.set()

    with pytest.raises(StoppedError, match=r"stopped after 22 iterations, its last checkpoint is at 20; run the same"):
        fit_policy(tiny(archive, tmp_path / "policy.h5", "logit"), on_progress, stop)


def test_a_fit_stops_while_it_reads(settings: PolicyFitSettings) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(StoppedError, match=r"policy\.h5: the fit was stopped \(reading games\); run the same command"):
        fit_policy(settings, stop=stop)


# --- what is refused


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
    line = f"policy fit {archive} --out {tmp_path / 'policy.h5'}"
    check_refused(capsys, line, 2, "--model logit needs neither")
    assert fit_policy(tiny(archive, tmp_path / "policy.h5", "logit")).shape.model == "logit"


def test_the_archive_is_not_written_over(archive: Path) -> None:
    with pytest.raises(InvalidSettingError, match="is read by this fit"):
        fit_policy(tiny(archive, archive))


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("policy fit {archive} --out {here}", 2, "is a directory"),
        ("policy fit {archive} --out {out} --hidden 16,9", 2, "expected a multiple of 8"),
        ("policy fit {archive} --out {out} --years 1", 2, "years"),
        ("policy fit {archive} --out {out} --players {archive}", 1, "games.pdn"),
        ("policy fit {archive} --out {out} --players x.h5 --model logit", 2, "only a net does"),
        ("policy show {archive}", 1, "games.pdn"),
        ("policy show {archive} B:W1", 1, "games.pdn"),
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
