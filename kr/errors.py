"""Errors that kr raises for bad input. All are ValueError; the command line shows each as one line."""

from collections.abc import Sequence


class KrError(ValueError):
    """Base of every error that kr raises on purpose."""


class InvalidFenError(KrError):
    """A position that can't be read or is impossible."""


class InvalidPdnError(KrError):
    """Game text that isn't PDN."""

    line: int | None = None
    """Line of the text, from 1, if known."""
    column: int | None = None
    """Character in the line, from 1."""


class IllegalMoveError(KrError):
    """A move that the position doesn't allow; the message names the legal ones."""


class InvalidWeightsError(KrError):
    """A weights file that is damaged, of another version, or not a weights file."""


class InvalidGamesError(KrError):
    """A damaged or foreign game shard, run directory or journal."""


class InvalidSettingError(KrError):
    """A setting (an option, a unit, a name) that is not valid."""


class ProtocolError(KrError):
    """A line that the protocol doesn't allow, or an engine that broke the protocol."""


class OutputBusyError(KrError):
    """Another process is writing this output."""


class InvalidNumberError(KrError):
    """A number in a file that is of another type, not finite or out of range; the message does not name the file."""


class UnreadableOutputError(KrError):
    """A file that can't be read back as it was written; it has not taken its name."""


class DivergedError(KrError):
    """A fit whose loss has become NaN or infinite."""


class StoppedError(KrError):
    """Work that was stopped before its end; finished parts are saved, and the same call resumes it."""


class InvalidProblemError(KrError):
    """A problem file that can't be read; the message names file and line."""


class InvalidDatabaseError(KrError):
    """A damaged or foreign endgame database, or one of another version."""


class InvalidSampleError(KrError):
    """A file of sampled endgame positions that is damaged, foreign or of another version."""


class InvalidBookError(KrError):
    """A damaged opening book, or one of another version."""


class InvalidIndexError(KrError):
    """A damaged index of an archive, or one of another version."""


class InvalidModelError(KrError):
    """A network's model file that is damaged, of another version, or not a model file."""


class InvalidCheckpointError(KrError):
    """The checkpoint of a fit that is damaged, or of another version."""


class ThreadError(KrError):
    """A thread that the system refuses to start."""


class MissingNeedError(KrError):
    """Weights, openings or a database that a unit of work depends on and that are not available here."""


class ClusterError(KrError):
    """A cluster that can't be reached, or none of whose workers can do the work."""


class WorkerLostError(ClusterError):
    """A worker of a cluster that ended, or can't be reached any more, with its state."""


class InvalidPolicyError(KrError):
    """A policy file that is damaged, of another version, or not a policy file."""


class InvalidCertificateError(KrError):
    """A certificate that is damaged, of another version, or does not prove its claim."""


class StrategyGapError(InvalidCertificateError):
    """A position that a strategy leads to, but has no move for."""

    def __init__(self, message: str, board: tuple[int, int, int] = (0, 0, 0)) -> None:
        super().__init__(message)
        self.board = board
        """Black, white and kings; the side of the strategy to move."""


class StrategyCycleError(InvalidCertificateError):
    """A position that a strategy for a win leads back to."""

    def __init__(self, message: str, cycle: Sequence[tuple[int, int, int]] = ()) -> None:
        super().__init__(message)
        self.cycle = tuple(cycle)
        """Black, white and kings of the positions of the circle in order, the side of the strategy to move."""

    @property
    def board(self) -> tuple[int, int, int]:
        """The first position of the circle."""
        return self.cycle[0]
