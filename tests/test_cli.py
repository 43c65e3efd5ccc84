"""The command line: exit codes, one-line errors, options from settings, and kr perft."""

import io
import json
import os
import re
import shlex
import subprocess
import sys
import threading
import time
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.exceptions import Exit
from shortages import threads_left

import kr
from kr import __main__, cli, storage
from kr.cli import console, options
from kr.errors import InvalidGamesError, InvalidSettingError
from kr.game.perft import divide, perft
from kr.jobs.progress import Progress
from kr.openings import decks
from kr.settings import REQUIRED, Settings, option
from kr.system.windows_words import home_path, matches
from kr.units import format_count, parse_count, parse_duration


@dataclass(frozen=True)
class ThingSettings(Settings):
    """One field of each kind that commands have."""

    sources: tuple[Path, ...] = option(REQUIRED, "where from", argument=True)
    games: int = option(300_000, "how many", parse=parse_count, show=format_count)
    tc: float | None = option(None, "limit", parse=parse_duration)
    seed: int = option(1, "seed")
    mix: tuple[str, ...] = option(("a", "b"), "names")
    bounds: tuple[float, float] | None = option(None, "two numbers")
    mode: str = option("slow", "how", choices=("slow", "fast"))
    lambda_: float = option(0.5, "strength", name="lambda")
    draws: bool = option(True, "adjudicate")
    quiet: bool = option(False, "say nothing")


ALL_GIVEN = "in1 in2 --games 1e6 --tc 20ms --seed 9 --mix x --bounds -1 2.5 --mode fast --lambda 2 --no-draws --quiet"


@pytest.fixture
def thing(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """`kr thing`: a command that keeps what it was called with, or raises what `raises` holds."""
    kept: dict[str, Any] = {}

    def run(
        settings: ThingSettings, json: bool = options.JSON, count: int = option(3, "Count, {allowed}.", low=1)
    ) -> None:
        """Do the thing.

        Example:
            kr thing in --games 1e6
        """
        kept.update(settings=settings, json=json, count=count)
        if "raises" in kept:
            raise kept["raises"]

    module = types.ModuleType("kr.cli.thing")
    module.command = options.command(run)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "kr.cli.thing", module)
    monkeypatch.setitem(cli.COMMANDS, "thing", ("thing", "Do the thing."))
    return kept


def test_defaults_are_those_of_the_fields(thing: dict[str, Any]) -> None:
    assert cli.main(["thing", "in"]) == 0
    assert thing == {"settings": ThingSettings(sources=(Path("in"),)), "json": False, "count": 3}


def test_every_option_is_parsed(thing: dict[str, Any]) -> None:
    assert cli.main(["thing", *ALL_GIVEN.split(), "--json", "--count", "5"]) == 0
    settings = ThingSettings((Path("in1"), Path("in2")), 10**6, 0.02, 9, ("x",), (-1.0, 2.5), "fast", 2.0, False, True)
    assert thing == {"settings": settings, "json": True, "count": 5}


def test_patterns_are_expanded_where_shells_leave_that_to_programs(
    thing: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(options, "expand_paths", lambda paths: tuple(each for path in paths for each in matches(path)))
    monkeypatch.setattr(options, "typed_path", home_path)
    monkeypatch.chdir(tmp_path)
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path / "home"))
    for name in ("b.pdn", "a.pdn", "c.txt"):
        (tmp_path / name).touch()
    assert cli.main(["thing", "*.pdn", "c.txt", "~/d.pdn", "none?", "--mix", "*.txt"]) == 0
    read = [Path("a.pdn"), Path("b.pdn"), Path("c.txt"), tmp_path / "home" / "d.pdn", Path("none?")]
    assert thing["settings"].sources == tuple(read)
    assert thing["settings"].mix == ("*.txt",)


def test_help_shows_defaults_and_ends_with_the_example(thing: dict[str, Any], capsys: pytest.CaptureFixture) -> None:
    assert cli.main(["thing", "--help"]) == 0
    shown = capsys.readouterr().out
    assert "300k" in shown
    assert "--lambda" in shown
    assert "--draws / --no-draws" in " ".join(shown.split())
    assert "--no-quiet" not in shown
    assert shown.rstrip().endswith("Example:\n      kr thing in --games 1e6")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "Missing argument"),
        ("in --games x", "--games: 'x' is not a count"),
        ("in --tc fast", "--tc: 'fast' is not a duration"),
        ("in --seed x", "--seed"),
        ("in --mode other", "--mode: 'other' is unknown; expected slow or fast"),
        ("in --count 0", "--count: 0 is out of range; expected 1 or more"),
        ("in --lambda x", "Invalid value for '--lambda': 'x' is not a valid float"),
        ("in --bounds 1 x", "--bounds"),
        ('in --games ""', "--games: '' is not a count"),
        ("in --bogus", "No such option '--bogus'"),
    ],
)
def test_bad_usage_is_one_line_and_2(
    thing: dict[str, Any], capsys: pytest.CaptureFixture, arguments: str, message: str
) -> None:
    assert cli.main(["thing", *shlex.split(arguments)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("kr: ")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (InvalidGamesError("shard 3\nis cut short"), 1, "kr: shard 3 is cut short\n"),
        (InvalidSettingError("no such ballot"), 2, "kr: no such ballot\n"),
        (OSError(28, "No space left on device", "/x/y"), 1, "kr: /x/y: No space left on device\n"),
        (PermissionError(13, "Permission denied", "/x/y"), 1, "kr: /x/y: Permission denied\n"),
        (MemoryError(), 1, "kr: out of memory\n"),
        (KeyboardInterrupt(), 1, "kr: interrupted\n"),
        (Exit(0), 0, ""),
    ],
)
def test_errors_of_the_work(
    thing: dict[str, Any], capsys: pytest.CaptureFixture, error: BaseException, code: int, line: str
) -> None:
    thing["raises"] = error
    assert cli.main(["thing", "in"]) == code
    assert capsys.readouterr().err == line


def test_a_bug_is_not_hidden(thing: dict[str, Any]) -> None:
    thing["raises"] = RuntimeError("a bug")
    with pytest.raises(RuntimeError, match="a bug"):
        cli.main(["thing", "in"])


def test_fail(capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(Exit) as left:
        console.fail("3 games were lost", 1)
    assert left.value.exit_code == 1
    assert capsys.readouterr().err == "kr: 3 games were lost\n"


def test_version(capsys: pytest.CaptureFixture) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"kr {kr.__version__}\n"


def run_kr(arguments: str, PYTHONUNBUFFERED: str = "", **settings: Any) -> subprocess.Popen[str]:
    environment = os.environ | {
        "PYTHONPATH": str(Path(kr.__file__).parents[1]), "PYTHONUNBUFFERED": PYTHONUNBUFFERED
    }  # fmt: skip
    command = [sys.executable, "-m", "kr", *arguments.split()]
    return subprocess.Popen(command, text=True, env=environment, **{"stderr": subprocess.PIPE, **settings})


def test_a_reader_that_leaves_gets_no_traceback() -> None:
    read, write = os.pipe()
    os.close(read)
    process = run_kr("perft --depth 3", stdout=write)
    os.close(write)
    assert process.communicate()[1] == ""
    assert process.returncode == 1


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    ("command", "typed", "unbuffered"),
    [
        ("perft --depth 3 --json", "", ""),
        ("--help", "", "1"),
        # longer than any buffer, so that a print in the middle fails
        ("openings --deck 11man", "", ""),
        ("play --white material --out none --json", "quit\n", ""),
        ("analyze --weights material --egdb none --depth 1", "", "1"),
    ],
)
def test_a_full_disk_is_one_line(command: str, typed: str, unbuffered: str) -> None:
    with open("/dev/full", "w") as full:
        process = run_kr(command, stdout=full, stdin=subprocess.PIPE, PYTHONUNBUFFERED=unbuffered)
        error = process.communicate(typed)[1]
    assert error in {f"kr: {where}No space left on device\n" for where in ("", "standard output: ")}
    assert process.returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_errors_that_cannot_be_written_keep_their_exit_code() -> None:
    with open("/dev/full", "w") as full:
        process = run_kr("perft --depth nine", stdout=full, stderr=full)
        process.communicate()
    assert process.returncode == 2


@pytest.mark.parametrize(
    ("encoding", "name", "shown"),
    [
        pytest.param("utf-8", b"\xff", r"\udcff", marks=pytest.mark.posix("names are text")),
        ("ascii", "é".encode(), "é"),
    ],
)
def test_names_that_are_not_text_are_shown_with_escapes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str, name: bytes, shown: str
) -> None:
    directory = tmp_path / os.fsdecode(name)
    words = "selfplay --weights material --nodes 9 --games 2 --openings start --egdb none --workers 1 --out".split()
    assert cli.main([*words, str(directory)]) == 0
    printed = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(printed, encoding))
    assert cli.main(["games", str(directory), "--pdn", str(tmp_path / "x.pdn")]) == 0
    monkeypatch.setattr(sys, "argv", ["kr", str(directory)])
    assert shown in storage.provenance()["command"]
    print(directory)
    sys.stdout.flush()
    assert shown in printed.getvalue().decode()


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_closed_streams(monkeypatch: pytest.MonkeyPatch, closed: str) -> None:
    monkeypatch.setattr(sys, closed, None)
    assert cli.main(["perft", "--depth", "2"]) == 0
    assert cli.main(["perft", "--depth", "0"]) == 2


def test_ctrl_c_while_the_command_is_imported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "main", interrupted)
    assert __main__.main() == 1
    assert capsys.readouterr() == ("", "kr: interrupted\n")


@pytest.mark.parametrize("module", ["kr.cli", "click", "kr.errors", "kr._core"])
def test_ctrl_c_while_python_starts(module: str) -> None:
    script = f"""
import runpy, sys
class CtrlC:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, CtrlC())
sys.argv = ["kr", "perft"]
runpy.run_module("kr", run_name="__main__")
"""
    environment = os.environ | {"PYTHONPATH": str(Path(kr.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "kr: interrupted\n")


@pytest.mark.parametrize("command", [["match"], ["play"], ["dxp", "connect"]])
def test_help_names_every_deck_of_openings(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*command, "--help"]) == 0
    words = set(re.findall(r"\w+", capsys.readouterr().out.partition("--ballot")[2].partition("--")[0]))
    assert words >= set(decks.DECKS)


def test_json_takes_what_results_are_made_of(capsys: pytest.CaptureFixture) -> None:
    import numpy as np

    record = {"path": Path("x"), "nan": float("nan"), "row": np.arange(2), "one": np.float32(0.5), 3: (kr.Side.WHITE,)}
    console.emit_json(record)
    expected = {"path": "x", "nan": None, "row": [0, 1], "one": 0.5, "3": ["white"]}
    assert json.loads(capsys.readouterr().out) == expected


def test_table() -> None:
    assert console.table(["name", "n"], [("a", 5), ("long", 12)]) == "name   n\na      5\nlong  12"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that progress reads, to be set."""
    seconds = [0.0]
    monkeypatch.setattr("kr.jobs.progress.time.monotonic", lambda: seconds[0])
    return seconds


@pytest.mark.parametrize(
    ("seconds", "done", "total", "status"),
    [
        (0.0, 0, 1000, "0/1,000 games"),
        (20.0, 250, 1000, "250/1,000 games, 12.5/s, 1:00 left, B 10%"),
        (20.0, 250, None, "250 games, 12.5/s, B 10%"),
        (7200.0, 3600, 7200, "3,600/7,200 games, 0.5/s, 2:00:00 left, B 10%"),
        (86400.0, 86400, 864000, "86,400/864,000 games, 1/s, 9d 0h left, B 10%"),
        (10.0, 1000, 1000, "1,000/1,000 games, 100/s, B 10%"),
        (3600.0, 60, 120, "60/120 games, 1/min, 1:00:00 left, B 10%"),
        (36000.0, 10, 20, "10/20 games, 1/h, 10:00:00 left, B 10%"),
        (1e9, 1, 20, "1/20 games, B 10%"),
    ],
)
def test_status_of_work(clock: list[float], seconds: float, done: int, total: int | None, status: str) -> None:
    work = Progress("self-play", total, "games")
    clock[0] = seconds
    if done:
        work.advance(done, note="B 10%")
    assert work.status() == status
    assert str(work) == f"self-play: {status}"


def test_the_rate_leaves_out_work_done_before(clock: list[float]) -> None:
    work = Progress("self-play", 1000, "games", count=100)
    clock[0] = 50.0
    work.skip(100)
    clock[0] = 60.0
    work.advance(20)
    assert work.status() == "220/1,000 games, 2/s, 6:30 left"


def test_without_a_terminal_progress_is_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "EVERY", 0.01)
    told = threading.Event()
    monkeypatch.setattr(console, "say", lambda text: (print(text, file=sys.stderr), told.set()))
    with console.progress("work", 10, "games") as bar:
        bar.skip(2)
        # not by `advance`: a unit of work that takes minutes shows as well
        assert told.wait(60)
    first = capsys.readouterr().err.splitlines()[0]
    assert first.startswith("work: ")
    told.clear()
    with console.live() as show:
        show("a table\nof two lines", "a line")
        assert told.wait(60)
    assert set(capsys.readouterr().err.splitlines()) == {"a line"}


@pytest.mark.posix("no setrlimit")
def test_without_threads_work_continues_without_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with threads_left(0), console.progress("work", 10, "games") as bar:
        bar.advance(10)
    assert bar.count == 10
    assert capsys.readouterr().err == ""


def shown_by_work(monkeypatch: pytest.MonkeyPatch, stderr: io.StringIO) -> str:
    """Text that arrives on stderr during some work."""
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr(console, "EVERY", 0.001)
    with console.progress("work", 10, "games") as bar, console.live() as show:
        show("a table", "a line")
        bar.advance(3)
        time.sleep(0.02)
    return stderr.getvalue()


@pytest.mark.parametrize("terminal", [False, True])
def test_quiet_shows_nothing(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    console.set_quiet(True)
    try:
        assert shown_by_work(monkeypatch, Terminal() if terminal else io.StringIO()) == ""
    finally:
        console.set_quiet(False)


def test_quiet_holds_for_one_command(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli.main("perft --depth 1 --quiet".split()) == 0
    assert shown_by_work(monkeypatch, io.StringIO()) == ""
    assert cli.main("perft --depth 1".split()) == 0
    assert "a line" in shown_by_work(monkeypatch, io.StringIO())


class Terminal(io.StringIO):
    """A stderr that says it is one."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_a_progress_bar_keeps_to_one_line(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(columns))
    with console.progress("generation 12, play", 160_000, "games", count=1) as bar:
        bar.skip(1)
        for _ in range(3):
            bar.advance(1, note="B 33% [L] 33% D 33%")
    lines = re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.getvalue()))
    assert max(map(len, lines)) <= columns
    shown = terminal.getvalue()
    assert "generation 12, play" in shown
    assert columns < 80 or "5/160,000 games" in shown
    assert columns < 120 or "B 33% [L] 33% D 33%" in shown


def test_live_redraws(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with console.live() as show:
        show("1 game [a]", "")
        show("2 games", "")
    assert terminal.getvalue().index("1 game [a]") < terminal.getvalue().index("2 games")


@pytest.mark.parametrize("by_moves", [False, True])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("depth", [0, 1, 2, 6])
def test_threads_and_divide_count_the_same(depth: int, threads: int, by_moves: bool) -> None:
    position = kr.Position()
    leaves = [1, 7, 49, 302, 1469, 7361, 36768][depth]
    assert perft(position, depth, threads, by_moves) == leaves
    if depth:
        assert sum(count for _, count in divide(position, depth, threads, by_moves)) == leaves


@pytest.mark.parametrize(("limit", "by_moves"), [("UNIT_DEPTH", False), ("UNIT_DEPTH_BY_MOVES", True)])
def test_units_deeper_than_one_call_of_the_core(limit: str, by_moves: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"kr.game.perft.{limit}", 2)
    assert perft(kr.Position(), 5, 1, by_moves) == perft(kr.Position(), 5, 2, by_moves) == 7361


def test_perft_of_a_lost_position() -> None:
    lost = kr.Position.from_fen("W:W5:B1")
    assert [perft(lost, depth, threads) for depth in (0, 1, 5) for threads in (1, 2)] == [1, 1, 0, 0, 0, 0]


@pytest.mark.parametrize("how", [[], ["--by-moves"]])
def test_perft_command(how: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    # each way by its own counter and no other
    monkeypatch.delattr(f"kr._core.{'perft' if how else 'perft_by_moves'}")
    assert cli.main(["perft", "--depth", "4", *how]) == 0
    lines = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
    assert lines == [["depth", "leaves"], ["1", "7"], ["2", "49"], ["3", "302"], ["4", "1469"]]


def test_perft_json(capsys: pytest.CaptureFixture) -> None:
    assert cli.main(["perft", "B:W21:B1,K5", "--depth", "2", "--divide", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    position = kr.Position.from_fen("B:W21:B1,K5")
    assert result["fen"] == position.fen
    assert result["leaves"] == perft(position, 2) == sum(move["leaves"] for move in result["divide"])
    assert [move["move"] for move in result["divide"]] == [str(move) for move in position.legal_moves()]
