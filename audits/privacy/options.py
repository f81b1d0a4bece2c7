"""What the user asks of an audit: one frozen set of options, checked where it is made."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from audits.privacy.datasets import brief
from audits.privacy.draws import ERRORS
from audits.privacy.result import Look

METHODS = ("sequential", "clopper-pearson")
MIN_SAMPLES = 64
MOST_EPSILON = 200.0
KNOWN = {"method": METHODS, "errors": ERRORS}
SWITCHES = "stop_early", "footprints", "confirm", "partial", "planting", "simplest"
NO_ESTIMATE = "; 'gdp', an estimate that never decided, is gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The keywords of `audit_privacy` beside adjacency, which says what they mean.

    Raises ValueError, in one sentence, for the first of them that makes no sense.
    """

    epsilon: float
    delta: float = 0.0
    alpha: float = 0.05
    seed: int = 0
    rng: np.random.Generator | None = None
    max_samples: int = 1_000_000
    time_limit: float | None = None
    method: str = "sequential"
    score: Callable[[Any], Any] | None = None
    resolution: float | None = None
    stop_early: bool = True
    footprints: bool = False
    errors: str = "raise"
    jobs: int = 1
    precision: float | None = None
    confirm: bool = False
    partial: bool = False
    planting: bool = False
    simplest: bool = True
    progress: Callable[[Look], None] | None = None

    def __post_init__(self) -> None:
        most = f"a number in [0, {MOST_EPSILON:g}]; samples cannot speak against more"
        self._number("epsilon", lambda v: 0.0 <= v <= MOST_EPSILON, most)
        self._number("delta", lambda v: 0.0 <= v < 1.0, "in [0, 1)")
        self._number("alpha", lambda v: 0.0 < v < 1.0, "in (0, 1)")
        samples = f"a whole number of samples ≥ {MIN_SAMPLES}"
        self._whole("max_samples", MIN_SAMPLES, math.inf, samples)
        self._whole("jobs", 1, 1024, "a whole number of processes ≥ 1")
        if self.time_limit is not None:
            self._number("time_limit", lambda v: 0.0 < v < math.inf, "a number of seconds > 0 or None")
        if self.resolution is not None:
            above = "an ε above the claimed one, or None"
            self._number("resolution", lambda v: self.epsilon < v < math.inf, above)
        if self.precision is not None:
            self._number("precision", lambda v: 0.0 < v < 1.0, "in (0, 1) or None")
        for name, known in KNOWN.items():
            value = getattr(self, name)
            if not isinstance(value, str) or value not in known:
                gone = NO_ESTIMATE if isinstance(value, str) and value == "gdp" else ""
                raise ValueError(f"{name} must be one of {known}{gone}, got {brief(value)}")
        for name in ("score", "progress"):
            value = getattr(self, name)
            if value is not None and not callable(value):
                raise ValueError(f"{name} must be a function or None, got {brief(value)}")
        seed: Any = self.seed
        if isinstance(seed, bool) or not isinstance(seed, numbers.Integral) or int(seed) < 0:
            raise ValueError(f"seed must be a whole number ≥ 0, got {brief(seed)}")
        rng: Any = self.rng
        if rng is not None and not isinstance(rng, np.random.Generator):
            raise ValueError(f"rng must be a numpy.random.Generator or None, got {brief(rng)}")
        for name in SWITCHES:
            value = getattr(self, name)
            if not isinstance(value, (bool, np.bool_)):
                raise ValueError(f"{name} must be True or False, got {brief(value)}")

    def _number(self, name: str, good: Callable[[float], bool], wanted: str) -> None:
        """Make the value a float; bad input where it is no number, or not a good one."""
        value, number = getattr(self, name), math.nan
        with suppress(TypeError, ValueError, OverflowError):
            if isinstance(value, (numbers.Real, Decimal)) and not isinstance(value, (bool, np.bool_)):
                number = float(value)
        if not good(number):  # NaN compares false with everything
            raise ValueError(f"{name} must be {wanted}, got {brief(value)}")
        object.__setattr__(self, name, number)

    def _whole(self, name: str, least: int, most: float, wanted: str) -> None:
        self._number(name, lambda v: least <= v <= most and v.is_integer(), wanted)
        object.__setattr__(self, name, int(getattr(self, name)))
