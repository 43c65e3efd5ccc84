"""Judged moves with the likelihood that people play them.

A losing move is a trap if people are likely to play it, and an oversight if few do (`JudgeSettings.slip`). A draw that
gives people no chance to lose is a missed chance if another does, and the opponent did not lose it all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kr.analysis.annotation.judgement import JudgedMove
from kr.analysis.annotation.judging import JudgeSettings
from kr.game.value import Value
from kr.pdn import Game
from kr.players.people import JudgedLoss, People


def with_people(
    game: Game, moves: Sequence[JudgedMove], people: People, settings: JudgeSettings
) -> tuple[JudgedMove, ...]:
    """The judgements of a game's moves, with the probabilities that people play them for each that had a choice."""
    positions, begins = list(game.positions()), game.history_begins()
    judgements = []
    # who won in the end, or whose opponent lost the draw later, has missed nothing
    lost = {each.side: each.ply for each in moves if each.value is Value.LOSS}
    if game.winner is not None:
        lost[game.winner.other] = len(positions)
    for judgement in moves:
        ply, move = judgement.ply, judgement.move
        before = positions[max(begins[ply], ply - 2) : ply]
        choices = people.moves(positions[ply], before, judgement=_judged_loss(judgement))
        if len(choices) > 1:
            # captures of the same pieces along different paths are one choice
            own = (move.origin, move.target, move.captured)
            likely = next(each for each in choices if (each.move.origin, each.move.target, each.move.captured) == own)
            likeliest = choices[0]
            likelihood = replace(
                judgement, likely=likely.probability, likely_holds=likely.holds, likeliest=likeliest.move,
                likeliest_probability=likeliest.probability, likeliest_holds=likeliest.holds,
            )  # fmt: skip
            harder = None
            if judgement.value is Value.DRAW and lost.get(judgement.side.other, -1) < ply:
                harder = people.harder_draw(positions[ply], move, positions[begins[ply] : ply])
            judgements.append(replace(likelihood, slip=settings.slip(likelihood), harder=harder))
        else:
            judgements.append(judgement)
    return tuple(judgements)


def _judged_loss(judgement: JudgedMove) -> JudgedLoss | None:
    """What the judgement knows of the losses of moves; None if the move was not judged."""
    if judgement.expected is None or judgement.others_expected is None:
        return None
    lead = judgement.expected - judgement.others_expected
    return JudgedLoss(judgement.move, max(0.0, -lead), max(0.0, lead))
