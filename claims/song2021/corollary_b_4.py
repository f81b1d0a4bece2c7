r"""Corollary B.4: a lower bound on the excess empirical risk of every private algorithm.

M : (ℝᵈ × ℝ)ⁿ → ℝᵈ is (ε, δ)-differentially private, ε ≤ 1/21 and δ of order ε/n. Then there is a dataset with
‖xᵢ‖ ≤ 1, yᵢ ∈ {0, 1} on which (1/n)·Σ(|⟨M(D), xᵢ⟩ − yᵢ| − |⟨θ*, xᵢ⟩ − yᵢ|) is in expectation at least a
constant times min(1, d/((e^ε − 1)n)), with θ* ∈ [0, 1]ᵈ the minimiser of least norm (Song et al. 2021,
appendix B). The printed numbers are not legible in the scan. From the proof: α = min(1, d/(10(e^ε − 1)n)),
and the gap is at least α/10 − (e^ε − 1)α − 2δ ≥ α/20 − 2δ; the last step needs e^ε ≤ 21/20, true for ε ≤ 1/21
and false for ε = 1/20. The claim is checked with this value and δ = ε/(1000n).

How it is checked. The instance is that of Theorem B.1 with this α, p from the prior of its proof; averaged
over datasets the gap must reach the bound for every private estimator at hand (an average is more than the
existence that is claimed, but it is what the proof gives). The minimiser itself, majority by coordinate, is
not private and has gap 0, far below the bound everywhere. Loads below and above n = d/(10(e^ε − 1)) are run.
That the estimators are private, and the instance the printed one, is held against their laws in
`theorem-b.1:estimators` and `theorem-b.1:instance`. No sampling can decide "every private algorithm":
CONSISTENT at best. The bound is loose for these estimators, as in Theorem B.1: at load 1 the Laplace
estimator could spend many times its ε and stay above it; the evidence says how many times.

A step of the proof is filled in here. It bounds ||⟨M(D), X₀⟩ − Y₀| − |⟨p, X₀⟩ − Y₀|| by 1[X₀ ≠ 0], which
takes M(D) ∈ [0, 1]ᵈ, while M has values in ℝᵈ. Truncation to [0, 1]ᵈ is post-processing and makes no loss
larger, so the corollary follows for every M; outputs are truncated before they are held against the bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from audits.judge import at_most, constant, reported, sandwich
from claims import CONSISTENT, Claim, Evidence, Kind, Plot, Point, Tier, grid
from claims.song2021 import PAPER
from implementations.song2021 import hard_instance


def setting(d: int, epsilon: float, load: float) -> tuple[int, float, float]:
    """(n, α, δ) at n = load·d/(10(e^ε − 1))."""
    n = max(1, round(load * d / (10.0 * math.expm1(epsilon))))
    return n, min(1.0, d / (10.0 * math.expm1(epsilon) * n)), epsilon / (1000.0 * n)


def check(point: Point) -> Iterator[Evidence]:
    if "load" not in point:
        yield from check_step(point.epsilon)
        return
    n, alpha, delta = setting(point.d, point.epsilon, point.load)
    where = {**point, "n": n}
    # One coordinate scatters most: as many coordinates are drawn at every d.
    p = hard_instance.draw_parameter(point.trials * max(1, 100 // point.d), point.d, point.rng)
    sample = hard_instance.draw_sample(p, alpha, n, point.rng)

    def errors(estimators: dict[str, hard_instance.Estimator]) -> dict[str, np.ndarray]:
        found = ((k, e(sample, point.epsilon, delta, point.rng)) for k, e in estimators.items())
        return {k: hard_instance.empirical_excess(np.clip(theta, 0.0, 1.0), sample) for k, theta in found}

    private = errors(hard_instance.private_estimators())
    non_private = errors(hard_instance.non_private_estimators())
    claimed = alpha / 20.0 - 2.0 * delta
    # Errors are at least 0: with this resolution an error of 0 would be caught. On [0, 1]ᵈ none exceeds 1.
    yield from sandwich(
        private, claimed, non_private, alpha=point.alpha, point=where, ceiling=1.0, largest_resolution=claimed
    )
    yield constant(
        "least error of a private estimator over the bound",
        [x.mean() / claimed for x in private.values()],
        [x.std(ddof=1) / math.sqrt(x.size) / claimed for x in private.values()],
        len(p), least=True, claimed=1.0, points=[{**where, "estimator": k} for k in private],
        note="how much larger a constant these estimators would allow; interval simultaneous over them",
    )  # fmt: skip
    for times in (32.0, 16.0, 8.0, 4.0, 2.0, 1.0):
        theta = hard_instance.laplace_signs(sample, times * point.epsilon, delta, point.rng)
        if hard_instance.empirical_excess(theta, sample).mean() >= claimed:
            quantity = "times ε that the Laplace estimator may spend and still lie above the bound"
            yield reported(quantity, times, method="sampled", point=where)
            break


def check_step(epsilon: float) -> Iterator[Evidence]:
    """The step (α/10 − (e^ε − 1)α ≥ α/20) of the proof: true for all ε up to this one, by monotony."""
    note = "the step α/10 − (e^ε − 1)α ≥ α/20; e^ε grows, so smaller ε are decided too; false at ε = 1/20"
    yield at_most("e^ε − 1", math.expm1(epsilon), 1.0 / 20.0, method="closed form", note=note)


STEP = grid(epsilon=1 / 21)
CLAIM = Claim(
    PAPER,
    "Corollary B.4",
    "appendix B",
    kind=Kind.LOWER_BOUND,
    title="Lower bound on private excess empirical risk",
    uses=("theorem-b.1", "lemma-b.3"),
    statement=r"For every $(\varepsilon,\delta)$-differentially private $M$, $\varepsilon\le\frac1{21}$, "
    r"$\delta\le\frac{\varepsilon}{1000n}$, there is $D$, $\|x_i\|_2\le1$, $y_i\in\{0,1\}$, with "
    r"$\mathbb E\big[\frac1n\sum_i|\langle M(D),x_i\rangle-y_i|-|\langle\theta^*,x_i\rangle-y_i|\big]\ge"
    r"\frac1{20}\min\{1,\frac{d}{10(e^\varepsilon-1)n}\}-2\delta$, $\theta^*\in[0,1]^d$ (constants of "
    r"the proof; the printed ones are not legible).",
    expected=CONSISTENT,
    rests_on=("song2021/theorem-b.1",),
    check=check,
    largest_resolution=0.05,  # the largest value of the bound; each point asks for its own bound
    smoke=Tier([*STEP, *grid(d=20, epsilon=0.04, load=(1.0, 4.0))], trials=200),
    ci=Tier(
        [
            *STEP,
            *grid(d=(1, 20, 100), epsilon=(1 / 21, 0.01), load=(0.2, 1.0, 8.0)),
        ],
        trials=400,
    ),
    full=Tier(
        [
            *STEP,
            *grid(d=(1, 4, 20, 100), epsilon=(1 / 21, 0.01, 0.002), load=(0.1, 1.0, 5.0, 40.0)),
        ],
        trials=2_000,
    ),
    plots=[
        Plot(
            kind="curve",
            title="Corollary B.4: excess empirical risk of each estimator",
            x="n",
            y="value",
            x_label="n",
            y_label="excess empirical risk",
            claimed="claimed",
            series="quantity",
            log_x=True,
            log_y=True,
            select={"d": 20, "epsilon": 0.01},
        )
    ],
)
