"""The orthonormal Walsh–Hadamard transform, for d a power of two.

By matrix products: H_{ab} = H_a ⊗ H_b, so that a vector written as an (a, b) matrix X has the transform
H_a X H_b. With a and b near √d this takes about 2√d operations an entry, in the linear algebra library. For
d ≤ 4,096 it is several times faster than butterflies, which take log₂ d but copy the array at each of them.
"""

from __future__ import annotations

import functools

import numpy as np

from implementations.checks import whole_number
from implementations.interfaces import Array

ONE_FACTOR = 64
"""Up to this dimension one product with H_d is faster than two with its factors."""


def next_power_of_two(d: int) -> int:
    """The least power of two that is at least d ≥ 1.

    >>> [next_power_of_two(d) for d in (1, 2, 3, 64, 65)]
    [1, 2, 4, 64, 128]
    """
    whole_number(d=d)
    return 1 << (d - 1).bit_length()


def hadamard_transform(x: Array) -> Array:
    """Orthonormal Walsh–Hadamard transform d^(−1/2) H x of the last axis (Sylvester order); its own inverse.

    x (…, d) with d a power of two; returns a new array of the same shape.
    Raises ValueError where d is no power of two: pad with zeros up to `next_power_of_two(d)`.

    >>> hadamard_transform(np.array([1.0, 0.0, 0.0, 0.0]))
    array([0.5, 0.5, 0.5, 0.5])
    """
    d = x.shape[-1]
    if d != next_power_of_two(d):
        raise ValueError(f"the last axis must be a power of two, got {d}; pad to {next_power_of_two(d)}")
    b = d if d <= ONE_FACTOR else 1 << (d.bit_length() // 2)
    product = np.asarray(x, dtype=np.float64).reshape(-1, b) @ hadamard_matrix(b)
    if b < d:
        product = hadamard_matrix(d // b) @ product.reshape(-1, d // b, b)
    return product.reshape(x.shape)


@functools.lru_cache(maxsize=16)
def hadamard_matrix(d: int) -> Array:
    """The orthonormal symmetric matrix d^(−1/2) H_d, read-only: H_{2k} = [[H_k, H_k], [H_k, −H_k]].

    >>> (2.0 * hadamard_matrix(4)).astype(int).tolist()
    [[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]
    """
    matrix = np.ones((1, 1))
    while matrix.shape[0] < d:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    matrix = matrix / np.sqrt(d)
    matrix.flags.writeable = False
    return matrix
