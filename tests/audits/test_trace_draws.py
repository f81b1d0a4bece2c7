"""Every public draw of the libraries that are watched is in a table, so that a new one fails here first."""

from __future__ import annotations

import contextlib
import functools
import inspect
import random
import secrets

import numpy as np
import pytest
from scipy import stats
from scipy.stats._distn_infrastructure import rv_generic
from scipy.stats._distr_params import distcont, distdiscrete

from audits.trace import trace_privacy
from audits.trace.record import table
from audits.trace.record.session import Session
from audits.trace.record.sources import watched
from implementations.privacy import gaussian_epsilon

SCIPY_BY_NUMPY = (
    *("Binomial", "Logistic", "Mixture", "Normal", "Uniform", "dirichlet", "dirichlet_multinomial"),
    *("gaussian_kde", "invwishart", "matrix_normal", "matrix_t", "multinomial", "multivariate_hypergeom"),
    *("multivariate_normal", "multivariate_t", "normal_inverse_gamma", "ortho_group", "random_correlation"),
    *("random_table", "rv_continuous", "rv_discrete", "rv_histogram", "special_ortho_group"),
    *("uniform_direction", "unitary_group", "vonmises_fisher", "wishart", "BootstrapMethod"),
    *("MonteCarloMethod", "PermutationMethod", "bootstrap", "dunnett", "goodness_of_fit", "sobol_indices"),
    *("multiscale_graphcorr", "permutation_test", "monte_carlo_test", "power", "qmc"),
)
"""Names of `scipy.stats` that call methods of a generator of NumPy: those are the draws that are seen."""
PAIR = [(np.array([1.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0]))]


@pytest.mark.parametrize("kind", [np.random.Generator, np.random.RandomState])
def test_every_public_method_of_numpy_is_in_a_table(kind: type) -> None:
    tables = (table.NUMPY, table.PLACES["numpy"], table.RAW, table.NO_DRAWS["numpy"], table.LOST["numpy"])
    public = {name for name in dir(kind) if not name.startswith("_")}
    assert public <= set().union(*tables)


def test_every_public_function_of_random_and_secrets_is_in_a_table() -> None:
    tables = (table.PYTHON, table.PLACES["random"], table.NO_DRAWS["random"], table.LOST["random"])
    assert set(random.__all__) - {"Random", "SystemRandom"} <= set().union(*tables)
    assert set(secrets.__all__) - {"SystemRandom", "compare_digest"} == set(table.PLACES["secrets"])


def test_every_function_of_torch_that_takes_a_generator_is_in_a_table() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is optional")
    documents = {name: str(getattr(torch, name).__doc__) for name in dir(torch) if not name.startswith("_")}
    drawing = {name for name, text in documents.items() if "generator=None" in text and name.islower()}
    assert drawing
    assert drawing <= {*table.TORCH, *table.LOST["torch"]}
    methods = {name: str(getattr(torch.Tensor, name).__doc__) for name in dir(torch.Tensor)}
    filled = {name for name, text in methods.items() if "generator=None" in text and name.endswith("_")}
    assert filled
    assert filled <= {*table.TENSOR}


def drawing(module) -> set[str]:
    """Public names of a module of SciPy that have a method that draws, or take a generator."""
    found = set()
    for name in dir(module):
        item = getattr(module, name)
        if name.startswith("_") or not callable(item):
            continue
        with contextlib.suppress(ValueError):
            if {"rng", "random_state", "seed"} & set(inspect.signature(item).parameters):
                found.add(name)
        if any(callable(getattr(item, method, None)) for method in ("rvs", "resample", "sample", "random")):
            found.add(name)
    return found


def test_every_public_draw_of_scipy_is_in_a_table() -> None:
    laws = {name for name in drawing(stats) if isinstance(getattr(stats, name), rv_generic)}
    assert drawing(stats) - laws <= {*SCIPY_BY_NUMPY, "iqr"}  # whose `rng` is a range
    assert {law.name for law in map(functools.partial(getattr, stats), laws)} >= set(table.SCIPY)


def test_every_distribution_of_scipy_draws_what_is_recorded() -> None:
    shapes = dict(distcont + distdiscrete)
    session = Session(np.random.default_rng(0))
    with watched(session) as (rng, _):
        for name in sorted(drawing(stats)):
            law = getattr(stats, name)
            if isinstance(law, rv_generic) and name in shapes:
                before = len(session.draws)
                law.rvs(*shapes[name], random_state=rng)
                assert len(session.draws) == before + 1, name


def test_a_column_of_scales_is_an_array_of_them() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is optional")

    def means(data, rng):
        sizes = pandas.Series([2.0, data.sum() + 1.0], index=["a", "b"])
        return pandas.Series([1.0, 1.0], index=["a", "b"]) + rng.laplace(scale=1.0 / sizes)

    result = trace_privacy(means, PAIR, epsilon=1.0, adjacency="replace", seeds=2, black_box=False)
    assert result.verdict == "leak"
    assert "scale[1] of laplace" in result.summary()


def test_a_number_of_python_made_of_a_tensor_is_a_number() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is optional")

    def noisy(data, rng):
        return float(torch.tensor(data.sum()) + torch.distributions.Laplace(0.0, 1.0).sample())

    result = trace_privacy(noisy, PAIR, epsilon=1.0, adjacency="replace", seeds=2, black_box=False)
    assert (result.verdict, result.epsilon_ledger) == ("nothing-found", pytest.approx(1.0))


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


ABOUT = {
    "laplace": lambda data, rng: rng.laplace(sum(data), 0.25),
    "an array": lambda data, rng: rng.laplace(np.array(data), 0.25),
    "random": lambda data, rng: random.gauss(sum(data), 0.25),
    "SciPy": lambda data, rng: stats.laplace(sum(data), 0.25).rvs(random_state=rng),
    "used later": lambda data, rng: 2.0 * float(rng.laplace(sum(data), 0.25)) + 1.0,
}


@pytest.mark.parametrize("program", ABOUT.values(), ids=ABOUT)
@pytest.mark.parametrize("pair", [((0.0, 1.0), (0.0, 0.0)), ((0.0, 0.0), (0.0, 1.0)), ((2, -1), (1, -1))])
def test_noise_about_a_number_that_is_0_on_one_dataset_costs_what_it_costs(program, pair):
    """Laplace noise of scale ¼ about 0 and about 1 costs ε = 4, whichever dataset has the 0."""
    found = trace_privacy(program, [pair], epsilon=1.0, delta=1e-6, adjacency="replace", black_box=False)
    assert found.verdict == "ledger-exceeds"
    assert found.epsilon_ledger == pytest.approx(stats_cost(program), rel=1e-3)


def stats_cost(program) -> float:
    """The least ε at δ = 10⁻⁶: 4 + log(1 − …) of a Laplace law, or that of a Gaussian one of ratio 4."""
    if program is ABOUT["random"]:
        return gaussian_epsilon(1e-6, 4.0)
    # H_ε = 1 − e^((ε − 4)/2) for Laplace noise of ratio 4 (Balle and Wang 2018).
    return 4.0 + 2.0 * float(np.log1p(-1e-6))
