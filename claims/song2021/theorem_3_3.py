r"""Theorem 3.3: unconstrained private risk minimisation of a GLM costs min(1, d/(εn)).

A : (ℝᵖ × ℝ)ⁿ → ℝᵖ is (ε, δ)-differentially private, ε ≤ c, δ ≤ cε/n, 1 ≤ d ≤ p, ℓ(⟨θ, x⟩; y) = |⟨θ, x⟩ − y|.
Then there is a dataset with yᵢ ∈ {0, 1}, ‖xᵢ‖ ≤ 1, subgradients of norm at most 1, rank(Σ xᵢxᵢᵀ) ≤ d and
‖θ*‖ ≤ √d (θ* of least norm), such that the expected excess empirical risk is Ω(min(1, d/(εn))), hence
Ω(min(1, ‖θ*‖·√rank/(εn))) (Song et al. 2021, section 3.2).

The constants of Corollary B.4 give 1/210 for the hidden one at ε ≤ 1/21. That the form is right: for the best
private estimators, signs of Laplace- or Gaussian-noised counts, the threshold n*(d, ε) at which the excess
falls below 0.05 has exponents 1 in d and −1 in ε, and n* of the Gaussian one is proportional to d/μ*(ε, δ).
A lower bound of another shape would cross these level sets. On this class of datasets the signs with Laplace
noise have at most d/(e·εn) on every dataset (`footnote-4`): the hidden constant lies between 1/210 and 0.368.

How it is checked. The side conditions exactly, on drawn datasets padded with zeros to p > d: rank by singular
values, θ* as the majority by coordinate (0 at ties and where no record is), held against a linear search of
every coordinate's piecewise-linear risk. Every private estimator must stay above min(1, d/(εn))/210 where the
minimiser, which is not private, lies below; the largest constant that the estimators allow is reported. The
thresholds by bisection, and their exponents.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from audits.judge import at_most, cells, constant, decisive, mean_at_least, reported, sample_mean, undecided
from audits.rates import family
from claims import CONSISTENT, Budget, Claim, Evidence, Kind, Plot, Point, Side, Tier, grid
from claims.song2021 import PAPER
from implementations.privacy import mu_star
from implementations.song2021 import hard_instance

if TYPE_CHECKING:
    import pandas as pd

CONSTANT = 1.0 / 210.0
LEVEL = 0.05
THRESHOLD_DELTA = 1e-6
TOLERANCE = 0.05
"""A forgotten root moves an exponent by ½: exponents are held within a tenth of that."""
FORM, SPREAD = "min(1, d/(εn))", "1/μ*"
DATASETS = 20


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
    line = np.linspace(-1.0, 2.0, 13)
    risks = single.zeros[:, None] * np.abs(line) + single.ones[:, None] * np.abs(1.0 - line)
    best = risks.min(axis=1)
    least = np.array([np.abs(line[row <= low + 1e-12]).min() for row, low in zip(risks, best, strict=True)])
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
    """n where the mean excess of a private estimator on α = 1 instances is LEVEL, by bisection on log n."""
    estimate = hard_instance.private_estimators()[name]
    trials = max(1, coordinates // d)

    def excess(n: int) -> float:
        p = hard_instance.draw_parameter(trials, d, rng)
        sample = hard_instance.draw_sample(p, 1.0, n, rng)
        theta = estimate(sample, epsilon, THRESHOLD_DELTA, rng)
        return float(hard_instance.empirical_excess(theta, sample).mean())

    low, high = math.log(0.1 * d / epsilon), math.log(1e3 * d / epsilon)
    for _ in range(12):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess(round(math.exp(middle))) > LEVEL else (low, middle)
    return math.exp(0.5 * (low + high))


def measure(point: Point) -> dict[str, Any]:
    """Excess empirical risks, thresholds, or failing side conditions, by the axes of the point."""
    d, rng = point.d, point.rng
    if "datasets" in point:
        return {"failing": sum(side_conditions(d, 7, rng) for _ in range(point.datasets))}
    if "repeats" in point:
        values = [threshold(d, point.epsilon, point.locates, rng) for _ in range(point.repeats)]
        return {
            "threshold": values,
            SPREAD: [1.0 / mu_star(point.epsilon, THRESHOLD_DELTA)] * len(values),
        }
    # The instance of Corollary B.4, at `load` times the n up to which Theorem B.1 speaks of α = 1.
    reach = d / (10.0 * math.expm1(point.epsilon))
    n = max(1, round(point.load * reach))
    presence, delta = min(1.0, reach / n), point.epsilon / (1000.0 * n)
    sample = hard_instance.draw_sample(hard_instance.draw_parameter(point.trials, d, rng), presence, n, rng)
    columns: dict[str, list[Any]] = {"estimator": [], "private": [], "excess": []}
    kinds = ((1, hard_instance.private_estimators()), (0, {"majority": hard_instance.majority}))
    for private, estimators in kinds:
        for name, estimate in estimators.items():
            theta = np.clip(estimate(sample, point.epsilon, delta, rng), 0.0, 1.0)
            columns["estimator"] += [name] * point.trials
            columns["private"] += [private] * point.trials
            columns["excess"] += hard_instance.empirical_excess(theta, sample).tolist()
    form = min(1.0, d / (point.epsilon * n))
    return {**columns, "n": n, FORM: [form] * len(columns["excess"]), "bound": CONSTANT * form}


def judge(rows: pd.DataFrame, budget: Budget) -> Iterator[Evidence]:
    """Side conditions, the sandwich with the constant 1/210, and the exponents of the thresholds."""
    drawn = rows[rows["datasets"].notna()]
    quantity = f"side conditions that fail on {int(drawn['datasets'].sum())} datasets"
    yield at_most(quantity, int(drawn["failing"].sum()), 0, decides=False)
    runs = rows[rows["load"].notna()]
    points, share = cells(runs, ["d", "epsilon", "load", "n", "bound"]), budget.share(0.5)
    for point, part in points:
        yield from sandwich_evidence(part, point.pop("bound"), point, share / len(points))
    scaled = runs["excess"] / runs[FORM]
    least = cells(runs.assign(scaled=scaled)[runs["private"] == 1], ["d", "epsilon", "load", "estimator"])
    yield constant(
        f"least excess of a private estimator over {FORM}", [g["scaled"].mean() for _, g in least],
        [float(g["scaled"].std()) / math.sqrt(len(g)) for _, g in least], [len(g) for _, g in least],
        points=[p for p, _ in least], least=True, claimed=CONSTANT,
        note="the hidden constant can be no larger; interval simultaneous over points and estimators",
    )  # fmt: skip
    if "repeats" in rows:
        yield from threshold_evidence(rows[rows["repeats"].notna()], budget.share(0.5))


def sandwich_evidence(
    part: pd.DataFrame, bound: float, point: dict[str, Any], alpha: float
) -> Iterator[Evidence]:
    """The private estimator nearest to the bound, and the minimiser below it."""
    # The constant estimator is left out: where every record is seen its excess is ½ on every dataset.
    private = part[(part["private"] == 1) & (part["estimator"] != "constant")].groupby(
        "estimator", sort=False
    )
    checks = [
        mean_at_least(
            "excess empirical risk of the best private estimator", group["excess"], bound,
            alpha=alpha / private.ngroups, point={**point, "estimator": str(name)},
        )
        for name, group in private
    ]  # fmt: skip
    yield decisive(checks, lambda e: -e.estimate)
    # The majority is the empirical minimiser: its excess is 0 on every dataset, exactly.
    open_excess = float(part.loc[part["estimator"] == "majority", "excess"].abs().max())
    quantity = "largest excess empirical risk of the minimiser, over the datasets"
    if open_excess < bound:
        yield reported(quantity, open_excess, claimed=bound, point=point, note="not private, below the bound")
    else:
        yield undecided(quantity, open_excess, "the minimiser is not below the bound", point=point)


def threshold_evidence(rows: pd.DataFrame, alpha: float) -> Iterator[Evidence]:
    """n* against d and ε (Laplace), and against d and 1/μ* (Gaussian)."""
    options = {"side": Side.TIGHT, "alpha": alpha / 2.0, "equivalence_alpha": 0.01}
    laplace, gaussian = (rows[rows["locates"] == name] for name in ("laplace", "gaussian"))
    yield from family.exponents(
        laplace, "threshold", {"d": 1.0, "epsilon": -1.0}, TOLERANCE, named="{} in n*, Laplace", **options
    )
    yield from family.exponents(
        gaussian, "threshold", {"d": 1.0, SPREAD: 1.0}, TOLERANCE, named="{} in n*, Gaussian",
        point={"estimator": "gaussian"}, **options,
    )  # fmt: skip
    constants = laplace["threshold"] * laplace["epsilon"] / laplace["d"]
    note = "mean over d, ε and repeats; n* is where the excess falls below 0.05"
    yield sample_mean("n*·ε/d of the Laplace estimator", constants, note=note)


def thresholds(repeats: int) -> list[dict[str, Any]]:
    return grid(
        locates=("laplace", "gaussian"), d=(8, 16, 32, 64, 128), epsilon=(0.01, 0.03, 0.1), repeats=repeats
    )


CONDITIONS = grid(d=(1, 3, 10), datasets=DATASETS)
LOADS = (0.2, 1.0, 8.0, 30.0)
CLAIM = Claim(
    PAPER,
    "Theorem 3.3",
    "section 3.2, proof in appendix B",
    kind=Kind.LOWER_BOUND,
    title="Lower bound min(1, d/(εn)) for unconstrained private GLMs",
    uses=("corollary-b.4",),
    statement=r"For every $(\varepsilon,\delta)$-differentially private $A$, $\varepsilon\le c$, $\delta\le "
    r"c\varepsilon/n$, $1\le d\le p$, and $\ell=|\langle\theta,x\rangle-y|$ there is $D$ with "
    r"$y_i\in\{0,1\}$, $\|x_i\|_2\le1$, $\mathrm{rank}(\sum x_ix_i^T)\le d$, $\|\theta^*\|_2\le\sqrt d$ and "
    r"$\mathbb E[L(\theta^{priv};D)]-L(\theta^*;D)\ge\Omega(\min\{1,\frac d{\varepsilon n}\})\ge"
    r"\Omega(\min\{1,\frac{\|\theta^*\|_2\sqrt{\mathrm{rank}}}{\varepsilon n}\})$.",
    expected=CONSISTENT,
    rests_on=("song2021/corollary-b.4",),
    measure=measure,
    judge=judge,
    smoke=Tier([*CONDITIONS, *grid(d=20, epsilon=0.04, load=(1.0, 8.0))], trials=200),
    ci=Tier([*CONDITIONS, *grid(d=(4, 32), epsilon=(0.04, 0.01), load=LOADS), *thresholds(2)], trials=300),
    full=Tier(
        [*CONDITIONS, *grid(d=(1, 4, 32, 128), epsilon=(0.04, 0.01), load=LOADS), *thresholds(8)],
        trials=1_000,
    ),
    fits_exponents=True,
    plots=[
        Plot(
            kind="curve",
            title="Theorem 3.3: excess empirical risk of each estimator",
            x="n",
            y="excess",
            x_label="n",
            y_label="excess empirical risk",
            claimed="bound",
            series="estimator",
            log_x=True,
            log_y=True,
            select={"d": 32, "epsilon": 0.01},
        ),
        Plot(
            kind="loglog",
            title="Theorem 3.3: threshold n* of the Laplace estimator",
            x="d",
            y="threshold",
            x_label="d",
            y_label="n*",
            series="epsilon",
            select={"locates": "laplace"},
        ),
    ],
)
