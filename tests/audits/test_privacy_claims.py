"""What claims allow of one event, against closed forms, dp-accounting and all laws of two points."""

import json
import math
import re

import dp_accounting as dpa
import numpy as np
import pytest
from dp_accounting import pld, rdp

from audits.privacy import audit_privacy
from audits.privacy.bet.nulls import grid_of_lines
from audits.privacy.claims import (
    Approximate,
    ApproximateZeroConcentrated,
    Curve,
    GaussianDP,
    Pure,
    Renyi,
    ZeroConcentrated,
)
from implementations.privacy import gaussian_delta
from tests.audits.privacy_runs import audited

CLAIMS = [
    Pure(0.7),
    Approximate(1.0, 0.01),
    ZeroConcentrated(0.125),
    ZeroConcentrated(2.0),
    ApproximateZeroConcentrated(0.125, 0.01),
    Renyi(1.5, 0.2),
    Renyi(8.0, 0.5),
    Renyi((2.0, 32.0), (0.1, 0.9)),
    GaussianDP(1.0),
    Curve({e / 4: gaussian_delta(e / 4, 1.0) for e in range(20)}),
]
TWO_POINTS = np.concatenate([np.geomspace(1e-5, 0.05, 60), np.linspace(0.05, 1 - 1e-4, 140)])


def divergence(order, p, q):
    """D_α of laws of two points, the larger of the two directions, by its definition."""

    def one(p, q):
        return np.log(p**order * q ** (1 - order) + (1 - p) ** order * (1 - q) ** (1 - order)) / (order - 1)

    return np.maximum(one(p, q), one(q, p))


def allowed(claim, p, q):
    """Whether the definition of the claim allows the pair of two-point laws."""
    if isinstance(claim, ZeroConcentrated):
        return np.all([divergence(a, p, q) <= claim.rho * a for a in 1 + np.geomspace(1e-3, 60, 60)], axis=0)
    both = zip(np.atleast_1d(claim.order), np.atleast_1d(claim.epsilon), strict=True)
    return np.all([divergence(a, p, q) <= e for a, e in both], axis=0)


@pytest.mark.parametrize("claim", [c for c in CLAIMS if isinstance(c, (ZeroConcentrated, Renyi))], ids=repr)
def test_rényi_claims_allow_what_the_two_point_laws_do(claim):
    p, q = np.meshgrid(TWO_POINTS, TWO_POINTS)
    kept = allowed(claim, p, q)
    p, q = p[kept], q[kept]
    for epsilon in (0.0, 0.4, 1.2):
        brute, ours = max(0.0, float((p - math.exp(epsilon) * q).max())), claim.delta(epsilon)
        # No law that is allowed has more; and with p a step less and q a step more a law is still allowed.
        assert brute <= ours * (1 + 1e-3) + 1e-12
        assert ours - brute < 0.007 * (1 + math.exp(epsilon))


@pytest.mark.parametrize("claim", CLAIMS, ids=repr)
def test_edge_least_and_delta_are_one_claim(claim):
    q = np.concatenate([np.geomspace(1e-8, 0.3, 30), [0.5, 0.9]])
    p, slope = claim.edge(q)
    assert (np.diff(p) >= 0).all()
    assert (np.diff(slope) <= 1e-6 * slope[1:]).all()
    inside = (p < 1) & (q < 0.2)
    assert claim.least(p[inside], q[inside]) == pytest.approx(claim.value, rel=1e-5, abs=1e-9)
    # δ(ε) is the height of the line of slope e^ε that touches the edge.
    for some in range(0, 30, 5):
        if slope[some] >= 1:
            height = p[some] - slope[some] * q[some]
            assert claim.delta(math.log(slope[some])) == pytest.approx(height, rel=1e-4, abs=1e-12)
    larger = claim.at(claim.value * 1.1 + 0.01)
    more = larger.edge(q)[0]
    assert (more >= p - 1e-12).all()
    # The complement, with the datasets exchanged, is as much evidence; an ε is that of the event alone.
    if claim.unit != "ε":
        assert larger.least(1 - q[inside], 1 - more[inside]) == pytest.approx(larger.value, rel=1e-5)
    values = [claim.delta(e) for e in np.linspace(0.0, 6.0, 13)]
    assert (np.diff(values) <= 1e-12).all()
    assert (np.diff(np.diff(values) / np.diff(np.exp(np.linspace(0.0, 6.0, 13)))) >= -1e-9).all()


def test_closed_forms():
    e = 0.8
    assert Pure(1.0).delta(e) == pytest.approx((math.e - math.exp(e)) / (1 + math.e))
    assert Approximate(1.0, 0.1).delta(e) == pytest.approx(0.1 + 0.9 * Pure(1.0).delta(e))
    assert Approximate(1.0, 0.1).delta(1.5) == 0.1
    assert GaussianDP(1.3).delta(e) == pytest.approx(gaussian_delta(e, 1.3))
    # Order 2: D₂ ≤ ε of (p, q) is p²/q + (1 − p)²/(1 − q) ≤ e^ε, that is (p − q)² ≤ (e^ε − 1)·q(1 − q).
    assert Renyi(2.0, 0.3).edge(0.2)[0] == pytest.approx(0.2 + math.sqrt(math.expm1(0.3) * 0.16), rel=1e-6)
    # Two points with all their mass on one of them: D_α(1‖q) = −log q.
    assert Renyi(5.0, 0.3).least(1.0, 0.25) == math.inf
    assert ZeroConcentrated(0.0).delta(0.0) == pytest.approx(0.0, abs=1e-9)
    assert Pure(0.0).delta(0.0) == 0.0


@pytest.mark.parametrize("rho", [0.01, 0.3, 3.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 3.0, 8.0])
def test_zcdp_lies_between_the_gaussian_mechanism_and_the_conversion_of_dp_accounting(rho, epsilon):
    ours = ZeroConcentrated(rho).delta(epsilon)
    orders = 1 + np.geomspace(1e-2, 1e3, 300)
    loose, _ = rdp.rdp_privacy_accountant.compute_delta(orders, rho * orders, epsilon)
    assert gaussian_delta(epsilon, math.sqrt(2 * rho)) <= ours * (1 + 1e-6)
    # Of a δ beyond all counting the grids of orders, ours and theirs, show.
    assert ours <= loose * (1.003 if loose > 1e-12 else 1.1)


def test_the_grid_of_orders_loses_little():
    rng = np.random.default_rng(1)
    q = 10 ** rng.uniform(-7, -0.4, 200)
    p = np.minimum(q * 10 ** rng.uniform(0.01, 5, 200), 0.999)
    logs = np.log(p), np.log1p(-p), np.log(q), np.log1p(-q)
    exact = np.zeros(200)
    for a in 1 + np.geomspace(1e-4, 1e4, 3000):
        for lp, np_, lq, nq in (logs, logs[2:] + logs[:2]):
            found = np.logaddexp(a * lp + (1 - a) * lq, a * np_ + (1 - a) * nq) / (a - 1) / a
            exact = np.maximum(exact, found)
    assert ZeroConcentrated(1.0).least(p, q) == pytest.approx(exact, rel=5e-4)


def test_a_gaussian_and_a_subsampled_curve_are_what_dp_accounting_has():
    event = dpa.PoissonSampledDpEvent(0.2, dpa.GaussianDpEvent(1.0))
    accountant = pld.PLDAccountant(value_discretization_interval=1e-4).compose(event)
    claim = Curve({e / 4: accountant.get_delta(e / 4) for e in range(12)})
    # At its points the curve is as given; between them no less than the truth, and within the linear chord.
    for e in (0.25, 1.0, 0.3, 1.1):
        truth = accountant.get_delta(e)
        assert truth * (1 - 1e-6) <= claim.delta(e) <= truth * (1 + 1e-6) + (0.0 if e * 4 % 1 == 0 else 0.004)


def test_a_curve_from_a_function_and_the_largest_curve_through_few_points():
    assert Curve(lambda e: gaussian_delta(e, 1.0)).delta(1.0) == pytest.approx(gaussian_delta(1.0, 1.0))
    # One point is (ε, δ)-DP, before it and after it.
    for e in (0.0, 0.5, 1.0, 3.0):
        assert Curve([(1.0, 0.1)]).delta(e) == pytest.approx(Approximate(1.0, 0.1).delta(e))
    assert Curve([(1.0, 0.1)]).at(0.05).delta(1.0) == pytest.approx(0.15)


@pytest.mark.parametrize("claim", CLAIMS, ids=repr)
def test_the_lines_that_are_betted_against_hold_all_that_the_claim_allows(claim):
    q = np.concatenate([np.geomspace(1e-9, 0.3, 200), np.linspace(0.3, 0.999, 50)])
    grid, epsilons, deltas = grid_of_lines(claim)
    assert claim.value in grid
    for place in range(0, len(grid), 40):
        p = claim.at(float(grid[place])).edge(q)[0]
        for epsilon, delta in zip(epsilons[place], deltas[place], strict=True):
            assert (p <= np.exp(epsilon) * q + delta + 1e-7).all()  # the edge is found to 1e-9 of itself


@pytest.mark.parametrize(
    ("claim", "most"),
    [
        # What each of them is of N(0, 0.5²) and N(1, 0.5²), the most that an audit may say.
        (GaussianDP(1.0), 2.0),
        (ZeroConcentrated(0.5), 2.0),
        (ApproximateZeroConcentrated(0.5, 0.01), 2.0),
        (Renyi(2.0, 1.0), 4.0),
        (Renyi((2.0, 4.0), (1.0, 2.0)), 4.0),
        (Curve(GaussianDP(1.0).delta), 0.3),
    ],
    ids=repr,
)
def test_half_the_noise_is_refuted_in_the_unit_of_the_claim(claim, most):
    def noisy(data, size, rng):
        return data + rng.normal(scale=0.5, size=size)

    found = audited(noisy, epsilon=None, claim=claim, max_samples=3000, alpha=0.001)
    assert found.refuted
    assert claim.value <= found.lower <= most
    assert found.tested_at >= 0.0
    assert math.isnan(found.epsilon_lower)
    document = json.loads(json.dumps(found.to_dict()))
    assert document["claim"]["unit"] == claim.unit
    assert document["lower"] == found.lower
    assert document["epsilon_lower"] is None
    assert f"claimed {claim.value:g} (" in found.summary()


@pytest.mark.parametrize(("scale", "refuted"), [(0.5, True), (1.0, False)])
def test_one_event_at_a_fixed_size_is_held_against_a_claim_in_its_unit(scale, refuted):
    # N(0, 1) and N(1, 1) are 1/2-zCDP exactly: refuted with probability 1e-6 at most.
    found = audited(
        lambda data, size, rng: data + rng.normal(scale=scale, size=size), epsilon=None, simplest=False,
        claim=ZeroConcentrated(0.5), max_samples=5000, alpha=1e-6, method="clopper-pearson",
    )  # fmt: skip
    assert found.refuted == refuted
    assert found.lower <= 0.5 / scale**2
    assert found.samples == 5000


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"claim": GaussianDP(1.0), "epsilon": 1.0}, "epsilon must be left out where there is a claim"),
        ({"claim": 1.0}, "claim must be one of Pure, Approximate"),
        ({}, "epsilon must be a number in [0, 200]"),
    ],
)
def test_one_claim_is_asked_for(options, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        audit_privacy(lambda d, n, rng: rng.normal(size=n), [(1, 0)], adjacency=lambda a, b: True, **options)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Pure(-1.0), "epsilon must be one number ≥ 0, got -1.0"),
        (lambda: ZeroConcentrated(math.nan), "rho must be one number ≥ 0, got nan"),
        (lambda: Approximate(1.0, "much"), "delta must be"),
        (lambda: ApproximateZeroConcentrated(1.0, 1.0), "delta must be in [0, 1), got 1.0"),
        (lambda: Renyi(1.0, 0.5), "order must be > 1, got 1.0"),
        (lambda: Renyi((2.0, 3.0), 0.5), "as many"),
        (lambda: Renyi((2.0, 2.0), (0.5, 0.6)), "must not repeat"),
        (lambda: GaussianDP(math.inf), "mu must be one number ≥ 0, got inf"),
        (lambda: Curve([(0.0, 0.1), (1.0, 0.2)]), "must not rise, but δ rises from 0.1 to 0.2"),
        (lambda: Curve([(0.0, 0.5), (1.0, 0.45), (2.0, 0.1)]), "δ = 0.45 at ε = 1 is on no privacy curve"),
        (lambda: Curve([(0.0, 1.5)]), "δ of a curve must be in [0, 1], got 1.5"),
        (lambda: Curve([(-1.0, 0.5)]), "ε of a curve must be in [0, 200], got -1.0"),
        (lambda: Curve([(1.0, 0.5), (1.0, 0.4)]), "one δ at each ε, but has two at ε = 1"),
        (lambda: Curve([]), "pairs (ε, δ)"),
        (lambda: Curve("no"), "curve must be numbers"),
        (lambda: GaussianDP(1.0).delta(-0.5), "epsilon must be one number ≥ 0, got -0.5"),
    ],
)
def test_bad_input_is_named(make, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        make()
