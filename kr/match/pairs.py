"""Units of a match: the two games of a pair, with one opening and colours swapped. A game travels as a JSON object.

The needs of a unit have all players of the match, by letters from a; its `sides` are the numbers of its two.

    {"a_black": true, "moves": [[[8, 13], 0, false], ...], "winner": 1, "reason": "no legal move", "detail": "",
     "replies": [[4, 9, 2011, 0.0031, null, 0.003, false], null, ...]}

A move is its squares from 0, the bitboard of the captured pieces, and true if its text names every square. A reply is
score, depth, nodes, seconds, the weight of a move from a book, seconds of processor time, and true if the score is
proved; or null for the only legal move. The winner is 0 (Black), 1 (White) or null.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial

from kr.engine.limits import Limits, TimeControl, parse_limits
from kr.game.position import Move, Position, Side
from kr.jobs.kinds import Kind, Portion, Stop, UnitSteps
from kr.jobs.needs import Needs
from kr.jobs.unit import Chunk, Unit
from kr.match.crosstable import LETTERS
from kr.match.game import Adjudication, FinishedGame, play_game
from kr.openings.decks import Opening
from kr.players.player import Player, Reply
from kr.players.workers import database_of, player_of
from kr.storage import parse_json

Players = tuple[Player, ...]
"""All players of a match."""
PairGame = tuple[bool, FinishedGame]
"""A game of a pair: True if A was Black, and the game itself."""


class Pairs(Kind[Players, PairGame]):
    """Games of a pair. tools: hash (bytes), patience (seconds) and egdb_memory (bytes) of the players."""

    def open(self, unit: Unit, needs: Needs) -> Players:
        players: list[Player] = []
        try:
            for letter in LETTERS.lower():
                if letter in unit.needs:
                    players.append(player_of(unit, needs, letter))
        except BaseException:
            self.close(tuple(players))
            raise
        return tuple(players)

    def steps(self, unit: Unit, needs: Needs) -> UnitSteps[Players, PairGame]:
        values = unit.values
        opening = Opening(values["opening"], Position.from_fen(values["fen"]))
        controls = [parse_limits(text) for text in values["controls"]]
        for a_black in values["games"]:
            yield [Portion(partial(self._play, unit, needs, opening, controls, a_black))]

    def encode(self, value: PairGame) -> Chunk:
        a_black, game = value
        fields = {
            "a_black": a_black,
            "moves": [[move.path, move.captured, move.whole] for move in game.moves],
            "replies": [reply and reply[1:] for reply in game.replies],
            "winner": game.winner,
            "reason": game.reason,
            "detail": game.detail,
        }
        return json.dumps(fields).encode()

    def decode(self, unit: Unit, chunk: Chunk) -> PairGame:
        fields = parse_json(bytes(chunk))
        moves = tuple(Move(tuple(path), captured, whole) for path, captured, whole in fields["moves"])
        replies = tuple(reply and Reply(move, *reply) for move, reply in zip(moves, fields["replies"], strict=True))
        winner = None if fields["winner"] is None else Side(fields["winner"])
        start = Position.from_fen(unit.values["fen"])
        return fields["a_black"], FinishedGame(start, moves, replies, winner, fields["reason"], fields["detail"])

    def check(self, unit: Unit, values: Sequence[PairGame]) -> None:
        """Games of the right colours, whose moves are legal."""
        if [a_black for a_black, _ in values] != unit.values["games"]:
            raise ValueError("games of other colours than those of the unit")
        for _, game in values:
            position = game.start
            for move in game.moves:
                position = position.play(move)

    def stop(self, tools: Players) -> None:
        for player in tools:
            player.close()

    def close(self, tools: Players) -> None:
        for player in tools:
            player.close()

    def _play(
        self,
        unit: Unit,
        needs: Needs,
        opening: Opening,
        controls: Sequence[Limits | TimeControl],
        a_black: bool,
        players: Players,
        stop: Stop,
    ) -> PairGame | None:
        values = unit.values
        black, white = (0, 1) if a_black else (1, 0)
        table = [players[number] for number in values["sides"]]
        finished = play_game(
            opening,
            (table[black], table[white]),
            (controls[black], controls[white]),
            values["margin"],
            None if values["terms"] is None else Adjudication(**values["terms"]),
            database_of(unit, needs, "referee"),
            stop,
            proofs=values["proofs"],
        )
        return None if finished is None else (a_black, finished)
