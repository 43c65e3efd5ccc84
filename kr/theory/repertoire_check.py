"""Repertoires against books and games: weak moves, replies without an answer, suggestions, where games left them."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from kr.book.book import VARIETY, KnownMove, OpeningBook, loss_of
from kr.book.cooks import COOK
from kr.book.krb import MOST_VALUE, least_games
from kr.evaluation.chances import format_score
from kr.game.position import Bits, Move, Position, Side
from kr.game.value import Result
from kr.pdn import Game
from kr.pdn.replay import is_over, played
from kr.theory.repertoire import SUGGESTION, Repertoire, RepertoireMove

ILLEGAL, TWO_ANSWERS, WEAK, NO_ANSWER = "illegal", "two answers", "weak", "no answer"
FAULT_KINDS = (ILLEGAL, TWO_ANSWERS, WEAK, NO_ANSWER)
ME, OPPONENT, LINE_END = "me", "opponent", "end of the line"


@dataclass(frozen=True, slots=True)
class RepertoireFault:
    """What is wrong with a repertoire at one position."""

    kind: str
    """One of FAULT_KINDS."""
    board: Bits
    line: tuple[str, ...]
    """Moves to the position."""
    moves: tuple[str, ...]
    """The moves that it is about."""
    loss: int | None = None
    """Centi-men that a weak move loses; None if the book has only found it worse than those it keeps."""
    better: str = ""
    """The book's move."""
    chance: float = 0.0
    """Share of games that come to the position, or play the reply, if the player keeps to the repertoire."""
    reason: str = ""
    """Why a reply needs an answer."""
    file_line: int | None = None
    """Line of the file at which the game of an illegal move begins."""


def check_repertoire(repertoire: Repertoire, book: OpeningBook | None, least_weight: int = 2) -> list[RepertoireFault]:
    """All that is wrong, by kind, the commonest first.

    least_weight: of replies that people play, for which an answer is expected; those within VARIETY of the book's best
    need one too.
    """
    ways = repertoire.lines()
    shares = _Shares(repertoire, book)
    chances = shares.chances()
    faults: list[RepertoireFault] = []

    def add(kind: str, board: Bits, moves: Iterable[Move | str], **facts: object) -> None:
        line = tuple(map(str, ways.get(board, ())))
        chance = facts.pop("chance", chances.get(board, 0.0))
        faults.append(RepertoireFault(kind, board, line, tuple(map(str, moves)), chance=chance, **facts))  # type: ignore[arg-type]

    for wrong in repertoire.illegal:
        add(ILLEGAL, wrong.board, [wrong.move], file_line=wrong.line)
    for board in ways:
        moves = repertoire.of(board)
        if repertoire.is_own(board):
            if len(moves) > 1:
                add(TWO_ANSWERS, board, [each.move for each in moves])
            choices = shares.choices(board)
            for each in moves:
                weak = _weakness(choices, each.move, board)
                if weak is not None:
                    add(WEAK, board, [each.move], loss=weak or None, better=str(choices[0].move))
        elif moves:
            for move, share, reason in shares.unanswered(board, least_weight):
                add(NO_ANSWER, board, [move], chance=chances[board] * share, reason=reason)
    return sorted(faults, key=lambda each: (FAULT_KINDS.index(each.kind), -each.chance))


def _weakness(choices: list[KnownMove], move: Move, board: Bits) -> int | None:
    """Centi-men that a move loses, 0 for one that the book leaves out as worse; None for one that is no fault."""
    if not choices or choices[0].value is None:
        return None
    best = choices[0].value
    after = played(board, move)
    for each in choices:
        if each.value is not None and played(board, each.move) == after:
            loss = loss_of(choices[0], each)
            return loss if loss >= COOK else None
    # where a win or a loss is proved, the other moves have not been looked at
    return 0 if abs(best) < MOST_VALUE else None


class _Shares:
    """How often each reply is played, and each position of a repertoire reached."""

    def __init__(self, repertoire: Repertoire, book: OpeningBook | None) -> None:
        self._repertoire = repertoire
        self._book = book
        self._choices: dict[Bits, list[KnownMove]] = {}

    def choices(self, board: Bits) -> list[KnownMove]:
        """What the book knows of a position."""
        if board not in self._choices:
            self._choices[board] = [] if self._book is None else self._book.moves(Position.from_bits(board))
        return self._choices[board]

    def replies(self, board: Bits) -> dict[Bits, tuple[Move, float, int]]:
        """Replies of a position by the position after them, with share and weight: by the book, else all alike."""
        games: dict[Bits, tuple[Move, float, int]] = {}
        choices = self.choices(board)
        for each in choices:
            near = each.value is not None and loss_of(choices[0], each) <= VARIETY
            # a reply as good as the best is as likely as one that was played once
            count = max(least_games(each.weight), 1 if near else 0)
            if count:
                games[played(board, each.move)] = each.move, float(count), each.weight
        for own in self._repertoire.of(board):
            games.setdefault(own.after, (own.move, 1.0, 0))
        total = sum(count for _, count, _ in games.values())
        return {after: (move, count / total, weight) for after, (move, count, weight) in games.items()}

    def is_answered(self, board: Bits) -> bool:
        """True for a position of the player with an answer, or where the game is over."""
        return bool(self._repertoire.moves.get(board)) or is_over(board)

    def unanswered(self, board: Bits, least_weight: int) -> list[tuple[Move, float, str]]:
        """Replies that need an answer and have none, with their shares and the reason, the commonest first."""
        own = {each.after for each in self._repertoire.of(board)}
        rows = []
        for after, (move, share, weight) in self.replies(board).items():
            reason = "in the file" if after in own else "played by people" if weight >= least_weight else ""
            if not reason and self._is_near(board, after):
                reason = "good by the book"
            if reason and not self.is_answered(after):
                rows.append((move, share, reason))
        return sorted(rows, key=lambda each: -each[1])

    def _is_near(self, board: Bits, after: Bits) -> bool:
        """True for a reply that the book thinks as good as its best."""
        choices = self.choices(board)
        return any(
            each.value is not None and loss_of(choices[0], each) <= VARIETY and played(board, each.move) == after
            for each in choices
        )

    def chances(self) -> dict[Bits, float]:
        """Share of games that come to each position, those of all roots together being 1.

        The player's answers are all alike, and positions are taken in the order of their shortest ways: games that come
        to one by a longer way are not counted beyond it.
        """
        repertoire = self._repertoire
        chances = dict.fromkeys(repertoire.roots, 1 / max(len(repertoire.roots), 1))
        for board in repertoire.lines():
            here, moves = chances.setdefault(board, 0.0), repertoire.of(board)
            replies = {} if repertoire.is_own(board) else self.replies(board)
            for each in moves:
                share = replies[each.after][1] if replies else 1 / len(moves)
                chances[each.after] = chances.get(each.after, 0.0) + here * share
        return chances


@dataclass(frozen=True, slots=True)
class Suggested:
    """A reply that had no answer, and the book's."""

    line: tuple[str, ...]
    reply: str
    answer: str
    value: int
    """Centi-men for the player, by the book."""
    chance: float
    """Share of games in which the reply is played."""


def grow_repertoire(repertoire: Repertoire, book: OpeningBook, count: int, least_chance: float) -> Iterator[Suggested]:
    """Add the book's answers to the commonest replies that have none, up to a number of them, and give each.

    A line that ends is continued the same way. least_chance: share of games below which a reply is left alone. What is
    added has a comment that begins with SUGGESTION.
    """
    shares = _Shares(repertoire, book)
    ways = repertoire.lines()
    waiting: list[tuple[float, int, Bits, Move]] = []
    number = 0

    def wait(board: Bits, chance: float) -> None:
        nonlocal number
        for move, share, _ in shares.unanswered(board, 1):
            if chance * share >= least_chance:
                number += 1
                heapq.heappush(waiting, (-chance * share, number, board, move))

    for board, chance in shares.chances().items():
        if not repertoire.is_own(board):
            wait(board, chance)
        elif board in repertoire.roots and not repertoire.moves.get(board) and not is_over(board):
            # a root of the player without a move is answered first
            answer = _answer(book, board)
            if answer is not None:
                own = _suggest(repertoire, board, answer)
                ways[own.after] = [*ways[board], own.move]
                wait(own.after, chance)
    while waiting and count:
        chance, _, board, move = heapq.heappop(waiting)
        after = played(board, move)
        answer = None if shares.is_answered(after) else _answer(book, after)
        if answer is None or answer.value is None:
            continue
        repertoire.add(board, move)
        own = _suggest(repertoire, after, answer)
        ways.setdefault(after, [*ways[board], move])
        ways.setdefault(own.after, [*ways[after], own.move])
        yield Suggested(tuple(map(str, ways[board])), str(move), str(own.move), answer.value, -chance)
        wait(own.after, -chance)
        count -= 1


def _answer(book: OpeningBook, board: Bits) -> KnownMove | None:
    return book.choice(Position.from_bits(board))


def _suggest(repertoire: Repertoire, board: Bits, answer: KnownMove) -> RepertoireMove:
    assert answer.value is not None
    own = repertoire.add(board, answer.move)
    own.comments.append(f"{SUGGESTION} ({format_score(answer.value)})")
    return own


@dataclass(slots=True)
class Leaving:
    """A move by which games left a repertoire."""

    board: Bits
    who: str
    """ME, OPPONENT, or LINE_END where the repertoire has nothing more."""
    line: tuple[str, ...]
    move: str
    meant: tuple[str, ...]
    """Moves of the repertoire there."""
    games: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    """Results for the player; games without one are in none of the three."""
    examples: list[str] = field(default_factory=list)


@dataclass
class GamesCompared:
    """Games beside a repertoire."""

    side: Side
    games: int = 0
    """Games of the side."""
    outside: int = 0
    """Games that come to no position of it."""
    within: int = 0
    """Games that end inside it."""
    leavings: dict[tuple[Bits, Bits], Leaving] = field(default_factory=dict)

    def by(self, who: str) -> int:
        """Games that someone left."""
        return sum(each.games for each in self.leavings.values() if each.who == who)


MOST_EXAMPLES = 3


class GamesComparison:
    """Finds where games left a repertoire: after its last position that they come to, by whatever way."""

    def __init__(self, repertoire: Repertoire) -> None:
        self._repertoire = repertoire
        self._ways = repertoire.lines()
        self.compared = GamesCompared(repertoire.side)

    def add(self, game: Game) -> None:
        """Take a game of the player."""
        compared = self.compared
        compared.games += 1
        board, boards, moves = game.start.bits, [game.start.bits], []
        for node in game.mainline():
            if node.setup is not None:
                break
            board = played(board, node.move)
            boards.append(board)
            moves.append(node.move)
        last = next((ply for ply in reversed(range(len(boards))) if boards[ply] in self._ways), None)
        if last is None:
            compared.outside += 1
        elif last == len(moves):
            compared.within += 1
        else:
            self._left(game, boards[last], moves[last], boards[last + 1])

    def _left(self, game: Game, board: Bits, move: Move, after: Bits) -> None:
        repertoire, leavings = self._repertoire, self.compared.leavings
        leaving = leavings.get((board, after))
        if leaving is None:
            meant = tuple(str(each.move) for each in repertoire.of(board))
            who = LINE_END if not meant else ME if repertoire.is_own(board) else OPPONENT
            line = tuple(map(str, self._ways[board]))
            leaving = leavings[board, after] = Leaving(board, who, line, str(move), meant)
        leaving.games += 1
        if game.winner is not None:
            if game.winner == repertoire.side:
                leaving.won += 1
            else:
                leaving.lost += 1
        elif game.result is Result.DRAWN:
            leaving.drawn += 1
        if len(leaving.examples) < MOST_EXAMPLES:
            names = (game.headers.get(name, "").strip("?. ") for name in ("Black", "White", "Event", "Date"))
            leaving.examples.append(", ".join(filter(None, names)))
