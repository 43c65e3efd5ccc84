"""Names as they are compared, and folders below folders."""

import json
from pathlib import Path

import pytest
from recorded import write_archive
from systems import POSIX

from kr.archives.archive import Archive, ReadSettings, expanded
from kr.archives.index import open_index
from kr.archives.search import GameSearch, SearchSettings
from kr.archives.stats import ArchiveStats
from kr.errors import InvalidSettingError
from kr.learn.games import run_directories
from kr.pdn import read_games
from kr.studies.people.decisions import read_decisions
from kr.text import plain_name, same_person

CASES = Path(__file__).with_name("cases") / "names.json"
SPELLINGS = ("Müller, Jörg", "MULLER, JORG", "Jorg Muller", "Mu\u0308ller,  Jo\u0308rg")
GAMES = "\n\n".join(
    f'[Event "Açores Open"]\n[Date "1990.01.01"]\n[Black "{name}"]\n[White "O\u2019Łapeć, S."]\n\n1. 9-14 22-18 1-0'
    for name in SPELLINGS
)


@pytest.mark.parametrize(("name", "plain"), json.loads(CASES.read_text("utf-8"))["plain"])
def test_a_name_without_case_and_accents(name: str, plain: str) -> None:
    assert plain_name(name) == plain


@pytest.mark.parametrize(
    ("names", "one"),
    [
        (SPELLINGS, True),
        (("M. F. Tinsley", "Tinsley, M F", "tinsley,m.f."), True),
        (("Tinsley, M", "Tinsley, M F"), False),
        (("Cake 1.85", "Cake 18.5"), False),
        (("Smith, J", "Smith, A"), False),
        (("", "?"), False),
    ],
)
def test_spellings_of_one_person(names: tuple[str, ...], one: bool) -> None:
    assert (len({same_person(name) for name in names}) == 1) == one


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    (tmp_path / "games.pdn").write_text(f"{GAMES}\n", "utf-8")
    return tmp_path / "games.pdn"


@pytest.mark.parametrize(
    "wanted",
    [{"player": ("muller",)}, {"player": ("MÜLLER", "o'lapec")}, {"event": "acores"}, {"tag": ("White=ŁAPEC",)}],
)
def test_search_and_index_find_names_without_their_accents(archive: Path, wanted: dict[str, object]) -> None:
    settings = SearchSettings(files=(archive,), **wanted)  # type: ignore[arg-type]
    expected = len(SPELLINGS)
    search = GameSearch(settings)
    assert sum(search.accepts(game.headers) for game in read_games(archive)) == expected
    index = open_index(archive)
    assert len(index.find(settings)) == expected
    assert sum(games for _, games in index.players("MUller", 9)) == len(SPELLINGS)
    index.close()


def test_spellings_of_one_player_are_one_row(archive: Path) -> None:
    stats = ArchiveStats()
    for game in read_games(archive):
        stats.add(game)
    assert {name: tally.games for name, tally in stats.players.items()} == {SPELLINGS[0]: 4, "O\u2019Łapeć, S.": 4}
    assert read_decisions(ReadSettings((archive,))).players == (SPELLINGS[0], "O\u2019Łapeć, S.")


def test_a_folder_stands_for_the_files_in_it_and_below(tmp_path: Path) -> None:
    for place in ("b.pdn", "a/x.pdn", "a/deep/er/y.pdn", "a/deep/notes.txt"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("x") if place.endswith("txt") else write_archive(tmp_path / place, 2)
    if POSIX:
        (tmp_path / "a" / "round").symlink_to(tmp_path)
    names = [path.relative_to(tmp_path).as_posix() for path in expanded((tmp_path,))]
    assert names == ["a/deep/er/y.pdn", "a/x.pdn", "b.pdn"]
    assert sum(1 for _ in Archive(ReadSettings((tmp_path,)))) == 6
    (tmp_path / "empty" / "er").mkdir(parents=True)
    with pytest.raises(InvalidSettingError, match="holds no PDN file, nor does a folder in it"):
        expanded((tmp_path / "empty",))


def test_runs_are_found_below_a_folder(tmp_path: Path) -> None:
    for place in ("two/shard-0.h5", "one/shard-0.h5", "one/inner/shard-0.h5", "more/deep/shard-1.part", "none/x.h5"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).touch()
    runs = run_directories([tmp_path])
    assert [run.relative_to(tmp_path).as_posix() for run in runs] == ["more/deep", "one", "one/inner", "two"]
    # a run is itself, and a folder without runs stays, to be complained about
    own = (tmp_path / "one", tmp_path / "none", tmp_path / "nowhere")
    assert run_directories([*own, tmp_path / "one"]) == own
