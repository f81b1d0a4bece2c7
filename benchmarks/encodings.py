"""Mechanisms as other tools and libraries write them: sentinels in vectors, many queries, many candidates.

Each has an exact law, so that it is known what the best fixed event shows. The classical rows are numbers,
counts and records; here the same and other mechanisms come as users encode them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from implementations.controls import Control, Law, queries_within_one
from implementations.controls.additive import gaussian_law, gaussian_sigma
from implementations.controls.sparse_vector import (
    STOPPED,
    sparse_vector,
    sparse_vector_law,
    sparse_vector_value,
    sparse_vector_value_law,
)
from implementations.interfaces import Adjacency, Array, Mechanism
from implementations.noise_laws import laplace_cdf

BELOW, UNANSWERED = -1.0, -1000.0
"""Sentinels of vectors of answers: a query below the threshold, and a query after the stop."""


def encodings() -> list[Control]:
    """All rows; claimed ε = 1, with δ = 1e-5 for Gaussian noise."""
    return [
        *_sparse_vectors(),
        *_above_threshold(50),
        _cauchy_median(),
        _laplace_in_columns(5),
        _staircase(),
        _truncated_geometric(10),
        _discrete_gaussian(),
        _dp_sgd(steps=3, width=20),
        *_exponential_mechanism(1000),
    ]


def _control(
    name: str, mechanism: Mechanism, pair: tuple[Any, Any], law: Callable[[Any], Law], **further: Any
) -> Control:
    usual = {"adjacency": queries_within_one, "epsilon": 1.0, "true_epsilon": None, "private": True}
    return Control(name=name, mechanism=mechanism, pair=pair, law=law, **(usual | further))


# --- Sparse vector -----------------------------------------------------------------------------------

LYU = "Lyu, Su, Li: Understanding the sparse vector technique, PVLDB 10(6), 2017"


def _answers(counts: NDArray[Any], values: Any, width: int) -> Array:
    """Vectors of answers (size, width): `BELOW` so often, then the value, then `UNANSWERED`."""
    column = np.arange(width)
    after = np.where(column < counts[:, None], BELOW, UNANSWERED)
    return np.where(column == counts[:, None], np.reshape(values, (-1, 1)), after)


def _counted(outputs: Array) -> NDArray[Any]:
    """How many queries are below before the stop."""
    return (outputs == BELOW).sum(axis=1)


def _as_vectors(law: Callable[[Any], Law]) -> Callable[[Any], Law]:
    """The law of a count as that of vectors of answers."""

    def of(data: Any) -> Law:
        found = law(data)
        return Law(mass=found.mass, cell=lambda outputs: found.cell(_counted(outputs)), atoms=found.atoms)

    return of


def _vectors(count: Mechanism, width: int) -> Mechanism:
    def mechanism(data: Any, size: int, rng: np.random.Generator, /) -> Array:
        return _answers(count(data, size, rng), np.ones(size), width)

    return mechanism


def _sparse_vectors() -> list[Control]:
    ones, split = (1,) * 10, (2,) * 5 + (0,) * 5
    value = sparse_vector_value(2.0, 2.0, 1.0)
    edges = np.arange(-20.0, 25.05, 0.05)
    value_law = sparse_vector_value_law(2.0, 2.0, 1.0, edges)

    def released(data: Any, size: int, rng: np.random.Generator, /) -> Array:
        found = value(data, size, rng)
        return _answers(found["below"], found["value"], 10)

    def released_law(data: Any) -> Law:
        found = value_law(data)

        def cell(outputs: Array) -> NDArray[np.intp]:
            below = _counted(outputs)
            records = np.zeros(len(outputs), STOPPED)
            records["below"] = below
            records["value"] = outputs[np.arange(len(outputs)), np.minimum(below, 9)]
            return found.cell(records)

        return Law(mass=found.mass, cell=cell, atoms=False)

    first, law = sparse_vector(2.0, 4.0, 0.5), sparse_vector_law(2.0, 4.0, 0.5)
    return [
        _control(
            "svt1 in ten columns",
            _vectors(first, 10),
            (ones, split),
            _as_vectors(law),
            outputs="vector",
            source=LYU,
        ),
        _control(
            "svt3 in ten columns",
            released,
            (ones, (2,) * 10),
            released_law,
            outputs="vector",
            source=LYU,
            private=False,
        ),
    ]


def _above_threshold(queries: int) -> list[Control]:
    half = queries // 2
    pair = (1,) * queries, (2,) * half + (0,) * half
    count, law = sparse_vector(2.0, 4.0, 1.0), sparse_vector_law(2.0, 4.0, 1.0)
    name = f"above threshold, {queries} queries"
    return [
        _control(name, count, pair, law, outputs="integer", source=LYU),
        _control(
            f"{name}, in columns",
            _vectors(count, queries),
            pair,
            _as_vectors(law),
            outputs="vector",
            source=LYU,
        ),
    ]


# --- Additive noise ----------------------------------------------------------------------------------


def _cells(edges: Array, distribution: Callable[[Array], Array], centre: Callable[[Any], float]) -> Any:
    """The law of a number whose distribution function is that of noise around a centre, in the cells of
    edges."""

    def law(data: Any) -> Law:
        below = np.concatenate([[0.0], distribution(edges - centre(data)), [1.0]])
        return Law(
            mass=np.diff(below), cell=lambda outputs: np.searchsorted(edges, outputs, "right"), atoms=False
        )

    return law


def _cauchy_median() -> Control:
    """Cauchy noise of scale 1 on a median that moves by s: densities have a ratio of at most
    e^(2·asinh(s/2)), which is e for s = 2·sinh(1/2)."""
    apart = 2.0 * math.sinh(0.5)

    def mechanism(data: Any, size: int, rng: np.random.Generator, /) -> Array:
        return np.median(data) + rng.standard_cauchy(size)

    turns = np.linspace(0.0, 1.0, 20_001)[1:-1]
    return _control(
        "Cauchy noise on a median",
        mechanism,
        ((0.0, 0.0, apart), (0.0, apart, apart)),
        _cells(
            np.tan(math.pi * (turns - 0.5)),
            lambda x: 0.5 + np.arctan(x) / math.pi,
            lambda data: float(np.median(data)),
        ),
        outputs="real",
        source="Nissim, Raskhodnikova, Smith: Smooth sensitivity and sampling, STOC 2007",
        adjacency=Adjacency.REPLACE,
    )


def _laplace_in_columns(width: int) -> Control:
    """Laplace noise of scale `width` on so many numbers, each of which moves by 1.

    The loss of an output is the sum of the losses of its columns, so the masses of the sum are those of
    one column convolved; the loss of a column is rounded to a grid, which makes cells of outputs of it.
    """
    steps = 2000

    def loss(outputs: Array) -> NDArray[np.int64]:
        rounded = np.rint((np.abs(outputs) - np.abs(outputs - 1.0)) * steps / 2.0)
        return rounded.astype(np.int64) + steps // 2

    def mechanism(data: Any, size: int, rng: np.random.Generator, /) -> Array:
        return np.asarray(data, float) + rng.laplace(scale=width, size=(size, width))

    def law(data: Any) -> Law:
        # A loss of k steps is that of the numbers between two neighbouring edges; 0 and 1 are the ends.
        edges = np.concatenate([[-np.inf], (np.arange(steps) + 0.5) / steps, [np.inf]])
        one = np.diff(laplace_cdf(edges - float(data[0]), width))
        mass = np.ones(1)
        for _ in range(width):
            mass = np.convolve(mass, one)
        return Law(mass=mass, cell=lambda outputs: loss(outputs).sum(axis=1), atoms=False)

    return _control(
        f"Laplace in {width} columns",
        mechanism,
        ((1.0,) * width, (0.0,) * width),
        law,
        outputs="vector",
        source="Dwork, McSherry, Nissim, Smith: Calibrating noise to sensitivity, TCC 2006",
    )


def _staircase() -> Control:
    """Density proportional to e^(−k) on [k, k + γ) and to e^(−k − 1) on [k + γ, k + 1), mirrored; ε = 1."""
    ratio = math.exp(-1.0)
    high = 1.0 / (1.0 + math.exp(0.5))
    edges = np.concatenate([[k, k + high] for k in range(40)])
    tops = ratio ** np.repeat(np.arange(40), 2) * np.tile([1.0, ratio], 40)
    mass = tops[:-1] * np.diff(edges)
    mass /= 2.0 * mass.sum()
    right = np.concatenate([[0.0], np.cumsum(mass)])

    def distribution(x: Array) -> Array:
        tail = 0.5 - np.interp(np.abs(x), edges, right)
        return np.where(x < 0.0, tail, 1.0 - tail)

    def mechanism(data: Any, size: int, rng: np.random.Generator, /) -> Array:
        step = rng.choice(len(mass), size, p=2.0 * mass)
        noise = edges[step] + rng.random(size) * np.diff(edges)[step]
        return float(np.sum(data)) + noise * rng.choice([-1.0, 1.0], size)

    both = np.concatenate([-edges[::-1], edges[1:]])
    return _control(
        "staircase",
        mechanism,
        ((1.0,), (0.0,)),
        _cells(np.unique(np.concatenate([both, both + 1.0])), distribution, lambda data: float(np.sum(data))),
        outputs="real",
        source="Geng, Viswanath: The optimal noise-adding mechanism, IEEE Trans. Inf. Theory 62(2), 2016",
    )


def _finite(shares: Callable[[Any], Array], low: int = 0) -> Callable[[Any], Law]:
    """The law of an integer from `low` on with these probabilities."""
    return lambda data: Law(mass=shares(data), cell=lambda outputs: outputs - low, atoms=True)


def _drawn(shares: Callable[[Any], Array], low: int = 0) -> Mechanism:
    """A mechanism that draws such an integer."""

    def mechanism(data: Any, size: int, rng: np.random.Generator, /) -> NDArray[np.int64]:
        mass = shares(data)
        return low + rng.choice(len(mass), size, p=mass)

    return mechanism


def _truncated_geometric(most: int) -> Control:
    """Two-sided geometric noise on a count, cut off at 0 and at the number of records."""
    ratio = math.exp(-1.0)

    def shares(data: Any) -> Array:
        count = int(np.sum(data))
        mass = (1.0 - ratio) / (1.0 + ratio) * ratio ** np.abs(np.arange(most + 1) - count)
        mass[0], mass[-1] = ratio**count / (1.0 + ratio), ratio ** (most - count) / (1.0 + ratio)
        return mass

    return _control(
        "truncated geometric",
        _drawn(shares),
        ((1.0,) * 4 + (0.0,) * (most - 4), (1.0,) * 3 + (0.0,) * (most - 3)),
        _finite(shares),
        outputs="integer",
        source="Ghosh, Roughgarden, Sundararajan: Universally utility-maximizing mechanisms, STOC 2009",
        adjacency=Adjacency.REPLACE,
    )


def _discrete_gaussian() -> Control:
    """Integers of probability proportional to e^(−(k − count)²/(2σ²)), σ that of the real Gaussian."""
    sigma, delta = gaussian_sigma(1.0, 1e-5), 1e-5

    def shares(data: Any) -> Array:
        mass = np.exp(-np.square(np.arange(-80, 82) - float(np.sum(data))) / (2.0 * sigma**2))
        return mass / mass.sum()

    return _control(
        "discrete Gaussian",
        _drawn(shares, -80),
        ((1.0,), (0.0,)),
        _finite(shares, -80),
        outputs="integer",
        source="Canonne, Kamath, Steinke: The discrete Gaussian for differential privacy, NeurIPS 2020",
        delta=delta,
    )


# --- Learning and selecting --------------------------------------------------------------------------


def _dp_sgd(steps: int, width: int) -> Control:
    """Steps of full-batch DP-SGD, clipped to norm 1, on losses whose gradients are constant; the weights.

    One record more moves each sum of gradients by its clipped gradient g, so the weights are normal with
    means `steps`·rate·g apart and variance `steps`·(rate·σ)², whatever the dimension.
    """
    delta, rate, rng = 1e-5, 0.1, np.random.default_rng(20)
    sigma = gaussian_sigma(1.0, delta) * math.sqrt(steps)
    gradients = 3.0 * rng.normal(size=(5, width))
    record = tuple(map(tuple, gradients))
    along = gradients[-1] / np.linalg.norm(gradients[-1])

    def mechanism(data: Any, size: int, rng: np.random.Generator, /) -> Array:
        weights = np.zeros((size, width))
        for _ in range(steps):
            each = np.asarray(data, float)
            norms = np.linalg.norm(each, axis=1, keepdims=True)
            total = (each / np.maximum(norms, 1.0)).sum(axis=0)
            weights -= rate * (total + sigma * rng.normal(size=(size, width)))
        return weights

    # In units in which the records are one apart the projection is a normal number.
    spread = sigma / math.sqrt(steps)
    edges = np.arange(-8.0 * spread, 1.0 + 8.0 * spread, 0.005 * spread)
    one_number = gaussian_law(spread, edges)
    rest = sum(float(along @ (g / np.linalg.norm(g))) for g in gradients[:-1])

    def law(data: Any) -> Law:
        found = one_number((1.0,) if len(data) == 5 else (0.0,))
        return Law(
            mass=found.mass, cell=lambda w: found.cell(-(w @ along) / (steps * rate) - rest), atoms=False
        )

    return _control(
        f"{steps} steps of DP-SGD in {width} columns",
        mechanism,
        (record, record[:-1]),
        law,
        outputs="vector",
        source="Abadi et al.: Deep learning with differential privacy, CCS 2016",
        adjacency=Adjacency.ADD_REMOVE,
        delta=delta,
    )


def _exponential_mechanism(candidates: int) -> list[Control]:
    """Utilities from 0 to 9 that a record moves by 1, up for every other candidate and down for the others;
    the candidate by its number, and by its name."""
    utility = np.random.default_rng(1000).integers(0, 10, candidates)
    pair = tuple(utility.tolist()), tuple((utility + np.where(np.arange(candidates) % 2, 1, -1)).tolist())

    def shares(data: Any) -> Array:
        mass = np.exp(0.5 * (np.asarray(data, float) - 10.0))
        return mass / mass.sum()

    number = _drawn(shares)
    names = np.array([f"candidate {i}" for i in range(candidates)])

    def named(data: Any, size: int, rng: np.random.Generator, /) -> NDArray[np.str_]:
        return names[number(data, size, rng)]

    def named_law(data: Any) -> Law:
        places = {name: i for i, name in enumerate(names.tolist())}
        return Law(
            mass=shares(data),
            cell=lambda outputs: np.array([places[name] for name in outputs.tolist()]),
            atoms=True,
        )

    title = f"exponential mechanism, {candidates:,} candidates"
    source = "McSherry, Talwar: Mechanism design via differential privacy, FOCS 2007"
    return [
        _control(title, number, pair, _finite(shares), outputs="integer", source=source),
        _control(f"{title} by name", named, pair, named_law, outputs="strings", source=source),
    ]
