"""Plays games through CheckerBoard's interface under wine: python packaging/checkerboard/play_games.py [GAMES]

The DLL for 64 bits plays against itself and against random moves (host.c), with a full hash table of 1 MB, with and
without its files, and is given nonsense. Each move is judged by the rules of Python, each claim of a result by the
database. Ends with exit code 1 for an illegal move, a wrong claim, a lost message, or if more than one move in 50 is
late by more than 20 ms, or returns as long after Play!, and is so again where the machine was busy and it is asked for
once more.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import kr
from kr.book.book import VARIETY

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging" / "windows"))

from layout import make_drive, wine_environment  # noqa: E402

BUILD = ROOT / "build" / "checkerboard"
SEED = 2
"""The first game begins at the start."""
BOOK_PLIES = 12
"""Plies of the games for the settings of the book."""
LATE = 20.0
"""Milliseconds."""
MOST_LATE = 0.02
CLAIMS = {0: kr.Value.DRAW, 1: kr.Value.WIN, 2: kr.Value.LOSS}

COMMANDS = {
    "name": (1, f"kr {kr.__version__}"),
    "get protocolversion": (1, "2"),
    "get gametype": (1, "21"),
    "help": (1, "kr.htm"),
    "get hashsize": (1, "64"),
    "set hashsize 0": (0, "hashsize is 1 to 65536"),
    "set hashsize x": (0, "hashsize is 1 to 65536"),
    "set hashsize 1": (1, "hashsize set to 1"),
    "set hashsizes 1": (0, "?"),
    "set searchthreads 8": (0, "searchthreads is 1 to 1"),
    "get book": (1, "2"),
    "set book 4": (0, "book is 0 to 3"),
    "set book 3": (1, "book set to 3"),
    "set allscores 1": (1, "allscores set to 1"),
    "set allscores 0": (1, "allscores set to 0"),
    "set gamehist nonsense": (0, "no game"),
    "set gamehist B:W18:B14 14-18": (0, "no game"),
    "staticevaluation nonsense": (0, "no position"),
    "": (0, "?"),
    "set": (0, "?"),
    "get movelist B:W:B": (0, "?"),
}
"""Commands, with what they return and reply."""


class Move(NamedTuple):
    """A move of the engine."""

    game: int
    ply: int
    before: str
    after: str
    claim: int
    ms: float
    allowed: float
    since_play: float
    attempt: int
    status: str

    @classmethod
    def of(cls, line: str) -> "Move":
        game, ply, before, after, claim, *times, attempt, status = line.split("\t", 9)
        ms, allowed, since_play = map(float, times)
        return cls(
            int(game), int(ply), before, after, int(claim), ms, allowed, since_play, int(attempt), status
        )  # fmt: skip


def play(
    games: int, seed: int, commands: Sequence[str], folder: Path = BUILD, plies: int = 1000
) -> tuple[list[list[str]], list[Move]]:
    """Answers to the commands, and the moves of the engine. plies: most of a game."""
    words = ["wine", str(BUILD / "host.exe"), str(folder / "kr64.dll"), f"{games}:{plies}", str(seed), *commands]
    # the streams of a program under wine are pipes, or it opens a console
    process = subprocess.run(words, cwd=folder, env=wine_environment(), input=b"", capture_output=True)
    text = process.stdout.decode("utf-8", "replace").replace("\r\n", "\n")
    if process.returncode:
        sys.stderr.buffer.write(process.stderr)
        sys.exit(f"kr: the host ended with {process.returncode} after {text[-300:]!r}")
    lines = text.splitlines()
    answers = [line.split("\t") for line in lines[: len(commands)]]
    return answers, [Move.of(line) for line in lines[len(commands) :]]


def faults(moves: Sequence[Move], database: kr.Database) -> Iterator[str]:
    """What is wrong with the moves."""
    for move in moves:
        where = f"game {move.game}, ply {move.ply}, {move.before}"
        before = kr.Position.from_fen(move.before)
        if move.after not in {before.play(each).fen for each in before.legal_moves()}:
            yield f"{where}: illegal, {move.after}"
        if (claimed := CLAIMS.get(move.claim)) is not None and before.pieces <= database.pieces:
            if database.value(before) != claimed:
                yield f"{where}: {claimed} is claimed, not {database.value(before)}"
        elif move.claim == 0:
            yield f"{where}: a draw is claimed without the database"
        if not move.status:
            yield f"{where}: an empty status line"


def check(name: str, moves: Sequence[Move], database: kr.Database) -> None:
    """Print what was seen, and end if something is wrong."""
    if complaints := list(faults(moves, database)):
        sys.exit("\n".join(f"kr: {each}" for each in complaints))
    over = sorted(move.ms - move.allowed for move in moves)
    pressed = sorted(move.since_play for move in moves if move.since_play >= 0)
    late = sum(each > LATE for each in over), sum(each > LATE for each in pressed)
    again = sum(move.attempt > 1 for move in moves)
    games = max((move.game for move in moves), default=-1) + 1
    print(
        f"{name}: {len(moves)} moves of {games} games, all legal; {late[0]} over {LATE:.0f} ms late, the latest "
        f"{over[-1]:.1f}; Play! pressed {len(pressed)} times, {late[1]} over {LATE:.0f} ms, the slowest "
        f"{max(pressed, default=0):.1f}" + (f"; {again} asked for again on a busy machine" if again else "")
    )
    if late[0] > MOST_LATE * len(moves) or late[1] > max(1, MOST_LATE * len(pressed)):
        sys.exit("kr: too late")


def check_match() -> None:
    """End unless kr plays a match against the DLL."""
    player = f"checkerboard:{BUILD / 'kr64.dll'},start=2m,env.WINEPREFIX={wine_environment()['WINEPREFIX']}"
    words = ["--ballot", "3move", "--games", "4", "--tc", "0.1s", "--workers", "1", "--hash", "1MB", "--json"]
    command = [sys.executable, "-m", "kr", "match", "material", player, *words]
    result = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    if result["games"] != 4 or result["b"]["failures"] or result["b"]["time_forfeits"] > 1:
        sys.exit(f"kr: the match against the DLL failed: {result['reasons']}, {result['b']['last_failure']}")
    print(f"a match of 4 games by kr: {result['reasons']}")


def check_book(moves: Sequence[Move], best: bool = False) -> None:
    """End if a move is not what the book plays. best: its best one."""
    book = kr.load_book()
    assert book is not None
    moves_by_book = 0
    for move in moves:
        before = kr.Position.from_fen(move.before)
        entries = {before.play(each.move).fen: each for each in book.moves(before) if each.value is not None}
        most = max((each.value or 0 for each in entries.values()), default=0)
        if move.status.startswith("book, "):
            moves_by_book += 1
            entry = entries.get(move.after)
            if entry is None or most - (entry.value or 0) > (0 if best else VARIETY):
                sys.exit(f"kr: {move.before}: the book does not play {move.after}")
            if not move.status.startswith(f"book, {(entry.value or 0) / 100:+.2f}") or move.claim != 3:
                sys.exit(f"kr: {move.before}: {move.status}")
        elif entries:
            sys.exit(f"kr: {move.before}: the book was not asked")
    if not moves_by_book:
        sys.exit("kr: the book beside the DLL was not found")
    print(f"{moves_by_book} moves from the book")


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    if not shutil.which("wine"):
        sys.exit("kr: the engine for CheckerBoard is tried under wine: apt install wine")
    make_drive()
    database = kr.Database.open(ROOT / "egdb")
    answers, _ = play(0, SEED, list(COMMANDS))
    wrong = [each for each, right in zip(answers, COMMANDS.items(), strict=True) if tuple(each) != flat(right)]
    if wrong:
        sys.exit(f"kr: wrong answers: {wrong}")
    _, moves = play(games, SEED, ["set hashsize 1"])
    check("full hash of 1 MB", moves, database)
    if not any("database hits" in move.status for move in moves):
        sys.exit("kr: the database beside the DLL was not found")
    check_book(moves)
    _, moves = play(1, SEED, ["set book 3"], plies=BOOK_PLIES)
    check_book(moves, best=True)
    _, moves = play(1, SEED, ["set book 0"], plies=BOOK_PLIES)
    if any("book" in move.status for move in moves):
        sys.exit("kr: moves of the book without one")
    check_match()
    bare = BUILD / "bare"
    bare.mkdir(exist_ok=True)
    shutil.copy(BUILD / "kr64.dll", bare)
    _, moves = play(2, SEED + 1, ["set dbpath C:\\none"], bare)
    check("without its files", moves, database)
    for words in ("kr.krt, without which kr is weaker", "opening book kr.krb: "):
        if not all(words in move.status for move in moves):
            sys.exit(f"kr: missing files are not told: {words}")


def flat(row: tuple[str, tuple[int, str]]) -> tuple[str, str, str]:
    """A command with its answer, as the host prints it."""
    command, (result, reply) = row
    return command, str(result), reply


if __name__ == "__main__":
    main()
