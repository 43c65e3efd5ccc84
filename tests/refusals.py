"""The answer of every command to bad input: one line on stderr, nothing on stdout, the right exit code."""

import pytest

from kr import cli
from kr.system import split_command


def check_refused(capsys: pytest.CaptureFixture, line: str, code: int, said: str) -> None:
    """Run a command line that must be refused with this exit code and one line that contains this text."""
    assert cli.main(split_command(line)) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("kr: ")
    assert err.count("\n") == 1
    assert len(err) < 1100
    assert said in err
