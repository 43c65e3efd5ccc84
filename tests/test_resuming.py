"""Commands that write a line for each problem, star, position or ballot resume from their output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kr.cli import main

PROBLEMS = [
    {"id": "a cook", "fen": "W:WK19,K23:B12,K28", "result": "W-win", "solution": "23-27 28-32 27-31"},
    {"id": "a wrong draw", "fen": "W:W21,K30:B1,2", "result": "draw"},
    {"id": "no move at all", "fen": "W:W21:B17,14", "result": "W-win"},
]
STARS = '[FEN "W:W21,K30:B1,2"]\n1. 30-26* {99-1*} 2-6 (1... 1-5 2. 21-17*) 2. 26-23 {or 26-22*} *\n'


def records(text: str) -> list[dict[str, Any]]:
    """Lines of JSON in any order, without what differs from run to run."""
    found = ({**json.loads(line), "seconds": 0} for line in text.splitlines())
    return sorted(found, key=json.dumps)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "other", "said"),
    [
        ("problem check problems.jsonl --tc nodes=1k", "--strict", "strict false, not true"),
        ("problem stars book.pdn --tc nodes=2k", "--tc nodes=3k", 'limits "nodes=2000", not "nodes=3000"'),
        ("problem vary B:W11:BK9,2 --tc nodes=1e6 --duals", "--goal draw", "goal"),
        ("theory grade --sample 4 --tc nodes=2k", "--tc nodes=3k", 'limits "nodes=2000", not "nodes=3000"'),
    ],
)
def test_the_same_command_resumes(
    command: str, other: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    sources = {"problems.jsonl": "".join(f"{json.dumps(each)}\n" for each in PROBLEMS), "book.pdn": STARS}
    for name, text in sources.items():
        Path(name).write_text(text)
    out, words = Path("out.jsonl"), [*command.split(), *"--hash 4MB --out out.jsonl --json --quiet".split()]
    assert main(words) == 0
    whole = capsys.readouterr().out.splitlines()[:-1]
    written = out.read_text().splitlines(keepends=True)
    assert len(written) > len(whole) > 2
    # as a kill leaves it: some lines, perhaps the beginning of the next one
    for kept, rest in ((0, written[1][:40]), (2, written[3][:40]), (len(written) - 1, "")):
        out.write_text("".join(written[: kept + 1]) + rest)
        assert main(words) == 0
        *again, summary = capsys.readouterr().out.splitlines()
        assert records("\n".join(again)) == records("\n".join(whole))
        assert json.loads(summary)["resumed"] == kept
        assert records(out.read_text()) == records("".join(written))
    assert main([*words, *other.split()]) == 2
    assert f"was begun with {said}" in capsys.readouterr().err
    for name in sources.keys() & command.split():
        Path(name).write_text(sources[name] * 2)
        assert main(words) == 2
