"""Strengths of players: the mean expected result that their moves gave away, as `kr annotate` measures it.

`kr policy players` judges every move of an archive by searches of `nodes` nodes (`kr.analysis.annotation.judging`) and
keeps the loss of each decision in an HDF5 file: attributes `kind` ("kr players"), `format_version`, `decisions` (the
signature of the decisions), `nodes`, `weights` and `egdb` (signatures), `checksum`, and the provenance; dataset `loss`,
float32 (decisions,), NaN where a move was not judged: forced, or among the first plies. A journal next to it has the
losses game by game, from which the same command resumes.

The strength for a policy is a player's mean loss in other games than the one at hand (`strengths_of`), shrunk to the
mean of all players by as much as chance would scatter means of that number of moves.
"""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr import storage
from kr.analysis.annotation.judging import JudgeSettings, judge_moves
from kr.archives.archive import ReadSettings
from kr.cluster.address import cluster_option
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.engine.settings import egdb_memory_option, egdb_option, hash_option, weights_option
from kr.errors import InvalidPolicyError, InvalidSettingError
from kr.game.position import Move, Position, Side
from kr.hdf5 import reading, write_hdf5
from kr.jobs.journal import TaskRecord
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.notation import SQUARES
from kr.pdn import Game
from kr.players.engine_work import EngineWork, WorkTask
from kr.players.workers import EngineUnits
from kr.settings import REQUIRED, Settings, option, same_option, workers_option
from kr.studies.people.decisions import Decisions
from kr.units import Range, parse_count

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PLAYERS_KIND = "kr players"
PLAYERS_FORMAT_VERSION = 1
LEAST_MOVES = 100
"""Least number of judged moves of a player with a strength."""
GAMES_A_UNIT = 10


@dataclass(frozen=True)
class PlayersSettings(Settings):
    """Games whose moves are judged, settings of the search, and the file of the losses."""

    files: tuple[Path, ...] = same_option(ReadSettings, "files")
    out: Path = option(REQUIRED, "File of the losses to write.", metavar="FILE")
    results: str = same_option(ReadSettings, "results")
    encoding: str = same_option(ReadSettings, "encoding")
    nodes: int = option(2000, "Nodes of each search.", parse=parse_count, low=100, high=10**9)
    weights: str | None = weights_option()
    hash: int = hash_option("of each engine")
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()
    workers: int = workers_option("Games to judge at a time")
    cluster: str = cluster_option()

    @property
    def reading(self) -> ReadSettings:
        """Settings of reading the games."""
        return ReadSettings(files=self.files, results=self.results, encoding=self.encoding)


@dataclass(frozen=True)
class PlayerStrength:
    """Figures of a player in an archive."""

    name: str
    games: int
    moves: int
    """Judged ones."""
    loss: float
    """Mean expected result given away by a move."""
    error: float
    """Half of its 95% interval."""
    first_year: int
    """0 if unknown."""
    last_year: int


@dataclass(frozen=True, eq=False)
class Losses:
    """The losses of the moves of decisions."""

    loss: NDArray[np.float32]
    """(decisions,) expected result given away, 0 to 1; NaN where the move was not judged."""
    nodes: int
    earlier: bool = False
    """True if they are those of an earlier run."""


def measure_losses(
    decisions: Decisions, settings: PlayersSettings, on_games: Callable[[int, int], None] | None = None
) -> Losses:
    """Judge all moves and write the file of the losses; the same call resumes after any end.

    on_games: called with the numbers of games judged and of all. Raises InvalidSettingError, InvalidPolicyError for an
    output of another kind, InvalidGamesError for a damaged journal, OutputBusyError, OSError, and the errors of making
    an engine.
    """
    work = EngineWork(PlayedGames(), settings)
    own = {"decisions": decisions.signature, "nodes": settings.nodes, "hash": settings.hash}
    shaping = own | work.identity
    if settings.out.exists():
        loss, attrs = _read(settings.out)
        if {name: attrs.get(name) for name in shaping} == {name: _text(value) for name, value in shaping.items()}:
            return Losses(loss, settings.nodes, earlier=True)
        raise InvalidSettingError(f"{settings.out} has losses of other games or settings; choose another file")
    path = storage.beside(settings.out, ".journal")
    losses = _judged(work, decisions, settings.nodes, path, own, on_games)
    _write(settings.out, losses, shaping)
    return Losses(losses, settings.nodes)


def read_losses(path: Path | str, decisions: Decisions) -> Losses:
    """The losses of these decisions from a file. Raises InvalidPolicyError if it is missing, foreign, damaged or newer,
    or of other games."""
    loss, attrs = _read(Path(path))
    if attrs.get("decisions") != decisions.signature or len(loss) != len(decisions):
        raise InvalidPolicyError(f"{path}: losses of other games; make them from the same files by `kr policy players`")
    return Losses(loss, int(attrs["nodes"]), earlier=True)


def player_strengths(decisions: Decisions, loss: NDArray[np.float32]) -> list[PlayerStrength]:
    """The players with judged moves, those with most moves first. Duplicate games count once."""
    import numpy as np

    counted = ~decisions.games.duplicate[decisions.game] & ~np.isnan(loss)
    player, lost = decisions.player[counted], loss[counted].astype(np.float64)
    moves, sums, squares = (
        np.bincount(player, weights=each, minlength=len(decisions.players)) for each in (None, lost, lost**2)
    )
    games = decisions.games
    strengths = []
    for number in np.argsort(-moves, kind="stable"):
        if not moves[number]:
            break
        own = ((games.black == number) | (games.white == number)) & ~games.duplicate
        years = games.year[own]
        dated = years[years > 0]
        count, mean = int(moves[number]), sums[number] / moves[number]
        spread = math.sqrt(max(0.0, squares[number] / count - mean**2) / count)
        strengths.append(
            PlayerStrength(
                decisions.players[number],
                int(own.sum()),
                count,
                float(mean),
                1.96 * spread,
                int(dated.min(initial=9999)) if len(dated) else 0,
                int(dated.max(initial=0)),
            )
        )
    return strengths


def strengths_of(decisions: Decisions, loss: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """Strength of the mover of each decision, float32 (decisions,): mean loss in other games, shrunk; NaN if unknown.

    rows: decisions whose losses may be used, the training part. The game at hand is left out, so that a decision never
    tells its own strength. Players with fewer than LEAST_MOVES such moves, or without a name, are unknown. The means
    are shrunk as empirical Bayes does it, with the variance between players by the method of moments.
    """
    import numpy as np

    usable = np.zeros(len(decisions), dtype=bool)
    usable[rows] = True
    usable &= ~np.isnan(loss)
    names = len(decisions.players)
    player, lost = decisions.player[usable], loss[usable].astype(np.float64)
    moves = np.bincount(player, minlength=names)
    sums = np.bincount(player, weights=lost, minlength=names)
    strengths = np.full(len(decisions), np.nan, dtype=np.float32)
    enough = moves >= LEAST_MOVES
    if not enough.any():
        return strengths
    mean, within = lost.mean(), lost.var()
    counts = moves[enough]
    scatter = (sums[enough] / counts - mean) ** 2
    # chance adds within / k to the squared distance of a mean of k moves from that of all
    between = max(0.0, float(np.average(scatter - within / counts, weights=counts)))
    if between == 0:
        return strengths
    # sums of each side's moves in each game, to leave them out
    own = decisions.game.astype(np.int64) * 2 + decisions.side
    in_game = np.bincount(own[usable], minlength=int(own.max()) + 1)
    lost_in_game = np.bincount(own[usable], weights=lost, minlength=int(own.max()) + 1)
    others = moves[decisions.player] - in_game[own]
    rest = sums[decisions.player] - lost_in_game[own]
    mask = others >= LEAST_MOVES
    if "" in decisions.players:
        mask &= decisions.player != decisions.players.index("")
    weight = others[mask] / (others[mask] + within / between)
    strengths[mask] = weight * rest[mask] / others[mask] + (1 - weight) * mean
    return strengths


def agreement(decisions: Decisions, loss: NDArray[np.float32], least: int = LEAST_MOVES) -> tuple[float, int]:
    """Correlation of the players' mean losses in even and in odd games, and the number of players with `least` judged
    moves in both; NaN for fewer than three."""
    import numpy as np

    counted = ~decisions.games.duplicate[decisions.game] & ~np.isnan(loss)
    halves = []
    for parity in (0, 1):
        rows = counted & (decisions.game % 2 == parity)
        moves = np.bincount(decisions.player[rows], minlength=len(decisions.players))
        sums = np.bincount(decisions.player[rows], weights=loss[rows], minlength=len(decisions.players))
        halves.append((moves, sums))
    both = np.minimum(halves[0][0], halves[1][0]) >= least
    if both.sum() < 3:
        return math.nan, int(both.sum())
    means = [sums[both] / moves[both] for moves, sums in halves]
    return float(np.corrcoef(means[0], means[1])[0, 1]), int(both.sum())


# Judging


class PlayedGames(EngineUnits[TaskRecord]):
    """Units of a few games; the result is the losses of their moves, a line of the journal."""

    def do(self, unit: Unit, needs: Needs, engine: Engine, stop: Stop) -> TaskRecord | None:
        """The losses; None if it was stopped."""
        judging = JudgeSettings(tc=Limits(nodes=unit.values["nodes"]))
        losses = []
        for start, moves in unit.values["games"]:
            game = _game(start, moves)
            judgements = judge_moves(game, engine, judging, stop)
            if stop.is_set():
                return None
            losses.append([round(max(0.0, each.loss), 5) if each.judged else None for each in judgements])
        return {"first": unit.values["first"], "losses": losses}


def _game(start: str, moves: Sequence[Sequence[int]]) -> Game:
    position, line = Position.from_fen(start), list[Move]()
    for origin, target, captured in moves:
        move = position.find_move(origin, target, captured)
        line.append(move)
        position = position.play(move)
    return Game({}, Position.from_fen(start), line)


def _judged(
    work: EngineWork[TaskRecord], decisions: Decisions, nodes: int, path: Path, shaping: dict[str, Any],
    on_games: Callable[[int, int], None] | None,
) -> NDArray[np.float32]:  # fmt: skip
    import numpy as np

    firsts = _firsts(decisions)
    losses = np.full(len(decisions), np.nan, dtype=np.float32)
    # games without moves have nothing to judge, later copies of a game are judged like the first
    numbers = [game for game in range(len(firsts) - 1) if firsts[game + 1] > firsts[game]]
    blocks = [numbers[at : at + GAMES_A_UNIT] for at in range(0, len(numbers), GAMES_A_UNIT)]
    games = 0

    def enter(record: TaskRecord, earlier: bool) -> None:
        nonlocal games
        first, game_losses = _entry(blocks, firsts, record)
        for game, lost in zip(blocks[first], game_losses, strict=True):
            row = np.array([math.nan if each is None else each for each in lost], dtype=np.float32)
            losses[firsts[game] : firsts[game + 1]] = row
        games += len(blocks[first])
        if on_games:
            on_games(games, len(numbers))

    tasks = (
        WorkTask(number, {
            "first": number, "nodes": nodes, "games": [_values(decisions, firsts, game) for game in block],
        })
        for number, block in enumerate(blocks)
    )  # fmt: skip
    with work.records(path, lambda: shaping, lambda record: _entry(blocks, firsts, record)[0]) as records:
        work.run(tasks, records, enter)
    return losses


def _entry(
    blocks: Sequence[Sequence[int]], firsts: NDArray[np.int64], values: dict[str, Any]
) -> tuple[int, list[list[float | None]]]:
    """A line of the journal. Raises ValueError, LookupError and TypeError for an invalid one."""
    first, losses = operator.index(values["first"]), values["losses"]
    games = blocks[first] if first >= 0 else ()
    if [len(each) for each in losses] != [firsts[game + 1] - firsts[game] for game in games]:
        raise ValueError("losses of other games")
    if not all(each is None or (type(each) in (int, float) and 0 <= each <= 1) for row in losses for each in row):
        raise ValueError("an invalid loss")
    return first, losses


def _firsts(decisions: Decisions) -> NDArray[np.int64]:
    """Rows at which the games begin, and the number of rows."""
    import numpy as np

    return np.searchsorted(decisions.game, np.arange(len(decisions.games.year) + 1))


def _values(decisions: Decisions, firsts: NDArray[np.int64], game: int) -> tuple[str, list[list[int]]]:
    """A game as plain values: FEN of its start, and origin, target and captured squares of each move."""
    begin, end = int(firsts[game]), int(firsts[game + 1])
    men, foe_men, kings, foe_kings = (int(each) for each in decisions.boards[begin])
    side = Side(int(decisions.side[begin]))
    start = Position(men | kings, foe_men | foe_kings, kings | foe_kings)
    moves = []
    for row in range(begin, end):
        origin, target = (int(square) for square in decisions.moves[row])
        captured = int(decisions.captured[row])
        if decisions.side[row] == Side.WHITE:
            origin, target = SQUARES - 1 - origin, SQUARES - 1 - target
            captured = int(f"{captured:032b}"[::-1], 2)
        moves.append([origin, target, captured])
    return (start if side is Side.BLACK else start.flipped()).fen, moves


# The file


def _write(path: Path, losses: NDArray[np.float32], shaping: dict[str, Any]) -> None:
    attrs = {name: _text(value) for name, value in shaping.items()}
    header = {
        "kind": PLAYERS_KIND, "format_version": PLAYERS_FORMAT_VERSION, "checksum": _checksum(losses, attrs),
    }  # fmt: skip
    chunks = (max(1, min(len(losses), 1 << 16)),)
    packing = {"loss": {"compression": "gzip", "shuffle": True, "chunks": chunks}}
    write_hdf5(path, {"loss": losses}, {**storage.provenance(**shaping), **attrs, **header}, packing)


def _read(path: Path) -> tuple[NDArray[np.float32], dict[str, str]]:
    with reading(path, InvalidPolicyError, "file of players' losses") as source:
        attrs = dict(source.attributes)
        if attrs.get("kind") != PLAYERS_KIND:
            raise InvalidPolicyError(f"{path}: an HDF5 file, but not one of `kr policy players`")
        if wrong := storage.check_version(attrs.get("format_version"), (PLAYERS_FORMAT_VERSION,)):
            raise InvalidPolicyError(f"{path}: {wrong}")
        losses = source.array("loss", "float32", (None,), Range(0, 1), unknown=True)
        own = {name: str(attrs.get(name)) for name in ("decisions", "nodes", "weights", "egdb", "hash")}
        if attrs.get("checksum") != _checksum(losses, own):
            raise source.refusal("the losses do not match their checksum")
        if not own["nodes"].isdecimal() or len(own["nodes"]) > 18:
            raise source.refusal(f"nodes are {own['nodes']!r:.40}; expected a whole number")
        return losses, own


def _text(value: object) -> str:
    return str(value)


def _checksum(losses: NDArray[np.float32], attrs: dict[str, str]) -> str:
    return storage.checksum(json.dumps(attrs, sort_keys=True).encode(), losses)
