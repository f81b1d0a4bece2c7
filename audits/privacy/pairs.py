"""Neighbouring pairs and mechanisms: what is checked before a sample is drawn, and what at every draw."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, cast

import numpy as np

from implementations.interfaces import Adjacency

Pair = tuple[Any, Any]
Pairs = Iterable[Pair] | Callable[[np.random.Generator], Iterable[Pair]]
AdjacencyLike = str | Adjacency | Callable[[Any, Any], bool]

MAX_PAIRS = 64
"""A generator of pairs may be endless: no more than this many are taken from it."""


def each(f: Callable[..., Any]) -> Callable[..., Any]:
    """A mechanism from `f(data, rng)` that draws one output a call.

    The result is `mechanism(data, size, rng) -> array (size, …)`; it loops, so it is as slow as `f`.

    >>> noisy = each(lambda data, rng: data + rng.normal())
    >>> noisy(0.0, 3, np.random.default_rng(0)).shape
    (3,)
    """

    def mechanism(data: Any, size: int, rng: np.random.Generator | None = None) -> Any:
        arguments = (data,) if rng is None else (data, rng)
        return stack([f(*arguments) for _ in range(size)])

    mechanism.replayable = getattr(f, "replayable", True)  # type: ignore[attr-defined]
    return mechanism


def unseeded(f: Callable[..., Any]) -> Callable[..., Any]:
    """A mechanism from `f(data, size)` that draws its randomness from somewhere else than a generator.

    The audit's result says that it cannot be replayed. `each(unseeded(f))` and `unseeded(each(f))` both wrap
    an
    `f(data)` that draws one output a call.
    """

    def mechanism(*arguments: Any) -> Any:
        return f(*arguments[:-1])

    mechanism.replayable = False  # type: ignore[attr-defined]
    return mechanism


def is_replayable(mechanism: Callable[..., Any]) -> bool:
    """False for mechanisms wrapped by `unseeded`."""
    return bool(getattr(mechanism, "replayable", True))


def stack(outputs: Sequence[Any]) -> np.ndarray[Any, Any]:
    """Outputs one by one → an array, outputs along the first axis; mixed or ragged ones become objects."""
    try:
        array = np.asarray(outputs)
    except ValueError:
        array = None
    # NumPy turns [1.0, "a"] into strings: keep what the mechanism said.
    if array is not None and not (array.dtype.kind in "US" and not all(isinstance(o, str) for o in outputs)):
        return array
    objects = np.empty(len(outputs), dtype=object)
    for i, output in enumerate(outputs):
        objects[i] = output
    return objects


def take_pairs(pairs: Pairs, rng: np.random.Generator, adjacency: AdjacencyLike) -> list[Pair]:
    """The pairs to audit, each checked to be neighbouring. Raises ValueError naming the first that is not."""
    try:
        found = list(itertools.islice(pairs(rng), MAX_PAIRS)) if callable(pairs) else list(pairs)
    except Exception as error:
        what = f"pairs(rng) raised {error!r}" if callable(pairs) else f"got {_brief(pairs)}"
        raise ValueError(
            f"pairs must hold or yield pairs (D, D′) of neighbouring datasets: {what}"
        ) from error
    if not found:
        raise ValueError("pairs must hold at least one pair of neighbouring datasets, got none")
    relation = adjacency_relation(adjacency)
    checked: list[Pair] = []
    for i, pair in enumerate(found):
        # An array that stands for a pair of rows, or a dictionary, would unpack into something meaningless.
        whole: Any = pair
        if not isinstance(whole, (tuple, list)) or len(cast(Sequence[Any], whole)) != 2:
            raise ValueError(f"pairs must hold tuples (D, D′), got {_brief(pair)} at place {i}")
        first, second = pair
        reason = relation(first, second)
        if reason is not None:
            raise ValueError(f"pairs[{i}] is not a neighbouring pair: {reason}")
        checked.append((first, second))
    return checked


def adjacency_relation(adjacency: AdjacencyLike) -> Callable[[Any, Any], str | None]:
    """The relation as a function (D, D′) → None where they are neighbours, else the reason why not."""
    if callable(adjacency) and not isinstance(adjacency, str):
        test = adjacency

        def by_function(first: Any, second: Any) -> str | None:
            try:
                answer = bool(test(first, second))
            except Exception as error:
                return f"the adjacency function raised {error!r}"
            return (
                None if answer else f"the adjacency function says no to {_brief(first)} and {_brief(second)}"
            )

        return by_function
    try:
        kind = Adjacency(adjacency)
    except ValueError:
        known = [str(a) for a in Adjacency]
        raise ValueError(
            f"adjacency must be one of {known} or a function (D, D′) -> bool, got {adjacency!r}"
        ) from None
    return {
        Adjacency.REPLACE: _replace,
        Adjacency.REPLACE_ITEM: _replace_item,
        Adjacency.ADD_REMOVE: _add_remove,
    }[kind]


def _replace(first: Any, second: Any) -> str | None:
    a, b = _records(first), _records(second)
    if isinstance(a, str) or isinstance(b, str):
        return a if isinstance(a, str) else cast(str, b)
    if len(a) != len(b):
        return f'"replace" needs as many records in both, got {len(a)} and {len(b)}'
    changed = sum((Counter(a) - Counter(b)).values())
    return None if changed <= 1 else f'"replace" allows one different record, got {changed}'


def _add_remove(first: Any, second: Any) -> str | None:
    a, b = _records(first), _records(second)
    if isinstance(a, str) or isinstance(b, str):
        return a if isinstance(a, str) else cast(str, b)
    if abs(len(a) - len(b)) != 1:
        return f'"add-remove" needs one record more in one of them, got {len(a)} and {len(b)} records'
    small, large = (a, b) if len(a) < len(b) else (b, a)
    missing = sum((Counter(small) - Counter(large)).values())
    return None if missing == 0 else f'"add-remove" allows one added record, got {missing} more that differ'


def _replace_item(first: Any, second: Any) -> str | None:
    try:
        users = list(first), list(second)
    except TypeError:
        return f"a dataset must be a sequence of users, got {_brief(first)}"
    if len(users[0]) != len(users[1]):
        return f'"replace-item" needs as many users in both, got {len(users[0])} and {len(users[1])}'
    changed = 0
    for a, b in zip(*users, strict=True):
        items = _records(a), _records(b)
        if isinstance(items[0], str) or isinstance(items[1], str):
            return 'a user must be a sequence of items under "replace-item"'
        if len(items[0]) != len(items[1]):
            return (
                f'"replace-item" keeps the number of items of a user, got {len(items[0])} and {len(items[1])}'
            )
        changed += sum((Counter(items[0]) - Counter(items[1])).values())
    return None if changed <= 1 else f'"replace-item" allows one different item, got {changed}'


def _records(data: Any) -> list[Hashable] | str:
    """The records as hashable keys, or the reason why there are none."""
    if hasattr(data, "to_numpy"):
        data = data.to_numpy()
    if isinstance(data, np.ndarray) and data.ndim == 0:
        data = data.item()
    if isinstance(data, (str, bytes)) or not hasattr(data, "__len__") or not hasattr(data, "__getitem__"):
        return (
            f"a dataset must be a sequence of records, got {_brief(data)}; "
            "for other datasets pass a function (D, D′) -> bool as adjacency"
        )
    if isinstance(data, dict):
        return "a dataset must be a sequence of records, got a dictionary; pass a function as adjacency"
    return [_key(record) for record in data]


def _key(record: Any) -> Hashable:
    if isinstance(record, np.generic):
        record = record.item()
    if isinstance(record, np.ndarray) and record.dtype != object:
        return (record.shape, tuple(record.ravel().tolist()))
    if isinstance(record, (list, tuple, np.ndarray)):
        return tuple(_key(part) for part in cast(Sequence[Any], record))
    return record if isinstance(record, Hashable) else repr(record)


def _brief(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else text[:79] + "…"


def draw(
    mechanism: Callable[..., Any], data: Any, size: int, rng: np.random.Generator, where: str
) -> np.ndarray[Any, Any]:
    """`size` outputs of the mechanism, first axis first. `where` names the dataset in messages.

    Raises ValueError where the mechanism raises, returns another number of outputs, or NaN.
    """
    try:
        raw = mechanism(data, size, rng)
    except Exception as error:
        raise ValueError(f"mechanism raised {type(error).__name__}({error}) on {where}") from error
    outputs = raw if isinstance(raw, np.ndarray) else _listed(raw, where)
    if outputs.ndim == 0 or len(outputs) != size:
        got = "a single value" if outputs.ndim == 0 else f"{len(outputs)} outputs (shape {outputs.shape})"
        raise ValueError(f"mechanism must return {size} outputs along the first axis on {where}, got {got}")
    if outputs.dtype.kind in "fc" and np.isnan(outputs).any():
        raise ValueError(f"mechanism must not return NaN, got one on {where}; use None for a failure symbol")
    return outputs


def _listed(raw: Any, where: str) -> np.ndarray[Any, Any]:
    if isinstance(raw, (str, bytes)) or not isinstance(raw, Sequence):
        if hasattr(raw, "__array__"):
            return np.asarray(raw)
        raise ValueError(f"mechanism must return an array or a list of outputs, got {_brief(raw)} on {where}")
    return stack(cast(Sequence[Any], raw))
