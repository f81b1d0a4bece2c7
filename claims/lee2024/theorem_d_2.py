r"""Theorem D.2: for ε-DP algorithms L(θ^priv; D) − min L(·; D) = Ω(min(1, d/(nε))) with probability ≥ ½,
with the extended linear losses (9) and the datasets of Lemma D.1.

It holds, with the constant 1/512: on n* copies of z and n − n* zeros the inequality (27),

    L(θ) − L(z) ≥ n*·min{1, ‖θ − z‖²}/(8n),

holds with ½ for ⅛, and meets Lemma D.1, which gives ‖θ − z‖ ≥ 1/16 with probability ½ for ε ≤ d/20. (For "n,
d large enough" that is no restriction where ε is fixed before d.) Why ½: for ‖y‖ ≤ 1 = ‖z‖ and s = ‖y − z‖,
1 − ⟨y, z⟩ ≥ s²/2, so ℓ(θ; z) + 1 ≥ min over s of s²/2 + max(0, r − s), r = ‖θ − z‖, which is r²/2 for r ≤ 1
and r − ½ beyond. On the unit sphere ½ is attained.

How it is checked. The losses come from the implementation. Equations (10), (24) and ℓ(θ; 0) = max(0, ‖θ‖
− 1) are checked as identities; (27) with ½ over θ of all sizes and directions, near z and far away, d up to
16, and that ½ is met."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from audits.judge import at_least
from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals, grid
from claims.lee2024 import PAPER
from claims.lee2024.lemma_3_2 import points_around
from implementations.lee2024 import lipschitz_extension, packing


def check(point: Point) -> Iterator[Evidence]:
    rng = np.random.default_rng(11)
    d = point.d
    z = packing.points(packing.words(packing.generator_matrix(d, rng)))[-1]
    n, copies = 50, 20
    data = packing.dataset(z, n, copies)
    sphere = z + 0.1 * rng.standard_normal((50, d))
    theta = np.concatenate(
        [
            sphere / np.linalg.norm(sphere, axis=1, keepdims=True),
            points_around(d, point.points, rng),
            z + points_around(d, point.points, rng),
            z * np.linspace(-3, 3, 61)[:, None],
        ]
    )
    zero = lipschitz_extension.linear_on_ball(theta, np.zeros(d))
    norms = np.linalg.norm(theta, axis=1)
    yield equals("ℓ(θ; 0) − max(0, ‖θ‖ − 1)", float(np.abs(zero - np.maximum(0.0, norms - 1.0)).max()), 0.0,
                 error=1e-12)  # fmt: skip
    single = lipschitz_extension.linear_on_ball(theta, z)
    yield at_least("least ℓ(θ; z)", float(single.min()), -1.0, point=point.axes)
    both = {tuple(record) for record in data}
    yield equals("kinds of records", len(both), 2)

    def risk(x: np.ndarray) -> np.ndarray:
        losses = [lambda t, record=record: lipschitz_extension.linear_on_ball(t, record) for record in data]
        return lipschitz_extension.extended_risk(losses, x)

    some = np.concatenate([theta[:200], theta[-61:]])
    least = float(risk(z[None])[0])
    yield equals("L(θ*), equation (24)", least, -copies / n, error=1e-12, point=point.axes)
    weighted = (copies * single + (n - copies) * zero) / n
    agree = np.concatenate([weighted[:200], weighted[-61:]])
    yield at_most("L against its two kinds of terms", float(np.abs(risk(some) - agree).max()), 1e-12)
    distance = np.linalg.norm(theta - z, axis=1)
    scale = copies / n * np.minimum(1.0, distance**2)
    ratio = (weighted - least)[distance > 1e-3] / scale[distance > 1e-3]
    least_ratio = float(ratio.min())
    yield at_least(
        "least (L(θ) − L(z)) over n*·min{1, ‖θ − z‖²}/n", least_ratio, 0.5 - 1e-6, point=point.axes
    )
    yield at_most("the same, so that ½ is met", least_ratio, 0.501, point=point.axes)


CLAIM = Claim(
    PAPER,
    "Theorem D.2",
    "appendix D",
    kind=Kind.LOWER_BOUND,
    title="Pure privacy, extended linear losses",
    statement=r"""On $n^*$ copies of $z\in\{\pm1/\sqrt d\}^d$ and $n-n^*$ zeros the extended linear
losses satisfy
$L(\theta)-L(z)\ge\frac{n^*}{2n}\min\{1,\|\theta-z\|^2\}$, four times what is printed, so with Lemma D.1
the excess is at least $n^*/(512n)$ with probability $\ge\frac12$.""",
    uses={"lemma-d.1": "", "lemma-3.2": "its losses", "theorem-3.4": "named as another way"},
    expected=CONFIRMED,
    rests_on=("lee2024/lemma-d.1",),
    check=check,
    smoke=grid(d=(2, 4), points=500),
    ci=grid(d=(2, 4, 9, 16), points=20_000),
)
