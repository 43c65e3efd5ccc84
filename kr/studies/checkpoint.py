"""Checkpoints: the files from which fits resume, and which pages show while fits run.

The checkpoint of the output NAME is `NAME.state`, in numpy's `.npz`: the arrays that make up the state of a fit, and a
story in JSON: the study, how far the fit is, the curve of its losses, and what the fit itself needs to go on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from kr import storage
from kr.errors import InvalidCheckpointError, InvalidSettingError

CHECKPOINT_VERSION = 1
"""Of the file; checkpoints of earlier versions of kr have no number."""
STUDIES = ("people", "endings")

State = TypeVar("State")


@dataclass(frozen=True)
class FitStage:
    """Progress of a fit."""

    done: int
    total: int
    unit: str
    """Unit of the count, in the plural."""
    loss: float | None
    """Mean loss in the epoch under way."""
    curve: Sequence[Mapping[str, Any]]
    """Measurements after each epoch, among them `loss`, `validation_loss` and `seconds`."""


@contextmanager
def fitting(out: Path, sources: Iterable[Path]) -> Iterator[None]:
    """Hold the output of a fit for this block. sources: files that the fit reads.

    Raises InvalidSettingError if the output is one of them or can't be written, OutputBusyError for a second writer.
    """
    storage.check_output(out)
    for source in sources:
        if out.exists() and source.exists() and out.samefile(source):
            raise InvalidSettingError(f"--out {out} is read by this fit; choose another file")
    with storage.lock(out):
        yield


def checkpoint_path(out: Path) -> Path:
    """Path of the checkpoint of an output."""
    return out.with_name(f"{out.name}.state")


class StudyCheckpoint:
    """The checkpoint of one fit. fingerprint: identity of settings and data; a file of another fit is replaced."""

    def __init__(self, out: Path, fingerprint: str, study: str) -> None:
        self.out, self.fingerprint, self.study = out, fingerprint, study
        self.path = checkpoint_path(out)

    def save(self, arrays: Sequence[Any], stage: FitStage, **own: Any) -> None:
        """Replace the file. own: more of the story, as JSON types. Raises OSError."""
        named: dict[str, Any] = {_array_name(number): array for number, array in enumerate(arrays)}
        story = json.dumps({"study": self.study, **asdict(stage), **own})
        named |= {"format_version": CHECKPOINT_VERSION, "fingerprint": self.fingerprint, "story": story}
        with storage.atomic_path(self.path) as temporary, temporary.open("wb") as file:
            np.savez(file, **named)

    def load(
        self, like: Sequence[Any], parse: Callable[[list[NDArray[Any]], FitStage, dict[str, Any]], State]
    ) -> State | None:
        """State that `parse` makes of arrays, stage and story; None without a file, or if it is of another fit.

        like: arrays with the shapes and types of the saved ones. Raises InvalidCheckpointError for a damaged file and
        for one of an earlier version.
        """
        if not self.path.exists():
            return None
        earlier = False
        try:
            with storage.open_arrays(self.path) as file:
                if str(file["fingerprint"]) != self.fingerprint:
                    return None
                earlier = "format_version" not in file
                _check_version(file)
                arrays = [_same_kind(file[_array_name(number)], array) for number, array in enumerate(like)]
                return parse(arrays, *_parse_story(str(file["story"])))
        except Exception as error:  # numpy and zipfile raise what they like for a damaged file
            if earlier:
                raise _earlier_version(self.path) from None
            raise InvalidCheckpointError(f"{self.path}: damaged checkpoint; remove it to start afresh") from error

    def remove(self) -> None:
        """Remove the file of a fit whose output is written."""
        self.path.unlink(missing_ok=True)


def read_stage(path: Path) -> tuple[str, FitStage]:
    """Study and stage of the fit that a checkpoint belongs to. Raises InvalidCheckpointError."""
    earlier = False
    try:
        with storage.open_arrays(path) as file:
            earlier = "fingerprint" in file and "format_version" not in file
            _check_version(file)
            stage, story = _parse_story(str(file["story"]))
            return story["study"], stage
    except Exception as error:  # as above
        if earlier:
            raise _earlier_version(path) from None
        raise InvalidCheckpointError(f"{path}: damaged checkpoint, or one of another version") from error


def _earlier_version(path: Path) -> InvalidCheckpointError:
    return InvalidCheckpointError(
        f"{path}: a checkpoint of an earlier version of kr; resume it with that version, or remove it to start afresh"
    )


def _array_name(number: int) -> str:
    return f"array_{number:04}"


def _check_version(file: Mapping[str, Any]) -> None:
    if int(file["format_version"]) != CHECKPOINT_VERSION:
        raise ValueError("another version")


def _parse_story(text: str) -> tuple[FitStage, dict[str, Any]]:
    """Stage and story of a JSON text. Raises ValueError, LookupError or TypeError."""
    story = storage.parse_json(text)
    stage = FitStage(**{each.name: story[each.name] for each in fields(FitStage)})
    if story["study"] not in STUDIES or not 0 <= int(stage.done) <= int(stage.total) or type(stage.unit) is not str:
        raise ValueError("not the stage of a fit")
    numbers = [point[name] for point in stage.curve for name in ("loss", "validation_loss", "seconds")]
    if not all(map(math.isfinite, [0 if stage.loss is None else stage.loss, *numbers])):
        raise ValueError("a curve of other things than numbers")
    return stage, story


def _same_kind(array: NDArray[Any], like: Any) -> NDArray[Any]:
    """An array, if it has the shape and type of this one and finite numbers. Raises ValueError."""
    like = np.asarray(like)
    if array.shape != like.shape or array.dtype != like.dtype or not np.isfinite(array).all():
        raise ValueError("an array of another kind")
    return array
