"""Number of times that the entries of region tables occur in games, the evidence for their weights.

A weights file may hold it with the tables (`men_seen`, `kings_seen`), one byte for each entry: 0 for an entry that
never occurred, else 1 + 4 log2 of the number, rounded, which is right to 9 %. It changes no score and is not part of
the tables' checksum. The attribute `evidence` names the games that were counted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr import storage
from kr.errors import InvalidWeightsError
from kr.evaluation import files
from kr.evaluation.layouts import read_layout
from kr.evaluation.patterns import GROUPS, KINGS_ENTRIES, MEN_ENTRIES
from kr.language.sentences import Sentence, count_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kr.evaluation.files import WeightsFile

EVIDENCE = "evidence"
"""Attribute that describes the counts."""
_STEPS = 4
"""Codes for each doubling."""


@dataclass(frozen=True)
class CountedRun:
    """Games of one run of self-play that were counted."""

    games: int
    seed: int
    """Seed of the run."""
    player: str
    """Identity of the evaluation that played: the checksum of its tables, or its name; "" if it isn't known."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Counts of the entries of both groups of tables, as codes."""

    men: NDArray[np.uint8]
    """(regions of 12 squares, 3^12)."""
    kings: NDArray[np.uint8]
    """(regions of 8 squares, 5^8)."""
    runs: tuple[CountedRun, ...]
    """Where the games come from."""
    positions: int
    """Quiet positions of the games."""
    fitted: bool
    """True if the tables were fitted to these games; False if games were counted later."""
    tables: str
    """Checksum of the tables; empty for those that are not written yet."""

    @property
    def games(self) -> int:
        """Number of games."""
        return sum(run.games for run in self.runs)

    @property
    def own(self) -> bool:
        """True if these very tables played all the games."""
        return all(run.player == self.tables for run in self.runs)

    def seen(self, kings: bool, region: int, index: int) -> int:
        """Number of positions in which an entry of a region occurred, to 9 %."""
        return decoded(int((self.kings if kings else self.men)[region, index]))

    @property
    def sentence(self) -> Sentence:
        """What games these are."""
        kind = "fitted" if self.fitted else "own" if self.own else "selfplay"
        games, positions = count_of("games", self.games), count_of("quiet_positions", self.positions)
        return Sentence(f"evidence.{kind}", {"games": games, "positions": positions})

    def __str__(self) -> str:
        return str(self.sentence)

    def arrays(self) -> dict[str, NDArray[np.uint8]]:
        """Datasets by their names in a weights file."""
        return {"men_seen": self.men, "kings_seen": self.kings}

    def attributes(self) -> dict[str, str]:
        """Attributes of the weights file."""
        return {EVIDENCE: json.dumps({**self.about(), "checksum": storage.checksum(self.men, self.kings)})}

    def about(self) -> dict[str, Any]:
        """The games that were counted, as JSON."""
        runs = [asdict(run) for run in self.runs]
        return {"runs": runs, "positions": self.positions, "fitted": self.fitted}


def encoded(counts: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Codes of numbers of positions."""
    import numpy as np

    return np.where(counts > 0, 1 + np.rint(_STEPS * np.log2(np.maximum(counts, 1))), 0).astype(np.uint8)


def decoded(code: int) -> int:
    """Number of positions that a code stands for."""
    return round(2 ** ((code - 1) / _STEPS)) if code else 0


def load_evidence(path: Path | str, checksum: str) -> Evidence | None:
    """The counts in a weights file of region tables, or None.

    checksum: that of the tables; None is also returned if the file is gone or holds others by now. Raises
    InvalidWeightsError.
    """
    try:
        with files.opened(path) as file:
            return _read(file) if EVIDENCE in file.attrs and file.identity == checksum else None
    except InvalidWeightsError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return None
        raise


def _read(file: WeightsFile) -> Evidence:
    try:
        about: Any = storage.parse_json(file.text(EVIDENCE))
        if not isinstance(about, Mapping):
            raise ValueError("not a JSON object")
        runs, positions, fitted, checksum = (about.get(name) for name in ("runs", "positions", "fitted", "checksum"))
        if type(positions) is not int or type(fitted) is not bool:
            raise ValueError("positions and fitted are a number and a truth value")
        if not isinstance(runs, list) or not all(_is_run(run) for run in runs):
            raise ValueError("runs are not games, seed and player each")
    except ValueError as error:
        raise file.damaged(f"invalid {EVIDENCE}: {error}") from error
    layout = read_layout(file)
    men, kings = (
        file.array(f"{group}_seen", "uint8", (len(layout.group(group == GROUPS[True])[0]), entries))
        for group, entries in zip(GROUPS.values(), (MEN_ENTRIES, KINGS_ENTRIES), strict=True)
    )
    if storage.checksum(men, kings) != checksum:
        raise file.damaged("the counts of entries do not match their checksum")
    return Evidence(men, kings, tuple(CountedRun(**run) for run in runs), positions, fitted, file.identity)


def _is_run(entry: Any) -> bool:
    kinds = {"games": int, "seed": int, "player": str}
    return isinstance(entry, Mapping) and {name: type(value) for name, value in entry.items()} == kinds
