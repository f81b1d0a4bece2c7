"""The law of a function of noise: two draws that are added, or values drawn anew."""

from __future__ import annotations

from typing import Any, Callable, Dict, FrozenSet, Optional, Set, Tuple

import numpy as np

from ..record.laws import reach
from ..record.session import own_rng, places_of
from ..record.values import flat
from ..records import BITS, Draw, Part, Recipe, Term

RESAMPLED, KEPT = 100_000, 2000
"""Values of a function of noise that are drawn to recognise its law; how many of them, in order, are kept."""
Known = Callable[[int], Optional[Draw]]
"""A draw, or a function of noise, by its name."""


def terms(known: Known, recipe: Recipe) -> Tuple[Term, ...]:
    """The laws of two draws whose sum a noise is, the second one with its sign; () where it is another
    function.

    An exponential number with a random sign is, as the difference of two such numbers, a Laplace number.
    """
    found = []
    parts, signs = recipe.parts, (1.0, -1.0 if recipe.function == "subtract" else 1.0)
    if recipe.function == "multiply":
        sizes = [part for part in parts if not _is_sign(known, part)]
        parts, signs = (sizes[0], sizes[0]) if len(sizes) == 1 == len(parts) - 1 else (), (1.0, -1.0)
    elif recipe.function not in ("add", "subtract") or recipe.method != "__call__":
        return ()
    for part, sign in zip(parts, signs):
        draws = places_of(part.ids)
        parent = known(next(iter(draws))) if len(draws) == 1 and part.argument is None else None
        if parent is None or parent.kind != "noise" or np.ptp(part.factor) != 0.0:
            return ()
        if recipe.function == "multiply" and parent.law != "exponential":
            return ()
        params = {name: flat(value) for name, value in parent.params.items()}
        if any(np.ndim(value) for value in params.values()):
            return ()
        found.append(Term(parent.law, params, sign * float(np.ravel(part.factor)[0])))
    return tuple(found)


def _is_sign(known: Known, part: Part) -> bool:
    """Whether a number is −1 or 1 by a fair coin."""
    draws = [known(index) for index in places_of(part.ids)]
    signs = [row for row in draws if row is not None and row.law == "choice" and row.again is not None]
    return bool(signs) and len(signs) == len(draws) and bool(np.all(np.abs(part.factor) == 1.0))


def resampled(known: Known, row: Draw) -> Any:
    """Values of one element of a function of noise, drawn anew; None where a law cannot be drawn again."""
    rng = own_rng(0)
    kept: Dict[int, Any] = {}
    parents = parents_of(known, row.index)
    single = known(next(iter(parents))) if len(parents) == 1 else None
    alone = single is not None and single.shape == () and single.law in ("uniform", "integers")

    def values(element: int) -> Any:
        index, entry = element >> BITS, element & ((1 << BITS) - 1)
        if index not in kept:
            kept[index] = drawn(known(index))
        return kept[index][:, entry]

    def drawn(draw: Optional[Draw]) -> Any:
        if draw is not None and draw.recipe is not None:
            return compute(draw.recipe)
        if alone and draw is not None:
            # One uniform number: its own quantiles, so that those of the function are exact.
            low, high = reach(draw.law, draw.params) or (float(draw.params[n]) for n in ("low", "high"))
            grid = low + (high - low) * (np.arange(RESAMPLED) + 0.5) / RESAMPLED
            return (np.floor(grid) if draw.law == "integers" else grid)[:, None]
        if draw is None or draw.again is None:
            raise LookupError
        return np.reshape(draw.again(rng, RESAMPLED, draw.shape), (RESAMPLED, -1))

    def operand(part: Part) -> Any:
        if part.ids is None:
            return part.argument
        columns = [values(int(e)) if e >= 0 else np.zeros(RESAMPLED) for e in np.ravel(part.ids)]
        array = np.stack(columns, axis=1).reshape((RESAMPLED, *np.shape(part.ids))) * part.factor
        return array if part.argument is None else array + part.argument

    def compute(recipe: Recipe) -> Any:
        operands = [operand(part) for part in recipe.parts]
        ufunc: Any = recipe.call or getattr(np, recipe.function)
        with np.errstate(all="ignore"):
            if recipe.method != "reduce":
                return np.reshape(ufunc(*operands), (RESAMPLED, -1))
            axis = recipe.options.get("axis", 0)
            axes = tuple(range(1, np.ndim(operands[0]))) if axis is None else axis
            axes = axes if isinstance(axes, tuple) else (axes + 1 if axes >= 0 else axes)
            return np.reshape(ufunc.reduce(operands[0], axis=axes), (RESAMPLED, -1))

    try:
        found = np.sort(drawn(row)[:, 0].astype(float))
    except (LookupError, ValueError, TypeError, IndexError):
        return None
    return found[RESAMPLED // KEPT // 2 :: RESAMPLED // KEPT]


def parents_of(known: Known, index: int) -> Set[int]:
    """The draws that a function of noise is made of."""
    row = known(index)
    if row is None or row.recipe is None:
        return {index}
    direct = set().union(*(places_of(part.ids) for part in row.recipe.parts))
    return set().union(*(parents_of(known, parent) for parent in direct))


def drawn_in(known: Known, ids: Any) -> Set[int]:
    """The draws that elements are made of, functions of noise seen through."""
    return set().union(*(parents_of(known, index) for index in places_of(ids)))


def elements_of(session: Any, element: int) -> FrozenSet[int]:
    """The elements of draws that an element of a function of noise is made of; itself where it is of a
    draw."""
    row = session.functions.get(element >> BITS)
    if row is None:
        return frozenset([element])
    entry = np.unravel_index(element & ((1 << BITS) - 1), row.shape or (1,))
    found: Set[int] = set()
    for part in (part for part in row.recipe.parts if part.ids is not None):
        ids = part.ids
        if row.recipe.method == "__call__" and getattr(getattr(np, row.recipe.function, None), "nin", 0):
            plain = getattr(np, row.recipe.function).signature is None
            ids = np.broadcast_to(ids, row.shape)[entry] if plain and row.shape else ids
        found |= set(np.ravel(ids).tolist()) - {-1}
    return frozenset().union(*(elements_of(session, int(e)) for e in found))


def radial(session: Any, index: int) -> Optional[Dict[str, float]]:
    """The scale θ of a function of noise that is g·z/‖z‖, for z normal in d dimensions and g of the law
    Gamma(d, θ): its density is a multiple of exp(−‖x‖/θ) (Chaudhuri, Monteleoni and Sarwate 2011, Algorithm
    1). None for other functions."""
    row = session.functions.get(index)
    parents = [] if row is None else [session.rows.get(k) for k in parents_of(session.row, index)]
    laws = {parent.law: parent for parent in parents if parent is not None}
    if len(parents) != 2 or set(laws) != {"gamma", "normal"}:
        return None
    use = next((use for use in session.uses if places_of(use.ids) == {index}), None)
    if use is None or np.ptp(use.factor) != 0.0:
        return None
    length, direction = (laws[name].value for name in ("gamma", "normal"))
    widths = [laws["normal"].params["scale"], *(laws["gamma"].params[name] for name in ("shape", "scale"))]
    if np.ndim(direction) != 1 or any(map(np.ndim, [length, *widths])) or widths[1] != direction.size:
        return None
    noise = (use.value - use.argument) / use.factor
    known = length * direction / np.linalg.norm(direction)
    alike = np.shape(noise) == known.shape and np.allclose(np.abs(noise), np.abs(known), rtol=1e-6)
    return {"scale": float(widths[2])} if alike and laws["normal"].argument is None else None
