"""The evaluation `material`: men and kings, nothing else."""

from __future__ import annotations

from kr import _core
from kr.evaluation.explanation import Explanation, note, occupied, piece_share, sign
from kr.evaluation.kinds import BuiltIn
from kr.game.position import Position


class Material(BuiltIn):
    """Men and kings; it is its own explanation."""

    name = "material"
    scale = 58.0
    about = "counts men and kings only: where training from nothing begins"

    def explanation(self, position: Position, score: int, worth: dict[int, int]) -> Explanation:
        pieces = []
        for square in occupied(position):
            worth_of_kind = _core.MATERIAL_KING if position.kings >> square & 1 else _core.MATERIAL_MAN
            counts = sign(position, square) * worth_of_kind
            pieces.append(piece_share(position, square, float(counts), 0.0, worth[square]))
        return Explanation(position, self.name, score, "", float(score), 0.0, (), tuple(pieces), 0.0, note(position))


KIND = Material
