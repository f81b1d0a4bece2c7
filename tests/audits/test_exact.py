"""The exact divergences against independent oracles: 60-digit arithmetic, brute force, dp-accounting."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audits.exact import (
    Finite,
    Gaussian,
    Laplace,
    Mixture,
    epsilon_of,
    gaussian_delta,
    gaussian_epsilon,
    group_privacy,
    hockey_stick,
    hockey_stick_both,
    max_divergence,
    mu_star,
    privacy_loss_distribution,
    product,
)

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


# --- Gaussian trade-off --------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [1e-6, 1e-3, 0.1, 0.499, 0.501, 1.0, 3.0, 12.0])
@pytest.mark.parametrize("at", [-1.0, 0.0, 1e-4, 0.3, 1.0, 6.0, 20.0, 36.0])
def test_gaussian_delta_agrees_with_sixty_digits(mu, at):
    # ε = at·μ puts the lower limit of the event `at` standard deviations out: δ from 0.9 down to 1e-285.
    mpmath = pytest.importorskip("mpmath")
    epsilon = at * mu
    with mpmath.workdps(60 + int(epsilon)):
        e, m = mpmath.mpf(epsilon), mpmath.mpf(mu)
        exact = mpmath.ncdf(-e / m + m / 2) - mpmath.exp(e) * mpmath.ncdf(-e / m - m / 2)
        relative = abs(mpmath.mpf(gaussian_delta(epsilon, mu)) / exact - 1)
    # x²/2 carries a rounding error of 2⁻⁵²·x² into δ: 3e-13 at 36 standard deviations
    assert relative < 1e-12


def test_gaussian_delta_agrees_with_dp_accounting():
    mechanism = pytest.importorskip("dp_accounting.pld.privacy_loss_mechanism")
    for sd in (0.5, 1.0, 3.0):
        loss = mechanism.GaussianPrivacyLoss(sd)
        oracle = [loss.get_delta_for_epsilon(e) for e in EPSILONS]
        assert hockey_stick(Gaussian(0.0, sd), Gaussian(1.0, sd), EPSILONS) == pytest.approx(oracle, abs=1e-9)
        assert gaussian_delta(EPSILONS, 1.0 / sd) == pytest.approx(oracle, rel=1e-9)


def test_gaussian_delta_takes_large_epsilons_and_zero():
    assert gaussian_delta(800.0, 1.0) == 0.0
    assert 0.0 < gaussian_delta(800.0, 30.0) < 1.0
    assert gaussian_delta(0.0, 0.0) == 0.0
    assert gaussian_delta(0.0, 2.0) == pytest.approx(
        math.erf(1.0 / math.sqrt(2.0)), rel=1e-14
    )  # total variation
    assert gaussian_delta(-900.0, 1.0) == 1.0
    assert gaussian_delta(1.0, 1e-310) == 0.0
    assert gaussian_delta(0.0, 1e-300) == pytest.approx(1e-300 / math.sqrt(2.0 * math.pi), rel=1e-12)
    assert isinstance(gaussian_delta(1.0, 1.0), float)
    assert gaussian_delta(np.ones((2, 1)), np.ones(3)).shape == (2, 3)


@given(st.floats(0.0, 300.0), st.floats(-290.0, -0.01))
@settings(max_examples=50, deadline=None)
def test_mu_star_is_the_largest(epsilon, log10_delta):
    delta = 10.0**log10_delta
    mu = mu_star(epsilon, delta)
    # rounding of δ itself: relative 1e-12 by the test above, so one part in 1e11 to the right must exceed it
    assert gaussian_delta(epsilon, mu) <= delta * (1.0 + 1e-12)
    assert gaussian_delta(epsilon, mu * (1.0 + 1e-9)) > delta


@given(st.floats(1e-3, 30.0), st.floats(-290.0, -0.01))
@settings(max_examples=100, deadline=None)
def test_gaussian_epsilon_is_the_smallest(mu, log10_delta):
    delta = 10.0**log10_delta
    epsilon = gaussian_epsilon(delta, mu)
    assert gaussian_delta(epsilon, mu) <= delta * (1.0 + 1e-12)
    if epsilon > 0.0:
        assert gaussian_delta(epsilon * (1.0 - 1e-9) - 1e-12, mu) > delta
        assert mu_star(epsilon, delta) == pytest.approx(mu, rel=1e-8)


def test_inverses_at_the_ends():
    assert mu_star(1.0, 0.0) == 0.0
    assert mu_star(1.0, 1.0) == math.inf
    assert gaussian_epsilon(0.0, 1.0) == math.inf
    assert gaussian_epsilon(0.0, 0.0) == 0.0
    assert gaussian_epsilon(0.9, 0.1) == 0.0  # more than the total variation
    assert mu_star([0.5, 1.0], [[1e-5], [1e-3]]).shape == (2, 2)


# --- Closed forms --------------------------------------------------------------------------------------


def test_vector_gaussians_depend_on_the_distance_of_the_means():
    P, Q = Gaussian([1.0, 2.0, 3.0], 2.0), Gaussian([1.0, 5.0, 7.0], 2.0)
    assert hockey_stick(P, Q, 1.0) == gaussian_delta(1.0, 2.5)


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
        assert max_divergence(P, Q) == pytest.approx(1.0 / scale)
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
@settings(max_examples=100, deadline=None)
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
    assert epsilon_of(P, Q, 0.4) == math.inf
    assert epsilon_of(P, Q, 0.5) == 0.0


# --- Mixtures ------------------------------------------------------------------------------------------


def test_a_mixture_of_one_is_its_component():
    for a, b in [
        (Gaussian(0.0, 1.0), Gaussian(0.3, 1.0)),
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
@settings(max_examples=30, deadline=None)
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


def test_subsampled_gaussian_agrees_with_dp_accounting():
    mechanism = pytest.importorskip("dp_accounting.pld.privacy_loss_mechanism")
    for sd, rate in [(1.0, 0.01), (0.7, 0.2), (2.0, 0.5)]:
        P = Mixture([1 - rate, rate], [Gaussian(0.0, sd), Gaussian(1.0, sd)])
        Q = Gaussian(0.0, sd)
        for kind, first, second in [("REMOVE", P, Q), ("ADD", Q, P)]:
            loss = mechanism.GaussianPrivacyLoss(
                sd, sampling_prob=rate, adjacency_type=getattr(mechanism.AdjacencyType, kind)
            )
            oracle = [loss.get_delta_for_epsilon(e) for e in EPSILONS]
            assert hockey_stick(first, second, EPSILONS) == pytest.approx(oracle, abs=1e-9)


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


def test_equal_mixtures_are_indistinguishable():
    P = Mixture([0.3, 0.7], [Gaussian(0.0, 1.0), Gaussian(2.0, 1.0)])
    Q = Mixture([0.7, 0.3], [Gaussian(2.0, 1.0), Gaussian(0.0, 1.0)])
    assert hockey_stick(P, Q, np.array([0.0, 0.5])) == pytest.approx([0.0, 0.0], abs=1e-13)


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
@settings(max_examples=40, deadline=None)
def test_divergence_is_convex_falling_and_dual(P, Q, epsilon):
    e = np.array([epsilon, epsilon + 0.5, epsilon + 1.0])
    delta = hockey_stick(P, Q, e)
    assert (delta >= 0.0).all()
    assert (delta <= 1.0 + 1e-12).all()
    assert (np.diff(delta) <= 1e-13).all()
    # H_{−ε}(P‖Q) = 1 − e^{−ε} + e^{−ε}·H_ε(Q‖P): the complement of the best event is best the other way
    dual = 1 - math.exp(-epsilon) + math.exp(-epsilon) * hockey_stick(Q, P, epsilon)
    assert hockey_stick(P, Q, -epsilon) == pytest.approx(dual, abs=1e-11)
    assert hockey_stick_both(P, Q, epsilon) == max(hockey_stick(P, Q, epsilon), hockey_stick(Q, P, epsilon))


@given(LAWS, LAWS, st.floats(1e-8, 0.5))
@settings(max_examples=8, deadline=None)
def test_epsilon_of_inverts(P, Q, delta):
    epsilon = epsilon_of(P, Q, delta)
    assert hockey_stick(P, Q, epsilon) <= delta * (1.0 + 1e-9) + 1e-13
    if epsilon > 1e-6:
        assert hockey_stick(P, Q, epsilon * (1.0 - 1e-6)) > delta * (1.0 - 1e-9)


@pytest.mark.parametrize(
    ("P", "Q"),
    [
        (Finite([0.2, 0.8]), Finite([0.6, 0.4])),
        (Laplace(0.0, 1.0), Laplace(1.0, 2.0)),
        (Laplace(3.0, 1.0), Laplace(1.0, 1.0)),
        (Gaussian(0.0, 1.0), Gaussian(0.5, 2.0)),
    ],
)
def test_max_divergence_is_where_delta_ends(P, Q):
    top = max_divergence(P, Q)
    assert hockey_stick(P, Q, top * (1.0 + 1e-9)) == pytest.approx(0.0, abs=1e-15)
    assert hockey_stick(P, Q, top - 0.01) > 0.0
    assert epsilon_of(P, Q, 0.0) == top


def test_max_divergence_without_end():
    assert max_divergence(Gaussian(0.0, 1.0), Gaussian(1.0, 1.0)) == math.inf
    assert max_divergence(Gaussian(0.0, 1.0), Gaussian(0.0, 1.0)) == 0.0
    assert max_divergence(Gaussian(0.0, 2.0), Gaussian(0.0, 1.0)) == math.inf
    assert max_divergence(Laplace(0.0, 2.0), Laplace(0.0, 1.0)) == math.inf
    assert max_divergence(Finite([0.5, 0.5]), Finite([1.0, 0.0])) == math.inf


# --- Composition ---------------------------------------------------------------------------------------


def test_product_of_randomised_response():
    # k-fold randomised response: δ(ε) from the binomial law of the number of kept answers
    keep = 0.7
    P, Q = Finite([keep, 1 - keep]), Finite([1 - keep, keep])
    k = 6
    both = hockey_stick(product(*[P] * k), product(*[Q] * k), EPSILONS)
    oracle = [
        sum(
            math.comb(k, j)
            * max(keep**j * (1 - keep) ** (k - j) - math.exp(e) * keep ** (k - j) * (1 - keep) ** j, 0.0)
            for j in range(k + 1)
        )
        for e in EPSILONS
    ]
    assert both == pytest.approx(oracle, abs=1e-14)


def test_privacy_loss_distribution_composes():
    pytest.importorskip("dp_accounting")
    P, Q = Finite({"a": 0.7, "b": 0.3}), Finite({"a": 0.4, "b": 0.6})
    bridge = privacy_loss_distribution(P, Q).self_compose(3)
    exact = hockey_stick_both(product(P, P, P), product(Q, Q, Q), 0.5)
    assert exact <= bridge.get_delta_for_epsilon(0.5) <= exact + 1e-3
    # four Gaussians are one of twice the distance
    bridge = privacy_loss_distribution(Gaussian(0.0, 2.0), Gaussian(1.0, 2.0)).self_compose(4)
    assert gaussian_delta(1.0, 1.0) <= bridge.get_delta_for_epsilon(1.0) + 1e-12
    assert bridge.get_delta_for_epsilon(1.0) == pytest.approx(gaussian_delta(1.0, 1.0), abs=1e-6)
    bridge = privacy_loss_distribution(Laplace(0.0, 1.0), Laplace(1.0, 1.0))
    assert bridge.get_delta_for_epsilon(0.5) == pytest.approx(-math.expm1(-0.25), abs=1e-4)
    with pytest.raises(ValueError, match="no privacy-loss distribution"):
        privacy_loss_distribution(Gaussian(0.0, 1.0), Laplace(0.0, 1.0))
    with pytest.raises(ValueError, match="interval"):
        privacy_loss_distribution(P, Q, interval=0.0)


@given(st.floats(0.01, 2.0), st.floats(1e-9, 1e-3), st.integers(1, 6))
def test_group_privacy_is_the_recursion(epsilon, delta, size):
    wanted = 0.0
    for _ in range(size):
        wanted = delta + math.exp(epsilon) * wanted
    group = group_privacy(epsilon, delta, size)
    assert group[0] == pytest.approx(size * epsilon)
    assert group[1] == pytest.approx(min(wanted, 1.0), rel=1e-9)
    assert group_privacy(700.0, 0.1, 5) == (3500.0, 1.0)


# --- Bad input -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Gaussian(0.0, 0.0), "sd must be one number > 0, got 0.0"),
        (lambda: Gaussian(math.nan, 1.0), "mean must be finite"),
        (lambda: Gaussian([[0.0]], 1.0), "mean must be a number or a vector"),
        (lambda: Gaussian("x", 1.0), "mean must be numbers, got 'x'"),  # type: ignore[arg-type]
        (lambda: Laplace(0.0, -1.0), "scale must be one number > 0, got -1.0"),
        (lambda: Laplace([0.0], 1.0), "mean must be one number"),  # type: ignore[arg-type]
        (lambda: Finite([0.5, 0.6]), "add up to 1, got 1.1"),
        (lambda: Finite([-0.5, 1.5]), "must be ≥ 0, got -0.5"),
        (lambda: Finite([]), "non-empty"),
        (lambda: Finite([math.inf, 0.0]), "must be finite"),
        (lambda: Mixture([0.5], []), "one length"),
        (lambda: Mixture([0.4, 0.5], [Gaussian(0.0, 1.0)] * 2), "add up to 1"),
        (lambda: Mixture([1.0], [Gaussian([0.0, 1.0], 1.0)]), "scalar Gaussian or Laplace"),
        (lambda: Mixture([1.0], [Finite([1.0])]), "scalar Gaussian or Laplace"),  # type: ignore[list-item]
        (lambda: hockey_stick(Finite([1.0]), Gaussian(0.0, 1.0), 1.0), "both laws must be Finite or neither"),
        (lambda: hockey_stick(Gaussian([0.0, 1.0], 1.0), Gaussian(0.0, 1.0), 1.0), "one length, got 2 and 1"),
        (lambda: hockey_stick(Gaussian([0.0, 1.0], 1.0), Gaussian([0.0, 1.0], 2.0), 1.0), "one sd"),
        (lambda: hockey_stick(Gaussian([0.0, 1.0], 1.0), Laplace(0.0, 1.0), 1.0), "vector means"),
        (lambda: hockey_stick(Gaussian(0.0, 1.0), Gaussian(0.0, 1.0), math.nan), "epsilon must be finite"),
        (lambda: hockey_stick(Gaussian(0.0, 1.0), Gaussian(0.0, 1.0), math.inf), "epsilon must be finite"),
        (lambda: gaussian_delta(1.0, -1.0), "mu must be ≥ 0, got -1.0"),
        (lambda: mu_star(-1.0, 0.1), "epsilon must be ≥ 0, got -1.0"),
        (lambda: mu_star(1.0, 1.5), "delta must be in"),
        (lambda: gaussian_epsilon(-0.1, 1.0), "delta must be in"),
        (lambda: epsilon_of(Finite([1.0]), Finite([1.0]), math.nan), "delta must be finite"),
        (lambda: epsilon_of(Gaussian(0.0, 1.0), Laplace(0.0, 1.0), 0.0), "no closed form"),
        (lambda: product(), "at least one"),
        (lambda: product(*[Finite([0.5, 0.5])] * 24), "at most 10000000"),
        (lambda: group_privacy(1.0, 0.1, 0), "size must be"),
        (lambda: group_privacy(-1.0, 0.1, 1), "epsilon must be"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
