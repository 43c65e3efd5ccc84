"""Measures players that evolve: the tables of docs/lab/evolution.md, from runs of `kr evolve`.

    for s in thesis code fogel1999 fogel2001 cma; do
        for seed in 1 2 3 4 5 6 7 8 9 10; do kr evolve --scheme $s --seed $seed --out runs/$s-$seed; done; done
    python bench/evolve.py schemes runs/*
    python bench/evolve.py weights runs/*
    python bench/evolve.py ladder runs/* --ladder ladder
    python bench/evolve.py ablations --out ablations
    python bench/evolve.py cost runs/* --out cost --ladder ladder
    python bench/evolve.py pictures runs/* --ladder ladder --out docs/lab

Each goes on where it was stopped. What stands behind ± is half of a 95% interval: over seeds by Student's t, of single
players over games by the bootstrap.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from ladder import Ladder, Rung, interval

from kr import figures
from kr.errors import InvalidGamesError
from kr.evaluation.evolved import ChampionRun, EvolvedNetwork, load_runs, save_champions
from kr.evaluation.layouts import Layout
from kr.learn.fitting.fit import FitSettings, fit
from kr.learn.selfplay import SelfplaySettings, selfplay
from kr.openings.decks import deck
from kr.players.levels import LEVELS
from kr.studies.evolution.reading import EvolutionRun, read_run
from kr.studies.evolution.run import evolve
from kr.studies.evolution.schemes import SCHEMES
from kr.studies.evolution.settings import EvolveSettings
from kr.units import parse_count

ANCHOR = "random:1"
ROLLOUTS = (4, 20, 100, 400, 1800)
YARDSTICKS = ("mcts:20", "mcts:100", "mcts:1800", "difference, 4 plies")
"""Rungs that every champion meets."""
DECIDERS = {
    "2 plies": "plies=2", "6 plies": "plies=6", "mcts:1200 cut off": "decider=mcts,rounds=1200",
    "mcts:1800 cut off": "decider=mcts,rounds=1800",
}  # fmt: skip
"""Other deciders of champions, by name."""
PLIES = 4
"""Of a run that is not named by them."""
COST_GAMES = 60
"""Of a match in `cost`."""
LEAST_GENERATIONS = 200
"""Of a run that counts."""
COLOURS = {
    "thesis": figures.BLUE, "code": figures.ORANGE, "fogel1999": "#2f9e73", "fogel2001": "#8a5cc2", "cma": "#b08900",
}  # fmt: skip

ARMS: dict[str, dict[str, dict[str, Any]]] = {
    "thesis": {
        "as it is": {},
        "no crossings": {"crossing": False},
        "mutations x 0.3": {"mutation": 0.3},
        "mutations x 3": {"mutation": 3.0},
        "32 squares": {"inputs": "squares"},
        "piece difference": {"difference": 1.0},
        "8 networks": {"population": 8},
        "30 networks": {"population": 30},
    },
    "code": {
        "as it is": {},
        "no crossings": {"crossing": False},
        "no piece difference": {"difference": 0.0},
        "mutations x 3": {"mutation": 3.0},
    },
    "fogel1999": {
        "as it is": {},
        "no piece difference": {"difference": 0.0},
        "mutations x 0.3": {"mutation": 0.3},
        "mutations x 3": {"mutation": 3.0},
        "widths up to 0.1": {"most_width": 0.1},
        "91 sub-squares": {"inputs": "spatial"},
    },
}
"""What is changed in a scheme, by the name of the change."""


# --- players ---------------------------------------------------------------------------------------------------------


def fixed_rungs(directory: Path) -> list[Rung]:
    """Players that don't evolve, roughly by strength."""
    difference = directory / "difference.h5"
    if not difference.exists():
        network = EvolvedNetwork("squares", difference=1.0, king=1.5)
        about = {"network": asdict(network), "decider": {"kind": "minimax", "plies": 4, "extend": False}}
        nothing = np.zeros((1, network.size), np.float32)
        save_champions(difference, [ChampionRun("difference", about, nothing, np.zeros(1, np.int32))], {})
    plain = [Rung(f"difference, {plies} plies", f"evolved:{difference},plies={plies}") for plies in (2, 4, 6)]
    levels = [Rung(f"level {level.number}", f"shipped,level={level.number}") for level in LEVELS]
    chance = [Rung(f"mcts:{rounds}", f"mcts:{rounds}") for rounds in ROLLOUTS]
    searched = [Rung(f"{name}, depth 4", name, "depth=4") for name in ("material", "manual", "shipped")]
    return [
        Rung(ANCHOR, ANCHOR), chance[0], levels[0], chance[1], levels[1], plain[0], levels[2], chance[2], plain[1],
        searched[0], chance[3], levels[3], plain[2], chance[4], levels[4], searched[1], levels[5], searched[2],
        *levels[6:],
    ]  # fmt: skip


def champion_rungs(runs: Sequence[Path], generations: Sequence[int], seeds: int, deciders: int) -> list[Rung]:
    """The last of these generations of each run; of so many runs of each scheme, all of them; of so many runs of each
    scheme, the last one by other deciders, too."""
    found, seen = [], Counter[str]()
    by_seed = sorted(((read_run(each), each) for each in runs), key=lambda pair: pair[0].settings["seed"])
    for run, directory in by_seed:
        scheme, plies = run.settings["scheme"], run.settings["plies"]
        told = "" if plies == PLIES else f", evolved at {plies} plies"
        seen[scheme + told] += 1
        there = [each for each in generations if each <= len(run.generations)]
        for each in there if seen[scheme + told] <= seeds else there[-1:]:
            found.append(Rung(f"{run.name} after {each}{told}", f"evolved:{directory},generation={each - 1}"))
        if seen[scheme + told] <= deciders and there:
            last = f"evolved:{directory},generation={there[-1] - 1}"
            for name, changed in DECIDERS.items():
                if changed == f"plies={plies}":
                    continue
                found.append(Rung(f"{run.name} after {there[-1]}{told}, by {name}", f"{last},{changed}"))
    return found


def begin_ladder(directory: Path, games: int, fixed_games: int) -> tuple[Ladder, list[Rung]]:
    """The matches of the fixed rungs, each against those up to three places apart."""
    ladder, fixed = Ladder(directory, games), fixed_rungs(directory)
    for step in (1, 2, 3):
        for lower, upper in zip(fixed, fixed[step:], strict=False):
            ladder.meet(upper, lower, fixed_games)
    return ladder, fixed


def play_ladder(asked: argparse.Namespace, champions: Sequence[Rung]) -> tuple[Ladder, list[Rung]]:
    """The matches of these champions and the fixed rungs, and the fixed rungs."""
    ladder, fixed = begin_ladder(asked.ladder, asked.games, asked.fixed_games)
    by_name = {each.name: each for each in fixed}
    for number, champion in enumerate(champions):
        for name in YARDSTICKS:
            ladder.meet(champion, by_name[name])
        print(f"\r{number + 1} of {len(champions)} champions", end="", flush=True)
    print()
    ladder.meet_nearest(champions, asked.nearest, [*fixed, *champions])
    return ladder, fixed


def show_ladder(asked: argparse.Namespace) -> None:
    champions = champion_rungs(asked.runs, asked.generations, asked.seeds, asked.deciders)
    ladder, fixed = play_ladder(asked, champions)
    found = ladder.ratings(ANCHOR)
    values = {name: asdict(rating) for name, rating in found.items()}
    (asked.ladder / "ladder.json").write_text(json.dumps(values, indent=1) + "\n")
    print("| player | Elo | games |\n|---|---|---|")
    for rung in sorted(fixed, key=lambda each: found[each.name].elo):
        rating = found[rung.name]
        print(f"| {rung.name} | {rating.elo:.0f} ± {rating.error:.0f} | {rating.games} |")
    print("\n| champion | Elo | games |\n|---|---|---|")
    decided = {each.name.partition(", by ")[0] for each in champions if ", by " in each.name}
    for name in (each.name for each in champions if ", " in each.name or each.name in decided):
        print(f"| {name} | {found[name].elo:.0f} ± {found[name].error:.0f} | {found[name].games} |")
    columns = sorted(asked.generations)
    print("\n| scheme |" + "".join(f" after {each} |" for each in columns) + "\n|---|" + "---|" * len(columns))
    for scheme in SCHEMES:
        cells = [scheme]
        for each in columns:
            elo = elo_of(values, scheme, each)
            cells.append(told(elo, ".0f") + f" ({len(elo)})" if elo else "")
        if any(cells[1:]):
            print("| " + " | ".join(cells) + " |")


def elo_of(ladder: dict[str, Any], scheme: str, generations: int) -> list[float]:
    """Elo of the champions of a scheme after so many generations, one a seed."""
    return [
        rating["elo"] for name, rating in ladder.items()
        if name.startswith(f"{scheme}-") and name.endswith(f" after {generations}")
    ]  # fmt: skip


def told(values: Iterable[Any], form: str) -> str:
    """Mean of seeds with its error; without one for fewer than three seeds."""
    found = list(values)
    mean, error = interval(found)
    return f"{mean:{form}}" if len(found) < 3 else f"{mean:{form}} ± {error:{form.replace('+', '')}}"


# --- schemes ---------------------------------------------------------------------------------------------------------


def show_schemes(asked: argparse.Namespace) -> None:
    runs = by_scheme(asked.runs)
    print("Speed\n")
    rows: list[list[str]] = []
    for scheme, found in runs.items():
        games = [each.games for each in found]
        rows.append([
            scheme, str(len(found)), told([len(each.generations) for each in found], ".0f"), f"{np.mean(games):,.0f}",
            told([each.seconds for each in found], ".0f"),
            f"{1000 * sum(each.seconds for each in found) / sum(games):.1f}",
        ])  # fmt: skip
    show_table(["scheme", "seeds", "generations", "games", "core seconds", "ms a game"], rows)

    print("\nLearning rate\n")
    quarters = ("first quarter", "second", "third", "last")
    rows = []
    for scheme, found in runs.items():
        growth = [each.champion_growth for each in found]
        parts = zip(*([np.mean(part) for part in np.array_split(each, 4)] for each in growth), strict=True)
        rows.append([
            scheme, told([np.mean(each) for each in growth], "+.3f"), told([sum(each) for each in growth], "+.1f"),
            told([np.mean([one > 0 for one in each]) for each in growth], ".0%"),
            *(told(each, "+.3f") for each in parts),
        ])  # fmt: skip
    show_table(["scheme", "growth", "sum", "above 0", *quarters], rows)

    print("\nPerformance against other methods\n")
    rivals = list(dict.fromkeys(rival for found in runs.values() for each in found for rival in each.comparisons))
    rows = []
    for scheme, found in runs.items():
        cells = [scheme]
        for rival in rivals:
            scores = [
                each.comparisons[rival].score for each in found
                if rival in each.comparisons and each.comparisons[rival].games
            ]  # fmt: skip
            cells.append(told(scores, ".1%") + f" ({len(scores)})" if scores else "")
        rows.append(cells)
    show_table(["scheme", *rivals], rows)

    print("\nNumber of moves: plies of a game, and games that are decided\n")
    rows = []
    for scheme, found in runs.items():
        cells = [scheme]
        for part in (slice(0, 10), slice(-10, None)):
            plies = [sum(row.plies for row in each.generations[part]) for each in found]
            decided = [sum(row.decided for row in each.generations[part]) for each in found]
            games = [sum(row.games for row in each.generations[part]) for each in found]
            cells += [
                told(np.divide(plies, games).tolist(), ".0f"), told(np.divide(decided, games).tolist(), ".0%"),
            ]  # fmt: skip
        rows.append(cells)
    show_table(["scheme", "plies, first 10", "decided, first 10", "plies, last 10", "decided, last 10"], rows)

    print("\nInfluence of inheritance methods\n")
    rows = []
    for scheme, found in runs.items():
        for origin in ("mutant", "crossing", "sample"):
            born = [sum(row.newborns.get(origin, 0) for row in each.generations) for each in found]
            lived = [sum(row.survivors.get(origin, 0) for row in each.generations) for each in found]
            if not sum(born):
                continue
            new = [
                sum(row.origin == origin and row.born == row.generation for row in each.generations) for each in found
            ]
            rows.append([
                scheme, origin, f"{np.mean(born):,.0f}", told(np.divide(lived, born).tolist(), ".1%"),
                told(np.divide(new, born).tolist(), ".2%"),
            ])  # fmt: skip
    show_table(["scheme", "origin", "born in a run", "outlive their first generation", "champions at once"], rows)

    print("\nChampions: how long they have lived, in generations\n")
    rows = [
        [scheme, told([np.mean([row.generation - row.born for row in each.generations]) for each in found], ".2f"),
         told([len({row.champion for row in each.generations}) / len(each.generations) for each in found], ".0%")]
        for scheme, found in runs.items()
    ]  # fmt: skip
    show_table(["scheme", "mean age", "different ones"], rows)


def by_scheme(directories: Iterable[Path]) -> dict[str, list[EvolutionRun]]:
    """Runs by scheme, in the order of SCHEMES."""
    found: dict[str, list[EvolutionRun]] = {scheme: [] for scheme in SCHEMES}
    for directory in directories:
        try:
            run = read_run(directory)
        except InvalidGamesError as error:
            print(f"left out: {error}\n")
            continue
        if len(run.generations) < LEAST_GENERATIONS:
            print(f"left out: {directory}, {len(run.generations)} generations\n")
        else:
            found[run.settings["scheme"]].append(run)
    return {scheme: runs for scheme, runs in found.items() if runs}


def show_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table in Markdown."""
    for row in (head, ["---"] * len(head), *rows):
        print("| " + " | ".join(row) + " |")


# --- weights ---------------------------------------------------------------------------------------------------------


def show_weights(asked: argparse.Namespace) -> None:
    """What became of the weights: sizes, and how far the units of champions are in the flat parts of tanh."""
    boards = random_boards(60)
    rows = []
    for scheme, found in by_scheme(asked.runs).items():
        for after in asked.generations:
            figures_of = []
            for run, directory in zip(found, directories_of(asked.runs, found), strict=True):
                if after <= len(run.generations):
                    champion = load_runs(str(directory))[0].champion(after - 1)
                    figures_of.append(network_figures(champion.network, champion.genome, boards))
            if figures_of:
                columns = zip(*figures_of, strict=True)
                forms = (".2f", ".0%", ".0%", ".0%", ".2f", ".2f")
                rows.append(
                    [scheme, str(after), *(told(each, form) for each, form in zip(columns, forms, strict=True))]
                )
    show_table(
        ["scheme", "after", "mean weight", "at 1 or more", "flat, 40 units", "10 units", "net alone", "difference"],
        rows,
    )  # fmt: skip


def directories_of(directories: Iterable[Path], runs: Sequence[EvolutionRun]) -> list[Path]:
    """The directories of these runs, by their names."""
    return [next(each for each in directories if each.name == run.name) for run in runs]


def random_boards(games: int) -> Any:
    """Positions from random games, uint32 (n, 4)."""
    source, openings, found = random.Random(1), deck("3move"), []
    for _ in range(games):
        position = source.choice(openings).position
        for ply in range(60):
            moves = position.legal_moves()
            if not moves:
                break
            position = position.play(source.choice(moves))
            if ply % 6 == 0:
                found.append(position.bits)
    return np.array(found, dtype=np.uint32)


def network_figures(network: EvolvedNetwork, genome: Any, boards: Any) -> tuple[float, ...]:
    """Mean size of weights, share of those at 1, shares of units of both hidden layers beyond tanh(2), deviations of
    the output without the piece difference and of that difference."""
    squares = np.arange(32, dtype=np.uint32)
    black, white, kings = ((boards[:, plane, None] >> squares & 1).astype(float) for plane in range(3))
    board = (black - white) * (1 + kings * (network.king_of(genome) - 1))
    board[boards[:, 3] == 1] *= 1 if network.absolute else -1
    if not network.absolute:
        board[boards[:, 3] == 1] = board[boards[:, 3] == 1, ::-1]
    values, flat = board, []
    *hidden, (weights, bias) = network.layers(genome)
    for layer, biases in hidden:
        sums = values @ layer + biases
        flat.append(float((np.abs(sums) > 2).mean()))
        values = np.tanh(sums)
    alone = values @ weights[:, 0] + bias[0]
    difference = network.difference * board.sum(axis=1)
    sizes = np.abs(genome)
    return float(sizes.mean()), float((sizes >= 0.999).mean()), *flat[-2:], float(alone.std()), float(difference.std())


# --- ablations -------------------------------------------------------------------------------------------------------


def show_ablations(asked: argparse.Namespace) -> None:
    for scheme, arms in ARMS.items():
        if asked.schemes and scheme not in asked.schemes:
            continue
        players: dict[str, list[Rung]] = {}
        for arm, changed in arms.items():
            if asked.arms and arm not in asked.arms:
                continue
            size = changed.get("population", SCHEMES[scheme].population)
            # the same number of games for all
            generations = round(asked.generations * SCHEMES[scheme].population / size)
            players[arm] = []
            for seed in range(1, asked.seeds + 1):
                directory = asked.out / f"{scheme}, {arm}".replace(" ", "-").replace(",", "") / str(seed)
                directory.parent.mkdir(parents=True, exist_ok=True)
                settings = EvolveSettings(
                    out=directory, scheme=scheme, generations=generations, seed=seed, comparisons=0, **changed
                )
                evolve(settings)
                players[arm].append(
                    Rung(f"{scheme}, {arm} {seed}", f"evolved:{directory},generation={generations - 1}")
                )
            print(f"{scheme}, {arm}: {asked.seeds} runs of {generations} generations", flush=True)
        compare_arms(scheme, players, asked.out / "games", asked.games)


def compare_arms(scheme: str, arms: dict[str, list[Rung]], directory: Path, games: int) -> None:
    """A round robin across arms, every champion against all those of other arms; a table of what each scored."""
    ladder = Ladder(directory, games)
    base = next(iter(arms))  # what the others are changes of
    points: dict[tuple[str, str], list[list[float]]] = {}
    for arm, own in arms.items():
        for other, theirs in arms.items():
            if arm == other:
                continue
            points[arm, other] = []
            for a in own:
                scores = []
                for b in theirs:
                    if (b.name, a.name) not in ladder.met:
                        ladder.meet(a, b)
                        met = ladder.met[a.name, b.name].pairs
                        scores.append(sum(met) / (4 * len(met)))
                    else:
                        met = ladder.met[b.name, a.name].pairs
                        scores.append(1 - sum(met) / (4 * len(met)))
                points[arm, other].append(scores)
    print()
    rows = []
    for arm, own in arms.items():
        all_others = [np.mean([points[arm, other][i] for other in arms if other != arm]) for i in range(len(own))]
        cells = [scheme, arm, told(map(float, all_others), ".1%")]
        cells.append("" if arm == base else two_ways(points[arm, base]))
        rows.append(cells)
    show_table(["scheme", "change", "score against all other arms", f"against {base}"], rows)
    print(flush=True)


def two_ways(scores: list[list[float]]) -> str:
    """Mean score of the champions of one arm against those of another; its error has the chance of both arms' seeds."""
    table = np.array(scores)
    rows, error_rows = interval(table.mean(axis=1))
    _, error_columns = interval(table.mean(axis=0))
    return f"{rows:.1%} ± {np.hypot(error_rows, error_columns):.1%}"


# --- cost ------------------------------------------------------------------------------------------------------------


def show_cost(asked: argparse.Namespace) -> None:
    """Region tables fitted to self-play of the same number of games, and of the same core time."""
    directory = asked.out / f"{asked.scheme}-{asked.seed}-{asked.generations}"
    asked.out.mkdir(parents=True, exist_ok=True)
    run = evolve(
        EvolveSettings(
            out=directory, scheme=asked.scheme, seed=asked.seed, generations=asked.generations, comparisons=0
        )
    )
    name = f"{run.name} of {asked.generations} generations"
    rungs = [
        Rung(f"{name}, its own 4 plies", f"evolved:{directory}"),
        Rung(f"{name}, depth 4", str(directory / "champions.h5"), "depth=4"),
    ]
    spent = {each.name: (run.games, run.seconds) for each in rungs}
    same_games = _fitted(asked, run.games)
    rate = same_games[1] / run.games
    few = max(100, int(run.games * run.seconds / same_games[1]))
    for name, games, seconds in (
        ("tables, as many games", run.games, same_games[1]),
        ("tables, as much time", few, same_games[1] if few == run.games else _fitted(asked, few)[1]),
    ):
        rungs.append(Rung(f"{name}, depth 4", str(asked.out / f"{games}.h5"), "depth=4"))
        spent[rungs[-1].name] = (games, seconds)
    champions = champion_rungs(asked.runs, asked.milestones, asked.seeds, asked.deciders)
    ladder, fixed = play_ladder(asked, champions)
    by_name = {each.name: each for each in fixed}
    for rung in rungs:
        for other in (*YARDSTICKS, "material, depth 4", "manual, depth 4", "level 5", "shipped, depth 4", "level 7"):
            ladder.meet(rung, by_name[other], COST_GAMES)
    found = ladder.ratings(ANCHOR)
    rows = [
        [rung.name, f"{spent[rung.name][0]:,}", f"{spent[rung.name][1]:.0f}",
         f"{found[rung.name].elo:.0f} ± {found[rung.name].error:.0f}"]
        for rung in rungs
    ]  # fmt: skip
    show_table(["player", "games", "core seconds", "Elo"], rows)
    print(f"\nself-play and fit: {1000 * rate:.2f} ms a game")


def _fitted(asked: argparse.Namespace, games: int) -> tuple[Path, float]:
    """Tables fitted to self-play of `material` in so many games, and the processor time of both, in seconds."""
    weights, note = asked.out / f"{games}.h5", asked.out / f"{games}.json"
    if not note.exists():
        began = time.process_time()
        selfplay(
            SelfplaySettings(
                games=games, out=asked.out / f"{games} games", weights="material", nodes=asked.nodes, egdb="none"
            )
        )
        fit(FitSettings(directories=(asked.out / f"{games} games",), out=weights, layout=Layout.parse(asked.layout)))
        note.write_text(json.dumps({"games": games, "seconds": time.process_time() - began}) + "\n")
    return weights, float(json.loads(note.read_text())["seconds"])


# --- pictures --------------------------------------------------------------------------------------------------------


def draw_pictures(asked: argparse.Namespace) -> None:
    figure, axes = figures.new_figure(2, 12, 4.6)
    runs = by_scheme(asked.runs)
    for scheme, found in runs.items():
        length = min(len(each.champion_growth) for each in found)
        sums = np.cumsum([each.champion_growth[:length] for each in found], axis=1)
        drawn_band(axes[0], np.arange(1, length + 1), list(sums.T), scheme)
    axes[0].axhline(0, color=figures.MUTED, linewidth=0.8)
    axes[0].legend(frameon=False, fontsize=8)
    figures.finish(axes[0], "Growth, running sum", "generation", "mean of seeds, 95% band")
    ladder = json.loads((asked.ladder / "ladder.json").read_text())
    for scheme, found in runs.items():
        a_generation = found[0].games / len(found[0].generations)
        points = [(each, elo) for each in asked.generations if (elo := elo_of(ladder, scheme, each))]
        if points:
            games = np.array([each * a_generation for each, _ in points])
            drawn_band(axes[1], games, [elo for _, elo in points], scheme, "o")
    for name in ("mcts:20", "mcts:100", "difference, 4 plies", "mcts:1800"):
        axes[1].axhline(ladder[name]["elo"], color=figures.MUTED, linewidth=0.8, linestyle="--")
        axes[1].annotate(
            name, (0.01, ladder[name]["elo"]), xycoords=("axes fraction", "data"), va="top", fontsize=7,
            color=figures.MUTED,
        )  # fmt: skip
    axes[1].set_xscale("log")
    figures.finish(axes[1], "Elo of champions, random = 0", "games", "mean of seeds, 95% band")
    figures.save(figure, asked.out / "evolution.png")
    print(f"wrote {asked.out / 'evolution.png'}")


def drawn_band(ax: Any, x: Any, values: Sequence[Any], scheme: str, marker: str = "") -> None:
    """Mean of seeds and its 95% band from three seeds on. values: of the seeds at each x."""
    found = np.array([interval(each) for each in values])
    found[[len(each) < 3 for each in values], 1] = np.nan
    ax.plot(x, found[:, 0], color=COLOURS[scheme], label=scheme, marker=marker or None, markersize=4)
    ax.fill_between(
        x, found[:, 0] - found[:, 1], found[:, 0] + found[:, 1], color=COLOURS[scheme], alpha=0.15, linewidth=0
    )


# --- command line ----------------------------------------------------------------------------------------------------


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True)
    milestones = [1, 10, 50, 100, 200, 840]

    def part(name: str, run: Callable[[argparse.Namespace], None], told: str, runs: bool = True) -> Any:
        added = parts.add_parser(name, help=told, description=told)
        added.set_defaults(run_part=run)
        if runs:
            added.add_argument("runs", type=Path, nargs="+", help="directories of kr evolve")
        return added

    part("schemes", show_schemes, "the thesis's blank tables, filled in")
    ladder = part("ladder", show_ladder, "Elo of champions and of players that don't evolve on one scale")
    ladder.add_argument("--generations", type=int, nargs="+", default=milestones, help="of champions that are rated")
    ablations = part("ablations", show_ablations, "schemes with something changed: runs, and a round robin", False)
    ablations.add_argument("--out", type=Path, required=True, help="directory of the runs and matches")
    ablations.add_argument("--seeds", type=int, default=5, help="runs of each (default: 5)")
    ablations.add_argument("--generations", type=int, default=100, help="of 15 networks; as many games for others")
    ablations.add_argument("--games", type=parse_count, default=10, help="games of each two champions (default: 10)")
    ablations.add_argument("--arms", nargs="+", help="only these changes, the first one being compared with")
    ablations.add_argument("--schemes", nargs="+", choices=tuple(ARMS), help="only these")
    weights = part("weights", show_weights, "what became of the weights")
    weights.add_argument("--generations", type=int, nargs="+", default=milestones[:-1], help="of the champions")
    cost = part("cost", show_cost, "region tables from as many games, and from as much time, beside a run")
    cost.add_argument("--scheme", choices=tuple(SCHEMES), default="thesis", help="of the run (default: thesis)")
    cost.add_argument("--seed", type=int, default=1, help="of the run (default: 1)")
    cost.add_argument("--generations", type=int, default=200, help="of the run (default: 200)")
    cost.add_argument("--out", type=Path, required=True, help="directory of self-play and tables")
    cost.add_argument("--nodes", type=parse_count, default=200, help="nodes of a move in self-play (default: 200)")
    cost.add_argument("--layout", default="small", help="layout of the tables (default: small)")
    cost.add_argument("--milestones", type=int, nargs="+", default=milestones, help="as --generations of `ladder`")
    for added in (ladder, cost):
        added.add_argument("--ladder", type=Path, required=True, help="directory of the matches")
        added.add_argument("--games", type=parse_count, default=20, help="games of a match (default: 20)")
        added.add_argument(
            "--fixed-games", type=parse_count, default=20, help="of those that don't evolve (default: 20)"
        )
        added.add_argument("--deciders", type=int, default=1, help="runs of a scheme with other deciders (default: 1)")
        added.add_argument("--nearest", type=int, default=3, help="matches with the nearest by strength (default: 3)")
        added.add_argument("--seeds", type=int, default=4, help="runs of a scheme with all generations (default: 4)")
    pictures = part("pictures", draw_pictures, "growth with bands, and Elo against games")
    pictures.add_argument("--ladder", type=Path, required=True, help="directory of the matches of `ladder`")
    pictures.add_argument("--generations", type=int, nargs="+", default=milestones, help="as those of `ladder`")
    pictures.add_argument("--out", type=Path, required=True, help="directory of the picture")
    asked = parser.parse_args()
    asked.run_part(asked)


if __name__ == "__main__":
    main()
