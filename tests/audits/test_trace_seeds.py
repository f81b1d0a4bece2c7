"""A seed that a program fixes through SciPy or PyTorch is found as one of NumPy is."""

from __future__ import annotations

import random
from importlib.util import find_spec

import numpy as np
import pytest
from scipy import stats

from audits.trace import trace_privacy

with_torch = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is optional")
PAIR = [(np.array([1.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0]))]


def shared(data, rng):
    np.random.seed(0)  # noqa: NPY002
    return data.sum() + stats.laplace.rvs()


def distribution(data, rng):
    import torch

    torch.manual_seed(0)
    return data.sum() + torch.distributions.Laplace(0.0, 1.0).sample()


def generator(data, rng):
    import torch

    source = torch.Generator().manual_seed(0)
    return data.sum() + torch.empty(()).exponential_(1.0, generator=source)


def unseeded(data, rng):
    import torch

    return data.sum() + torch.empty(()).exponential_(1.0, generator=torch.Generator())


def by_the_system(data, rng):
    import torch

    source = torch.Generator()
    source.seed()
    return data.sum() + torch.empty(()).exponential_(1.0, generator=source)


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        (lambda data, rng: data.sum() + stats.laplace.rvs(random_state=0), "seed"),
        (lambda data, rng: data.sum() + stats.laplace(scale=1).rvs(random_state=np.int64(0)), "seed"),
        (shared, "seed"),
        pytest.param(distribution, "seed", marks=with_torch),
        pytest.param(generator, "seed", marks=with_torch),
        pytest.param(unseeded, "seed", marks=with_torch),  # all such generators start from one constant
        pytest.param(by_the_system, "", marks=with_torch),
        (lambda data, rng: data.sum() + stats.laplace.rvs(random_state=rng), ""),
        (lambda data, rng: data.sum() + stats.laplace.rvs(random_state=rng.integers(2**31)), ""),
    ],
)
def test_a_seed_that_is_fixed_is_a_leak_whichever_library_it_is_given_to(program, kind: str) -> None:
    result = trace_privacy(program, PAIR, epsilon=2.0, adjacency="replace", seeds=2, black_box=False)
    assert [finding.kind for finding in result.findings] == [kind] * bool(kind), result.summary()


def numpy_again(data, rng):
    state = np.random.get_state()  # noqa: NPY002
    noise = np.random.laplace()  # noqa: NPY002
    np.random.set_state(state)  # noqa: NPY002
    return data.sum() + noise, np.random.laplace()  # noqa: NPY002


def random_again(data, rng):
    state = random.getstate()
    noise = random.gauss(0.0, 1.0)
    random.setstate(state)
    return data.sum() + noise, random.gauss(0.0, 1.0)


def torch_again(data, rng):
    import torch

    state = torch.get_rng_state()
    noise = torch.randn(())
    torch.set_rng_state(state)
    return data.sum() + noise, torch.randn(())


@pytest.mark.parametrize("program", [numpy_again, random_again, pytest.param(torch_again, marks=with_torch)])
def test_a_generator_that_draws_again_what_it_drew_before_is_lost(program) -> None:
    result = trace_privacy(
        program, PAIR, epsilon=9.0, delta=0.5, adjacency="replace", seeds=2, black_box=False
    )
    assert result.verdict == "lost", result.summary()
