"""The fast Walsh–Hadamard transform: H_d x in d log₂ d additions, for d a power of two."""

from __future__ import annotations

import numpy as np

from implementations.interfaces import Array


def next_power_of_two(d: int) -> int:
    """The least power of two that is at least d ≥ 1.

    >>> [next_power_of_two(d) for d in (1, 2, 3, 64, 65)]
    [1, 2, 4, 64, 128]
    """
    if d < 1:
        raise ValueError(f"d must be at least 1, got {d}")
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
    y = np.array(x, dtype=np.float64) / np.sqrt(d)
    half = 1
    while half < d:
        # H_{2k} = [[H_k, H_k], [H_k, −H_k]]: one butterfly for each pair of blocks.
        pairs = y.reshape(*x.shape[:-1], d // (2 * half), 2, half)
        y = np.stack((pairs[..., 0, :] + pairs[..., 1, :], pairs[..., 0, :] - pairs[..., 1, :]), axis=-2)
        half *= 2
    return y.reshape(x.shape)
