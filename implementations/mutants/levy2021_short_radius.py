"""levy2021: Drops the factor 10 of τ′ as slack."""

from __future__ import annotations

from dataclasses import replace

from implementations.levy2021 import winsorized_mean_highd
from implementations.levy2021.constants import Constants, Variant
from implementations.mutants._mutant import Mutant

_reference = winsorized_mean_highd.highd_plan


def highd_plan(
    n: int,
    d: int,
    epsilon: float,
    delta: float,
    tau: float,
    bound: float,
    gamma: float,
    constants: Variant | Constants = "paper",
) -> winsorized_mean_highd.Plan:
    """The reference with τ′ = τ√(log(dn/γ)/d)."""
    plan = _reference(n, d, epsilon, delta, tau, bound, gamma, constants)
    return replace(plan, tau=0.1 * plan.tau)


MUTANT = Mutant(
    name="levy2021-short-radius",
    bug="Drops the factor 10 of τ′ as slack: then a rotated coordinate leaves the interval too often.",
    replaces="implementations.levy2021.winsorized_mean_highd:highd_plan",
    by=highd_plan,
    caught_by=("levy2021/theorem-2-utility",),
)
