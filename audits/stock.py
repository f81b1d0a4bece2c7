"""A stock of neighbouring pairs for data of a given shape, and a search for those that show most.

A plausible pair may hide a bug: the stock holds what releases stumbled over. Extremes and values out of
bounds, NaN, all values equal, one record a class, a changed label, a number of records at a batch boundary,
an empty category and one that nobody listed, a duplicate, a domain that is read from the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.privacy.audit import audit_privacy, glance
from audits.privacy.claims import Claim
from audits.privacy.draw.processes import WorkerFailed

ADJACENCIES = ("replace", "add", "remove")
OUT_OF_BOUNDS = "a value out of bounds"
MOST_NUMBERS = 10**7
"""Of a dataset: more are a slip of the hand."""
ALPHA = 0.05
"""Level of the short audits of the search: they only rank pairs, and nothing is concluded from them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """What a dataset looks like.

    n           records, at least 2.
    low, high   bounds of every number.
    features    columns of numbers; 0 for a plain array of numbers.
    classes     labels 0 … classes − 1 in a second array y; 0 for none.
    categories  codes 0 … categories − 1: data are these alone where there are no features, else they are a
                further column; 0 for none.
    batch       records of a batch; the stock then has pairs whose sizes stand at a multiple of it.
    nan         whether NaN and infinities may occur.
    counts      data are a vector of so many counts, in one of which each record counts 1; 0 for none.
    value       data are one number, which a record changes by this much at most; 0 for none.
    """

    n: int = 5
    low: float = 0.0
    high: float = 1.0
    features: int = 0
    classes: int = 0
    categories: int = 0
    batch: int = 0
    nan: bool = False
    counts: int = 0
    value: float = 0.0

    def __post_init__(self) -> None:
        whole = ("n", 2), ("features", 0), ("classes", 0), ("categories", 0), ("batch", 0), ("counts", 0)
        for name, least in whole:
            value = getattr(self, name)
            if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
                raise ValueError(f"{name} must be a whole number ≥ {least}, got {value!r}")
        extents = self.classes, self.categories, self.batch, self.counts
        if self.n * max(self.features, 1) + sum(extents) > MOST_NUMBERS:
            raise ValueError(f"a dataset must hold at most {MOST_NUMBERS:,} numbers, got {self.n!r} records")
        ends = self.low, self.high
        if not (all(isinstance(end, Real) and np.isfinite(end) for end in ends) and self.low < self.high):
            raise ValueError(f"bounds must be finite numbers, low < high, got {self.low!r}, {self.high!r}")
        if self.nan not in (False, True):
            raise ValueError(f"nan must be 0 or 1, got {self.nan!r}")
        if self.counts == 1:
            raise ValueError("counts must be a whole number ≥ 2, or 0 for none, got 1")
        if not (isinstance(self.value, Real) and 0.0 <= self.value < np.inf):
            raise ValueError(f"value must be a finite number ≥ 0, got {self.value!r}")

    def __str__(self) -> str:
        if self.counts:
            return f"{self.counts} counts"
        if self.value:
            return f"one number that moves by {self.value:g}"
        columns = f" of {self.features} numbers" if self.features else ""
        kinds = f"{self.categories} categories" if self.categories and not self.features else ""
        labels = f" with {self.classes} labels" if self.classes else ""
        return f"{self.n} records{columns} in {kinds or f'[{self.low:g}, {self.high:g}]'}{labels}"

    def relation(self, kind: str) -> Any:
        """What pairs of the stock are under "replace", "add" or "remove", as `audit_privacy` takes it."""
        if not (self.counts or self.value):
            return "replace" if kind == "replace" else "add-remove"
        most = self.value or (2 if kind == "replace" else 1)
        return lambda first, second: 0.0 < np.abs(np.subtract(second, first)).sum() <= most


@dataclass(frozen=True, slots=True)
class Named:
    """A pair of neighbouring datasets and what is particular about it."""

    name: str
    first: Any
    second: Any

    @property
    def pair(self) -> tuple[Any, Any]:
        """(D, D′)."""
        return self.first, self.second


def stock(schema: Schema, adjacency: str) -> list[Named]:
    """The pairs of the stock under "replace", "add" (D′ has a record more) or "remove" (D′ has one less)."""
    if adjacency not in ADJACENCIES:
        raise ValueError(f"adjacency must be one of {ADJACENCIES}, got {adjacency!r}")
    found: list[Named] = []
    if schema.value:
        return [
            Named(f"{start:g} and {start + step:g}", start, start + step)
            for start in (0.0, 1000.0 * schema.value)
            for step in (schema.value, -schema.value)
        ]
    if schema.counts:
        return [*_of_counts(schema.counts, adjacency)]
    for name, rest, record, other in _situations(schema):
        whole = np.vstack([record, rest])
        first, second = {
            "replace": (whole, np.vstack([other, rest])), "remove": (whole, rest), "add": (rest, whole)
        }[adjacency]  # fmt: skip
        found.append(Named(name, _dataset(schema, first), _dataset(schema, second)))
    return found


def search(
    mechanism: Callable[..., Any],
    pairs: Sequence[Named],
    claim: Claim,
    *,
    rng: np.random.Generator,
    samples: int = 128,
    keep: int = 2,
    errors: str = "raise",
    say: Callable[[str], None] | None = None,
) -> list[Named]:
    """The `keep` pairs that speak most against the claim, by successive halving.

    Source: Jamieson and Talwalkar (2016).
    Every round audits the pairs that are left for a moment and keeps the better half for twice the samples.
    The pairs found are audited afterwards with randomness of their own: the search spends nothing of that α.
    With errors="raise" a pair on both datasets of which the mechanism raises, or returns NaN, is left out,
    and `say` is called with a sentence; a failure on one dataset only speaks against the claim.
    Raises ValueError where no pair is left, and where a worker fails.
    """
    if keep < 1:
        raise ValueError(f"keep must be at least 1, got {keep}")
    left = list(pairs)
    failures: list[ValueError] = []
    while len(left) > keep:
        scores: list[float] = []
        said: list[str] = []
        options = {"claim": claim, "alpha": ALPHA, "rng": rng, "errors": errors}
        options |= {"max_samples": max(64, samples)}
        for candidate in left:
            try:
                e_value, bound = _against(mechanism, candidate.pair, options)
            except WorkerFailed:
                raise
            except ValueError as error:
                scores.append(-np.inf)
                failures.append(error)
                said.append(f'the pair "{candidate.name}" is left out: {error}')
            else:
                scores.append(np.log(max(e_value, 1e-300)) + bound)
        # A stable order: of equal pairs the earlier in the stock stays.
        best = sorted(range(len(left)), key=lambda i: -scores[i])
        kept = [i for i in best[: max(keep, len(left) // 2)] if scores[i] > -np.inf]
        if not kept:
            raise ValueError(f"the mechanism fails on every pair of the stock: {failures[-1]}")
        if say is not None:
            for words in said:
                say(words)
        left = [left[i] for i in kept]
        samples *= 2
    return left


def _against(mechanism: Callable[..., Any], pair: Any, options: dict[str, Any]) -> tuple[float, float]:
    """(e-value, lower bound) on a pair. The audit of the pairs that are kept tests the assumptions."""
    try:
        return glance(mechanism, pair, options)
    except WorkerFailed:
        raise
    except ValueError:  # on one dataset only, perhaps: an audit says so
        anything: Callable[[Any, Any], bool] = lambda first, second: True  # noqa: E731
        result = audit_privacy(mechanism, [pair], adjacency=anything, simplest=False, **options)
        return result.e_value, result.lower


Records = NDArray[np.float64]
"""Records as rows: the numbers of each, its category, and its label."""


def _situations(s: Schema) -> Iterator[tuple[str, Records, Records, Records]]:
    """(name, the other records, a record, another record in its place); added or removed is the first."""
    if s.features or not s.categories:
        yield from _of_numbers(s)
    if s.categories > 1:
        yield from _of_categories(s)
    if s.classes > 1:
        yield from _of_labels(s)
    if s.batch > 0:
        # A record more or less than a batch, and exactly one or two.
        for count in sorted({max(s.batch - 1, 1), s.batch, 2 * s.batch}):
            name = f"{count} records beside it, batches of {s.batch}"
            yield name, _rest(s, count, s.low), _record(s, s.high, category=1), _record(s, s.low)


def _of_counts(size: int, adjacency: str) -> Iterator[Named]:
    """Counts that a record of the first kind is added to, removed from, or moved out of to the last kind."""
    first, last = np.eye(size, dtype=np.int64)[[0, -1]]
    for name, counts in (
        ("all counts 1", np.ones(size, dtype=np.int64)),
        ("one record alone", 0 * first),
        ("one count far above the others", np.maximum(1000 * first, 1)),
        ("one count far below the others", 1000 - 999 * first),
        ("counts in steps", np.arange(size) + 1),
    ):
        if adjacency == "replace":
            yield Named(name, counts + first, counts + last)
        else:
            yield Named(name, *((counts, counts + first) if adjacency == "add" else (counts + first, counts)))


def _of_numbers(s: Schema) -> Iterator[tuple[str, Records, Records, Records]]:
    low, high, middle = s.low, s.high, (s.low + s.high) / 2
    far = high + 1000.0 * (high - low)
    numbers: list[tuple[str, float, float, float]] = [
        ("all at the lower bound, an upper bound", low, high, low),
        ("all at the upper bound, a lower bound", high, low, high),
        ("all in the middle, extremes", middle, low, high),
        (OUT_OF_BOUNDS, middle, far, middle),
        (f"{OUT_OF_BOUNDS}, below", middle, low - (far - high), middle),
        ("all equal, a duplicate", middle, middle, high),
    ]
    if s.nan:
        numbers += [("NaN", middle, np.nan, high), ("infinity", middle, np.inf, high)]
        numbers.append(("minus infinity", middle, -np.inf, high))
    for name, others, value, other in numbers:
        yield name, _rest(s, s.n - 1, others), _record(s, value), _record(s, other)
    spread = _spread(s, s.n - 1, low, high)
    yield "spread over the bounds", spread, _record(s, high), _record(s, low)
    # The range, or the number of distinct values, is another one with the record than without it.
    half = _spread(s, s.n - 1, low, middle)
    yield "the range is read from the data", half, _record(s, high), _record(s, low)
    yield "a duplicate of one record", half, _record(s, middle), _record(s, (low + 3.0 * middle) / 4.0)
    if s.nan:
        rest = _rest(s, s.n - 1, low)
        rest[1:, :-2] = np.nan
        yield "all others NaN", rest, _record(s, high), _record(s, low)


def _of_categories(s: Schema) -> Iterator[tuple[str, Records, Records, Records]]:
    middle, last = (s.low + s.high) / 2, s.categories - 1
    same = _rest(s, s.n - 1, middle)
    first = _record(s, middle)
    yield "an empty category", same, _record(s, middle, category=1), first
    if last > 1:
        yield "the last category alone", same, _record(s, middle, category=last), first
    yield "a category that nobody listed", same, _record(s, middle, category=s.categories), first
    each = _rest(s, s.n - 1, middle, np.arange(s.n - 1) % s.categories)
    yield "every category in turn", each, _record(s, middle, category=last), first


def _of_labels(s: Schema) -> Iterator[tuple[str, Records, Records, Records]]:
    rest = _spread(s, s.n - 1, s.low, s.high)
    yield "a label changes", rest, _record(s, s.high), _record(s, s.high, 1)
    single = rest.copy()
    single[:, -1] = 0.0
    yield "the only record of a class", single, _record(s, s.high, 1), _record(s, s.high)
    if s.classes > 2:
        yield "the largest label", single, _record(s, s.low, s.classes - 1), _record(s, s.low)


def _rest(s: Schema, count: int, value: float, categories: Any = 0.0) -> Records:
    """Records of one value, in the first category each unless others are given."""
    numbers = np.full((count, max(s.features, 1)), float(value))
    labels = np.arange(count, dtype=np.float64) % max(s.classes, 1)
    return np.column_stack([numbers, np.broadcast_to(np.float64(categories), count), labels])


def _spread(s: Schema, count: int, low: float, high: float) -> Records:
    found = _rest(s, count, low)
    found[:, :-2] += (np.linspace(low, high, count) - low)[:, None]
    return found


def _record(s: Schema, value: float, label: int = 0, category: int = 0) -> Records:
    return np.array([float(value)] * max(s.features, 1) + [category, label], dtype=np.float64)


def _dataset(s: Schema, records: Records) -> Any:
    """What there is in data of this schema: columns of numbers, of categories, and labels."""
    values: Any = records[:, : s.features + (s.categories > 0)]
    if not s.features:
        values = records[:, 1].astype(np.int64) if s.categories else records[:, 0]
    return (values, records[:, -1].astype(np.int64)) if s.classes else values
