"""The one reader of numbers from files: of the right type, finite, in range."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kr.errors import InvalidNumberError, InvalidSettingError
from kr.units import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

FINITE = Range()
"""Any finite number."""


def number_in(name: str, value: object, allowed: Range, *, whole: bool = False) -> Any:
    """A number that a file has as `name`, as a plain float or int, or with `whole` as a plain int.

    Raises InvalidNumberError, which does not name the file, for None (a missing number), texts and truth values, and
    numbers that are not finite or out of range.
    """
    if value is None:
        raise InvalidNumberError(f"{name} is missing")
    try:
        return allowed.check(name, value, whole=whole)
    except InvalidSettingError as error:
        raise InvalidNumberError(f"{name} is {value!r:.40}; expected {_expected(allowed, whole)}") from error


def check_array(name: str, array: NDArray[Any], allowed: Range, *, unknown: bool = False) -> None:
    """Raise InvalidNumberError unless all numbers of an array are finite and from `low` to `high` of a range.

    unknown: True if NaN is allowed, for an unknown number.
    """
    import numpy as np

    floats = array.dtype.kind == "f"
    wrong = np.zeros(array.shape, dtype=bool)
    if floats:
        wrong = ~np.isfinite(array)
        if unknown:
            wrong &= ~np.isnan(array)
    # a comparison with NaN is false
    if allowed.low is not None:
        wrong |= array < allowed.low
    if allowed.high is not None:
        wrong |= array > allowed.high
    if wrong.any():
        first = f"{array[wrong][0]:{'.6g' if floats else 'd'}}"
        raise InvalidNumberError(f"{name} has the number {first}; expected {_expected(allowed, not floats)}")


def _expected(allowed: Range, whole: bool) -> str:
    kind = "a whole number" if whole else "a number"
    return f"{kind} that is finite" if allowed == FINITE else f"{kind}: {allowed}"
