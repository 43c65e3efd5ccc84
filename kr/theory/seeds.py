"""The openings from which a book grows: those of a deck, or the trees of games with variations."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from kr.book.frame import BookKey, BookStep, book_key, key_after, step_at
from kr.game.position import Position
from kr.openings.decks import deck
from kr.pdn import Game, is_pdn, read_games
from kr.pdn.tree import GameNode
from kr.theory.people import PeopleGames
from kr.theory.repertoire import REPERTOIRE_TAG

START_NAME = "start"


def opening_roots(name: str) -> tuple[dict[BookKey, str], PeopleGames]:
    """Openings by position, and the moves of trees, which count 0 games of people.

    name: as for kr.openings.decks.deck. A game with variations in a PDN file, or one of a repertoire, is a tree, all of
    whose positions are wanted: its opening is the position where it first has a choice. Raises InvalidSettingError,
    InvalidFenError, InvalidPdnError.
    """
    roots: dict[BookKey, str] = {book_key(Position()): START_NAME} if name == "3move" else {}
    moves = PeopleGames()
    path = Path(name)
    games = list(read_games(path)) if path.is_file() and is_pdn(path) else []
    trees = [game for game in games if REPERTOIRE_TAG in game.headers or _has_variations(game)]
    for number, game in enumerate(trees, 1):
        _enter(game, game.headers.get("Event") or f"{path.stem} {number}", roots, moves)
    if not games or len(trees) < len(games):
        for opening in deck(name, playable_only=False):
            roots.setdefault(book_key(opening.position), opening.title)
    return roots, moves


def _has_variations(game: Game) -> bool:
    return any(node.variations[1:] for node in (game, *game.descendants()))


def _enter(game: Game, name: str, roots: dict[BookKey, str], moves: PeopleGames) -> None:
    """Add the tree of a game. Positions that are set up within it begin trees of their own."""
    trunk: GameNode = game
    while len(trunk.variations) == 1:
        (trunk,) = trunk.variations
    way = " ".join(map(str, islice(game.mainline_moves(), trunk.ply())))
    roots.setdefault(book_key(trunk.position), f"{name}: {way}" if way else name)
    for node in game.descendants():
        if not node.is_legal or node.parent is None:
            continue
        before = node.parent.position
        moves.setdefault(book_key(before), {})[step_at(before, node.move)] = 0
        if node.setup is not None:
            roots.setdefault(book_key(node.setup), f"{name}: set up")


def tree_positions(trees: PeopleGames) -> set[BookKey]:
    """All positions of trees, before and after their moves."""
    return trees.keys() | {key_after(key, step) for key, steps in trees.items() for step in steps}


def joined_games(*several: Mapping[BookKey, Mapping[BookStep, int]]) -> PeopleGames:
    """People's games, and the moves of trees that they lack, of each move the most games that one of them has."""
    joined = PeopleGames()
    for games in several:
        for key, steps in games.items():
            counts = joined.setdefault(key, {})
            for step, count in steps.items():
                counts[step] = max(counts.get(step, 0), count)
    return joined
