"""The one vocabulary of judging: a measured value against a claimed one, as evidence.

* Exact values: `at_most`, `at_least`, `equals`, `reported` (no verdict), `undecided` (INCONCLUSIVE, and why).
* Samples: `mean_at_most`, `mean_at_least`, `mean_equals`, `drawn_from` (a sampler against its law), and
  `constant` for a hidden constant that is measured and not judged.
* Many pieces: `cells` groups rows by grid point; `decisive` shows the deciding one for all; `deciding_first`
  sorts them; `sandwich` holds every private mechanism above a lower bound and one without privacy below.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from numbers import Rational
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from audits.bounds import Z90, check_bound
from audits.evidence import Evidence, Side, Verdict, no_coarser
from implementations.checks import probability

if TYPE_CHECKING:
    import pandas as pd

Point = Mapping[str, Any]
Exact = float | int | Fraction

ROUNDING = 1e-9
"""Relative slack of comparisons of floating-point numbers: double precision leaves far less than this."""
CONFIDENCE = 0.997
"""Of every reported interval, simultaneous over the cells that an extreme is taken over."""


# --- Exact values --------------------------------------------------------------------------------------


class Options(TypedDict, total=False):
    """What an exact comparison may be told.

    error    bound of the numerical error of the measured value (a quadrature, a root): where the claimed one
             lies within it the comparison is INCONCLUSIVE.
    decides  False where the value belongs to one instance of a statement about all: then it can refute but
             carries no verdict when it holds.
    """

    point: Point | None
    error: float
    decides: bool
    method: str
    note: str


def at_most(quantity: str, measured: Exact, claimed: Exact, **options: Unpack[Options]) -> Evidence:
    """Exact evidence that measured ≤ claimed: CONFIRMED, or REFUTED where it is above by more than rounding.

    Integers and fractions are compared without any slack. Raises ValueError for NaN, and for an error that is
    infinite or negative.

    >>> at_most("δ at ε = 1", 0.05, 0.01).verdict.value, at_most("n", 3, 3).verdict.value
    ('REFUTED', 'CONFIRMED')
    """
    return _compared(quantity, measured, claimed, Side.UPPER, options)


def at_least(quantity: str, measured: Exact, claimed: Exact, **options: Unpack[Options]) -> Evidence:
    """Exact evidence that measured ≥ claimed; the mirror image of `at_most`."""
    return _compared(quantity, measured, claimed, Side.LOWER, options)


def equals(quantity: str, measured: Exact, claimed: Exact, **options: Unpack[Options]) -> Evidence:
    """Exact evidence that measured = claimed, from both sides; arguments as `at_most`.

    >>> equals("Σ p", 0.1 + 0.2, 0.3).verdict.value
    'CONFIRMED'
    """
    return _compared(quantity, measured, claimed, Side.TIGHT, options)


def reported(
    quantity: str,
    value: Exact,
    *,
    claimed: Exact | None = None,
    point: Point | None = None,
    method: str = "exact",
    note: str = "",
) -> Evidence:
    """An exact value that is shown and decides nothing."""
    return _evidence(quantity, float(value), claimed, None, point, 0.0, method, note)


def undecided(quantity: str, value: Exact, why: str, *, point: Point | None = None) -> Evidence:
    """INCONCLUSIVE, with the reason: what the claim would need and this computation cannot give."""
    return _evidence(quantity, float(value), None, Verdict.INCONCLUSIVE, point, 0.0, "exact", why)


def _compared(quantity: str, measured: Exact, claimed: Exact, side: Side, options: Options) -> Evidence:
    """An exact comparison, whose verdict is None where it holds and is only shown."""
    error = options.get("error", 0.0)
    if not (math.isfinite(error) and error >= 0.0):
        raise ValueError(f"error must be finite and ≥ 0, got {error}")
    if math.isnan(measured) or math.isnan(claimed):
        raise ValueError(f"{quantity!r} needs numbers, got {measured} against {claimed}")
    signs = {Side.UPPER: (1,), Side.LOWER: (-1,), Side.TIGHT: (1, -1)}[side]
    verdict = Verdict.CONFIRMED
    if any(_beyond(sign * measured, sign * claimed, error) for sign in signs):
        verdict = Verdict.REFUTED
    elif error > 0.0 and side is not Side.TIGHT:
        # The true value may lie beyond. An equality is never decided more finely: that counts as holding.
        may_be = signs[0] * float(measured) + error
        if _beyond(may_be, signs[0] * float(claimed), 0.0):
            verdict = Verdict.INCONCLUSIVE
    shown = verdict if options.get("decides", True) or verdict is Verdict.REFUTED else None
    point, method, note = options.get("point"), options.get("method", "exact"), options.get("note", "")
    return _evidence(quantity, float(measured), claimed, shown, point, error, method, note)


def _beyond(measured: Exact, claimed: Exact, error: float) -> bool:
    """Whether measured > claimed by more than rounding and its numerical error."""
    both_exact = isinstance(measured, Rational) and isinstance(claimed, Rational) and error == 0.0
    if both_exact or math.isinf(claimed):
        return bool(measured > claimed)
    return float(measured) - error > float(claimed) + ROUNDING * abs(float(claimed)) + 1e-300


def _evidence(
    quantity: str,
    value: float,
    claimed: Exact | None,
    verdict: Verdict | None,
    point: Point | None,
    error: float,
    method: str,
    note: str,
) -> Evidence:
    return Evidence(
        quantity=quantity, estimate=value, low=value - error, high=value + error, confidence=1.0,
        method=method, claimed=None if claimed is None else float(claimed), point=_plain(point),
        verdict=verdict, note=note,
    )  # fmt: skip


def _plain(point: Point | None) -> dict[str, float | int | str]:
    """A grid point with NumPy's scalars as Python's, so that it can be written as JSON."""
    return {k: v.item() if isinstance(v, np.generic) else v for k, v in (point or {}).items()}


# --- Samples -------------------------------------------------------------------------------------------


def mean_at_most(
    quantity: str, values: ArrayLike, claimed: float, *, alpha: float, **options: Any
) -> Evidence:
    """The mean of independent values against an upper bound.

    Options as `audits.bounds.check_bound`, and `largest_resolution`: a pass whose resolution is larger is
    INCONCLUSIVE. None accepts any.

    >>> values = np.random.default_rng(0).normal(1.0, 0.1, 400)
    >>> mean_at_most("risk", values, 1.2, alpha=1e-3).verdict.value
    'CONSISTENT'
    """
    return _mean(quantity, values, claimed, Side.UPPER, alpha, options)


def mean_at_least(
    quantity: str, values: ArrayLike, claimed: float, *, alpha: float, **options: Any
) -> Evidence:
    """The mean of independent values against a lower bound; options as `mean_at_most`."""
    return _mean(quantity, values, claimed, Side.LOWER, alpha, options)


def mean_equals(
    quantity: str, values: ArrayLike, claimed: float, *, alpha: float, **options: Any
) -> Evidence:
    """The mean of independent values against its stated value, α split over both sides.

    Options as `mean_at_most`; a stated equality wants `largest_resolution`.
    """
    return _mean(quantity, values, claimed, Side.TIGHT, alpha, options)


def _mean(
    quantity: str, values: ArrayLike, claimed: float, side: Side, alpha: float, options: dict[str, Any]
) -> Evidence:
    point = _plain(options.pop("point", None))
    limit = options.pop("largest_resolution", None)
    found = check_bound(values, claimed, side=side, alpha=alpha, quantity=quantity, point=point, **options)
    return no_coarser(found, limit)


def drawn_from(
    quantity: str,
    draws: ArrayLike,
    distribution: Callable[[np.ndarray], np.ndarray],
    *,
    alpha: float,
    allowed: float = 0.0,
    point: Point | None = None,
    note: str = "",
) -> Evidence:
    """Independent draws against the continuous law that they should have: the Kolmogorov distance is 0.

    distribution  x (k,) → P(X ≤ x); it is asked at 2000 of the order statistics, which can only make the
                  measured distance smaller.
    alpha         probability that a sampler of this law is refuted, for every sample size (Kolmogorov 1933).
    allowed       a distance that the sampler may have from the law: a stated total variation.
    The resolution is the Kolmogorov distance that is caught with probability 0.9: at the point where two laws
    are that far apart the empirical function has a standard deviation of at most 1/(2√n).
    Raises ValueError for fewer than 8 draws, draws that are not finite and alpha outside (0, 1).

    >>> draws = np.random.default_rng(0).random(1000)
    >>> uniform = lambda x: np.clip(x, 0.0, 1.0)
    >>> [drawn_from("U", d, uniform, alpha=1e-3).verdict.value for d in (draws, draws**1.5)]
    ['CONSISTENT', 'REFUTED']
    """
    from scipy.stats import kstwo

    x = np.sort(np.asarray(draws, dtype=np.float64).ravel())
    if x.size < 8 or not np.isfinite(x).all():
        raise ValueError(f"draws must be at least 8 finite numbers, got {x.size}: {x[:8]}")
    probability(alpha=alpha)
    ranks = np.unique(np.linspace(0, x.size - 1, 2000).astype(np.int64))
    values = distribution(x[ranks])
    distance = max(float(((ranks + 1) / x.size - values).max()), float((values - ranks / x.size).max()))
    reach = float(kstwo.isf(alpha, x.size))
    resolution = allowed + reach + 0.5 * Z90 / math.sqrt(x.size) + 1.0 / ranks.size
    return Evidence(
        quantity=quantity, estimate=distance, low=max(0.0, distance - reach), high=distance + reach,
        confidence=1.0 - alpha, method="kolmogorov-smirnov", samples=int(x.size), claimed=allowed,
        point=_plain(point), verdict=Verdict.REFUTED if distance > allowed + reach else Verdict.CONSISTENT,
        resolution=resolution, alpha_spent=alpha, note=note,
    )  # fmt: skip


def constant(
    quantity: str,
    means: ArrayLike,
    errors: ArrayLike,
    trials: ArrayLike,
    *,
    points: Sequence[Point] = (),
    least: bool = False,
    claimed: float | None = None,
    note: str = "",
) -> Evidence:
    """A hidden constant as measured: the largest (or least) of several sample means; it decides nothing.

    means, errors, trials  (k,) the sample means, their standard errors, and the trials behind each (a number
                           holds for all).
    points                 the k grid points, to name the one that is extreme.

    The cell is chosen on the same trials, so its interval is simultaneous over all cells (Bonferroni): where
    every mean lies in its own interval, their maximum lies between the largest lower and the largest upper
    limit. Student's t.
    """
    from scipy.special import stdtrit

    mean, error = np.atleast_1d(np.asarray(means, float)), np.atleast_1d(np.asarray(errors, float))
    size = np.broadcast_to(np.asarray(trials, float), mean.shape)
    reach = np.asarray(stdtrit(size - 1.0, 1.0 - 0.5 * (1.0 - CONFIDENCE) / mean.size)) * error
    pick, at = (np.min, np.argmin) if least else (np.max, np.argmax)
    return Evidence(
        quantity=quantity, estimate=float(pick(mean)), low=float(pick(mean - reach)),
        high=float(pick(mean + reach)), confidence=CONFIDENCE, method="student-t", samples=int(size.sum()),
        claimed=claimed, point=_plain(points[int(at(mean))]) if points else {}, note=note,
    )  # fmt: skip


def sample_mean(quantity: str, values: ArrayLike, *, point: Point | None = None, note: str = "") -> Evidence:
    """The mean of independent trials with its interval; it decides nothing."""
    x = np.asarray(values, dtype=np.float64)
    error = float(x.std(ddof=1)) / math.sqrt(x.size)
    return constant(quantity, float(x.mean()), error, x.size, points=[point or {}], note=note)


# --- Many pieces ---------------------------------------------------------------------------------------


def deciding_first(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """All pieces, the deciding one first: a refutation, else an open one, else the pass nearest its bound.

    Within a verdict the piece comes first that lies furthest beyond its claimed value, or, where nothing is
    beyond, nearest to it; pieces without a verdict come last, in their order.
    """
    rank = {Verdict.REFUTED: 0, Verdict.INCONCLUSIVE: 1, Verdict.CONSISTENT: 2, Verdict.CONFIRMED: 3}
    return tuple(sorted(evidence, key=lambda e: (4 if e.verdict is None else rank[e.verdict], -_excess(e))))


def _excess(evidence: Evidence) -> float:
    """How far beyond its claimed value a piece lies, in units of the claimed value; negative if it holds.

    The direction is the one in which the verdict could fail; without one, distance counts both ways.
    """
    if evidence.verdict is None or evidence.claimed is None:
        return 0.0
    unit = max(abs(evidence.claimed), 1e-300)
    distance = abs(evidence.estimate - evidence.claimed) / unit
    if math.isnan(distance):  # both are infinite
        return 0.0
    return distance if evidence.verdict is Verdict.REFUTED else -distance


def decisive(checks: Sequence[Evidence], nearness: Callable[[Evidence], float] | None = None) -> Evidence:
    """The piece to show for many that judge one statement; its α is what all of them spent together.

    nearness  orders passes where nearness to the claimed value is not the right order.
    Raises ValueError for no checks.
    """
    if not checks:
        raise ValueError("checks must hold at least one piece of evidence, got none")
    first = deciding_first(checks)[0]
    if nearness is not None:
        first = max((e for e in checks if e.verdict is first.verdict), key=nearness)
    return replace(first, alpha_spent=math.fsum(e.alpha_spent for e in checks))


def cells(rows: pd.DataFrame, axes: Sequence[str]) -> list[tuple[dict[str, Any], pd.DataFrame]]:
    """The rows of every combination of `axes` that occurs, with that combination as their grid point.

    >>> import pandas as pd
    >>> [(point, len(part)) for point, part in cells(pd.DataFrame({"n": [1, 1, 2], "x": 0.5}), ["n"])]
    [({'n': 1}, 2), ({'n': 2}, 1)]
    """
    found: list[tuple[dict[str, Any], pd.DataFrame]] = []
    for key, part in rows.groupby(list(axes), sort=False):
        values: Any = key
        found.append((_plain(dict(zip(axes, values, strict=True))), part))
    return found


def sandwich(
    private: Mapping[str, ArrayLike],
    claimed: float,
    non_private: Mapping[str, ArrayLike],
    *,
    alpha: float,
    point: Point | None = None,
    ceiling: float | None = None,
    **options: Any,
) -> list[Evidence]:
    """Every private mechanism above a claimed lower bound, and a mechanism without privacy below it.

    private      errors on the printed instance by name of mechanism, one number per independent trial.
    claimed      the claimed lower bound of the expected error, > 0.
    non_private  errors of mechanisms without privacy on the same instance.
    alpha        probability that a true lower bound is refuted; split evenly over the private mechanisms.
    ceiling      no error can be larger; with it a mechanism whose error is the same in every trial is judged.
    options      of each test, as `mean_at_most`.

    Samples can refute a lower bound (a private mechanism below it) and cannot confirm it. Without a mechanism
    below the bound the instance may simply be hard for everybody and says nothing of privacy: then the
    result is INCONCLUSIVE, as where the interval of a private mechanism reaches below the bound. The
    non-private test can refute nothing and spends no α.
    Raises ValueError for no mechanism, for claimed ≤ 0, an error above the ceiling, and as `check_bound`.

    >>> rng = np.random.default_rng(0)
    >>> found = sandwich({"a": rng.normal(2, 0.1, 99)}, 1.0, {"open": rng.normal(0.1, 0.1, 99)}, alpha=0.01)
    >>> [None if e.verdict is None else e.verdict.value for e in found]
    ['CONSISTENT', None]
    """
    if not private:
        raise ValueError("private must name at least one mechanism, got none")
    if not (math.isfinite(claimed) and claimed > 0.0):
        raise ValueError(f"claimed must be finite and > 0, got {claimed}")
    share = alpha / len(private)
    found = [
        _above(f"error of {name}", values, claimed, alpha=share, point=point, ceiling=ceiling, **options)
        for name, values in private.items()
    ]
    return [*found, _bites(non_private, claimed, alpha, point)]


def _above(
    quantity: str,
    values: ArrayLike,
    claimed: float,
    *,
    alpha: float,
    point: Point | None,
    ceiling: float | None,
    **options: Any,
) -> Evidence:
    """A private mechanism above the bound; INCONCLUSIVE where its interval reaches below.

    A mechanism whose error is the same in every trial has no spread to judge by: it is shown and not judged
    where it is above, and judged by the ceiling where it is below.
    """
    if ceiling is not None and (largest := np.max(values, initial=-math.inf)) > ceiling * (1.0 + ROUNDING):
        raise ValueError(f"ceiling must be at least the largest error, {largest:g}, got {ceiling:g}")
    same = _same_in_every_trial(values)
    if same is not None and same >= claimed:
        return reported(quantity, same, claimed=claimed, point=point, note="the same in every trial")
    if same is not None and ceiling is not None:
        return _alike(quantity, same, np.size(values), ceiling, claimed, alpha, point)
    found = mean_at_least(quantity, values, claimed, alpha=alpha, point=point, **options)
    if found.verdict is Verdict.CONSISTENT and found.low <= claimed:
        return replace(found, verdict=Verdict.INCONCLUSIVE, note="the interval reaches below the bound")
    return found


def _alike(
    quantity: str,
    same: float,
    trials: int,
    ceiling: float,
    claimed: float,
    alpha: float,
    point: Point | None,
) -> Evidence:
    """Trials that all have one error below the claimed mean, where no error is above the ceiling.

    A mean ≥ c needs other errors than `same` with probability q ≥ (c − same)/(ceiling − same). All N trials
    have one and the same error v < c with probability Σ_v p_v^N, p_v ≤ 1 − q; where (1 − q)^(N − 1) ≤ α for
    the v that is seen, c is refuted at level α. The upper limit is the largest c that is not.
    """
    reach = 1.0 - alpha ** (1.0 / (trials - 1)) if trials > 1 else 1.0
    high = same + (ceiling - same) * reach
    return Evidence(
        quantity=quantity, estimate=same, low=-math.inf, high=high, confidence=1.0 - alpha,
        method="equal trials", samples=trials, claimed=claimed, point=_plain(point),
        verdict=Verdict.REFUTED if high < claimed else Verdict.INCONCLUSIVE, alpha_spent=alpha,
        note=f"the same in every trial; no error is above {ceiling:g}",
    )  # fmt: skip


def _same_in_every_trial(values: ArrayLike) -> float | None:
    """The common value of all trials, to rounding; None where they differ, or where there are none."""
    x = np.asarray(values, dtype=np.float64)
    if x.size == 0 or not np.isfinite(x).all() or np.ptp(x) > ROUNDING * abs(x.flat[0]):
        return None
    return float(x.mean())


def _bites(
    non_private: Mapping[str, ArrayLike], claimed: float, alpha: float, point: Point | None
) -> Evidence:
    """The best mechanism without privacy: no verdict where it is below the bound, else INCONCLUSIVE."""
    if not non_private:
        return undecided(
            "error without privacy", claimed, "no mechanism without privacy was run", point=point
        )
    name, values = min(
        ((name, np.asarray(v, dtype=np.float64)) for name, v in non_private.items()),
        key=lambda item: float(item[1].mean()),
    )
    # One value in every trial: a deterministic mechanism on a fixed instance, nothing to estimate.
    same, what = _same_in_every_trial(values), f"error of {name}, without privacy"
    found = (
        check_bound(values, claimed, side=Side.TIGHT, alpha=alpha, quantity=what, point=_plain(point))
        if same is None
        else reported(what, same, claimed=claimed, point=point)
    )
    below = found.high < claimed
    return replace(
        found, verdict=None if below else Verdict.INCONCLUSIVE, alpha_spent=0.0, resolution=None,
        note="" if below else "no mechanism without privacy is seen below the bound: the instance is not "
        "shown to bite",
    )  # fmt: skip
