"""Endgame databases in use: finding them, ending and labelling games, proving problems."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from egdb_reference import DRAW, LOSS, WIN
from endings import without
from refusals import check_refused
from test_egdb_format import reader

from kr import Engine, InvalidSettingError, Limits, Position, storage
from kr.cli import main
from kr.egdb import database as databases
from kr.egdb.database import Database, load_database
from kr.engine.result import SCORE_DECIDED, SCORE_PROVED
from kr.game.position import Side
from kr.learn import games
from kr.learn.selfplay import SelfplaySettings, selfplay
from kr.match.game import BY_DATABASE
from kr.match.match import play_match
from kr.match.settings import MatchSettings
from kr.pdn import read_games
from kr.players.registry import player_from_spec
from kr.problems.problem import Problem
from kr.problems.solving import SolveSettings, solve_all
from kr.proofs import rules as reference
from kr.system import split_command

SHIPPED = storage.data_path("egdb")
MATCH = MatchSettings(a="material", b="manual", ballot="3move", games=24, tc=Limits(nodes=200), workers=1, hash=1 << 20)
EQUALS = replace(MATCH, a="manual", tc_b=Limits(nodes=300), adjudicate=False)
"""Few of their games end before few pieces are left."""
SELFPLAY = SelfplaySettings(
    games=60, nodes=60, weights="manual", openings="3move", shard_games=20, workers=2, hash=1 << 16
)


# --- finding a database


def test_the_shipped_database_is_there() -> None:
    assert databases.find() == SHIPPED
    opened = Database.open(SHIPPED)
    assert (opened.pieces, opened.distance_pieces) == (5, 4)


def test_the_user_s_database_is_found_when_it_reaches_as_far(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    mine = tmp_path / "kr" / "egdb"
    shutil.copytree(whole, mine)
    assert databases.find() == SHIPPED
    for path in SHIPPED.glob("*.egdb"):
        shutil.copy(path, mine)
    assert databases.find() == mine


def test_the_environment_and_the_option_come_first(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KR_EGDB", str(whole))
    assert databases.find() == whole
    assert databases.find(str(SHIPPED)) == SHIPPED
    assert databases.find("none") is None
    monkeypatch.setenv("KR_EGDB", "none")
    assert databases.find() is None
    monkeypatch.setenv("KR_EGDB", str(whole / "gone"))
    with pytest.raises(InvalidSettingError, match="KR_EGDB=.*gone"):
        databases.find()


def test_one_object_for_all_who_ask_for_the_same(whole: Path) -> None:
    first = load_database(str(whole))
    assert load_database(str(whole)) is first
    assert load_database("none") is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "match material manual --games 2 --tc nodes=10",
        "selfplay --games 2 --nodes 10 --weights material --out run",
        "solve-problem W:W18:BK1 --tc nodes=10",
        "bench --depth 2 --weights material",
    ],
)
@pytest.mark.parametrize("said", ["gone", "kr.txt"])
def test_a_directory_without_a_database_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture, line: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kr.txt").write_text("hello\n")
    check_refused(capsys, f"{line} --egdb {said}", 2, said)
    assert main([*split_command(line), "--egdb", "none"]) == 0


# --- matches


def known_plainly(position: Position) -> bool:
    """True if the shipped database ends the game here, by the plain rules: five pieces, and a move but no capture."""
    moves = reference.legal_moves(reference.from_bits(position.black, position.white, position.kings), position.side)
    return position.pieces <= 5 and bool(moves) and not any(taken for _, taken in moves)


@pytest.mark.slow
@pytest.mark.parametrize("ballot", ["3move", "endings"])
def test_a_match_ends_games_by_the_database(tmp_path: Path, ballot: str) -> None:
    settings = replace(EQUALS, ballot=ballot)
    ended = play_match(replace(settings, pdn=tmp_path / "ended.pdn"))
    reasons = Counter(game.reason.split(":")[0] for game in ended.games)
    assert reasons[BY_DATABASE] > len(ended.games) // 2
    free = play_match(replace(settings, pdn=tmp_path / "free.pdn", egdb_adjudication=False))
    assert BY_DATABASE not in Counter(game.reason for game in free.games)
    assert sum(game.plies for game in ended.games) < sum(game.plies for game in free.games)
    # the same games, but shorter if the database ended them
    for short, long in zip(read_games(tmp_path / "ended.pdn"), read_games(tmp_path / "free.pdn"), strict=True):
        assert (long.start, long.moves[: len(short.moves)]) == (short.start, short.moves)
        assert (len(long.moves) > len(short.moves)) == short.tags["Termination"].startswith(BY_DATABASE)


@pytest.mark.slow
@pytest.mark.parametrize("ballot", ["3move", "endings"])
def test_games_end_where_the_database_knows_them_with_its_value(tmp_path: Path, ballot: str) -> None:
    play_match(replace(EQUALS, ballot=ballot, pdn=tmp_path / "match.pdn"))
    plain = reader.Database(SHIPPED)
    seen = Counter[int]()
    for game in read_games(tmp_path / "match.pdn"):
        positions = [game.start]
        for move in game.moves:
            positions.append(positions[-1].play(move))
        ended = game.tags["Termination"].startswith(BY_DATABASE)
        assert [known_plainly(each) for each in positions] == [False] * len(game.moves) + [ended]
        if ended:
            last = positions[-1]
            from_black = last if last.side is Side.BLACK else last.flipped()
            value = plain.value(from_black.black, from_black.white, from_black.kings)
            assert game.winner is {WIN: last.side, LOSS: last.side.other, DRAW: None}[value]
            seen[value] += 1
    assert len(seen) >= 2
    assert seen.total() > EQUALS.games // 2


def test_the_database_is_part_of_a_match(tmp_path: Path, whole: Path) -> None:
    settings = replace(MATCH, games=2, pdn=tmp_path / "match.pdn")
    play_match(settings)
    for change in ({"egdb": str(whole)}, {"egdb_adjudication": False}, {"a": "material,egdb=none"}):
        with pytest.raises(InvalidSettingError, match="choose another file"):
            play_match(replace(settings, **change))  # type: ignore[arg-type]


def test_a_player_s_own_database(whole: Path) -> None:
    players = [player_from_spec(f"material{own}", 1, egdb=str(SHIPPED)) for own in ("", ",egdb=none", f",egdb={whole}")]
    assert [player.name for player in players] == ["material", "material,egdb=none", "material,egdb=three"]
    assert len({player.signature for player in players}) == 3
    with pytest.raises(InvalidSettingError, match="gone"):
        player_from_spec("material,egdb=gone", 1)
    with pytest.raises(InvalidSettingError, match="without a name"):
        player_from_spec(",egdb=none", 1)


# --- self-play


def records_of(directory: Path, **changes: object) -> list[games.StoredGame]:
    selfplay(replace(SELFPLAY, out=directory, **changes))  # type: ignore[arg-type]
    return [record for path in games.shard_paths(directory) for record in games.stored_games(games.read_shard(path))]


def positions_of(record: games.StoredGame) -> list[Position]:
    positions = [Position(record.start[0], record.start[1], record.start[2], Side(record.start[3]))]
    for move in games.decoded_moves(record):
        positions.append(positions[-1].play(move))
    return positions


def test_self_play_ends_and_labels_exactly(tmp_path: Path) -> None:
    known = Database.open(SHIPPED)
    # a search that probes finds most wins before the game reaches them
    ended = records_of(tmp_path / "ended", egdb_search=False, clear_score=0)
    exact = [record for record in ended if games.REASONS[record.reason] == BY_DATABASE]
    assert len(exact) > len(ended) // 4
    assert {record.result for record in exact} == {-1, 0, 1}
    for record in exact:
        *before, last = positions_of(record)
        assert last.pieces <= 5
        assert not last.legal_moves()[0].is_capture
        value = known.value(last)
        score = {"win": 1, "draw": 0, "loss": -1}[str(value)]
        assert record.result == (score if last.side is Side.BLACK else -score)
        assert all(each.pieces > 5 or each.legal_moves()[0].is_capture for each in before[1:])
    free = records_of(tmp_path / "free", egdb_ends=False, egdb_search=False, clear_score=0)
    assert [record.start for record in free] == [record.start for record in ended]
    assert sum(len(record.moves) for record in ended) < sum(len(record.moves) for record in free)


def test_self_play_ends_in_classes_that_are_there(tmp_path: Path) -> None:
    """With up to 4 pieces and 3v2, games end in 3v2 and go on in 4v1."""
    part = Database.open(without(SHIPPED, tmp_path / "egdb", {(4, 1)}))
    ended = records_of(tmp_path / "ended", egdb_search=False, clear_score=0, egdb=str(part.directory))
    seen = Counter[int]()
    for record in ended:
        *before, last = positions_of(record)
        assert all(not part.has(each) or each.legal_moves()[0].is_capture for each in before[1:])
        if games.REASONS[record.reason] == BY_DATABASE:
            score = {"win": 1, "draw": 0, "loss": -1}[str(part.value(last))]
            assert record.result == (score if last.side is Side.BLACK else -score)
            seen[last.pieces] += 1
    assert seen[5] > 5
    assert seen.total() > len(ended) // 4


def test_a_run_keeps_to_its_database(tmp_path: Path, whole: Path) -> None:
    records_of(tmp_path, games=2)
    shaping = json.loads((tmp_path / "run.json").read_text())["shaping"]
    assert shaping["egdb"].startswith("5 pieces ")
    for change in ({"egdb": str(whole)}, {"egdb": "none"}, {"egdb_ends": False}, {"egdb_search": False}):
        with pytest.raises(InvalidSettingError, match="egdb"):
            records_of(tmp_path, games=4, **change)
    # the memory for it makes no difference
    assert len(records_of(tmp_path, games=4, egdb_memory=0)) == 4


def test_a_run_from_before_there_were_databases_goes_on(tmp_path: Path) -> None:
    first = records_of(tmp_path, games=2, egdb="none")
    path = tmp_path / "run.json"
    description = json.loads(path.read_text())
    for name in ("egdb", "egdb_ends", "egdb_search"):
        del description["shaping"][name]
    path.write_text(json.dumps(description))
    whole = records_of(tmp_path, games=4)
    assert [record.moves.tobytes() for record in whole[:2]] == [record.moves.tobytes() for record in first]
    assert BY_DATABASE not in {games.REASONS[record.reason] for record in whole}


# --- problems

WON = "W:WK1,K2,K7:BK31,K29"


def test_a_problem_in_the_database_is_proved() -> None:
    settings = SolveSettings(tc=(Limits(depth=3),), weights="material", hash=1 << 20)
    problems = [
        Problem(id=str(number), title="", author="", source="", position=Position.from_fen(fen), result=result)
        for number, (fen, result) in enumerate([(WON, ""), ("W:WK1,K32,K13:BK29", "W-win"), ("W:WK1:BK5,K32", "")])
    ]
    known = Database.open(SHIPPED)
    for found in solve_all(problems, settings):
        value = known.value(found.problem.position)
        assert (found.proved, found.verdict) == (True, value)
        assert found.probes > 0
        if value != "draw":
            assert abs(found.score) > SCORE_PROVED
    for found in solve_all(problems[:1], replace(settings, egdb="none")):
        assert (found.proved, found.probes) == (False, 0)
        assert abs(found.score) <= SCORE_DECIDED


def test_solve_says_proved(capsys: pytest.CaptureFixture) -> None:
    words = ["solve-problem", WON, "--tc", "nodes=100", "--weights", "material"]
    assert main(words) == 0
    assert "verdict:  win, proved" in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["problems"][0]["proved"] is True
    assert main([*words, "--json", "--egdb", "none"]) == 0
    assert json.loads(capsys.readouterr().out)["problems"][0]["proved"] is False


def test_an_engine_has_the_database_that_is_found_unless_told_otherwise(whole: Path) -> None:
    position = Position.from_fen(WON)
    for database in ("", load_database(), str(SHIPPED)):
        assert Engine("material", 1, database=database).search(position, Limits(depth=1)).value == "win"
    for none in (None, "none", str(whole)):
        assert Engine("material", 1, database=none).search(position, Limits(depth=1)).value is None
