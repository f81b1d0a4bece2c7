"""Failures that depend on the data: an exception or NaN on one of two neighbouring datasets is a leak."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import Any, cast

import numpy as np

from audits.privacy.draw.datasets import Dataset
from audits.privacy.draw.draws import Drawer, failure, named
from audits.privacy.outputs.leaves import MOST_ITEMS
from audits.privacy.tuning import TUNING

TRIED, TIMES, PAIRS = 2 * TUNING.first_batch, TUNING.parts, TUNING.least
"""Outputs of each dataset that are looked at at once, how often they are where failures are few, and of how
many pairs at most."""
ONE_SIDED = (
    "The mechanism fails on one dataset only, by an exception or NaN: failures were taken for outputs, as "
    "errors='symbol' does."
)


def one_sided(drawer: Drawer, pairs: Sequence[tuple[Dataset, Dataset]], rng: np.random.Generator) -> str:
    """What calls on one dataset of a pair end with, and no call on the other, in words; "" for nothing.

    drawer  one that takes failures for outputs.
    """
    for index, pair in enumerate(pairs[:PAIRS]):
        try:
            ends = _failures(drawer, pair, rng, index)
        except ValueError:  # bad input of another kind
            return ""
        for place, (mine, others) in enumerate((ends, ends[::-1])):
            if mine and not others:
                return f"{mine[0]} on {named(place, index)} only"
    return ""


def _failures(
    drawer: Drawer, pair: tuple[Dataset, Dataset], rng: np.random.Generator, index: int
) -> list[list[str]]:
    """The failures on each dataset of a pair. While they are few and on one dataset only, which may be by
    chance, more outputs are drawn."""
    found: list[list[str]] = [[], []]
    for _ in range(TIMES):
        short = False
        for place, data in enumerate(pair):
            outputs = drawer.draw(data, TRIED, rng, named(place, index))
            found[place] += filter(None, map(failing, outputs))
            short = short or len(outputs) < TRIED  # the drawer's patience has ended
        few, many = sorted(map(len, found))
        if short or few > 0 or not 0 < many < TUNING.first_batch:
            break
    return found


def failing(output: Any) -> str:
    """The failure that an output stands for, or "NaN" where it holds that; "" for neither.

    >>> failing(1.0), failing([0.0, float("nan")]), failing("nan")
    ('', 'NaN', '')
    """
    if found := failure(output):
        return found
    numbers = (float, np.floating, np.ndarray)
    if isinstance(output, (list, tuple)):
        # What holds more than numbers, a range of any length among them, is not looked into.
        if len(cast(Sized, output)) > MOST_ITEMS or not all(
            isinstance(x, (int, *numbers[:2])) for x in output
        ):
            return ""
    elif not isinstance(output, numbers):
        return ""
    try:
        return "NaN" if np.isnan(np.asarray(output, dtype=np.float64)).any() else ""
    except (TypeError, ValueError, OverflowError):
        return ""
