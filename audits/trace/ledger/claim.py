"""What a ledger is held against: a claim in its unit, and what draws cost together in that unit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from audits.trace.ledger.losses import Loss, compose, composed, divergences

if TYPE_CHECKING:
    from audits.privacy import claims

IMPLIED = 1e-6
"""δ at which a claim in another unit is read as (ε, δ), for leaks."""
ORDERS = 1.0 + np.geomspace(1e-4, 1e3, 141)
"""Orders at which ρ is held against Rényi divergences."""
POINTS = np.linspace(0.0, 20.0, 81)
"""Where δ(ε) of draws is held against that of μ."""
FEWEST, MOST = 1e-10, 1e3
"""δ(ε) from which on it counts; μ or δ beyond which nothing is looked for."""
COARSE = 1e-3
"""By how much the losses of a curve on a grid may be too large."""


@dataclass(frozen=True, slots=True)
class Claim:
    """(ε, δ), or a claim of `audits.privacy.claims` (`of`), from which this (ε, δ) follows.

    >>> from audits.privacy.claims import ZeroConcentrated
    >>> claim = Claim.of_unit(ZeroConcentrated(0.5))
    >>> round(claim.cost([Loss("gaussian", 1.0), Loss("gaussian", 1.0)]), 12), claim.words(1.0)
    (1.0, 'ρ = 1')
    """

    epsilon: float
    delta: float
    of: claims.Claim | None = None

    @classmethod
    def of_unit(cls, claim: claims.Claim) -> Claim:
        """The claim in its own unit; (ε, δ) itself where that is the unit."""
        from audits.accounting import epsilon_at
        from audits.privacy.claims import Approximate, Pure

        if isinstance(claim, Pure | Approximate):
            return cls(claim.epsilon, getattr(claim, "failure", 0.0))
        delta = max(IMPLIED, 2.0 * getattr(claim, "failure", 0.0))
        return cls(epsilon_at(claim.delta, delta, largest=500.0), delta, claim)

    @property
    def unit(self) -> str:
        """The symbol of what is claimed."""
        return "ε" if self.of is None else self.of.unit

    @property
    def value(self) -> float:
        """What is claimed, in that unit."""
        return self.epsilon if self.of is None else self.of.value

    def words(self, value: float) -> str:
        """A cost, in words."""
        return f"{self.unit} = {value:.4g}" + (f" at δ = {self.delta:g}" if self.of is None else "")

    def cost(self, losses: Sequence[Loss]) -> float:
        """The least value of the claim that all draws together keep: infinite where none does, NaN where it
        is not known.

        ρ and Rényi curves are sums of Rényi divergences; for μ and for a curve the privacy curve δ(ε) of all
        draws is held against that of the claim.
        """
        from audits.privacy import claims

        of = self.of
        if of is None:
            return compose(losses, self.delta)
        if isinstance(of, claims.Renyi):
            orders = np.atleast_1d(of.order)
            limit = of.epsilon if isinstance(of.epsilon, tuple) else 1.0
            return _largest(divergences(losses, orders), limit)
        if isinstance(of, claims.ZeroConcentrated):
            return _largest(divergences(losses, ORDERS), ORDERS)
        if isinstance(of, claims.ApproximateZeroConcentrated):
            if 1.0 - math.prod(1.0 - loss.delta for loss in losses) <= of.failure * (1.0 + 1e-9):
                losses = [replace(loss, delta=0.0) for loss in losses]
            return _largest(divergences(losses, ORDERS), ORDERS)
        return _of_curve(of, losses)


def _of_curve(of: claims.Claim, losses: Sequence[Loss]) -> float:
    """The least value of a claim whose δ(ε) is nowhere below that of the draws."""
    from audits.privacy.claims import Curve

    if not any(loss.largest > 0.0 for loss in losses):
        return 0.0
    if of.unit == "μ" and all((x.kind, x.rate, x.delta) == ("gaussian", 1.0, 0.0) for x in losses):
        return math.sqrt(math.fsum(loss.ratio**2 for loss in losses))
    given = [e for e, _ in of.points] if isinstance(of, Curve) else POINTS.tolist()
    curve = composed(losses)
    wanted = [(e, found) for e in given if (found := curve(e + COARSE)) > FEWEST]
    low, high = 0.0, 1.0
    while any(of.at(high).delta(e) < found for e, found in wanted):
        low, high = high, 2.0 * high
        if high > MOST:
            return math.inf
    while high - low > 1e-9 * high:
        middle = 0.5 * (low + high)
        kept = all(of.at(middle).delta(e) >= found for e, found in wanted)
        low, high = (low, middle) if kept else (middle, high)
    return high


def _largest(sums: Any, limits: Any) -> float:
    """The largest of sums as a multiple of their limits."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.max(np.where(sums == 0.0, 0.0, sums / np.asarray(limits))))
