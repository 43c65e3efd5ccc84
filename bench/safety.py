"""Safety of the search: many quick games, with crashes, illegal moves and time forfeits counted. About three hours.

    python bench/safety.py FILE.pdn [--games 20k] [--tc 10ms] [--a shipped] [--b manual] [...]
    python bench/safety.py FILE.pdn --check

The first form plays the match by `kr match` in another process, whose crashes are counted; run the same command to
resume. Both forms then check every game of the file, of this or any other match, against the plain rules in
kr/proofs/rules.py: legal moves, the stated reason for the end of the game, the excess of each move over its limit, and
the forfeits and failures in the log. Prints one JSON object; exit code 1 for any fault.
Other work on the machine makes moves overstep their limits: play on a quiet one.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kr.engine.limits import Limits
from kr.errors import InvalidPdnError
from kr.game.board import NO_PROGRESS_PLIES, REPETITIONS
from kr.game.outcome import NO_MOVE, NO_PIECES, NO_PROGRESS, OVERTIME, REPETITION
from kr.game.position import Side
from kr.match.game import FAILURE
from kr.match.tally import forfeit_warning
from kr.pdn import Comment, Game, read_games
from kr.proofs import rules as reference

NOTE = re.compile(r"[+-]\d+\.\d+/\d+ (\d+\.\d+)s")
CONTROL = re.compile(r"Black (.+), White (.+)")
OVERSTEPS = (0.001, 0.005, 0.02, 0.1, 0.2, 1.0)
"""Delays in seconds; the moves later than each are counted."""


def play(options: argparse.Namespace) -> list[int]:
    """Play the match to its end; returns the signals by which its process died on the way."""
    command = [sys.executable, "-X", "faulthandler", "-m", "kr", "match", options.a, options.b]
    for name in ("games", "tc", "ballot", "hash", "egdb", "margin", "workers", "seed"):
        value = getattr(options, name)
        command += [] if value is None else [f"--{name}", value]
    crashes: list[int] = []
    while len(crashes) <= options.crashes:
        code = subprocess.run([*command, "--pdn", str(options.pdn)], stdout=subprocess.DEVNULL).returncode
        if code == 0:
            return crashes
        if code > 0:
            raise SystemExit(code)
        crashes.append(-code)
        print(f"safety: the match died of signal {-code}; resuming it", file=sys.stderr)
    return crashes


def check(path: Path) -> dict[str, Any]:
    """Figures about the games of a match, and problems with them."""
    reasons: Counter[str] = Counter()
    wrong: list[str] = []
    errors: list[InvalidPdnError] = []
    late: list[float] = []
    searches = plies = 0
    for game in read_games(path, errors=errors):
        reasons[game.tags["Termination"].partition(":")[0]] += 1
        plies += len(game.moves)
        wrong += [f"{game.tags['Round']}: {fault}" for fault in faults(game)]
        oversteps = list(overtimes(game))
        searches += len(oversteps)
        late += [seconds for seconds in oversteps if seconds is not None and seconds > 0]
    late.sort()
    logged = Path(f"{path}.log").read_text().splitlines()[1:]
    return {
        "games": reasons.total(),
        "games_in_log": len(logged),
        "plies": plies,
        "searches": searches,
        "ended_by": dict(reasons.most_common()),
        "time_forfeits": reasons[OVERTIME],
        "engine_failures": reasons[FAILURE],
        "rules_broken": wrong + [str(error) for error in errors],
        "late_by_more_than": {f"{1000 * least:g}ms": sum(seconds > least for seconds in late) for least in OVERSTEPS},
        "latest_ms": round(1000 * max(late, default=0.0), 1),
    }


def faults(game: Game) -> Iterator[str]:
    """Violations of the rules in a game, by the plain implementation of the rules."""
    board = reference.from_bits(game.start.black, game.start.white, game.start.kings)
    side = int(game.start.side)
    visits = Counter([(*reference.to_bits(board), side)])
    quiet = 0
    for ply, move in enumerate(game.moves, start=1):
        legal = reference.legal_moves(board, side)
        same = [
            (path, taken)
            for path, taken in legal
            if (path[0], path[-1], reference.bits_of(taken)) == (move.origin, move.target, move.captured)
        ]
        if not same:
            yield f"move {move} at ply {ply} is not legal"
            return
        moved = board[same[0][0][0]]
        board = reference.plain_after(board, same[0])
        side = 1 - side
        quiet = quiet + 1 if moved in "BW" and not move.captured else 0
        visits[*reference.to_bits(board), side] += 1
    reason = game.tags["Termination"]
    over = not reference.legal_moves(board, side)
    if over != (reason in (NO_MOVE, NO_PIECES)) or (over and game.winner != Side(1 - side)):
        yield f"ended by {reason}, won by {game.winner}, with {'no' if over else 'a'} legal move left"
    if reason == REPETITION and visits[*reference.to_bits(board), side] < REPETITIONS:
        yield "ended by repetition without one"
    if reason == NO_PROGRESS and quiet < NO_PROGRESS_PLIES:
        yield f"ended for lack of progress after {quiet} plies"


def overtimes(game: Game) -> Iterator[float | None]:
    """Seconds by which each search overstepped its limit; None if it had no time limit."""
    control = game.tags["TimeControl"]
    texts = match.groups() if (match := CONTROL.fullmatch(control)) else (control, control)
    limits = [Limits.parse(text).time for text in texts]
    for note in game.notes:
        if isinstance(note, Comment) and (match := NOTE.fullmatch(note.text)):
            limit = limits[(int(game.start.side) + note.ply - 1) % 2]
            yield None if limit is None else float(match[1]) - limit


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pdn", type=Path, help="file of the games; the log of the match is next to it")
    parser.add_argument("--check", action="store_true", help="only check the existing games")
    for name, default in (("a", "shipped"), ("b", "manual"), ("games", "20k"), ("tc", "10ms"), ("ballot", "11man")):
        parser.add_argument(f"--{name}", default=default, help=f"as in kr match (default: {default})")
    for name in ("hash", "egdb", "margin", "workers", "seed"):
        parser.add_argument(f"--{name}", help="as in kr match")
    parser.add_argument("--crashes", type=int, default=10, help="crashes after which to give up (default: 10)")
    options = parser.parse_args()
    before = os.getloadavg()[0]
    crashes = [] if options.check else play(options)
    figures = {"crashes": crashes, **check(options.pdn), "load": [before, os.getloadavg()[0]]}
    print(json.dumps(figures, indent=2))
    if warning := forfeit_warning(figures["games"], figures["time_forfeits"], figures["engine_failures"]):
        print(f"safety: {warning}", file=sys.stderr)
    clean = not (crashes or figures["time_forfeits"] or figures["engine_failures"] or figures["rules_broken"])
    sys.exit(0 if clean and figures["games"] == figures["games_in_log"] else 1)


if __name__ == "__main__":
    main()
