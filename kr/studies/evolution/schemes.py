"""Evolutionary schemes: the population, its games, and the making of the next population.

`thesis` is the algorithm of Nguyen's thesis as it is written, `code` that of the thesis's public code, which differs,
`fogel1999` and `fogel2001` are those of Chellapilla and Fogel (IEEE Trans. Neural Networks 10(6), 1999; IEEE Trans.
Evolutionary Computation 5(4), 2001), `cma` is separable CMA-ES, today's rival. docs/lab/evolution.md lists the points
that the sources leave open, and kr's choices.
"""

from __future__ import annotations

from dataclasses import dataclass

from kr.evaluation.evolved import EvolvedNetwork

DOMINANT = 0.75
"""Size from which the input of a node is dominant."""
KEPT = 5
"""Networks that live on in a population by `parents`."""


@dataclass(frozen=True)
class Scheme:
    """An evolutionary algorithm with its settings."""

    breeding: str
    """Origin of the next population: `parents` (the five best, crossings and mutants of them), `offspring` (the better
    half, and a mutant of each) or `cma`."""
    network: EvolvedNetwork
    start: float = 0.2
    """Weights begin between minus this and this."""
    population: int = 15
    """Networks; for `offspring`, the survivors, half of those that play."""
    games: int = 5
    """Games that each plays as Black against random others; for `cma`, earlier champions that each plays in both
    colours."""
    win: float = 1.0
    """Points for a win, on either side; a draw is 0."""
    loss: float = -2.0
    mutation: str = "self-adaptive"
    """`added`: up to 1 / sqrt(2 sqrt(n)) is added or taken away; `grown`: a factor exp(u / sqrt(2 sqrt(n))), u from 0
    to 1; `self-adaptive`: a normal number times a width of each weight, which mutates first."""
    crossing: str = "none"
    """`node`: the dominant inputs of a hidden node change places; `cut`: all between two places does."""
    most: float | None = None
    """Weights stay between minus this and this; None: no bound."""
    width: float = 0.05
    """First width of self-adaptive mutations; for `cma`, of its samples."""
    most_width: float | None = None
    """Bound of self-adaptive widths."""
    king_step: str = "factor"
    """Mutation of a king's input: a `factor` exp(N(0, 1) / sqrt 2), or a `step` of -.1, 0 or .1."""
    strength: float = 1.0
    """Factor of the size of all mutations."""


SCHEMES: dict[str, Scheme] = {
    "thesis": Scheme(
        "parents", EvolvedNetwork("sums", absolute=True), start=1.0, win=2.0, loss=-1.0, mutation="added",
        crossing="node", most=1.0,
    ),
    "code": Scheme(
        "parents", EvolvedNetwork("means", difference=1.0), win=2.0, loss=-1.0, mutation="grown", crossing="cut",
        most=1.0,
    ),
    "fogel1999": Scheme("offspring", EvolvedNetwork("squares", 1.0, None)),
    "fogel2001": Scheme("offspring", EvolvedNetwork("spatial", 1.0, None), king_step="step"),
    "cma": Scheme("cma", EvolvedNetwork("sums"), population=16, loss=-1.0, width=0.1),
}  # fmt: skip
"""The schemes by name."""
