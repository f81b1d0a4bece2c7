r"""Theorem 5.3: the clipped gradients of softmax regression are no gradient field.

x ≠ 0, K ≥ 3 classes, B > 0 such that Θ = {θ : ‖∇ℓ(θ; (x, y))‖ > B} is not empty, G the clipped gradient. No f
: C → ℝ with C° ∩ Θ ≠ ∅ that is differentiable off a set C_N ⊂ C, closed in C and of measure zero, has ∇f = G
on C° \ C_N (Song et al. 2021, section 5.3).

How it is checked. C° ∩ Θ \ C_N is open and not empty and G is smooth on Θ, so f would be C² on some ball
there; a curl that differs from zero off a null set contradicts it. The curl is a rational function of E =
exp(logits) up to a positive root, hence told from zero exactly. Every E with small integer entries, K up to
6, and random rational points are enumerated: in Θ some curl differs from zero unless E₂ = … = E_K. That is
the whole story: the numerator between class 1 and class j is ∓E_j(S·E_j − Q), S = Σ E_k, Q = Σ E_k² over k ≥
2, and all vanish only if all E_j = Q/S. The identity of polynomials is checked in rational arithmetic: each
side has degree at most 3 in every E_k, so agreement at the grid points decides it where the grid has four
values a class. Loop integrals of the field in floating point (quadrature with an error estimate) say the same
without derivatives; by Green's theorem they equal the integral of the exact curl over the square. Controls:
no loop integral without clipping (so C° ∩ Θ ≠ ∅ is needed), none for K = 2, none where E₂ = … = E_K. Θ is
empty exactly for B ≥ √2·‖x‖. The same machinery serves Theorem D.5.

"If f is convex, we only need C_N to be a closed set" (the index is lost in the scan). Not even that: a convex
f, or any that is locally Lipschitz, is the integral of its derivative, which is the continuous G almost
everywhere, so f is C¹ on C° ∩ Θ, and the argument goes through with C_N empty there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_least, equals, grid, reported, undecided
from claims.song2021 import PAPER
from implementations.song2021 import softmax_fields as fields

F = Fraction
METHOD = "exact rational arithmetic"
QUADRATURE = "Gauss–Legendre quadrature"
SIDE = 0.2
"""Side of the squares that loop integrals go around."""


def points(
    classes: int, largest: int, random: int, rng: np.random.Generator
) -> Iterator[tuple[Fraction, ...]]:
    """All E in {1, …, largest}^K with E₁ ∈ {1, 1/50}, E = (1, …, 1, 10⁹), then random rational ones.

    The one with 10⁹ lies in Θ and off the exceptional set, for every clipping norm for which Θ is not empty.
    """
    for first in (F(1), F(1, 50)):
        for rest in product(range(1, largest + 1), repeat=classes - 1):
            yield (first, *(F(e) for e in rest))
    yield (*(F(1) for _ in range(classes - 1)), F(10**9))
    for _ in range(random):
        yield tuple(F(int(np.ceil(10.0**v)), 100) for v in rng.uniform(0.0, 5.0, classes))


def curls_at(e: tuple[Fraction, ...], b: Fraction, per_class: bool) -> list[fields.Curl]:
    """The curl between class 1 and class 2, 1 and 3, …, of the clipped field at a point of Θ."""
    curl = fields.per_class_curl if per_class else fields.clipped_curl
    return [curl(e, b, j, k) for j, k in combinations(range(len(e)), 2)]


def in_theta(e: tuple[Fraction, ...], b: Fraction, per_class: bool) -> tuple[bool, bool]:
    """Whether θ ∈ Θ by its definition, from c₁ = −S/Z and c_k = E_k/Z, and by the implementation."""
    s = sum(e[1:], F(0))
    c = [v / (e[0] + s) for v in (-s, *e[1:])]
    if per_class:
        return max(abs(v) for v in c) > b, any(fields.clipped_classes(e, b))
    return sum(v * v for v in c) > b * b, fields.is_clipped(e, b)


def tally(point: Point, per_class: bool) -> tuple[Counter[str], float]:
    """Counts over the points of Θ, and the smallest curl off the exceptional set."""
    b = F(point.b)
    found: Counter[str] = Counter()
    smallest = np.inf
    for e in points(point.K, point.largest, point.random, point.rng):
        inside, said = in_theta(e, b, per_class)
        found["membership"] += inside != said
        if not inside:
            continue
        curls = curls_at(e, b, per_class)
        curled = any(c.numerator != 0 for c in curls)
        found["theta"] += 1
        found["curled"] += curled
        if per_class:
            exceptional = all(fields.clipped_classes(e, b))
            found["constant"] += exceptional
        else:
            exceptional = len(set(e[1:])) == 1
            s, q = sum(e[1:], F(0)), sum((v * v for v in e[1:]), F(0))
            # The pairs with class 1 stand first.
            first = [c.numerator for c in curls[: point.K - 1]]
            found["other form"] += first != [v * (s * v - q) for v in e[1:]]
        if exceptional:
            found["curled exceptions"] += curled
        else:
            found["flat"] += not curled
            smallest = min(smallest, max(abs(c.value) for c in curls))
    return found, float(smallest)


def square_inside(classes: int, b: float, per_class: bool, rng: np.random.Generator) -> np.ndarray | None:
    """A random corner of a square in the plane of classes 1 and 2 that lies in Θ and holds no kink."""
    corner = rng.normal(0.0, 1.5, classes)
    corner[0] -= 3.0
    corner[1] -= 2.0 * per_class
    square = corner + np.array(list(product((0.0, SIDE), repeat=classes)))
    g = fields.field(square, 1e9, per_class=per_class)
    norm = np.abs(g[:, 0]) if per_class else np.linalg.norm(g, axis=1)
    if norm.min() <= b or (per_class and not (g[:, 1].max() < b)):
        return None
    if per_class and any(g[:, k].min() < b < g[:, k].max() for k in range(2, classes)):
        return None
    return corner


def curl_integral(corner: np.ndarray, b: Fraction, per_class: bool) -> float:
    """−∬ (∂G₁/∂z₂ − ∂G₂/∂z₁) over the square at `corner`, Gauss–Legendre with 10 × 10 nodes."""
    total = 0.0
    nodes = zip(*np.polynomial.legendre.leggauss(10), strict=True)
    for (s, u), (t, v) in product(nodes, repeat=2):
        z = corner + 0.5 * SIDE * np.array([s + 1.0, t + 1.0, *np.zeros(len(corner) - 2)])
        curl = curls_at(tuple(F(float(v)) for v in np.exp(z)), b, per_class)[0]
        total -= 0.25 * SIDE**2 * u * v * curl.value
    return total


def loops(point: Point, per_class: bool) -> Iterator[Evidence]:
    """The largest loop integral over a few squares inside Θ; no evidence where no square was found."""
    b = float(F(point.b))
    free, error = fields.loop_integral(point.rng.normal(size=point.K), 0, 1, SIDE, 1e9, per_class=per_class)
    yield equals("loop integral where nothing is clipped", free, 0.0, error=error, method=QUADRATURE)
    if point.K == 2:
        return
    corners = [square_inside(point.K, b, per_class, point.rng) for _ in range(40)]
    found = [
        (fields.loop_integral(corner, 0, 1, SIDE, b, per_class=per_class), corner)
        for corner in corners
        if corner is not None
    ]
    if not found:
        return
    (value, error), corner = max(found, key=lambda item: abs(item[0][0]))
    green = curl_integral(corner, F(point.b), per_class)
    yield equals(
        "largest loop integral inside Θ against the integral of the curl", value, green,
        error=error + 1e-12, method=QUADRATURE, note="a gradient field has zero",
    )  # fmt: skip
    if abs(value) <= 10.0 * error:
        yield undecided("largest loop integral inside Θ", value, "not told from zero by the quadrature")


def field_apart(point: Point, per_class: bool) -> float:
    """Largest difference of the field on a batch with two axes from its definition, row by row.

    The logits of the second half of the batch are so far apart that exp(z) is no floating-point number.
    """
    b, logits = float(F(point.b)), point.rng.normal(0.0, 1.5, (2, 3, point.K))
    logits[1, :, 1] += 2_000.0
    with np.errstate(over="ignore", invalid="ignore"):
        found = fields.field(logits, b, per_class=per_class)
    differences: list[float] = []
    for row, given in zip(logits.reshape(-1, point.K), found.reshape(-1, point.K), strict=True):
        c = np.exp(row - row.max())
        c /= c.sum()
        c[0] = -c[1:].sum()
        size = np.abs(c) if per_class else np.linalg.norm(c)
        differences.append(float(np.abs(given - c / np.maximum(size / b, 1.0)).max()))
    return max(differences) if np.isfinite(differences).all() else np.inf


def check(point: Point, *, per_class: bool) -> Iterator[Evidence]:
    """For K ≥ 3 every point of Θ off the exceptional set has curl; the controls have none."""
    found, smallest = tally(point, per_class)

    def none(words: str, key: str, note: str = "") -> Evidence:
        return equals(words, found[key], 0, method=METHOD, note=note)

    yield none("points at which the program and the definition of Θ disagree", "membership")
    yield equals("field on a batch, largest difference from its definition", field_apart(point, per_class),
                 0.0, error=1e-12, decides=False, method="both computed")  # fmt: skip
    yield from loops(point, per_class)
    if point.K == 2:
        yield none("points of Θ with curl, two classes", "curled", "control")
        return
    exceptional = "every class is clipped" if per_class else "E₂ = … = E_K"
    yield none(f"points of Θ with curl where {exceptional}", "curled exceptions")
    if not per_class:
        yield none(
            "points of Θ whose curl between class 1 and a class j is not E_j(S·E_j − Q)", "other form",
            "decides the identity of polynomials where Θ holds a grid of four values a class",
        )  # fmt: skip
    yield none(
        f"points of Θ without curl off the exceptional set, of {found['theta']}", "flat",
        f"{found['curled']} points with curl, smallest {smallest:.3g}",
    )  # fmt: skip
    yield at_least("points of Θ with curl", found["curled"], 1, method=METHOD)
    if found["constant"]:
        note = "on a ball of such points f linear has ∇f = G: Θ ⊆ C is needed, C° ∩ Θ ≠ ∅ is not enough"
        words = "points of Θ where every class is clipped and the field is constant"
        yield reported(words, found["constant"], note=note)


def points_of(classes: list[int], levels: list[str], largest: int, random: int) -> list[dict[str, Any]]:
    """All K and b (rational, written as text); entries of E up to `largest`, fewer for many classes."""
    most = {2: 40, 3: 20, 4: 8, 5: 5, 6: 3}
    return [p for k in classes for p in grid(K=k, b=levels, largest=min(largest, most[k]), random=random)]


CLAIM = Claim(
    PAPER,
    "Theorem 5.3",
    "section 5.3, proof in appendix D.3",
    kind=Kind.IDENTITY,
    title="Clipped softmax gradients are no gradient field",
    statement=r"$x\ne0$, $K\ge3$, $B>0$ with "
    r"$\Theta=\{\theta:\|\nabla\ell(\theta;(x,y))\|_2>B\}\ne\emptyset$ (i.e. $B<\sqrt2\|x\|_2$), $G$ the "
    r"clipped gradient. No $f:C\to\mathbb R$, $C^\circ\cap\Theta\ne\emptyset$, differentiable off a set "
    r"$C_N$ that is closed in $C$ and of measure zero, has $\nabla f=G$ on $C^\circ\setminus C_N$.",
    expected=CONFIRMED,
    check=partial(check, per_class=False),
    smoke=points_of([2, 3], ["1/10", "1"], 6, 20),
    ci=points_of([2, 3, 4, 5], ["1/100", "1/4", "1", "7/5"], 8, 150),
    full=points_of([2, 3, 4, 5, 6], ["1/100", "1/10", "1/4", "1/2", "1", "6/5", "7/5"], 20, 2_000),
)
