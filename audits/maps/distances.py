"""Distances between two outputs, exact: fractions and their squares, never a rounded number.

Where a definition leaves room, the smaller distance is taken: a violation is then one under every reading.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

NAN = "NaN"
"""NaN as a record that equals itself."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A distance as its power: ``distance**order`` is `power`, None where the distance is infinite.

    why   what makes it infinite, in words.
    """

    power: Fraction | None
    order: int = 1
    why: str = ""

    def exceeds(self, stated: Any) -> bool:
        """Whether the distance is larger than the stated one, exactly; an infinite claim is none."""
        limit = float(stated) if not isinstance(stated, int | Fraction) else stated
        if limit == math.inf:
            return False
        return self.power is None or limit < 0 or self.power > Fraction(limit) ** self.order

    @property
    def value(self) -> float:
        """The distance, rounded down to a number of 64 bits at most by one unit in the last place."""
        if self.power is None:
            return math.inf
        try:
            return float(self.power) if self.order == 1 else math.sqrt(float(self.power))
        except OverflowError:
            return math.inf

    def share(self, stated: Any) -> float:
        """The distance as a share of the stated one, at most 1; 0 where nothing is to be climbed."""
        limit = float(stated)
        return min(self.value / limit, 1.0) if 0.0 < limit < math.inf else 0.0

    def __str__(self) -> str:
        if self.power is None:
            return f"infinite ({self.why})" if self.why else "infinite"
        whole = self.order == 1 and self.power.denominator == 1
        return str(self.power.numerator) if whole else f"{self.value!r}"


@dataclass(frozen=True, slots=True)
class Gaps:
    """Distances that are stated together: how many coordinates change, by how much in all and at most."""

    parts: tuple[Gap, ...]

    def exceeds(self, stated: Any) -> bool:
        """Whether one of them is larger than the stated one."""
        return any(part.exceeds(limit) for part, limit in zip(self.parts, stated, strict=True))

    @property
    def value(self) -> float:
        return max(part.value for part in self.parts)

    def share(self, stated: Any) -> float:
        return max(part.share(limit) for part, limit in zip(self.parts, stated, strict=True))

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.parts))})"


def gap(metric: str, first: Any, second: Any) -> Gap | Gaps:
    """The distance of two outputs in a metric of `METRICS`.

    >>> str(gap("l1", [1, 2], [3, 2])), str(gap("symmetric", [1, 1], [1, 2, 3])), str(gap("l2", [0.0], [3.0]))
    ('2', '3', '3.0')
    """
    return METRICS[metric](first, second)


def exact(value: Any) -> Fraction | None:
    """A finite number as a fraction; None for NaN and infinity.

    Booleans count as 0 and 1, and scalars of NumPy as the Python numbers that they are.
    """
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return Fraction(value)


def _numbers(pairs: Iterable[tuple[Any, Any]]) -> list[Fraction] | str:
    """The differences of two rows of numbers; a sentence where one of them is infinite."""
    found: list[Fraction] = []
    for first, second in pairs:
        a, b = exact(first), exact(second)
        if a is not None and b is not None:
            found.append(abs(a - b))
        elif compared(first) != compared(second):
            return f"{first!r} against {second!r}"
    return found


def _absolute(first: Any, second: Any) -> Gap:
    return _norm([first], [second], sum)


def _aligned(first: Any, second: Any) -> list[tuple[Any, Any]] | str:
    """Coordinates of two vectors or dictionaries beside each other: a key that is missing counts 0."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return [(first.get(key, 0), second.get(key, 0)) for key in {**first, **second}]
    first, second = _flat(first), _flat(second)
    if len(first) != len(second):
        return f"{len(first)} numbers against {len(second)}"
    return list(zip(first, second, strict=True))


def _flat(value: Any) -> list[Any]:
    return value.ravel().tolist() if hasattr(value, "ravel") else list(value)


def _norm(first: Any, second: Any, total: Callable[[list[Fraction]], Any], order: int = 1) -> Gap:
    pairs = _aligned(first, second)
    differences = pairs if isinstance(pairs, str) else _numbers(pairs)
    if isinstance(differences, str):
        return Gap(None, order, differences)
    return Gap(Fraction(total([d**order for d in differences])), order)


def _symmetric(first: Any, second: Any) -> Gap:
    a, b = _bag(first), _bag(second)
    return Gap(Fraction(((a - b) + (b - a)).total()))


def _symmetric_id(first: Any, second: Any) -> Gap:
    """Identifiers, the first of each record, whose records differ: no fewer can be added or removed."""
    a, b = _bag(first), _bag(second)
    return Gap(Fraction(len({record[0] for record in (a - b) + (b - a)})))


def _change_one(first: Any, second: Any) -> Gap:
    a, b = _bag(first), _bag(second)
    if a.total() != b.total():
        return Gap(None, 1, f"{a.total()} records against {b.total()}")
    return Gap(Fraction((a - b).total()))


def _hamming(first: Any, second: Any) -> Gap:
    a, b = records(first), records(second)
    if len(a) != len(b):
        return Gap(None, 1, f"{len(a)} records against {len(b)}")
    return Gap(Fraction(sum(compared(x) != compared(y) for x, y in zip(a, b, strict=True))))


def _insert_delete(first: Any, second: Any) -> Gap:
    """Length of both less twice the longest common subsequence."""
    a, b = [*map(compared, records(first))], [*map(compared, records(second))]
    row = [0] * (len(b) + 1)
    for x in a:
        previous, row = row, [0]
        for place, y in enumerate(b):
            row.append(previous[place] + 1 if x == y else max(row[-1], previous[place + 1]))
    return Gap(Fraction(len(a) + len(b) - 2 * row[-1]))


def _discrete(first: Any, second: Any) -> Gap:
    return Gap(Fraction(int(compared(first) != compared(second))))


def _monotonic(first: Any, second: Any) -> Gap:
    """The largest difference, infinite where one score rises and another falls."""
    pairs = _aligned(first, second)
    if not isinstance(pairs, str):
        changes = [(exact(a), exact(b)) for a, b in pairs]
        signs = {b > a for a, b in changes if a is not None and b is not None and a != b}
        if len(signs) == 2:
            return Gap(None, 1, "one score rises and another falls")
    return _norm(first, second, _largest)


def _partitioned(first: Any, second: Any, order: int) -> Gaps:
    changed = _norm(first, second, lambda differences: sum(d > 0 for d in differences))
    return Gaps((changed, _norm(first, second, sum, order), _norm(first, second, _largest)))


def _largest(differences: list[Fraction]) -> Any:
    return max(differences, default=0)


def records(value: Any) -> list[Any]:
    """The records of a dataset: items of a list, rows of an array or of a frame, lines of nothing else."""
    if hasattr(value, "collect"):
        value = value.collect()
    if hasattr(value, "rows"):  # a frame of Polars
        return list(value.rows())
    return [*value]


def _bag(value: Any) -> Counter[Any]:
    return Counter(map(compared, records(value)))


def compared(value: Any) -> Any:
    """A record as something that can be compared: NaN equals NaN, and −0 equals 0."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, float):
        return NAN if math.isnan(value) else value
    if isinstance(value, Mapping):
        return frozenset((compared(k), compared(v)) for k, v in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return tuple(map(compared, value))
    return value


def leaves(value: Any) -> list[float]:
    """The finite numbers in a value, of any nesting."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, Mapping):
        return leaves([*value.values()])
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [number for one in value for number in leaves(one)]
    return [float(value)] if isinstance(value, int | float) and math.isfinite(value) else []


METRICS: dict[str, Callable[[Any, Any], Gap | Gaps]] = {
    "l0-l1-linf": lambda a, b: _partitioned(a, b, 1),
    "l0-l2-linf": lambda a, b: _partitioned(a, b, 2),
    "absolute": _absolute,
    "l1": lambda a, b: _norm(a, b, sum),
    "l2": lambda a, b: _norm(a, b, sum, 2),
    "linf": lambda a, b: _norm(a, b, _largest),
    "linf-monotonic": _monotonic,
    "discrete": _discrete,
    "symmetric": _symmetric,
    "symmetric-id": _symmetric_id,
    "insert-delete": _insert_delete,
    "change-one": _change_one,
    "hamming": _hamming,
}
