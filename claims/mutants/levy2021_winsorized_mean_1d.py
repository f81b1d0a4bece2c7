"""Algorithm 1 of levy2021 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant
from implementations.levy2021 import winsorized_mean_1d
from implementations.levy2021.constants import Constants, Variant

_noise_scale_reference = winsorized_mean_1d.noise_scale


def double_noise(n: int, epsilon: float, tau: float, constants: Variant | Constants = "paper") -> float:
    """The reference with twice the noise."""
    return 2.0 * _noise_scale_reference(n, epsilon, tau, constants)


def half_interval_noise(
    n: int, epsilon: float, tau: float, constants: Variant | Constants = "paper"
) -> float:
    """The reference for a sensitivity of 2τ/n."""
    return 0.5 * _noise_scale_reference(n, epsilon, tau, constants)


MUTANTS = [
    Mutant(
        name="levy2021-double-noise",
        bug="Halves the budget of the noise once more, private but not as accurate as promised.",
        replaces="implementations.levy2021.winsorized_mean_1d:noise_scale",
        by=double_noise,
        caught_by=("levy2021/theorem-2-variance",),
    ),
    Mutant(
        name="levy2021-half-interval-noise",
        bug="Takes half the interval for the sensitivity of the clipped mean, as if a user were removed.",
        replaces="implementations.levy2021.winsorized_mean_1d:noise_scale",
        by=half_interval_noise,
        caught_by=("levy2021/theorem-1-privacy",),
    ),
    Mutant(
        name="levy2021-half-noise-drawn",
        bug="Halves the Laplace noise where it is drawn: scale and variance are mixed up.",
        replaces="implementations.levy2021.winsorized_mean_1d:winsorized_mean_1d",
        swap=("noise_scale(n, epsilon, tau, c), size", "0.5 * noise_scale(n, epsilon, tau, c), size"),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-range-full-budget",
        bug="Gives the private range all of ε, and the noise its half on top.",
        replaces="implementations.levy2021.winsorized_mean_1d:winsorized_mean_1d",
        swap=("c.range_share * epsilon", "epsilon"),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-unclipped-mean",
        bug="Averages the data as they are: the interval is drawn and not used.",
        replaces="implementations.levy2021.winsorized_mean_1d:winsorized_mean_1d",
        swap=("np.minimum(np.maximum(x, low[..., None]), high[..., None])", "x"),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-mean-over-n-minus-1",
        bug="Divides the clipped sum by n − 1.",
        replaces="implementations.levy2021.winsorized_mean_1d:winsorized_mean_1d",
        swap=(".mean(axis=-1)", ".sum(axis=-1) / max(n - 1, 1)"),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-clipped-from-above-only",
        bug="Clips at the upper end of the interval only.",
        replaces="implementations.levy2021.winsorized_mean_1d:winsorized_mean_1d",
        swap=("np.maximum(x, low[..., None])", "x"),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-trimmed-not-winsorised",
        bug="Sets points outside the interval to 0 in place of its end.",
        replaces="implementations.levy2021.winsorized_mean_1d:winsorized_mean_1d",
        swap=(
            "np.minimum(np.maximum(x, low[..., None]), high[..., None])",
            "np.where((x >= low[..., None]) & (x <= high[..., None]), x, 0.0)",
        ),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-one-noise-for-all-coordinates",
        bug="Draws one Laplace variable for all coordinates.",
        replaces="implementations.levy2021.winsorized_mean_1d:winsorized_mean_1d",
        swap=("size=mean.shape)", "size=(*mean.shape[:-1], 1))"),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-law-of-shorter-interval",
        bug="Clips to half the interval in the exact law.",
        replaces="implementations.levy2021.winsorized_mean_1d:winsorized_mean_1d_law",
        swap=("c.half_length * tau", "0.5 * c.half_length * tau"),
        caught_by=(
            "levy2021/printed-formulas",
            "levy2021/theorem-1-utility:corrected",
        ),
    ),
]
