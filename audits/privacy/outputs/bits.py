"""The low-order bits of doubles as cells, and the words for them."""

from __future__ import annotations

import numpy as np

from audits.privacy.outputs.outputs import Floats, Ints

EXPONENTS, ZEROS = range(-30, 34), 64
"""Exponents that are told apart, and how many numbers of trailing zero bits are."""


def cells(values: Floats) -> tuple[Ints, Ints]:
    """For each double: (its exponent, its trailing zero bits) as one number; and its lowest three bits, of a
    zero its sign."""
    bits = np.ascontiguousarray(values).view(np.int64) & ((1 << 52) - 1)
    lowest = bits & -bits
    zeros = np.where(bits == 0, 52, np.frexp(np.maximum(lowest, 1).astype(np.float64))[1] - 1)
    exponent = np.clip(np.frexp(values)[1] - EXPONENTS.start, 0, len(EXPONENTS) - 1)
    low = np.where(values == 0.0, 8 + np.signbit(values), bits & 7)
    return exponent.astype(np.int64) * ZEROS + zeros, low.astype(np.int64)


def cell_words(cell: int) -> str:
    """The words of a cell of exponent and trailing zero bits."""
    exponent, zeros = divmod(cell, ZEROS)
    return f"(exponent {EXPONENTS[exponent]}, {zeros} zeros)"
