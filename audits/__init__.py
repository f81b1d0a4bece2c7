"""Instruments: they measure privacy, rates, bounds and lower bounds, and know no paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__distribution__ = "dpclaims"

if TYPE_CHECKING:
    from audits.bridge import remote
    from audits.divergence import hockey_stick
    from audits.evidence import Evidence, Side, Verdict
    from audits.privacy import audit_privacy, each, unseeded
    from audits.rates import fit_rate
    from audits.trace import assert_ledger, trace_privacy

__all__ = [
    "Evidence",
    "Side",
    "Verdict",
    "assert_ledger",
    "audit_privacy",
    "each",
    "fit_rate",
    "hockey_stick",
    "remote",
    "trace_privacy",
    "unseeded",
]


HOMES = {
    "Evidence": "audits.evidence",
    "Side": "audits.evidence",
    "Verdict": "audits.evidence",
    "assert_ledger": "audits.trace",
    "audit_privacy": "audits.privacy",
    "each": "audits.privacy",
    "fit_rate": "audits.rates",
    "hockey_stick": "audits.divergence",
    "remote": "audits.bridge",
    "trace_privacy": "audits.trace",
    "unseeded": "audits.privacy",
}
"""Where each public name stands; SciPy and statsmodels take most of a second: only what is used is loaded."""


def __getattr__(name: str) -> Any:
    import importlib

    if name not in HOMES:
        raise AttributeError(f"module 'audits' has no attribute {name!r}")
    return getattr(importlib.import_module(HOMES[name]), name)
