"""The evaluation `evolved`: small networks whose weights evolution found, after Chellapilla and Fogel and the thesis of
Nguyen.

A network is one number from the squares of the board: a man is 1, a king some more, the opponent's pieces are negative.
`EvolvedNetwork` is the definition of all of them; a genome, one vector of numbers, is its weights. What the core
computes is the same with sums over sub-squares taken into the weights of the squares (`EvolvedNetwork.layers`), and is
held to `EvolvedNetwork.outputs` by tests.

A file of champions holds one run or several, each with the champions of some of its generations:
 - `genomes.RUN` (generations, size), float32 or, where the run's `precision` is 16, float16; `generations.RUN` int32
   (generations,), ascending;
 - the attribute `runs`: a JSON object of the runs by name, each with its `network`, its `decider` and other facts.
The text `evolved:PATH,run=RUN,generation=N` names a champion; without a run it is the first one, without a generation
the last one. PATH is such a file, the directory of a run, or `shipped`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from kr import _core, storage
from kr.errors import InvalidSettingError, InvalidWeightsError, KrError
from kr.evaluation import files
from kr.evaluation.files import WeightsFile
from kr.evaluation.kinds import SHIPPED, FileEvaluation
from kr.hdf5 import check_array
from kr.notation import SQUARES
from kr.units import Range, parse_count

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EVOLVED_KIND = "evolved"
EVOLVED_PREFIX = "evolved:"
EVOLVED_SCALE = 50.0
"""Centi-men in a logit: with a man's difference of 1 in the output, a man is 100."""
EVOLVED_INPUTS = ("squares", "sums", "means", "spatial")
"""Inputs of the first layer of 40 units: the squares, sums or means over sub-squares, or nodes of sub-squares that have
weights of their own."""
HIDDEN_UNITS = (40, 10)
SUB_SQUARES = 91
"""Sub-squares of 3x3 to 8x8."""
KING_RANGE = (1.0, 3.0)
"""Values of a king that evolves."""
INPUT_RANGE = Range(0, 100)
"""Values of any king, and of the factor of the piece difference."""
GENOME_RANGE = Range(-65504, 65504)
"""Numbers of a genome: the range of 16 bits."""
SHORT_PRECISION = 16
"""Bits of the numbers of a run that is kept small."""
CHAMPIONS_FILE = "champions.h5"
"""Name in the directory of a run."""


@dataclass(frozen=True)
class EvolvedNetwork:
    """A network whose weights are a genome."""

    inputs: str = "squares"
    """One of EVOLVED_INPUTS."""
    difference: float = 0.0
    """Factor of the sum of all pieces in the output: 1 in Blondie24, not in the genome."""
    king: float | None = 1.5
    """A king's input; None: the last number of the genome."""
    absolute: bool = False
    """True if the board is always seen from Black's side, and the result for White is the opposite."""

    def __post_init__(self) -> None:
        if self.inputs not in EVOLVED_INPUTS:
            raise InvalidSettingError(f"inputs {self.inputs!r:.40}; one of {', '.join(EVOLVED_INPUTS)}")
        if type(self.absolute) is not bool:
            raise InvalidSettingError(f"absolute: {self.absolute!r:.40}; expected true or false")
        for name, value in (("difference", self.difference), ("king", 0 if self.king is None else self.king)):
            INPUT_RANGE.check(name, value, whole=False)

    @cached_property
    def sub_squares(self) -> list[list[int]]:
        """Squares 0-31 of each sub-square: 36 of 3x3 first, row by row, then 25 of 4x4 and so on to the whole board."""
        places = [divmod(square, 4) for square in range(SQUARES)]
        # the upper left corner of the board has no square
        corners = [(row, 2 * column + (row + 1) % 2) for row, column in places]
        return [
            [square for square, (y, x) in enumerate(corners) if top <= y < top + size and left <= x < left + size]
            for size in range(3, 9)
            for top in range(9 - size)
            for left in range(9 - size)
        ]

    @cached_property
    def shapes(self) -> list[tuple[int, int]]:
        """Inputs and units of each layer that is dense in the genome."""
        first = SQUARES if self.inputs == "squares" else SUB_SQUARES
        sizes = [first, *HIDDEN_UNITS, 1]
        return list(pairwise(sizes))

    @property
    def windows(self) -> int:
        """Weights of the nodes of sub-squares, without their biases."""
        return sum(map(len, self.sub_squares)) if self.inputs == "spatial" else 0

    @property
    def size(self) -> int:
        """Numbers in a genome."""
        dense = sum(inputs * units + units for inputs, units in self.shapes)
        return self.windows + (SUB_SQUARES if self.windows else 0) + dense + (self.king is None)

    def describe(self) -> str:
        """Short text for the network."""
        first = {"squares": "32", "sums": "91 sums", "means": "91 means", "spatial": "32-91"}[self.inputs]
        words = [f"{first}-{'-'.join(map(str, HIDDEN_UNITS))}-1", f"{self.size:,} numbers"]
        words.append("king evolved" if self.king is None else f"king {self.king:g}")
        return ", ".join(words + ["piece difference"] * bool(self.difference))

    def arrays(self, genome: NDArray[Any]) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        """Weights (inputs, units) and biases (units,) of each layer as the genome has them; a node of a sub-square has
        weights of 0 for the squares outside it. genome: (size,). Raises ValueError for another size."""
        import numpy as np

        if genome.shape != (self.size,):
            raise ValueError(f"a genome of the shape {genome.shape}; expected ({self.size},)")
        layers = []
        at = 0
        if self.windows:
            weights = np.zeros((SQUARES, SUB_SQUARES), dtype=genome.dtype)
            for node, squares in enumerate(self.sub_squares):
                weights[squares, node] = genome[at : at + len(squares)]
                at += len(squares)
            layers.append((weights, genome[at : at + SUB_SQUARES]))
            at += SUB_SQUARES
        for inputs, units in self.shapes:
            weights = genome[at : at + inputs * units].reshape(inputs, units)
            at += inputs * units
            layers.append((weights, genome[at : at + units]))
            at += units
        return layers

    @cached_property
    def hidden_nodes(self) -> list[NDArray[Any]]:
        """Places in the genome of the weights and bias of each hidden node."""
        import numpy as np

        nodes = []
        places = np.arange(1, self.size + 1)
        for weights, biases in self.arrays(places)[:-1]:
            for unit in range(len(biases)):
                fed = weights[:, unit]
                nodes.append(np.append(fed[fed > 0], biases[unit]) - 1)
        return nodes

    def king_of(self, genome: NDArray[Any]) -> float:
        """A king's input."""
        return float(genome[-1]) if self.king is None else self.king

    @cached_property
    def _window_sums(self) -> NDArray[Any]:
        """(32, 91): contribution of each square to each sum or mean."""
        import numpy as np

        windows = np.zeros((SQUARES, SUB_SQUARES))
        for node, squares in enumerate(self.sub_squares):
            windows[squares, node] = 1.0 if self.inputs == "sums" else 1.0 / len(squares)
        return windows

    def layers(self, genome: NDArray[Any]) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """Layers from the 32 squares, for the core: sums and means over sub-squares are linear, so that the first layer
        can have their weights on the squares themselves."""
        import numpy as np

        arrays = [(weights.astype(np.float64), biases) for weights, biases in self.arrays(genome)]
        if self.inputs in ("sums", "means"):
            weights, biases = arrays[0]
            arrays[0] = (self._window_sums @ weights, biases)
        return [
            (np.ascontiguousarray(weights, dtype=np.float32), np.ascontiguousarray(biases, dtype=np.float32))
            for weights, biases in arrays
        ]

    def outputs(self, genome: NDArray[Any], boards: NDArray[np.uint32]) -> NDArray[np.float64]:
        """The output before its tanh, (n,), from the side to move: the definition, slow and plain.

        boards: (n, 4), black, white, kings, side (0 Black, 1 White) to move.
        """
        import numpy as np

        squares = np.arange(SQUARES, dtype=np.uint32)
        black, white, kings = ((boards[:, plane, None] >> squares & 1).astype(float) for plane in range(3))
        board = (black - white) * (1 + kings * (self.king_of(genome) - 1))
        as_white = boards[:, 3] == 1
        if not self.absolute:
            board[as_white] = -board[as_white, ::-1]
        values = board @ self._window_sums if self.inputs in ("sums", "means") else board
        *hidden, (weights, bias) = self.arrays(genome.astype(np.float64))
        for layer, biases in hidden:
            values = np.tanh(values @ layer + biases)
        outputs = values @ weights[:, 0] + bias[0] + self.difference * board.sum(axis=1)
        return np.where(as_white, -outputs, outputs) if self.absolute else np.asarray(outputs)

    def evaluator(self, genome: NDArray[Any], scale: float = EVOLVED_SCALE) -> _core.EvolvedEvaluator:
        """Evaluator of the core."""
        layers, king = self.layers(genome), self.king_of(genome)
        return _core.EvolvedEvaluator(layers, king, self.difference, self.absolute, scale)


@dataclass(frozen=True)
class ChampionRun:
    """Champions of a run."""

    name: str
    about: Mapping[str, Any]
    """`network`, `decider` and other facts of the run in the file."""
    genomes: NDArray[np.float32]
    """(generations, size)."""
    generations: NDArray[np.int32]

    @cached_property
    def network(self) -> EvolvedNetwork:
        """The network of the genomes."""
        return EvolvedNetwork(**self.about["network"])

    def champion(self, generation: int | None = None) -> Evolved:
        """The champion of a generation, the last one by default. Raises InvalidSettingError."""
        import numpy as np

        at = len(self.generations) - 1
        if generation is not None:
            at = int(np.searchsorted(self.generations, generation))
            if at == len(self.generations) or self.generations[at] != generation:
                generations = [int(each) for each in self.generations]
                near = sorted(sorted(generations, key=lambda each: abs(each - generation))[:3])
                raise InvalidSettingError(
                    f"generation {generation} of the run {self.name} is not in the file; it has "
                    f"{len(generations)} from {generations[0]} to {generations[-1]}, such as "
                    f"{', '.join(map(str, near))}"
                )
        return Evolved(self.name, int(self.generations[at]), self.about, self.genomes[at])


class Evolved(FileEvaluation):
    """A champion."""

    def __init__(
        self,
        run: str,
        generation: int,
        about: Mapping[str, Any],
        genome: NDArray[np.float32],
        attrs: Mapping[str, Any] | None = None,
    ) -> None:
        self.run, self.generation, self.about, self.genome = run, generation, about, genome
        self.name = f"{run} generation {generation}"
        self.attrs = dict(attrs or {})
        self.network = EvolvedNetwork(**about["network"])
        self.scale = EVOLVED_SCALE
        meaning = json.dumps(asdict(self.network), sort_keys=True)
        self.signature = storage.checksum(genome, meaning.encode())

    @classmethod
    def read(cls, file: WeightsFile) -> Self:
        champion = read_runs(file)[0].champion()
        return cls(champion.run, champion.generation, champion.about, champion.genome, file.attrs)

    def evaluator(self) -> _core.EvolvedEvaluator:
        return self.network.evaluator(self.genome, self.scale)

    def details(self) -> dict[str, Any]:
        return {**super().details(), "run": self.run, "generation": self.generation, **self.about}

    def facts(self) -> list[tuple[str, str]]:
        return [
            *super().facts(),
            ("champion", f"generation {self.generation} of the run {self.run}"),
            ("network", self.network.describe()),
        ]


def read_runs(file: WeightsFile) -> list[ChampionRun]:
    """The runs in a file of champions. Raises InvalidWeightsError."""
    import numpy as np

    text = file.text("runs")
    try:
        listed = storage.parse_json(text)
        runs = []
        sums = []
        for name, about in listed.items():
            network = EvolvedNetwork(**about["network"])
            if "decider" in about and not isinstance(about["decider"]["kind"], str):
                raise TypeError("the kind of a decider is a text")
            size = network.size
            dtype = "float16" if about.get("precision") == SHORT_PRECISION else "float32"
            genomes = file.array(f"genomes.{name}", dtype, (None, size), GENOME_RANGE)
            generations = file.array(f"generations.{name}", "int32", (len(genomes),))
            if network.king is None and len(genomes):
                check_array(f"genomes.{name}: a king", genomes[:, -1], INPUT_RANGE)
            runs.append(ChampionRun(name, about, genomes.astype(np.float32), generations))
            sums += [genomes, generations]
    except InvalidWeightsError:
        raise
    except KrError as error:
        raise file.damaged(f"the attribute runs: {error}") from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise file.damaged("the attribute runs is not a description of runs") from error
    if not runs or any(len(run.genomes) == 0 for run in runs):
        raise file.damaged("no champions")
    if any((np.diff(run.generations.astype(np.int64)) <= 0).any() for run in runs):
        raise file.damaged("generations out of order")
    file.verify(storage.checksum(*sums, text.encode()))
    return runs


def save_champions(path: Path | str, runs: list[ChampionRun], attrs: Mapping[str, Any]) -> str:
    """Write a file of champions at once or not at all; returns its checksum. attrs: the provenance."""
    import numpy as np

    text = json.dumps({run.name: dict(run.about) for run in runs})
    arrays = {}
    for run in runs:
        dtype = np.float16 if run.about.get("precision") == SHORT_PRECISION else np.float32
        arrays[f"genomes.{run.name}"] = np.ascontiguousarray(run.genomes, dtype=dtype)
        arrays[f"generations.{run.name}"] = np.ascontiguousarray(run.generations, dtype=np.int32)
    checksum = storage.checksum(*arrays.values(), text.encode())
    files.write(path, EVOLVED_KIND, arrays, checksum, attrs, {"runs": text})
    return checksum


def picked_champions(run: ChampionRun, generations: Sequence[int] | None = None, short: bool = False) -> ChampionRun:
    """A run with some of its champions, by default all, and the last one. short: with numbers of 16 bits.

    Raises InvalidSettingError for generations that it has not.
    """
    import numpy as np

    if generations is not None:
        last = int(run.generations[-1])
        numbers = sorted({*generations, last})
        genomes = np.stack([run.champion(generation).genome for generation in numbers])
        run = ChampionRun(run.name, run.about, genomes, np.array(numbers, dtype=np.int32))
    if not short:
        return run
    about = {**run.about, "precision": SHORT_PRECISION}
    return ChampionRun(run.name, about, run.genomes.astype(np.float16).astype(np.float32), run.generations)


def champions_path(place: str) -> Path:
    """The file that a text names: a file, a run's directory, or `shipped`."""
    if place == SHIPPED:
        return storage.data_path("weights", "evolved.h5")
    path = Path(place)
    return path / CHAMPIONS_FILE if path.is_dir() else path


def load_runs(place: str) -> list[ChampionRun]:
    """The runs of a file of champions, a run's directory, or those that come with kr. Raises InvalidWeightsError."""
    path = champions_path(str(storage.as_path(place)))
    with files.opened(path) as file:
        if file.evaluation != EVOLVED_KIND:
            raise InvalidWeightsError(f"{path}: weights of the kind {file.evaluation}, not champions of `kr evolve`")
        return read_runs(file)


def load_champion(text: str) -> Evolved:
    """The champion that a text names, with or without its prefix: `evolved:PATH,run=RUN,generation=N`.

    Raises InvalidSettingError, InvalidWeightsError.
    """
    place, settings = str(storage.as_path(text)).removeprefix(EVOLVED_PREFIX), dict[str, str]()
    for name, value in _settings_behind(place):
        place = place[: place.rindex(",")]
        if name in settings:
            raise InvalidSettingError(f"{text!r:.80} sets {name} twice")
        settings[name] = value
    runs = load_runs(place)
    run = runs[0]
    if "run" in settings:
        matches = [each for each in runs if each.name == settings["run"]]
        if not matches:
            names = ", ".join(each.name for each in runs)
            raise InvalidSettingError(f"no run {settings['run']!r:.40} in {champions_path(place)}; it has {names:.400}")
        run = matches[0]
    champion = run.champion(parse_count(settings["generation"]) if "generation" in settings else None)
    champion.path = champions_path(place)
    return champion


def _settings_behind(place: str) -> Iterator[tuple[str, str]]:
    """The settings at the end of a text, from the last one."""
    while "," in place:
        place, _, last = place.rpartition(",")
        name, equals, value = last.partition("=")
        if not equals or name not in ("run", "generation"):
            return
        yield name, value


KIND = Evolved
