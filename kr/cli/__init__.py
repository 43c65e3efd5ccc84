"""`kr <command>`: parse, call one function, print.

Each command is one small file here (see options.py for how to add one), imported only when it is the one asked
for: `kr --help` imports none of them.
"""

import difflib
import importlib
import inspect
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from kr.cli import console, options
from kr.errors import InvalidFenError, InvalidSettingError, KrError

# Command, its module in this directory, and its line in `kr --help`.
COMMANDS = {
    "play": ("play", "Play a game against kr, or any engine, in the terminal."),
    "perft": ("perft", "Count the leaves of the move tree."),
    "analyze": ("analyze", "Analyse positions: best lines, and what to expect of them."),
    "annotate": ("annotate", "Annotate games in PDN: marks, better lines, who played how well."),
    "explain": ("explain", "Explain a static score by regions, men and kings."),
    "solve-problem": ("solve", "Solve classic positions, or yours."),
    "match": ("match", "Play two players against each other, with Elo."),
    "doubling": ("doubling", "Measure what twice the time is worth."),
    "selfplay": ("selfplay", "Play games of the engine against itself, to learn from."),
    "games": ("games", "Show what a directory of self-play games holds; export PDN."),
    "fit": ("fit", "Fit region tables to self-play games."),
    "train": ("train", "Train by generations: play, fit, match, and again."),
    "weights": ("weights", "Show where a weights file comes from; check it on games."),
    "egdb": ("egdb", "Build, verify, look up and sample endgame databases."),
    "pdn": ("pdn", "Check, convert, count and search games in PDN files."),
    "openings": ("openings", "List or check the opening ballots."),
    "hub": ("hub", "Speak the Hub 2 protocol on standard input and output."),
    "dxp": ("dxp", "Play against another program by DXP, over TCP."),
    "bench": ("bench", "Search fixed positions: the node signature and the speed."),
}

EXAMPLE = "\nExample"

# What typer returns for a Ctrl-C before or after the command's own work.
INTERRUPTED = 130


def split_example(text: str) -> tuple[str, str]:
    """A command's docstring as help and epilog: the epilog starts at its "Example" line, kept line by line."""
    help, found, example = text.partition(EXAMPLE)
    return help, f"\b{EXAMPLE}{example.rstrip()}" if found else ""


def build_command(name: str) -> Any:
    """The click command of one of COMMANDS, from its module's `command`: a function or a typer app."""
    command = importlib.import_module(f"kr.cli.{COMMANDS[name][0]}").command
    grouped = isinstance(command, typer.Typer)
    app = command if grouped else typer.Typer(add_completion=False)
    app.rich_markup_mode = None
    if grouped:
        app.info.cls = Group
    else:
        app.command(name)(command)
    for entry in app.registered_commands:
        entry.help, entry.epilog = split_example(inspect.getdoc(entry.callback) or "")
        assert entry.callback is not None
        entry.callback = options.with_quiet(entry.callback)
    if not grouped:
        return typer.main.get_command(app)
    group = typer.main.get_group(app)
    group.help, group.epilog = split_example(group.help or "")
    return group


class Group(TyperGroup):
    """A group whose help shows the whole line of each command; it is what the group says if nothing is asked of it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args:
            print(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(self.lines(ctx))

    def lines(self, ctx: Any) -> list[tuple[str, str]]:
        """The commands, and what each does in a line: the first of its help."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        return [
            (name, " ".join((command.help or "").partition("\n\n")[0].split()))
            for name, command in commands.items()
            if command is not None
        ]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if self.get_command(ctx, args[0]) is None:
            ctx.fail(f"No such command: {args[0]}{suggestion(args[0], self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)


def suggestion(word: str, known: Sequence[str]) -> str:
    """What to add to a refused word: those of the known ones that may be meant, by their letters or their beginning."""
    alike = difflib.get_close_matches(word, known, cutoff=0.6)
    begun = [name for name in known if word and name.startswith(word)]
    meant = list(dict.fromkeys([*begun, *alike]))[:3]
    return f"; did you mean {' or '.join(meant)}?" if meant else ""


class Commands(Group):
    """The group that knows its commands by name and imports the one that is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return build_command(cmd_name) if cmd_name in COMMANDS else None

    def lines(self, ctx: Any) -> list[tuple[str, str]]:
        return [(name, line) for name, (_, line) in COMMANDS.items()]

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            console.fail("interrupted")


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=split_example(
        """
Example:
    kr match --ballot 11man --tc 0.3s"""
    )[1],
)


def _version(wanted: bool) -> None:
    if wanted:
        from kr import __version__

        print(f"kr {__version__}")
        raise typer.Exit


@app.callback()
def kr(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """English draughts: a strong engine, and the lab that trains it.

    Scores are centi-men (100 is a man) for the side to move. Text is folded at the width of the terminal, at 80 columns
    in a pipe or a file; the environment variable COLUMNS sets another. --json is for programs.
    """


@contextmanager
def _termination() -> Iterator[None]:
    """SIGTERM ends a command in good order, as Ctrl-C does: shells start background jobs with SIGINT ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _prepare_output() -> None:
    """What is printed has somewhere to go, and no name of a file can be more than it takes."""
    # both are None where the shell has closed them
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        # as stderr has it
        sys.stdout.reconfigure(errors="backslashreplace")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line (this process's own by default); return its exit code, 0 good, 1 failed, 2 bad usage.

    Whatever goes wrong outside kr's own code is one line on stderr.
    """
    _prepare_output()
    code = _run(arguments)
    error = console.flush_output()
    return code if error is None or code else console.say_error(error, 1)


def _run(arguments: Sequence[str] | None) -> int:
    """`main` but for what is still buffered at the end."""
    try:
        with _termination():
            code = typer.main.get_command(app).main(args=arguments, prog_name="kr", standalone_mode=False)
    except KeyboardInterrupt:
        return console.say_error("interrupted", 1)
    except (InvalidSettingError, InvalidFenError) as error:
        return console.say_error(error, 2)
    except (KrError, OSError, MemoryError) as error:
        return console.say_error(error, 1)
    except SystemExit:
        # click leaves this way when the reader of our output has gone.
        return 1
    except Exception as error:
        # Usage errors, known by their methods: typer brings its own click or uses the public one, by version.
        if not hasattr(error, "format_message"):
            raise
        command = getattr(getattr(error, "ctx", None), "command_path", None) or _command_path(arguments)
        return console.say_error(f"{_usage_error(error)} (see {command} --help)", 2)
    if code == INTERRUPTED:
        return console.say_error("interrupted", 1)
    return code if isinstance(code, int) else 0


def _command_path(arguments: Sequence[str] | None) -> str:
    """The command that a command line names, for errors that don't know it: "kr pdn search"."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if not words or words[0] not in COMMANDS:
        return "kr"
    names = getattr(build_command(words[0]), "commands", {})
    return " ".join(["kr", words[0], *(word for word in words[1:2] if word in names)])


def _usage_error(error: Any) -> str:
    """What is wrong with a command line; for an option that doesn't exist, with those that may be meant."""
    if alike := getattr(error, "possibilities", None):
        return f"No such option: {error.option_name}{suggestion(error.option_name, alike)}"
    return str(error.format_message()).rstrip(".")
