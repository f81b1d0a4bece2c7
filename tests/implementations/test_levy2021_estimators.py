"""PrivateRange where its bins cannot be listed; laws and intervals are held in the claims."""

from __future__ import annotations

import numpy as np
import pytest

from implementations.levy2021.private_range import private_range, range_law


def test_huge_range_never_materialises_its_bins_and_finds_the_data():
    # The data are in two bins of 2^60; a miss has probability below 2^60 exp(−1000/4) < 1e-80.
    rng = np.random.default_rng(3)
    x = rng.uniform(-0.9, 0.9, size=(5, 1000))
    low, high = private_range(x, 1.0, 1.0, 2.0**60, rng)
    np.testing.assert_allclose(high - low, 4.0)
    assert (low <= 0.9).all()
    assert (high >= -0.9).all()
    law = range_law(x[0], 1e-6, 1.0, 2.0**60)
    assert law.start.size <= 2 * 1000 + 1
    mass = np.exp(law.log_probability + np.log(law.count.astype(float)))
    assert mass.sum() == pytest.approx(1.0)
    with pytest.raises(ValueError, match=r"at most 2\*\*20"):
        law.enumerate()
