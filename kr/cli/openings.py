"""`kr openings`."""

from pathlib import Path

from kr.cli import console, options
from kr.errors import InvalidSettingError
from kr.evaluation.chances import format_score
from kr.openings.decks import DECKS, Opening, deck, deck_sources, generated
from kr.openings.lines import name_at, named_lines
from kr.openings.marks import MarkSettings, mark_deck
from kr.openings.names import ballots
from kr.settings import option
from kr.units import counted

_LISTED = {True: "yes", False: "no", None: ""}


@options.command
def command(
    settings: MarkSettings,
    all: bool = option(False, "List lost and barred openings too."),
    names: bool = option(False, "List the names of openings instead, with their moves and ballots."),
    mark: bool = option(False, "Search each opening, and write the deck file."),
    out: Path | None = option(None, "Deck file to write, with --mark.", metavar="FILE"),
    json: bool = options.JSON,
) -> None:
    """List a deck of openings, or write its deck file, with the playable ones marked.

    Shown are number, moves, standing (playable or lost by kr's search, or barred by the federation), score (centi-men
    for the side to move), acceptance by a published list, the name among players, and position; below, the search that
    judged them and the name of the list. ":accepted" after a deck's name, here and wherever a deck is named, takes
    those of the list alone. Of a file of kr theory grade the grades are shown in place of acceptance. --mark resumes
    where it was stopped.

    Example:
        kr openings --deck 3move --all
        kr openings --names
        kr openings --deck 11man:accepted
        kr openings --deck 11man --mark --nodes 200k --out selfplay/11man.txt
        kr openings --deck 2move --mark --nodes 1M --lost-score 50 --out 2move.txt
    """
    if names:
        if mark or out:
            raise InvalidSettingError("--names lists names: leave out --mark and --out")
        _list_names(json)
        return
    if not mark:
        if out:
            raise InvalidSettingError("--out needs --mark")
        openings = deck(settings.deck, playable_only=not all)
        search, accepted = deck_sources(settings.deck.partition(":")[0])
        if json:
            entries = [_entry(opening) for opening in openings]
            about = {"judged": search or None, "accepted_by": accepted or None}
            console.emit_json({"deck": settings.deck, **about, "openings": entries})
        else:
            graded = any(each.grade for each in openings)
            rows = [
                (each.number, each.moves, each.standing, "" if each.score is None else f"{format_score(each.score):>5}",
                 each.grade if graded else _LISTED[each.accepted], name_at(each.position.bits), each.position.fen)
                for each in openings
            ]  # fmt: skip
            judged_by = "grade" if graded else "accepted"
            console.put(console.table(["number", "moves", "standing", "score", judged_by, "name", "FEN"], rows))
            for text in filter(None, (search, f"accepted: {accepted}" if accepted else "")):
                console.put("\n" + console.fold(text, 2))
        return

    if out is None or settings.deck not in DECKS:
        raise InvalidSettingError(f"--mark needs --out FILE and a deck: {', '.join(DECKS)}")
    with console.progress("openings", len(generated(settings.deck)), "openings") as progress:
        marked = mark_deck(settings, out, lambda opening: progress.advance())
    playable = sum(opening.playable for opening in marked)
    console.wrote(out, counted(len(marked), "opening"))
    if json:
        console.emit_json({"deck": settings.deck, "openings": len(marked), "playable": playable, "out": out})
    else:
        console.put(f"{counted(len(marked), 'opening')}, {playable} playable")


def _list_names(json: bool) -> None:
    lines = sorted(named_lines(), key=lambda line: line.name)
    numbers = [ballot.number if (ballot := ballots().get(line.board)) else None for line in lines]
    if json:
        entries = [
            {"name": line.name, "moves": line.moves, "ballot": number, "spellings": list(line.spellings)}
            for line, number in zip(lines, numbers, strict=True)
        ]
        console.emit_json({"names": entries})
        return
    rows = [(line.name, line.moves, number or "") for line, number in zip(lines, numbers, strict=True)]
    console.put(console.table(["name", "moves", "ballot"], rows))


def _entry(opening: Opening) -> dict[str, str | int | None]:
    return {
        "number": opening.number,
        "moves": opening.moves,
        "standing": opening.standing,
        "score": opening.score,
        "accepted": opening.accepted,
        "grade": opening.grade or None,
        "name": name_at(opening.position.bits) or None,
        "fen": opening.position.fen,
    }
