"""A score of the parity of signs, where it tells the datasets apart."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from audits.privacy.learners.cells import of_cells
from audits.privacy.learners.score import Score, apart, beyond_chance, some_columns
from audits.privacy.outputs import Encoded, Floats, Ints, columns_of
from audits.privacy.tuning import TUNING

Signs = NDArray[np.bool_]


def parity(first: Encoded, second: Encoded) -> Score | None:
    """Whether an even number of some columns exceed their averages: of any two or more where there are few
    columns, otherwise of two or three of them or of all.

    Columns of which any proper part is independent of the dataset show nothing one by one nor in pairs; the
    sign of their product may still tell the datasets apart, as a checksum does.
    """
    of = columns_of(first, second)
    a, b = of(first)[: TUNING.retained_rows], of(second)[: TUNING.retained_rows]
    width = a.shape[1]
    if width < 3 or len(a) < TUNING.hidden_least:
        return None
    pooled = np.clip(np.vstack([a, b]), -1e100, 1e100)
    middle = pooled.mean(axis=0)
    # A sign is that of the number itself wherever its average may be 0.
    middle[np.abs(middle) < 3.0 * pooled.std(axis=0) / math.sqrt(len(pooled))] = 0.0
    # The product with a sign that hardly varies is that of the other columns.
    share = (pooled > middle).mean(axis=0)
    varied = np.flatnonzero(np.minimum(share, 1.0 - share) * TUNING.parts > 1.0)
    if len(varied) < 2:
        return None
    above = (a > middle)[:, varied], (b > middle)[:, varied]
    found = [_any_product(*above)] if len(varied) <= TUNING.most_joint else _some_products(*above)
    number = sum(len(telling) for telling, _ in found)
    telling, choice = max(found, key=lambda some: some[0].max())
    if telling.max() < beyond_chance(number):
        return None
    chosen = varied[choice(int(telling.argmax()))]
    names = "all columns" if len(chosen) == width else ", ".join(map(of.words, chosen))
    above = "exceed their averages" if middle[chosen].any() else "are positive"
    return of_cells(
        "parity",
        lambda e: _odd((of(e) > middle)[:, chosen]).astype(np.int64),
        lambda c: ("the even ones", "the odd ones")[c],
        first,
        second,
        f"how many of {names} {above}",
    )


Products = tuple[Floats, Callable[[int], Ints]]
"""How well the products of signs of some choices of columns tell the datasets apart, in standard errors; and
the number of a choice → its columns."""


def _any_product(a: Signs, b: Signs) -> Products:
    """All choices of at least two columns."""
    bits = np.arange(a.shape[1])
    choices = np.arange(2 ** len(bits))
    some = choices[((choices[:, None] >> bits) & 1).sum(axis=1) > 1]
    p, q = (_every_product(above)[some] for above in (a, b))
    return apart(p, q, len(a)), lambda best: np.flatnonzero((some[best] >> bits) & 1)


def _every_product(above: Signs) -> Floats:
    """Averages of the products of signs for every choice of columns, whose number has their bits: the Walsh
    transform of the shares of all patterns."""
    bits = np.arange(above.shape[1])
    found = np.bincount(above @ (1 << bits), minlength=2 ** len(bits)) / len(above)
    for bit in bits:
        even, odd = found.reshape(-1, 2, 2**bit).transpose(1, 0, 2)
        found = np.stack([even + odd, even - odd], axis=1).ravel()
    return found


def _some_products(a: Signs, b: Signs) -> list[Products]:
    """All columns together; and every two or three of them, or of another choice of them for each fit."""
    width = a.shape[1]
    p, q = (np.atleast_1d(np.mean(1.0 - 2.0 * _odd(above))) for above in (a, b))
    every = apart(p, q, len(a)), lambda best: np.arange(width)
    some = some_columns(width, TUNING.most_tripled, len(a))
    # A product of so many columns takes rows × columns³ steps.
    rows = slice(0, max(256, int(TUNING.most_work[0] / len(some) ** 3)))
    triples = np.array(list(itertools.combinations(range(len(some) + 1), 3)))
    # With a last column that never exceeds anything three columns are two.
    p, q = (_products(np.pad(above[rows][:, some], ((0, 0), (0, 1))), triples) for above in (a, b))
    return [
        every,
        (apart(p, q, len(a[rows])), lambda best: some[triples[best][triples[best] < len(some)]]),
    ]


def _products(above: Signs, triples: Ints) -> Floats:
    """Averages of the products of three signs, for each triple of columns."""
    signs = np.where(above, np.float32(-1.0), np.float32(1.0))
    every = np.stack([(signs * signs[:, i, None]).T @ signs for i in range(signs.shape[1])])
    return every[tuple(triples.T)].astype(np.float64) / len(signs)


def _odd(above: Signs) -> Signs:
    return np.bitwise_xor.reduce(above, axis=1)
