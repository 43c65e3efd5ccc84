"""`kr endnet table`: the paper's experiments, each with the networks that it needs.

An experiment is a list of lines. A line names the network that it asks, the positions that it is asked about, and the
paper's row beside it. A network is named by what it is trained on, so that experiments share networks; it may start
from another. All that a line needs is made in one directory: samples, networks and tests; what is there is kept.

`scale` is the share of the paper's numbers of positions; 1 is the paper. A row of the sampling experiment, 10%, has
that share of the training positions, with the same test positions for all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kr.errors import InvalidSettingError
from kr.learn.endnet.asking import DIRECT_WAYS, QUIET_WAYS
from kr.learn.endnet.paper import PAPER_ROWS, PAPER_SEVEN_SHARE, PAPER_SHARE, PAPER_TRAINING, PAPER_TRANSFER_SHARE

EXPERIMENTS = ("sampling", "transfer", "finetune")
SAMPLING_SETS = ("2-7", "2-5")
ROWS = ("100%", "10%", "1%", "0.1%")
NET_FORMS = ("paper", "direct", "quiet")
"""Networks of a line: the paper's; kr's small one for all positions, with threats as inputs; that for quiet ones."""
SEVEN = "4v3"
SPARE = 1.06
"""Positions drawn for one that is needed: kr's set of the same rule is smaller than the paper's."""
TUNED_EPOCHS = 5
"""Of fine-tuning, by the paper."""
RANDOM_EPOCHS = 60
"""Of tuning behind a random body, by the paper."""


@dataclass(frozen=True)
class DrawnSample:
    """Positions of some pieces, a share of all."""

    pieces: str
    fraction: float

    @property
    def name(self) -> str:
        """Name of its file."""
        return f"{self.pieces}@{self.fraction:.6g}"


@dataclass(frozen=True)
class TrainedNet:
    """A network to train."""

    name: str
    form: str
    samples: tuple[DrawnSample, ...]
    positions: int
    """Training positions, before those with captures are left out; 0 for all of the samples."""
    epochs: int
    """0: those of `EPOCHS_FOR`, or the paper's patience."""
    start: str = ""
    """Name of the network that it starts from."""
    freeze: bool = False


@dataclass(frozen=True)
class TableLine:
    """A network asked about positions, beside a row of the paper."""

    title: str
    paper: str
    """Key of the paper's row; "" for none."""
    net: TrainedNet
    tested: tuple[DrawnSample, ...]

    @property
    def ways(self) -> tuple[str, ...]:
        """How the network is asked."""
        return QUIET_WAYS if self.net.form == "quiet" else DIRECT_WAYS


@dataclass
class Experiment:
    """Lines to print, and the networks to train before, in order."""

    lines: list[TableLine] = field(default_factory=list)
    nets: list[TrainedNet] = field(default_factory=list)

    def add(self, title: str, paper: str, net: TrainedNet, tested: tuple[DrawnSample, ...]) -> None:
        """Add a line with its network."""
        self.need(net)
        self.lines.append(TableLine(title, paper, net, tested))

    def need(self, net: TrainedNet) -> TrainedNet:
        """Add a network that another one starts from."""
        if net not in self.nets:
            self.nets.append(net)
        return net


def small_epochs(positions: int) -> int:
    """Epochs of a small network: the more, the fewer positions there are."""
    return next(
        epochs for most, epochs in ((400_000, 30), (4_000_000, 15), (40_000_000, 6), (1 << 62, 2)) if positions <= most
    )


def plan_experiment(
    name: str, forms: Sequence[str], rows: Sequence[str], scale: float, chosen_set: str = "2-7"
) -> Experiment:
    """The lines of an experiment. Raises InvalidSettingError for an unknown one."""
    found = Experiment()
    if name == "sampling":
        _plan_sampling(found, forms, rows, scale, chosen_set)
    elif name == "transfer":
        _plan_transfer(found, forms, scale)
    elif name == "finetune":
        _plan_finetune(found, forms, scale)
    else:
        raise InvalidSettingError(f"experiment: {name!r:.40} is unknown; expected {', '.join(EXPERIMENTS)}")
    return found


def _net(name: str, form: str, samples: tuple[DrawnSample, ...], positions: int, **more: object) -> TrainedNet:
    epochs = 0 if form == "paper" else small_epochs(positions)
    return TrainedNet(f"{name}-{form}", form, samples, positions, **{"epochs": epochs, **more})  # type: ignore[arg-type]


def _plan_sampling(found: Experiment, forms: Sequence[str], rows: Sequence[str], scale: float, chosen_set: str) -> None:
    most = max(float(row.rstrip("%")) / 100 for row in rows)
    if chosen_set == "2-7":
        share = SPARE * scale * most
        samples: tuple[DrawnSample, ...] = (
            DrawnSample("2-6", PAPER_SHARE * share),
            DrawnSample(SEVEN, PAPER_SEVEN_SHARE * share),
        )
        whole = PAPER_TRAINING
    else:
        # all positions, 70% of them to train on
        samples, whole = (DrawnSample("2-5", scale * most),), 102_101_751
    for row in rows:
        positions = round(whole * scale * float(row.rstrip("%")) / 100)
        for form in forms:
            net = _net(f"{chosen_set}-{row.rstrip('%')}", form, samples, positions)
            found.add(f"{chosen_set} pieces, {row}", row if chosen_set == "2-7" else "", net, samples)


def _plan_transfer(found: Experiment, forms: Sequence[str], scale: float) -> None:
    for low, high, test in (("4", "6", DrawnSample("6", 0.0631 * min(1.0, scale))), ("5", "7", _seven(scale))):
        samples = (DrawnSample(low, 1.0 if low == "4" else scale),)
        row = PAPER_ROWS[f"{low}-{high}"]
        # there are a twentieth as many positions with 4 pieces
        positions = round(row.training * min(1.0, 20 * scale if low == "4" else scale))
        for form in forms:
            found.add(row.title, row.key, _net(f"only-{low}", form, samples, positions), (test,))


def _plan_finetune(found: Experiment, forms: Sequence[str], scale: float) -> None:
    seven = (_seven(scale),)
    tuned = round(PAPER_ROWS["7"].training * scale)
    for form in forms:
        for pieces, fraction, positions in (
            ("2-5", scale, round(102_101_751 * scale)), ("2-6", PAPER_SHARE * scale, round(180_036_172 * scale)),
        ):  # fmt: skip
            before = found.need(_net(f"pre-{pieces}", form, (DrawnSample(pieces, fraction),), positions))
            found.add(PAPER_ROWS[f"{pieces}-7"].title, f"{pieces}-7", before, seven)
            after = _net(f"pre-{pieces}-tuned", form, seven, tuned, epochs=TUNED_EPOCHS, start=before.name, freeze=True)
            found.add(PAPER_ROWS[f"{pieces}-7-tuned"].title, f"{pieces}-7-tuned", after, seven)
            whole = _net(f"pre-{pieces}-retrained", form, seven, tuned, epochs=TUNED_EPOCHS, start=before.name)
            found.add(f"{pieces} pieces, all layers tuned on 7", "", whole, seven)
        epochs = RANDOM_EPOCHS if form == "paper" else TUNED_EPOCHS
        frozen = _net("random", form, seven, tuned, epochs=epochs, freeze=True)
        found.add(PAPER_ROWS["random-7"].title, "random-7", frozen, seven)
        found.add(PAPER_ROWS["7"].title, "7", _net("only-7", form, seven, tuned), seven)


def _seven(scale: float) -> DrawnSample:
    return DrawnSample(SEVEN, PAPER_TRANSFER_SHARE * scale)
