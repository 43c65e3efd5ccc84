"""Games in PDN: reading them from files of any size, the tree of their moves, and writing them.

    for game in kr.pdn.read_games(Path("archive.pdn.xz"), errors=[]):
        print(game.headers["Event"], game.result, *game.mainline_moves())

Names follow chess.pgn of python-chess where it has them. Results follow the English convention: the first
player is Black, so "1-0" means that Black won. Files in which "1-0" is White's win are read and written with
``results="white"``. docs/reference/pdn.md has the details.
"""

from kr.pdn.commands import ClockTime, CommentParts, DrawnArrow, DrawnCircle, split_comment
from kr.pdn.game import Game, format_game
from kr.pdn.grammar import RESULTS
from kr.pdn.notes import Comment, Nag, Note, Setup, Variation
from kr.pdn.reader import Reader, is_pdn, read_game, read_games
from kr.pdn.tree import ChildNode, GameNode
from kr.pdn.visitor import SKIP, Visitor
from kr.pdn.writer import ENGLISH, FileExporter, Results, StringExporter, normalise, write_game

__all__ = [
    "ENGLISH",
    "RESULTS",
    "SKIP",
    "ChildNode",
    "ClockTime",
    "Comment",
    "CommentParts",
    "DrawnArrow",
    "DrawnCircle",
    "FileExporter",
    "Game",
    "GameNode",
    "Nag",
    "Note",
    "Reader",
    "Results",
    "Setup",
    "StringExporter",
    "Variation",
    "Visitor",
    "format_game",
    "is_pdn",
    "normalise",
    "read_game",
    "read_games",
    "split_comment",
    "write_game",
]
