r"""Theorem 5.3: the clipped gradients of softmax regression are no gradient field.

x ≠ 0, K ≥ 3 classes, B > 0 such that Θ = {θ : ‖∇ℓ(θ; (x, y))‖ > B} is not empty, G the clipped gradient. No
f : C → ℝ with C° ∩ Θ ≠ ∅ that is differentiable off a set C_N ⊂ C, closed in C and of measure zero, has ∇f
= G on C° \ C_N (Song et al. 2021, section 5.3).

How it is checked. C° ∩ Θ \ C_N is open and not empty and G is smooth on Θ, so f would be C² on some ball
there; a curl that differs from zero off a null set contradicts it. The curl is a rational function of E =
exp(logits) up to a positive root, hence told from zero exactly. Every E with small integer entries, K up to
6, and random rational points are enumerated: in Θ some curl differs from zero unless E₂ = … = E_K. That is
the whole story: the numerator between class 1 and class j is ∓E_j(S·E_j − Q), S = Σ E_k, Q = Σ E_k² over k
≥ 2, and all vanish only if all E_j = Q/S. The identity of polynomials is checked in rational arithmetic:
each side has degree at most 3 in every E_k, so agreement at the grid points decides it where the grid has
four values a class. Loop integrals (quadrature with an error estimate) say the same without derivatives.
Controls: no curl without clipping (so C° ∩ Θ ≠ ∅ is needed), none for K = 2, none where E₂ = … = E_K. Θ is
empty exactly for B ≥ √2·‖x‖. The same machinery serves Theorem D.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from audits.evidence import Bound, Evidence, Verdict, exact_evidence
from claims.harness.claim import Claim, Kind, Point, Tier
from claims.song2021._cite import cite
from claims.song2021._rows import dictionaries
from implementations.song2021 import softmax_fields as fields

if TYPE_CHECKING:
    import pandas as pd

F = Fraction


def points(
    classes: int, largest: int, random: int, rng: np.random.Generator
) -> Iterator[tuple[Fraction, ...]]:
    """All E in {1, …, largest}^K with E₁ ∈ {1, 1/50}, then random rational ones over five decades."""
    for first in (F(1), F(1, 50)):
        for rest in product(range(1, largest + 1), repeat=classes - 1):
            yield (first, *(F(e) for e in rest))
    for _ in range(random):
        yield tuple(F(int(np.ceil(10.0**v)), 100) for v in rng.uniform(0.0, 5.0, classes))


def largest_loop(classes: int, b: float, per_class: bool, rng: np.random.Generator) -> tuple[float, float]:
    """Largest |∮G·dz| over a few squares inside Θ, with its error; (0, 0) where no square was found."""
    best = (0.0, 0.0)
    for _ in range(40):
        corner = rng.normal(0.0, 1.5, classes)
        corner[0] -= 3.0
        corner[1] -= 2.0 * per_class
        square = corner + np.array(list(product((0.0, 0.2), repeat=classes)))
        g = fields.field(square, 1e9, per_class=per_class)
        norm = np.abs(g[:, 0]) if per_class else np.linalg.norm(g, axis=1)
        if norm.min() <= b or (per_class and not (g[:, 1].max() < b)):
            continue
        if per_class and any(g[:, k].min() < b < g[:, k].max() for k in range(2, classes)):
            continue  # a kink inside the square spoils the quadrature
        value, error = fields.loop_integral(corner, 0, 1, 0.2, b, per_class=per_class)
        if abs(value) > abs(best[0]):
            best = (value, error)
    return best


def measure_as(per_class: bool, point: Point, rng: np.random.Generator) -> dict[str, Any]:
    """Counts over the enumeration for one (K, b)."""
    classes, b = int(point["K"]), F(str(point["b"]))
    row = {"theta": 0, "bad": 0, "exceptions": 0, "unclipped_curl": 0, "flat_curl": 0, "all_clipped": 0}
    if not per_class:
        row["other_form"] = 0
    smallest = np.inf
    pairs = [(j, k) for j in range(classes) for k in range(j + 1, classes)]
    for e in points(classes, int(point["largest"]), int(point["random"]), rng):
        row["unclipped_curl"] += any(fields.unclipped_curl(e, j, k).numerator != 0 for j, k in pairs)
        if per_class:
            clipped = fields.clipped_classes(e, b)
            if not any(clipped):
                continue
            row["theta"] += 1
            curls = [fields.per_class_curl(e, b, j, k) for j, k in pairs]
            expected = not all(clipped)
            row["all_clipped"] += all(clipped)
        else:
            if not fields.is_clipped(e, b):
                continue
            row["theta"] += 1
            curls = [fields.clipped_curl(e, b, j, k) for j, k in pairs]
            expected = len(set(e[1:])) > 1
            s, q = sum(e[1:], F(0)), sum((v * v for v in e[1:]), F(0))
            first = [c.numerator for (j, _), c in zip(pairs, curls, strict=True) if j == 0]
            row["other_form"] += first != [v * (s * v - q) for v in e[1:]]
        curled = any(c.numerator != 0 for c in curls)
        row["bad"] += curled
        if expected:
            row["exceptions"] += not curled
            smallest = min(smallest, max(abs(c.value) for c in curls))
        else:
            row["flat_curl"] += curled
    loop, error = largest_loop(classes, float(b), per_class, rng) if classes > 2 else (0.0, 0.0)
    # A witness that the bad set is not empty, whatever K ≥ 3 and b: E = (1, …, 1, N), N large.
    witness = 0
    if classes > 2:
        e = (*(F(1) for _ in range(classes - 1)), F(10**9))
        if per_class:
            witness = int(
                fields.per_class_curl(e, b, 0, 1).numerator != 0 and fields.clipped_classes(e, b)[0]
            )
        else:
            witness = int(fields.clipped_curl(e, b, 0, 1).numerator != 0)
    return {
        **row,
        "smallest_curl": float(smallest) if np.isfinite(smallest) else 0.0,
        "loop": loop,
        "loop_error": error,
        "witness": witness,
    }


def measure_joint(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    """Theorem 5.3: the whole gradient clipped."""
    return measure_as(False, point, rng)


def measure_per_class(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    """Theorem D.5: each class's block clipped."""
    return measure_as(True, point, rng)


def judge(rows: pd.DataFrame, alpha: float) -> list[Evidence]:
    """For K ≥ 3 every admissible point has curl; the controls have none."""
    evidence: list[Evidence] = []

    def add(quantity: str, value: float, holds: bool, row: dict[str, Any], note: str = "") -> None:
        evidence.append(
            exact_evidence(
                quantity,
                float(value),
                bound=0.0,
                verdict=Verdict.CONFIRMED if holds else Verdict.REFUTED,
                point={"K": row["K"], "b": row["b"]},
                method="exact rational arithmetic",
                note=note,
            )
        )

    for row in dictionaries(rows):
        where = {"K": row["K"], "b": row["b"]}
        add(
            "points with curl where nothing is clipped",
            row["unclipped_curl"],
            row["unclipped_curl"] == 0,
            row,
        )
        add(
            "points of Θ with curl on the null set or the constant part",
            row["flat_curl"],
            row["flat_curl"] == 0,
            row,
        )
        if row["K"] == 2:
            add("points of Θ with curl, two classes", row["bad"], row["bad"] == 0, row, "control")
            continue
        if "other_form" in row:
            add(
                "points of Θ whose curl between class 1 and a class j is not E_j(S·E_j − Q)",
                row["other_form"],
                row["other_form"] == 0,
                row,
                "decides the identity of polynomials where Θ holds a grid of four values a class",
            )
        add(
            f"points of Θ without curl off the exceptional set, of {row['theta']}",
            row["exceptions"],
            row["exceptions"] == 0 and row["witness"] == 1 and row["bad"] > 0,
            row,
            f"{row['bad']} points with curl, smallest {row['smallest_curl']:.3g}",
        )
        if row["loop_error"] > 0.0:
            nonzero = abs(row["loop"]) > 10.0 * row["loop_error"]
            evidence.append(
                Evidence(
                    quantity="largest loop integral inside Θ",
                    estimate=row["loop"],
                    low=row["loop"] - row["loop_error"],
                    high=row["loop"] + row["loop_error"],
                    confidence=1.0,
                    method="Gauss–Legendre quadrature",
                    bound=0.0,
                    point=where,
                    verdict=Verdict.CONFIRMED if nonzero else Verdict.INCONCLUSIVE,
                    note="a gradient field has zero",
                )
            )
        if row["all_clipped"]:
            evidence.append(
                exact_evidence(
                    "points of Θ where every class is clipped and the field is constant",
                    float(row["all_clipped"]),
                    point=where,
                    note=(
                        "on a ball of such points f linear has ∇f = G: Θ ⊆ C is needed, C° ∩ Θ ≠ ∅ is not "
                        "enough"
                    ),
                )
            )
    return evidence


def tier(classes: list[int], levels: list[str], largest: int, random: int) -> Tier:
    return Tier(
        points=[
            {"K": k, "b": b, "largest": min(largest, {2: 40, 3: 20, 4: 8, 5: 5, 6: 3}[k]), "random": random}
            for k in classes
            for b in levels
        ]
    )


CLAIM = Claim(
    id="song2021/theorem-5.3",
    kind=Kind.IDENTITY,
    title="Clipped softmax gradients are no gradient field",
    statement=(
        r"$x\ne0$, $K\ge3$, $B>0$ with $\Theta=\{\theta:\|\nabla\ell(\theta;(x,y))\|_2>B\}\ne\emptyset$ "
        r"(i.e. $B<\sqrt2\|x\|_2$), $G$ the clipped gradient. No $f:C\to\mathbb R$, "
        r"$C^\circ\cap\Theta\ne\emptyset$, "
        r"differentiable off a set $C_N$ that is closed in $C$ and of measure zero, has $\nabla f=G$ on "
        r"$C^\circ\setminus C_N$."
    ),
    how=(
        "Curl in closed form, its numerator E_j(S·E_j − Q) decided by exact evaluation on a grid; it "
        "vanishes on a null set only. Loop integrals; unclipped and K = 2 controls."
    ),
    source=cite("Theorem 5.3", "section 5.3, proof in appendix D.3"),
    bound=Bound.TIGHT,
    expected=Verdict.CONFIRMED,
    tiers={
        "smoke": tier([2, 3], ["1/10", "1"], 6, 20),
        "ci": tier([2, 3, 4, 5], ["1/100", "1/4", "1", "7/5"], 8, 150),
        "full": tier([2, 3, 4, 5, 6], ["1/100", "1/10", "1/4", "1/2", "1", "6/5", "7/5"], 20, 2_000),
    },
    measure=measure_joint,
    judge=judge,
)
