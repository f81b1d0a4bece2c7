"""Instruments: they measure privacy, rates, bounds and lower bounds, and know no paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__distribution__ = "dpclaims"

if TYPE_CHECKING:
    from audits.divergence import hockey_stick
    from audits.evidence import Bound, Evidence, Verdict
    from audits.privacy import audit_privacy, each, unseeded
    from audits.rates import fit_rate

__all__ = [
    "Bound",
    "Evidence",
    "Verdict",
    "audit_privacy",
    "each",
    "fit_rate",
    "hockey_stick",
    "unseeded",
]


def __getattr__(name: str) -> Any:
    # SciPy and statsmodels take most of a second to import: only what is asked for is loaded.
    import importlib

    homes = {
        "Bound": "audits.evidence",
        "Evidence": "audits.evidence",
        "Verdict": "audits.evidence",
        "audit_privacy": "audits.privacy",
        "each": "audits.privacy",
        "fit_rate": "audits.rates",
        "hockey_stick": "audits.divergence",
        "unseeded": "audits.privacy",
    }
    if name not in homes:
        raise AttributeError(f"module 'audits' has no attribute {name!r}")
    return getattr(importlib.import_module(homes[name]), name)
