"""The table of a rate: its rows sorted into cells, the Monte Carlo error of each, the trials they share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from implementations.checks import numbers

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

TRIAL_NAMES = ("seed", "trial", "rep", "fold", "run")
"""Columns of these names hold trials, where their values recur over cells."""
LEAST_TRIALS = 3
OWN_ERROR = 10
"""Rows from which on a cell has a standard error of its own; below, the relative spread is pooled."""


def _column(table: Any, name: str) -> Any:
    try:
        return np.asarray(table[name])
    except KeyError:
        raise ValueError(f"the table has no column {name!r}; it has {[str(c) for c in table]}") from None


def numeric_column(table: Any, name: str) -> Array:
    """The column of this name as finite numbers (k,); ValueError where it is none."""
    values = numbers(f"column {name!r}", _column(table, name))
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"column {name!r} must be a non-empty list, got shape {values.shape}")
    return values


@dataclass(frozen=True, slots=True)
class Trials:
    """Trials that recur over cells: the column that names them, and each cell's mean without each of them.

    without  (trials, cells), NaN where a cell has no other trial.
    """

    column: str
    without: Array


@dataclass(frozen=True, slots=True)
class Cells:
    """One entry per grid point: axis values, mean risk, its standard error; rows in all.

    spare    rows beyond one a cell, from which the errors are estimated; inf where they were given.
    own      whether the error of each cell rests on its own rows, or was given.
    together  probability that independent cells agree as much, row by row in the order of the table.
    trials   None where no column names any. `unusable` says why a column that names trials is not used.
    """

    axes: dict[str, Array]
    risk: Array
    error: Array
    rows: int
    spare: float
    own: bool
    together: float = 1.0
    trials: Trials | None = None
    unusable: str = ""


def cells_of(
    table: Any,
    risk: str,
    axes: Sequence[str],
    *,
    error: str | None = None,
    trial: str | bool | None = None,
    least: int = 3,
) -> Cells:
    """The table sorted into cells; ValueError for columns that cannot be used.

    trial  a column, False for none, None to recognise it. `least` values must an axis have.
    """
    values = numeric_column(table, risk)
    columns = {name: numeric_column(table, name) for name in axes}
    for name, column in columns.items():
        if column.size != values.size:
            raise ValueError(
                f"columns must have one length, got {values.size} risks and {column.size} of {name!r}"
            )
        if column.min() <= 0.0:
            raise ValueError(f"axis {name!r} must be > 0, got {column.min()}")
        if np.unique(column).size < least:
            raise ValueError(f"axis {name!r} needs at least {least} values, got {np.unique(column).tolist()}")
    grid, cell = np.unique(np.column_stack(list(columns.values())), axis=0, return_inverse=True)
    cell = cell.ravel()
    count = np.bincount(cell).astype(np.float64)
    # Relative to the first row of the cell, so that equal rows have exactly no spread.
    first = values[np.unique(cell, return_index=True)[1]]
    mean = first + np.bincount(cell, values - first[cell]) / count
    if error is not None:
        single = numeric_column(table, error)
        if single.size != values.size or single.min() < 0.0:
            raise ValueError(f"column {error!r} must hold one standard error ≥ 0 per row, got {single.min()}")
        standard, spare = np.sqrt(np.bincount(cell, single**2)) / count, math.inf
    else:
        standard, spare = _errors_from_rows(values, mean, cell, count), float((count - 1.0).sum())
    by_name = {name: np.ascontiguousarray(grid[:, j]) for j, name in enumerate(axes)}
    own = error is not None or bool(count.min() >= OWN_ERROR)
    cells = Cells(by_name, mean, standard, values.size, spare, own, going_together(values, cell))
    name = trial_column(table, cell) if trial is None else trial
    if name is True or name in (risk, *axes):
        raise ValueError(f"trial must name a column that is neither risk nor axis, or be False, got {name!r}")
    return _with_trials(cells, table, name, values, cell, asked=trial is not None) if name else cells


def _errors_from_rows(values: Array, mean: Array, cell: Integers, count: Array) -> Array:
    """Standard errors of the cell means; relative spread pooled over cells with few rows."""
    square = np.bincount(cell, (values - mean[cell]) ** 2)
    own = np.sqrt(square / np.maximum(count - 1.0, 1.0))
    free = float((count - 1.0).sum())
    if free == 0.0:
        return np.zeros(mean.size)
    few = count < OWN_ERROR
    if not few.any() or mean.min() <= 0.0:
        return own / np.sqrt(count)
    pooled = mean * math.sqrt(float((square / mean**2).sum()) / free)
    return np.where(few, pooled, own) / np.sqrt(count)


def going_together(values: Array, cell: Integers) -> float:
    """Probability that independent cells have rows that go together as much as these, in their order.

    Where the r-th rows of two neighbouring cells share a seed, their ranks are correlated. Spearman's ρ has
    mean 0 and variance 1/(R − 1) for R independent rows, and is uncorrelated between pairs of cells: the sum
    is nearly normal. 1 where cells have unequal numbers of rows, or fewer than five.
    """
    from scipy.stats import norm, rankdata

    count = np.bincount(cell)
    rows = int(count[0])
    if rows < 5 or (count != rows).any():
        return 1.0
    ranks = rankdata(values[np.argsort(cell, kind="stable")].reshape(-1, rows), axis=1) - 0.5 * (rows + 1)
    size = np.linalg.norm(ranks, axis=1)
    pairs = (size[:-1] > 0.0) & (size[1:] > 0.0)
    if not pairs.any():
        return 1.0
    correlation = (ranks[:-1] * ranks[1:]).sum(axis=1)[pairs] / (size[:-1] * size[1:])[pairs]
    return float(norm.sf(correlation.sum() * math.sqrt((rows - 1.0) / correlation.size)))


def trial_column(table: Any, cell: Integers) -> str | None:
    """The column of trials, by its name, whose values recur over cells; None where there is none."""
    for name in table:
        if str(name).lower() in TRIAL_NAMES:
            labels = np.asarray(table[name])
            if labels.shape == cell.shape and _recurring(labels, cell) is not None:
                return name
    return None


def _recurring(labels: Any, cell: Integers) -> Integers | None:
    """Labels as numbers from 0 up; None where each is in one cell only, so that cells are independent."""
    number = np.unique(np.asarray(labels).astype(str), return_inverse=True)[1].ravel()
    pairs = np.unique(np.column_stack([number, cell]), axis=0)
    return number if len(pairs) > int(number.max()) + 1 else None


def _with_trials(cells: Cells, table: Any, name: str, values: Array, cell: Integers, *, asked: bool) -> Cells:
    """The cells with their means without each trial; `asked` where the column was named, not recognised."""
    labels = _column(table, name)
    if labels.shape != cell.shape:
        raise ValueError(f"column {name!r} must have one entry per row, got shape {labels.shape}")
    if (number := _recurring(labels, cell)) is None:
        return cells
    own = np.zeros((int(number.max()) + 1, cells.risk.size))
    np.add.at(own, (number, cell), 1.0)
    count = own.sum(axis=0)
    # Where a cell rests on one trial: a trial more than coefficients, and two.
    least = len(cells.axes) + 3 if (own == count).any() else LEAST_TRIALS
    why = ""
    if len(own) < least:
        why = f"{name!r} names {len(own)} trial{'s' * (len(own) > 1)}, and {least} are needed"
    elif any(str(label) in ("nan", "None", "") for label in labels):
        why = f"a row has no {name!r}"
    if why and asked:
        raise ValueError(f"trial: {why}, to see what trials share")
    if why:
        return replace(cells, unusable=f"{why}: what the cells share is not in the interval")
    deviation = np.zeros_like(own)
    np.add.at(deviation, (number, cell), values - cells.risk[cell])
    without = cells.risk - deviation / np.where(own == count, np.nan, count - own)
    return replace(cells, trials=Trials(name, without))


@dataclass(frozen=True, slots=True)
class Observed:
    """What is regressed, an entry a cell: y, its Monte Carlo variance; y without each trial."""

    y: Array
    variance: Array
    without: Array | None = None

    def less(self, offset: Array) -> Observed:
        """y less an offset in each cell."""
        without = None if self.without is None else self.without - offset
        return replace(self, y=self.y - offset, without=without)


def log_risk(cells: Cells) -> Observed:
    """log of the mean risk and its variance; E log(m̂) ≈ log m − v/2, so v/2 is added back."""
    variance = (cells.error / cells.risk) ** 2
    y = np.log(cells.risk) + 0.5 * variance
    return Observed(y, variance, _linear(cells, y, cells.risk))


def near(cells: Cells, law: Array) -> Observed:
    """The logarithm to first order about a law f > 0, log f + (m − f)/f, which a mean m ≤ 0 has, too."""
    y = np.log(law) + (cells.risk - law) / law
    return Observed(y, (cells.error / law) ** 2, _linear(cells, y, law))


def _linear(cells: Cells, y: Array, scale: Array) -> Array | None:
    """y without each trial, by the delta method."""
    return None if cells.trials is None else y + (cells.trials.without - cells.risk) / scale


def check_design(design: Array, names: Sequence[str]) -> None:
    cells, coefficients = design.shape
    if cells < coefficients + 2:
        raise ValueError(f"a fit in {', '.join(names)} needs at least {coefficients + 2} cells, got {cells}")
    centred = design[:, 1:] - design[:, 1:].mean(axis=0)
    scaled = centred / np.linalg.norm(centred, axis=0)
    if np.linalg.svd(scaled, compute_uv=False)[-1] < 1e-6:
        raise ValueError(f"axes {list(names)} vary together: their exponents cannot be told apart")
