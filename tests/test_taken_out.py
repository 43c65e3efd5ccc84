"""Kinds, options and commands of earlier versions: each is refused by name, in one line."""

from pathlib import Path

import numpy as np
import pytest
from playouts import write_run
from refusals import check_refused

from kr import Engine, InvalidWeightsError
from kr.evaluation import files, kinds
from kr.evaluation.files import FITTED


@pytest.fixture(params=files.KINDS_TAKEN_OUT)
def kind(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A kind that was taken out, in a directory with a weights file of it, old.h5."""
    monkeypatch.chdir(tmp_path)
    name: str = request.param
    files.write("old.h5", name, {"table": np.zeros((2, 2), dtype=np.int16)}, "0", {})
    return name


@pytest.mark.parametrize(
    "line",
    [
        "weights show old.h5", "weights layout old.h5", "weights count . --weights old.h5 --out new.h5",
        "analyze --tc depth=1 --weights old.h5", "match shipped old.h5 --games 2", "bench --weights old.h5",
        "train --weights old.h5 --out run --generations 1", "fit games --prior old.h5",
    ],
)  # fmt: skip
def test_weights_of_a_kind_that_was_taken_out(kind: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    if line.startswith("fit"):
        write_run(Path("games"), 40)
    check_refused(capsys, line, 1, f"old.h5: weights of the kind '{kind}', which was taken out: ")


def test_an_engine_of_a_kind_that_was_taken_out(kind: str) -> None:
    for load in (Engine, kinds.load_evaluation, kinds.load_scorer):
        with pytest.raises(InvalidWeightsError, match=rf"old\.h5: weights of the kind '{kind}'.*d35c85d"):
            load("old.h5")


def test_a_fit_of_a_kind_that_was_taken_out_stays(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is not written over unasked."""
    Path("old.h5").rename(FITTED)
    write_run(Path("games"), 40)
    for line in ("fit games", f"fit games --out ./{FITTED}"):
        check_refused(capsys, line, 1, f"{FITTED}: weights of the kind '{kind}', which was taken out")
    assert FITTED.exists()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("fit --kind net", "--kind was taken out: networks on top of tables won no match (docs/lab/evaluation.md); "),
        ("fit games --out mine.h5 --kind regions", "--kind was taken out"),
    ],
)
def test_options_and_commands_that_were_taken_out(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    check_refused(capsys, line, 2, said)
