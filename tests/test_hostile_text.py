"""Text from files, programs and names that would act on a terminal or a page is shown, not obeyed."""

import ast
import io
import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from models import random_model
from policies import random_policy_model
from systems import POSIX

from kr import cli, figures, storage
from kr.archives import archive
from kr.cli import console
from kr.cli.terminal import Terminal
from kr.evaluation.layouts import Layout
from kr.evaluation.weights import expected_shapes, save_tables
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.play.table import Event
from kr.policy.model_file import save_policy
from kr.policy.shape import PolicyShape
from kr.proofs.certificate import Claim, certificate_of, write_certificate
from kr.studies.endings.model_file import save_model
from kr.studies.endings.shape import NetShape
from kr.text import visible, visible_lines

EVIL = "Ann\x1b[31m\x07\x9b2J\u202eb\u2028[bold]x[/bold]{task}:smile:\u200f\x7f\x00"
"""A colour, a bell, an 8-bit control sequence, an override of direction, a line separator, markup of rich, a format."""
SHOWN = r"Ann\x1b[31m\x07\x9b2J\u202eb\u2028[bold]x[/bold]{task}:smile:\u200f\x7f\x00"
NAME = re.sub("[\x00/]" if POSIX else r'[\x00-\x1f<>:"/\\|?*]', "", EVIL)
"""A name that a file may have."""
REMARK = EVIL.replace("{task}", "")
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")

GAMES = f"""[Event "{EVIL}"]
[Site "{EVIL}"]
[Date "1901.01.01"]
[Black "{EVIL}"]
[White "Bob"]
[Result "1-0"]

1. 10-14 {{{REMARK} and {REMARK}}} 22-18 2. 12-16 24-19 1-0

[Event "{EVIL} again"]
[Black "{EVIL}"]
[FEN "{EVIL}"]

1. 11-15 {EVIL} *
"""
SMALL = "--hash 1MB --weights material --egdb none"

COMMANDS = [
    f"analyze games.pdn --ply 1-2 --depth 2 {SMALL}",
    f"analyze fens.txt --depth 2 {SMALL}",
    f"annotate one.pdn --tc nodes=100 --out annotated.pdn --html pages {SMALL}",
    "bench --depth 1 --hash 1MB --positions fens.txt",
    "endnet show net.h5",
    "explain W:W21,K30:B1,2 --weights tables.h5",
    "openings --deck deck.txt",
    "pdn check games.pdn",
    f"pdn stats {shlex.quote(NAME + '.pdn')}",
    "pdn stats games.pdn",
    "pdn search games.pdn --out found.pdn",
    "pdn convert games.pdn --out converted.pdn",
    f"pdn check {shlex.quote(NAME + '.pdn')}",
    "policy show policy.h5",
    f"solve-problem problems.jsonl --tc nodes=10 {SMALL}",
    f"problem check problems.jsonl --tc nodes=10 {SMALL} --pdn {shlex.quote(NAME + '.checked.pdn')}",
    f"problem stars games.pdn --tc nodes=10 {SMALL}",
    f"prove W:W5:B14,K19,26 --tc nodes=10 --out {shlex.quote(NAME + '.krproof')} {SMALL}",
    "prove --check evil.krproof",
    "weights show tables.h5",
    f"weights show {shlex.quote(NAME + '.h5')}",
    f"match {shlex.quote(NAME)} material --games 2 --tc nodes=20",
    f"match 'hub:{sys.executable} engine.py' material --games 2 --tc nodes=20",
    "match material manual --games 2 --tc nodes=20 --pdn match.pdn --hash 1MB",
    f"perft --depth 1 {shlex.quote(EVIL.replace(chr(0), ''))}",
    f"{shlex.quote(NAME)}",
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with files whose texts are hostile."""
    directory = tmp_path_factory.mktemp("hostile")
    (directory / "games.pdn").write_text(GAMES, "utf-8")
    (directory / f"{NAME}.pdn").write_text(GAMES, "utf-8")
    (directory / "one.pdn").write_text(GAMES.partition(f'[Event "{EVIL} again')[0], "utf-8")
    (directory / "fens.txt").write_text(f"W:W21,K30:B1,2\n{EVIL}\n", "utf-8")
    (directory / "deck.txt").write_text(f"1\t{EVIL}\tplayable\t-\tW:W21,K30:B1,2\n", "utf-8")
    said = [f'id name="{EVIL}" version=1\nwait', f'error message="{EVIL}"']
    steps = [f"input()\nprint({line!r}, flush=True)" for line in said]
    engine = ["import sys", "sys.stdout.reconfigure(encoding='utf-8')", *steps]
    (directory / "engine.py").write_text("\n".join(engine), "utf-8")
    (directory / "match.pdn").write_text(GAMES, "utf-8")
    (directory / "match.pdn.log").write_text(json.dumps({"settings": {"a": EVIL, EVIL: EVIL}}) + "\n", "utf-8")
    problem = {"fen": "W:W21,K30:B1,2", "id": EVIL, "title": EVIL, "author": EVIL, "source": EVIL}
    (directory / "problems.jsonl").write_text(json.dumps(problem) + "\n" + json.dumps({"fen": EVIL}) + "\n", "utf-8")
    attrs = {name: EVIL.replace("\x00", "") for name in ("command", "kr", "created", "commit", "note")}
    layout = Layout.parse("small")
    tables = [np.zeros(shape, kind) for kind, shape in expected_shapes(layout).values()]
    for name in ("tables.h5", f"{NAME}.h5"):
        save_tables(directory / name, layout, *tables, attrs)
    save_model(directory / "net.h5", random_model(NetShape(hidden=(64, 16)), attrs=storage.provenance() | attrs))
    card = {"data": {"files": [EVIL]}, "note": EVIL}
    claim = Claim(Position.from_fen("W:W:B1"), Side.BLACK, Value.WIN)
    provenance = {"command": EVIL, "kr": EVIL, "created": EVIL}
    write_certificate(directory / "evil.krproof", certificate_of(claim, {}, None, provenance))
    save_policy(directory / "policy.h5", random_policy_model(PolicyShape(hidden=(16, 8)), card=card, attrs=attrs))
    return directory


@pytest.fixture
def run(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[str], str]:
    """Runs a command line there and returns all that it printed."""
    monkeypatch.chdir(place)
    monkeypatch.setenv("COLUMNS", "300")

    def call(line: str) -> str:
        capsys.readouterr()
        code = cli.main(shlex.split(line))
        out, err = capsys.readouterr()
        assert code in (0, 1, 2)
        assert out or err
        return f"{out}{err}"

    return call


@pytest.mark.parametrize("line", COMMANDS, ids=lambda line: line.split()[0] + " " + line.split()[1][:9])
def test_no_command_prints_what_a_terminal_obeys(run: Callable[[str], str], line: str) -> None:
    said = run(line)
    assert not OBEYED.findall(said)
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("weights show tables.h5", SHOWN[:30]),
        ("pdn stats games.pdn", SHOWN),
        ("policy show policy.h5", SHOWN[:30]),
        ("analyze games.pdn --ply 1 --depth 1 --hash 1MB --weights material --egdb none", SHOWN[:30]),
        (f"pdn search games.pdn --player {shlex.quote('ANN' + EVIL[3:9])}", SHOWN[:30]),
    ],
)
def test_it_is_shown_with_escapes(run: Callable[[str], str], line: str, shown: str) -> None:
    assert shown in run(line)


def test_json_is_valid_and_as_it_was(run: Callable[[str], str]) -> None:
    assert json.loads(run("weights show tables.h5 --json"))["note"] == EVIL.replace("\x00", "")


def test_pages_of_annotated_games_show_it(run: Callable[[str], str], place: Path) -> None:
    run(f"annotate one.pdn --tc nodes=50 --html shown {SMALL}")
    for page in (place / "shown").glob("*.html"):
        text = page.read_text("utf-8")
        # the game as JSON has escapes of its own
        assert not OBEYED.findall(text)
        assert r"Ann\x1b[31m\x07\x9b2J\u202eb\u2028" in text


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_pdn_on_a_terminal_is_shown_and_elsewhere_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream, text in ((_Terminal(), SHOWN), (io.StringIO(), EVIL)):
        monkeypatch.setattr("sys.stdout", stream)
        archive.standard_output().write(f"{EVIL}\n")
        assert stream.getvalue() == f"{text}\n"


def test_bars_and_live_blocks_of_a_terminal_show_it(monkeypatch: pytest.MonkeyPatch) -> None:
    own = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\r\n]")
    monkeypatch.setenv("COLUMNS", "400")
    for show in (_bar, _block, _event):
        screen = _Terminal()
        monkeypatch.setattr("sys.stderr", screen)
        monkeypatch.setattr("sys.stdout", screen)
        show()
        text = own.sub("", screen.getvalue())
        assert not OBEYED.findall(text)
        assert SHOWN in text


def _bar() -> None:
    with console.progress(f"reading {EVIL}", 10, "games") as progress:
        progress.advance(1, EVIL)


def _block() -> None:
    with console.live() as show:
        show(EVIL, EVIL)


def _event() -> None:
    Terminal().tell(Event("error", EVIL))


def test_a_picture_takes_no_name_for_a_formula(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    figure, (ax,) = figures.new_figure(1, 4, 3)
    ax.plot([1, 2], [3, 4], label="$\\frac{$ \x1b")
    ax.legend()
    figures.finish(ax, "$a_1$\u202e", "x", "y")
    figures.headline(figure, "$\\nothing$")
    figures.save(figure, tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").stat().st_size


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Müller, J. 😀 ½", "Müller, J. 😀 ½"),
        ("a\u00a0b\u3000c", "a\u00a0b\u3000c"),
        ("a\tb\r\nc", r"a\tb\r\nc"),
        ("\x1b]0;x\x07", r"\x1b]0;x\x07"),
        ("\ud800 \udc9b", r"\ud800 \udc9b"),
        ("\U000e0001", r"\U000e0001"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_lines_stay_lines() -> None:
    assert visible_lines("a\n\tb\x1b\n") == "a\n\tb\\x1b\n"


def test_commands_print_by_the_console_alone() -> None:
    """No module of kr.cli calls print: kr.cli.console shows what is foreign."""
    for path in Path(cli.__file__).parent.glob("*.py"):
        calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
        printing = [call.lineno for call in calls if isinstance(call.func, ast.Name) and call.func.id == "print"]
        assert path.name == "console.py" or not printing, f"{path.name}: {printing}"
