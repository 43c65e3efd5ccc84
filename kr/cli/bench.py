"""`kr bench`."""

from collections.abc import Mapping

from kr.cli import console, options
from kr.engine.bench import (
    CHINOOK,
    SAME_DEPTH,
    BenchResult,
    BenchSettings,
    Comparison,
    compare,
    features,
    first_word,
    load_positions,
    run_bench,
)
from kr.engine.options import parse_search_options
from kr.errors import InvalidSettingError
from kr.evaluation.chances import format_score
from kr.settings import option
from kr.units import counted, format_rate

SHOWN_DEPTHS = 9
"""Number of last depths shown; --json has all."""

WITHOUT = "no "
ABLATION_NOTE = (
    "* reduces, extends or prunes: depths with and without it are not comparable. Fewer nodes to the same depth may "
    "cost accuracy, more nodes may gain it: only a match at equal time tells."
)


@options.command
def command(
    settings: BenchSettings,
    ablate: bool = option(False, "Compare with each feature of the search switched off in turn."),
    against: tuple[str, ...] = option(
        (), "Compare with these search options; can be repeated.", metavar="NAME=NUMBER,..."
    ),
    json: bool = options.JSON,
) -> None:
    """Search fixed positions to a fixed depth with one thread; print the node signature and nodes per second.

    --ablate and --against compare the nodes and time that other search options need to reach the same depth.

    Example:
        kr bench
        kr bench --depth 15 --options lmr_move=4,etc_depth=99
        kr bench --against lmr_move=4 --against lmr_move=2,lmr_depth=4
        kr bench --ablate --rounds 5
    """
    variants: dict[str, Mapping[str, int]] = {text: parse_search_options(text) for text in against}
    for text in (text for text, values in variants.items() if not values):
        raise InvalidSettingError(f"--against {text!r} sets nothing; expected search options such as lmr_move=4")
    if ablate:
        variants = {f"{WITHOUT}{name}": off for name, off in features().items()} | variants
    if variants:
        _compare(settings, variants, json)
        return
    count = len(load_positions(settings.positions))
    with console.progress("bench", count, "positions") as progress:
        result = run_bench(settings, lambda line: progress.advance(1))
    if json:
        console.emit_json(
            {
                "settings": settings,
                "weights": result.weights,
                "signature": result.signature,
                "nodes_per_second": result.nps,
                "probes": result.probes,
                "depths": result.depths,
                "positions": result.lines,
            }
        )
        return
    rows = [
        (line.move, f"{format_score(line.score):>5}", line.nodes, f"{line.seconds:.2f}", line.fen)
        for line in result.lines
    ]
    console.put(console.table(["move", "score", "nodes", "seconds", "position"], rows))
    console.put(f"\n{_depths(result)}\n\n{_signature(result)}")


def _depths(result: BenchResult) -> str:
    rows = [
        (each.depth, each.positions, each.nodes, f"{each.seconds:.2f}", console.ratio(each.branching))
        for each in result.depths[-SHOWN_DEPTHS:]
    ]
    return console.table(["depth", "positions", "nodes", "seconds", "branching"], rows)


def _signature(result: BenchResult) -> str:
    settings = result.settings
    where = ", ".join(filter(None, (result.weights, f"depth {settings.depth}", settings.options)))
    probes = f", {counted(result.probes, 'probe')}" if result.probes else ""
    line = f"signature {result.signature} nodes ({where}), {format_rate(result.nps)} nodes/s{probes}"
    return console.fold(line, 2)


def _compare(settings: BenchSettings, variants: Mapping[str, Mapping[str, int]], json: bool) -> None:
    searches = settings.rounds * len(load_positions(settings.positions)) * (1 + len(variants))
    with console.progress("bench", searches, "searches") as progress:
        compared = compare(settings, variants, lambda: progress.advance(1))
    if json:
        console.emit_json(
            {
                "settings": settings,
                "weights": compared.result.weights,
                "signature": compared.result.signature,
                "nodes_per_second": compared.result.nps,
                "variants": [{**console.plain(each), "paper": _paper(each.name)} for each in compared.variants],
            }
        )
        return
    console.put(_comparison(compared))


def _comparison(compared: Comparison) -> str:
    rows = [
        (
            each.name.replace(",", ", ") + "*" * (not _same_depth(each.options)),
            f"{each.nodes:.3f}",
            f"{each.nodes / each.nodes_error:.3f}-{each.nodes * each.nodes_error:.3f}",
            f"{each.total:.3f}",
            f"{each.seconds:.3f}",
            f"{each.seconds_least:.3f}-{each.seconds_most:.3f}",
            each.other_moves,
            _paper(each.name),
        )
        for each in compared.variants
    ]
    columns = ["search", "nodes", "95%", "all", "time", "rounds", "moves", "Chinook, with the feature"]
    note = f"\n{console.fold(ABLATION_NOTE, 2)}" if any(row[0].endswith("*") for row in rows) else ""
    return (
        f"{_signature(compared.result)}\n\n"
        f"Nodes and time to depth {compared.settings.depth} relative to that; geometric means over the positions\n"
        "(all: sum of the nodes; moves: positions with a different move):\n\n"
        f"{console.table(columns, rows)}{note}"
    )


def _same_depth(chosen: Mapping[str, int]) -> bool:
    """True if depths with and without these options are comparable."""
    return all(first_word(name) in SAME_DEPTH for name in chosen)


def _paper(name: str) -> str:
    return CHINOOK.get(first_word(name.removeprefix(WITHOUT)), "") if name.startswith(WITHOUT) else ""
