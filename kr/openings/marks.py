"""Marking the lost openings of a deck by a search of each. This makes the deck files in selfplay/."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from kr.engine.engine import Engine
from kr.engine.limits import MOST_LIMITS, Limits
from kr.errors import InvalidSettingError
from kr.evaluation.kinds import weights_texts
from kr.openings.decks import (
    BARRED,
    LOST,
    Opening,
    deck,
    deck_header,
    deck_sources,
    format_line,
    generated,
    read_deck,
)
from kr.settings import Settings, option
from kr.storage import beside, lock
from kr.system import replace_file
from kr.units import format_count, parse_count

MARKING_HASH_MB = 16


@dataclass(frozen=True)
class MarkSettings(Settings):
    """Settings for judging the openings of a deck. Raises InvalidSettingError."""

    deck: str = option("11man", "Deck: 11man, 3move, 2move, start or endings; or a file, to be listed.")
    nodes: int = option(
        200_000, "Nodes to search each opening.", parse=parse_count, show=format_count, low=1, high=MOST_LIMITS["nodes"]
    )
    lost_score: int = option(25, "Centi-men ahead, for either side, from which an opening counts as lost.", low=1)
    weights: str | None = option(None, f"A {weights_texts()}; the shipped tables if not given.")
    accepted: Path | None = option(
        None,
        "FENs of the openings that a published list accepts; those of kr's own deck file if not given.",
        metavar="FILE",
    )
    source: str = option("", "Name of that list, and where it is published.", metavar="TEXT")

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.accepted is None) != (not self.source.strip()):
            raise InvalidSettingError("a list of accepted openings and its source belong together: give both")


def mark_deck(
    settings: MarkSettings, out: str | Path, on_opening: Callable[[Opening], None] = lambda opening: None
) -> list[Opening]:
    """Search every opening of a deck and write the deck file `out`; `on_opening` is called for each, once.

    An interrupted run leaves its progress in `out` + ".part"; make the same call to resume. Three-move openings keep
    the federation's judgement and only gain a score. Raises InvalidSettingError if the part was begun with other
    settings, OutputBusyError, InvalidWeightsError, OSError.
    """
    out = Path(out)
    part = beside(out, ".part")
    openings, source = _listed(settings)
    engine = Engine(settings.weights, hash_mb=MARKING_HASH_MB, database=None)
    search = (
        f"{settings.deck}: {len(openings)} openings, each searched {settings.nodes} nodes by {engine.name} "
        f"({engine.signature}), lost from {settings.lost_score} centi-men"
    )
    header = deck_header(search, source)
    with lock(out):
        marked = _begun(part, header, settings.deck)
        for opening in marked:
            on_opening(opening)
        with open(part, "a", encoding="utf-8", newline="\n") as file:
            if file.tell() == 0:
                file.write(header)
            for opening in openings[len(marked) :]:
                marked.append(_judged(opening, engine, settings))
                file.write(f"{format_line(marked[-1])}\n")
                file.flush()
                on_opening(marked[-1])
            os.fsync(file.fileno())
        replace_file(part, out)
    return marked


def _listed(settings: MarkSettings) -> tuple[list[Opening], str]:
    """The openings of a deck with the marks of a published list, and the name of the list."""
    openings = generated(settings.deck)
    if settings.accepted is None:
        accepted = {opening.position: opening.accepted for opening in deck(settings.deck, playable_only=False)}
        marked = [replace(each, accepted=accepted.get(each.position, each.accepted)) for each in openings]
        return marked, deck_sources(settings.deck)[1]
    named = {opening.position for opening in read_deck(settings.accepted)}
    if unknown := named - {opening.position for opening in openings}:
        raise InvalidSettingError(f"{settings.accepted}: {min(each.fen for each in unknown)} is not of {settings.deck}")
    return [replace(each, accepted=each.position in named) for each in openings], " ".join(settings.source.split())


def _judged(opening: Opening, engine: Engine, settings: MarkSettings) -> Opening:
    engine.new_game()
    score = engine.search(opening.position, Limits(nodes=settings.nodes)).score
    lost = abs(score) >= settings.lost_score and settings.deck != "3move"
    return replace(opening, score=score, standing=LOST if lost and opening.standing != BARRED else opening.standing)


def _begun(part: Path, header: str, deck: str) -> list[Opening]:
    """Openings that an interrupted run has marked; an incomplete last line is removed."""
    if not part.exists():
        return []
    text = part.read_text(encoding="utf-8")
    text = text[: text.rfind("\n") + 1]
    if not text.startswith(header):
        if not header.startswith(text):
            raise InvalidSettingError(f"{part} was begun with other settings ({text.splitlines()[0]}); remove it")
        text = ""
    os.truncate(part, len(text.encode()))
    return list(read_deck(part, deck)) if text else []
