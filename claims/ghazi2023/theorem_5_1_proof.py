r"""Theorem 5.1, a step of its proof: the generalisation term of the first phase is of the size of the bound.

"Following the same analysis as in the proof of Theorem 4.1 with Lemma 4.2 replaced with Lemma 5.2" adds
16G²/(λᵢnᵢ) for each phase (with m in the denominator: λᵢnᵢm), and with the printed λ = G√d/(Rn√m) the first
of these is 8·RG/√(dm), not O(RG/√(nm)), when n > d. λ = (G/R)(√d/(n√m) + 1/√(nm)) repairs this
(`theorem-5.1-proof:corrected`).

How it is checked. The two terms in numbers over n, m, d.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from claims import CONFIRMED, REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, at_most, grid
from claims.ghazi2023 import PAPER
from claims.ghazi2023._rates import printed_form
from implementations.ghazi2023 import phased_erm, phased_sco


def generalisation(n: int, m: float, d: int, regulariser: float) -> float:
    """16G²/(λ₁n₁m) in units of RG, n₁ = n/2, λ₁ = 4λ: Lemma 5.2 for the first phase, with m."""
    return 16.0 / (4.0 * regulariser * (n / 2.0) * m)


def check_proof(corrected: bool, point: Point) -> Iterator[Evidence]:
    n, m, d = point.n, point.m, point.d
    of = phased_sco.corrected_regulariser if corrected else phased_erm.printed_regulariser
    form = printed_form(n, m, d)
    regulariser = of(1.0, 1.0, n, m, d)
    yield at_most(
        "16G²/(λ₁n₁m) over RG(√d/(n√m) + 1/√(nm))", generalisation(n, m, d, regulariser) / form, 16.0
    )
    yield at_most("λ₁R² over the same", 4.0 * regulariser / form, 16.0)


CLAIM = Claim(
    PAPER,
    "Theorem 5.1",
    "section 5.1",
    name="theorem-5.1-proof",
    kind=Kind.BOUND,
    title="The generalisation term of the first phase",
    statement=r"With $\lambda=G\sqrt d/(Rn\sqrt m)$ the term $16G^2/(\lambda_1n_1m)$ is at most "
    r"$16\,RG(\sqrt d/(n\sqrt m)+1/\sqrt{nm})$.",
    expected=REFUTED,
    finding=Finding(
        Weight.PROOF,
        what="Lemma 5.2 prints 16G²/(λᵢnᵢ), and its proof, for batches of nᵢm samples, gives 16G²/(λᵢnᵢm). "
        "With λ = G√d/(Rn√m), n₁ = n/2 and λ₁ = 4λ even that is 8RG/√(dm): larger than RG/√(nm) by 8√(n/d). "
        "At n = 10⁶, m = 10, d = 1 it is 2.5 RG, where the bound is 3.2·10⁻⁴ RG.",
        favour="With λ as printed the step is right for d ≥ n; λ is a choice of the proof, and another one "
        "serves: with it both terms are of the order of the bound.",
        survives="The step, with λ = (G/R)(√d/(n√m) + 1/√(nm)).",
    ),
    check=partial(check_proof, False),
    smoke=grid(n=10**6, m=10.0, d=1),
    ci=grid(n=(10**4, 10**6), m=(1.0, 1e6), d=(1, 10)),
)
CORRECTED = CLAIM.reading(
    "corrected",
    statement=r"With $\lambda=\frac GR(\sqrt d/(n\sqrt m)+1/\sqrt{nm})$ both $16G^2/(\lambda_1n_1m)$ and "
    r"$\lambda_1R^2$ are at most $16\,RG(\sqrt d/(n\sqrt m)+1/\sqrt{nm})$.",
    expected=CONFIRMED,
    summary="λ = (G/R)(√d/(n√m) + 1/√(nm))",
    check=partial(check_proof, True),
    ci=grid(n=(10, 10**4, 10**8), m=(1.0, 1e6, 1e18), d=(1, 10, 10**6)),
)
CLAIMS = [CORRECTED]
