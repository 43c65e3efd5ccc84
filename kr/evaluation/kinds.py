"""Kinds of evaluations: their common interface, and the registry.

A kind is a class in a module of its own here, over an `Evaluator` of the core. Some are built in and chosen by
name; the others are read from weights files, which name their kind (`kr.evaluation.files`).

How to add one, say `mobility`:
 1. kr/_core/evaluation/mobility.pxi: its score, and `_MobilityEvaluator` in EVALUATORS, as in material.pxi.
 2. kr/_core.pyx: the include of that part, after the others.
 3. kr/evaluation/mobility.py: a `BuiltIn` such as that of material.py, or a `FileEvaluation` such as that of
    evolved.py, as KIND.
All commands with `--weights` then take it (docs/internals/architecture.md).
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakValueDictionary

from kr import _core
from kr.errors import InvalidSettingError, InvalidWeightsError
from kr.evaluation import files
from kr.evaluation.explanation import Explanation, occupied, unshared, without
from kr.evaluation.files import WeightsFile
from kr.game.board import PositionLike, position_of
from kr.game.position import Position
from kr.storage import as_path

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kr.evaluation.weights import Weights

SHIPPED = files.SHIPPED_TABLES
SUMS_TAKEN_OUT = "tables with a network, BASE+NET, were taken out: they won no match (docs/lab/evaluation.md)"
CHAMPION = "evolved"
"""Kind of the evaluations that are chosen from a file of several."""
EVALUATION_KINDS: dict[str, str] = {name: f"kr.evaluation.{name}" for name in _core.EVALUATORS}
"""The kinds by name, each with the module whose KIND it is; imported when it is first used."""


@dataclass(frozen=True)
class Scorer:
    """The part of an evaluation that engines need, and share: scoring only reads, from any number of threads."""

    name: str
    signature: str
    scale: float
    core: _core.Evaluator


_scorers: WeakValueDictionary[tuple[object, ...], Scorer] = WeakValueDictionary()
"""Those in use, by the file that they came from, and by kind and signature."""
_loading = threading.RLock()


class Evaluation(ABC):
    """An evaluation that is loaded. Its kind is its class."""

    name: str
    """Name for display."""
    signature: str
    """Identity of its scores: equal for evaluations with the same scores."""
    scale: float
    """Centi-men in a logit of the expected result (`kr.evaluation.chances`)."""
    attrs: Mapping[str, Any] = MappingProxyType({})
    """Provenance and reports, as a weights file has them."""
    _scorer: Scorer | None = None

    # a cached_property of Python 3.11 has a lock of its own, which would be taken before the other, and after it
    @property
    def scorer(self) -> Scorer:
        """The scorer for the search: one for all evaluations of this kind with the same scores."""
        if self._scorer is None:
            key = type(self), self.signature, self.name, self.scale
            with _loading:
                self._scorer = _scorers.get(key)
                if self._scorer is None:
                    self._scorer = _scorers[key] = Scorer(self.name, self.signature, self.scale, self.evaluator())
        return self._scorer

    @property
    def core(self) -> _core.Evaluator:
        """Evaluator that the search uses."""
        return self.scorer.core

    @abstractmethod
    def evaluator(self) -> _core.Evaluator:
        """A new evaluator of the core, by the class that _core.EVALUATORS has for the kind."""

    @abstractmethod
    def details(self) -> dict[str, Any]:
        """Description as JSON for `kr weights show`, which adds its `attrs`."""

    @abstractmethod
    def facts(self) -> list[tuple[str, str]]:
        """The details for people: names and texts."""

    def explanation(self, position: Position, score: int, worth: dict[int, int]) -> Explanation:
        """The score as a sum, for a kind whose score is one. worth: loss of score without the piece on each square."""
        note = f"the evaluation {self.name!r} has no tables to share out; numbers show the loss without each piece"
        return unshared(position, self.name, score, worth, note)

    def score(self, position: Position) -> int:
        """The static score in centi-men, from the side to move."""
        return int(self.core.evaluate(position.black, position.white, position.kings, int(position.side)))

    def scores(self, boards: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Scores in centi-men of (n, 4) positions in the mover's frame (`patterns.mover_frame`); not rounded if
        the kind has them so."""
        import numpy as np

        men, foe_men, kings, foe_kings = boards.T
        rows = np.stack([men | kings, foe_men | foe_kings, kings | foe_kings, np.zeros_like(men)], axis=1)
        scores = np.empty(len(rows), dtype=np.int16)
        self.core.evaluate_batch(np.ascontiguousarray(rows, dtype=np.uint32), scores)
        return scores.astype(np.float64)

    def explain(self, position: Position) -> Explanation:
        """Where the static score of a position comes from. Raises InvalidSettingError for an empty board."""
        if not position.pieces:
            raise InvalidSettingError("an empty board has no score to explain")
        score = self.score(position)
        worth = {square: score - self.score(without(position, square)) for square in occupied(position)}
        return self.explanation(position, score, worth)


class BuiltIn(Evaluation):
    """An evaluation that is part of kr, chosen by its name."""

    about: str
    """Description in one line."""

    def __init__(self) -> None:
        self.signature = self.name

    def evaluator(self) -> _core.Evaluator:
        return _core.EVALUATORS[self.name]()

    def details(self) -> dict[str, Any]:
        return {"weights": self.name, "about": self.about, "centimen_per_logit": self.scale}

    def facts(self) -> list[tuple[str, str]]:
        return [("weights", f"{self.name}, built in: no tables"), ("what", self.about)]


class FileEvaluation(Evaluation):
    """An evaluation whose weights come from a file."""

    path: Path | None = None
    """The file; None for weights in memory."""

    @classmethod
    @abstractmethod
    def read(cls, file: WeightsFile) -> Self:
        """The evaluation in a weights file of this kind. Raises InvalidWeightsError."""

    def details(self) -> dict[str, Any]:
        return {"weights": self.path, "checksum": self.signature}

    def facts(self) -> list[tuple[str, str]]:
        return [("weights", str(self.path)), ("checksum", self.signature)]


def evaluation_kind(name: str) -> type[Evaluation]:
    """The class of a registered kind."""
    kind: type[Evaluation] = import_module(EVALUATION_KINDS[name]).KIND
    return kind


def built_in() -> tuple[str, ...]:
    """The names of the evaluations that need no file."""
    return tuple(name for name in EVALUATION_KINDS if issubclass(evaluation_kind(name), BuiltIn))


def weights_texts(*others: str) -> str:
    """Choices of an evaluation for help texts: "weights file, manual or material"."""
    *first, last = ("weights file", *sorted(built_in()), *others)
    return f"{', '.join(first)} or {last}"


def load_evaluation(weights: str | Path | Weights | None = None) -> Evaluation:
    """The evaluation that a text names: a weights file, a built-in one, None or "shipped" for the tables of kr, or
    `evolved:PATH` for a champion (`kr.evaluation.evolved`); or that of tables in memory.

    Raises InvalidWeightsError, InvalidSettingError for a champion that is not in its file.
    """
    return _of_tables(weights) or _named_evaluation(_name_of(weights))


def _of_tables(weights: object) -> Evaluation | None:
    """The evaluation of tables in memory; None for anything else."""
    if weights is None or isinstance(weights, str | Path):
        return None
    from kr.evaluation.weights import REGIONS_KIND, Weights

    if not isinstance(weights, Weights):
        return None
    kind: Any = evaluation_kind(REGIONS_KIND)
    # kept with the tables, so that the core copies them once
    return vars(weights).setdefault("_evaluation", kind(weights))


def _name_of(weights: str | Path | Weights | None) -> str:
    return SHIPPED if weights is None else str(as_path(weights))  # type: ignore[arg-type]  # which refuses others


def _named_evaluation(name: str) -> Evaluation:
    if name in EVALUATION_KINDS:
        kind = evaluation_kind(name)
        if issubclass(kind, BuiltIn):
            return kind()
    try:
        if name.startswith(f"{CHAMPION}:"):
            champion: Evaluation = import_module(EVALUATION_KINDS[CHAMPION]).load_champion(name)
            return champion
        return load_file(name)
    except InvalidWeightsError as error:
        if not isinstance(error.__cause__, FileNotFoundError):
            raise
        if "+" in name:
            raise InvalidWeightsError(f"{error}; {SUMS_TAKEN_OUT}") from error.__cause__
        # a bare word is more likely a misspelt name than a file
        if not ({"/", ".", ":"} & set(name)):
            raise InvalidWeightsError(f"{error}; expected a {weights_texts(SHIPPED)}") from error.__cause__
        raise


def load_scorer(weights: str | Path | Weights | None = None) -> Scorer:
    """The scorer of the evaluation that a text names, as for `load_evaluation`.

    An unchanged file is read once for all engines that are alive together; an engine keeps no tables but those of the
    core. Raises InvalidWeightsError.
    """
    if evaluation := _of_tables(weights):
        return evaluation.scorer
    name = _name_of(weights)
    try:
        path = files.shipped_path() if name == SHIPPED else Path(name)
        status = path.stat()
    except (OSError, ValueError):
        return _named_evaluation(name).scorer
    key = name, path.absolute(), status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
    with _loading:
        scorer = _scorers.get(key)
        if scorer is None:
            scorer = _scorers[key] = _named_evaluation(name).scorer
    return scorer


def load_file(path: str | Path | None = None) -> FileEvaluation:
    """The evaluation in a weights file; None or "shipped" for the tables of kr. Raises InvalidWeightsError."""
    shipped = path is None or str(path) == SHIPPED
    place = files.shipped_path() if shipped else str(path)
    with files.opened(place) as file:
        evaluation = _file_kind(file).read(file)
    evaluation.path = Path(place)
    evaluation.name = SHIPPED if shipped else evaluation.path.stem
    return evaluation


def _file_kind(file: WeightsFile) -> type[FileEvaluation]:
    """The kind that a weights file names."""
    kinds = {}
    for name in EVALUATION_KINDS:
        kind = evaluation_kind(name)
        if issubclass(kind, FileEvaluation):
            kinds[name] = kind
    if file.evaluation not in kinds:
        raise InvalidWeightsError(
            f"{file.path}: weights of the kind {file.evaluation!r:.40}; this kr has {', '.join(kinds)}"
        )
    return kinds[file.evaluation]


def explain(position: PositionLike, weights: str | Path | Weights | Evaluation | None = None) -> Explanation:
    """Explain the static score of a position.

    weights: as for Engine, or a loaded evaluation; without them the tables of kr, which are read once. Raises
    InvalidWeightsError, and InvalidSettingError for an empty board.
    """
    if not isinstance(weights, Evaluation):
        weights = _shipped() if weights is None else load_evaluation(weights)
    return weights.explain(position_of(position))


@cache
def _shipped() -> Evaluation:
    return load_evaluation()
