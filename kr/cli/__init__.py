"""`kr <command>`: parse, call one function, print.

Each command is one small file here (options.py says how to add one), imported only when it is called: `kr --help`
imports none of them.
"""

import atexit
import difflib
import importlib
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import click

from kr import system
from kr.cli import console
from kr.errors import InvalidFenError, InvalidSettingError, KrError

# command, its module in this directory, and its line in `kr --help`
COMMANDS = {
    "play": ("play", "Play a game against kr, or any engine, in the terminal."),
    "web": ("web", "Analyse, play, explore and learn in the browser."),
    "perft": ("perft", "Count the leaves of the move tree."),
    "analyze": ("analyze", "Analyse positions: best lines and expected results."),
    "annotate": ("annotate", "Annotate PDN games: marks, better lines, accuracy of each player."),
    "explain": ("explain", "Explain a static score by regions, men and kings."),
    "solve-problem": ("solve", "Solve classic problems, or your own."),
    "learn": ("learn", "Solve puzzles by theme and rating; take courses of endings."),
    "prove": ("prove", "Prove the value of a position, or check a proof."),
    "problem": ("problem", "Check problems: sound, cooked, with duals, unsound; check stars."),
    "match": ("match", "Play a match between two players, or more, and measure the Elo differences."),
    "ladder": ("ladder", "Rate versions and engines on one scale, each by as few games as are needed."),
    "selfplay": ("selfplay", "Play games of the engine against itself, as training data."),
    "games": ("games", "Summarise a directory of games; import and export PDN."),
    "fit": ("fit", "Fit region tables to games."),
    "train": ("train", "Train in generations: play, fit, match, repeat."),
    "weights": ("weights", "Show the origin of a weights file; check it on games."),
    "egdb": ("egdb", "Build, verify, look up and sample endgame databases."),
    "endnet": ("endnet", "Train networks on endgames; test them against the exact values."),
    "policy": ("policy", "Learn the moves that people play from recorded games."),
    "evolve": ("evolve", "Evolve networks that learn to play from the results of games alone."),
    "pdn": ("pdn", "Check, convert, count and search games in PDN files."),
    "samples": ("samples", "Write small sample files, which the guides use."),
    "openings": ("openings", "List or check the opening ballots."),
    "book": ("book", "Build an opening book, look into it, check it."),
    "theory": ("theory", "Write what is known of every ballot as pages; grade ballots."),
    "repertoire": ("repertoire", "Check, grow and follow repertoires of openings."),
    "hub": ("hub", "Speak the Hub 2 protocol on standard input and output."),
    "dxp": ("dxp", "Play against another program by DXP, over TCP."),
    "cluster": ("cluster", "Look at a Dask cluster: its workers and what they keep."),
    "bench": ("bench", "Search fixed positions: node signature and speed."),
}


WORDS_TAKEN_OUT = {
    "kr fit --kind": "networks on top of tables won no match (docs/lab/evaluation.md); kr fit fits region tables",
    "kr doubling": "bench/doubling.py of a checkout measures the same, and resumes what it began",
    "kr tune": "it moves no option any more (docs/lab/search.md); kr match shipped shipped,NAME=VALUE compares values",
    "kr endnet export": "networks for endings won no match beside tables (docs/lab/endnets.md)",
}
"""Options and commands of earlier versions, each with the reason why it was taken out."""


class Commands(click.Group):
    """The group that knows its commands by name and imports the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of COMMANDS."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, imported; None for an unknown one."""
        if cmd_name not in COMMANDS:
            return None
        module: Any = importlib.import_module(f"kr.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The lines of COMMANDS, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


def _version(ctx: click.Context, parameter: click.Parameter, flag: bool) -> None:
    if flag:
        from kr import __version__

        console.put(f"kr {__version__}")
        ctx.exit()


app = Commands(
    "kr",
    params=[
        click.Option(["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_version,
                     help="Print the version."),
    ],
    help="""English draughts: a strong engine, and the tools to train and measure it.

    Scores are in centi-men (100 is a man) for the side to move. Text is folded to the width of the terminal, or to 80
    columns in a pipe or file; the environment variable COLUMNS sets another width. Programs should use --json.
    """,
    epilog="\b\nExample:\n    kr match --ballot 11man --tc 0.3s",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)  # fmt: skip


@contextmanager
def _termination() -> Iterator[None]:
    """Let other programs end a command in good order, as Ctrl-C does, which shells have background jobs ignore."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    number = system.END_SIGNALS[-1]
    before = signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(number, before)


def _prepare_streams() -> None:
    """Make sure that stdout and stderr exist, and that any text can be printed and read.

    In pipes and files text is UTF-8 with "\\n" as the end of a line, whatever the system has: programs read it. A
    terminal gets what it shows.
    """
    # both are None if the shell has closed them, and in a program of Windows without a console
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="backslashreplace")
            else:
                stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    if isinstance(sys.stdin, io.TextIOWrapper):
        # nothing can be changed once something has been read
        with suppress(io.UnsupportedOperation):
            # a stray byte makes an invalid line, not the end of the command; PowerShell's pipes may begin with a mark
            sys.stdin.reconfigure(encoding=None if sys.stdin.isatty() else "utf-8-sig", errors="replace")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, by default that of this process. Returns the exit code: 0 success, 1 failure, 2 bad usage.

    Errors other than bugs in kr become one line on stderr.
    """
    _prepare_streams()
    words = sys.argv[1:] if arguments is None else list(arguments)
    if arguments is None and system.has_own_window():
        # also after an error that isn't caught
        atexit.register(console.wait_for_reader)
        # opened by a double-click, or with files that were dropped on it
        if all(map(os.path.isabs, words)):
            words = ["web", *words]
    code = _run(words)
    if error := console.flush_output():
        code = code or console.say_error(error, 1)
    if code == 0:
        atexit.unregister(console.wait_for_reader)
    return code


def _run(words: list[str]) -> int:
    """`main`, except that output may still be buffered at the end."""
    try:
        with _termination(), app.make_context("kr", words) as context:
            app.invoke(context)
    except click.exceptions.Exit as left:
        return left.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        console.put(error.message)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "kr"
        return console.say_error(f"{_usage_error(error)} (see {command} --help)", 2)
    except KeyboardInterrupt:
        return console.say_error("interrupted", 1)
    except (InvalidSettingError, InvalidFenError) as error:
        return console.say_error(error, 2)
    except (KrError, OSError, MemoryError) as error:
        return console.say_error(error, 1)
    return 0


def _usage_error(error: click.UsageError) -> str:
    """One line for a wrong command line, with the commands or options that may be meant."""
    context, message = error.ctx, error.message.rstrip(".")
    word = getattr(error, "option_name", "") or getattr(error, "command_name", "")
    words = f"{context.command_path} {word}" if context else ""
    if words in WORDS_TAKEN_OUT:
        return f"{words} was taken out: {WORDS_TAKEN_OUT[words]}"
    if isinstance(error, click.NoSuchOption) and context:
        names = [name for each in context.command.get_params(context) for name in (*each.opts, *each.secondary_opts)]
        return message + suggestion(error.option_name, names)
    if isinstance(error, click.exceptions.NoSuchCommand) and context and isinstance(context.command, click.Group):
        return message + suggestion(error.command_name, context.command.list_commands(context))
    return error.format_message().rstrip(".")


def suggestion(word: str, names: Sequence[str]) -> str:
    """The end of an error about an unknown word: known words that are similar or begin with it."""
    alike = difflib.get_close_matches(word, names, cutoff=0.6)
    longer = [name for name in names if word and name.startswith(word)]
    meant = list(dict.fromkeys([*longer, *alike]))[:3]
    return f"; did you mean {' or '.join(meant)}?" if meant else ""
