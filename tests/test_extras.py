"""Optional libraries: what is said where one is missing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import kr
from kr import cli

COMMANDS = [
    "fit games --out tables.h5 --plots pictures",
    "endnet fit games --out net.h5 --plots pictures",
    "explain --png board.png",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_missing_matplotlib_is_named_before_anything_is_done(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games").mkdir()
    monkeypatch.setattr("kr.extras.find_spec", lambda name: None if name == "matplotlib" else name)
    assert cli.main(command.split()) == 2
    assert capsys.readouterr().err == "kr: pictures need matplotlib: pip install matplotlib\n"
    assert [path.name for path in tmp_path.iterdir()] == ["games"]


def test_no_text_installs_another_package_named_kr() -> None:
    """The name kr is taken on the public index."""
    checkout = Path(__file__).parents[1]
    texts = [*Path(kr.__file__).parent.rglob("*.py"), *checkout.glob("docs/**/*.md"), *checkout.glob("*.md")]
    for path in texts:
        assert not re.search(r"pip3? install ['\"]?kr\b(?!-draughts)", path.read_text(encoding="utf-8")), path


# what a player runs, and what only shows what was learned
WITHOUT_SCIPY = [
    "analyze --tc depth=2",
    "annotate game.pdn --out game.html --tc depth=2",
    "match shipped material --games 2 --tc depth=1 --pdn match.pdn",
    "selfplay --games 2 --shard-games 2 --nodes 5 --out games",
    "games games",
    "weights show shipped",
    "explain",
    "policy show shipped",
]
REFUSED = [
    "fit games --out tables.h5",
    "train --out run --generations 1",
    "weights check game.pdn",
    "policy fit game.pdn --out policy.h5 --model logit",
    "endnet rivals positions.h5 --out rivals --rivals regions",
]


@pytest.mark.soak
def test_only_learning_needs_scipy(tmp_path: Path) -> None:
    """In a process that can't import SciPy, as in the folder for Windows; pages of runs read what fits have written."""
    (tmp_path / "game.pdn").write_text('[Result "*"]\n1. 11-15 23-19 *\n')
    script = (
        "import sys; sys.modules['scipy'] = None; from kr import cli\n"
        # else each line would read them again
        "from kr.evaluation.kinds import load_scorer; kept = load_scorer()\n"
        f"for line in {WITHOUT_SCIPY + REFUSED}: print(cli.main(line.split()), file=sys.stderr)\n"
        "import kr.web.app, kr.learn.fitting.fit, kr.learn.fitting.report, kr.learn.training.history"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    codes = [line for line in done.stderr.splitlines() if line.isdigit()]
    assert codes == ["0"] * len(WITHOUT_SCIPY) + ["2"] * len(REFUSED), done.stderr
    assert "kr: fitting needs scipy: pip install scipy\n" in done.stderr
    assert done.stderr.count("needs scipy: pip") + done.stderr.count("need scipy: pip") == len(REFUSED), done.stderr
    assert not [name for name in ("tables.h5", "run", "policy.h5", "rivals") if (tmp_path / name).exists()]
