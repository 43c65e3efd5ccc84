"""Positions to analyse: those of a FEN, of a file or of standard input, and of games in PDN with their history."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from kr.engine.engine import MAX_LINES, Engine, engine_from
from kr.engine.limits import MOST_LIMITS, MOST_WITHIN, Limits
from kr.engine.settings import egdb_memory_option, egdb_option, hash_option, threads_option, weights_option
from kr.errors import InvalidFenError, InvalidPdnError, InvalidSettingError
from kr.game.board import PositionLike, with_history
from kr.game.position import Position
from kr.notation import SIDE_NAMES, fen_lines
from kr.pdn import Game, GameNode, Reader
from kr.policy.policy import policy_option
from kr.proofs.library import proofs_option
from kr.settings import Settings, check_type, option
from kr.storage import is_file, no_file, read_regular
from kr.text import file_text
from kr.units import counted, format_count, parse_count

SEVERAL_SECONDS = 1.0
"""Seconds for each position of a file if no limit is given."""


@dataclass(frozen=True)
class AnalyzeSettings(Settings):
    """Positions to analyse, and how to search them."""

    source: str | None = option(
        None, "A FEN, a file of FENs (one a line) or games in PDN, or - for FENs from standard input; the start of the "
        "game if left out.",
        metavar="FEN|FILE|-", argument=True,
    )  # fmt: skip
    multipv: int = option(3, "Number of best moves to show.", low=1, high=MAX_LINES)
    within: int | None = option(
        None, "Show instead all moves that are less than this worse than the best, or as much, in centi-men.",
        low=0, high=MOST_WITHIN,
    )  # fmt: skip
    tc: Limits | None = option(
        None, "Limit of each position: 10s, nodes=1M, depth=25. Without one, until Ctrl-C; 1s each in a file.",
        parse=Limits.parse, metavar="LIMIT",
    )  # fmt: skip
    nodes: int | None = option(
        None, "The same as --tc nodes=.", parse=parse_count, show=format_count, low=1, high=MOST_LIMITS["nodes"]
    )
    depth: int | None = option(None, "The same as --tc depth=.", low=1, high=MOST_LIMITS["depth"])
    game: int = option(1, "Number of the game in a PDN file, from 1.", low=1)
    ply: str = option("", "Plies of a PDN game to analyse, such as 20 or 10-30; 0 is before the first move.")
    people: str = policy_option()
    proofs: tuple[Path, ...] = proofs_option()
    weights: str | None = weights_option()
    hash: int = hash_option()
    threads: int = threads_option()
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("nodes", "depth"):
            limit = getattr(self, name)
            if limit is not None and self.tc is not None and getattr(self.tc, name) is not None:
                raise InvalidSettingError(f"--{name}: --tc limits the {name} already")
        _plies(self.ply)

    @property
    def is_fen(self) -> bool:
        """True if the source is one position, not a file or standard input."""
        return self.source is None or (self.source != "-" and ":" in self.source and not is_file(self.source))

    @property
    def limits(self) -> Limits:
        """Limits of each position; no limit for a single position if none is given."""
        tc = self.tc or Limits()
        limits = Limits(tc.time, self.nodes or tc.nodes, self.depth or tc.depth)
        if limits == Limits() and not self.is_fen:
            limits = Limits(time=SEVERAL_SECONDS)
        return replace(limits, within=self.within)

    def make_engine(self) -> Engine:
        """The engine to analyse with. Raises what Engine raises."""
        return engine_from(self, self.weights, self.threads)


@dataclass(frozen=True)
class Task:
    """A position to analyse."""

    position: Position
    history: tuple[Position, ...] = ()
    """Earlier positions of its game, oldest first."""
    title: str = ""
    """Origin in words; "" for a bare FEN."""

    def __post_init__(self) -> None:
        position, history = with_history(self.position, self.history)
        object.__setattr__(self, "position", position)
        object.__setattr__(self, "history", history)

    @classmethod
    def of(cls, source: Task | PositionLike) -> Task:
        """The task of a position, or of a game with its history; a Task as it is. Raises what `position_of` raises."""
        return source if isinstance(source, Task) else cls(*with_history(source))

    @classmethod
    def at(cls, node: GameNode) -> Task:
        """Task for a node of a game, with its history. Raises IllegalMoveError in an illegal variation."""
        check_type("the node", node, GameNode)
        history: list[Position] = []
        at = node
        while at.parent is not None and at.setup is None:
            at = at.parent
            history.append(at.position)
        return cls(node.position, tuple(reversed(history)))


def read_tasks(settings: AnalyzeSettings, on_error: Callable[[InvalidFenError], None] | None = None) -> Iterator[Task]:
    """Positions to analyse, in order; those of standard input as they come.

    on_error: called for each line of a file or of standard input that is not a position; such a line is left out.
    Without it the error is raised. Raises InvalidFenError and InvalidPdnError, naming file and line, and
    InvalidSettingError.
    """
    source = settings.source
    if source is None or settings.is_fen:
        _no_ply(settings)
        yield Task(Position() if source is None else Position.from_fen(source))
    elif source == "-":
        _no_ply(settings)
        if sys.stdin is None:
            raise InvalidSettingError("standard input is closed")
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        yield from _fens(sys.stdin, "standard input", on_error)
    elif not is_file(source):
        raise InvalidSettingError(no_file(source, "a file, or a FEN such as W:W21,K30:B1,2"))
    elif ".pdn" in map(str.lower, Path(source).suffixes):
        yield from _game_tasks(Path(source), settings.game, _plies(settings.ply))
    else:
        _no_ply(settings)
        lines = file_text(read_regular(source), "replace").split("\n")
        if not (yield from _fens(lines, source, on_error)):
            raise InvalidSettingError(f"{source} holds no positions; expected one FEN per line")


def _no_ply(settings: AnalyzeSettings) -> None:
    if settings.ply:
        raise InvalidSettingError("--ply: only a game in PDN, a file named *.pdn or *.pdn.xz, has plies")


def _fens(
    lines: Iterable[str], name: str, on_error: Callable[[InvalidFenError], None] | None
) -> Generator[Task, None, int]:
    """Positions of lines; returns the number of lines that are not empty or comments."""
    count = 0
    for number, text in fen_lines(lines):
        count += 1
        try:
            task = Task(Position.from_fen(text), title=f"{name}:{number}")
        except InvalidFenError as error:
            named = InvalidFenError(f"{name}:{number}: {error}")
            if on_error is None:
                raise named from None
            on_error(named)
        else:
            yield task
    return count


def _plies(text: str) -> range | None:
    """Plies of --ply: "20", "10-30", or "" for all (None)."""
    if not text:
        return None
    first, dash, last = text.partition("-")
    if not first.strip().isdecimal() or (dash and not last.strip().isdecimal()):
        raise InvalidSettingError(f"--ply: {text!r} is neither a ply such as 20 nor a range such as 10-30")
    plies = range(int(first), int(last if dash else first) + 1)
    if not plies:
        raise InvalidSettingError(f"--ply: {text} runs down: write {last.strip()}-{first.strip()}")
    return plies


def _game_tasks(path: Path, number: int, plies: range | None) -> Iterator[Task]:
    game = _nth_game(path, number)
    positions = list(game.positions())
    chosen_plies = range(len(positions)) if plies is None else plies
    if chosen_plies[-1] >= len(positions):
        length = counted(len(game.moves), "ply")
        raise InvalidPdnError(f"--ply: {path}, game {number} has {length}; there is no ply {chosen_plies[-1]}")
    begins = game.history_begins()
    for ply in chosen_plies:
        yield Task(
            positions[ply], tuple(positions[begins[ply] : ply]), f"{_players(game, number)}, {_after(game, ply)}"
        )


def _nth_game(path: Path, number: int) -> Game:
    """A game by its number in a file; unreadable games before it count."""
    count = 0
    with Reader(path) as reader:
        while True:
            try:
                game = reader.read_game()
            except InvalidPdnError as error:
                count += 1
                # an error without a line means a damaged file, not a damaged game
                if count == number or error.line is None:
                    raise
                continue
            if game is None:
                raise InvalidSettingError(f"--game: {path} has {counted(count, 'game')}; there is no game {number}")
            count += 1
            if count == number:
                return game


def _players(game: Game, number: int) -> str:
    names = [game.tags.get(name, "").strip() for name in SIDE_NAMES]
    return " v ".join(name or "?" for name in names) if any(names) else f"game {number}"


def _after(game: Game, ply: int) -> str:
    """The last move, numbered as in a score sheet."""
    if ply == 0:
        return "at the start"
    count = ply - 1 + int(game.start.side)
    return f"after {count // 2 + 1}.{'..' * (count % 2)} {game.moves[ply - 1]}"
