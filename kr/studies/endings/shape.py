"""Shapes of the networks, without the library that trains them.

`small` is kr's own: 128 inputs, a bit for each kind of piece on each square, and two hidden layers whose activations
are clipped to [0, 1]. `paper` is the residual network of Wang, Müller and Schaeffer, "Deep Dive on Checkers Endgame
Data" (2023).

`asked` are the positions that a network is trained on, and answers for: those without a capture for the side to move
(`quiet`; the others are resolved by the rules first), or `all`.

`inputs` of the small network: `squares`, or `threats` for 64 more bits, the pieces of either side that the other could
capture if it were to move. They show a network for all positions the effect of a capture, which it learns slowly from
the squares; quiet positions gain nothing from them.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from kr.errors import InvalidModelError, InvalidSettingError

NETS = ("small", "paper")
ASKED = ("quiet", "all")
INPUTS = ("squares", "threats")
PIECE_BITS = 128
"""Inputs of a network of squares: own men, opponent's men, own kings, opponent's kings on 32 squares each."""
THREAT_BITS = 192
"""Inputs with threats too."""
MOST_UNITS = 4096
"""Units of a layer."""
MOST_BLOCKS = 32


@dataclass(frozen=True)
class NetShape:
    """Form, sizes and inputs of a network, and the positions that it answers for."""

    net: str = "small"
    asked: str = "quiet"
    inputs: str = "squares"
    hidden: tuple[int, int] = (512, 32)
    """Units of the hidden layers of the small network."""
    channels: int = 32
    """Channels of the paper's convolutions."""
    blocks: int = 5
    """Residual blocks of the paper's network."""
    dense: int = 128
    """Units of the paper's first dense layer."""

    def __post_init__(self) -> None:
        for name, allowed in (("net", NETS), ("asked", ASKED), ("inputs", INPUTS)):
            if getattr(self, name) not in allowed:
                raise InvalidSettingError(f"{name}: {getattr(self, name)!r:.40}; expected {' or '.join(allowed)}")
        sizes = [("hidden", size, MOST_UNITS) for size in self.hidden]
        sizes += [("channels", self.channels, MOST_UNITS), ("dense", self.dense, MOST_UNITS)]
        sizes += [("blocks", self.blocks, MOST_BLOCKS)]
        for name, size, most in sizes:
            if type(size) is not int or not 1 <= size <= most:
                raise InvalidSettingError(f"{name}: {size!r:.40}; expected a whole number from 1 to {most}")
        if len(self.hidden) != 2:
            raise InvalidSettingError(f"hidden: {self.hidden}; expected two layers, such as 512,32")
        if self.net == "paper" and self.inputs != "squares":
            raise InvalidSettingError("inputs: the paper's network has its planes alone; leave --inputs out")

    def json(self) -> str:
        """The text that a model file has."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> NetShape:
        """Read the text of a model file. Raises InvalidModelError, which does not name the file."""
        try:
            fields: Any = json.loads(text)
            return cls(**{**fields, "hidden": tuple(fields["hidden"])})
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise InvalidModelError("not the shape of a network") from error

    @property
    def parameter_sizes(self) -> dict[str, tuple[int, ...]]:
        """Sizes of the arrays that are learned, by name, in the order in which they are made."""
        if self.net == "small":
            first, second = self.hidden
            layers = ((PIECE_BITS if self.inputs == "squares" else THREAT_BITS, first), (first, second), (second, 3))
            return {name: size for i, (rows, columns) in enumerate(layers, 1)
                    for name, size in ((f"w{i}", (rows, columns)), (f"b{i}", (columns,)))}  # fmt: skip
        each = (self.channels,)
        sizes: dict[str, tuple[int, ...]] = {"first_w": (3, 3, 4, self.channels), "first_b": each}
        for name in self.norms:
            sizes[f"{name}_w"] = (3, 3, self.channels, self.channels)
            sizes |= {f"{name}_scale": each, f"{name}_offset": each}
        for i, (rows, columns) in enumerate(((64 * self.channels, self.dense), (self.dense, 3)), 1):
            sizes |= {f"dense{i}_w": (rows, columns), f"dense{i}_b": (columns,)}
        return sizes

    @property
    def state_sizes(self) -> dict[str, tuple[int, ...]]:
        """Sizes of the running means of batch norms, by name."""
        return {f"{name}_{what}": (self.channels,) for name in self.norms for what in ("mean", "variance")}

    @property
    def norms(self) -> list[str]:
        """Names of the convolutions with a batch norm."""
        return [f"block{block}{half}" for block in range(self.blocks) for half in "ab"] if self.net == "paper" else []

    def __str__(self) -> str:
        if self.net == "paper":
            return f"paper: {self.channels} channels 3x3, {self.blocks} residual blocks, dense {self.dense}"
        inputs = "128" if self.inputs == "squares" else "128 + 64 threats"
        return f"small: {inputs} - {self.hidden[0]} - {self.hidden[1]} - 3"
