r"""The probability of a list of answers, between two bounds that are proved, and the privacy loss.

Given the noise ρ = z of the threshold, answers are independent: the probability of a list of answers is

    ∫ p(z) · ∏_⊥ F((z − q_i)/b) · ∏_⊤ (1 − F((z − q_i)/b)) dz,

p the density of ρ, F the distribution function of the standard Laplace law, b the scale of ν, T = 0.
Logarithms of p, F and 1 − F are concave, hence that of the integrand h. On a cell of a grid the chord of
log h lies below log h and a tangent above, and both have an exponential whose integral is known. Beyond
the grid a tangent is an upper bound, 0 a lower one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lyu2017._variants import Variant

Array = NDArray[np.float64]

CELLS = 40_000
REACH = 60.0
"""Scales of the noise that the grid reaches beyond the outermost query."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """A number between `low` and `high`."""

    low: float
    high: float

    def loss(self, other: Bounds) -> tuple[float, float]:
        """log(self/other): the middle of what it may be, and how far it may be from there.

        ∞ where `other` is surely 0 and this number is not.
        """
        if other.high == 0.0 < self.low:
            return math.inf, 0.0
        low, high = math.log(self.low / other.high), math.log(self.high / other.low)
        return (low + high) / 2.0, (high - low) / 2.0


def probability(variant: Variant, queries: Sequence[float], answers: str) -> Bounds:
    """P(answers), `answers` a text of ⊥ and ⊤, one letter for each query.

    The answers must be a whole run or its beginning: nothing stands after the c-th ⊤.
    Raises ValueError for other letters, for two lengths, and for more than c answers ⊤.
    """
    if set(answers) - set("⊥⊤") or len(answers) != len(queries):
        raise ValueError(
            f"answers must be one of ⊥ and ⊤ for each of {len(queries)} queries, got {answers!r}"
        )
    if (
        variant.stop is not None
        and "⊤" in answers
        and answers.count("⊤") + (answers[-1] != "⊤") > variant.stop
    ):
        raise ValueError(f"the algorithm stops after {variant.stop} answers ⊤, got {answers!r}")
    if variant.query_scale == 0.0:
        return _without_query_noise(variant, queries, answers)
    found = Bounds(1.0, 1.0)
    for part in _parts(answers, variant.redraws):
        each = _integral(variant, np.asarray(queries[part], dtype=float), answers[part])
        found = Bounds(found.low * each.low, found.high * each.high)
    return found


def _without_query_noise(variant: Variant, queries: Sequence[float], answers: str) -> Bounds:
    """ρ above all queries with answer ⊥, and at most the smallest with answer ⊤."""
    below = [q for q, a in zip(queries, answers, strict=True) if a == "⊥"]
    above = [q for q, a in zip(queries, answers, strict=True) if a == "⊤"]
    start, end = max(below, default=-math.inf), min(above, default=math.inf)
    mass = _laplace_cdf(end / variant.threshold_scale) - _laplace_cdf(start / variant.threshold_scale)
    return Bounds(max(mass, 0.0), max(mass, 0.0))


def _laplace_cdf(x: float) -> float:
    tail = 0.5 * math.exp(-abs(x))
    return tail if x < 0.0 else 1.0 - tail


def _parts(answers: str, redraws: bool) -> list[slice]:
    """The stretches of answers that share one noise of the threshold."""
    ends = [i + 1 for i, each in enumerate(answers) if each == "⊤" and redraws]
    starts = [0, *ends]
    return [slice(a, b) for a, b in zip(starts, [*ends, len(answers)], strict=True) if a < b]


def _integral(variant: Variant, queries: Array, answers: str) -> Bounds:
    reach = REACH * max(variant.threshold_scale, variant.query_scale)
    edges = np.linspace(queries.min() - reach, queries.max() + reach, CELLS + 1)
    # The kinks of log h are edges: inside a cell it is smooth.
    edges = np.unique(np.concatenate([edges, queries, [0.0]]))
    at_edges, slopes = _log_integrand(variant, queries, answers, edges)
    middle, slope = _log_integrand(variant, queries, answers, (edges[:-1] + edges[1:]) / 2.0)
    width = np.diff(edges)
    chord = width * np.exp(at_edges[:-1]) * _ratio(np.expm1, np.diff(at_edges))
    tangent = width * np.exp(middle) * _ratio(np.sinh, slope * width / 2.0)
    outside = math.exp(at_edges[0]) / slopes[0] - math.exp(at_edges[-1]) / slopes[-1]
    return Bounds(float(chord.sum()), float(tangent.sum() + outside))


def _ratio(function: np.ufunc, x: Array) -> Array:
    """function(x)/x, 1 at 0."""
    safe = np.where(np.abs(x) < 1e-12, 1.0, x)
    return np.where(np.abs(x) < 1e-12, 1.0, function(safe) / safe)


def _log_integrand(variant: Variant, queries: Array, answers: str, z: Array) -> tuple[Array, Array]:
    """log h and one of its supergradients at z."""
    value = -np.abs(z) / variant.threshold_scale - math.log(2.0 * variant.threshold_scale)
    slope = -np.sign(z) / variant.threshold_scale
    kinds, counts = np.unique(
        [(q, side) for q, side in zip(queries, (1.0 if a == "⊥" else -1.0 for a in answers), strict=True)],
        axis=0,
        return_counts=True,
    )
    for (query, side), count in zip(kinds, counts, strict=True):
        # 1 − F(x) = F(−x)
        x = side * (z - query) / variant.query_scale
        tail = 0.5 * np.exp(-np.abs(x))
        value = value + count * np.where(x < 0.0, -np.abs(x) - math.log(2.0), np.log1p(-tail))
        slope = slope + count * side / variant.query_scale * np.where(x < 0.0, 1.0, tail / (1.0 - tail))
    return value, slope


def allowed_loss(variant: Variant, above: int, moves: float = 2.0) -> float:
    """The privacy loss that the substitution ρ → ρ + Δ allows for `above` answers ⊤, at most c of which come.

    Δ/b_ρ, and `moves`·Δ/b_ν for each ⊤. With the threshold moved up by Δ no ⊥ is less likely under D′; a ⊤
    has to make up for 2Δ, where all queries move in one direction for Δ. A threshold that is drawn again is
    moved, and paid for, each time. Infinite for an algorithm without noise in its queries.
    """
    if variant.query_scale == 0.0:
        return math.inf
    answers = above if variant.stop is None else min(above, variant.stop)
    draws = answers if variant.redraws else 1
    return draws / variant.threshold_scale + answers * moves / variant.query_scale


def worst_transcript(below: int, above: int, redraws: bool = False) -> tuple[list[float], list[float], str]:
    """Queries on D and on D′ and the answers that use up the substitution: ⊥ becomes harder, ⊤ too.

    Many ⊥ on queries that rise push ρ up, where the tails of all laws are exactly exponential; the queries
    with answer ⊤ fall. The loss comes as near to `allowed_loss` as one likes.
    """
    answers = ("⊥" * below + "⊤") * above if redraws else "⊥" * below + "⊤" * above
    return [0.0] * len(answers), [1.0 if a == "⊥" else -1.0 for a in answers], answers
