"""kr as a C library gives what kr gives in Python: rules, searches, scores, values."""

import ctypes as c
import json
import math
import os
import random
import runpy
import shutil
import threading
from itertools import islice, product
from pathlib import Path
from typing import Any

import library as lib
import numpy as np
import pytest
from endings import without
from hypothesis import given
from hypothesis import strategies as st
from library import built, database, library, position_of, tables

import kr
from kr._egdb import VALUE_UNKNOWN
from kr.egdb import slices
from kr.egdb.database import UNKNOWN_VALUE, VALUES
from kr.egdb.sample import random_positions
from kr.errors import InvalidFenError
from kr.evaluation.kinds import load_evaluation
from kr.storage import data_path

__all__ = ["database", "tables"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.posix("the library for Windows is built on Linux"),
    pytest.mark.skipif(not lib.BUILD.exists(), reason="the sources of the library are not here"),
]

HASH = 1 << 20


@pytest.fixture(scope="module")
def own_database() -> kr.Database:
    return kr.Database.open(data_path("egdb"))


def games(count: int, seed: int) -> list[list[kr.Position]]:
    """Random games, each as the positions from the start."""
    source = random.Random(seed)
    found = []
    for _ in range(count):
        game = [kr.Position()]
        while (moves := game[-1].legal_moves()) and len(game) < 150:
            game.append(game[-1].play(source.choice(moves)))
        found.append(game)
    return found


def sampled(count: int, seed: int) -> list[kr.Position]:
    """Positions of random games that aren't over."""
    every = [position for game in games(count // 8, seed) for position in game if not position.is_over]
    return random.Random(seed).sample(every, count)


def test_rules() -> None:
    for position in sampled(1000, 1):
        found = {lib.key(move): lib.text_of(move, position) for move in lib.legal_moves(position)}
        own = {(move.origin, move.target, move.captured): move for move in position.legal_moves()}
        assert found.keys() == own.keys()
        for move in lib.legal_moves(position):
            after = lib.CPosition()
            assert library().kr_play(c.byref(position_of(position)), c.byref(move), c.byref(after)) == lib.OK
            assert (after.black, after.white, after.kings, after.side) == position.play(own[lib.key(move)]).bits
            # of captures by several paths it names one
            assert position.parse_move(found[lib.key(move)]).captured == move.captured
        wrong = lib.CMove(1, 32, 0, 0)
        for call in (library().kr_play, library().kr_path):
            assert call(c.byref(position_of(position)), c.byref(wrong), c.byref(lib.CPosition())) == lib.ILLEGAL


IMPOSSIBLE = [(1, 1, 0, 0), (1, 2, 4, 0), (1 << 31, 2, 0, 0), (2, 1, 0, 0), (0x1FFF, 1 << 20, 0, 0), (1, 1 << 20, 0, 2)]


@pytest.mark.parametrize("bits", IMPOSSIBLE)
def test_impossible_positions_are_refused(bits: tuple[int, ...], database: c.c_void_p) -> None:
    with pytest.raises(InvalidFenError):
        kr.Position(*bits)  # type: ignore[arg-type]
    position, room = c.byref(lib.CPosition(*bits)), c.create_string_buffer(1024)
    engine = lib.CEngine(None, None, HASH)
    assert library().kr_check(position) == lib.ILLEGAL
    assert library().kr_moves(position, room) == lib.ILLEGAL
    assert library().kr_write_fen(position, room) == lib.ILLEGAL
    assert library().kr_value(database, position) == lib.ILLEGAL
    assert library().kr_distance(database, position) == lib.ILLEGAL
    assert library().kr_set_game(engine.handle, position, 1) == lib.ILLEGAL
    assert library().kr_evaluate(engine.handle, position, c.byref(lib.CEvaluation())) == lib.ILLEGAL
    assert library().kr_share_out(engine.handle, position, c.byref(lib.CShares())) == lib.ILLEGAL
    engine.close()


def read_fen(text: str) -> tuple[int, ...] | None:
    """What the library reads; None if it refuses."""
    found = lib.CPosition()
    error = library().kr_read_fen(text.encode(), c.byref(found))
    assert error in (lib.OK, lib.ILLEGAL)
    return None if error else (found.black, found.white, found.kings, found.side)


def test_fen() -> None:
    room = c.create_string_buffer(lib.FEN_BYTES)
    for position in [*sampled(1000, 2), kr.Position(0xFFF, 0xFFF00000, 0xFFF00FFF)]:
        assert library().kr_write_fen(c.byref(position_of(position)), room) == lib.OK
        assert room.value.decode() == position.fen
        assert read_fen(position.fen) == position.bits
        assert read_fen(f" {position.fen.lower().replace(',', ' , ')}. ") == position.bits


@given(st.text("BWK:,. 0123459x-", max_size=30) | st.text(max_size=12))
def test_what_it_reads_as_fen_kr_reads_too(text: str) -> None:
    for each in (text, f"B:W{text}:B1", f"W:B{text}"):
        if "\0" not in each and (found := read_fen(each)) is not None:
            assert kr.Position.from_fen(each).bits == found


NO_FEN = ["", "B", "B:W1", "B:W1:B1", "B:W21:W22", "B:W33:B1", "B:W21,:B1", "B:WK:B1", "X:W21:B1", "B:W21:B1:",
          "B:W21:B1x", "B:W21 22:B1", "B:W21:B32", "B:W" + "1" * 400]  # fmt: skip


@pytest.mark.parametrize("text", NO_FEN)
def test_other_texts_are_no_fen(text: str) -> None:
    assert read_fen(text) is None


@pytest.mark.costly
@pytest.mark.parametrize("number", [50, pytest.param(500, marks=pytest.mark.soak)])
def test_searches_are_those_of_kr(
    tables: c.c_void_p, database: c.c_void_p, own_database: kr.Database, number: int
) -> None:
    """Positions with and without the database, one line, more, or those near the best: nodes, scores, lines."""
    for own, other in ((own_database, database), (None, None)):
        theirs = lib.CEngine(tables, other, HASH)
        ours = kr.Engine(hash_mb=1, database=own)
        for count, position in enumerate(sampled(number, 3)):
            depth, lines = (7, 3) if count % 10 == 0 else (9, 1)
            within = 20 if count % 10 == 5 else None
            result, found = theirs.search([position], depth=depth, lines=lines, within=within or 0)
            expected = ours.search(position, kr.Limits(depth=depth, within=within), multipv=lines)
            assert (result.nodes, result.depth) == (expected.nodes, expected.depth), position.fen
            assert (result.probes, result.hits) == (expected.probes, expected.hits)
            assert found == [
                (line.score, [(move.origin, move.target, move.captured) for move in line.pv]) for line in expected.lines
            ]
        theirs.close()


def test_the_game_so_far_counts(tables: c.c_void_p, database: c.c_void_p, own_database: kr.Database) -> None:
    """Repetitions, and plies without progress, as in Python; a game of more positions than are kept."""
    theirs, ours = lib.CEngine(tables, database, HASH), kr.Engine(hash_mb=1, database=own_database)
    game = [kr.Position.from_fen("B:WK32,29,20:BK1,12,4")]
    for text in ("1-5", "32-28", "5-1", "28-32") * 30:
        game.append(game[-1].play(text))
    for length in (1, 5, 9, 60, 79, 80, 100):
        theirs_result, found = theirs.search(game[:length], nodes=3000)
        expected = ours.search(game[length - 1], kr.Limits(nodes=3000), history=game[: length - 1])
        assert (theirs_result.nodes, found[0][0]) == (expected.nodes, expected.score), length
    assert theirs.search(game * 30, nodes=100)[0].nodes == 100
    theirs.close()


@pytest.mark.costly
def test_static_scores_and_their_shares(tables: c.c_void_p) -> None:
    engine, own = lib.CEngine(tables, None, HASH), kr.Engine(hash_mb=1, database="none")
    manual, own_manual = lib.CEngine(None, None, HASH), kr.Engine("manual", hash_mb=1, database="none")
    shipped = load_evaluation()
    for number, position in enumerate(sampled(600, 4)):
        found = lib.CEvaluation()
        assert library().kr_evaluate(engine.handle, c.byref(position_of(position)), c.byref(found)) == lib.OK
        assert found.score == own.evaluate(position)
        shares = [(share.squares, share.score) for share in found.regions[: found.count]]
        # scores are rounded towards 0
        whole = found.material + found.turn + sum(score for _, score in shares)
        assert found.score == math.trunc(round(whole, 6))
        if number % 30 == 0:
            parts = kr.explain(position, shipped)
            assert [
                (sum(1 << s for s in region.squares), pytest.approx(region.score)) for region in parts.regions
            ] == shares
            assert (parts.material, parts.move) == (pytest.approx(found.material), pytest.approx(found.turn))
            shares = lib.CShares()
            assert library().kr_share_out(engine.handle, c.byref(position_of(position)), c.byref(shares)) == lib.OK
            for piece in parts.pieces:
                assert pytest.approx(piece.place) == shares.places[piece.square]
                assert piece.worth == shares.worths[piece.square]
            assert parts.empty == pytest.approx(shares.empty)
            assert sum(map(bool, shares.worths)) <= position.pieces
        assert library().kr_evaluate(manual.handle, c.byref(position_of(position)), c.byref(found)) == lib.OK
        assert (found.score, found.count) == (own_manual.evaluate(position), 0)
    engine.close()
    manual.close()


@pytest.mark.parametrize("unpacked", [0, 3, 5])
def test_values_and_distances(unpacked: int, own_database: kr.Database) -> None:
    shapes = [shape for pieces in (2, 3, 4, 5) for shape in slices.shapes(pieces)]
    positions = list(islice(random_positions(shapes, random.Random(unpacked)), 1000))
    positions += [position for game in games(30, 5) for position in game[-6:]]
    boards = np.array([position.bits for position in positions], dtype=np.uint32)
    values, distances = own_database.values(boards), own_database.distances(boards)
    values[values == UNKNOWN_VALUE] = VALUE_UNKNOWN
    for opened in lib.open_database(data_path("egdb"), unpacked):
        assert (library().kr_database_pieces(opened), library().kr_distance_pieces(opened)) == (5, 4)
        listed = (lib.CPosition * len(positions))(*map(position_of, positions))
        batch = (c.c_uint8 * len(positions))()
        library().kr_values(opened, listed, batch, c.c_size_t(len(positions)))
        assert list(batch) == list(values)
        for position, value, distance in zip(listed, values, distances, strict=True):
            assert library().kr_value(opened, c.byref(position)) == value
            assert library().kr_distance(opened, c.byref(position)) == distance
    assert {0, 1, 2, 3} == set(values)


def test_a_database_in_two_folders(tmp_path: Path) -> None:
    """A file is taken from the first folder that has it, by kr and by its library."""
    first, second = without(data_path("egdb"), tmp_path / "first", {(4, 1)}), tmp_path / "second"
    second.mkdir()
    for path in data_path("egdb").glob("*.egdb"):
        if not (first / path.name).exists():
            shutil.copy(path, second)
    (second / "wld-1111.egdb").write_bytes(b"another one")
    both = f"{first}{os.pathsep}{second}"
    own = kr.load_database(both)
    assert own is not None
    assert (own.pieces, kr.Database.open(first).pieces) == (5, 4)
    assert own.signature == kr.Database.open(data_path("egdb")).signature
    for opened in lib.open_database(Path(both), 0):
        assert library().kr_database_pieces(opened) == 5
    with pytest.raises(kr.InvalidDatabaseError, match="not a kr endgame database"):
        kr.load_database(f"{second}{os.pathsep}{first}")
    with pytest.raises(kr.InvalidSettingError, match="third: not a directory"):
        kr.load_database(f"{both}{os.pathsep}third")


@pytest.mark.parametrize("left_out", [{(4, 1)}, {(3, 2)}, {(3, 1)}, {(2, 2)}], ids=str)
def test_classes_of_more_pieces(left_out: set[slices.Class], tables: c.c_void_p, tmp_path: Path) -> None:
    """A database with some classes alone of its largest number of pieces."""
    folder = without(data_path("egdb"), tmp_path / "egdb", left_out)
    own = kr.Database.open(folder)
    positions = [
        next(random_positions(slices.shapes(2 + number % 5), random.Random(number))) for number in range(1000)
    ]  # fmt: skip
    for opened in lib.open_database(folder, 5):
        assert library().kr_database_pieces(opened) == own.pieces
        for one, other in product(range(-1, 14), repeat=2):
            has = min(one, other) >= 1 and one + other <= 8 and own.has_class((one, other))
            # a side without pieces has lost
            has |= min(one, other) == 0 and one + other <= own.pieces
            assert library().kr_has_class(opened, one, other) == has, (one, other)
        engine, searcher = lib.CEngine(tables, opened, HASH), kr.Engine(hash_mb=1, database=own)
        for position in positions:
            value = own.value(position)
            known = VALUE_UNKNOWN if value is None else VALUES.index(value)
            assert library().kr_value(opened, c.byref(position_of(position))) == known
        for position in positions[3:200:5] + positions[4:200:5]:
            if not position.is_over:
                searcher.new_game()
                assert library().kr_clear(engine.handle) == lib.OK
                result, lines = engine.search([position], depth=7)
                found = searcher.search(position, kr.Limits(depth=7))
                assert (result.nodes, result.probes, lines[0][0]) == (found.nodes, found.probes, found.score)
        # as with the classes left out
        assert library().kr_limit_database(engine.handle, own.pieces) == lib.OK
        more = next(each for each in positions if each.pieces > own.pieces and own.has(each) and not each.is_over)
        assert engine.search([more], depth=1)[0].value == VALUE_UNKNOWN
        engine.close()


def test_a_listener_hears_each_iteration_and_ends_the_search(tables: c.c_void_p) -> None:
    engine, depths = lib.CEngine(tables, None, HASH), list[int]()

    def hear(result: Any, _: int) -> int:
        assert lib.lines_of(result[0])[0][1]
        depths.append(result[0].depth)
        return int(result[0].depth == 6)

    result, _ = engine.search([kr.Position()], listener=hear)
    assert (depths, result.depth) == ([1, 2, 3, 4, 5, 6], 6)
    engine.close()


def test_stop_ends_a_search_from_another_thread(tables: c.c_void_p) -> None:
    engine = lib.CEngine(tables, None, HASH)
    timer = threading.Timer(0.2, library().kr_stop, [engine.handle])
    timer.start()
    result, lines = engine.search([kr.Position()], seconds=60.0)
    timer.join()
    assert 0.1 < result.seconds < 30
    assert lines[0][1]
    # it counts once, and a new position withdraws it
    library().kr_stop(engine.handle)
    assert engine.search([kr.Position()], nodes=50_000)[0].nodes == 50_000
    library().kr_stop(engine.handle)
    limits, result = lib.CLimits(nodes=500_000), lib.CResult()
    for nodes in (range(1, 5000), range(500_000, 500_001)):
        assert library().kr_search(engine.handle, c.byref(limits), None, None, c.byref(result)) == lib.OK
        assert result.nodes in nodes
    engine.close()


def test_progress(tables: c.c_void_p) -> None:
    """A listener hears what the result has; another thread sees the search go on; none runs before and after."""
    engine, told, seen = lib.CEngine(tables, None, HASH), list[tuple[Any, ...]](), list[tuple[int, int, float]]()

    def progress() -> tuple[int, int, float] | None:
        found = lib.CProgress(-1, 9, 9)
        running = library().kr_progress(engine.handle, c.byref(found))
        figures = found.depth, found.nodes, found.seconds
        assert running in (0, 1)
        assert running or figures == (0, 0, 0)
        return figures if running else None

    def hear(result: Any, _: int) -> int:
        told.append((result[0].depth, result[0].nodes, progress()))
        return 0

    assert progress() is None
    engine.search([kr.Position()], listener=hear, depth=9)
    assert [(depth, nodes) for depth, nodes, _ in told] == [figures[:2] for _, _, figures in told]
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(0.01):
            if figures := progress():
                seen.append(figures)

    watcher = threading.Thread(target=watch)
    watcher.start()
    result, _ = engine.search([kr.Position()], seconds=0.5)
    ended.set()
    watcher.join()
    assert progress() is None
    assert len(seen) > 5
    assert seen == sorted(seen)
    depth, nodes, seconds = seen[-1]
    assert 5 < depth <= result.depth
    assert 1024 < nodes <= result.nodes
    assert 0.1 < seconds < 0.6
    engine.close()


def test_a_listener_may_ask_but_not_change(tables: c.c_void_p, database: c.c_void_p) -> None:
    engine, seen = lib.CEngine(tables, database, HASH), set()

    def hear(result: Any, _: int) -> int:
        position, found = position_of(kr.Position()), lib.CEvaluation()
        assert library().kr_evaluate(engine.handle, c.byref(position), c.byref(found)) == lib.OK
        seen.add(library().kr_set_game(engine.handle, c.byref(position), 1))
        seen.add(library().kr_clear(engine.handle))
        seen.add(library().kr_set_option(engine.handle, b"lmr_depth", 4))
        seen.add(library().kr_limit_database(engine.handle, 3))
        limits = lib.CLimits(depth=2)
        seen.add(library().kr_search(engine.handle, c.byref(limits), None, None, c.byref(lib.CResult())))
        return 0

    nodes = engine.search([kr.Position()], listener=hear, depth=7)[0].nodes
    assert seen == {lib.BUSY}
    assert library().kr_clear(engine.handle) == lib.OK
    assert engine.search([kr.Position()], depth=7)[0].nodes == nodes
    engine.close()


def test_a_limited_database(tables: c.c_void_p, database: c.c_void_p) -> None:
    engine = lib.CEngine(tables, database, HASH)
    position = kr.Position.from_fen("W:WK10,K14,21:BK3,K28")
    assert engine.search([position], nodes=2000)[0].hits > 0
    assert library().kr_limit_database(engine.handle, 0) == lib.OK
    library().kr_clear(engine.handle)
    result, _ = engine.search([position], nodes=2000)
    assert (result.probes, result.hits, result.value) == (0, 0, VALUE_UNKNOWN)
    assert library().kr_limit_database(engine.handle, -1) == lib.BAD_VALUE
    assert library().kr_limit_database(engine.handle, 99) == lib.OK
    assert engine.search([position], nodes=2000)[0].hits > 0
    engine.close()


def test_lines_are_best_first_wherever_a_search_ends(tables: c.c_void_p) -> None:
    """But for the first, the best so far of an iteration that isn't over."""
    for number, position in enumerate(sampled(60, 6)):
        engine = lib.CEngine(tables, None, HASH)
        for nodes in (300, 1000, 3000 + 37 * number):
            scores = [score for score, _ in engine.search([position], nodes=nodes, lines=6)[1]]
            assert scores[1:] == sorted(scores[1:], reverse=True)
        engine.close()


def test_a_table_of_more_bytes_than_there_are() -> None:
    for size in (2**63, 2**64 - 1, 2**62):
        engine = c.c_void_p()
        assert library().kr_open_engine(c.byref(engine), None, None, c.c_size_t(size)) == lib.NO_MEMORY
        assert not engine


def test_the_longest_time_is_kept_whatever_the_options(tables: c.c_void_p) -> None:
    engine = lib.CEngine(tables, None, HASH)
    assert library().kr_set_option(engine.handle, b"unrest", 0) == lib.OK
    assert engine.search([kr.Position()], seconds=0.1, usual_seconds=9.0)[0].seconds < 5
    engine.close()


WRONG_LIMITS = [{}, {"seconds": -1.0}, {"seconds": float("nan")}, {"depth": -1}, {"lines": 65, "depth": 1},
                {"lines": -1, "depth": 1}, {"usual_seconds": -1.0, "depth": 2}]  # fmt: skip


@pytest.mark.parametrize("limits", WRONG_LIMITS)
def test_wrong_limits_are_refused(limits: dict[str, float]) -> None:
    engine = lib.CEngine(None, None, HASH)
    asked = lib.CLimits(**limits)
    assert library().kr_search(engine.handle, c.byref(asked), None, None, c.byref(lib.CResult())) == lib.BAD_VALUE
    engine.close()


def test_options(tables: c.c_void_p) -> None:
    engine, own = lib.CEngine(tables, None, HASH), kr.Engine(hash_mb=1, database="none", options={"lmr_depth": 99})
    for name, value in (("lmr_depth", 1), ("lmr_depth", 100), ("lmr", 3), ("", 1)):
        assert library().kr_set_option(engine.handle, name.encode(), value) == lib.BAD_VALUE
    assert library().kr_set_option(engine.handle, b"lmr_depth", 99) == lib.OK
    assert engine.search([kr.Position()], depth=9)[0].nodes == own.search(kr.Position(), "depth=9").nodes
    # and forgets all of it
    library().kr_clear(engine.handle)
    own.new_game()
    assert engine.search([kr.Position()], depth=9)[0].nodes == own.search(kr.Position(), "depth=9").nodes
    engine.close()


def test_a_lost_position_has_no_line(database: c.c_void_p) -> None:
    engine = lib.CEngine(None, database, HASH)
    assert engine.search([kr.Position.from_fen("W:WK10,K14:BK3")], depth=5)[0].value == 2
    result, lines = engine.search([kr.Position.from_fen("B:WK10,K14:B")], depth=5)
    assert (lines, result.nodes, result.value) == ([], 0, 0)
    engine.close()


@pytest.mark.costly
def test_signature(tables: c.c_void_p) -> None:
    """Node for node the bench of kr, which packaging/check.py runs too, as header and manual have it."""
    signature = library().kr_signature(tables)
    assert signature == runpy.run_path(str(lib.ROOT / "packaging" / "check.py"))["SIGNATURE"]
    for path in (built() / "kr.h", lib.ROOT / "docs" / "reference" / "c-library.md"):
        assert str(signature) in path.read_text()


def test_version_and_errors() -> None:
    assert library().kr_version().decode() == kr.__version__
    texts = [library().kr_error_text(error).decode() for error in range(0, -10, -1)]
    assert texts[-1] == "unknown error"
    assert len(set(texts)) == len(texts)
    assert tuple(bits for bits in kr.Position().bits) == tuple(
        getattr(library().kr_start(), name) for name in ("black", "white", "kings", "side")
    )


def test_facts_of_lines_are_those_of_python(database: c.c_void_p) -> None:
    for case in json.loads(Path(__file__).with_name("cases").joinpath("coach.json").read_text("utf-8")):
        position, lines = kr.Position.from_fen(case["fen"]), []
        for text in (case["played"], case["better"]):
            board = kr.Board(position)
            played = [board.play(word) for word in text.split()]
            moves = [lib.CMove(move.origin + 1, move.target + 1, 0, move.captured) for move in played]
            lines += [(lib.CMove * len(moves))(*moves), len(moves)]
        room = (lib.CFact * 2)()
        known = database if case.get("known") else None
        count = library().kr_line_facts(known, c.byref(position_of(position)), *lines, room)
        told = [[fact.kind.decode(), *(getattr(fact, name) for name in lib.FACT_NUMBERS)] for fact in room[:count]]
        assert told == [[kind, *numbers[:5], numbers[5] + 1, numbers[6] + 1] for kind, *numbers in case["told"]]
    assert library().kr_line_facts(None, c.byref(lib.CPosition(1, 1, 0, 0)), *lines, room) == lib.ILLEGAL
