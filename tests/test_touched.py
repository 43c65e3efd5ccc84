"""Which tests `make touched` runs."""

import runpy
from pathlib import Path

import pytest

TOUCHED = Path(__file__).with_name("touched.py")


@pytest.mark.parametrize(
    ("changed", "some", "other"),
    [
        (["kr/gif.py"], {"test_gif.py"}, {"test_elo.py", "test_perft.py"}),
        (["tests/test_elo.py"], {"test_elo.py"}, {"test_gif.py"}),
        # by a module of the tests that imports it
        (["kr/web/serve.py"], {"test_web_server.py", "test_browsers.py"}, {"test_elo.py"}),
        (["selfplay/demo.sh"], {"test_demo.py"}, {"test_elo.py"}),
        (["docs/lab/nowhere.png"], set(), {"test_docs.py"}),
    ],
)
def test_tests_of_changed_files(changed: list[str], some: set[str], other: set[str]) -> None:
    found = {path.name for path in runpy.run_path(str(TOUCHED))["concerned"](changed)}
    assert some <= found
    assert found.isdisjoint(other)
