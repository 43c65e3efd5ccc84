"""The journal of long work: what it keeps, what it cuts off, and what it refuses."""

import os
from contextlib import nullcontext
from dataclasses import dataclass

import pytest

from kr.errors import InvalidGamesError, InvalidSettingError, OutputBusyError
from kr.jobs.journal import JournalView, open_journal, typed

SETTINGS = {"seed": 1, "tc": "nodes=50"}


def add(path, *numbers, settings=SETTINGS, standing=len):
    """Write numbers down; returns those that were there before."""
    with open_journal(path, settings, {}, lambda values: values["number"] + 0, standing) as journal:
        for number in numbers:
            journal.append({"number": number})
        return journal.entries


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "deep" / "journal"
    assert add(path, 1, 2, 3) == []
    return path


def test_finished_work_is_found_again(path):
    assert add(path, 4) == [1, 2, 3]
    assert add(path) == [1, 2, 3, 4]


@pytest.mark.parametrize("cut", [1, 5, 13])
def test_a_line_cut_off_is_removed(path, cut):
    path.write_bytes(path.read_bytes()[:-cut])
    assert add(path, 5) == [1, 2]
    assert add(path) == [1, 2, 5]


def test_a_first_line_cut_off_begins_anew(path):
    path.write_bytes(path.read_bytes()[:20])
    assert add(path, 7) == []
    assert add(path) == [7]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_incomplete_work_is_removed(path, count):
    assert add(path, standing=lambda numbers: count) == [1, 2, 3][:count]
    assert add(path, 7) == [1, 2, 3][:count]
    assert add(path) == [*[1, 2, 3][:count], 7]


@pytest.mark.parametrize("zeros", [1, 5, 13, 14, 20])
@pytest.mark.parametrize("grown", [0, 4096])
def test_lines_that_a_power_cut_left_as_zeros_are_removed(path, zeros, grown):
    whole = path.read_bytes()
    path.write_bytes(whole[:-zeros] + bytes(zeros + grown))
    kept = [1, 2] if zeros < 15 else [1]
    assert add(path, 5) == kept
    assert add(path) == [*kept, 5]


def test_zeros_before_a_good_line_are_removed_with_it(path):
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1] + bytes(10) + lines[2][10:] + lines[3])
    assert add(path) == [1]


@pytest.mark.parametrize("left", [0, 5, 12, 30])
def test_a_journal_that_never_reached_the_disk_begins_anew(path, left):
    whole = path.read_bytes()
    path.write_bytes(whole[:left] + bytes(len(whole) - left))
    assert add(path, 7) == []
    assert add(path) == [7]


def test_a_line_is_on_the_disk_before_the_work_continues(path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_size))
    with open_journal(path, SETTINGS, {}, dict) as journal:
        for number in (4, 5):
            journal.append({"number": number})
            assert synced[-1] == path.stat().st_size
    assert len(synced) == 2


@pytest.mark.parametrize("line", ["nonsense", "{}", "[1]", '{"number": "x"}', "7", "null", "[" * 100_000, "9" * 5000])
def test_a_damaged_line_is_named(path, line):
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], line, lines[3]]) + "\n")
    with pytest.raises(InvalidGamesError, match="line 3 is damaged"):
        add(path)


@pytest.mark.parametrize("text", ["hello", "hello\nworld\n", "{}\n", '{"settings"\n', "\0\0hello", "\0" * 5000 + "x"])
def test_a_foreign_file_is_left_alone(path, text):
    path.write_text(text)
    with pytest.raises(InvalidSettingError, match="choose another file"):
        add(path)
    assert path.read_text() == text


@pytest.mark.parametrize("settings", [{"seed": 2, "tc": "nodes=50"}, {"seed": 1}, SETTINGS | {"more": 0}])
def test_other_settings_are_refused(path, settings):
    with pytest.raises(InvalidSettingError, match="choose another file"):
        add(path, settings=settings)


def test_a_journal_without_a_new_setting_resumes_if_it_is_none(path):
    assert add(path, settings=SETTINGS | {"tc_b": None}) == [1, 2, 3]


@pytest.mark.parametrize("first", ['{"settings": [1]}', '{"settings": 7}', '{"settings": [[1, 2, 3]]}'])
def test_a_damaged_first_line_is_named(path, first):
    path.write_text(f"{first}\n")
    with pytest.raises(InvalidGamesError, match="line 1 is damaged"):
        add(path)


@dataclass
class Entry:
    count: int
    share: float
    name: str | None
    rows: tuple[int, ...]
    found: bool | None


@pytest.mark.parametrize(
    ("change", "good"),
    [
        ({}, True),
        ({"share": 1, "name": None, "found": None}, True),
        ({"count": "1"}, False),
        ({"count": True}, False),
        ({"count": 1.0}, False),
        ({"count": None}, False),
        ({"share": "x"}, False),
        ({"name": 3}, False),
        ({"rows": [1]}, False),
        ({"found": 0}, False),
    ],
)
def test_fields_of_other_types_are_damage(change, good):
    entry = Entry(**{"count": 1, "share": 0.5, "name": "x", "rows": (1,), "found": True} | change)
    with nullcontext() if good else pytest.raises(TypeError):
        assert typed(entry) is entry


def test_one_writer(path):
    with open_journal(path, SETTINGS, {}, dict), pytest.raises(OutputBusyError):
        add(path)


@pytest.mark.parametrize("number", [None, 4])
def test_an_error_takes_no_finished_piece_along(path, number):
    before = path.read_bytes()
    with pytest.raises(InvalidGamesError), open_journal(path, SETTINGS, {}, dict) as journal:
        if number is not None:
            journal.append({"number": number})
        raise InvalidGamesError("of the work")
    assert path.read_bytes().startswith(before)


def test_entries_are_read_again_by_their_number(path):
    with open_journal(path, SETTINGS, {}, dict) as journal:
        journal.append({"number": 4})
        assert [journal.values(number) for number in (3, 0, 2, 1)] == [{"number": number} for number in (4, 1, 3, 2)]
        journal.append({"number": 5})
        assert (journal.count, journal.values(4)) == (5, {"number": 5})


def test_a_view_reads_on_beside_the_writer(path):
    """Nothing is locked, and what a resumed run cut off or wrote anew is seen."""
    view = JournalView(path, lambda values: values["number"] + 0)
    with open_journal(path, SETTINGS, {}, lambda values: values["number"] + 0) as journal:
        view.look()
        assert (view.entries, view.settings) == ([1, 2, 3], SETTINGS)
        journal.append({"number": 4})
        view.look()
        view.look()
        assert (view.entries, view.beginnings) == ([1, 2, 3, 4], 1)
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    view.look()
    assert (view.entries, view.beginnings) == ([1, 2, 3], 2)
    path.write_bytes(whole + b'{"number": 5}\n{"number": ')
    view.look()
    assert (view.entries, view.beginnings) == ([1, 2, 3, 4, 5], 2)
    path.write_bytes(whole[:-14] + b'{"number": 70}\n{"number": 71}\n{"number": 72}\n')
    view.look()
    assert view.entries == [1, 2, 3, 70, 71, 72]


@pytest.mark.parametrize("line", [b"7", b'{"number": "x"}', b"{}", b"[1", b"\xff"])
def test_a_view_refuses_damage(path, line):
    path.write_bytes(path.read_bytes() + line + b"\n")
    with pytest.raises(InvalidGamesError, match="line 5 is damaged"):
        JournalView(path, lambda values: values["number"] + 0).look()
