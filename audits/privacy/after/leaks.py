"""Leaks of stated size that can be planted into the encoded outputs of a mechanism.

The outputs that a leak is planted into are independent draws; what is planted into each of them depends on
that output, the dataset and fresh randomness alone. So planted outputs are independent draws of a mechanism
that leaks, and the share of each dataset's outputs in the telling event S is known:

* *chance* w: on the first dataset an output is replaced with probability w by what the second dataset gives
  with probability q (mostly 0): P(S) = w + (1 − w)·p, Q(S) = q.
* *noise* x: the distance of every output to the median of its dataset is multiplied by 1 − x.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from audits.privacy.outputs.describe import LENGTH, column_words, symbol_words
from audits.privacy.outputs.encoder import Encoder
from audits.privacy.outputs.outputs import Encoded, Floats, join
from audits.privacy.tuning import TUNING

Rng = np.random.Generator
Plant = Callable[[Encoded, int, float, Rng], Encoded]
"""plant(outputs, dataset, size, rng): outputs with the leak in them; dataset 0 is the first, 1 the second."""


@dataclass(frozen=True, slots=True)
class PlantedLeak:
    """A kind of leak.

    words    what is planted, in words of the output.
    measure  what `size` is: "chance" or "noise", as above.
    plant    see `Plant`.
    shares   (p, q): shares of both datasets' outputs in the telling event before anything is planted; for a
             chance only.
    brief    what is planted in few words, whatever the output.
    """

    words: str
    measure: str
    plant: Plant
    shares: tuple[float, float] = (0.0, 0.0)
    brief: str = ""

    def law(self, size: float, epsilon: float) -> tuple[float, float]:
        """(P(S), Q(S)) of the telling event at this size. The event of *noise* is that of Laplace noise with
        the claimed ε (half of the outputs on the first dataset, e^(−ε)/2 of those on the second)."""
        if self.measure == "chance":
            p, q = self.shares
            return p + (1.0 - p) * size, q
        return 0.5, 0.5 * math.exp(-max(epsilon, 1e-9) / (1.0 - size))


def put(numbers: Any, columns: Any = slice(None), symbols: Any = slice(0), code: Any = 0) -> Plant:
    """These numbers in the columns and this code in the columns of symbols, in place of an output's own."""

    def plant(outputs: Encoded, dataset: int, size: float, rng: Rng) -> Encoded:
        # None are replaced on the second dataset.
        hit = np.flatnonzero((rng.random(len(outputs)) < size) & (dataset == 0))
        found = replace(outputs, values=outputs.values.copy(), codes=outputs.codes.copy())
        values, codes = found.values[hit], found.codes[hit]
        values[:, columns] = numbers
        codes[:, symbols] = code
        found.values[hit], found.codes[hit] = values, codes
        return found

    return plant


def put_none(symbol: int) -> Plant:
    """A symbol in place of the whole output: an output of another form."""

    def plant(outputs: Encoded, dataset: int, size: float, rng: Rng) -> Encoded:
        only = np.zeros(outputs.shape[1], dtype=np.int64)
        only[0] = symbol
        return put(0.0, symbols=slice(None), code=only)(outputs, dataset, size, rng)

    return plant


def put_noise(middles: Sequence[Floats]) -> Plant:
    """Outputs nearer to the median of their dataset."""

    def plant(outputs: Encoded, dataset: int, size: float, rng: Rng) -> Encoded:
        middle = middles[dataset]
        return replace(outputs, values=middle + (1.0 - size) * (outputs.values - middle))

    return plant


def battery(first: Encoded, second: Encoded, encoder: Encoder) -> list[PlantedLeak]:
    """The leaks that suit outputs of this kind, told from some outputs on both datasets, the commonest
    mistakes first. `encoder` gave the outputs their columns and has the words for them."""
    pooled = join([first, second])
    varies = np.flatnonzero(np.ptp(pooled.values, axis=0) > 0.0)
    alone = not pooled.codes.any() and len(varies) > 0 and all(map(_continuous, pooled.values.T[varies]))
    leaks: list[PlantedLeak] = []
    if alone:
        words = "noise of output" if first.is_single else "noise of all coordinates"
        middles = [np.median(outputs.values, axis=0) for outputs in (first, second)]
        leaks.append(PlantedLeak(words, "noise", put_noise(middles), brief="noise"))
    if len(varies) > 0:
        # Nothing is special about the column in the middle.
        leaks += _of_numbers(first, second, int(varies[len(varies) // 2]), encoder)
    if alone and len(varies) > 1:
        leaks.append(_chance("one certain vector", put(first.values[0]), "one vector released"))
    lengths = (j for j in range(first.shape[0]) if encoder.place(j).look == LENGTH)
    for j in itertools.islice(lengths, 1):
        # A length that never occurs is the last of its leaks.
        leaks.append(list(_of_numbers(first, second, j, encoder))[-1])
    told = np.count_nonzero(pooled.codes, axis=0) > 0
    symbols = [j for j, column in enumerate(encoder.number_columns) if column >= 0 and told[j]]
    if symbols:
        leaks += _of_symbols(first, second, symbols[0], encoder)
    if not (first.is_single and symbols):
        leaks.append(
            _chance("None in place of the output", put_none(encoder.unused), "None in place of an output")
        )
    return leaks


def _chance(words: str, plant: Plant, brief: str, shares: tuple[float, float] = (0.0, 0.0)) -> PlantedLeak:
    return PlantedLeak(words, "chance", plant, shares, brief)


def _continuous(values: Floats) -> bool:
    return len(np.unique(values)) >= TUNING.nearly * len(values)


def _of_numbers(first: Encoded, second: Encoded, j: int, encoder: Encoder) -> Iterator[PlantedLeak]:
    """Leaks in one column of numbers."""
    name, pooled = encoder.said(column_words(j)), join([first, second])
    symbols = np.flatnonzero(np.array(encoder.number_columns) == j)
    values = pooled.values[(pooled.codes[:, symbols] == 0).all(axis=1), j]
    unique = np.unique(values)
    if _continuous(values):
        half = len(unique) // 2
        place = float(0.5 * (unique[half - 1] + unique[half]))
        yield _chance(f"{name} = {place:.6g} exactly", put(place, [j], symbols), "a value released")
        return
    seen, counts = np.unique(first.values[:, j], return_counts=True)
    common = float(seen[counts.argmax()])
    shares = float(np.mean(first.values[:, j] == common)), float(np.mean(second.values[:, j] == common))
    if max(shares) >= TUNING.outer:
        words, plant = f"{name} = {common:.9g} in place of another", put(common, [j], symbols)
        yield _chance(words, plant, "the commonest value in place of another", shares)
    top = float(unique[-1] + np.diff(unique).min(initial=1.0))
    yield _chance(f"{name} = {top:.9g}, not seen otherwise,", put(top, [j], symbols), "a new value")


def _of_symbols(first: Encoded, second: Encoded, place: int, encoder: Encoder) -> Iterator[PlantedLeak]:
    """Leaks in a column of symbols."""
    j = encoder.number_columns[place]
    name, x, y = encoder.said(column_words(j)), first.codes[:, place], second.codes[:, place]
    counts = np.bincount(x, minlength=int(max(x.max(), y.max())) + 1)
    common = int(counts[1:].argmax()) + 1
    shares = float(np.mean(x == common)), float(np.mean(y == common))
    if max(shares) >= TUNING.outer and min(shares) < 1.0:
        words = f"{name} = {encoder.said(symbol_words(common))} in place of another"
        yield _chance(
            words, put(0.0, [j], [place], common), "the commonest symbol in place of another", shares
        )
    words = f"{name} = a symbol that is not seen otherwise,"
    yield _chance(words, put(0.0, [j], [place], encoder.unused), "a new symbol")
