"""A match between players: pairs of games of each two, played concurrently and counted as they end."""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import asdict, replace
from typing import Any

from kr.cluster.pool import work_pool
from kr.egdb.database import Database, load_database
from kr.errors import InvalidSettingError
from kr.game.position import Side
from kr.game.value import Result
from kr.jobs.needs import Needs
from kr.jobs.pool import interruptible
from kr.jobs.unit import Unit
from kr.match.crosstable import LETTERS
from kr.match.game import FinishedGame
from kr.match.log import Effort, MatchGame, MatchLog, open_log
from kr.match.pairs import Pairs, Players
from kr.match.result import MatchResult
from kr.match.settings import MatchSettings
from kr.match.tournament import Tournament
from kr.openings.decks import Opening, deck
from kr.pdn import Comment, format_game
from kr.players.names import described, names_apart
from kr.players.player import Player
from kr.players.registry import kind_of
from kr.players.workers import egdb_needs, players_needs
from kr.settings import check_settings
from kr.storage import checksum, provenance
from kr.units import counted


def play_match(
    settings: MatchSettings,
    on_game: Callable[[MatchResult], None] = lambda result: None,
    on_begin: Callable[[MatchResult], None] = lambda result: None,
) -> MatchResult:
    """Play a match between two players, or the rest of it.

    on_begin: called before the first game; on_game: after each. Ctrl-C ends the match with the games played so far
    (`interrupted`). Raises what the settings, players and files raise.
    """
    check_settings(settings, MatchSettings)
    if settings.more:
        raise InvalidSettingError(f"{len(settings.specs)} players: expected two; kr.play_tournament takes more")
    played = play_tournament(settings, lambda so_far: on_game(so_far.results[0]), lambda new: on_begin(new.results[0]))
    return played.results[0]


def play_tournament(
    settings: MatchSettings,
    on_game: Callable[[Tournament], None] = lambda result: None,
    on_begin: Callable[[Tournament], None] = lambda result: None,
) -> Tournament:
    """Play a match of two or more players, or the rest of it, as `play_match` does. Each opening is played by all
    pairings before the next one is."""
    check_settings(settings, MatchSettings)
    openings = deck(settings.ballot)
    _check_variety(settings, openings)
    referee = settings.referee()
    first: list[Player] = []
    try:
        for spec in settings.specs:
            first.append(settings.player(spec))
        limits = [str(settings.controls()[min(number, 1)]) for number in range(len(first))]
        apart = names_apart([player.name for player in first], first, limits, LETTERS)
        result = Tournament(settings, apart, [described(player) for player in first])
        with match_record(settings, openings, first, referee) as log:
            if log:
                for game in log.games:
                    result.enter(game)
                result.damaged = result.results[0].damaged = log.damaged
            on_begin(result)
            if result.games:
                on_game(result)
            order = opening_order(openings, settings.games // 2, settings.seed)
            _play(settings, order, result, log, tuple(first), on_game)
    finally:
        for player in first:
            player.close()
    return result


def check_match(settings: MatchSettings) -> None:
    """Check openings and endgame database of a match before other work is done for it. Raises as play_match does."""
    _check_variety(settings, deck(settings.ballot))
    load_database(settings.egdb, settings.egdb_memory)


def _check_variety(settings: MatchSettings, openings: Sequence[Opening]) -> None:
    """Refuse a match that would repeat games and count them as new."""
    repeatable = all(control.time is None for control in settings.controls()) and all(
        kind_of(spec).repeatable for spec in settings.specs
    )
    if repeatable and settings.games > 2 * len(openings):
        raise InvalidSettingError(
            f"{settings.games} games with {counted(len(openings), 'opening')} of {settings.ballot} at {settings.tc} "
            f"would repeat each other: expected at most {2 * len(openings)} games, more openings, or a time limit"
        )


def opening_order(openings: Sequence[Opening], pairs: int, seed: int) -> list[Opening]:
    """Opening of each pair: all openings in random order, then all in another random order, and so on."""
    source = random.Random(seed)
    order: list[Opening] = []
    while len(order) < pairs:
        order += source.sample(openings, len(openings))
    return order[:pairs]


@contextmanager
def match_record(
    settings: MatchSettings,
    openings: Sequence[Opening],
    players: Sequence[Player],
    referee: Database | None,
    **others: Any,
) -> Iterator[MatchLog | None]:
    """Open the record of the match, if it has one. It keeps the settings that must not change in a resumed match, and
    others by name. Raises what open_log raises."""
    if settings.pdn is None:
        with nullcontext() as nothing:
            yield nothing
        return
    header: dict[str, Any] = {
        "players": [player.signature for player in players],
        "openings": checksum("\n".join(opening.position.fen for opening in openings).encode()),
        "tc": str(settings.tc),
        "tc_b": None if settings.tc_b is None else str(settings.tc_b),
        "egdb_adjudication": None if referee is None else referee.signature,
    }
    if settings.ends_by_proof:
        header["proof_adjudication"] = True
    if settings.more:
        header["gauntlet"] = settings.gauntlet
    for name in ("ballot", "hash", "seed", "adjudicate", "win_score", "win_moves", "draw_score", "draw_moves"):
        header[name] = getattr(settings, name)
    story = provenance(seed=settings.seed, games=settings.games, sprt=settings.sprt, normalized=settings.normalized)
    with open_log(settings.pdn, header | {"draw_after": settings.draw_after} | others, story) as log:
        yield log


def _play(
    settings: MatchSettings,
    schedule: Sequence[Opening],
    result: Tournament,
    log: MatchLog | None,
    first: Players,
    on_game: Callable[[Tournament], None],
) -> None:
    """Play the missing games. first: players of one worker, which stay the caller's to close."""
    if result.results[0].decision or result.games >= settings.games * len(result.pairings):
        return
    under_way: set[tuple[int, int]] = set()
    units, places = _units(settings, schedule, result, first, under_way)
    pool = work_pool(Pairs(), Needs(places), settings.threads(), [first], settings.cluster)
    for worker, reason in result.review().items():
        pool.leave(worker, reason)

    def interrupt() -> None:
        result.interrupted = True
        for each in result.results:
            each.interrupted = True
        pool.stop()

    with interruptible(interrupt), closing(pool.run(units)) as parts:
        for part in parts:
            pairing, pair = part.unit.values["pairing"], part.unit.values["pair"]
            a_black, finished = part.value
            game = entered_game(pair, a_black, schedule[pair], finished, part.worker, pairing)
            if log:
                log.append(game, match_pdn(settings, result.results[pairing].names, game, schedule[pair], finished))
            reviews = result.reviews
            result.enter(game)
            if part.last:
                under_way.discard((pairing, pair))
            if result.reviews > reviews:
                for worker, reason in result.review().items():
                    pool.leave(worker, reason)
            on_game(result)
            if result.results[0].decision:
                pool.stop()


def _units(
    settings: MatchSettings,
    schedule: Sequence[Opening],
    result: Tournament,
    first: Players,
    under_way: set[tuple[int, int]],
) -> tuple[Iterator[Unit | None], dict[str, str]]:
    """Incomplete pairs as units of work, and the places of what they need.

    under_way: pairings and pairs that were begun, from which the caller removes those that end. On a cluster, pairs
    that were set aside come again at the end; None while more of them may follow.
    """
    blank, places = _blank_pair(settings, first)

    def units() -> Iterator[Unit | None]:
        while True:
            present = [{(game.pair, game.a_black) for game in each.games} for each in result.results]
            for pair, opening in enumerate(schedule):
                for pairing, sides in enumerate(result.pairings):
                    missing = [a_black for a_black in (True, False) if (pair, a_black) not in present[pairing]]
                    if missing and (pairing, pair) not in under_way:
                        under_way.add((pairing, pair))
                        values = {
                            "pairing": pairing, "sides": sides, "pair": pair, "games": missing,
                            "opening": opening.name, "fen": opening.position.fen,
                        }  # fmt: skip
                        yield replace(blank, key=f"{pairing}.{pair}", values={**blank.values, **values})
            if not settings.cluster or result.games >= settings.games * len(result.pairings):
                return
            yield None

    return units(), places


def _blank_pair(settings: MatchSettings, players: Players) -> tuple[Unit, dict[str, str]]:
    """A unit with what all pairs of a match have in common, and the places of what they need."""
    named = zip(LETTERS.lower(), zip(settings.specs, players, strict=True), strict=False)
    needs, places = players_needs(dict(named), settings.egdb, settings.egdb_memory)
    referee, place = egdb_needs(settings.referee())
    if referee:
        needs["referee"] = referee["egdb"]
    tools = {name: getattr(settings, name) for name in ("hash", "patience", "egdb_memory")}
    if settings.log is not None:
        tools["log"] = str(settings.log)
    terms = settings.terms()
    values = {
        "controls": [str(control) for control in settings.controls()],
        "margin": settings.margin,
        "terms": None if terms is None else asdict(terms),
        "proofs": settings.ends_by_proof,
    }
    return Unit(Pairs.name(), "", needs, tools, values), places | place


def entered_game(
    pair: int, a_black: bool, opening: Opening, finished: FinishedGame, worker: str = "", pairing: int = 0
) -> MatchGame:
    """Describe a finished game as A sees it, the first player of its pairing."""
    a_side = Side.BLACK if a_black else Side.WHITE
    efforts = _efforts(finished)
    return MatchGame(
        pair=pair,
        a_black=a_black,
        opening=opening.name,
        points=1 if finished.winner is None else 2 if finished.winner == a_side else 0,
        reason=finished.reason,
        detail=finished.detail,
        plies=len(finished.moves),
        a=efforts[a_side],
        b=efforts[a_side.other],
        worker=worker,
        pairing=pairing,
    )


def match_pdn(
    settings: MatchSettings, names: tuple[str, str], game: MatchGame, opening: Opening, finished: FinishedGame
) -> str:
    """A game of a match as PDN, with the replies as comments."""
    black, white = names if game.a_black else names[::-1]
    of_pairing = f"{game.pairing + 1}." if settings.more else ""
    tags = {
        "Event": "kr match",
        "Site": "?",
        "Date": datetime.datetime.now(datetime.UTC).strftime("%Y.%m.%d"),
        "Round": f"{game.pair + 1}.{of_pairing}{1 if game.a_black else 2}",
        "Black": black,
        "White": white,
        "Opening": opening.title,
        "TimeControl": _time_control(settings, game.a_black),
        "Termination": f"{game.reason}: {game.detail}" if game.detail else game.reason,
    }
    start, line = opening.begin()
    notes = [Comment(ply, reply.note()) for ply, reply in enumerate(finished.replies, start=len(line) + 1) if reply]
    result = Result.of(finished.winner)
    return format_game(tags, start, (*line, *finished.moves), result, notes) + "\n"


def _time_control(settings: MatchSettings, a_black: bool) -> str:
    a, b = map(str, settings.controls())
    black, white = (a, b) if a_black else (b, a)
    return black if black == white else f"Black {black}, White {white}"


def _efforts(finished: FinishedGame) -> tuple[Effort, Effort]:
    """Totals of the searches of Black and White."""
    sums = [Effort(), Effort()]
    for ply, reply in enumerate(finished.replies):
        if reply and not reply.from_book:
            side = (finished.start.side + ply) % 2
            known = (0.0, 0.0) if reply.processor is None else (reply.processor, reply.time)
            sums[side] += Effort(1, reply.depth, reply.nodes, reply.time, *known)
    return sums[0], sums[1]
