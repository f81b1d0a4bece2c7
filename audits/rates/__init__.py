"""Exponents of measured risks, with intervals, held against claimed ones and against a baseline."""

from __future__ import annotations

from audits.rates.exponents import Exponent, ExponentChange, compare_exponents
from audits.rates.fit import fit_rate
from audits.rates.forms import FormChoice, FormFit, compare_forms, fit_form
from audits.rates.result import AxisFit, RateFit

__all__ = [
    "AxisFit",
    "Exponent",
    "ExponentChange",
    "FormChoice",
    "FormFit",
    "RateFit",
    "compare_exponents",
    "compare_forms",
    "fit_form",
    "fit_rate",
]
