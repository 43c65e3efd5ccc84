"""`kr bench`."""

from kr.cli import console, options
from kr.lab.bench import POSITIONS, BenchSettings
from kr.lab.bench import run as bench
from kr.units import format_rate


def run(settings: BenchSettings, json: options.Json = False) -> None:
    """Search fixed positions to a fixed depth with one thread: the node signature, and nodes a second.

    Example:
        kr bench --depth 17
    """
    with console.progress("bench", len(POSITIONS), "positions") as progress:
        result = bench(settings, lambda line: progress.advance(1))
    if json:
        console.emit_json(
            {
                "settings": settings,
                "weights": result.weights,
                "signature": result.signature,
                "nodes_per_second": result.nps,
                "probes": result.probes,
                "positions": result.lines,
            }
        )
        return
    rows = [(line.fen, line.move, line.score, line.nodes, f"{line.seconds:.2f}") for line in result.lines]
    print(console.table(["position", "move", "score", "nodes", "seconds"], rows))
    speed = f"{format_rate(result.nps)} nodes/s"
    probes = f", {result.probes} probes" if result.probes else ""
    print(f"\nsignature {result.signature} nodes ({result.weights}, depth {settings.depth}), {speed}{probes}")


command = options.command(BenchSettings, run)
