"""Neighbours: for a member of a domain another one, at a distance of at most d_in in the input metric.

What a strategy proposes is measured in exact arithmetic before it is used: a pair that is farther apart, or
not in the domain, is none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, cast

from audits.maps.distances import gap
from audits.maps.domains import Atom, Drawn, Mapping, Vector

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

DATASETS = ("symmetric", "insert-delete", "change-one", "hamming")
"""Metrics that count records."""
EDGES = 6
"""Records at the edges of a domain with which each dataset is tried."""
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
        even = metric in ("symmetric", "insert-delete") and getattr(domain, "size", None) is not None
        return (2, 4, 1, 3) if even else COUNTS
    atom = domain
    while not isinstance(atom, Atom):
        atom = getattr(atom, "element", None) or getattr(atom, "value", None) or Atom("f64")
    return REALS if atom.is_float else COUNTS


def pairs(domain: Any, metric: str, choices: tuple[Any, ...]) -> SearchStrategy[tuple[Any, Any, Any]]:
    """(first, second, d_in) with first and second in the domain, at most d_in apart."""
    from hypothesis import assume
    from hypothesis import strategies as st

    members, make = domain.strategy(), _maker(metric)

    @st.composite
    def pair(draw: DrawFn) -> tuple[Any, Any, Any]:
        d_in = draw(st.sampled_from(choices))
        first = draw(members)
        second = make(draw, domain, first, d_in, metric)
        together = getattr(domain, "together", None)  # a promise about pairs, which is kept
        assume(together is None or together(first, second))
        assume(domain.holds(second) and not gap(metric, first, second).exceeds(d_in))
        return (second, first, d_in) if draw(st.booleans()) else (first, second, d_in)

    return pair()


def near(domain: Any, metric: str, first: Any, choices: tuple[Any, ...]) -> Iterator[tuple[Any, Any]]:
    """(second, d_in) for the simplest neighbours of a dataset: a record less, a record at an edge, and so on.

    They cost no draw, so that each drawn dataset is tried with many neighbours.
    """
    if metric not in DATASETS or not isinstance(domain, Vector | Drawn) or not isinstance(first, list):
        return
    records = cast("list[Any]", first)
    element, size = getattr(domain, "element", None), getattr(domain, "size", None)
    edges = element.edges()[:EDGES] if isinstance(element, Atom) else []
    edges.sort(key=lambda edge: (len(repr(edge)), repr(edge)))  # a violation is shown with the simplest
    places = sorted({0, len(records) // 2, len(records) - 1}) if records else []
    found: list[tuple[list[Any], int]] = []
    if metric in ("symmetric", "insert-delete"):
        if size is None:
            found += [(records[:i] + records[i + 1 :], 1) for i in places]
            found += [(records + [edge], 1) for edge in [*edges, *records[:1]]]
            found += [([edge] + records, 1) for edge in edges[:2]]
        else:
            found += [(records[1:] + [edge], 2) for edge in [*edges, *records[:1]]]
    else:
        found += [(records[:i] + [edge] + records[i + 1 :], 1) for edge in edges for i in places]
    for second, least in found:
        if fitting := [d_in for d_in in choices if d_in >= least]:
            yield second, min(fitting)


def _maker(metric: str) -> Callable[..., Any]:
    if metric in DATASETS:
        return _edited
    if metric == "symmetric-id":
        return _users
    return {"discrete": _another, "absolute": _moved}.get(metric, _moved_vector)


def _another(draw: DrawFn, domain: Any, first: Any, d_in: Any, metric: str) -> Any:
    return draw(domain.strategy())


def _edited(draw: DrawFn, domain: Any, first: Any, d_in: int, metric: str) -> list[Any]:
    """Records are added, removed and replaced; the order is changed where the metric does not see it."""
    from hypothesis import strategies as st

    second, left = list(first), int(d_in)
    free = metric in ("symmetric", "insert-delete") and getattr(domain, "size", None) is None
    price = 2 if metric in ("symmetric", "insert-delete") else 1
    while left > 0:
        kinds = (["add", "remove"] if free else []) + (["replace"] if left >= price else [])
        if not kinds:
            break
        kind = draw(st.sampled_from(kinds))
        if kind == "add":
            second.insert(draw(st.integers(0, len(second))), _record(draw, domain, second))
        elif second:
            place = draw(st.integers(0, len(second) - 1))
            del second[place]
            if kind == "replace":
                # The order does not stay where the metric allows an insertion elsewhere.
                place = draw(st.integers(0, len(second))) if price == 2 else place
                second.insert(place, _record(draw, domain, second))
        left -= price if kind == "replace" else 1
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
            who = new[0][0]
            second += [(who, *record[1:]) for record in new] if who not in present else []
    return second


def _record(draw: DrawFn, domain: Any, known: list[Any]) -> Any:
    """A record of the domain, or one that is there already."""
    from hypothesis import strategies as st

    if hasattr(domain, "element"):
        new = domain.element.strategy()
        if known and (kept := {place for margin in getattr(domain, "margins", ()) for place in margin.by}):
            # A record of a group that is there: groups that are promised stay.
            alike, fresh = draw(st.sampled_from(known)), draw(new)
            mixed = [alike[i] if i in kept else value for i, value in enumerate(fresh)]
            new = st.just(tuple(mixed))
        return draw(st.one_of(new, st.sampled_from(known)) if known else new)
    drawn = [*draw(domain.strategy()), *known]
    return draw(st.sampled_from(drawn)) if drawn else draw(st.nothing())


def _moved(draw: DrawFn, domain: Any, first: Any, d_in: Any, metric: str) -> Any:
    """A number at most d_in away: mostly exactly so far."""
    from hypothesis import strategies as st

    if isinstance(first, float) and not math.isfinite(first):
        return first
    if isinstance(d_in, int):
        step = draw(st.one_of(st.sampled_from([d_in, -d_in]), st.integers(-d_in, d_in)))
        return type(first)(first + step)
    share = draw(st.sampled_from([1.0, -1.0, 0.5, -0.5, 0.0, 1e-3]))
    second = first + share * d_in
    return math.nextafter(second, first) if gap("absolute", first, second).exceeds(d_in) else second


def _moved_vector(draw: DrawFn, domain: Any, first: Any, d_in: Any, metric: str) -> Any:
    """One coordinate moves by d_in, or several share it."""
    from hypothesis import strategies as st

    if isinstance(domain, Mapping):
        keys = sorted(first, key=repr)
        moved = _shared(draw, [first[key] for key in keys], d_in, metric)
        return dict(zip(keys, moved, strict=True))
    return _shared(draw, list(first), d_in, metric) if first else draw(st.just(first))


def _shared(draw: DrawFn, values: list[Any], d_in: Any, metric: str) -> list[Any]:
    from hypothesis import strategies as st

    if not values:
        return values
    places = draw(st.lists(st.integers(0, len(values) - 1), min_size=1, max_size=len(values), unique=True))
    parts = {"l1": len(places), "l2": math.sqrt(len(places))}.get(metric, 1)
    whole = isinstance(d_in, int)
    step = int(d_in // parts) if whole else d_in / parts
    one_sign = draw(st.booleans())
    sign = draw(st.sampled_from([1, -1]))
    for place in places:
        if isinstance(values[place], float) and not math.isfinite(values[place]):
            continue
        turn = sign if one_sign or metric == "linf-monotonic" else draw(st.sampled_from([1, -1]))
        values[place] = type(values[place])(values[place] + turn * step)
    return values
