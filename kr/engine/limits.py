"""Limits of one search, time controls of a game, and the share of the clock that a move may take."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from kr.errors import InvalidSettingError
from kr.settings import check_type
from kr.units import LONGEST_TIME, Range, check_number, format_count, format_duration, parse_count, parse_duration

MOST_LIMITS = {"time": LONGEST_TIME, "nodes": 10**18, "depth": 10**9}
"""Largest limits that the core can count: seconds, nodes, plies."""
MOST_WITHIN = 10_000
"""Most centi-men below the best move in which each other one gets a line."""
RANGES = {
    "time": Range(above=0, high=MOST_LIMITS["time"], show=format_duration),
    "nodes": Range(1, MOST_LIMITS["nodes"], show=format_count),
    "depth": Range(1, MOST_LIMITS["depth"]),
    "left": Range(-MOST_LIMITS["time"], MOST_LIMITS["time"]),
    "inc": Range(0, MOST_LIMITS["time"], show=format_duration),
    "moves": Range(1, MOST_LIMITS["depth"]),
    "within": Range(0, MOST_WITHIN),
}
MOVES_AHEAD = 30
"""The clock is spread over this many moves, or over the moves to the next time control if these are fewer."""
CLOCK_SHARE = 0.8
"""Largest share of the clock that one move may take."""
UNSETTLED = 3.0
"""A difficult move may take this many times its share of the clock."""
LATENCY = 0.01
"""Seconds reserved in each move for the delay until the answer stops the clock."""
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
    within: int | None = None
    """Centi-men: instead of `multipv` lines, each move gets one whose score is at most this below the best."""

    def __post_init__(self) -> None:
        for name, allowed in RANGES.items():
            if (value := getattr(self, name)) is not None or name == "inc":
                whole = name in ("nodes", "depth", "moves", "within")
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

    @property
    def endless(self) -> bool:
        """True if nothing but a stop ends the search."""
        return self.time is None and self.nodes is None and self.depth is None and self.left is None

    def times(self, factor: int, plies: int) -> Limits:
        """Limits with this many times the seconds and nodes, and so many plies more."""
        return replace(
            self, time=None if self.time is None else min(factor * self.time, MOST_LIMITS["time"]),
            nodes=None if self.nodes is None else min(factor * self.nodes, int(MOST_LIMITS["nodes"])),
            depth=None if self.depth is None else min(self.depth + plies, int(MOST_LIMITS["depth"])),
        )  # fmt: skip

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
        10 ms are reserved in both.
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
    """Time for a whole game: "5m+3s", "40/30m" (30 minutes for every 40 moves), "40/30m+5s", "45m d5s" (a delay of 5
    seconds before the clock runs), "40/2h:1h" (two hours for 40 moves, then one for all others).
    """

    time: float
    """Seconds for the game, or for each `moves` moves."""
    inc: float = 0.0
    """Seconds added for each move."""
    moves: int | None = None
    """Moves for which `time` must last; None for the whole game."""
    delay: float = 0.0
    """Seconds of each move for which the clock stands still."""
    then: TimeControl | None = None
    """The period after these moves, whose time is added; None if this one repeats, or is the whole game."""

    def __post_init__(self) -> None:
        seconds = RANGES["inc"]
        for name, allowed in (("time", seconds), ("inc", seconds), ("delay", seconds), ("moves", RANGES["moves"])):
            if (value := getattr(self, name)) is not None or name != "moves":
                number = allowed.check(f"time control {name}", value, whole=name == "moves")
                object.__setattr__(self, name, number)
        RANGES["time"].check(f"time control {self}", self.time + self.inc + self.delay, whole=False)
        if self.inc and self.delay:
            raise InvalidSettingError("a time control has an increment or a delay for each move, not both")
        if self.then is not None and self.moves is None:
            raise InvalidSettingError("a period that another follows needs its number of moves, as in 40/2h:1h")

    @property
    def longest(self) -> float:
        """Seconds of all periods, without increments."""
        return self.time + (self.then.longest if self.then else 0.0)

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Parse "5m+3s", "5m+0s", "40/30m" or "40/30m+5s"; "45m d5s"; "40/2h:1h". Raises InvalidSettingError.

        Without units, the time is in minutes and the increment in seconds: "5+3", "15|10", "40/30", "5:00+3",
        "1:30:00", "G/45;d5". Where there are several periods, or a delay without "G/", all are in seconds, as in tags
        of PDN: "40/7200:3600", "2700d5".
        """
        plain = text.strip()
        whole = _WHOLE_GAME.match(plain)
        parts = _PERIODS.split(plain[whole.end() :] if whole else plain)
        periods = [_PERIOD.fullmatch(part) for part in parts]
        alone = periods[0] if len(periods) == 1 else None
        is_control = alone is None or alone["moves"] or alone["inc"] or alone["delay"] or ":" in alone["time"] or whole
        if not is_control or not all(periods):
            raise InvalidSettingError(f"{text!r} is not a time control such as 5m+3s, 40/30m, 45m d5s or 40/2h:1h")
        in_seconds = len(periods) > 1 or (alone is not None and alone["delay"] and not whole)
        control: TimeControl | None = None
        try:
            for part in reversed(periods):
                assert part is not None
                control = cls(
                    _clock_time(part["time"], "s" if in_seconds else "m"),
                    _clock_time(part["inc"] or "0", "s"),
                    None if part["moves"] is None else parse_count(part["moves"].strip()),
                    _clock_time(part["delay"] or "0", "s"),
                    control,
                )
        except InvalidSettingError as error:
            raise InvalidSettingError(f"time control {text!r}: {error}") from None
        assert control is not None
        return control

    def __str__(self) -> str:
        head = "" if self.moves is None else f"{self.moves}/"
        if self.then is not None:
            # the last period is a period even without an increment
            last = str(self.then)
            return f"{head}{self._lasting()}:{last.removesuffix('+0s')}"
        return f"{head}{self._lasting()}{'' if self.moves or self.inc or self.delay else '+0s'}"

    def _lasting(self) -> str:
        """Time, and the increment or delay of each move."""
        added = f"+{_duration(self.inc)}" if self.inc else f" d{_duration(self.delay)}" if self.delay else ""
        return f"{_duration(self.time)}{added}"


_WHOLE_GAME = re.compile(r"(?:G|SD|TC)\s*/\s*", re.IGNORECASE)
# a colon between minutes and seconds does not separate periods
_PERIODS = re.compile(r"\s*(?:,|:(?![0-5]\d(?:\.\d{1,3})?(?![\d/a-z.])))\s*", re.IGNORECASE)
_PERIOD = re.compile(
    r"(?:(?P<moves>[^/+|]+)/)?(?P<time>[^/+|d;]+)(?:[+|](?P<inc>[^/+|d;]+))?(?:[\s;+]*d\s*/?\s*(?P<delay>[^/+|d;]+))?",
    re.IGNORECASE,
)


def _clock_time(text: str, unit: str) -> float:
    """Seconds of one part of a time control. unit: that of a bare number."""
    text = text.strip().replace("'", "m").replace('"', "s")
    if match := re.fullmatch(r"(?:(\d{1,4}):)?(\d{1,4}):(\d\d(?:\.\d{1,3})?)", text):
        return 3600 * int(match[1] or 0) + 60 * int(match[2]) + float(match[3])
    return parse_duration(text + unit if text[-1:].isdecimal() else text)


def _duration(seconds: float) -> str:
    return format_duration(seconds) if seconds >= 0 else f"{seconds}s"


def parse_limits(text: str) -> Limits | TimeControl:
    """Parse the `--tc` of a game: a limit for each move (0.3s, nodes=2000) or a clock (5m+3s, 40/30m, 40/2h:1h).

    "5m" alone is five minutes per move; five minutes for the game is "5m+0s", "5+0" or "5:00". Raises
    InvalidSettingError.
    """
    check_type("the limit", text, str)
    if re.search(r"[/|:]|(?<![eE])\+|\d\s*(?:ms|min|sec|[smh])?[\s;]*d\s*\d", text):
        return TimeControl.parse(text)
    try:
        return Limits.parse(text)
    except InvalidSettingError as error:
        raise InvalidSettingError(f"{error}; or a clock such as 5m+3s or 5+3, 40/30m, 40/2h:1h, 45m d5s") from None


class Clock:
    """One player's clock in one game. With Limits instead of a time control, the same limits hold for every move."""

    def __init__(self, control: Limits | TimeControl) -> None:
        self.control = control
        self._period = control if isinstance(control, TimeControl) else None
        self.left = self._period.time if self._period else 0.0
        """Seconds, before the increment for the next move."""
        self.moves = self._period.moves if self._period else None
        """Moves to the next time control; None if there is none."""

    @property
    def allowed(self) -> float | None:
        """Seconds until the next move is late, with its increment or delay; None without a clock."""
        return self.left + self._period.inc + self._period.delay if self._period else None

    def limits(self) -> Limits:
        """Limits of the next search. A delay is an increment to it: the move may take as long."""
        if self._period is None:
            assert isinstance(self.control, Limits)
            return self.control
        return Limits(left=self.left, inc=self._period.inc + self._period.delay, moves=self.moves)

    def stop(self, seconds: float) -> float:
        """Charge a move that took `seconds`. Returns the seconds by which it was late; 0 or less if it was in time."""
        if self._period is None:
            assert isinstance(self.control, Limits)
            return -1.0 if self.control.time is None else seconds - self.control.time
        self.left += self._period.inc - max(seconds - self._period.delay, 0.0)
        late = -self.left
        if self.moves is not None:
            self.moves -= 1
            if self.moves == 0:
                self._period = self._period.then or self._period
                self.moves = self._period.moves
                self.left += self._period.time
        return late
