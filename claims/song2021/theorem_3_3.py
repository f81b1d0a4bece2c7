r"""Theorem 3.3: unconstrained private risk minimisation of a GLM costs min(1, d/(εn)).

A : (ℝᵖ × ℝ)ⁿ → ℝᵖ is (ε, δ)-differentially private, ε ≤ c, δ ≤ cε/n, 1 ≤ d ≤ p, ℓ(⟨θ, x⟩; y) = |⟨θ, x⟩ − y|.
Then there is a dataset with yᵢ ∈ {0, 1}, ‖xᵢ‖ ≤ 1, subgradients of norm at most 1, rank(Σ xᵢxᵢᵀ) ≤ d and
‖θ*‖ ≤ √d (θ* of least norm), such that the expected excess empirical risk is Ω(min(1, d/(εn))), hence
Ω(min(1, ‖θ*‖·√rank/(εn))) (Song et al. 2021, section 3.2).

How it is checked. The side conditions exactly, on drawn datasets padded with zeros to p > d: rank by
singular values, θ* as the majority by coordinate (0 at ties and where no record is), held against a linear
search of every coordinate's piecewise-linear risk. The bound as in Corollary B.4, whose constants give 1/210
for the hidden one at ε ≤ 1/21: every private estimator must stay above min(1, d/(εn))/210; the largest
constant that the estimators allow is reported. That the form is right (`exponents`): for the best private
estimators, signs of Laplace- or Gaussian-noised counts, the threshold n*(d, ε) at which the excess falls
below 0.05 is located by bisection on α = 1 instances; its exponents are 1 in d and −1 in ε, and n* of the
Gaussian one is proportional to d/μ*(ε, δ). A lower bound of another shape would cross these level sets.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from audits.evidence import Bound, Evidence, Verdict, exact_evidence
from audits.reported import sample_mean
from claims.harness.claim import Claim, Kind, Plot, Point, Tier
from claims.song2021 import corollary_b_4
from claims.song2021._cite import cite
from claims.song2021._rows import cells
from claims.song2021._sample import extreme_of
from implementations.song2021 import hard_instance

if TYPE_CHECKING:
    import pandas as pd

CONSTANT = 1.0 / 210.0
LEVEL = 0.05
THRESHOLD_DELTA = 1e-6


def side_conditions(d: int, extra: int, rng: np.random.Generator) -> int:
    """How many of the side conditions fail on one drawn dataset padded with `extra` zero features."""
    p = hard_instance.draw_parameter(1, d, rng, beta=1.0)
    sample = hard_instance.draw_sample(p, 0.8, 3 * d, rng)
    single = hard_instance.Sample(sample.zeros[0], sample.ones[0], sample.n)
    problem = hard_instance.dataset(single)
    features = np.pad(problem.features, ((0, 0), (0, extra)))
    theta = np.pad((single.ones > single.zeros).astype(float), (0, extra))
    # Every coordinate's risk is piecewise linear with kinks at 0 and 1: a grid that holds both finds the
    # minimum.
    grid = np.linspace(-1.0, 2.0, 13)
    risks = single.zeros[:, None] * np.abs(grid) + single.ones[:, None] * np.abs(1.0 - grid)
    best = risks.min(axis=1)
    least = np.array([np.abs(grid[row <= low + 1e-12]).min() for row, low in zip(risks, best, strict=True)])
    risk = np.abs(features @ theta - problem.targets).sum()
    failing = (
        np.linalg.matrix_rank(features.T @ features) > d,
        np.linalg.norm(theta) > math.sqrt(d) + 1e-12,
        not np.isin(problem.targets, (0.0, 1.0)).all(),
        np.linalg.norm(features, axis=1).max() > 1.0,
        abs(risk - best.sum()) > 1e-9,
        not np.allclose(theta[:d], least),
    )
    return sum(bool(f) for f in failing)


def threshold(
    d: int, epsilon: float, name: str, rng: np.random.Generator, coordinates: int = 16_384
) -> float:
    """n at which the mean excess of a private estimator on α = 1 instances is LEVEL, by bisection on log
    n.
    """
    estimate = hard_instance.private_estimators()[name]
    trials = max(1, coordinates // d)

    def excess(n: int) -> float:
        p = hard_instance.draw_parameter(trials, d, rng)
        sample = hard_instance.draw_sample(p, 1.0, n, rng)
        theta = estimate(sample, epsilon, THRESHOLD_DELTA, rng)
        return float(corollary_b_4.empirical_excess(theta, sample).mean())

    low, high = math.log(0.1 * d / epsilon), math.log(1e3 * d / epsilon)
    for _ in range(12):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess(round(math.exp(middle))) > LEVEL else (low, middle)
    return math.exp(0.5 * (low + high))


def measure(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    """Failing side conditions, excess risks, or thresholds, by the task of the point."""
    d, epsilon = int(point["d"]), float(point["epsilon"])
    if point["task"] == "conditions":
        return {"failing": sum(side_conditions(d, 7, rng) for _ in range(20)), "datasets": 20}
    if point["task"] == "threshold":
        from implementations.privacy import mu_star

        name = str(point["estimator_of"])
        values = [threshold(d, epsilon, name, rng) for _ in range(int(point["repeats"]))]
        return {"threshold": values, "load_gdp": [d / mu_star(epsilon, THRESHOLD_DELTA)] * len(values)}
    return corollary_b_4.gap(d, epsilon, float(point["load"]), point.trials, rng)


def judge(rows: pd.DataFrame, alpha: float) -> list[Evidence]:
    """Side conditions, the sandwich with the constant 1/210, and the exponents of the thresholds."""
    evidence: list[Evidence] = []
    conditions = rows[rows["task"] == "conditions"]
    failing = int(conditions["failing"].sum())
    evidence.append(
        exact_evidence(
            f"side conditions that fail on {int(conditions['datasets'].sum())} datasets",
            float(failing),
            bound=0.0,
            verdict=Verdict.REFUTED if failing else None,  # drawn datasets decide nothing of the others
            method="exact",
        )
    )
    runs = rows[rows["task"] == "risk"]
    evidence += corollary_b_4.sandwiches(runs, "shape", CONSTANT, alpha / 2.0)
    evidence.append(
        extreme_of(
            "least excess of a private estimator over min(1, d/(εn))",
            cells(runs[runs["private"] == 1], ["d", "epsilon", "load", "estimator"]),
            "excess",
            "shape",
            least=True,
            bound=CONSTANT,
            note="the hidden constant can be no larger; interval simultaneous over points and estimators",
        )
    )
    located = rows[rows["task"] == "threshold"]
    if len(located):
        evidence += threshold_evidence(located, alpha / 2.0)
    return evidence


def threshold_evidence(rows: pd.DataFrame, alpha: float) -> list[Evidence]:
    """n* against d and ε (Laplace), and against d/μ* (Gaussian)."""
    from dataclasses import replace

    from audits.rates import fit_rate, slope_against

    options: dict[str, Any] = {"bound": Bound.TIGHT, "alpha": alpha / 2.0, "equivalence_alpha": 0.01}
    laplace, gaussian = (rows[rows["estimator_of"] == name] for name in ("laplace", "gaussian"))
    fit = fit_rate(laplace, "threshold", ["d", "epsilon"], {"d": 1.0, "epsilon": -1.0}, 0.1, **options)
    slope = slope_against(gaussian, "threshold", "load_gdp", 0.1, vanishing=False, **options)
    constants = laplace["threshold"] * laplace["epsilon"] / laplace["d"]
    return [
        *(replace(e, quantity=f"{e.quantity} in n*, Laplace") for e in fit.evidence()),
        *(replace(e, quantity="exponent of d/μ* in n*, Gaussian") for e in slope.evidence()),
        sample_mean(
            "n*·ε/d of the Laplace estimator",
            constants,
            note="mean over d, ε and repeats; n* is where the excess falls below 0.05",
        ),
    ]


def _risks(*grid: tuple[int, float, float]) -> list[dict[str, Any]]:
    return [
        {"task": "risk", "d": d, "epsilon": e, "load": load, "estimator_of": "", "repeats": 0}
        for d, e, load in grid
    ]


def _thresholds(repeats: int) -> list[dict[str, Any]]:
    return [
        {"task": "threshold", "d": d, "epsilon": e, "load": 0.0, "estimator_of": name, "repeats": repeats}
        for name in ("laplace", "gaussian")
        for d in (8, 32, 128)
        for e in (0.01, 0.03, 0.1)
    ]


_CONDITIONS = [
    {"task": "conditions", "d": d, "epsilon": 1.0, "load": 0.0, "estimator_of": "", "repeats": 0}
    for d in (1, 3, 10)
]
CLAIM = Claim(
    id="song2021/theorem-3.3",
    kind=Kind.LOWER_BOUND,
    title="Lower bound min(1, d/(εn)) for unconstrained private GLMs",
    statement=(
        r"For every $(\varepsilon,\delta)$-differentially private $A$, $\varepsilon\le c$, $\delta\le "
        r"c\varepsilon/n$, $1\le d\le p$, and "
        r"$\ell=|\langle\theta,x\rangle-y|$ there is $D$ with $y_i\in\{0,1\}$, $\|x_i\|_2\le1$, "
        r"$\mathrm{rank}(\sum x_ix_i^T)\le d$, "
        r"$\|\theta^*\|_2\le\sqrt d$ and $\mathbb "
        r"E[L(\theta^{priv};D)]-L(\theta^*;D)\ge\Omega(\min\{1,\frac d{\varepsilon n}\})\ge"
        r"\Omega(\min\{1,\frac{\|\theta^*\|_2\sqrt{\mathrm{rank}}}{\varepsilon n}\})$."
    ),
    how=(
        "Side conditions exactly; private estimators above min(1, d/(εn))/210, the minimiser below; "
        "exponents of n*(d, ε)."
    ),
    source=cite("Theorem 3.3", "section 3.2, proof in appendix B"),
    bound=Bound.LOWER,
    expected=Verdict.CONSISTENT,
    tiers={
        "smoke": Tier(points=[*_CONDITIONS, *_risks((20, 0.04, 1.0), (20, 0.04, 8.0))], trials=200),
        "ci": Tier(
            points=[
                *_CONDITIONS,
                *_risks(
                    *((d, e, load) for d in (4, 32) for e in (0.04, 0.01) for load in (0.2, 1.0, 8.0, 30.0))
                ),
                *_thresholds(2),
            ],
            trials=300,
        ),
        "full": Tier(
            points=[
                *_CONDITIONS,
                *_risks(
                    *(
                        (d, e, load)
                        for d in (1, 4, 32, 128)
                        for e in (0.04, 0.01)
                        for load in (0.2, 1.0, 8.0, 30.0)
                    )
                ),
                *_thresholds(8),
            ],
            trials=1_000,
        ),
    },
    measure=measure,
    judge=judge,
    fits_exponents=True,
    plots=[
        Plot(
            kind="sandwich",
            title="Theorem 3.3: excess empirical risk of each estimator",
            x="n",
            y="excess",
            x_label="n",
            y_label="excess empirical risk",
            claimed="claimed",
            series="estimator",
            log_x=True,
            log_y=True,
            select={"d": 32, "epsilon": 0.01, "task": "risk"},
        ),
        Plot(
            kind="loglog",
            title="Theorem 3.3: threshold n* of the Laplace estimator",
            x="d",
            y="threshold",
            x_label="d",
            y_label="n*",
            series="epsilon",
            log_x=True,
            log_y=True,
            select={"task": "threshold", "estimator_of": "laplace"},
        ),
    ],
)
