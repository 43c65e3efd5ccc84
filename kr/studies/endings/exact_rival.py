"""The exact files of an endgame database as a rival of networks: their bytes, and their exact values."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kr.egdb import files, slices
from kr.egdb.database import Database
from kr.egdb.sample import slices_of
from kr.errors import InvalidDatabaseError

UNPACKED_BYTES = 64 << 20
"""Memory for unpacked values: small, so that the packed files are measured."""


@dataclass(frozen=True, eq=False)
class ExactRival:
    """Files with the values of some classes and of the smaller ones, which captures lead to."""

    database: Database
    packed_bytes: int
    """Bytes of the files."""

    def predict(self, boards: NDArray[np.uint32]) -> NDArray[np.float32]:
        """Certainties (n, 3) of loss, draw and win. boards: (n, 3) black, white, kings, Black to move."""
        values = self.database.values(boards, workers=1)
        certainties: NDArray[np.float32] = np.eye(3, dtype=np.float32)[values]
        return certainties


def open_exact(directory: Path, pieces: str) -> ExactRival:
    """Open the files for a choice of pieces such as "2-6". Raises InvalidDatabaseError if one is missing or damaged."""
    classes = set(map(slices.class_of, slices_of(pieces)))
    database_files = files.listing(directory)
    if lacking := sorted(classes - set(database_files.classes("wld")), key=sum):
        names = ", ".join(map(slices.class_name, lacking))
        raise InvalidDatabaseError(
            f"{directory}: an endgame database {database_files.reach}; the positions have {names}"
        )
    pairs = chain(*map(slices.class_pairs, classes.union(*map(slices.smaller_classes, classes))))
    paths = [database_files.paths["wld"][pair] for pair in sorted(pairs)]
    try:
        size = sum(path.stat().st_size for path in paths)
    except OSError as error:
        raise files.unreadable(directory, error) from error
    most = max(map(sum, classes))
    database = Database.open(directory, unpack_bytes=UNPACKED_BYTES, max_pieces=most, max_distances=0)
    return ExactRival(database, size)


def position_count(pieces: str) -> int:
    """Number of positions of a choice of pieces, with one side to move."""
    return sum(map(slices.size, slices_of(pieces)))
