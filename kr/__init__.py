"""kr: a draughts engine to read, retrain and install, and the laboratory that trained it."""

from kr import pdn, svg
from kr.chances import Chances
from kr.counting import perft
from kr.engine import Engine, Info, Limits, SearchResult
from kr.errors import (
    IllegalMoveError,
    InvalidDatabaseError,
    InvalidFenError,
    InvalidGamesError,
    InvalidPdnError,
    InvalidSettingError,
    InvalidWeightsError,
    KrError,
    OutputBusyError,
    ProtocolError,
)
from kr.position import Move, Position, Side

__version__ = "0.1.0"

__all__ = [
    "Chances",
    "Engine",
    "IllegalMoveError",
    "Info",
    "InvalidDatabaseError",
    "InvalidFenError",
    "InvalidGamesError",
    "InvalidPdnError",
    "InvalidSettingError",
    "InvalidWeightsError",
    "KrError",
    "Limits",
    "Move",
    "OutputBusyError",
    "Position",
    "ProtocolError",
    "SearchResult",
    "Side",
    "pdn",
    "perft",
    "svg",
]
