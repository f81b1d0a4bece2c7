"""The sparse vector technique: which queries lie above a noisy threshold. One correct kind, several broken.

Every variant compares query i plus its noise with the threshold plus one noise for all queries. They differ
in the scales, in what is released, and in when they stop. The six published ones are analysed by Lyu, Su, Li,
"Understanding the sparse vector technique for differential privacy", PVLDB 10(6), 2017.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from implementations.controls._control import Law
from implementations.interfaces import Array, Mechanism
from implementations.noise_laws import laplace_between, laplace_cdf, laplace_density, quadrature, real_cells

STOPPED = np.dtype([("below", np.int64), ("value", np.float64)])
"""Output of `sparse_vector_value`: the queries below before the stop, and the noisy answer that stopped."""


def sparse_vector(threshold_scale: float, query_scale: float, threshold: float) -> Mechanism:
    """Answers ⊥ until the first noisy query reaches the noisy threshold, answers ⊤ and stops.

    The output is the number of ⊥ before the ⊤, an integer in [0, d]; d queries without any ⊤ give d. That is
    all there is to see of a run that stops at the first ⊤.
    """

    def mechanism(data: Any, size: int, rng: np.random.Generator, /) -> NDArray[np.int64]:
        noisy, line = _noisy(data, size, rng, threshold_scale, query_scale, threshold)
        return _first(noisy >= line)

    return mechanism


def sparse_vector_value(threshold_scale: float, query_scale: float, threshold: float) -> Mechanism:
    """As `sparse_vector`, but in place of ⊤ it releases the noisy query that was compared; output `STOPPED`.

    A run without any ⊤ has value 0.
    """

    def mechanism(data: Any, size: int, rng: np.random.Generator, /) -> NDArray[np.void]:
        noisy, line = _noisy(data, size, rng, threshold_scale, query_scale, threshold)
        outputs = np.zeros(size, STOPPED)
        below = outputs["below"] = _first(noisy >= line)
        hit = np.flatnonzero(below < noisy.shape[1])
        outputs["value"][hit] = noisy[hit, below[hit]]
        return outputs

    return mechanism


def sparse_vector_all(threshold_scale: float, query_scale: float, threshold: float) -> Mechanism:
    """Answers every query and never stops; output (size, d) booleans, True for ⊤. Scale 0 is no noise."""

    def mechanism(data: Any, size: int, rng: np.random.Generator, /) -> NDArray[np.bool_]:
        noisy, line = _noisy(data, size, rng, threshold_scale, query_scale, threshold)
        return noisy >= line

    return mechanism


def sparse_vector_law(threshold_scale: float, query_scale: float, threshold: float) -> Callable[[Any], Law]:
    """Finite law of `sparse_vector`, by quadrature over the noise of the threshold."""

    def law(data: Any) -> Law:
        density, below, above = _given_threshold(data, threshold_scale, query_scale, threshold)
        survive = np.cumprod(np.vstack([np.ones_like(density), below]), axis=0)
        stop = np.vstack([above, np.ones_like(density)])
        return Law(
            mass=(survive * stop) @ density, cell=lambda outputs: np.asarray(outputs, np.intp), atoms=True
        )

    return law


def sparse_vector_value_law(
    threshold_scale: float, query_scale: float, threshold: float, edges: Array
) -> Callable[[Any], Law]:
    """Law of `sparse_vector_value`: for each number of ⊥ the cells of the value between `edges`, then no ⊤.

    The value lies in a cell [a, b) with probability F(b) − F(max(a, line)) given the noisy threshold `line`.
    """
    width = len(edges) + 1

    def law(data: Any) -> Law:
        queries = np.asarray(data, float)
        kinks = [0.0, *(queries - threshold), *(edges - threshold)]
        nodes, weight = quadrature(kinks, min(threshold_scale, query_scale), threshold_scale)
        density = weight * laplace_density(nodes, threshold_scale)
        line = threshold + nodes
        bounds = np.concatenate([[-np.inf], edges, [np.inf]])
        # The edges are kinks, so each node's line lies strictly within one cell: values in cells above it are
        # free to take the whole cell, values in its own cell only the part above the line.
        own = real_cells(line, edges)
        survive, rows = density, []
        for query in queries:
            whole = laplace_between(bounds[:-1] - query, bounds[1:] - query, query_scale)
            lines_below = np.concatenate([[0.0], np.cumsum(np.bincount(own, survive, width))[:-1]])
            part = laplace_between(line - query, bounds[own + 1] - query, query_scale)
            rows.append(lines_below * whole + np.bincount(own, survive * part, width))
            survive = survive * laplace_cdf(line - query, query_scale)
        mass = np.concatenate([*rows, [survive.sum()]])

        def cell(outputs: NDArray[Any]) -> NDArray[np.intp]:
            inside = outputs["below"] * width + real_cells(outputs["value"], edges)
            return np.where(outputs["below"] < queries.size, inside, queries.size * width).astype(np.intp)

        return Law(mass=mass, cell=cell, atoms=False)

    return law


def sparse_vector_all_law(
    threshold_scale: float, query_scale: float, threshold: float
) -> Callable[[Any], Law]:
    """Finite law of `sparse_vector_all` over all 2^d answers; cell = the answers read as a binary number."""

    def law(data: Any) -> Law:
        density, below, above = _given_threshold(data, threshold_scale, query_scale, threshold)
        joint = density[None, :]
        for no, yes in zip(below, above, strict=True):
            joint = np.stack([joint * no, joint * yes], axis=1).reshape(-1, joint.shape[1])
        powers = 2 ** np.arange(len(below) - 1, -1, -1)
        return Law(mass=joint.sum(axis=1), cell=lambda outputs: outputs @ powers, atoms=True)

    return law


def _noisy(
    data: Any,
    size: int,
    rng: np.random.Generator,
    threshold_scale: float,
    query_scale: float,
    threshold: float,
) -> tuple[Array, Array]:
    queries = np.asarray(data, float)
    line = threshold + rng.laplace(scale=threshold_scale, size=(size, 1))
    if query_scale == 0.0:
        return np.broadcast_to(queries, (size, queries.size)), line
    return queries + rng.laplace(scale=query_scale, size=(size, queries.size)), line


def _first(above: NDArray[np.bool_]) -> NDArray[np.int64]:
    first = np.argmax(above, axis=1)
    return np.where(above[np.arange(len(above)), first], first, above.shape[1])


def _given_threshold(
    data: Any, threshold_scale: float, query_scale: float, threshold: float
) -> tuple[Array, Array, Array]:
    """Weights (nodes,) of the threshold's noise, and P(⊥), P(⊤) of each query given it, (d, nodes)."""
    queries = np.asarray(data, float)
    kinks = [0.0, *(queries - threshold)]
    if query_scale == 0.0:
        # P(⊥) is then a step at the kinks, which are panel edges and never nodes.
        nodes, weight = quadrature(kinks, threshold_scale, threshold_scale)
        below = (queries[:, None] < threshold + nodes).astype(float)
        above = 1.0 - below
    else:
        nodes, weight = quadrature(kinks, min(threshold_scale, query_scale), threshold_scale)
        gap = threshold + nodes - queries[:, None]
        below, above = laplace_cdf(gap, query_scale), laplace_cdf(-gap, query_scale)
    return weight * laplace_density(nodes, threshold_scale), below, above
