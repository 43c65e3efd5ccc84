"""`kr policy test`: scores of a policy, and of its rivals, in decisions that it did not learn from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr.archives.archive import Archive, ReadSettings
from kr.policy.model_file import read_policy
from kr.policy.policy import Policy, PolicyRows, load_policy, shipped_policy
from kr.settings import REQUIRED, Settings, option, same_option, workers_option
from kr.studies.people.baselines import SeenMoves
from kr.studies.people.decisions import Decisions, decisions_of
from kr.studies.people.examples import known_years
from kr.studies.people.rivals import move_rival, parse_move_rivals
from kr.studies.people.scores import (
    CalibrationBin,
    Predictions,
    PredictionScore,
    calibration,
    calibration_error,
    kinds_of_decisions,
    predicted,
    score_of,
)
from kr.studies.people.splits import SPLITS, leak, split_decisions
from kr.studies.people.strengths import read_losses, strengths_of

ALL = "all"
CARD = "card"


@dataclass(frozen=True)
class PolicyTestSettings(Settings):
    """The games of a test, and the models to test."""

    policy: str = option(REQUIRED, "Policy file, or shipped.", argument=True, metavar="POLICY")
    files: tuple[Path, ...] = same_option(ReadSettings, "files")
    results: str = same_option(ReadSettings, "results")
    encoding: str = same_option(ReadSettings, "encoding")
    split: str = option(
        CARD, "Decisions to ask about: the test part of a split, or all; card: as the policy was fitted.",
        choices=(CARD, *(each for each in SPLITS if each != "none"), ALL),
    )  # fmt: skip
    seed: int | None = option(None, "Seed of the split.  [default: that of the policy's card, or 1]", low=0)
    against: Sequence[str] = option(
        (), "Rivals, with commas between: seen (the commonest move), random, nodes=N (kr's search).",
        parse=lambda text: parse_move_rivals(text) if text else (), show=",".join, metavar="RIVALS",
    )  # fmt: skip
    journals: Path = option(
        Path("policy-rivals"), "Directory in which searches of rivals are kept, so that they resume.", metavar="DIR"
    )
    players: Path | None = option(
        None, "Losses of `kr policy players`: tell the policy each player's strength, and score by it.", metavar="FILE"
    )
    told_years: bool = option(True, "Give the policy the years of the games, if it takes them.", name="years")
    workers: int = workers_option("Positions searched at a time")

    @property
    def reading(self) -> ReadSettings:
        """Settings of reading the games."""
        return ReadSettings(files=self.files, results=self.results, encoding=self.encoding)


@dataclass(frozen=True)
class TestedModel:
    """A policy or rival with its scores."""

    name: str
    all: PredictionScore
    unforced: PredictionScore
    kinds: Sequence[tuple[str, str, PredictionScore]]
    """Group, label and score of kinds of chosen decisions."""
    calibration: Sequence[CalibrationBin]
    """Empty where the probabilities stand for an order alone."""

    @property
    def calibration_error(self) -> float | None:
        """Mean distance of predicted and played shares; None without probabilities."""
        return calibration_error(list(self.calibration)) if self.calibration else None

    def as_object(self) -> dict[str, Any]:
        """The scores as JSON."""
        kinds = [{"group": group, "kind": label, **score.as_object()} for group, label, score in self.kinds]
        bins = [vars(each) for each in self.calibration]
        return {
            "name": self.name, "all": self.all.as_object(), "unforced": self.unforced.as_object(), "kinds": kinds,
            "calibration": bins, "calibration_error": self.calibration_error,
        }  # fmt: skip


@dataclass(frozen=True)
class PolicyTest:
    """Result of a test."""

    split: str
    """Split of the decisions."""
    seed: int
    leak: float | None
    """Share of the tested decisions whose position stands in the training part, if there is one."""
    warning: str
    """Why the figures may flatter the policy; "" if they don't."""
    models: Sequence[TestedModel]
    """The policy first."""
    facts: dict[str, int] = field(default_factory=dict)
    """Numbers of games, players and decisions in the files."""


OnTested = Callable[[str, int, int, str], None]
"""Called with stage, done, total and unit."""


def measure_policy(settings: PolicyTestSettings, on_progress: OnTested = lambda *rest: None) -> PolicyTest:
    """Test a policy and its rivals on recorded games.

    Raises InvalidPolicyError, InvalidPdnError, InvalidSettingError, and the errors of rivals.
    """
    model = read_policy(shipped_policy() if settings.policy == "shipped" else settings.policy)
    archive = Archive(settings.reading)
    read, size = 0, archive.size

    def on_bytes(count: int) -> None:
        nonlocal read
        read += count
        on_progress("reading games", read >> 10, max(read, size) >> 10, "KiB")

    archive.on_bytes = on_bytes
    decisions = decisions_of(archive)
    data, split_of_card = (model.card.get(part) for part in ("data", "split"))
    same = isinstance(data, dict) and data.get("signature") == decisions.signature
    own = split_of_card if same and isinstance(split_of_card, dict) else {}
    split, seed, warning = _choice(settings, own, same)
    if split == ALL:
        rows = np.flatnonzero(~decisions.games.duplicate[decisions.game])
        training, leaked = np.empty(0, dtype=np.int64), None
    else:
        parts = split_decisions(decisions, split, seed)
        rows, training, leaked = parts.test, parts.training, leak(decisions, parts)
    strengths = None
    if settings.players:
        losses = read_losses(settings.players, decisions)
        strengths = strengths_of(decisions, losses.loss, training if len(training) else rows)[rows]
    subset = decisions.of(rows)
    policy = load_policy(settings.policy)
    seen = SeenMoves(decisions, training).knows(decisions, rows) if len(training) else None
    predictions = policy_rows(policy, subset, strengths, settings.told_years)
    tested = [score_model(policy.name, subset, predictions, strengths, seen)]
    for name in settings.against:

        def on_searched(positions: int, total: int, name: str = name) -> None:
            on_progress(f"searching {name}", positions, total, "positions")

        rival = move_rival(name, decisions, training, settings.journals, settings.workers, on_searched)
        tested.append(score_model(rival.name, subset, rival.predict(decisions, rows), strengths, seen, rival.ranked))
    return PolicyTest(split, seed, leaked, warning, tested, decisions.facts())


def score_model(
    name: str,
    decisions: Decisions,
    rows: PolicyRows,
    strengths: NDArray[np.float32] | None = None,
    seen: NDArray[np.bool_] | None = None,
    ranked: bool = False,
) -> TestedModel:
    """Scores of the predictions for some decisions. strengths, seen: as for `kinds_of_decisions`."""
    predictions: Predictions = predicted(decisions, rows, ranked)
    everything = score_of(predictions, np.ones(len(decisions), dtype=bool))
    chosen = score_of(predictions, predictions.chosen)
    assert everything is not None
    kinds = []
    for group, label, mask in kinds_of_decisions(decisions, strengths, seen):
        score = score_of(predictions, mask & predictions.chosen)
        if score is not None:
            kinds.append((group, label, score))
    bins = [] if ranked else calibration(predictions, rows)
    return TestedModel(name, everything, chosen or everything, kinds, bins)


def policy_rows(
    policy: Policy, decisions: Decisions, strengths: NDArray[np.float32] | None = None, years: bool = True
) -> PolicyRows:
    """Predictions of a policy with all inputs that it takes. strengths: (n,) of the movers."""
    return policy.predict(decisions.boards, decisions.before, strengths, known_years(decisions) if years else None)


def _choice(settings: PolicyTestSettings, own: dict[str, Any], same: bool) -> tuple[str, int, str]:
    """Split, seed, and a warning if the policy may know the decisions."""
    by = own.get("by")
    fitted = str(by) if by in SPLITS else "none"
    card_seed = own.get("seed") if isinstance(own.get("seed"), int) else None
    split = settings.split
    if split == CARD:
        split = fitted if same and fitted != "none" else ALL
    seed = settings.seed if settings.seed is not None else card_seed if card_seed is not None else 1
    if not same:
        return split, seed, ""
    if split == fitted and seed == card_seed and split != ALL:
        return split, seed, ""
    return split, seed, "the policy was fitted to some of these decisions: the figures flatter it"
