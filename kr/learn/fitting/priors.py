"""Earlier tables that a fit starts from."""

from __future__ import annotations

import numpy as np

from kr.errors import InvalidSettingError, InvalidWeightsError
from kr.evaluation import weights
from kr.evaluation.patterns import PHASES, TABLE_UNITS
from kr.learn.fitting.inputs import Prior
from kr.learn.fitting.settings import FitSettings


def read_priors(settings: FitSettings) -> tuple[dict[bool, Prior], str]:
    """The earlier tables of both groups and their checksum; nothing without them."""
    if not settings.prior:
        return {}, ""
    prior = weights.load_tables(settings.prior)
    layout = settings.layout
    if (prior.layout.men, prior.layout.kings) != (layout.men, layout.kings):
        raise InvalidSettingError(f"{settings.prior} has the layout {prior.layout.name}, the fit {layout.name}")
    if "centimen_per_logit" not in prior.attrs:
        raise InvalidWeightsError(f"{settings.prior}: these tables were not fitted, so a fit cannot start from them")
    priors = {}
    for kings, table, parts, material in (
        (False, prior.men_table, prior.men_parts, prior.men_material),
        (True, prior.kings_table, prior.kings_parts, prior.kings_material),
    ):
        windows = settings.windows(kings)
        values = np.zeros((windows.starts[-1], PHASES), dtype=np.int16)
        if parts:
            if parts.windows != windows:
                raise InvalidSettingError(f"{settings.prior} has other parts than the fit; use the same")
            values, table = parts.values, table - windows.unfolded(parts.values)
        priors[kings] = Prior(table, values, material, prior.attrs["centimen_per_logit"] * TABLE_UNITS)
    return priors, prior.checksum
