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
        caught_by=("levy2021/sampler-laws", "levy2021/sampled-privacy"),
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
    Mutant(
        name="levy2021-bins-shifted",
        bug="Puts an edge where a bin should be centred, and the other way round.",
        replaces="implementations.levy2021.private_range:Bins.shift",
        swap=("0.0 if self.count % 2 else 0.5", "0.5 if self.count % 2 else 0.0"),
        caught_by=(
            "levy2021/printed-formulas",
            "levy2021/sampler-laws",
        ),
    ),
    Mutant(
        name="levy2021-bins-half-as-wide",
        bug="Cuts bins of width τ: the interval does not change, the number of bins does.",
        replaces="implementations.levy2021.private_range:bins_for",
        swap=("constants_of(constants).bin_width * tau", "0.5 * constants_of(constants).bin_width * tau"),
        caught_by=("levy2021/printed-formulas",),
    ),
    Mutant(
        name="levy2021-gap-cost-of-nearer-end",
        bug="Counts the users on the nearer side of a gap: bins beside the data become cheap.",
        replaces="implementations.levy2021.private_range:range_law",
        swap=("in_gap = np.maximum(left, n - left)", "in_gap = np.minimum(left, n - left)"),
        caught_by=(
            "levy2021/private-range-accuracy",
            "levy2021/printed-formulas",
        ),
    ),
    Mutant(
        name="levy2021-last-gap-lost",
        bug="Ends the last gap one bin early.",
        replaces="implementations.levy2021.private_range:draw_centres",
        swap=("r[:, n] = bins.last + 1", "r[:, n] = bins.last"),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-interval-starts-at-centre",
        bug="Puts the chosen bin at the left end of the interval.",
        replaces="implementations.levy2021.private_range:private_range",
        swap=("return centre - reach, centre + reach", "return centre, centre + 2.0 * reach"),
        caught_by=(
            "levy2021/printed-formulas",
            "levy2021/sampler-laws",
        ),
    ),
    Mutant(
        name="levy2021-miss-without-bins",
        bug="Leaves the number of bins out of the probability of missing the data.",
        replaces="implementations.levy2021.private_range:miss_probability",
        swap=("bins_for(tau, bound, constants).count * math.exp", "math.exp"),
        caught_by=("levy2021/printed-formulas",),
    ),
]
