"""Libraries that an installation may lack: extras of pyproject.toml, and what the folder for Windows leaves out."""

from __future__ import annotations

from importlib.util import find_spec

from kr.errors import InvalidSettingError

TRAINING = ("scipy", "threadpoolctl")
"""What fits need; the folder for Windows has none of it."""
PACKAGES = {"PIL": "pillow"}
"""Names of packages whose modules are called otherwise."""


def check_packages(purpose: str, *libraries: str, otherwise: str = "") -> None:
    """Raise InvalidSettingError if one of these libraries is missing.

    purpose: subject and verb of the error, as in "pictures need"; otherwise: its end, about a way without them.
    """
    if missing := [PACKAGES.get(name, name) for name in libraries if find_spec(name) is None]:
        raise InvalidSettingError(f"{purpose} {' and '.join(missing)}: pip install {' '.join(missing)}{otherwise}")
