"""Judged moves with the likelihood that people play them.

A losing move is a trap if people are likely to play it, and an oversight if few do (`JudgeSettings.slip`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kr.analysis.annotation.judgement import JudgedMove
from kr.analysis.annotation.judging import JudgeSettings
from kr.pdn import Game
from kr.policy.policy import Policy


def with_policy(
    game: Game, moves: Sequence[JudgedMove], policy: Policy, settings: JudgeSettings
) -> tuple[JudgedMove, ...]:
    """The judgements of a game's moves, with the policy's probabilities for each that had a choice."""
    positions, begins = list(game.positions()), game.history_begins()
    judgements = []
    for judged in moves:
        judgement = judged
        choices = policy.choices(positions[judged.ply], positions[max(begins[judged.ply], judged.ply - 2) : judged.ply])
        if len(choices) > 1:
            # captures of the same pieces along different paths are one choice
            own = (judged.move.origin, judged.move.target, judged.move.captured)
            likely = next(
                each.probability for each in choices
                if (each.move.origin, each.move.target, each.move.captured) == own
            )  # fmt: skip
            judgement = replace(
                judged, likely=likely, likeliest=choices[0].move, likeliest_probability=choices[0].probability
            )
            judgement = replace(judgement, slip=settings.slip(judgement))
        judgements.append(judgement)
    return tuple(judgements)
