"""Symmetries that the mathematics of an algorithm has, and whether its program has them.

An algorithm is stated as a `Program`: how it runs, one set of inputs, and the changes of these whose effect
on the output is known: other units, a shifted or turned space, records in another order, repeated, or with
one at zero. `check` runs them all: with the same generator the output must change as stated (`changes`), or
its law must (`laws`). Every program must leave its inputs as they are, give the same bits for the same seed,
and take arrays of integers, of single precision and without contiguous memory; of several runs or datasets at
once each must have the law of one alone, and be independent of the others.

A private program has one more symmetry: as ε goes to 0 its output must have one law on all datasets
(`blind`). A sensitivity, a bound or a number of steps that is taken from the data shows there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.bounds import Z90
from audits.evidence import Evidence, Verdict
from audits.judge import equals, mean_equals

Array = NDArray[np.float64]
Inputs = Mapping[str, Any]
Test = Callable[[float], Evidence]

FACTORS = (2.0**-40, 2.0**40)
"""About 10⁻¹² and 10¹² units, which absolute tolerances are not made for; powers of 2 round nothing."""
FAR = 2.0**30
"""A shift by 10⁹ units, which leaves a position 22 binary digits behind the point."""
SINGLE = 1e-5
"""Relative error of a result that was computed in single precision."""
SIDE_BY_SIDE = 64
"""Runs of one generator that must change as stated: one choice of few outcomes often hides a change."""
ALONE = 500
"""Runs that are done one by one."""


@dataclass(frozen=True, slots=True)
class Change:
    """What is done to the inputs, by name, what that does to the output, and what relative deviation of the
    output is rounding."""

    name: str
    inputs: Callable[[Inputs], Inputs]
    output: Callable[[Array], Array] = lambda output: output
    error: float = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What an algorithm, or a formula, states that it has.

    run       run(rng, **inputs) → the output, a number or an array.
    inputs    one set of inputs: numbers other than 1, arrays of valid data.
    changes   what holds with the same generator.
    laws      what holds for the laws of the output, whose first axis are independent runs.
    runs      the name of the input that says how many independent runs are done at once.
    datasets  the name of an input whose first axis are datasets, and some very different ones.
    blind     inputs, at an ε near 0, on which the output must have one law.
    """

    run: Callable[..., Any]
    inputs: Inputs
    changes: Sequence[Change] = ()
    laws: Sequence[Change] = ()
    runs: str = ""
    datasets: tuple[str, Sequence[Array]] | None = None
    blind: Sequence[Inputs] = ()


def formula(of: Callable[..., Any], *changes: Change, **inputs: Any) -> Program:
    """A formula: `of(**inputs)`, without randomness.

    A lambda that names the function lets a bug be planted in it, which a reference to it would not see.
    """
    return Program(run=lambda rng, **given: of(**given), inputs=inputs, changes=changes)


# --- Changes ---------------------------------------------------------------------------------------------


def unit(name: str, output: float = 0.0, **exponents: float) -> list[Change]:
    """Units of `name` 2⁴⁰ times smaller and larger: input k is multiplied by the factor to the power
    exponents[k], the output by the factor to the power `output`.

    >>> area = formula(lambda a, b: a * b, *unit("length", 2, a=1, b=1), a=2.0, b=3.0)
    >>> check(area, np.random.default_rng(0), 1e-3)[0].verdict.value
    'CONFIRMED'
    """

    def change(factor: float) -> Change:
        return Change(
            f"{name} × 2^{math.log2(factor):g}",
            lambda inputs: {k: inputs[k] * factor**power for k, power in exponents.items()},
            lambda value: value * factor**output,
        )

    return [change(factor) for factor in FACTORS]


def of_loss(output: float, *names: str, **powers: float) -> list[Change]:
    """Other units of the loss: `names` are inputs in that unit, `powers` gives the power of it that others
    have."""
    return unit("unit of the loss", output, **dict.fromkeys(names, 1.0), **powers)


def of_space(output: float, **powers: float) -> list[Change]:
    """Other units of the space: `powers` gives the power of the unit that an input has."""
    return unit("unit of the space", output, **powers)


def larger(name: str, output: float, **powers: float) -> list[Change]:
    """A count that can only grow, 2⁴⁰ times larger."""
    return unit(name, output, **powers)[1:]


def shifted(name: str, by: float = FAR) -> Change:
    """The origin of the space, the input `name`, is moved, and the output, taken from there, stays.

    A difference of squares of positions loses all its digits there.
    """
    return Change(f"origin moved by {by:g}", lambda inputs: {name: inputs[name] + by}, error=1e-5)


def mapped(name: str, apply: Callable[[Any], Any], *names: str, moves: bool = True) -> Change:
    """A map of these inputs that the output follows (`moves`) or does not see."""
    return Change(
        name, lambda inputs: {k: apply(inputs[k]) for k in names}, apply if moves else lambda value: value
    )


def reordered(*names: str, axis: int = 0) -> Change:
    """Records, users or items in the opposite order."""
    return mapped("records in another order", lambda x: np.flip(x, axis), *names, moves=False)


def repeated(*names: str, axis: int = 0) -> Change:
    """Every record twice: an average over the records stays."""
    return mapped("every record twice", lambda x: np.repeat(x, 2, axis), *names, moves=False)


def with_zero(*names: str, n: int, axis: int = 0) -> Change:
    """One more record at zero: an average over n records is multiplied by n/(n + 1)."""
    more = mapped("one more record at zero", lambda x: np.insert(x, 0, 0, axis), *names)
    return Change(more.name, more.inputs, lambda value: value * (n / (n + 1.0)))


def turn(d: int) -> Callable[[Array], Array]:
    """A rotation of the last axis, of length d."""
    q = np.linalg.qr(np.random.default_rng(d).standard_normal((d, d)))[0]
    return lambda x: x @ q


# --- The check -------------------------------------------------------------------------------------------


def check(program: Program, rng: np.random.Generator, alpha: float, *, size: int = 20_000) -> list[Evidence]:
    """Evidence for each symmetry that the program states.

    alpha  probability that a program with all symmetries is refuted.
    size   runs of a batch, and samples of a law.
    """
    seed = int(rng.integers(2**62))
    tests = list(_tests(program, seed, size))
    return [*_exact(program, seed), *(test(alpha / len(tests)) for test in tests)]


def _exact(program: Program, seed: int) -> Iterator[Evidence]:
    kept = {k: np.array(v) for k, v in program.inputs.items() if isinstance(v, np.ndarray)}
    if program.runs:
        program = replace(program, inputs={**program.inputs, program.runs: SIDE_BY_SIDE})
    old = _output(program, seed)
    for change in program.changes:
        new = _output(program, seed, change.inputs(program.inputs))
        yield _held(change.name, new, change.output(old), change.error)
    yield _held("the same seed", _output(program, seed), old, 0.0)
    changed = sum(not np.array_equal(program.inputs[k], v) for k, v in kept.items())
    yield equals("inputs that a run changes", changed, 0)
    single = {k: v.astype(np.float32) for k, v in kept.items() if v.dtype == np.float64}
    rounded = {k: v.astype(np.float64) for k, v in single.items()}
    whole = {k: v.astype(np.int64) for k, v in kept.items() if (v == np.rint(v)).all()}
    kinds = {
        "arrays without contiguous memory": ({k: np.repeat(v, 2, -1)[..., ::2] for k, v in kept.items()}, {}),
        "arrays of integers": (whole, {}),
        "arrays of single precision": (single, rounded),
    }
    for name, (given, same) in kinds.items():
        if given:
            error = SINGLE if same else 1e-9
            yield _held(name, _output(program, seed, given), _output(program, seed, same), error)


def _tests(program: Program, seed: int, size: int) -> Iterator[Test]:
    """The tests of laws, each of which takes its α."""
    many = {program.runs: size} if program.runs else {}
    for change in program.laws:
        first = change.output(_output(program, seed, many))
        second = _output(program, seed + 1, {**many, **change.inputs({**program.inputs, **many})})
        yield from _columns(f"law under: {change.name}", first, second)
    laws = [_output(program, seed + k, {**many, **inputs}) for k, inputs in enumerate(program.blind)]
    for other in laws[1:]:
        yield from _columns("law on two datasets as ε goes to 0", laws[0], other)
    if program.runs:
        yield from _runs(program, seed, size)
    if program.datasets:
        name, rows = program.datasets
        copies = [np.repeat(row[None], size // 8, axis=0) for row in rows]
        together = np.split(_output(program, seed, {name: np.concatenate(copies)}), len(rows))
        for k, (alone, found) in enumerate(zip(copies, together, strict=True)):
            wanted = _output(program, seed + 1 + k, {name: alone})
            yield from _columns(f"law beside other datasets, dataset {k + 1}", wanted, found)


def _runs(program: Program, seed: int, size: int) -> Iterator[Test]:
    """Runs of a batch: none repeats another, none goes with its neighbour or with one half a batch away."""
    from scipy.stats import rankdata

    batch = _output(program, seed, {program.runs: size}).reshape(size, -1)
    if np.unique(batch[:64], axis=0).shape[0] == 64:  # a continuous law
        again = size - np.unique(batch, axis=0).shape[0]
        yield lambda alpha: equals("runs of a batch that repeat another", again, 0)
    ranks = (rankdata(batch[:, 0]) - 0.5 * (size + 1.0)) / size  # in ±½
    pairs = {"its neighbour": (ranks[0::2], ranks[1::2]), "one far away": np.split(ranks, 2)}
    for name, (a, b) in pairs.items():
        quantity = f"rank correlation of a run and {name}"
        yield lambda alpha, q=quantity, v=12.0 * a * b: mean_equals(q, v, 0.0, alpha=alpha)
    alone = [_output(program, seed + 1 + k, {program.runs: 1}).ravel() for k in range(ALONE)]
    yield from _columns("law of a run alone and in a batch", np.array(alone), batch)


def _columns(quantity: str, first: Array, second: Array) -> Iterator[Test]:
    """One test for each of the first three numbers of an output."""
    a, b = first.reshape(first.shape[0], -1), second.reshape(second.shape[0], -1)
    for j in range(min(3, a.shape[1])):
        where = f"{quantity}, number {j + 1}"
        yield lambda alpha, q=where, x=a[:, j], y=b[:, j]: same_law(q, x, y, alpha=alpha)


def same_law(quantity: str, first: Array, second: Array, *, alpha: float) -> Evidence:
    """Two samples of one law: the largest distance between their distribution functions, against 0.

    Massart's (1990) inequality for both samples: valid for all sizes and laws, also with ties.
    """
    both = np.concatenate([first, second])
    below = [np.searchsorted(np.sort(x), both, side="right") / x.size for x in (first, second)]
    distance = float(np.abs(below[0] - below[1]).max())
    critical = sum(math.sqrt(math.log(4.0 / alpha) / (2.0 * x.size)) for x in (first, second))
    spread = 0.5 * math.hypot(first.size**-0.5, second.size**-0.5)
    return Evidence(
        quantity=quantity, estimate=distance, low=max(0.0, distance - critical), high=distance + critical,
        confidence=1.0 - alpha, method="two samples", samples=both.size, claimed=0.0, alpha_spent=alpha,
        verdict=Verdict.REFUTED if distance > critical else Verdict.CONSISTENT,
        resolution=critical + Z90 * spread,  # caught with probability 0.9
    )  # fmt: skip


def _output(program: Program, seed: int, inputs: Inputs | None = None) -> Array:
    """The output for a generator of this seed; `inputs` replace those of the program of the same name."""
    given = {**program.inputs, **(inputs or {})}
    return np.array(program.run(np.random.default_rng(seed), **given), dtype=np.float64)


def _held(name: str, found: Array, wanted: Array, error: float) -> Evidence:
    if found.shape != wanted.shape or not np.isfinite(found).all():
        return equals(f"deviation under: {name}", 1e300, 0.0, note="another shape, or no finite number")
    scale = max(float(np.abs(wanted).max(initial=0.0)), 1e-300)
    return equals(f"deviation under: {name}", float(np.abs(found - wanted).max()) / scale, 0.0, error=error)
