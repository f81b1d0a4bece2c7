"""The table of a rate: its rows sorted into cells, the Monte Carlo error of each, the trials they share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
class Cells:
    """One entry per grid point: axis values, mean risk, its standard error; rows in all.

    spare    rows beyond one a cell, from which the errors are estimated; inf where they were given.
    own      whether the error of each cell rests on its own rows, or was given.
    together  probability that independent cells agree as much, row by row in the order of the table.
    trial    column of the trials that recur over cells, "" where there is none; `without` (trials, cells) is
             the mean without each of them, NaN where a cell has no other trial.
    unusable  why a column that names trials is not used.
    """

    axes: dict[str, Array]
    risk: Array
    error: Array
    rows: int
    spare: float
    own: bool
    together: float = 1.0
    trial: str = ""
    without: Array | None = None
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
    import pandas as pd

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
    groups = pd.Series(values).groupby(cell)
    count, mean = (np.asarray(found, dtype=np.float64) for found in (groups.size(), groups.mean()))
    if error is not None:
        single = numeric_column(table, error)
        if single.size != values.size or single.min() < 0.0:
            raise ValueError(f"column {error!r} must hold one standard error ≥ 0 per row, got {single.min()}")
        standard, spare = np.sqrt(np.bincount(cell, single**2)) / count, math.inf
    else:
        spread = np.asarray(groups.std().fillna(0.0), dtype=np.float64)
        standard, spare = _errors_from_rows(mean, spread, count), float((count - 1.0).sum())
    by_name = {name: np.ascontiguousarray(grid[:, j]) for j, name in enumerate(axes)}
    own = error is not None or bool(count.min() >= OWN_ERROR)
    cells = Cells(by_name, mean, standard, values.size, spare, own, going_together(values, cell))
    recurring = (n for n in table if str(n).lower() in TRIAL_NAMES and _recur(np.asarray(table[n]), cell))
    name = next(recurring, None) if trial is None else trial
    if name is True or name in (risk, *axes):
        raise ValueError(f"trial must name a column that is neither risk nor axis, or be False, got {name!r}")
    return _with_trials(cells, table, name, values, cell, asked=trial is not None) if name else cells


def _errors_from_rows(mean: Array, spread: Array, count: Array) -> Array:
    """Standard errors of the cell means; relative spread pooled over cells with few rows."""
    few, free = count < OWN_ERROR, count - 1.0
    if few.any() and free.any() and mean.min() > 0.0:
        pooled = math.sqrt(float((free * (spread / mean) ** 2).sum() / free.sum()))
        spread = np.where(few, pooled * mean, spread)
    return spread / np.sqrt(count)


def going_together(values: Array, cell: Integers) -> float:
    """Probability that independent cells have rows that go together as much as these, in their order.

    Where the r-th rows of two neighbouring cells share a seed, their ranks are correlated. Spearman's ρ has
    mean 0 and variance 1/(R − 1) for R independent rows, and is uncorrelated between pairs of cells: the sum
    is nearly normal. 1 where cells have unequal numbers of rows, or fewer than five.
    """
    from scipy.stats import norm, rankdata, zscore

    count = np.bincount(cell)
    rows = int(count[0])
    if rows < 5 or (count != rows).any():
        return 1.0
    by_cell = values[np.argsort(cell, kind="stable")].reshape(-1, rows)
    by_cell = by_cell[np.ptp(by_cell, axis=1) > 0.0]
    if len(by_cell) < 2:
        return 1.0
    rank = zscore(rankdata(by_cell, axis=1), axis=1)
    correlation = (rank[:-1] * rank[1:]).mean(axis=1)
    return float(norm.sf(correlation.sum() * math.sqrt((rows - 1.0) / correlation.size)))


def _recur(labels: Any, cell: Integers) -> bool:
    """Whether a label occurs in several cells, so that the cells are not independent."""
    if labels.shape != cell.shape:
        return False
    pairs = {*zip(labels.astype(str).tolist(), cell.tolist(), strict=True)}
    return len(pairs) > len({label for label, _ in pairs})


def _with_trials(cells: Cells, table: Any, name: str, values: Array, cell: Integers, *, asked: bool) -> Cells:
    """The cells with their means without each trial; `asked` where the column was named, not recognised."""
    labels = _column(table, name)
    if labels.shape != cell.shape:
        raise ValueError(f"column {name!r} must have one entry per row, got shape {labels.shape}")
    if not _recur(labels, cell):
        return cells
    trials, number = np.unique(labels.astype(str), return_inverse=True)
    own, deviation = np.zeros((2, len(trials), cells.risk.size))
    np.add.at(own, (number, cell), 1.0)
    np.add.at(deviation, (number, cell), values - cells.risk[cell])
    count = own.sum(axis=0)
    # Where a cell rests on one trial: a trial more than coefficients, and two.
    least = len(cells.axes) + 3 if (own == count).any() else LEAST_TRIALS
    why = ""
    if len(own) < least:
        why = f"{name!r} names {len(own)} trial{'s' * (len(own) > 1)}, and {least} are needed"
    elif {"nan", "None", ""} & {*trials.tolist()}:
        why = f"a row has no {name!r}"
    if why and asked:
        raise ValueError(f"trial: {why}, to see what trials share")
    if why:
        return replace(cells, unusable=f"{why}: what the cells share is not in the interval")
    without = cells.risk - deviation / np.where(own == count, np.nan, count - own)
    return replace(cells, trial=name, without=without)


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


def near(cells: Cells, law: Array) -> Observed:
    """The logarithm to first order about a law f > 0, log f + (m − f)/f, which a mean m ≤ 0 has, too."""
    y = np.log(law) + (cells.risk - law) / law
    without = None if cells.without is None else y + (cells.without - cells.risk) / law
    return Observed(y, (cells.error / law) ** 2, without)


def log_risk(cells: Cells) -> Observed:
    """log of the mean risk and its variance; E log(m̂) ≈ log m − v/2, so v/2 is added back."""
    seen = near(cells, cells.risk)
    return seen.less(-0.5 * seen.variance)


def design_of(axes: Mapping[str, Array]) -> Array:
    """The columns 1, log x_j, …"""
    return np.column_stack([np.ones(len(next(iter(axes.values())))), *map(np.log, axes.values())])


def check_design(design: Array, names: Sequence[str]) -> None:
    """ValueError where the log of an axis is a linear combination of the logs of other axes."""
    centred = design[:, 1:] - design[:, 1:].mean(axis=0)
    scaled = centred / np.linalg.norm(centred, axis=0)
    if np.linalg.svd(scaled, compute_uv=False)[-1] < 1e-6:
        raise ValueError(f"axes {list(names)} vary together: their exponents cannot be told apart")
