"""The tables of `kr endnet table` as text: heads and rows, for a terminal and as Markdown, with the paper's rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from kr.studies.endings.asking import THRESHOLD, WAYS
from kr.studies.endings.paper import PAPER_CONFIDENCE, PAPER_ROWS, PAPER_THRESHOLD, PAPER_THRESHOLD_PARTS
from kr.units import counted, format_clock

TableRow: TypeAlias = Mapping[str, Any]
"""A line of the table, as table.json has it."""
TextTable: TypeAlias = tuple[list[str], list[list[str]]]
"""Head and rows."""
PAPER = "the paper"
NOT_RUN = "not run"
FEW_COUNTED = 100
"""Least number of positions with a number of pieces for a share."""


def accuracy_rows(lines: Sequence[TableRow], errors: bool = True) -> TextTable:
    """Percent right by way of asking, each row of the paper above the first of kr's that it belongs to.

    errors: with half of the 95% confidence interval of each.
    """
    present = {way for line in _run(lines) for way in line["test"]["ways"]}
    ways = [way for way in WAYS if way in present]
    rows = []
    for line, paper in _with_paper(lines):
        if paper:
            row = PAPER_ROWS[paper]
            threshold = f"{PAPER_THRESHOLD:.2f}" if paper == "100%" else ""
            percents = {"net": f"{row.net:.2f}", "search": f"{row.search:.2f}", "threshold": threshold}
            trained = f"{row.training:,}" if row.training else ""
            rows.append([row.title, PAPER, trained, *(percents.get(way, "") for way in ways)])
        if not line["net"]:
            rows.append([line["title"], NOT_RUN, *[""] * (len(ways) + 1)])
            continue
        scores = line["test"]["ways"]
        cells = [_percent_error(scores[way], errors) if way in scores else "" for way in ways]
        rows.append([line["title"], line["form"], f"{line['training_positions']:,}", *cells])
    return ["trained on", "network", "positions", *ways], rows


def correlation_rows(lines: Sequence[TableRow]) -> TextTable:
    """Network and one-ply search against each other, in percent."""
    names = ("both", "only_first", "only_second", "neither")
    rows = []
    for line, paper in _with_paper(line for line in _run(lines) if line["test"]["correlation"]):
        if paper:
            row = PAPER_ROWS[paper]
            cells = (row.both, row.only_net, row.only_search, row.neither)
            rows.append([row.title, PAPER, *(f"{cell:.2f}" for cell in cells)])
        counts = line["test"]["correlation"]
        total = sum(counts.values())
        rows.append([line["title"], line["form"], *(f"{100 * counts[name] / total:.2f}" for name in names)])
    return ["trained on", "network", "both right", "only network", "only search", "neither"], rows


def confidence_rows(lines: Sequence[TableRow], errors: bool = True) -> TextTable:
    """Mean confidence where a network is right and where it is wrong, in percent, by class."""
    rows = []
    for line in _run(lines):
        score = line["test"]["ways"]["net" if line["form"] != "quiet" else "rules"]
        means = zip(score["mean_confidence_right"], score["mean_confidence_wrong"], strict=True)
        losses, draws, wins = (f"{100 * right:.2f} / {100 * wrong:.2f}" for right, wrong in means)
        rows.append([line["title"], line["form"], draws, wins, losses])
    if rows:
        paper = [f"{right:.2f} / {wrong:.2f}" for right, wrong in PAPER_CONFIDENCE.values()]
        rows.insert(0, [PAPER_ROWS["100%"].title, PAPER, *paper])
    return ["trained on", "network", "draws: right / wrong", "wins: right / wrong", "losses: right / wrong"], rows


def threshold_rows(lines: Sequence[TableRow]) -> TextTable:
    """Percent right if the network is believed from each threshold of its confidence, else the search."""
    direct = [line for line in _run(lines) if line["test"]["thresholds"]]
    thresholds = list(direct[0]["test"]["thresholds"]) if direct else []
    rows = []
    if direct:
        cells = [f"{PAPER_THRESHOLD:.2f}" if float(name) == THRESHOLD else "" for name in thresholds]
        row = PAPER_ROWS["100%"]
        rows.append([row.title, PAPER, f"{row.search:.2f}", *cells, f"{row.net:.2f}"])
    for line in direct:
        ways, positions = line["test"]["ways"], line["test"]["ways"]["net"]["positions"]
        cells = [f"{100 * right / positions:.2f}" for right in line["test"]["thresholds"].values()]
        ends = [_percent_error(ways[way], False) for way in ("search", "net")]
        rows.append([line["title"], line["form"], ends[0], *cells, ends[1]])
    names = [f"{100 * float(name):g}%" for name in thresholds]
    return ["trained on", "network", "search", *names, "network alone"], rows


def threshold_part_rows(lines: Sequence[TableRow]) -> TextTable:
    """Positions answered by the network and by the search at the paper's threshold: share of all, percent right."""
    rows = []
    direct = [line for line in _run(lines) if line["test"]["thresholds"]]
    if direct:
        rows.append([PAPER_ROWS["100%"].title, PAPER, *(f"{part:.2f}" for part in PAPER_THRESHOLD_PARTS)])
    for line in direct:
        net = line["test"]["ways"]["net"]
        bins = net["confidence"]
        above = bins[round(THRESHOLD * len(bins)) :]
        positions, right = (sum(counts[i] for counts in above) for i in (0, 1))
        below = net["positions"] - positions
        searched = line["test"]["thresholds"][f"{THRESHOLD:g}"] - right
        parts = (
            positions / net["positions"], right / max(positions, 1),
            below / net["positions"], searched / max(below, 1),
        )  # fmt: skip
        rows.append([line["title"], line["form"], *(f"{100 * part:.2f}" for part in parts)])
    return ["trained on", "network", "above: share", "network right", "below: share", "search right"], rows


def kind_rows(lines: Sequence[TableRow]) -> TextTable:
    """Percent right by the best way of each line, by class, where a capture is pending, and by number of pieces."""
    best_ways = [
        (line, max(line["test"]["ways"].items(), key=lambda way: int(way[1]["right"]))) for line in _run(lines)
    ]
    pieces = sorted({int(count) for _, (_, score) in best_ways for count in score["by_pieces"]})
    rows = []
    for line, (way, score) in best_ways:
        losses, draws, wins = (f"{100 * recall:.2f}" for recall in score["recall"])
        kinds = [_share(score[name]) for name in ("quiet", "captures")]
        counts = [_share(score["by_pieces"].get(str(count), (0, 0)), FEW_COUNTED) for count in pieces]
        rows.append([line["title"], line["form"], way, losses, draws, wins, *kinds, *counts])
    heads = ["trained on", "network", "way", "losses", "draws", "wins", "quiet", "captures"]
    return [*heads, *(f"{count} pieces" for count in pieces)], rows


def cost_rows(lines: Sequence[TableRow]) -> TextTable:
    """Cost of each network and of its test."""
    rows = {}
    for line in _run(lines):
        cost, test = line["cost"], line["test"]["cost"]
        positions = next(iter(line["test"]["ways"].values()))["positions"]
        rows[line["net"]] = [
            line["net"], line["shape"], f"{line['weights']:,}", f"{line['used_positions']:,}", str(line["epochs"]),
            _clock(cost.get("seconds")), _size(cost.get("memory")), f"{positions:,}", _clock(test["seconds"]),
            _size(test["memory"]),
        ]  # fmt: skip
    return [
        "network", "shape", "weights", "positions used", "epochs", "training", "memory", "tested on", "test", "memory",
    ], list(rows.values())  # fmt: skip


TABLES: dict[str, tuple[Callable[..., TextTable], ...]] = {
    "sampling": (accuracy_rows, correlation_rows, kind_rows, cost_rows),
    "confidence": (confidence_rows, threshold_rows, threshold_part_rows),
    "transfer": (accuracy_rows, correlation_rows, kind_rows, cost_rows),
    "finetune": (accuracy_rows, correlation_rows, kind_rows, cost_rows),
}
"""The tables of each experiment."""
TITLES: dict[Callable[..., TextTable], str] = {
    accuracy_rows: "Positions right, in percent, with half of the 95% confidence interval.",
    correlation_rows: "Network and one-ply search, in percent of the positions.",
    kind_rows: "Positions right by kind of position, in percent, by the best way of each line.",
    confidence_rows: "Mean confidence where the network is right and where it is wrong, in percent.",
    threshold_rows: "Positions right, in percent, if the network is believed from some confidence on, else the search.",
    threshold_part_rows: f"The two parts at {THRESHOLD:.0%}, in percent.",
    cost_rows: "What it cost. Positions used are those left of the training positions without captures, if the network "
    "is for quiet ones.",
}


def table_markdown(table: Mapping[str, Any]) -> str:
    """All experiments as Markdown."""
    settings = table["settings"]
    parts = [f"`kr endnet table --set {settings['set']} --scale {settings['scale']:g} --seed {settings['seed']}`"]
    for name, lines in table["experiments"].items():
        parts.append(f"### {name.capitalize()}")
        for rows_of in TABLES[name]:
            if text := markdown(*rows_of(lines)):
                parts += [TITLES[rows_of], text]
    return "\n\n".join(parts) + "\n"


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown; "" without rows."""
    if not rows:
        return ""
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *rows))


def tested_text(lines: Sequence[TableRow]) -> str:
    """Number of positions that networks were tested on, and the largest error of their accuracy."""
    scores = [score for line in _run(lines) for score in line["test"]["ways"].values()]
    counts = sorted({score["positions"] for score in scores})
    error = max(score["error"] for score in scores)
    return f"tested on {' or '.join(counted(count, 'position') for count in counts)}, ±{100 * error:.2f} at most"


def _run(lines: Iterable[TableRow]) -> list[TableRow]:
    return [line for line in lines if line["net"]]


def _with_paper(lines: Iterable[TableRow]) -> list[tuple[TableRow, str]]:
    """Lines, each with the key of the paper's row if it is the first that has it."""
    keys: set[str] = set()
    pairs = []
    for line in lines:
        key = line["paper"] if line["paper"] not in keys else ""
        keys.add(key)
        pairs.append((line, key))
    return pairs


def _percent_error(score: Mapping[str, Any], errors: bool) -> str:
    percent = f"{100 * score['accuracy']:.2f}"
    return f"{percent} ±{100 * score['error']:.2f}" if errors else percent


def _share(counts: Sequence[int], least: int = 1) -> str:
    """Percent right; "" for fewer than `least` positions."""
    positions, right = counts
    return f"{100 * right / positions:.2f}" if positions >= least else ""


def _clock(seconds: float | None) -> str:
    return "" if seconds is None else format_clock(seconds)


def _size(size: int | None) -> str:
    return "" if size is None else f"{size / 1e9:.2f} GB"
