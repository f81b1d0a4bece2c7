"""Failures that depend on the data: an exception or NaN on one of two neighbouring datasets is a leak."""

from __future__ import annotations

import math
from collections.abc import Sequence, Sized
from typing import Any, cast

import numpy as np

from audits.privacy.draw.datasets import Dataset
from audits.privacy.draw.dependence import FIRST, FURTHER
from audits.privacy.draw.draws import Drawer, failure, named
from audits.privacy.tuning import TUNING
from audits.values import MOST_ITEMS

TRIED, TIMES, PAIRS = 2 * TUNING.first_batch, 2 * TUNING.parts, TUNING.least
"""Outputs of each dataset that are looked at at once, how often they are where failures are few, and of how
many pairs at most."""
NAN = "NaN"
ONE_SIDED = (
    "The mechanism fails on one dataset only, by an exception or NaN: failures were taken for outputs, as "
    "errors='symbol' does."
)
DEPENDS = "outputs must not depend on how often the mechanism was called before, as with a budget of answers"


class Depends(Exception):
    """Failures depend on earlier calls, in words."""


def told(
    drawer: Drawer, pairs: Sequence[tuple[Dataset, Dataset]], rng: np.random.Generator, before: Drawer
) -> str:
    """What calls on one dataset of a pair end with, and no call on the other, in words; "" for nothing.

    drawer  one that takes failures for outputs.
    before  the one that drew until a call failed.

    Raises `Depends` where failures began late.
    """
    for index, pair in enumerate(pairs[:PAIRS]):
        try:
            ends, tried = _failures(drawer, pair, rng, index)
        except ValueError:  # bad input of another kind
            return ""
        for place, mine in enumerate(ends):
            where, others = named(place, index), ends[1 - place]
            well = answered(before, where, mine[0]) if mine else 0
            if began_late(len(mine), tried, well):
                kind = "outputs" if mine[0] == NAN else "calls"
                raise Depends(f"the first {well} {kind} on {where} did not fail: {DEPENDS}")
            if mine and len(mine) >= min(TUNING.least, tried) and not others:
                return f"{mine[0]} on {where} only"
    return ""


def began_late(failed: int, tried: int, before: int) -> bool:
    """Whether `before` calls without a failure and then `failed` of `tried` have probability below 10⁻³, the
    level of other tests of independence: that all failures are among the last calls, Fisher's exact test.

    >>> began_late(64, 64, 0), began_late(10, 1000, 100), began_late(64, 64, 5)
    (False, False, True)
    """
    return (1 + FIRST + FURTHER) * math.comb(tried, failed) < math.comb(tried + before, failed)


def answered(drawer: Drawer, where: str, failure: str) -> int:
    """How many calls, or outputs where the failure is NaN, went well on the dataset of this name before the
    first failure."""
    if failure != NAN:
        return drawer.answered.get(where, 0)
    outputs = drawer.kept(where)
    return next((i for i, output in enumerate(outputs) if failing(output)), len(outputs))


def _failures(
    drawer: Drawer, pair: tuple[Dataset, Dataset], rng: np.random.Generator, index: int
) -> tuple[list[list[str]], int]:
    """The failures on each dataset of a pair, and the number of calls on each dataset. More outputs are
    drawn while only one dataset has failures and chance may be the reason."""
    found: list[list[str]] = [[], []]
    tried = 0
    for _ in range(TIMES):
        short, most = False, 0
        for place, data in enumerate(pair):
            outputs = drawer.draw(data, TRIED, rng, named(place, index))
            found[place] += filter(None, map(failing, outputs))
            short, most = short or len(outputs) < TRIED, max(most, len(outputs))
        tried += most
        few, many = sorted(map(len, found))
        # `short`: the drawer's patience has ended.
        if short or few > 0 or many >= TUNING.first_batch:
            break
    return found, tried


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
        return NAN if np.isnan(np.asarray(output, dtype=np.float64)).any() else ""
    except (TypeError, ValueError, OverflowError):
        return ""
