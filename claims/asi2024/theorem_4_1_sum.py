r"""Theorem 4.1, utility, the end of its proof: seven terms, and their sum at the printed r, η and T.

With G = R = 1 the proof ends with √d/(rT) + 1/(ηT) + ηTdL²/(mn²ε²) + r + η√T + ηT/(nm) + δ/(mnd), L =
log(Tmnd/δ). At the printed r, η, and T = m²n² + mn√d, with l = log(mnd/δ): the first, the fourth, the fifth,
the sixth and the seventh are at most 1/√(nm), the second at most √d·l/(√m·nε) + 2/√(nm), the third at most
(L/l)²·√d·l/(√m·nε), and L ≤ 4l. So the sum is at most 17 times 1/√(nm) + √d·l/(√m·nε), and the theorem
follows from it.

The conclusion of the paper has T ≥ n²m²·min(1, n²/d), the theorem T = O(m²n² + mn√d). For d > n² the former
is smaller, and it suffices as well wherever the bound says something (`:conclusion`): the two places do not
contradict each other.

The proof takes the noise of Theorem 3.2 and the concentration of Lemma 4.6 for granted
(theorem-4.1-utility-proof).

How it is checked. The seven terms at the parameters of the implementation, over a grid of (n, m, d, ε, δ):
their sum over the form, and each term over its own part of the bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_least, at_most, grid, reported
from claims.asi2024 import PAPER
from implementations.asi2024.dp_sgd import Parameters, printed_parameters, printed_steps
from implementations.privacy import PrivacyBudget

CONSTANT = 17.0


def terms(setting: Parameters, n: int, m: int, d: int, epsilon: float, log_delta: float) -> list[float]:
    """The seven terms of the proof, G = R = 1; log_delta = log(1/δ)."""
    steps, eta, r = setting.steps, setting.step_size, setting.radius
    log = math.log(steps) + math.log(m * n * d) + log_delta
    return [
        math.sqrt(d) / (r * steps),
        1.0 / (eta * steps),
        eta * steps * d * log**2 / (m * (n * epsilon) ** 2),
        r,
        eta * math.sqrt(steps),
        eta * steps / (n * m),
        math.exp(-log_delta) / (m * n * d),
    ]


def parts(n: int, m: int, d: int, epsilon: float, log_delta: float) -> tuple[float, float]:
    """1/√(nm) and √d·log(mnd/δ)/(√m·nε)."""
    log = math.log(m * n * d) + log_delta
    return 1.0 / math.sqrt(n * m), math.sqrt(d) * log / (math.sqrt(m) * n * epsilon)


def check(point: Point) -> Iterator[Evidence]:
    """The sum over the form, at the T of the theorem or of the conclusion."""
    n, m, d, epsilon = point.n, point.m, point.d, point.epsilon
    steps = printed_steps(n, m, d)
    if point.steps == "conclusion":
        steps = math.ceil((n * m) ** 2 * min(1.0, n**2 / d))
    log_delta = point.log10_delta * math.log(10.0)
    setting = printed_parameters(
        n, m, d, PrivacyBudget(epsilon, 10.0**-point.log10_delta), 1.0, 1.0, steps=steps
    )
    found = terms(setting, n, m, d, epsilon, log_delta)
    statistical, private = parts(n, m, d, epsilon, log_delta)
    form = statistical + private
    if form >= 1.0:
        yield reported("form of the bound over GR, which says nothing here", form)
        return
    yield at_most("seven terms over the form", sum(found) / form, CONSTANT)
    yield at_least("seven terms over the form, least", sum(found) / form, 2.0)
    if point.steps == "theorem":
        for k in (0, 3, 4, 5, 6):
            yield at_most(f"term {k + 1} over 1/√(nm)", found[k] / statistical, 1.0 + 1e-9)
        yield at_most("term 2 over its part", found[1] / (private + 2.0 * statistical), 1.0 + 1e-9)
        yield at_most("term 3 over its part", found[2] / (16.0 * private), 1.0)


CLAIM = Claim(
    PAPER,
    "Theorem 4.1, utility",
    "appendix C.4",
    name="theorem-4.1-utility-sum",
    kind=Kind.BOUND,
    title="The sum of seven terms at the printed parameters",
    statement=r"At $r=d^{1/4}R/\sqrt T$, the printed $\eta$ and $T=m^2n^2+mn\sqrt d$ the seven terms of the "
    r"proof add up to at most $17\,GR\big(\frac1{\sqrt{nm}}+\frac{\sqrt d\log(mnd/\delta)}{\sqrt "
    r"m\,n\varepsilon}\big)$.",
    expected=CONFIRMED,
    summary="the optimisation at the end of the proof is right, with the constant 17",
    check=check,
    smoke=grid(n=(100, 10_000), m=(1, 100), d=(1, 100), epsilon=(0.1, 5.0), log10_delta=6.0, steps="theorem"),
    ci=grid(
        n=(100, 10_000, 10**6), m=(1, 100, 10**4), d=(1, 100, 10**4), epsilon=(0.1, 1.0, 9.0),
        log10_delta=(1.0, 6.0, 30.0), steps="theorem",
    ),
)  # fmt: skip
CONCLUSION = CLAIM.reading(
    "conclusion",
    place="section 6",
    title="The sum of seven terms with the number of steps of the conclusion",
    statement=r"With $T=n^2m^2\min(1,n^2/d)$, as the conclusion has it, the seven terms add up to at most "
    r"17 times the same form wherever that is below $GR$.",
    summary="the T of the conclusion suffices too",
    smoke=grid(n=(100,), m=(10**6,), d=(10**4, 10**5), epsilon=(5.0,), log10_delta=6.0, steps="conclusion"),
    ci=grid(
        n=(100, 1000),
        m=(10**4, 10**6),
        d=(10**4, 10**5, 10**6),
        epsilon=(1.0, 9.0),
        log10_delta=6.0,
        steps="conclusion",
    ),
)
CLAIMS = [CONCLUSION]
