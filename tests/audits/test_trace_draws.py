"""Every public draw of the libraries that are watched is in a table, so that a new one fails here first."""

from __future__ import annotations

import random
import secrets

import numpy as np
import pytest
from scipy import stats

from audits.trace import trace_privacy
from audits.trace.ledger.losses import gaussian_epsilon
from audits.trace.record import sources, tensors

PAIR = [(np.array([1.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0]))]


@pytest.mark.parametrize("kind", [np.random.Generator, np.random.RandomState])
def test_every_public_method_of_numpy_is_in_a_table(kind: type) -> None:
    known = {*sources.NAMES, *sources.COINS, *sources.NO_DRAWS, "choice", "shuffle"}
    public = {name for name in dir(kind) if not name.startswith("_")}
    assert public - known <= {"multivariate_hypergeometric"}  # which is lost


def test_every_public_function_of_random_and_secrets_is_in_a_table() -> None:
    known = {*sources.PYTHON, *sources.PYTHON_COINS, "shuffle", "seed", "getstate", "setstate"}
    public = {name for name in random.__all__ if name not in ("Random", "SystemRandom")}
    assert public - known <= {"binomialvariate"}  # of Python 3.12: it draws by `random` itself
    assert {"randbelow", "randbits", "choice", "token_bytes", "token_hex", "token_urlsafe"} <= set(
        secrets.__all__
    )
    assert set(secrets.__all__) - {"SystemRandom", "compare_digest"} == {
        "choice", "randbelow", "randbits", "token_bytes", "token_hex", "token_urlsafe",
    }  # fmt: skip


def test_every_function_of_torch_that_takes_a_generator_is_in_a_table() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is optional")
    documents = {name: str(getattr(torch, name).__doc__) for name in dir(torch) if not name.startswith("_")}
    drawing = {name for name, text in documents.items() if "generator=None" in text and name.islower()}
    known = {*tensors.TORCH, *tensors.NOT_FOLLOWED}
    assert drawing
    assert drawing <= known


@pytest.mark.parametrize(
    ("draw", "verdict"),
    [
        (lambda data, rng: rng.multivariate_hypergeometric([3, int(data.sum()) + 1], 2), "lost"),
        (lambda data, rng: stats.rv_discrete(values=([0, 1], [0.5, 0.5])).rvs(random_state=rng), "lost"),
        (lambda data, rng: rng.permutation(data), "leak"),
        (lambda data, rng: rng.permuted(np.outer(data, [1, 2]), axis=1), "leak"),
        (lambda data, rng: rng.integers(int(data.sum()), endpoint=True), "ledger-exceeds"),
        (lambda data, rng: random.randrange(1 + int(data.sum())), "ledger-exceeds"),
        (lambda data, rng: random.randrange(3), "nothing-found"),
    ],
)
def test_arguments_of_draws_are_compared(draw, verdict: str) -> None:
    result = trace_privacy(draw, PAIR, epsilon=1.0, adjacency="replace", seeds=3, black_box=False)
    assert result.verdict == verdict, result.summary()


def test_a_column_of_scales_is_an_array_of_them() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is optional")

    def means(data, rng):
        sizes = pandas.Series([2.0, data.sum() + 1.0], index=["a", "b"])
        return pandas.Series([1.0, 1.0], index=["a", "b"]) + rng.laplace(scale=1.0 / sizes)

    result = trace_privacy(means, PAIR, epsilon=1.0, adjacency="replace", seeds=2, black_box=False)
    assert result.verdict == "leak"
    assert "scale[1] of laplace" in result.summary()


def test_places_in_a_list_of_gumbel_scores_cost_what_the_exponential_mechanism_does() -> None:
    from scipy.special import softmax

    def best_two(data, rng):
        left, chosen = [0, 1, 2], []
        for _ in range(2):
            scores = [0.5 * (data == i).sum() + rng.gumbel() for i in left]
            chosen.append(left.pop(int(np.argmax(scores))))
        return chosen

    result = trace_privacy(best_two, PAIR, epsilon=1.0, adjacency="replace", seeds=3, black_box=False)
    assert result.verdict == "nothing-found", result.summary()
    p, q = (softmax([0.5 * (data == i).sum() for i in range(3)]) for data in PAIR[0])
    first = np.max(np.abs(np.log(p / q)))
    assert result.epsilon_ledger is not None
    assert first < result.epsilon_ledger < 1.0 + 1e-3


def test_a_number_of_python_made_of_a_tensor_is_a_number() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is optional")

    def noisy(data, rng):
        return float(torch.tensor(data.sum()) + torch.distributions.Laplace(0.0, 1.0).sample())

    result = trace_privacy(noisy, PAIR, epsilon=1.0, adjacency="replace", seeds=2, black_box=False)
    assert (result.verdict, result.epsilon_ledger) == ("nothing-found", pytest.approx(1.0))


def test_steps_towards_a_noisy_mean_cost_what_gaussians_compose_to() -> None:
    def steps(data, rng):
        theta = 0.0
        for _ in range(4):
            theta = theta - 0.5 * (theta - data.sum() + rng.normal(0.0, 4.0))
        return theta

    result = trace_privacy(
        steps, PAIR, epsilon=2.5, delta=1e-5, adjacency="replace", seeds=2, black_box=False
    )
    assert result.verdict == "nothing-found", result.summary()
    assert result.epsilon_ledger == pytest.approx(gaussian_epsilon(0.5, 1e-5), rel=1e-9)


@pytest.mark.parametrize("name", ["Gumbel", "Laplace"])
def test_the_largest_of_scores_with_noise_of_a_distribution_of_torch_costs(name: str) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is optional")

    def largest(data, rng):
        noise = getattr(torch.distributions, name)(0.0, 2.0).sample((3,))
        return int(torch.argmax(torch.tensor(data) + noise))

    result = trace_privacy(largest, PAIR, epsilon=1.0, adjacency="replace", seeds=2, black_box=False)
    assert result.verdict == "nothing-found", result.summary()
    assert result.epsilon_ledger is not None
    assert 0.1 < result.epsilon_ledger <= 1.0
