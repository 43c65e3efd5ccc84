"""A file that is not there has one wording, whatever asks for it: NAME: no such file, or directory."""

import re
import shlex
from pathlib import Path

import pytest

from kr.cli import main

COMMANDS = """
analyze none.pdn
analyze W:W21,K30:B1,2 --proofs none.krproof
annotate none.pdn
book build --people none.pdn --out b.sqlite
book check none.krb
book cooks none.krb
book coverage none.krb none.pdn
book export none.sqlite --out b.krb
book show none.sqlite
book verify none.sqlite
egdb export none.h5 --out x.npz
egdb pack --dir none --out x.kregdb
egdb probe --dir none W:W21,K30:B1,2
egdb sample --dir none --pieces 2-3 --count 10 --out x.h5
egdb unpack none.kregdb --dir d
endnet fit none.h5 --out n.h5
endnet show none.h5
evolve pack none --out x.h5
evolve show none
explain --weights none.h5
fit none --out x.h5
fit . --layout none.toml --out x.h5
games none
learn --import none.json
match none.h5 shipped --games 2
pdn check none.pdn
pdn convert none.pdn
pdn search none.pdn
pdn stats none.pdn
play --resume none.pdn
play --weights none.h5
policy fit none.pdn --out p.h5
policy players none.pdn --out p.h5
policy show none.h5
policy test none.h5 none.pdn
problem check none.pdn
problem find none.pdn --out x.jsonl
problem print none.pdn --out x.html
problem stars none.pdn
problem vary none.pdn
prove --check none.krproof
repertoire check none.pdn
repertoire left none.pdn --games none.pdn
selfplay --weights none.h5 --games 1 --out x
solve-problem none.pdn
theory none.sqlite --out t
train --out none --status
web --archive none.pdn --no-browser
web none.pdn --no-browser
weights check none.pdn
weights show none.h5
""".strip().splitlines()


@pytest.mark.slow
def test_missing_files_have_one_wording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    others = {}
    for command in COMMANDS:
        code = main(shlex.split(command))
        told = capsys.readouterr().err
        if not code or not re.search(
            r"^kr: (?:--\w+: )?none[\w./]*: no such (?:file|directory)(?:; .*)?$", told, re.MULTILINE
        ):
            others[command] = told
    assert others == {}
    assert [path.name for path in tmp_path.iterdir()] == []
