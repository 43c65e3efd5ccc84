"""The worth of twice the time: the ladder of limits, matches and comparisons, counting, resuming, the command."""

import itertools
import json
import re
import shutil
from dataclasses import replace

import pytest

from kr.cli import main
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.errors import InvalidGamesError, InvalidSettingError
from kr.game.position import Position
from kr.match import doubling, doubling_plot
from kr.match.doubling import (
    Changes,
    Choice,
    ComparedPosition,
    DoublingResult,
    DoublingSettings,
    claimed,
    compare_positions,
    play_matches,
    sample_positions,
)
from kr.openings.decks import deck


def settings(directory, **changes):
    """Two doublings of next to nothing."""
    tiny = {
        "out": directory, "player": "manual", "shortest": Limits(nodes=50), "longest": Limits(nodes=200), "games": 4,
        "positions": 12, "workers": 1, "hash": 1 << 20, "egdb": "none",
    }  # fmt: skip
    return DoublingSettings(**tiny | changes)


@pytest.mark.parametrize(
    ("shortest", "longest", "ladder", "more", "less"),
    [
        ("10ms", "320ms", ["10ms", "20ms", "40ms", "80ms", "0.16s", "0.32s"], "twice the time", "half the time"),
        ("10ms", None, ["10ms", "20ms", "40ms", "80ms", "0.16s", "0.32s"], "twice the time", "half the time"),
        ("nodes=2000", "nodes=9k", ["nodes=2000", "nodes=4000", "nodes=8000"], "twice the nodes", "half the nodes"),
        ("depth=3", "depth=8", ["depth=3", "depth=5", "depth=7"], "2 plies more", "2 plies less"),
    ],
)
def test_limits_double_and_depths_grow_by_two(tmp_path, shortest, longest, ladder, more, less):
    longest = longest and Limits.parse(longest)
    found = settings(tmp_path, shortest=Limits.parse(shortest), longest=longest)
    assert [str(limits) for limits in found.limits()] == ladder
    assert [(str(match.tc_b), str(match.tc)) for match in found.matches()] == list(itertools.pairwise(ladder))
    assert (found.more, found.less) == (more, less)


@pytest.mark.parametrize(
    ("shortest", "longest"), [("10ms", "depth=9"), ("10ms,depth=3", "1s"), ("1s", "1.9s"), ("1s", "2s,depth=9")]
)
def test_limits_without_a_step_are_refused(tmp_path, shortest, longest):
    with pytest.raises(InvalidSettingError, match="expected"):
        settings(tmp_path, shortest=Limits.parse(shortest), longest=Limits.parse(longest))


def test_players_of_other_programs_are_not_compared(tmp_path):
    with pytest.raises(InvalidSettingError, match="kr's own engine"):
        settings(tmp_path, player="hub:kr hub")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """A finished run."""
    tiny = settings(tmp_path_factory.mktemp("doubling"))
    return DoublingResult(tiny, play_matches(tiny), compare_positions(tiny))


def test_matches_are_of_each_limit_against_the_one_before(found):
    assert [len(match.games) for match in found.matches] == [4, 4]
    for match, nodes in zip(found.matches, (100, 200), strict=True):
        longer, shorter = (effort.nodes / effort.searches for effort in match.efforts())
        assert nodes / 2 < longer <= nodes
        assert nodes / 4 < shorter <= nodes / 2


def test_positions_leave_a_choice_and_are_compared_at_every_limit(found):
    assert len(found.comparisons) == len({each.fen for each in found.comparisons}) == 12
    for each in found.comparisons:
        position = Position.from_fen(each.fen)
        assert len(position.legal_moves()) > 1
        assert len(each.searches) == 3
        moves = {search.move for search in each.searches}
        assert set(each.judged) == (moves if len(moves) > 1 else set())
        for search in (*each.searches, *each.iterations):
            position.parse_move(search.move)
        depths = [iteration.depth for iteration in each.iterations]
        assert depths == sorted(set(depths))


def test_no_position_is_of_a_ballot(tmp_path):
    found = settings(tmp_path, ballot="3move", games=2, positions=1000)
    play_matches(found)
    before = {Position(), *(Position().play(move) for move in Position().legal_moves())}
    ballots = {opening.position for opening in deck("3move")}
    sampled = set(sample_positions(found))
    assert not sampled & before
    assert sampled & ballots


def test_a_resumed_run_finds_the_same(found, tmp_path):
    again = settings(tmp_path, workers=2)
    play_matches(again)
    # the first search of an interrupted run
    positions = sample_positions(again)
    engine = Engine("manual", 1, database="none")
    assert doubling.search_position(positions[0], again.limits(), engine) == found.comparisons[0]
    done = []
    assert compare_positions(again, done.append) == found.comparisons
    assert done == [0] + 12 * [1]
    journal = tmp_path / "searches.jsonl"
    journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:6]))
    done.clear()
    assert compare_positions(again, done.append) == found.comparisons
    assert done == [5] + 7 * [1]


@pytest.mark.parametrize("change", [{"hash": 2 << 20}, {"player": "material"}, {"positions": 5}])
def test_searches_are_resumed_only_with_the_same_settings(found, change):
    with pytest.raises(InvalidSettingError, match="choose another file"):
        compare_positions(replace(found.settings, **change))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"games": 6}, "positions of matches of 4 games, not 6"),
        ({"positions": 5}, "begun with positions"),
        ({"longest": Limits(nodes=400)}, "begun with limits"),
        ({"hash": 2 << 20}, "begun with hash"),
    ],
)
def test_other_searches_are_refused_before_any_game(found, change, said):
    files = {path: path.read_bytes() for path in found.settings.out.glob("*.*")}
    with pytest.raises(InvalidSettingError, match=said), claimed(replace(found.settings, **change)):
        pass
    assert files == {path: path.read_bytes() for path in found.settings.out.glob("*.*")}


def test_searches_are_refused_after_a_power_cut_lost_games(found, tmp_path):
    again = shutil.copytree(found.settings.out, tmp_path / "again")
    pdn = next(again.glob("*.pdn"))
    pdn.write_bytes(pdn.read_bytes()[:-200] + bytes(200))
    settings = replace(found.settings, out=again)
    with pytest.raises(InvalidSettingError, match="has positions of matches of"), claimed(settings):
        pass


@pytest.mark.parametrize("change", [{}, {"positions": 0, "games": 6}, {"workers": 2}])
def test_the_same_searches_are_resumed(found, change):
    """Nothing is raised, as it is where other searches are asked for."""
    with claimed(replace(found.settings, **change)):
        pass


def test_a_journal_that_was_cut_off_in_its_first_line_is_begun_anew(found, tmp_path):
    again = shutil.copytree(found.settings.out, tmp_path / "again")
    (again / "searches.jsonl").write_bytes((again / "searches.jsonl").read_bytes()[:20])
    with claimed(replace(found.settings, out=again)):
        pass
    (again / "searches.jsonl").write_text("a list of things to do\n")
    with pytest.raises(InvalidSettingError, match="not a journal"), claimed(replace(found.settings, out=again)):
        pass


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"fen": "', '"fen": 1, "x": "'),
        ('"searches": [', '"searches": [1, '),
        ('"score": ', '"score": "x", "y": '),
        ('"judged": {', '"judged": {"1-5": 3, "z": '),
        ('"depth": ', '"depth": 1.5, "y": '),
    ],
)
def test_damaged_searches_are_named(found, tmp_path, old, new):
    again = shutil.copytree(found.settings.out, tmp_path / "again")
    lines = (again / "searches.jsonl").read_text().splitlines(keepends=True)
    (again / "searches.jsonl").write_text("".join([lines[0], lines[1].replace(old, new, 1), *lines[2:]]))
    with pytest.raises(InvalidGamesError, match=r"searches\.jsonl, line 2 is damaged"):
        compare_positions(replace(found.settings, out=again))


def test_the_second_writer_is_refused_from_the_start(tmp_path, capsys):
    with claimed(settings(tmp_path)):
        assert main(["doubling", "material", "--out", str(tmp_path), "--from", "nodes=9", "--hash", "1MB"]) == 1
    said = capsys.readouterr().err
    assert "is being written by another process" in said
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())


def comparison(moves, judged, iterations=()):
    """Made up: moves by limit as "a b b", judged by move, iterations as "a10 b20"."""
    searches = tuple(Choice(move, 0, 1) for move in moves.split())
    steps = tuple(Choice(text[0], int(text[1:]), depth) for depth, text in enumerate(iterations, start=1))
    return ComparedPosition(str(judged), searches, steps, judged)


def test_changes_are_counted_by_worth(found):
    made_up = [
        comparison("a a a", {}, ["a0", "a50"]),
        comparison("a b b", {"a": 0, "b": 30}, ["a10", "b20", "b20"]),
        comparison("a b a", {"a": 7, "b": 4}, ["a10", "b-90", "a10"]),
        comparison("a a b", {"a": 5, "b": 29000}, ["a0"]),
    ]
    result = replace(found, comparisons=made_up)
    first, second = result.changes()
    assert first == Changes(4, 2, (30, -3))
    assert (first.untied, first.mean_worth, first.better(25), first.better(50), first.worse(3)) == (1, 13.5, 1, 0, 1)
    # a proved win counts as a decided game
    assert second == Changes(4, 2, (3, doubling.DECIDED - 5))
    assert [(each.worth, each.longer, each.move, each.shorter_move) for each in result.largest(2)] == [
        (doubling.DECIDED - 5, "nodes=200", "b", "a"),
        (30, "nodes=100", "b", "a"),
    ]
    wavering = comparison("a b a", {"a": 0, "b": 60})
    turned = comparison("b a b", {"a": 0, "b": 60})
    largest = replace(found, comparisons=[wavering, turned, turned]).largest()
    assert [each.longer for each in largest] == ["nodes=200"]
    # the third depth is that of half of them
    assert result.depth_changes() == {2: Changes(3, 2, (10, -100)), 3: Changes(2, 1, (100,))}
    assert first.share(2) == pytest.approx((0.5, 0.49), rel=1e-4)
    assert Changes(0, 0, ()).share(0) == (0, 0)


@pytest.mark.parametrize(
    ("limits", "shown", "unit"),
    [
        ([Limits(time=0.02), Limits(time=0.16), Limits(time=0.32)], ["20", "160", "320"], "ms"),
        ([Limits(time=1), Limits(time=16)], ["1", "16"], "s"),
        ([Limits(nodes=500), Limits(nodes=1000)], ["500", "1000"], "nodes"),
        ([Limits(depth=5), Limits(depth=6)], ["5", "6"], "plies"),
    ],
)
def test_the_limits_of_a_picture_are_in_one_unit(limits, shown, unit):
    assert doubling_plot.ladder(limits) == (shown, unit)


@pytest.mark.parametrize("positions", [1, 10, 1000])
def test_a_share_lies_in_its_interval(positions):
    for count in range(0, positions + 1, max(positions // 10, 1)):
        low, high = doubling_plot.interval(count, positions)
        assert 0 <= low <= count / positions + 1e-9
        assert count / positions - 1e-9 <= high <= 1
        # none of a few says little, all of a few too
        assert high - low > 0.7 / positions**0.5 * (0.02 if positions > 100 else 0.5)
    assert doubling_plot.interval(500, 1000) == pytest.approx((0.469, 0.531), abs=1e-3)


@pytest.mark.slow
def test_the_picture_has_a_title_and_errors_in_all_panels(tmp_path, monkeypatch, capsys):
    drawn = []
    monkeypatch.setattr(doubling_plot, "save", lambda figure, path: drawn.append(figure))
    words = "doubling manual --from nodes=40 --to nodes=160 --games 2 --positions 5 --hash 1MB --egdb none"
    assert main([*words.split(), "--out", str(tmp_path / "run"), "--plots", str(tmp_path)]) == 0
    (figure,) = drawn
    assert re.fullmatch(
        r"manual: twice the nodes \(run\) · 2 games a step · 5 positions · \d{4}-\d\d-\d\d", figure.get_suptitle()
    )
    scores, searches, iterations = figure.axes
    assert [len(ax.containers) for ax in figure.axes] == [1, 6, 6]
    assert all(container.has_yerr for ax in figure.axes for container in ax.containers)
    assert scores.get_xlabel() == searches.get_xlabel() == "limit of the longer search, nodes"
    assert [label.get_text() for label in searches.get_xticklabels()] == ["80", "160"]
    assert searches.get_ylabel() == iterations.get_ylabel() == "percent of positions"
    # curves that coincide are beside each other, each in its own colour and with its own marker
    lines = [container.lines[0] for container in searches.containers]
    for what in (lambda line: line.get_color(), lambda line: line.get_marker(), lambda line: line.get_xdata()[0]):
        assert len(set(map(what, lines))) == 6


@pytest.mark.slow
def test_the_command_prints_tables_and_draws(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    words = "doubling manual --from nodes=40 --to nodes=80 --games 2 --positions 5 --hash 1MB --egdb none"
    paths = ["--out", str(tmp_path / "run"), "--plots", str(tmp_path / "pictures")]
    assert main([*words.split(), *paths]) == 0
    out = capsys.readouterr().out
    for word in ("which has half the nodes", "nodes=80 v nodes=40", "Elo", "different", "depth"):
        assert word in out
    assert (tmp_path / "pictures" / "doubling.png").read_bytes().startswith(b"\x89PNG")
    assert main([*words.split(), *paths, "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    shown = json.loads(line)
    assert len(shown["largest"]) <= 5
    assert shown["longer_has"] == "twice the nodes"
    (step,) = shown["steps"]
    assert (step["longer"], step["shorter"], step["match"]["games"]) == ("nodes=80", "nodes=40", 2)
    assert step["changes"]["positions"] == 5


def test_matches_alone(tmp_path, capsys):
    words = "doubling manual --from depth=1 --to depth=3 --games 2 --positions 0 --hash 1MB --egdb none --out"
    assert main([*words.split(), str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "Each limit against the one before, which has 2 plies less" in out
    assert "half" not in out
    assert "another move" not in out
    assert not (tmp_path / "searches.jsonl").exists()


def test_the_help_says_what_is_compared(capsys):
    assert main(["doubling", "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "compares depth 5 with 3, and 7 with 5" in said
    assert "half" not in said
