"""The orthonormal Walsh–Hadamard transform, for d a power of two.

Up to d = MATRIX_LIMIT as a product with the matrix H_d, beyond it by butterflies in d log₂ d additions: the
product takes d/log₂ d times as many operations, but they run in the linear algebra library, without copies.
"""

from __future__ import annotations

import functools

import numpy as np

from implementations.checks import whole_number
from implementations.interfaces import Array

MATRIX_LIMIT = 512


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
    if d <= MATRIX_LIMIT:
        rows = np.asarray(x, dtype=np.float64).reshape(-1, d)
        return (rows @ hadamard_matrix(d)).reshape(x.shape)
    return _butterflies(x)


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


def _butterflies(x: Array) -> Array:
    d = x.shape[-1]
    y = np.array(x, dtype=np.float64) / np.sqrt(d)
    half = 1
    while half < d:
        # H_{2k} = [[H_k, H_k], [H_k, −H_k]]: one butterfly for each pair of blocks.
        pairs = y.reshape(*x.shape[:-1], d // (2 * half), 2, half)
        y = np.stack((pairs[..., 0, :] + pairs[..., 1, :], pairs[..., 0, :] - pairs[..., 1, :]), axis=-2)
        half *= 2
    return y.reshape(x.shape)
