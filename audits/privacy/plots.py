"""The three plots of an audit: wealth and lower bound against samples, and the privacy curve."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from audits.privacy.claims import Claim

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(
    looks: Sequence[tuple[int, float, float]],
    points: Sequence[tuple[float, float]],
    claim: Claim,
    alpha: float,
) -> Figure:
    """A figure of three panels; made without pyplot, so it opens no window and needs no display.

    looks   samples, log e-value and lower bound at each look.
    points  shares of each event on both datasets.
    claim, alpha   what was audited, and the error level.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13.0, 3.8), layout="constrained")
    FigureCanvasAgg(figure)
    wealth, lower, curve = figure.subplots(1, 3)
    samples, log_e, bounds = (*zip(*looks, strict=True),) or ((), (), ())
    wealth.plot(samples, [value / math.log(10.0) for value in log_e], marker=".")
    wealth.axhline(-math.log10(alpha), color="black", linestyle="--", label="refuted above")
    wealth.set(ylabel="log₁₀ wealth against the claim", title="Evidence")
    lower.plot(samples, bounds, marker=".")
    lower.axhline(claim.value, color="black", linestyle="--", label=f"claimed {claim.unit}")
    lower.set(ylabel=f"lower bound on {claim.unit} ({1.0 - alpha:g})", title="What is shown")
    for axes in (wealth, lower):
        axes.set(xscale="log", xlabel="samples a side")
        axes.legend()
    first, second = np.array(points, dtype=np.float64).reshape(-1, 2).T
    curve.plot(second, first, ".", alpha=0.6, label="events tried")
    q = np.linspace(0.0, 1.0, 203)[1:-1]
    curve.plot(q, claim.edge(q)[0], color="black", linestyle="--", label="claim")
    curve.set(
        xlabel="share on the other dataset", ylabel="share on one dataset", title="Privacy curve", xlim=(0, 1)
    )
    curve.legend()
    return figure
