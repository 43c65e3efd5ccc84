"""Evolution: populations, mutations and crossings, and runs that resume."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from systems import interrupt, start

from kr.errors import InvalidGamesError, InvalidSettingError, KrError, OutputBusyError
from kr.evaluation.evolved import KING_RANGE, EvolvedNetwork, load_champion, load_runs
from kr.storage import lock
from kr.studies.evolution import run as running
from kr.studies.evolution.population import (
    CROSSED,
    MUTANT,
    STARTED,
    Individual,
    Population,
    crossed,
    mutated,
    new_population,
)
from kr.studies.evolution.reading import EvolutionRun, read_run
from kr.studies.evolution.run import evolve
from kr.studies.evolution.schemes import DOMINANT, SCHEMES, Scheme
from kr.studies.evolution.settings import EvolveSettings, scheme_of

QUICK: dict[str, Any] = {
    "generations": 3, "plies": 1, "population": 6, "games": 2, "moves": 15, "comparisons": 4, "playouts": (5,),
    "rounds": 20,
}  # fmt: skip


def by_chance(population: Population, generations: int) -> list[list[Individual]]:
    """Individuals of some generations whose games end at random."""
    rng, found = np.random.default_rng(1), [population.individuals]
    for _ in range(generations):
        population.advance(rng.integers(-1, 2, size=len(population.pairings())).tolist())
        found.append(population.individuals)
    return found


NAMES = [
    pytest.param(
        name,
        marks=pytest.mark.skipif(
            name == "cma" and "libasan" in os.environ.get("LD_PRELOAD", ""),
            reason="cma brings matplotlib, whose C++ can't throw under a sanitizer that was loaded before it",
        ),
    )
    for name in SCHEMES
]


# --- mutations and crossings


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(["thesis", "code"]), st.integers(0, 1000), st.floats(0.1, 3))
def test_mutants_of_the_thesis_and_its_code(name: str, seed: int, strength: float) -> None:
    scheme = replace(SCHEMES[name], strength=strength)
    rng = np.random.default_rng(seed)
    parent = rng.uniform(-1, 1, scheme.network.size).astype(np.float32)
    child, widths = mutated(scheme, rng, parent, None)
    size = strength / np.sqrt(2 * np.sqrt(len(parent)))
    assert widths is None
    assert np.abs(child).max() <= 1
    if name == "thesis":
        assert np.abs(child - parent).max() <= size + 1e-6
        assert np.abs(child - parent).max() > 0.9 * size
    else:
        # it can only grow
        assert (np.abs(child) >= np.abs(parent) - 1e-7).all()
        assert (np.abs(child) <= np.minimum(np.abs(parent) * np.exp(size) + 1e-6, 1)).all()


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(["fogel1999", "fogel2001"]), st.integers(0, 1000), st.none() | st.floats(0.04, 0.06))
def test_mutants_whose_widths_evolve(name: str, seed: int, most: float | None) -> None:
    scheme = replace(SCHEMES[name], most_width=most)
    rng = np.random.default_rng(seed)
    size = scheme.network.size
    parent = np.append(rng.uniform(-0.2, 0.2, size - 1), rng.uniform(*KING_RANGE)).astype(np.float32)
    widths = np.full(size, 0.05, dtype=np.float32)
    child, changed = mutated(scheme, rng, parent, widths)
    assert changed is not None
    tau = 1 / np.sqrt(2 * np.sqrt(size))
    if most is None:
        assert np.std(np.log(changed / 0.05)) == pytest.approx(tau, rel=0.1)
    else:
        assert changed.max() <= np.float32(most)
    assert np.std((child - parent)[:-1] / changed[:-1]) == pytest.approx(1, rel=0.1)
    assert KING_RANGE[0] <= child[-1] <= KING_RANGE[1]
    if name == "fogel2001":
        step = abs(child[-1] - parent[-1])
        assert min(abs(step - 0.1), step) < 1e-6 or child[-1] in KING_RANGE


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["node", "cut"]), st.integers(0, 1000))
def test_crossings_are_reciprocal(crossing: str, seed: int) -> None:
    scheme = replace(SCHEMES["thesis"], crossing=crossing)
    rng = np.random.default_rng(seed)
    one, other = rng.uniform(-1, 1, (2, scheme.network.size)).astype(np.float32)
    first, second = crossed(scheme, rng, one, other)
    swapped = first != one
    np.testing.assert_array_equal(first[swapped], other[swapped])
    np.testing.assert_array_equal(second[swapped], one[swapped])
    np.testing.assert_array_equal(first[~swapped], one[~swapped])
    np.testing.assert_array_equal(second[~swapped], other[~swapped])
    if crossing == "node":
        places = set(np.flatnonzero(swapped).tolist())
        assert np.abs(one[swapped]).min() > DOMINANT
        (node,) = [each for each in scheme.network.hidden_nodes if places <= set(each.tolist())]
        assert places == {place for place in node.tolist() if abs(one[place]) > DOMINANT}
    else:
        (ends,) = [np.flatnonzero(swapped)]
        assert not len(ends) or ends[-1] - ends[0] + 1 == len(ends)


# --- populations


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_population_depends_on_seed_and_results_alone(name: str) -> None:
    small = replace(SCHEMES[name], games=2)
    runs = [by_chance(new_population(small, seed, 20), 4) for seed in (1, 1, 2)]
    last = [np.stack([each.genome for each in generations[-1]]) for generations in runs]
    np.testing.assert_array_equal(last[0], last[1])
    assert (last[0] != last[2]).mean() > 0.9
    assert [each.number for each in runs[0][-1]] == [each.number for each in runs[1][-1]]


@pytest.mark.parametrize("name", ["thesis", "code"])
def test_families_of_the_thesis(name: str) -> None:
    population = new_population(SCHEMES[name], 1, 20)
    assert [each.origin for each in population.individuals] == [STARTED] * 15
    before = {each.number: each for each in population.individuals}
    population.advance([1, 0, -1] * 25)
    points = dict(zip(before, population.points, strict=True))
    ranked = sorted(population.entrants, key=lambda each: -points[each.number])
    kept, children = population.individuals[:5], population.individuals[5:]
    assert [each.number for each in kept] == [each.number for each in ranked[:5]]
    assert population.champions[-1].number == ranked[0].number
    best = [each.number for each in kept]
    assert [each.origin for each in children] == [CROSSED, CROSSED, MUTANT, MUTANT] * 2 + [MUTANT] * 2
    assert [set(each.parents) for each in children] == [
        {best[0], best[1]}, {best[0], best[1]}, *children_of(children[2:4]), {best[1], best[2]}, {best[1], best[2]},
        *children_of(children[6:8]), {best[3]}, {best[4]},
    ]  # fmt: skip
    assert {parent for each in children[2:4] for parent in each.parents} == {best[0], best[1]}
    assert {parent for each in children[6:8] for parent in each.parents} == {best[1], best[2]}


def children_of(children: list[Individual]) -> list[set[int]]:
    return [set(each.parents) for each in children]


def test_the_better_half_has_offspring() -> None:
    population = new_population(replace(SCHEMES["fogel1999"], population=4, games=1), 1, 20)
    assert len(population.individuals) == 8
    pairings = population.pairings()
    assert [pairing.black for pairing in pairings] == [each.number for each in population.individuals]
    # the last four win their games as Black, the others lose theirs
    population.advance([-1] * 4 + [1] * 4)
    points = dict(zip((each.number for each in population.entrants), population.points, strict=True))
    kept = [each.number for each in population.individuals[:4]]
    assert sorted(points.values(), reverse=True)[:4] == [points[number] for number in kept]
    assert [each.parents for each in population.individuals[4:]] == [(number,) for number in kept]


@pytest.mark.parametrize("name", NAMES)
def test_pairings(name: str) -> None:
    population = new_population(SCHEMES[name], 1, 20)
    by_chance(population, 3)
    here = {each.number for each in population.individuals}
    pairings = population.pairings()
    assert all(pairing.black != pairing.white for pairing in pairings)
    assert here == {pairing.black for pairing in pairings} & here
    if name != "cma":
        assert all(pairing.opening == -1 and pairing.white in here for pairing in pairings)
        assert len(pairings) == len(here) * SCHEMES[name].games
    growth = population.growth_pairings(2, 3)
    assert {pairing.opening for pairing in growth} <= set(range(20))
    assert sum(pairing.black == population.champions[2].number for pairing in growth) * 2 == len(growth)


@pytest.mark.parametrize("size", [4, 5, 8, 15, 30, 31])
def test_populations_keep_their_size(size: int) -> None:
    population = new_population(replace(SCHEMES["thesis"], population=size), 1, 20)
    assert [len(each) for each in by_chance(population, 3)] == [size] * 4


# --- runs


def lines(directory: Path) -> dict[tuple[str, int], list[int]]:
    """Results in a journal."""
    entries = [json.loads(line) for line in (directory / running.JOURNAL_FILE).read_text().splitlines()[1:]]
    return {(each[0], each[1]): each[2:] for entry in entries for each in entry["games"]}


def told(run: EvolutionRun) -> dict[str, Any]:
    """A run without what differs from start to start."""
    return {**vars(run), "seconds": 0, "provenance": {}}


@pytest.mark.slow
@pytest.mark.parametrize("scheme", NAMES)
@pytest.mark.smoke
def test_a_run(tmp_path: Path, scheme: str) -> None:
    seen = []
    found = evolve(EvolveSettings(out=tmp_path / "a", scheme=scheme, **QUICK), seen.append)
    assert told(read_run(tmp_path / "a")) == told(found)
    assert [row.generation for row in found.generations] == [0, 1, 2]
    assert len(found.growth) == 2
    assert {rival: each.games for rival, each in found.comparisons.items()} == dict.fromkeys(
        ("random", "mcts:5", "halfway", "minimax"), 4
    )
    assert seen[-1].compared == seen[-1].comparisons == 16
    (champions,) = load_runs(str(tmp_path / "a"))
    assert champions.generations.tolist() == [0, 1, 2]
    assert champions.network == scheme_of(EvolveSettings(out=tmp_path, scheme=scheme, **QUICK)).network
    assert load_champion(f"evolved:{tmp_path / 'a'}").run == f"{scheme}-1"
    # another number of workers, and a run in two parts
    evolve(EvolveSettings(out=tmp_path / "b", scheme=scheme, **{**QUICK, "generations": 2, "workers": 1}))
    again = evolve(EvolveSettings(out=tmp_path / "b", scheme=scheme, **{**QUICK, "workers": 1}))
    assert told(again) == told(found)
    assert lines(tmp_path / "a").items() <= lines(tmp_path / "b").items()
    np.testing.assert_array_equal(load_runs(str(tmp_path / "b"))[0].genomes, champions.genomes)


@pytest.mark.parametrize("left", [0, 1, 7, 19])
def test_a_journal_that_was_cut_off(tmp_path: Path, left: int) -> None:
    """Only the missing games are played again."""
    settings = EvolveSettings(out=tmp_path / "a", **QUICK)
    whole = evolve(settings)
    path = tmp_path / "a" / running.JOURNAL_FILE
    first, *entries = path.read_text().splitlines()
    games = [game for entry in entries for game in json.loads(entry)["games"]][:left]
    content = [first, json.dumps({"games": games, "seconds": 1.0}), '{"games": [["pl']
    path.write_text("\n".join(content))
    (tmp_path / "a" / "run.json").unlink()
    (tmp_path / "a" / "champions.h5").unlink()
    assert told(evolve(settings)) == told(whole)
    assert lines(tmp_path / "a").keys() >= {(game[0], game[1]) for game in games}


@pytest.mark.slow
def test_a_run_that_is_killed(tmp_path: Path) -> None:
    settings = {**QUICK, "generations": 40, "plies": 4}
    whole = evolve(EvolveSettings(out=tmp_path / "whole", **settings))
    code = (
        "from kr.studies.evolution.run import evolve; from kr.studies.evolution.settings import EvolveSettings\n"
        f"print(flush=True); evolve(EvolveSettings(out={str(tmp_path / 'killed')!r}, **{settings!r}))"
    )
    for wait, end in ((0.1, subprocess.Popen.kill), (0.3, interrupt), (0.7, subprocess.Popen.kill)):
        quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "env": {**os.environ}}
        with start([sys.executable, "-c", code], **quiet) as process:
            assert process.stdout.readline()
            time.sleep(wait)
            end(process)
    again = evolve(EvolveSettings(out=tmp_path / "killed", **settings))
    assert told(again) == told(whole)


def test_another_run_in_the_directory(tmp_path: Path) -> None:
    evolve(EvolveSettings(out=tmp_path / "a", **QUICK))
    with pytest.raises(InvalidSettingError, match="was begun with seed 1, not 2"):
        evolve(EvolveSettings(out=tmp_path / "a", seed=2, **QUICK))


def test_two_writers(tmp_path: Path) -> None:
    evolve(EvolveSettings(out=tmp_path / "a", **QUICK))
    with lock(tmp_path / "a" / running.JOURNAL_FILE), pytest.raises(OutputBusyError):
        evolve(EvolveSettings(out=tmp_path / "a", **QUICK))


@pytest.mark.parametrize(
    "line",
    [
        '{"games": [["play 0", 0, 2, 0, 10]], "seconds": 1}',
        '{"games": [["play 0", "0", 1, 0, 10]], "seconds": 1}',
        '{"games": [["play 0", 0]], "seconds": 1}',
        '{"games": [[0, 0, 1, 0, 10]], "seconds": 1}',
        '{"games": 3, "seconds": 1}',
        '{"seconds": 1}',
        "[]",
    ],
)
def test_damaged_journals(tmp_path: Path, line: str) -> None:
    evolve(EvolveSettings(out=tmp_path / "a", **QUICK))
    path = tmp_path / "a" / running.JOURNAL_FILE
    content = path.read_text().splitlines()
    path.write_text("\n".join([content[0], line, *content[1:]]) + "\n")
    with pytest.raises(InvalidGamesError, match=r"games\.jsonl, line 2 is damaged"):
        evolve(EvolveSettings(out=tmp_path / "a", **QUICK))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "not the directory of a run"),
        ("", "not a file of results"),
        ("[]", "not a file of results"),
        ('{"kind": "kr evolution run", "format_version": 99}', "version"),
        ('{"kind": "kr evolution run", "format_version": 1, "checksum": "0"}', "damaged"),
    ],
)
def test_results_that_are_not(tmp_path: Path, content: str | None, words: str) -> None:
    if content is not None:
        (tmp_path / "run.json").write_text(content)
    with pytest.raises(KrError, match=words):
        read_run(tmp_path)


def test_changed_results(tmp_path: Path) -> None:
    evolve(EvolveSettings(out=tmp_path / "a", **QUICK))
    path = tmp_path / "a" / "run.json"
    path.write_text(path.read_text().replace('"seed": 1', '"seed": 3'))
    with pytest.raises(InvalidGamesError, match="does not match its checksum"):
        read_run(tmp_path / "a")


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"inputs": "squares"}, {"network": EvolvedNetwork("squares", absolute=True)}),
        ({"difference": 1.0}, {"network": EvolvedNetwork("sums", 1.0, absolute=True)}),
        ({"crossing": False, "mutation": 3.0}, {"crossing": "none", "strength": 3.0}),
        ({"population": 30, "games": 7}, {"population": 30, "games": 7}),
    ],
)
def test_changes_of_a_scheme(changes: dict[str, Any], wanted: dict[str, Any]) -> None:
    found: Scheme = scheme_of(EvolveSettings(out=Path("x"), **changes))
    assert found == replace(SCHEMES["thesis"], **wanted)


@pytest.mark.parametrize("scheme", ["thesis", "code", "cma"])
def test_widths_that_do_not_evolve(scheme: str) -> None:
    with pytest.raises(InvalidSettingError, match="most_width"):
        scheme_of(EvolveSettings(out=Path("x"), scheme=scheme, most_width=0.5))


def test_without_cma_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cma", None)
    with pytest.raises(InvalidSettingError, match=r"needs cma: pip install cma"):
        evolve(EvolveSettings(out=tmp_path / "a", scheme="cma", **QUICK))
    assert not (tmp_path / "a").exists()


def test_champions_without_the_journal(tmp_path: Path) -> None:
    """A run's champions can be taken elsewhere."""
    evolve(EvolveSettings(out=tmp_path / "a", **QUICK))
    shutil.copy(tmp_path / "a" / "champions.h5", tmp_path / "b.h5")
    assert load_champion(f"evolved:{tmp_path / 'b.h5'},generation=1").generation == 1
