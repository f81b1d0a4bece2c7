"""A stock of neighbouring pairs for data of a given shape, and a search for those that show most.

A plausible pair may hide a bug: the stock holds what releases stumbled over. Extremes and values out of
bounds, NaN, all values equal, one record a class, a changed label, a number of records at a batch boundary,
an empty category, a duplicate, a domain that is read from the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.privacy.audit import audit_privacy
from audits.privacy.datasets import key

Floats = NDArray[np.floating[Any]]
ADJACENCIES = ("replace", "add", "remove")
ALPHA = 0.05
"""Level of the short audits of the search: they only rank pairs, and nothing is concluded from them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """What a dataset looks like.

    n           records, at least 2.
    low, high   bounds of every number.
    features    columns of numbers; 0 for a plain array of numbers.
    classes     labels 0 … classes − 1 in a second array y; 0 for none.
    batch       records of a batch; the stock then has pairs whose sizes stand at a multiple of it.
    nan         whether NaN may occur.
    """

    n: int = 5
    low: float = 0.0
    high: float = 1.0
    features: int = 0
    classes: int = 0
    batch: int = 0
    nan: bool = False

    def __post_init__(self) -> None:
        if self.n < 2:
            raise ValueError(f"n must be at least 2, got {self.n}")
        if not (np.isfinite(self.low) and np.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"bounds must be finite and low < high, got {self.low}, {self.high}")
        for name in ("features", "classes", "batch"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must be ≥ 0, got {getattr(self, name)}")


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
    for name, rest, record, other in _situations(schema):
        if adjacency == "replace":
            found.append(Named(name, _with(rest, record), _with(rest, other)))
        elif adjacency == "remove":
            found.append(Named(name, _with(rest, record), _dataset(rest)))
        else:
            found.append(Named(name, _dataset(rest), _with(rest, other)))
    return found


def derived(pair: tuple[Any, Any], adjacency: str) -> tuple[Any, Any]:
    """A pair under "replace", "add" or "remove" from any neighbouring pair of arrays, lists, or (X, y).

    A pair with one record replaced gives one that lost that record. From a pair of which the larger has a
    record more, "replace" puts a record of the smaller there.
    Raises ValueError where the datasets are of another kind or there is no shared record.
    """
    if adjacency not in ADJACENCIES:
        raise ValueError(f"adjacency must be one of {ADJACENCIES}, got {adjacency!r}")
    first, second = pair
    sizes = _length(first), _length(second)
    if sizes[0] == sizes[1]:
        if adjacency == "replace":
            return first, second
        place = _changed(first, second)
        return (_without(second, place), second) if adjacency == "add" else (first, _without(first, place))
    small, large = (first, second) if sizes[0] < sizes[1] else (second, first)
    if adjacency == "add":
        return small, large
    if adjacency == "remove":
        return large, small
    if _length(small) == 0:
        raise ValueError("a record can only be replaced where the smaller dataset has one")
    place = _changed(large, small)
    # A record that differs from the one that it replaces: the pair must be a pair.
    other = next((i for i in range(_length(small)) if _key(small, i) != _key(large, place)), None)
    if other is None:
        raise ValueError("all records are equal: no other one can be put in the place of the added one")
    return large, _put(large, place, small, other)


def _length(data: Any) -> int:
    if isinstance(data, tuple):
        return len(data[0])
    if not isinstance(data, (np.ndarray, list)):
        raise ValueError(f"other adjacencies are derived of arrays, lists, (X, y), got {type(data).__name__}")
    return len(data)


def _changed(first: Any, second: Any) -> int:
    """The first place at which the records differ."""
    keys = [[_key(data, i) for i in range(_length(data))] for data in (first, second)]
    return next((i for i, (a, b) in enumerate(zip(*keys, strict=False)) if a != b), min(map(len, keys)))


def _key(data: Any, place: int) -> Any:
    return key(tuple(part[place] for part in data) if isinstance(data, tuple) else data[place])


def _without(data: Any, place: int) -> Any:
    if isinstance(data, tuple):
        return tuple(_without(part, place) for part in data)
    return [*data[:place], *data[place + 1 :]] if isinstance(data, list) else np.delete(data, place, axis=0)


def _put(large: Any, place: int, small: Any, other: int) -> Any:
    if isinstance(large, tuple):
        return tuple(_put(a, place, b, other) for a, b in zip(large, small, strict=True))
    changed = large.copy()
    changed[place] = small[other]
    return changed


def search(
    mechanism: Callable[..., Any],
    pairs: Sequence[Named],
    *,
    epsilon: float,
    delta: float = 0.0,
    rng: np.random.Generator,
    samples: int = 128,
    keep: int = 2,
    errors: str = "symbol",
) -> list[Named]:
    """The `keep` pairs that speak most against the claim, by successive halving (Jamieson, Talwalkar 2016).

    Every round audits the pairs that are left for a moment and keeps the better half for twice the samples.
    The pairs found are audited afterwards with randomness of their own: the search spends nothing of that α.
    """
    if keep < 1:
        raise ValueError(f"keep must be at least 1, got {keep}")
    left = list(pairs)
    while len(left) > keep:
        scores: list[float] = []
        for candidate in left:
            result = audit_privacy(
                mechanism,
                [candidate.pair],
                epsilon=epsilon,
                delta=delta,
                adjacency=lambda first, second: True,
                alpha=ALPHA,
                rng=rng,
                max_samples=max(64, samples),
                errors=errors,
                simplest=False,
            )
            scores.append(np.log(max(result.e_value, 1e-300)) + result.epsilon_lower)
        # A stable order: of equal pairs the earlier in the stock stays.
        best = sorted(range(len(left)), key=lambda i: -scores[i])
        left = [left[i] for i in sorted(best[: max(keep, len(left) // 2)], key=best.index)]
        samples *= 2
    return left


Part = tuple[Floats, NDArray[np.int64] | None]


def _situations(s: Schema) -> Iterator[tuple[str, Part, Any, Any]]:
    """(name, the other records, a record, another record in its place)."""
    low, high, middle = s.low, s.high, (s.low + s.high) / 2
    far = high + 1000.0 * (high - low)
    numbers: list[tuple[str, float, float, float]] = [
        ("all at the lower bound, an upper bound", low, high, low),
        ("all at the upper bound, a lower bound", high, low, high),
        ("all in the middle, extremes", middle, low, high),
        ("a value out of bounds", middle, far, middle),
        ("a value out of bounds, below", middle, low - (far - high), middle),
        ("a duplicate", middle, middle, high),
    ]
    if s.nan:
        numbers.append(("NaN", middle, np.nan, high))
    for name, others, value, other in numbers:
        rest = _rest(s, s.n - 1, others)
        yield name, rest, _record(s, value, 0), _record(s, other, 0)
    spread = _spread(s, s.n - 1)
    yield "spread over the bounds", spread, _record(s, high, 0), _record(s, low, 0)
    if s.nan:
        values, labels = _rest(s, s.n - 1, low)
        values = values.copy()
        values[1:] = np.nan
        yield "all others NaN", (values, labels), _record(s, high, 0), _record(s, low, 0)
    if s.classes > 1:
        values, labels = spread
        assert labels is not None
        yield "a label changes", spread, _record(s, high, 0), _record(s, high, 1)
        single = np.zeros(len(labels), dtype=np.int64)
        yield "the only record of a class", (values, single), _record(s, high, 1), _record(s, high, 0)
        yield "the largest label", (values, single), _record(s, low, s.classes - 1), _record(s, low, 0)
    if s.batch > 0:
        for count in (s.batch, 2 * s.batch):
            rest = _rest(s, count, low)
            yield (
                f"{count} records beside it, batches of {s.batch}",
                rest,
                _record(s, high, 0),
                _record(s, low, 0),
            )


def _rest(s: Schema, count: int, value: float) -> Part:
    shape = (count, s.features) if s.features else (count,)
    labels = np.arange(count, dtype=np.int64) % s.classes if s.classes else None
    return np.full(shape, float(value)), labels


def _spread(s: Schema, count: int) -> Part:
    values, labels = _rest(s, count, s.low)
    column = np.linspace(s.low, s.high, count)
    return (values + (column[:, None] - s.low if s.features else column - s.low)), labels


def _record(s: Schema, value: float, label: int) -> tuple[Any, int]:
    return (np.full(s.features, float(value)) if s.features else float(value)), label


def _with(rest: Part, record: tuple[Any, int]) -> Any:
    values, labels = rest
    whole = np.concatenate([np.asarray(record[0])[None], values])
    return whole if labels is None else (whole, np.concatenate([[record[1]], labels]))


def _dataset(rest: Part) -> Any:
    values, labels = rest
    return values if labels is None else (values, labels)
