"""Solving problems: searches and verdicts, answers written down, `kr solve-problem`."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from test_problems import CLASSICS, SHOT, make_problem, write_lines

from kr.cli import main
from kr.egdb.database import load_database
from kr.engine.engine import Engine, engine_from
from kr.engine.limits import Limits
from kr.engine.result import SCORE_PROVED, SCORE_WIN, Info, SearchResult
from kr.errors import InvalidGamesError, InvalidSettingError
from kr.evaluation.verdicts import RULE, likely_if_composed
from kr.game.position import Position
from kr.game.value import Value
from kr.players import engine_work
from kr.policy.policy import load_policy
from kr.problems.natural import natural_mistake
from kr.problems.problem import load_problems, read_problems
from kr.problems.solving import Count, SolveSettings, count_solved, solve, solve_all


class ScriptedEngine:
    """Plays a move with a score at the problem, and has another score for whoever replies."""

    score_scale = 40.0
    database = None

    def __init__(self, move, score, reply_score):
        self.move, self.score, self.reply_score = move, score, reply_score
        self.searched = []

    def new_game(self):
        """Each engine here solves one problem."""

    def search(self, position, limits, history=(), on_info=None, multipv=1, stop=None):
        self.searched.append((position, tuple(history), multipv))
        first = len(self.searched) == 1
        move = position.parse_move(self.move) if first else position.legal_moves()[0]
        score = self.score if first else self.reply_score
        info = Info(3, score, 10, 0.5, (move,))
        value = Value.from_sign(score) if abs(score) > SCORE_PROVED else None
        return SearchResult(move, score, 3, 10, 0.5, (move,), (info,), value)


@pytest.mark.parametrize(
    ("reply_score", "verdict", "agrees"),
    [(-500, "win", True), (-130, "win", True), (-60, None, False), (0, None, False), (500, None, False)],
)
def test_the_position_after_the_best_move_is_searched_as_well(reply_score, verdict, agrees):
    problem = make_problem(result="W-win", first_move="9-14")
    engine = ScriptedEngine("6-1", 500, reply_score)
    solution = solve(problem, engine, Limits(depth=3), multipv=99)
    after = problem.position.play("6-1")
    assert engine.searched == [
        (problem.position, (), len(problem.position.legal_moves())),
        (after, (problem.position,), 1),
    ]
    assert (solution.verdict, solution.agrees) == (verdict, agrees)
    assert (solution.move, solution.pv, solution.nodes) == ("6-1", "6-1", 10)
    assert bool(solution.because) is not agrees


def test_a_win_proved_after_the_best_move_is_proved():
    engine = ScriptedEngine("6-1", 20, 9 - SCORE_WIN)
    solution = solve(make_problem(result="W-win", first_move="9-14"), engine, Limits(depth=3))
    assert (solution.verdict, solution.standing, solution.chance) == ("win", "proved", 1)
    assert (solution.plies, solution.agrees) == (10, True)


# score that both searches end with, verdict, how far it can be relied on, if it solves a problem published as won
VERDICTS = [
    (147, "win", "likely", True),
    (47, None, "unclear", False),
    (0, "draw", "likely", False),
    (-60, None, "unclear", False),
    (-150, "loss", "likely", False),
    (SCORE_WIN - 9, "win", "proved", True),
]


@pytest.mark.parametrize(("score", "verdict", "standing", "agrees"), VERDICTS)
def test_a_verdict_says_what_it_is(score, verdict, standing, agrees):
    engine = ScriptedEngine("9-14", score, -score)
    found = solve(make_problem(result="W-win", first_move="9-14"), engine, Limits(depth=3))
    assert (found.verdict, found.standing, found.agrees) == (verdict, standing, agrees)
    assert found.chance == {"proved": 1, "likely": RULE["chance"], "unclear": None}[standing]
    count = count_solved([found])["win"]
    assert (count.proved, count.likely, count.problems) == (
        agrees * (standing == "proved"),
        agrees * (standing == "likely"),
        1,
    )


def test_a_short_win_is_proved_with_a_line_that_replays():
    problem = make_problem(result="W-win", first_move="9-14")
    solution = solve(problem, Engine("material", 8), Limits(depth=35))
    assert (solution.verdict, solution.agrees, solution.proved) == ("win", True, True)
    position = problem.position
    for text in solution.pv.split():
        position = position.play(text)


def test_a_position_without_moves_is_a_loss():
    problem = make_problem("W:W:B1")
    for result, agrees in (("", None), ("B-win", True), ("W-win", False), ("draw", False)):
        solution = solve(replace(problem, result=result), Engine("material", 1), Limits(depth=1))
        assert (solution.verdict, solution.agrees, solution.move, solution.pv) == ("loss", agrees, "", "")


def test_solutions_do_not_depend_on_concurrency():
    settings = SolveSettings(tc=(Limits(nodes=3000),), weights="material", hash=1 << 20)
    seen = []
    alone = solve_all(CLASSICS[:6], settings, lambda solution, earlier: seen.append(solution))
    together = solve_all(CLASSICS[:6], replace(settings, workers=3))
    assert seen == alone
    assert essence(alone) == essence(together)
    assert [each.problem for each in together] == CLASSICS[:6]


def test_each_search_has_the_threads_asked_for(monkeypatch):
    made = []

    def engine(settings, weights, threads):
        made.append(engine_from(settings, weights, threads))
        return made[-1]

    monkeypatch.setattr(engine_work, "engine_from", engine)
    settings = SolveSettings(tc=(Limits(depth=8),), weights="material", hash=1 << 20, egdb="none", threads=2)
    (solution,) = solve_all(CLASSICS[:1], settings)
    assert (solution.depth, [each.threads for each in made]) == (8, [2])


def test_the_summary_counts_by_kind_and_leaves_out_the_unpublished():
    settings = SolveSettings(tc=(Limits(nodes=1000),), weights="material", hash=1 << 20)
    win, unknown = make_problem(result="W-win"), make_problem()
    lost = make_problem("B:WK1,K2,K3:BK32", result="W-win")
    counts = count_solved(solve_all([win, unknown, lost], settings))
    assert [(kind, count.problems) for kind, count in counts.items()] == [
        ("all", 2),
        ("win", 1),
        ("draw", 0),
        ("loss", 1),
        ("key moves", 0),
        ("disproved", counts["all"].problems - counts["all"].solved),
    ]
    assert counts["all"].solved == counts["win"].solved + counts["loss"].solved
    assert counts["draw"].share == 0


def test_a_result_that_is_proved_to_be_another_is_told_apart():
    solution = solve(make_problem(result="draw"), Engine("material", 8), Limits(depth=35))
    assert (solution.agrees, solution.because) == (False, "published draw, proved win")
    guess = replace(solution, proved=False)
    assert count_solved([solution, guess])["disproved"] == Count(1, 2)


def test_each_limit_is_given_once():
    with pytest.raises(InvalidSettingError, match="each limit once"):
        SolveSettings(tc=2 * (Limits(depth=3),))


class Thinking(ScriptedEngine):
    """Changes its mind from iteration to iteration: moves with scores, a second each."""

    def __init__(self, *thoughts):
        super().__init__(*thoughts[-1], 0)
        self.thoughts = thoughts

    def search(self, position, limits, history=(), on_info=None, multipv=1, stop=None):
        if not self.searched:
            for second, (move, score) in enumerate(self.thoughts[:-1], start=1):
                on_info(Info(second, score, 10, float(second), (position.parse_move(move),)))
        return replace(super().search(position, limits, history, on_info, multipv), time=9.0)


@pytest.mark.parametrize(
    ("thoughts", "move_from", "agrees_from"),
    [
        ([("9-14", 180), ("9-14", 180)], 1, 1),
        ([("9-14", 10), ("6-10", 180), ("9-14", 10), ("9-14", 180), ("9-14", 190)], 3, 4),
        ([("9-14", 180), ("9-14", 10), ("9-14", 180)], 1, 9),
        ([("9-14", 180), ("9-14", 10)], 1, None),
        ([("9-14", 180), ("6-10", 180)], None, None),
        # another move that wins by both searches
        ([("9-14", 180), ("6-10", 180), ("6-1", 180)], 9, 9),
    ],
)
def test_from_when_on_the_answer_was_held(thoughts, move_from, agrees_from):
    engine = Thinking(*thoughts)
    # one of its moves throws the win away
    engine.reply_score = 0 if thoughts[-1][0] == "6-10" else -180
    solution = solve(make_problem(result="W-win", first_move="9-14"), engine, Limits(depth=3))
    assert (solution.move_from, solution.agrees_from) == (move_from, agrees_from)
    assert solution.agrees is (agrees_from is not None)
    assert solution.key_move is (thoughts[-1][0] == "9-14")
    assert count_solved([solution])["key moves"] == Count(int(solution.key_move), 1)


TWO_LIMITS = SolveSettings(tc=(Limits(nodes=300), Limits(nodes=900)), weights="material", hash=1 << 20, egdb="none")


def test_each_limit_has_a_search_of_its_own():
    both = solve_all(CLASSICS[:3], TWO_LIMITS)
    assert [(each.limits.nodes, each.problem) for each in both] == [(n, p) for n in (300, 900) for p in CLASSICS[:3]]
    alone = [solve_all(CLASSICS[:3], replace(TWO_LIMITS, tc=(limits,))) for limits in TWO_LIMITS.tc]
    assert essence(both) == essence(alone[0] + alone[1])


def essence(solutions):
    return [replace(each, time=0, move_from=None, agrees_from=None, processor=None) for each in solutions]


def test_what_is_likely_of_composed_problems_comes_beside_the_verdict(tmp_path):
    settings = replace(TWO_LIMITS, out=tmp_path / "answers.jsonl")
    plain = solve_all(CLASSICS[:9], settings)
    composed = solve_all(CLASSICS[:9], replace(settings, composed=True))
    scale = Engine("material", 1).score_scale
    assert [replace(each, composed=None) for each in composed] == plain
    assert [each.composed for each in composed] == [
        None if each.proved else likely_if_composed(each.score, scale) for each in plain
    ]
    more = [each for each in composed if each.verdict is None and each.composed is not None]
    right = [each for each in more if each.composed.value is each.problem.published]
    assert 0 < len(right) == count_solved(composed)["all"].composed
    assert count_solved(plain)["all"].composed == 0


def test_answers_written_down_are_not_looked_for_again(tmp_path):
    settings = replace(TWO_LIMITS, out=tmp_path / "answers.jsonl")
    first = solve_all(CLASSICS[:3], settings)
    lines = settings.out.read_text().splitlines(keepends=True)
    assert len(lines) == 1 + 6
    settings.out.write_text("".join(lines[:5]))
    seen = []
    again = solve_all(CLASSICS[:3], settings, lambda *told: seen.append(told))
    assert again[:4] == first[:4]
    assert essence(again) == essence(first)
    assert seen == list(zip(again, [True] * 4 + [False] * 2, strict=True))
    # another limit is added to them
    more = solve_all(CLASSICS[:3], replace(settings, tc=(*settings.tc, Limits(nodes=50))))
    assert more[:6] == again
    for change in ({"hash": 2 << 20}, {"weights": "manual"}, {"multipv": 2}, {"threads": 2}):
        with pytest.raises(InvalidSettingError, match="choose another file"):
            solve_all(CLASSICS[:3], replace(settings, **change))
    with pytest.raises(InvalidSettingError, match="choose another file"):
        solve_all(CLASSICS[:4], settings)


@pytest.mark.parametrize(
    "change",
    [{"number": 99}, {"number": -1}, {"number": "0"}, {"id": "other"}, {"limits": "soon"}, {"score": "x"}, {"lines": 7},
     {"lines": [{"score": 1, "pv": 2}]}, {"move": None}, {"extra": 1}, {"chance": "x"}, {"verdict": "won"}],
)  # fmt: skip
def test_a_damaged_answer_is_named(tmp_path, change):
    settings = replace(TWO_LIMITS, out=tmp_path / "answers.jsonl")
    solve_all(CLASSICS[:2], settings)
    lines = settings.out.read_text().splitlines()
    lines[1] = json.dumps(json.loads(lines[1]) | change)
    settings.out.write_text("\n".join(lines) + "\n")
    with pytest.raises(InvalidGamesError, match="line 2 is damaged"):
        solve_all(CLASSICS[:2], settings)


def test_a_text_may_hold_any_character(tmp_path):
    path = tmp_path / "problems.jsonl"
    path.write_text(f'{{"fen": "{SHOT}", "id": "one\u2028two\x85"}}\r\n', encoding="utf-8")
    assert [problem.id for problem in read_problems(path)] == ["one\u2028two"]


# --- kr solve-problem

QUICK = ["--weights", "material", "--tc", "nodes=2000", "--hash", "1MB"]


def test_json_is_one_object(capsys):
    assert main(["solve-problem", "fourth", *QUICK, "--multipv", "2", "--workers", "2", "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    (line,) = captured.out.splitlines()
    found = json.loads(line)
    assert set(found) == {"settings", "problems", "summary"}
    assert found["settings"]["tc"]
    assert [each["id"] for each in found["problems"]] == [each.id for each in load_problems("fourth")]
    for each in found["problems"]:
        position = Position.from_fen(each["fen"])
        assert each["move"] == each["pv"].split()[0]
        assert len(each["lines"]) == 2
        assert isinstance(each["agrees"], bool)
        for text in each["pv"].split():
            position = position.play(text)
    solved = sum(each["agrees"] for each in found["problems"])
    assert found["summary"]["nodes=2000"]["all"]["solved"] == solved
    assert found["summary"]["nodes=2000"]["all"]["problems"] == len(found["problems"])


def test_one_position_is_shown_with_its_board(capsys):
    assert main(["solve-problem", "hundred years", *QUICK]) == 0
    out = capsys.readouterr().out
    assert CLASSICS[0].position.diagram().rpartition("\n")[0] in out
    assert CLASSICS[0].position.fen in out
    for word in ("key move:", "verdict:", "published:", "agrees:"):
        assert word in out


def test_several_limits_are_summed_up_apart(tmp_path, capsys):
    out = str(tmp_path / "answers.jsonl")
    words = ["--weights", "material", "--hash", "1MB", "--tc", "nodes=50", "--tc", "depth=3", "--out", out]
    assert main(["solve-problem", "bowen", *words]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("Bowen") for line in lines) == 2 * len(load_problems("bowen"))
    summed = [line.split(", ")[0].rpartition(" at ")[2] for line in lines if line.startswith("solved ")]
    assert summed == ["nodes=50", "depth=3"]
    assert main(["solve-problem", "pask", "--tc", "nodes=50", "--tc", "nodes=70", *QUICK[:2]]) == 0
    assert capsys.readouterr().out.count("key move:") == 2


def test_a_set_is_a_table_with_a_summary(tmp_path, capsys):
    shot, plain = {"id": "shot", "fen": SHOT, "result": "W-win"}, {"title": "Plain", "fen": "W:WK1:BK32"}
    path = write_lines(tmp_path, shot, plain)
    assert main(["solve-problem", str(path), *QUICK]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:4] == ["problem", "published", "verdict", "score"]
    assert lines[1].startswith("shot")
    assert lines[2].startswith("Plain")
    assert lines[-1].startswith("solved ")
    assert "of 1" in lines[-1]


GOOD_AND_BAD = {
    "x.jsonl": ('{"fen": "W:W21,K30:B1,2", "id": "good"}\n{"fen": "nonsense"}\n[\n', ["x.jsonl:2:", "x.jsonl:3:"]),
    "x.pdn": ('[FEN "W:W99:B1"]\n*\n[Event "good"]\n[FEN "W:W21,K30:B1,2"]\n*\n', ["x.pdn, line 1,"]),
}


@pytest.mark.parametrize("name", GOOD_AND_BAD)
def test_a_bad_problem_does_not_end_the_command(tmp_path, capsys, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    text, places = GOOD_AND_BAD[name]
    Path(name).write_text(text)
    assert main(["solve-problem", name, *QUICK, "--json"]) == 1
    out, err = capsys.readouterr()
    assert [problem["id"] for problem in json.loads(out)["problems"]] == ["good"]
    *lines, last = err.splitlines()
    assert [line.startswith(f"kr: {place}") for line, place in zip(lines, places, strict=True)] == [True] * len(places)
    assert last == f"kr: {len(places)} problem{'s' * (len(places) != 1)} left out"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["nonsense"], 2),
        (["W:W1"], 2),
        (["pask", "--tc", "soon"], 2),
        (["pask", "--multipv", "0", "--weights", "material"], 2),
        (["pask", "--threads", "0"], 2),
        (["--nothing"], 2),
        (["BAD"], 1),
    ],
)
def test_exit_codes_come_with_one_line(tmp_path, capsys, arguments, code):
    path = str(write_lines(tmp_path, "{"))
    assert main(["solve-problem", *(path if each == "BAD" else each for each in arguments)]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1


# --- the natural move


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"keeping_moves": ["19-15"], "result": "draw"}, "22-17 solution This loses a piece: 22-17 27-24 19-15 24-19 "
         "15-10 6x15."),
        # nobody but a search says that it is wrong
        ({"first_move": "19-15", "result": "draw"}, ""),
        ({"keeping_moves": ["19-15"], "result": "draw", "evidence": "searched"}, ""),
        ({}, ""),
    ],
)  # fmt: skip
def test_a_natural_move_that_fails_is_told_where_that_is_certain(fields, told):
    fields = dict(fields)
    evidence = fields.pop("evidence", "")
    problem = replace(make_problem("W:W7,13,19,22:B5,6,12,K27", **fields), evidence=evidence)
    natural = natural_mistake(problem, Engine(hash_mb=16, database=load_database()), load_policy())
    assert (f"{natural.move} {natural.by} {natural.why}" if natural else "") == told


def test_the_command_tells_it_of_one_problem(capsys):
    words = ["solve-problem", "bridge-mcgill", *QUICK]
    assert main(words) == 0
    assert "but not:" in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert problem["natural"].keys() == {"move", "by", "why"}
