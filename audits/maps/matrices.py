"""Arrays of two dimensions, as OpenDP's NumPy functions take them: rows within a norm of an origin."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from audits.maps.domains import Atom, Opaque

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

COLUMNS = 2
"""Columns of an array whose domain names no number of them."""


@dataclass(frozen=True, slots=True)
class Point:
    """Rows of numbers, at most `norm` from `origin` in the norm of that order, where there is one."""

    atom: Atom
    columns: int
    norm: float | None = None
    order: int = 2
    origin: tuple[float, ...] = ()

    def holds(self, row: Any) -> bool:
        import numpy as np

        if not all(map(self.atom.holds, row)):
            return False
        shifted = np.array([row]) - np.array(self.origin or [0.0] * self.columns)
        return self.norm is None or bool(np.linalg.norm(shifted, ord=self.order, axis=1).max() <= self.norm)

    def strategy(self) -> SearchStrategy[tuple[Any, ...]]:
        from hypothesis import strategies as st

        if self.norm is None:
            return st.tuples(*[self.atom.strategy()] * self.columns)
        norm, origin = self.norm, self.origin or (0.0,) * self.columns
        parts = [0.0, norm, -norm, norm / 2, -norm / 2, norm / self.columns, norm / math.sqrt(self.columns)]
        offsets = st.tuples(*[st.sampled_from(parts)] * self.columns)
        return offsets.map(lambda row: tuple(a + b for a, b in zip(origin, row, strict=True))).filter(
            self.holds
        )

    def __str__(self) -> str:
        within = "" if self.norm is None else f" within {self.norm:g} in the norm of order {self.order}"
        return f"rows of {self.columns} × {self.atom}{within}"


def points_of(descriptor: Any) -> Point | Opaque:
    """The rows of an NPArray2Domain by its descriptor."""
    kind = str(descriptor.T)
    if getattr(descriptor, "cardinalities", None) is not None or kind not in ("f32", "f64", "i32", "i64"):
        return Opaque(f"an array of {kind} with cardinalities, or of a type that is not known here")
    columns = descriptor.num_columns or COLUMNS
    origin = () if descriptor.origin is None else tuple(float(x) for x in descriptor.origin.ravel())
    origin = origin * columns if len(origin) == 1 else origin
    return Point(Atom(kind, nan=bool(descriptor.nan)), columns, descriptor.norm, descriptor.p or 2, origin)


def made(point: Point) -> Callable[[Any], Any]:
    """Rows → an array."""

    def array(rows: Any) -> Any:
        import numpy as np

        return np.array(rows, dtype=_dtype(point)).reshape(-1, point.columns)

    return array


def code(point: Point) -> Callable[[Any], str]:
    """The same in Python."""
    numbers = {"nan": "np.nan", "inf": "np.inf"}

    def written(rows: Any) -> str:
        text = re.sub(r"\b(nan|inf)\b", lambda found: numbers[found[1]], repr([list(row) for row in rows]))
        return f"np.array({text}, dtype={_dtype(point)!r}).reshape(-1, {point.columns})"

    return written


def _dtype(point: Point) -> str:
    return {"f32": "float32", "f64": "float64", "i32": "int32", "i64": "int64"}[point.atom.kind]
