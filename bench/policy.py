"""Pictures of the accuracy of policies: by games of the fit, calibration, by pieces, year and player.

    kr policy test people.h5 OCA_2.0.pdn.xz --players players.h5 --against seen,nodes=500,nodes=5000 --json > test.json
    python bench/policy.py test.json --curve fits/*.h5 --out docs/lab/policy.png

The curve has the first choices of policies on their own test parts, as their cards say, by the games that each was
fitted to (`kr policy fit --games`).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from kr import figures
from kr.policy.model_file import read_policy

GROUPS = {"pieces": "pieces on the board", "year": "year of the game", "player": "player's mean loss"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("test", type=Path, help="output of kr policy test --json")
    parser.add_argument("--curve", type=Path, nargs="+", default=[], help="policies fitted to more and more games")
    parser.add_argument("--out", type=Path, required=True, help="picture to write")
    options = parser.parse_args()
    models = json.loads(options.test.read_text())["models"]
    figure, axes = figures.new_figure(3, 13, 4.2)
    draw_curve(axes[0], options.curve, models)
    draw_calibration(axes[1], models)
    draw_kinds(axes[2], models[0])
    figures.save(figure, options.out)
    print(f"wrote {options.out}")


def draw_curve(ax: Any, policies: list[Path], models: list[dict[str, Any]]) -> None:
    points = sorted(
        (card["split"]["training_games"], card["test"]["top_all"]["1"], card["test"]["top_all"]["3"])
        for card in (read_policy(path).card for path in policies)
    )
    for column, name, mark in ((1, "first choice", "o"), (2, "first three", "s")):
        ax.plot([p[0] for p in points], [p[column] for p in points], marker=mark, label=name, color=figures.BLUE)
    for each in models[1:]:
        if each["name"] != "random":
            ax.axhline(each["all"]["top1"], color=figures.MUTED, linewidth=0.8, linestyle="--")
            ax.annotate(
                f"{each['name']}, first", (1, each["all"]["top1"]), xycoords=("axes fraction", "data"), ha="right",
                va="bottom", fontsize=7, color=figures.MUTED,
            )  # fmt: skip
    ax.set_xscale("log")
    ax.legend(frameon=False, fontsize=8)
    figures.finish(ax, "More games (sight of captures)", "games of the fit", "share of moves played")


def draw_calibration(ax: Any, models: list[dict[str, Any]]) -> None:
    ax.plot([0, 1], [0, 1], color=figures.MUTED, linewidth=0.8)
    for each, color, mark in zip(
        [each for each in models if each["calibration"] and each["name"] != "random"],
        (figures.BLUE, figures.ORANGE), ("o", "^"), strict=False,
    ):  # fmt: skip
        bins = each["calibration"]
        ax.plot(
            [one["predicted"] for one in bins], [one["played"] for one in bins], marker=mark, color=color,
            label=f"{each['name']}: off by {each['calibration_error']:.4f}",
        )  # fmt: skip
    ax.legend(frameon=False, fontsize=8)
    figures.finish(ax, "Calibration", "probability", "share played")


def draw_kinds(ax: Any, model: dict[str, Any]) -> None:
    labels, shares, errors, colors = [], [], [], []
    for number, group in enumerate(GROUPS):
        for kind in (each for each in model["kinds"] if each["group"] == group and each["kind"] != "unknown"):
            labels.append(kind["kind"].removeprefix("loses ").removesuffix(" a move"))
            shares.append(kind["top1"])
            errors.append(kind["top1_error"])
            colors.append((figures.BLUE, figures.ORANGE, figures.MUTED)[number])
    places = list(range(len(labels)))[::-1]
    ax.errorbar(shares, places, xerr=errors, fmt="none", ecolor=figures.GRID, elinewidth=3)
    ax.scatter(shares, places, c=colors, s=18, zorder=3)
    ax.set_yticks(places, labels, fontsize=7)
    figures.finish(ax, "By pieces, year, player's mean loss", "first choice, unforced moves", "")


if __name__ == "__main__":
    main()
