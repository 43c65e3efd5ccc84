"""Long work that kr 0.1 began: its files are resumed, and what they hold is not done again."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kr.analysis.annotation.files import AnnotateSettings, annotate_files
from kr.egdb import build as building
from kr.egdb.build import BuildSettings, build_database
from kr.egdb.files import read_header
from kr.engine.limits import Limits
from kr.learn import games
from kr.learn.selfplay import SelfplaySettings, selfplay
from kr.match.match import play_match
from kr.match.settings import MatchSettings
from kr.openings import decks
from kr.pdn import read_games
from kr.problems.problem import load_problems
from kr.problems.solving import SolveSettings, solve_all

HASH = 1 << 20


@pytest.fixture
def before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files of work that was interrupted. The two-move openings had no marks then: all of them were played."""
    monkeypatch.setattr(decks, "_marked", decks.generated)
    copy = shutil.copytree(Path(__file__).parent / "data" / "jobs_0.1", tmp_path / "before")
    (copy / "egdb" / "values").rename(copy / "egdb" / building.VALUES_FOLDER)
    return copy


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_selfplay(before: Path) -> None:
    kept = {record.game: record for path in sorted((before / "selfplay").glob("shard-*")) for record in records(path)}
    settings = SelfplaySettings(
        games=12, out=before / "selfplay", nodes=2000, weights="manual", openings="2move", random_plies=2,
        egdb="none", hash=1 << 18, shard_games=6,
    )  # fmt: skip
    tally = selfplay(settings)
    assert (tally.earlier, tally.played) == (len(kept), 12 - len(kept))
    assert 6 < len(kept) < 12
    anew = before / "anew"
    selfplay(SelfplaySettings(**{**vars(settings), "out": anew}))
    for name in ("shard-000000.h5", "shard-000001.h5"):
        resumed, fresh = (records(directory / name) for directory in (settings.out, anew))
        assert [content(kept.get(record.game, record)) for record in fresh] == list(map(content, resumed))


def content(record: games.StoredGame) -> tuple[Any, ...]:
    return record.game, record.start, record.result, record.moves.tobytes(), record.scores.tobytes()


def records(path: Path) -> list[games.StoredGame]:
    return list(games.stored_games(games.read_shard(path)))


def test_match(before: Path) -> None:
    old = lines(before / "match.pdn.log")
    settings = MatchSettings(
        a="manual", b="material", games=12, ballot="2move", tc=Limits(nodes=100), hash=HASH, egdb="none",
        egdb_adjudication=False, pdn=before / "match.pdn",
    )  # fmt: skip
    seen: list[int] = []
    result = play_match(settings, lambda result: seen.append(len(result.games)))
    assert seen == [6, *range(7, 13)]
    assert lines(before / "match.pdn.log")[: len(old)] == old
    fresh = play_match(MatchSettings(**{**vars(settings), "pdn": None}))
    resumed, anew = ({(game.pair, game.a_black): game.points for game in each.games} for each in (result, fresh))
    assert resumed == anew | {(game["pair"], game["a_black"]): game["points"] for game in old if "points" in game}
    assert len(list(read_games(before / "match.pdn"))) == 12


def test_solve(before: Path) -> None:
    old = lines(before / "answers.jsonl")
    settings = SolveSettings(
        source="first", tc=(Limits(depth=5),), weights="manual", egdb="none", hash=HASH, out=before / "answers.jsonl"
    )
    solutions = solve_all(load_problems("first"), settings)
    assert lines(before / "answers.jsonl")[: len(old)] == old
    assert len(lines(before / "answers.jsonl")) == len(solutions) + 1 > len(old)


def test_annotate(before: Path) -> None:
    old = lines(before / "out.pdn.journal")
    seen: list[bool] = []
    settings = AnnotateSettings(
        files=(before / "games.pdn",), out=before / "out.pdn", tc=Limits(nodes=300), weights="manual", people="none",
        book="none", egdb="none", hash=HASH,
    )  # fmt: skip
    annotate_files(settings, lambda record, earlier: seen.append(earlier))
    assert seen == [True, False]
    assert (before / "out.pdn").read_text().startswith(old[1]["pdn"])


def test_egdb_build(before: Path, whole: Path) -> None:
    """Finished files stay; values kept in another form are made again."""
    there = {path: path.read_bytes() for path in (before / "egdb").glob("wld-*")}
    build_database(BuildSettings(pieces=3, dir=before / "egdb", distances=0))
    assert there
    assert {path: path.read_bytes() for path in there} == there
    for path in whole.glob("wld-*"):
        # all but by which kr it was made
        resumed, fresh = (replace(read_header(each), made={}) for each in (before / "egdb" / path.name, path))
        assert resumed == fresh
