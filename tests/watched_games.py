"""Games of the page's answers for tests, without a browser: each event is checked by the rules."""

from __future__ import annotations

import random
from typing import Any

from page import Page

from kr import pdn
from kr.game.board import Board
from kr.game.position import Move
from kr.viewer.document import game_document

ID = "20260101-000000-0123456789abcdef0123"
"""Id of a game that a page brings back."""

SHAPES: dict[str, Any] = {
    "move": {"ply": int, "side": str, "fen": str, "text": str, "path": list, "captured": list, "comments": list},
    "state": {
        "ply": int, "fen": str, "side": str, "moves": list, "over": (str, type(None)), "opening": str, "thinking": bool,
        "advising": bool, "offer": bool, "undoable": bool, "clocks": (list, type(None)), "ticking": (str, type(None)),
    },
    "game": {"id": str, "settings": dict, "over": (dict, type(None)), "document": dict},
    "offer": str, "answer": dict, "say": (str, dict), "undo": int,
}  # fmt: skip


def mainline(game: dict[str, Any]) -> list[dict[str, Any]]:
    """The moves that were played."""
    nodes = game["document"]["nodes"]
    line, at = [], 0
    while following := [i for i, node in enumerate(nodes) if node["parent"] == at]:
        at = following[0]
        line.append(nodes[at])
    return line


class Game:
    """A game in the page, and what is known of it."""

    def __init__(self, page: Page, **asked: Any) -> None:
        self.stream = page.open("play", {"do": "play", **asked})
        self.events: list[dict[str, Any]] = []
        self.game = self.stream.next()["game"]
        self.board = Board(self.game["document"]["start"])
        for node in mainline(self.game):
            self.board.play(node["text"])
        self.comments = [node["comments"] for node in (self.game["document"]["nodes"][0], *mainline(self.game))]
        self.state: dict[str, Any] = {}

    def hear(self, *kinds: str) -> dict[str, Any]:
        """The next event of these kinds, each event checked."""
        while True:
            event = self.stream.next()
            self.events.append(event)
            ((kind, told),) = event.items()
            if shape := SHAPES.get(kind):
                if isinstance(shape, dict):
                    assert told.keys() == shape.keys()
                    assert all(isinstance(told[name], shape[name]) for name in shape), told
                else:
                    assert isinstance(told, shape)
            if kind == "move":
                self.board.play(told["text"])
                self.comments.append(told["comments"])
                assert (told["fen"], told["ply"]) == (self.board.fen, len(self.board.moves))
            if kind == "game":
                self.game = told
                if back := len(self.board.moves) - len(mainline(told)):
                    self.board.undo(back)
            if kind == "state":
                self.state = told
                assert (told["fen"], told["ply"]) == (self.board.fen, len(self.board.moves))
                assert not (told["thinking"] and told["moves"])
            if not kinds or kind in kinds or kind in ("error", "end"):
                return event

    def turn(self) -> bool:
        """Wait until the person is to move; False if the game is over."""
        while not self.hear("state", "game").get("state", {}).get("moves"):
            if self.over:
                return False
        assert [each["text"] for each in self.state["moves"]] == [str(each) for each in self.board.legal_moves()]
        return True

    @property
    def over(self) -> dict[str, Any] | None:
        """How it ended."""
        over: dict[str, Any] | None = self.game["over"]
        return over

    def say(self, do: str, **others: Any) -> None:
        """Say something to it."""
        self.stream.say({"do": do, **others})

    def move(self, path: list[int]) -> None:
        """Play a move of squares from 1."""
        self.say("move", ply=self.state["ply"], path=path)


TWO_KINGS_EACH = "B:WK31,K32:BK1,K2"


def quiet(board: Board, source: random.Random) -> Move:
    """A move after which nothing can be captured, to a new position if there is one."""
    moves = {
        move: after
        for move in board.legal_moves()
        if not (after := board.position.play(move)).is_over and not after.legal_moves()[0].is_capture
    }
    fresh = [move for move, after in moves.items() if after not in board.positions]
    return source.choice(fresh or [*moves] or board.legal_moves())


def noted_document(start: str, plies: int, score: float) -> dict[str, Any]:
    """A game of Black against kr after so many plies, in each of which kr had this score."""
    board, source = Board(start), random.Random(plies)
    headers = {"BlackPlayer": "human", "WhitePlayer": "shipped,level=8,seed=7"}
    game = pdn.Game(headers, board.position)
    node: pdn.GameNode = game
    for ply in range(plies):
        move = quiet(board, source)
        board.play(move)
        node = node.add_variation(move)
        node.comments = [f"{score:+.2f}/9 0.100s"] if ply % 2 else []
    return game_document(game)
