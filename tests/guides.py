"""The commands of the guides as a reader types them, and what a test puts behind each to make it short."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]
GUIDES = sorted({*(CHECKOUT / "docs" / "guides").glob("*.md")} - {CHECKOUT / "docs" / "guides" / "gallery.md"})
"""All but the gallery, whose programs tests/test_gallery.py runs."""
PAGES = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs" / "start").glob("first-*.md")), *GUIDES]
SHELL = {"mkdir", "openssl", "chmod"}
"""Programs of the system, which are run as they stand."""
ELSEWHERE = {"make", "sudo", ".", "python3", "dask", "while", "docker", "kubectl"}
"""What installs, or needs other machines; the targets of make are those of tests/test_make_targets.py."""
LONG = "kr (policy (fit|show|players)|endnet|theory shipped|book cooks shipped) "
"""What takes seconds also at its least, or needs what that makes; it runs in `make soak`."""
OTHERS = "HOST|scheduler.json|tls://"
"""In commands for clusters that are not here."""

STANDS_FOR = {
    "hub:your-engine --hub": f"hub:{sys.executable} -m kr hub --weights material",
    # five pieces come with kr, six take a minute and seven half an hour
    "--pieces 2-6": "--pieces 2-5",
    "--pieces 5-6": "--pieces 4-5",
    "--dir egdb7 --pieces 4v3": "--dir egdb7 --pieces 2v1",
    "--pieces 4v3": "--pieces 3v2",
    "annotate archive.pdn.xz": "annotate games.pdn",
    # further limits are searched for too
    "solve-problem problems.pdn --tc 1s": "solve-problem problems.pdn",
    "/data/egdb": "egdb3",
    "evolved:thesis-1,generation=50": "evolved:thesis-1,generation=1",
    "evolved:thesis-1,generation=10": "evolved:thesis-1,generation=1",
}
"""Names that a reader has other words for."""
LESS = {
    "selfplay": "--games 40 --nodes 20 --weights material",
    "fit (?!.*--regions)": "--layout tiny.toml --max-iter 2",
    "fit .*--regions": "--max-iter 2",
    "match": "--games 2 --tc nodes=50 --hash 1MB",
    "ladder": "--most 2 --block 2 --tc nodes=50 --hash 1MB",
    "train (?!.*--status)": "--games 30 --nodes 20 --generations 1 --gate-games 4 --gate-nodes 20 --layout tiny.toml "
    "--hash 1MB --gate-hash 1MB",
    "analyze": "--tc nodes=2000 --hash 1MB",
    "annotate": "--tc nodes=50 --hash 1MB",
    "annotate (?!.*--from-ply)": "--from-ply 30",
    "solve-problem": "--tc nodes=500 --workers 1 --hash 1MB",
    "prove (?!--check)": "--tc nodes=200k --hash 1MB",
    "problem check": "--tc nodes=20k --workers 1 --hash 1MB",
    "problem vary first-position": "--changes 1",
    "problem vary": "--tc nodes=100 --workers 1 --hash 1MB",
    "problem vary .*--tc 10s": "--pieces 4",
    "problem find": "--nodes 5k --proof 2k --share 0.02 --workers 1",
    "problem find egdb": "--positions 200",
    "book build": "--openings start --positions 20 --nodes 100",
    "book verify": "--share 0.2 --times 2",
    "book cooks .*--nodes": "--nodes 200 --count 2",
    "theory grade": "--tc nodes=200 --sample 5 --workers 1",
    "egdb sample .*--count": "--count 2000",
    "egdb sample .*--fraction": "--fraction 0.00002",
    "egdb build": "--pieces 3",
    "endnet fit": "--limit 500 --epochs 1 --hidden 8,4 --channels 4",
    "endnet test": "--limit 200",
    "policy fit": "--games 30 --epochs 1 --max-iter 1 --hidden 8,8",
    "policy players": "--nodes 100",
    "evolve --": "--generations 2 --games 2 --comparisons 1 --playouts 2 --population 4",
    "play (?!.*--(out|resume))": "--out {number}.pdn",
    "web": "--no-browser",
}
"""By the beginnings of commands, options behind them: sizes and limits as any reader may choose them."""


def commands(page: Path) -> list[str]:
    """The command lines of a page in their order; of a block that shows what is printed, those after a `$`."""
    found: list[str] = []
    for block in blocks(page.read_text(encoding="utf-8")):
        lines = block.replace("\\\n", " ").splitlines()
        shown = [line[2:] for line in lines if line.startswith("$ ")]
        found += shown or [line for line in lines if re.match(r"[a-z.][a-z0-9]* ", line) or line == "kr play"]
    return found


def blocks(text: str) -> Iterator[str]:
    """The fenced blocks of a page that have commands."""
    language, lines = None, []
    for line in text.splitlines(keepends=True):
        if not line.startswith("```"):
            lines.append(line)
        elif language is None:
            language, lines = line[3:].strip(), []
        else:
            if language in ("", "console", "bat"):
                yield "".join(lines)
            language = None


def short(command: str, number: int) -> str:
    """The command with what makes it short behind it; number: which command of its page it is."""
    for written, meant in STANDS_FOR.items():
        command = command.replace(written, meant)
    line = re.split(r"\s+# ", command)[0]
    line, _, target = line.partition(" > ")
    added = " ".join(options for start, options in LESS.items() if re.match(f"kr ({start})", line + " "))
    return f"{line} {added.format(number=number)}" + (f" > {target}" if target else "")
