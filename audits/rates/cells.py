"""The table of a rate: its rows sorted into cells, with the Monte Carlo error of each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


def _column(table: Any, name: str) -> Any:
    try:
        return np.asarray(table[name])
    except KeyError:
        raise ValueError(f"the table has no column {name!r}; it has {[str(c) for c in table]}") from None


def numeric_column(table: Any, name: str) -> Array:
    """The column of this name as finite numbers (k,); ValueError where it is none."""
    raw = _column(table, name)
    try:
        values = np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"column {name!r} must be numbers, got {raw.dtype} values") from None
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"column {name!r} must be a non-empty list, got shape {values.shape}")
    if not np.isfinite(values).all():
        raise ValueError(f"column {name!r} must be finite, got {values[~np.isfinite(values)][0]}")
    return values


@dataclass(frozen=True, slots=True)
class Cells:
    """One entry per grid point: axis values, mean risk, its standard error, cluster number; rows in all."""

    axes: dict[str, Array]
    risk: Array
    error: Array
    cluster: Integers
    rows: int


def cells_of(table: Any, risk: str, names: Sequence[str], error: str | None, cluster: str | None) -> Cells:
    values = numeric_column(table, risk)
    columns = {name: numeric_column(table, name) for name in names}
    for name, column in columns.items():
        if column.size != values.size:
            raise ValueError(
                f"columns must have one length, got {values.size} risks and {column.size} of {name!r}"
            )
        if column.min() <= 0.0:
            raise ValueError(f"axis {name!r} must be > 0, got {column.min()}")
        if np.unique(column).size < 3:
            raise ValueError(f"axis {name!r} needs at least 3 values, got {np.unique(column).tolist()}")
    grid, cell = np.unique(np.column_stack(list(columns.values())), axis=0, return_inverse=True)
    cell = cell.ravel()
    count = np.bincount(cell).astype(np.float64)
    # Relative to the first row of the cell, so that equal rows have exactly no spread.
    first = values[np.unique(cell, return_index=True)[1]]
    mean = first + np.bincount(cell, values - first[cell]) / count
    if mean.min() <= 0.0:
        worst = {name: float(v) for name, v in zip(names, grid[mean.argmin()], strict=True)}
        raise ValueError(f"mean risk must be > 0 in every cell, got {mean.min():.6g} at {worst}")
    if error is not None:
        single = numeric_column(table, error)
        if single.size != values.size or single.min() < 0.0:
            raise ValueError(f"column {error!r} must hold one standard error ≥ 0 per row, got {single.min()}")
        standard = np.sqrt(np.bincount(cell, single**2)) / count
    else:
        standard = _errors_from_rows(values, mean, cell, count)
    groups = np.arange(mean.size)
    if cluster is not None:
        groups = _cluster_of_cells(_column(table, cluster), cluster, cell, mean.size)
    by_name = {name: np.ascontiguousarray(grid[:, j]) for j, name in enumerate(names)}
    return Cells(by_name, mean, standard, groups, values.size)


def _errors_from_rows(values: Array, mean: Array, cell: Integers, count: Array) -> Array:
    """Standard errors of the cell means; relative spread pooled over cells with fewer than 10 rows."""
    square = np.bincount(cell, (values - mean[cell]) ** 2)
    own = np.sqrt(square / np.maximum(count - 1.0, 1.0))
    free = float((count - 1.0).sum())
    if free == 0.0:
        return np.zeros(mean.size)
    pooled = mean * math.sqrt(float((square / mean**2).sum()) / free)
    return np.where(count >= 10.0, own, pooled) / np.sqrt(count)


def _cluster_of_cells(labels: Any, name: str, cell: Integers, cells: int) -> Integers:
    if labels.shape != cell.shape:
        raise ValueError(f"column {name!r} must have one entry per row, got shape {labels.shape}")
    _, number = np.unique(labels, return_inverse=True)
    result = np.zeros(cells, dtype=np.int64)
    result[cell] = number
    if (result[cell] != number).any():
        raise ValueError(f"cluster {name!r} must be constant within a cell, and is not")
    return np.unique(result, return_inverse=True)[1].astype(np.int64)


def log_risk(cells: Cells) -> tuple[Array, Array]:
    """log of the mean risk and its variance; E log(m̂) ≈ log m − v/2, so v/2 is added back."""
    variance = (cells.error / cells.risk) ** 2
    return np.log(cells.risk) + 0.5 * variance, variance


def check_design(design: Array, names: Sequence[str]) -> None:
    cells, coefficients = design.shape
    if cells < coefficients + 2:
        raise ValueError(f"{len(names)} axes need at least {coefficients + 2} cells, got {cells}")
    centred = design[:, 1:] - design[:, 1:].mean(axis=0)
    scaled = centred / np.linalg.norm(centred, axis=0)
    if np.linalg.svd(scaled, compute_uv=False)[-1] < 1e-6:
        raise ValueError(f"axes {list(names)} vary together: their exponents cannot be told apart")
