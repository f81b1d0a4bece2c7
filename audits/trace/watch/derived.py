"""The law of a function of noise: two draws that are added, or values drawn anew."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Set, Tuple

import numpy as np

from .coins import reach
from .session import BITS, Session, own_rng
from .shifts import row_of
from .values import flat

RESAMPLED, KEPT = 100_000, 2000
"""Values of a function of noise that are drawn to recognise its law; how many of them, in order, are kept."""


def sampler(law: str, params: Dict[str, Any]) -> Callable[[Any, int, Tuple[int, ...]], Any]:
    """A function (rng, count, shape) → `count` independent draws of the law."""

    def sample(rng: Any, count: int, shape: Tuple[int, ...]) -> Any:
        values = {k: v for k, v in params.items() if v is not None}
        if law == "exponential" and "rate" in values:
            values = {"scale": 1.0 / values["rate"]}
        return getattr(rng, law)(**values, size=(count,) + shape)

    return sample


def simple(session: Session, row: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """The function and the laws of two draws whose sum or difference a noise is; None where it is another
    one."""
    recipe = row["recipe"]
    if (
        recipe["function"] not in ("add", "subtract")
        or len(recipe["parents"]) != 2
        or recipe["method"] != "__call__"
    ):
        return None
    laws = []
    for ids, factor, argument in zip(recipe["parents"], recipe["factors"], recipe["arguments"]):
        if ids is None or np.size(ids) == 0 or argument is not None:
            return None
        draws = {int(e) >> BITS for e in np.ravel(ids)}
        parent = row_of(session, next(iter(draws))) if len(draws) == 1 else None
        if parent is None or parent["kind"] != "noise" or np.ptp(factor) != 0.0:
            return None
        params = {name: flat(value) for name, value in parent["params"].items()}
        if any(np.ndim(value) for value in params.values()):
            return None
        laws.append({"law": parent["law"], "params": params, "factor": float(np.ravel(factor)[0])})
    return {"function": recipe["function"], "laws": laws}


def resampled(session: Session, index: int) -> Any:
    """Values of one element of a function of noise, drawn anew; None where a law cannot be drawn again."""
    rng = own_rng(0)
    kept: Dict[int, Any] = {}
    parents = parents_of(session, index)
    rows = [session.rows.get(parent) for parent in parents]
    single = len(rows) == 1 and rows[0] is not None and rows[0]["shape"] == ()
    single = single and rows[0] is not None and rows[0]["law"] in ("uniform", "integers")
    alone = parents if single else set()

    def values(element: int) -> Any:
        place, entry = element >> BITS, element & ((1 << BITS) - 1)
        row = row_of(session, place)
        if row is None:
            raise LookupError
        if place not in kept:
            if row["kind"] == "derived":
                kept[place] = compute(row)
            elif alone == {place}:
                # One uniform number: its own quantiles, so that those of the function are exact.
                bounds = reach(row) if row["law"] == "integers" else None
                low, high = bounds or (float(row["params"][name]) for name in ("low", "high"))
                grid = low + (high - low) * (np.arange(RESAMPLED) + 0.5) / RESAMPLED
                kept[place] = (np.floor(grid) if row["law"] == "integers" else grid)[:, None]
            elif row.get("again") is not None:
                kept[place] = np.reshape(row["again"](rng, RESAMPLED, tuple(row["shape"])), (RESAMPLED, -1))
            else:
                raise LookupError
        return kept[place][:, entry]

    def compute(row: Dict[str, Any]) -> Any:
        recipe = row["recipe"]
        operands = []
        for ids, constant, factor, argument in zip(
            recipe["parents"], recipe["constants"], recipe["factors"], recipe["arguments"]
        ):
            if ids is None:
                operands.append(constant)
                continue
            columns = [values(int(e)) if e >= 0 else np.zeros(RESAMPLED) for e in np.ravel(ids)]
            array = np.stack(columns, axis=1).reshape((RESAMPLED,) + np.shape(ids)) * factor
            operands.append(array if argument is None else array + argument)
        ufunc = recipe.get("call") or getattr(np, recipe["function"])
        with np.errstate(all="ignore"):
            if recipe["method"] == "reduce":
                axis = recipe["options"].get("axis", 0)
                axes = tuple(range(1, np.ndim(operands[0]))) if axis is None else axis
                axes = axes if isinstance(axes, tuple) else (axes + 1 if axes >= 0 else axes)
                return np.reshape(ufunc.reduce(operands[0], axis=axes), (RESAMPLED, -1))
            return np.reshape(ufunc(*operands), (RESAMPLED, -1))

    try:
        found = np.sort(compute(session.functions[index])[:, 0].astype(float))
    except (LookupError, ValueError, TypeError, IndexError):
        return None
    return found[RESAMPLED // KEPT // 2 :: RESAMPLED // KEPT]


def parents_of(session: Session, index: int) -> Set[int]:
    """The draws that a function of noise is made of."""
    row = session.functions.get(index)
    if row is None:
        return {index}
    found: Set[int] = set()
    for ids in row["recipe"]["parents"]:
        for parent in {int(e) >> BITS for e in np.ravel(ids) if e >= 0} if ids is not None else ():
            found |= parents_of(session, parent)
    return found
