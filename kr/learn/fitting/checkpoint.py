"""Checkpoints, from which a fit resumes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import storage
from kr.errors import InvalidWeightsError
from kr.evaluation.patterns import GROUPS
from kr.learn.fitting.settings import FitSettings


@dataclass(frozen=True, eq=False)
class FitState:
    """State of the fit of one group, as a checkpoint keeps it."""

    x: NDArray[np.float64]
    """Parameters (`kr.learn.fitting.objective.Objective`)."""
    history: NDArray[np.float64]
    """(iterations, 2): mean training and held-out loss after each."""
    finished: bool = False


class Checkpoint:
    """File beside the output that a fit resumes from; valid for the same settings and samples only."""

    def __init__(self, settings: FitSettings, samples: str, prior_checksum: str) -> None:
        """samples: their identity."""
        shaping = json.dumps([settings.shaping(), settings.layout.as_dict()], sort_keys=True)
        self.fingerprint = storage.checksum(shaping.encode(), prior_checksum.encode(), samples.encode())
        self.path = settings.out.with_name(f"{settings.out.name}.checkpoint")

    def load(self) -> dict[bool, FitState]:
        """Content of the last checkpoint; empty if there is none or it belongs to another fit."""
        if not self.path.exists():
            return {}
        try:
            with storage.open_arrays(self.path) as file:
                if str(file["fingerprint"]) != self.fingerprint:
                    return {}
                return {kings: _state(file, name) for kings, name in GROUPS.items() if f"{name}_x" in file}
        except Exception as error:  # numpy and zipfile raise what they like for a damaged file
            raise InvalidWeightsError(f"{self.path}: damaged checkpoint; remove it to start afresh") from error

    def save(self, states: dict[bool, FitState]) -> None:
        """Replace the checkpoint."""
        arrays: dict[str, Any] = {"fingerprint": self.fingerprint}
        for kings, one in states.items():
            name = GROUPS[kings]
            arrays |= {f"{name}_x": one.x, f"{name}_history": one.history, f"{name}_finished": one.finished}
        with storage.atomic_path(self.path) as temporary, temporary.open("wb") as file:
            np.savez(file, **arrays)

    def remove(self) -> None:
        """The fit is written, its checkpoint no longer needed."""
        self.path.unlink(missing_ok=True)


def checkpoint_losses(path: Path) -> dict[str, NDArray[np.float64]]:
    """Losses of a fit under way, by group: (iterations, 2), training and held out. Raises InvalidWeightsError."""
    try:
        with storage.open_arrays(path) as file:
            return {name: _state(file, name).history for name in GROUPS.values() if f"{name}_x" in file}
    except OSError as error:
        raise InvalidWeightsError(f"{path}: can't be read: {error.strerror}") from error
    except Exception as error:  # as above
        raise InvalidWeightsError(f"{path}: damaged checkpoint") from error


def _state(file: Any, name: str) -> FitState:
    """State of a group in a checkpoint. Raises ValueError if it cannot be resumed."""
    x, history = file[f"{name}_x"], file[f"{name}_history"]
    plain = x.dtype == history.dtype == np.float64 and x.ndim == 1 and history.shape[1:] == (2,)
    if not plain or not np.isfinite(x).all():
        raise ValueError(name)
    return FitState(x, history, bool(file[f"{name}_finished"]))
