"""Neighbours: for a member of a domain another one, at a distance of at most d_in in the input metric.

What a strategy proposes is measured in exact arithmetic before it is used: a pair that is farther apart, or
not in the domain, is none.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from audits.maps.distances import gap
from audits.maps.domains import Vector

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

DATASETS = ("symmetric", "insert-delete", "change-one", "hamming")
"""Metrics that count records."""
ADDED = ("symmetric", "insert-delete")
"""Those in which a replaced record counts twice, as it is removed and added."""
COUNTS = (1, 2, 3, 4, 7)
REALS = (1.0, 2.0, 0.5, 0.1, 3.0, 1e-3, 1e6)


def distances(metric: str, domain: Any) -> tuple[Any, ...]:
    """The distances d_in that are tried, the simplest first."""
    if metric == "discrete":
        return (1,)
    if metric == "symmetric-id":
        return COUNTS[:3]
    if metric in DATASETS:
        # Datasets of one size are an even symmetric distance apart.
        return (2, 4, 1, 3) if metric in ADDED and getattr(domain, "size", None) is not None else COUNTS
    return REALS if getattr(domain, "element", domain).is_float else COUNTS


def pairs(domain: Any, metric: str, choices: tuple[Any, ...]) -> SearchStrategy[tuple[Any, Any, Any]]:
    """(first, second, d_in) with first and second in the domain, at most d_in apart."""
    from hypothesis import assume
    from hypothesis import strategies as st

    members = domain.strategy()
    moved = {"symmetric-id": _users} | dict.fromkeys(DATASETS, _edited)

    @st.composite
    def pair(draw: DrawFn) -> tuple[Any, Any, Any]:
        d_in, first = draw(st.sampled_from(choices)), draw(members)
        move = moved.get(metric, _moved)
        second = draw(members) if metric == "discrete" else move(draw, domain, first, d_in, metric)
        assume(domain.holds(second) and not gap(metric, first, second).exceeds(d_in))
        assume(not isinstance(domain, Vector) or domain.together(first, second))
        return (second, first, d_in) if draw(st.booleans()) else (first, second, d_in)

    return pair()


def _edited(draw: DrawFn, domain: Any, first: Any, d_in: int, metric: str) -> list[Any]:
    """Records are added, removed and replaced; the order is changed where the metric does not see it."""
    from hypothesis import strategies as st

    second, left = list(first), int(d_in)
    free = metric in ADDED and getattr(domain, "size", None) is None
    price = 2 if metric in ADDED else 1
    while kinds := (["remove", "add"] if free and left else []) + (["replace"] if left >= price else []):
        kind = draw(st.sampled_from(kinds))
        left -= price if kind == "replace" else 1
        place = draw(st.integers(0, max(len(second) - 1, 0)))
        if kind != "add":
            if not second:
                continue
            del second[place]
        if kind != "remove":
            # The order does not stay where the metric allows an insertion elsewhere.
            place = place if price == 1 else draw(st.integers(0, len(second)))
            second.insert(place, _record(draw, domain, second))
    if metric in ("symmetric", "change-one") and 1 < len(second) <= 16 and draw(st.booleans()):
        second = draw(st.permutations(second))
    return second


def _users(draw: DrawFn, domain: Any, first: Any, d_in: int, metric: str) -> list[Any]:
    """All records of at most d_in identifiers, which stand first in a record, come or go."""
    from hypothesis import strategies as st

    second = list(first)
    for _ in range(draw(st.integers(1, d_in))):
        present = sorted({record[0] for record in second}, key=repr)
        if present and draw(st.booleans()):
            gone = draw(st.sampled_from(present))
            second = [record for record in second if record[0] != gone]
        else:
            new = draw(st.lists(domain.element.strategy(), min_size=1, max_size=4))
            second += [(new[0][0], *record[1:]) for record in new]
    return second


def _record(draw: DrawFn, domain: Any, known: list[Any]) -> Any:
    """A record of the domain, or one that is there already."""
    from hypothesis import strategies as st

    if isinstance(domain, Vector):
        new = draw(domain.element.strategy())
        if known and (kept := {place for margin in domain.margins for place in margin.by}):
            # A record of a group that is there: groups that are promised stay.
            alike = draw(st.sampled_from(known))
            new = tuple(alike[i] if i in kept else value for i, value in enumerate(new))
        return draw(st.sampled_from([new, new, new, *known[:3]]))
    drawn = [*draw(domain.strategy()), *known]
    return draw(st.sampled_from(drawn) if drawn else st.nothing())


def _moved(draw: DrawFn, domain: Any, first: Any, d_in: Any, metric: str) -> Any:
    """One number moves by d_in, mostly, or several share it."""
    from hypothesis import strategies as st

    second: list[Any] = list(first) if isinstance(first, list) else [first]
    if not second:
        return second
    # Whole numbers move by 1 at least: d_in is shared among no more of them than that.
    whole = metric in ("l1", "l2") and all(isinstance(value, int) for value in second)
    most = max(int(d_in ** (2 if metric == "l2" else 1)), 1) if whole else None
    places = draw(st.lists(st.integers(0, len(second) - 1), min_size=1, max_size=most, unique=True))
    parts = {"l1": len(places), "l2": math.sqrt(len(places))}.get(metric, 1)
    step = draw(st.sampled_from([1, -1, 1 / 2, -1 / 2, 1e-3])) * d_in / parts
    alike = metric == "linf-monotonic" or draw(st.booleans())
    for place in places:
        value, turn = second[place], 1 if alike else draw(st.sampled_from([1, -1]))
        if not (isinstance(value, float) and not math.isfinite(value)):
            second[place] = value + turn * (step if isinstance(value, float) else int(step))
    return second if isinstance(first, list) else second[0]
