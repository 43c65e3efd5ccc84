"""Optional libraries, and the extras of pyproject.toml that bring them."""

from __future__ import annotations

from importlib.util import find_spec

from kr.errors import InvalidSettingError

TRAINING = ("scipy", "threadpoolctl")
PACKAGES = {"PIL": "pillow"}
"""Names of packages whose modules are called otherwise."""


def check_extra(purpose: str, extra: str, *libraries: str, otherwise: str = "") -> None:
    """Raise InvalidSettingError if one of these libraries is missing.

    purpose: subject and verb of the error, as in "pictures need"; otherwise: its end, about a way without them.
    """
    if missing := [PACKAGES.get(name, name) for name in libraries if find_spec(name) is None]:
        raise InvalidSettingError(
            f"{purpose} {' and '.join(missing)}: pip install {' '.join(missing)}, or '.[{extra}]' in kr's checkout"
            f"{otherwise}"
        )
