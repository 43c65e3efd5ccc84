"""Games against kr. A game runs on the server, with or without viewers: a reloaded page, or another window, finds it by
its id. It is saved as `kr play` saves its games, so that a server that starts again resumes it too.

    {"do": "play", "level": 3, "side": "black", "ballot": "3move 68", "clock": "5+3"}    a new game; level 0: people
    {"do": "play", "level": 3, "ballot": "Old Fourteenth"}                               from an opening by its name
    {"do": "play", "generation": 20, "side": "white"}                                    against an evolved player
    {"do": "play", "people": 2, "names": ["Ann", "Ben"], "clock": "5+3"}                 two people at one board
    {"do": "play", "game": "20261122-224501-9f86d081884c7d659a2f", "document": {...}}            one that is under way

The stream begins with {"game": ...}, reports events, {"move"}, {"undo"}, {"offer"}, {"answer"}, {"hint"}, {"say"},
each followed by {"state": ...}, and ends after {"over": ...}. It takes {"do": "move", "ply": 4, "path": [11, 15]},
{"do": "undo"}, {"do": "hint", "ply": 4}, {"do": "draw"} (offers a draw, or accepts one; of two people at one board:
they agree on one) and {"do": "resign"}, by the side to move of two people. A state has the name of
the opening so far as `opening`, "" if none, and `undoable` if there is a move to take back.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from kr.engine.limits import Limits
from kr.engine.result import SearchResult
from kr.errors import InvalidSettingError, KrError, OutputBusyError
from kr.game.position import Position, Side
from kr.game.value import Result
from kr.openings.lines import lines_named, opening_name
from kr.pdn import Game
from kr.play.play import Play
from kr.play.setup import CONTROL_TAG, HUMAN, RANDOM, SIDES, PlaySettings
from kr.play.table import Event, Prompt, Thought
from kr.players.player import Reply
from kr.viewer.document import game_document
from kr.viewer.positions import move_json, position_json, side_name
from kr.web.game_files import load_game, new_path, path_of
from kr.web.hints import hint_json
from kr.web.house import House
from kr.web.live import Budget, Inbox
from kr.web.opponents import LentEngine, clock_from_text, levels, opponent_from_request, opponent_from_spec, seats_of
from kr.web.request import LONGEST_FEN, PageRequest

MOST_PLAYED = 40
"""Games under way on one server."""
UNWATCHED_SECONDS = 300.0
"""Time after which a game without a clock that nobody watches is put away; its file stays."""
HINT = Limits(time=1.0)
"""Limits of a search for a hint."""
RATE, BURST = 0.5, 60.0
"""Games a second that are begun or taken up again, for long and at once."""
LONGEST_PERSON = 40
"""Characters of a person's name."""
MOST_BEHIND = 100
"""Events that a slow page may be behind; then it gets the whole game again."""

DECKS_OFFERED = ("3move", "11man")
_NUMBER = re.compile(r" \d{1,4}\Z")

Viewer = asyncio.Queue[Mapping[str, Any] | Exception | None]
"""Events for one page; None after the last, an error if the game fails."""


class Games:
    """The games of a server that are under way."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.threads = ThreadPoolExecutor(MOST_PLAYED, "play")
        self._budget = Budget(RATE, BURST)
        self._running: dict[str, LiveGame] = {}
        self._finding = asyncio.Lock()

    async def begin(self, request: PageRequest) -> LiveGame:
        """Begin a game. Raises InvalidSettingError, InvalidFenError, and what Play.prepare raises."""
        path = await asyncio.to_thread(new_path)
        side = "" if request.has("people") else request.choice("side", (*SIDES, RANDOM), "black")
        names = request.texts("names", len(Side), LONGEST_PERSON, ())
        settings = PlaySettings(
            **opponent_from_request(request),
            side=side,
            ballot=_ballot(request.text("ballot", LONGEST_FEN, "")),
            tc=clock_from_text(request.text("clock", 40, "")),
            out=path,
            hint_tc=HINT,
        )
        return await self._start(path, settings, names)

    async def find(self, request: PageRequest) -> LiveGame | Mapping[str, Any]:
        """A game by its id: one that is under way, or goes on from its file; the events of one that is over.

        If the file is lost, the page's document takes its place. Raises InvalidSettingError for an unknown game, and
        what Play.prepare raises.
        """
        id = request.text("game", 40)
        path = path_of(id)
        # two windows that load again at once find one game
        async with self._finding:
            if game := self._running.get(id):
                return game
            record = await asyncio.to_thread(load_game, path, request)
            whole = whole_game(id, record)
            if whole["game"]["over"]:
                return whole
            return await self._start(path, PlaySettings(resume=path, hint_tc=HINT))

    async def _start(self, path: Path, settings: PlaySettings, names: Sequence[str] = ()) -> LiveGame:
        if not self._budget.take():
            raise InvalidSettingError("too many games have been begun here; try again in a few seconds")
        self._make_room()
        game = self._running[path.stem] = LiveGame(path.stem, self)
        try:
            await game.start(settings, names)
        except BaseException:
            del self._running[path.stem]
            raise
        return game

    def _make_room(self) -> None:
        if len(self._running) < MOST_PLAYED:
            return
        unwatched = [game for game in self._running.values() if game.is_begun and not game.viewers]
        if not unwatched:
            raise InvalidSettingError(f"{MOST_PLAYED} games are being played here; try again later")
        self.put_away(min(unwatched, key=lambda game: game.last_watched))

    def put_away(self, game: LiveGame) -> None:
        """Stop serving a game; its file stays."""
        self.forget(game)
        game.leave()

    def forget(self, game: LiveGame) -> None:
        """Drop a game that has ended."""
        if self._running.get(game.id) is game:
            del self._running[game.id]


_GAMES: WeakKeyDictionary[House, Games] = WeakKeyDictionary()


def games_of(house: House) -> Games:
    """The games of a server."""
    if house not in _GAMES:
        _GAMES[house] = Games(house)
    return _GAMES[house]


class LiveGame:
    """A game under way, and the pages that watch it. It is the table of its Play, which reports its events to it."""

    def __init__(self, id: str, games: Games) -> None:
        self.id, self._games = id, games
        self.viewers: set[Viewer] = set()
        self.last_watched = time.monotonic()
        """Time when somebody last watched."""
        self._lines: asyncio.Queue[tuple[int | None, str]] = asyncio.Queue(MOST_BEHIND)
        self._lent = LentEngine()
        self._stepping = asyncio.Lock()
        """Held while a step changes the game in its thread."""
        self._task: asyncio.Task[None] | None = None
        self._events: list[Event] = []
        self._question: Prompt | Thought | None = None
        self._offer = False
        self._clocks: list[float | None] = [None, None]
        self._ticking: Side | None = None
        self._since = 0.0

    async def start(self, settings: PlaySettings, names: Sequence[str] = ()) -> None:
        """Begin or resume, and play on in the background. names: of two people. Raises what Play.prepare raises."""
        house = self._games.house

        def prepared() -> Play:
            return Play.prepare(
                settings,
                self,
                make_adviser=lambda: self._lent,
                make_player=partial(opponent_from_spec, house, self._lent),
            )

        self._play = await self._in_thread(prepared)
        self._margin = settings.margin
        self._you, _ = seats_of(self._play.game.headers)
        if self._you is None:
            self._play.game.headers.update(
                {tag: name.strip() for tag, name in zip(("Black", "White"), names, strict=False) if name.strip()}
            )
        self._has_variations = len(list(self._play.game.descendants())) > len(self._play.board.moves)
        self._task = asyncio.create_task(self._run(), name=f"game {self.id}")

    # --- for pages

    async def watch(self) -> Viewer:
        """The events of the game from now on, beginning with the whole of it."""
        viewer: Viewer = asyncio.Queue()
        async with self._stepping:
            viewer.put_nowait(self._whole())
            if self._question is not None:
                viewer.put_nowait(self._state())
            elif self._task is None or self._task.done():
                viewer.put_nowait(None)
            self.viewers.add(viewer)
        return viewer

    def unwatch(self, viewer: Viewer) -> None:
        """Remove a page that has left."""
        self.viewers.discard(viewer)
        self.last_watched = time.monotonic()
        if not self.viewers:
            asyncio.get_running_loop().call_later(UNWATCHED_SECONDS, self._put_away_unwatched, self.last_watched)

    def hear(self, message: PageRequest) -> None:
        """Take a message from the person. Raises InvalidSettingError."""
        do = message.choice("do", ("move", "undo", "hint", "draw", "resign"))
        ply = message.number("ply", 0, 1 << 20) if do in ("move", "hint") else None
        line = do
        if do == "move":
            path = message.fields.get("path")
            if not isinstance(path, list) or not 2 <= len(path) <= 32 or not all(type(each) is int for each in path):
                raise InvalidSettingError("path is not a list of squares")
            line = "-".join(map(str, path))
        elif do == "draw" and self._you is None:
            line = "agree"
        if self._lines.full():
            raise InvalidSettingError("kr is still busy with earlier messages")
        self._lines.put_nowait((ply, line))
        # a person need not wait for a move that they take back, or for a hint that they no longer want
        unwanted = do != "hint" if self._is_person else do in ("undo", "resign")
        if unwanted and isinstance(self._question, Thought):
            self._question.stop()

    @property
    def is_begun(self) -> bool:
        """True once it is set up."""
        return self._task is not None

    def leave(self) -> None:
        """End it here; its file stays."""
        if self._task is not None:
            self._task.cancel()

    # --- the game itself

    def tell(self, event: Event) -> None:
        """Collect an event until the step is done. Called in the thread of the step."""
        self._events.append(event)

    def ask(self, prompt: str, words: Sequence[str], seconds: float | None) -> str:
        """Nobody types here: prompts come as steps."""
        raise EOFError

    async def _run(self) -> None:
        steps = self._play.steps()
        ending: Exception | None = None
        try:
            question = await self._step(steps.send, None)
            while question is not None:
                try:
                    answer = await self._answer(question)
                except (KrError, OSError) as error:
                    question = await self._step(steps.throw, error)
                else:
                    question = await self._step(steps.send, answer)
        except OutputBusyError:
            ending = InvalidSettingError("another kr web has this game open: play it there, or stop that one")
        except (KrError, OSError) as error:
            ending = error
        finally:
            self._games.forget(self)
            steps.close()
            for viewer in self.viewers:
                viewer.put_nowait(ending)

    async def _step(self, advance: Callable[[Any], Prompt | Thought], answer: object) -> Prompt | Thought | None:
        """The next prompt or thought, once all pages have the events before it; None at the end."""

        def advanced() -> Prompt | Thought | None:
            try:
                return advance(answer)
            except StopIteration:
                return None

        async with self._stepping:
            self._question = await self._in_thread(advanced)
            self._set_clocks()
            events, self._events = self._events, []
            for event in events:
                self._publish(event)
            if self._question is not None:
                self._send(self._state())
        return self._question

    async def _answer(self, question: Prompt | Thought) -> str | Reply | SearchResult:
        if isinstance(question, Prompt):
            return await self._line(question)
        with self._games.house.engines.own.ask(self.id) as loan:
            self._lent.engine = await loan.arrival()
            answer: Reply | SearchResult = await self._in_thread(question.find, question.stop)
        return answer

    async def _line(self, prompt: Prompt) -> str:
        """The person's next line, as for `kr play`: "" once their time is up."""
        until = None if prompt.seconds is None else time.monotonic() + prompt.seconds
        while True:
            left = None if until is None else until - time.monotonic()
            try:
                async with asyncio.timeout(left):
                    ply, line = await self._lines.get()
            except TimeoutError:
                return ""
            # a line for an earlier position is dropped
            if ply in (None, len(self._play.board.moves)):
                self._stop_clock()
                return line

    async def _in_thread(self, work: Callable[[], Any], stop: Callable[[], None] | None = None) -> Any:
        """Result of work in a thread. If the wait is cancelled, the work is stopped and its end awaited."""
        task = asyncio.get_running_loop().run_in_executor(self._games.threads, work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if stop:
                stop()
            await asyncio.gather(task, return_exceptions=True)
            raise

    # --- events

    @property
    def _side(self) -> Side:
        return self._play.board.side

    @property
    def _is_person(self) -> bool:
        """True if a person is to move."""
        return self._you is None or self._side == self._you

    def _publish(self, event: Event) -> None:
        facts = event.facts
        match event.kind:
            case "move":
                self._offer = False
                ply = facts["ply"]
                # a reply to which there is no alternative comes in the same step
                node = next(islice(self._play.game.mainline(), ply - 1, None))
                fields = {"ply": ply, "side": side_name(facts["side"]), "fen": facts["fen"]}
                self._send({"move": {**fields, **move_json(node.move), "comments": list(node.comments)}})
                if self._has_variations:
                    self._send(self._whole())
            case "undo":
                self._offer = False
                self._send({"undo": facts["plies"]})
                self._send(self._whole())
            case "offer":
                self._offer = facts["side"] != self._you
                self._send({"offer": side_name(facts["side"])})
            case "answer":
                self._send({"answer": event.text})
            case "hint":
                chances = {name: facts[name] for name in ("win", "draw", "loss", "value")}
                reasons = hint_json(self._play.board.position, self._lent.hint, self._games.house.database)
                self._send({"hint": {**reasons, **chances}})
            case "error":
                self._send({"say": event.text})
            case "end":
                self._send(self._whole())

    def _whole(self) -> dict[str, Any]:
        return whole_game(self.id, self._play.game)

    def _state(self) -> dict[str, Any]:
        """State that a page shows beside the board."""
        board = self._play.board
        prompted, theirs = isinstance(self._question, Prompt), self._is_person
        clocks = list(self._clocks)
        if self._ticking is not None and (left := clocks[self._ticking]) is not None:
            clocks[self._ticking] = left - (time.monotonic() - self._since)
        reached = opening_name(position.bits for position in board.positions)
        return {"state": {
            "ply": len(board.moves), **position_json(board.position), **({} if prompted else {"moves": []}),
            "opening": reached.name if reached else "",
            "thinking": not theirs, "advising": theirs and not prompted, "offer": self._offer,
            "undoable": self._play.undo_ply is not None, "clocks": None if clocks == [None, None] else clocks,
            "ticking": None if self._ticking is None else side_name(self._ticking),
        }}  # fmt: skip

    def _set_clocks(self) -> None:
        """Set the clocks for the next prompt or thought. That of the person stands still during a hint."""
        question, side = self._question, self._side
        before = self._clocks[side]
        self._clocks, self._ticking, self._since = list(self._play.clocks), None, time.monotonic()
        if isinstance(question, Prompt):
            if question.seconds is not None:
                self._clocks[side], self._ticking = question.seconds - self._margin, side
        elif self._is_person:
            self._clocks[side] = before
        elif self._clocks[side] is not None:
            self._ticking = side

    def _stop_clock(self) -> None:
        if self._ticking is not None and (left := self._clocks[self._ticking]) is not None:
            self._clocks[self._ticking] = left - (time.monotonic() - self._since)
        self._ticking = None

    def _send(self, event: Mapping[str, Any]) -> None:
        for viewer in self.viewers:
            if viewer.qsize() >= MOST_BEHIND:
                # it is too slow to take every event
                while not viewer.empty():
                    viewer.get_nowait()
                viewer.put_nowait(self._whole())
            viewer.put_nowait(event)

    def _put_away_unwatched(self, last_watched: float) -> None:
        if not self.viewers and self.last_watched == last_watched and self._clocks == [None, None]:
            self._games.put_away(self)


# --- requests of a page


async def play(house: House, request: PageRequest, inbox: Inbox) -> AsyncGenerator[Mapping[str, Any], None]:
    """A game, new or under way."""
    games = games_of(house)
    game = await (games.find(request) if request.has("game") else games.begin(request))
    if not isinstance(game, LiveGame):
        yield game
        return
    viewer = await game.watch()

    async def hear() -> None:
        while True:
            message = await inbox.get()
            try:
                game.hear(message)
            except KrError as error:
                if viewer.qsize() < MOST_BEHIND:
                    viewer.put_nowait({"say": str(error)})

    hearing = asyncio.create_task(hear())
    try:
        while (event := await viewer.get()) is not None:
            if isinstance(event, Exception):
                raise event
            yield event
    finally:
        hearing.cancel()
        game.unwatch(viewer)


def whole_game(id: str, game: Game) -> dict[str, Any]:
    """A game as its page begins with it. Raises InvalidSettingError unless people, or a person and kr, play in it."""
    you, opponent = seats_of(game.headers)
    over = None
    if game.result != Result.UNFINISHED:
        winner = {Result.BLACK_WON: "black", Result.WHITE_WON: "white"}.get(Result(game.result))
        over = {"result": str(game.result), "winner": winner, "reason": game.headers.get("Termination", "")}
    opening = game.headers.get("Opening", "")
    ballot, _, _ = opening.partition(":")
    if not opening and game.start != Position():
        ballot = game.start.fen
    settings = {
        **opponent, "side": "" if you is None else side_name(you), "ballot": ballot,
        "clock": game.headers.get(CONTROL_TAG, ""),
    }  # fmt: skip
    if you is None:
        names = [game.headers.get(tag, "") for tag in ("Black", "White")]
        settings["names"] = ["" if name.startswith(HUMAN) else name for name in names]
    document = game_document(game)
    return {"game": {"id": id, "settings": settings, "over": over, "document": document}}


def _ballot(text: str) -> str:
    """An opening as PlaySettings takes it; no text from a page names a file. Raises InvalidFenError."""
    name = _NUMBER.sub("", text)
    return text if not text or name in DECKS_OFFERED or lines_named(name) else Position.from_fen(text).fen


ROUTES: dict[str, Any] = {"play/levels": levels}
LIVE: dict[str, Any] = {"play": play}
