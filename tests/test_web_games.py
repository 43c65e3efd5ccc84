"""Games in and out of a page: what is read of a text, a file's bytes and the files of the command line."""

import base64
import gzip
import lzma
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from systems import NO_FILE

from kr.errors import InvalidSettingError, KrError
from kr.pdn import Game, read_game, write_game
from kr.viewer.document import game_document, read_document
from kr.web import game_lists, games
from kr.web.house import House
from kr.web.request import PageRequest
from kr.web.settings import WebSettings

TWO = '[Event "One"]\n[Black "Ann"]\n[Result "1-0"]\n\n1. 11-15 23-19 1-0\n\n[Event "Two"]\n\n1. 9-14 {x} 0-1\n'


def house(*files: Path) -> House:
    return House(WebSettings(files=files, egdb="none"))


def ask(what: str, where: House | None = None, **fields: Any) -> dict[str, Any]:
    answer: dict[str, Any] = games.ROUTES[what](where or house(), PageRequest(fields))
    return answer


def packed(text: str | bytes) -> str:
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("1. 11-15 23-19 2. 8-11 22-17", "11-15 23-19 8-11 22-17"),
        ("11-15 23-19 8-11 22-17 1-0", "11-15 23-19 8-11 22-17"),
        ("  11x15, 23 - 19; and so on", "11-15 23-19"),
        ("Bob wrote: 1) 11-15 23-19", "11-15 23-19"),
        ('[Event "x"]\n1. 11-15 23-19 3-0', "11-15 23-19"),
        ("1.11-15 23-19 2.8-11 11-20 9-13", "11-15 23-19 8-11"),
        ("A problem\n\nW:W27,18:B20,K11.\r\n\n18-14 *11-15 14-10---A 15-6 27-23", "18-14 11-15 14-10 15x6 27-23"),
        ("1. 11-15 {\nW:W27,18:B20,K11.\n} 23-19", "11-15 23-19"),
    ],
)
def test_what_people_paste_is_read(text: str, moves: str) -> None:
    answer = ask("games/read", text=text)
    game = read_document(answer["document"])
    assert " ".join(map(str, game.moves)) == moves
    assert answer["games"][0]["moves"] == len(game.moves)


def test_positions_with_their_solutions_are_games() -> None:
    answer = ask("games/read", text="W:W27,18:B20,K11.\n18-14 11-15\n\nB:W32:B1\n\n1-5 1-0")
    assert [(game["moves"], game["result"]) for game in answer["games"]] == [(2, "*"), (1, "1-0")]
    assert '[FEN "W:W18,27:BK11,20"]' in answer["games"][0]["pdn"]


def test_a_game_cut_at_its_first_illegal_move_says_where() -> None:
    (game,) = ask("games/read", text="1. 11-15\n23-19 2. 11-20 9-13")["games"]
    assert game["warnings"][0].startswith("line 2, column 10: illegal move at ply 3: 11-20 is not legal")


def test_the_other_convention_turns_results() -> None:
    for results, expected in (("english", "1-0"), ("white", "0-1")):
        assert ask("games/read", text="1. 11-15 1-0", results=results)["document"]["result"] == expected


@pytest.mark.parametrize("fen", ["W:W21,K30:B1,2", " w:bk5:w30,K32. ", "B:W32:B1-12", "W:W1:B5"])
def test_a_fen_alone_is_a_game(fen: str) -> None:
    document = ask("games/read", text=fen)["document"]
    assert document["start"] == document["nodes"][0]["fen"]
    assert len(document["nodes"]) == 1
    assert read_document(document).start.black


def test_several_fens_are_several_games_and_a_bad_one_is_told() -> None:
    answer = ask("games/read", text="W:W21:B1\n\nB:W21:B1\nB:W21:B21\n")
    assert len(answer["games"]) == 2
    assert answer["faults"] == ["line 4: FEN 'B:W21:B21': square 21 holds both a Black and a White piece"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_fens_of_an_editor_that_writes_a_byte_order_mark(encoding: str) -> None:
    text = "W:W21:B1\r\nB:W21:B1\r\n# no position\r\nB:W21:B21\r\n"
    content = (b"\xfe\xff" if encoding == "utf-16-be" else b"") + text.encode(encoding)
    place = house()
    upload = ask("games/upload", place, data=packed(content))["upload"]
    listed = ask("games/list", place, upload=upload, on=True)
    for answer in (ask("games/read", data=packed(content)), ask("games/read", text=f"\ufeff{text}"), listed):
        assert len(answer["games"]) == 2
        assert answer["faults"] == ["line 4: FEN 'B:W21:B21': square 21 holds both a Black and a White piece"]
    assert ask("games/read", text="\ufeffW:W21:B1")["document"]["start"] == "W:W21:B1"


def test_several_games_are_listed_each_with_its_text() -> None:
    answer = ask("games/read", text=f"Two games\n{TWO}")
    assert [(game["event"], game["black"], game["result"], game["moves"]) for game in answer["games"]] == [
        ("One", "Ann", "1-0", 2),
        ("Two", "", "0-1", 1),
    ]
    assert "document" not in answer
    for game in answer["games"]:
        assert ask("games/read", text=game["pdn"])["document"]["headers"]["Event"] == game["event"]


def test_more_games_than_a_page_gets_at_once_are_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "MOST_PASTED_GAMES", 3)
    place = house()
    for text in ("1. 11-15 *\n" * 9 + "1. 22-18 *\n", "B:W32:B1\n" * 9 + "B:W9:B9\n"):
        upload = ask("games/read", place, text=text)["upload"]
        answer = ask("games/list", place, upload=upload, on=True)
        assert [game["number"] for game in answer["games"]] == list(range(1, 10))
        assert (answer["found"], answer["whole"], answer["left_out"], answer["cut"]) == (9, True, 1, "")
        assert "line 10" in answer["faults"][0]
        assert ask("games/open", place, upload=upload, number=9)["document"]["nodes"]


def test_a_file_arrives_in_pieces_and_is_kept_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_lists, "READING_SECONDS", 60.0)
    place = house()
    content = gzip.compress(TWO.encode() * 500)
    upload = ask("games/upload", place, data=packed(content[:100]))["upload"]
    assert ask("games/upload", place, data=packed(content[100:]), upload=upload) == {"upload": upload}
    answer = ask("games/list", place, upload=upload, on=True, start=900)
    assert (answer["found"], answer["whole"], answer["share"], len(answer["games"])) == (1000, True, 1.0, 100)
    for bad in ({"upload": upload, "data": packed("x")}, {"upload": "other", "data": packed("x")}, {"data": "!"}):
        with pytest.raises(KrError, match="read already|open it again|not base64"):
            ask("games/upload", place, **bad)
    monkeypatch.setattr(game_lists, "LARGEST_UPLOAD", 10)
    small = ask("games/upload", place, data=packed("x" * 9))["upload"]
    with pytest.raises(KrError, match="the file is larger than"):
        ask("games/upload", place, data=packed("xx"), upload=small)
    monkeypatch.setattr(game_lists, "MOST_UPLOADS", 2)
    for _ in range(2):
        ask("games/upload", place, data=packed("x"))
    with pytest.raises(KrError, match="open it again"):
        ask("games/list", place, upload=upload)


@pytest.mark.parametrize(
    ("bound", "most", "cut"),
    [
        ("LONGEST_UPLOAD", 100_000, "the text is longer than 100,000 characters"),
        ("MOST_LIST_BYTES", 100_000, "only the first {read} games are listed"),
        ("MOST_FILE_GAMES", 70, "only the first 70 games are listed"),
        ("MOST_FAULTS", 50, "the rest can't be read: the file is damaged"),
    ],
)
def test_a_list_says_why_it_ends_before_its_source(
    monkeypatch: pytest.MonkeyPatch, bound: str, most: int, cut: str
) -> None:
    monkeypatch.setattr(game_lists, "READING_SECONDS", 20)
    monkeypatch.setattr(game_lists, bound, most)
    text = "".join(f'[Event "{i * 7919 % 4001} {"x" * 200}"]\n\n1. 11-15 *\n\n' for i in range(4000))
    place = house()
    upload = ask("games/upload", place, data=packed(gzip.compress(text.encode())[:-5000]))["upload"]
    answer = ask("games/list", place, upload=upload, on=True)
    assert answer["whole"]
    assert 70 <= answer["read"] < 4000
    assert answer["cut"].startswith(cut.format(read=answer["read"]))


@pytest.mark.parametrize(
    "content",
    [
        '[Event "Zoë"]\n1. 11-15 *'.encode(),
        '[Event "Zoë"]\n1. 11-15 *'.encode("latin-1"),
        '[Event "Zoë"]\n1. 11-15 *'.encode("utf-16"),
        gzip.compress('[Event "Zoë"]\n1. 11-15 *'.encode()),
        lzma.compress('[Event "Zoë"]\r\n1. 11-15 *'.encode()),
    ],
    ids=["utf-8", "latin-1", "utf-16", "gzip", "xz"],
)
def test_files_are_read_in_their_encoding_and_unpacked(content: bytes) -> None:
    document = ask("games/read", data=packed(content))["document"]
    assert document["headers"]["Event"] == "Zoë"


@pytest.mark.slow
def test_a_bomb_is_opened_only_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_lists, "LONGEST_UPLOAD", 10_000_000)
    place = house()
    bomb = lzma.compress(TWO.encode() + b" " * 50_000_000 + TWO.encode())
    assert len(bomb) < 20_000
    upload = ask("games/read", place, data=packed(bomb))["upload"]
    answer = ask("games/list", place, upload=upload, on=True)
    assert len(answer["games"]) == 2
    # a busy machine reads on in the next request
    until = time.monotonic() + 60
    while answer["share"] < 1 and time.monotonic() < until:
        answer = ask("games/list", place, upload=upload, on=True)
    assert "longer than 10,000,000 characters" in answer["cut"]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, "text is missing"),
        ({"text": ""}, "no game found: write moves as 11-15"),
        ({"text": "hello <b>world</b>"}, "no game found"),
        ({"text": "B:W1,2:B1"}, "no game found: line 1: FEN"),
        ({"text": "1. 22-18 11-15"}, "no game found: line 1, column 4: illegal move at ply 1"),
        ({"text": "1. e3-d4"}, "no game found: line 1, column 4"),
        ({"text": '[GameType "25"]\n1. 11-15'}, "Russian draughts"),
        ({"text": "x" * (games.LONGEST_PASTE + 1)}, "at most 2000000"),
        ({"text": "1. 11-15", "results": "french"}, "results is not one of"),
        ({"data": "!"}, "data is not base64"),
        ({"data": packed(gzip.compress(TWO.encode())[:30])}, "damaged"),
    ],
)
def test_what_is_no_game_is_refused_with_one_line(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(KrError) as caught:
        ask("games/read", **fields)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_hostile_text_stays_text() -> None:
    text = '[Event "</script><img src=x onerror=alert(1)>"]\n[Black "\u202eevil"]\n\n1. 11-15 {<script>\x00\x1b[31m} *'
    document = ask("games/read", text=text)["document"]
    assert document["headers"]["Event"] == "</script><img src=x onerror=alert(1)>"
    assert document["nodes"][1]["comments"] == ["<script>\x00\x1b[31m"]


def test_a_game_is_written_with_the_usual_tags() -> None:
    document = game_document(Game({"Black": "Ann"}, moves=["11-15", "23-19"], result="1-0"))
    text = ask("games/pdn", document=document)["pdn"]
    assert text.startswith('[Event "?"]\n')
    assert '[Result "1-0"]' in text
    assert text.endswith("1. 11-15 23-19 1-0\n\n")
    assert ask("games/pdn", document=document, results="white")["pdn"].endswith("0-1\n\n")


def test_a_comment_that_pdn_cannot_hold_is_written_in_one_line() -> None:
    game = Game(moves=["11-15"])
    game.next().comment = "a } brace\nand a line"  # type: ignore[union-attr]
    written = read_game(ask("games/pdn", document=game_document(game))["pdn"])
    assert written is not None
    assert [node.comment for node in written.mainline()] == ["a } brace and a line"]


def test_a_kept_game_is_checked() -> None:
    document = game_document(Game(moves=["11-15"]))
    assert ask("games/check", document=document)["document"] == document
    document["nodes"][1]["path"] = [11, 20]
    with pytest.raises(KrError, match="not legal"):
        ask("games/check", document=document)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """250 games, every 50th unreadable."""
    path = tmp_path / "a.pdn"
    bad = "1. 22-18"
    path.write_text(
        "\n\n".join(
            f'[Event "E{i}"]\n[Black "{"Ann" if i % 7 else "Zoë"}"]\n\n{bad if i % 50 == 0 else "1. 11-15"} *'
            for i in range(1, 251)
        )
    )
    return path


def test_games_of_a_file_come_page_by_page(archive: Path) -> None:
    place = house(archive)
    assert ask("games/files", place)["files"] == ["a.pdn"]
    first = ask("games/list", place, file=1)
    assert [game["number"] for game in first["games"]] == list(range(1, 101))
    assert first["more"]
    assert first["read"] < 250
    last = ask("games/list", place, file=1, start=200)
    assert len(last["games"]) == 45
    assert (last["more"], last["whole"], last["left_out"]) == (False, True, 5)
    assert "line " in last["faults"][0]
    found = ask("games/list", place, file=1, wanted="zoë e2")
    assert [game["event"] for game in found["games"]] == [f"E{i}" for i in range(7, 250, 7) if str(i)[0] == "2"]
    opened = ask("games/open", place, file=1, number=50)
    assert opened["document"]["headers"]["Event"] == "E51"
    place.close()


def test_a_game_far_down_a_file_is_opened_at_once(archive: Path) -> None:
    assert ask("games/open", house(archive), file=1, number=245)["document"]["headers"]["Event"] == "E249"


def test_reading_pauses_and_goes_on(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_lists, "READING_SECONDS", 0)
    place = house(archive)
    answer = ask("games/list", place, file=1, wanted="E250")
    assert not answer["whole"]
    monkeypatch.setattr(game_lists, "READING_SECONDS", 20)
    answer = ask("games/list", place, file=1, wanted="E249")
    assert [game["number"] for game in answer["games"]] == [245]


def test_a_changed_file_is_read_again(archive: Path) -> None:
    place = house(archive)
    ask("games/list", place, file=1)
    archive.write_text(write_game(Game({"Event": "New"}, moves=["9-14"])))
    os.utime(archive, (1, 1))
    assert [game["event"] for game in ask("games/list", place, file=1)["games"]] == ["New"]
    archive.unlink()
    with pytest.raises(OSError, match=NO_FILE):
        ask("games/list", place, file=1)


def test_no_other_file_is_opened(archive: Path) -> None:
    place = house(archive)
    for file in (0, 2, -1, "/etc/passwd", "a.pdn", True, 1.0):
        with pytest.raises(KrError, match="file is not a whole number from 1 to 1"):
            ask("games/list", place, file=file)
    with pytest.raises(KrError, match="245 games; there is no game 999"):
        ask("games/open", place, file=1, number=999)
    with pytest.raises(KrError, match="no file was named"):
        ask("games/list", file=1)


def test_a_file_that_is_not_there_is_said_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="none.pdn"):
        house(tmp_path / "none.pdn")
    with pytest.raises(InvalidSettingError, match="holds no PDN file"):
        house(tmp_path)


def test_a_folder_is_opened_with_all_below_it(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("a.pdn", "deep/b.pdn"):
        (tmp_path / name).write_text(TWO)
    assert ask("games/files", house(tmp_path))["files"] == ["a.pdn", "b.pdn"]


def test_two_first_requests_at_once_get_one_shelf(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each page opens the files of the command line by the mark of the shelf, and finds its uploads there."""
    where, begun = house(), threading.Barrier(2, timeout=60)
    make = game_lists.Shelf.__init__

    def slow(self: game_lists.Shelf, house: House) -> None:
        time.sleep(0.05)
        make(self, house)

    def mark() -> str:
        begun.wait()
        return str(ask("games/files", where)["mark"])

    monkeypatch.setattr(game_lists.Shelf, "__init__", slow)
    with ThreadPoolExecutor(2) as pool:
        one, other = [pool.submit(mark) for _ in range(2)]
        assert one.result() == other.result()
