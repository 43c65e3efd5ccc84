"""`kr fit --kind net`: trains a net with one hidden layer on the samples of a fit, by itself or on top of tables.

Positions without and with kings have a net each. The logit of a sample is that of the tables plus the net's output; the
loss is the cross entropy. AdamW goes over the samples `passes` times, its rate falling like a cosine. The order follows
from seed, group and pass alone, and the state is written every minute and after each pass, so that a killed fit
resumes to the same net.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kr import storage
from kr.errors import DivergedError, InvalidWeightsError, StoppedError
from kr.evaluation import kinds, net
from kr.evaluation.patterns import GROUPS, MAX_BOARD_PIECES
from kr.learn.fitting.dataset import Dataset, Samples, read_samples
from kr.learn.nets import check_jax

if TYPE_CHECKING:
    from kr.learn.fitting.fit import FitSettings

ALONE = "none"
"""What a net is on top of if it is an evaluation by itself."""
BATCH = 4096
DECAY = 1e-3
"""Weight decay of AdamW."""
FLOOR_RATE = 0.01
"""The rate at the end, as a share of that at the start."""
COUNT_MAX = 20
"""What a position that was met more often counts."""
EXPECTATION_MIN = 1e-4
"""Targets are at least this far from 0 and 1."""
RARE = 1e-3
"""Share of the samples: numbers of pieces that are rarer, from below, are left to the tables."""
LOSS_CHUNK = 1 << 16
STATE_SECONDS = 60.0
REPORTED = 16
"""Batches from one report of the progress to the next."""

Floats = NDArray[np.float32]
OnPass = Callable[[int], None]


@dataclass(frozen=True)
class NetResult:
    """A net that was written."""

    checksum: str
    report: dict[str, Any]
    earlier: bool
    """True if an earlier start had finished it."""


@dataclass(frozen=True, eq=False)
class NetSamples:
    """Samples of one group with the logits that a net adds to."""

    boards: NDArray[np.uint32]
    """(n, 4) in the mover's frame."""
    count: Floats
    target: Floats
    logit: Floats

    def __len__(self) -> int:
        return len(self.boards)

    def floor(self) -> float:
        """The entropy of the targets: the least loss there is."""
        t = self.target.astype(np.float64)
        entropy = -(t * np.log(t) + (1 - t) * np.log1p(-t))
        return float(np.average(entropy, weights=self.count)) if len(t) else 0.0


@dataclass(eq=False)
class NetState:
    """State of the training of one group, as a checkpoint keeps it."""

    leaves: list[NDArray[Any]]
    """Parameters and the optimiser's state."""
    passes: int
    """Whole ones."""
    history: list[tuple[float, float]]
    """Mean training and held-out loss of each pass."""
    batches: int = 0
    """Done of the next pass."""
    loss_sum: float = 0.0
    """Of those batches."""


def fit_net(settings: FitSettings, report_to: Callable[[str, int, int], None]) -> NetResult:
    """Train a net and write its weights file; a finished one is only reported. The caller holds the output's lock.

    report_to: called with the name of the stage, units done and units in all; may raise StoppedError. Raises
    InvalidSettingError without JAX, InvalidGamesError, InvalidWeightsError, DivergedError as `fit` does.
    """
    check_jax()
    started = time.monotonic()
    base = None if settings.on == ALONE else kinds.load_evaluation(settings.on)
    dataset = read_samples(
        settings.directories, settings.label, settings.holdout, settings.seed, settings.workers, report_to
    )
    scale = base.scale if base else _scale(dataset)
    fingerprint = _fingerprint(settings, dataset, base.signature if base else "")
    if finished := _finished(settings.out, fingerprint):
        return finished
    checkpoint = NetCheckpoint(settings.out, fingerprint)
    read = time.monotonic()
    arrays, losses, history = {}, [], {}
    for kings, name in GROUPS.items():
        training, held_out = (_with_logits(part[kings], base, scale) for part in (dataset.training, dataset.held_out))
        if not len(training):
            continue
        fitted = _train(settings, name, training, held_out, checkpoint, report_to)
        arrays[name] = net.quantized_layer(**fitted.floats(), scale=scale)
        losses += [
            {"group": name, "set": kind, "positions": len(part), **fitted.losses(part), "floor": part.floor()}
            for kind, part in (("training", training), ("held_out", held_out))
            if len(part)
        ]
        history[name] = [list(row) for row in fitted.state.history]
    report = {
        "centimen_per_logit": scale,
        "seconds": {"reading": round(read - started, 1), "fitting": round(time.monotonic() - read, 1)},
        "runs": [asdict(run) for run in dataset.runs],
        "loss": losses,
        "history": history,
    }
    attrs = {
        **storage.provenance(**settings.shaping(), parents=[run.directory for run in dataset.runs]),
        "base": settings.on if base else "",
        "base_checksum": base.signature if base else "",
        "least": _least(dataset) if base else 0,
        "fingerprint": fingerprint,
        "centimen_per_logit": scale,
        "report": json.dumps(report),
    }
    checksum = net.save_net(settings.out, arrays, attrs)
    checkpoint.path.unlink(missing_ok=True)
    return NetResult(checksum, report, earlier=False)


def net_summary(report: dict[str, Any]) -> str:
    """Result of a fit in a few lines."""
    games = sum(run["games"] for run in report["runs"])
    lines = [f"{games:,} games, {sum(report['seconds'].values()):.0f} s"]
    lines.append(f"{'group':7}{'set':10}{'positions':>12}{'loss':>9}{'tables':>9}{'floor':>9}")
    for row in report["loss"]:
        lines.append(
            f"{row['group']:7}{row['set'].replace('_', ' '):10}{row['positions']:12,}{row['loss']:9.4f}"
            f"{row['tables']:9.4f}{row['floor']:9.4f}"
        )
    return "\n".join(lines)


def _fingerprint(settings: FitSettings, dataset: Dataset, base: str) -> str:
    sets = [s for group in (dataset.training, dataset.held_out) for s in group.values()]
    samples = storage.checksum(*(a for s in sets for a in (s.count, s.target)))
    shaping = json.dumps(settings.shaping(), sort_keys=True)
    return storage.checksum(shaping.encode(), base.encode(), samples.encode())


def _finished(path: Path, fingerprint: str) -> NetResult | None:
    """The result, if the output is that of this very fit."""
    if not path.exists():
        return None
    made = kinds.load_file(path)
    if made.attrs.get("fingerprint") != fingerprint or not isinstance(made, net.LayerNet):
        return None
    return NetResult(made.signature, json.loads(made.report), earlier=True)


def _scale(dataset: Dataset) -> float:
    """Centi-men in a logit, by the scores of the games that the samples come from."""
    found = [run.score_scale for run in dataset.runs if run.score_scale]
    return float(np.mean(found)) if found else net.NET_SCALE


def _least(dataset: Dataset) -> int:
    """The fewest pieces that are not rare in the training samples."""
    counts = sum(
        np.bincount(part.pieces, weights=part.count, minlength=MAX_BOARD_PIECES + 1)
        for part in dataset.training.values()
    )
    share = np.cumsum(counts) / np.sum(counts)
    return int(np.flatnonzero(share >= RARE)[0])


def _with_logits(samples: Samples, base: kinds.Evaluation | None, scale: float) -> NetSamples:
    logit = base.scores(samples.boards) / scale if base else np.zeros(len(samples))
    return NetSamples(
        samples.boards,
        np.minimum(samples.count, COUNT_MAX).astype(np.float32),
        np.clip(samples.target, EXPECTATION_MIN, 1 - EXPECTATION_MIN).astype(np.float32),
        logit.astype(np.float32),
    )


class NetCheckpoint:
    """File beside the output that a fit resumes from; valid for the same settings and samples only."""

    def __init__(self, out: Path, fingerprint: str) -> None:
        self.path = out.with_name(f"{out.name}.checkpoint")
        self._fingerprint = fingerprint
        self._groups: dict[str, NetState] = self._load() if self.path.exists() else {}

    def _load(self) -> dict[str, NetState]:
        try:
            with storage.open_regular(self.path) as opened, np.load(opened) as file:
                if str(file["fingerprint"]) != self._fingerprint:
                    return {}
                return {
                    name: NetState(
                        [file[f"{name}_{i}"] for i in range(int(file[f"{name}_leaves"]))],
                        int(file[f"{name}_passes"]),
                        [(float(row[0]), float(row[1])) for row in file[f"{name}_history"].reshape(-1, 2)],
                        int(file[f"{name}_batches"]),
                        float(file[f"{name}_loss_sum"]),
                    )
                    for name in GROUPS.values()
                    if f"{name}_leaves" in file
                }
        except Exception as error:  # numpy and zipfile raise what they like for a damaged file
            raise InvalidWeightsError(f"{self.path}: damaged checkpoint; remove it to start afresh") from error

    def get(self, name: str, leaves: list[NDArray[Any]]) -> NetState | None:
        """The state of a group, None if there is none yet. leaves: what such a state looks like."""
        found = self._groups.get(name)
        if found and [(a.shape, a.dtype) for a in found.leaves] != [(a.shape, a.dtype) for a in leaves]:
            raise InvalidWeightsError(f"{self.path}: damaged checkpoint; remove it to start afresh")
        return found

    def save(self, name: str, state: NetState) -> None:
        """Replace the checkpoint."""
        self._groups[name] = state
        arrays: dict[str, Any] = {"fingerprint": self._fingerprint}
        for group, one in self._groups.items():
            arrays |= {f"{group}_{i}": leaf for i, leaf in enumerate(one.leaves)}
            arrays |= {f"{group}_leaves": len(one.leaves), f"{group}_passes": one.passes}
            arrays |= {f"{group}_history": np.array(one.history), f"{group}_batches": one.batches}
            arrays[f"{group}_loss_sum"] = one.loss_sum
        with storage.atomic_path(self.path) as temporary, temporary.open("wb") as file:
            np.savez(file, **arrays)


@dataclass(eq=False)
class _Fitted:
    """A trained net of one group."""

    parameters: dict[str, NDArray[Any]]
    state: NetState
    loss: Callable[[Any, NetSamples], float]

    def floats(self) -> dict[str, NDArray[Any]]:
        """The arguments of `net.quantized_layer`."""
        p = self.parameters
        return {
            "rows": p["rows"].reshape(4, 32, -1), "start": p["start"], "weights": p["weights"].T, "last": p["last"],
        }  # fmt: skip

    def losses(self, samples: NetSamples) -> dict[str, float]:
        """Mean loss with the net, and of the tables alone."""
        none = {**self.parameters, "weights": self.parameters["weights"] * 0, "last": self.parameters["last"] * 0}
        return {"loss": self.loss(self.parameters, samples), "tables": self.loss(none, samples)}


def _train(
    settings: FitSettings,
    name: str,
    training: NetSamples,
    held_out: NetSamples,
    checkpoint: NetCheckpoint,
    report_to: Callable[[str, int, int], None],
) -> _Fitted:
    import jax
    import jax.numpy as jnp
    import optax

    batch = min(BATCH, len(training))
    steps = len(training) // batch
    rate = optax.cosine_decay_schedule(settings.rate, settings.passes * steps, FLOOR_RATE)
    optimiser = optax.adamw(rate, weight_decay=DECAY)

    def losses(p: Any, boards: Any, target: Any, logit: Any) -> Any:
        bits = ((boards[:, :, None] >> jnp.arange(32, dtype=jnp.uint32)) & 1).reshape(len(boards), 128)
        units = jnp.clip(bits.astype(jnp.float32) @ p["rows"] + p["start"], 0, 1)
        band = jnp.minimum(
            (jax.lax.population_count(boards).sum(axis=1).astype(jnp.int32) - 1) // 3, net.PIECE_BANDS - 1
        )
        out = jnp.take_along_axis(units @ p["weights"], band[:, None], 1)[:, 0] + p["last"][band] + logit
        return jax.nn.softplus(out) - target * out

    @jax.jit
    def step(p: Any, state: Any, boards: Any, count: Any, target: Any, logit: Any) -> Any:
        def mean(p: Any) -> Any:
            return (count * losses(p, boards, target, logit)).sum() / count.sum()

        loss, gradient = jax.value_and_grad(mean)(p)
        updates, state = optimiser.update(gradient, state, p)
        return optax.apply_updates(p, updates), state, loss

    some = jax.jit(losses)

    def mean_loss(p: Any, samples: NetSamples) -> float:
        if not len(samples):
            return 0.0
        found = [
            np.asarray(some(p, *(a[i : i + LOSS_CHUNK] for a in (samples.boards, samples.target, samples.logit))))
            for i in range(0, len(samples), LOSS_CHUNK)
        ]
        return float(np.average(np.concatenate(found), weights=samples.count))

    kings = name == GROUPS[True]
    p: Any = _start(settings, kings)
    state: Any = optimiser.init(p)
    leaves, tree = jax.tree.flatten((p, state))
    found = checkpoint.get(name, [np.asarray(leaf) for leaf in leaves]) or NetState([], 0, [])
    if found.leaves:
        p, state = jax.tree.unflatten(tree, [jnp.asarray(leaf) for leaf in found.leaves])

    def kept(passes: int, batches: int, loss_sum: float) -> NetState:
        now = [np.asarray(leaf) for leaf in jax.tree.leaves((p, state))]
        return NetState(now, passes, found.history, batches, loss_sum)

    for number in range(found.passes, settings.passes):
        order = np.random.default_rng([settings.seed, kings, number]).permutation(len(training))
        begin, loss_sum = found.batches, found.loss_sum
        saved = time.monotonic()
        for i in range(begin, steps):
            rows = order[i * batch : (i + 1) * batch]
            p, state, loss = step(
                p, state, training.boards[rows], training.count[rows], training.target[rows], training.logit[rows]
            )
            loss_sum += float(loss)
            if time.monotonic() - saved >= STATE_SECONDS:
                checkpoint.save(name, kept(number, i + 1, loss_sum))
                saved = time.monotonic()
            if i % REPORTED == REPORTED - 1:
                try:
                    report_to(f"{name} net", number * steps + i + 1, settings.passes * steps)
                except StoppedError:
                    checkpoint.save(name, kept(number, i + 1, loss_sum))
                    raise
        if not np.isfinite(loss_sum):
            raise DivergedError(f"{name} net: the loss is {loss_sum} in pass {number + 1}; try a lower --rate")
        found.history.append((loss_sum / steps, mean_loss(p, held_out)))
        found = kept(number + 1, 0, 0.0)
        checkpoint.save(name, found)
        report_to(f"{name} net", (number + 1) * steps, settings.passes * steps)
    return _Fitted({key: np.asarray(value) for key, value in p.items()}, found, mean_loss)


def _start(settings: FitSettings, kings: bool) -> dict[str, NDArray[Any]]:
    """The numbers before any training: units that differ, and an output near 0."""
    chance = np.random.default_rng([settings.seed, kings])
    units = settings.units
    made = {
        "rows": chance.normal(0, 0.18, (128, units)),
        "start": np.full(units, 0.1),
        "weights": chance.normal(0, 0.01, (units, net.PIECE_BANDS)),
        "last": np.zeros(net.PIECE_BANDS),
    }
    return {name: array.astype(np.float32) for name, array in made.items()}
