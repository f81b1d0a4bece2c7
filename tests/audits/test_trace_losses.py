"""Privacy losses of draws and their composition, against closed forms and against dp-accounting."""

from __future__ import annotations

import math
from typing import Any

import dp_accounting
import numpy as np
import pytest
from dp_accounting import rdp
from dp_accounting.pld import PLDAccountant
from dp_accounting.pld import privacy_loss_distribution as pld
from scipy import stats

from audits.divergence import hockey_stick
from audits.laws import Gaussian
from audits.privacy import claims
from audits.trace.explain.coins import chance_of
from audits.trace.ledger import comparisons
from audits.trace.ledger.claim import Claim
from audits.trace.ledger.entries import entries
from audits.trace.ledger.laws import frozen
from audits.trace.ledger.losses import Loss, between, compose, divergence, finite, gaussian_epsilon
from audits.trace.records import BITS, Draw, Row

WHERE, LN3 = ("a.py", 1, "fit"), math.log(3.0)


@pytest.mark.parametrize(
    ("losses", "delta", "cost"),
    [
        ([], 1e-5, 0.0),
        ([Loss("laplace", 0.0), finite([0.5, 0.5], [0.5, 0.5])], 1e-5, 0.0),
        (
            [Loss("laplace", 0.3), Loss("pure", 0.2), finite([0.75, 0.25], [0.25, 0.75])],
            0.0,
            0.5 + math.log(3.0),
        ),
        ([Loss("gaussian", 0.6), Loss("gaussian", 0.8)], 1e-5, gaussian_epsilon(1.0, 1e-5)),
        ([Loss("gaussian", 0.1)], 0.0, math.inf),
        ([Loss("gaussian", math.inf), Loss("gaussian", 0.1)], 1e-5, math.inf),  # no noise
        # (1 − q)·Q + q·P against Q has losses up to log(1 + q(e^r − 1)) (Balle, Barthe and Gaboardi 2018).
        ([Loss("laplace", 1.0, rate=0.25)], 0.0, math.log1p(0.25 * math.expm1(1.0))),
    ],
)
def test_losses_add_up(losses: list[Loss], delta: float, cost: float) -> None:
    assert compose(losses, delta) == pytest.approx(cost, rel=1e-9)


def test_own_deltas_are_covered_by_the_claim_that_they_add_up_to() -> None:
    losses = [Loss("pure", 0.5, delta=0.05), Loss("pure", 0.5, delta=0.05)]
    # Both infinite losses together have probability 0.0975.
    assert 0.98 < compose(losses, 0.1) <= 1.0
    assert compose(losses[:1], 0.05) == pytest.approx(0.5, rel=1e-9)
    assert compose(losses, 0.01) == math.inf
    # Kairouz, Oh and Viswanath (2015), Theorem 3.3: k = 3, i = 1.
    spared = (math.exp(1.5) - math.exp(0.5)) / (1.0 + math.exp(0.5)) ** 3
    assert compose(losses[:1] * 3, 1.0 - 0.95**3 * (1.0 - spared)) == pytest.approx(0.5, abs=2e-3)


def test_two_laws_of_scipy() -> None:
    loss = between(stats.logistic(0.0, 1.0), stats.logistic(0.7, 1.0))
    # The logistic law moved by s scales has losses up to s.
    assert loss.largest == pytest.approx(0.7, rel=1e-3)


@pytest.mark.parametrize(
    ("laplaces", "gaussians", "rate", "steps"),
    [
        ((0.5,) * 4, (), 1.0, 1),
        ((0.2,), (0.3, 0.4), 1.0, 1),
        ((1.0,) * 8, (0.5,), 1.0, 1),
        ((), (1.0 / 1.5,), 0.1, 20),
        ((), (1.0 / 1.5,), 0.7, 5),
    ],
)
def test_composition_agrees_with_dp_accounting(
    laplaces: tuple[float, ...], gaussians: tuple[float, ...], rate: float, steps: int
) -> None:
    kept: dict[str, Any] = {"value_discretization_interval": 1e-4, "sampling_prob": rate}
    whole = pld.identity(value_discretization_interval=1e-4)
    for r in laplaces:
        whole = whole.compose(pld.from_laplace_mechanism(1.0 / r, **kept))
    for r in gaussians:
        whole = whole.compose(pld.from_gaussian_mechanism(1.0 / r, **kept))
    losses = [Loss("laplace", r, rate=rate) for r in laplaces]
    losses += [Loss("gaussian", r, rate=rate) for r in gaussians]
    theirs = whole.self_compose(steps).get_epsilon_for_delta(1e-5)
    assert compose(losses * steps, 1e-5) == pytest.approx(theirs, rel=2e-3)


def test_the_curve_of_a_gaussian() -> None:
    delta = hockey_stick(Gaussian(0.0, 1.0), Gaussian(1.5, 1.0), gaussian_epsilon(1.5, 1e-3))
    assert float(delta) == pytest.approx(1e-3, rel=1e-5)


LAWS: dict[str, dict[str, float]] = {
    **{law: {"scale": 2.5} for law in ("normal", "laplace", "logistic", "gumbel", "exponential")},
    "uniform": {"low": -1.0, "high": 3.0},
    "gamma": {"shape": 1.5, "scale": 2.0},
    "standard_t": {"df": 3.0},
    "standard_cauchy": {},
    "geometric": {"p": 0.3},
    "poisson": {"lam": 2.5},
    "integers": {"low": -2, "high": 5},
    "binomial": {"n": 1, "p": 0.3},
    "negative_binomial": {"n": 3, "p": 0.4},
    "beta": {"a": 2.0, "b": 0.5},
    "chisquare": {"df": 3.0},
}


@pytest.mark.parametrize("name", LAWS)
def test_laws_are_those_that_numpy_draws(name: str) -> None:
    # Of 10⁵ draws a share differs from its probability by 0.01 with probability 4e-9 (Hoeffding).
    row = Draw(0, name, "noise", WHERE, params=LAWS[name])
    law, drawn = frozen(name, LAWS[name]), getattr(np.random.default_rng(0), name)(**LAWS[name], size=10**5)
    for level in (-0.7, 0.0, 1.0, 2.6):
        assert law.cdf(level) == pytest.approx(np.mean(drawn <= level), abs=0.01)
        for compare in ("less", "less_equal", "greater", "greater_equal"):
            chance = chance_of(row, compare, level)
            assert (chance is None) == (name not in ("uniform", "integers", "binomial"))
            if chance is not None:
                assert chance == pytest.approx(np.mean(getattr(np, compare)(drawn, level)), abs=0.01)


@pytest.mark.parametrize(
    ("params", "others", "given", "loss"),
    [
        # At a sensitivity of s the cost is ε · distance/s; at 0 there is no noise.
        ({"sensitivity": 2.0}, {}, ([1.0], [0.5]), (0.25, 0.0)),
        ({"sensitivity": 0.0}, {}, ([1.0], [0.5]), (math.inf, 0.0)),
        # At three times the sensitivity δ grows as that of a group of three (Dwork and Roth 2014).
        ({"sensitivity": 1.0, "delta": 1e-3}, {}, ([4.0], [1.0]), (3.0, 1e-3 * (1 + math.e + math.e**2))),
        # p ∝ e^(ε·u/2s), and e^(ε·u/s) for monotone scores: these move apart by 1.5.
        ({"utility": [1.0, 2.0, 3.0]}, {"utility": [1.0, 3.0, 2.5]}, (), (0.75, 0.0)),
        ({"utility": [1.0, 2.0, 3.0], "monotonic": True}, {"utility": [1.0, 3.0, 2.5]}, (), (1.5, 0.0)),
    ],
)
def test_a_mechanism_costs_what_it_says_at_the_distance_of_its_arguments(
    params: Any, others: Any, given: Any, loss: tuple[float, float]
) -> None:
    params = {"epsilon": 1.0, "sensitivity": 1.0, **params}
    row = Row(0, "mechanism Any", "mechanism", WHERE, params=params, others=params | others, given=given)
    (entry,) = entries([row])
    assert entry.losses is not None
    assert [(one.ratio, one.delta) for one in entry.losses] == [pytest.approx(loss, rel=1e-12)]


def test_a_running_maximum_costs_no_more_than_its_scores() -> None:
    scores, scales = np.array([3.0, 1.0, 4.0, 2.0]), np.array([2.0, 0.5, 6.0, 1.0])
    laws = dict(enumerate(stats.laplace(scale=scale) for scale in scales.tolist()))
    terms = [comparisons.Term(i, 1.0, (score, score)) for i, score in enumerate(scores)]
    # The law of the place of the largest, by a sum over draws: 0.005 is six standard deviations.
    noisy = scores + stats.laplace.rvs(scale=scales, size=(400_000, 4), random_state=0)
    often = np.bincount(noisy.argmax(axis=1), minlength=4) / 400_000
    assert comparisons._largest(list(laws.values()), np.ones(4), scores) == pytest.approx(often, abs=0.005)
    assert comparisons._released(comparisons.Term(0, 1.0, (3.0, 2.0)), laws).largest == pytest.approx(0.5)
    bits = [comparisons.Bit(("", 0, ""), True, terms[0], term) for term in terms[1:]]
    assert comparisons._running_extreme(bits) == ("argmax", terms)


def number(first: float, second: float) -> comparisons.Term:
    return comparisons.Term(None, 0.0, (first, second))


def noise(element: int, factor: float, first: float, second: float) -> comparisons.Term:
    return comparisons.Term(element, factor, (first, second))


SHARED, WIDTHS = 1 << BITS, np.array([1.0, 2.0, 0.5])
DRAWS = {
    0: Row(0, "gumbel", "noise", WHERE, (3,), {"scale": WIDTHS}),
    1: Row(1, "laplace", "noise", WHERE, (), {"scale": 2.0}),
}
ANSWER, OTHER = noise(0, 1.0, 0.3, 1.3), noise(2, -1.5, 0.0, 0.9)
THRESHOLD = noise(SHARED, 0.7, 1.0, 1.5)


@pytest.mark.parametrize(
    "compared",
    [
        [(False, noise(1, -1.5, 0.2, 0.9), number(0.5, 0.5))],
        [(True, number(1.0, 0.4), noise(2, 2.0, 0.0, 0.0))],
        [(True, ANSWER, THRESHOLD)],
        [(True, ANSWER, number(0.0, 0.0)), (True, number(2.0, 2.5), ANSWER)],
        [(False, OTHER, number(0.5, 0.5)), (False, number(-2.0, -2.0), OTHER)],
        [(False, ANSWER, THRESHOLD), (True, THRESHOLD, OTHER)],
        [(True, OTHER, THRESHOLD), (False, THRESHOLD, ANSWER), (True, THRESHOLD, number(-1.0, -1.0))],
    ],
)
def test_what_comparisons_show_is_the_ratio_of_their_probabilities(compared: Any) -> None:
    bits = [comparisons.Bit(WHERE, *each) for each in compared]
    rng, many = np.random.default_rng(0), 10**6
    drawn: dict[int | None, Any] = dict(enumerate(rng.gumbel(scale=WIDTHS[:, None], size=(3, many))))
    drawn |= {SHARED: rng.laplace(scale=2.0, size=many), None: 0.0}

    def often(side: int) -> float:
        sides = [[t.factor * drawn[t.noise] + t.arguments[side] for t in (b.first, b.second)] for b in bits]
        return float(
            np.mean(np.all([(x > y) == b.above for (x, y), b in zip(sides, bits, strict=True)], axis=0))
        )

    p, q = often(0), often(1)
    # One comparison has two outcomes, of several those that were seen are charged. Standard deviation 0.005.
    ratios = [math.log(p / q), *([math.log((1 - p) / (1 - q))] if len(bits) == 1 else [])]
    losses = comparisons._transcript(bits, DRAWS).losses
    assert losses is not None
    assert min(p, q) > 0.08
    assert losses[0].largest == pytest.approx(max(map(abs, ratios)), abs=0.02)


GAUSSIANS = [Loss("gaussian", 0.6), Loss("gaussian", 0.8)]
SAMPLED = [Loss("gaussian", 1.0, rate=0.1)] * 3


@pytest.mark.parametrize(
    ("claim", "losses", "cost"),
    [
        (claims.ZeroConcentrated(1.0), GAUSSIANS, 0.5),  # Bun and Steinke (2016), Proposition 1.6: r²/2 each
        (claims.GaussianDP(1.0), GAUSSIANS, 1.0),  # Dong, Roth and Su (2022), Corollary 3.3
        (claims.Renyi(8.0, 1.0), GAUSSIANS, 4.0),
        (claims.Renyi((2.0, 8.0), (1.0, 2.0)), GAUSSIANS, 2.0),
        (claims.ZeroConcentrated(1.0), [Loss("pure", 0.3)], 0.3 * math.tanh(0.15)),  # Kullback–Leibler
        (claims.ZeroConcentrated(1.0), [Loss("gaussian", 1.0, delta=1e-9)], math.inf),
        (claims.ApproximateZeroConcentrated(1.0, 1e-8), [Loss("gaussian", 1.0, delta=1e-9)], 0.5),
        (claims.ApproximateZeroConcentrated(1.0, 1e-10), [Loss("gaussian", 1.0, delta=1e-9)], math.inf),
        (claims.Pure(1.0), [Loss("laplace", 0.5)] * 2, 1.0),
        (claims.Curve(dict.fromkeys((1.0, 2.0), 1e-3)), [], 0.0),
    ],
)
def test_costs_add_up_in_the_unit_of_the_claim(claim: Any, losses: list[Loss], cost: float) -> None:
    assert Claim.of_unit(claim).cost(losses) == pytest.approx(cost, rel=5e-3)


def test_renyi_divergences_are_those_of_dp_accounting() -> None:
    orders = np.array([2.0, 8.0, 32.0])
    accountant = rdp.RdpAccountant(orders.tolist())
    accountant.compose(dp_accounting.PoissonSampledDpEvent(0.1, dp_accounting.GaussianDpEvent(1.0)), 1)
    found = divergence(Loss("gaussian", 1.0, rate=0.1), orders)
    np.testing.assert_allclose(found, accountant._rdp, rtol=1e-6)
    laplace = rdp.RdpAccountant(orders.tolist()).compose(dp_accounting.LaplaceDpEvent(2.0))._rdp
    np.testing.assert_allclose(divergence(Loss("laplace", 0.5), orders), laplace, rtol=1e-9)


def test_a_curve_of_dp_accounting_is_kept_by_its_draws_and_not_by_one_more() -> None:
    accountant = PLDAccountant().compose(
        dp_accounting.PoissonSampledDpEvent(0.1, dp_accounting.GaussianDpEvent(1.0)), 3
    )
    claim = claims.Curve({e: accountant.get_delta(e) for e in (0.0, 0.1, 0.2, 0.5, 1.0)})
    assert Claim.of_unit(claim).cost(SAMPLED) == pytest.approx(0.0, abs=1e-6)
    assert Claim.of_unit(claim).cost([*SAMPLED, SAMPLED[0]]) > 0.01
