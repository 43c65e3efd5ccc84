"""Fits of the studies that are ended in every way, and edits of the files that they write."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import h5py
import pytest
from test_full_disk import room

from kr import cli
from kr.cli import console


def check_that_it_resumes(
    words: list[str], out: Path, interrupted_at: int, saving: tuple[ModuleType, str], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], resumed_at: float | None = None,
) -> None:  # fmt: skip
    """Ctrl-C in training, then a disk too full for the output, then neither.

    interrupted_at: calls about training; saving: the function that writes the output; resumed_at: what is done already
    where it resumes, if not all that was done.
    """
    show, shown = console.Stages.show, list[float]()

    def interrupt(stages: console.Stages, what: str, done: float, total: float, unit: str, note: str = "") -> None:
        show(stages, what, done, total, unit, note)
        if what == "training":
            shown.append(done)
            if len(shown) == interrupted_at:
                raise KeyboardInterrupt

    monkeypatch.setattr(console.Stages, "show", interrupt)
    assert cli.main(words) == 1
    assert capsys.readouterr().err.endswith("kr: interrupted\n")
    assert [path.name for path in out.parent.iterdir()] == [f"{out.name}.state"]
    save = getattr(*saving)

    def cramped(*arguments: Any) -> None:
        with room(5000):
            save(*arguments)

    monkeypatch.setattr(*saving, cramped)
    done, calls = shown[-1], len(shown)
    assert cli.main(words) == 1
    assert capsys.readouterr() == ("", f"kr: {out}: File too large\n")
    assert [path.name for path in out.parent.iterdir()] == [f"{out.name}.state"]
    assert shown[calls] == (done if resumed_at is None else resumed_at)
    monkeypatch.undo()

    assert cli.main(words) == 0
    assert [path.name for path in out.parent.iterdir()] == [out.name]
    assert "already" not in capsys.readouterr().out
    before = out.read_bytes()
    assert cli.main(words) == 0
    assert "already" in capsys.readouterr().out
    assert out.read_bytes() == before


@dataclass(frozen=True)
class Fit:
    """A fit that nothing disturbed."""

    model: Any
    progress: list[Any]
    out: Path


Fits = Callable[[str], Fit]


def fits_in(place: pytest.TempPathFactory, fit: Callable[[str, Path, Callable[[Any], None]], Any]) -> Fits:
    """Gives fits by their names, each made once. fit: makes one by its name, into a file, and tells its progress."""

    @cache
    def made(name: str) -> Fit:
        out, progress = place.mktemp(name) / "made.h5", list[Any]()
        return Fit(fit(name, out, progress.append), progress, out)

    return made


def options(given: Mapping[str, Any]) -> list[str]:
    """Settings as options of a command line."""
    texts = {name: ",".join(map(str, value)) if isinstance(value, tuple) else value for name, value in given.items()}
    return [f"--{name.replace('_', '-')}={text}" for name, text in texts.items()]


# --- edits of a model file


Edit = Callable[[h5py.File], None]


def edited(path: Path, edit: Edit) -> None:
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        edit(file)


def sealed(checksum: Callable[[dict[str, Any]], str], **texts: Any) -> Edit:
    """An edit of attributes that renews their checksum, as someone does who means it."""

    def edit(file: h5py.File) -> None:
        for name, value in texts.items():
            file.attrs[name] = value if isinstance(value, str | float) else json.dumps(value)
        header = ("kind", "format_version", "checksum", "attributes_checksum")
        attrs = {name: value for name, value in file.attrs.items() if name not in header}
        file.attrs["attributes_checksum"] = checksum(attrs)

    return edit
