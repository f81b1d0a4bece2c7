r"""Theorem 5: private SCO costs Ω(RḠ/√(mn) + RḠ√d/(n√m·ε)), Ḡ = min{G, σ√d}.

Printed is "there exists a distribution P and a loss ℓ such that for any algorithm A", and the sketch calls
the bound minimax: for every algorithm there is a P. So it is read here, since the printed order fails for
every P (the constant output argmin L(·; P) is private and has no excess: a slip of the pen). The display is
damaged in the text at hand and restored from "the upper bound matches up to log factors when G = Θ(σ√d)". No
range of ε is printed, but for fixed G and ε → 0 the second term cannot hold: an output that ignores the data
is private and has risk at most RG. Read where the bound is below RG; the instance has ‖μ‖, hence G, as large
as needed. The instance: linear losses −⟨θ, z⟩ on the ball of radius R = 1, z ~ N(μ, σ²I), with ‖μ‖ of the
order of the estimation error, user means as records (Propositions 3 and 6). The sign of μ is drawn at random,
so that no answer that is fixed in advance does well.

**No δ is printed, and for large δ the bound fails** (`:every-delta`). Publish one user drawn at random: that
is (0, 1/n)-DP, and the user's own minimiser has the excess O(Rσ√(d/m)) (exactly: at most 2R‖x − μ‖ for linear
losses and the user's mean x; Proposition 1 gives the same up to log factors for all losses). The second term
of the bound is larger by √d/(nε). The mean of a share δ of the users, drawn at random, is (0, δ)-DP with the
excess 2Rσ√(d/(mnδ)): for δ = ½ it breaks the bound for d far above nε² also where n ≥ √d/ε. For one number
a user the mean plus uniform noise of half-width G/(nδ) is (0, δ)-DP and breaks it for ε far below δ. The
bounds that are cited have δ of the order of 1/n or less, and Theorem 4, which is called matching, has δ ≤
1/n²: so δ ≤ 1/(50n), which holds it from n = 50 on, is read here.

The hidden constant is not printed. Tested is c = 0.1, with μ*(ε, δ), the largest Gaussian parameter that
gives (ε, δ), for ε; the least ratio that any mechanism reaches is reported, and says which c would still
pass.

What is not seen. G = ∞, so that min{G, σ√d} is always the latter (for a smaller G it is the same instance
with G/√d for σ); any weaker bound would pass.

How it is checked. As a sandwich on the printed instance: the Gaussian mechanism on user means clipped to a
ball around μ that it is told (no price for the location, no log factors; it does not use μ otherwise),
Algorithm 2 itself (tuned constants) and a fixed answer must have at least c times the bound, and the mean of
all samples, which is not private, must be seen below that where privacy dominates. The risk of a mechanism is
the supremum over four lengths ‖μ‖, chosen on a quarter of the trials and measured on the others. In that
regime the exponents of the Gaussian mechanism's risk in n, m, d, μ* may not be below −1, −½, 1, −1 by more
than 0.05 (a tenth of the step ½ between such laws) after division by the radius of the clipping. Other
mechanisms could do better; none that is built here does. A weaker bound would pass as well."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from audits.evidence import Evidence, Side
from audits.judge import at_least, constant, mean_at_least, reported, sandwich, undecided
from audits.rates import family
from claims import CONSISTENT, REFUTED, Budget, Claim, Finding, Kind, Plot, Point, Tier, Weight, grid
from claims.levy2021 import PAPER
from claims.levy2021._first_order import TOLERANCE
from implementations.levy2021 import gaussian_mean, hard_instances, winsorized_mean_highd
from implementations.levy2021.concentration import Concentration
from implementations.privacy import PrivacyBudget, mu_star

if TYPE_CHECKING:
    from implementations.interfaces import Array

DELTA, GAMMA, SIGMA = 1e-6, 1e-6, 1.0
RADII, SIGMAS = (1.0, 5.0, 0.1), (1.0, 0.02, 30.0)
"""R of a cell, by its d, and σ, by its n; the tracing attack has SIGMA."""
CONSTANT = 0.1
LENGTHS = (0.5, 1.0, 1.5, 2.5)
"""‖μ‖ in units of the expected error of the mechanism."""


def units(point: Point) -> tuple[float, float]:
    """(R, σ)."""
    return RADII[point.d % len(RADII)], SIGMAS[point.n % len(SIGMAS)]


def radius(point: Point) -> float:
    """A ball around μ that holds all n user means with probability 1 − γ, σ = 1."""
    deviation = math.sqrt(point.d) + math.sqrt(2.0 * math.log(point.n / GAMMA))
    return SIGMA * deviation / math.sqrt(point.m)


def lower_bound(point: Point) -> float:
    """RḠ/√(mn) + RḠ√d/(n√m·μ*) with Ḡ = σ√d, R = σ = 1."""
    least = SIGMA * math.sqrt(point.d)
    private = math.sqrt(point.d) / (point.n * math.sqrt(point.m) * float(mu_star(point.epsilon, DELTA)))
    return least * (1.0 / math.sqrt(point.m * point.n) + private)


Mechanism = Callable[["Array", "Array"], "Array"]
"""(user means (trials, n, d), μ (trials, d)) → estimates (trials, d)."""


def mechanisms(point: Point) -> dict[str, tuple[Mechanism, float]]:
    """Each mechanism with the size of its error, to which ‖μ‖ is matched."""
    sigma = units(point)[1]
    reach, statistical = sigma * radius(point), sigma * math.sqrt(point.d / (point.m * point.n))
    noise = 2.0 * reach / (point.n * float(mu_star(point.epsilon, DELTA)))
    size = math.hypot(statistical, noise * math.sqrt(point.d))

    def gaussian(means: Array, center: Array) -> Array:
        # The ball stands around μ, so that the noise does not depend on ‖μ‖. In one around 0 that holds all
        # users the noise would drown every μ, and the risk would be R‖μ‖ whatever the mechanism does.
        scale = gaussian_mean.gaussian_scale(point.n, reach, point.epsilon, DELTA)
        return center + gaussian_mean.gaussian_mean(means - center[:, None], reach, scale, point.rng)

    def algorithm_2(means: Array, center: Array) -> Array:
        return winsorized_mean_highd.winsorized_mean_highd(
            means, PrivacyBudget(point.epsilon, DELTA),
            Concentration(reach, 100.0 * reach, GAMMA), point.rng, constants="tuned",
        )  # fmt: skip

    found: dict[str, tuple[Mechanism, float]] = {
        "the Gaussian mechanism": (gaussian, size),
        "the mean of all samples": (lambda means, center: means.mean(axis=1), statistical),
        "a fixed answer": (lambda means, center: np.ones_like(center), size),
    }
    if point.regime == "usable":
        plan = winsorized_mean_highd.highd_plan(
            point.n, point.d, point.epsilon, DELTA, reach, 100.0 * reach, GAMMA, "tuned"
        )
        found["Algorithm 2"] = (algorithm_2, math.sqrt(winsorized_mean_highd.highd_variance(plan, point.n)))
    return found


def measure(point: Point) -> dict[str, Any]:
    columns: dict[str, list[Any]] = {"mechanism": [], "length": [], "trial": [], "risk": []}
    shape, (ball, sigma) = (point.trials, point.n, point.d), units(point)
    # All mechanisms see the same users: each is judged alone.
    z = sigma / math.sqrt(point.m) * point.rng.standard_normal(shape)
    for name, (mechanism, size) in mechanisms(point).items():
        # The distribution has the mean sign·center; its loss at θ is that of the mean `center` at sign·θ.
        sign = np.where(np.arange(point.trials) // 4 % 2 == 0, 1.0, -1.0)[:, None]
        for length in LENGTHS:
            center = length * size * np.ones(point.d) / math.sqrt(point.d)
            estimate = mechanism(z + (sign * center)[:, None], sign * center)
            loss = hard_instances.LinearLoss(ball, tuple(center.tolist()))
            theta = sign * ball * estimate / np.linalg.norm(estimate, axis=1, keepdims=True)
            columns["risk"] += (loss.excess(theta) / (ball * sigma)).tolist()
            columns["mechanism"] += [name] * point.trials
            columns["length"] += [length] * point.trials
            columns["trial"] += list(range(point.trials))
    logs = radius(point) * math.sqrt(point.m / point.d)
    found = {k: np.array(v) for k, v in columns.items()}
    return found | {
        "form": lower_bound(point), "mu": float(mu_star(point.epsilon, DELTA)),
        "normalised": found["risk"] / logs,
    }  # fmt: skip


def judge(rows: Any, budget: Budget) -> list[Evidence]:
    axes = ["n", "m", "d", "epsilon"]
    private = rows[(rows["regime"] == "privacy") & (rows["mechanism"] == "the Gaussian mechanism")]
    claimed = {"n": -1.0, "m": -0.5, "d": 1.0, "mu": -1.0}
    evidence = family.exponents(
        family.worst_member(private, list(claimed), "length", "normalised"), "risk", claimed, TOLERANCE,
        side=Side.LOWER, alpha=budget.share(0.5), equivalence_alpha=1e-3, vanishing=("mu",),
        standard_error="standard_error",
    )  # fmt: skip
    place = [*axes, "regime", "mechanism"]
    worst = family.worst_member(rows, place, "length", "risk")
    chosen: Any = family.supremum(rows, place, "length", "risk", rows["trial"] % 4 == 0)
    cells = list(chosen.groupby([*axes, "regime"]))
    share = budget.share(0.5) / len(cells)
    for key, cell in cells:
        point = dict(zip([*axes, "regime"], key, strict=True))
        claim = CONSTANT * float(cell["form"].iloc[0])
        risks = {name: part["risk"].to_numpy() for name, part in cell.groupby("mechanism")}
        open_ = {"the mean of all samples": risks.pop("the mean of all samples")}
        if point["regime"] == "privacy":
            evidence += sandwich(risks, claim, open_, alpha=share, point=point)
        else:  # the statistical term is the larger one: nothing is below the bound
            evidence += [
                mean_at_least(f"error of {name}", values, claim, alpha=share / len(risks), point=point)
                for name, values in risks.items()
            ]
    ratio = (worst["risk"] / worst.merge(rows.groupby(axes)["form"].first().reset_index(), on=axes)["form"])[
        worst["mechanism"] != "the mean of all samples"
    ]
    error = worst["standard_error"][ratio.index] / worst["risk"][ratio.index] * ratio
    evidence.append(
        constant(
            "least risk of a private mechanism over the bound",
            ratio,
            error,
            worst["trials"][ratio.index],
            least=True,
        )
    )
    return evidence


# --- Every δ -----------------------------------------------------------------------------------------------


def check_uniform(point: Point) -> Evidence:
    """d = m = 1, |z| ≤ G = σ: the mean plus uniform noise of half-width G/(nδ), which is (0, δ)-DP.

    A user moves the mean by 2G/n, a share δ of the interval. The sign of the sum has an excess of at most R
    times the error of the sum.
    """
    n, delta = point.n, point.delta
    most, bound = 1.0 / math.sqrt(n) + 1.0 / (n * delta), 1.0 / math.sqrt(n) + 1.0 / (n * point.epsilon)
    note = f"the mean plus uniform noise: (0, {delta:g})-DP"
    return at_least(
        "expected excess, at most, for every μ, over the bound", most / bound, CONSTANT, note=note
    )


def check_shares(point: Point) -> Iterator[Evidence]:
    """The mean x of a share δ of the users, drawn at random: E‖x − μ‖ ≤ σ√(d/(mδn)), R = 2, σ = 1.

    The excess of Rx/‖x‖ is at most 2R‖x − μ‖ for every μ: ‖μ‖ ≤ ‖x‖ + ‖x − μ‖ and ⟨μ, x⟩ ≥ ‖x‖² − ‖x‖‖x − μ‖.
    """
    if "noise" in point:
        yield check_uniform(point)
        return
    n, m, d, radius_ = point.n, point.m, point.d, 2.0
    asked = max(1, round(point.delta * n))
    center = math.sqrt(d / (m * asked)) * point.length * np.ones(d) / math.sqrt(d)
    x = center + SIGMA / math.sqrt(m * asked) * point.rng.standard_normal((50, d))
    theta = radius_ * x / np.linalg.norm(x, axis=1, keepdims=True)
    excess = hard_instances.LinearLoss(radius_, tuple(center.tolist())).excess(theta)
    most = 2.0 * radius_ * np.linalg.norm(x - center, axis=1)
    if (excess < 0.0).any() or (excess > most).any():
        yield undecided("excess over 2R‖x − μ‖", float((excess / most).max()), "not between 0 and 1")
        return
    yield reported("excess over 2R‖x − μ‖, largest of 50 draws", float((excess / most).max()))
    bound = radius_ * SIGMA * (math.sqrt(d / (m * n)) + d / (n * math.sqrt(m) * point.epsilon))
    largest = 2.0 * radius_ * SIGMA * math.sqrt(d / (m * asked))
    note = f"the mean of {asked} users, drawn at random: (0, {point.delta:g})-DP"
    yield at_least(
        "expected excess, at most, for every μ, over the bound", largest / bound, CONSTANT, note=note
    )


PRIVACY = [
    {"n": n, "m": m, "d": d, "epsilon": e, "regime": "privacy"}
    for k, (n, m, d) in enumerate(
        (n, m, d) for n in (40, 80, 160, 320) for m, d in ((1, 64), (100, 256), (10_000, 128), (1, 512))
    )
    for e in ((0.01, 0.02, 0.04)[k % 3],)
]
SHARES = [
    *grid(n=100, m=10, d=4096, epsilon=0.001, delta=0.01, length=(0.5, 1.5, 10.0)),
    *grid(n=10_000, m=10, d=4096, epsilon=0.02, delta=0.5, length=1.5),
    *grid(n=10**12, epsilon=1e-8, delta=1e-6, noise="uniform"),
]
"""δ = 1/n for one user; and half of the users with n ≥ √d/ε, which Algorithm 3 asks for."""
USABLE = grid(n=20_000, m=100, d=(2, 4), epsilon=1.0, regime="usable")

CLAIM = Claim(
    PAPER,
    "Theorem 5",
    "section 5.2",
    kind=Kind.LOWER_BOUND,
    title="Lower bound for private SCO",
    uses=("proposition-3", "proposition-6", "appendix-results"),
    statement=r"For $\delta\le1/(50n)$ and every $(\varepsilon,\delta)$-user-level DP algorithm there are "
    r"$P,\ell$ with excess risk $\Omega\big(\frac{R\bar G}{\sqrt{mn}}+\frac{R\bar G\sqrt d}{n\sqrt "
    r"m\,\varepsilon}\big)$, $\bar G=\min\{G,\sigma\sqrt d\}$ (restored; minimax, as its proof sketch says; "
    r"read where this is below the trivial $RG$; tested with the constant 0.1).",
    expected=CONSISTENT,
    fits_exponents=True,
    smoke=Tier(PRIVACY[:8] + USABLE[:1], trials=120),
    ci=Tier(PRIVACY + USABLE, trials=100, chunk=50),
    full=Tier(PRIVACY + USABLE, trials=1000, chunk=100),
    measure=measure,
    judge=judge,
    plots=[
        Plot(
            kind="curve",
            title="Private SCO on linear losses",
            x="n",
            y="risk",
            claimed="form",
            x_label="users n",
            y_label="excess risk over Rσ",
            series="mechanism",
            log_x=True,
            log_y=True,
            select={"regime": "privacy", "d": 256},
        )
    ],
)
EVERY_DELTA = CLAIM.reading(
    "every-delta",
    title="Lower bound for private SCO, for every δ",
    statement=r"For every $\delta$ and every $(\varepsilon,\delta)$-user-level DP algorithm there are "
    r"$P,\ell$ with excess risk $\Omega\big(\frac{R\bar G}{\sqrt{mn}}+\frac{R\bar G\sqrt d}{n\sqrt "
    r"m\,\varepsilon}\big)$: no range of $\delta$ is printed (tested with the constant 0.1 for one user, at "
    r"$\delta=1/n$, and for half of the users, at $\delta=\frac12$, with $n\ge\sqrt d/\varepsilon$).",
    expected=REFUTED,
    finding=Finding(
        Weight.RANGE,
        what="no range of δ is printed. Publishing the mean of a share δ of the users, drawn at random, is "
        "(0, δ)-DP: at n = 100, ε = 1, d = 10⁶ one user (δ = 1/n) has the excess 2,000·Rσ/√m at most where "
        "10,100·Rσ/√m is the bound, and the ratio falls like nε/√d. A smaller δ does not help where ε is "
        "smaller still: with d = m = 1, G = σ the mean plus uniform noise of half-width G/(nδ) is (0, δ)-DP, "
        "and at n = 10¹², δ = 10⁻⁶, ε = 10⁻⁸ its excess is 0.03 of the bound",
        favour="Theorem 4, which is called matching, has δ ≤ 1/n², and the cited bounds have δ of the order "
        "of 1/n or less: in that range no mechanism that was tried lies below it (`levy2021/theorem-5`), "
        "where it is below the trivial RG (at n = 10, m = 1, d = 100, ε = 0.1 the second term is 10·RG). "
        "The display is damaged in our text, and appendix F.2 was not at hand",
        survives="the bound for δ ≤ 1/(50n), below RG",
    ),
    check=check_shares,
    fits_exponents=False,
    smoke=SHARES,
    ci=SHARES,
    plots=(),
)
CLAIMS = [EVERY_DELTA]
