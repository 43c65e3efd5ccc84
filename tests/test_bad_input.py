"""Bad input to every command: one line that says what is wrong, the right exit code, and nothing left behind."""

import signal
from pathlib import Path

import h5py
import numpy as np
import pytest
from refusals import check_refused
from systems import DEVICE

from kr import cli
from kr.system import END_SIGNALS

FEN = "'W:W21,K30:B1,2'"
DEEP = "[" * 100_000
NO_CLUSTER = "cluster 'nowhere' is neither an address nor a file"

# Files and directories where the commands run.
TEXTS = {
    "text.h5": "hello\n",
    "empty.h5": "",
    "bad.fen": "W:W1:B2\n",
    "empty.fen": "\n# only a comment\n",
    "over.fen": "W:W:B2\n",
    "bad.pdn": '[Event "x"]\n1. 11-15 22-33 *\n',
    "badfen.pdn": '[Event "x"]\n[FEN "rubbish"]\n*\n',
    "nofen.pdn": '[Event "x"]\n1. 11-15 *\n',
    "empty.pdn": "",
    "badfen.jsonl": '{"fen": 3}\n',
    "deep.jsonl": f'{{"fen": "W:W21,K30:B1,2", "x": {DEEP}\n',
    "digits.jsonl": f'{{"fen": "W:W21,K30:B1,2", "x": {"9" * 5000}}}\n',
    "half.jsonl": '{"fen": "W:W21,K30:B1,2", "id": "\\ud800"}\n',
    "long.fen": f"W:{'W1,' * 10_000}\n",
    "deep/run.json": DEEP,
    "deep/history.json": DEEP,
    "badshard/shard-000000.h5": "x",
    "badrun/run.json": "{}",
    "deep2/games.jsonl": '{"settings": {"seed": 7}, "provenance": {}}\n',
    "nogames/readme": "no games here",
}

# Command line, exit code, part of the line on stderr.
CASES = [
    ("perft rubbish --depth 3", 2, "three fields"),
    ("perft --depth 65", 2, "--depth: 65 is out of range; expected 1 to 64"),
    ("perft --depth 3 --threads 0", 2, "--threads: 0"),
    # empty text, as an unset variable of a shell gives it
    ("analyze ''", 2, ": no such file; expected a file, or a FEN"),
    ("explain ''", 2, "three fields"),
    ("egdb probe ''", 2, "three fields"),
    ("solve-problem ''", 2, ": no such file"),
    ("games ''", 2, "the path is empty"),
    ("pdn search empty.pdn --position ''", 2, "--position: '' is empty"),
    ("fit nogames --out x.h5 --check ''", 2, "the path is empty"),
    ("dxp connect --fen ''", 2, "three fields"),
    ("dxp connect --ballot ''", 2, "no openings ''"),
    ("dxp listen 65536", 2, "'65536' is not an address"),
    ("match shipped,lmr_mvoe=4 manual --games 2", 2, "unknown setting 'lmr_mvoe'; did you mean lmr_move"),
    ("weights show text.h5", 1, "not an HDF5 file written by kr"),
    ("weights show empty.h5", 1, "not an HDF5 file written by kr"),
    ("weights show foreign.h5", 1, "not one of kr's weights"),
    ("weights show newer.h5", 1, "a newer kr wrote it"),
    ("weights show truncated.h5", 1, "truncated.h5"),
    ("bench --depth 2 --weights manual --hash 64", 2, "--hash: '64'"),
    ("bench --depth 2 --weights material --positions long.fen", 2, "long.fen: line 1"),
    ("bench --depth 2 --weights material --against ''", 2, "--against '' sets nothing"),
    ("bench --depth 2 --weights material --against lmr_move=4 --against ,", 2, "--against ',' sets nothing"),
    ("bench --depth 2 --weights material --options lmr_move=4,lmr_move=5", 2, "lmr_move twice"),
    (f"bench --depth 2 --weights material --positions {DEVICE}", 1, "not a regular file"),
    (f"book show {DEVICE}", 2, "not a regular file; expected a book of kr book build"),
    ("book show ''", 2, "'' is not the name of a file"),
    (f"repertoire check {DEVICE}", 1, "not a regular file"),
    (f"weights show {DEVICE}", 1, "not a regular file"),
    ("games --json", 2, "Missing argument"),
    ("games text.h5", 1, "text.h5 is a text file; expected the directory of a run"),
    ("games badshard", 1, "shard-000000.h5"),
    ("games nogames --pdn badrun", 2, "badrun is a directory"),
    (f"games nogames --pdn {DEVICE}", 2, "not a regular file"),
    ("games nogames --pdn text.h5/x.pdn", 2, "text.h5 is not a directory"),
    (f"weights check games.pdn --every {10**20}", 2, "out of range; expected 1 to 1000000000"),
    ("weights check bad.pdn", 1, "no game in it has a result"),
    ("pdn convert empty.pdn --out badrun", 2, "badrun is a directory"),
    ("pdn search empty.pdn --position rubbish", 2, "three fields"),
    (f"pdn search empty.pdn --ballot 11-16 --out {DEVICE}", 2, "not a regular file"),
    ("openings --deck nothere", 2, "no openings 'nothere'"),
    ("openings --deck 11man:listed", 2, ":all, :playable, :accepted, :balanced, :hard, :edge may follow"),
    ("openings --deck bad.fen", 2, "bad.fen, line 1"),
    ("openings --deck empty.fen", 2, "no opening to play"),
    ("openings --deck over.fen", 2, "over.fen, line 1"),
    ("openings --deck bad.pdn", 1, "bad.pdn, line 2"),
    ("openings --deck empty.pdn", 2, "no opening to play"),
    ("openings --out x.txt", 2, "--mark"),
    ("openings --mark --deck start", 2, "--out"),
    ("openings --mark --deck start --out badrun --weights material", 2, "badrun is a directory"),
    ("solve-problem nothere", 2, "or a built-in problem such as "),
    ("solve-problem bridge-postion", 2, "did you mean bridge-position"),
    ("match shiped manual --games 2", 1, "shiped: no such file; expected a weights file, manual, material or"),
    (f"solve-problem {FEN} --tc nodes=1e30", 2, "--tc"),
    (f"solve-problem {FEN} --tc 1e300h", 2, "--tc"),
    ("solve-problem badfen.jsonl", 1, "badfen.jsonl:1"),
    ("solve-problem deep.jsonl", 1, "deep.jsonl:1: unusable JSON, nested too deeply"),
    ("solve-problem digits.jsonl", 1, "digits.jsonl:1: unusable JSON, Exceeds the limit"),
    ("solve-problem half.jsonl", 1, "half a surrogate pair"),
    (f"solve-problem {FEN} --weights material --out text.h5/x", 2, "text.h5 is not a directory"),
    ("solve-problem nofen.pdn", 1, "FEN tag"),
    ("solve-problem badfen.pdn", 1, "badfen.pdn, line 2"),
    ("selfplay --games 1e99", 2, "games"),
    ("selfplay --out new --weights material --openings 3move+", 2, "no openings ''"),
    ("selfplay --out text.h5 --weights material --openings start", 2, "text.h5 is not a directory"),
    ("selfplay --out badshard --weights material --openings start", 1, "no run.json"),
    ("selfplay --out badrun --weights material --openings start", 1, "run.json"),
    ("selfplay --out deep --weights material --openings start --egdb none", 1, "not the description of a run"),
    ("selfplay --out new --weights material --openings 11man*27", 2, "67,500 openings: expected 1 to 65536"),
    ("match material material --games 3", 2, "3 games"),
    ("match material material --games 2 --ballot nothere", 2, "no openings 'nothere'"),
    ("match material material --games 2 --ballot start --sprt 5 0", 2, "SPRT"),
    ("match material material --games 2 --ballot start --normalized", 2, "add --sprt"),
    ("match material material --games 2 --ballot start --plots x", 2, "add --sprt"),
    ("match material material --games 2 --ballot start --sprt 0 201 --normalized", 2, "from -200 to 200"),
    ("match material material --games 2 --ballot start --sprt nan 5", 2, "expected Elo from -2000 to 2000"),
    ("match material material --games 2 --ballot start --sprt -2001 0", 2, "expected Elo from -2000 to 2000"),
    ("match material material --games 2 --ballot start --margin 1e999", 2, "--margin: '1e999'"),
    ("match material material --games 2 --ballot start --pdn badrun", 2, "badrun is a directory"),
    ("match material material --games 2 --ballot start --pdn bad.pdn", 2, "no match log"),
    ("match material text.h5 --games 2 --ballot start", 1, "text.h5"),
    ("match material hub:/nothere/x --games 2 --ballot start", 1, "can't be started"),
    # a directory that was made for nothing goes again
    ("egdb build --dir new/two --classes x", 2, "'x' is not a class"),
    (f"problem vary {FEN} --hash 1MB --out text.h5/x", 2, "text.h5 is not a directory"),
    ("problem find nofen.pdn --weights material --hash 1MB --egdb none --out .", 2, ". is a directory"),
    ("fit nogames --out new.h5", 1, "no shards"),
    (
        "fit empty.pdn --out new.h5",
        1,
        "run of `kr selfplay`; `kr games import empty.pdn --out DIR` makes such a directory of it",
    ),
    ("book build --out new.sqlite --time 1e99h", 2, "1e99h' is more than 31 years"),
    ("fit badshard --out new.h5", 1, "shard-000000.h5"),
    ("fit nogames --out badrun", 2, "badrun is a directory"),
    ("fit nogames --out text.h5/new.h5", 2, "text.h5 is not a directory"),
    ("fit nogames --out new.h5 --check nothere.pdn", 2, "nothere.pdn: no such file"),
    ("fit nogames --out new.h5 --label mix=2", 2, "--label"),
    ("train", 2, "--out"),
    ("train --out new --weights nothere.h5", 1, "nothere.h5"),
    ("train --out new --weights text.h5", 1, "text.h5"),
    ("train --out new --weights material --games 0", 2, "games"),
    ("train --out new --weights material --gate-games 3", 2, "3 games"),
    ("train --out new --weights material --sprt 5 0", 2, "SPRT"),
    ("train --out new --weights material --gate-ballot nothere", 2, "no openings 'nothere'"),
    ("train --out text.h5 --weights material", 2, "text.h5 is not a directory"),
    ("train --out deep --status", 1, "damaged: not JSON"),
    # what only a later step needs is checked before the first
    ("train --out new --weights material --egdb none --data nothere", 1, "nothere: no such directory"),
    ("train --out new --weights material --egdb none --data nogames", 1, "nogames: no shards"),
    ("train --out new --weights material --egdb none --prior text.h5", 1, "text.h5"),
    ("train --out new --weights material --egdb nothere", 2, "nothere: not a directory; expected that of an"),
    ("train --out new --weights material --egdb none --gate-ballot start", 2, "would repeat each other"),
    ("train --out new --weights material --egdb none --plots text.h5", 2, "text.h5 is not a directory"),
    ("evolve --out text.h5", 2, "text.h5 is not a directory"),
    ("evolve --out new --most-width 0.5", 2, "widths don't evolve in the scheme thesis"),
    ("evolve --out deep2 --population 4 --generations 1", 2, "was begun with"),
    ("evolve show nogames", 1, "nogames is not the directory of a run of `kr evolve`"),
    ("evolve show badrun", 1, "run.json is not a file of results"),
    ("evolve pack text.h5 --out packed.h5", 1, "text.h5"),
    ("evolve pack shipped --generations 1,x --out packed.h5", 2, "'x' is not a count"),
    ("match evolved:nothere manual --games 2", 1, "nothere: no such file"),
    ("match evolved:shipped,plies=0 manual --games 2", 2, "plies: 0 is out of range; expected 1 to 32"),
    ("match evolved:shipped,decider=oracle manual --games 2", 2, "decider: 'oracle' is unknown"),
    ("match evolved:shipped,rounds=5 manual --games 2", 2, "rounds: the decider minimax has none"),
    ("match evolved:shipped,generation=123456 manual --games 2", 2, "generation 123456 of the run"),
    ("match evolved:shipped,run=nobody manual --games 2", 2, "no run 'nobody'"),
    ("match mcts:0 manual --games 2", 2, "play-outs: 0 is out of range"),
    ("match mcts:many manual --games 2", 2, "'many' is not a count"),
    ("play --weights manual --black human", 2, "--weights names your opponent"),
    ("play --side black --white manual", 2, "expected one or the other"),
    ("play --white hub:x --level 3", 2, "kr plays neither side"),
    ("play --resume x.pdn --ballot 3move", 2, "leave out --ballot"),
    ("play --ballot nothere", 2, "no openings 'nothere'"),
    ("play --ballot '3move 175'", 2, "3move has no opening 175; they are numbered 1 to 174"),
    ("play --ballot W:W1:Bx", 2, "FEN"),
    ("play --ballot W:W:B1", 2, "no legal move"),
    ("play --ballot nothere.pdn:8", 2, "no openings 'nothere.pdn:8'"),
    ("play --tc soon", 2, "--tc: 'soon'"),
    ("play --white hub:./nothere", 1, "can't be started"),
    ("play --out text.h5/x", 2, "text.h5 is not a directory"),
    (f"analyze {DEVICE}", 2, DEVICE),
    ("analyze B:W99:B1", 2, "99"),
    (f"analyze {FEN} --ply 3", 2, "--ply"),
    (f"analyze {FEN} --tc depth=3 --depth 3", 2, "--depth"),
    ("analyze x.pdn --ply 3-1", 2, "write 1-3"),
    ("analyze x.pdn --ply two", 2, "two"),
    ("analyze --people bad.pdn --depth 3", 1, "not a policy file"),
    ("annotate bad.pdn --trap 0.01", 2, "an oversight is less likely than a trap"),
    ("explain B:W:B --weights material", 2, "empty board"),
    ("explain --moves 11-17", 1, "11-17"),
    ("selfplay --games 10 --cluster nowhere", 2, NO_CLUSTER),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("bad")
    for name, text in TEXTS.items():
        path = directory / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    with h5py.File(directory / "foreign.h5", "w", libver="v110") as file:
        file["x"] = np.arange(3)
    with h5py.File(directory / "newer.h5", "w", libver="v110") as file:
        file.attrs.update(kind="kr weights", format_version=99)
    whole = (directory / "newer.h5").read_bytes()
    (directory / "truncated.h5").write_bytes(whole[: len(whole) // 2])
    return directory


def _names(directory: Path) -> set[str]:
    return {str(path.relative_to(directory)) for path in directory.rglob("*")}


@pytest.mark.parametrize(("line", "code", "message"), CASES, ids=[line for line, *_ in CASES])
def test_bad_input_is_one_line(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture, line: str, code: int, message: str
) -> None:
    monkeypatch.chdir(files)
    before = _names(files)
    check_refused(capsys, line, code, message)
    assert _names(files) == before


def test_a_signal_ends_a_command_as_ctrl_c_does(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    number = END_SIGNALS[-1]
    handler = signal.getsignal(number)
    monkeypatch.setattr(cli.console, "progress", lambda *words, **more: signal.raise_signal(number))
    assert cli.main(["bench", "--weights", "material", "--depth", "2"]) == 1
    assert capsys.readouterr() == ("", "kr: interrupted\n")
    assert signal.getsignal(number) is handler
