"""Searching with an endgame database: exact values, root moves that keep them, progress, draws, damage."""

from __future__ import annotations

import random
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from endings import database, endings, positions

from kr import Engine, InvalidDatabaseError, Limits, Position
from kr.egdb.database import Database
from kr.engine.result import SCORE_DECIDED, SCORE_PROVED, SCORE_WIN
from kr.game.position import Move

pytestmark = pytest.mark.core

PIECES = 4
DRAW_MAX = 20
NO_PROGRESS_PLIES = 80


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Up to four pieces, without distances."""
    return database(tmp_path_factory.mktemp("values"), PIECES, 0)


@pytest.fixture(scope="module")
def distances(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Up to four pieces, distances up to three."""
    return database(tmp_path_factory.mktemp("distances"), PIECES, 3)


def engine(known: Database | None, weights: str = "material", threads: int = 1) -> Engine:
    return Engine(weights, hash_mb=1, threads=threads, database=known)


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1, 2, 3, 6])
@pytest.mark.parametrize("threads", [1, 2])
def test_values_are_those_of_the_database(values: Database, depth: int, threads: int) -> None:
    searcher = engine(values, threads=threads)
    for position in islice(positions(depth, PIECES), 60):
        value = endings(PIECES).value(position)
        found = searcher.search(position, Limits(depth=depth))
        assert found.value == value, position.fen
        assert str(found.move) in endings(PIECES).kept(position), position.fen
        if value == "draw":
            assert abs(found.score) <= DRAW_MAX, position.fen
        else:
            assert found.score * value.sign > SCORE_PROVED, position.fen
        assert found.hits <= found.probes


@pytest.mark.parametrize("depth", [1, 4])
def test_known_distances_are_exact_scores(distances: Database, depth: int) -> None:
    searcher = engine(distances)
    for position in islice(positions(7, 3), 60):
        plies = endings(PIECES).distance(position)
        found = searcher.search(position, Limits(depth=depth))
        if plies is not None:
            assert abs(found.score) == SCORE_WIN - plies, position.fen
            assert len(found.pv) == plies, position.fen
            assert end_of(position, found.pv).is_over


def end_of(position: Position, line: tuple[Move, ...]) -> Position:
    for move in line:
        position = position.play(move)
    return position


def test_every_line_has_its_value(values: Database) -> None:
    """Lines that keep the root's value come first; the others follow with their own values."""
    searcher = engine(values)
    mixed = 0
    for position in islice(positions(11, PIECES), 60):
        found = searcher.search(position, Limits(depth=4), multipv=64)
        worth = [-endings(PIECES).value(position.play(line.pv[0])).sign for line in found.lines]
        assert len({line.pv[0] for line in found.lines}) == len(worth)
        assert len(worth) == len({(move.origin, move.target, move.captured) for move in position.legal_moves()})
        assert worth == sorted(worth, reverse=True), position.fen
        for line, value in zip(found.lines, worth, strict=True):
            if value:
                assert line.score * value > SCORE_PROVED, position.fen
            else:
                assert abs(line.score) <= DRAW_MAX, position.fen
        mixed += len(set(worth)) > 1
    assert mixed > 10


def last_stand(position: Position) -> Move:
    """The move after which the opponent's win takes longest."""
    return max(position.legal_moves(), key=lambda move: endings(PIECES).distance(position.play(move)) or 0)


def plies_of_win(winner: Engine, limits: Limits, position: Position) -> int:
    """Win a won position against perfect defence by the rules of the game; returns the plies that it takes."""
    side = position.side
    history: list[Position] = []
    plies = 0
    while not position.is_over:
        won = position.side == side
        move = winner.search(position, limits, history).move if won else last_stand(position)
        progress = move.is_capture or not position.kings >> move.origin & 1
        history = [] if progress else [*history, position]
        assert len(history) < NO_PROGRESS_PLIES, f"{position.fen}: no progress"
        position = position.play(move)
        plies += 1
    assert position.side != side
    return plies


def test_wins_take_the_stated_distance(distances: Database) -> None:
    winner = engine(distances)
    for position in islice(positions(3, 3, value="win"), 40):
        assert plies_of_win(winner, Limits(depth=1), position) == endings(PIECES).distance(position), position.fen


@pytest.mark.parametrize("known", ["values", "distances"])
@pytest.mark.parametrize("weights", ["material", "manual"])
def test_wins_without_distances_make_progress(known: str, weights: str, request: pytest.FixtureRequest) -> None:
    winner = engine(request.getfixturevalue(known), weights)
    for position in islice(positions(5, PIECES, least=4, value="win"), 25):
        winner.new_game()
        plies_of_win(winner, Limits(nodes=15_000), position)


def test_drawn_positions_are_kept(values: Database) -> None:
    """Whatever the opponent plays, a drawn position never becomes a loss, and a win that it gives away is kept."""
    searcher = engine(values)
    source = random.Random(9)
    for position in islice(positions(9, PIECES, least=3, value="draw"), 12):
        side, start = position.side, position
        history: list[Position] = []
        best = "draw"
        for _ in range(24):
            if position.is_over:
                break
            history.append(position)
            if position.side == side:
                move = searcher.search(position, Limits(depth=4), history[:-1]).move
            else:
                move = source.choice(position.legal_moves())
            position = position.play(move)
            value = endings(PIECES).value(position)
            value = value if position.side == side else value.opposite
            assert value == best or (best, value) == ("draw", "win"), start.fen
            best = value


def test_of_draws_the_better_one_is_played(values: Database) -> None:
    """Draw of two kings against a man and a king, which isn't worth the same to both unless pieces are exchanged."""
    up, down = (0, 2, 1, 1), (1, 1, 0, 2)
    for shape, expected in ((up, 1), (down, -1)):
        drawn = list(islice(positions(2, PIECES, value="draw", shapes=[shape]), 30))
        scores = [expected * engine(values).search(position, Limits(depth=5)).score for position in drawn]
        assert 0 <= min(scores) <= max(scores) <= DRAW_MAX
        assert scores.count(0) < 20


def test_draws_are_equal_if_they_are_not_told_apart(values: Database) -> None:
    """The value is kept as before, and all that is drawn scores 0."""
    searcher = Engine("material", hash_mb=1, database=values, options={"draws_apart": 0})
    for position in islice(positions(2, PIECES, value="draw", shapes=[(0, 2, 1, 1), (1, 1, 0, 2)]), 30):
        found = searcher.search(position, Limits(depth=5))
        assert found.score == 0, position.fen
        assert str(found.move) in endings(PIECES).kept(position), position.fen


def forced_into(position: Position) -> str | None:
    """Value of a position all of whose moves are captures into the database; None for any other."""
    after = [position.play(move) for move in position.legal_moves() if move.is_capture]
    if not after or max(each.pieces for each in after) > PIECES:
        return None
    return max((endings(PIECES).value(each).opposite for each in after), key=lambda value: value.sign)


@pytest.mark.parametrize(
    ("fen", "line"),
    [
        ("W:WK1,K32,K13:BK29", ("1-5", "29-25", "5-1", "25-29")),
        ("B:WK32:BK18,K22,K14", ("18-15", "32-28", "15-18", "28-32")),
    ],
)
def test_repetition_goes_before_the_database(values: Database, fen: str, line: tuple[str, ...]) -> None:
    history = [Position.from_fen(fen)]
    for move in line:
        history.append(history[-1].play(move))
    assert history[-1] == history[0]
    found = engine(values).search(history[-1], Limits(depth=2), history[:-1], multipv=64)
    scores = {str(info.pv[0]): info.score for info in found.lines}
    assert scores[line[0]] == 0
    assert found.score > SCORE_PROVED


def to_and_fro(position: Position) -> list[Position]:
    """Four plies of king moves that return to the position, beginning with it; empty if there are none."""
    moves = []
    reached = position
    for _ in range(2):
        kings = [move for move in reached.legal_moves() if not move.is_capture and reached.kings >> move.origin & 1]
        if not kings:
            return []
        moves.append(kings[0])
        reached = reached.play(kings[0])
    line = [position]
    for square, target in [(move.origin, move.target) for move in moves] + [(m.target, m.origin) for m in moves]:
        found = [m for m in line[-1].legal_moves() if not m.is_capture and (m.origin, m.target) == (square, target)]
        if not found:
            return []
        line.append(line[-1].play(found[0]))
    return line[:-1] if line[-1] == position else []


def test_near_the_draw_by_rule_a_win_is_made_safe(distances: Database) -> None:
    """A long win is not a win if the draw after 80 plies without progress comes first: progress is needed now."""
    searcher = engine(distances)
    late = 0
    for position in positions(23, 3, least=3, value="win"):
        stated = endings(PIECES).distance(position) or 0
        line = to_and_fro(position)
        keeping = [move for move in position.legal_moves() if str(move) in endings(PIECES).kept(position)]
        safe = [str(move) for move in keeping if not position.kings >> move.origin & 1]
        if not line or stated < 20 or not safe:
            continue
        history = line * 19
        assert searcher.search(position, Limits(depth=6)).score == SCORE_WIN - stated
        found = searcher.search(position, Limits(depth=6), history)
        assert found.score > SCORE_PROVED, position.fen
        assert str(found.move) in safe, position.fen
        late += 1
        if late == 10:
            break
    # within the rest of the game nothing can be won any more
    position = Position.from_fen("B:WK1:BK29,K32")
    history = [position]
    for i in range(80):
        history.append(history[-1].play(("29-25", "1-5", "25-29", "5-1")[i % 4]))
    assert searcher.search(history[-1], Limits(depth=3), history[:-1]).score == 0


@pytest.mark.parametrize("weights", ["material", "manual"])
def test_values_ahead_decide_the_score(values: Database, weights: str) -> None:
    """The board has more pieces than the database, and every move is a capture into it."""
    searcher = engine(values, weights)
    seen = Counter[str]()
    for position in islice(positions(17, PIECES + 2, least=PIECES + 1), 3000):
        if (value := forced_into(position)) is None:
            continue
        seen[value] += 1
        found = searcher.search(position, Limits(depth=3))
        if value == "draw":
            assert abs(found.score) <= DRAW_MAX, position.fen
            assert found.value is None
        else:
            assert found.score * value.sign > SCORE_PROVED, position.fen
            assert found.value == value
        assert endings(PIECES).value(position.play(found.move)).opposite is value, position.fen
    assert len(seen) == 3
    assert min(seen.values()) > 10


def test_no_database_is_the_search_as_it_was() -> None:
    found = engine(None).search(Position.from_fen("W:W18,30,K9:B22,25"), Limits(depth=6))
    assert found.probes == found.hits == 0
    assert found.value is None or abs(found.score) > SCORE_DECIDED


@pytest.mark.parametrize("nodes", [1, 2, 3, 10])
def test_the_shortest_search_throws_nothing_away(values: Database, nodes: int) -> None:
    searcher = engine(values)
    for position in islice(positions(13, PIECES), 80):
        found = searcher.search(position, Limits(nodes=nodes))
        assert found.nodes == nodes or abs(found.score) > SCORE_DECIDED
        assert str(found.move) in endings(PIECES).kept(position)


def test_infos_count_probes(values: Database) -> None:
    infos = []
    found = engine(values, "manual").search(
        Position.from_fen("W:W18,30,K9:B22,12,K3"), Limits(depth=9), on_info=infos.append
    )
    counts = [info.probes for info in infos]
    assert counts == sorted(counts)
    assert counts[-1] == found.probes > 0


def test_a_damaged_database_is_named(values: Database, tmp_path: Path) -> None:
    for path in values.directory.glob("*.egdb"):
        content = bytearray(path.read_bytes())
        if "0202" in path.name:
            content[-200] ^= 0xFF
        (tmp_path / path.name).write_bytes(content)
    searcher = engine(Database.open(tmp_path, unpack_bytes=0))
    with pytest.raises(InvalidDatabaseError, match=r"wld-0202\.egdb.*damaged"):
        searcher.search(Position.from_fen("B:WK5,K9:BK22,K23"), Limits(depth=6))
