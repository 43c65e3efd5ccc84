"""Openings as the page finds them: by number, name and moves, and their names along a game."""

from typing import Any

import pytest
from page import Page

from kr.game.position import Position
from kr.openings.decks import deck
from kr.openings.lines import named_lines

DOCTOR = Position().play("10-14").play("22-18").play("12-16")


@pytest.mark.parametrize("name", ["3move", "11man", "named"])
def test_openings_by_number(page: Page, name: str) -> None:
    starts = [(each.begin(), each.moves) for each in deck(name, playable_only=False)] if name != "named" else [
        ((Position(), line.moves.split()), line.moves) for line in named_lines()
    ]  # fmt: skip
    for number in range(1, len(starts) + 1, len(starts) // 35):
        (start, moves), _ = starts[number - 1]
        answer = page.ask("opening", {"deck": name, "number": number})
        assert (answer["start"], [each["text"] for each in answer["moves"]]) == (start.fen, [*map(str, moves)])
    for bad in (0, len(starts) + 1, 1.5, "1", None, True):
        assert "number is" in page.ask("opening", {"deck": name, "number": bad})["error"]


@pytest.mark.parametrize(
    ("deck", "wanted", "count", "meant", "first"),
    [
        ("3move", "", 174, 0, "9-13 21-17 5-9"),
        ("3move", "octopus", 2, 2, "10-15 21-17 7-10"),
        ("3move", "will o the wisp", 1, 1, "11-15 23-19 9-13"),
        ("3move", "kelso", 26, 0, "10-15 21-17 6-10"),
        ("3move", "68", 1, 1, "10-14 22-18 12-16"),
        ("3move", "\uff16\uff18", 1, 1, "10-14 22-18 12-16"),
        ("3move", "1. 11-15 23-19 2. 8-11", 1, 1, "11-15 23-19 8-11"),
        ("3move", "old faithful", 22, 0, "11-15 21-17 8-11"),
        ("named", "", 71, 0, "9-13"),
        ("named", "old 14th", 1, 1, "11-15 23-19 8-11 22-17 4-8"),
        ("named", "cross", 6, 1, "11-15 23-18"),
        ("named", "laird & lady", 2, 1, "11-15 23-19 8-11 22-17 9-13"),
        ("named", "lady", 2, 0, "11-15 23-19 8-11 22-17 9-13"),
        ("named", "11-15 23-19 8-11", 9, 0, "11-15 23-19 8-11 22-17 3-8"),
        ("named", "1. 11-15 23-19 2. 8-11 22-17 9-13", 3, 1, "11-15 23-19 8-11 22-17 9-13"),
        ("named", "Old Faithful", 1, 1, "11-15"),
        ("named", "switcher", 2, 2, "11-15 21-17"),
        ("named", "hare", 0, 0, ""),
        ("11man", "remove 5 and 28", 49, 0, "remove 5 and 28; 9-13 24-20"),
    ],
)
def test_openings_are_found_by_name_number_and_moves(
    page: Page, deck: str, wanted: str, count: int, meant: int, first: str
) -> None:
    answer = page.ask("openings", {"deck": deck, "wanted": wanted})
    assert (answer["found"], answer["meant"], len(answer["openings"])) == (count, meant, min(count, 40))
    assert "".join(each["moves"] for each in answer["openings"][:1]) == first
    for each in answer["openings"][:3]:
        opening = page.ask("opening", {"deck": deck, "number": each["number"]})
        assert deck == "11man" or " ".join(move["text"] for move in opening["moves"]) == each["moves"]
        assert each["name"] in opening["title"]


@pytest.mark.parametrize(
    ("wanted", "moves", "title"),
    [
        ("11-15 23-19 8-11", "11-15 23-19 8-11", "Old Faithful"),
        ("1. 11-15, 23-19 2. 8-11 22-17 9-13 17-14", "11-15 23-19 8-11 22-17 9-13 17-14", "Laird and Lady"),
        ("9-14 23-18 14-23 27:18", "9-14 23-18 14x23 27x18", "Double Cross"),
        ("11-15 23-19 8-11 22-17 9-13 17-1", None, None),
        ("Old Faithful", None, None),
        (" , ", None, None),
    ],
)
def test_a_line_that_is_typed(page: Page, wanted: str, moves: str | None, title: str | None) -> None:
    line = page.ask("openings/line", {"wanted": wanted})["line"]
    assert (line and " ".join(each["text"] for each in line["moves"])) == moves
    assert (line and line["title"]) == title


def test_a_game_that_is_set_up_has_the_name_of_its_start(page: Page) -> None:
    assert page.ask("openings/names", {"start": DOCTOR.fen, "moves": ["24-20"]}) == {
        "names": [{"name": "White Doctor", "ply": 0}], "ballot": {"number": 68, "name": "White Doctor", "ply": 0},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("what", "body", "why"),
    [
        ("openings/names", {"moves": ["11-15", "11-15"]}, "11-15 is not legal"),
        ("openings/names", {"start": "rubbish", "moves": []}, "rubbish"),
        ("openings/names", {"moves": "11-15"}, "moves is not a list"),
        ("openings/names", {"moves": ["11-15"] * 2001}, "at most 2,000"),
        ("openings", {}, "deck is missing"),
        ("openings", {"deck": "2move"}, "deck is not one of"),
        ("openings", {"deck": "3move", "wanted": "x" * 101}, "101 characters"),
        ("openings/line", {"wanted": 3}, "wanted is not text"),
    ],
)
def test_bad_requests_are_refused(page: Page, what: str, body: dict[str, Any], why: str) -> None:
    assert why in page.ask(what, body)["error"]


def test_a_game_begins_from_an_opening_by_its_name_and_tells_names(page: Page) -> None:
    stream = page.open("play", {"level": 1, "side": "black", "ballot": "ayrshire lassie"})
    game = stream.until("game")["game"]
    assert game["settings"]["ballot"] == "Ayrshire Lassie"
    assert [node["text"] for node in game["document"]["nodes"][1:]] == ["11-15", "24-20"]
    assert stream.until("state")["state"]["opening"] == "Ayrshire Lassie"
    stream.stop()
