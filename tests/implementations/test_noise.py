"""Noise: laws against SciPy, projection against the full draw."""

import numpy as np
import pytest
from scipy import stats

from implementations import noise


def test_gamma_noise_has_gamma_norms_and_uniform_directions():
    # Each Kolmogorov–Smirnov test rejects a true law with probability 1e-6.
    draws = noise.spherical_gamma((20_000,), 5, 0.57, np.random.default_rng(1))
    norms = np.linalg.norm(draws, axis=1)
    assert stats.kstest(norms, stats.gamma(5, scale=0.57).cdf).pvalue > 1e-6
    # a squared coordinate of a uniform direction in ℝ⁵ is Beta(1/2, 2)
    assert stats.kstest((draws[:, 2] / norms) ** 2, stats.beta(0.5, 2.0).cdf).pvalue > 1e-6
    assert abs(stats.binomtest(int((draws[:, 0] > 0).sum()), 20_000).pvalue) > 1e-6


@pytest.mark.parametrize(("dimension", "kept"), [(10, 3), (200, 9), (9, 9)])
def test_projected_gamma_noise_has_the_law_of_the_projection(dimension, kept):
    # Two-sample tests at 1e-6 each.
    full = noise.spherical_gamma((8_000,), dimension, 0.57, np.random.default_rng(2))[:, :kept]
    short = noise.spherical_gamma((8_000,), dimension, 0.57, np.random.default_rng(3), coordinates=kept)
    assert short.shape == (8_000, kept)
    for statistic in (lambda z: z[:, 0], lambda z: np.linalg.norm(z, axis=1), lambda z: z.min(axis=1)):
        assert stats.ks_2samp(statistic(full), statistic(short)).pvalue > 1e-6
