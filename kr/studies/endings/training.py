"""`kr endnet fit`: trains a network on positions with exact values.

It ends after `--epochs`, or once the accuracy on the validation positions hasn't risen for `--patience` epochs; the
parameters of the best epoch are kept. `kr.studies.descent` has the training itself and its checkpoint.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

from kr import figures, storage
from kr.egdb.sample_reader import SampleStream
from kr.engine.search import Stop
from kr.errors import InvalidModelError, InvalidSettingError
from kr.settings import check_settings
from kr.studies.checkpoint import StudyCheckpoint, fitting
from kr.studies.descent import Descent, FitProgress, check_jax
from kr.studies.endings.model_file import EndnetModel, load_model, save_model
from kr.studies.endings.settings import EndnetFitSettings


def fit_endnet(
    settings: EndnetFitSettings,
    on_progress: Callable[[FitProgress], None] | None = None,
    stop: Stop | None = None,
) -> EndnetModel:
    """Train a network and write its model file; a finished one is only read.

    stop: ends the training after the batches under way; called again, it resumes. Raises StoppedError then,
    InvalidSettingError without JAX, InvalidSampleError, InvalidModelError and InvalidCheckpointError for damaged files,
    DivergedError if the loss is not finite, OutputBusyError if another process writes the same file.
    """
    check_settings(settings, EndnetFitSettings)
    check_jax()
    if settings.plots:
        figures.check_plots(settings.plots)
    with fitting(settings.out, (*settings.samples, *([settings.start] if settings.start else []))):
        rows = SampleStream(
            settings.samples, "training", settings.batch, settings.seed, settings.limit or None,
            quiet=settings.asked == "quiet",
        )  # fmt: skip
        start = load_model(settings.start) if settings.start else None
        if start and start.shape != settings.shape:
            raise InvalidSettingError(
                f"--from {settings.start}: a network of another shape ({start.shape}, {start.shape.asked} positions); "
                f"expected {settings.shape}, {settings.shape.asked} positions"
            )
        fingerprint = _fingerprint(settings, [file.checksum for file in rows.files], start)
        checkpoint = StudyCheckpoint(settings.out, fingerprint, "endings")
        model = _finished(settings.out, fingerprint)
        if model is None:
            model = _trained(settings, rows, start, checkpoint, on_progress, stop)
            save_model(settings.out, model)
        checkpoint.remove()
        if settings.plots:
            from kr.studies.endings.curve_plot import draw_curve

            draw_curve(model, settings.plots)
    return model


def _fingerprint(settings: EndnetFitSettings, samples: list[str], start: EndnetModel | None) -> str:
    shaping = {**settings.shaping(), "samples": samples, "from": start.checksum if start else None}
    return storage.checksum(json.dumps(shaping, sort_keys=True).encode())


def _finished(path: Path, fingerprint: str) -> EndnetModel | None:
    """The model, if an earlier start of this training finished it; None if there is another one, which is replaced."""
    if not path.exists():
        return None
    try:
        model = load_model(path)
    except InvalidModelError:
        return None
    return replace(model, earlier=True) if model.attrs.get("fingerprint") == fingerprint else None


def _trained(
    settings: EndnetFitSettings,
    rows: SampleStream,
    start: EndnetModel | None,
    checkpoint: StudyCheckpoint,
    on_progress: Callable[[FitProgress], None] | None,
    stop: Stop | None,
) -> EndnetModel:
    from kr.studies.endings.net_training import EndnetLearner

    learner = EndnetLearner(settings, rows, start)
    net = Descent(learner, checkpoint, settings.seed).run(on_progress, stop)
    report = {
        "training_positions": rows.positions,
        "pieces": [file.pieces for file in rows.files],
        "best_epoch": net.best["epoch"],
        "epochs": len(net.curve),
        "accuracy": net.best["accuracy"],
    }
    shown = {name: value for name, value in asdict(settings).items() if name not in ("out", "plots")}
    attrs = storage.provenance(
        parents=[*(file.checksum for file in rows.files), *([start.checksum] if start else [])], **shown
    )
    return EndnetModel(
        settings.shape, net.parameters, net.state, net.curve, report, {**attrs, "fingerprint": checkpoint.fingerprint},
        settings.out,
    )  # fmt: skip
