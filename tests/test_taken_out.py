"""Kinds, options and commands of earlier versions: each is refused by name, in one line."""

from pathlib import Path

import numpy as np
import pytest
from playouts import write_run
from refusals import check_refused
from tables import random_weights

from kr import Engine, InvalidWeightsError
from kr.evaluation import files, kinds, weights
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
        "train --weights old.h5 --out run --generations 1", "fit games --prior old.h5", "endnet test old.h5 sample.h5",
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
        ("fit --kind net", "kr fit --kind was taken out: networks on top of tables won no match ("),
        ("fit games --out mine.h5 --kind regions", "kr fit --kind was taken out"),
        ("doubling --out new", "kr doubling was taken out: bench/doubling.py of a checkout measures the same"),
        (
            "endnet export net.h5 --out play.h5",
            "kr endnet export was taken out: networks for endings won no match beside",
        ),
    ],
)
def test_options_and_commands_that_were_taken_out(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    check_refused(capsys, line, 2, said)


@pytest.mark.parametrize("text", ["shipped+net.h5", "material+net.h5:pieces=8:share=0.5", "weights/kr.h5+net.h5"])
@pytest.mark.parametrize("line", ["weights show {}", "analyze --tc depth=1 --weights {}", "match shipped {} --games 2"])
def test_tables_with_a_network(line: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    named = Path(text) if line.startswith("weights") else text
    said = f"{named}: no such file; tables with a network, BASE+NET, were taken out: they won no match"
    check_refused(capsys, line.format(text), 1, said)


@pytest.mark.slow
def test_a_file_whose_name_has_a_plus_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = random_weights("small")
    tables = (made.men_table, made.kings_table, made.men_material, made.kings_material)
    weights.save_tables("shipped+net.h5", made.layout, *tables, attrs={})
    assert Engine("shipped+net.h5", hash_mb=1, database=None).signature != Engine(database=None).signature
