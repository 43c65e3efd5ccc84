"""Puzzles and courses at a table of `kr.play`: in the terminal, or line by line for a program.

    with lessons_from(LearnSettings(theme="shot"), table) as lessons:
        lessons.run()

Progress is a `Training` in a file, written after each change; another process can't use it at the same time.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kr.analysis.analysis import Analysis, analyze
from kr.analysis.sources import Task
from kr.archives.archive import ReadSettings
from kr.egdb.database import load_database
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.settings import egdb_memory_option, egdb_option, hash_option, weights_option
from kr.errors import IllegalMoveError, InvalidSettingError
from kr.game.board import Board
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.notation import SIDE_NAMES, square_name
from kr.play.input import next_squares, read_move
from kr.play.table import Event, Table, View
from kr.problems.courses import EndingCourse, load_courses
from kr.problems.puzzles import DATABASE, DRAWS_EVERY, SEARCH, SOLUTION, Puzzle, Verdict, own_puzzles
from kr.problems.shelf import Origin, PuzzleShelf, ShelfPuzzle
from kr.problems.themes import Theme
from kr.problems.training import Training
from kr.settings import Settings, option, same_option
from kr.storage import lock, parse_json, read_regular, write_atomic
from kr.system import data_folder
from kr.units import MEBIBYTE, counted

OTHER_GOAL = 150
"""Rating by which a puzzle may be farther away than one with the other goal."""
WINS_FIRST = 10
"""Puzzles that a beginner solves before the first one to draw, and easier ones."""
PROGRESS_FILE = "learn.json"
LESSON_COMMANDS = {
    "hint": "show the piece that can make a right move, then the move",
    "solution": "show the solution; the puzzle then comes again tomorrow",
    "next": "go on to another puzzle",
    "again": "begin this puzzle again",
    "moves": "list the legal moves",
    "board": "show the board again",
    "rating": "show your rating and what is due",
    "help": "show this list",
    "quit": "leave; everything is kept",
}
"""Commands and their descriptions."""
_OTHER_WORDS = {"?": "help", "h": "hint", "s": "solution", "n": "next", "r": "again", "exit": "quit", "q": "quit"}
_BY = {DATABASE: "by the endgame database", SOLUTION: "by the published solution", SEARCH: "by kr's search"}


def parse_ratings(text: str) -> tuple[int, int]:
    """Least and greatest rating of a text such as 1200-1500 or 1800. Raises InvalidSettingError."""
    match = re.fullmatch(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?", text)
    if match is None or int(match[2] or match[1]) < int(match[1]):
        raise InvalidSettingError(f"{text!r} is not a range of ratings such as 1200-1500")
    return int(match[1]), int(match[2] or match[1])


@dataclass(frozen=True)
class LearnSettings(Settings):
    """Choice of puzzles. Raises InvalidSettingError for contradictions."""

    theme: str = option("", f"Only puzzles of a theme: {', '.join(Theme)}.", choices=("", *Theme), metavar="THEME")
    rating: tuple[int, int] | None = option(
        None, "Only puzzles of such a rating.", parse=parse_ratings, metavar="LOW-HIGH",
        show=lambda pair: "-".join(map(str, pair)),
    )  # fmt: skip
    goal: str = option("", "Only puzzles to win, or to draw.", choices=("", "win", "draw"), metavar="win|draw")
    daily: bool = option(False, "The puzzle of the day.")
    due: bool = option(False, "Puzzles that were missed and are due today.")
    course: str = option("", "The steps of a course; a wrong name lists them.", metavar="COURSE")
    puzzle: str = option("", "The puzzle of this id.", metavar="ID")
    problems: tuple[Path, ...] = option((), "Problems of your own beside those of kr.", metavar="FILE")
    results: str = same_option(ReadSettings, "results")
    progress: Path | None = option(
        None, f"File of your progress; {PROGRESS_FILE} in the user's data directory if not given.", metavar="FILE"
    )
    tc: Limits = option(
        Limits(time=0.3, nodes=200_000), "Limit of a search that judges a move beyond the database and the solution.",
        parse=Limits.parse,
    )  # fmt: skip
    weights: str | None = weights_option()
    hash: int = hash_option()
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        named = [name for name in ("daily", "due", "course", "puzzle") if getattr(self, name)]
        if len(named) > 1:
            raise InvalidSettingError(f"--{named[0]} and --{named[1]} both name the puzzles: expected one of them")
        if named and (self.theme or self.rating or self.goal):
            raise InvalidSettingError(f"--{named[0]} names the puzzles: leave out --theme, --rating and --goal")
        if self.tc == Limits():
            raise InvalidSettingError("--tc sets no limit: expected one such as 1s or nodes=20000")

    @property
    def progress_path(self) -> Path:
        """File of the progress."""
        return self.progress or data_folder() / PROGRESS_FILE


def read_training(path: Path) -> Training:
    """Progress of a file; a new one if there is none. Raises InvalidSettingError, OSError."""
    if not path.exists():
        return Training()
    try:
        return Training.from_object(parse_json(read_regular(path, 1 << 26)))
    except InvalidSettingError as error:
        raise InvalidSettingError(f"{path}: {error}") from None
    except ValueError:
        raise InvalidSettingError(f"{path}: not JSON; expected the progress that kr learn or its page saves") from None


def write_training(training: Training, path: Path) -> None:
    """Write progress to a file, as a whole. Raises OSError."""
    write_atomic(path, json.dumps(training.as_object(), ensure_ascii=False))


def shelf_of(settings: LearnSettings) -> PuzzleShelf:
    """The puzzles of some settings. Raises what `load_puzzles` raises."""
    return PuzzleShelf(own_puzzles(settings.problems, settings.results))


def chosen(shelf: PuzzleShelf, settings: LearnSettings, training: Training, day: datetime.date) -> list[ShelfPuzzle]:
    """Puzzles that the settings ask for, in the order of their ratings. Raises InvalidSettingError."""
    if settings.course:
        return [shelf.puzzles[step.problem.id] for step in _course(settings.course).steps]
    if settings.daily:
        return [shelf.daily(day, is_beginner(training))]
    if settings.puzzle:
        if settings.puzzle not in shelf.puzzles:
            raise InvalidSettingError(f"there is no puzzle {settings.puzzle!r}; kr learn --list shows the ids")
        return [shelf.puzzles[settings.puzzle]]
    puzzles = shelf.of(Origin.CLASSIC, Origin.COLLECTION, Origin.OWN)
    if settings.due:
        by_key = {each.key: each for each in puzzles}
        return [by_key[key] for key in training.due(day.toordinal()) if key in by_key]
    low, high = settings.rating or (0, 10_000)
    matches = [
        each
        for each in puzzles
        if (not settings.theme or settings.theme in each.themes)
        and (settings.rating is None or (each.rating is not None and low <= each.rating <= high))
        and (not settings.goal or (each.result != "" and (each.result == "draw") == (settings.goal == "draw")))
    ]
    return sorted(matches, key=lambda each: (each.rating is None, each.rating or 0))


def _course(name: str) -> EndingCourse:
    courses = {course.id: course for course in load_courses()}
    if name not in courses:
        raise InvalidSettingError(f"there is no course {name!r}: expected one of {', '.join(courses)}")
    return courses[name]


def is_beginner(training: Training) -> bool:
    """True as long as puzzles to win come first, and easier ones."""
    return sum(map(training.is_solved, training.puzzles)) < WINS_FIRST


def following(puzzles: Iterable[ShelfPuzzle], training: Training, day: int, seen: int) -> ShelfPuzzle | None:
    """The unsolved or due puzzle nearest to the rating of the solver; what was missed and waits comes last.

    seen: puzzles before it; every third one is rather to draw. Who has solved fewer than WINS_FIRST gets those to win,
    near the rating less its deviation.
    """
    due = set(training.due(day))
    solver = training.rating_on(day)
    begins = is_beginner(training)
    rating = solver.rating - solver.deviation if begins else solver.rating
    is_draw_next = seen % DRAWS_EVERY == DRAWS_EVERY - 1

    def place(each: ShelfPuzzle) -> tuple[bool, bool, float]:
        waits = each.key in training.boxes and each.key not in due
        late = begins and each.result == "draw"
        other = 0 if begins or (each.result == "draw") == is_draw_next else OTHER_GOAL
        return waits, late, abs(each.rating - rating) + other if each.rating is not None else float("inf")

    unsolved = [each for each in puzzles if not training.is_solved(each.key) or each.key in due]
    return min(unsolved, key=place, default=None)


class _Next(Exception):
    """The person goes on to another puzzle."""


class Lessons:
    """Puzzles one after the other. search: as for Puzzle; save: called after each change; today: the person's day."""

    def __init__(
        self,
        settings: LearnSettings,
        shelf: PuzzleShelf,
        training: Training,
        table: Table,
        make_puzzle: Callable[[ShelfPuzzle], Puzzle],
        save: Callable[[], None] = lambda: None,
        today: Callable[[], datetime.date] = datetime.date.today,
    ) -> None:
        self._settings, self._shelf, self._table = settings, shelf, table
        self.training = training
        self._make_puzzle, self._save, self._today = make_puzzle, save, today
        self._seen: set[str] = set()
        self._plans = {step.problem.id: step.plan for course in load_courses() for step in course.steps}
        self._began = is_beginner(training)  # the puzzle of the day stays as the last of the first ten is solved
        self._helped = self._searched = False

    def run(self) -> int:
        """Say the rating, then show puzzles until none is left or the person leaves.

        Returns the number of those that were solved. Raises InvalidSettingError for a choice that can't be.
        """
        chosen(self._shelf, self._settings, self.training, self._today())
        self.tell_rating()
        solved = 0
        try:
            while (each := self._next()) is not None:
                self._seen.add(each.id)
                try:
                    solved += self._solve(each)
                except _Next:
                    continue
        except EOFError:
            self._tell("left", "Everything is kept.", solved=solved)
            return solved
        why = (
            "No puzzle is left: change the choice, or come back tomorrow." if self._seen else "There is no such puzzle."
        )
        if self._settings.due:
            why = "Nothing is due today." if not self._seen else "Nothing more is due today."
        elif self._settings.course:
            why = "The course is complete."
        self._tell("end", why, solved=solved)
        return solved

    def _next(self) -> ShelfPuzzle | None:
        """The puzzle to solve next, near the rating of the solver; None if there is none."""
        settings, training, day = self._settings, self.training, self._today()
        if settings.daily:
            return None if self._seen else self._daily()
        puzzles = [each for each in chosen(self._shelf, settings, training, day) if each.id not in self._seen]
        if settings.course:
            return next((each for each in puzzles if each.id not in training.steps), None)
        if settings.puzzle or settings.due:
            return next(iter(puzzles), None)
        return following(puzzles, training, day.toordinal(), len(self._seen))

    def _daily(self) -> ShelfPuzzle:
        return self._shelf.daily(self._today(), self._began)

    # --- one puzzle

    def _solve(self, each: ShelfPuzzle) -> bool:
        """One puzzle, tried again until it is solved or given up. Raises EOFError, _Next."""
        puzzle = self._make_puzzle(each)
        self._helped = self._searched = False
        board = self._begin(each, puzzle)
        prefix: tuple[int, ...] = ()
        hinted = False
        while True:
            line = self._ask(board, prefix)
            word = line.strip().lower()
            match _OTHER_WORDS.get(word, word):
                case "":
                    continue
                case "quit":
                    raise EOFError
                case "next":
                    raise _Next
                case "again":
                    board, prefix, hinted = self._begin(each, puzzle), (), False
                case "help":
                    text = "\n".join(f"{name:<10}{what}" for name, what in LESSON_COMMANDS.items())
                    self._tell("help", text, commands=LESSON_COMMANDS)
                case "moves":
                    texts = list(map(str, board.legal_moves()))
                    self._tell("moves", " ".join(texts), moves=texts)
                case "board":
                    self._show(each, puzzle, board)
                case "rating":
                    self.tell_rating()
                case "hint":
                    self._missed(each, "hints")
                    move, by = puzzle.best(board)
                    text = f"{move} is right, {_BY[by]}." if hinted else (
                        f"The piece on {square_name(move.origin)} can make a right move; hint again shows the move."
                    )  # fmt: skip
                    self._tell("hint", text, by=by, **({"move": str(move)} if hinted else {"square": move.origin + 1}))
                    hinted = True
                case "solution":
                    self._missed(each, "hints")
                    moves, by = puzzle.solution(board)
                    texts = list(map(str, moves))
                    self._tell("solution", f"{' '.join(texts)}\n({_BY[by]})", moves=texts, by=by)
                    return False
                case _:
                    try:
                        move_or_path = read_move(line, board.position, prefix)
                    except IllegalMoveError as error:
                        prefix = ()
                        self._tell("error", str(error))
                        continue
                    if not isinstance(move_or_path, Move):
                        prefix = move_or_path
                        squares = [square_name(square) for square in next_squares(board.position, prefix)]
                        self._tell("more", f"to {', '.join(squares)}?", squares=squares)
                        continue
                    prefix, hinted = (), False
                    if (ended := self._play(each, puzzle, board, move_or_path)) is not None:
                        return ended

    def _begin(self, each: ShelfPuzzle, puzzle: Puzzle) -> Board:
        board = puzzle.begin()
        self._helped = self._searched = False
        problem = each.problem
        task = f"{SIDE_NAMES[puzzle.solver]} to play and {puzzle.goal}"
        title = problem.title or f"{task} ({each.id})"
        if each.origin is Origin.COURSE:
            course, _, number = each.id.rpartition("/")
            title += f", step {number} of {len(_course(course).steps)}"
        if self._settings.daily and each.id == self._daily().id:
            title = f"Puzzle of the day: {title}"
        lines = [
            title + (f", rated {each.rating}" if each.rating else ""),
            "" if title.startswith(task) else task,
            self._plans.get(each.id, ""),
        ]
        if board.moves:
            lines.append(f"{SIDE_NAMES[puzzle.solver.other]} has played {board.moves[0]}.")
        facts = {
            "id": each.id, "title": title, "fen": problem.position.fen, "goal": str(puzzle.goal),
            "goal_by": puzzle.goal_by, "solver": SIDE_NAMES[puzzle.solver].lower(), "rating": each.rating,
            "moves": list(map(str, board.moves)), "plan": self._plans.get(each.id, ""),
        }  # fmt: skip
        self._table.tell(Event("puzzle", "\n".join(filter(None, lines)), facts, self._view(puzzle, board)))
        return board

    def _play(self, each: ShelfPuzzle, puzzle: Puzzle, board: Board, move: Move) -> bool | None:
        """Judge a move. True if the puzzle is solved, False if it has ended otherwise, None if it goes on."""
        board.play(move)
        verdict = puzzle.judge(board)
        if not verdict.keeps:
            why = puzzle.why(board, verdict)
            board.undo()
            self._refuse(each, puzzle, move, verdict, str(why or ""))
            return None
        self._searched |= verdict.by == SEARCH
        if verdict.reply is not None:
            board.play(verdict.reply)
        reply = f" {SIDE_NAMES[puzzle.solver.other]} replies {verdict.reply}." if verdict.reply else ""
        more = "" if verdict.ended else " Your move again."
        text = f"{move} is right, {_BY[verdict.by]}.{reply}{more}"
        facts = {"move": str(move), "kept": True, "by": verdict.by, "reply": str(verdict.reply or "")}
        self._table.tell(Event("verdict", text, facts, self._view(puzzle, board)))
        if not verdict.ended:
            return None
        if not verdict.solved:
            self._missed(each, "tries")
            self._tell("unsolved", f"Not solved: {verdict.ended}.", why=verdict.ended)
            return False
        self._solved(each, verdict)
        return True

    def _refuse(self, each: ShelfPuzzle, puzzle: Puzzle, move: Move, verdict: Verdict, why: str) -> None:
        facts = {"move": str(move), "kept": verdict.keeps, "by": verdict.by, "reply": "", "why": why}
        if verdict.keeps is None:
            goal = "win" if puzzle.goal is Value.WIN else "draw"
            self._tell("verdict", f"{move} may keep the {goal}; kr can't tell, and it does not count.", **facts)
            return
        what = "does not win" if puzzle.goal is Value.WIN else "gives the draw away"
        self._missed(each, "tries")
        text = " ".join(filter(None, (f"{move} {what}, {_BY[verdict.by]}.", why, "Try another move.")))
        self._tell("verdict", text, **facts)

    def _missed(self, each: ShelfPuzzle, what: str) -> None:
        self._helped = True
        if each.origin is not Origin.COURSE:
            self.training.miss(each.key, what, each.rating, self._today().toordinal())
            self._save()

    def _solved(self, each: ShelfPuzzle, verdict: Verdict) -> None:
        day = self._today().toordinal()
        before = self.training.rating_on(day).rating
        if each.origin is Origin.COURSE:
            self.training.finish_step(each.id)
        else:
            self.training.solve(each.key, each.rating, day, clean=not self._helped, likely=self._searched)
        if each.id == self._daily().id:
            self.training.solve_daily(day)
        self._save()
        rating = self.training.rating_on(day)
        gain = round(rating.rating - before)
        parts = [f"Solved: {verdict.ended}."]
        if each.themes:
            parts.append(f"Theme: {', '.join(each.themes)}.")
        if gain:
            parts.append(f"Your rating: {rating} ({gain:+d}).")
        self._tell("solved", " ".join(parts), why=verdict.ended, themes=list(each.themes), rating=rating.rating)

    # --- what is said

    def tell_rating(self) -> None:
        """Say the rating, and what is due."""
        day = self._today().toordinal()
        rating, due = self.training.rating_on(day), len(self.training.due(day))
        solved = sum(bool(record["solved"]) for record in self.training.puzzles.values())
        text = f"Your rating: {rating}. {counted(solved, 'puzzle')} solved. Due today: {due}."
        self._tell("rating", text, rating=rating.rating, deviation=rating.deviation, solved=solved, due=due)

    def _ask(self, board: Board, prefix: tuple[int, ...]) -> str:
        words = [*map(str, board.legal_moves()), *LESSON_COMMANDS]
        prompt = f"{SIDE_NAMES[board.side]}{' ' + '-'.join(map(square_name, prefix)) + '-' if prefix else ''}> "
        try:
            return self._table.ask(prompt, words, None)
        except KeyboardInterrupt:
            raise EOFError from None

    def _show(self, each: ShelfPuzzle, puzzle: Puzzle, board: Board) -> None:
        facts = {"id": each.id, "fen": board.fen}
        self._table.tell(Event("board", "", facts, self._view(puzzle, board)))

    def _view(self, puzzle: Puzzle, board: Board) -> View:
        return View(board.position, puzzle.solver == 0, board.moves[-1] if board.moves else None)

    def _tell(self, kind: str, text: str, **facts: Any) -> None:
        self._table.tell(Event(kind, text, facts))


@contextmanager
def lessons_from(settings: LearnSettings, table: Table) -> Iterator[Lessons]:
    """Lessons with the user's progress, which no other process uses meanwhile.

    Raises InvalidSettingError, OutputBusyError, OSError, and what the engine and the database raise.
    """
    path = settings.progress_path
    shelf = shelf_of(settings)
    with lock(path):
        training = read_training(path)
        database = load_database(settings.egdb, settings.egdb_memory)
        engine = Engine(settings.weights, settings.hash / MEBIBYTE, database=database)
        analyses: dict[tuple[Position, ...], Analysis] = {}

        def search(position: Position, history: tuple[Position, ...]) -> Analysis:
            line = (*history, position)
            if line not in analyses:
                engine.new_game()
                analyses[line] = analyze(engine, Task(position, history), settings.tc)
            return analyses[line]

        def make_puzzle(each: ShelfPuzzle) -> Puzzle:
            return Puzzle(each.problem, database, search, each.enough)

        yield Lessons(settings, shelf, training, table, make_puzzle, lambda: write_training(training, path))
