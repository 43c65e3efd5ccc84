"""`kr tune`: the course of the options, pairs of games, resuming, and what is refused."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kr.cli import main
from kr.engine.limits import Limits
from kr.engine.options import SEARCH_OPTIONS
from kr.errors import InvalidGamesError, InvalidSettingError, OutputBusyError
from kr.match.spsa import Spsa
from kr.match.tuning import TuneResult, TuneSettings, VariedOption, confirm, tune
from kr.storage import lock

VARY = ("static_margin=4:40", "razor_margin=10:60")


def spsa(**changes: Any) -> Spsa:
    return replace(
        Spsa(starts=(10.0, 50.0), lows=(0.0, 0.0), highs=(40.0, 100.0), pairs=4000, batch=8, perturbation=0.1,
             rate=0.02, seed=1),
        **changes,
    )  # fmt: skip


def settings_of(directory: Path, **changes: Any) -> TuneSettings:
    given = {
        "player": "material", "vary": tuple(map(VariedOption.parse, VARY)), "out": directory, "games": 20,
        "tc": Limits(nodes=150), "batch": 4, "confirm": 0, "workers": 2, "hash": 1 << 20,
    }  # fmt: skip
    return TuneSettings(**given | changes)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> TuneResult:
    return tune(settings_of(tmp_path_factory.mktemp("tune")))


def test_numbers_go_where_the_games_are_won() -> None:
    """A game between numbers is won by those nearer to the best ones, more often the nearer they are."""
    course, best, chance = spsa(), (30.0, 20.0), random.Random(1)
    numbers = list(course.starts)
    for batch in range(course.batches):
        points = []
        for pair in course.batch_pairs(batch):
            spans = list(zip(best, course.lows, course.highs, strict=True))
            far = [
                sum(abs(n - b) / (high - low) for n, (b, low, high) in zip(side, spans, strict=True))
                for side in course.sides(numbers, pair)
            ]
            points.append(sum(chance.random() < 0.5 + (far[1] - far[0]) / 2 for _ in range(4)))
        numbers = course.after(numbers, batch, points)
    assert numbers[0] == pytest.approx(best[0], abs=4)
    assert numbers[1] == pytest.approx(best[1], abs=10)


def test_chance_alone_leads_nowhere_far() -> None:
    course, chance = spsa(), random.Random(2)
    points = [sum(chance.random() < 0.5 for _ in range(4)) for _ in range(course.pairs)]
    last = course.course(points)[-1]
    assert abs(last[0] - 10) < 10
    assert abs(last[1] - 50) < 25


def test_both_sides_are_as_far_apart_as_they_should_be() -> None:
    course = spsa(starts=(20.0, 50.0))
    for pair in range(0, 4000, 97):
        first, second = course.sides(course.starts, pair)
        for i, (sign, size) in enumerate(zip(course.directions(pair), course.perturbations(pair), strict=True)):
            assert first[i] - second[i] == pytest.approx(2 * sign * size, abs=1)


def test_rounding_is_right_on_average() -> None:
    course = spsa(starts=(10.25, 50.75), perturbation=0.001)
    sums = [0.0, 0.0]
    for pair in range(4000):
        for side in course.sides(course.starts, pair):
            for i, number in enumerate(side):
                sums[i] += number / 8000
    assert sums[0] == pytest.approx(10.25, abs=0.05)
    assert sums[1] == pytest.approx(50.75, abs=0.05)


def test_numbers_stay_in_their_range() -> None:
    course = spsa(starts=(0.0, 100.0))
    for pair in range(500):
        for side in course.sides(course.starts, pair):
            assert 0 <= side[0] <= 40
            assert 0 <= side[1] <= 100
    # the first side always wins: whatever it is, it goes on to an end of the range
    assert all(0 <= a <= 40 and 0 <= b <= 100 for a, b in course.course([4] * 4000))


def test_a_batch_counts_only_when_it_is_whole() -> None:
    assert len(spsa().course([4] * 15)) == 2
    assert len(spsa(pairs=15).course([4] * 15)) == 3


@pytest.mark.slow
def test_the_course_does_not_depend_on_the_workers(finished: TuneResult, tmp_path: Path) -> None:
    alone = tune(settings_of(tmp_path, workers=1))
    assert alone.points == finished.points
    assert alone.course == finished.course
    assert finished.finished
    assert len(finished.course) == 4


@pytest.mark.slow
def test_an_interrupted_run_goes_on(finished: TuneResult, tmp_path: Path) -> None:
    def interrupt(result: TuneResult) -> None:
        if len(result.points) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune(settings_of(tmp_path), interrupt)
    found: list[int] = []
    result = tune(settings_of(tmp_path), lambda result: found.append(len(result.points)))
    assert found[0] == 5
    assert result.course == finished.course


def test_a_finished_run_plays_nothing(finished: TuneResult) -> None:
    found: list[int] = []
    again = tune(finished.settings, lambda result: found.append(len(result.points)))
    assert found == [10]
    assert again.options == finished.options


@pytest.mark.parametrize(
    "change",
    [{"vary": (VariedOption("static_margin", 4, 40),)}, {"games": 22}, {"seed": 2}, {"rate": 0.02},
     {"tc": Limits(nodes=151)}, {"player": "material,lmr_move=4"}],
)  # fmt: skip
def test_other_settings_are_another_run(finished: TuneResult, change: dict[str, Any]) -> None:
    with pytest.raises(InvalidSettingError, match="was begun with"):
        tune(replace(finished.settings, **change))


@pytest.mark.parametrize(
    "line",
    ['{"pair": "x"}', '{"pair": 99, "points": 2}', '{"pair": -1, "points": 2}', '{"pair": 1, "points": 5}', "[]"],
)
def test_a_damaged_journal_is_named(finished: TuneResult, tmp_path: Path, line: str) -> None:
    text = finished.settings.journal.read_text().splitlines()
    settings = settings_of(tmp_path)
    settings.journal.write_text("\n".join([*text[:3], line, *text[3:]]) + "\n")
    with pytest.raises(InvalidGamesError, match=r"pairs\.jsonl, line 4 is damaged"):
        tune(settings)


def test_two_runs_in_one_directory(finished: TuneResult) -> None:
    with lock(finished.settings.journal), pytest.raises(OutputBusyError):
        tune(finished.settings)


def test_the_tuned_player_has_the_options(finished: TuneResult) -> None:
    options = ",".join(f"{name}={number}" for name, number in finished.options.items())
    assert finished.tuned == f"material,{options}"
    own = replace(finished, settings=replace(finished.settings, player="material,static_margin=9,lmr_move=4"))
    assert own.tuned == f"material,lmr_move=4,{options}"


@pytest.mark.slow
def test_a_match_confirms(tmp_path: Path) -> None:
    result = tune(settings_of(tmp_path, games=4, confirm=4))
    confirm(result)
    assert result.confirmed is not None
    assert len(result.confirmed.games) == 4
    assert result.summary()["match"]["games"] == 4
    assert (tmp_path / "confirm.pdn").exists()


def test_ranges_that_are_not_given() -> None:
    default = SEARCH_OPTIONS["razor_margin"][0]
    assert VariedOption("razor_margin").within(default) == (0, 2 * default)
    # little numbers have room on both sides, as far as the option goes
    assert VariedOption("iir_depth").within(4) == (2, 8)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("speed", "unknown search option 'speed'"),
        ("static_margin=4", "expected a range such as static_margin=4:40"),
        ("static_margin=a:b", "expected a range such as"),
        ("static_margin=40:4", "the lower end first"),
        ("static_margin=4:4000", "expected a range within 0:1000"),
        ("", "unknown search option ''"),
    ],
)
def test_options_that_can_not_be_tuned(text: str, message: str) -> None:
    with pytest.raises(InvalidSettingError, match=message):
        VariedOption.parse(text)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"player": "hub:engine"}, "only kr's own engine"),
        ({"games": 3}, "expected an even number"),
        (
            {"vary": (VariedOption("lmr_move"), VariedOption("lmr_base"), VariedOption("lmr_move"))},
            "lmr_move is given twice",
        ),
        ({"vary": ()}, "expected a search option"),
        ({"tc": Limits()}, "a limit of each move"),
        ({"player": "material,static_margin=50"}, "static_margin starts at 50, out of its range 4:40"),
    ],
)
def test_settings_that_are_refused(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidSettingError, match=message):
        tune(settings_of(tmp_path, **change))


@pytest.mark.slow
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "tune", "material", "--vary", VARY[0], "--vary", VARY[1], "--out", str(tmp_path / "run"), "--tc", "nodes=100",
        "--games", "8",
        "--confirm", "4", "--hash", "1MB", "--plots", str(tmp_path),
    ]  # fmt: skip
    assert main(arguments) == 0
    shown = capsys.readouterr()
    assert "static_margin" in shown.out
    assert "tuned player: material,static_margin=" in shown.out
    assert "games" in shown.out
    assert (tmp_path / "tuning.png").stat().st_size > 10_000
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["option"] for row in found["options"]] == ["static_margin", "razor_margin"]
    assert found["finished"]
    assert found["match"]["games"] == 4


@pytest.mark.slow
def test_a_cluster_plays_the_same_pairs(finished: TuneResult, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    assert tune(settings_of(tmp_path, cluster="local:2")).course == finished.course
