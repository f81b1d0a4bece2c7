"""Accountants against closed forms and against dp-accounting."""

import math

import dp_accounting as dpa
import numpy as np
import pytest
from dp_accounting import pld, rdp
from scipy import integrate, stats

from audits import accounting as acc
from audits.laws import Gaussian
from claims.song2021 import _renyi
from implementations.privacy import gaussian_epsilon


def gaussian_atoms(mu, cells=100_000):
    edges = np.linspace(-12.0, 12.0 + mu, cells)
    return acc.discretise(Gaussian(mu, 1.0), Gaussian(0.0, 1.0), edges)


@pytest.mark.parametrize(("q", "sigma"), [(250 / 59_535, 0.63), (0.1, 2.0)])
def test_poisson_gaussian_rdp_agrees_with_dp_accounting_at_whole_orders(q, sigma):
    orders = [2, 3, 8, 32, 100]
    accountant = rdp.RdpAccountant(orders)
    accountant.compose(dpa.PoissonSampledDpEvent(q, dpa.GaussianDpEvent(sigma)))
    assert np.allclose(acc.poisson_gaussian_rdp(q, sigma, orders), accountant._rdp, rtol=1e-6)


@pytest.mark.parametrize(("q", "sigma", "order"), [(0.0042, 0.63, 1.5), (0.1, 2.0, 3.7), (0.1, 2.0, 1.1)])
def test_poisson_gaussian_rdp_agrees_with_quadrature_at_broken_orders(q, sigma, order):
    # dp-accounting interpolates between whole orders, from above: no oracle here.
    def integrand(z):
        return (1 - q + q * math.exp((z - 0.5) / sigma**2)) ** order * stats.norm.pdf(z, scale=sigma)

    value, _ = integrate.quad(
        integrand, -12 * sigma, 12 * sigma + order, epsabs=1e-14, epsrel=1e-13, limit=500
    )
    expected = math.log(value) / (order - 1)
    assert acc.poisson_gaussian_rdp(q, sigma, [order])[0] == pytest.approx(expected, rel=1e-7)


def test_without_replacement_rdp_agrees_with_dp_accounting():
    orders = [2, 3, 8, 20]
    q, sigma = 0.02, 5.0
    # There the sensitivity of a replacement is in the noise multiplier: 2 for us, so its σ is ours over 2.
    accountant = rdp.RdpAccountant(orders, dpa.NeighboringRelation.REPLACE_ONE)
    accountant.compose(dpa.SampledWithoutReplacementDpEvent(10_000, 200, dpa.GaussianDpEvent(sigma / 2)))
    ours = _renyi.without_replacement_rdp(q, sigma, orders)
    oracle = np.array(accountant._rdp)
    # Theorem 9 as printed against the refinement (its Theorem 27) that dp-accounting uses: equal at order 2,
    # above it else.
    assert ours[0] == pytest.approx(oracle[0], rel=1e-9)
    assert (ours >= oracle * (1 - 1e-9)).all()
    assert (ours <= 2.0 * oracle).all()


@pytest.mark.parametrize("delta", [1e-3, 1e-5, 1e-8])
def test_conversions(delta):
    orders = np.linspace(1.01, 60, 4000)
    rho = 0.05
    divergences = rho * orders
    classic = _renyi.rdp_epsilon(orders, divergences, delta, conversion="classic")
    assert classic == pytest.approx(rho + 2 * math.sqrt(rho * math.log(1 / delta)), rel=1e-4)
    improved = _renyi.rdp_epsilon(orders, divergences, delta, conversion="improved")
    oracle, _ = rdp.rdp_privacy_accountant.compute_epsilon(orders, divergences, delta)
    assert improved == pytest.approx(oracle, rel=1e-9)
    assert improved < classic


@pytest.mark.parametrize(("mu", "steps"), [(1.0, 1), (0.1, 100), (0.5, 9)])
def test_composed_gaussians_are_bracketed_around_the_closed_form(mu, steps):
    exact = gaussian_epsilon(1e-5, mu * math.sqrt(steps))
    atoms = gaussian_atoms(mu)
    above = acc.epsilon_at(acc.compose_all([(atoms, steps)], step=1e-3, pessimistic=True), 1e-5)
    below = acc.epsilon_at(acc.compose_all([(atoms, steps)], step=1e-4, pessimistic=False), 1e-5)
    assert below <= exact <= above + 1e-6 * exact
    assert above - exact < 1e-3
    assert exact - below < steps * 1e-4


@pytest.mark.parametrize("epsilon", [0.3, 1.75])
def test_composed_randomised_response_is_the_binomial(epsilon):
    odds = np.array([math.exp(epsilon), 1.0]) / (1.0 + math.exp(epsilon))
    steps = 40
    wins = np.arange(steps + 1)
    losses = (2 * wins - steps) * epsilon
    law = stats.binom(steps, odds[0]).pmf(wins)
    for pessimistic in (True, False):
        atoms = acc.Atoms(odds, odds[::-1].copy())
        curve = acc.compose_all([(atoms, steps)], step=epsilon / 64, pessimistic=pessimistic)
        for at in (0.5, 3.0, 9.0):
            exact = float((law * np.maximum(0.0, -np.expm1(at - losses))).sum())
            # the losses are multiples of the step up to rounding, which may move them by one cell
            assert curve(at) == pytest.approx(exact, rel=1e-6 if pessimistic else 0.2, abs=1e-12)
            assert curve(at) <= exact * (1 + 1e-9) + 1e-12 or pessimistic


def test_subsampled_gaussian_agrees_with_dp_accounting():
    q, sigma, steps = 250 / 59_535, 0.63, 2381
    edges = np.linspace(-14 * sigma, 14 * sigma + 1, 200_000)
    pair = acc.discretise(Gaussian(1.0, sigma), Gaussian(0.0, sigma), edges)
    pair = acc.subsampled(pair, q)
    ours = max(
        acc.epsilon_at(acc.compose_all([(p, steps)], step=1e-3, pessimistic=True), 1e-5)
        for p in (pair, acc.reverse(pair))
    )
    accountant = pld.PLDAccountant(value_discretization_interval=1e-3)
    accountant.compose(
        dpa.SelfComposedDpEvent(dpa.PoissonSampledDpEvent(q, dpa.GaussianDpEvent(sigma)), steps)
    )
    assert ours == pytest.approx(accountant.get_epsilon(1e-5), rel=2e-3)


def test_cells_keep_their_digits_in_both_tails():
    half = np.linspace(0.0, 20.0, 2001)
    edges = np.concatenate([-half[:0:-1], half])  # symmetric to the last bit
    pair = acc.discretise(stats.norm(), stats.laplace(), edges)
    density = stats.norm.pdf((edges[:-1] + edges[1:]) / 2) * 0.01  # midpoint rule: error (z² − 1)·h²/24
    np.testing.assert_allclose(pair.p[1:-1], density, rtol=2e-3)
    assert pair.p.sum() == pytest.approx(1.0, abs=1e-14)
    assert pair.p == pytest.approx(pair.p[::-1], rel=1e-12, abs=0.0)
    assert pair.q[-1] == pytest.approx(0.5 * math.exp(-20.0), rel=1e-12)


def test_an_infinite_loss_stays():
    # an outcome of probability 0.1 that only the first law has: δ ≥ 1 − 0.9³ after three steps
    atoms = acc.Atoms(np.array([0.9, 0.1]), np.array([1.0, 0.0]))
    curve = acc.compose_all([(atoms, 3)], pessimistic=True)
    assert curve(5.0) == pytest.approx(1 - 0.9**3)
    assert acc.epsilon_at(curve, 1e-5) == math.inf
