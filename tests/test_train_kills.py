"""A training run that is killed in every step of every generation, and resumed each time."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import h5py
import pytest
from test_train import REFUSE, TINY, essence, finished

from kr.evaluation import weights
from kr.learn.training.history import GENERATION_STEPS, TrainHistory, load_history
from kr.learn.training.train import train

__all__ = ["finished"]

KILLED = """
import json, os, signal, sys
sys.path.insert(0, os.path.dirname(sys.argv[1]))
import h5py, scipy.optimize, threadpoolctl
from dataclasses import replace
from pathlib import Path
from kr.evaluation.kinds import load_file
from kr.learn.training import history
from kr.learn.training.train import TrainWatcher, train
from kr.match import log
from test_train_kills import SETTINGS

settings = replace(SETTINGS, out=Path(sys.argv[2]), weights=sys.argv[3])
load_file(settings.weights)
seen, now, replaced, appended = set(), [], os.replace, log.append

def moment(*what):
    label = " ".join(map(str, what))
    if label not in seen:
        os.write(tell, label.encode())
        os.kill(os.getpid(), signal.SIGKILL)

def replace_later(source, target):
    what = str(Path(target).relative_to(settings.out))
    if what == history.FILE:
        made = json.loads(Path(source).read_text())["generations"]
        steps = [[generation[step] for step in history.GENERATION_STEPS] for generation in made]
        # 0: not begun, 1: begun, 2: with its result
        what = [[bool(step) + bool(step and step["result"]) for step in each] for each in steps]
    moment("writing", what)
    replaced(source, target)

def log_later(file, text):
    appended(file, text)
    path = Path(file.name)
    moment("game written, but not logged:", path.name, history.matched_games(path) // 4)

class Watcher(TrainWatcher):
    def begins(self, number, step, settings):
        now[:] = number, step
        moment(*now, "begins")

    def played(self, tally):
        moment(*now, (tally.earlier + tally.played) // 12)

    def fitting(self, what, done, total):
        moment(*now, what)

    def matched(self, gate):
        moment(*now, gate.tally.games // 4)

os.replace, log.append = replace_later, log_later
while True:
    told, tell = os.pipe()
    if not (child := os.fork()):
        train(settings, Watcher())
        os._exit(0)
    os.close(tell)
    label = os.read(told, 1000).decode()
    os.close(told)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status != -signal.SIGKILL:
        sys.exit(status)
    seen.add(label)
    print(label, flush=True)
"""
"""Kills a run at the first moment at which it has not been killed yet, again and again, until it ends."""

SETTINGS = replace(TINY, sprt=REFUSE)
"""No generation is accepted, so that every start asks anew whether the run can pass the gate."""


@pytest.fixture
def learned_from_many(finished: tuple[Path, TrainHistory], tmp_path: Path) -> Path:
    """Tables that say of themselves that they were fitted to a million games, as the shipped ones do."""
    source = shutil.copy(finished[0] / "g01.h5", tmp_path / "many.h5")
    made = weights.load_tables(source)
    report = json.loads(str(made.attrs["report"]))
    report["runs"][0]["games"] = 10**6
    tables = (made.men_table, made.kings_table, made.men_material, made.kings_material)
    weights.save_tables(source, made.layout, *tables, attrs={**made.attrs, "report": json.dumps(report)})
    return Path(source)


def content(path: Path) -> Any:
    """Content of a file of a run without dates, times and commands."""
    if path.suffix == ".pdn":
        return re.sub(r"\[Date .*|\d\.\d{3}s", "", path.read_text()).split()
    arrays: dict[str, bytes] = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, each: arrays.update({name: each[()].tobytes()} if hasattr(each, "dtype") else {}))
    return arrays


@pytest.mark.soak
@pytest.mark.posix("no fork")
def test_killed_in_every_step(learned_from_many: Path, tmp_path: Path) -> None:
    undisturbed, run = tmp_path / "undisturbed", tmp_path / "run"
    expected = train(replace(SETTINGS, out=undisturbed, weights=str(learned_from_many)))
    command = [sys.executable, "-c", KILLED, __file__, str(run), str(learned_from_many)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    kills = done.stdout.splitlines()
    for number, name in product((1, 2), GENERATION_STEPS):
        assert sum(line.startswith(f"{number} {name} ") for line in kills) >= 3
    written = [[1, 0, 0], [2, 0, 0], [2, 1, 0], [2, 2, 0], [2, 2, 1], [2, 2, 2]]
    histories = [[], *([each] for each in written), *([written[-1], each] for each in written)]
    assert [line for line in kills if "[" in line] == [f"writing {each}" for each in histories]
    assert essence(load_history(run)) == essence(expected)
    names = sorted(path.relative_to(run) for path in run.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(undisturbed) for path in undisturbed.rglob("*") if path.is_file())
    for name in names:
        if name.suffix in (".h5", ".pdn"):
            assert content(run / name) == content(undisturbed / name), name
