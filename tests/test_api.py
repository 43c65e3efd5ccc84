"""The public names of kr: all there, documented, and typed (typed_program.py has the view of a type checker)."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import kr
from kr import Limits, Position, Task
from kr.svg import SHOWN

ENDING = Position.from_fen("W:W21,K30:B1,2")


def test_each_name_is_there_and_documented() -> None:
    found = {name: getattr(kr, name) for name in kr.__all__}
    assert [name for name, each in found.items() if getattr(each, "__name__", name).rpartition(".")[2] != name] == []
    assert [name for name, each in found.items() if not isinstance(each, tuple) and not inspect.getdoc(each)] == []


def test_an_unknown_name() -> None:
    with pytest.raises(AttributeError, match="kr attribute Postion"):
        kr.Postion  # noqa: B018
    assert not hasattr(kr, "__wrapped__")


def test_a_position_is_analysed_with_the_game_before_it() -> None:
    engine = kr.Engine("material", hash_mb=1, database="none")
    game = kr.pdn.Game(start=Position.from_fen("B:WK32:BK1"))
    end = game.add_line(["1-6", "32-27", "6-1", "27-32", "1-6", "32-27", "6-1"])
    task = Task.at(end)
    assert task.position == end.position
    assert task.history == tuple(game.positions())[:-1]
    third = {str(line.move): line.score for line in kr.analyze(engine, task, Limits(depth=6), multipv=9).lines}
    assert third["27-32"] == 0
    fresh = kr.analyze(engine, end.position, Limits(depth=6))
    assert fresh.task == Task(end.position)
    assert fresh.lines[0].move == fresh.lines[0].pv[0]


FILES = [
    kr.load_book, kr.OpeningBook, kr.load_policy, kr.read_policy, kr.load_database, kr.Database.open, kr.load_champion,
    kr.load_runs, kr.read_game_arrays, kr.SampleFile, kr.load_model, kr.read_run, kr.problems.load_problems, kr.Engine,
]  # fmt: skip


@pytest.mark.parametrize("call", FILES)
def test_what_is_not_the_name_of_a_file_is_refused(call: Callable[[Any], object]) -> None:
    for given in (object(), 5, b"x", "a\0b"):
        with pytest.raises(kr.KrError, match=r"is not the name of a file; expected text or a Path$"):
            call(given)


JOBS = [
    kr.fit, kr.train, kr.selfplay, kr.play_match, kr.prove, kr.evolve, kr.write_sample, kr.export_sample,
    kr.fit_endnet, kr.fit_policy, kr.run_rivals, kr.score_net,
]  # fmt: skip


@pytest.mark.parametrize("call", JOBS)
def test_a_job_wants_its_settings(call: Callable[[Any], object]) -> None:
    with pytest.raises(kr.InvalidSettingError, match=r"^the settings are 'games.pdn'; expected \w+Settings$"):
        call("games.pdn")


def test_an_explanation_draws_itself() -> None:
    explained = kr.explain(ENDING, "material")
    assert explained.svg(size=200).startswith("<svg")
    assert explained._repr_svg_() == explained.svg(size=SHOWN)


KINDS: list[Callable[[Any], object]] = [
    kr.parse_limits, kr.openings.deck, kr.player_from_spec, kr.read_certificate, kr.check_certificate,
    kr.read_decisions, kr.pdn.read_game, lambda given: list(kr.pdn.read_games(given)),
    lambda given: kr.analyze(given, ENDING), lambda given: kr.Analyzing(given, ENDING), kr.Task.at,
    lambda given: kr.probe(given, ENDING), lambda given: kr.read_samples([given]),
    lambda given: kr.svg.board(arrows=[given]), lambda given: kr.svg.board(last_move=[given]),
    lambda given: kr.svg.board(labels=[given]), lambda given: kr.gif.animation(kr.Position(), [given]),
    lambda given: kr.gif.animation(given, []), lambda given: kr.annotate(given, given),
    lambda given: kr.solve(given, given, kr.Limits(depth=1)), lambda given: kr.write_certificate("x", given),
    kr.pdn.write_game, lambda given: kr.pdn.Game(headers=[given]),
    lambda given: kr.pdn.Game(headers={"Event": given}), lambda given: kr.pdn.Game(moves=[given]),
    lambda given: kr.pdn.Game(notes=[given]),
]  # fmt: skip


@pytest.mark.parametrize("given", [None, 3, []], ids=repr)
@pytest.mark.parametrize("call", KINDS)
def test_what_is_of_another_kind_is_refused(call: Callable[[Any], object], given: object) -> None:
    with pytest.raises(kr.InvalidSettingError, match="expected "):
        call(given)
