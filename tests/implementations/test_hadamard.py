"""The Walsh–Hadamard transform against SciPy's matrix, with one factor and with two."""

import math

import numpy as np
import pytest
from scipy.linalg import hadamard

from implementations.hadamard import ONE_FACTOR, hadamard_matrix, hadamard_transform


@pytest.mark.parametrize("d", [1, 2, 8, ONE_FACTOR, 2 * ONE_FACTOR, 256, 512, 2048])
def test_it_is_the_matrix_and_its_own_inverse(d):
    x = np.random.default_rng(d).normal(size=(3, 2, d))
    np.testing.assert_allclose(hadamard_transform(x), x @ hadamard(d) / math.sqrt(d), atol=1e-12)
    np.testing.assert_allclose(hadamard_transform(hadamard_transform(x)), x, atol=1e-12)
    np.testing.assert_allclose(hadamard_transform(x[0, 0]), hadamard_transform(x)[0, 0], atol=1e-12)


def test_the_input_and_the_cached_matrix_are_left_alone():
    x = np.eye(8)
    y = hadamard_transform(x)
    y[:] = 0.0
    assert (x == np.eye(8)).all()
    assert not hadamard_matrix(8).flags.writeable
    np.testing.assert_allclose(hadamard_transform(np.eye(8)), hadamard(8) / math.sqrt(8))
