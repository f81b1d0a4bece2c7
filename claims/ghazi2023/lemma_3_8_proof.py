r"""Lemma 3.8, a step of its proof: "for any two vectors u, v sampled without replacement, ⟨u, v⟩ < 0".

An 𝔼 is missing: of (1, 1, −1, −1) one may draw 1 and 1, with product 1. The same sentence of the text gives
𝔼[u | v] = −v/(N − 1) as the reason, and what the proof uses is the expectation:
E⟨u, v⟩ = −E‖v‖²/(N − 1) ≤ 0, with equality if
all vectors vanish. The lemma does not suffer.

How it is checked. By enumeration of all pairs: the largest product against 0 as printed; the expectation
against −E‖v‖²/(N − 1) and 0 for the corrected step.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from claims import CONFIRMED, REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, at_most, equals, grid
from claims.ghazi2023 import PAPER
from claims.ghazi2023._tails import vector_families


def products(vectors: np.ndarray) -> np.ndarray:
    """⟨vᵢ, vⱼ⟩ for all ordered pairs i ≠ j."""
    return np.array([vectors[i] @ vectors[j] for i, j in permutations(range(len(vectors)), 2)])


def check(point: Point) -> Iterator[Evidence]:
    largest = max(float(products(v).max()) for v in vector_families(point.vectors, point.d, point.rng))
    yield at_most("largest ⟨u, v⟩ of two vectors drawn without replacement", largest, 0.0)


def check_corrected(point: Point) -> Iterator[Evidence]:
    for number, v in enumerate(vector_families(point.vectors, point.d, point.rng)):
        mean = float(products(v).mean())
        expected = -float((v**2).sum(axis=1).mean()) / (len(v) - 1)
        yield equals(f"E⟨u, v⟩, family {number}", mean, expected)
        yield at_most(f"E⟨u, v⟩, family {number}, against 0", mean, 0.0)


CLAIM = Claim(
    PAPER,
    "Lemma 3.8",
    "appendix A",
    name="lemma-3.8-proof",
    kind=Kind.IDENTITY,
    title="Two vectors drawn without replacement have a negative product",
    statement=r"For $\sum_iv_i=0$ and two vectors $u,v$ sampled without replacement: $\langle u,v\rangle<0$.",
    expected=REFUTED,
    finding=Finding(
        Weight.TYPO,
        what=(
            '"⟨u, v⟩ < 0" for two vectors drawn without replacement is not true of the vectors: of (1, '
            "1, −1, −1) one may draw 1 and 1."
        ),
        favour=(
            "The same sentence gives the reason, 𝔼[u | v] = −v/(N − 1): an 𝔼 is missing, and 𝔼⟨u, v⟩ ≤ 0 "
            "is what the proof uses (CONFIRMED)."
        ),
        survives="The lemma and its proof, with the 𝔼.",
    ),
    check=check,
    smoke=grid(vectors=4, d=1),
    ci=grid(vectors=(4, 7), d=(1, 3)),
)
CORRECTED = CLAIM.reading(
    "corrected",
    statement=r"For $\sum_iv_i=0$: $\mathbb E\langle u,v\rangle=-\mathbb E\|v\|^2/(N-1)\le0$.",
    expected=CONFIRMED,
    summary="the expectation of the product is −E‖v‖²/(N − 1) ≤ 0",
    check=check_corrected,
)
CLAIMS = [CORRECTED]
