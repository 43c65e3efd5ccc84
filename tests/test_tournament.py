"""Matches of more than two players: who meets whom, ratings, resuming after any end, the report."""

import json
import os
import random
from dataclasses import replace
from itertools import combinations

import pytest
from test_match import TINY

from kr.cli import main
from kr.errors import InvalidSettingError
from kr.match.crosstable import pairings_of
from kr.match.elo import estimate, score_of_elo
from kr.match.match import play_match, play_tournament
from kr.match.ratings import ratings
from kr.pdn import read_games

FIVE = replace(TINY, b="manual", more=("random:1", "mcts:5", "manual,etc_depth=99"), games=2, egdb="none")


def essence(result):
    """Everything of a tournament that must be equal when it is repeated: all but times."""
    summary = result.summary()
    timed = ("nodes_per_second", "processor_use")
    players = [{name: value for name, value in each.items() if name not in timed} for each in summary["players"]]
    games = sorted(
        (game.pairing, game.pair, game.a_black, game.opening, game.points, game.reason, game.plies, game.a.nodes)
        for each in result.results
        for game in each.games
    )
    return players, summary["pairings"], summary["superiority"], games


@pytest.mark.slow
def test_a_round_robin_of_five_with_interruptions_is_that_without(tmp_path):
    whole = play_tournament(FIVE)
    assert whole.games == 20
    settings = replace(FIVE, pdn=tmp_path / "match.pdn", workers=2)
    log = tmp_path / "match.pdn.log"

    def interrupted_after(count):
        def on_game(result):
            if result.games >= count:
                raise KeyboardInterrupt

        return on_game

    found = []
    for count, file, cut in ((2, settings.pdn, 40), (9, log, 900), (17, settings.pdn, 2000)):
        with pytest.raises(KeyboardInterrupt):
            play_tournament(settings, interrupted_after(count))
        # what a kill or a power cut leaves
        os.truncate(file, file.stat().st_size - cut)
    again = play_tournament(settings, lambda result: found.append(result.games))
    assert essence(again) == essence(whole)
    assert 9 < found[0] < 20
    rounds = {game.tags["Round"] for game in read_games(settings.pdn)}
    assert len(rounds) == len(list(read_games(settings.pdn))) == 20
    # and is only shown from then on
    assert essence(play_tournament(settings)) == essence(whole)
    with pytest.raises(InvalidSettingError, match="choose another file"):
        play_tournament(replace(settings, more=settings.more[:2]))
    with pytest.raises(InvalidSettingError, match="choose another file"):
        play_tournament(replace(settings, gauntlet=True))


def test_each_pairing_is_the_match_of_its_two_players():
    three = replace(TINY, more=("random:1",), games=4)
    played = play_tournament(three)
    specs = (three.a, three.b, *three.more)
    for (a, b), result in zip(combinations(range(3), 2), played.results, strict=True):
        alone = play_match(replace(three, a=specs[a], b=specs[b], more=()))
        assert (result.names, result.pentanomial, result.reasons()) == (alone.names, alone.pentanomial, alone.reasons())


def test_a_gauntlet_has_the_first_player_in_each_pairing():
    assert pairings_of(4, True) == [(0, 1), (0, 2), (0, 3)]
    result = play_tournament(replace(FIVE, gauntlet=True))
    standings = {each.number: each for each in result.table().standings()}
    assert [standings[number].games for number in range(5)] == [8, 2, 2, 2, 2]
    assert standings[0].points == 8 - sum(standings[number].points for number in range(1, 5))
    assert result.summary()["players"][0]["elo"] == max(each.elo for each in standings.values())


@pytest.mark.parametrize(("changes", "words"), [
    ({"sprt": (0.0, 5.0)}, "--sprt"), ({"tc_b": TINY.tc}, "--tc-b"), ({"more": ("manual",) * 25}, "at most 26"),
])  # fmt: skip
def test_what_is_about_two_players_is_refused(changes, words):
    with pytest.raises(InvalidSettingError, match=words):
        replace(FIVE, **changes)


def test_ratings_of_two_are_their_elo():
    for pentanomial in ([1, 4, 9, 6, 2], [0, 0, 0, 0, 3]):
        rated, figures = ratings(2, {(0, 1): pentanomial}), estimate(pentanomial)
        assert rated.elo[0] - rated.elo[1] == pytest.approx(figures.elo)
        assert rated.superior[0][1] == pytest.approx(1 - rated.superior[1][0])
    # each error is that of half the difference, whose interval the score's own one has but for its bend
    assert 2 * ratings(2, {(0, 1): [1, 4, 90, 6, 2]}).errors[0] == pytest.approx(
        estimate([1, 4, 90, 6, 2]).elo_error, rel=0.02
    )


def test_ratings_are_unknown_until_all_have_met():
    rated = ratings(4, {(0, 1): [0, 1, 1, 1, 0], (2, 3): [0, 0, 1, 0, 0], (0, 3): [0] * 5})
    assert set(rated.errors) == {float("inf")}


def test_ratings_are_within_their_errors():
    """Of players whose strength is known: 95% of the intervals have it."""
    elo, source = (90.0, 20.0, -30.0, -80.0), random.Random(3)
    inside = trials = 0
    for _ in range(60):
        pairings = {}
        for a, b in combinations(range(4), 2):
            half = score_of_elo(elo[a] - elo[b]) - 0.3
            pairs = [0] * 5
            for _ in range(40):
                games = source.choices((0, 1, 2), (0.4 - half, 0.6, half), k=2)
                pairs[sum(games)] += 1
            pairings[a, b] = pairs
        rated = ratings(4, pairings)
        inside += sum(abs(own - true) < error for own, true, error in zip(rated.elo, elo, rated.errors, strict=True))
        trials += 4
    assert 0.9 < inside / trials < 0.99


def test_the_command_ends_with_a_cross_table(capsys):
    words = "match material manual random:1 --ballot 2move --tc nodes=40 --games 2 --hash 1MB --egdb none".split()
    assert main(words) == 0
    shown = capsys.readouterr()
    assert [line.partition("; ")[0] for line in shown.err.splitlines()] == ["A: material", "B: manual", "C: random:1"]
    first, table, pairings, efforts = (part.splitlines() for part in shown.out.strip().split("\n\n"))
    assert first[0].split() == "games 6 of 6, round robin of 3, 2move, nodes=40".split()
    order = table[0].split()[-3:]
    assert [row.split()[0] for row in table[1:]] == order
    assert efforts[0].split() == order
    assert [row.split()[0] for row in pairings[1:]] == ["A-B", "A-C", "B-C"]
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["points"] for each in told["players"]] == [float(row.split()[-6]) for row in table[1:]]
    assert sum(each["points"] for each in told["players"]) == told["games"] == 6
