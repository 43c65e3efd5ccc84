"""Networks for endings in the core: whole numbers against floats, limits, files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from nets import ATTRS, float_chances, random_endings, random_layers, random_net, save_random_net

from kr import InvalidWeightsError, Position, _core
from kr.cli import main
from kr.evaluation import endnet, files, kinds

BOUND = 0.002
"""Largest difference of a probability from that of the floats (docs/internals/evaluation.md)."""


@pytest.mark.core
@pytest.mark.parametrize(("units", "hidden"), [(512, 32), (1024, 64), (100, 10), (32, 16), (1, 1), (700, 48)])
def test_whole_numbers_say_what_floats_say(units: int, hidden: int) -> None:
    layers, boards = random_layers(units, hidden), random_endings(2000)
    net = endnet.Endnet(endnet.quantized(layers), ATTRS)
    found, expected = net.predict(boards), float_chances(layers, boards)
    assert found.dtype == np.float32
    assert np.abs(found - expected).max() < BOUND
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-6)
    # they differ from position to position
    assert units == 1 or found.std(axis=0).min() > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_the_bound_on_ten_thousand_positions(seed: int) -> None:
    layers, boards = random_layers(512, 32, seed), random_endings(10_000, 10, seed)
    found = endnet.Endnet(endnet.quantized(layers), ATTRS).predict(boards)
    assert np.abs(found - float_chances(layers, boards)).max() < BOUND


@pytest.mark.core
@pytest.mark.parametrize(("units", "hidden"), [(512, 32), (96, 16), (64, 48), (1024, 64)])
def test_all_instructions_come_to_the_same_numbers(units: int, hidden: int) -> None:
    net = endnet.Endnet(endnet.quantized(random_layers(units, hidden)), ATTRS)._net
    boards = random_endings(300, 12)
    plain = net.logits(boards, 0)
    levels = [0]
    for level in (1, 2, 3):
        try:
            found = net.logits(boards, level)
        except ValueError:
            continue
        levels.append(level)
        np.testing.assert_array_equal(found, plain)
    np.testing.assert_array_equal(net.logits(boards), plain)
    with pytest.raises(ValueError, match="no level 4"):
        net.logits(boards, 4)
    assert levels == sorted(levels)


@pytest.mark.core
def test_scores_do_not_know_colours_and_follow_the_chances() -> None:
    net = random_net(centimen_per_logit=50.0)
    boards = random_endings(500)
    chances = net.predict(boards).astype(float)
    expected = chances[:, 2] + chances[:, 1] / 2
    logits = np.log(expected / (1 - expected)) * 50
    for row, logit in zip(boards.tolist(), logits, strict=True):
        position = Position(*row, 0)
        material = kinds.load_evaluation("material").score(position)
        assert net.score(position) == pytest.approx(logit + material / 8, abs=2)
        assert net.score(position.flipped()) == net.score(position)


@pytest.mark.core
def test_scores_stay_in_their_range() -> None:
    layers = random_layers(size=30.0)
    layers[0] = random_layers()[0]
    net = endnet.Endnet(endnet.quantized(layers), {**ATTRS, "centimen_per_logit": 1e6})
    scores = [net.score(Position(*row, 0)) for row in random_endings(200).tolist()]
    assert {-_core.SCORE_STATIC_MAX, _core.SCORE_STATIC_MAX} <= set(scores)
    small = random_net()
    assert small.score(Position(1, 0, 0, 0)) > 300
    assert small.score(Position(0, 1 << 31, 0, 0)) < -300


# --- layers that the core can't hold


def changed(layer: int, part: int, change: Callable[[Any], Any]) -> list[Any]:
    layers: list[Any] = [list(each) for each in random_layers()]
    layers[layer][part] = change(layers[layer][part])
    return layers


def with_first(value: float) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        array = array.copy()
        array.flat[0] = value
        return array

    return change


@pytest.mark.parametrize(
    ("layers", "said"),
    [
        (random_layers()[:2], "a net of 2 layers; the core has 3"),
        (random_layers(1056, 16), r"layer 1 has weights \(128, 1056\).*n 1 to 1024"),
        (random_layers(64, 80), r"layer 2 has weights \(64, 80\).*n 1 to 64"),
        (changed(0, 0, lambda w: w[:127]), r"layer 1 has weights \(127, 64\)"),
        (changed(1, 1, lambda b: b[:-1]), r"layer 2 has weights \(64, 16\) and biases \(15,\)"),
        (changed(2, 0, lambda w: w[:, :2]), r"layer 3 has weights \(16, 2\).*n 3"),
        (changed(1, 0, with_first(np.nan)), "layer 2 has numbers that are not finite"),
        (changed(2, 1, with_first(np.inf)), "layer 3 has numbers that are not finite"),
        (changed(0, 0, with_first(400)), "layer 1 has sums of up to 4..; the core holds 258"),
        (changed(0, 1, with_first(-300)), "layer 1 has sums of up to 3..; the core holds 258"),
    ],
)
def test_layers_that_do_not_fit_are_refused(layers: Any, said: str) -> None:
    with pytest.raises(InvalidWeightsError, match=said):
        endnet.quantized(layers)


@pytest.mark.parametrize("size", [0.0, 1e-20, 1e3])
def test_any_size_of_the_later_layers_fits(size: float) -> None:
    layers = random_layers()
    layers[1:] = [(w * np.float32(size), b * np.float32(size)) for w, b in layers[1:]]
    net, boards = endnet.Endnet(endnet.quantized(layers), ATTRS), random_endings(100)
    assert np.isfinite(net.predict(boards)).all()
    if size < 1:
        np.testing.assert_allclose(net.predict(boards), float_chances(layers, boards), atol=BOUND)


@pytest.mark.core
@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("inputs", lambda a: a[:, :48].copy(), "a multiple of 32"),
        ("inputs", lambda a: np.full_like(a, 2000), "unit 0 of the first layer could overflow"),
        ("inputs_start", lambda a: np.full_like(a, -32768), "unit 0 of the first layer could overflow"),
        ("inputs_one", lambda a: a * 0, "0 can't stand for 1"),
        ("inputs_one", lambda a: a * 0 + (1 << 15), "32768 can't stand for 1"),
        ("hidden", lambda a: np.full_like(a, -32768), "unit 0 of the second layer could overflow"),
        ("hidden_start", lambda a: np.full_like(a, 1 - 2**31), "unit 0 of the second layer could overflow"),
        ("hidden_factors", lambda a: a * np.float32(np.nan), "factor 0 of the second layer is nan"),
        ("outputs", lambda a: np.full_like(a, 32767), "output 0 could overflow"),
        ("outputs_logit", lambda a: a * 0, "numbers above 0"),
    ],
)
def test_numbers_that_could_overflow_are_refused(name: str, change: Callable[[Any], Any], said: str) -> None:
    arrays = endnet.quantized(random_layers())
    with pytest.raises(InvalidWeightsError, match=said):
        endnet.Endnet({**arrays, name: change(arrays[name])}, ATTRS)


@pytest.mark.core
def test_what_is_not_boards_is_refused() -> None:
    with pytest.raises(ValueError, match="row 0 is not a board"):
        random_net().predict(np.array([[1, 1, 0]], dtype=np.uint32))
    assert random_net().predict(np.empty((0, 3), dtype=np.uint32)).shape == (0, 3)


# --- files


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "mine.h5"
    save_random_net(path, use_pieces=9, win_bonus=150.0, draw_share=0.5, centimen_per_logit=44.0)
    return path


@pytest.mark.slow
def test_a_file_reads_back(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = kinds.load_evaluation(saved)
    assert isinstance(made, endnet.Endnet)
    assert (made.name, made.scale, made.pieces) == ("mine", 44.0, (2, 7))
    assert made.use == endnet.NetUse(9, 150.0, 0.5)
    boards = random_endings(100)
    np.testing.assert_array_equal(made.predict(boards), random_net().predict(boards))
    assert main(["weights", "show", str(saved), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["checksum"], shown["hidden"], shown["use"]["pieces"]) == (made.signature, [64, 16], 9)
    assert main(["weights", "show", str(saved)]) == 0
    assert "128 - 64 - 16 - 3, fitted to 2 to 7 pieces" in capsys.readouterr().out


def test_the_use_of_a_file_that_does_not_say(tmp_path: Path) -> None:
    save_random_net(tmp_path / "mine.h5", pieces_high=6)
    made = kinds.load_evaluation(tmp_path / "mine.h5")
    assert isinstance(made, endnet.Endnet)
    assert made.use == endnet.NetUse(6, 100.0, 1.0)


def replaced(name: str, value: Any) -> Callable[[Any], None]:
    def edit(file: Any) -> None:
        del file[name]
        file[name] = value

    return edit


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda f: f["inputs"].__setitem__((0, 0), f["inputs"][0, 0] ^ 1), "do not match their checksum"),
        (lambda f: f.attrs.update(centimen_per_logit=45.0), "do not match their checksum"),
        (lambda f: f.__delitem__("outputs"), "outputs is missing"),
        (replaced("inputs", np.zeros((64, 64), dtype=np.int16)), r"inputs is int16 \(64, 64\)"),
        (replaced("hidden", np.zeros((64, 16), dtype=np.int32)), "hidden is int32"),
        (replaced("hidden", np.zeros((0, 0), dtype=np.int16)), "a net for endings has 128 inputs"),
        (replaced("outputs_start", np.full(3, 2**31 - 1, dtype=np.int32)), "output 0 could overflow"),
        (lambda f: f.attrs.__delitem__("pieces_high"), "attribute pieces_high is missing"),
        (lambda f: f.attrs.update(pieces_low=0), "pieces from 0 to 7; expected 2 to 24"),
        (lambda f: f.attrs.update(pieces_high=np.nan), "pieces_high is nan; expected a whole number"),
        (lambda f: f.attrs.update(use_pieces="many"), "use_pieces is 'many'; expected a whole number"),
        (lambda f: f.attrs.update(use_pieces=np.inf), "use_pieces is inf; expected a whole number"),
        (lambda f: f.attrs.update(win_bonus=-1), "bonus is -1; expected 0 to 10000"),
        (lambda f: f.attrs.update(draw_share=np.nan), "share is nan; expected a number that is finite"),
    ],
)
def test_edited_files_are_refused(saved: Path, edit: Callable[[Any], None], said: str) -> None:
    with h5py.File(saved, "r+") as file:
        edit(file)
        covered = {name: value for name, value in file.attrs.items() if name not in files._HEADER}
        file.attrs["attributes_checksum"] = files._attributes_checksum(covered)
    with pytest.raises(InvalidWeightsError, match=said) as caught:
        kinds.load_evaluation(saved)
    assert str(saved) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_damage_is_never_missed(saved: Path, tmp_path: Path) -> None:
    whole, good = saved.read_bytes(), kinds.load_evaluation(saved)
    path, refused = tmp_path / "damaged.h5", 0
    for place in np.random.default_rng(5).integers(0, len(whole), 40):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(place) % 8
        path.write_bytes(damaged)
        try:
            made = kinds.load_evaluation(path)
        except InvalidWeightsError:
            refused += 1
        else:
            # bytes that HDF5 does not use
            assert (made.signature, made.attrs) == (good.signature, good.attrs)
    assert refused > 10
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InvalidWeightsError, match=r"damaged\.h5"):
        kinds.load_evaluation(path)


@pytest.mark.parametrize(
    ("arrays", "attrs", "said"),
    [
        ({"hidden": None}, {}, "hidden is not an array int16 of 2"),
        ({"hidden_start": np.zeros(16)}, {}, "hidden_start is not an array int32 of 1"),
        ({}, {"pieces_low": 8}, "pieces from 8 to 7"),
    ],
)
def test_what_is_no_net_is_not_saved(tmp_path: Path, arrays: dict[str, Any], attrs: dict[str, Any], said: str) -> None:
    made = {**endnet.quantized(random_layers()), **arrays}
    with pytest.raises(InvalidWeightsError, match=said):
        endnet.save_endnet(tmp_path / "mine.h5", made, {**ATTRS, **attrs})
    assert not (tmp_path / "mine.h5").exists()
