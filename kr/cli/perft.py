"""`kr perft`."""

import time

from kr.cli import console, options
from kr.engine.settings import threads_option
from kr.game.perft import MAX_DEPTH, divide, perft
from kr.game.position import Position
from kr.settings import option
from kr.units import format_rate


@options.command
def command(
    fen: str | None = option(None, "Position; the start if not given.", argument=True, metavar="FEN"),
    depth: int = option(9, "Plies to count, {allowed}.", low=1, high=MAX_DEPTH),
    divided: bool = option(False, "Show the leaves below each move.", name="divide"),
    by_moves: bool = option(False, "Count with the moves that a search makes: slower, same counts."),
    threads: int = threads_option("Threads to count with."),
    json: bool = options.JSON,
) -> None:
    """Count the leaves of the move tree, and measure the speed of the move generator.

    Captures of the same pieces along different paths count separately.

    Example:
        kr perft --depth 11
        kr perft "W:W21,K30:B1,2" --depth 6 --divide
    """
    position = Position() if fen is None else Position.from_fen(fen)
    if divided:
        began = time.perf_counter()
        counts = divide(position, depth, threads, by_moves)
        seconds = time.perf_counter() - began
        leaves = sum(count for _, count in counts)
        if json:
            moves = [{"move": str(move), "leaves": count} for move, count in counts]
            console.emit_json({"fen": position.fen, **_measured(depth, leaves, seconds), "divide": moves})
        else:
            console.put(console.table(["move", "leaves"], [(str(move), count) for move, count in counts]))
            console.put(f"depth {depth}: {leaves} leaves")
        return

    lines = []
    for plies in range(1, depth + 1):
        began = time.perf_counter()
        leaves = perft(position, plies, threads, by_moves)
        lines.append(_measured(plies, leaves, time.perf_counter() - began))
        if not json:
            if plies == 1:
                console.put(f"{'depth':>5}  {'leaves':>16}  {'seconds':>9}  {'leaves/s':>8}")
            rate = format_rate(lines[-1]["leaves_per_second"])
            console.put(f"{plies:5}  {leaves:16}  {lines[-1]['seconds']:9.3f}  {rate:>8}", flush=True)
    if json:
        console.emit_json({"fen": position.fen, **lines[-1], "depths": lines})


def _measured(depth: int, leaves: int, seconds: float) -> dict[str, float]:
    return {"depth": depth, "leaves": leaves, "seconds": seconds, "leaves_per_second": leaves / max(seconds, 1e-9)}
