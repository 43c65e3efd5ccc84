"""`kr learn`."""

import datetime
from pathlib import Path
from typing import Any

from kr.cli import console, options
from kr.errors import InvalidSettingError
from kr.problems.lessons import LearnSettings, chosen, lessons_from, read_training, shelf_of, write_training
from kr.problems.shelf import ShelfPuzzle
from kr.settings import option
from kr.storage import check_output, lock, no_file
from kr.units import counted


@options.command
def command(
    settings: LearnSettings,
    list_: bool = option(False, "List the puzzles instead of asking them."),
    export: Path | None = option(None, "Write your progress to this file, for the page or another machine."),
    import_: Path | None = option(None, "Take the progress of this file in place of yours."),
    json: bool = options.JSON,
) -> None:
    """Solve puzzles and take courses in the terminal.

    A puzzle near your rating is shown; type moves as 11-15, or as squares in a row. "hint", "solution", "next" and
    "quit" are commands, and "help" lists the others. Each move is judged by the endgame database, the published
    solution or a search. What you miss comes again after 1, 3, 7 and 21 days (--due). Rating and progress are kept in
    the user's data directory; --export and --import exchange them with the page Learn. With --json each event is an
    object on its own line, and with --list the puzzles are one object.

    Example:
        kr learn
        kr learn --theme shot --rating 1200-1500
        kr learn --daily
        kr learn --course first-position
        kr learn --list --theme bridge --json
        kr learn --export progress.json
    """
    path = settings.progress_path
    if list_ and (import_ is not None or export is not None):
        raise InvalidSettingError("--list goes with neither --import nor --export; give them one after the other")
    if import_ is not None or export is not None:
        _exchange(path, import_, export)
        return
    if list_:
        day = datetime.date.today()
        training = read_training(path)
        puzzles = chosen(shelf_of(settings), settings, training, day)
        objects = [_object(each, training.is_solved(each.key) or each.id in training.steps) for each in puzzles]
        if json:
            console.emit_json({"puzzles": objects, "due": len(training.due(day.toordinal()))})
        else:
            rows = [
                (each["id"], each["result"], str(each["rating"] or ""), ", ".join(each["themes"]),
                 "solved" if each["solved"] else "")
                for each in objects
            ]  # fmt: skip
            console.put(console.table(["puzzle", "result", "rating", "themes", ""], rows))
            console.put(f"\n{counted(len(rows), 'puzzle')}")
        return
    from kr.cli.terminal import Lines, Terminal

    with lessons_from(settings, Lines() if json else Terminal()) as lessons:
        lessons.run()


def _exchange(path: Path, source: Path | None, target: Path | None) -> None:
    if source is not None:
        if not source.exists():
            raise InvalidSettingError(no_file(source, "the progress that kr learn or its page saves"))
        with lock(path):
            training = read_training(source)
            write_training(training, path)
        console.wrote(path, f"{counted(len(training.puzzles), 'puzzle')} from {source}")
    if target is not None:
        check_output(target)
        training = read_training(path)
        write_training(training, target)
        console.wrote(target, counted(len(training.puzzles), "puzzle"))


def _object(each: ShelfPuzzle, solved: bool) -> dict[str, Any]:
    return {
        "id": each.id, "origin": each.origin, "fen": each.fen, "result": each.result, "rating": each.rating,
        "themes": list(each.themes), "solved": solved,
    }  # fmt: skip
