"""`kr hub`."""

from typing import Annotated

import typer

from kr.errors import InvalidSettingError
from kr.evaluation.kinds import SHIPPED, weights_texts
from kr.units import parse_size


def command(
    weights: Annotated[str, typer.Option(help=f"A {weights_texts(SHIPPED)}.")] = SHIPPED,
    hash: Annotated[str, typer.Option(help="Hash table.", metavar="SIZE")] = "64MB",
    threads: Annotated[int, typer.Option(help="Threads to search with.")] = 1,
    egdb: Annotated[
        str, typer.Option(help="Endgame database: its directory, or none.", metavar="DIR|none", show_default=False)
    ] = "",
    egdb_memory: Annotated[str, typer.Option(help="Memory in which to unpack it, as far as it fits.")] = "64MB",
) -> None:
    """Speak the Hub 2 protocol on standard input and output, for a draughts program that runs kr as its engine.

    The program may change these settings, and others, with set-param. Quits at the end of its input.

    Example:
        kr hub --weights manual --hash 256MB
    """
    from kr.protocols.hub import AUTO, serve_stdio

    parameters = {"weights": weights, "threads": str(threads), "egdb": egdb or AUTO}
    for name, size in (("hash", hash), ("egdb-memory", egdb_memory)):
        try:
            parameters[name] = str(parse_size(size) >> 20)
        except InvalidSettingError as error:
            raise InvalidSettingError(f"--{name}: {error}") from None
    serve_stdio(parameters)
