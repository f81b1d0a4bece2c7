"""A seed that a program fixes in PyTorch is found as one of NumPy is, see `trace_truth`."""

from __future__ import annotations

import numpy as np
import pytest

from audits.trace import trace_privacy

torch = pytest.importorskip("torch", reason="PyTorch is optional")
PAIR = [(np.array([1.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0]))]


def distribution(data, rng):
    torch.manual_seed(0)
    return data.sum() + torch.distributions.Laplace(0.0, 1.0).sample()


def generator(data, rng):
    source = torch.Generator().manual_seed(0)
    return data.sum() + torch.empty(()).exponential_(1.0, generator=source)


def unseeded(data, rng):
    """All such generators start from one constant."""
    return data.sum() + torch.empty(()).exponential_(1.0, generator=torch.Generator())


def by_the_system(data, rng):
    source = torch.Generator()
    source.seed()
    return data.sum() + torch.empty(()).exponential_(1.0, generator=source)


def again(data, rng):
    state = torch.get_rng_state()
    noise = torch.randn(())
    torch.set_rng_state(state)
    return data.sum() + noise, torch.randn(())


@pytest.mark.parametrize(
    ("program", "verdict"),
    [(distribution, "leak"), (generator, "leak"), (unseeded, "leak"), (again, "lost")],
)
def test_what_a_seed_or_a_state_makes_of_noise(program, verdict: str) -> None:
    result = trace_privacy(
        program, PAIR, epsilon=9.0, delta=0.5, adjacency="replace", seeds=2, black_box=False
    )
    assert result.verdict == verdict, result.summary()
    assert verdict == "lost" or [finding.kind for finding in result.findings] == ["seed"]


def test_a_seed_of_the_system_is_none() -> None:
    result = trace_privacy(by_the_system, PAIR, epsilon=2.0, adjacency="replace", seeds=2, black_box=False)
    assert not result.findings, result.summary()
