"""Parcels: texts that name files here name the same files there, and nothing outside of the store."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from kr.cluster import parcels
from kr.cluster.parcels import ParcelNeeds, pack, sizes_of, unpack
from kr.cluster.store import Store
from kr.errors import InvalidSettingError, MissingNeedError

FILES = {
    "tables.h5": b"tables",
    "with=1,x+y.h5": b"strange",
    "deck.pdn": b'[Event "x"]',
    "runs/one/champions.h5": b"champions",
    "runs/one/run.json": b"{}",
    "runs/one/.unfinished": b"hidden",
    "runs/one/.cache/x": b"hidden",
    "runs/one/deep/er": b"",
    "db/2/slice.bin": b"slice",
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with FILES, which is the current one."""
    for name, content in FILES.items():
        path = tmp_path / "here" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def sent(text: str, store: Store) -> str:
    """Text that a worker makes of one from here, after its parcel has been JSON and its files are there."""
    parcel, files = pack(text)
    parcel = json.loads(json.dumps(parcel))
    sizes = sizes_of({"need": parcel})
    assert sizes.keys() == files.keys()
    for digest, path in files.items():
        assert sizes[digest] == path.stat().st_size
        store.add_file(path, digest)
    return unpack(parcel, store)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("tables.h5", ["tables.h5"]),
        ("tables.h5,egdb=db", ["tables.h5", ",", "egdb", "=", "db"]),
        ("mcts:tables.h5,playouts=20", ["mcts", ":", "tables.h5", ",playouts=20"]),
        ("evolved:runs/one,generation=9", ["evolved", ":", "runs/one", ",generation=9"]),
        ("with=1,x+y.h5,egdb=db", ["with=1,x+y.h5", ",egdb=", "db"]),
        ("deck.pdn:20", ["deck.pdn", ":20"]),
        ("tables.h5+tables.h5:0.5*with=1,x+y.h5", ["tables.h5", "+", "tables.h5", ":0.5*", "with=1,x+y.h5"]),
        ("./tables.h5", ["./tables.h5"]),
        ("db", ["db"]),
        ("runs", ["runs"]),
    ],
)
def test_texts_with_files_name_the_same_files_elsewhere(text: str, parts: list[str], here: Path, store: Store) -> None:
    assert "".join(parts) == text
    found = sent(text, store)
    for part in parts:
        if not Path(part).exists():
            assert found.startswith(part)
            found = found[len(part) :]
            continue
        place = next(place for place in [*store.root.rglob("*")] if found.startswith(str(place)) and same(part, place))
        found = found[len(str(place)) :]
    assert found == ""


def same(part: str, place: Path) -> bool:
    """True if a place of the store has what a file or directory from here has, without hidden files."""
    path = Path(part)
    if path.is_file():
        return place.is_file() and place.name == path.name and place.read_bytes() == path.read_bytes()
    shown = {name: content for name, content in FILES.items() if "/." not in name}
    return {
        f"{part}/{each.relative_to(place).as_posix()}": each.read_bytes() for each in place.rglob("*") if each.is_file()
    } == {name: content for name, content in shown.items() if name.startswith(f"{part}/")}


@pytest.mark.parametrize(
    "text",
    ["", "shipped", "manual", "material,egdb=none", "evolved:shipped", "random", "3move", "level:4", "no/such/file.h5",
     "hub:tables.h5", "hub:db --x=tables.h5", ".", "..", "a\0b", "x" * 5000, "mcts:", "=,:*+"],
)  # fmt: skip
def test_texts_that_name_nothing_here_travel_as_they_are(text: str, here: Path, store: Store) -> None:
    parcel, files = pack(text)
    assert files == {}
    assert parcel["places"] == []
    assert "".join(parcel["text"]) == text
    assert unpack(json.loads(json.dumps(parcel)), store) == text
    assert not store.root.exists()


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("weights", "manual"),
        ("openings", "endings"),
        ("policy", "shipped"),
        ("player", "material,egdb=none"),
        ("a", "evolved:shipped,generation=9"),
    ],
)
def test_directories_with_the_name_of_something_else_are_not_meant(what: str, text: str, here: Path) -> None:
    for name in ("manual", "endings", "material", "evolved", "generation", "egdb"):
        (here / name).mkdir()
    if what == "policy":
        (here / "shipped").mkdir()
    assert pack(text, what)[1] == {}
    assert pack(text, what)[0]["places"] == []


def test_an_empty_directory_stays_one(here: Path, store: Store) -> None:
    (here / "empty").mkdir()
    assert list(Path(sent("empty", store)).iterdir()) == []


def test_absolute_paths_do_not_travel(here: Path, store: Store) -> None:
    for text in (str(here / "tables.h5"), f"evolved:{here}/runs/one,generation=9"):
        assert str(here) not in json.dumps(pack(text)[0])
        assert str(here) not in sent(text, store)


def test_a_file_that_is_needed_twice_is_sent_once(here: Path) -> None:
    (here / "again.h5").write_bytes(FILES["tables.h5"])
    parcel, files = pack("tables.h5+again.h5")
    assert list(files) == [sha(b"tables")]
    assert [name for listing in parcel["places"] for name, *_ in listing] == ["tables.h5", "again.h5"]


def test_a_directory_of_too_many_files(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parcels, "MOST_FILES", 3)
    pack("runs")
    monkeypatch.setattr(parcels, "MOST_FILES", 2)
    with pytest.raises(InvalidSettingError, match="runs has more than 2 files: too many to send"):
        pack("evolved:runs")


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("C:/x.h5", "C_/x.h5"),
        ("C:x.h5", "C_x.h5"),
        ("\\x.h5", "_x.h5"),
        ("nul", "_nul"),
        ("sub/a: b?.h5", "sub/a_ b_.h5"),
        ("with:colon=1,x@2#.h5", "with_colon=1,x@2#.h5"),
        ("a\\b.h5 ", "a_b.h5"),
    ],
)
def test_names_that_another_system_allows(name: str, there: str, store: Store, tmp_path: Path) -> None:
    """Those of a coordinator on Linux for a worker on Windows, where some lead out of any directory."""
    store.add(sha(b"x"), [b"x"], 1)
    place = Path(unpack({"text": [0], "places": [[[name, sha(b"x"), 1]]], "single": [False]}, store))
    assert [path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()] == [there]
    assert place.parent == store.root / "places"


@pytest.mark.parametrize("name", ["/etc/passwd", "../x", "a/../../x", "a/..", "..", "", "."])
@pytest.mark.parametrize("single", [True, False])
def test_names_outside_of_their_place_are_refused(name: str, single: bool, store: Store, tmp_path: Path) -> None:
    store.add(sha(b"x"), [b"x"], 1)
    parcel = {"text": [0], "places": [[["good", sha(b"x"), 1], [name, sha(b"x"), 1]]], "single": [single]}
    with pytest.raises(MissingNeedError, match="a parcel with the name .*, outside of its place"):
        unpack(parcel, store)
    assert not (store.root / "places").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["store"]


@pytest.mark.parametrize(
    "parcel",
    [
        None, [], "text", {}, {"text": ["a"]}, {"text": [0], "places": [], "single": []},
        {"text": [1], "places": [[["x", sha(b"x"), 1]]], "single": [True]},
        {"text": [0], "places": [[]], "single": [True]},
        {"text": [0], "places": [[["x", sha(b"x"), 1]]], "single": []},
        {"text": [0], "places": [[["x"]]], "single": [True]},
        {"text": [0], "places": [[[7, sha(b"x"), 1]]], "single": [True]},
        {"text": [0], "places": [[["x", "../../x", 1]]], "single": [True]},
        {"text": [0.5], "places": [], "single": []},
        {"text": 7, "places": [], "single": []},
    ],
    ids=repr,
)  # fmt: skip
def test_what_is_no_parcel_makes_no_text(parcel: object, store: Store) -> None:
    """A worker answers with such an error; it does not end."""
    store.add(sha(b"x"), [b"x"], 1)
    with pytest.raises((LookupError, TypeError, ValueError, AttributeError)):
        unpack(parcel, store)  # type: ignore[arg-type]
    assert [path.name for path in store.root.parent.iterdir()] == ["store"]


def test_needs_of_parcels(here: Path, store: Store) -> None:
    first, files = pack("tables.h5")
    needs = ParcelNeeds({"one": first}, store)
    with pytest.raises(FileNotFoundError):
        needs.place("weights", "one")
    for digest, path in files.items():
        store.add_file(path, digest)
    assert Path(needs.place("weights", "one")).read_bytes() == b"tables"
    with pytest.raises(MissingNeedError, match="weights two not found: the coordinator did not send it"):
        needs.place("weights", "two")
    needs.add({"two": pack("manual")[0]})
    assert needs.place("weights", "two") == "manual"


def test_needs_afresh_have_the_same_parcels_and_nothing_loaded(store: Store) -> None:
    needs = ParcelNeeds({"one": pack("manual")[0]}, store)
    loaded: list[str] = []

    def load(place: str) -> tuple[str, int]:
        loaded.append(place)
        return "one", len(loaded)

    assert [needs.load("weights", "one", load) for _ in range(2)] == [1, 1]
    again = needs.afresh()
    assert [again.load("weights", "one", load) for _ in range(2)] == [2, 2]
    assert needs.load("weights", "one", load) == 1
    assert loaded == ["manual", "manual"]


def test_a_place_that_holds_something_else_is_refused(store: Store) -> None:
    needs = ParcelNeeds({"one": pack("manual")[0]}, store)
    with pytest.raises(MissingNeedError, match="manual: weights other found; the unit needs one"):
        needs.load("weights", "one", lambda place: ("other", place))
