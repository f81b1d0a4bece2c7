"""Distances between two outputs, exact: fractions and their squares, never a rounded number.

Where a definition leaves room, the smaller distance is taken: a violation is then one under every reading.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeGuard

from audits.values import key

Differences = list[Fraction] | None


@dataclass(frozen=True, slots=True)
class Gap:
    """A distance as its powers, None where it is infinite: (d,) or (d²,), as `orders` has it.

    OpenDP states three together for some dictionaries: how many numbers differ, by how much in all, at most.
    """

    powers: tuple[Fraction | None, ...]
    orders: tuple[int, ...] = (1,)

    def exceeds(self, stated: Any) -> bool:
        """Whether the distance is larger than the stated one, exactly; an infinite claim is none."""
        each = zip(self.powers, self.orders, _tuple(stated), strict=True)
        return any(
            limit != math.inf and (power is None or limit < 0 or power > Fraction(limit) ** order)
            for power, order, limit in each
        )

    @property
    def values(self) -> tuple[float, ...]:
        """The distances as numbers of 64 bits."""
        return tuple(_root(power, order) for power, order in zip(self.powers, self.orders, strict=True))

    def share(self, stated: Any) -> float:
        """The distance as a share of the stated one, at most 1; 0 where nothing is to be climbed."""
        shares = [v / float(limit) for v, limit in zip(self.values, _tuple(stated), strict=True) if limit > 0]
        return min(1.0, max(shares, default=0.0))

    def __str__(self) -> str:
        texts = ["infinite" if v == math.inf else f"{v:.17g}" for v in self.values]
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _tuple(stated: Any) -> tuple[Any, ...]:
    numbers = stated if isinstance(stated, tuple) else (stated,)
    return tuple(one if isinstance(one, int | Fraction) else float(one) for one in numbers)


def _root(power: Fraction | None, order: int) -> float:
    try:
        return math.inf if power is None else float(power) if order == 1 else math.sqrt(power)
    except OverflowError:
        return math.inf


def gap(metric: str, first: Any, second: Any) -> Gap:
    """The distance of two outputs in a metric of `METRICS`.

    >>> str(gap("l1", [1, 2], [3, 2])), str(gap("symmetric", [1, 1], [1, 2, 3])), str(gap("l2", [0.0], [3.0]))
    ('2', '3', '3')
    """
    return METRICS[metric](first, second)


# --- numbers ----------------------------------------------------------------------------------------------


def exact(value: Any) -> Fraction | None:
    """A finite number as a fraction; None for NaN and infinity."""
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else Fraction(value)


def coordinates(first: Any, second: Any) -> list[tuple[Any, Any]] | None:
    """Numbers beside each other, of any nesting: a missing key counts 0; None for lists of two lengths."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        names = {**first, **second}
        parts = [coordinates(first.get(name, 0), second.get(name, 0)) for name in names]
    elif is_list(first := plain(first)) and is_list(second := plain(second)):
        if len(first) != len(second):
            return None
        parts = [coordinates(a, b) for a, b in zip(first, second, strict=True)]
    else:
        return [(first, second)]
    return None if None in parts else [pair for part in parts for pair in part or ()]


def _differences(first: Any, second: Any) -> Differences:
    """How far each number moves; None where one of them moves infinitely far."""
    found: list[Fraction] = []
    for a, b in (pairs := coordinates(first, second)) or ():
        x, y = exact(a), exact(b)
        if x is not None and y is not None:
            found.append(abs(x - y))
        elif key(a) != key(b):
            return None
    return None if pairs is None else found


def _norm(differences: Differences, order: float) -> Fraction | None:
    """The norm of order 0, 1, 2 (its square), or infinity."""
    if differences is None:
        return None
    if order == math.inf:
        return max(differences, default=Fraction(0))
    return Fraction(sum((d**order if order else d > 0) for d in differences))


def _norms(*orders: float) -> Callable[[Any, Any], Gap]:
    def measured(first: Any, second: Any) -> Gap:
        differences = _differences(first, second)
        powers = tuple(_norm(differences, order) for order in orders)
        return Gap(powers, tuple(2 if order == 2 else 1 for order in orders))

    return measured


def _monotonic(first: Any, second: Any) -> Gap:
    """The largest difference, infinite where one score rises and another falls."""
    changes = [(exact(a), exact(b)) for a, b in coordinates(first, second) or ()]
    signs = {b > a for a, b in changes if a is not None and b is not None and a != b}
    return Gap((None,)) if len(signs) == 2 else METRICS["linf"](first, second)


# --- records ----------------------------------------------------------------------------------------------


def _symmetric(first: Any, second: Any) -> int:
    return _changed(first, second).total()


def _symmetric_id(first: Any, second: Any) -> int:
    """Identifiers, the first of each record, whose records differ: no fewer can be added or removed."""
    return len({identifier for _, identifier, *_ in _changed(first, second)})


def _changed(first: Any, second: Any) -> Counter[Any]:
    a, b = Counter(map(key, first)), Counter(map(key, second))
    return (a - b) + (b - a)


def _change_one(first: Any, second: Any) -> int | None:
    return None if len(first) != len(second) else _symmetric(first, second) // 2


def _hamming(first: Any, second: Any) -> int | None:
    if len(first) != len(second):
        return None
    return sum(key(x) != key(y) for x, y in zip(first, second, strict=True))


def _insert_delete(first: Any, second: Any) -> int:
    """Length of both less twice the longest common subsequence."""
    a, b = [*map(key, first)], [*map(key, second)]
    row = [0] * (len(b) + 1)
    for x in a:
        previous, row = row, [0]
        for place, y in enumerate(b):
            row.append(previous[place] + 1 if x == y else max(row[-1], previous[place + 1]))
    return len(a) + len(b) - 2 * row[-1]


def _counted(count: Callable[[Any, Any], int | None]) -> Callable[[Any, Any], Gap]:
    def measured(first: Any, second: Any) -> Gap:
        found = count(first, second)
        return Gap((None if found is None else Fraction(found),))

    return measured


def plain(value: Any) -> Any:
    """Arrays and their scalars as lists and numbers."""
    return value.tolist() if hasattr(value, "tolist") else value


def is_list(value: Any) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


METRICS: dict[str, Callable[[Any, Any], Gap]] = {
    "absolute": _norms(1),
    "l1": _norms(1),
    "l2": _norms(2),
    "linf": _norms(math.inf),
    "linf-monotonic": _monotonic,
    "l0-l1-linf": _norms(0, 1, math.inf),
    "l0-l2-linf": _norms(0, 2, math.inf),
    "discrete": _counted(lambda first, second: int(key(first) != key(second))),
    "symmetric": _counted(_symmetric),
    "symmetric-id": _counted(_symmetric_id),
    "insert-delete": _counted(_insert_delete),
    "change-one": _counted(_change_one),
    "hamming": _counted(_hamming),
}
"""Name of a metric → the distance."""
