"""True claims that an audit must not call false: the rows of `python -m benchmarks.measure alarms`.

Every case is private and tight: some event has exactly the ratio that is claimed, so that a test which is a
little too bold alarms too often. Three groups: the correct controls; kinds of output that no control has, of
which `null_outputs.py` has more; and false alarms that other tools have raised, each named after its cause.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.privacy import each
from audits.privacy.claims import Approximate, Curve, GaussianDP, ZeroConcentrated
from benchmarks import null_outputs
from benchmarks.cases import Case, Size, of_control
from implementations.controls import Control, private_controls
from implementations.privacy import gaussian_delta

Mechanism = Callable[[Any, int, np.random.Generator], NDArray[Any]]

TRUTH = 1.0 / (1.0 + math.exp(-1.0))
"""How often randomised response tells the truth at ε = 1."""
SMALL, MIDDLE, LARGE = 200, 3000, 20000
"""Samples a side."""
FEW = 50
"""Samples a side of each of sixteen pairs."""
LONGER, COSTLY = 8, 20
"""There are so many times fewer of the long audits of numbers, and of those of vectors and Python objects."""


def true(name: str, mechanism: Mechanism, sizes: tuple[Size, ...], **options: Any) -> Case:
    """A claim that is true and tight on its pairs, ε = 1 unless it is said, and the audits that are run."""
    if "claim" not in options:
        options["claim"] = Approximate(options.pop("epsilon", 1.0), options.pop("delta", 0.0))
    return Case(name, mechanism, sizes=sizes, **options)


@cache
def null_cases() -> tuple[Case, ...]:
    """All of them; names are unique."""
    return *map(_of_control, private_controls()), *_outputs(), *_alarms(), *_in_units()


def null_case(name: str) -> Case:
    """The one of that name."""
    return next(case for case in null_cases() if case.name == name)


# --- Sizes -------------------------------------------------------------------------------------------


def _sizes(samples: int, fewer: int = 1) -> tuple[Size, ...]:
    return Size("sequential", samples, fewer), Size("clopper-pearson", samples, fewer)


BOTH = _sizes(SMALL)
OBJECTS = (*_sizes(SMALL, COSTLY), Size("sequential", MIDDLE, 5 * COSTLY))
"""For Python objects, each of which takes a call of its own."""
LONG = (*BOTH, *_sizes(LARGE, LONGER))
FIXED_LONG = (*BOTH, Size("clopper-pearson", LARGE, LONGER))
COLUMNS = (*BOTH, Size("sequential", MIDDLE, COSTLY), Size("clopper-pearson", 10_000, COSTLY))


# --- Controls ----------------------------------------------------------------------------------------


def _of_control(control: Control) -> Case:
    # Where the pair keeps less than what is claimed, the claim audited is the least that is true of it.
    epsilon = control.epsilon if control.true_epsilon is None else control.true_epsilon
    sizes = {"real": FIXED_LONG, "bits": COLUMNS, "vector": COLUMNS}.get(control.outputs, BOTH)
    if control.name in ("laplace", "geometric"):
        sizes = LONG
    return replace(of_control(control, control.pair), sizes=sizes, claim=Approximate(epsilon, control.delta))


# --- Kinds of output ---------------------------------------------------------------------------------


def _outputs() -> Iterator[Case]:
    # At this δ the tight event, a half-line, has shares 0.31 and 0.07: samples are full of it.
    delta = gaussian_delta(1.0, 1.0)
    yield true("words and None", _words, BOTH)
    yield true("records of word and number", _records, COLUMNS)
    yield true("rows of number or None, and word", _mixed_rows, BOTH)
    yield true("lists of different lengths", _lists, BOTH)
    yield true("vectors, gaussian in 3 columns", _gaussian_rows(3), BOTH, delta=delta)
    yield true("vectors, gaussian in 50 columns", _gaussian_rows(50), COLUMNS, delta=delta)
    yield true("vectors, laplace in 1 of 50 columns", _laplace_in_one(50), BOTH)
    yield true("vectors, one answer among 49 numbers", _answer_in_one(50), BOTH)
    for shifts in ((0.0, 0.1), (0.0, -1.0 / 3.0, 1.0 / 3.0)):
        sizes = *BOTH, Size("sequential", MIDDLE, COSTLY)
        yield true(f"one number in {len(shifts)} columns", _shifted(shifts), sizes)
    for draw, group in ((null_outputs.said, null_outputs.BITS), (null_outputs.noisy, null_outputs.NUMBERS)):
        for name, wrap in group.items():
            yield true(name, each(partial(draw, wrap)), OBJECTS)


def _answers(data: Any, size: int, rng: np.random.Generator, epsilon: float = 1.0) -> NDArray[np.bool_]:
    return (rng.random(size) < 1.0 / (1.0 + math.exp(-epsilon))) == bool(data)


def _words(data: Any, size: int, rng: np.random.Generator) -> NDArray[Any]:
    said = np.where(_answers(data, size, rng), "yes", "no").astype(object)
    said[rng.random(size) < 0.2] = None
    return said


def _records(data: Any, size: int, rng: np.random.Generator) -> NDArray[Any]:
    # ε = 1/2 for the word and for the number: tight where the word is said and the number is at least 1.
    outputs = np.zeros(size, [("word", "U3"), ("number", float), ("count", int)])
    outputs["word"] = np.where(_answers(data, size, rng, 0.5), "yes", "no")
    outputs["number"] = data + rng.laplace(scale=2.0, size=size)
    outputs["count"] = rng.poisson(3.0, size)
    return outputs


def _mixed_rows(data: Any, size: int, rng: np.random.Generator) -> NDArray[Any]:
    outputs = np.empty((size, 2), dtype=object)
    outputs[:, 0] = data + rng.laplace(size=size)
    outputs[rng.random(size) < 0.3, 0] = None
    outputs[:, 1] = rng.choice(["a", "b", "c"], size)
    return outputs


def _lists(data: Any, size: int, rng: np.random.Generator) -> NDArray[Any]:
    # ε = 1/2 for the length and for the first number.
    second = _answers(data, size, rng, 0.5)
    first = data + rng.laplace(scale=2.0, size=size)
    outputs = np.empty(size, dtype=object)
    for i in range(size):
        outputs[i] = [first[i], 0.5] if second[i] else [first[i]]
    return outputs


def _shifted(shifts: Sequence[float]) -> Mechanism:
    """A noisy number, and what it is with constants added: only rounding tells these apart."""

    def mechanism(data: Any, size: int, rng: np.random.Generator) -> NDArray[Any]:
        return (data + rng.laplace(size=size))[:, None] + np.array(shifts)

    return mechanism


def _gaussian_rows(columns: int) -> Mechanism:
    """The means lie 1 apart, along the diagonal."""

    def mechanism(data: Any, size: int, rng: np.random.Generator) -> NDArray[Any]:
        return rng.normal(data / math.sqrt(columns), 1.0, (size, columns))

    return mechanism


def _laplace_in_one(columns: int) -> Mechanism:
    def mechanism(data: Any, size: int, rng: np.random.Generator) -> NDArray[Any]:
        outputs = rng.laplace(size=(size, columns))
        outputs[:, columns // 2] += data
        return outputs

    return mechanism


def _answer_in_one(columns: int) -> Mechanism:
    def mechanism(data: Any, size: int, rng: np.random.Generator) -> NDArray[Any]:
        outputs = rng.normal(size=(size, columns))
        outputs[:, columns // 2] = _answers(data, size, rng)
        return outputs

    return mechanism


# --- Claims in other units ---------------------------------------------------------------------------


def _in_units() -> Iterator[Case]:
    """Tight mechanisms: each has as much of μ, ρ or δ(ε) as it claims."""
    import dp_accounting as dpa
    from dp_accounting import pld

    sizes = tuple(Size("sequential", samples) for samples in (SMALL, MIDDLE))
    yield true("μ: Gaussian noise", lambda d, n, rng: d + rng.normal(size=n), sizes, claim=GaussianDP(1.0))
    whole = np.arange(-40, 41)
    masses = np.exp(-(whole**2) / 4.0)
    masses /= masses.sum()
    # Discrete Gaussian noise of σ² = 2 on an integer has ρ = 1/(2σ²) (Canonne, Kamath and Steinke 2020).
    draw: Mechanism = lambda d, n, rng: d + rng.choice(whole, n, p=masses)  # noqa: E731
    yield true("ρ: discrete Gaussian noise", draw, sizes, claim=ZeroConcentrated(0.25))
    # The exponential mechanism at ε = 2, two candidates whose order is reversed: losses ±1, ρ ≤ ε²/8.
    odds: Mechanism = partial(_answers, epsilon=1.0)
    yield true("ρ: exponential mechanism", odds, sizes, claim=ZeroConcentrated(0.5))
    event = dpa.PoissonSampledDpEvent(0.3, dpa.GaussianDpEvent(1.0))
    accountant = pld.PLDAccountant(value_discretization_interval=1e-4).compose(event)
    curve = Curve({e / 10: float(accountant.get_delta(e / 10)) for e in range(25)})
    sampled: Mechanism = lambda d, n, rng: d * (rng.random(n) < 0.3) + rng.normal(size=n)  # noqa: E731
    yield true("δ(ε): subsampled Gaussian noise", sampled, sizes, claim=curve)


# --- False alarms seen elsewhere ---------------------------------------------------------------------


def _alarms() -> Iterator[Case]:
    same = {
        "numbers": (lambda d, n, rng: rng.exponential(size=n), FIXED_LONG),
        "atoms": (lambda d, n, rng: rng.integers(3, size=n), FIXED_LONG),
        "vectors": (lambda d, n, rng: rng.normal(size=(n, 8)), BOTH),
    }
    for name, (mechanism, sizes) in same.items():
        yield true(f"identical distributions, ε = 0: {name}", mechanism, sizes, epsilon=0.0)
    # A tie broken by one coin for all samples makes the counts of an event jump together. In the first case
    # every score ties; in the second the mechanism itself tosses, once an output.
    yield true("ties: randomised response", _response, LONG)
    least = math.log(0.5 / (1.0 - TRUTH))
    name = "ties: majority of two answers, a coin an output"
    yield true(name, _majority, BOTH, epsilon=least, pairs=[((1, 1), (1, 0))])
    # Whoever sees the counts first and then says which side is which tests two directions for one. P(1) is
    # 0.1·e against 0.1; the other direction has ratio 0.9/(1 − 0.1·e), ε = 0.21.
    for order, pair in (("tight forwards", (1, 0)), ("tight backwards", (0, 1))):
        yield true(f"sides swapped: atoms, {order}", _one_sided, BOTH, pairs=[pair])
        yield true(f"sides swapped: numbers, {order}", _one_sided_number, FIXED_LONG, pairs=[pair])
    # One test's error for every pair: sixteen of them would alarm in 1 − 0.95¹⁶ = 56 % of runs.
    sixteen, few = [(k + 1.0, float(k)) for k in range(16)], _sizes(16 * FEW)
    yield true("error per test: 16 pairs of laplace", _shifted_laplace(1.0), few, pairs=sixteen)
    # Sequential audits of sixteen pairs cost eight times one of a single pair.
    yield true("error per test: 16 pairs of answers", _response, few[1:], pairs=[(1, 0)] * 16)
    # A threshold chosen among very many on the data that it is tested on. All thresholds of two identical
    # laws are tight at ε = 0, and of Laplace noise all outside of the two means.
    longer = (*FIXED_LONG, Size("sequential", MIDDLE))
    normal: Mechanism = lambda d, n, rng: rng.normal(size=n)  # noqa: E731
    yield true("thresholds: identical normals", normal, longer, epsilon=0.0)
    yield true("thresholds: laplace, ε = 0.1", _shifted_laplace(10.0), FIXED_LONG, epsilon=0.1)


def _response(data: Any, size: int, rng: np.random.Generator) -> NDArray[Any]:
    return _answers(data, size, rng) * 1


def _majority(data: Any, size: int, rng: np.random.Generator) -> NDArray[Any]:
    # (1, 1): P(1) = t² + t(1 − t) = t; (1, 0): P(1) = 1/2 by symmetry. So ε = ln(½/(1 − t)).
    votes = sum(_answers(bit, size, rng).astype(int) for bit in data)
    return np.where(votes == 1, rng.random(size) < 0.5, votes == 2) * 1


def _one_sided(data: Any, size: int, rng: np.random.Generator) -> NDArray[Any]:
    return rng.random(size) < (0.1 * math.e if data else 0.1)


def _one_sided_number(data: Any, size: int, rng: np.random.Generator) -> NDArray[Any]:
    # Uniform on [0, 1), or with e times the density on [0, 0.1).
    u = rng.random(size)
    return np.where(_one_sided(data, size, rng), 0.1 * u, 0.1 + 0.9 * u)


def _shifted_laplace(scale: float) -> Mechanism:
    return lambda data, size, rng: data + rng.laplace(scale=scale, size=size)
