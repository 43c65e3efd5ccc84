"""`make check` and `make touched` run the tests of what has changed."""

from __future__ import annotations

import pytest
from concerned import ROOT, concerned

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (ROOT / "kr" / "_core.pyx").exists(), reason="the checkout is not here"),
]


@pytest.mark.parametrize(
    ("path", "some", "other"),
    [
        ("tests/test_gif.py", "test_gif.py", "test_svg.py"),
        ("tests/tables.py", "test_evaluate.py", "test_svg.py"),
        ("kr/pdn/scan.py", "test_pdn_scan.py", "test_svg.py"),
        # tests import the package, whose __init__ imports it
        ("kr/pdn/writer.py", "test_pdn.py", "test_perft.py"),
        # no test imports it, but test_book_export what does
        ("kr/theory/trees.py", "test_book_export.py", "test_svg.py"),
        ("kr/language/en.json", "test_cases.py", "test_perft.py"),
        ("kr/_core/search/search.pxi", "test_search.py", "test_egdb_solver.py"),
        # another unit asks it, by names of its own
        ("kr/_egdb/probe.pxi", "test_search.py", "test_policy_core.py"),
        ("kr/web/serve.py", "test_web_server.py", "test_elo.py"),
        ("selfplay/demo.sh", "test_demo.py", "test_elo.py"),
    ],
)
def test_tests_of_what_has_changed(path: str, some: str, other: str) -> None:
    named = concerned({ROOT / path})
    assert some in named
    assert other not in named
