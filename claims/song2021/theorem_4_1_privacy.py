r"""Theorem 4.1, privacy: DP-GD that releases all iterates and a noisily selected one.

Release Θ = [θ₀, …, θ_T] of Algorithm 1 with the noise of Theorem 2.6, σ² = 2L²T·log(1/δ)/(nε)², together with
t_priv = argmin over t < T of ‖∇L(θₜ; D)‖_M + Lap(2L/(nε)). Then (Θ, t_priv) is (2ε, δ)-differentially private
(Song et al. 2021, section 4 and appendix C; the neighbours replace one record). In the scan of the Laplace
scale only the numerator is legible; it is read as 2L/(nε).

The gradient norm moves by up to Δ = 2L/n, up for one candidate and down for another, so it is not monotone.
For two candidates the selection probability has a closed form, and the privacy loss tends to 2Δ/b = 4L/(nb)
as the scores move apart. With b = 2L/(nε) that is 2ε, not the ε that the proof states (`-proof`, which also
computes more candidates by quadrature); with b = 4L/(nε) it is ε.

The composed claim is decided on a real instance, T = 2, rank 1, L = 1: n − 1 records with a Huber link of
smoothness β and slope A/(n − 1) at 0, one linear record of slope +1 (D) or −1 (D′), η = 1/β. In units of L/n
the first noisy gradient w has law N(A ± 1, σ²); the norms are A ± 1 at θ₀ and |A − w ± 1| at θ₁, of which w
is a function; the second step adds a Gaussian shift of 2. So the exact hockey-stick divergence at 2ε is
∫ Σ_k φ(w; A + 1)·p_k(w)·H_{2ε − ℓ(w) − log p_k(w)/q_k(w)}(Gaussian) dw, a quadrature. It exceeds δ = 1e-5 by
orders of magnitude, from either mistake alone: also with calibrated noise in the steps (scale 2L/(nε)), and
also with scale 4L/(nε) (printed σ, which is too small for a replaced record, see Theorem 2.6).

`:corrected`: scale 4L/(nε) and steps calibrated to sensitivity 2L/n. The steps are (ε, δ) for every T
(their joint law is that of one Gaussian of sensitivity 2L√T/n). Selection given Θ is ε for any number of
candidates: with the other noises fixed, raising the chosen one by 2Δ undoes the change of all norms and
costs e^{2Δ/b} = e^ε. Adaptive composition gives (2ε, δ). The instance and the selection probabilities
agree, and either correction alone is not enough on the instance at ε = 1, δ = 1e-5.

`:add-remove`: where a record is added or removed and the divisor n is public, gradients and gradient norms
move by Δ = L/n. Then 2Δ/b = ε at the printed b = 2L/(nε), and the printed steps are (ε, δ)-private for ε ≤ 1
and δ ≤ 1/2 (`theorem-2.6:add-remove`): with that adjacency the printed statement holds.

How it is checked. Exactly: divergences of the two-step instance by quadrature, selection probabilities of two
candidates in closed form and of more by quadrature, the T steps as one Gaussian release. `:program` holds the
program against its laws and audits it.

What it does not see. `:corrected` computes δ of the noisy steps by the function whose inverse sets their
noise, for T = 2: an error of that function would pass.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from audits.judge import at_least, at_most
from claims import CONFIRMED, REFUTED, Adjacency, Claim, Evidence, Finding, Kind, Plot, Point, Weight, grid
from claims.song2021 import PAPER
from implementations.privacy import gaussian_delta
from implementations.song2021 import dp_gd, stationary_point

RECORDS = 10_000
STEPS = 2


def composed_delta(
    epsilon: float, sigma: float, scale: float, lean: float, *, swapped: bool, records: int = RECORDS
) -> tuple[float, float]:
    """H_{2ε} of (θ₁, θ₂, t_priv) on the two-step instance, and the quadrature error; units of L/n.

    sigma  noise of a step; scale of the selection; lean  A, the summed slope of the other records at 0.
    swapped  D′ against D instead of D against D′.
    """
    sign = -1.0 if swapped else 1.0

    def integral(nodes: int) -> float:
        x, weight = np.polynomial.legendre.leggauss(nodes)
        # Kinks of the integrand: where a norm or a score difference changes sign.
        knots = np.unique(
            [lean + k * sigma for k in np.linspace(-14, 14, 57)]
            + [lean - 1, lean + 1, 0.0, 2.0]
            + [2 * lean + 2, 2 * lean - 2]
        )
        middle, half = 0.5 * (knots[1:] + knots[:-1]), 0.5 * np.diff(knots)
        w = (middle[:, None] + half[:, None] * x).ravel()
        mass = (half[:, None] * weight).ravel()
        others = np.clip(lean - w, -(records - 1.0), records - 1.0)
        gap = np.abs(others + sign) - abs(lean + sign)
        other_gap = np.abs(others - sign) - abs(lean - sign)
        chosen = stationary_point.two_candidate_probability
        density = np.exp(-0.5 * ((w - lean - sign) / sigma) ** 2) / (sigma * math.sqrt(2.0 * math.pi))
        loss = sign * 2.0 * (w - lean) / sigma**2
        total = np.zeros_like(w)
        for k in (1.0, -1.0):  # candidate 0 reported, candidate 1 reported
            mine, theirs = chosen(k * gap, scale), chosen(k * other_gap, scale)
            total += mine * gaussian_delta(2.0 * epsilon - loss - np.log(mine / theirs), 2.0 / sigma)
        return float(mass @ (density * total))

    coarse, fine = integral(12), integral(24)
    return fine, abs(fine - coarse) + 1e-13


def step_noise(point: Point, noise: str) -> float:
    """σ of a step of the instance, in units of L/n."""
    return RECORDS * dp_gd.noise_scale(
        epsilon=point.epsilon, delta=point.delta, n=RECORDS, steps=STEPS, lipschitz=1.0, noise=noise,
        adjacency=Adjacency.REPLACE,
    )  # fmt: skip


def worst_composed(point: Point, noise: str, scale: str) -> tuple[float, float, float]:
    """Largest composed δ over the lean A and both directions: (δ, error, A)."""
    b = RECORDS * stationary_point.selection_scale(
        epsilon=point.epsilon, n=RECORDS, lipschitz=1.0, scale=scale
    )
    found = [
        (*composed_delta(point.epsilon, step_noise(point, noise), b, lean, swapped=swapped), lean)
        for lean in (1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 13.0)
        for swapped in (False, True)
    ]
    return max(found)


def selection_loss(epsilon: float, scale: str, candidates: int, gap: float, step: float = 2.0) -> float:
    """Privacy loss of reporting candidate 0 when its norm falls by Δ and all others rise by Δ.

    gap   in Laplace scales: how far candidate 0 is behind before. All norms stay within [0, L] for n ≥ gap/ε
          + 4.
    step  Δ in units of L/n, as b: 2 where a record is replaced, 1 where it is added or removed.
    """
    b = stationary_point.selection_scale(epsilon=epsilon, n=1, lipschitz=1.0, scale=scale)
    if candidates == 2:
        pair = stationary_point.two_candidate_probability(np.array([2.0 * step - gap * b, -gap * b]), b)
        return float(np.log(pair[0] / pair[1]))
    before = np.array([gap * b, *[0.0] * (candidates - 1)])
    after = before + np.array([-step, *[step] * (candidates - 1)])
    return math.log(
        stationary_point.selection_probability(after, b, 0)
        / stationary_point.selection_probability(before, b, 0)
    )


def check_composed(noise: str, scale: str, point: Point) -> Iterator[Evidence]:
    """Exact δ at 2ε of the composed release on the instance: it can refute, and decides nothing below δ."""
    value, error, lean = worst_composed(point, noise, scale)
    note = f"T = 2, A = {lean:g}: linear record +z or −z among n − 1 Huber records"
    yield at_most(
        "δ at 2ε of (Θ, t_priv)", value, point.delta, error=error, decides=False, method="quadrature",
        note=note,
    )  # fmt: skip


def check_selection(scale: str, point: Point, step: float = 2.0) -> Iterator[Evidence]:
    """Largest privacy loss of the selection alone, given Θ, over gaps up to 40 scales."""
    gaps = np.linspace(0.0, 40.0, 41)
    losses = [selection_loss(point.epsilon, scale, point.candidates, float(g), step) for g in gaps]
    move = "2L/n" if step == 2.0 else "L/n"
    yield at_most(
        "privacy loss of t_priv given Θ", max(losses), point.epsilon,
        method="closed form" if point.candidates == 2 else "quadrature",
        note=f"candidate 0 behind by {gaps[int(np.argmax(losses))]:g} scales; its norm falls by {move}, "
        f"the others' rise by {move}",
    )  # fmt: skip


def check_corrected(point: Point) -> Iterator[Evidence]:
    """The steps are (ε, δ) and the selection ε: adaptive composition; the instance may not contradict."""
    mu = 2.0 * math.sqrt(STEPS) / step_noise(point, "calibrated")
    note = "that the noise of the program is the calibrated one; for every T it is the argument on the page"
    yield at_most("δ at ε of the T noisy steps", gaussian_delta(point.epsilon, mu), point.delta, note=note)
    yield from check_selection("corrected", point)
    yield from check_composed("calibrated", "corrected", point)
    if (point.epsilon, point.delta) == (1.0, 1e-5):
        halves = {"Laplace scale": ("printed", "corrected"), "steps": ("calibrated", "printed")}
        for alone, noises in halves.items():
            found, error, _ = worst_composed(point, *noises)
            yield at_least(f"δ at 2ε, {alone} alone corrected", found, point.delta, error=error)


def check_add_remove(point: Point) -> Iterator[Evidence]:
    """As printed, where a record that is added or removed moves gradients and norms by L/n, n public."""
    mu = math.sqrt(STEPS) / step_noise(point, "printed")
    yield at_most("δ at ε of the T noisy steps", gaussian_delta(point.epsilon, mu), point.delta)
    yield from check_selection("printed", point, step=1.0)


LEVELS = [
    *grid(epsilon=0.1, delta=1e-6),
    *grid(epsilon=1.0, delta=(1e-5, 1e-3)),
    *grid(epsilon=4.0, delta=1e-5),
]
FULL = grid(epsilon=(0.05, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0), delta=(1e-9, 1e-6, 1e-5, 1e-3))


def with_candidates(points: list[dict[str, Any]], *numbers: int) -> list[dict[str, Any]]:
    return [{**point, "candidates": number} for point in points for number in numbers]


CLAIM = Claim(
    PAPER,
    "Theorem 4.1",
    "section 4, proof in appendix C",
    name="theorem-4.1-privacy",
    kind=Kind.PRIVACY,
    title="DP-GD with a privately selected stationary point",
    uses=("theorem-2.6",),
    statement=r"All iterates $\Theta=[\theta_0,\dots,\theta_T]$ of Algorithm 1 with "
    r"$\sigma^2=2L^2T\log(1/\delta)/(n\varepsilon)^2$ together with "
    r"$t_{priv}=\arg\min_{t<T}\|\nabla L(\theta_t;D)\|_M+\mathrm{Lap}(2L/(n\varepsilon))$ are "
    r"$(2\varepsilon,\delta)$-differentially private (one record replaced).",
    expected=REFUTED,
    finding=Finding(
        Weight.THEOREM,
        what=(
            "A replaced record may raise one gradient norm by 2L/n and lower another, so that reporting the "
            "noisy minimum with Laplace noise of scale b costs 4L/(nb): 2ε at b = 2L/(nε), where the proof "
            "has ε. At ε = 1, δ = 1e-5 a run of two steps has δ(2ε) = 3.1e-3 with the printed noise in the "
            "steps, and 3.7e-4 with steps that are private by themselves."
        ),
        favour=(
            "With neighbours that differ in the presence of a record, n public, norms move by L/n, and both "
            "noises are right as printed for ε ≤ 1, δ ≤ ½, by exact selection probabilities and privacy "
            "curves (`:add-remove`). The Laplace scale is read as 2L/(nε); if 4L/(nε) is meant, the "
            "selection is private, and what is left is the noise of Theorem 2.6: δ(2ε) = 3.9e-5 for "
            "the same run."
        ),
        survives="Laplace scale 4L/(nε) and steps calibrated to a move of 2L/n (`:corrected`).",
    ),
    check=partial(check_composed, "printed", "printed"),
    smoke=LEVELS[1:2],
    ci=LEVELS,
    full=FULL,
    plots=[
        Plot(
            kind="curve",
            title="Theorem 4.1: δ at 2ε of the composed release",
            x="epsilon",
            y="value",
            x_label="ε",
            y_label="δ at 2ε",
            claimed="claimed",
            series="delta",
            log_y=True,
            select={"quantity": "δ at 2ε of (Θ, t_priv)"},
        )
    ],
)
CORRECTED = CLAIM.reading(
    "corrected",
    title="DP-GD with a privately selected stationary point, both noises corrected",
    statement=r"With steps calibrated to sensitivity $2L/n$, $\sigma=2L\sqrt T/(n\mu^*(\varepsilon,\delta))$,"
    r" and selection noise $\mathrm{Lap}(4L/(n\varepsilon))$, $(\Theta,t_{priv})$ is "
    r"$(2\varepsilon,\delta)$-differentially private.",
    expected=CONFIRMED,
    summary="scale 4L/(nε), calibrated steps",
    check=check_corrected,
    smoke=with_candidates(LEVELS[1:2], 2),
    ci=with_candidates(LEVELS, 2, 8),
    full=with_candidates(FULL, 2, 8),
)
ADD_REMOVE = CLAIM.reading(
    "add-remove",
    title="DP-GD with a privately selected stationary point, one record added or removed",
    statement=CLAIM.statement.replace(
        "(one record replaced)",
        r"for $0<\varepsilon\le1$, $0<\delta\le\frac12$, where one record is added or removed and the "
        "divisor $n$ is public. This is not the adjacency that the paper states",
    ),
    expected=CONFIRMED,
    summary="both noises are right as printed where a record is added or removed",
    rests_on=("song2021/theorem-2.6:add-remove",),
    check=check_add_remove,
    smoke=with_candidates(LEVELS[1:2], 2),
    ci=with_candidates(LEVELS[:3], 2, 8),
    full=with_candidates([p for p in FULL if p["epsilon"] <= 1.0], 2, 8),
    plots=(),
)
PROOF = Claim(
    PAPER,
    "Theorem 4.1",
    "section 4, proof in appendix C",
    name="theorem-4.1-privacy-proof",
    kind=Kind.PRIVACY,
    title="Selection with Lap(2L/(nε)) given the iterates",
    statement=r"Gradient norms have sensitivity $2L/n$; given $\Theta$, releasing $\arg\min_t\|\nabla "
    r"L(\theta_t;D)\|_M+\mathrm{Lap}(2L/(n\varepsilon))$ is $\varepsilon$-differentially private.",
    expected=REFUTED,
    finding=Finding(
        Weight.PROOF,
        what=(
            "The analysis of report-noisy-max that the proof cites gives Δ/b for scores that all move the "
            "same way; gradient norms do not, and the loss tends to 2Δ/b = 2ε, in closed form for two "
            "candidates."
        ),
        favour=(
            "With neighbours that differ in the presence of a record Δ = L/n, and the step holds: CONFIRMED "
            "(`theorem-4.1-privacy:add-remove`)."
        ),
        survives=(
            "The step with b = 4L/(nε), which is also the usual scale 2Δ/ε of the exponential mechanism."
        ),
        follows_from="song2021/theorem-4.1-privacy",
    ),
    check=partial(check_selection, "printed"),
    smoke=with_candidates(LEVELS[1:2], 2),
    ci=with_candidates(LEVELS, 2, 3, 8),
    full=with_candidates(FULL, 2, 3, 8),
)
CLAIMS = [CORRECTED, ADD_REMOVE, PROOF]
