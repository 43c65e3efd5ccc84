"""Monte Carlo tree search against a plain one, chance, and the players by deciders."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from champions import a_run, random_genome

from kr import _core
from kr.engine.limits import Limits
from kr.evaluation.evolved import EvolvedNetwork, load_champion, save_champions
from kr.game.position import Position, Side
from kr.match.match import play_match
from kr.match.settings import MatchSettings
from kr.play.setup import PlaySettings, set_up
from kr.players.deciders import make_decider
from kr.players.registry import kind_of, player_from_spec

pytestmark = pytest.mark.core

START = Position()
ENDING = Position.from_fen("B:W18,22,25,K3:B5,9,K28")
MASK = (1 << 64) - 1


class SplitMix:
    """The random numbers of the core."""

    def __init__(self, state: int) -> None:
        self.state = state & MASK

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        return z ^ z >> 31


@dataclass
class Node:
    """A position in the plain tree; total: for the side that moved into it."""

    position: Position
    children: list[Node] = field(default_factory=list)
    visits: int = 0
    total: float = 0.0


def plain_uct(
    position: Position, rounds: int, seed: int, salt: int, evaluator: _core.EvolvedEvaluator | None, plies: int
) -> list[int]:
    """Visits of the root's moves, by the same algorithm in plain Python."""
    state = SplitMix(seed).next() ^ salt
    state = SplitMix(state).next() ^ position.key
    random = SplitMix(SplitMix(state).next())
    root = Node(position)
    expand(root)
    for _ in range(rounds):
        path = [root]
        while path[-1].children or (path[-1].visits and expand(path[-1])):
            path.append(best_child(path[-1], random))
        result = play_out(path[-1].position, random, evaluator, plies)
        for node in path:
            node.visits += 1
            node.total += result if node.position.side is Side.WHITE else 1 - result
    return [child.visits for child in root.children]


def expand(node: Node) -> bool:
    node.children = [Node(node.position.play(move)) for move in node.position.legal_moves()]
    return bool(node.children)


def best_child(node: Node, random: SplitMix) -> Node:
    unvisited = 0
    best = node.children[0]
    highest = -math.inf
    for child in node.children:
        if child.visits == 0:
            unvisited += 1
            if random.next() % unvisited == 0:
                best = child
        elif not unvisited:
            bound = child.total / child.visits + 1.4 * math.sqrt(math.log(node.visits) / child.visits)
            if bound > highest:
                highest, best = bound, child
    return best


def play_out(position: Position, random: SplitMix, evaluator: _core.EvolvedEvaluator | None, plies: int) -> float:
    """Result for Black."""
    most = plies if evaluator else 200
    quiet = 0
    for ply in range(most + 1):
        moves = position.legal_moves()
        if not moves:
            return 0.0 if position.side is Side.BLACK else 1.0
        if ply == most or quiet >= 80:
            break
        move = moves[(random.next() >> 32) * len(moves) >> 32]
        king = position.kings >> move.origin & 1
        quiet = quiet + 1 if king and not move.captured else 0
        position = position.play(move)
    if evaluator is None:
        return 0.5
    output = float(evaluator.outputs(np.array([position.bits], dtype=np.uint32))[0])
    value = (1 + math.tanh(output)) / 2
    return value if position.side is Side.BLACK else 1 - value


def an_evaluator() -> _core.EvolvedEvaluator:
    network = EvolvedNetwork("squares", 1.0)
    return network.evaluator(random_genome(network))


@pytest.mark.slow
@pytest.mark.parametrize("plies", [0, 1, 6])
@pytest.mark.parametrize("position", [START, ENDING], ids=["start", "ending"])
@pytest.mark.parametrize(("rounds", "seed", "salt"), [(1, 0, 0), (40, 1, 5), (250, 77, 1 << 40)])
def test_the_tree_is_that_of_a_plain_search(position: Position, plies: int, rounds: int, seed: int, salt: int) -> None:
    evaluator = an_evaluator() if plies else None
    visits = plain_uct(position, rounds, seed, salt, evaluator, plies)
    index, score, nodes = _core.MctsDecider(rounds, seed, evaluator, plies).choose(*position.bits, salt)
    assert visits[index] == max(visits)
    assert -1 <= score <= 1
    assert nodes >= rounds
    assert (index, score, nodes) == _core.MctsDecider(rounds, seed, evaluator, plies).choose(*position.bits, salt)


@pytest.mark.parametrize("fen", ["B:W13:B6,K30,K22,K17", "W:W17,18,K30:B13", "B:W18,27,28:B9,10,14,15"])
def test_what_wins_is_found(fen: str) -> None:
    """A win at once, and men to be had."""
    position = Position.from_fen(fen)
    index, score, _ = _core.MctsDecider(3000, 1).choose(*position.bits)
    after = position.play(position.legal_moves()[index])
    best = [position.play(move) for move in position.legal_moves() if not position.play(move).legal_moves()]
    assert after in best if best else score > 0.3


def test_a_terminal_reply_counts() -> None:
    """With one round for each move, a move that ends the game has a sure result."""
    position = Position.from_fen("B:W32:B27,28,K23")
    scores = {
        index: score for seed in range(50) for index, score, _ in [_core.MctsDecider(60, seed).choose(*position.bits)]
    }
    assert len(scores) == 1
    assert next(iter(scores.values())) > 0.9


@pytest.mark.parametrize("arguments", [(0,), (-1,), (10_000_001,), (5, 1, None, -1), (5, 1, None, 201)])
def test_numbers_out_of_range(arguments: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="expected"):
        _core.MctsDecider(*arguments)  # type: ignore[arg-type]


def test_a_search_that_is_stopped() -> None:
    stop = _core.Stop()
    stop.set()
    index, _, nodes = _core.MctsDecider(10_000_000 // 100, 1).choose(*START.bits, 0, stop)
    assert (index, nodes) == (0, 0)


def test_chance_chooses_all_moves_alike() -> None:
    counts = Counter(_core.RandomDecider(1).choose(*START.bits, salt)[0] for salt in range(7000))
    assert sorted(counts) == list(range(7))
    assert min(counts.values()) > 850
    other = [_core.RandomDecider(2).choose(*START.bits, salt)[0] for salt in range(100)]
    assert other != [_core.RandomDecider(1).choose(*START.bits, salt)[0] for salt in range(100)]


@pytest.mark.parametrize(
    "description", [{}, {"kind": "oracle"}, {"kind": "minimax"}, {"kind": "mcts", "rounds": 0}, {"kind": "mcts"}]
)
def test_descriptions_of_no_decider(description: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="decider"):
        make_decider(description, an_evaluator())


# --- players


@pytest.fixture
def champions(tmp_path: Path) -> Path:
    path = tmp_path / "champions.h5"
    save_champions(path, [a_run(), a_run("code-2", EvolvedNetwork("means", 1.0))], {})
    return path


def found_by(name: str, position: Position = START, history: int = 0) -> tuple[str, int]:
    player = player_from_spec(name)
    reply = player.search(position, Limits(nodes=1), [position] * history)
    player.close()
    return str(reply.move), reply.score


def test_an_evolved_player_decides_as_its_run_did(champions: Path) -> None:
    champion = load_champion(f"{champions},generation=5")
    for plies in (1, 4):
        index, value, _ = _core.MinimaxDecider(champion.evaluator(), plies).choose(*START.bits)
        move, score = found_by(f"evolved:{champions},generation=5" + f",plies={plies}" * (plies != 4))
        assert move == str(START.legal_moves()[index])
        assert score == round(50 * math.log((1 + value) / (1 - value)))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("", ",generation=20", True),
        ("", ",run=thesis-1", True),
        ("", ",generation=5", False),
        ("", ",run=code-2", False),
        ("", ",plies=4", True),
        ("", ",plies=5", False),
        (",decider=mcts", ",decider=mcts,rounds=1800,playout_plies=6,seed=1", True),
        (",decider=mcts", ",decider=mcts,seed=2", False),
    ],
)
def test_signatures(champions: Path, one: str, other: str, same: bool) -> None:
    players = [player_from_spec(f"evolved:{champions}{text}") for text in (one, other)]
    assert (players[0].signature == players[1].signature) == same


@pytest.mark.parametrize("name", ["mcts:50", "mcts:1k,seed=3", "evolved:{},decider=mcts,rounds=30"])
def test_play_is_repeatable(champions: Path, name: str) -> None:
    name = name.format(champions)
    assert kind_of(name).repeatable
    assert found_by(name) == found_by(name)
    # what a decision draws depends on how long the game has lasted
    assert len({found_by(name.replace("1k", "30"), history=length) for length in range(12)}) > 1


def test_a_match(champions: Path) -> None:
    settings = MatchSettings(
        a=f"evolved:{champions},plies=2", b="mcts:20", games=4, tc=Limits(nodes=10), egdb="none", ballot="3move"
    )
    results = [[(each.pair, each.a_black, each.points) for each in play_match(settings).games] for _ in range(2)]
    assert sorted(results[0]) == sorted(results[1])
    assert len(results[0]) == 4


def test_kr_play_against_a_champion(champions: Path) -> None:
    text = f"evolved:{champions},generation=5"
    assert set_up(PlaySettings(weights=text)).specs == ("human", text)
    assert set_up(PlaySettings(weights=text, side="white")).specs == (text, "human")
    assert set_up(PlaySettings(weights="material", level=3, seed=9)).specs == ("human", "material,level=3,seed=9")
