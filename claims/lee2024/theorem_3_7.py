r"""Theorem 3.7: for 2^{−o(n)} < δ < o(1/n) and ε ≤ 1, every (ε, δ)-DP algorithm has a dataset in {0, ½,
1}ᵈ on which the ℓ₁ losses ‖θ − z‖₁ have E[L(θ^priv) − L(θ*)] = Ω(min(1, √(d·log(1/δ))/(nε))·d).

The left end of the range is damaged in our copy of the text (2^{−O(n)} or 2^{−o(n)}); section 3.2 has
2^{−o(n)}. With either, n may grow while d stays, and then a mechanism with δ = 0 is better than the bound:
each coordinate of θ is chosen among 0, ½ and 1 by the exponential mechanism with ε/d. With the score Σ|θ −
z|, which moves by at most 1 where a record is replaced, it is ε-DP; and Σ gᵢe^{−λgᵢ}/(1 + Σ e^{−λgᵢ}) over
the two other levels is at most W/λ, W = 0.463 the root of w·e^w = 2/e, so that with λ = ε/(2d) the excess
risk is at most 2W·d²/(nε) on every dataset. Over the form this is 0.93·√(d/log(1/δ)), which tends to 0 for
δ = 2^{−n^{0.9}}. So no constant in Ω will do. The step that fails is the second case of G.5, n > n*: δ is
admitted for n records and used at n* of them, where k ≤ n*/6000 copies with k of order log(1/δ) need
log(1/δ) ≤ c·d.

What survives: min(log(1/δ), d) in the place of log(1/δ). For log(1/δ) > C·d it is a packing: 2^{d/2}
vertices of the cube that differ in d/10 places, d/(Cε) copies of one of them among n records half 0 and
half 1; group privacy of d/(Cε) records leaves every output that serves one vertex a probability above
2^{−d/2} on each, for δ·e^{d/C} is below that too. For smaller log(1/δ) it is the printed proof, where that
reaches (`theorem-3.7-proof`: δ ≤ n^{−1−c}). No computation confirms a bound for all algorithms; that the
algorithms at hand are above it is an illustration, which only a gross error of the instance or of a
mechanism would spoil. So the attack of the proof is run too (`:tracing`), and the rate of the best
mechanism is fitted (`:rate`).

How it is checked. (1) The printed form against the proven bound of the pure mechanism, n up to 10²⁰;
`:pure` has that bound and the privacy, exactly, from the law of the program on all small datasets and on
columns of all kinds. (2) `:corrected`: fingerprinting instances copied and padded as in the proof, δ from
10⁻⁴ to 10⁻³⁰; four private mechanisms above, the majority without privacy below. (3) `:rate`: the best
mechanism on columns whose share of ones is ½ ± m, the worst m, against n^{−1}, d^{3/2} and ε^{−1}, at one
δ. (4) `:tracing`: members and replaced records of the code; the majority is traced, the private mechanisms
are not beyond (ε, δ). The laws
of the private mechanisms are in `theorem-3.7-programs:laws`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from audits import tracing
from audits.judge import at_least, at_most
from audits.rates import family
from claims import (
    CONFIRMED,
    CONSISTENT,
    REFUTED,
    Budget,
    Claim,
    Evidence,
    Finding,
    Kind,
    Plot,
    Point,
    Side,
    Tier,
    Weight,
    constant,
    grid,
    mean_at_least,
    reported,
    sandwich,
)
from claims.lee2024 import PAPER
from implementations.lee2024 import coalitions, fingerprinting, l1_instance

CONSTANT = 1.0 / 3000.0


W = 0.46305551336554884
"""The root of w·e^w = 2/e."""


def mechanisms() -> dict[str, Any]:
    """The private mechanisms of the instance by name."""
    return {
        "noisy counts, rounded": l1_instance.noisy_median_sign,
        "noisy mean": l1_instance.noisy_mean,
        "exponential mechanism": l1_instance.exponential_mechanism,
        "pure mechanism": l1_instance.pure_levels,
    }


def form(n: float, d: int, epsilon: float, log_inverse_delta: float) -> float:
    """min(1, √(d·log(1/δ))/(nε))·d: G = C = √d."""
    return min(1.0, math.sqrt(d * log_inverse_delta) / (n * epsilon)) * d


def corrected_form(n: float, d: int, epsilon: float, delta: float) -> float:
    """`form` with min(log(1/δ), d) in the place of log(1/δ)."""
    return form(n, d, epsilon, min(math.log(1.0 / delta), float(d)))


def pure_bound(n: float, d: int, epsilon: float) -> float:
    """2W·d²/(nε): what the excess risk of the pure mechanism never exceeds."""
    return 2.0 * W * d**2 / (n * epsilon)


def check_printed(point: Point) -> Iterator[Evidence]:
    """δ = 2^{−n^power}; the form has the constant 1/3000 of the proof, and the ratio falls with n."""
    n, d, epsilon = float(point.n), point.d, point.epsilon
    claimed = CONSTANT * form(n, d, epsilon, n**point.power * math.log(2.0))
    yield at_least(
        "bound of the pure mechanism over the printed bound", pure_bound(n, d, epsilon) / claimed, 1.0
    )


def check_pure(point: Point) -> Iterator[Evidence]:
    """Privacy on all columns of few records; the excess on columns of 10⁸ records, every kind of gap."""
    d, epsilon = point.d, point.epsilon
    n = point.n
    columns = np.array([(a, h, n - a - h) for a in range(n + 1) for h in range(n + 1 - a)], dtype=float)
    law = np.log([l1_instance.pure_law(np.tile(c, (d, 1)), epsilon)[0] for c in columns])
    close = np.abs(columns[:, None] - columns).sum(axis=-1) == 2.0  # one record is replaced
    moved = np.abs(law[:, None] - law).max(axis=-1)[close].max()
    yield at_most(
        "d times the largest loss of a coordinate, over ε", float(moved) * d / epsilon, 1.0, error=1e-9
    )
    many, scale = 1e8, 2.0 * d / epsilon
    gaps = scale * np.concatenate([[0.0], np.linspace(0.2, 3.0, 29)])
    side, half = (g.ravel() for g in np.meshgrid(gaps, gaps))
    # a − b = side, and halves such that θ = ½ is worse than the best end by half/2, or better by it
    pairs = [(s, h) for s, g in zip(side, half, strict=True) for h in (s - g, s + g) if h >= 0.0]
    counts = [(0.5 * (many - h + s), h, 0.5 * (many - h - s)) for s, h in pairs]
    sums = np.array(counts) @ np.abs(l1_instance.LEVELS[:, None] - l1_instance.LEVELS)
    chosen = np.array([l1_instance.pure_law(np.tile(c, (d, 1)), epsilon)[0] for c in counts])
    excess = float((chosen * (sums - sums.min(axis=1, keepdims=True))).sum(axis=1).max())
    ratio = excess * d / many / pure_bound(many, d, epsilon)
    yield at_most("largest excess risk over 2W·d²/(nε)", ratio, 1.0, error=1e-9, point=point.axes)
    yield at_least("the same", ratio, 0.98, note="the bound is reached")


def check(point: Point) -> Iterator[Evidence]:
    rng, users, epsilon, delta = point.rng, point.users, point.epsilon, point.delta
    errors: dict[str, list[float]] = {name: [] for name in mechanisms()}
    opened = []
    n = users * point.copies + point.padding
    for _ in range(point.runs):
        code = fingerprinting.generate(users, point.security, rng)
        ones = point.copies * code.words.sum(axis=0, dtype=float) + point.padding / 2.0
        for name, mechanism in mechanisms().items():
            theta = mechanism(ones, n, 1, rng, epsilon=epsilon, delta=delta)
            errors[name].append(float(l1_instance.excess_risk_of_bits(theta, ones, n)[0]))
        opened.append(float(l1_instance.excess_risk_of_bits((2.0 * ones >= n).astype(float), ones, n)))
    d = fingerprinting.length(users, point.security)
    spread = 1e-12 * d * np.arange(point.runs)  # the open mechanism's error is 0 each time
    yield from sandwich(
        errors, CONSTANT * corrected_form(n, d, epsilon, delta), {"majority": np.asarray(opened) + spread},
        alpha=point.alpha, point=point.axes, largest_resolution=d / 10.0,
    )  # fmt: skip


def measure(point: Point) -> dict[str, Any]:
    """Errors of each mechanism where all columns have the same share ½ + m/n of ones, several m."""
    n, d, epsilon, delta = round(point.n), point.d, point.epsilon, point.delta
    scale = math.sqrt(2.0 * d * math.log(1.0 / delta)) / epsilon
    columns: dict[str, list[Any]] = {"mechanism": [], "margin": [], "trial": [], "risk": []}
    for margin in (0.1, 0.3, 0.6, 1.0):
        shift = min(n / 2.0, round(margin * scale))
        ones = np.where(np.arange(d) % 2 == 0, n / 2.0 + shift, n / 2.0 - shift)
        for name, mechanism in mechanisms().items():
            theta = mechanism(ones, n, point.trials, point.rng, epsilon=epsilon, delta=delta)
            columns["risk"] += l1_instance.excess_risk_of_bits(theta, ones, n).tolist()
            columns["mechanism"] += [name] * point.trials
            columns["margin"] += [margin] * point.trials
            columns["trial"] += range(point.trials)
    return columns


def judge(rows: Any, budget: Budget) -> Iterator[Evidence]:
    axes = ["n", "d", "epsilon"]
    worst = family.supremum(rows, [*axes, "mechanism"], "margin", "risk")
    means = worst.groupby([*axes, "mechanism"])["risk"].agg(["mean", "sem", "size"]).reset_index()
    best: Any = means.loc[means.groupby(axes)["mean"].idxmin()].rename(
        columns={"mean": "risk", "sem": "standard_error"}
    )
    yield from family.exponents(
        best, "risk", {"n": -1.0, "d": 1.5, "epsilon": -1.0}, 0.15, side=Side.LOWER, alpha=budget.share(0.5),
        equivalence_alpha=0.001, standard_error="standard_error",
    )  # fmt: skip
    power = best.assign(power=best["d"] ** 1.5 / (best["n"] * best["epsilon"]))
    shorter = power["power"] / np.log(power["n"])
    words = "the form over log n"
    yield from family.beside(power, "risk", "power", shorter, words, error="standard_error")
    delta = float(rows["delta"].iloc[0])
    ratios, errors, points = [], [], []
    for row in best.itertuples():
        claimed = corrected_form(int(row.n), int(row.d), float(row.epsilon), delta)
        ratios.append(row.risk / claimed)
        errors.append(row.standard_error / claimed)
        points.append({axis: getattr(row, axis) for axis in [*axes, "mechanism"]})
    trials = int(best["size"].min())
    yield constant(
        "best mechanism over the printed form, least", ratios, errors, trials, points=points, least=True
    )
    for point, share in zip(points, budget.split(len(points)), strict=True):
        here = np.logical_and.reduce([worst[axis] == value for axis, value in point.items()])
        values = worst.loc[here, "risk"].to_numpy()
        values = values / corrected_form(point["n"], point["d"], point["epsilon"], delta)
        yield mean_at_least(
            "best mechanism over the printed form", values, CONSTANT, alpha=share, point=point,
        )  # fmt: skip


def check_tracing(point: Point) -> Iterator[Evidence]:
    users, security, rng = point.users, point.security, point.rng
    z = fingerprinting.score_scale(users, security)

    def draw(generator: np.random.Generator) -> tracing.Target:
        code = fingerprinting.generate(users, security, generator)

        def score(output: np.ndarray, who: int) -> float:
            pirate = (output >= 0.5).astype(np.int8)
            return float(fingerprinting.scores(code, pirate)[who])

        return tracing.Target(code.words, np.zeros(code.means.size, dtype=np.int8), score)

    def open_majority(words: np.ndarray, _: np.random.Generator) -> np.ndarray:
        return coalitions.average_then_round(words)

    attacked = tracing.run_attack(draw, open_majority, point.runs, rng)
    traced = tracing.trace(*attacked, z, delta=point.delta, alpha=1e-3)
    yield at_least(
        "share of members traced, majority", traced.true_positives / traced.members, 0.9, decides=False
    )
    yield at_least(
        "lower bound of ε by tracing, majority", traced.epsilon_lower, 2.0 * point.epsilon, decides=False
    )
    yield reported("lower bound of ε by tracing, majority, at 99.9 %", traced.epsilon_lower)
    # The exponential mechanism is left out: so few records leave it near 0, and rounding gives zeros alone.
    tried = [name for name in mechanisms() if name != "exponential mechanism"]
    for name, alpha in zip(tried, point.split(len(tried)), strict=True):
        mechanism = mechanisms()[name]

        def private(
            words: np.ndarray, generator: np.random.Generator, mechanism: Any = mechanism
        ) -> np.ndarray:
            ones = words.sum(axis=0, dtype=float)
            return mechanism(ones, users, 1, generator, epsilon=point.epsilon, delta=point.delta)[0]

        hidden = tracing.run_attack(draw, private, point.runs, rng)
        # One standard deviation of an innocent score: known beforehand, and most sensitive to small ε.
        spread = math.sqrt(fingerprinting.length(users, security))
        found = tracing.trace(*hidden, spread, delta=point.delta, alpha=alpha)
        yield found.check_private(point.epsilon, point={**point.axes, "mechanism": name})


CLAIM = Claim(
    PAPER,
    "Theorem 3.7",
    "section 3.2",
    kind=Kind.LOWER_BOUND,
    title="Claimed: lower bound for approximate privacy, for every small δ",
    statement=r"""For $\varepsilon\le1$, $2^{-o(n)}<\delta<o(1/n)$: every $(\varepsilon,\delta)$-DP
algorithm has $\mathbb E[L(\theta)-L(\theta^*)]=\Omega(\min(1,\sqrt{d\log(1/\delta)}/(n\varepsilon))\,d)$ on
a dataset in $\{0,\frac12,1\}^d$, for $\ell(\theta;z)=\|\theta-z\|_1$; computed with the constant
$\frac1{3000}$ of the proof.""",
    uses={"lemma-3.5": "", "lemma-3.6": "", "lemma-g.2": "", "proposition-c.2": "as group privacy"},
    expected=REFUTED,
    check=check_printed,
    smoke=grid(n=1e12, d=100, epsilon=0.5, power=0.9),
    ci=[
        *grid(n=1e10, d=100, epsilon=0.5, power=1),
        *grid(n=(1e12, 1e16, 1e20), d=100, epsilon=(0.01, 0.5), power=0.9),
    ],
    finding=Finding(
        Weight.THEOREM,
        what=r"""Where $\log(1/\delta)$ is far above $d$, a mechanism with $\delta=0$ is better than the
bound: choosing each coordinate among $0,\frac12,1$ by the exponential mechanism with $\varepsilon/d$ has
an excess risk of at most $0.93\,d^2/(n\varepsilon)$ on every dataset, which is
$0.93\sqrt{d/\log(1/\delta)}$ times the form. At $d=100$, $\varepsilon=\frac12$, $n=10^{12}$ and
$\delta=2^{-n^{0.9}}$ it is $4.4\cdot10^{-5}$ of it, and it tends to 0 as $n$ grows. In the second case of
G.5 a $\delta$ that is admitted for $n$ records is used at $n^*<n$ of them, where $k\le n^*/6000$ copies
need $\log(1/\delta)\lesssim d$.""",
        favour=r"""Every $\delta$ in use has $\log(1/\delta)\le d$, and read for $\delta\ge2^{-cd}$ nothing
contradicts the bound: four private mechanisms (noisy counts, noisy mean, two exponential mechanisms), run on
fingerprinting codes that are copied and padded as in the proof, keep it (`:corrected`).""",
        survives=r"""The bound with $\min(\log(1/\delta),d)$ in the place of $\log(1/\delta)$, for
$\delta\le n^{-1-c}$: by a packing where $\log(1/\delta)$ is above $Cd$, by the printed proof below.""",
    ),
)
PURE = CLAIM.reading(
    "pure",
    kind=Kind.BOUND,
    title="A pure mechanism for the instance",
    statement=r"""Choosing each coordinate among $0,\frac12,1$ by the exponential mechanism with
$\varepsilon/d$ is $\varepsilon$-DP under replacement of a record, and its excess risk is at most
$2W\,d^2/(n\varepsilon)$, $We^W=2/e$, on every dataset.""",
    expected=CONFIRMED,
    check=check_pure,
    smoke=grid(n=5, d=3, epsilon=0.5),
    ci=grid(n=(1, 5, 12), d=(1, 100), epsilon=(0.01, 1.0)),
    summary=r"Pure privacy costs $0.93\,d^2/(n\varepsilon)$ on this instance.",
)
CORRECTED = CLAIM.reading(
    "corrected",
    title="Lower bound with min(log(1/δ), d)",
    statement=r"""For $\varepsilon\le1$, $\delta\le n^{-1-c}$: every $(\varepsilon,\delta)$-DP algorithm has
$\mathbb E[L(\theta)-L(\theta^*)]\ge\frac1{3000}\min(1,\sqrt{d\min(\log(1/\delta),d)}/(n\varepsilon))\,d$ on a
dataset of bits.""",
    expected=CONSISTENT,
    check=check,
    smoke=grid(users=4, copies=3, padding=0, security=0.1, epsilon=0.5, delta=1e-4, runs=20),
    ci=[
        *grid(
            users=4,
            copies=(1, 100),
            padding=(0, 8000),
            security=0.1,
            epsilon=0.2,
            delta=(1e-4, 1e-30),
            runs=24,
        ),
        *grid(users=8, copies=10, padding=0, security=0.1, epsilon=1.0, delta=1e-4, runs=24),
    ],
    largest_resolution=2e4,
    summary=r"With $\min(\log(1/\delta),d)$ in the place of $\log(1/\delta)$, and $\delta\le n^{-1-c}$.",
)
RATE = CORRECTED.reading(
    "rate",
    kind=Kind.RATE,
    title="Rate of the best implemented mechanism",
    statement=r"""On columns with shares $\frac12\pm m/n$ of ones, the worst $m$, the best
implemented mechanism has an
excess risk of order $d^{3/2}/(n\varepsilon)$, not better.""",
    fits_exponents=True,
    measure=measure,
    judge=judge,
    smoke=Tier(grid(n=(4000, 16_000), d=(4, 16), epsilon=(0.5, 1.0), delta=1e-5), trials=150),
    ci=Tier(grid(n=(1e4, 8e4, 64e4), d=(4, 32, 256), epsilon=(0.25, 0.5, 1.0), delta=1e-5), trials=150),
    largest_resolution=0.6,
    plots=[
        Plot(
            kind="loglog", title="Excess risk of private mechanisms", x="n", y="risk", x_label="records n",
            y_label="excess risk", series="mechanism", select={"d": 32, "epsilon": 1.0, "margin": 0.6},
        )
    ],
)  # fmt: skip
TRACING = CORRECTED.reading(
    "tracing",
    kind=Kind.EXPERIMENT,
    title="The tracing attack",
    statement=r"""The attack of the proof traces a member of the accurate majority, and the private mechanisms
no more often than $(\varepsilon,\delta)$ allows, at the threshold $Z$ for the majority and at $\sqrt d$ for
the noisy counts and the noisy mean; the exponential mechanism, near 0 with so few records, is left out.""",
    check=check_tracing,
    smoke=grid(users=3, security=0.2, epsilon=0.5, delta=1e-4, runs=120),
    ci=grid(users=4, security=0.2, epsilon=0.5, delta=1e-4, runs=250),
    largest_resolution=2.5,
)
CLAIMS = [PURE, CORRECTED, RATE, TRACING]
