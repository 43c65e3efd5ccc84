"""A worker's store: files by checksum, whole or absent, shared by the workers of a machine, within its limit."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

from kr.cluster import store as module
from kr.cluster.store import DEFAULT_LIMIT, Store, digest_of
from kr.errors import InvalidSettingError


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def put(store: Store, content: bytes, age: float = 0.0) -> str:
    """Add a file that was last used `age` seconds ago."""
    digest = sha(content)
    store.add(digest, [content], len(content))
    if age:
        now = os.stat(store.path(digest)).st_mtime
        os.utime(store.path(digest), (now - age, now - age))
    return digest


def files(root: Path) -> list[str]:
    """All files below a directory."""
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


def test_files_are_found_by_their_content(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    assert store.missing([sha(b"one"), sha(b"two")]) == [sha(b"one"), sha(b"two")]
    assert files(tmp_path) == []
    store.add(sha(b"one"), [b"o", memoryview(b"n"), b"", b"e"], 3)
    assert store.missing([sha(b"one"), sha(b"two")]) == [sha(b"two")]
    assert store.path(sha(b"one")).read_bytes() == b"one"
    put(store, b"")
    assert store.path(sha(b"")).read_bytes() == b""
    assert len(files(tmp_path)) == 2


def test_a_file_that_is_here_is_not_read_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    put(store, b"one")

    def blocks() -> Iterator[bytes]:
        pytest.fail("read again")
        yield b""

    store.add(sha(b"one"), blocks(), 3)


@pytest.mark.parametrize("blocks", [[b"other"], [b"on"], [b"one", b"e"], []])
def test_content_that_was_damaged_on_its_way_is_not_kept(blocks: list[bytes], tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(ValueError, match=f"a file was damaged on its way: [0-9a-f]{{64}} instead of {sha(b'one')}"):
        store.add(sha(b"one"), blocks, 3)
    assert files(tmp_path) == []


@pytest.mark.parametrize(
    "digest", ["", "ab", "../" * 22, "A" * 64, "a" * 63, "a" * 65, "a" * 64 + "\n", "/etc/passwd", "0" * 62 + "/x"]
)
def test_what_is_no_checksum_names_no_file(digest: str, tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(ValueError, match="is not a SHA-256"):
        store.add(digest, [b"x"], 1)
    with pytest.raises(ValueError, match="is not a SHA-256"):
        store.missing([digest])
    assert files(tmp_path) == []


def test_two_writers_of_one_file(tmp_path: Path) -> None:
    """Both are half way when the other begins; one file is left."""
    store, both = Store(tmp_path), threading.Barrier(2)

    def blocks() -> Iterator[bytes]:
        yield b"o"
        both.wait(60)
        yield b"ne"

    threads = [threading.Thread(target=store.add, args=(sha(b"one"), blocks(), 3)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert files(tmp_path / "files") == [f"{sha(b'one')[:2]}/{sha(b'one')}"]
    assert store.path(sha(b"one")).read_bytes() == b"one"


def test_a_writer_that_fails_leaves_nothing_half_written(tmp_path: Path) -> None:
    store = Store(tmp_path)

    def blocks() -> Iterator[bytes]:
        yield b"o"
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OSError, match="No space left on device") as caught:
        store.add(sha(b"one"), blocks(), 3)
    assert caught.value.filename == str(tmp_path)
    assert files(tmp_path) == []
    put(store, b"one")


def test_the_files_not_used_for_longest_go_first(tmp_path: Path) -> None:
    store = Store(tmp_path, limit=10)
    old, used, new = put(store, b"old!", 300), put(store, b"used", 400), put(store, b"n", 100)
    assert store.missing([used]) == []  # which uses it
    coming = put(store, b"come")
    assert store.missing([old, used, new, coming]) == [old]
    assert sum(status.st_size for status in store.sizes().values()) == 9


def test_a_file_larger_than_the_store_is_kept_alone(tmp_path: Path) -> None:
    store = Store(tmp_path, limit=10)
    small = put(store, b"small", 10)
    large = put(store, b"l" * 50)
    assert store.missing([small, large]) == [small]


def test_what_fits_stays(tmp_path: Path) -> None:
    store = Store(tmp_path, limit=10)
    digests = [put(store, bytes([i]) * 2, 100 - i) for i in range(5)]
    assert store.missing(digests) == []


def test_space_is_not_kept_by_the_links_of_places(tmp_path: Path) -> None:
    store = Store(tmp_path, limit=10)
    first = put(store, b"12345678", 100)
    place = store.directory([("a", first, 8)])
    put(store, b"other")
    assert not place.exists()
    assert store.missing([first]) == [first]


LISTING = [("tables.h5", b"tables"), ("deep/er/one", b"1"), ("deep/two", b"1"), ("a name", b"")]


def listed(store: Store, listing: list[tuple[str, bytes]]) -> list[tuple[str, str, int]]:
    return [(name, put(store, content), len(content)) for name, content in listing]


def test_a_directory_has_its_files_under_their_names(tmp_path: Path) -> None:
    store = Store(tmp_path)
    listing = listed(store, LISTING)
    place = store.directory(listing)
    assert {name: (place / name).read_bytes() for name in files(place)} == dict(LISTING)
    for name, digest, _ in listing:
        assert os.path.samefile(place / name, store.path(digest)) or sys.platform == "win32"
    assert store.directory(listing) == place
    assert store.directory(listing[:2]) != place
    assert store.directory([("other", *rest) for _, *rest in listing[:1]]) != place  # type: ignore[misc]
    assert sorted(path.name for path in (tmp_path / "places").iterdir() if path.name.startswith(".")) == []


def test_a_directory_that_was_damaged_is_made_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    listing = listed(store, LISTING)
    place = store.directory(listing)
    (place / "deep" / "two").unlink()
    assert (store.directory(listing) / "deep" / "two").read_bytes() == b"1"


def test_a_directory_of_files_that_are_not_here(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(FileNotFoundError):
        store.directory([("a", put(store, b"here"), 4), ("b", sha(b"elsewhere"), 9)])
    assert files(tmp_path / "places") == []


def test_where_there_are_no_links_files_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(source: Path, target: Path) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(source))

    monkeypatch.setattr(os, "link", no_links)
    store = Store(tmp_path)
    place = store.directory(listed(store, LISTING))
    assert {name: (place / name).read_bytes() for name in files(place)} == dict(LISTING)


@pytest.mark.parametrize("damaged", [False, True])
def test_many_workers_make_one_directory(damaged: bool, tmp_path: Path) -> None:
    """None takes away what another one has begun to read."""
    store, begin = Store(tmp_path), threading.Barrier(8)
    listings = [listed(store, [(f"{i}/{i}", bytes([i])) for i in range(first, first + 9)]) for first in range(8)]
    errors: list[BaseException] = []
    if damaged:
        for listing in listings:
            (store.directory(listing) / listing[4][0]).unlink()

    def make() -> None:
        try:
            for listing in listings:
                begin.wait(60)
                place = store.directory(listing)
                for name, digest, _ in listing:
                    assert sha((place / name).read_bytes()) == digest
        except BaseException as error:
            errors.append(error)
            begin.abort()

    threads = [threading.Thread(target=make) for _ in range(8)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    finally:
        sys.setswitchinterval(interval)
    assert errors == []
    assert {path.name for path in (tmp_path / "places").iterdir()} == {store.directory(each).name for each in listings}


def test_clear_removes_all_and_says_how_much(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert store.clear() == 0
    store.directory(listed(store, LISTING))
    assert store.clear() == len(b"tables" + b"1")
    assert files(tmp_path) == []
    assert store.sizes() == {}
    put(store, b"again")


def test_workers_that_share_a_store_clear_it_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)
    for number in range(20):
        put(store, bytes([number]) * 10)
    walk = os.walk
    met = []

    def walked_while_it_goes(top: Path) -> Iterator[tuple[str, list[str], list[str]]]:
        for found in walk(top):
            if len(met) == 3:
                shutil.rmtree(tmp_path / "files")
            met.append(found)
            yield found

    monkeypatch.setattr(module.os, "walk", walked_while_it_goes)
    assert 0 < store.clear() < 200
    assert files(tmp_path) == []


def test_where_the_store_is_and_how_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("KR_STORE", raising=False)
    monkeypatch.delenv("KR_STORE_SIZE", raising=False)
    store = Store.of_environment()
    assert (store.root, store._limit) == (tmp_path / "cache" / "kr" / "store", DEFAULT_LIMIT)
    monkeypatch.setenv("KR_STORE", str(tmp_path / "own"))
    monkeypatch.setenv("KR_STORE_SIZE", "20GB")
    store = Store.of_environment()
    assert (store.root, store._limit) == (tmp_path / "own", 20 << 30)


@pytest.mark.parametrize("links", [True, False])
def test_directories_stay_if_none_of_their_files_goes(
    links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other workers may be about to read them."""
    if not links:
        monkeypatch.setattr(module.os, "link", Mock(side_effect=OSError(errno.EPERM, "no links")))
    store = Store(tmp_path, limit=10)
    old, new = put(store, b"old!", 300), put(store, b"new!", 200)
    both = [("a", old, 4), ("b", new, 4)]
    places = [store.directory(listing) for listing in ([("c", new, 4)], both, [("d", old, 4), ("e", old, 4)])]
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.read_bytes() == b"old!":
            os.utime(path, (0, 0))
    put(store, b"come")
    assert [place.exists() for place in places] == [True, False, False]
    assert store.missing([old, new]) == [old]


@pytest.mark.parametrize("size", ["much", "-1", "20 elephants"])
def test_a_size_that_is_none_is_refused_by_the_name_of_its_variable(size: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KR_STORE_SIZE", size)
    with pytest.raises(InvalidSettingError, match="KR_STORE_SIZE: "):
        Store.of_environment()


def test_a_file_of_this_machine_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COPY_BYTES", 7)
    path = tmp_path / "weights.h5"
    path.write_bytes(b"0123456789" * 5)
    store = Store(tmp_path / "store")
    store.add_file(path, digest_of(path))
    assert store.path(digest_of(path)).read_bytes() == path.read_bytes()
    assert not os.path.samefile(store.path(digest_of(path)), path)


def test_a_file_that_changed_while_it_was_sent(tmp_path: Path) -> None:
    path = tmp_path / "weights.h5"
    path.write_bytes(b"before")
    digest = digest_of(path)
    path.write_bytes(b"after it")
    store = Store(tmp_path / "store")
    with pytest.raises(ValueError, match="damaged on its way"):
        store.add_file(path, digest)
    assert digest_of(path) == sha(b"after it")
