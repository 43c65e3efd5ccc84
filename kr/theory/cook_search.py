"""`kr book cooks --nodes`: both moves of the cooks that a book's values make, searched further than those values.

Each cook is a unit of `kr.jobs`, and a line of a journal, from which the same command resumes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kr.book.book import MOST_BOOK_BYTES, OpeningBook, located_book
from kr.book.cooks import COOKS_FACT, SearchedCook, SearchedCooks, ValuedMove
from kr.book.frame import numbered_steps, position_of_key
from kr.book.krb import with_facts
from kr.engine.engine import Engine, engine_from
from kr.engine.limits import Limits
from kr.errors import InvalidPdnError, InvalidSettingError
from kr.file_kinds import PACKED_BOOK, WORKING_BOOK
from kr.game.position import Position
from kr.game.value import Value
from kr.jobs.kinds import Stop
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.players.engine_work import EngineWork, WorkTask
from kr.players.workers import EngineUnits
from kr.storage import check_apart, provenance, read_regular, write_atomic
from kr.theory.cooks import BookCook, CookSettings, CookVerdict, book_cooks, book_with_people, checked_cooks
from kr.theory.graph import searched_worth
from kr.theory.packing import origin_of
from kr.theory.store import book_for_writing
from kr.theory.verifying import check_engine

_CookKey = tuple[int, ...]
"""A position and the numbers of its two moves."""


def search_cooks(
    settings: CookSettings,
    on_cook: Callable[[int, int], None],
    on_game: Callable[[], None] | None = None,
    on_error: Callable[[InvalidPdnError], None] | None = None,
) -> None:
    """Search both moves of the cooks that need it, or resume that, and write what is found into the book, or into the
    copy of a packed one.

    Those need it of which nothing is found yet, or by searches of fewer nodes that looked no further than the book's
    values. on_cook: hears of each, how many are done, and of how many; on_game, on_error: of the games of the archive.
    Raises InvalidSettingError, InvalidBookError, InvalidPdnError, InvalidWeightsError, InvalidDatabaseError, what
    `open_journal` raises, OutputBusyError, OSError.
    """
    path, kind = located_book(settings.book, WORKING_BOOK, PACKED_BOOK)
    if (kind == PACKED_BOOK) != (settings.out is not None):
        needs = (
            "is packed: give --out for its copy with what is found"
            if settings.out is None
            else ("is of kr book build, and what is found goes into it; leave --out out")
        )
        raise InvalidSettingError(f"--nodes: {settings.book} {needs}")
    check_apart([settings.out, journal := journal_of(settings)], [path, *([settings.games] if settings.games else [])])
    facts, graph = book_with_people(settings, on_game, on_error)
    engine = engine_from(settings, settings.weights)
    check_engine(settings.book, facts, engine)
    unsearched = {_task_key(cook): cook for cook in book_cooks(graph) if _needs_search(cook, settings.nodes)}
    if not unsearched:
        if settings.out is not None:
            write_atomic(settings.out, read_regular(path, MOST_BOOK_BYTES))
        return
    by_key = dict(graph.cooks.by_key)
    count = 0

    def hear(record: dict[str, Any], earlier: bool) -> None:
        nonlocal count
        count += 1
        cook = _cook_of(record)
        by_key[cook.key] = cook
        on_cook(count, len(unsearched))

    def record_of(task: WorkTask[_CookKey], result: dict[str, Any]) -> dict[str, Any]:
        own, other, kings, *numbers = task.key
        moves = [ValuedMove(number, *each) for number, each in zip(numbers, result["found"], strict=True)]
        return {"cook": SearchedCook((own, other, kings), settings.nodes, *moves).row()}

    work = EngineWork(CookSearches(), settings, engine=engine)
    tasks = (WorkTask(key, {"key": key[:3], "numbers": key[3:], "nodes": settings.nodes}) for key in unsearched)
    with work.records(journal, lambda: {"nodes": settings.nodes}, _key_of) as records:
        work.run(tasks, records, hear, record_of)
        graph.cooks = replace(graph.cooks, by_key=by_key, origin={"by": origin_of(provenance("kr book cooks"))})
        _write(path, settings.out, checked_cooks(graph))
        records.remove()


def journal_of(settings: CookSettings) -> Path:
    """Path of the journal of the searches."""
    return settings.journal or Path(f"{settings.book}.cooks.jsonl")


def _needs_search(cook: BookCook, nodes: int) -> bool:
    """True if nothing is found of a cook yet, or by searches of fewer nodes that looked no further than the book."""
    shallow = cook.verdict is CookVerdict.SHALLOW and cook.searched is not None and cook.searched.nodes < nodes
    return shallow or cook.verdict is CookVerdict.UNSEARCHED


def _task_key(cook: BookCook) -> _CookKey:
    best, people = cook.valued()
    return (*cook.node.key, best.number, people.number)


def _write(path: Path, out: Path | None, cooks: SearchedCooks) -> None:
    """Write searched cooks into a working file, or into a copy of a packed one."""
    if out is None:
        with book_for_writing(path) as store:
            store.set_cooks(cooks)
        return
    content = read_regular(path, MOST_BOOK_BYTES)
    facts = OpeningBook(path).facts | {
        COOKS_FACT: cooks.as_object(),
        "exported": origin_of(provenance("kr book cooks")),
    }
    write_atomic(out, with_facts(content, facts))


def _cook_of(record: Mapping[str, Any]) -> SearchedCook:
    return SearchedCook.of_row(record["cook"])


def _key_of(record: Mapping[str, Any]) -> _CookKey:
    """Key of a record. Raises ValueError, TypeError or LookupError."""
    cook = _cook_of(record)
    return (*cook.key, cook.best.number, cook.played.number)


class CookSearches(EngineUnits[dict[str, Any]]):
    """Units of one cook, a position with Black to move and the numbers of two moves; the result is a value and a depth
    for each."""

    def do(self, unit: Unit, needs: Needs, engine: Engine, stop: Stop) -> dict[str, Any] | None:
        own, other, kings = unit.values["key"]
        position = position_of_key((own, other, kings))
        moves = list(numbered_steps(position).values())
        rows = []
        for number in unit.values["numbers"]:
            rows.append(_searched(position.play(moves[number]), engine, unit.values["nodes"], stop))
            if stop.is_set():
                return None
        return {"found": rows}

    def check(self, unit: Unit, values: Sequence[dict[str, Any]]) -> None:
        (result,) = values
        rows = result["found"]
        if [len(each) for each in rows] != [2, 2] or not all(type(each) is int for pair in rows for each in pair):
            raise ValueError("not the searches of a cook")


def _searched(after: Position, engine: Engine, nodes: int, stop: Stop) -> list[int]:
    """Value of a position for the side that has moved, and plies from its move to the end of the search."""
    if after.is_over:
        return [searched_worth(0, Value.WIN), 1]
    engine.new_game()
    result = engine.search(after, Limits(nodes=nodes), stop=stop)
    return [-searched_worth(result.score, result.value), result.depth + 1]
