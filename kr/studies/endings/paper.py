"""The results of Wang, Müller and Schaeffer, "Deep Dive on Checkers Endgame Data", as rows to compare with.

Unclear points, and kr's reading of them:

 - The text and Table III call the data of the sampling experiment the 2-7-piece data set: 10% of all positions with 2
   to 6 pieces and 0.1% of those with 4 pieces against 3. Its 288,911,585 positions fit that rule only if there are
   2,552,703,900 positions with 6 pieces. There are 2,426,085,676 with both sides present, 2,503,611,964 if one may be
   missing, as in their Table I. So kr's share of the same rule is 4% smaller. Rows are trained on the paper's numbers
   of positions, drawn from such a set.
 - The 7-piece data set of the transfer experiments is 1% of 4 against 3: 19,055,258,760 positions with either side to
   move, 190,552,588 of them in the set.
 - Table V trains on the databases with 4 and 5 pieces alone, 70% of them, as its numbers of positions show.
 - "The search" is one ply deep and believes the network about every successor, also where a capture is pending.
"""

from __future__ import annotations

from dataclasses import dataclass

PAPER_TRAINING = 202_238_136
"""Training positions of the sampling experiment's first row."""
PAPER_SHARE = 0.1
"""Share of the positions with 2 to 6 pieces in the sampling experiment."""
PAPER_SEVEN_SHARE = 0.001
"""Share of those with 4 against 3 there."""


@dataclass(frozen=True)
class PaperRow:
    """One row of the paper's tables, in percent of its test positions."""

    key: str
    table: str
    title: str
    training: int
    net: float
    search: float
    both: float
    only_net: float
    only_search: float
    neither: float


PAPER_ROWS = {
    row.key: row
    for row in (
        PaperRow("100%", "IV", "2-7 pieces, all", 202_238_136, 95.46, 93.30, 90.55, 4.91, 2.75, 1.78),
        PaperRow("10%", "IV", "2-7 pieces, 10%", 20_223_804, 95.11, 95.72, 92.26, 2.85, 3.46, 1.42),
        PaperRow("1%", "IV", "2-7 pieces, 1%", 2_022_368, 93.27, 93.33, 88.58, 4.69, 4.75, 1.98),
        PaperRow("0.1%", "IV", "2-7 pieces, 0.1%", 202_229, 90.79, 93.40, 87.32, 3.47, 6.08, 3.13),
        PaperRow("4-6", "VI", "4 pieces, tested on 6", 4_346_521, 82.68, 83.28, 69.94, 12.74, 13.34, 3.98),
        PaperRow("5-7", "VI", "5 pieces, tested on 7", 97_615_565, 82.93, 80.56, 76.89, 6.04, 3.67, 13.40),
        PaperRow("2-5-7", "VII", "2-5 pieces, tested on 7", 0, 80.22, 81.34, 76.92, 3.30, 4.42, 15.36),
        PaperRow("2-6-7", "VII", "2-6 pieces, tested on 7", 0, 75.36, 80.92, 66.61, 8.75, 14.31, 10.33),
        PaperRow("2-5-7-tuned", "VII", "2-5 pieces, tuned on 7", 133_386_841, 94.88, 93.72, 91.04, 3.84, 2.68, 2.44),
        PaperRow("2-6-7-tuned", "VII", "2-6 pieces, tuned on 7", 133_386_841, 95.24, 92.61, 90.07, 5.17, 2.54, 2.21),
        PaperRow("random-7", "VIII", "random body, tuned on 7", 133_386_841, 90.32, 75.66, 70.60, 19.72, 5.06, 4.62),
        PaperRow("7", "IX", "7 pieces", 133_386_841, 95.84, 81.53, 79.39, 16.45, 2.14, 2.01),
    )
}
PAPER_THRESHOLD = 95.95
"""Table XI: the network where its confidence is 80% or more, else the search; the first row of Table IV."""
PAPER_THRESHOLD_PARTS = (
    100 * 53_899_336 / 57_782_317, 100 * 52_782_198 / 53_899_336, 100 * 3_882_981 / 57_782_317,
    100 * 2_659_649 / 3_882_981,
)  # fmt: skip
"""Table XI: share of the positions above the threshold, percent of those right; below it, likewise."""
PAPER_CONFIDENCE = {"draw": (94.26, 74.86), "win": (98.54, 77.31), "loss": (97.71, 73.88)}
"""Table X: mean confidence where the network is right, and where it is wrong, in percent."""
