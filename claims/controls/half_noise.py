r"""A wrong privacy claim that the suite must refute: DP-GD with half of the noise that (ε, δ) needs.

Algorithm 1 of song2021 with σ = L√T/(nμ*(ε, δ)), which is what somebody calibrates who takes L/n for the
sensitivity of the averaged gradient, and forgets that a replaced record is subtracted and added: 2L/n. Its
exact privacy is 2μ*, known, so this control says whether the sampled audit sees what is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from audits.evidence import Bound, Evidence, Verdict, exact_evidence
from claims.harness.claim import Claim, Kind, Point, Source, Tier
from claims.song2021 import theorem_2_6
from implementations import losses
from implementations.interfaces import Adjacency
from implementations.song2021 import dp_gd

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


def measure(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    """Audit of the mechanism with half the noise on the pair of Theorem 2.6, and its exact ε."""
    from implementations.privacy import gaussian_epsilon, mu_star
    from audits.privacy import audit_privacy

    n, epsilon, delta = point["n"], point["epsilon"], point["delta"]
    algorithm = dp_gd.mechanism(
        losses.huber(1.0),
        epsilon=epsilon,
        delta=delta,
        steps=point["steps"],
        learning_rate=n / (n - 1),
        noise="calibrated",
        adjacency=Adjacency.ADD_REMOVE,  # the bug: half of the sensitivity audited
    )
    result = audit_privacy(
        algorithm,
        [theorem_2_6.worst_pair(n, 1.0, far=100.0)],
        epsilon=epsilon,
        delta=delta,
        adjacency=Adjacency.REPLACE,
        alpha=point.alpha,
        rng=rng,
        max_samples=point["samples"],
    )
    evidence = result.evidence()
    return {
        "low": evidence.low,
        "confidence": evidence.confidence,
        "drawn": evidence.samples,
        "verdict": str(evidence.verdict),
        "resolution": evidence.resolution,
        "spent": point.alpha,
        "exact": gaussian_epsilon(delta, 2.0 * float(mu_star(epsilon, delta))),
    }


def judge(rows: pd.DataFrame, alpha: float) -> list[Evidence]:
    """The audit decides; the exact ε stands beside it."""
    del alpha  # all of it is spent by the one audit
    row = rows.iloc[0]
    return [
        Evidence(
            quantity=f"ε at δ = {row['delta']:g}",
            estimate=float(row["low"]),
            low=float(row["low"]),
            high=float("inf"),
            confidence=float(row["confidence"]),
            method="sequential",
            samples=int(row["drawn"]),
            bound=float(row["epsilon"]),
            verdict=Verdict(row["verdict"]),
            resolution=float(row["resolution"]),
            alpha_spent=float(row["spent"]),
        ),
        exact_evidence("exact ε of all steps", float(row["exact"]), bound=float(row["epsilon"])),
    ]


_POINT = {"n": 50, "epsilon": 1.0, "delta": 1e-2, "steps": 5, "samples": 100_000}
CLAIM = Claim(
    id="controls/half-noise",
    kind=Kind.PRIVACY,
    title="Control: half the noise",
    statement=(
        r"DP-GD with $\sigma=L\sqrt T/(n\mu^*(\varepsilon,\delta))$ is "
        r"$(\varepsilon,\delta)$-differentially private under "
        r"replacement of one record. (False by construction: the sensitivity is $2L/n$.)"
    ),
    how="Sampled audit on a pair of Huber regressions; it must refute.",
    source=Source(paper="controls", result="half noise", place="this project", reference="a planted error"),
    bound=Bound.UPPER,
    expected=Verdict.REFUTED,
    tiers={name: Tier(points=[_POINT]) for name in ("smoke", "ci", "full")},
    measure=measure,
    judge=judge,
)
