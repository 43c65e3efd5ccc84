"""Properties of all games and texts: writing and reading give the game back, no text crashes or hangs a reader."""

import io
import random
import time
from pathlib import Path

import pytest
from captures import POSITIONS
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kr.errors import InvalidPdnError
from kr.game.position import Position
from kr.pdn import (
    Game,
    GameNode,
    Reader,
    StringExporter,
    Visitor,
    grammar,
    normalise,
    read_game,
    read_games,
    source,
    write_game,
)

GAMES = (Path(__file__).parent / "data" / "games.pdn").read_text("utf-8")
STARTS = [Position().fen, "W:WK10,18,24:B12,K22", "W:W32:B27,18,19,10,11", "B:WK1:BK5", "B:W32,31,21:B1,2,12"]

LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\r")
LINES = st.text(LETTERS.filter("\n".__ne__), max_size=30).map(str.strip)
COMMENTS = LINES | st.text(LETTERS.filter("}".__ne__), max_size=40).map(str.strip)
NAGS = st.lists(st.sampled_from(["!", "?", "!!", "?!", "(!)", "*", "$3", "$139"]), max_size=2, unique=True)
NAMES = st.text(st.sampled_from("abzABZ019_é"), min_size=1, max_size=8).filter(
    lambda name: name not in ("FEN", "SetUp", "Setup", "GameType", "Result")
)


@st.composite
def games(draw: st.DrawFn) -> Game:
    """A game with tags, notes of every kind, and variations inside variations."""
    start = draw(st.sampled_from(STARTS).map(Position.from_fen) | POSITIONS)
    headers = draw(st.dictionaries(NAMES, LINES, max_size=4))
    game = Game(headers, start, result=draw(st.sampled_from(["1-0", "0-1", "1/2-1/2", "0-0", "*"])))
    game.comments = draw(st.lists(COMMENTS, max_size=2))
    nodes: list[GameNode] = [game]
    for choice in draw(st.lists(st.integers(0, 10**6), max_size=25)):
        # mostly on from the last node, sometimes from another
        node = nodes[-1] if choice % 4 else nodes[choice // 4 % len(nodes)]
        legal = node.position.legal_moves()
        if not legal:
            continue
        setup = None
        if choice % 11 == 0:
            setup = draw(st.sampled_from(STARTS).map(Position.from_fen))
            setup = setup if setup.side != node.position.side else setup.flipped()
        child = node.add_variation(legal[choice // 4 % len(legal)], setup=setup)
        nodes.append(child)
        if choice % 3 == 0:
            child.nags = draw(NAGS)
            child.comments = draw(st.lists(COMMENTS, max_size=2))
        # a comment before a move is one after the move before it, but where a variation stands between
        after_variations = len(child.parent.variations) == 1 and node is not game and node.parent is not None
        if child.starts_variation() or (
            after_variations and len(node.parent.variations) > 1 and not node.starts_variation()
        ):
            child.starting_comments = draw(st.lists(COMMENTS, max_size=1))
    return game


@pytest.mark.slow
@given(games())
@settings(max_examples=150)
def test_a_written_game_is_read_back(game: Game) -> None:
    text = write_game(game)
    back = read_game(text)
    assert back == game
    assert write_game(back) == text
    assert Game(game.headers, game.start, game.moves, game.result, game.notes) == game


@pytest.mark.slow
@given(st.lists(games(), max_size=4))
@settings(max_examples=30)
def test_games_follow_one_another(found: list[Game]) -> None:
    for game in found:
        game.headers["Event"] = "x"  # without a tag a comment before the first move would be one after the last game
    assert list(read_games("\n".join(map(write_game, found)))) == found


@given(games())
@settings(max_examples=30)
def test_normal_form_is_reached_at_once(game: Game) -> None:
    normalise(game)
    once = write_game(game)
    again = read_game(once)
    assert again is not None
    normalise(again)
    assert write_game(again) == once


@given(st.text() | st.text('[]{}()"1-9x*!$%;.\n \\aE'))
@example('[a "b"] ' * 3)
@example("[" * 50 + '"' * 50)
@settings(max_examples=300)
def test_any_text_is_read_or_refused(text: str) -> None:
    errors: list[InvalidPdnError] = []
    for game in read_games(text, errors=errors):
        assert read_game(write_game(game)) == game
    assert all("\n" not in str(error) and error.line is not None for error in errors)


@given(st.binary(max_size=200))
@settings(max_examples=200)
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    """Nothing is raised: whatever cannot be read becomes one of the errors."""
    for _ in read_games(io.BytesIO(content), errors=[]):
        pass


@pytest.mark.slow
@given(st.integers(0, 2**32))
@settings(max_examples=200)
def test_damaged_games_are_read_or_refused(seed: int) -> None:
    dice = random.Random(seed)
    letters = list(GAMES)
    for _ in range(dice.randrange(1, 12)):
        at = dice.randrange(len(letters))
        match dice.randrange(4):
            case 0:
                letters[at] = dice.choice(letters)
            case 1:
                del letters[at : at + dice.randrange(1, 30)]
            case 2:
                letters[at:at] = dice.choice(['"', "[", "]", "{", "}", "(", ")", "*", "1-0", "\n\n", "½", "$", "é"])
            case _:
                letters[at:at] = letters[at - 40 : at]
    for game in read_games("".join(letters), errors=[]):
        assert read_game(write_game(game)) == game


N = 15_000
HARDEST = (
    "comments closed at the end of all",
    "variations in variations",
    "variations never closed",
    "variations never closed in many games",
)
HARD = {
    "comments never closed": '[a "b"] {\n' * N,
    "comments closed at the end of all": '\n\n[a "b"]\n[c "d"]\n{ ' * N + "}",
    "variations never closed": "1. 9-13 " + "(" * N,
    "variations in variations": "1. 9-13 " + "(9-14 " * N + ")" * N + " *",
    "variations never closed in many games": '[a "b"]\n1. 9-13 (\n' * N,
    "brackets": "[" * N,
    "open tags": '[a "' * N,
    "tags of backslashes": '[a "' + "\\" * N,
    "blanks": " " * N + "[" + " " * N + "a" + " " * N,
    "digits": "1" * N,
    "a move without end": "1. 9" + "-13" * N,
    "a move number without end": "1. 9-13 " + "2" * N + ".",
    "words": "1. 9-13 " + "word " * N,
    "first numbers on one line": "1. 9-13 22-18 " * N,
    "stars": "* " * N,
    "dashes": "-" * N + "\n" + "-" * N + "x",
    "lines without end": "\n" * N + "%" * N,
    "bad headers": "[x\n" * N,
    "illegal variations in a long game": '[FEN "B:WK1:BK32"]\n'
    + "32-28 (1-2) 1-5 (1-2) 28-32 (1-2) 5-1 (1-2) " * (N // 20),
    "a huge square": '[FEN "B:W' + "9" * N + ':B1"] *',
    "a huge clock": "1. 9-13 {[%clk " + "9" * N + ":1:1]} *",
    "ambiguous captures": '[FEN "W:W32:B27,18,19,10,11"]\n1... 32x7 11-15 2. 7-2 15-18 *\n' * (N // 30),
}


@pytest.mark.parametrize("forgiving", [pytest.param(False, marks=pytest.mark.soak), True], ids=["strict", "forgiving"])
@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in HARDEST)) for name in HARD])
def test_hard_texts_are_read_in_linear_time(name: str, forgiving: bool) -> None:
    """Each takes well under a second; a reader in quadratic time would take minutes."""
    began = time.process_time()
    for game in Reader(HARD[name], on_error=lambda error: None, forgiving=forgiving):
        write_game(game)
    assert time.process_time() - began < 2


@pytest.mark.parametrize("forgiving", [False, True], ids=["strict", "forgiving"])
@pytest.mark.parametrize("block", [1, 7, 100, 1000])
def test_blocks_of_any_size_give_the_same(monkeypatch: pytest.MonkeyPatch, block: int, forgiving: bool) -> None:
    text = f"{GAMES}\n1. 11-15 1-2 *\n[Event\n1. 9-13 {{ é\n\n{GAMES}".replace("\n", "\r\n")

    def read() -> tuple[list[Game], list[object], list[str]]:
        errors: list[InvalidPdnError] = []
        file = io.BytesIO(text.encode("latin-1"))
        found = list(Reader(file, on_error=errors.append, forgiving=forgiving))
        return found, [(game.line, game.warnings) for game in found], list(map(str, errors))

    whole = read()
    monkeypatch.setattr(source, "READ_SIZE", block)
    monkeypatch.setattr(grammar, "MARGIN", 64)
    assert read() == whole


def test_a_game_without_end_fills_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar, "MAX_GAME_LENGTH", 5000)
    monkeypatch.setattr(source, "READ_SIZE", 1000)
    errors: list[InvalidPdnError] = []
    text = "1. 11-15 { " + "a\n" * 50_000 + '\n[Event "next"]\n1. 9-13 *\n'
    reader = Reader(io.StringIO(text), on_error=errors.append)
    assert [game.headers.get("Event") for game in reader] == ["next"]
    assert "never closed" in str(errors[0])


class Depth(Visitor[int]):
    """Nesting depth of the variations."""

    def __init__(self) -> None:
        self.depth = self.most = 0

    def begin_variation(self) -> None:
        self.depth += 1
        self.most = max(self.most, self.depth)

    def end_variation(self) -> None:
        self.depth -= 1

    def finish(self) -> int:
        assert self.depth == 0
        return self.most


def test_variations_may_be_nested_deeper_than_python_calls() -> None:
    game = read_game("1. 9-13 " + "(9-14 23-19 " * 1500 + ")" * 1500 + " *")
    assert game is not None
    assert game.accept(Depth()) == 1500
    assert read_game(str(game)) == game
    assert "(" not in game.accept(StringExporter(variations=False))
    assert len(game.notes) == 1
    assert Game({}, None, game.moves, "*", game.notes) == game
