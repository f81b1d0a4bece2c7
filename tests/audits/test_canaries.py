"""One training run with canaries: bounds against the worst mechanism that a linear programme finds, false
alarms of mechanisms whose privacy is known exactly, power, bad input.

A mechanism at its exact ε is refuted with probability 0.05 a run; counts of refutations exceed what
`test_no_bound_above_the_truth` allows with probability 1e-6 each.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog
from scipy.stats import binom
from typer.testing import CliRunner

from audits.canaries import Guesses, audit_canaries
from audits.canaries import _by_epsilon as by_epsilon
from audits.canaries import _impossible as impossible
from audits.privacy.claims import Approximate, Claim, Curve, GaussianDP, Pure, Renyi, ZeroConcentrated
from claims.harness.commands.main import app


def worst_mechanism(m: int, v: int, epsilon: float, delta: float) -> float:
    """The largest P(C ≥ v) over all (ε, δ)-private mechanisms that guess m coins of m."""
    points = list(itertools.product((0, 1), repeat=m))
    n = len(points)
    # Variables: P(t | s), then for each ordered pair of neighbours the excess (P(t | s) − e^ε·P(t | s′))₊.
    pairs = [(i, j) for i, j in itertools.permutations(range(n), 2)
             if sum(a != b for a, b in zip(points[i], points[j], strict=True)) == 1]  # fmt: skip
    right = np.array([[sum(a == b for a, b in zip(s, t, strict=True)) for t in points] for s in points])
    gain = np.concatenate([(right >= v).ravel() / -n, np.zeros(len(pairs) * n)])
    upper = sparse.lil_matrix((len(pairs) * (n + 1), gain.size))
    limit = np.zeros(len(pairs) * (n + 1))
    for k, (i, j) in enumerate(pairs):
        for t in range(n):
            upper[k * n + t, i * n + t], upper[k * n + t, j * n + t] = 1.0, -math.exp(epsilon)
            upper[k * n + t, n * n + k * n + t] = -1.0
        upper[len(pairs) * n + k, n * n + k * n : n * n + (k + 1) * n] = 1.0
        limit[len(pairs) * n + k] = delta
    equal = sparse.hstack([sparse.kron(sparse.eye(n), np.ones((1, n))), np.zeros((n, len(pairs) * n))])
    return -linprog(gain, upper.tocsr(), limit, equal, np.ones(n)).fun


@pytest.mark.parametrize(("m", "v", "epsilon", "delta"), [
    (1, 1, 1.0, 0.05), (2, 2, 0.5, 0.02), (3, 3, 1.0, 0.0), (3, 3, 1.0, 0.03), (3, 2, 0.0, 0.05),
])  # fmt: skip
def test_no_mechanism_guesses_more_than_the_first_theorem_says(m, v, epsilon, delta):
    worst = worst_mechanism(m, v, epsilon, delta)
    # The bound of ε at the level `worst` is the ε of the mechanism or less, so that nobody is accused.
    assert by_epsilon(m * delta, Guesses(m, 0, v), worst * (1 - 1e-9)) <= epsilon + 1e-7
    if not delta:
        assert worst == pytest.approx(binom.sf(v - 1, m, 1 / (1 + math.exp(-epsilon))))
        assert by_epsilon(0.0, Guesses(m, 0, v), worst) == pytest.approx(epsilon, abs=1e-7)


CURVES = [GaussianDP(1.0), Approximate(1.0, 0.01), Renyi(4.0, 0.5)]


@pytest.mark.parametrize(("m", "k", "v"), [(12, 12, 10), (30, 12, 11), (40, 5, 5)])
@pytest.mark.parametrize("claim", CURVES, ids=str)
def test_the_second_theorem_is_what_a_linear_programme_over_counts_says(claim: Claim, m, k, v):
    q = 1.0 / (1.0 + np.exp(-np.linspace(-16.0, 16.0, 257)))
    edge, slope = claim.edge(q)
    c, i = np.arange(k + 1), np.arange(1, k + 1)[:, None, None]
    rows = (c / m) * (c >= i) - slope[:, None] * ((k - c) / m) * (c >= i - 1)
    limits = np.broadcast_to(edge - slope * q, (k, q.size)).ravel()
    found = linprog(-(c >= v).astype(float), rows.reshape(-1, k + 1), limits, np.ones((1, k + 1)), [1.0])
    assert not impossible(claim, m, Guesses(k, 0, v), -found.fun * (1 - 1e-6))
    if -found.fun < 1 - 1e-6:
        assert impossible(claim, m, Guesses(k, 0, v), -found.fun * (1 + 1e-6))


def responses(epsilon: float, delta: float = 0.0) -> Callable[..., Any]:
    """Randomised response with this ε, and with probability δ the coin itself."""

    def scores(coins: Any, rng: Any) -> Any:
        told = np.where(rng.random(coins.shape) < 1 / (1 + math.exp(-epsilon)), coins, ~coins) * 1.0
        return np.where(rng.random(coins.shape) < delta, 4.0 * coins - 2.0, told)

    return scores


def gaussian(mu: float) -> Callable[..., Any]:
    return lambda coins, rng: mu * coins + rng.normal(size=coins.shape)


EXACT = [
    (responses(1.0), Pure(1.0), {}),
    (responses(1.0), Pure(1.0), {"guesses": (60, 0)}),
    (responses(0.0), Pure(0.0), {"guesses": (50, 50)}),
    (responses(1.0, 0.01), Approximate(1.0, 0.01), {"guesses": (20, 20)}),
    (gaussian(1.0), GaussianDP(1.0), {"guesses": (20, 20)}),
    (gaussian(0.5), GaussianDP(0.5), {}),
]


@pytest.mark.parametrize(("scores", "claim", "options"), EXACT, ids=range(len(EXACT)))
def test_no_bound_above_the_truth(scores, claim, options):
    runs = 200
    rng = np.random.default_rng(1)
    wrong = 0
    for seed in range(runs):
        coins = rng.random(120) < 0.5
        # Sorted rows: nothing may be read from the order in which canaries with one score stand.
        order = np.argsort(~coins, kind="stable")
        result = audit_canaries(scores(coins, rng)[order], coins[order], claim=claim, seed=seed, **options)
        wrong += result.lower > claim.value
    assert wrong <= binom.isf(1e-6, runs, 0.05)


@pytest.mark.parametrize(("claim", "least"), [
    (Pure(1.0), 2.0), (Approximate(1.0, 1e-5), 2.0), (GaussianDP(0.5), 0.75),
    (ZeroConcentrated(0.1), 0.2),
])  # fmt: skip
def test_a_mechanism_that_keeps_less_is_refuted(claim, least):
    # N(2·coin, 1): over 200 seeds the bounds had standard deviations of 0.5 at most, far above `least`.
    rng = np.random.default_rng(0)
    coins = rng.random(1000) < 0.5
    result = audit_canaries(gaussian(2.0)(coins, rng), coins, claim=claim, alpha=0.05)
    assert result.verdict == "refuted", result.summary()
    assert least < result.lower <= result.reachable
    assert f"{claim.unit} ≥ {result.lower:.4g}, claimed" in result.summary()


@pytest.mark.parametrize("sign", [1, -1])
def test_ties_are_not_broken_by_the_generator_of_the_coins(sign):
    # A mechanism that tells nothing: all guesses are right, were ties broken by the draws behind the coins.
    coins = sign * (np.random.default_rng(0).random(200) - 0.5) > 0.0
    assert audit_canaries(np.zeros(200), coins, claim=Pure(0.0), alpha=1e-6, guesses=(50, 50)).lower == 0.0


def test_canaries_that_cannot_show_so_much_are_undecided():
    coins = np.random.default_rng(0).random(40) < 0.5
    result = audit_canaries(coins * 1.0, coins, claim=Pure(8.0))
    assert (result.verdict, result.reachable < 8.0) == ("undecided", True)


COINS = np.arange(40) % 2


@pytest.mark.parametrize(("call", "words"), [
    (lambda: audit_canaries(COINS[:19], COINS[:19], claim=Pure(1.0)), "20 canaries at least, got 19"),
    (lambda: audit_canaries(COINS[1:], COINS, claim=Pure(1.0)), r"one shape, got \(39,\) and \(40,\)"),
    (lambda: audit_canaries(COINS, COINS + 1, claim=Pure(1.0)), "included must be 0 or 1.* got 2"),
    (lambda: audit_canaries(COINS * np.nan, COINS, claim=Pure(1.0)), "scores must be finite"),
    (lambda: audit_canaries(COINS, COINS > 2, claim=Pure(1.0)), "fair coin .* but 0 of 40 are included"),
    (lambda: audit_canaries(COINS, COINS, claim=Pure(1.0), alpha=0.0), "alpha must be"),
    (lambda: audit_canaries(COINS, COINS, claim=Pure(1.0), guesses=(40, 1)), "guesses must be 1 to 40"),
    (lambda: audit_canaries(COINS, COINS, claim=Pure(1.0), seed=-1), "seed must be a whole number"),
    (lambda: audit_canaries(COINS[None], COINS[None], claim=Pure(1.0)), "shape"),
    (lambda: audit_canaries(COINS, COINS, claim=1.0), "claim must be"),  # type: ignore[arg-type]
    (lambda: audit_canaries(COINS, COINS, claim=Curve({0.0: 0.1, 1.0: 0.2})), "must not rise"),
])  # fmt: skip
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize(("options", "status", "words"), [
    ("--epsilon 0.5", 1, "REFUTED: ε ≥ "), ("--mu 0.1", 1, "REFUTED: μ ≥ "),
    ("--epsilon 9 --delta 1e-5", 3, "it takes more canaries"), ("--epsilon 1.4", 0, "NOT REFUTED"),
    ("--epsilon 1 --rho 1", 2, "a claim is of one kind"), ("", 2, "give one claim"),
    ("--mu 1 --delta 0.1", 2, "delta must not be given beside --mu"),
    ("--rho -1", 2, "rho must be"),
])  # fmt: skip
def test_the_command(tmp_path, options, status, words):
    # With 99.9 % confidence: 200 canaries whose scores are N(1.5·coin, 1).
    rng = np.random.default_rng(0)
    coins = rng.random(200) < 0.5
    rows = zip(gaussian(1.5)(coins, rng), coins, strict=True)
    file = tmp_path / "scores.csv"
    file.write_text("score,included\n" + "".join(f"{score},{int(coin)}\n" for score, coin in rows))
    files = ["--junit", str(tmp_path / "j.xml"), "--sarif", str(tmp_path / "s.sarif")]
    done = CliRunner().invoke(app, ["canaries", str(file), *options.split(), *files])
    assert words in (done.output if status != 2 else str(done.exception))
    assert done.exit_code == (status if status != 2 else 1)
    assert (tmp_path / "s.sarif").exists() == (tmp_path / "j.xml").exists() == (status != 2)
