"""Kinds of evaluations: their files, and a kind that only this file knows."""

from __future__ import annotations

import json
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import h5py
import pytest
from champions import a_run
from playouts import positions, random_game
from tables import random_weights, save_random

from kr import Engine, InvalidWeightsError, Position, _core, storage
from kr.cli import main
from kr.engine.limits import Limits
from kr.evaluation import files, kinds, weights
from kr.evaluation.evolved import EVOLVED_SCALE, Evolved, save_champions
from kr.evaluation.kinds import BuiltIn, Evaluation, FileEvaluation
from kr.evaluation.regions import Regions
from kr.learn.selfplay import SelfplaySettings, selfplay
from kr.match.match import play_match
from kr.match.settings import MatchSettings
from kr.policy.policy import load_policy


def save_network(path: Path, seed: int = 1, **attrs: Any) -> None:
    """Write a small weights file."""
    save_champions(path, [a_run(generations=(seed,))], attrs)


EVALUATIONS: dict[str, Evaluation] = {
    **{name: kinds.load_evaluation(name) for name in kinds.built_in()},
    "regions": Regions(random_weights("small")),
    "evolved": a_run().champion(),
}


SEARCHED = [
    "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
    "W:W32,31,30,28,27,25,24,22,21:B12,10,8,7,6,5,4,3,1",
    "B:W18,22,24,27,K5:B3,7,12,K29,20",
    "W:W6,9,13,K30:B19,22,27,K2",
    "B:WK18,K22,31:BK1,K5,21,25",
]


# --- files


class ImpatientLock:
    """A lock that one thread may take again, and that gives up where a wait has no end."""

    def __init__(self) -> None:
        self.lock = threading.RLock()

    def __enter__(self) -> None:
        assert self.lock.acquire(timeout=5)

    def __exit__(self, *error: object) -> None:
        self.lock.release()


def test_two_threads_that_load_wait_for_no_lock_of_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One loads the file of an evaluation while another asks for the scorer of one that is loaded."""
    path = tmp_path / "mine.h5"
    save_network(path)
    is_asking = threading.Event()

    class Asked(Evolved):
        @property
        def name(self) -> str:  # type: ignore[override]
            is_asking.set()
            return "asked"

    asked = a_run(generations=(2,)).champion()
    asked.__class__ = Asked
    load = kinds._named_evaluation

    with ThreadPoolExecutor(1) as pool:
        answers = []

        def loads(name: str) -> Evaluation:
            answers.append(pool.submit(lambda: asked.scorer))
            assert is_asking.wait(60)
            return load(name)

        monkeypatch.setattr(kinds, "_loading", ImpatientLock())
        monkeypatch.setattr(kinds, "_named_evaluation", loads)
        scorer = kinds.load_scorer(path)
        assert (scorer.name, answers[0].result().name) == ("mine", "asked")


def test_a_file_of_another_kind_reads_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.h5"
    save_network(path, source="7")
    made = kinds.load_evaluation(path)
    assert isinstance(made, Evolved)
    assert (made.name, made.scale, made.attrs["source"]) == ("mine", EVOLVED_SCALE, "7")
    engine = Engine(path, hash_mb=1)
    assert (engine.name, engine.signature, engine.score_scale) == ("mine", made.signature, made.scale)
    assert main(["weights", "show", str(path), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["weights"], shown["checksum"], shown["source"]) == (str(path), made.signature, "7")
    assert main(["weights", "show", str(path)]) == 0
    assert made.signature in capsys.readouterr().out
    with pytest.raises(InvalidWeightsError, match="of the kind 'evolved'; expected region tables"):
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
        ({"evaluation": "tree"}, "weights of the kind 'tree'; this kr has regions, evolved$"),
        ({"evaluation": "manual"}, "weights of the kind 'manual'; this kr has regions, evolved$"),
        ({"evaluation": "\n" * 999}, r"weights of the kind '(\\n){19}.?; this kr has"),
        ({"evaluation": 3}, "attribute evaluation is not text"),
        ({"evaluation": "regions"}, "attribute layout is missing"),
        ({"checksum": "0"}, "do not match their checksum"),
        ({"centimen_per_logit": 0}, "centimen_per_logit is 0"),
    ],
)
def test_a_wrong_header_is_refused(tmp_path: Path, attributes: dict[str, Any], said: str) -> None:
    save_network(tmp_path / "mine.h5")
    edited(tmp_path / "mine.h5", **attributes)
    with pytest.raises(InvalidWeightsError, match=said) as caught:
        kinds.load_evaluation(tmp_path / "mine.h5")
    assert str(tmp_path / "mine.h5") in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_a_file_that_names_no_evaluation(tmp_path: Path) -> None:
    """Only the versions before any other kind may leave it out."""
    save_network(tmp_path / "mine.h5")
    with h5py.File(tmp_path / "mine.h5", "r+") as file:
        del file.attrs["evaluation"]
    edited(tmp_path / "mine.h5")
    with pytest.raises(InvalidWeightsError, match="attribute evaluation is missing"):
        kinds.load_evaluation(tmp_path / "mine.h5")
    save_random(tmp_path / "old.h5")
    with h5py.File(tmp_path / "old.h5", "r+") as file:
        del file.attrs["evaluation"]
        file.attrs["attributes_checksum"] = files._attributes_checksum({})
    assert isinstance(kinds.load_evaluation(tmp_path / "old.h5"), Regions)


@pytest.mark.slow
def test_an_older_kr_reads_region_tables(tmp_path: Path) -> None:
    """By its own rules: version 2, and all attributes but those of its header under their checksum."""
    header = {"kind", "format_version", "layout", "parts", "checksum", "attributes_checksum"}
    path = save_random(tmp_path / "regions.h5")
    with h5py.File(path) as file:
        assert header < set(file.attrs)
        assert file.attrs["format_version"] == 2
        others = {name: value for name, value in file.attrs.items() if name not in header}
        assert file.attrs["attributes_checksum"] == storage.checksum(json.dumps(others, sort_keys=True).encode())


# --- a kind that is registered here


class Counted(BuiltIn):
    """A kind in Python over a kind of the core."""

    name = "counted"
    scale = 70.0
    about = "men and kings, counted"

    def evaluator(self) -> _core.Evaluator:
        return _core.EVALUATORS["material"]()


KIND = Counted


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(kinds.EVALUATION_KINDS, Counted.name, __name__)
    return Counted.name


def test_whoever_takes_weights_takes_a_registered_kind(
    counted: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert counted in kinds.built_in()
    engine = Engine(counted, hash_mb=1)
    assert (engine.name, engine.signature, engine.score_scale) == (counted, counted, 70.0)
    assert engine.evaluate(Position.from_fen("B:W25:B9,10")) == 100
    assert engine.search(Position(), "depth=5").depth == 5
    result = play_match(MatchSettings(counted, "material", games=2, tc=Limits(nodes=200), hash=1 << 20))
    assert (result.names, result.tally.games) == ((counted, "material"), 2)
    tally = selfplay(SelfplaySettings(games=2, out=tmp_path / "games", nodes=100, workers=1, weights=counted))
    assert tally.played == 2
    for line, said in (
        (["weights", "show", counted], "men and kings, counted"),
        (["explain", "--weights", counted], f"({counted})"),
        (["analyze", "--tc", "depth=3", "--weights", counted], "depth"),
        (["bench", "--depth", "3", "--weights", counted], f"({counted}, depth 3)"),
    ):
        assert main(line) == 0
        assert said in " ".join(capsys.readouterr().out.split())


def test_no_other_kind_is_asked_for(counted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is no registered kind is a file."""
    monkeypatch.delitem(kinds.EVALUATION_KINDS, counted)
    with pytest.raises(InvalidWeightsError, match="no such file"):
        Engine(counted)


@pytest.mark.core
@pytest.mark.parametrize("name", kinds.EVALUATION_KINDS)
def test_scores_do_not_know_colours(name: str) -> None:
    for position in positions(random_game(1, 5)):
        assert EVALUATIONS[name].score(position) == EVALUATIONS[name].score(position.flipped())


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
    save_network(path)
    first, second = Engine(path, hash_mb=1, database=None), Engine(path, hash_mb=1, database=None)
    assert first._scorer is second._scorer
    loaded = kinds.load_evaluation(path)
    assert loaded.core is first._scorer.core
    save_network(path, 2)
    third = Engine(path, hash_mb=1, database=None)
    assert third.evaluate(Position()) != first.evaluate(Position())
    assert third.signature != first.signature == second.signature


def test_a_policy_does_not_read_the_tables_of_an_engine_again(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(hash_mb=1, database=None)
    reads: list[Any] = []
    monkeypatch.setattr(kinds, "load_file", reads.append)
    assert load_policy().eyes is engine._scorer
    assert not reads


def test_what_no_engine_uses_is_let_go(tmp_path: Path) -> None:
    path = tmp_path / "mine.h5"
    save_network(path)
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
    save_network(path)
    positions = [Position.from_fen(fen) for fen in SEARCHED]
    alone = [Engine(path, hash_mb=1, database=None).search(position, "depth=8") for position in positions]
    engines = [Engine(path, hash_mb=1, database=None) for _ in positions]
    together = [engine.start(position, "depth=8") for engine, position in zip(engines, positions, strict=True)]
    for search, expected in zip(together, alone, strict=True):
        found = search.result(60)
        assert (found.nodes, found.score, found.pv) == (expected.nodes, expected.score, expected.pv)
