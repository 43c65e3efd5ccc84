"""Splits of decisions into those to train on, to validate with and to test on.

By `games` whole games are apart, by `years` the test games are the latest; both are honest. By `positions` rows are
shuffled, as the post did it: decisions of one game, and the same positions of many, then stand in several parts
(`leak`). Duplicate games are in no part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kr.errors import InvalidSettingError
from kr.studies.people.decisions import UNKNOWN_YEAR, Decisions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SPLITS = ("games", "years", "positions", "none")
TEST_SHARE = 0.05
VALIDATION_SHARE = 0.03


@dataclass(frozen=True, eq=False)
class DecisionSplit:
    """Row numbers of the parts, ascending."""

    training: NDArray[np.int64]
    validation: NDArray[np.int64]
    test: NDArray[np.int64]

    def first_games(self, decisions: Decisions, games: int, seed: int) -> DecisionSplit:
        """This split with at most `games` training games, drawn by the seed; a larger draw contains a smaller one."""
        import numpy as np

        present = np.unique(decisions.game[self.training])
        order = np.random.default_rng([seed, len(present)]).permutation(present)
        drawn = np.isin(decisions.game[self.training], order[:games])
        return DecisionSplit(self.training[drawn], self.validation, self.test)


def split_decisions(decisions: Decisions, by: str = "games", seed: int = 1) -> DecisionSplit:
    """Split decisions: .03 to validate with, .05 to test on, but for `none`, without a test part.

    by: one of SPLITS; seed: of the draws. By years, the test part are the latest years with at least that share of
    the games; games of unknown years are not among them. Raises InvalidSettingError for another name, or too few games.
    """
    import numpy as np

    if by not in SPLITS:
        raise InvalidSettingError(f"split {by!r:.40}; expected {', '.join(SPLITS)}")
    source = np.random.default_rng(seed)
    rows = np.flatnonzero(~decisions.games.duplicate[decisions.game])
    if by == "positions":
        order = source.permutation(rows)
        tested, validated = (int(share * len(rows)) for share in (TEST_SHARE, VALIDATION_SHARE))
        parts = np.split(order, [tested, tested + validated])
        return _checked(DecisionSplit(np.sort(parts[2]), np.sort(parts[1]), np.sort(parts[0])))
    games = np.unique(decisions.game[rows])
    tested = 0 if by == "none" else int(np.ceil(TEST_SHARE * len(games)))
    test_games = _latest(decisions, games, tested) if by == "years" else np.empty(0, dtype=games.dtype)
    others = source.permutation(np.setdiff1d(games, test_games))
    if by == "games":
        test_games, others = others[:tested], others[tested:]
    validation_games = others[: int(np.ceil(VALIDATION_SHARE * len(games)))]
    game = decisions.game[rows]
    in_test, in_validation = np.isin(game, test_games), np.isin(game, validation_games)
    split = DecisionSplit(rows[~in_test & ~in_validation], rows[in_validation], rows[in_test])
    return _checked(split, without_test=by == "none")


def _latest(decisions: Decisions, games: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """Games of the latest years, whole years, at least `count`."""
    import numpy as np

    years = decisions.games.year[games]
    dated = np.sort(years[years > UNKNOWN_YEAR])
    if len(dated) < count or not count:
        raise InvalidSettingError(
            f"a split by years needs games with years: {len(dated)} of {len(games)} have one; expected {max(1, count)}"
        )
    return games[years >= dated[-count]]


def _checked(split: DecisionSplit, without_test: bool = False) -> DecisionSplit:
    if not len(split.training) or not len(split.validation) or not (len(split.test) or without_test):
        raise InvalidSettingError("too few games to split: a part is empty; expected 20 games or more")
    return split


def position_keys(decisions: Decisions) -> NDArray[np.uint64]:
    """A 64-bit key of each position in the mover's frame, equal for equal squares."""
    import numpy as np

    mixed = np.zeros(len(decisions), dtype=np.uint64)
    for column in decisions.boards.T:
        # splitmix64's finish over the boards before and the next one
        mixed = (mixed ^ column) + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
    return mixed


def leak(decisions: Decisions, split: DecisionSplit) -> float:
    """Share of the test decisions whose position also stands in the training part."""
    import numpy as np

    keys = position_keys(decisions)
    return float(np.isin(keys[split.test], keys[split.training]).mean()) if len(split.test) else 0.0
