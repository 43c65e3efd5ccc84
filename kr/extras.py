"""Optional libraries, and the extras of pyproject.toml that bring them."""

from __future__ import annotations

from importlib.util import find_spec

from kr.errors import InvalidSettingError

DISTRIBUTION = "kr-draughts"
"""kr's name for pip: that of the module and the command is taken on the public index."""
TRAINING = ("scipy", "threadpoolctl")
PACKAGES = {"PIL": "pillow"}
"""Names of packages whose modules are called otherwise."""


def check_extra(purpose: str, extra: str, *libraries: str, otherwise: str = "") -> None:
    """Raise InvalidSettingError if one of these libraries is missing.

    purpose: subject and verb of the error, as in "pictures need"; otherwise: its end, about a way without them.
    """
    if missing := [PACKAGES.get(name, name) for name in libraries if find_spec(name) is None]:
        raise InvalidSettingError(
            f'{purpose} {" and ".join(missing)}: pip install "{DISTRIBUTION}[{extra}]"{otherwise}'
        )
