"""What kr raises for bad input. All are ValueError; the command line turns each into one line."""


class KrError(ValueError):
    """Base of every error that kr raises on purpose."""


class InvalidFenError(KrError):
    """A position that can't be read or can't stand on the board."""


class InvalidPdnError(KrError):
    """Game text that isn't PDN."""

    line: int | None = None
    """The line of the text, from 1, where that is known."""
    column: int | None = None
    """The letter of the line, from 1."""


class IllegalMoveError(KrError):
    """A move that the position doesn't allow; the message names the legal ones."""


class InvalidWeightsError(KrError):
    """A weights file that is damaged, of another version, or not a weights file."""


class InvalidGamesError(KrError):
    """A game shard or run directory that is damaged or not one."""


class InvalidSettingError(KrError):
    """A setting (an option, a unit, a name) that has no meaning here."""


class ProtocolError(KrError):
    """A line that the protocol doesn't allow, or an engine that broke it."""


class OutputBusyError(KrError):
    """Another process is writing this output."""


class DivergedError(KrError):
    """A fit whose loss is no longer a number."""


class InvalidProblemError(KrError):
    """A problem file that can't be read; the message names file and line."""


class InvalidDatabaseError(KrError):
    """An endgame database that is damaged, foreign or of another version."""


class ThreadError(KrError):
    """The system starts no more threads."""


class MissingNeedError(KrError):
    """Weights, openings or a database that a unit of long work depends on, and that are not here."""
