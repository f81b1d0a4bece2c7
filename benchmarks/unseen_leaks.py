"""Leaks that nobody who writes a learner has looked at: 36 kinds, ideal numbers of 30 to 300 samples.

They were written without sight of the learners, and stay as they are: a leak that is found late here is no
reason to write something that finds it. Outputs are drawn again until a property holds, or does not, as a
noisy bit of the dataset says. Given the bit, outputs say nothing more of the dataset, so the property is the
best event and its probabilities are those of the bit. `unseen.py` measures.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from audits.privacy import each
from benchmarks.leaks import Leak, bit, on_one

Rng = np.random.Generator
RIGHT, FAINT, RARE = 0.9, 0.82, 0.1


def rows(draw: Callable[[int, Rng], Any], holds: Callable[[Any], Any], right: float) -> Callable[..., Any]:
    """`size` outputs of `draw`, each drawn again until `holds` is the noisy bit."""

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        told = bit(data, size, rng, right) == 1
        outputs = draw(size, rng)
        wrong = np.flatnonzero(holds(outputs) != told)
        while len(wrong) > 0:
            outputs[wrong] = draw(len(wrong), rng)
            wrong = wrong[holds(outputs[wrong]) != told[wrong]]
        return outputs

    return mechanism


def single(draw: Callable[[Rng], Any], holds: Callable[[Any], bool], right: float) -> Any:
    """The same for outputs that are drawn one at a time."""

    def mechanism(data: int, rng: Rng) -> Any:
        told = bool(bit(data, 1, rng, right)[0])
        output = draw(rng)
        while bool(holds(output)) != told:
            output = draw(rng)
        return output

    return each(mechanism)


def sometimes(
    draw: Callable[[int, Rng], Any], change: Callable[[Any], Any], chance: float = RARE
) -> Callable[..., Any]:
    """Rows of which some are changed on one dataset."""

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        outputs = draw(size, rng)
        leaks = on_one(data, size, rng, chance)
        outputs[leaks] = change(outputs[leaks])
        return outputs

    return mechanism


def of(name: str, draw: Any, holds: Any, kind: str = "vector", right: float = RIGHT) -> Leak:
    """A leak of rows."""
    return Leak(kind, name, rows(draw, holds, right), (right, 1.0 - right))


def one_of(name: str, draw: Any, holds: Any, kind: str = "container", right: float = RIGHT) -> Leak:
    """A leak of single outputs."""
    return Leak(kind, name, single(draw, holds, right), (right, 1.0 - right))


def normal(*shape: int) -> Callable[[int, Rng], Any]:
    """Standard normal rows of a shape."""
    return lambda size, rng: rng.normal(size=(size, *shape))


def letters(rng: Rng, count: int = 10) -> str:
    """Random letters."""
    return "".join("abcdefghijklmnopqrstuvwxyz"[i] for i in rng.integers(0, 26, count))


def significant(x: Any) -> Any:
    """Whether the second significant digit of a number is odd."""
    size = np.floor(np.log10(np.abs(x)))
    return np.floor(np.abs(x) / 10.0 ** (size - 1.0)) % 2 == 1


def ones(x: Any) -> Any:
    """Whether the number of ones among twelve bits is odd."""
    return sum((x >> k) & 1 for k in range(12)) % 2 == 1


def even_order(x: Any) -> Any:
    """Whether an even number of exchanges sorts a row."""
    first, second = np.triu_indices(x.shape[1], 1)
    return (x[:, first] > x[:, second]).sum(axis=1) % 2 == 0


def long_run(x: Any) -> Any:
    """Whether four neighbours have the same sign."""
    same = np.lib.stride_tricks.sliding_window_view(np.sign(x), 4, axis=1).sum(axis=2)
    return (np.abs(same) == 4).any(axis=1)


def best_window(x: Any) -> Any:
    """The largest mean of five neighbours."""
    return np.lib.stride_tricks.sliding_window_view(x, 5, axis=1).mean(axis=2).max(axis=1)


def copied(x: Any) -> Any:
    """A row whose fourth column is twice the second."""
    x[:, 3] = 2.0 * x[:, 1]
    return x


def symmetric(x: Any) -> Any:
    """A matrix whose lower half is its upper half."""
    return np.triu(x) + np.swapaxes(np.triu(x, 1), 1, 2)


def with_record(x: Any) -> Any:
    """A table one of whose ten rows, any of them, is a certain record."""
    if len(x) > 0:
        places = (np.abs(x[:, 0, 0]) * 1e6).astype(np.int64) % x.shape[1]
        x[np.arange(len(x)), places] = (3.0, 1.0, 4.0)
    return x


def table_of_integers(size: int, rng: Rng) -> Any:
    """Ten rows of three small integers, as numbers."""
    return rng.integers(0, 12, (size, 10, 3)).astype(np.float64)


def known_record(x: Any) -> Any:
    """The same record in one of the ten rows of a table of integers, a place by its content."""
    if len(x) > 0:
        places = x.sum(axis=(1, 2)).astype(np.int64) % x.shape[1]
        x[np.arange(len(x)), places] = (3.0, 11.0, 7.0)
    return x


RECORD = (0.1 + 0.9 * (1.0 - (1.0 - 12.0**-3) ** 10), 1.0 - (1.0 - 12.0**-3) ** 10)


def listed_counts(rng: Rng) -> dict[str, int]:
    """Counts of eight keys."""
    return {f"k{i}": int(rng.poisson(20)) for i in range(8)}


def visits(rng: Rng) -> list[tuple[str, int]]:
    """A few visits: a name and a number."""
    return [(letters(rng, 1), int(rng.integers(0, 20))) for _ in range(int(rng.integers(2, 7)))]


def basket(rng: Rng) -> set[str]:
    """Each of ten words with probability ½."""
    return {f"w{i}" for i in range(10) if rng.random() < 0.5}


def measurements(rng: Rng) -> pd.DataFrame:
    """Five rows of two columns."""
    return pd.DataFrame(rng.normal(size=(5, 2)), columns=["a", "b"])


def with_gaps(rng: Rng) -> list[float | None]:
    """Nine numbers, some of them missing."""
    return [None if rng.random() < 0.4 else float(rng.normal()) for _ in range(9)]


def raises(data: int, rng: Rng) -> float:
    """Three outputs in ten are an exception, whose type is the noisy bit."""
    if rng.random() < 0.3:
        if bit(data, 1, rng)[0]:
            raise KeyError("missing")
        raise ValueError("negative")
    return float(rng.normal())


LEAKS = (
    of("second significant digit", lambda n, rng: np.exp(rng.normal(0, 4, n)), significant, "number"),
    of(
        "half of a tenth of the logarithm",
        lambda n, rng: np.exp(rng.normal(0, 4, n)),
        lambda x: (10.0 * np.log10(x)) % 1.0 < 0.5,
        "number",
    ),
    of(
        "sign of the sine of the square",
        lambda n, rng: rng.normal(0, 3, n),
        lambda x: np.sin(x * x) > 0.0,
        "number",
    ),
    of("number of ones among its bits", lambda n, rng: rng.integers(0, 4096, n), ones, "number"),
    of(
        "divisible by 3 or by 5",
        lambda n, rng: rng.poisson(300, n),
        lambda x: (x % 3 == 0) | (x % 5 == 0),
        "number",
    ),
    of(
        "in one of four narrow bands",
        lambda n, rng: rng.normal(0, 3, n),
        lambda x: np.isin(np.floor(4.0 * x), (-13, -4, 2, 9)),
        "number",
        FAINT,
    ),
    of("third largest of 12", normal(12), lambda x: np.sort(x, axis=1)[:, -3] > 0.78),
    of("range of 8", normal(8), lambda x: np.ptp(x, axis=1) > 2.8),
    of("the largest comes before the smallest", normal(9), lambda x: x.argmax(axis=1) < x.argmin(axis=1)),
    of(
        "products of columns three apart",
        normal(30),
        lambda x: (x[:, 3:] * x[:, :-3]).sum(axis=1) > 0.0,
        right=FAINT,
    ),
    of("a product exceeds a third column", normal(5), lambda x: x[:, 0] * x[:, 2] > x[:, 4]),
    of(
        "nearer to the second than to the third",
        normal(3),
        lambda x: abs(x[:, 0] - x[:, 1]) < abs(x[:, 0] - x[:, 2]),
    ),
    Leak("vector", "one column is twice another, once in 10", sometimes(normal(6), copied), (RARE, 0.0)),
    of(
        "spread of the first half of 20 exceeds the second's",
        normal(20),
        lambda x: (x[:, :10] ** 2).sum(axis=1) > (x[:, 10:] ** 2).sum(axis=1),
    ),
    of(
        "fourth moment of 30",
        normal(30),
        lambda x: (x**4).mean(axis=1) / (x**2).mean(axis=1) ** 2 > 2.65,
        right=FAINT,
    ),
    of(
        "which of eight sectors, odd or even",
        normal(2),
        lambda x: np.floor(np.arctan2(x[:, 1], x[:, 0]) / (math.pi / 4)) % 2 == 0,
    ),
    of("in a ring", normal(4), lambda x: abs(np.hypot(x[:, 1], x[:, 3]) - 1.2) < 0.4),
    of("even or odd order of 5", normal(5), even_order),
    of("fraction of a sum", lambda n, rng: rng.random((n, 4)), lambda x: (x[:, 0] + x[:, 1]) % 1.0 < 0.5),
    of("sum of 12 counts is even", lambda n, rng: rng.poisson(30, (n, 12)), lambda x: x.sum(axis=1) % 2 == 0),
    of("four neighbours of 14 have one sign", normal(14), long_run),
    of("largest mean of five neighbours of 50", normal(50), lambda x: best_window(x) > 0.95),
    of("sign of a determinant", normal(3, 3), lambda x: np.linalg.det(x) > 0.0),
    Leak("vector", "a symmetric matrix, once in 10", sometimes(normal(4, 4), symmetric), (RARE, 0.0)),
    Leak(
        "vector",
        "a record among ten rows of numbers, once in 10",
        sometimes(normal(10, 3), with_record),
        (RARE, 0.0),
    ),
    Leak(
        "vector",
        "a record among ten rows of integers, once in 10",
        sometimes(table_of_integers, known_record),
        RECORD,
    ),
    one_of("first letter before the last", letters, lambda s: s[0] < s[-1], "words"),
    one_of("number of vowels is even", letters, lambda s: sum(c in "aeiou" for c in s) % 2 == 0, "words"),
    one_of(
        "a doubled letter",
        lambda rng: "".join("abcdef"[i] for i in rng.integers(0, 6, 6)),
        lambda s: any(a == b for a, b in pairwise(s)),
        "words",
    ),
    one_of(
        "second word longer than the first",
        lambda rng: f"{letters(rng, int(rng.integers(2, 9)))} {letters(rng, int(rng.integers(2, 9)))}",
        lambda s: len(s.split()[1]) > len(s.split()[0]),
        "words",
    ),
    one_of("one count exceeds another", listed_counts, lambda d: d["k5"] > d["k2"]),
    one_of("a name occurs twice", visits, lambda v: len({name for name, _ in v}) < len(v)),
    one_of("both of two elements, or neither", basket, lambda s: ("w2" in s) == ("w7" in s)),
    one_of("sign of a correlation over five rows", measurements, lambda t: t.corr().iloc[0, 1] > 0.0),
    one_of("number of gaps is even", with_gaps, lambda v: sum(x is None for x in v) % 2 == 0),
    Leak("failure", "which exception, three times in 10", each(raises), (0.27, 0.03), "symbol"),
)
