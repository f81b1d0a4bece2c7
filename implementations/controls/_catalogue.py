"""The controls at the parameters at which they are usually run, most with claimed ε = 1."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from implementations.controls import additive, noisy_max, randomised_response, sparse_vector
from implementations.controls import propose_test_release as ptr
from implementations.controls._control import Control, Law, Pair, pure_epsilon, queries_within_one
from implementations.interfaces import Adjacency, Array
from implementations.privacy import gaussian_epsilon

_DWORK2006 = "Dwork, McSherry, Nissim, Smith: Calibrating noise to sensitivity, TCC 2006"
_DWORK2014 = "Dwork, Roth: The algorithmic foundations of differential privacy, 2014"
_LYU2017 = "Lyu, Su, Li: Understanding the sparse vector technique, PVLDB 10(6), 2017"
_DING2018 = "Ding, Wang, Wang, Zhang, Kifer: Detecting violations of differential privacy, CCS 2018"
_BALLE2018 = "Balle, Wang: Improving the Gaussian mechanism for differential privacy, ICML 2018"
_ABADI2016 = "Abadi et al.: Deep learning with differential privacy, CCS 2016"

_ONES5, _TWOS5 = (1,) * 5, (2,) * 5
_ONES10 = (1,) * 10
_queries = partial(Control, adjacency=queries_within_one, epsilon=1.0)
"""A control of a query of sensitivity 1 with claimed ε = 1."""

_HALF_TWO = (2,) * 5 + (0,) * 5
_FIRST_HALF, _SECOND_HALF = (1,) * 5 + (0,) * 5, (0,) * 5 + (1,) * 5


def laplace_control(scale_factor: float = 1.0, *, epsilon: float = 1.0) -> Control:
    """Laplace at sensitivity 1; `scale_factor` 0.95 has 5 % less noise than ε needs."""
    scale = scale_factor / epsilon
    return Control(
        name="laplace" if scale_factor == 1.0 else f"laplace×{scale_factor:g}",
        mechanism=additive.laplace(scale),
        pair=((1.0,), (0.0,)),
        adjacency=queries_within_one,
        epsilon=epsilon,
        true_epsilon=1.0 / scale,
        private=scale_factor >= 1.0,
        outputs="real",
        law=additive.laplace_law(scale, _grid(-12 * scale, 1 + 12 * scale, 0.01 * scale)),
        source=_DWORK2006,
    )


def _gaussian(name: str, sigma: float, epsilon: float, delta: float, source: str) -> Control:
    """Gaussian noise of this σ at sensitivity 1, held against (ε, δ)."""
    true_epsilon = gaussian_epsilon(delta, 1.0 / sigma)
    return Control(
        name=name,
        mechanism=additive.gaussian(sigma),
        pair=((1.0,), (0.0,)),
        adjacency=queries_within_one,
        epsilon=epsilon,
        delta=delta,
        true_epsilon=true_epsilon,
        private=true_epsilon <= epsilon * (1.0 + 1e-9),  # at the least σ the two are equal but for rounding
        outputs="real",
        law=additive.gaussian_law(sigma, _grid(-8 * sigma, 1 + 8 * sigma, 0.005 * sigma)),
        source=source,
    )


def gaussian_control(scale_factor: float = 1.0, *, epsilon: float = 1.0, delta: float = 1e-5) -> Control:
    """Gaussian at sensitivity 1 with `scale_factor` of the least σ that (ε, δ) needs."""
    name = "gaussian" if scale_factor == 1.0 else f"gaussian×{scale_factor:g}"
    sigma = scale_factor * additive.gaussian_sigma(epsilon, delta)
    return _gaussian(name, sigma, epsilon, delta, _BALLE2018)


def classical_gaussian_control(*, epsilon: float = 10.0, delta: float = 1e-5) -> Control:
    """Gaussian with σ = √(2 ln(1.25/δ))/ε at an ε beyond 1, where its proof fails and it is too small."""
    source = f"{_DWORK2014}, Theorem A.1; its failure: {_BALLE2018}"
    sigma = additive.classical_sigma(epsilon, delta)
    return _gaussian(f"gaussian-classical-ε={epsilon:g}", sigma, epsilon, delta, source)


def classical_rows() -> list[Control]:
    """The twelve rows of the comparison of auditors: Laplace, Gaussian, noisy-max 1–4, sparse vector 1–6.

    Numbering as in StatDP (Ding et al. 2018) and DP-Sniper (Bichsel et al. 2021); claimed ε = 1.
    """
    return [laplace_control(), gaussian_control(), *_noisy_max_rows(), *_sparse_vector_rows()]


def private_controls() -> list[Control]:
    """Correct mechanisms of every kind of output, tight on their pair wherever `true_epsilon` says so."""
    rows = {row.name: row for row in classical_rows()}
    return [
        rows["laplace"],
        rows["gaussian"],
        _geometric(),
        _randomised_response(),
        rows["nm1"],
        rows["nm2"],
        _exponential_mechanism(),
        rows["svt1"],
        rows["svt2"],
        _propose_test_release(stable=True),
        _propose_test_release(stable=False),
        _subsampled_gaussian(),
        _histogram(scale=2.0, name="histogram"),
    ]


def broken_controls() -> list[Control]:
    """Published mistakes: each exceeds its claimed ε on its pair."""
    rows = {row.name: row for row in classical_rows()}
    return [
        *(rows[name] for name in ("nm3", "nm4", "svt3", "svt4", "svt5", "svt6")),
        _noisy_max_half_scale(),
        _histogram(scale=1.0, name="histogram-half-scale"),
        classical_gaussian_control(),
        _shared_coin(),
    ]


def controls() -> list[Control]:
    """All controls, private ones first."""
    return [*private_controls(), *broken_controls()]


def _finite(name: str, law: Callable[[Any], Law], pair: Pair, **facts: Any) -> Control:
    """`_queries` with a finite law, from which the true ε follows."""
    return _queries(name=name, law=law, pair=pair, true_epsilon=pure_epsilon(law, pair), **facts)


def _noisy_max_rows() -> list[Control]:
    def index(name: str, noise: noisy_max.Noise) -> Control:
        return _finite(
            name,
            noisy_max.noisy_argmax_law(2.0, noise),
            (_ONES5, (0, 2, 2, 2, 2)),
            mechanism=noisy_max.noisy_argmax(2.0, noise),
            private=True,
            outputs="integer",
            source=f"{_DWORK2014}, section 3.3",
        )

    def value(name: str, noise: noisy_max.Noise, pair: Pair, true_epsilon: float, edges: Array) -> Control:
        return _queries(
            name=name,
            mechanism=noisy_max.noisy_maximum(2.0, noise),
            pair=pair,
            true_epsilon=true_epsilon,
            private=False,
            outputs="real",
            law=noisy_max.noisy_maximum_law(2.0, noise, edges),
            source=_DING2018,
            exposing=(_ONES5, _TWOS5),
        )

    return [
        index("nm1", "laplace"),
        index("nm2", "exponential"),
        # All five CDFs of scale 2 grow by e^(1/2) in the lower tail: ε = 5/2.
        value("nm3", "laplace", ((0,) * 5, _ONES5), 2.5, _grid(-20.0, 40.0, 0.01)),
        # The maximum cannot lie below the largest query, which differs: no ε holds.
        value("nm4", "exponential", (_ONES5, _TWOS5), math.inf, _grid(0.0, 50.0, 0.01)),
    ]


def _noisy_max_half_scale() -> Control:
    return _finite(
        "nm-half-scale",
        noisy_max.noisy_argmax_law(1.0, "laplace"),
        ((0, 0, 0, 0, 1), (1, 1, 1, 1, 0)),
        mechanism=noisy_max.noisy_argmax(1.0, "laplace"),
        private=False,
        outputs="integer",
        source=f"{_DWORK2014}, section 3.3, with scale 1/ε for queries that are not monotone",
    )


def _sparse_vector_rows() -> list[Control]:
    def stops(
        name: str, line: float, noise: float, threshold: float, private: bool, exposing: Pair | None = None
    ) -> Control:
        return _finite(
            name,
            sparse_vector.sparse_vector_law(line, noise, threshold),
            (_ONES10, _HALF_TWO),
            mechanism=sparse_vector.sparse_vector(line, noise, threshold),
            private=private,
            outputs="integer",
            source=_LYU2017,
            exposing=exposing,
        )

    def answers_all(name: str, noise: float, pair: Pair, exposing: Pair | None = None) -> Control:
        return _finite(
            name,
            sparse_vector.sparse_vector_all_law(2.0, noise, 1.0),
            pair,
            mechanism=sparse_vector.sparse_vector_all(2.0, noise, 1.0),
            private=False,
            outputs="bits",
            source=_LYU2017,
            exposing=exposing,
        )

    return [
        stops("svt1", 2.0, 4.0, 0.5, True),
        # Redrawing the threshold's noise after a ⊤ changes nothing where the run stops at the first.
        stops("svt2", 2.0, 4.0, 1.0, True),
        _queries(
            name="svt3",
            mechanism=sparse_vector.sparse_vector_value(2.0, 2.0, 1.0),
            pair=(_ONES10, (2,) * 10),
            # Nine ⊥ below a threshold in the lower tail and then a value there: e^(1/2) for each of the ten.
            true_epsilon=5.0,
            private=False,
            outputs="structured",
            law=sparse_vector.sparse_vector_value_law(2.0, 2.0, 1.0, _grid(-20.0, 25.0, 0.05)),
            source=_LYU2017,
            exposing=(_ONES10, _HALF_TWO),
        ),
        stops("svt4", 4.0, 4.0 / 3.0, 1.0, False, exposing=(_SECOND_HALF, _FIRST_HALF)),
        answers_all("svt5", 0.0, ((2,) + (0,) * 9, _ONES10)),
        answers_all("svt6", 2.0, (_FIRST_HALF, _SECOND_HALF), exposing=(_HALF_TWO, _ONES10)),
    ]


def _geometric() -> Control:
    return _finite(
        "geometric",
        additive.geometric_law(1.0, 0, 3),
        ((1, 1), (1, 0)),
        mechanism=additive.geometric(1.0),
        adjacency=Adjacency.REPLACE,
        private=True,
        outputs="integer",
        source="Ghosh, Roughgarden, Sundararajan: Universally utility-maximizing mechanisms, STOC 2009",
    )


def _randomised_response() -> Control:
    return _finite(
        "randomised-response",
        randomised_response.randomised_response_law(1.0),
        ((1, 0, 0), (0, 0, 0)),
        mechanism=randomised_response.randomised_response(1.0),
        adjacency=Adjacency.REPLACE,
        private=True,
        outputs="bits",
        source="Warner: Randomized response, JASA 60, 1965",
    )


def _shared_coin() -> Control:
    return _finite(
        "randomised-response-shared-coin",
        randomised_response.shared_coin_response_law(1.0),
        ((1, 0, 0), (0, 0, 0)),
        mechanism=randomised_response.shared_coin_response(1.0),
        adjacency=Adjacency.REPLACE,
        private=False,
        outputs="bits",
        source="Warner 1965, with one coin for all users",
    )


def _exponential_mechanism() -> Control:
    return _finite(
        "exponential-mechanism",
        noisy_max.exponential_mechanism_law(1.0),
        ((0, 9, 9, 9, 9), (1, 8, 8, 8, 8)),
        mechanism=noisy_max.exponential_mechanism(1.0),
        private=True,
        outputs="integer",
        source="McSherry, Talwar: Mechanism design via differential privacy, FOCS 2007",
    )


def _propose_test_release(*, stable: bool) -> Control:
    """ε/2 for the test, ε/2 for the release; one replaced record moves the median and not the distance.

    Stable data are released nearly always, and the median moves by the whole bound: the pair is two Laplace
    laws at ratio e^(ε/2), of which δ is taken off. Unstable data are released with probability δ exactly, and
    their medians lie so far apart that the release gives them away: tight in δ at every ε.
    """
    epsilon, delta, bound = 0.5, 0.01, 0.25
    far = bound if stable else 100.0
    near = _grid(-12.0 * bound / epsilon, bound + 12.0 * bound / epsilon, 0.01 * bound / epsilon)
    edges = near if stable else np.concatenate([near, far + near])
    pair = ((0.0,) * 21 + (far,) * 20, (0.0,) * 20 + (far,) * 21)
    law = ptr.propose_test_release_law(epsilon, delta, bound, edges)
    released = 1.0 - law(pair[0]).mass[0]
    # At ε, two Laplace laws ε₀ scales apart have the divergence 1 − e^((ε − ε₀)/2).
    apart = far / bound * epsilon
    true_epsilon = apart + 2.0 * math.log1p(-delta / released) if stable else 0.0
    return Control(
        name="propose-test-release" if stable else "propose-test-release-unstable",
        mechanism=ptr.propose_test_release(epsilon, delta, bound),
        pair=pair,
        adjacency=Adjacency.REPLACE,
        epsilon=2.0 * epsilon,
        delta=delta,
        true_epsilon=true_epsilon,
        private=True,
        outputs="mixed",
        law=law,
        source="Dwork, Lei: Differential privacy and robust statistics, STOC 2009",
    )


def _subsampled_gaussian() -> Control:
    rate, sigma, delta = 0.25, 1.0, 1e-4
    epsilon = additive.subsampled_gaussian_epsilon(delta, rate, sigma)
    return Control(
        name="subsampled-gaussian",
        mechanism=additive.subsampled_gaussian(rate, sigma),
        pair=((0.0, 0.0, 1.0), (0.0, 0.0)),
        adjacency=Adjacency.ADD_REMOVE,
        epsilon=epsilon,
        delta=delta,
        true_epsilon=epsilon,
        private=True,
        outputs="real",
        law=additive.subsampled_gaussian_law(rate, sigma, _grid(-8.0, 9.0, 0.005)),
        source=_ABADI2016,
    )


def _histogram(scale: float, name: str) -> Control:
    return Control(
        name=name,
        mechanism=additive.histogram(4, scale),
        pair=((0, 0, 1, 2, 3), (0, 1, 1, 2, 3)),
        adjacency=Adjacency.REPLACE,
        epsilon=1.0,
        # Two counts move by one each: the two privacy losses of 1/scale add up.
        true_epsilon=2.0 / scale,
        private=scale >= 2.0,
        outputs="vector",
        law=additive.histogram_law(4, scale, (0, 1), _grid(-4.0, 8.0, 0.1)),
        source=_DWORK2006,
    )


def _grid(low: float, high: float, step: float) -> Array:
    return step * np.arange(round(low / step), round(high / step) + 1, dtype=np.float64)
