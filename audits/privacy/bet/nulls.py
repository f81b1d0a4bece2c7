"""The nulls of a claim: a grid of values of its parameter, and for each the lines that hold its events.

Under a claim P(E) ≤ e^ε·Q(E) + δ for each of its supporting lines (ε, δ) and every event E, in both orders of
P and Q. So a bet that is fair for one line of a claim is fair for the claim, and which line a batch is betted
against may be chosen from what earlier batches showed.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from audits.privacy.claims import Claim
from audits.privacy.outputs.outputs import Floats

ANCHORS = 1.0 / (1.0 + np.exp(np.linspace(11.5, 0.1, 20)))
"""Probabilities on the lesser dataset at which a claim's lines touch what it allows."""
STEP, AROUND = 0.03, 2.0
"""Where a claim has many lines its grid is in steps of 3 % within a factor of 2 of the claimed value."""


def value_grid(claim: Claim) -> Floats:
    """The values tested, the claimed one and 0 among them: steps of 5 % below half the claimed value, 1 %
    around it, 1.5 % above; fewer where there are many lines for each."""
    claimed = claim.value
    if claim.unit != "ε":
        size = 0.05 if claim.unit == "δ" else 1.0
        near = claimed * np.exp(np.arange(-23, 24) * STEP)
        rest = size * np.geomspace(0.005, 20.0, 100)
        rest = rest[(rest < near[0]) | (rest > near[-1])]
        return np.unique(np.concatenate([[0.0, claimed], near, rest]))
    # Beyond, squares of e^ε would overflow, and no number of samples tells ε apart.
    top = min(max(20.0, 4.0 * claimed), claimed + 150.0)
    middle = max(0.5 * claimed, 0.1)
    low = np.exp(np.arange(math.log(0.005), math.log(middle), math.log(1.05)))
    coarse = np.concatenate([low, np.exp(np.arange(math.log(middle), math.log(top), math.log(1.015)))])
    if claimed <= 0.0:
        return np.concatenate([[0.0], coarse])
    fine = claimed * np.exp(np.arange(-70, 71) * math.log(1.01))
    outside = coarse[(coarse < fine[0]) | (coarse > fine[-1])]
    grid = np.unique(np.concatenate([[0.0], outside, fine, [claimed]]))
    return grid[grid <= top]


@functools.lru_cache(maxsize=8)
def grid_of_lines(claim: Claim) -> tuple[Floats, Floats, Floats]:
    """The grid (G,) with ε and δ of the lines of each of its values, (G, L)."""
    grid = value_grid(claim)
    found = [lines(claim.at(value)) for value in grid.tolist()]
    epsilon, delta = (np.stack(part) for part in zip(*found, strict=True))
    return grid, epsilon, delta


def lines(claim: Claim) -> tuple[Floats, Floats]:
    """ε ≥ 0 and δ of lines that hold what the claim allows, (L,); of (ε, δ)-privacy there is one."""
    if claim.unit == "ε":
        return np.array([claim.value]), np.array([getattr(claim, "failure", 0.0)])
    p, slope = claim.edge(ANCHORS)
    # Slopes fall from anchor to anchor; below 1 the line is that of an event's complement.
    good = int(np.count_nonzero(slope >= 1.0))
    if good == 0:
        return np.zeros(len(ANCHORS)), np.ones(len(ANCHORS))
    place = np.minimum(np.arange(len(ANCHORS)), good - 1)
    return np.log(slope[place]), np.clip(p - slope * ANCHORS, 0.0, 1.0)[place]


def pivot(claim: Claim) -> float:
    """The ε at which a claim is to be thought of where one number must do: that of (ε, δ)-privacy, else the
    slope of what it allows of an event that has 1 % of the other dataset's outputs."""
    slope = float(claim.edge(0.01)[1])
    return claim.value if claim.unit == "ε" else math.log(max(slope, 1.0))
