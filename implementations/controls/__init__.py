"""Controls: classical mechanisms of known privacy, correct and broken, that auditors are measured on."""

from implementations.controls._catalogue import (
    broken_controls,
    classical_gaussian_control,
    classical_rows,
    controls,
    gaussian_control,
    laplace_control,
    private_controls,
)
from implementations.controls._control import Control, Law, pure_epsilon, queries_within_one

__all__ = [
    "Control",
    "Law",
    "broken_controls",
    "classical_gaussian_control",
    "classical_rows",
    "controls",
    "gaussian_control",
    "laplace_control",
    "private_controls",
    "pure_epsilon",
    "queries_within_one",
]
