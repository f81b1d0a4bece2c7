"""The private estimators of song2021 with planted bugs."""

from __future__ import annotations

import numpy as np

from claims.mutants.mutant import Mutant
from implementations.interfaces import Array
from implementations.song2021.hard_instance import Sample, signed


def laplace_signs(sample: Sample, epsilon: float, delta: float, rng: np.random.Generator) -> Array:
    """The signs of s + Laplace(2ε)."""
    return (signed(sample) + rng.laplace(0.0, 2.0 * epsilon, sample.zeros.shape) > 0.0).astype(float)


MUTANTS = [
    Mutant(
        name="song2021-scale-upside-down",
        bug="Multiplies the sensitivity by ε where it should divide: for small ε hardly any noise is left.",
        replaces="implementations.song2021.hard_instance:laplace_signs",
        by=laplace_signs,
        caught_by=("song2021/theorem-b.1",),
    ),
    Mutant(
        name="song2021-half-laplace-signs",
        bug="Takes 1 for the sensitivity of ones − zeros: a flipped label moves it by 2.",
        replaces="implementations.song2021.hard_instance:laplace_signs",
        swap=("2.0 / epsilon", "1.0 / epsilon"),
        caught_by=("song2021/theorem-b.1:estimators",),
    ),
    Mutant(
        name="song2021-half-gaussian-signs",
        bug="Takes 1 for the sensitivity of ones − zeros: a flipped label moves it by 2.",
        replaces="implementations.song2021.hard_instance:gaussian_signs",
        swap=("2.0 / mu_star", "1.0 / mu_star"),
        caught_by=("song2021/theorem-b.1:estimators",),
    ),
    Mutant(
        name="song2021-whole-budget-on-each-count",
        bug="Spends ε on each of the two counts that a flipped label moves.",
        replaces="implementations.song2021.hard_instance:exponential_bits",
        swap=("0.5 * epsilon * signed", "epsilon * signed"),
        caught_by=("song2021/theorem-b.1:estimators",),
    ),
    Mutant(
        name="song2021-short-alphabet",
        bug="Forgets the record X = 0 in the alphabet of randomised response.",
        replaces="implementations.song2021.hard_instance:randomised_response",
        swap=(
            "gamma = math.expm1(epsilon) / (math.expm1(epsilon) + alphabet)",
            "gamma = math.expm1(epsilon) / math.exp(epsilon)",
        ),
        caught_by=("song2021/theorem-b.1:estimators",),
    ),
    Mutant(
        name="song2021-laplace-over-root-epsilon",
        bug="Divides the sensitivity by √ε.",
        replaces="implementations.song2021.hard_instance:laplace_signs",
        swap=("2.0 / epsilon", "2.0 / math.sqrt(epsilon)"),
        caught_by=(
            "song2021/theorem-b.1",
            "song2021/theorem-3.3",
        ),
    ),
    Mutant(
        name="song2021-laplace-averaged-over-coordinates",
        bug="Divides the noise by the root of the number of coordinates.",
        replaces="implementations.song2021.hard_instance:laplace_signs",
        swap=("2.0 / epsilon", "2.0 / epsilon / math.sqrt(sample.zeros.shape[-1])"),
        caught_by=(
            "song2021/theorem-b.1",
            "song2021/theorem-3.3",
        ),
    ),
    Mutant(
        name="song2021-gaussian-averaged-over-coordinates",
        bug="Divides the noise by the root of the number of coordinates.",
        replaces="implementations.song2021.hard_instance:gaussian_signs",
        swap=(
            "2.0 / mu_star(epsilon, delta)",
            "2.0 / mu_star(epsilon, delta) / math.sqrt(sample.zeros.shape[-1])",
        ),
        caught_by=("song2021/theorem-3.3",),
    ),
    Mutant(
        name="song2021-one-gaussian-for-all-coordinates",
        bug="Draws one number a run and adds it to all coordinates.",
        replaces="implementations.song2021.hard_instance:gaussian_signs",
        swap=(
            "rng.normal(0.0, 2.0 / mu_star(epsilon, delta), sample.zeros.shape)",
            "rng.normal(0.0, 2.0 / mu_star(epsilon, delta), (*sample.zeros.shape[:-1], 1))",
        ),
        caught_by=("song2021/theorem-b.1:estimators",),
    ),
    Mutant(
        name="song2021-present-whatever-alpha",
        bug="Every record has a feature, whatever α is.",
        replaces="implementations.song2021.hard_instance:draw_sample",
        swap=("rng.binomial(n, alpha, size)", "np.full(size, n)"),
        caught_by=("song2021/theorem-b.1:instance",),
    ),
    Mutant(
        name="song2021-majority-labels",
        bug="Gives a record the likelier label.",
        replaces="implementations.song2021.hard_instance:draw_sample",
        swap=("ones = rng.binomial(counts, p)", "ones = counts * (p > 0.5)"),
        caught_by=("song2021/theorem-b.1:instance",),
    ),
    Mutant(
        name="song2021-without-the-minimum",
        bug="Leaves the least risk out of the excess.",
        replaces="implementations.song2021.hard_instance:empirical_excess",
        swap=("np.minimum(sample.zeros, sample.ones)", "0"),
        caught_by=("song2021/theorem-b.1:instance",),
    ),
    Mutant(
        name="song2021-risk-over-present-records",
        bug="Averages over the records with a feature.",
        replaces="implementations.song2021.hard_instance:empirical_excess",
        swap=("/ sample.n", "/ (sample.zeros + sample.ones).sum(axis=-1)"),
        caught_by=("song2021/theorem-b.1:instance",),
    ),
    Mutant(
        name="song2021-delta-of-another-theorem",
        bug="A thousand times less δ.",
        replaces="implementations.song2021.hard_instance:delta_limit",
        swap=("1000.0", "1e6"),
        caught_by=("song2021/theorem-b.1:instance",),
    ),
    Mutant(
        name="song2021-descent-radius",
        bug="Takes √d for the norm of the optimum.",
        replaces="implementations.song2021.hard_instance:descent",
        swap=("math.sqrt(d / 2.0)", "math.sqrt(d)"),
        caught_by=("song2021/theorem-b.1:estimators",),
    ),
    Mutant(
        name="song2021-fewer-steps-than-named",
        bug="The estimator of 128 steps takes 8.",
        replaces="implementations.song2021.hard_instance:private_estimators",
        swap=("descent(128)", "descent(8)"),
        caught_by=("song2021/theorem-b.1:estimators",),
    ),
]
