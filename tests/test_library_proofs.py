"""Proofs of the C library: searched as by kr.prove, bounded, resumed, stopped; what it can't do is an error."""

import ctypes as c

import library as lib
import numpy as np
import pytest
from library import database, engine, library, position_of, tables
from proved import shipped

import kr
from kr.game.position import Side
from kr.game.value import Value
from kr.proofs.certificate import Certificate, Claim
from kr.proofs.checking import check_certificate
from kr.proofs.prover import ProveSettings, prove
from kr.storage import data_path

__all__ = ["database", "engine", "tables"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.posix("the library for Windows is built on Linux"),
    pytest.mark.skipif(not lib.BUILD.exists(), reason="the sources of the library are not here"),
]

BLOCK = "B:WK1,29,30,32:B4,11,12,16,19,23,26,27,28,K31"
OPEN = "B:W18,24,27,28,K10,K15:B12,16,20,K22,K25"
WON = "W:WK15,K18,K19,20:B12,21,K29,K30"
WIN, BLACK, WHITE = 2, 0, 1
MOST_NODES, MOST_MEMORY = 2**64 - 1, 2 ** (8 * c.sizeof(c.c_size_t)) - 1


class CClaim(c.Structure):
    _fields_ = [
        ("side", c.c_int), ("goal", c.c_int), ("holds", c.c_int), ("searches", c.c_int), ("proof", c.c_double),
        ("disproof", c.c_double), ("nodes", c.c_uint64), ("tree", c.c_int), ("positions", c.c_int),
        ("length", c.c_int), ("resists", c.POINTER(lib.CMove)),
    ]  # fmt: skip


class CState(c.Structure):
    _fields_ = [
        ("least", c.c_int), ("most", c.c_int), ("answered", c.c_int), ("claim_count", c.c_int),
        ("claims", c.POINTER(CClaim)), ("nodes", c.c_uint64), ("seconds", c.c_double), ("held", c.c_size_t),
        ("full", c.c_int),
    ]  # fmt: skip


class CCertificate(c.Structure):
    _fields_ = [
        ("count", c.c_int), ("boards", c.POINTER(c.c_uint32)), ("moves", c.POINTER(c.c_uint8)),
        ("ranks", c.POINTER(c.c_uint16)),
    ]  # fmt: skip


HEAR = c.CFUNCTYPE(c.c_int, c.POINTER(CState), c.c_void_p)


def begun(engine: lib.CEngine, fen: str, goal: int = 0, memory: int = 0) -> c.c_void_p:
    proof, position = c.c_void_p(), position_of(kr.Position.from_fen(fen))
    error = library().kr_open_proof(c.byref(proof), engine.handle, c.byref(position), goal, c.c_size_t(memory))
    assert error == lib.OK
    return proof


def worked(proof: c.c_void_p, listener: object = None, **limits: float) -> CState:
    state = CState()
    called = HEAR(listener) if listener else None
    assert library().kr_prove(proof, c.byref(lib.CLimits(**limits)), called, None, c.byref(state)) == lib.OK
    return state


def claims(state: CState) -> list[tuple[int, int, int, int, int]]:
    return [(each.side, each.goal, each.holds, each.searches, each.nodes) for each in state.claims[: state.claim_count]]


def test_a_proof_is_that_of_kr(engine: lib.CEngine) -> None:
    own = kr.Engine(hash_mb=16, database=kr.Database.open(data_path("egdb")))
    for fen, nodes in ((BLOCK, 500_000), (OPEN, 300_000)):
        library().kr_clear(engine.handle)
        own.new_game()
        proof = begun(engine, fen)
        state = worked(proof, nodes=nodes)
        found = prove(ProveSettings(fen=fen, tc=kr.Limits(nodes=nodes), workers=1), engine=own)
        holds = {None: -1, False: 0, True: 1}
        expected = [
            (each.claim.side, 1 + each.claim.goal.sign, holds[each.holds], each.leaves, each.nodes)
            for each in found.claims
        ]
        assert claims(state) == expected
        assert (state.least, state.most) == (1 + found.least.sign, 1 + found.most.sign)
        assert state.answered == found.answered
        library().kr_close_proof(proof)


def test_it_goes_on_where_it_stood(engine: lib.CEngine) -> None:
    proof = begun(engine, OPEN)
    first = worked(proof, nodes=50_000)
    before = first.nodes, first.seconds, sum(each[3] for each in claims(first))
    later = worked(proof, nodes=50_000)
    assert later.nodes > before[0]
    assert later.seconds > before[1]
    assert sum(each[3] for each in claims(later)) > before[2]
    library().kr_close_proof(proof)


@pytest.mark.soak
def test_a_full_memory_ends_it(engine: lib.CEngine) -> None:
    proof = begun(engine, OPEN, memory=1)
    state = worked(proof, seconds=60)
    assert (state.full, state.answered) == (1, 0)
    assert state.held > 1
    assert sum(each[3] for each in claims(state)) == 1
    library().kr_close_proof(proof)


def test_its_listener_and_a_stop_end_it(engine: lib.CEngine) -> None:
    heard = []

    def hear(state: object, _: object) -> int:
        heard.append(claims(state.contents))  # type: ignore[attr-defined]
        # what changes the engine waits
        assert library().kr_clear(engine.handle) == lib.BUSY
        return len(heard) == 3

    proof = begun(engine, OPEN)
    state = worked(proof, hear)
    assert len(heard) == 3
    assert heard[-1] == claims(state)
    library().kr_stop(engine.handle)
    assert worked(proof, seconds=60).nodes == state.nodes
    # a stop is for one call
    assert worked(proof, nodes=state.nodes + 20_000).nodes > state.nodes
    library().kr_close_proof(proof)


def test_what_it_refuses(engine: lib.CEngine) -> None:
    proof, position = c.c_void_p(), position_of(kr.Position.from_fen(BLOCK))
    impossible = lib.CPosition(1, 1, 0, 0)
    begin, size = library().kr_open_proof, c.c_size_t(0)
    assert begin(c.byref(proof), engine.handle, c.byref(impossible), 0, size) == lib.ILLEGAL
    for goal in (-1, 4):
        assert begin(c.byref(proof), engine.handle, c.byref(position), goal, size) == lib.BAD_VALUE
    proof = begun(engine, BLOCK)
    state, certificate = CState(), CCertificate()
    for limits in ({}, {"seconds": -1.0}, {"seconds": float("nan")}):
        given = c.byref(lib.CLimits(**limits))
        assert library().kr_prove(proof, given, None, None, c.byref(state)) == lib.BAD_VALUE
    state = worked(proof, nodes=500_000)
    for number, (side, goal, holds, *_) in enumerate(claims(state)):
        error = library().kr_certify(proof, number, c.byref(certificate))
        assert error == (lib.OK if holds == 1 else lib.BAD_VALUE)
        if (side, goal) == (WHITE, WIN):
            assert (holds, certificate.count > 0, certificate.ranks[0] > 0) == (1, True, True)
    assert library().kr_certify(proof, 4, c.byref(certificate)) == lib.BAD_VALUE
    library().kr_close_proof(proof)


def test_a_limit_may_be_any_number(engine: lib.CEngine) -> None:
    proof = begun(engine, WON, memory=MOST_MEMORY)
    assert worked(proof, nodes=1000).nodes == 1000
    state = worked(proof, nodes=MOST_NODES)
    assert (state.least, state.most, state.answered, state.full) == (WIN, WIN, 1, 0)
    library().kr_close_proof(proof)


def test_a_stop_that_comes_late_ends_no_later_proof(engine: lib.CEngine) -> None:
    library().kr_stop(engine.handle)
    proof = begun(engine, OPEN)
    assert worked(proof, nodes=1000).nodes == 1000
    library().kr_close_proof(proof)


@pytest.mark.parametrize("fen", [WON, "W:W5:B1,K24", "W:W:BK1", "B:W:BK1", "W:WK1:BK32"])
def test_plain_python_checks_the_certificate_of_every_claim_that_holds(engine: lib.CEngine, fen: str) -> None:
    proof, root, full = begun(engine, fen), kr.Position.from_fen(fen), shipped()
    state, certificate = worked(proof, nodes=MOST_NODES), CCertificate()
    assert state.answered
    for number, (side, goal, holds, *_) in enumerate(claims(state)):
        if holds == 1:
            assert library().kr_certify(proof, number, c.byref(certificate)) == lib.OK
            count = certificate.count
            columns = (
                np.array(certificate.boards[: 3 * count], np.uint32).reshape(-1, 3),
                np.array(certificate.moves[:count], np.uint8),
                np.array(certificate.ranks[:count], np.uint16),
            )
            claim = Claim(root, Side(side), Value.from_sign(goal - 1))
            check_certificate(Certificate(claim, *columns, full.signature, full.reach), full)
    library().kr_close_proof(proof)
