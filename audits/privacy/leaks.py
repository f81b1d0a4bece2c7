"""Leaks of stated size that can be planted into the outputs of a mechanism.

The outputs that a leak is planted into are independent draws; what is planted into each of them depends on
that output, the dataset and fresh randomness alone. So planted outputs are independent draws of a mechanism
that leaks, and the share of each dataset's outputs in the telling event S is known:

* *chance* w: on the first dataset an output is replaced with probability w by what the second dataset gives
  with probability q (mostly 0): P(S) = w + (1 − w)·p, Q(S) = q.
* *bit* of size e: a bit of the output is 1 with probability 1/(1 + e^(−e)) on the first dataset and with
  probability 1/(1 + e^e) on the second: log P(S)/Q(S) = e.
* *noise* x: the distance of every output to the median of its dataset is multiplied by 1 − x.
"""

from __future__ import annotations

import copy
import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from audits.privacy.leaves import Word, objects

Raw = NDArray[Any]
Floats = NDArray[np.floating[Any]]
Rng = np.random.Generator
Plant = Callable[[Raw, int, float, Rng], Raw]
"""plant(outputs, dataset, size, rng): outputs with the leak in them; dataset 0 is the first, 1 the second."""

MODE_WIDTH, PERIOD = 1e-4, 1.0 / 300.0
"""Width of a planted mode and length of a planted period, in interquartile ranges of the outputs."""
CONTINUOUS = 0.9
"""Numbers of which at least this share are different from each other count as continuous."""
COMMON = 0.01
"""The commonest output is planted more often where it has at least this share."""
FRESH = ("~", "^", "|", "¬", "§")
"""Strings of one character, of which the first that does not occur is planted."""


@dataclass(frozen=True, slots=True)
class Leak:
    """A kind of leak.

    words    what is planted, in words of the output.
    measure  what `size` is: "chance", "bit" or "noise", as above.
    plant    see `Plant`.
    shares   (p, q): shares of both datasets' outputs in the telling event before anything is planted; for a
             chance only.
    """

    words: str
    measure: str
    plant: Plant
    shares: tuple[float, float] = (0.0, 0.0)

    def law(self, size: float, epsilon: float) -> tuple[float, float]:
        """(P(S), Q(S)) of the telling event at this size. The event of *noise* is that of Laplace noise with
        the claimed ε (half of the outputs on the first dataset, e^(−ε)/2 of those on the second)."""
        if self.measure == "chance":
            p, q = self.shares
            return p + (1.0 - p) * size, q
        if self.measure == "bit":
            return 1.0 / (1.0 + math.exp(-size)), 1.0 / (1.0 + math.exp(size))
        return 0.5, 0.5 * math.exp(-max(epsilon, 1e-9) / (1.0 - size))

    def sized(self, size: float) -> str:
        """The leak with its size, in words."""
        if self.measure == "chance":
            return f"{self.words} {once_in(size)}"
        if self.measure == "bit":
            return f"{self.words} with ε = {size:.3g}"
        return f"{self.words} {100.0 * size:.2g} % too small"


def once_in(chance: float) -> str:
    """A probability in words.

    >>> once_in(0.00043), once_in(0.7)
    ('once in 2,300', 'in 70 % of the outputs')
    """
    if chance > 0.4:
        return f"in {100.0 * chance:.3g} % of the outputs"
    # Rounded down: the leak is rather more frequent than said.
    times = 1.0 / chance
    unit = 10.0 ** max(math.floor(math.log10(times)) - 1, 0)
    return f"once in {math.floor(times / unit + 1e-9) * unit:,.0f}"


def battery(first: Raw, second: Raw) -> list[Leak]:
    """The leaks that suit outputs of this kind, told from some outputs on both datasets, the commonest
    mistakes first. Empty where the outputs are of no known kind."""
    if first.dtype.names is not None:
        return list(_of_records(first, second))
    if first.dtype.kind in "biuf" and second.dtype.kind in "biuf":
        flat = [side.reshape(len(side), -1) for side in (first, second)]
        if first.ndim == 1:
            return list(_of_numbers(first, second))
        return list(_of_vectors(*flat)) if flat[0].shape[1] == flat[1].shape[1] else []
    if first.dtype.kind in "USO" and first.ndim == 1:
        items = [*first.tolist(), *second.tolist()]
        if all(_is_leaf(item) for item in items):
            return list(_of_symbols(first.tolist(), second.tolist()))
        return list(_of_containers(items))
    return []


# --- What is planted ---------------------------------------------------------------------------------


def _chosen(dataset: int, chance: float, count: int, rng: Rng) -> NDArray[np.int64]:
    """Which outputs are replaced: none on the second dataset."""
    hit = rng.random(count) < chance
    return np.flatnonzero(hit) if dataset == 0 else np.zeros(0, dtype=np.int64)


def _bits(dataset: int, size: float, count: int, rng: Rng) -> NDArray[np.bool_]:
    """The planted bit of every output."""
    return rng.random(count) < 1.0 / (1.0 + math.exp(-size if dataset == 0 else size))


def put(value: Any) -> Plant:
    """The value (a number, or a row of numbers) in place of an output."""

    def plant(outputs: Raw, dataset: int, size: float, rng: Rng) -> Raw:
        found = outputs.copy()
        found[_chosen(dataset, size, len(found), rng)] = value
        return found

    return plant


def put_object(change: Callable[[Any], Any]) -> Plant:
    """`change(output)` in place of an output that is any Python object."""

    def plant(outputs: Raw, dataset: int, size: float, rng: Rng) -> Raw:
        found = objects(outputs.tolist())
        for i in _chosen(dataset, size, len(found), rng):
            found[i] = change(found[i])
        return found

    return plant


def put_mode(place: float, width: float) -> Plant:
    """A number within `width` above a place, in place of an output."""

    def plant(outputs: Raw, dataset: int, size: float, rng: Rng) -> Raw:
        found = outputs.copy()
        hit = _chosen(dataset, size, len(found), rng)
        found[hit] = place + width * rng.random(len(hit))
        return found

    return plant


def put_phase(period: float) -> Plant:
    """The half of the period that an output lies in is the bit; within it outputs are uniform."""

    def plant(outputs: Raw, dataset: int, size: float, rng: Rng) -> Raw:
        half = _bits(dataset, size, len(outputs), rng) + rng.random(len(outputs))
        return (np.floor(outputs / period) + 0.5 * half) * period

    return plant


def put_parity(outputs: Raw, dataset: int, size: float, rng: Rng) -> Raw:
    """Whether an integer is odd is the bit."""
    one = np.array(1, outputs.dtype)
    return (outputs & ~one) | _bits(dataset, size, len(outputs), rng).astype(outputs.dtype)


def put_noise(middles: Sequence[Any]) -> Plant:
    """Outputs nearer to the median of their dataset."""

    def plant(outputs: Raw, dataset: int, size: float, rng: Rng) -> Raw:
        middle = middles[dataset]
        return middle + (1.0 - size) * (outputs - middle)

    return plant


def put_sign(i: int, j: int, middle: Floats) -> Plant:
    """Whether two coordinates lie on the same side of their medians is the bit: the first of them is
    reflected where it is not so."""

    def plant(outputs: Raw, dataset: int, size: float, rng: Rng) -> Raw:
        found = outputs.reshape(len(outputs), -1).astype(np.float64)
        alike = (found[:, i] > middle[i]) == (found[:, j] > middle[j])
        wrong = alike != _bits(dataset, size, len(found), rng)
        found[wrong, i] = 2.0 * middle[i] - found[wrong, i]
        return found.reshape(outputs.shape)

    return plant


def _in_column(j: int, plant: Plant) -> Plant:
    """A leak of single numbers, in one column."""

    def planted(outputs: Raw, dataset: int, size: float, rng: Rng) -> Raw:
        found = outputs.reshape(len(outputs), -1).copy()
        found[:, j] = plant(found[:, j], dataset, size, rng)
        return found.reshape(outputs.shape)

    return planted


def _in_field(name: str, plant: Plant) -> Plant:
    """A leak of numbers or strings, in one field of a record."""

    def planted(outputs: Raw, dataset: int, size: float, rng: Rng) -> Raw:
        found = outputs.copy()
        found[name] = plant(outputs[name], dataset, size, rng)
        return found

    return planted


# --- What suits which output -------------------------------------------------------------------------


def _continuous(values: Raw) -> bool:
    return values.dtype.kind == "f" and len(np.unique(values)) >= CONTINUOUS * len(values)


def _middle_place(values: Raw) -> tuple[float, float]:
    """A number in the middle of continuous ones that is none of them, and their interquartile range."""
    ordered = np.sort(values[np.isfinite(values)].astype(np.float64))
    half = len(ordered) // 2
    low, high = np.quantile(ordered, [0.25, 0.75])
    return float(0.5 * (ordered[half - 1] + ordered[half])), float(high - low)


def _of_numbers(first: Raw, second: Raw, name: str = "output") -> Iterator[Leak]:
    pooled = np.concatenate([first, second])
    if _continuous(pooled):
        place, spread = _middle_place(pooled)
        yield Leak(f"{name} = {place:.6g} exactly", "chance", put(place))
        middles = [float(np.median(side)) for side in (first, second)]
        yield Leak(f"noise of {name}", "noise", put_noise(middles))
        if spread > 0.0:
            width, period = MODE_WIDTH * spread, PERIOD * spread
            words = f"{name} within {width:.2g} above {place:.6g}"
            yield Leak(words, "chance", put_mode(place, width))
            yield Leak(f"the half of a period of {period:.2g} that {name} lies in", "bit", put_phase(period))
        return
    yield from _of_discrete(first, second, name)
    if pooled.dtype.kind in "iu":
        low, high = np.quantile(pooled.astype(np.float64), [0.25, 0.75])
        if high - low >= 8:
            yield Leak(f"the parity of {name}", "bit", put_parity)


def _of_discrete(first: Raw, second: Raw, name: str) -> Iterator[Leak]:
    """Numbers that repeat: the commonest of them too often, and one that never occurs."""
    pooled = np.concatenate([first, second])
    unique, counts = np.unique(pooled, return_counts=True)
    common = unique[counts.argmax()]
    shares = float(np.mean(first == common)), float(np.mean(second == common))
    if max(shares) >= COMMON:
        yield Leak(f"{name} = {common!s} in place of another", "chance", put(common), shares)
    if pooled.dtype.kind != "b":
        top = unique[-1]
        if pooled.dtype.kind == "f":
            top = float(top) + (float(np.diff(unique).min()) if len(unique) > 1 else 1.0)
        elif int(top) < np.iinfo(pooled.dtype).max:
            top = top + np.array(1, pooled.dtype)
        else:
            return
        yield Leak(f"{name} = {top!s}, not seen otherwise,", "chance", put(top))


def _of_vectors(first: Raw, second: Raw) -> Iterator[Leak]:
    pooled = np.concatenate([first, second])
    width = pooled.shape[1]
    # The middle column, and the first and the last: nothing is special about them.
    j = width // 2
    inner = list(_of_numbers(first[:, j], second[:, j], f"coordinate {j}"))
    if inner:
        # The commonest value too often, or one exact value: in one coordinate.
        yield dataclasses.replace(inner[0], plant=_in_column(j, inner[0].plant))
    if not all(_continuous(pooled[:, k]) for k in {0, j, width - 1}):
        if len(inner) > 1 and inner[1].measure == "chance":
            yield dataclasses.replace(inner[1], plant=_in_column(j, inner[1].plant))
        return
    middles = [np.median(side, axis=0) for side in (first, second)]

    def less(outputs: Raw, dataset: int, size: float, rng: Rng) -> Raw:
        flat = outputs.reshape(len(outputs), -1)
        return put_noise(middles)(flat, dataset, size, rng).reshape(outputs.shape)

    def same(outputs: Raw, dataset: int, size: float, rng: Rng) -> Raw:
        flat = outputs.reshape(len(outputs), -1)
        return put(first[0])(flat, dataset, size, rng).reshape(outputs.shape)

    yield Leak("noise of all coordinates", "noise", less)
    yield Leak("one certain vector", "chance", same)
    if width > 1:
        words = f"whether coordinates 0 and {width - 1} lie on the same side of their medians"
        yield Leak(words, "bit", put_sign(0, width - 1, np.median(pooled, axis=0)))


def _of_records(first: Raw, second: Raw) -> Iterator[Leak]:
    """One field of each kind: numbers, then strings."""
    names = cast(tuple[str, ...], first.dtype.names)
    for kinds, count in (("biuf", 2), ("US", 1)):
        for name in names:
            field, other = first[name], second[name]
            if field.dtype.kind not in kinds or field.ndim != 1:
                continue
            if kinds == "US":
                fresh = _fresh({str(value) for value in [*field, *other]})
                leaks = [Leak(f"output.{name} = {fresh!r}", "chance", put(fresh))]
            else:
                leaks = list(_of_numbers(field, other, f"output.{name}"))[:count]
            yield from (dataclasses.replace(one, plant=_in_field(name, one.plant)) for one in leaks)
            break


def _of_symbols(first: list[Any], second: list[Any]) -> Iterator[Leak]:
    """Strings, None and numbers."""
    items = [*first, *second]
    words = [item for item in items if isinstance(item, str)]
    numbers = np.array([item for item in items if isinstance(item, float)])
    unique = len(set(words)) >= CONTINUOUS * len(words) and len(words) > 1
    common = Counter(item for item in items if not isinstance(item, float)).most_common(1)
    if common and not unique:
        value = common[0][0]
        shares = first.count(value) / len(first), second.count(value) / len(second)
        if max(shares) >= COMMON:
            words_of = f"output = {_brief(value)} in place of another"
            yield Leak(words_of, "chance", put_object(lambda output: value), shares)
    if words:
        fresh = _fresh(set(words))
        yield Leak(f"output = {fresh!r}, not seen otherwise,", "chance", put_object(lambda o: fresh))
    elif None not in items:
        yield Leak("output = None", "chance", put_object(lambda output: None))
    if unique:
        longer = put_object(
            lambda output: f"{output}{output[-1:] or 'x'}" if isinstance(output, str) else output
        )
        yield Leak("output longer by a character", "chance", longer)
    if len(numbers) > 1 and _continuous(numbers):
        place, _ = _middle_place(numbers)
        yield Leak(f"output = {place:.6g} exactly", "chance", put_object(lambda output: place))


def _of_containers(items: list[Any]) -> Iterator[Leak]:
    """Lists, dictionaries and whatever else holds parts: its length, one of its numbers, of its strings."""
    lists = [item for item in items if type(item) in (list, tuple) or isinstance(item, np.ndarray)]
    if len(lists) == len(items):
        longest = max(items, key=len)
        words = f"a length of {len(longest) + 1}, not seen otherwise,"
        yield Leak(words, "chance", put_object(lambda output: _longer(longest)))
    for kind in (float, str):
        for path, leaf in _leaves(items[0]):
            if type(leaf) is kind or (kind is float and isinstance(leaf, np.floating)):
                found = [value for item in items if (value := _at(item, path)) is not None]
                if kind is str:
                    value: Any = _fresh({str(f) for f in found})
                else:
                    numbers = np.array([f for f in found if isinstance(f, float)])
                    if len(numbers) < 2 or not _continuous(numbers):
                        continue
                    value = _middle_place(numbers)[0]
                put_there = put_object(lambda output, path=path, value=value: _replaced(output, path, value))
                shown = f"{value:.6g} exactly" if kind is float else repr(value)
                yield Leak(f"output{_path_words(path)} = {shown}", "chance", put_there)
                break
    yield Leak("None in place of the output", "chance", put_object(lambda output: None))


def _fresh(seen: set[str]) -> str:
    return next((word for word in FRESH if word not in seen), "~~")


def _brief(value: Any, most: int = 40) -> str:
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _is_leaf(item: Any) -> bool:
    return item is None or isinstance(item, (str, bytes, int, float, np.generic, Word))


# --- Parts of containers -----------------------------------------------------------------------------

Path = tuple[tuple[str, Any], ...]


def _leaves(item: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The leaves of an output with the way to each of them."""
    if isinstance(item, Mapping):
        for key, part in cast(Mapping[Any, Any], item).items():
            yield from _leaves(part, (*path, ("key", key)))
    elif dataclasses.is_dataclass(item) and not isinstance(item, type):
        for field in dataclasses.fields(item):
            yield from _leaves(getattr(item, field.name), (*path, ("field", field.name)))
    elif isinstance(item, (list, tuple)) or (isinstance(item, np.ndarray) and item.ndim == 1):
        for i, part in enumerate(cast(Sequence[Any], item)):
            yield from _leaves(part, (*path, ("key", i)))
    else:
        yield path, item


def _at(item: Any, path: Path) -> Any:
    """The leaf of another output at the same place; None where it has none there."""
    try:
        for kind, key in path:
            item = getattr(item, key) if kind == "field" else item[key]
    except (LookupError, TypeError, AttributeError):
        return None
    return item


def _replaced(item: Any, path: Path, value: Any) -> Any:
    """A copy of an output with another value at a place; as it is where there is no such place."""
    if _at(item, path) is None:
        return item
    if not path:
        return value
    (kind, key), rest = path[0], path[1:]
    part = _replaced(_at(item, path[:1]), rest, value)
    if kind == "field":
        return dataclasses.replace(item, **{key: part})
    if isinstance(item, tuple):
        parts = [part if i == key else old for i, old in enumerate(cast(tuple[Any, ...], item))]
        return type(item)(*parts) if hasattr(item, "_fields") else tuple(parts)
    found = copy.copy(item)
    found[key] = part
    return found


def _longer(item: Any) -> Any:
    """A list with its last item twice."""
    if isinstance(item, np.ndarray):
        return np.concatenate([item, item[-1:] if len(item) else np.zeros(1)])
    return item + (item[-1:] if len(item) else type(item)([0.0]))


def _path_words(path: Path) -> str:
    return "".join(f".{key}" if kind == "field" else f"[{key!r}]" for kind, key in path)
