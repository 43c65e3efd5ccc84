"""Optional libraries: what is said where one is missing."""

import re
from pathlib import Path

import pytest

import kr
from kr import cli, figures

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
    monkeypatch.setattr(figures, "find_spec", lambda name: None)
    assert cli.main(command.split()) == 2
    assert capsys.readouterr().err == (
        "kr: pictures need matplotlib: pip install matplotlib, or '.[plots]' in kr's checkout\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["games"]


def test_no_text_installs_another_package_named_kr() -> None:
    """The name kr is taken on the public index."""
    checkout = Path(__file__).parents[1]
    texts = [*Path(kr.__file__).parent.rglob("*.py"), *checkout.glob("docs/**/*.md"), *checkout.glob("*.md")]
    for path in texts:
        assert not re.search(r"pip3? install ['\"]?kr\b(?!-draughts)", path.read_text()), path
