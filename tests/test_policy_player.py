"""Policies and random moves as players: what they draw, what they are told, and what is refused."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from policies import random_policy_model, random_positions

from kr.engine.limits import Limits
from kr.errors import InvalidPolicyError, InvalidSettingError
from kr.game.position import Position
from kr.match.log import MatchGame
from kr.match.match import play_match
from kr.match.settings import MatchSettings
from kr.play.setup import PlaySettings, set_up
from kr.players.deciders import RandomPlayer
from kr.players.player import Player
from kr.players.policy import PolicyPlayer
from kr.players.registry import kind_of, player_from_spec
from kr.policy.model_file import save_policy
from kr.policy.policy import load_policy
from kr.policy.shape import PolicyShape

TOLD = PolicyShape(sight="none", hidden=(16, 8), strengths=(0.02, 0.05), years=(1900.0,))
SEEING = PolicyShape(sight="captures", hidden=(16, 8))
# Black can take one of two men
CAPTURE = Position.from_fen("B:W18,19,27:B15,14,1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("policies")
    for name, shape in (("told", TOLD), ("seeing", SEEING), ("a,b", SEEING)):
        save_policy(path / f"{name}.h5", random_policy_model(shape))
    return path


def shares(player: Callable[[int], Player], position: Position, times: int = 600) -> dict[str, float]:
    """Share of the players of several seeds that make each move."""
    found = Counter(str(player(seed).search(position, Limits(), ()).move) for seed in range(times))
    return {move: count / times for move, count in found.items()}


@pytest.mark.parametrize("name", ["told", "seeing"])
def test_the_most_probable_move_is_played(folder: Path, name: str) -> None:
    policy = load_policy(folder / f"{name}.h5")
    player = player_from_spec(f"policy:{folder / name}.h5")
    history: list[Position] = []
    position = Position()
    for _ in range(20):
        reply = player.search(position, Limits(nodes=1), history)
        assert reply.move == policy.choices(position, history)[0].move
        assert (reply.depth, reply.nodes) == (0, 0)
        assert abs(reply.score) < 1000
        history.append(position)
        position = position.play(reply.move)
        if not position.legal_moves():
            break


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_moves_are_drawn_by_their_probabilities(folder: Path, temperature: float) -> None:
    policy = load_policy(folder / "seeing.h5")
    choices = policy.choices(Position())
    powers = [likely.probability ** (1 / temperature) for likely in choices]
    found = shares(lambda seed: PolicyPlayer(policy, temperature, seed=seed), Position())
    for likely, power in zip(choices, powers, strict=True):
        share = power / sum(powers)
        assert found.get(str(likely.move), 0.0) == pytest.approx(share, abs=4 * math.sqrt(share / 600) + 0.005)


def test_a_temperature_near_zero_is_the_most_probable_move(folder: Path) -> None:
    policy = load_policy(folder / "seeing.h5")
    best = str(policy.choices(Position())[0].move)
    assert shares(lambda seed: PolicyPlayer(policy, 1e-9, seed=seed), Position(), 20) == {best: 1.0}


def test_the_policy_is_told_strength_and_year(folder: Path) -> None:
    policy = load_policy(folder / "told.h5")
    positions = random_positions(1)
    played = set()
    for told in ({"strength": 0.01}, {"strength": 0.2}, {"year": 1850}, {"year": 1950}):
        text = ",".join(f"{name}={value}" for name, value in told.items())
        player = player_from_spec(f"policy:{folder}/told.h5,{text}")
        moves = [player.search(position, Limits(), ()).move for position in positions]
        assert moves == [policy.choices(position, **told)[0].move for position in positions]
        played.add(tuple(moves))
    assert len(played) == 4


def test_players_that_play_the_same_have_one_signature(folder: Path) -> None:
    def signature(text: str) -> str:
        return player_from_spec(f"policy:{folder}/told.h5{text}").signature

    assert signature("") == signature(",seed=4") == signature(",temperature=0")
    others = ("", ",temperature=1", ",temperature=1,seed=2", ",strength=0.1", ",year=9")
    different = {signature(text) for text in others}
    assert len(different) == 5
    assert player_from_spec(f"policy:{folder}/seeing.h5").signature not in different


def test_the_score_is_what_sight_sees(folder: Path) -> None:
    player = player_from_spec(f"policy:{folder}/seeing.h5")
    ahead = player.search(Position.from_fen("B:W32:BK10,K11,5"), Limits(), ())
    behind = player.search(Position.from_fen("W:W32:BK10,K11,5"), Limits(), ())
    assert ahead.score > 100 > -100 > behind.score


def test_random_moves_are_any_legal_ones() -> None:
    found = shares(RandomPlayer, Position())
    assert len(found) == len(Position().legal_moves()) == 7
    assert all(share == pytest.approx(1 / 7, abs=0.06) for share in found.values())


@pytest.mark.slow
def test_a_match_of_players_who_do_not_search(folder: Path, tmp_path: Path) -> None:
    settings = MatchSettings(
        a=f"policy:{folder}/a,b.h5,temperature=1", b="random:3", ballot="11man", games=4, tc=Limits(nodes=10),
        hash=1 << 20, egdb="none", pdn=tmp_path / "match.pdn", workers=2,
    )  # fmt: skip
    result = play_match(settings)
    assert result.names == ("policy a,b,temperature=1", "random:3")
    assert len(result.games) == 4
    # the same again
    again = play_match(MatchSettings(**{**vars(settings), "pdn": tmp_path / "again.pdn", "workers": 1}))
    assert {game_facts(game) for game in again.games} == {game_facts(game) for game in result.games}


def game_facts(game: MatchGame) -> tuple[int, bool, int, int]:
    return game.pair, game.a_black, game.points, game.plies


@pytest.mark.parametrize(
    ("spec", "error", "expected"),
    [
        ("policy:{0}/told.h5,temperature=warm", InvalidSettingError, "'warm' is not a number; expected 0 to 100"),
        ("policy:{0}/told.h5,temperature=-1", InvalidSettingError, "temperature: -1 is out of range"),
        ("policy:{0}/told.h5,temperature=nan", InvalidSettingError, "temperature is nan, not a number"),
        ("policy:{0}/told.h5,year=0", InvalidSettingError, "year: 0 is out of range; expected 1 to 9999"),
        ("policy:{0}/told.h5,seed=x", InvalidSettingError, "'x' is not a count"),
        ("policy:{0}/seeing.h5,year=1900", InvalidSettingError, "year: this policy does not take it; leave it out"),
        ("policy:{0}/seeing.h5,strength=.1", InvalidSettingError, "strength: this policy does not take it"),
        ("policy:{0}/told.h5,temp=1", InvalidSettingError, "unknown setting 'temp'; choose from temperature, strength"),
        ("policy:{0}/none.h5", InvalidPolicyError, "none.h5: no such file"),
        ("random:x", InvalidSettingError, "the seed: 'x' is not a count"),
        ("random:", InvalidSettingError, "the seed: '' is not a count"),
    ],
)
def test_what_does_not_fit_is_refused(folder: Path, spec: str, error: type[Exception], expected: str) -> None:
    with pytest.raises(error) as found:
        player_from_spec(spec.format(folder))
    assert expected in str(found.value)


def test_games_at_the_board_draw_anew(folder: Path) -> None:
    drawn = f"policy:{folder}/seeing.h5,temperature=1"
    setup = set_up(PlaySettings(white=drawn, seed=9))
    assert setup.specs[1] == f"{drawn},seed=9"
    assert set_up(PlaySettings(white=f"{drawn},seed=2", seed=9)).specs[1] == f"{drawn},seed=2"
    assert set_up(PlaySettings(white="random:4")).specs[1] == "random:4"
    assert kind_of(drawn).repeatable
    with pytest.raises(InvalidSettingError, match="kr plays neither side"):
        set_up(PlaySettings(white=drawn, level=3))


def test_captures_along_several_paths_are_one_move(folder: Path) -> None:
    player = player_from_spec(f"policy:{folder}/seeing.h5,temperature=5,seed=2")
    assert isinstance(player, PolicyPlayer)
    assert player.search(CAPTURE, Limits(), ()).move in CAPTURE.legal_moves()
