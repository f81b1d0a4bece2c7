"""Measured and fitted risks along one axis, with the residuals under them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def plot_along(
    axis: str,
    axes: Mapping[str, Array],
    measured: tuple[Array, Array],
    law: Callable[[Mapping[str, Array]], Array],
    label: str,
    ax: Any = None,
    claimed: float | None = None,
) -> Any:
    """Log-log plot of the cells along one axis, the other axes divided out by the law.

    measured  mean risks and their standard errors, an entry a cell as in `axes`.
    claimed   an exponent, drawn through the middle.
    Below are the residuals, as shares of the fitted risk. Returns the matplotlib axes of the upper panel.
    """
    if ax is None:
        from matplotlib.figure import Figure

        ax = Figure().add_subplot()
    x, fitted = axes[axis], law(axes)
    centre = {name: np.full(x.size, np.exp(np.log(values).mean())) for name, values in axes.items()}
    curve = law({**centre, axis: x})
    share, error = measured[0] / fitted, 2.0 * measured[1] / fitted
    shown, order = share > 0.0, np.argsort(x)  # a logarithmic axis has no place for the others
    ax.errorbar(
        x[shown], (share * curve)[shown], yerr=(error * curve)[shown], fmt="o",
        label="measured (± 2 standard errors)",
    )  # fmt: skip
    ax.plot(x[order], curve[order], "-", label=label)
    below = ax.inset_axes((0.0, -0.42, 1.0, 0.38), sharex=ax)
    below.errorbar(x, share - 1.0, yerr=error, fmt="o")
    below.axhline(0.0)
    if claimed is not None:
        line = law(centre) * (x / centre[axis]) ** claimed
        ax.plot(x[order], line[order], "--", label=f"claimed slope {claimed:.3g}")
        below.plot(x[order], (line / curve - 1.0)[order], "--", color="C2")
    ax.set(xscale="log", yscale="log", ylabel="risk")
    ax.tick_params(which="both", labelbottom=False)
    ax.legend(fontsize="small")
    below.set(xlabel=axis, ylabel="residual")
    return ax
