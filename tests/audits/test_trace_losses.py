"""Privacy losses of draws and their composition, against closed forms and against dp-accounting."""

from __future__ import annotations

import math
from typing import Any

import dp_accounting
import numpy as np
import pytest
from scipy import stats

from audits.privacy import claims
from audits.trace.ledger import comparisons
from audits.trace.ledger.claim import Claim
from audits.trace.ledger.entries import entries
from audits.trace.ledger.losses import Loss, between, compose, divergence, finite, gaussian_epsilon
from audits.trace.records import Row


def test_pure_losses_add_up_at_delta_zero() -> None:
    losses = [Loss("laplace", 0.3), Loss("pure", 0.2), finite([0.75, 0.25], [0.25, 0.75])]
    assert compose(losses, 0.0) == pytest.approx(0.5 + math.log(3.0), rel=1e-12)


def test_a_gaussian_costs_infinity_at_delta_zero() -> None:
    assert compose([Loss("gaussian", 0.1)], 0.0) == math.inf


def test_gaussians_compose_to_one() -> None:
    alone = gaussian_epsilon(math.hypot(0.6, 0.8), 1e-5)
    assert compose([Loss("gaussian", 0.6), Loss("gaussian", 0.8)], 1e-5) == pytest.approx(alone, rel=1e-9)


def test_what_costs_nothing_is_left_out() -> None:
    assert compose([], 1e-5) == 0.0
    assert compose([Loss("laplace", 0.0), finite([0.5, 0.5], [0.5, 0.5])], 1e-5) == 0.0


def test_own_deltas_are_covered_by_the_claim_that_they_add_up_to() -> None:
    losses = [Loss("pure", 0.5, delta=0.05), Loss("pure", 0.5, delta=0.05)]
    # Both infinite losses together have probability 0.0975.
    assert 0.98 < compose(losses, 0.1) <= 1.0
    assert compose(losses[:1], 0.05) == pytest.approx(0.5, rel=1e-9)
    assert compose(losses, 0.01) == math.inf


def test_two_laws_of_scipy() -> None:
    from scipy import stats

    loss = between(stats.logistic(0.0, 1.0), stats.logistic(0.7, 1.0))
    # The logistic law moved by s scales has losses up to s.
    assert loss.largest == pytest.approx(0.7, rel=1e-3)


@pytest.mark.parametrize(
    ("laplaces", "gaussians"), [((0.5, 0.5, 0.5, 0.5), ()), ((0.2,), (0.3, 0.4)), ((1.0,) * 8, (0.5,))]
)
def test_composition_agrees_with_dp_accounting(
    laplaces: tuple[float, ...], gaussians: tuple[float, ...]
) -> None:
    pld = pytest.importorskip(
        "dp_accounting.pld.privacy_loss_distribution", reason="dp-accounting is optional"
    )
    delta = 1e-5
    ours = compose([Loss("laplace", r) for r in laplaces] + [Loss("gaussian", r) for r in gaussians], delta)
    step = 1e-4
    whole = pld.identity(value_discretization_interval=step)
    for r in laplaces:
        whole = whole.compose(pld.from_laplace_mechanism(1.0 / r, value_discretization_interval=step))
    for r in gaussians:
        whole = whole.compose(pld.from_gaussian_mechanism(1.0 / r, value_discretization_interval=step))
    assert ours == pytest.approx(whole.get_epsilon_for_delta(delta), rel=2e-3)


def test_subsampled_gaussians_agree_with_dp_accounting() -> None:
    pld = pytest.importorskip(
        "dp_accounting.pld.privacy_loss_distribution", reason="dp-accounting is optional"
    )
    steps, rate, sigma, delta = 20, 0.1, 1.5, 1e-5
    ours = compose([Loss("gaussian", 1.0 / sigma, rate=rate)] * steps, delta)
    other = pld.from_gaussian_mechanism(sigma, sampling_prob=rate, value_discretization_interval=1e-4)
    assert ours == pytest.approx(other.self_compose(steps).get_epsilon_for_delta(delta), rel=5e-3)


def test_the_curve_of_a_gaussian() -> None:
    from audits.divergence import hockey_stick
    from audits.laws import Gaussian

    epsilon = gaussian_epsilon(1.5, 1e-3)
    assert float(hockey_stick(Gaussian(0.0, 1.0), Gaussian(1.5, 1.0), epsilon)) == pytest.approx(
        1e-3, rel=1e-5
    )


def test_largest_loss_of_a_sampled_pair() -> None:
    # (1 − q)·Q + q·P against Q has losses up to log(1 + q(e^r − 1)) (Balle, Barthe and Gaboardi 2018).
    loss = Loss("laplace", 1.0, rate=0.25)
    assert loss.largest == pytest.approx(math.log1p(0.25 * math.expm1(1.0)), rel=1e-12)
    assert np.isfinite(compose([loss], 0.0))


WHERE = ("a.py", 1, "fit")


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


def test_a_gaussian_without_noise_costs_infinity_at_any_delta() -> None:
    assert compose([Loss("gaussian", math.inf), Loss("gaussian", 0.1)], 1e-5) == math.inf


def test_a_running_maximum_costs_no_more_than_its_scores() -> None:
    scores, laws = np.array([3.0, 1.0, 4.0, 2.0]), dict(enumerate([stats.laplace(scale=2.0)] * 4))
    terms = [comparisons.Term(i, 1.0, (score, score)) for i, score in enumerate(scores)]
    # The law of the place of the largest, by a sum over draws: 0.005 is six standard deviations.
    noisy = scores + stats.laplace.rvs(scale=2.0, size=(400_000, 4), random_state=0)
    often = np.bincount(noisy.argmax(axis=1), minlength=4) / 400_000
    assert comparisons._largest(list(laws.values()), np.ones(4), scores) == pytest.approx(often, abs=0.005)
    assert comparisons._released(comparisons.Term(0, 1.0, (3.0, 2.0)), laws).largest == pytest.approx(0.5)
    bits = [comparisons.Bit(("", 0, ""), True, terms[0], term) for term in terms[1:]]
    assert comparisons._running_extreme(bits) == ("argmax", terms)


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
    from dp_accounting import rdp

    orders = np.array([2.0, 8.0, 32.0])
    accountant = rdp.RdpAccountant(orders.tolist())
    accountant.compose(dp_accounting.PoissonSampledDpEvent(0.1, dp_accounting.GaussianDpEvent(1.0)), 1)
    found = divergence(Loss("gaussian", 1.0, rate=0.1), orders)
    np.testing.assert_allclose(found, accountant._rdp, rtol=1e-6)
    laplace = rdp.RdpAccountant(orders.tolist()).compose(dp_accounting.LaplaceDpEvent(2.0))._rdp
    np.testing.assert_allclose(divergence(Loss("laplace", 0.5), orders), laplace, rtol=1e-9)


def test_a_curve_of_dp_accounting_is_kept_by_its_draws_and_not_by_one_more() -> None:
    from dp_accounting.pld import PLDAccountant

    accountant = PLDAccountant().compose(
        dp_accounting.PoissonSampledDpEvent(0.1, dp_accounting.GaussianDpEvent(1.0)), 3
    )
    claim = claims.Curve({e: accountant.get_delta(e) for e in (0.0, 0.1, 0.2, 0.5, 1.0)})
    assert Claim.of_unit(claim).cost(SAMPLED) == pytest.approx(0.0, abs=1e-6)
    assert Claim.of_unit(claim).cost([*SAMPLED, SAMPLED[0]]) > 0.01
