"""The search against plain exhaustive solving, and its limits, draws, stops and repeatability."""

from __future__ import annotations

import random
import threading
from dataclasses import replace
from functools import cache
from itertools import groupby

import pytest

from kr import Engine, IllegalMoveError, Info, InvalidSettingError, Limits, Move, Position, Side
from kr.engine.options import SEARCH_OPTIONS
from kr.engine.result import SCORE_DECIDED, SCORE_WIN
from kr.proofs import rules as reference

pytestmark = pytest.mark.core


def engine(weights: str, threads: int = 1) -> Engine:
    """An engine without an endgame database."""
    return Engine(weights, hash_mb=1, threads=threads, database=None)


@cache
def plies_to_win(position: Position, depth: int) -> int | None:
    """Plies in which the side to move wins (positive) or loses (negative or 0) by force within `depth`; else None.

    Exhaustive, over the plain reference rules.
    """
    board = reference.from_bits(position.black, position.white, position.kings)
    moves = reference.legal_moves(board, position.side)
    if not moves:
        return 0
    if depth == 0:
        return None
    replies = [plies_to_win(position.play(move), depth - 1) for move in position.legal_moves()]
    wins = [1 - reply for reply in replies if reply is not None and reply <= 0]
    if wins:
        return min(wins)
    if any(reply is None for reply in replies):
        return None
    return -max(1 + reply for reply in replies if reply is not None)


ENDINGS = (
    "W:WK6,K15:BK1",
    "W:WK14,K10:B1",
    "B:W32:BK23,K27",
    "B:W30:B25,K18",
    "W:W13:B6,5",
    "B:W20,19:BK12",
    "W:WK11,K7:BK3",
    "W:W5,K9:B1,K2",
    "W:W9:B1",
)
ENDING_PLIES = 7


@pytest.mark.parametrize("fen", ENDINGS)
@pytest.mark.parametrize(("threads", "options"), [(1, {}), (2, {}), (1, {"singular_depth": 4})])
def test_wins_and_losses_are_those_of_exhaustive_search(fen: str, threads: int, options: dict[str, int]) -> None:
    position = Position.from_fen(fen)
    truth = plies_to_win(position, ENDING_PLIES)
    searched = Engine("material", hash_mb=1, threads=threads, database=None, options=options)
    found = searched.search(position, Limits(depth=ENDING_PLIES + 4))
    if truth is None:
        assert abs(found.score) <= SCORE_DECIDED or SCORE_WIN - abs(found.score) > ENDING_PLIES
    elif truth > 0:
        assert found.score == SCORE_WIN - truth
        assert len(found.pv) == truth
    else:
        assert found.score == -SCORE_WIN - truth


def test_some_endings_are_decided() -> None:
    """The comparison above would say nothing if the exhaustive search decided none of them."""
    truths = [plies_to_win(Position.from_fen(fen), ENDING_PLIES) for fen in ENDINGS]
    assert sum(truth is not None for truth in truths) >= 4


@pytest.mark.parametrize("nodes", [1, 2, 7, 100, 1023, 1024, 1025, 5000])
def test_node_limits_are_exact(nodes: int) -> None:
    found = engine("material").search(Position(), Limits(nodes=nodes))
    assert found.nodes == nodes
    assert found.move in Position().legal_moves()


@pytest.mark.parametrize("threads", [2, 3, 8])
@pytest.mark.parametrize("nodes", [1, 100, 50_000])
def test_node_limits_are_of_all_threads(nodes: int, threads: int) -> None:
    assert engine("material", threads).search(Position(), Limits(nodes=nodes)).nodes <= max(nodes, threads)


@pytest.mark.parametrize("depth", [1, 2, 5, 8])
@pytest.mark.parametrize("threads", [1, 4])
def test_depth_limits_are_exact(depth: int, threads: int) -> None:
    found = engine("manual", threads).search(Position(), Limits(depth=depth))
    assert found.depth == depth


def test_same_search_twice() -> None:
    limits = Limits(nodes=30_000)
    first, second = (engine("manual").search(Position(), limits) for _ in range(2))
    assert (first.move, first.score, first.depth, first.pv) == (second.move, second.score, second.depth, second.pv)


def test_a_new_game_forgets() -> None:
    searcher = engine("manual")
    first = searcher.search(Position(), Limits(nodes=20_000))
    searcher.search(Position().play("11-15"), Limits(nodes=20_000))
    searcher.new_game()
    again = searcher.search(Position(), Limits(nodes=20_000))
    assert (first.move, first.score, first.pv) == (again.move, again.score, again.pv)


def test_infos_grow_and_their_lines_are_legal() -> None:
    infos: list[Info] = []
    found = engine("manual").search(Position(), Limits(depth=9), on_info=infos.append)
    assert [info.depth for info in infos] == list(range(1, 10))
    assert infos[-1].pv == found.pv
    for info in infos:
        position = Position()
        for move in info.pv:
            position = position.play(move)


def test_several_lines_are_distinct_and_ordered() -> None:
    found = engine("manual").search(Position(), Limits(depth=7), multipv=4)
    assert [line.multipv for line in found.lines] == [1, 2, 3, 4]
    assert len({line.pv[0] for line in found.lines}) == 4
    scores = [line.score for line in found.lines]
    assert scores == sorted(scores, reverse=True)
    assert found.move == found.lines[0].pv[0]


def test_lines_of_a_cut_iteration_were_searched_to_their_end() -> None:
    """Except for the first, which is as good as the best move found so far."""
    whole: dict[int, set[tuple[int, tuple[Move, ...]]]] = {}
    engine("manual").search(
        Position(), Limits(depth=8), multipv=3, on_info=lambda i: whole.setdefault(i.depth, set()).add((i.score, i.pv))
    )
    cut = 0
    for nodes in range(500, 9000, 700):
        found = engine("manual").search(Position(), Limits(nodes=nodes), multipv=3)
        assert len({line.pv[0] for line in found.lines}) == len(found.lines) == 3
        for line in found.lines[1:]:
            assert (line.score, line.pv) in whole[found.depth] | whole[found.depth + 1]
        cut += any((line.score, line.pv) not in whole[found.depth] for line in found.lines)
    assert cut > 2


NEAR_TO_THE_BEST = [
    ("", 0), ("", 12), ("", 10_000),
    ("B:W18,22,25,26,28,30,31,32:B1,3,5,8,11,12,13,19", 25), ("W:W21,K30:B1,2", 40), ("W:WK19,K23:B12,K28", 10_000),
]  # fmt: skip


@pytest.mark.parametrize(("fen", "within"), NEAR_TO_THE_BEST)
@pytest.mark.parametrize("limits", [Limits(depth=7), Limits(nodes=1_500), Limits(nodes=7_000)])
def test_moves_near_the_best_have_a_line_each(fen: str, within: int, limits: Limits) -> None:
    position = Position.from_fen(fen) if fen else Position()
    iterations: list[Info] = []
    searcher = engine("manual")
    found = searcher.search(position, replace(limits, within=within), on_info=iterations.append)
    assert len({line.pv[0] for line in found.lines}) == len(found.lines) <= len(position.legal_moves())
    for infos in (found.lines, *_by_depth(iterations)):
        # the first line of a search that was cut short is of a deeper one than the others
        first, *scores = [info.score for info in infos]
        assert scores == sorted(scores, reverse=True)
        assert all(score >= first - within for score in scores)
        assert [info.multipv for info in infos] == list(range(1, len(infos) + 1))
    if within == 10_000 and not fen:
        assert {line.pv[0] for line in found.lines} == set(position.legal_moves())


def _by_depth(infos: list[Info]) -> list[list[Info]]:
    return [list(group) for _, group in groupby(infos, key=lambda info: info.depth)]


def test_scores_near_the_best_are_exact() -> None:
    """Without reductions and cuts they are those of a search of each child alone."""
    options = {name: off for name, (_, _, _, off, _) in SEARCH_OPTIONS.items()}
    for fen, within in NEAR_TO_THE_BEST[:4]:
        position = Position.from_fen(fen) if fen else Position()
        plain = Engine("manual", 1, database=None, options=options)
        near = {line.pv[0]: line.score for line in plain.search(position, Limits(depth=4, within=within)).lines}
        alone = {}
        for move in position.legal_moves():
            plain.new_game()
            alone[move] = -plain.search(position.play(move), Limits(depth=3)).score
        best = max(alone.values())
        assert near == {move: score for move, score in alone.items() if score >= best - within}


def test_more_lines_than_moves() -> None:
    assert len(engine("material").search(Position(), Limits(depth=3), multipv=20).lines) == 7


def test_a_position_that_was_there_before_is_a_draw() -> None:
    """Three kings against one: only the move back to a position of the game scores as a draw."""
    line = [Position.from_fen("W:WK1,K32,K13:BK29")]
    for move in ("1-5", "29-25", "5-1", "25-29"):
        line.append(line[-1].play(move))
    assert line[-1] == line[0]
    searcher = engine("material")
    known = {str(i.pv[0]): i.score for i in searcher.search(line[-1], Limits(depth=3), line[:-1], multipv=20).lines}
    searcher.new_game()
    fresh = {str(i.pv[0]): i.score for i in searcher.search(line[-1], Limits(depth=3), multipv=20).lines}
    assert known["1-5"] == 0
    assert all(score > 100 for move, score in known.items() if move != "1-5")
    assert all(score > 100 for score in fresh.values())


def test_no_progress_is_a_draw() -> None:
    """After 80 plies of king moves nothing is left to win; a capture or a man's move would start the count again."""
    position = Position.from_fen("B:WK1:BK29,K32")
    line = [position]
    for i in range(80):
        line.append(line[-1].play(("29-25", "1-5", "25-29", "5-1")[i % 4]))
    found = engine("material").search(line[-1], Limits(depth=3), history=line[:-1])
    assert found.score == 0
    assert engine("material").search(line[-1], Limits(depth=3)).score != 0


@pytest.mark.parametrize("fade_plies", [1000, 160, 60, 29, 20])
@pytest.mark.parametrize("shuffles", [0, 28])
def test_scores_fade_without_progress(fade_plies: int, shuffles: int) -> None:
    """Each ply without progress takes away its share of the static score, down to nothing."""
    line = [Position.from_fen("W:WK13,K29,K32:BK7")]
    for i in range(shuffles):
        line.append(line[-1].play(("32-27", "7-3", "27-32", "3-7")[i % 4]))
    plain, fading = (
        Engine("material", hash_mb=1, database=None, options={"fade_plies": plies}).search(
            line[-1], Limits(depth=1), history=line[:-1]
        )
        for plies in (0, fade_plies)
    )
    assert plain.score > 100
    # the searched move is a ply without progress too
    faded = plain.score * min(shuffles + 1, fade_plies) // fade_plies
    assert fading.score == plain.score - faded


def test_progress_is_preferred() -> None:
    """A man's move, or a capture, starts the count again: the same position is worth more with it in the line."""
    line = [Position.from_fen("W:W24,K13,K29,K32:BK7")]
    for i in range(28):
        line.append(line[-1].play(("32-27", "7-3", "27-32", "3-7")[i % 4]))
    searcher = Engine("material", hash_mb=1, database=None)
    found = searcher.search(line[-1], Limits(depth=1), history=line[:-1], multipv=20)
    scores = {str(each.pv[0]): each.score for each in found.lines}
    assert scores["24-19"] == max(scores.values()) > scores["13-9"] > 0


PLAIN = Engine("material", 1, database=None)


def plain_quiescence(position: Position, threats: int, ply: int) -> int:
    """Score by material after all captures, one ply of threats, and shots, without any window."""
    moves = position.legal_moves()
    if not moves:
        return ply - SCORE_WIN
    if moves[0].is_capture:
        return max(-plain_quiescence(position.play(move), threats, ply + 1) for move in moves)
    material = int(PLAIN.evaluate(position))
    if threats == 0:
        return material
    if any(
        move.is_capture
        for move in Position(position.black, position.white, position.kings, Side(1 - position.side)).legal_moves()
    ):
        return max(-plain_quiescence(position.play(move), threats - 1, ply + 1) for move in moves)
    shots = [child for child in map(position.play, moves) if is_shot(child)]
    return max([material, *(-plain_quiescence(child, 0, ply + 1) for child in shots)])


def is_shot(position: Position) -> bool:
    """True if the side to move must capture, and each capture allows a larger one."""
    captures = [move for move in position.legal_moves() if move.is_capture]
    for capture in captures:
        answers = position.play(capture).legal_moves()
        if all(answer.captured.bit_count() <= capture.captured.bit_count() for answer in answers):
            return False
    return bool(captures)


def random_positions(seed: int, count: int) -> list[Position]:
    """Positions of random games, ten plies or more from the start."""
    choice = random.Random(seed)
    found: list[Position] = []
    while len(found) < count:
        position = Position()
        for ply in range(choice.randrange(10, 70)):
            moves = position.legal_moves()
            if not moves:
                break
            position = position.play(choice.choice(moves))
            if ply >= 10 and choice.random() < 0.1:
                found.append(position)
    return found[:count]


@pytest.mark.parametrize("seed", range(4))
def test_quiescence_and_shots_beside_a_plain_search(seed: int) -> None:
    options = {"single_reply": 0, "fade_plies": 0, "shot_margin": 1000}
    found = Engine("material", 1, database=None, options=options)
    without = Engine("material", 1, database=None, options=options | {"shot_margin": 0})
    shots = 0
    for position in random_positions(seed, 400):
        if position.is_over:
            continue
        found.new_game()
        score = found.search(position, Limits(depth=1)).score
        assert score == max(-plain_quiescence(position.play(move), 1, 1) for move in position.legal_moves()), position
        without.new_game()
        shots += score != without.search(position, Limits(depth=1)).score
    assert shots


def test_lines_of_earlier_iterations_are_searched_deeper() -> None:
    lengths = {}
    for share in (0, 50, 100):
        found = Engine("material", 1, database=None, options={"line_extension": share})
        infos: list[Info] = []
        found.search(Position(), Limits(depth=12), on_info=infos.append)
        # the first iteration knows no line yet
        lengths[share] = [len(info.pv) for info in infos]
    assert lengths[0][0] == lengths[50][0] == lengths[100][0]
    assert sum(lengths[0]) < sum(lengths[50]) < sum(lengths[100])


def test_a_forced_move_at_once() -> None:
    position = Position.from_fen("W:W17,19,21,22,25,26,27,28,29,31:B2,3,4,9,10,11,13,14,16,20")
    assert len(position.legal_moves()) == 1
    searcher = engine("material")
    assert searcher.search(position, Limits(nodes=10_000), forced_at_once=True).nodes < 1000
    assert searcher.search(position, Limits(nodes=10_000)).nodes == 10_000


@pytest.mark.parametrize("threads", [1, 3])
def test_stop_from_another_thread(threads: int) -> None:
    searcher = engine("manual", threads=threads)
    started = threading.Event()
    results = []
    searching = threading.Thread(
        target=lambda: results.append(searcher.search(Position(), Limits(), on_info=lambda info: started.set()))
    )
    searching.start()
    assert started.wait(60)
    searcher.stop()
    searching.join(60)
    assert not searching.is_alive()
    assert results[0].move in Position().legal_moves()
    assert searcher.search(Position(), Limits(nodes=3000)).nodes == 3000 or threads > 1


def test_an_exception_in_a_listener_ends_the_search() -> None:
    class Enough(Exception):
        pass

    def listener(info: object) -> None:
        raise Enough

    searcher = engine("material")
    with pytest.raises(Enough):
        searcher.search(Position(), Limits(depth=30), on_info=listener)
    assert searcher.search(Position(), Limits(depth=3)).depth == 3


def test_one_search_at_a_time() -> None:
    searcher = engine("material")
    refusals: list[str] = []

    def again(info: object) -> None:
        try:
            searcher.search(Position(), Limits(depth=1))
        except InvalidSettingError as error:
            refusals.append(str(error))

    searcher.search(Position(), Limits(depth=1), on_info=again)
    assert "searching already" in refusals[0]


def test_no_legal_move() -> None:
    with pytest.raises(IllegalMoveError, match="no legal move"):
        Engine("material").search(Position.from_fen("B:W21:B"), Limits(depth=1))
