"""Algorithm 2 of Lee, Liu and Lu (2024): the fingerprinting code of Tardos (2008), robust by dummy columns.

Code words are int8 arrays of zeros and ones, one row a user. Gen′ and Trace′ are the code of Tardos; Gen
hides its columns among 2d columns of zeros and 2d columns of ones, so that a coalition that breaks the
marking condition in a few columns mostly breaks it where it does no harm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from implementations import checks
from implementations.interfaces import Array

Bits = NDArray[np.int8]

THRESHOLDS = {"printed": 0.5, "tardos": 1.0}
"""Multiple of Z above which a user is accused: Z/2 in Algorithm 2, Z in Tardos (2008)."""


@dataclass(frozen=True, slots=True)
class Codebook:
    """The output of Gen′: words (n, d) of the users, and the probability of a 1 in each column (d,)."""

    words: Bits
    means: Array
    security: float


@dataclass(frozen=True, slots=True)
class HiddenCodebook:
    """The output of Gen: words (n, 5d) after the permutation, and the state that Gen shares with Trace.

    order[j] says which column of the augmented codebook (code, zeros, ones) stands at place j.
    """

    words: Bits
    order: NDArray[np.intp]
    inner: Codebook


def length(n: int, security: float) -> int:
    """d = 100·n²·log(n/ξ), rounded up: the length of a code word of Gen′."""
    _check_code(n, security)
    return math.ceil(100.0 * n**2 * math.log(n / security))


def cutoff(n: int) -> float:
    """t = 1/(300n): the means of the columns lie in [t, 1 − t]."""
    checks.whole_number(n=n)
    return 1.0 / (300.0 * n)


def score_scale(n: int, security: float) -> float:
    """Z = 20·n·log(n/ξ)."""
    _check_code(n, security)
    return 20.0 * n * math.log(n / security)


def generate(n: int, security: float, rng: np.random.Generator) -> Codebook:
    """Gen′ for n users at security ξ in (0, 1)."""
    d = length(n, security)
    # Lines 2–3: t and t′ with sin²(t′) = t.
    edge = math.asin(math.sqrt(cutoff(n)))
    # Lines 4–5: r uniform on [t′, π/2 − t′], p = sin² r.
    means = np.sin(rng.uniform(edge, math.pi / 2.0 - edge, d)) ** 2
    # Line 6: independent bits; 32 random bits a comparison bias a bit by at most 2⁻³².
    draws = rng.integers(0, 1 << 32, (n, d), dtype=np.uint32)
    words = (draws < (means * 2.0**32).astype(np.uint64)).astype(np.int8)
    return Codebook(words=words, means=means, security=security)


def scores(code: Codebook, pirate: Bits) -> Array:
    """Trace′, the scores: S_i = Σ_j c_j·U_ij for every user, (n,); U = q where the user has a 1, else −1/q.

    q_j = √((1 − p_j)/p_j). Raises ValueError for a pirate word of the wrong shape, or not of bits.
    """
    c = bits("pirate", pirate)
    if c.shape != code.means.shape:
        raise ValueError(f"pirate must have shape {code.means.shape}, got {c.shape}")
    read = np.flatnonzero(c)  # a column in which the pirate word has a 0 adds nothing
    p = code.means[read]
    q = np.sqrt((1.0 - p) / p)
    # U = −1/q + C·(q + 1/q)
    return code.words[:, read] @ (q + 1.0 / q) - (1.0 / q).sum()


def accused(code: Codebook, pirate: Bits, *, threshold: str) -> NDArray[np.bool_]:
    """Trace′: which users have S_i > Z/2 (threshold "printed") or S_i > Z ("tardos"), (n,)."""
    if threshold not in THRESHOLDS:
        raise ValueError(f"threshold must be one of {tuple(THRESHOLDS)}, got {threshold!r}")
    scale = score_scale(code.words.shape[0], code.security)
    return scores(code, pirate) > THRESHOLDS[threshold] * scale


def generate_hidden(n: int, security: float, rng: np.random.Generator) -> HiddenCodebook:
    """Gen: the codebook of Gen′, 2d columns of zeros, 2d columns of ones, in random order."""
    inner = generate(n, security, rng)
    d = inner.means.size
    augmented = np.zeros((n, 5 * d), dtype=np.int8)
    augmented[:, :d] = inner.words
    augmented[:, 3 * d :] = 1
    order = rng.permutation(5 * d)
    return HiddenCodebook(words=augmented[:, order], order=order, inner=inner)


def uncover(hidden: HiddenCodebook, pirate: Bits) -> Bits:
    """Trace, lines 2–3: put the pirate word back in order and remove the dummy columns, (5d,) → (d,)."""
    c = bits("pirate", pirate)
    if c.shape != hidden.order.shape:
        raise ValueError(f"pirate must have shape {hidden.order.shape}, got {c.shape}")
    straight = np.empty_like(c)
    straight[hidden.order] = c
    return straight[: hidden.inner.means.size]


def trace(hidden: HiddenCodebook, pirate: Bits, rng: np.random.Generator, *, threshold: str) -> int | None:
    """Trace: one of the accused users, at random; None for ⊥."""
    guilty = np.flatnonzero(accused(hidden.inner, uncover(hidden, pirate), threshold=threshold))
    return int(rng.choice(guilty)) if guilty.size else None


def bits(name: str, values: NDArray[Any]) -> Bits:
    """`values` as int8; ValueError where an entry is neither 0 nor 1."""
    array = np.asarray(values)
    if not ((array == 0) | (array == 1)).all():
        raise ValueError(f"{name} must hold zeros and ones, got {values!r}")
    return array.astype(np.int8, copy=False)


def _check_code(n: int, security: float) -> None:
    checks.whole_number(n=n)
    checks.probability(security=security)
