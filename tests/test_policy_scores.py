"""Scores of predicted moves: first choices, entropy, calibration, kinds of decisions, and the command."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from policies import random_policy, random_policy_model
from recorded import write_archive
from refusals import check_refused

from kr import cli
from kr.archives.archive import ReadSettings
from kr.policy.model_file import save_policy
from kr.policy.policy import PolicyRows
from kr.policy.shape import PolicyShape
from kr.studies.people.baselines import RandomMoves, SeenMoves, uniform_rows
from kr.studies.people.decisions import Decisions, read_decisions
from kr.studies.people.scores import (
    FIRST_CHOICES,
    Predictions,
    calibration,
    calibration_error,
    kinds_of_decisions,
    predicted,
    score_of,
)
from kr.studies.people.splits import split_decisions
from kr.studies.people.testing import policy_rows, score_model
from kr.system import split_command

SHAPE = PolicyShape(hidden=(16, 8), sight="none")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "games.pdn"
    write_archive(path, 60, seed=9)
    return path


@pytest.fixture(scope="module")
def decisions(archive: Path) -> Decisions:
    return read_decisions(ReadSettings(files=(archive,)))


def plain_ranks(decisions: Decisions, rows: PolicyRows) -> list[tuple[int, int]]:
    """Choices above each move played, and as probable as it, itself included."""
    found = []
    for i in range(len(decisions)):
        part = slice(rows.first[i], rows.first[i + 1])
        squares = zip(rows.origin[part], rows.target[part], rows.captured[part], strict=True)
        own = (*decisions.moves[i], decisions.captured[i])
        (at,) = (j for j, each in enumerate(squares) if tuple(each) == own)
        told = rows.probability[part][at]
        found.append((int((rows.probability[part] > told).sum()), int((rows.probability[part] == told).sum())))
    return found


def test_first_choices_and_entropy_are_those_of_a_plain_count(decisions: Decisions) -> None:
    rows = policy_rows(random_policy(SHAPE), decisions)
    found = predicted(decisions, rows)
    ranks = plain_ranks(decisions, rows)
    chosen = decisions.choices > 1
    assert np.array_equal(found.chosen, chosen)
    score = score_of(found, chosen)
    assert score is not None
    for k in FIRST_CHOICES:
        hits = [min(1, max(0, (k - above) / equal)) for above, equal in ranks]
        assert score.top[k] == pytest.approx(np.mean(np.array(hits)[chosen]), abs=1e-6)
    assert score.entropy == pytest.approx(-np.log(found.probability[chosen].astype(float)).mean(), abs=1e-6)
    assert score.decisions == chosen.sum()
    assert score_of(found, np.zeros(len(decisions), dtype=bool)) is None


def test_a_random_move_is_right_as_often_as_chance_has_it(decisions: Decisions) -> None:
    tested = score_model("random", decisions, RandomMoves().predict(decisions, np.arange(len(decisions))))
    chosen = decisions.choices[decisions.choices > 1].astype(float)
    for k in FIRST_CHOICES:
        assert tested.unforced.top[k] == pytest.approx(np.minimum(1, k / chosen).mean(), abs=1e-6)
    assert tested.unforced.entropy == pytest.approx(np.log(chosen).mean(), abs=1e-5)
    assert tested.calibration_error == pytest.approx(0, abs=1e-6)


def test_errors_are_by_games() -> None:
    # ten games, each right in all of its 50 decisions or in none: ten observations, not five hundred
    hits = np.repeat(np.array([1, 0, 1, 1, 0, 0, 1, 0, 1, 0], dtype=np.float32), 50)
    wide = np.repeat(hits[:, None], len(FIRST_CHOICES), axis=1)
    game = np.repeat(np.arange(10, dtype=np.int32), 50)
    all_rows = np.ones(500, dtype=bool)
    score = score_of(Predictions(wide, hits, all_rows, game, ranked=True), all_rows)
    assert score is not None
    assert score.error[1] == pytest.approx(1.96 * math.sqrt(0.25 / 10), abs=1e-6)
    assert score.entropy is None


def drawn(decisions: Decisions, rows: PolicyRows, seed: int) -> Decisions:
    """Decisions with moves drawn by these probabilities."""
    source = np.random.default_rng(seed)
    moves, captured = decisions.moves.copy(), decisions.captured.copy()
    for i in range(len(decisions)):
        part = np.arange(rows.first[i], rows.first[i + 1])
        chances = rows.probability[part].astype(float)
        at = source.choice(part, p=chances / chances.sum())
        moves[i], captured[i] = (rows.origin[at], rows.target[at]), rows.captured[at]
    changed = {"moves": moves, "captured": captured}
    return Decisions(**{name: changed.get(name, getattr(decisions, name)) for name in decisions.__dataclass_fields__})


def test_a_calibrated_policy_is_found_calibrated_and_another_not(decisions: Decisions) -> None:
    rows = policy_rows(random_policy(SHAPE), decisions)
    made = drawn(decisions, rows, seed=2)
    right = calibration_error(calibration(predicted(made, rows), rows))
    # the same probabilities, turned round among the choices
    probability = np.concatenate(
        [rows.probability[a:b][::-1] for a, b in zip(rows.first[:-1], rows.first[1:], strict=True)]
    )
    turned = rows._replace(probability=probability)
    wrong = calibration_error(calibration(predicted(made, turned), turned))
    assert right < 0.02
    assert wrong > 0.1
    bins = calibration(predicted(made, rows), rows)
    assert sum(each.choices for each in bins) == decisions.choices[decisions.choices > 1].sum()
    played = sum(each.choices * each.played for each in bins)
    assert played == pytest.approx((decisions.choices > 1).sum(), rel=1e-6)


def test_kinds_cover_all_decisions(decisions: Decisions) -> None:
    strengths = np.where(decisions.player == 0, np.nan, decisions.player / 100).astype(np.float32)
    known = decisions.ply < 5
    masks: dict[str, list[np.ndarray]] = {}
    for group, _, mask in kinds_of_decisions(decisions, strengths, known):
        masks.setdefault(group, []).append(mask)
    assert list(masks) == ["pieces", "kings", "move played", "choices", "year", "player", "position"]
    for group, parts in masks.items():
        covered = np.sum(parts, axis=0)
        assert covered.max() == 1, group
        assert (covered[decisions.choices > 1] == 1).all(), group


def test_what_was_seen_is_known(decisions: Decisions) -> None:
    split = split_decisions(decisions)
    seen = SeenMoves(decisions, split.training)
    own = score_model("seen", decisions.of(split.training), seen.predict(decisions, split.training))
    other = score_model("seen", decisions.of(split.test), seen.predict(decisions, split.test))
    assert own.unforced.top[1] > 0.9 > other.unforced.top[1]


def test_rows_of_other_decisions_are_refused(decisions: Decisions) -> None:
    with pytest.raises(ValueError, match="not those of the decisions"):
        predicted(decisions.of(np.arange(20)), uniform_rows(decisions.of(np.arange(1, 21))))


@pytest.fixture
def policy(tmp_path: Path, decisions: Decisions) -> Path:
    path = tmp_path / "policy.h5"
    card = {"data": {"signature": decisions.signature}, "split": {"by": "games", "seed": 7}}
    save_policy(path, random_policy_model(SHAPE, card=card))
    return path


def test_the_command(policy: Path, archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = f"policy test {policy} {archive} --against seen,random,nodes=60 --journals {tmp_path / 'rivals'}"
    assert cli.main(split_command(f"{line} --json")) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["split"], found["seed"], found["warning"]) == ("games", 7, None)
    assert [each["name"] for each in found["models"]] == ["policy", "seen", "random", "nodes=60"]
    for each in found["models"]:
        assert 0 < each["unforced"]["top1"] <= each["unforced"]["top3"] <= 1
        assert each["all"]["decisions"] == found["models"][0]["all"]["decisions"]
    assert found["models"][3]["unforced"]["cross_entropy"] is None
    assert (tmp_path / "rivals" / "search-60.jsonl").exists()
    assert cli.main(split_command(f"{line} --kinds --split years")) == 0
    out, err = capsys.readouterr()
    assert "calibration" in out
    assert max(map(len, out.splitlines())) <= 80
    assert "the figures flatter it" in err


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("policy test {policy} {archive} --against lots", 2, "'lots' is not a rival; expected seen, random or nodes=N"),
        ("policy test {policy} {archive} --split weeks", 2, "weeks"),
        ("policy test {policy} {archive} --players {policy}", 1, "not one of `kr policy players`"),
    ],
)
def test_bad_input(
    line: str, code: int, said: str, policy: Path, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_refused(capsys, line.format(policy=policy, archive=archive), code, said)
