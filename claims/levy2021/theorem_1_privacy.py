"""Theorem 1, privacy: WinsorizedMean1D is ε-DP in one user.

PrivateRange spends ε/2; given its interval the clipped mean moves by at most |b − a|/n = 4τ/n, and Laplace
noise of scale 8τ/(εn) pays for that with the other ε/2 (Levy et al. 2021, Theorem 1 and Algorithm 1).

Checked exactly in two ways. The two parts: the privacy loss of the range over all count vectors, and
sensitivity over scale of the noise; their sum bounds every dataset. And the whole: the output is a finite
mixture of Laplace laws with known weights, so all datasets on a lattice and all their neighbours are
compared without sampling; this shows how much of ε an adversary can reach."""

from __future__ import annotations

from typing import Any

import numpy as np

from audits.evidence import Bound, Evidence, Verdict
from claims.harness.claim import Claim, Kind, Point, Tier
from claims.levy2021._shared import (
    at_most,
    count_vectors,
    mixture_divergence,
    neighbours,
    range_divergence,
    source,
)
from implementations.levy2021 import private_range, winsorized_mean_1d
from implementations.levy2021.constants import constants_of


def measure(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    n, epsilon, variant = int(point["n"]), float(point["epsilon"]), str(point["constants"])
    bound = float(point["ratio"])
    constants = constants_of(variant)  # type: ignore[arg-type]
    bins = private_range.bins_for(1.0, bound, constants)
    centres = np.clip(bins.centre(np.arange(bins.first, bins.last + 1)), -bound, bound)
    counts = count_vectors(n, bins.count)
    share = constants.range_share * epsilon
    laws = [private_range.range_law(np.repeat(centres, row), share, 1.0, bound, constants) for row in counts]
    loss = max(range_divergence(laws[i], laws[j]) for i, j in neighbours(counts))
    # One user moves the clipped mean by at most the length of the interval over n.
    low, high = private_range.private_range(np.zeros(n), share, 1.0, bound, rng, constants)
    scale = winsorized_mean_1d.noise_scale(n, epsilon, 1.0, constants)
    noise = float(high - low) / n / scale
    values = np.linspace(-bound, bound, int(point["lattice"]))
    lattice = count_vectors(n, values.size)
    mixtures = [
        winsorized_mean_1d.winsorized_mean_1d_law(np.repeat(values, row), epsilon, 1.0, bound, constants)
        for row in lattice
    ]
    whole = max(mixture_divergence(mixtures[i], mixtures[j]) for i, j in neighbours(lattice))
    return {"range_loss": loss, "noise_loss": noise, "whole_loss": whole}


def judge(rows: Any, alpha: float) -> list[Evidence]:
    evidence = []
    for row in rows.itertuples():
        point = {k: getattr(row, k) for k in ("n", "epsilon", "ratio", "constants")}
        total = row.range_loss + row.noise_loss
        evidence.append(
            at_most("loss of the range (all counts) + loss of the noise", total, row.epsilon, point)
        )
        evidence.append(
            at_most(
                "ε of the whole output, all lattice datasets",
                row.whole_loss,
                row.epsilon,
                point,
                decides=False,
            )
        )
    return evidence


def _points(
    names: tuple[str, ...], users: tuple[int, ...], lattice: int
) -> list[dict[str, float | int | str]]:
    return [
        {
            "n": n,
            "epsilon": e,
            "ratio": 4.0 if name != "tuned" else 1.0,
            "constants": name,
            "lattice": lattice,
        }
        for name in names
        for n in users
        for e in (0.2, 1.0, 6.0)
    ]


CLAIM = Claim(
    id="levy2021/theorem-1-privacy",
    kind=Kind.PRIVACY,
    title="WinsorizedMean1D is ε-DP in one user",
    statement=r"For every $n,\tau,B,\varepsilon$, Algorithm 1 is $\varepsilon$-DP under replacement of one "
    r"user.",
    how="Exact: both parts of the budget over all count vectors; the whole output law as a mixture "
    "of Laplaces.",
    source=source("Theorem 1", "section 3"),
    bound=Bound.UPPER,
    expected=Verdict.CONFIRMED,
    tiers={
        "smoke": Tier(points=_points(("paper",), (1, 2), 9)),
        "ci": Tier(points=_points(("paper", "corrected", "tuned"), (1, 2), 9) + _points(("paper",), (4,), 5)),
        "full": Tier(
            points=_points(("paper", "corrected", "tuned"), (1, 2, 3), 13) + _points(("paper",), (6,), 5)
        ),
    },
    measure=measure,
    judge=judge,
)
