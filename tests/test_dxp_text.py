"""DXP: the text of messages, positions and addresses."""

import pytest
from dxp_peers import START
from hypothesis import given, settings
from hypothesis import strategies as st
from playouts import PLAYED

from kr.errors import IllegalMoveError, InvalidSettingError, KrError, ProtocolError
from kr.game.position import Position, Side
from kr.protocols.dxp_link import format_address, parse_address
from kr.protocols.dxp_text import (
    LONGEST_MESSAGE,
    BackAccept,
    BackRequest,
    Chat,
    GameAccept,
    GameEnd,
    GameRequest,
    MessageSplitter,
    MoveMade,
    find_move,
    format_dxp_move,
    format_dxp_position,
    format_message,
    parse_dxp_position,
    parse_message,
)

NAME = "Tornado voor Windows 4.0"
PADDED = NAME.ljust(32)

printable = st.characters(min_codepoint=0x20, max_codepoint=0x7E)
names = st.text(printable, max_size=32).map(str.strip)
sides = st.sampled_from(Side)
squares = st.integers(0, 31)
messages = st.one_of(
    st.builds(
        GameRequest, names, sides, st.integers(0, 999), st.integers(0, 999), sides,
        st.text("wWzZe", min_size=1, max_size=50), st.integers(0, 99),
    ),
    st.builds(GameRequest, names, sides, st.integers(0, 999), st.integers(0, 999), version=st.integers(0, 99)),
    st.builds(GameAccept, names, st.integers(0, 3)),
    st.builds(MoveMade, st.integers(0, 9999), squares, squares, st.lists(squares, max_size=12).map(tuple)),
    st.builds(GameEnd, st.integers(0, 3), st.booleans()),
    st.builds(Chat, st.text(printable, max_size=LONGEST_MESSAGE - 1)),
    st.builds(BackRequest, st.integers(0, 999), sides),
    st.builds(BackAccept, st.integers(0, 2)),
)  # fmt: skip


@given(messages)
def test_messages_round_trip(message):
    text = format_message(message)
    assert 1 <= len(text) <= LONGEST_MESSAGE
    assert parse_message(text) == message


# the examples of the specification, and what public clients send
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"R01{PADDED}W060065A", GameRequest(NAME, Side.WHITE, 60, 65)),
        (f"R01{'DXP Client':32}Z000000BZ{START}", GameRequest("DXP Client", Side.BLACK, 0, 0, Side.BLACK, START)),
        (f"A{PADDED}1", GameAccept(NAME, 1)),
        ("M0012061100", MoveMade(12, 5, 10)),
        ("M001222150118", MoveMade(12, 21, 14, (17,))),
        ("M0012061100\r\n", MoveMade(12, 5, 10)),
        ("E00", GameEnd(0, False)),
        ("E31", GameEnd(3, True)),
        ("CWhat do you think about move 35?", Chat("What do you think about move 35?")),
        ("C", Chat("")),
        ("C\x1b[2J\x07", Chat("?[2J?")),
        ("B005Z", BackRequest(5, Side.BLACK)),
        ("K2", BackAccept(2)),
    ],
)
def test_message_is_read(text, message):
    assert parse_message(text) == message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a message"),
        ("X", "not a message"),
        ("move", "not a message"),
        ("R", "a version"),
        (f"R01{PADDED}B060065A", "the follower's colour"),
        (f"R01{PADDED}W-60065A", "minutes"),
        (f"R01{PADDED}W060065C", "A or B"),
        (f"R01{PADDED}W060065A{START}", "after its end"),
        (f"R01{PADDED}W060065BZ", "position"),
        (f"R01{PADDED}W060065BZ{START[:-1]}x", "position"),
        ("A0", "a name of 32"),
        (f"A{PADDED}4", "a code from 0 to 3"),
        ("M001206110", "captured"),
        ("M0012061101", "a square"),
        ("M001206330100", "square '33' does not exist"),
        ("M001206001", "square '00' does not exist"),
        ("M0012061100118", "after its end"),
        ("M00120611990102", "a square"),
        ("E4", "a reason"),
        ("E0", "a stop code"),
        ("B05Z", "a move number"),
        ("B005B", "W or Z"),
        ("K3", "a code from 0 to 2"),
    ],
)
def test_malformed_message_is_refused(text, said):
    with pytest.raises(ProtocolError, match=said) as error:
        parse_message(text)
    assert "\n" not in str(error.value)


@settings(max_examples=50)
@given(st.text(st.characters(max_codepoint=0x7F), max_size=LONGEST_MESSAGE) | messages.map(format_message), st.data())
def test_any_text_is_read_or_refused(text, data):
    if text and data.draw(st.booleans()):
        at = data.draw(st.integers(0, len(text) - 1))
        text = text[:at] + data.draw(st.text(st.characters(max_codepoint=0x7F), max_size=3)) + text[at + 1 :]
    try:
        message = parse_message(text)
    except ProtocolError:
        return
    assert parse_message(format_message(message)) == message


def test_text_that_does_not_fit_is_cut_or_refused():
    assert format_message(Chat("é" * 200)) == "C" + "?" * 126
    assert format_message(GameAccept("n" * 40)) == "A" + "n" * 32 + "0"
    assert format_message(MoveMade(100_000, 0, 1)) == "M9999010200"
    with pytest.raises(ProtocolError, match="does not fit"):
        format_message(GameRequest("", Side.BLACK, 1000))


# --- the stream


@settings(max_examples=50)
@given(
    st.lists(st.text(st.characters(min_codepoint=1, max_codepoint=0x7F), min_size=1, max_size=LONGEST_MESSAGE)),
    st.data(),
)
def test_messages_are_split_however_they_arrive(texts, data):
    stream = b"".join(text.encode() + b"\0" for text in texts)
    splitter, found, at = MessageSplitter(), [], 0
    while at < len(stream):
        size = data.draw(st.integers(1, len(stream) - at))
        found += splitter.feed(stream[at : at + size])
        at += size
    assert found == texts
    assert not splitter.is_inside


def test_empty_messages_are_ignored():
    splitter = MessageSplitter()
    assert splitter.feed(b"\0\0E00\0\0K") == ["E00"]
    assert splitter.is_inside


@pytest.mark.parametrize(
    ("stream", "said"),
    [
        (b"C" * 128, "more than 127 characters"),
        (b"E00\0" + b"C" * 128 + b"\0", "more than 127 characters"),
        (b"C\xe9t\xe9\0", "not ASCII"),
        (b"\x16\x03\x01\x02\xff", "not ASCII"),
    ],
)
def test_bad_stream_is_refused(stream, said):
    with pytest.raises(ProtocolError, match=said) as error:
        MessageSplitter().feed(stream)
    assert len(str(error.value)) < 200


# --- positions and moves


@settings(max_examples=30)
@pytest.mark.parametrize("frame", ["pdn", "mover"])
@given(PLAYED)
def test_positions_and_moves_round_trip(frame, position):
    assert parse_dxp_position(format_dxp_position(position, frame), position.side, frame) == position
    for move in position.legal_moves():
        again = find_move(parse_message(format_message(format_dxp_move(move, 1.2))), position)
        assert (again.origin, again.target, again.captured) == (move.origin, move.target, move.captured)


def test_position_text():
    assert format_dxp_position(Position()) == format_dxp_position(Position(), "mover") == START
    assert parse_dxp_position("zZeW" + "w" + "e" * 26 + "Z", Side.WHITE).fen == "W:WK4,5:B1,K2,K32"
    # what pydraughts sends for B:W18,24,27,28:B12,16,20,K31: Black to move, but board and colours turned
    turned = "eWeezzeezeeewezeweeeweeeeeeeeeee"
    assert parse_dxp_position(turned, Side.BLACK, "mover").fen == "B:W18,24,27,28:B12,16,20,K31"


@pytest.mark.parametrize("text", ["", START + "e", "z" * 13 + "e" * 19, "w" + "e" * 31, "z" * 20 + "e" * 10 + "w" * 20])
def test_bad_position_is_refused(text):
    with pytest.raises(KrError):
        parse_dxp_position(text, Side.BLACK)


@pytest.mark.parametrize(
    ("fen", "text", "path"),
    [
        ("B:W21-32:B1-12", "M0000111500", "11-15"),
        ("W:W18:B15", "M000018110115", "18x11"),
        ("B:W6,15:B1", "M00000119021506", "1x19"),
        ("B:W6,15:B1", "M00000119020615", "1x19"),
        ("B:W10,11,18,19:B7", "M00000723021119", "7x16x23"),
        ("B:W6,15:B1", "M000001190106", None),
        ("B:W6,15:B1", "M0000011900", None),
        ("B:W21-32:B1-12", "M0000112000", None),
        ("B:W21-32:B1-12", "M000011150118", None),
    ],
)
def test_move_is_found(fen, text, path):
    position = Position.from_fen(fen)
    if path is None:
        with pytest.raises(IllegalMoveError):
            find_move(parse_message(text), position)
    else:
        assert str(find_move(parse_message(text), position)) == path


# --- addresses


@pytest.mark.parametrize(
    ("text", "address", "again"),
    [
        ("", ("127.0.0.1", 27531), "127.0.0.1:27531"),
        (":0", ("127.0.0.1", 0), "127.0.0.1:0"),
        ("28917", ("127.0.0.1", 28917), "127.0.0.1:28917"),
        ("127.0.0.1", ("127.0.0.1", 27531), "127.0.0.1:27531"),
        ("localhost", ("localhost", 27531), "localhost:27531"),
        ("0.0.0.0:1234", ("0.0.0.0", 1234), "0.0.0.0:1234"),
        ("[::1]:99", ("::1", 99), "[::1]:99"),
        ("[::1]", ("::1", 27531), "[::1]:27531"),
    ],
)
def test_address(text, address, again):
    assert parse_address(text) == address
    assert format_address(address) == again


BAD_ADDRESSES = ["a:b", "::1", "host:65536", "host:-1", "a b:1", "host:", "[::1:5", "1:2:3", "65536", "123456"]


@pytest.mark.parametrize("text", BAD_ADDRESSES)
def test_bad_address_is_refused(text):
    with pytest.raises(InvalidSettingError, match="HOST:PORT"):
        parse_address(text)
