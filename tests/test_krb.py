"""Packed books: their format, look-ups, damage, and the moves that are played from them."""

from __future__ import annotations

import importlib.util
import random
import shutil
import struct
import subprocess
import zlib
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_book import book_content
from test_book import random_graph

from kr.book.book import OpeningBook, load_book
from kr.book.frame import BookKey, book_key, move_at, numbered_steps, position_of_key, step_at
from kr.book.krb import BLOCK_POSITIONS, HEADER_BYTES, PackedBook, PackedMove, krb_bytes, least_games, weight_of
from kr.errors import InvalidBookError, InvalidSettingError
from kr.game.position import Position
from kr.theory.packing import packed_book

BOARD = st.integers(0, 2**32 - 1)
MOVES = st.lists(
    st.builds(PackedMove, st.integers(0, 31), st.none(), st.integers(0, 255), st.integers(0, 7)), max_size=6
)


@st.composite
def entries(draw: st.DrawFn) -> tuple[PackedMove, ...]:
    best = draw(st.integers(-10_000, 10_000))
    first = PackedMove(draw(st.integers(0, 31)), best, draw(st.integers(0, 255)), draw(st.integers(0, 7)))
    near = PackedMove(draw(st.integers(0, 31)), best - draw(st.integers(0, 254)), 3, 0)
    return first, near, *draw(MOVES)


@pytest.mark.slow
@given(
    st.dictionaries(
        st.tuples(st.integers(0, 3) | BOARD, st.integers(0, 40) | BOARD, st.just(0) | st.integers(0, 30) | BOARD),
        entries(),
        max_size=90,
    )
)
def test_what_is_packed_is_found(book: dict[BookKey, tuple[PackedMove, ...]]) -> None:
    packed = PackedBook(krb_bytes(book, {"nodes": 5}))
    assert packed.facts == {"nodes": 5}
    assert len(packed) == len(book)
    assert list(packed.keys()) == sorted(book)
    for key, moves in book.items():
        assert tuple(packed.moves(key)) == moves
        own, other, kings = key
        for beside in ((own, other ^ 1, kings), (own ^ 2**31, other, kings), (own, other, kings ^ 4)):
            if beside not in book:
                assert packed.moves(beside) == []


def test_more_sets_of_kings_than_a_block_has_positions() -> None:
    book = {(7, 56, kings): (PackedMove(kings, kings, 1, 1),) for kings in range(BLOCK_POSITIONS + 5)}
    packed = PackedBook(krb_bytes(book, {}))
    assert all(packed.moves(key)[0].number == key[2] for key in book)


@pytest.mark.parametrize(("games", "weight"), [(0, 0), (1, 1), (3, 1), (4, 2), (15, 2), (16, 3), (4096, 7), (10**6, 7)])
def test_weights(games: int, weight: int) -> None:
    assert weight_of(games) == weight
    assert least_games(weight) <= games < least_games(weight + 1) or weight == 7


def written(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "book.krb"
    path.write_bytes(content)
    return path


def test_every_damaged_byte_is_told(tmp_path: Path) -> None:
    whole = packed_book(random_graph(2, 30), {"from": "a test"})
    source = random.Random(1)
    for at in [*range(HEADER_BYTES), *source.sample(range(HEADER_BYTES, len(whole)), 60)]:
        content = bytearray(whole)
        content[at] ^= 1 << source.randrange(8)
        with pytest.raises(InvalidBookError, match="book.krb"):
            _ = OpeningBook(written(tmp_path, bytes(content))).moves(Position())
    for length in source.sample(range(len(whole)), 30):
        with pytest.raises(InvalidBookError):
            OpeningBook(written(tmp_path, whole[:length]))


def test_a_book_says_what_its_graph_does(tmp_path: Path) -> None:
    graph = random_graph(5, 60)
    graph.propagate()
    book = OpeningBook(written(tmp_path, packed_book(graph, {})))
    assert len(book) == sum(bool(node.moves) for node in graph.nodes.values())
    for key, node in graph.nodes.items():
        for position in (position_of_key(key), position_of_key(key).flipped()):
            known = {step_at(position, each.move): each.value for each in book.moves(position)}
            for move in node.moves:
                assert known[move.step] == min(graph.move_worth(move), node.worth) or node.value
            choice = book.choice(position)
            assert (choice.value if choice else None) == (node.worth if node.moves else None)


def a_book(tmp_path: Path, moves: dict[str, tuple[int | None, int]]) -> OpeningBook:
    """A book of the start alone. moves: value and weight."""
    start = Position()
    numbers = {str(move): number for number, move in enumerate(numbered_steps(start).values())}
    packed = [PackedMove(numbers[text], value, 9, weight) for text, (value, weight) in moves.items()]
    return OpeningBook(written(tmp_path, krb_bytes({book_key(start): packed}, {})))


def test_a_varied_choice_stays_near_the_best(tmp_path: Path) -> None:
    book = a_book(tmp_path, {"11-15": (3, 2), "9-14": (0, 0), "10-14": (-1, 7), "12-16": (-2, 7), "9-13": (None, 7)})
    chance = random.Random(4)
    chosen = [str(choice.move) for _ in range(400) if (choice := book.choice(Position(), chance))]
    assert {*chosen} == {"11-15", "9-14", "10-14"}
    assert chosen.count("10-14") > chosen.count("11-15") > chosen.count("9-14")
    choices = [book.choice(Position()) for _ in range(9)]
    assert {str(choice.move) for choice in choices if choice} == {"11-15"}
    assert book.choice(Position().play("11-15"), chance) is None


def test_numbers_follow_the_squares() -> None:
    steps = list(numbered_steps(Position()))
    assert [(origin + 1, target + 1) for origin, target, _ in steps] == [
        (9, 13), (9, 14), (10, 14), (10, 15), (11, 15), (11, 16), (12, 16),
    ]  # fmt: skip
    white = Position().play("11-15")
    assert list(map(str, numbered_steps(white).values())) == [
        "24-20",
        "24-19",
        "23-19",
        "23-18",
        "22-18",
        "22-17",
        "21-17",
    ]
    assert all(step_at(white, move_at(white, step)) == step for step in numbered_steps(white))


CHECKOUT = Path(__file__).parents[1]
C_READER = r"""
#include <stdio.h>
#include <stdlib.h>
#include "krb.h"
int main(int count, char** words) {
    static unsigned char bytes[1 << 20];
    krb_move moves[KRB_MOST_MOVES];
    krb_book book;
    unsigned own, other, kings;
    FILE* file = fopen(words[1], "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    unsigned char* own_copy = malloc(size); /* so that a sanitizer sees its end */
    int i, found = krb_open(&book, memcpy(own_copy, bytes, size), size);
    if (found) return printf("%d\n", found), 0;
    while (scanf("%u %u %u", &own, &other, &kings) == 3) {
        found = krb_find(&book, own, other, kings, moves);
        for (i = 0; i < found; i++)
            printf("%d,%d,%d,%d ", moves[i].number, moves[i].value, moves[i].depth, moves[i].weight);
        printf("\n");
    }
    return (count != 2) + (krb_turned(1) != 0x80000000u);
}
"""


@pytest.fixture(scope="module")
def c_reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("krb")
    (folder / "read.c").write_text(C_READER)
    flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{CHECKOUT / 'packaging' / 'library'}"]
    subprocess.run([compiler, *flags, "-o", folder / "read", folder / "read.c"], check=True, timeout=60)
    return folder / "read"


def python_reader() -> ModuleType:
    spec = importlib.util.spec_from_file_location("krb_reader", CHECKOUT / "docs" / "reference" / "krb_reader.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def in_c(reader: Path, book: Path, keys: Sequence[BookKey]) -> list[str]:
    asked = "".join(f"{own} {other} {kings}\n" for own, other, kings in keys)
    command = [str(reader), str(book)]
    return subprocess.run(command, input=asked, capture_output=True, text=True, check=True, timeout=60).stdout.split(
        "\n"
    )


def test_readers_without_kr_read_the_same(tmp_path: Path, c_reader: Path) -> None:
    graph = random_graph(9, 80)
    source = random.Random(3)
    book = {
        (*key[:2], kings): (PackedMove(number := source.randrange(32), source.randint(-9, 9), number, 1),
                            PackedMove(number, None, 0, 7))
        for key in graph.nodes for kings in (0, source.choice([0, 1 << source.randrange(32)]))
    }  # fmt: skip
    path = written(tmp_path, krb_bytes(book, {}))
    plain = python_reader().KrbBook(path)
    missing = [(own ^ 1, other, kings) for own, other, kings in book]
    keys = [*book, *missing]
    lines = in_c(c_reader, path, keys)
    for key, line in zip(keys, lines, strict=False):
        moves = [PackedMove(*move) for move in plain.moves(*key)]
        assert moves == list(book.get(key, ()))
        in_words = [(number, -20000 if value is None else value, *rest) for number, value, *rest in moves]
        assert line.split() == [",".join(map(str, move)) for move in in_words]
    white = Position().play("11-15")
    assert python_reader().framed(*white.bits) == book_key(white)


def test_readers_without_kr_refuse_damage(tmp_path: Path, c_reader: Path) -> None:
    whole = packed_book(random_graph(2, 30), {})
    module, source = python_reader(), random.Random(8)
    for at in (0, 8, 13, 24, *source.sample(range(32, len(whole)), 12)):
        content = bytearray(whole)
        content[at] ^= 1 << source.randrange(8)
        path = written(tmp_path, bytes(content))
        assert in_c(c_reader, path, [])[0] in ("-1", "-2", "-3")
        with pytest.raises(ValueError, match="book.krb"):
            module.KrbBook(path)


WRONG_STRUCTURE = {
    "no bytes of a difference": {"width": 0},
    "more of them than a place has": {"width": 9},
    "more positions than there are": {"count": 255},
    "a block beyond the end": {"offset": 0xFFFFFFFF},
}


@pytest.mark.parametrize("changes", WRONG_STRUCTURE.values(), ids=WRONG_STRUCTURE)
def test_a_right_checksum_of_a_wrong_structure(tmp_path: Path, changes: dict[str, int]) -> None:
    content = bytearray(book_content({"": "11-15 6 20 5"}))
    body = PackedBook(bytes(content))._body
    if "offset" in changes:
        struct.pack_into("<I", content, body - 4, changes["offset"])
    for at, name in enumerate(("count", "width")):
        content[body + at] = changes.get(name, content[body + at])
    struct.pack_into("<Q", content, 24, zlib.crc32(content[32:], zlib.crc32(content[:24])))
    book = OpeningBook(written(tmp_path, bytes(content)))
    if changes != {"width": 9}:  # which may well be what it says
        with pytest.raises(InvalidBookError, match="book.krb: damaged in block 0"):
            book.moves(Position())
    with pytest.raises(InvalidBookError, match=r"book\.krb: "):
        list(book.positions())


def test_damaged_facts_name_the_file(tmp_path: Path) -> None:
    content = bytearray(book_content())
    content[32] = ord("x")
    struct.pack_into("<Q", content, 24, zlib.crc32(content[32:], zlib.crc32(content[:24])))
    book = OpeningBook(written(tmp_path, bytes(content)))
    with pytest.raises(InvalidBookError, match=r"book\.krb: damaged facts"):
        _ = book.facts


def test_readers_without_kr_read_no_empty_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="book.krb is not a packed book"):
        python_reader().KrbBook(written(tmp_path, b""))


def test_a_book_that_is_not_there_is_told() -> None:
    with pytest.raises(InvalidSettingError, match="expected none, shipped or a .krb"):
        load_book("nosuch.krb")
    assert load_book("none") is None
