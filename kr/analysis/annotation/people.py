"""Judged moves with the likelihood that people play them.

A losing move is a trap if people are likely to play it, and an oversight if few do (`JudgeSettings.slip`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kr.analysis.annotation.judgement import JudgedMove
from kr.analysis.annotation.judging import JudgeSettings
from kr.analysis.people import JudgedLoss, People
from kr.pdn import Game


def with_people(
    game: Game, moves: Sequence[JudgedMove], people: People, settings: JudgeSettings
) -> tuple[JudgedMove, ...]:
    """The judgements of a game's moves, with the probabilities that people play them for each that had a choice."""
    positions, begins = list(game.positions()), game.history_begins()
    judgements = []
    for judged in moves:
        judgement = judged
        before = positions[max(begins[judged.ply], judged.ply - 2) : judged.ply]
        choices = people.moves(positions[judged.ply], before, judged=_judged_loss(judged))
        if len(choices) > 1:
            # captures of the same pieces along different paths are one choice
            own = (judged.move.origin, judged.move.target, judged.move.captured)
            likely = next(each for each in choices if (each.move.origin, each.move.target, each.move.captured) == own)
            likeliest = choices[0]
            judgement = replace(
                judged, likely=likely.probability, likely_holds=likely.holds, likeliest=likeliest.move,
                likeliest_probability=likeliest.probability, likeliest_holds=likeliest.holds,
            )  # fmt: skip
            judgement = replace(judgement, slip=settings.slip(judgement))
        judgements.append(judgement)
    return tuple(judgements)


def _judged_loss(judged: JudgedMove) -> JudgedLoss | None:
    """What the judgement knows of the losses of moves; None if the move was not judged."""
    if judged.expected is None or judged.others_expected is None:
        return None
    lead = judged.expected - judged.others_expected
    return JudgedLoss(judged.move, max(0.0, -lead), max(0.0, lead))
