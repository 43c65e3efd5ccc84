"""A run of `kr evolve`: generation after generation in all cores, growth, and comparisons at the end.

The directory of a run has
 - games.jsonl: the journal, whose first line has the settings and each other line the results of some games. The rest
 follows from it: a resumed run makes its populations again from the results;
 - champions.h5: the champion of each generation (`kr.evaluation.evolved`);
 - run.json: the results for `kr evolve show` (`kr.studies.evolution.reading`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from kr import storage
from kr.evaluation.evolved import CHAMPIONS_FILE, ChampionRun, save_champions
from kr.extras import check_packages
from kr.jobs.journal import Journal, open_journal
from kr.jobs.needs import Needs
from kr.jobs.pool import FinishedPortion, Pool
from kr.jobs.unit import Unit
from kr.openings.decks import deck
from kr.settings import check_settings
from kr.studies.evolution.duels import (
    BY_CHANCE,
    SEED_BITS,
    Duel,
    DuelResult,
    DuelSetting,
    DuelSide,
    EvolutionDuels,
    PlayedDuels,
    duels_unit,
)
from kr.studies.evolution.history import RunHistory
from kr.studies.evolution.population import CHAMPIONS_KEPT, DuelPairing, Individual, new_population
from kr.studies.evolution.reading import JOURNAL_FILE, EvolutionRun, RivalGames, write_run
from kr.studies.evolution.settings import (
    NOT_SHAPING,
    EvolveSettings,
    decider_of,
    mcts_decider,
    minimax_decider,
    scheme_of,
)
from kr.threads import worker_count

OPENINGS_DECK = "3move"
"""Openings of games other than those by which the schemes select."""
GROWTH_OPENINGS = 3
"""Openings against each earlier champion; both sides of each are played."""
KEEP_SECONDS = 1.0
"""Seconds of results that a kill may lose."""
WRITE_SECONDS = 60.0
"""Time between two writings of the files that follow from the journal."""
RUN_DECIDER = "own"
"""Name of the decider of a run."""


@dataclass(frozen=True)
class EvolveProgress:
    """Progress of a run."""

    generation: int
    """Generations that have been played."""
    generations: int
    games: int
    """Games of all starts, comparisons included."""
    comparing: bool
    """True once the generations are done."""
    compared: int
    """Games of the comparisons."""
    comparisons: int
    growth: float | None
    """Growth of the last champion whose growth is known."""
    total_growth: float
    """The sum of the growth of all champions."""


class _Evolution:
    """A run under way: the results so far, and the games to play next."""

    def __init__(self, settings: EvolveSettings) -> None:
        self.settings = settings
        self.scheme = scheme_of(settings)
        self.openings = [opening.position.bits for opening in deck(OPENINGS_DECK)]
        self.population = new_population(self.scheme, settings.seed, len(self.openings))
        self.results: dict[str, dict[int, DuelResult]] = {}
        self.seconds = 0.0
        self.history = RunHistory()
        deciders = {
            RUN_DECIDER: decider_of(settings), "random": BY_CHANCE,
            **{f"mcts:{rounds}": {"kind": "mcts", "rounds": rounds} for rounds in settings.playouts},
            "minimax": minimax_decider(settings), "hybrid": mcts_decider(settings),
        }  # fmt: skip
        network = asdict(self.scheme.network)
        self.setting = DuelSetting(network, deciders, self.openings, 2 * settings.moves)

    @property
    def name(self) -> str:
        return f"{self.settings.scheme}-{self.settings.seed}"

    def take(self, results: list[DuelResult], seconds: float) -> None:
        """Note results."""
        for result in results:
            self.results.setdefault(result.stage, {})[result.number] = result
        self.seconds += seconds

    def units(self) -> Iterator[Unit | None]:
        """Units that are still to be done, None while the next one has to wait for results."""
        for generation in range(self.settings.generations):
            duels = self._tournament(generation)
            growth = self._growth(generation - 1)
            yield from self._played(f"generation {generation}", duels + growth)
            results = self.results.get(f"play {generation}", {})
            self.population.advance([results[number].result for number in range(len(duels))])
            self.history.add_generation(self.population, list(results.values()))
            if generation:
                self._note_growth(generation - 1, growth)
        last = self._growth(self.settings.generations - 1)
        yield from self._played("growth", last)
        self._note_growth(self.settings.generations - 1, last)
        yield from self._played("comparisons", self.comparisons())

    def _played(self, key: str, duels: list[Duel]) -> Iterator[Unit | None]:
        """A unit of those games that have not been played, and None until they have."""
        missing = [duel for duel in duels if duel.number not in self.results.get(duel.stage, {})]
        if missing:
            genomes = {each.number: each.genome for each in (*self._present(), *self.population.champions)}
            yield duels_unit(key, self.setting, missing, genomes)
        while any(duel.number not in self.results.get(duel.stage, {}) for duel in missing):
            yield None

    def _present(self) -> list[Individual]:
        return [*self.population.individuals, *getattr(self.population, "opponents", [])]

    def _seed(self, stage: str, number: int) -> int:
        mixed = np.random.SeedSequence([self.settings.seed, number, *stage.encode()])
        return int(mixed.generate_state(1, np.uint64)[0]) >> 64 - SEED_BITS

    def _tournament(self, generation: int) -> list[Duel]:
        return self._duels(f"play {generation}", self.population.pairings())

    def _growth(self, generation: int) -> list[Duel]:
        if generation < 1:
            return []
        return self._duels(f"growth {generation}", self.population.growth_pairings(generation, GROWTH_OPENINGS))

    def _duels(self, stage: str, pairings: list[DuelPairing]) -> list[Duel]:
        """Games of individuals, all with the decider of the run."""
        return [
            Duel(
                stage, number, DuelSide(RUN_DECIDER, each.black), DuelSide(RUN_DECIDER, each.white), each.opening,
                self._seed(stage, number),
            )
            for number, each in enumerate(pairings)
        ]  # fmt: skip

    def _note_growth(self, generation: int, duels: list[Duel]) -> None:
        """The champion's mean points against each of those before it; against itself it is even."""
        if generation < 1:
            return
        champion = self.population.champions[generation]
        results = self.results.get(f"growth {generation}", {})
        means = []
        for opponent in self.population.champions[max(0, generation - CHAMPIONS_KEPT) : generation]:
            points = [
                results[duel.number].result * (1 if duel.black.genome == champion.number else -1)
                for duel in duels
                if opponent.number in (duel.black.genome, duel.white.genome)
            ]
            means.append(sum(points) / len(points) if points else 0.0)
        self.history.add_growth(means)

    @property
    def rivals(self) -> list[str]:
        """Comparisons at the end: the champion against chance, pure MCTS and the champion half-way; and with minimax
        against itself with MCTS."""
        return ["random", *(f"mcts:{rounds}" for rounds in self.settings.playouts), "halfway", "minimax"]

    def comparisons(self) -> list[Duel]:
        """Games of the last champion against chance, MCTS and the champion half-way, and of minimax against MCTS with
        its own evaluation, both sides of each opening."""
        champions = self.population.champions
        champion = champions[-1].number
        halfway = champions[(len(champions) - 1) // 2].number
        sides = {
            "random": (DuelSide(RUN_DECIDER, champion), DuelSide("random", None)),
            **{
                f"mcts:{rounds}": (DuelSide(RUN_DECIDER, champion), DuelSide(f"mcts:{rounds}", None))
                for rounds in self.settings.playouts
            },
            "halfway": (DuelSide(RUN_DECIDER, champion), DuelSide(RUN_DECIDER, halfway)),
            "minimax": (DuelSide("minimax", champion), DuelSide("hybrid", champion)),
        }
        duels = []
        for rival, (own, other) in sides.items():
            # a longer run has another champion, and another one half-way
            stage = f"{rival} {len(champions)}"
            order = np.random.default_rng([self.settings.seed, *stage.encode()]).permutation(len(self.openings))
            for number in range(self.settings.comparisons):
                opening = int(order[number // 2 % len(order)])
                black, white = (own, other) if number % 2 == 0 else (other, own)
                duels.append(Duel(stage, number, black, white, opening, self._seed(stage, number)))
        return duels

    def compared(self, rival: str) -> RivalGames:
        """Results of a comparison so far."""
        games = self.results.get(f"{rival} {len(self.population.champions)}", {})
        own = [(each.number % 2 == 0, each.result * (1 if each.number % 2 == 0 else -1)) for each in games.values()]

        def counted(black: bool) -> tuple[int, int, int]:
            results = [result for side, result in own if side == black]
            return results.count(1), results.count(0), results.count(-1)

        return RivalGames(counted(True), counted(False), sum(each.plies for each in games.values()))

    def progress(self) -> EvolveProgress:
        generations = self.population.generation
        total = self.settings.generations
        stages = [f"{rival} {total}" for rival in self.rivals]
        growth = [sum(means) / len(means) for means in self.history.growth]
        return EvolveProgress(
            generations, total, sum(map(len, self.results.values())), generations == total,
            sum(len(self.results.get(stage, {})) for stage in stages),
            len(stages) * self.settings.comparisons,
            growth[-1] if growth else None, sum(growth),
        )  # fmt: skip


def evolve(
    settings: EvolveSettings, on_progress: Callable[[EvolveProgress], None] = lambda progress: None
) -> EvolutionRun:
    """Begin or resume a run, and write its results.

    Equal settings give the same run, for any number of workers and interruptions. Raises InvalidSettingError if
    the directory holds a run of other settings, or the scheme needs a library that is not installed; InvalidGamesError
    if its journal is damaged, OutputBusyError, OSError.
    """
    check_settings(settings, EvolveSettings)
    check_cma(settings.scheme)
    evolution = _Evolution(settings)
    shaping = {key: value for key, value in asdict(settings).items() if key not in NOT_SHAPING}
    # the definition of a scheme may change from one kr to the next
    shaping["definition"] = asdict(evolution.scheme)
    origin = storage.provenance(**shaping)
    with open_journal(settings.out / JOURNAL_FILE, shaping, origin, _entry) as journal:
        for results, seconds in journal.entries:
            evolution.take(results, seconds)
        try:
            _play(evolution, journal, on_progress, origin)
        finally:
            run = _write(evolution, origin)
    return run


def check_cma(scheme: str) -> None:
    """Refuse a scheme whose library is missing. Raises InvalidSettingError."""
    if scheme == "cma":
        check_packages("the scheme cma needs", "cma")


def _entry(values: dict[str, Any]) -> tuple[list[DuelResult], float]:
    """Results in a line of the journal."""
    results = [DuelResult(*each) for each in values["games"]]
    for each in results:
        if (
            type(each.stage) is not str
            or {type(number) for number in each[1:]} != {int}
            or each.result not in (-1, 0, 1)
        ):
            raise ValueError("not a result")
    return results, float(values["seconds"])


def _play(
    evolution: _Evolution,
    journal: Journal[Any],
    on_progress: Callable[[EvolveProgress], None],
    origin: dict[str, str],
) -> None:
    """Play the remaining games. Results go to the journal about once a second, and in the end."""
    pool = Pool(EvolutionDuels(), Needs(), worker_count(evolution.settings.workers))
    pending: list[DuelResult] = []
    spent = 0.0
    saved_at = written_at = time.monotonic()

    def hear(part: FinishedPortion[PlayedDuels]) -> None:
        nonlocal spent
        results, seconds = part.value
        evolution.take(results, seconds)
        pending.extend(results)
        spent += seconds

    def keep() -> None:
        nonlocal spent, saved_at
        if pending:
            journal.append({"games": [list(each) for each in pending], "seconds": round(spent, 6)})
        pending.clear()
        spent, saved_at = 0.0, time.monotonic()

    try:
        with closing(pool.run(evolution.units())) as parts:
            for part in parts:
                hear(part)
                if time.monotonic() - saved_at > KEEP_SECONDS:
                    keep()
                if time.monotonic() - written_at > WRITE_SECONDS:
                    _write(evolution, origin)
                    written_at = time.monotonic()
                on_progress(evolution.progress())
    finally:
        for part in pool.rest():
            hear(part)
        keep()


def _write(evolution: _Evolution, origin: dict[str, str]) -> EvolutionRun:
    """Write the files that follow from the journal so far."""
    settings, champions = evolution.settings, evolution.population.champions
    decider = evolution.setting.deciders[RUN_DECIDER]
    about = {
        "scheme": settings.scheme, "seed": settings.seed, "network": dict(evolution.setting.network),
        "decider": dict(decider),
    }  # fmt: skip
    run = EvolutionRun(
        evolution.name,
        {key: value for key, value in asdict(settings).items() if key not in NOT_SHAPING},
        about,
        evolution.history.generations,
        evolution.history.growth,
        evolution.history.family(champions),
        {rival: evolution.compared(rival) for rival in evolution.rivals} if settings.comparisons else {},
        evolution.seconds,
        origin,
    )
    if champions:
        genomes = np.stack([each.genome for each in champions])
        champion_run = ChampionRun(run.name, about, genomes, np.arange(len(champions), dtype=np.int32))
        save_champions(settings.out / CHAMPIONS_FILE, [champion_run], origin)
    write_run(settings.out, run)
    return run
