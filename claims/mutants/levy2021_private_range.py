"""The private range of levy2021 with planted bugs."""

from __future__ import annotations

import numpy as np

from claims.mutants.mutant import Mutant
from implementations.interfaces import Array
from implementations.levy2021 import private_range
from implementations.levy2021.constants import Constants, Variant

_range_law_reference = private_range.range_law


def range_law(
    x: Array, epsilon: float, tau: float, bound: float, constants: Variant | Constants = "paper"
) -> private_range.RangeLaw:
    """The reference with exp(−ε c) for exp(−ε c/2)."""
    return _range_law_reference(x, 2.0 * epsilon, tau, bound, constants)


def bins_one_by_one(
    x: Array, epsilon: float, tau: float, bound: float, constants: Variant | Constants = "paper"
) -> private_range.RangeLaw:
    """The reference with a segment for each bin."""
    law = _range_law_reference(x, epsilon, tau, bound, constants)
    bins = np.arange(law.bins.first, law.bins.last + 1)
    return private_range.RangeLaw(law.bins, bins, np.ones_like(bins), law.enumerate()[1])


MUTANTS = [
    Mutant(
        name="levy2021-full-epsilon-range",
        bug="Takes exp(−ε·cost) in the exponential mechanism: forgets that the normaliser moves as well.",
        replaces="implementations.levy2021.private_range:range_law",
        by=range_law,
        caught_by=(
            "levy2021/private-range-privacy",
            "levy2021/theorem-1-privacy",
        ),
    ),
    Mutant(
        name="levy2021-range-cost-halved-twice",
        bug="Halves ε twice in the exponential mechanism where the bin is drawn: private and inaccurate.",
        replaces="implementations.levy2021.private_range:draw_centres",
        swap=("-0.5 * epsilon", "-0.25 * epsilon"),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-range-cost-not-halved",
        bug="Takes exp(−ε·cost) where the bin is drawn; the exact law keeps its half.",
        replaces="implementations.levy2021.private_range:draw_centres",
        swap=("-0.5 * epsilon", "-epsilon"),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-range-gaps-lost",
        bug="Draws among the occupied bins only: a bin without users gives their places away.",
        replaces="implementations.levy2021.private_range:draw_centres",
        swap=("gap * np.exp", "0.0 * gap * np.exp"),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-bins-one-by-one",
        bug="Holds every bin of a gap on its own: the same law, and work that grows with B/τ.",
        replaces="implementations.levy2021.private_range:range_law",
        by=bins_one_by_one,
        caught_by=("levy2021/theorem-1-time",),
    ),
]
