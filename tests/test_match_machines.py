"""Workers of a match: what each played, and which of them are suspect."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from statistics import fmean, variance

import pytest
from cluster_fake import Behaviour, FakeCluster, Machine, machine
from hypothesis import given, settings
from hypothesis import strategies as st
from test_match import TINY, essence

from kr import cli
from kr.cluster.connection import TaskAnswer
from kr.cluster.frames import framed, unframed
from kr.engine.limits import Limits
from kr.match.log import Effort, MatchGame, log_of
from kr.match.machines import LEAST_GAMES, LEAST_PAIRS, SLOW, MatchWorker, match_workers
from kr.match.match import play_match
from kr.match.result import MatchResult
from kr.match.settings import MatchSettings
from kr.pdn import read_games

__all__ = ["machine"]


def played(
    worker: str, points: Sequence[int], speed: float = 1e6, first: int = 0, seconds: float = 2.0
) -> list[MatchGame]:
    """Games of a worker, two for each pair, with these half points; speed: nodes a second of both players."""
    effort = Effort(40, 400, int(speed * seconds / 2), seconds / 2)
    return [
        MatchGame(first + i // 2, i % 2 == 0, "opening", each, "no move", "", 40, effort, effort, worker)
        for i, each in enumerate(points)
    ]


def named(found: Sequence[MatchWorker]) -> dict[str, MatchWorker]:
    return {each.name: each for each in found}


def suspects(found: Sequence[MatchWorker]) -> list[str]:
    return [each.name for each in found if each.suspect]


def test_games_played_here_have_no_worker() -> None:
    assert match_workers(played("", [0, 1, 2, 2] * 50), timed=True) == []


def test_figures_of_workers() -> None:
    games = [*played("x", [2, 1, 0, 1], 1e6), *played("y", [2], 5e5, first=9), *played("", [2] * 40)]
    x, y = match_workers(games, timed=False)
    assert (x.name, x.games, x.pairs, x.points) == ("x", 4, 2, 0.5)
    assert (y.name, y.games, y.pairs) == ("y", 1, 0)
    assert math.isnan(y.points)
    assert x.nodes_per_second == pytest.approx((1e6, 1e6))
    assert (x.speed, y.speed) == pytest.approx((1.0, 0.5))
    assert math.isnan(x.residual)
    assert x.efforts[0] == Effort(160, 1600, 4_000_000, 4.0)


# --- speed


@pytest.mark.parametrize(
    ("speeds", "slow"),
    [
        ({"x": 1e6, "y": 1e6 * SLOW * 1.01, "z": 1e6}, []),
        ({"x": 1e6, "y": 1e6 * SLOW * 0.99, "z": 1e6}, ["y"]),
        ({"x": 1e6, "y": 1e6 * SLOW * 0.99}, ["y"]),
        ({"x": 1e6, "y": 5e6, "z": 1e6}, []),
        ({"x": 1e6, "y": 1e5, "z": 1e5, "w": 1e6}, ["y", "z"]),
        ({"x": 1e6}, []),
    ],
)
def test_slow_workers_are_suspect_where_time_is_limited(speeds: dict[str, float], slow: list[str]) -> None:
    games = [game for name, speed in speeds.items() for game in played(name, [1] * LEAST_GAMES, speed)]
    assert suspects(match_workers(games, timed=True)) == sorted(slow)
    assert suspects(match_workers(games, timed=False)) == []
    for each in match_workers(games, timed=True):
        if each.suspect:
            assert each.suspect == f"it searches {each.speed:.2f} times the nodes a second of the others"


@pytest.mark.parametrize(("own", "others"), [(LEAST_GAMES - 1, 20), (20, LEAST_GAMES - 1)])
def test_few_games_do_not_tell_who_is_slow(own: int, others: int) -> None:
    games = [*played("x", [1] * own, 1e5), *played("y", [1] * others, 1e6)]
    assert suspects(match_workers(games, timed=True)) == []


def test_workers_that_searched_nothing_are_not_slow() -> None:
    games = [*played("x", [1] * 9, 0), *played("y", [1] * 9), *played("z", [1] * 9, seconds=0.0)]
    found = named(match_workers(games, timed=True))
    assert math.isnan(found["x"].speed)
    assert math.isnan(found["z"].speed)
    assert suspects(list(found.values())) == []


# --- results


def by_chance(source: random.Random, pairs: int, win: float = 0.25, loss: float = 0.25) -> list[int]:
    return source.choices((2, 1, 0), (win, 1 - win - loss, loss), k=2 * pairs)


@settings(max_examples=25)
@given(st.randoms(use_true_random=False))
def test_residuals_are_differences_in_standard_errors(source: random.Random) -> None:
    """By the definition, and the same for any order of the games."""
    results = {name: by_chance(source, LEAST_PAIRS + source.randrange(30)) for name in "xyz"}
    games = [game for i, name in enumerate(results) for game in played(name, results[name], first=1000 * i)]
    source.shuffle(games)
    found = match_workers(games, timed=False)
    assert [each.name for each in found] == ["x", "y", "z"]
    if suspects(found):
        return
    means = {name: [sum(points[i : i + 2]) / 4 for i in range(0, len(points), 2)] for name, points in results.items()}
    for each in found:
        own = means[each.name]
        others = [score for name in means if name != each.name for score in means[name]]
        error = math.sqrt(variance(own + others) * (1 / len(own) + 1 / len(others)))
        assert each.residual == pytest.approx((fmean(own) - fmean(others)) / error if error else 0.0)


def test_chance_makes_nobody_suspect() -> None:
    """FALSE_ALARM in a match: none in 100 matches, looked at again and again."""
    source = random.Random(7)
    for _ in range(100):
        results = {f"w{i}": by_chance(source, 40, 0.3, 0.2) for i in range(5)}
        for part in (20, 40, 80):
            games = [
                game for i, name in enumerate(results) for game in played(name, results[name][:part], first=1000 * i)
            ]
            assert suspects(match_workers(games, timed=True)) == []


@pytest.mark.parametrize("honest", [2, 3, 7])
@pytest.mark.parametrize("share", [0.5, 1, 4])
def test_a_worker_with_other_results_is_found_and_no_other(honest: int, share: float) -> None:
    """Even if it played more than all others together, so that these differ from the rest as much."""
    source = random.Random(1)
    for _ in range(20):
        results = {f"w{i}": by_chance(source, 60, 0.35, 0.25) for i in range(honest)}
        results["odd"] = by_chance(source, int(60 * share), 0.02, 0.9)
        games = [game for i, name in enumerate(results) for game in played(name, results[name], first=1000 * i)]
        found = match_workers(games, timed=False)
        assert suspects(found) == ["odd"]
        odd = named(found)["odd"]
        assert odd.residual < -3
        assert odd.suspect == f"its results differ from those of the others by {odd.residual:+.1f} standard errors"
        assert all(abs(each.residual) < 5 for each in found if each is not odd)


def test_of_two_workers_nobody_can_say_which_is_odd() -> None:
    source = random.Random(1)
    games = played("x", by_chance(source, 200, 0.9, 0.05)) + played("y", by_chance(source, 200, 0.05, 0.9), first=1000)
    x, y = match_workers(games, timed=False)
    assert x.residual == pytest.approx(-y.residual)
    assert x.residual > 10
    assert not x.suspect
    assert not y.suspect


def test_equal_results_have_no_residual() -> None:
    games = [game for i, name in enumerate("xyz") for game in played(name, [1] * 100, first=1000 * i)]
    assert [each.residual for each in match_workers(games, timed=False)] == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("pairs", [LEAST_PAIRS - 1, LEAST_PAIRS])
def test_few_pairs_tell_nothing(pairs: int) -> None:
    games = [*played("x", [2, 2] * pairs), *(g for i in (1, 2) for g in played(f"y{i}", [0, 0] * 50, first=1000 * i))]
    assert suspects(match_workers(games, timed=False)) == (["x"] if pairs >= LEAST_PAIRS else [])


# --- games that are set aside


def mixed(seed: int) -> list[MatchGame]:
    """Games of a match as they end, with a worker whose results are another match's."""
    source = random.Random(seed)
    games = []
    for pair in range(60):
        worker = source.choice(["x", "y", "odd"])
        points = by_chance(source, 1, 0.02, 0.95) if worker == "odd" else by_chance(source, 1, 0.6, 0.1)
        games += played(worker, points, first=pair)
    again = {pair: played("x", [2, 1], first=pair) for pair in range(60)}
    games += [each for game in games if game.worker == "odd" and game.a_black for each in again[game.pair]]
    return games


@pytest.mark.parametrize("seed", range(5))
def test_games_of_a_suspect_are_set_aside_and_no_pair_counts_twice(seed: int) -> None:
    result = MatchResult(replace(TINY, games=120, sprt=(0.0, 5.0)), ("a", "b"))
    games = mixed(seed)
    for game in games:
        result.enter(game)
    assert list(result.review()) == ["odd"]
    assert {game.worker for game in result.games} == {"x", "y"}
    assert sorted((game.pair, not game.a_black) for game in result.games) == [(i // 2, i % 2 == 1) for i in range(120)]
    assert [game for game in result.set_aside if game.worker != "odd"] == []
    assert len(result.all_games()) == len(games)
    told = result.summary()
    assert (told["games"], told["set_aside"]) == (120, len(games) - 120)
    assert sum(told["pentanomial"]) == 60
    assert told["sprt"]["pairs"] <= 60
    assert suspects(told["workers"]) == ["odd"]


@pytest.mark.parametrize("cut", [0, 1, 50, 100, 119])
def test_a_resumed_match_agrees(cut: int) -> None:
    """The games alone say who is suspect: those of the log, looked at once more, then the others."""
    setting = replace(TINY, games=120, sprt=(0.0, 5.0))
    whole, resumed = MatchResult(setting, ("a", "b")), MatchResult(setting, ("a", "b"))
    games = mixed(3)
    for game in games:
        whole.enter(game)
    for game in games[:cut]:
        resumed.enter(MatchGame.from_json(json.loads(json.dumps(asdict(game)))))
    resumed.review()
    for game in games[cut:]:
        resumed.enter(game)
    assert essence(whole) == essence(resumed)
    assert len(whole.games) == 120
    assert len(resumed.set_aside) == len(whole.set_aside) > 0
    assert whole.summary()["sprt"] == resumed.summary()["sprt"]


def test_logs_without_workers_are_read(tmp_path: Path) -> None:
    setting = replace(TINY, pdn=tmp_path / "match.pdn", games=4)
    play_match(setting)
    assert "worker" not in log_of(tmp_path / "match.pdn").read_text()
    assert [game.worker for game in play_match(setting).games] == [""] * 4


@pytest.mark.parametrize("worker", [7, None, ["x"]])
def test_a_worker_in_a_log_is_a_name(worker: object) -> None:
    values = asdict(played("x", [1])[0])
    assert MatchGame.from_json(values).worker == "x"
    with pytest.raises(TypeError):
        MatchGame.from_json(values | {"worker": worker})


# --- a match on a cluster


CLUSTERED = replace(
    TINY, games=24, workers=0, cluster="local:9", tc=Limits(nodes=100, time=60.0), egdb="none", ballot="11man"
)


def slowed(machine: Machine, factor: float) -> Behaviour:
    """A worker whose searches take longer by a factor, by its own words; others take 1 ms."""

    def works(cluster: FakeCluster, address: str, frame: bytes, blocks: Sequence[bytes]) -> TaskAnswer:
        answer = machine.works(cluster, address, frame, blocks)
        values, chunks = unframed(answer.frame or b"")
        games = [json.loads(bytes(chunk)) for chunk in chunks]
        for game in games:
            game["replies"] = [reply and [*reply[:3], factor / 1000, *reply[4:]] for reply in game["replies"]]
        return TaskAnswer(framed(values, [json.dumps(game).encode() for game in games]))

    return works


@pytest.mark.slow
def test_a_match_on_a_cluster_is_that_of_this_process(machine: Machine) -> None:
    cluster = FakeCluster(dict.fromkeys("xyz", slowed(machine, 1.0)))
    with machine.connected(cluster):
        there = play_match(CLUSTERED)
    assert essence(there) == essence(play_match(replace(CLUSTERED, cluster="")))
    assert {game.worker for game in there.games} == set("xyz")
    assert not there.set_aside


@pytest.mark.slow
def test_the_pairs_of_a_slow_worker_are_played_again(
    machine: Machine, tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture
) -> None:
    setting: MatchSettings = replace(CLUSTERED, pdn=tmp_path / "match.pdn")
    cluster = FakeCluster({"x": slowed(machine, 1.0), "y": slowed(machine, 1.1), "slow": slowed(machine, 4.0)})
    with machine.connected(cluster):
        result = play_match(setting)
        again = play_match(setting)
    assert essence(result) == essence(play_match(replace(CLUSTERED, cluster="")))
    assert {game.worker for game in result.set_aside} == {"slow"}
    assert len(result.set_aside) >= LEAST_GAMES
    assert next(record.message for record in caplog.records if "is left" in record.message).startswith(
        "worker slow is left: it searches 0.2"
    )
    assert len(list(read_games(tmp_path / "match.pdn"))) == 24 + len(result.set_aside)
    assert essence(again) == essence(result)
    assert len(again.set_aside) == len(result.set_aside)
    words = f"match {setting.a} {setting.b} --ballot 11man --tc nodes=100,time=60s --games 24 --hash 1MB --egdb none"
    assert cli.main([*words.split(), "--pdn", str(tmp_path / "match.pdn"), "--cluster", "local:9"]) == 0
    shown = capsys.readouterr().out
    assert "slow" in shown
    assert "set aside" in shown
    assert max(map(len, shown.splitlines())) <= 80
