"""Games of the page's answers for tests, without a browser: each event is checked by the rules."""

from __future__ import annotations

from typing import Any

from page import Page

from kr.game.board import Board

ID = "20260101-000000-0123456789abcdef0123"
"""Id of a game that a page brings back."""

SHAPES: dict[str, Any] = {
    "move": {"ply": int, "side": str, "fen": str, "text": str, "path": list, "captured": list, "comments": list},
    "state": {
        "ply": int, "fen": str, "side": str, "moves": list, "over": (str, type(None)), "opening": str, "thinking": bool,
        "advising": bool, "offer": bool, "undoable": bool, "clocks": (list, type(None)), "ticking": (str, type(None)),
    },
    "game": {"id": str, "settings": dict, "over": (dict, type(None)), "document": dict},
    "offer": str, "answer": dict, "say": str, "undo": int,
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
