"""Mechanisms that add the noise themselves: what they say of themselves, at the real distance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from audits.trace.ledger.losses import Loss, gaussian_epsilon
from audits.trace.records import Mapped, Row

Priced = tuple[str, str, tuple[Loss, ...] | None, str]
"""The law and the distance in words, losses, and why these are not known."""


def mechanism(row: Row) -> Priced | None:
    """A mechanism that adds the noise itself: by its map, by its scale, or by its own claim at the real
    distance."""
    params = row.params
    law = row.law.replace("mechanism ", "").replace("primitive ", "")
    if row.mapped is not None:
        return _by_map(law, row.mapped)
    amount, words = _distance(row)
    if amount == 0.0:
        return None
    if amount is None:
        return law, words, None, f"the distance of the arguments of {law} is not known: {words}"
    name = law.lower()
    scale = next((params[key] for key in ("scale", "sigma", "std", "stddev", "b") if key in params), None)
    if "laplace" in name and not any(key in params for key in ("scale", "b", "sigma")):
        deviation = params.get("std", params.get("stddev"))
        scale = None if deviation is None else deviation / math.sqrt(2.0)
    if scale and (("gauss" in name and "discrete" not in name) or "normal" in name):
        return f"{law}, sd {scale:.6g}", words, (Loss("gaussian", amount / scale),), ""
    if scale and "laplace" in name and params.get("delta", 0.0) == 0.0:
        return f"{law}, scale {scale:.6g}", words, (Loss("laplace", amount / scale),), ""
    return _by_claim(law, params, amount, words)


def _by_claim(law: str, params: Mapping[str, Any], amount: float, words: str) -> Priced:
    """By its own ε, at the distance that its sensitivity allows for."""
    epsilon, delta = params.get("epsilon"), params.get("delta", 0.0) or 0.0
    if epsilon is None:
        return law, words, None, f"{law} says neither its ε nor its scale"
    sensitivity = params.get("sensitivity", params.get("l1_sensitivity"))
    # At a sensitivity of 0 no noise is drawn, and the argument has moved: the loss is infinite.
    ratio = 1.0 if sensitivity is None else amount / sensitivity if sensitivity else math.inf
    said = f"{law}, by its own claim ε {epsilon:.6g}" + (f", δ {delta:.3g}" if delta else "")
    said += "" if sensitivity is None else f" at distance {sensitivity:.6g}"
    if delta and "gauss" in law.lower() and "discrete" not in law.lower():
        return said, words, (Loss("gaussian", _just_private(epsilon, delta) * ratio),), ""
    return said, words, (Loss("pure", epsilon * ratio, _delta_at(ratio, epsilon, delta)),), ""


def _delta_at(ratio: float, epsilon: float, delta: float) -> float:
    """The δ of an (ε, δ)-private mechanism at so many times its sensitivity: k steps have
    δ·(1 + e^ε + … + e^((k − 1)·ε)) together (Dwork and Roth 2014, after Theorem 2.2)."""
    if delta == 0.0 or ratio <= 1.0:
        return delta
    # So far off, or in so many steps, nothing of it is left.
    if ratio * epsilon > 500.0 or ratio > 1e6:
        return 1.0
    return min(1.0, delta * float(np.exp(epsilon * np.arange(math.ceil(ratio))).sum()))


def _just_private(epsilon: float, delta: float) -> float:
    """Distance over deviation of the Gaussian that is just (ε, δ)-private."""
    low, high = 1e-9, 100.0
    for _ in range(80):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if gaussian_epsilon(middle, delta) <= epsilon else (low, middle)
    return low


def _by_map(law: str, mapped: Mapped) -> Priced | None:
    """By the map of a measurement of OpenDP."""
    if mapped.distance == 0:
        return None
    words = "not known" if mapped.distance is None else f"{mapped.distance:.6g}"
    cost = mapped.cost
    if cost is None:
        return law, words, None, f"the map of the measurement says nothing at distance {words}"
    said = f"{law}, by its own map {cost if isinstance(cost, list) else f'{cost:.6g}'}"
    if isinstance(cost, list):
        epsilon, delta = cast(list[float], cost)
        return said, words, (Loss("pure", epsilon, delta),), ""
    if "ZeroConcentrated" in mapped.measure:
        return f"{said} (zero-concentrated)", words, (Loss("gaussian", math.sqrt(2.0 * cost)),), ""
    return said, words, (Loss("pure", cost),), ""


def _distance(row: Row) -> tuple[float | None, str]:
    """(distance of the arguments, in words): of numbers the L1 distance, of scores the largest change."""
    params, other = row.params, row.others
    if "utility" in params and "utility" in other:
        a, b = np.asarray(params["utility"]), np.asarray(other["utility"])
        if a.shape != b.shape:
            return None, "the number of candidates differs"
        if a.size == 0:
            return 0.0, "no scores"
        # exp(ε·u/s) for monotone scores, exp(ε·u/(2s)) for others: what counts is how far scores move apart.
        spread = float(np.max(a - b) - np.min(a - b))
        return (spread if params.get("monotonic") else spread / 2.0), f"scores move apart by {spread:.6g}"
    first, second = row.given
    steps = [_apart(a, b) for a, b in zip(first, second, strict=False)]
    if None in steps:
        return None, "an argument is no number"
    if len(first) != len(second):
        return None, "the number of arguments differs"
    total = math.fsum(cast(list[float], steps))
    return total, f"{total:.6g}"


def _apart(a: Any, b: Any) -> float | None:
    """How far two arguments are apart; None where that cannot be said."""
    if isinstance(a, str) and isinstance(b, str):
        unclear = a.startswith("<") and a == b  # an object that cannot be compared
        return None if unclear else float(a != b)
    if isinstance(a, dict) or isinstance(b, dict):
        return 0.0 if str(a) == str(b) else None
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        steps = [_apart(x, y) for x, y in zip(a, b, strict=False)]
        return 1.0 if len(a) != len(b) else None if None in steps else math.fsum(cast(list[float], steps))
    if a is None or b is None:
        return 0.0 if a is b else None
    try:
        x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    except (TypeError, ValueError):
        return None
    if x.shape != y.shape:
        return 1.0
    moved = np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0.0, np.abs(x - y))
    return float(moved.sum()) if np.isfinite(moved).all() else None
