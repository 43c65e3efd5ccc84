"""The verdict of a sequential test: the same at the same pair, in whatever order the games end."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_match import TINY

from kr.match.elo import Sprt
from kr.match.log import Effort, MatchGame
from kr.match.match import play_match
from kr.match.plot import draw_verdict
from kr.match.result import MatchResult
from kr.match.tally import MatchTally
from kr.match.verdict import PairsInOrder

TEST = Sprt(0, 60)
POINTS = st.lists(st.tuples(st.sampled_from((0, 1, 2, 2)), st.sampled_from((0, 1, 1, 2))), max_size=60)


def match_game(pair: int, a_black: bool, points: int, worker: str = "") -> MatchGame:
    return MatchGame(pair, a_black, f"opening {pair}", points, "no move", "", 40, Effort(), Effort(), worker)


def games_of(points: Sequence[tuple[int, int]]) -> list[MatchGame]:
    """Two games for each pair, in order."""
    return [match_game(pair, i == 0, own) for pair, both in enumerate(points) for i, own in enumerate(both)]


def first_decision(points: Sequence[tuple[int, int]]) -> tuple[int, str | None]:
    """Pairs of the shortest beginning that decides, or of all, and the decision: by the definition."""
    pentanomial = [0] * 5
    for count, both in enumerate(points, start=1):
        pentanomial[sum(both)] += 1
        if decision := TEST.decision(pentanomial):
            return count, decision
    return len(points), None


def in_order(games: Sequence[MatchGame], stop: bool = True) -> PairsInOrder:
    found = PairsInOrder(TEST, stop)
    for game in games:
        found.add(game)
    return found


@settings(max_examples=40)
@given(POINTS, st.randoms(use_true_random=False))
def test_any_order_of_completion_gives_the_same_verdict_at_the_same_pair(
    points: list[tuple[int, int]], order: random.Random
) -> None:
    games = games_of(points)
    order.shuffle(games)
    found = in_order(games)
    count, decision = first_decision(points)
    assert (found.count, found.decision) == (count, decision)
    assert found.decided is (decision is not None)
    assert found.pentanomial == [sum(sum(both) == total for both in points[:count]) for total in range(5)]
    assert found.tally.games == 2 * count
    assert found.llr == TEST.llr(found.pentanomial)


@pytest.mark.slow
@settings(max_examples=40)
@given(POINTS, st.randoms(use_true_random=False))
def test_a_verdict_stands_and_counts_no_more(points: list[tuple[int, int]], order: random.Random) -> None:
    """At every moment it is that of the pairs before the first gap."""
    games = games_of(points)
    order.shuffle(games)
    found, done = PairsInOrder(TEST), set()
    for game in games:
        before = found.decision, found.count
        found.add(game)
        done.add((game.pair, game.a_black))
        gap = next(pair for pair in range(len(points) + 1) if not {(pair, True), (pair, False)} <= done)
        assert (found.count, found.decision) == first_decision(points[:gap])
        if before[0]:
            assert (found.decision, found.count) == before


def test_pairs_behind_a_gap_do_not_count() -> None:
    games = games_of([(2, 2)] * 50)
    found = in_order(games[1:])
    assert (found.count, found.decision, found.llr) == (0, None, 0.0)
    found.add(games[0])
    assert found.decision == "H1"
    assert found.count < 50


def test_all_pairs_count_where_nothing_is_to_be_stopped() -> None:
    found = in_order(games_of([(2, 2)] * 50), stop=False)
    assert (found.count, found.decision, found.decided) == (50, "H1", False)


def test_short_wins_do_not_decide_before_long_losses() -> None:
    """As many games end, the wins first: by all games the test would accept the gain long before."""
    points = [(2, 2) if pair % 2 else (0, 0) for pair in range(40)]
    games = sorted(games_of(points), key=lambda game: (-game.points, game.pair))
    tally, hasty = MatchTally(), None
    for game in games:
        tally.add(game)
        hasty = hasty or TEST.decision(tally.pairs)
    assert hasty == "H1"
    assert in_order(games).decision == first_decision(points)[1] != "H1"


@pytest.mark.slow
@settings(max_examples=40)
@given(POINTS, st.randoms(use_true_random=False), st.integers(0, 120))
def test_results_say_the_same_whenever_they_are_asked(
    points: list[tuple[int, int]], order: random.Random, asked: int
) -> None:
    """Also after an interruption, when the log gives the games in the order of their ends."""
    games = games_of(points)
    order.shuffle(games)
    setting = replace(TINY, games=1000, sprt=(0.0, 60.0))
    result = MatchResult(setting, ("a", "b"))
    for number, game in enumerate(games):
        result.enter(game)
        if number % 7 == asked % 7:
            result.summary()
    told = result.summary()
    count, decision = first_decision(points)
    assert result.decision == decision
    assert told["games"] == len(games)
    assert told["pentanomial"] == tuple(sum(sum(both) == total for both in points) for total in range(5))
    assert (told["sprt"]["pairs"], told["sprt"]["decision"]) == (count, decision)
    assert told["sprt"]["llr"] == pytest.approx(first_llr(points[:count]))


def first_llr(points: Sequence[tuple[int, int]]) -> float:
    return TEST.llr([sum(sum(both) == total for both in points) for total in range(5)])


@pytest.mark.slow
def test_workers_and_interruptions_do_not_change_the_verdict(tmp_path: Path) -> None:
    setting = replace(TINY, games=200, ballot="11man", sprt=(0.0, 100.0))
    alone = play_match(setting)
    assert alone.decision
    told = alone.summary()["sprt"]
    assert play_match(replace(setting, workers=3)).summary()["sprt"] == told
    resumed = replace(setting, workers=2, pdn=tmp_path / "match.pdn")

    def interrupt(result: MatchResult) -> None:
        if len(result.games) == told["pairs"]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_match(resumed, interrupt)
    result = play_match(resumed)
    assert result.summary()["sprt"] == told
    pictures = [draw_verdict(each, tmp_path / name) for each, name in ((alone, "alone"), (result, "resumed"))]
    assert pictures[0].read_bytes() == pictures[1].read_bytes()
    count = len(result.games)
    # decided: nothing more is played
    assert len(play_match(resumed).games) == count
    assert play_match(resumed).summary()["sprt"] == told
    assert count < 200
