"""Output of every command: 80 columns, plain English counts, one board, one unit, and the files that were written."""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from models import random_model
from policies import random_policy_model
from proved import case
from recorded import write_archive
from systems import RUNS_JAX
from tables import TINY

from kr import cli
from kr.cli import boards, console
from kr.egdb.sample import SampleSettings, write_sample
from kr.game.position import Position
from kr.policy.model_file import save_policy
from kr.policy.shape import PolicyShape
from kr.proofs.certificate import write_certificate
from kr.studies.endings.model_file import save_model
from kr.studies.endings.shape import NetShape
from kr.studies.evolution.run import evolve
from kr.studies.evolution.settings import EvolveSettings
from kr.system import split_command

WIDTH = 80
SMALL = "--hash 1MB --weights material --egdb none"
KINGS = "W:WK18,K22:B1,K29"
GAMES = """[Event "A tournament with a name that is longer than any column ought to be"]
[Site "?"]
[Date "1901.01.01"]
[Round "1"]
[Black "Stewart, Robert of Blairadam, the elder"]
[White "Jordan, Alfred, of London and elsewhere"]
[Result "1/2-1/2"]

1. 10-14 22-18 2. 12-16 24-19 1/2-1/2

[Event "Another"]
[Result "*"]

1. 11-15 *
"""
ONE_GAME = '[Event "x"]\n[Result "*"]\n\n1. 11-15 *\n'
ONE_OF_MANY = re.compile(
    r"(?<![\w.,/+-])1 (answers|bytes|files|games|hits|iterations|lines|moves|nodes|openings|pairs|plies|points|"
    r"positions|probes|problems|regions|searches|seconds|shards|slices)\b"
)
LONG_NUMBER = re.compile(r"\d\.\d{6}")

# Each is run in the directory that `place` makes; the exit code is 0.
COMMANDS = [
    f"analyze --depth 9 --multipv 3 {SMALL}",
    f"analyze {KINGS} --depth 5 --multipv 3 --hash 1MB",
    f"analyze games.pdn --ply 1-2 --depth 3 {SMALL}",
    f"analyze B:W5:B {SMALL}",
    "bench --depth 2 --hash 1MB",
    "bench --depth 2 --hash 1MB --rounds 1 --positions fens.txt --ablate --against lmr_move=4,lmr_depth=5,history=0",
    "egdb build --pieces 2 --dir two",
    "egdb verify --dir three",
    "egdb stats --dir three --slices",
    f"egdb probe {KINGS}",
    "egdb sample --pieces 2-3 --count 500 --stratify value --dir three --out counted.h5",
    "endnet show net.h5",
    pytest.param("endnet test net.h5 endings.h5 --limit 200", marks=RUNS_JAX),
    "endnet rivals endings.h5 --out rivals --rivals exact,regions,trees --sizes 100KB --limit 1000 --tested 500",
    "evolve --scheme fogel2001 --generations 2 --plies 1 --population 4 --games 1 --moves 10 --comparisons 2 "
    "--playouts 5 --rounds 5 --out evolved",
    "evolve show evolution",
    "evolve show evolution evolution2 --plots evolution-plots",
    "explain",
    "explain --moves '11-15 22-18 15x22 25x18' --svg explained.svg --weights manual",
    "match material,hash=1MB,lmr_move=4,etc_depth=5 manual,hash=1MB,egdb=none --games 2 --tc nodes=20",
    "openings --deck 3move --all",
    "openings --deck endings",
    "pdn check games.pdn",
    "pdn check one.pdn",
    "pdn stats games.pdn",
    "pdn search one.pdn",
    "perft --depth 5",
    "perft --depth 3 --divide",
    "policy show policy.h5",
    "play --black material --white manual --tc nodes=20 --hash 1MB --out played.pdn",
    f"prove W:W5:B14,K19,26 --goal loss --tc nodes=1M --workers 1 --out lost.krproof {SMALL}",
    "prove --check proved.krproof",
    "selfplay --weights material --nodes 20 --games 2 --openings start --egdb none --workers 1 --out again",
    f"solve-problem 'hundred years' --tc nodes=500 --multipv 2 {SMALL}",
    f"problem check 'hundred years' --tc nodes=500 {SMALL}",
    f"problem check first --tc nodes=500 {SMALL} --out verdicts.jsonl --pdn verdicts.pdn",
    "problem check W:W21,K30:B1,2 --all --hash 1MB",
    "solve-problem W:W21,K30:B1,2 --tc depth=9 --hash 1MB",
    "train --out training --layout tiny.toml --weights material --generations 1 --games 20 --nodes 9 --gate-games 2 "
    "--gate-nodes 9 --egdb none --workers 1 --max-iter 2",
    "weights check games.pdn",
    "weights show manual",
    "weights show material",
    "weights show shipped",
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, whole: Path) -> Path:
    """A directory with games, positions, self-play and a database."""
    directory = tmp_path_factory.mktemp("output")
    (directory / "games.pdn").write_text(GAMES)
    (directory / "one.pdn").write_text(ONE_GAME)
    (directory / "tiny.toml").write_text(TINY.toml())
    write_archive(directory / "people.pdn", 30)
    write_certificate(directory / "proved.krproof", case("leaves of both kinds"))
    save_policy(directory / "policy.h5", random_policy_model(PolicyShape(hidden=(16, 8))))
    (directory / "fens.txt").write_text(f"{Position().fen}\n{KINGS}\n")
    shutil.copytree(whole, directory / "three")
    write_sample(SampleSettings(directory / "endings.h5", pieces="2-3", fraction=0.02, planes=False, dir=whole))
    save_model(directory / "net.h5", random_model(NetShape(hidden=(64, 16))))
    evolved = EvolveSettings(
        directory / "evolution", generations=30, plies=1, games=1, population=6, moves=15, comparisons=4, playouts=(5,),
        rounds=5,
    )  # fmt: skip
    evolve(evolved)
    evolve(replace(evolved, out=directory / "evolution2", scheme="code", seed=1234))
    words = "selfplay --weights material --nodes 20 --games 12 --openings 3move --egdb none --workers 1 --out"
    assert cli.main([*words.split(), str(directory / "run")]) == 0
    return directory


Run = Callable[[str], tuple[str, str]]


@pytest.fixture
def run(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line there with 80 columns and returns its stdout and stderr."""
    monkeypatch.chdir(place)
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    capsys.readouterr()

    def call(line: str) -> tuple[str, str]:
        assert cli.main(split_command(line)) == 0, capsys.readouterr().err
        return capsys.readouterr()

    return call


def faults(text: str) -> list[str]:
    """Lines that are too wide, have a plural after 1, or a number with too many digits."""
    return [
        line
        for line in text.splitlines()
        # the path of a file is never broken
        if (len(line) > WIDTH and not Path(line.strip()).is_file())
        or ONE_OF_MANY.search(line)
        or LONG_NUMBER.search(line.replace("1e-05", ""))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("line", COMMANDS)
def test_output_is_80_columns_wide(run: Run, line: str) -> None:
    out, err = run(line)
    assert out or err
    assert not faults(out)
    assert not faults(err)


def command_lines() -> list[str]:
    """Every command, including those of groups."""
    lines = [""]
    for name in cli.COMMANDS:
        lines.append(name)
        command = cli.app.get_command(click.Context(cli.app), name)
        lines += [f"{name} {each}" for each in getattr(command, "commands", ())]
    return lines


@pytest.mark.parametrize("line", command_lines())
def test_help_is_80_columns_wide_and_ends_with_an_example(run: Run, line: str) -> None:
    shown, _ = run(f"{line} --help")
    assert not faults(shown)
    usage, _, rest = shown.partition("\n\n")
    assert usage.startswith("Usage: ")
    example = shown.rstrip().rpartition("\n\n")[2].strip()
    # double quotes are quotes in every shell, single ones not in cmd.exe
    assert line in ("", "weights") or (
        example.startswith("Example") and f"kr {line}" in example and " '" not in example
    )
    # NAME=NUMBER,... is the value of an option, FILE... or [FILE]... an argument that may be repeated
    assert "..." not in re.sub(r"[],A-Z]\.\.\.", "", rest)


@pytest.mark.parametrize("line", sorted({line.rpartition(" ")[0] for line in command_lines()}))
def test_help_is_shown_if_no_command_is_given(run: Run, line: str) -> None:
    assert run(line) == run(f"{line} --help")


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("match --tc", "kr match"),
        ("pdn search games.pdn --ballot", "kr pdn search"),
        ("egdb --nonsense", "kr egdb"),
        ("--nonsense", "kr"),
    ],
)
def test_usage_errors_name_the_help_to_read(line: str, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(line.split()) == 2
    assert capsys.readouterr().err.endswith(f"(see {command} --help)\n")


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("analyse", "analyze"),
        ("selfpaly", "selfplay"),
        ("solve", "solve-problem"),
        ("egdb prob", "probe"),
        ("pdn serach", "search"),
        ("analyze --multpv 3", "--multipv"),
        ("match --game 3", "--games"),
        ("--verson", "--version"),
    ],
)
def test_a_misspelt_word_is_answered_with_a_suggestion(
    line: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(line.split()) == 2
    error = capsys.readouterr().err
    assert re.search(rf"; did you mean (\S+ or )*{meant}\b", error)
    assert error.count("\n") == 1


@pytest.mark.parametrize("line", ["xyzzy", "egdb 7", "analyze --qqqqq"])
def test_nothing_is_suggested_if_nothing_is_similar(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(line.split()) == 2
    assert "did you mean" not in capsys.readouterr().err


# --- files


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "path", "what"),
    [
        ("annotate games.pdn --tc nodes=9 --egdb none --out told-marked.pdn", "told-marked.pdn", "2 games"),
        ("annotate games.pdn --tc nodes=9 --egdb none --html told-pages", "told-pages", "2 games"),
        ("egdb sample --pieces 2 --fraction 0.01 --dir three --out told.h5", "told.h5", r"\d+ positions?"),
        pytest.param(
            "endnet fit endings.h5 --hidden 8,4 --epochs 1 --limit 100 --out told-net.h5", "told-net.h5", "network",
            marks=RUNS_JAX,
        ),
        ("evolve --generations 1 --plies 1 --population 4 --moves 5 --comparisons 0 --out told-run", "told-run", "run"),
        ("evolve pack evolution --short --out told-champions.h5", "told-champions.h5", "champions"),
        ("fit run --layout tiny.toml --out told-tables.h5 --l2 1 --max-iter 2", "told-tables.h5", "tables"),
        ("games run --pdn told-games.pdn", "told-games.pdn", "12 games"),
        ("explain --weights manual --svg told.svg", "told.svg", ""),
        ("match material manual --games 2 --tc nodes=9 --hash 1MB --sprt 0 5 --pdn told.pdn", "told.pdn", "2 games"),
        pytest.param(
            "policy fit people.pdn --hidden 16,8 --epochs 1 --out told-policy.h5", "told-policy.h5", "policy",
            marks=RUNS_JAX,
        ),
        ("pdn convert games.pdn --out told-converted.pdn", "told-converted.pdn", "2 games"),
        ("pdn search games.pdn --year 1901 --out told-found.pdn", "told-found.pdn", "1 game"),
        (f"solve-problem pask --tc nodes=9 --tc nodes=20 {SMALL} --out told.jsonl", "told.jsonl", "2 answers"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("json_too", [pytest.param(False, marks=pytest.mark.soak), True])
def test_each_written_file_is_named_once_in_80_columns(
    run: Run, line: str, path: str, what: str, json_too: bool
) -> None:
    if json_too:
        line, path = f"{line.replace('told', 'json')} --json", path.replace("told", "json")
    out, err = run(line)
    assert not faults(err) + faults("" if json_too else out)
    assert len(re.findall(rf"^wrote {re.escape(path)}{what and f': {what}'}$", err, re.MULTILINE)) == 1
    assert "wrote" not in out
    assert Path(path).exists()


# --- boards and scores


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "analyze {} --depth 2 --hash 1MB",
        "egdb probe {}",
        "solve-problem {} --tc depth=2 --hash 1MB",
        "play --ballot {} --black manual --white material --tc nodes=9 --hash 1MB --out none",
    ],
)
def test_there_is_one_board(run: Run, line: str) -> None:
    board = Position.from_fen(KINGS).diagram().rpartition("\n")[0]
    assert board in run(line.format(KINGS))[0]


@pytest.mark.slow
def test_scores_are_centi_men_with_a_sign_everywhere(run: Run) -> None:
    position, score = "W:W18,24,27,28:B12,16,20", "[+-][0-9]+"
    assert re.search(rf"^1 +{score} ", run(f"analyze {position} --depth 3 {SMALL}")[0], re.MULTILINE)
    assert re.search(rf"score {score}$", run(f"solve-problem {position} --tc depth=1 {SMALL}")[0], re.MULTILINE)
    (Path("score.txt")).write_text(position)
    assert re.search(rf"-\d+ +{score} ", run("bench --positions score.txt --depth 3 --hash 1MB")[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", ["analyze {} --depth 9 --hash 1MB", "egdb probe {}", "solve-problem {} --tc depth=9 --hash 1MB"]
)
def test_a_distance_has_its_unit(run: Run, line: str) -> None:
    assert "win in 67 plies" in run(line.format("W:W21,K30:B1,2"))[0]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "stem"), [("", "kr"), ("manual", "manual"), ("material", "material")])
def test_weights_by_name(run: Run, name: str, stem: str) -> None:
    assert Path(json.loads(run(f"weights show {name} --json")[0])["weights"]).stem == stem


# --- tables

WORDS = st.text("ab1", min_size=1, max_size=9)
TEXTS = st.lists(WORDS, max_size=30).map(" ".join)


@pytest.mark.slow
@given(st.lists(st.tuples(*[st.one_of(TEXTS, st.integers(0, 10**6))] * 6), min_size=1, max_size=5))
def test_a_folded_table_loses_nothing(rows: list[tuple[str | int, ...]]) -> None:
    columns = [f"c{i}" for i in range(6)]
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("COLUMNS", str(WIDTH))
        shown = console.table(columns, rows)
    words = sorted(word for row in [columns, *rows] for cell in row for word in str(cell).split())
    found = shown.split()
    # the first column is repeated where the columns are split
    assert set(words) == set(found)
    assert all(found.count(word) >= words.count(word) for word in words)


@given(TEXTS, st.integers(0, 10))
def test_folded_text_fits_and_is_complete(text: str, indent: int) -> None:
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("COLUMNS", "40")
        shown = console.fold(text, indent)
    assert shown.split() == text.split()
    lines = shown.split("\n")
    assert max(map(len, lines)) <= 40
    assert all(line.startswith(" " * indent) for line in lines[1:])


MOVES = " ".join(["11-15"] * 30)
FEN = Position().fen


@pytest.mark.parametrize(
    ("columns", "row", "shown"),
    [
        (["n", "line"], (1, MOVES[:71]), [f"1  {MOVES[:71]}"]),
        (["n", "line"], (1, MOVES), [f"1  {MOVES[:77]}", f"   {MOVES[78:155]}", f"   {MOVES[156:]}"]),
        (["move", "number", "FEN"], ("11-15", 1, FEN), ["11-15       1", f"    {FEN}"]),
        (["a"] + ["b" * 30] * 3, (1, 2, 3, 4), [f"1{'2':>32}{'3':>32}", "", f"a  {'b' * 30}", f"1{'4':>32}"]),
    ],
)
def test_how_tables_are_folded(
    monkeypatch: pytest.MonkeyPatch, columns: list[str], row: tuple[object, ...], shown: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    lines = console.table(columns, [row]).split("\n")
    assert lines[-len(shown) :] == shown
    monkeypatch.setenv("COLUMNS", "400")
    assert console.table(columns, [row]).count("\n") == 1


@pytest.mark.parametrize(("symbols", "king"), [(True, "♛"), (False, "K")])
def test_a_coloured_board_has_kings_in_every_font(symbols: bool, king: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boards, "shows_symbols", lambda: symbols)
    shown = boards.draw(Position.from_fen("B:W18,K30:B1,K6"), colour=True).plain
    assert shown.count("●") == shown.count(king) == 2
    assert {len(line) for line in shown.splitlines()} == {8 * boards.WIDTH}
    assert ("♛" in shown) == symbols
