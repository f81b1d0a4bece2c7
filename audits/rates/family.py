"""A rate over a family of losses: where it is measured, its worst member, and what its exponents say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from audits.evidence import Evidence
from audits.judge import reported
from audits.rates.fit import fit_rate

if TYPE_CHECKING:
    import pandas as pd


def star(base: Mapping[str, Any], **arms: Sequence[Any]) -> list[dict[str, Any]]:
    """Cells that leave the base point along one axis each.

    >>> star({"n": 1, "d": 1}, n=(1, 2), d=(3,))
    [{'n': 1, 'd': 1}, {'n': 2, 'd': 1}, {'n': 1, 'd': 3}]
    """
    return [dict(base) | {axis: value} for axis, values in arms.items() for value in values]


def fraction(**levels: Sequence[Any]) -> list[dict[str, Any]]:
    """27 cells on four axes of three levels, in which any two axes take each pair of levels three times.

    The last axis has level (i + j + k) mod 3 where the others have i, j, k: a regular fraction of the 81.
    Raises ValueError for another number of axes or levels.
    """
    if [len(values) for values in levels.values()] != [3] * 4:
        raise ValueError(f"levels must be four axes of three levels each, got {levels}")
    return [
        {axis: levels[axis][at] for axis, at in zip(levels, (*place, sum(place) % 3), strict=True)}
        for place in product(range(3), repeat=3)
    ]


def supremum(
    rows: pd.DataFrame, axes: Sequence[str], member: str, risk: str, choosing: Any = None
) -> pd.DataFrame:
    """The rows of the member with the largest mean risk at each grid point.

    choosing  which rows choose the member (a mask): the others are returned, so that the choice does not bias
              their risk. None where nothing is random: all rows choose, and all are returned.
    """
    pool, rest = (rows, rows) if choosing is None else (rows[choosing], rows[~choosing])
    means = pool.groupby([*axes, member])[risk].mean().reset_index()
    largest = means.loc[means.groupby(list(axes))[risk].idxmax(), [*axes, member]]
    return rest.merge(largest, on=[*axes, member])


def worst_member(rows: pd.DataFrame, axes: Sequence[str], member: str, risk: str) -> pd.DataFrame:
    """The supremum over a family of losses at each grid point: chosen on one part of the trials, measured
    on the others.

    rows    one row a trial, with the columns `axes`, `member`, `risk` and "trial" (a number from 0 up).
    Returns one row a grid point: `axes`, `member`, "risk", "standard_error", "trials". The member is chosen
    on every fourth trial, so that the choice does not bias the risk.
    Raises ValueError where a member has fewer than eight trials.
    """
    import pandas as pd

    if int(rows.groupby([*axes, member]).size().min()) < 8:
        raise ValueError(f"rows must hold at least 8 trials of every {member}, to choose on some of them")
    rest = supremum(rows, axes, member, risk, rows["trial"] % 4 == 0)
    grouped: Any = rest.groupby([*axes, member])[risk]
    table = pd.DataFrame({"risk": grouped.mean(), "standard_error": grouped.sem(), "trials": grouped.size()})
    return table.reset_index()


def exponents(
    rows: pd.DataFrame,
    risk: str,
    claimed: Mapping[str, float],
    tolerance: float,
    *,
    axes: Sequence[str] = (),
    named: str = "{}",
    point: Mapping[str, Any] | None = None,
    **options: Any,
) -> list[Evidence]:
    """Fitted exponents held against the claimed ones; none where an axis has fewer than three values.

    The level of the fit, the log risk in the middle of the cells, is beside them and decides nothing.

    axes     all that are fitted, where nothing is claimed of some of them; those of `claimed` by default.
    named    what the evidence is called, {} its own name, and `point` where it stands: both tell fits of one
             axis apart.
    options  as `fit_rate`.
    """
    names = list(axes or claimed)
    if any(rows[axis].nunique() < 3 for axis in names):  # the smallest tier
        return []
    fit = fit_rate(rows, risk, names, claimed, tolerance, **options)
    place = fit.centre()
    found = fit.level(place)
    low, high = found.interval(0.025)
    level = Evidence(
        quantity=f"log {risk} at " + ", ".join(f"{axis}={value:.4g}" for axis, value in place.items()),
        estimate=found.estimate, low=low, high=high, confidence=0.95, method="fit", samples=fit.samples,
        worse="higher", standard_error=found.standard_error, degrees_of_freedom=found.degrees_of_freedom,
    )  # fmt: skip
    return _told([*fit.evidence(), level], named, point)


def against_form(
    rows: pd.DataFrame,
    risk: str,
    form: str,
    tolerance: float,
    *,
    vanishing: bool = True,
    named: str = "{}",
    **options: Any,
) -> list[Evidence]:
    """The slope of the log risk against the log of a printed form, log factors included, which should be 1.

    vanishing  whether the statement sends the form to 0 (the usual case: more data, less risk). There an
               UPPER claim, risk ≤ C·form, is broken by a slope below 1; where it grows, by one above 1.
    options    as `fit_rate`.
    """
    told = [form] if vanishing else []
    fit = fit_rate(rows, risk, [form], {form: 1.0}, tolerance, vanishing=told, **options)
    return _told(fit.evidence(), named, None)


def beside(
    rows: pd.DataFrame, risk: str, form: str, other: Any, words: str, *, error: str | None = None
) -> Iterator[Evidence]:
    """Whether the sizes measured tell a printed form from another, a logarithm more or less.

    other  its values, one a row; `words` what it is.
    Yields the weight of the printed form, 1 where it and 0 where the other is right (`compare_forms`); it
    decides nothing, as an upper bound may hold with either. Nothing where the table is too small.
    """
    from audits.rates.forms import compare_forms

    told = rows.assign(printed=rows[form], other=other)
    try:
        choice = compare_forms(told, risk, "printed", "other", error=error, trial=False)
    except ValueError:  # the smallest tier
        return
    answers = {"printed": "the printed form is nearer", "other": f"{words} is nearer"}
    told_apart = answers.get(choice.better or "", "a logarithm could not be seen here")
    yield reported(
        f"weight of the printed form beside {words}",
        choice.weight,
        note=f"[{choice.low:.2g}, {choice.high:.2g}], 1 where it is right: {told_apart}",
    )


def logarithms(
    rows: pd.DataFrame, risk: str, form: str, logs: str, *, kept: Sequence[str] = (), error: str | None = None
) -> Iterator[Evidence]:
    """A printed form `beside` itself with constants in the place of its log factors.

    logs   column of these factors; where they hold powers of an axis, too, that axis is `kept`: the constant
           is the mean at each of its values.
    """
    mean: Any = rows.groupby(list(kept))[logs].transform("mean") if kept else rows[logs].mean()
    without = rows[form] / rows[logs] * mean
    return beside(rows, risk, form, without, "the form without its logarithms", error=error)


def _told(found: Sequence[Evidence], named: str, point: Mapping[str, Any] | None) -> list[Evidence]:
    return [replace(e, quantity=named.format(e.quantity), point=dict(point or e.point)) for e in found]
