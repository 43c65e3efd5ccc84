"""Tables changed by a net in endings: `BASE+NET`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from nets import random_endings, save_random_net
from test_kinds import GAMES, SEARCHED, random_table

from kr import Engine, InvalidWeightsError, Position
from kr.cli import main
from kr.engine.limits import Limits
from kr.evaluation import endnet, kinds, squares
from kr.evaluation.composite import Composite
from kr.learn.selfplay import SelfplaySettings, selfplay
from kr.match.match import MatchSettings, play_match


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a net, net.h5, and tables, tables.h5."""
    monkeypatch.chdir(tmp_path)
    save_random_net(Path("net.h5"), use_pieces=8)
    squares.save_squares("tables.h5", random_table(), {})
    return tmp_path


def loaded(text: str) -> Composite:
    made = kinds.load_evaluation(text)
    assert isinstance(made, Composite)
    return made


@pytest.mark.core
@pytest.mark.parametrize(
    ("text", "use"),
    [
        ("material+net.h5", (8, 100.0, 1.0)),
        ("tables.h5+net.h5:5", (5, 100.0, 1.0)),
        ("tables.h5+net.h5:pieces=10:bonus=150:share=0.8", (10, 150.0, 0.8)),
        ("manual+net.h5:share=0:bonus=7.5", (8, 7.5, 0.0)),
    ],
)
def test_the_score_is_that_of_the_tables_changed_by_the_net(here: Path, text: str, use: tuple[int, ...]) -> None:
    made = loaded(text)
    assert made.use == endnet.NetUse(*use)
    assert made.scale == made.base.scale
    net = kinds.load_evaluation("net.h5")
    assert isinstance(net, endnet.Endnet)
    boards = random_endings(300, 12)
    asked = 0
    for row, chances in zip(boards.tolist(), net.predict(boards).astype(float), strict=True):
        position = Position(*row, 0)
        base = expected = float(made.base.score(position))
        if position.pieces <= made.use.pieces:
            asked += 1
            expected = base * (1 - made.use.share * chances[1]) + made.use.bonus * (chances[2] - chances[0])
        assert made.score(position) == pytest.approx(expected, abs=1.5)
        assert made.score(position.flipped()) == made.score(position)
        if position.pieces > made.use.pieces:
            assert made.score(position) == base
        assert made.score(position) == made.evaluator().evaluate(*position.bits)
    assert 50 < asked < 300


@pytest.mark.core
@pytest.mark.parametrize("base", ["tables.h5", "manual"])
def test_the_memory_of_the_tables_goes_on(here: Path, base: str) -> None:
    made = loaded(f"{base}+net.h5:24")
    for positions, moves in GAMES:
        line = [(move.origin, move.target, move.captured) for move in moves]
        expected = [made.score(position) for position in positions[1:]]
        assert made.core.evaluate_line(positions[0].bits, line) == expected


@pytest.mark.core
def test_a_net_that_is_never_asked_changes_no_node(here: Path) -> None:
    for text, expected_text in (("tables.h5+net.h5:0", "tables.h5"), ("manual+net.h5:bonus=0:share=0", "manual")):
        with_net = Engine(text, hash_mb=1, database=None)
        without = Engine(expected_text, hash_mb=1, database=None)
        for fen in SEARCHED:
            found, expected = (engine.search(Position.from_fen(fen), "depth=6") for engine in (with_net, without))
            assert (found.nodes, found.score, found.pv) == (expected.nodes, expected.score, expected.pv)
    changed = Engine("tables.h5+net.h5:24", hash_mb=1, database=None)
    assert (
        changed.search(Position.from_fen(SEARCHED[3]), "depth=6").nodes
        != without.search(Position.from_fen(SEARCHED[3]), "depth=6").nodes
    )


def test_signatures_tell_what_scores_differently(here: Path) -> None:
    save_random_net(Path("other.h5"), seed=2, use_pieces=8)
    shutil.copy("net.h5", "twin.h5")
    texts = ["material", "manual+net.h5", "material+net.h5", "material+other.h5", "net.h5"]
    texts += [f"material+net.h5:{setting}" for setting in ("7", "bonus=99", "share=0.5")]
    assert len({kinds.load_evaluation(text).signature for text in texts}) == len(texts)
    same = {loaded(text).signature for text in ("material+net.h5", "material+twin.h5", "material+net.h5:pieces=8")}
    assert len(same) == 1
    assert loaded("material+net.h5:8").name == "material+net:8"


def test_an_engine_knows_the_same_evaluation(here: Path) -> None:
    engine, made = Engine("tables.h5+net.h5", hash_mb=1, database=None), loaded("tables.h5+net.h5")
    assert (engine.name, engine.signature, engine.score_scale) == (made.name, made.signature, made.scale)
    assert engine._scorer is made.scorer
    position = Position(*random_endings(1)[0].tolist(), 0)
    assert engine.evaluate(position) == made.score(position)


@pytest.mark.parametrize("name", ["a+b.h5", "shipped+net.h5", "material+net.h5"])
def test_a_file_whose_name_has_a_plus_is_a_file(here: Path, name: str) -> None:
    shutil.copy("tables.h5", name)
    assert isinstance(kinds.load_evaluation(name), squares.Squares)
    assert Engine(name, hash_mb=1, database=None).signature == kinds.load_evaluation("tables.h5").signature


def test_names_of_parts_may_have_what_divides_them(here: Path) -> None:
    shutil.copy("tables.h5", "my+tables.h5")
    shutil.copy("net.h5", "my+net:2.h5")
    made = loaded("my+tables.h5+my+net:2.h5:pieces=6")
    assert (str(made.net.path), made.use.pieces) == ("my+net:2.h5", 6)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("material+none.h5", "none.h5: no such weights file"),
        ("material+", "no such weights file|not a weights file|is a directory"),
        ("none.h5+net.h5", "no such weights file"),
        ("material+tables.h5", "tables.h5: tables, not a net; expected BASE"),
        ("material+net.h5:many", "net.h5: pieces is 'many'; expected a whole number"),
        ("material+net.h5:", "net.h5: pieces is ''; expected a whole number"),
        ("material+net.h5:pieces=25", "net.h5: pieces is 25; expected 0 to 24"),
        ("material+net.h5:bonus=x", "net.h5: bonus is 'x'; expected a number"),
        ("material+net.h5:bonus=nan", "net.h5: bonus is nan; expected 0 to 10000"),
        ("material+net.h5:share=1.5", "net.h5: share is 1.5; expected 0 to 1"),
        ("material+net.h5:depth=3", "net.h5: unknown setting 'depth'; choose from pieces, bonus, share"),
        ("material+net.h5:7:pieces=8", "net.h5: pieces is set twice"),
    ],
)
def test_wrong_texts_are_refused(here: Path, text: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    for load in (kinds.load_evaluation, kinds.load_scorer):
        with pytest.raises(InvalidWeightsError, match=said):
            load(text)
    assert main(["analyze", "--weights", text, "--tc", "depth=1"]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "Traceback" not in error


@pytest.mark.slow
def test_whoever_takes_weights_takes_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "material+net.h5:24"
    settings = MatchSettings(text, f"{text}:bonus=0,egdb=none", games=2, tc=Limits(nodes=200), hash=1 << 20)
    result = play_match(settings)
    assert result.tally.games == 2
    assert result.names[0] == "material+net:24"
    tally = selfplay(SelfplaySettings(games=2, out=here / "games", nodes=100, workers=1, weights=text))
    assert tally.played == 2
    fen = "B:W30,K6:B3,K14"
    for line, said in (
        (["weights", "show", text], "128 - 64 - 16 - 3"),
        (["explain", fen, "--weights", text], "a net is asked in this ending"),
        (["explain", "--weights", "material+net.h5:6"], "(material+net:6)"),
        (["analyze", fen, "--tc", "depth=3", "--weights", text], "depth"),
        (["bench", "--depth", "3", "--weights", text], "(material+net:24, depth 3)"),
    ):
        assert main(line) == 0, line
        assert said in " ".join(capsys.readouterr().out.split()), line
    assert main(["weights", "show", text, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["use"]["pieces"], shown["net"]["hidden"]) == (24, [64, 16])


def test_training_begins_with_a_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--weights", "material+net.h5", "--out", "run", "--generations", "1"]) == 2
    error = capsys.readouterr().err
    assert "training begins with a weights file" in error
    assert error.count("\n") == 1
    assert not Path("run").exists()
