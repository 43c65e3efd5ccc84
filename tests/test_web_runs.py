"""Runs watched: what is found in a directory, what is told while it grows, and that nothing outside is read."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from english import english
from systems import make_fifo
from watched_runs import Clock, clock, facts_of, lines, progress, table, told, watching
from web_pages import (
    PHONE,
    SIZES,
    Opener,
    faults_in,
    in_view,
    meant_board,
    out_of_sight,
    read_board,
    serving,
    wait_until,
)

from kr import storage
from kr.engine.limits import Limits
from kr.errors import InvalidSettingError
from kr.hdf5 import process, structures
from kr.jobs.journal import open_journal
from kr.language.sentences import named
from kr.learn.games import read_game_arrays
from kr.learn.selfplay import SelfplaySettings, selfplay
from kr.match.elo import Sprt
from kr.match.log import log_of
from kr.match.match import play_match, play_tournament
from kr.match.result import MatchResult
from kr.match.settings import MatchSettings
from kr.web.runs.files import FileTree
from kr.web.runs.watching import RunWatch
from kr.web.settings import WebSettings

__all__ = ["clock", "watching"]

GAMES = SelfplaySettings(
    games=20, nodes=40, weights="material", openings="3move", shard_games=8, workers=1, hash=1 << 16
)
MATCH = MatchSettings(
    a="material", b="manual", games=12, tc=Limits(nodes=60), workers=1, hash=1 << 20, egdb="none", sprt=(0.0, 10.0),
)  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, MatchResult]:
    """A directory with self-play and a match, and the result of this."""
    directory = tmp_path_factory.mktemp("runs")
    selfplay(replace(GAMES, out=directory / "deep" / "games"))
    return directory, play_match(replace(MATCH, pdn=directory / "match.pdn"))


@pytest.fixture
def copied(made: tuple[Path, MatchResult], tmp_path: Path) -> Path:
    """A copy of that directory to change."""
    return shutil.copytree(made[0], tmp_path / "runs")


def test_runs_are_found_and_told_apart(made: tuple[Path, MatchResult], watching: Callable[..., RunWatch]) -> None:
    home = made[0].name
    rows = {row["name"]: progress(row) for row in watching(made[0]).rows()}
    assert rows == {
        f"{home}/deep/games": ("runs.selfplay", "done", "20 of 20 games"),
        f"{home}/match.pdn": ("runs.match", "done", "12 of 12 games"),
    }


def test_an_evolution_is_listed_before_its_first_results(tmp_path: Path, watching: Callable[..., RunWatch]) -> None:
    path = tmp_path / "thesis" / "games.jsonl"
    path.parent.mkdir()
    watch = watching(tmp_path)
    with open_journal(path, {"scheme": "thesis", "seed": 1}, storage.provenance(seed=1), dict) as journal:
        journal.append({"games": [["1", 0, 1, 1, 40], ["1", 0, 2, 0, 50]], "seconds": 1.0})
        (row,) = watch.rows()
        assert progress(row) == ("runs.evolution", "running", "0 generations, 2 games")
    assert told(watch, f"{tmp_path.name}/thesis")["label.games"] == "2"
    # other journals of that name are not runs
    path.write_text('{"settings": {"deck": "3move"}}\n')
    assert watching(tmp_path).rows() == []


def test_directories_of_the_same_name_are_told_apart(tmp_path: Path, watching: Callable[..., RunWatch]) -> None:
    for name in ("a", "b"):
        selfplay(replace(GAMES, out=tmp_path / name / "runs", games=8))
    rows = watching(tmp_path / "a" / "runs", tmp_path / "b" / "runs").rows()
    assert [row["name"] for row in rows] == ["runs", "runs (2)"]


def test_a_match_is_told_as_its_result(made: tuple[Path, MatchResult], watching: Callable[..., RunWatch]) -> None:
    directory, result = made
    page = watching(directory).page(f"{directory.name}/match.pdn")
    facts, summary = facts_of(page), result.summary()
    assert facts["label.tally_of"] == f"{summary['wins']}-{summary['losses']}-{summary['draws']}"
    assert facts["label.elo"] == f"{summary['elo']:+.1f} ± {summary['elo_error']:.1f}"
    assert {"Wins, losses, draws of material", "LLR of +10 to +0 Elo"} < {english(label) for label, _ in page["facts"]}
    assert facts["label.llr_of"].startswith(f"{summary['sprt']['llr']:.2f} (")
    assert [int(count) for _, count in table(page, "label.pairs")] == list(summary["pentanomial"])
    assert {reason: int(count) for reason, count in table(page, "label.ends")} == {
        str(named("reason", reason)): count for reason, count in summary["reasons"].items()
    }
    elo = lines(page, "Elo with its 95% error")["material"]
    assert [x for x, *_ in elo] == [2, 4, 6, 8, 10, 12]
    assert elo[-1][1:] == [round(summary["elo"], 2), round(summary["elo_error"], 2)]
    llr = lines(page, "Log likelihood ratio")
    assert llr["LLR"][-1] == [12, round(summary["sprt"]["llr"], 3)]
    assert {points[0][1] for name, points in llr.items() if name.startswith("H1")} == {round(Sprt(0, 10).upper, 3)}
    last = table(page, "label.last_games")
    assert [row[0] for row in last] == [str(number) for number in range(12, 0, -1)]
    points = {"material": 2, "drawn": 1, "manual": 0}
    assert [points[row[4]] for row in reversed(last)] == [game.points for game in result.games]


def test_a_match_of_three_has_a_cross_table(tmp_path: Path, watching: Callable[..., RunWatch]) -> None:
    settings = replace(MATCH, more=("random:1",), games=4, sprt=None, pdn=tmp_path / "three.pdn")
    result = play_tournament(settings)
    watch = watching(tmp_path)
    page = watch.page(f"{tmp_path.name}/three.pdn")
    assert (page["state"], english(page["progress"])) == ("done", "12 of 12 games")
    standings = result.table().standings()
    rows = table(page, "label.cross_table")
    assert [row[0] for row in rows] == [f"{'ABC'[each.number]}: {result.names[each.number]}" for each in standings]
    assert [(row[3], row[4]) for row in rows] == [(f"{each.points:.1f}", "8") for each in standings]
    # nobody met itself, and both sides of a pairing say the same
    for i, own in enumerate(rows):
        assert own[6 + i] == "-"
        for k in range(3):
            assert own[6 + k].split("-") == rows[k][6 + i].split("-")[::-1]
    assert [[*map(int, row[1:])] for row in table(page, "label.pairs")] == [
        list(each.pentanomial) for each in result.results
    ]
    for number, last in zip(range(11, -1, -1), table(page, "label.last_games"), strict=True):
        document = watch.game(f"{tmp_path.name}/three.pdn", number)
        assert [document["headers"][side] for side in ("Black", "White")] == last[2:4]
    elo = lines(page, "Elo with its 95% error")
    assert [elo[result.names[each.number]][-1][1] for each in standings] == [round(each.elo, 2) for each in standings]


def test_self_play_is_told_as_its_games(made: tuple[Path, MatchResult], watching: Callable[..., RunWatch]) -> None:
    directory = made[0]
    page = watching(directory).page(f"{directory.name}/deep/games")
    games = read_game_arrays(directory / "deep" / "games")
    shares = [f"{100 * (games.result == each).sum() / 20:.1f}" for each in (1, 0, -1)]
    assert table(page, "label.results_by_openings")[0] == ["all", "20", *shares]
    assert facts_of(page)["label.plies_a_game"].startswith(f"{len(games.move) / 20:.1f}, ")
    assert [games for _, games in lines(page, "Games over time")["games"]] == [0, 8, 16, 20]
    assert [x for x, _ in lines(page, "Length, shard by shard")["plies"]] == [8, 16, 20]
    assert [row[0] for row in table(page, "label.last_games")] == ["20", "19", "18", "17"]


@pytest.mark.parametrize("name", ["match.pdn", "deep/games"])
def test_each_game_can_be_opened(made: tuple[Path, MatchResult], watching: Callable[..., RunWatch], name: str) -> None:
    watch = watching(made[0])
    full = f"{made[0].name}/{name}"
    (last,) = (each for each in watch.page(full)["tables"] if each["title"]["say"] == "label.last_games")
    for number, row in zip(last["games"], last["rows"], strict=True):
        game = watch.game(full, number)
        side = {"1-0": "Black", "0-1": "White"}.get(game["result"], "drawn")
        # players of a match have names
        assert english(row[-3]) == (game["headers"].get(side, side) if name == "match.pdn" else side)
    for number in (-1, 20):
        with pytest.raises(InvalidSettingError, match="has no game"):
            watch.game(full, number)


@pytest.mark.parametrize("cut", [0, 1, 40])
def test_a_match_is_read_while_it_is_written(
    copied: Path, watching: Callable[..., RunWatch], clock: Clock, cut: int
) -> None:
    """Whole lines count, the half-written last one not yet; after a line was removed, what replaced it counts."""
    log = log_of(copied / "match.pdn")
    written = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(written[:6]) + written[6][:cut])
    watch = watching(copied)
    assert told(watch, "runs/match.pdn")["label.games"] == "5 of 12 games"
    assert {row["name"]: row["state"] for row in watch.rows()}["runs/match.pdn"] == "stopped"
    clock.time += 2
    log.write_bytes(b"".join(written[:5] + written[8:]))
    assert told(watch, "runs/match.pdn")["label.games"] == "9 of 12 games"
    clock.time += 2
    log.write_bytes(b"".join(written))
    assert told(watch, "runs/match.pdn")["label.games"] == "12 of 12 games"


def test_shards_that_appear_are_counted_alone(
    copied: Path, watching: Callable[..., RunWatch], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kr.learn import summary

    read = []
    reading = summary.read_shard
    monkeypatch.setattr(summary, "read_shard", lambda path: read.append(Path(path).name) or reading(path))
    later = copied / "deep" / "games" / "shard-000001.h5"
    away = copied / "later"
    later.rename(away)
    watch = watching(copied)
    assert told(watch, "runs/deep/games")["label.games"] == "12 of 20 games"
    assert read == ["shard-000000.h5", "shard-000002.h5"]
    clock.time += 2
    assert told(watch, "runs/deep/games")["label.games"] == "12 of 20 games"
    assert len(read) == 2
    clock.time += 2
    away.rename(later)
    assert told(watch, "runs/deep/games")["label.games"] == "20 of 20 games"
    assert read[2:] == ["shard-000001.h5"]


def test_one_look_a_second_serves_all(
    made: tuple[Path, MatchResult], watching: Callable[..., RunWatch], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []
    look = FileTree.look
    monkeypatch.setattr(FileTree, "look", lambda tree: looks.append(clock.time) or look(tree))
    watch = watching(made[0])
    for _ in range(50):
        watch.rows()
        watch.page(f"{made[0].name}/match.pdn")
        clock.time += 0.1
    assert len(looks) == 5


HOLDER = """
import sys, time
from kr.storage import lock
with lock(sys.argv[1]):
    print("held", flush=True)
    time.sleep(60)
"""


@contextmanager
def holding(path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds an output."""
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "output"), [("runs/match.pdn", "match.pdn"), ("runs/deep/games", "deep/games")])
def test_a_run_is_running_while_its_writer_lives(
    copied: Path, watching: Callable[..., RunWatch], clock: Clock, name: str, output: str
) -> None:
    log = log_of(copied / "match.pdn")
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:4]))
    (copied / "deep" / "games" / "shard-000002.h5").unlink()
    watch = watching(copied)

    def state() -> str:
        clock.time += 2
        return {row["name"]: str(row["state"]) for row in watch.rows()}[name]

    assert state() == "stopped"
    with holding(copied / output) as process:
        assert state() == "running"
        process.kill()
        process.wait()
        # its lock is still there
        assert state() == "stopped"


def test_watching_takes_no_lock(made: tuple[Path, MatchResult], watching: Callable[..., RunWatch]) -> None:
    before = sorted(made[0].rglob("*"))
    with storage.lock(made[0] / "match.pdn"), storage.lock(made[0] / "deep" / "games"):
        watch = watching(made[0])
        assert [row["state"] for row in watch.rows()] == ["running", "running"]
        for row in watch.rows():
            watch.page(row["name"])
    assert sorted(made[0].rglob("*")) == before


@pytest.mark.posix("no links without rights")
def test_links_are_not_followed(copied: Path, tmp_path: Path, watching: Callable[..., RunWatch], clock: Clock) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    for name in ("deep", "match.pdn", "match.pdn.log"):
        (inside / name).symlink_to(copied / name)
    (inside / "again").symlink_to(inside)
    watch = watching(inside)
    assert watch.rows() == []
    # the match itself, of which the games then become a link
    for name in ("match.pdn", "match.pdn.log"):
        (inside / name).unlink()
        shutil.copy(copied / name, inside / name)
    clock.time += 2
    assert [row["name"] for row in watch.rows()] == ["inside/match.pdn"]
    (inside / "match.pdn").unlink()
    (inside / "match.pdn").symlink_to(copied / "match.pdn")
    with pytest.raises(InvalidSettingError, match="is a link"):
        watch.game("inside/match.pdn", 0)


@pytest.mark.parametrize(
    "name", ["", ".", "..", "/", "runs/../runs/match.pdn", "runs//match.pdn", "match.pdn", "runs/x"]
)
def test_only_names_of_the_list_are_runs(copied: Path, watching: Callable[..., RunWatch], name: str) -> None:
    with pytest.raises(InvalidSettingError, match="there is no run"):
        watching(copied).page(name)


DAMAGE: dict[str, tuple[str, bytes]] = {
    "a log": ("match.pdn.log", b'{"settings": {"players": []}}\n{"end": 1}\n'),
    "a log of numbers": ("match.pdn.log", b'{"settings": {"players": []}}\n7\n'),
    "a shard": ("deep/games/shard-000001.h5", b"\x89HDF\r\n\x1a\n\x03 nothing"),
    "a description": ("deep/games/run.json", b"[1, 2"),
    "a description of numbers": ("deep/games/run.json", b"[]"),
    "a story of numbers": ("match.pdn.log", b'{"settings": {"players": 1}, "provenance": 7}\n'),
    "a history": ("history.json", b'{"kind": "kr training history", "format_version": 1}'),
    "a history nested deep": ("history.json", b"[" * 100_000),
    "a checkpoint": ("g01.h5.checkpoint", b"PK\x03\x04"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_told_in_a_line(copied: Path, watching: Callable[..., RunWatch], damage: str) -> None:
    place, content = DAMAGE[damage]
    (copied / place).write_bytes(content)
    watch = watching(copied)
    pages = [watch.page(row["name"]) for row in watch.rows()]
    (page,) = (page for page in pages if page["state"] == "damaged")
    assert english(page["progress"])
    assert "\n" not in english(page["progress"])


@pytest.mark.parametrize("damage", DAMAGE)
def test_the_list_says_what_is_damaged_too(
    copied: Path, watching: Callable[..., RunWatch], clock: Clock, damage: str
) -> None:
    """As soon as it was read, which takes no more time of a look than there is."""
    place, content = DAMAGE[damage]
    (copied / place).write_bytes(content)
    watch = watching(copied)
    watch.rows()
    clock.time += 2
    row, page = next((row, page) for row in watch.rows() if (page := watch.page(row["name"]))["state"] == "damaged")
    assert row == {key: page[key] for key in row}
    # what is whole again is so at once
    states = {row["name"]: row["state"] for row in watch.rows()}
    assert sorted(states.values())[0] == "damaged"


def test_a_look_reads_files_for_a_moment_only(
    copied: Path, watching: Callable[..., RunWatch], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    (copied / "deep" / "games" / "shard-000001.h5").write_bytes(DAMAGE["a shard"][1])
    monkeypatch.setattr("kr.web.runs.watching.GLANCE_SECONDS", 0.0)
    watch = watching(copied)
    # one run in each look, so that the second look has read both
    assert "damaged" not in {row["state"] for row in watch.rows()[1:]}
    clock.time += 2
    watch.rows()
    clock.time += 2
    assert {row["name"]: row["state"] for row in watch.rows()}["runs/deep/games"] == "damaged"


@pytest.mark.slow
def test_a_shard_that_hangs_hdf5_hides_nothing(
    copied: Path, watching: Callable[..., RunWatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    shard = copied / "deep" / "games" / "shard-000000.h5"
    content = bytearray(shard.read_bytes())
    heap = content.index(b"GCOL")
    content[heap + 16 : heap + 32] = bytes(16)
    shard.write_bytes(content)
    games, match = (f"{copied.name}/{name}" for name in ("deep/games", "match.pdn"))
    assert "impossible" in english(watching(copied).page(games)["progress"])
    # the same where only the library would find it
    monkeypatch.setattr(structures, "harmful_structure", lambda *given: None)
    monkeypatch.setattr(process, "READ_SECONDS", 1.0)
    remember, ended = process._remember, []
    monkeypatch.setattr(process, "_remember", lambda *given: (ended.append(given), remember(*given)))
    for _ in range(5):
        watch = watching(copied)
        assert "does not finish" in english(watch.page(games)["progress"])
        assert watch.page(match)["state"] == "done"
    assert len(ended) == 1


@pytest.mark.parametrize(
    ("place", "values"),
    [
        ("deep/games/run.json", {"shaping": {"shard_games": 0}, "settings": "7"}),
        ("deep/games/run.json", {"shaping": {"shard_games": {}}, "settings": '{"games": []}', "created": {}}),
        ("deep/games/run.json", {"shaping": {"shard_games": 8}, "settings": '{"games": 1e999}', "created": "now"}),
        ("match.pdn.log", {"settings": {"players": 1}, "provenance": {"settings": '{"sprt": ["a"]}'}}),
        ("match.pdn.log", {"settings": {"players": 1}, "provenance": {"settings": '{"games": "1", "sprt": [9, 1]}'}}),
    ],
)
def test_odd_values_hide_no_other_run(
    copied: Path, watching: Callable[..., RunWatch], place: str, values: dict[str, Any]
) -> None:
    content = (copied / place).read_bytes() if place.endswith(".log") else b""
    (copied / place).write_bytes(json.dumps(values).encode() + b"\n" + content.partition(b"\n")[2])
    watch = watching(copied)
    assert len(watch.rows()) == 2
    for row in watch.rows():
        json.dumps(watch.page(row["name"]), allow_nan=False)


@pytest.mark.parametrize("place", ["match.pdn.log", "deep/games/run.json", "deep/games/shard-000009.h5"])
def test_what_is_no_file_is_not_waited_for(copied: Path, watching: Callable[..., RunWatch], place: str) -> None:
    (copied / place).unlink(missing_ok=True)
    make_fifo(copied / place)
    watch = watching(copied)
    for row in watch.rows():
        watch.page(row["name"])


def test_settings_name_directories_that_are_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettingError, match="--runs takes one with runs in it"):
        WebSettings(runs=(tmp_path / "nothing",))


def test_pages_are_json(made: tuple[Path, MatchResult], watching: Callable[..., RunWatch]) -> None:
    watch = watching(made[0])
    for row in watch.rows():
        page = watch.page(row["name"])
        assert json.loads(json.dumps(page, allow_nan=False))["name"] == row["name"]


def test_what_is_gone_is_said(copied: Path, watching: Callable[..., RunWatch], clock: Clock) -> None:
    watch = watching(copied)
    watch.page("runs/match.pdn")
    shutil.rmtree(copied)
    with pytest.raises(FileNotFoundError):
        watch.game("runs/match.pdn", 0)
    # before the next look it is told as damaged, and nothing breaks
    assert {watch.page(row["name"])["state"] for row in watch.rows()} == {"damaged"}
    clock.time += 2
    assert watch.rows() == []


CELLS = "rows => [...rows].map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent))"
CARDS = """cards => cards.map(card => [".run-name a", ".run-state", ".run-progress", ".muted"].map(
  place => card.querySelector(place).textContent))"""


@pytest.mark.slow
def test_a_match_is_watched_in_the_browser(copied: Path, opened: Opener) -> None:
    """The list, a run by its link, the curve and its numbers, games that are added while one looks, a game opened."""
    log = log_of(copied / "match.pdn")
    written = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(written[:7]))
    with serving(runs=(copied,)) as server:
        page = opened(server.address)
        page.get_by_role("link", name="Runs", exact=True).click()
        page.locator(".run-item").nth(1).wait_for()
        cards = page.locator(".run-item").evaluate_all(CARDS)
        assert [(*card[:3], card[3].split(",")[0]) for card in cards] == [
            ("runs/deep/games", "✓ done", "20 of 20 games", "self-play"),
            ("runs/match.pdn", "■ stopped", "6 of 12 games", "match"),
        ]
        page.get_by_role("link", name="runs/match.pdn").click()
        figure = page.locator("figure").filter(has_text="Elo with its 95% error")
        assert "6 games" in (figure.locator("svg.chart").first.get_attribute("aria-label") or "")
        figure.locator("summary").click()
        figure.locator("tbody tr").nth(2).wait_for()
        assert [row[0] for row in figure.locator("tbody tr").evaluate_all(CELLS)] == ["2", "4", "6"]

        page.locator("button[data-game='3']").focus()
        log.write_bytes(b"".join(written))
        wait_until(page, "() => document.querySelectorAll('button[data-game]').length === 12")
        # what was unfolded stays so, and the focus stays at its game
        wait_until(page, "() => document.querySelector('figure tbody').children.length === 6")
        assert page.evaluate("() => document.activeElement.dataset.game") == "3"
        wait_until(page, "() => document.querySelectorAll('.run-progress')[1].textContent === '12 of 12 games'")

        page.locator("button[data-game='3']").press("Enter")
        wait_until(page, "() => location.hash === '#analyse'")
        page.locator(".turn").wait_for()
        from kr.pdn import read_games

        game = list(read_games(copied / "match.pdn", errors=[]))[3]
        wait_until(page, "count => document.querySelectorAll('main .board .pieces > use').length === count",
                   sum(map(int.bit_count, game.start.bits[:2])))  # fmt: skip
        assert read_board(page) == meant_board(game.start.fen)


@pytest.mark.slow
def test_the_list_of_runs_fits_a_phone(made: tuple[Path, MatchResult], opened: Opener) -> None:
    with serving(runs=(made[0],)) as server:
        page = opened(server.address + "#runs")
        page.locator(".run-item").nth(1).wait_for()
        for size in (*SIZES, PHONE):
            page.set_viewport_size(size)  # type: ignore[arg-type]
            assert out_of_sight(page, [".run-item", ".run-name a"]) == []
            assert all(
                in_view(page, place)
                for place in (".run-item .run-state", ".run-item .run-progress", ".run-item progress")
            )
            assert page.evaluate("() => document.documentElement.scrollWidth") <= size["width"]
        assert faults_in(page, passes=15) == []


@pytest.mark.slow
def test_without_runs_the_page_says_how(opened: Opener, tmp_path: Path) -> None:
    with serving() as server:
        page = opened(server.address + "#runs")
        page.get_by_text("Start kr web with --runs DIR").wait_for()
    with serving(runs=(tmp_path,)) as server:
        page = opened(f"{server.address}#runs/{tmp_path.name}%2Fgames")
        page.get_by_text("There are no runs in the directory yet").wait_for()
        page.get_by_role("status").get_by_text("there is no run").wait_for()
        selfplay(replace(GAMES, out=tmp_path / "games", games=8))
        page.get_by_role("link", name=f"{tmp_path.name}/games").wait_for()
        # as soon as it is there
        page.get_by_role("heading", name=f"{tmp_path.name}/games").wait_for()
        page.locator("figure svg.chart").first.wait_for()
