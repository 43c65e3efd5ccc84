"""Kinds of evaluations: what each keeps from ply to ply, their files, and a kind that only this file knows."""

from __future__ import annotations

import json
import random
import weakref
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from champions import a_run
from tables import random_weights

from kr import Engine, InvalidWeightsError, Position, _core, storage
from kr.cli import main
from kr.engine.limits import Limits
from kr.evaluation import files, kinds, squares, weights
from kr.evaluation.chances import format_score
from kr.evaluation.kinds import BuiltIn, Evaluation, FileEvaluation
from kr.evaluation.layouts import LAYOUTS
from kr.evaluation.patterns import KINGS_BASE, KINGS_ENTRIES, MEN_BASE, MEN_ENTRIES, Region
from kr.evaluation.regions import Regions
from kr.evaluation.squares import Squares
from kr.game.position import Move
from kr.learn.selfplay import SelfplaySettings, selfplay
from kr.match.match import MatchSettings, play_match
from kr.policy.policy import load_policy

LAYOUT = LAYOUTS["small"]


def random_table(seed: int = 1) -> np.ndarray:
    """A piece-square table: a man is worth about a hundred centi-men, a king more."""
    chance = np.random.default_rng(seed)
    return (chance.integers(-500, 500, squares.SHAPE) + np.array([1600, 2200])[:, None, None]).astype(np.int16)


# --- memory


def random_game(seed: int) -> tuple[list[Position], list[Move]]:
    """The positions of a game of random moves, and its moves."""
    chance = random.Random(seed)
    positions, moves = [Position()], []
    while not positions[-1].is_over and len(moves) < 120:
        moves.append(chance.choice(positions[-1].legal_moves()))
        positions.append(positions[-1].play(moves[-1]))
    return positions, moves


GAMES = [random_game(seed) for seed in range(40)]
EVALUATIONS: dict[str, Evaluation] = {
    **{name: kinds.load_evaluation(name) for name in kinds.built_in()},
    "regions": Regions(random_weights("small")),
    "squares": Squares(random_table()),
    "evolved": a_run().champion(),
}


def test_the_games_show_every_kind_of_move() -> None:
    shown = {
        (
            len(positions) % 2,
            move.captured.bit_count() > 1,
            before.kings != after.kings,
            before.kings >> move.origin & 1,
        )
        for positions, moves in GAMES
        for before, move, after in zip(positions, moves, positions[1:], strict=False)
    }
    assert {many for _, many, _, _ in shown} == {king for *_, king in shown} == {False, True}
    assert any(many and crowned and not king for _, many, crowned, king in shown)


@pytest.mark.core
@pytest.mark.parametrize("name", _core.EVALUATORS)
def test_memory_gives_the_scores_of_each_position_by_itself(name: str) -> None:
    evaluation = EVALUATIONS[name]
    for positions, moves in GAMES:
        for start in (0, len(moves) // 2):
            line = [(move.origin, move.target, move.captured) for move in moves[start:]]
            expected = [evaluation.score(position) for position in positions[start + 1 :]]
            assert evaluation.core.evaluate_line(positions[start].bits, line) == expected


def as_region(table: np.ndarray, region: Region, fresh: set[int], base: int) -> np.ndarray:
    """The table of a region that says what a piece-square table says of some of its squares."""
    entries = np.arange(base ** len(region))
    found = np.zeros((len(entries), 2), dtype=int)
    for i, square in enumerate(region):
        if square in fresh:
            man, king = table[:, square].astype(int)
            foe_man, foe_king = table[:, 31 - square].astype(int)
            found += np.array([0 * man, man, -foe_man, king, -foe_king])[entries // base**i % base]
    return found.astype(np.int16)


def as_regions(table: np.ndarray, path: Path) -> Path:
    """The evaluation of a piece-square table as region tables: each square counts in the first region that has it."""
    tables = []
    for regions, base, size in ((LAYOUT.men, MEN_BASE, MEN_ENTRIES), (LAYOUT.kings, KINGS_BASE, KINGS_ENTRIES)):
        made, seen = np.zeros((len(regions), size, 2), dtype=np.int16), set[int]()
        for r, region in enumerate(regions):
            made[r] = as_region(table, region, set(region) - seen, base)
            seen |= set(region)
        tables.append(made)
    material = np.zeros((3, 2), dtype=np.int32)
    weights.save_tables(path, LAYOUT, *tables, material, material, attrs={})
    return path


SEARCHED = [
    "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
    "W:W32,31,30,28,27,25,24,22,21:B12,10,8,7,6,5,4,3,1",
    "B:W18,22,24,27,K5:B3,7,12,K29,20",
    "W:W6,9,13,K30:B19,22,27,K2",
    "B:WK18,K22,31:BK1,K5,21,25",
]


@pytest.mark.slow
@pytest.mark.core
def test_a_search_with_memory_is_that_without(tmp_path: Path) -> None:
    """Node for node: the same scores as region tables, which keep nothing."""
    squares.save_squares(tmp_path / "squares.h5", random_table(), {})
    with_memory = Engine(tmp_path / "squares.h5", hash_mb=1, database=None)
    without = Engine(as_regions(random_table(), tmp_path / "regions.h5"), hash_mb=1, database=None)
    for fen in SEARCHED:
        position = Position.from_fen(fen)
        found, expected = (engine.search(position, "depth=9") for engine in (with_memory, without))
        assert found.nodes > 1000
        assert (found.nodes, found.score, found.pv) == (expected.nodes, expected.score, expected.pv), fen


def test_a_table_of_another_shape_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="shape"):
        _core.EVALUATORS["squares"](random_table()[:, :31].copy())
    with pytest.raises(InvalidWeightsError, match=r"int16 \(2, 31, 2\); expected"):
        squares.save_squares(tmp_path / "bad.h5", random_table()[:, :31], {})


# --- files


def test_a_file_of_another_kind_reads_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.h5"
    checksum = squares.save_squares(path, random_table(), {"seed": "7", "centimen_per_logit": 61.0})
    made = kinds.load_evaluation(path)
    assert isinstance(made, Squares)
    assert (made.table == random_table()).all()
    assert (made.name, made.signature, made.scale, made.attrs["seed"]) == ("mine", checksum, 61.0, "7")
    engine = Engine(path, hash_mb=1)
    assert (engine.name, engine.signature, engine.score_scale) == ("mine", checksum, 61.0)
    assert main(["weights", "show", str(path), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["weights"], shown["checksum"], shown["seed"]) == (str(path), checksum, "7")
    assert main(["weights", "show", str(path)]) == 0
    assert checksum in capsys.readouterr().out
    with pytest.raises(InvalidWeightsError, match="of the kind 'squares'; expected region tables"):
        weights.load_tables(path)


def edited(path: Path, **attributes: Any) -> None:
    with h5py.File(path, "r+") as file:
        for name, value in attributes.items():
            file.attrs[name] = value
        covered = {name: value for name, value in file.attrs.items() if name not in files._HEADER}
        file.attrs["attributes_checksum"] = files._attributes_checksum(covered)


@pytest.mark.parametrize(
    ("attributes", "said"),
    [
        ({"evaluation": "tree"}, "weights of the kind 'tree'; this kr has regions, squares, evolved$"),
        ({"evaluation": "manual"}, "weights of the kind 'manual'; this kr has regions, squares, evolved$"),
        ({"evaluation": "\n" * 999}, r"weights of the kind '(\\n){19}.?; this kr has"),
        ({"evaluation": 3}, "attribute evaluation is not text"),
        ({"evaluation": "regions"}, "attribute layout is missing"),
        ({"checksum": "0"}, "do not match their checksum"),
        ({"centimen_per_logit": 0}, "centimen_per_logit is 0"),
    ],
)
def test_a_wrong_header_is_refused(tmp_path: Path, attributes: dict[str, Any], said: str) -> None:
    squares.save_squares(tmp_path / "mine.h5", random_table(), {})
    edited(tmp_path / "mine.h5", **attributes)
    with pytest.raises(InvalidWeightsError, match=said) as caught:
        kinds.load_evaluation(tmp_path / "mine.h5")
    assert str(tmp_path / "mine.h5") in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_a_file_that_names_no_evaluation(tmp_path: Path) -> None:
    """Only the versions before any other kind may leave it out."""
    squares.save_squares(tmp_path / "mine.h5", random_table(), {})
    with h5py.File(tmp_path / "mine.h5", "r+") as file:
        del file.attrs["evaluation"]
    edited(tmp_path / "mine.h5")
    with pytest.raises(InvalidWeightsError, match="attribute evaluation is missing"):
        kinds.load_evaluation(tmp_path / "mine.h5")
    made = random_weights("small")
    weights.save_tables(
        tmp_path / "old.h5", LAYOUT, made.men_table, made.kings_table, made.men_material, made.kings_material, attrs={}
    )
    with h5py.File(tmp_path / "old.h5", "r+") as file:
        del file.attrs["evaluation"]
        file.attrs["attributes_checksum"] = files._attributes_checksum({})
    assert isinstance(kinds.load_evaluation(tmp_path / "old.h5"), Regions)


@pytest.mark.slow
def test_an_older_kr_reads_region_tables(tmp_path: Path) -> None:
    """By its own rules: version 2, and all attributes but those of its header under their checksum."""
    header = {"kind", "format_version", "layout", "parts", "checksum", "attributes_checksum"}
    path = as_regions(random_table(), tmp_path / "regions.h5")
    with h5py.File(path) as file:
        assert header < set(file.attrs)
        assert file.attrs["format_version"] == 2
        others = {name: value for name, value in file.attrs.items() if name not in header}
        assert file.attrs["attributes_checksum"] == storage.checksum(json.dumps(others, sort_keys=True).encode())


@pytest.mark.parametrize("fen", SEARCHED)
def test_a_piece_square_score_is_shared_out(fen: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = Squares(random_table())
    found = kinds.explain(Position.from_fen(fen), made)
    total = sum((piece.material or 0.0) + (piece.place or 0.0) for piece in found.pieces)
    assert found.rounding is not None
    assert total + found.rounding == pytest.approx(found.score)
    assert abs(found.rounding) < 1
    squares.save_squares(tmp_path / "mine.h5", random_table(), {})
    assert main(["explain", fen, "--weights", str(tmp_path / "mine.h5")]) == 0
    out = capsys.readouterr().out
    assert f"static score {format_score(found.score)} (mine)" in " ".join(out.split())
    said, _, shown = out.partition("sum")[2].partition("\n\n")[0].strip().rpartition("static score")
    assert sum(float(line.split()[-1]) for line in said.splitlines()[1:]) == pytest.approx(float(shown), abs=0.03)


# --- a kind that is registered here


class Advance(BuiltIn):
    """Men, the better the further they are; a kind in Python over a kind of the core."""

    name = "advance"
    scale = 70.0
    about = "men that go forward"

    def evaluator(self) -> _core.Evaluator:
        table = np.zeros(squares.SHAPE, dtype=np.int16)
        table[0] = (1600 + 80 * (np.arange(32) // 4))[:, None]
        table[1] = 2400
        return _core.EVALUATORS["squares"](table)


KIND = Advance


@pytest.fixture
def advance(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(kinds.EVALUATION_KINDS, Advance.name, __name__)
    return Advance.name


def test_whoever_takes_weights_takes_a_registered_kind(
    advance: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert advance in kinds.built_in()
    engine = Engine(advance, hash_mb=1)
    assert (engine.name, engine.signature, engine.score_scale) == (advance, advance, 70.0)
    assert engine.evaluate(Position.from_fen("B:W25:B9")) == 5
    assert engine.search(Position(), "depth=5").depth == 5
    result = play_match(MatchSettings(advance, "material", games=2, tc=Limits(nodes=200), hash=1 << 20))
    assert (result.names, result.tally.games) == ((advance, "material"), 2)
    tally = selfplay(SelfplaySettings(games=2, out=tmp_path / "games", nodes=100, workers=1, weights=advance))
    assert tally.played == 2
    for line, said in (
        (["weights", "show", advance], "men that go forward"),
        (["explain", "--weights", advance], f"({advance})"),
        (["analyze", "--tc", "depth=3", "--weights", advance], "depth"),
        (["bench", "--depth", "3", "--weights", advance], f"({advance}, depth 3)"),
    ):
        assert main(line) == 0
        assert said in " ".join(capsys.readouterr().out.split())


def test_no_other_kind_is_asked_for(advance: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is no registered kind is a file."""
    monkeypatch.delitem(kinds.EVALUATION_KINDS, advance)
    with pytest.raises(InvalidWeightsError, match="no such weights file"):
        Engine(advance)


@pytest.mark.parametrize("name", kinds.EVALUATION_KINDS)
def test_every_kind_is_at_home(name: str) -> None:
    kind = kinds.evaluation_kind(name)
    assert issubclass(kind, BuiltIn | FileEvaluation)
    assert (name in kinds.built_in()) == issubclass(kind, BuiltIn)
    assert EVALUATIONS[name].signature
    assert EVALUATIONS[name].scale > 0
    assert type(EVALUATIONS[name]) is kind
    assert type(EVALUATIONS[name].core) is _core.EVALUATORS[name]


TAKES_WEIGHTS = (
    *("analyze", "annotate", "bench", "dxp listen", "explain", "hub", "match", "play", "selfplay"),
    *("solve-problem", "train", "weights show"),
)


@pytest.mark.parametrize("command", TAKES_WEIGHTS)
def test_help_names_what_needs_no_file(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command.split(), "--help"]) == 0
    shown = capsys.readouterr().out
    assert [name for name in kinds.built_in() if name not in shown] == []


# --- engines share it


def test_engines_read_an_unchanged_file_once(tmp_path: Path) -> None:
    path = tmp_path / "mine.h5"
    squares.save_squares(path, random_table(), {})
    first, second = Engine(path, hash_mb=1, database=None), Engine(path, hash_mb=1, database=None)
    assert first._scorer is second._scorer
    loaded = kinds.load_evaluation(path)
    assert loaded.core is first._scorer.core
    squares.save_squares(path, random_table(2), {})
    third = Engine(path, hash_mb=1, database=None)
    assert third.evaluate(GAMES[0][0][9]) != first.evaluate(GAMES[0][0][9])
    assert third.signature != first.signature == second.signature


def test_a_policy_does_not_read_the_tables_of_an_engine_again(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(hash_mb=1, database=None)
    reads: list[Any] = []
    monkeypatch.setattr(kinds, "load_file", reads.append)
    assert load_policy().eyes is engine._scorer
    assert not reads


def test_what_no_engine_uses_is_let_go(tmp_path: Path) -> None:
    path = tmp_path / "mine.h5"
    squares.save_squares(path, random_table(), {})
    engine = Engine(path, hash_mb=1, database=None)
    used = weakref.ref(engine._scorer)
    again = Engine(path, hash_mb=1, database=None)
    del engine
    assert used() is again._scorer
    del again
    assert used() is None


@pytest.mark.core
def test_threads_that_share_an_evaluation_find_what_each_finds_alone(tmp_path: Path) -> None:
    path = tmp_path / "mine.h5"
    squares.save_squares(path, random_table(), {})
    positions = [Position.from_fen(fen) for fen in SEARCHED]
    alone = [Engine(path, hash_mb=1, database=None).search(position, "depth=8") for position in positions]
    engines = [Engine(path, hash_mb=1, database=None) for _ in positions]
    together = [engine.start(position, "depth=8") for engine, position in zip(engines, positions, strict=True)]
    for search, expected in zip(together, alone, strict=True):
        found = search.result(20)
        assert (found.nodes, found.score, found.pv) == (expected.nodes, expected.score, expected.pv)
