"""`kr endnet export`."""

from kr.cli import console, options
from kr.studies.endings.export import EndnetExportSettings, export_endnet
from kr.units import counted, format_size


@options.command
def command(settings: EndnetExportSettings, json: bool = options.JSON) -> None:
    """Write a network as a weights file, for play without JAX.

    The core computes it in whole numbers, which are compared with the network on random positions. Name the file
    beside tables wherever weights are named: TABLES+FILE asks it in endings, and the tables elsewhere.

    Example:
        kr endnet export net.h5 --out play.h5
        kr match shipped shipped+play.h5 --tc 0.1s
    """
    result = export_endnet(settings)
    console.wrote(settings.out, "weights")
    if json:
        console.emit_json(result)
        return
    low, high = result.pieces
    changed = f"another value in {result.changed} of {counted(result.compared, 'random position')}"
    facts = [
        ("weights", f"{result.out}, {format_size(result.bytes)}"),
        ("trained on", f"{low} to {high} pieces" if low < high else f"{low} pieces"),
        ("rounding", f"at most {result.difference:.4f} in a probability, {changed}"),
        ("checksum", result.checksum),
    ]
    console.put(console.facts(facts))
