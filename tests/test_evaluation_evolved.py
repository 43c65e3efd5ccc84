"""Evolved networks: the core against numpy, champions in files and by their texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from champions import a_run, random_genome
from numpy.typing import NDArray

import kr
from kr import _core
from kr.errors import InvalidSettingError, InvalidWeightsError
from kr.evaluation import files
from kr.evaluation.evolved import (
    EVOLVED_INPUTS,
    EVOLVED_KIND,
    EvolvedNetwork,
    load_champion,
    load_runs,
    save_champions,
)
from kr.evaluation.kinds import load_evaluation

pytestmark = pytest.mark.core

NETWORKS = [EvolvedNetwork(inputs) for inputs in EVOLVED_INPUTS] + [
    EvolvedNetwork("sums", absolute=True),
    EvolvedNetwork("squares", 1.0, None),
    EvolvedNetwork("spatial", 1.0, None),
]


def random_boards(count: int, seed: int = 1) -> NDArray[np.uint32]:
    rng = np.random.default_rng(seed)
    boards = np.zeros((count, 4), dtype=np.uint32)
    for row in boards:
        for square in rng.permutation(32)[: rng.integers(2, 25)]:
            row[rng.integers(2)] |= np.uint32(1 << int(square))
            row[2] |= np.uint32(int(rng.integers(2)) << int(square))
        row[3] = rng.integers(2)
    return boards


@pytest.mark.parametrize(("inputs", "size"), [("squares", 1741), ("sums", 4101), ("means", 4101), ("spatial", 5046)])
def test_sizes_of_the_literature(inputs: str, size: int) -> None:
    assert EvolvedNetwork(inputs).size == size
    assert EvolvedNetwork(inputs, king=None).size == size + 1


def test_sub_squares() -> None:
    windows = EvolvedNetwork("spatial").sub_squares
    assert [len(each) for each in windows].count(32) == 1
    assert sum(map(len, windows)) == 854
    # the upper left 3x3 of Black's side, and the board
    assert windows[0] == [0, 4, 5, 8]
    assert windows[-1] == list(range(32))


@pytest.mark.parametrize("network", NETWORKS, ids=str)
def test_the_core_computes_what_numpy_does(network: EvolvedNetwork) -> None:
    genome, boards = random_genome(network), random_boards(300)
    wanted = network.outputs(genome, boards)
    assert np.std(wanted) > 0.05
    np.testing.assert_allclose(network.evaluator(genome).outputs(boards), wanted, atol=2e-5)


@pytest.mark.parametrize("width", [1.0, 30.0])
def test_saturated_units(width: float) -> None:
    network, boards = EvolvedNetwork("squares"), random_boards(100)
    genome = random_genome(network, width=width)
    np.testing.assert_allclose(network.evaluator(genome).outputs(boards), network.outputs(genome, boards), atol=2e-3)


@pytest.mark.parametrize("network", NETWORKS, ids=str)
def test_colours(network: EvolvedNetwork) -> None:
    """Turned with colours exchanged a position is the same, unless the network always sees it as Black does."""
    genome, boards = random_genome(network), random_boards(50)
    flipped = np.array(
        [[turned(white), turned(black), turned(kings), 1 - side] for black, white, kings, side in boards.tolist()],
        dtype=np.uint32,
    )
    other = boards.copy()
    other[:, 3] ^= 1
    evaluator = network.evaluator(genome)
    outputs = evaluator.outputs(boards)
    if network.absolute:
        np.testing.assert_array_equal(evaluator.outputs(other), -outputs)
        assert np.abs(evaluator.outputs(flipped) - outputs).max() > 0.01
    else:
        np.testing.assert_allclose(evaluator.outputs(flipped), outputs, atol=1e-5)


def turned(bits: int) -> int:
    return int(f"{bits:032b}"[::-1], 2)


def test_what_feeds_a_node() -> None:
    network = EvolvedNetwork("spatial")
    nodes = network.hidden_nodes
    assert [len(nodes), len(nodes[0]), len(nodes[90]), len(nodes[91]), len(nodes[-1])] == [141, 5, 33, 92, 41]
    fed = np.concatenate(nodes)
    assert len(fed) == len(set(fed.tolist())) == network.size - 11


@pytest.mark.parametrize("layers", [[], [(40, 1)], [(32, 40), (41, 1)], [(32, 40), (40, 2)], [(32, 97), (97, 1)]])
def test_layers_that_do_not_fit(layers: list[tuple[int, int]]) -> None:
    arrays = [(np.zeros(shape, dtype=np.float32), np.zeros(shape[1], dtype=np.float32)) for shape in layers]
    with pytest.raises(ValueError, match="layer"):
        _core.EvolvedEvaluator(arrays, 1.5, 0.0, False)


def test_one_layer_is_a_weight_for_each_square() -> None:
    """The weight of a square counts for the piece there, wherever it stands in the list of pieces."""
    weights = np.arange(32, dtype=np.float32).reshape(32, 1)
    evaluator = _core.EvolvedEvaluator([(weights, np.ones(1, dtype=np.float32))], 1.5, 0.0, False)
    boards = np.array([[1 << 3 | 1 << 9, 1 << 20, 1 << 9, 0], [0, 1 << 31, 0, 0]], dtype=np.uint32)
    assert evaluator.outputs(boards).tolist() == [1 + 3 + 1.5 * 9 - 20, 1 - 31]


def test_products_are_rounded_before_they_are_added() -> None:
    """As numpy does it: a machine that can fuse them, if it may, has other numbers than one that can't."""
    bias, difference = np.float32(0.1), np.float32(0.3)
    layer = np.zeros((32, 1), dtype=np.float32), np.array([bias])
    boards = np.array([[(1 << own) - 1, ((1 << foe) - 1) << 20, 1, 0] for own in range(1, 13) for foe in range(13)])
    evaluator = _core.EvolvedEvaluator([layer], 1.7, difference, False)
    total = np.array([own + np.float32(0.7) - foe for own in range(1, 13) for foe in range(13)], dtype=np.float32)
    assert evaluator.outputs(boards.astype(np.uint32)).tolist() == (bias + total * difference).tolist()


def test_a_file_of_champions(tmp_path: Path) -> None:
    path = tmp_path / "champions.h5"
    runs = [a_run(), a_run("fogel2001-2", NETWORKS[-1], (0, 100))]
    save_champions(path, runs, {"command": "a test"})
    for found, wanted in zip(load_runs(str(path)), runs, strict=True):
        np.testing.assert_array_equal(found.genomes, wanted.genomes)
        assert (found.name, found.about, found.network) == (wanted.name, wanted.about, wanted.network)
    # the directory of a run, a run, a generation
    texts = {
        f"evolved:{tmp_path}": ("thesis-1", 20),
        f"evolved:{path},generation=5": ("thesis-1", 5),
        f"evolved:{path},run=fogel2001-2": ("fogel2001-2", 100),
        f"{path},generation=0,run=fogel2001-2": ("fogel2001-2", 0),
    }
    for text, (run, generation) in texts.items():
        champion = load_champion(text)
        assert (champion.run, champion.generation) == (run, generation)
    start = kr.Board().position
    assert load_evaluation(f"evolved:{path},generation=5").signature == load_champion(f"{path},generation=5").signature
    engine = kr.Engine(f"evolved:{path}")
    assert engine.search(start, kr.Limits(nodes=300)).move in start.legal_moves()


@pytest.mark.parametrize(
    ("text", "error", "told"),
    [
        ("{path},generation=3", InvalidSettingError, "generation 3 of the run thesis-1 is not in the file"),
        ("{path},generation=x", InvalidSettingError, "x"),
        ("{path},run=thesis-9", InvalidSettingError, "no run 'thesis-9' in .*; it has thesis-1"),
        ("{path},run=thesis-1,run=thesis-1", InvalidSettingError, "sets run twice"),
        ("{path}.not", InvalidWeightsError, "no such file"),
        ("{shipped}", InvalidWeightsError, "not champions of `kr evolve`"),
    ],
)
def test_texts_that_name_nothing(tmp_path: Path, text: str, error: type[Exception], told: str) -> None:
    path = tmp_path / "champions.h5"
    save_champions(path, [a_run()], {})
    with pytest.raises(error, match=told):
        load_champion("evolved:" + text.format(path=path, shipped=files.shipped_path()))


@pytest.mark.parametrize(
    "runs",
    [
        "",
        "[]",
        "{}",
        '{"thesis-1": {}}',
        '{"thesis-1": {"network": {"inputs": "x"}}}',
        '{"thesis-1": {"network": {"inputs": "squares"}}}',
        '{"other": {"network": {"inputs": "sums"}}}',
        '{"thesis-1": {"network": {"inputs": "sums", "king": "x"}}}',
    ],
)
def test_damaged_files(tmp_path: Path, runs: str) -> None:
    run, path = a_run(), tmp_path / "champions.h5"
    arrays = {"genomes.thesis-1": run.genomes, "generations.thesis-1": run.generations}
    files.write(path, EVOLVED_KIND, arrays, "0" * 32, {}, {"runs": runs})
    with pytest.raises(InvalidWeightsError, match=r"champions\.h5: "):
        load_runs(str(path))


@pytest.mark.parametrize("damage", ["nan", "order", "bytes"])
def test_damaged_champions(tmp_path: Path, damage: str) -> None:
    run, path = a_run(), tmp_path / "champions.h5"
    if damage == "nan":
        run.genomes[1, 7] = np.nan
    elif damage == "order":
        run.generations[1] = 30
    save_champions(path, [run], {})
    if damage == "bytes":
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    with pytest.raises(InvalidWeightsError, match=r"champions\.h5"):
        load_runs(str(path))
