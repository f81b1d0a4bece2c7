"""Neighbouring datasets on which the programs of song2021 give away the most."""

from __future__ import annotations

import numpy as np

from implementations.interfaces import Array


def huber_pair(n: int, width: float, *, far: float) -> tuple[Array, Array]:
    """Neighbours (n, 2) of records (x, y) with x = 1: all targets 0, but one at ±far widths.

    With Huber losses of this width and η = width·n/(n − 1) the other n − 1 records pull every iterate back to
    the same point in one step, so the average of the T iterates is a sufficient statistic: averaging hides
    nothing of the T Gaussian steps.

    >>> first, second = huber_pair(3, 1.0, far=100.0)
    >>> (first != second).any(axis=1).sum()
    np.int64(1)
    """
    first = np.column_stack([np.ones(n), np.zeros(n)])
    second = first.copy()
    first[0, 1], second[0, 1] = far * width, -far * width
    return first, second
