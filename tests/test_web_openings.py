"""Requests of pages for openings: their names along a line, in positions, and in searches."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from web_pages import finished

from kr.errors import KrError
from kr.game.position import Position
from kr.web import playing, positions
from kr.web.house import House
from kr.web.request import PageRequest
from kr.web.settings import WebSettings

DOCTOR = Position().play("10-14").play("22-18").play("12-16")


@pytest.fixture(scope="module")
def house() -> House:
    return House(WebSettings(browser=False, weights="material", egdb="none"))


def ask(house: House, what: str, **fields: Any) -> dict[str, Any]:
    return positions.ROUTES[what](house, PageRequest(fields))


@pytest.mark.parametrize(
    ("moves", "names", "ballot"),
    [
        ("", [], None),
        ("11-15 23-19", [("Old Faithful", 1)], None),
        ("11-15 23-19 8-11 22-17 4-8", [("Old Faithful", 1), ("Old Fourteenth", 5)], (126, "", 3)),
        ("12-16 22-18 10-14 24-20", [("Dundee", 1), ("White Doctor", 3)], (68, "White Doctor", 3)),
        ("9-13 22-18 5-9", [("Edinburgh", 1)], None),
    ],
)
def test_a_line_has_names_and_a_ballot(
    house: House, moves: str, names: list[tuple[str, int]], ballot: tuple[int, str, int] | None
) -> None:
    answer = ask(house, "openings/names", moves=moves.split())
    assert [(each["name"], each["ply"]) for each in answer["names"]] == names
    assert answer["ballot"] == (ballot and dict(zip(("number", "name", "ply"), ballot, strict=True)))


def test_a_game_that_is_set_up_has_the_name_of_its_start(house: House) -> None:
    answer = ask(house, "openings/names", start=DOCTOR.fen, moves=["24-20"])
    assert answer == {
        "names": [{"name": "White Doctor", "ply": 0}], "ballot": {"number": 68, "name": "White Doctor", "ply": 0},
    }  # fmt: skip


@pytest.mark.parametrize(
    "fields", [{"moves": ["11-15", "11-15"]}, {"start": "rubbish", "moves": []}, {"moves": "11-15"}]
)
def test_bad_lines_are_refused(house: House, fields: dict[str, Any]) -> None:
    with pytest.raises(KrError):
        ask(house, "openings/names", **fields)


def test_a_position_has_its_name(house: House) -> None:
    assert ask(house, "position", fen=DOCTOR.fen)["opening"] == "White Doctor"
    assert ask(house, "position", fen=Position().fen)["opening"] == ""


@pytest.mark.parametrize(
    ("deck", "wanted", "count", "first"),
    [
        ("3move", "", 174, "9-13 21-17 5-9"),
        ("3move", "octopus", 2, "10-15 21-17 7-10"),
        ("3move", "will o the wisp", 1, "11-15 23-19 9-13"),
        ("3move", "kelso", 26, "10-15 21-17 6-10"),
        ("3move", "68", 1, "10-14 22-18 12-16"),
        ("named", "", 71, "9-13"),
        ("named", "old 14th", 1, "11-15 23-19 8-11 22-17 4-8"),
        ("named", "cross", 6, "11-15 23-18"),
        ("named", "laird", 2, "11-15 23-19 8-11 22-17 9-13"),
        ("named", "11-15 23-19 8-11", 9, "11-15 23-19 8-11 22-17 3-8"),
        ("named", "1. 11-15 23-19 2. 8-11 22-17 9-13", 3, "11-15 23-19 8-11 22-17 9-13"),
        ("named", "Old Faithful", 1, "11-15"),
        ("named", "single corner", 1, "11-15 22-18"),
        ("3move", "1. 11-15 23-19 2. 8-11", 1, "11-15 23-19 8-11"),
        ("11man", "remove 5 and 28", 49, "remove 5 and 28; 9-13 24-20"),
        ("named", "hare", 0, ""),
    ],
)
def test_openings_are_found_by_name_number_and_moves(
    house: House, deck: str, wanted: str, count: int, first: str
) -> None:
    answer = ask(house, "openings", deck=deck, wanted=wanted)
    assert answer["found"] == count
    assert "".join(each["moves"] for each in answer["openings"][:1]) == first
    for each in answer["openings"][:3]:
        opening = ask(house, "opening", deck=deck, number=each["number"])
        assert deck == "11man" or " ".join(move["text"] for move in opening["moves"]) == each["moves"]
        assert each["name"] in opening["title"]


MEANT = (
    ("named", "laird & lady", 1), ("named", "lady", 0), ("3move", "11-15 23-19 8-11", 1), ("3move", "126", 1),
    ("3move", "", 0), ("named", "switcher", 2), ("3move", "old faithful", 0),
)  # fmt: skip


@pytest.mark.parametrize(("deck", "wanted", "count"), MEANT)
def test_what_a_text_means_stands_first(house: House, deck: str, wanted: str, count: int) -> None:
    assert ask(house, "openings", deck=deck, wanted=wanted)["meant"] == count


@pytest.mark.parametrize(
    ("wanted", "moves", "title"),
    [
        ("11-15 23-19 8-11", "11-15 23-19 8-11", "Old Faithful"),
        ("1. 11-15, 23-19 2. 8-11 22-17 9-13 17-14", "11-15 23-19 8-11 22-17 9-13 17-14", "Laird and Lady"),
        ("11-15 23-19 8-11 22-17 9-13 17-1", None, None),
        ("Old Faithful", None, None),
        ("", None, None),
    ],
)
def test_a_line_that_is_typed(house: House, wanted: str, moves: str | None, title: str | None) -> None:
    line = ask(house, "openings/line", wanted=wanted)["line"]
    assert (line and " ".join(each["text"] for each in line["moves"])) == moves
    assert (line and line["title"]) == title


def test_a_game_begins_from_an_opening_by_its_name_and_tells_names(tmp_path, monkeypatch, house: House) -> None:
    monkeypatch.setattr(playing, "new_path", lambda: tmp_path / "20261122-224501-9f86d081884c7d659a2f.pdn")

    async def told() -> None:
        asked = {"level": 1, "side": "black", "ballot": "ayrshire lassie"}
        stream = playing.play(house, PageRequest(asked), asyncio.Queue())
        try:
            game = (await anext(stream))["game"]
            assert game["settings"]["ballot"] == "Ayrshire Lassie"
            assert [node["text"] for node in game["document"]["nodes"][1:]] == ["11-15", "24-20"]
            while "state" not in (event := await anext(stream)):
                pass
            assert event["state"]["opening"] == "Ayrshire Lassie"
        finally:
            await stream.aclose()

    finished(told())
