"""Games at the board for tests: an engine of known moves, a table at which lines are typed."""

from kr.pdn import read_game
from kr.play.play import Play
from kr.play.setup import PlaySettings
from kr.play.table import TimeUp
from kr.players.player import Reply

TINY = "nodes=50"
JUMPS = "W:W27:B23,15,14"
"""Captures of several pieces: 27x18x9, 27x18x11."""


class Scripted:
    """An engine whose moves are known beforehand; the first legal one where there are none."""

    def __init__(self, moves=(), scores=(), time=0.0):
        self.moves, self.scores, self.time = list(moves), list(scores), time
        self.asked = []
        self.name, self.version, self.source, self.closed = "scripted", "", "", False

    def new_game(self):
        pass

    def search(self, position, limits, history, stop=None):
        self.asked.append(limits)
        text = self.moves.pop(0) if self.moves else None
        if isinstance(text, BaseException):
            raise text
        move = position.parse_move(text) if text else position.legal_moves()[0]
        return Reply(move, self.scores.pop(0) if self.scores else 0, 5, 100, self.time)

    def close(self):
        self.closed = True


class Typist:
    """A table at which lines are typed, each after some seconds of a made-up clock."""

    def __init__(self, lines, seconds=1.0):
        self.lines, self.seconds, self.now = list(lines), seconds, 100.0
        self.events, self.asked = [], []

    def tell(self, event):
        self.events.append(event)

    def ask(self, prompt, words, seconds):
        self.asked.append((prompt, list(words), seconds))
        if not self.lines:
            raise EOFError
        line = self.lines.pop(0)
        self.now += self.seconds
        if seconds is not None and self.seconds >= seconds:
            raise TimeUp
        if isinstance(line, BaseException):
            raise line
        return line

    def kinds(self):
        return [event.kind for event in self.events]

    def said(self, kind):
        return [event.text for event in self.events if event.kind == kind]


def start(tmp_path, monkeypatch, lines, engine=None, *, seconds=1.0, make_adviser=None, **given):
    """A prepared game of a person who types these lines against an engine, or one made of its text; and the table."""
    engine = engine or Scripted()
    monkeypatch.setattr(
        PlaySettings, "make_player", lambda settings, spec: engine(spec) if callable(engine) else engine
    )
    settings = PlaySettings(**({"seed": 1} | ({} if "resume" in given else {"out": tmp_path / "game.pdn"}) | given))
    table = Typist(lines, seconds)
    return Play.prepare(settings, table, lambda: table.now, make_adviser), table


def kept(tmp_path):
    return read_game(tmp_path / "game.pdn")
