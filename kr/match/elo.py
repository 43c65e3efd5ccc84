"""Playing strength from match results: Elo with its error, LOS, and the sequential test that ends a match early.

Games come in pairs, one opening with each colour. Two games of a pair are not independent, so all variances are
taken from the pentanomial: the numbers of pairs that gave the player 0, 1/2, 1, 1 1/2 and 2 points.

Sources: Michel Van den Bergh, "A practical introduction to the GSPRT" and "Comments on Normalized Elo" (notes for
Fishtest, https://www.cantate.be/Fishtest/): the maximum-likelihood LLR, the use of pairs, normalized Elo. Wald's
bounds are from A. Wald, "Sequential Tests of Statistical Hypotheses" (1945).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kr.errors import InvalidSettingError

# Mean score per game of a pair that gave 0, 1/2, 1, 1 1/2, 2 points.
PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
ELO_SCALE = 400 / math.log(10)
NORMALIZED_SCALE = 800 / math.log(10)
CONFIDENCE_95 = 1.959964

# One imagined pair, spread evenly over the five outcomes, is added to the variance, so that a few equal results don't
# look certain. It hardly counts among the hundreds of pairs of a real match. The mean is not changed.
IMAGINED_PAIRS = 1.0
IMAGINED_VARIANCE = 0.125

# Count of an outcome that has not been seen, in the likelihood ratio, as in Fishtest.
UNSEEN = 1e-3

MOST_ELO = 2000
"""Largest difference that a test can be about; far beyond it, a score can't be told from 1."""
MOST_NORMALIZED_ELO = 200
"""Largest normalized difference that a test can be about; the iteration below is sure to settle up to there."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Strength of the first player, estimated from the results of a match."""

    elo: float
    """Logistic Elo difference; at a score of 0% or 100%, that of a score half a point less extreme."""
    elo_error: float
    """Half the width of the 95% interval; infinite without a complete pair."""
    normalized_elo: float
    """Elo in units of the standard deviation of a game, which does not depend on the share of draws."""
    normalized_elo_error: float
    """Half the width of its 95% interval; infinite without a complete pair."""
    los: float
    """Likelihood of superiority: probability, by the normal distribution, that the player is the stronger."""


def elo_of_score(score: float) -> float:
    """Elo difference for an expected score strictly between 0 and 1."""
    return ELO_SCALE * math.log(score / (1 - score))


def score_of_elo(elo: float) -> float:
    """Expected score for an Elo difference, between 0 and 1."""
    return 1 / (1 + 10 ** (-elo / 400))


def score_and_variance(pentanomial: Sequence[int]) -> tuple[float, float]:
    """Mean score of one or more pairs, and the variance of a pair's."""
    pairs = sum(pentanomial)
    score = sum(count * value for count, value in zip(pentanomial, PAIR_SCORES, strict=True)) / pairs
    spread = sum(count * (value - score) ** 2 for count, value in zip(pentanomial, PAIR_SCORES, strict=True))
    return score, (spread + IMAGINED_PAIRS * IMAGINED_VARIANCE) / (pairs + IMAGINED_PAIRS)


def within_reach(score: float, pairs: int) -> float:
    """A mean score that is not 0 or 1: one more game could change it by half a point."""
    least = 0.5 / (2 * pairs + 1)
    return min(max(score, least), 1 - least)


def estimate(pentanomial: Sequence[int]) -> Estimate:
    """Estimate Elo, normalized Elo and LOS from a pentanomial: five counts of pairs, worst outcome first."""
    pairs = sum(pentanomial)
    if pairs == 0:
        return Estimate(0.0, math.inf, 0.0, math.inf, 0.5)
    score, variance = score_and_variance(pentanomial)
    error = math.sqrt(variance / pairs)

    low, middle, high = (
        elo_of_score(within_reach(value, pairs))
        for value in (score - CONFIDENCE_95 * error, score, score + CONFIDENCE_95 * error)
    )
    # deviation of one game if the games of a pair were independent: that of their mean times the square root of 2
    deviation = math.sqrt(2 * variance)
    return Estimate(
        elo=middle,
        elo_error=(high - low) / 2,
        normalized_elo=NORMALIZED_SCALE * (score - 0.5) / deviation,
        normalized_elo_error=NORMALIZED_SCALE * CONFIDENCE_95 * error / deviation,
        los=0.5 * (1 + math.erf((score - 0.5) / error / math.sqrt(2))),
    )


@dataclass(frozen=True, slots=True)
class Sprt:
    """A generalised sequential probability ratio test between two Elo differences.

    Raises InvalidSettingError unless elo0 < elo1 and the error rates lie between 0 and 1/2.
    """

    elo0: float
    """Difference under the hypothesis of no gain."""
    elo1: float
    """Difference under the hypothesis of a gain."""
    alpha: float = 0.05
    """Probability of accepting elo1 though elo0 is true."""
    beta: float = 0.05
    """Probability of accepting elo0 though elo1 is true."""
    normalized: bool = False
    """True if the differences are of normalized Elo, else of logistic Elo."""

    def __post_init__(self) -> None:
        most = MOST_NORMALIZED_ELO if self.normalized else MOST_ELO
        if not all(-most <= elo <= most for elo in (self.elo0, self.elo1)):
            raise InvalidSettingError(
                f"SPRT of {self.elo0:g} against {self.elo1:g}: expected {self.unit} from {-most} to {most}"
            )
        if not self.elo0 < self.elo1:
            raise InvalidSettingError(f"SPRT of {self.elo0:g} against {self.elo1:g}: expected the lower Elo first")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise InvalidSettingError(f"SPRT error rates {self.alpha:g} and {self.beta:g}: expected between 0 and 0.5")

    @property
    def unit(self) -> str:
        """What the two differences are of."""
        return "normalized Elo" if self.normalized else "Elo"

    @property
    def lower(self) -> float:
        """Log likelihood ratio at which elo0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """Log likelihood ratio at which elo1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, pentanomial: Sequence[int]) -> float:
        """Log likelihood ratio of elo1 to elo0, each at its most likely distribution of outcomes."""
        pairs = sum(pentanomial)
        if pairs == 0:
            return 0.0
        counts = [max(count, UNSEEN) for count in pentanomial]
        shares = [count / sum(counts) for count in counts]
        of_elo = _of_normalized_elo if self.normalized else _of_elo
        under0, under1 = (of_elo(shares, elo) for elo in (self.elo0, self.elo1))
        terms = zip(counts, under0, under1, strict=True)
        return sum(count * math.log(one / zero) for count, zero, one in terms)

    def decision(self, pentanomial: Sequence[int]) -> str | None:
        """ "H1" if elo1 is accepted, "H0" if elo0 is, None while undecided."""
        llr = self.llr(pentanomial)
        return "H1" if llr >= self.upper else "H0" if llr <= self.lower else None


def _of_elo(shares: Sequence[float], elo: float) -> list[float]:
    """Probabilities with the mean score of a logistic Elo under which the shares are most likely."""
    score = score_of_elo(elo)
    return _most_likely(shares, [value - score for value in PAIR_SCORES])


def _of_normalized_elo(shares: Sequence[float], elo: float) -> list[float]:
    """Probabilities with a normalized Elo under which the shares are most likely.

    The condition, mean - 1/2 = ratio * deviation, becomes one on a mean about a guess of mean and deviation; the
    solution is the next guess, as in Fishtest.
    """
    ratio = math.sqrt(2) * elo / NORMALIZED_SCALE
    found = [1 / len(PAIR_SCORES)] * len(PAIR_SCORES)
    for _ in range(50):
        guess = found
        mean = sum(share * value for share, value in zip(guess, PAIR_SCORES, strict=True))
        deviation = math.sqrt(sum(share * (value - mean) ** 2 for share, value in zip(guess, PAIR_SCORES, strict=True)))
        excess = [v - 0.5 - ratio * (deviation + (v - mean) ** 2 / deviation) / 2 for v in PAIR_SCORES]
        found = _most_likely(shares, excess)
        if max(abs(new - old) for new, old in zip(found, guess, strict=True)) < 1e-12:
            break
    return found


def _most_likely(shares: Sequence[float], values: Sequence[float]) -> list[float]:
    """Probabilities with mean value 0 under which the shares (all positive) are most likely.

    They are share / (1 + t * value), where t, a Lagrange multiplier, gives them that mean: the only root of a falling
    function between its poles at the two extreme values.
    """
    low, high = -1 / max(values), -1 / min(values)

    def excess(t: float) -> float:
        return sum(share * value / (1 + t * value) for share, value in zip(shares, values, strict=True))

    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return [share / (1 + high * value) for share, value in zip(shares, values, strict=True)]
