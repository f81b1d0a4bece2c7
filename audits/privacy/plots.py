"""The three plots of an audit: wealth and lower bound against samples, and the privacy curve."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from audits.privacy.result import AuditResult


def draw(result: AuditResult) -> Figure:
    """A figure of three panels; made without pyplot, so it opens no window and needs no display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13.0, 3.8), layout="constrained")
    FigureCanvasAgg(figure)
    wealth, lower, curve = figure.subplots(1, 3)
    claim, alpha, samples = result.claim, result.alpha, [look.samples for look in result.trace]
    wealth.plot(samples, [look.log_e_value / math.log(10.0) for look in result.trace], marker=".")
    wealth.axhline(-math.log10(alpha), color="black", linestyle="--", label="refuted above")
    wealth.set(ylabel="log₁₀ wealth against the claim", title="Evidence")
    lower.plot(samples, [look.lower for look in result.trace], marker=".")
    lower.axhline(claim.value, color="black", linestyle="--", label=f"claimed {claim.unit}")
    lower.set(ylabel=f"lower bound on {claim.unit} ({1.0 - alpha:g})", title="What is shown")
    for axes in (wealth, lower):
        axes.set(xscale="log", xlabel="samples a side")
        axes.legend()
    first, second = ([getattr(event, of) for event in result.curve] for of in ("first", "second"))
    curve.plot(second, first, ".", alpha=0.6, label="events tried")
    q = np.linspace(0.0, 1.0, 203)[1:-1]
    curve.plot(q, claim.edge(q)[0], color="black", linestyle="--", label="claim")
    curve.set(
        xlabel="share on the other dataset", ylabel="share on one dataset", title="Privacy curve", xlim=(0, 1)
    )
    curve.legend()
    return figure
