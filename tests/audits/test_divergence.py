"""The exact divergences against independent oracles: 60-digit arithmetic, brute force, dp-accounting."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audits.divergence import hockey_stick
from audits.laws import Finite, Gaussian, Laplace, Mixture

EPSILONS = np.array([0.0, 0.1, 0.5, 1.0, 2.0, 4.0])


def integral(p, q, epsilon, low, high, cells=20_000, cusps=()):
    """∫ max(p − e^ε q, 0) by Gauss–Legendre on many cells, finer where the sign changes. No closed form."""
    nodes, weights = np.polynomial.legendre.leggauss(8)

    def cellwise(edges):
        half = np.diff(edges)[:, None] / 2
        x = (edges[:-1, None] + half) + half * nodes
        values = p(x) - math.exp(epsilon) * q(x)
        at_edges = p(edges) - math.exp(epsilon) * q(edges)
        every = np.column_stack([at_edges[:-1], values, at_edges[1:]]) > 0
        mixed_sign = every.any(axis=1) & ~every.all(axis=1)
        return (np.maximum(values, 0.0) * weights * half).sum(axis=1), mixed_sign

    edges = np.union1d(np.linspace(low, high, cells + 1), cusps)
    parts, rough = cellwise(edges)
    fine = [cellwise(np.linspace(edges[i], edges[i + 1], 201))[0].sum() for i in np.flatnonzero(rough)]
    return float(parts[~rough].sum() + sum(fine))


def normal(mean, sd):
    return lambda x: np.exp(-0.5 * ((x - mean) / sd) ** 2) / (sd * math.sqrt(2 * math.pi))


def laplace(mean, scale):
    return lambda x: np.exp(-np.abs(x - mean) / scale) / (2 * scale)


def mixed(weights, parts):
    return lambda x: sum(w * f(x) for w, f in zip(weights, parts, strict=True))


# --- Closed forms --------------------------------------------------------------------------------------


def test_laplace_agrees_with_dp_accounting_and_the_integral():
    mechanism = pytest.importorskip("dp_accounting.pld.privacy_loss_mechanism")
    for scale in (0.5, 1.0, 2.0):
        P, Q = Laplace(0.0, scale), Laplace(1.0, scale)
        loss = mechanism.LaplacePrivacyLoss(scale)
        oracle = [loss.get_delta_for_epsilon(e) for e in EPSILONS]
        assert hockey_stick(P, Q, EPSILONS) == pytest.approx(oracle, abs=1e-9)
        assert hockey_stick(P, Q, 0.3) == pytest.approx(
            integral(laplace(0, scale), laplace(1, scale), 0.3, -40, 40), abs=1e-9
        )
        assert hockey_stick(P, Q, 1.0 / scale) == 0.0


@pytest.mark.parametrize(("sd_p", "sd_q"), [(1.0, 2.0), (2.0, 1.0), (1.0, 1.01), (1.01, 1.0), (0.1, 3.0)])
@pytest.mark.parametrize("shift", [0.0, 0.7, -2.0])
def test_gaussians_of_two_sds_agree_with_the_integral(sd_p, sd_q, shift):
    P, Q = Gaussian(0.0, sd_p), Gaussian(shift, sd_q)
    reach = 40 * max(sd_p, sd_q)
    for epsilon in (-0.5, 0.0, 0.3, 2.0):
        oracle = integral(normal(0, sd_p), normal(shift, sd_q), epsilon, -reach, reach)
        assert hockey_stick(P, Q, epsilon) == pytest.approx(oracle, abs=1e-9)


def test_gaussians_of_two_sds_agree_with_sixty_digits_in_the_tail():
    mpmath = pytest.importorskip("mpmath")
    P, Q = Gaussian(0.0, 1.5), Gaussian(1.0, 1.0)
    for epsilon in (1.0, 20.0, 100.0, 350.0):
        with mpmath.workdps(400):
            e, a = mpmath.mpf(epsilon), mpmath.mpf("1.5")
            # log p/q − ε = A·x² − x + C with A = (1 − 1/a²)/2 and C = 1/2 − log a − ε
            first, last = (1 - 1 / a**2) / 2, mpmath.mpf(1) / 2 - mpmath.log(a) - e
            root = mpmath.sqrt(1 - 4 * first * last)
            left, right = (1 - root) / (2 * first), (1 + root) / (2 * first)

            def cdf(z):
                return mpmath.erfc(-z / mpmath.sqrt(2)) / 2

            exact = cdf(left / a) + cdf(-right / a) - mpmath.exp(e) * (cdf(left - 1) + cdf(1 - right))
            assert abs(hockey_stick(P, Q, epsilon) / exact - 1) < 1e-11


@given(
    st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0)), min_size=2, max_size=7),
    st.floats(-2.0, 3.0),
)
@settings(max_examples=40)
def test_finite_agrees_with_every_event(pairs, epsilon):
    p, q = np.array(pairs).T + 1e-3
    p, q = p / p.sum(), q / q.sum()
    oracle = max(
        sum(p[i] - math.exp(epsilon) * q[i] for i in event)
        for size in range(len(p) + 1)
        for event in itertools.combinations(range(len(p)), size)
    )
    assert hockey_stick(Finite(p), Finite(q), epsilon) == pytest.approx(oracle, abs=1e-14)


def test_finite_laws_on_different_outcomes():
    P, Q = Finite({"a": 0.5, "b": 0.5}), Finite({"b": 0.9, "c": 0.1})
    assert hockey_stick(P, Q, 0.0) == 0.5
    assert hockey_stick(Q, P, 0.0) == pytest.approx(0.5)
    assert hockey_stick(P, Q, 700.0) == 0.5


# --- Mixtures ------------------------------------------------------------------------------------------


def test_a_mixture_of_one_is_its_component():
    for a, b in [
        (Gaussian(0.0, 1.0), Gaussian(1.0, 1.7)),
        (Gaussian(0.0, 1.7), Gaussian(1.0, 1.0)),
        (Laplace(0.0, 1.0), Laplace(0.4, 1.0)),
    ]:
        alone = hockey_stick(a, b, EPSILONS)
        for P, Q in [
            (Mixture([1.0], [a]), b),
            (a, Mixture([0.5, 0.5], [b, b])),
            (Mixture([1.0, 0.0], [a, b]), Mixture([1.0], [b])),
        ]:
            assert hockey_stick(P, Q, EPSILONS) == pytest.approx(alone, rel=1e-9, abs=1e-15)


@given(
    st.lists(
        st.tuples(st.floats(0.05, 1.0), st.floats(-4.0, 4.0), st.floats(0.3, 3.0), st.booleans()),
        min_size=2,
        max_size=6,
    ),
    st.integers(1, 5),
    st.floats(-1.0, 4.0),
)
@settings(max_examples=12)
def test_mixtures_agree_with_the_integral(parts, cut, epsilon):
    cut = min(cut, len(parts) - 1)
    laws, densities = [], []
    for group in (parts[:cut], parts[cut:]):
        total = sum(g[0] for g in group)
        weights = [g[0] / total for g in group]
        laws.append(Mixture(weights, [(Laplace if g[3] else Gaussian)(g[1], g[2]) for g in group]))
        densities.append(mixed(weights, [(laplace if g[3] else normal)(g[1], g[2]) for g in group]))
    cusps = [g[1] for g in parts if g[3]]
    oracle = integral(*densities, epsilon, -130.0, 130.0, cusps=cusps)
    assert hockey_stick(*laws, epsilon) == pytest.approx(oracle, abs=1e-9)


def test_mixture_with_many_roots():
    # a comb against a smooth law: 40 roots, every one of which must be found
    comb = Mixture([1 / 20] * 20, [Gaussian(float(k), 0.1) for k in range(20)])
    smooth = Gaussian(9.5, 6.0)
    oracle = integral(mixed([1 / 20] * 20, [normal(k, 0.1) for k in range(20)]), normal(9.5, 6), 0.5, -40, 60)
    assert hockey_stick(comb, smooth, 0.5) == pytest.approx(oracle, abs=1e-9)


def test_mixture_tail_agrees_with_sixty_digits():
    # P = (1 − r)N(0,1) + rN(1,1) against N(0,1): one root, x = log((e^ε − 1 + r)/r) + 1/2.
    mpmath = pytest.importorskip("mpmath")
    rate = 0.125
    P, Q = Mixture([1 - rate, rate], [Gaussian(0.0, 1.0), Gaussian(1.0, 1.0)]), Gaussian(0.0, 1.0)
    for epsilon in (1.0, 10.0, 25.0, 33.0):
        with mpmath.workdps(100):
            e, r = mpmath.mpf(epsilon), mpmath.mpf(rate)
            x = mpmath.log((mpmath.exp(e) - 1 + r) / r) + mpmath.mpf(1) / 2

            def tail(z):
                return mpmath.erfc(z / mpmath.sqrt(2)) / 2

            exact = (1 - r) * tail(x) + r * tail(x - 1) - mpmath.exp(e) * tail(x)
            assert exact > 1e-300
            assert abs(hockey_stick(P, Q, epsilon) / exact - 1) < 1e-10


def test_nearly_equal_mixtures():
    # weights that differ by h: the divergence at ε = 0 is h·TV of the components = h·(2Φ(1) − 1)
    P = Mixture([0.3, 0.7], [Gaussian(0.0, 1.0), Gaussian(2.0, 1.0)])
    Q = Mixture([0.3 + 1e-9, 0.7 - 1e-9], [Gaussian(0.0, 1.0), Gaussian(2.0, 1.0)])
    assert hockey_stick(P, Q, 0.0) == pytest.approx(1e-9 * math.erf(1.0 / math.sqrt(2.0)), abs=1e-15)


# --- Properties ----------------------------------------------------------------------------------------

LAWS = st.one_of(
    st.builds(Gaussian, st.floats(-3, 3), st.floats(0.2, 3)),
    st.builds(Laplace, st.floats(-3, 3), st.floats(0.2, 3)),
    st.builds(
        lambda w, a, b: Mixture([w, 1 - w], [a, b]),
        st.floats(0.01, 0.99),
        st.builds(Gaussian, st.floats(-3, 3), st.floats(0.2, 3)),
        st.builds(Laplace, st.floats(-3, 3), st.floats(0.2, 3)),
    ),
)


@given(LAWS, LAWS, st.floats(0.0, 6.0))
@settings(max_examples=15)
def test_divergence_is_convex_falling_and_dual(P, Q, epsilon):
    e = np.array([epsilon, epsilon + 0.5, epsilon + 1.0])
    delta = hockey_stick(P, Q, e)
    assert (delta >= 0.0).all()
    assert (delta <= 1.0 + 1e-12).all()
    assert (np.diff(delta) <= 1e-13).all()
    # H_{−ε}(P‖Q) = 1 − e^{−ε} + e^{−ε}·H_ε(Q‖P): the complement of the best event is best the other way
    dual = 1 - math.exp(-epsilon) + math.exp(-epsilon) * hockey_stick(Q, P, epsilon)
    assert hockey_stick(P, Q, -epsilon) == pytest.approx(dual, abs=1e-11)
