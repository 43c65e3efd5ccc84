"""No room for what is written: one error that names the file, nothing that is half there, and on it goes with room."""

import errno
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tables import random_weights

from kr import storage
from kr.cli import main
from kr.evaluation import weights
from kr.jobs.journal import open_journal
from kr.learn import games
from kr.learn.training import history as train_history
from kr.match.log import Effort, MatchGame, open_log

pytestmark = pytest.mark.posix("no setrlimit")

GAME = MatchGame(0, True, "x", 1, "draw", "", 3, Effort(), Effort())


@contextmanager
def room(size: int) -> Iterator[None]:
    """No file can grow beyond `size` bytes; a write that passes it is cut off there, as on a full disk."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def fill_journal(path: Path) -> None:
    with open_journal(path, {}, {}, dict) as journal:
        for number in range(100):
            journal.append({"number": number})


def fill_log(path: Path) -> None:
    with open_log(path, {}, {}) as log:
        for _ in range(100):
            log.append(GAME, "a game\n")


def save_weights(path: Path) -> None:
    made = random_weights("small")
    tables = (made.men_table, made.kings_table, made.men_material, made.kings_material)
    weights.save_tables(path, made.layout, *tables, attrs={})


def save_history(path: Path) -> None:
    train_history.save_history(path.parent, train_history.TrainHistory("x" * 2000, "", "", 1, {}))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "name", "left"),
    [
        (fill_journal, "journal", {"journal"}),
        (fill_log, "games.pdn", {"games.pdn", "games.pdn.log"}),
        (save_weights, "tables.h5", set()),
        (lambda path: games.write_shard(path, [], {"x": "y" * 2000}), "shard.h5", set()),
        (save_history, "history.json", set()),
        (lambda path: storage.write_atomic(path, "x" * 2000), "file", set()),
    ],
)
def test_an_error_that_names_the_file(tmp_path: Path, write: Callable[[Path], None], name: str, left: set[str]) -> None:
    with room(1000), pytest.raises(OSError, match=r"too large") as caught:
        write(tmp_path / name)
    assert caught.value.errno == errno.EFBIG
    assert Path(str(caught.value.filename)).name in {name, f"{name}.log"}
    assert {path.name for path in tmp_path.iterdir()} == left
    for path in tmp_path.iterdir():
        assert path.read_bytes().endswith(b"\n")


def test_a_journal_continues_once_there_is_room(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    with room(1000), pytest.raises(OSError, match="journal"):
        fill_journal(path)
    kept = len(path.read_text().splitlines()) - 1
    with open_journal(path, {}, {}, dict) as journal:
        assert journal.entries == [{"number": number} for number in range(kept)]


def test_the_command_says_it_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "solve-problem --weights material --hash 1MB --egdb none --tc nodes=50 --json --out".split()
    out = tmp_path / "answers.jsonl"
    with room(4000):
        assert main([*words, str(out)]) == 1
    assert capsys.readouterr() == ("", f"kr: {out}: File too large\n")
    assert main([*words, str(out)]) == 0
    answers = json.loads(capsys.readouterr().out)["problems"]
    assert len(out.read_text().splitlines()) == len(answers) + 1
