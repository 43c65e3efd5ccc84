"""The plans of `kr endnet table`: the networks of each experiment of the paper, and their test positions.

An experiment is a list of lines. A line names a network, its test positions, and the paper's row to compare with. A
network is named by its training positions, so that experiments share networks; it may start from another one.

`scale` is the share of the paper's numbers of training positions. Each network is trained on a sample of its own size,
and all lines of an experiment are tested on one sample, with any choice of rows. Samples of one seed never mix: a
position that is for testing in one of them is for testing in all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from kr.egdb import slices
from kr.egdb.sample import slices_of
from kr.errors import InvalidSettingError
from kr.studies.endings.asking import DIRECT_WAYS, QUIET_WAYS
from kr.studies.endings.paper import PAPER_ROWS, PAPER_SEVEN_SHARE, PAPER_SHARE, PAPER_TRAINING

EXPERIMENTS = ("sampling", "confidence", "transfer", "finetune")
SAMPLING_SETS = ("2-7", "2-5")
ROWS = ("100%", "10%", "1%", "0.1%")
NET_FORMS = ("paper", "direct", "quiet")
"""Networks of a line: the paper's; kr's small one for all positions, with threats as inputs; that for quiet ones."""
TABLE_SHARES = (0.7, 0.1, 0.2)
"""Training, validation and test, by the paper."""
SPARE = 1.01
"""Positions to draw for each one needed, since their number is chance."""
TUNED_EPOCHS = 5
"""Epochs of fine-tuning, by the paper."""
RANDOM_EPOCHS = 60
"""Epochs of tuning behind a random body, by the paper."""
SEVEN = {"4v3": 1.0}
SAMPLED = {"2-7": {"2-6": PAPER_SHARE, "4v3": PAPER_SEVEN_SHARE}, "2-5": {"2-5": 1.0}}
"""Parts of the sets of the sampling experiment: pieces, and the share of their positions."""


@dataclass(frozen=True)
class TableSample:
    """Positions of some pieces, a share of all."""

    pieces: str
    fraction: float

    @property
    def name(self) -> str:
        """Name of its file."""
        return f"{self.pieces}@{self.fraction:.6g}"


@dataclass(frozen=True)
class TableNet:
    """A network to train."""

    name: str
    form: str
    """One of NET_FORMS."""
    samples: tuple[TableSample, ...]
    positions: int
    """Training positions, before those with captures are left out."""
    epochs: int
    """Number of epochs; 0: until the accuracy stops rising, as in the paper."""
    start: str = ""
    """Name of the network that it starts from."""
    freeze: bool = False
    """True if the classifier alone is trained."""


@dataclass(frozen=True)
class TableLine:
    """A network and its test positions, with a row of the paper to compare with."""

    title: str
    paper: str
    """Key of the paper's row, or ""."""
    net: TableNet | None
    """None for a row that is not run."""
    tested: tuple[TableSample, ...] = ()

    @property
    def ways(self) -> tuple[str, ...]:
        """Ways of asking the network."""
        return QUIET_WAYS if self.net and self.net.form == "quiet" else DIRECT_WAYS


@dataclass
class Experiment:
    """Lines to print, and the networks to train before, in order."""

    lines: list[TableLine] = field(default_factory=list)
    nets: list[TableNet] = field(default_factory=list)

    def add(self, title: str, paper: str, net: TableNet, tested: tuple[TableSample, ...]) -> None:
        """Add a line with its network."""
        self.need(net)
        self.lines.append(TableLine(title, paper, net, tested))

    def need(self, net: TableNet) -> TableNet:
        """Add a network that another one starts from."""
        if net not in self.nets:
            self.nets.append(net)
        return net


@dataclass(frozen=True)
class Plans:
    """Makes the plans of experiments."""

    forms: Sequence[str]
    """Some of NET_FORMS."""
    rows: Sequence[str]
    """Some of ROWS, for the sampling experiment."""
    scale: float
    sampled: str
    """One of SAMPLING_SETS, for the sampling experiment."""
    tested: int
    """Test positions that a sample is to have at least."""

    def experiment(self, name: str) -> Experiment:
        """The plan of an experiment. Raises InvalidSettingError for an unknown one."""
        plans = {
            "sampling": self._sampling,
            "confidence": self._sampling,
            "transfer": self._transfer,
            "finetune": self._finetune,
        }
        if name not in plans:
            raise InvalidSettingError(f"experiment: {name!r:.40} is unknown; expected {', '.join(plans)}")
        plan = Experiment()
        plans[name](plan)
        return plan

    def _whole(self) -> int:
        """Training positions of the first row of the sampling experiment."""
        return PAPER_TRAINING if self.sampled == "2-7" else round(TABLE_SHARES[0] * positions_of("2-5"))

    def _sampling(self, plan: Experiment) -> None:
        parts = SAMPLED[self.sampled]
        tests = self._drawn(parts)
        for row in ROWS:
            # the paper has no rows for 2-5 pieces; they are compared with its rows of the same share
            if row not in self.rows:
                plan.lines.append(TableLine(f"{self.sampled} pieces, {row}", row, None))
                continue
            share = row.rstrip("%")
            positions = max(1, round(self._whole() * self.scale * float(share) / 100))
            for form in self.forms:
                net = self._net(f"{self.sampled}-{share}", form, parts, positions)
                plan.add(f"{self.sampled} pieces, {row}", row, net, tests)

    def _transfer(self, plan: Experiment) -> None:
        # there are a twentieth as many positions with 4 pieces
        for low, parts, scale in (("4", {"6": 1.0}, min(1.0, 20 * self.scale)), ("5", SEVEN, self.scale)):
            row = PAPER_ROWS["4-6" if low == "4" else "5-7"]
            for form in self.forms:
                net = self._net(f"only-{low}", form, {low: 1.0}, round(row.training * scale))
                plan.add(row.title, row.key, net, self._drawn(parts))

    def _finetune(self, plan: Experiment) -> None:
        seven = self._drawn(SEVEN)
        tuned = round(PAPER_ROWS["7"].training * self.scale)
        shares = {"2-5": 1.0, "2-6": PAPER_SHARE}
        for form in self.forms:
            for pieces, share in shares.items():
                positions = round(TABLE_SHARES[0] * share * positions_of(pieces) * self.scale)
                before = plan.need(self._net(f"pre-{pieces}", form, {pieces: 1.0}, positions))
                plan.add(PAPER_ROWS[f"{pieces}-7"].title, f"{pieces}-7", before, seven)
                after = self._net(f"pre-{pieces}-tuned", form, SEVEN, tuned, TUNED_EPOCHS, before.name, freeze=True)
                plan.add(PAPER_ROWS[f"{pieces}-7-tuned"].title, f"{pieces}-7-tuned", after, seven)
                whole = self._net(f"pre-{pieces}-retrained", form, SEVEN, tuned, TUNED_EPOCHS, before.name)
                plan.add(f"{pieces} pieces, all tuned on 7", "", whole, seven)
            epochs = RANDOM_EPOCHS if form == "paper" else TUNED_EPOCHS
            random = self._net("random", form, SEVEN, tuned, epochs, freeze=True)
            plan.add(PAPER_ROWS["random-7"].title, "random-7", random, seven)
            plan.add(PAPER_ROWS["7"].title, "7", self._net("only-7", form, SEVEN, tuned), seven)

    def _net(
        self,
        name: str,
        form: str,
        parts: Mapping[str, float],
        positions: int,
        epochs: int | None = None,
        start: str = "",
        freeze: bool = False,
    ) -> TableNet:
        """A network trained on a number of positions of some parts. epochs: None for those that suit the network."""
        if epochs is None:
            epochs = 0 if form == "paper" else small_epochs(positions)
        return TableNet(f"{name}-{form}", form, self._drawn(parts, positions), positions, epochs, start, freeze)

    def _drawn(self, parts: Mapping[str, float], training: int = 0) -> tuple[TableSample, ...]:
        """Samples with `training` training positions, and enough test positions, of some parts."""
        whole = sum(share * positions_of(pieces) for pieces, share in parts.items())
        share = SPARE * max(training / TABLE_SHARES[0], self.tested / TABLE_SHARES[2]) / whole
        return tuple(
            TableSample(pieces, min(1.0, float(f"{share * fraction:.6g}"))) for pieces, fraction in parts.items()
        )


def small_epochs(positions: int) -> int:
    """Epochs of a small network: the more, the fewer positions there are."""
    steps = ((400_000, 30), (4_000_000, 15), (40_000_000, 6))
    return next((epochs for most, epochs in steps if positions <= most), 2)


@cache
def positions_of(pieces: str) -> int:
    """Positions of some pieces, both sides present, Black to move."""
    return sum(map(slices.size, slices_of(pieces)))
