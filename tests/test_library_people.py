"""The moves that people play, by kr as a C library: the choices of Python, from compact files; others are refused."""

import ctypes as c
import os
import random
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import library as lib
import pytest
from library import built, library, position_of, tables
from policies import random_policy, random_policy_model, random_positions

import kr
from kr import cli
from kr.evaluation.kinds import load_scorer
from kr.file_kinds import POLICY_MAGIC
from kr.policy.compact import compact_policy
from kr.policy.model_file import save_policy
from kr.policy.policy import Policy, load_policy
from kr.policy.shape import PolicyShape
from kr.web.services.port import mean_loss

__all__ = ["tables"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.posix("the library for Windows is built on Linux"),
    pytest.mark.skipif(not lib.BUILD.exists(), reason="the sources of the library are not here"),
]

Choices = list[tuple[tuple[int, int, int], float]]
"""Squares and captured squares of each move, and its probability."""


@pytest.fixture(scope="module")
def shipped() -> bytes:
    return (built() / "people.krp").read_bytes()


@contextmanager
def opened(content: bytes) -> Iterator[c.c_void_p]:
    policy = c.c_void_p()
    assert library().kr_read_policy(c.byref(policy), content, c.c_size_t(len(content))) == lib.OK
    yield policy
    library().kr_close_policy(policy)


def asked(policy: c.c_void_p, tables: c.c_void_p | None, game: Sequence[kr.Position], group: int = -1) -> int | Choices:
    """Choices, or the error."""
    positions, room = (lib.CPosition * len(game))(*map(position_of, game)), (lib.CChoice * lib.MAX_MOVES)()
    count = library().kr_people(policy, tables, positions, len(game), group, room)
    return int(count) if count < 0 else [(lib.key(each.move), each.probability) for each in room[:count]]


def expected(policy: Policy, game: Sequence[kr.Position], group: int = -1) -> Choices:
    strength = None if group < 0 else mean_loss(policy.shape, group)
    found = policy.choices(game[-1], game[:-1], strength=strength)
    return [((each.move.origin, each.move.target, each.move.captured), each.probability) for each in found]


def check_same(found: int | Choices, wanted: Choices) -> None:
    """The same moves in the same order; probabilities but for the rounding of the compilers."""
    assert isinstance(found, list)
    assert [move for move, _ in found] == [move for move, _ in wanted]
    assert [share for _, share in found] == pytest.approx([share for _, share in wanted], abs=1e-6)


def games(count: int, seed: int) -> Iterator[list[kr.Position]]:
    """Positions of random games, each behind up to three before it, some of which don't lead there."""
    source = random.Random(seed)
    played = random_positions(count // 20, seed, plies=120)
    for at in source.sample(range(3, len(played)), count):
        before = played[at - source.randrange(4) : at]
        if before and source.random() < 0.2:
            before[source.randrange(len(before))] = source.choice(played)
        yield [*before, played[at]]


def test_choices_of_the_shipped_policy(tables: c.c_void_p, shipped: bytes) -> None:
    """Each group of players, with and without the positions before."""
    policy, lengths = load_policy(), set()
    with opened(shipped) as people:
        assert library().kr_policy_checksum(people).decode() == policy.model.checksum
        groups = library().kr_policy_groups(people)
        assert groups == len(policy.shape.strengths) + 1 == 5
        for game in games(300, 1):
            lengths.add(len(game))
            for group in range(-1, groups):
                check_same(asked(people, tables, game, group), expected(policy, game, group))
    assert lengths == {1, 2, 3, 4}


ODD = [
    "W:WK9:B6,7,14,15",  # a king that captures in a circle
    "B:W18,19,26,27:B14,15,K22",
    "W:WK10:B14,15,22,23,K32",
    "B:W21:B17",  # a single move
]


def test_positions_of_few_moves(tables: c.c_void_p, shipped: bytes) -> None:
    policy, before = load_policy(), [kr.Position.from_fen(fen) for fen in ODD]
    with opened(shipped) as people:
        for position in before:
            check_same(asked(people, tables, [position]), expected(policy, [position]))
            for move in position.legal_moves():
                game = [position, position.play(move)]
                check_same(asked(people, tables, game), expected(policy, game))
        assert asked(people, tables, [kr.Position.from_fen("B:W21:B")]) == []


SHAPES = [
    PolicyShape(hidden=(20, 8)),
    PolicyShape(hidden=(8, 16), sight="none"),
    PolicyShape(hidden=(16, 8), sight="reply", before=False),
    PolicyShape(hidden=(16, 8), sight="answer", strengths=(0.01, 0.02), years=(1900.0, 1950.0, 1980.0)),
    PolicyShape(hidden=(16, 8), strengths=(0.015,), best=(0.0,), behind=(0.1, 1.0)),
    PolicyShape(hidden=(16, 8), best=(), behind=(-2.0, -1.0)),
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_other_policies(shape: PolicyShape, tables: c.c_void_p) -> None:
    policy = random_policy(shape)
    with opened(compact_policy(policy)) as people:
        groups = library().kr_policy_groups(people)
        assert groups == (len(shape.strengths) + 1 if shape.strengths else 0)
        for game in games(60, 2):
            for group in range(-1, groups):
                check_same(asked(people, tables, game, group), expected(policy, game, group))


def test_what_it_can_not_be_asked(tables: c.c_void_p, shipped: bytes) -> None:
    start, room = kr.Position(), (lib.CChoice * lib.MAX_MOVES)()
    with opened(shipped) as people:
        for group in (-2, 5, 1 << 30):
            assert asked(people, tables, [start], group) == lib.BAD_VALUE
        for count in (0, -1):
            position = c.byref(position_of(start))
            assert library().kr_people(people, tables, position, count, -1, room) == lib.BAD_VALUE
        # one that can't be matters where the policy takes it
        game = (lib.CPosition * 5)(*[position_of(start)] * 5)
        for at, answer in ((4, lib.ILLEGAL), (3, lib.ILLEGAL), (2, lib.ILLEGAL), (1, 7)):
            game[at].kings = 1 << 16
            assert library().kr_people(people, tables, game, 5, -1, room) == answer
            game[at].kings = 0
        assert asked(people, None, [start]) == lib.BAD_VALUE
    with opened(compact_policy(random_policy(PolicyShape(hidden=(8, 8), sight="none")))) as people:
        assert isinstance(asked(people, None, [start]), list)
    by_others = Policy(random_policy_model(PolicyShape(hidden=(8, 8))), load_scorer("manual"))
    with opened(compact_policy(by_others)) as people:
        assert asked(people, tables, [start]) == lib.BAD_VALUE, "other tables than those that it looks with"


def test_the_command(tmp_path: Path, shipped: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["policy", "compact", "--out", str(tmp_path / "people.krp")]) == 0
    assert f"checksum {load_policy().model.checksum}" in capsys.readouterr().out
    assert (tmp_path / "people.krp").read_bytes() == shipped
    assert len(shipped) < 600_000
    save_policy(tmp_path / "logit.h5", random_policy_model(PolicyShape("logit", layout="small")))
    assert cli.main(["policy", "compact", str(tmp_path / "logit.h5"), "--out", str(tmp_path / "logit.krp")]) == 1
    assert "logit: a logit; the C library takes policies of the model net alone" in capsys.readouterr().err
    assert not (tmp_path / "logit.krp").exists()


# --- files that are refused


def read_policy(content: bytes) -> int:
    policy = c.c_void_p()
    error = library().kr_read_policy(c.byref(policy), content, c.c_size_t(len(content)))
    assert (error == lib.OK) == bool(policy)
    library().kr_close_policy(policy)
    return int(error)


def open_policy(path: Path) -> int:
    policy = c.c_void_p()
    error = library().kr_open_policy(c.byref(policy), os.fsencode(path))
    library().kr_close_policy(policy)
    return int(error)


def sealed(body: bytes, version: int = 1, magic: bytes = POLICY_MAGIC) -> bytes:
    """A compact file with a right checksum."""
    return magic + struct.pack("<2I", version, zlib.crc32(body)) + body


SIGHT, BEFORE, FIRST, SECOND, STRENGTHS, YEARS, BEST, BEHIND = range(64, 96, 4)
SCALE, EDGES = 96, 104
CHANGES: dict[str, tuple[int, bytes]] = {
    "another sight": (SIGHT, struct.pack("<I", 4)),
    "moves before that are neither": (BEFORE, struct.pack("<I", 2)),
    "few units": (FIRST, struct.pack("<I", 7)),
    "many units": (FIRST, struct.pack("<I", 4097)),
    "units that are no multiple of 8": (SECOND, struct.pack("<I", 12)),
    "other units": (FIRST, struct.pack("<I", 24)),
    "many edges": (BEST, struct.pack("<I", 65)),
    "edges beyond the end": (BEHIND, struct.pack("<I", 64)),
    "no scale": (SCALE, struct.pack("<d", 0)),
    "a scale without end": (SCALE, struct.pack("<d", float("inf"))),
    "a scale that is no number": (SCALE, struct.pack("<d", float("nan"))),
    "edges that don't ascend": (EDGES + 8, struct.pack("<d", 5)),
    "an edge that is no number": (EDGES, struct.pack("<d", float("nan"))),
    "a move of no number": (EDGES + 8 * (1 + 15 + 14), b"\x80"),
    "an infinite number": (-2, struct.pack("<e", float("inf"))),
    "a number that is none": (EDGES + 8 * (1 + 15 + 14) + 1024, struct.pack("<e", float("nan"))),
}


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    """Its checksum is right, and its content isn't."""
    content = compact_policy(random_policy(PolicyShape(hidden=(16, 8), strengths=(0.015,))))
    body = content[16:]
    assert read_policy(sealed(body)) == lib.OK
    for name, (at, bytes_) in CHANGES.items():
        changed = bytearray(body)
        at %= len(body)
        changed[at : at + len(bytes_)] = bytes_
        assert read_policy(sealed(bytes(changed))) == lib.DAMAGED, name
    for size in (*range(0, 140, 3), 1000, len(body) - 1):
        assert read_policy(sealed(body[:size])) == lib.DAMAGED, size
    assert read_policy(sealed(body + b"\0\0")) == lib.DAMAGED
    (tmp_path / "newer.krp").write_bytes(sealed(body, version=2))
    assert open_policy(tmp_path / "newer.krp") == read_policy(sealed(body, version=2)) == lib.NEWER


def test_a_flipped_bit_anywhere_is_found(shipped: bytes, tmp_path: Path) -> None:
    for at in [*range(0, 200, 7), len(shipped) // 2, len(shipped) - 1]:
        changed = bytearray(shipped)
        changed[at] ^= 16
        assert read_policy(bytes(changed)) in (lib.NOT_KR, lib.NEWER, lib.DAMAGED)
    for cut in (shipped[:-1], shipped + b"\0", POLICY_MAGIC):
        assert read_policy(cut) == lib.DAMAGED
    for foreign in (b"", b"\x89HDF\r\n\x1a\n" + bytes(100), POLICY_MAGIC[:-1]):
        assert read_policy(foreign) == lib.NOT_KR
    assert open_policy(built() / "people.krp") == lib.OK
    assert open_policy(built() / "kr.krt") == lib.NOT_KR
    for path in (tmp_path / "none.krp", tmp_path):
        assert open_policy(path) == lib.NO_FILE
