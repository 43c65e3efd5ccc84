"""The opening decks: that they are the known ones, how they are read, and how they are marked."""

import hashlib
import re
from collections import Counter
from dataclasses import replace

import pytest

from kr.egdb.database import Database
from kr.errors import InvalidFenError, InvalidPdnError, InvalidSettingError
from kr.game.position import Position, Side
from kr.openings.decks import BARRED, DECKS, LOST, PLAYABLE, deck, deck_sources, format_line, generated, read_deck
from kr.openings.marks import MarkSettings, mark_deck
from kr.proofs import rules as reference
from kr.storage import data_path

START_FEN = Position().fen


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("start", 1),
        ("2move", 49),
        ("3move", 174),
        ("11man", 2500),
        pytest.param("endings", 10_000, marks=pytest.mark.slow),
    ],
)
def test_decks_have_their_known_sizes(name, size):
    openings = generated(name)
    assert len({opening.position for opening in openings}) == len(openings) == size
    assert [opening.number for opening in openings] == list(range(1, size + 1))


@pytest.mark.parametrize("name", ["2move", "3move"])
def test_moves_lead_to_the_position(name):
    for opening in generated(name):
        position = Position()
        for move in opening.moves.split():
            position = position.play(move)
        assert position == opening.position


@pytest.mark.parametrize(
    ("number", "moves"),
    [
        (1, "9-13 21-17 5-9"),
        (5, "9-13 22-18 6-9"),  # Dreaded Edinburgh
        (46, "9-14 23-18 14x23"),  # Double Cross
        (68, "10-14 22-18 12-16"),  # White Doctor
        (96, "10-15 22-17 15-19"),  # Skull-Cracker
        (145, "11-16 22-18 10-15"),  # Cheetah
        (174, "12-16 24-20 10-15"),  # Skunk
    ],
)
def test_three_move_openings_have_their_usual_numbers(number, moves):
    assert generated("3move")[number - 1].moves == moves


@pytest.mark.parametrize(
    ("name", "openings"),
    [
        ("Old Fourteenth", {"Old Fourteenth": "11-15 23-19 8-11 22-17 4-8"}),
        ("will o the wisp", {"Will o' the Wisp": "11-15 23-19 9-13"}),
        ("OLD 14TH:all", {"Old Fourteenth": "11-15 23-19 8-11 22-17 4-8"}),
        ("whilter", {"Whilter 1": "11-15 23-19 7-11", "Whilter 2": "11-15 23-19 9-14 22-17 7-11"}),
    ],
)
def test_an_opening_by_its_name_is_a_deck(name, openings):
    assert {opening.name: opening.moves for opening in deck(name)} == openings
    assert [opening.number for opening in deck(name)] == list(range(1, len(openings) + 1))
    for opening in deck(name):
        start, moves = opening.begin()
        assert (start, " ".join(map(str, moves))) == (Position(), opening.moves)


def test_a_name_comes_before_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Dyke").write_text("B:W32:B1\n")
    assert deck("Dyke")[0].moves == "11-15 22-17 15-19"
    assert deck("./Dyke")[0].position.fen == "B:W32:B1"


def test_eighteen_three_move_openings_are_barred():
    assert sum(opening.standing == BARRED for opening in generated("3move")) == 18
    assert len(deck("3move")) == 156
    assert len(deck("3move", playable_only=False)) == 174


def test_eleven_man_openings_match_their_moves():
    for opening in generated("11man"):
        position = opening.position
        taken, moves = opening.moves.split("; ")
        black_taken, white_taken = (int(word) - 1 for word in taken.split()[1::2])
        start = Position()
        black, white = start.black & ~(1 << black_taken), start.white & ~(1 << white_taken)
        for name, side in zip(moves.split(), Side, strict=True):
            origin, target = (int(square) - 1 for square in name.split("-"))
            step = 1 << origin | 1 << target
            black, white = (black ^ step, white) if side == Side.BLACK else (black, white ^ step)
        assert position == Position(black, white, 0, Side.BLACK)
        assert (position.black.bit_count(), position.white.bit_count()) == (11, 11)


def test_eleven_man_openings_treat_both_sides_alike():
    black = {opening.position.black for opening in generated("11man")}
    white = {opening.position.flipped().black for opening in generated("11man")}
    assert black == white
    assert len(black) == 50


# --- endings

BRIDGE = 0b101
"""The squares 1 and 3."""
BLACKS_KING_ROW = 0xF000_0000


@pytest.fixture(scope="module")
def endings() -> list[Position]:
    return [opening.position for opening in generated("endings")]


@pytest.mark.slow
def test_endings_are_always_the_same(endings):
    # runs of self-play hold the numbers of their openings
    lines = "\n".join(position.fen for position in endings)
    assert hashlib.sha256(lines.encode()).hexdigest()[:16] == "dc45de34ba65ef0d"


def test_endings_have_three_to_six_pieces_a_side_and_at_most_one_more(endings):
    counts = Counter((position.black.bit_count(), position.white.bit_count()) for position in endings)
    assert set(counts) == {(b, w) for b in range(3, 7) for w in range(3, 7) if abs(b - w) <= 1}
    assert min(counts.values()) > 100
    reach = Database.open(data_path("egdb")).pieces
    assert min(map(sum, counts)) > reach  # each is a game to play


def test_endings_have_a_move_and_no_capture_for_either_side(endings):
    for position in endings:
        for side in Side:
            moves = Position(position.black, position.white, position.kings, side).legal_moves()
            assert moves
            assert not any(move.is_capture for move in moves)
    for position in endings[::10]:
        board = reference.from_bits(position.black, position.white, position.kings)
        for side in Side:
            moves = reference.legal_moves(board, side)
            assert moves
            assert not any(taken for _, taken in moves)


def test_endings_have_kings_and_men_where_endings_have_them(endings):
    kings, home = Counter(), Counter()
    for position in endings:
        for own in (position, position.flipped()):
            men = own.black & ~own.kings
            assert men
            assert not men & BLACKS_KING_ROW
            kings[(own.black & own.kings).bit_count()] += 1
            home[(men & BRIDGE).bit_count()] += 1
    assert set(kings) == set(home) == {0, 1, 2}
    # a fifth of all sides at least for each number, and more than half with a man at home
    assert min(*kings.values(), *home.values()) > 2 * len(endings) // 5
    assert home[1] + home[2] > len(endings)


def test_endings_treat_both_sides_alike(endings):
    black, white = Counter(), Counter()
    for position in endings:
        for counts, own in ((black, position), (white, position.flipped())):
            counts["to move"] += own.side is Side.BLACK
            counts["pieces"] += own.black.bit_count()
            counts["kings"] += (own.black & own.kings).bit_count()
            counts["at home"] += (own.black & ~own.kings & BRIDGE).bit_count()
    for name in black:
        assert black[name] == pytest.approx(white[name], rel=0.05), name


@pytest.mark.parametrize("name", ["3move", "11man"])
def test_decks_are_the_published_ones(name, shared_data):
    lines = (shared_data / f"ballots-{name}.txt").read_text("utf-8").splitlines()
    published = [line.split("\t") for line in lines if not line.startswith("#")]
    openings = generated(name)
    assert {Position.from_fen(fields[-1]) for fields in published} == {opening.position for opening in openings}
    if name == "3move":
        assert [fields[1] for fields in published] == [opening.moves for opening in openings]
        assert [fields[2] == "BARRED" for fields in published] == [opening.standing == BARRED for opening in openings]
    else:
        listed = {Position.from_fen(fields[-1]) for fields in published if fields[0] == "standard"}
        assert {opening.position for opening in deck(f"{name}:accepted")} == listed


@pytest.mark.parametrize("name", DECKS)
def test_shipped_deck_files_agree_with_the_rules(name):
    openings = deck(name, playable_only=False)
    made = generated(name)
    assert [(o.name, o.moves, o.position) for o in openings] == [(o.name, o.moves, o.position) for o in made]
    file = data_path("selfplay", f"{name}.txt")
    if file.is_file():
        assert "# number, moves, standing, score" in file.read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "size", "playable", "accepted", "source"),
    [
        ("2move", 49, 47, 43, "2move_english.json in pydraughts"),
        ("3move", 174, 156, 156, "American Checker Federation"),
        ("11man", 2500, 2361, 2253, "11_english.json in pydraughts"),
    ],
)
def test_openings_are_chosen_by_what_is_said_of_them(name, size, playable, accepted, source):
    assert len(deck(f"{name}:all")) == len(deck(name, playable_only=False)) == size
    assert deck(f"{name}:playable", playable_only=False) == deck(name)
    assert len(deck(name)) == playable
    chosen = deck(f"{name}:accepted")
    assert len(chosen) == accepted
    assert all(opening.accepted for opening in chosen)
    judged, listed = deck_sources(name)
    assert source in listed
    assert re.match(rf"{name}: {size} openings, each searched \d+ nodes by shipped", judged)


def test_two_moves_that_lose_a_man_are_lost():
    """The two-move restriction of tournaments has 47 openings; these are the two others."""
    assert [opening.moves for opening in deck("2move:all") if not opening.playable] == ["9-14 21-17", "10-14 21-17"]


@pytest.mark.parametrize("name", ["start:accepted", "endings:accepted"])
def test_a_deck_without_a_list_has_no_accepted_openings(name):
    with pytest.raises(InvalidSettingError, match="only of 2move, 3move, 11man"):
        deck(name)


def test_a_deck_file_of_an_earlier_kr_is_read(tmp_path):
    (tmp_path / "old.txt").write_text(f"1\t9-13\tplayable\t0\t{START_FEN}\n")
    (tmp_path / "new.txt").write_text(f"1\t9-13\tlost\t0\t{START_FEN}\tyes\n")
    assert deck(str(tmp_path / "old.txt"))[0].accepted is None
    assert deck(f"{tmp_path / 'new.txt'}:accepted")[0].standing == LOST


def test_file_of_fens(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text(f"# two positions\n{START_FEN}\n\nW:W21,K30:B1,2\n")
    openings = deck(str(file))
    assert [(o.name, o.position.fen) for o in openings] == [("mine 1", START_FEN), ("mine 2", "W:W21,K30:B1,2")]


def test_pdn_file_gives_final_positions(tmp_path):
    file = tmp_path / "book.pdn"
    file.write_text('[Event "a"]\n\n1. 11-15 23-19 *\n\n[Event "b"]\n[SetUp "1"]\n[FEN "W:W21,K30:B1,2"]\n\n*\n')
    openings = deck(str(file))
    assert [o.moves for o in openings] == ["11-15 23-19", ""]
    assert openings[0].position == Position().play("11-15").play("23-19")
    assert openings[1].position.fen == "W:W21,K30:B1,2"


@pytest.mark.parametrize(
    ("name", "text", "error", "words"),
    [
        ("a.txt", f"{START_FEN}\nB:W99:B1\n", InvalidFenError, "line 2"),
        ("a.txt", "B:W32:B\n", InvalidFenError, "no legal move"),
        ("a.txt", f"1\t9-13\tgood\t0\t{START_FEN}\n", InvalidSettingError, "line 1"),
        ("a.txt", f"1\t9-13\tplayable\tlots\t{START_FEN}\n", InvalidSettingError, "score"),
        ("a.txt", f"1\t9-13\tlost\t200\t{START_FEN}\n", InvalidSettingError, "no opening to play"),
        ("a.txt", "# nothing\n", InvalidSettingError, "no opening to play"),
        ("a.txt", b"\xff\xfe\x00", InvalidSettingError, "as text"),
        ("a.pdn", "1. 11-15 1-2 *\n", InvalidPdnError, "line 1"),
        ("a.pdn", '[FEN "B:W32:B"]\n\n*\n', InvalidFenError, "game 1"),
    ],
)
def test_wrong_files_are_refused(tmp_path, name, text, error, words):
    file = tmp_path / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(error, match=words):
        deck(str(file))


def test_unknown_deck_is_refused():
    with pytest.raises(InvalidSettingError, match="11man"):
        deck("4move")


# --- marking

MARKS = MarkSettings(deck="2move", nodes=300, lost_score=100, weights="material")


def test_marking_judges_every_opening(tmp_path):
    out = tmp_path / "2move.txt"
    seen = []
    marked = mark_deck(MARKS, out, seen.append)
    assert seen == marked
    assert list(read_deck(out)) == marked
    assert [o.position for o in marked] == [o.position for o in generated("2move")]
    assert {o.standing for o in marked} == {PLAYABLE, LOST}
    assert all((abs(o.score) >= 100) == (o.standing == LOST) for o in marked)
    assert list(tmp_path.iterdir()) == [out]


def test_marking_keeps_the_published_list_or_takes_another(tmp_path):
    kept = mark_deck(MARKS, tmp_path / "kept.txt")
    assert [o.accepted for o in kept] == [o.accepted for o in deck("2move:all")]
    (tmp_path / "list.txt").write_text(f"{kept[0].position.fen}\n")
    settings = replace(MARKS, accepted=tmp_path / "list.txt", source="a list, of 1900")
    out = tmp_path / "2move.txt"
    assert [o.number for o in mark_deck(settings, out) if o.accepted] == [1]
    assert "# accepted: a list, of 1900\n" in out.read_text("utf-8")
    with pytest.raises(InvalidSettingError, match="give both"):
        replace(MARKS, source="a list")
    (tmp_path / "list.txt").write_text("W:W21,K30:B1,2\n")
    with pytest.raises(InvalidSettingError, match="is not of 2move"):
        mark_deck(settings, tmp_path / "other.txt")


def test_marking_keeps_the_federations_judgement(tmp_path):
    settings = MarkSettings(deck="3move", nodes=20, lost_score=1, weights="material")
    marked = mark_deck(settings, tmp_path / "3move.txt")
    assert [o.standing for o in marked] == [o.standing for o in generated("3move")]


@pytest.mark.parametrize("cut", [10, 150, 400, 1500])
def test_interrupted_marking_goes_on(tmp_path, cut):
    whole, again = tmp_path / "whole.txt", tmp_path / "2move.txt"
    mark_deck(MARKS, whole)
    part = tmp_path / "2move.txt.part"
    part.write_bytes(whole.read_bytes()[:cut])
    mark_deck(MARKS, again)
    assert again.read_bytes() == whole.read_bytes()
    assert not part.exists()


def test_marking_goes_on_only_with_the_same_settings(tmp_path):
    part = tmp_path / "2move.txt.part"
    part.write_text(f"# 2move: other settings\n{format_line(generated('2move')[0])}\n")
    with pytest.raises(InvalidSettingError, match="other settings"):
        mark_deck(MARKS, tmp_path / "2move.txt")
