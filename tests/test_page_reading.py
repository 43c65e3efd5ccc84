"""Texts and files that people open in the page without a server, against what kr web reads of them."""

import ast
import base64
import bz2
import gzip
import lzma
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import test_fen_forms
import test_hostile_text
import test_pdn
import test_pdn_forgiving
import test_pdn_properties
import test_pdn_scan
import test_pdn_setups
import test_pdn_tree
import test_pdn_world
import test_web_games
from hypothesis import example, given, settings
from hypothesis import strategies as st
from page import Page, server_answer, web_house

from kr.pdn import Game, write_game
from kr.web import game_lists
from kr.web.games import LONGEST_PASTE, MOST_PASTED_GAMES
from kr.web.house import House

pytestmark = pytest.mark.slow

MODULES = (
    test_fen_forms, test_hostile_text, test_pdn, test_pdn_forgiving, test_pdn_properties, test_pdn_scan,
    test_pdn_setups, test_pdn_tree, test_pdn_world, test_web_games,
)  # fmt: skip
GAMES = Path(__file__).parent / "data" / "games.pdn"
CONVENTIONS = ("english", "white")
PARTS = GAMES.read_text("utf-8").split("\n\n")
PIECES = [
    "1. ", "11-15 ", "23-19 ", "9-14 ", "22x18 ", "25x18x9 ", "9 - 13", "22:17", "\u00d7", "\u2013", "0914 ", "c3-d4 ",
    "A3B4", "33-28 ", "0-0 ", "{", "}", "(", ")", "[", "]", '"', "\u201c", "\u201d", "\\", "*", "1-0 ", "\u00bd",
    "1/2-1/2", "2-0", ";", "%", "\n%", "!", "?!", "(!)", "$3", "$", "- - ", "--", "/", '/FEN "B:W18:B10"/', "/FEN ",
    "1.", "...", "\u2026", "\n---\n", "=", "#", "<b>", "\n", "\n\n", "\r\n", "\r", "\t", "\v", "\x00", "\x1a", "\u00a0",
    "\x1c", "\x1f", "\x85", "\u2028", "\ufeff", "word ", "Bob11-15", "\u00e9", "\u0663", "\u00b2", "\U0001f600",
    "\U0001d49c", "_", "(a note 5)",
    "(11-15 x)", "(1. 0914)", "*11-15 ", "1 ", "---A ", "-b2 ",
    '[Event "x"]\n', '[Event \u201cx\u201d]\n', '[Event "y"]\n', '[FEN "W:W21:B1"]\n',
    '[FEN "B:Wh8:Ba1"]\n', '[FEN "W:W1:B5"]\n', '[GameType "21,W"]\n', '[GameType "21,W,8,8,A0,0"]\n',
    '[GameType "21,B,8,8,N2,1"]\n', '[GameType "25"]\n', '[Variant "english"]\n', '[Result "1-0"]\n',
    '[Result "0-1"]\n', '[Red "r"]\n', '[P1 "p"]\n[P2 "q"]\n', '[Black "b"]\n', '[White "w"]\n',
    '{a\n\n[A "b"]\n[C "d"]\n', "\nW:W21,K30:B1,2\n", "\nB:W32:B1-12\n", "\n2 words # ",
]  # fmt: skip
"""What the texts of games are mixed with."""
PEOPLE = ["Ann", "Bob", "M\u00fcller", "O\u2019Neill", "\u00c6gir", "Stra\u00dfe"]
NAMES = "M\u00fcller, Jos\u00e9; \u00c5ngstr\u00f6m \u2013 \u00c7elik, R\u00f8mer"
Ask = Callable[[str, dict[str, Any]], Any]


@pytest.fixture(scope="module")
def house() -> House:
    return web_house(egdb="none")


def check(page: Page, house: House, **fields: Any) -> Any:
    """Both read the same, or refuse it in the same words."""
    answer, expected = page.ask("games/read", fields), server_answer(house, "games/read", fields)
    if "upload" in expected:
        assert answer.keys() == {"upload"}
    else:
        assert answer == expected
    return answer


def packed(content: bytes) -> str:
    return base64.b64encode(content).decode()


def texts_of(module: ModuleType) -> Iterator[str]:
    """Texts in the source of a test module."""
    assert module.__file__ is not None
    for node in ast.walk(ast.parse(Path(module.__file__).read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(str(each.value) if isinstance(each, ast.Constant) else "9-13 22-18 " for each in node.values)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.__name__))
def test_texts_of_other_tests(page: Page, house: House, module: ModuleType) -> None:
    read = 0
    for text in sorted(set(texts_of(module))):
        answers = [check(page, house, text=text, results=results) for results in CONVENTIONS]
        read += "games" in answers[0]
    assert read > 2


@pytest.mark.parametrize("results", CONVENTIONS)
def test_a_file_of_every_way_of_writing(page: Page, house: House, results: str) -> None:
    answer = check(page, house, data=packed(GAMES.read_bytes()), results=results)
    assert len(answer["games"]) == 6
    for row in answer["games"]:
        assert "document" in check(page, house, text=row["pdn"], results=results)


@st.composite
def mixed(draw: st.DrawFn) -> str:
    """Pieces of PDN, or texts of games with pieces in them."""
    if draw(st.booleans()):
        return "".join(draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=25)))
    text = "\n\n".join(draw(st.lists(st.sampled_from(PARTS), min_size=1, max_size=3)))
    for _ in range(draw(st.integers(0, 6))):
        begin = draw(st.integers(0, len(text)))
        end = begin + draw(st.sampled_from([0, 0, 1, 2, 5, 30]))
        text = text[:begin] + draw(st.sampled_from(["", *PIECES])) + text[end:]
    return text


@settings(max_examples=500)
@given(mixed(), st.sampled_from(CONVENTIONS))
@example('[GameType "20"]\n' + "\U0001f600" * 70 + " 1. 32-28", "english")
def test_damaged_games(page: Page, house: House, text: str, results: str) -> None:
    check(page, house, text=text, results=results)


@settings(max_examples=100)
@given(st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=60))
def test_any_text(page: Page, house: House, text: str) -> None:
    check(page, house, text=f"1. 11-15 {{{text}}} 23-19 {text}")


@settings(max_examples=100)
@given(st.binary(max_size=60).filter(lambda content: not content.startswith((b"\x1f\x8b", b"\xfd7zXZ", b"BZh"))))
def test_any_bytes(page: Page, house: House, content: bytes) -> None:
    check(page, house, data=packed(b"1. 11-15 {" + content))
    check(page, house, data=packed(content))


@pytest.mark.parametrize("seed", range(3))
def test_faults_anywhere_in_what_is_read_at_once(page: Page, house: House, seed: int) -> None:
    """Blocks of text end within games, and characters beyond the 16 bits of JavaScript count as one."""
    source = random.Random(seed)
    parts: list[str] = []
    while sum(map(len, parts)) < 300_000:
        part = source.choice([*PARTS, "{" + "\U0001f600" * 3000 + "} 11-15 11-15", "{" + "long " * 4000 + "}"])
        at = source.randrange(len(part))
        parts.append(part[:at] + source.choice(PIECES) + part[at:] if source.random() < 0.2 else part)
    check(page, house, text="\n\n".join(parts))


@pytest.mark.parametrize("encoding", "utf-8 utf-8-sig utf-16 utf-16-be cp1252 latin-1 cp437 cp850".split())
def test_encodings(page: Page, house: House, encoding: str) -> None:
    names = NAMES if encoding.startswith("utf") or encoding == "cp1252" else NAMES.replace("\u2013", "-")
    text = f'[Event "{names}"]\n[Black "{names}"]\n\n1. 11-15 {{{names}}} *\n' * 3
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    answer = check(page, house, data=packed(mark + text.encode(encoding, "replace")))
    if encoding not in ("cp437", "cp850"):
        assert [row["event"] for row in answer["games"]] == [names] * 3


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize(
    "text", ["W:W21:B1", "W:W21:B1\r\nB:W21:B1\r\n", "# two\n\nW:W21:B1\nB:W21:B21\n", "", "\ufeffW:W21:B1"]
)
def test_byte_order_marks_before_positions(page: Page, house: House, encoding: str, text: str) -> None:
    content = (b"\xfe\xff" if encoding == "utf-16-be" else b"") + text.encode(encoding)
    for answer in (check(page, house, data=packed(content)), check(page, house, text=f"\ufeff{text}")):
        assert ("games" in answer) == text.startswith(("W", "#"))
    lists = [listed(ask, uploaded(ask, content)) for ask in both(page, house)]
    assert lists[0] == lists[1]


@pytest.mark.parametrize("blank", "\x1c \x1f \x85 \ufeff \xa0 \u2028".split(" "), ids=ascii)
def test_odd_blanks_around_positions(page: Page, house: House, blank: str) -> None:
    for text in ("_W:W21:B1_", "W_:_W21,_22:B1", '[FEN_"W:W21:B1"]', "W:W21:B1\n_\n_B:W21:B1_# x_", "W:W2_1:B1", "_"):
        check(page, house, text=text.replace("_", blank))


@pytest.mark.parametrize("place", ["{}a", "a{}", "A{}A", "a{}b", " {} ", "Ab{}. "])
def test_old_encodings_are_told_apart(page: Page, house: House, place: str) -> None:
    """Any byte beyond ASCII, after a line that is of one of them."""
    begin, end = place.encode().split(b"{}")
    for first in (b"", "{Ren\u00e9}\r".encode("latin-1"), "{Ren\u00e9}\n".encode("cp437"), NAMES.encode() + b"\n"):
        lines = [b"{" + begin + bytes([byte]) + end + b"}\r\n" for byte in range(128, 256)]
        check(page, house, data=packed(b"1. 11-15\n" + first + b"".join(lines)))


@pytest.mark.parametrize("ending", [b"\x00\xd8a\x00", b"\x00\xdca\x00", b"a", b"a\x00\x00\xd8", b"\x00\xd8"])
@pytest.mark.parametrize("before", [0, (1 << 18) - 2, (1 << 18) - 4, 1 << 18])
def test_utf_16_that_is_none(page: Page, house: House, ending: bytes, before: int) -> None:
    content = b"\xff\xfe" + "1. 11-15 *\n".encode("utf-16-le")
    content += b" \x00" * max(0, (before - len(content)) // 2) + ending
    check(page, house, data=packed(content))
    swapped = bytes(content[at ^ 1] for at in range(len(content) & ~1)) + content[len(content) & ~1 :]
    check(page, house, data=packed(swapped))


def test_packed_files(page: Page, house: House) -> None:
    whole = gzip.compress(GAMES.read_bytes())
    for content in (gzip.compress(b""), gzip.compress(b"11-15", 0), whole):
        check(page, house, data=packed(content))
    for damaged in (whole[:3], whole[: len(whole) // 2], whole[:-1], b"%s!%s" % (whole[:200], whole[201:])):
        answer, expected = (ask("games/read", {"data": packed(damaged)}) for ask in both(page, house))
        assert answer.keys() == expected.keys()
        assert "the file is damaged" in str(answer)
    for packer in (lzma, bz2):
        assert (
            "unpack it, or pack it by gzip" in page.ask("games/read", {"data": packed(packer.compress(b""))})["error"]
        )


def test_base64_that_is_none(page: Page, house: House) -> None:
    for data in (3, *", ?,MTEtMTU,MTEtMTU=,MTEtMTU==,MTEt MTU=,MTEt\nMTU=,=,A===,MTF=MTU=,\u00e9".split(",")):
        check(page, house, data=data)


HARD = [name for name in test_pdn_properties.HARD if name not in test_pdn_properties.HARDEST]


@pytest.mark.parametrize("name", HARD)
def test_hard_texts(page: Page, house: House, name: str) -> None:
    check(page, house, text=test_pdn_properties.HARD[name][:40_000])


@pytest.mark.parametrize(
    "piece", ["(", "[", "{", '[A "', "\\", "#*", "\n[", "1. ", "/FEN ", "word 1 ", "\U0001f600", "'", "a1", "%\n"]
)
def test_much_of_the_same_takes_no_time(page: Page, piece: str) -> None:
    """Each takes less than a second; in quadratic time the page would not answer."""
    assert page.ask("games/read", {"text": f"11-15 {piece * (80_000 // len(piece))}"})


def test_a_position_set_up_after_each_of_many_moves_takes_no_time(page: Page) -> None:
    there_and_back = '1-5/FEN "W:WK32:BK1"/32-28/FEN "B:WK32:BK1"/'
    answer = page.ask("games/read", {"text": '[FEN "B:WK32:BK1"]\n' + there_and_back * 40_000})
    assert answer == {"error": "a game of 80001 moves and positions; at most 20000"}


def both(page: Page, house: House) -> tuple[Ask, Ask]:
    return page.ask, lambda path, body: server_answer(house, path, body)


def uploaded(ask: Ask, content: bytes, size: int = 1000) -> str:
    """The name of an upload in pieces."""
    name = ""
    for begin in range(0, max(len(content), 1), size):
        fields = {"data": packed(content[begin : begin + size])} | ({"upload": name} if name else {})
        name = ask("games/upload", fields)["upload"]
    return name


def listed(ask: Ask, name: str, **fields: Any) -> dict[str, Any]:
    """A page of a list that was read to its end."""
    while True:
        answer: dict[str, Any] = ask("games/list", {"upload": name, "on": True, **fields})
        if "error" in answer or answer["whole"]:
            return answer


def collection(games: int) -> bytes:
    """A file of many games, some of which can't be read."""
    source = random.Random(games)
    parts: list[str] = []
    for number in range(games):
        black, white = (source.choice(PEOPLE) for _ in range(2))
        move, result = source.choice(["11-15", "9-14", "11-16", "11-17"]), source.choice(["1-0", "0-1", "*"])
        tags = {"Event": f"{number} of all", "Black": black, "White": white, "Date": f"19{number % 100:02}.??.??"}
        lines = [f'[{name} "{value}"]\n' for name, value in tags.items()]
        parts.append(f"{''.join(lines)}\n1. {move} {{{black}}} {result}\n")
    return "\n".join(parts).encode()


@pytest.mark.parametrize("results", CONVENTIONS)
def test_a_list_of_an_upload(page: Page, house: House, results: str) -> None:
    content = collection(330)
    asks = [(ask, uploaded(ask, content)) for ask in both(page, house)]
    answer, expected = (listed(ask, name, results=results) for ask, name in asks)
    assert answer == expected
    assert answer["left_out"] > 50
    assert len(answer["faults"]) == game_lists.MOST_FAULTS
    asked: list[dict[str, Any]] = [{"start": start} for start in (0, 100, 200, 250, 1000, 100_000)]
    words = "ann,ANN bob,muller,M\u00dcLLER 1-0,o'neill,aegir 19,strasse,1950,nobody, ,1 of all"
    asked += [{"wanted": wanted} for wanted in words.split(",")]
    for fields in (*asked, {"wanted": "ann", "start": 1}):
        answer, expected = (ask("games/list", {"upload": name, "results": results, **fields}) for ask, name in asks)
        assert answer == expected, fields
    for number in (1, 7, 100, 251, 500, 100_000):
        fields = {"results": results, "number": number}
        answer, expected = (ask("games/open", {"upload": name, **fields}) for ask, name in asks)
        assert answer == expected, number


def test_a_game_is_opened_before_its_list(page: Page, house: House) -> None:
    asks = [(ask, uploaded(ask, collection(20))) for ask in both(page, house)]
    answer, expected = (ask("games/open", {"upload": name, "number": 9}) for ask, name in asks)
    assert answer == expected
    assert answer["document"]["headers"]["Event"]


@pytest.mark.parametrize(
    "content",
    [
        b"W:W21:B1\n\n# two\nB:W21:B1 # more\nB:W21:B21\nW:W1:B5\n",
        gzip.compress(b"W:W21:B1\n" * 200),
        gzip.compress(GAMES.read_bytes()),
        b"\xff\xfea",
        b"",
        b"1. 11-15 {",
        b"nothing but words",
    ],
    ids=["positions", "packed positions", "packed", "no text", "empty", "open", "words"],
)
def test_lists_of_other_content(page: Page, house: House, content: bytes) -> None:
    asks = [(ask, uploaded(ask, content, 100_000)) for ask in both(page, house)]
    answer, expected = (listed(ask, name) for ask, name in asks)
    assert answer == expected
    answer, expected = (ask("games/open", {"upload": name, "number": 1}) for ask, name in asks)
    assert answer == expected


@pytest.mark.parametrize(
    ("before", "read"),
    [
        (b"", 2),
        (b"# two endings\n", 2),
        (b"\n \n# two endings\r\n\n  # of a book\n", 2),
        # longer than a block of what is read at once, so that the first position comes with the second
        (b"# " + 300_000 * b"x" + b"\n", 2),
        (600_000 * b" " + b"\n", 2),
        # a game is read as PDN, and so is all that follows it
        (b"# a game\n1. 11-15 *\n", 1),
    ],
    ids=["none", "comment", "comments", "long comment", "blanks", "game"],
)
def test_what_comes_before_a_list_of_positions(page: Page, house: House, before: bytes, read: int) -> None:
    content = before + b"W:W21:B1\nB:W21:B1 # more\n"
    answer, expected = (listed(ask, uploaded(ask, content, 400_000)) for ask in both(page, house))
    assert answer == expected
    assert len(answer["games"]) == read


OWN_WORDS = {
    "the server does not have this file any more: open it again": "this file is not here any more: open it again",
    "no file was named: kr web FILE.pdn": "no file was named",
}
"""Words of the server that mean nothing where there is none, and those of the page."""


def in_own_words(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer of the server as the page gives it."""
    return {**answer, "error": OWN_WORDS.get(answer["error"], answer["error"])} if "error" in answer else answer


def test_what_an_upload_refuses(page: Page, house: House) -> None:
    answers: list[list[Any]] = []
    for ask in both(page, house):
        name, empty = uploaded(ask, b"11-15 *"), uploaded(ask, b"")
        piece = packed(b" 9-13 *")
        told = [
            ask("games/upload", {"data": piece, "upload": "none"}),
            ask("games/upload", {"data": piece, "upload": empty}),
            ask("games/upload", {"data": "?"}),
            ask("games/upload", {}),
            ask("games/list", {"upload": "none"}),
            ask("games/list", {"upload": name, "results": "other"}),
            ask("games/list", {"upload": name, "start": -1}),
            ask("games/list", {"upload": name, "wanted": "x" * 101}),
            ask("games/list", {"upload": name, "on": 1}),
            ask("games/list", {}),
            ask("games/open", {"upload": name}),
            ask("games/open", {"upload": name, "number": 0}),
            ask("games/open", {"upload": name, "number": 2}),
            ask("games/upload", {"data": piece, "upload": name}),
        ]
        others = [uploaded(ask, b"9-13 *") for _ in range(game_lists.MOST_UPLOADS - 1)]
        told.append(ask("games/list", {"upload": name}))
        others.append(uploaded(ask, b"9-13 *"))
        answers.append([*told, *(ask("games/list", {"upload": each}) for each in (name, empty, *others))])
    assert answers[0] == [in_own_words(answer) for answer in answers[1]]
    assert any("not here any more" in answer.get("error", "") for answer in answers[0])


def test_more_than_is_read_at_once(page: Page, house: House) -> None:
    many = "1. 11-15 *\n" * (MOST_PASTED_GAMES + 1)
    name = check(page, house, text=many)["upload"]
    assert listed(page.ask, name)["read"] == MOST_PASTED_GAMES + 1
    assert len(check(page, house, text=many[11:])["games"]) == MOST_PASTED_GAMES
    blank = b"1. 11-15 *" + b" " * (LONGEST_PASTE - 10)
    assert "document" in check(page, house, data=packed(gzip.compress(blank)))
    assert "upload" in check(page, house, data=packed(gzip.compress(blank + b" ")))
    assert "upload" in check(page, house, data=packed(gzip.compress(blank[:-1] + "\U0001f600 ".encode())))
    check(page, house, text=" " * (LONGEST_PASTE + 1))


def test_a_long_game_is_refused(page: Page, house: House) -> None:
    kings = '[FEN "B:WK32:BK1"]\n' + "1-5 32-28 5-1 28-32 " * 5000
    check(page, house, text=kings)
    check(page, house, text=f'{kings} *\n[Event "next"]\n11-15 *')


def test_written_games_of_the_page_are_read_by_kr(page: Page) -> None:
    game = Game({"Event": NAMES, "Round": "\\"}, moves=["11-15", "23-19"], result="1-0")
    (row,) = page.ask("games/read", {"text": write_game(game)})["games"]
    assert (row["event"], row["moves"], row["result"]) == (NAMES, 2, "1-0")
