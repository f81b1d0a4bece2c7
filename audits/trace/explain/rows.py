"""The rows of a ledger: each draw with its parameters and arguments on D and on D′."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Collection, Dict, List, Optional, Sequence, Set, Tuple

import numpy as np

from ..record.run import Run
from ..record.session import drawn_by, places_of
from ..record.values import SAME, alike, differences, flat, shown
from ..records import BITS, About, Compared, Comparison, Draw, Finding, Lost, Mapped, Row
from ..replay.shifts import Release, in_comparisons, made_of
from .derived import Known, parents_of, radial, resampled, terms
from .sampling import first_used
from .withdraw import Said

SHAPED = ("beta", "poisson", "geometric", "negative_binomial", "chisquare", "dirichlet", "binomial")
"""Laws that are drawn from as they are, and not added to something: their two laws are compared."""
SCALES = ("scale", "sigma", "std", "cov", "b", "high", "low")
"""Parameters that say how wide a law is."""
MADE = "the noise is made with %s on D and with %s on D′: its law depends on the data"
"""Said of functions of noise with other numbers."""
Sizes = Tuple[Optional[int], Optional[int]]
"""The numbers of records of D and of D′."""


def rows_of(
    recorded: Run,
    found: Release,
    sizes: Sizes,
    gap: bool = False,
    apart: Collection[Any] = (),
    places: Collection[Any] = (),
) -> Said:
    """A row for each draw that both runs made, for each function of noise that was released, each comparison;
    with a gap also for draws of D alone. With them what depends on the data, and what is lost.

    apart    names of draws and comparisons that have rows of their own.
    places   names of comparisons that show no more than a place.
    """
    one, other = recorded.session, found.run.session

    def known(index: int) -> Optional[Draw]:
        return found.joined.get(index) or one.row(index)

    drawn = [row for row in one.draws[: other.diverged] if gap or row.index in other.rows]
    moved = {k for k, shift in found.shifts.items() if np.any(shift != 0.0)}
    made = {**one.functions, **found.joined}
    drawn += [made[k] for k in sorted((moved | in_comparisons(other)) & set(made))]
    rows: List[Row] = []
    findings: List[Finding] = []
    used = first_used(one)
    for row in (row for row in drawn if row.index not in apart):
        kept, unlike = _row(row, other.row(row.index) or row, found, known, sizes)
        scale = radial(one, row.index)
        kept = kept if scale is None else replace(kept, law="gamma length", kind="noise", params=scale)
        rows.append(replace(kept, at=used.get(row.index, row.at)))
        findings += unlike
    findings += _made_otherwise(one, other)
    findings += [finding for finding in _sums(recorded, found) if finding.draw not in apart]
    compared, lost = _comparisons(recorded, found, apart, places)
    rows += compared
    return rows, findings, lost


def _row(one: Draw, other: Draw, found: Release, known: Known, sizes: Sizes) -> Tuple[Row, List[Finding]]:
    """A draw on D and on D′, and findings of its parameters."""
    unlike, findings = _parameters(one, other, sizes)
    hidden = one.index in found.compared
    made = one.recipe is not None
    held = terms(known, one.recipe) if one.recipe is not None else ()
    given = (flat(one.argument), flat(other.argument)) if one.kind == "mechanism" else ()
    findings += _no_numbers(one.where, *given) if given else []
    row = Row(
        one.index, one.law, one.kind, one.where, one.shape,
        {name: flat(value) for name, value in one.params.items()},
        {name: flat(value) for name, value in other.params.items()},
        tuple(unlike), None if hidden else found.shifts.get(one.index), origin=one.origin,
        parents=tuple(sorted(parents_of(known, one.index))) if made else (),
        terms=held, samples=resampled(known, one) if made and not held else None,
        given=given, mapped=mapped(one, other),
    )  # fmt: skip
    return row, findings


def _sums(recorded: Run, found: Release) -> List[Finding]:
    """Sums whose noise has a factor that depends on the data, or whose argument is not finite on one
    dataset."""
    known = {use.key: use for use in recorded.session.uses}
    findings: List[Finding] = []
    for use in found.run.session.uses:
        other = known.get(use.key)
        if other is None or np.shape(other.factor) != np.shape(use.factor):
            continue
        unlike = ~np.ravel(alike(other.factor, use.factor, SAME))
        if np.any(unlike):
            pair = float(np.ravel(other.factor)[unlike][0]), float(np.ravel(use.factor)[unlike][0])
            text = "the noise is multiplied by %s on D and by %s on D′: its scale depends on the data"
            text = text % (shown(abs(pair[0])), shown(abs(pair[1])))
            about = About("factor", use.key, *pair)
            findings.append(Finding("scale", use.where, text, about, use.key[0] >> BITS, pair))
        findings += _not_finite("argument", use.key, use.where, other.argument, use.argument)
    return findings


def _made_otherwise(one: Any, other: Any) -> List[Finding]:
    """Released functions of noise that are made with another number on D′: their laws are not the same."""
    found: Dict[Any, Finding] = {}
    left = [index for use in other.uses for index in places_of(use.ids)]
    seen: Set[int] = set()
    while left:
        index = left.pop()
        pair = [session.functions.get(index) for session in (one, other)]
        if index in seen or pair[0] is None or pair[1] is None:
            continue
        seen.add(index)
        left += made_of(one, index)
        for parts in zip(*(row.recipe.parts for row in pair)):
            # What is added to noise before may be data, which it hides.
            a, b = (flat(part.argument if part.ids is None else part.factor) for part in parts)
            where, unlike = pair[0].where, differences(a, b, SAME)
            if unlike and where not in found:
                words = MADE % (shown(unlike[0][1]), shown(unlike[0][2]))
                found[where] = Finding("parameter", where, words)
    return list(found.values())


def _no_numbers(where: Any, one: Sequence[Any], other: Sequence[Any]) -> List[Finding]:
    """Arguments of a mechanism that are not finite on one dataset only."""
    both = [(a, b) for a, b in zip(one, other) if isinstance(a, float) and isinstance(b, float)]
    return [finding for a, b in both for finding in _not_finite("given", None, where, a, b)]


def _not_finite(what: str, key: Any, where: Any, one: Any, other: Any) -> List[Finding]:
    """Noise that is added to a number which is not finite on one dataset only."""
    with np.errstate(all="ignore"):
        broken = np.ravel(np.isfinite(one) != np.isfinite(other))
    if not np.any(broken):
        return []
    a, b = np.ravel(one)[broken][0], np.ravel(other)[broken][0]
    text = "noise is added to %s on D and to %s on D′: no noise hides that" % (shown(a), shown(b))
    return [Finding("nan", where, text, About(what, key, a, b))]


def _parameters(one: Draw, other: Draw, sizes: Sizes) -> Tuple[List[str], List[Finding]]:
    """Parameters that depend on the data: a finding for noise, a pair of laws for a choice."""
    findings: List[Finding] = []
    unlike: List[str] = []
    for name in sorted(set(one.params) | set(other.params)):
        a, b = flat(one.params.get(name)), flat(other.params.get(name))
        if name == "size" or (other.adapted and name in ("a", "x")) or not differences(a, b, SAME):
            continue
        # A permutation of the records, or a place among them, is a coin.
        if one.law == "integers" and np.ndim(a) == 0 and (a, b) == sizes:
            continue
        unlike.append(name)
        if not _has_two_laws(one, name):
            findings.append(_parameter(one, name, differences(a, b, SAME)[0]))
    return unlike, findings


def _has_two_laws(row: Draw, name: str) -> bool:
    """Whether the ledger knows what it costs that a parameter differs."""
    if row.kind == "coin" or row.law in SHAPED:
        return True
    chances = row.law in ("choice", "multinomial") and name in ("p", "pvals")
    return chances or (row.kind == "mechanism" and name == "utility")


def _parameter(row: Draw, name: str, place: Any) -> Finding:
    path, a, b = place
    words = "the %s%s of %s depends on the data: %s on D, %s on D′"
    kind = "scale" if name in SCALES else "parameter"
    about = About("parameter", (row.index, name), a, b)
    return Finding(kind, row.where, words % (name, path, row.law, shown(a), shown(b)), about, row.index)


def mapped(one: Draw, other: Draw) -> Optional[Mapped]:
    """What an OpenDP measurement's own map says of the real distance of its arguments."""
    if one.map is None:
        return None
    distance = metric_distance(one.metric, flat(one.argument[0]), flat(other.argument[0]))
    cost: Any = None
    for value in () if distance is None else (distance, float(distance)):
        try:
            cost = one.map(value)
            break
        except Exception:
            continue
    if isinstance(cost, tuple):
        cost = [float(part) for part in cost]
    elif cost is not None:
        cost = float(cost) if isinstance(cost, (int, float)) else None if hasattr(cost, "epsilon") else cost
    return Mapped(distance, cost, one.measure)


def metric_distance(metric: str, a: Any, b: Any) -> Any:
    """The distance of two values in a metric of OpenDP, by its name; None for another one."""
    if any(name in metric for name in ("Symmetric", "InsertDelete")):
        left, right = [list(map(str, x)) if hasattr(x, "__len__") else [str(x)] for x in (a, b)]
        for item in list(left):
            if item in right:
                left.remove(item)
                right.remove(item)
        return len(left) + len(right)
    if any(name in metric for name in ("Hamming", "ChangeOne")):
        return sum(str(x) != str(y) for x, y in zip(a, b))
    if "Discrete" in metric:
        return int(bool(differences(a, b, 0.0)))
    try:
        moved = np.abs(np.asarray(a, dtype=float) - np.asarray(b, dtype=float))
    except (TypeError, ValueError):
        return None
    if "L2" in metric:
        return float(np.sqrt(np.sum(moved**2)))
    if "LInf" in metric:
        return float(np.max(moved))
    whole = all(np.asarray(x).dtype.kind in "iu" for x in (a, b))
    return int(np.sum(moved)) if whole else float(np.sum(moved))


def _comparisons(
    recorded: Run, found: Release, apart: Collection[Any], places: Collection[Any]
) -> Tuple[List[Row], List[Lost]]:
    """Comparisons of noise that is not released, with their arguments on D and on D′."""
    known = {event.key: event for event in recorded.session.compared}
    released = {k for k, s in found.shifts.items() if k not in found.compared and np.any(s != 0.0)}
    rows: List[Row] = []
    lost: List[Lost] = []
    for event in found.run.session.compared:
        other = known.get(event.key)
        if event.opened or other is None or event.key in apart:
            continue
        if np.shape(other.ids) != np.shape(event.ids):
            if event.what != "compare":
                text = "a place is drawn among %s on D and %s on D′: what that costs is not known"
                lost.append(Lost(event.where, text % (other.size, event.size)))
            if event.what != "compare" or np.ndim(other.ids) != 1 or not (_coin(other) and _coin(event)):
                continue
            event = other  # a coin for each record: of those on D
        # What is compared after it was released shows nothing more.
        if not drawn_by(event) & released:
            rows.append(comparison(other, event, event.key in places))
    return rows, lost


def comparison(one: Comparison, other: Comparison, place: bool = False) -> Row:
    """The row of a comparison on D and on D′; place: as of `Compared`."""
    compared = Compared(one.name, one.outcome, one.parts, other.parts, place=place)
    shape = tuple(np.shape(other.ids))
    return Row(-2, other.what, "comparison", other.where, shape, at=one.at, compared=compared)


def left_out(recorded: Run, frozen: Run) -> List[Row]:
    """Rows of comparisons on D of noise that D′ does not draw: they cost nothing by themselves."""
    seen = {event.key for event in frozen.session.compared}
    return [
        comparison(event, event)
        for event in recorded.session.compared
        if event.key not in seen and event.what == "compare"
        if not drawn_by(event) & set(frozen.session.rows)
    ]


def _coin(event: Comparison) -> bool:
    """Whether a comparison is of noise alone with numbers."""
    noise = [part.ids is not None for part in event.parts]
    return sum(noise) == 1 and all(np.ptp(np.asarray(part.argument, float)) == 0.0 for part in event.parts)
