r"""Lemma 5.1: clipping the subgradients of a convex link is differentiating a Huberised convex link.

For a convex f : ℝ → ℝ, a clipping norm B > 0 and a vector x ≠ 0 put b = B/‖x‖₂,
y₁ = sup{y : u < −b for all u ∈ ∂f(y)} (−∞ where there is none), y₂ = inf{y : u > b for all u ∈ ∂f(y)}
(+∞ where there is none), and let g follow f on [y₁, y₂] and be −b·(y − y₁) + f(y₁) on (−∞, y₁) and
b·(y − y₂) + f(y₂) on (y₂, ∞). Then g is convex, and with ℓ_f(θ) = f(⟨θ, x⟩), ℓ_g(θ) = g(⟨θ, x⟩),
∂ℓ_g(θ) = {min(1, B/‖u‖)·u : u ∈ ∂ℓ_f(θ)} for every θ (Song et al. 2021, section 5.1).

How it is checked. Exactly, in rational arithmetic, over all convex piecewise-linear f with up to four
pieces whose slopes take every order type against ±b (three values in each of the outer ranges, ±b
themselves, three inside), and over random ones with random B, x and θ. The printed expression for g is
evaluated to the letter; its one-sided derivatives are taken from its values alone and compared with the
clipped subdifferential. Smooth losses are compared numerically.

Why this decides all convex f. The statement is local: with f′∓ the one-sided derivatives, ∂f(y) = [f′₋(y),
f′₊(y)], and convexity of g and ∂g follow from g′₋(y) = clip(f′₋(y)) and g′₊(y) = clip(f′₊(y)), clip to [−b,
b], at every y. g′₋(y) is −b for y ≤ y₁, f′₋(y) for y₁ < y ≤ y₂ and b for y > y₂. By monotone subgradients
f′₋(y) = sup over y′ < y of f′₊(y′); so f′₋(y) ≤ −b for y ≤ y₁, −b ≤ f′₋(y) ≤ b between, f′₋(y) ≥ b for y >
y₂, and the three cases agree with the clip; f′₊ is the mirror image. Only the order of the two slopes at y
against ±b and the place of y against y₁, y₂ enter, and the enumeration visits every such combination that a
piecewise-linear f has. The one it has not, slopes that tend to −b or b at y₁ or y₂, is that of the smooth
links. A clipped monotone slope is monotone, hence g convex; the chain rule through θ ↦ ⟨θ, x⟩, onto for x ≠
0, gives the statement in θ. The random functions test this argument and the code; they carry no
confirmation alone.

As printed the lemma falls in a corner: where every slope is below −b, y₁ = +∞ and the first branch of g,
−b·(y − y₁) + f(y₁), which then covers all of ℝ, has no value (f(y) = −2y, B = ‖x‖ = 1: the expression reads
∞ − ∞, and its limit as y₁ → ∞ is −∞). The same with all slopes above b. The proof itself uses the repair:
`:corrected` lets g be linear of slope −b (+b) there, any constant; g is then determined up to that constant
and everything else stands. For x = 0, which the lemma leaves out and Corollary 5.2 needs, clipping changes
nothing and g = f.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from audits.evidence import Bound, Evidence, Verdict, exact_evidence
from claims.harness.claim import Claim, Kind, Point, Tier
from claims.song2021._cite import cite
from implementations.song2021 import clipped_surrogate

if TYPE_CHECKING:
    import pandas as pd

F = Fraction
SLOPES = (F(-4), F(-3), F(-2), F(-1), F(-1, 2), F(0), F(1, 2), F(1), F(2), F(3), F(4))
"""Slopes of the enumeration in units of b: every order type against ±b, three values in each open range."""
VECTORS = ((1,), (3, 4), (-3, 4), (1, 2, 2), (2, -3, 6), (0, 0), (1, 1, 1, 1))
"""Feature vectors of rational norm, x = 0 among them."""
Case = tuple[clipped_surrogate.PiecewiseLinear, Fraction, tuple[int, ...]]


def enumeration(pieces: int) -> Iterator[Case]:
    """All functions with exactly `pieces` pieces over SLOPES, b = 1, kinks at 0, 1, …"""
    breaks = tuple(F(k) for k in range(pieces - 1))
    for slopes in combinations(SLOPES, pieces):
        yield clipped_surrogate.PiecewiseLinear(breaks, slopes, F(1, 3)), F(1), (1,)


def random_case(rng: np.random.Generator) -> Case:
    """A random convex piecewise-linear function, clipping norm and vector, all rational."""
    pieces = int(rng.integers(1, 7))
    breaks = sorted({F(int(k), 7) for k in rng.integers(-30, 31, pieces - 1)})
    slopes: set[Fraction] = set()
    while len(slopes) < len(breaks) + 1:
        slopes.add(F(int(rng.integers(-20, 21)), 4))
    f = clipped_surrogate.PiecewiseLinear(
        tuple(breaks), tuple(sorted(slopes)), F(int(rng.integers(-9, 10)), 2)
    )
    return f, F(int(rng.integers(1, 60)), 4), VECTORS[int(rng.integers(len(VECTORS)))]


def norm(x: tuple[int, ...]) -> Fraction:
    """‖x‖₂ of a vector of rational norm."""
    root = round(sum(v * v for v in x) ** 0.5)
    assert root * root == sum(v * v for v in x)
    return F(root)


def places(f: clipped_surrogate.PiecewiseLinear) -> list[Fraction]:
    """Every kink of f, a point between any two, and one beyond each end: all pieces of f and g."""
    kinks = list(f.breaks) or [F(0)]
    middles = [(a + b) / 2 for a, b in pairwise(kinks)]
    return sorted([kinks[0] - 2, *kinks, *middles, kinks[-1] + 3])


def clipped_subdifferential(
    f: clipped_surrogate.PiecewiseLinear, y: Fraction, bound: Fraction, x: tuple[int, ...]
) -> tuple[Fraction, Fraction]:
    """{min(1, B/‖u‖)·u : u = s·x, s ∈ ∂f(y)} as an interval of multiples of x, B = `bound`."""
    size = norm(x)

    def scaled(s: Fraction) -> Fraction:
        return s if abs(s) * size <= bound else s * bound / (abs(s) * size)

    low, high = f.subdifferential(y)
    return scaled(low), scaled(high)


def check(case: Case, reading: str) -> dict[str, int]:
    """Count what fails for one function: places without a value, wrong subdifferentials, falling slopes."""
    f, bound, x = case
    size = norm(x)
    if size == 0:
        if reading == "printed":
            return {"functions": 0, "undefined": 0, "wrong": 0, "concave": 0, "places": 0}
        g: Any = clipped_surrogate.surrogate(f, None)
    elif reading == "printed":
        g = clipped_surrogate.printed_surrogate(f, bound / size)
    else:
        g = clipped_surrogate.surrogate(f, bound / size)
    undefined = wrong = concave = 0
    last: Fraction | None = None
    where = places(f)
    for y in where:
        slopes = clipped_surrogate.one_sided_slopes(g, y, f.breaks)
        if slopes is None:
            undefined += 1
            continue
        low, high = slopes
        concave += low > high or (last is not None and low < last)
        last = high
        if size > 0:
            wrong += slopes != clipped_subdifferential(f, y, bound, x)
        else:
            wrong += slopes != f.subdifferential(y)
    return {
        "functions": 1,
        "undefined": int(undefined > 0),
        "wrong": int(wrong > 0),
        "concave": int(concave > 0),
        "places": len(where),
    }


def count(cases: Iterator[Case], reading: str) -> dict[str, int]:
    """Totals of `check` over the cases."""
    total = {"functions": 0, "undefined": 0, "wrong": 0, "concave": 0, "places": 0}
    for case in cases:
        for key, value in check(case, reading).items():
            total[key] += value
    return total


def measure_as(reading: str, point: Point, rng: np.random.Generator) -> dict[str, Any]:
    """Failures over one part of the functions."""
    pieces = int(point["pieces"])
    if pieces > 0:
        return count(enumeration(pieces), reading)
    return count((random_case(rng) for _ in range(int(point["random"]))), reading)


def measure_printed(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    """Failures of the lemma to the letter."""
    return measure_as("printed", point, rng)


def measure_corrected(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    """Failures of the lemma with its corners filled in, and the numerical error for smooth losses."""
    row = measure_as("corrected", point, rng)
    row["smooth_error"] = smooth_error()
    return row


def smooth_error() -> float:
    """Largest difference between the numerical derivative of the surrogate and the clipped slope.

    Logistic, pseudo-Huber and a link of slope −1 − 1/(1 + e^y) < −1 everywhere (y₁ = ∞ at b = 1).
    """
    from implementations.interfaces import Loss

    def loss(name: str, value: Any, slope: Any, lipschitz: float) -> Loss:
        return Loss(name=name, value=value, slope=slope, lipschitz=lipschitz, smoothness=1.0, convex=True)

    def sigmoid(v: Any) -> Any:
        return 0.5 * (1.0 + np.tanh(0.5 * v))

    links = [
        loss("logistic", lambda z, y: np.logaddexp(0.0, -z * y), lambda z, y: -y * sigmoid(-z * y), 1.0),
        loss(
            "pseudo-Huber",
            lambda z, y: np.hypot(1.0, z - y) - 1.0,
            lambda z, y: (z - y) / np.hypot(1, z - y),
            1.0,
        ),
        loss("steep", lambda z, y: -z - np.logaddexp(0, -z) * -1.0, lambda z, y: -1.0 - sigmoid(-z), 2.0),
    ]
    z = np.linspace(-9.0, 9.0, 721)
    worst = 0.0
    for link in links:
        for bound in (0.05, 0.3, 0.9, 1.0):
            g = clipped_surrogate.surrogate_loss(link, bound)
            targets = np.ones_like(z)
            step = 1e-5
            derivative = (g.value(z + step, targets) - g.value(z - step, targets)) / (2 * step)
            worst = max(
                worst, float(np.max(np.abs(derivative - np.clip(link.slope(z, targets), -bound, bound))))
            )
    return worst


def judge(rows: pd.DataFrame, alpha: float) -> list[Evidence]:
    """One undefined, wrong or non-convex surrogate refutes; none confirms."""
    functions = int(rows["functions"].sum())
    evidence: list[Evidence] = []
    notes = {
        "undefined": "f(y) = −2y, B = ‖x‖ = 1: y₁ = +∞, so g(y) = −(y − ∞) + f(∞) for every y",
        "wrong": "functions whose surrogate has another subdifferential than the clipped one",
        "concave": "functions whose surrogate is not convex",
    }
    for column, note in notes.items():
        failures = int(rows[column].sum())
        evidence.append(
            exact_evidence(
                f"functions with g {column}, of {functions}",
                float(failures),
                bound=0.0,
                verdict=Verdict.REFUTED if failures else Verdict.CONFIRMED,
                method="exact rational arithmetic",
                note=note if failures else "",
            )
        )
    if "smooth_error" in rows:
        worst = float(rows["smooth_error"].max())
        # The central difference of step 1e-5 is off by up to 1e-5 where the clipped slope has a kink.
        evidence.append(
            exact_evidence(
                "largest error of the clipped slope for smooth losses",
                worst,
                bound=2e-5,
                verdict=Verdict.REFUTED if worst > 2e-5 else None,
                method="central difference, step 1e-5",
            )
        )
    return evidence


def proof_failures(case: Case) -> dict[str, int]:
    """Claims D.1 (item by item, inequalities not strict) and D.2's Lipschitz extension, for one function."""
    f, bound, x = case
    size = norm(x)
    if size == 0:
        return {"functions": 0, "d1": 0, "d2": 0}
    b = bound / size
    y1, y2 = clipped_surrogate.clip_levels(f, b)
    d1 = d2 = 0
    for y in places(f):
        low, high = f.subdifferential(y)
        d1 += (y > y1 and low < -b) + (y < y1 and high > -b) + (y < y2 and high > b) + (y > y2 and low < b)
    for level, target in ((y1, -b), (y2, b)):
        if isinstance(level, Fraction):
            low, high = f.subdifferential(level)
            d1 += not low <= target <= high
    d1 += y1 > y2
    if y1 != float("inf") and y2 != -float("inf"):
        g = clipped_surrogate.surrogate(f, b)
        # min over y' ∈ [y₁, y₂] of f(y') + b|y − y'| is attained at a kink, an end, y itself, or its clamp.
        ends = [v for v in (y1, y2) if isinstance(v, Fraction)]
        for y in places(f):
            spots = [*f.breaks, *ends, y]
            inside = [v for v in spots if y1 <= v <= y2]
            d2 += min(f.value(v) + b * abs(y - v) for v in inside) != g(y)
    return {"functions": 1, "d1": int(d1 > 0), "d2": int(d2 > 0)}


def measure_proof(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    """Failures of the proof's explicit steps."""
    pieces = int(point["pieces"])
    cases = enumeration(pieces) if pieces > 0 else (random_case(rng) for _ in range(int(point["random"])))
    total = {"functions": 0, "d1": 0, "d2": 0}
    for case in cases:
        for key, value in proof_failures(case).items():
            total[key] += value
    return total


def judge_proof(rows: pd.DataFrame, alpha: float) -> list[Evidence]:
    """Every step must hold for every function."""
    names = {
        "d1": "functions against Claim D.1 (sides of y₁ and y₂)",
        "d2": "functions against Claim D.2 (g is the Lipschitz extension of f from [y₁, y₂])",
    }
    return [
        exact_evidence(
            f"{name}, of {int(rows['functions'].sum())}",
            float(rows[column].sum()),
            bound=0.0,
            verdict=Verdict.REFUTED if rows[column].sum() else Verdict.CONFIRMED,
            method="exact rational arithmetic",
        )
        for column, name in names.items()
    ]


def _tier(pieces: int, random: int) -> Tier:
    return Tier(
        points=[*({"pieces": k, "random": 0} for k in range(1, pieces + 1)), {"pieces": 0, "random": random}]
    )


_SMOKE, _CI, _FULL = _tier(3, 150), _tier(4, 1_500), _tier(5, 20_000)
_PRINTED = Claim(
    id="song2021/lemma-5.1",
    kind=Kind.IDENTITY,
    title="Clipping a convex link is Huberising it",
    statement=(
        r"For convex $f:\mathbb R\to\mathbb R$, $B>0$, $x\ne 0$, $b=B/\|x\|_2$, "
        r"$y_1=\sup\{y: u<-b\ \forall u\in\partial f(y)\}$ ($-\infty$ if empty), "
        r"$y_2=\inf\{y: u>b\ \forall u\in\partial f(y)\}$ ($+\infty$ if empty), the function "
        r"$g=-b(y-y_1)+f(y_1)$ on $(-\infty,y_1)$, $f$ on $[y_1,y_2]\cap\mathbb R$, $b(y-y_2)+f(y_2)$ on "
        r"$(y_2,\infty)$ is convex, and $\partial_\theta\, g(\langle\theta,x\rangle)="
        r"\{\min(1,B/\|u\|_2)\,u : u\in\partial_\theta f(\langle\theta,x\rangle)\}$."
    ),
    how=(
        "Exact rational subgradients over all slope patterns of up to 4 (full: 5) pieces and over random "
        "functions."
    ),
    source=cite("Lemma 5.1", "section 5.1, proof in appendix D.1"),
    bound=Bound.TIGHT,
    expected=Verdict.REFUTED,
    tiers={"smoke": _SMOKE, "ci": _CI, "full": _FULL},
    measure=measure_printed,
    judge=judge,
)
_CORRECTED = replace(
    _PRINTED,
    id="song2021/lemma-5.1:corrected",
    title="Clipping a convex link is Huberising it, corners filled in",
    statement=_PRINTED.statement
    + r" Where $y_1=+\infty$ ($y_2=-\infty$), $g$ is linear of slope $-b$ ($+b$); where $x=0$, $g=f$.",
    how=(
        "The statement is local: one-sided slopes against ±b, place against y₁ and y₂. Exact rational "
        "subgradients over all patterns of up to 4 (full: 5) pieces; random functions test the argument."
    ),
    expected=Verdict.CONFIRMED,
    measure=measure_corrected,
)
_PROOF = replace(
    _PRINTED,
    id="song2021/lemma-5.1-proof",
    title="Steps of the proof of Lemma 5.1",
    statement=(
        r"Claim D.1: $-b\in\partial f(y_1)$ for finite $y_1$, $\partial f\ge -b$ right of $y_1$ and $\le "
        r"-b$ left "
        r"of it, likewise $b$ at $y_2$; $y_1\le y_2$. Claim D.2: "
        r"$g(y)=\min_{y'\in[y_1,y_2]} f(y')+b|y-y'|$ where $y_1\ne\infty$, $y_2\ne-\infty$. "
        r"(The scan loses the difference of $>$ and $\ge$; the inequalities are read as not strict.)"
    ),
    how="Both claims at every kink and on every piece, in exact rational arithmetic.",
    expected=Verdict.CONFIRMED,
    measure=measure_proof,
    judge=judge_proof,
)
CLAIMS = [_PRINTED, _CORRECTED, _PROOF]
