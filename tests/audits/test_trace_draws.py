"""Every public draw of the libraries that are watched is in a table, so that a new one fails here first."""

from __future__ import annotations

import random
import secrets

import numpy as np
import pytest
from scipy import stats

from audits.trace import trace_privacy
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
