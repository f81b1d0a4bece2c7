"""The example paper examples/papers/lyu2017: its laws against other computations, its claims, its bugs.

Nothing here draws samples but the claims themselves, which call a true statement refuted with probability
1e-6 each.
"""

from __future__ import annotations

import itertools
import math
import sys
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "papers" / "lyu2017"
if str(FOLDER.parent) not in sys.path:
    sys.path.append(str(FOLDER.parent))


@pytest.fixture
def law() -> ModuleType:
    from lyu2017 import _law

    return _law


@pytest.fixture
def variants() -> ModuleType:
    from lyu2017 import _variants

    return _variants


def below(z: float, scale: float) -> float:
    """P(Lap(scale) ≤ z)."""
    return 0.5 * math.exp(z / scale) if z < 0.0 else 1.0 - 0.5 * math.exp(-z / scale)


def by_quad(variant, queries, answers) -> float:
    """The same probability by SciPy's quadrature, from the definition."""
    from scipy.integrate import quad

    def given(z: float) -> float:
        product = math.exp(-abs(z) / variant.threshold_scale) / (2.0 * variant.threshold_scale)
        for query, answer in zip(queries, answers, strict=True):
            product *= below(z - query if answer == "⊥" else query - z, variant.query_scale)
        return product

    kinks = sorted({-200.0, 0.0, 200.0, *queries})
    return sum(quad(given, a, b, epsrel=1e-11, epsabs=1e-15)[0] for a, b in itertools.pairwise(kinks))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("algorithm_1", (1.0, 2)),
        ("algorithm_4", (0.5, 2)),
        ("algorithm_3", (2.0, 1)),
        ("algorithm_6", (1.0,)),
    ],
)
def test_bounds_hold_the_integral(law, variants, name, arguments):
    variant = getattr(variants, name)(*arguments)
    for queries, answers in [((0.5,), "⊤"), ((0.3, -1.0, 2.0), "⊥⊥⊤"), ((1.0, 0.0, -2.5), "⊥⊥⊥")]:
        bounds = law.probability(variant, queries, answers)
        exact = by_quad(variant, queries, answers)
        assert bounds.low * (1 - 1e-9) <= exact <= bounds.high * (1 + 1e-9)
        assert bounds.high / bounds.low - 1.0 < 1e-4


def test_bounds_hold_the_closed_form(law, variants):
    """All queries 0, m times ⊥ and c times ⊤: two incomplete Beta functions, of x = 1 − F and of F."""
    from scipy.special import beta, betainc

    for m, c in [(3, 1), (40, 2), (200, 5)]:
        variant = variants.algorithm_1(1.0, c)
        ratio = variant.query_scale / variant.threshold_scale
        parts = [(c + ratio, m + 1), (m + ratio, c + 1)]
        exact = sum(beta(a, b) * betainc(a, b, 0.5) for a, b in parts) * ratio / 2.0 * 2.0**ratio
        bounds = law.probability(variant, [0.0] * (m + c), "⊥" * m + "⊤" * c)
        assert bounds.low * (1 - 1e-9) <= exact <= bounds.high * (1 + 1e-9)


def test_no_answers_to_few_queries_lose_more_than_the_substitution_allows(law, variants, monkeypatch):
    """Brute force: every move of three queries by -1, 0 or 1, all runs, in both directions."""
    from lyu2017._evidence import complete_runs

    monkeypatch.setattr(law, "CELLS", 4000)
    for variant in (variants.algorithm_1(1.0, 2), variants.algorithm_2(1.0, 2), variants.algorithm_4(1.0, 1)):
        allowed = law.allowed_loss(variant, 3)
        first = (0.0, 0.0, 0.0)
        for second in itertools.product((-1.0, 0.0, 1.0), repeat=3):
            for run in complete_runs(variant.stop, 3):
                one, two = (law.probability(variant, q[: len(run)], run) for q in (first, second))
                loss, error = one.loss(two)
                assert abs(loss) <= allowed + error


def test_the_event_of_algorithm_3_by_double_integral(variants):
    from lyu2017.algorithm_3 import log_probability
    from scipy.integrate import dblquad

    variant = variants.algorithm_3(1.0, 1)
    line, noise = variant.threshold_scale, variant.query_scale

    def density(z: float, y: float) -> float:  # z ≤ y ≤ 0; the third query is 1
        number = math.exp((y - 1.0) / noise) / (2.0 * noise)
        return number * math.exp(z / line) / (2.0 * line) * below(z, noise) ** 2

    exact = dblquad(density, -60.0, 0.0, -60.0, lambda y: y, epsrel=1e-8)[0]
    assert math.exp(log_probability(variant, [0.0, 0.0, 1.0])) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("bad", ["⊥", "⊥x", "⊤⊤"])
def test_answers_that_cannot_be_are_refused(law, variants, bad):
    with pytest.raises(ValueError, match="answers"):
        law.probability(variants.algorithm_1(1.0, 1), [0.0, 0.0], bad)


def test_queries_that_are_not_numbers_are_refused(variants):
    import numpy as np

    with pytest.raises(ValueError, match="queries"):
        variants.run(variants.algorithm_5(1.0), [float("nan")], 3, np.random.default_rng(0))


@pytest.mark.slow
def test_every_claim_conforms(dpclaims):
    status, shown, _ = dpclaims("check", str(FOLDER))
    assert (status, shown.splitlines()[-1]) == (0, "20 claims checked by 11 rules, 0 problems")


@pytest.mark.slow
def test_every_planted_bug_is_caught(dpclaims):
    status, shown, _ = dpclaims("mutants", "lyu2017-*", "--claims", str(FOLDER))
    assert (status, shown.splitlines()[-1]) == (0, "15 of 15 bugs caught, 0 with a reason to survive")
