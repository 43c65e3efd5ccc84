"""Models of `kr endnet fit` with random numbers, as if they had been trained."""

from __future__ import annotations

from typing import Any

import numpy as np

from kr import storage
from kr.studies.endings.model_file import EndnetModel
from kr.studies.endings.shape import NetShape

POINT = {
    "epoch": 1, "loss": 0.5, "validation_loss": 0.4, "accuracy": 0.75, "seconds": 1.5,
    "recall": {"loss": 0.5, "draw": None, "win": 1.0},
}  # fmt: skip
REPORT = {"training_positions": 1000, "pieces": ["2-3"], "best_epoch": 1, "epochs": 1, "accuracy": 0.75}


def random_model(shape: NetShape, **changed: Any) -> EndnetModel:
    """A model of random numbers."""
    rng = np.random.default_rng(4)
    parts = [
        {name: rng.uniform(0.1, 1, size).astype(np.float32) for name, size in sizes.items()}
        for sizes in (shape.parameter_sizes, shape.state_sizes)
    ]
    fields = {"curve": [POINT], "report": REPORT, "attrs": storage.provenance("kr endnet fit", seed=1), **changed}
    return EndnetModel(shape, *parts, **fields)
