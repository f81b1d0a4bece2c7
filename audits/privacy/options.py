"""What the user asks of an audit: one frozen set of options, checked where it is made."""

from __future__ import annotations

import difflib
import math
import numbers
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any

import numpy as np

from audits.privacy.claims import CLAIMS, Approximate, Claim
from audits.privacy.draw.draws import ERRORS, Stopped
from audits.privacy.result import Look
from audits.values import brief

METHODS = ("sequential", "clopper-pearson")
MIN_SAMPLES = 64
MOST_EPSILON = 200.0
MOST_SECONDS = 1e9
"""Thirty years: clocks of processes and threads take no longer times."""
KNOWN = {"method": METHODS, "errors": ERRORS}
SWITCHES = "stop_early", "confirm", "partial", "planting", "simplest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The keywords of `audit_privacy` beside adjacency, which says what they mean.

    Raises ValueError, in one sentence, for the first of them that makes no sense.
    """

    epsilon: float = None  # type: ignore[assignment]
    delta: float = None  # type: ignore[assignment]
    claim: Claim = None  # type: ignore[assignment]
    alpha: float = 0.05
    seed: int = 0
    rng: np.random.Generator | None = None
    max_samples: int = 1_000_000
    time_limit: float | None = None
    method: str = "sequential"
    resolution: float | None = None
    stop_early: bool = True
    errors: str = "raise"
    jobs: int = 1
    precision: float | None = None
    confirm: bool = False
    partial: bool = False
    planting: bool = False
    simplest: bool = True
    progress: Callable[[Look], None] | None = None

    @property
    def stops(self) -> tuple[type[BaseException], ...]:
        """What ends the run with what is known by then, in place of being raised."""
        return (KeyboardInterrupt, Stopped) if self.partial else ()

    def __post_init__(self) -> None:
        self._claim()
        self._number("alpha", lambda v: 0.0 < v < 1.0, "in (0, 1)")
        self._whole("max_samples", MIN_SAMPLES, math.inf, f"a whole number of samples ≥ {MIN_SAMPLES}")
        self._whole("jobs", 1, 1024, "a whole number of processes from 1 to 1024")
        unit = "an ε" if self.claim.unit == "ε" else f"a {self.claim.unit}"
        above = f"{unit} above the claimed one, or None"
        limit = f"a number of seconds > 0, at most {MOST_SECONDS:g}, or None"
        self._number("time_limit", lambda v: 0.0 < v <= MOST_SECONDS, limit, True)
        self._number("resolution", lambda v: self.claim.value < v < math.inf, above, True)
        self._number("precision", lambda v: 0.0 < v < 1.0, "in (0, 1) or None", True)
        for name, known in KNOWN.items():
            value = getattr(self, name)
            self._must(isinstance(value, str) and value in known, name, f"one of {known}")
        self._must(self.progress is None or callable(self.progress), "progress", "a function or None")
        seed: Any = self.seed
        whole = not isinstance(seed, bool) and isinstance(seed, numbers.Integral)
        self._must(whole and int(seed) >= 0, "seed", "a whole number ≥ 0")
        rng: Any = self.rng
        good = rng is None or isinstance(rng, np.random.Generator)
        self._must(good, "rng", "a numpy.random.Generator or None")
        for name in SWITCHES:
            self._must(isinstance(getattr(self, name), (bool, np.bool_)), name, "True or False")

    def _claim(self) -> None:
        """The claim of ε and δ, unless there is another."""
        most = f"a number in [0, {MOST_EPSILON:g}]; samples cannot speak against more"
        given: Any = self.claim
        if given is None:
            delta: Any = self.delta
            object.__setattr__(self, "delta", 0.0 if delta is None else delta)
            self._number("epsilon", lambda v: 0.0 <= v <= MOST_EPSILON, most)
            self._number("delta", lambda v: 0.0 <= v < 1.0, "in [0, 1)")
            object.__setattr__(self, "claim", Approximate(self.epsilon, self.delta))
            return
        kinds = ", ".join(one.__name__ for one in CLAIMS)
        self._must(isinstance(given, CLAIMS), "claim", f"one of {kinds} of audits.privacy.claims")
        for name in ("epsilon", "delta"):
            self._must(getattr(self, name) is None, name, f"left out where there is a claim, {given!r}")
        self._must(given.value <= MOST_EPSILON, "claim", most)
        object.__setattr__(self, "claim", given)

    def _must(self, good: bool, name: str, wanted: str) -> None:
        if not good:
            raise ValueError(f"{name} must be {wanted}, got {brief(getattr(self, name))}")

    def _number(self, name: str, good: Callable[[float], bool], wanted: str, optional: bool = False) -> None:
        """Make the value a float; bad input where it is no number, or not a good one."""
        value, number = getattr(self, name), math.nan
        if optional and value is None:
            return
        with suppress(TypeError, ValueError, OverflowError):
            if isinstance(value, (numbers.Real, Decimal)) and not isinstance(value, (bool, np.bool_)):
                number = float(value)
        self._must(good(number), name, wanted)  # NaN compares false with everything
        object.__setattr__(self, name, number)

    def _whole(self, name: str, least: int, most: float, wanted: str) -> None:
        self._number(name, lambda v: least <= v <= most and v.is_integer(), wanted)
        object.__setattr__(self, name, int(getattr(self, name)))


def options_of(keywords: dict[str, Any]) -> Options:
    """The options with these keywords; TypeError for a keyword that `audit_privacy` does not have."""
    known = [field.name for field in fields(Options)]
    for name in keywords:
        if name not in known:
            held = [one for one in known if name in one]
            near = held or difflib.get_close_matches(name, [*known, "adjacency"], 1)
            hint = f". Did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"audit_privacy() got an unexpected keyword argument {name!r}{hint}")
    return Options(**keywords)
