"""Algorithm 2 of levy2021 and its rotation with planted bugs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from claims.mutants.mutant import Mutant
from implementations import hadamard
from implementations.interfaces import Array
from implementations.levy2021 import winsorized_mean_highd
from implementations.levy2021.constants import Constants, Variant

_highd_plan_reference = winsorized_mean_highd.highd_plan
_hadamard_transform_reference = hadamard.hadamard_transform


def short_radius(
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
    plan = _highd_plan_reference(n, d, epsilon, delta, tau, bound, gamma, constants)
    return replace(plan, tau=0.1 * plan.tau)


def unnormalised_rotation(x: Array) -> Array:
    """H x without d^(−1/2)."""
    return np.sqrt(x.shape[-1]) * _hadamard_transform_reference(x)


MUTANTS = [
    Mutant(
        name="levy2021-short-radius",
        bug="Drops the factor 10 of τ′ as slack: then a rotated coordinate leaves the interval too often.",
        replaces="implementations.levy2021.winsorized_mean_highd:highd_plan",
        by=short_radius,
        caught_by=("levy2021/theorem-2-utility",),
    ),
    Mutant(
        name="levy2021-unnormalised-rotation",
        bug="Leaves out d^(−1/2): the rotation is no isometry, and the result comes back d times too large.",
        replaces="implementations.hadamard:hadamard_transform",
        by=unnormalised_rotation,
        caught_by=("levy2021/theorem-3-convex",),
    ),
]
