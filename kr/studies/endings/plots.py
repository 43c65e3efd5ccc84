"""Pictures of `kr endnet table`: accuracy by training positions, confidence where right and wrong, confusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr import figures
from kr.studies.endings.model_file import CLASSES
from kr.studies.endings.paper import PAPER_ROWS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WAY_STYLES = {
    "net": ("#0072b2", "o", "-"), "search": ("#56b4e9", "^", "--"), "threshold": ("#009e73", "D", "-"),
    "rules": ("#d55e00", "s", "-"), "plies1": ("#e69f00", "v", "--"), "plies2": ("#cc79a7", "P", "--"),
    "best": ("#0b0b0b", "*", "-"),
}  # fmt: skip
"""Colour, mark and line of a way of asking; colours that remain distinct for the colour-blind."""
FORM_WORDS = {"paper": "the paper's net", "direct": "kr, all positions", "quiet": "kr, quiet positions"}


def draw_table(table: Mapping[str, Any], directory: Path) -> list[Path]:
    """Draw all pictures of a table of `table.json`; returns their paths. Raises OSError."""
    pictures: list[tuple[str, Figure]] = []
    experiments = {name: [line for line in lines if line["net"]] for name, lines in table["experiments"].items()}
    sampled = next((experiments[name] for name in ("sampling", "confidence") if experiments.get(name)), [])
    if sampled:
        pictures.append(("sampling", sampling_figure(sampled)))
    names: set[str] = set()
    for lines in experiments.values():
        for line in lines:
            name = line["net"]
            if name not in names:
                names.add(name)
                pictures += [
                    (f"{name}-confidence", confidence_figure(line)),
                    (f"{name}-confusion", confusion_figure(line)),
                ]
    paths = []
    for name, figure in pictures:
        paths.append(directory / f"{name}.png")
        figures.save(figure, paths[-1])
    return paths


def sampling_figure(lines: Sequence[Mapping[str, Any]]) -> Figure:
    """Accuracy by training positions: the paper's network and search, and each of kr's ways, with errors."""
    figure, [ax] = figures.new_figure(1, 8, 5)
    rows = [PAPER_ROWS[name] for name in ("0.1%", "1%", "10%", "100%")]
    for way, style in (("net", "-"), ("search", "--")):
        ax.plot(
            [row.training for row in rows], [getattr(row, way) for row in rows], color=figures.MUTED, linestyle=style,
            marker=".", label=f"the paper: {way}",
        )  # fmt: skip
    curves: dict[tuple[str, str], list[tuple[int, Mapping[str, Any]]]] = {}
    for line in lines:
        for way, score in line["test"]["ways"].items():
            curves.setdefault((line["form"], way), []).append((line["training_positions"], score))
    for (form, way), points in curves.items():
        points.sort(key=lambda point: point[0])
        color, marker, style = WAY_STYLES[way]
        ax.errorbar(
            [positions for positions, _ in points], [100 * score["accuracy"] for _, score in points],
            yerr=[100 * score["error"] for _, score in points], color=color, marker=marker,
            linestyle=":" if form == "paper" else style, capsize=2, label=f"{FORM_WORDS[form]}: {way}",
        )  # fmt: skip
    ax.set_xscale("log")
    figures.finish(ax, "", "training positions", "right, %")
    ax.legend(frameon=False, labelcolor=figures.INK, fontsize=8, loc="lower right")
    figures.headline(figure, "positions right by training positions", lines[0]["title"].split(",")[0])
    return figure


def confidence_figure(line: Mapping[str, Any]) -> Figure:
    """Numbers of positions that a network is right and wrong about, by its confidence, and the share that is right."""
    way = "net" if "net" in line["test"]["ways"] else "rules"
    bins = line["test"]["ways"][way]["confidence"]
    # the largest of three probabilities is at least a third
    numbers = [i for i in range(len(bins)) if (i + 1) / len(bins) > 1 / 3]
    edges = [100 * i / len(bins) for i in numbers]
    positions, right = ([bins[i][part] for i in numbers] for part in (0, 1))
    wrong = [count - good for count, good in zip(positions, right, strict=True)]
    width = 100 / len(bins)
    figure, (counts, shares) = figures.new_figure(2, 10, 4)
    counts.bar(edges, right, width, align="edge", color=figures.BLUE, label="right")
    counts.bar(edges, wrong, width / 2, align="edge", color=figures.ORANGE, label="wrong")
    counts.set_yscale("symlog")
    counts.legend(frameon=False, labelcolor=figures.INK)
    figures.finish(counts, "positions", "confidence, %", "positions")
    filled = [i for i, count in enumerate(positions) if count]
    shares.plot(
        [edges[i] + width / 2 for i in filled], [100 * right[i] / positions[i] for i in filled], color=figures.BLUE,
        marker="o", markersize=3,
    )  # fmt: skip
    shares.plot([100 / 3, 100], [100 / 3, 100], color=figures.MUTED, linestyle="--", linewidth=1)
    figures.finish(shares, "as often right as it says (dashed)?", "confidence, %", "right, %")
    figures.headline(figure, line["title"], FORM_WORDS[line["form"]], f"asked by {way}")
    return figure


def confusion_figure(line: Mapping[str, Any]) -> Figure:
    """Answers of a network for positions of each value, a panel for each way of asking."""
    ways = line["test"]["ways"]
    figure, axes = figures.new_figure(len(ways), 2.6 * len(ways) + 0.6, 3.2)
    for ax, (way, score) in zip(axes, ways.items(), strict=True):
        _confusion(ax, score["confusion"])
        figures.finish(ax, f"{way}: {100 * score['accuracy']:.2f}%", "said", "is")
        ax.grid(visible=False)
    figures.headline(figure, line["title"], FORM_WORDS[line["form"]])
    return figure


def _confusion(ax: Axes, counts: Sequence[Sequence[int]]) -> None:
    shares = [[100 * count / max(sum(row), 1) for count in row] for row in counts]
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=100)
    for i, row in enumerate(shares):
        for j, share in enumerate(row):
            ax.text(j, i, f"{share:.2f}", ha="center", va="center", color="white" if share > 50 else figures.INK)
    ax.set_xticks(range(len(CLASSES)), CLASSES)
    ax.set_yticks(range(len(CLASSES)), CLASSES)
