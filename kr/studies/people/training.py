"""`kr policy fit`: learns from recorded games what people play.

Games become decisions, which are split; the training part fits the model, the validation part chooses the best epoch,
the test part only judges the finished policy, in the way that everyone will use it. Data, split, the course of the fit
and its scores stand on the policy's card.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kr import extras, storage
from kr.archives.archive import Archive
from kr.errors import InvalidPolicyError, InvalidSettingError, StoppedError
from kr.evaluation.kinds import Scorer, load_scorer
from kr.policy.model_file import PolicyModel, read_policy, save_policy
from kr.policy.policy import Policy
from kr.policy.shape import PolicyShape
from kr.settings import check_settings
from kr.studies.checkpoint import fitting
from kr.studies.descent import Descent, FitProgress, check_jax
from kr.studies.people.decisions import Decisions, decisions_of
from kr.studies.people.examples import known_years
from kr.studies.people.fit_task import FitTask, OnPolicyProgress, PolicyProgress
from kr.studies.people.settings import PolicyFitSettings
from kr.studies.people.splits import DecisionSplit, leak, split_decisions
from kr.studies.people.strengths import read_losses, strengths_of
from kr.text import printable

if TYPE_CHECKING:
    from kr.engine.search import Stop

HIDDEN_BEFORE = 0.1
"""Share of a net's training decisions whose moves before are hidden."""
HIDDEN_PLAYER = 0.5
"""Share of those whose player's strength is, and of those whose year is."""
MOST_CARD_FILES = 100
TOPS = (1, 2, 3, 5, 10)
GOOD_FOR = "telling what the players of these games would play, in positions as they came up in games"
NOT_GOOD_FOR = (
    "judging moves, as it repeats people's mistakes; problems and positions set up at will; players much weaker or "
    "stronger than those of the games, or of another time; other rules"
)


def fit_policy(
    settings: PolicyFitSettings, on_progress: OnPolicyProgress | None = None, stop: Stop | None = None
) -> PolicyModel:
    """Fit a policy to games and write its file; a finished one is only read.

    stop: ends the fit after the batches under way; called again, it resumes. Raises StoppedError then,
    InvalidSettingError for games too few to split, or without JAX for a network or SciPy for a logit, InvalidPdnError
    for damaged files, InvalidCheckpointError, DivergedError if the loss is not finite, OutputBusyError if another
    process writes the same file.
    """
    check_settings(settings, PolicyFitSettings)
    if settings.model == "logit":
        extras.check_packages("fitting a logit needs", *extras.TRAINING)
    else:
        check_jax("; --model logit needs neither")

    def show(progress: PolicyProgress) -> None:
        if on_progress:
            on_progress(progress)

    def tell(progress: PolicyProgress) -> None:
        show(progress)
        if stop is not None and stop.is_set():
            raise StoppedError(f"{settings.out}: the fit was stopped ({progress.what}); run the same command to resume")

    with fitting(settings.out, (*settings.files, *([settings.players] if settings.players else []))):
        decisions = _read(settings, tell)
        parts = split_decisions(decisions, settings.split, settings.seed)
        if settings.games:
            parts = parts.first_games(decisions, settings.games, settings.seed)
        for name in ("training", "validation"):
            rows = getattr(parts, name)
            if not ((decisions.choices[rows] > 1) & ~decisions.prescribed[rows]).any():
                raise InvalidSettingError(
                    f"{settings.files[0]}: too few games: the {name} part has no choice of a move"
                )
        strengths = _strengths(settings, decisions, parts)
        shape = _shape(settings, decisions, parts, strengths)
        eyes = load_scorer() if shape.plies >= 0 else None
        fingerprint = _fingerprint(settings, shape, decisions, parts, strengths, eyes)
        task = FitTask(settings, shape, decisions, parts, strengths, eyes, fingerprint, show, tell, stop)
        model = _finished(settings.out, fingerprint)
        if model is None:
            model = _fitted(task)
            save_policy(settings.out, model)
        task.checkpoint.remove()
    return model


def _read(settings: PolicyFitSettings, tell: OnPolicyProgress) -> Decisions:
    archive = Archive(settings.reading)
    total, read = archive.size, 0

    def on_bytes(count: int) -> None:
        nonlocal read
        read += count
        tell(PolicyProgress("reading games", read >> 10, max(read, total) >> 10, "KiB"))

    archive.on_bytes = on_bytes
    return decisions_of(archive)


def _strengths(settings: PolicyFitSettings, decisions: Decisions, parts: DecisionSplit) -> NDArray[np.float32] | None:
    if not settings.players:
        return None
    losses = read_losses(settings.players, decisions)
    return strengths_of(decisions, losses.loss, parts.training)


def _shape(
    settings: PolicyFitSettings, decisions: Decisions, parts: DecisionSplit, strengths: NDArray[np.float32] | None
) -> PolicyShape:
    years: tuple[float, ...] = ()
    players: tuple[float, ...] = ()
    if settings.years:
        years = edges_of(known_years(decisions)[parts.training], settings.years)
        if not years:
            raise InvalidSettingError("years: the games tell no two different years; fit without --years")
    if strengths is not None:
        players = edges_of(strengths[parts.training], settings.strengths)
        if not players:
            raise InvalidSettingError(
                f"players: {settings.players} tells no two players of different strength; fit without --players"
            )
    return PolicyShape(
        settings.model, settings.sight, settings.hidden, before=settings.before and settings.model == "net",
        strengths=players, years=years, layout=settings.layout,
    )  # fmt: skip


def edges_of(values: NDArray[np.float32], buckets: int) -> tuple[float, ...]:
    """Edges between buckets with about as many values each, NaN left out; fewer where many values are equal."""
    finite = values[~np.isnan(values)].astype(np.float64)
    if not len(finite):
        return ()
    edges = np.unique(np.quantile(finite, np.arange(1, buckets) / buckets, method="higher"))
    return tuple(float(edge) for edge in edges if edge > finite.min())


def _fingerprint(
    settings: PolicyFitSettings,
    shape: PolicyShape,
    decisions: Decisions,
    parts: DecisionSplit,
    strengths: NDArray[np.float32] | None,
    eyes: Scorer | None,
) -> str:
    shaping = {**settings.shaping(), "shape": shape.json(), "eyes": eyes.signature if eyes else ""}
    arrays: list[NDArray[Any]] = [decisions.year, parts.training, parts.validation, parts.test]
    if strengths is not None:
        arrays.append(strengths)
    return storage.checksum(
        json.dumps(shaping, sort_keys=True, default=str).encode(), decisions.signature.encode(), *arrays
    )


def _finished(path: Path, fingerprint: str) -> PolicyModel | None:
    """The policy, if an earlier start of this fit finished it; None if there is another one, which is replaced."""
    if not path.exists():
        return None
    try:
        model = read_policy(path)
    except InvalidPolicyError:
        return None
    return model if model.attrs.get("fingerprint") == fingerprint else None


def _fitted(task: FitTask) -> PolicyModel:
    arrays, fit = _FITTERS[task.settings.model](task)
    settings, eyes = task.settings, task.eyes
    attrs = storage.provenance(
        parents=[task.decisions.signature],
        **{**settings.shaping(), "files": [path.as_posix() for path in settings.files]},
    )
    model = PolicyModel(
        task.shape, arrays, eyes.signature if eyes else "", eyes.scale if eyes else 1.0,
        attrs={**attrs, "fingerprint": task.fingerprint}, path=settings.out,
    )  # fmt: skip
    scores = None
    if len(task.split.test):
        scores = judged_policy(Policy(model, task.eyes), task.decisions, task.split.test, task.strengths)
    return replace(model, card=_card(task, {**fit, "numbers": model.numbers}, scores))


def judged_policy(
    policy: Policy,
    decisions: Decisions,
    rows: NDArray[np.int64],
    strengths: NDArray[np.float32] | None = None,
) -> dict[str, Any]:
    """Scores of a policy on some decisions: shares of all, and of those that somebody chose, within its first choices,
    and the mean cross entropy of the latter in nats.

    strengths: (decisions,) of the movers, NaN for unknown.
    """
    sample = decisions.of(rows)
    strength = None if strengths is None else strengths[rows]
    choices = policy.predict(sample.boards, sample.before, strength, known_years(sample))
    counts = np.diff(choices.first)
    is_played = (
        (choices.origin == np.repeat(sample.moves[:, 0], counts))
        & (choices.target == np.repeat(sample.moves[:, 1], counts))
        & (choices.captured == np.repeat(sample.captured, counts))
    )
    own = choices.probability[is_played]
    ranks = np.add.reduceat(choices.probability > np.repeat(own, counts), choices.first[:-1], dtype=np.int64)
    chosen = (counts > 1) & ~sample.prescribed
    return {
        "decisions": len(rows),
        "chosen": int(chosen.sum()),
        "top_all": {str(top): float((ranks < top).mean()) for top in TOPS},
        "top_chosen": {str(top): float((ranks[chosen] < top).mean()) for top in TOPS},
        "cross_entropy": float(-np.log(np.maximum(own[chosen], 1e-30)).mean()),
    }


def _card(task: FitTask, fit: dict[str, Any], scores: dict[str, Any] | None) -> dict[str, Any]:
    decisions, settings, parts = task.decisions, task.settings, task.split
    return {
        "data": {
            "files": [printable(path.name) for path in settings.files[:MOST_CARD_FILES]],
            **decisions.facts(),
            "signature": decisions.signature,
        },
        "split": {
            "by": settings.split,
            "seed": settings.seed,
            "training_games": len(np.unique(decisions.game[parts.training])),
            **{part: len(getattr(parts, part)) for part in ("training", "validation", "test")},
            "leak": leak(decisions, parts),
        },
        "fit": fit,
        "test": scores,
        "good_for": GOOD_FOR,
        "not_good_for": NOT_GOOD_FOR,
    }


def _fit_net(task: FitTask) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Arrays of a trained net, and the part of the card about its training."""
    from kr.studies.people.net_training import NetLearner, NetRecipe

    settings = {name: getattr(task.settings, name) for name in ("epochs", "batch", "rate", "decay", "dropout")}
    recipe = NetRecipe(**settings, hidden_before=HIDDEN_BEFORE, hidden_player=HIDDEN_PLAYER, seed=task.settings.seed)
    learner = NetLearner(task.shape, recipe, task.examples("training"), task.examples("validation"))

    def on_progress(progress: FitProgress) -> None:
        parts = [f"epoch {min(progress.epoch + 1, learner.epochs)} of {learner.epochs}"]
        if progress.loss is not None:
            parts.append(f"loss {progress.loss:.3f}")
        if progress.best:
            parts.append(f"{100 * progress.best['top1']:.1f}% first choices")
        task.training(progress.count, progress.total, "decisions", ", ".join(parts))

    net = Descent(learner, task.checkpoint, task.settings.seed).run(on_progress, task.stop)
    # the name of an epoch in policy files
    curve = [{"round" if name == "epoch" else name: value for name, value in point.items()} for point in net.curve]
    return net.parameters, {**settings, "best_epoch": net.best["epoch"], "curve": curve}


def _fit_logit(task: FitTask) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    from kr.studies.people.logit import fit_logit

    return fit_logit(task)


_FITTERS = {"net": _fit_net, "logit": _fit_logit}
