"""What an installed kr must find: its version and its shipped data."""

import importlib.metadata
import re
from pathlib import Path

import pytest

import kr
from kr.storage import data_path

CHECKOUT = Path(__file__).parents[1]


def test_one_version() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.?(a|b|rc|dev)\d+)?", kr.__version__)
    try:
        installed = importlib.metadata.version("kr")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("kr runs from its checkout without being installed")
    assert installed == kr.__version__


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("weights", "README.md"),
        ("weights", "kr.h5"),
        ("egdb", "README.md"),
        ("egdb", "wld-2102.egdb"),
        ("selfplay", "demo.sh"),
    ],
)
def test_shipped_data_are_found(kind: str, name: str) -> None:
    assert data_path(kind, name).is_file()
    assert data_path(kind).is_dir()


@pytest.mark.skipif(not (CHECKOUT / "setup.py").exists(), reason="the checkout is not here")
def test_the_data_found_are_those_of_the_checkout() -> None:
    for kind in ("weights", "egdb", "selfplay"):
        for source in (CHECKOUT / kind).glob("*.*"):
            if source.suffix in (".egdb", ".h5", ".md", ".txt", ".json", ".sh", ".toml"):
                assert data_path(kind, source.name).read_bytes() == source.read_bytes()
