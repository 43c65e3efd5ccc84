"""Settings of `kr endnet fit`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kr.errors import InvalidSettingError
from kr.settings import REQUIRED, Settings, option, seed_option
from kr.studies.endings.shape import ASKED, INPUTS, NETS, NetShape
from kr.units import parse_count

RATES = {"small": 5e-3, "paper": 2e-4}
EPOCHS = {"small": 10, "paper": 100}
PATIENT_EPOCHS = {"small": 0, "paper": 5}


def parse_hidden(text: str) -> tuple[int, int]:
    """Parse units of two layers such as "512,32". Raises InvalidSettingError."""
    try:
        first, second = (parse_count(part) for part in text.split(","))
    except (ValueError, InvalidSettingError):
        raise InvalidSettingError(f'{text!r} is not the units of two layers, such as "512,32"') from None
    return first, second


@dataclass(frozen=True)
class EndnetFitSettings(Settings):
    """Settings of a training. `out` and `plots` do not change the network."""

    samples: tuple[Path, ...] = option(REQUIRED, "Files of `kr egdb sample`.", argument=True, metavar="SAMPLE")
    out: Path = option(REQUIRED, "Model file to write.", metavar="FILE")
    net: str = option("small", "Network: kr's small one, or the paper's residual one.", choices=NETS)
    asked: str = option("quiet", "Positions to train on: all, or those with nothing to capture.", choices=ASKED)
    inputs: str = option("squares", "Inputs of the small network: squares, or threats too.", choices=INPUTS)
    hidden: tuple[int, int] = option(
        (512, 32), "Units of the hidden layers of the small network.", parse=parse_hidden,
        show=lambda units: ",".join(map(str, units)), metavar="UNITS,UNITS",
    )  # fmt: skip
    channels: int = option(32, "Channels of the paper's convolutions.", low=1, high=1024)
    dense: int = option(128, "Units of the paper's first dense layer.", low=1, high=4096)
    limit: int = option(0, "Training positions to use: {allowed}.", parse=parse_count, low=1, zero="all")
    validation: int = option(200_000, "Most validation positions to use.", parse=parse_count, low=1, high=10**9)
    epochs: int = option(0, "Most epochs: {allowed}.", low=1, high=10**6, zero="10 (small) or 100 (paper)")
    patience: int | None = option(
        None, "Epochs without a better accuracy after which to stop, 0 for never.  [default: small 0, paper 5]", low=0
    )
    rate: float = option(0, "Learning rate: {allowed}.", low=1e-9, high=10, zero="0.005 (small) or 0.0002 (paper)")
    decay: float = option(0.1, "Weight decay of AdamW.", low=0, high=100)
    batch: int = option(1024, "Positions in a batch.", parse=parse_count, low=1, high=1 << 20)
    start: Path | None = option(None, "Model to start from, of the same shape.", name="from", metavar="FILE")
    freeze: bool = option(False, "Train the classifier only: the layers after the body.")
    seed: int = seed_option("Seed of the first weights and of the order of positions.")
    plots: Path | None = option(None, "Directory for a plot of the learning curve.", metavar="DIR")

    @property
    def shape(self) -> NetShape:
        """Shape of the network."""
        if self.net == "small":
            return NetShape("small", self.asked, self.inputs, self.hidden)
        return NetShape(self.net, self.asked, self.inputs, channels=self.channels, dense=self.dense)

    @property
    def chosen(self) -> tuple[int, int, float]:
        """Epochs, patience and rate, those of the network where none are given."""
        patience = PATIENT_EPOCHS[self.net] if self.patience is None else self.patience
        return self.epochs or EPOCHS[self.net], patience, self.rate or RATES[self.net]

    def shaping(self) -> dict[str, Any]:
        """Settings that change the network, except the samples and the model to start from."""
        epochs, patience, rate = self.chosen
        names = ("limit", "validation", "decay", "batch", "freeze", "seed")
        own = {name: getattr(self, name) for name in names}
        return {"shape": asdict(self.shape), "epochs": epochs, "patience": patience, "rate": rate, **own}
