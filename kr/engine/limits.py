"""Limits of one search, time controls of a game, and the share of the clock that a move may take."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kr.errors import InvalidSettingError
from kr.units import Range, check_number, format_count, format_duration, parse_count, parse_duration

MOST_LIMITS = {"time": 1e9, "nodes": 10**18, "depth": 10**9}
"""Largest limits that the core can count: seconds, nodes, plies."""
RANGES = {
    "time": Range(above=0, high=MOST_LIMITS["time"], show=format_duration),
    "nodes": Range(1, MOST_LIMITS["nodes"], show=format_count),
    "depth": Range(1, MOST_LIMITS["depth"]),
    "left": Range(-MOST_LIMITS["time"], MOST_LIMITS["time"]),
    "inc": Range(0, MOST_LIMITS["time"], show=format_duration),
    "moves": Range(1, MOST_LIMITS["depth"]),
}
MOVES_AHEAD = 30
"""The clock is spread over this many moves, or over the moves to the next time control if these are fewer."""
CLOCK_SHARE = 0.8
"""Largest share of the clock that one move may take."""
UNSETTLED = 3.0
"""A move that is hard to find may take this many times its share of the clock."""
LATENCY = 0.01
"""Seconds kept back from each move for the delay until the answer stops the clock."""
SHORTEST = 0.001
"""Seconds for a move when the clock is all but empty."""


@dataclass(frozen=True)
class Limits:
    """Limits of a search, which ends at the first one reached. Without any it runs until it is stopped."""

    time: float | None = None
    """Seconds for this move."""
    nodes: int | None = None
    depth: int | None = None
    """Plies of the last iteration."""
    left: float | None = None
    """Seconds left on the mover's clock, before the increment for this move. May be negative if the increment has been
    counted already."""
    inc: float = 0.0
    """Seconds added to the clock for each move."""
    moves: int | None = None
    """Moves to the next time control, including this one; None if the clock must last for the game."""

    def __post_init__(self) -> None:
        for name, allowed in RANGES.items():
            if (value := getattr(self, name)) is not None or name == "inc":
                whole = name in ("nodes", "depth", "moves")
                object.__setattr__(self, name, allowed.check(f"limit {name}", value, whole=whole))

    @classmethod
    def of(cls, limits: Limits | float | str) -> Limits:
        """Limits from Limits, a number of seconds, or text. Raises InvalidSettingError for anything else."""
        if isinstance(limits, Limits):
            return limits
        if isinstance(limits, str):
            return cls.parse(limits)
        try:
            return cls(time=check_number("the time", limits))
        except InvalidSettingError:
            expected = 'Limits(depth=8), seconds above 0, or text such as "0.3s", "nodes=2000" or "depth=8"'
            raise InvalidSettingError(f"the limits are {limits!r}; expected {expected}") from None

    @classmethod
    def parse(cls, text: str) -> Limits:
        """Parse limits such as "0.3s", "20ms", "nodes=2000", "depth=8", or several separated by commas.

        Raises InvalidSettingError.
        """
        limits: dict[str, float | int] = {}
        for part in text.split(","):
            name, equals, value = part.strip().partition("=")
            if not equals:
                name, value = "time", name
            if name in limits or name not in ("time", "nodes", "depth"):
                raise InvalidSettingError(f"{text!r} is not a limit such as 0.3s, nodes=2000 or depth=8")
            limits[name] = parse_duration(value) if name == "time" else parse_count(value)
        return cls(**limits)  # type: ignore[arg-type]

    def __str__(self) -> str:
        parts = [f"{name}={value}" for name, value in (("nodes", self.nodes), ("depth", self.depth)) if value]
        if self.time is not None:
            parts.insert(0, format_duration(self.time))
        if self.left is not None:
            moves = "" if self.moves is None else f" for {self.moves} moves"
            parts.insert(0, f"{self.left:.3f}s{moves} and {format_duration(self.inc)} a move")
        return ",".join(parts) or "infinite"

    def seconds(self) -> tuple[float | None, float | None]:
        """Usual and longest time of this move, in seconds; None and None if time does not limit it.

        On a clock the usual time is left/M + inc, where M is the number of moves to the next time control, or 30 if
        that is less or there is none. The longest time is three times as much. Neither exceeds 80% of left + inc, and
        10 ms are kept back from both.
        """
        if self.left is None:
            return self.time, self.time
        moves = min(self.moves or MOVES_AHEAD, MOVES_AHEAD)
        share = self.left / moves + self.inc
        budgets = [min(times * share, CLOCK_SHARE * (self.left + self.inc)) - LATENCY for times in (1.0, UNSETTLED)]
        if self.time is not None:
            budgets = [min(budget, self.time) for budget in budgets]
        return max(budgets[0], SHORTEST), max(budgets[1], SHORTEST)


@dataclass(frozen=True)
class TimeControl:
    """Time for a whole game: "5m+3s", "40/30m" (30 minutes for every 40 moves), "40/30m+5s"."""

    time: float
    """Seconds for the game, or for each `moves` moves."""
    inc: float = 0.0
    """Seconds added for each move."""
    moves: int | None = None
    """Moves for which `time` must last; None for the whole game."""

    def __post_init__(self) -> None:
        for name, allowed in (("time", RANGES["inc"]), ("inc", RANGES["inc"]), ("moves", RANGES["moves"])):
            if (value := getattr(self, name)) is not None or name != "moves":
                number = allowed.check(f"time control {name}", value, whole=name == "moves")
                object.__setattr__(self, name, number)
        RANGES["time"].check(f"time control {self}", self.time + self.inc, whole=False)

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Parse "5m+3s", "5m+0s", "40/30m" or "40/30m+5s". Raises InvalidSettingError.

        Without units, the time is in minutes and the increment in seconds: "5+3", "15|10", "40/30", "5:00+3",
        "1:30:00".
        """
        match = re.fullmatch(r"(?:([^/+|]+)/)?([^/+|]+)(?:[+|]([^/+|]+))?", text.strip())
        if match is None or not (match[1] or match[3] or ":" in match[2]):
            raise InvalidSettingError(f"{text!r} is not a time control such as 5m+3s or 40/30m")
        try:
            moves = None if match[1] is None else parse_count(match[1].strip())
            return cls(_clock_time(match[2], "m"), _clock_time(match[3] or "0", "s"), moves)
        except InvalidSettingError as error:
            raise InvalidSettingError(f"time control {text!r}: {error}") from None

    def __str__(self) -> str:
        head = "" if self.moves is None else f"{self.moves}/"
        tail = "" if self.moves is not None and not self.inc else f"+{_duration(self.inc)}"
        return f"{head}{_duration(self.time)}{tail}"


def _clock_time(text: str, unit: str) -> float:
    """Seconds of one part of a time control. unit: that of a bare number."""
    text = text.strip().replace("'", "m").replace('"', "s")
    if found := re.fullmatch(r"(?:(\d{1,4}):)?(\d{1,4}):(\d\d(?:\.\d{1,3})?)", text):
        return 3600 * int(found[1] or 0) + 60 * int(found[2]) + float(found[3])
    return parse_duration(text + unit if text[-1:].isdecimal() else text)


def _duration(seconds: float) -> str:
    return format_duration(seconds) if seconds >= 0 else f"{seconds}s"


def parse_limits(text: str) -> Limits | TimeControl:
    """Parse the `--tc` of a game: a limit for each move (0.3s, nodes=2000) or a clock (5m+3s, 40/30m).

    "5m" alone is five minutes per move; five minutes for the game is "5m+0s", "5+0" or "5:00". Raises
    InvalidSettingError.
    """
    if re.search(r"[/|:]|(?<![eE])\+", text):
        return TimeControl.parse(text)
    try:
        return Limits.parse(text)
    except InvalidSettingError as error:
        raise InvalidSettingError(f"{error}; or a clock such as 5m+3s or 5+3, 40/30m") from None


class Clock:
    """One player's clock in one game. With Limits instead of a time control, the same limits hold for every move."""

    def __init__(self, control: Limits | TimeControl) -> None:
        self.control = control
        self.left = control.time if isinstance(control, TimeControl) else 0.0
        """Seconds, before the increment for the next move."""
        self.moves = control.moves if isinstance(control, TimeControl) else None
        """Moves to the next time control; None if there is none."""

    def limits(self) -> Limits:
        """Limits of the next search."""
        if isinstance(self.control, Limits):
            return self.control
        return Limits(left=self.left, inc=self.control.inc, moves=self.moves)

    def stop(self, seconds: float) -> float:
        """Charge a move that took `seconds`. Returns the seconds by which it was late; 0 or less if it was in time."""
        if isinstance(self.control, Limits):
            return -1.0 if self.control.time is None else seconds - self.control.time
        self.left += self.control.inc - seconds
        late = -self.left
        if self.moves is not None:
            self.moves -= 1
            if self.moves == 0:
                self.moves = self.control.moves
                self.left += self.control.time
        return late
