"""Play from a book: players, levels, matches, games at the board, Hub and DXP."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from dxp_peers import Peer, listening
from test_hub import KINGS, SHUFFLE, Conversation
from test_krb import written

from kr.book.book import OpeningBook, book_note
from kr.book.frame import book_key, numbered_moves, numbered_steps
from kr.book.krb import PackedMove, krb_bytes
from kr.cli import main
from kr.engine.limits import Limits
from kr.errors import InvalidBookError, InvalidSettingError
from kr.game.position import Position, Side
from kr.jobs.unit import Unit
from kr.match.game import play_game
from kr.match.pairs import Pairs
from kr.openings.decks import Opening
from kr.pdn import read_games
from kr.players.registry import player_from_spec

BESIDE = Position.from_fen("B:WK32:BK1")
"""Two kings, far from each other."""
LINES = {
    Position(): "11-15 3 7, 9-14 1 0, 12-16 -20 7",
    Position().play("11-15"): "22-18 -3 4, 23-19 -4 4, 24-20 -60 7",
    Position().play("11-15").play("22-18"): "15x22 -2 3",
    BESIDE: "1-6 0 0",
}
"""Positions, and for each the moves of the book: value and weight."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A book of LINES."""
    entries = {}
    for position, text in LINES.items():
        numbers = {str(move): number for number, move in enumerate(numbered_moves(position))}
        rows = [row.split() for row in text.split(", ")]
        entries[book_key(position)] = [
            PackedMove(numbers[move], int(value), 9, int(weight)) for move, value, weight in rows
        ]
    return written(tmp_path, krb_bytes(entries, {}))


def some_positions() -> Iterator[Position]:
    source = random.Random(3)
    for _ in range(40):
        position = Position()
        while not position.is_over and source.random() > 0.02:
            yield position
            position = position.play(source.choice(position.legal_moves()))


def test_moves_have_the_same_numbers_either_way() -> None:
    for position in some_positions():
        assert numbered_moves(position) == list(numbered_steps(position).values())


def test_a_move_back_is_left_to_the_search(path: Path) -> None:
    book = OpeningBook(path)
    after = BESIDE.play("1-6")
    assert book.choice(BESIDE, history=[Position()])
    assert book.choice(BESIDE, history=[after, after.play("32-27")]) is None
    assert book.choice(BESIDE, random.Random(1), [after]) is None
    # men do not come back
    assert book.choice(Position(), history=[Position().play("11-15")])


def test_a_line_of_the_book(path: Path) -> None:
    book = OpeningBook(path)
    choice = book.choice(Position())
    assert choice
    assert list(map(str, book.line(Position(), choice))) == ["11-15", "22-18", "15x22"]
    assert list(map(str, book.line(Position(), choice, most=2))) == ["11-15", "22-18"]


@pytest.mark.parametrize(
    ("value", "weight", "note"),
    [(3, 0, "book, +0.03"), (-120, 1, "book, -1.20, 1 game or more"), (0, 7, "book, +0.00, 4,096 games or more")],
)
def test_notes(value: int, weight: int, note: str) -> None:
    assert book_note(value, weight) == note


def test_without_a_seed_the_best_move_is_played(path: Path) -> None:
    player = player_from_spec(f"material,book={path}", 1)
    after = Position().play("11-15")
    assert {str(player.search(after, Limits(nodes=50), [Position()] * plies).move) for plies in range(12)} == {"22-18"}


def first_moves(spec: str, seeds: int = 12) -> list[str]:
    """Moves by different seeds after 11-15, "" for a searched one."""
    played = []
    for seed in range(seeds):
        player = player_from_spec(f"{spec},seed={seed}", 1)
        reply = player.search(Position().play("11-15"), Limits(nodes=100), [Position()])
        played.append(str(reply.move) if reply.from_book else "")
        assert reply.note().startswith("book, -0.0" if reply.from_book else ("+", "-"))
    return played


@pytest.mark.parametrize("level", range(1, 11))
def test_the_highest_levels_play_from_the_book(path: Path, level: int) -> None:
    spec = f"material,level={level},people=none" if level < 10 else "material"
    if level < 8:
        with pytest.raises(InvalidSettingError, match=f"book: level {level} plays without one"):
            player_from_spec(f"{spec},book={path}")
        player = player_from_spec(spec, 1, book=str(path))
        assert not player.search(Position(), Limits(nodes=100), ()).from_book
    else:
        assert {*first_moves(f"{spec},book={path}")} == {"22-18", "23-19"}
        assert {*first_moves(spec)} == {""}


def test_a_player_with_a_book(path: Path) -> None:
    def signature(more: str) -> str:
        return player_from_spec(f"material{more}", 1, book="none").signature

    spec = f"material,book={path}"
    assert first_moves(spec) == first_moves(spec)
    player = player_from_spec(spec, 1)
    assert player.name == "material,book=book.krb"
    assert player_from_spec("material", 1, book=str(path)).signature == player.signature
    differing = ("", ",book=shipped", f",book={path}", f",book={path},seed=2")
    assert len({signature(more) for more in differing}) == len(differing)
    assert signature(",book=none,seed=2") == signature("")
    # beyond the book it searches
    reply = player.search(Position().play("9-13"), Limits(nodes=100), [Position()])
    assert not reply.from_book
    assert reply.nodes


@pytest.mark.parametrize(
    ("name", "said"), [("nosuch.krb", "nosuch.krb: no such file"), ("here.krb", "here.krb: not a packed book")]
)
def test_a_book_that_can_not_be_read_is_one_line(
    name: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "here.krb").write_bytes(b"no book")
    file = str(tmp_path / name)
    for command in (
        ["play", "--level", "3", "--book", file],
        ["match", f"material,book={file}", "material", "--games", "2", "--tc", "nodes=50"],
        ["dxp", "connect", "127.0.0.1:9", "--weights", "material", "--reconnect", "1", "--book", file],
    ):
        assert main(command) in (1, 2)
        error = capsys.readouterr().err
        assert said in error
        assert error.count("\n") == 1


@pytest.fixture
def match(path: Path) -> list[str]:
    """Command of a match from the usual start, A with a book."""
    start = path.with_name("start.fen")
    start.write_text(Position().fen)
    return ["match", f"material,book={path}", "material", "--ballot", str(start), "--games", "2", "--tc", "depth=3",
            "--workers", "1", "--hash", "1MB", "--json"]  # fmt: skip


def test_a_match_with_a_book_on_one_side(match: list[str], path: Path, tmp_path: Path) -> None:
    pdn = ["--pdn", str(tmp_path / "match.pdn")]
    assert main([*match, *pdn]) == 0
    games = list(read_games(tmp_path / "match.pdn"))
    assert [game.headers["Black"] for game in games] == ["material,book=book.krb", "material"]
    for a_black, game in zip((True, False), games, strict=True):
        notes = [node.comment for node in game.mainline()]
        assert notes[0].startswith("book, ") == a_black
        assert not any(note.startswith("book") for note in notes[a_black::2])
    # another book is another match
    assert main([text.replace(str(path), "shipped") for text in match] + pdn) == 2


def test_a_game_with_moves_of_the_book_travels(path: Path) -> None:
    player = player_from_spec(f"material,book={path}", 1)
    limits = Limits(nodes=50)
    game = play_game(Opening("start", Position()), (player, player), (limits, limits), 1.0, None)
    assert game
    assert [reply and reply.weight is not None for reply in game.replies[:2]] == [True, True]
    unit = Unit(Pairs.name(), "0", {}, {}, {"games": [True], "fen": Position().fen})
    assert Pairs().decode(unit, Pairs().encode((True, game))) == (True, game)


def test_moves_of_the_book_are_no_searches(match: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(match) == 0
    # a book move has depth 9
    assert json.loads(capsys.readouterr().out)["a"]["mean_depth"] <= 3


@pytest.mark.parametrize(("book", "level", "told"), [("", 10, True), ("none", 10, False), ("", 4, False)])
def test_a_game_at_the_board(
    book: str, level: int, told: bool, path: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "game.pdn"
    more = ["--book", book or str(path), "--level", str(level)]
    command = ["play", "--side", "white", "--weights", "material", "--tc", "nodes=50", "--seed", "3", *more]
    assert main([*command, "--json", "--out", str(out)]) in (0, 1)
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (move,) = (event for event in events if event["event"] == "move")
    assert ("book_games" in move) == told
    if told:
        assert move["move"] in ("11-15", "9-14")
        assert move["text"] in (
            "Black (material level 10) plays 11-15 (book, +0.03, 4,096 games or more)",
            "Black (material level 10) plays 9-14 (book, +0.01)",
        )
        assert move["nodes"] == 0
    assert (f"{{{move['text'].partition('(book')[1][1:]}" in out.read_text()) or not told


# --- Hub


@pytest.fixture
def talk(path: Path) -> Iterator[Conversation]:
    conversation = Conversation(**{"book-file": str(path)})
    conversation.send("level depth=2")
    yield conversation
    conversation.end()


def answered(talk: Conversation, moves: str = "") -> tuple[str, str]:
    """Last info line and answer of a search after moves from the start."""
    talk.send(f'pos moves="{moves}"' if moves else "pos")
    talk.send("go think")
    info = ""
    while not (line := talk.heard.get(timeout=60)).startswith("done"):
        assert line.startswith("info")
        info = line.strip()
    return info, line.strip()


def test_hub_without_and_with_a_book(talk: Conversation) -> None:
    assert "book" not in answered(talk)[0]
    talk.send("set-param name=book value=best")
    info = (
        'info depth=9 mean-depth=9.0 score=0.03 nodes=0 time=0.000 nps=0.000 pv="11-15 22-18 15x22x18" book-games=4096'
    )
    for _ in range(8):
        assert answered(talk) == (info, "done move=11-15 ponder=22-18")
    # beyond it, and in thought about another move, it searches
    assert "book" not in answered(talk, "9-13")[0]
    talk.send("go ponder")
    talk.expect(r"info depth=1 .* nodes=[1-9].*")
    talk.send("stop")
    talk.expect("done .*")
    # as Scan has it
    talk.send("set-param name=book value=true")
    chosen = {answered(talk, "11-15")[1].split()[1] for _ in range(40)}
    assert chosen == {"move=22-18", "move=23-19"}
    talk.send("set-param name=book value=off")
    assert "book" not in answered(talk)[0]


def test_hub_leaves_a_repetition_to_the_search(talk: Conversation) -> None:
    talk.send("set-param name=book value=best")
    for moves, told in (("", True), (SHUFFLE, False)):
        talk.send(f'pos pos={KINGS} moves="{moves}"' if moves else f"pos pos={KINGS}")
        talk.send("go think")
        assert ("book" in talk.expect("info .*")[0]) == told
        talk.expect("done .*")


@pytest.mark.parametrize("value", ["nosuch.krb", "a" * 5000, "README.md", ""])
def test_hub_tells_of_a_book_that_can_not_be_read(talk: Conversation, value: str) -> None:
    talk.send("set-param name=book value=best")
    talk.send(f'set-param name=book-file value="{value}"')
    talk.send("init")
    talk.expect("error message=.*")
    talk.expect("ready")
    talk.send("go think")
    talk.expect("error message=.*")
    talk.send("set-param name=book value=off")
    assert answered(talk)[1].startswith("done")


# --- DXP


@pytest.mark.usefixtures("impatient")
def test_dxp_plays_from_a_book_and_says_so(path: Path) -> None:
    kr, address = listening(games=1, book=str(path))
    with Peer.at(address) as peer:
        peer.ask(follower=Side.BLACK)
        move = peer.expect(r"M\d{4}(1115|0914)00")[1]
        peer.send("Chow?")
        note, expected = (r"\+0\.03, 4,096 games or more", ", expecting 22-18") if move == "1115" else (r"\+0\.01", "")
        peer.expect(rf"Ckr plays by itself; its last move: book, {note}{expected}\.")
        peer.resign()
    assert list(map(str, kr.end()[0].moves)) in (["11-15"], ["9-14"])


def test_a_damaged_block_names_the_file(path: Path) -> None:
    book = OpeningBook(path)
    book._packed._content = book._packed._content[: book._packed._body]
    with pytest.raises(InvalidBookError, match="book.krb: damaged in block"):
        book.moves(Position())
