r"""Lemma 5.1: clipping the subgradients of a convex link is differentiating a Huberised convex link.

For a convex f : ℝ → ℝ, a clipping norm B > 0 and a vector x ≠ 0 put b = B/‖x‖₂, y₁ = sup{y : u < −b for all u
∈ ∂f(y)} (−∞ where there is none), y₂ = inf{y : u > b for all u ∈ ∂f(y)} (+∞ where there is none), and let g
follow f on [y₁, y₂] and be −b·(y − y₁) + f(y₁) on (−∞, y₁) and b·(y − y₂) + f(y₂) on (y₂, ∞). Then g is
convex, and with ℓ_f(θ) = f(⟨θ, x⟩), ℓ_g(θ) = g(⟨θ, x⟩), ∂ℓ_g(θ) = {min(1, B/‖u‖)·u : u ∈ ∂ℓ_f(θ)} for every θ
(Song et al. 2021, section 5.1).

Why this decides all convex f. The statement is local: with f′∓ the one-sided derivatives, ∂f(y) = [f′₋(y),
f′₊(y)], and convexity of g and ∂g follow from g′₋(y) = clip(f′₋(y)) and g′₊(y) = clip(f′₊(y)), clip to [−b,
b], at every y. g′₋(y) is −b for y ≤ y₁, f′₋(y) for y₁ < y ≤ y₂ and b for y > y₂. By monotone subgradients
f′₋(y) = sup over y′ < y of f′₊(y′); so f′₋(y) ≤ −b for y ≤ y₁, −b ≤ f′₋(y) ≤ b between, f′₋(y) ≥ b for y >
y₂, and the three cases agree with the clip; f′₊ is the mirror image. Only the order of the two slopes at y
against ±b and the place of y against y₁, y₂ enter, and the enumeration visits every such combination that a
piecewise-linear f has. The one it has not, slopes that tend to −b or b at y₁ or y₂, is that of the smooth
links. A clipped monotone slope is monotone, hence g convex; the chain rule through θ ↦ ⟨θ, x⟩, onto for x ≠
0, gives the statement in θ. The random functions test this argument and the code; they carry no confirmation
alone.

Where every slope is below −b, y₁ = +∞ and the first branch of g, −b·(y − y₁) + f(y₁), which then covers all
of ℝ, has no value (f(y) = −2y, B = ‖x‖ = 1: it reads ∞ − ∞); the same with all slopes above b. The proof has
the case: g is linear of slope −b (+b) there, any constant, and so it is read here. For x = 0, which the lemma
leaves out and Corollary 5.2 needs, clipping changes nothing and g = f.

How it is checked. Exactly, in rational arithmetic, over all convex piecewise-linear f with up to four pieces
whose slopes take every order type against ±b (three values in each of the outer ranges, ±b themselves, three
inside), and over random ones with random B, x and θ. The one-sided derivatives of g are taken from its values
alone and compared with the clipped subdifferential. Of
smooth losses a central difference of the surrogate is compared with its own slope and with the clipped one;
with step h it is right up to h/2 times the smoothness.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, equals, grid
from claims.song2021 import PAPER
from implementations import losses
from implementations.interfaces import Loss
from implementations.song2021 import clipped_surrogate

F = Fraction
SLOPES = (F(-4), F(-3), F(-2), F(-1), F(-1, 2), F(0), F(1, 2), F(1), F(2), F(3), F(4))
"""Slopes of the enumeration in units of b: every order type against ±b, three values in each open range."""
VECTORS = ((1,), (3, 4), (-3, 4), (1, 2, 2), (2, -3, 6), (0, 0), (1, 1, 1, 1))
"""Feature vectors of rational norm, x = 0 among them."""
METHOD = "exact rational arithmetic"
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


def largest_piece(f: clipped_surrogate.PiecewiseLinear, y: Fraction) -> Fraction:
    """f(y) as the largest of its affine pieces, which meet at the kinks, less that at 0, plus f(0)."""
    intercepts = [F(0)]
    for kink, (before, after) in zip(f.breaks, pairwise(f.slopes), strict=True):
        intercepts.append(intercepts[-1] + (before - after) * kink)

    def highest(z: Fraction) -> Fraction:
        return max(s * z + c for s, c in zip(f.slopes, intercepts, strict=True))

    return f.offset + highest(y) - highest(F(0))


def clipped_subdifferential(
    f: clipped_surrogate.PiecewiseLinear, y: Fraction, bound: Fraction, x: tuple[int, ...]
) -> tuple[Fraction, Fraction]:
    """{min(1, B/‖u‖)·u : u = s·x, s ∈ ∂f(y)} as an interval of multiples of x, B = `bound`."""
    size = norm(x)

    def scaled(s: Fraction) -> Fraction:
        return s if abs(s) * size <= bound else s * bound / (abs(s) * size)

    low, high = f.subdifferential(y)
    return scaled(low), scaled(high)


def cases_of(point: Point) -> Iterator[Case]:
    """The functions of a grid point: all of so many pieces, or so many random ones."""
    if "random" in point:
        return (random_case(point.rng) for _ in range(point.random))
    return enumeration(point.pieces)


def tally(cases: Iterable[Case], failures: Callable[[Case], Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for case in cases:
        total.update(failures(case))
    return total


def failed(point: Point, total: Counter[str], names: dict[str, str]) -> Iterator[Evidence]:
    """No function may fail; random functions refute and do not confirm."""
    for key, words in names.items():
        yield equals(
            f"{words}, of {total['functions']}", total[key], 0, decides="pieces" in point, method=METHOD
        )


def surrogate_failures(case: Case) -> Counter[str]:
    """Whether f has another value than that of its pieces, g another subdifferential than the clipped one, or
    a slope that falls."""
    f, bound, x = case
    size = norm(x)
    g = clipped_surrogate.surrogate(f, bound / size if size else None)
    found = Counter(functions=1)
    last: Fraction | None = None
    for y in places(f):
        found["value"] |= f.value(y) != largest_piece(f, y)
        slopes = clipped_surrogate.one_sided_slopes(g, y, f.breaks)
        found["concave"] |= slopes[0] > slopes[1] or (last is not None and slopes[0] < last)
        last = slopes[1]
        found["wrong"] |= slopes != (
            clipped_subdifferential(f, y, bound, x) if size else f.subdifferential(y)
        )
    return found


def check_surrogate(point: Point) -> Iterator[Evidence]:
    if "step" in point:
        yield from check_smooth(point.step)
        return
    names = {
        "value": "functions whose value is not that of their highest piece",
        "wrong": "functions whose ∂g is not the clipped ∂f",
        "concave": "functions whose g is not convex",
    }
    yield from failed(point, tally(cases_of(point), surrogate_failures), names)


def steep_link(name: str, sign: float) -> Loss:
    """±z + log(1 + e^{±z}): its slope is beyond ±1 everywhere, so that y₁ = +∞ or y₂ = −∞ for b ≤ 1."""

    def value(z: Any, y: Any) -> Any:
        return np.logaddexp(0.0, sign * z) + sign * z

    def slope(z: Any, y: Any) -> Any:
        return 1.5 * sign + 0.5 * np.tanh(0.5 * z)

    return Loss(name, value, slope, 2.0, 0.25, convex=True)


def check_smooth(step: float) -> Iterator[Evidence]:
    """The surrogates of smooth links: their slope against a central difference, and against the clip.

    A central difference of a function whose derivative is β-Lipschitz is off by at most β·step/2; rounding of
    values up to 20 adds less than 20·2⁻⁵²/step.
    """
    z = np.linspace(-9.0, 9.0, 721)
    targets = np.ones_like(z)
    steep = steep_link("steep", -1.0), steep_link("rising", 1.0)
    for link in (losses.logistic(), losses.pseudo_huber(1.0), *steep):
        worst, apart, wrong = 0.0, 0.0, 0
        for bound in (0.05, 0.3, 0.9, 1.0):
            g = clipped_surrogate.surrogate_loss(link, bound)
            difference = (g.value(z + step, targets) - g.value(z - step, targets)) / (2.0 * step)
            clipped = np.clip(link.slope(z, targets), -bound, bound)
            worst = max(worst, float(np.abs(difference - clipped).max()))
            apart = max(apart, float(np.abs(g.slope(z, targets) - clipped).max()))
            stated = (min(bound, link.lipschitz), link.smoothness, True)
            wrong += (g.lipschitz, g.smoothness, g.convex) != stated
        error = 0.5 * step * link.smoothness + 20.0 * 2.0**-52 / step
        yield equals(
            f"largest |g′ − clipped slope|, {link.name} link", worst, 0.0, error=error, decides=False,
            method=f"central difference, step {step:g}",
        )  # fmt: skip
        yield equals(f"largest |slope of g − clipped slope|, {link.name} link", apart, 0.0, decides=False)
        quantity = (
            f"surrogates that are not said to be b-Lipschitz, as smooth as f and convex, {link.name} link"
        )
        yield equals(quantity, wrong, 0, decides=False)


def proof_failures(case: Case) -> Counter[str]:
    """y₁ and y₂ of a function against their definition, Claims D.1 (inequalities not strict) and D.2."""
    f, bound, x = case
    size = norm(x)
    if size == 0:
        return Counter()
    b = bound / size
    y1, y2 = clipped_surrogate.clip_levels(f, b)
    d1, levels = y1 > y2, False
    for y in places(f):
        low, high = f.subdifferential(y)
        levels |= (y < y1 and high >= -b) or (y > y1 and high < -b)  # y₁ = sup{y : u < −b for all u ∈ ∂f(y)}
        levels |= (y > y2 and low <= b) or (y < y2 and low > b)  # y₂ = inf{y : u > b for all u ∈ ∂f(y)}
        d1 |= (y > y1 and low < -b) or (y < y1 and high > -b) or (y < y2 and high > b) or (y > y2 and low < b)
    for level, target in ((y1, -b), (y2, b)):
        if isinstance(level, Fraction):
            low, high = f.subdifferential(level)
            d1 |= not low <= target <= high
    d2 = False
    if y1 != float("inf") and y2 != -float("inf"):
        g = clipped_surrogate.surrogate(f, b)
        # min over y' ∈ [y₁, y₂] of f(y') + b|y − y'| is attained at a kink, an end, y itself, or its clamp.
        ends = [v for v in (y1, y2) if isinstance(v, Fraction)]
        for y in places(f):
            inside = [v for v in (*f.breaks, *ends, y) if y1 <= v <= y2]
            d2 |= min(f.value(v) + b * abs(y - v) for v in inside) != g(y)
    return Counter(functions=1, levels=int(levels), d1=int(d1), d2=int(d2))


def check_proof(point: Point) -> Iterator[Evidence]:
    names = {
        "levels": "functions whose y₁ or y₂ is not the supremum or infimum that defines it",
        "d1": "functions against Claim D.1 (slopes left and right of y₁ and y₂)",
        "d2": "functions against Claim D.2 (g is the Lipschitz extension of f from [y₁, y₂])",
    }
    yield from failed(point, tally(cases_of(point), proof_failures), names)


def functions(pieces: int, random: int) -> list[dict[str, Any]]:
    return [*grid(pieces=range(1, pieces + 1)), *grid(random=random)]


SMOOTH = grid(step=1e-5)

CLAIM = Claim(
    PAPER,
    "Lemma 5.1",
    "section 5.1, proof in appendix D.1",
    kind=Kind.IDENTITY,
    title="Clipping a convex link is Huberising it",
    statement=r"For convex $f:\mathbb R\to\mathbb R$, $B>0$, $x\ne 0$, $b=B/\|x\|_2$, $y_1=\sup\{y: u<-b\ "
    r"\forall u\in\partial f(y)\}$ ($-\infty$ if empty), $y_2=\inf\{y: u>b\ \forall u\in\partial f(y)\}$ "
    r"($+\infty$ if empty), the function $g=-b(y-y_1)+f(y_1)$ on $(-\infty,y_1)$, $f$ on "
    r"$[y_1,y_2]\cap\mathbb R$, $b(y-y_2)+f(y_2)$ on $(y_2,\infty)$ is convex, and $\partial_\theta\, "
    r"g(\langle\theta,x\rangle)=\{\min(1,B/\|u\|_2)\,u : u\in\partial_\theta f(\langle\theta,x\rangle)\}$. "
    r"(Where $y_1=+\infty$ or $y_2=-\infty$, $g$ is linear of slope $-b$ or $+b$, as in the proof.)",
    expected=CONFIRMED,
    check=check_surrogate,
    smoke=[*functions(3, 150), *SMOOTH],
    ci=[*functions(4, 1_500), *SMOOTH],
    full=[*functions(5, 20_000), *SMOOTH],
)
PROOF = Claim(
    PAPER,
    "Lemma 5.1",
    "appendix D.1",
    name="lemma-5.1-proof",
    kind=Kind.IDENTITY,
    title="Steps of the proof of Lemma 5.1",
    statement=r"Claim D.1: $-b\in\partial f(y_1)$ for finite $y_1$, $\partial f\ge -b$ right of $y_1$ and "
    r"$\le -b$ left of it, likewise $b$ at $y_2$; $y_1\le y_2$. Claim D.2: "
    r"$g(y)=\min_{y'\in[y_1,y_2]} f(y')+b|y-y'|$ where $y_1\ne\infty$, $y_2\ne-\infty$. "
    r"(The scan loses the difference of $>$ and $\ge$; the inequalities are read as not strict.)",
    expected=CONFIRMED,
    check=check_proof,
    smoke=functions(3, 150),
    ci=functions(4, 1_500),
    full=functions(5, 20_000),
)
CLAIMS = [PROOF]
