r"""Theorem 3.7: for 2^{−o(n)} < δ < o(1/n) and ε ≤ 1, every (ε, δ)-DP algorithm has a dataset in {0, ½,
1}ᵈ on which the ℓ₁ losses ‖θ − z‖₁ have E[L(θ^priv) − L(θ*)] = Ω(min(1, √(d·log(1/δ))/(nε))·d).

The proof does not reach all of that range (`theorem-3.7-proof`): it needs δ ≤ n^{−1−c}. Its constant is
1/3000 where n ≤ n*; the printed Ω is read with that constant here. No computation confirms a bound for all
algorithms: that the algorithms at hand are above it, by a factor of hundreds, is an illustration, which only
a gross error of the instance or of a mechanism would spoil. So the attack of the proof is run too
(`:tracing`), and the rate of the best mechanism is fitted (`:rate`).

How it is checked. (1) `sandwich`: the fingerprinting instance copied and padded as in the proof; three
private mechanisms, the majority without privacy below. (2) `:rate`: the best mechanism on columns whose
share of ones is ½ ± m, the worst m, against n^{−1} and d^{3/2}; privacy is by the Gaussian mechanism's
exact parameter. (3) `:tracing`: members and replaced records of the code; the majority is traced, the
private mechanisms are not beyond (ε, δ). (4) `:accuracy`: the completeness that the proof takes from Lemma
G.2, on mechanisms from private to exact, each output with its error and with whom it is traced to."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from audits import tracing
from audits.bounds import clopper_pearson
from audits.judge import at_least, at_most
from audits.rates import family
from claims import (
    CONSISTENT,
    Budget,
    Claim,
    Evidence,
    Kind,
    Plot,
    Point,
    Side,
    Tier,
    audit_privacy,
    constant,
    grid,
    mean_at_least,
    mean_at_most,
    reported,
    sandwich,
)
from claims.lee2024 import PAPER
from implementations.lee2024 import coalitions, fingerprinting, l1_instance

CONSTANT = 1.0 / 3000.0


def mechanisms() -> dict[str, Any]:
    """The private mechanisms of the instance by name."""
    return {
        "noisy counts, rounded": l1_instance.noisy_median_sign,
        "noisy mean": l1_instance.noisy_mean,
        "exponential mechanism": l1_instance.exponential_mechanism,
    }


def form(n: int, d: int, epsilon: float, delta: float) -> float:
    """min(1, √(d·log(1/δ))/(nε))·d: G = C = √d."""
    return min(1.0, math.sqrt(d * math.log(1.0 / delta)) / (n * epsilon)) * d


def check(point: Point) -> Iterator[Evidence]:
    rng, users, epsilon, delta = point.rng, point.users, point.epsilon, point.delta
    errors: dict[str, list[float]] = {name: [] for name in mechanisms()}
    opened = []
    n = 0
    for _ in range(point.runs):
        code = fingerprinting.generate(users, point.security, rng)
        n = users * point.copies + (point.copies > 1)
        data = l1_instance.copy_and_append(code.words.astype(float), n, point.copies)
        ones = data.sum(axis=0)
        for name, mechanism in mechanisms().items():
            theta = mechanism(ones, n, 1, rng, epsilon=epsilon, delta=delta)
            errors[name].append(float(l1_instance.excess_risk_of_bits(theta, ones, n)[0]))
        opened.append(float(l1_instance.excess_risk_of_bits(l1_instance.minimiser(data), ones, n)))
    d = fingerprinting.length(users, point.security)
    spread = 1e-12 * d * np.arange(point.runs)  # the open mechanism's error is 0 each time
    yield from sandwich(
        errors, CONSTANT * form(n, d, epsilon, delta), {"majority": np.asarray(opened) + spread},
        alpha=point.alpha, point=point.axes, largest_resolution=d / 10.0,
    )  # fmt: skip


def measure(point: Point) -> dict[str, Any]:
    """Errors of each mechanism where all columns have the same share ½ + m/n of ones, several m."""
    n, d, epsilon, delta = point.n, point.d, point.epsilon, point.delta
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
    axes = ["n", "d"]
    worst = family.supremum(rows, [*axes, "mechanism"], "margin", "risk")
    means = worst.groupby([*axes, "mechanism"])["risk"].agg(["mean", "sem", "size"]).reset_index()
    best: Any = means.loc[means.groupby(axes)["mean"].idxmin()].rename(
        columns={"mean": "risk", "sem": "standard_error"}
    )
    yield from family.exponents(
        best, "risk", {"n": -1.0, "d": 1.5}, 0.15, side=Side.LOWER, alpha=budget.share(0.5),
        equivalence_alpha=0.001, standard_error="standard_error",
    )  # fmt: skip
    epsilon, delta = float(rows["epsilon"].iloc[0]), float(rows["delta"].iloc[0])
    ratios, errors, points = [], [], []
    for row in best.itertuples():
        claimed = form(int(row.n), int(row.d), epsilon, delta)
        ratios.append(row.risk / claimed)
        errors.append(row.standard_error / claimed)
        points.append({"n": int(row.n), "d": int(row.d), "mechanism": row.mechanism})
    trials = int(best["size"].min())
    yield constant(
        "best mechanism over the printed form, least", ratios, errors, trials, points=points, least=True
    )
    for point, share in zip(points, budget.split(len(points)), strict=True):
        found = worst[(worst["n"] == point["n"]) & (worst["d"] == point["d"])]
        values = found.loc[found["mechanism"] == point["mechanism"], "risk"].to_numpy()
        values = values / form(point["n"], point["d"], epsilon, delta)
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
    traced = attacked.audit(z, delta=point.delta, alpha=1e-3)
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
        found = hidden.audit(spread, delta=point.delta, alpha=alpha)
        yield found.check_private(point.epsilon, point={**point.axes, "mechanism": name})


LOSSES = (0.5, 2.0, 8.0, 20.0, 50.0, 120.0, 300.0, 1000.0)
"""Privacy parameters from private to hardly private, so that accuracy and tracing go from one end to the
other."""


def measure_accuracy(point: Point) -> dict[str, Any]:
    """For one mechanism at each ε: its error over d, who is traced, and what a replaced user is traced by."""
    users, security, runs, rng = point.users, point.security, point.runs, point.rng
    d, z = fingerprinting.length(users, security), fingerprinting.score_scale(users, security)
    names = ("epsilon", "error", "traced", "low", "high", "replaced", "accurate", "missed")
    columns: dict[str, list[float]] = {name: [] for name in names}
    for epsilon in (*LOSSES, math.inf):
        errors, traced, missed, innocent = np.empty(runs), np.empty(runs), np.empty(runs), np.empty(runs)
        for run in range(runs):
            code = fingerprinting.generate(users, security, rng)
            found = _output(point.mechanism, code.words, epsilon, point.delta, rng)
            ones = code.words.sum(axis=0, dtype=float)
            errors[run] = float(l1_instance.excess_risk_of_bits(found, ones, users)) / d
            values = fingerprinting.scores(code, (found >= 0.5).astype(np.int8))
            traced[run] = bool((values > z).any())
            missed[run] = errors[run] <= 1.0 / 150.0 and not traced[run]
            words = code.words.copy()
            words[0] = 0  # the user is replaced by a record that was fixed before
            without = _output(point.mechanism, words, epsilon, point.delta, rng)
            innocent[run] = fingerprinting.scores(code, (without >= 0.5).astype(np.int8))[0] > z
        low, high = clopper_pearson(int(traced.sum()), runs, 0.05)
        values = (epsilon, errors.mean(), traced.mean(), low, high, innocent.mean(),
                  (errors <= 1.0 / 150.0).mean(), missed.mean())  # fmt: skip
        for name, value in zip(names, values, strict=True):
            columns[name].append(float(value))
    return columns


def _output(name: str, words: np.ndarray, epsilon: float, delta: float, rng: np.random.Generator) -> Any:
    """One output (d,) of a mechanism on the words of all users; of the majority where ε is infinite."""
    if math.isinf(epsilon):
        return coalitions.average_then_round(words).astype(float)
    ones = words.sum(axis=0, dtype=float)
    return mechanisms()[name](ones, len(words), 1, rng, epsilon=epsilon, delta=delta)[0]


def judge_accuracy(rows: Any, budget: Budget) -> Iterator[Evidence]:
    """Accurate outputs that are traced to nobody, and replaced users that are traced, at most `security`."""
    records = rows.to_dict("records")
    for row, alpha in zip(records, budget.split(len(records)), strict=True):
        runs, security = int(row["runs"]), float(row["security"])
        place = {"mechanism": row["mechanism"], "epsilon": row["epsilon"]}
        if math.isinf(row["epsilon"]):
            place["epsilon"] = "none"
        for quantity, share in (
            ("share of runs: error below d/150, and nobody traced", row["missed"]),
            ("share of runs: a replaced user traced", row["replaced"]),
        ):
            hits = np.arange(runs) < round(share * runs)
            yield mean_at_most(
                quantity, hits.astype(float), security, alpha=alpha / 2.0, method="clopper-pearson",
                point=place,
            )  # fmt: skip
    best = min(records, key=lambda row: row["error"])
    yield at_least("share of runs with an error below d/150, most accurate", best["accurate"], 1.0)
    yield at_least("share of runs traced, most accurate", best["traced"], 1.0)
    worst = max(records, key=lambda row: row["error"])
    note = "so that the figure reaches both ends"
    yield at_most("share of runs traced, least accurate", worst["traced"], 0.2, note=note)


def check_private(point: Point) -> Iterator[Evidence]:
    """Two pairs: all coordinates move up, told by their sum; half of them move down, told by the contrast,
    which noise that the coordinates share would leave bare."""
    n, d = point.n, point.d
    low = np.zeros((n, d))
    low[: n // 2] = 1.0
    up, mixed = low.copy(), low.copy()
    up[-1] = 1.0  # one record of zeros becomes a record of ones …
    mixed[-1, ::2] = 1.0  # … or, from zeros and ones in turn, its opposite
    opposite = low.copy()
    opposite[-1, 1::2] = 1.0
    contrast = np.where(np.arange(d) % 2 == 0, 1.0, -1.0)
    tried = {"sum": (low, up, np.ones(d)), "contrast": (opposite, mixed, contrast)}
    levels = iter(point.split(len(mechanisms()) * len(tried)))
    for name, mechanism in mechanisms().items():

        def run(
            data: np.ndarray, size: int, rng: np.random.Generator, mechanism: Any = mechanism
        ) -> np.ndarray:
            return mechanism(data.sum(axis=0), n, size, rng, epsilon=point.epsilon, delta=point.delta)

        for score, (first, second, weights) in tried.items():
            result = audit_privacy(
                run, [(first, second)], epsilon=point.epsilon, delta=point.delta, adjacency=PAPER.adjacency,
                alpha=next(levels), rng=point.rng, max_samples=point.samples,
                score=lambda x, weights=weights: x @ weights,
            )  # fmt: skip
            yield result.evidence(f"{name}, told by the {score}")


_STATEMENT = r"""For $\varepsilon\le1$, $2^{-o(n)}<\delta<o(1/n)$: every $(\varepsilon,\delta)$-DP
algorithm has $\mathbb
E[L(\theta)-L(\theta^*)]\ge\frac1{3000}\min(1,\sqrt{d\log(1/\delta)}/(n\varepsilon))\,d$ on a dataset of
bits, for $\ell(\theta;z)=\|\theta-z\|_1$ (printed with $\Omega$)."""
CLAIM = Claim(
    PAPER,
    "Theorem 3.7",
    "section 3.2",
    kind=Kind.LOWER_BOUND,
    title="Lower bound for approximate privacy",
    statement=_STATEMENT,
    expected=CONSISTENT,
    check=check,
    smoke=grid(users=4, copies=3, security=0.1, epsilon=0.5, delta=1e-4, runs=20),
    ci=grid(users=(4, 8), copies=(1, 10), security=0.1, epsilon=(0.1, 1.0), delta=1e-4, runs=24),
    largest_resolution=2e4,
    summary=r"Not contradicted; the proof reaches $\delta\le n^{-1-c}$, not all of $\delta=o(1/n)$.",
)
RATE = CLAIM.reading(
    "rate",
    kind=Kind.RATE,
    title="Rate of the best implemented mechanism",
    statement=r"""On columns with shares $\frac12\pm m/n$ of ones, the worst $m$, the best
implemented mechanism has an
excess risk of order $d^{3/2}/n$, not better.""",
    fits_exponents=True,
    measure=measure,
    judge=judge,
    smoke=Tier(grid(n=(4000, 16_000), d=(4, 16), epsilon=0.5, delta=1e-5), trials=60),
    ci=Tier(
        grid(n=(10_000, 40_000, 160_000, 640_000), d=(4, 16, 64, 256), epsilon=0.5, delta=1e-5), trials=150
    ),
    largest_resolution=0.6,
    plots=[
        Plot(
            kind="loglog", title="Excess risk of private mechanisms", x="n", y="risk", x_label="records n",
            y_label="excess risk", series="mechanism", select={"d": 64, "margin": 0.6},
        )
    ],
)  # fmt: skip
TRACING = CLAIM.reading(
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
PRIVATE = CLAIM.reading(
    "private",
    kind=Kind.PRIVACY,
    title="The mechanisms of the sandwich are private",
    statement=r"""The three mechanisms that are held against the bound are
$(\varepsilon,\delta)$-DP under replacement of a
record of bits.""",
    check=check_private,
    smoke=grid(n=20, d=4, epsilon=0.4, delta=0.01, samples=40_000),
    ci=grid(n=20, d=9, epsilon=0.4, delta=0.01, samples=80_000),
    largest_resolution=1.0,
)
ACCURACY = CLAIM.reading(
    "accuracy",
    kind=Kind.EXPERIMENT,
    title="Tracing against accuracy",
    statement=r"""Where the excess risk is at most $d/150$ somebody is traced, but with probability at most
$\xi$, and a replaced user is traced with probability at most $\xi$, for mechanisms from private to exact.""",
    measure=measure_accuracy,
    judge=judge_accuracy,
    smoke=grid(users=4, security=0.1, delta=1e-4, runs=120, mechanism=("noisy counts, rounded",)),
    ci=grid(
        users=6, security=0.05, delta=1e-4, runs=250, mechanism=("noisy counts, rounded", "noisy mean")
    ),
    largest_resolution=0.3,
    plots=[
        Plot(
            kind="curve", title="Tracing against accuracy", x="error", y="traced",
            x_label="excess risk over d",
            y_label="share of runs that trace somebody", low="low", high="high", series="mechanism",
        )
    ],
)  # fmt: skip
CLAIMS = [RATE, TRACING, PRIVATE, ACCURACY]
