r"""Experiment, privacy: is the training of section 6 (5.0, 1e-5)-private?

DP-SGD (Song et al. 2021, section 6 and appendix E) on 59,535 records with batches of 250,
iterating over the data for 10 epochs, has ε ≈ 5.0 at δ = 1e-5 when the Gaussian noise has σ = 0.63, and when
the Gamma-norm noise has scale 0.57. The noise is in units of one record's largest gradient: it is added to
the sum of a batch, before the division by 250 (with noise on the average, σ = 0.63 would be 250 times that
and ε ≈ 0). ε ≈ 5.0 is read as ε ≤ 5.05.

An ε means nothing without an adjacency, a way of sampling and an accountant. The paper's adjacency is
replacement of a record (Definition 2.5). Its text has batches of 250 and passes over the data; its argument
for the Gamma noise assumes that each record enters a batch independently with probability q = 250/59,535.
Both are checked. `section-6-privacy` is the paper's argument with the paper's adjacency: Poisson sampling, a
record replaced; `:poisson-add-remove` is the adjacency of the accountants; `:fixed-batches` takes the batch
size to the letter, for those who repeat the experiment so. Throughout, an ε is for the sequence of noisy
gradients, as composition has it; the experiment outputs the last model only, for which lower bounds on the
sequence prove nothing.

Batches of exactly 250, a record replaced (`:fixed-batches`). All other gradients are +1 and that of the
record is +1 or −1: the sum of a batch is always 250, or it is 248 where the record takes part, so the shift
is 2, not 1. However the batches are formed, 5.05 falls:
* drawn without replacement at every step: the subsampled Gaussian of sensitivity 2 has ε ≥ 48.7;
* a new random order in every epoch: ε ≥ 30, from the number of epochs in which some batch's sum is small;
* a random order drawn once: ε ≥ 85, from the largest of the batches' totals over the epochs;
* the order of the file: one Gaussian release with μ = 2√10/σ: ε = 92.4, exactly.
That Poisson sampling with a record added or removed and batches of fixed size with a record replaced differ
this much is the pitfall described by Lebeda, Regehr, Kamath and Steinke (2024).

Poisson sampling, a record added or removed: the Rényi accountant of Mironov, Talwar and Zhang with the
conversion of Canonne, Kamath and Steinke gives 5.00 for the Gaussian, which is the printed number; with
Mironov's conversion 5.81. The exact composition (privacy-loss distribution) is 4.14. For the Gamma noise the
printed argument, ε₀ = 1/0.57, log(1 + q(e^{ε₀} − 1)) per step, αε²/2, gives 5.12 with Mironov's conversion
and 4.56 with the other; exact composition of the worst ε₀-DP step gives 1.62. So the statement is true
(`:poisson-add-remove`).

The two noises are not at one ε (`section-6-comparison`). Figure 2 compares them at "ε ≈ 5.0". (Gaussian,
Gamma) is (5.81, 5.12) with Mironov's conversion, the only one that the paper cites, (5.00, 4.56) with the
other, and exactly 4.14 against at most 1.62; with a record replaced at least 4.78 against at most 2.55. No
accountant gives 5.0 to both, and the Gamma noise has more privacy: at the ε of the Gaussian noise its scale
could be smaller. Learning rates were chosen on the test set, and the training runs of that search are not
part of the ε. What survives. That the accuracy with Gamma noise falls with the dimension is not touched.

Poisson sampling, a record replaced (`section-6-privacy`): true.
* Gaussian. Given the rest of the batch, a step is P = (1 − q)N(0) + qN(g) against Q = (1 − q)N(0) + qN(g′),
  ‖g‖, ‖g′‖ ≤ 1 (mixing over the rest only lowers hockey sticks). The worst pair is g = −g′, ‖g‖ = 1: for
  α ≥ 1, H_α = ∫(A − a − B)₊φ₀ with A = qφ_g/φ₀, a = (α − 1)(1 − q), B = αqφ_{g′}/φ₀, and A ≥ B where the
  integrand is positive. With n the outer normal of that set, along Bg′ − Ag, ∂H/∂g′ = αq∮φ_{g′}n and
  ∂H/∂g = −q∮φ_g n, so H grows when g′ turns away from g at the same length (v ⊥ g′, v·g ≤ 0 gives
  v·(Bg′ − Ag) ≥ 0), and, once they are opposite, when either is lengthened. α < 1 is the other direction of
  a pair of the same family. The pair dominates in every step, so its composition bounds ε: it lies
  between 4.78 and 4.90.
* Gamma. Densities f₀, f₁, f₂ of a step without the record, with it, with the other are within factors
  e^{±ε₀} of f₀. As f₂ ≥ e^{−ε₀}f₀, H_α(P‖Q) ≤ (qe^{ε₀} − (α − 1)(1 − q) − αqe^{−ε₀})₊/(1 + e^{ε₀}) for α ≥ 1:
  a pair of laws on three points has this profile, and its composition gives at most 2.55.

Features. They are normalised by their least and largest value in the training set (appendix E): one replaced
record can move the maximum of a feature, and with it that feature in all other records, so that the ε of the
training says nothing of the data before the scaling, unless the range of each feature is public.

How it is checked. Closed forms, and privacy-loss distributions on grids whose rounding is one-sided, so that
each number is a bound in a known direction; no samples.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from audits.evidence import Evidence, Verdict
from audits.judge import at_most, reported
from claims import CONFIRMED, INCONCLUSIVE, REFUTED, Budget, Claim, Finding, Kind, Plot, Point, Weight, grid
from claims.song2021 import PAPER, _renyi
from implementations.song2021 import minibatch_sgd

if TYPE_CHECKING:
    import pandas as pd

    from audits.accounting import Atoms

RECORDS, DELTA, ROUNDED = 59_535, 1e-5, 5.05
ACCOUNTANTS: dict[str, tuple[str, str, str]] = {
    "gaussian-rdp-classic": ("Gaussian", "Poisson", "add/remove"),
    "gaussian-rdp-improved": ("Gaussian", "Poisson", "add/remove"),
    "gaussian-pld": ("Gaussian", "Poisson", "add/remove"),
    "gamma-rdp-classic": ("Gamma", "Poisson", "add/remove"),
    "gamma-rdp-improved": ("Gamma", "Poisson", "add/remove"),
    "gamma-pld": ("Gamma", "Poisson", "add/remove"),
    "gaussian-replacement": ("Gaussian", "Poisson", "replacement"),
    "gamma-replacement": ("Gamma", "Poisson", "replacement"),
    "without-replacement": ("Gaussian", "without replacement", "replacement"),
    "shuffled-replacement": ("Gaussian", "shuffled epochs", "replacement"),
    "drawn-once": ("Gaussian", "order drawn once", "replacement"),
    "fixed-replacement": ("Gaussian", "fixed order", "replacement"),
}
"""Name → noise, sampling, adjacency."""
NOTES = {
    "fixed-replacement": "10 passes in the order of the file; one release with μ = 2√10/σ",
    "without-replacement": "all other gradients +1; above it the general Rényi bound",
    "shuffled-replacement": "lower bound from how many epochs have a small batch sum, all other gradients +1",
    "drawn-once": "lower bound from the largest total of a batch, all other gradients +1",
}
LOWER_ONLY = ("without-replacement", "shuffled-replacement", "drawn-once")
FIXED_SIZE = ("without-replacement", "shuffled-replacement", "drawn-once", "fixed-replacement")
"""LOWER_ONLY: the upper bound is missing or says nothing; the lower one is the estimate. FIXED_SIZE: batches
of exactly 250, a record replaced.
"""


def gaussian_pair(sigma: float, cells: int = 200_000) -> Atoms:
    """A Gaussian step with the record against one without it, as atoms: N(1, σ²) and N(0, σ²)."""
    from audits.accounting import discretise
    from audits.laws import Gaussian

    edges = np.linspace(-14.0 * sigma, 14.0 * sigma + 1.0, cells)
    return discretise(Gaussian(1.0, sigma), Gaussian(0.0, sigma), edges)


def replacement_pair(sigma: float, q: float, cells: int = 200_000) -> Atoms:
    """(1 − q)N(0, σ²) + qN(±1, σ²): Poisson sampling, gradient +1 replaced by −1, other gradients 0.

    The first and the last atom are the tails beyond 14σ.
    """
    from audits.accounting import discretise
    from audits.laws import Gaussian, Mixture

    first, second = (
        Mixture((1.0 - q, q), (Gaussian(0.0, sigma), Gaussian(mean, sigma))) for mean in (1.0, -1.0)
    )
    return discretise(first, second, np.linspace(-14.0 * sigma - 1.0, 14.0 * sigma + 1.0, cells))


def dominating_replacement_pair(sigma: float, q: float, cells: int = 20_000) -> Atoms:
    """As `replacement_pair`, but never less distinguishable: an upper bound.

    The likelihood ratio grows with x. The mass of a cell is split over two atoms with the ratios of its two
    ends so that both laws keep their mass: the hockey-stick curve is interpolated linearly in e^ε, and it is
    convex ("connect the dots", Doroshenko et al. 2022). The tails of P count as infinite loss.
    """
    from audits.accounting import Atoms

    x = np.linspace(-14.0 * sigma - 1.0, 14.0 * sigma + 1.0, cells)
    sorted_ = replacement_pair(sigma, q, cells)
    p, other = sorted_.p[1:-1], sorted_.q[1:-1]

    def part(sign: float) -> Any:
        return np.logaddexp(math.log1p(-q), math.log(q) + (sign * x - 0.5) / sigma**2)

    below, above = np.exp(part(-1.0) - part(1.0))[:-1], np.exp(part(-1.0) - part(1.0))[1:]  # Q/P at the ends
    upper = np.clip((below * p - other) / (below - above), 0.0, p)
    tail = max(0.0, 1.0 - float(p.sum()))
    finite_p, ratio = np.concatenate([p - upper, upper]), np.concatenate([below, above])
    return Atoms(np.append(finite_p, tail), np.append(finite_p * ratio, 0.0))


def three_points(epsilon: float, q: float) -> Atoms:
    """The pair that dominates a Poisson-sampled ε-DP step, a record replaced: see the docstring above."""
    from audits.accounting import Atoms

    high = (1.0 + q * math.expm1(epsilon)) / (1.0 + math.exp(epsilon))
    low = (1.0 + q * math.expm1(-epsilon)) / (1.0 + math.exp(epsilon))
    rest = 1.0 - high - low
    return Atoms(np.array([high, low, rest]), np.array([low, high, rest]))


def drawn_once(sigma: float, epochs: int, batches: int, share: float) -> float:
    """Lower bound of ε for an order drawn once: the event that some batch's total is far from its mean.

    Over `epochs` passes the totals are, in units of their deviation, independent N(0, 1), or one of them has
    mean μ = 2√epochs/σ. P(max ≥ t) ≥ share·Φ(μ − t), Q(max ≥ t) ≤ batches·Φ(−t); share is the probability
    that the record lies in a full batch.
    """
    from scipy.special import log_ndtr, ndtr

    mu = 2.0 * math.sqrt(epochs) / sigma
    t = np.linspace(mu, mu + 4.0, 401)
    gain = share * ndtr(mu - t) - DELTA
    kept = gain > 0.0
    return float((np.log(gain[kept]) - log_ndtr(-t[kept]) - math.log(batches)).max())


def shuffled_replacement(sigma: float, epochs: int, batches: int, share: float) -> float:
    """Lower bound of ε for a new order in each epoch: in k or more epochs some batch has a small sum.

    All other gradients are +1, that of the record is +1 or −1: the sums of full batches are N(250, σ²), or
    one of them, in an epoch that has the record in a full batch (probability `share`), has mean 248. Epochs
    are independent, so that the number of epochs with a sum below 250 − tσ is binomial; the best of a grid
    of t and all k is taken.
    """
    from scipy.special import bdtrc, log_ndtr, ndtr

    t = np.linspace(3.0, 9.0, 241)[:, None]
    k = np.arange(1, epochs + 1)[None, :]
    without = -np.expm1(batches * log_ndtr(t))
    with_it = -np.expm1((batches - 1) * log_ndtr(t) + np.log(ndtr(t - 2.0 / sigma)))
    p = bdtrc(k - 1, epochs, share * with_it + (1.0 - share) * without)
    q = bdtrc(k - 1, epochs, without)
    kept = p > DELTA
    return float((np.log(p[kept] - DELTA) - np.log(q[kept])).max())


def randomised_pair(epsilon: float) -> Atoms:
    """The worst ε-DP step: randomised response with odds e^ε (Kairouz, Oh and Viswanath 2015)."""
    from audits.accounting import Atoms

    odds = np.array([math.exp(epsilon), 1.0]) / (1.0 + math.exp(epsilon))
    return Atoms(odds, odds[::-1].copy())


def accounted(name: str, epochs: int, step: float) -> tuple[float, float]:
    """(lower, upper) bound of ε at δ = 1e-5; −inf or inf where the accountant gives only the other."""
    from audits import accounting as acc
    from implementations.privacy import amplified_epsilon, gaussian_epsilon

    batch = minibatch_sgd.BATCH
    sigma, q = minibatch_sgd.GAUSSIAN_SCALE, batch / RECORDS
    steps = minibatch_sgd.steps_of(RECORDS, batch, epochs)
    noise_epsilon = 1.0 / minibatch_sgd.GAMMA_SCALE

    def worst(pair: Atoms, times: int, pessimistic: bool, spacing: float) -> float:
        return max(
            acc.epsilon_at(acc.compose_all([(p, times)], step=spacing, pessimistic=pessimistic), DELTA)
            for p in (pair, acc.reverse(pair))
        )

    kind, _, rest = name.partition("-")
    if kind in ("gaussian", "gamma") and rest.startswith("rdp"):
        if kind == "gaussian":
            per_step = acc.poisson_gaussian_rdp(q, sigma, _renyi.ORDERS)
        else:  # α·ε²/2 of an ε-DP step (Bun and Steinke 2016, Proposition 3.3)
            per_step = np.array(_renyi.ORDERS) * amplified_epsilon(noise_epsilon, q) ** 2 / 2.0
        return -math.inf, _renyi.rdp_epsilon(_renyi.ORDERS, steps * per_step, DELTA, conversion=rest[4:])
    if rest == "pld":
        pair = gaussian_pair(sigma) if kind == "gaussian" else randomised_pair(noise_epsilon)
        pair = acc.subsampled(pair, q)
        low = worst(pair, steps, False, step) if kind == "gaussian" else -math.inf
        return low, worst(pair, steps, True, 10.0 * step)
    if name == "gaussian-replacement":
        return (
            worst(replacement_pair(sigma, q), steps, False, step),
            worst(dominating_replacement_pair(sigma, q), steps, True, step),
        )
    if name == "gamma-replacement":
        return -math.inf, worst(three_points(noise_epsilon, q), steps, True, step)
    if name == "without-replacement":
        orders = range(2, 65)
        upper = _renyi.rdp_epsilon(
            list(orders),
            steps * _renyi.without_replacement_rdp(q, sigma, list(orders)),
            DELTA,
            conversion="improved",
        )
        pair = acc.subsampled(gaussian_pair(sigma / 2.0), q)
        return worst(pair, steps, False, step), upper
    full = RECORDS // batch
    share = full * batch / RECORDS  # the last batch of a pass is smaller, and left out of the statistics
    if name == "shuffled-replacement":
        return shuffled_replacement(sigma, epochs, full, share), math.inf
    if name == "drawn-once":
        return drawn_once(sigma, epochs, full, share), math.inf
    exact = float(gaussian_epsilon(DELTA, 2.0 * math.sqrt(epochs) / sigma))
    return exact, exact


def measure(point: Point) -> dict[str, Any]:
    """One row: bounds of ε for one accountant and number of epochs."""
    low, high = accounted(point.accountant, point.epochs, point.step)
    return {"low": low, "high": high, "ε": low if point.accountant in LOWER_ONLY else high}


def bounds_evidence(row: Any, verdict: Verdict | None) -> Evidence:
    """What one accountant says, as an interval."""
    noise, sampling, adjacency = ACCOUNTANTS[row["accountant"]]
    return Evidence(
        quantity=f"ε at δ = 1e-05: {noise} noise, {sampling}, {adjacency}", estimate=row["ε"],
        low=row["low"], high=row["high"], confidence=1.0,
        method="exact" if row["low"] == row["high"] else row["accountant"], claimed=ROUNDED,
        point={"accountant": row["accountant"], "epochs": row["epochs"]}, verdict=verdict,
        note=NOTES.get(row["accountant"], ""),
    )  # fmt: skip


def whole_training(rows: pd.DataFrame) -> list[dict[str, Any]]:
    kept = rows[rows["epochs"] == minibatch_sgd.EPOCHS].to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in kept]


def judge_fixed_size(rows: pd.DataFrame, budget: Budget) -> Iterator[Evidence]:
    """The way of forming batches of 250 that is kindest to the statement decides; all are reported."""
    found = whole_training(rows)
    kindest = min((row for row in found if row["accountant"] in FIXED_SIZE), key=lambda row: row["low"])
    for row in found:
        verdict = REFUTED if row["low"] > ROUNDED else INCONCLUSIVE
        yield bounds_evidence(row, verdict if row is kindest else None)


def judge_poisson(rows: pd.DataFrame, budget: Budget) -> Iterator[Evidence]:
    """One valid accountant that stays within 5.05 confirms, for each noise; a lower bound above it refutes.

    The upper number of "gaussian-pld" rests on outcomes sorted into cells, which it counts as exact: it
    agrees with dp-accounting to 1e-3 (tests), but only the lower one may decide.
    """
    found = whole_training(rows)
    for noise in ("Gaussian", "Gamma"):
        group = [row for row in found if ACCOUNTANTS[row["accountant"]][0] == noise]
        valid = [row for row in group if row["accountant"] != "gaussian-pld"]
        best = min(valid, key=lambda row: row["high"])
        for row in group:
            verdict = CONFIRMED if row["high"] <= ROUNDED else INCONCLUSIVE
            verdict = verdict if row is best else None
            yield bounds_evidence(row, REFUTED if row["low"] > ROUNDED else verdict)
        least = min(row["high"] for row in group)
        yield reported(f"least accounted ε, {noise} noise", least, note="printed as ε ≈ 5.0")


def judge_comparison(rows: pd.DataFrame, budget: Budget) -> Iterator[Evidence]:
    """How far the ε of the noises are apart, by accountant; the one that brings them nearest decides."""
    bounds = {row["accountant"]: row for row in whole_training(rows)}
    checks: list[Evidence] = []
    for kind, words in CONVERSIONS.items():
        gaussian, gamma = (bounds[f"{noise}-{kind}"] for noise in ("gaussian", "gamma"))
        # An accountant gives its upper numbers; the exact composition bounds the difference from below.
        least = gaussian["low" if kind == "pld" else "high"] - gamma["high"]
        note = f"Gaussian {gaussian['low' if kind == 'pld' else 'high']:.2f}, Gamma {gamma['high']:.2f}"
        checks.append(
            at_most(f"ε of the Gaussian noise less that of the Gamma noise, {words}", least, 0.1, note=note)
        )
    kindest = min(checks, key=lambda e: e.estimate)
    yield from (e if e is kindest else replace(e, verdict=None) for e in checks)


CONVERSIONS = {
    "rdp-classic": "Rényi accountant, Mironov's conversion",
    "rdp-improved": "Rényi accountant, improved conversion",
    "pld": "exact composition",
}
COMPARED = tuple(f"{noise}-{kind}" for kind in CONVERSIONS for noise in ("gaussian", "gamma"))
POISSON = [n for n, (_, sampling, adj) in ACCOUNTANTS.items() if (sampling, adj) == ("Poisson", "add/remove")]
REPLACED = ("gaussian-replacement", "gamma-replacement")
FIXED = ("fixed-replacement", "drawn-once")
OTHERS = ("without-replacement", "shuffled-replacement")
EPOCHS = (1, 2, 5, 10)
CLAIM = Claim(
    PAPER,
    "Experiment",
    "section 6, appendix E",
    name="section-6-privacy",
    kind=Kind.PRIVACY,
    title="ε of the experiment under Poisson sampling, one record replaced",
    statement=r"Each step takes every record with probability $q=250/59{,}535$, 2,381 steps, one record is "
    r"replaced: with Gaussian noise of $\sigma=0.63$ on the sum of a batch, and with noise of density "
    r"$\propto e^{-\|z\|_2/0.57}$, $\varepsilon\approx5.0$ (at most $5.05$) at $\delta=10^{-5}$.",
    expected=CONFIRMED,
    summary="4.9 for the Gaussian noise, 2.55 for the Gamma noise",
    measure=measure,
    judge=judge_poisson,
    smoke=grid(accountant=REPLACED, epochs=10, step=1e-3),
    ci=grid(accountant=REPLACED, epochs=10, step=1e-4),
    full=grid(accountant=REPLACED, epochs=EPOCHS, step=2e-5),
)
ADD_REMOVE = CLAIM.reading(
    "poisson-add-remove",
    title="ε of the experiment under Poisson sampling, one record added or removed",
    statement=CLAIM.statement.replace("replaced:", "added or removed:"),
    summary="4.14 for the Gaussian noise, at most 1.62 for the Gamma noise",
    smoke=grid(
        accountant=("gaussian-rdp-improved", "gaussian-pld", "gamma-rdp-improved"), epochs=10, step=1e-3
    ),
    ci=grid(accountant=POISSON, epochs=10, step=1e-4),
    full=grid(accountant=POISSON, epochs=EPOCHS, step=2e-5),
)
FIXED_BATCHES = CLAIM.reading(
    "fixed-batches",
    title="ε of the experiment, batches of exactly 250 records",
    statement=r"DP-SGD on $n=59{,}535$ records, batches of exactly 250, 10 passes over the data, Gaussian "
    r"noise of $\sigma=0.63$ times the largest gradient on the sum of a batch: "
    r"$(\varepsilon,\delta)$-differentially private with $\varepsilon\approx5.0$ (at most $5.05$), "
    r"$\delta=10^{-5}$, under replacement of one record, for the sequence of all noisy gradients. (The "
    r"paper's argument assumes Poisson sampling instead, and outputs the last model.)",
    expected=REFUTED,
    finding=Finding(
        Weight.RANGE,
        what=(
            "The text has batches of 250 and passes over the data, the argument has Poisson sampling, and "
            "the two are far apart: with batches of exactly 250, however they are formed, the noisy "
            "gradients have ε ≥ 30 at δ = 1e-5 (30.2 in a new random order each pass, 48.7 drawn without "
            "replacement, 92.4 in the order of the file). Besides, features are scaled by their least and "
            "largest value in the training set, which one record can move for all others; and by no one "
            "accountant do the noises of Figure 2 have one ε (5.00 and 4.56 by the one that gives 5.00)."
        ),
        favour=(
            "Appendix E assumes that each record enters a batch independently, and then 5.0 holds for both "
            "noises and both adjacencies, by composing exact privacy-loss distributions "
            "(`section-6-privacy`). The experiment outputs the last model only; of that nothing is shown "
            "here."
        ),
        survives=(
            "ε ≈ 5.0 for batches by Poisson sampling and features that are scaled by public numbers: a "
            "remark for those who repeat the experiment."
        ),
    ),
    judge=judge_fixed_size,
    smoke=grid(accountant=(*FIXED, *OTHERS), epochs=10, step=1e-3),
    ci=[*grid(accountant=FIXED, epochs=EPOCHS, step=1e-4), *grid(accountant=OTHERS, epochs=10, step=1e-4)],
    full=[
        *grid(accountant=FIXED, epochs=EPOCHS, step=1e-4),
        *grid(accountant=OTHERS, epochs=EPOCHS, step=2e-5),
    ],
    plots=[
        Plot(
            kind="curve",
            title="ε at δ = 1e-5 against the number of epochs",
            x="epochs",
            y="ε",
            x_label="epochs",
            y_label="ε at δ = 1e-5",
            series="accountant",
            log_y=True,
        )
    ],
)
COMPARISON = Claim(
    PAPER,
    "Experiment",
    "section 6, appendix E",
    name="section-6-comparison",
    kind=Kind.EXPERIMENT,
    title="Both noises of Figure 2 have one ε",
    statement=r"The Gaussian noise of $\sigma=0.63$ and the Gamma noise of scale $0.57$, which Figure 2 "
    r"compares, have the same $\varepsilon$ at $\delta=10^{-5}$, $\varepsilon\approx5.0$, to $0.1$, by "
    r"one of the accountants at hand (Poisson sampling, one record added or removed).",
    expected=REFUTED,
    finding=Finding(
        Weight.CONSTANT,
        what=(
            "The ε of the Gaussian and of the Gamma noise are 5.81 and 5.12 with Mironov's conversion, 5.00 "
            "and 4.56 with the improved one, and 4.14 against at most 1.62 exactly: no one accountant gives "
            "5.0 to both, and Figure 2 compares noises of different privacy. (Learning rates are tuned on "
            "the test set, and the tuning runs are not part of the ε.)"
        ),
        favour=(
            "As a bound, ε ≤ 5.05, it holds for both noises: CONFIRMED (`section-6-privacy`). That the "
            "accuracy with Gamma noise falls with the dimension does not depend on its scale."
        ),
        survives="The trends of Figure 2, but not the distance of its two curves.",
        follows_from="song2021/section-6-privacy:fixed-batches",
    ),
    measure=measure,
    judge=judge_comparison,
    smoke=grid(accountant=COMPARED, epochs=10, step=1e-3),
    ci=grid(accountant=COMPARED, epochs=10, step=1e-3),
)


CLAIMS = [ADD_REMOVE, FIXED_BATCHES, COMPARISON]
