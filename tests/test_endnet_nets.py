"""The networks in JAX: beside plain sums in numpy, their gradients, and their inputs beside the rules."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.typing import NDArray
from systems import RUNS_JAX

from kr.proofs import rules as reference
from kr.studies.endings.nets import HIDDEN_LIMIT, NORM_DECAY, NORM_EPSILON, Net, piece_bits, planes, threat_bits
from kr.studies.endings.shape import NetShape

pytestmark = RUNS_JAX

SHAPES = [
    NetShape("small", hidden=(12, 5)),
    NetShape("small", "all", "threats", (9, 4)),
    NetShape("paper", "all", channels=3, blocks=2, dense=6),
]


def some_boards(count: int = 20) -> NDArray[np.uint32]:
    """Positions with 2 to 9 pieces, Black to move; men stand on no square where they would be kings."""
    rng = np.random.default_rng(7)
    boards = []
    for _ in range(count):
        squares = rng.permutation(32)[: rng.integers(2, 10)]
        pieces = {}
        for i, square in enumerate(squares.tolist()):
            king = rng.random() < 0.4 or (square >= 28 if i % 2 == 0 else square < 4)
            pieces[square] = "bw"[i % 2].upper() if king else "bw"[i % 2]
        boards.append(reference.to_bits(pieces))
    return np.array(boards, dtype=np.uint32)


def random_net(shape: NetShape) -> tuple[Net, dict[str, NDArray], dict[str, NDArray]]:
    """A network whose scales, offsets and running means are not what they are at the start."""
    net, rng = Net(shape), np.random.default_rng(3)
    parameters, state = (dict(part) for part in net.start(5))
    for part in (parameters, state):
        for name, array in part.items():
            noise = rng.uniform(-0.1, 0.1, array.shape)
            # biases that keep clipped activations away from 0
            part[name] = array.astype(np.float64) + (noise + 0.2 if name in ("b1", "b2") else noise)
    return net, parameters, state


@pytest.fixture
def precise() -> Iterator[None]:
    """JAX computes in double precision."""
    before = jax.config.jax_enable_x64
    # what was traced in one precision does not serve in the other
    jax.clear_caches()
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)
    jax.clear_caches()


# --- inputs


@pytest.mark.slow
def test_a_bit_for_each_piece() -> None:
    boards = some_boards()
    found = np.asarray(piece_bits(jnp.asarray(boards)))
    for row, board in zip(found, boards.tolist(), strict=True):
        pieces = {}
        for kind, squares in zip("bwBW", row, strict=True):
            pieces |= dict.fromkeys(np.flatnonzero(squares).tolist(), kind)
        assert pieces == reference.from_bits(*board)


@pytest.mark.slow
def test_planes_are_those_of_the_samples() -> None:
    """Black kings, white kings, black men, white men; row 0 is Black's first, column 0 its left."""
    boards = some_boards()
    found = np.asarray(planes(jnp.asarray(boards)))
    assert found.shape == (len(boards), 8, 8, 4)
    for row, board in zip(found, boards.tolist(), strict=True):
        expected = np.zeros((8, 8, 4))
        for square, piece in reference.from_bits(*board).items():
            expected[(*reference.row_and_column(square), "BWbw".index(piece))] = 1
        assert (row == expected).all()


def jumped_first(board: reference.PlainBoard, side: int) -> set[int]:
    """Squares of the pieces that a capture of a side could begin with."""
    others = {
        (square, over)
        for square, piece in board.items()
        if reference.owner(piece) == side
        for step in reference.directions(piece)
        if (over := reference.neighbour(square, step, 1)) in board
        and reference.owner(board[over]) != side
        and (landing := reference.neighbour(square, step, 2)) is not None
        and landing not in board
    }
    return {over for _, over in others}


@pytest.mark.slow
def test_threats_are_what_either_side_could_capture() -> None:
    boards = some_boards(100)
    found = np.asarray(threat_bits(jnp.asarray(boards)))
    seen = 0
    for row, bits in zip(found, boards.tolist(), strict=True):
        board = reference.from_bits(*bits)
        for threatened, side in zip(row, (reference.WHITE_SIDE, reference.BLACK_SIDE), strict=True):
            expected = jumped_first(board, side)
            assert set(np.flatnonzero(threatened).tolist()) == expected
            seen += len(expected)
    assert seen > 25


# --- what they compute


def mish(x: NDArray) -> NDArray:
    return x * np.tanh(np.log1p(np.exp(x)))


def small_logits(shape: NetShape, p: dict[str, NDArray], x: NDArray) -> NDArray:
    first = np.clip(x @ p["w1"] + p["b1"], 0, 1)
    second = np.clip(first @ p["w2"] + p["b2"], 0, 1)
    return second @ p["w3"] + p["b3"]


def convolved(x: NDArray, weights: NDArray) -> NDArray:
    """3x3 with a border of zeros, channels last, square by square."""
    found = np.zeros((*x.shape[:3], weights.shape[3]))
    for row in range(8):
        for column in range(8):
            for i in range(3):
                for j in range(3):
                    r, c = row + i - 1, column + j - 1
                    if 0 <= r < 8 and 0 <= c < 8:
                        found[:, row, column] += x[:, r, c] @ weights[i, j]
    return found


def paper_logits(
    shape: NetShape, p: dict[str, NDArray], state: dict[str, NDArray], x: NDArray, training: bool
) -> tuple[NDArray, dict[str, NDArray]]:
    after = {}

    def normed(name: str, x: NDArray) -> NDArray:
        x = convolved(x, p[f"{name}_w"])
        flat = x.reshape(-1, shape.channels)
        mean, variance = state[f"{name}_mean"], state[f"{name}_variance"]
        if training:
            after[f"{name}_mean"] = 0.99 * mean + 0.01 * flat.mean(0)
            after[f"{name}_variance"] = 0.99 * variance + 0.01 * flat.var(0)
            mean, variance = flat.mean(0), flat.var(0)
        return p[f"{name}_scale"] * (x - mean) / np.sqrt(variance + NORM_EPSILON) + p[f"{name}_offset"]

    x = mish(convolved(x, p["first_w"]) + p["first_b"])
    for block in range(shape.blocks):
        x = mish(x + normed(f"block{block}b", mish(normed(f"block{block}a", x))))
    x = mish(x.reshape(len(x), -1) @ p["dense1_w"] + p["dense1_b"])
    return x @ p["dense2_w"] + p["dense2_b"], after


@pytest.mark.slow
@pytest.mark.usefixtures("precise")
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_logits_are_those_of_plain_sums(shape: NetShape, training: bool) -> None:
    net, parameters, state = random_net(shape)
    boards = jnp.asarray(some_boards())
    found, after = net.logits(parameters, state, boards, training)
    expected_after: dict[str, NDArray] = state
    if shape.net == "small":
        bits = piece_bits(boards)
        inputs = [bits] if shape.inputs == "squares" else [bits, threat_bits(jnp.asarray(boards))]
        expected = small_logits(shape, parameters, np.concatenate(inputs, axis=1).reshape(len(boards), -1))
    else:
        expected, changed = paper_logits(shape, parameters, state, np.asarray(planes(boards)), training)
        expected_after = state | changed
    assert np.asarray(found) == pytest.approx(expected, rel=1e-6, abs=1e-6)
    assert set(after) == set(state)
    for name, array in after.items():
        assert np.asarray(array) == pytest.approx(expected_after[name], rel=1e-6)
    assert NORM_DECAY == 0.99


@pytest.mark.slow
@pytest.mark.usefixtures("precise")
@pytest.mark.parametrize("training", [pytest.param(False, marks=pytest.mark.soak), True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_gradient_against_finite_differences(shape: NetShape, training: bool) -> None:
    net, parameters, state = random_net(shape)
    boards = jnp.asarray(some_boards(6))
    values = np.arange(6) % 3

    def loss(parameters: dict[str, NDArray]) -> jax.Array:
        logits = net.logits(parameters, state, boards, training)[0]
        return -jnp.log(jax.nn.softmax(logits)[jnp.arange(6), values]).mean()

    # small steps stay on one side of the kinks of clipped activations
    compiled, step = jax.jit(loss), 1e-6
    gradient = jax.jit(jax.grad(loss))(parameters)
    rng = np.random.default_rng(11)
    moved = 0
    for name, array in parameters.items():
        for at in rng.choice(array.size, min(array.size, 4), replace=False).tolist():
            one = np.zeros(array.size)
            one[at] = step
            one = one.reshape(array.shape)
            up, down = (compiled({**parameters, name: array + sign * one}) for sign in (1, -1))
            slope = float(up - down) / (2 * step)
            assert slope == pytest.approx(float(np.asarray(gradient[name]).flat[at]), rel=1e-4, abs=1e-8), name
            moved += abs(slope) > 1e-6
    assert moved > len(parameters)


# --- how they begin, and what the core can hold


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_seed_makes_one_network(shape: NetShape) -> None:
    first, again, other = (Net(shape).start(seed)[0] for seed in (1, 1, 2))
    assert all((first[name] == again[name]).all() for name in first)
    assert any((first[name] != other[name]).any() for name in first)
    assert all(array.dtype == np.float32 for array in first.values())


def test_weights_stay_within_what_the_core_holds() -> None:
    net = Net(SHAPES[0])
    parameters, _ = net.start(1)
    limited = net.limited({name: array * 1000 for name, array in parameters.items()})
    assert float(jnp.abs(limited["w2"]).max()) == pytest.approx(HIDDEN_LIMIT)
    for name in parameters.keys() - {"w2"}:
        assert (limited[name] == parameters[name] * 1000).all()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_body_and_classifier_share_the_arrays(shape: NetShape) -> None:
    net = Net(shape)
    parameters, _ = net.start(1)
    body = {name for name in parameters if net.body()(name)}
    assert body == ({"w1", "b1"} if shape.net == "small" else {n for n in parameters if not n.startswith("dense")})
    assert body < set(parameters)
