"""`kr policy fit`: learns from recorded games what people play.

Games become decisions, which are split; the training part fits the model, the validation part chooses the round that is
kept, the test part only judges the finished policy, asked as everyone will ask it. What was read, how it was split, how
the fit went and what came out stand on the policy's card.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kr import storage
from kr.archives.archive import Archive
from kr.engine.search import Stop
from kr.errors import InvalidPolicyError, InvalidSettingError, StoppedError
from kr.evaluation.kinds import Scorer, load_scorer
from kr.policy.model_file import PolicyModel, read_policy, save_policy
from kr.policy.policy import Policy
from kr.policy.shape import PolicyShape
from kr.studies.people.decisions import Decisions, decisions_of
from kr.studies.people.descent import Descent, DescentProgress, checkpoint_path
from kr.studies.people.examples import Examples, known_years, make_examples
from kr.studies.people.leaps import played_leaps
from kr.studies.people.settings import PolicyFitSettings
from kr.studies.people.splits import DecisionSplit, leak, split_decisions
from kr.studies.people.strengths import read_losses, strengths_of

if TYPE_CHECKING:
    from kr.studies.people.post_net import PostPolicy

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


@dataclass(frozen=True)
class PolicyProgress:
    """How far a fit is."""

    what: str
    """The stage."""
    done: int
    total: int
    unit: str
    more: str = ""
    """What the fit says meanwhile."""


OnPolicyProgress = Callable[[PolicyProgress], None]


@dataclass(frozen=True, eq=False)
class FitTask:
    """One fit: its data, and whom to tell."""

    settings: PolicyFitSettings
    shape: PolicyShape
    decisions: Decisions
    split: DecisionSplit
    strengths: NDArray[np.float32] | None
    """(decisions,) mean loss of each mover in other games, NaN for unknown; None if the policy isn't told it."""
    eyes: Scorer | None
    fingerprint: str
    show: OnPolicyProgress
    """Shows progress."""
    tell: OnPolicyProgress
    """The same, but raises StoppedError if the fit is to stop: for steps that have nothing to save."""
    stop: Stop | None

    def chosen(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """True for the decisions of these rows that somebody made: neither forced nor prescribed."""
        return (self.decisions.choices[rows] > 1) & ~self.decisions.prescribed[rows]

    def looking(self, part: str) -> Callable[[int, int], None]:
        """What shows how far the examples of a part of the split are."""
        return lambda done, total: self.tell(PolicyProgress(f"looking at the {part} part", done, total, "decisions"))

    def training(self, done: int, total: int, unit: str, more: str) -> None:
        """Show how far the training is."""
        self.show(PolicyProgress("training", done, total, unit, more))

    def examples(self, part: str) -> Examples:
        """The examples of a part of the split."""
        rows = getattr(self.split, part)
        strengths = None if self.strengths is None else self.strengths[rows]
        return make_examples(self.decisions.of(rows), self.shape, self.eyes, strengths, self.looking(part))


def fit_policy(
    settings: PolicyFitSettings, on_progress: OnPolicyProgress | None = None, stop: Stop | None = None
) -> PolicyModel:
    """Fit a policy to games and write its file; a finished one is only read.

    stop: ends the fit after the batches under way; called again, it resumes. Raises StoppedError then,
    InvalidSettingError for games too few to split, or without JAX for a network, InvalidPdnError for damaged files,
    InvalidPolicyError for a damaged checkpoint, DivergedError if the loss is not finite, OutputBusyError if another
    process writes the same file.
    """
    if settings.model != "logit":
        _check_networks()
    storage.check_output(settings.out)
    for read in (*settings.files, *([settings.players] if settings.players else [])):
        if settings.out.exists() and read.exists() and settings.out.samefile(read):
            raise InvalidSettingError(f"--out {settings.out} is read by this fit; choose another file")

    def show(progress: PolicyProgress) -> None:
        if on_progress:
            on_progress(progress)

    def tell(progress: PolicyProgress) -> None:
        show(progress)
        if stop is not None and stop.is_set():
            raise StoppedError(f"{settings.out}: the fit was stopped ({progress.what}); run the same command to resume")

    with storage.lock(settings.out):
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
        model = _finished(settings.out, fingerprint)
        if model is None:
            task = FitTask(settings, shape, decisions, parts, strengths, eyes, fingerprint, show, tell, stop)
            model = _fitted(task)
            save_policy(settings.out, model)
        checkpoint_path(settings.out).unlink(missing_ok=True)
    return model


def _check_networks() -> None:
    try:
        import jax  # noqa: F401
        import optax  # noqa: F401
    except ImportError as error:
        raise InvalidSettingError(
            "fitting a network needs JAX and optax: pip install 'kr-draughts[nets]', or '.[nets]' in kr's checkout; "
            f"--model logit needs neither ({error})"
        ) from error


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
    if settings.model == "post":
        return PolicyShape("post", "none", (settings.maps, settings.highway), before=False)
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
    """Edges between so many buckets with about as many values each, NaN left out; fewer where many are the same."""
    known = values[~np.isnan(values)].astype(np.float64)
    if not len(known):
        return ()
    edges = np.unique(np.quantile(known, np.arange(1, buckets) / buckets, method="higher"))
    return tuple(float(edge) for edge in edges if edge > known.min())


def _fingerprint(
    settings: PolicyFitSettings,
    shape: PolicyShape,
    decisions: Decisions,
    parts: DecisionSplit,
    strengths: NDArray[np.float32] | None,
    eyes: Scorer | None,
) -> str:
    told = {**settings.shaping(), "shape": shape.json(), "eyes": eyes.signature if eyes else ""}
    arrays: list[NDArray[Any]] = [decisions.year, parts.training, parts.validation, parts.test]
    if strengths is not None:
        arrays.append(strengths)
    return storage.checksum(
        json.dumps(told, sort_keys=True, default=str).encode(), decisions.signature.encode(), *arrays
    )


def _finished(path: Path, fingerprint: str) -> PolicyModel | None:
    """The policy that an earlier start of the same fit finished; another one is in the way of none."""
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
        **{**settings.shaping(), "files": [str(path) for path in settings.files]},
    )
    model = PolicyModel(
        task.shape, arrays, eyes.signature if eyes else "", eyes.scale if eyes else 1.0,
        attrs={**attrs, "fingerprint": task.fingerprint}, path=settings.out,
    )  # fmt: skip
    scores = None
    if len(task.split.test):
        scores = _test_scores(task, model)
    return replace(model, card=_card(task, {**fit, "numbers": model.numbers}, scores))


def _test_scores(task: FitTask, model: PolicyModel) -> dict[str, Any]:
    rows = task.split.test
    if model.shape.model != "post":
        return judged_policy(Policy(model, task.eyes), task.decisions, rows, task.strengths)
    from kr.studies.people.post_net import PostPolicy

    post = PostPolicy(model)
    leaps = post.leap_scores(played_leaps(task.decisions.of(rows)))
    return {**judged_policy(post, task.decisions, rows), "by_leap": leaps}


def judged_policy(
    policy: Policy | PostPolicy,
    decisions: Decisions,
    rows: NDArray[np.int64],
    strengths: NDArray[np.float32] | None = None,
) -> dict[str, Any]:
    """How well a policy says what was played in some decisions: shares of all, and of those that somebody chose, within
    its first choices, and the mean cross entropy of the latter in nats.

    strengths: (decisions,) of the movers, NaN for unknown.
    """
    asked = decisions.of(rows)
    strength = None if strengths is None else strengths[rows]
    found = policy.predict(asked.boards, asked.before, strength, known_years(asked))
    counts = np.diff(found.first)
    mine = (
        (found.origin == np.repeat(asked.moves[:, 0], counts))
        & (found.target == np.repeat(asked.moves[:, 1], counts))
        & (found.captured == np.repeat(asked.captured, counts))
    )
    told = found.probability[mine]
    ranks = np.add.reduceat(found.probability > np.repeat(told, counts), found.first[:-1], dtype=np.int64)
    chosen = (counts > 1) & ~asked.prescribed
    return {
        "decisions": len(rows),
        "chosen": int(chosen.sum()),
        "top_all": {str(top): float((ranks < top).mean()) for top in TOPS},
        "top_chosen": {str(top): float((ranks[chosen] < top).mean()) for top in TOPS},
        "cross_entropy": float(-np.log(np.maximum(told[chosen], 1e-30)).mean()),
    }


def _card(task: FitTask, fit: dict[str, Any], scores: dict[str, Any] | None) -> dict[str, Any]:
    decisions, settings, parts = task.decisions, task.settings, task.split
    return {
        "data": {
            "files": [storage.printable(path.name) for path in settings.files[:MOST_CARD_FILES]],
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
    from kr.studies.people.net_training import NetLearner, NetRecipe

    recipe = NetRecipe(
        **task.settings.chosen, hidden_before=HIDDEN_BEFORE, hidden_player=HIDDEN_PLAYER, seed=task.settings.seed
    )
    learner = NetLearner(task.shape, recipe, task.examples("training"), task.examples("validation"))
    return _descended(task, learner)


def _fit_logit(task: FitTask) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    from kr.studies.people.logit import fit_logit

    return fit_logit(task)


def _fit_post(task: FitTask) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    from kr.studies.people.post_net import post_changes
    from kr.studies.people.post_training import PostLearner, PostRecipe

    leaps = (played_leaps(task.decisions.of(rows)) for rows in (task.split.training, task.split.validation))
    recipe = PostRecipe(**task.settings.chosen, seed=task.settings.seed)
    learner = PostLearner(task.shape, recipe, *leaps)
    arrays, fit = _descended(task, learner)
    batches = fit["best_epoch"] * learner.batches
    return arrays, {**fit, "changes": post_changes(task.shape, batches, learner.batch, task.settings.split)}


_FITTERS = {"net": _fit_net, "logit": _fit_logit, "post": _fit_post}


def _descended(task: FitTask, learner: Any) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """A network trained, and what the card says of it."""

    def on_progress(found: DescentProgress) -> None:
        parts = [f"epoch {min(found.round + 1, learner.rounds)} of {learner.rounds}"]
        if found.loss is not None:
            parts.append(f"loss {found.loss:.3f}")
        if found.best:
            parts.append(f"{100 * found.best['top1']:.1f}% first choices")
        task.training(found.done, found.total, "decisions", ", ".join(parts))

    descent = Descent(learner, task.settings.out, task.fingerprint, task.settings.seed)
    arrays, curve = descent.run(on_progress, task.stop)
    best = min(curve, key=lambda point: point["validation_loss"])
    return arrays, {**task.settings.chosen, "best_epoch": best["round"], "curve": curve}
