"""kr: a draughts engine to read, retrain and install, and the laboratory that trained it.

    import kr

    engine = kr.Engine()
    print(kr.analyze(engine, kr.Position(), kr.Limits(time=1.0), multipv=3).lines)

All public names are here: what is used most by itself, the rest in the modules `kr.pdn`, `kr.svg`, `kr.play`,
`kr.problems`, `kr.openings` and `kr.dxp`. Each is imported when it is first asked for. docs/api.md describes them.
"""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kr import pdn, svg
    from kr.chances import Chances
    from kr.counting import divide, perft
    from kr.egdb.database import Database
    from kr.egdb.probe import Probed, ProbedMove, probe
    from kr.engine import Engine, Info, Search, SearchResult, Stop, load_database
    from kr.errors import (
        IllegalMoveError,
        InvalidDatabaseError,
        InvalidFenError,
        InvalidGamesError,
        InvalidPdnError,
        InvalidProblemError,
        InvalidSettingError,
        InvalidWeightsError,
        KrError,
        MissingNeedError,
        OutputBusyError,
        ProtocolError,
        ThreadError,
    )
    from kr.evaluation.explanation import Explanation
    from kr.evaluation.kinds import explain
    from kr.lab import problems
    from kr.lab.analysis import Analysis, Analyzing, Line, Task, analyze
    from kr.lab.annotating.annotation import Annotation, annotate
    from kr.lab.annotating.judging import JudgedMove, JudgeSettings
    from kr.lab.matches import openings
    from kr.lab.matches.match import MatchResult, MatchSettings, play_match
    from kr.lab.matches.openings import Opening
    from kr.lab.playing import play
    from kr.lab.problems import Problem
    from kr.lab.solving import Solution, solve
    from kr.limits import Clock, Limits, TimeControl, parse_limits
    from kr.players.levels import LEVELS, Level
    from kr.players.player import Player, Reply
    from kr.players.registry import player_from_spec
    from kr.position import Move, Position, Side
    from kr.protocols import dxp

__version__ = "0.1.0"

__all__ = [
    "LEVELS",
    "Analysis",
    "Analyzing",
    "Annotation",
    "Chances",
    "Clock",
    "Database",
    "Engine",
    "Explanation",
    "IllegalMoveError",
    "Info",
    "InvalidDatabaseError",
    "InvalidFenError",
    "InvalidGamesError",
    "InvalidPdnError",
    "InvalidProblemError",
    "InvalidSettingError",
    "InvalidWeightsError",
    "JudgeSettings",
    "JudgedMove",
    "KrError",
    "Level",
    "Limits",
    "Line",
    "MatchResult",
    "MatchSettings",
    "MissingNeedError",
    "Move",
    "Opening",
    "OutputBusyError",
    "Player",
    "Position",
    "Probed",
    "ProbedMove",
    "Problem",
    "ProtocolError",
    "Reply",
    "Search",
    "SearchResult",
    "Side",
    "Solution",
    "Stop",
    "Task",
    "ThreadError",
    "TimeControl",
    "analyze",
    "annotate",
    "divide",
    "dxp",
    "explain",
    "load_database",
    "openings",
    "parse_limits",
    "pdn",
    "perft",
    "play",
    "play_match",
    "player_from_spec",
    "probe",
    "problems",
    "solve",
    "svg",
]

# Where each name is at home; of a module, that it is one.
_MODULES = {
    "dxp": "kr.protocols.dxp",
    "openings": "kr.lab.matches.openings",
    "pdn": "kr.pdn",
    "play": "kr.lab.playing.play",
    "problems": "kr.lab.problems",
    "svg": "kr.svg",
}
_HOMES = {
    "kr.chances": ("Chances",),
    "kr.counting": ("divide", "perft"),
    "kr.egdb.database": ("Database",),
    "kr.egdb.probe": ("Probed", "ProbedMove", "probe"),
    "kr.engine": ("Engine", "Info", "Search", "SearchResult", "Stop", "load_database"),
    "kr.errors": tuple(name for name in __all__ if name.endswith("Error")),
    "kr.evaluation.explanation": ("Explanation",),
    "kr.evaluation.kinds": ("explain",),
    "kr.lab.analysis": ("Analysis", "Analyzing", "Line", "Task", "analyze"),
    "kr.lab.annotating.annotation": ("Annotation", "annotate"),
    "kr.lab.annotating.judging": ("JudgeSettings", "JudgedMove"),
    "kr.players.levels": ("LEVELS", "Level"),
    "kr.lab.matches.match": ("MatchResult", "MatchSettings", "play_match"),
    "kr.lab.matches.openings": ("Opening",),
    "kr.players.player": ("Player", "Reply"),
    "kr.players.registry": ("player_from_spec",),
    "kr.lab.problems": ("Problem",),
    "kr.lab.solving": ("Solution", "solve"),
    "kr.limits": ("Clock", "Limits", "TimeControl", "parse_limits"),
    "kr.position": ("Move", "Position", "Side"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


# hidden from type checkers, to which it would make any name a good one
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """A public name, the first time that it is asked for."""
        if name in _MODULES:
            found: object = import_module(_MODULES[name])
        elif name in _HOME_OF:
            found = getattr(import_module(_HOME_OF[name]), name)
        else:
            raise AttributeError(f"module 'kr' has no attribute {name!r}")
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
