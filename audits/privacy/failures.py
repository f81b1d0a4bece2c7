"""Failures that depend on the data: an exception or NaN on one of two neighbouring datasets is a leak."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from audits.privacy.datasets import Dataset
from audits.privacy.draws import Drawer, failure, named

TRIED, PAIRS = 64, 8
"""Outputs of each dataset that are looked at, of so many pairs at most."""
ONE_SIDED = (
    "The mechanism fails on one dataset only, by an exception or NaN: failures were taken for outputs, as "
    "errors='symbol' does."
)


def one_sided(drawer: Drawer, pairs: Sequence[tuple[Dataset, Dataset]], rng: np.random.Generator) -> bool:
    """Whether some outputs on one dataset of a pair are failures, and none on the other.

    drawer  one that takes failures for outputs.
    """
    for index, pair in enumerate(pairs[:PAIRS]):
        found = [
            any(map(fails, drawer.draw(data, TRIED, rng, named(side, index))))
            for side, data in enumerate(pair)
        ]
        if found[0] != found[1]:
            return True
    return False


def fails(output: Any) -> bool:
    """Whether an output stands for an exception, or holds NaN.

    >>> fails(1.0), fails(float("nan")), fails([0.0, float("nan")]), fails("nan")
    (False, True, True, False)
    """
    if failure(output):
        return True
    if isinstance(output, (str, bytes)):
        return False
    try:
        return bool(np.isnan(np.asarray(output, dtype=np.float64)).any())
    except (TypeError, ValueError):
        return False
