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
    samples = [look.samples for look in result.trace]
    wealth.plot(samples, [look.log_e_value / math.log(10.0) for look in result.trace], marker=".")
    wealth.axhline(-math.log10(result.alpha), color="black", linestyle="--", label="refuted above")
    wealth.set(ylabel="log₁₀ wealth against the claim", title="Evidence")
    lower.plot(samples, [look.epsilon_lower for look in result.trace], marker=".")
    lower.axhline(result.epsilon_claimed, color="black", linestyle="--", label="claimed ε")
    lower.set(ylabel=f"lower bound on ε ({result.confidence:g})", title="What is shown")
    for axes in (wealth, lower):
        axes.set(xscale="log", xlabel="samples a side")
        axes.legend()
    first = np.array([point.first for point in result.curve])
    second = np.array([point.second for point in result.curve])
    curve.plot(second, first, ".", alpha=0.6, label="events tried")
    q = np.linspace(0.0, 1.0, 201)
    claim = np.minimum(math.exp(result.epsilon_claimed) * q + result.delta, 1.0)
    curve.plot(q, claim, color="black", linestyle="--", label="claim")
    curve.set(
        xlabel="share on the other dataset", ylabel="share on one dataset", title="Privacy curve", xlim=(0, 1)
    )
    curve.legend()
    return figure
