"""`kr endnet export`: a trained network as a weights file that the core computes in whole numbers, without JAX."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kr import _core, storage
from kr.errors import InvalidSettingError, InvalidWeightsError
from kr.evaluation.endnet import Endnet, NetUse, quantized, save_endnet
from kr.evaluation.patterns import MAX_BOARD_PIECES
from kr.settings import REQUIRED, Settings, option
from kr.studies.endings.model_file import EndnetModel, load_model

COMPARED = 10_000
"""Random positions on which the whole numbers are compared with the floats."""
LARGEST_DIFFERENCE = 0.02
"""In a probability. Networks of `kr endnet fit` have differed by .004 at most."""
KINGS = 0.4
"""Share of kings among the pieces of a random position."""


@dataclass(frozen=True)
class EndnetExportSettings(Settings):
    """Settings of an export."""

    model: Path = option(REQUIRED, "Model file of `kr endnet fit`.", argument=True, metavar="MODEL")
    out: Path = option(REQUIRED, "Weights file to write.", metavar="FILE")
    pieces: int = option(
        0, "Most pieces of the positions in which play asks it: {allowed}.",
        low=2, high=MAX_BOARD_PIECES, zero="the most it was trained on",
    )  # fmt: skip
    bonus: float = option(NetUse.bonus, "Centi-men added for a sure win, {allowed}.", low=0, high=10000)
    share: float = option(NetUse.share, "Share of the score that a sure draw takes away, {allowed}.", low=0, high=1)


@dataclass(frozen=True)
class EndnetExport:
    """A weights file that was written."""

    out: Path
    checksum: str
    bytes: int
    pieces: tuple[int, int]
    """Fewest and most pieces of the positions that it was trained on."""
    compared: int
    """Random positions on which it was compared with the network in floats."""
    difference: float
    """Largest difference of a probability on them."""
    changed: int
    """Those of which another value is the likeliest."""


def export_endnet(settings: EndnetExportSettings) -> EndnetExport:
    """Write the weights file of a model. Needs no JAX.

    Raises InvalidModelError for a damaged model file, InvalidSettingError for a network that the core can't compute,
    and OSError.
    """
    storage.check_output(settings.out)
    if settings.out.exists() and settings.model.exists() and settings.out.samefile(settings.model):
        raise InvalidSettingError(f"--out {settings.out} is the model itself; choose another file")
    model = load_model(settings.model)
    if model.shape.net != "small" or model.shape.inputs != "squares":
        raise InvalidSettingError(
            f"{settings.model}: the core computes small networks of squares only; this one is {model.shape}"
        )
    low, high = trained_pieces(model)
    attrs = {
        **storage.provenance(parents=[model.checksum], pieces=settings.pieces, bonus=settings.bonus,
                             share=settings.share),
        "pieces_low": low, "pieces_high": high, "asked": model.shape.asked,
        "use_pieces": settings.pieces or high, "win_bonus": settings.bonus, "draw_share": settings.share,
    }  # fmt: skip
    try:
        arrays = quantized([(model.parameters[f"w{i}"], model.parameters[f"b{i}"]) for i in (1, 2, 3)])
        endnet = Endnet(arrays, attrs)
    except InvalidWeightsError as error:
        raise InvalidSettingError(f"{settings.model}: the core can't hold this network: {error}") from error
    boards = random_boards(COMPARED, low, high, model.shape.asked == "quiet")
    exact, found = float_probabilities(model, boards), endnet.predict(boards)
    difference = float(np.abs(exact - found).max())
    if difference > LARGEST_DIFFERENCE:
        raise InvalidSettingError(
            f"{settings.model}: in whole numbers this network differs by {difference:.3f} in a probability; "
            f"expected at most {LARGEST_DIFFERENCE}"
        )
    with storage.lock(settings.out):
        checksum = save_endnet(settings.out, arrays, attrs)
    changed = int((exact.argmax(axis=1) != found.argmax(axis=1)).sum())
    size = settings.out.stat().st_size
    return EndnetExport(settings.out, checksum, size, (low, high), len(boards), difference, changed)


def trained_pieces(model: EndnetModel) -> tuple[int, int]:
    """Fewest and most pieces of the positions that a network was trained on. Raises InvalidSettingError.

    Samples say it as `kr egdb sample --pieces` takes it; those of games go beyond the databases.
    """
    counts = []
    for part in ",".join(model.report["pieces"]).split(","):
        found = re.fullmatch(r"(\d{1,2})(?:([-v])(\d{1,2}))?", part.strip())
        first, joint, second = found.groups() if found else ("0", None, None)
        counts += [int(first) + int(second or 0)] if joint == "v" else [int(first), int(second or first)]
    low, high = min(counts), max(counts)
    if not 2 <= low <= high <= MAX_BOARD_PIECES:
        told = ", ".join(model.report["pieces"])
        raise InvalidSettingError(f"{model.path}: its samples do not say of which pieces they are: {told!r:.60}")
    return low, high


def float_probabilities(model: EndnetModel, boards: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Probabilities (n, 3) by a small network of squares, in double precision. boards: as for `predict`."""
    bits = (boards[:, :, None] >> np.arange(32, dtype=np.uint32)) & 1
    black, white, kings = bits[:, 0], bits[:, 1], bits[:, 2]
    x = np.concatenate([black & ~kings, white & ~kings, black & kings, white & kings], axis=1).astype(np.float64)
    parameters = {name: array.astype(np.float64) for name, array in model.parameters.items()}
    for i in (1, 2):
        x = np.clip(x @ parameters[f"w{i}"] + parameters[f"b{i}"], 0, 1)
    logits = x @ parameters["w3"] + parameters["b3"]
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    found: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    return found


def random_boards(count: int, low: int, high: int, quiet: bool) -> NDArray[np.uint32]:
    """Random boards (n, 3) with `low` to `high` pieces of both sides, Black to move; with quiet, those of `count`
    boards in which Black has no capture.
    """
    rng = np.random.default_rng(1)
    order = rng.permuted(np.tile(np.arange(32, dtype=np.uint32), (count, 1)), axis=1)
    pieces = rng.integers(low, high + 1, count)[:, None]
    # at least one of each side
    white = rng.integers(1, pieces)
    place = np.arange(32)
    squares = np.uint32(1) << order
    is_white, stands = place < white, place < pieces
    is_king = (rng.random((count, 32)) < KINGS) | np.where(is_white, order < 4, order >= 28)
    boards = np.stack(
        [np.where(each, squares, 0).sum(axis=1) for each in (stands & ~is_white, is_white, stands & is_king)], axis=1
    ).astype(np.uint32)
    return boards[~_core.pending_captures(boards)] if quiet else boards
