"""Sentences that kr writes into games, counted by kind; two sets of the same games are compared.

    python bench/sentences.py choose FILE.pdn ... --games 100 --seed 1 > games.pdn
    kr annotate games.pdn --tc nodes=50k --out after.pdn        # and by another commit to before.pdn
    python bench/sentences.py count before.pdn after.pdn
    python bench/sentences.py differ before.pdn after.pdn       # the stories that are not the same

A kind is a name of kr/language/en.json of this checkout, story.turn.lost: a sentence that none of them makes is of the
kind "?", as one of a commit with other words is.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from kr.archives.archive import Archive, ReadSettings
from kr.language.sentences import texts
from kr.pdn import Game, read_games, write_game

SUBJECTS = "story", "comment"
OWN_GAME, STORY = "[%kr game", re.compile(r"\[%kr story ([^\[\]]*)\]")
COMMAND = re.compile(r"\[%[^\[\]]*\]")
PLACE = re.compile(r"\{\w+\}")
MARKED = re.compile(r"<\w+=([^<>]*)>")
END_OF_SENTENCE = re.compile(r"(?<=[a-z0-9%]\.)\s+(?=[A-Z0-9])")


def choose(options: argparse.Namespace) -> None:
    """Print some games, drawn from all that can be read."""
    number = 0
    wanted: set[int] | None = None

    def is_wanted(headers: Mapping[str, str]) -> bool:
        nonlocal number
        number += 1
        return wanted is not None and number in wanted

    def games() -> Iterator[Game]:
        for _, game in Archive(ReadSettings(files=tuple(options.files)), is_wanted, on_error=lambda path, error: None):
            yield game

    for _ in games():
        pass
    wanted = set(random.Random(options.seed).sample(range(1, number + 1), min(options.games, number)))
    number = 0
    for game in games():
        print(write_game(game), file=sys.stdout)


def kinds() -> list[tuple[str, re.Pattern[str]]]:
    """Names of sentences that stand alone, with what their texts look like; those with the most words first."""
    found: list[tuple[int, str, re.Pattern[str]]] = []
    for name, text in texts("en").items():
        if name.split(".")[0] not in SUBJECTS:
            continue
        for form in text.split("|"):
            words = PLACE.split(form)
            pattern = re.compile(".*?".join(map(re.escape, words)) + r"\Z", re.DOTALL)
            found.append((-sum(map(len, words)), name, pattern))
    return [(name, pattern) for _, name, pattern in sorted(found, key=lambda each: each[0])]


def stories(path: Path) -> list[list[str]]:
    """Sentences of the story of each game of a file."""
    told = []
    for game in read_games(path):
        own = next((comment for comment in game.comments if OWN_GAME in comment), "")
        told.append([MARKED.sub(r"\1", sentence) for sentence in STORY.findall(own)])
    return told


def sentences(path: Path) -> Iterator[str]:
    """All sentences of kr in a file's games: of the stories, then of the comments on moves."""
    for story in stories(path):
        yield from story
    for game in read_games(path):
        for node in game.mainline():
            for comment in node.comments:
                if "[%kr" in comment:
                    yield from filter(None, END_OF_SENTENCE.split(COMMAND.sub("", comment).strip()))


def counted(path: Path) -> Counter[str]:
    """Number of sentences of each kind in a file."""
    known = kinds()
    return Counter(
        next((name for name, pattern in known if pattern.match(sentence)), "?") for sentence in sentences(path)
    )


def count(options: argparse.Namespace) -> None:
    """Print how often each kind stands in each file."""
    files = [counted(path) for path in options.files]
    print(f"| sentence | {' | '.join(path.stem for path in options.files)} |")
    print(f"|---|{'---|' * len(files)}")
    for name in [*texts("en"), "?"]:
        if any(file[name] for file in files):
            print(f"| {name} | {' | '.join(str(file[name]) for file in files)} |")


def differ(options: argparse.Namespace) -> None:
    """Print the stories that two files tell differently, by the number of the game."""
    for number, (one, other) in enumerate(zip(*map(stories, options.files), strict=True), 1):
        if one != other:
            print(number, *(f"- {sentence}" for sentence in one), *(f"+ {sentence}" for sentence in other), sep="\n")


def main() -> None:
    """Choose, count or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    choosing = commands.add_parser("choose", help="draw games of archives, and write them to standard output")
    choosing.add_argument("files", type=Path, nargs="+", help="PDN files")
    choosing.add_argument("--games", type=int, default=100, help="number of games (default: 100)")
    choosing.add_argument("--seed", type=int, default=1, help="of the choice (default: 1)")
    counting = commands.add_parser("count", help="count the sentences of each kind")
    counting.add_argument("files", type=Path, nargs="+", help="annotated games, PDN")
    differing = commands.add_parser("differ", help="show the stories that two files tell differently")
    differing.add_argument("files", type=Path, nargs=2, help="the same games, annotated")
    options = parser.parse_args()
    {"choose": choose, "count": count, "differ": differ}[options.command](options)


if __name__ == "__main__":
    main()
