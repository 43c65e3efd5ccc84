"""The settings of an engine that commands share; `kr.engine.engine.engine_from` makes the engine of them.

Each default and each help text stands here once. A settings class takes the fields that it needs:

    @dataclass(frozen=True)
    class SolveSettings(Settings):
        weights: str | None = weights_option()
        hash: int = hash_option()
        egdb: str = egdb_option()
        egdb_memory: int = egdb_memory_option()
"""

from __future__ import annotations

from typing import Any

from kr.engine.engine import DEFAULT_HASH_MB
from kr.evaluation.kinds import weights_texts
from kr.settings import EGDB_MEMORY, option
from kr.threads import THREADS
from kr.units import MEBIBYTE, format_size, parse_size

DEFAULT_HASH = DEFAULT_HASH_MB * MEBIBYTE


def weights_option() -> Any:
    """Setting: the evaluation, in the form of Engine."""
    return option(None, f"Evaluation: a {weights_texts()}; the shipped tables if not given.")


def hash_option(whose: str = "", default: int = DEFAULT_HASH) -> Any:
    """Setting: bytes of the hash table. whose: "of each player" if there are several."""
    return option(
        default, f"Size of the hash table {whose}".strip() + ".", parse=parse_size, show=format_size,
        low=MEBIBYTE, high=1 << 40,
    )  # fmt: skip


def threads_option(help: str = "Threads to search with.") -> Any:
    """Setting: threads of one search."""
    return option(1, help, low=THREADS.low, high=THREADS.high)


def egdb_option(default: str = "", rest: str = "the first one found if not given") -> Any:
    """Setting: the endgame database, in the form of load_database."""
    return option(default, f"Endgame database: its directory, several as in PATH, or none; {rest}.", metavar="DIR|none")


def egdb_memory_option() -> Any:
    """Setting: bytes in which to unpack the endgame database."""
    help = "Memory for the unpacked endgame database; what does not fit is read from its files."
    return option(EGDB_MEMORY, help, parse=parse_size, show=format_size)
