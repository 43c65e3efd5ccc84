"""Frames between coordinator and workers: what went in comes out, and what was damaged or is not one is refused."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kr.cluster.frames import framed, unframed

PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
JSON = st.recursive(PLAIN, lambda each: st.lists(each) | st.dictionaries(st.text(), each), max_leaves=12)
VALUES = st.dictionaries(st.text(), JSON, max_size=4)
CHUNKS = st.lists(st.binary(max_size=40), max_size=4)


@pytest.mark.slow
@given(VALUES, CHUNKS)
def test_what_went_in_comes_out(values: dict[str, Any], chunks: list[bytes]) -> None:
    found, parts = unframed(framed(values, chunks))
    assert found == values
    assert [bytes(part) for part in parts] == chunks


@pytest.mark.slow
@given(VALUES, CHUNKS, st.data())
def test_one_wrong_bit_is_found(values: dict[str, Any], chunks: list[bytes], data: st.DataObject) -> None:
    frame = bytearray(framed(values, chunks))
    bit = data.draw(st.integers(0, 8 * len(frame) - 1))
    frame[bit // 8] ^= 1 << bit % 8
    with pytest.raises(ValueError, match="not a frame, or one that was damaged on its way"):
        unframed(bytes(frame))


@given(VALUES, CHUNKS, st.data())
def test_a_frame_that_was_cut_or_has_grown_is_refused(
    values: dict[str, Any], chunks: list[bytes], data: st.DataObject
) -> None:
    frame = framed(values, chunks)
    with pytest.raises(ValueError, match="not a frame"):
        unframed(frame[: data.draw(st.integers(0, len(frame) - 1))])
    with pytest.raises(ValueError, match="not a frame"):
        unframed(frame + data.draw(st.binary(min_size=1, max_size=30)))


@given(st.binary(max_size=200))
@example(bytes(24))
@example(bytes(8) + hashlib.sha256(bytes(8)).digest()[:16])
def test_bytes_that_are_no_frame(junk: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whichever part is wrong
        unframed(junk)


def signed(header: object, body: bytes = b"", length: int | None = None) -> bytes:
    """Frame of a worker with another idea of frames: the checksum is right, the rest is not."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    content = (len(text) if length is None else length).to_bytes(8, "little") + text + body
    return content + hashlib.sha256(content).digest()[:16]


def test_the_signed_frame_of_this_test_is_one() -> None:
    header = {"values": {"a": 1}, "sizes": [1, 2]}
    assert signed(header, b"abc") == framed({"a": 1}, [b"a", b"bc"])


@pytest.mark.parametrize(
    "frame",
    [
        signed([]),
        signed("values"),
        signed({}),
        signed({"values": [], "sizes": []}),
        signed({"values": {}}),
        signed({"values": {}, "sizes": None}),
        signed({"values": {}, "sizes": 3}, b"abc"),
        signed({"values": {}, "sizes": {"a": 3}}, b"abc"),
        signed({"values": {}, "sizes": ["3"]}, b"abc"),
        signed({"values": {}, "sizes": [3.0]}, b"abc"),
        signed({"values": {}, "sizes": [True, 2]}, b"abc"),
        signed({"values": {}, "sizes": [4]}, b"abc"),
        signed({"values": {}, "sizes": [2]}, b"abc"),
        signed({"values": {}, "sizes": []}, b"abc"),
        signed({"values": {}, "sizes": [5, -2]}, b"abc"),
        signed({"values": {}, "sizes": [-2, 5]}, b"abc"),
        signed({"values": {}, "sizes": [1e400, 3]}, b"abc"),
        signed({"values": {}, "sizes": []}, length=1 << 60),
        signed({"values": {}, "sizes": []}, length=3),
        signed(b"\xff\xfe"),
        signed(b"[" * 100_000),
        signed(b""),
    ],
    ids=lambda frame: repr(frame[8:48]),
)
def test_a_right_checksum_does_not_make_a_frame(frame: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whichever part is wrong
        unframed(frame)


def test_chunks_of_arrays_are_taken_as_their_bytes_and_not_copied_back() -> None:
    import numpy as np

    numbers = np.arange(6, dtype=np.int32).reshape(2, 3)
    frame = framed({}, [memoryview(numbers), b"", bytearray(b"x")])
    _, parts = unframed(frame)
    assert [bytes(part) for part in parts] == [numbers.tobytes(), b"", b"x"]
    assert all(part.obj is frame for part in parts)


def test_only_json_can_be_sent() -> None:
    with pytest.raises(TypeError):
        framed({"a": object()})
