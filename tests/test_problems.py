"""Problem positions: the built-in set, problem files, judging."""

import json
from pathlib import Path

import pytest

from kr.errors import InvalidFenError, InvalidPdnError, InvalidProblemError, InvalidSettingError
from kr.game.position import Position
from kr.problems.problem import Problem, classics, judge_answer, load_problems, read_problems, same_move

CLASSICS = classics()
SHARED = Path(__file__).parents[2] / "shared" / "data" / "problems.jsonl"
TWO_KINGS_WIN = "W:WK6,K9:BK15"  # Pask, Key Endings: 9-14, 9-5, 9-13, 6-2 and 6-1 win
SHOT = "W:W32,30:B27,26"  # either capture wins a man


def make_problem(fen=TWO_KINGS_WIN, **fields):
    entry = {"fen": fen, **fields}
    position = Position.from_fen(fen)
    first = entry.get("first_move")
    return Problem(
        id="test",
        title="Test",
        position=position,
        result=entry.get("result", ""),
        first_move=position.parse_move(first) if first else None,
        keeping_moves=tuple(map(position.parse_move, entry.get("keeping_moves", []))),
    )


def write_lines(tmp_path, *lines):
    path = tmp_path / "set.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n")
    return path


# --- the built-in set


def test_the_set_holds_the_article_and_twenty_more():
    ids = [problem.id for problem in CLASSICS]
    assert ids[:3] == ["hundred-years", "phantom-fox-den", "pask"]
    assert len(ids) >= 23
    assert len(set(ids)) == len(ids)
    assert len({problem.position for problem in CLASSICS}) == len(ids)
    assert CLASSICS[0].position == Position.from_fen("W:WK8,10,21,22,32:B2,13,14,28,K31")


@pytest.mark.parametrize("problem", CLASSICS, ids=lambda problem: problem.id)
def test_a_classic_is_complete_and_its_line_replays(problem):
    assert problem.title
    assert problem.source
    assert problem.published in ("win", "draw", "loss")
    assert not problem.position.is_over
    position = problem.position
    for text in problem.solution.split():
        move = position.parse_move(text)
        assert str(move) == text
        position = position.play(move)
    # a won line does not end with the winner to move and stuck
    if position.is_over and problem.result != "draw":
        assert "BW"[position.side.other] == problem.result[0]


@pytest.mark.parametrize("problem", [each for each in CLASSICS if each.keeping_moves], ids=lambda problem: problem.id)
def test_keeping_moves_are_legal_and_hold_the_first_move(problem):
    legal = problem.position.legal_moves()
    assert all(any(same_move(keeping, move) for move in legal) for keeping in problem.keeping_moves)
    if problem.first_move is not None:
        assert any(same_move(problem.first_move, keeping) for keeping in problem.keeping_moves)


# --- finding problems


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("pask", ["pask"]),
        ("PHANTOM fox", ["phantom-fox-den"]),
        ("100 years", ["hundred-years"]),
        ("hundred-years", ["hundred-years"]),
        ("fourth position", ["fourth-position"]),
        ("bowens twins b", ["bowens-twins-black-to-play"]),
    ],
)
def test_names_are_found_in_any_case_and_by_their_beginning(name, ids):
    assert [problem.id for problem in load_problems(name)] == ids


def test_nothing_gives_the_set_and_a_fen_one_problem():
    assert load_problems() == CLASSICS
    (problem,) = load_problems(" b:w18,24,k10:b12,k22. ")
    assert problem.position.fen == "B:WK10,18,24:B12,K22"
    assert problem.published is None


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("no such position", InvalidSettingError),
        ("...", InvalidSettingError),
        ("nofile.jsonl", InvalidSettingError),
        ("W:W21,K33:B1,2", InvalidFenError),
        ("W:" + "x" * 5000, InvalidFenError),
    ],
)
def test_unusable_sources_are_refused(source, error):
    with pytest.raises(error):
        load_problems(source)


def test_files_are_read_with_unknown_keys_and_blank_lines(tmp_path):
    path = write_lines(
        tmp_path,
        {"id": "a", "title": "A", "fen": SHOT, "result": "W-win", "solution": "32x23 26-31", "pieces": 4, "terms": ""},
        "",
        {"fen": "B:W18:B2", "keeping_moves": ["2-7"], "result": ""},
    )
    first, second = load_problems(str(path))
    assert (first.id, first.title, str(first.first_move), first.published) == ("a", "A", "32x23", "win")
    assert (second.id, second.first_move, second.published) == ("line 3", None, None)
    assert [str(move) for move in second.keeping_moves] == ["2-7"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "not JSON"),
        ("[1]", "a line must be a JSON object"),
        ("{}", '"fen" is missing'),
        ('{"fen": 7}', '"fen" must be text'),
        ('{"fen": "W:W33:B1"}', "square"),
        ('{"fen": "W:W32:B1", "result": "won"}', "W-win, B-win, draw"),
        ('{"fen": "W:W32:B1", "first_move": "1-5"}', "White's legal moves are"),
        ('{"fen": "W:W32:B1", "keeping_moves": "32-27"}', "must be a list"),
        ('{"fen": "W:W32:B1", "keeping_moves": ["32-23"]}', "32-23 is not legal"),
    ],
)
def test_a_bad_line_is_named_with_its_number(tmp_path, line, words):
    path = write_lines(tmp_path, {"fen": SHOT}, line)
    with pytest.raises(InvalidProblemError) as caught:
        read_problems(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_empty_or_binary_file_is_refused(tmp_path):
    path = tmp_path / "set.jsonl"
    for content, words in ((b"\n", "no problems"), (b"\xff\xfe\x00", "not a text file")):
        path.write_bytes(content)
        with pytest.raises(InvalidProblemError, match=words):
            load_problems(path)


def test_pdn_games_with_a_fen_are_problems(tmp_path):
    path = tmp_path / "set.pdn"
    path.write_text(
        f'[Event "Shot"]\n[Result "0-1"]\n[FEN "{SHOT}"]\n1. 32x23 0-1\n\n'
        '[Event "Usual start"]\n1. 11-15 *\n\n'
        '[Event "Even"]\n[Result "1/2-1/2"]\n[FEN "B:WK1:BK32"]\n1/2-1/2\n'
    )
    shot, even = load_problems(str(path))
    assert (shot.title, shot.result, shot.published, shot.solution) == ("Shot", "W-win", "win", "32x23")
    assert (even.title, even.published, even.first_move) == ("Even", "draw", None)
    path.write_text('[Event "Usual start"]\n1. 11-15 *\n')
    with pytest.raises(InvalidPdnError, match="no game has a FEN tag"):
        load_problems(path)


@pytest.mark.skipif(not SHARED.exists(), reason="the problem collection is not beside the checkout")
def test_the_problem_collection_is_read():
    problems = load_problems(str(SHARED))
    assert len(problems) == 561
    assert all(problem.published for problem in problems)


# --- judging


# result for White to move, first move, keeping moves, move found, verdict, what judge says
JUDGED = [
    ("", "", "", "9-14", "win", None),
    ("W-win", "9-14", "", "9-14", "win", True),
    ("W-win", "9-14", "", "9-14", "draw", False),
    ("W-win", "9-14", "", "9-14", "loss", False),
    ("W-win", "9-14", "", "9-14", None, False),
    ("W-win", "9-14", "9-14 9-5", "9-5", "win", True),
    ("W-win", "9-14", "9-14 9-5", "6-10", "win", False),
    # the verdict looks at the position after the move as well
    ("W-win", "9-14", "", "6-2", "win", True),
    ("W-win", "", "", "9-14", "win", True),
    ("draw", "9-14", "", "6-2", "draw", True),
    ("draw", "9-14", "", "6-2", "win", False),
    ("draw", "9-14", "9-14", "6-2", "draw", False),
    ("draw", "9-14", "9-14", "9-14", "draw", True),
    ("B-win", "9-14", "9-14", "6-2", "loss", True),
    ("B-win", "", "", "6-2", "draw", False),
]


@pytest.mark.parametrize(("result", "first", "keeping", "found", "said", "agrees"), JUDGED)
def test_judging(result, first, keeping, found, said, agrees):
    problem = make_problem(result=result, first_move=first, keeping_moves=keeping.split())
    solved, because = judge_answer(problem, problem.position.parse_move(found), said)
    assert solved is agrees
    assert bool(because) is (agrees is False)


def test_the_published_result_is_seen_from_the_side_to_move():
    for fen, result, published in (
        ("W:WK1:BK32", "W-win", "win"),
        ("B:WK1:BK32", "W-win", "loss"),
        ("B:WK1:BK32", "B-win", "win"),
        ("B:WK1:BK32", "draw", "draw"),
        ("B:WK1:BK32", "", None),
    ):
        assert make_problem(fen, result=result).published == published
