"""A plot that several claims draw."""

from __future__ import annotations

from claims import Plot


def growing_loss(title: str, x_label: str) -> Plot:
    """The privacy loss against m on two logarithmic axes, a curve for each ε, beside the claimed loss."""
    return Plot(
        kind="curve",
        title=title,
        x="m",
        y="value",
        x_label=x_label,
        y_label="privacy loss",
        claimed="claimed",
        series="epsilon",
        log_x=True,
        log_y=True,
    )
