"""Low-order bits of doubles: do they tell the datasets apart, whatever the numbers say?

Noise that is drawn in floating point reaches only some of the doubles, and which ones depends on the true
value (Mironov, CCS 2012). That is a leak of the program, not of the mechanism on real numbers: it is told in
a line of its own, with an error level of its own, and is no part of a verdict. The event can involve the
exponent, so nothing is said of bits where the verdict is "refuted": there the numbers themselves may differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from audits.privacy.bet.binomial import two_bounds
from audits.privacy.bet.nulls import pivot
from audits.privacy.claims import Claim
from audits.privacy.outputs.outputs import Floats, Ints, Raw
from audits.privacy.result import Footprints

LEAST_ROWS, ROWS = 128, 4096
"""Outputs of a dataset that are looked at: a naive sampler shows itself in some hundreds of them."""
MOST_COLUMNS = 16
FEATURES = 3
EXPONENTS, ZEROS = range(-30, 34), 64
"""Exponents that are told apart, and how many numbers of trailing zero bits are."""


def look(first: Raw, second: Raw, claim: Claim, alpha: float) -> Footprints | None:
    """What the low-order bits of outputs (n,) or (n, d) on both datasets show; None where these are no
    doubles, or too few.

    The event is the set of cells that one dataset's outputs are in more than e^ε times as often as the
    other's, in the first half of the outputs; see `nulls.pivot`. It is counted in the second half; the exact
    bounds of all columns, features and directions share `alpha`.
    """
    both = first, second
    rows = min(ROWS, *map(len, both))
    if rows < LEAST_ROWS or any(outputs.dtype != np.float64 or outputs.size == 0 for outputs in both):
        return None
    a, b = (outputs[:rows].reshape(rows, -1) for outputs in both)
    bound, event = _best_event(a, b, claim, alpha)
    return Footprints(bound, event, rows, 1.0 - alpha)


def _best_event(a: Floats, b: Floats, claim: Claim, alpha: float) -> tuple[float, str]:
    """The largest bound that the second half of the outputs gives, and its event."""
    half, width = len(a) // 2, min(a.shape[1], b.shape[1])
    columns = min(width, MOST_COLUMNS)
    level, fresh = alpha / (2 * FEATURES * columns), len(a) - half
    best, event, epsilon = 0.0, "", pivot(claim)
    for column, (feature, x, y) in _features(a, b, columns, half):
        for direction, one, other in (("first", x, y), ("second", y, x)):
            top = int(max(one.max(), other.max())) + 1
            more, less = (np.bincount(seen[:half], minlength=top) for seen in (one, other))
            inside = np.log((more + 0.5) / (less + 0.5)) > epsilon
            hits, others = (int(np.count_nonzero(inside[seen[half:]])) for seen in (one, other))
            # The bound is worth its time only where the shares themselves say more than is known.
            if hits <= (others + 1) * math.exp(epsilon):
                continue
            bound = two_bounds(hits, others, fresh, claim, level)
            if bound > best:
                place = "" if width == 1 else f" of coordinate {column}"
                best, event = (
                    bound,
                    (
                        f"{feature}{place}: a set of cells with {hits} of {fresh} outputs on the {direction} "
                        f"dataset, {others} on the other"
                    ),
                )
    return best, event


def _features(a: Floats, b: Floats, columns: int, half: int) -> Iterator[tuple[int, tuple[str, Ints, Ints]]]:
    """By column what is looked at of the bits, in words, and its cells on both datasets: `cells`, and the bit
    of the significand that tells the datasets apart best in the first half of the outputs."""
    for column in range(columns):
        both = [np.ascontiguousarray(outputs[:, column]) for outputs in (a, b)]
        zeros, lowest = zip(*map(cells, both), strict=True)
        yield column, ("trailing zero bits by the exponent", *zeros)
        yield column, ("lowest three bits, sign of zero", *lowest)
        octets = [numbers[:half, None].astype("<f8").view(np.uint8) for numbers in both]
        shares = [np.unpackbits(o, axis=1, count=52, bitorder="little").mean(axis=0) for o in octets]
        best = int(np.abs(shares[0] - shares[1]).argmax())
        one, other = ((numbers.view(np.int64) >> best) & 1 for numbers in both)
        yield column, (f"bit {best} of the significand", one, other)


def cells(values: Floats) -> tuple[Ints, Ints]:
    """Two numbers for each double: one for the pair of its exponent and its count of trailing zero bits, and
    its lowest three bits (for a zero, its sign)."""
    bits = np.ascontiguousarray(values).view(np.int64) & ((1 << 52) - 1)
    lowest = bits & -bits
    zeros = np.where(bits == 0, 52, np.frexp(np.maximum(lowest, 1).astype(np.float64))[1] - 1)
    exponent = np.clip(np.frexp(values)[1] - EXPONENTS.start, 0, len(EXPONENTS) - 1)
    low = np.where(values == 0.0, 8 + np.signbit(values), bits & 7)
    return exponent.astype(np.int64) * ZEROS + zeros, low.astype(np.int64)
