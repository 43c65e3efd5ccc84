"""Checks of problems and variations by the C library: as `kr.problems` has them, bounded, stopped; what it can't do is
an error."""

import ctypes as c
from dataclasses import replace

import library as lib
import pytest
from library import database, engine, library, position_of, tables

import kr
from kr.engine.limits import Limits
from kr.game.value import Value
from kr.problems.changes import ChangeKind
from kr.problems.problem import Problem
from kr.problems.soundness import LineStep, ProblemVerdict, Soundness, check_problem
from kr.problems.variations import candidates, check_variation
from kr.problems.ways import Way
from kr.proofs.certificate import Claim
from kr.proofs.decider import Decider, grounds_of
from kr.storage import data_path

__all__ = ["database", "engine", "tables"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.posix("the library for Windows is built on Linux"),
    pytest.mark.skipif(not lib.BUILD.exists(), reason="the sources of the library are not here"),
]

NODES = 60_000
VALUES = {Value.LOSS: 0, Value.DRAW: 1, Value.WIN: 2, None: 3}
UNDECIDED = list(ProblemVerdict).index(ProblemVerdict.UNDECIDED)
PROBLEMS = {
    # FEN, result, solution, strict
    "sound": ("W:W21,K30:B1,2", "W-win", "", False),
    "cook": ("B:W18,22:BK3,K10", "B-win", "", False),
    "refuted": ("W:W32:BK1,K2", "W-win", "", False),
    "solution that fails": ("W:WK6,K15:B1,K28", "", "15-11", False),
    "line": ("B:WK1,29,30,32:B4,11,12,16,19,23,26,27,28,K31", "", "", True),
    "over": ("W:W:BK1", "draw", "", False),
    "open": ("B:W18,24,27,28,K10,K15:B12,16,20,K22,K25", "draw", "", False),
}


class CProblem(c.Structure):
    _fields_ = [
        ("position", lib.CPosition), ("value", c.c_int), ("strict", c.c_int), ("length", c.c_int),
        ("solution", c.POINTER(lib.CMove)),
    ]  # fmt: skip


class CWay(c.Structure):
    _fields_ = [
        ("move", lib.CMove), ("keeps", c.c_int), ("by", c.c_int), ("positions", c.c_int), ("transposes", c.c_int),
    ]  # fmt: skip


class CStep(c.Structure):
    _fields_ = [
        ("ply", c.c_int), ("number", c.c_int), ("plain", c.c_int), ("count", c.c_int), ("ways", c.POINTER(CWay)),
    ]  # fmt: skip


class CSoundness(c.Structure):
    _fields_ = [
        ("verdict", c.c_int), ("value", c.c_int), ("by", c.c_int), ("positions", c.c_int), ("number", c.c_int),
        ("ended", c.c_int), ("refuted", c.c_int), ("side", c.c_int), ("goal", c.c_int), ("at", lib.CPosition),
        ("way_count", c.c_int), ("ways", c.POINTER(CWay)), ("unsettled_count", c.c_int),
        ("unsettled", c.POINTER(lib.CMove)), ("length", c.c_int), ("of_solution", c.c_int),
        ("line", c.POINTER(lib.CMove)), ("step_count", c.c_int), ("steps", c.POINTER(CStep)), ("full", c.c_int),
        ("rank", c.c_int), ("nodes", c.c_uint64), ("seconds", c.c_double),
    ]  # fmt: skip


class CChange(c.Structure):
    _fields_ = [(name, c.c_uint8) for name in ("kind", "side", "king", "square", "target")] + [
        ("unused", c.c_uint8 * 3)
    ]


class CChanged(c.Structure):
    _fields_ = [("position", lib.CPosition), ("count", c.c_int), ("changes", CChange * 2)]


HEAR = c.CFUNCTYPE(c.c_int, c.POINTER(lib.CProgress), c.c_void_p)


def problem_of(name: str) -> tuple[Problem, bool]:
    fen, result, solution, strict = PROBLEMS[name]
    return Problem(name, "", kr.Position.from_fen(fen), result, solution=solution), strict


def check(
    engine: lib.CEngine, problem: Problem, strict: bool = False, listener: object = None, memory: int = 0,
    **limits: float,
) -> tuple[int, "c._Pointer[CSoundness]"]:  # fmt: skip
    position, moves = problem.position, []
    for text in problem.solution.split():
        move = position.parse_move(text)
        moves.append(lib.CMove(move.origin + 1, move.target + 1, 0, move.captured))
        position = position.play(move)
    given = CProblem(
        position_of(problem.position), VALUES[problem.published], strict, len(moves), (lib.CMove * len(moves))(*moves)
    )
    found = c.POINTER(CSoundness)()
    error = library().kr_check_problem(
        engine.handle, c.byref(given), c.byref(lib.CLimits(**limits)), c.c_size_t(memory),
        HEAR(listener) if listener else None, None, c.byref(found),
    )  # fmt: skip
    return error, found


def text(position: kr.Position, move: lib.CMove) -> str:
    return str(position.find_move(move.origin - 1, move.to - 1, move.captured))


def way(position: kr.Position, each: CWay) -> Way:
    truths = {1: True, 0: False, -1: None}
    by = grounds_of(each.by, each.positions)
    return Way(text(position, each.move), truths[each.keeps], by, truths[each.transposes])


def told(problem: Problem, found: CSoundness) -> Soundness:
    """A verdict as Python has it, but for its words."""
    passed, line = [problem.position], []
    for move in found.line[: found.length]:
        line.append(text(passed[-1], move))
        passed.append(passed[-1].play(line[-1]))
    steps = []
    for step in found.steps[: found.step_count]:
        at = passed[step.ply]
        played, *others = (way(at, each) for each in step.ways[: step.count])
        steps.append(LineStep(step.ply, step.number, at.fen, played, tuple(others), bool(step.plain)))
    about = next((passed[step.ply] for step in steps if step.number == found.number), problem.position)
    return Soundness(
        list(ProblemVerdict)[found.verdict],
        (Value.LOSS, Value.DRAW, Value.WIN, None)[found.value],
        grounds_of(found.by, found.positions),
        move_number=found.number or None,
        unsettled=[text(about, move) for move in found.unsettled[: found.unsettled_count]],
        refutation=Claim.from_bits(bits(found.at), found.side, found.goal) if found.refuted else None,
        keys=[each for each in (way(problem.position, each) for each in found.ways[: found.way_count]) if each.keeps],
        line=line,
        of_solution=found.of_solution,
        steps=steps,
        ended=("", "plain", "over", "repeated", "dual")[found.ended],
        nodes=found.nodes,
    )


def bits(position: lib.CPosition) -> tuple[int, int, int, int]:
    return position.black, position.white, position.kings, position.side


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_verdict_is_that_of_kr(engine: lib.CEngine, name: str) -> None:
    problem, strict = problem_of(name)
    error, found = check(engine, problem, strict, nodes=NODES)
    assert error == lib.OK
    own = kr.Engine(hash_mb=16, database=kr.Database.open(data_path("egdb")))
    expected = check_problem(problem, own, Limits(nodes=NODES), strict)
    words = {"reason": "", "limit": None, "answers": [], "solution": [], "notes": [], "seconds": 0.0}
    assert told(problem, found.contents) == replace(expected, **words)
    assert found.contents.seconds > 0
    library().kr_free_soundness(found)


def test_a_full_memory_leaves_it_open(engine: lib.CEngine) -> None:
    problem, _ = problem_of("open")
    error, found = check(engine, problem, memory=1, seconds=60)
    assert (error, found.contents.full, found.contents.verdict) == (lib.OK, 1, UNDECIDED)
    library().kr_free_soundness(found)


def test_its_listener_ends_it(engine: lib.CEngine) -> None:
    heard = []

    def hear(progress: object, _: object) -> int:
        heard.append(progress.contents.nodes)  # type: ignore[attr-defined]
        assert library().kr_clear(engine.handle) == lib.BUSY
        return len(heard) == 3

    problem, _ = problem_of("open")
    error, found = check(engine, problem, listener=hear)
    assert (error, len(heard), found.contents.nodes) == (lib.OK, 3, heard[-1])
    library().kr_free_soundness(found)
    # a stop is for one call
    _, later = check(engine, problem, nodes=heard[-1] + 1000)
    assert later.contents.nodes > heard[-1]
    library().kr_free_soundness(later)


def test_what_it_refuses(engine: lib.CEngine) -> None:
    problem, _ = problem_of("sound")
    for limits in ({}, {"seconds": -1.0}, {"seconds": float("nan")}):
        assert check(engine, problem, **limits)[0] == lib.BAD_VALUE
    call, found, limits = library().kr_check_problem, c.POINTER(CSoundness)(), c.byref(lib.CLimits(nodes=1000))
    position, move = position_of(problem.position), lib.CMove(1, 5, 0, 0)
    bad = {
        lib.ILLEGAL: [
            CProblem(lib.CPosition(1, 1, 0, 0), 3), CProblem(position, 2, 0, 1, c.pointer(move)),
        ],
        lib.BAD_VALUE: [CProblem(position, -1), CProblem(position, 4), CProblem(position, 2, 0, -1)],
    }  # fmt: skip
    for error, given in bad.items():
        for each in given:
            assert call(engine.handle, c.byref(each), limits, c.c_size_t(0), None, None, c.byref(found)) == error
            assert not found


def vary(engine: lib.CEngine, position: lib.CPosition, wins: int, draws: int) -> tuple[int, "c._Pointer[CSoundness]"]:
    found = c.POINTER(CSoundness)()
    error = library().kr_check_variation(
        engine.handle, c.byref(position), wins, draws, 0, c.byref(lib.CLimits(nodes=NODES)), c.c_size_t(0), None, None,
        c.byref(found),
    )  # fmt: skip
    return error, found


def test_variations_are_those_of_kr(engine: lib.CEngine) -> None:
    root = Problem("", "", kr.Position.from_fen("W:W17,K30:B1,2"))
    positions = c.POINTER(CChanged)()
    count = library().kr_changed_positions(c.byref(position_of(root.position)), 1, 0, c.byref(positions))
    wanted = [each.changed for each in candidates([root])]
    kinds, own = list(ChangeKind), kr.Engine(hash_mb=16, database=kr.Database.open(data_path("egdb")))
    verdicts = set()
    for number, (expected, shown) in enumerate(zip(wanted, positions[:count], strict=True)):
        assert bits(shown.position) == expected.position.bits
        changes = [
            (kinds[each.kind], bool(each.king), each.square - 1, each.target - 1 if each.target else None)
            for each in shown.changes[: shown.count]
        ]
        assert changes == [(each.kind, each.piece.is_king, each.square, each.target) for each in expected.changes]
        if number % 3:
            continue
        error, found = vary(engine, shown.position, 1, 1)
        with Decider(own, Limits(nodes=NODES)) as decider:
            verdict, rank = check_variation(expected.position, (Value.WIN, Value.DRAW), decider)
        told = found.contents.verdict, found.contents.rank, found.contents.nodes
        assert (error, *told) == (lib.OK, list(ProblemVerdict).index(verdict.verdict), rank, decider.nodes)
        verdicts.add((verdict.verdict, rank != 0))
        library().kr_free_soundness(found)
    library().kr_free_positions(positions)
    assert len(verdicts) > 2
    assert (ProblemVerdict.DUAL, True) in verdicts
    assert vary(engine, position_of(root.position), 0, 0)[0] == lib.BAD_VALUE
    for most in (0, 3):
        given = c.byref(position_of(root.position))
        assert library().kr_changed_positions(given, most, 0, c.byref(positions)) == lib.BAD_VALUE
