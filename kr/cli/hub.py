"""`kr hub`."""

from typing import Annotated

import typer

from kr.errors import InvalidSettingError
from kr.units import parse_size


def command(
    weights: Annotated[str, typer.Option(help="Weights file, manual, material or shipped.")] = "shipped",
    hash: Annotated[str, typer.Option(help="Hash table.", metavar="SIZE")] = "64MB",
    threads: Annotated[int, typer.Option(help="Threads to search with.")] = 1,
) -> None:
    """Speak the Hub 2 protocol on standard input and output, for a draughts program that runs kr as its engine.

    The program may change these settings, and others, with set-param. Quits at the end of its input.

    Example:
        kr hub --weights manual --hash 256MB
    """
    from kr.protocols.hub import serve_stdio

    try:
        megabytes = parse_size(hash) >> 20
    except InvalidSettingError as error:
        raise InvalidSettingError(f"--hash: {error}") from None
    serve_stdio({"weights": weights, "hash": str(megabytes), "threads": str(threads)})
