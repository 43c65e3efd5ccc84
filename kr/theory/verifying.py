"""`kr book verify`: some positions of a book searched again with many times the nodes.

The move that the book chooses in each is compared with the best of the new search: it is a mistake if it loses more
than MISTAKE. A new search takes the place of the old one in the book. Where that alone does not mend a mistake, because
the value of the chosen move comes from later positions, those along its line are searched as deeply, until the book
chooses otherwise, or they uphold the move.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from kr.book.book import located_book
from kr.book.frame import BookKey, BookStep, legal_steps, move_at, position_of_key
from kr.cluster.address import cluster_option
from kr.engine.engine import Engine, engine_from
from kr.engine.settings import egdb_memory_option, egdb_option, hash_option, weights_option
from kr.errors import InvalidBookError, InvalidSettingError
from kr.file_kinds import PACKED_BOOK, WORKING_BOOK
from kr.jobs.journal import Journal, open_journal, typed
from kr.settings import REQUIRED, Settings, option, seed_option, workers_option
from kr.storage import check_apart, provenance
from kr.theory.graph import LONGEST_PATH, BookGraph, BookNode
from kr.theory.searching import BookSearcher, BookTask
from kr.theory.store import book_for_writing
from kr.theory.unpacking import read_book

MISTAKE = 10
"""Centi-men; a chosen move that loses more against the best of the new search is a mistake."""
BY_POSITIONS, BY_GAMES = "positions", "games"


@dataclass(frozen=True)
class BookVerifySettings(Settings):
    """Which positions are searched again, and how."""

    book: Path = option(
        REQUIRED, "The book: of kr book build, or packed, of which nothing is corrected; shipped: kr's.",
        metavar="FILE", argument=True,
    )  # fmt: skip
    share: float = option(0.01, "Share of its positions that are searched again, {allowed}.", above=0, high=1)
    times: int = option(10, "Times the nodes of the book's searches, {allowed}.", low=2, high=10_000)
    chance: str = option(
        BY_POSITIONS, "How they are drawn: {allowed}; each alike, or the likelier the more games came there.",
        choices=(BY_POSITIONS, BY_GAMES),
    )  # fmt: skip
    seed: int = seed_option("Seed of the draw.")
    journal: Path | None = option(
        None, "Journal of what was found, to resume; beside the book if left out.", metavar="FILE"
    )
    weights: str | None = weights_option()
    hash: int = hash_option("of each engine")
    workers: int = workers_option("Positions searched side by side")
    cluster: str = cluster_option()
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()


@dataclass(frozen=True)
class BookFinding:
    """A position that was searched again."""

    key: list[int]
    """The position in the frame of its side to move."""
    chosen: list[int]
    """The book's choice before: a step in that frame."""
    best: list[int]
    """The best move of the new search."""
    value: int
    """Centi-men of the book for its choice."""
    score: int
    """Centi-men of the new search."""
    loss: int | None
    """Centi-men that the choice loses by the new search; None if it is not among the moves that were scored."""

    @property
    def is_mistake(self) -> bool:
        """True if the choice loses more than MISTAKE."""
        return self.loss is None or self.loss > MISTAKE


@dataclass
class BookVerification:
    """The outcome: what was found, and what became of the mistakes."""

    positions: int
    """Positions of the book that can be drawn: those with a choice of moves that are not proved."""
    drawn: int
    findings: list[BookFinding] = field(default_factory=list)
    along_lines: int = 0
    """Positions along the lines of mistakes that this run has searched again."""
    corrected: list[BookFinding] = field(default_factory=list)
    """Mistakes in whose position the book now chooses a move that loses no more than MISTAKE."""
    upheld: list[BookFinding] = field(default_factory=list)
    """Mistakes by the search of the position itself, whose lines, searched as deeply, still favour the move."""
    corrects: bool = True
    """False for a packed book, which stays as it is: what the lines of mistakes say is not looked for."""

    @property
    def mistakes(self) -> list[BookFinding]:
        """Findings of a mistake."""
        return [each for each in self.findings if each.is_mistake]


def verify_book(settings: BookVerifySettings, on_progress: Callable[[BookVerification], None]) -> BookVerification:
    """Search a share of a book again, or resume that, and correct what was wrong.

    on_progress: hears of each search. Raises InvalidSettingError, InvalidBookError, InvalidGamesError for a damaged
    journal, InvalidWeightsError, InvalidDatabaseError, OutputBusyError, OSError.
    """
    journal_path = settings.journal or Path(f"{settings.book}.verified.jsonl")
    check_apart([journal_path], [settings.book])
    engine = engine_from(settings, settings.weights)
    with _opened(settings.book) as (facts, graph, put):
        nodes = facts.get("nodes")
        if not isinstance(nodes, int):
            raise InvalidBookError(f"{settings.book} is damaged: it lacks its settings")
        check_engine(settings.book, facts, engine)
        shaping = {"share": settings.share, "times": settings.times, "chance": settings.chance, "seed": settings.seed,
                   "nodes": nodes, "weights": facts.get("weights"), "egdb": facts.get("egdb")}  # fmt: skip
        with open_journal(journal_path, shaping, provenance(), _read) as journal:
            searcher = BookSearcher(settings, engine, graph, put)
            verifier = _Verifier(settings, searcher, journal, nodes * settings.times, on_progress)
            searcher.run(verifier.next_round, verifier.hear)
    return verifier.outcome


@contextmanager
def _opened(
    book: Path,
) -> Iterator[tuple[Mapping[str, Any], BookGraph, Callable[[Sequence[BookNode]], None]]]:
    """A book's settings, its graph, and what writes nodes to it: nothing for a packed one, which stays as it is."""
    path, kind = located_book(book, WORKING_BOOK, PACKED_BOOK)
    if kind == PACKED_BOOK:
        facts, graph, _ = read_book(path)
        yield facts, graph, lambda nodes: None
        return
    with book_for_writing(path) as store:
        yield store.settings(), store.graph(), store.put


def check_engine(book: Path, facts: Mapping[str, Any], engine: Engine) -> None:
    """Refuse an engine with other weights or another database than those of a book. Raises InvalidSettingError."""
    mine = {
        "weights": engine.signature,
        "egdb": None if engine.database is None else engine.database.signature,
    }
    different = [f"{name} {facts.get(name)}, not {value}" for name, value in mine.items() if facts.get(name) != value]
    if different:
        raise InvalidSettingError(
            f"{book} was built with {' and '.join(different)}; give the same --weights and --egdb"
        )


def _read(entry: dict[str, Any]) -> BookFinding:
    finding = typed(BookFinding(**entry))
    if [len(finding.key), len(finding.chosen), len(finding.best)] != [3, 3, 3]:
        raise ValueError("not a position and two moves")
    # raises for what is not legal
    finding_json(finding)
    return finding


class _Verifier:
    """The rounds of a verification: first the draw, then the lines of mistakes."""

    def __init__(
        self,
        settings: BookVerifySettings,
        searcher: BookSearcher,
        journal: Journal[BookFinding],
        nodes: int,
        on_progress: Callable[[BookVerification], None],
    ) -> None:
        self.settings, self.searcher, self.journal = settings, searcher, journal
        self.nodes, self.on_progress = nodes, on_progress
        # of an earlier version, which counted positions with one legal move
        earlier = [each for each in journal.entries if has_choice(_key_of(each))]
        self.findings = {_key_of(each): each for each in earlier}
        self.tried: set[BookKey] = set()
        able = [
            node for node in self.graph.nodes.values() if node.moves and node.value is None and has_choice(node.key)
        ]
        if not able:
            raise InvalidBookError(f"{settings.book} has no positions to verify; go on with kr book build")
        drawn = dict.fromkeys(draw_positions(self.graph, able, settings))
        # of an earlier run, what a kill has kept from the book
        lost = [key for key in self.findings if self.graph.has_searches and self._can_deepen(key)]
        # before any of them is corrected
        self.awaited = {key: _choice(self.graph, key) for key in drawn if key not in self.findings}
        self.waiting = [key for key in drawn if key in self.awaited] + lost
        self.outcome = BookVerification(
            len(able), len(drawn), list(self.findings.values()), corrects=self.graph.has_searches
        )

    @property
    def graph(self) -> BookGraph:
        return self.searcher.graph

    def _can_deepen(self, key: BookKey) -> bool:
        """True for a position whose search had fewer nodes, and that this run has not searched."""
        node = self.graph.nodes.get(key)
        return node is not None and node.nodes < self.nodes and bool(node.moves) and key not in self.tried

    def next_round(self) -> dict[BookKey, BookTask]:
        """Positions to search next."""
        keys = self.waiting or (self._along_lines() if self.graph.has_searches else [])
        self.waiting = []
        self.tried.update(keys)
        nodes = self.graph.nodes
        return {key: BookTask(max(self.nodes, nodes[key].nodes), max(nodes[key].within, MISTAKE + 1)) for key in keys}

    def _along_lines(self) -> list[BookKey]:
        """Positions along the lines of the mistakes that still stand, as far as they can be searched deeper."""
        self.outcome.corrected, self.outcome.upheld = [], []
        keys: dict[BookKey, None] = {}
        for finding in self.outcome.mistakes:
            node = self.graph.nodes.get(_key_of(finding))
            if node is None or not _stands(self.graph, node):
                self.outcome.corrected.append(finding)
            elif line := list(filter(self._can_deepen, line_positions(self.graph, node))):
                keys |= dict.fromkeys(line)
            else:
                self.outcome.upheld.append(finding)
        return list(keys)

    def hear(self, node: BookNode) -> None:
        """Compare a new search with what the book chose, before it takes the place of the old one."""
        if node.key in self.awaited:
            finding = _finding(node, *self.awaited.pop(node.key))
            self.journal.append(asdict(finding))
            self.findings[node.key] = finding
            self.outcome.findings.append(finding)
        elif node.key not in self.findings:
            self.outcome.along_lines += 1
        self.on_progress(self.outcome)


def has_choice(key: BookKey) -> bool:
    """True for a position with two legal moves or more: in others no move can be a mistake."""
    return len(legal_steps(key)) > 1


def draw_positions(graph: BookGraph, able: Sequence[BookNode], settings: BookVerifySettings) -> list[BookKey]:
    """The share of the positions that is drawn: from the seed and each position alone, so that a book that has grown
    keeps most of them."""
    places: list[tuple[float, BookKey]] = []
    for node in able:
        games = sum(graph.games.get(node.key, {}).values()) if settings.chance == BY_GAMES else 1
        chance = random.Random(f"{settings.seed} {node.key}").random()
        places.append((math.log(max(chance, 1e-300)) / max(games, 1), node.key))
    places.sort(reverse=True)
    return [key for _, key in places[: math.ceil(settings.share * len(able))]]


def _choice(graph: BookGraph, key: BookKey) -> tuple[BookStep, int]:
    """The move that a book chooses, and its value."""
    move = graph.ranked(graph.nodes[key])[0]
    return move.step, graph.move_worth(move)


def _finding(node: BookNode, chosen: BookStep, value: int) -> BookFinding:
    scored = _score_of(node, chosen)
    loss = None if scored is None else node.score - scored
    best = node.moves[0].step if node.moves else chosen
    return BookFinding(list(node.key), list(chosen), list(best), value, node.score, loss)


def _key_of(finding: BookFinding) -> BookKey:
    own, other, kings = finding.key
    return own, other, kings


def _score_of(node: BookNode, step: BookStep) -> int | None:
    return next((move.score for move in node.moves if move.step == step), None)


def _stands(graph: BookGraph, node: BookNode) -> bool:
    """True if the book's choice is a mistake by the position's own search."""
    if node.value is not None or not node.moves:
        return False
    score = _score_of(node, graph.ranked(node)[0].step)
    return score is None or node.score - score > MISTAKE


def line_positions(graph: BookGraph, node: BookNode) -> list[BookKey]:
    """Positions of a book along its best line, after the first move."""
    line: list[BookKey] = []
    while len(line) < LONGEST_PATH and (moves := graph.ranked(node)):
        after = graph.nodes.get(moves[0].child)
        if after is None:
            break
        line.append(after.key)
        node = after
    return line


def finding_json(finding: BookFinding) -> dict[str, Any]:
    """A finding with position and moves as text, the side to move as Black."""
    position = position_of_key(_key_of(finding))
    chosen, best = (str(move_at(position, (step[0], step[1], step[2]))) for step in (finding.chosen, finding.best))
    return {"fen": position.fen, "chosen": chosen, "best": best, "value": finding.value, "score": finding.score,
            "loss": finding.loss}  # fmt: skip
