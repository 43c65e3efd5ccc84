"""A page whose server is killed and started again, and two pages at once."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest
from web_pages import Opener, click_square, meant_board, opened, read_board, server, serving, wait_until

import kr
from kr.web.serve import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["opened", "server"]
pytestmark = pytest.mark.slow

GONE = "net::ERR_CONNECTION_REFUSED"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def play(page: Page, board: kr.Board, text: str) -> None:
    """Play a move by two clicks."""
    wait_until(page, "() => document.querySelectorAll('main .board .movable').length > 0")
    move = board.play(text)
    click_square(page, move.origin + 1)
    click_square(page, move.target + 1)
    wait_until(page, "fen => document.querySelector('input.fen').value === fen", board.fen)
    assert read_board(page) == meant_board(board.fen)


def test_a_game_goes_on_when_the_server_is_back(opened: Opener) -> None:
    port = free_port()
    board = kr.Board()
    with serving(port=port) as server:
        page = opened(server.address, allowed=GONE)
        play(page, board, "11-15")
        play(page, board, "23-19")
    # a move can still be made, since the legal ones are known here; what follows it is not
    wait_until(page, "() => document.querySelectorAll('main .board .movable').length > 0")
    move = board.play("8-11")
    click_square(page, move.origin + 1)
    click_square(page, move.target + 1)
    wait_until(page, "() => document.querySelector('#status').textContent.includes('does not answer')")
    assert read_board(page) == meant_board(board.fen)
    with serving(port=port):
        play(page, board, "22-17")
        page.keyboard.press("Home")
        assert read_board(page) == meant_board(board.start.fen)


def test_two_pages_have_games_of_their_own(server: WebServer, opened: Opener) -> None:
    one, other = opened(server.address), opened(server.address)
    boards = kr.Board(), kr.Board()
    for first, second in zip("11-15 23-19 8-11".split(), "9-13 22-18 12-16".split(), strict=True):
        play(one, boards[0], first)
        play(other, boards[1], second)
    for page, board in zip((one, other), boards, strict=True):
        assert read_board(page) == meant_board(board.fen)
