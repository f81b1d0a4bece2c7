r"""Lemma G.2: for every n and γ there is a γ-complete, γ-sound, 1/150-robust ℓ₁-loss fingerprinting code
(Definition G.1) of length d = O(n²·log(1/γ)).

The lemma is about the existence of a code, and it holds. The proof: if the rounded output is outside F_β(D),
it is illegal on βd unanimous columns, and each of them costs at least ½ in the ℓ₁ loss, so L(M(D); D) − min L
≥ βd/2; with β = 1/75 this is d/150. The code is the one of Theorem C.5, with accusation above Z. (At the
threshold Z/2 of Algorithm 2, Definition G.1, which asks for P(i ∈ Trace) ≤ γ for each innocent i, would fail
from γ = 10⁻⁶ on: `definition-c.4`.)

How it is checked. The step in the loss exactly: outputs in [0, 1]^d that are illegal on b columns, the
excess risk from the implementation, for the cheapest such outputs (½ there, optimal elsewhere), and
random ones. Soundness and completeness by the bounds for every adversary."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from audits.judge import at_least
from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals, grid
from claims.lee2024 import PAPER, _scores
from implementations.lee2024 import fingerprinting, l1_instance


def loss_step(point: Point) -> Iterator[Evidence]:
    """Excess risk of outputs that are illegal on b columns, against b/2."""
    rng = np.random.default_rng(13)
    n = point.n
    data = (rng.random((n, 240)) < 0.5).astype(float)
    data[:, :80], data[:, 80:160] = 0.0, 1.0
    best = l1_instance.minimiser(data)
    # rounding: values at least ½ become 1, so 0 is illegal from ½ on and 1 just below ½
    just_below = np.nextafter(0.5, 0.0)
    for broken in (1, 40, 160):
        theta = best.copy()
        wrong = rng.permutation(160)[:broken]
        theta[wrong] = np.where(wrong < 80, 0.5, just_below)
        excess = float(l1_instance.excess_risk(theta, data))
        yield equals(
            "least excess risk over b/2", excess / (0.5 * broken), 1.0, point={**point.axes, "b": broken}
        )
        noisy = np.clip(theta + 0.3 * rng.random(240) * np.where(best > 0.5, -1.0, 1.0), 0.0, 1.0)
        more = float(l1_instance.excess_risk(noisy, data))
        yield at_least("excess risk over b/2", more / (0.5 * broken), 1.0, point={**point.axes, "b": broken})
    inside = np.clip(rng.random((200, 240)), 0.0, 1.0)
    least = float(l1_instance.excess_risk(inside, data).min())
    yield at_least("least excess risk of outputs", least, 0.0, point=point.axes)


def check(point: Point) -> Iterator[Evidence]:
    n, security = point.n, point.security
    yield from loss_step(point)
    law = _scores.column(n)
    d = fingerprinting.length(n, security)
    z = fingerprinting.THRESHOLDS["tardos"] * fingerprinting.score_scale(n, security)
    sound = _scores.soundness_bound(law, d, z)
    yield at_most("P(i ∈ Trace′), every adversary", sound, security, point=point.axes)
    broken = _scores.broken_bound(law, n, d, 1e-3 * security)
    silent = _scores.completeness_bound(law, n, d, z, broken) + 1e-3 * security
    yield at_most("P(Trace′ = ∅), every adversary, with errors", silent, security, point=point.axes)


CLAIM = Claim(
    PAPER,
    "Lemma G.2",
    "appendix G.1",
    kind=Kind.LOWER_BOUND,
    title="Fingerprinting codes for the ℓ₁ loss",
    statement=r"""For every $n$ and $\gamma$ there is a $\gamma$-complete, $\gamma$-sound,
$\frac1{150}$-robust $\ell_1$-loss fingerprinting code of length $5\lceil100n^2\log(n/\gamma)\rceil$: where
the excess risk is below $d/150$ somebody is traced, and each innocent user with probability at most
$\gamma$.""",
    uses=("theorem-c.5",),
    expected=CONFIRMED,
    check=check,
    smoke=grid(n=20, security=1e-8),
    ci=grid(n=(2, 5, 20, 60), security=(1e-2, 1e-6, 1e-8)),
    summary=r"Such a code exists: Algorithm 2 with the threshold $Z$; $\log(n/\gamma)$ in the length.",
)
